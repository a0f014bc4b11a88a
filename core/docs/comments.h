/* comments.h - the reader of source code: its comments and docstrings, made Markdown with the lines
 * of the file. Private to this folder.
 *
 * It knows enough of strings to find comments, and nothing else of a language. Left out are lines
 * that look like code or like tags of a documentation tool ("@param"), and notes of licences. */
#ifndef EG_DOCS_COMMENTS_H
#define EG_DOCS_COMMENTS_H

#include "core/docs/reader.h"

/* How a language writes comments. */
typedef enum eg_comment_style {
    EG_COMMENTS_C = 1,     /* two slashes to the end of the line, slash and star around a block */
    EG_COMMENTS_HASH = 2,  /* # to the end of the line, at its start or behind a blank */
    EG_COMMENTS_SQL = 4,   /* -- to the end of the line, and blocks as in C */
    EG_COMMENTS_PYTHON = 8 /* as #, and docstrings: triple quotes at the start of a line */
} eg_comment_style;

/* EG_ENOMEM and what the reader of Markdown returns. */
eg_status eg_comments_read(eg_document *d, eg_comment_style style, eg_str text);

#endif
