/* import_plan.c - what becomes of each record of an import in this store, and the one change set
 * that writes it. See import_plan.h. */
#include <stdlib.h>

#include "core/base/status.h"
#include "core/memory/changes.h"
#include "core/memory/conflicts.h"
#include "core/memory/ids.h"
#include "core/memory/import_plan.h"
#include "core/memory/reads.h"
#include "core/memory/reembed.h"

enum { BATCH = 128 /* facts of one read */ };

eg_status eg_import_at(eg_importing *x, size_t line, eg_status s) {
    char said[sizeof x->rq->err->text];
    if (s == EG_OK || s == EG_ECANCELLED || s == EG_ENOMEM) return s;
    memcpy(said, x->rq->err->text, sizeof said);
    return eg_request_fail(x->rq, s, "line %zu: %s", line, said);
}

static int by_id(const void *a, const void *b) {
    return memcmp(((const eg_import_key *)a)->id.bytes, ((const eg_import_key *)b)->id.bytes, 16);
}

const eg_import_key *eg_import_find(const eg_import_key *keys, size_t n, eg_id id) {
    const eg_import_key key = {.id = id};
    return n ? bsearch(&key, keys, n, sizeof key, by_id) : NULL;
}

void eg_import_sort(eg_import_key *keys, size_t n) {
    if (n) qsort(keys, n, sizeof *keys, by_id);
}

static int is_current(const eg_importing *x, const eg_fact *f) {
    return f->close_reason == EG_CLOSE_NONE && f->valid_until > x->now;
}

/* Calls step for n things, BATCH at a time, each in a request of its own. */
static eg_status in_batches(eg_importing *x, size_t n,
                            eg_status (*step)(eg_importing *x, eg_request *rq, size_t from, size_t n)) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i += BATCH) {
        eg_request *rq = NULL;
        s = eg_request_in(x->m, x->rq->workspace, x->rq->who, &x->rq->cancel, &rq, x->rq->err);
        if (s != EG_OK) return s;
        s = step(x, rq, i, n - i < BATCH ? n - i : BATCH);
        if (s != EG_OK && x->rq->err->code == EG_OK) *x->rq->err = *rq->err;
        SERVICES(x->m)->request_release(x->m->env.host, rq);
    }
    return s;
}

/* ---- facts ---- */

static eg_status know_facts(eg_importing *x, eg_request *rq, size_t from, size_t n) {
    eg_id ids[BATCH] = {{{0}}};
    eg_fact here[BATCH];
    for (size_t i = 0; i < n; i++) ids[i] = x->facts[from + i].record->fact.id;
    eg_status s = eg_read_facts(x->m, rq, ids, n, here, NULL);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_import_fact *f = &x->facts[from + i];
        const eg_fact *given = &f->record->fact;
        f->fate = EG_IMPORT_NEW;
        f->here = given->id;
        f->former = (eg_id){{0}};
        if (!here[i].seq) continue;
        if (!eg_str_eq(here[i].content, given->content) || !eg_str_eq(here[i].scope, given->scope)) {
            char id[EG_ID_TEXT];
            eg_id_format(given->id, id);
            return eg_request_fail(
                x->rq, EG_EINVAL,
                "line %zu: the fact %s is here with another text or scope: facts do not change; commit the new "
                "text as an update",
                f->record->line, id);
        }
        f->fate = is_current(x, &here[i]) && given->close_reason != EG_CLOSE_NONE ? EG_IMPORT_CLOSE : EG_IMPORT_KNOWN;
    }
    return s;
}

/* The current fact of the lineage of a new one that the store has: closed by this import, or
 * another one. */
static eg_status look_at_lineage(eg_importing *x, eg_request *rq, eg_import_fact *f) {
    eg_fact *rows = NULL;
    size_t n = 0;
    eg_status s = STORE(x->m, lineage, rq, f->record->fact.lineage_id, 0, &rows, &n);
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        if (!is_current(x, &rows[i])) continue;
        const eg_import_key *key = eg_import_find(x->fact_keys, x->fact_count, rows[i].id);
        if (key && x->facts[key->at].fate == EG_IMPORT_CLOSE) f->former = rows[i].id;
        else f->fate = EG_IMPORT_APART;
    }
    return s;
}

