/* reader.c - see reader.h. */
#include "core/docs/reader.h"

#include <ctype.h>
#include <string.h>

#include "core/base/status.h"

void eg_slug(eg_str s, char out[EG_SLUG + 1]) {
    size_t n = 0;
    for (size_t i = 0; i < s.len && n < EG_SLUG; i++) {
        int c = (unsigned char)s.ptr[i];
        if (isalnum(c) && c < 128) out[n++] = (char)tolower(c);
        else if (n && out[n - 1] != '-') out[n++] = '-';
    }
    while (n && out[n - 1] == '-') n--;
    out[n] = '\0';
}

eg_str eg_trim_line(eg_str s) {
    while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) s.ptr++, s.len--;
    while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t' || s.ptr[s.len - 1] == '\r')) s.len--;
    return s;
}

eg_str eg_next_line(eg_str *text) {
    const char *end = memchr(text->ptr, '\n', text->len);
    eg_str line = {text->ptr, end ? (size_t)(end - text->ptr) : text->len};
    size_t used = line.len + (end != NULL);
    *text = (eg_str){text->ptr + used, text->len - used};
    return line;
}

eg_status eg_statement_add(eg_document *d, eg_str content, const char *scope, uint32_t line) {
    eg_statements *out = d->out;
    if (out->count == EG_MAX_CHECK_STATEMENTS)
        return eg_fail(d->err, EG_ELIMIT, "%.250s:%u: more than %d statements in all: check fewer documents at a time", d->name,
                       line, EG_MAX_CHECK_STATEMENTS);
    if (out->count == out->capacity) {
        size_t more = out->capacity ? 2 * out->capacity : 64;
        eg_check_item *p = eg_arena_array(out->arena, more, sizeof *p);
        if (!p) return eg_fail_memory(d->err, more * sizeof *p);
        if (out->count) memcpy(p, out->items, out->count * sizeof *p);
        out->items = p;
        out->capacity = more;
    }
    char *text = eg_arena_copy(out->arena, content), *where = eg_arena_copy(out->arena, eg_str_of(scope));
    if (!text || !where) return eg_fail_memory(d->err, content.len);
    out->items[out->count++] =
        (eg_check_item){.content = {text, content.len}, .scope = eg_str_of(where), .file = eg_str_of(d->name), .line = line};
    return EG_OK;
}
