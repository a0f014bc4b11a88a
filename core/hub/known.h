/* known.h - published models that the engine runs, by short name: where they come from, what for,
 * under which licence. An immutable table. */
#ifndef EG_HUB_KNOWN_H
#define EG_HUB_KNOWN_H

#include <stddef.h>

typedef struct eg_known_model {
    const char *name, *repo;
    const char *task;     /* as in eg_model_kind (infer.h) */
    const char *licence;  /* SPDX */
    unsigned megabytes;   /* about, of the download */
    const char *revision; /* a commit; NULL: the newest */
    const char *weights;  /* SHA-256 of model.safetensors at that commit; NULL: not known here, the
                           * hub's own checksum counts */
    const char *note;     /* what to know before it is used; may be empty */
} eg_known_model;

const eg_known_model *eg_known_models(size_t *n);
/* By short name, or by repository; NULL when it is none of them. */
const eg_known_model *eg_known_model_find(const char *name);

#endif
