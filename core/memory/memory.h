/* memory.h - the memory's side towards the host: how it is made. What it needs stands in env.h,
 * what it offers is the table eg_memory_ops of engram/memory.h. Knows no SQL, no JSON-RPC, no
 * plugin by name. */
#ifndef EG_CORE_MEMORY_H
#define EG_CORE_MEMORY_H

#include "core/memory/env.h"

eg_status eg_memory_create(const eg_memory_env *env, eg_memory **out, eg_error *err);
/* Counts the query hits that still wait; the store must be open. */
void eg_memory_destroy(eg_memory *m);
const eg_memory_ops *eg_memory_table(void);

/* What the guard asks of each operation. The table names every function of eg_memory_ops. */
typedef struct eg_memory_operation {
    const char *name;
    uint32_t need;     /* eg_need */
    int without_store; /* 1: it does something without an open store too */
    size_t offset;     /* in eg_memory_ops */
} eg_memory_operation;
const eg_memory_operation *eg_memory_operations(size_t *n);

#endif
