/* internal.h - the inside of the host, for the files of this folder only. */
#ifndef EG_HOST_INTERNAL_H
#define EG_HOST_INTERNAL_H

#include <pthread.h>

#include "core/access/paths.h"
#include "core/access/workspace.h"
#include "core/host/config.h"
#include "core/host/host.h"
#include "core/host/model_id.h"
#include "core/host/plugin_loader.h"
#include "models/vectors.h"

enum { MAX_PATH = 4096, MAX_THRESHOLDS = 32 };
#define REQUEST_BYTES ((size_t)256 << 20) /* memory of one request at most */

/* One model: opened when first needed; a failure is kept, so that its reason is told each time. */
typedef struct eg_model_slot {
    const char *setting; /* "model.nli" */
    uint32_t head;       /* eg_head it must have */
    int tried;
    eg_model *model;
    eg_model_info info;
    eg_error problem;
    char folder[MAX_PATH];
} eg_model_slot;

typedef struct eg_threshold {
    const char *name;
    double value;
} eg_threshold;

/* Whose memory. Lives as long as the host. */
typedef struct eg_place {
    eg_str workspace, why;
    eg_str notice;                   /* as of the status; empty: nothing */
    const char *root;                /* the working folder of the repository here; NULL: none */
    const eg_repository *repository; /* that it is the workspace of; NULL: of a setting, or local */
} eg_place;

struct eg_host {
    eg_arena arena;
    eg_host_options options;
    eg_conf *config;
    eg_paths folders;
    eg_host_paths paths;
    const char *beside;        /* folder of the executable */
    const char *settings_file; /* the user's engram.conf */
    eg_str actor;
    const eg_place *place;      /* atomic: see eg_host_place() */
    const eg_place *by_default; /* the workspace local where nothing chooses one; else NULL */
    pthread_mutex_t place_lock; /* of what follows: */
    eg_arena places;
    size_t place_count;
    const eg_place *recorded; /* atomic: the place whose repository was recorded last */
    const char *project_file; /* the .engram.conf of this folder; NULL: none */
    int project_allowed;      /* the user has allowed its content */
    eg_str set;               /* settings that are not the default, for the status */
    eg_str notice;            /* what of it is not obeyed, and what to do; empty: nothing */
    eg_services services;
    eg_plugins plugins;
    eg_str writing_problem; /* see eg_host_writing_problem */
    eg_log_level level;

    pthread_mutex_t model_lock;
    eg_engine *engine;
    eg_vector_kernels vectors; /* of the services that compute with vectors */
    eg_model_slot nli, embed;
    uint32_t nli_label[3]; /* contradiction, entailment, neutral in the model's order */
    char embed_id[EG_MODEL_ID_TEXT];
    int thresholds_read;
    eg_threshold thresholds[MAX_THRESHOLDS];
    size_t threshold_count;

    pthread_mutex_t id_lock;
    uint64_t last_id_ms;
    uint32_t id_counter;

    const eg_storage_ops *storage_ops;
    eg_storage *storage;
    eg_memory *memory;

    pthread_t worker, watcher, escalating;
    pthread_mutex_t worker_lock;
    pthread_cond_t worker_wake;
    int watcher_runs, escalating_runs;
    int worker_runs, worker_due; /* due: something was left for the worker */
    int escalating_due;          /* and for the thread that asks escalators */
    int worker_stop;             /* the cancel flag of their requests */
    int64_t verify_from;         /* when the worker asks again whether the store is to be verified,
                                  * CLOCK_MONOTONIC microseconds */
};

/* project.c */
/* Reads h->project_file under the rules of its trust; fills project_allowed and notice. */
eg_status eg_host_read_project(eg_host *host, eg_error *err);
/* required_gates.c */
/* Fills in writing_problem. EG_EINVAL: the setting is no list of gates. */
eg_status eg_host_find_gates(eg_host *host, eg_error *err);
/* place.c */
/* The place of a folder's git repository, in the arena. EG_ENOENT outside of one. */
eg_status eg_host_place_of(eg_host *host, eg_arena *arena, const char *folder, eg_place *out, eg_error *err);
/* The place of requests that are made now. Thread class: any. */
const eg_place *eg_host_place(const eg_host *host);
/* See eg_services. */
int eg_host_wants_folder(void *host);
eg_status eg_host_use_folder(void *host, eg_str folder, eg_error *err);
/* env.stored and env.describe_settings of the memory. */
void eg_host_stored(void *host, eg_str workspace);
void eg_host_describe_settings(void *host, eg_memory_status *out);
/* env.working_folder. */
const char *eg_host_working_folder(void *host, int *sure);
/* services.c */
eg_status eg_host_request_make(void *host, const eg_inner_request *of, eg_request **out, eg_error *err);
void eg_host_fill_services(eg_host *host);
/* toolsets.c */
void eg_host_fill_toolset_services(eg_services *services);
/* model_paths.c */
/* fills in paths.models and paths.shipped */
eg_status eg_host_find_models(eg_host *host, eg_error *err);
/* inference.c */
void eg_host_fill_inference(eg_host *host);
void eg_host_close_models(eg_host *host);
eg_status eg_host_embed_query(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions);
eg_status eg_host_embed_model(void *host, eg_str *model_id, uint32_t *dimensions, eg_error *err);
eg_status eg_host_embed_id(void *host, eg_str *model_id, eg_error *err);
void eg_host_describe_models(void *host, eg_memory_status *out);
/* spending.c */
/* env.spend of the memory. */
eg_status eg_host_spend(void *host, const char *escalator, uint32_t most, int *allowed, eg_error *err);
/* verify.c */
/* env.last_verified of the memory. */
void eg_host_last_verified(void *host, eg_request *rq, eg_memory_status *out);
/* Looks at the whole store when nobody did for a day, until cancel is set. Thread class: worker. */
void eg_host_verify_if_due(eg_host *host, const int *cancel);
/* worker.c */
void eg_host_worker_init(eg_host *host); /* the lock and the condition; host.c destroys them */
/* Something was left for the worker. Thread class: any, also when no worker runs. */
void eg_host_worker_wake(void *host);
eg_status eg_host_worker_start(eg_host *host, eg_error *err);
void eg_host_worker_stop(eg_host *host);

#endif
