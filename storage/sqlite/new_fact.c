/* new_fact.c - the rows of a fact and of what was derived from its content. */
#include "new_fact.h"

eg_status insert_statements(writing *w, int64_t key, const eg_span *statements, const eg_statement *details, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_STATEMENT);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, key);
        sqlite3_bind_int64(q, 2, (int64_t)i);
        sqlite3_bind_int64(q, 3, statements[i].start);
        sqlite3_bind_int64(q, 4, statements[i].end);
        sqlite3_bind_int64(q, 5, details ? details[i].kind : EG_STATEMENT_ASSERTION);
        sqlite3_bind_int64(q, 6, details ? details[i].flags : 0);
        bind_text(q, 7, details ? details[i].alone : (eg_str){0});
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

static void bind_decimal(sqlite3_stmt *q, int at, const eg_decimal *d) {
    sqlite3_bind_int64(q, at, d->mantissa);
    sqlite3_bind_int(q, at + 1, d->exponent);
    sqlite3_bind_int64(q, at + 2, d->infinite);
}

eg_status insert_claims(writing *w, int64_t key, const eg_claim *claims, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const eg_claim *c = &claims[i];
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_CLAIM);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, w->workspace);
        sqlite3_bind_int64(q, 2, key);
        sqlite3_bind_int64(q, 3, c->statement);
        sqlite3_bind_int64(q, 4, c->span.start);
        sqlite3_bind_int64(q, 5, c->span.end);
        bind_text(q, 6, c->subject);
        bind_text(q, 7, c->attribute);
        bind_text(q, 8, c->qualifiers);
        sqlite3_bind_int64(q, 9, c->value_kind);
        bind_decimal(q, 10, &c->low);
        bind_decimal(q, 13, &c->high);
        bind_text(q, 16, c->text);
        bind_text(q, 17, c->dimension);
        sqlite3_bind_int(q, 18, c->polarity);
        sqlite3_bind_int64(q, 19, c->modality);
        sqlite3_bind_int64(q, 20, c->quantifier);
        sqlite3_bind_int64(q, 21, c->extractor);
        eg_status s = run(w->c, w->rq, q);
        if (s != EG_OK) return s;
    }
    return EG_OK;
}

/* Terms joined by spaces, each as often as core says. */
static eg_status insert_terms(writing *w, int64_t key, const eg_new_fact *f) {
    size_t size = 1;
    for (size_t i = 0; i < f->term_count; i++) size += (2 * f->terms[i].text.len + 1) * f->terms[i].count;
    char *words = eg_request_array(w->rq, size, 1), *p = words;
    if (!words) return EG_ENOMEM;
    for (size_t i = 0; i < f->term_count; i++) {
        eg_str term = encode_term(w->rq, f->terms[i].text);
        if (!term.ptr) return EG_ENOMEM;
        for (uint32_t k = 0; k < f->terms[i].count; k++) {
            memcpy(p, term.ptr, term.len);
            p += term.len;
            *p++ = ' ';
        }
    }
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_TERMS);
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, key);
    bind_text(q, 2, (eg_str){words, (size_t)(p - words)});
    return run(w->c, w->rq, q);
}

static eg_status model_key(writing *w, const eg_vector *v, int64_t *key) {
    sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_MODEL_KEY);
    if (!q) return w->rq->err->code;
    bind_text(q, 1, v->model_id);
    int row = step(w->c, w->rq, q);
    if (row > 0) *key = sqlite3_column_int64(q, 0);
    sqlite3_reset(q);
    if (row) return row < 0 ? w->rq->err->code : EG_OK;
    if (!(q = prepare(w->c, w->rq, EG_SQL_NEW_MODEL))) return w->rq->err->code;
    bind_text(q, 1, v->model_id);
    sqlite3_bind_int64(q, 2, v->dimensions);
    eg_status s = run(w->c, w->rq, q);
    *key = sqlite3_last_insert_rowid(w->c->db);
    return s;
}

