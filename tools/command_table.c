/* command_table.c - see command_table.h. The texts are read by people and by language models: plain
 * words, the defaults and the units named. */
#include "tools/command_table.h"

#include "tools/cli.h"

#define TYPES "observation inference decision"
#define OPERATIONS "add update delete none"
#define ISAS "auto scalar avx2 avxvnni avx512 avx512vnni avx512bf16 amx neon dotprod i8mm"

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

static const option no_options[] = {{0}};

/* ---- check ---- */

static const char *const check_text[] = {
    "Reads statements from files and compares them with each other, first by rules (values and their units, dates, names, "
    "negation), then with a natural language inference (NLI) model. Nothing is stored. Where there are no contradictions, "
    "nothing is printed.",
    "Of a folder, files that end in .md, .mdx, .mdc, .markdown, .rst, .adoc, .txt, .ipynb or .jsonl are read, and what .gitignore and "
    ".engramignore name is left out. Both have the syntax of gitignore(5); .engramignore outweighs .gitignore. Hidden files and "
    "folders are skipped, but for those that hold instructions for agents, such as .github, .cursor and .windsurfrules; so are "
    "symbolic links and repositories within the repository. A file that is named is read in any case. A line of a JSONL file is "
    "an object with the member \"content\" and, optionally, \"scope\".",
    "A comment suppresses findings: <!-- engram: ignore --> those of statements on its line, or on the next one where it stands "
    "alone; <!-- engram: ignore-file --> anywhere in a file those of the whole file. A reason may follow the word ignore. The "
    "comment is .. engram: ignore in reStructuredText and // engram: ignore in AsciiDoc.",
    "A baseline lets a team begin with the contradictions that are there: --write-baseline accepts them, and with --baseline only "
    "others are reported. An accepted finding is recognised by the files and the words of its two statements, wherever they "
    "stand.",
    NULL};
static const argument check_arguments[] = {
    {"PATH", "a file or folder; - is standard input: JSONL if it begins with {, else Markdown", COMPLETE_FILES}, {0}};
static const option check_options[] = {
    {.name = "against-store", .description = "compare with the facts of the workspace too"},
    {.name = "judge",
     .description = "ask the configured escalator, such as a language model, about pairs that the detectors only suspect; sends "
                    "both statements to it"},
    {.name = "comments",
     .description = "read source code too, for its comments and docstrings: languages of the C family, Python, SQL, and those "
                    "that comment with #, such as shells and YAML"},
    {.name = "exclude",
     .value = "GLOB",
     .description = "leave out files and folders that match the pattern, as a line of .engramignore in this folder would; may be "
                    "repeated",
     .repeats = 1},
    {.name = "diff",
     .value = "BASE",
     .description = "report only findings of which a statement stands on lines that changed since this branch left the commit "
                    "BASE, such as origin/main; what is not committed yet counts as changed"},
    {.name = "baseline",
     .value = "FILE",
     .complete = COMPLETE_FILES,
     .description = "do not report the findings that FILE accepts; tell those that no longer occur"},
    {.name = "write-baseline",
     .value = "FILE",
     .complete = COMPLETE_FILES,
     .description = "accept all findings of today: write them to FILE and succeed"},
    {.name = "severity",
     .value = "LEVEL",
     .choices = "low medium high",
     .description = "report findings of this severity or a graver one (default: low)"},
    {.name = "min-score",
     .value = "P",
     .description = "report findings whose score, from 0 to 1, is at least P (default: all that the detectors report)"},
    {.name = "format",
     .value = "FORMAT",
     .choices = "text json sarif github",
     .description =
         "how findings are printed; sarif: SARIF 2.1.0, a report that code hosts can show; github: annotations of GitHub Actions "
         "(default: text)"},
    {.name = "sarif", .description = "the same as --format sarif"},
    {.name = "progress", .description = "report progress on standard error, even when it is not a terminal"},
    {0}};
static const exit_status check_exits[] = {
    {0, "no contradictions, or none but those that are accepted or suppressed"},
    {1, "contradictions were found"},
    {2, "an error, such as a file that cannot be read (the others have been checked all the same), a plugin or model that "
        "cannot be used, or nothing to check"},
    {130, "interrupted (128 plus the number of the signal)"},
    {0}};
