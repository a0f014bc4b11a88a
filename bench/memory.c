/* memory.c - `bench_memory [FACTS]`: latency of commits (embedding included, synchronous=FULL, no
 * waiting for the verdict) with the share of the disk, and of queries over a store of FACTS facts
 * (100,000 by default). Everything runs in a temporary folder below $TMPDIR. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/machine.h"
#include "core/host/host.h"
#include "core/text/text.h"

enum { COMMITS = 300, QUERIES = 200, PER_SET = 500, DIMENSIONS = 384 };

const eg_plugin *eg_plugin_sqlite(void);

static uint32_t seed = 7;
static uint32_t next_random(void) { return (seed = seed * 1664525u + 1013904223u) >> 8; }

/* Sentences like those of agents, put together from parts: some 10 million different ones. */
static eg_str sentence(char *out, size_t size, uint32_t number) {
    static const char *const services[] = {"auth",    "billing", "search",    "mail",  "ledger",
                                           "catalog", "gateway", "scheduler", "media", "report"};
    static const char *const parts[] = {"worker",        "API",      "cache",   "queue", "index",
                                        "session store", "exporter", "replica", "proxy", "job"};
    static const char *const claims[] = {"keeps entries for %u minutes",
                                         "listens on port %u",
                                         "retries a failed call %u times",
                                         "limits clients to %u requests per second",
                                         "is owned by team %u",
                                         "reads its settings from config%u.yml",
                                         "handles %u tenants",
                                         "was moved to region r%u"};
    int n = snprintf(out, size, "The %s %s number %u ", services[next_random() % 10], parts[next_random() % 10], number % 977);
    n += snprintf(out + n, size - (size_t)n, claims[next_random() % 8], next_random() % 5000);
    return (eg_str){out, (size_t)n};
}

static eg_status capture(eg_registrar *r, const eg_storage_ops *s) {
    *(const eg_storage_ops **)(void *)r = s;
    return EG_OK;
}

/* Fills the store straight through its contract, with random unit vectors: what a query does does
 * not depend on their values. */
static eg_status fill(const eg_services *services, const char *database, eg_str model, size_t facts, eg_error *err) {
    eg_services with = *services;
    const eg_storage_ops *ops = NULL;
    eg_storage *store = NULL;
    void *self;
    eg_request *rq = NULL;
    with.add_storage = capture;
    eg_status s = eg_plugin_sqlite()->open(&with, (eg_registrar *)(void *)&ops, &self, err);
    if (s == EG_OK) s = services->request_create(services->host, NULL, &rq, err);
    const eg_storage_open_args where = {.size = sizeof where, .location = eg_str_of(database)};
    if (s == EG_OK) s = ops->open(&with, rq, &where, &store);
    for (size_t done = 0; s == EG_OK && done < facts; done += PER_SET) {
        eg_request *part = NULL;
        s = services->request_create(services->host, NULL, &part, err);
        if (s != EG_OK) break;
        eg_arena arena;
        eg_arena_init(&arena, 0);
        eg_change *changes = eg_request_array(part, PER_SET, sizeof *changes);
        eg_new_fact *rows = eg_request_array(part, PER_SET, sizeof *rows);
        eg_vector *vectors = eg_request_array(part, PER_SET, sizeof *vectors);
        float *values = eg_request_array(part, (size_t)PER_SET * DIMENSIONS, sizeof *values);
        for (size_t i = 0; s == EG_OK && i < PER_SET; i++) {
            char text[200];
            eg_fact *f = &rows[i].fact;
            f->content = eg_request_copy(part, sentence(text, sizeof text, (uint32_t)(done + i)));
            f->scope = (done + i) % 1000 ? EG_STR("bench") : EG_STR("bench/rare");
            f->agent_id = EG_STR("bench");
            f->id = f->lineage_id = services->new_id(services->host);
            services->sha256(services->host, f->id.bytes, 16, f->content_hash);
            eg_term *terms = eg_arena_array(&arena, 64, sizeof *terms);
            s = eg_text_terms(&arena, f->content, f->scope, terms, 64, &rows[i].term_count, err);
            rows[i].size = sizeof rows[i];
            rows[i].terms = terms;
            float *v = values + i * DIMENSIONS, sum = 0;
            for (size_t k = 0; k < DIMENSIONS; k++) {
                v[k] = (float)(int32_t)next_random() * 0x1p-23f - 1.0f;
                sum += v[k] * v[k];
            }
            for (size_t k = 0; k < DIMENSIONS; k++) v[k] /= __builtin_sqrtf(sum);
            vectors[i] = (eg_vector){.statement = UINT32_MAX, .dimensions = DIMENSIONS, .model_id = model, .values = v};
            rows[i].vectors = &vectors[i];
            rows[i].vector_count = 1;
            changes[i] = (eg_change){.kind = EG_CHANGE_FACT, .new_fact = &rows[i]};
        }
        const eg_change_set set = {.size = sizeof set, .actor = EG_STR("bench"), .changes = changes, .change_count = PER_SET};
        eg_applied applied;
        if (s == EG_OK && (s = ops->apply(store, part, &set, &applied)) != EG_OK) *err = *part->err;
        services->request_release(services->host, part);
        eg_arena_release(&arena);
    }
    if (rq && s != EG_OK && err->code == EG_OK) *err = *rq->err;
    if (store) ops->close(store);
    if (rq) services->request_release(services->host, rq);
    return s;
}

