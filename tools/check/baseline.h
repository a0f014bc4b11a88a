/* baseline.h - the findings that a team has accepted for now, kept in a file beside the documents.
 * A finding is known by the files and the words of its two statements, not by lines: it stays
 * accepted when something else in the files changes.
 *
 * The file is JSON: {"version": 1, "findings": [{"files": [A, B], "statements": [A, B]}]}. Paths
 * are relative to its folder, null for a stored fact; entries are in order, so that a change shows
 * as a small difference. */
#ifndef EG_TOOLS_CHECK_BASELINE_H
#define EG_TOOLS_CHECK_BASELINE_H

#include <stddef.h>

#include "core/base/arena.h"

typedef struct baseline_side {
    eg_str file, statement; /* file empty: a stored fact */
} baseline_side;

typedef struct baseline_entry {
    eg_str file[2], statement[2]; /* for messages; file relative to the baseline */
    eg_str key;
    int occurs;
} baseline_entry;

typedef struct baseline {
    const char *name;
    char *folder; /* the real path of the folder that it lies in; on the heap */
    eg_arena arena;
    baseline_entry *entries; /* by key */
    size_t count, capacity;
} baseline;

/* Reads the file, or only prepares to write it. 0, or EXIT_ERROR after complaining. Released in any
 * case. */
int baseline_open(baseline *b, const char *name, int read);
void baseline_release(baseline *b);
/* 1 when the finding is in it; marks the entry. */
int baseline_has(baseline *b, baseline_side one, baseline_side other);
/* Adds a finding, to be written. 0, or EXIT_ERROR after complaining. */
int baseline_add(baseline *b, baseline_side one, baseline_side other);
int baseline_write(baseline *b);
/* Tells the entries that did not occur although their files are among those that were read, or are
 * gone; returns their number. */
size_t baseline_tell_stale(const baseline *b, char *const *files, size_t file_count);

#endif
