/* approval.c - approvals of project files. See approval.h. */
#include "core/access/approval.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/access/owner.h"
#include "core/base/file.h"
#include "core/base/status.h"

/* The file of an approval; NULL: out of memory, or the path cannot be resolved. Links on the way to
 * the file count by where they lead, so one file has one approval. */
static char *file_of(eg_arena *arena, const char *folder, const char *path, eg_str content) {
    char *real = realpath(path, NULL);
    if (!real) return NULL;
    uint8_t hash[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof hash + 1];
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    /* with the zero byte, which parts the two */
    crypto_hash_sha256_update(&state, (const unsigned char *)real, strlen(real) + 1);
    crypto_hash_sha256_update(&state, (const unsigned char *)content.ptr, content.len);
    crypto_hash_sha256_final(&state, hash);
    free(real);
    sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
    return eg_arena_printf(arena, "%s/allowed/%s", folder, hex);
}

int eg_approval_is_given(eg_arena *arena, const char *folder, const char *path, eg_str content) {
    struct stat st;
    const char *file = file_of(arena, folder, path, content);
    return file && lstat(file, &st) == 0 && S_ISREG(st.st_mode) &&
           eg_owner_check(&st, eg_str_of(file), "it counts as no approval", NULL) == EG_OK;
}

eg_status eg_approval_give(eg_arena *arena, const char *folder, const char *path, eg_str content, eg_error *err) {
    const char *file = file_of(arena, folder, path, content), *below = eg_arena_printf(arena, "%s/allowed", folder);
    const char *text = eg_arena_printf(arena, "%s\n", path);
    if (!file || !below || !text) return eg_fail(err, EG_EIO, "'%s' cannot be resolved, or memory is out", path);
    eg_status s = eg_folder_make(below, 0700, err);
    return s == EG_OK ? eg_file_replace(file, text, strlen(text), 0600, err) : s;
}

eg_status eg_approval_take_back(eg_arena *arena, const char *folder, const char *path, eg_str content, eg_error *err) {
    const char *file = file_of(arena, folder, path, content);
    if (!file) return eg_fail(err, EG_EIO, "'%s' cannot be resolved, or memory is out", path);
    if (unlink(file) == 0) return EG_OK;
    if (errno == ENOENT) return eg_fail(err, EG_ENOENT, "'%s' with its present content was not allowed", path);
    return eg_fail(err, EG_EIO, "cannot remove '%s': %s", file, strerror(errno));
}
