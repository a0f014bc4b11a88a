/* plugin_loader.h - bringing plugins into the process: safe paths, descriptor checks, registrations
 * as a transaction. Plugins are trusted code; what is checked here is that the file is the one its
 * owner meant. Used by host.c. Thread class: main, before any other thread calls the services. */
#ifndef EG_HOST_PLUGIN_LOADER_H
#define EG_HOST_PLUGIN_LOADER_H

#include <sys/types.h>

#include "core/base/arena.h"
#include "core/memory/memory.h"

enum {
    EG_MAX_PLUGINS = 64,
    EG_MAX_DETECTORS = 64,
    EG_MAX_ESCALATORS = 16,
    EG_MAX_STORAGES = 8,
    EG_MAX_TOOLS = 128,
    EG_MAX_RESOURCES = 32,
    EG_MAX_PROMPTS = 32,
    EG_MAX_GATES = 32,
    EG_MAX_FRONTENDS = 16,
    EG_MAX_JOB_KINDS = 32,
    EG_MAX_LISTENERS = 16
};

/* The host's copy of what a plugin registered, zero-extended, and the plugin's own pointer. */
typedef struct eg_storage_slot {
    eg_storage_ops storage;
    void *self; /* NULL */
} eg_storage_slot;
typedef struct eg_tool_slot {
    eg_tool tool;
    void *self;
} eg_tool_slot;
typedef struct eg_resource_slot {
    eg_resource resource;
    void *self;
} eg_resource_slot;
typedef struct eg_prompt_slot {
    eg_prompt prompt;
    void *self;
} eg_prompt_slot;
typedef struct eg_frontend_slot {
    eg_frontend frontend;
    void *self;
} eg_frontend_slot;

typedef struct eg_listener_slot {
    eg_change_listener listener;
    void *self;
} eg_listener_slot;

typedef struct eg_registry_counts {
    size_t detectors, escalators, storages, tools, resources, prompts, gates, frontends, job_kinds, listeners;
} eg_registry_counts;

/* What the plugins offer. Rows past `committed` belong to a plugin whose open() runs. */
struct eg_registrar {
    eg_detector_slot detectors[EG_MAX_DETECTORS];
    eg_escalator_slot escalators[EG_MAX_ESCALATORS];
    eg_storage_slot storages[EG_MAX_STORAGES];
    eg_tool_slot tools[EG_MAX_TOOLS];
    eg_resource_slot resources[EG_MAX_RESOURCES];
    eg_prompt_slot prompts[EG_MAX_PROMPTS];
    eg_gate_slot gates[EG_MAX_GATES];
    eg_frontend_slot frontends[EG_MAX_FRONTENDS];
    eg_job_kind_slot job_kinds[EG_MAX_JOB_KINDS];
    eg_listener_slot listeners[EG_MAX_LISTENERS];
    eg_registry_counts committed, pending;
    int is_open;   /* 1 only inside a plugin's open() */
    char why[200]; /* of a refused registration */
};

typedef struct eg_loaded_plugin {
    const char *path;
    const eg_plugin *plugin; /* the copy; NULL with a problem */
    eg_plugin copy;          /* of its descriptor, zero-extended */
    const char *problem;
    void *self;
    dev_t device;
    ino_t inode;
} eg_loaded_plugin;

typedef struct eg_plugins {
    eg_arena *arena;
    eg_loaded_plugin rows[EG_MAX_PLUGINS];
    size_t count;
    eg_registrar registrar;
} eg_plugins;

/* The registration functions of the service table. */
void eg_plugins_fill_services(eg_services *services);

/* Loads one file (absolute) and opens it. A refusal leaves nothing registered and is noted in the
 * table. */
/* Takes a plugin that is part of the program: the same checks and registrations, without a file. */
eg_status eg_plugins_take(eg_plugins *p, const char *name, const eg_plugin *plugin, const eg_services *services, eg_error *err);
eg_status eg_plugins_load(eg_plugins *p, const char *path, const eg_services *services, eg_error *err);
/* Closes all, last opened first. Nothing is unmapped: code of ours may still hold pointers. */
void eg_plugins_close(eg_plugins *p);

/* Opens path so that nobody but root or this user can have made what is opened. *fd is the
 * caller's. EG_ENOENT, EG_EPERM with what to change. */
eg_status eg_secure_open(const char *path, int *fd, eg_error *err);
/* Magic, size, ABI, name and functions of a descriptor. */
eg_status eg_plugin_check_descriptor(const eg_plugin *plugin, const char *path, eg_error *err);

#endif
