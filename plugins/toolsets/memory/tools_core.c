/* tools_core.c - the tools of the core profile: status, commit, query, conflicts, resolve, check,
 * undo.
 * Each reads its arguments by its table, calls the memory and writes the result. Called by the host
 * for front ends, on worker threads, several at once. */
#include "tools.h"

#include "schemas.h"

/* --- status --- */

/* waiting: number of facts that have no vectors of the model yet. */
static void put_model(result *r, const char *key, eg_str folder, eg_str problem, uint64_t waiting) {
    pj_key(&r->out, key);
    pj_begin(&r->out, '{');
    pj_kopt(&r->out, "folder", folder);
    pj_kopt(&r->out, "problem", problem);
    if (waiting) pj_kint(&r->out, "facts_waiting", (int64_t)waiting);
    pj_end(&r->out, '}');
}

typedef struct status_data {
    const eg_memory_status *status;
    eg_str workspace;
} status_data;

static void render_status(result *r, const void *data) {
    const status_data *d = data;
    const eg_memory_status *s = d->status;
    pj_kstr(&r->out, "status", s->status);
    pj_kstr(&r->out, "mode", s->mode);
    pj_kstr(&r->out, "storage", s->storage);
    pj_kstr(&r->out, "workspace", d->workspace);
    pj_kopt(&r->out, "workspace_why", s->workspace_why);
    if (s->notice.len) pj_kstr(&r->out, "warning", s->notice);
    if (s->settings.len) pj_kstr(&r->out, "settings", s->settings);
    pj_kopt(&r->out, "version", s->version);
    pj_kopt(&r->out, "location", s->store.location);
    if (s->writing_problem.len) pj_kstr(&r->out, "writing_problem", s->writing_problem);
    pj_kint(&r->out, "facts", (int64_t)s->store.facts);
    pj_kint(&r->out, "current_facts", (int64_t)s->store.current_facts);
    pj_kint(&r->out, "conflicts_open", (int64_t)s->store.conflicts_open);
    pj_kint(&r->out, "conflicts_total", (int64_t)s->store.conflicts_total);
    pj_kint(&r->out, "agents", (int64_t)s->store.agents);
    pj_kint(&r->out, "jobs_queued", (int64_t)s->store.jobs_queued);
    pj_kint(&r->out, "jobs_dead", (int64_t)s->store.jobs_dead);
    mt_put_time(r, "oldest_job_at", s->store.oldest_job_at);
    if (s->store_checked_at) mt_put_time(r, "store_checked_at", s->store_checked_at);
    if (s->store_problem.len) pj_kstr(&r->out, "store_problem", s->store_problem);
    pj_key(&r->out, "models");
    pj_begin(&r->out, '{');
    put_model(r, "embedding", s->embed_model, s->embed_problem, s->facts_to_embed);
    put_model(r, "nli", s->nli_model, s->nli_problem, 0);
    pj_end(&r->out, '}');
}

static void render_unconfigured(result *r, const void *data) {
    const status_data *d = data;
    pj_kstr(&r->out, "status", EG_STR("unconfigured"));
    pj_kstr(&r->out, "mode", EG_STR("local"));
    pj_kstr(&r->out, "storage", EG_STR("none"));
    pj_kstr(&r->out, "workspace", d->workspace);
    pj_kstr(&r->out, "next_prompt",
            EG_STR("Engram found no store for this workspace. Shall I run `engram doctor` to find out why?"));
}

static eg_status call_status(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    eg_status s = mt_args_read(rq, arguments, NULL, 0, NULL);
    if (s != EG_OK) return s;
    eg_memory_status status = {0};
    status_data data = {&status, rq->workspace};
    eg_memory *memory = services->memory ? services->memory(services->host) : NULL;
    if (!memory) return mt_result_make(rq, arguments, render_unconfigured, &data, out);
    s = services->memory_ops->status(memory, rq, &status);
    return s == EG_OK ? mt_result_make(rq, arguments, render_status, &data, out) : s;
}

eg_str mt_scope_of(const eg_services *services, const arg_value *given) {
    eg_str scope = given->text;
    if (!given->given && services->config(services->host, "scope", &scope) != EG_OK) scope = (eg_str){0};
    return scope;
}

/* --- commit --- */

