/* guard.h - the one place that decides whether a principal may do something. Asked before every
 * operation of the memory and every tool, resource and prompt. In local mode the principal is an
 * administrator, so it always allows. Thread class: any. */
#ifndef EG_ACCESS_GUARD_H
#define EG_ACCESS_GUARD_H

#include "core/include/engram/request.h"

/* EG_OK when the role of rq->who has what is needed (eg_need); else EG_EAUTH, with what was asked
 * for, by whom and which role it takes. what: "the tool engram_commit". */
eg_status eg_guard(eg_request *rq, uint32_t need, const char *what);

#endif
