/* check_command.c - `engram check`: finds files (check/files.c), has their statements read
 * (core/docs) and compared with each other and, when asked, with the store (core/memory/check.c),
 * and prints the findings that count (check/report.c). Writes nothing but a baseline that is asked
 * for, and vectors into the cache folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/check/changes.h"
#include "tools/check/files.h"
#include "tools/check/report.h"
#include "tools/cli.h"

enum { MAX_FILE = 16 << 20 };

/* A run of the command. */
typedef struct check_run {
    const call *c;
    eg_arena arena;
    eg_statements statements;
    file_list files;
    size_t read; /* of the files */
    report_limits limits;
    const char *format;
} check_run;

/* ---- reading ---- */

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

/* Adds the statements of a file; one that fails adds none. comments: source code too. */
static int read_file(eg_statements *s, const char *path, int comments) {
    eg_error err = {0};
    eg_str text = {0};
    char *bytes = NULL;
    struct stat st;
    eg_document_kind kind;
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    int piped = name != path || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
    if (piped && read_pipe(path, &bytes, &text)) return EXIT_ERROR;
    eg_status status = piped ? EG_OK : eg_file_read(path, MAX_FILE, s->arena, &text, &err);
    if (status == EG_OK && !eg_document_kind_of_name(base, &kind) && !(comments && eg_document_code_of_name(base, &kind)))
        kind = eg_document_kind_of_text(text);
    if (status == EG_OK) status = eg_document_read(s, name, kind, text, &err);
    free(bytes);
    return status == EG_OK ? 0 : complain("%s", err.text);
}

/* Finds and reads all files. 0; EXIT_ERROR where nothing can be compared; *broken: something could
 * not be read. */
static int read_all(check_run *run, int *broken) {
    const call *c = run->c;
    const char *excluded[MAX_REPEATED];
    file_choice choice = {.excluded = excluded, .verbose = c->verbose, .comments = call_option(c, "comments") != NULL};
    choice.excluded_count = call_options(c, "exclude", excluded);
    for (size_t i = 0; i < c->positional_count; i++)
        if (find_files(c->positional[i], &choice, &run->files)) return EXIT_ERROR;
    for (size_t i = 0; !stop_requested() && i < run->files.count; i++)
        if (read_file(&run->statements, run->files.paths[i], choice.comments) == 0) run->read++;
    *broken = choice.skipped > 0 || run->read < run->files.count;
    if (!run->files.count) return choice.left_out ? complain("nothing was checked: all files are ignored") : EXIT_ERROR;
    if (!run->read || stop_requested()) return EXIT_ERROR;
    /* what was not read is not the same as what has no contradictions */
    for (size_t i = 0; i < run->statements.mark_count; i++)
        if (!run->statements.marks[i].target) return 0;
    if (run->statements.count) return 0;
    return complain(
        "nothing was checked: '%s'%s no statement, which is a sentence, list item or row of a table of at least three "
        "words",
        run->files.paths[0], run->read == 1 ? " holds" : " and the other files hold");
}

/* With --diff, statements that did not change are there only for those that did. 0, or EXIT_ERROR
 * after complaining. */
static int set_apart_unchanged(check_run *run, const char *base) {
    eg_statements *s = &run->statements;
    const changed_file *file = NULL;
    changes c;
    int status = changes_open(&c, base);
    for (size_t i = 0; !status && i < s->count; i++) {
        if (i == 0 || s->items[i].file.ptr != s->items[i - 1].file.ptr) file = changes_of(&c, s->items[i].file.ptr);
        if (!changes_touch(file, s->items[i].line, s->places[i].last_line)) s->items[i].flags |= EG_CHECK_CONTEXT;
    }
    changes_release(&c);
    return status;
}

/* ---- comparing ---- */

/* On a terminal one line that is overwritten, and erased at the end; elsewhere (--progress) a line
 * for each tenth. */
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

static void find_nli(void *self, const char *path, const eg_plugin *plugin, const char *problem) {
    (void)path;
    (void)problem;
    if (plugin && strcmp(plugin->name, "nli") == 0) *(int *)self = 1;
}

