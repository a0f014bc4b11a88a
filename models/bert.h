/* bert.h - the BERT encoder: weights as the forward pass wants them, and the pass itself over a ragged batch. Knows no
 * text, no files. Architecture after Devlin et al. 2018 (arXiv 1810.04805) as published checkpoints use it: post-layer
 * norm, learned absolute positions, exact GELU. */
#ifndef EG_MODELS_BERT_H
#define EG_MODELS_BERT_H

#include "models/engine.h"

/* A matrix (N x K) as the engine's GEMM wants it: packed panels, or plain rows for OpenBLAS. bias: N. */
typedef struct eg_linear {
    const float *weights, *bias;
    size_t N, K;
} eg_linear;

typedef struct eg_norm {
    const float *gamma, *beta;
} eg_norm;

typedef struct eg_bert_layer {
    eg_linear qkv; /* 3 hidden x hidden: query, key, value */
    eg_linear out, up, down;
    eg_norm attention_norm, output_norm;
} eg_bert_layer;

/* Rows of f32, or of s8 with one scale a block of 128. */
typedef struct eg_table {
    const float *f32;
    const int8_t *s8;
    const float *scales;
} eg_table;

typedef struct eg_bert {
    size_t hidden, heads, intermediate, layers;
    float eps;
    eg_table words;
    const float *positions, *types;
    eg_norm embedding_norm;
    eg_bert_layer *layer;
} eg_bert;

/* Sequences one after the other: tokens of sequence i are [offsets[i], offsets[i + 1]). */
typedef struct eg_ragged {
    const uint32_t *ids;
    const uint8_t *types;
    const size_t *offsets;
    size_t sequences;
} eg_ragged;

/* Floats of scratch that a batch of `tokens` tokens, its longest sequence `longest` long, needs; 0 on overflow. */
size_t eg_bert_scratch(const eg_bert *b, size_t tokens, size_t longest, uint32_t lanes);

/* out[N] = epilogue(W x + bias) over M rows, shared among the pool's threads when pool is not NULL. */
void eg_linear_run(const eg_engine *e, eg_pool *pool, const eg_linear *w, size_t M, const float *x, size_t ldx, float *out,
                   size_t ld_out, eg_activation activation, const float *residual, size_t ld_residual);

/* The hidden states of the last layer, tokens x hidden, inside scratch (*states). pool NULL: on this thread alone.
 * EG_ECANCELLED when cancel says so between layers. */
eg_status eg_bert_forward(const eg_engine *e, eg_pool *pool, const eg_bert *b, const eg_ragged *batch, float *scratch,
                          const float **states, const eg_cancel *cancel);

#endif
