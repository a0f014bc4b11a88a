/* personal.h - finds personal data in text: numbers of payment cards (ISO/IEC 7812) and bank
 * accounts (ISO 13616), both by their check digits, and lists of e-mail addresses. Used by
 * secrets.c where a setting asks for it. Thread class: any. */
#ifndef EG_SECRETS_PERSONAL_H
#define EG_SECRETS_PERSONAL_H

#include "hit.h"

/* The first personal data of the text. 1: found. */
int personal_find(eg_str text, secret_hit *out);

#endif
