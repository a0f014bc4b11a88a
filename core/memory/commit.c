/* commit.c - the way of a fact into the store: validate -> gates -> hash -> given statements ->
 * derive -> lineage -> change set -> one transaction -> verdict in time or a job. Read
 * eg_memory_commit from top to bottom. */
#include "core/memory/commit.h"

#include "core/base/clock.h"
#include "core/base/utf8.h"
#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/cited.h"
#include "core/memory/conflicts.h"
#include "core/memory/derive.h"
#include "core/memory/gates.h"
#include "core/memory/given.h"
#include "core/memory/ids.h"
#include "core/memory/jobs.h"
#include "core/memory/reads.h"
#include "core/memory/replaced.h"

enum { EPHEMERAL_DAYS = 1 };

/* A checked commit on its way. */
typedef struct commit {
    eg_memory *m;
    eg_request *rq;
    const eg_commit_args *args;
    eg_arena *arena;
    eg_new_fact row;
    eg_derived derived;
    eg_fact superseded;     /* id none: nothing is superseded */
    const eg_fact *nearest; /* of an update that found nothing to supersede; NULL: none */
    uint32_t operation;     /* what is done in the end */
    int32_t wait_ms;        /* for the verdict */
    eg_own_job job;         /* of the new fact; token none: it is not leased */
    eg_str payload;         /* of the audit row */
} commit;

static eg_str or_empty(eg_str s) { return s.ptr ? s : EG_STR(""); }

static eg_status validate(commit *c) {
    const eg_commit_args *a = c->args;
    eg_request *rq = c->rq;
    eg_str agent = a->agent_id.len ? a->agent_id : rq->who->agent; /* also the client's own name */
    eg_status s;
    if (a->operation != EG_OP_DELETE && a->operation != EG_OP_NONE &&
        (s = eg_check_stored(rq, "content", a->content, EG_MAX_CONTENT, 1)) != EG_OK)
        return s;
    if ((s = eg_check_stored(rq, "agent_id", agent, EG_MAX_NAME, 0)) != EG_OK ||
        (s = eg_check_stored(rq, "engineer", a->engineer, EG_MAX_NAME, 0)) != EG_OK ||
        (s = eg_check_stored(rq, "provenance", a->provenance, EG_MAX_PROVENANCE, 0)) != EG_OK ||
        (s = eg_check_stored(rq, "artifact_hash", a->artifact_hash, EG_MAX_PROVENANCE, 0)) != EG_OK ||
        (s = eg_check_stored(rq, "reason", a->reason, EG_MAX_RESOLUTION, 0)) != EG_OK)
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
        return eg_request_fail(rq, EG_EINVAL, "operation delete needs corrects_lineage: the fact_id of what to close");

    if ((s = eg_given_check(rq, a)) != EG_OK) return s;

    eg_fact *f = &c->row.fact;
    if ((s = eg_check_scope(rq, a->scope, 0, &f->scope)) != EG_OK) return s;
    f->content = a->content;
    f->agent_id = agent;
    f->engineer = or_empty(a->engineer);
    f->provenance = or_empty(a->provenance);
    f->artifact_hash = or_empty(a->artifact_hash);
    if (!f->artifact_hash.len && (s = eg_cited_hash(c->m, rq, f->provenance, &f->artifact_hash)) != EG_OK) return s;
    f->closed_by = EG_STR("");
    f->confidence = a->confidence;
    f->fact_type = a->fact_type;
    f->durability = a->durability;
    f->ttl_days = a->ttl_days ? a->ttl_days : a->durability == EG_DURABILITY_EPHEMERAL ? EPHEMERAL_DAYS : 0;
    c->row.lifetime = f->ttl_days * EG_DAY;
    return EG_OK;
}

/* The newest fact of the lineage (or of the lineage that the named fact belongs to). EG_ENOENT
 * when it is unknown. */
