/* ids.h - the text form of ids, and ids as people abbreviate them. */
#ifndef EG_MEMORY_IDS_H
#define EG_MEMORY_IDS_H

#include "core/memory/state.h"

enum { EG_ID_TEXT = 37 };
void eg_id_format(eg_id id, char out[EG_ID_TEXT]);
/* 1 and *out when text is a UUID in its canonical form (any case). */
int eg_id_parse(eg_str text, eg_id *out);
/* An id given by a person: canonical, or at least 4 hex digits in which the id of exactly one
 * fact or conflict of the workspace ends; where none does, with which exactly one begins. what:
 * "fact_id" ..., for messages. EG_EINVAL, where several fit with their ids; EG_ENOENT. */
eg_status eg_id_resolve(eg_memory *m, eg_request *rq, const char *what, eg_str text, eg_id *out);

#endif
