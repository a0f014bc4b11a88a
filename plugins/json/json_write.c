/* json_write.c - the writer. See json.h. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void pj_release(pj_out *o) {
    free(o->p);
    *o = (pj_out){0};
}

static int fail(pj_out *o) {
    o->failed = 1;
    return 0;
}

/* Room for n more bytes, or 0. */
static int reserve(pj_out *o, size_t n) {
    if (o->failed) return 0;
    if (o->cap - o->len >= n) return 1;
    size_t need, cap = o->cap ? o->cap : 1024;
    if (__builtin_add_overflow(o->len, n, &need)) return fail(o);
    while (cap < need)
        if (__builtin_mul_overflow(cap, (size_t)2, &cap)) return fail(o);
    char *p = realloc(o->p, cap);
    if (!p) return fail(o);
    o->p = p;
    o->cap = cap;
    return 1;
}

static void put(pj_out *o, const char *p, size_t n) {
    if (!n || !reserve(o, n)) return;
    memcpy(o->p + o->len, p, n);
    o->len += n;
}

static void put_char(pj_out *o, char c) { put(o, &c, 1); }

static void comma(pj_out *o) {
    if (o->len && !memchr("{[:", o->p[o->len - 1], 3)) put_char(o, ',');
}

void pj_begin(pj_out *o, char bracket) {
    comma(o);
    put_char(o, bracket);
}

void pj_end(pj_out *o, char bracket) { put_char(o, bracket); }

/* Bytes of a valid UTF-8 sequence at p, else 0: stored text is checked at its border, this is the
 * last line.
 * */
static size_t sequence(const unsigned char *p, size_t n) {
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
    if (len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (len >= 3 && ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
                     (p[0] == 0xF4 && p[1] > 0x8F)))
        return 0;
    return len;
}

static void put_escaped(pj_out *o, unsigned char c) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *known = memchr(from, c, sizeof from - 1);
    char text[8];
    if (known) snprintf(text, sizeof text, "\\%c", to[known - from]);
    else snprintf(text, sizeof text, "\\u%04x", c);
    put(o, text, strlen(text));
}

static int plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

void pj_str(pj_out *o, eg_str s) {
    const unsigned char *p = (const unsigned char *)s.ptr;
    comma(o);
    put_char(o, '"');
    for (size_t i = 0; i < s.len;) {
        size_t run = i;
        while (run < s.len && plain(p[run])) run++;
        put(o, s.ptr + i, run - i);
        i = run;
        if (i == s.len) break;
        size_t len = p[i] < 0x80 ? 1 : sequence(p + i, s.len - i);
        if (p[i] < 0x80) put_escaped(o, p[i]);
        else if (len) put(o, s.ptr + i, len);
        else put(o, "\xEF\xBF\xBD", 3);
        i += len ? len : 1;
    }
    put_char(o, '"');
}

void pj_key(pj_out *o, const char *key) {
    pj_str(o, eg_str_of(key));
    put_char(o, ':');
}

void pj_int(pj_out *o, int64_t n) {
    char text[24];
    int len = snprintf(text, sizeof text, "%lld", (long long)n);
    comma(o);
    put(o, text, (size_t)len);
}

void pj_num(pj_out *o, double x) {
    char text[32];
    int len = 0;
    if (!isfinite(x)) x = 0;
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    comma(o);
    put(o, text, (size_t)len);
}

void pj_bool(pj_out *o, int b) {
    comma(o);
    put(o, b ? "true" : "false", b ? 4 : 5);
}

void pj_null(pj_out *o) {
    comma(o);
    put(o, "null", 4);
}

void pj_json(pj_out *o, eg_str value) {
    comma(o);
    size_t at = o->len;
    put(o, value.ptr, value.len);
    if (o->failed) return;
    /* inside strings a line break cannot stand: the text is valid JSON */
    for (size_t i = at; i < o->len; i++)
        if (o->p[i] == '\n' || o->p[i] == '\r') o->p[i] = ' ';
}

void pj_kstr(pj_out *o, const char *key, eg_str s) {
    pj_key(o, key);
    pj_str(o, s);
}
void pj_kopt(pj_out *o, const char *key, eg_str s) {
    pj_key(o, key);
    if (s.len) pj_str(o, s);
    else pj_null(o);
}
void pj_kint(pj_out *o, const char *key, int64_t n) {
    pj_key(o, key);
    pj_int(o, n);
}
void pj_knum(pj_out *o, const char *key, double x) {
    pj_key(o, key);
    pj_num(o, x);
}
void pj_kbool(pj_out *o, const char *key, int b) {
    pj_key(o, key);
    pj_bool(o, b);
}
