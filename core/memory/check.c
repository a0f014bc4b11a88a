/* check.c - a dry run: which of these statements contradict each other (and, when asked, the
 * store). The same detectors as for commits, over candidates found in memory. Writes nothing. */
#include "core/memory/check.h"

#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/memory/arguments.h"
#include "core/memory/asking.h"
#include "core/memory/candidates.h"
#include "core/memory/escalate.h"
#include "core/memory/judge.h"
#include "core/memory/kept_vectors.h"
#include "core/memory/settled.h"
#include "core/text/names.h"

enum { NEAREST = 15, BY_CLAIMS = 10, EMBED_BATCH = 64 };
#define LEAST_SIMILARITY 0.30 /* cosine, or share of common terms without a model */

typedef struct item {
    eg_fact fact;
    eg_derived derived;    /* vectors are not kept here, but in check.vectors */
    uint32_t *term_hashes; /* sorted */
    /* An earlier item of its scope has the same text: this one is not examined. */
    int repeats;
    size_t row; /* of its vector */
} item;

typedef struct check {
    eg_case_source source; /* first: neighbours among the items */
    eg_memory *m;
    eg_request *rq;
    const eg_check_args *args;
    eg_arena arena; /* of the items */
    item *items;
    float *vectors; /* a row for each item that does not repeat another; NULL without a model */
    uint32_t dimensions;
    eg_names names;  /* of the items */
    size_t *changes; /* the items that are no context and repeat none, in order */
    size_t change_count;
    eg_thresholds thresholds; /* of all items */
    eg_settled settled;       /* of the store, where that is compared with */
    eg_checked *out;
    size_t capacity;
} check;

static uint32_t hash_term(eg_str s) { /* FNV-1a, 32 bit */
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < s.len; i++) h = (h ^ (uint8_t)s.ptr[i]) * 16777619u;
    return h;
}

static void sort_hashes(uint32_t *h, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint32_t one = h[i];
        size_t at = i;
        for (; at > 0 && one < h[at - 1]; at--) h[at] = h[at - 1];
        h[at] = one;
    }
}

static void tell(const check *c, size_t done) {
    if (c->rq->progress) c->rq->progress(c->rq->progress_self, done, c->args->item_count);
}

static int is_cancelled(const check *c) { return eg_cancel_is_set(&c->rq->cancel); }

/* A statement of a document was read with what it stands under: it is one, of that kind, and
 * stands alone so. */
static eg_status take_as_read(check *c, const eg_check_item *given, eg_derived *d) {
    if (!given->alone.len && given->kind == EG_STATEMENT_ASSERTION) return EG_OK;
    eg_statement *one = eg_arena_alloc(&c->arena, sizeof *one);
    eg_span *span = eg_arena_alloc(&c->arena, sizeof *span);
    if (!one || !span) return eg_fail_memory(c->rq->err, sizeof *one);
    *span = (eg_span){0, (uint32_t)given->content.len};
    *one = (eg_statement){.span = *span, .kind = given->kind, .alone = given->alone};
    d->details = one;
    d->statements = span;
    d->statement_count = 1;
    for (size_t i = 0; i < d->claim_count; i++) d->claims[i].statement = 0;
    return EG_OK;
}

static eg_str text_to_embed(const eg_check_item *given) { return given->alone.len ? given->alone : given->content; }

static eg_status prepare_item(check *c, size_t i) {
    const eg_check_item *given = &c->args->items[i];
    item *it = &c->items[i];
    eg_status s = eg_check_text(c->rq, "a statement", given->content, EG_MAX_CONTENT, 1);
    if (s == EG_OK) s = eg_text_scope(&c->arena, given->scope, &it->fact.scope, c->rq->err);
    if (s != EG_OK) {
        if (!given->file.len) return s;
        char why[sizeof c->rq->err->text];
        snprintf(why, sizeof why, "%s", c->rq->err->text);
        return eg_request_fail(c->rq, s, "%.*s:%u: %s", (int)given->file.len, given->file.ptr, given->line, why);
    }
    it->fact.id = SERVICES(c->m)->new_id(c->m->env.host);
    it->fact.lineage_id = it->fact.id;
    it->fact.seq = (int64_t)i + 1;
    it->fact.content = given->content;
    it->fact.confidence = 0.8;
    it->fact.valid_until = EG_FOREVER;
    /* who said it is unknown here: the place stands for the author */
    it->fact.agent_id = given->file.len ? given->file : EG_STR("statement");
    s = eg_derive_text(c->rq, &c->arena, given->content, it->fact.scope, (eg_statement_list){0}, &it->derived);
    if (s == EG_OK) s = take_as_read(c, given, &it->derived);
    if (s != EG_OK) return s;
    it->term_hashes = eg_arena_array(&c->arena, it->derived.term_count, sizeof *it->term_hashes);
    if (!it->term_hashes) return eg_fail_memory(c->rq->err, it->derived.term_count * sizeof(uint32_t));
    for (size_t k = 0; k < it->derived.term_count; k++) it->term_hashes[k] = hash_term(it->derived.terms[k].text);
    sort_hashes(it->term_hashes, it->derived.term_count);
    return EG_OK;
}