static const example check_examples[] = {
    {"engram check README.md docs", "check a file and a folder"},
    {"engram check --against-store AGENTS.md", "compare with the stored facts as well"},
    {"engram check --format sarif docs > engram.sarif", "write a report that a code host can show"},
    {"engram check --write-baseline docs/accepted.json docs", "accept what is found today"},
    {0}};

/* ---- memory ---- */

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
static const argument fact_arguments[] = {
    {"FACT_ID", "the id of a fact, or at least four digits that it ends or begins with", COMPLETE_NOTHING}, {0}};

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

static const char *const edit_text[] = {
    "Replaces the text of a fact: a new version is stored, and what it contradicts is printed; the old version is closed and stays "
    "in the history. The new text is that of --content, else standard input or, at a terminal, what you make of the old one in "
    "the editor of $VISUAL or $EDITOR. Scope, type, confidence, durability and evidence stay what they were unless an option "
    "changes them.",
    "Only the current version of a fact can be edited: of an earlier one, the error names the current one.", NULL};
static const option edit_options[] = {
    {.name = "content", .short_name = 'c', .value = "TEXT", .description = "the new text", .argument = "content"},
    {.name = "scope", .short_name = 's', .value = "PATH", .description = "move it to another scope", .argument = "scope"},
    {.name = "provenance", .value = "TEXT", .description = "the evidence for the new text", .argument = "provenance"},
    {.name = "type",
     .value = "TYPE",
     .choices = TYPES,
     .description = "whether it was seen, concluded or decided",
     .argument = "fact_type"},
    {.name = "confidence",
     .value = "NUMBER",
     .description = "how sure it is, from 0 to 1",
     .kind = JSON_NUMBER,
     .argument = "confidence"},
    {.name = "agent", .value = "NAME", .description = "the agent or person who states it", .argument = "agent_id"},
    {.name = "reason", .value = "TEXT", .description = "why it is changed, for the audit log", .argument = "reason"},
    {.name = "wait-ms",
     .value = "N",
     .description = "how long to wait for contradictions, in milliseconds (default: 30000)",
     .kind = JSON_NUMBER,
     .argument = "wait_ms"},
    {0}};
static const example edit_examples[] = {{"engram edit 4f1c22ab --content \"It listens on port 9090.\"", "replace its text"},
                                        {"EDITOR=vi engram edit 4f1c22ab", "change it in an editor"},
                                        {0}};

static const char *const delete_text[] = {
    "Closes a fact: queries do not find it any more, and conflicts about it end. Nothing is removed, and `engram undo` brings it "
    "back.",
    NULL};
static const option delete_options[] = {
    {.name = "reason",
     .value = "TEXT",
     .description = "why, for the audit log and the conflicts that end with it",
     .argument = "reason"},
    {.name = "agent", .value = "NAME", .description = "the agent or person who closes it", .argument = "agent_id"},
    {0}};

static const char *const pin_text[] = {
    "A pinned fact never expires and does not age, ranks a little higher among facts that match a topic as well, and passes its "
    "pin on to what replaces it. Pinning ends its time to live; unpinning does not bring that back.",
    NULL};
static const char *const archive_text[] = {
    "Takes a fact out of the way: queries do not find it, and nothing is compared with it. `engram facts --all` lists it, and "
    "`engram restore` brings it back. Conflicts about it end.",
    NULL};
static const option archive_options[] = {
    {.name = "reason", .value = "TEXT", .description = "why, for the audit log", .argument = "reason"}, {0}};
static const char *const restore_text[] = {
    "Brings back a fact that was archived or deleted, or that has expired: a copy of it, in the same lineage, under a new id. If "
    "it had a time to live, that begins anew. Its conflicts that ended with it are open again.",
    NULL};
static const char *const promote_text[] = {
    "Makes an ephemeral fact durable: it does not expire, queries find it, and it is compared with the others. One that other "
    "agents' queries found twice becomes durable by itself.",
    NULL};

static const char *const conflicts_text[] = {
    "Lists pairs of facts that contradict each other. With CONFLICT, prints that one and the history of both facts.", NULL};
