/* safetensors.h - reading a .safetensors file: a strict check of its header, then tensors as views of the bytes.
 * Format: an 8-byte little-endian length, a JSON header, the data (huggingface/safetensors, README). Knows no model.
 * Thread class: any once it is open. */
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

/* Checks and indexes the file that lies in bytes (which outlive the result). Refused with the tensor's name: a header
 * over 100 MB or past the end, duplicate names, offsets that overlap, leave a hole or run out, shapes whose product does
 * not fit the range, an unknown dtype. EG_EFORMAT, EG_ELIMIT, EG_ENOMEM. */
eg_status eg_safetensors_parse(const char *name, eg_str bytes, eg_arena *arena, eg_safetensors *out, eg_error *err);

/* NULL when there is none. */
const eg_tensor *eg_safetensors_find(const eg_safetensors *s, const char *name);

#endif
