/* reader.h - what the readers of core/docs share: lines, slugs, adding a statement or a mark.
 * Private to this folder. */
#ifndef EG_DOCS_READER_H
#define EG_DOCS_READER_H

#include "core/docs/statements.h"

enum { EG_SLUG = 40 /* bytes of a segment of a scope that is made from a name or heading */ };

/* The document that is being read. */
typedef struct eg_document {
    eg_statements *out;
    const char *name;       /* in the arena */
    char stem[EG_SLUG + 1]; /* of the name, as a slug; empty when nothing of it is left */
    /* Of the file, one for each line of the text that is read; NULL: that is the file. */
    const uint32_t *lines;
    size_t line_count;
    int ignored; /* a mark says that the whole file is */
    eg_error *err;
} eg_document;

/* Lower-case letters, digits and single dashes, as scopes allow. */
void eg_slug(eg_str s, char out[EG_SLUG + 1]);
/* Without blanks, tabs and carriage returns at its ends. */
eg_str eg_trim_line(eg_str s);
/* Cuts the next line off *text; the line is without its line feed. */
eg_str eg_next_line(eg_str *text);
/* Adds a statement that stands on the lines first to last of the text; content and scope are
 * copied. EG_ELIMIT, EG_ENOMEM. */
eg_status eg_statement_add(eg_document *d, eg_str content, const char *scope, uint32_t first, uint32_t last);
/* Looks for a mark in a comment of the text: "engram: ignore" or "engram: ignore-file", after which
 * a reason may follow. One that stands alone on its line is about the next line of rest, the lines
 * behind, that is not blank. EG_ENOMEM. */
eg_status eg_mark_comment(eg_document *d, eg_str comment, uint32_t line, int alone, eg_str rest);

#endif
