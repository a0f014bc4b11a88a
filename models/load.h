/* load.h - from the tensors of a folder to the weights of the forward pass: names, shapes, number formats, packing.
 * Used by model.c. */
#ifndef EG_MODELS_LOAD_H
#define EG_MODELS_LOAD_H

#include "models/bert.h"
#include "models/config.h"

/* The head of a classifier: pooler (tanh) and the last layer. */
typedef struct eg_classifier {
    eg_linear pooler, output;
} eg_classifier;

/* Reads dir/model.safetensors into the arena and lets the file go. classifier is filled when the config says so. Matrices
 * may be F32, F16, BF16, or I8 with NAME.scales (F32, one a block of 128 inputs). Refused with the tensor's name: missing,
 * of another shape, with NaN or infinity. */
eg_status eg_load_bert(const char *dir, const eg_config *config, const eg_engine *engine, eg_arena *arena, eg_bert *bert,
                       eg_classifier *classifier, eg_error *err);

#endif
