/* undo.c - takes back what an audit row did, and brings back a fact. Undo never reopens a closed
 * window: it inserts a new row of the same lineage, so that what was known at any time stays as it
 * was. A conflict goes over to the new row: a pair has one conflict, however often a fact of it
 * goes and comes back. */
#include "core/memory/undo.h"

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/derive.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"
#include "core/memory/resolve.h"

enum { MAX_RESTORED = 4 };

typedef struct undoing {
    eg_memory *m;
    eg_request *rq;
    eg_audit_row row;
    int64_t now;                                  /* the store's */
    eg_id made[MAX_RESTORED], gone[MAX_RESTORED]; /* what the row's change inserted and closed */
    size_t made_count, gone_count;
    eg_draft d;
    eg_id restored[MAX_RESTORED], closed[MAX_RESTORED], closed_lineage[MAX_RESTORED];
    size_t restored_count, closed_count;
    uint32_t failed; /* the kind of precondition that did not hold */
    eg_id settled;   /* the conflict whose settlement is taken back, or stands again */
    eg_buffer note;  /* the payload of the audit row; empty: only that it is an undo */
    eg_arena arena;
} undoing;

/* The end that a fact had before the change closed it; 0 when the audit row does not tell (it is
 * older than windows). */
static int64_t former_end(const undoing *u, eg_id fact) {
    for (size_t i = 0; i < u->row.window_count; i++)
        if (eg_id_eq(u->row.windows[i].fact, fact)) return u->row.windows[i].until_before;
    return 0;
}

/* 1 when the fact, had the change not closed it, would have reached its own end by now. */
static int has_run_out(const undoing *u, eg_id fact) {
    int64_t end = former_end(u, fact);
    return end && end <= u->now;
}

/* fact_a is the one that was committed first. */
static void swap_sides(eg_conflict *c) {
    eg_id id = c->fact_a;
    c->fact_a = c->fact_b;
    c->fact_b = id;
    eg_span span = c->span_a;
    c->span_a = c->span_b;
    c->span_b = span;
}

static void clear_settlement(eg_conflict *c, eg_conflict_status status) {
    c->status = status;
    c->resolved_at = 0;
    c->resolved_by = c->resolution = (eg_str){0};
    c->resolved_fact = (eg_id){{0}};
}

/* Opens a settled conflict about the facts that c names now. The copies have the same content, so
 * the spans hold. */
static void draft_reopening(undoing *u, eg_conflict *c, eg_conflict_status status) {
    eg_precondition_kind is = eg_is_settled(c->status) ? EG_REQUIRE_CONFLICT_SETTLED : EG_REQUIRE_CONFLICT_UNSETTLED;
    eg_draft_require(&u->d, is)->conflict = c->id;
    clear_settlement(c, status);
    eg_draft_add(&u->d, EG_CHANGE_CONFLICT_FACTS)->conflict = c;
    eg_draft_add(&u->d, EG_CHANGE_CONFLICT_STATUS)->conflict = c;
}

/* The conflicts that ended with the fact, and only with it, go on between its copy and the other
 * fact where that is current. */
static eg_status take_conflicts_over(undoing *u, eg_id fact, int64_t closed_at, eg_id copy) {
    const eg_conflict_filter of_fact = {
        .size = sizeof of_fact, .statuses = 1u << EG_CONFLICT_RESOLVED, .facts = &fact, .fact_count = 1};
    eg_conflict *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(u->m, conflicts, u->rq, &of_fact, &rows, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_conflict *c = &rows[i];
        if (eg_id_eq(c->fact_a, fact)) {
            int64_t until = c->until_a;
            swap_sides(c);
            c->until_a = c->until_b;
            c->until_b = until;
        }
        int ended_with_it =
            c->resolution_type == EG_RESOLUTION_WINNER && c->resolved_at == closed_at && eg_id_eq(c->resolved_fact, c->fact_a);
        if (!ended_with_it || c->until_a <= u->now || eg_id_eq(c->id, u->settled)) continue;
        eg_draft_require(&u->d, EG_REQUIRE_CURRENT)->fact = c->fact_a;
        c->fact_b = copy;
        draft_reopening(u, c, EG_CONFLICT_OPEN);
    }
    return s;
}

