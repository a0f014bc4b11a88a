/* check_command.c - `engram check`: statements out of files, compared with each other (and with the store when asked), as text,
 * JSON or SARIF. Writes nothing. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "core/base/file.h"
#include "tools/cli.h"
#include "tools/markdown.h"

enum { MAX_FILE = 16 << 20, MAX_FILES = 5000, MAX_PATH = 4096 };

/* ---- which files ---- */

typedef struct file_list {
    char **paths;
    size_t count;
} file_list;

static int ends_with(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int is_readable_kind(const char *name) {
    return ends_with(name, ".md") || ends_with(name, ".markdown") || ends_with(name, ".txt") || ends_with(name, ".jsonl");
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int push(file_list *l, const char *path) {
    if (l->count == MAX_FILES) return complain("more than %d files: name fewer folders", MAX_FILES);
    char **p = realloc(l->paths, (l->count + 1) * sizeof *p);
    if (!p) return complain("out of memory");
    l->paths = p;
    if (!(p[l->count] = strdup(path))) return complain("out of memory");
    l->count++;
    return 0;
}

/* The entries of a folder: files of a kind that is read to `files`, folders to `folders`. Hidden ones and links are left out. */
static int list_folder(const char *folder, file_list *files, file_list *folders) {
    DIR *d = opendir(folder);
    if (!d) return complain("cannot read the folder '%s'", folder);
    int status = 0;
    for (struct dirent *e; !status && (e = readdir(d));) {
        char path[MAX_PATH];
        struct stat st;
        if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        if (lstat(path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) status = push(folders, path);
        if (S_ISREG(st.st_mode) && is_readable_kind(e->d_name)) status = push(files, path);
    }
    closedir(d);
    return status;
}

static void release(file_list *l) {
    for (size_t i = 0; i < l->count; i++) free(l->paths[i]);
    free(l->paths);
}

/* Files of a path: itself, or everything below a folder in the order of names. A queue of folders, no recursion. */
static int find_files(const char *path, file_list *out) {
    struct stat st;
    if (strcmp(path, "-") == 0) return push(out, path);
    if (stat(path, &st) != 0) return complain("'%s' is not there", path);
    if (!S_ISDIR(st.st_mode)) return push(out, path);
    file_list folders = {0}, files = {0};
    int status = push(&folders, path);
    for (size_t i = 0; !status && i < folders.count; i++) status = list_folder(folders.paths[i], &files, &folders);
    if (files.count) qsort(files.paths, files.count, sizeof *files.paths, by_name);
    for (size_t i = 0; !status && i < files.count; i++) status = push(out, files.paths[i]);
    release(&folders);
    release(&files);
    return status;
}

static int read_file(statements *s, const char *path) {
    eg_error err = {0};
    eg_str text = {0};
    eg_status st = EG_OK;
    char *from_stdin = NULL;
    if (strcmp(path, "-") == 0) {
        if (!(from_stdin = read_stream(stdin, "standard input", MAX_FILE, &text.len))) return EXIT_ERROR;
        text.ptr = from_stdin;
    } else {
        st = eg_file_read(path, MAX_FILE, s->arena, &text, &err);
    }
    const char *name = from_stdin ? "stdin" : path;
    if (st == EG_OK)
        st = ends_with(path, ".jsonl") ? eg_read_jsonl(s, name, text, &err)
             : ends_with(path, ".txt") ? eg_read_text(s, name, text, &err)
                                       : eg_read_markdown(s, name, text, &err);
    free(from_stdin);
    return st == EG_OK ? 0 : complain("%s", err.text);
}

/* ---- output ---- */

static void print_place(const char *mark, eg_str file, uint32_t line, eg_str content) {
    printf("  %s %.*s:%u\n      %.*s\n", mark, (int)file.len, file.ptr, line, (int)content.len, content.ptr);
}

static void print_findings(const eg_checked *r, const statements *s, size_t files) {
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = &r->findings[i];
        const eg_check_item *a = &s->items[f->item];
        static const char *const severities[] = EG_SEVERITY_WORDS;
        printf("contradiction %zu  %s  %.*s %.2f\n", i + 1, severities[f->severity], (int)f->tier.len, f->tier.ptr, f->score);
        if (f->other == UINT32_MAX)
            print_place("stored:", f->fact.scope, 0, f->fact.content);
        else
            print_place("-", s->items[f->other].file, s->items[f->other].line, s->items[f->other].content);
        print_place("-", a->file, a->line, a->content);
        printf("  why: %.*s\n\n", (int)f->explanation.len, f->explanation.ptr);
    }
    printf("%zu statement%s in %zu file%s: %zu contradiction%s\n", s->count, s->count == 1 ? "" : "s", files, files == 1 ? "" : "s",
           r->count, r->count == 1 ? "" : "s");
    if (r->without_nli) fputs("(without an NLI model: only what rules can tell; see `engram doctor`)\n", stderr);
}

static cJSON *json_text(eg_str s) {
    char *z = malloc(s.len + 1);
    if (!z) return NULL;
    if (s.len) memcpy(z, s.ptr, s.len);
    z[s.len] = '\0';
    cJSON *j = cJSON_CreateString(z);
    free(z);
    return j;
}

static cJSON *json_place(eg_str file, uint32_t line, eg_str content, eg_str scope, eg_span span) {
    cJSON *o = cJSON_CreateObject(), *at = cJSON_CreateArray();
    cJSON_AddItemToObject(o, "file", json_text(file));
    cJSON_AddNumberToObject(o, "line", line);
    cJSON_AddItemToObject(o, "content", json_text(content));
    cJSON_AddItemToObject(o, "scope", json_text(scope));
    cJSON_AddItemToArray(at, cJSON_CreateNumber(span.start));
    cJSON_AddItemToArray(at, cJSON_CreateNumber(span.end));
    cJSON_AddItemToObject(o, "span", at);
    return o;
}

static cJSON *json_other(const eg_check_finding *f, const statements *s) {
    if (f->other == UINT32_MAX) return json_place(EG_STR(""), 0, f->fact.content, f->fact.scope, f->span_other);
    const eg_check_item *o = &s->items[f->other];
    return json_place(o->file, o->line, o->content, o->scope, f->span_other);
}

static void print_json(cJSON *o) {
    char *text = cJSON_PrintUnformatted(o);
    puts(text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(o);
}

static void print_result_json(const eg_checked *r, const statements *s, size_t files) {
    static const char *const severities[] = EG_SEVERITY_WORDS;
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "findings");
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = &r->findings[i];
        const eg_check_item *a = &s->items[f->item];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "a", json_other(f, s));
        cJSON_AddItemToObject(one, "b", json_place(a->file, a->line, a->content, a->scope, f->span_item));
        cJSON_AddBoolToObject(one, "stored", f->other == UINT32_MAX);
        cJSON_AddStringToObject(one, "severity", severities[f->severity]);
        cJSON_AddNumberToObject(one, "score", f->score);
        cJSON_AddItemToObject(one, "detection_tier", json_text(f->tier));
        cJSON_AddItemToObject(one, "explanation", json_text(f->explanation));
        cJSON_AddItemToArray(list, one);
    }
    cJSON_AddNumberToObject(o, "files", (double)files);
    cJSON_AddNumberToObject(o, "statements", (double)s->count);
    cJSON_AddNumberToObject(o, "pairs", (double)r->pairs);
    cJSON_AddBoolToObject(o, "nli", !r->without_nli);
    print_json(o);
}

