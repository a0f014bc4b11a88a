/* resolve.c - the four ways to settle a conflict. Each way is one change set; what it did is
 * written into the audit row, from which undo.c takes it back. */
#include "core/memory/resolve.h"

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/derive.h"
#include "core/memory/gates.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"

/* A settlement on its way. */
typedef struct settlement {
    eg_memory *m;
    eg_request *rq;
    const eg_resolve_args *args;
    const eg_settling *how;
    eg_conflict conflict;
    eg_fact a, b;
    int64_t now;    /* the store's */
    eg_id winner;   /* of a settlement by winner */
    eg_str content; /* of the merged fact */
    eg_draft d;
    eg_buffer audit; /* the payload that undo reads */
    eg_id closed[2];
    size_t closed_count;
} settlement;

static eg_str who(const settlement *t) { return t->args->agent_id.len ? t->args->agent_id : t->rq->who->agent; }

static double merged_confidence(const settlement *t) {
    return t->a.confidence > t->b.confidence ? t->a.confidence : t->b.confidence;
}

/* What is written about a settlement is kept as facts are: the same gates look at it. */
static eg_status pass_gates(settlement *t, const char *field, eg_str text) {
    const eg_commit_args as_commit = {.size = sizeof(eg_commit_args),
                                      .content = text.ptr ? text : EG_STR(""),
                                      .scope = t->a.scope,
                                      .confidence = merged_confidence(t),
                                      .agent_id = who(t),
                                      .fact_type = EG_FACT_DECISION,
                                      .operation = EG_OP_ADD,
                                      .wait_ms = -1};
    eg_status s = eg_pass_gates(t->m, t->rq, &as_commit);
    if (s == EG_OK) return s;
    char why[sizeof t->rq->err->text];
    snprintf(why, sizeof why, "%s", t->rq->err->text);
    return eg_request_fail(t->rq, s, "%s: %s", field, why);
}

static void close_one(settlement *t, const eg_fact *f, eg_close_reason reason) {
    if (f->valid_until <= t->now) return; /* its time had run out already */
    t->closed[t->closed_count++] = f->id;
    eg_draft_close(&t->d, f, reason, "the other fact of a conflict won", &t->conflict.id);
}

static eg_status settle_winner(settlement *t) {
    int a_wins = eg_id_eq(t->winner, t->a.id);
    const eg_fact *winner = a_wins ? &t->a : &t->b, *loser = a_wins ? &t->b : &t->a;
    if (loser->valid_until > t->now) { /* what is current is closed for another that is */
        if (winner->valid_until <= t->now) {
            char id[EG_ID_TEXT];
            eg_id_format(winner->id, id);
            return eg_request_fail(t->rq, EG_EINVAL, "the winning fact %s has ended: commit it again, or name the other", id);
        }
        eg_draft_require(&t->d, EG_REQUIRE_CURRENT)->fact = winner->id;
    }
    t->conflict.resolved_fact = t->winner;
    eg_draft_answer(&t->d, &t->conflict, t->how->suspected, 1);
    close_one(t, loser, EG_CLOSE_RESOLVED);
    return EG_OK;
}

/* The merged fact: an equal current one, or a new one with both as parents. */
static eg_status merged_fact(settlement *t, eg_arena *arena, eg_new_fact *row, int *is_new) {
    eg_request *rq = t->rq;
    eg_str content = t->content;
    eg_status s;
    eg_fact *f = &row->fact;
    *f = (eg_fact){.content = content,
                   .scope = t->a.scope,
                   .agent_id = who(t),
                   .confidence = merged_confidence(t),
                   .fact_type = EG_FACT_DECISION,
                   .operation = EG_OP_ADD,
                   .parents = {t->a.id, t->b.id}};
    if ((s = eg_content_hash(t->m, rq, arena, content, f->content_hash)) != EG_OK) return s;
    eg_fact existing;
    s = STORE(t->m, current_by_hash, rq, f->scope, f->content_hash, &existing);
    if (s == EG_OK) {
        *f = existing;
        *is_new = 0;
        return EG_OK;
    }
    if (s != EG_ENOENT) return s;
    *is_new = 1;
    f->id = f->lineage_id = SERVICES(t->m)->new_id(t->m->env.host);
    eg_derived *d = eg_request_array(rq, 1, sizeof *d);
    if (!d) return EG_ENOMEM;
    if ((s = eg_derive_text(rq, arena, content, f->scope, (eg_statement_list){0}, d)) != EG_OK) return s;
    if ((s = eg_derive_vectors(t->m, rq, content, d)) != EG_OK) return s;
    eg_derived_attach(d, row);
    return EG_OK;
}