/* Adds a current copy of a closed fact to the draft, with the end that the fact had; *id gets
 * its new id. */
static eg_status restore(undoing *u, eg_id closed, eg_id *id) {
    eg_request *rq = u->rq;
    eg_new_fact *row = eg_request_array(rq, 1, sizeof *row);
    eg_derived *d = eg_request_array(rq, 1, sizeof *d);
    if (!row || !d) return EG_ENOMEM;
    eg_fact *f = &row->fact;
    eg_fact_parts known;
    eg_status s = eg_read_fact_statements(u->m, rq, closed, &known, NULL);
    if (s != EG_OK) return s;
    *f = known.fact;
    if (f->valid_until > u->now) return eg_request_fail(rq, EG_EINVAL, "there is nothing to undo: the fact is current again");
    int64_t end = former_end(u, closed);
    if (end && end <= u->now)
        return eg_request_fail(rq, EG_EINVAL,
                               "there is nothing to bring back: the fact would have ended by itself meanwhile; commit it again");
    int64_t closed_at = f->closed_at;
    f->restored_from = f->id;
    f->supersedes = (eg_id){{0}};
    f->id = SERVICES(u->m)->new_id(u->m->env.host);
    f->seq = f->committed_at = f->valid_from = f->closed_at = 0;
    f->valid_until = end;
    f->close_reason = EG_CLOSE_NONE;
    f->closed_by = (eg_str){0};
    f->operation = EG_OP_ADD;
    const eg_statement_list kept = {known.details, known.statement_count};
    if ((s = eg_derive_text(rq, &u->arena, f->content, f->scope, kept, d)) != EG_OK) return s;
    if ((s = eg_derive_vectors(u->m, rq, f->content, d)) != EG_OK) return s;
    eg_derived_attach(d, row);
    row->lifetime = f->ttl_days * EG_DAY; /* where the former end is unknown */
    eg_precondition *unique = eg_draft_require(&u->d, EG_REQUIRE_HASH_FREE);
    unique->hash_free.scope = f->scope;
    unique->hash_free.hash = f->content_hash;
    eg_precondition *alone = eg_draft_require(&u->d, EG_REQUIRE_LINEAGE_FREE);
    alone->lineage.id = f->lineage_id;
    for (size_t i = 0; i < u->closed_count; i++)
        if (eg_id_eq(u->closed_lineage[i], f->lineage_id)) alone->lineage.except = u->closed[i];
    eg_draft_add(&u->d, EG_CHANGE_FACT)->new_fact = row;
    if (f->durability == EG_DURABILITY_DURABLE) eg_draft_job(&u->d, u->m, EG_JOB_DETECT, f->id, 0);
    if (row->vector_count == 0) eg_draft_job(&u->d, u->m, EG_JOB_EMBED, f->id, 0);
    u->restored[u->restored_count++] = *id = f->id;
    return take_conflicts_over(u, closed, closed_at, f->id);
}

static eg_status close_now(undoing *u, eg_id id, eg_close_reason reason) {
    eg_fact f;
    eg_status s = eg_read_fact(u->m, u->rq, id, &f, NULL);
    if (s != EG_OK) return s;
    if (f.valid_until <= u->now) return EG_OK;
    u->closed[u->closed_count] = id;
    u->closed_lineage[u->closed_count++] = f.lineage_id;
    eg_draft_close(&u->d, &f, reason, "the fact was taken back", &u->settled);
    return EG_OK;
}

/* What a row says about a settlement: that it was made (conflict), or taken back (reopened). */
typedef struct resolution {
    eg_id conflict, merged, closed[2];
    size_t closed_count;
    uint32_t type;
    eg_id reopened, fact; /* fact: the winner, or the merged one */
    eg_str by, why;
    int suspected; /* the conflict was only suspected before */
    int opened;    /* no settlement: a suspected conflict was judged to be a contradiction */
} resolution;

