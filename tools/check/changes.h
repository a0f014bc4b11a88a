/* changes.h - which lines changed since a commit: those that differ in the working tree from where
 * this branch left it, and all lines of files that git does not track yet. */
#ifndef EG_TOOLS_CHECK_CHANGES_H
#define EG_TOOLS_CHECK_CHANGES_H

#include <stdint.h>

#include "core/base/arena.h"

typedef struct changed_lines {
    /* of the file as it is now; last < first: lines between the two are gone */
    uint32_t first, last;
} changed_lines;

typedef struct changed_file {
    const char *path; /* from the top of the repository */
    int whole;
    changed_lines *lines;
    size_t count, capacity;
} changed_file;

typedef struct changes {
    char *top; /* the real path of the top of the repository; on the heap */
    eg_arena arena;
    changed_file *files; /* by path, once all are read */
    size_t count, capacity;
} changes;

/* Asks git. 0, or EXIT_ERROR after complaining. Released in any case. */
int changes_open(changes *c, const char *base);
void changes_release(changes *c);
/* The changes of a file, NULL: none. path: as it was named; "stdin" is all new. */
const changed_file *changes_of(const changes *c, const char *path);
/* 1 when one of the lines first to last changed, or something between two of them is gone. */
int changes_touch(const changed_file *f, uint32_t first, uint32_t last);

/* What `git diff --unified=0` printed, which is taken apart in place. 0, or -1 without memory. For
 * tests. */
int changes_parse(changes *c, char *patch);

#endif
