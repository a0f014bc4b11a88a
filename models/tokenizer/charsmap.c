/* charsmap.c - see charsmap.h. Source of the unit's layout: darts-clone 0.32 (include/darts.h,
 * DoubleArrayUnit). */
#include "models/tokenizer/charsmap.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/unicode.h"

/* MAX_TEXT: bytes that replace a character; longer texts are refused */
enum { CLUSTER_BYTES = 6, ASCII = 128, MAX_TEXT = 1024 };

struct eg_charsmap {
    const unsigned char *units; /* 4 bytes each */
    size_t count;
    eg_str texts;
    eg_str ascii[ASCII]; /* the replacement of a single character; ptr NULL: itself */
};

static uint32_t read_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* A unit: bits 0 to 7 and 31, the label; bit 8, whether it has a leaf; bits 10 to 30, the offset of
 * its children, times 256 if bit 9 is set. A leaf: bits 0 to 30, the value. */
static size_t offset_of(uint32_t unit) { return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6); }

/* Finds the shortest key at the start of p[0..n); *to gets its replacement. 0: there is none. */
static int find(const eg_charsmap *m, const char *p, size_t n, eg_str *to) {
    size_t node = offset_of(read_u32(m->units));
    for (size_t i = 0; i < n && p[i]; i++) {
        unsigned char byte = (unsigned char)p[i];
        node ^= byte;
        uint32_t unit = node < m->count ? read_u32(m->units + 4 * node) : UINT32_MAX;
        if ((unit & (UINT32_C(1) << 31 | 255)) != byte) return 0;
        node ^= offset_of(unit);
        if (!(unit >> 8 & 1)) continue;
        size_t at = node < m->count ? read_u32(m->units + 4 * node) & INT32_MAX : SIZE_MAX;
        if (at >= m->texts.len) return 0;
        size_t most = m->texts.len - at < MAX_TEXT ? m->texts.len - at : MAX_TEXT;
        const char *text = m->texts.ptr + at, *end = memchr(text, 0, most);
        if (!end && most == MAX_TEXT) return 0;
        *to = (eg_str){text, end ? (size_t)(end - text) : most};
        return eg_utf8_valid_prefix(to->ptr, to->len) == to->len;
    }
    return 0;
}

eg_status eg_charsmap_open(const char *name, eg_str blob, eg_arena *arena, const eg_charsmap **out, eg_error *err) {
    *out = NULL;
    const unsigned char *p = (const unsigned char *)blob.ptr;
    size_t bytes = blob.len < 4 ? 0 : read_u32(p);
    if (bytes == 0 || bytes % 4 || bytes > blob.len - 4)
        return eg_fail(err, EG_EFORMAT, "%s: precompiled_charsmap: its array does not fit its %zu bytes", name, blob.len);
    eg_charsmap *m = eg_arena_alloc(arena, sizeof *m);
    if (!m) return eg_fail_memory(err, sizeof *m);
    *m = (eg_charsmap){.units = p + 4, .count = bytes / 4, .texts = {blob.ptr + 4 + bytes, blob.len - 4 - bytes}};
    size_t valid = eg_utf8_valid_prefix(m->texts.ptr, m->texts.len);
    if (valid < m->texts.len) return eg_fail(err, EG_EFORMAT, "%s: precompiled_charsmap: invalid UTF-8 in its texts", name);
    for (int c = 1; c < ASCII; c++) {
        char text = (char)c;
        if (!find(m, &text, 1, &m->ascii[c])) m->ascii[c] = (eg_str){0};
    }
    *out = m;
    return EG_OK;
}

/* The number of ASCII bytes at the start of text that the next character cannot extend: all but the
 * last, which may have an accent. */
static size_t ascii_run(eg_str text) {
    size_t i = 0;
    while (i < text.len && (unsigned char)text.ptr[i] < ASCII) i++;
    return i == text.len || i == 0 || text.ptr[i - 1] == '\n' ? i : i - 1;
}

static void map_ascii(const eg_charsmap *m, eg_str text, eg_buffer *out) {
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        eg_str to = m->ascii[(unsigned char)text.ptr[i]];
        /* the one cluster of two */
        size_t pair = text.ptr[i] == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n';
        if (pair ? !find(m, text.ptr + i, 2, &to) : !to.ptr) continue;
        eg_buffer_add(out, text.ptr + from, i - from);
        eg_buffer_add(out, to.ptr, to.len);
        i += pair;
        from = i + 1;
    }
    eg_buffer_add(out, text.ptr + from, text.len - from);
}

static size_t count_code_points(eg_str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) n += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return n;
}

/* Reports that `to` replaced `from`. A difference in length is assigned to the last code points, or
 * to earlier texts if `to` is empty (at the start of the text to none), as in the reference. */
static void tell_changes(eg_str from, eg_str to, eg_trace *trace) {
    size_t old = count_code_points(from), new = count_code_points(to);
    for (size_t i = 0; i < new; i++) eg_trace_change(trace, i >= old);
    if (new < old && trace->count && !trace->failed) trace->changes[trace->count - 1] -= (int32_t)(old - new);
}

void eg_charsmap_apply(const eg_charsmap *m, eg_str text, eg_buffer *out, eg_trace *trace) {
    eg_str to;
    while (text.len && !out->failed) {
        size_t n = trace ? 0 : ascii_run(text);
        map_ascii(m, (eg_str){text.ptr, n}, out);
        text = (eg_str){text.ptr + n, text.len - n};
        if (text.len == 0) break;
        n = eg_unicode_cluster(text.ptr, text.len);
        if (n < CLUSTER_BYTES && find(m, text.ptr, n, &to)) {
            eg_buffer_add(out, to.ptr, to.len);
            if (trace) tell_changes((eg_str){text.ptr, n}, to, trace);
        } else {
            for (size_t at = 0, length; at < n; at += length) {
                uint32_t cp;
                length = eg_utf8_decode(text.ptr + at, n - at, &cp);
                eg_str from = {text.ptr + at, length};
                if (!find(m, from.ptr, length, &to)) to = from;
                eg_buffer_add(out, to.ptr, to.len);
                if (trace) tell_changes(from, to, trace);
            }
        }
        text = (eg_str){text.ptr + n, text.len - n};
    }
}
