/* fake_memory.c - the operations of the made-up memory. See fake_host.h.
 *
 * "sleep:300" anywhere in a topic or content makes the operation take 300 ms (less when it is
 * cancelled) and tell its progress, so that a test can see what runs beside what: operations number
 * their begins and ends on one clock, which stands in `why` of a query's first result ("begin 3 end
 * 8 beside 2") and in undo_id of a commit (begin * 1000 + end). With "stuck" it says meanwhile that
 * it waits for another process. */
#include "fake_host.h"

#include <stdlib.h>
#include <time.h>

typedef struct kept {
    struct kept *next;
    char bytes[];
} kept;
static kept *all_kept;
static pthread_mutex_t keep_lock = PTHREAD_MUTEX_INITIALIZER;

eg_str fake_keep(eg_str s) {
    kept *k = calloc(1, sizeof *k + s.len + 1);
    if (!k) abort();
    if (s.len) memcpy(k->bytes, s.ptr, s.len);
    pthread_mutex_lock(&keep_lock);
    k->next = all_kept;
    all_kept = k;
    pthread_mutex_unlock(&keep_lock);
    return (eg_str){k->bytes, s.len};
}

void fake_keep_release(void) {
    while (all_kept) {
        kept *next = all_kept->next;
        free(all_kept);
        all_kept = next;
    }
}

eg_id fake_id(uint32_t kind, uint32_t n) {
    eg_id id = {{1, 0x98, 0xf0, 0, 0, 0, 0x70, (uint8_t)kind, 0x80}};
    for (int i = 0; i < 4; i++) id.bytes[15 - i] = (uint8_t)(n >> (8 * i));
    return id;
}

static int id_matches(eg_id id, eg_str text) {
    char full[33];
    size_t n = 0, from = text.len;
    for (size_t i = 0; i < 16; i++) n += (size_t)snprintf(full + n, 3, "%02x", id.bytes[i]);
    while (from > 0 && n > 0) {
        char c = text.ptr[--from];
        if (c == '-') continue;
        if (full[--n] != c) return 0;
    }
    return text.len > 0;
}

/* Begins an operation: counts, sleeps as the text asks. */
static uint64_t enter(fake_host *h, eg_request *rq, eg_str text, uint64_t *beside, int *cancelled) {
    pthread_mutex_lock(&h->lock);
    h->calls++;
    h->actor = fake_keep(rq->who->agent);
    h->inside++;
    uint64_t begin = ++h->clock;
    pthread_mutex_unlock(&h->lock);
    *beside = 0;
    *cancelled = 0;
    const char *at = text.len ? memmem(text.ptr, text.len, "sleep:", 6) : NULL;
    long ms = at ? strtol(at + 6, NULL, 10) : 0;
    int stuck = rq->waiting && text.len && memmem(text.ptr, text.len, "stuck", 5);
    if (stuck) __atomic_store_n(rq->waiting, 1, __ATOMIC_RELEASE);
    for (long i = 0; i < ms && !*cancelled; i += 5) {
        if (rq->progress) rq->progress(rq->progress_self, (size_t)(i / 5) + 1, (size_t)((ms + 4) / 5));
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        *cancelled = eg_cancel_is_set(&rq->cancel);
        pthread_mutex_lock(&h->lock);
        if (h->inside - 1 > *beside) *beside = h->inside - 1;
        pthread_mutex_unlock(&h->lock);
    }
    if (stuck) __atomic_store_n(rq->waiting, 0, __ATOMIC_RELEASE);
    return begin;
}

static uint64_t leave(fake_host *h) {
    pthread_mutex_lock(&h->lock);
    h->inside--;
    uint64_t end = ++h->clock;
    pthread_mutex_unlock(&h->lock);
    return end;
}

#define ENTER(text)                                                                                    \
    fake_host *h = (fake_host *)m;                                                                     \
    uint64_t beside, end;                                                                              \
    int cancelled;                                                                                     \
    uint64_t begin = enter(h, rq, (text), &beside, &cancelled);                                        \
    (void)beside, (void)begin, (void)end;                                                              \
    if (cancelled || h->fail) {                                                                        \
        leave(h);                                                                                      \
        return eg_request_fail(rq, cancelled ? EG_ECANCELLED : h->fail, "the made-up memory refuses"); \
    }