static const argument conflicts_arguments[] = {{"CONFLICT", "the id of a conflict, or the end of one", COMPLETE_NOTHING}, {0}};
static const option conflicts_options[] = {
    {.name = "scope",
     .short_name = 's',
     .value = "PATH",
     .description = "only conflicts of this scope and those below it",
     .argument = "scope"},
    {.name = "status",
     .value = "STATUS",
     .choices = "open resolved dismissed expired suspected all",
     .description = "only conflicts of this status (default: open)",
     .argument = "status"},
    {.name = "limit", .value = "N", .description = "at most N conflicts (default: 10)", .kind = JSON_NUMBER, .argument = "limit"},
    {0}};

static const char *const resolve_text[] = {
    "Settles a conflict. winner keeps the fact of --winner and closes the other one; merge closes both and stores the text of "
    "--merged-content as a new fact; dismissed says that there is no contradiction; both_valid says that both facts hold.",
    NULL};
static const argument resolve_arguments[] = {{"CONFLICT", "the id of a conflict, or the end of one", COMPLETE_NOTHING}, {0}};
static const option resolve_options[] = {
    {.name = "type",
     .value = "TYPE",
     .choices = "winner merge dismissed both_valid",
     .description = "how it is settled (required)",
     .argument = "resolution_type"},
    {.name = "winner",
     .value = "ID",
     .description = "the fact that is right, for the type winner",
     .argument = "winning_fact_id"},
    {.name = "merged-content",
     .value = "TEXT",
     .description = "the fact that replaces both, for the type merge",
     .argument = "merged_content"},
    {.name = "reason", .value = "TEXT", .description = "why: the evidence (required)", .argument = "resolution"},
    {0}};
static const example resolve_examples[] = {
    {"engram resolve 7d20a1c4 --type winner --winner 4f1c22ab --reason \"seen in the cluster\"", "keep one of the two facts"},
    {"engram resolve 7d20a1c4 --type merge --merged-content \"It uses both.\" --reason tried", "replace both"},
    {0}};

static const char *const judge_text[] = {
    "Answers the question whether two facts contradict each other, which Engram asks where it is not sure. contradiction makes "
    "the pair an open conflict. update says that the later fact replaces the earlier one, which is closed. both_valid says that "
    "each is true in its own context, same that they say the same.",
    NULL};
static const argument judge_arguments[] = {{"REVIEW", "the id of a review, or the end of one", COMPLETE_NOTHING}, {0}};
static const option judge_options[] = {
    {.name = "verdict",
     .value = "VERDICT",
     .choices = "contradiction update both_valid same unrelated",
     .description = "the answer (required)",
     .argument = "verdict"},
    {.name = "reason", .value = "TEXT", .description = "why, in one sentence (required)", .argument = "reason"},
    {0}};
static const example judge_examples[] = {
    {"engram judge 5a10c0f2 --verdict both_valid --reason \"another environment\"", "answer one review"}, {0}};

static const char *const review_text[] = {
    "Goes through the pairs of facts that may contradict each other, where Engram is not sure, and asks about each. When "
    "standard input is no terminal, only lists them; `engram judge` answers one.",
    NULL};
static const option review_options[] = {{.name = "scope",
                                         .short_name = 's',
                                         .value = "PATH",
                                         .description = "only pairs of this scope and those below it",
                                         .argument = "scope"},
                                        {0}};

static const char *const feedback_text[] = {
    "Records whether a reported conflict is a real one. After ten verdicts on conflicts of one tier (such as tier1_nli), its "
    "threshold follows them: the score from which on conflicts are reported.",
    "export writes the answers of the workspace that still stand, a JSON object a line: settled and dismissed conflicts, judged "
    "reviews and verdicts, each with both facts, so that a team can measure and train with them. docs/usage.md lists the members.",
    NULL};
static const action feedback_actions[] = {
    {"export", "[FILE]", "write all answers as labelled pairs (JSONL) to FILE, or to standard output"}, {0}};