static int says_the_same(const check *c, size_t i, size_t k) {
    const eg_fact *a = &c->items[i].fact, *b = &c->items[k].fact;
    return eg_str_eq(a->content, b->content) && eg_str_eq(a->scope, b->scope) &&
           eg_str_eq(c->args->items[i].alone, c->args->items[k].alone);
}

/* A page that exists twice would otherwise fill the candidates of others with copies and repeat
 * each finding. */
static eg_status mark_repeats(check *c) {
    size_t slots = 16, n = c->args->item_count;
    while (slots < 2 * n) slots *= 2;
    uint32_t *table = eg_arena_array(&c->arena, slots, sizeof *table); /* of index + 1 */
    if (!table) return eg_fail_memory(c->rq->err, slots * sizeof *table);
    memset(table, 0, slots * sizeof *table);
    eg_hash_key key = eg_hash_key_make();
    for (size_t i = 0; i < n; i++) {
        eg_str text = c->items[i].fact.content;
        size_t at = eg_hash(&key, text.ptr, text.len) & (slots - 1);
        while (table[at] && !says_the_same(c, table[at] - 1, i)) at = (at + 1) & (slots - 1);
        c->items[i].repeats = table[at] != 0;
        if (!table[at]) table[at] = (uint32_t)i + 1;
    }
    return EG_OK;
}

/* Embeds the batch of items in `which`. */
static eg_status embed_batch(check *c, const size_t *which, size_t n, float *made) {
    eg_str texts[EMBED_BATCH];
    for (size_t i = 0; i < n; i++) texts[i] = text_to_embed(&c->args->items[which[i]]);
    eg_status s = n ? SERVICES(c->m)->embed(c->m->env.host, c->rq, texts, n, made, c->dimensions) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++)
        memcpy(c->vectors + c->items[which[i]].row * c->dimensions, made + i * c->dimensions, c->dimensions * sizeof *made);
    return s;
}

/* Embeds the items whose vectors are not kept, and keeps all. keys: one a row. */
static eg_status embed_new(check *c, eg_kept_vectors *kept, eg_vector_key *keys, size_t *fresh) {
    size_t n = c->args->item_count, which[EMBED_BATCH], batch = 0, rows = 0;
    float *made = eg_arena_array(&c->arena, EMBED_BATCH * (size_t)c->dimensions, sizeof *made);
    if (!made) return eg_fail_memory(c->rq->err, EMBED_BATCH * c->dimensions * sizeof(float));
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        item *it = &c->items[i];
        if (!it->repeats) {
            eg_str text = text_to_embed(&c->args->items[i]);
            unsigned char digest[32];
            SERVICES(c->m)->sha256(c->m->env.host, text.ptr, text.len, digest);
            memcpy(keys[rows].bytes, digest, sizeof keys[rows].bytes);
            it->row = rows++;
            if (!eg_kept_vectors_find(kept, &keys[it->row], c->vectors + it->row * c->dimensions)) which[batch++] = i;
        }
        if (batch < EMBED_BATCH && i + 1 < n) continue;
        s = embed_batch(c, which, batch, made);
        *fresh += batch;
        batch = 0;
        tell(c, (i + 1) / 2);
    }
    return s;
}

