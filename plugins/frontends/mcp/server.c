/* server.c - what each message means in each era. See server.h; the shapes of the answers are in answers.c.
 *
 * A request whose _meta names a protocol version is served by itself, in the stateless revision. Others
 * follow what initialize agreed on. A request is checked in this order: JSON, its envelope, its era, its
 * method. */
#include "server.h"

#include <stdlib.h>
#include <time.h>

#include "answers.h"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT "io.modelcontextprotocol/clientInfo"

enum { PROGRESS_PAUSE_MS = 200 };

typedef struct message {
    eg_str text;
    const cJSON *tree, *params, *meta; /* the last two may be NULL */
    const char *method;
    eg_str id; /* JSON text; ptr NULL: a notification */
    const revision *rev;
    batch *in; /* or NULL */
} message;

/* --- answering --- */

static void send_error(server *s, const message *m, int code, const char *text) {
    pj_out o = {0};
    mcp_answer_error(&o, m->rev ? m->rev : s->latest, m->id, code, text);
    mcp_calls_respond(&s->calls, m->in, &o);
}

__attribute__((format(printf, 4, 5))) static void send_errorf(server *s, const message *m, int code, const char *format, ...) {
    char text[400];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    send_error(s, m, code, text);
}

void mcp_server_error_without_id(server *s, int code, const char *text) {
    const message m = {0};
    send_error(s, &m, code, text);
}

static const char *host_version(const server *s) {
    return EG_HAS(s->services, version) && s->services->version ? s->services->version : "0";
}

/* The name in a clientInfo, cut at a code point to what a name may have; empty when there is none, or one
 * with a control character. */
static eg_str client_name(const cJSON *info) {
    const cJSON *name = cJSON_IsObject(info) ? pj_get(info, "name") : NULL;
    if (!cJSON_IsString(name)) return (eg_str){NULL, 0};
    eg_str text = eg_str_of(name->valuestring);
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7F) return (eg_str){NULL, 0};
    if (text.len <= EG_MAX_NAME) return text;
    text.len = EG_MAX_NAME;
    while (text.len > 0 && ((unsigned char)text.ptr[text.len] & 0xC0) == 0x80) text.len--;
    return text;
}

/* --- methods; m is a request with its era known --- */

static void on_initialize(server *s, const message *m) {
    const cJSON *wanted = pj_get(m->params, "protocolVersion");
    if (s->era) {
        send_error(s, m, RPC_REQUEST, "this connection is initialized already");
        return;
    }
    if (!cJSON_IsString(wanted)) {
        send_error(s, m, RPC_PARAMS, "initialize needs params.protocolVersion, a string");
        return;
    }
    s->era = s->latest = mcp_revision_negotiate(wanted->valuestring);
    eg_str name = client_name(pj_get(m->params, "clientInfo"));
    snprintf(s->client, sizeof s->client, "%.*s", (int)name.len, name.ptr ? name.ptr : "");
    pj_out o = {0};
    mcp_answer_initialize(&o, s->era, m->id, host_version(s));
    mcp_calls_respond(&s->calls, m->in, &o);
}

static void send_empty(server *s, const message *m) {
    pj_out o = {0};
    mcp_answer_begin(&o, m->rev, m->id, host_version(s));
    mcp_answer_end(&o);
    mcp_calls_respond(&s->calls, m->in, &o);
}

static void on_ping(server *s, const message *m) { send_empty(s, m); }

/* Accepted, and then there is nothing to log: our tools send no log messages. */
static void on_set_level(server *s, const message *m) {
    static const char *const levels[] = {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};
    const cJSON *level = pj_get(m->params, "level");
    for (size_t i = 0; cJSON_IsString(level) && i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i], level->valuestring) == 0) {
            send_empty(s, m);
            return;
        }
    send_error(s, m, RPC_PARAMS,
               "logging/setLevel needs params.level: debug, info, notice, warning, error, critical, "
               "alert or emergency");
}