/* Without its models the NLI detector finds nothing, which is not the same as no contradictions. 0,
 * or EXIT_ERROR after complaining. */
static int open_models(eg_host *host) {
    static const char *const settings[] = {"model.nli", "model.embed"};
    int needed = 0;
    eg_error err = {0};
    eg_host_plugins(host, find_nli, &needed);
    for (size_t i = 0; needed && i < sizeof settings / sizeof *settings; i++)
        if (eg_host_model_try(host, settings[i], &err) != EG_OK)
            return complain(
                "nothing was checked, since %s cannot be used: %s; see `engram doctor`, or take nli out of the setting "
                "plugins to check by rules alone",
                settings[i], err.text);
    return 0;
}

/* ---- telling ---- */

static int write_baseline(const report *r, const char *name) {
    baseline b;
    int status = baseline_open(&b, name, 0);
    for (size_t i = 0; !status && i < r->count; i++) {
        report_side earlier = side_of(r, r->findings[i], 0), later = side_of(r, r->findings[i], 1);
        status = baseline_add(&b, (baseline_side){earlier.file, earlier.content}, (baseline_side){later.file, later.content});
    }
    if (!status) status = baseline_write(&b);
    baseline_release(&b);
    return status;
}

/* Comments that suppressed nothing; those about whole files are not examined. */
static void tell_unused(const eg_statements *s, const char *used) {
    for (size_t i = 0; i < s->mark_count; i++) {
        const eg_ignore_mark *m = &s->marks[i];
        if (used[i] || !m->target) continue;
        note("%.*s:%u: this comment suppresses nothing: remove it", (int)m->file.len, m->file.ptr, m->line);
    }
}

static void print_report(const check_run *run, const report *r) {
    if (strcmp(run->format, "sarif") == 0) print_report_sarif(r);
    else if (strcmp(run->format, "json") == 0) print_report_json(r);
    else if (strcmp(run->format, "github") == 0) print_report_github(r);
    else print_report_text(r, run->c->verbose || isatty(STDERR_FILENO));
    if (r->checked->unjudged)
        fprintf(stderr, "engram: %u suspected pairs were not judged, since no escalator gave an answer: see the messages above\n",
                r->checked->unjudged);
    if (r->checked->without_nli && strcmp(run->format, "text") == 0)
        fputs("engram: only the rules were applied, since no NLI model could be opened: see `engram doctor`\n", stderr);
}

/* Selects and prints the findings, or writes them as a baseline. The exit status. */
static int tell(check_run *run, const eg_checked *checked, baseline *known) {
    const char *written = call_option(run->c, "write-baseline");
    report r = {.checked = checked, .statements = &run->statements, .files = run->read};
    char *used = eg_arena_alloc(&run->arena, run->statements.mark_count + 1);
    if (!used) return complain("out of memory");
    if (select_findings(&r, &run->arena, &run->limits, used, known)) return EXIT_ERROR;
    if (run->c->verbose && !call_option(run->c, "diff")) tell_unused(&run->statements, used);
    if (written && !checked->problem.len) return write_baseline(&r, written);
    print_report(run, &r);
    if (known && !call_option(run->c, "diff")) baseline_tell_stale(known, run->files.paths, run->files.count);
    if (checked->problem.len)
        return complain("not everything was checked: %.*s", (int)checked->problem.len, checked->problem.ptr);
    return r.count ? EXIT_FOUND : EXIT_FINE;
}

/* What standard input says may lie in no file, so no trace of it is kept. */
static int reads_standard_input(const check_run *run) {
    for (size_t i = 0; i < run->files.count; i++)
        if (strcmp(run->files.paths[i], "-") == 0) return 1;
    return 0;
}