static eg_status place_new(eg_importing *x, eg_request *rq, size_t from, size_t n) {
    eg_status s = EG_OK;
    for (size_t i = from; s == EG_OK && i < from + n; i++) {
        eg_import_fact *f = &x->facts[i];
        const eg_fact *given = &f->record->fact;
        eg_fact equal;
        if (f->fate != EG_IMPORT_NEW || !is_current(x, given)) continue;
        s = STORE(x->m, current_by_hash, rq, given->scope, given->content_hash, &equal);
        if (s == EG_OK) {
            const eg_import_key *key = eg_import_find(x->fact_keys, x->fact_count, equal.id);
            if (key && x->facts[key->at].fate == EG_IMPORT_CLOSE) continue; /* it goes */
            f->fate = EG_IMPORT_EQUAL;
            f->here = equal.id;
            continue;
        }
        *rq->err = (eg_error){0};
        if (s == EG_ENOENT) s = look_at_lineage(x, rq, f);
    }
    return s;
}

static eg_status decide_facts(eg_importing *x) {
    eg_status s = in_batches(x, x->fact_count, know_facts);
    if (s == EG_OK) s = in_batches(x, x->fact_count, place_new);
    for (size_t i = 0; s == EG_OK && i < x->fact_count; i++) {
        uint32_t fate = x->facts[i].fate;
        x->out->facts += fate == EG_IMPORT_NEW || fate == EG_IMPORT_APART;
        x->out->known += fate == EG_IMPORT_KNOWN || fate == EG_IMPORT_CLOSE;
        x->out->closed += fate == EG_IMPORT_CLOSE;
        x->out->equal += fate == EG_IMPORT_EQUAL;
        x->out->apart += fate == EG_IMPORT_APART;
    }
    return s;
}

/* ---- what is said between facts ---- */

/* The id in this store of a fact that a record names, whether the import inserts it, and how many
 * bytes it has. EG_EINVAL when neither the file nor the store has it. */
static eg_status fact_here(eg_importing *x, const char *name, eg_id id, eg_id *here, int *is_new, size_t *bytes) {
    const eg_import_key *key = eg_import_find(x->fact_keys, x->fact_count, id);
    if (key) {
        const eg_import_fact *f = &x->facts[key->at];
        *here = f->here;
        *is_new = f->fate == EG_IMPORT_NEW || f->fate == EG_IMPORT_APART;
        *bytes = f->record->fact.content.len;
        return EG_OK;
    }
    eg_fact stored;
    char text[EG_ID_TEXT];
    eg_id_format(id, text);
    eg_status s = eg_read_fact(x->m, x->rq, id, &stored, NULL);
    if (s == EG_ENOENT)
        return eg_request_fail(x->rq, EG_EINVAL, "%s is %s, a fact that neither the file nor this workspace has", name, text);
    *here = id;
    *is_new = 0;
    *bytes = s == EG_OK ? stored.content.len : 0;
    return s;
}

static int spans_fit(eg_span span, size_t bytes) { return span.start <= span.end && span.end <= bytes; }

/* *pair: EG_PAIR_CONFLICT and others when the store knows the pair. */
static eg_status known_pair(eg_importing *x, eg_id a, eg_id b, uint32_t *pair) {
    eg_fact_parts *row = NULL;
    const eg_parts_args args = {.size = sizeof args, .flags = EG_PARTS_PAIRS, .ids = &b, .count = 1, .subject = a};
    eg_status s = STORE(x->m, parts, x->rq, &args, &row, NULL);
    *pair = s == EG_OK ? row->pair : 0;
    return s;
}

