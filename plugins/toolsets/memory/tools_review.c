/* tools_review.c - reviews: pairs of statements that may contradict each other, which the caller is
 * asked about, and the tool that takes the answer. */
#include "tools.h"

#include "schemas.h"

static const char *const judgement_words[EG_JUDGED_UNRELATED + 2] = EG_JUDGEMENT_WORDS;

/* The statement in doubt; an empty span is the whole. */
static eg_str statement_of(const eg_fact *f, eg_span s) {
    if (s.start >= s.end || s.end > f->content.len) return f->content;
    return (eg_str){f->content.ptr + s.start, s.end - s.start};
}

/* stated: what was compared in place of the statement's own words; empty: nothing. */
static void put_side(result *r, const char *key, const eg_fact *f, eg_span span, eg_str stated) {
    pj_key(&r->out, key);
    pj_begin(&r->out, '{');
    mt_put_text(r, "statement", statement_of(f, span));
    if (stated.len) mt_put_text(r, "stated", stated);
    mt_put_text(r, "content", f->content);
    mt_put_id(r, "fact_id", f->id);
    pj_kstr(&r->out, "scope", f->scope);
    pj_kopt(&r->out, "agent_id", f->agent_id);
    mt_put_time(r, "committed_at", f->committed_at);
    pj_end(&r->out, '}');
}

void mt_put_reviews(result *r, const eg_conflict_view *views, size_t n) {
    pj_key(&r->out, "review");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < n; i++) {
        const eg_conflict *c = &views[i].conflict;
        pj_begin(&r->out, '{');
        mt_put_id(r, "review_id", c->id);
        pj_kstr(&r->out, "question",
                EG_STR("Can both statements be true at the same time, of the same thing? Answer with engram_judge; if you do "
                       "not know, leave it."));
        mt_put_score(r, "probability", c->score);
        put_side(r, "earlier", &views[i].a, c->span_a, views[i].stated_a);
        put_side(r, "later", &views[i].b, c->span_b, views[i].stated_b);
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
}

enum { J_ID, J_VERDICT, J_REASON, J_AGENT, J_COUNT };

typedef struct judged_data {
    const eg_resolved *judged;
    uint32_t verdict;
} judged_data;

static void render_judged(result *r, const void *data) {
    const judged_data *d = data;
    mt_put_notice(r);
    mt_put_id(r, "conflict_id", d->judged->conflict.id);
    mt_put_word(r, "verdict", judgement_words, EG_JUDGED_UNRELATED + 1, d->verdict);
    mt_put_word(r, "status", mt_conflict_status_words, EG_CONFLICT_SUSPECTED + 1, d->judged->conflict.status);
    mt_put_facts(r, "closed", d->judged->closed, d->judged->closed_count);
    if (d->verdict == EG_JUDGED_CONTRADICTION)
        pj_kstr(&r->out, "next_step",
                EG_STR("The pair is an open conflict now. If you can prove which fact is true, call engram_resolve with this "
                       "conflict_id."));
    mt_put_undo_id(r, d->judged->undo_id);
}

eg_status mt_call_judge(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out) {
    (void)self;
    const arg_spec specs[J_COUNT] = {
        [J_ID] = {.name = "review_id", .kind = ARG_TEXT, .required = 1, .high = MAX_ID_TEXT},
        [J_VERDICT] = {.name = "verdict", .kind = ARG_WORD, .required = 1, .words = judgement_words},
        [J_REASON] = {.name = "reason", .kind = ARG_TEXT, .required = 1, .high = EG_MAX_RESOLUTION},
        [J_AGENT] = {.name = "agent_id", .kind = ARG_TEXT, .high = EG_MAX_NAME},
    };
    arg_value v[J_COUNT];
    eg_status s = mt_args_read(rq, arguments, specs, J_COUNT, v);
    if (s != EG_OK) return s;
    const eg_judge_args args = {.size = sizeof(eg_judge_args),
                                .conflict_id = v[J_ID].text,
                                .verdict = (uint32_t)v[J_VERDICT].integer,
                                .reason = v[J_REASON].text,
                                .agent_id = v[J_AGENT].given ? v[J_AGENT].text : rq->who->agent};
    eg_memory *memory = mt_memory_of(services, rq);
    if (!memory) return rq->err->code;
    eg_resolved judged = {0};
    s = services->memory_ops->judge(memory, rq, &args, &judged);
    const judged_data data = {&judged, args.verdict};
    return s == EG_OK ? mt_result_make(rq, render_judged, &data, out) : s;
}
