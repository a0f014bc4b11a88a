/* baseline.c - see baseline.h. */
#include "tools/check/baseline.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/text/text.h"
#include "tools/check/paths.h"
#include "tools/cli.h"

enum { VERSION = 1, MAX_BASELINE = 64 << 20, MAX_TOLD = 20 };

static int out_of_memory(void) { return complain("out of memory"); }

static int by_key(const void *a, const void *b) {
    const eg_str *x = &((const baseline_entry *)a)->key, *y = &((const baseline_entry *)b)->key;
    int order = memcmp(x->ptr, y->ptr, x->len < y->len ? x->len : y->len);
    return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* What a side is known by: its file, and its words in the form in which the store tells
 * duplicates. */
static char *side_key(baseline *b, eg_str file, eg_str statement) {
    eg_str normal;
    if (eg_text_normalize(&b->arena, statement, &normal, NULL) != EG_OK) return NULL;
    return eg_arena_printf(&b->arena, "%.*s\n%.*s\n", (int)file.len, file.ptr ? file.ptr : "", (int)normal.len, normal.ptr);
}

/* Fills the entry, its sides in order. files: relative to the baseline; the strings must live as
 * long as it. */
static int make_entry(baseline *b, const eg_str *files, const eg_str *statements, baseline_entry *out) {
    char *keys[2] = {side_key(b, files[0], statements[0]), side_key(b, files[1], statements[1])};
    if (!keys[0] || !keys[1]) return out_of_memory();
    int first = strcmp(keys[0], keys[1]) > 0;
    for (int k = 0; k < 2; k++) {
        out->file[k] = files[k ^ first];
        out->statement[k] = statements[k ^ first];
    }
    char *key = eg_arena_printf(&b->arena, "%s%s", keys[first], keys[!first]);
    if (!key) return out_of_memory();
    out->key = eg_str_of(key);
    out->occurs = 0;
    return 0;
}

static int push(baseline *b, const baseline_entry *e) {
    if (b->count == b->capacity) {
        size_t more = b->capacity ? 2 * b->capacity : 64;
        baseline_entry *p = realloc(b->entries, more * sizeof *p);
        if (!p) return out_of_memory();
        b->entries = p;
        b->capacity = more;
    }
    b->entries[b->count++] = *e;
    return 0;
}

/* ---- reading ---- */

static int read_entry(baseline *b, const cJSON *one, size_t number) {
    const cJSON *lists[2] = {cJSON_GetObjectItemCaseSensitive(one, "files"), cJSON_GetObjectItemCaseSensitive(one, "statements")};
    eg_str texts[2][2];
    baseline_entry e;
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < 2; k++) {
            const cJSON *text = cJSON_GetArrayItem(lists[l], k);
            int null = l == 0 && cJSON_IsNull(text);
            if (cJSON_GetArraySize(lists[l]) != 2 || (!null && !cJSON_IsString(text)))
                return complain("the baseline '%s' is damaged: finding %zu must have two \"files\" and two \"statements\"; write "
                                "it anew with --write-baseline",
                                b->name, number);
            char *copy = eg_arena_copy(&b->arena, eg_str_of(null ? "" : text->valuestring));
            if (!copy) return out_of_memory();
            texts[l][k] = eg_str_of(copy);
        }
    return make_entry(b, texts[0], texts[1], &e) ? EXIT_ERROR : push(b, &e);
}

static int read_entries(baseline *b, const cJSON *o) {
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(o, "version"),
                *list = cJSON_GetObjectItemCaseSensitive(o, "findings");
    if (!cJSON_IsNumber(version) || !cJSON_IsArray(list))
        return complain("'%s' is not a baseline: it has no \"version\" and \"findings\"; write one with --write-baseline",
                        b->name);
    if (version->valueint != VERSION)
        return complain(
            "the baseline '%s' has version %d, and this program reads version %d: write it anew with --write-baseline, "
            "or update Engram",
            b->name, version->valueint, VERSION);
    const cJSON *one;
    size_t number = 1;
    cJSON_ArrayForEach(one, list) if (read_entry(b, one, number++)) return EXIT_ERROR;
    if (b->count) qsort(b->entries, b->count, sizeof *b->entries, by_key);
    return 0;
}

static int read_file(baseline *b) {
    eg_str text;
    eg_error err = {0};
    if (!eg_file_exists(b->name))
        return complain("there is no baseline '%s': write one with --write-baseline %s", b->name, b->name);
    if (eg_file_read(b->name, MAX_BASELINE, &b->arena, &text, &err) != EG_OK) return complain("%s", err.text);
    const char *end = NULL;
    cJSON *o = cJSON_ParseWithLengthOpts(text.ptr, text.len + 1, &end, 1);
    if (!o) {
        size_t line = 1;
        for (const char *p = text.ptr; p < end; p++) line += *p == '\n';
        return complain("the baseline '%s' is damaged: no valid JSON in line %zu; write it anew with --write-baseline", b->name,
                        line);
    }
    int status = read_entries(b, o);
    cJSON_Delete(o);
    return status;
}

int baseline_open(baseline *b, const char *name, int read) {
    *b = (baseline){.name = name, .folder = folder_of(name)};
    eg_arena_init(&b->arena, 0);
    if (!b->folder) return complain("cannot find the folder of the baseline '%s': make it first", name);
    return read ? read_file(b) : 0;
}

