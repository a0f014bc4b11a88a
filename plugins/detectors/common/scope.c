/* scope.c - see scope.h. */
#include "scope.h"

#include <string.h>

static int lies_below(eg_str scope, eg_str over) {
    if (scope.len < over.len || (over.len && memcmp(scope.ptr, over.ptr, over.len) != 0)) return 0;
    return scope.len == over.len || scope.ptr[over.len] == '/';
}

int scopes_differ(const eg_fact *a, const eg_fact *b) {
    eg_str x = a->scope, y = b->scope;
    if (!x.len || !y.len || eg_str_eq(x, EG_STR("general")) || eg_str_eq(y, EG_STR("general"))) return 0;
    return !lies_below(x, y) && !lies_below(y, x);
}

int speaks_of_its_place(eg_str text) {
    static const char *const words[] = {"see",      "returns", "return",     "deprecated", "type",     "alias",
                                        "callback", "accepts", "acceptable", "accepted",   "optional", "required",
                                        "it",       "this",    "that",       "these",      "those",    "they"};
    char word[12];
    size_t n = 0;
    for (; n < text.len && n < sizeof word; n++) {
        char c = text.ptr[n];
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        if (c < 'a' || c > 'z') break;
        word[n] = c;
    }
    if (n == sizeof word) return 0;
    word[n] = '\0';
    if (strcmp(word, "default") == 0) return n < text.len && text.ptr[n] == ':'; /* but "Default page size is 50" */
    if (strcmp(word, "defaults") == 0) return 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return 0;
}
