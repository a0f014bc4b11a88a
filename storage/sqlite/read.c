/* read.c - the typed reads but for the two searches. Each takes a reader, runs one statement, copies rows into the request's
 * memory. Reads never write. */
#include "store.h"

/* Strings of a fact live in the request; 0 when memory is out. */
static int read_fact(eg_request *rq, sqlite3_stmt *q, eg_fact *f) {
    *f = (eg_fact){.seq = sqlite3_column_int64(q, 0),
                   .id = column_id(q, 1),
                   .lineage_id = column_id(q, 2),
                   .supersedes = column_id(q, 3),
                   .restored_from = column_id(q, 4),
                   .parents = {column_id(q, 5), column_id(q, 6)},
                   .content = column_text(rq, q, 7),
                   .scope = column_text(rq, q, 8),
                   .agent_id = column_text(rq, q, 9),
                   .engineer = column_text(rq, q, 10),
                   .provenance = column_text(rq, q, 11),
                   .artifact_hash = column_text(rq, q, 12),
                   .confidence = sqlite3_column_double(q, 13),
                   .fact_type = (uint32_t)sqlite3_column_int(q, 14),
                   .operation = (uint32_t)sqlite3_column_int(q, 15),
                   .durability = (uint32_t)sqlite3_column_int(q, 16),
                   .ttl_days = (uint32_t)sqlite3_column_int64(q, 17),
                   .committed_at = sqlite3_column_int64(q, 18),
                   .valid_from = sqlite3_column_int64(q, 19),
                   .valid_until = sqlite3_column_int64(q, 20),
                   .closed_at = sqlite3_column_int64(q, 21),
                   .close_reason = (uint32_t)sqlite3_column_int(q, 22),
                   .closed_by = column_text(rq, q, 23),
                   .query_hits = (uint32_t)sqlite3_column_int64(q, 25),
                   .open_conflicts = (uint32_t)sqlite3_column_int64(q, 26),
                   .corroborations = (uint32_t)sqlite3_column_int64(q, 27)};
    if (sqlite3_column_bytes(q, 24) == 32) memcpy(f->content_hash, sqlite3_column_blob(q, 24), 32);
    return f->content.ptr && f->scope.ptr && f->agent_id.ptr && f->engineer.ptr && f->provenance.ptr && f->artifact_hash.ptr &&
           f->closed_by.ptr;
}

static int read_claim(eg_request *rq, sqlite3_stmt *q, eg_claim *c) {
    *c = (eg_claim){.statement = (uint32_t)sqlite3_column_int64(q, 0),
                    .span = {(uint32_t)sqlite3_column_int64(q, 1), (uint32_t)sqlite3_column_int64(q, 2)},
                    .subject = column_text(rq, q, 3),
                    .attribute = column_text(rq, q, 4),
                    .qualifiers = column_text(rq, q, 5),
                    .value_kind = (uint32_t)sqlite3_column_int(q, 6),
                    .low = {sqlite3_column_int64(q, 7), sqlite3_column_int(q, 8), (uint32_t)sqlite3_column_int(q, 9)},
                    .high = {sqlite3_column_int64(q, 10), sqlite3_column_int(q, 11), (uint32_t)sqlite3_column_int(q, 12)},
                    .text = column_text(rq, q, 13),
                    .dimension = column_text(rq, q, 14),
                    .polarity = sqlite3_column_int(q, 15),
                    .modality = (uint32_t)sqlite3_column_int(q, 16),
                    .quantifier = (uint32_t)sqlite3_column_int(q, 17),
                    .extractor = (uint32_t)sqlite3_column_int(q, 18)};
    return c->subject.ptr && c->attribute.ptr && c->qualifiers.ptr && c->text.ptr && c->dimension.ptr;
}

static int read_conflict(eg_request *rq, sqlite3_stmt *q, eg_conflict *c) {
    *c = (eg_conflict){.id = column_id(q, 0),
                       .fact_a = column_id(q, 1),
                       .fact_b = column_id(q, 2),
                       .seq = sqlite3_column_int64(q, 3),
                       .detected_at = sqlite3_column_int64(q, 4),
                       .tier = column_text(rq, q, 5),
                       .detector = column_text(rq, q, 6),
                       .score = sqlite3_column_double(q, 7),
                       .explanation = column_text(rq, q, 8),
                       .span_a = {(uint32_t)sqlite3_column_int64(q, 9), (uint32_t)sqlite3_column_int64(q, 10)},
                       .span_b = {(uint32_t)sqlite3_column_int64(q, 11), (uint32_t)sqlite3_column_int64(q, 12)},
                       .severity = (uint32_t)sqlite3_column_int(q, 13),
                       .status = (uint32_t)sqlite3_column_int(q, 14),
                       .resolution_type = (uint32_t)sqlite3_column_int(q, 15),
                       .resolved_at = sqlite3_column_int64(q, 16),
                       .resolved_by = column_text(rq, q, 17),
                       .resolution = column_text(rq, q, 18),
                       .resolved_fact = column_id(q, 19)};
    return c->tier.ptr && c->detector.ptr && c->explanation.ptr && c->resolved_by.ptr && c->resolution.ptr;
}

