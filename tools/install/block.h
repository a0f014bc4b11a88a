/* block.h - a block of lines between two marks in a file that somebody else writes: added, replaced
 * in place, taken away. Everything outside of the marks stays as it is, to the byte. Two kinds: one
 * for the end of a text, such as AGENTS.md, and one for the beginning of a script. */
#ifndef EG_TOOLS_INSTALL_BLOCK_H
#define EG_TOOLS_INSTALL_BLOCK_H

#include "tools/install/config_edit.h"

typedef struct marked_block {
    const char *begin; /* what its first line begins with; the line may go on */
    const char *end;   /* its last line */
    const char *text;  /* the lines between, each with "\n" */
    /* Of a script: the first line of a new file, such as "#!/bin/sh\n"; the block stands behind
     * such a line of a file that is there. NULL: a text, at whose end it stands. */
    const char *first;
} marked_block;

/* CONFIG_SAME: the block is there with this text. Refused where marks are missing or doubled. */
config_state block_find(eg_str text, const marked_block *b, config_fault *fault);
/* As put() and take() of config_format. */
void block_put(eg_str text, const marked_block *b, eg_buffer *out);
int block_take(eg_str text, const marked_block *b, eg_buffer *out);

#endif
