/* added.h - tokens that are found in the text as they stand, before anything else happens to it: [MASK], <s>. Used by
 * tokenizer.c. Thread class: any once the set is built. */
#ifndef EG_TOKENIZER_ADDED_H
#define EG_TOKENIZER_ADDED_H

#include "models/tokenizer/trie.h"

typedef struct eg_added_token {
    eg_str text;
    uint32_t id;
    int lstrip, rstrip; /* takes the white space before it, behind it */
    int normalized;     /* is looked for in the normalised text */
} eg_added_token;

typedef struct eg_added_set {
    const eg_added_token *tokens;
    size_t count;
    eg_trie trie;
    uint8_t begins[256]; /* 1: a token begins with this byte */
} eg_added_set;

/* Of equal texts the first counts. tokens must outlive the set; none is empty. EG_ENOMEM, EG_ELIMIT. */
eg_status eg_added_build(eg_added_set *set, const eg_added_token *tokens, size_t n, eg_arena *arena, eg_error *err);

/* The first token in text that begins at `from` or behind it; of several that begin there, the longest. [*begin, *end) is it with
 * the white space that it takes, none of it before `from`. NULL: there is none. */
const eg_added_token *eg_added_find(const eg_added_set *set, eg_str text, size_t from, size_t *begin, size_t *end);

#endif
