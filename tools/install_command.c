/* install_command.c - `engram install`: enters Engram into the configuration of clients of the
 * Model Context Protocol, into the instructions of agents and into a git hook, and takes it out
 * again. The formats are in install/. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/check/git.h"
#include "tools/cli.h"
#include "tools/install/change.h"
#include "tools/install/clients.h"
#include "tools/install/texts.h"

enum { MAX_WORDS = 8, NEW_MODE = 0600 };

/* A run of the command. */
typedef struct install_run {
    const call *c;
    eg_arena arena;
    const char *words[MAX_WORDS]; /* the command of the entry */
    size_t word_count;
    const char *hook; /* the command of a session-start hook; NULL: none was asked for */
    int remove, force, dry, listing;
    int quiet;   /* what is not there is not told */
    size_t told; /* results that were printed */
} install_run;

/* ---- the command of the entry ---- */

/* The program as it should be started: by its name in a folder of the PATH, where that leads to
 * this very file, since an update replaces what stands there; else the file. NULL without
 * memory. */
static const char *program_path(eg_arena *a) {
    char self[4096];
    struct stat mine, theirs;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0 || stat("/proc/self/exe", &mine) != 0) return "engram";
    self[n] = '\0';
    for (const char *p = getenv("PATH"); p && *p; p += strcspn(p, ":"), p += *p == ':') {
        char *path = *p == '/' ? eg_arena_printf(a, "%.*s/engram", (int)strcspn(p, ":"), p) : NULL;
        if (path && stat(path, &theirs) == 0 && theirs.st_dev == mine.st_dev && theirs.st_ino == mine.st_ino) return path;
    }
    return eg_arena_copy(a, eg_str_of(self));
}

static int is_session_hook(const call *c) {
    return call_option(c, "hook") && strcmp(call_option(c, "hook"), "session-start") == 0;
}

/* The command of the hook, for a shell. NULL without memory. */
static const char *hook_command(install_run *run, const char *workspace, const char *home) {
    eg_arena *a = &run->arena;
    const char *program = shell_quoted(run->words[0], a), *name = shell_quoted(workspace, a), *folder = shell_quoted(home, a);
    if (!program || !name || !folder) return NULL;
    return eg_arena_printf(a, "%s" CONFIG_HOOK_MARK "%s%s%s%s", program, *workspace ? " --workspace " : "",
                           *workspace ? name : "", *home ? " --home " : "", *home ? folder : "");
}

static int make_words(install_run *run) {
    const call *c = run->c;
    const char *profile = call_option(c, "profile"), *home = c->common[COMMON_HOME], *workspace = c->common[COMMON_WORKSPACE];
    const char **w = run->words;
    size_t n = 0;
    if (!(w[n++] = program_path(&run->arena))) return complain("out of memory");
    w[n++] = "mcp";
    if (profile && strcmp(profile, "core") != 0) {
        w[n++] = "--profile";
        w[n++] = profile;
    }
    if (workspace) {
        w[n++] = "--workspace";
        w[n++] = workspace;
    }
    if (home) {
        char *real = realpath(home, NULL);
        if (!real) return complain("the folder '%s' of --home cannot be used: %s; make it first", home, strerror(errno));
        w[n++] = "--home";
        w[n++] = eg_arena_copy(&run->arena, eg_str_of(real));
        free(real);
        if (!w[n - 1]) return complain("out of memory");
    }
    run->word_count = n;
    if (is_session_hook(c) && !(run->hook = hook_command(run, workspace ? workspace : "", home ? w[n - 1] : "")))
        return complain("out of memory");
    return 0;
}

/* ---- telling ---- */

static void add_member(eg_buffer *out, const char *before, const char *value) {
    eg_buffer_text(out, before);
    eg_buffer_json(out, eg_str_of(value));
}

static void tell(install_run *run, const client *cl, const char *file, const char *state) {
    if (!run->c->json) {
        printf("%-15s %-28s ", cl->name, state);
        print_shown(eg_str_of(file));
        putchar('\n');
        return;
    }
    eg_buffer b = {0};
    add_member(&b, run->told++ ? ",{\"client\":" : "{\"client\":", cl->name);
    add_member(&b, ",\"title\":", cl->title);
    add_member(&b, ",\"state\":", state);
    add_member(&b, ",\"file\":", file);
    eg_buffer_text(&b, "}");
    if (!b.failed) fwrite(b.ptr, 1, b.len, stdout);
    eg_buffer_release(&b);
}

/* ---- one client ---- */

/* Makes the change and tells it. */
static int change(install_run *run, const client *cl, const config_format *format, const config_entry *e, const edited_file *f,
                  config_state state) {
    eg_buffer out = {0};
    int gone = 0, status = 0;
    if (run->remove) gone = format->take(f->text, e, &out);
    else format->put(f->text, e, &out);
    if (out.failed) status = complain("out of memory");
    else if (run->dry && !run->c->json) change_show(f, (eg_str){out.ptr ? out.ptr : "", out.len});
    if (!status && !run->dry) status = gone ? change_delete(f) : change_write(f, &out, NEW_MODE);
    eg_buffer_release(&out);
    if (status) return status;
    if (run->dry) tell(run, cl, f->name, run->remove ? "would be removed" : state ? "would be replaced" : "would be entered");
    else tell(run, cl, f->name, run->remove ? "removed" : state ? "replaced" : "entered");
    return 0;
}

