/* block.c - see block.h. */
#include "tools/install/block.h"

#include <string.h>

/* Behind the begin line of a script that block_put() made as a new file. */
static const char new_file[] = " (new file)";

/* body: behind the line of the first mark; end: behind that of the last. */
typedef struct block_place {
    size_t start, body, end;
    int found;
} block_place;

static size_t next_line(eg_str t, size_t at) {
    const char *end = at < t.len ? memchr(t.ptr + at, '\n', t.len - at) : NULL;
    return end ? (size_t)(end - t.ptr) + 1 : t.len;
}

static int starts_with(eg_str t, size_t at, const char *word) {
    size_t n = strlen(word);
    return t.len - at >= n && memcmp(t.ptr + at, word, n) == 0;
}

static config_state locate(eg_str t, const marked_block *b, block_place *p, config_fault *fault) {
    int open = 0;
    *p = (block_place){0};
    for (size_t at = config_bom(t), next; at < t.len; at = next) {
        next = next_line(t, at);
        if (starts_with(t, at, b->begin)) {
            if (open || p->found) return config_refuse(fault, t, at, "the block of engram begins twice: remove one of the two");
            open = 1;
            p->start = at;
            p->body = next;
        } else if (starts_with(t, at, b->end)) {
            if (!open) return config_refuse(fault, t, at, "the block of engram ends here but does not begin: remove this line");
            open = 0;
            p->found = 1;
            p->end = next;
        }
    }
    if (open)
        return config_refuse(fault, t, p->start, "the block of engram begins here but does not end: add the line that ends it");
    return p->found ? CONFIG_OTHER : CONFIG_ABSENT;
}

/* The lines, and the last mark. */
static void add_body(eg_buffer *out, const marked_block *b, const char *newline, int ended) {
    for (const char *p = b->text; *p;) {
        size_t n = strcspn(p, "\n");
        eg_buffer_add(out, p, n);
        eg_buffer_text(out, newline);
        p += n + (p[n] == '\n');
    }
    eg_buffer_text(out, b->end);
    if (ended) eg_buffer_text(out, newline);
}

config_state block_find(eg_str text, const marked_block *b, config_fault *fault) {
    block_place p;
    eg_buffer body = {0};
    *fault = (config_fault){0};
    config_state state = locate(text, b, &p, fault);
    if (state != CONFIG_OTHER) return state;
    add_body(&body, b, config_newline(text), text.ptr[p.end - 1] == '\n');
    if (!body.failed && body.len == p.end - p.body && memcmp(body.ptr, text.ptr + p.body, body.len) == 0) state = CONFIG_SAME;
    eg_buffer_release(&body);
    return state;
}

/* Behind the first line of a script, if that says what runs it. */
static void put_first(eg_str t, const marked_block *b, eg_buffer *out) {
    const char *newline = config_newline(t);
    size_t at = t.ptr && starts_with(t, 0, "#!") ? next_line(t, 0) : 0;
    int ended = at == 0 || t.ptr[at - 1] == '\n';
    config_copy(out, t, 0, at);
    if (!t.ptr) eg_buffer_text(out, b->first);
    if (!ended) eg_buffer_text(out, newline);
    eg_buffer_format(out, "%s%s%s", b->begin, t.ptr ? "" : new_file, newline);
    add_body(out, b, newline, ended);
    config_copy(out, t, at, t.len);
}

void block_put(eg_str text, const marked_block *b, eg_buffer *out) {
    block_place p = {0};
    config_fault fault;
    const char *newline = config_newline(text);
    if (text.ptr) locate(text, b, &p, &fault);
    if (p.found) {
        config_copy(out, text, 0, p.body);
        add_body(out, b, newline, text.ptr[p.end - 1] == '\n');
        config_copy(out, text, p.end, text.len);
    } else if (b->first) {
        put_first(text, b, out);
    } else {
        int ended = config_open_end(text, out);
        eg_buffer_format(out, "%s%s", b->begin, newline);
        add_body(out, b, newline, ended);
    }
}

int block_take(eg_str text, const marked_block *b, eg_buffer *out) {
    block_place p;
    config_fault fault;
    size_t before = out->len;
    locate(text, b, &p, &fault);
    int ended = text.ptr[p.end - 1] == '\n', made = b->first && starts_with(text, p.start + strlen(b->begin), new_file);
    size_t start = b->first ? (ended ? p.start : config_before_newline(text, p.start)) : config_open_start(text, p.start, p.end);
    config_copy(out, text, 0, start);
    config_copy(out, text, p.end, text.len);
    if (!b->first) return out->len == before && ended;
    return made && out->len - before == strlen(b->first) && memcmp(out->ptr + before, b->first, strlen(b->first)) == 0;
}
