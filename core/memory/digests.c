/* digests.c - see digests.h. */
#include "core/memory/digests.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/memory/ids.h"

enum { HASH = 32, ROWS = 200 /* audit records of one read */, BATCH = 128 /* facts of one read */ };

/* ---- writing ---- */

static void put_digest(eg_memory *m, eg_buffer *b, const eg_fact *f) {
    uint8_t hash[HASH];
    char id[EG_ID_TEXT], hex[2 * HASH + 1];
    SERVICES(m)->sha256(m->env.host, f->content.len ? f->content.ptr : "", f->content.len, hash);
    for (size_t i = 0; i < HASH; i++) snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    eg_id_format(f->id, id);
    eg_buffer_format(b, "\"%s\":\"%s\"", id, hex);
}

eg_str eg_digests_note(eg_memory *m, eg_request *rq, eg_str payload, const eg_change *changes, size_t n) {
    size_t facts = 0;
    char nonce[EG_ID_TEXT];
    eg_buffer b = {0};
    for (size_t i = 0; i < n; i++) facts += changes[i].kind == EG_CHANGE_FACT;
    if (!facts) return payload;
    eg_id_format(SERVICES(m)->new_id(m->env.host), nonce);
    eg_buffer_add(&b, payload.ptr, payload.len - 1); /* all but its last brace */
    eg_buffer_format(&b, "%s\"nonce\":\"%s\",\"sha256\":{", payload.len > 2 ? "," : "", nonce);
    for (size_t i = 0; i < n; i++) {
        if (changes[i].kind != EG_CHANGE_FACT) continue;
        put_digest(m, &b, &changes[i].new_fact->fact);
        if (--facts) eg_buffer_text(&b, ",");
    }
    eg_buffer_text(&b, "}}");
    eg_str out = b.failed ? (eg_str){0} : eg_request_copy(rq, (eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return out;
}

/* ---- verifying ---- */

typedef struct digest {
    eg_id fact;
    uint8_t hash[HASH];
} digest;

typedef struct id_list {
    eg_id *ids;
    size_t count, capacity;
} id_list;

typedef struct verifying {
    eg_memory *m;
    eg_request *rq;       /* the caller's */
    eg_arena arena;       /* for the lists */
    id_list gone, erased; /* facts that are not there; facts that were erased */
    digest batch[BATCH];
    size_t count;
} verifying;

static eg_status keep(verifying *v, id_list *list, eg_id id) {
    if (list->count == list->capacity) {
        size_t more = list->capacity ? 2 * list->capacity : 64;
        eg_id *ids = eg_arena_array(&v->arena, more, sizeof *ids);
        if (!ids) return eg_fail_memory(v->rq->err, more * sizeof *ids);
        if (list->count) memcpy(ids, list->ids, list->count * sizeof *ids);
        list->ids = ids;
        list->capacity = more;
    }
    list->ids[list->count++] = id;
    return EG_OK;
}

/* Compares the batch with the store. */
static eg_status compare(verifying *v) {
    eg_request *rq = NULL;
    eg_id ids[BATCH];
    eg_fact_parts *rows = NULL;
    if (!v->count) return EG_OK;
    eg_status s = eg_request_in(v->m, v->rq->workspace, NULL, &v->rq->cancel, &rq, v->rq->err);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < v->count; i++) ids[i] = v->batch[i].fact;
    const eg_parts_args args = {.size = sizeof args, .ids = ids, .count = v->count};
    s = STORE(v->m, parts, rq, &args, &rows, NULL);
    if (s != EG_OK) *v->rq->err = *rq->err;
    for (size_t i = 0; s == EG_OK && i < v->count; i++) {
        const eg_fact *f = &rows[i].fact;
        uint8_t hash[HASH];
        if (!f->seq) {
            s = keep(v, &v->gone, ids[i]);
            continue;
        }
        SERVICES(v->m)->sha256(v->m->env.host, f->content.len ? f->content.ptr : "", f->content.len, hash);
        if (memcmp(hash, v->batch[i].hash, HASH) == 0) continue;
        char id[EG_ID_TEXT];
        eg_id_format(ids[i], id);
        s = eg_request_fail(v->rq, EG_EFORMAT,
                            "the text of the fact %s is not the one that was committed: `engram erase` takes it away", id);
    }
    v->count = 0;
    SERVICES(v->m)->request_release(v->m->env.host, rq);
    return s;
}

static int read_hash(eg_str hex, uint8_t out[HASH]) {
    static const char digits[] = "0123456789abcdef";
    if (hex.len != 2 * HASH) return 0;
    for (size_t i = 0; i < 2 * HASH; i++) {
        const char *d = memchr(digits, hex.ptr[i], 16);
        if (!d) return 0;
        out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | (d - digits) : (d - digits) << 4);
    }
    return 1;
}

