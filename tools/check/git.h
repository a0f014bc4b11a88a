/* git.h - runs git and reads what it prints. Nothing is asked of a terminal, and no hook, pager or
 * filter of diffs is run. */
#ifndef EG_TOOLS_CHECK_GIT_H
#define EG_TOOLS_CHECK_GIT_H

#include <stddef.h>

enum { GIT_MAX_WORDS = 24, GIT_MISSING = 127 };

/* Runs git with these words, NULL at the end, in a folder. *out: what it printed, NUL-terminated,
 * to be freed; NULL where that could not be read. Returns its exit status, GIT_MISSING where git is
 * not installed, or -1. */
int git_run(const char *folder, const char *const *words, char **out, size_t *size);

#endif
