/* encoder.h - the transformer encoder: its weights in the form that the forward pass reads, and the
 * forward pass over a ragged batch. Not here: texts, files. Called by model.c. BERT as in Devlin et
 * al. 2018 (arXiv 1810.04805) and published checkpoints: post-layer norm, learned absolute
 * positions, exact GELU. RoBERTa (arXiv 1907.11692) differs in the row of the first position, and
 * has none for padding. DeBERTa (arXiv 2006.03654, arXiv 2111.09543) has relative positions in the
 * attention; their projections by each layer are constants, which are computed when the model is
 * loaded. */
#ifndef EG_MODELS_ENCODER_H
#define EG_MODELS_ENCODER_H

#include "models/engine.h"

/* A matrix (N x K) in one of three forms: packed panels of f32, packed panels of s8 or bf16, or
 * plain rows of f32 for OpenBLAS. bias: N floats. */
typedef struct eg_linear {
    const float *f32;                      /* NULL: s8 or bf16 */
    const eg_quantized_kernels *quantized; /* of the engine's kernels: s8 or bf16 */
    const void *packed;
    const float *bias;
    size_t N, K;
} eg_linear;

typedef struct eg_norm {
    const float *gamma, *beta;
} eg_norm;

typedef struct eg_layer {
    eg_linear qkv; /* 3 hidden x hidden: query, key, value */
    eg_linear out, up, down;
    eg_norm attention_norm, output_norm;
    /* DeBERTa: a table for each head (eg_relative); else NULL */
    const float *relative_key, *relative_query;
} eg_layer;

/* Rows of f32, of bf16, or of s8 with one scale for each block of 128. */
typedef struct eg_table {
    const float *f32;
    const uint16_t *bf16;
    const int8_t *s8;
    const float *scales;
} eg_table;

typedef struct eg_encoder {
    size_t hidden, heads, intermediate, layers;
    float eps;
    const eg_quantized_kernels *quantized; /* the format of the layers' matrices; NULL: f32 */
    eg_table words;
    const float *positions, *types; /* NULL in DeBERTa */
    size_t first_position;          /* the row of the first token */
    uint32_t padding;               /* RoBERTa: the id of padding, which uses the row before and is
                                     * not counted; else UINT32_MAX */
    size_t span, direct;            /* DeBERTa: see eg_relative */
    const uint16_t *column;
    eg_norm embedding_norm;
    eg_layer *layer;
} eg_encoder;

/* Sequences one after the other, without padding: the tokens of sequence i are [offsets[i],
 * offsets[i + 1]) of ids and types. Rows of states are counted from offsets[0]. */
typedef struct eg_ragged {
    const uint32_t *ids;
    const uint8_t *types;
    const size_t *offsets;
    size_t sequences;
} eg_ragged;

/* Rows of activations: f32 (ld apart), or the kernels' quantised rows, or both. */
typedef struct eg_rows {
    float *x;
    size_t ld;
    void *q;
} eg_rows;

/* Floats between the rows of a table of relative positions. */
static inline size_t eg_relative_width(size_t span) { return 2 * span + 16; }

/* Floats of scratch for a batch of `tokens` tokens whose longest sequence has `longest`; 0 on
 * overflow. */
size_t eg_encoder_scratch(const eg_encoder *m, size_t tokens, size_t longest, uint32_t lanes);

/* out = epilogue(W in + bias) over M rows, shared among the pool's threads when pool is not NULL.
 * An f32 matrix reads in.x, a quantised one in.q; the result goes to out.x if that is not NULL,
 * else quantised to out.q (s8 and bf16 only). residual: rows of N or NULL. */
void eg_linear_run(const eg_engine *e, eg_pool *pool, const eg_linear *w, size_t M, eg_rows in, eg_rows out,
                   eg_activation activation, const float *residual);

/* 1 if the flag is set or the deadline has passed; c may be NULL. */
int eg_cancelled(const eg_cancel *c);

/* Computes the hidden states of the last layer; *states points to them in scratch: tokens x hidden,
 * or with only_first sequences x hidden, those of each first token (the same bits, with less work
 * in the last layer). scratch: eg_encoder_scratch(...) floats, 64-byte aligned. pool NULL: on this
 * thread alone. EG_ECANCELLED if cancel says so between two layers. */
eg_status eg_encoder_forward(const eg_engine *e, eg_pool *pool, const eg_encoder *m, const eg_ragged *batch, int only_first,
                             float *scratch, const float **states, const eg_cancel *cancel);

#endif
