/* config.h - what a model folder's JSON files say about the model: config.json, model_max_length of
 * tokenizer_config.json, and for sentence embeddings modules.json, the pooling module's
 * config.json, sentence_bert_config.json, config_sentence_transformers.json. Not here: tokenizers,
 * weights. Called by model.c. Thread class: any. */
#ifndef EG_MODELS_CONFIG_H
#define EG_MODELS_CONFIG_H

#include "core/base/arena.h"
#include "core/include/engram/infer.h"

/* EG_POOL_MEAN_SQRT: the sum over the root of the number of tokens. */
typedef enum eg_pooling { EG_POOL_MEAN = 0, EG_POOL_CLS, EG_POOL_MAX, EG_POOL_MEAN_SQRT } eg_pooling;

typedef enum eg_architecture { EG_BERT, EG_ROBERTA, EG_DEBERTA } eg_architecture;

typedef struct eg_config {
    eg_architecture architecture;
    const char *architecture_name; /* "bert", "roberta", "deberta-v2" */
    eg_head head;
    uint32_t vocabulary, hidden, layers, heads, intermediate, positions, types;
    float layer_norm_eps;
    uint32_t labels;
    const char **label_names;
    eg_pooling pooling;
    const char **prompt_names; /* texts to put before each input, by name */
    const char **prompt_texts;
    uint32_t prompts;
    const char *default_prompt; /* its text; NULL: none */
    int lowercases;             /* do_lower_case of sentence_bert_config.json: texts must be
                                 * lower-cased */
    int normalizes;             /* 1: embeddings have length 1; 0: modules.json has no Normalize
                                 * module */
    uint32_t max_tokens;
    /* row of the position table for the first token (RoBERTa: after the row for padding) */
    uint32_t first_position;
    /* DeBERTa: relative positions have a row each up to buckets / 2, and logarithmic buckets from
     * there to max_distance; the table has 2 * span rows. */
    uint32_t span, buckets, max_distance;
} eg_config;

/* Reads the files of dir. If the model is not supported, the error names the field. *out refers to
 * memory of the arena. EG_ENOENT, EG_EFORMAT, EG_EUNSUPPORTED, EG_ELIMIT, EG_ENOMEM, EG_EIO. */
eg_status eg_config_read(const char *dir, eg_arena *arena, eg_config *out, eg_error *err);
/* config.json alone, from bytes. */
eg_status eg_config_parse(eg_str json, eg_arena *arena, eg_config *out, eg_error *err);

#endif
