/* sums.c - see sums.h. */
#include "core/hub/sums.h"

#include <stdio.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/hub/files.h"

enum { MOST_BYTES = 1 << 20, HEX = EG_SHA256_TEXT - 1 };

/* "# KEY: VALUE" */
static int comment(eg_str line, const char *key, eg_arena *arena, const char **out) {
    size_t n = strlen(key);
    if (line.len <= n + 4 || memcmp(line.ptr, "# ", 2) != 0 || memcmp(line.ptr + 2, key, n) != 0 ||
        memcmp(line.ptr + 2 + n, ": ", 2) != 0)
        return 0;
    char *copy = eg_arena_copy(arena, (eg_str){line.ptr + n + 4, line.len - n - 4});
    if (copy) *out = copy;
    return 1;
}

eg_status eg_sums_read(const char *folder, eg_arena *arena, eg_sums *out, eg_error *err) {
    eg_str text;
    *out = (eg_sums){.source = "", .licence = ""};
    const char *path = eg_arena_printf(arena, "%s/" EG_SUMS_FILE, folder);
    if (!path) return eg_fail_memory(err, strlen(folder));
    eg_status s = eg_file_read(path, MOST_BYTES, arena, &text, err);
    if (s != EG_OK) return s;
    size_t number = 1;
    for (const char *p = text.ptr, *end = text.ptr + text.len; p < end; number++) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        eg_str line = {p, (size_t)((stop ? stop : end) - p)};
        p += line.len + 1;
        if (!line.len || comment(line, "source", arena, &out->source) || comment(line, "licence", arena, &out->licence) ||
            line.ptr[0] == '#')
            continue;
        eg_str name = line.len > HEX + 2 ? (eg_str){line.ptr + HEX + 2, line.len - HEX - 2} : (eg_str){0};
        if (!eg_model_file_name(name) || strspn(line.ptr, "0123456789abcdef") != HEX || memcmp(line.ptr + HEX, "  ", 2) != 0 ||
            out->count == EG_MAX_SUMS)
            return eg_fail(err, EG_EFORMAT,
                           "'%s', line %zu: expected a SHA-256 in hex, two spaces and the name of a file of the model", path,
                           number);
        eg_sum *row = &out->rows[out->count++];
        memcpy(row->sha256, line.ptr, HEX);
        row->sha256[HEX] = '\0';
        if (!(row->name = eg_arena_copy(arena, name))) return eg_fail_memory(err, name.len);
    }
    return out->count ? EG_OK : eg_fail(err, EG_EFORMAT, "'%s' names no file", path);
}

eg_status eg_sums_write(const char *folder, const eg_sums *sums, eg_error *err) {
    char path[4096 + 32];
    eg_buffer b = {0};
    if (snprintf(path, sizeof path, "%s/" EG_SUMS_FILE, folder) >= (int)sizeof path)
        return eg_fail(err, EG_ELIMIT, "the path '%.60s...' is too long", folder);
    if (*sums->source) eg_buffer_format(&b, "# source: %s\n", sums->source);
    if (*sums->licence) eg_buffer_format(&b, "# licence: %s\n", sums->licence);
    for (size_t i = 0; i < sums->count; i++) eg_buffer_format(&b, "%s  %s\n", sums->rows[i].sha256, sums->rows[i].name);
    eg_status s = b.failed ? eg_fail_memory(err, MOST_BYTES) : eg_file_replace(path, b.ptr, b.len, 0644, err);
    eg_buffer_release(&b);
    return s;
}

eg_status eg_sums_check(const char *folder, const eg_sum *row, const eg_cancel *cancel, eg_error *err) {
    char path[4096 + 256];
    eg_digests d;
    if (snprintf(path, sizeof path, "%s/%s", folder, row->name) >= (int)sizeof path)
        return eg_fail(err, EG_ELIMIT, "the path '%.60s...' is too long", folder);
    eg_status s = eg_digest_file(path, cancel, &d, err);
    if (s != EG_OK || strcmp(d.sha256, row->sha256) == 0) return s;
    return eg_fail(err, EG_EFORMAT, "'%s' is not what was installed: its SHA-256 is %s, recorded is %s", path, d.sha256,
                   row->sha256);
}

const char *eg_sums_unlisted(const char *folder, const eg_sums *sums) {
    for (size_t i = 0; i < EG_MODEL_FILES; i++) {
        char path[4096 + 64];
        size_t k = 0;
        while (k < sums->count && strcmp(sums->rows[k].name, eg_model_files[i]) != 0) k++;
        if (k == sums->count && snprintf(path, sizeof path, "%s/%s", folder, eg_model_files[i]) < (int)sizeof path &&
            eg_file_exists(path))
            return eg_model_files[i];
    }
    return NULL;
}