static eg_conflict_status status_before(const resolution *r) { return r->suspected ? EG_CONFLICT_SUSPECTED : EG_CONFLICT_OPEN; }

static eg_status read_resolution(undoing *u, resolution *r) {
    static const char *const words[] = EG_RESOLUTION_WORDS;
    *r = (resolution){0};
    eg_json j;
    eg_str key = {0};
    eg_json_init(&j, "audit payload", u->row.payload, &u->arena, u->rq->err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_KEY) key = j.text;
        if (k != EG_JSON_STRING) continue;
        if (eg_str_eq(key, EG_STR("conflict"))) (void)eg_id_parse(j.text, &r->conflict);
        if (eg_str_eq(key, EG_STR("merged"))) (void)eg_id_parse(j.text, &r->merged);
        if (eg_str_eq(key, EG_STR("reopened"))) (void)eg_id_parse(j.text, &r->reopened);
        if (eg_str_eq(key, EG_STR("fact"))) (void)eg_id_parse(j.text, &r->fact);
        if (eg_str_eq(key, EG_STR("by"))) r->by = j.text;
        if (eg_str_eq(key, EG_STR("why"))) r->why = j.text;
        if (eg_str_eq(key, EG_STR("was"))) r->suspected = eg_str_eq(j.text, EG_STR("suspected"));
        if (eg_str_eq(key, EG_STR("type"))) r->opened = eg_str_eq(j.text, EG_STR("contradiction"));
        if (eg_str_eq(key, EG_STR("closed")) && r->closed_count < 2 && eg_id_parse(j.text, &r->closed[r->closed_count]))
            r->closed_count++;
        for (uint32_t i = 0; eg_str_eq(key, EG_STR("type")) && i < 4; i++)
            if (eg_str_eq(j.text, eg_str_of(words[i]))) r->type = i;
    }
    return EG_OK;
}

/* *again 1 when the pair was settled once more at the very time of the row, as under a clock
 * that was set back. */
static eg_status settled_again(undoing *u, int *again) {
    enum { PAGE = 16 };
    *again = 0;
    size_t n = PAGE;
    for (int64_t after = u->row.id; n == PAGE;) {
        eg_audit_row *rows = NULL;
        eg_status s = STORE(u->m, audit, u->rq, after, PAGE, &rows, &n);
        if (s != EG_OK) return s;
        for (size_t i = 0; i < n; i++) {
            if (rows[i].time != u->row.time) return EG_OK;
            *again |= eg_str_eq(rows[i].action, u->row.action) && eg_id_eq(rows[i].fact, u->row.fact) &&
                      eg_id_eq(rows[i].other, u->row.other);
        }
        if (n) after = rows[n - 1].id;
    }
    return EG_OK;
}

/* *gone 1 when the settlement does not stand any more: the conflict was opened and settled anew,
 * or a fact that it closed was brought back already. */
static eg_status was_taken_back(undoing *u, const resolution *r, const eg_conflict *c, int *gone) {
    eg_status s = settled_again(u, gone);
    *gone |= c->resolved_at != u->row.time || c->resolution_type != r->type;
    for (size_t i = 0; s == EG_OK && !*gone && i < r->closed_count; i++) {
        eg_fact *lineage = NULL;
        size_t n = 0;
        s = STORE(u->m, lineage, u->rq, r->closed[i], 0, &lineage, &n);
        for (size_t k = 0; s == EG_OK && k < n; k++) *gone |= eg_id_eq(lineage[k].restored_from, r->closed[i]);
    }
    return s;
}

/* The conflict of the row's settlement, checked: EG_EINVAL when it does not stand any
 * more. */
