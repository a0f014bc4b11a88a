/* unicode.c - see unicode.h. */
#include "models/tokenizer/unicode.h"

#include <stdlib.h>

#include "core/base/size.h"
#include "core/base/utf8.h"
#include "models/tokenizer/unicode_tables.h"

typedef enum cluster { /* as in unicode_tables.h */
                       ANY,
                       CR,
                       LF,
                       CONTROL,
                       EXTEND,
                       EXTEND_PLAIN, /* extends, but not between a linker and a consonant */
                       LINKER,
                       ZWJ,
                       SPACING,
                       PREPEND,
                       PICTOGRAPH,
                       L,
                       V,
                       T,
                       LV,
                       LVT,
                       CONSONANT
} cluster;

enum { HANGUL = 0xAC00, HANGUL_END = 0xD7A4, FIRST_L = 0x1100, FIRST_V = 0x1161, FIRST_T = 0x11A7, LS = 19, VS = 21, TS = 28 };

static uint8_t kind_of(uint32_t cp) { return unicode_kinds[unicode_rows[cp >> 8]][cp & 255]; }

eg_word_class eg_unicode_word(uint32_t cp) { return (eg_word_class)(kind_of(cp) & 3); }

/* ---- clusters ---- */

/* What decides whether the next code point belongs to the cluster: the last one, and the states of
 * two patterns. */
typedef struct cluster_state {
    cluster last;
    int pictograph; /* 1: pictograph, extenders; 2: and then a joiner */
    int conjunct;   /* 1: consonant, extenders; 2: with a linker among them */
} cluster_state;

static int is_hangul_pair(cluster a, cluster b) {
    return (a == L && (b == L || b == V || b == LV || b == LVT)) || ((a == LV || a == V) && (b == V || b == T)) ||
           ((a == LVT || a == T) && b == T);
}

static int is_joined(const cluster_state *s, cluster next) {
    if (s->last == CR) return next == LF;
    if (s->last == LF || s->last == CONTROL || next == CR || next == LF || next == CONTROL) return 0;
    if (next >= EXTEND && next <= SPACING) return 1;
    return s->last == PREPEND || is_hangul_pair(s->last, next) || (next == CONSONANT && s->conjunct == 2) ||
           (next == PICTOGRAPH && s->pictograph == 2);
}

static void advance(cluster_state *s, cluster next) {
    int extends = next == EXTEND || next == EXTEND_PLAIN || next == LINKER;
    s->pictograph = next == PICTOGRAPH ? 1 : s->pictograph == 1 && extends ? 1 : s->pictograph == 1 && next == ZWJ ? 2 : 0;
    s->conjunct = next == CONSONANT ? 1 : s->conjunct && next == LINKER ? 2 : next == EXTEND || next == ZWJ ? s->conjunct : 0;
    s->last = next;
}

size_t eg_unicode_cluster(const char *p, size_t n) {
    uint32_t cp;
    size_t at = eg_utf8_decode(p, n, &cp);
    cluster_state s = {ANY, 0, 0};
    advance(&s, (cluster)(kind_of(cp) >> 2));
    while (at < n) {
        size_t length = eg_utf8_decode(p + at, n - at, &cp);
        cluster next = (cluster)(kind_of(cp) >> 2);
        if (!is_joined(&s, next)) break;
        advance(&s, next);
        at += length;
    }
    return at;
}

/* ---- mappings ---- */

/* Finds a row of a table that is sorted by its first column; NULL if there is none. */
static const uint32_t *find_row(const uint32_t *table, size_t rows, size_t columns, uint32_t key) {
    size_t low = 0, high = rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle * columns] <= key) low = middle + 1;
        else high = middle;
    }
    return low && table[(low - 1) * columns] <= key ? table + (low - 1) * columns : NULL;
}
#define FIND(table, key) find_row(&(table)[0][0], sizeof(table) / sizeof *(table), sizeof *(table) / sizeof **(table), key)

/* What a table maps cp to: a count and that many code points; NULL: itself. */
#define MAPPING(table, cp) mapping_of(FIND(table, cp), cp)
static const uint32_t *mapping_of(const uint32_t *row, uint32_t cp) { return row && row[0] == cp ? unicode_pool + row[1] : NULL; }

static void add_code_point(eg_buffer *out, uint32_t cp) {
    char bytes[4];
    eg_buffer_add(out, bytes, eg_utf8_encode(cp, bytes));
}

void eg_unicode_lower(eg_str text, eg_buffer *out, eg_trace *trace) {
    for (size_t at = 0; at < text.len;) {
        uint32_t cp;
        at += eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        const uint32_t *to = MAPPING(unicode_lower, cp);
        if (!to) add_code_point(out, cp);
        for (uint32_t i = 1; to && i <= to[0]; i++) add_code_point(out, to[i]);
        for (uint32_t i = 0; trace && i < (to ? to[0] : 1); i++) eg_trace_change(trace, i > 0);
    }
}

/* ---- normal forms ---- */

typedef struct mark {
    uint32_t cp;
    uint32_t order; /* of its combining class; 0: a starter */
    int32_t change; /* see trace.h */
} mark;

