/* markdown.h - the reader of Markdown. Private to this folder. */
#ifndef EG_DOCS_MARKDOWN_H
#define EG_DOCS_MARKDOWN_H

#include "core/docs/reader.h"

/* One pass over the lines of a text that is valid UTF-8. See eg_document_read. */
eg_status eg_markdown_read(eg_document *d, eg_str text);

#endif
