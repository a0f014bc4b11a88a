/* tools_life.c - the tools about facts in the course of time: listing them, and what will expire.
 * All are of the team profile. See tools_core.c. */
#include "tools.h"

#include "schemas.h"

/* What a listing has by default: agents read all of it. */
enum { AGENT_LIMIT = 20 };

static eg_status no_listing(eg_request *rq) {
    return eg_request_fail(rq, EG_EUNSUPPORTED, "this version of Engram cannot list facts: use engram_query");
}

/* --- facts, expiring --- */

static void render_facts(result *r, const void *data) {
    const eg_listing *d = data;
    char cursor[24];
    r->whole = 1;
    mt_put_notice(r);
    mt_put_facts(r, "facts", d->facts, d->count);
    int n = snprintf(cursor, sizeof cursor, "%lld", (long long)d->cursor);
    mt_put_optional(r, "next_cursor", d->cursor ? (eg_str){cursor, (size_t)n} : (eg_str){NULL, 0});
}

static eg_status list(const eg_services *services, eg_request *rq, eg_str arguments, const eg_list_args *args,
                      eg_tool_result *out) {
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    if (!EG_HAS(services->memory_ops, list)) return no_listing(rq);
    eg_listing listing = {0};
    eg_status s = services->memory_ops->list(memory, rq, args, &listing);
    return s == EG_OK ? mt_result_make(rq, arguments, render_facts, &listing, out) : s;
}

static eg_status read_cursor(eg_request *rq, eg_str text, int64_t *out) {
    enum { MOST_DIGITS = 18 };
    *out = 0;
    size_t i = 0;
    while (i < text.len && i < MOST_DIGITS && text.ptr[i] >= '0' && text.ptr[i] <= '9') *out = *out * 10 + (text.ptr[i++] - '0');
    if (i == text.len && (*out || !text.len)) return EG_OK;
    return eg_request_fail(rq, EG_EINVAL, "cursor: '%.*s' is none that a listing gave: pass on its next_cursor",
                           (int)(text.len < 60 ? text.len : 60), text.ptr);
}

static eg_status call_facts(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    enum { A_SCOPE, A_TYPE, A_AGENT, A_SINCE, A_AS_OF, A_ALL, A_LIMIT, A_CURSOR, A_COUNT_ };
    const arg_spec specs[A_COUNT_] = {
        [A_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [A_TYPE] = {.name = "fact_type", .kind = ARG_WORD, .words = mt_fact_type_words},
        [A_AGENT] = {.name = "agent_id", .kind = ARG_TEXT, .high = EG_MAX_NAME},
        [A_SINCE] = {.name = "since", .kind = ARG_TIME},
        [A_AS_OF] = {.name = "as_of", .kind = ARG_TIME},
        [A_ALL] = {.name = "all", .kind = ARG_BOOLEAN},
        [A_LIMIT] = {.name = "limit", .kind = ARG_INTEGER, .low = 1, .high = EG_MAX_LISTED},
        [A_CURSOR] = {.name = "cursor", .kind = ARG_TEXT, .high = MAX_ID_TEXT},
    };
    arg_value v[A_COUNT_];
    eg_list_args args = EG_LIST_DEFAULTS;
    eg_status s = mt_args_read(rq, arguments, specs, A_COUNT_, v);
    if (s == EG_OK) s = read_cursor(rq, v[A_CURSOR].text, &args.cursor);
    if (s != EG_OK) return s;
    args.scope = mt_scope_of(services, &v[A_SCOPE]);
    args.agent_id = v[A_AGENT].text;
    args.since = v[A_SINCE].integer;
    args.as_of = v[A_AS_OF].integer;
    if (v[A_TYPE].given) args.fact_type = (int32_t)v[A_TYPE].integer;
    args.flags = v[A_ALL].integer ? EG_LIST_ALL : 0;
    args.limit = v[A_LIMIT].given ? (uint32_t)v[A_LIMIT].integer : AGENT_LIMIT;
    return list(services, rq, arguments, &args, out);
}

static eg_status call_expiring(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    enum { E_WITHIN, E_SCOPE, E_LIMIT, E_COUNT };
    const arg_spec specs[E_COUNT] = {
        [E_WITHIN] = {.name = "within", .kind = ARG_SPAN},
        [E_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [E_LIMIT] = {.name = "limit", .kind = ARG_INTEGER, .low = 1, .high = EG_MAX_LISTED},
    };
    arg_value v[E_COUNT];
    eg_list_args args = EG_LIST_DEFAULTS;
    eg_status s = mt_args_read(rq, arguments, specs, E_COUNT, v);
    if (s != EG_OK) return s;
    args.scope = mt_scope_of(services, &v[E_SCOPE]);
    args.ends_within = v[E_WITHIN].given ? v[E_WITHIN].integer : 7 * INT64_C(86400000000);
    args.limit = v[E_LIMIT].given ? (uint32_t)v[E_LIMIT].integer : AGENT_LIMIT;
    return list(services, rq, arguments, &args, out);
}

#define READS (EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT)
const eg_tool mt_life_tools[] = {
    {sizeof(eg_tool), READS, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_facts", "List facts", FACTS_DESCRIPTION, FACTS_INPUT,
     FACTS_OUTPUT, call_facts},
    {sizeof(eg_tool), READS, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_expiring", "List facts that expire soon",
     EXPIRING_DESCRIPTION, EXPIRING_INPUT, EXPIRING_OUTPUT, call_expiring},
};
const size_t mt_life_tool_count = COUNT(mt_life_tools);
