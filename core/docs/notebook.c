/* notebook.c - see notebook.h. Format: nbformat 4, "cells": [{"cell_type": "markdown", "source":
 * "..." or ["...", ...]}]. */
#include "core/docs/notebook.h"

#include <string.h>

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/docs/front.h"

typedef struct cell {
    eg_buffer text;
    int is_markdown;
    uint32_t first, last, pieces; /* lines of the file that its source stands on; texts that it
                                   * consists of */
    int is_irregular;             /* a piece is not one line of text */
} cell;

typedef struct reader {
    eg_document *document;
    eg_json json;
    const char *counted; /* up to here lines were counted */
    uint32_t line;
    int has_cells;
} reader;

/* The line of the file that the reader of JSON is on. */
static uint32_t line_now(reader *r) {
    for (; r->counted < r->json.p; r->counted++) r->line += *r->counted == '\n';
    return r->line;
}

static void add_text(reader *r, cell *c, eg_str text) {
    const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    c->last = line_now(r);
    if (!c->pieces++) c->first = c->last;
    if ((end && end + 1 < text.ptr + text.len) || (c->text.len && c->text.ptr[c->text.len - 1] != '\n')) c->is_irregular = 1;
    eg_buffer_add(&c->text, text.ptr, text.len);
}

/* The value of "source", whose first token was read: a text or an array of texts. */
static void read_source(reader *r, eg_json_kind k, cell *c) {
    if (k == EG_JSON_STRING) add_text(r, c, r->json.text);
    if (k != EG_JSON_ARRAY) return;
    while ((k = eg_json_next(&r->json)) == EG_JSON_STRING) add_text(r, c, r->json.text);
    if (k != EG_JSON_ARRAY_END) eg_json_fail(&r->json, "the source of a cell must be a text or a list of texts");
}

/* A cell, whose '{' was read. */
static void read_members(reader *r, cell *c) {
    for (eg_json_kind k; (k = eg_json_next(&r->json)) == EG_JSON_KEY;) {
        int type = eg_str_eq(r->json.text, EG_STR("cell_type")), source = eg_str_eq(r->json.text, EG_STR("source"));
        k = eg_json_next(&r->json);
        if (type) c->is_markdown = k == EG_JSON_STRING && eg_str_eq(r->json.text, EG_STR("markdown"));
        if (source) read_source(r, k, c);
        else eg_json_skip(&r->json);
    }
}

static eg_status read_markdown(eg_document *d, const cell *c) {
    eg_front front = {0};
    int on_one_line = c->is_irregular || c->last - c->first + 1 != c->pieces;
    size_t number = c->first - 1;
    for (eg_str rest = {c->text.ptr, c->text.len}; rest.len; number += !on_one_line)
        eg_front_line(&front, number, 0, "", eg_next_line(&rest));
    return eg_front_read(&front, d);
}

static eg_status read_cell(reader *r) {
    eg_document *d = r->document;
    cell c = {0};
    read_members(r, &c);
    eg_status s = r->json.kind == EG_JSON_ERROR ? EG_EFORMAT : EG_OK;
    if (s == EG_OK && c.text.failed) s = eg_fail_memory(d->err, c.text.len);
    if (s == EG_OK && c.is_markdown && c.text.len) s = read_markdown(d, &c);
    eg_buffer_release(&c.text);
    return s;
}

static eg_status read_cells(reader *r) {
    r->has_cells = 1;
    eg_status s = EG_OK;
    while (s == EG_OK && eg_json_next(&r->json) == EG_JSON_OBJECT) s = read_cell(r);
    return s;
}

eg_status eg_notebook_read(eg_document *d, eg_str text) {
    reader r = {.document = d, .counted = text.ptr, .line = 1};
    eg_status s = EG_OK;
    eg_json_init(&r.json, d->name, text, d->out->arena, d->err);
    for (eg_json_kind k = eg_json_next(&r.json); s == EG_OK && k != EG_JSON_END; k = eg_json_next(&r.json)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_KEY || r.json.depth != 1) continue;
        int cells = eg_str_eq(r.json.text, EG_STR("cells"));
        k = eg_json_next(&r.json);
        if (cells && k == EG_JSON_ARRAY) s = read_cells(&r);
        else eg_json_skip(&r.json);
    }
    if (s == EG_OK && !r.has_cells)
        return eg_fail(d->err, EG_EFORMAT, "%.250s: not a notebook: it has no list \"cells\"; save it as nbformat 4", d->name);
    return s;
}
