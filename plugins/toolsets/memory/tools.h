/* tools.h - what the toolset offers, a table each, and what its files share. */
#ifndef ENGRAM_MEMORY_TOOLS_H
#define ENGRAM_MEMORY_TOOLS_H

#include "results.h"

extern const eg_tool mt_core_tools[], mt_team_tools[], mt_life_tools[], mt_batch_tool, mt_care_tools[];

/* tools_review.c: the member `review` of a receipt, the same as questions to the client, and the
 * tool engram_judge. own: the fact of the receipt. asks: as in eg_request. */
eg_str mt_asks(const eg_request *rq);
void mt_put_reviews(result *r, const eg_conflict_view *views, size_t n, const eg_id *own, eg_str asks);
eg_status mt_ask_reviews(eg_request *rq, const eg_conflict_view *views, size_t n, eg_tool_result *out);
eg_status mt_call_judge(void *self, const eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out);

extern const size_t mt_core_tool_count, mt_team_tool_count, mt_life_tool_count, mt_care_tool_count;

/* The arguments of engram_commit, and what its result says of a receipt, into an open object. */
eg_status mt_read_commit(const eg_services *services, eg_request *rq, eg_str arguments, eg_commit_args *out);
void mt_put_receipt(result *r, const eg_receipt *receipt, eg_str asks);
/* The scope of a call: as given, else the setting `scope`, else empty. */
eg_str mt_scope_of(const eg_services *services, const arg_value *given);
extern const eg_resource mt_resources[];
extern const size_t mt_resource_count;
extern const eg_prompt mt_prompts[];
extern const size_t mt_prompt_count;

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
