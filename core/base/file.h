/* file.h - files: read whole, map read-only, replace atomically, make folders. Not here: SQLite's
 * own files. Every message names the path and the reason of the operating system. Thread class:
 * any; may block. */
#ifndef EG_BASE_FILE_H
#define EG_BASE_FILE_H

#include "core/base/arena.h"
#include "core/include/engram/status.h"

/* Reads the whole regular file into the arena (NUL-terminated). EG_ENOENT, EG_EIO, EG_ELIMIT over
 * most bytes. */
eg_status eg_file_read(const char *path, size_t most, eg_arena *arena, eg_str *out, eg_error *err);

/* A read-only private mapping. init with {0}; close when done. An empty file maps as NULL, 0. */
typedef struct eg_map {
    const unsigned char *bytes;
    size_t size;
} eg_map;
eg_status eg_map_open(const char *path, eg_map *out, eg_error *err);
void eg_map_close(eg_map *map);

/* Writes bytes to path by way of a temporary file in the same folder, fsync and rename: afterwards
 * path holds either the old content or all of the new. mode as for open(2). */
eg_status eg_file_replace(const char *path, const void *bytes, size_t size, unsigned mode, eg_error *err);

/* The same for a file that a person named: a device or pipe, such as /dev/null, is written to as it
 * stands, since root could replace it too. Waits for the reader of a pipe. */
eg_status eg_file_output(const char *path, const void *bytes, size_t size, unsigned mode, eg_error *err);

/* Makes a rename in the folder durable; a file system that cannot fsync a folder is no error. */
void eg_folder_flush(const char *path);

/* mkdir -p with mode for what is created. EG_EINVAL for an empty path. */
eg_status eg_folder_make(const char *path, unsigned mode, eg_error *err);

/* 1 when path names something: a file, a folder, a link even to nothing (opening it then says what
 * is wrong). */
int eg_file_exists(const char *path);

#endif
