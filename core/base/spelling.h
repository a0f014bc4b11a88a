/* spelling.h - the word of a list that somebody probably meant, for messages. Not a search. Thread
 * class: any. */
#ifndef EG_BASE_SPELLING_H
#define EG_BASE_SPELLING_H

#include <stddef.h>

/* Number of single-character insertions, deletions and replacements between two words
 * (Levenshtein); words of over 60 bytes are far from all others. */
size_t eg_edit_distance(const char *a, const char *b);

/* The best of the words offered so far: set `written`, offer all, read `meant`. */
typedef struct eg_suggestion {
    const char *written;
    const char *meant; /* NULL: none is within two edits or begins so */
    size_t distance;   /* of meant */
} eg_suggestion;

void eg_suggestion_offer(eg_suggestion *s, const char *word);

#endif
