/* derive.c - everything that is computed from a fact's content: hash, statements, claims, terms,
 * vectors. The same for a commit, a job and a dry run. Knows no store. */
#include "core/memory/derive.h"

#include "core/base/status.h"
#include "core/text/given.h"

enum { MAX_REPEATS = 8 /* of a term in the index: BM25 saturates */ };

eg_status eg_content_hash(eg_memory *m, eg_request *rq, eg_arena *arena, eg_str content, uint8_t out[32]) {
    eg_str normal;
    eg_status s = eg_text_normalize(arena, content, &normal, rq->err);
    if (s == EG_OK) SERVICES(m)->sha256(m->env.host, normal.ptr, normal.len, out);
    return s;
}

/* n rows of `size` bytes in the arena instead of the roomy scratch they were written to. */
static void *trimmed(eg_arena *arena, const void *rows, size_t n, size_t size) {
    void *p = eg_arena_array(arena, n, size);
    return p && n ? memcpy(p, rows, n * size) : p;
}

/* Reads statements, and puts those that were given in their places. rows: room for two times
 * EG_MAX_STATEMENTS. */
static eg_status read_statements(eg_arena *arena, eg_str content, eg_statement_list kept, eg_statement *rows, size_t *n,
                                 eg_error *err) {
    eg_statement given[EG_MAX_STATEMENTS], *merged = rows + EG_MAX_STATEMENTS;
    size_t count = 0;
    for (size_t i = 0; i < kept.count && count < EG_MAX_STATEMENTS; i++)
        if (kept.rows[i].flags & EG_STATEMENT_GIVEN) given[count++] = kept.rows[i];
    eg_status s = eg_text_read_statements(arena, content, rows, EG_MAX_STATEMENTS, n, err);
    if (s != EG_OK || !count) return s;
    s = eg_text_merge_given(arena, content, rows, *n, given, count, merged, EG_MAX_STATEMENTS, n, err);
    if (s == EG_OK) memmove(rows, merged, *n * sizeof *rows);
    return s;
}

/* The claims of the statements. Several given ones may speak of one place: its claims are those of
 * the first. */
static eg_status read_claims(eg_arena *arena, eg_str content, eg_str scope, eg_derived *d, eg_claim *claims, eg_error *err) {
    eg_span spans[EG_MAX_STATEMENTS];
    uint32_t first[EG_MAX_STATEMENTS];
    size_t n = 0;
    for (size_t i = 0; i < d->statement_count; i++) {
        eg_span s = d->statements[i];
        if (n && spans[n - 1].start == s.start && spans[n - 1].end == s.end) continue;
        spans[n] = s;
        first[n++] = (uint32_t)i;
    }
    eg_status status = eg_text_claims(arena, content, scope, spans, n, claims, EG_MAX_CLAIMS, &d->claim_count, err);
    for (size_t i = 0; status == EG_OK && i < d->claim_count; i++) claims[i].statement = first[claims[i].statement];
    return status;
}

static eg_status put_statements(eg_arena *arena, const eg_statement *details, eg_derived *out, eg_error *err) {
    size_t n = out->statement_count;
    out->details = trimmed(arena, details, n, sizeof *details);
    out->statements = eg_arena_array(arena, n, sizeof *out->statements);
    if (!out->details || !out->statements) return eg_fail_memory(err, n * sizeof *details);
    for (size_t i = 0; i < n; i++) out->statements[i] = details[i].span;
    return EG_OK;
}

