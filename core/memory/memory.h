/* memory.h - the memory's side towards the host: what it needs, how it is made. What it offers is the table
 * eg_memory_ops of engram/memory.h. Knows no SQL, no JSON-RPC, no plugin by name. */
#ifndef EG_CORE_MEMORY_H
#define EG_CORE_MEMORY_H

#include "core/base/clock.h"
#include "core/include/engram/plugin.h"

typedef struct eg_detector_slot {
    eg_detector detector; /* the host's copy of the plugin's table */
    void *self;
} eg_detector_slot;
typedef struct eg_gate_slot {
    eg_gate gate;
    void *self;
} eg_gate_slot;

typedef struct eg_case_source eg_case_source; /* who answers the questions of a detector about its case: internal.h */

/* What a request that is made inside core takes from its job or from the request that it works for. */
typedef struct eg_inner_request {
    eg_str workspace, actor;
    eg_cancel cancel;
    eg_error *err;          /* NULL: a record of its own */
    eg_case_source *source; /* of the detector that it is for; NULL elsewhere */
} eg_inner_request;

/* Everything lives as long as the memory. */
typedef struct eg_memory_env {
    const eg_services *services;
    const eg_storage_ops *storage_ops; /* NULL: no store; only check() works */
    eg_storage *storage;
    const eg_detector_slot *detectors; /* any order */
    size_t detector_count;
    const eg_gate_slot *gates;
    size_t gate_count;
    /* The active embedding model: its id (hex) and size; loads it when asked first. EG_EUNAVAILABLE with the reason
     * when there is none. Thread class: any. */
    eg_status (*embed_model)(void *host, eg_str *model_id, uint32_t *dimensions, eg_error *err);
    /* Its id without loading it; EG_EUNAVAILABLE when there is none. Thread class: any. */
    eg_status (*embed_id)(void *host, eg_str *model_id, eg_error *err);
    /* As the service embed, for what facts are looked for with: models may want another prompt before it. NULL: embed. */
    eg_status (*embed_query)(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions);
    /* Folder and problem of both models without loading them, for status. */
    void (*describe_models)(void *host, eg_memory_status *out);
    /* A request of its own memory; released by services->request_release. What of points to must live as long. Any thread. */
    eg_status (*request_make)(void *host, const eg_inner_request *of, eg_request **out, eg_error *err);
    /* Tells the worker of this process that something was left for it; NULL: there is none. Thread class: any. */
    void (*wake)(void *host);
    void *host;
    eg_str owner; /* of leases: host name, process and start, unique */
    eg_str mode, workspace_why;
    int32_t default_wait_ms; /* for a verdict in a commit */
    uint32_t max_leased;     /* leases a store */
} eg_memory_env;

eg_status eg_memory_create(const eg_memory_env *env, eg_memory **out, eg_error *err);
void eg_memory_destroy(eg_memory *m);
const eg_memory_ops *eg_memory_table(void);
/* The service neighbour_margins; source: that of the request, NULL: EG_EUNAVAILABLE. */
eg_status eg_memory_neighbour_margins(eg_case_source *source, eg_request *rq, const eg_case *c,
                                      const eg_margin_question *questions, size_t n, eg_margin *out);

#endif
