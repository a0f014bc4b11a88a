/* markdown.h - statements out of Markdown, plain text and JSONL, with scope and line. Bounded, no recursion; not a renderer:
 * it only needs to know what a person wrote as a sentence. Used by `engram check`. */
#ifndef EG_TOOLS_MARKDOWN_H
#define EG_TOOLS_MARKDOWN_H

#include "core/base/arena.h"
#include "core/include/engram/memory.h"

/* Statements of several files. Strings live in the arena. init with {.arena = ...}. */
typedef struct statements {
    eg_arena *arena;
    eg_check_item *items;
    size_t count, capacity;
} statements;

/* Markdown: list items, paragraphs and table cells' rows are read; code blocks, block quotes, HTML comments, front matter,
 * headings and rules are not. The scope is the file's name and the headings above, as slugs. EG_EINVAL for invalid UTF-8,
 * EG_ELIMIT for more than EG_MAX_CHECK_STATEMENTS, EG_ENOMEM. */
eg_status eg_read_markdown(statements *out, const char *file, eg_str text, eg_error *err);
/* One statement a line that is not blank. */
eg_status eg_read_text(statements *out, const char *file, eg_str text, eg_error *err);
/* {"content": "...", "scope": "..."} a line; other members are ignored. */
eg_status eg_read_jsonl(statements *out, const char *file, eg_str text, eg_error *err);

#endif
