/* digests.c - see digests.h. */
#include "core/memory/digests.h"

#include <stdlib.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/memory/ids.h"

enum { HASH = 32, ROWS = 200 /* audit records of one read */, BATCH = 128 /* facts of one read */ };

/* ---- writing ---- */

static void put_member(eg_buffer *b, eg_id fact, const uint8_t hash[HASH]) {
    char id[EG_ID_TEXT], hex[2 * HASH + 1];
    for (size_t i = 0; i < HASH; i++) snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    eg_id_format(fact, id);
    eg_buffer_format(b, "\"%s\":\"%s\"", id, hex);
}

static void put_digest(eg_memory *m, eg_buffer *b, const eg_fact *f) {
    uint8_t hash[HASH];
    SERVICES(m)->sha256(m->env.host, f->content.len ? f->content.ptr : "", f->content.len, hash);
    put_member(b, f->id, hash);
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

/* ---- reading ---- */

typedef struct digest {
    eg_id fact;
    uint8_t hash[HASH];
} digest;

static int by_id(const void *a, const void *b) { return memcmp(((const eg_id *)a)->bytes, ((const eg_id *)b)->bytes, 16); }

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

/* The digests of one record's payload. */
static eg_status each_digest(eg_str payload, eg_arena *scratch, eg_status (*each)(void *self, const digest *d), void *self) {
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
            digest d;
            int named = eg_id_parse(j.text, &d.fact);
            if (eg_json_next(&j) == EG_JSON_STRING && named && read_hash(j.text, d.hash)) s = each(self, &d);
        }
    }
    return s;
}

/* Every record of the workspace's audit, some at a time in a request of their own. */
static eg_status each_record(eg_memory *m, eg_request *rq, eg_status (*each)(void *self, const eg_audit_row *row), void *self) {
    int64_t after = 0;
    size_t n = ROWS;
    eg_status s = EG_OK;
    while (s == EG_OK && n == ROWS) {
        eg_request *own = NULL;
        eg_audit_row *rows = NULL;
        s = eg_request_in(m, rq->workspace, NULL, &rq->cancel, &own, rq->err);
        if (s != EG_OK) return s;
        s = STORE(m, audit, own, after, ROWS, &rows, &n);
        if (s != EG_OK) *rq->err = *own->err;
        for (size_t i = 0; s == EG_OK && i < n; i++) s = each(self, &rows[i]);
        if (s == EG_OK && n) after = rows[n - 1].id;
        SERVICES(m)->request_release(m->env.host, own);
    }
    return s;
}

/* ---- verifying ---- */

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

/* A record that is not as it was written is not looked at: the hash of the payload, which the
 * backend has compared, says so already. */
static eg_status verify_digest(void *self, const digest *d) {
    verifying *v = self;
    v->batch[v->count++] = *d;
    return v->count == BATCH ? compare(v) : EG_OK;
}

static eg_status verify_record(void *self, const eg_audit_row *row) {
    verifying *v = self;
    eg_status s = EG_OK;
    if (eg_str_eq(row->action, EG_STR("erase")))
        for (size_t i = 0; s == EG_OK && i < row->window_count; i++) s = keep(v, &v->erased, row->windows[i].fact);
    if (s != EG_OK || !row->payload.len) return s;
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    s = each_digest(row->payload, &scratch, verify_digest, v);
    eg_arena_release(&scratch);
    return s;
}