static eg_status save_vectors(check *c, const eg_kept_vectors *kept, const char *path, eg_str model, const eg_vector_key *keys) {
    size_t rows = 0;
    const float **vectors = eg_arena_array(&c->arena, c->args->item_count, sizeof *vectors);
    if (!vectors) return eg_fail_memory(c->rq->err, c->args->item_count * sizeof *vectors);
    for (size_t i = 0; i < c->args->item_count; i++)
        if (!c->items[i].repeats) vectors[rows++] = c->vectors + c->items[i].row * c->dimensions;
    eg_kept_vectors_save(kept, &c->arena, path, model, keys, vectors, rows);
    return EG_OK;
}

static eg_status embed_items(check *c) {
    eg_str model;
    size_t n = c->args->item_count, fresh = 0;
    eg_status s =
        c->m->env.embed_model ? c->m->env.embed_model(c->m->env.host, &model, &c->dimensions, c->rq->err) : EG_EUNAVAILABLE;
    if (s == EG_EUNAVAILABLE) *c->rq->err = (eg_error){0}; /* candidates are found by words then */
    if (s != EG_OK) return s == EG_EUNAVAILABLE ? EG_OK : s;
    c->vectors = eg_arena_array(&c->arena, n * c->dimensions, sizeof *c->vectors);
    eg_vector_key *keys = eg_arena_array(&c->arena, n, sizeof *keys);
    if (!c->vectors || !keys) return eg_fail_memory(c->rq->err, n * c->dimensions * sizeof(float));
    int keeps = (c->args->flags & EG_CHECK_KEEP_VECTORS) && c->m->env.cache;
    const char *path = keeps ? eg_arena_printf(&c->arena, "%s/documents.vectors", c->m->env.cache) : NULL;
    if (keeps && !path) return eg_fail_memory(c->rq->err, 4096);
    eg_kept_vectors kept = {.dimensions = c->dimensions};
    if (path) s = eg_kept_vectors_open(&kept, &c->arena, path, model, c->dimensions, c->rq->err);
    if (s == EG_OK) s = embed_new(c, &kept, keys, &fresh);
    if (s == EG_OK && path && fresh) s = save_vectors(c, &kept, path, model, keys);
    eg_kept_vectors_close(&kept);
    return s;
}

/* Share of common terms of the smaller side. */
static double common_terms(const item *a, const item *b) {
    size_t i = 0, k = 0, common = 0, na = a->derived.term_count, nb = b->derived.term_count;
    while (i < na && k < nb) {
        uint32_t x = a->term_hashes[i], y = b->term_hashes[k];
        common += x == y;
        i += x <= y;
        k += y <= x;
    }
    size_t least = na < nb ? na : nb;
    return least ? (double)common / (double)least : 0;
}

static double similarity(const check *c, const item *a, const item *b) {
    if (!c->vectors) return common_terms(a, b);
    return SERVICES(c->m)->dot(c->m->env.host, c->vectors + a->row * c->dimensions, c->vectors + b->row * c->dimensions,
                               c->dimensions);
}

/* Both speak about the same subject and attribute. */
static int claims_meet(const eg_derived *a, const eg_derived *b) {
    for (size_t i = 0; i < a->claim_count; i++)
        for (size_t k = 0; k < b->claim_count; k++) {
            const eg_claim *x = &a->claims[i], *y = &b->claims[k];
            if (x->subject.len && eg_str_eq(x->attribute, y->attribute) && eg_str_eq(x->subject, y->subject)) return 1;
        }
    return 0;
}

typedef struct near_item {
    size_t index;
    double similarity;
} near_item;

/* The earlier items that item i may contradict: the nearest, and those with a claim about the
 * same thing. */
static size_t nearest(const check *c, size_t i, near_item *found) {
    size_t n = 0, by_claims = 0;
    for (size_t k = 0; k < i; k++) {
        if (c->items[k].repeats) continue;
        double sim = similarity(c, &c->items[i], &c->items[k]);
        if (sim < LEAST_SIMILARITY || (n == NEAREST && sim <= found[n - 1].similarity)) continue;
        size_t at = n < NEAREST ? n++ : NEAREST - 1;
        for (; at > 0 && sim > found[at - 1].similarity; at--) found[at] = found[at - 1];
        found[at] = (near_item){k, sim};
    }
    size_t near_count = n;
    for (size_t k = i; k-- > 0 && by_claims < BY_CLAIMS;) {
        int there = 0;
        for (size_t f = 0; f < near_count && !there; f++) there = found[f].index == k;
        if (there || c->items[k].repeats || !claims_meet(&c->items[i].derived, &c->items[k].derived)) continue;
        found[n++] = (near_item){k, similarity(c, &c->items[i], &c->items[k])};
        by_claims++;
    }
    return n;
}

