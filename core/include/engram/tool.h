/* tool.h - what toolsets give to front ends: tools, resources and prompts; gates, which look at a
 * commit before it is written; and front ends themselves. The same tools serve MCP, the command
 * line and HTTP. */
#ifndef ENGRAM_TOOL_H
#define ENGRAM_TOOL_H

#include "memory.h"

struct eg_services;

/* ---- results ---- */

typedef enum eg_content_kind {
    EG_CONTENT_TEXT = 0,     /* text */
    EG_CONTENT_RESOURCE_LINK /* uri, name, mime_type; text describes it */
} eg_content_kind;

/* A block of a result. Frozen for all of ABI major 1. */
typedef struct eg_content {
    uint32_t kind;     /* eg_content_kind */
    uint32_t reserved; /* 0 */
    eg_str text, uri, name, mime_type;
    uint64_t reserved2[4]; /* 0 */
} eg_content;
EG_SIZE_FROZEN(eg_content, 104);

typedef enum eg_result_kind {
    EG_RESULT_COMPLETE = 0,
    /* The caller must answer first: `structured` is {"message": TEXT, "requestedSchema": {"type":
     * "object", "properties": ...}}, whose properties are further arguments of the tool. The front
     * end asks the person, merges the answers into the arguments and calls the tool again from the
     * start; so the tool keeps no state and writes nothing before it has all answers. */
    EG_RESULT_INPUT_REQUIRED,
    EG_RESULT_ERROR /* the tool ran and failed; the content tells the caller what to do */
} eg_result_kind;

/* A question that a call leaves open. Its result says all of it too, so a front end may ask nobody;
 * where rq->asks is not empty, it asks the client after the result. Frozen for all of ABI major
 * 1. */
typedef struct eg_question {
    eg_str id;      /* of the question: a connection is asked the same one once */
    eg_str message; /* plain text for a person or a model */
    /* What an answer is: a JSON Schema of type object, whose properties are strings, with an enum
     * or without; `required` lists those that an answer must have. */
    eg_str schema;
    eg_str tool;          /* takes the answer */
    eg_str arguments;     /* of that tool: a JSON object, to which the members of the answer are
                           * added; they replace those of the same name */
    uint64_t reserved[2]; /* 0 */
} eg_question;
EG_SIZE_FROZEN(eg_question, 96);

/* What a tool, resource or prompt answers. The caller makes it, zeroed but for its size; all texts
 * live as long as the request. */
#define EG_TOOL_RESULT_SIZE_1_0 40
typedef struct eg_tool_result {
    uint32_t size;             /* sizeof(eg_tool_result) of the caller */
    uint32_t kind;             /* eg_result_kind */
    eg_str structured;         /* a JSON object; empty: none */
    const eg_content *content; /* none: front ends show `structured` as text */
    size_t content_count;
    const eg_question *questions; /* of a complete result; most have none */
    size_t question_count;
} eg_tool_result;
EG_SIZE_GROWN(eg_tool_result, EG_TOOL_RESULT_SIZE_1_0, questions);
#define EG_TOOL_RESULT_INIT \
    { .size = sizeof(eg_tool_result) }

/* ---- tools, resources, prompts ---- */

typedef enum eg_tool_flags {
    EG_TOOL_READ_ONLY = 1,
    EG_TOOL_DESTRUCTIVE = 2,
    EG_TOOL_IDEMPOTENT = 4,
    EG_TOOL_OPEN_WORLD = 8
} eg_tool_flags;
typedef enum eg_profile { EG_PROFILE_CORE = 0, EG_PROFILE_TEAM = 1, EG_PROFILE_ALL = 2 } eg_profile;

#define EG_TOOL_SIZE_1_0 64
typedef struct eg_tool {
    uint32_t size;
    uint32_t flags;   /* eg_tool_flags */
    uint32_t profile; /* eg_profile: the smallest profile that shows it */
    uint32_t needs;   /* eg_need: the host refuses callers whose role lacks it (EG_EAUTH) */
    const char *name, *title, *description;
    const char *input_schema, *output_schema; /* JSON Schema objects as text */
    /* arguments: a JSON object. Bad arguments: EG_EINVAL with the argument's name in the request's
     * error record. Thread class: worker; may block; several at once unless it writes (no
     * EG_TOOL_READ_ONLY): those are called one at a time a connection. */
    eg_status (*call)(void *self, const struct eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *result);
} eg_tool;
EG_SIZE_FROZEN(eg_tool, EG_TOOL_SIZE_1_0);

