/* tools_life.c - the tools about facts in the course of time: listing them, what will
 * expire, what happened, pins and the archive. All are of the team profile. See tools_core.c. */
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

/* --- timeline --- */

/* An agent learns what happened to what; engram_lineage shows all of it. */
enum { EVENT_TEXT = 400, N_SCOPE = 0, N_SINCE, N_UNTIL, N_LIMIT, N_CURSOR, N_NET, N_COUNT };

static const char *event_word(const eg_moment *x) {
    switch (x->kind) {
    case EG_EVENT_STORED:
        return eg_id_is_none(x->fact->supersedes) ? eg_id_is_none(x->fact->restored_from) ? "added" : "restored" : "changed";
    case EG_EVENT_CLOSED: return "closed";
    case EG_EVENT_EXPIRED: return "expired";
    case EG_EVENT_FOUND: return "conflict";
    case EG_EVENT_SETTLED: return "settled";
    }
    return "unknown";
}

static void put_moment(result *r, const eg_moment *x) {
    pj_begin(&r->out, '{');
    mt_put_time(r, "at", x->time);
    pj_kstr(&r->out, "event", eg_str_of(event_word(x)));
    if (x->fact) {
        pj_key(&r->out, "fact");
        mt_put_fact(r, x->fact);
    }
    if (x->before) {
        pj_key(&r->out, "before");
        mt_put_fact(r, x->before);
    }
    if (x->conflict) {
        pj_key(&r->out, "conflict");
        mt_put_conflict_view(r, x->conflict, NULL);
    }
    pj_end(&r->out, '}');
}

static void render_timeline(result *r, const void *data) {
    const eg_timeline *d = data;
    size_t limit = r->text_limit;
    r->whole = 1;
    mt_put_notice(r);
    if (!r->full && limit > EVENT_TEXT) r->text_limit = EVENT_TEXT;
    pj_key(&r->out, "events");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->count; i++) put_moment(r, &d->moments[i]);
    pj_end(&r->out, ']');
    r->text_limit = limit;
    mt_put_optional(r, "next_cursor", d->cursor);
}

typedef struct diff_data {
    const eg_diff *diff;
    int64_t from, to;
} diff_data;

/* The changes that have both sides, or only the one. */
static void put_changes(result *r, const char *key, const eg_diff *d, int before, int after) {
    pj_key(&r->out, key);
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->count; i++) {
        const eg_fact_change *c = &d->changes[i];
        if ((c->before != NULL) != before || (c->after != NULL) != after) continue;
        if (before != after) {
            mt_put_fact(r, before ? c->before : c->after);
            continue;
        }
        pj_begin(&r->out, '{');
        pj_key(&r->out, "before");
        mt_put_fact(r, c->before);
        pj_key(&r->out, "after");
        mt_put_fact(r, c->after);
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
}

static void render_diff(result *r, const void *data) {
    const diff_data *d = data;
    r->whole = 1;
    mt_put_notice(r);
    mt_put_time(r, "since", d->from);
    mt_put_time(r, "until", d->to);
    put_changes(r, "added", d->diff, 0, 1);
    put_changes(r, "changed", d->diff, 1, 1);
    put_changes(r, "closed", d->diff, 1, 0);
}

static eg_status call_diff(const eg_services *services, eg_memory *memory, eg_request *rq, eg_str arguments, const arg_value *v,
                           eg_tool_result *out) {
    eg_diff diff = {0};
    if (!v[N_SINCE].given)
        return eg_request_fail(rq, EG_EINVAL, "since: is missing; with net it says from when on the changes count");
    if (v[N_LIMIT].given || v[N_CURSOR].given)
        return eg_request_fail(rq, EG_EINVAL, "net: the net effect is told at once; leave limit and cursor out");
    eg_status s =
        services->memory_ops->diff(memory, rq, mt_scope_of(services, &v[N_SCOPE]), v[N_SINCE].integer, v[N_UNTIL].integer, &diff);
    const diff_data data = {&diff, v[N_SINCE].integer, v[N_UNTIL].integer};
    return s == EG_OK ? mt_result_make(rq, arguments, render_diff, &data, out) : s;
}

