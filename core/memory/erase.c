/* erase.c - takes the texts of facts away for good: unlike a deletion, no history has them any more
 * and no undo brings them back. That there were such facts, when, and in which conflicts, stays,
 * and so does the audit chain, which covers hashes of payloads only; its record of the erasing
 * names the facts by their windows (digests.c counts on that), and has the digests of other facts
 * that go with the payloads. */
#include "core/memory/erase.h"

#include "core/base/arena.h"
#include "core/base/status.h"
#include "core/memory/arguments.h"
#include "core/memory/changes.h"
#include "core/memory/digests.h"
#include "core/memory/ids.h"
#include "core/memory/reads.h"

enum { BATCH = 256 /* facts of one read */ };

typedef struct erasing {
    eg_memory *m;
    eg_request *rq;
    const eg_erase_args *args;
    eg_erased *out;
    eg_arena arena;
    eg_str scope;
    eg_fact named; /* of fact_id; seq 0: it was erased before */
    eg_id *ids;
    size_t count, capacity;
} erasing;

static eg_status keep(erasing *e, const eg_fact *f) {
    if (e->count == e->capacity) {
        size_t more = e->capacity ? 2 * e->capacity : 256;
        eg_id *ids = eg_arena_array(&e->arena, more, sizeof *ids);
        if (!ids) return eg_fail_memory(e->rq->err, more * sizeof *ids);
        if (e->count) memcpy(ids, e->ids, e->count * sizeof *ids);
        e->ids = ids;
        e->capacity = more;
    }
    e->ids[e->count++] = f->id;
    if (e->out->example_count == EG_ERASED_EXAMPLES) return EG_OK;
    return eg_fact_copy(e->rq, f, &e->out->examples[e->out->example_count++]);
}

/* With fact_id: that fact and all with its text, such as copies that undo made. */
static int is_meant(const erasing *e, const eg_fact *f) {
    return !e->args->fact_id.len || memcmp(f->content_hash, e->named.content_hash, sizeof f->content_hash) == 0;
}

static eg_status read_page(erasing *e, int64_t *after, int *more) {
    const eg_filter filter = {.size = sizeof filter,
                              .flags = EG_FILTER_HISTORY | EG_FILTER_EPHEMERAL,
                              .scope = e->scope,
                              .agent_id = e->args->agent_id};
    eg_request *rq = NULL;
    eg_fact *page = NULL;
    size_t n = 0;
    eg_status s = eg_request_in(e->m, e->rq->workspace, e->rq->who, &e->rq->cancel, &rq, e->rq->err);
    if (s != EG_OK) return s;
    s = STORE(e->m, page, rq, &filter, *after, BATCH, &page, &n);
    if (s != EG_OK) *e->rq->err = *rq->err;
    for (size_t i = 0; s == EG_OK && i < n; i++)
        if (is_meant(e, &page[i])) s = keep(e, &page[i]);
    if (n) *after = page[n - 1].seq;
    *more = n == BATCH;
    SERVICES(e->m)->request_release(e->m->env.host, rq);
    return s;
}

/* An id of a fact, also of one that was erased already: then only the files are looked after. */
static eg_status read_named(erasing *e) {
    eg_id id;
    eg_status s = eg_id_resolve(e->m, e->rq, "fact_id", e->args->fact_id, &id);
    if (s == EG_OK) s = eg_read_facts(e->m, e->rq, &id, 1, &e->named, NULL);
    if (s != EG_OK || e->named.seq) return s;
    eg_conflict c;
    s = eg_read_conflict(e->m, e->rq, id, &c);
    if (s == EG_OK)
        return eg_request_fail(e->rq, EG_EINVAL, "fact_id '%.*s' is a conflict: give the id of a fact", (int)e->args->fact_id.len,
                               e->args->fact_id.ptr);
    if (s != EG_ENOENT) return s;
    *e->rq->err = (eg_error){0};
    return EG_OK;
}

