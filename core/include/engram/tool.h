/* tool.h - what toolsets give to front ends: tools with JSON arguments and JSON results, and gates that look at
 * a commit before it is written. The same tools serve MCP, the command line and later HTTP. */
#ifndef ENGRAM_TOOL_H
#define ENGRAM_TOOL_H

#include "memory.h"

typedef enum eg_tool_flags {
    EG_TOOL_READ_ONLY = 1,
    EG_TOOL_DESTRUCTIVE = 2,
    EG_TOOL_IDEMPOTENT = 4,
    EG_TOOL_OPEN_WORLD = 8
} eg_tool_flags;
typedef enum eg_profile { EG_PROFILE_CORE = 0, EG_PROFILE_TEAM = 1, EG_PROFILE_ALL = 2 } eg_profile;

struct eg_services;

#define EG_TOOL_SIZE_1_0 64
typedef struct eg_tool {
    uint32_t size;
    uint32_t flags;   /* eg_tool_flags */
    uint32_t profile; /* eg_profile: the smallest profile that shows it */
    uint32_t reserved;
    const char *name, *title, *description;
    const char *input_schema, *output_schema; /* JSON Schema objects as text */
    /* arguments: a JSON object. *result: a JSON object. Bad arguments: EG_EINVAL with the argument's name in the
     * request's error record. Thread class: worker; may block; several at once unless it writes (no
     * EG_TOOL_READ_ONLY): those are called one at a time a connection. */
    eg_status (*call)(void *self, const struct eg_services *services, eg_request *rq, eg_str arguments, eg_str *result);
} eg_tool;
EG_SIZE_FROZEN(eg_tool, EG_TOOL_SIZE_1_0);

#define EG_GATE_SIZE_1_0 24
typedef struct eg_gate {
    uint32_t size;
    uint32_t flags; /* 0 */
    const char *name;
    /* EG_OK lets the commit pass; EG_EREFUSED with the reason and what to do. What is written when a conflict is settled, the
     * note of any way and the text of a merge, comes as the content of a commit of its own. Thread class: worker; never blocks.
     */
    eg_status (*check)(void *self, const struct eg_services *services, eg_request *rq, const eg_commit_args *args);
} eg_gate;
EG_SIZE_FROZEN(eg_gate, EG_GATE_SIZE_1_0);

#define EG_FRONTEND_SIZE_1_0 24
typedef struct eg_frontend {
    uint32_t size;
    uint32_t flags;   /* 0 */
    const char *name; /* "mcp": run by `engram mcp` */
    /* Serves until its input ends or *stop becomes non-zero. options: "key=value" strings. Thread class: main. */
    eg_status (*run)(void *self, const struct eg_services *services, const eg_str *options, size_t option_count,
                     const volatile int *stop, eg_error *err);
} eg_frontend;
EG_SIZE_FROZEN(eg_frontend, EG_FRONTEND_SIZE_1_0);

#endif
