/* services.c - what the host does for plugins but inference and toolsets (toolsets.c): log,
 * settings, clock, ids, requests. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/grown.h"
#include "core/base/hidden.h"
#include "core/base/status.h"
#include "core/access/guard.h"
#include "core/host/internal.h"
#include "core/memory/jobs.h"
#include "core/memory/audit.h"
#include "core/memory/judge.h"

typedef struct request_box {
    eg_request rq; /* first: a request is its box */
    eg_arena arena;
    eg_error err;
    eg_principal who;       /* of a request that a front end asked for */
    eg_case_source *source; /* of the detector that it was made for */
} request_box;

static void host_log(void *host, eg_log_level level, const char *plugin, const char *text) {
    static const char *const names[] = {"error", "warning", "info", "debug"};
    eg_host *h = host;
    if (level > h->level) return;
    char line[1200];
    int n = snprintf(line, sizeof line, "engram: %s: %.60s: %.1000s", names[level & 3], plugin, text);
    if (n < 0) return;
    eg_buffer shown = {0};
    eg_hidden_show(&shown, eg_str_of(line), EG_HIDDEN_LINE);
    eg_buffer_text(&shown, "\n");
    /* one call: lines of several threads do not mix */
    if (shown.len) fwrite(shown.ptr, 1, shown.len, stderr);
    eg_buffer_release(&shown);
}

static eg_status host_config(void *host, const char *key, eg_str *value) {
    const eg_host *h = host;
    const char *text = eg_conf_get(h->config, key);
    *value = eg_str_of(text);
    /* out of memory: the worst that follows is a needless warning */
    if (h->plugins.registrar.is_open) {
        eg_error err;
        (void)eg_conf_note_read(h->config, key, &err);
    }
    return text ? EG_OK : EG_ENOENT;
}

static int64_t host_now(void *host) {
    (void)host;
    eg_clock clock = eg_clock_system();
    return clock.now(clock.self);
}

/* UUIDv7 (RFC 9562, section 5.7): milliseconds, a counter of 12 bits that keeps this process's ids
 * ascending (method 1; a full counter moves to the next millisecond), 62 random bits. */
static eg_id host_new_id(void *host) {
    eg_host *h = host;
    eg_id id;
    uint8_t *b = id.bytes;
    randombytes_buf(b, sizeof id.bytes);
    uint64_t ms = (uint64_t)(host_now(h) / 1000);
    pthread_mutex_lock(&h->id_lock);
    if (ms > h->last_id_ms) {
        h->last_id_ms = ms;
        h->id_counter = b[6] & 7u; /* starts low: room for 4,000 ids in a millisecond */
    } else if (++h->id_counter > 0xFFF) {
        h->last_id_ms++;
        h->id_counter = 0;
    }
    ms = h->last_id_ms;
    uint32_t counter = h->id_counter;
    pthread_mutex_unlock(&h->id_lock);
    for (unsigned i = 0; i < 6; i++) b[i] = (uint8_t)(ms >> (40 - 8 * i));
    b[6] = (uint8_t)(0x70u | counter >> 8);
    b[7] = (uint8_t)counter;
    b[8] = (uint8_t)(0x80u | (b[8] & 0x3Fu));
    return id;
}

static void host_sha256(void *host, const void *bytes, size_t n, uint8_t out[32]) {
    (void)host;
    crypto_hash_sha256(out, bytes, n);
}

static void *request_alloc(eg_request *rq, size_t size) { return eg_arena_alloc(&((request_box *)rq)->arena, size); }

static request_box *box_create(eg_error *err) {
    request_box *b = calloc(1, sizeof *b);
    if (!b) eg_fail_memory(err, sizeof *b);
    else eg_arena_init(&b->arena, REQUEST_BYTES);
    return b;
}

/* The members of a request are constant for all others, so it is written as a whole. */
static eg_status box_fill(request_box *b, const eg_request *rq, eg_request **out) {
    memcpy(&b->rq, rq, sizeof *rq);
    *out = &b->rq;
    return EG_OK;
}

eg_status eg_host_request_make(void *host, const eg_inner_request *of, eg_request **out, eg_error *err) {
    (void)host;
    request_box *b = box_create(err);
    if (!b) return EG_ENOMEM;
    b->source = of->source;
    return box_fill(b,
                    &(eg_request){.size = sizeof b->rq,
                                  .cancel = of->cancel,
                                  .alloc = request_alloc,
                                  .err = of->err ? of->err : &b->err,
                                  .workspace = of->workspace,
                                  .who = of->who},
                    out);
}

/* Replaces a text by a copy in the memory of the request; 0: there is none. */
static int box_keep(request_box *b, eg_str *text) {
    if (!text->len) return 1;
    const char *copy = eg_arena_copy(&b->arena, *text);
    *text = (eg_str){copy, copy ? text->len : 0};
    return copy != NULL;
}

