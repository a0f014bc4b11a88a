/* plugin.c - the SQLite backend as a plugin: opening and closing a store, the table of operations,
 * the descriptor. */
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "postings.h"
#include "term_counts.h"

static void close_all(eg_storage *s) {
    connection_close(&s->writer);
    connection_close(&s->counter);
    for (int i = 0; i < READERS; i++) connection_close(&s->readers[i]);
}

static void close_store(eg_storage *s) {
    if (!s) return;
    close_all(s);
    vector_caches_release(s);
    fact_lengths_destroy(s->lengths);
    term_counts_destroy(s->term_counts);
    pthread_rwlock_destroy(&s->cache_lock);
    pthread_cond_destroy(&s->committed);
    pthread_mutex_destroy(&s->wait_lock);
    free(s->path);
    free(s);
}

static eg_status open_reader(connection *c, const char *path, connection_kind kind, eg_request *rq) {
    eg_status st = connection_open(c, path, kind, rq);
    if (st == EG_OK && (st = schema_check_read_only(c, rq)) != EG_OK) connection_close(c);
    return st;
}

static eg_status open_all(eg_storage *s, eg_request *rq) {
    eg_status st = connection_open(&s->writer, s->path, FOR_FACTS, rq);
    if (st == EG_OK) st = connection_open(&s->counter, s->path, FOR_COUNTS, rq);
    for (int i = 0; st == EG_OK && i < READERS; i++) st = connection_open(&s->readers[i], s->path, FOR_COUNTS, rq);
    return st;
}

static int may_be_readable(eg_status st) { return st == EG_EREADONLY || st == EG_EIO; }

/* For a store that could not be opened for writing, because of its permissions or because its disk
 * is full. Where SQLite cannot make the files of its log and nobody has the store open, the file is
 * read as one that does not change. */
static eg_status open_read_only(eg_storage *s, eg_request *rq) {
    connection_kind kind = READ_ONLY;
    eg_error why = *rq->err;
    close_all(s);
    eg_status st = open_reader(&s->readers[0], s->path, kind, rq);
    if (may_be_readable(st) && !has_log(s->path)) st = open_reader(&s->readers[0], s->path, kind = NEVER_CHANGES, rq);
    for (int i = 1; st == EG_OK && i < READERS; i++) st = open_reader(&s->readers[i], s->path, kind, rq);
    s->read_only = st == EG_OK;
    s->has_indexes = st == EG_OK && schema_has_indexes(&s->readers[0]);
    s->read_kind = kind;
    if (st == EG_OK && why.code == EG_EIO) snprintf(s->why_read_only, sizeof s->why_read_only, "%.250s", why.text);
    if (st != EG_OK && why.code == EG_EIO) *rq->err = why; /* the cause */
    return st == EG_OK ? st : rq->err->code;
}

static void init_locks(eg_storage *s) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->committed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&s->wait_lock, NULL);
    pthread_rwlock_init(&s->cache_lock, NULL);
}

/* A store with nothing open; NULL with the error record filled. */
static eg_storage *make_store(const eg_services *services, eg_request *rq, eg_str location) {
    eg_storage *s = calloc(1, sizeof *s);
    char *path = malloc(location.len + 1);
    struct fact_lengths *lengths = fact_lengths_create();
    struct term_counts *counts = term_counts_create();
    if (!s || !path || !lengths || !counts) {
        free(s);
        free(path);
        fact_lengths_destroy(lengths);
        term_counts_destroy(counts);
        eg_request_fail(rq, EG_ENOMEM, "out of memory while the store was opened");
        return NULL;
    }
    memcpy(path, location.ptr, location.len);
    path[location.len] = '\0';
    s->services = services;
    s->path = path;
    s->lengths = lengths;
    s->term_counts = counts;
    init_locks(s);
    return s;
}

