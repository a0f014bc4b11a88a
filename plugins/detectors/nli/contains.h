/* contains.h - whether one text says the other, word for word: then they agree, without a model.
 * Thread class: any. */
#ifndef EG_NLI_CONTAINS_H
#define EG_NLI_CONTAINS_H

#include "engram/types.h"

/* 1 when the words of the shorter text are a contiguous part of the longer one, and no word around
 * them can change their meaning: "Backups are kept for 35 days." and "Backups are kept for 35 days,
 * as the auditors asked." */
int one_contains_the_other(eg_str a, eg_str b);

/* The text begins with an amount of several words: "30 s", "half an hour"; not "each day",
 * "daily". */
int is_amount(eg_str text);

#endif
