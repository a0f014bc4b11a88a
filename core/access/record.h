/* record.h - which workspace a git repository had when its first fact was stored, so that neither a
 * new remote nor a move of its folder changes it. Two files hold one random key: engram-UID in the
 * git folder, which no commit and no clone contains, and a file named by the key in repositories/
 * of the data folder, which says the workspace. Only both together count: whoever made a git folder
 * knows no key of this user. Used by the host and by `engram workspaces`. Thread class: any; may
 * block on files. */
#ifndef EG_ACCESS_RECORD_H
#define EG_ACCESS_RECORD_H

#include "core/access/workspace.h"

typedef struct eg_record {
    const char *key;               /* 32 hex digits */
    eg_str workspace;              /* a name that eg_workspace_check accepts */
    eg_str remote;                 /* the first remote when it was last written, or empty */
    eg_str folder;                 /* the git folder at that time, or empty */
    const eg_repository *borrowed; /* not NULL: the record of another repository with the remote of
                                    * this one */
} eg_record;

/* The record of the repository, or of another one with the same remote, so that clones share a
 * workspace. data: the data folder. EG_ENOENT: there is neither. */
eg_status eg_record_find(eg_arena *arena, const char *data, const eg_repository *repository, eg_record *out, eg_error *err);
/* Records that the repository has this workspace, or brings its record up to date. EG_EUNSUPPORTED
 * for one without a folder of its own (is_own). */
eg_status eg_record_write(eg_arena *arena, const char *data, const eg_repository *repository, eg_str workspace, eg_error *err);
/* Calls each for all records, in no order; stops with the first status that is not EG_OK. */
eg_status eg_record_each(eg_arena *arena, const char *data, eg_status (*each)(void *self, const eg_record *record), void *self,
                         eg_error *err);
/* Gives the repositories of one workspace another one; with an empty name they forget theirs. */
eg_status eg_record_rename(eg_arena *arena, const char *data, eg_str from, eg_str to, eg_error *err);

#endif