static eg_status read_settlement(undoing *u, const resolution *r, eg_conflict *c) {
    int gone;
    eg_status s = eg_read_conflict(u->m, u->rq, r->conflict, c);
    if (s != EG_OK || (r->opened && c->status == EG_CONFLICT_OPEN)) return s;
    if (r->opened)
        return eg_request_fail(u->rq, EG_EINVAL,
                               "there is nothing to undo: the conflict is not open any more; undo what settled it");
    if (!eg_is_settled(c->status))
        return eg_request_fail(u->rq, EG_EINVAL, "there is nothing to undo: the conflict is not settled any more");
    if ((s = was_taken_back(u, r, c, &gone)) != EG_OK) return s;
    if (gone)
        return eg_request_fail(u->rq, EG_EINVAL,
                               "there is nothing to undo: that settlement was taken back already; undo what came after it");
    return EG_OK;
}

/* What the settlement said about the pair: a link for both_valid, else a verdict about the
 * detector. */
static void take_verdict_back(undoing *u, const resolution *r, const eg_conflict *c) {
    if (r->type == EG_RESOLUTION_BOTH_VALID) {
        eg_draft_link(&u->d, EG_CHANGE_UNLINK, c->fact_a, c->fact_b, EG_LINK_BOTH_VALID);
        return;
    }
    eg_change *verdict = eg_draft_add(&u->d, EG_CHANGE_FEEDBACK_BACK);
    verdict->feedback_back.conflict = c->id;
    verdict->feedback_back.tier = r->suspected ? eg_review_tier(u->rq, c->tier) : c->tier;
    verdict->feedback_back.time = u->row.time;
    if (!verdict->feedback_back.tier.ptr) u->d.failed = 1;
}

/* {"undo":true,"reopened":"...","type":"winner","fact":"...","by":"...","why":"..."}: what redo
 * needs to make the settlement stand again. */
static void note_reopening(undoing *u, const resolution *r, const eg_conflict *c) {
    static const char *const words[] = EG_RESOLUTION_WORDS;
    char id[EG_ID_TEXT], fact[EG_ID_TEXT];
    eg_id_format(c->id, id);
    eg_id_format(c->resolved_fact, fact);
    eg_buffer_format(&u->note, "{\"undo\":true,\"reopened\":\"%s\",\"type\":\"%s\",\"fact\":\"%s\",\"by\":", id,
                     words[r->type & 3], fact);
    eg_buffer_json(&u->note, c->resolved_by);
    eg_buffer_text(&u->note, ",\"why\":");
    eg_buffer_json(&u->note, c->resolution);
    eg_buffer_text(&u->note, "}");
}

/* Closes the merged fact and brings back what the settlement closed, as far as it would still be
 * current; c then names the new ids. */
static eg_status reverse_settlement(undoing *u, const resolution *r, eg_conflict *c) {
    eg_status s = EG_OK;
    if (!eg_id_is_none(r->merged)) {
        /* Nothing came after the merged fact. */
        eg_precondition *last = eg_draft_require(&u->d, EG_REQUIRE_LINEAGE_FREE);
        last->lineage.id = last->lineage.except = r->merged;
        if ((s = close_now(u, r->merged, EG_CLOSE_DELETED)) != EG_OK) return s;
    }
    for (size_t i = 0; i < r->closed_count; i++) {
        eg_id id;
        if (has_run_out(u, r->closed[i])) continue;
        if ((s = restore(u, r->closed[i], &id)) != EG_OK) return s;
        if (eg_id_eq(r->closed[i], c->fact_a)) c->fact_a = id;
        else c->fact_b = id;
    }
    if (u->restored_count + u->closed_count) return EG_OK;
    return eg_request_fail(
        u->rq, EG_EINVAL, "there is nothing to bring back: what it closed would have ended by itself meanwhile; commit it again");
}

/* Opens the conflict between the restored facts, or a restored one and the winner, if both are
 * current then. With what came after the winner the job of the restored fact compares it. */
