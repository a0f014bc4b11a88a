/* vocabulary.h - a hash table from the text of a token to its id. Called by wordpiece.c and bpe.c.
 * Thread class: any once it is filled. */
#ifndef EG_TOKENIZER_VOCABULARY_H
#define EG_TOKENIZER_VOCABULARY_H

#include "core/base/arena.h"
#include "core/base/hash.h"

enum {
    EG_MAX_VOCABULARY = 1 << 20, /* LaBSE has half a million; a file of empty lines must not become
                                  * a table of gigabytes */
    EG_MAX_PIECE = 1 << 10       /* bytes of a token; bounds the work at each byte of a text */
};

/* Equal texts with different tags are different tokens ("##ing" of WordPiece is "ing" with tag 1).
 */
typedef struct eg_piece {
    eg_str text; /* ptr NULL: an empty slot */
    uint32_t id;
    uint32_t tag;
} eg_piece;

typedef struct eg_vocabulary {
    eg_piece *slots; /* open addressing, at most half full */
    size_t mask, count;
    eg_hash_key key; /* random, so that no file can be made whose tokens collide */
    size_t longest;  /* bytes of the longest text */
    uint32_t size;   /* greatest id + 1 */
} eg_vocabulary;

/* For at most `entries` tokens of `file`, which messages name. EG_ENOMEM, EG_ELIMIT. */
eg_status eg_vocabulary_init(eg_vocabulary *v, const char *file, size_t entries, eg_arena *arena, eg_error *err);
/* text must outlive v. A later token with the same text and tag wins, as in the reference. */
void eg_vocabulary_add(eg_vocabulary *v, eg_str text, uint32_t tag, uint32_t id);
/* NULL: there is none. */
const eg_piece *eg_vocabulary_find(const eg_vocabulary *v, const char *p, size_t n, uint32_t tag);

#endif