/* The median time of a small write followed by fsync, which each commit must wait for. */
static double disk_ms(const char *folder) {
    char path[300];
    double times[50];
    char page[4096] = {0};
    snprintf(path, sizeof path, "%s/fsync", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (int i = 0; fd >= 0 && i < 50; i++) {
        double begun = eg_bench_seconds();
        if (write(fd, page, sizeof page) < 0 || fsync(fd) != 0) break;
        times[i] = (eg_bench_seconds() - begun) * 1000;
    }
    if (fd >= 0) close(fd);
    return eg_bench_quantile(times, 50, 0.5);
}

static void print_row(const char *what, double *ms, size_t n) {
    printf("%-60s p50 %8.2f ms   p95 %8.2f ms   p99 %8.2f ms\n", what, eg_bench_quantile(ms, n, 0.5),
           eg_bench_quantile(ms, n, 0.95), eg_bench_quantile(ms, n, 0.99));
}

static void print_memory(void) {
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &pages, &resident) == 2)
        printf("memory of the process, models included: %ld MB\n", resident * sysconf(_SC_PAGESIZE) >> 20);
    if (f) fclose(f);
}

static eg_status commits(const eg_services *services, size_t n, double *ms, eg_error *err) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        char text[200];
        eg_commit_args args = EG_COMMIT_DEFAULTS;
        eg_receipt receipt;
        eg_request *rq = NULL;
        args.content = sentence(text, sizeof text, (uint32_t)(i * 31));
        args.scope = EG_STR("bench");
        args.agent_id = EG_STR("bench");
        args.wait_ms = 0;
        double begun = eg_bench_seconds();
        s = services->request_create(services->host, NULL, &rq, err);
        if (s == EG_OK && (s = services->memory_ops->commit(services->memory(services->host), rq, &args, &receipt)) != EG_OK)
            *err = *rq->err;
        ms[i] = (eg_bench_seconds() - begun) * 1000;
        if (rq) services->request_release(services->host, rq);
    }
    return s;
}

static eg_status queries(const eg_services *services, const char *scope, size_t n, double *ms, eg_error *err) {
    static const char *const topics[] = {"how long does the auth cache keep entries",
                                         "which port does the billing API listen on",
                                         "how often is a failed call of the mail worker retried",
                                         "who owns the search index",
                                         "rate limit of the gateway proxy",
                                         "where does the ledger exporter read its settings"};
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < n; i++) {
        eg_query_args args = EG_QUERY_DEFAULTS;
        eg_hits hits;
        eg_request *rq = NULL;
        args.topic = eg_str_of(topics[i % 6]);
        args.scope = eg_str_of(scope);
        double begun = eg_bench_seconds();
        s = services->request_create(services->host, NULL, &rq, err);
        if (s == EG_OK && (s = services->memory_ops->query(services->memory(services->host), rq, &args, &hits)) != EG_OK)
            *err = *rq->err;
        ms[i] = (eg_bench_seconds() - begun) * 1000;
        if (rq) services->request_release(services->host, rq);
    }
    return s;
}

