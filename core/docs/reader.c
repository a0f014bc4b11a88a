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

static uint32_t line_of_file(const eg_document *d, uint32_t line) {
    if (!d->lines) return line;
    return d->lines[(line <= d->line_count ? line : d->line_count) - 1];
}

/* *p with room for one more of `size` bytes; NULL where there is no memory. */
static void *grown(eg_arena *arena, void *p, size_t count, size_t more, size_t size) {
    void *q = eg_arena_array(arena, more, size);
    if (q && count) memcpy(q, p, count * size);
    return q;
}

eg_status eg_statement_add(eg_document *d, eg_str content, const char *scope, uint32_t first, uint32_t last) {
    eg_statements *out = d->out;
    uint32_t line = line_of_file(d, first);
    if (out->count == EG_MAX_CHECK_STATEMENTS)
        return eg_fail(d->err, EG_ELIMIT, "%.250s:%u: more than %d statements in all: check fewer documents at a time", d->name,
                       line, EG_MAX_CHECK_STATEMENTS);
    if (out->count == out->capacity) {
        size_t more = out->capacity ? 2 * out->capacity : 64;
        eg_check_item *items = grown(out->arena, out->items, out->count, more, sizeof *items);
        eg_statement_place *places = grown(out->arena, out->places, out->count, more, sizeof *places);
        if (!items || !places) return eg_fail_memory(d->err, more * sizeof *items);
        out->items = items;
        out->places = places;
        out->capacity = more;
    }
    char *text = eg_arena_copy(out->arena, content), *where = eg_arena_copy(out->arena, eg_str_of(scope));
    if (!text || !where) return eg_fail_memory(d->err, content.len);
    out->places[out->count] = (eg_statement_place){.last_line = line_of_file(d, last)};
    out->items[out->count++] =
        (eg_check_item){.content = {text, content.len}, .scope = eg_str_of(where), .file = eg_str_of(d->name), .line = line};
    return EG_OK;
}

/* 1 and *rest: what follows it, when s begins with the word, blanks before it aside. */
static int skip_word(eg_str s, const char *word, eg_str *rest) {
    size_t n = strlen(word);
    s = eg_trim_line(s);
    if (s.len < n || memcmp(s.ptr, word, n) != 0) return 0;
    *rest = (eg_str){s.ptr + n, s.len - n};
    return 1;
}

/* The line of the text behind `line` that has something on it; the one behind where none has. */
static uint32_t next_line_with_text(uint32_t line, eg_str rest) {
    for (uint32_t next = line + 1; rest.len; next++)
        if (eg_trim_line(eg_next_line(&rest)).len) return next;
    return line + 1;
}

eg_status eg_mark_comment(eg_document *d, eg_str comment, uint32_t line, int alone, eg_str rest) {
    eg_statements *out = d->out;
    eg_str s = comment;
    if (!skip_word(s, "engram:", &s) || !skip_word(s, "ignore", &s)) return EG_OK;
    int whole = skip_word(s, "-file", &s);
    /* another word, such as "ignored" */
    if (s.len && (isalnum((unsigned char)s.ptr[0]) || s.ptr[0] == '_')) return EG_OK;
    if (out->mark_count == out->mark_capacity) {
        size_t more = out->mark_capacity ? 2 * out->mark_capacity : 16;
        eg_ignore_mark *p = grown(out->arena, out->marks, out->mark_count, more, sizeof *p);
        if (!p) return eg_fail_memory(d->err, more * sizeof *p);
        out->marks = p;
        out->mark_capacity = more;
    }
    uint32_t target = alone ? next_line_with_text(line, rest) : line;
    d->ignored |= whole;
    out->marks[out->mark_count++] = (eg_ignore_mark){
        .file = eg_str_of(d->name), .line = line_of_file(d, line), .target = whole ? 0 : line_of_file(d, target)};
    return EG_OK;
}