static eg_str first_word(eg_str s) {
    size_t n = 0;
    while (n < s.len && s.ptr[n] != ' ') n++;
    return (eg_str){s.ptr, n};
}

static const eg_fact *fact_by_id(const fake_host *h, eg_id id) {
    for (size_t i = 0; i < h->fact_count; i++)
        if (eg_id_eq(h->facts[i].id, id)) return &h->facts[i];
    return NULL;
}

static eg_status fake_commit(eg_memory *m, eg_request *rq, const eg_commit_args *a, eg_receipt *out) {
    ENTER(a->content)
    pthread_mutex_lock(&h->lock);
    h->commit = *a;
    h->commit.content = fake_keep(a->content);
    h->commit.scope = fake_keep(a->scope);
    h->commit.agent_id = fake_keep(a->agent_id);
    h->commit.engineer = fake_keep(a->engineer);
    h->commit.provenance = fake_keep(a->provenance);
    h->commit.artifact_hash = fake_keep(a->artifact_hash);
    h->commit.corrects_lineage = fake_keep(a->corrects_lineage);
    for (size_t i = 0; i < a->statement_count; i++) h->statements[i] = fake_keep(a->statements[i]);
    h->commit.statements = h->statements;
    if (a->operation != EG_OP_NONE && h->fact_count < FAKE_FACTS) {
        uint32_t n = (uint32_t)h->fact_count;
        eg_fact *f = &h->facts[h->fact_count++];
        *f = (eg_fact){.seq = n + 1,
                       .id = fake_id(1, n + 1),
                       .lineage_id = fake_id(2, n + 1),
                       .content = h->commit.content,
                       .scope = a->scope.len ? h->commit.scope : EG_STR("general"),
                       .agent_id = h->commit.agent_id,
                       .engineer = h->commit.engineer,
                       .provenance = h->commit.provenance,
                       .artifact_hash = h->commit.artifact_hash,
                       .confidence = a->confidence,
                       .fact_type = a->fact_type,
                       .operation = a->operation,
                       .durability = a->durability,
                       .ttl_days = a->ttl_days,
                       .committed_at = INT64_C(1785230400000000) + n,
                       .valid_from = INT64_C(1785230400000000) + n,
                       .valid_until = EG_FOREVER};
        out->conflicts = eg_request_array(rq, h->fact_count, sizeof *out->conflicts);
        for (size_t i = 0; i < n && out->conflicts && h->conflict_count < FAKE_FACTS; i++) {
            eg_fact *other = &h->facts[i];
            if (other->closed_at || !eg_str_eq(first_word(other->content), first_word(f->content)) ||
                eg_str_eq(other->content, f->content) || !eg_str_eq(other->scope, f->scope))
                continue;
            other->open_conflicts++;
            f->open_conflicts++;
            eg_conflict *c = &h->conflicts[h->conflict_count++];
            *c = (eg_conflict){.id = fake_id(3, (uint32_t)h->conflict_count),
                               .fact_a = other->id,
                               .fact_b = f->id,
                               .detected_at = f->committed_at,
                               .tier = EG_STR("tier0_entity"),
                               .detector = EG_STR("fake 1"),
                               .score = 0.98765432,
                               .explanation = EG_STR("the same word"),
                               .severity = EG_SEVERITY_HIGH,
                               .status = EG_CONFLICT_OPEN};
            out->conflicts[out->conflict_count++] = (eg_conflict_view){.conflict = *c, .a = *other, .b = *f};
        }
        /* What begins with "Perhaps" is asked about: its first word against the newest conflict. */
        if (eg_str_eq(first_word(f->content), EG_STR("Perhaps")) && h->conflict_count) {
            eg_conflict *c = &h->conflicts[h->conflict_count - 1];
            c->status = EG_CONFLICT_SUSPECTED;
            c->span_b = (eg_span){0, 7};
            out->suspected = eg_request_array(rq, 1, sizeof *out->suspected);
            if (out->suspected)
                out->suspected[out->suspected_count++] = (eg_conflict_view){.conflict = *c, .a = h->facts[0], .b = *f};
        }
        /* What begins with "Now" replaces the first fact and agrees with the second. */
        if (eg_str_eq(first_word(f->content), EG_STR("Now")) && n > 1) {
            out->related = eg_request_array(rq, 2, sizeof *out->related);
            for (size_t i = 0; out->related && i < 2; i++)
                out->related[out->related_count++] = (eg_related){.fact = h->facts[i].id,
                                                                  .lineage = h->facts[i].lineage_id,
                                                                  .outcome = i ? EG_OUTCOME_CORROBORATION : EG_OUTCOME_UPDATE,
                                                                  .agent_id = h->facts[i].agent_id,
                                                                  .why = EG_STR("said so")};
        }
        out->fact = *f;
        /* What begins with "Instead" was to replace something, and nobody knows what. */
        if (n && eg_str_eq(first_word(f->content), EG_STR("Instead"))) out->nearest = &h->facts[0];
    }
    out->operation = out->nearest ? EG_OP_ADD : a->operation;
    out->detection_done = a->wait_ms != 0;
    pthread_mutex_unlock(&h->lock);
    end = leave(h);
    if (a->operation != EG_OP_NONE) out->undo_id = (int64_t)(begin * 1000 + end);
    return EG_OK;
}

