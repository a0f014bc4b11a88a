/* jsonc.c - see config_edit.h: a server as an object of JSON with comments and trailing commas. */
#include <string.h>

#include "tools/install/jsonc_write.h"

static config_state find(eg_str text, const config_entry *e, config_fault *fault) {
    jsonc_place p;
    config_state state = jsonc_find_entry(text, e, &p, fault);
    if (state != CONFIG_OTHER || text.ptr[p.table.match.value] != '{') return state;
    for (size_t i = 0; i < e->field_count; i++) {
        jsonc_object o = jsonc_read_object(text, p.table.match.value, e->fields[i].key);
        if (o.matches != 1 || !jsonc_same_value(text, &o.match, e->fields[i].value)) return CONFIG_OTHER;
    }
    return CONFIG_SAME;
}

/* ---- writing ---- */

static void add_field(const jsonc_writer *w, const config_field *f) {
    eg_buffer_json(w->out, eg_str_of(f->key));
    eg_buffer_text(w->out, ": ");
    eg_buffer_text(w->out, f->value);
}

static void add_value(const jsonc_writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, "{");
    for (size_t i = 0; i < w->e->field_count; i++) {
        if (i) eg_buffer_text(w->out, ",");
        jsonc_add_line(w, base, steps + 1);
        add_field(w, &w->e->fields[i]);
    }
    jsonc_add_line(w, base, steps);
    eg_buffer_text(w->out, "}");
}

static jsonc_writer writer_of(eg_str t, const config_entry *e, const jsonc_place *p, eg_buffer *out) {
    jsonc_writer w = jsonc_writer_of(t, e, p, out);
    w.add_value = add_value;
    return w;
}

/* The fields that the entry at `open` lacks, directly behind its bracket, in its manner. */
static void add_missing(const jsonc_writer *w, const jsonc_object *entry) {
    eg_str t = w->t;
    int lines = jsonc_begins_line(t, entry->first.key), added = 0;
    for (size_t i = 0; i < w->e->field_count; i++) {
        if (jsonc_read_object(t, entry->open, w->e->fields[i].key).matches) continue;
        if (lines) jsonc_add_line(w, jsonc_indent(t, entry->first.key), 0);
        else if (added) eg_buffer_text(w->out, " ");
        add_field(w, &w->e->fields[i]);
        eg_buffer_text(w->out, ",");
        added = 1;
    }
    if (added && !lines && !config_blank(t.ptr[entry->open + 1])) eg_buffer_text(w->out, " ");
}

/* Gives the entry the fields; each value stands where it stood, and all else stays. */
static void set_fields(const jsonc_writer *w, const jsonc_member *match) {
    eg_str t = w->t;
    jsonc_object entry = t.ptr[match->value] == '{' ? jsonc_read_object(t, match->value, "") : (jsonc_object){0};
    jsonc_member m;
    if (!entry.count) {
        config_copy(w->out, t, 0, match->value);
        add_value(w, jsonc_indent(t, match->key), 0);
        config_copy(w->out, t, match->value_end, t.len);
        return;
    }
    size_t at = entry.open + 1, next = at;
    config_copy(w->out, t, 0, at);
    add_missing(w, &entry);
    for (; jsonc_read_member(t, next, &m); next = m.comma == JSONC_NOWHERE ? m.value_end : m.comma + 1) {
        for (size_t i = 0; i < w->e->field_count; i++) {
            const config_field *f = &w->e->fields[i];
            if (!config_string_is((eg_str){t.ptr + m.key, m.key_end - m.key}, f->key) || jsonc_same_value(t, &m, f->value))
                continue;
            config_copy(w->out, t, at, m.value);
            eg_buffer_text(w->out, f->value);
            at = m.value_end;
        }
    }
    config_copy(w->out, t, at, t.len);
}