void baseline_release(baseline *b) {
    free(b->folder);
    free(b->entries);
    eg_arena_release(&b->arena);
}

/* ---- findings ---- */

/* A side's file, relative to the baseline. */
static int place(baseline *b, eg_str file, eg_str *out) {
    *out = (eg_str){"", 0};
    if (!file.len) return 0;
    char *shown = eg_arena_copy(&b->arena, file), *path = shown ? path_from(b->folder, shown) : NULL;
    char *copy = path ? eg_arena_copy(&b->arena, eg_str_of(path)) : NULL;
    free(path);
    if (!copy) return out_of_memory();
    *out = eg_str_of(copy);
    return 0;
}

static int entry_of(baseline *b, baseline_side one, baseline_side other, baseline_entry *e) {
    eg_str files[2], statements[2] = {one.statement, other.statement};
    if (place(b, one.file, &files[0]) || place(b, other.file, &files[1])) return EXIT_ERROR;
    return make_entry(b, files, statements, e);
}

int baseline_has(baseline *b, baseline_side one, baseline_side other) {
    baseline_entry e, *found = NULL;
    if (entry_of(b, one, other, &e) == 0 && b->count) found = bsearch(&e, b->entries, b->count, sizeof e, by_key);
    if (found) found->occurs = 1;
    return found != NULL;
}

int baseline_add(baseline *b, baseline_side one, baseline_side other) {
    baseline_entry e;
    return entry_of(b, one, other, &e) ? EXIT_ERROR : push(b, &e);
}

/* ---- writing ---- */

static void add_entry(eg_buffer *out, const baseline_entry *e) {
    eg_buffer_text(out, "\n    {\n      \"files\": [");
    for (int k = 0; k < 2; k++) {
        if (k) eg_buffer_text(out, ", ");
        if (e->file[k].len) eg_buffer_json(out, e->file[k]);
        else eg_buffer_text(out, "null");
    }
    eg_buffer_text(out, "],\n      \"statements\": [\n        ");
    eg_buffer_json(out, e->statement[0]);
    eg_buffer_text(out, ",\n        ");
    eg_buffer_json(out, e->statement[1]);
    eg_buffer_text(out, "\n      ]\n    }");
}

int baseline_write(baseline *b) {
    eg_buffer out = {0};
    eg_error err = {0};
    size_t written = 0;
    if (b->count) qsort(b->entries, b->count, sizeof *b->entries, by_key);
    eg_buffer_format(&out, "{\n  \"version\": %d,\n  \"findings\": [", VERSION);
    for (size_t i = 0; i < b->count; i++) {
        /* the same words twice in a file */
        if (i && by_key(&b->entries[i - 1], &b->entries[i]) == 0) continue;
        if (written++) eg_buffer_text(&out, ",");
        add_entry(&out, &b->entries[i]);
    }
    eg_buffer_text(&out, written ? "\n  ]\n}\n" : "]\n}\n");
    int status = 0;
    if (out.failed) status = out_of_memory();
    else if (eg_file_output(b->name, out.ptr, out.len, 0644, &err) != EG_OK) status = complain("%s", err.text);
    else note("%zu finding%s accepted in '%s'", written, written == 1 ? "" : "s", b->name);
    eg_buffer_release(&out);
    return status;
}

/* ---- entries that no longer occur ---- */

/* 1 when the file of an entry was read, or does not exist any more. */
static int was_looked_at(const baseline *b, eg_str file, char *const *files, size_t n) {
    if (!file.len) return 1;
    for (size_t i = 0; i < n; i++)
        if (eg_str_eq(file, eg_str_of(files[i]))) return 1;
    char path[4096];
    return snprintf(path, sizeof path, "%s/%.*s", b->folder, (int)file.len, file.ptr) < (int)sizeof path && !eg_file_exists(path);
}

static void tell_entry(const baseline *b, const baseline_entry *e) {
    note("%s: no longer found: %.*s: \"%.*s\" against %.*s: \"%.*s\"", b->name, (int)e->file[0].len, e->file[0].ptr,
         (int)e->statement[0].len, e->statement[0].ptr, (int)e->file[1].len, e->file[1].ptr, (int)e->statement[1].len,
         e->statement[1].ptr);
}

size_t baseline_tell_stale(const baseline *b, char *const *files, size_t file_count) {
    size_t stale = 0;
    char **places = calloc(file_count + 1, sizeof *places);
    for (size_t i = 0; places && i < file_count; i++)
        if (!(places[i] = path_from(b->folder, files[i]))) places[i] = strdup("");
    for (size_t i = 0; places && i < b->count; i++) {
        const baseline_entry *e = &b->entries[i];
        if (e->occurs || !was_looked_at(b, e->file[0], places, file_count) || !was_looked_at(b, e->file[1], places, file_count))
            continue;
        if (++stale <= MAX_TOLD) tell_entry(b, e);
    }
    if (stale > MAX_TOLD) note("%s: and %zu others", b->name, stale - MAX_TOLD);
    if (stale) note("remove what is no longer found with --write-baseline %s", b->name);
    for (size_t i = 0; places && i < file_count; i++) free(places[i]);
    free(places);
    return stale;
}
