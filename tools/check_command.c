/* check_command.c - `engram check`: finds files, has their statements read (core/docs) and compared with each other and, when
 * asked, with the store (core/memory/check.c), and prints the findings as text, JSON or SARIF. Writes nothing. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/docs/documents.h"
#include "tools/cli.h"

enum { MAX_FILE = 16 << 20, MAX_FILES = 5000, MAX_FOLDERS = 200000, MAX_PATH = 4096 };

/* ---- which files ---- */

/* Paths; for files also device and inode, so that one that is named twice is read once. */
typedef struct file_list {
    size_t max;
    const char *what; /* for messages */
    char **paths;
    struct file_key {
        dev_t device;
        ino_t inode;
    } * keys;
    size_t count;
} file_list;

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int push(file_list *l, const char *path, const struct stat *st) {
    struct file_key key = {st ? st->st_dev : 0, st ? st->st_ino : 0};
    for (size_t i = 0; st && i < l->count; i++)
        if (l->keys[i].device == key.device && l->keys[i].inode == key.inode) return 0;
    if (l->count == l->max) return complain("more than %zu %s: check fewer folders at a time", l->max, l->what);
    char **p = realloc(l->paths, (l->count + 1) * sizeof *p);
    if (p) l->paths = p;
    struct file_key *k = realloc(l->keys, (l->count + 1) * sizeof *k);
    if (k) l->keys = k;
    if (!p || !k || !(p[l->count] = strdup(path))) return complain("out of memory");
    k[l->count++] = key;
    return 0;
}

/* Complains about a path that cannot be read and counts it, so that the others are still checked. */
static int skip(size_t *skipped, const char *what, const char *path) {
    complain("%s '%s': %s", what, path, strerror(errno));
    ++*skipped;
    return 0;
}

/* The entries of a folder: files of a kind that is read to `files`, folders to `folders`. Hidden ones and links are left out. */
static int list_folder(const char *folder, file_list *files, file_list *folders, size_t *skipped) {
    DIR *d = opendir(folder);
    if (!d) return skip(skipped, "cannot read the folder", folder);
    int status = 0;
    for (struct dirent *e; !status && (e = readdir(d));) {
        char path[MAX_PATH];
        struct stat st;
        eg_document_kind kind;
        if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
        if (lstat(path, &st) != 0) {
            if (errno != ENOENT) skip(skipped, "cannot read", path); /* else it went away meanwhile */
            continue;
        }
        if (S_ISDIR(st.st_mode)) status = push(folders, path, NULL);
        if (S_ISREG(st.st_mode) && eg_document_kind_of_name(e->d_name, &kind)) status = push(files, path, NULL);
    }
    closedir(d);
    return status;
}

static void release(file_list *l) {
    for (size_t i = 0; i < l->count; i++) free(l->paths[i]);
    free(l->paths);
    free(l->keys);
}

/* Adds the files of a path: itself, or all below a folder in the order of their names. A queue of folders instead of recursion.
 * Paths that cannot be read are reported and counted; other errors end the check. */
static int find_files(const char *path, file_list *out, size_t *skipped) {
    struct stat st;
    if (strcmp(path, "-") == 0) return push(out, path, fstat(STDIN_FILENO, &st) == 0 ? &st : NULL);
    if (stat(path, &st) != 0) return skip(skipped, "cannot find", path);
    if (!S_ISDIR(st.st_mode)) return push(out, path, &st);
    file_list folders = {.max = MAX_FOLDERS, .what = "folders"}, files = {.max = MAX_FILES, .what = "files"};
    int status = push(&folders, path, NULL);
    for (size_t i = 0; !status && i < folders.count; i++) status = list_folder(folders.paths[i], &files, &folders, skipped);
    if (files.count) qsort(files.paths, files.count, sizeof *files.paths, by_name);
    for (size_t i = 0; !status && i < files.count; i++)
        if (stat(files.paths[i], &st) == 0) status = push(out, files.paths[i], &st);
    if (!status && !files.count) complain("'%s' holds no files that end in .md, .markdown, .txt or .jsonl", path);
    release(&folders);
    release(&files);
    return status;
}

/* Standard input, a pipe or a device. */
static int read_pipe(const char *path, char **bytes, eg_str *text) {
    int standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    if (!in) return complain("cannot open '%s': %s", path, strerror(errno));
    *bytes = read_stream(in, standard ? "standard input" : path, MAX_FILE, &text->len);
    text->ptr = *bytes;
    if (!standard) fclose(in);
    return *bytes ? 0 : EXIT_ERROR;
}

/* Adds the statements of a file; one that fails adds none. */
static int read_file(eg_statements *s, const char *path) {
    eg_error err = {0};
    eg_str text = {0};
    char *bytes = NULL;
    struct stat st;
    eg_document_kind kind;
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
    int piped = name != path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
    if (piped && read_pipe(path, &bytes, &text)) return EXIT_ERROR;
    eg_status status = piped ? EG_OK : eg_file_read(path, MAX_FILE, s->arena, &text, &err);
    if (status == EG_OK && !eg_document_kind_of_name(path, &kind)) kind = eg_document_kind_of_text(text);
    if (status == EG_OK) status = eg_document_read(s, name, kind, text, &err);
    free(bytes);
    return status == EG_OK ? 0 : complain("%s", err.text);
}

