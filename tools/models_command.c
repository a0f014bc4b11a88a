/* models_command.c - `engram models`: lists, downloads, checks and chooses models. The work on
 * files and the hub is in core/hub. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/hub/files.h"
#include "core/hub/pull.h"
#include "core/hub/sums.h"
#include "tools/cli.h"

enum { MAX_MODELS = 500, MAX_PATH = 4096, MOST_HOURS = 12 /* of a download */ };

typedef struct installed {
    char name[256], folder[MAX_PATH];
    int shipped, used_by_nli, used_by_embed;
} installed;

typedef struct collection {
    installed *rows;
    size_t count;
} collection;

static const char *setting(const eg_host *host, const char *key) {
    eg_str value;
    const eg_services *services = eg_host_services(host);
    return services->config(services->host, key, &value) == EG_OK ? value.ptr : "";
}

static int has(const char *folder, const char *file) {
    char path[MAX_PATH + 300];
    return snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path && eg_file_exists(path);
}

/* Adds a folder once; one of the same name that was found before hides it. */
static installed *add(collection *c, const char *name, const char *folder, int shipped) {
    char real[PATH_MAX];
    if (c->count == MAX_MODELS || strlen(name) >= sizeof c->rows->name || !realpath(folder, real) || strlen(real) >= MAX_PATH)
        return NULL;
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->rows[i].folder, real) == 0) return &c->rows[i];
        if (strcmp(c->rows[i].name, name) == 0) return NULL;
    }
    installed *m = &c->rows[c->count++];
    *m = (installed){.shipped = shipped};
    memcpy(m->name, name, strlen(name));
    memcpy(m->folder, real, strlen(real));
    return m;
}

static void add_all(collection *c, const char *folder, int shipped) {
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[MAX_PATH];
        if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        if (has(path, "config.json") || has(path, EG_SUMS_FILE)) add(c, e->d_name, path, shipped);
    }
    if (d) closedir(d);
}

static int by_name(const void *a, const void *b) {
    const installed *x = a, *y = b;
    return x->shipped != y->shipped ? y->shipped - x->shipped : strcmp(x->name, y->name);
}

/* All installed models, with those that the settings name marked; 0 after complaining. */
static int collect(const eg_host *host, collection *c) {
    const eg_host_paths *paths = eg_host_paths_of(host);
    *c = (collection){.rows = calloc(MAX_MODELS, sizeof *c->rows)};
    if (!c->rows) return complain("out of memory"), 0;
    add_all(c, paths->models, 0);
    add_all(c, paths->shipped, 1);
    for (int nli = 0; nli < 2; nli++) {
        char folder[MAX_PATH];
        const char *key = nli ? "model.nli" : "model.embed";
        if (eg_host_model_configured(host, key, folder, sizeof folder, NULL) != EG_OK) continue;
        installed *m = add(c, setting(host, key), folder, 0);
        if (m) *(nli ? &m->used_by_nli : &m->used_by_embed) = 1;
    }
    qsort(c->rows, c->count, sizeof *c->rows, by_name);
    return 1;
}

static int is_installed(const collection *c, const char *name) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->rows[i].name, name) == 0) return 1;
    return 0;
}

/* ---- list ---- */

/* What is known about an installed model: from its own files, or else from the table of known
 * models. */
typedef struct about {
    const char *task, *licence, *source, *problem;
    uint64_t bytes;
} about;

static about describe(const installed *m, eg_arena *arena, eg_sums *sums) {
    eg_model_kind kind = {.size = sizeof kind};
    eg_error err = {0};
    int listed = eg_sums_read(m->folder, arena, sums, NULL) == EG_OK;
    const eg_known_model *known = eg_known_model_find(m->name);
    about a = {.task = "?",
               .licence = listed ? sums->licence : "",
               .source = listed ? sums->source : "",
               .problem = "",
               .bytes = eg_model_bytes(m->folder)};
    if (eg_model_kind_of(m->folder, &kind, &err) == EG_OK) a.task = kind.task;
    else a.problem = eg_arena_printf(arena, "%s", err.text);
    if (!*a.licence && known && strncmp(a.source, known->repo, strlen(known->repo)) == 0) a.licence = known->licence;
    return a;
}

