/* calls.c - the calls in flight. See calls.h. */
#include "calls.h"

#include <stdlib.h>
#include <time.h>

enum { TICK_NS = 100000000 };

/* --- responses and batches --- */

static void send_message(calls *q, pj_out *message) {
    pj_line(message);
    if (!message->failed) mcp_channel_write(q->channel, (eg_str){message->p, message->len});
    pj_release(message);
}

batch *mcp_batch_create(void) {
    batch *b = calloc(1, sizeof *b);
    if (b) b->waiting = 1;
    return b;
}

void mcp_batch_hold(calls *q, batch *b) {
    pthread_mutex_lock(&q->lock);
    b->waiting++;
    pthread_mutex_unlock(&q->lock);
}

/* With the last answer: closes the array and sends it, unless it stayed empty (only notifications). */
static void batch_settle(calls *q, batch *b, pj_out *response) {
    pthread_mutex_lock(&q->lock);
    if (response && !response->failed) {
        if (!b->out.len) pj_begin(&b->out, '[');
        pj_json(&b->out, (eg_str){response->p, response->len});
    }
    int last = --b->waiting == 0;
    pthread_mutex_unlock(&q->lock);
    if (response) pj_release(response);
    if (!last) return;
    if (b->out.len) {
        pj_end(&b->out, ']');
        send_message(q, &b->out);
    }
    pj_release(&b->out);
    free(b);
}

void mcp_batch_drop(calls *q, batch *b) { batch_settle(q, b, NULL); }

void mcp_calls_respond(calls *q, batch *in, pj_out *response) {
    if (in) batch_settle(q, in, response);
    else send_message(q, response);
}

void mcp_calls_notify(calls *q, pj_out *message) { send_message(q, message); }

/* --- the queue; all under the lock --- */

static int writes(const call *c) { return !(c->tool->flags & EG_TOOL_READ_ONLY); }

/* The first call that has not begun, when it may begin now. */
static call *next_ready(const calls *q) {
    call *c = q->first;
    while (c && c->running) c = c->next;
    if (!c || q->writer || (writes(c) && q->running)) return NULL;
    return c;
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
    pthread_cond_broadcast(&q->work);
    pthread_cond_broadcast(&q->done);
}

static call *find(const calls *q, eg_str id) {
    call *c = q->first;
    while (c && !eg_str_eq(c->id, id)) c = c->next;
    return c;
}

/* --- workers --- */

static void free_call(call *c) {
    free((char *)c->id.ptr);
    free((char *)c->arguments.ptr);
    free((char *)c->token.ptr);
    free((char *)c->actor.ptr);
    free(c);
}

static void finish(calls *q, call *c, pj_out *response) {
    if (!c->cancelled) {
        mcp_calls_respond(q, c->in, response);
    } else {
        pj_release(response);
        if (c->in) mcp_batch_drop(q, c->in);
    }
    free_call(c);
}

static void *worker(void *self) {
    calls *q = self;
    pthread_mutex_lock(&q->lock);
    for (;;) {
        call *c = next_ready(q);
        if (!c && q->closing && !q->first) break;
        if (!c) {
            q->idle++;
            pthread_cond_wait(&q->work, &q->lock);
            q->idle--;
            continue;
        }
        c->running = 1;
        q->running++;
        q->writer = writes(c);
        if (!q->writer) pthread_cond_signal(&q->work); /* the next one may be a reader too */
        pthread_mutex_unlock(&q->lock);
        pj_out response = {0};
        q->run(q->server, c, &response);
        pthread_mutex_lock(&q->lock);
        q->running--;
        q->writer = 0;
        unlink_call(q, c); /* from here on a cancellation comes too late */
        pthread_mutex_unlock(&q->lock);
        finish(q, c, &response);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* --- the reading thread's side --- */

eg_status mcp_calls_init(calls *q, channel *to, void (*run)(void *, call *, pj_out *), void *server) {
    *q = (calls){.channel = to, .run = run, .server = server};
    if (pthread_mutex_init(&q->lock, NULL) != 0) return EG_ENOMEM;
    if (pthread_cond_init(&q->work, NULL) != 0) goto fail_work;
    if (pthread_cond_init(&q->done, NULL) != 0) goto fail_done;
    return EG_OK;
fail_done:
    pthread_cond_destroy(&q->work);
fail_work:
    pthread_mutex_destroy(&q->lock);
    return EG_ENOMEM;
}

/* Waits a moment for a call to end; when the other side is gone, all calls are told to stop. */
static void wait_done(calls *q) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&q->done, &q->lock, &until);
    if (!mcp_channel_gone(q->channel)) return;
    for (call *c = q->first; c; c = c->next) eg_cancel_request(&c->flag);
}

void mcp_calls_release(calls *q) {
    pthread_mutex_lock(&q->lock);
    while (q->in_flight) wait_done(q);
    q->closing = 1;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
    for (size_t i = 0; i < q->threads; i++) pthread_join(q->thread[i], NULL);
    pthread_cond_destroy(&q->done);
    pthread_cond_destroy(&q->work);
    pthread_mutex_destroy(&q->lock);
}

static eg_str copy(eg_str s) {
    char *p = malloc(s.len + 1);
    if (p) memcpy(p, s.ptr, s.len);
    return (eg_str){p, p ? s.len : 0};
}

eg_status mcp_calls_add(calls *q, const call *like) {
    call *c = malloc(sizeof *c);
    if (!c) return EG_ENOMEM;
    *c = *like;
    c->id = copy(like->id);
    c->arguments = copy(like->arguments);
    c->token = like->token.ptr ? copy(like->token) : (eg_str){NULL, 0};
    c->actor = copy(like->actor);
    if (!c->id.ptr || !c->arguments.ptr || !c->actor.ptr || (like->token.ptr && !c->token.ptr)) {
        free_call(c);
        return EG_ENOMEM;
    }
    pthread_mutex_lock(&q->lock);
    while (q->in_flight >= MAX_IN_FLIGHT) wait_done(q);
    int short_of = q->in_flight - q->running >= q->idle && q->threads < MAX_WORKERS;
    if (short_of && pthread_create(&q->thread[q->threads], NULL, worker, q) == 0) q->threads++;
    if (!q->threads) {
        pthread_mutex_unlock(&q->lock);
        free_call(c);
        return EG_EBUSY;
    }
    if (q->last) q->last->next = c;
    else q->first = c;
    q->last = c;
    q->in_flight++;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
    return EG_OK;
}

int mcp_calls_cancel(calls *q, eg_str id) {
    pthread_mutex_lock(&q->lock);
    call *c = find(q, id), *waiting = NULL;
    if (c) {
        c->cancelled = 1;
        eg_cancel_request(&c->flag);
        if (!c->running) {
            unlink_call(q, c);
            waiting = c;
        }
    }
    pthread_mutex_unlock(&q->lock);
    if (waiting) finish(q, waiting, &(pj_out){0});
    return c != NULL;
}

int mcp_calls_has(calls *q, eg_str id) {
    pthread_mutex_lock(&q->lock);
    int there = find(q, id) != NULL;
    pthread_mutex_unlock(&q->lock);
    return there;
}
