/* tensors.h - the tensors of a model folder: model.safetensors, or the files that model.safetensors.index.json names.
 * Used by load.c. Thread class: any once it is open. */
#ifndef EG_MODELS_TENSORS_H
#define EG_MODELS_TENSORS_H

#include "core/base/file.h"
#include "models/safetensors.h"

typedef struct eg_tensor_file {
    eg_map map;
    eg_safetensors index;
    struct eg_file_stamp {
        uint64_t device, inode, size;
        int64_t changed; /* nanoseconds of the last modification */
        int64_t touched; /* and of the last change of any kind, which no program can put back */
    } stamp;
} eg_tensor_file;

typedef struct eg_tensors {
    eg_arena arena;
    eg_tensor_file *files;
    size_t count;
} eg_tensors;

/* Maps and checks the files of dir. A tensor that two files hold, or a name in the index that is no plain file name, is
 * refused. EG_ENOENT, EG_EFORMAT, EG_ELIMIT, EG_ENOMEM, EG_EIO. On an error nothing stays open. */
eg_status eg_tensors_open(const char *dir, eg_tensors *out, eg_error *err);
void eg_tensors_close(eg_tensors *t);
/* NULL when there is none. file: where it lies, for messages; may be NULL. */
const eg_tensor *eg_tensors_find(const eg_tensors *t, const char *name, const char **file);

#endif
