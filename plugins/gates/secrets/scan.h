/* scan.h - finds credentials in text by shape: prefixes and lengths that services document, PEM
 * headers, passwords in URLs, random-looking values behind words like "password". Precision first:
 * e-mail and IP addresses, digests, UUIDs, placeholders and names of variables are no secrets.
 * Knows no plugin. Thread class: any. */
#ifndef EG_SECRETS_SCAN_H
#define EG_SECRETS_SCAN_H

#include "hit.h"

/* The first secret of text at or behind byte `from`. 1: found. */
int secret_find(eg_str text, size_t from, secret_hit *out);

#endif
