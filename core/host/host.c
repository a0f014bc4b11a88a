/* host.c - puts a process together: settings, paths, workspace, plugins, store, memory, worker. See
 * host.h. */
#include "core/host/host.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/access/workspace.h"
#include "core/base/file.h"
#include "core/base/status.h"
#include "core/host/internal.h"
#include "core/host/static_plugins.h"
#include "core/text/text.h"
#include "core/base/cpu.h"

/* Folder of the running executable. */
static eg_status find_beside(eg_host *h, eg_error *err) {
    char path[MAX_PATH];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    char *real = NULL;
    if (n <= 0 && h->options.program) real = realpath(h->options.program, NULL);
    if (real) n = snprintf(path, sizeof path, "%s", real);
    free(real);
    if (n <= 0 || (size_t)n >= sizeof path - 1) {
        return eg_fail(err, EG_EIO, "cannot tell the folder of this program: is /proc mounted?");
    }
    while (n > 1 && path[n - 1] != '/') n--;
    h->beside = eg_arena_copy(&h->arena, (eg_str){path, n > 1 ? (size_t)n - 1 : 1});
    return h->beside ? EG_OK : eg_fail_memory(err, (size_t)n);
}

static eg_status read_settings(eg_host *h, eg_error *err) {
    eg_status s = eg_conf_create(&h->arena, &h->config, err);
    h->settings_file = eg_arena_printf(&h->arena, "%s/engram.conf", h->folders.config);
    if (s == EG_OK && !h->settings_file) s = eg_fail_memory(err, MAX_PATH);
    if (s == EG_OK) s = eg_conf_read(h->config, h->settings_file, err);
    if (s == EG_OK) s = eg_host_read_project(h, err);
    if (s == EG_OK) s = eg_conf_environment(h->config, err);
    for (size_t i = 0; s == EG_OK && i < h->options.setting_count; i++) {
        s = eg_conf_option(h->config, h->options.settings[i], err);
    }
    if (s == EG_OK && h->options.workspace) {
        const char *text = eg_arena_printf(&h->arena, "workspace=%s", h->options.workspace);
        s = text ? eg_conf_option(h->config, text, err) : eg_fail_memory(err, strlen(h->options.workspace));
    }
    return s == EG_OK ? eg_conf_finish(h->config, err) : s;
}

/* A wrong default scope is told once, with its origin, instead of at every commit. */
static eg_status check_scope(eg_host *h, eg_error *err) {
    eg_error problem = {0};
    eg_str canonical;
    const char *scope = eg_conf_get(h->config, "scope");
    eg_status s = scope ? eg_text_scope(&h->arena, eg_str_of(scope), &canonical, &problem) : EG_OK;
    return s == EG_OK ? EG_OK : eg_fail(err, s, "%s: %s", eg_conf_origin(h->config, "scope"), problem.text);
}

/* A repository that names none stops only what opens the store. */
static eg_status choose_workspace(eg_host *h, const char *folder, eg_error *err) {
    eg_error problem = {0};
    const char *named = eg_conf_get(h->config, "workspace"), *why;
    eg_place *p = eg_arena_alloc(&h->arena, sizeof *p);
    if (!p) return eg_fail_memory(err, sizeof *p);
    h->place = p;
    if (named) {
        why = h->options.workspace ? "--workspace" : eg_conf_origin(h->config, "workspace");
        *p = (eg_place){.workspace = eg_str_of(named), .why = eg_str_of(why)};
        eg_repository *here = eg_arena_alloc(&h->arena, sizeof *here);
        if (here && eg_repository_find(&h->arena, folder, here, NULL) == EG_OK) p->root = here->root;
        eg_status s = eg_workspace_check(p->workspace, &problem);
        return s == EG_OK ? EG_OK : eg_fail(err, s, "%s: %s", why, problem.text);
    }
    eg_status s = eg_host_place_of(h, &h->arena, folder, p, &problem);
    if (s == EG_OK) return EG_OK;
    if (s == EG_ENOMEM) return eg_fail(err, s, "%s", problem.text);
    if (s != EG_ENOENT && !h->options.without_store) return eg_fail(err, s, "%s: name one with --workspace NAME", problem.text);
    why = eg_arena_printf(&h->arena, "no setting, and %s", problem.text);
    if (!why) return eg_fail_memory(err, sizeof problem.text);
    *p = (eg_place){.workspace = EG_STR("local"), .why = eg_str_of(why)};
    h->by_default = p;
    return EG_OK;
}

