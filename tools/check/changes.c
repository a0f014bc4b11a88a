/* changes.c - see changes.h. Format of patches: git-diff(1), "Generating patch text with -p"; hunks
 * are read by their numbers of lines, since a line of a document may look like a header. */
#include "tools/check/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "tools/check/git.h"
#include "tools/check/paths.h"
#include "tools/cli.h"

static const changed_file whole_file = {.whole = 1};

static int by_path(const void *a, const void *b) {
    return strcmp(((const changed_file *)a)->path, ((const changed_file *)b)->path);
}

static changed_file *add_file(changes *c, const char *path, int whole) {
    if (c->count == c->capacity) {
        size_t more = c->capacity ? 2 * c->capacity : 64;
        changed_file *p = realloc(c->files, more * sizeof *p);
        if (!p) return NULL;
        c->files = p;
        c->capacity = more;
    }
    char *copy = eg_arena_copy(&c->arena, eg_str_of(path));
    if (!copy) return NULL;
    c->files[c->count] = (changed_file){.path = copy, .whole = whole};
    return &c->files[c->count++];
}

static int add_lines(changes *c, changed_file *f, uint32_t first, uint32_t last) {
    if (f->count == f->capacity) {
        size_t more = f->capacity ? 2 * f->capacity : 8;
        changed_lines *p = eg_arena_array(&c->arena, more, sizeof *p);
        if (!p) return -1;
        if (f->count) memcpy(p, f->lines, f->count * sizeof *p);
        f->lines = p;
        f->capacity = more;
    }
    f->lines[f->count++] = (changed_lines){first, last};
    return 0;
}

/* ---- patches ---- */

/* Undoes git's quotation of a path: "a\tb\303\244", in place. */
static char *unquote(char *s) {
    static const char letters[] = "abtnvfr", signs[] = "\a\b\t\n\v\f\r";
    if (s[0] != '"') {
        char *tab = strchr(s, '\t'); /* stands behind a path with blanks in it */
        if (tab) *tab = '\0';
        return s;
    }
    char *out = s, *p = s + 1;
    while (*p && *p != '"') {
        const char *letter;
        if (*p != '\\' || !p[1]) {
            *out++ = *p++;
        } else if (p[1] >= '0' && p[1] <= '3' && p[2] && p[3]) {
            *out++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
            p += 4;
        } else {
            letter = strchr(letters, p[1]);
            *out++ = letter ? signs[letter - letters] : p[1];
            p += 2;
        }
    }
    *out = '\0';
    return s;
}

/* "12,3" or "12" at *p: the first line and the number of lines. */
static int read_range(char **p, unsigned long *first, unsigned long *count) {
    char *end;
    *first = strtoul(*p, &end, 10);
    *count = 1;
    if (end == *p) return 0;
    *p = end;
    if (*end != ',') return 1;
    *count = strtoul(end + 1, p, 10);
    return *p != end + 1;
}

/* A line "@@ -old +new @@"; *skip: lines of the hunk that follow. */
static int read_hunk(changes *c, changed_file *f, char *line, unsigned long *skip) {
    unsigned long old_first, old_count, first, count;
    char *p = line + 4;
    if (!read_range(&p, &old_first, &old_count) || strncmp(p, " +", 2) != 0) return 0;
    p += 2;
    if (!read_range(&p, &first, &count)) return 0;
    *skip = old_count + count;
    if (!f) return 0;
    /* gone between these two */
    return count ? add_lines(c, f, (uint32_t)first, (uint32_t)(first + count - 1))
                 : add_lines(c, f, (uint32_t)first + 1, (uint32_t)first);
}

int changes_parse(changes *c, char *patch) {
    changed_file *f = NULL;
    unsigned long skip = 0;
    for (char *line = patch, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (line[0] == '\\') continue; /* no newline at the end of the file */
        if (skip) {
            skip--;
            continue;
        }
        if (strncmp(line, "diff --git ", 11) == 0) f = NULL;
        if (strncmp(line, "@@ -", 4) == 0 && read_hunk(c, f, line, &skip)) return -1;
        if (strncmp(line, "+++ ", 4) != 0) continue;
        char *path = unquote(line + 4);
        f = strncmp(path, "b/", 2) == 0 ? add_file(c, path + 2, 0) : NULL;
        if (!f && strncmp(path, "b/", 2) == 0) return -1;
    }
    return 0;
}

/* ---- git ---- */

static int git_failed(int status, const char *what) {
    if (status == GIT_MISSING) return complain("--diff needs git, which is not installed");
    return complain("--diff: git could not tell %s (exit status %d): run `git status` to see why", what, status);
}

/* The words' output without the line end; NULL: git failed, with *status. */
static char *ask(const char *folder, const char *const *words, int *status) {
    char *out;
    size_t size;
    *status = git_run(folder, words, &out, &size);
    if (*status != 0) {
        free(out);
        return NULL;
    }
    if (size && out[size - 1] == '\n') out[size - 1] = '\0';
    return out;
}