static eg_status settle_merge(settlement *t, eg_arena *arena, eg_resolved *out) {
    eg_new_fact *row = eg_request_array(t->rq, 1, sizeof *row);
    int is_new = 0;
    if (!row) return EG_ENOMEM;
    eg_status s = merged_fact(t, arena, row, &is_new);
    if (s != EG_OK) return s;
    eg_id merged = row->fact.id;
    if (is_new) {
        eg_precondition *unique = eg_draft_require(&t->d, EG_REQUIRE_HASH_FREE);
        unique->hash_free.scope = row->fact.scope;
        unique->hash_free.hash = row->fact.content_hash;
        eg_draft_add(&t->d, EG_CHANGE_FACT)->new_fact = row;
        eg_draft_job(&t->d, t->m, EG_JOB_DETECT, merged, 0);
        if (row->vector_count == 0) eg_draft_job(&t->d, t->m, EG_JOB_EMBED, merged, 0);
    } else if (row->fact.durability == EG_DURABILITY_EPHEMERAL || row->fact.valid_until < EG_FOREVER) {
        eg_draft_promote(&t->d, t->m, &row->fact, 0);
    } else {
        eg_draft_require(&t->d, EG_REQUIRE_CURRENT)->fact = merged;
    }
    t->conflict.resolved_fact = merged;
    out->merged = row->fact;
    eg_draft_answer(&t->d, &t->conflict, t->how->suspected, 1);
    if (!eg_id_eq(merged, t->a.id)) close_one(t, &t->a, EG_CLOSE_MERGED);
    if (!eg_id_eq(merged, t->b.id)) close_one(t, &t->b, EG_CLOSE_MERGED);
    return EG_OK;
}

static void settle_dismissed(settlement *t) {
    eg_draft_answer(&t->d, &t->conflict, t->how->suspected, 0);
    if (t->how->same && !eg_str_eq(t->a.agent_id, t->b.agent_id))
        eg_draft_link(&t->d, EG_CHANGE_LINK, t->b.id, t->a.id, EG_LINK_CORROBORATES);
}

eg_str eg_resolve_note(eg_buffer *b, const eg_conflict *c, const eg_settling *how, const eg_id *closed, size_t closed_count,
                       eg_id created) {
    static const char *const words[] = EG_RESOLUTION_WORDS;
    char id[EG_ID_TEXT];
    eg_id_format(c->id, id);
    eg_buffer_format(b, "{\"conflict\":\"%s\",\"type\":\"%s\",\"closed\":[", id, words[c->resolution_type & 3]);
    for (size_t i = 0; i < closed_count; i++) {
        eg_id_format(closed[i], id);
        eg_buffer_format(b, "%s\"%s\"", i ? "," : "", id);
    }
    eg_buffer_text(b, "]");
    if (!eg_id_is_none(created)) {
        eg_id_format(created, id);
        eg_buffer_format(b, ",\"merged\":\"%s\"", id);
    }
    int dismissed = c->resolution_type == EG_RESOLUTION_DISMISS;
    if (how->suspected && dismissed) eg_buffer_text(b, how->same ? ",\"verdict\":\"same\"" : ",\"verdict\":\"unrelated\"");
    if (how->suspected) eg_buffer_text(b, ",\"was\":\"suspected\"");
    if (how->asked.len) eg_buffer_format(b, ",\"asked\":\"%.*s\"", (int)how->asked.len, how->asked.ptr);
    eg_buffer_text(b, "}");
    return (eg_str){b->ptr, b->len};
}