static eg_status open_store(const eg_services *services, eg_request *rq, const eg_storage_open_args *args, eg_storage **out) {
    eg_str location = args->location;
    *out = NULL;
    eg_status st =
        check_flags(rq, "eg_storage_open_args", args->size, EG_STORAGE_OPEN_ARGS_SIZE_1_0, args->flags, EG_STORAGE_FOR_TESTS);
    if (st != EG_OK) return st;
    if (location.len == 0 || location.len > 4000)
        return eg_request_fail(rq, EG_EINVAL, "a store needs a path of at most 4,000 bytes");
    eg_storage *s = make_store(services, rq, location);
    if (!s) return EG_ENOMEM;
    s->read_kind = FOR_COUNTS;
    s->for_tests = (args->flags & EG_STORAGE_FOR_TESTS) != 0;
    s->opened_at = services->now(services->host) - clock_since_boot();
    st = schema_prepare(s->path, rq, services);
    if (st == EG_OK) st = open_all(s, rq);
    s->has_indexes = st == EG_OK;
    if (may_be_readable(st) && access(s->path, R_OK) == 0) st = open_read_only(s, rq);
    if (st != EG_OK) {
        close_store(s);
        return st;
    }
    *out = s;
    return EG_OK;
}

/* A store whose one connection stands in a transaction that has read something: from then on SQLite
 * shows it the pages of that moment. */
static eg_status take_snapshot(eg_storage *of, eg_request *rq, eg_storage **out) {
    *out = NULL;
    eg_storage *s = make_store(of->services, rq, eg_str_of(of->path));
    if (!s) return EG_ENOMEM;
    s->is_snapshot = s->read_only = 1;
    s->read_kind = of->read_kind;
    s->has_indexes = of->has_indexes;
    s->for_tests = of->for_tests;
    s->test_clock = of->test_clock;
    s->opened_at = of->opened_at;
    connection *c = &s->readers[0];
    eg_status st = connection_open(c, s->path, s->read_kind, rq);
    if (st == EG_OK) st = begin_read(c, rq);
    if (st == EG_OK) st = schema_check(c, rq, 0, NULL);
    if (st != EG_OK) {
        close_store(s);
        return st;
    }
    c->is_snapshot = 1;
    *out = s;
    return EG_OK;
}

static eg_status set_clock(eg_storage *s, eg_request *rq, int64_t clock) {
    if (!s->for_tests)
        return eg_request_fail(rq, EG_EUNSUPPORTED, "the clock of a store can be set only where it was opened for tests");
    s->test_clock = clock;
    return EG_OK;
}

static const eg_storage_ops operations = {
    .size = sizeof operations,
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .apply = sqlite_apply,
    .parts = sqlite_parts,
    .search = sqlite_search,
    .page = sqlite_page,
    .lineage = sqlite_lineage,
    .current_by_hash = sqlite_current_by_hash,
    .ids_by_suffix = sqlite_ids_by_suffix,
    .conflicts = sqlite_conflicts,
    .setting = sqlite_setting,
    .feedback = sqlite_feedback,
    .audit = sqlite_audit,
    .audit_verify = sqlite_audit_verify,
    .unembedded = sqlite_unembedded,
    .changes_since = sqlite_changes_since,
    .stats = sqlite_stats,
    .now = sqlite_now,
    .wait = sqlite_wait,
    .workspaces = sqlite_workspaces,
    .lease = sqlite_lease,
    .count_hits = sqlite_count_hits,
    .set_clock = set_clock,
    .edit_workspace = sqlite_edit_workspace,
    .check = sqlite_check,
    .repair_time = sqlite_repair_time,
    .ids_between = sqlite_ids_between,
    .events = sqlite_events,
    .purge = sqlite_purge,
    .links = sqlite_links,
    .snapshot = take_snapshot,
};

static eg_status open_plugin(const eg_services *services, eg_registrar *registrar, void **self, eg_error *err) {
    *self = NULL;
    if (sqlite3_libversion_number() < 3035000 || !sqlite3_threadsafe()) {
        snprintf(err->text, sizeof err->text, "SQLite %s is too old or built without threads: 3.35 or newer is needed",
                 sqlite3_libversion());
        return err->code = EG_EUNSUPPORTED;
    }
    return services->add_storage(registrar, &operations);
}

static void close_plugin(void *self) { (void)self; }

const eg_plugin *EG_PLUGIN_ENTRY(void) {
    static const eg_plugin plugin = {EG_PLUGIN_HEAD(EG_KIND_STORAGE, "sqlite", "1", "Apache-2.0"), .open = open_plugin,
                                     .close = close_plugin};
    return &plugin;
}
