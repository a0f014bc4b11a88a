/* looks.c - see looks.h. */
#include "looks.h"

#include <math.h>

#include "chars.h"
#include "encoded.h"

double secret_entropy(eg_str s) {
    unsigned counts[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < s.len; i++) counts[(unsigned char)s.ptr[i]]++;
    for (size_t i = 0; i < 256; i++)
        if (counts[i]) {
            double p = (double)counts[i] / (double)s.len;
            bits -= p * log2(p);
        }
    return bits;
}

int secret_is_placeholder(eg_str s) {
    static const char *const words[] = {"example", "placeholder", "xxxx",   "your",    "dummy",  "changeme", "redacted",
                                        "****",    "....",        "sample", "1234567", "abcdef", "todo",     "<",
                                        ">",       "${",          "{{",     "$(",      "%s",     "secret"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (contains(s, words[i])) return 1;
    size_t same = 0;
    for (size_t i = 1; i < s.len; i++) same += s.ptr[i] == s.ptr[0];
    return s.len && same + 1 == s.len;
}

/* A name for a secret, not the secret: ${VAR}, {password}, (value), %VAR%, DB_PASSWORD. */
int secret_is_reference(eg_str s) {
    size_t capitals = 0;
    while (capitals < s.len && (is_upper(s.ptr[capitals]) || s.ptr[capitals] == '_')) capitals++;
    return capitals == s.len || strchr("${(*", s.ptr[0]) || (s.ptr[0] == '%' && s.ptr[s.len - 1] == '%');
}

/* 1 when the password is one of examples: the name of the user, or a word such as "password",
 * perhaps with a number behind it. */
int secret_is_stock(eg_str name, eg_str password) {
    static const char *const words[] = {"pass", "passwd", "password", "mypassword", "pwd", "pw", "token", "open sesame"};
    size_t n = password.len;
    while (n && is_digit(password.ptr[n - 1])) n--;
    if (eg_str_eq(password, name) || (n && eg_str_eq(part(password, 0, n), name))) return 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n == strlen(words[i]) && same_letters(password, 0, words[i])) return 1;
    return secret_is_placeholder(password);
}

/* 1 when s has digits and at least `least` capital and `least` small letters. */
int secret_is_mixed(eg_str s, int least) {
    int digits = 0, large = 0, small = 0;
    for (size_t i = 0; i < s.len; i++) {
        digits += is_digit(s.ptr[i]);
        large += is_upper(s.ptr[i]);
        small += is_lower(s.ptr[i]);
    }
    return digits && large >= least && small >= least;
}

static int is_sign(char c) { return c && strchr("!@#*^+~", c) != NULL; }

int secret_has_sign(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (is_sign(s.ptr[i])) return 1;
    return 0;
}

/* odd: how many of the pieces are no words. */
static size_t count_turns(eg_str s, size_t *odd_pieces) {
    size_t turns = 0, odd = 0, n;
    for (size_t i = 0; i < s.len; i += n) {
        size_t digits = span_of(s, i, is_digit), large = span_of(s, i, is_upper), small = span_of(s, i + large, is_lower);
        n = digits ? digits : large + small;
        turns += n && i && is_alnum(s.ptr[i - 1]);
        odd += !digits && n && (small < 2 || n < 3); /* no word */
        if (!n) n = 1;
    }
    *odd_pieces = odd;
    return turns;
}

size_t secret_turns(eg_str s) {
    size_t odd;
    return count_turns(s, &odd);
}

/* Names change seldom, or have words between the changes (Oauth2Rfc6749). */
int secret_is_tangled(eg_str s) {
    size_t odd;
    return count_turns(s, &odd) >= 4 && odd;
}

/* A name consists of parts that are not tangled, joined by signs: v2/keys/rotate-2024,
 * db1.eu2.k8s3. */
