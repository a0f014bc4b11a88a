/* fact_context.c - see fact_context.h. */
#include "fact_context.h"

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

enum { FIRST_WORD = 12 };

/* Stores the first word in lower case and returns its length; 0 when it has other characters than
 * letters, as in "returns-api", or is longer than all words that are looked for. */
static size_t first_word(eg_str text, char word[FIRST_WORD]) {
    size_t n = 0;
    for (; n < text.len && n + 1 < FIRST_WORD; n++) {
        char c = text.ptr[n];
        if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
        if (c < 'a' || c > 'z') break;
        word[n] = c;
    }
    word[n] = '\0';
    return n == text.len || strchr(" :,", text.ptr[n]) ? n : 0;
}

static int is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) words++;
    return *words != NULL;
}

int begins_with_pronoun(eg_str text) {
    static const char *const pronouns[] = {"it",   "this",  "that", "these", "those", "its",
                                           "they", "their", "here", "he",    "she",   NULL};
    char word[FIRST_WORD];
    return first_word(text, word) && is_one_of(word, pronouns);
}

int is_context_dependent(eg_str text) {
    static const char *const verbs[] = {"see", "accepts", "acceptable", "defaults", NULL};
    static const char *const labels[] = {"returns",  "return",   "type",     "alias",      "default",
                                         "callback", "optional", "required", "deprecated", NULL};
    char word[FIRST_WORD];
    size_t n = first_word(text, word);
    if (begins_with_pronoun(text) || (n && is_one_of(word, verbs))) return 1;
    int is_labelled = (n < text.len && text.ptr[n] == ':') || (n + 1 < text.len && text.ptr[n + 1] == '`');
    return n && is_labelled && is_one_of(word, labels); /* not "Returns are accepted for 30 days" */
}
