/* scan.c - see scan.h. Sources of the shapes: the services' own documentation of their token formats (AWS IAM
 * identifiers, GitHub token formats, Slack token types, Stripe keys, Google API keys, GitLab token prefixes),
 * Azure storage connection strings, Telegram bot API, RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (user information in URLs).
 * Documented example keys (AKIAIOSFODNN7EXAMPLE) pass. */
#include "scan.h"

#include <math.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_lower(char c) { return c >= 'a' && c <= 'z'; }
static char lower(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }
static int is_alnum(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
static int is_token(char c) { return is_alnum(c) || c == '_' || c == '-'; }
static int is_secret(char c) { /* what a password in a setting may be made of */
    return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '`' && c != ',' && c != ';' && c != ')' && c != '}' && c != ']';
}

static int starts(eg_str s, size_t i, const char *prefix) {
    size_t n = strlen(prefix);
    return i <= s.len && s.len - i >= n && memcmp(s.ptr + i, prefix, n) == 0;
}
static int same_letters(eg_str s, size_t i, const char *word) {
    size_t n = strlen(word);
    if (s.len < i || s.len - i < n) return 0;
    for (size_t k = 0; k < n; k++)
        if (lower(s.ptr[i + k]) != word[k]) return 0;
    return 1;
}
static size_t span_of(eg_str s, size_t i, int (*member)(char)) {
    size_t n = 0;
    while (i + n < s.len && member(s.ptr[i + n])) n++;
    return n;
}
static int contains(eg_str s, const char *word) {
    for (size_t i = 0; i < s.len; i++)
        if (same_letters(s, i, word)) return 1;
    return 0;
}

/* Bits per character of s. */
static double entropy(eg_str s) {
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

/* Stand-ins that people write where a secret would be. */
static int is_placeholder(eg_str s) {
    static const char *const words[] = {"example", "placeholder", "xxxx",   "your",    "dummy",  "changeme", "redacted",
                                        "****",    "....",        "sample", "1234567", "abcdef", "todo",     "<",
                                        ">",       "${",          "{{",     "$(",      "%s",     "secret"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (contains(s, words[i])) return 1;
    size_t same = 0;
    for (size_t i = 1; i < s.len; i++) same += s.ptr[i] == s.ptr[0];
    return s.len && same + 1 == s.len;
}

typedef struct shape {
    const char *prefix, *what;
    size_t least, most; /* characters behind the prefix; most 0: any number */
    char kind; /* 'U': capitals and digits only; 'x': lower hex only; 'p': a prefix that plain names may have too, so digits must
                  follow */
} shape;

static const shape shapes[] = {
    {"AKIA", "an AWS access key", 16, 16, 'U'},
    {"ASIA", "an AWS session key", 16, 16, 'U'},
    {"ghp_", "a GitHub token", 36, 0, 0},
    {"gho_", "a GitHub token", 36, 0, 0},
    {"ghu_", "a GitHub token", 36, 0, 0},
    {"ghs_", "a GitHub token", 36, 0, 0},
    {"ghr_", "a GitHub token", 36, 0, 0},
    {"github_pat_", "a GitHub token", 40, 0, 0},
    {"glpat-", "a GitLab token", 20, 0, 0},
    {"glrt-", "a GitLab token", 20, 0, 0},
    {"gldt-", "a GitLab token", 20, 0, 0},
    {"glcbt-", "a GitLab token", 20, 0, 0},
    {"sk-ant-", "an Anthropic API key", 20, 0, 0},
    {"sk-proj-", "an OpenAI API key", 20, 0, 0},
    {"sk-", "an API key", 32, 0, 'p'},
    {"gsk_", "a Groq API key", 40, 0, 'p'},
    {"sk_live_", "a Stripe key", 16, 0, 'p'},
    {"rk_live_", "a Stripe key", 16, 0, 'p'},
    {"sk_test_", "a Stripe key", 16, 0, 'p'},
    {"rk_test_", "a Stripe key", 16, 0, 'p'},
    {"whsec_", "a webhook secret", 24, 0, 'p'},
    {"xapp-", "a Slack token", 20, 0, 'p'},
    {"xoxb-", "a Slack token", 20, 0, 'p'},
    {"xoxp-", "a Slack token", 20, 0, 'p'},
    {"xoxa-", "a Slack token", 20, 0, 'p'},
    {"xoxe-", "a Slack token", 20, 0, 'p'},
    {"AIza", "a Google API key", 35, 35, 0},
    {"GOCSPX-", "a Google OAuth secret", 28, 28, 0},
    {"npm_", "an npm token", 36, 36, 'p'},
    {"pypi-AgE", "a PyPI token", 50, 0, 0},
    {"hf_", "a Hugging Face token", 34, 34, 0},
    {"SG.", "a SendGrid key", 60, 0, 'p'},
    {"dop_v1_", "a DigitalOcean token", 64, 64, 'x'},
    {"dckr_pat_", "a Docker token", 27, 27, 0},
    {"hvs.", "a Vault token", 24, 0, 0},
    {"shpat_", "a Shopify token", 32, 32, 'x'},
    {"dapi", "a Databricks token", 32, 34, 'x'},
    {"lin_api_", "a Linear API key", 40, 40, 0},
    {"AGE-SECRET-KEY-1", "an age key", 58, 58, 'U'},
};

static int is_dotted(char c) { return is_token(c) || c == '.'; }

/* A token that begins at i with a known prefix. */
static int shaped(eg_str s, size_t i, secret_hit *out) {
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const shape *f = &shapes[k];
        if (!starts(s, i, f->prefix)) continue;
        size_t body = i + strlen(f->prefix), n = span_of(s, body, strcmp(f->prefix, "SG.") == 0 ? is_dotted : is_token);
        eg_str rest = {s.ptr + body, n};
        if (n < f->least || (f->most && n > f->most)) continue;
        int bad = 0, digits = 0, large = 0, small = 0;
        for (size_t j = 0; j < n; j++) {
            char c = rest.ptr[j];
            bad |= f->kind == 'U' && !is_upper(c) && !is_digit(c);
            bad |= f->kind == 'x' && !is_digit(c) && !(c >= 'a' && c <= 'f') && c != '-';
            digits += is_digit(c);
            large += is_upper(c);
            small += is_lower(c);
        }
        int plain = !digits && (!large || !small); /* a name out of words */
        if (bad || plain || (f->kind == 'p' && digits < 2) || entropy(rest) < 3.0 || is_placeholder(rest)) continue;
        *out = (secret_hit){f->what, i, body + n};
        return 1;
    }
    return 0;
}

/* Where a Slack hook posts to: who knows the address may post. */
static int slack_hook(eg_str s, size_t i, secret_hit *out) {
    static const char address[] = "hooks.slack.com/services/";
    if (!starts(s, i, address)) return 0;
    size_t body = i + sizeof address - 1, n = 0;
    while (body + n < s.len && (is_token(s.ptr[body + n]) || s.ptr[body + n] == '/')) n++;
    eg_str rest = {s.ptr + body, n};
    if (n < 40 || entropy(rest) < 3.5 || is_placeholder(rest)) return 0;
    *out = (secret_hit){"a Slack webhook", body, body + n};
    return 1;
}

/* 8 to 10 digits, a colon, AA and 33 characters. */
static int telegram_token(eg_str s, size_t i, secret_hit *out) {
    size_t digits = span_of(s, i, is_digit), body = i + digits + 1;
    if (digits < 8 || digits > 10 || !starts(s, body - 1, ":AA")) return 0;
    eg_str rest = {s.ptr + body, span_of(s, body, is_token)};
    if (rest.len != 35 || entropy(rest) < 3.5) return 0;
    *out = (secret_hit){"a Telegram bot token", i, body + rest.len};
    return 1;
}

static int is_base64(char c) { return is_alnum(c) || c == '+' || c == '/'; }

/* 40 characters of base64 that are no hash, in a text that speaks of a secret of AWS. */
static int aws_secret(eg_str s, size_t i, secret_hit *out) {
    if (i && is_base64(s.ptr[i - 1])) return 0;
    eg_str run = {s.ptr + i, span_of(s, i, is_base64)};
    if (run.len != 40 || entropy(run) < 4.2 || is_placeholder(run)) return 0;
    int digits = 0, large = 0, small = 0;
    for (size_t k = 0; k < run.len; k++) {
        digits += is_digit(run.ptr[k]);
        large += is_upper(run.ptr[k]);
        small += is_lower(run.ptr[k]);
    }
    if (!digits || large < 4 || small < 4 || !contains(s, "secret") || !contains(s, "aws")) return 0;
    *out = (secret_hit){"an AWS secret key", i, i + run.len};
    return 1;
}

/* Three base64url parts, the first of which is a JSON object ("eyJ" is '{"'). */
static int jwt(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "eyJ")) return 0;
    size_t a = span_of(s, i, is_token);
    if (a < 16 || i + a >= s.len || s.ptr[i + a] != '.') return 0;
    size_t second = i + a + 1, b = span_of(s, second, is_token);
    if (b < 16 || second + b >= s.len || s.ptr[second + b] != '.') return 0;
    size_t third = second + b + 1, c = span_of(s, third, is_token);
    if (c < 16) return 0;
    *out = (secret_hit){"a JSON web token", i, third + c};
    return 1;
}