static eg_case_fact *case_fact(const check *c, eg_request *rq, const item *it) {
    eg_case_fact *f = eg_request_array(rq, 1, sizeof *f);
    const float **vectors = c->vectors ? eg_request_array(rq, it->derived.statement_count + 1, sizeof *vectors) : NULL;
    /* the vector is of the item as it was given: a statement that stands alone, or its content */
    if (vectors) vectors[c->args->items[it - c->items].alone.len > 0] = c->vectors + it->row * c->dimensions;
    if (f)
        *f = (eg_case_fact){.fact = &it->fact,
                            .vectors = vectors,
                            .statements = it->derived.statements,
                            .details = it->derived.details,
                            .statement_count = it->derived.statement_count,
                            .claims = it->derived.claims,
                            .claim_count = it->derived.claim_count};
    return f;
}

/* By how much an item other than these two is nearer to a text than `between`. */
static double margin_of(const check *c, const float *text, const item *const two[2], double between) {
    double nearest = between;
    for (size_t k = 0; k < c->args->item_count; k++) {
        const item *it = &c->items[k];
        if (it->repeats || it == two[0] || it == two[1]) continue;
        double sim = (double)SERVICES(c->m)->dot(c->m->env.host, text, c->vectors + it->row * c->dimensions, c->dimensions);
        if (sim > nearest && sim < EG_COPY_COSINE) nearest = sim;
    }
    return nearest - between;
}

static eg_status item_margins(eg_case_source *source, eg_request *rq, const eg_case *of, const eg_margin_question *questions,
                              const eg_str *texts, size_t n, eg_margin *out) {
    const check *c = (const check *)source;
    const item **two = eg_request_array(rq, 2 * n, sizeof *two);
    const float **v = eg_request_array(rq, 2 * n, sizeof *v);
    /* Single statements, whose vectors are not at hand. */
    eg_str *parts = eg_request_array(rq, 2 * n, sizeof *parts);
    size_t count = 0;
    if (!c->vectors) return eg_request_fail(rq, EG_EUNAVAILABLE, "there is no embedding model");
    if (!two || !v || !parts) return EG_ENOMEM;
    for (size_t i = 0; i < 2 * n; i++) {
        const eg_fact *f = i % 2 ? of->candidates[questions[i / 2].candidate]->fact : of->subject->fact;
        two[i] = &c->items[f->seq - 1];
        if (texts[i].len == f->content.len) v[i] = c->vectors + two[i]->row * c->dimensions;
        else parts[count++] = texts[i];
    }
    float *own = eg_request_array(rq, count * c->dimensions, sizeof *own);
    if (!own) return EG_ENOMEM;
    eg_status s = count ? SERVICES(c->m)->embed(c->m->env.host, rq, parts, count, own, c->dimensions) : EG_OK;
    for (size_t i = 0; s == EG_OK && i < 2 * n; i++)
        if (!v[i]) {
            v[i] = own;
            own += c->dimensions;
        }
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        double between = (double)SERVICES(c->m)->dot(c->m->env.host, v[2 * i], v[2 * i + 1], c->dimensions);
        out[i] = (eg_margin){margin_of(c, v[2 * i], &two[2 * i], between), margin_of(c, v[2 * i + 1], &two[2 * i], between)};
    }
    return s;
}

static int is_context(const check *c, size_t i) { return (c->args->items[i].flags & EG_CHECK_CONTEXT) != 0; }

/* Those of the n items that item i is to be compared with. Left out after they were chosen, so that
 * the others are the same as where all are compared. */
static size_t without_context(const check *c, size_t i, near_item *found, size_t n) {
    size_t kept = 0;
    for (size_t k = 0; k < n; k++)
        if (!is_context(c, i) || !is_context(c, found[k].index)) found[kept++] = found[k];
    return kept;
}

/* Where only changes are examined, most items are not compared with anything: an earlier one that
 * is examined must be near. */
static int may_meet_a_change(const check *c, size_t i) {
    for (size_t k = 0; k < c->change_count && c->changes[k] < i; k++) {
        const item *a = &c->items[i], *b = &c->items[c->changes[k]];
        if (similarity(c, a, b) >= LEAST_SIMILARITY || claims_meet(&a->derived, &b->derived)) return 1;
    }
    return 0;
}

