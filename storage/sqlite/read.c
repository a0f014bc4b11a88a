/* read.c - the reads but for parts, searches and the audit log. Each takes a reader, runs one or a
 * few statements and copies rows into the request's memory. Reads never write. */
#include <stdlib.h>
#include <time.h>

#include "rows.h"

/* A read under way: its reader, its statement. */
typedef struct reading {
    connection *c;
    eg_request *rq;
    sqlite3_stmt *q;
} reading;

/* Takes a reader and prepares a statement, with NOW bound where it has it; 0 with the error record
 * filled. */
static int begin(eg_storage *s, eg_request *rq, eg_sql which, reading *r) {
    *r = (reading){.c = reader_take(s), .rq = rq};
    r->q = prepare(r->c, rq, which);
    int at = r->q ? named(r->q, NOW) : 0;
    int64_t now = 0;
    if (at && store_now(s, r->c, rq, &now) != EG_OK) r->q = NULL;
    if (at && r->q) sqlite3_bind_int64(r->q, at, now);
    if (!r->q) connection_give(r->c);
    return r->q != NULL;
}

/* The same with the workspace's name as ?1. */
static int begin_here(eg_storage *s, eg_request *rq, eg_sql which, reading *r) {
    int begun = begin(s, rq, which, r);
    if (begun) bind_text(r->q, 1, rq->workspace);
    return begun;
}

static eg_status all_rows(reading *r, row_reader *read, size_t size, void **out, size_t *n) {
    eg_status s = read_rows(r->c, r->rq, r->q, read, size, out, n);
    connection_give(r->c);
    return s;
}

/* One row, or EG_ENOENT with the message. */
static eg_status one_row(reading *r, row_reader *read, void *out, const char *missing) {
    int found;
    eg_status s = read_row(r->c, r->rq, r->q, read, out, &found);
    connection_give(r->c);
    return s == EG_OK && !found ? eg_request_fail(r->rq, EG_ENOENT, "%s", missing) : s;
}

