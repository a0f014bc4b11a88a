/* entities.h - from the labels of tokens to the entities of a text: BIO decoding as the token
 * classification of transformers 4.46 does it. Not here: the labels' scores (model.c). Used by
 * model.c. Thread class: any. */
#ifndef EG_MODELS_ENTITIES_H
#define EG_MODELS_ENTITIES_H

#include "models/config.h"
#include "models/tokenizer/tokenizer.h"

typedef struct eg_labelled {
    eg_str text;
    const uint32_t *ids;
    const eg_source *sources;
    const float *rows; /* probabilities: tokens x labels */
    size_t tokens;
} eg_labelled;

/* Finds the entities of a text, in its order; returns how many there are and writes the first
 * `max`. */
size_t eg_entities_find(const eg_tokenizer *tokenizer, const eg_config *config, const eg_labelled *in, eg_aggregation aggregation,
                        eg_entity *out, size_t most);

#endif
