/* rst.h - the reader of reStructuredText. Private to this folder. */
#ifndef EG_DOCS_RST_H
#define EG_DOCS_RST_H

#include "core/docs/reader.h"

/* One pass over the lines, which become Markdown: sections, lists, definitions, fields, options,
 * tables, code, admonitions. See  eg_document_read. */
eg_status eg_rst_read(eg_document *d, eg_str text);

#endif