eg_status sqlite_page(eg_storage *s, eg_request *rq, const eg_filter *f, int64_t after, uint32_t limit, eg_fact **out,
                      size_t *n) {
    reading r;
    int back = (f->flags & EG_FILTER_NEWEST) != 0;
    if (check_filter(rq, f) != EG_OK || !begin(s, rq, back ? EG_SQL_PAGE_BACK : EG_SQL_PAGE, &r)) return rq->err->code;
    if (bind_filter(r.q, s, r.c, rq, f) != EG_OK) {
        connection_give(r.c);
        return rq->err->code;
    }
    sqlite3_bind_int64(r.q, named(r.q, ":after"), back && !after ? INT64_MAX : after);
    sqlite3_bind_int64(r.q, named(r.q, ":limit"), limit);
    return all_rows(&r, fact_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_lineage(eg_storage *s, eg_request *rq, eg_id id, uint32_t limit, eg_fact **out, size_t *n) {
    reading r;
    if (!begin_here(s, rq, EG_SQL_LINEAGE, &r)) return rq->err->code;
    bind_id(r.q, 2, id);
    sqlite3_bind_int64(r.q, 3, limit ? (int64_t)limit : -1);
    return all_rows(&r, fact_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_current_by_hash(eg_storage *s, eg_request *rq, eg_str scope, const uint8_t hash[32], eg_fact *out) {
    reading r;
    if (!begin_here(s, rq, EG_SQL_FACT_BY_HASH, &r)) return rq->err->code;
    sqlite3_bind_blob(r.q, 2, hash, 32, SQLITE_STATIC);
    bind_text(r.q, 3, scope);
    return one_row(&r, fact_row, out, "no current fact has this content");
}

eg_status sqlite_ids_by_suffix(eg_storage *s, eg_request *rq, eg_str suffix, eg_id *out, size_t limit, size_t *n) {
    reading r;
    char lower[33];
    void *rows;
    *n = 0;
    if (suffix.len == 0 || suffix.len >= sizeof lower) return EG_OK;
    for (size_t i = 0; i < suffix.len; i++) {
        char c = suffix.ptr[i];
        lower[i] = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
    }
    if (!begin_here(s, rq, EG_SQL_IDS_BY_SUFFIX, &r)) return rq->err->code;
    bind_text(r.q, 2, (eg_str){lower, suffix.len});
    sqlite3_bind_int64(r.q, 3, (int64_t)limit);
    eg_status st = all_rows(&r, id_row, sizeof(eg_id), &rows, n);
    if (st == EG_OK && *n) memcpy(out, rows, *n * sizeof *out);
    return st;
}

eg_status sqlite_ids_between(eg_storage *s, eg_request *rq, eg_id first, eg_id last, eg_id *out, size_t limit, size_t *n) {
    reading r;
    void *rows;
    *n = 0;
    if (!begin_here(s, rq, EG_SQL_IDS_BETWEEN, &r)) return rq->err->code;
    sqlite3_bind_blob(r.q, 2, first.bytes, 16, SQLITE_TRANSIENT); /* the least is all zeros */
    sqlite3_bind_blob(r.q, 3, last.bytes, 16, SQLITE_TRANSIENT);
    sqlite3_bind_int64(r.q, 4, (int64_t)limit);
    eg_status st = all_rows(&r, id_row, sizeof(eg_id), &rows, n);
    if (st == EG_OK && *n) memcpy(out, rows, *n * sizeof *out);
    return st;
}

static int event_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_event *)row = (eg_event){.time = sqlite3_column_int64(q, 0),
                                  .kind = (uint32_t)sqlite3_column_int(q, 1),
                                  .key = sqlite3_column_int64(q, 2),
                                  .id = column_id(q, 3)};
    return 1;
}

eg_status sqlite_events(eg_storage *s, eg_request *rq, const eg_events_args *a, eg_event **out, size_t *n) {
    reading r;
    int64_t now, until = a->until;
    eg_status st = check_flags(rq, "eg_events_args", a->size, EG_EVENTS_ARGS_SIZE_1_0, a->flags, EG_EVENTS_REPLACED);
    if (st == EG_OK) st = sqlite_now(s, rq, &now);
    if (st != EG_OK || !begin_here(s, rq, EG_SQL_EVENTS, &r)) return rq->err->code;
    if (!until || until > now) until = now;
    const int all = a->before.time == 0;
    bind_text(r.q, 2, a->scope);
    sqlite3_bind_int64(r.q, 3, a->since > 1 ? a->since : 1); /* a column of 0: it did not happen */
    sqlite3_bind_int64(r.q, 4, until);
    sqlite3_bind_int(r.q, 5, (a->flags & EG_EVENTS_REPLACED) != 0);
    sqlite3_bind_int64(r.q, 6, all ? INT64_MAX : a->before.time);
    sqlite3_bind_int64(r.q, 7, a->before.kind);
    sqlite3_bind_int64(r.q, 8, a->before.key);
    sqlite3_bind_int64(r.q, 9, a->limit);
    return all_rows(&r, event_row, sizeof **out, (void **)out, n);
}

static int link_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_link_row *)row =
        (eg_link_row){.fact = column_id(q, 0), .other = column_id(q, 1), .kind = (uint32_t)sqlite3_column_int64(q, 2)};
    return 1;
}

/* A statement for each fact, under one reader and in one snapshot. */
eg_status sqlite_links(eg_storage *s, eg_request *rq, const eg_id *facts, size_t count, eg_link_row **out, size_t *n) {
    connection *c = reader_take(s);
    void *all = NULL;
    size_t capacity = 0;
    *n = 0;
    eg_status st = begin_read(c, rq);
    for (size_t i = 0; st == EG_OK && i < count; i++) {
        void *rows = NULL;
        size_t found = 0;
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_LINKS_OF);
        if (q) {
            bind_text(q, 1, rq->workspace);
            bind_id(q, 2, facts[i]);
        }
        st = read_rows(c, rq, q, link_row, sizeof(eg_link_row), &rows, &found);
        for (size_t k = 0; st == EG_OK && k < found; k++) {
            eg_link_row *to = grow_row(rq, &all, *n, &capacity, sizeof *to);
            if (!to) st = EG_ENOMEM;
            else *to = ((const eg_link_row *)rows)[k], ++*n;
        }
    }
    end_read(c, rq);
    connection_give(c);
    *out = all;
    return st;
}

static int number_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(uint64_t *)row = (uint64_t)sqlite3_column_int64(q, 0);
    return 1;
}

/* Binds the parameters of UNEMBEDDED. */
static int begin_unembedded(eg_storage *s, eg_request *rq, eg_sql which, eg_str model, int64_t after, reading *r) {
    if (!begin_here(s, rq, which, r)) return 0;
    bind_text(r->q, 2, model);
    sqlite3_bind_int64(r->q, 3, after);
    return 1;
}

