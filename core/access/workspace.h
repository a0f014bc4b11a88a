/* workspace.h - whose facts: the workspace of this process, and the reason for it. Runs no git: it
 * reads the few files that name a repository. Used by the host when it starts. Thread class: any;
 * may block on files. */
#ifndef EG_ACCESS_WORKSPACE_H
#define EG_ACCESS_WORKSPACE_H

#include "core/base/arena.h"

/* The nearest .engram.conf in folder (absolute) or above it; *out NULL when there is none. One that
 * belongs to neither this user, nor root, nor the owner of folder is passed over: nobody rules by a
 * file in /tmp who works below it. EG_EREFUSED for a link: it may name a file that is not the
 * project's. EG_ENOMEM. */
eg_status eg_project_file_find(eg_arena *arena, const char *folder, const char **out, eg_error *err);

/* A git repository, and the workspace that it has by its files alone (record.h tells whether it had
 * another one before). */
typedef struct eg_repository {
    const char *folder; /* the real path of its common git folder, which worktrees share */
    int is_own;         /* 1: a .git that only points elsewhere, to a repository that does not point
                         * back; folder is the place of the pointer, and nothing behind it counts */
    const char *root;   /* the real path of the working folder where its .git stands */
    eg_str remote;      /* its first remote, normalised; may be empty */
    eg_str workspace;   /* "git-" and 20 hex digits of the SHA-256 of remote, else of folder */
    eg_str why;         /* for people */
} eg_repository;

/* The git repository that holds folder (absolute). Whose .git is somebody else's is passed over, as
 * for project files. EG_ENOENT outside a repository. */
eg_status eg_repository_find(eg_arena *arena, const char *folder, eg_repository *out, eg_error *err);

/* A workspace's name: 1 to EG_MAX_NAME bytes of letters, digits and . _ - / : @, first a letter or
 * digit. */
eg_status eg_workspace_check(eg_str name, eg_error *err);

/* 1 for names that no project file may set, because they are given to others: "local", and those
 * that begin with "git-" as the ones of repositories do. */
int eg_workspace_is_reserved(eg_str name);

/* The form in which two addresses of the same repository are equal: host/path, without scheme,
 * user, password, default port, trailing '/' and ".git". A local path stays a path. *out is empty
 * for an empty address. EG_ENOMEM. */
eg_status eg_remote_normalize(eg_arena *arena, eg_str url, eg_str *out, eg_error *err);

#endif
