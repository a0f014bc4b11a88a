/* statements.h - the list that documents are read into. */
#ifndef EG_DOCS_STATEMENTS_H
#define EG_DOCS_STATEMENTS_H

#include "core/base/arena.h"
#include "core/include/engram/memory.h"

/* A comment in a document that says what is not to be reported: `engram: ignore` or `engram:
 * ignore-file`. */
typedef struct eg_ignore_mark {
    eg_str file;
    uint32_t line;   /* where it stands */
    uint32_t target; /* the line whose statements it is about; 0: the whole file */
} eg_ignore_mark;

/* What is known of a statement besides what the comparison needs. */
typedef struct eg_statement_place {
    uint32_t last_line; /* the one that it ends on */
    uint32_t mark;      /* index + 1 of the mark that is about it; 0: none */
} eg_statement_place;

/* The statements of one or several documents. Begin with {.arena = ...}; items and strings live in
 * the arena, so that the documents may be freed once they were read. */
typedef struct eg_statements {
    eg_arena *arena;
    eg_check_item *items;
    eg_statement_place *places; /* one an item */
    size_t count, capacity;
    eg_ignore_mark *marks; /* of all documents, in their order */
    size_t mark_count, mark_capacity;
} eg_statements;

#endif
