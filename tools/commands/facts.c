/* facts.c - commands that store facts and find them. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

#define OPERATIONS "add update delete none"

static const char *const commit_text[] = {
    "Stores a fact and prints the stored facts that it contradicts. A fact that is known already is not stored again. The words "
    "of FACT are joined by spaces.",
    "--operation update stores FACT in place of an earlier fact, which is closed: the one of --corrects or, without "
    "--corrects, one that FACT surely contradicts, in its scope, above or below it. Where there is none, FACT is added, and "
    "the nearest fact is named. --corrects "
    "alone is an update too. --operation delete closes the fact of --corrects and needs no FACT. --operation none stores "
    "nothing.",
    "Where FACT is a note of several claims, --statement says them one by one. Such statements are compared with other facts in "
    "place of the parts of FACT that they speak of. One that has a number or an identifier which FACT lacks is refused.",
    "--batch reads a fact a line, {\"content\": \"...\"} with any arguments of the tool engram_commit, such as scope, agent_id, "
    "fact_type, provenance, confidence, ttl_days, operation and corrects_lineage; options say what a line leaves out. If a line "
    "is malformed, nothing is stored, and all such lines are named. Then each line is stored by itself, and its result printed, "
    "a line each; one that is refused leaves the others alone. Facts that are known already are not stored again, so that a file "
    "can be given once more.",
    NULL};
static const argument commit_arguments[] = {
    {"FACT", "one or several sentences; - reads them from standard input", COMPLETE_NOTHING}, {0}};
static const option commit_options[] = {
    {.name = "scope",
     .short_name = 's',
     .value = "PATH",
     .description = "the topic of the fact, such as auth/jwt (default: the setting scope, or general)",
     .argument = "scope"},
    {.name = "statement",
     .value = "TEXT",
     .description = "one claim of FACT as a sentence that stands alone, with its subject, value, unit and environment: see "
                    "above; may be repeated",
     .argument = "statements",
     .repeats = 1},
    {.name = "agent", .value = "NAME", .description = "the agent or person who states it", .argument = "agent_id"},
    {.name = "engineer", .value = "NAME", .description = "the person on whose behalf the agent works", .argument = "engineer"},
    {.name = "confidence",
     .value = "NUMBER",
     .description = "how sure it is, from 0 to 1 (default: 0.8)",
     .kind = JSON_NUMBER,
     .argument = "confidence"},
    {.name = "provenance",
     .value = "TEXT",
     .description = "the evidence, such as a file and line, or the output of a test",
     .argument = "provenance"},
    {.name = "type",
     .value = "TYPE",
     .choices = TYPES,
     .description = "whether it was seen, concluded or decided (default: observation)",
     .argument = "fact_type"},
    {.name = "ttl-days",
     .value = "N",
     .description = "the fact expires after N days",
     .kind = JSON_NUMBER,
     .argument = "ttl_days"},
    {.name = "operation",
     .value = "OPERATION",
     .choices = OPERATIONS,
     .description = "what happens to FACT and to the fact of --corrects: see above (default: add)",
     .argument = "operation"},
    {.name = "corrects",
     .value = "ID",
     .description = "the fact that is updated or deleted: its id, the id of its lineage (all versions of a fact), or the "
                    "end of one",
     .argument = "corrects_lineage"},
    {.name = "durability",
     .value = "D",
     .choices = "durable ephemeral",
     .description = "ephemeral: a working note, which expires after a day and is found by query --ephemeral only (default: "
                    "durable)",
     .argument = "durability"},
    {.name = "wait-ms",
     .value = "N",
     .description = "how long to wait for contradictions, in milliseconds (default: 30000)",
     .kind = JSON_NUMBER,
     .argument = "wait_ms"},
    {.name = "batch",
     .value = "FILE",
     .complete = COMPLETE_FILES,
     .description = "store the facts of a JSONL file, or of standard input for -, in place of FACT: see above"},
    {0}};
static const exit_status commit_exits[] = {
    {0, "success"},
    {2, "an error; a message on standard error says what was wrong and what to do; with --batch: some lines are malformed and "
        "nothing was stored, or some were refused, whose numbers are printed"},
    {130, "interrupted (128 plus the number of the signal); with --batch, what was printed before is stored"},
    {0}};
static const example commit_examples[] = {
    {"engram commit --scope auth \"The auth service listens on port 8080.\"", "store a fact"},
    {"engram commit --operation update --corrects 4f1c22ab \"It listens on port 9090.\"", "replace an earlier fact"},
    {0}};

static const char *const query_text[] = {"Finds facts by their words and by their meaning, the most relevant first.", NULL};
static const argument query_arguments[] = {
    {"TOPIC", "a question or some words; - reads them from standard input", COMPLETE_NOTHING}, {0}};
static const option query_options[] = {
    {.name = "scope",
     .short_name = 's',
     .value = "PATH",
     .description = "only this scope and those below it; / is all of them (default: the setting scope, or all)",
     .argument = "scope"},
    {.name = "prefer-scope",
     .description = "facts of other scopes too, behind those of --scope that match as well",
     .kind = JSON_FLAG,
     .argument = "prefer_scope"},
    {.name = "limit", .value = "N", .description = "at most N facts (default: 10)", .kind = JSON_NUMBER, .argument = "limit"},
    {.name = "as-of",
     .value = "TIME",
     .description = "what was known at that time, such as 2026-11-01 or 2026-11-01T12:00:00Z",
     .argument = "as_of"},
    {.name = "type", .value = "TYPE", .choices = TYPES, .description = "only facts of this kind", .argument = "fact_type"},
    {.name = "agent", .value = "NAME", .description = "only facts of this agent", .argument = "agent_id"},
    {.name = "ephemeral", .description = "include ephemeral facts", .kind = JSON_FLAG, .argument = "include_ephemeral"},
    {.name = "history",
     .description = "include facts that were closed or have expired",
     .kind = JSON_FLAG,
     .argument = "include_history"},
    {0}};
static const example query_examples[] = {{"engram query \"which port does auth listen on?\"", "ask a question"},
                                         {"engram query --as-of 2026-11-01 --scope auth port", "ask what was known earlier"},
                                         {0}};

#define SCOPE_OPTION(what)                                                                       \
    {                                                                                            \
        .name = "scope", .short_name = 's', .value = "PATH",                                     \
        .description = what " of this scope and those below it; / is all of them (default: the " \
                            "setting scope, or all)",                                            \
        .argument = "scope"                                                                      \
    }

static const char *const facts_text[] = {
    "Lists the current facts, the newest first: a line each with its id, the day of its commit, scope, agent, state and text. "
    "With --json, a JSON object a line.",
    "TIME is a time or date in UTC, such as 2026-11-01 or 2026-11-01T12:00:00Z, or now, today, yesterday, or how long ago: 90m, "
    "12h, 3d, 2w.",
    NULL};
static const option facts_options[] = {
    SCOPE_OPTION("only facts"),
    {.name = "type", .value = "TYPE", .choices = TYPES, .description = "only facts of this kind", .argument = "fact_type"},
    {.name = "agent", .value = "NAME", .description = "only facts of this agent", .argument = "agent_id"},
    {.name = "as-of", .value = "TIME", .description = "the facts that were known and current at that time", .argument = "as_of"},
    {.name = "since", .value = "TIME", .description = "only facts that were committed since then", .argument = "since"},
    {.name = "all",
     .short_name = 'a',
     .description = "facts that were closed or have expired too",
     .kind = JSON_FLAG,
     .argument = "all"},
    {.name = "expiring",
     .value = "SPAN",
     .description = "only facts whose time to live ends within SPAN from now, such as 12h or 7d, the soonest first",
     .argument = "within"},
    {.name = "limit", .value = "N", .description = "at most N facts (default: 50, or all with --json)", .kind = JSON_NUMBER},
    {.name = "cursor",
     .value = "CURSOR",
     .description = "go on behind a list that ended at its limit and printed this",
     .argument = "cursor"},
    {0}};
static const example facts_examples[] = {{"engram facts --since yesterday", "see what was added"},
                                         {"engram facts --scope auth --all", "list closed facts as well"},
                                         {"engram facts --json > facts.jsonl", "write them for a script"},
                                         {0}};

static const char *const show_text[] = {
    "Prints one fact: its text, who committed it and when, how long it holds, its evidence, its statements, all versions of it, "
    "and the facts that contradict it or did.",
    NULL};

static const char *const timeline_text[] = {
    "Prints what happened, the latest first: facts that were added, changed, closed, brought back or that expired, and conflicts "
    "that were found and settled. What was undone is not told. With --json, a JSON object a line.",
    "TIME is as of `engram facts`: a time or date in UTC, or today, yesterday, 12h, 3d.", NULL};
static const option timeline_options[] = {
    SCOPE_OPTION("only facts and conflicts"),
    {.name = "since", .value = "TIME", .description = "only what happened since then", .argument = "since"},
    {.name = "until", .value = "TIME", .description = "only what happened until then", .argument = "until"},
    {.name = "limit", .value = "N", .description = "at most N events (default: 50, or all with --json)", .kind = JSON_NUMBER},
    {.name = "cursor",
     .value = "CURSOR",
     .description = "go on behind a timeline that ended at its limit and printed this",
     .argument = "cursor"},
    {0}};
static const example timeline_examples[] = {{"engram timeline --since yesterday", "see what happened while you were away"}, {0}};

static const char *const diff_text[] = {
    "Prints what became of facts between two times: + was added, ~ was changed, - was closed or has expired. What was added and "
    "closed in between is not told, and neither is what was changed and changed back.",
    "T1 and T2 are as of `engram facts`: a time or date in UTC, or today, yesterday, 12h, 3d.", NULL};
static const argument diff_arguments[] = {
    {"T1", "the earlier time", COMPLETE_NOTHING}, {"T2", "the later time (default: now)", COMPLETE_NOTHING}, {0}};
static const option diff_options[] = {SCOPE_OPTION("only facts"), {0}};
static const example diff_examples[] = {
    {"engram diff 7d", "see what a week changed"}, {"engram diff 2026-11-01 2026-12-01 --scope auth", "compare two days"}, {0}};

static const char *const recall_text[] = {
    "Prints, in at most 1,500 characters, the facts that are worth knowing before work starts, and the open conflicts: pinned "
    "facts first, then those that queries found most often, then the newest. Long facts are cut. Ephemeral facts are left out, "
    "no model is loaded and no query is counted.",
    "`engram install --hook session-start CLIENT` has a client run it when a session starts, so that its agent begins with what "
    "the project knows.",
    NULL};
static const option recall_options[] = {
    {.name = "scope", .value = "PATH", .description = "only facts and conflicts of this scope and those below it"},
    {.name = "hook",
     .description = "print it as the answer of a session-start hook, as Claude Code, Codex CLI and Gemini CLI read it; {} where "
                    "the memory is empty"},
    {0}};
static const exit_status recall_exits[] = {{0, "success"},
                                           {1, "with --hook: an error; the session starts without facts"},
                                           {2, "an error; a message on standard error says what was wrong and what to do"},
                                           {130, "interrupted (128 plus the number of the signal)"},
                                           {0}};

const command fact_commands[] = {{.name = "commit",
                                  .group = MEMORY,
                                  .synopsis = "FACT",
                                  .summary = "store a fact and print what it contradicts",
                                  .description = commit_text,
                                  .arguments = commit_arguments,
                                  .options = commit_options,
                                  .exits = commit_exits,
                                  .examples = commit_examples,
                                  .run = run_memory,
                                  .tool = "engram_commit",
                                  .positional = "content"},
                                 {.name = "query",
                                  .group = MEMORY,
                                  .synopsis = "TOPIC",
                                  .summary = "print what is known about a topic",
                                  .description = query_text,
                                  .arguments = query_arguments,
                                  .options = query_options,
                                  .examples = query_examples,
                                  .run = run_memory,
                                  .tool = "engram_query",
                                  .positional = "topic"},
                                 {.name = "facts",
                                  .group = MEMORY,
                                  .synopsis = "",
                                  .summary = "list facts",
                                  .description = facts_text,
                                  .options = facts_options,
                                  .examples = facts_examples,
                                  .run = run_facts,
                                  .tool = "engram_facts"},
                                 {.name = "recall",
                                  .group = MEMORY,
                                  .synopsis = "",
                                  .summary = "print what an agent should know before it starts",
                                  .description = recall_text,
                                  .options = recall_options,
                                  .exits = recall_exits,
                                  .run = run_recall},
                                 {.name = "show",
                                  .group = MEMORY,
                                  .synopsis = "FACT_ID",
                                  .summary = "print a fact, its versions and its conflicts",
                                  .description = show_text,
                                  .arguments = fact_arguments,
                                  .options = no_options,
                                  .run = run_show,
                                  .tool = "engram_lineage",
                                  .positional = "lineage_id"},
                                 {.name = "timeline",
                                  .group = MEMORY,
                                  .synopsis = "",
                                  .summary = "print what happened to facts and conflicts",
                                  .description = timeline_text,
                                  .options = timeline_options,
                                  .examples = timeline_examples,
                                  .run = run_timeline,
                                  .tool = "engram_timeline"},
                                 {.name = "diff",
                                  .group = MEMORY,
                                  .synopsis = "T1 [T2]",
                                  .summary = "print what became of facts between two times",
                                  .description = diff_text,
                                  .arguments = diff_arguments,
                                  .options = diff_options,
                                  .examples = diff_examples,
                                  .run = run_diff,
                                  .tool = "engram_timeline"},
                                 {0}};