/* Rows of one kind: `read` fills a row of `size` bytes. */
typedef int row_reader(eg_request *rq, sqlite3_stmt *q, void *row);
static int fact_row(eg_request *rq, sqlite3_stmt *q, void *row) { return read_fact(rq, q, row); }
static int number_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(uint64_t *)row = (uint64_t)sqlite3_column_int64(q, 0);
    return 1;
}
static int claim_row(eg_request *rq, sqlite3_stmt *q, void *row) { return read_claim(rq, q, row); }
static int conflict_row(eg_request *rq, sqlite3_stmt *q, void *row) { return read_conflict(rq, q, row); }
static int keyed_claim_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    ((eg_claim_row *)row)->fact = column_id(q, 19);
    return read_claim(rq, q, &((eg_claim_row *)row)->claim);
}
static int span_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_span *)row = (eg_span){(uint32_t)sqlite3_column_int64(q, 0), (uint32_t)sqlite3_column_int64(q, 1)};
    return 1;
}

/* A read under way: its reader, its statement. */
typedef struct reading {
    connection *c;
    eg_request *rq;
    sqlite3_stmt *q;
} reading;

/* now: for NOW, where the statement has it; 0: the store's. */
static int begin_at(eg_storage *s, eg_request *rq, eg_sql which, int64_t now, reading *r) {
    *r = (reading){.c = reader_take(s), .rq = rq};
    r->q = prepare(r->c, rq, which);
    int at = r->q ? named(r->q, NOW) : 0;
    if (at && !now && store_now(s, r->c, rq, &now) != EG_OK) r->q = NULL;
    if (at && r->q) sqlite3_bind_int64(r->q, at, now);
    if (!r->q) connection_give(r->c);
    return r->q != NULL;
}
static int begin(eg_storage *s, eg_request *rq, eg_sql which, reading *r) { return begin_at(s, rq, which, 0, r); }

/* A read of facts under a filter. */
static int begin_visible(eg_storage *s, eg_request *rq, eg_sql which, const eg_filter *f, reading *r) {
    if (!begin(s, rq, which, r)) return 0;
    if (bind_filter(r->q, s, r->c, rq, f) == EG_OK) return 1;
    connection_give(r->c);
    return 0;
}

static eg_status read_rows(connection *c, eg_request *rq, sqlite3_stmt *q, row_reader *read, size_t size, void **out, size_t *n) {
    size_t capacity = 0;
    eg_status s = EG_OK;
    int row;
    *out = NULL;
    *n = 0;
    while (s == EG_OK && (row = step(c, rq, q)) != 0) {
        void *to = row < 0 ? NULL : grow_row(rq, out, *n, &capacity, size);
        if (to && read(rq, q, to)) ++*n;
        else s = rq->err->code;
    }
    sqlite3_reset(q);
    return s;
}
static eg_status all_rows(reading *r, row_reader *read, size_t size, void **out, size_t *n) {
    eg_status s = read_rows(r->c, r->rq, r->q, read, size, out, n);
    connection_give(r->c);
    return s;
}

/* One row, or EG_ENOENT with the message. */
static eg_status one_row(reading *r, row_reader *read, void *out, const char *missing) {
    int row = step(r->c, r->rq, r->q);
    eg_status s = row < 0 ? r->rq->err->code : EG_OK;
    if (row == 0) s = eg_request_fail(r->rq, EG_ENOENT, "%s", missing);
    if (row > 0 && !read(r->rq, r->q, out)) s = r->rq->err->code;
    sqlite3_reset(r->q);
    connection_give(r->c);
    return s;
}

