/* spelling.c - see spelling.h. */
#include "core/base/spelling.h"

#include <string.h>

enum { MAX_WORD = 60, MAX_EDITS = 2, LEAST_BEGINNING = 3 };

size_t eg_edit_distance(const char *a, const char *b) {
    size_t row[MAX_WORD + 1], n = strlen(b);
    if (strlen(a) > MAX_WORD || n > MAX_WORD) return MAX_WORD + 1;
    for (size_t k = 0; k <= n; k++) row[k] = k;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= n; k++) {
            size_t change = diagonal + (a[i - 1] != b[k - 1]), drop = row[k] + 1, add = row[k - 1] + 1;
            diagonal = row[k];
            row[k] = change < drop ? (change < add ? change : add) : drop < add ? drop : add;
        }
    }
    return row[n];
}

/* "merged" for "merged-content". */
static int is_beginning(const char *written, const char *word) {
    size_t n = strlen(written);
    return n >= LEAST_BEGINNING && strncmp(word, written, n) == 0;
}

void eg_suggestion_offer(eg_suggestion *s, const char *word) {
    size_t d = eg_edit_distance(s->written, word);
    if (d > MAX_EDITS && is_beginning(s->written, word)) d = MAX_EDITS + 1;
    else if (d > MAX_EDITS) return;
    if (s->meant && d >= s->distance) return;
    s->meant = word;
    s->distance = d;
}