static void json_member(eg_buffer *b, const char *key, const char *value) {
    eg_buffer_format(b, "%s\"%s\":", b->len && b->ptr[b->len - 1] == '{' ? "" : ",", key);
    eg_buffer_json(b, eg_str_of(value));
}

static void print_installed(const installed *m, const about *a, int json, size_t at) {
    if (!json) {
        printf("%-22s %-8s %5.0f MB  %-10s %s%s%s%s%s\n", m->name, a->task, (double)a->bytes / 1e6,
               *a->licence ? a->licence : "-", m->shipped ? "shipped" : "installed",
               m->used_by_embed ? ", used for embeddings" : "", m->used_by_nli ? ", used for contradictions" : "",
               a->problem && *a->problem ? "; " : "", a->problem ? a->problem : "");
        return;
    }
    eg_buffer b = {0};
    eg_buffer_text(&b, at ? ",\n {" : " {");
    json_member(&b, "name", m->name);
    json_member(&b, "task", a->task);
    eg_buffer_format(&b, ",\"bytes\":%llu", (unsigned long long)a->bytes);
    json_member(&b, "licence", a->licence);
    json_member(&b, "source", a->source);
    eg_buffer_format(&b, ",\"installed\":true,\"ships\":%s,\"in_use\":[%s%s%s]", m->shipped ? "true" : "false",
                     m->used_by_embed ? "\"embed\"" : "", m->used_by_embed && m->used_by_nli ? "," : "",
                     m->used_by_nli ? "\"nli\"" : "");
    json_member(&b, "folder", m->folder);
    if (a->problem && *a->problem) json_member(&b, "problem", a->problem);
    eg_buffer_text(&b, "}");
    printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
    eg_buffer_release(&b);
}

static void print_known(const eg_known_model *k, int json, size_t at) {
    if (!json) {
        printf("%-22s %-8s %5u MB  %-10s `engram models pull %s`%s%s\n", k->name, k->task, k->megabytes, k->licence, k->name,
               *k->note ? "; " : "", k->note);
        return;
    }
    eg_buffer b = {0};
    eg_buffer_text(&b, at ? ",\n {" : " {");
    json_member(&b, "name", k->name);
    json_member(&b, "task", k->task);
    eg_buffer_format(&b, ",\"bytes\":%llu", (unsigned long long)k->megabytes * 1000000);
    json_member(&b, "licence", k->licence);
    json_member(&b, "source", k->repo);
    eg_buffer_text(&b, ",\"installed\":false,\"ships\":false,\"in_use\":[]");
    if (*k->note) json_member(&b, "note", k->note);
    eg_buffer_text(&b, "}");
    printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
    eg_buffer_release(&b);
}

static int list(const call *c, const eg_host *host) {
    collection all;
    eg_arena arena;
    size_t n, printed = 0;
    const eg_known_model *known = eg_known_models(&n);
    eg_sums *sums = malloc(sizeof *sums);
    if (!sums || !collect(host, &all)) return free(sums), EXIT_ERROR;
    eg_arena_init(&arena, 0);
    if (c->json) puts("{\"models\":[");
    for (size_t i = 0; i < all.count; i++, printed++) {
        about a = describe(&all.rows[i], &arena, sums);
        print_installed(&all.rows[i], &a, c->json, printed);
        eg_arena_release(&arena);
    }
    for (size_t i = 0; i < n; i++)
        if (!is_installed(&all, known[i].name)) print_known(&known[i], c->json, printed++);
    if (c->json) puts("\n]}");
    free(sums);
    free(all.rows);
    return EXIT_FINE;
}

/* ---- verify ---- */

