/* adoc_table.h - tables of AsciiDoc. Private to this folder. */
#ifndef EG_DOCS_ADOC_TABLE_H
#define EG_DOCS_ADOC_TABLE_H

#include "core/docs/front.h"

/* The lines from..to between the "|===" of a table. attributes: the line "[cols=...]" above, or
 * empty. */
void eg_adoc_table(eg_front *f, const eg_source *s, size_t from, size_t to, eg_str attributes);

#endif
