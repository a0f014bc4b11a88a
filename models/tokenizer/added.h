/* added.h - tokens that are matched in the text literally, before it is normalised or split:
 * [MASK], <s>. Called by tokenizer.c. Thread class: any once the set is built. */
#ifndef EG_TOKENIZER_ADDED_H
#define EG_TOKENIZER_ADDED_H

#include "models/tokenizer/trie.h"

typedef struct eg_added_token {
    eg_str text;
    uint32_t id;
    int lstrip, rstrip; /* it includes the white space before it, after it */
    int normalized;     /* it is matched in the normalised text */
} eg_added_token;

typedef struct eg_added_set {
    const eg_added_token *tokens;
    size_t count;
    eg_trie trie;
    uint8_t begins[256]; /* 1: a token begins with this byte */
} eg_added_set;

/* Of tokens with the same text the first counts. tokens must outlive the set; none is empty.
 * EG_ENOMEM, EG_ELIMIT. */
eg_status eg_added_build(eg_added_set *set, const eg_added_token *tokens, size_t n, eg_arena *arena, eg_error *err);

/* The first token in text that begins at `from` or after it; of several that begin at the same
 * byte, the longest. [*begin, *end) is the token with the white space that it includes, from `from`
 * on. NULL: there is none. */
const eg_added_token *eg_added_find(const eg_added_set *set, eg_str text, size_t from, size_t *begin, size_t *end);

#endif