eg_status sqlite_unembedded(eg_storage *s, eg_request *rq, eg_str model, int64_t after, uint32_t limit, eg_fact **out, size_t *n,
                            uint64_t *all) {
    reading r;
    if (!begin_unembedded(s, rq, EG_SQL_UNEMBEDDED_FACTS, model, after, &r)) return rq->err->code;
    sqlite3_bind_int64(r.q, 4, limit);
    eg_status st = all_rows(&r, fact_row, sizeof **out, (void **)out, n);
    if (st != EG_OK || !all) return st;
    if (!begin_unembedded(s, rq, EG_SQL_UNEMBEDDED_COUNT, model, after, &r)) return rq->err->code;
    return one_row(&r, number_row, all, "");
}

/* ---- conflicts ---- */

/* Adds the conflicts that a statement gives for one key (an id or a scope) to the list. */
static eg_status add_conflicts(connection *c, eg_request *rq, sqlite3_stmt *q, const eg_conflict_filter *f, int64_t now,
                               eg_conflict **list, size_t *count) {
    void *rows;
    size_t n;
    bind_text(q, 1, rq->workspace);
    sqlite3_bind_int64(q, 2, f->statuses);
    sqlite3_bind_int64(q, 4, f->limit ? (int64_t)f->limit : -1);
    sqlite3_bind_int64(q, 5, f->flags);
    sqlite3_bind_int64(q, named(q, NOW), now);
    eg_status s = read_rows(c, rq, q, conflict_row, sizeof **list, &rows, &n);
    if (s != EG_OK || n == 0) return s;
    if (*count == 0) {
        *list = rows;
        *count = n;
        return EG_OK;
    }
    eg_conflict *more = eg_request_array(rq, *count + n, sizeof *more);
    if (!more) return EG_ENOMEM;
    memcpy(more, *list, *count * sizeof *more);
    memcpy(more + *count, rows, n * sizeof *more);
    *list = more;
    *count += n;
    return EG_OK;
}

/* Most severe first, then newest. */
static int by_severity(const void *a, const void *b) {
    const eg_conflict *x = a, *y = b;
    if (x->severity != y->severity) return x->severity < y->severity ? 1 : -1;
    return (x->seq < y->seq) - (x->seq > y->seq);
}

/* Of several reads: sorted, each conflict once. */
static size_t merge_conflicts(eg_conflict *list, size_t n) {
    if (n) qsort(list, n, sizeof *list, by_severity);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || list[kept - 1].seq != list[i].seq) list[kept++] = list[i];
    return kept;
}

static eg_status conflicts_by_ids(connection *c, eg_request *rq, const eg_conflict_filter *f, int64_t now, eg_sql which,
                                  const eg_id *ids, size_t id_count, eg_conflict **out, size_t *n) {
    eg_status st = EG_OK;
    for (size_t i = 0; st == EG_OK && i < id_count; i++) {
        sqlite3_stmt *q = prepare(c, rq, which);
        if (!q) return rq->err->code;
        bind_id(q, 3, ids[i]);
        st = add_conflicts(c, rq, q, f, now, out, n);
    }
    if (id_count > 1 && *n) *n = merge_conflicts(*out, *n);
    if (f->limit && *n > f->limit) *n = f->limit;
    return st;
}

eg_status sqlite_conflicts(eg_storage *s, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n) {
    *out = NULL;
    *n = 0;
    eg_status st = check_flags(rq, "eg_conflict_filter", f->size, EG_CONFLICT_FILTER_SIZE_1_0, f->flags,
                               EG_CONFLICTS_CURRENT | EG_CONFLICTS_PAST);
    if (st != EG_OK) return st;
    if (!!f->ids + !!f->facts + !!f->scope.len > 1)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "conflicts are read by ids, by facts or by scope: one at a time");
    connection *c = reader_take(s);
    int64_t now;
    st = begin_read(c, rq);
    if (st == EG_OK) st = store_now(s, c, rq, &now);
    if (st == EG_OK && f->ids) {
        st = conflicts_by_ids(c, rq, f, now, EG_SQL_CONFLICT, f->ids, f->id_count, out, n);
    } else if (st == EG_OK && f->facts) {
        st = conflicts_by_ids(c, rq, f, now, EG_SQL_CONFLICTS_OF, f->facts, f->fact_count, out, n);
    } else if (st == EG_OK) {
        sqlite3_stmt *q = prepare(c, rq, EG_SQL_CONFLICTS);
        if (q) bind_text(q, 3, f->scope);
        st = q ? add_conflicts(c, rq, q, f, now, out, n) : rq->err->code;
    }
    end_read(c, rq);
    connection_give(c);
    return st;
}

