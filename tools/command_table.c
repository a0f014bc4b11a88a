/* command_table.c - see command_table.h: joins the tables of the families (tools/commands/) in the
 * order of the overview, and has what every command has. */
#include "tools/command_table.h"

#include "tools/commands/table.h"

const char program_summary[] = "a shared memory for AI coding agents that tells them when two facts contradict each other";

const option common_options[] = {
    [COMMON_JSON] = {.name = "json", .description = "print the result as JSON"},
    [COMMON_WORKSPACE] = {.name = "workspace",
                          .short_name = 'w',
                          .value = "NAME",
                          .description =
                              "the workspace, a separate memory (default: the setting workspace, or the one of the git "
                              "repository here)"},
    [COMMON_HOME] = {.name = "home",
                     .value = "DIR",
                     .complete = COMPLETE_FOLDERS,
                     .description = "the folder for settings, store and models (default: $ENGRAM_HOME, or ~/.engram if it "
                                    "is Engram's, or the XDG folders)"},
    [COMMON_VERBOSE] = {.name = "verbose", .short_name = 'v', .description = "print more messages on standard error"},
    [COMMON_HELP] = {.name = "help", .short_name = 'h', .description = "print the help of the command"},
    {0}};

const exit_status common_exits[] = {{0, "success"},
                                    {2, "an error; a message on standard error says what was wrong and what to do"},
                                    {130, "interrupted (128 plus the number of the signal)"},
                                    {0}};

const option no_options[] = {{0}};
const argument fact_arguments[] = {
    {"FACT_ID", "the id of a fact, or at least four digits that it ends or begins with", COMPLETE_NOTHING}, {0}};

static const command *const families[] = {document_commands, fact_commands,  life_commands,      judging_commands,
                                          keeping_commands,  agent_commands, inference_commands, installation_commands};

const command *next_command(const command *after) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (const command *c = families[i]; c->name; c++) {
            if (!after) return c;
            if (c == after) after = NULL;
        }
    return NULL;
}
