/* plugin_loader.c - loading plugins. See plugin_loader.h. */
#include "core/host/plugin_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/access/owner.h"
#include "core/base/grown.h"
#include "core/base/status.h"
#include "core/host/elf_size.h"

enum { MAX_NAME = 64, MAX_REQUIRED = 6 };

/* ---- registration: each adds a row past the committed ones ---- */

/* A kind of table that plugins register. All begin with their size and their flags. */
typedef struct table_kind {
    const char *what; /* for messages */
    size_t size;      /* of the host's struct */
    uint32_t size_1_0, known_flags;
    size_t name;                   /* offset of the name */
    size_t required[MAX_REQUIRED]; /* offsets of other pointers that must be there, up to a 0 */
    size_t slots, slot_size, self; /* where the copies stand in the registrar, and the offset of
                                    * self in a slot */
    size_t count, capacity;        /* offset of the count in eg_registry_counts */
} table_kind;

#define SLOTS(type, array)                                                                                                    \
    .slots = offsetof(eg_registrar, array), .slot_size = sizeof(((eg_registrar *)0)->array[0]), .self = offsetof(type, self), \
    .count = offsetof(eg_registry_counts, array),                                                                             \
    .capacity = sizeof(((eg_registrar *)0)->array) / sizeof(((eg_registrar *)0)->array[0])

static const table_kind detector_kind = {"the detector",
                                         sizeof(eg_detector),
                                         EG_DETECTOR_SIZE_1_0,
                                         EG_DETECTOR_DETERMINISTIC | EG_DETECTOR_WEIGHS_FINDINGS,
                                         offsetof(eg_detector, name),
                                         {offsetof(eg_detector, version), offsetof(eg_detector, examine)},
                                         SLOTS(eg_detector_slot, detectors)};
static const table_kind storage_kind = {
    "the storage",
    sizeof(eg_storage_ops),
    EG_STORAGE_OPS_SIZE_1_0,
    0,
    offsetof(eg_storage_ops, name),
    {offsetof(eg_storage_ops, open), offsetof(eg_storage_ops, close), offsetof(eg_storage_ops, apply)},
    SLOTS(eg_storage_slot, storages)};
static const table_kind tool_kind = {"the tool",
                                     sizeof(eg_tool),
                                     EG_TOOL_SIZE_1_0,
                                     EG_TOOL_READ_ONLY | EG_TOOL_DESTRUCTIVE | EG_TOOL_IDEMPOTENT | EG_TOOL_OPEN_WORLD,
                                     offsetof(eg_tool, name),
                                     {offsetof(eg_tool, call), offsetof(eg_tool, input_schema)},
                                     SLOTS(eg_tool_slot, tools)};
static const table_kind resource_kind = {"the resource",
                                         sizeof(eg_resource),
                                         EG_RESOURCE_SIZE_1_0,
                                         0,
                                         offsetof(eg_resource, name),
                                         {offsetof(eg_resource, uri_template), offsetof(eg_resource, read)},
                                         SLOTS(eg_resource_slot, resources)};
static const table_kind prompt_kind = {"the prompt",
                                       sizeof(eg_prompt),
                                       EG_PROMPT_SIZE_1_0,
                                       0,
                                       offsetof(eg_prompt, name),
                                       {offsetof(eg_prompt, get)},
                                       SLOTS(eg_prompt_slot, prompts)};
static const table_kind gate_kind = {"the gate",
                                     sizeof(eg_gate),
                                     EG_GATE_SIZE_1_0,
                                     0,
                                     offsetof(eg_gate, name),
                                     {offsetof(eg_gate, check)},
                                     SLOTS(eg_gate_slot, gates)};
static const table_kind frontend_kind = {"the front end",
                                         sizeof(eg_frontend),
                                         EG_FRONTEND_SIZE_1_0,
                                         0,
                                         offsetof(eg_frontend, name),
                                         {offsetof(eg_frontend, start), offsetof(eg_frontend, stop)},
                                         SLOTS(eg_frontend_slot, frontends)};

static const table_kind escalator_kind = {"the escalator",
                                          sizeof(eg_escalator),
                                          EG_ESCALATOR_SIZE_1_0,
                                          0,
                                          offsetof(eg_escalator, name),
                                          {offsetof(eg_escalator, version), offsetof(eg_escalator, judge)},
                                          SLOTS(eg_escalator_slot, escalators)};

static const table_kind job_kind = {"the kind of jobs",
                                    sizeof(eg_job_kind_ops),
                                    EG_JOB_KIND_SIZE_1_0,
                                    0,
                                    offsetof(eg_job_kind_ops, name),
                                    {offsetof(eg_job_kind_ops, version), offsetof(eg_job_kind_ops, run)},
                                    SLOTS(eg_job_kind_slot, job_kinds)};
