/* json.c - see json.h. One state says what may come next; a stack of bytes remembers the kinds of
 * open containers. */
#include "core/base/json.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/status.h"
#include "core/base/utf8.h"

/* what may come next */
enum { VALUE, FIRST_VALUE /* or ] */, FIRST_KEY /* or } */, KEY, COLON, COMMA, DONE, BROKEN };

void eg_json_init(eg_json *j, const char *name, eg_str bytes, eg_arena *arena, eg_error *err) {
    *j = (eg_json){.start = bytes.ptr,
                   .p = bytes.ptr,
                   .end = bytes.ptr + bytes.len,
                   .arena = arena,
                   .err = err,
                   .name = name,
                   .state = VALUE};
}

eg_json_kind eg_json_fail(eg_json *j, const char *format, ...) {
    /* the first message is the one that helps */
    if (j->state == BROKEN) return j->kind = EG_JSON_ERROR;
    size_t line = 1, column = 1;
    for (const char *p = j->start; p < j->p && p < j->end; p++) {
        column++;
        if (*p == '\n') {
            line++;
            column = 1;
        }
    }
    char text[300];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    eg_fail(j->err, EG_EFORMAT, "%s:%zu:%zu: %s", j->name, line, column, text);
    j->state = BROKEN;
    return j->kind = EG_JSON_ERROR;
}

static void skip_space(eg_json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\t' || *j->p == '\r')) j->p++;
}

static int hex4(const char *p) {
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (d < 0) return -1;
        v = v * 16 + d;
    }
    return v;
}

/* The code point of a \u escape at p ("uXXXX", perhaps with its pair); *used bytes. 0xFFFFFFFF when
 * it is none. */
static uint32_t unicode_escape(const char *p, const char *end, size_t *used) {
    int high = end - p >= 5 ? hex4(p + 1) : -1;
    *used = 5;
    if (high < 0 || (high >= 0xDC00 && high <= 0xDFFF)) return UINT32_MAX;
    if (high < 0xD800 || high > 0xDBFF) return (uint32_t)high;
    int low = end - p >= 11 && p[5] == '\\' && p[6] == 'u' ? hex4(p + 7) : -1;
    *used = 11;
    if (low < 0xDC00 || low > 0xDFFF) return UINT32_MAX;
    return 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
}

/* Copies [from, to), which holds escapes, without them. */
static int unescape(eg_json *j, const char *from, const char *to) {
    char *out = eg_arena_alloc(j->arena, (size_t)(to - from) + 1), *at = out;
    if (!out) {
        eg_fail_memory(j->err, (size_t)(to - from));
        j->state = BROKEN;
        return 0;
    }
    while (from < to) {
        if (*from != '\\') {
            *at++ = *from++;
            continue;
        }
        from++;
        static const char plain[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
        const char *which = *from ? strchr(plain, *from) : NULL;
        if (which) {
            *at++ = meaning[which - plain];
            from++;
        } else if (*from == 'u') {
            size_t used;
            uint32_t cp = unicode_escape(from, to, &used);
            size_t n = cp == UINT32_MAX ? 0 : eg_utf8_encode(cp, at);
            if (n == 0) {
                j->p = from;
                eg_json_fail(j, "a \\u escape is broken or half of a pair");
                return 0;
            }
            at += n;
            from += used;
        } else {
            j->p = from;
            eg_json_fail(j, "an unknown escape in a string");
            return 0;
        }
    }
    j->text = (eg_str){out, (size_t)(at - out)};
    return 1;
}

/* A string whose opening quote is at j->p. */
static int read_string(eg_json *j) {
    const char *from = ++j->p;
    int escapes = 0;
    while (j->p < j->end && *j->p != '"') {
        unsigned char c = (unsigned char)*j->p;
        if (c < 0x20) {
            eg_json_fail(j, "a control character in a string: write it as an escape");
            return 0;
        }
        if (c == '\\') {
            escapes = 1;
            j->p++;
        }
        j->p++;
    }
    if (j->p >= j->end) {
        j->p = j->end;
        eg_json_fail(j, "a string does not end");
        return 0;
    }
    const char *to = j->p++;
    size_t length = (size_t)(to - from), valid = eg_utf8_valid_prefix(from, length);
    if (valid < length) {
        j->p = from + valid;
        eg_json_fail(j, "invalid UTF-8 in a string");
        return 0;
    }
    j->text = (eg_str){from, length};
    return escapes ? unescape(j, from, to) : 1;
}

static int digit(const eg_json *j, const char *p) { return p < j->end && *p >= '0' && *p <= '9'; }

/* The number as JSON writes it, with a point whatever the locale of the program has. For "C"
 * nothing is allocated. */
static int to_double(const char *text, double *out) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return 0;
    *out = strtod_l(text, NULL, c);
    freelocale(c);
    return 1;
}