/* An entry that says something else: what a replacement would change is shown. */
static int refuse_other(install_run *run, const client *cl, const config_format *format, const config_entry *e,
                        const edited_file *f) {
    eg_buffer out = {0};
    format->put(f->text, e, &out);
    if (!out.failed && !run->c->json) change_show(f, (eg_str){out.ptr, out.len});
    eg_buffer_release(&out);
    tell(run, cl, f->name, "different");
    if (format == &config_hook) note("%s has another hook of Engram, which stays as it is: replace it with --force", cl->title);
    else note("%s has another entry of the name engram, which stays as it is: replace it with --force", cl->title);
    return EXIT_FOUND;
}

/* A text that is not well formed may have our hook. */
static int has_hook_mark(eg_str text) {
    return memmem(text.ptr, text.len, CONFIG_HOOK_MARK, sizeof CONFIG_HOOK_MARK - 1) != NULL;
}

/* Enters or removes one entry in the file of this name. */
static int serve_entry(install_run *run, const client *cl, const char *name, const config_format *format, const config_entry *e) {
    edited_file f;
    config_fault fault;
    if (!name) return complain("there is no folder for the settings of %s: HOME is not set", cl->title);
    if (!e) return complain("out of memory");
    if (run->listing && !client_is_here(cl, &run->arena)) return tell(run, cl, name, "not found"), 0;
    if (change_read(&f, name, &run->arena)) return EXIT_ERROR;
    config_state state = format->find(f.text, e, &fault);
    if (run->quiet && (!state || (state == CONFIG_REFUSED && !has_hook_mark(f.text)))) return 0;
    if (state == CONFIG_REFUSED)
        return complain("%s:%zu:%zu: %s; the file is left as it is: mend it first", name, fault.line, fault.column, fault.what);
    if (run->listing)
        return tell(run, cl, name, state == CONFIG_SAME ? "entered" : state ? "entered, but different" : "not entered"), 0;
    if (run->remove && !state) return tell(run, cl, name, "unchanged: not entered"), 0;
    if (!run->remove && state == CONFIG_SAME) return tell(run, cl, name, "unchanged"), 0;
    if (!run->remove && state == CONFIG_OTHER && !run->force) return refuse_other(run, cl, format, e, &f);
    return change(run, cl, format, e, &f, state);
}

/* The server, and with --hook session-start the hook. A hook does not outlive its server: it is
 * removed with it. */
static int serve_client(install_run *run, const client *cl, int by_name) {
    eg_arena *a = &run->arena;
    int one, status = serve_entry(run, cl, client_file(cl, a), cl->format, client_entry(cl, run->words, run->word_count, a));
    if (status == EXIT_ERROR || (!run->hook && !run->remove)) return status;
    if (cl->hook_file) {
        run->quiet = !run->hook;
        one = serve_entry(run, cl, client_hook_file(cl, a), &config_hook, client_hook(run->hook ? run->hook : "", a));
        run->quiet = 0;
        return one > status ? one : status;
    }
    if (run->hook && by_name)
        note("%s has no hook for the start of a session that Engram knows: only the server was dealt with", cl->title);
    return status;
}

/* ---- files of a project ---- */

static void tell_file(install_run *run, const char *file, const char *state) {
    if (!run->c->json) {
        printf("%-28s ", state);
        print_shown(eg_str_of(file));
        putchar('\n');
        return;
    }
    eg_buffer b = {0};
    add_member(&b, run->told++ ? ",{\"file\":" : "{\"file\":", file);
    add_member(&b, ",\"state\":", state);
    eg_buffer_text(&b, "}");
    if (!b.failed) fwrite(b.ptr, 1, b.len, stdout);
    eg_buffer_release(&b);
}

/* Adds, replaces or removes the block in a file. */
static int serve_block(install_run *run, const char *name, const marked_block *b, unsigned mode) {
    edited_file f;
    config_fault fault = {0};
    eg_buffer out = {0};
    if (change_read(&f, name, &run->arena)) return EXIT_ERROR;
    config_state state = f.text.ptr ? block_find(f.text, b, &fault) : CONFIG_ABSENT;
    if (state == CONFIG_REFUSED)
        return complain("%s:%zu:%zu: %s; the file is left as it is", name, fault.line, fault.column, fault.what);
    if (run->remove ? state == CONFIG_ABSENT : state == CONFIG_SAME)
        return tell_file(run, name, run->remove ? "unchanged: has no block" : "unchanged"), 0;
    int gone = 0, status = 0;
    if (run->remove) gone = block_take(f.text, b, &out);
    else block_put(f.text, b, &out);
    if (out.failed) status = complain("out of memory");
    else if (run->dry && !run->c->json) change_show(&f, (eg_str){out.ptr ? out.ptr : "", out.len});
    if (!status && !run->dry) status = gone ? change_delete(&f) : change_write(&f, &out, mode);
    eg_buffer_release(&out);
    const char *done = run->remove ? "removed" : state ? "replaced" : "added";
    const char *would = run->remove ? "would be removed" : state ? "would be replaced" : "would be added";
    if (!status) tell_file(run, name, run->dry ? would : done);
    return status;
}

