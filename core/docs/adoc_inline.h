/* adoc_inline.h - inline markup of AsciiDoc. Private to this folder. */
#ifndef EG_DOCS_ADOC_INLINE_H
#define EG_DOCS_ADOC_INLINE_H

#include "core/base/json.h"

/* Adds a text of one line without its inline markup: links, cross references, macros, quotes. */
void eg_adoc_inline(eg_buffer *b, eg_str s);

#endif