enum {
    C_CONTENT,
    C_STATEMENTS,
    C_SCOPE,
    C_CONFIDENCE,
    C_AGENT,
    C_ENGINEER,
    C_PROVENANCE,
    C_TYPE,
    C_TTL,
    C_OPERATION,
    C_CORRECTS,
    C_DURABILITY,
    C_ARTIFACT,
    C_WAIT,
    C_EXACT,
    C_REASON,
    C_COUNT
};

typedef struct commit_data {
    const eg_receipt *receipt;
    eg_str asks;
} commit_data;

/* The facts that the new one replaces by its own words, repeats, or stands beside. */
static void put_related(result *r, const eg_receipt *d) {
    static const char *const words[] = {
        [EG_OUTCOME_UPDATE] = "update", [EG_OUTCOME_CORROBORATION] = "same", [EG_OUTCOME_BOTH_VALID] = "both_valid"};
    if (!d->related_count) return;
    pj_key(&r->out, "related");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->related_count; i++) {
        const eg_related *other = &d->related[i];
        if (other->outcome < EG_OUTCOME_UPDATE || other->outcome > EG_OUTCOME_BOTH_VALID) continue;
        pj_begin(&r->out, '{');
        mt_put_id(r, "fact_id", other->fact);
        pj_kstr(&r->out, "outcome", eg_str_of(words[other->outcome]));
        mt_put_optional(r, "agent_id", other->agent_id);
        mt_put_text(r, "why", other->why);
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
}

static void put_next_step(result *r, const eg_receipt *d) {
    static const char conflicts[] =
        "Find out from the code, the tests or a person which fact is true, then call engram_resolve; until then rely on neither. "
        "Where the value changed, your fact is the winner: next time commit with operation update. ";
    char text[sizeof conflicts + 300], id[ID_TEXT] = "";
    const eg_related *replaced = d->related_count && d->related[0].outcome == EG_OUTCOME_UPDATE ? &d->related[0] : NULL;
    const char *short_id = "";
    if (replaced) {
        eg_str whole = mt_id_format(replaced->fact, id);
        short_id = whole.ptr + whole.len - ID_SHORT;
    }
    int n = snprintf(text, sizeof text, "%s", d->conflict_count ? conflicts : "");
    if (replaced)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "Your text says that it replaces fact %s, which is current: if so, commit the same content again with "
                      "operation update and corrects_lineage %s.",
                      short_id, short_id);
    while (n > 0 && text[n - 1] == ' ') n--;
    if (n > 0) pj_kstr(&r->out, "next_step", (eg_str){text, (size_t)n});
}

/* Of an update that replaced nothing. */
static void put_nearest(result *r, const eg_fact *f) {
    pj_key(&r->out, "nearest");
    pj_begin(&r->out, '{');
    mt_put_id(r, "fact_id", f->id);
    mt_put_id(r, "lineage_id", f->lineage_id);
    pj_kstr(&r->out, "scope", f->scope);
    mt_put_text(r, "content", f->content);
    pj_kstr(&r->out, "note",
            EG_STR("No fact is surely the one that this update replaces, so it was added. If it replaces this one, commit it "
                   "again with corrects_lineage."));
    pj_end(&r->out, '}');
}

void mt_put_receipt(result *r, const eg_receipt *d, eg_str asks) {
    mt_put_id(r, "fact_id", d->fact.id);
    if (r->full || !eg_id_eq(d->fact.lineage_id, d->fact.id)) mt_put_id(r, "lineage_id", d->fact.lineage_id);
    if (r->full) mt_put_time(r, "committed_at", d->fact.committed_at);
    mt_put_flag(r, "duplicate", d->duplicate != 0);
    mt_put_word(r, "operation", mt_operation_words, EG_OP_NONE + 1, d->operation);
    mt_put_id(r, "supersedes_fact_id", d->fact.supersedes);
    pj_key(&r->out, "conflicts");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->conflict_count; i++) mt_put_conflict_view(r, &d->conflicts[i], &d->fact.id);
    pj_end(&r->out, ']');
    put_related(r, d);
    put_next_step(r, d);
    if (d->nearest) put_nearest(r, d->nearest);
    if (d->suspected_count) mt_put_reviews(r, d->suspected, d->suspected_count, &d->fact.id, asks);
    pj_kstr(&r->out, "detection", d->detection_done ? EG_STR("done") : EG_STR("queued"));
    mt_put_undo_id(r, d->undo_id);
    if (d->warning.len) pj_kstr(&r->out, "warning", d->warning);
}

