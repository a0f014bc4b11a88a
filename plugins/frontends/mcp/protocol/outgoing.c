/* outgoing.c - messages on their way to the sink. See outgoing.h. */
#include "outgoing.h"

#include <pthread.h>
#include <stdlib.h>

struct batch {
    pthread_mutex_t lock;
    const mcp_sink *to;
    size_t waiting; /* requests without an answer, and 1 while the array is still being read */
    pj_out out, id; /* id: of a request that was answered */
};

static void send_now(const mcp_sink *to, pj_out *message, mcp_kind kind, eg_str request) {
    if (!message->failed) to->write(to->self, (eg_str){message->p, message->len}, (mcp_origin){kind, request});
    pj_release(message);
}

batch *mcp_batch_create(const mcp_sink *to) {
    batch *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    if (pthread_mutex_init(&b->lock, NULL) != 0) {
        free(b);
        return NULL;
    }
    b->to = to;
    b->waiting = 1;
    return b;
}

void mcp_batch_hold(batch *b) {
    pthread_mutex_lock(&b->lock);
    b->waiting++;
    pthread_mutex_unlock(&b->lock);
}

/* With the last answer: closes the array and sends it, unless it stayed empty (only notifications).
 */
static void settle(batch *b, eg_str id, pj_out *response) {
    pthread_mutex_lock(&b->lock);
    if (response && !response->failed) {
        if (!b->out.len) pj_begin(&b->out, '[');
        if (!b->id.len && id.ptr) pj_json(&b->id, id);
        pj_json(&b->out, (eg_str){response->p, response->len});
    }
    int last = --b->waiting == 0;
    pthread_mutex_unlock(&b->lock);
    if (response) pj_release(response);
    if (!last) return;
    if (b->out.len) {
        pj_end(&b->out, ']');
        send_now(b->to, &b->out, MCP_ANSWER, (eg_str){b->id.failed ? NULL : b->id.p, b->id.len});
    }
    pj_release(&b->out);
    pj_release(&b->id);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

void mcp_batch_drop(batch *b) { settle(b, (eg_str){NULL, 0}, NULL); }

void mcp_send_answer(const mcp_sink *to, batch *in, eg_str id, pj_out *message) {
    if (in) settle(in, id, message);
    else send_now(to, message, MCP_ANSWER, id);
}

void mcp_send_notification(const mcp_sink *to, eg_str about, pj_out *message) { send_now(to, message, MCP_NOTIFICATION, about); }

void mcp_send_request(const mcp_sink *to, pj_out *message) { send_now(to, message, MCP_REQUEST, (eg_str){NULL, 0}); }
