/* hostile.h - what the tests of broken model folders share: an engine, a folder, and the two ways
 * in which a folder may end: refused with a clean sentence, or opened. Used by test_hostile.c and
 * test_hostile_config.c. One thread. */
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include "tiny_model.h"

/* Of the running test program: made and removed by the two functions for the group of tests. */
extern eg_engine *engine;
extern char dir[64];
extern eg_error err;

int hostile_begin(void **state);
int hostile_end(void **state);

/* The folder is refused with this status, and the sentence holds `file` and `says`. */
void refused(const char *folder, eg_status wanted, const char *file, const char *says, const char *what);

/* The folder opens and gives an answer, which goes to logits when that is not NULL. */
void taken(const char *what, float logits[TINY_LABELS]);

#endif