static eg_status find_paths(eg_host *h, eg_error *err) {
    eg_arena *a = &h->arena;
    const char *built = eg_arena_printf(a, "%s/plugins", h->beside);
    const char *installed = eg_arena_printf(a, "%s/" ENGRAM_PLUGINS_FROM_BIN, h->beside);
    const char *database = eg_conf_get(h->config, "database");
    h->paths = (eg_host_paths){.data = h->folders.data,
                               .config = h->folders.config,
                               .cache = h->folders.cache,
                               .passed = h->folders.passed,
                               .plugins = built && eg_file_exists(built) ? built : installed,
                               .database = database ? database : eg_arena_printf(a, "%s/engram.db", h->folders.data)};
    if (!built || !installed || !h->paths.database) return eg_fail_memory(err, MAX_PATH);
    char shown[MAX_PATH];
    h->paths.database_shown = eg_arena_copy(a, eg_str_of(eg_conf_location(h->paths.database, shown, sizeof shown)));
    if (!h->paths.database_shown) return eg_fail_memory(err, MAX_PATH);
    return eg_host_find_models(h, err);
}

static int in_list(const char *list, eg_str name) {
    eg_str word;
    while (list && eg_conf_next_word(&list, &word)) {
        if (eg_str_eq(word, name)) return 1;
    }
    return 0;
}

/* The entry of a plugin that is part of the program; NULL when none has this name. */
static const eg_plugin *static_plugin(eg_str name) {
    for (const eg_static_plugin *s = eg_static_plugins; s->name; s++) {
        if (eg_str_eq(name, eg_str_of(s->name))) return s->entry();
    }
    return NULL;
}

/* The plugin whose settings are looked at. */
typedef struct reader {
    const eg_host *host;
    const char *plugin;
} reader;

static void warn_unread(void *self, const char *key, const char *origin, const char *meant, const char *known) {
    const reader *r = self;
    eg_error text = {0};
    if (meant)
        eg_fail(&text, EG_EINVAL, "%s: the plugin %s has no setting '%.60s'; did you mean '%s'?", origin, r->plugin, key, meant);
    else if (*known)
        eg_fail(&text, EG_EINVAL, "%s: the plugin %s has no setting '%.60s'; it has %s", origin, r->plugin, key, known);
    else eg_fail(&text, EG_EINVAL, "%s: the plugin %s has no settings: '%.60s' does nothing", origin, r->plugin, key);
    r->host->services.log(r->host->services.host, EG_LOG_WARN, "settings", text.text);
}

/* After all plugins are open: a plugin's settings are those that it has read by now. */
static eg_status check_plugin_settings(eg_host *h, eg_error *err) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < h->plugins.count; i++) {
        const eg_plugin *p = h->plugins.rows[i].plugin;
        reader r = {h, p ? p->name : ""};
        if (p) s = eg_conf_unread(h->config, eg_str_of(p->name), warn_unread, &r, err);
    }
    return s;
}

static eg_status load_plugins(eg_host *h, eg_error *err) {
    const char *at = eg_conf_get(h->config, "plugins"), *required = eg_conf_get(h->config, "plugins_required");
    eg_str word;
    while (at && eg_conf_next_word(&at, &word)) {
        int named = !memchr(word.ptr, '/', word.len) && !(word.len > 3 && memcmp(word.ptr + word.len - 3, ".so", 3) == 0);
        const char *path = word.ptr[0] == '/' ? eg_arena_copy(&h->arena, word)
                                              : eg_arena_printf(&h->arena, "%s/%.*s%s", h->paths.plugins, (int)word.len, word.ptr,
                                                                named ? ".so" : "");
        if (!path) return eg_fail_memory(err, word.len);
        eg_error problem = {0};
        const eg_plugin *built_in = named ? static_plugin(word) : NULL;
        eg_status s = built_in ? eg_plugins_take(&h->plugins, built_in->name, built_in, &h->services, &problem)
                               : eg_plugins_load(&h->plugins, path, &h->services, &problem);
        if (s == EG_OK) continue;
        if (in_list(required, EG_STR("all")) || in_list(required, word))
            return eg_fail(err, s,
                           "the plugin %.*s is required: %s; install or rebuild it, or take it out of the setting plugins",
                           (int)word.len, word.ptr, problem.text);
        h->services.log(h, EG_LOG_WARN, "plugins", problem.text);
    }
    return EG_OK;
}

