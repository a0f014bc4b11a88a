/* tiny_model.h - a BERT classifier with 2 layers and 16 hidden units that a test makes, changes and
 * writes as a model folder, to test hostile folders and failing allocations. Its weights mean
 * nothing; test_model.c compares results with PyTorch. */
#ifndef TEST_TINY_MODEL_H
#define TEST_TINY_MODEL_H

#include "core/include/engram/infer.h"

enum { TINY_LABELS = 3, TINY_HIDDEN = 16, TINY_MAX_TOKENS = 24 };

typedef struct tiny_tensor {
    char name[96]; /* written as it is into the JSON: may hold escapes */
    const char *dtype;
    size_t dims, shape[3], bytes;
    unsigned char data[4096];
} tiny_tensor;

typedef struct tiny_model {
    const char *config, *vocabulary; /* NULL: no such file */
    tiny_tensor tensors[64];
    size_t count;
} tiny_model;

extern const char tiny_config[], tiny_vocabulary[];

/* The whole model; the caller frees it. */
tiny_model *tiny_create(void);
tiny_tensor *tiny_find(tiny_model *m, const char *name);
void tiny_remove(tiny_model *m, const char *name);
/* A tensor at the end, its data all zero. */
tiny_tensor *tiny_add(tiny_model *m, const char *name, const char *dtype, size_t rows, size_t columns, size_t element);
/* Makes an F32 matrix an I8 one with scales. */
void tiny_quantize(tiny_model *m, const char *name);
/* Writes the files that the model has into dir, over older ones. */
void tiny_write(const tiny_model *m, const char *dir);
/* Only these of its tensors, as the safetensors file `name`. */
void tiny_write_tensors(const tiny_model *m, size_t first, size_t count, const char *dir, const char *name);
void tiny_write_file(const char *dir, const char *name, const void *bytes, size_t size);
/* Opens what was written; as eg_model_open. */
eg_status tiny_open(eg_engine *e, const char *dir, eg_model **out, eg_error *err);

/* A new folder below the system's folder for temporary files, and its removal with all that is in
 * it. */
void tiny_folder(char out[64]);
void tiny_folder_remove(const char *dir);

/* How many files this process has open, for tests that nothing stays open. */
size_t tiny_open_files(void);

#endif
