/* fake_host.h - a host for tests of toolsets and front ends: services without models, one setting,
 * and a memory that is made up: facts in an array, a conflict where two facts of a scope begin with
 * the same word. Records the last arguments of each operation. Any thread. */
#ifndef TEST_FAKE_HOST_H
#define TEST_FAKE_HOST_H

#include <pthread.h>

#include "tests/support/services.h"

enum { FAKE_FACTS = 512 };

typedef struct fake_host {
    eg_services services;
    eg_registrar registrar;

    pthread_mutex_t lock;
    int no_memory;           /* 1: there is no store */
    const char *scope;       /* the setting; NULL: none */
    size_t allocations_left; /* of requests; SIZE_MAX: no end */
    eg_status fail;          /* what every operation answers */
    uint64_t calls;          /* of operations */
    eg_str actor;            /* who asked for the last one */
    uint64_t clock, inside;  /* begins and ends are numbered; operations running now */
    eg_fact facts[FAKE_FACTS];
    size_t fact_count;
    eg_conflict conflicts[FAKE_FACTS];
    size_t conflict_count;

    /* the last arguments, texts copied */
    eg_commit_args commit;
    eg_str statements[EG_MAX_STATEMENTS]; /* of the commit */
    eg_query_args query;
    eg_resolve_args resolve;
    eg_judge_args judge;
    eg_check_args check;
    eg_list_args list;
    eg_timeline_args timeline;
    int64_t diff_from, diff_to;
    const char *marked; /* the last mark */
    eg_str reason;      /* of the last archive */
    eg_str check_first, check_scope, conflicts_scope, promote_id, lineage_id, feedback_id;
    int32_t conflicts_status;
    uint32_t conflicts_limit;
    int feedback;
    int64_t undo_id;
} fake_host;

void fake_host_init(fake_host *h);
void fake_host_release(fake_host *h);
/* Opens a plugin; its registrations are added. */
eg_status fake_host_open(fake_host *h, const eg_plugin *plugin, eg_error *err);
/* The operations; in fake_memory.c. */
extern const eg_memory_ops fake_memory_ops;
/* A copy that lives as long as the process's test: the host frees all of them at the end. */
eg_str fake_keep(eg_str s);
void fake_keep_release(void);
/* An id made of a number. */
eg_id fake_id(uint32_t kind, uint32_t n);

#endif
