/* plugin.h - the plugin ABI: the descriptor that a plugin exports and the services that the host
 * gives it.
 *
 * A plugin is a shared object (or, in a static build, a row of the host's table) with one exported
 * function, eg_plugin_entry, which returns a constant descriptor. The host compares magic, ABI and
 * size, then calls open(), in which the plugin registers what it offers. Registrations take effect
 * when open() returned EG_OK; otherwise all are forgotten. Plugins are trusted code: they run
 * inside the host with its rights. A plugin links nothing of Engram's, never prints to stdout,
 * never exits, installs no signal handlers.
 *
 * Growth rule. A plugin built against an earlier minor of this major runs unchanged; one built
 * against a later minor or another major is refused with both versions named.
 * - Every table that a plugin hands over begins with its size. EG_x_SIZE_1_0 is its size in ABI
 *   1.0, for ever. The host takes any table at least that long, copies it into its own struct with
 *   zeros for what the plugin does not know, and reads only the copy. A new field is appended; 0
 *   must mean what its absence meant.
 * - Tables that the host hands to plugins begin with their size too. Ask EG_HAS before reading a
 *   field that is newer than the minor that you require.
 * - Structs that cross the border in arrays never change their size within a major. Their reserved
 *   bytes are 0 until a later minor gives them a name.
 * - A flag bit that the host does not know is refused with EG_EUNSUPPORTED, so a new flag is never
 *   ignored by an old host. */
#ifndef ENGRAM_PLUGIN_H
#define ENGRAM_PLUGIN_H

#include "detector.h"
#include "storage.h"
#include "tool.h"

#define EG_PLUGIN_MAGIC UINT32_C(0x4e475245) /* "ERGN" */
#define EG_ABI_MAJOR 1                       /* must be equal */
#define EG_ABI_MINOR 0                       /* a plugin's may not be newer than the host's */

#if !defined(__LP64__)
#error "the plugin ABI is defined for 64-bit Linux only: sizes and offsets are part of it"
#endif

typedef enum eg_plugin_kind {
    EG_KIND_DETECTOR = 1,
    EG_KIND_STORAGE,
    EG_KIND_TOOLSET,
    EG_KIND_GATE,
    EG_KIND_FRONTEND,
    EG_KIND_ESCALATOR
} eg_plugin_kind;

typedef enum eg_log_level { EG_LOG_ERROR = 0, EG_LOG_WARN, EG_LOG_INFO, EG_LOG_DEBUG } eg_log_level;

typedef struct eg_registrar eg_registrar; /* the host's, valid during open() only */

/* A job of a kind that a plugin added. */
#define EG_JOB_VIEW_SIZE_1_0 64
typedef struct eg_job_view {
    uint32_t size;     /* sizeof(eg_job_view) of the host */
    uint32_t attempts; /* how often it has failed */
    int64_t id;
    eg_id fact; /* none: it is about no fact */
    eg_str name, payload;
} eg_job_view;
EG_SIZE_FROZEN(eg_job_view, EG_JOB_VIEW_SIZE_1_0);

/* A kind of background work. Jobs are kept in the store and survive their process; whichever
 * process has the kind runs them. */
#define EG_JOB_KIND_SIZE_1_0 32
typedef struct eg_job_kind_ops {
    uint32_t size, flags; /* 0 */
    const char *name;     /* stored with its jobs, so never changed; begin it with the plugin's
                           * name */
    const char *version;
    /* Does one job, in a request of its workspace. EG_OK ends it. EG_ECANCELLED queues it anew. Any
     * other status counts as a failure: it is tried again later, and dead-lettered after
     * EG_MAX_ATTEMPTS. It may run twice, also at once where it takes more than a minute: a job must
     * be safe to repeat. Thread class: worker; may block. */
    eg_status (*run)(void *self, const struct eg_services *services, eg_request *rq, const eg_job_view *job);
} eg_job_kind_ops;
EG_SIZE_FROZEN(eg_job_kind_ops, EG_JOB_KIND_SIZE_1_0);

/* Told of changes of every workspace of the store, by this process or another one. */
#define EG_CHANGE_LISTENER_SIZE_1_0 24
typedef struct eg_change_listener {
    uint32_t size, flags; /* 0 */
    const char *name;     /* for messages */
    /* The last seq of the workspace is `seq` by now; several changes may be told as one. Thread
     * class: a thread of the host's that does nothing else; no request is at work. */
    void (*changed)(void *self, const struct eg_services *services, eg_str workspace, int64_t seq);
} eg_change_listener;
EG_SIZE_FROZEN(eg_change_listener, EG_CHANGE_LISTENER_SIZE_1_0);