static void on_tools_list(server *s, const message *m) {
    const cJSON *cursor = pj_get(m->params, "cursor");
    if (cursor && !cJSON_IsNull(cursor)) { /* the list is one page: no cursor was ever given out */
        send_error(s, m, RPC_PARAMS, "params.cursor is none that this server gave");
        return;
    }
    pj_out o = {0};
    mcp_answer_tools(&o, m->rev, m->id, host_version(s), s->tools, s->tool_count);
    mcp_calls_respond(&s->calls, m->in, &o);
}

static const eg_tool *tool_named(const server *s, const char *name) {
    for (size_t i = 0; i < s->tool_count; i++)
        if (strcmp(s->tools[i]->name, name) == 0) return s->tools[i];
    return NULL;
}

/* Raw text of params.arguments; ptr NULL when there is none, or null. */
static eg_str arguments_text(const message *m) {
    const cJSON *arguments = m->params ? pj_get(m->params, "arguments") : NULL;
    if (!arguments || cJSON_IsNull(arguments)) return (eg_str){NULL, 0};
    return pj_value_text(pj_value_text(m->text, pj_index(m->tree, "params")), pj_index(m->params, "arguments"));
}

/* 1 when the value of a valid number's text is whole: 11, 11.0 and 1e1 are, 1.5 and 1e-1 are not. */
static int whole_number(eg_str text) {
    long places = 0, zeros = 0; /* digits behind the point; zeros at the end of all digits */
    int behind = 0, all_zero = 1;
    size_t i = text.ptr[0] == '-';
    for (; i < text.len && text.ptr[i] != 'e' && text.ptr[i] != 'E'; i++) {
        if (text.ptr[i] == '.') {
            behind = 1;
            continue;
        }
        places += behind;
        zeros = text.ptr[i] == '0' ? zeros + 1 : 0;
        all_zero &= text.ptr[i] == '0';
    }
    long power = 0;
    int negative = i + 1 < text.len && text.ptr[i + 1] == '-';
    for (i++; i < text.len; i++)
        if (text.ptr[i] >= '0' && text.ptr[i] <= '9' && power < 1000) power = power * 10 + (text.ptr[i] - '0');
    return all_zero || (negative ? -power : power) + zeros >= places;
}

/* 1 when a raw value can be an id. */
static int id_value(eg_str raw) {
    if (!raw.ptr) return 0;
    char c = raw.ptr[0];
    return c == '"' || ((c == '-' || (c >= '0' && c <= '9')) && whole_number(raw));
}

/* The raw text of a request id under key: a string, or a whole number, which is echoed as it came whatever its size. 0, and
 * *out empty, when it is neither. */
static int id_text(const cJSON *object, eg_str raw_object, const char *key, eg_str *out) {
    eg_str raw = pj_get(object, key) ? pj_value_text(raw_object, pj_index(object, key)) : (eg_str){NULL, 0};
    int good = id_value(raw);
    *out = good ? raw : (eg_str){NULL, 0};
    return good;
}

/* Its _meta.progressToken, a string or an integer; another one is not listened to. */
static eg_str progress_token(const message *m) {
    eg_str token = {NULL, 0};
    if (!m->meta) return token;
    eg_str params = pj_value_text(m->text, pj_index(m->tree, "params"));
    id_text(m->meta, pj_value_text(params, pj_index(m->params, "_meta")), "progressToken", &token);
    return token;
}

/* Who asks: the client of this request, else that of initialize. */
static eg_str actor_of(const server *s, const message *m) {
    eg_str name = client_name(m->meta ? pj_get(m->meta, META_CLIENT) : NULL);
    if (name.len) return name;
    return s->client[0] ? eg_str_of(s->client) : EG_STR("mcp");
}

static void on_tools_call(server *s, const message *m) {
    const cJSON *name = pj_get(m->params, "name");
    if (!cJSON_IsString(name)) {
        send_error(s, m, RPC_PARAMS, "tools/call needs params.name, a string");
        return;
    }
    const eg_tool *tool = tool_named(s, name->valuestring);
    if (!tool) {
        send_errorf(s, m, RPC_PARAMS, "Unknown tool: %.100s", name->valuestring);
        return;
    }
    eg_str arguments = arguments_text(m);
    const call like = {.rev = m->rev,
                       .tool = tool,
                       .id = m->id,
                       .in = m->in,
                       .token = progress_token(m),
                       .actor = actor_of(s, m),
                       .arguments = arguments.ptr ? arguments : EG_STR("{}")};
    eg_status st = mcp_calls_add(&s->calls, &like);
    if (st != EG_OK) send_error(s, m, RPC_INTERNAL, "the call could not be started: too little memory or no thread");
}