/* ---- output ---- */

/* Text of a file or of the store, safe on a terminal. */
static void print_shown(const char *before, eg_str s, const char *after) {
    char *z = strndup(s.ptr ? s.ptr : "", s.len);
    printf("%s%s%s", before, z ? tame(z) : "", after);
    free(z);
}

static void print_place(const char *mark, eg_str file, uint32_t line, eg_str content) {
    printf("  %s ", mark);
    print_shown("", file, "");
    if (line) printf(":%u", line);
    print_shown("\n      ", content, "\n");
}

static void print_findings(const eg_checked *r, const eg_statements *s, size_t files, int loud) {
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = &r->findings[i];
        const eg_check_item *a = &s->items[f->item];
        static const char *const severities[] = EG_SEVERITY_WORDS;
        printf("contradiction %zu  %s  %.*s %.2f\n", i + 1, severities[f->severity], (int)f->tier.len, f->tier.ptr, f->score);
        if (f->other == UINT32_MAX) print_place("stored:", f->fact.scope, 0, f->fact.content);
        else print_place("-", s->items[f->other].file, s->items[f->other].line, s->items[f->other].content);
        print_place("-", a->file, a->line, a->content);
        print_shown("  why: ", f->explanation, "\n\n");
    }
    /* without findings nothing is printed, except on a terminal */
    FILE *summary = r->count ? stdout : loud ? stderr : NULL;
    if (summary)
        fprintf(summary, "%zu statement%s in %zu file%s: %zu contradiction%s\n", s->count, s->count == 1 ? "" : "s", files,
                files == 1 ? "" : "s", r->count, r->count == 1 ? "" : "s");
    if (r->without_nli)
        fputs("engram: only the rules were applied, since no NLI model could be opened: see `engram doctor`\n", stderr);
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

