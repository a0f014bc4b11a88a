/* rows.c - rows of the store as the structs of types.h, and reading all rows of a statement. */
#include "rows.h"

int fact_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_fact *f = row;
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
                   .corroborations = (uint32_t)sqlite3_column_int64(q, 27),
                   .marks = (uint32_t)sqlite3_column_int64(q, 28)};
    if (sqlite3_column_bytes(q, 24) == 32) memcpy(f->content_hash, sqlite3_column_blob(q, 24), 32);
    return f->content.ptr && f->scope.ptr && f->agent_id.ptr && f->engineer.ptr && f->provenance.ptr && f->artifact_hash.ptr &&
           f->closed_by.ptr;
}

int claim_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_claim *c = row;
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

int conflict_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_conflict *c = row;
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
                       .resolved_fact = column_id(q, 19),
                       .until_a = sqlite3_column_int64(q, 20),
                       .until_b = sqlite3_column_int64(q, 21)};
    return c->tier.ptr && c->detector.ptr && c->explanation.ptr && c->resolved_by.ptr && c->resolution.ptr;
}

eg_status read_rows(connection *c, eg_request *rq, sqlite3_stmt *q, row_reader *read, size_t size, void **out, size_t *n) {
    size_t capacity = 0;
    eg_status s = q ? EG_OK : rq->err->code;
    int row;
    *out = NULL;
    *n = 0;
    while (s == EG_OK && (row = step(c, rq, q)) != 0) {
        void *to = row < 0 ? NULL : grow_row(rq, out, *n, &capacity, size);
        if (to && read(rq, q, to)) ++*n;
        else s = rq->err->code;
    }
    if (q) sqlite3_reset(q);
    return s;
}

eg_status read_row(connection *c, eg_request *rq, sqlite3_stmt *q, row_reader *read, void *out, int *found) {
    int row = q ? step(c, rq, q) : -1;
    *found = row > 0;
    eg_status s = row < 0 ? rq->err->code : EG_OK;
    if (row > 0 && !read(rq, q, out)) s = rq->err->code;
    if (q) sqlite3_reset(q);
    return s;
}

int statement_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    eg_statement *s = row;
    *s = (eg_statement){.span = {(uint32_t)sqlite3_column_int64(q, 0), (uint32_t)sqlite3_column_int64(q, 1)},
                        .kind = (uint32_t)sqlite3_column_int64(q, 2),
                        .flags = (uint32_t)sqlite3_column_int64(q, 3),
                        .alone = column_text(rq, q, 4)};
    return s->alone.ptr != NULL;
}
int id_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    *(eg_id *)row = column_id(q, 0);
    return 1;
}
int numbers_row(eg_request *rq, sqlite3_stmt *q, void *row) {
    (void)rq;
    for (int i = 0; i < sqlite3_column_count(q) && i < NUMBERS; i++)
        ((numbers *)row)->at[i] = (uint64_t)sqlite3_column_int64(q, i);
    return 1;
}