/* What the host does for plugins. Fields are only appended: see EG_HAS for what size covers. */
typedef struct eg_services {
    uint32_t size;
    uint32_t reserved;
    void *host;

    /* any thread */
    void (*log)(void *host, eg_log_level level, const char *plugin, const char *text);
    /* Setting "NAME.key" of the configuration; EG_ENOENT: it is not set. Lives until close(). Read
     * all of them in open(): the host warns about settings under the plugin's name that it has not
     * read by then. */
    eg_status (*config)(void *host, const char *key, eg_str *value);
    int64_t (*now)(void *host);  /* microseconds UTC */
    eg_id (*new_id)(void *host); /* UUIDv7 */
    void (*sha256)(void *host, const void *bytes, size_t n, uint8_t out[32]);

    /* Registration, only inside open(). The host copies the tables; texts and arrays that they
     * point to must outlive the plugin. */
    eg_status (*add_detector)(eg_registrar *r, const eg_detector *detector, void *self);
    eg_status (*add_escalator)(eg_registrar *r, const eg_escalator *escalator, void *self);
    eg_status (*add_storage)(eg_registrar *r, const eg_storage_ops *storage);
    eg_status (*add_tool)(eg_registrar *r, const eg_tool *tool, void *self);
    eg_status (*add_resource)(eg_registrar *r, const eg_resource *resource, void *self);
    eg_status (*add_prompt)(eg_registrar *r, const eg_prompt *prompt, void *self);
    eg_status (*add_gate)(eg_registrar *r, const eg_gate *gate, void *self);
    eg_status (*add_frontend)(eg_registrar *r, const eg_frontend *frontend, void *self);

    /* What the toolsets offer, in order of registration, for front ends. Each call is guarded:
     * EG_EAUTH when the role of rq->who lacks what the tool, resource or prompt needs. EG_ENOENT
     * when there is none of that name or URI. */
    size_t (*tool_count)(void *host);
    const eg_tool *(*tool)(void *host, size_t i);
    eg_status (*call_tool)(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *result);
    size_t (*resource_count)(void *host);
    const eg_resource *(*resource)(void *host, size_t i);
    eg_status (*read_resource)(void *host, eg_request *rq, eg_str uri, eg_tool_result *result);
    size_t (*prompt_count)(void *host);
    const eg_prompt *(*prompt)(void *host, size_t i);
    eg_status (*get_prompt)(void *host, eg_request *rq, const char *name, eg_str arguments, eg_tool_result *result);
    /* A request for one call, of the host's workspace and principal; release it when its result was
     * used. options may be NULL. */
    eg_status (*request_create)(void *host, const eg_request_options *options, eg_request **out, eg_error *err);
    void (*request_release)(void *host, eg_request *rq);

    /* The memory, for toolsets. It is made after all plugins are open: NULL inside open(). */
    eg_memory *(*memory)(void *host);
    const eg_memory_ops *memory_ops;

    /* Inference. EG_EUNAVAILABLE when no model of that kind is there (rq->err says why). */
    /* n rows of 3 probabilities: contradiction, entailment, neutral, in this order always. */
    eg_status (*nli)(void *host, eg_request *rq, const eg_pair *pairs, size_t n, float *probabilities);
    eg_status (*embed)(void *host, eg_request *rq, const eg_str *texts, size_t n, float *out, uint32_t dimensions);
    /* For detectors: how near other facts are to the texts of n questions about the case that
     * examine() got (c must be that very pointer, rq that very request). One round trip to the
     * store for all questions: ask them together. EG_EUNAVAILABLE without an embedding model, or
     * where the host cannot tell (as in `engram plugins check`). */
    eg_status (*neighbour_margins)(void *host, eg_request *rq, const eg_case *c, const eg_margin_question *questions, size_t n,
                                   eg_margin *out);
    /* Thresholds that stand beside the model ("contradiction", "entailment", "query_words"),
     * moved by feedback. */
    double (*threshold)(void *host, const char *name, double otherwise);

    /* Arithmetic over vectors, for storage. */
    void (*quantize_s8)(void *host, const float *x, size_t n, int8_t *out, float *scale);
    /* out[i] = scales[i] * query_scale * (rows[i] . query) for i < n */
    void (*scan_s8)(void *host, const int8_t *rows, const float *scales, size_t n, size_t dimensions, const int8_t *query,
                    float query_scale, float *out);
    float (*dot)(void *host, const float *a, const float *b, size_t n);

    const char *version; /* of the host */

    /* The hash of an audit row, for storage: it covers the hash before it, the row but for its
     * payload (whose SHA-256 payload_hash is), and by row->layout the workspace. EG_ENOMEM. */
    eg_status (*audit_hash)(void *host, const uint8_t previous[32], const eg_audit_row *row, uint8_t out[32]);

    /* Registration of background work, only inside open(). Listeners are told only in processes
     * that have a worker (front ends). */
    eg_status (*add_job_kind)(eg_registrar *r, const eg_job_kind_ops *kind, void *self);
    eg_status (*on_change)(eg_registrar *r, const eg_change_listener *listener, void *self);
    /* Leaves a job of a kind that this process has, in the request's workspace, due after `delay`
     * microseconds (at most EG_MAX_JOB_PAUSE). fact: what it is about, or none. Needs
     * EG_NEEDS_WRITE. */
    eg_status (*queue_job)(void *host, eg_request *rq, const char *name, eg_id fact, eg_str payload, int64_t delay);

    /* For detectors: what those before this one found about the case that examine() got (c and rq
     * as for neighbour_margins), in the order in which they were added. *out lives as long as the
     * request. */
    eg_status (*earlier_findings)(void *host, eg_request *rq, const eg_case *c, const eg_finding **out, size_t *n);
    /* The bytes of a file that stands beside the weights of the model of a setting ("model.nli",
     * "model.embed"), at most EG_MAX_MODEL_FILE, in the request's memory. `name` has no '/'.
     * EG_ENOENT without that file or without a model. */
    eg_status (*model_file)(void *host, eg_request *rq, const char *setting, const char *name, eg_str *out);
    /* The size of a vector of `embed`. EG_EUNAVAILABLE when there is no embedding model. */
    eg_status (*embed_size)(void *host, eg_request *rq, uint32_t *dimensions);

    /* For front ends whose client says in which folder it works. 1: the host would use it, since
     * neither a setting nor the folder of the process chooses the workspace. */
    int (*wants_folder)(void *host);
    /* Requests that are made from now on use the workspace of the folder's git repository, if
     * wants_folder says so; folder is absolute; empty: the client has one and does not tell it.
     * EG_ENOENT: it is in no repository, so the workspace stays what it was by default, and the
     * status warns of that. Thread class: any. */
    eg_status (*use_folder)(void *host, eg_str folder, eg_error *err);

    /* For storage: calls task(arg, i) once for each i < n, on several threads where the process has
     * them free, and returns when all calls have. Tasks must not block and call no service but
     * scan_s8 and dot. */
    void (*parallel)(void *host, size_t n, void (*task)(void *arg, size_t i), void *arg);
} eg_services;

