/* asking.c - the questions of a session. See asking.h. */
#include "asking.h"

#include <stdlib.h>
#include <time.h>

#include "state.h"

enum { MAX_ASKED = 1000 /* in one session */ };

typedef struct mcp_question question;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static eg_str text_of(const pj_out *o) { return (eg_str){o->p, o->len}; }

/* --- making them --- */

static void free_one(question *q) {
    q->next = NULL;
    mcp_questions_free(q);
}

void mcp_make_request_id(const mcp_server *server, char out[MCP_REQUEST_ID]) {
    eg_id id = server->services->new_id(server->services->host);
    size_t n = (size_t)snprintf(out, MCP_REQUEST_ID, "engram-");
    for (size_t i = 0; i < sizeof id.bytes; i++) n += (size_t)snprintf(out + n, MCP_REQUEST_ID - n, "%02x", id.bytes[i]);
}

static question *make_one(const mcp_server *server, mcp_asking how, const eg_question *from) {
    char name[100];
    snprintf(name, sizeof name, "%.*s", from->tool.len < sizeof name ? (int)from->tool.len : 0,
             from->tool.ptr ? from->tool.ptr : "");
    const eg_tool *tool = mcp_tool_named(server, name);
    pj_problem ignored;
    question *q = tool && from->id.len && pj_valid(from->arguments, &ignored) ? calloc(1, sizeof *q) : NULL;
    if (!q) return NULL;
    q->how = how;
    q->tool = tool;
    mcp_make_request_id(server, q->id);
    pj_str(&q->key, from->id);
    pj_json(&q->schema, from->schema);
    pj_json(&q->arguments, from->arguments);
    int good = mcp_put_question(&q->request, how, q->id, from);
    if (good && !q->key.failed && !q->schema.failed && !q->arguments.failed) return q;
    free_one(q);
    return NULL;
}

question *mcp_questions_make(const mcp_server *server, mcp_asking how, const eg_tool_result *result) {
    question *first = NULL, **last = &first;
    for (size_t i = 0; i < result->question_count; i++) {
        *last = make_one(server, how, &result->questions[i]);
        if (*last) last = &(*last)->next;
    }
    return first;
}

/* --- those of a session; under the lock --- */

eg_status mcp_asking_init(asking *a) {
    *a = (asking){0};
    return pthread_mutex_init(&a->lock, NULL) == 0 ? EG_OK : EG_ENOMEM;
}

void mcp_asking_close(asking *a) {
    pthread_mutex_lock(&a->lock);
    a->closed = 1;
    pthread_mutex_unlock(&a->lock);
}

void mcp_asking_release(asking *a) {
    mcp_questions_free(a->first);
    pthread_mutex_destroy(&a->lock);
}

int mcp_asking_is_open(asking *a) {
    pthread_mutex_lock(&a->lock);
    int open = !a->closed && a->count < MAX_ASKED;
    pthread_mutex_unlock(&a->lock);
    return open;
}

/* 1 when the question was kept, as one that waits for its answer. */
static int keep(asking *a, question *q, int64_t until) {
    pthread_mutex_lock(&a->lock);
    int wanted = !a->closed && a->count < MAX_ASKED;
    for (const question *old = a->first; wanted && old; old = old->next)
        wanted = !eg_str_eq(text_of(&old->key), text_of(&q->key));
    if (wanted) {
        q->waits = 1;
        q->until = until;
        q->next = a->first;
        a->first = q;
        a->count++;
    }
    pthread_mutex_unlock(&a->lock);
    return wanted;
}

void mcp_asking_send(mcp_session *s, question *list) {
    while (list) {
        question *q = list;
        list = q->next;
        /* once it is kept, its answer or its end may free its texts */
        pj_out request = q->request;
        q->request = (pj_out){0};
        if (keep(&s->asking, q, now_ms() + s->server->answer_ms)) {
            mcp_send_request(&s->sink, &request);
        } else {
            pj_release(&request);
            free_one(q);
        }
    }
}

/* Takes the question with this id (NULL: one whose time is over) off those that wait; the caller
 * has its texts. NULL: there is none. */
static question *take(asking *a, const char *id) {
    int64_t now = now_ms();
    pthread_mutex_lock(&a->lock);
    question *q = a->first;
    while (q && !(q->waits && (id ? strcmp(q->id, id) == 0 && q->until > now : q->until <= now))) q = q->next;
    if (q) q->waits = 0;
    pthread_mutex_unlock(&a->lock);
    return q;
}

/* --- the receiving thread's side --- */

static void say(const mcp_session *s, eg_log_level level, const char *what) {
    char text[300];
    snprintf(text, sizeof text, "the answer to a question is not used: %s", what);
    s->server->services->log(s->server->services->host, level, "mcp", text);
}

static void queue_answer(mcp_session *s, const question *q, eg_str arguments) {
    const call c = {.kind = CALL_ANSWER,
                    .rev = s->era,
                    .tool = q->tool,
                    .writes = !(q->tool->flags & EG_TOOL_READ_ONLY),
                    .asking = q->how,
                    .id = EG_STR(""),
                    .arguments = arguments,
                    .actor = s->client[0] ? eg_str_of(s->client) : EG_STR("mcp")};
    if (mcp_calls_add(&s->calls, &c) != EG_OK) say(s, EG_LOG_WARN, "no room, memory or thread for its call");
}

void mcp_on_response(mcp_session *s, const message *m) {
    const cJSON *id = pj_get(m->tree, "id");
    question *q = cJSON_IsString(id) ? take(&s->asking, id->valuestring) : NULL;
    const char *why = "";
    pj_out arguments = {0};
    if (!q) return; /* never asked, answered already, or too late */
    if (mcp_read_answer(q->how, m, text_of(&q->schema), text_of(&q->arguments), &arguments, &why))
        queue_answer(s, q, text_of(&arguments));
    else say(s, EG_LOG_INFO, why);
    pj_release(&arguments);
    mcp_question_forget(q);
}

void mcp_asking_tick(mcp_session *s) {
    for (question *q; (q = take(&s->asking, NULL)) != NULL;) {
        pj_out o = {0};
        mcp_answer_withdrawn(&o, q->id);
        mcp_send_notification(&s->sink, (eg_str){NULL, 0}, &o);
        mcp_question_forget(q);
    }
}