static eg_status open_between_restored(undoing *u, const resolution *r, eg_conflict *c) {
    if (u->restored_count == 0) return EG_OK;
    if (u->restored_count == 1) {
        eg_fact other;
        if (eg_id_eq(c->fact_a, u->restored[0])) swap_sides(c);
        eg_status s = eg_read_fact(u->m, u->rq, c->fact_a, &other, NULL);
        if (s != EG_OK) return s == EG_ENOENT ? EG_OK : s;
        if (other.valid_until <= u->now) return EG_OK;
        eg_draft_require(&u->d, EG_REQUIRE_CURRENT)->fact = other.id;
    }
    note_reopening(u, r, c);
    draft_reopening(u, c, status_before(r));
    return EG_OK;
}

static eg_status undo_resolution(undoing *u, const resolution *r) {
    eg_conflict *c = eg_request_array(u->rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    eg_status s = read_settlement(u, r, c);
    if (s != EG_OK) return s;
    take_verdict_back(u, r, c);
    if (r->closed_count == 0 && eg_id_is_none(r->merged)) {
        /* it touched no fact; where one has ended since, the conflict reads as expired */
        draft_reopening(u, c, status_before(r));
        return EG_OK;
    }
    u->settled = c->id;
    s = reverse_settlement(u, r, c);
    return s == EG_OK ? open_between_restored(u, r, c) : s;
}

static eg_status note(undoing *u, eg_id *list, size_t *n, eg_id fact) {
    if (*n == MAX_RESTORED) return eg_request_fail(u->rq, EG_EUNSUPPORTED, "that changed more facts than undo can take back");
    list[(*n)++] = fact;
    return EG_OK;
}

/* Which facts the row's change inserted and closed; its two ids tell where the row is older than
 * windows. */
static eg_status read_windows(undoing *u) {
    eg_status s = EG_OK;
    u->made_count = u->gone_count = 0;
    for (size_t i = 0; s == EG_OK && i < u->row.window_count; i++) {
        const eg_window_change *w = &u->row.windows[i];
        if (!w->from_before && !w->until_before) s = note(u, u->made, &u->made_count, w->fact);
        else if (w->until_after < w->until_before) s = note(u, u->gone, &u->gone_count, w->fact);
    }
    if (s != EG_OK || u->row.window_count) return s;
    int commits = eg_str_eq(u->row.action, EG_STR("commit")), deletes = eg_str_eq(u->row.action, EG_STR("delete"));
    eg_id closed = deletes ? u->row.fact : u->row.other;
    if (commits) s = note(u, u->made, &u->made_count, u->row.fact);
    if (s == EG_OK && (commits || deletes) && !eg_id_is_none(closed)) s = note(u, u->gone, &u->gone_count, closed);
    return s;
}

/* Closes what the change inserted and brings back what it closed, all of it. */
static eg_status reverse(undoing *u) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < u->made_count; i++) s = close_now(u, u->made[i], EG_CLOSE_DELETED);
    if (s == EG_OK && u->closed_count < u->made_count)
        return eg_request_fail(u->rq, EG_EINVAL, "there is nothing to undo: the fact is not current any more");
    for (size_t i = 0; s == EG_OK && i < u->gone_count; i++) {
        eg_id id;
        if (u->made_count && has_run_out(u, u->gone[i])) continue; /* unlike what replaced it */
        s = restore(u, u->gone[i], &id);
    }
    return s;
}

/* Undoes the undo of a settlement: what it brought back is closed, and the settlement stands again,
 * unless the conflict was settled otherwise meanwhile. The note is that of a settlement, so that
 * this can be undone like one. */