static const table_kind listener_kind = {"the change listener",
                                         sizeof(eg_change_listener),
                                         EG_CHANGE_LISTENER_SIZE_1_0,
                                         0,
                                         offsetof(eg_change_listener, name),
                                         {offsetof(eg_change_listener, changed)},
                                         SLOTS(eg_listener_slot, listeners)};

static eg_status refuse(eg_registrar *r, eg_status code, const char *what, const char *name, const char *why) {
    snprintf(r->why, sizeof r->why, "%s '%.60s' %s", what, name ? name : "?", why);
    return code;
}

static const char *pointer_at(const void *table, size_t offset) {
    const char *p;
    memcpy(&p, (const char *)table + offset, sizeof p);
    return p;
}

/* The growth rule (plugin.h): a table that is at least as long as in 1.0 is copied as far as both
 * sides know it; fields that only this host knows are zero. What was registered is never read
 * again. */
static eg_status add(eg_registrar *r, const table_kind *kind, const void *given, void *self) {
    uint32_t head[2] = {0}; /* size, flags */
    if (!r->is_open) return EG_EREFUSED;
    if (given) memcpy(head, given, sizeof head);
    if (head[0] < kind->size_1_0) {
        char why[80];
        snprintf(why, sizeof why, "has a table of %u bytes: ABI 1.0 has %u", head[0], kind->size_1_0);
        return refuse(r, EG_EINVAL, kind->what, NULL, why);
    }
    const char *name = pointer_at(given, kind->name);
    int whole = name && *name && strlen(name) <= MAX_NAME;
    for (size_t i = 0; i < MAX_REQUIRED && kind->required[i]; i++) whole = whole && pointer_at(given, kind->required[i]);
    if (!whole) return refuse(r, EG_EINVAL, kind->what, name, "lacks its name, a text or a function");
    if (head[1] & ~kind->known_flags)
        return refuse(r, EG_EUNSUPPORTED, kind->what, name, "sets flags that this host does not know");

    size_t *count = (size_t *)(void *)((char *)&r->pending + kind->count);
    char *slots = (char *)r + kind->slots;
    if (*count == kind->capacity) return refuse(r, EG_ELIMIT, kind->what, name, "is one more than the host holds");
    for (size_t i = 0; i < *count; i++)
        if (strcmp(pointer_at(slots + i * kind->slot_size, kind->name), name) == 0)
            return refuse(r, EG_ECONFLICT, kind->what, name, "exists already");
    char *slot = slots + *count * kind->slot_size;
    /* the host reads its own struct from here on */
    eg_copy_grown(slot, (uint32_t)kind->size, given, head[0]);
    memcpy(slot + kind->self, &self, sizeof self);
    ++*count;
    return EG_OK;
}

static eg_status add_detector(eg_registrar *r, const eg_detector *x, void *self) { return add(r, &detector_kind, x, self); }
static eg_status add_escalator(eg_registrar *r, const eg_escalator *x, void *self) {
    eg_status s = add(r, &escalator_kind, x, self);
    if (s != EG_OK || x->timeout_ms) return s;
    r->pending.escalators--;
    return refuse(r, EG_EINVAL, "the escalator", x->name, "has no timeout_ms: it would be waited for without end");
}
static eg_status add_storage(eg_registrar *r, const eg_storage_ops *x) { return add(r, &storage_kind, x, NULL); }
static eg_status add_tool(eg_registrar *r, const eg_tool *x, void *self) { return add(r, &tool_kind, x, self); }
static eg_status add_resource(eg_registrar *r, const eg_resource *x, void *self) { return add(r, &resource_kind, x, self); }
static eg_status add_prompt(eg_registrar *r, const eg_prompt *x, void *self) { return add(r, &prompt_kind, x, self); }
static eg_status add_gate(eg_registrar *r, const eg_gate *x, void *self) { return add(r, &gate_kind, x, self); }
static eg_status add_frontend(eg_registrar *r, const eg_frontend *x, void *self) { return add(r, &frontend_kind, x, self); }

static eg_status add_job_kind(eg_registrar *r, const eg_job_kind_ops *x, void *self) { return add(r, &job_kind, x, self); }
static eg_status on_change(eg_registrar *r, const eg_change_listener *x, void *self) { return add(r, &listener_kind, x, self); }

void eg_plugins_fill_services(eg_services *services) {
    services->add_detector = add_detector;
    services->add_escalator = add_escalator;
    services->add_storage = add_storage;
    services->add_tool = add_tool;
    services->add_resource = add_resource;
    services->add_prompt = add_prompt;
    services->add_gate = add_gate;
    services->add_frontend = add_frontend;
    services->add_job_kind = add_job_kind;
    services->on_change = on_change;
}

/* ---- the path ---- */

/* Walks the resolved path from the root; a link that appears on the way now is an attack and not
 * followed. */