static eg_status select_facts(erasing *e) {
    const eg_erase_args *a = e->args;
    int64_t after = 0;
    int more = 1;
    if (!a->fact_id.len && !a->scope.len && !a->agent_id.len)
        return eg_request_fail(e->rq, EG_EINVAL, "name what is erased: fact_id, scope or agent_id");
    if (a->fact_id.len && (a->scope.len || a->agent_id.len))
        return eg_request_fail(e->rq, EG_EINVAL, "fact_id names one fact: leave out scope and agent_id");
    eg_status s = eg_check_scope(e->rq, a->scope, 1, &e->scope);
    if (s == EG_OK) s = eg_check_text(e->rq, "agent_id", a->agent_id, EG_MAX_NAME, 0);
    if (s == EG_OK && a->fact_id.len) s = read_named(e);
    if (s == EG_OK && a->fact_id.len && !e->named.seq) return EG_OK;
    while (s == EG_OK && more) s = read_page(e, &after, &more);
    return s;
}

static eg_status write(erasing *e) {
    eg_draft d;
    eg_applied applied;
    eg_digests_kept kept;
    eg_status s = eg_digests_keep(e->m, e->rq, &e->arena, e->ids, e->count, &kept);
    if (s != EG_OK) return s;
    eg_draft_begin(&d, e->rq);
    for (size_t i = 0; i < e->count; i++) {
        eg_change *close = eg_draft_add(&d, EG_CHANGE_CLOSE);
        close->close.fact = e->ids[i];
        close->close.reason = EG_CLOSE_ERASED;
        close->close.by = d.actor;
    }
    eg_change *erase = eg_draft_add(&d, EG_CHANGE_ERASE);
    erase->erase.facts = e->ids;
    erase->erase.count = e->count;
    erase->erase.records = kept.records;
    erase->erase.record_count = kept.record_count;
    for (size_t i = 0; i < e->count; i++) {
        eg_change *end = eg_draft_add(&d, EG_CHANGE_END_CONFLICTS);
        end->end_conflicts.fact = e->ids[i];
        end->end_conflicts.by = d.actor;
        end->end_conflicts.resolution = EG_STR("the fact was erased");
    }
    eg_str payload = eg_request_printf(e->rq, "{\"facts\":%zu%.*s}", e->count, (int)kept.members.len, kept.members.ptr);
    if (!payload.ptr) return EG_ENOMEM;
    eg_draft_audit(&d, "erase", e->ids[0], (eg_id){{0}}, payload);
    s = eg_draft_apply(&d, e->m, &applied);
    if (s == EG_OK) e->out->conflicts_ended = applied.conflicts_ended;
    return s;
}

static eg_status purge(erasing *e) {
    const eg_storage_ops *ops = e->m->env.storage_ops;
    eg_purged purged;
    if (!EG_HAS(ops, purge) || !ops->purge)
        return eg_request_fail(e->rq, EG_EUNSUPPORTED,
                               "%zu facts were erased, but the storage '%s' cannot clean its files: its server has to", e->count,
                               ops->name);
    eg_status s = STORE(e->m, purge, e->rq, &purged);
    if (s == EG_OK) {
        e->out->purged = 1;
        e->out->copies_removed = purged.copies;
        return EG_OK;
    }
    char why[sizeof e->rq->err->text];
    memcpy(why, e->rq->err->text, sizeof why);
    return eg_request_fail(e->rq, s, "%zu facts were erased, but not yet from the bytes of the files: %s", e->count, why);
}

eg_status eg_memory_erase(eg_memory *m, eg_request *rq, const eg_erase_args *args, eg_erased *out) {
    erasing e = {.m = m, .rq = rq, .args = args, .out = out};
    *out = (eg_erased){.examples = eg_request_array(rq, EG_ERASED_EXAMPLES, sizeof *out->examples)};
    if (!out->examples) return EG_ENOMEM;
    eg_arena_init(&e.arena, 0);
    eg_status s = select_facts(&e);
    out->facts = e.count;
    int dry_run = (args->flags & EG_ERASE_DRY_RUN) != 0;
    if (s == EG_OK && e.count && !dry_run) s = write(&e);
    if (s == EG_OK && args->flags & EG_ERASE_HARD && !dry_run) s = purge(&e);
    eg_arena_release(&e.arena);
    return s;
}
