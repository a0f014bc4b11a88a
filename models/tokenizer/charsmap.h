/* charsmap.h - the precompiled character map of SentencePiece, which replaces bytes by others. It
 * comes from outside (spm.model, tokenizer.json), so every step is checked. Called by normalizer.c.
 * Thread class: any once it is open. */
#ifndef EG_TOKENIZER_CHARSMAP_H
#define EG_TOKENIZER_CHARSMAP_H

#include "core/base/json.h"
#include "models/tokenizer/trace.h"

typedef struct eg_charsmap eg_charsmap; /* lives in the arena it was opened in */

/* blob: u32 bytes of the array, units of a Darts-clone double array (both little-endian), then
 * texts that end with NUL; it must outlive the map and may be unaligned. name is used in messages.
 * EG_EFORMAT, EG_ENOMEM. */
eg_status eg_charsmap_open(const char *name, eg_str blob, eg_arena *arena, const eg_charsmap **out, eg_error *err);

/* Appends text (valid UTF-8), mapped as in the reference: a grapheme cluster of less than 6 bytes
 * that begins with a key is replaced as a whole, by the text of the shortest such key; in other
 * clusters each code point is mapped separately. Sets out->failed if memory is exhausted. trace:
 * NULL, or receives the changes. */
void eg_charsmap_apply(const eg_charsmap *m, eg_str text, eg_buffer *out, eg_trace *trace);

#endif