static eg_status fake_query(eg_memory *m, eg_request *rq, const eg_query_args *a, eg_hits *out) {
    ENTER(a->topic)
    pthread_mutex_lock(&h->lock);
    h->query = *a;
    h->query.topic = fake_keep(a->topic);
    h->query.scope = fake_keep(a->scope);
    h->query.agent_id = fake_keep(a->agent_id);
    size_t most = a->limit ? a->limit : 10;
    out->hits = eg_request_array(rq, most, sizeof *out->hits);
    for (size_t i = 0; i < h->fact_count && out->hits && out->count < most; i++) {
        eg_hit *hit = &out->hits[out->count];
        if (h->facts[i].closed_at && !a->include_history) continue;
        *hit = (eg_hit){.fact = h->facts[i], .relevance = 1.0 / (double)(out->count + 1), .why = EG_STR("words 0.93")};
        hit->open_conflicts = eg_request_array(rq, h->conflict_count, sizeof(eg_id));
        for (size_t k = 0; k < h->conflict_count && hit->open_conflicts; k++)
            if (h->conflicts[k].status == EG_CONFLICT_OPEN &&
                (eg_id_eq(h->conflicts[k].fact_a, hit->fact.id) || eg_id_eq(h->conflicts[k].fact_b, hit->fact.id)))
                hit->open_conflicts[hit->open_conflict_count++] = h->conflicts[k].id;
        out->count++;
    }
    out->topic_cut = a->topic.len > EG_MAX_TOPIC;
    pthread_mutex_unlock(&h->lock);
    end = leave(h);
    if (out->count)
        out->hits[0].why = eg_request_printf(rq, "begin %llu end %llu beside %llu", (unsigned long long)begin,
                                             (unsigned long long)end, (unsigned long long)beside);
    return EG_OK;
}

static eg_status fake_conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit,
                                eg_conflict_view **out, size_t *n) {
    ENTER(scope)
    pthread_mutex_lock(&h->lock);
    h->conflicts_scope = fake_keep(scope);
    h->conflicts_status = status;
    h->conflicts_limit = limit;
    *n = 0;
    *out = eg_request_array(rq, limit, sizeof **out);
    for (size_t i = 0; i < h->conflict_count && *out && *n < limit; i++) {
        const eg_conflict *c = &h->conflicts[i];
        if (status >= 0 && c->status != (uint32_t)status) continue;
        (*out)[(*n)++] = (eg_conflict_view){.conflict = *c, .a = *fact_by_id(h, c->fact_a), .b = *fact_by_id(h, c->fact_b)};
    }
    pthread_mutex_unlock(&h->lock);
    leave(h);
    return EG_OK;
}

static eg_conflict *conflict_named(fake_host *h, eg_str id) {
    for (size_t i = 0; i < h->conflict_count; i++)
        if (id_matches(h->conflicts[i].id, id)) return &h->conflicts[i];
    return NULL;
}

