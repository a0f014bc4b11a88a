/* server.c - commands for agents: the server and its tools. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

static const char *const tool_text[] = {
    "Calls a tool that agents call over the Model Context Protocol, with the same arguments, and prints its result as JSON. "
    "Without NAME, lists the tools.",
    NULL};
static const argument tool_arguments[] = {
    {"NAME", "the name of a tool", COMPLETE_NOTHING},
    {"ARGUMENTS", "a JSON object; - reads it from standard input (default: {})", COMPLETE_NOTHING},
    {0}};
static const exit_status tool_exits[] = {{0, "success"},
                                         {1, "the tool refused the call; its message is printed on standard error"},
                                         {2, "another error, such as a tool that does not exist"},
                                         {130, "interrupted (128 plus the number of the signal)"},
                                         {0}};
static const example tool_examples[] = {
    {"engram tool", "list the tools"}, {"engram tool engram_query '{\"topic\": \"auth port\"}'", "call one of them"}, {0}};

static const char *const mcp_text[] = {
    "Serves an MCP client, such as a coding agent, until standard input ends. Facts that other processes store are seen at once.",
    NULL};
static const option mcp_options[] = {
    {.name = "profile",
     .value = "PROFILE",
     .choices = "core team all",
     .description = "which tools the client sees. core: eight; team: more, to see and review what others stored; all: also tools "
                    "that plugins offer for this profile only (default: core)"},
    {0}};
static const example mcp_examples[] = {{"engram install claude-code", "have Claude Code start it"}, {0}};

const command agent_commands[] = {{.name = "mcp",
                                   .group = MEMORY,
                                   .synopsis = "",
                                   .summary = "serve the Model Context Protocol on standard input and output",
                                   .description = mcp_text,
                                   .options = mcp_options,
                                   .examples = mcp_examples,
                                   .run = run_mcp},
                                  {.name = "tool",
                                   .group = MEMORY,
                                   .synopsis = "[NAME [ARGUMENTS]]",
                                   .summary = "list the tools for agents, or call one",
                                   .description = tool_text,
                                   .arguments = tool_arguments,
                                   .options = no_options,
                                   .exits = tool_exits,
                                   .examples = tool_examples,
                                   .run = run_tool},
                                  {0}};
