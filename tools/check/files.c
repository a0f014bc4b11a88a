/* files.c - see files.h. Folders are walked by a queue instead of recursion. Links are not
 * followed. */
#include "tools/check/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/docs/documents.h"
#include "tools/check/ignore.h"
#include "tools/cli.h"

enum { MAX_RULES = 1 << 20 /* bytes of an ignore file */ };

/* The ignore files of a folder. */
typedef struct rule_node {
    const struct rule_node *parent; /* of the nearest folder above that has any; NULL: none */
    size_t prefix;                  /* bytes of the folder's real path, with the '/' behind it */
    ignore_rules own, git;
} rule_node;

/* A folder whose entries are yet to be read. */
typedef struct folder {
    const char *shown, *real;
    const rule_node *rules;
} folder;

typedef struct walk {
    eg_arena arena;
    file_choice *choice;
    file_list *files;
    folder *folders;
    size_t folder_count, folder_capacity;
    ignore_rules excluded;   /* relative to */
    char here[MAX_PATH + 1]; /* the current folder, with a '/' behind it */
    int in_repository;
} walk;

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int out_of_memory(void) { return complain("out of memory"); }

static int push_file(file_list *l, const char *path, const struct stat *st) {
    struct file_key key = {st ? st->st_dev : 0, st ? st->st_ino : 0};
    for (size_t i = 0; st && i < l->count; i++)
        if (l->keys[i].device == key.device && l->keys[i].inode == key.inode) return 0;
    if (l->count == l->max) return complain("more than %zu %s: check fewer folders at a time", l->max, l->what);
    char **p = realloc(l->paths, (l->count + 1) * sizeof *p);
    if (p) l->paths = p;
    struct file_key *k = realloc(l->keys, (l->count + 1) * sizeof *k);
    if (k) l->keys = k;
    if (!p || !k || !(p[l->count] = strdup(path))) return out_of_memory();
    k[l->count++] = key;
    return 0;
}

void release_files(file_list *l) {
    for (size_t i = 0; i < l->count; i++) free(l->paths[i]);
    free(l->paths);
    free(l->keys);
}

/* Complains about a path that cannot be read and counts it, so that the others are still
 * checked. */
static int skip(file_choice *c, const char *what, const char *path) {
    complain("%s '%s': %s", what, path, strerror(errno));
    c->skipped++;
    return 0;
}

static int push_folder(walk *w, const char *shown, const char *real, const rule_node *rules) {
    if (w->folder_count == MAX_FOLDERS) return complain("more than %d folders: check fewer folders at a time", MAX_FOLDERS);
    if (w->folder_count == w->folder_capacity) {
        size_t more = w->folder_capacity ? 2 * w->folder_capacity : 64;
        folder *p = realloc(w->folders, more * sizeof *p);
        if (!p) return out_of_memory();
        w->folders = p;
        w->folder_capacity = more;
    }
    folder f = {eg_arena_copy(&w->arena, eg_str_of(shown)), eg_arena_copy(&w->arena, eg_str_of(real)), rules};
    if (!f.shown || !f.real) return out_of_memory();
    w->folders[w->folder_count++] = f;
    return 0;
}

/* ---- ignore files ---- */

/* Reads the rules of a file of a folder, where there is one. 0, or EXIT_ERROR after complaining. */
static int read_rules(walk *w, const char *real, const char *name, ignore_rules *out) {
    char path[MAX_PATH];
    eg_error err = {0};
    eg_str text;
    struct stat st;
    if (snprintf(path, sizeof path, "%s/%s", real, name) >= (int)sizeof path) return 0;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode)) return 0;
    if (eg_file_read(path, MAX_RULES, &w->arena, &text, &err) != EG_OK) return complain("%s", err.text);
    return ignore_parse(&w->arena, text, out) ? 0 : out_of_memory();
}

static int push_node(walk *w, const char *real, const ignore_rules *own, const ignore_rules *git, const rule_node **rules) {
    if (!own->count && !git->count) return 0;
    rule_node *n = eg_arena_alloc(&w->arena, sizeof *n);
    if (!n) return out_of_memory();
    *n = (rule_node){.parent = *rules, .prefix = strlen(real) + (real[1] != '\0'), .own = *own, .git = *git};
    *rules = n;
    return 0;
}

