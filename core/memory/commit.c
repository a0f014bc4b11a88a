/* commit.c - the way of a fact into the store: validate -> gates -> hash -> derive -> lineage -> change set ->
 * one transaction -> verdict in time or a job. Read eg_memory_commit from top to bottom. */
#include "core/memory/commit.h"

#include "core/base/clock.h"
#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/derive.h"
#include "core/memory/gates.h"
#include "core/memory/ids.h"
#include "core/memory/jobs.h"

enum { EPHEMERAL_DAYS = 1, UPDATE_CANDIDATES = 20 };

/* A checked commit on its way. */
typedef struct commit {
    eg_memory *m;
    eg_request *rq;
    const eg_commit_args *args;
    eg_arena *arena;
    eg_new_fact row;
    eg_derived derived;
    eg_fact superseded; /* id none: nothing is superseded */
    uint32_t operation; /* what is done in the end */
    int64_t now;        /* the store's, when it was decided */
} commit;

static eg_status validate(commit *c) {
    const eg_commit_args *a = c->args;
    eg_request *rq = c->rq;
    eg_status s;
    if (a->operation != EG_OP_DELETE && a->operation != EG_OP_NONE &&
        (s = eg_check_text(rq, "content", a->content, EG_MAX_CONTENT, 1)) != EG_OK)
        return s;
    if ((s = eg_check_text(rq, "agent_id", a->agent_id, EG_MAX_NAME, 0)) != EG_OK ||
        (s = eg_check_text(rq, "engineer", a->engineer, EG_MAX_NAME, 0)) != EG_OK ||
        (s = eg_check_text(rq, "provenance", a->provenance, EG_MAX_PROVENANCE, 0)) != EG_OK ||
        (s = eg_check_text(rq, "artifact_hash", a->artifact_hash, EG_MAX_PROVENANCE, 0)) != EG_OK)
        return s;
    if (!(a->confidence >= 0 && a->confidence <= 1))
        return eg_request_fail(rq, EG_EINVAL, "confidence is %g: give a number from 0 to 1", a->confidence);
    if (a->ttl_days > EG_MAX_TTL_DAYS)
        return eg_request_fail(rq, EG_EINVAL, "ttl_days is %u: give 1 to %d, or leave it out", a->ttl_days, EG_MAX_TTL_DAYS);
    if (a->wait_ms > EG_MAX_WAIT_MS)
        return eg_request_fail(rq, EG_EINVAL, "wait_ms is %d: give 0 to %d", a->wait_ms, EG_MAX_WAIT_MS);
    if (a->fact_type > EG_FACT_DECISION || a->operation > EG_OP_NONE || a->durability > EG_DURABILITY_EPHEMERAL)
        return eg_request_fail(rq, EG_EINVAL, "fact_type, operation or durability is out of range");
    if (a->operation == EG_OP_DELETE && a->corrects_lineage.len == 0)
        return eg_request_fail(rq, EG_EINVAL, "operation delete needs corrects_lineage: the lineage to retire");

    eg_fact *f = &c->row.fact;
    if ((s = eg_check_scope(rq, a->scope, 0, &f->scope)) != EG_OK) return s;
    f->content = a->content;
    f->agent_id = a->agent_id.len ? a->agent_id : rq->who->agent;
    f->engineer = a->engineer;
    f->provenance = a->provenance;
    f->artifact_hash = a->artifact_hash;
    f->confidence = a->confidence;
    f->fact_type = a->fact_type;
    f->durability = a->durability;
    f->ttl_days = a->ttl_days ? a->ttl_days : a->durability == EG_DURABILITY_EPHEMERAL ? EPHEMERAL_DAYS : 0;
    return EG_OK;
}

/* The newest fact of the lineage (or of the lineage that the named fact belongs to). EG_ENOENT when it is unknown. */
static eg_status lineage_head(commit *c, eg_str name, eg_fact *head) {
    eg_id id;
    eg_status s = eg_id_resolve(c->m, c->rq, "corrects_lineage", name, &id);
    if (s != EG_OK) return s;
    eg_fact named;
    s = STORE(c->m, lineage_head, c->rq, c->rq->workspace, id, head);
    if (s == EG_ENOENT && (s = STORE(c->m, fact, c->rq, id, &named)) == EG_OK)
        s = STORE(c->m, lineage_head, c->rq, c->rq->workspace, named.lineage_id, head);
    if (s == EG_ENOENT)
        return eg_request_fail(c->rq, EG_ENOENT, "corrects_lineage '%.*s' is no lineage of this workspace: query for it first",
                               (int)(name.len < 60 ? name.len : 60), name.ptr);
    return s;
}