static eg_status lineage_head(commit *c, eg_str name, eg_fact *head) {
    eg_id id;
    eg_status s = eg_id_resolve(c->m, c->rq, "corrects_lineage", name, &id);
    if (s != EG_OK) return s;
    s = eg_read_head(c->m, c->rq, id, head);
    if (s == EG_ENOENT)
        return eg_request_fail(c->rq, EG_ENOENT, "corrects_lineage '%.*s' names no lineage of this workspace: query for it first",
                               (int)(name.len < 60 ? name.len : 60), name.ptr);
    return s;
}

/* Whether a fact that the store gave is current. Its time is asked for only when the fact has an
 * end. */
static eg_status is_current(const commit *c, const eg_fact *f, int *current) {
    *current = f->close_reason == EG_CLOSE_NONE;
    if (!*current || f->valid_until == EG_FOREVER) return EG_OK;
    int64_t now;
    eg_status s = eg_now(c->m, c->rq, &now);
    *current = s == EG_OK && f->valid_from <= now && now < f->valid_until;
    return s;
}

/* The fact that is corrected must be the one that was named, and current. */
static eg_status refuse_other_version(const commit *c) {
    const eg_fact *head = &c->superseded;
    eg_str name = c->args->corrects_lineage;
    eg_id id;
    int current;
    eg_status s = eg_id_resolve(c->m, c->rq, "corrects_lineage", name, &id);
    if (s == EG_OK) s = is_current(c, head, &current);
    if (s != EG_OK || (current && eg_id_eq(id, head->id))) return s;
    char text[EG_ID_TEXT];
    eg_id_format(head->id, text);
    enum { QUOTED = 160 };
    size_t n = eg_utf8_floor(head->content.ptr, head->content.len, QUOTED);
    if (current)
        return eg_request_fail(c->rq, EG_EINVAL,
                               "corrects_lineage '%.*s' names a fact that was replaced; its current version is %s (\"%.*s%s\"): "
                               "name that one",
                               (int)(name.len < 60 ? name.len : 60), name.ptr, text, (int)n, head->content.ptr,
                               n < head->content.len ? "..." : "");
    return eg_request_fail(c->rq, EG_EINVAL,
                           "corrects_lineage '%.*s' names a fact that %s, and no version of it is current: commit what holds now "
                           "as a new fact, or bring it back with restore",
                           (int)(name.len < 60 ? name.len : 60), name.ptr, head->close_reason ? "was closed" : "has expired");
}

static eg_status find_lineage(commit *c) {
    eg_fact *f = &c->row.fact;
    c->superseded = (eg_fact){0};
    c->nearest = NULL;
    c->operation = c->args->operation;
    f->supersedes = (eg_id){{0}};
    f->lineage_id = f->id;
    eg_status s = EG_OK;
    if (c->args->corrects_lineage.len) {
        if ((s = lineage_head(c, c->args->corrects_lineage, &c->superseded)) != EG_OK) return s;
        if (c->args->flags & EG_COMMIT_EXACT && (s = refuse_other_version(c)) != EG_OK) return s;
        c->operation = c->args->operation == EG_OP_DELETE ? EG_OP_DELETE : EG_OP_UPDATE;
    } else if (c->args->operation == EG_OP_UPDATE) {
        eg_replaced found = {0};
        if (c->derived.vector_count) s = eg_find_replaced(c->m, c->rq, f, &c->derived.vectors[0], &found);
        if (s != EG_OK) return s;
        c->superseded = found.fact;
        c->nearest = found.nearest;
        if (eg_id_is_none(c->superseded.id)) c->operation = EG_OP_ADD;
    }
    f->marks = 0;
    if (!eg_id_is_none(c->superseded.id)) {
        f->lineage_id = c->superseded.lineage_id;
        f->supersedes = c->superseded.id;
        /* what is pinned stays so, unless its new version is to end */
        if (!c->row.lifetime) f->marks = c->superseded.marks & EG_MARK_PINNED;
    }
    f->operation = c->operation;
    return EG_OK;
}