/* Adds the ignore files of a folder to *rules. */
static int add_rules(walk *w, const char *real, const rule_node **rules) {
    ignore_rules own = {0}, git = {0};
    if (read_rules(w, real, ".engramignore", &own) || read_rules(w, real, ".gitignore", &git)) return EXIT_ERROR;
    return push_node(w, real, &own, &git, rules);
}

/* 1 when the patterns leave a path out: --exclude first, then .engramignore, then .gitignore; the
 * deepest file first. */
static int is_left_out(walk *w, const rule_node *rules, const char *real, int is_folder) {
    size_t here = strlen(w->here);
    int verdict = strncmp(real, w->here, here) == 0 ? ignore_match(&w->excluded, eg_str_of(real + here), is_folder) : 0;
    for (int git = 0; git < 2; git++)
        for (const rule_node *n = rules; n && !verdict; n = n->parent)
            verdict = ignore_match(git ? &n->git : &n->own, eg_str_of(real + n->prefix), is_folder);
    return verdict > 0;
}

static int has_repository(const char *real) {
    char path[MAX_PATH];
    return snprintf(path, sizeof path, "%s/.git", real) < (int)sizeof path && eg_file_exists(path);
}

/* Adds the ignore files above a folder: from the top of its repository on; outside of one from the
 * current folder on, where it lies below. */
static int add_rules_above(walk *w, const char *real, const rule_node **rules) {
    char path[MAX_PATH];
    size_t n = strlen(real), top = n;
    snprintf(path, sizeof path, "%s", real);
    for (size_t i = n; i > 0; i--) { /* the folder itself, then those above it */
        if (i != n && real[i] != '/') continue;
        path[i] = '\0';
        if (!has_repository(path)) continue;
        w->in_repository = 1;
        top = i;
        ignore_rules none = {0}, git = {0};
        if (read_rules(w, path, ".git/info/exclude", &git) || push_node(w, path, &none, &git, rules)) return EXIT_ERROR;
        break;
    }
    size_t here = strlen(w->here) - 1;
    if (!w->in_repository && here && strncmp(real, w->here, here) == 0 && real[here] == '/') top = here;
    for (size_t i = top; i < n; i++) {
        if (real[i] != '/') continue;
        snprintf(path, sizeof path, "%.*s", (int)i, real);
        if (i && add_rules(w, path, rules)) return EXIT_ERROR;
    }
    return 0;
}

/* ---- folders ---- */

/* Hidden entries are skipped, but for those in which agents find instructions. */
static int is_skipped(const char *name, int is_folder) {
    static const char *const read[] = {".agents", ".aiassistant", ".amazonq", ".augment", ".claude",  ".clinerules",
                                       ".codex",  ".continue",    ".cursor",  ".gemini",  ".github",  ".junie",
                                       ".kiro",   ".opencode",    ".roo",     ".trae",    ".windsurf"};
    if (name[0] != '.') return 0;
    if (!is_folder) return strrchr(name, '.') != name; /* ".cursorrules", not ".notes.md" */
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strcmp(name, read[i]) == 0) return 0;
    return 1;
}

static void tell_left_out(walk *w, const char *shown, const char *why) {
    w->choice->left_out++;
    if (!w->choice->verbose) return;
    note("left out: %s (%s)", shown, why);
}