/* Prints a problem, as a line or as an element of the list "problems". */
static void tell(const char *text, int json, size_t at) {
    eg_buffer b = {0};
    if (json) {
        if (at) eg_buffer_text(&b, ",");
        eg_buffer_json(&b, eg_str_of(text));
        printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
        eg_buffer_release(&b);
    } else {
        printf("  %s\n", text);
    }
}

/* Returns the number of problems; *stopped: the user interrupted the check. */
static size_t check_files(const installed *m, const eg_sums *sums, int json, int *stopped) {
    size_t problems = 0;
    for (size_t i = 0; i < sums->count && !*stopped; i++) {
        eg_error err = {0};
        eg_status s = eg_sums_check(m->folder, &sums->rows[i], &(eg_cancel){.flag = &stop_flag}, &err);
        *stopped = s == EG_ECANCELLED;
        if (s != EG_OK && !*stopped) tell(err.text, json, problems++);
    }
    const char *more = *stopped ? NULL : eg_sums_unlisted(m->folder, sums);
    if (more) {
        char text[MAX_PATH + 300];
        snprintf(text, sizeof text, "'%s/%s' has no recorded checksum: remove the file, or add it to " EG_SUMS_FILE, m->folder,
                 more);
        tell(text, json, problems++);
    }
    return problems;
}

/* Checks one model and prints it. EXIT_FINE, EXIT_FOUND when a file is wrong, EXIT_ERROR when it
 * does not open or nothing can be checked. */
static int verify_one(const installed *m, eg_engine *engine, int json, size_t at) {
    eg_arena arena;
    eg_error err = {0};
    eg_model *model = NULL;
    eg_sums *sums = malloc(sizeof *sums);
    if (!sums) return complain("out of memory");
    eg_arena_init(&arena, 0);
    eg_status listed = eg_sums_read(m->folder, &arena, sums, &err);
    int stopped = 0, status = EXIT_FINE;
    eg_buffer b = {0};
    if (json) {
        eg_buffer_text(&b, at ? ",\n {" : " {");
        json_member(&b, "name", m->name);
        json_member(&b, "folder", m->folder);
        eg_buffer_format(&b, ",\"recorded\":%s,\"files\":%zu,\"problems\":[", listed == EG_OK ? "true" : "false",
                         listed == EG_OK ? sums->count : 0);
        printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
        eg_buffer_release(&b);
    }
    size_t problems = 0;
    if (listed == EG_OK) problems = check_files(m, sums, json, &stopped);
    if (problems) status = EXIT_FOUND;
    if (listed != EG_OK && listed != EG_ENOENT) tell(err.text, json, problems++), status = EXIT_FOUND;
    if (!stopped && eg_model_open(engine, m->folder, NULL, &model, &err) != EG_OK) {
        tell(err.text, json, problems++);
        if (!status) status = EXIT_ERROR;
    }
    eg_model_close(model);
    if (stopped) status = EXIT_ERROR;
    if (json) printf("],\"ok\":%s}", status == EXIT_FINE ? "true" : "false");
    if (!json && stopped) printf("stopped  %s\n", m->name);
    if (!json && !stopped && status)
        printf("WRONG    %s: %s\n", m->name, m->shipped ? "install Engram again" : "remove the folder and pull the model again");
    if (!json && !stopped && !status && listed == EG_OK)
        printf("OK       %s: %zu files match their checksums, and the model can be opened\n", m->name, sums->count);
    if (!json && !stopped && !status && listed != EG_OK)
        printf("OK       %s: the model can be opened; it has no recorded checksums\n", m->name);
    eg_arena_release(&arena);
    free(sums);
    return status;
}

/* The rows that the arguments name: a folder, a name, or none for all. 0 after complaining. */
static int choose(const eg_host *host, const char *name, collection *c) {
    char folder[MAX_PATH];
    eg_error err = {0};
    if (!collect(host, c)) return 0;
    if (!name) return 1;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->rows[i].name, name) == 0) {
            c->rows[0] = c->rows[i];
            c->count = 1;
            return 1;
        }
    eg_status s = eg_host_model_folder(host, name, folder, sizeof folder, &err);
    c->count = 0;
    if (s == EG_OK && add(c, name, folder, 0)) return 1;
    free(c->rows);
    return complain("%s", err.text[0] ? err.text : "the path of the model is too long"), 0;
}