static void render_commit(result *r, const void *data) {
    const commit_data *c = data;
    mt_put_notice(r);
    mt_put_receipt(r, c->receipt, c->asks);
}

eg_status mt_read_commit(const eg_services *services, eg_request *rq, eg_str arguments, eg_commit_args *out) {
    const arg_spec specs[C_COUNT] = {
        [C_CONTENT] = {.name = "content", .kind = ARG_TEXT, .high = EG_MAX_CONTENT},
        [C_STATEMENTS] = {.name = "statements", .kind = ARG_TEXTS, .low = EG_MAX_STATEMENT, .high = EG_MAX_STATEMENTS},
        [C_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [C_CONFIDENCE] = {.name = "confidence", .kind = ARG_NUMBER, .low = 0, .high = 1},
        [C_AGENT] = {.name = "agent_id", .kind = ARG_TEXT, .high = EG_MAX_NAME},
        [C_ENGINEER] = {.name = "engineer", .kind = ARG_TEXT, .high = EG_MAX_NAME},
        [C_PROVENANCE] = {.name = "provenance", .kind = ARG_TEXT, .high = EG_MAX_PROVENANCE},
        [C_TYPE] = {.name = "fact_type", .kind = ARG_WORD, .words = mt_fact_type_words},
        [C_TTL] = {.name = "ttl_days", .kind = ARG_INTEGER, .low = 1, .high = EG_MAX_TTL_DAYS},
        /* `none` stores nothing. It is for `engram commit`; the schema does not offer it to agents.
         */
        [C_OPERATION] = {.name = "operation", .kind = ARG_WORD, .words = mt_operation_words},
        [C_CORRECTS] = {.name = "corrects_lineage", .kind = ARG_TEXT, .high = MAX_ID_TEXT},
        [C_DURABILITY] = {.name = "durability", .kind = ARG_WORD, .words = mt_durability_words},
        [C_ARTIFACT] = {.name = "artifact_hash", .kind = ARG_TEXT, .high = EG_MAX_PROVENANCE},
        [C_WAIT] = {.name = "wait_ms", .kind = ARG_INTEGER, .low = 0, .high = EG_MAX_WAIT_MS},
        [C_EXACT] = {.name = "exact", .kind = ARG_BOOLEAN},
        [C_REASON] = {.name = "reason", .kind = ARG_TEXT, .high = EG_MAX_RESOLUTION},
    };
    arg_value v[C_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, C_COUNT, v);
    if (s != EG_OK) return s;
    eg_commit_args args = EG_COMMIT_DEFAULTS;
    args.content = v[C_CONTENT].text;
    args.statements = v[C_STATEMENTS].texts;
    args.statement_count = v[C_STATEMENTS].count;
    args.scope = mt_scope_of(services, &v[C_SCOPE]);
    if (v[C_CONFIDENCE].given) args.confidence = v[C_CONFIDENCE].number;
    args.agent_id = v[C_AGENT].given ? v[C_AGENT].text : rq->who->agent;
    args.engineer = v[C_ENGINEER].text;
    args.provenance = v[C_PROVENANCE].text;
    args.fact_type = (uint32_t)v[C_TYPE].integer;
    args.ttl_days = (uint32_t)v[C_TTL].integer;
    args.operation = (uint32_t)v[C_OPERATION].integer;
    args.corrects_lineage = v[C_CORRECTS].text;
    args.durability = (uint32_t)v[C_DURABILITY].integer;
    args.artifact_hash = v[C_ARTIFACT].text;
    args.reason = v[C_REASON].text;
    if (v[C_EXACT].integer) args.flags |= EG_COMMIT_EXACT;
    if (v[C_WAIT].given) args.wait_ms = (int32_t)v[C_WAIT].integer;
    *out = args;
    if (!v[C_CONTENT].given && args.operation != EG_OP_DELETE && args.operation != EG_OP_NONE)
        return eg_request_fail(rq, EG_EINVAL, "content: is missing or empty; the operations add and update require it");
    return EG_OK;
}

static eg_status call_commit(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    eg_commit_args args;
    eg_status s = mt_read_commit(services, rq, arguments, &args);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_receipt receipt = {0};
    s = services->memory_ops->commit(memory, rq, &args, &receipt);
    const commit_data data = {&receipt, mt_asks(rq)};
    if (s == EG_OK) s = mt_result_make(rq, arguments, render_commit, &data, out);
    return s == EG_OK ? mt_ask_reviews(rq, receipt.suspected, receipt.suspected_count, out) : s;
}

/* --- query --- */

enum { Q_TOPIC, Q_SCOPE, Q_LIMIT, Q_AS_OF, Q_TYPE, Q_AGENT, Q_EPHEMERAL, Q_HISTORY, Q_PREFER, Q_COUNT };

typedef struct query_data {
    const eg_hits *hits;
    const eg_citation_view *cited; /* a view for each; NULL: not looked at */
} query_data;

static void render_hit(result *r, const eg_hit *hit, const eg_citation_view *cited) {
    pj_begin(&r->out, '{');
    r->dates = r->disputed = 1;
    mt_put_fact_members(r, &hit->fact);
    r->dates = r->disputed = 0;
    mt_put_stale(r, cited);
    if (r->full) {
        mt_put_score(r, "relevance", hit->relevance);
        mt_put_optional(r, "why", hit->why);
    }
    if (r->full || hit->open_conflict_count) {
        pj_key(&r->out, "open_conflicts");
        pj_begin(&r->out, '[');
        for (size_t i = 0; i < hit->open_conflict_count; i++) mt_put_id(r, NULL, hit->open_conflicts[i]);
        pj_end(&r->out, ']');
    }
    if (hit->suspected_count) {
        pj_key(&r->out, "reviews");
        pj_begin(&r->out, '[');
        for (size_t i = 0; i < hit->suspected_count; i++) mt_put_id(r, NULL, hit->suspected[i]);
        pj_end(&r->out, ']');
    }
    pj_end(&r->out, '}');
}

static void render_query(result *r, const void *data) {
    const query_data *q = data;
    const eg_hits *d = q->hits;
    mt_put_notice(r);
    pj_key(&r->out, "results");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->count; i++) render_hit(r, &d->hits[i], q->cited ? &q->cited[i] : NULL);
    pj_end(&r->out, ']');
    mt_put_flag(r, "text_only", d->text_only != 0);
    mt_put_flag(r, "topic_cut", d->topic_cut != 0);
}