static eg_status call_timeline(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[N_COUNT] = {
        [N_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [N_SINCE] = {.name = "since", .kind = ARG_TIME},
        [N_UNTIL] = {.name = "until", .kind = ARG_TIME},
        [N_LIMIT] = {.name = "limit", .kind = ARG_INTEGER, .low = 1, .high = EG_MAX_LISTED},
        [N_CURSOR] = {.name = "cursor", .kind = ARG_TEXT, .high = MAX_ID_TEXT},
        [N_NET] = {.name = "net", .kind = ARG_BOOLEAN},
    };
    arg_value v[N_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, N_COUNT, v);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    if (!EG_HAS(services->memory_ops, diff)) return no_listing(rq);
    if (v[N_NET].integer) return call_diff(services, memory, rq, arguments, v, out);
    const eg_timeline_args args = {.size = sizeof args,
                                   .scope = mt_scope_of(services, &v[N_SCOPE]),
                                   .since = v[N_SINCE].integer,
                                   .until = v[N_UNTIL].integer,
                                   .cursor = v[N_CURSOR].text,
                                   .limit = v[N_LIMIT].given ? (uint32_t)v[N_LIMIT].integer : AGENT_LIMIT};
    eg_timeline timeline = {0};
    s = services->memory_ops->timeline(memory, rq, &args, &timeline);
    return s == EG_OK ? mt_result_make(rq, arguments, render_timeline, &timeline, out) : s;
}

/* --- mark --- */

enum { M_ID, M_MARK, M_REASON, M_COUNT, MARK_PIN = 0, MARK_UNPIN, MARK_ARCHIVE, MARK_RESTORE };
static const char *const mark_words[] = {"pin", "unpin", "archive", "restore", NULL};

typedef struct mark_data {
    const char *word;
    const eg_fact *fact;
    int64_t undo_id;
    eg_str warning;
} mark_data;

static void render_mark(result *r, const void *data) {
    const mark_data *d = data;
    mt_put_notice(r);
    pj_kstr(&r->out, "mark", eg_str_of(d->word));
    pj_key(&r->out, "fact");
    if (d->fact) mt_put_fact(r, d->fact);
    else pj_null(&r->out);
    mt_put_undo_id(r, d->undo_id);
    if (d->warning.len) pj_kstr(&r->out, "warning", d->warning);
}

static eg_status call_mark(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[M_COUNT] = {
        [M_ID] = {.name = "fact_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT},
        [M_MARK] = {.name = "mark", .kind = ARG_WORD, .required = 1, .words = mark_words},
        [M_REASON] = {.name = "reason", .kind = ARG_TEXT, .high = EG_MAX_RESOLUTION},
    };
    arg_value v[M_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, M_COUNT, v);
    if (s != EG_OK) return s;
    const eg_memory_ops *ops = services->memory_ops;
    int64_t mark = v[M_MARK].integer;
    if (v[M_REASON].given && mark != MARK_ARCHIVE)
        return eg_request_fail(rq, EG_EINVAL, "reason: goes with the mark archive only; leave it out");
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    if (!EG_HAS(ops, restore)) return eg_request_fail(rq, EG_EUNSUPPORTED, "this version of Engram cannot mark facts");
    eg_fact fact = {0};
    eg_undone done = {0};
    if (mark == MARK_ARCHIVE) s = ops->archive(memory, rq, v[M_ID].text, v[M_REASON].text, &done);
    else if (mark == MARK_RESTORE) s = ops->restore(memory, rq, v[M_ID].text, &done);
    else s = ops->pin(memory, rq, v[M_ID].text, mark == MARK_PIN, &fact);
    if (s != EG_OK) return s;
    const mark_data data = {.word = mark_words[mark],
                            .fact = done.closed_count        ? done.closed
                                    : done.restored_count    ? done.restored
                                    : eg_id_is_none(fact.id) ? NULL
                                                             : &fact,
                            .undo_id = done.undo_id,
                            .warning = done.warning};
    return mt_result_make(rq, arguments, render_mark, &data, out);
}

#define READS (EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT)
const eg_tool mt_life_tools[] = {
    {sizeof(eg_tool), READS, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_facts", "List facts", FACTS_DESCRIPTION, FACTS_INPUT,
     FACTS_OUTPUT, call_facts},
    {sizeof(eg_tool), READS, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_expiring", "List facts that expire soon",
     EXPIRING_DESCRIPTION, EXPIRING_INPUT, EXPIRING_OUTPUT, call_expiring},
    {sizeof(eg_tool), READS, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_timeline", "What happened", TIMELINE_DESCRIPTION,
     TIMELINE_INPUT, TIMELINE_OUTPUT, call_timeline},
    {sizeof(eg_tool), 0, EG_PROFILE_TEAM, EG_NEEDS_WRITE, "engram_mark", "Pin, archive or restore a fact", MARK_DESCRIPTION,
     MARK_INPUT, MARK_OUTPUT, call_mark},
};
const size_t mt_life_tool_count = COUNT(mt_life_tools);