static int pem(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "-----BEGIN ")) return 0;
    size_t line = i;
    while (line < s.len && s.ptr[line] != '\n' && line - i < 80) line++;
    eg_str header = {s.ptr + i, line - i};
    if (!contains(header, "private key-----")) return 0;
    /* the header alone is talk about a format: key material must follow */
    size_t body = line, n = 0;
    for (; body < s.len && n < 32; body++) {
        char c = s.ptr[body];
        if (is_alnum(c) || c == '+' || c == '/' || c == '=') n++;
        else if (c != '\n' && c != '\r' && c != ' ' && !(c == '\\' && body + 1 < s.len && s.ptr[body + 1] == 'n')) n = 64;
    }
    if (n != 32) return 0;
    *out = (secret_hit){"a private key", i, body};
    return 1;
}

/* scheme://user:password@host */
static int url_password(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "://")) return 0;
    size_t user = i + 3, j = user;
    while (j < s.len && (is_token(s.ptr[j]) || s.ptr[j] == '.' || s.ptr[j] == '%')) j++;
    if (j >= s.len || s.ptr[j] != ':') return 0;
    eg_str name = {s.ptr + user, j - user};
    size_t password = ++j;
    while (j < s.len && s.ptr[j] > ' ' && s.ptr[j] != '@' && s.ptr[j] != '/' && s.ptr[j] != '"' && s.ptr[j] != '\'' &&
           s.ptr[j] != '`')
        j++;
    if (j >= s.len || s.ptr[j] != '@' || j - password < 3) return 0;
    eg_str value = {s.ptr + password, j - password};
    /* the name twice is what containers and tests are made with, not a secret */
    if (is_placeholder(value) || eg_str_eq(value, name) || value.ptr[0] == '$' || value.ptr[0] == '*' ||
        same_letters(value, 0, "pass") || same_letters(value, 0, "pwd"))
        return 0;
    *out = (secret_hit){"a password in a URL", password, j};
    return 1;
}

