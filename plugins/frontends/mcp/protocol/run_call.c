/* run_call.c - one tool call, on a worker thread: the request, its progress, its response. See
 * session.h. */
#include <time.h>

#include "answers.h"
#include "session.h"

enum { PROGRESS_PAUSE_MS = 200 };

/* 1 when the result is a JSON object. A toolset that breaks its contract must not break the
 * protocol. */
static int good_result(eg_str result) {
    pj_problem ignored;
    if (!result.ptr || !pj_valid(result, &ignored)) return 0;
    size_t i = 0;
    while (i < result.len && strchr(" \t\r\n", result.ptr[i])) i++;
    return result.ptr[i] == '{';
}

/* Sends progress notifications: at most five a second, each with more progress than the one before,
 * and the end. */
typedef struct teller {
    const mcp_sink *sink;
    const call *call;
    size_t told;
    int64_t at; /* when, in ms */
} teller;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell_progress(void *self, size_t done, size_t all) {
    teller *t = self;
    int64_t now = now_ms();
    if (done <= t->told || (done < all && now - t->at < PROGRESS_PAUSE_MS)) return;
    if (eg_cancel_is_set(&(eg_cancel){.flag = &t->call->flag})) return;
    t->told = done;
    t->at = now;
    pj_out o = {0};
    mcp_answer_progress(&o, t->call->token, done, all);
    mcp_send(t->sink, NULL, &o);
}

void mcp_run_call(void *self, call *c, pj_out *response) {
    mcp_session *s = self;
    const eg_services *host = s->server->services;
    const char *version = mcp_host_version(s->server);
    eg_error err = {0};
    eg_request *rq = NULL;
    if (host->request_create(host->host, &c->flag, &rq, &err) != EG_OK) {
        mcp_answer_error(response, c->rev, c->id, RPC_INTERNAL,
                         err.text[0] ? err.text : "out of memory for the call; send it again later");
        return;
    }
    rq->actor = c->actor;
    eg_str result = {NULL, 0};
    teller to = {.sink = &s->sink, .call = c, .at = now_ms()};
    if (c->token.ptr && rq->size >= offsetof(eg_request, progress_self) + sizeof rq->progress_self) {
        rq->progress = tell_progress;
        rq->progress_self = &to;
    }
    eg_status st = host->call_tool(host->host, rq, c->tool->name, c->arguments, &result);
    if (st != EG_OK) {
        eg_str sentence = rq->err->text[0] ? eg_str_of(rq->err->text) : EG_STR("the tool failed and gave no reason");
        mcp_answer_call_failed(response, c->rev, c->id, version, sentence);
    } else if (!good_result(result)) {
        mcp_answer_call_failed(
            response, c->rev, c->id, version,
            EG_STR("the result of the tool is not a JSON object; this is a defect of its plugin, please report it"));
    } else {
        mcp_answer_call(response, c->rev, c->id, version, result);
    }
    host->request_release(host->host, rq);
}
