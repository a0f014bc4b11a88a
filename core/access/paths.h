/* paths.h - where Engram keeps its files: data, configuration, cache. Makes no folder and opens no
 * file. Used by the host when it starts. Thread class: any. */
#ifndef EG_ACCESS_PATHS_H
#define EG_ACCESS_PATHS_H

#include "core/base/arena.h"

typedef struct eg_paths {
    const char *data, *config, *cache; /* absolute folders; they may not exist yet */
} eg_paths;

/* home (--home) or else $ENGRAM_HOME holds data/, config/, cache/; else an existing ~/.engram does;
 * else the XDG folders, each with /engram. EG_EINVAL when the home is relative or nothing names a
 * home, EG_ENOMEM. */
eg_status eg_paths_resolve(eg_arena *arena, const char *home, eg_paths *out, eg_error *err);

#endif
