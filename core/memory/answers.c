/* answers.c - see answers.h. The audit rows tell who said what of which conflict; the conflict as
 * it is now tells which of that still stands. Conflicts that ended because a fact of theirs was
 * closed are no answers: nobody judged them. */
#include "core/memory/answers.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/memory/conflicts.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"
#include "core/memory/sides.h"

enum { ROWS = 1000 /* audit rows of one read */, BATCH = 64 /* conflicts of one read */ };

typedef enum said_kind { SAID_SETTLED, SAID_OPENED, SAID_FEEDBACK, SAID_ELSEWHERE /* imported */ } said_kind;

/* What one audit row says about a conflict. */
typedef struct said {
    eg_id conflict;
    int64_t row, time;
    said_kind kind;
    uint32_t type;    /* SAID_SETTLED: eg_resolution */
    uint32_t verdict; /* eg_answer_verdict */
    uint32_t was_suspected;
    eg_str by, asked; /* in the arena */
} said;

typedef struct reading {
    eg_memory *m;
    eg_request *rq;
    eg_status (*each)(void *self, const eg_answer *answer);
    void *self;
    eg_arena arena;
    said *list; /* by conflict, then in order of time */
    size_t count, capacity;
} reading;

/* The payload of a settlement, a judged review or feedback; 0 when it is none. */
static int read_payload(const eg_audit_row *row, eg_arena *scratch, said *out) {
    static const char *const types[] = EG_RESOLUTION_WORDS, *const verdicts[] = EG_ANSWER_VERDICT_WORDS;
    eg_json j;
    eg_error none = {0};
    eg_str key = {0}, verdict = {0};
    int has_type = 0, has_conflict = 0;
    eg_json_init(&j, "audit payload", row->payload, scratch, &none);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return 0;
        if (k == EG_JSON_KEY) key = j.text;
        if (eg_str_eq(key, EG_STR("true_positive")) && (k == EG_JSON_TRUE || k == EG_JSON_FALSE)) {
            out->kind = SAID_FEEDBACK;
            out->verdict = k == EG_JSON_TRUE ? EG_ANSWER_CONTRADICTION : EG_ANSWER_NOT_CONTRADICTION;
            has_type = 1;
        }
        if (k != EG_JSON_STRING) continue;
        if (eg_str_eq(key, EG_STR("conflict"))) has_conflict = eg_id_parse(j.text, &out->conflict);
        if (eg_str_eq(key, EG_STR("was"))) out->was_suspected = (uint32_t)eg_str_eq(j.text, EG_STR("suspected"));
        if (eg_str_eq(key, EG_STR("verdict"))) verdict = j.text;
        if (eg_str_eq(key, EG_STR("asked"))) out->asked = j.text;
        if (!eg_str_eq(key, EG_STR("type"))) continue;
        if (eg_str_eq(j.text, EG_STR("contradiction"))) out->kind = SAID_OPENED, has_type = 1;
        for (uint32_t i = 0; i < 4; i++)
            if (eg_str_eq(j.text, eg_str_of(types[i]))) out->kind = SAID_SETTLED, out->type = i, has_type = 1;
    }
    static const uint32_t of_type[] = {[EG_RESOLUTION_WINNER] = EG_ANSWER_CONTRADICTION,
                                       [EG_RESOLUTION_MERGE] = EG_ANSWER_CONTRADICTION,
                                       [EG_RESOLUTION_DISMISS] = EG_ANSWER_NOT_CONTRADICTION,
                                       [EG_RESOLUTION_BOTH_VALID] = EG_ANSWER_BOTH_VALID};
    if (out->kind == SAID_SETTLED) {
        out->verdict = out->was_suspected && out->type == EG_RESOLUTION_WINNER ? EG_ANSWER_UPDATE : of_type[out->type];
        for (uint32_t i = EG_ANSWER_SAME; i <= EG_ANSWER_UNRELATED; i++)
            if (eg_str_eq(verdict, eg_str_of(verdicts[i]))) out->verdict = i;
    }
    return has_type && has_conflict;
}

