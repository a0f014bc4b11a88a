/* workspace.c - finding the workspace of a folder. See workspace.h. Format of the files:
 * gitrepository-layout(5). */
#include "core/access/workspace.h"

#include <sodium.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/status.h"
#include "core/include/engram/limits.h"

enum { MAX_GIT_FILE = 1 << 20, HASH_BYTES = 10 };

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static eg_str trimmed(eg_str s) {
    while (s.len && is_space(s.ptr[0])) s.ptr++, s.len--;
    while (s.len && is_space(s.ptr[s.len - 1])) s.len--;
    return s;
}

/* Cuts the last component off path in place; 0 when nothing is left above. */
static int to_parent(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || !path[1]) return 0;
    slash[slash == path] = 0;
    return 1;
}

/* folder/name, with one slash between. */
static char *join(eg_arena *arena, const char *folder, const char *name) {
    return eg_arena_printf(arena, "%s/%s", strcmp(folder, "/") ? folder : "", name);
}

/* The first folder, from `folder` upwards, with an entry `name` that belongs to this user, root or
 * the owner of `folder`; *out: the entry's path, or NULL. *passed, unless NULL: the first entry of
 * somebody else, or NULL. */
static eg_status find_above(eg_arena *arena, const char *folder, const char *name, char **out, char **passed, eg_error *err) {
    struct stat start, st;
    int known = stat(folder, &start) == 0;
    char *at = eg_arena_copy(arena, eg_str_of(folder));
    *out = NULL;
    if (passed) *passed = NULL;
    if (!at) return eg_fail_memory(err, strlen(folder));
    do {
        char *path = join(arena, at, name);
        if (!path) return eg_fail_memory(err, strlen(at));
        /* of a link its own owner: who put it there */
        if (lstat(path, &st) != 0) continue;
        if (st.st_uid == geteuid() || st.st_uid == 0 || (known && st.st_uid == start.st_uid)) {
            *out = path;
            return EG_OK;
        }
        if (passed && !*passed) *passed = path;
    } while (to_parent(at));
    return EG_OK;
}

eg_status eg_project_file_find(eg_arena *arena, const char *folder, const char **out, eg_error *err) {
    char *path = NULL;
    eg_status s = find_above(arena, folder, ".engram.conf", &path, NULL, err);
    *out = path;
    return s;
}

eg_status eg_workspace_check(eg_str name, eg_error *err) {
    char shown[64];
    int good = name.len >= 1 && name.len <= EG_MAX_NAME;
    for (size_t i = 0; good && i < name.len; i++) {
        char c = name.ptr[i];
        int word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        good = word || (i > 0 && c && strchr("._-/:@", c));
    }
    if (good) return EG_OK;
    return eg_fail(err, EG_EINVAL,
                   "'%s' is no name for a workspace: use 1 to %d letters, digits and . _ - / : @, first a letter or digit",
                   eg_quote(name, 40, shown, sizeof shown), EG_MAX_NAME);
}

int eg_workspace_is_reserved(eg_str name) {
    return eg_str_eq(name, EG_STR("local")) || (name.len >= 4 && memcmp(name.ptr, "git-", 4) == 0);
}

/* Length of "scheme://" at the start of s, 0 when there is none. */
static size_t scheme_length(eg_str s) {
    for (size_t i = 0; i + 3 <= s.len; i++) {
        if (s.ptr[i] == ':') return i > 0 && memcmp(s.ptr + i, "://", 3) == 0 ? i + 3 : 0;
        if (s.ptr[i] == '/') return 0;
    }
    return 0;
}

static size_t find_byte(eg_str s, char c) {
    const char *p = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return p ? (size_t)(p - s.ptr) : s.len;
}

static int is_default_port(eg_str port) {
    return port.len == 0 || eg_str_eq(port, EG_STR("22")) || eg_str_eq(port, EG_STR("443")) || eg_str_eq(port, EG_STR("80")) ||
           eg_str_eq(port, EG_STR("9418"));
}

static eg_str without_ending(eg_str path) {
    while (path.len && path.ptr[path.len - 1] == '/') path.len--;
    if (path.len > 4 && memcmp(path.ptr + path.len - 4, ".git", 4) == 0) path.len -= 4;
    while (path.len && path.ptr[path.len - 1] == '/') path.len--;
    return path;
}