static eg_status walk(const char *real, int *out, eg_error *err) {
    int at = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (const char *p = real + 1; at >= 0;) {
        struct stat st;
        char name[256];
        size_t n = strcspn(p, "/"), length = (size_t)(p - real) + n;
        int last = !p[n];
        if (n == 0 || n >= sizeof name) {
            close(at);
            return eg_fail(err, EG_EINVAL, "'%s' names no file", real);
        }
        memcpy(name, p, n);
        name[n] = 0;
        int next = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
        int e = errno;
        close(at);
        if (next < 0) return eg_fail(err, EG_EPERM, "cannot open '%.*s': %s", (int)length, real, strerror(e));
        eg_status s = fstat(next, &st) == 0 ? eg_owner_check(&st, (eg_str){real, length}, "no plugin is loaded from there", err)
                                            : eg_fail(err, EG_EIO, "cannot stat '%s'", real);
        if (s == EG_OK && last && !S_ISREG(st.st_mode)) s = eg_fail(err, EG_EINVAL, "'%s' is no regular file", real);
        if (s != EG_OK) {
            close(next);
            return s;
        }
        if (last) {
            *out = next;
            return EG_OK;
        }
        at = next;
        p += n + 1;
    }
    return eg_fail(err, EG_EIO, "cannot open '/': %s", strerror(errno));
}

eg_status eg_secure_open(const char *path, int *fd, eg_error *err) {
    if (path[0] != '/') return eg_fail(err, EG_EINVAL, "'%s' is no absolute path", path);
    char *real = realpath(path, NULL);
    if (!real) return eg_fail(err, EG_ENOENT, "cannot open plugin '%s': %s", path, strerror(errno));
    eg_status s = walk(real, fd, err);
    free(real);
    return s;
}

/* ---- the descriptor ---- */

eg_status eg_plugin_check_descriptor(const eg_plugin *d, const char *path, eg_error *err) {
    if (!d || d->magic != EG_PLUGIN_MAGIC) {
        return eg_fail(err, EG_EFORMAT, "'%s' is no Engram plugin: its descriptor has another magic number", path);
    }
    if (d->abi_major != EG_ABI_MAJOR || d->abi_minor > EG_ABI_MINOR) {
        return eg_fail(err, EG_EVERSION,
                       "'%s' was built for plugin ABI %u.%u, this host has %d.%d: rebuild the plugin or "
                       "update Engram",
                       path, (unsigned)d->abi_major, (unsigned)d->abi_minor, EG_ABI_MAJOR, EG_ABI_MINOR);
    }
    if (d->size < EG_PLUGIN_SIZE_1_0) {
        return eg_fail(err, EG_EFORMAT, "'%s': the descriptor is %u bytes, this host expects at least %u", path,
                       (unsigned)d->size, (unsigned)EG_PLUGIN_SIZE_1_0);
    }
    if (d->kind < EG_KIND_DETECTOR || d->kind > EG_KIND_ESCALATOR || !d->name || !*d->name || strlen(d->name) > MAX_NAME ||
        !d->version || !d->licence || !d->open) {
        return eg_fail(err, EG_EFORMAT, "'%s': the descriptor lacks a kind, name, version, licence or open function", path);
    }
    return EG_OK;
}

/* dlopen of what fd holds. fd stays open for the plugin's life: glibc knows libraries by name, and
 * a reused number would give the first library again. */
static eg_status open_library(int fd, const struct stat *st, const char *path, void **out, eg_error *err) {
    char name[64];
    struct stat seen;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int by_fd = stat(name, &seen) == 0 && seen.st_dev == st->st_dev && seen.st_ino == st->st_ino;
    *out = dlopen(by_fd ? name : path, RTLD_NOW | RTLD_LOCAL);
    if (!*out) {
        const char *why = dlerror();
        return eg_fail(err, EG_EFORMAT, "cannot load plugin '%s': %s", path, why ? why : "no reason given");
    }
    if (!by_fd && (stat(path, &seen) != 0 || seen.st_dev != st->st_dev || seen.st_ino != st->st_ino)) {
        return eg_fail(err, EG_EPERM, "'%s' changed while it was loaded", path);
    }
    return EG_OK;
}

/* Runs open() with registrations collected; they count only when it succeeds. */
static eg_status start(eg_plugins *p, eg_loaded_plugin *row, const eg_services *services, eg_error *err) {
    eg_registrar *r = &p->registrar;
    eg_error told = {0};
    r->pending = r->committed;
    r->why[0] = 0;
    r->is_open = 1;
    eg_status s = row->plugin->open(services, r, &row->self, &told);
    r->is_open = 0;
    if (s == EG_OK) {
        r->committed = r->pending;
        return EG_OK;
    }
    r->pending = r->committed;
    told.text[sizeof told.text - 1] = 0;
    const char *why = told.text[0] ? told.text : r->why[0] ? r->why : eg_status_text(s);
    return eg_fail(err, s, "plugin %s ('%s') did not open: %s", row->plugin->name, row->path, why);
}

