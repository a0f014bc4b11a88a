/* tools_care.c - the tools of the profile all: what a memory needs, and what it is in numbers. */
#include "schemas.h"
#include "tools.h"

static void put_example(result *r, const eg_audit_example *e, int of_conflict) {
    pj_begin(&r->out, '{');
    mt_put_id(r, of_conflict ? "conflict_id" : "fact_id", e->id);
    if (!eg_id_is_none(e->other)) mt_put_id(r, "other_id", e->other);
    mt_put_text(r, "text", e->text);
    if (e->detail.len) mt_put_text(r, "detail", e->detail);
    pj_end(&r->out, '}');
}

static void render_audit(result *r, const void *data) {
    const eg_audited *a = data;
    mt_put_notice(r);
    pj_kint(&r->out, "facts", (int64_t)a->facts);
    pj_kint(&r->out, "compared", (int64_t)a->compared);
    pj_key(&r->out, "findings");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < a->count; i++) {
        const eg_audit_finding *f = &a->findings[i];
        if (!f->count && !r->full) continue;
        pj_begin(&r->out, '{');
        pj_kstr(&r->out, "what", f->what);
        pj_kint(&r->out, "count", (int64_t)f->count);
        pj_kstr(&r->out, "advice", f->advice);
        pj_key(&r->out, "examples");
        pj_begin(&r->out, '[');
        for (uint32_t k = 0; k < f->example_count; k++) put_example(r, &f->examples[k], f->kind == EG_AUDIT_OPEN_CONFLICT);
        pj_end(&r->out, ']');
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
}

static eg_status call_audit(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    eg_audited audited;
    eg_status s = mt_args_read(rq, arguments, NULL, 0, NULL);
    eg_memory *memory = s == EG_OK ? mt_memory_of(services, rq) : NULL;
    if (!memory) return rq->err->code;
    if (!EG_HAS(services->memory_ops, audit) || !services->memory_ops->audit)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "this Engram is too old for an audit");
    s = services->memory_ops->audit(memory, rq, &audited);
    return s == EG_OK ? mt_result_make(rq, arguments, render_audit, &audited, out) : s;
}

typedef struct figures {
    const eg_figure *rows;
    size_t count;
} figures;

/* Lists, since names of scopes and agents are the team's. */
static void render_stats(result *r, const void *data) {
    const figures *f = data;
    mt_put_notice(r);
    for (size_t i = 0; i < f->count; i++) {
        const eg_figure *one = &f->rows[i];
        char group[40];
        snprintf(group, sizeof group, "%.*s", (int)one->group.len, one->group.ptr);
        if (!i || !eg_str_eq(f->rows[i - 1].group, one->group)) {
            pj_key(&r->out, group);
            pj_begin(&r->out, '[');
        }
        pj_begin(&r->out, '{');
        pj_kstr(&r->out, "name", one->name);
        pj_kint(&r->out, "count", (int64_t)one->count);
        pj_end(&r->out, '}');
        if (i + 1 == f->count || !eg_str_eq(f->rows[i + 1].group, one->group)) pj_end(&r->out, ']');
    }
}

static eg_status call_stats(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    figures data = {0};
    eg_figure *rows = NULL;
    eg_status s = mt_args_read(rq, arguments, NULL, 0, NULL);
    eg_memory *memory = s == EG_OK ? mt_memory_of(services, rq) : NULL;
    if (!memory) return rq->err->code;
    if (!EG_HAS(services->memory_ops, figures) || !services->memory_ops->figures)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "this Engram is too old for this");
    s = services->memory_ops->figures(memory, rq, &rows, &data.count);
    data.rows = rows;
    return s == EG_OK ? mt_result_make(rq, arguments, render_stats, &data, out) : s;
}

const eg_tool mt_care_tools[] = {
    {sizeof(eg_tool), EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT, EG_PROFILE_ALL, EG_NEEDS_READ, "engram_audit", "Audit the memory",
     AUDIT_DESCRIPTION, AUDIT_INPUT, AUDIT_OUTPUT, call_audit},
    {sizeof(eg_tool), EG_TOOL_READ_ONLY | EG_TOOL_IDEMPOTENT, EG_PROFILE_ALL, EG_NEEDS_READ, "engram_stats",
     "The memory in numbers", STATS_DESCRIPTION, STATS_INPUT, STATS_OUTPUT, call_stats},
};
const size_t mt_care_tool_count = COUNT(mt_care_tools);