static cJSON *json_other(const eg_check_finding *f, const eg_statements *s) {
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

static void print_result_json(const eg_checked *r, const eg_statements *s, size_t files) {
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

/* A path as a URI reference: bytes that RFC 3986 does not list as unreserved are written as %XX. */
static cJSON *json_uri(eg_str path) {
    eg_buffer b = {0};
    if (path.len && path.ptr[0] == '/') eg_buffer_text(&b, "file://");
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        if (c && ((c < 0x80 && isalnum(c)) || strchr("/._-~", c))) eg_buffer_add(&b, path.ptr + i, 1);
        else eg_buffer_format(&b, "%%%02X", c);
    }
    cJSON *j = json_text((eg_str){b.ptr, b.len});
    eg_buffer_release(&b);
    return j;
}

static cJSON *sarif_location(eg_str file, uint32_t line) {
    cJSON *o = cJSON_CreateObject(), *physical = cJSON_AddObjectToObject(o, "physicalLocation");
    cJSON_AddItemToObject(cJSON_AddObjectToObject(physical, "artifactLocation"), "uri", json_uri(file));
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine", line ? line : 1);
    return o;
}

static void add_message(cJSON *to, const eg_buffer *text) {
    cJSON_AddItemToObject(cJSON_AddObjectToObject(to, "message"), "text", json_text((eg_str){text->ptr, text->len}));
}

/* The explanation and the other statement: viewers show this text beside one of the two places only. */
static void sarif_message(cJSON *to, const eg_check_finding *f, const eg_statements *s) {
    eg_buffer b = {0};
    eg_str other = f->other == UINT32_MAX ? f->fact.content : s->items[f->other].content;
    eg_buffer_format(&b, "%.*s; against ", (int)f->explanation.len, f->explanation.ptr);
    if (f->other == UINT32_MAX) eg_buffer_format(&b, "a stored fact of %.*s: ", (int)f->fact.scope.len, f->fact.scope.ptr);
    else
        eg_buffer_format(&b, "%.*s:%u: ", (int)s->items[f->other].file.len, s->items[f->other].file.ptr, s->items[f->other].line);
    eg_buffer_add(&b, other.ptr, other.len);
    add_message(to, &b);
    eg_buffer_release(&b);
}

static void sarif_related(cJSON *list, const eg_check_item *other) {
    eg_buffer b = {0};
    cJSON *place = sarif_location(other->file, other->line);
    eg_buffer_add(&b, other->content.ptr, other->content.len);
    add_message(place, &b);
    eg_buffer_release(&b);
    cJSON_AddItemToArray(list, place);
}

/* Adds the tier that found something as a rule of SARIF, once. */
static void add_rule(cJSON *rules, eg_str tier) {
    cJSON *rule;
    cJSON_ArrayForEach(rule, rules) if (eg_str_eq(eg_str_of(cJSON_GetObjectItem(rule, "id")->valuestring), tier)) return;
    cJSON_AddItemToArray(rules, rule = cJSON_CreateObject());
    cJSON_AddItemToObject(rule, "id", json_text(tier));
    cJSON_AddStringToObject(cJSON_AddObjectToObject(rule, "shortDescription"), "text", "Two statements contradict each other");
}

static void print_sarif(const eg_checked *r, const eg_statements *s) {
    cJSON *o = cJSON_CreateObject(), *runs, *run, *driver, *rules, *results;
    cJSON_AddStringToObject(o, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(o, "version", "2.1.0");
    runs = cJSON_AddArrayToObject(o, "runs");
    cJSON_AddItemToArray(runs, run = cJSON_CreateObject());
    driver = cJSON_AddObjectToObject(cJSON_AddObjectToObject(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "engram");
    cJSON_AddStringToObject(driver, "version", ENGRAM_VERSION);
    rules = cJSON_AddArrayToObject(driver, "rules");
    results = cJSON_AddArrayToObject(run, "results");
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = &r->findings[i];
        cJSON *one = cJSON_CreateObject(), *related;
        cJSON_AddItemToObject(one, "ruleId", json_text(f->tier));
        cJSON_AddStringToObject(one, "level", f->severity == EG_SEVERITY_HIGH ? "error" : "warning");
        add_rule(rules, f->tier);
        sarif_message(one, f, s);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(one, "locations"),
                             sarif_location(s->items[f->item].file, s->items[f->item].line));
        related = cJSON_AddArrayToObject(one, "relatedLocations");
        if (f->other != UINT32_MAX) sarif_related(related, &s->items[f->other]);
        cJSON_AddItemToArray(results, one);
    }
    print_json(o);
}

/* On a terminal one line that is overwritten, and erased at the end; elsewhere (--progress) a line for each tenth. */
typedef struct progress_line {
    int terminal;
    size_t shown; /* the number shown last */
} progress_line;

static void show_progress(void *self, size_t done, size_t all) {
    progress_line *p = self;
    size_t step = p->terminal ? 16 : all / 10 + 1;
    if (done <= p->shown || (done < p->shown + step && done < all)) return;
    p->shown = done;
    fprintf(stderr, p->terminal ? "\r%zu of %zu statements%s" : "engram: %zu of %zu statements%s\n", done, all,
            p->terminal && done == all ? "\r\033[K" : "");
}

/* 0 after complaining that there is none: opening a store would create it. */
static int store_is_there(const call *c) {
    static const char *const quiet[] = {"log=error"}; /* the second host logs what this one would */
    eg_host *host = call_host(c, 1, 0, quiet, 1);
    if (!host) return 0;
    const eg_host_paths *paths = eg_host_paths_of(host);
    int there = eg_file_exists(paths->database);
    if (!there)
        complain(
            "there is no store at '%s' to compare with: store facts with `engram commit` first, or leave out --against-store",
            paths->database_shown);
    eg_host_close(host);
    return there;
}

static int check(const call *c, const eg_statements *s, size_t files) {
    int against_store = call_option(c, "against-store") != NULL, status = EXIT_ERROR;
    if (against_store && !store_is_there(c)) return EXIT_ERROR;
    eg_host *host = call_host(c, !against_store, 0, NULL, 0);
    if (!host) return EXIT_ERROR;
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_checked r;
    eg_check_args args = {
        .size = sizeof(eg_check_args), .items = s->items, .item_count = s->count, .against_store = (uint32_t)against_store};
    progress_line line = {.terminal = isatty(STDERR_FILENO)};
    eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    if (call_option(c, "progress") || (line.terminal && s->count > 50)) {
        options.progress = show_progress;
        options.progress_self = &line;
    }
    eg_status created = services->request_create(services->host, &options, &rq, &err);
    if (created != EG_OK) {
        complain("%s", err.text);
    } else if (services->memory_ops->check(services->memory(services->host), rq, &args, &r) != EG_OK) {
        complain("%s", rq->err->text);
    } else {
        if (call_option(c, "sarif")) print_sarif(&r, s);
        else if (c->json) print_result_json(&r, s, files);
        else print_findings(&r, s, files, c->verbose || isatty(STDERR_FILENO));
        status = r.count ? EXIT_FOUND : EXIT_FINE;
    }
    if (rq) services->request_release(services->host, rq);
    eg_host_close(host);
    return status;
}

int run_check(const call *c) {
    if (c->positional_count == 0) return complain("check needs a PATH: a file, a folder, or - for standard input");
    file_list files = {.max = MAX_FILES, .what = "files"};
    eg_arena arena;
    eg_arena_init(&arena, 0);
    eg_statements s = {.arena = &arena};
    int status = 0;
    size_t broken = 0, skipped = 0;
    for (size_t i = 0; !status && i < c->positional_count; i++) status = find_files(c->positional[i], &files, &skipped);
    for (size_t i = 0; !status && !stop_requested() && i < files.count; i++) broken += read_file(&s, files.paths[i]) != 0;
    if (!status && !stop_requested() && broken < files.count) status = check(c, &s, files.count - broken);
    if (broken || skipped || !files.count) status = EXIT_ERROR; /* nothing that was read is not the same as nothing found */
    release(&files);
    eg_arena_release(&arena);
    return status;
}
