/* chosen.h - finds passwords that look like any word (hunter2, swordfish) by where they stand:
 * as the value of a setting, in a connection string, in a sentence that says what a password is,
 * behind the option of a database client. What it is not: a judgment of the looks of a value
 * alone, which is scan.c's. Used by scan.c. Thread class: any. */
#ifndef EG_SECRETS_CHOSEN_H
#define EG_SECRETS_CHOSEN_H

#include "hit.h"

/* A name such as "password" begins at i, and what it is set to looks like a password there. 1:
 * found. */
int secret_chosen(eg_str s, size_t i, secret_hit *out);
/* A command begins at i that gets a password as an argument. 1: found. */
int secret_of_command(eg_str s, size_t i, secret_hit *out);

#endif
