/* pull.h - a model from a Hugging Face compatible hub into the folder of models: only the files
 * that the engine reads, each checked, into a hidden folder beside the target, which takes its
 * place when all is there and the engine has opened it. A pull that was interrupted goes on where
 * it was; several at once of one name make one model. Used by `engram models pull`. Thread class:
 * worker; may block. */
#ifndef EG_HUB_PULL_H
#define EG_HUB_PULL_H

#include "core/hub/known.h"
#include "core/include/engram/infer.h"

typedef struct eg_pull {
    const char *repo;            /* "ORG/REPO" */
    const char *revision;        /* a commit, branch or tag; NULL: that of `known`, else main */
    const char *name;            /* of the model here; one part by eg_model_file_name */
    const char *models;          /* the folder of models, made when it is not there */
    const eg_known_model *known; /* what the table says of the repository, or NULL */
    const char *endpoint;        /* "https://huggingface.co"; NULL or "": that */
    const char *token;           /* NULL or "": none */
    eg_cancel cancel;            /* after its deadline no transfer goes on */
    eg_engine *engine;
    /* all: UINT64_MAX when it is not known */
    void (*progress)(void *self, const char *file, uint64_t done, uint64_t all);
    void (*waiting)(void *self); /* another process pulls the same name: this one waits for it */
    void *self;
} eg_pull;

typedef struct eg_pulled {
    char folder[4096], source[300]; /* "ORG/REPO@COMMIT" */
    int already;                    /* 1: it was there */
    uint64_t bytes;                 /* that were downloaded */
    char unchecked[200];            /* a file for which the hub gave no checksum, "": none */
} eg_pulled;

/* Every error says what to do; after one nothing is visible in the folder of models. EG_EINVAL,
 * EG_ENOENT (repository, revision), EG_EPERM (gated or private), EG_EBUSY (network: the same
 * command goes on), EG_EFORMAT (checksum), EG_EUNSUPPORTED (the engine cannot run it), EG_ELIMIT,
 * EG_EIO, EG_EREFUSED, EG_ECANCELLED. */
eg_status eg_pull_model(const eg_pull *pull, eg_pulled *out, eg_error *err);

/* "ORG/REPO[@REVISION]" taken apart into buffers of `size` bytes; revision empty when there is
 * none. EG_EINVAL. */
eg_status eg_pull_parse(const char *text, char *repo, char *revision, size_t size, eg_error *err);

#endif
