/* methods.c - what each method and notification does, in each era. See state.h. */
#include <stdlib.h>

#include "state.h"

/* --- methods; m is a request whose revision is known --- */

static reply_to to_request(const mcp_session *s, const message *m) {
    return (reply_to){.rev = m->rev, .id = m->id, .version = mcp_host_version(s->server)};
}

/* An empty elicitation capability says so too. */
static int can_show_forms(const cJSON *capabilities) {
    const cJSON *elicitation = pj_get(capabilities, "elicitation");
    return cJSON_IsObject(elicitation) && (pj_get(elicitation, "form") || !pj_get(elicitation, "url"));
}

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
    const cJSON *capabilities = pj_get(m->params, "capabilities");
    if (cJSON_IsObject(pj_get(capabilities, "sampling"))) s->can_answer |= REV_SAMPLING;
    s->roots.has = cJSON_IsObject(pj_get(capabilities, "roots"));
    if (can_show_forms(capabilities)) s->can_answer |= REV_ELICITATION;
    eg_str name = mcp_client_name(pj_get(m->params, "clientInfo"));
    snprintf(s->client, sizeof s->client, "%.*s", (int)name.len, name.ptr ? name.ptr : "");
    pj_out o = {0};
    const reply_to to = {.rev = s->era, .id = m->id, .version = mcp_host_version(s->server)};
    mcp_answer_initialize(&o, &to, &s->server->offer);
    mcp_send_answer(&s->sink, m->in, m->id, &o);
}

static void send_empty(mcp_session *s, const message *m) {
    pj_out o = {0};
    const reply_to to = to_request(s, m);
    mcp_answer_begin(&o, &to, COMPLETE);
    mcp_answer_end(&o);
    mcp_send_answer(&s->sink, m->in, m->id, &o);
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

static void send_list(mcp_session *s, const message *m, void (*list)(pj_out *, const reply_to *, const offer *)) {
    const cJSON *cursor = pj_get(m->params, "cursor");
    /* every list is one page: no cursor was ever given out */
    if (cursor && !cJSON_IsNull(cursor)) {
        mcp_send_error(s, m, RPC_PARAMS, "params.cursor is not a cursor of this server: the list has one page, so leave it out");
        return;
    }
    pj_out o = {0};
    const reply_to to = to_request(s, m);
    list(&o, &to, &s->server->offer);
    mcp_send_answer(&s->sink, m->in, m->id, &o);
}

static void on_tools_list(mcp_session *s, const message *m) { send_list(s, m, mcp_answer_tools); }
static void on_resources_list(mcp_session *s, const message *m) { send_list(s, m, mcp_answer_resources); }
static void on_templates_list(mcp_session *s, const message *m) { send_list(s, m, mcp_answer_templates); }
static void on_prompts_list(mcp_session *s, const message *m) { send_list(s, m, mcp_answer_prompts); }

/* Who asks: the client of this request, else that of initialize. */
static eg_str actor_of(const mcp_session *s, const message *m) {
    eg_str name = mcp_client_name(m->meta ? pj_get(m->meta, META_CLIENT) : NULL);
    if (name.len) return name;
    return s->client[0] ? eg_str_of(s->client) : EG_STR("mcp");
}

/* Queues a call; c has what its kind needs. */
static void start(mcp_session *s, const message *m, call c) {
    c.rev = m->rev;
    c.id = m->id;
    c.in = m->in;
    c.token = mcp_message_progress_token(m);
    c.actor = actor_of(s, m);
    eg_status st = mcp_calls_add(&s->calls, &c);
    if (st == EG_ELIMIT)
        mcp_send_error(s, m, RPC_BUSY,
                       "too many calls are in progress in this session (1024, or 16 MiB of arguments); wait for "
                       "answers, and send this one again");
    else if (st != EG_OK)
        mcp_send_error(s, m, RPC_INTERNAL, "the call could not be started, for lack of memory or threads; send it again later");
}

/* 1 when the client of this request can show a form to a person. */
static int may_ask(const message *m) {
    const cJSON *capabilities = m->rev->flags & REV_STATELESS ? pj_get(m->meta, META_CAPABILITIES) : NULL;
    return capabilities && can_show_forms(capabilities);
}

/* How the client is asked what the call leaves open: only one that said what it can do, in a
 * revision that knows such requests. An answer in an array goes out with the array. */
static mcp_asking asking_of(mcp_session *s, const message *m) {
    static const unsigned needs[] = {[MCP_ASK_ELICITATION] = REV_ELICITATION, [MCP_ASK_SAMPLING] = REV_SAMPLING};
    mcp_asking how = s->server->asking;
    int can = how && !m->in && s->initialized && (needs[how] & m->rev->flags & s->can_answer) && s->sink.can_ask &&
              s->sink.can_ask(s->sink.self) && mcp_asking_is_open(&s->asking);
    return can ? how : MCP_ASK_NOBODY;
}

static void start_tool(mcp_session *s, const message *m, const eg_tool *tool, eg_str arguments) {
    start(s, m,
          (call){.kind = CALL_TOOL,
                 .tool = tool,
                 .writes = !(tool->flags & EG_TOOL_READ_ONLY),
                 .may_ask = may_ask(m),
                 .asking = asking_of(s, m),
                 .arguments = arguments.ptr ? arguments : EG_STR("{}")});
}

/* Copies the members of an object, given as text too, but for those that `except` has. */
static void put_members(pj_out *o, const cJSON *object, eg_str text, const cJSON *except) {
    const cJSON *member;
    size_t i = 0;
    cJSON_ArrayForEach(member, object) {
        eg_str value = pj_value_text(text, i++);
        if (except && pj_get(except, member->string)) continue;
        pj_key(o, member->string);
        pj_json(o, value);
    }
}

/* The call comes again with the answer to the question of its tool: the members of the answer
 * become arguments. They do not replace what the caller gives. */
static void start_with_answer(mcp_session *s, const message *m, const eg_tool *tool, const cJSON *response) {
    const cJSON *action = pj_get(response, "action"), *content = pj_get(response, "content");
    const cJSON *arguments = pj_get(m->params, "arguments");
    eg_str given = mcp_message_arguments(m);
    pj_out o = {0};
    if (!cJSON_IsString(action) || strcmp(action->valuestring, "accept") != 0) {
        const reply_to to = to_request(s, m);
        mcp_answer_tool_failed(&o, &to,
                               EG_STR("the person did not answer the question, so the tool did nothing; go on without it"));
        mcp_send_answer(&s->sink, m->in, m->id, &o);
        return;
    }
    if (!cJSON_IsObject(content) || pj_duplicate(content) || (given.ptr && !cJSON_IsObject(arguments))) {
        mcp_send_error(s, m, RPC_PARAMS,
                       "params.arguments and the content of an accepted answer must be objects, with each member once");
        return;
    }
    pj_begin(&o, '{');
    if (given.ptr) put_members(&o, arguments, given, NULL);
    put_members(&o, content, mcp_message_answers(m, QUESTION_KEY), given.ptr ? arguments : NULL);
    pj_end(&o, '}');
    if (o.failed) mcp_send_error(s, m, RPC_INTERNAL, "out of memory; send the call again later");
    else start_tool(s, m, tool, (eg_str){o.p, o.len});
    pj_release(&o);
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
    const cJSON *responses = m->rev->flags & REV_STATELESS ? pj_get(m->params, "inputResponses") : NULL;
    const cJSON *response = responses ? pj_get(responses, QUESTION_KEY) : NULL;
    if (response && cJSON_IsObject(response)) start_with_answer(s, m, tool, response);
    else start_tool(s, m, tool, mcp_message_arguments(m));
}

static void on_resources_read(mcp_session *s, const message *m) {
    const cJSON *uri = pj_get(m->params, "uri");
    if (cJSON_IsString(uri)) start(s, m, (call){.kind = CALL_RESOURCE, .arguments = eg_str_of(uri->valuestring)});
    else mcp_send_error(s, m, RPC_PARAMS, "resources/read requires params.uri, a string");
}

static void on_prompts_get(mcp_session *s, const message *m) {
    const cJSON *name = pj_get(m->params, "name");
    const eg_prompt *prompt = cJSON_IsString(name) ? mcp_prompt_named(s->server, name->valuestring) : NULL;
    if (!prompt) {
        mcp_send_error(s, m, RPC_PARAMS, "prompts/get requires params.name, the name of a prompt that prompts/list names");
        return;
    }
    eg_str arguments = mcp_message_arguments(m);
    start(s, m, (call){.kind = CALL_PROMPT, .prompt = prompt, .arguments = arguments.ptr ? arguments : EG_STR("{}")});
}

static void on_discover(mcp_session *s, const message *m) {
    pj_out o = {0};
    const reply_to to = to_request(s, m);
    mcp_answer_discover(&o, &to, &s->server->offer);
    mcp_send_answer(&s->sink, m->in, m->id, &o);
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
    mcp_send_notification(&s->sink, m->id, &o);
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
        const reply_to to = {.rev = &mcp_revisions[0], .id = s->subscriptions[0], .version = mcp_host_version(s->server)};
        mcp_answer_unsubscribed(&o, &to);
        mcp_send_answer(&s->sink, NULL, to.id, &o);
        drop_subscription(s, 0);
    }
}