static int is_current(const commit *c, const eg_fact *f) { return f->valid_from <= c->now && c->now < f->valid_until; }

/* 1 when both have claims and not one subject is shared: then the old fact is about something else. */
static int subjects_disagree(const eg_derived *d, const eg_claim *claims, size_t n) {
    if (n == 0 || d->claim_count == 0) return 0;
    for (size_t i = 0; i < d->claim_count; i++)
        for (size_t j = 0; j < n; j++)
            if (eg_str_eq(d->claims[i].subject, claims[j].subject)) return 0;
    return 1;
}

/* *fits 1 and *f when the fact is of the commit's own scope, not of one below it, and not about something else. */
static eg_status may_supersede(commit *c, eg_id id, eg_fact *f, int *fits) {
    eg_claim *claims = NULL;
    size_t claim_count = 0;
    *fits = 0;
    eg_status s = STORE(c->m, fact, c->rq, id, f);
    if (s == EG_ENOENT) return EG_OK; /* erased since it was found */
    if (s != EG_OK || !eg_str_eq(f->scope, c->row.fact.scope)) return s;
    if ((s = STORE(c->m, claims_of, c->rq, id, &claims, &claim_count)) != EG_OK) return s;
    *fits = !subjects_disagree(&c->derived, claims, claim_count);
    return EG_OK;
}

/* What an update without a lineage replaces: the best current match of the scope, if it is close enough. The search takes the
 * scopes below it too: where they fill its answer, more is asked for. */
static eg_status find_superseded(commit *c) {
    if (c->derived.vector_count == 0) return EG_OK;
    double least = SERVICES(c->m)->threshold(c->m->env.host, "update_cosine", 0.75);
    eg_filter filter = {.workspace = c->rq->workspace, .scope = c->row.fact.scope, .ephemeral = 1, .fact_type = -1};
    const eg_vector *v = &c->derived.vectors[0];
    for (uint32_t most = UPDATE_CANDIDATES;; most *= 8) {
        eg_scored *hits = NULL;
        size_t n = 0;
        eg_status s = STORE(c->m, search_vectors, c->rq, &filter, v->model_id, v->values, v->dimensions, most, &hits, &n);
        if (s != EG_OK) return s;
        for (size_t i = 0; i < n; i++) {
            eg_fact f;
            int fits;
            if (hits[i].score < least) return EG_OK;
            if ((s = may_supersede(c, hits[i].fact, &f, &fits)) != EG_OK) return s;
            if (!fits) continue;
            c->superseded = f;
            return EG_OK;
        }
        if (n < most) return EG_OK;
    }
}

static eg_status find_lineage(commit *c) {
    eg_fact *f = &c->row.fact;
    c->superseded = (eg_fact){0};
    c->operation = c->args->operation;
    f->supersedes = (eg_id){{0}};
    f->lineage_id = f->id;
    eg_status s = EG_OK;
    if (c->args->corrects_lineage.len) {
        if ((s = lineage_head(c, c->args->corrects_lineage, &c->superseded)) != EG_OK) return s;
        c->operation = c->args->operation == EG_OP_DELETE ? EG_OP_DELETE : EG_OP_UPDATE;
    } else if (c->args->operation == EG_OP_UPDATE) {
        if ((s = find_superseded(c)) != EG_OK) return s;
        if (eg_id_is_none(c->superseded.id)) c->operation = EG_OP_ADD;
    }
    if (!eg_id_is_none(c->superseded.id)) {
        f->lineage_id = c->superseded.lineage_id;
        f->supersedes = c->superseded.id;
    }
    f->operation = c->operation;
    return EG_OK;
}

/* Conflicts of the fact that are open now, for the receipt. */
static eg_status open_conflicts(commit *c, eg_id fact, eg_receipt *out) {
    eg_conflict_filter filter = {.workspace = c->rq->workspace, .status = EG_CONFLICT_OPEN, .fact = fact, .limit = EG_MAX_LISTED};
    eg_conflict *rows = NULL;
    eg_status s = STORE(c->m, conflicts, c->rq, &filter, &rows, &out->conflict_count);
    return s == EG_OK ? eg_conflict_views(c->m, c->rq, rows, out->conflict_count, &out->conflicts) : s;
}