static eg_status note_changes(check *c) {
    size_t n = c->args->item_count;
    c->changes = eg_arena_array(&c->arena, n, sizeof *c->changes);
    if (!c->changes) return eg_fail_memory(c->rq->err, n * sizeof *c->changes);
    for (size_t i = 0; i < n; i++)
        if (!is_context(c, i) && !c->items[i].repeats) c->changes[c->change_count++] = i;
    return EG_OK;
}

static eg_status build_case(check *c, eg_request *rq, size_t i, eg_case *out, near_item *found) {
    size_t n = without_context(c, i, found, nearest(c, i, found));
    eg_case_fact *subject = case_fact(c, rq, &c->items[i]);
    const eg_case_fact **candidates = eg_request_array(rq, n, sizeof *candidates);
    if (!subject || !candidates) return EG_ENOMEM;
    for (size_t k = 0; k < n; k++) {
        const item *other = &c->items[found[k].index];
        eg_case_fact *f = case_fact(c, rq, other);
        if (!f) return EG_ENOMEM;
        int tree = eg_text_scope_within(other->fact.scope, subject->fact->scope) ||
                   eg_text_scope_within(subject->fact->scope, other->fact.scope);
        f->cosine = c->vectors ? found[k].similarity : 0;
        f->found_by = (c->vectors ? EG_FOUND_VECTOR : EG_FOUND_TEXT) | (tree ? 0u : (uint32_t)EG_FOUND_CROSS_SCOPE) |
                      (uint32_t)EG_FOUND_IN_DOCUMENT;
        candidates[k] = f;
    }
    *out = (eg_case){.size = sizeof *out, .candidate_count = (uint32_t)n, .subject = subject, .candidates = candidates};
    return EG_OK;
}

/* 1: people dismissed this contradiction in the store, or called both valid, in nearly the same
 * words. */
static eg_status was_settled(check *c, size_t i, uint32_t other, const eg_fact *stored, int *settled) {
    *settled = 0;
    if (!c->args->against_store) return EG_OK;
    eg_str text = stored ? stored->content : c->args->items[other].content;
    eg_status s = eg_settled_load(c->m, c->rq, &c->settled);
    return s == EG_OK ? eg_settled_has(c->m, c->rq, &c->settled, c->args->items[i].content, text, settled) : s;
}

/* Keeps a verdict beyond the request of its case. */
static eg_status report(check *c, size_t i, uint32_t other, const eg_fact *stored, const eg_verdict *v) {
    eg_checked *out = c->out;
    int settled;
    eg_status s = was_settled(c, i, other, stored, &settled);
    if (s != EG_OK || settled) return s;
    if (out->count == c->capacity) {
        size_t more = c->capacity ? 2 * c->capacity : 32;
        eg_check_finding *p = eg_request_array(c->rq, more, sizeof *p);
        if (!p) return EG_ENOMEM;
        if (out->count) memcpy(p, out->findings, out->count * sizeof *p);
        out->findings = p;
        c->capacity = more;
    }
    eg_check_finding *f = &out->findings[out->count];
    *f = (eg_check_finding){.item = (uint32_t)i,
                            .other = other,
                            .severity = v->severity,
                            .score = v->score,
                            .tier = eg_request_copy(c->rq, v->tier),
                            .explanation = eg_request_copy(c->rq, v->explanation),
                            .span_item = v->span_subject,
                            .span_other = v->span_candidate};
    if (stored) {
        f->fact = *stored;
        f->fact.content = eg_request_copy(c->rq, stored->content);
        f->fact.scope = eg_request_copy(c->rq, stored->scope);
        f->fact.agent_id = eg_request_copy(c->rq, stored->agent_id);
        f->fact.engineer = eg_request_copy(c->rq, stored->engineer);
        f->fact.provenance = eg_request_copy(c->rq, stored->provenance);
        f->fact.artifact_hash = f->fact.closed_by = (eg_str){0};
    }
    if (!f->tier.ptr || !f->explanation.ptr) return EG_ENOMEM;
    out->count++;
    return EG_OK;
}

/* The escalator's answer in place of what the detectors were not sure of. The two statements alone
 * leave the process, and only where it was asked for. */
