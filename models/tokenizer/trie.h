/* trie.h - a trie as a double array: finds all keys that are prefixes of a text, with one step for
 * each byte. For the pieces of Unigram and for added tokens; the maps of SentencePiece have their
 * own format (charsmap.c). Source: Aoe, An efficient digital search algorithm by using a
 * double-array structure, 1989. Thread class: any once it is built. */
#ifndef EG_TOKENIZER_TRIE_H
#define EG_TOKENIZER_TRIE_H

#include "core/base/arena.h"

/* The child of node i by byte c is i' = base + c, if its parent is i. */
typedef struct eg_trie_unit {
    uint32_t base, parent;
    uint32_t value; /* index of the key that ends here + 1; 0: none */
} eg_trie_unit;

typedef struct eg_trie {
    const eg_trie_unit *units; /* node 0 is the root; base + 255 always lies inside */
} eg_trie;

/* Keys are not empty; of equal keys the last counts. Linear in their bytes. EG_ENOMEM,
 * EG_ELIMIT. */
eg_status eg_trie_build(const eg_str *keys, size_t n, eg_arena *arena, eg_trie *out, eg_error *err);

/* The child of node by byte c; 0: none. */
static inline uint32_t eg_trie_step(const eg_trie *t, uint32_t node, unsigned char c) {
    uint32_t child = t->units[node].base + c;
    return t->units[child].parent == node ? child : 0;
}

#endif
