/* writing.c - see writing.h. */
#include "writing.h"

int has_row(writing *w, sqlite3_stmt *q, int take_id) {
    int row = step(w->c, w->rq, q);
    if (row > 0 && take_id) w->out->failed_row = column_id(q, 0);
    sqlite3_reset(q);
    return row;
}

eg_status note_window(writing *w, eg_window_change change) {
    window_list *l = &w->windows;
    eg_window_change *to = grow_row(w->rq, &l->rows, l->count, &l->capacity, sizeof *to);
    if (!to) return EG_ENOMEM;
    *to = change;
    l->count++;
    return EG_OK;
}

eg_status journal(writing *w, eg_change_kind kind, eg_id fact, eg_id other) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_JOURNAL);
    if (!q) return w->rq->err->code;
    w->out->seq = ++w->seq;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->seq);
    sqlite3_bind_int64(q, 3, w->now);
    sqlite3_bind_int(q, 4, (int)kind);
    bind_id(q, 5, fact);
    bind_id(q, 6, other);
    return run(w->c, w->rq, q);
}
