/* rst_tables.c - tables of reStructuredText: grid and simple tables, and the directives list-table
 * and csv-table. A cell of  several lines becomes one text; a row stands at its first line. */
#include "core/docs/rst_tables.h"

#include <string.h>

#include "core/docs/rst_inline.h"

enum { MAX_COLUMNS = 32 };

/* A row that is being collected. */
typedef struct row {
    eg_front *front;
    eg_buffer cells[MAX_COLUMNS];
    size_t count, number; /* columns; the line that it began on */
    int has_text;
} row;

static void add_cell(row *r, size_t column, size_t number, eg_str text) {
    text = eg_trim_line(text);
    if (column >= MAX_COLUMNS) return;
    if (column >= r->count) r->count = column + 1;
    if (!text.len) return;
    if (!r->has_text) r->number = number;
    r->has_text = 1;
    if (r->cells[column].len) eg_buffer_text(&r->cells[column], " ");
    eg_rst_inline(&r->cells[column], text);
}

/* The row is complete. */
static void end_row(row *r, int is_head) {
    eg_str cells[MAX_COLUMNS];
    for (size_t i = 0; i < r->count; i++) cells[i] = (eg_str){r->cells[i].ptr ? r->cells[i].ptr : "", r->cells[i].len};
    if (r->has_text) eg_front_row(r->front, r->number, cells, r->count, is_head);
    for (size_t i = 0; i < r->count; i++) r->cells[i].len = 0;
    r->has_text = 0;
}

static void release(row *r) {
    for (size_t i = 0; i < MAX_COLUMNS; i++) eg_buffer_release(&r->cells[i]);
}

/* The byte of a column: characters count, not bytes. */
static size_t byte_of(eg_str s, size_t column) {
    size_t i = 0;
    for (; i < s.len; i++)
        if (((unsigned char)s.ptr[i] & 0xC0) != 0x80 && column-- == 0) break;
    return i;
}

static int only(eg_str s, const char *signs) {
    for (size_t i = 0; i < s.len; i++)
        if (!strchr(signs, s.ptr[i])) return 0;
    return s.len > 0;
}

/* ---- grid tables ---- */

static int is_border(eg_str s) { return s.len > 2 && s.ptr[0] == '+' && only(s, "+-=:"); }

static void add_grid_line(row *r, size_t number, eg_str line) {
    size_t column = 0;
    line = (eg_str){line.ptr + 1, line.len - 1};
    while (line.len) {
        const char *bar = memchr(line.ptr, '|', line.len);
        size_t n = bar ? (size_t)(bar - line.ptr) : line.len;
        add_cell(r, column++, number, (eg_str){line.ptr, n});
        if (!bar) break;
        line = (eg_str){bar + 1, line.len - n - 1};
    }
    if (r->count > 1 && line.len == 0) r->count = column;
}

static size_t grid_table(row *r, const eg_source *s, size_t i) {
    int has_head = 0, rows = 0;
    for (size_t k = i; eg_source_has(s, k) && strchr("+|", s->lines[k].text.ptr[0]); k++)
        has_head |= is_border(s->lines[k].text) && memchr(s->lines[k].text.ptr, '=', s->lines[k].text.len);
    for (; eg_source_has(s, i) && strchr("+|", s->lines[i].text.ptr[0]); i++) {
        eg_str line = s->lines[i].text;
        if (line.ptr[0] == '|') add_grid_line(r, i, line);
        else if (r->has_text) end_row(r, has_head && rows++ == 0);
    }
    return i;
}

/* ---- simple tables ---- */

static int is_rule(eg_str s) { return s.len > 3 && s.ptr[0] == '=' && only(s, "= ") && memchr(s.ptr, ' ', s.len); }

/* The first column of each cell, from the rule. */
static size_t columns_of(eg_str rule, size_t *starts) {
    size_t n = 0;
    for (size_t i = 0; i < rule.len && n < MAX_COLUMNS; i++)
        if (rule.ptr[i] == '=' && (i == 0 || rule.ptr[i - 1] == ' ')) starts[n++] = i;
    return n;
}

static void add_simple_line(row *r, size_t number, eg_str line, const size_t *starts, size_t n) {
    for (size_t k = 0; k < n; k++) {
        size_t from = byte_of(line, starts[k]), to = k + 1 < n ? byte_of(line, starts[k + 1]) : line.len;
        eg_str cell = {line.ptr + from, to - from};
        if (k == 0 && eg_trim_line(cell).len && r->has_text) end_row(r, 0);
        add_cell(r, k, number, cell);
    }
}