enum { ERA_INITIALIZE = 1, ERA_STATELESS = 2, ERA_BOTH = 3 };
enum { ALWAYS, WITH_RESOURCES, WITH_PROMPTS }; /* offered when the server has some */
static const struct method {
    const char *name;
    int eras, when;
    void (*handle)(mcp_session *s, const message *m);
} methods[] = {
    {"initialize", ERA_INITIALIZE, ALWAYS, on_initialize},
    {"ping", ERA_INITIALIZE, ALWAYS, on_ping},
    {"logging/setLevel", ERA_INITIALIZE, ALWAYS, on_set_level},
    {"tools/list", ERA_BOTH, ALWAYS, on_tools_list},
    {"tools/call", ERA_BOTH, ALWAYS, on_tools_call},
    {"resources/list", ERA_BOTH, WITH_RESOURCES, on_resources_list},
    {"resources/templates/list", ERA_BOTH, WITH_RESOURCES, on_templates_list},
    {"resources/read", ERA_BOTH, WITH_RESOURCES, on_resources_read},
    {"prompts/list", ERA_BOTH, WITH_PROMPTS, on_prompts_list},
    {"prompts/get", ERA_BOTH, WITH_PROMPTS, on_prompts_get},
    {"server/discover", ERA_STATELESS, ALWAYS, on_discover},
    {"subscriptions/listen", ERA_STATELESS, ALWAYS, on_listen},
};

static int offered(const mcp_server *server, const struct method *m) {
    return m->when == ALWAYS || (m->when == WITH_RESOURCES ? server->offer.resource_count : server->offer.prompt_count) > 0;
}

void mcp_on_request(mcp_session *s, const message *m) {
    int era = m->rev->flags & REV_STATELESS ? ERA_STATELESS : ERA_INITIALIZE;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if ((methods[i].eras & era) && strcmp(methods[i].name, m->method) == 0 && offered(s->server, &methods[i])) {
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
    int initialized = strcmp(m->method, "notifications/initialized") == 0;
    if (initialized) s->initialized = s->era != NULL;
    if (s->initialized && (initialized || strcmp(m->method, "notifications/roots/list_changed") == 0)) mcp_roots_ask(s);
}
