/* tensors.c - see tensors.h. */
#include "models/tensors.h"

#include <sys/stat.h>

#include "core/base/json.h"
#include "core/base/status.h"

enum { MAX_INDEX = 16 << 20, MAX_FILES = 256 };

static eg_status open_file(const char *dir, const char *name, eg_tensors *t, eg_error *err) {
    char *path = eg_arena_printf(&t->arena, "%s/%s", dir, name);
    if (!path) return eg_fail_memory(err, strlen(dir));
    eg_tensor_file *f = &t->files[t->count];
    struct stat st = {0};
    /* before the file is opened: if it is replaced in between, the stamp is that of the old file
     * and does not match */
    (void)stat(path, &st);
    eg_status s = eg_map_open(path, &f->map, err);
    if (s != EG_OK) return s;
    t->count++;
    f->stamp = (struct eg_file_stamp){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size,
                                      st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec,
                                      st.st_ctim.tv_sec * 1000000000LL + st.st_ctim.tv_nsec};
    return eg_safetensors_parse(name, (eg_str){(const char *)f->map.bytes, f->map.size}, &t->arena, &f->index, err);
}

/* The names of the files of an index, each once. */
static eg_status add_name(eg_tensors *t, eg_str name, const char **names, size_t *count, eg_error *err) {
    char quoted[64];
    int plain = name.len && name.len <= 200 && name.ptr[0] != '.';
    for (size_t i = 0; plain && i < name.len; i++)
        plain = (unsigned char)name.ptr[i] >= ' ' && name.ptr[i] != 0x7f && name.ptr[i] != '/';
    if (!plain)
        return eg_fail(err, EG_EFORMAT, "model.safetensors.index.json: '%s' is not a plain file name",
                       eg_quote(name, 50, quoted, sizeof quoted));
    for (size_t i = 0; i < *count; i++)
        if (eg_str_eq(name, eg_str_of(names[i]))) return EG_OK;
    if (*count == MAX_FILES) return eg_fail(err, EG_ELIMIT, "model.safetensors.index.json names more than %d files", MAX_FILES);
    names[*count] = eg_arena_copy(&t->arena, name);
    if (!names[*count]) return eg_fail_memory(err, name.len);
    (*count)++;
    return EG_OK;
}

static eg_status read_index(const char *path, eg_tensors *t, const char **names, size_t *count, eg_error *err) {
    eg_str bytes;
    eg_json j;
    eg_status s = eg_file_read(path, MAX_INDEX, &t->arena, &bytes, err);
    if (s != EG_OK) return s;
    eg_json_init(&j, "model.safetensors.index.json", bytes, &t->arena, err);
    if (eg_json_next(&j) != EG_JSON_OBJECT) {
        eg_json_fail(&j, "an object was expected");
        return EG_EFORMAT;
    }
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
        if (k != EG_JSON_KEY) return EG_EFORMAT;
        if (!eg_str_eq(j.text, EG_STR("weight_map"))) {
            if (!eg_json_skip(&j)) return EG_EFORMAT;
            continue;
        }
        k = eg_json_next(&j);
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k != EG_JSON_OBJECT) return eg_fail(err, EG_EFORMAT, "model.safetensors.index.json: weight_map must be an object");
        for (k = eg_json_next(&j); k != EG_JSON_OBJECT_END; k = eg_json_next(&j)) {
            if (k == EG_JSON_KEY) continue;
            if (k == EG_JSON_ERROR) return EG_EFORMAT;
            if (k != EG_JSON_STRING) return eg_fail(err, EG_EFORMAT, "model.safetensors.index.json: weight_map must name files");
            s = add_name(t, j.text, names, count, err);
            if (s != EG_OK) return s;
        }
    }
    if (eg_json_next(&j) != EG_JSON_END) return EG_EFORMAT;
    return *count ? EG_OK : eg_fail(err, EG_EFORMAT, "model.safetensors.index.json does not name any file");
}

/* A tensor must not be in two files, since it is unclear which one is meant. */
static eg_status check_doubles(const eg_tensors *t, eg_error *err) {
    for (size_t f = 1; f < t->count; f++)
        for (size_t i = 0; i < t->files[f].index.count; i++) {
            const eg_tensor *x = &t->files[f].index.tensors[i];
            char name[512];
            /* no tensor that is looked up has such a long name */
            if (x->name.len >= sizeof name) continue;
            memcpy(name, x->name.ptr, x->name.len);
            name[x->name.len] = 0;
            for (size_t g = 0; g < f; g++)
                if (eg_safetensors_find(&t->files[g].index, name)) {
                    char quoted[96];
                    return eg_fail(err, EG_EFORMAT, "tensor '%s' is in %s and in %s",
                                   eg_quote(x->name, 80, quoted, sizeof quoted), t->files[g].index.name, t->files[f].index.name);
                }
        }
    return EG_OK;
}

static eg_status open_all(const char *dir, eg_tensors *t, eg_error *err) {
    const char *names[MAX_FILES] = {"model.safetensors"};
    size_t count = 1;
    char *single = eg_arena_printf(&t->arena, "%s/model.safetensors", dir);
    char *index = eg_arena_printf(&t->arena, "%s/model.safetensors.index.json", dir);
    t->files = eg_arena_array(&t->arena, MAX_FILES, sizeof *t->files);
    if (!single || !index || !t->files) return eg_fail_memory(err, MAX_FILES * sizeof *t->files);
    if (!eg_file_exists(single) && eg_file_exists(index)) {
        count = 0;
        eg_status s = read_index(index, t, names, &count, err);
        if (s != EG_OK) return s;
    }
    for (size_t i = 0; i < count; i++) {
        eg_status s = open_file(dir, names[i], t, err);
        if (s != EG_OK) return s;
    }
    return check_doubles(t, err);
}

eg_status eg_tensors_open(const char *dir, eg_tensors *t, eg_error *err) {
    *t = (eg_tensors){0};
    eg_arena_init(&t->arena, 0);
    eg_status s = open_all(dir, t, err);
    if (s != EG_OK) eg_tensors_close(t);
    return s;
}

void eg_tensors_close(eg_tensors *t) {
    for (size_t i = 0; i < t->count; i++) eg_map_close(&t->files[i].map);
    eg_arena_release(&t->arena);
    *t = (eg_tensors){0};
}

const eg_tensor *eg_tensors_find(const eg_tensors *t, const char *name, const char **file) {
    if (file) *file = t->files[0].index.name;
    for (size_t i = 0; i < t->count; i++) {
        const eg_tensor *found = eg_safetensors_find(&t->files[i].index, name);
        if (found && file) *file = t->files[i].index.name;
        if (found) return found;
    }
    return NULL;
}