/* Closes what is superseded, with its conflicts. */
static void draft_supersede(commit *c, eg_draft *d) {
    eg_draft_require(d, EG_REQUIRE_HEAD)->fact = c->superseded.id;
    eg_draft_close_for(d, &c->superseded, EG_CLOSE_SUPERSEDED, "superseded", c->args->reason);
}

/* *longer: 1 when this commit keeps the known fact clearly longer than it is kept anyway: a mere
 * repetition does not. */
static eg_status keeps_longer(const commit *c, const eg_fact *existing, int *longer) {
    *longer = existing->valid_until < EG_FOREVER;
    if (!*longer || c->row.lifetime == 0) return EG_OK;
    int64_t now;
    eg_status s = eg_now(c->m, c->rq, &now);
    *longer = s == EG_OK && now + c->row.lifetime - existing->valid_until >= EG_DAY;
    return s;
}

/* The text is known: nothing is stored but what the commit says about other facts, and about how
 * long this one lasts. */
static eg_status answer_duplicate(commit *c, const eg_fact *existing, eg_receipt *out) {
    int longer, closes = 0;
    eg_status s = keeps_longer(c, existing, &longer);
    /* only a lineage that was named: an update that looks for its match has found it in the
     * equal fact */
    if (s == EG_OK && c->args->corrects_lineage.len && !eg_id_eq(c->superseded.id, existing->id))
        s = is_current(c, &c->superseded, &closes);
    if (s != EG_OK) return s;
    int promotes = c->args->durability == EG_DURABILITY_DURABLE && (existing->durability == EG_DURABILITY_EPHEMERAL || longer);
    out->fact = *existing;
    out->duplicate = 1;
    out->operation = closes || promotes ? EG_OP_UPDATE : EG_OP_NONE;
    if (!promotes && !closes) return EG_OK;
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    if (promotes) eg_draft_promote(&d, c->m, existing, c->row.lifetime);
    if (closes) {
        eg_draft_require(&d, EG_REQUIRE_CURRENT)->fact = existing->id;
        draft_supersede(c, &d);
        eg_draft_audit(&d, "delete", c->superseded.id, existing->id, c->payload);
    }
    eg_applied applied;
    s = eg_draft_apply(&d, c->m, &applied);
    if (s != EG_OK) return s;
    out->undo_id = closes ? applied.audit_id : 0; /* a promotion is not undone */
    eg_fact now;
    if (eg_draft_told(c->m, c->rq, eg_read_fact(c->m, c->rq, existing->id, &now, NULL), &out->warning)) out->fact = now;
    return EG_OK;
}

static eg_status retire(commit *c, eg_receipt *out) {
    int current;
    eg_status s = is_current(c, &c->superseded, &current);
    if (s != EG_OK) return s;
    if (!current)
        return eg_request_fail(c->rq, EG_ENOENT, "the lineage has no current fact: it was %s already",
                               c->superseded.close_reason ? "closed" : "expired");
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    eg_draft_close_for(&d, &c->superseded, EG_CLOSE_DELETED, "deleted", c->args->reason);
    eg_draft_audit(&d, "delete", c->superseded.id, (eg_id){{0}}, c->payload);
    eg_applied applied;
    s = eg_draft_apply(&d, c->m, &applied);
    if (s != EG_OK) return s;
    out->operation = EG_OP_DELETE;
    out->detection_done = 1;
    out->undo_id = applied.audit_id;
    eg_fact now;
    int read = eg_draft_told(c->m, c->rq, eg_read_fact(c->m, c->rq, c->superseded.id, &now, NULL), &out->warning);
    out->fact = read ? now : c->superseded;
    return EG_OK;
}

/* The row as the store has it now, without reading it back. */
static void tell_inserted(const commit *c, const eg_applied *applied, eg_receipt *out) {
    out->operation = c->operation;
    out->undo_id = applied->audit_id;
    out->nearest = c->nearest;
    out->fact = c->row.fact;
    out->fact.seq = applied->fact_seq;
    out->fact.committed_at = out->fact.valid_from = applied->time;
    out->fact.valid_until = c->row.lifetime ? applied->time + c->row.lifetime : EG_FOREVER;
}

