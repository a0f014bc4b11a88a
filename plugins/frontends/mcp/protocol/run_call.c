/* run_call.c - one call of a tool, a resource or a prompt, on a worker thread: the request, its
 * progress, its response. See state.h. */
#include <time.h>

#include "questions.h"
#include "state.h"

enum { PROGRESS_PAUSE_MS = 200, PROGRESS_AT_ONCE = 3 };

/* Sends progress notifications: the first three at once, then at most five a second, each with more
 * progress than the one before, and the end. */
typedef struct teller {
    const mcp_sink *sink;
    const call *call;
    size_t told, count; /* the last one, and how many */
    int64_t at;         /* when, in ms */
} teller;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell_progress(void *self, size_t done, size_t all) {
    teller *t = self;
    int64_t now = now_ms();
    if (t->count && done <= t->told) return;
    if (done < all && t->count >= PROGRESS_AT_ONCE && now - t->at < PROGRESS_PAUSE_MS) return;
    if (eg_cancel_is_set(&(eg_cancel){.flag = &t->call->flag})) return;
    t->told = done;
    t->count++;
    t->at = now;
    pj_out o = {0};
    mcp_answer_progress(&o, t->call->token, done, all);
    mcp_send_notification(t->sink, t->call->id, &o);
}

static eg_request *request_for(const mcp_session *s, call *c, teller *to, eg_error *err) {
    const eg_services *host = s->server->services;
    eg_request *rq = NULL;
    const eg_request_options options = {.size = sizeof options,
                                        .agent = c->actor,
                                        .cancel.flag = &c->flag,
                                        .waiting = &c->waits,
                                        .progress = c->token.ptr ? tell_progress : NULL,
                                        .progress_self = to,
                                        .asks = mcp_asking_word(c->kind == CALL_TOOL ? c->asking : MCP_ASK_NOBODY),
                                        .asked = mcp_asking_word(c->kind == CALL_ANSWER ? c->asking : MCP_ASK_NOBODY)};
    return host->request_create(host->host, &options, &rq, err) == EG_OK ? rq : NULL;
}

static eg_str sentence_of(const eg_request *rq) {
    return rq->err->text[0] ? eg_str_of(rq->err->text) : EG_STR("the call failed and gave no reason; please report it");
}

static void run_tool(const mcp_session *s, call *c, const reply_to *to, eg_request *rq, pj_out *response) {
    const eg_services *host = s->server->services;
    eg_tool_result result = {.size = sizeof result};
    if (host->call_tool(host->host, rq, c->tool->name, c->arguments, &result) != EG_OK) {
        mcp_answer_tool_failed(response, to, sentence_of(rq));
        return;
    }
    mcp_answer_tool_result(response, to, c->tool->name, &result, c->may_ask);
    if (c->asking && result.kind == EG_RESULT_COMPLETE) c->questions = mcp_questions_make(s->server, c->asking, &result);
}

/* Nobody waits for what comes of it: a failure is logged. */
static void run_answer(const mcp_session *s, const call *c, eg_request *rq) {
    const eg_services *host = s->server->services;
    eg_tool_result result = {.size = sizeof result};
    if (host->call_tool(host->host, rq, c->tool->name, c->arguments, &result) == EG_OK && result.kind == EG_RESULT_COMPLETE)
        return;
    char text[700];
    snprintf(text, sizeof text, "the answer to a question is not used: %.600s", sentence_of(rq).ptr);
    host->log(host->host, EG_LOG_WARN, "mcp", text);
}

/* Resources and prompts have no results that are errors: the error of the protocol that fits. */
static void answer_failed(const call *c, const eg_request *rq, eg_status status, pj_out *response) {
    int missing = c->kind == CALL_RESOURCE && !(c->rev->flags & REV_STATELESS) ? RPC_NOT_FOUND : RPC_PARAMS;
    int code = status == EG_ENOENT ? missing : status == EG_EINVAL ? RPC_PARAMS : RPC_INTERNAL;
    mcp_answer_error(response, c->rev, c->id, code, sentence_of(rq).ptr);
}

static void run_other(const mcp_session *s, const call *c, const reply_to *to, eg_request *rq, pj_out *response) {
    const eg_services *host = s->server->services;
    eg_tool_result result = {.size = sizeof result};
    int resource = c->kind == CALL_RESOURCE;
    eg_status st = resource ? host->read_resource(host->host, rq, c->arguments, &result)
                            : host->get_prompt(host->host, rq, c->prompt->name, c->arguments, &result);
    if (st != EG_OK) {
        answer_failed(c, rq, st, response);
        return;
    }
    int good = resource ? mcp_answer_contents(response, to, c->arguments, &result)
                        : mcp_answer_messages(response, to, c->prompt, &result);
    if (!good)
        mcp_answer_error(response, c->rev, c->id, RPC_INTERNAL,
                         "the plugin gave a result that is not allowed here; this is a defect of the plugin, please report it");
}

void mcp_run_call(void *self, call *c, pj_out *response) {
    mcp_session *s = self;
    const eg_services *host = s->server->services;
    const reply_to to = {.rev = c->rev, .id = c->id, .version = mcp_host_version(s->server)};
    teller progress = {.sink = &s->sink, .call = c, .at = now_ms()};
    eg_error err = {0};
    eg_request *rq = request_for(s, c, &progress, &err);
    if (!rq) {
        mcp_answer_error(response, c->rev, c->id, RPC_INTERNAL,
                         err.text[0] ? err.text : "out of memory for the call; send it again later");
        return;
    }
    if (c->kind == CALL_ANSWER) run_answer(s, c, rq);
    else if (c->kind == CALL_TOOL) run_tool(s, c, &to, rq, response);
    else run_other(s, c, &to, rq, response);
    host->request_release(host->host, rq);
}

void mcp_call_sent(void *self, call *c) {
    mcp_session *s = self;
    mcp_asking_send(s, c->questions);
    c->questions = NULL;
}
