/* judging.c - commands about conflicts and what people say of them. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

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

const command judging_commands[] = {{.name = "conflicts",
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
                                    {0}};