eg_status conflicts_to_end(connection *c, eg_request *rq, int64_t workspace, eg_id fact, int64_t now, eg_conflict **out,
                           size_t *n) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_CONFLICTS_TO_END);
    if (q) {
        sqlite3_bind_int64(q, 1, workspace);
        bind_id(q, 2, fact);
        sqlite3_bind_int64(q, 3, now);
    }
    return read_rows(c, rq, q, conflict_row, sizeof **out, (void **)out, n);
}

/* ---- settings, feedback, journal, counts ---- */

static int text_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    *(eg_str *)row = column_text(rq, q, 0);
    return ((eg_str *)row)->ptr != NULL;
}

eg_status sqlite_setting(eg_storage *s, eg_request *rq, eg_str key, eg_str *out) {
    reading r;
    if (!begin_here(s, rq, EG_SQL_SETTING, &r)) return rq->err->code;
    bind_text(r.q, 2, key);
    return one_row(&r, text_row, out, "the workspace has no such setting");
}

static int feedback_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_feedback_row *f = row;
    *f = (eg_feedback_row){.tier = column_text(rq, q, 0), .confirmed = (uint64_t)sqlite3_column_int64(q, 1)};
    f->false_alarms = (uint64_t)sqlite3_column_int64(q, 2) - f->confirmed;
    return f->tier.ptr != NULL;
}

eg_status sqlite_feedback(eg_storage *s, eg_request *rq, eg_feedback_row **out, size_t *n) {
    reading r;
    if (!begin_here(s, rq, EG_SQL_FEEDBACK, &r)) return rq->err->code;
    return all_rows(&r, feedback_row, sizeof **out, (void **)out, n);
}

static int journal_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_journal_row *)row = (eg_journal_row){.seq = sqlite3_column_int64(q, 0),
                                              .time = sqlite3_column_int64(q, 1),
                                              .kind = (uint32_t)sqlite3_column_int(q, 2),
                                              .fact = column_id(q, 3),
                                              .other = column_id(q, 4)};
    return 1;
}

eg_status sqlite_changes_since(eg_storage *s, eg_request *rq, int64_t since, uint32_t limit, eg_journal_row **out, size_t *n) {
    reading r;
    if (!begin_here(s, rq, EG_SQL_CHANGES_SINCE, &r)) return rq->err->code;
    sqlite3_bind_int64(r.q, 2, since);
    sqlite3_bind_int64(r.q, 3, limit);
    return all_rows(&r, journal_row, sizeof **out, (void **)out, n);
}

/* The numbers of the workspace's one row; zeros where it has none. */
static eg_status read_numbers(eg_storage *s, connection *c, eg_request *rq, eg_sql which, numbers *out) {
    *out = (numbers){{0}};
    sqlite3_stmt *q = prepare(c, rq, which);
    int64_t now = 0;
    int found, at = q ? named(q, NOW) : 0;
    if (q) bind_text(q, 1, rq->workspace);
    if (at && store_now(s, c, rq, &now) != EG_OK) return rq->err->code;
    if (at) sqlite3_bind_int64(q, at, now);
    if (q && which == EG_SQL_JOB_STATS) {
        sqlite3_bind_int(q, 2, EG_MAX_ATTEMPTS);
        sqlite3_bind_int64(q, 3, store_clock(s));
    }
    return read_row(c, rq, q, numbers_row, out, &found);
}