/* The digests of one record. One that is not as it was written is not looked at: the hash of the
 * payload, which the backend has compared, says so already. */
static eg_status read_digests(verifying *v, eg_str payload, eg_arena *scratch) {
    eg_json j;
    eg_error ignored = {0};
    eg_status s = EG_OK;
    eg_json_init(&j, "audit payload", payload, scratch, &ignored);
    if (eg_json_next(&j) != EG_JSON_OBJECT) return EG_OK;
    while (s == EG_OK && eg_json_next(&j) == EG_JSON_KEY) {
        int here = eg_str_eq(j.text, EG_STR("sha256"));
        if (eg_json_next(&j) != EG_JSON_OBJECT || !here) {
            if (!eg_json_skip(&j)) break;
            continue;
        }
        while (s == EG_OK && eg_json_next(&j) == EG_JSON_KEY) {
            digest *to = &v->batch[v->count];
            int named = eg_id_parse(j.text, &to->fact);
            if (eg_json_next(&j) == EG_JSON_STRING && named && read_hash(j.text, to->hash)) v->count++;
            if (v->count == BATCH) s = compare(v);
        }
    }
    return s;
}

static eg_status read_row(verifying *v, const eg_audit_row *row) {
    eg_status s = EG_OK;
    if (eg_str_eq(row->action, EG_STR("erase")))
        for (size_t i = 0; s == EG_OK && i < row->window_count; i++) s = keep(v, &v->erased, row->windows[i].fact);
    if (s != EG_OK || !row->payload.len) return s;
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    s = read_digests(v, row->payload, &scratch);
    eg_arena_release(&scratch);
    return s;
}

static eg_status read_some(verifying *v, int64_t *after, size_t *n) {
    eg_request *rq = NULL;
    eg_audit_row *rows = NULL;
    eg_status s = eg_request_in(v->m, v->rq->workspace, NULL, &v->rq->cancel, &rq, v->rq->err);
    if (s != EG_OK) return s;
    s = STORE(v->m, audit, rq, *after, ROWS, &rows, n);
    if (s != EG_OK) *v->rq->err = *rq->err;
    for (size_t i = 0; s == EG_OK && i < *n; i++) s = read_row(v, &rows[i]);
    if (s == EG_OK && *n) *after = rows[*n - 1].id;
    SERVICES(v->m)->request_release(v->m->env.host, rq);
    return s;
}

static int by_id(const void *a, const void *b) { return memcmp(((const eg_id *)a)->bytes, ((const eg_id *)b)->bytes, 16); }

static eg_status verify(verifying *v) {
    int64_t after = 0;
    size_t n = ROWS;
    eg_status s = EG_OK;
    while (s == EG_OK && n == ROWS) s = read_some(v, &after, &n);
    if (s == EG_OK) s = compare(v);
    if (s != EG_OK || !v->gone.count) return s;
    if (v->erased.count) qsort(v->erased.ids, v->erased.count, sizeof *v->erased.ids, by_id);
    for (size_t i = 0; i < v->gone.count; i++) {
        const eg_id *one = &v->gone.ids[i];
        if (v->erased.count && bsearch(one, v->erased.ids, v->erased.count, sizeof *one, by_id)) continue;
        char id[EG_ID_TEXT];
        eg_id_format(*one, id);
        return eg_request_fail(v->rq, EG_EFORMAT, "the fact %s is not in the store any more, and nobody erased it", id);
    }
    return EG_OK;
}

eg_status eg_digests_verify(eg_memory *m, eg_request *rq) {
    verifying *v = eg_request_array(rq, 1, sizeof *v);
    if (!v) return EG_ENOMEM;
    *v = (verifying){.m = m, .rq = rq};
    eg_arena_init(&v->arena, 0);
    eg_status s = verify(v);
    eg_arena_release(&v->arena);
    return s;
}