/* Closes what is superseded, with its conflicts. */
static void draft_supersede(commit *c, eg_draft *d) {
    eg_draft_require(d, EG_REQUIRE_HEAD)->id = c->superseded.id;
    eg_draft_close(d, &c->superseded, EG_CLOSE_SUPERSEDED, "the fact was superseded");
}

/* The text is known: nothing is stored but what the commit says about other facts, and about how long this one lasts. */
static eg_status answer_duplicate(commit *c, const eg_fact *existing, eg_receipt *out) {
    int64_t until = c->row.fact.ttl_days ? c->now + c->row.fact.ttl_days * EG_DAY : EG_FOREVER;
    int longer = existing->valid_until < until &&
                 (until == EG_FOREVER || until - existing->valid_until >= EG_DAY); /* no mere repetition */
    int promotes = c->args->durability == EG_DURABILITY_DURABLE && (existing->durability == EG_DURABILITY_EPHEMERAL || longer);
    /* only a lineage that was named: an update that looks for its match has found it in the equal fact */
    int closes = c->args->corrects_lineage.len && is_current(c, &c->superseded) && !eg_id_eq(c->superseded.id, existing->id);
    out->fact = *existing;
    out->duplicate = 1;
    out->operation = closes || promotes ? EG_OP_UPDATE : EG_OP_NONE;
    if (!promotes && !closes) return EG_OK;
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    if (promotes) eg_draft_promote(&d, c->m, existing, until);
    if (closes) {
        eg_draft_require(&d, EG_REQUIRE_CURRENT)->id = existing->id;
        draft_supersede(c, &d);
        eg_draft_audit(&d, "delete", c->superseded.id, existing->id, EG_STR("{}"));
    }
    eg_applied applied;
    eg_status s = eg_draft_apply(&d, c->m, &applied);
    if (s != EG_OK) return s;
    out->undo_id = closes ? applied.audit_id : 0; /* a promotion is not undone */
    return STORE(c->m, fact, c->rq, existing->id, &out->fact);
}

static eg_status retire(commit *c, eg_receipt *out) {
    if (!is_current(c, &c->superseded))
        return eg_request_fail(c->rq, EG_ENOENT, "the lineage has no current fact: it was %s already",
                               c->superseded.close_reason ? "closed" : "expired");
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    eg_draft_close(&d, &c->superseded, EG_CLOSE_DELETED, "the fact was deleted");
    eg_draft_audit(&d, "delete", c->superseded.id, (eg_id){{0}}, EG_STR("{}"));
    eg_applied applied;
    eg_status s = eg_draft_apply(&d, c->m, &applied);
    if (s != EG_OK) return s;
    out->operation = EG_OP_DELETE;
    out->detection_done = 1;
    out->undo_id = applied.audit_id;
    return STORE(c->m, fact, c->rq, c->superseded.id, &out->fact);
}

static eg_status insert(commit *c, eg_receipt *out) {
    eg_fact *f = &c->row.fact;
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    eg_precondition *unique = eg_draft_require(&d, EG_REQUIRE_HASH_FREE);
    unique->text = f->scope;
    unique->hash = f->content_hash;
    int closes = !eg_id_is_none(c->superseded.id) && is_current(c, &c->superseded);
    if (closes) {
        draft_supersede(c, &d);
    } else {
        eg_draft_require(&d, EG_REQUIRE_LINEAGE_FREE)->id = f->lineage_id; /* still so when it is written */
    }
    eg_draft_add(&d, EG_CHANGE_FACT)->new_fact = &c->row;
    if (f->durability == EG_DURABILITY_DURABLE) eg_draft_job(&d, c->m, EG_JOB_DETECT, f->id, 0);
    if (c->row.vector_count == 0) eg_draft_job(&d, c->m, EG_JOB_EMBED, f->id, 0);
    eg_change *agent = eg_draft_add(&d, EG_CHANGE_AGENT);
    agent->text = f->agent_id;
    agent->text2 = f->engineer;
    agent->number = 1;
    eg_draft_audit(&d, "commit", f->id, closes ? c->superseded.id : (eg_id){{0}}, EG_STR("{}"));
    d.leaves_jobs = 0; /* not yet: the commit itself may wait for the verdict, see run() */
    eg_applied applied;
    eg_status s = eg_draft_apply(&d, c->m, &applied);
    if (s != EG_OK) return s;
    out->operation = c->operation;
    out->undo_id = applied.audit_id;
    return STORE(c->m, fact, c->rq, f->id, &out->fact);
}

