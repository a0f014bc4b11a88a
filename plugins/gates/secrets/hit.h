/* hit.h - a secret that was found in a text. */
#ifndef EG_SECRETS_HIT_H
#define EG_SECRETS_HIT_H

#include "engram/status.h"

typedef struct secret_hit {
    const char *what;  /* "an AWS access key" */
    size_t start, end; /* bytes of the text */
} secret_hit;

#endif