static int verify(const call *c, const eg_host *host) {
    collection all;
    eg_error err = {0};
    eg_engine *engine = NULL;
    int worst = EXIT_FINE;
    if (!choose(host, c->positional[1], &all)) return EXIT_ERROR;
    if (eg_engine_create(NULL, &engine, &err) != EG_OK) return free(all.rows), complain("%s", err.text);
    if (c->json) puts("{\"models\":[");
    for (size_t i = 0; i < all.count && !stop_requested(); i++) {
        int status = verify_one(&all.rows[i], engine, c->json, i);
        if (status > worst) worst = status;
    }
    if (c->json) printf("\n],\"ok\":%s}\n", worst == EXIT_FINE ? "true" : "false");
    eg_engine_destroy(engine);
    free(all.rows);
    return worst;
}

/* ---- use ---- */

/* Where the value of a setting comes from, for find_origin. */
typedef struct origin {
    const char *key, *found;
} origin;
static void find_origin(void *self, const char *key, const char *value, const char *from) {
    origin *o = self;
    (void)value;
    if (strcmp(key, o->key) == 0) o->found = from;
}

/* The value to write: a name stays one, a folder becomes absolute. 0 after complaining. */
static int value_of(const char *name, char *out, size_t size) {
    char real[PATH_MAX];
    if (strchr(name, '/') && !realpath(name, real)) return complain("there is no folder '%s'", name), 0;
    if (snprintf(out, size, "%s", strchr(name, '/') ? real : name) >= (int)size)
        return complain("the path '%.100s...' is too long", name), 0;
    return 1;
}

/* Facts of the workspace's store that have no vectors of the model of the setting `line`; with
 * `now`, makes them first. 0 after complaining. */
static int reembed(const call *c, const eg_host *host, const char *line, int now, uint64_t *left) {
    eg_error err = {0};
    eg_request *rq;
    *left = 0;
    if (!eg_file_exists(eg_host_paths_of(host)->database)) return 1;
    eg_host *with = call_host(c, 0, 0, &line, 1);
    if (!with) return 0;
    const eg_services *services = eg_host_services(with);
    eg_memory *memory = services->memory(services->host);
    eg_memory_status status = {0};
    eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    eg_status s = services->request_create(services->host, &options, &rq, &err);
    if (s == EG_OK) s = services->memory_ops->status(memory, rq, &status);
    *left = status.facts_to_embed;
    for (uint64_t all = *left; now && s == EG_OK && *left && !stop_requested();) {
        if (isatty(2)) fprintf(stderr, "\r%llu of %llu facts\033[K", (unsigned long long)(all - *left), (unsigned long long)all);
        services->request_release(services->host, rq); /* memory of its own for each second */
        rq = NULL;
        options.cancel.deadline = eg_clock_monotonic() + 1000000;
        s = services->request_create(services->host, &options, &rq, &err);
        if (s == EG_OK) s = services->memory_ops->reembed(memory, rq, left);
    }
    if (now && isatty(2)) fputs("\r\033[K", stderr);
    if (s != EG_OK) complain("%s", err.text[0] ? err.text : rq->err->text);
    services->request_release(services->host, rq);
    eg_host_close(with);
    return s == EG_OK;
}