static eg_status fact_at(eg_storage *s, eg_request *rq, eg_id id, int64_t now, eg_fact *out) {
    reading r;
    if (!begin_at(s, rq, EG_SQL_FACT, now, &r)) return rq->err->code;
    bind_text(r.q, 1, rq->workspace);
    bind_id(r.q, 2, id);
    return one_row(&r, fact_row, out, "no such fact in this workspace");
}

eg_status sqlite_fact(eg_storage *s, eg_request *rq, eg_id id, eg_fact *out) { return fact_at(s, rq, id, 0, out); }

eg_status sqlite_facts(eg_storage *s, eg_request *rq, const eg_id *ids, size_t n, eg_fact *out) {
    int64_t now = 0;
    if (n && sqlite_now(s, rq, &now) != EG_OK) return rq->err->code;
    for (size_t i = 0; i < n; i++) {
        eg_status st = fact_at(s, rq, ids[i], now, &out[i]);
        if (st == EG_ENOENT) {
            out[i] = (eg_fact){0};
            *rq->err = (eg_error){0};
        } else if (st != EG_OK) {
            return st;
        }
    }
    return EG_OK;
}

static int id_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_id *)row = column_id(q, 0);
    return 1;
}

eg_status sqlite_ids_by_suffix(eg_storage *s, eg_request *rq, eg_str workspace, eg_str suffix, eg_id *out, size_t most,
                               size_t *n) {
    reading r;
    char lower[33];
    void *rows;
    *n = 0;
    if (suffix.len == 0 || suffix.len >= sizeof lower) return EG_OK;
    for (size_t i = 0; i < suffix.len; i++) {
        char c = suffix.ptr[i];
        lower[i] = c >= 'A' && c <= 'F' ? (char)(c + 32) : c;
    }
    if (!begin(s, rq, EG_SQL_IDS_BY_SUFFIX, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    bind_text(r.q, 2, (eg_str){lower, suffix.len});
    sqlite3_bind_int64(r.q, 3, (int64_t)most);
    eg_status st = all_rows(&r, id_row, sizeof(eg_id), &rows, n);
    if (st == EG_OK && *n) memcpy(out, rows, *n * sizeof *out);
    return st;
}

eg_status sqlite_current_by_hash(eg_storage *s, eg_request *rq, const eg_filter *f, const uint8_t hash[32], eg_fact *out) {
    reading r;
    if (!begin_visible(s, rq, EG_SQL_FACT_BY_HASH, f, &r)) return rq->err->code;
    sqlite3_bind_blob(r.q, named(r.q, ":hash"), hash, 32, SQLITE_STATIC);
    return one_row(&r, fact_row, out, "no current fact has this content");
}

eg_status sqlite_lineage(eg_storage *s, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact **out, size_t *n) {
    reading r;
    if (!begin(s, rq, EG_SQL_LINEAGE, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    bind_id(r.q, 2, lineage);
    return all_rows(&r, fact_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_lineage_head(eg_storage *s, eg_request *rq, eg_str workspace, eg_id lineage, eg_fact *out) {
    reading r;
    if (!begin(s, rq, EG_SQL_LINEAGE_HEAD, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    bind_id(r.q, 2, lineage);
    return one_row(&r, fact_row, out, "no such lineage in this workspace");
}

eg_status sqlite_list(eg_storage *s, eg_request *rq, const eg_filter *f, int64_t after, uint32_t limit, eg_fact **out,
                      size_t *n) {
    reading r;
    if (!begin_visible(s, rq, EG_SQL_LIST, f, &r)) return rq->err->code;
    sqlite3_bind_int64(r.q, named(r.q, ":after"), after);
    sqlite3_bind_int64(r.q, named(r.q, ":limit"), limit);
    return all_rows(&r, fact_row, sizeof **out, (void **)out, n);
}

/* Binds the parameters of UNEMBEDDED. */
static int begin_unembedded(eg_storage *s, eg_request *rq, eg_sql which, eg_str workspace, eg_str model, int64_t after,
                            reading *r) {
    if (!begin(s, rq, which, r)) return 0;
    bind_text(r->q, 1, workspace);
    bind_text(r->q, 2, model);
    sqlite3_bind_int64(r->q, 3, after);
    return 1;
}

eg_status sqlite_unembedded(eg_storage *s, eg_request *rq, eg_str workspace, eg_str model, int64_t after, uint32_t limit,
                            eg_fact **out, size_t *n, uint64_t *all) {
    reading r;
    if (!begin_unembedded(s, rq, EG_SQL_UNEMBEDDED_FACTS, workspace, model, after, &r)) return rq->err->code;
    sqlite3_bind_int64(r.q, 4, limit);
    eg_status st = all_rows(&r, fact_row, sizeof **out, (void **)out, n);
    if (st != EG_OK || !all) return st;
    if (!begin_unembedded(s, rq, EG_SQL_UNEMBEDDED_COUNT, workspace, model, after, &r)) return rq->err->code;
    return one_row(&r, number_row, all, "");
}

eg_status sqlite_claims_by_key(eg_storage *s, eg_request *rq, const eg_filter *f, eg_str subject, eg_str attribute,
                               uint32_t limit, eg_claim_row **out, size_t *n) {
    reading r;
    if (!begin_visible(s, rq, subject.len ? EG_SQL_CLAIMS_BY_SUBJECT : EG_SQL_CLAIMS_BY_ATTRIBUTE, f, &r)) return rq->err->code;
    if (subject.len) bind_text(r.q, named(r.q, ":subject"), subject);
    bind_text(r.q, named(r.q, ":attribute"), attribute);
    sqlite3_bind_int64(r.q, named(r.q, ":limit"), limit);
    return all_rows(&r, keyed_claim_row, sizeof **out, (void **)out, n);
}

/* Reads by workspace and fact id. */
static eg_status of_fact(eg_storage *s, eg_request *rq, eg_sql which, eg_id fact, row_reader *read, size_t size, void **out,
                         size_t *n) {
    reading r;
    if (!begin(s, rq, which, &r)) return rq->err->code;
    bind_text(r.q, 1, rq->workspace);
    bind_id(r.q, 2, fact);
    return all_rows(&r, read, size, out, n);
}

eg_status sqlite_claims_of(eg_storage *s, eg_request *rq, eg_id fact, eg_claim **out, size_t *n) {
    return of_fact(s, rq, EG_SQL_CLAIMS_OF, fact, claim_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_statements_of(eg_storage *s, eg_request *rq, eg_id fact, eg_span **out, size_t *n) {
    return of_fact(s, rq, EG_SQL_STATEMENTS_OF, fact, span_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_conflict(eg_storage *s, eg_request *rq, eg_id id, eg_conflict *out) {
    reading r;
    if (!begin(s, rq, EG_SQL_CONFLICT, &r)) return rq->err->code;
    bind_text(r.q, 1, rq->workspace);
    bind_id(r.q, 2, id);
    return one_row(&r, conflict_row, out, "no such conflict in this workspace");
}

eg_status sqlite_conflicts(eg_storage *s, eg_request *rq, const eg_conflict_filter *f, eg_conflict **out, size_t *n) {
    reading r;
    int of_one = !eg_id_is_none(f->fact);
    if (!begin(s, rq, of_one ? EG_SQL_CONFLICTS_OF : EG_SQL_CONFLICTS, &r)) return rq->err->code;
    bind_text(r.q, 1, f->workspace);
    sqlite3_bind_int(r.q, 2, f->status);
    if (of_one) bind_id(r.q, 3, f->fact);
    else bind_text(r.q, 3, f->scope);
    sqlite3_bind_int64(r.q, 4, f->limit);
    return all_rows(&r, conflict_row, sizeof **out, (void **)out, n);
}

eg_status open_conflicts_of(connection *c, eg_request *rq, eg_str workspace, int64_t before, eg_id fact, eg_conflict **out,
                            size_t *n) {
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_CONFLICTS_OF);
    if (!q) return rq->err->code;
    bind_text(q, 1, workspace);
    sqlite3_bind_int(q, 2, EG_CONFLICT_OPEN);
    bind_id(q, 3, fact);
    sqlite3_bind_int64(q, 4, -1); /* no limit */
    sqlite3_bind_int64(q, named(q, NOW), before - 1);
    return read_rows(c, rq, q, conflict_row, sizeof **out, (void **)out, n);
}

eg_status sqlite_pair_known(eg_storage *s, eg_request *rq, eg_id a, eg_id b, int *known) {
    connection *c = reader_take(s);
    sqlite3_stmt *q = prepare(c, rq, EG_SQL_WORKSPACE_KEY);
    int row = -1;
    *known = 0;
    if (q) {
        bind_text(q, 1, rq->workspace);
        row = step(c, rq, q);
    }
    int64_t workspace = row > 0 ? sqlite3_column_int64(q, 0) : 0;
    if (q) sqlite3_reset(q);
    for (int i = 0; row > 0 && !*known && i < 2; i++) {
        if (!(q = prepare(c, rq, i ? EG_SQL_PAIR_LINK : EG_SQL_PAIR_CONFLICT))) {
            row = -1;
            break;
        }
        sqlite3_bind_int64(q, 1, workspace);
        bind_id(q, 2, a);
        bind_id(q, 3, b);
        int found = step(c, rq, q);
        sqlite3_reset(q);
        if (found < 0) row = -1;
        *known = found > 0;
    }
    connection_give(c);
    return row < 0 ? rq->err->code : EG_OK;
}

static int text_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    *(eg_str *)row = column_text(rq, q, 0);
    return ((eg_str *)row)->ptr != NULL;
}

eg_status sqlite_setting(eg_storage *s, eg_request *rq, eg_str workspace, eg_str key, eg_str *out) {
    reading r;
    if (!begin(s, rq, EG_SQL_SETTING, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    bind_text(r.q, 2, key);
    return one_row(&r, text_row, out, "the workspace has no such setting");
}

/* Up to 12 numbers of one row. */
typedef struct numbers {
    uint64_t at[12];
} numbers;
static int numbers_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    for (int i = 0; i < sqlite3_column_count(q) && i < 12; i++) ((numbers *)row)->at[i] = (uint64_t)sqlite3_column_int64(q, i);
    return 1;
}

static eg_status two_numbers(eg_storage *s, eg_request *rq, eg_sql which, eg_str workspace, eg_str key, numbers *out) {
    reading r;
    *out = (numbers){{0}};
    if (!begin(s, rq, which, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    bind_text(r.q, 2, key);
    return one_row(&r, numbers_row, out, "no such agent in this workspace");
}

eg_status sqlite_feedback(eg_storage *s, eg_request *rq, eg_str workspace, eg_str tier, uint64_t *confirmed, uint64_t *wrong) {
    numbers n;
    eg_status st = two_numbers(s, rq, EG_SQL_FEEDBACK, workspace, tier, &n);
    *confirmed = n.at[0];
    *wrong = n.at[1] - n.at[0];
    return st;
}

eg_status sqlite_agent(eg_storage *s, eg_request *rq, eg_str workspace, eg_str agent, uint64_t *commits, uint64_t *flagged) {
    numbers n;
    eg_status st = two_numbers(s, rq, EG_SQL_AGENT, workspace, agent, &n);
    *commits = n.at[0];
    *flagged = n.at[1];
    return st;
}

eg_status sqlite_last_seq(eg_storage *s, eg_request *rq, int64_t *out) {
    reading r;
    numbers n = {{0}};
    if (!begin(s, rq, EG_SQL_LAST_SEQ, &r)) return rq->err->code;
    eg_status st = one_row(&r, numbers_row, &n, "");
    *out = (int64_t)n.at[0];
    return st;
}

eg_status sqlite_now(eg_storage *s, eg_request *rq, int64_t *out) {
    connection *c = reader_take(s);
    eg_status st = store_now(s, c, rq, out);
    connection_give(c);
    return st;
}

eg_status sqlite_stats(eg_storage *s, eg_request *rq, eg_str workspace, eg_store_stats *out) {
    *out = (eg_store_stats){.schema = SCHEMA, .location = eg_str_of(s->path)};
    reading r;
    numbers n = {{0}};
    int64_t now;
    eg_status st = sqlite_last_seq(s, rq, &out->seq);
    if (st == EG_OK) st = sqlite_now(s, rq, &now);
    if (st != EG_OK || !begin(s, rq, EG_SQL_STATS, &r)) return rq->err->code;
    bind_text(r.q, 1, workspace);
    sqlite3_bind_int64(r.q, 2, now);
    sqlite3_bind_int(r.q, 3, EG_MAX_ATTEMPTS);
    sqlite3_bind_int64(r.q, 4, s->services->now(s->services->host));
    st = one_row(&r, numbers_row, &n, "a workspace without facts");
    if (st == EG_ENOENT) { /* nothing was ever written here */
        *rq->err = (eg_error){0};
        return EG_OK;
    }
    out->facts = n.at[0];
    out->current_facts = n.at[1];
    out->conflicts_open = n.at[2];
    out->conflicts_total = n.at[3];
    out->agents = n.at[4];
    out->statements = n.at[5];
    out->claims = n.at[6];
    out->vectors = n.at[7];
    out->jobs_queued = n.at[8];
    out->jobs_leased = n.at[9];
    out->jobs_dead = n.at[10];
    out->oldest_job_at = (int64_t)n.at[11];
    return st;
}
