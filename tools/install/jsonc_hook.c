/* jsonc_hook.c - see config_edit.h: a command that a client runs on an event, as Claude Code, Codex
 * CLI and Gemini CLI have them:
 *   "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "..."}]}]}
 * The entry's table and name are the two names; its only field is the command. Ours is known by
 * CONFIG_HOOK_MARK in the command, whatever program and options stand around it. */
#include <string.h>

#include "tools/install/jsonc_write.h"

/* ---- finding ---- */

/* The hook at `at` runs our command. */
static int is_ours(eg_str t, size_t at, const void *self) {
    (void)self;
    eg_buffer b = {0};
    if (t.ptr[at] != '{') return 0;
    jsonc_object o = jsonc_read_object(t, at, "command");
    if (!o.matches || t.ptr[o.match.value] != '"') return 0;
    config_add_string(&b, (eg_str){t.ptr + o.match.value, o.match.value_end - o.match.value});
    int is = !b.failed && memmem(b.ptr, b.len, CONFIG_HOOK_MARK, sizeof CONFIG_HOOK_MARK - 1) != NULL;
    eg_buffer_release(&b);
    return is;
}

/* The hooks of the group at `at`; open 0: it has none. */
static jsonc_object hooks_of(eg_str t, size_t at) {
    if (t.ptr[at] != '{') return (jsonc_object){0};
    jsonc_object o = jsonc_read_object(t, at, "hooks");
    if (!o.matches || t.ptr[o.match.value] != '[') return (jsonc_object){0};
    return jsonc_read_array(t, o.match.value, is_ours, NULL);
}

static int has_ours(eg_str t, size_t at, const void *self) {
    (void)self;
    return hooks_of(t, at).matches > 0;
}

static jsonc_object groups_of(eg_str t, const jsonc_place *p) {
    return jsonc_read_array(t, p->table.match.value, has_ours, NULL);
}

static config_state find(eg_str text, const config_entry *e, config_fault *fault) {
    jsonc_place p;
    config_state state = jsonc_find_entry(text, e, &p, fault);
    if (state != CONFIG_OTHER) return state;
    if (text.ptr[p.table.match.value] != '[')
        return config_refuse(fault, text, p.table.match.value, "an array, [...], should stand here");
    jsonc_object groups = groups_of(text, &p);
    if (!groups.matches) return CONFIG_ABSENT;
    jsonc_object hooks = hooks_of(text, groups.match.value);
    jsonc_object hook = jsonc_read_object(text, hooks.match.value, e->fields[0].key);
    return jsonc_same_value(text, &hook.match, e->fields[0].value) ? CONFIG_SAME : CONFIG_OTHER;
}

/* ---- writing ---- */

static void add_group(const jsonc_writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, "{");
    jsonc_add_line(w, base, steps + 1);
    eg_buffer_text(w->out, "\"hooks\": [");
    jsonc_add_line(w, base, steps + 2);
    eg_buffer_text(w->out, "{");
    jsonc_add_line(w, base, steps + 3);
    eg_buffer_text(w->out, "\"type\": \"command\",");
    jsonc_add_line(w, base, steps + 3);
    eg_buffer_format(w->out, "\"%s\": %s", w->e->fields[0].key, w->e->fields[0].value);
    jsonc_add_line(w, base, steps + 2);
    eg_buffer_text(w->out, "}");
    jsonc_add_line(w, base, steps + 1);
    eg_buffer_text(w->out, "]");
    jsonc_add_line(w, base, steps);
    eg_buffer_text(w->out, "}");
}

static void add_groups(const jsonc_writer *w, eg_str base, size_t steps) {
    eg_buffer_text(w->out, "[");
    jsonc_add_line(w, base, steps + 1);
    add_group(w, base, steps + 1);
    jsonc_add_line(w, base, steps);
    eg_buffer_text(w->out, "]");
}

static void put(eg_str text, const config_entry *e, eg_buffer *out) {
    jsonc_place p = jsonc_find_place(text, e);
    jsonc_writer w = jsonc_writer_of(text, e, &p, out);
    w.add_value = add_groups;
    if (p.root_at >= text.len) {
        jsonc_insert_root(&w, p.root_at);
    } else if (!p.table.matches) {
        jsonc_insert(&w, p.has_table ? &p.table : &p.root, p.has_table ? JSONC_ENTRY : JSONC_TABLE);
    } else {
        jsonc_object groups = groups_of(text, &p);
        if (groups.matches) {
            jsonc_object hooks = hooks_of(text, groups.match.value);
            jsonc_object hook = jsonc_read_object(text, hooks.match.value, e->fields[0].key);
            config_copy(out, text, 0, hook.match.value);
            eg_buffer_text(out, e->fields[0].value);
            config_copy(out, text, hook.match.value_end, text.len);
            return;
        }
        w.add_value = add_group;
        jsonc_insert(&w, &groups, JSONC_ELEMENT);
    }
}

/* The groups are written as put() writes them, whatever the command. */
static int is_as_put(eg_str t, const config_entry *e, const jsonc_place *p) {
    eg_buffer command = {0}, made = {0};
    const jsonc_member *match = &p->table.match;
    jsonc_object hooks = hooks_of(t, groups_of(t, p).match.value);
    jsonc_object hook = jsonc_read_object(t, hooks.match.value, e->fields[0].key);
    config_copy(&command, t, hook.match.value, hook.match.value_end);
    eg_buffer_add(&command, "", 1);
    config_field field = {e->fields[0].key, command.ptr};
    config_entry as_is = {.fields = &field, .field_count = 1};
    int is = 0;
    if (!command.failed) {
        jsonc_writer w = jsonc_writer_of(t, &as_is, p, &made);
        add_groups(&w, jsonc_indent(t, match->key), 0);
        is = !made.failed && made.len == match->value_end - match->value && memcmp(made.ptr, t.ptr + match->value, made.len) == 0;
    }
    eg_buffer_release(&command);
    eg_buffer_release(&made);
    return is;
}

static int take_last(eg_str text, const config_entry *e, eg_buffer *out) {
    jsonc_place p = jsonc_find_place(text, e);
    jsonc_object groups = groups_of(text, &p), hooks = hooks_of(text, groups.match.value);
    if (hooks.count > 1) {
        jsonc_remove(text, &hooks, out);
    } else if (groups.count > 1 || !jsonc_begins_line(text, groups.match.key)) {
        jsonc_remove(text, &groups, out);
    } else if (!jsonc_stands_alone(text, &p.table)) {
        jsonc_remove(text, &p.table, out);
    } else if (!jsonc_stands_alone(text, &p.root) || !is_as_put(text, e, &p)) {
        jsonc_remove(text, &p.root, out);
    } else {
        return jsonc_remove_root(text, &p, out);
    }
    return 0;
}

/* All of ours: a person may have copied one. */
static int take(eg_str text, const config_entry *e, eg_buffer *out) {
    eg_buffer less = {0};
    config_fault fault;
    int gone = take_last(text, e, &less);
    while (!gone && !less.failed && find((eg_str){less.ptr, less.len}, e, &fault) != CONFIG_ABSENT) {
        eg_buffer next = {0};
        gone = take_last((eg_str){less.ptr, less.len}, e, &next);
        eg_buffer_release(&less);
        less = next;
    }
    if (less.len) eg_buffer_add(out, less.ptr, less.len);
    out->failed |= less.failed;
    eg_buffer_release(&less);
    return gone;
}

const config_format config_hook = {.find = find, .put = put, .take = take};
