/* sums.h - the file SHA256SUMS beside a model: the checksum of each of its files, in the form that
 * sha256sum(1) writes and checks, with comment lines before them that say where the model comes
 * from. Written by a pull, shipped with our own models, checked by `engram models verify`. Thread
 * class: any; may block. */
#ifndef EG_HUB_SUMS_H
#define EG_HUB_SUMS_H

#include "core/base/arena.h"
#include "core/hub/digest.h"

#define EG_SUMS_FILE "SHA256SUMS"
enum { EG_MAX_SUMS = 300 };

typedef struct eg_sum {
    const char *name; /* a path in the folder, checked by eg_model_file_name */
    char sha256[EG_SHA256_TEXT];
} eg_sum;

typedef struct eg_sums {
    const char *source, *licence; /* "ORG/REPO@COMMIT", an SPDX name; "" when not given */
    eg_sum rows[EG_MAX_SUMS];
    size_t count;
} eg_sums;

/* EG_ENOENT: the folder has none. EG_EFORMAT names the line. Strings live in the arena. */
eg_status eg_sums_read(const char *folder, eg_arena *arena, eg_sums *out, eg_error *err);
eg_status eg_sums_write(const char *folder, const eg_sums *sums, eg_error *err);
/* Compares one file with its row: EG_EFORMAT: it is another; EG_ENOENT: it is missing;
 * EG_ECANCELLED. */
eg_status eg_sums_check(const char *folder, const eg_sum *row, const eg_cancel *cancel, eg_error *err);
/* The first file that a model reads, is there and is not among the rows; NULL: none. */
const char *eg_sums_unlisted(const char *folder, const eg_sums *sums);

#endif
