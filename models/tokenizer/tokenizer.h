/* tokenizer.h - text to token ids, one interface for all kinds of tokenizers. The ids equal those
 * of the reference (Hugging Face tokenizers 0.20.3). Not here: the models' limits (model.c). Called
 * by model.c and entities.c. Thread class: any once it is open. */
#ifndef EG_TOKENIZER_H
#define EG_TOKENIZER_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"
#include "models/tokenizer/tokens.h"

typedef struct eg_tokenizer eg_tokenizer; /* lives in the arena it was opened in */

/* Opens the tokenizer of the folder dir: tokenizer.json (WordPiece, byte-level BPE, Unigram), else
 * spm.model (DeBERTa-v2 and v3), else vocab.json with merges.txt (RoBERTa), else vocab.txt (BERT);
 * the last three with tokenizer_config.json if it exists. A feature that is not supported is
 * refused with the name of its field. EG_ENOENT, EG_EFORMAT, EG_EUNSUPPORTED, EG_ELIMIT. */
eg_status eg_tokenizer_open(const char *dir, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
/* The same from bytes, which must outlive the tokenizer. Used by tests and fuzzing. */
eg_status eg_tokenizer_from_json(eg_str json, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
eg_status eg_tokenizer_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
eg_status eg_tokenizer_from_bpe(eg_str vocab, eg_str merges, int prefix_space, eg_arena *arena, const eg_tokenizer **out,
                                eg_error *err);
eg_status eg_tokenizer_from_spm(eg_str model, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err);

/* One more than the largest id. */
uint32_t eg_tokenizer_size(const eg_tokenizer *t);
/* One more than the largest token type of a text, or of a pair: the smallest possible
 * type_vocab_size. */
uint32_t eg_tokenizer_types(const eg_tokenizer *t, int is_pair);

/* 1 if it does not distinguish upper and lower case. */
int eg_tokenizer_lowercases(const eg_tokenizer *t);

/* Whether the token continues a word of an earlier one, by the rule of transformers 4.46 (token
 * classification): with WordPiece, if it is not as long as its text; else, if there is no U+0020 at
 * its beginning or before it. Never true for the first token or an unknown one. */
int eg_tokenizer_continues(const eg_tokenizer *t, eg_str text, uint32_t id, const eg_source *source);

/* Appends the ids of text (valid UTF-8) without special tokens around it. EG_ENOMEM, EG_ELIMIT. */
eg_status eg_tokenizer_encode(const eg_tokenizer *t, eg_str text, eg_tokens *out, eg_error *err);

/* Puts the special tokens around one text or two ([CLS] first [SEP] second [SEP] or similar),
 * truncating the longer side so that there are at most `most` tokens in all, which must be at least
 * one more than the special ones. Appends to ids and, if types is not NULL, writes their token
 * types to it (room for `most`). first and second: token ids from eg_tokenizer_encode, with sources
 * if ids has them; second NULL: a single text. EG_EINVAL, EG_ENOMEM. */
eg_status eg_tokenizer_join(const eg_tokenizer *t, const eg_tokens *first, const eg_tokens *second, size_t most, eg_tokens *ids,
                            uint8_t *types, eg_error *err);

#endif
