/* plain.h - the words of Markdown without what only shapes them, and joining pieces of text in an
 * arena. Thread class: any. */
#ifndef EG_CORE_TEXT_PLAIN_H
#define EG_CORE_TEXT_PLAIN_H

#include "core/base/arena.h"

/* *out: s on one line: emphasis marks, targets of links and quote signs are left out, white space
 * is one blank; code keeps its back-quotes. A view of s where nothing changes. 0: out of memory. */
int eg_text_plain(eg_arena *arena, eg_str s, eg_str *out);

/* *out: the n parts, one behind the other. 0: out of memory. */
int eg_text_join(eg_arena *arena, const eg_str *parts, size_t n, eg_str *out);

/* s without white space at its ends, and the longest beginning of s of at most `most` bytes that
 * ends with a word. */
eg_str eg_text_trim(eg_str s);
eg_str eg_text_begin(eg_str s, size_t most);

#endif
