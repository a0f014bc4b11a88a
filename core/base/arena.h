/* arena.h - memory of one request, job or loaded file: allocated piece by piece, given back all at
 * once. Not for objects that outlive their request. Thread class: one thread at a time. */
#ifndef EG_BASE_ARENA_H
#define EG_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "core/include/engram/status.h"

struct eg_arena_block;

typedef struct eg_arena {
    struct eg_arena_block *head; /* the block being filled; NULL at first */
    size_t used;                 /* bytes handed out of all blocks */
    size_t limit;                /* bytes that may be handed out; 0: no limit */
} eg_arena;

/* No allocation yet. limit 0 means none. */
void eg_arena_init(eg_arena *a, size_t limit);
/* Gives everything back; a may be used again at once. */
void eg_arena_release(eg_arena *a);

/* size bytes aligned for any type, zeroed; NULL when memory or the limit is exhausted. Also for
 * size 0. */
void *eg_arena_alloc(eg_arena *a, size_t size);
/* n * size with the overflow check. */
void *eg_arena_array(eg_arena *a, size_t n, size_t size);
/* A NUL-terminated copy; NULL as above. */
char *eg_arena_copy(eg_arena *a, eg_str s);
/* printf into the arena, NUL-terminated; NULL as above. */
__attribute__((format(printf, 2, 3))) char *eg_arena_printf(eg_arena *a, const char *format, ...);
__attribute__((format(printf, 2, 0))) char *eg_arena_vprintf(eg_arena *a, const char *format, va_list ap);

#endif
