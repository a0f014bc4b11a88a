/* added.c - see added.h. */
#include "models/tokenizer/added.h"

#include "core/base/status.h"
#include "models/tokenizer/normalizer.h"

eg_status eg_added_build(eg_added_set *set, const eg_added_token *tokens, size_t n, eg_arena *arena, eg_error *err) {
    *set = (eg_added_set){.tokens = tokens, .count = n};
    eg_str *keys = eg_arena_array(arena, n, sizeof *keys);
    if (!keys) return eg_fail_memory(err, n * sizeof *keys);
    for (size_t i = 0; i < n; i++) {
        keys[n - 1 - i] = tokens[i].text; /* the trie keeps the last of equal keys */
        set->begins[(unsigned char)tokens[i].text.ptr[0]] = 1;
    }
    return eg_trie_build(keys, n, arena, &set->trie, err);
}

const eg_added_token *eg_added_find(const eg_added_set *set, eg_str text, size_t from, size_t *begin, size_t *end) {
    for (size_t at = from; set->count && at < text.len; at++) {
        if (!set->begins[(unsigned char)text.ptr[at]]) continue;
        const eg_added_token *found = NULL;
        uint32_t node = 0;
        for (size_t i = at; i < text.len && (node = eg_trie_step(&set->trie, node, (unsigned char)text.ptr[i])); i++) {
            uint32_t value = set->trie.units[node].value;
            if (!value) continue;
            found = &set->tokens[set->count - value];
            *end = i + 1;
        }
        if (!found) continue;
        *begin = found->lstrip ? from + eg_strip((eg_str){text.ptr + from, at - from}, 0, 1).len : at;
        if (found->rstrip) *end = text.len - eg_strip((eg_str){text.ptr + *end, text.len - *end}, 1, 0).len;
        return found;
    }
    return NULL;
}
