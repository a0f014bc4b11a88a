/* tokens.h - finds secrets that are known by their form alone: tokens with the prefixes that
 * services document, webhooks, signatures, JSON web tokens, private keys. Used by scan.c. Thread
 * class: any. */
#ifndef EG_SECRETS_TOKENS_H
#define EG_SECRETS_TOKENS_H

#include "hit.h"

/* A secret that begins at i. 1: found. */
int secret_token(eg_str s, size_t i, secret_hit *out);

#endif