/* Checks the descriptor, refuses a second plugin of the name, opens. */
static eg_status take_descriptor(eg_plugins *p, eg_loaded_plugin *row, const eg_plugin *plugin, const eg_services *services,
                                 eg_error *err) {
    eg_status s = eg_plugin_check_descriptor(plugin, row->path, err);
    for (size_t i = 0; s == EG_OK && i < p->count; i++) {
        const eg_loaded_plugin *o = &p->rows[i];
        if (o->plugin && strcmp(o->plugin->name, plugin->name) == 0) {
            s = eg_fail(err, EG_ECONFLICT, "'%s': a plugin named %s is loaded from '%s'", row->path, plugin->name, o->path);
        }
    }
    if (s != EG_OK) return s;
    row->copy = (eg_plugin){0};
    memcpy(&row->copy, plugin, plugin->size < sizeof row->copy ? plugin->size : sizeof row->copy);
    row->plugin = &row->copy;
    s = start(p, row, services, err);
    if (s != EG_OK) row->plugin = NULL;
    return s;
}

static eg_status load(eg_plugins *p, eg_loaded_plugin *row, const eg_services *services, eg_error *err) {
    int fd;
    struct stat st;
    void *library;
    eg_status s = eg_secure_open(row->path, &fd, err);
    if (s != EG_OK) return s;
    if (fstat(fd, &st) != 0) s = eg_fail(err, EG_EIO, "cannot stat '%s': %s", row->path, strerror(errno));
    for (size_t i = 0; s == EG_OK && i < p->count; i++) {
        const eg_loaded_plugin *o = &p->rows[i];
        if (o != row && o->plugin && o->device == st.st_dev && o->inode == st.st_ino) {
            s = eg_fail(err, EG_ECONFLICT, "'%s' is the same file as '%s', which is loaded", row->path, o->path);
        }
    }
    if (s == EG_OK) s = eg_elf_check_size(fd, st.st_size, row->path, err);
    if (s != EG_OK) {
        close(fd);
        return s;
    }
    s = open_library(fd, &st, row->path, &library, err); /* from here on fd stays open */
    if (s != EG_OK) return s;
    const eg_plugin *(*entry)(void);
    *(void **)&entry = dlsym(library, "eg_plugin_entry"); /* POSIX: the cast of dlsym */
    if (!entry) return eg_fail(err, EG_EFORMAT, "'%s' is no Engram plugin: it exports no eg_plugin_entry", row->path);
    s = take_descriptor(p, row, entry(), services, err);
    if (s == EG_OK) {
        row->device = st.st_dev;
        row->inode = st.st_ino;
    }
    return s;
}

eg_status eg_plugins_take(eg_plugins *p, const char *name, const eg_plugin *plugin, const eg_services *services, eg_error *err) {
    if (p->count == EG_MAX_PLUGINS) return eg_fail(err, EG_ELIMIT, "more than %d plugins are listed", EG_MAX_PLUGINS);
    eg_loaded_plugin *row = &p->rows[p->count];
    *row = (eg_loaded_plugin){.path = eg_arena_printf(p->arena, "static:%s", name)};
    if (!row->path) return eg_fail_memory(err, strlen(name));
    p->count++;
    eg_status s = take_descriptor(p, row, plugin, services, err);
    if (s != EG_OK) {
        row->problem = eg_arena_copy(p->arena, eg_str_of(err->text));
        if (!row->problem) row->problem = "out of memory";
    }
    return s;
}

eg_status eg_plugins_load(eg_plugins *p, const char *path, const eg_services *services, eg_error *err) {
    eg_error local;
    if (!err) err = &local;
    if (p->count == EG_MAX_PLUGINS) return eg_fail(err, EG_ELIMIT, "more than %d plugins are listed", EG_MAX_PLUGINS);
    eg_loaded_plugin *row = &p->rows[p->count];
    *row = (eg_loaded_plugin){.path = eg_arena_copy(p->arena, eg_str_of(path))};
    if (!row->path) return eg_fail_memory(err, strlen(path));
    p->count++;
    eg_status s = load(p, row, services, err);
    if (s != EG_OK) {
        row->problem = eg_arena_copy(p->arena, eg_str_of(err->text));
        if (!row->problem) row->problem = "out of memory";
    }
    return s;
}

void eg_plugins_close(eg_plugins *p) {
    for (size_t i = p->count; i-- > 0;) {
        eg_loaded_plugin *row = &p->rows[i];
        if (row->plugin && row->plugin->close) row->plugin->close(row->self);
    }
    p->count = 0;
}
