/* front.h - what a reader of another format writes: the document as Markdown, and for each line of
 * it the line of the file that  it came from. Private to this folder. */
#ifndef EG_DOCS_FRONT_H
#define EG_DOCS_FRONT_H

#include "core/base/json.h"
#include "core/docs/reader.h"

typedef struct eg_front {
    eg_buffer text;
    uint32_t *lines; /* on the heap */
    size_t count, capacity;
    int failed; /* no memory; later lines do nothing */
} eg_front;

/* A line of the file. */
typedef struct eg_source_line {
    eg_str text;   /* without the blanks around */
    size_t indent; /* columns before it; a tab goes to the next multiple of 8 */
    eg_str raw;
} eg_source_line;

typedef struct eg_source {
    eg_source_line *lines;
    size_t count;
} eg_source;

/* The lines of a text, in the arena. EG_ENOMEM. */
eg_status eg_source_read(eg_arena *arena, eg_str text, eg_source *out, eg_error *err);
/* The line, a blank one where there is none. */
eg_source_line eg_source_at(const eg_source *s, size_t i);
/* 1 when a line i is there and has text. */
int eg_source_has(const eg_source *s, size_t i);

/* Adds a line: blanks, a prefix and a text. number: of the line of the file, from 0. */
void eg_front_line(eg_front *f, size_t number, size_t blanks, const char *prefix, eg_str text);
/* The same with a text whose inline markup is read. */
void eg_front_inline(eg_front *f, size_t number, size_t blanks, const char *prefix, eg_str text,
                     void (*read)(eg_buffer *, eg_str));
/* Adds the source lines from..to between fences, without the indentation that all of them have. */
void eg_front_code(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str language);
/* Adds a row of a table, or its head with the rule below. */
void eg_front_row(eg_front *f, size_t number, const eg_str *cells, size_t n, int is_head);
/* Has the Markdown read as part of the document, and releases the front. EG_ENOMEM and what the
 * reader returns. */
eg_status eg_front_read(eg_front *f, eg_document *d);
void eg_front_release(eg_front *f);

#endif