static eg_status draft_conflict(eg_importing *x, eg_draft *d, const eg_exchange_record *r, uint8_t *is_new) {
    eg_conflict *c = eg_arena_alloc(&x->arena, sizeof *c);
    int new_a, new_b;
    size_t bytes_a, bytes_b;
    uint32_t pair = 0;
    if (!c) return eg_fail_memory(x->rq->err, sizeof *c);
    *c = r->conflict;
    eg_status s = fact_here(x, "fact_a", r->conflict.fact_a, &c->fact_a, &new_a, &bytes_a);
    if (s == EG_OK) s = fact_here(x, "fact_b", r->conflict.fact_b, &c->fact_b, &new_b, &bytes_b);
    if (s != EG_OK) return s;
    if (!spans_fit(c->span_a, bytes_a) || !spans_fit(c->span_b, bytes_b))
        return eg_request_fail(x->rq, EG_EINVAL, "span_a or span_b does not lie within the text of its fact");
    if (eg_id_eq(c->fact_a, c->fact_b)) return EG_OK; /* equal facts became one */
    const eg_import_key *winner = eg_import_find(x->fact_keys, x->fact_count, c->resolved_fact);
    if (winner) c->resolved_fact = x->facts[winner->at].here;
    if (!new_a && !new_b && (s = known_pair(x, c->fact_a, c->fact_b, &pair)) != EG_OK) return s;
    if (pair & (EG_PAIR_CONFLICT | EG_PAIR_LINKED)) return EG_OK;
    *is_new = 1;
    x->out->conflicts++;
    if (!new_a && !new_b) {
        eg_precondition *free_pair = eg_draft_require(d, EG_REQUIRE_PAIR_FREE);
        free_pair->pair.a = c->fact_a;
        free_pair->pair.b = c->fact_b;
    }
    eg_draft_add(d, EG_CHANGE_CONFLICT)->conflict = c;
    if (eg_is_settled(c->status) || c->resolved_by.len) eg_draft_add(d, EG_CHANGE_CONFLICT_STATUS)->conflict = c;
    return EG_OK;
}

static eg_status draft_link(eg_importing *x, eg_draft *d, const eg_exchange_record *r) {
    eg_id a, b;
    int new_a, new_b;
    size_t bytes;
    eg_status s = fact_here(x, "fact_id", r->link.fact, &a, &new_a, &bytes);
    if (s == EG_OK) s = fact_here(x, "other_fact_id", r->link.other, &b, &new_b, &bytes);
    /* what the store knows of two facts that it has stays as it is */
    if (s != EG_OK || eg_id_eq(a, b) || (!new_a && !new_b)) return s;
    eg_draft_link(d, EG_CHANGE_LINK, a, b, (eg_link_kind)r->link.kind);
    x->out->links++;
    return EG_OK;
}

/* The record of the audit by which answers.c finds it; and, as resolve.c does, whether the detector
 * was right. */
static eg_status draft_answer(eg_importing *x, eg_draft *d, const eg_exchange_record *r, const uint8_t *is_new) {
    static const char *const words[] = EG_ANSWER_VERDICT_WORDS;
    const eg_exchange_answer *a = &r->answer;
    const eg_import_key *key = eg_import_find(x->conflict_keys, x->conflict_count, a->conflict);
    char id[EG_ID_TEXT];
    eg_id_format(a->conflict, id);
    if (!key) return eg_request_fail(x->rq, EG_EINVAL, "conflict_id is %s, a conflict that the file does not have", id);
    if (!is_new[key->at]) return EG_OK;
    const eg_conflict *c = &x->records[key->at].conflict;
    eg_buffer b = {0};
    eg_buffer_format(&b, "{\"conflict\":\"%s\",\"verdict\":\"%s\",\"at\":%lld,\"by\":", id, words[a->verdict],
                     (long long)a->judged_at);
    eg_buffer_json(&b, a->judged_by);
    if (a->was_review) eg_buffer_text(&b, ",\"was\":\"suspected\"");
    if (a->asked.len) eg_buffer_format(&b, ",\"asked\":\"%.*s\"", (int)a->asked.len, a->asked.ptr);
    eg_buffer_text(&b, "}");
    const char *payload = b.failed ? NULL : eg_arena_copy(&x->arena, (eg_str){b.ptr, b.len});
    if (payload) eg_draft_audit(d, "answer_imported", c->fact_a, c->fact_b, (eg_str){payload, b.len});
    eg_buffer_release(&b);
    if (!payload) return eg_fail_memory(x->rq->err, b.len);
    if (a->verdict != EG_ANSWER_BOTH_VALID)
        eg_draft_answer(d, c, a->was_review != 0, a->verdict == EG_ANSWER_CONTRADICTION || a->verdict == EG_ANSWER_UPDATE);
    x->out->answers++;
    return EG_OK;
}