static eg_status verify(verifying *v) {
    eg_status s = each_record(v->m, v->rq, verify_record, v);
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

/* ---- what an erasing leaves ---- */

typedef struct keeping {
    eg_memory *m;
    eg_request *rq;
    const eg_id *leaving; /* by id */
    size_t leaving_count;
    eg_arena *arena;
    eg_buffer members; /* "ID":"SHA-256", ... */
    int64_t *records;
    size_t record_count, record_capacity;
    size_t others; /* digests of this record that stay */
    int names;     /* this record has a digest of one that leaves */
} keeping;

static int leaves(const keeping *k, eg_id fact) {
    return k->leaving_count && bsearch(&fact, k->leaving, k->leaving_count, sizeof fact, by_id) != NULL;
}

static eg_status look_at_digest(void *self, const digest *d) {
    keeping *k = self;
    if (leaves(k, d->fact)) k->names = 1;
    else k->others++;
    return EG_OK;
}

static eg_status keep_digest(void *self, const digest *d) {
    keeping *k = self;
    if (leaves(k, d->fact)) return EG_OK;
    if (k->members.len) eg_buffer_text(&k->members, ",");
    put_member(&k->members, d->fact, d->hash);
    return EG_OK;
}

static eg_status keep_record(keeping *k, int64_t record) {
    if (k->record_count == k->record_capacity) {
        size_t more = k->record_capacity ? 2 * k->record_capacity : 16;
        int64_t *records = eg_arena_array(k->arena, more, sizeof *records);
        if (!records) return eg_fail_memory(k->rq->err, more * sizeof *records);
        if (k->record_count) memcpy(records, k->records, k->record_count * sizeof *records);
        k->records = records;
        k->record_capacity = more;
    }
    k->records[k->record_count++] = record;
    return EG_OK;
}

static eg_status look_at_record(void *self, const eg_audit_row *row) {
    keeping *k = self;
    uint8_t hash[HASH];
    if (!row->payload.len) return EG_OK;
    int named = leaves(k, row->fact) || leaves(k, row->other);
    for (size_t i = 0; !named && i < row->window_count; i++) named = leaves(k, row->windows[i].fact);
    k->others = 0;
    k->names = 0;
    eg_arena scratch;
    eg_arena_init(&scratch, 0);
    eg_status s = each_digest(row->payload, &scratch, look_at_digest, k);
    if (s == EG_OK && k->names && !named) s = keep_record(k, row->id);
    SERVICES(k->m)->sha256(k->m->env.host, row->payload.ptr, row->payload.len, hash);
    int as_written = memcmp(hash, row->payload_hash, HASH) == 0;
    if (s == EG_OK && (named || k->names) && k->others && as_written) s = each_digest(row->payload, &scratch, keep_digest, k);
    eg_arena_release(&scratch);
    return s;
}

eg_status eg_digests_keep(eg_memory *m, eg_request *rq, eg_arena *arena, const eg_id *leaving, size_t n, eg_digests_kept *out) {
    keeping k = {.m = m, .rq = rq, .arena = arena, .leaving_count = n};
    *out = (eg_digests_kept){0};
    eg_id *sorted = eg_arena_array(arena, n ? n : 1, sizeof *sorted);
    if (!sorted) return eg_fail_memory(rq->err, n * sizeof *sorted);
    if (n) memcpy(sorted, leaving, n * sizeof *sorted);
    if (n) qsort(sorted, n, sizeof *sorted, by_id);
    k.leaving = sorted;
    eg_status s = each_record(m, rq, look_at_record, &k);
    char nonce[EG_ID_TEXT];
    eg_id_format(SERVICES(m)->new_id(m->env.host), nonce);
    eg_buffer b = {0};
    if (k.members.len) eg_buffer_format(&b, ",\"nonce\":\"%s\",\"sha256\":{", nonce);
    if (k.members.len) eg_buffer_add(&b, k.members.ptr, k.members.len);
    if (k.members.len) eg_buffer_text(&b, "}");
    const char *copy = b.len ? eg_arena_copy(arena, (eg_str){b.ptr, b.len}) : "";
    if (s == EG_OK && (b.failed || k.members.failed || !copy)) s = eg_fail_memory(rq->err, k.members.len);
    *out = (eg_digests_kept){.members = {copy, b.len}, .records = k.records, .record_count = k.record_count};
    eg_buffer_release(&b);
    eg_buffer_release(&k.members);
    return s;
}
