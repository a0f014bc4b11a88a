/* verify.h - looks whether the store is whole: its pages and rows, and the audit chain of every
 * workspace with the texts of the facts under it. Called by core/host for doctor and once a day. */
#ifndef EG_MEMORY_VERIFY_H
#define EG_MEMORY_VERIFY_H

#include "core/memory/state.h"

typedef struct eg_verified {
    eg_error pages, audit; /* EG_EFORMAT: what is wrong; EG_OK: nothing is */
    size_t workspaces;     /* whose chains were looked at */
} eg_verified;

/* EG_OK: all was looked at, whatever was found. deep: see EG_STORAGE_CHECK_DEEP. Thread class:
 * worker; takes long, and ends with EG_ECANCELLED when the request is cancelled. */
eg_status eg_memory_verify(eg_memory *m, eg_request *rq, int deep, eg_verified *out);

#endif
