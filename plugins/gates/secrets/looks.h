/* looks.h - judgments about a value: whether it looks random, or like a password of a person, or
 * only stands where a secret would be. Used by tokens.c and scan.c. Thread class: any. */
#ifndef EG_SECRETS_LOOKS_H
#define EG_SECRETS_LOOKS_H

#include "engram/status.h"

/* Bits per character of s. */
double secret_entropy(eg_str s);
/* 1 when s is what people write where a secret would be. */
int secret_is_placeholder(eg_str s);
/* 1 when s names a secret: ${VAR}, {password}, (value), %VAR%, DB_PASSWORD. */
int secret_is_reference(eg_str s);
/* 1 when the password is one of examples: the name of the user, or a word such as "password". */
int secret_is_stock(eg_str name, eg_str password);
/* 1 when s has digits and at least `least` capital and `least` small letters. */
int secret_is_mixed(eg_str s, int least);
/* 1 when s has one of the signs that people put into passwords. */
int secret_has_sign(eg_str s);
/* How often s changes between letters and digits, or from small to capital letters. */
size_t secret_turns(eg_str s);
/* 1 when it changes often, with pieces that are no words, as random keys do. */
int secret_is_tangled(eg_str s);
/* 1 when v is long, of several kinds of characters, and neither a path nor a call nor a
 * reference. */
int secret_looks_random(eg_str v);
/* 1 when v is a UUID that is not all of the same digits. */
int secret_is_uuid(eg_str v);
/* 1 when v looks like a password that a person made up: Winter2026, hunter2!. */
int secret_is_human_password(eg_str v);
/* What v may be where a password stands: a word as any other, or one with digits or signs. Nothing
 * of the kind: a description ("required"), a type, a default that everybody knows, a reference. */
typedef enum secret_weakness { SECRET_NOT_WEAK, SECRET_WEAK_WORD, SECRET_WEAK_MIXED } secret_weakness;
secret_weakness secret_is_weak(eg_str v);
/* 1 when value is the base64 of user:password. */
int secret_is_login(eg_str value);

#endif
