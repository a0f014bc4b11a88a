/* audit.c - see audit.h. */
#include "core/memory/audit.h"

#include <stdlib.h>

enum { HASH = 32, WINDOW = 16 + 4 * 8 };

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t n) {
    if (n) memcpy(p, bytes, n);
    return p + n;
}

static uint8_t *put_number(uint8_t *p, int64_t x) {
    for (int b = 0; b < 8; b++) *p++ = (uint8_t)((uint64_t)x >> (8 * b));
    return p;
}

/* Every part is of fixed length or its length is told before, and the windows are the rest: no
 * two rows have the same bytes. A row without windows has the bytes that the first version of
 * the layout gave it. */
eg_status eg_audit_hash(const eg_services *services, const uint8_t previous[HASH], const eg_audit_row *row, uint8_t out[HASH]) {
    if (row->layout != EG_AUDIT_STORE && row->layout != EG_AUDIT_WORKSPACE) return EG_EFORMAT;
    eg_str workspace = row->layout == EG_AUDIT_WORKSPACE ? row->workspace : (eg_str){0};
    size_t size = HASH + 5 * 8 + 2 * 16 + row->actor.len + row->action.len + workspace.len + HASH + row->window_count * WINDOW;
    uint8_t *bytes = malloc(size), *p = bytes;
    if (!bytes) return EG_ENOMEM;
    p = put_bytes(p, previous, HASH);
    p = put_number(p, row->id);
    p = put_number(p, row->time);
    p = put_number(p, (int64_t)row->actor.len);
    p = put_number(p, (int64_t)row->action.len);
    if (row->layout == EG_AUDIT_WORKSPACE) p = put_number(p, (int64_t)workspace.len);
    p = put_bytes(p, row->fact.bytes, 16);
    p = put_bytes(p, row->other.bytes, 16);
    p = put_bytes(p, row->actor.ptr, row->actor.len);
    p = put_bytes(p, row->action.ptr, row->action.len);
    p = put_bytes(p, workspace.ptr, workspace.len);
    p = put_bytes(p, row->payload_hash, HASH);
    for (size_t i = 0; i < row->window_count; i++) {
        const eg_window_change *w = &row->windows[i];
        p = put_bytes(p, w->fact.bytes, 16);
        p = put_number(p, w->from_before);
        p = put_number(p, w->until_before);
        p = put_number(p, w->from_after);
        p = put_number(p, w->until_after);
    }
    services->sha256(services->host, bytes, (size_t)(p - bytes), out);
    free(bytes);
    return EG_OK;
}
