/* changes.h - one text compared with another as a replaced line with its successor: which words
 * stay in their order, and what stands in place of the others. Two statements that are the same but
 * for a value, a name or a negation are what is left of most changes of mind in documents. Knows no
 * model and no case. Called by features.c. Thread class: any. */
#ifndef EG_NLI_CHANGES_H
#define EG_NLI_CHANGES_H

#include "engram/types.h"

typedef struct text_changes {
    double kept;        /* share of the words of both that stay, 0 to 1 */
    int lead, tail;     /* words that stay before the first and behind the last change */
    int swaps, inserts; /* runs of words in place of which others stand, and of words that only one
                         * side has */
    int least, most;    /* words of the swaps on the side that has fewer, more of them */
    int added;          /* words of the inserts */
    int numbers;        /* swaps with a number on both sides */
    int names;          /* swaps with an identifier on both sides */
    int spellings;      /* swaps of one word for another that is spelled alike */
    int negations;      /* changes with a negation on one side only */
} text_changes;

/* Case, punctuation and markup at the edges of words do not count. At most MAX_CHANGE_WORDS words
 * of each text are read. */
enum { MAX_CHANGE_WORDS = 64 };
text_changes changes_between(eg_str a, eg_str b);

#endif
