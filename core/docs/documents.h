/* documents.h - statements out of documents: Markdown, MDX, notebooks, reStructuredText, AsciiDoc,
 * plain text and JSONL, each with its scope and lines, as items for eg_memory_ops.check
 * (engram/memory.h). It finds what a person wrote as a sentence and renders nothing. Not here:
 * files, folders, terminals (tools/check_command.c). No state of its own; time and memory are in
 * proportion to the text, whatever stands in it. Thread class: any, one thread a list at a time. */
#ifndef EG_DOCS_DOCUMENTS_H
#define EG_DOCS_DOCUMENTS_H

#include "core/docs/statements.h"

typedef enum eg_document_kind {
    EG_DOCUMENT_MARKDOWN = 0,
    EG_DOCUMENT_TEXT,
    EG_DOCUMENT_JSONL,
    EG_DOCUMENT_MDX,      /* Markdown with components */
    EG_DOCUMENT_NOTEBOOK, /* Jupyter: the cells of Markdown */
    EG_DOCUMENT_RST,      /* reStructuredText */
    EG_DOCUMENT_ASCIIDOC,
    EG_DOCUMENT_CODE_C, /* source code, of which the comments are read: comments.h */
    EG_DOCUMENT_CODE_HASH,
    EG_DOCUMENT_CODE_SQL,
    EG_DOCUMENT_CODE_PYTHON
} eg_document_kind;

/* What the names of documents end in, for messages. */
#define EG_DOCUMENT_ENDINGS ".md, .mdx, .mdc, .markdown, .rst, .adoc, .txt, .ipynb or .jsonl"
/* 1 when the name (without its folder) says of what kind the document is, by its ending or because
 * agents read instructions of that name (".cursorrules"); *kind: which. 0 also for lists that end
 * in ".txt" but are read by programs ("CMakeLists.txt"). */
int eg_document_kind_of_name(const char *name, eg_document_kind *kind);
/* The same for source code: the languages of the C family, shells and others that comment with #,
 * SQL and Python. */
int eg_document_code_of_name(const char *name, eg_document_kind *kind);
/* What a document without such a name is: JSONL when it begins with an object, else Markdown. */
eg_document_kind eg_document_kind_of_text(eg_str text);

/* Adds the statements of a document; one that fails adds none. name: for messages, as `file` of the
 * items, and, without its folder and ending, as the first segment of their scopes. A byte order
 * mark at the beginning is skipped.
 * - Markdown: sentences of paragraphs, list items and block quotes, rows of tables, and in code the
 *   settings and commands (core/text/read.h), each with its kind and, as `alone`, with the heading,
 *   the line that leads to it, the names of columns and outer keys in front. Left out are headings,
 *   front matter, HTML comments, other code, texts of fewer than three words, and kinds that
 *   contradict nothing: questions, examples, proposals, history. The scope is the name and the
 *   headings above, as slugs. A comment "engram: ignore" marks the statements of its line, or of
 *   the next one where it stands alone; "engram: ignore-file" has no statement of the document
 *   added.
 * - MDX: the same, without imports, exports and tags.
 * - Notebooks: the same of each cell of Markdown.
 * - reStructuredText and AsciiDoc: the same, made Markdown first. Descriptions, fields and options
 *   are list items, what a directive describes is a heading, bodies of admonitions are text;
 *   includes, images and the like are left out.
 * - Source code: the same of its comments and docstrings. The mark is a comment "engram: ignore".
 * - Text: one statement a line that is not blank; the scope is the name.
 * - JSONL: {"content": "...", "scope": "..."} a line that is not blank; other members are ignored,
 *   and the scope is "general" where it is missing.
 * EG_EINVAL for invalid UTF-8, EG_EFORMAT for JSON that is none or lacks what is needed, EG_ELIMIT
 * for more than EG_MAX_CHECK_STATEMENTS statements in the list or a line of text over
 * EG_MAX_CONTENT bytes, EG_ENOMEM; *err names the document and, where there is one, the line. */
eg_status eg_document_read(eg_statements *out, const char *name, eg_document_kind kind, eg_str text, eg_error *err);

#endif