/* The history: the two facts, b before a. */
static eg_status fake_conflict(eg_memory *m, eg_request *rq, eg_str id, eg_conflict_view *out, eg_fact **history, size_t *n) {
    ENTER(id)
    pthread_mutex_lock(&h->lock);
    const eg_conflict *c = conflict_named(h, id);
    *history = eg_request_array(rq, 2, sizeof **history);
    if (c && *history) {
        *out = (eg_conflict_view){.conflict = *c, .a = *fact_by_id(h, c->fact_a), .b = *fact_by_id(h, c->fact_b)};
        (*history)[0] = out->b;
        (*history)[1] = out->a;
        *n = 2;
    }
    pthread_mutex_unlock(&h->lock);
    leave(h);
    return c ? EG_OK : eg_request_fail(rq, EG_ENOENT, "conflict_id: there is no such conflict");
}

static eg_status fake_judge(eg_memory *m, eg_request *rq, const eg_judge_args *a, eg_resolved *out) {
    ENTER(a->reason)
    pthread_mutex_lock(&h->lock);
    h->judge = *a;
    h->judge.conflict_id = fake_keep(a->conflict_id);
    h->judge.reason = fake_keep(a->reason);
    h->judge.agent_id = fake_keep(a->agent_id);
    eg_conflict *c = conflict_named(h, a->conflict_id);
    if (c) {
        out->undo_id = 9;
        c->status = a->verdict == EG_JUDGED_CONTRADICTION ? EG_CONFLICT_OPEN : EG_CONFLICT_DISMISSED;
        c->resolved_by = h->judge.agent_id;
        c->resolution = h->judge.reason;
        out->conflict = *c;
    }
    pthread_mutex_unlock(&h->lock);
    leave(h);
    return c ? EG_OK : eg_request_fail(rq, EG_ENOENT, "review_id: there is no such review");
}

static eg_status fake_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *a, eg_resolved *out) {
    ENTER(a->resolution)
    eg_status st = EG_OK;
    pthread_mutex_lock(&h->lock);
    h->resolve = *a;
    h->resolve.conflict_id = fake_keep(a->conflict_id);
    h->resolve.resolution = fake_keep(a->resolution);
    h->resolve.winning_fact_id = fake_keep(a->winning_fact_id);
    h->resolve.merged_content = fake_keep(a->merged_content);
    h->resolve.agent_id = fake_keep(a->agent_id);
    eg_conflict *c = conflict_named(h, a->conflict_id);
    if (!c) {
        st = eg_request_fail(rq, EG_ENOENT, "conflict_id: no conflict '%.*s'", (int)a->conflict_id.len, a->conflict_id.ptr);
    } else {
        out->undo_id = c->status == EG_CONFLICT_OPEN ? 7 : 0;
        c->status = a->resolution_type == EG_RESOLUTION_DISMISS ? EG_CONFLICT_DISMISSED : EG_CONFLICT_RESOLVED;
        c->resolution_type = a->resolution_type;
        c->resolution = h->resolve.resolution;
        c->resolved_at = INT64_C(1785230500000000);
        c->resolved_by = h->resolve.agent_id;
        out->conflict = *c;
        out->closed = eg_request_array(rq, 2, sizeof *out->closed);
        for (size_t i = 0; i < h->fact_count && out->closed; i++) {
            eg_fact *f = &h->facts[i];
            if (!eg_id_eq(f->id, c->fact_a) && !eg_id_eq(f->id, c->fact_b)) continue;
            f->open_conflicts = 0;
            int loses = a->resolution_type == EG_RESOLUTION_WINNER && !id_matches(f->id, a->winning_fact_id);
            if (!loses && a->resolution_type != EG_RESOLUTION_MERGE) continue;
            f->closed_at = f->valid_until = INT64_C(1785230500000000);
            f->closed_by = c->resolved_by;
            f->close_reason = a->resolution_type == EG_RESOLUTION_MERGE ? EG_CLOSE_MERGED : EG_CLOSE_RESOLVED;
            out->closed[out->closed_count++] = *f;
        }
        if (a->resolution_type == EG_RESOLUTION_MERGE) {
            out->merged = (eg_fact){.seq = 99,
                                    .id = fake_id(1, 9999),
                                    .lineage_id = fake_id(2, 9999),
                                    .content = h->resolve.merged_content,
                                    .scope = EG_STR("general"),
                                    .confidence = 0.9,
                                    .parents = {c->fact_a, c->fact_b},
                                    .valid_until = EG_FOREVER};
        }
    }
    pthread_mutex_unlock(&h->lock);
    leave(h);
    return st;
}