static void on_discover(server *s, const message *m) {
    pj_out o = {0};
    mcp_answer_discover(&o, m->rev, m->id, host_version(s));
    mcp_calls_respond(&s->calls, m->in, &o);
}

static void on_listen(server *s, const message *m) {
    if (!cJSON_IsObject(pj_get(m->params, "notifications"))) {
        send_error(s, m, RPC_PARAMS, "subscriptions/listen needs params.notifications, an object");
        return;
    }
    char *id = s->subscription_count < MAX_SUBSCRIPTIONS ? malloc(m->id.len + 1) : NULL;
    if (!id) {
        send_error(s, m, RPC_INTERNAL, "no more than 16 subscriptions at a time");
        return;
    }
    memcpy(id, m->id.ptr, m->id.len);
    s->subscriptions[s->subscription_count++] = (eg_str){id, m->id.len};
    pj_out o = {0};
    mcp_answer_subscribed(&o, m->id);
    mcp_calls_respond(&s->calls, NULL, &o);
}

static size_t subscription_with(const server *s, eg_str id) {
    size_t i = 0;
    while (i < s->subscription_count && !eg_str_eq(s->subscriptions[i], id)) i++;
    return i;
}

static void drop_subscription(server *s, size_t i) {
    free((char *)s->subscriptions[i].ptr);
    s->subscriptions[i] = s->subscriptions[--s->subscription_count];
}

void mcp_server_end_subscriptions(server *s) {
    while (s->subscription_count) {
        pj_out o = {0};
        mcp_answer_unsubscribed(&o, &mcp_revisions[0], s->subscriptions[0], host_version(s));
        mcp_calls_respond(&s->calls, NULL, &o);
        drop_subscription(s, 0);
    }
}

enum { ERA_INITIALIZE = 1, ERA_STATELESS = 2, ERA_BOTH = 3 };
static const struct method {
    const char *name;
    int eras;
    void (*handle)(server *s, const message *m);
} methods[] = {
    {"initialize", ERA_INITIALIZE, on_initialize},
    {"ping", ERA_INITIALIZE, on_ping},
    {"logging/setLevel", ERA_INITIALIZE, on_set_level},
    {"tools/list", ERA_BOTH, on_tools_list},
    {"tools/call", ERA_BOTH, on_tools_call},
    {"server/discover", ERA_STATELESS, on_discover},
    {"subscriptions/listen", ERA_STATELESS, on_listen},
};

/* --- notifications --- */

static void on_cancelled(server *s, const message *m) {
    eg_str id, params = m->params ? pj_value_text(m->text, pj_index(m->tree, "params")) : (eg_str){NULL, 0};
    if (!m->params || !id_text(m->params, params, "requestId", &id)) return;
    size_t i = subscription_with(s, id);
    if (i < s->subscription_count) drop_subscription(s, i);
    else mcp_calls_cancel(&s->calls, id);
}

/* --- the envelope --- */

/* 1 when a string outside params.arguments holds U+0000, or a member stands twice: such a message would mean
 * one thing to us and another to whoever sent it. (Arguments are checked by their tool.) */
static int ambiguous(const message *m) {
    const char *end = m->text.ptr + m->text.len;
    eg_str a = arguments_text(m);
    if (!a.ptr) a = (eg_str){end, 0};
    eg_str before = {m->text.ptr, (size_t)(a.ptr - m->text.ptr)}, after = {a.ptr + a.len, (size_t)(end - a.ptr) - a.len};
    return pj_has_nul(before) || pj_has_nul(after) || pj_duplicate(m->tree) || (m->params && pj_duplicate(m->params)) ||
           (m->meta && pj_duplicate(m->meta));
}

typedef enum verdict { GO_ON, ANSWERED, IGNORED } verdict;

