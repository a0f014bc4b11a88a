/* digest.h - the two checksums by which a hub names the content of a file: SHA-256, and the id that
 * git gives a blob (SHA-1 over "blob SIZE\0" and the bytes), which is enough against damage. Used
 * by sums.c and pull.c. Thread class: any; may block. */
#ifndef EG_HUB_DIGEST_H
#define EG_HUB_DIGEST_H

#include "core/include/engram/infer.h"

enum { EG_SHA256_TEXT = 65, EG_BLOB_TEXT = 41 };

typedef struct eg_digests {
    char sha256[EG_SHA256_TEXT], blob[EG_BLOB_TEXT]; /* hex */
    uint64_t size;
} eg_digests;

/* Of a regular file. cancel may be NULL; its deadline does not count. EG_ECANCELLED when its flag
 * is set, EG_ENOENT, EG_EIO. */
eg_status eg_digest_file(const char *path, const eg_cancel *cancel, eg_digests *out, eg_error *err);

#endif