static const option feedback_options[] = {
    {.name = "verdict",
     .value = "VERDICT",
     .choices = "true_positive false_positive",
     .description = "true_positive: the conflict is real; false_positive: it is not (required)",
     .argument = "feedback"},
    {.name = "with-authors",
     .description = "export: also who committed the facts, and the e-mail addresses of people who judged"},
    {0}};
static const example feedback_examples[] = {{"engram feedback 7d20a1c4 --verdict false_positive", "say that a report was wrong"},
                                            {"engram feedback export answers.jsonl", "write what was answered so far"},
                                            {0}};

static const char *const undo_text[] = {
    "Takes back a commit, a deletion, a resolution, an archive or a restore. Its number was printed as (undo N) and is \"undo_id\" in the JSON result.",
    NULL};
static const argument undo_arguments[] = {{"UNDO_ID", "the number that the command printed", COMPLETE_NOTHING}, {0}};

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

/* ---- servers ---- */

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

/* ---- inference ---- */

#define ISA_OPTION                                                                                               \
    {                                                                                                            \
        .name = "isa", .value = "ISA", .choices = ISAS,                                                          \
        .description = "the instruction set to compute with (default: the setting isa, or the best of this CPU)" \
    }
#define GEMM_OPTION                                                                                           \
    {                                                                                                         \
        .name = "gemm", .value = "LIBRARY", .choices = "own openblas",                                        \
        .description = "what multiplies f32 matrices: Engram or OpenBLAS (default: the setting gemm, or own)" \
    }
#define RUN_OPTIONS                                                                                                \
    {.name = "threads",                                                                                            \
     .value = "N",                                                                                                 \
     .description = "the number of threads (default: the setting threads, or all CPUs that the process may use)"}, \
        ISA_OPTION, GEMM_OPTION, {                                                                                 \
        .name = "format", .value = "FORMAT", .choices = "auto f32 s8 bf16",                                        \
        .description = "the number format of the weights; auto: as stored (default: the setting format, or auto)"  \
    }
#define MODEL_OPTION                                                                                    \
    {                                                                                                   \
        .name = "model", .value = "MODEL", .complete = COMPLETE_FOLDERS,                                \
        .description = "a model folder or the name of an installed model (default: the configured one)" \
    }
static const argument jsonl_arguments[] = {{"FILE", "a JSONL file (default: standard input, also as -)", COMPLETE_FILES}, {0}};
static const exit_status jsonl_exits[] = {
    {0, "success"},
    {2, "an error; for a line that cannot be used, {\"error\": \"...\"} is printed in its place, and the others are answered"},
    {130, "interrupted (128 plus the number of the signal)"},
    {0}};

static const char *const nli_text[] = {
    "Reads a pair of texts a line, {\"premise\": \"...\", \"hypothesis\": \"...\"}, and prints a JSON object a line with the "
    "probability of each label of the model: contradiction, entailment, neutral.",
    NULL};
static const option nli_options[] = {MODEL_OPTION, RUN_OPTIONS, {0}};
static const example nli_examples[] = {
    {"echo '{\"premise\": \"It is on.\", \"hypothesis\": \"It is off.\"}' | engram nli", "classify a pair"}, {0}};

static const char *const embed_text[] = {"Reads {\"text\": \"...\"} a line and prints {\"embedding\": [...]} a line.", NULL};
static const option embed_options[] = {
    MODEL_OPTION,
    {.name = "prompt",
     .value = "NAME",
     .description = "which of the model's prompts to put before each text, such as query or passage (default: that of the "
                    "model's configuration)"},
    RUN_OPTIONS,
    {0}};
static const example embed_examples[] = {{"echo '{\"text\": \"The port is 80.\"}' | engram embed", "embed a text"}, {0}};

static const char *const label_text[] = {
    "Reads {\"text\": \"...\"} a line and prints a line with its named entities, {\"entities\": [{\"label\", \"text\", \"begin\", "
    "\"end\", \"score\"}]}; begin and end count bytes. No model for this ships with Engram: --model is required.",
    NULL};
static const option label_options[] = {{.name = "model",
                                        .value = "MODEL",
                                        .complete = COMPLETE_FOLDERS,
                                        .description = "the folder or name of a token classification model (required)"},
                                       {.name = "aggregation",
                                        .value = "STRATEGY",
                                        .choices = "simple first average max",
                                        .description = "how the labels of a word of several tokens become one (default: simple)"},
                                       RUN_OPTIONS,
                                       {0}};