/* The end of the table whose rule is at i: its last rule; i where there is none. *head: the rule
 * below the head, or i. */
static size_t simple_end(const eg_source *s, size_t i, size_t *head) {
    size_t rules[3] = {i, i, i}, n = 1;
    for (size_t k = i + 1; k < s->count && n < 3; k++) {
        if (!is_rule(s->lines[k].text)) continue;
        rules[n++] = k;
        if (!eg_source_has(s, k + 1)) break;
    }
    *head = n == 3 ? rules[1] : i;
    return n > 1 ? rules[n - 1] : i;
}

static size_t simple_table(row *r, const eg_source *s, size_t i) {
    size_t starts[MAX_COLUMNS], head, indent = s->lines[i].indent, n = columns_of(s->lines[i].text, starts);
    size_t end = simple_end(s, i, &head);
    if (end == i) return i;
    for (size_t k = i + 1; k < end; k++) {
        eg_str line = s->lines[k].raw;
        size_t skip = indent < line.len ? indent : line.len;
        if (k == head) end_row(r, 1);
        else if (eg_source_has(s, k) && !only(s->lines[k].text, "- "))
            add_simple_line(r, k, (eg_str){line.ptr + skip, line.len - skip}, starts, n);
    }
    end_row(r, 0);
    return end + 1;
}

size_t eg_rst_table(eg_front *f, const eg_source *s, size_t i) {
    eg_str line = s->lines[i].text;
    row r = {.front = f};
    size_t end = i;
    eg_front_line(f, i, 0, "", (eg_str){0});
    if (is_border(line)) end = grid_table(&r, s, i);
    else if (is_rule(line)) end = simple_table(&r, s, i);
    release(&r);
    if (end > i) eg_front_line(f, end - 1, 0, "", (eg_str){0});
    return end;
}

/* ---- directives ---- */

void eg_rst_list_table(eg_front *f, const eg_source *s, size_t from, size_t to, size_t head) {
    row r = {.front = f};
    size_t outer = SIZE_MAX, inner = SIZE_MAX, column = 0, rows = 0;
    eg_front_line(f, from, 0, "", (eg_str){0});
    for (size_t i = from; i < to; i++) {
        eg_str line = s->lines[i].text;
        size_t at = s->lines[i].indent;
        if (outer == SIZE_MAX && line.len) outer = at;
        if (line.len > 1 && strchr("*-", line.ptr[0]) && line.ptr[1] == ' ' && at == outer) {
            /* a row, with its first cell */
            if (r.has_text) end_row(&r, rows++ < head);
            column = 0;
            eg_str cell = eg_trim_line((eg_str){line.ptr + 2, line.len - 2});
            inner = at + (size_t)(cell.ptr - line.ptr);
            line = cell;
            if (line.len > 1 && strchr("*-", line.ptr[0]) && line.ptr[1] == ' ') line = (eg_str){line.ptr + 2, line.len - 2};
        } else if (line.len && strchr("*-", line.ptr[0]) && (line.len == 1 || line.ptr[1] == ' ') && at == inner) {
            column++;
            line = (eg_str){line.ptr + 1, line.len - 1};
        }
        add_cell(&r, column, i, line);
    }
    end_row(&r, rows < head);
    release(&r);
    eg_front_line(f, to ? to - 1 : from, 0, "", (eg_str){0});
}

/* Cuts the next value off *line: "a, "b, c", d". */
static eg_str next_value(eg_str *line) {
    *line = eg_trim_line(*line);
    int is_quoted = line->len && line->ptr[0] == '"';
    size_t i = (size_t)is_quoted;
    while (i < line->len && (is_quoted ? line->ptr[i] != '"' : line->ptr[i] != ',')) i++;
    eg_str value = {line->ptr + is_quoted, i - (size_t)is_quoted};
    while (i < line->len && line->ptr[i] != ',') i++;
    i += i < line->len;
    *line = (eg_str){line->ptr + i, line->len - i};
    return value;
}

static void csv_row(row *r, size_t number, eg_str line, int is_head) {
    for (size_t column = 0; line.len; column++) add_cell(r, column, number, next_value(&line));
    end_row(r, is_head);
}

void eg_rst_csv_table(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str header, size_t head) {
    row r = {.front = f};
    eg_front_line(f, from, 0, "", (eg_str){0});
    if (header.len) csv_row(&r, from, header, 1);
    for (size_t i = from; i < to; i++)
        if (eg_source_has(s, i)) csv_row(&r, i, s->lines[i].text, !header.len && head && head--);
    release(&r);
    eg_front_line(f, to ? to - 1 : from, 0, "", (eg_str){0});
}
