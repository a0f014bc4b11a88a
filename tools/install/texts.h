/* texts.h - the blocks that `engram install` writes into files of a project: what agents should do
 * with the memory, and what git runs before a commit. */
#ifndef EG_TOOLS_INSTALL_TEXTS_H
#define EG_TOOLS_INSTALL_TEXTS_H

#include "core/base/arena.h"
#include "tools/install/block.h"

extern const marked_block instructions_block;
/* 'word' for a shell, in the arena; NULL without memory. */
const char *shell_quoted(const char *word, eg_arena *a);
/* The block of the hook, which runs this program; in the arena. 0 without memory. */
int hook_block(const char *program, eg_arena *a, marked_block *out);

#endif
