/* owner.h - whether a file can be trusted by who owns it and who may write it. Used before plugins
 * are loaded and before the user's settings are read. Thread class: any. */
#ifndef EG_ACCESS_OWNER_H
#define EG_ACCESS_OWNER_H

#include <sys/stat.h>

#include "core/include/engram/status.h"

/* EG_OK when the file or folder belongs to root or this user and only its owner may write it; a
 * folder with the sticky bit may be writable by all, since its entries keep their owners. Else
 * EG_EPERM. path is for the message; so is consequence: "no plugin is loaded from there". */
eg_status eg_owner_check(const struct stat *st, eg_str path, const char *consequence, eg_error *err);

#endif
