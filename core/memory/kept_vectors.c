/* kept_vectors.c - see kept_vectors.h. The file, in the byte order of the machine: "EGVECTS1"; u32
 * dimensions; u32 CRC-32C of what follows; 40 bytes of the model's id, padded with zeros; u64
 * number of records; the records. */
#include "core/memory/kept_vectors.h"

#include <string.h>

#include "core/base/crc32c.h"
#include "core/base/size.h"
#include "core/base/status.h"

enum { MODEL = 40, AT_DIMENSIONS = 8, AT_CRC = 12, AT_MODEL = 16, AT_COUNT = 56, HEADER = 64 };
#define MOST_BYTES ((size_t)64 << 20)
static const char magic[] = "EGVECTS1";

static size_t record_size(uint32_t dimensions) { return EG_VECTOR_KEY + dimensions * sizeof(float); }

static void put_model(unsigned char out[MODEL], eg_str model) {
    memset(out, 0, MODEL);
    if (model.len) memcpy(out, model.ptr, model.len < MODEL ? model.len : MODEL);
}

/* The number of records of a file that is whole and of this model; else 0. */
static size_t records_in(const eg_map *map, eg_str model, uint32_t dimensions) {
    unsigned char wanted[MODEL];
    uint32_t have, crc;
    uint64_t count;
    if (map->size < HEADER || memcmp(map->bytes, magic, AT_DIMENSIONS) != 0) return 0;
    put_model(wanted, model);
    memcpy(&have, map->bytes + AT_DIMENSIONS, sizeof have);
    memcpy(&crc, map->bytes + AT_CRC, sizeof crc);
    memcpy(&count, map->bytes + AT_COUNT, sizeof count);
    if (have != dimensions || memcmp(map->bytes + AT_MODEL, wanted, MODEL) != 0) return 0;
    if (count != (map->size - HEADER) / record_size(dimensions) || (map->size - HEADER) % record_size(dimensions)) return 0;
    return eg_crc32c(map->bytes + AT_MODEL, map->size - AT_MODEL) == crc ? (size_t)count : 0;
}

static const unsigned char *record_at(const eg_kept_vectors *k, size_t i) { return k->records + i * record_size(k->dimensions); }

static size_t slot_of(const eg_kept_vectors *k, const unsigned char *key) {
    uint64_t h;
    memcpy(&h, key, sizeof h);
    size_t at = (size_t)h & k->mask;
    while (k->table[at] && memcmp(record_at(k, k->table[at] - 1), key, EG_VECTOR_KEY) != 0) at = (at + 1) & k->mask;
    return at;
}

eg_status eg_kept_vectors_open(eg_kept_vectors *k, eg_arena *arena, const char *path, eg_str model, uint32_t dimensions,
                               eg_error *err) {
    *k = (eg_kept_vectors){.dimensions = dimensions};
    if (eg_map_open(path, &k->map, NULL) != EG_OK) return EG_OK;
    k->count = records_in(&k->map, model, dimensions);
    if (!k->count) return EG_OK;
    k->records = k->map.bytes + HEADER;
    size_t slots = 16;
    while (slots < 2 * k->count) slots *= 2;
    k->mask = slots - 1;
    k->table = eg_arena_array(arena, slots, sizeof *k->table);
    if (!k->table) {
        k->count = 0;
        return eg_fail_memory(err, slots * sizeof *k->table);
    }
    memset(k->table, 0, slots * sizeof *k->table);
    for (size_t i = 0; i < k->count; i++) k->table[slot_of(k, record_at(k, i))] = (uint32_t)i + 1;
    return EG_OK;
}

int eg_kept_vectors_find(const eg_kept_vectors *k, const eg_vector_key *key, float *out) {
    if (!k->count) return 0;
    uint32_t found = k->table[slot_of(k, key->bytes)];
    if (found) memcpy(out, record_at(k, found - 1) + EG_VECTOR_KEY, k->dimensions * sizeof *out);
    return found != 0;
}

void eg_kept_vectors_save(const eg_kept_vectors *k, eg_arena *arena, const char *path, eg_str model, const eg_vector_key *keys,
                          const float *const *vectors, size_t n) {
    size_t one = record_size(k->dimensions), most = (MOST_BYTES - HEADER) / one, count = 0;
    size_t all = n + k->count < most ? n + k->count : most;
    unsigned char *bytes = eg_arena_alloc(arena, HEADER + all * one), *out = bytes + HEADER;
    unsigned char *is_new = k->count ? eg_arena_alloc(arena, k->count) : NULL;
    if (!bytes || (k->count && !is_new)) return;
    if (k->count) memset(is_new, 0, k->count);
    for (size_t i = 0; i < n && count < all; i++, count++, out += one) {
        memcpy(out, keys[i].bytes, EG_VECTOR_KEY);
        memcpy(out + EG_VECTOR_KEY, vectors[i], one - EG_VECTOR_KEY);
        uint32_t before = k->count ? k->table[slot_of(k, keys[i].bytes)] : 0;
        if (before) is_new[before - 1] = 1;
    }
    for (size_t i = 0; i < k->count && count < all; i++) {
        if (is_new[i]) continue;
        memcpy(out, record_at(k, i), one);
        out += one;
        count++;
    }
    uint64_t records = count;
    size_t size = HEADER + count * one;
    memcpy(bytes, magic, AT_DIMENSIONS);
    memcpy(bytes + AT_DIMENSIONS, &k->dimensions, sizeof k->dimensions);
    put_model(bytes + AT_MODEL, model);
    memcpy(bytes + AT_COUNT, &records, sizeof records);
    uint32_t crc = eg_crc32c(bytes + AT_MODEL, size - AT_MODEL);
    memcpy(bytes + AT_CRC, &crc, sizeof crc);
    const char *slash = strrchr(path, '/');
    char *folder = slash ? eg_arena_copy(arena, (eg_str){path, (size_t)(slash - path)}) : NULL;
    if (folder && eg_folder_make(folder, 0700, NULL) != EG_OK) return;
    (void)eg_file_replace(path, bytes, size, 0600, NULL);
}

void eg_kept_vectors_close(eg_kept_vectors *k) {
    eg_map_close(&k->map);
    *k = (eg_kept_vectors){0};
}