static eg_status call_query(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[Q_COUNT] = {
        /* the memory cuts a long topic and does not refuse it; the size of the message is the only
         * limit */
        [Q_TOPIC] = {.name = "topic", .kind = ARG_TEXT, .required = 1, .high = INT32_MAX},
        [Q_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [Q_LIMIT] = {.name = "limit", .kind = ARG_INTEGER, .low = 1, .high = EG_MAX_RESULTS},
        [Q_AS_OF] = {.name = "as_of", .kind = ARG_TIME},
        [Q_TYPE] = {.name = "fact_type", .kind = ARG_WORD, .words = mt_fact_type_words},
        [Q_AGENT] = {.name = "agent_id", .kind = ARG_TEXT, .high = EG_MAX_NAME},
        [Q_EPHEMERAL] = {.name = "include_ephemeral", .kind = ARG_BOOLEAN},
        [Q_HISTORY] = {.name = "include_history", .kind = ARG_BOOLEAN},
        [Q_PREFER] = {.name = "prefer_scope", .kind = ARG_BOOLEAN},
    };
    arg_value v[Q_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, Q_COUNT, v);
    if (s != EG_OK) return s;
    eg_query_args args = EG_QUERY_DEFAULTS;
    args.topic = v[Q_TOPIC].text;
    args.scope = mt_scope_of(services, &v[Q_SCOPE]);
    args.agent_id = v[Q_AGENT].text;
    args.limit = (uint32_t)v[Q_LIMIT].integer;
    args.as_of = v[Q_AS_OF].integer;
    if (v[Q_TYPE].given) args.fact_type = (int32_t)v[Q_TYPE].integer;
    args.include_ephemeral = (uint32_t)v[Q_EPHEMERAL].integer;
    args.include_history = (uint32_t)v[Q_HISTORY].integer;
    if (v[Q_PREFER].integer) args.flags |= EG_QUERY_PREFER_SCOPE;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_hits hits = {0};
    s = services->memory_ops->query(memory, rq, &args, &hits);
    const eg_fact *facts[EG_MAX_RESULTS];
    for (size_t i = 0; s == EG_OK && i < hits.count && i < EG_MAX_RESULTS; i++) facts[i] = &hits.hits[i].fact;
    if (s != EG_OK) return s;
    const query_data data = {&hits, mt_citations_of(services, memory, rq, facts, hits.count)};
    return mt_result_make(rq, arguments, render_query, &data, out);
}

/* --- conflicts --- */

enum { L_SCOPE, L_STATUS, L_LIMIT, L_ID, L_COUNT, L_DEFAULT = 10, L_MOST = 100 };
static const char *const status_filter_words[] = {"open", "resolved", "dismissed", "expired", "suspected", "all", NULL};

typedef struct conflicts_data {
    const eg_conflict_view *views;
    size_t count;
    int more;
} conflicts_data;

static void render_conflicts(result *r, const void *data) {
    const conflicts_data *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "conflicts");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->count; i++) mt_put_conflict_view(r, &d->views[i], NULL);
    pj_end(&r->out, ']');
    mt_put_flag(r, "more", d->more);
}