static eg_status fake_check(eg_memory *m, eg_request *rq, const eg_check_args *a, eg_checked *out) {
    ENTER(a->items[0].content)
    pthread_mutex_lock(&h->lock);
    h->check = *a;
    h->check_first = fake_keep(a->items[0].content);
    h->check_scope = fake_keep(a->items[0].scope);
    out->findings = eg_request_array(rq, a->item_count * (a->item_count + h->fact_count), sizeof *out->findings);
    for (size_t i = 0; i < a->item_count && out->findings; i++) {
        eg_check_finding found = {.item = (uint32_t)i,
                                  .severity = EG_SEVERITY_MEDIUM,
                                  .score = 0.75,
                                  .tier = EG_STR("tier2_numeric"),
                                  .explanation = EG_STR("the same word")};
        for (size_t k = 0; k < i; k++)
            if (eg_str_eq(first_word(a->items[k].content), first_word(a->items[i].content))) {
                found.other = (uint32_t)k;
                out->findings[out->count++] = found;
            }
        for (size_t k = 0; k < h->fact_count; k++)
            if (eg_str_eq(first_word(h->facts[k].content), first_word(a->items[i].content)) &&
                !eg_str_eq(h->facts[k].content, a->items[i].content)) {
                found.other = UINT32_MAX;
                found.fact = h->facts[k];
                out->findings[out->count++] = found;
            }
    }
    out->statements = a->item_count;
    out->without_nli = 1;
    pthread_mutex_unlock(&h->lock);
    leave(h);
    return EG_OK;
}

static eg_status fake_feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive) {
    ENTER(conflict_id)
    h->feedback_id = fake_keep(conflict_id);
    h->feedback = true_positive;
    leave(h);
    return EG_OK;
}

static eg_status fake_undo(eg_memory *m, eg_request *rq, int64_t undo_id, eg_undone *out) {
    ENTER(((eg_str){NULL, 0}))
    h->undo_id = undo_id;
    *out = (eg_undone){.action = EG_STR("commit"), .closed = h->facts, .closed_count = h->fact_count ? 1 : 0, .undo_id = 8};
    leave(h);
    return EG_OK;
}

static eg_status fake_promote(eg_memory *m, eg_request *rq, eg_str fact_id, eg_fact *out) {
    ENTER(fact_id)
    h->promote_id = fake_keep(fact_id);
    eg_status st = eg_request_fail(rq, EG_ENOENT, "fact_id: no such fact");
    for (size_t i = 0; i < h->fact_count; i++)
        if (id_matches(h->facts[i].id, fact_id)) {
            *out = h->facts[i];
            st = EG_OK;
        }
    leave(h);
    return st;
}

static eg_status fake_lineage(eg_memory *m, eg_request *rq, eg_str lineage_id, eg_fact **out, size_t *n) {
    ENTER(lineage_id)
    h->lineage_id = fake_keep(lineage_id);
    *out = h->facts;
    *n = h->fact_count;
    leave(h);
    return EG_OK;
}

/* The fact that was committed last has those that were given with it, and one that was read. */
static eg_status fake_statements(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_statement_list *out) {
    ENTER(((eg_str){NULL, 0}))
    for (size_t i = 0; i < n; i++) {
        if (!h->fact_count || !eg_id_eq(facts[i], h->facts[h->fact_count - 1].id)) continue;
        out[i].rows = eg_request_array(rq, h->commit.statement_count + 1, sizeof *out[i].rows);
        if (!out[i].rows) return leave(h), EG_ENOMEM;
        out[i].rows[out[i].count++] = (eg_statement){.span = {0, 1}};
        for (size_t k = 0; k < h->commit.statement_count; k++)
            out[i].rows[out[i].count++] = (eg_statement){.flags = EG_STATEMENT_GIVEN, .alone = h->statements[k]};
    }
    leave(h);
    return EG_OK;
}