static const char *const bench_text[] = {"Measures the speed of inference on this machine. End other programs first.", NULL};
static const action bench_actions[] = {
    {"model", "", "the embedding model over batches and lengths of texts"},
    {"nli", "[FILE]", "60 pairs of texts with the NLI model, or those of a JSONL file {\"premise\", \"hypothesis\"}"},
    {0}};
static const option bench_options[] = {
    MODEL_OPTION,
    {.name = "threads", .value = "N", .description = "the number of threads (default: the setting threads, or one and then all)"},
    ISA_OPTION,
    GEMM_OPTION,
    {.name = "format",
     .value = "FORMAT",
     .choices = "auto f32 s8 bf16",
     .description = "the number format of the weights (default: the setting format, or f32 and s8 side by side)"},
    {.name = "quick", .description = "measure fewer cases"},
    {0}};

/* ---- installation ---- */

static const char *const models_text[] = {
    "Lists, downloads, checks and chooses models. MODEL is a name that `engram models` prints, or the path of a folder with a / "
    "in it; pull also takes ORG/REPO or ORG/REPO@REVISION of Hugging Face or a compatible hub. pull uses the hub of "
    "$HF_ENDPOINT (default: https://huggingface.co) and sends $HF_TOKEN to that hub only.",
    NULL};
static const action models_actions[] = {
    {"list", "", "the models that are installed and those that pull knows by name (the default)"},
    {"pull", "MODEL", "download a model, check it and open it; continues an earlier download that was interrupted"},
    {"verify", "[MODEL]", "compare the files of one or all models with their recorded checksums, and open them"},
    {"use", "MODEL", "open a model, then write it into engram.conf as the one in use"},
    {0}};
static const option models_options[] = {
    {.name = "as",
     .value = "USE",
     .choices = "nli embed",
     .description = "use: what the model is used for (default: what it was made for)"},
    {.name = "now",
     .description = "use, of an embedding model: compute the embeddings of the stored facts now, not in the background"},
    {.name = "name",
     .value = "NAME",
     .description = "pull: the name under which it is installed (default: that of the repository)"},
    {0}};
static const exit_status models_exits[] = {{0, "success"},
                                           {1, "verify: a file differs from its recorded checksum"},
                                           {2, "an error, such as a model that cannot be opened"},
                                           {130, "interrupted (128 plus the number of the signal)"},
                                           {0}};
static const example models_examples[] = {
    {"engram models", "list the models"}, {"engram models pull bge-small-en-v1.5", "download one that is known by name"}, {0}};

static const char *const plugins_text[] = {"Lists the plugins that are loaded and those that are not, with the reason.", NULL};
static const action plugins_actions[] = {{"list", "", "the plugins that the setting `plugins` names (the default)"},
                                         {"check", "FILE", "load a plugin and test that it keeps the contract of its kind"},
                                         {0}};

static const char *const workspaces_text[] = {
    "A workspace is a memory of its own. Each git repository has one; `engram workspaces` lists those of the store, with the "
    "repositories that are known to use them. The star marks the one of this folder.",
    "rename and merge change the repositories' records too, so they find their memory under the new name. merge keeps all facts "
    "with their ids and times, and their part of the audit log; facts of both are compared with each other afterwards, and of two "
    "that say the same in one scope one stays, with the conflicts of both. remove takes the facts away for good: only the audit log keeps that there were some.",
    NULL};
static const action workspaces_actions[] = {{"list", "", "the workspaces of the store (the default)"},
                                            {"rename", "OLD NEW", "give a workspace another name"},
                                            {"merge", "FROM TO", "put all facts of one workspace into another one"},
                                            {"remove", "NAME", "remove a workspace with all its facts"},
                                            {0}};
static const option workspaces_options[] = {{.name = "yes", .short_name = 'y', .description = "remove: do not ask"}, {0}};
static const example workspaces_examples[] = {
    {"engram workspaces", "list them"},
    {"engram workspaces merge local team", "move what was stored outside of repositories"},
    {0}};

