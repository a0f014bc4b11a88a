/* model_id.c - see model_id.h. The cache is one text file a model folder:
 *
 *     engram model id 1
 *     config.json DEVICE INODE SIZE SECONDS.NANOSECONDS     (a line each file; - if it is missing)
 *     id 64 hex digits
 *     sum SHA-256 of everything above
 */
#include "core/host/model_id.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/file.h"
#include "core/hub/files.h"

enum {
    MAX_PATH = 4096 + 512,
    MAX_TEXT = 128 << 10,
    MAX_FILES = EG_MODEL_FILES + EG_MODEL_SHARDS,
    HASH = crypto_hash_sha256_BYTES,
    HEX = 2 * HASH + 1,
    SETTLED_SECONDS = 2
};

static void path_of(const char *folder, const char *name, char out[MAX_PATH]) { snprintf(out, MAX_PATH, "%s/%s", folder, name); }

/* The files that count: those of the list, then the weights where they are in several. */
typedef struct names {
    const char *rows[MAX_FILES];
    size_t count;
} names;

static void name_files(const char *folder, eg_arena *arena, names *out) {
    size_t shards = 0;
    memcpy(out->rows, eg_model_files, sizeof eg_model_files);
    (void)eg_model_shards(folder, arena, out->rows + EG_MODEL_FILES, &shards,
                          NULL); /* too many: the engine opens no such folder */
    out->count = EG_MODEL_FILES + shards;
}

/* Writes the first lines of the cache file; *newest: when the youngest file was changed. */
static void describe(const char *folder, const names *files, char text[MAX_TEXT], time_t *newest) {
    size_t n = (size_t)snprintf(text, MAX_TEXT, "engram model id 1\n");
    *newest = 0;
    for (size_t i = 0; i < files->count; i++) { /* a line has at most 256 + 5 * 21 bytes: all fit */
        char path[MAX_PATH];
        struct stat st;
        path_of(folder, files->rows[i], path);
        if (stat(path, &st) != 0) {
            n += (size_t)snprintf(text + n, MAX_TEXT - n, "%s -\n", files->rows[i]);
            continue;
        }
        if (st.st_mtim.tv_sec > *newest) *newest = st.st_mtim.tv_sec;
        n += (size_t)snprintf(text + n, MAX_TEXT - n, "%s %ju %ju %jd %jd.%09ld\n", files->rows[i], (uintmax_t)st.st_dev,
                              (uintmax_t)st.st_ino, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    }
}

static void hash_hex(const char *bytes, size_t n, char out[HEX]) {
    uint8_t hash[HASH];
    crypto_hash_sha256(hash, (const unsigned char *)bytes, n);
    sodium_bin2hex(out, HEX, hash, sizeof hash);
}

/* The whole cache file for a description and an id; its length. */
static size_t compose(const char *description, const char *id, char out[MAX_TEXT]) {
    char sum[HEX];
    size_t n = (size_t)snprintf(out, MAX_TEXT, "%sid %.64s\n", description, id);
    hash_hex(out, n, sum);
    return n + (size_t)snprintf(out + n, MAX_TEXT - n, "sum %s\n", sum);
}

/* 1 and *id when the file is exactly what compose() writes for this description and some id. */
static int remembered(const char *path, const char *description, char id[EG_MODEL_ID_TEXT]) {
    char wanted[MAX_TEXT];
    eg_arena arena;
    eg_str text;
    size_t at = strlen(description) + 3;
    eg_arena_init(&arena, 0);
    int good = eg_file_read(path, MAX_TEXT, &arena, &text, NULL) == EG_OK && text.len > at + 64;
    if (good) {
        memcpy(id, text.ptr + at, 64);
        id[64] = '\0';
        good = strspn(id, "0123456789abcdef") == 64 && compose(description, id, wanted) == text.len &&
               memcmp(wanted, text.ptr, text.len) == 0;
    }
    eg_arena_release(&arena);
    return good;
}

/* Adds one file to the identity: name, length, bytes. A missing file counts as absent. 0 when it
 * cannot be read. */
static int hash_file(crypto_hash_sha256_state *state, const char *folder, const char *name, int always) {
    char path[MAX_PATH];
    eg_map map = {0};
    path_of(folder, name, path);
    if (!always && !eg_file_exists(path)) return 1;
    crypto_hash_sha256_update(state, (const unsigned char *)name, strlen(name) + 1);
    if (!eg_file_exists(path)) return 1;
    if (eg_map_open(path, &map, NULL) != EG_OK) return 0;
    uint64_t size = map.size;
    crypto_hash_sha256_update(state, (const unsigned char *)&size, sizeof size);
    if (map.size) crypto_hash_sha256_update(state, map.bytes, map.size);
    eg_map_close(&map);
    return 1;
}

void eg_model_id(const char *folder, const char *cache, char out[EG_MODEL_ID_TEXT]) {
    char before[MAX_TEXT], after[MAX_TEXT], name[HEX], path[MAX_PATH];
    time_t newest;
    names files;
    eg_arena arena;
    eg_arena_init(&arena, 0);
    name_files(folder, &arena, &files);
    describe(folder, &files, before, &newest);
    hash_hex(folder, strlen(folder), name);
    snprintf(path, sizeof path, "%s/model-%.16s.id", cache, name);
    if (remembered(path, before, out)) {
        eg_arena_release(&arena);
        return;
    }

    crypto_hash_sha256_state state;
    uint8_t hash[HASH];
    int whole = 1;
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < files.count; i++) whole &= hash_file(&state, folder, files.rows[i], i < EG_MODEL_FILES_ALWAYS);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(out, EG_MODEL_ID_TEXT, hash, sizeof hash);

    /* A file that is just being written may change again within one tick of its clock: then its
     * time tells nothing. */
    describe(folder, &files, after, &newest);
    eg_arena_release(&arena);
    if (!whole || strcmp(before, after) != 0 || newest > time(NULL) - SETTLED_SECONDS) return;
    size_t n = compose(after, out, before);
    if (eg_folder_make(cache, 0700, NULL) == EG_OK) (void)eg_file_replace(path, before, n, 0600, NULL);
}