/* The payload of an answer that came with an import (import_plan.c). */
static int read_imported(const eg_audit_row *row, eg_arena *scratch, said *out) {
    static const char *const verdicts[] = EG_ANSWER_VERDICT_WORDS;
    eg_json j;
    eg_error none = {0};
    eg_str key = {0};
    int has_verdict = 0, has_conflict = 0;
    out->kind = SAID_ELSEWHERE;
    eg_json_init(&j, "audit payload", row->payload, scratch, &none);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return 0;
        if (k == EG_JSON_KEY) key = j.text;
        if (k == EG_JSON_NUMBER && eg_str_eq(key, EG_STR("at"))) out->time = j.integer;
        if (k != EG_JSON_STRING) continue;
        if (eg_str_eq(key, EG_STR("conflict"))) has_conflict = eg_id_parse(j.text, &out->conflict);
        if (eg_str_eq(key, EG_STR("was"))) out->was_suspected = 1;
        if (eg_str_eq(key, EG_STR("asked"))) out->asked = j.text;
        if (eg_str_eq(key, EG_STR("by"))) out->by = j.text;
        for (uint32_t i = 0; eg_str_eq(key, EG_STR("verdict")) && i <= EG_ANSWER_NOT_CONTRADICTION; i++)
            if (eg_str_eq(j.text, eg_str_of(verdicts[i]))) out->verdict = i, has_verdict = 1;
    }
    return has_verdict && has_conflict;
}

static eg_status keep(reading *t, const said *one) {
    if (t->count == t->capacity) {
        size_t more = t->capacity ? 2 * t->capacity : 256;
        said *list = eg_arena_array(&t->arena, more, sizeof *list);
        if (!list) return eg_fail_memory(t->rq->err, more * sizeof *list);
        if (t->count) memcpy(list, t->list, t->count * sizeof *list);
        t->list = list;
        t->capacity = more;
    }
    t->list[t->count++] = *one;
    return EG_OK;
}

static eg_status keep_row(reading *t, const eg_audit_row *row, eg_arena *scratch) {
    static const char *const actions[] = {"judge", "resolve", "feedback", "undo" /* of an undo */};
    said one = {.row = row->id, .time = row->time, .by = row->actor};
    int tells = 0, imported = eg_str_eq(row->action, EG_STR("answer_imported"));
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) tells |= eg_str_eq(row->action, eg_str_of(actions[i]));
    if (!(tells || imported) || !row->payload.len) return EG_OK;
    if (imported ? !read_imported(row, scratch, &one) : !read_payload(row, scratch, &one)) return EG_OK;
    const char *by = eg_arena_copy(&t->arena, one.by), *asked = eg_arena_copy(&t->arena, one.asked);
    if (!by || !asked) return eg_fail_memory(t->rq->err, one.by.len + one.asked.len);
    one.by.ptr = by;
    one.asked.ptr = asked;
    return keep(t, &one);
}

/* The next rows of the audit chain, in a request of their own; *after moves to the last one. */
static eg_status read_some(reading *t, int64_t *after, size_t *n) {
    eg_request *rq = NULL;
    eg_audit_row *rows = NULL;
    eg_arena scratch;
    eg_status s = eg_request_in(t->m, t->rq->workspace, t->rq->who, &t->rq->cancel, &rq, t->rq->err);
    if (s != EG_OK) return s;
    eg_arena_init(&scratch, 0);
    s = STORE(t->m, audit, rq, *after, ROWS, &rows, n);
    if (s != EG_OK) *t->rq->err = *rq->err;
    for (size_t i = 0; s == EG_OK && i < *n; i++) s = keep_row(t, &rows[i], &scratch);
    if (s == EG_OK && *n) *after = rows[*n - 1].id;
    eg_arena_release(&scratch);
    SERVICES(t->m)->request_release(t->m->env.host, rq);
    return s;
}