/* A list of one, with its history. */
static void render_one_conflict(result *r, const void *data) {
    const one_conflict *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "conflicts");
    pj_begin(&r->out, '[');
    mt_put_whole_conflict(r, &d->view);
    pj_end(&r->out, ']');
    mt_put_flag(r, "more", 0);
    mt_put_history(r, &d->view.conflict, d->history, d->count);
}

static eg_status call_conflicts(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[L_COUNT] = {
        [L_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
        [L_STATUS] = {.name = "status", .kind = ARG_WORD, .words = status_filter_words},
        [L_LIMIT] = {.name = "limit", .kind = ARG_INTEGER, .low = 1, .high = L_MOST},
        [L_ID] = {.name = "conflict_id", .kind = ARG_TEXT, .high = MAX_ID_TEXT},
    };
    arg_value v[L_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, L_COUNT, v);
    if (s != EG_OK) return s;
    /* some callers fill in every field: the defaults of the others are no contradiction */
    int narrowed =
        v[L_SCOPE].given || v[L_STATUS].integer != EG_CONFLICT_OPEN || (v[L_LIMIT].given && v[L_LIMIT].integer != L_DEFAULT);
    if (v[L_ID].given && narrowed)
        return eg_request_fail(rq, EG_EINVAL, "conflict_id: selects one conflict; leave scope, status and limit out");
    if (v[L_ID].given) return mt_one_conflict(services, rq, arguments, v[L_ID].text, render_one_conflict, out);
    uint32_t limit = v[L_LIMIT].given ? (uint32_t)v[L_LIMIT].integer : L_DEFAULT;
    int32_t status = v[L_STATUS].integer == EG_CONFLICT_SUSPECTED + 1 ? -1 : (int32_t)v[L_STATUS].integer;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_conflict_view *views = NULL;
    size_t n = 0;
    s = services->memory_ops->conflicts(memory, rq, v[L_SCOPE].text, status, limit + 1, &views,
                                        &n); /* one more: is there more? */
    const conflicts_data data = {.views = views, .count = n > limit ? limit : n, .more = n > limit};
    return s == EG_OK ? mt_result_make(rq, arguments, render_conflicts, &data, out) : s;
}

/* --- resolve --- */

enum { R_ID, R_TYPE, R_TEXT, R_WINNER, R_MERGED, R_AGENT, R_COUNT };

typedef struct resolve_data {
    const eg_resolved *resolved;
    uint32_t type;
} resolve_data;

static void render_resolve(result *r, const void *data) {
    const resolve_data *d = data;
    mt_put_notice(r);
    pj_kbool(&r->out, "resolved", 1);
    if (r->full) {
        mt_put_id(r, "conflict_id", d->resolved->conflict.id);
        mt_put_word(r, "resolution_type", mt_resolution_words, EG_RESOLUTION_BOTH_VALID + 1, d->type);
    }
    mt_put_word(r, "status", mt_conflict_status_words, EG_CONFLICT_SUSPECTED + 1, d->resolved->conflict.status);
    mt_put_facts(r, "closed", d->resolved->closed, d->resolved->closed_count);
    if (r->full || !eg_id_is_none(d->resolved->merged.id)) {
        pj_key(&r->out, "merged");
        mt_put_fact(r, &d->resolved->merged);
    }
    if (r->full || d->resolved->other_conflicts_closed)
        pj_kint(&r->out, "other_conflicts_closed", (int64_t)d->resolved->other_conflicts_closed);
    mt_put_undo_id(r, d->resolved->undo_id);
    if (d->resolved->warning.len) pj_kstr(&r->out, "warning", d->resolved->warning);
}

static eg_status call_resolve(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[R_COUNT] = {
        [R_ID] = {.name = "conflict_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT},
        [R_TYPE] = {.name = "resolution_type", .kind = ARG_WORD, .required = 1, .words = mt_resolution_words},
        [R_TEXT] = {.name = "resolution", .kind = ARG_TEXT, .required = 1, .high = EG_MAX_RESOLUTION},
        [R_WINNER] = {.name = "winning_fact_id", .kind = ARG_TEXT, .high = MAX_ID_TEXT},
        [R_MERGED] = {.name = "merged_content", .kind = ARG_TEXT, .high = EG_MAX_CONTENT},
        [R_AGENT] = {.name = "agent_id", .kind = ARG_TEXT, .high = EG_MAX_NAME},
    };
    arg_value v[R_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, R_COUNT, v);
    if (s != EG_OK) return s;
    const eg_resolve_args args = {.size = sizeof(eg_resolve_args),
                                  .conflict_id = v[R_ID].text,
                                  .resolution_type = (uint32_t)v[R_TYPE].integer,
                                  .resolution = v[R_TEXT].text,
                                  .winning_fact_id = v[R_WINNER].text,
                                  .merged_content = v[R_MERGED].text,
                                  .agent_id = v[R_AGENT].given ? v[R_AGENT].text : rq->who->agent};
    if (args.resolution_type == EG_RESOLUTION_WINNER && !args.winning_fact_id.len)
        return eg_request_fail(rq, EG_EINVAL,
                               "winning_fact_id: is missing; resolution_type winner requires the id of the fact that is true");
    if (args.resolution_type == EG_RESOLUTION_MERGE && !args.merged_content.len)
        return eg_request_fail(
            rq, EG_EINVAL, "merged_content: is missing; resolution_type merge requires the text of the fact that replaces both");
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_resolved resolved = {0};
    s = services->memory_ops->resolve(memory, rq, &args, &resolved);
    const resolve_data data = {&resolved, args.resolution_type};
    return s == EG_OK ? mt_result_make(rq, arguments, render_resolve, &data, out) : s;
}

/* --- check --- */

enum { K_CONTENT, K_STATEMENTS, K_SCOPE, K_COUNT, K_MOST = 200 };

typedef struct check_data {
    const eg_check_item *items;
    const eg_checked *checked;
} check_data;

static void render_finding(result *r, const check_data *d, const eg_check_finding *f) {
    pj_begin(&r->out, '{');
    int with_fact = f->other == UINT32_MAX;
    pj_kint(&r->out, "statement", f->item);
    if (r->full) mt_put_text(r, "content", d->items[f->item].content);
    if (r->full || !with_fact) {
        pj_key(&r->out, "other_statement");
        if (with_fact) pj_null(&r->out);
        else pj_int(&r->out, f->other);
    }
    if (r->full || with_fact) {
        pj_key(&r->out, "fact");
        if (with_fact) mt_put_fact(r, &f->fact);
        else pj_null(&r->out);
    }
    pj_kstr(&r->out, "detection_tier", f->tier);
    mt_put_word(r, "severity", mt_severity_words, EG_SEVERITY_HIGH + 1, f->severity);
    mt_put_score(r, "score", f->score);
    mt_put_text(r, "explanation", f->explanation);
    pj_end(&r->out, '}');
}

static void render_check(result *r, const void *data) {
    const check_data *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "would_conflict");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->checked->count; i++) render_finding(r, d, &d->checked->findings[i]);
    pj_end(&r->out, ']');
    if (r->full) {
        pj_kint(&r->out, "statements", (int64_t)d->checked->statements);
        pj_kint(&r->out, "pairs", (int64_t)d->checked->pairs);
    }
    mt_put_flag(r, "without_nli", d->checked->without_nli != 0);
    if (d->checked->problem.len) mt_put_text(r, "problem", d->checked->problem);
}