eg_status sqlite_stats(eg_storage *s, eg_request *rq, uint32_t flags, eg_store_stats *out) {
    *out = (eg_store_stats){.schema = SCHEMA, .location = eg_str_of(s->path)};
    eg_status st = check_flags(rq, "stats", 0, 0, flags, EG_STATS_FACTS | EG_STATS_JOBS);
    if (st != EG_OK) return st;
    numbers seq, facts = {{0}}, jobs = {{0}};
    connection *c = reader_take(s);
    st = begin_read(c, rq);
    if (st == EG_OK) st = read_numbers(s, c, rq, EG_SQL_LAST_SEQ, &seq);
    if (st == EG_OK && flags & EG_STATS_FACTS) st = read_numbers(s, c, rq, EG_SQL_FACT_STATS, &facts);
    if (st == EG_OK && flags & EG_STATS_JOBS) st = read_numbers(s, c, rq, EG_SQL_JOB_STATS, &jobs);
    end_read(c, rq);
    connection_give(c);
    if (st != EG_OK) return st;
    out->seq = (int64_t)seq.at[0];
    out->facts = facts.at[0];
    out->current_facts = facts.at[1];
    out->conflicts_open = facts.at[2];
    out->conflicts_total = facts.at[3];
    out->agents = facts.at[4];
    out->statements = facts.at[5];
    out->claims = facts.at[6];
    out->vectors = facts.at[7];
    out->suspected = (uint32_t)facts.at[8];
    out->jobs_queued = jobs.at[0];
    out->jobs_leased = jobs.at[1];
    out->jobs_dead = jobs.at[2];
    out->oldest_job_at = (int64_t)jobs.at[3];
    return EG_OK;
}

eg_status sqlite_now(eg_storage *s, eg_request *rq, int64_t *out) {
    connection *c = reader_take(s);
    eg_status st = store_now(s, c, rq, out);
    connection_give(c);
    return st;
}

static int64_t monotonic(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Sleeps until this process has committed more than `seen` times, or until the time. */
static void sleep_until(eg_storage *s, uint64_t seen, int64_t time) {
    struct timespec t = {.tv_sec = (time_t)(time / 1000000), .tv_nsec = (long)(time % 1000000 * 1000)};
    pthread_mutex_lock(&s->wait_lock);
    while (s->commits == seen && pthread_cond_timedwait(&s->committed, &s->wait_lock, &t) == 0) {}
    pthread_mutex_unlock(&s->wait_lock);
}

static uint64_t commits_so_far(eg_storage *s) {
    pthread_mutex_lock(&s->wait_lock);
    uint64_t n = s->commits;
    pthread_mutex_unlock(&s->wait_lock);
    return n;
}

/* Waits until the number that `which` gives is above `since`, or, where it is a sum, another one.
 * Another process's commit wakes nobody here: the number is looked at in pauses that grow from 5 to
 * 100 ms. */
static eg_status wait_for(eg_storage *s, eg_request *rq, eg_sql which, int64_t since, int64_t deadline, int64_t *seq) {
    enum { FIRST_PAUSE = 5000, LAST_PAUSE = 100000 };
    for (int64_t pause = FIRST_PAUSE;; pause = pause * 2 < LAST_PAUSE ? pause * 2 : LAST_PAUSE) {
        uint64_t seen = commits_so_far(s);
        numbers n;
        connection *c = reader_take(s);
        eg_status st = read_numbers(s, c, rq, which, &n);
        connection_give(c);
        if (st != EG_OK) return st;
        *seq = (int64_t)n.at[0];
        int64_t now = monotonic();
        if (*seq > since || (which == EG_SQL_SEQ_SUM && *seq != since) || now >= deadline) return EG_OK;
        if (eg_cancel_is_set(&rq->cancel))
            return eg_request_fail(rq, EG_ECANCELLED, "waiting for changes of the store was cancelled");
        sleep_until(s, seen, now + pause < deadline ? now + pause : deadline);
    }
}

eg_status sqlite_wait(eg_storage *s, eg_request *rq, int64_t since, int64_t deadline, int64_t *seq) {
    return wait_for(s, rq, EG_SQL_LAST_SEQ, since, deadline, seq);
}

static int workspace_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_workspace_row *w = row;
    *w = (eg_workspace_row){.name = column_text(rq, q, 0), .seq = sqlite3_column_int64(q, 1)};
    return w->name.ptr != NULL;
}

eg_status sqlite_workspaces(eg_storage *s, eg_request *rq, int64_t sum, int64_t deadline, eg_workspace_row **out, size_t *n) {
    int64_t seen;
    *out = NULL;
    *n = 0;
    eg_status st = wait_for(s, rq, EG_SQL_SEQ_SUM, sum, deadline, &seen);
    if (st != EG_OK) return st;
    connection *c = reader_take(s);
    st = read_rows(c, rq, prepare(c, rq, EG_SQL_WORKSPACES), workspace_row, sizeof **out, (void **)out, n);
    connection_give(c);
    return st;
}