typedef struct marks {
    mark *list;
    size_t count, capacity;
    int failed;
} marks;

static void push(marks *m, uint32_t cp, int32_t change) {
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? m->capacity * 2 : 256, bytes;
        mark *p = !m->failed && eg_size_mul(capacity, sizeof *p, &bytes) ? realloc(m->list, bytes) : NULL;
        if (!p) {
            m->failed = 1;
            return;
        }
        m->list = p;
        m->capacity = capacity;
    }
    const uint32_t *row = cp < 0x300 ? NULL : FIND(unicode_combining, cp);
    m->list[m->count++] = (mark){cp, row && cp <= row[1] ? row[2] : 0, change};
}

static void decompose(marks *m, uint32_t cp, int compatible) {
    if (cp >= HANGUL && cp < HANGUL_END) {
        uint32_t s = cp - HANGUL;
        push(m, FIRST_L + s / (VS * TS), 0);
        push(m, FIRST_V + s % (VS * TS) / TS, 1);
        if (s % TS) push(m, FIRST_T + s % TS, 1);
        return;
    }
    const uint32_t *to = cp < 0xA0 ? NULL : compatible ? MAPPING(unicode_compatible, cp) : NULL;
    if (!to && cp >= 0xA0) to = MAPPING(unicode_canonical, cp);
    if (!to) push(m, cp, 0);
    for (uint32_t i = 1; to && i <= to[0]; i++) push(m, to[i], i > 1);
}

/* Sorts runs of marks by their classes, stably: short ones by insertion, long ones by counting. */
static void reorder(marks *m) {
    enum { SHORT = 32, CLASSES = 256 };
    mark *copy = NULL;
    for (size_t begin = 0, end; begin < m->count; begin = end) {
        end = begin + 1;
        if (m->list[begin].order == 0) continue;
        while (end < m->count && m->list[end].order) end++;
        mark *run = m->list + begin;
        size_t n = end - begin;
        if (n <= SHORT) {
            for (size_t i = 1; i < n; i++) {
                mark moved = run[i];
                size_t to = i;
                for (; to > 0 && run[to - 1].order > moved.order; to--) run[to] = run[to - 1];
                run[to] = moved;
            }
            continue;
        }
        if (!copy && !(copy = malloc(m->count * sizeof *copy))) {
            m->failed = 1;
            return;
        }
        size_t starts[CLASSES + 1] = {0};
        for (size_t i = 0; i < n; i++) starts[run[i].order + 1]++;
        for (size_t i = 1; i <= CLASSES; i++) starts[i] += starts[i - 1];
        for (size_t i = 0; i < n; i++) copy[starts[run[i].order]++] = run[i];
        memcpy(run, copy, n * sizeof *run);
    }
    free(copy);
}

/* The composition of two code points; 0: none. */
static uint32_t compose_pair(uint32_t a, uint32_t b) {
    if (a - FIRST_L < LS && b - FIRST_V < VS) return HANGUL + ((a - FIRST_L) * VS + (b - FIRST_V)) * TS;
    if (a >= HANGUL && a < HANGUL_END && (a - HANGUL) % TS == 0 && b > FIRST_T && b < FIRST_T + TS) return a + (b - FIRST_T);
    const uint32_t *row = FIND(unicode_compositions, a); /* the last of those that begin with a */
    for (; row && row >= unicode_compositions[0] && row[0] == a; row -= 3)
        if (row[1] == b) return row[2];
    return 0;
}

static void compose_marks(marks *m) {
    size_t starter = SIZE_MAX, count = 0;
    int64_t last = -1; /* class of the last mark after the starter; -1: there is none */
    for (size_t i = 0; i < m->count; i++) {
        mark c = m->list[i];
        uint32_t composed = starter != SIZE_MAX && last < (int64_t)c.order ? compose_pair(m->list[starter].cp, c.cp) : 0;
        if (composed) {
            m->list[starter].cp = composed;
            m->list[starter].change += c.change - 1;
            continue;
        }
        if (c.order == 0) starter = count;
        last = c.order ? (int64_t)c.order : -1;
        m->list[count++] = c;
    }
    m->count = count;
}

void eg_unicode_normal_form(eg_str text, int compatible, int compose, eg_buffer *out, eg_trace *trace) {
    size_t ascii = 0;
    while (ascii < text.len && (unsigned char)text.ptr[ascii] < 0x80) ascii++;
    if (ascii == text.len) {
        eg_buffer_add(out, text.ptr, text.len);
        for (size_t i = 0; trace && i < text.len; i++) eg_trace_change(trace, 0);
        return;
    }
    marks m = {0};
    for (size_t at = 0; at < text.len;) {
        uint32_t cp;
        at += eg_utf8_decode(text.ptr + at, text.len - at, &cp);
        decompose(&m, cp, compatible);
    }
    reorder(&m);
    if (compose) compose_marks(&m);
    for (size_t i = 0; i < m.count; i++) add_code_point(out, m.list[i].cp);
    for (size_t i = 0; trace && i < m.count; i++) eg_trace_change(trace, m.list[i].change);
    if (m.failed) out->failed = EG_BUFFER_MEMORY;
    free(m.list);
}
