/* model_id.c - see model_id.h. The cache is one text file a model folder:
 *
 *     engram model id 1
 *     config.json DEVICE INODE SIZE SECONDS.NANOSECONDS     (or "config.json -": there is none; a line each file)
 *     shards SHA-256 of such lines                          (of the files that model.safetensors.index.json names, where they count)
 *     id 64 hex digits
 *     sum SHA-256 of everything above
 */
#include "core/host/model_id.h"

#include <inttypes.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/file.h"
#include "core/base/json.h"

enum { MOST_SHARDS = 256, MOST_INDEX = 16 << 20, MOST_PATH = 4096 + 256, MOST_TEXT = 4096, HASH = crypto_hash_sha256_BYTES, HEX = 2 * HASH + 1, SETTLED_SECONDS = 2 };

static const char *const files[] = {"config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt",
                                    "modules.json", "sentence_bert_config.json", "1_Pooling/config.json",
                                    "config_sentence_transformers.json", "model.safetensors",
                                    /* not in the identities of before: these count only where they are */
                                    "vocab.json", "merges.txt", "spm.model", "added_tokens.json", "model.safetensors.index.json"};
enum { FILES = sizeof files / sizeof *files, ALWAYS = FILES - 5 };

static void path_of(const char *folder, const char *name, char out[MOST_PATH]) { snprintf(out, MOST_PATH, "%s/%s", folder, name); }

/* The files that the weights lie in when they are not in one. */
typedef struct shards {
    eg_arena arena;
    const char *names[MOST_SHARDS];
    size_t count;
    int whole; /* 0: not all could be read: the id must not be remembered */
} shards;

static void add_shard(shards *s, eg_str name) {
    for (size_t i = 0; i < s->count; i++)
        if (eg_str_eq(name, eg_str_of(s->names[i]))) return;
    const char *copy = s->count < MOST_SHARDS && name.len <= NAME_MAX && !memchr(name.ptr, '/', name.len) ? eg_arena_copy(&s->arena, name) : NULL;
    if (copy)
        s->names[s->count++] = copy;
    else
        s->whole = 0;
}

/* The names in weight_map. The engine reads the index only where there is no model.safetensors; a broken one it refuses. */
static void read_shards(const char *folder, shards *s) {
    char path[MOST_PATH];
    eg_str bytes;
    eg_json j;
    *s = (shards){.whole = 1};
    eg_arena_init(&s->arena, 0);
    path_of(folder, "model.safetensors", path);
    if (eg_file_exists(path)) return;
    path_of(folder, "model.safetensors.index.json", path);
    if (!eg_file_exists(path)) return;
    s->whole = eg_file_read(path, MOST_INDEX, &s->arena, &bytes, NULL) == EG_OK;
    if (!s->whole) return;
    int in_map = 0;
    eg_json_init(&j, path, bytes, &s->arena, NULL);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END && s->whole; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) s->whole = 0;
        if (k == EG_JSON_KEY && j.depth == 1) in_map = eg_str_eq(j.text, EG_STR("weight_map"));
        if (k == EG_JSON_STRING && j.depth == 2 && in_map) add_shard(s, j.text);
    }
}

static void hash_hex(const char *bytes, size_t n, char out[HEX]) {
    uint8_t hash[HASH];
    crypto_hash_sha256(hash, (const unsigned char *)bytes, n);
    sodium_bin2hex(out, HEX, hash, sizeof hash);
}

/* The line of a file. A name of the list leaves room for all of them in MOST_TEXT; a shard's has at most NAME_MAX. */
static size_t describe_file(const char *folder, const char *name, char *text, size_t size, time_t *newest) {
    char path[MOST_PATH];
    struct stat st;
    path_of(folder, name, path);
    if (stat(path, &st) != 0) return (size_t)snprintf(text, size, "%s -\n", name);
    if (st.st_mtim.tv_sec > *newest) *newest = st.st_mtim.tv_sec;
    return (size_t)snprintf(text, size, "%s %ju %ju %jd %jd.%09ld\n", name, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (intmax_t)st.st_size,
                            (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Writes the first lines of the cache file; *newest: when the youngest file was changed. */
static void describe(const char *folder, const shards *s, char text[MOST_TEXT], time_t *newest) {
    size_t n = (size_t)snprintf(text, MOST_TEXT, "engram model id 1\n");
    *newest = 0;
    for (size_t i = 0; i < FILES; i++) n += describe_file(folder, files[i], text + n, MOST_TEXT - n, newest);
    if (!s->count) return;
    crypto_hash_sha256_state state;
    uint8_t hash[HASH];
    char line[NAME_MAX + 128], hex[HEX];
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < s->count; i++)
        crypto_hash_sha256_update(&state, (const unsigned char *)line, describe_file(folder, s->names[i], line, sizeof line, newest));
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    snprintf(text + n, MOST_TEXT - n, "shards %s\n", hex);
}

/* The whole cache file for a description and an id; its length. */
static size_t compose(const char *description, const char *id, char out[MOST_TEXT]) {
    char sum[HEX];
    size_t n = (size_t)snprintf(out, MOST_TEXT, "%sid %.64s\n", description, id);
    hash_hex(out, n, sum);
    return n + (size_t)snprintf(out + n, MOST_TEXT - n, "sum %s\n", sum);
}

/* 1 and *id when the file is exactly what compose() writes for this description and some id. */
static int remembered(const char *path, const char *description, char id[EG_MODEL_ID_TEXT]) {
    char wanted[MOST_TEXT];
    eg_arena arena;
    eg_str text;
    size_t at = strlen(description) + 3;
    eg_arena_init(&arena, 0);
    int good = eg_file_read(path, MOST_TEXT, &arena, &text, NULL) == EG_OK && text.len > at + 64;
    if (good) {
        memcpy(id, text.ptr + at, 64);
        id[64] = '\0';
        good = strspn(id, "0123456789abcdef") == 64 && compose(description, id, wanted) == text.len && memcmp(wanted, text.ptr, text.len) == 0;
    }
    eg_arena_release(&arena);
    return good;
}

/* Adds one file to the identity: name, length, bytes. A missing file counts as absent. 0 when it cannot be read. */
static int hash_file(crypto_hash_sha256_state *state, const char *folder, const char *name, int always) {
    char path[MOST_PATH];
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
    char before[MOST_TEXT], after[MOST_TEXT], name[HEX], path[MOST_PATH];
    time_t newest;
    shards s;
    read_shards(folder, &s);
    describe(folder, &s, before, &newest);
    hash_hex(folder, strlen(folder), name);
    snprintf(path, sizeof path, "%s/model-%.16s.id", cache, name);
    if (s.whole && remembered(path, before, out)) {
        eg_arena_release(&s.arena);
        return;
    }

    crypto_hash_sha256_state state;
    uint8_t hash[HASH];
    int whole = s.whole;
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < FILES; i++) whole &= hash_file(&state, folder, files[i], i < ALWAYS);
    for (size_t i = 0; i < s.count; i++) whole &= hash_file(&state, folder, s.names[i], 0);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(out, EG_MODEL_ID_TEXT, hash, sizeof hash);

    /* A file that is just being written may change again within one tick of its clock: then its time tells nothing. */
    describe(folder, &s, after, &newest);
    eg_arena_release(&s.arena);
    if (!whole || strcmp(before, after) != 0 || newest > time(NULL) - SETTLED_SECONDS) return;
    size_t n = compose(after, out, before);
    if (eg_folder_make(cache, 0700, NULL) == EG_OK) (void)eg_file_replace(path, before, n, 0600, NULL);
}