static eg_status call_check(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[K_COUNT] = {
        [K_CONTENT] = {.name = "content", .kind = ARG_TEXT, .high = EG_MAX_CONTENT},
        [K_STATEMENTS] = {.name = "statements", .kind = ARG_TEXTS, .low = EG_MAX_CONTENT, .high = K_MOST},
        [K_SCOPE] = {.name = "scope", .kind = ARG_TEXT, .high = EG_MAX_SCOPE},
    };
    arg_value v[K_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, K_COUNT, v);
    if (s != EG_OK) return s;
    if (v[K_CONTENT].given == v[K_STATEMENTS].given)
        return eg_request_fail(rq, EG_EINVAL, "statements: give exactly one of content (one statement) and statements (several)");
    size_t n = v[K_CONTENT].given ? 1 : v[K_STATEMENTS].count;
    eg_check_item *items = eg_request_array(rq, n, sizeof *items);
    if (!items) return rq->err->code;
    for (size_t i = 0; i < n; i++)
        items[i] = (eg_check_item){.content = v[K_CONTENT].given ? v[K_CONTENT].text : v[K_STATEMENTS].texts[i],
                                   .scope = mt_scope_of(services, &v[K_SCOPE]),
                                   .line = (uint32_t)i + 1};
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    const eg_check_args args = {.size = sizeof(eg_check_args), .items = items, .item_count = n, .against_store = 1};
    eg_checked checked = {0};
    s = services->memory_ops->check(memory, rq, &args, &checked);
    const check_data data = {items, &checked};
    return s == EG_OK ? mt_result_make(rq, arguments, render_check, &data, out) : s;
}

