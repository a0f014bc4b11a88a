/* tokenizer.h - text to token ids, one interface over the kinds of tokenizers. Exact to the
 * reference (Hugging Face tokenizers 0.20.3). Not here: the models' limits (model.c). Used by
 * model.c. Thread class: any once it is open. */
#ifndef EG_TOKENIZER_H
#define EG_TOKENIZER_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"

typedef struct eg_tokenizer eg_tokenizer; /* lives in the arena it was opened in */

/* Chooses by the files of dir: tokenizer.json (WordPiece, byte-level BPE, Unigram), else spm.model
 * (DeBERTa-v2 and v3), else vocab.json with merges.txt (RoBERTa), else vocab.txt (BERT); these
 * three with tokenizer_config.json where there is one. What a file asks for and we do not have is
 * refused with the field that says so. EG_ENOENT, EG_EFORMAT, EG_EUNSUPPORTED, EG_ELIMIT. */
eg_status eg_tokenizer_open(const char *dir, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
/* The same from bytes, which must outlive the tokenizer. What the parsers of outside bytes are
 * tested with. */
eg_status eg_tokenizer_from_json(eg_str json, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
eg_status eg_tokenizer_from_vocab(eg_str vocab, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err);
eg_status eg_tokenizer_from_bpe(eg_str vocab, eg_str merges, int prefix_space, eg_arena *arena, const eg_tokenizer **out,
                                eg_error *err);
eg_status eg_tokenizer_from_spm(eg_str model, int lowercase, eg_arena *arena, const eg_tokenizer **out, eg_error *err);

/* One more than the greatest id. */
uint32_t eg_tokenizer_size(const eg_tokenizer *t);
/* One more than the greatest token type of a text, or of a pair: what type_vocab_size must be at
 * least. */
uint32_t eg_tokenizer_types(const eg_tokenizer *t, int is_pair);

/* 1 when upper case and lower case are one to it. */
int eg_tokenizer_lowercases(const eg_tokenizer *t);

/* Where a token comes from. */
typedef struct eg_source {
    eg_range span;          /* of the text, as the reference gives it; {0, 0} for special tokens around texts */
    uint32_t length;        /* WordPiece: code points of the token as the vocabulary writes it */
    uint32_t before, after; /* byte-level BPE: spaces that it begins and ends with */
    int is_special;         /* stands around a text */
} eg_source;

/* Tokens of one text, growing. init with {0}. */
typedef struct eg_tokens {
    uint32_t *ids;
    size_t count, capacity;
    eg_source *sources; /* of each id, where has_sources was set before any was added: it costs time */
    size_t source_capacity;
    int has_sources;
    size_t most; /* 0: all; else the text may be left once there are so many: what comes behind them is cut off anyway */
} eg_tokens;
static inline int eg_tokens_enough(const eg_tokens *t) { return t->most && t->count >= t->most; }
void eg_tokens_release(eg_tokens *t);
/* Room for `more` ids behind those that are there. EG_ENOMEM. */
eg_status eg_tokens_reserve(eg_tokens *t, size_t more, eg_error *err);

/* Whether the token continues a word that an earlier one begins, as the reference's users guess it
 * (transformers 4.46, token classification): with WordPiece, when it is not as long as its text;
 * else, when no U+0020 stands at its begin or before it. Never the first nor an unknown one. */
int eg_tokenizer_continues(const eg_tokenizer *t, eg_str text, uint32_t id, const eg_source *source);

/* Appends the ids of text (valid UTF-8) without special tokens around it. EG_ENOMEM, EG_ELIMIT. */
eg_status eg_tokenizer_encode(const eg_tokenizer *t, eg_str text, eg_tokens *out, eg_error *err);

/* One text or two with the special tokens of the tokenizer around them ([CLS] first [SEP] second
 * [SEP] and its like), truncated from the longer side to `most` tokens in all (at least one more
 * than the special ones). Appends to ids and, when types is not NULL, writes token types beside
 * (types holds at least the tokens appended: most). first and second: token ids as of
 * eg_tokenizer_encode, with sources where ids has them; second NULL: single. EG_EINVAL, EG_ENOMEM.
 */
eg_status eg_tokenizer_join(const eg_tokenizer *t, const eg_tokens *first, const eg_tokens *second, size_t most, eg_tokens *ids,
                            uint8_t *types, eg_error *err);

#endif