/* ---- writing ---- */

/* compare: with what the store has besides. */
static eg_status draft_fact(eg_importing *x, eg_draft *d, eg_import_fact *f, int compare, eg_job_kind job) {
    eg_fact *fact = &f->row.fact;
    *fact = f->record->fact;
    fact->seq = 0;
    if (f->fate == EG_IMPORT_APART) {
        fact->lineage_id = fact->id;
        fact->supersedes = (eg_id){{0}};
    }
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    eg_status s = x->dry_run ? EG_OK : eg_derive_text(x->rq, &scratch, fact->content, fact->scope, f->given, &f->derived);
    if (s == EG_OK && !x->dry_run) s = eg_derived_move(&x->arena, &f->derived, x->rq->err);
    eg_arena_release(&scratch);
    if (s != EG_OK) return s;
    eg_derived_attach(&f->derived, &f->row);
    int current = is_current(x, fact);
    if (current && compare) {
        eg_precondition *hash = eg_draft_require(d, EG_REQUIRE_HASH_FREE), *lineage;
        hash->hash_free.scope = fact->scope;
        hash->hash_free.hash = fact->content_hash;
        hash->hash_free.except = f->former;
        lineage = eg_draft_require(d, EG_REQUIRE_LINEAGE_FREE);
        lineage->lineage.id = fact->lineage_id;
        lineage->lineage.except = f->former;
    }
    eg_draft_add(d, EG_CHANGE_FACT)->new_fact = &f->row;
    eg_draft_audit(d, "import", fact->id, (eg_id){{0}}, EG_STR("{}"));
    if (!current || !compare || fact->durability != EG_DURABILITY_DURABLE) return EG_OK;
    eg_draft_job(d, x->m, job, fact->id, 0);
    x->out->to_compare++;
    return EG_OK;
}

static int by_agent(const void *a, const void *b) {
    const eg_fact *x = *(const eg_fact *const *)a, *y = *(const eg_fact *const *)b;
    size_t n = x->agent_id.len < y->agent_id.len ? x->agent_id.len : y->agent_id.len;
    int order = n ? memcmp(x->agent_id.ptr, y->agent_id.ptr, n) : 0;
    return order ? order : x->agent_id.len < y->agent_id.len ? -1 : x->agent_id.len > y->agent_id.len;
}

/* How many facts came of each agent. */
static eg_status draft_agents(eg_importing *x, eg_draft *d) {
    const eg_fact **all = eg_arena_array(&x->arena, x->fact_count, sizeof *all);
    size_t n = 0;
    if (!all) return eg_fail_memory(x->rq->err, x->fact_count * sizeof *all);
    for (size_t i = 0; i < x->fact_count; i++)
        if (x->facts[i].fate == EG_IMPORT_NEW || x->facts[i].fate == EG_IMPORT_APART) all[n++] = &x->facts[i].record->fact;
    if (n) qsort(all, n, sizeof *all, by_agent);
    for (size_t i = 0; i < n;) {
        eg_change *agent = eg_draft_add(d, EG_CHANGE_AGENT);
        agent->agent.agent_id = all[i]->agent_id;
        for (size_t first = i; i < n && eg_str_eq(all[i]->agent_id, all[first]->agent_id); i++) {
            agent->agent.commits++;
            if (all[i]->engineer.len) agent->agent.engineer = all[i]->engineer;
        }
    }
    return EG_OK;
}

