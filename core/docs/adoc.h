/* adoc.h - the reader of AsciiDoc. Private to this folder. */
#ifndef EG_DOCS_ADOC_H
#define EG_DOCS_ADOC_H

#include "core/docs/reader.h"

/* One pass over the lines, which become Markdown: sections, lists, descriptions, tables, listings,
 * admonitions. Attributes,  includes and conditions are left out; what stands within conditions is
 * read. See eg_document_read. */
eg_status eg_adoc_read(eg_document *d, eg_str text);

#endif
