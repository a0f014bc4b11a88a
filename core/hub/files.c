/* files.c - see files.h. */
#include "core/hub/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/status.h"

const char *const eg_model_files[EG_MODEL_FILES] = {
    "config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "modules.json", "sentence_bert_config.json",
    "1_Pooling/config.json", "config_sentence_transformers.json", "model.safetensors",
    /* not in the identities of before: these count only where they are */
    "vocab.json", "merges.txt", "spm.model", "added_tokens.json", "model.safetensors.index.json"};

int eg_model_file_name(eg_str name) {
    int parts = 1, begins = 1;
    if (!name.len || name.len > 200) return 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (c == '/') {
            if (begins || ++parts > 2) return 0;
        } else if (!letter && (begins || (c != '.' && c != '-'))) {
            return 0;
        }
        begins = c == '/';
    }
    return !begins;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static int is_in(int folder, const char *name) {
    struct stat st;
    return fstatat(folder, name, &st, 0) == 0;
}

eg_status eg_model_shards(const char *folder, eg_arena *arena, const char *names[EG_MODEL_SHARDS], size_t *n, eg_error *err) {
    static const char ending[] = ".safetensors";
    eg_status s = EG_OK;
    DIR *d = opendir(folder);
    *n = 0;
    int has_shards = d && !is_in(dirfd(d), "model.safetensors") && is_in(dirfd(d), "model.safetensors.index.json");
    for (struct dirent *e; has_shards && s == EG_OK && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length < sizeof ending || strcmp(e->d_name + length - sizeof ending + 1, ending) != 0) continue;
        if (*n == EG_MODEL_SHARDS)
            s = eg_fail(err, EG_ELIMIT, "'%s' holds more than %d files of weights", folder, EG_MODEL_SHARDS);
        else if (!(names[(*n)++] = eg_arena_copy(arena, eg_str_of(e->d_name)))) s = eg_fail_memory(err, length);
    }
    if (d) closedir(d);
    if (s == EG_OK && *n) qsort(names, *n, sizeof *names, by_name);
    return s;
}

uint64_t eg_model_bytes(const char *folder) {
    uint64_t sum = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] != '.' && fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            sum += (uint64_t)st.st_size;
    }
    if (d) closedir(d);
    return sum;
}