static int use(const call *c, const eg_host *host) {
    static const char *const none[] = {"plugins="};
    const char *name = c->positional[1], *as = call_option(c, "as");
    char value[MAX_PATH], folder[MAX_PATH], line[MAX_PATH + 32];
    eg_error err = {0};
    eg_model_kind kind = {.size = sizeof kind};
    if (!value_of(name, value, sizeof value)) return EXIT_ERROR;
    if (eg_host_model_folder(host, value, folder, sizeof folder, &err) != EG_OK) {
        if (!eg_known_model_find(name)) return complain("%s", err.text);
        return complain("the model '%s' is not installed: `engram models pull %s`", name, name);
    }
    if (eg_model_kind_of(folder, &kind, &err) != EG_OK) return complain("%s", err.text);
    if (!as && strcmp(kind.task, "nli") != 0 && strcmp(kind.task, "embed") != 0)
        return complain("the model in '%s' was made for the task '%s': Engram uses models for nli and embed", folder, kind.task);
    if (!as) as = kind.task;
    int nli = strcmp(as, "nli") == 0;
    const char *key = nli ? "model.nli" : "model.embed";

    /* opened by a host that has the setting, exactly as every later process does */
    snprintf(line, sizeof line, "%s=%s", key, value);
    const char *settings[] = {none[0], line};
    eg_host *with = call_host(c, 1, 0, settings, 2);
    if (!with) return EXIT_ERROR;
    eg_status s = eg_host_model_try(with, key, &err);
    eg_host_close(with);
    if (s != EG_OK) return complain("%s", err.text);

    const char *path;
    if (eg_host_setting_write(host, key, value, &path, &err) != EG_OK) return complain("%s", err.text);
    origin o = {key, ""};
    eg_host_settings(host, find_origin, &o);
    uint64_t left = 0;
    if (!nli && !reembed(c, host, line, call_option(c, "now") != NULL, &left)) return EXIT_ERROR;
    int hidden = strcmp(o.found, "default") != 0 && strncmp(o.found, path, strlen(path)) != 0;
    if (c->json) {
        eg_buffer b = {0};
        eg_buffer_text(&b, "{");
        json_member(&b, "setting", key);
        json_member(&b, "value", value);
        json_member(&b, "file", path);
        if (!nli) eg_buffer_format(&b, ",\"facts_waiting\":%llu", (unsigned long long)left);
        if (hidden) json_member(&b, "hidden_by", o.found);
        eg_buffer_text(&b, "}\n");
        printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
        eg_buffer_release(&b);
    } else {
        printf("%s = %s is written to %s; running programs use it after a restart\n", key, value, path);
        if (left)
            printf(
                "%llu facts of this workspace need embeddings of the new model. `engram mcp` computes them in the background, each commit\n"
                "and query some of them, `engram models use %s --now` all of them. Until then queries find these facts by their words only;\n"
                "`engram status` shows how many are left. The embeddings of the old model are kept.\n",
                (unsigned long long)left, name);
    }
    if (hidden) note("note: %s sets %s as well, and takes precedence over the file", o.found, key);
    return EXIT_FINE;
}

/* ---- pull ---- */

typedef struct shown {
    const char *name;
    int64_t at, begun;
    uint64_t from;
    int line; /* a line of progress stands on the terminal */
} shown;

static void show_progress(void *self, const char *file, uint64_t done, uint64_t all) {
    shown *p = self;
    int64_t now = eg_clock_monotonic();
    if (p->name != file) *p = (shown){.name = file, .begun = now, .from = done, .line = p->line};
    if (!isatty(2) || (now - p->at < 200000 && done != all)) return;
    double seconds = (double)(now - p->begun) / 1e6,
           rate = seconds > 0.1 ? (double)(done - (done > p->from ? p->from : done)) / seconds / 1e6 : 0;
    if (all == UINT64_MAX) fprintf(stderr, "\r%-40.40s %8.1f MB  %6.1f MB/s\033[K", file, (double)done / 1e6, rate);
    else
        fprintf(stderr, "\r%-40.40s %3.0f %%  %.1f of %.1f MB  %6.1f MB/s\033[K", file,
                all ? 100.0 * (double)done / (double)all : 100, (double)done / 1e6, (double)all / 1e6, rate);
    p->at = now;
    p->line = 1;
}

static void show_waiting(void *self) {
    (void)self;
    fputs("engram: another process is downloading this model: waiting for it\n", stderr);
}