static eg_status judge_one(check *c, eg_request *rq, const eg_case *one, size_t k, eg_verdict *v) {
    const eg_case_fact *const facts[2] = {one->candidates[k], one->subject};
    eg_side sides[2];
    for (size_t i = 0; i < 2; i++)
        sides[i] = (eg_side){.content = facts[i]->fact->content,
                             .statements = facts[i]->statements,
                             .details = facts[i]->details,
                             .statement_count = facts[i]->statement_count,
                             .said = i ? v->span_subject : v->span_candidate};
    eg_pair_case pair;
    eg_pair_verdict answer;
    const eg_escalator *by;
    eg_status s = eg_escalate_case(rq, sides, (const eg_fact *[2]){facts[0]->fact, facts[1]->fact}, &pair);
    if (s == EG_OK) s = eg_escalate_ask(c->m, rq, &pair, &answer, &by);
    if (s == EG_ECANCELLED || s == EG_ENOMEM) return s;
    v->outcome = EG_OUTCOME_UNRELATED;
    if (s != EG_OK) {
        c->out->unjudged++;
        return EG_OK;
    }
    c->out->judged++;
    if (answer.outcome != EG_OUTCOME_CONTRADICTION && answer.outcome != EG_OUTCOME_UPDATE) return EG_OK;
    v->outcome = EG_OUTCOME_CONTRADICTION;
    v->severity = answer.severity;
    v->score = answer.score;
    v->tier = EG_STR("tier3_llm");
    v->explanation = eg_request_printf(rq, "%s: %.*s", by->name, (int)answer.explanation.len, answer.explanation.ptr);
    return v->explanation.ptr ? EG_OK : EG_ENOMEM;
}

/* Has the pairs of a case that are suspected judged, those with the highest scores. */
static eg_status judge_suspected(check *c, eg_request *rq, const eg_case *one, eg_verdict *v) {
    eg_status s = EG_OK;
    for (int asked = 0; s == EG_OK && asked < EG_MAX_ASKED; asked++) {
        size_t best = one->candidate_count;
        for (size_t k = 0; k < one->candidate_count; k++)
            if (v[k].outcome == EG_OUTCOME_SUSPECTED && (best == one->candidate_count || v[k].score > v[best].score)) best = k;
        if (best == one->candidate_count) return EG_OK;
        s = judge_one(c, rq, one, best, &v[best]);
    }
    return s;
}

/* A model sees a contradiction wherever one of two statements of the same shape names something
 * else. */
static void drop_rivals(const check *c, size_t i, const near_item *found, const eg_case *one, eg_verdict *v) {
    for (size_t k = 0; k < one->candidate_count; k++) {
        size_t other = found[k].index;
        if (!eg_str_eq(v[k].tier, EG_STR("tier1_nli"))) continue;
        if (eg_names_same_words(&c->names, i, other) || eg_names_of_two_things(&c->names, i, other))
            v[k].outcome = EG_OUTCOME_UNRELATED;
    }
}

static int judges(const check *c) { return (c->args->flags & EG_CHECK_JUDGE) != 0; }

static eg_status check_item(check *c, eg_request *rq, size_t i) {
    near_item found[NEAREST + BY_CLAIMS];
    eg_case one;
    eg_verdict *v;
    eg_status s = build_case(c, rq, i, &one, found);
    if (s == EG_OK) s = eg_judge(c->m, rq, &one, &c->thresholds, &c->source, &v);
    c->out->pairs += s == EG_OK ? one.candidate_count : 0;
    if (s == EG_OK) drop_rivals(c, i, found, &one, v);
    if (s == EG_OK && judges(c)) s = judge_suspected(c, rq, &one, v);
    for (size_t k = 0; s == EG_OK && k < one.candidate_count; k++)
        if (v[k].outcome == EG_OUTCOME_CONTRADICTION) s = report(c, i, (uint32_t)found[k].index, NULL, &v[k]);
    if (s != EG_OK || !c->args->against_store || is_context(c, i)) return s;

    item *it = &c->items[i];
    s = eg_derive_vectors(c->m, rq, it->fact.content, &it->derived);
    if (s == EG_OK) s = eg_gather(c->m, rq, &it->fact, &it->derived, &one);
    eg_case_source in_store = eg_store_neighbours(c->m);
    if (s == EG_OK) s = eg_judge(c->m, rq, &one, &c->thresholds, &in_store, &v);
    if (c->source.problem.code == EG_OK) c->source.problem = in_store.problem;
    it->derived.vector_count = 0; /* they lie in this item's request */
    c->out->pairs += s == EG_OK ? one.candidate_count : 0;
    if (s == EG_OK && judges(c)) s = judge_suspected(c, rq, &one, v);
    for (size_t k = 0; s == EG_OK && k < one.candidate_count; k++)
        if (v[k].outcome == EG_OUTCOME_CONTRADICTION) s = report(c, i, UINT32_MAX, one.candidates[k]->fact, &v[k]);
    return s;
}