static const char *const install_text[] = {
    "Enters Engram into the configuration of clients of the Model Context Protocol, so that their agents get its tools. Without "
    "CLIENT, lists which clients are found here and whether Engram is entered.",
    "Only the entry is added: comments, indentation and all other settings stay as they are, and --remove restores the file. An "
    "entry of the name engram that says something else stays, unless --force is given. A file that is not well formed is left as "
    "it is. --workspace and --home become part of the entry.",
    "--instructions and --hook write a block of lines between two marks; what stands outside of them stays. A second run replaces "
    "the block in place.",
    NULL};
static const argument install_arguments[] = {
    {"CLIENT",
     "claude-code, claude-desktop, cursor, vscode, windsurf, codex, gemini, zed or opencode; all: those that are found here",
     COMPLETE_NOTHING},
    {0}};
static const option install_options[] = {
    {.name = "instructions",
     .value = "FILE",
     .complete = COMPLETE_FILES,
     .description = "add a block to FILE, such as AGENTS.md or CLAUDE.md, that tells agents when to query, commit and settle"},
    {.name = "hook",
     .value = "HOOK",
     .choices = "pre-commit",
     .description = "have git check what changed before each commit of this repository: engram check --diff HEAD"},
    {.name = "dry-run", .description = "print what would change, and change nothing"},
    {.name = "remove", .description = "take the entry, the block or the hook away"},
    {.name = "force", .description = "replace an entry of the name engram that is different"},
    {.name = "profile",
     .value = "PROFILE",
     .choices = "core team all",
     .description = "the tools that agents see: see engram mcp (default: core)"},
    {0}};
static const exit_status install_exits[] = {{0, "success"},
                                            {1, "an entry of the name engram is different and was left as it is"},
                                            {2, "an error; a message on standard error says what was wrong and what to do"},
                                            {130, "interrupted (128 plus the number of the signal)"},
                                            {0}};
static const example install_examples[] = {{"engram install", "list the clients"},
                                           {"engram install --dry-run cursor", "show what would change"},
                                           {"engram install claude-code codex", "enter it for two clients"},
                                           {"engram install --remove all", "take it out of all"},
                                           {"engram install --instructions AGENTS.md", "tell agents of this project"},
                                           {"engram install --hook pre-commit", "check before each commit"},
                                           {0}};

static const char *const allow_text[] = {
    "A project's .engram.conf comes with its repository, so somebody else may have written it. By itself it sets the scope and, "
    "within limits, how contradictions are found. Everything else in it, such as the workspace, plugins, models and commands, is "
    "left out with a warning until you allow it.",
    "`engram allow` prints the settings of the nearest .engram.conf in this folder or above it and allows all of them. This "
    "holds for this file with this content: when either changes, allow it again. A workspace that belongs to another repository "
    "(git-...) or to no project (local) cannot be set there at all.",
    NULL};
static const option allow_options[] = {{.name = "remove", .description = "take back what was allowed"}, {0}};

static const char *const doctor_text[] = {
    "Checks the installation: the CPU, the store, the plugins, the models. The store is read as a whole: its pages and the "
    "chain of the audit of every workspace. Each problem is printed with what to do about it, "
    "followed by all settings and where their values come from.",
    NULL};

static const option doctor_options[] = {
    {.name = "deep", .description = "also compare the rows of the store with its indexes, which takes longer"},
    {.name = "repair-time",
     .description = "where the last commit lies ahead of the clock: let what happened later than now have happened now"},
    {0}};

static const char *const help_text[] = {
    "Prints the list of commands, or the help of one command. --format prints it as a manual page or as shell completion.", NULL};
static const argument help_arguments[] = {{"COMMAND", "the command to explain", COMPLETE_COMMANDS}, {0}};
static const option help_options[] = {
    {.name = "format",
     .value = "FORMAT",
     .choices = "text man bash zsh fish names",
     .description =
         "man: a manual page, of the program or of COMMAND; bash, zsh, fish: completion for that shell; names: the names "
         "of all commands, one a line (default: text)"},
    {0}};
static const example help_examples[] = {
    {"engram help check", "explain a command"},
    {"engram help --format bash > ~/.local/share/bash-completion/completions/engram", "install completion for bash"},
    {0}};

