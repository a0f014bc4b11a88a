/* host.h - the host: configuration, plugins, models, store, memory and the worker, put together for
 * one process. The command line (tools/) is its user. Thread class: main, unless said otherwise. */
#ifndef EG_CORE_HOST_H
#define EG_CORE_HOST_H

#include <stdio.h>

#include "core/include/engram/infer.h"
#include "core/include/engram/plugin.h"

typedef struct eg_host eg_host;

typedef struct eg_host_options {
    const char *workspace;       /* --workspace, or NULL */
    const char *home;            /* --home; NULL: $ENGRAM_HOME, ~/.engram if it is ours, else XDG */
    const char *actor;           /* who asks when a call names nobody; NULL: "cli" */
    const char *program;         /* argv[0]: plugins and models are found relative to it */
    const char *const *settings; /* "key=value", strongest */
    size_t setting_count;
    int without_store; /* 1: no database is opened or made (check, nli, plugins ...) */
    int quiet_project; /* 1: no warning about a project file that is not allowed (engram allow) */
    int worker;        /* 1: a background thread works on detection jobs */
    int verbose;       /* log level: 0 warnings, 1 info, 2 debug; on stderr */
} eg_host_options;

/* Reads the configuration, loads the configured plugins, opens the store. A plugin that cannot load
 * is reported in one line and left out unless the configuration calls it required. Models load when
 * first needed. */
eg_status eg_host_open(const eg_host_options *options, eg_host **out, eg_error *err);
/* Stops the worker, closes the store, then plugins in reverse order. */
void eg_host_close(eg_host *host);

const eg_services *eg_host_services(const eg_host *host);
/* EG_ENOENT naming what there is. */
eg_status eg_host_frontend(eg_host *host, const char *name, const eg_frontend **out, void **self, eg_error *err);

/* Paths and settings for doctor, models and status. */
typedef struct eg_host_paths {
    const char *data, *config, *cache, *plugins, *models, *database;
    const char *passed;         /* why an existing ~/.engram is not used; NULL: nothing to tell */
    const char *database_shown; /* as it may be printed: a URL without user, password and query */
    const char *shipped;        /* the folder of the models that ship, NULL: not found; models is
                                 * that of the user's own */
} eg_host_paths;
const eg_host_paths *eg_host_paths_of(const eg_host *host);
/* Why nothing is stored, with what to do: a gate that the setting gates_required names is not
 * there. Empty: writing works. */
eg_str eg_host_writing_problem(const eg_host *host);
/* All settings with value and origin, one call each. */
void eg_host_settings(const eg_host *host, void (*each)(void *self, const char *key, const char *value, const char *origin),
                      void *self);
/* Loaded plugins and those left out (problem not NULL). */
void eg_host_plugins(const eg_host *host,
                     void (*each)(void *self, const char *path, const eg_plugin *plugin, const char *problem), void *self);

/* Folder of a model given by the user (a path, or a name in models/weights or the models folder).
 * EG_ENOENT naming where was looked. */
eg_status eg_host_model_folder(const eg_host *host, const char *name, char *out, size_t out_size, eg_error *err);
/* The same of the model that a setting names ("model.nli", "model.embed"); EG_ENOENT also when the
 * setting is empty. */
eg_status eg_host_model_configured(const eg_host *host, const char *setting, char *out, size_t out_size, eg_error *err);

/* How the settings isa, threads, gemm and format tell this host to compute. */
void eg_host_inference(const eg_host *host, eg_engine_options *engine, uint32_t *format);
/* Opens the model that a setting ("model.nli", "model.embed") names, as the first use would. The
 * reason when it cannot be opened or is of another kind than the setting needs. */
eg_status eg_host_model_try(eg_host *host, const char *setting, eg_error *err);
/* What was found when the whole store was looked at. */
typedef struct eg_host_verified {
    eg_error pages, audit; /* EG_EFORMAT: what is wrong; EG_OK: nothing is */
    size_t workspaces;     /* whose audit chains were looked at */
    int64_t ahead;         /* how far the last commit lies ahead of the clock, microseconds; 0: it
                            * does not */
} eg_host_verified;
/* Looks at the whole store for damage, and remembers what was found for status. deep: compares
 * indexes too. cancel: a flag that ends it with EG_ECANCELLED, or NULL. */
eg_status eg_host_verify(eg_host *host, int deep, const int *cancel, eg_host_verified *out, eg_error *err);

/* Brings a store back whose last commit lies ahead of the clock: see eg_storage_ops.repair_time. */
eg_status eg_host_repair_time(eg_host *host, uint64_t *facts, eg_error *err);

/* Writes a setting into the user's engram.conf; this process keeps its own. *path: the file, or
 * NULL. */
eg_status eg_host_setting_write(const eg_host *host, const char *key, const char *value, const char **path, eg_error *err);

/* The project file that this process found, NULL: none; *allowed: the user has allowed it. */
const char *eg_host_project_file(const eg_host *host, int *allowed);
/* Allows its present content from now on, after telling each setting that it makes. EG_ENOENT:
 * there is none. Errors in the file are told, and then it is not allowed. */
eg_status eg_host_project_allow(eg_host *host, void (*each)(void *self, const char *key, const char *value), void *self,
                                eg_error *err);
/* Takes that back. EG_ENOENT: the present content was not allowed, or there is no such file. */
eg_status eg_host_project_forbid(eg_host *host, eg_error *err);

/* Loads the plugin at path as the host would, prints its descriptor to out, runs the contract tests
 * of what it offers. The first thing that is wrong: EG_EFORMAT, EG_EINVAL, or why it does not
 * load. */
eg_status eg_host_plugin_check(const char *path, FILE *out, eg_error *err);

#endif
