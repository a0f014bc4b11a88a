/* plugin_loader.c - loading plugins. See plugin_loader.h. */
#include "core/host/plugin_loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/status.h"

enum { SIZE_OF_ABI_0_1 = sizeof(eg_plugin), MOST_NAME = 64 };

/* Registration: each adds a row past the committed ones. */

static eg_status refuse(eg_registrar *r, eg_status code, const char *what, const char *name, const char *why) {
    snprintf(r->why, sizeof r->why, "%s '%.60s' %s", what, name ? name : "?", why);
    return code;
}

static eg_status may_add(eg_registrar *r, const char *what, const char *name, int well_formed, size_t count, size_t most) {
    if (!r->is_open) return EG_EREFUSED;
    if (!well_formed || !name || !*name || strlen(name) > MOST_NAME) {
        return refuse(r, EG_EINVAL, what, name, "lacks its size, name or function");
    }
    return count < most ? EG_OK : refuse(r, EG_ELIMIT, what, name, "is one more than the host holds");
}

#define REFUSE_DUPLICATE(array, n, field, what)                                                                            \
    for (size_t i = 0; i < (n); i++) {                                                                                     \
        if (strcmp((array)[i] field->name, x->name) == 0) return refuse(r, EG_ECONFLICT, what, x->name, "exists already"); \
    }

static eg_status add_detector(eg_registrar *r, const eg_detector *x, void *self) {
    eg_status s = may_add(r, "the detector", x ? x->name : NULL, x && x->size >= sizeof *x && x->examine && x->version,
                          r->pending.detectors, EG_MOST_DETECTORS);
    if (s != EG_OK) return s;
    REFUSE_DUPLICATE(r->detectors, r->pending.detectors, .detector, "the detector")
    r->detectors[r->pending.detectors++] = (eg_detector_slot){x, self};
    return EG_OK;
}

static eg_status add_storage(eg_registrar *r, const eg_storage_ops *x) {
    eg_status s = may_add(r, "the storage", x ? x->name : NULL, x && x->size >= sizeof *x && x->open && x->close && x->apply,
                          r->pending.storages, EG_MOST_STORAGES);
    if (s != EG_OK) return s;
    REFUSE_DUPLICATE(r->storages, r->pending.storages, , "the storage")
    r->storages[r->pending.storages++] = x;
    return EG_OK;
}

static eg_status add_tool(eg_registrar *r, const eg_tool *x, void *self) {
    eg_status s = may_add(r, "the tool", x ? x->name : NULL, x && x->size >= sizeof *x && x->call && x->input_schema,
                          r->pending.tools, EG_MOST_TOOLS);
    if (s != EG_OK) return s;
    REFUSE_DUPLICATE(r->tools, r->pending.tools, .tool, "the tool")
    r->tools[r->pending.tools++] = (eg_tool_slot){x, self};
    return EG_OK;
}

static eg_status add_gate(eg_registrar *r, const eg_gate *x, void *self) {
    eg_status s =
        may_add(r, "the gate", x ? x->name : NULL, x && x->size >= sizeof *x && x->check, r->pending.gates, EG_MOST_GATES);
    if (s != EG_OK) return s;
    REFUSE_DUPLICATE(r->gates, r->pending.gates, .gate, "the gate")
    r->gates[r->pending.gates++] = (eg_gate_slot){x, self};
    return EG_OK;
}

static eg_status add_frontend(eg_registrar *r, const eg_frontend *x, void *self) {
    eg_status s = may_add(r, "the front end", x ? x->name : NULL, x && x->size >= sizeof *x && x->run, r->pending.frontends,
                          EG_MOST_FRONTENDS);
    if (s != EG_OK) return s;
    REFUSE_DUPLICATE(r->frontends, r->pending.frontends, .frontend, "the front end")
    r->frontends[r->pending.frontends++] = (eg_frontend_slot){x, self};
    return EG_OK;
}

void eg_plugins_fill_services(eg_services *services) {
    services->add_detector = add_detector;
    services->add_storage = add_storage;
    services->add_tool = add_tool;
    services->add_gate = add_gate;
    services->add_frontend = add_frontend;
}

/* The path. */

/* Owner root or this user; not writable by others, except a sticky folder (its entries are checked next). */
static eg_status check_owner(const struct stat *st, const char *path, size_t length, eg_error *err) {
    if (st->st_uid != 0 && st->st_uid != geteuid()) {
        return eg_fail(err, EG_EPERM, "'%.*s' belongs to user %u, not to root or you: no plugin is loaded from there",
                       (int)length, path, (unsigned)st->st_uid);
    }
    int open_to_others = (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (open_to_others && !(S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))) {
        return eg_fail(err, EG_EPERM, "'%.*s' can be written by its group or by others: run chmod go-w on it", (int)length, path);
    }
    return EG_OK;
}

/* Walks the resolved path from the root; a link that appears on the way now is an attack and not followed. */
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
        eg_status s =
            fstat(next, &st) == 0 ? check_owner(&st, real, length, err) : eg_fail(err, EG_EIO, "cannot stat '%s'", real);
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

/* The descriptor. */

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
    if (d->size < SIZE_OF_ABI_0_1) {
        return eg_fail(err, EG_EFORMAT, "'%s': the descriptor is %u bytes, this host expects at least %u", path,
                       (unsigned)d->size, (unsigned)SIZE_OF_ABI_0_1);
    }
    if (d->kind < EG_KIND_DETECTOR || d->kind > EG_KIND_ESCALATOR || !d->name || !*d->name || strlen(d->name) > MOST_NAME ||
        !d->version || !d->licence || !d->open) {
        return eg_fail(err, EG_EFORMAT, "'%s': the descriptor lacks a kind, name, version, licence or open function", path);
    }
    return EG_OK;
}

/* dlopen of what fd holds. fd stays open for the plugin's life: glibc knows libraries by name, and a reused number
 * would give the first library again. */
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
    row->plugin = plugin;
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
    if (p->count == EG_MOST_PLUGINS) return eg_fail(err, EG_ELIMIT, "more than %d plugins are listed", EG_MOST_PLUGINS);
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
    if (p->count == EG_MOST_PLUGINS) return eg_fail(err, EG_ELIMIT, "more than %d plugins are listed", EG_MOST_PLUGINS);
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
