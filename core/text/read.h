/* read.h - statements out of the blocks of a text: eg_text_read_statements for a fact (text.h), and
 * the same for a document of any length. Thread class: any. */
#ifndef EG_CORE_TEXT_READ_H
#define EG_CORE_TEXT_READ_H

#include "core/text/blocks.h"

/* Statements of all blocks, in the order of the text. EG_ENOMEM, or what the sink returned. */
eg_status eg_text_read_blocks(eg_arena *arena, eg_str text, const eg_blocks *blocks, eg_statement_sink take, void *sink,
                              eg_error *err);

#endif