eg_status insert_vectors(writing *w, int64_t fact, const eg_vector *vectors, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const eg_vector *v = &vectors[i];
        int64_t model = 0;
        int8_t s8[EG_MAX_DIMENSIONS];
        float scale;
        if (v->dimensions == 0 || v->dimensions > EG_MAX_DIMENSIONS)
            return eg_request_fail(w->rq, EG_EINVAL, "a vector of %u dimensions; 1 to %d are stored", v->dimensions,
                                   EG_MAX_DIMENSIONS);
        eg_status s = model_key(w, v, &model);
        if (s != EG_OK) return s;
        w->s->services->quantize_s8(w->s->services->host, v->values, v->dimensions, s8, &scale);
        sqlite3_stmt *q = prepare(w->c, w->rq, EG_SQL_INSERT_VECTOR);
        if (!q) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, fact);
        sqlite3_bind_int64(q, 2, v->statement);
        sqlite3_bind_int64(q, 3, model);
        sqlite3_bind_double(q, 4, (double)scale);
        sqlite3_bind_blob(q, 5, s8, (int)v->dimensions, SQLITE_STATIC);
        if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
        int64_t key = sqlite3_last_insert_rowid(w->c->db);
        if (!(q = prepare(w->c, w->rq, EG_SQL_INSERT_VECTOR_F32))) return w->rq->err->code;
        sqlite3_bind_int64(q, 1, key);
        sqlite3_bind_blob(q, 2, v->values, (int)(v->dimensions * sizeof *v->values), SQLITE_STATIC);
        if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
    }
    return EG_OK;
}

eg_status insert_fact(writing *w, const eg_new_fact *row) {
    const eg_fact *f = &row->fact;
    int64_t committed = f->committed_at ? f->committed_at : w->now, from = f->valid_from ? f->valid_from : w->now;
    int64_t until = f->valid_until ? f->valid_until : row->lifetime ? from + row->lifetime : EG_FOREVER;
    eg_status s = check_flags(w->rq, "eg_new_fact", row->size, EG_NEW_FACT_SIZE_1_0, row->flags, 0);
    if (s == EG_OK) s = journal(w, EG_CHANGE_FACT, f->id, (eg_id){{0}});
    sqlite3_stmt *q = s == EG_OK ? prepare(w->c, w->rq, EG_SQL_INSERT_FACT) : NULL;
    if (!q) return w->rq->err->code;
    sqlite3_bind_int64(q, 1, w->workspace);
    sqlite3_bind_int64(q, 2, w->out->fact_seq = w->seq);
    bind_id(q, 3, f->id);
    bind_id(q, 4, f->lineage_id);
    bind_id(q, 5, f->supersedes);
    bind_id(q, 6, f->restored_from);
    bind_id(q, 7, f->parents[0]);
    bind_id(q, 8, f->parents[1]);
    bind_text(q, 9, f->content);
    bind_text(q, 10, f->scope);
    bind_text(q, 11, f->agent_id);
    bind_text(q, 12, f->engineer);
    bind_text(q, 13, f->provenance);
    bind_text(q, 14, f->artifact_hash);
    sqlite3_bind_double(q, 15, f->confidence);
    sqlite3_bind_int64(q, 16, f->fact_type);
    sqlite3_bind_int64(q, 17, f->operation);
    sqlite3_bind_int64(q, 18, f->durability);
    sqlite3_bind_int64(q, 19, f->ttl_days);
    sqlite3_bind_int64(q, 20, committed);
    sqlite3_bind_int64(q, 21, from);
    sqlite3_bind_int64(q, 22, until);
    sqlite3_bind_blob(q, 23, f->content_hash, 32, SQLITE_STATIC);
    sqlite3_bind_int64(q, 24, f->closed_at);
    sqlite3_bind_int64(q, 25, f->close_reason);
    bind_text(q, 26, f->closed_by);
    sqlite3_bind_int64(q, 27, f->marks);
    if ((s = run(w->c, w->rq, q)) != EG_OK) return s;
    int64_t key = sqlite3_last_insert_rowid(w->c->db);
    if ((s = insert_statements(w, key, row->statements, row->details, row->statement_count)) != EG_OK ||
        (s = insert_claims(w, key, row->claims, row->claim_count)) != EG_OK || (s = insert_terms(w, key, row)) != EG_OK ||
        (s = insert_vectors(w, key, row->vectors, row->vector_count)) != EG_OK)
        return s;
    return note_window(w, (eg_window_change){.fact = f->id, .from_after = from, .until_after = until});
}
