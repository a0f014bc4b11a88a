/* writing.h - a change set under way: what apply.c, preconditions.c and new_fact.c share. */
#ifndef EG_SQLITE_WRITING_H
#define EG_SQLITE_WRITING_H

#include "store.h"

typedef struct writing {
    eg_storage *s;
    connection *c;
    eg_request *rq;
    const eg_change_set *set;
    int64_t workspace, now, clock; /* now: the store's */
    int64_t seq;                   /* of the workspace's last change */
    uint8_t head[32];              /* of its audit chain; zeros: it has none yet */
    eg_applied *out;
    window_list windows; /* of the facts changed since the last audit row of the set */
} writing;

/* 1 when the bound query has a row, 0 when it has none, -1 with the error record filled. take_id:
 * copies the row's first column to failed_row. */
int has_row(writing *w, sqlite3_stmt *q, int take_id);
/* Takes the next seq of the workspace for a change: out->seq. */
eg_status journal(writing *w, eg_change_kind kind, eg_id fact, eg_id other);
/* Adds to the windows that the set's next audit row holds. */
eg_status note_window(writing *w, eg_window_change change);

#endif
