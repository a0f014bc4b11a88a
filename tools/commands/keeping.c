/* keeping.c - commands that look after a memory as a whole. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

static const char *const export_text[] = {
    "Writes the facts of the workspace with their history, conflicts, answers and settlements as JSON Lines: one record a line, "
    "with ids, times and windows. `engram import` reads it. The file has all texts in plain, so keep it as you keep the store.",
    "--format markdown writes the current facts for people, by scope. Their ids stand in comments, so that this can be imported "
    "too.",
    NULL};
static const argument export_arguments[] = {{"FILE", "the file to write; - is standard output (the default)", COMPLETE_FILES},
                                            {0}};
static const option export_options[] = {
    {.name = "format",
     .value = "FORMAT",
     .choices = "jsonl markdown",
     .description = "jsonl: everything, to import it elsewhere; markdown: current facts, to read them (default: jsonl)"},
    {.name = "scope", .short_name = 's', .value = "PATH", .description = "only this scope and those below it"},
    {.name = "all", .description = "ephemeral facts too"},
    {0}};
static const example export_examples[] = {{"engram export memory.jsonl", "write everything to a file"},
                                          {"engram export --format markdown --scope auth", "read what is known of a scope"},
                                          {0}};

static const char *const import_text[] = {
    "Stores what `engram export` wrote, with its ids, times and windows, in one transaction. Every record is checked first, as a "
    "commit is: where one cannot be taken, its line is named and nothing is stored.",
    "What is here already stays as it is, so a file can be imported again. A fact that is current here and closed in the file is "
    "closed. A fact that says what a current one of its scope says is left out, and what the file says of it holds for that "
    "one. Where the workspace had facts before, those that came are compared with them in the background.",
    NULL};
static const argument import_arguments[] = {{"FILE", "the file to read; - is standard input", COMPLETE_FILES}, {0}};
static const option import_options[] = {{.name = "dry-run", .description = "check everything, store nothing"}, {0}};
static const example import_examples[] = {{"engram import --dry-run memory.jsonl", "say what would be stored"},
                                          {"engram import --workspace team memory.jsonl", "store it in another workspace"},
                                          {0}};

static const char *const erase_text[] = {
    "Takes the texts of facts away for good: the facts, their words and embeddings, the explanations of their conflicts and what "
    "the audit log told about them. Other than a deletion (commit --operation delete) it cannot be undone, and the history has "
    "the texts no more. That there were such facts, when and by whom, stays, and the audit chain stays valid.",
    "FACT_ID erases the fact and all others of the workspace with the same text; --scope and --agent all facts of a scope, of "
    "an agent, or of both, closed ones too. Without --hard, bytes of the texts may stay in unused parts of the files. --hard "
    "rewrites the store, empties its log and removes the copies that upgrades left beside it. Backups and exports that you made "
    "are not touched.",
    NULL};
static const argument erase_arguments[] = {{"FACT_ID", "the id of a fact, or the end of one", COMPLETE_NOTHING}, {0}};
static const option erase_options[] = {
    {.name = "scope", .short_name = 's', .value = "PATH", .description = "the facts of this scope and those below it; / is all"},
    {.name = "agent", .value = "NAME", .description = "the facts of this agent"},
    {.name = "hard", .description = "leave no trace in the files of the store either"},
    {.name = "dry-run", .description = "say what would be erased, change nothing"},
    {.name = "yes", .short_name = 'y', .description = "do not ask"},
    {0}};
static const example erase_examples[] = {{"engram erase --hard 4f1c22ab", "erase a text that should not be there"},
                                         {"engram erase --agent old-bot --dry-run", "say what an agent has left"},
                                         {0}};

static const char *const audit_text[] = {
    "Looks through the facts of the workspace for what somebody should look after: near duplicates (by their embeddings, with "
    "the same numbers, names and negations), facts that no query found for 30 days, facts whose evidence is stale or missing, "
    "conflicts that are open for more than 14 days, and expired facts that a conflict or a current fact still names. Each is "
    "printed with its number, examples and what to do. Nothing is changed.",
    NULL};
static const exit_status audit_exits[] = {{0, "nothing was found"},
                                          {1, "something was found"},
                                          {2, "an error; a message on standard error says what was wrong and what to do"},
                                          {130, "interrupted (128 plus the number of the signal)"},
                                          {0}};

static const char *const stats_text[] = {
    "Prints how many facts there are by scope, type, agent and age, why facts were closed, what became of conflicts, how many "
    "questions were asked and answered, and how often queries found facts. The scopes and agents with most facts are named.",
    NULL};

const command keeping_commands[] = {{.name = "status",
                                     .group = MEMORY,
                                     .synopsis = "",
                                     .summary = "print the state of the store, the workspace and the models",
                                     .options = no_options,
                                     .run = run_memory,
                                     .tool = "engram_status"},
                                    {.name = "export",
                                     .group = MEMORY,
                                     .synopsis = "[FILE]",
                                     .summary = "write the memory to a file",
                                     .description = export_text,
                                     .arguments = export_arguments,
                                     .options = export_options,
                                     .examples = export_examples,
                                     .run = run_export},
                                    {.name = "import",
                                     .group = MEMORY,
                                     .synopsis = "FILE",
                                     .summary = "store what was exported",
                                     .description = import_text,
                                     .arguments = import_arguments,
                                     .options = import_options,
                                     .examples = import_examples,
                                     .run = run_import},
                                    {.name = "erase",
                                     .group = MEMORY,
                                     .synopsis = "FACT_ID | --scope PATH | --agent NAME",
                                     .summary = "take the text of facts away for good",
                                     .description = erase_text,
                                     .arguments = erase_arguments,
                                     .options = erase_options,
                                     .examples = erase_examples,
                                     .run = run_erase},
                                    {.name = "audit",
                                     .group = MEMORY,
                                     .synopsis = "",
                                     .summary = "tell what in the memory wants to be looked after",
                                     .description = audit_text,
                                     .options = no_options,
                                     .exits = audit_exits,
                                     .run = run_audit},
                                    {.name = "stats",
                                     .group = MEMORY,
                                     .synopsis = "",
                                     .summary = "print the memory in numbers",
                                     .description = stats_text,
                                     .options = no_options,
                                     .run = run_memory,
                                     .tool = "engram_stats"},
                                    {0}};
