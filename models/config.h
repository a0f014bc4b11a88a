/* config.h - what a model folder's JSON files say about the model: config.json, and for sentence embeddings modules.json,
 * 1_Pooling/config.json, sentence_bert_config.json. Used by model.c. */
#ifndef EG_MODELS_CONFIG_H
#define EG_MODELS_CONFIG_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"

typedef enum eg_pooling { EG_POOL_MEAN = 0, EG_POOL_CLS } eg_pooling;

typedef struct eg_config {
    eg_str architecture; /* "bert" */
    eg_head head;
    uint32_t vocabulary, hidden, layers, heads, intermediate, positions, types;
    float layer_norm_eps;
    uint32_t labels;
    const char **label_names;
    eg_pooling pooling;
    uint32_t max_tokens;
} eg_config;

/* Reads dir's files. A model that is not supported is refused with the field that says why. */
eg_status eg_config_read(const char *dir, eg_arena *arena, eg_config *out, eg_error *err);
/* config.json alone, from bytes. */
eg_status eg_config_parse(eg_str json, eg_arena *arena, eg_config *out, eg_error *err);

#endif
