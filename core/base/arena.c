/* arena.c - bump allocation in blocks that double up to 1 MiB. See arena.h. */
#include "core/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/size.h"

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

typedef struct eg_arena_block {
    struct eg_arena_block *next;
    size_t size, used; /* of bytes[] */
    alignas(max_align_t) char bytes[];
} block;

void eg_arena_init(eg_arena *a, size_t limit) { *a = (eg_arena){.limit = limit}; }

void eg_arena_release(eg_arena *a) {
    block *b = a->head;
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
    a->head = NULL;
    a->used = 0;
}

static block *block_create(eg_arena *a, size_t need) {
    size_t size = a->head ? a->head->size * 2 : FIRST_BLOCK, total;
    if (size > LARGEST_BLOCK) size = LARGEST_BLOCK;
    if (size < need) size = need;
    if (!eg_size_add(size, sizeof(block), &total)) return NULL;
    block *b = malloc(total);
    if (!b) return NULL;
    *b = (block){.next = a->head, .size = size};
    a->head = b;
    return b;
}

void *eg_arena_alloc(eg_arena *a, size_t size) {
    size_t rounded, total;
    if (!eg_size_round_up(size ? size : 1, alignof(max_align_t), &rounded)) return NULL;
    if (!eg_size_add(a->used, rounded, &total)) return NULL;
    if (a->limit && total > a->limit) return NULL;
    block *b = a->head;
    if (!b || b->size - b->used < rounded) {
        b = block_create(a, rounded);
        if (!b) return NULL;
    }
    void *p = b->bytes + b->used;
    b->used += rounded;
    a->used = total;
    return memset(p, 0, rounded);
}

void *eg_arena_array(eg_arena *a, size_t n, size_t size) {
    size_t bytes;
    return eg_size_mul(n, size, &bytes) ? eg_arena_alloc(a, bytes) : NULL;
}

char *eg_arena_copy(eg_arena *a, eg_str s) {
    size_t bytes;
    if (!eg_size_add(s.len, 1, &bytes)) return NULL;
    char *p = eg_arena_alloc(a, bytes);
    if (p && s.len) memcpy(p, s.ptr, s.len);
    return p;
}

char *eg_arena_vprintf(eg_arena *a, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    char *p = n < 0 ? NULL : eg_arena_alloc(a, (size_t)n + 1);
    if (p) vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

char *eg_arena_printf(eg_arena *a, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *p = eg_arena_vprintf(a, format, ap);
    va_end(ap);
    return p;
}
