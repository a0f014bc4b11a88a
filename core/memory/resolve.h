/* resolve.h - the operation resolve of eg_memory_ops, what judge shares with it, and the note by
 * which undo.c takes back what they did. */
#ifndef EG_MEMORY_RESOLVE_H
#define EG_MEMORY_RESOLVE_H

#include "core/base/json.h"
#include "core/memory/state.h"

eg_status eg_memory_resolve(eg_memory *m, eg_request *rq, const eg_resolve_args *args, eg_resolved *out);

/* What settles a conflict beside its arguments. */
typedef struct eg_settling {
    int suspected; /* the answer to a suspected conflict; else that of an open one */
    int same;      /* of a dismissal: the facts say the same */
    int later;     /* of a winner: the fact that was committed later wins */
    eg_str asked;  /* how the front end asked whoever answers; empty: it did not */
} eg_settling;

/* Appends the payload of the audit row of a settlement, and returns the text:
 * {"conflict":"...","type":"winner","closed":["..."],"merged":"...","verdict":"same",
 * "was":"suspected","asked":"elicitation"}; verdict: of a dismissed review, same or unrelated;
 * created: the merged fact, if the settlement inserted it. */
eg_str eg_resolve_note(eg_buffer *b, const eg_conflict *settled, const eg_settling *how, const eg_id *closed, size_t closed_count,
                       eg_id created);
eg_status eg_settle_conflict(eg_memory *m, eg_request *rq, const eg_resolve_args *args, const eg_settling *how, eg_resolved *out);

#endif