/* Fills m from its tree. */
static verdict read_envelope(server *s, message *m) {
    const cJSON *version = pj_get(m->tree, "jsonrpc"), *method = pj_get(m->tree, "method");
    const cJSON *params = pj_get(m->tree, "params");
    if (cJSON_IsNull(params)) params = NULL;
    int has_id = pj_get(m->tree, "id") != NULL, good_id = id_text(m->tree, m->text, "id", &m->id);
    if (!method && (pj_get(m->tree, "result") || pj_get(m->tree, "error"))) return IGNORED; /* we ask nothing: no answer fits */
    if (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0") != 0 || !cJSON_IsString(method) || (has_id && !good_id)) {
        send_error(s, m, RPC_REQUEST,
                   "not a JSON-RPC 2.0 message: it needs \"jsonrpc\":\"2.0\", a method, and an id that is "
                   "a string or an integer");
        return ANSWERED;
    }
    m->method = method->valuestring;
    if (cJSON_IsObject(params)) m->params = params;
    const cJSON *meta = m->params ? pj_get(m->params, "_meta") : NULL;
    if (cJSON_IsObject(meta)) m->meta = meta;
    if (!m->id.ptr) return !params || m->params ? GO_ON : IGNORED; /* a wrong notification gets no answer */
    if ((params && !m->params) || (meta && !m->meta)) {
        send_error(s, m, RPC_PARAMS, "params and params._meta must be objects");
        return ANSWERED;
    }
    if (ambiguous(m)) {
        send_error(s, m, RPC_REQUEST, "a member stands twice, or a string holds U+0000");
        return ANSWERED;
    }
    return GO_ON;
}

/* Sets m->rev; 0 when the request was answered with what is wrong about its era. */
static int read_era(server *s, message *m) {
    const cJSON *version = pj_get(m->meta, META_VERSION);
    int opening = strcmp(m->method, "initialize") == 0 || strcmp(m->method, "ping") == 0;
    if (!version) {
        m->rev = s->era ? s->era : opening ? &mcp_revisions[1] : NULL;
        if (m->rev) return 1;
        send_error(s, m, RPC_REQUEST,
                   "the protocol version is not known: send initialize first, or name it in each "
                   "request's params._meta[\"" META_VERSION "\"]");
        return 0;
    }
    if (m->in) {
        send_error(s, m, RPC_REQUEST, "a request that names its protocol version cannot stand in an array");
        return 0;
    }
    if (!cJSON_IsString(version)) {
        send_error(s, m, RPC_PARAMS, "params._meta[\"" META_VERSION "\"] must be a string");
        return 0;
    }
    m->rev = mcp_revision_stateless(version->valuestring);
    if (!m->rev) {
        pj_out o = {0};
        mcp_answer_unsupported(&o, m->id, version->valuestring);
        mcp_calls_respond(&s->calls, m->in, &o);
        return 0;
    }
    if (cJSON_IsObject(pj_get(m->meta, META_CAPABILITIES))) return 1;
    send_error(s, m, RPC_PARAMS, "params._meta[\"" META_CAPABILITIES "\"] is missing: an object, empty if there are none");
    return 0;
}

static void on_request(server *s, message *m) {
    if (mcp_calls_has(&s->calls, m->id) || subscription_with(s, m->id) < s->subscription_count) {
        send_error(s, m, RPC_REQUEST, "a request with this id is still in flight");
        return;
    }
    if (!read_era(s, m)) return;
    s->latest = m->rev;
    int era = m->rev->flags & REV_STATELESS ? ERA_STATELESS : ERA_INITIALIZE;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if ((methods[i].eras & era) && strcmp(methods[i].name, m->method) == 0) {
            methods[i].handle(s, m);
            return;
        }
    send_errorf(s, m, RPC_METHOD, "Method not found: %.100s", m->method);
}

/* One message; of an array, when in is not NULL: the array then waits for an answer, or is told that none
 * comes. */
static void on_message(server *s, const cJSON *tree, eg_str text, batch *in) {
    message m = {.text = text, .tree = tree, .in = in};
    if (in) mcp_batch_hold(&s->calls, in);
    if (!cJSON_IsObject(tree)) {
        send_error(s, &m, RPC_REQUEST, "a message must be an object");
        return;
    }
    verdict v = read_envelope(s, &m);
    if (v == ANSWERED) return;
    if (v == GO_ON && m.id.ptr) {
        on_request(s, &m);
        return;
    }
    if (v == GO_ON && strcmp(m.method, "notifications/cancelled") == 0) on_cancelled(s, &m);
    if (in) mcp_batch_drop(&s->calls, in);
}