static int is_joined(char c) { return !strchr("-_./:=+@?&%", c); }
static int has_tangle(eg_str s) {
    for (size_t i = 0, n; i < s.len; i += n + 1) {
        n = span_of(s, i, is_joined);
        eg_str one = part(s, i, n);
        if (secret_is_tangled(one) && (n >= 32 || !is_hex(one))) return 1;
    }
    return 0;
}

/* 1 when v looks random: long, made of several kinds of characters, and neither a path nor a call
 * nor a reference. Only the beginning of a long value is looked at. */
int secret_looks_random(eg_str v) {
    int digits = 0, signs = 0;
    if (v.len > 256) v.len = 256;
    if (v.len < 12 || secret_is_placeholder(v) || secret_is_reference(v)) return 0;
    for (size_t i = 0; i < v.len; i++) {
        digits += is_digit(v.ptr[i]);
        signs += !is_alnum(v.ptr[i]);
    }
    /* a path */
    if (v.ptr[0] == '/' && memchr(v.ptr + 1, '/', v.len - 1)) return 0;
    size_t word = 0; /* sha256:..., vault:...: a name for what follows */
    while (word < v.len && (is_lower(v.ptr[word]) || (word && is_digit(v.ptr[word])))) word++;
    if (word && word < v.len && v.ptr[word] == ':') return 0;
    word = 0; /* getenv(...), ENC(...) */
    while (word < v.len && (is_lower(lower(v.ptr[word])) || v.ptr[word] == '_' || v.ptr[word] == '.')) word++;
    if (word >= 3 && word < v.len && v.ptr[word] == '(') return 0;
    /* 36: a UUID */
    if (is_hex(v)) return v.len >= 32 && v.len != 36 && digits >= 4 && digits < (int)v.len;
    return signs * 3 <= (int)v.len && has_tangle(v) && secret_entropy(v) >= 3.2;
}

int secret_is_uuid(eg_str v) {
    static const size_t dashes[] = {8, 13, 18, 23};
    if (v.len != 36 || !is_hex(v) || secret_entropy(v) < 2.8) return 0;
    size_t n = 0;
    for (size_t i = 0; i < v.len; i++) n += v.ptr[i] == '-';
    for (size_t i = 0; i < 4; i++) n += v.ptr[dashes[i]] == '-';
    return n == 8;
}