/* Inserts the fact, if its text is not known yet in its scope: the store looks that up when it
 * writes. */
static eg_status insert(commit *c, eg_receipt *out) {
    eg_fact *f = &c->row.fact;
    int closes = 0;
    eg_status s = eg_id_is_none(c->superseded.id) ? EG_OK : is_current(c, &c->superseded, &closes);
    if (s != EG_OK) return s;
    eg_draft d;
    eg_draft_begin(&d, c->rq);
    d.actor = c->row.fact.agent_id;
    /* Checked first: when it alone fails, the text is known. */
    eg_precondition *unknown = eg_draft_require(&d, EG_REQUIRE_HASH_FREE);
    unknown->hash_free.scope = f->scope;
    unknown->hash_free.hash = f->content_hash;
    if (closes) {
        draft_supersede(c, &d);
    } else {
        /* Still so when it is written. */
        eg_draft_require(&d, EG_REQUIRE_LINEAGE_FREE)->lineage.id = f->lineage_id;
    }
    eg_draft_add(&d, EG_CHANGE_FACT)->new_fact = &c->row;
    if (f->durability == EG_DURABILITY_DURABLE) eg_jobs_lease(&c->job, eg_draft_job(&d, c->m, EG_JOB_DETECT, f->id, 0));
    if (c->row.vector_count == 0) eg_draft_job(&d, c->m, EG_JOB_EMBED, f->id, 0);
    eg_change *agent = eg_draft_add(&d, EG_CHANGE_AGENT);
    agent->agent.agent_id = f->agent_id;
    agent->agent.engineer = f->engineer;
    agent->agent.commits = 1;
    eg_draft_audit(&d, "commit", f->id, closes ? c->superseded.id : (eg_id){{0}}, c->payload);
    d.leaves_jobs = 0; /* not yet: the commit itself may wait for the verdict, see run() */
    eg_applied applied;
    s = eg_draft_apply(&d, c->m, &applied);
    if (s == EG_OK) tell_inserted(c, &applied, out);
    if (s != EG_ECONFLICT || applied.failed > 0) return s;
    eg_fact existing;
    s = eg_read_fact(c->m, c->rq, applied.failed_row, &existing, NULL);
    return s == EG_OK ? answer_duplicate(c, &existing, out) : s;
}

/* Decides against the store as it is now and writes; EG_ECONFLICT when another writer was
 * faster. */
static eg_status decide_and_write(commit *c, eg_receipt *out) {
    eg_status s = find_lineage(c);
    if (s != EG_OK) return s;
    return c->operation == EG_OP_DELETE ? retire(c, out) : insert(c, out);
}

/* Whether the fact is decided, after the wait that was asked for, and its open conflicts. */
static eg_status find_verdict(commit *c, eg_receipt *out) {
    int64_t deadline = eg_clock_monotonic() + (int64_t)c->wait_ms * 1000;
    eg_detected detected = {.rq = c->rq};
    eg_status s = EG_OK;
    if (!eg_id_is_none(c->job.token)) {
        s = eg_jobs_run_own(c->m, c->rq, &c->job, &out->fact, &c->derived, deadline, &detected, &out->detection_done);
    } else if (c->wait_ms > 0) {
        s = eg_jobs_wait(c->m, c->rq, out->fact.id, deadline, &out->detection_done);
    } else if (out->duplicate) {
        uint32_t waiting, dead;
        s = eg_read_jobs(c->m, c->rq, out->fact.id, &waiting, &dead);
        out->detection_done = s == EG_OK && waiting + dead == 0;
    } else {
        out->detection_done = 0; /* its job was just queued */
    }
    out->conflicts = detected.views;
    out->conflict_count = detected.count;
    out->suspected = detected.suspected;
    out->suspected_count = detected.suspected_count;
    out->related = detected.related;
    out->related_count = detected.related_count;
    return s;
}

