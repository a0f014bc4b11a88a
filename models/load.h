/* load.h - from the tensors of a folder to the weights of the forward pass: names, shapes, number formats, packing.
 * Used by model.c. */
#ifndef EG_MODELS_LOAD_H
#define EG_MODELS_LOAD_H

#include "models/block.h"
#include "models/config.h"
#include "models/encoder.h"

/* The head of a classifier, always f32: a dense layer with its activation over the first token (absent in token
 * classification), then the last layer. */
typedef struct eg_classifier {
    eg_linear dense, output; /* dense.f32 NULL: none */
    eg_activation activation;
} eg_classifier;

/* Everything of a model that is read from its tensors. The weights lie in one block of memory. */
typedef struct eg_weights {
    eg_encoder encoder;
    eg_classifier classifier;
    eg_format format;
    eg_block block;
    eg_arena arena; /* the array of layers */
} eg_weights;

/* Reads dir's tensors and lets the files go; with a cache folder (NULL: none), the packed block is kept there for the next time.
 * Matrices may be F32, F16, BF16, or I8 with NAME.scales (F32, one a block of 128 inputs). Refused with the tensor's name:
 * missing, of another shape, with NaN or infinity. EG_FORMAT_S8 or EG_FORMAT_BF16 with an engine whose GEMM is OpenBLAS:
 * EG_EUNSUPPORTED. On an error nothing is kept. */
eg_status eg_weights_load(const char *dir, const eg_config *config, const eg_engine *engine, eg_format format, const char *cache,
                          eg_weights *out, eg_error *err);
void eg_weights_release(eg_weights *w);

#endif
