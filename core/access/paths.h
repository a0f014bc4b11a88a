/* paths.h - where Engram keeps its files: data, configuration, cache. Makes no folder and opens no
 * file. Used by the host when it starts. Thread class: any. */
#ifndef EG_ACCESS_PATHS_H
#define EG_ACCESS_PATHS_H

#include "core/base/arena.h"

typedef struct eg_paths {
    const char *data, *config, *cache; /* absolute folders; they may not exist yet */
    const char *passed;                /* why a ~/.engram is not used; NULL: nothing to tell */
} eg_paths;

/* home (--home) or else $ENGRAM_HOME holds data/, config/, cache/; else an existing ~/.engram does,
 * if it is ours: another program of this name keeps its files there too. Ours is one of this user's
 * or root's that is empty, or holds nothing but these three, or a store or settings of ours; else
 * the XDG folders, each with /engram. EG_EINVAL when the home is relative or nothing names a home,
 * EG_ENOMEM. */
eg_status eg_paths_resolve(eg_arena *arena, const char *home, eg_paths *out, eg_error *err);

#endif