/* A word like "password" ends right before i. */
static size_t sensitive_word(eg_str s, size_t i) {
    static const char *const words[] = {"password",      "passwd",     "passphrase", "secret",       "api_key", "apikey",
                                        "api-key",       "access_key", "auth_token", "access_token", "token",   "private_key",
                                        "client_secret", "secret_key", "accountkey", "authtoken"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (same_letters(s, i, words[k])) {
            size_t end = i + strlen(words[k]);
            if (end < s.len && is_alnum(s.ptr[end])) continue;
            return end;
        }
    return 0;
}

static int is_hex(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.ptr[i]) && !(lower(s.ptr[i]) >= 'a' && lower(s.ptr[i]) <= 'f') && s.ptr[i] != '-') return 0;
    return 1;
}

/* Random-looking: long, of several kinds of characters, no words of a path, call or reference. */
static int looks_random(eg_str v) {
    int digits = 0, large = 0, small = 0, signs = 0;
    if (v.len < 12 || v.len > 256 || is_placeholder(v)) return 0;
    for (size_t i = 0; i < v.len; i++) {
        char c = v.ptr[i];
        digits += is_digit(c);
        large += is_upper(c);
        small += is_lower(c);
        signs += !is_alnum(c);
        if (c == '(' || c == '$' || c == '{' || (unsigned char)c >= 0x80) return 0;
    }
    size_t word = 0; /* sha256:..., vault:...: a name for what follows */
    while (word < v.len && (is_lower(v.ptr[word]) || (word && is_digit(v.ptr[word])))) word++;
    if (word && word < v.len && v.ptr[word] == ':') return 0;
    if (is_hex(v)) return v.len >= 32 && v.len != 36 && digits >= 4 && digits < (int)v.len; /* 36: a UUID */
    if (signs * 3 > (int)v.len) return 0;
    int kinds = (digits > 0) + (large > 0) + (small > 0);
    if (kinds < 2 || !digits) return 0;
    /* names are words joined by signs: v2/keys/rotate-2024; secrets change kind within a word */
    int turns = 0;
    for (size_t i = 1; i < v.len; i++) {
        char a = v.ptr[i - 1], b = v.ptr[i];
        turns += is_alnum(a) && is_alnum(b) && (is_digit(a) != is_digit(b) || (is_lower(a) && is_upper(b)));
    }
    return turns >= 4 && entropy(v) >= 3.2;
}