/* All facts, the newest first; what they are asked for is noted. */
static eg_status fake_list(eg_memory *m, eg_request *rq, const eg_list_args *a, eg_listing *out) {
    ENTER(a->scope)
    h->list = *a;
    h->list.scope = fake_keep(a->scope);
    h->list.agent_id = fake_keep(a->agent_id);
    *out = (eg_listing){.facts = eg_request_array(rq, h->fact_count, sizeof *out->facts), .cursor = h->fact_count > 1 ? 17 : 0};
    for (size_t i = h->fact_count; i > 0 && out->facts; i--) out->facts[out->count++] = h->facts[i - 1];
    leave(h);
    return out->facts ? EG_OK : EG_ENOMEM;
}

static eg_status fake_conflicts_about(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_conflict_view **out,
                                      size_t *count) {
    ENTER(((eg_str){NULL, 0}))
    *count = 0;
    *out = eg_request_array(rq, h->conflict_count, sizeof **out);
    for (size_t i = 0; i < h->conflict_count && *out; i++)
        for (size_t k = 0; k < n; k++) {
            const eg_conflict *c = &h->conflicts[i];
            if (!eg_id_eq(c->fact_b, facts[k])) continue;
            (*out)[(*count)++] =
                (eg_conflict_view){.conflict = *c, .a = *fact_by_id(h, c->fact_a), .b = *fact_by_id(h, c->fact_b)};
        }
    leave(h);
    return *out ? EG_OK : EG_ENOMEM;
}

/* Every fact was added, every conflict found; one page of several. */
static eg_status fake_timeline(eg_memory *m, eg_request *rq, const eg_timeline_args *a, eg_timeline *out) {
    ENTER(a->scope)
    h->timeline = *a;
    h->timeline.scope = fake_keep(a->scope);
    h->timeline.cursor = fake_keep(a->cursor);
    out->moments = eg_request_array(rq, h->fact_count + h->conflict_count, sizeof *out->moments);
    eg_conflict_view *views = eg_request_array(rq, h->conflict_count, sizeof *views);
    for (size_t i = 0; i < h->fact_count && out->moments; i++)
        out->moments[out->count++] =
            (eg_moment){.time = h->facts[i].committed_at, .fact = &h->facts[i], .before = i ? &h->facts[i - 1] : NULL};
    for (size_t i = 0; i < h->conflict_count && out->moments && views; i++) {
        const eg_conflict *c = &h->conflicts[i];
        views[i] = (eg_conflict_view){.conflict = *c, .a = *fact_by_id(h, c->fact_a), .b = *fact_by_id(h, c->fact_b)};
        out->moments[out->count++] = (eg_moment){.time = c->detected_at, .kind = EG_EVENT_FOUND, .conflict = &views[i]};
    }
    out->cursor = h->fact_count > 1 ? EG_STR("5.0.1") : (eg_str){0};
    leave(h);
    return out->moments && views ? EG_OK : EG_ENOMEM;
}

/* The first fact was closed, the second added, the third changed. */
static eg_status fake_diff(eg_memory *m, eg_request *rq, eg_str scope, int64_t from, int64_t to, eg_diff *out) {
    ENTER(scope)
    h->diff_from = from;
    h->diff_to = to;
    out->changes = eg_request_array(rq, 3, sizeof *out->changes);
    for (size_t i = 0; i < h->fact_count && i < 3 && out->changes; i++)
        out->changes[out->count++] =
            (eg_fact_change){.before = i != 1 ? &h->facts[i] : NULL, .after = i > 0 ? &h->facts[i] : NULL};
    leave(h);
    return out->changes ? EG_OK : EG_ENOMEM;
}

