/* wordpiece.h - the BERT kind of tokenizer: normaliser, word splitting, WordPiece. Used by tokenizer.c. Thread class: any once
 * it is open. */
#ifndef EG_MODELS_WORDPIECE_H
#define EG_MODELS_WORDPIECE_H

#include "models/tokenizer.h"

typedef struct eg_wordpiece eg_wordpiece; /* lives in the arena it was opened in */

eg_status eg_wordpiece_from_json(eg_str json, eg_arena *arena, const eg_wordpiece **out, eg_error *err);
eg_status eg_wordpiece_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_wordpiece **out, eg_error *err);

uint32_t eg_wordpiece_size(const eg_wordpiece *w);
/* The ids of [CLS] and [SEP]. */
void eg_wordpiece_around(const eg_wordpiece *w, uint32_t *classify, uint32_t *separate);

/* Appends the ids of text without special tokens around it. EG_ENOMEM. */
eg_status eg_wordpiece_encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err);

#endif
