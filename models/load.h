/* load.h - reads the tensors of a folder into the weights of the forward pass: names, shapes,
 * number formats, packing. Called by model.c. Thread class: any; may block. */
#ifndef EG_MODELS_LOAD_H
#define EG_MODELS_LOAD_H

#include "models/block.h"
#include "models/config.h"
#include "models/encoder.h"

/* The head of a classifier, always f32: a dense layer with its activation over the first token
 * (absent in token classification), then the last layer. */
typedef struct eg_classifier {
    eg_linear dense, output; /* dense.f32 NULL: none */
    eg_activation activation;
} eg_classifier;

/* Everything of a model that comes from its tensors. The weights are in one block of memory. */
typedef struct eg_weights {
    eg_encoder encoder;
    eg_classifier classifier;
    eg_format format;
    eg_block block;
    eg_arena arena; /* the array of layers */
} eg_weights;

/* Reads the tensors of dir and closes the files. cache: a folder that keeps the packed block for
 * the next time, or NULL. Matrices may be F32, F16, BF16, or I8 with NAME.scales (F32, one for each
 * block of 128 inputs). Errors name the tensor: EG_EFORMAT if it is missing, has another shape, or
 * contains NaN or infinity. EG_EUNSUPPORTED for EG_FORMAT_S8 or EG_FORMAT_BF16 with an engine that
 * uses OpenBLAS. On an error nothing stays allocated. */
eg_status eg_weights_load(const char *dir, const eg_config *config, const eg_engine *engine, eg_format format, const char *cache,
                          eg_weights *out, eg_error *err);
void eg_weights_release(eg_weights *w);

#endif
