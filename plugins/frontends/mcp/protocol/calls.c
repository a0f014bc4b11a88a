/* calls.c - the calls of a session in flight. See calls.h. */
#include "calls.h"

#include "questions.h"

#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 100000000 };

/* --- the queue; all under the lock --- */

/* The first call that may begin now. One that reads passes those before it that write only where
 * one of them runs and waits for another process. */
static call *next_ready(const calls *q) {
    int behind_writer = 0, stuck = 0;
    if (q->running >= MCP_MAX_RUNNING) return NULL;
    for (call *c = q->first; c; c = c->next) {
        if (!c->running && (c->writes ? c == q->first : !behind_writer || stuck)) return c;
        behind_writer |= c->writes;
        stuck |= c->writes && c->running && __atomic_load_n(&c->waits, __ATOMIC_ACQUIRE);
    }
    return NULL;
}

static void unlink_call(calls *q, call *c) {
    call **at = &q->first, *before = NULL;
    while (*at != c) {
        before = *at;
        at = &(*at)->next;
    }
    *at = c->next;
    if (q->last == c) q->last = before;
    q->in_flight--;
    q->bytes -= c->arguments.len;
    pthread_cond_broadcast(&q->done);
}

static call *find(const calls *q, eg_str id) {
    call *c = q->first;
    while (c && !eg_str_eq(c->id, id)) c = c->next;
    return c;
}

/* Hands every call that may run now to the workers. 0 when they did not take it: the server has no
 * thread yet and can start none. So that happens only to a call that is being added to an empty
 * queue. */
static int start_ready(calls *q) {
    for (call *c; (c = next_ready(q)) != NULL;) {
        c->running = 1;
        q->running++;
        if (mcp_workers_submit(q->workers, &c->task)) continue;
        c->running = 0;
        q->running--;
        return 0;
    }
    return 1;
}

/* --- a call's end --- */

static void free_call(call *c) {
    free((char *)c->id.ptr);
    free((char *)c->arguments.ptr);
    free((char *)c->token.ptr);
    free((char *)c->actor.ptr);
    mcp_questions_free(c->questions);
    free(c);
}

/* Sends the response of a call that is in the queue no more, or drops it, and forgets the call. */
static void finish(calls *q, call *c, pj_out *response) {
    if (!c->cancelled && c->kind != CALL_ANSWER) {
        mcp_send_answer(q->sink, c->in, c->id, response);
        q->sent(q->session, c);
    } else {
        pj_release(response);
        if (c->in) mcp_batch_drop(c->in);
    }
    free_call(c);
    pthread_mutex_lock(&q->lock);
    q->open--; /* with the last one, the session may be freed as soon as the lock is given back */
    pthread_cond_broadcast(&q->done);
    pthread_mutex_unlock(&q->lock);
}

/* The workers' task. */
static void run_task(task *t) {
    call *c = (call *)t;
    calls *q = c->of;
    pj_out response = {0};
    q->run(q->session, c, &response);
    pthread_mutex_lock(&q->lock);
    q->running--;
    unlink_call(q, c); /* from here on a cancellation comes too late */
    start_ready(q);
    pthread_mutex_unlock(&q->lock);
    finish(q, c, &response);
}

/* --- the receiving thread's side --- */

eg_status mcp_calls_init(calls *q, workers *w, const mcp_sink *sink, void (*run)(void *, call *, pj_out *),
                         void (*sent)(void *, call *), void *session) {
    *q = (calls){.workers = w, .sink = sink, .run = run, .sent = sent, .session = session};
    if (pthread_mutex_init(&q->lock, NULL) != 0) return EG_ENOMEM;
    if (pthread_cond_init(&q->done, NULL) == 0) return EG_OK;
    pthread_mutex_destroy(&q->lock);
    return EG_ENOMEM;
}

/* When the sink is gone, nobody waits for an answer. */
static void stop_if_gone(calls *q) {
    if (!q->sink->gone(q->sink->self)) return;
    for (call *c = q->first; c; c = c->next) eg_cancel_request(&c->flag);
}

/* Waits a moment for a call to end. */
static void wait_done(calls *q) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&q->done, &q->lock, &until);
    start_ready(q);
    stop_if_gone(q);
}

void mcp_calls_tick(calls *q) {
    pthread_mutex_lock(&q->lock);
    if (q->first) {
        start_ready(q);
        stop_if_gone(q);
    }
    pthread_mutex_unlock(&q->lock);
}

void mcp_calls_release(calls *q) {
    pthread_mutex_lock(&q->lock);
    while (q->open) wait_done(q);
    pthread_mutex_unlock(&q->lock);
    pthread_cond_destroy(&q->done);
    pthread_mutex_destroy(&q->lock);
}

static eg_str copy(eg_str s) {
    char *p = malloc(s.len + 1);
    if (p) memcpy(p, s.ptr, s.len);
    return (eg_str){p, p ? s.len : 0};
}

static call *call_like(calls *q, const call *like) {
    call *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = *like;
    c->task.run = run_task;
    c->of = q;
    c->id = copy(like->id);
    c->arguments = copy(like->arguments);
    c->token = like->token.ptr ? copy(like->token) : (eg_str){NULL, 0};
    c->actor = copy(like->actor);
    if (c->id.ptr && c->arguments.ptr && c->actor.ptr && (!like->token.ptr || c->token.ptr)) return c;
    free_call(c);
    return NULL;
}

eg_status mcp_calls_add(calls *q, const call *like) {
    call *c = call_like(q, like);
    if (!c) return EG_ENOMEM;
    pthread_mutex_lock(&q->lock);
    if (q->in_flight >= MCP_MAX_IN_FLIGHT || q->bytes + c->arguments.len > MCP_MAX_BYTES_IN_FLIGHT) {
        pthread_mutex_unlock(&q->lock);
        free_call(c);
        return EG_ELIMIT;
    }
    if (q->last) q->last->next = c;
    else q->first = c;
    q->last = c;
    q->in_flight++;
    q->bytes += c->arguments.len;
    int started = start_ready(q);
    if (started) q->open++;
    else unlink_call(q, c);
    pthread_mutex_unlock(&q->lock);
    if (started) return EG_OK;
    free_call(c);
    return EG_EBUSY;
}

void mcp_calls_cancel(calls *q, eg_str id) {
    pthread_mutex_lock(&q->lock);
    call *c = find(q, id), *waiting = NULL;
    if (c) {
        c->cancelled = 1;
        eg_cancel_request(&c->flag);
        if (!c->running) {
            unlink_call(q, c);
            start_ready(q); /* what waited for it */
            waiting = c;
        }
    }
    pthread_mutex_unlock(&q->lock);
    if (waiting) finish(q, waiting, &(pj_out){0});
}

int mcp_calls_has(calls *q, eg_str id) {
    pthread_mutex_lock(&q->lock);
    int there = find(q, id) != NULL;
    pthread_mutex_unlock(&q->lock);
    return there;
}