static eg_json_kind read_number(eg_json *j) {
    const char *from = j->p, *p = j->p;
    int whole = 1;
    if (p < j->end && *p == '-') p++;
    if (!digit(j, p)) return eg_json_fail(j, "a value was expected");
    if (*p == '0' && digit(j, p + 1)) return eg_json_fail(j, "a number with a leading zero");
    while (digit(j, p)) p++;
    if (p < j->end && *p == '.') {
        whole = 0;
        if (!digit(j, ++p)) return eg_json_fail(j, "digits were expected after the point");
        while (digit(j, p)) p++;
    }
    if (p < j->end && (*p == 'e' || *p == 'E')) {
        whole = 0;
        p++;
        if (p < j->end && (*p == '+' || *p == '-')) p++;
        if (!digit(j, p)) return eg_json_fail(j, "digits were expected in the exponent");
        while (digit(j, p)) p++;
    }
    char text[64]; /* longer than any double needs; a longer one keeps its leading digits */
    size_t n = (size_t)(p - from);
    if (n >= sizeof text) return eg_json_fail(j, "a number of %zu characters", n);
    memcpy(text, from, n);
    text[n] = '\0';
    j->text = (eg_str){from, n};
    errno = 0;
    j->integer = whole ? strtoll(text, NULL, 10) : 0;
    j->is_integer = whole && errno == 0;
    j->number = (double)j->integer;
    if (!(whole && n <= 15) && !to_double(text, &j->number)) { /* 15 digits are exact */
        eg_fail_memory(j->err, n);
        j->state = BROKEN;
        return EG_JSON_ERROR;
    }
    j->p = p;
    return EG_JSON_NUMBER;
}

static int word(eg_json *j, const char *z) {
    size_t n = strlen(z);
    if ((size_t)(j->end - j->p) < n || memcmp(j->p, z, n) != 0) return 0;
    j->p += n;
    return 1;
}

static void after_value(eg_json *j) { j->state = j->depth ? COMMA : DONE; }

static eg_json_kind open_container(eg_json *j, char c) {
    if (j->depth == EG_JSON_DEPTH) return eg_json_fail(j, "nested deeper than %d", EG_JSON_DEPTH);
    j->p++;
    j->stack[j->depth++] = (uint8_t)c;
    j->state = c == '{' ? FIRST_KEY : FIRST_VALUE;
    return c == '{' ? EG_JSON_OBJECT : EG_JSON_ARRAY;
}

static eg_json_kind close_container(eg_json *j, char c) {
    if (j->stack[j->depth - 1] != (c == '}' ? '{' : '[')) return eg_json_fail(j, "'%c' closes nothing", c);
    j->p++;
    j->depth--;
    after_value(j);
    return c == '}' ? EG_JSON_OBJECT_END : EG_JSON_ARRAY_END;
}

static eg_json_kind read_value(eg_json *j) {
    char c = *j->p;
    if (c == '{' || c == '[') return open_container(j, c);
    eg_json_kind kind;
    if (c == '"') kind = read_string(j) ? EG_JSON_STRING : EG_JSON_ERROR;
    else if (word(j, "true")) kind = EG_JSON_TRUE;
    else if (word(j, "false")) kind = EG_JSON_FALSE;
    else if (word(j, "null")) kind = EG_JSON_NULL;
    else kind = read_number(j);
    if (kind != EG_JSON_ERROR) after_value(j);
    return kind;
}

static eg_json_kind read_key(eg_json *j) {
    if (*j->p != '"') return eg_json_fail(j, "a key in quotes was expected");
    if (!read_string(j)) return EG_JSON_ERROR;
    j->state = COLON;
    return EG_JSON_KEY;
}

