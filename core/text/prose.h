/* prose.h - statements of paragraphs and list items: sentences, the values of a list behind a
 * label, and what each needs in front to stand alone. Private part of read.c. */
#ifndef EG_CORE_TEXT_PROSE_H
#define EG_CORE_TEXT_PROSE_H

#include "core/text/reader.h"

/* Statements of a paragraph or list item; what it says about those under it goes to its outline. */
eg_status eg_read_prose(eg_reader *r, const eg_block *b);

#endif
