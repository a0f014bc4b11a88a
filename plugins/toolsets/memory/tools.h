/* tools.h - what the toolset offers, a table each, and what its files share. */
#ifndef ENGRAM_MEMORY_TOOLS_H
#define ENGRAM_MEMORY_TOOLS_H

#include "results.h"

extern const eg_tool mt_core_tools[], mt_team_tools[];
extern const size_t mt_core_tool_count, mt_team_tool_count;
extern const eg_resource mt_resources[];
extern const size_t mt_resource_count;
extern const eg_prompt mt_prompts[];
extern const size_t mt_prompt_count;

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#endif