static eg_json_kind step(eg_json *j) {
    for (;;) {
        if (j->state == BROKEN) return EG_JSON_ERROR;
        skip_space(j);
        if (j->state == DONE) {
            if (j->p < j->end) return eg_json_fail(j, "bytes after the end of the document");
            return EG_JSON_END;
        }
        if (j->p >= j->end) return eg_json_fail(j, "the document ends too early");
        char c = *j->p;
        switch (j->state) {
        case FIRST_KEY:
            if (c == '}') return close_container(j, c);
            return read_key(j);
        case KEY: return read_key(j);
        case FIRST_VALUE:
            if (c == ']') return close_container(j, c);
            return read_value(j);
        case VALUE: return read_value(j);
        case COLON:
            if (c != ':') return eg_json_fail(j, "':' was expected after a key");
            j->p++;
            j->state = VALUE;
            break;
        default: /* COMMA */
            if (c == '}' || c == ']') return close_container(j, c);
            if (c != ',') return eg_json_fail(j, "',' or the end of the container was expected");
            j->p++;
            j->state = j->stack[j->depth - 1] == '{' ? KEY : VALUE;
        }
    }
}

eg_json_kind eg_json_next(eg_json *j) { return j->kind = step(j); }

int eg_json_skip(eg_json *j) {
    /* of a key: its value */
    if (j->kind == EG_JSON_KEY && eg_json_next(j) == EG_JSON_ERROR) return 0;
    if (j->kind != EG_JSON_OBJECT && j->kind != EG_JSON_ARRAY) return j->kind != EG_JSON_ERROR;
    uint32_t outside = j->depth - 1;
    while (j->depth > outside)
        if (eg_json_next(j) == EG_JSON_ERROR) return 0;
    return 1;
}

eg_status eg_json_check_object(const char *name, eg_str bytes, eg_error *err) {
    eg_error local = {0};
    eg_arena arena;
    eg_json j;
    eg_arena_init(&arena, 0);
    eg_json_init(&j, name, bytes, &arena, err ? err : &local);
    eg_json_kind kind = eg_json_next(&j);
    if (kind != EG_JSON_OBJECT && kind != EG_JSON_ERROR) {
        j.p = j.start;
        kind = eg_json_fail(&j, "an object in braces was expected, as in {\"name\": \"value\"}");
    }
    while (kind != EG_JSON_END && kind != EG_JSON_ERROR) kind = eg_json_next(&j);
    eg_arena_release(&arena);
    return kind == EG_JSON_END ? EG_OK : j.err->code;
}

void eg_buffer_release(eg_buffer *b) {
    free(b->ptr);
    *b = (eg_buffer){0};
}

void eg_buffer_add(eg_buffer *b, const char *bytes, size_t n) {
    if (b->failed || n == 0) return;
    if (b->limit && n > b->limit - b->len) {
        b->failed = EG_BUFFER_LIMIT;
        return;
    }
    if (b->capacity - b->len < n) {
        size_t more = b->capacity ? b->capacity : 256;
        while (more - b->len < n && more <= SIZE_MAX / 4) more *= 2;
        char *p = more - b->len < n ? NULL : realloc(b->ptr, more);
        if (!p) {
            b->failed = EG_BUFFER_MEMORY;
            return;
        }
        b->ptr = p;
        b->capacity = more;
    }
    memcpy(b->ptr + b->len, bytes, n);
    b->len += n;
}

void eg_buffer_text(eg_buffer *b, const char *z) { eg_buffer_add(b, z, strlen(z)); }

void eg_buffer_format(eg_buffer *b, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    char small[256];
    int n = vsnprintf(small, sizeof small, format, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof small) {
        eg_buffer_add(b, small, (size_t)n);
    } else if (n >= 0) {
        char *big = malloc((size_t)n + 1);
        if (big) {
            vsnprintf(big, (size_t)n + 1, format, again);
            eg_buffer_add(b, big, (size_t)n);
        } else {
            b->failed = EG_BUFFER_MEMORY;
        }
        free(big);
    }
    va_end(again);
}

void eg_buffer_json(eg_buffer *b, eg_str s) {
    eg_buffer_add(b, "\"", 1);
    size_t from = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        eg_buffer_add(b, s.ptr + from, i - from);
        from = i + 1;
        if (c == '"' || c == '\\') eg_buffer_format(b, "\\%c", c);
        else if (c == '\n') eg_buffer_text(b, "\\n");
        else eg_buffer_format(b, "\\u%04x", c);
    }
    eg_buffer_add(b, s.ptr + from, s.len - from);
    eg_buffer_add(b, "\"", 1);
}
