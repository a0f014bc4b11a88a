/* methods.c - what each method and notification does, in each era. See session.h. */
#include <stdlib.h>

#include "answers.h"
#include "session.h"

/* --- methods; m is a request whose revision is known --- */

static void on_initialize(mcp_session *s, const message *m) {
    const cJSON *wanted = pj_get(m->params, "protocolVersion");
    if (s->era) {
        mcp_send_error(s, m, RPC_REQUEST, "this session is initialized already; initialize can be sent only once");
        return;
    }
    if (!cJSON_IsString(wanted)) {
        mcp_send_error(s, m, RPC_PARAMS, "initialize requires params.protocolVersion, a string");
        return;
    }
    s->era = s->latest = mcp_revision_negotiate(wanted->valuestring);
    eg_str name = mcp_client_name(pj_get(m->params, "clientInfo"));
    snprintf(s->client, sizeof s->client, "%.*s", (int)name.len, name.ptr ? name.ptr : "");
    pj_out o = {0};
    mcp_answer_initialize(&o, s->era, m->id, mcp_host_version(s->server));
    mcp_send(&s->sink, m->in, &o);
}

static void send_empty(mcp_session *s, const message *m) {
    pj_out o = {0};
    mcp_answer_begin(&o, m->rev, m->id, mcp_host_version(s->server));
    mcp_answer_end(&o);
    mcp_send(&s->sink, m->in, &o);
}

static void on_ping(mcp_session *s, const message *m) { send_empty(s, m); }

/* Any level is accepted and changes nothing: the tools send no log messages. */
static void on_set_level(mcp_session *s, const message *m) {
    static const char *const levels[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
    const cJSON *level = pj_get(m->params, "level");
    for (size_t i = 0; cJSON_IsString(level) && i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i], level->valuestring) == 0) {
            send_empty(s, m);
            return;
        }
    mcp_send_error(s, m, RPC_PARAMS,
                   "logging/setLevel requires params.level: debug, info, notice, warning, error, critical, "
                   "alert or emergency");
}

static void on_tools_list(mcp_session *s, const message *m) {
    const cJSON *cursor = pj_get(m->params, "cursor");
    if (cursor && !cJSON_IsNull(cursor)) { /* the list is one page: no cursor was ever given out */
        mcp_send_error(s, m, RPC_PARAMS, "params.cursor is not a cursor of this server: the list has one page, so leave it out");
        return;
    }
    pj_out o = {0};
    mcp_answer_tools(&o, m->rev, m->id, mcp_host_version(s->server), s->server->tools, s->server->tool_count);
    mcp_send(&s->sink, m->in, &o);
}

/* Who asks: the client of this request, else that of initialize. */
static eg_str actor_of(const mcp_session *s, const message *m) {
    eg_str name = mcp_client_name(m->meta ? pj_get(m->meta, META_CLIENT) : NULL);
    if (name.len) return name;
    return s->client[0] ? eg_str_of(s->client) : EG_STR("mcp");
}

static void on_tools_call(mcp_session *s, const message *m) {
    const cJSON *name = pj_get(m->params, "name");
    if (!cJSON_IsString(name)) {
        mcp_send_error(s, m, RPC_PARAMS, "tools/call requires params.name, a string");
        return;
    }
    const eg_tool *tool = mcp_tool_named(s->server, name->valuestring);
    if (!tool) {
        mcp_send_errorf(s, m, RPC_PARAMS, "Unknown tool: %.100s; tools/list names those of this profile", name->valuestring);
        return;
    }
    eg_str arguments = mcp_message_arguments(m);
    const call like = {.rev = m->rev,
                       .tool = tool,
                       .id = m->id,
                       .in = m->in,
                       .token = mcp_message_progress_token(m),
                       .actor = actor_of(s, m),
                       .arguments = arguments.ptr ? arguments : EG_STR("{}")};
    eg_status st = mcp_calls_add(&s->calls, &like);
    if (st != EG_OK)
        mcp_send_error(s, m, RPC_INTERNAL, "the call could not be started, for lack of memory or threads; send it again later");
}

static void on_discover(mcp_session *s, const message *m) {
    pj_out o = {0};
    mcp_answer_discover(&o, m->rev, m->id, mcp_host_version(s->server));
    mcp_send(&s->sink, m->in, &o);
}

static void on_listen(mcp_session *s, const message *m) {
    if (!cJSON_IsObject(pj_get(m->params, "notifications"))) {
        mcp_send_error(s, m, RPC_PARAMS, "subscriptions/listen requires params.notifications, an object");
        return;
    }
    char *id = s->subscription_count < MCP_MAX_SUBSCRIPTIONS ? malloc(m->id.len + 1) : NULL;
    if (!id) {
        mcp_send_error(s, m, RPC_INTERNAL, "a session can have 16 open subscriptions; cancel one first");
        return;
    }
    memcpy(id, m->id.ptr, m->id.len);
    s->subscriptions[s->subscription_count++] = (eg_str){id, m->id.len};
    pj_out o = {0};
    mcp_answer_subscribed(&o, m->id);
    mcp_send(&s->sink, NULL, &o);
}

static size_t subscription_with(const mcp_session *s, eg_str id) {
    size_t i = 0;
    while (i < s->subscription_count && !eg_str_eq(s->subscriptions[i], id)) i++;
    return i;
}

int mcp_has_subscription(const mcp_session *s, eg_str id) { return subscription_with(s, id) < s->subscription_count; }

static void drop_subscription(mcp_session *s, size_t i) {
    free((char *)s->subscriptions[i].ptr);
    s->subscriptions[i] = s->subscriptions[--s->subscription_count];
}

void mcp_end_subscriptions(mcp_session *s) {
    while (s->subscription_count) {
        pj_out o = {0};
        mcp_answer_unsubscribed(&o, &mcp_revisions[0], s->subscriptions[0], mcp_host_version(s->server));
        mcp_send(&s->sink, NULL, &o);
        drop_subscription(s, 0);
    }
}

enum { ERA_INITIALIZE = 1, ERA_STATELESS = 2, ERA_BOTH = 3 };
static const struct method {
    const char *name;
    int eras;
    void (*handle)(mcp_session *s, const message *m);
} methods[] = {
    {"initialize", ERA_INITIALIZE, on_initialize},
    {"ping", ERA_INITIALIZE, on_ping},
    {"logging/setLevel", ERA_INITIALIZE, on_set_level},
    {"tools/list", ERA_BOTH, on_tools_list},
    {"tools/call", ERA_BOTH, on_tools_call},
    {"server/discover", ERA_STATELESS, on_discover},
    {"subscriptions/listen", ERA_STATELESS, on_listen},
};

void mcp_on_request(mcp_session *s, const message *m) {
    int era = m->rev->flags & REV_STATELESS ? ERA_STATELESS : ERA_INITIALIZE;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if ((methods[i].eras & era) && strcmp(methods[i].name, m->method) == 0) {
            methods[i].handle(s, m);
            return;
        }
    mcp_send_errorf(s, m, RPC_METHOD, "Method not found: %.100s", m->method);
}

/* --- notifications --- */

static void on_cancelled(mcp_session *s, const message *m) {
    eg_str id = mcp_message_id_param(m, "requestId");
    if (!id.ptr) return;
    size_t i = subscription_with(s, id);
    if (i < s->subscription_count) drop_subscription(s, i);
    else mcp_calls_cancel(&s->calls, id);
}

void mcp_on_notification(mcp_session *s, const message *m) {
    if (strcmp(m->method, "notifications/cancelled") == 0) on_cancelled(s, m);
}