/* At most: a fact with its record and job, or its closing; of a conflict or answer two. */
static void reserve(const eg_importing *x, eg_draft *d, int compare) {
    size_t facts = (size_t)(x->out->facts + x->out->closed), others = x->count - x->fact_count;
    eg_draft_reserve(d, 3 * facts + 2 * others + 64, compare ? 2 * facts + others + 1 : (size_t)x->out->closed + 1);
}

static eg_status draft_facts(eg_importing *x, eg_draft *d) {
    eg_store_stats before = {0};
    eg_str model;
    eg_status s = STORE(x->m, stats, x->rq, EG_STATS_FACTS, &before);
    if (s == EG_OK) s = eg_reembed_model(x->m, x->rq, &model);
    if (s != EG_OK) return s;
    reserve(x, d, before.facts > 0);
    for (size_t i = 0; i < x->fact_count; i++)
        if (x->facts[i].fate == EG_IMPORT_CLOSE) {
            const eg_fact *f = &x->facts[i].record->fact;
            eg_draft_close(d, f, (eg_close_reason)f->close_reason, "the fact was closed where it was exported", NULL);
            eg_draft_audit(d, "import", f->id, (eg_id){{0}}, EG_STR("{\"closed\":true}"));
        }
    for (size_t i = 0; s == EG_OK && i < x->fact_count; i++)
        if (x->facts[i].fate == EG_IMPORT_NEW || x->facts[i].fate == EG_IMPORT_APART)
            s = draft_fact(x, d, &x->facts[i], before.facts > 0, model.len ? EG_JOB_EMBED : EG_JOB_DETECT);
    return s == EG_OK ? draft_agents(x, d) : s;
}

/* The conflicts and links of the file, then the answers. */
static eg_status draft_rest(eg_importing *x, eg_draft *d) {
    uint8_t *is_new = eg_arena_array(&x->arena, x->count, 1);
    eg_status s = is_new ? EG_OK : eg_fail_memory(x->rq->err, x->count);
    for (int answers = 0; answers < 2; answers++)
        for (size_t i = 0; s == EG_OK && i < x->count; i++) {
            const eg_exchange_record *r = &x->records[i];
            if (answers && r->kind == EG_EXCHANGE_ANSWER) s = draft_answer(x, d, r, is_new);
            if (!answers && r->kind == EG_EXCHANGE_CONFLICT) s = draft_conflict(x, d, r, &is_new[i]);
            if (!answers && r->kind == EG_EXCHANGE_LINK) s = draft_link(x, d, r);
            s = eg_import_at(x, r->line, s);
        }
    return s;
}

static eg_status note(eg_importing *x, eg_draft *d) {
    const eg_imported *o = x->out;
    eg_str payload =
        eg_request_printf(x->rq, "{\"facts\":%llu,\"links\":%llu,\"conflicts\":%llu,\"answers\":%llu,\"closed\":%llu}",
                          (unsigned long long)o->facts, (unsigned long long)o->links, (unsigned long long)o->conflicts,
                          (unsigned long long)o->answers, (unsigned long long)o->closed);
    if (!payload.ptr) return EG_ENOMEM;
    eg_draft_audit(d, "import", (eg_id){{0}}, (eg_id){{0}}, payload);
    return EG_OK;
}

eg_status eg_import_decide(eg_importing *x) {
    eg_draft d;
    eg_applied applied;
    *x->out = (eg_imported){0};
    eg_draft_begin(&d, x->rq);
    eg_status s = decide_facts(x);
    if (s == EG_OK) s = draft_facts(x, &d);
    if (s == EG_OK) s = draft_rest(x, &d);
    if (s != EG_OK) return s;
    if (x->dry_run || d.change_count == 0) return EG_OK;
    s = note(x, &d);
    if (s == EG_OK) s = eg_draft_apply(&d, x->m, &applied);
    if (s != EG_ENOMEM) return s;
    return eg_request_fail(x->rq, s, "the file has too many facts for one transaction: export and import it scope by scope");
}