static eg_status open_store(eg_host *h, eg_error *err) {
    const char *name = eg_conf_get(h->config, "storage");
    const eg_registrar *r = &h->plugins.registrar;
    for (size_t i = 0; name && i < r->committed.storages; i++) {
        if (strcmp(r->storages[i].storage.name, name) == 0) h->storage_ops = &r->storages[i].storage;
    }
    if (!h->storage_ops)
        return eg_fail(err, EG_ENOENT, "no loaded plugin offers the storage '%s': see `engram plugins list`", name ? name : "");
    eg_status s = EG_OK;
    if (!eg_conf_get(h->config, "database")) s = eg_folder_make(h->folders.data, 0700, err);
    eg_request *rq;
    if (s == EG_OK) s = h->services.request_create(h, NULL, &rq, err);
    if (s != EG_OK) return s;
    const eg_storage_open_args args = {.size = sizeof args, .location = eg_str_of(h->paths.database)};
    s = h->storage_ops->open(&h->services, rq, &args, &h->storage);
    if (s != EG_OK) eg_fail(err, s, "%s", rq->err->text);
    h->services.request_release(h, rq);
    return s;
}

/* "a = 1 (where); b = 2 (where)" of the settings that are not the default. */
typedef struct set_list {
    eg_arena *arena;
    const char *text;
} set_list;
static void add_set(void *self, const char *key, const char *value, const char *origin) {
    set_list *l = self;
    if (!l->text || strcmp(origin, "default") == 0) return;
    l->text = eg_arena_printf(l->arena, "%s%s%s = %s (%s)", l->text, *l->text ? "; " : "", key, *value ? value : "unset", origin);
}

static eg_status make_memory(eg_host *h, eg_error *err) {
    char name[65] = "";
    set_list list = {&h->arena, ""};
    uint32_t cpus = eg_cpu_allowance();
    gethostname(name, sizeof name - 1);
    const char *owner = eg_arena_printf(&h->arena, "%s:%ld:%lld", name, (long)getpid(), (long long)h->services.now(h));
    eg_conf_each(h->config, add_set, &list);
    if (!owner || !list.text) return eg_fail_memory(err, sizeof name);
    h->set = eg_str_of(list.text);
    eg_memory_env env = {.services = &h->services,
                         .storage_ops = h->storage ? h->storage_ops : NULL,
                         .storage = h->storage,
                         .detectors = h->plugins.registrar.detectors,
                         .detector_count = h->plugins.registrar.committed.detectors,
                         .gates = h->plugins.registrar.gates,
                         .gate_count = h->plugins.registrar.committed.gates,
                         .writing_problem = h->writing_problem,
                         .job_kinds = h->plugins.registrar.job_kinds,
                         .job_kind_count = h->plugins.registrar.committed.job_kinds,
                         .escalators = h->plugins.registrar.escalators,
                         .escalator_count = h->plugins.registrar.committed.escalators,
                         .spend = eg_host_spend,
                         .embed_model = eg_host_embed_model,
                         .cache = h->folders.cache,
                         .embed_id = eg_host_embed_id,
                         .embed_query = eg_host_embed_query,
                         .describe_models = eg_host_describe_models,
                         .describe_settings = eg_host_describe_settings,
                         .stored = eg_host_stored,
                         .working_folder = eg_host_working_folder,
                         .last_verified = eg_host_last_verified,
                         .request_make = eg_host_request_make,
                         .wake = eg_host_worker_wake,
                         .host = h,
                         .self = {.size = sizeof(eg_principal), .role = EG_ROLE_ADMIN, .agent = h->actor},
                         .owner = eg_str_of(owner),
                         .mode = EG_STR("local"),
                         .default_wait_ms = (int32_t)eg_conf_number(h->config, "detection.wait_ms"),
                         .max_leased = cpus > 3 ? cpus / 2 : 1};
    return eg_memory_create(&env, &h->memory, err);
}

static eg_log_level log_level(const eg_host *h) {
    const char *word = eg_conf_get(h->config, "log");
    eg_log_level level = !word || *word == 'w' ? EG_LOG_WARN
                         : *word == 'e'        ? EG_LOG_ERROR
                         : *word == 'i'        ? EG_LOG_INFO
                                               : EG_LOG_DEBUG;
    int asked = h->options.verbose > 1 ? EG_LOG_DEBUG : h->options.verbose == 1 ? EG_LOG_INFO : EG_LOG_ERROR;
    return (int)level > asked ? level : (eg_log_level)asked;
}

