/* adoc_table.c - tables of AsciiDoc: "|===". A row is one line with all its cells, or as many cells
 * as the table has columns. */
#include "core/docs/adoc_table.h"

#include <ctype.h>
#include <string.h>

#include "core/docs/adoc_inline.h"

enum { MAX_COLUMNS = 32 };

typedef struct table {
    eg_front *front;
    eg_buffer cells[MAX_COLUMNS];
    size_t columns, at;  /* cells of the row so far */
    size_t number, rows; /* the line of the row */
    int has_head;
} table;

/* Columns of "[cols="1,2*,a"]"; 0: not said. */
static size_t columns_of(eg_str attributes) {
    const char *p = memmem(attributes.ptr, attributes.len, "cols=", 5), *end = attributes.ptr + attributes.len;
    if (!p) return 0;
    p += 5;
    char quote = p < end && *p == '"' ? *p++ : ']';
    size_t n = 0, times = 0;
    for (int is_new = 1; p < end && *p != quote; p++) {
        if (is_new) n++;
        is_new = *p == ',' || *p == ';';
        if (isdigit((unsigned char)*p)) times = 10 * (times % 100) + (size_t)(*p - '0');
        else if (*p == '*' && times) n += times - 1;
        else times = 0;
    }
    return n < MAX_COLUMNS ? n : MAX_COLUMNS;
}

static void end_row(table *t) {
    eg_str cells[MAX_COLUMNS];
    for (size_t i = 0; i < t->at; i++) cells[i] = (eg_str){t->cells[i].ptr ? t->cells[i].ptr : "", t->cells[i].len};
    if (t->at) eg_front_row(t->front, t->number, cells, t->at, t->rows++ == 0 && t->has_head);
    for (size_t i = 0; i < t->at; i++) t->cells[i].len = 0;
    t->at = 0;
}

/* The text of a cell, or more of the last one. */
static void add_text(table *t, eg_str text) {
    text = eg_trim_line(text);
    if (!t->at || !text.len) return;
    eg_buffer *b = &t->cells[t->at - 1];
    if (b->len) eg_buffer_text(b, " ");
    eg_adoc_inline(b, text);
}

static void begin_cell(table *t, size_t number) {
    if (t->at == MAX_COLUMNS || (t->columns && t->at == t->columns)) end_row(t);
    if (t->at == 0) t->number = number;
    t->at++;
}

/* Bytes before the next bar that begins a cell, without its specification ("2+", "a", ".3+^h");
 * *skip: up to behind the bar. */
static size_t before_bar(eg_str s, size_t *skip) {
    size_t bar = 0;
    while (bar < s.len && (s.ptr[bar] != '|' || (bar && s.ptr[bar - 1] == '\\'))) bar++;
    *skip = bar + 1;
    if (bar == s.len) return s.len;
    size_t end = bar;
    while (end && strchr("0123456789.+*<>^adehlmsv", s.ptr[end - 1]) && bar - end < 6) end--;
    return end == 0 || s.ptr[end - 1] == ' ' ? end : bar;
}

static void add_line(table *t, size_t number, eg_str line) {
    for (size_t skip, n; line.len; line = skip < line.len ? (eg_str){line.ptr + skip, line.len - skip} : (eg_str){line.ptr, 0}) {
        n = before_bar(line, &skip);
        add_text(t, (eg_str){line.ptr, n});
        if (skip <= line.len) begin_cell(t, number);
    }
}

static size_t bars(eg_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) n += s.ptr[i] == '|';
    return n;
}

void eg_adoc_table(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str attributes) {
    table t = {.front = f, .columns = columns_of(attributes)};
    while (from < to && !eg_source_has(s, from)) from++;
    if (from < to && !t.columns) t.columns = bars(s->lines[from].text);
    t.has_head = memmem(attributes.ptr, attributes.len, "header", 6) != NULL;
    if (from < to && bars(s->lines[from].text) == t.columns && !eg_source_has(s, from + 1)) t.has_head = 1;
    eg_front_line(f, from, 0, "", (eg_str){"", 0});
    for (size_t i = from; i < to; i++) add_line(&t, i, s->lines[i].text);
    end_row(&t);
    eg_front_line(f, to ? to - 1 : from, 0, "", (eg_str){"", 0});
    for (size_t i = 0; i < MAX_COLUMNS; i++) eg_buffer_release(&t.cells[i]);
}
