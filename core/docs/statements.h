/* statements.h - the list that documents are read into. */
#ifndef EG_DOCS_STATEMENTS_H
#define EG_DOCS_STATEMENTS_H

#include "core/base/arena.h"
#include "core/include/engram/memory.h"

/* The statements of one or several documents. Begin with {.arena = ...}; items and strings live in the arena, so that the
 * documents may be freed once they were read. */
typedef struct eg_statements {
    eg_arena *arena;
    eg_check_item *items;
    size_t count, capacity;
} eg_statements;

#endif
