/* encoded.h - base64: what stands behind it, and private keys in it (DER, OpenSSH). Used by scan.c.
 * Thread class: any. */
#ifndef EG_SECRETS_ENCODED_H
#define EG_SECRETS_ENCODED_H

#include "engram/status.h"

/* 1 for a character of base64, but for the padding. */
int encoded_is_base64(char c);
/* The bytes that the base64 at i stands for (of RFC 4648, also with the alphabet for URLs), at most
 * room of them. */
eg_str encoded_bytes(eg_str s, size_t i, char *to, size_t room);
/* 1 when all bytes are printable ASCII, line breaks or tabs. */
int encoded_is_text(eg_str bytes);
/* 1 when the base64 at i begins a private key without its header: RSAPrivateKey (RFC 8017),
 * ECPrivateKey (RFC 5915), PrivateKeyInfo and its encrypted form (RFC 5208), or openssh-key-v1.
 * Certificates, public keys and requests begin otherwise. */
int encoded_is_private_key(eg_str s, size_t i);

#endif