static void print_pulled(const call *c, const eg_pull *p, const eg_pulled *out) {
    if (c->json) {
        eg_buffer b = {0};
        eg_buffer_text(&b, "{");
        json_member(&b, "name", p->name);
        json_member(&b, "source", out->source);
        json_member(&b, "folder", out->folder);
        eg_buffer_format(&b, ",\"already\":%s,\"downloaded_bytes\":%llu", out->already ? "true" : "false",
                         (unsigned long long)out->bytes);
        json_member(&b, "unchecked", out->unchecked);
        eg_buffer_text(&b, "}\n");
        printf("%.*s", (int)b.len, b.ptr ? b.ptr : "");
        eg_buffer_release(&b);
    } else if (out->already) {
        printf("%s is already installed (%s)\n", p->name, out->source);
    } else {
        printf("%s is installed (%s, %.1f MB) and can be opened\n", p->name, out->source, (double)out->bytes / 1e6);
        if (!p->known)
            printf("its licence is stated at %s/%s\n", p->endpoint && *p->endpoint ? p->endpoint : "https://huggingface.co",
                   p->repo);
        if (p->known && *p->known->note) printf("note: %s\n", p->known->note);
        printf("run `engram models use %s` to use it\n", p->name);
    }
    if (*out->unchecked) note("note: the hub has no checksum of %s: only its length was checked", out->unchecked);
}

static int pull(const call *c, const eg_host *host) {
    char repo[300], revision[300];
    const char *text = c->positional[1];
    eg_error err = {0};
    /* a short name may have a revision too */
    char known_name[300];
    snprintf(known_name, sizeof known_name, "%.*s", (int)(strcspn(text, "@") < 200 ? strcspn(text, "@") : 200), text);
    const eg_known_model *known = eg_known_model_find(known_name);
    char full[800];
    snprintf(full, sizeof full, "%.300s%.400s", known ? known->repo : text, known ? text + strcspn(text, "@") : "");
    if (eg_pull_parse(known ? full : text, repo, revision, sizeof repo, &err) != EG_OK) return complain("%s", err.text);
    const char *name = call_option(c, "name");
    if (!name) name = known ? known->name : strrchr(repo, '/') + 1;
    shown progress = {0};
    eg_pulled out;
    eg_pull p = {.repo = repo,
                 .revision = revision,
                 .name = name,
                 .models = eg_host_paths_of(host)->models,
                 .known = known,
                 .endpoint = secure_getenv("HF_ENDPOINT"),
                 .token = secure_getenv("HF_TOKEN"),
                 .cancel = {.flag = &stop_flag, .deadline = eg_clock_monotonic() + MOST_HOURS * 3600 * INT64_C(1000000)},
                 .progress = show_progress,
                 .waiting = show_waiting,
                 .self = &progress};
    if (eg_engine_create(NULL, &p.engine, &err) != EG_OK) return complain("%s", err.text);
    eg_status s = eg_pull_model(&p, &out, &err);
    eg_engine_destroy(p.engine);
    if (progress.line) fputs("\r\033[K", stderr);
    if (s != EG_OK) return complain("%s", err.text);
    print_pulled(c, &p, &out);
    return EXIT_FINE;
}

int run_models(const call *c) {
    static const char *const none[] = {"plugins="};
    const char *what = c->positional_count ? c->positional[0] : "list";
    int (*run)(const call *c, const eg_host *host) = strcmp(what, "list") == 0 && c->positional_count <= 1     ? list
                                                     : strcmp(what, "verify") == 0 && c->positional_count <= 2 ? verify
                                                     : strcmp(what, "use") == 0 && c->positional_count == 2    ? use
                                                     : strcmp(what, "pull") == 0 && c->positional_count == 2   ? pull
                                                                                                               : NULL;
    if (!run) return complain_of_usage(c);
    eg_host *host = call_host(c, 1, 0, none, 1);
    if (!host) return EXIT_ERROR;
    int status = run(c, host);
    eg_host_close(host);
    return status;
}
