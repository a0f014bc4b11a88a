/* unicode.h - properties of code points that tokenizers need: word class, grapheme clusters, normal
 * forms, lower case. They are those of the reference (unicode_tables.h), not of one Unicode
 * version. Not here: BERT's own tables (wordpiece.c), UTF-8 itself (core/base/utf8.h). Called by
 * bpe.c, charsmap.c, normalizer.c, added.c. Thread class: any. */
#ifndef EG_TOKENIZER_UNICODE_H
#define EG_TOKENIZER_UNICODE_H

#include "core/base/json.h"
#include "models/tokenizer/trace.h"

typedef enum eg_word_class { EG_LETTER, EG_NUMBER, EG_SPACE /* White_Space */, EG_OTHER } eg_word_class;

/* cp <= 0x10FFFF. */
eg_word_class eg_unicode_word(uint32_t cp);

/* Bytes of the grapheme cluster that begins p[0..n), n > 0, valid UTF-8. Pairs of regional
 * indicators count as two. Source: Unicode standard annex 29. */
size_t eg_unicode_cluster(const char *p, size_t n);

/* Appends the lower case of each code point of text, one by one (no final sigma). Sets out->failed
 * if memory is exhausted. trace: NULL, or receives the changes. */
void eg_unicode_lower(eg_str text, eg_buffer *out, eg_trace *trace);

/* Appends text in the normal form D, or C with compose; with compatible in KD or KC. Source:
 * Unicode standard, section 3.11. Linear. trace: NULL, or receives the changes. */
void eg_unicode_normal_form(eg_str text, int compatible, int compose, eg_buffer *out, eg_trace *trace);

#endif