/* --- undo --- */

static void render_undo(result *r, const void *data) {
    const eg_undone *d = data;
    mt_put_notice(r);
    pj_kstr(&r->out, "undone", d->action);
    mt_put_facts(r, "restored", d->restored, d->restored_count);
    mt_put_facts(r, "closed", d->closed, d->closed_count);
    pj_kint(&r->out, "undo_id", d->undo_id);
    if (d->warning.len) pj_kstr(&r->out, "warning", d->warning);
}

static eg_status call_undo(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    /* ids come as JSON numbers: exact up to 2^53 - 1, which no store reaches */
    static const arg_spec spec = {.name = "undo_id", .kind = ARG_INTEGER, .required = 1, .low = 1, .high = 9007199254740991.0};
    arg_value v;
    eg_status s = mt_args_read(rq, arguments, &spec, 1, &v);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_undone undone = {0};
    s = services->memory_ops->undo(memory, rq, v.integer, &undone);
    return s == EG_OK ? mt_result_make(rq, arguments, render_undo, &undone, out) : s;
}

#define READS (EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT)
const eg_tool mt_core_tools[] = {
    {sizeof(eg_tool), READS, EG_PROFILE_CORE, EG_NEEDS_READ, "engram_status", "Engram status", STATUS_DESCRIPTION, STATUS_INPUT,
     STATUS_OUTPUT, call_status},
    {sizeof(eg_tool), READS, EG_PROFILE_CORE, EG_NEEDS_READ, "engram_query", "Ask the shared memory", QUERY_DESCRIPTION,
     QUERY_INPUT, QUERY_OUTPUT, call_query},
    {sizeof(eg_tool), 0, EG_PROFILE_CORE, EG_NEEDS_WRITE, "engram_commit", "Save a finding", COMMIT_DESCRIPTION, COMMIT_INPUT,
     COMMIT_OUTPUT, call_commit},
    {sizeof(eg_tool), READS, EG_PROFILE_CORE, EG_NEEDS_READ, "engram_conflicts", "List conflicts", CONFLICTS_DESCRIPTION,
     CONFLICTS_INPUT, CONFLICTS_OUTPUT, call_conflicts},
    {sizeof(eg_tool), EG_TOOL_IDEMPOTENT, EG_PROFILE_CORE, EG_NEEDS_RESOLVE, "engram_resolve", "Settle a conflict",
     RESOLVE_DESCRIPTION, RESOLVE_INPUT, RESOLVE_OUTPUT, call_resolve},
    {sizeof(eg_tool), 0, EG_PROFILE_CORE, EG_NEEDS_WRITE, "engram_judge", "Answer a review", JUDGE_DESCRIPTION, JUDGE_INPUT,
     JUDGE_OUTPUT, mt_call_judge},
    {sizeof(eg_tool), READS, EG_PROFILE_CORE, EG_NEEDS_READ, "engram_check", "Check statements", CHECK_DESCRIPTION, CHECK_INPUT,
     CHECK_OUTPUT, call_check},
    {sizeof(eg_tool), 0, EG_PROFILE_CORE, EG_NEEDS_RESOLVE, "engram_undo", "Take back a change", UNDO_DESCRIPTION, UNDO_INPUT,
     UNDO_OUTPUT, call_undo},
};
const size_t mt_core_tool_count = COUNT(mt_core_tools);