eg_status eg_remote_normalize(eg_arena *arena, eg_str url, eg_str *out, eg_error *err) {
    url = trimmed(url);
    *out = (eg_str){"", 0};
    if (!url.len) return EG_OK;
    size_t scheme = scheme_length(url);
    eg_str host, path, port = {"", 0};
    if (scheme >= 7 && strncasecmp(url.ptr, "file://", 7) == 0) {
        host = (eg_str){"", 0};
        path = (eg_str){url.ptr + 7, url.len - 7};
    } else if (scheme) {
        eg_str rest = {url.ptr + scheme, url.len - scheme};
        size_t slash = find_byte(rest, '/');
        host = (eg_str){rest.ptr, slash};
        path = (eg_str){rest.ptr + slash, rest.len - slash};
    } else {
        /* scp form host:path, when the colon stands before any slash; else a path */
        size_t colon = find_byte(url, ':'), slash = find_byte(url, '/');
        int scp = colon < url.len && colon < slash;
        host = (eg_str){url.ptr, scp ? colon : 0};
        path = scp ? (eg_str){url.ptr + colon + 1, url.len - colon - 1} : url;
    }
    for (size_t at = find_byte(host, '@'); at < host.len; at = find_byte(host, '@')) {
        /* user and password never reach the hash or a message */
        host.ptr += at + 1, host.len -= at + 1;
    }
    size_t colon = scheme && !(host.len && host.ptr[0] == '[') ? find_byte(host, ':') : host.len;
    if (colon < host.len) {
        port = (eg_str){host.ptr + colon + 1, host.len - colon - 1};
        host.len = colon;
    }
    path = without_ending(path);
    if (host.len) {
        while (path.len && path.ptr[0] == '/') path.ptr++, path.len--;
    }
    int keep_port = !is_default_port(port);
    char *text = eg_arena_printf(arena, "%.*s%s%.*s%s%.*s", (int)host.len, host.ptr, keep_port ? ":" : "",
                                 keep_port ? (int)port.len : 0, port.ptr, host.len ? "/" : "", (int)path.len, path.ptr);
    if (!text) return eg_fail_memory(err, url.len);
    for (size_t i = 0; i < host.len; i++) {
        if (text[i] >= 'A' && text[i] <= 'Z') text[i] = (char)(text[i] + 32);
    }
    *out = eg_str_of(text);
    return EG_OK;
}

/* The first value of `key` in the sections of a git configuration whose line begins so: "[core]" or
 * "[remote "; empty when there is none. */
static eg_str first_value(eg_str config, const char *section, const char *key) {
    size_t n = strlen(section), m = strlen(key);
    int inside = 0;
    while (config.len) {
        size_t end = find_byte(config, '\n');
        eg_str line = trimmed((eg_str){config.ptr, end});
        size_t step = end < config.len ? end + 1 : end;
        config.ptr += step, config.len -= step;
        if (line.len && line.ptr[0] == '[') {
            inside = line.len >= n && strncasecmp(line.ptr, section, n) == 0;
        } else if (inside && line.len > m && strncasecmp(line.ptr, key, m) == 0) {
            eg_str rest = trimmed((eg_str){line.ptr + m, line.len - m});
            if (!rest.len || rest.ptr[0] != '=') continue;
            rest = trimmed((eg_str){rest.ptr + 1, rest.len - 1});
            if (rest.len >= 2 && rest.ptr[0] == '"' && rest.ptr[rest.len - 1] == '"') rest.ptr++, rest.len -= 2;
            if (rest.len) return rest;
        }
    }
    return (eg_str){"", 0};
}

/* A path that a git file gives, relative to folder unless absolute. */
static char *resolved(eg_arena *arena, const char *folder, eg_str path) {
    if (path.len && path.ptr[0] == '/') return eg_arena_copy(arena, path);
    return eg_arena_printf(arena, "%s/%.*s", folder, (int)path.len, path.ptr);
}

/* The path without links and dots; NULL: it names nothing, or memory is out. */
static char *real_path(eg_arena *arena, const char *path) {
    char *real = path ? realpath(path, NULL) : NULL;
    char *copy = real ? eg_arena_copy(arena, eg_str_of(real)) : NULL;
    free(real);
    return copy;
}

/* The small file folder/name without blanks at its ends; empty: it cannot be read. */
static eg_str small_file(eg_arena *arena, const char *folder, const char *name) {
    eg_str text = {"", 0};
    const char *path = join(arena, folder, name);
    if (!path || eg_file_read(path, MAX_GIT_FILE, arena, &text, NULL) != EG_OK) return (eg_str){"", 0};
    return trimmed(text);
}

static int is_same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* The common git folder behind `git`, a real path to which the entry dot_git of a working folder
 * points; NULL when it does not point back. Git notes in a worktree's folder where its .git file
 * stands, and in a submodule's configuration where it is checked out. Without that, a .git file
 * from an archive could choose the memory of any repository of this user. */