/* password = "...", SECRET_KEY: ... */
static int assigned(eg_str s, size_t i, secret_hit *out) {
    if (i && is_alnum(s.ptr[i - 1])) return 0;
    size_t j = sensitive_word(s, i);
    if (!j) return 0;
    while (j < s.len && is_token(s.ptr[j])) j++; /* SECRET_KEY_BASE */
    while (j < s.len && (s.ptr[j] == '"' || s.ptr[j] == '\'' || s.ptr[j] == '`' || s.ptr[j] == ' ') && j - i < 60) j++;
    if (j < s.len && (s.ptr[j] == '=' || s.ptr[j] == ':')) j++;
    else if (same_letters(s, j, "is ")) j += 3;
    else return 0;
    if (j < s.len && s.ptr[j] == '=') j++;
    while (j < s.len && (s.ptr[j] == '"' || s.ptr[j] == '\'' || s.ptr[j] == '`' || s.ptr[j] == ' ')) j++;
    size_t n = span_of(s, j, is_secret);
    while (n && (s.ptr[j + n - 1] == '.' || s.ptr[j + n - 1] == ':')) n--;
    eg_str value = {s.ptr + j, n};
    if (!looks_random(value)) return 0;
    *out = (secret_hit){"a password or key", j, j + n};
    return 1;
}

/* Bearer TOKEN in a header, -u USER:PASSWORD of a command. */
static int presented(eg_str s, size_t i, secret_hit *out) {
    size_t j = i;
    if (same_letters(s, i, "bearer ")) {
        j += strlen("bearer ");
    } else if (starts(s, i, "-u ") || starts(s, i, "--user ")) {
        j += starts(s, i, "-u ") ? 3 : 7;
        while (j < s.len && (is_token(s.ptr[j]) || s.ptr[j] == '.' || s.ptr[j] == '@')) j++;
        if (j >= s.len || s.ptr[j++] != ':') return 0;
    } else {
        return 0;
    }
    eg_str value = {s.ptr + j, span_of(s, j, is_secret)};
    if (!looks_random(value)) return 0;
    *out = (secret_hit){"a password or token of a request", j, j + value.len};
    return 1;
}

int secret_find(eg_str text, size_t from, secret_hit *out) {
    for (size_t i = from; i < text.len; i++) {
        int begins = i == 0 || !is_token(text.ptr[i - 1]);
        if (begins && (shaped(text, i, out) || jwt(text, i, out) || telegram_token(text, i, out))) return 1;
        if (begins && (slack_hook(text, i, out) || presented(text, i, out) || aws_secret(text, i, out))) return 1;
        if (text.ptr[i] == '-' && pem(text, i, out)) return 1;
        if (text.ptr[i] == ':' && url_password(text, i, out)) return 1;
        if (assigned(text, i, out)) return 1;
    }
    return 0;
}
