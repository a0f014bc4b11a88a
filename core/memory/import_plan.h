/* import_plan.h - an import whose records were checked: what becomes of each of them in this
 * store, and the one change set that writes it. Called by import.c. */
#ifndef EG_MEMORY_IMPORT_PLAN_H
#define EG_MEMORY_IMPORT_PLAN_H

#include "core/memory/derive.h"
#include "core/memory/exchange.h"

/* What becomes of a fact of the file. */
typedef enum eg_import_fate {
    EG_IMPORT_NEW = 0,
    EG_IMPORT_KNOWN, /* the store has its id */
    EG_IMPORT_CLOSE, /* the same; it is current in the store and closed in the file */
    EG_IMPORT_EQUAL, /* a current fact of the store says the same */
    EG_IMPORT_APART  /* new; its lineage has another current fact in the store */
} eg_import_fate;

/* A fact of the file on its way. */
typedef struct eg_import_fact {
    const eg_exchange_record *record;
    eg_new_fact row;
    eg_derived derived;
    eg_statement_list given;
    uint32_t fate; /* eg_import_fate */
    eg_id here;    /* its id in the store: that of an equal fact, else its own */
    eg_id former;  /* the current fact of its lineage that this import closes; none */
} eg_import_fact;

/* A conflict of the file, or a fact, by its id. */
typedef struct eg_import_key {
    eg_id id;
    size_t at; /* index of the fact, or of the record of the conflict */
} eg_import_key;

typedef struct eg_importing {
    eg_memory *m;
    eg_request *rq;
    eg_imported *out;
    eg_arena arena;
    int dry_run;
    int64_t now; /* the store's */
    eg_exchange_record *records;
    size_t count, capacity;
    eg_import_fact *facts; /* of the records that are facts, in their order */
    size_t fact_count;
    eg_import_key *fact_keys, *conflict_keys; /* by id */
    size_t conflict_count;
} eg_importing;

/* Puts keys in the order in which they are found. */
void eg_import_sort(eg_import_key *keys, size_t n);
/* The place of an id, or NULL. */
const eg_import_key *eg_import_find(const eg_import_key *keys, size_t n, eg_id id);
/* Puts "line N: " before the message of the error record; returns s. */
eg_status eg_import_at(eg_importing *x, size_t line, eg_status s);
/* Compares what was checked with the store and, unless it is a dry run, writes it; EG_ECONFLICT
 * when another writer was faster. */
eg_status eg_import_decide(eg_importing *x);

#endif