static eg_status put_together(eg_host *h, eg_error *err) {
    char folder[MAX_PATH];
    if (sodium_init() < 0) return eg_fail(err, EG_EIO, "libsodium cannot start: is there no source of random numbers?");
    if (!getcwd(folder, sizeof folder)) return eg_fail(err, EG_EIO, "cannot tell the working directory: %s", strerror(errno));
    eg_status s = find_beside(h, err);
    if (s == EG_OK) s = eg_paths_resolve(&h->arena, h->options.home, &h->folders, err);
    if (s == EG_OK) s = eg_project_file_find(&h->arena, folder, &h->project_file, err);
    if (s == EG_OK) s = read_settings(h, err);
    if (s == EG_OK) s = check_scope(h, err);
    if (s == EG_OK) s = choose_workspace(h, folder, err);
    if (s == EG_OK) s = find_paths(h, err);
    if (s != EG_OK) return s;
    h->actor = eg_str_of(eg_arena_copy(&h->arena, eg_str_of(h->options.actor && *h->options.actor ? h->options.actor : "cli")));
    if (!h->actor.ptr) return eg_fail_memory(err, 1);
    h->level = log_level(h);
    eg_host_fill_services(h);
    eg_host_fill_inference(h);
    if (h->notice.len && !h->options.quiet_project) h->services.log(h, EG_LOG_WARN, "settings", h->notice.ptr);
    s = load_plugins(h, err);
    if (s == EG_OK) s = check_plugin_settings(h, err);
    if (s == EG_OK) s = eg_host_find_gates(h, err);
    if (s == EG_OK && !h->options.without_store) s = open_store(h, err);
    if (s == EG_OK && h->storage && h->writing_problem.len) h->services.log(h, EG_LOG_WARN, "gates", h->writing_problem.ptr);
    if (s == EG_OK) s = make_memory(h, err);
    if (s == EG_OK && h->options.worker && h->storage) s = eg_host_worker_start(h, err);
    return s;
}

eg_status eg_host_open(const eg_host_options *options, eg_host **out, eg_error *err) {
    eg_host *h = calloc(1, sizeof *h);
    if (!h) return eg_fail_memory(err, sizeof *h);
    eg_arena_init(&h->arena, 0);
    h->options = *options;
    h->plugins.arena = &h->arena;
    pthread_mutex_init(&h->model_lock, NULL);
    pthread_mutex_init(&h->id_lock, NULL);
    pthread_mutex_init(&h->place_lock, NULL);
    eg_arena_init(&h->places, 0);
    eg_host_worker_init(h);
    eg_status s = put_together(h, err);
    if (s != EG_OK) {
        eg_host_close(h);
        return s;
    }
    *out = h;
    return EG_OK;
}

void eg_host_close(eg_host *h) {
    if (!h) return;
    eg_host_worker_stop(h);
    if (h->memory) eg_memory_destroy(h->memory);
    if (h->storage) h->storage_ops->close(h->storage);
    eg_plugins_close(&h->plugins);
    eg_host_close_models(h);
    pthread_cond_destroy(&h->worker_wake);
    pthread_mutex_destroy(&h->worker_lock);
    pthread_mutex_destroy(&h->id_lock);
    pthread_mutex_destroy(&h->place_lock);
    eg_arena_release(&h->places);
    pthread_mutex_destroy(&h->model_lock);
    eg_arena_release(&h->arena);
    free(h);
}

const eg_services *eg_host_services(const eg_host *h) { return &h->services; }
const eg_host_paths *eg_host_paths_of(const eg_host *h) { return &h->paths; }
eg_str eg_host_writing_problem(const eg_host *h) { return h->writing_problem; }

eg_status eg_host_frontend(eg_host *h, const char *name, const eg_frontend **out, void **self, eg_error *err) {
    const eg_registrar *r = &h->plugins.registrar;
    char names[300] = "";
    for (size_t i = 0; i < r->committed.frontends; i++) {
        const char *have = r->frontends[i].frontend.name;
        if (strcmp(have, name) == 0) {
            *out = &r->frontends[i].frontend;
            *self = r->frontends[i].self;
            return EG_OK;
        }
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, " %s", have);
    }
    return eg_fail(err, EG_ENOENT, "no loaded plugin offers the front end '%s'; there is:%s", name, *names ? names : " none");
}

void eg_host_settings(const eg_host *h, void (*each)(void *self, const char *key, const char *value, const char *origin),
                      void *self) {
    eg_conf_each(h->config, each, self);
}

eg_status eg_host_setting_write(const eg_host *h, const char *key, const char *value, const char **path, eg_error *err) {
    if (path) *path = h->settings_file;
    return eg_conf_write(h->settings_file, key, value, err);
}

void eg_host_plugins(const eg_host *h, void (*each)(void *self, const char *path, const eg_plugin *plugin, const char *problem),
                     void *self) {
    for (size_t i = 0; i < h->plugins.count; i++) {
        each(self, h->plugins.rows[i].path, h->plugins.rows[i].plugin, h->plugins.rows[i].problem);
    }
}
