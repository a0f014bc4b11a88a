/* env.h - what the memory needs of its host: the store, the detectors and gates, the models, the
 * worker. Filled in by core/host (and by the fixture of the tests), read by every file of this
 * folder. */
#ifndef EG_MEMORY_ENV_H
#define EG_MEMORY_ENV_H

#include "core/include/engram/plugin.h"

typedef struct eg_detector_slot {
    eg_detector detector; /* the host's copy of the plugin's table */
    void *self;
} eg_detector_slot;
typedef struct eg_gate_slot {
    eg_gate gate;
    void *self;
} eg_gate_slot;

typedef struct eg_job_kind_slot {
    eg_job_kind_ops kind;
    void *self;
} eg_job_kind_slot;

typedef struct eg_escalator_slot {
    eg_escalator escalator;
    void *self;
} eg_escalator_slot;

/* Who answers the questions of a detector about its case: judge.h. */
typedef struct eg_case_source eg_case_source;

/* What a request that is made inside core takes from its job or from the request that it works
 * for. */
typedef struct eg_inner_request {
    eg_str workspace;
    const eg_principal *who;
    eg_cancel cancel;
    eg_error *err;          /* NULL: a record of its own */
    eg_case_source *source; /* of the detector that it is for; NULL elsewhere */
} eg_inner_request;

/* Everything lives as long as the memory. */
typedef struct eg_memory_env {
    const eg_services *services;
    const eg_storage_ops *storage_ops; /* NULL: no store; only check() works */
    eg_storage *storage;
    const eg_detector_slot *detectors; /* in any order */
    size_t detector_count;
    const eg_gate_slot *gates;
    size_t gate_count;
    /* Why no text may be stored (a required gate is not there), with what to do; empty: it may. */
    eg_str writing_problem;
    const eg_job_kind_slot *job_kinds; /* that plugins added */
    size_t job_kind_count;
    const eg_escalator_slot *escalators; /* in any order */
    size_t escalator_count;
    /* Counts one call of an escalator today (UTC, across processes); *allowed 0: its `most` calls
     * are used up, and none was counted. NULL: nothing is counted. Thread class: any. */
    eg_status (*spend)(void *host, const char *escalator, uint32_t most, int *allowed, eg_error *err);
    /* The id (hex) and the size of the active embedding model, which is loaded at the first
     * call. EG_EUNAVAILABLE with the reason when there is none. Thread class: any. */
    eg_status (*embed_model)(void *host, eg_str *model_id, uint32_t *dimensions, eg_error *err);
    const char *cache; /* the folder for what can be made again; NULL: none */
    /* The id alone, without loading the model; EG_EUNAVAILABLE when there is none. Thread class:
     * any. */
    eg_status (*embed_id)(void *host, eg_str *model_id, eg_error *err);
    /* As the service embed, but for the text of a query: some models want another prompt before
     * it. NULL: embed. */
    eg_status (*embed_query)(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions);
    /* Folder and problem of both models without loading them, for status. */
    void (*describe_models)(void *host, eg_memory_status *out);
    /* workspace_why, notice and settings of the status. May be NULL. Thread class: any. */
    void (*describe_settings)(void *host, eg_memory_status *out);
    /* A fact was stored in this workspace. May be NULL. Thread class: any. */
    void (*stored)(void *host, eg_str workspace);
    /* The working folder of the repository that this process works in, for what facts cite; NULL:
     * none. *sure: the workspace is that repository's own. May be NULL. Thread class: any. */
    const char *(*working_folder)(void *host, int *sure);
    /* When the whole store was last looked at for damage and what was found, for status, in the
     * request's memory. NULL: nobody looks. */
    void (*last_verified)(void *host, eg_request *rq, eg_memory_status *out);
    /* A request with memory of its own; services->request_release ends it. What `of` points to
     * must live as long. Any thread. */
    eg_status (*request_make)(void *host, const eg_inner_request *of, eg_request **out, eg_error *err);
    /* Tells the worker of this process that there is work: a job, or query hits to count. NULL:
     * this process has no worker. Thread class: any. */
    void (*wake)(void *host);
    void *host;
    eg_principal self; /* who does the work that nobody asked for: jobs, upkeep */
    eg_str owner;      /* of leases: host name, process and start, unique */
    eg_str mode;
    int32_t default_wait_ms; /* how long a commit waits for its verdict */
    uint32_t max_leased;     /* jobs that this process works on at once */
} eg_memory_env;

#endif