/* "elicitation", or empty. It goes into audit records as it is. */
static int is_way_to_ask(eg_str word) {
    for (size_t i = 0; i < word.len; i++)
        if (word.ptr[i] != '_' && (word.ptr[i] < 'a' || word.ptr[i] > 'z')) return 0;
    return word.len <= EG_MAX_ASKED_BY;
}

/* In local mode whoever runs the program may do everything. */
static eg_status host_request_create(void *host, const eg_request_options *given, eg_request **out, eg_error *err) {
    eg_host *h = host;
    eg_request_options o = {.size = sizeof o};
    if (given && given->size < EG_REQUEST_OPTIONS_SIZE_1_0)
        return eg_fail(err, EG_EINVAL, "eg_request_options of %u bytes: ABI 1.0 has %u", given->size,
                       EG_REQUEST_OPTIONS_SIZE_1_0);
    if (given) eg_copy_grown(&o, sizeof o, given, given->size);
    if (o.flags) return eg_fail(err, EG_EUNSUPPORTED, "eg_request_options: unknown flags 0x%x", o.flags);
    if (!is_way_to_ask(o.asks) || !is_way_to_ask(o.asked))
        return eg_fail(err, EG_EINVAL, "eg_request_options: asks and asked must be words of [a-z_], at most %d bytes",
                       EG_MAX_ASKED_BY);
    request_box *b = box_create(err);
    if (!b) return EG_ENOMEM;
    b->who = (eg_principal){.size = sizeof b->who, .role = EG_ROLE_ADMIN, .agent = h->actor};
    if (!box_keep(b, &o.agent) || !box_keep(b, &o.asks) || !box_keep(b, &o.asked)) {
        eg_arena_release(&b->arena);
        free(b);
        return eg_fail_memory(err, o.agent.len + o.asks.len + o.asked.len);
    }
    if (o.agent.len) b->who.agent = o.agent;
    return box_fill(b,
                    &(eg_request){.size = sizeof b->rq,
                                  .cancel = o.cancel,
                                  .alloc = request_alloc,
                                  .err = &b->err,
                                  .workspace = eg_host_place(h)->workspace,
                                  .who = &b->who,
                                  .progress = o.progress,
                                  .progress_self = o.progress_self,
                                  .asks = o.asks,
                                  .asked = o.asked,
                                  .waiting = o.waiting},
                    out);
}

static eg_status host_neighbour_margins(void *host, eg_request *rq, const eg_case *c, const eg_margin_question *questions,
                                        size_t n, eg_margin *out) {
    (void)host;
    return eg_memory_neighbour_margins(((request_box *)rq)->source, rq, c, questions, n, out);
}

static eg_status host_earlier_findings(void *host, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n) {
    (void)host;
    return eg_memory_earlier_findings(((request_box *)rq)->source, rq, c, out, n);
}

static void host_request_release(void *host, eg_request *rq) {
    (void)host;
    if (!rq) return;
    eg_arena_release(&((request_box *)rq)->arena);
    free(rq);
}

static eg_status host_audit_hash(void *host, const uint8_t previous[32], const eg_audit_row *row, uint8_t out[32]) {
    return eg_audit_hash(&((eg_host *)host)->services, previous, row, out);
}

static eg_status host_queue_job(void *host, eg_request *rq, const char *name, eg_id fact, eg_str payload, int64_t delay) {
    eg_host *h = host;
    eg_status s = eg_guard(rq, EG_NEEDS_WRITE, "to queue a job");
    if (s != EG_OK) return s;
    if (!h->storage) return eg_request_fail(rq, EG_EINVAL, "no store is open: there is nowhere to keep a job");
    return eg_jobs_queue(h->memory, rq, name, fact, payload, delay);
}

static eg_memory *host_memory(void *host) { return ((eg_host *)host)->memory; }

void eg_host_fill_services(eg_host *h) {
    h->services = (eg_services){.size = sizeof h->services,
                                .host = h,
                                .log = host_log,
                                .config = host_config,
                                .now = host_now,
                                .new_id = host_new_id,
                                .sha256 = host_sha256,
                                .request_create = host_request_create,
                                .request_release = host_request_release,
                                .neighbour_margins = host_neighbour_margins,
                                .earlier_findings = host_earlier_findings,
                                .memory = host_memory,
                                .memory_ops = eg_memory_table(),
                                .version = "0.1.0",
                                .audit_hash = host_audit_hash,
                                .queue_job = host_queue_job,
                                .wants_folder = eg_host_wants_folder,
                                .use_folder = eg_host_use_folder};
    eg_plugins_fill_services(&h->services);
    eg_host_fill_toolset_services(&h->services);
}