/* The hook, where git looks for it. Only a shell can run the block. */
static int serve_hook(install_run *run, const char *hook) {
    static const char *const shells[] = {"sh", "bash", "dash", "ksh", "zsh"};
    char word[32] = "";
    const char *path = eg_arena_printf(&run->arena, "hooks/%s", hook);
    const char *words[] = {"rev-parse", "--git-path", path, NULL};
    char *printed = NULL;
    size_t size = 0;
    edited_file f;
    marked_block block;
    int status = path ? git_run(".", words, &printed, &size) : -1;
    if (status == 0 && printed) path = eg_arena_printf(&run->arena, "%.*s", (int)strcspn(printed, "\n"), printed);
    free(printed);
    if (status == GIT_MISSING) return complain("git is not installed: install it to have hooks");
    if (status) return complain("this folder is not in a git repository: change to one, or run `git init`");
    if (!path || !hook_block(run->words[0], &run->arena, &block)) return complain("out of memory");
    if (change_read(&f, path, &run->arena)) return EXIT_ERROR;
    int shell = f.text.len < 2 || f.text.ptr[0] != '#' || f.text.ptr[1] != '!';
    const char *line = shell ? "" : f.text.ptr + 2, *stop = line + strcspn(line, "\r\n");
    for (const char *p = line; p < stop && !shell; p += strcspn(p, "/ \t\r\n"), p += p < stop) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, "/ \t\r\n"), p);
        for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) shell |= strcmp(word, shells[i]) == 0;
    }
    if (!shell && !run->remove)
        return complain("'%s' is not a script of a shell: have it run `engram check --diff HEAD .` itself", path);
    status = serve_block(run, path, &block, 0755);
    if (!status && !run->remove && f.text.ptr && !(f.before.st_mode & 0100))
        note("git does not run '%s', since it is not executable: see chmod(1)", path);
    return status;
}

/* ---- all that was asked for ---- */

static int complain_of_client(const char *word) {
    char names[300];
    size_t n = 0;
    for (const client *cl = clients; cl->name && n < sizeof names; cl++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s, ", cl->name);
    return complain("there is no client '%s': it must be one of %sor all, which means all that are found here", word, names);
}

/* All clients, those that are named, or with `all` those that are found. */
static int serve_clients(install_run *run) {
    const call *c = run->c;
    int status = 0, one;
    for (size_t i = 0; i < c->positional_count; i++)
        if (strcmp(c->positional[i], "all") != 0 && !client_named(c->positional[i])) return complain_of_client(c->positional[i]);
    for (const client *cl = clients; cl->name; cl++) {
        int wanted = run->listing, by_name = 0;
        for (size_t i = 0; i < c->positional_count; i++) {
            by_name |= strcmp(c->positional[i], cl->name) == 0;
            wanted |= by_name || (strcmp(c->positional[i], "all") == 0 && client_is_here(cl, &run->arena));
        }
        if (wanted && (one = serve_client(run, cl, by_name)) > status) status = one;
    }
    return status;
}

/* The files of --instructions and --hook. */
static int serve_files(install_run *run) {
    const char *file = call_option(run->c, "instructions"), *hook = call_option(run->c, "hook");
    int status = 0, one;
    run->told = 0;
    if (file) status = serve_block(run, file, &instructions_block, 0644);
    if (hook && !run->hook && (one = serve_hook(run, hook)) > status) status = one;
    return status;
}

int run_install(const call *c) {
    int files = call_option(c, "instructions") || call_option(c, "hook");
    install_run run = {.c = c,
                       .remove = call_option(c, "remove") != NULL,
                       .force = call_option(c, "force") != NULL,
                       .dry = call_option(c, "dry-run") != NULL,
                       .listing = c->positional_count == 0 && !files};
    if (run.listing && (run.remove || run.force || call_option(c, "profile")))
        return complain("which client? Name one or several, or all: `engram install` lists them");
    if (is_session_hook(c) && c->positional_count == 0)
        return complain("which client should have the hook? Name claude-code, codex or gemini, or all");
    eg_arena_init(&run.arena, 0);
    if (c->json) fputs("{\"clients\":[", stdout);
    int status = make_words(&run), of_files = 0;
    int usable = !status;
    if (usable) status = serve_clients(&run);
    if (c->json) fputs("],\"files\":[", stdout);
    if (usable) of_files = serve_files(&run);
    if (c->json) puts("]}");
    eg_arena_release(&run.arena);
    return of_files > status ? of_files : status;
}
