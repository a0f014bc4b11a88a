/* session.c - a session's messages from text to the method: JSON, arrays, envelope, revision, in
 * this order. See protocol.h; what each method does is in methods.c, the shapes of the answers are
 * in answers.c.
 *
 * A request whose _meta names a protocol version is served by itself, in the stateless revision.
 * Others follow what initialize agreed on. */
#include "state.h"

#include <stdlib.h>

static void error_without_id(mcp_session *s, int code, const char *text) {
    const message m = {0};
    mcp_send_error(s, &m, code, text);
}

void mcp_session_refuse(mcp_session *s, const char *why) { error_without_id(s, RPC_REQUEST, why); }

/* Sets m->rev; 0 when the request was answered with what is wrong about its era. */
static int read_era(mcp_session *s, message *m) {
    const cJSON *version = pj_get(m->meta, META_VERSION);
    int opening = strcmp(m->method, "initialize") == 0 || strcmp(m->method, "ping") == 0;
    if (!version) {
        m->rev = s->era ? s->era : opening ? &mcp_revisions[1] : NULL;
        if (m->rev) return 1;
        mcp_send_error(s, m, RPC_REQUEST,
                       "the protocol version is unknown: send initialize first, or name the version in each "
                       "request's params._meta[\"" META_VERSION "\"]");
        return 0;
    }
    if (m->in) {
        mcp_send_error(s, m, RPC_REQUEST, "a request that names its protocol version cannot be part of an array; send it alone");
        return 0;
    }
    if (!cJSON_IsString(version)) {
        mcp_send_error(s, m, RPC_PARAMS, "params._meta[\"" META_VERSION "\"] must be a string");
        return 0;
    }
    m->rev = mcp_revision_stateless(version->valuestring);
    if (!m->rev) {
        pj_out o = {0};
        mcp_answer_unsupported(&o, m->id, version->valuestring);
        mcp_send_answer(&s->sink, m->in, m->id, &o);
        return 0;
    }
    if (cJSON_IsObject(pj_get(m->meta, META_CAPABILITIES))) return 1;
    mcp_send_error(s, m, RPC_PARAMS,
                   "params._meta[\"" META_CAPABILITIES "\"] is missing; send an object, empty if the client has no capabilities");
    return 0;
}

static void on_request(mcp_session *s, message *m) {
    if (mcp_calls_has(&s->calls, m->id) || mcp_has_subscription(s, m->id)) {
        mcp_send_error(s, m, RPC_REQUEST, "a request with this id is still in flight; use another id");
        return;
    }
    if (!read_era(s, m)) return;
    s->latest = m->rev;
    mcp_on_request(s, m);
}

/* One message; of an array, when in is not NULL: the array then waits for an answer, or is told
 * that none comes. */
static void on_message(mcp_session *s, const cJSON *tree, eg_str text, batch *in) {
    message m = {.text = text, .tree = tree, .in = in};
    if (in) mcp_batch_hold(in);
    if (!cJSON_IsObject(tree)) {
        mcp_send_error(s, &m, RPC_REQUEST, "a message must be a JSON object");
        return;
    }
    refusal why;
    switch (mcp_message_read(&m, &why)) {
    case MESSAGE_REQUEST: on_request(s, &m); return;
    case MESSAGE_WRONG: mcp_send_error(s, &m, why.code, why.text); return;
    case MESSAGE_NOTIFICATION: mcp_on_notification(s, &m); break;
    case MESSAGE_RESPONSE:
        if (!mcp_roots_answer(s, &m)) mcp_on_response(s, &m);
        break;
    case MESSAGE_IGNORED: break;
    }
    if (in) mcp_batch_drop(in);
}

static void on_batch(mcp_session *s, const cJSON *tree, eg_str text) {
    int n = cJSON_GetArraySize(tree);
    if (!s->era || !(s->era->flags & REV_BATCH)) {
        error_without_id(s, RPC_REQUEST, "only protocol version 2025-03-26 allows arrays of messages; send each message alone");
        return;
    }
    if (n == 0 || n > MCP_MAX_BATCH) {
        error_without_id(s, RPC_REQUEST, "an array must contain 1 to 64 messages");
        return;
    }
    batch *b = mcp_batch_create(&s->sink);
    if (!b) {
        error_without_id(s, RPC_INTERNAL, "out of memory; send the messages again later");
        return;
    }
    const cJSON *item;
    size_t i = 0;
    cJSON_ArrayForEach(item, tree) on_message(s, item, pj_value_text(text, i++), b);
    mcp_batch_drop(b);
}

static void receive_one(mcp_session *s, eg_str text) {
    pj_problem problem;
    size_t blank = 0;
    while (blank < text.len && (text.ptr[blank] == ' ' || text.ptr[blank] == '\t')) blank++;
    if (blank == text.len) return;
    cJSON *tree = pj_parse(text, &problem);
    if (!tree) {
        char why[160];
        snprintf(why, sizeof why, "Parse error: %s at byte %zu", problem.what, problem.at);
        /* without it the client would wait for this answer for ever */
        eg_str id = pj_salvage(text, &problem, "id");
        const message m = {.id = mcp_is_id(id) ? id : (eg_str){NULL, 0}};
        mcp_send_error(s, &m, RPC_PARSE, why);
    } else if (mcp_roots_hold(s, tree, text)) {
        /* it comes again */
    } else if (cJSON_IsArray(tree)) {
        on_batch(s, tree, text);
    } else {
        on_message(s, tree, text, NULL);
    }
    cJSON_Delete(tree);
}

/* Messages that waited for the client's folders come before later ones. */
static void receive_held(mcp_session *s) {
    for (held_message *h; (h = mcp_roots_next(s)) != NULL; free(h)) receive_one(s, h->text);
}

void mcp_session_receive(mcp_session *s, eg_str text) {
    mcp_roots_check(s, text.len);
    receive_held(s);
    receive_one(s, text);
    receive_held(s);
}

void mcp_session_tick(mcp_session *s) {
    mcp_asking_tick(s);
    mcp_roots_check(s, 0);
    receive_held(s);
    mcp_calls_tick(&s->calls);
}

/* --- life --- */

eg_status mcp_session_create(mcp_server *server, mcp_sink sink, mcp_session **out, eg_error *err) {
    mcp_session *s = calloc(1, sizeof *s);
    if (s) {
        s->server = server;
        s->sink = sink;
        int can_keep = mcp_asking_init(&s->asking) == EG_OK;
        if (can_keep && mcp_calls_init(&s->calls, server->workers, &s->sink, mcp_run_call, mcp_call_sent, s) == EG_OK) {
            *out = s;
            return EG_OK;
        }
        if (can_keep) mcp_asking_release(&s->asking);
    }
    free(s);
    return mcp_fail(err, EG_ENOMEM, "out of memory for a session");
}

void mcp_session_destroy(mcp_session *s) {
    if (!s) return;
    do { /* what was held may ask once more */
        mcp_roots_end(s);
        receive_held(s);
    } while (s->roots.id[0]);
    mcp_asking_close(&s->asking); /* nobody reads an answer any more */
    mcp_end_subscriptions(s);
    mcp_calls_release(&s->calls);
    mcp_asking_release(&s->asking);
    free(s);
}
