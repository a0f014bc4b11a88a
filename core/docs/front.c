/* front.c - see front.h. */
#include "core/docs/front.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/status.h"
#include "core/docs/markdown.h"

static size_t indentation(eg_str line) {
    size_t columns = 0;
    for (size_t i = 0; i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t'); i++)
        columns = line.ptr[i] == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    return columns;
}

eg_status eg_source_read(eg_arena *arena, eg_str text, eg_source *out, eg_error *err) {
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++) n += text.ptr[i] == '\n';
    *out = (eg_source){.lines = eg_arena_array(arena, n, sizeof *out->lines)};
    if (!out->lines) return eg_fail_memory(err, n * sizeof *out->lines);
    while (text.len) {
        eg_str raw = eg_next_line(&text);
        out->lines[out->count++] = (eg_source_line){eg_trim_line(raw), indentation(raw), raw};
    }
    return EG_OK;
}

eg_source_line eg_source_at(const eg_source *s, size_t i) {
    return i < s->count ? s->lines[i] : (eg_source_line){.text = {"", 0}, .raw = {"", 0}};
}

int eg_source_has(const eg_source *s, size_t i) { return i < s->count && s->lines[i].text.len > 0; }

/* Notes where the line that is added next comes from. */
static int begin_line(eg_front *f, size_t number) {
    if (f->failed) return 0;
    if (f->count == f->capacity) {
        size_t more = f->capacity ? 2 * f->capacity : 256;
        uint32_t *p = realloc(f->lines, more * sizeof *p);
        if (!p) return f->failed = 1, 0;
        f->lines = p;
        f->capacity = more;
    }
    f->lines[f->count++] = (uint32_t)number + 1;
    return 1;
}

void eg_front_line(eg_front *f, size_t number, size_t blanks, const char *prefix, eg_str text) {
    if (!begin_line(f, number)) return;
    while (blanks--) eg_buffer_add(&f->text, " ", 1);
    eg_buffer_text(&f->text, prefix);
    eg_buffer_add(&f->text, text.ptr, text.len);
    eg_buffer_add(&f->text, "\n", 1);
}

void eg_front_inline(eg_front *f, size_t number, size_t blanks, const char *prefix, eg_str text,
                     void (*read)(eg_buffer *, eg_str)) {
    eg_buffer b = {0};
    read(&b, text);
    eg_front_line(f, number, blanks, prefix, (eg_str){b.ptr ? b.ptr : "", b.len});
    if (b.failed) f->failed = 1;
    eg_buffer_release(&b);
}

void eg_front_code(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str language) {
    size_t least = SIZE_MAX;
    while (to > from && !eg_source_has(s, to - 1)) to--;
    if (from == to) return;
    for (size_t i = from; i < to; i++)
        if (eg_source_has(s, i) && s->lines[i].indent < least) least = s->lines[i].indent;
    eg_front_line(f, from, 0, "", (eg_str){0});
    eg_front_line(f, from, 0, "~~~~~~~~", language);
    for (size_t i = from; i < to; i++)
        eg_front_line(f, i, eg_source_has(s, i) ? s->lines[i].indent - least : 0, "", s->lines[i].text);
    eg_front_line(f, to - 1, 0, "~~~~~~~~", (eg_str){0});
}

void eg_front_row(eg_front *f, size_t number, const eg_str *cells, size_t n, int is_head) {
    if (!begin_line(f, number)) return;
    eg_buffer_text(&f->text, "|");
    for (size_t i = 0; i < n; i++) {
        eg_buffer_text(&f->text, " ");
        for (size_t k = 0; k < cells[i].len; k++) /* a bar in a cell would end it */
            eg_buffer_add(&f->text, cells[i].ptr[k] == '|' ? "/" : cells[i].ptr + k, 1);
        eg_buffer_text(&f->text, " |");
    }
    eg_buffer_text(&f->text, "\n");
    if (!is_head || !begin_line(f, number)) return;
    eg_buffer_text(&f->text, "|");
    for (size_t i = 0; i < n; i++) eg_buffer_text(&f->text, "---|");
    eg_buffer_text(&f->text, "\n");
}

eg_status eg_front_read(eg_front *f, eg_document *d) {
    eg_status s = EG_OK;
    if (f->failed || f->text.failed) s = eg_fail_memory(d->err, f->text.len);
    d->lines = f->lines;
    d->line_count = f->count;
    if (s == EG_OK && f->text.len) s = eg_markdown_read(d, (eg_str){f->text.ptr, f->text.len});
    d->lines = NULL;
    eg_front_release(f);
    return s;
}

void eg_front_release(eg_front *f) {
    eg_buffer_release(&f->text);
    free(f->lines);
    *f = (eg_front){0};
}
