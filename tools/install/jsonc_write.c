/* jsonc_write.c - see jsonc_write.h. */
#include "tools/install/jsonc_write.h"

#include <string.h>

jsonc_writer jsonc_writer_of(eg_str t, const config_entry *e, const jsonc_place *p, eg_buffer *out) {
    jsonc_writer w = {.t = t, .e = e, .newline = config_newline(t), .unit = EG_STR("  "), .out = out};
    if (!p->root.count || !jsonc_begins_line(t, p->root.first.key)) return w;
    eg_str inner = jsonc_indent(t, p->root.first.key), outer = jsonc_indent(t, p->root_at);
    if (inner.len > outer.len) w.unit = (eg_str){inner.ptr + outer.len, inner.len - outer.len};
    return w;
}

void jsonc_add_line(const jsonc_writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, w->newline);
    config_copy(w->out, base, 0, base.len);
    for (size_t i = 0; i < steps; i++) config_copy(w->out, w->unit, 0, w->unit.len);
}

static void add_part(const jsonc_writer *w, jsonc_part part, eg_str base, size_t steps) {
    if (part == JSONC_TABLE) {
        eg_buffer_json(w->out, eg_str_of(w->e->table));
        eg_buffer_text(w->out, ": {");
        jsonc_add_line(w, base, steps + 1);
    }
    if (part != JSONC_ELEMENT) {
        eg_buffer_json(w->out, eg_str_of(w->e->name));
        eg_buffer_text(w->out, ": ");
    }
    w->add_value(w, base, steps + (part == JSONC_TABLE));
    if (part != JSONC_TABLE) return;
    jsonc_add_line(w, base, steps);
    eg_buffer_text(w->out, "}");
}

void jsonc_insert(const jsonc_writer *w, const jsonc_object *o, jsonc_part part) {
    eg_str t = w->t;
    if (!o->count) {
        config_copy(w->out, t, 0, o->open + 1);
        add_part(w, part, jsonc_indent(t, o->open), 0);
        config_copy(w->out, t, o->open + 1, t.len);
        return;
    }
    int remark, trailing = o->last.comma != JSONC_NOWHERE;
    size_t end = o->last.value_end, at = jsonc_skip_remarks(t, trailing ? o->last.comma + 1 : end, &remark);
    eg_str base = jsonc_indent(t, o->last.key);
    config_copy(w->out, t, 0, trailing ? at : end);
    if (!trailing) {
        eg_buffer_text(w->out, ",");
        config_copy(w->out, t, end, at);
    }
    if (remark || jsonc_begins_line(t, o->last.key)) jsonc_add_line(w, base, 0);
    else eg_buffer_text(w->out, " ");
    add_part(w, part, base, 0);
    if (trailing) eg_buffer_text(w->out, ",");
    config_copy(w->out, t, at, t.len);
}

void jsonc_insert_root(const jsonc_writer *w, size_t root_at) {
    size_t comment, from = config_bom(w->t);
    if (w->t.len) jsonc_skip_blank(w->t, from, &comment);
    else comment = JSONC_NOWHERE;
    size_t at = comment == JSONC_NOWHERE ? root_at : from;
    eg_str base = w->t.len ? jsonc_indent(w->t, at) : EG_STR("");
    config_copy(w->out, w->t, 0, at);
    eg_buffer_text(w->out, "{");
    jsonc_add_line(w, base, 1);
    add_part(w, JSONC_TABLE, base, 1);
    jsonc_add_line(w, base, 0);
    eg_buffer_text(w->out, "}");
    config_copy(w->out, w->t, at, w->t.len);
    if (!w->t.ptr) eg_buffer_text(w->out, w->newline);
}

/* Where the blank before a member begins: what jsonc_insert() set before it. */
static size_t blank_before(eg_str t, size_t at) {
    while (at > 0 && config_blank(t.ptr[at - 1])) at--;
    if (at > 0 && t.ptr[at - 1] == '\n') at--;
    else return at;
    return at > 0 && t.ptr[at - 1] == '\r' ? at - 1 : at;
}

void jsonc_remove(eg_str t, const jsonc_object *o, eg_buffer *out) {
    const jsonc_member *m = &o->match;
    size_t start = blank_before(t, m->key), end = m->comma == JSONC_NOWHERE ? m->value_end : m->comma + 1, behind = end, comment;
    /* what follows on the line must not come to stand in a comment above it */
    jsonc_skip_blank((eg_str){t.ptr, start}, o->has_before ? o->before.comma + 1 : o->open + 1, &comment);
    while (behind < t.len && config_blank(t.ptr[behind])) behind++;
    if (comment != JSONC_NOWHERE && t.ptr[behind] != '\n' && t.ptr[behind] != '\r') start = m->key;
    if (m->comma == JSONC_NOWHERE && o->has_before) {
        config_copy(out, t, 0, o->before.comma);
        config_copy(out, t, o->before.comma + 1, start);
    } else {
        config_copy(out, t, 0, start);
    }
    config_copy(out, t, end, t.len);
}

int jsonc_stands_alone(eg_str t, const jsonc_object *o) {
    const jsonc_member *m = &o->match;
    if (o->count != 1 || m->comma != JSONC_NOWHERE) return 0;
    size_t at = o->open + 1;
    if (t.ptr[at] != '\n' && t.ptr[at] != '\r') return 0;
    while (at < m->key && strchr(" \t\r\n", t.ptr[at])) at++;
    size_t end = m->value_end;
    while (end < o->close && strchr(" \t\r\n", t.ptr[end])) end++;
    return at == m->key && end == o->close;
}

int jsonc_remove_root(eg_str t, const jsonc_place *p, eg_buffer *out) {
    const char *newline = config_newline(t);
    config_copy(out, t, 0, p->root_at);
    config_copy(out, t, p->root.close + 1, t.len);
    return p->root_at == 0 && out->len == strlen(newline) && memcmp(out->ptr, newline, out->len) == 0;
}