static int take_entry(walk *w, const folder *in, const rule_node *rules, const char *name) {
    char shown[MAX_PATH], real[MAX_PATH];
    struct stat st;
    eg_document_kind kind;
    const char *between = strcmp(in->shown, "/") == 0 ? "" : "/";
    int n = strcmp(in->shown, ".") == 0 ? snprintf(shown, sizeof shown, "%s", name)
                                        : snprintf(shown, sizeof shown, "%s%s%s", in->shown, between, name);
    int m = snprintf(real, sizeof real, "%s%s%s", in->real, strcmp(in->real, "/") == 0 ? "" : "/", name);
    if (n >= (int)sizeof shown || m >= (int)sizeof real) return 0;
    /* it may go away meanwhile */
    if (lstat(real, &st) != 0) return errno == ENOENT ? 0 : skip(w->choice, "cannot read", shown);
    int is_folder = S_ISDIR(st.st_mode);
    int is_read = eg_document_kind_of_name(name, &kind) || (w->choice->comments && eg_document_code_of_name(name, &kind));
    if (is_skipped(name, is_folder) || (!is_folder && (!S_ISREG(st.st_mode) || !is_read))) return 0;
    if (is_left_out(w, rules, real, is_folder)) return tell_left_out(w, shown, "ignored"), 0;
    if (!is_folder) return push_file(w->files, shown, &st);
    if (w->in_repository && has_repository(real)) return tell_left_out(w, shown, "another repository"), 0;
    return push_folder(w, shown, real, rules);
}

static int list_folder(walk *w, folder in) {
    const rule_node *rules = in.rules;
    DIR *d = opendir(in.real);
    if (!d) return skip(w->choice, "cannot read the folder", in.shown);
    int status = add_rules(w, in.real, &rules);
    for (struct dirent *e; !status && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) status = take_entry(w, &in, rules, e->d_name);
    closedir(d);
    return status;
}

static int begin_walk(walk *w) {
    eg_buffer text = {0};
    if (!getcwd(w->here, MAX_PATH)) w->here[0] = '\0';
    if (w->here[0] && w->here[1]) strcat(w->here, "/");
    for (size_t i = 0; i < w->choice->excluded_count; i++) {
        eg_buffer_text(&text, w->choice->excluded[i]);
        eg_buffer_text(&text, "\n");
    }
    char *copy = text.failed ? NULL : eg_arena_copy(&w->arena, (eg_str){text.ptr ? text.ptr : "", text.len});
    int status = copy && ignore_parse(&w->arena, (eg_str){copy, text.len}, &w->excluded) ? 0 : out_of_memory();
    eg_buffer_release(&text);
    return status;
}

/* The documents below a folder. */
static int walk_folder(walk *w, const char *path, const char *real) {
    const rule_node *rules = NULL;
    char shown[MAX_PATH];
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    snprintf(shown, sizeof shown, "%.*s", (int)n, path);
    int status = add_rules_above(w, real, &rules);
    if (!status) status = push_folder(w, shown, real, rules);
    for (size_t i = 0; !status && i < w->folder_count; i++) status = list_folder(w, w->folders[i]);
    return status;
}

static int find_below(walk *w, const char *path, const char *real, file_list *out) {
    file_list files = {.max = MAX_FILES, .what = "files"};
    struct stat st;
    w->files = &files;
    size_t before = w->choice->left_out;
    int status = walk_folder(w, path, real);
    if (files.count) qsort(files.paths, files.count, sizeof *files.paths, by_name);
    for (size_t i = 0; !status && i < files.count; i++)
        if (stat(files.paths[i], &st) == 0) status = push_file(out, files.paths[i], &st);
    if (!status && !files.count && w->choice->left_out > before)
        complain("'%s' holds no files that end in %s, but for those that are ignored: see them with --verbose", path,
                 EG_DOCUMENT_ENDINGS);
    else if (!status && !files.count) complain("'%s' holds no files that end in %s", path, EG_DOCUMENT_ENDINGS);
    release_files(&files);
    return status;
}

int find_files(const char *path, file_choice *choice, file_list *out) {
    struct stat st;
    if (strcmp(path, "-") == 0) return push_file(out, path, fstat(STDIN_FILENO, &st) == 0 ? &st : NULL);
    char *real = stat(path, &st) == 0 ? realpath(path, NULL) : NULL;
    if (!real) return skip(choice, "cannot find", path);
    walk w = {.choice = choice};
    eg_arena_init(&w.arena, 0);
    int status = begin_walk(&w);
    if (!status && S_ISDIR(st.st_mode)) status = find_below(&w, path, real, out);
    else if (!status && is_left_out(&w, NULL, real, 0)) tell_left_out(&w, path, "--exclude");
    else if (!status) status = push_file(out, path, &st);
    eg_arena_release(&w.arena);
    free(w.folders);
    free(real);
    return status;
}
