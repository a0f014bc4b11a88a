/* approval.h - which project files the user has allowed. An approval is for one path with one
 * content: after a change of either it is to be given again. It is a file in the user's config
 * folder, named by the SHA-256 of both; its text, the path, is for people. Used by the host when
 * it reads a project file, and by `engram allow`. Thread class: any; may block on files. */
#ifndef EG_ACCESS_APPROVAL_H
#define EG_ACCESS_APPROVAL_H

#include "core/base/arena.h"

/* folder: the config folder. path: absolute. 1: the user has allowed this content there. */
int eg_approval_is_given(eg_arena *arena, const char *folder, const char *path, eg_str content);
eg_status eg_approval_give(eg_arena *arena, const char *folder, const char *path, eg_str content, eg_error *err);
/* EG_ENOENT: there was none. */
eg_status eg_approval_take_back(eg_arena *arena, const char *folder, const char *path, eg_str content, eg_error *err);

#endif
