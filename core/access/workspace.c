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

/* The first folder, from `folder` upwards, with an entry `name`; *out: the entry's path, or
 * NULL. */
static eg_status find_above(eg_arena *arena, const char *folder, const char *name, char **out, eg_error *err) {
    char *at = eg_arena_copy(arena, eg_str_of(folder));
    if (!at) return eg_fail_memory(err, strlen(folder));
    do {
        char *path = join(arena, at, name);
        if (!path) return eg_fail_memory(err, strlen(at));
        if (eg_file_exists(path)) {
            *out = path;
            return EG_OK;
        }
    } while (to_parent(at));
    *out = NULL;
    return EG_OK;
}

eg_status eg_project_file_find(eg_arena *arena, const char *folder, const char **out, eg_error *err) {
    struct stat start, st;
    char *path = NULL;
    int known = stat(folder, &start) == 0;
    *out = NULL;
    eg_status s = find_above(arena, folder, ".engram.conf", &path, err);
    while (s == EG_OK && path) {
        /* of a link its own owner: who put it there */
        if (lstat(path, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0 || (known && st.st_uid == start.st_uid))) {
            *out = path;
            return EG_OK;
        }
        char *above = eg_arena_copy(arena, eg_str_of(path));
        if (!above) return eg_fail_memory(err, strlen(path));
        path = NULL;
        if (to_parent(above) && to_parent(above)) s = find_above(arena, above, ".engram.conf", &path, err);
    }
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

/* The url of the first [remote "..."] section of a git configuration; empty when there is none. */
static eg_str first_remote(eg_str config) {
    int in_remote = 0;
    while (config.len) {
        size_t end = find_byte(config, '\n');
        eg_str line = trimmed((eg_str){config.ptr, end});
        size_t step = end < config.len ? end + 1 : end;
        config.ptr += step, config.len -= step;
        if (line.len && line.ptr[0] == '[') {
            in_remote = line.len > 8 && strncasecmp(line.ptr, "[remote ", 8) == 0;
        } else if (in_remote && line.len > 3 && strncasecmp(line.ptr, "url", 3) == 0) {
            eg_str rest = trimmed((eg_str){line.ptr + 3, line.len - 3});
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

/* The common git folder of the repository whose .git entry is dot_git: through "gitdir:" files
 * (worktrees and submodules) and commondir. */
static eg_status common_folder(eg_arena *arena, const char *dot_git, char **out, eg_error *err) {
    struct stat st;
    char *git = eg_arena_copy(arena, eg_str_of(dot_git));
    if (!git) return eg_fail_memory(err, strlen(dot_git));
    if (stat(dot_git, &st) == 0 && S_ISREG(st.st_mode)) {
        eg_str text;
        eg_status s = eg_file_read(dot_git, MAX_GIT_FILE, arena, &text, err);
        if (s != EG_OK) return s;
        text = trimmed(text);
        if (text.len < 8 || memcmp(text.ptr, "gitdir:", 7) != 0) {
            return eg_fail(err, EG_EFORMAT, "'%s' does not begin with 'gitdir:' (is the repository damaged?)", dot_git);
        }
        to_parent(git);
        git = resolved(arena, git, trimmed((eg_str){text.ptr + 7, text.len - 7}));
        if (!git) return eg_fail_memory(err, text.len);
    }
    char *pointer = join(arena, git, "commondir");
    if (!pointer) return eg_fail_memory(err, strlen(git));
    if (eg_file_exists(pointer)) {
        eg_str text;
        eg_status s = eg_file_read(pointer, MAX_GIT_FILE, arena, &text, err);
        if (s != EG_OK) return s;
        git = resolved(arena, git, trimmed(text));
        if (!git) return eg_fail_memory(err, text.len);
    }
    *out = git;
    return EG_OK;
}

eg_status eg_workspace_of_git(eg_arena *arena, const char *folder, eg_str *name, eg_str *why, eg_error *err) {
    char *dot_git = NULL, *common = NULL;
    eg_status s = find_above(arena, folder, ".git", &dot_git, err);
    if (s != EG_OK) return s;
    if (!dot_git) return eg_fail(err, EG_ENOENT, "'%s' is in no git repository", folder);
    s = common_folder(arena, dot_git, &common, err);
    if (s != EG_OK) return s;

    eg_str key = {"", 0}, config;
    char *config_path = join(arena, common, "config");
    if (!config_path) return eg_fail_memory(err, strlen(common));
    if (eg_file_read(config_path, MAX_GIT_FILE, arena, &config, NULL) == EG_OK) {
        s = eg_remote_normalize(arena, first_remote(config), &key, err);
        if (s != EG_OK) return s;
    }
    int remote = key.len > 0;
    if (!remote) {
        char *real = realpath(common, NULL);
        if (!real) return eg_fail(err, EG_EIO, "the git folder '%s' cannot be resolved (is the repository damaged?)", common);
        char *copy = eg_arena_copy(arena, eg_str_of(real));
        free(real);
        if (!copy) return eg_fail_memory(err, strlen(common));
        key = eg_str_of(copy);
    }
    uint8_t hash[crypto_hash_sha256_BYTES];
    char hex[2 * HASH_BYTES + 1];
    crypto_hash_sha256(hash, (const unsigned char *)key.ptr, key.len);
    sodium_bin2hex(hex, sizeof hex, hash, HASH_BYTES);
    const char *text = eg_arena_printf(arena, "git-%s", hex);
    const char *reason = eg_arena_printf(arena, "git %s %.*s", remote ? "remote" : "folder", (int)key.len, key.ptr);
    if (!text || !reason) return eg_fail_memory(err, key.len);
    *name = eg_str_of(text);
    *why = eg_str_of(reason);
    return EG_OK;
}