static int compare(check_run *run, baseline *known) {
    const call *c = run->c;
    int against_store = call_option(c, "against-store") != NULL, status = EXIT_ERROR;
    if (against_store && !store_is_there(c)) return EXIT_ERROR;
    /* one that is missing may be a detector */
    static const char *const settings[] = {"plugins_required=all"};
    eg_host *host = call_host(c, !against_store, 0, settings, 1);
    if (!host) return EXIT_ERROR;
    const eg_services *services = eg_host_services(host);
    eg_error err = {0};
    eg_request *rq = NULL;
    eg_checked checked;
    eg_check_args args = {.size = sizeof(eg_check_args),
                          .items = run->statements.items,
                          .item_count = run->statements.count,
                          .flags = (reads_standard_input(run) ? 0u : (uint32_t)EG_CHECK_KEEP_VECTORS) |
                                   (call_option(c, "judge") ? (uint32_t)EG_CHECK_JUDGE : 0u),
                          .against_store = (uint32_t)against_store};
    progress_line line = {.terminal = isatty(STDERR_FILENO)};
    eg_request_options options = {.size = sizeof options, .cancel.flag = &stop_flag};
    if (call_option(c, "progress") || (line.terminal && run->statements.count > 50)) {
        options.progress = show_progress;
        options.progress_self = &line;
    }
    eg_status created = services->request_create(services->host, &options, &rq, &err);
    if (created != EG_OK) complain("%s", err.text);
    else if (open_models(host)) status = EXIT_ERROR;
    else if (services->memory_ops->check(services->memory(services->host), rq, &args, &checked) != EG_OK)
        complain("%s", rq->err->text);
    else status = tell(run, &checked, known);
    if (rq) services->request_release(services->host, rq);
    eg_host_close(host);
    return status;
}

/* ---- the command line ---- */

static int read_limits(const call *c, report_limits *out) {
    static const char *const severities[] = EG_SEVERITY_WORDS;
    const char *score = call_option(c, "min-score"), *severity = call_option(c, "severity");
    char *end = NULL;
    *out = (report_limits){0};
    if (score) out->min_score = strtod(score, &end);
    if (score && (end == score || *end || !(out->min_score >= 0 && out->min_score <= 1)))
        return complain("--min-score is '%s': it must be a number from 0 to 1, such as 0.95", score);
    while (severity && strcmp(severity, severities[out->severity]) != 0) out->severity++;
    return 0;
}

/* The format of the output; NULL after complaining. */
static const char *chosen_format(const call *c) {
    const char *named = call_option(c, "format"), *chosen = named ? named : "text";
    int sarif = call_option(c, "sarif") != NULL;
    if (sarif + c->json + (named != NULL) > 1) {
        complain("--json, --sarif and --format name several formats: give one of them");
        return NULL;
    }
    return sarif ? "sarif" : c->json ? "json" : chosen;
}

/* 0, or EXIT_ERROR after complaining of options that exclude each other. */
static int refuse_options(const call *c) {
    if (call_option(c, "diff") && call_option(c, "write-baseline"))
        return complain(
            "--write-baseline accepts all findings, and --diff looks for some of them only: leave out one of the two");
    return 0;
}

static int check_with_baseline(check_run *run) {
    const char *name = call_option(run->c, "baseline");
    baseline known;
    int status = name ? baseline_open(&known, name, 1) : 0;
    if (!status) status = compare(run, name ? &known : NULL);
    if (name) baseline_release(&known);
    return status;
}

int run_check(const call *c) {
    if (c->positional_count == 0) return complain("check needs a PATH: a file, a folder, or - for standard input");
    check_run run = {.c = c, .files = {.max = MAX_FILES, .what = "files"}, .format = chosen_format(c)};
    const char *base = call_option(c, "diff");
    int broken = 0, status = !run.format || refuse_options(c) || read_limits(c, &run.limits) ? EXIT_ERROR : 0;
    if (status) return status;
    eg_arena_init(&run.arena, 0);
    run.statements.arena = &run.arena;
    status = read_all(&run, &broken);
    if (!status && broken && call_option(c, "write-baseline"))
        status = complain("the baseline was not written, since some files could not be read: mend or --exclude them");
    if (!status && base) status = set_apart_unchanged(&run, base);
    if (!status) status = check_with_baseline(&run);
    release_files(&run.files);
    eg_arena_release(&run.arena);
    return broken ? EXIT_ERROR : status;
}
