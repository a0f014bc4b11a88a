/* record.c - the workspaces that repositories were given. See record.h. The file of a record in the
 * data folder has the lines "workspace NAME", "remote ADDRESS" and "folder PATH". */
#include "core/access/record.h"

#include <dirent.h>
#include <errno.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/status.h"

enum { KEY_BYTES = 16, KEY_TEXT = 2 * KEY_BYTES, MAX_RECORD = 64 << 10 };

static int is_key(const char *text, size_t n) {
    if (n != KEY_TEXT) return 0;
    for (size_t i = 0; i < n; i++)
        if (!strchr("0123456789abcdef", text[i])) return 0;
    return 1;
}

/* engram-UID in the git folder: each user of a shared repository has a memory of their own. */
static char *key_file(eg_arena *arena, const eg_repository *r) {
    return eg_arena_printf(arena, "%s/engram-%u", r->folder, (unsigned)geteuid());
}

static char *record_file(eg_arena *arena, const char *data, const char *key) {
    return eg_arena_printf(arena, "%s/repositories/%s", data, key);
}

/* The key in the git folder; NULL: there is none of this user. */
static const char *read_key(eg_arena *arena, const eg_repository *r) {
    struct stat st;
    eg_str text;
    const char *file = r->is_own ? NULL : key_file(arena, r);
    if (!file || lstat(file, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid()) return NULL;
    if (eg_file_read(file, MAX_RECORD, arena, &text, NULL) != EG_OK) return NULL;
    while (text.len && text.ptr[text.len - 1] == '\n') text.len--;
    return is_key(text.ptr, text.len) ? eg_arena_copy(arena, text) : NULL;
}

/* The rest of the line that begins with the word and a blank; empty: there is none. */
static eg_str line_of(eg_str text, const char *word) {
    size_t n = strlen(word);
    while (text.len) {
        const char *newline = memchr(text.ptr, '\n', text.len);
        size_t len = newline ? (size_t)(newline - text.ptr) : text.len;
        if (len > n && memcmp(text.ptr, word, n) == 0 && text.ptr[n] == ' ') return (eg_str){text.ptr + n + 1, len - n - 1};
        size_t step = len + (newline != NULL);
        text.ptr += step, text.len -= step;
    }
    return (eg_str){"", 0};
}

/* EG_ENOENT: no such record, or one without a valid name. */
static eg_status read_record(eg_arena *arena, const char *data, const char *key, eg_record *out, eg_error *err) {
    eg_str text;
    const char *file = record_file(arena, data, key);
    *out = (eg_record){.key = key};
    if (!file) return eg_fail_memory(err, strlen(key));
    eg_status s = eg_file_read(file, MAX_RECORD, arena, &text, err);
    if (s != EG_OK) return s;
    out->workspace = line_of(text, "workspace");
    out->remote = line_of(text, "remote");
    out->folder = line_of(text, "folder");
    return eg_workspace_check(out->workspace, NULL) == EG_OK ? EG_OK : eg_fail(err, EG_ENOENT, "'%s' names no workspace", file);
}

static eg_status write_record(eg_arena *arena, const char *data, const eg_record *r, eg_error *err) {
    const char *file = record_file(arena, data, r->key), *folder = eg_arena_printf(arena, "%s/repositories", data);
    int is_line = r->folder.len && !memchr(r->folder.ptr, '\n', r->folder.len);
    const char *text = eg_arena_printf(arena, "workspace %.*s\nremote %.*s\nfolder %.*s\n", (int)r->workspace.len,
                                       r->workspace.ptr, (int)r->remote.len, r->remote.len ? r->remote.ptr : "",
                                       is_line ? (int)r->folder.len : 0, is_line ? r->folder.ptr : "");
    if (!file || !folder || !text) return eg_fail_memory(err, MAX_RECORD);
    eg_status s = eg_folder_make(folder, 0700, err);
    return s == EG_OK ? eg_file_replace(file, text, strlen(text), 0600, err) : s;
}

eg_status eg_record_each(eg_arena *arena, const char *data, eg_status (*each)(void *self, const eg_record *record), void *self,
                         eg_error *err) {
    const char *folder = eg_arena_printf(arena, "%s/repositories", data);
    if (!folder) return eg_fail_memory(err, strlen(data));
    DIR *d = opendir(folder);
    if (!d && errno == ENOENT) return EG_OK;
    if (!d) return eg_fail(err, EG_EIO, "cannot read the folder '%s': %s", folder, strerror(errno));
    eg_status s = EG_OK;
    for (struct dirent *entry; s == EG_OK && (entry = readdir(d)) != NULL;) {
        eg_record r;
        if (!is_key(entry->d_name, strlen(entry->d_name))) continue;
        const char *key = eg_arena_copy(arena, eg_str_of(entry->d_name));
        if (!key) s = eg_fail_memory(err, KEY_TEXT);
        else if (read_record(arena, data, key, &r, NULL) == EG_OK) s = each(self, &r);
    }
    closedir(d);
    return s;
}

/* A record with the remote of the repository, rather one with its own name. */
typedef struct by_remote {
    const eg_repository *of;
    eg_record found;
} by_remote;

static eg_status look_at(void *self, const eg_record *r) {
    by_remote *b = self;
    if (!eg_str_eq(r->remote, b->of->remote)) return EG_OK;
    if (!b->found.key || eg_str_eq(r->workspace, b->of->workspace)) b->found = *r;
    return EG_OK;
}

eg_status eg_record_find(eg_arena *arena, const char *data, const eg_repository *repository, eg_record *out, eg_error *err) {
    const char *key = read_key(arena, repository);
    if (key && read_record(arena, data, key, out, NULL) == EG_OK) return EG_OK;
    by_remote b = {.of = repository};
    eg_status s = repository->remote.len ? eg_record_each(arena, data, look_at, &b, err) : EG_OK;
    if (s != EG_OK) return s;
    if (!b.found.key) return eg_fail(err, EG_ENOENT, "the repository '%s' is not recorded", repository->folder);
    *out = b.found;
    out->borrowed = repository;
    return EG_OK;
}

eg_status eg_record_write(eg_arena *arena, const char *data, const eg_repository *repository, eg_str workspace, eg_error *err) {
    eg_record old;
    if (repository->is_own)
        return eg_fail(err, EG_EUNSUPPORTED, "'%s' is no git folder: there is no place for a record", repository->folder);
    const char *key = read_key(arena, repository);
    int known = key && read_record(arena, data, key, &old, NULL) == EG_OK && eg_str_eq(old.workspace, workspace);
    eg_record r = {.workspace = workspace, .remote = repository->remote, .folder = eg_str_of(repository->folder)};
    if (known) {
        r.key = key;
        int same = eg_str_eq(old.remote, r.remote) && eg_str_eq(old.folder, r.folder);
        return same ? EG_OK : write_record(arena, data, &r, err);
    }
    uint8_t bytes[KEY_BYTES];
    char text[KEY_TEXT + 1], line[KEY_TEXT + 2];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(text, sizeof text, bytes, sizeof bytes);
    memcpy(line, text, KEY_TEXT);
    memcpy(line + KEY_TEXT, "\n", 2);
    r.key = text;
    const char *file = key_file(arena, repository), *stored = record_file(arena, data, text);
    if (!file || !stored) return eg_fail_memory(err, strlen(repository->folder));
    eg_status s = write_record(arena, data, &r, err);
    if (s != EG_OK) return s;
    s = eg_file_replace(file, line, KEY_TEXT + 1, 0600, err);
    if (s != EG_OK) unlink(stored);
    return s;
}

typedef struct renaming {
    eg_arena *arena;
    const char *data;
    eg_str from, to;
    eg_error *err;
} renaming;

static eg_status rename_one(void *self, const eg_record *r) {
    const renaming *n = self;
    if (!eg_str_eq(r->workspace, n->from)) return EG_OK;
    eg_record changed = *r;
    changed.workspace = n->to;
    if (n->to.len) return write_record(n->arena, n->data, &changed, n->err);
    const char *file = record_file(n->arena, n->data, r->key);
    if (!file) return eg_fail_memory(n->err, KEY_TEXT);
    return unlink(file) == 0 ? EG_OK : eg_fail(n->err, EG_EIO, "cannot remove '%s': %s", file, strerror(errno));
}

eg_status eg_record_rename(eg_arena *arena, const char *data, eg_str from, eg_str to, eg_error *err) {
    renaming n = {arena, data, from, to, err};
    return eg_record_each(arena, data, rename_one, &n, err);
}
