/* read_statements.c - what Engram reads out of facts, for bench/statements.py: a line {"content":
 * "..."} in, a line out with the statements, [{"start", "end", "kind", "alone"}]. With --split:
 * only where sentences end. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/text/text.h"

static void print(eg_buffer *b, const eg_statement *s, size_t n, eg_str content) {
    b->len = 0;
    eg_buffer_text(b, "[");
    for (size_t i = 0; i < n; i++) {
        eg_buffer_format(b, "%s{\"start\":%u,\"end\":%u,\"kind\":%u,\"alone\":", i ? "," : "", s[i].span.start, s[i].span.end,
                         s[i].kind);
        eg_buffer_json(b, eg_statement_text(content, &s[i]));
        eg_buffer_text(b, "}");
    }
    eg_buffer_text(b, "]\n");
    fwrite(b->ptr, 1, b->len, stdout);
}

/* The content of a line {"content": "..."}; 0: it has none. */
static int content_of(eg_str line, eg_arena *arena, eg_error *err, eg_str *content) {
    eg_json j;
    eg_json_init(&j, "input", line, arena, err);
    while (eg_json_next(&j) > EG_JSON_END && j.kind != EG_JSON_ERROR)
        if (j.kind == EG_JSON_KEY && eg_str_eq(j.text, EG_STR("content")) && eg_json_next(&j) == EG_JSON_STRING) {
            *content = j.text;
            return 1;
        }
    return 0;
}

static size_t split(eg_str content, eg_statement *out) {
    eg_span spans[EG_MAX_STATEMENTS];
    size_t n = eg_text_statements(content, spans, EG_MAX_STATEMENTS);
    for (size_t i = 0; i < n; i++) out[i] = (eg_statement){.span = spans[i]};
    return n;
}

int main(int argc, char **argv) {
    int plain = argc > 1 && strcmp(argv[1], "--split") == 0, status = 0;
    eg_statement out[EG_MAX_STATEMENTS];
    eg_buffer b = {0};
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t n; status == 0 && (n = getline(&line, &capacity, stdin)) > 0;) {
        eg_arena arena;
        eg_error err = {.text = "a line without \"content\""};
        eg_str content;
        size_t count = 0;
        eg_arena_init(&arena, 0);
        if (!content_of((eg_str){line, (size_t)n}, &arena, &err, &content)) status = 1;
        else if (plain) count = split(content, out);
        else status = eg_text_read_statements(&arena, content, out, EG_MAX_STATEMENTS, &count, &err) != EG_OK;
        if (status) fprintf(stderr, "bench_statements: %s\n", err.text);
        else print(&b, out, count, content);
        eg_arena_release(&arena);
    }
    eg_buffer_release(&b);
    free(line);
    return status;
}
