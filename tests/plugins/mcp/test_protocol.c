/* test_protocol.c - the protocol without a transport: two sessions side by side on one server, each
 * with a sink in memory, over the memory toolset and a memory that is made up. What one session
 * must do is in drive.py; here is what sessions must not do to each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "fake_host.h"
#include "json.h"
#include "protocol.h"

const eg_plugin *eg_plugin_memory(void);

enum { MOST_MESSAGES = MCP_MAX_IN_FLIGHT + 64, PATIENCE_S = 20 };

/* A sink that keeps what is written. */
typedef struct inbox {
    pthread_mutex_t lock;
    pthread_cond_t came;
    cJSON *messages[MOST_MESSAGES];
    size_t count;
    int malformed, gone;
    /* the request that each message is about, as the sink was told; "": none */
    char about[MOST_MESSAGES][32];
} inbox;

/* 1 when the origin is that of the message: an answer has the id of its request, an array one of
 * those in it, a notification a method. */
static int fits(const cJSON *message, eg_str text, mcp_origin origin) {
    if (cJSON_IsArray(message)) {
        int found = 0;
        for (size_t i = 0; i < (size_t)cJSON_GetArraySize(message); i++) {
            eg_str one = pj_value_text(text, i);
            size_t at = pj_index(cJSON_GetArrayItem(message, (int)i), "id");
            found |= eg_str_eq(pj_value_text(one, at), origin.request);
        }
        return found && origin.kind == MCP_ANSWER;
    }
    if (pj_get(message, "method"))
        return pj_get(message, "id") ? origin.kind == MCP_REQUEST && !origin.request.ptr : origin.kind == MCP_NOTIFICATION;
    const cJSON *id = pj_get(message, "id");
    if (!id || cJSON_IsNull(id)) return origin.kind == MCP_ANSWER && !origin.request.ptr;
    return origin.kind == MCP_ANSWER && eg_str_eq(pj_value_text(text, pj_index(message, "id")), origin.request);
}

static void keep_message(void *self, eg_str text, mcp_origin origin) {
    inbox *in = self;
    pj_problem problem;
    cJSON *message = pj_parse(text, &problem);
    pthread_mutex_lock(&in->lock);
    if (!message || memchr(text.ptr, '\n', text.len) || in->count == MOST_MESSAGES || !fits(message, text, origin)) {
        in->malformed = 1;
        cJSON_Delete(message);
    } else {
        snprintf(in->about[in->count], sizeof in->about[0], "%.*s", (int)origin.request.len,
                 origin.request.ptr ? origin.request.ptr : "");
        in->messages[in->count++] = message;
    }
    pthread_cond_broadcast(&in->came);
    pthread_mutex_unlock(&in->lock);
}

static int is_gone(void *self) {
    inbox *in = self;
    pthread_mutex_lock(&in->lock);
    int gone = in->gone;
    pthread_mutex_unlock(&in->lock);
    return gone;
}

static int can_ask(void *self) { return !is_gone(self); }

static void hang_up(inbox *in) {
    pthread_mutex_lock(&in->lock);
    in->gone = 1;
    pthread_mutex_unlock(&in->lock);
}

typedef struct client {
    inbox in;
    mcp_session *session;
} client;

typedef struct bench {
    fake_host host;
    mcp_server *server;
    client a, b;
} bench;

static void client_open(client *c, mcp_server *server) {
    pthread_mutex_init(&c->in.lock, NULL);
    pthread_cond_init(&c->in.came, NULL);
    assert_int_equal(mcp_session_create(server, (mcp_sink){keep_message, is_gone, can_ask, &c->in}, &c->session, NULL), EG_OK);
}

static void client_hang_up(client *c) {
    mcp_session_destroy(c->session);
    c->session = NULL;
}

static void client_close(client *c) {
    if (c->session) client_hang_up(c);
    assert_false(c->in.malformed);
    for (size_t i = 0; i < c->in.count; i++) cJSON_Delete(c->in.messages[i]);
    pthread_cond_destroy(&c->in.came);
    pthread_mutex_destroy(&c->in.lock);
}