#define CHECKING "Check documents"
#define MEMORY "Use the memory"
#define INFERENCE "Run models"
#define INSTALLATION "Look after the installation"

const command commands[] = {{.name = "check",
                             .group = CHECKING,
                             .synopsis = "PATH...",
                             .summary = "find statements in files that contradict each other",
                             .description = check_text,
                             .arguments = check_arguments,
                             .options = check_options,
                             .exits = check_exits,
                             .examples = check_examples,
                             .run = run_check},
                            {.name = "commit",
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
                            {.name = "edit",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "replace the text of a fact",
                             .description = edit_text,
                             .arguments = fact_arguments,
                             .options = edit_options,
                             .examples = edit_examples,
                             .run = run_edit,
                             .tool = "engram_commit",
                             .positional = "corrects_lineage"},
                            {.name = "delete",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "close a fact, with nothing in its place",
                             .description = delete_text,
                             .arguments = fact_arguments,
                             .options = delete_options,
                             .run = run_delete,
                             .tool = "engram_commit",
                             .positional = "corrects_lineage"},
                            {.name = "pin",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "keep a fact for good, and rank it a little higher",
                             .description = pin_text,
                             .arguments = fact_arguments,
                             .options = no_options,
                             .run = run_mark,
                             .tool = "engram_mark",
                             .positional = "fact_id"},
                            {.name = "unpin",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "take a pin back",
                             .description = pin_text,
                             .arguments = fact_arguments,
                             .options = no_options,
                             .run = run_mark,
                             .tool = "engram_mark",
                             .positional = "fact_id"},
                            {.name = "archive",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "take a fact out of the way",
                             .description = archive_text,
                             .arguments = fact_arguments,
                             .options = archive_options,
                             .run = run_mark,
                             .tool = "engram_mark",
                             .positional = "fact_id"},
                            {.name = "restore",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "bring back a fact that was archived, deleted or has expired",
                             .description = restore_text,
                             .arguments = fact_arguments,
                             .options = no_options,
                             .run = run_mark,
                             .tool = "engram_mark",
                             .positional = "fact_id"},
                            {.name = "promote",
                             .group = MEMORY,
                             .synopsis = "FACT_ID",
                             .summary = "make an ephemeral fact durable",
                             .description = promote_text,
                             .arguments = fact_arguments,
                             .options = no_options,
                             .run = run_promote,
                             .tool = "engram_promote",
                             .positional = "fact_id"},
                            {.name = "conflicts",
                             .group = MEMORY,
                             .synopsis = "[CONFLICT]",
                             .summary = "list facts that contradict each other",
                             .description = conflicts_text,
                             .arguments = conflicts_arguments,
                             .options = conflicts_options,
                             .run = run_memory,
                             .tool = "engram_conflicts",
                             .positional = "conflict_id"},
                            {.name = "resolve",
                             .group = MEMORY,
                             .synopsis = "CONFLICT",
                             .summary = "settle a conflict",
                             .description = resolve_text,
                             .arguments = resolve_arguments,
                             .options = resolve_options,
                             .examples = resolve_examples,
                             .run = run_memory,
                             .tool = "engram_resolve",
                             .positional = "conflict_id"},
                            {.name = "review",
                             .group = MEMORY,
                             .synopsis = "",
                             .summary = "answer which uncertain pairs of facts contradict each other",
                             .description = review_text,
                             .options = review_options,
                             .run = run_review},
                            {.name = "judge",
                             .group = MEMORY,
                             .synopsis = "REVIEW",
                             .summary = "answer whether two facts contradict each other",
                             .description = judge_text,
                             .arguments = judge_arguments,
                             .options = judge_options,
                             .examples = judge_examples,
                             .run = run_memory,
                             .tool = "engram_judge",
                             .positional = "review_id"},
                            {.name = "feedback",
                             .group = MEMORY,
                             .synopsis = "CONFLICT | export [FILE]",
                             .summary = "say whether a conflict is a real one, or export all answers",
                             .description = feedback_text,
                             .arguments = resolve_arguments,
                             .actions = feedback_actions,
                             .options = feedback_options,
                             .examples = feedback_examples,
                             .run = run_feedback,
                             .tool = "engram_feedback",
                             .positional = "conflict_id"},
                            {.name = "undo",
                             .group = MEMORY,
                             .synopsis = "UNDO_ID",
                             .summary = "take back a commit, a deletion, a resolution or an archive",
                             .description = undo_text,
                             .arguments = undo_arguments,
                             .options = no_options,
                             .run = run_memory,
                             .tool = "engram_undo",
                             .positional = "undo_id"},
                            {.name = "status",
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
                            {.name = "mcp",
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
                            {.name = "nli",
                             .group = INFERENCE,
                             .synopsis = "[FILE]",
                             .summary = "classify pairs of texts as contradiction, entailment or neutral",
                             .description = nli_text,
                             .arguments = jsonl_arguments,
                             .options = nli_options,
                             .exits = jsonl_exits,
                             .examples = nli_examples,
                             .run = run_nli},
                            {.name = "embed",
                             .group = INFERENCE,
                             .synopsis = "[FILE]",
                             .summary = "compute sentence embeddings of texts",
                             .description = embed_text,
                             .arguments = jsonl_arguments,
                             .options = embed_options,
                             .exits = jsonl_exits,
                             .examples = embed_examples,
                             .run = run_embed},
                            {.name = "label",
                             .group = INFERENCE,
                             .synopsis = "[FILE]",
                             .summary = "find named entities in texts",
                             .description = label_text,
                             .arguments = jsonl_arguments,
                             .options = label_options,
                             .exits = jsonl_exits,
                             .run = run_label},
                            {.name = "bench",
                             .group = INFERENCE,
                             .synopsis = "model | nli [FILE]",
                             .summary = "measure the speed of inference",
                             .description = bench_text,
                             .actions = bench_actions,
                             .options = bench_options,
                             .run = run_bench},
                            {.name = "install",
                             .group = INSTALLATION,
                             .synopsis = "[CLIENT...]",
                             .summary = "enter Engram into the configuration of agents' clients",
                             .description = install_text,
                             .arguments = install_arguments,
                             .options = install_options,
                             .exits = install_exits,
                             .examples = install_examples,
                             .run = run_install},
                            {.name = "models",
                             .group = INSTALLATION,
                             .synopsis = "[list | pull MODEL | verify [MODEL] | use MODEL]",
                             .summary = "list, download, check and choose models",
                             .description = models_text,
                             .actions = models_actions,
                             .options = models_options,
                             .exits = models_exits,
                             .examples = models_examples,
                             .run = run_models},
                            {.name = "plugins",
                             .group = INSTALLATION,
                             .synopsis = "[list | check FILE]",
                             .summary = "list the plugins, or test one",
                             .description = plugins_text,
                             .actions = plugins_actions,
                             .options = no_options,
                             .run = run_plugins},
                            {.name = "workspaces",
                             .group = INSTALLATION,
                             .synopsis = "[list | rename OLD NEW | merge FROM TO | remove NAME]",
                             .summary = "list, rename, merge and remove workspaces",
                             .description = workspaces_text,
                             .actions = workspaces_actions,
                             .options = workspaces_options,
                             .examples = workspaces_examples,
                             .run = run_workspaces},
                            {.name = "allow",
                             .group = INSTALLATION,
                             .synopsis = "",
                             .summary = "obey the settings of this project's .engram.conf",
                             .description = allow_text,
                             .options = allow_options,
                             .run = run_allow},
                            {.name = "doctor",
                             .group = INSTALLATION,
                             .synopsis = "",
                             .summary = "check the installation and print the settings",
                             .description = doctor_text,
                             .options = doctor_options,
                             .run = run_doctor},
                            {.name = "version",
                             .group = INSTALLATION,
                             .synopsis = "",
                             .summary = "print the version",
                             .options = no_options,
                             .run = run_version},
                            {.name = "help",
                             .group = INSTALLATION,
                             .synopsis = "[COMMAND]",
                             .summary = "explain the commands",
                             .description = help_text,
                             .arguments = help_arguments,
                             .options = help_options,
                             .examples = help_examples,
                             .run = run_help},
                            {0}};
