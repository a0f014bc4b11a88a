/* resources.c - facts and conflicts by address, as JSON: engram://facts/ID and
 * engram://conflicts/ID. A client shows them, or puts them into a conversation; an agent that knows
 * the tools needs none of them. Called by the host for front ends, on worker threads. */
#include "tools.h"

#define FACTS "engram://facts/"
#define CONFLICTS "engram://conflicts/"

/* What stands in the place of {id}. */
static eg_str id_in(eg_str uri, size_t prefix) { return (eg_str){uri.ptr + prefix, uri.len - prefix}; }

typedef struct fact_data {
    const eg_fact *fact, *history;
    size_t count;
    const eg_statement_list *statements; /* of the fact */
    const eg_citation_view *cited;
} fact_data;

static void render_fact(result *r, const void *data) {
    const fact_data *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "fact");
    size_t limit = r->text_limit;
    r->text_limit = EG_MAX_CONTENT;
    mt_put_fact_cited(r, d->fact, d->statements, d->cited);
    r->text_limit = limit;
    mt_put_facts(r, "history", d->history, d->count);
}

static eg_status read_fact(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self;
    eg_str id = id_in(uri, sizeof FACTS - 1);
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_fact *facts = NULL;
    fact_data data = {0};
    eg_status s = services->memory_ops->lineage(memory, rq, id, &facts, &data.count);
    if (s != EG_OK) return s;
    if (!data.count) return eg_request_fail(rq, EG_ENOENT, "%.*s: there is no such fact", (int)uri.len, uri.ptr);
    data.history = facts;
    data.fact = mt_version_named(facts, data.count, id);
    eg_statement_list *statements;
    s = mt_statements_of(services, memory, rq, data.fact, 1, &statements);
    data.statements = statements;
    data.cited = mt_citations_of(services, memory, rq, &data.fact, 1);
    return s == EG_OK ? mt_result_make(rq, (eg_str){0}, render_fact, &data, out) : s;
}

static void render_conflict(result *r, const void *data) {
    const one_conflict *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "conflict");
    mt_put_whole_conflict(r, &d->view);
    mt_put_history(r, &d->view.conflict, d->history, d->count);
}

static eg_status read_conflict(void *self, const eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out) {
    (void)self;
    return mt_one_conflict(services, rq, (eg_str){0}, id_in(uri, sizeof CONFLICTS - 1), render_conflict, out);
}

const eg_resource mt_resources[] = {
    {.size = sizeof(eg_resource),
     .name = "fact",
     .title = "Fact",
     .description =
         "One fact by its fact_id (or the last 8 digits of it), with every version of it that was stored, oldest first.",
     .uri_template = FACTS "{id}",
     .mime_type = "application/json",
     .needs = EG_NEEDS_READ,
     .read = read_fact},
    {.size = sizeof(eg_resource),
     .name = "conflict",
     .title = "Conflict",
     .description = "One conflict by its conflict_id (or the last 8 digits of it): both facts, why they contradict each other, "
                    "what became of it, and every version of both facts.",
     .uri_template = CONFLICTS "{id}",
     .mime_type = "application/json",
     .needs = EG_NEEDS_READ,
     .read = read_conflict},
};
const size_t mt_resource_count = COUNT(mt_resources);
