/* tools_team.c - the tools of the team profile: feedback, promote, lineage. See tools_core.c.
 */
#include "tools.h"

#include "schemas.h"

enum { F_ID, F_FEEDBACK, F_COUNT };
static const char *const feedback_words[] = {"false_positive", "true_positive", NULL};

typedef struct feedback_data {
    eg_str conflict_id;
    const char *word;
} feedback_data;

static void render_feedback(result *r, const void *data) {
    const feedback_data *d = data;
    pj_kbool(&r->out, "recorded", 1);
    pj_kstr(&r->out, "conflict_id", d->conflict_id);
    pj_kstr(&r->out, "feedback", eg_str_of(d->word));
}

static eg_status call_feedback(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[F_COUNT] = {
        [F_ID] = {.name = "conflict_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT},
        [F_FEEDBACK] = {.name = "feedback", .kind = ARG_WORD, .required = 1, .words = feedback_words},
    };
    arg_value v[F_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, F_COUNT, v);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    s = services->memory_ops->feedback(memory, rq, v[F_ID].text, (int)v[F_FEEDBACK].integer);
    const feedback_data data = {v[F_ID].text, feedback_words[v[F_FEEDBACK].integer]};
    return s == EG_OK ? mt_result_make(rq, arguments, render_feedback, &data, out) : s;
}

static void render_promote(result *r, const void *data) {
    mt_put_notice(r);
    pj_key(&r->out, "fact");
    mt_put_fact(r, data);
}

static eg_status call_promote(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    static const arg_spec spec = {.name = "fact_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT};
    arg_value v;
    eg_status s = mt_args_read(rq, arguments, &spec, 1, &v);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_fact fact = {0};
    s = services->memory_ops->promote(memory, rq, v.text, &fact);
    return s == EG_OK ? mt_result_make(rq, arguments, render_promote, &fact, out) : s;
}

typedef struct lineage_data {
    const eg_fact *facts;
    size_t count;
    const eg_statement_list *statements; /* a list for each */
    const eg_citation_view *cited;       /* a view for each; NULL: not looked at */
    const eg_fact *named;
    const eg_conflict_view *conflicts; /* of all versions */
    size_t conflict_count;
} lineage_data;

static void render_lineage(result *r, const void *data) {
    const lineage_data *d = data;
    mt_put_notice(r);
    pj_key(&r->out, "versions");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->count; i++) mt_put_fact_cited(r, &d->facts[i], &d->statements[i], d->cited ? &d->cited[i] : NULL);
    pj_end(&r->out, ']');
    if (r->full && d->named) mt_put_id(r, "fact_id", d->named->id);
    if (!r->full && !d->conflict_count) return;
    pj_key(&r->out, "conflicts");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < d->conflict_count; i++) {
        const eg_conflict_view *v = &d->conflicts[i];
        /* the versions stand above: of these, the other side is enough */
        mt_put_conflict_view(r, v, eg_id_eq(v->a.lineage_id, d->named->lineage_id) ? &v->a.id : &v->b.id);
    }
    pj_end(&r->out, ']');
}

/* What contradicts, or contradicted, any of the versions. */
static eg_status read_conflicts(const eg_services *services, eg_memory *memory, eg_request *rq, lineage_data *d) {
    const eg_memory_ops *ops = services->memory_ops;
    eg_id *ids = eg_request_array(rq, d->count, sizeof *ids);
    eg_conflict_view *views = NULL;
    if (!ids) return EG_ENOMEM;
    for (size_t i = 0; i < d->count; i++) ids[i] = d->facts[i].id;
    if (!EG_HAS(ops, conflicts_about)) return EG_OK; /* an older host knows of none */
    eg_status s = ops->conflicts_about(memory, rq, ids, d->count, &views, &d->conflict_count);
    d->conflicts = views;
    return s;
}

static eg_status call_lineage(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    static const arg_spec spec = {.name = "lineage_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT};
    arg_value v;
    eg_status s = mt_args_read(rq, arguments, &spec, 1, &v);
    if (s != EG_OK) return s;
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_fact *facts = NULL;
    size_t n = 0;
    s = services->memory_ops->lineage(memory, rq, v.text, &facts, &n);
    eg_statement_list *statements = NULL;
    if (s == EG_OK) s = mt_statements_of(services, memory, rq, facts, n, &statements);
    lineage_data data = {.facts = facts, .count = n, .statements = statements};
    if (s == EG_OK && n) data.named = mt_version_named(facts, n, v.text);
    const eg_fact **all = s == EG_OK ? eg_request_array(rq, n, sizeof *all) : NULL;
    for (size_t i = 0; all && i < n; i++) all[i] = &facts[i];
    if (all) data.cited = mt_citations_of(services, memory, rq, all, n);
    if (s == EG_OK && n) s = read_conflicts(services, memory, rq, &data);
    return s == EG_OK ? mt_result_make(rq, arguments, render_lineage, &data, out) : s;
}

const eg_tool mt_team_tools[] = {
    {sizeof(eg_tool), 0, EG_PROFILE_TEAM, EG_NEEDS_WRITE, "engram_feedback", "Judge a conflict", FEEDBACK_DESCRIPTION,
     FEEDBACK_INPUT, FEEDBACK_OUTPUT, call_feedback},
    {sizeof(eg_tool), EG_TOOL_IDEMPOTENT, EG_PROFILE_TEAM, EG_NEEDS_WRITE, "engram_promote", "Make a fact durable",
     PROMOTE_DESCRIPTION, PROMOTE_INPUT, PROMOTE_OUTPUT, call_promote},
    {sizeof(eg_tool), EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT, EG_PROFILE_TEAM, EG_NEEDS_READ, "engram_lineage",
     "History of a fact", LINEAGE_DESCRIPTION, LINEAGE_INPUT, LINEAGE_OUTPUT, call_lineage},
};
const size_t mt_team_tool_count = COUNT(mt_team_tools);
