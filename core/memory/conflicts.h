/* conflicts.h - conflicts as people see them, with both facts. */
#ifndef EG_MEMORY_CONFLICTS_H
#define EG_MEMORY_CONFLICTS_H

#include "core/memory/changes.h"

/* Adds both facts to each of n conflicts. One that is stored as open reads as expired from the
 * end of one of its facts on. */
eg_status eg_conflict_views(eg_memory *m, eg_request *rq, const eg_conflict *conflicts, size_t n, eg_conflict_view **out);
/* The open conflicts of a fact, most severe first, then newest, as the conflicts of a receipt; and,
 * if they are wanted, those that are suspected. */
eg_status eg_conflicts_of(eg_memory *m, eg_request *rq, eg_id fact, int with_suspected, eg_receipt *out);

/* The tier under which answers about suspected conflicts of a tier are counted; no text: no
 * memory. */
eg_str eg_review_tier(eg_request *rq, eg_str tier);
/* Notes whether a conflict was confirmed. Answers about suspected ones are counted apart: they say
 * nothing about what was reported. */
void eg_draft_answer(eg_draft *d, const eg_conflict *c, int suspected, int confirmed);
/* EG_EINVAL, saying what became of it, for a conflict that is not suspected any more. */
eg_status eg_check_suspected(eg_request *rq, const eg_conflict *c);

/* The operations conflicts, conflict, conflicts_about and feedback of eg_memory_ops. */
eg_status eg_memory_conflicts(eg_memory *m, eg_request *rq, eg_str scope, int32_t status, uint32_t limit, eg_conflict_view **out,
                              size_t *n);
eg_status eg_memory_conflict(eg_memory *m, eg_request *rq, eg_str conflict_id, eg_conflict_view *out, eg_fact **history,
                             size_t *n);
eg_status eg_memory_conflicts_about(eg_memory *m, eg_request *rq, const eg_id *facts, size_t n, eg_conflict_view **out,
                                    size_t *count);
eg_status eg_memory_feedback(eg_memory *m, eg_request *rq, eg_str conflict_id, int true_positive);

#endif