/* In a request of its own, so that memory stays bounded. */
static eg_status check_alone(check *c, size_t i) {
    eg_request *rq = NULL;
    eg_status s = eg_request_in(c->m, c->rq->workspace, c->rq->who, &c->rq->cancel, &rq, c->rq->err);
    if (s != EG_OK) return s;
    s = check_item(c, rq, i);
    if (s != EG_OK && c->rq->err->code == EG_OK) *c->rq->err = *rq->err;
    SERVICES(c->m)->request_release(c->m->env.host, rq);
    return s;
}

static eg_status run(check *c) {
    size_t n = c->args->item_count;
    eg_status s = EG_OK;
    c->items = eg_arena_array(&c->arena, n, sizeof *c->items);
    if (!c->items) return eg_fail_memory(c->rq->err, n * sizeof *c->items);
    s = eg_names_begin(&c->names, &c->arena, n, c->rq->err);
    for (size_t i = 0; i < n && s == EG_OK; i++) {
        s = prepare_item(c, i);
        if (s == EG_OK) s = eg_names_add(&c->names, c->args->items[i].content, c->rq->err);
    }
    if (s == EG_OK) s = eg_names_finish(&c->names, c->rq->err);
    if (s == EG_OK) s = mark_repeats(c);
    if (s == EG_OK) s = embed_items(c);
    if (s == EG_OK) s = note_changes(c);
    for (size_t i = 0; i < n && s == EG_OK; i++) {
        if (is_cancelled(c))
            return eg_request_fail(c->rq, EG_ECANCELLED, "the check was stopped after %zu of %zu statements", i, n);
        if (!c->items[i].repeats && (!is_context(c, i) || may_meet_a_change(c, i))) s = check_alone(c, i);
        tell(c, c->vectors ? (n + i + 1) / 2 : i + 1);
    }
    return s;
}

eg_status eg_memory_check(eg_memory *m, eg_request *rq, const eg_check_args *args, eg_checked *out) {
    *out = (eg_checked){.statements = args->item_count};
    if (args->item_count > EG_MAX_CHECK_STATEMENTS)
        return eg_request_fail(rq, EG_ELIMIT, "%zu statements; at most %d are checked at once: name fewer files",
                               args->item_count, EG_MAX_CHECK_STATEMENTS);
    if (!m->env.detector_count)
        return eg_request_fail(
            rq, EG_EUNAVAILABLE,
            "no loaded plugin is a detector: add rules and nli to the setting plugins (`engram plugins list`)");
    if (args->against_store && !m->env.storage_ops)
        return eg_request_fail(rq, EG_EINVAL, "there is no open store to compare with");
    if ((args->flags & EG_CHECK_JUDGE) && !m->env.escalator_count)
        return eg_request_fail(rq, EG_EINVAL,
                               "no escalator is configured that could judge suspected pairs: add the plugin llm to the setting "
                               "plugins and set llm.protocol (see docs/configuration.md), or check without judging");
    check c = {.source = {.margins = item_margins, .m = m}, .m = m, .rq = rq, .args = args, .out = out};
    eg_arena_init(&c.arena, 0);
    eg_status s = run(&c);
    eg_arena_release(&c.arena);
    if (s == EG_OK && c.source.problem.code != EG_OK) {
        out->problem = eg_request_copy(rq, eg_str_of(c.source.problem.text));
        if (!out->problem.ptr) return EG_ENOMEM;
    }
    /* Asked afterwards: whether a model opens is known when it was needed. */
    eg_memory_status models = {0};
    if (m->env.describe_models) m->env.describe_models(m->env.host, &models);
    out->without_nli = models.nli_problem.len > 0;
    return s;
}
