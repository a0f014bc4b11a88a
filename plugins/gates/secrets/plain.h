/* plain.h - a text as a reader sees it: full-width and mathematical letters and digits as ASCII,
 * and without characters that show nothing (soft hyphens, zero-width characters, tags). A secret
 * that was written with them is copied and used all the same. What it is not: a normal form for
 * comparison; everything else stays as it is. Used by secrets.c. Thread class: any. */
#ifndef EG_SECRETS_PLAIN_H
#define EG_SECRETS_PLAIN_H

#include "engram/status.h"

typedef struct plain_text {
    char *bytes;  /* never more than the text has */
    uint32_t *at; /* where in the text each byte came from */
    size_t len;
} plain_text;

/* 1 when the text has anything but ASCII: else it is plain already. */
int plain_differs(eg_str text);
/* out->bytes and out->at have room for text.len. */
void plain_write(eg_str text, plain_text *out);

#endif
