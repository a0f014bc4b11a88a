/* rst_inline.h - inline markup of reStructuredText. Private to this folder. */
#ifndef EG_DOCS_RST_INLINE_H
#define EG_DOCS_RST_INLINE_H

#include "core/base/json.h"

/* Adds a text of one line without its inline markup: ``code``, references, roles, substitutions. */
void eg_rst_inline(eg_buffer *b, eg_str s);

#endif