static eg_status add_verdict(commit *c, eg_receipt *out) {
    int ran_own = !eg_id_is_none(c->job.token);
    out->detection_done = 1;
    if (out->operation == EG_OP_DELETE) return EG_OK;
    /* The fact is stored: trouble with its verdict must not read as a failed commit. The job
     * remains. */
    eg_status s = out->fact.durability == EG_DURABILITY_EPHEMERAL ? EG_OK : find_verdict(c, out);
    if (!eg_draft_told(c->m, c->rq, s, &out->warning)) out->detection_done = 0;
    /* Others may have found conflicts of a fact that was known before, or whose job they ran. What
     * the latter suspects, nobody else asks about. */
    int told = !out->duplicate && (ran_own || c->wait_ms == 0 || out->fact.durability == EG_DURABILITY_EPHEMERAL);
    if (told) return EG_OK;
    s = eg_conflicts_of(c->m, c->rq, out->fact.id, !out->duplicate, out);
    /* of a duplicate nothing was stored: it may fail as a query may */
    if (s != EG_OK && out->duplicate && out->operation == EG_OP_NONE) return s;
    if (!eg_draft_told(c->m, c->rq, s, &out->warning)) out->detection_done = 0;
    return EG_OK;
}

/* The gates see what will be stored: also the agent that no argument names; of a deletion, which
 * keeps no content, the names alone. */
static eg_status pass_gates(const commit *c) {
    eg_commit_args stored = *c->args;
    stored.agent_id = c->row.fact.agent_id;
    if (stored.operation == EG_OP_DELETE) {
        stored.content = EG_STR("");
        stored.statements = NULL;
        stored.statement_count = 0;
    }
    stored.reason = (eg_str){0};
    eg_status s = eg_pass_gates(c->m, c->rq, &stored);
    return s == EG_OK ? eg_pass_reason(c->m, c->rq, stored.agent_id, c->args->reason) : s;
}

/* Everything about the new fact that is known before the store is asked. */
static eg_status prepare(commit *c) {
    eg_fact *f = &c->row.fact;
    eg_status s = eg_content_hash(c->m, c->rq, c->arena, f->content, f->content_hash);
    eg_statement_list given = {0};
    if (s == EG_OK) s = eg_given_match(c->rq, c->arena, c->args, f->scope, &given);
    if (s == EG_OK) s = eg_derive_text(c->rq, c->arena, f->content, f->scope, given, &c->derived);
    if (s == EG_OK) s = eg_derive_vectors(c->m, c->rq, f->content, &c->derived);
    if (s != EG_OK) return s;
    f->id = SERVICES(c->m)->new_id(c->m->env.host);
    eg_derived_attach(&c->derived, &c->row);
    c->wait_ms = c->args->wait_ms < 0 ? c->m->env.default_wait_ms : c->args->wait_ms;
    if (c->wait_ms > 0 && f->durability == EG_DURABILITY_DURABLE) c->job = eg_jobs_reserve(c->m);
    return EG_OK;
}

static eg_status run(commit *c, eg_receipt *out) {
    eg_status s = validate(c);
    if (s != EG_OK || c->args->operation == EG_OP_NONE) return s;
    if ((s = pass_gates(c)) != EG_OK || (s = eg_draft_reason(c->rq, c->args->reason, &c->payload)) != EG_OK) return s;
    if (c->args->operation != EG_OP_DELETE && (s = prepare(c)) != EG_OK) return s;
    s = EG_ECONFLICT;
    for (int i = 0; s == EG_ECONFLICT && i < MAX_RETRIES; i++) s = decide_and_write(c, out);
    if (s != EG_OK || out->duplicate) eg_jobs_forget(c->m, &c->job);
    if (s == EG_ECONFLICT)
        return eg_request_fail(c->rq, EG_EBUSY, "other writers changed the same facts %d times in a row: try again", MAX_RETRIES);
    if (s == EG_OK) s = add_verdict(c, out);
    /* For what is left, also jobs that waited while this commit used a slot. */
    eg_memory_wake(c->m);
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