/* Decides against the store as it is now and writes; EG_ECONFLICT when another writer was faster. */
static eg_status decide_and_write(commit *c, eg_receipt *out) {
    eg_status s = eg_now(c->m, c->rq, &c->now);
    if (s == EG_OK) s = find_lineage(c);
    if (s != EG_OK) return s;
    if (c->operation == EG_OP_DELETE) return retire(c, out);
    eg_filter here = {.workspace = c->rq->workspace, .scope = c->row.fact.scope, .ephemeral = 1, .fact_type = -1};
    eg_fact existing;
    s = STORE(c->m, current_by_hash, c->rq, &here, c->row.fact.content_hash, &existing);
    if (s == EG_OK) return answer_duplicate(c, &existing, out);
    return s == EG_ENOENT ? insert(c, out) : s;
}

static eg_status wait_for_verdict(commit *c, eg_receipt *out) {
    int32_t wait_ms = c->args->wait_ms < 0 ? c->m->env.default_wait_ms : c->args->wait_ms;
    if (out->fact.durability == EG_DURABILITY_EPHEMERAL || out->operation == EG_OP_DELETE) {
        out->detection_done = 1;
        return EG_OK;
    }
    int64_t deadline = eg_clock_monotonic() + (int64_t)wait_ms * 1000;
    eg_status s = EG_OK;
    if (wait_ms > 0) {
        s = eg_jobs_wait(c->m, c->rq, out->fact.id, deadline, &out->detection_done);
    } else {
        size_t left = 0, dead = 0;
        s = STORE(c->m, jobs_of, c->rq, out->fact.id, &left, &dead);
        out->detection_done = s == EG_OK && left + dead == 0;
    }
    /* The fact is stored: trouble with its verdict must not read as a failed commit. The job remains. */
    if (s != EG_OK) {
        SERVICES(c->m)->log(c->m->env.host, EG_LOG_WARN, "memory", c->rq->err->text);
        out->detection_done = 0;
        *c->rq->err = (eg_error){0};
    }
    return open_conflicts(c, out->fact.id, out);
}

static eg_status run(commit *c, eg_receipt *out) {
    eg_status s = validate(c);
    if (s != EG_OK || c->args->operation == EG_OP_NONE) return s;
    if (c->args->operation != EG_OP_DELETE) {
        eg_fact *f = &c->row.fact;
        if ((s = eg_pass_gates(c->m, c->rq, c->args)) != EG_OK) return s;
        if ((s = eg_content_hash(c->m, c->rq, c->arena, f->content, f->content_hash)) != EG_OK) return s;
        if ((s = eg_derive_text(c->rq, c->arena, f->content, f->scope, &c->derived)) != EG_OK) return s;
        if ((s = eg_derive_vectors(c->m, c->rq, f->content, &c->derived)) != EG_OK) return s;
        f->id = SERVICES(c->m)->new_id(c->m->env.host);
        eg_derived_attach(&c->derived, &c->row);
    }
    s = EG_ECONFLICT;
    for (int i = 0; s == EG_ECONFLICT && i < MAX_RETRIES; i++) s = decide_and_write(c, out);
    if (s == EG_ECONFLICT)
        return eg_request_fail(c->rq, EG_EBUSY, "other writers changed the same facts %d times in a row: try again", MAX_RETRIES);
    if (s == EG_OK) s = wait_for_verdict(c, out);
    eg_memory_wake(c->m); /* whatever is left, also what could not be leased while this commit held a lease */
    return s;
}

eg_status eg_memory_commit(eg_memory *m, eg_request *rq, const eg_commit_args *args, eg_receipt *out) {
    *out = (eg_receipt){.operation = EG_OP_NONE, .detection_done = 1};
    eg_arena arena;
    eg_arena_init(&arena, 0);
    commit *c = eg_request_array(rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    *c = (commit){.m = m, .rq = rq, .args = args, .arena = &arena};
    eg_status s = run(c, out);
    eg_arena_release(&arena);
    return s;
}
