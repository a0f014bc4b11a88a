/* names.h - where a text names a secret ("password", apiKey, DB_PASSWORD), and where the value of
 * that name stands. Used by scan.c and chosen.c. Thread class: any. */
#ifndef EG_SECRETS_NAMES_H
#define EG_SECRETS_NAMES_H

#include "engram/status.h"

/* 1 when a word begins at i: behind a sign, at the capital of dbPassword, behind the capitals of
 * PGPASSWORD and -Dpassword. */
int name_begins(eg_str s, size_t i);
/* The index behind a word at i for secrets that people make up, such as "password"; 0: there is
 * none. */
size_t name_is_chosen(eg_str s, size_t i);
/* The same for any secret: "api_key", "token". */
size_t name_is_sensitive(eg_str s, size_t i);
/* Past quotes, stars and blanks around a name or value; `blanks`: which count. */
size_t value_past_marks(eg_str s, size_t i, const char *blanks);
/* Where the value of the name at [i, end) begins: = "...", : ..., => ..., | ... |, (...), >...<, is
 * ...; 0: it has none. */
size_t value_of_name(eg_str s, size_t i, size_t end);
/* The characters from i on that a secret in a setting may have. */
eg_str value_at(eg_str s, size_t i);

#endif
