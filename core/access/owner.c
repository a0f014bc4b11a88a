/* owner.c - the owner and the mode of a file. See owner.h. */
#include "core/access/owner.h"

#include <unistd.h>

#include "core/base/status.h"

eg_status eg_owner_check(const struct stat *st, eg_str path, const char *consequence, eg_error *err) {
    if (st->st_uid != 0 && st->st_uid != geteuid()) {
        return eg_fail(err, EG_EPERM, "'%.*s' belongs to user %u, not to root or you: %s", (int)path.len, path.ptr,
                       (unsigned)st->st_uid, consequence);
    }
    int open_to_others = (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (open_to_others && !(S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX))) {
        return eg_fail(err, EG_EPERM, "'%.*s' can be written by its group or by others: run chmod go-w on it", (int)path.len,
                       path.ptr);
    }
    return EG_OK;
}