static eg_status settle(settlement *t, eg_arena *arena, eg_resolved *out) {
    /* Also without a note: who says so is kept too. */
    eg_status s = pass_gates(t, "resolution", t->args->resolution);
    if (s == EG_OK && t->args->resolution_type == EG_RESOLUTION_MERGE) s = pass_gates(t, "merged_content", t->content);
    if (s != EG_OK) return s;
    eg_draft_begin(&t->d, t->rq);
    t->d.actor = who(t);
    eg_draft_require(&t->d, EG_REQUIRE_CONFLICT_UNSETTLED)->conflict = t->conflict.id;
    switch ((eg_resolution)t->args->resolution_type) {
    case EG_RESOLUTION_WINNER: s = settle_winner(t); break;
    case EG_RESOLUTION_MERGE: s = settle_merge(t, arena, out); break;
    case EG_RESOLUTION_DISMISS: settle_dismissed(t); break;
    case EG_RESOLUTION_BOTH_VALID: eg_draft_link(&t->d, EG_CHANGE_LINK, t->a.id, t->b.id, EG_LINK_BOTH_VALID); break;
    }
    if (s != EG_OK) return s;
    t->conflict.status = t->args->resolution_type == EG_RESOLUTION_DISMISS ? EG_CONFLICT_DISMISSED : EG_CONFLICT_RESOLVED;
    t->conflict.resolution_type = t->args->resolution_type;
    t->conflict.resolved_by = who(t);
    t->conflict.resolution = t->args->resolution;
    eg_draft_add(&t->d, EG_CHANGE_CONFLICT_STATUS)->conflict = &t->conflict;
    int created = t->args->resolution_type == EG_RESOLUTION_MERGE && out->merged.seq == 0;
    eg_str note =
        eg_resolve_note(&t->audit, &t->conflict, t->how, t->closed, t->closed_count, created ? out->merged.id : (eg_id){{0}});
    eg_draft_audit(&t->d, t->how->suspected ? "judge" : "resolve", t->a.id, t->b.id, note);
    if (t->audit.failed) return eg_fail_memory(t->rq->err, t->audit.capacity);
    out->closed = eg_request_array(t->rq, t->closed_count, sizeof *out->closed);
    if (!out->closed) return EG_ENOMEM;
    eg_applied applied;
    if ((s = eg_draft_apply(&t->d, t->m, &applied)) != EG_OK) return s;
    out->undo_id = applied.audit_id;
    out->other_conflicts_closed = applied.conflicts_ended;
    return EG_OK;
}

/* Who wins, or what the facts are merged to: what those two ways need besides their name. */
static eg_status check_outcome(settlement *t) {
    const eg_resolve_args *a = t->args;
    if (a->resolution_type == EG_RESOLUTION_MERGE) {
        t->content = a->merged_content; /* never the resolution: that says why, not what is true */
        if (!t->content.len)
            return eg_request_fail(t->rq, EG_EINVAL,
                                   "merged_content: is missing; merge needs the text of the fact that replaces both");
        return eg_check_stored(t->rq, "merged_content", t->content, EG_MAX_CONTENT, 1);
    }
    if (a->resolution_type != EG_RESOLUTION_WINNER) return EG_OK;
    eg_status s = EG_OK;
    t->winner = t->how->later ? t->b.id : (eg_id){{0}};
    if (a->winning_fact_id.len) s = eg_id_resolve(t->m, t->rq, "winning_fact_id", a->winning_fact_id, &t->winner);
    if (s != EG_OK || eg_id_eq(t->winner, t->a.id) || eg_id_eq(t->winner, t->b.id)) return s;
    char first[EG_ID_TEXT], second[EG_ID_TEXT];
    eg_id_format(t->a.id, first);
    eg_id_format(t->b.id, second);
    return eg_request_fail(t->rq, EG_EINVAL, "winner needs winning_fact_id: one of %s and %s", first, second);
}

/* *same 1 when the settled conflict ended just as it is asked for now. */
static eg_status is_same_outcome(settlement *t, eg_arena *arena, int *same) {
    const eg_conflict *c = &t->conflict;
    *same = c->resolution_type == t->args->resolution_type;
    if (*same && c->resolution_type == EG_RESOLUTION_WINNER) *same = eg_id_eq(c->resolved_fact, t->winner);
    if (!*same || c->resolution_type != EG_RESOLUTION_MERGE) return EG_OK;
    eg_fact merged = {0}; /* erased since: it was something else, for all one knows */
    uint8_t hash[32];
    eg_status s = eg_read_facts(t->m, t->rq, &c->resolved_fact, 1, &merged, NULL);
    if (s == EG_OK) s = eg_content_hash(t->m, t->rq, arena, t->content, hash);
    *same = s == EG_OK && memcmp(hash, merged.content_hash, sizeof hash) == 0;
    return s;
}

static eg_status read_conflict(settlement *t, eg_id id) {
    eg_fact facts[2];
    eg_status s = eg_read_conflict(t->m, t->rq, id, &t->conflict);
    if (s != EG_OK) return s;
    const eg_id ids[2] = {t->conflict.fact_a, t->conflict.fact_b};
    s = eg_read_facts(t->m, t->rq, ids, 2, facts, &t->now);
    if (s != EG_OK) return s;
    if (!facts[0].seq || !facts[1].seq)
        return eg_request_fail(t->rq, EG_ENOENT, "a fact of the conflict was erased: there is nothing to settle");
    t->a = facts[0];
    t->b = facts[1];
    return EG_OK;
}

