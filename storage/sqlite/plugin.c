/* plugin.c - the SQLite backend as a plugin: opening and closing a store, the table of operations, the descriptor. */
#include <stdlib.h>

#include "store.h"

static void close_store(eg_storage *s) {
    if (!s) return;
    connection_close(&s->writer);
    connection_close(&s->counter);
    for (int i = 0; i < READERS; i++) connection_close(&s->readers[i]);
    vector_caches_release(s);
    pthread_rwlock_destroy(&s->cache_lock);
    free(s->path);
    free(s);
}

static eg_status open_store(const eg_services *services, eg_request *rq, eg_str location, eg_storage **out) {
    *out = NULL;
    if (location.len == 0 || location.len > 4000) return eg_request_fail(rq, EG_EINVAL, "a store needs a path of at most 4,000 bytes");
    eg_storage *s = calloc(1, sizeof *s);
    char *path = malloc(location.len + 1);
    if (!s || !path) {
        free(s);
        free(path);
        return eg_request_fail(rq, EG_ENOMEM, "out of memory while the store was opened");
    }
    memcpy(path, location.ptr, location.len);
    path[location.len] = '\0';
    s->services = services;
    s->path = path;
    pthread_rwlock_init(&s->cache_lock, NULL);
    eg_status st = schema_prepare(path, rq, services);
    if (st == EG_OK) st = connection_open(&s->writer, path, 1, rq);
    if (st == EG_OK) st = connection_open(&s->counter, path, 0, rq);
    for (int i = 0; st == EG_OK && i < READERS; i++) st = connection_open(&s->readers[i], path, 0, rq);
    if (st != EG_OK) {
        close_store(s);
        return st;
    }
    *out = s;
    return EG_OK;
}

static const eg_storage_ops operations = {
    .size = sizeof operations,
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .apply = sqlite_apply,
    .fact = sqlite_fact,
    .facts = sqlite_facts,
    .ids_by_suffix = sqlite_ids_by_suffix,
    .current_by_hash = sqlite_current_by_hash,
    .lineage = sqlite_lineage,
    .list = sqlite_list,
    .search_text = sqlite_search_text,
    .search_vectors = sqlite_search_vectors,
    .claims_by_key = sqlite_claims_by_key,
    .claims_of = sqlite_claims_of,
    .statements_of = sqlite_statements_of,
    .conflict = sqlite_conflict,
    .conflicts = sqlite_conflicts,
    .pair_known = sqlite_pair_known,
    .setting = sqlite_setting,
    .feedback = sqlite_feedback,
    .agent = sqlite_agent,
    .audit = sqlite_audit,
    .audit_list = sqlite_audit_list,
    .audit_verify = sqlite_audit_verify,
    .stats = sqlite_stats,
    .last_seq = sqlite_last_seq,
    .lease = sqlite_lease,
    .jobs_of = sqlite_jobs_of,
    .count_hits = sqlite_count_hits,
    .audit_windows = sqlite_audit_windows,
    .unembedded = sqlite_unembedded,
};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    *self = NULL;
    if (sqlite3_libversion_number() < 3035000 || !sqlite3_threadsafe()) {
        snprintf(err->text, sizeof err->text, "SQLite %s is too old or built without threads: 3.35 or newer is needed", sqlite3_libversion());
        return err->code = EG_EUNSUPPORTED;
    }
    return services->add_storage(registrar, &operations);
}

static void close_plugin(void *self) { (void)self; }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_STORAGE, "sqlite", "1", "Apache-2.0"), .open = open_plugin, .close = close_plugin};
    return &plugin;
}