static eg_status fake_pin(eg_memory *m, eg_request *rq, eg_str fact_id, int pinned, eg_fact *out) {
    eg_status st = fake_promote(m, rq, fact_id, out);
    ((fake_host *)m)->marked = pinned ? "pin" : "unpin";
    if (pinned) out->marks = EG_MARK_PINNED;
    return st;
}
static eg_status fake_archive(eg_memory *m, eg_request *rq, eg_str fact_id, eg_str reason, eg_undone *out) {
    ENTER(fact_id)
    h->marked = "archive";
    h->reason = fake_keep(reason);
    *out = (eg_undone){.action = EG_STR("archive"), .closed = h->facts, .closed_count = h->fact_count ? 1 : 0, .undo_id = 8};
    leave(h);
    return EG_OK;
}
static eg_status fake_restore(eg_memory *m, eg_request *rq, eg_str fact_id, eg_undone *out) {
    ENTER(fact_id)
    h->marked = "restore";
    *out = (eg_undone){.action = EG_STR("restore"), .restored = h->facts, .restored_count = h->fact_count ? 1 : 0, .undo_id = 9};
    leave(h);
    return EG_OK;
}

static eg_status fake_status(eg_memory *m, eg_request *rq, eg_memory_status *out) {
    ENTER(((eg_str){NULL, 0}))
    *out = (eg_memory_status){.status = EG_STR("ready"),
                              .mode = EG_STR("local"),
                              .storage = EG_STR("sqlite"),
                              .workspace_why = EG_STR("--workspace"),
                              .version = EG_STR("0.1.0"),
                              .embed_problem = EG_STR("no model folder"),
                              .nli_model = EG_STR("/models/nli"),
                              .store = {.facts = h->fact_count,
                                        .current_facts = h->fact_count,
                                        .conflicts_open = h->conflict_count,
                                        .conflicts_total = h->conflict_count,
                                        .location = EG_STR("/tmp/engram.db")}};
    leave(h);
    return EG_OK;
}

/* Every fact is stale. */
static eg_status fake_citations(eg_memory *m, eg_request *rq, const eg_fact *const *facts, size_t n, eg_citation_view *out) {
    ENTER(((eg_str){NULL, 0}))
    for (size_t i = 0; i < n; i++)
        out[i] = (eg_citation_view){.state = 4, .path = facts[i]->scope, .stale = EG_STR("a.c is not there any more")};
    leave(h);
    return EG_OK;
}

static eg_status fake_audit(eg_memory *m, eg_request *rq, eg_audited *out) {
    ENTER(((eg_str){NULL, 0}))
    static eg_audit_example example = {.id = {{1}}, .other = {{2}}, .text = {"Alpha", 5}, .detail = {"Beta", 4}};
    static eg_audit_finding findings[] = {
        {.kind = EG_AUDIT_OPEN_CONFLICT,
         .example_count = 1,
         .count = 7,
         .what = {"a", 1},
         .advice = {"b", 1},
         .examples = &example},
        {.kind = EG_AUDIT_UNSOURCED, .what = {"c", 1}, .advice = {"d", 1}, .examples = &example}};
    *out = (eg_audited){.findings = findings, .count = 2, .facts = h->fact_count};
    leave(h);
    return EG_OK;
}

static eg_status fake_figures(eg_memory *m, eg_request *rq, eg_figure **out, size_t *n) {
    ENTER(((eg_str){NULL, 0}))
    static eg_figure figures[] = {{.group = {"facts", 5}, .name = {"current", 7}, .count = 3},
                                  {.group = {"facts", 5}, .name = {"closed", 6}, .count = 1},
                                  {.group = {"by_agent", 8}, .name = {"a \"b\"", 5}, .count = 3}};
    *out = figures;
    *n = 3;
    leave(h);
    return EG_OK;
}

const eg_memory_ops fake_memory_ops = {.size = sizeof(eg_memory_ops),
                                       .commit = fake_commit,
                                       .query = fake_query,
                                       .conflicts = fake_conflicts,
                                       .conflict = fake_conflict,
                                       .resolve = fake_resolve,
                                       .judge = fake_judge,
                                       .check = fake_check,
                                       .feedback = fake_feedback,
                                       .undo = fake_undo,
                                       .promote = fake_promote,
                                       .lineage = fake_lineage,
                                       .status = fake_status,
                                       .statements = fake_statements,
                                       .list = fake_list,
                                       .conflicts_about = fake_conflicts_about,
                                       .timeline = fake_timeline,
                                       .diff = fake_diff,
                                       .pin = fake_pin,
                                       .archive = fake_archive,
                                       .restore = fake_restore,
                                       .citations = fake_citations,
                                       .audit = fake_audit,
                                       .figures = fake_figures};
