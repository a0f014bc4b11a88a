/* trace.c - see trace.h. An inserted code point gets the source of the old byte before it, as in
 * the reference, so that offsets equal the reference's. Source: NormalizedString of Hugging Face
 * tokenizers 0.20.3. */
#include "models/tokenizer/trace.h"

#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/utf8.h"

void eg_trace_release(eg_trace *t) {
    free(t->now.of);
    free(t->next.of);
    free(t->changes);
    *t = (eg_trace){0};
}

/* Room for `more` elements behind the count that are there; 0 when memory is short. */
static int reserve(eg_trace *t, void **list, size_t count, size_t *capacity, size_t more, size_t size) {
    size_t need, bytes;
    if (t->failed || !eg_size_add(count, more, &need)) return 0;
    if (need <= *capacity) return 1;
    need = need < SIZE_MAX / 2 ? 2 * need : need;
    void *p = eg_size_mul(need, size, &bytes) ? realloc(*list, bytes) : NULL;
    t->failed = p == NULL;
    if (!p) return 0;
    *list = p;
    *capacity = need;
    return 1;
}

static eg_range *add_places(eg_trace *t, eg_places *p, size_t n) {
    void *list = p->of;
    if (n == 0 || !reserve(t, &list, p->count, &p->capacity, n, sizeof *p->of)) return NULL;
    p->of = list;
    p->count += n;
    return p->of + (p->count - n);
}

void eg_trace_begin(eg_trace *t, eg_str text) {
    t->now.count = t->next.count = t->count = 0;
    eg_range *of = add_places(t, &t->now, text.len);
    for (size_t at = 0, length; of && at < text.len; at += length) {
        uint32_t cp;
        length = eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        for (size_t i = at; i < at + length; i++) of[i] = (eg_range){at, at + length};
    }
}

void eg_trace_change(eg_trace *t, int32_t change) {
    void *list = t->changes;
    if (!reserve(t, &list, t->count, &t->capacity, 1, sizeof *t->changes)) return;
    t->changes = list;
    t->changes[t->count++] = change;
}

static size_t code_point(eg_str text, size_t at) {
    uint32_t cp;
    return at < text.len ? eg_utf8_decode(text.ptr + at, text.len - at, &cp) : 0;
}

void eg_trace_apply(eg_trace *t, eg_str old, eg_str written) {
    eg_range *of = add_places(t, &t->next, written.len);
    size_t from = 0, to = 0;
    for (size_t i = 0; of && i < t->count; i++) {
        int32_t change = t->changes[i];
        size_t n = code_point(written, to), source = change > 0 ? from - 1 : from;
        eg_range place = source < old.len             ? t->now.of[source]
                         : change > 0 || old.len == 0 ? (eg_range){0, 0}
                                                      : t->now.of[old.len - 1];
        for (size_t k = 0; k < n; k++) of[to + k] = place;
        to += n;
        for (; change <= 0 && from < old.len; change++) {
            from += code_point(old, from);
            if (change == 0) break;
        }
    }
    t->count = 0;
    eg_trace_done(t);
}

void eg_trace_copy(eg_trace *t, size_t from, size_t n) {
    eg_range *of = add_places(t, &t->next, n);
    if (of && n) memcpy(of, t->now.of + from, n * sizeof *of);
}

void eg_trace_repeat(eg_trace *t, size_t from, size_t n) {
    eg_range *of = add_places(t, &t->next, n);
    for (size_t i = 0; of && i < n; i++) of[i] = t->now.of[from];
}

void eg_trace_done(eg_trace *t) {
    eg_places old = t->now;
    t->now = t->next;
    t->next = old;
    t->next.count = 0;
}

void eg_trace_cut(eg_trace *t, size_t begin, size_t end) {
    if (t->failed || !t->now.of) return;
    memmove(t->now.of, t->now.of + begin, (end - begin) * sizeof *t->now.of);
    t->now.count = end - begin;
}