/* Removes from *text what `name` is in the entry, all but the first `keep` of them. */
static void remove_members(eg_buffer *text, const config_entry *e, const char *name, size_t keep) {
    while (!text->failed) {
        eg_str t = {text->ptr, text->len};
        jsonc_place p = jsonc_find_place(t, e);
        if (t.ptr[p.table.match.value] != '{') return;
        jsonc_object o = jsonc_read_object(t, p.table.match.value, name);
        eg_buffer less = {0};
        if (o.matches <= keep) return;
        jsonc_remove(t, &o, &less);
        eg_buffer_release(text);
        *text = less;
    }
}

static void replace(eg_str text, const config_entry *e, eg_buffer *out) {
    eg_buffer kept = {0};
    config_copy(&kept, text, 0, text.len);
    for (const char *const *name = e->foreign; name && *name; name++) remove_members(&kept, e, *name, 0);
    for (size_t i = 0; i < e->field_count; i++) remove_members(&kept, e, e->fields[i].key, 1);
    if (!kept.failed) {
        eg_str t = {kept.ptr, kept.len};
        jsonc_place p = jsonc_find_place(t, e);
        jsonc_writer w = writer_of(t, e, &p, out);
        set_fields(&w, &p.table.match);
    }
    out->failed |= kept.failed;
    eg_buffer_release(&kept);
}

static void put(eg_str text, const config_entry *e, eg_buffer *out) {
    jsonc_place p = jsonc_find_place(text, e);
    jsonc_writer w = writer_of(text, e, &p, out);
    if (p.root_at >= text.len) {
        jsonc_insert_root(&w, p.root_at);
    } else if (p.table.matches) {
        replace(text, e, out);
    } else {
        jsonc_insert(&w, p.has_table ? &p.table : &p.root, p.has_table ? JSONC_ENTRY : JSONC_TABLE);
    }
}

/* ---- taking away ---- */

/* The entry is written as put() writes it, whatever its values: no program has written it anew. */
static int is_as_put(eg_str t, const jsonc_place *p) {
    config_field fields[16];
    eg_buffer values[16] = {0}, made = {0};
    size_t n = 0;
    jsonc_member m;
    int is = t.ptr[p->table.match.value] == '{';
    for (size_t at = p->table.match.value + 1; is && jsonc_read_member(t, at, &m);
         at = m.comma == JSONC_NOWHERE ? m.value_end : m.comma + 1) {
        is = n < 16;
        if (!is) break;
        eg_buffer *b = &values[n];
        config_copy(b, t, m.key + 1, m.key_end - 1);
        eg_buffer_add(b, "", 1);
        size_t value = b->len;
        config_copy(b, t, m.value, m.value_end);
        eg_buffer_add(b, "", 1);
        if (b->failed) is = 0;
        else fields[n] = (config_field){b->ptr, b->ptr + value};
        n++;
    }
    const jsonc_member *match = &p->table.match;
    config_entry e = {.fields = fields, .field_count = n};
    if (is) {
        jsonc_writer w = writer_of(t, &e, p, &made);
        add_value(&w, jsonc_indent(t, match->key), 0);
    }
    is = is && !made.failed && made.len == match->value_end - match->value &&
         memcmp(made.ptr, t.ptr + match->value, made.len) == 0;
    for (size_t i = 0; i < 16; i++) eg_buffer_release(&values[i]);
    eg_buffer_release(&made);
    return is;
}

static int take(eg_str text, const config_entry *e, eg_buffer *out) {
    jsonc_place p = jsonc_find_place(text, e);
    if (p.nested || !jsonc_stands_alone(text, &p.table)) {
        jsonc_remove(text, &p.table, out);
    } else if (!jsonc_stands_alone(text, &p.root) || !is_as_put(text, &p)) {
        jsonc_remove(text, &p.root, out);
    } else {
        return jsonc_remove_root(text, &p, out);
    }
    return 0;
}

const config_format config_jsonc = {.find = find, .put = put, .take = take};