static int setup_with(void **state, size_t threads) {
    bench *t = calloc(1, sizeof *t);
    eg_error err = {0};
    if (!t) return -1;
    fake_host_init(&t->host);
    if (fake_host_open(&t->host, eg_plugin_memory(), &err) != EG_OK ||
        mcp_server_create(&t->host.services, EG_PROFILE_CORE, threads, &t->server, &err) != EG_OK)
        return -1;
    client_open(&t->a, t->server);
    client_open(&t->b, t->server);
    *state = t;
    return 0;
}

static int setup(void **state) { return setup_with(state, 8); }
static int setup_two_threads(void **state) { return setup_with(state, 2); }

static int teardown(void **state) {
    bench *t = *state;
    client_close(&t->a);
    client_close(&t->b);
    mcp_server_destroy(t->server);
    fake_host_release(&t->host);
    free(t);
    return 0;
}

static void say(client *c, const char *text) { mcp_session_receive(c->session, eg_str_of(text)); }

__attribute__((format(printf, 2, 3))) static void sayf(client *c, const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    say(c, text);
}

static void initialize(client *c, const char *revision, const char *name) {
    sayf(c,
         "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
         "\"capabilities\":{},\"clientInfo\":{\"name\":\"%s\",\"version\":\"1\"}}}",
         revision, name);
}

static void query(client *c, int id, const char *topic) {
    sayf(c,
         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"engram_query\","
         "\"arguments\":{\"topic\":\"%s\"}}}",
         id, topic);
}

static void commit(client *c, int id, const char *content) {
    sayf(c,
         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"engram_commit\","
         "\"arguments\":{\"content\":\"%s\"}}}",
         id, content);
}

static void cancel(client *c, int id) {
    sayf(c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":%d}}", id);
}

/* The message with this id; NULL when none came yet. */
static const cJSON *with_id(const inbox *in, int id) {
    for (size_t i = 0; i < in->count; i++) {
        const cJSON *at = pj_get(in->messages[i], "id");
        if (cJSON_IsNumber(at) && (int)at->valuedouble == id) return in->messages[i];
    }
    return NULL;
}

static size_t count_of(client *c) {
    pthread_mutex_lock(&c->in.lock);
    size_t n = c->in.count;
    pthread_mutex_unlock(&c->in.lock);
    return n;
}

static const cJSON *answered(client *c, int id) {
    pthread_mutex_lock(&c->in.lock);
    const cJSON *m = with_id(&c->in, id);
    pthread_mutex_unlock(&c->in.lock);
    return m;
}

/* Waits for the answer to this id. */
static const cJSON *answer(client *c, int id) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    const cJSON *m;
    pthread_mutex_lock(&c->in.lock);
    while (!(m = with_id(&c->in, id)) && pthread_cond_timedwait(&c->in.came, &c->in.lock, &until) == 0) {}
    pthread_mutex_unlock(&c->in.lock);
    if (!m) fail_msg("no answer to %d", id);
    return m;
}

static cJSON *structured(client *c, int id) {
    const cJSON *result = pj_get(answer(c, id), "result");
    const cJSON *content = pj_get(result, "content");
    assert_null(pj_get(result, "isError"));
    cJSON *value = cJSON_Parse(pj_get(cJSON_GetArrayItem(content, 0), "text")->valuestring);
    assert_non_null(value);
    return value;
}

static int has_member(const cJSON *list, const char *key) { return pj_get(cJSON_GetArrayItem(list, 0), key) != NULL; }

static void pause_ms(long ms) { nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL); }

/* --- what belongs to a session stays in it --- */

