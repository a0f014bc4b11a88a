/* safetensors.h - reads a .safetensors file: checks its header strictly, then gives tensors as
 * views of the bytes. Format: an 8-byte little-endian length, a JSON header, the data
 * (huggingface/safetensors, README). Not here: what the tensors mean. Called by tensors.c. Thread
 * class: any once it is open. */
#ifndef EG_MODELS_SAFETENSORS_H
#define EG_MODELS_SAFETENSORS_H

#include "core/base/arena.h"

typedef enum eg_dtype { EG_F32, EG_F16, EG_BF16, EG_I8, EG_OTHER_DTYPE } eg_dtype;

enum { EG_TENSOR_DIMS = 8 };
typedef struct eg_tensor {
    const char *file; /* as given to eg_safetensors_parse, for messages */
    eg_str name;
    eg_dtype dtype;
    uint32_t dims;
    size_t shape[EG_TENSOR_DIMS];
    size_t elements;
    const unsigned char *data; /* little endian, unaligned */
    size_t bytes;
} eg_tensor;

typedef struct eg_safetensors {
    const char *name;   /* of the file, for messages */
    eg_tensor *tensors; /* by name */
    size_t count;
} eg_safetensors;

/* Checks and indexes a file in memory; bytes must outlive the result. Errors name the tensor:
 * EG_EFORMAT for a header past the end, duplicate names, ranges that overlap, leave a gap or exceed
 * the file, a shape that does not fit its range, an unknown dtype; EG_ELIMIT for a header over 100
 * MB or too many tensors; EG_ENOMEM. */
eg_status eg_safetensors_parse(const char *name, eg_str bytes, eg_arena *arena, eg_safetensors *out, eg_error *err);

/* NULL when there is none. */
const eg_tensor *eg_safetensors_find(const eg_safetensors *s, const char *name);

#endif