/* The hash of what BASE names; to be freed. NULL after complaining. */
static char *resolve(const changes *c, const char *base) {
    int status;
    char *name = NULL;
    if (asprintf(&name, "%s^{commit}", base) < 0) return complain("out of memory"), NULL;
    const char *const commit[] = {"rev-parse", "--verify", "--quiet", "--end-of-options", name, NULL};
    char *hash = ask(c->top, commit, &status);
    free(name);
    const char *const empty[] = {"hash-object", "-t", "tree", "--stdin", NULL};
    /* before the first commit all is new */
    if (!hash && strcmp(base, "HEAD") == 0) return ask(c->top, empty, &status);
    if (!hash)
        complain("--diff: there is no commit '%s' in the repository '%s': name a branch, tag or commit that `git log` knows, or "
                 "fetch it first (in GitHub Actions: actions/checkout with fetch-depth: 0)",
                 base, c->top);
    return hash;
}

/* Where this branch left BASE, so that what was done there since does not count; BASE itself where
 * git does not know (a shallow clone). Takes and returns memory of the heap. */
static char *branch_point(const changes *c, char *hash) {
    int status;
    const char *const words[] = {"merge-base", hash, "HEAD", NULL};
    char *common = ask(c->top, words, &status);
    if (!common) return hash;
    free(hash);
    return common;
}

static int read_patch(changes *c, const char *hash) {
    const char *const words[] = {"diff",
                                 "--unified=0",
                                 "--inter-hunk-context=0",
                                 "--no-color",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--find-renames",
                                 "--src-prefix=a/",
                                 "--dst-prefix=b/",
                                 "--no-relative",
                                 "--diff-filter=d",
                                 "--ignore-submodules=all",
                                 hash,
                                 "--",
                                 NULL};
    int status;
    char *patch = ask(c->top, words, &status);
    if (!patch) return git_failed(status, "what changed");
    status = changes_parse(c, patch) == 0 ? 0 : complain("out of memory");
    free(patch);
    return status;
}

/* Files of which git prints no lines: those that it takes for binary. "-\t-\tPATH", or "-\t-\t" and
 * two paths of a rename, each with a NUL behind it. */
static int read_binary(changes *c, const char *hash) {
    const char *const words[] = {"diff",
                                 "--numstat",
                                 "-z",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--find-renames",
                                 "--no-relative",
                                 "--diff-filter=d",
                                 "--ignore-submodules=all",
                                 hash,
                                 "--",
                                 NULL};
    char *list;
    size_t size;
    int status = git_run(c->top, words, &list, &size), failed = 0;
    for (const char *p = list; status == 0 && p < list + size && !failed; p += strlen(p) + 1) {
        const char *tab = strchr(p, '\t'), *path = tab && strchr(tab + 1, '\t') ? strchr(tab + 1, '\t') + 1 : p;
        int binary = strncmp(p, "-\t-\t", 4) == 0;
        if (!*path) { /* a rename */
            path += 1;
            p = path += strlen(path) + 1;
        }
        failed = binary && !add_file(c, path, 1);
    }
    free(list);
    if (status) return git_failed(status, "what changed");
    return failed ? complain("out of memory") : 0;
}

static int read_untracked(changes *c) {
    static const char *const words[] = {"ls-files", "-z", "--others", "--exclude-standard", NULL};
    char *list;
    size_t size;
    int status = git_run(c->top, words, &list, &size), failed = 0;
    for (const char *p = list; status == 0 && p < list + size && !failed; p += strlen(p) + 1) failed = !add_file(c, p, 1);
    free(list);
    if (status) return git_failed(status, "which files are new");
    return failed ? complain("out of memory") : 0;
}

int changes_open(changes *c, const char *base) {
    static const char *const where[] = {"rev-parse", "--show-toplevel", NULL};
    int status;
    *c = (changes){0};
    eg_arena_init(&c->arena, 0);
    c->top = ask(".", where, &status);
    if (!c->top && status == GIT_MISSING) return git_failed(status, "");
    if (!c->top)
        return complain(
            "--diff needs the working tree of a git repository, and this folder is in none: run it within one, or leave "
            "out --diff");
    char *hash = resolve(c, base);
    if (!hash) return EXIT_ERROR;
    hash = branch_point(c, hash);
    status = read_patch(c, hash) || read_binary(c, hash) || read_untracked(c) ? EXIT_ERROR : 0;
    if (c->count) qsort(c->files, c->count, sizeof *c->files, by_path);
    free(hash);
    return status;
}

void changes_release(changes *c) {
    free(c->top);
    free(c->files);
    eg_arena_release(&c->arena);
}

const changed_file *changes_of(const changes *c, const char *path) {
    if (strcmp(path, "stdin") == 0 && !eg_file_exists(path)) return &whole_file;
    char *from = path_from(c->top, path);
    const changed_file wanted = {.path = from};
    const changed_file *found = from && c->count ? bsearch(&wanted, c->files, c->count, sizeof wanted, by_path) : NULL;
    free(from);
    return found;
}

int changes_touch(const changed_file *f, uint32_t first, uint32_t last) {
    if (!f || f->whole) return f != NULL;
    for (size_t i = 0; i < f->count; i++)
        if (first <= f->lines[i].last && last >= f->lines[i].first) return 1;
    return 0;
}