static cJSON *sarif_location(eg_str file, uint32_t line) {
    cJSON *o = cJSON_CreateObject(), *physical = cJSON_AddObjectToObject(o, "physicalLocation");
    cJSON_AddItemToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", json_text(file));
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine", line ? line : 1);
    return o;
}

static void print_sarif(const eg_checked *r, const statements *s) {
    cJSON *o = cJSON_CreateObject(), *runs, *run, *driver, *results;
    cJSON_AddStringToObject(o, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(o, "version", "2.1.0");
    runs = cJSON_AddArrayToObject(o, "runs");
    cJSON_AddItemToArray(runs, run = cJSON_CreateObject());
    driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "engram");
    cJSON_AddStringToObject(driver, "version", ENGRAM_VERSION);
    results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = &r->findings[i];
        cJSON *one = cJSON_CreateObject(), *related;
        cJSON_AddItemToObject(one, "ruleId", json_text(f->tier));
        cJSON_AddStringToObject(one, "level", f->severity == EG_HIGH ? "error" : "warning");
        cJSON_AddItemToObject(cJSON_AddObjectToObject(one, "message"), "text", json_text(f->explanation));
        cJSON_AddItemToArray(cJSON_AddArrayToObject(one, "locations"), sarif_location(s->items[f->item].file, s->items[f->item].line));
        related = cJSON_AddArrayToObject(one, "relatedLocations");
        if (f->other != UINT32_MAX) cJSON_AddItemToArray(related, sarif_location(s->items[f->other].file, s->items[f->other].line));
        cJSON_AddItemToArray(results, one);
    }
    print_json(o);
}

static void show_progress(void *self, size_t done, size_t all) {
    (void)self;
    if (all > 50 && (done % 16 == 0 || done == all)) fprintf(stderr, "\r%zu of %zu statements%s", done, all, done == all ? "\r\033[K" : "");
}

static int check(const call *c, const statements *s, size_t files) {
    int against_store = call_option(c, "against-store") != NULL, status = EXIT_ERROR;
    eg_host *host = call_host(c, !against_store, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_checked r;
    eg_check_args args = {.items = s->items, .item_count = s->count, .against_store = (uint32_t)against_store,
                          .progress = isatty(STDERR_FILENO) ? show_progress : NULL};
    if (services->request_create(services->host, &stop_requested, &rq, &err) != EG_OK) {
        complain("%s", err.text);
    } else if (services->memory_ops->check(services->memory(services->host), rq, &args, &r) != EG_OK) {
        complain("%s", rq->err->text);
    } else {
        if (call_option(c, "sarif"))
            print_sarif(&r, s);
        else if (c->json)
            print_result_json(&r, s, files);
        else
            print_findings(&r, s, files);
        status = r.count ? EXIT_FOUND : EXIT_FINE;
    }
    if (rq) services->request_release(services->host, rq);
    eg_host_close(host);
    return status;
}

int run_check(const call *c) {
    if (c->positional_count == 0) return complain("check needs files or folders; '-' is standard input");
    file_list files = {0};
    eg_arena arena;
    eg_arena_init(&arena, 0);
    statements s = {.arena = &arena};
    int status = 0;
    for (size_t i = 0; !status && i < c->positional_count; i++) status = find_files(c->positional[i], &files);
    for (size_t i = 0; !status && i < files.count; i++) status = read_file(&s, files.paths[i]);
    if (!status) status = check(c, &s, files.count);
    release(&files);
    eg_arena_release(&arena);
    return status;
}