static char *common_behind(eg_arena *arena, const char *git, const char *dot_git) {
    char *above = eg_arena_copy(arena, eg_str_of(git));
    eg_str back = small_file(arena, git, "gitdir");
    if (!above) return NULL;
    char *slash = to_parent(above) ? strrchr(above, '/') : NULL;
    if (slash && strcmp(slash, "/worktrees") == 0 && back.len &&
        is_same(real_path(arena, resolved(arena, git, back)), real_path(arena, dot_git)))
        return to_parent(above) ? above : NULL;
    back = first_value(small_file(arena, git, "config"), "[core]", "worktree");
    char *folder = eg_arena_copy(arena, eg_str_of(dot_git));
    if (!folder || !back.len || !to_parent(folder)) return NULL;
    int points_back = is_same(real_path(arena, resolved(arena, git, back)), real_path(arena, folder));
    return points_back ? eg_arena_copy(arena, eg_str_of(git)) : NULL;
}

/* Fills in folder, and is_own where dot_git points to a repository that knows nothing of it. */
static eg_status find_folder(eg_arena *arena, const char *dot_git, eg_repository *out, eg_error *err) {
    struct stat link, st;
    int is_link = lstat(dot_git, &link) == 0 && S_ISLNK(link.st_mode);
    const char *git = dot_git;
    if (stat(dot_git, &st) == 0 && S_ISREG(st.st_mode)) {
        eg_str text;
        eg_status s = eg_file_read(dot_git, MAX_GIT_FILE, arena, &text, err);
        if (s != EG_OK) return s;
        text = trimmed(text);
        if (text.len < 8 || memcmp(text.ptr, "gitdir:", 7) != 0) {
            return eg_fail(err, EG_EFORMAT, "'%s' does not begin with 'gitdir:' (is the repository damaged?)", dot_git);
        }
        char *folder = eg_arena_copy(arena, eg_str_of(dot_git));
        if (!folder) return eg_fail_memory(err, strlen(dot_git));
        to_parent(folder);
        git = resolved(arena, folder, trimmed((eg_str){text.ptr + 7, text.len - 7}));
        is_link = 1;
    }
    char *real = real_path(arena, git);
    if (!real) return eg_fail(err, EG_EIO, "the git folder '%s' cannot be resolved (is the repository damaged?)", git ? git : "");
    out->folder = is_link ? common_behind(arena, real, dot_git) : real;
    if (out->folder && stat(out->folder, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0 || st.st_uid == link.st_uid))
        return EG_OK;
    /* its own memory, by the place of the pointer */
    char *folder = eg_arena_copy(arena, eg_str_of(dot_git));
    if (folder) to_parent(folder);
    char *place = real_path(arena, folder);
    out->folder = place ? join(arena, place, ".git") : NULL;
    out->is_own = 1;
    return out->folder ? EG_OK : eg_fail_memory(err, strlen(dot_git));
}

eg_status eg_repository_find(eg_arena *arena, const char *folder, eg_repository *out, eg_error *err) {
    char *dot_git = NULL, *passed = NULL;
    *out = (eg_repository){.remote = {"", 0}};
    eg_status s = find_above(arena, folder, ".git", &dot_git, &passed, err);
    if (s != EG_OK) return s;
    if (!dot_git && passed)
        return eg_fail(err, EG_ENOENT, "the git repository '%s' belongs to another user, who could choose the memory", passed);
    if (!dot_git) return eg_fail(err, EG_ENOENT, "'%s' is in no git repository", folder);
    s = find_folder(arena, dot_git, out, err);
    if (s != EG_OK) return s;
    char *root = eg_arena_copy(arena, eg_str_of(dot_git));
    if (root) to_parent(root);
    if (!(out->root = real_path(arena, root))) return eg_fail_memory(err, strlen(dot_git));
    if (!out->is_own)
        s = eg_remote_normalize(arena, first_value(small_file(arena, out->folder, "config"), "[remote ", "url"), &out->remote,
                                err);
    if (s != EG_OK) return s;
    eg_str key = out->remote.len ? out->remote : eg_str_of(out->folder);
    uint8_t hash[crypto_hash_sha256_BYTES];
    char hex[2 * HASH_BYTES + 1];
    crypto_hash_sha256(hash, (const unsigned char *)key.ptr, key.len);
    sodium_bin2hex(hex, sizeof hex, hash, HASH_BYTES);
    const char *name = eg_arena_printf(arena, "git-%s", hex);
    const char *why = eg_arena_printf(arena, "git %s %.*s%s", out->remote.len ? "remote" : "folder", (int)key.len, key.ptr,
                                      out->is_own ? ", which points to a repository that does not point back" : "");
    if (!name || !why) return eg_fail_memory(err, key.len);
    out->workspace = eg_str_of(name);
    out->why = eg_str_of(why);
    return EG_OK;
}
