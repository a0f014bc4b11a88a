/* normalizer.c - see normalizer.h. */
#include "models/tokenizer/normalizer.h"

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "models/tokenizer/unicode.h"

eg_str eg_strip(eg_str text, int left, int right) {
    uint32_t cp;
    while (left && text.len) {
        size_t n = eg_utf8_decode(text.ptr, text.len, &cp);
        if (eg_unicode_word(cp) != EG_SPACE) break;
        text = (eg_str){text.ptr + n, text.len - n};
    }
    while (right && text.len) {
        size_t at = eg_utf8_floor(text.ptr, text.len, text.len - 1);
        eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        if (eg_unicode_word(cp) != EG_SPACE) break;
        text.len = at;
    }
    return text;
}

static void replace(eg_str text, eg_str from, eg_str to, eg_buffer *out, eg_trace *trace) {
    for (size_t at = 0;; at += from.len) { /* of text, in the whole of it */
        const char *found = text.len ? memmem(text.ptr, text.len, from.ptr, from.len) : NULL;
        size_t before = found ? (size_t)(found - text.ptr) : text.len;
        eg_buffer_add(out, text.ptr, before);
        if (trace) eg_trace_copy(trace, at, before);
        if (!found) break;
        at += before;
        eg_buffer_add(out, to.ptr, to.len);
        if (trace) eg_trace_repeat(trace, at + from.len - 1, to.len);
        text = (eg_str){found + from.len, text.len - before - from.len};
    }
    if (trace) eg_trace_done(trace);
}

static void replace_spaces(eg_str text, eg_str to, eg_buffer *out, eg_trace *trace) {
    for (size_t from = 0, at;; from = at) {
        const char *found = from < text.len ? memmem(text.ptr + from, text.len - from, "  ", 2) : NULL;
        at = found ? (size_t)(found - text.ptr) : text.len;
        eg_buffer_add(out, text.ptr + from, at - from);
        if (trace) eg_trace_copy(trace, from, at - from);
        if (!found) break;
        while (at < text.len && text.ptr[at] == ' ') at++;
        eg_buffer_add(out, to.ptr, to.len);
        if (trace) eg_trace_repeat(trace, at - 1, to.len);
    }
    if (trace) eg_trace_done(trace);
}

/* Bytes that a text of n may become; U+FDFA with spaces marked makes 39 bytes of 3. */
static size_t limit_of(size_t n) {
    enum { TIMES = 16, MORE = 256 };
    return n > (SIZE_MAX - MORE) / TIMES ? SIZE_MAX : n * TIMES + MORE;
}

eg_status eg_normalize(const eg_normalizer *z, eg_str text, eg_buffer scratch[2], eg_trace *trace, eg_str *out, eg_error *err) {
    eg_buffer *into = &scratch[0];
    const size_t whole = text.len, limit = limit_of(whole);
    for (const eg_step *s = z->steps; s < z->steps + z->count; s++) {
        if (s->kind == EG_STEP_STRIP) {
            eg_str inner = eg_strip(text, s->left, s->right);
            size_t left = (size_t)(inner.ptr - text.ptr);
            if (trace) eg_trace_cut(trace, left, left + inner.len);
            text = inner;
            continue;
        }
        into->len = 0;
        into->limit = limit;
        switch (s->kind) {
        case EG_STEP_LOWER: eg_unicode_lower(text, into, trace); break;
        case EG_STEP_FORM: eg_unicode_normal_form(text, s->compatible, s->compose, into, trace); break;
        case EG_STEP_REPLACE: replace(text, s->from, s->to, into, trace); break;
        case EG_STEP_SPACES: replace_spaces(text, s->to, into, trace); break;
        default: eg_charsmap_apply(s->map, text, into, trace);
        }
        int tells = s->kind != EG_STEP_REPLACE && s->kind != EG_STEP_SPACES; /* changes */
        if (trace && tells && !into->failed) eg_trace_apply(trace, text, (eg_str){into->ptr, into->len});
        if (into->failed == EG_BUFFER_LIMIT)
            return eg_fail(err, EG_ELIMIT,
                           "the tokenizer's normalizer makes more than %zu bytes of a text of %zu: use another tokenizer", limit,
                           whole);
        if (into->failed || (trace && trace->failed)) return eg_fail_memory(err, text.len);
        text = (eg_str){into->ptr, into->len};
        into = into == &scratch[0] ? &scratch[1] : &scratch[0];
    }
    *out = text;
    return EG_OK;
}