static void each_session_has_its_own_revision(void **state) {
    bench *t = *state;
    initialize(&t->a, "2024-11-05", "a");
    say(&t->b, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}");
    /* b agreed on nothing yet */
    assert_int_equal(pj_get(pj_get(answer(&t->b, 9), "error"), "code")->valueint, -32600);
    initialize(&t->b, "2025-11-25", "b");
    assert_string_equal(pj_get(pj_get(answer(&t->a, 0), "result"), "protocolVersion")->valuestring, "2024-11-05");
    assert_string_equal(pj_get(pj_get(answer(&t->b, 0), "result"), "protocolVersion")->valuestring, "2025-11-25");
    say(&t->a, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    say(&t->b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    const cJSON *of_a = pj_get(pj_get(answer(&t->a, 1), "result"), "tools");
    const cJSON *of_b = pj_get(pj_get(answer(&t->b, 1), "result"), "tools");
    assert_int_equal(cJSON_GetArraySize(of_a), cJSON_GetArraySize(of_b));
    assert_false(has_member(of_a, "annotations"));
    assert_true(has_member(of_b, "annotations"));
    mcp_session_refuse(t->a.session, "too long");
    mcp_session_refuse(t->b.session, "too long");
    assert_int_equal(count_of(&t->a), 3);
    assert_int_equal(count_of(&t->b), 4);
    /* an error without an id, as the revision writes it */
    assert_true(cJSON_IsNull(pj_get(t->a.in.messages[2], "id")));
    assert_null(pj_get(t->b.in.messages[3], "id"));
}

static void each_session_has_its_own_client(void **state) {
    bench *t = *state;
    initialize(&t->a, "2025-06-18", "alice");
    initialize(&t->b, "2025-06-18", "bob");
    commit(&t->a, 1, "Alpha is one.");
    commit(&t->b, 1, "Beta is two.");
    answer(&t->a, 1);
    answer(&t->b, 1);
    query(&t->a, 2, "all");
    cJSON *found = structured(&t->a, 2);
    const cJSON *hit, *results = pj_get(found, "results");
    assert_int_equal(cJSON_GetArraySize(results), 2);
    cJSON_ArrayForEach(hit, results) {
        int alpha = strcmp(pj_get(hit, "content")->valuestring, "Alpha is one.") == 0;
        assert_string_equal(pj_get(hit, "agent_id")->valuestring, alpha ? "alice" : "bob");
    }
    cJSON_Delete(found);
}

static void the_same_id_in_two_sessions(void **state) {
    bench *t = *state;
    initialize(&t->a, "2025-11-25", "a");
    initialize(&t->b, "2025-11-25", "b");
    query(&t->a, 7, "sleep:20000");
    query(&t->b, 7, "sleep:300");
    cancel(&t->a, 7);
    assert_non_null(pj_get(answer(&t->b, 7), "result"));
    query(&t->a, 8, "still served");
    assert_non_null(pj_get(answer(&t->a, 8), "result"));
    client_hang_up(&t->a); /* at once: the cancelled call runs no more */
    assert_null(answered(&t->a, 7));
}

static void each_session_has_its_own_subscriptions(void **state) {
    bench *t = *state;
    static const char listen[] = "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"subscriptions/listen\",\"params\":{"
                                 "\"notifications\":{},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                                 "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
    char text[sizeof listen + 16];
    for (int id = 1; id <= MCP_MAX_SUBSCRIPTIONS + 1; id++) {
        snprintf(text, sizeof text, listen, id);
        say(&t->a, text);
    }
    assert_int_equal(pj_get(pj_get(answer(&t->a, MCP_MAX_SUBSCRIPTIONS + 1), "error"), "code")->valueint, -32603);
    snprintf(text, sizeof text, listen, 1);
    say(&t->b, text);
    assert_int_equal(count_of(&t->b), 1); /* acknowledged: a notification */
    client_hang_up(&t->a);
    for (int id = 1; id <= MCP_MAX_SUBSCRIPTIONS; id++) assert_non_null(pj_get(answer(&t->a, id), "result"));
    assert_null(answered(&t->b, 1)); /* that of b is still open */
    client_hang_up(&t->b);
    assert_non_null(pj_get(answer(&t->b, 1), "result"));
}

static void arrays_are_answered_where_they_came_from(void **state) {
    bench *t = *state;
    client *both[] = {&t->a, &t->b};
    initialize(&t->a, "2025-03-26", "a");
    initialize(&t->b, "2025-03-26", "b");
    for (int i = 0; i < 2; i++)
        sayf(both[i],
             "[{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"engram_query\",\"arguments\":{\"topic\":\"sleep:%d\"}}}]",
             10 + i, 20 + i, 50 * i);
    client_hang_up(&t->a);
    client_hang_up(&t->b);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(both[i]->in.count, 2);
        const cJSON *array = both[i]->in.messages[1], *m;
        int ids[2] = {10 + i, 20 + i}, at = 0;
        assert_int_equal(cJSON_GetArraySize(array), 2);
        cJSON_ArrayForEach(m, array) assert_int_equal(pj_get(m, "id")->valueint, ids[at++]);
    }
}

/* What is no answer says which request it tells about: progress, and that a subscription is
 * open. */
static void notifications_name_their_request(void **state) {
    bench *t = *state;
    initialize(&t->a, "2025-11-25", "a");
    say(&t->a, "{\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"method\":\"tools/call\",\"params\":{\"name\":\"engram_query\","
               "\"arguments\":{\"topic\":\"sleep:300\"},\"_meta\":{\"progressToken\":\"p\"}}}");
    say(&t->b, "{\"jsonrpc\":\"2.0\",\"id\":12345678901234567890,\"method\":\"subscriptions/listen\",\"params\":{"
               "\"notifications\":{},\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
               "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    say(&t->b, "{\"jsonrpc\"");
    assert_int_equal(count_of(&t->b), 2);
    assert_string_equal(t->b.in.about[0], "12345678901234567890");
    assert_string_equal(t->b.in.about[1], ""); /* nobody knows what it was */
    client_hang_up(&t->a);
    size_t told = 0;
    for (size_t i = 1; i < t->a.in.count; i++) {
        assert_string_equal(t->a.in.about[i], "\"q1\"");
        told += pj_get(t->a.in.messages[i], "method") != NULL;
    }
    assert_true(told >= 1 && told + 2 == t->a.in.count);
}

/* A server without resources and prompts neither announces nor serves them. */
static void a_server_without_resources(void **state) {
    bench *t = *state;
    static const char *const methods[] = {"resources/list", "resources/templates/list", "resources/read", "prompts/list",
                                          "prompts/get"};
    mcp_server *bare;
    client c = {0};
    t->host.registrar.resource_count = t->host.registrar.prompt_count = 0;
    assert_int_equal(mcp_server_create(&t->host.services, EG_PROFILE_CORE, 2, &bare, NULL), EG_OK);
    client_open(&c, bare);
    initialize(&c, "2025-11-25", "c");
    const cJSON *capabilities = pj_get(pj_get(answer(&c, 0), "result"), "capabilities");
    assert_non_null(pj_get(capabilities, "tools"));
    assert_null(pj_get(capabilities, "resources"));
    assert_null(pj_get(capabilities, "prompts"));
    for (int i = 0; i < 5; i++) {
        sayf(&c, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{\"uri\":\"a\",\"name\":\"b\"}}", i + 1,
             methods[i]);
        assert_int_equal(pj_get(pj_get(answer(&c, i + 1), "error"), "code")->valueint, -32601);
    }
    client_close(&c);
    mcp_server_destroy(bare);
}

/* A client that shows forms. */
static void initialize_with_forms(client *c) {
    say(c, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
           "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}");
    say(c, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* Each of these is asked about: the made-up memory doubts the same pair every time. */
static void commit_doubtful(client *c, int id) {
    sayf(c,
         "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"engram_commit\","
         "\"arguments\":{\"content\":\"Perhaps it is %d\",\"scope\":\"s%d\"}}}",
         id, id, id);
    answer(c, id);
}

/* The id of the question that came to this client, of which there is one; NULL: none. */
static const char *question(client *c) {
    const char *found = NULL;
    for (int tries = 0; tries < 20 && !found; tries++) {
        pthread_mutex_lock(&c->in.lock);
        for (size_t i = 0; i < c->in.count; i++) {
            const cJSON *method = pj_get(c->in.messages[i], "method");
            if (!cJSON_IsString(method) || strcmp(method->valuestring, "elicitation/create") != 0) continue;
            assert_null(found);
            found = pj_get(c->in.messages[i], "id")->valuestring;
        }
        pthread_mutex_unlock(&c->in.lock);
        if (!found) pause_ms(10);
    }
    return found;
}

/* Asked once in a session, whatever is committed; and answered by the session that was asked. */
static void questions_belong_to_a_session(void **state) {
    bench *t = *state;
    mcp_server *asks;
    client c = {0}, d = {0};
    assert_int_equal(mcp_server_create(&t->host.services, EG_PROFILE_CORE, 4, &asks, NULL), EG_OK);
    mcp_server_ask(asks, MCP_ASK_ELICITATION, 60000);
    client_open(&c, asks);
    client_open(&d, asks);
    initialize_with_forms(&c);
    initialize_with_forms(&d);
    commit(&c, 1, "Alpha is 1");
    commit(&c, 2, "Alpha is 2");
    commit_doubtful(&c, 3);
    const char *of_c = question(&c);
    assert_non_null(of_c);
    commit_doubtful(&c, 4);
    pause_ms(50);
    assert_ptr_equal(question(&c), of_c);
    assert_null(question(&d));
    commit_doubtful(&d, 5);
    const char *of_d = question(&d);
    assert_non_null(of_d);
    assert_string_not_equal(of_c, of_d);
    static const char good[] = "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"action\":\"accept\",\"content\":{\"verdict\":"
                               "\"same\",\"reason\":\"%s\"}}}";
    sayf(&d, good, of_c, "not of d");
    query(&d, 6, "after it");
    answer(&d, 6);
    assert_null(t->host.judge.reason.ptr);
    sayf(&c, good, of_c, "of c");
    client_close(&c); /* what was said before is done */
    assert_true(eg_str_eq(t->host.judge.reason, EG_STR("of c")) && eg_str_eq(t->host.judge.agent_id, EG_STR("c")));
    client_close(&d);
    mcp_server_destroy(asks);
}

/* --- sessions do not wait for each other --- */

static void a_write_holds_up_its_own_session_only(void **state) {
    bench *t = *state;
    initialize(&t->a, "2025-11-25", "a");
    initialize(&t->b, "2025-11-25", "b");
    commit(&t->a, 1, "x sleep:20000");
    query(&t->a, 2, "after the write");
    query(&t->b, 1, "beside the write");
    commit(&t->b, 2, "y beside the write");
    assert_non_null(pj_get(answer(&t->b, 1), "result"));
    assert_non_null(pj_get(answer(&t->b, 2), "result"));
    assert_null(answered(&t->a, 1));
    assert_null(answered(&t->a, 2));
    cancel(&t->a, 1);
    assert_non_null(pj_get(answer(&t->a, 2), "result"));
}

/* Reads pass a write that waits for another process; later writes do not, nor what reads behind a
 * write that waits for nobody. */
static void reads_pass_a_write_that_waits(void **state) {
    bench *t = *state;
    client *c = &t->a;
    initialize(c, "2025-11-25", "a");
    commit(c, 1, "x stuck sleep:20000");
    query(c, 2, "behind the one that waits");
    commit(c, 3, "z sleep:1");
    query(c, 4, "behind both");
    for (int i = 0; i < 1000 && !(answered(c, 2) && answered(c, 4)); i++) {
        mcp_session_tick(c->session); /* the transport does that */
        pause_ms(5);
    }
    assert_non_null(pj_get(answer(c, 2), "result"));
    assert_non_null(pj_get(answer(c, 4), "result"));
    assert_null(answered(c, 1));
    assert_null(answered(c, 3));
    cancel(c, 1);
    assert_non_null(pj_get(answer(c, 3), "result"));
    assert_null(answered(c, 1));
}

/* A session with as many calls as it may have still reads: further calls are refused, ping is
 * answered, a cancelled call makes room; and others are served on threads that it may not take. */
static void a_full_session_still_listens(void **state) {
    bench *t = *state;
    mcp_server *roomy; /* more threads than one session may use */
    client c = {0}, d = {0};
    assert_int_equal(mcp_server_create(&t->host.services, EG_PROFILE_CORE, MCP_MAX_RUNNING + 2, &roomy, NULL), EG_OK);
    client_open(&c, roomy);
    client_open(&d, roomy);
    initialize(&c, "2025-11-25", "c");
    initialize(&d, "2025-11-25", "d");
    for (int id = 1; id <= MCP_MAX_IN_FLIGHT + 1; id++) query(&c, id, "sleep:60000");
    const cJSON *error = pj_get(answer(&c, MCP_MAX_IN_FLIGHT + 1), "error");
    assert_int_equal(pj_get(error, "code")->valueint, -32000);
    assert_non_null(strstr(pj_get(error, "message")->valuestring, "too many calls are in progress"));
    say(&c, "{\"jsonrpc\":\"2.0\",\"id\":5001,\"method\":\"ping\"}");
    assert_non_null(pj_get(answer(&c, 5001), "result"));
    for (int id = 1; id <= 20; id++) {
        query(&d, id, "beside the full one");
        assert_non_null(pj_get(answer(&d, id), "result"));
    }
    cancel(&c, 900); /* one that waits, and those that run */
    for (int id = 1; id <= MCP_MAX_RUNNING; id++) cancel(&c, id);
    query(&c, 5002, "there is room");
    pause_ms(50);
    assert_null(answered(&c, 5002)); /* in its turn */
    assert_int_equal(count_of(&c), 3);
    hang_up(&c.in);
    mcp_session_tick(c.session); /* a gone sink cancels the calls */
    client_hang_up(&c);
    query(&d, 30, "still there");
    assert_non_null(pj_get(answer(&d, 30), "result"));
    client_close(&c);
    client_close(&d);
    mcp_server_destroy(roomy);
}

/* Few large calls may be too many. */
static void arguments_in_flight_are_bounded(void **state) {
    bench *t = *state;
    enum { LARGE = 3 << 20, FIT = MCP_MAX_BYTES_IN_FLIGHT / LARGE };
    static const char form[] = "{\"jsonrpc\":\"2.0\",\"id\":%3d,\"method\":\"tools/call\",\"params\":{\"name\":\"engram_query\","
                               "\"arguments\":{\"topic\":\"%*s\"}}}";
    char *text = malloc(LARGE + sizeof form);
    assert_non_null(text);
    initialize(&t->a, "2025-11-25", "a");
    for (int id = 1; id <= MCP_MAX_RUNNING; id++) query(&t->a, id, "sleep:60000");
    for (int id = 100; id <= 100 + FIT; id++) {
        snprintf(text, LARGE + sizeof form, form, id, LARGE, "x");
        say(&t->a, text);
    }
    assert_int_equal(pj_get(pj_get(answer(&t->a, 100 + FIT), "error"), "code")->valueint, -32000);
    assert_int_equal(count_of(&t->a), 2);
    free(text);
    hang_up(&t->a.in);
    mcp_session_tick(t->a.session);
}

static void fewer_threads_than_calls(void **state) {
    bench *t = *state;
    client *both[] = {&t->a, &t->b};
    initialize(&t->a, "2025-11-25", "a");
    initialize(&t->b, "2025-11-25", "b");
    for (int id = 1; id <= 40; id++)
        for (int i = 0; i < 2; i++) {
            if (id % 5) query(both[i], id, "sleep:5");
            else commit(both[i], id, "z sleep:5");
        }
    for (int i = 0; i < 2; i++)
        for (int id = 1; id <= 40; id++) assert_non_null(pj_get(answer(both[i], id), "result"));
    assert_int_equal(count_of(&t->a), 41);
    assert_int_equal(count_of(&t->b), 41);
}

/* Calls are answered before the session is gone; those of a session whose client is gone are
 * cancelled, not waited for. */
static void the_end_of_a_session(void **state) {
    bench *t = *state;
    initialize(&t->a, "2025-11-25", "a");
    initialize(&t->b, "2025-11-25", "b");
    for (int id = 1; id <= 12; id++) query(&t->a, id, "sleep:30");
    query(&t->b, 1, "sleep:60000");
    client_hang_up(&t->a);
    assert_int_equal(t->a.in.count, 13);
    assert_null(answered(&t->b, 1));
    time_t before = time(NULL);
    hang_up(&t->b.in);
    client_hang_up(&t->b);
    assert_true(time(NULL) - before < PATIENCE_S);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_session_has_its_own_revision),
        TEST(each_session_has_its_own_client),
        TEST(the_same_id_in_two_sessions),
        TEST(each_session_has_its_own_subscriptions),
        TEST(arrays_are_answered_where_they_came_from),
        TEST(notifications_name_their_request),
        TEST(a_server_without_resources),
        TEST(questions_belong_to_a_session),
        TEST(a_write_holds_up_its_own_session_only),
        TEST(reads_pass_a_write_that_waits),
        TEST(a_full_session_still_listens),
        TEST(arguments_in_flight_are_bounded),
        cmocka_unit_test_setup_teardown(fewer_threads_than_calls, setup_two_threads, teardown),
        TEST(the_end_of_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
