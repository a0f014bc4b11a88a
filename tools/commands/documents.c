/* documents.c - the command that checks documents. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

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

const command document_commands[] = {{.name = "check",
                                      .group = CHECKING,
                                      .synopsis = "PATH...",
                                      .summary = "find statements in files that contradict each other",
                                      .description = check_text,
                                      .arguments = check_arguments,
                                      .options = check_options,
                                      .exits = check_exits,
                                      .examples = check_examples,
                                      .run = run_check},
                                     {0}};