static eg_status embed_only(const eg_services *services, double *ms, eg_error *err) {
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < 100; i++) {
        char text[200];
        float v[DIMENSIONS];
        eg_request *rq = NULL;
        eg_str one = sentence(text, sizeof text, (uint32_t)i);
        s = services->request_create(services->host, NULL, &rq, err);
        double begun = eg_bench_seconds();
        if (s == EG_OK && (s = services->embed(services->host, rq, &one, 1, v, DIMENSIONS)) != EG_OK) *err = *rq->err;
        ms[i] = (eg_bench_seconds() - begun) * 1000;
        if (rq) services->request_release(services->host, rq);
    }
    return s;
}

static eg_status bench(const eg_host *host, const char *folder, size_t facts, eg_error *err) {
    static double ms[COMMITS + QUERIES];
    const eg_services *services = eg_host_services(host);
    char cpu[128], model[65] = "";
    eg_bench_cpu(cpu, sizeof cpu);
    printf("memory on %s\n", cpu);
    eg_status s = commits(services, 5, ms, err); /* opens the model */
    if (s == EG_OK) s = commits(services, COMMITS, ms, err);
    if (s != EG_OK) return s;
    print_row("commit, embedding, synchronous=FULL, no verdict", ms, COMMITS);
    if ((s = embed_only(services, ms, err)) != EG_OK) return s;
    printf("  of it: embedding %.2f ms, one fsync of this disk %.2f ms\n", eg_bench_quantile(ms, 100, 0.5), disk_ms(folder));

    /* the bulk of the store gets the id of the active model, so that queries scan it */
    eg_request *rq = NULL;
    eg_memory_status status;
    if ((s = services->request_create(services->host, NULL, &rq, err)) != EG_OK) return s;
    s = services->memory_ops->status(services->memory(services->host), rq, &status);
    services->request_release(services->host, rq);
    char command[700];
    snprintf(command, sizeof command, "sqlite3 '%s' 'SELECT model_id FROM models LIMIT 1'", eg_host_paths_of(host)->database);
    FILE *p = popen(command, "r");
    if (!p || fscanf(p, "%64s", model) != 1)
        return err->code = EG_ENOENT,
               snprintf(err->text, sizeof err->text, "the program sqlite3 is needed: apt-get install sqlite3"), EG_ENOENT;
    pclose(p);
    double begun = eg_bench_seconds();
    if ((s = fill(services, eg_host_paths_of(host)->database, eg_str_of(model), facts, err)) != EG_OK) return s;
    printf("filled with %zu facts in %.0f s\n", facts, eg_bench_seconds() - begun);
    begun = eg_bench_seconds();
    if ((s = queries(services, "", 1, ms, err)) != EG_OK) return s;
    printf("first query, vectors read into memory: %.0f ms\n", (eg_bench_seconds() - begun) * 1000);
    static const char *const scopes[] = {"", "bench", "bench/rare"}, *const said[] = {"", ", in a scope that all have",
                                                                                      ", in the scope of a thousandth"};
    for (size_t i = 0; i < 3; i++) {
        if ((s = queries(services, scopes[i], QUERIES, ms, err)) != EG_OK) return s;
        snprintf(command, sizeof command, "query over %zu facts%s", facts, said[i]);
        print_row(command, ms, QUERIES);
    }
    print_memory();
    if ((s = commits(services, COMMITS, ms, err)) != EG_OK) return s;
    print_row("commit into the filled store", ms, COMMITS);
    return EG_OK;
}

int main(int argc, char **argv) {
    char folder[200], command[300];
    const char *base = getenv("TMPDIR");
    size_t facts = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    snprintf(folder, sizeof folder, "%s/engram-bench-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(folder)) return 2;
    char program[300]; /* plugins and models are found beside build/engram */
    snprintf(program, sizeof program, "%s", argv[0]);
    const char *settings[] = {"plugins=sqlite memory rules nli secrets"};
    eg_host_options o = {.home = folder, .workspace = "bench", .program = program, .settings = settings, .setting_count = 1};
    eg_host *host = NULL;
    eg_error err = {0};
    eg_status s = eg_host_open(&o, &host, &err);
    if (s == EG_OK) s = bench(host, folder, facts, &err);
    if (s != EG_OK) fprintf(stderr, "bench_memory: %s\n", err.text);
    eg_host_close(host);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) || s != EG_OK ? 2 : 0;
}
