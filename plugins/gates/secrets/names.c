/* names.c - see names.h. */
#include "names.h"

#include "chars.h"

int name_begins(eg_str s, size_t i) {
    if (!i || !is_alnum(s.ptr[i - 1]) || (is_upper(s.ptr[i]) && !is_upper(s.ptr[i - 1]))) return 1;
    size_t first = i;
    while (first && i - first < 32 && is_upper(s.ptr[first - 1])) first--;
    return !first || !is_alnum(s.ptr[first - 1]);
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Words for secrets that people make up, and words for others. */
static const char *const chosen_words[] = {"password",
                                           "passwd",
                                           "passphrase",
                                           "passcode",
                                           "pwd",
                                           "psk",
                                           "pw",
                                           "passwort",
                                           "kennwort",
                                           "contrase\xC3\xB1"
                                           "a",
                                           "contrasena",
                                           "senha",
                                           "mot de passe",
                                           "mot_de_passe",
                                           "wachtwoord"};
static const char *const other_words[] = {
    "pass",         "secret",        "api_key",        "apikey",        "api-key",         "access_key",      "accesskey",
    "auth",         "token",         "auth_token",     "access_token",  "authtoken",       "secret_key",      "secretkey",
    "clientsecret", "private_key",   "accountkey",     "client_secret", "secretaccesskey", "sharedaccesskey", "privatekey",
    "presharedkey", "preshared_key", "encryption_key", "encryptionkey", "signing_key",     "signingkey",      "master_key",
    "masterkey",    "credential",    "credentials",    "api key"};

/* The index behind one of the words at i; 0: there is none. */
static size_t behind_word(eg_str s, size_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (!same_letters(s, i, words[k])) continue;
        size_t end = i + strlen(words[k]);
        if (end == s.len || !is_alnum(s.ptr[end])) return end;
    }
    return 0;
}

size_t name_is_chosen(eg_str s, size_t i) { return behind_word(s, i, chosen_words, COUNT(chosen_words)); }

size_t name_is_sensitive(eg_str s, size_t i) {
    size_t end = name_is_chosen(s, i);
    return end ? end : behind_word(s, i, other_words, COUNT(other_words));
}

size_t value_past_marks(eg_str s, size_t i, const char *blanks) {
    for (size_t from = i; i < s.len && i - from < 100;) {
        if (s.ptr[i] && (strchr("\"'`*\\]", s.ptr[i]) || strchr(blanks, s.ptr[i]))) i++;
        /* curly quotes */
        else if (starts(s, i, "\xE2\x80") && i + 2 < s.len && (s.ptr[i + 2] & 0xF8) == 0x98) i += 3;
        else break;
    }
    return i;
}

size_t value_of_name(eg_str s, size_t i, size_t end) {
    static const char *const signs[] = {"=>", ":=", "==", "=", ":", "|", "(", "is "};
    size_t first = i, j = value_past_marks(s, end, " \t");
    while (first && i - first < 40 && is_token(s.ptr[first - 1])) first--;
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++)
        if (same_letters(s, j, signs[k]))
            return value_past_marks(s, j + strlen(signs[k]), signs[k][0] == ':' ? " \t\r\n" : " \t");
    if (first && s.ptr[first - 1] == '<' && starts(s, j, ">")) return j + 1; /* <password>...< */
    return j > end && starts(s, first, "--") ? j : 0;                        /* --password ... */
}

eg_str value_at(eg_str s, size_t i) {
    size_t n = span_of(s, i, is_secret);
    while (n && strchr(".:|*\\", s.ptr[i + n - 1])) n--;
    return part(s, i, n);
}