#define EG_PLUGIN_SIZE_1_0 56
typedef struct eg_plugin {
    uint32_t magic; /* EG_PLUGIN_MAGIC */
    uint32_t size;  /* sizeof(eg_plugin) */
    uint16_t abi_major, abi_minor;
    uint32_t kind; /* eg_plugin_kind */
    const char *name, *version, *licence;
    /* services stays valid until close(). *self goes to close() only; registrations carry their
     * own. */
    eg_status (*open)(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err);
    void (*close)(void *self);
} eg_plugin;
EG_SIZE_FROZEN(eg_plugin, EG_PLUGIN_SIZE_1_0);

#if defined(EG_PLUGIN_STATIC_NAME) /* static build: one name a plugin */
#define EG_PLUGIN_ENTRY EG_PLUGIN_STATIC_NAME
#else
#define EG_PLUGIN_ENTRY eg_plugin_entry
#endif
__attribute__((visibility("default"))) const eg_plugin *EG_PLUGIN_ENTRY(void);

/* The usual first fields of a descriptor. */
#define EG_PLUGIN_HEAD(plugin_kind, plugin_name, plugin_version, plugin_licence)                               \
    .magic = EG_PLUGIN_MAGIC, .size = sizeof(eg_plugin), .abi_major = EG_ABI_MAJOR, .abi_minor = EG_ABI_MINOR, \
    .kind = (plugin_kind), .name = (plugin_name), .version = (plugin_version), .licence = (plugin_licence)

#endif
