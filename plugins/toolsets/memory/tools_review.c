/* tools_review.c - reviews: pairs of statements that may contradict each other, which the caller is
 * asked about, and the tool that takes the answer. */
#include "tools.h"

#include "schemas.h"
#include "time_text.h"

static const char *const judgement_words[EG_JUDGED_UNRELATED + 2] = EG_JUDGEMENT_WORDS;

#define QUESTION "Can both statements be true at the same time, of the same thing?"
enum { MAX_SHOWN = 2000 /* bytes of a statement in a question to the client */ };

static eg_str shown(eg_str text) {
    if (text.len <= MAX_SHOWN) return text;
    text.len = MAX_SHOWN;
    while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80) text.len--;
    return text;
}

/* The statement in doubt; an empty span is the whole. */
static eg_str statement_of(const eg_fact *f, eg_span s) {
    if (s.start >= s.end || s.end > f->content.len) return f->content;
    return (eg_str){f->content.ptr + s.start, s.end - s.start};
}

/* stated: what was compared in place of the statement's own words; empty: nothing. Of its own fact
 * an agent needs the statement alone, and of the other the content where that says more. */
static void put_side(result *r, const char *key, const eg_fact *f, eg_span span, eg_str stated, const eg_id *own) {
    eg_str statement = statement_of(f, span);
    int known = !r->full && eg_id_eq(f->id, *own);
    pj_key(&r->out, key);
    pj_begin(&r->out, '{');
    mt_put_text(r, "statement", statement);
    if (stated.len) mt_put_text(r, "stated", stated);
    if (r->full || (!known && statement.len < f->content.len)) mt_put_text(r, "content", f->content);
    mt_put_id(r, "fact_id", f->id);
    if (!known) {
        pj_kstr(&r->out, "scope", f->scope);
        mt_put_optional(r, "agent_id", f->agent_id);
        mt_put_time(r, "committed_at", f->committed_at);
    }
    pj_end(&r->out, '}');
}

eg_str mt_asks(const eg_request *rq) { return EG_HAS(rq, asks) ? rq->asks : (eg_str){NULL, 0}; }

/* What the caller is asked. Where the client is asked as well, the answer is left to it: else the
 * agent would be first every time. */
static eg_str question_for(eg_str asks) {
    if (eg_str_eq(asks, EG_STR("elicitation")))
        return EG_STR(QUESTION " The person at this client is asked this now: leave the answer to them, and call engram_judge "
                               "only if they tell you to.");
    if (asks.len)
        return EG_STR(QUESTION " This client is asked this apart from the call: leave the answer to it, and call engram_judge "
                               "only if a person tells you to.");
    return EG_STR(QUESTION " Answer with engram_judge; if you do not know, leave it.");
}

void mt_put_reviews(result *r, const eg_conflict_view *views, size_t n, const eg_id *own, eg_str asks) {
    pj_key(&r->out, "review");
    pj_begin(&r->out, '[');
    for (size_t i = 0; i < n; i++) {
        const eg_conflict *c = &views[i].conflict;
        pj_begin(&r->out, '{');
        mt_put_id(r, "review_id", c->id);
        pj_kstr(&r->out, "question", question_for(asks));
        mt_put_score(r, "probability", c->score);
        put_side(r, "earlier", &views[i].a, c->span_a, views[i].stated_a, own);
        put_side(r, "later", &views[i].b, c->span_b, views[i].stated_b, own);
        pj_end(&r->out, '}');
    }
    pj_end(&r->out, ']');
}

/* --- questions to the client --- */

/* "(scope, agent, 2026-11-23)\nstatement", and the form that was compared in its place. */
static eg_str side_text(eg_request *rq, const eg_fact *f, eg_span span, eg_str stated) {
    char time[TIME_TEXT];
    eg_str at = mt_time_format(f->committed_at, time), said = shown(statement_of(f, span)), form = shown(stated);
    return eg_request_printf(rq, "(%.*s, %.*s, %.*s)\n%.*s%s%.*s%s", (int)f->scope.len, f->scope.ptr, (int)f->agent_id.len,
                             f->agent_id.len ? f->agent_id.ptr : "", at.len < 10 ? (int)at.len : 10, at.ptr, (int)said.len,
                             said.ptr, form.len ? "\n(its author also put it so: " : "", (int)form.len, form.len ? form.ptr : "",
                             form.len ? ")" : "");
}

static eg_status make_question(eg_request *rq, const eg_conflict_view *v, eg_question *q) {
    char id[ID_TEXT];
    eg_str a = side_text(rq, &v->a, v->conflict.span_a, v->stated_a), b = side_text(rq, &v->b, v->conflict.span_b, v->stated_b);
    if (!a.ptr || !b.ptr) return EG_ENOMEM;
    q->id = eg_request_copy(rq, mt_id_format(v->conflict.id, id));
    q->message = eg_request_printf(rq, "%s\n\nEarlier %.*s\n\nLater %.*s", QUESTION, (int)a.len, a.ptr, (int)b.len, b.ptr);
    q->schema = EG_STR(REVIEW_ANSWER);
    q->tool = EG_STR("engram_judge");
    q->arguments = eg_request_printf(rq, "{\"review_id\":\"%s\",\"reason\":\"no reason was given\"}", id);
    return q->id.ptr && q->message.ptr && q->arguments.ptr ? EG_OK : EG_ENOMEM;
}

eg_status mt_ask_reviews(eg_request *rq, const eg_conflict_view *views, size_t n, eg_tool_result *out) {
    if (!n || !mt_asks(rq).len || !EG_HAS(out, question_count)) return EG_OK;
    eg_question *list = eg_request_array(rq, n, sizeof *list);
    eg_status s = list ? EG_OK : EG_ENOMEM;
    for (size_t i = 0; s == EG_OK && i < n; i++) s = make_question(rq, &views[i], &list[i]);
    if (s != EG_OK) return EG_OK; /* what was written stands, and the receipt has the reviews */
    out->questions = list;
    out->question_count = n;
    return EG_OK;
}

/* --- the answer --- */

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
    return s == EG_OK ? mt_result_make(rq, arguments, render_judged, &data, out) : s;
}
