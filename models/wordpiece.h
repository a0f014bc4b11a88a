/* wordpiece.h - the BERT tokenizer: normaliser, word splitting, WordPiece, special tokens, pairs, truncation. Exact to
 * the reference (Hugging Face tokenizers 0.20.3). Used by model.c. Thread class: any once it is open. */
#ifndef EG_MODELS_WORDPIECE_H
#define EG_MODELS_WORDPIECE_H

#include "core/base/arena.h"

typedef struct eg_wordpiece eg_wordpiece; /* lives in the arena it was opened in */

/* From tokenizer.json where it is, else vocab.txt with tokenizer_config.json (do_lower_case; both optional but for the
 * vocabulary). A tokenizer of another kind is refused with the field that says so. EG_ENOENT, EG_EFORMAT, EG_EUNSUPPORTED. */
eg_status eg_wordpiece_open(const char *dir, eg_arena *arena, const eg_wordpiece **out, eg_error *err);
/* The same from bytes; config may be empty. What the parsers of outside bytes are tested with. */
eg_status eg_wordpiece_from_json(eg_str json, eg_arena *arena, const eg_wordpiece **out, eg_error *err);
eg_status eg_wordpiece_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_wordpiece **out, eg_error *err);

uint32_t eg_wordpiece_size(const eg_wordpiece *w);

/* Tokens of one text, growing. init with {0}. */
typedef struct eg_tokens {
    uint32_t *ids;
    size_t count, capacity;
} eg_tokens;
void eg_tokens_release(eg_tokens *t);

/* Appends the ids of text without special tokens around it. EG_ENOMEM. */
eg_status eg_wordpiece_encode(const eg_wordpiece *w, eg_str text, eg_tokens *out, eg_error *err);

/* [CLS] first [SEP] or [CLS] first [SEP] second [SEP], truncated from the longer side to `most` tokens in all (at
 * least 3 more than nothing). Appends to ids and, when types is not NULL, writes token types beside (types holds at
 * least the tokens appended: most). first and second: token ids as of eg_wordpiece_encode; second NULL: single. */
eg_status eg_wordpiece_join(const eg_wordpiece *w, const eg_tokens *first, const eg_tokens *second, size_t most,
                            eg_tokens *ids, uint8_t *types, eg_error *err);

#endif
