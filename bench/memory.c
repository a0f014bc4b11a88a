/* memory.c - `bench_memory [FACTS [FOLDER [answers]]]`: latency of commits (embedding included,
 * synchronous=FULL, no waiting for the verdict) with the share of the disk, and of queries over a
 * store of FACTS facts (100,000 by default): the first one of a process apart. The store is made in
 * FOLDER and stays there; where it is there already, it is used as it is, so that two builds can be
 * compared over one store. Without FOLDER everything runs in a temporary folder below $TMPDIR.
 * With `answers` nothing is timed: it prints what each of the queries finds. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
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

/* The time of all processors that this process has used, in seconds. */
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* cpu: seconds for all n together. Other work on the machine makes the times longer, but hardly
 * that. */
static void print_row(const char *what, double *ms, size_t n, double cpu) {
    printf("%-60s p50 %8.2f ms   p95 %8.2f ms   p99 %8.2f ms   CPU %7.2f ms\n", what, eg_bench_quantile(ms, n, 0.5),
           eg_bench_quantile(ms, n, 0.95), eg_bench_quantile(ms, n, 0.99), cpu * 1000 / (double)n);
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

static void print_answer(eg_str topic, const char *scope, const eg_hits *hits) {
    printf("%.*s (%s)\n", (int)topic.len, topic.ptr, scope);
    for (size_t i = 0; i < hits->count; i++) {
        const eg_hit *h = &hits->hits[i];
        printf("  %.9f %.*s [%.*s]\n", h->relevance, (int)h->fact.content.len, h->fact.content.ptr, (int)h->why.len, h->why.ptr);
    }
}

/* ms: the time of each; NULL: prints the answers. */
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
        char text[200];
        args.topic = ms ? eg_str_of(topics[i % 6]) : sentence(text, sizeof text, (uint32_t)(i * 7919));
        args.scope = eg_str_of(scope);
        double begun = eg_bench_seconds();
        s = services->request_create(services->host, NULL, &rq, err);
        if (s == EG_OK && (s = services->memory_ops->query(services->memory(services->host), rq, &args, &hits)) != EG_OK)
            *err = *rq->err;
        if (ms) ms[i] = (eg_bench_seconds() - begun) * 1000;
        else if (s == EG_OK) print_answer(args.topic, scope, &hits);
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

static double times[COMMITS + QUERIES];

static eg_status stored_facts(const eg_services *services, uint64_t *out, eg_error *err) {
    eg_request *rq = NULL;
    eg_memory_status status;
    eg_status s = services->request_create(services->host, NULL, &rq, err);
    if (s != EG_OK) return s;
    s = services->memory_ops->status(services->memory(services->host), rq, &status);
    if (s == EG_OK) *out = status.store.facts;
    else *err = *rq->err;
    services->request_release(services->host, rq);
    return s;
}

/* Commits into an empty store, then the bulk of the facts, under the id of the model that is
 * active, so that queries scan them. */
static eg_status make_store(const eg_host *host, const char *folder, size_t facts, eg_error *err) {
    const eg_services *services = eg_host_services(host);
    char model[65] = "", command[700];
    eg_status s = commits(services, 5, times, err); /* opens the model */
    double cpu = cpu_seconds();
    if (s == EG_OK) s = commits(services, COMMITS, times, err);
    if (s != EG_OK) return s;
    print_row("commit, embedding, synchronous=FULL, no verdict", times, COMMITS, cpu_seconds() - cpu);
    if ((s = embed_only(services, times, err)) != EG_OK) return s;
    printf("  of it: embedding %.2f ms, one fsync of this disk %.2f ms\n", eg_bench_quantile(times, 100, 0.5), disk_ms(folder));
    snprintf(command, sizeof command, "sqlite3 '%s' 'SELECT model_id FROM models LIMIT 1'", eg_host_paths_of(host)->database);
    FILE *p = popen(command, "r");
    if (!p || fscanf(p, "%64s", model) != 1)
        return err->code = EG_ENOENT,
               snprintf(err->text, sizeof err->text, "the program sqlite3 is needed: apt-get install sqlite3"), EG_ENOENT;
    pclose(p);
    double begun = eg_bench_seconds();
    s = fill(services, eg_host_paths_of(host)->database, eg_str_of(model), facts, err);
    if (s == EG_OK) printf("filled with %zu facts in %.0f s\n", facts, eg_bench_seconds() - begun);
    return s;
}

static eg_status time_queries(const eg_services *services, size_t facts, eg_error *err) {
    static const char *const scopes[] = {"", "bench", "bench/rare"}, *const said[] = {"", ", in a scope that all have",
                                                                                      ", in the scope of a thousandth"};
    char what[200];
    double begun = eg_bench_seconds();
    eg_status s = embed_only(services, times, err); /* opens the model */
    if (s != EG_OK) return s;
    printf("model opened and texts embedded, p50 %.2f ms each, in %.0f ms\n", eg_bench_quantile(times, 100, 0.5),
           (eg_bench_seconds() - begun) * 1000);
    double cpu = cpu_seconds();
    if ((s = queries(services, "", 1, times, err)) != EG_OK) return s;
    printf("first query of the process, vectors read into memory: %.0f ms, CPU %.0f ms\n", times[0],
           (cpu_seconds() - cpu) * 1000);
    for (size_t i = 0; i < 3; i++) {
        cpu = cpu_seconds();
        if ((s = queries(services, scopes[i], QUERIES, times, err)) != EG_OK) return s;
        snprintf(what, sizeof what, "query over %zu facts%s", facts, said[i]);
        print_row(what, times, QUERIES, cpu_seconds() - cpu);
    }
    print_memory();
    cpu = cpu_seconds();
    if ((s = commits(services, COMMITS, times, err)) != EG_OK) return s;
    print_row("commit into the filled store", times, COMMITS, cpu_seconds() - cpu);
    return EG_OK;
}

static eg_status print_answers(const eg_services *services, eg_error *err) {
    eg_status s = queries(services, "", QUERIES, NULL, err);
    if (s == EG_OK) s = queries(services, "bench", QUERIES, NULL, err);
    return s == EG_OK ? queries(services, "bench/rare", QUERIES, NULL, err) : s;
}

static eg_status bench(const eg_host_options *o, const char *folder, size_t facts, int answers, eg_error *err) {
    char cpu[128];
    uint64_t stored = 0;
    eg_host *host = NULL;
    eg_bench_cpu(cpu, sizeof cpu);
    if (!answers) printf("memory on %s\n", cpu);
    eg_status s = eg_host_open(o, &host, err);
    if (s == EG_OK) s = stored_facts(eg_host_services(host), &stored, err);
    if (s == EG_OK && stored < facts) s = make_store(host, folder, facts, err);
    if (s == EG_OK) s = stored_facts(eg_host_services(host), &stored, err);
    seed = (uint32_t)stored; /* no sentences that are stored already */
    eg_host_close(host);
    host = NULL;
    if (s == EG_OK) s = eg_host_open(o, &host, err); /* as a process that starts */
    if (s == EG_OK) s = answers ? print_answers(eg_host_services(host), err) : time_queries(eg_host_services(host), facts, err);
    eg_host_close(host);
    return s;
}

int main(int argc, char **argv) {
    char folder[200], command[300];
    const char *base = getenv("TMPDIR");
    size_t facts = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    if (argc > 2) snprintf(folder, sizeof folder, "%s", argv[2]);
    else snprintf(folder, sizeof folder, "%s/engram-bench-XXXXXX", base ? base : "/tmp");
    if (argc > 2 ? mkdir(folder, 0700) != 0 && errno != EEXIST : !mkdtemp(folder)) {
        fprintf(stderr, "bench_memory: the folder '%s' cannot be made: %s\n", folder, strerror(errno));
        return 2;
    }
    char program[300]; /* plugins and models are found beside build/engram */
    snprintf(program, sizeof program, "%s", argv[0]);
    const char *settings[] = {"plugins=sqlite memory rules nli secrets"};
    eg_host_options o = {.home = folder, .workspace = "bench", .program = program, .settings = settings, .setting_count = 1};
    eg_error err = {0};
    eg_status s = bench(&o, folder, facts, argc > 3 && strcmp(argv[3], "answers") == 0, &err);
    if (s != EG_OK) fprintf(stderr, "bench_memory: %s\n", err.text);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return (argc <= 2 && system(command)) || s != EG_OK ? 2 : 0;
}