static int by_conflict(const void *x, const void *y) {
    const said *a = x, *b = y;
    int order = memcmp(a->conflict.bytes, b->conflict.bytes, sizeof a->conflict.bytes);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

/* All that was said about one conflict. */
typedef struct group {
    const said *first;
    size_t count;
    int64_t last; /* row */
} group;

static int by_last(const void *x, const void *y) {
    const group *a = x, *b = y;
    return a->last < b->last ? -1 : a->last > b->last;
}

static group *make_groups(reading *t, size_t *n) {
    group *groups = eg_arena_array(&t->arena, t->count, sizeof *groups);
    *n = 0;
    if (!groups || !t->count) return groups;
    qsort(t->list, t->count, sizeof *t->list, by_conflict);
    for (size_t i = 0; i < t->count; i++) {
        int begins = i == 0 || !eg_id_eq(t->list[i].conflict, t->list[i - 1].conflict);
        if (begins) groups[(*n)++] = (group){.first = &t->list[i]};
        groups[*n - 1].count++;
        groups[*n - 1].last = t->list[i].row;
    }
    qsort(groups, *n, sizeof *groups, by_last);
    return groups;
}

static int stands(const said *one, const eg_conflict *c) {
    if (one->kind == SAID_FEEDBACK) return 1;
    if (one->kind == SAID_OPENED || one->kind == SAID_ELSEWHERE) return c->status != EG_CONFLICT_SUSPECTED;
    return eg_is_settled(c->status) && c->resolved_at == one->time && c->resolution_type == one->type;
}

/* The last of what was said that stands; NULL: all was taken back. */
static const said *last_standing(const group *g, const eg_conflict *c) {
    for (size_t i = g->count; i-- > 0;)
        if (stands(&g->first[i], c)) return &g->first[i];
    return NULL;
}

static eg_status tell(reading *t, const group *g, const eg_conflict *c, const eg_fact_parts parts[2], int64_t now) {
    const said *one = last_standing(g, c);
    if (!one || !parts[0].fact.seq || !parts[1].fact.seq) return EG_OK;
    eg_answer a = {.view = {.conflict = *c, .a = parts[0].fact, .b = parts[1].fact},
                   .judged_at = one->time,
                   .judged_by = one->by,
                   .asked = one->asked,
                   .verdict = one->verdict,
                   .was_suspected = one->was_suspected};
    eg_conflict *own = &a.view.conflict;
    if (own->status == EG_CONFLICT_OPEN && (own->until_a <= now || own->until_b <= now)) own->status = EG_CONFLICT_EXPIRED;
    eg_side sides[2];
    eg_str text[2];
    eg_sides_of(c, &parts[0], &parts[1], sides);
    eg_sides_statements(sides, text);
    a.statement_a = text[0];
    a.statement_b = text[1];
    return t->each(t->self, &a);
}

static const eg_conflict *find(const eg_conflict *rows, size_t n, eg_id id) {
    for (size_t i = 0; i < n; i++)
        if (eg_id_eq(rows[i].id, id)) return &rows[i];
    return NULL;
}

static eg_status tell_batch(reading *t, eg_request *rq, const group *groups, size_t n) {
    eg_id ids[BATCH], facts[2 * BATCH];
    eg_conflict *rows = NULL;
    size_t found = 0;
    int64_t now = 0;
    for (size_t i = 0; i < n; i++) ids[i] = groups[i].first->conflict;
    const eg_conflict_filter filter = {.size = sizeof filter, .limit = BATCH, .ids = ids, .id_count = n};
    eg_status s = STORE(t->m, conflicts, rq, &filter, &rows, &found);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_conflict *c = find(rows, found, ids[i]);
        facts[2 * i] = c ? c->fact_a : (eg_id){{0}};
        facts[2 * i + 1] = c ? c->fact_b : (eg_id){{0}};
    }
    eg_fact_parts *parts = NULL;
    const eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_STATEMENTS, .ids = facts, .count = 2 * n};
    if (s == EG_OK) s = STORE(t->m, parts, rq, &args, &parts, &now);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        const eg_conflict *c = find(rows, found, ids[i]);
        if (c) s = tell(t, &groups[i], c, &parts[2 * i], now);
    }
    return s;
}

static eg_status tell_all(reading *t, const group *groups, size_t n) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i += BATCH) {
        eg_request *rq = NULL;
        s = eg_request_in(t->m, t->rq->workspace, t->rq->who, &t->rq->cancel, &rq, t->rq->err);
        if (s != EG_OK) return s;
        s = tell_batch(t, rq, groups + i, n - i < BATCH ? n - i : BATCH);
        if (s != EG_OK && t->rq->err->code == EG_OK) *t->rq->err = *rq->err;
        SERVICES(t->m)->request_release(t->m->env.host, rq);
    }
    return s;
}

eg_status eg_memory_answers(eg_memory *m, eg_request *rq, eg_status (*each)(void *self, const eg_answer *answer), void *self) {
    reading t = {.m = m, .rq = rq, .each = each, .self = self};
    int64_t after = 0;
    size_t n = ROWS;
    eg_status s = EG_OK;
    eg_arena_init(&t.arena, 0);
    while (s == EG_OK && n == ROWS) {
        if (eg_cancel_is_set(&rq->cancel)) s = eg_request_fail(rq, EG_ECANCELLED, "the reading of answers was stopped");
        else s = read_some(&t, &after, &n);
    }
    if (s == EG_OK) {
        group *groups = make_groups(&t, &n);
        s = groups ? tell_all(&t, groups, n) : eg_fail_memory(rq->err, t.count * sizeof *groups);
    }
    eg_arena_release(&t.arena);
    return s;
}