static eg_status settle_again(undoing *u, const resolution *r) {
    eg_conflict *c = eg_request_array(u->rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    eg_status s = eg_read_conflict(u->m, u->rq, r->reopened, c);
    if (s == EG_ENOENT || (s == EG_OK && eg_is_settled(c->status))) return reverse(u);
    if (s != EG_OK) return s;
    u->settled = c->id;
    int suspected = c->status == EG_CONFLICT_SUSPECTED;
    if ((s = reverse(u)) != EG_OK) return s;
    int merged_again = u->restored_count == 1 && u->gone_count == 1 && eg_id_eq(u->gone[0], r->fact);
    c->status = EG_CONFLICT_RESOLVED;
    c->resolution_type = r->type;
    c->resolved_by = r->by;
    c->resolution = r->why;
    c->resolved_fact = merged_again ? u->restored[0] : r->fact;
    eg_draft_require(&u->d, EG_REQUIRE_CONFLICT_UNSETTLED)->conflict = c->id;
    eg_draft_answer(&u->d, c, suspected, 1);
    eg_draft_add(&u->d, EG_CHANGE_CONFLICT_STATUS)->conflict = c;
    const eg_settling how = {.suspected = suspected};
    eg_resolve_note(&u->note, c, &how, u->closed, u->closed_count, merged_again ? u->restored[0] : (eg_id){{0}});
    return EG_OK;
}

static eg_status undo_row(undoing *u) {
    static const char *const actions[] = {"commit", "delete", "undo", "archive", "restore"};
    int resolves = eg_str_eq(u->row.action, EG_STR("resolve")) || eg_str_eq(u->row.action, EG_STR("judge"));
    resolution r = {0};
    if (resolves && !u->row.payload.len)
        return eg_request_fail(u->rq, EG_EUNSUPPORTED,
                               "it cannot be undone: a fact of the conflict was erased, and with it what this settled");
    if (resolves || (eg_str_eq(u->row.action, EG_STR("undo")) && u->row.payload.len)) {
        eg_status s = read_resolution(u, &r);
        if (s != EG_OK) return s;
    }
    if (resolves || !eg_id_is_none(r.conflict)) return undo_resolution(u, &r);
    if (!eg_id_is_none(r.reopened)) return settle_again(u, &r);
    for (size_t i = 0; u->made_count + u->gone_count && i < sizeof actions / sizeof *actions; i++)
        if (eg_str_eq(u->row.action, eg_str_of(actions[i]))) return reverse(u);
    return eg_request_fail(u->rq, EG_EUNSUPPORTED,
                           "'%.*s' cannot be undone; commits, deletes, resolutions and undos that changed facts can",
                           (int)u->row.action.len, u->row.action.ptr);
}

static eg_status read_row(undoing *u, int64_t undo_id) {
    eg_audit_row *rows = NULL;
    size_t n = 0;
    eg_status s = undo_id > 0 ? STORE(u->m, audit, u->rq, undo_id - 1, 1, &rows, &n) : EG_OK;
    if (s != EG_OK) return s;
    if (n == 0 || rows[0].id != undo_id)
        return eg_request_fail(u->rq, EG_ENOENT, "undo_id %lld is unknown in this workspace", (long long)undo_id);
    u->row = rows[0];
    return read_windows(u);
}

/* Writes the draft, and tells what came of it. */
static eg_status write_changes(undoing *u, eg_undone *out) {
    out->restored = eg_request_array(u->rq, MAX_RESTORED, sizeof *out->restored);
    out->closed = eg_request_array(u->rq, MAX_RESTORED, sizeof *out->closed);
    if (!out->restored || !out->closed) return EG_ENOMEM;
    eg_applied applied;
    eg_status s = eg_draft_apply(&u->d, u->m, &applied);
    if (s == EG_ECONFLICT) u->failed = u->d.preconditions[applied.failed].kind;
    if (s != EG_OK) return s;
    out->undo_id = u->restored_count + u->closed_count > 0 ? applied.audit_id : 0;
    if (u->restored_count) s = eg_read_facts(u->m, u->rq, u->restored, u->restored_count, out->restored, NULL);
    if (eg_draft_told(u->m, u->rq, s, &out->warning)) out->restored_count = u->restored_count;
    s = u->closed_count ? eg_read_facts(u->m, u->rq, u->closed, u->closed_count, out->closed, NULL) : EG_OK;
    if (eg_draft_told(u->m, u->rq, s, &out->warning)) out->closed_count = u->closed_count;
    return EG_OK;
}

static eg_status run(undoing *u, int64_t undo_id, eg_undone *out) {
    eg_status s = read_row(u, undo_id);
    if (s == EG_OK) s = eg_now(u->m, u->rq, &u->now);
    if (s != EG_OK) return s;
    eg_draft_begin(&u->d, u->rq);
    u->restored_count = u->closed_count = u->note.len = 0;
    u->settled = (eg_id){{0}};
    if ((s = undo_row(u)) != EG_OK) return s;
    if (u->note.failed) return eg_fail_memory(u->rq->err, u->note.capacity);
    /* Its windows then say what undoes the undo. */
    int changed = u->restored_count + u->closed_count > 0;
    eg_draft_audit(&u->d, "undo",
                   u->restored_count ? u->restored[0]
                   : changed         ? u->closed[0]
                                     : u->row.fact,
                   u->restored_count && u->closed_count ? u->closed[0] : (eg_id){{0}},
                   u->note.len ? (eg_str){u->note.ptr, u->note.len} : EG_STR("{\"undo\":true}"));
    out->action = u->row.action;
    return write_changes(u, out);
}

/* Inserts a current copy of a fact that was closed, or has expired. */
static eg_status bring_back(undoing *u, eg_id id, eg_undone *out) {
    eg_fact f;
    eg_id copy;
    eg_status s = eg_read_fact(u->m, u->rq, id, &f, &u->now);
    if (s == EG_OK && f.valid_until > u->now)
        s = eg_request_fail(u->rq, EG_EINVAL, "fact_id names a fact that is current: there is nothing to restore");
    if (s != EG_OK) return s;
    eg_draft_begin(&u->d, u->rq);
    u->restored_count = u->closed_count = 0;
    if ((s = restore(u, id, &copy)) != EG_OK) return s;
    eg_draft_audit(&u->d, "restore", copy, id, EG_STR("{}"));
    out->action = EG_STR("restore");
    return write_changes(u, out);
}

/* Tries until the store is as it was when the draft was made; `id` none: undoes undo_id, else
 * brings that fact back. */
static eg_status change(eg_memory *m, eg_request *rq, int64_t undo_id, eg_id id, eg_undone *out) {
    *out = (eg_undone){0};
    undoing *u = eg_request_array(rq, 1, sizeof *u);
    if (!u) return EG_ENOMEM;
    *u = (undoing){.m = m, .rq = rq};
    eg_arena_init(&u->arena, 0);
    eg_status s = EG_ECONFLICT;
    for (int i = 0; s == EG_ECONFLICT && i < MAX_RETRIES; i++)
        s = eg_id_is_none(id) ? run(u, undo_id, out) : bring_back(u, id, out);
    eg_buffer_release(&u->note);
    eg_arena_release(&u->arena);
    if (s != EG_ECONFLICT) return s;
    int undoes = eg_id_is_none(id);
    const char *why = u->failed == EG_REQUIRE_HASH_FREE      ? "an equal fact is current"
                      : u->failed != EG_REQUIRE_LINEAGE_FREE ? "another writer changed the same facts or conflict"
                      : undoes                               ? "its lineage has a current fact by now: undo that first"
                                                             : "another version of it is current: archive or delete that first";
    return eg_request_fail(rq, EG_EINVAL, "it cannot be %s: %s", undoes ? "undone" : "restored", why);
}

eg_status eg_memory_undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out) {
    return change(m, rq, undo_id, (eg_id){{0}}, out);
}

eg_status eg_memory_restore(eg_memory *m, eg_request *rq, eg_str fact_id, eg_undone *out) {
    eg_id id;
    eg_status s = eg_id_resolve(m, rq, "fact_id", fact_id, &id);
    return s == EG_OK ? change(m, rq, 0, id, out) : s;
}
