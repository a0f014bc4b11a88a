/* tokenize_stream.c - a tokenizer behind a pipe, for compare_tokenizers.py: tokenize_stream FOLDER
 * reads batches and answers each. All numbers are u32 in the machine's order. Request: n, then n
 * times: bytes of the first text, of the second (NONE: none), most, and the texts. Answer:
 * nanoseconds of the processor for the batch (u64), then n times: count, ids, types (bytes), begins
 * and ends of the tokens' texts. The time is without these, which are asked for once more (and end
 * it where the ids differ). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "models/tokenizer/tokenizer.h"

enum { HEAD = 3 };
#define NONE UINT32_MAX

typedef struct request {
    uint32_t head[HEAD]; /* bytes of the first text, of the second, most */
    char *first, *second;
    eg_tokens ids;
    uint8_t *types;
    eg_tokens with_sources;
} request;

static void need(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "tokenize_stream: %s\n", what);
    exit(1);
}

static char *read_text(uint32_t n) {
    char *text = malloc((size_t)n + 1);
    need(text && fread(text, 1, n, stdin) == n, "the text is cut off");
    return text;
}

static void read_request(request *r) {
    *r = (request){0};
    need(fread(r->head, sizeof(uint32_t), HEAD, stdin) == HEAD, "the head of a text is cut off");
    r->first = read_text(r->head[0]);
    r->second = r->head[1] == NONE ? NULL : read_text(r->head[1]);
}

static void answer(const eg_tokenizer *t, request *r, eg_tokens *ids) {
    eg_tokens first = {.has_sources = ids->has_sources}, second = first;
    eg_error err = {0};
    eg_status s = eg_tokenizer_encode(t, (eg_str){r->first, r->head[0]}, &first, &err);
    if (s == EG_OK && r->second) s = eg_tokenizer_encode(t, (eg_str){r->second, r->head[1]}, &second, &err);
    size_t around = 16, room = first.count + second.count + around, most = r->head[2] < room ? r->head[2] : room;
    free(r->types);
    r->types = malloc(most);
    need(s == EG_OK && r->types, err.text);
    s = eg_tokenizer_join(t, &first, r->second ? &second : NULL, most, ids, r->types, &err);
    need(s == EG_OK, err.text);
    eg_tokens_release(&first);
    eg_tokens_release(&second);
}

static void write_answer(request *r) {
    uint32_t count = (uint32_t)r->ids.count;
    fwrite(&count, sizeof count, 1, stdout);
    fwrite(r->ids.ids, sizeof *r->ids.ids, count, stdout);
    fwrite(r->types, 1, count, stdout);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t span[] = {(uint32_t)r->with_sources.sources[i].span.begin, (uint32_t)r->with_sources.sources[i].span.end};
        fwrite(span, sizeof span, 1, stdout);
    }
    eg_tokens_release(&r->ids);
    eg_tokens_release(&r->with_sources);
    free(r->types);
    free(r->first);
    free(r->second);
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    /* what others do on the machine does not count */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char **argv) {
    eg_arena arena;
    eg_error err = {0};
    const eg_tokenizer *t;
    uint32_t n;
    need(argc == 2, "usage: tokenize_stream FOLDER");
    eg_arena_init(&arena, 0);
    need(eg_tokenizer_open(argv[1], &arena, &t, &err) == EG_OK, err.text);
    while (fread(&n, sizeof n, 1, stdin) == 1) {
        request *all = calloc((size_t)n + 1, sizeof *all);
        need(all != NULL, "out of memory");
        for (uint32_t i = 0; i < n; i++) read_request(&all[i]);
        uint64_t begun = nanoseconds();
        for (uint32_t i = 0; i < n; i++) answer(t, &all[i], &all[i].ids);
        begun = nanoseconds() - begun;
        for (uint32_t i = 0; i < n; i++) {
            request *r = &all[i];
            r->with_sources.has_sources = 1;
            answer(t, r, &r->with_sources);
            need(r->ids.count == r->with_sources.count &&
                     memcmp(r->ids.ids, r->with_sources.ids, r->ids.count * sizeof *r->ids.ids) == 0,
                 "sources change the tokens");
        }
        fwrite(&begun, sizeof begun, 1, stdout);
        for (uint32_t i = 0; i < n; i++) write_answer(&all[i]);
        fflush(stdout);
        free(all);
    }
    eg_arena_release(&arena);
    return 0;
}
