/* files.h - which files make a model folder, what may be the name of one. The one list of both the
 * identity of a model (core/host/model_id.c) and its download (pull.c). Opens no weights. Thread
 * class: any; may block. */
#ifndef EG_HUB_FILES_H
#define EG_HUB_FILES_H

#include "core/base/arena.h"

enum { EG_MODEL_FILES = 14, EG_MODEL_FILES_ALWAYS = 9 };
/* The files that decide what a model answers, as paths in its folder. The first
 * EG_MODEL_FILES_ALWAYS count in its identity also where they are missing. The order is part of the
 * identity: append only. */
extern const char *const eg_model_files[EG_MODEL_FILES];

/* The names of the weights of a model that has them in several files (an index, and no
 * model.safetensors), in their order; none for others. */
enum { EG_MODEL_SHARDS = 256 };
eg_status eg_model_shards(const char *folder, eg_arena *arena, const char *names[EG_MODEL_SHARDS], size_t *n, eg_error *err);

/* 1 when name may be that of a file in a model folder: letters, digits, '.', '_', '-' in one part,
 * or two joined by '/', none of which begins with a dot; at most 200 bytes. What comes from outside
 * is checked by this before it becomes a path. */
int eg_model_file_name(eg_str name);

/* Bytes of the files that lie directly in a folder. */
uint64_t eg_model_bytes(const char *folder);

#endif
