/* tensors.h - the tensors of a model folder: model.safetensors, or the files that
 * model.safetensors.index.json names. Used by load.c. Thread class: any once it is open. */
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
        int64_t touched; /* of the last change of any kind (ctime), which programs cannot set */
    } stamp;
} eg_tensor_file;

typedef struct eg_tensors {
    eg_arena arena;
    eg_tensor_file *files;
    size_t count;
} eg_tensors;

/* Maps and checks the files of dir. Refuses a tensor that is in two files, and an index whose names
 * are not plain file names. EG_ENOENT, EG_EFORMAT, EG_ELIMIT, EG_ENOMEM, EG_EIO. On an error
 * nothing stays open. */
eg_status eg_tensors_open(const char *dir, eg_tensors *out, eg_error *err);
void eg_tensors_close(eg_tensors *t);
/* NULL if there is none. file: the name of its file, for messages; may be NULL. */
const eg_tensor *eg_tensors_find(const eg_tensors *t, const char *name, const char **file);

#endif