eg_status eg_derive_text(eg_request *rq, eg_arena *arena, eg_str content, eg_str scope, eg_statement_list kept, eg_derived *out) {
    *out = (eg_derived){0};
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    eg_statement *details = eg_arena_array(&scratch, 2 * EG_MAX_STATEMENTS, sizeof *details);
    eg_claim *claims = eg_arena_array(&scratch, EG_MAX_CLAIMS, sizeof *claims);
    eg_term *terms = eg_arena_array(&scratch, EG_MAX_FACT_TERMS, sizeof *terms);
    eg_status s = details && claims && terms ? EG_OK : eg_fail_memory(rq->err, EG_MAX_CLAIMS * sizeof *claims);
    if (s == EG_OK) s = read_statements(arena, content, kept, details, &out->statement_count, rq->err);
    if (s == EG_OK) s = put_statements(arena, details, out, rq->err);
    if (s == EG_OK) s = eg_text_terms(arena, content, scope, terms, EG_MAX_FACT_TERMS, &out->term_count, rq->err);
    for (size_t i = 0; s == EG_OK && i < out->term_count; i++)
        if (terms[i].count > MAX_REPEATS) terms[i].count = MAX_REPEATS;
    if (s == EG_OK) s = read_claims(arena, content, scope, out, claims, rq->err);
    if (s == EG_OK) {
        out->claims = trimmed(arena, claims, out->claim_count, sizeof *claims);
        out->terms = trimmed(arena, terms, out->term_count, sizeof *terms);
        if (!out->claims || !out->terms) s = eg_fail_memory(rq->err, sizeof *claims);
    }
    eg_arena_release(&scratch);
    return s;
}

static int move_text(eg_arena *to, eg_str *text) {
    if (!text->len) return 1;
    text->ptr = eg_arena_copy(to, *text);
    return text->ptr != NULL;
}

static int move_claim(eg_arena *to, eg_claim *c) {
    return move_text(to, &c->subject) && move_text(to, &c->attribute) && move_text(to, &c->qualifiers) &&
           move_text(to, &c->text) && move_text(to, &c->dimension);
}

eg_status eg_derived_move(eg_arena *to, eg_derived *d, eg_error *err) {
    d->statements = trimmed(to, d->statements, d->statement_count, sizeof *d->statements);
    d->details = trimmed(to, d->details, d->statement_count, sizeof *d->details);
    d->claims = trimmed(to, d->claims, d->claim_count, sizeof *d->claims);
    d->terms = trimmed(to, d->terms, d->term_count, sizeof *d->terms);
    int moved = d->statements && d->details && d->claims && d->terms;
    for (size_t i = 0; moved && i < d->statement_count; i++) moved = move_text(to, &d->details[i].alone);
    for (size_t i = 0; moved && i < d->claim_count; i++) moved = move_claim(to, &d->claims[i]);
    for (size_t i = 0; moved && i < d->term_count; i++) moved = move_text(to, &d->terms[i].text);
    return moved ? EG_OK : eg_fail_memory(err, d->term_count * sizeof *d->terms);
}

eg_status eg_derive_vectors(eg_memory *m, eg_request *rq, eg_str content, eg_derived *d) {
    d->vector_count = 0;
    if (!m->env.embed_model) return EG_OK;
    eg_str model;
    uint32_t dimensions;
    eg_status s = m->env.embed_model(m->env.host, &model, &dimensions, rq->err);
    /* Without a model the fact is stored all the same. */
    if (s != EG_OK) return s == EG_EUNAVAILABLE ? EG_OK : s;

    eg_str texts[MAX_VECTORS] = {content};
    uint32_t of[MAX_VECTORS] = {UINT32_MAX};
    size_t n = 1;
    int stands_alone = d->statement_count == 1 && !d->details[0].alone.len;
    for (int given = 1; given >= 0 && !stands_alone; given--)
        for (size_t i = 0; i < d->statement_count && n < MAX_VECTORS; i++) {
            if (((d->details[i].flags & EG_STATEMENT_GIVEN) != 0) != given) continue;
            of[n] = (uint32_t)i;
            texts[n++] = eg_statement_text(content, &d->details[i]);
        }
    float *values = eg_request_array(rq, n * dimensions, sizeof *values);
    if (!values) return EG_ENOMEM;
    s = SERVICES(m)->embed(m->env.host, rq, texts, n, values, dimensions);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < n; i++)
        d->vectors[i] =
            (eg_vector){.statement = of[i], .dimensions = dimensions, .model_id = model, .values = values + i * dimensions};
    d->vector_count = n;
    return EG_OK;
}

void eg_derived_attach(const eg_derived *d, eg_new_fact *row) {
    row->size = sizeof *row;
    row->statements = d->statements;
    row->details = d->details;
    row->statement_count = d->statement_count;
    row->claims = d->claims;
    row->claim_count = d->claim_count;
    row->terms = d->terms;
    row->term_count = d->term_count;
    row->vectors = d->vectors;
    row->vector_count = d->vector_count;
}