static void on_batch(server *s, const cJSON *tree, eg_str text) {
    int n = cJSON_GetArraySize(tree);
    if (!s->era || !(s->era->flags & REV_BATCH)) {
        mcp_server_error_without_id(s, RPC_REQUEST, "arrays of messages exist only in protocol version 2025-03-26");
        return;
    }
    if (n == 0 || n > MAX_BATCH) {
        mcp_server_error_without_id(s, RPC_REQUEST, "an array of messages must hold 1 to 64 of them");
        return;
    }
    batch *b = mcp_batch_create();
    if (!b) {
        mcp_server_error_without_id(s, RPC_INTERNAL, "out of memory");
        return;
    }
    const cJSON *item;
    size_t i = 0;
    cJSON_ArrayForEach(item, tree) on_message(s, item, pj_value_text(text, i++), b);
    mcp_batch_drop(&s->calls, b);
}

void mcp_server_line(server *s, eg_str line) {
    pj_problem problem;
    size_t blank = 0;
    while (blank < line.len && (line.ptr[blank] == ' ' || line.ptr[blank] == '\t')) blank++;
    if (blank == line.len) return;
    cJSON *tree = pj_parse(line, &problem);
    if (!tree) {
        char text[160];
        snprintf(text, sizeof text, "Parse error: %s at byte %zu", problem.what, problem.at);
        eg_str id = pj_salvage(line, &problem, "id"); /* else whoever waits for this answer waits for ever */
        const message m = {.id = id_value(id) ? id : (eg_str){NULL, 0}};
        send_error(s, &m, RPC_PARSE, text);
    } else if (cJSON_IsArray(tree)) {
        on_batch(s, tree, line);
    } else {
        on_message(s, tree, line, NULL);
    }
    cJSON_Delete(tree);
}

/* --- calls, on worker threads --- */

/* 1 when a tool's result is what it must be; a toolset that breaks its contract must not break the protocol.
 */
static int good_result(eg_str result) {
    pj_problem ignored;
    if (!result.ptr || !pj_valid(result, &ignored)) return 0;
    size_t i = 0;
    while (i < result.len && strchr(" \t\r\n", result.ptr[i])) i++;
    return result.ptr[i] == '{';
}

/* Tells the client how far a call is: at most five times a second, each time more, and the end. */
typedef struct teller {
    calls *calls;
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
    mcp_calls_notify(t->calls, &o);
}

void mcp_server_run_call(void *self, call *c, pj_out *response) {
    server *s = self;
    const eg_services *host = s->services;
    eg_error err = {0};
    eg_request *rq = NULL;
    if (host->request_create(host->host, &c->flag, &rq, &err) != EG_OK) {
        mcp_answer_error(response, c->rev, c->id, RPC_INTERNAL, err.text[0] ? err.text : "the host has no room for a request");
        return;
    }
    rq->actor = c->actor;
    eg_str result = {NULL, 0};
    teller to = {.calls = &s->calls, .call = c, .at = now_ms()};
    if (c->token.ptr && rq->size >= offsetof(eg_request, progress_self) + sizeof rq->progress_self) {
        rq->progress = tell_progress;
        rq->progress_self = &to;
    }
    eg_status st = host->call_tool(host->host, rq, c->tool->name, c->arguments, &result);
    if (st != EG_OK) {
        eg_str sentence = rq->err->text[0] ? eg_str_of(rq->err->text) : EG_STR("the tool failed and gave no reason");
        mcp_answer_call_failed(response, c->rev, c->id, host_version(s), sentence);
    } else if (!good_result(result)) {
        mcp_answer_call_failed(response, c->rev, c->id, host_version(s),
                               EG_STR("the tool's result is no JSON object: a defect of its plugin, please report it"));
    } else {
        mcp_answer_call(response, c->rev, c->id, host_version(s), result);
    }
    host->request_release(host->host, rq);
}