static eg_status check_arguments(settlement *t, eg_arena *arena, int *already) {
    const eg_resolve_args *a = t->args;
    eg_request *rq = t->rq;
    eg_id id;
    *already = 0;
    if (a->resolution_type > EG_RESOLUTION_BOTH_VALID) return eg_request_fail(rq, EG_EINVAL, "resolution_type is out of range");
    eg_status s = eg_check_text(rq, "conflict_id", a->conflict_id, EG_MAX_NAME, 1);
    if (s == EG_OK) s = eg_check_stored(rq, "resolution", a->resolution, EG_MAX_RESOLUTION, 0);
    if (s == EG_OK) s = eg_check_text(rq, "winning_fact_id", a->winning_fact_id, EG_MAX_NAME, 0);
    if (s == EG_OK) s = eg_check_stored(rq, "agent_id", who(t), EG_MAX_NAME, 0);
    if (s == EG_OK) s = eg_id_resolve(t->m, rq, "conflict_id", a->conflict_id, &id);
    if (s == EG_OK) s = read_conflict(t, id);
    if (s == EG_OK && !t->how->suspected && t->conflict.status == EG_CONFLICT_SUSPECTED)
        s = eg_request_fail(rq, EG_EINVAL, "the conflict is only suspected: answer it with engram_judge");
    if (s == EG_OK && t->how->suspected) s = eg_check_suspected(rq, &t->conflict);
    if (s == EG_OK) s = check_outcome(t);
    if (s != EG_OK || !eg_is_settled(t->conflict.status)) return s;
    /* Asking twice for the same is no error. */
    if ((s = is_same_outcome(t, arena, already)) != EG_OK || *already) return s;
    static const char *const words[] = EG_RESOLUTION_WORDS;
    char to[EG_ID_TEXT];
    eg_id_format(t->conflict.resolved_fact, to);
    int has_fact = !eg_id_is_none(t->conflict.resolved_fact);
    return eg_request_fail(rq, EG_EINVAL,
                           "the conflict was settled already as %s%s%s by %.*s: undo that first to settle it otherwise",
                           words[t->conflict.resolution_type & 3], has_fact ? " " : "", has_fact ? to : "",
                           (int)t->conflict.resolved_by.len, t->conflict.resolved_by.ptr);
}

/* The same as far as it is known without reading. */
static void tell_outcome(const settlement *t, eg_resolved *out) {
    for (size_t i = 0; i < t->closed_count; i++) out->closed[i] = eg_id_eq(t->closed[i], t->a.id) ? t->a : t->b;
    out->conflict = t->conflict;
}

/* The conflict and its facts as they are now. */
static eg_status read_outcome(settlement *t, eg_resolved *out) {
    eg_id ids[3] = {out->merged.id};
    eg_fact facts[3];
    size_t n = t->closed_count;
    out->closed_count = n;
    for (size_t i = 0; i < n; i++) ids[1 + i] = t->closed[i];
    int merged = !eg_id_is_none(out->merged.id);
    eg_status s = EG_OK;
    if (n + (size_t)merged) s = eg_read_facts(t->m, t->rq, ids + !merged, n + (size_t)merged, facts + !merged, NULL);
    if (s != EG_OK) return s;
    if (merged) out->merged = facts[0];
    if (n) memcpy(out->closed, facts + 1, n * sizeof *facts);
    return eg_read_conflict(t->m, t->rq, t->conflict.id, &out->conflict);
}

eg_status eg_settle_conflict(eg_memory *m, eg_request *rq, const eg_resolve_args *args, const eg_settling *how,
                             eg_resolved *out) {
    *out = (eg_resolved){0};
    settlement *t = eg_request_array(rq, 1, sizeof *t);
    if (!t) return EG_ENOMEM;
    *t = (settlement){.m = m, .rq = rq, .args = args, .how = how};
    eg_arena arena;
    eg_arena_init(&arena, 0);
    int already = 0;
    eg_status s = EG_ECONFLICT;
    for (int i = 0; s == EG_ECONFLICT && i < MAX_RETRIES; i++) {
        *out = (eg_resolved){0};
        t->audit.len = t->closed_count = 0;
        s = check_arguments(t, &arena, &already);
        if (s == EG_OK && !already) s = settle(t, &arena, out);
    }
    eg_buffer_release(&t->audit);
    eg_arena_release(&arena);
    if (s == EG_ECONFLICT) s = eg_request_fail(rq, EG_EBUSY, "other writers changed the same facts: try again");
    if (s != EG_OK) return s;
    s = read_outcome(t, out);
    if (already) return s;
    if (!eg_draft_told(m, rq, s, &out->warning)) tell_outcome(t, out);
    return EG_OK;
}

eg_status eg_memory_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out) {
    static const eg_settling open = {0};
    return eg_settle_conflict(m, rq, args, &open, out);
}