/* What stands behind "password" in descriptions, types and policies. */
static int is_about_passwords(eg_str v) {
    static const char *const words[] = {"pass",  "pwd",     "secret", "token",  "hash",  "crypt",  "argon", "pbkdf",
                                        "sha1",  "sha2",    "sha5",   "salt",   "md5",   "base64", "utf",   "string",
                                        "chars", "varchar", "text",   "field",  "input", "value",  "param", "user",
                                        "null",  "none",    "digits", "config", "uuid",  "bytes",  "vault", "required"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (contains(v, words[i])) return 1;
    return 0;
}

/* Letters and digits with a sign among them, or a name and a year: what policies ask people for. */
int secret_is_human_password(eg_str v) {
    size_t letters = 0, digits = 0, signs = 0;
    for (size_t i = 0; i < v.len; i++) {
        letters += (size_t)(is_upper(v.ptr[i]) || is_lower(v.ptr[i]));
        digits += (size_t)is_digit(v.ptr[i]);
        signs += (size_t)is_sign(v.ptr[i]);
        /* a call, a path, a reference, an address */
        if (strchr("()[]{}<>/\\|$%=.:", v.ptr[i])) return 0;
    }
    if (v.len < 8 || v.len > 64 || letters < 3 || !digits || is_about_passwords(v)) return 0;
    if (secret_is_reference(v) || secret_is_placeholder(v)) return 0;
    if (signs) return 1;
    size_t name = is_upper(v.ptr[0]) ? 1 + span_of(v, 1, is_lower) : 0;
    return name >= 3 && v.len - name >= 4 && span_of(v, name, is_digit) == v.len - name;
}

/* Words behind "password:" that say what a password is like or that there is none, names that
 * examples have, and passwords that programs come with. */
static int describes_password(eg_str v) {
    static const char *const words[] = {
        "abgelaufen",  "admin",     "any",     "bar",     "baz",      "blank",  "bool",       "boolean",   "bytearray",
        "changed",     "changeit",  "char",    "data",    "default",  "demo",   "disabled",   "empty",     "enabled",
        "enter",       "env",       "expired", "false",   "foo",      "foobar", "generated",  "guest",     "here",
        "hidden",      "incorrect", "int",     "integer", "invalid",  "key",    "localhost",  "mandatory", "masked",
        "minioadmin",  "missing",   "mysql",   "never",   "nil",      "no",     "nobody",     "number",    "object",
        "obligatoire", "off",       "omitted", "on",      "optional", "plain",  "plaintext",  "postgres",  "prompt",
        "random",      "rejected",  "root",    "rotated", "sealed",   "see",    "set",        "shared",    "some",
        "sensitive",   "stdin",     "stored",  "str",     "strong",   "system", "test",       "tbd",       "the",
        "true",        "undefined", "unknown", "unset",   "void",     "weak",   "write-only", "wrong",     "yes",
        "your"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (v.len == strlen(words[i]) && same_letters(v, 0, words[i])) return 1;
    return is_about_passwords(v) || contains(v, "passw") || contains(v, "encod") || contains(v, "encrypt") ||
           contains(v, "manag");
}

/* Names of standards and of numbered things: OAuth2, AES256-GCM, step3. */
static int is_numbered_name(eg_str v) {
    static const char *const words[] = {
        "aes",   "arg",     "art",  "chapter", "ed",     "example", "http", "https", "ipv",     "issue", "k",      "krb", "ldap",
        "level", "line",    "node", "oauth",   "option", "page",    "part", "pbkdf", "phase",   "pkcs",  "python", "rev", "rfc",
        "rsa",   "section", "sha",  "ssh",     "step",   "table",   "test", "tls",   "version", "var",   "http",   "x"};
    size_t n = 0;
    while (n < v.len && (is_lower(lower(v.ptr[n])) || v.ptr[n] == '-')) n++;
    while (n && v.ptr[n - 1] == '-') n--;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n == strlen(words[i]) && same_letters(v, 0, words[i])) return 1;
    return 0;
}

secret_weakness secret_is_weak(eg_str v) {
    size_t letters = 0, digits = 0;
    while (v.len && v.ptr[v.len - 1] == '_') v.len--; /* of Markdown */
    if (v.len < 3 || v.len > 64) return SECRET_NOT_WEAK;
    for (size_t i = 0; i < v.len; i++) {
        letters += (size_t)(is_upper(v.ptr[i]) || is_lower(v.ptr[i]));
        digits += (size_t)is_digit(v.ptr[i]);
        if (!is_token(v.ptr[i]) && !is_sign(v.ptr[i])) return SECRET_NOT_WEAK;
    }
    if (v.ptr[0] == '-' || describes_password(v) || secret_is_stock((eg_str){0}, v)) return SECRET_NOT_WEAK;
    if (digits == v.len) return digits >= 4 ? SECRET_WEAK_MIXED : SECRET_NOT_WEAK;
    if (letters < 2 || secret_is_reference(v)) return SECRET_NOT_WEAK;
    if (digits || secret_has_sign(v)) return is_numbered_name(v) ? SECRET_NOT_WEAK : SECRET_WEAK_MIXED;
    return SECRET_WEAK_WORD;
}

/* The base64 of user:password. */
int secret_is_login(eg_str value) {
    char text[96];
    eg_str all = encoded_bytes(value, 0, text, sizeof text);
    for (size_t i = 0; i < all.len; i++)
        if ((text[i] < ' ' && text[i] != '\n') || text[i] > '~') return 0;
    size_t user = 0;
    while (user < all.len && text[user] != ':') user++;
    return user && user + 4 < all.len && !secret_is_stock(part(all, 0, user), part(all, user + 1, all.len - user - 1));
}
