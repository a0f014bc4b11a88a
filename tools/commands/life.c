/* life.c - commands that change one fact, take it away and bring it back. See table.h. */
#include "tools/cli.h"
#include "tools/commands/table.h"

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

const command life_commands[] = {{.name = "edit",
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
                                 {0}};