/* Something that can be read under a URI. */
#define EG_RESOURCE_SIZE_1_0 64
typedef struct eg_resource {
    uint32_t size;
    uint32_t flags; /* 0 */
    const char *name, *title, *description;
    const char *uri_template; /* "engram://facts/{id}" (RFC 6570, level 1): {x} stands for one or
                               * more bytes up to the next '/'. Without braces it names one concrete
                               * resource */
    const char *mime_type;    /* of its content */
    uint32_t needs;           /* eg_need */
    uint32_t reserved;        /* 0 */
    /* uri: one that the template matches. out->content are the contents, each with its mime_type
     * and, where it is another than the one that was asked for, its uri; without content,
     * `structured` is the content as application/json. Thread class: worker; may block. */
    eg_status (*read)(void *self, const struct eg_services *services, eg_request *rq, eg_str uri, eg_tool_result *out);
} eg_resource;
EG_SIZE_FROZEN(eg_resource, EG_RESOURCE_SIZE_1_0);

/* Frozen for all of ABI major 1. */
typedef struct eg_prompt_argument {
    const char *name, *description;
    uint32_t required, reserved;
} eg_prompt_argument;
EG_SIZE_FROZEN(eg_prompt_argument, 24);

/* A text that a person picks in their client, with arguments filled in. */
#define EG_PROMPT_SIZE_1_0 64
typedef struct eg_prompt {
    uint32_t size;
    uint32_t flags; /* 0 */
    const char *name, *title, *description;
    const eg_prompt_argument *arguments;
    size_t argument_count;
    uint32_t needs;    /* eg_need */
    uint32_t reserved; /* 0 */
    /* arguments: a JSON object of texts. out->content are its messages, of the person; without
     * content, `structured` is the message. Thread class: worker; may block. */
    eg_status (*get)(void *self, const struct eg_services *services, eg_request *rq, eg_str arguments, eg_tool_result *out);
} eg_prompt;
EG_SIZE_FROZEN(eg_prompt, EG_PROMPT_SIZE_1_0);

/* ---- gates ---- */

#define EG_GATE_SIZE_1_0 24
typedef struct eg_gate {
    uint32_t size;
    uint32_t flags; /* 0 */
    const char *name;
    /* EG_OK lets the commit pass; EG_EREFUSED with the reason and what to do. What is written when
     * a conflict is settled, the note of any way and the text of a merge, comes as the content of a
     * commit of its own; so does each given statement. Of a deletion, which keeps no content, it
     * gets the names alone. Without a gate that the setting gates_required names nothing is
     * stored. Thread class: worker; never blocks. */
    eg_status (*check)(void *self, const struct eg_services *services, eg_request *rq, const eg_commit_args *args);
} eg_gate;
EG_SIZE_FROZEN(eg_gate, EG_GATE_SIZE_1_0);

/* ---- front ends ---- */

#define EG_FRONTEND_ARGS_SIZE_1_0 40
typedef struct eg_frontend_args {
    uint32_t size;
    uint32_t grace_ms;     /* how long stop() lets open calls run before it cancels them */
    const eg_str *options; /* "key=value" */
    size_t option_count;
    /* Called once, on any thread, when the front end has nothing left to serve: EG_OK at the end of
     * its input, else what went wrong. Never called after stop() returned. Must not call stop(). */
    void (*ended)(void *ended_self, eg_status status, const char *why);
    void *ended_self;
} eg_frontend_args;
EG_SIZE_FROZEN(eg_frontend_args, EG_FRONTEND_ARGS_SIZE_1_0);

#define EG_FRONTEND_SIZE_1_0 32
typedef struct eg_frontend {
    uint32_t size;
    uint32_t flags;   /* 0 */
    const char *name; /* "mcp": started by `engram mcp` */
    /* Starts to serve on threads of its own and returns. args lives until start returns, ended_self
     * until stop returns. Several front ends may run in one process. */
    eg_status (*start)(void *self, const struct eg_services *services, const eg_frontend_args *args, void **running,
                       eg_error *err);
    /* Takes no more input, ends open calls (cancelled after grace_ms), joins its threads, frees
     * *running. */
    void (*stop)(void *running);
} eg_frontend;
EG_SIZE_FROZEN(eg_frontend, EG_FRONTEND_SIZE_1_0);

#endif
