/* scan.c - see scan.h. Sources of the shapes: the services' own documentation of their token
 * formats (AWS IAM identifiers, GitHub token formats, Slack token types, Stripe keys, Google API
 * keys, GitLab token prefixes), Azure storage connection strings and shared access signatures,
 * Telegram bot API, RFC 7519 (JWT), RFC 7468 (PEM), RFC 7617 (Basic), RFC 3986 (user information in
 * URLs). Documented example keys (AKIAIOSFODNN7EXAMPLE) pass. */
#include "scan.h"

#include <math.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_lower(char c) { return c >= 'a' && c <= 'z'; }
static char lower(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }
static int is_alnum(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
static int is_token(char c) { return is_alnum(c) || c == '_' || c == '-'; }
static int is_secret(char c) { /* what a password in a setting may be made of */
    return c > ' ' && c < 0x7F && c != '"' && c != '\'' && c != '`' && c != ',' && c != ';' && c != ')' && c != '}' && c != ']' &&
           c != '<';
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
/* The index behind the first occurrence of word, without regard to case; 0: there is none. */
static size_t behind(eg_str s, const char *word) {
    for (size_t i = 0; i < s.len; i++)
        if (same_letters(s, i, word)) return i + strlen(word);
    return 0;
}
static int contains(eg_str s, const char *word) { return behind(s, word) != 0; }
static eg_str part(eg_str s, size_t from, size_t n) { return (eg_str){s.ptr + from, n}; }
static int is_hex(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.ptr[i]) && !(lower(s.ptr[i]) >= 'a' && lower(s.ptr[i]) <= 'f') && s.ptr[i] != '-') return 0;
    return 1;
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

/* 1 when s is what people write where a secret would be. */
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

/* A name for a secret, not the secret: ${VAR}, {password}, (value), %VAR%, DB_PASSWORD. */
static int is_reference(eg_str s) {
    size_t capitals = 0;
    while (capitals < s.len && (is_upper(s.ptr[capitals]) || s.ptr[capitals] == '_')) capitals++;
    return capitals == s.len || strchr("${(*", s.ptr[0]) || (s.ptr[0] == '%' && s.ptr[s.len - 1] == '%');
}

/* 1 when the password is one of examples: the name of the user, or a word such as "password",
 * perhaps with a number behind it. */
static int is_stock(eg_str name, eg_str password) {
    static const char *const words[] = {"pass", "passwd", "password", "mypassword", "pwd", "pw", "token", "open sesame"};
    size_t n = password.len;
    while (n && is_digit(password.ptr[n - 1])) n--;
    if (eg_str_eq(password, name) || (n && eg_str_eq(part(password, 0, n), name))) return 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n == strlen(words[i]) && same_letters(password, 0, words[i])) return 1;
    return is_placeholder(password);
}

/* 1 when s has digits and at least `least` capital and `least` small letters. */
static int is_mixed(eg_str s, int least) {
    int digits = 0, large = 0, small = 0;
    for (size_t i = 0; i < s.len; i++) {
        digits += is_digit(s.ptr[i]);
        large += is_upper(s.ptr[i]);
        small += is_lower(s.ptr[i]);
    }
    return digits && large >= least && small >= least;
}

/* 1 when s changes often between letters and digits, or from small to capital letters, as random
 * keys do. Names change seldom, or have words between the changes (Oauth2Rfc6749). */
static int is_tangled(eg_str s) {
    size_t turns = 0, odd = 0, n;
    for (size_t i = 0; i < s.len; i += n) {
        size_t digits = span_of(s, i, is_digit), large = span_of(s, i, is_upper), small = span_of(s, i + large, is_lower);
        n = digits ? digits : large + small;
        turns += n && i && is_alnum(s.ptr[i - 1]);
        odd += !digits && n && (small < 2 || n < 3); /* no word */
        if (!n) n = 1;
    }
    return turns >= 4 && odd;
}

/* A name consists of parts that are not tangled, joined by signs: v2/keys/rotate-2024,
 * db1.eu2.k8s3. */
static int is_joined(char c) { return !strchr("-_./:=+@?&%", c); }
static int has_tangle(eg_str s) {
    for (size_t i = 0, n; i < s.len; i += n + 1) {
        n = span_of(s, i, is_joined);
        eg_str one = part(s, i, n);
        if (is_tangled(one) && (n >= 32 || !is_hex(one))) return 1;
    }
    return 0;
}

/* 1 when v looks random: long, made of several kinds of characters, and neither a path nor a call
 * nor a reference. Only the beginning of a long value is looked at. */
static int looks_random(eg_str v) {
    int digits = 0, signs = 0;
    if (v.len > 256) v.len = 256;
    if (v.len < 12 || is_placeholder(v) || is_reference(v)) return 0;
    for (size_t i = 0; i < v.len; i++) {
        digits += is_digit(v.ptr[i]);
        signs += !is_alnum(v.ptr[i]);
    }
    if (v.ptr[0] == '/' && memchr(v.ptr + 1, '/', v.len - 1)) return 0; /* a path */
    size_t word = 0;                                                    /* sha256:..., vault:...: a name for what follows */
    while (word < v.len && (is_lower(v.ptr[word]) || (word && is_digit(v.ptr[word])))) word++;
    if (word && word < v.len && v.ptr[word] == ':') return 0;
    word = 0; /* getenv(...), ENC(...) */
    while (word < v.len && (is_lower(lower(v.ptr[word])) || v.ptr[word] == '_' || v.ptr[word] == '.')) word++;
    if (word >= 3 && word < v.len && v.ptr[word] == '(') return 0;
    if (is_hex(v)) return v.len >= 32 && v.len != 36 && digits >= 4 && digits < (int)v.len; /* 36: a UUID */
    return signs * 3 <= (int)v.len && has_tangle(v) && entropy(v) >= 3.2;
}

static int is_base64(char c) { return is_alnum(c) || c == '+' || c == '/'; }

/* The bytes that the base64 at i stands for, at most room of them. */
static eg_str decoded(eg_str s, size_t i, char *to, size_t room) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t n = 0;
    for (size_t k = 0; n < room && i + k < s.len && is_base64(s.ptr[i + k]); k++) {
        bits = bits << 6 | (uint32_t)(strchr(digits, s.ptr[i + k]) - digits);
        if (k % 4) to[n++] = (char)(bits >> (6 - 2 * (k % 4)) & 0xFF);
    }
    return (eg_str){to, n};
}

/* The base64 of user:password. */
static int is_login(eg_str value) {
    char text[96];
    eg_str all = decoded(value, 0, text, sizeof text);
    for (size_t i = 0; i < all.len; i++)
        if ((text[i] < ' ' && text[i] != '\n') || text[i] > '~') return 0;
    size_t user = 0;
    while (user < all.len && text[user] != ':') user++;
    return user && user + 4 < all.len && !is_stock(part(all, 0, user), part(all, user + 1, all.len - user - 1));
}

typedef struct shape {
    const char *prefix, *what;
    size_t least, most; /* characters behind the prefix; most 0: any number */
    char kind; /* 'U': capitals and digits only; 'u': the same, and a digit; 'x': lower hex only; 'p': a prefix that plain names
                  may have too, so digits must follow; '.': the same, with dots between */
} shape;

static const shape shapes[] = {
    {"AKIA", "an AWS access key", 16, 16, 'U'},
    {"ASIA", "an AWS session key", 16, 16, 'u'},
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
    {"SG.", "a SendGrid key", 60, 0, '.'},
    {"dop_v1_", "a DigitalOcean token", 64, 64, 'x'},
    {"dckr_pat_", "a Docker token", 27, 27, 0},
    {"hvs.", "a Vault token", 24, 0, 0},
    {"shpat_", "a Shopify token", 32, 32, 'x'},
    {"dapi", "a Databricks token", 32, 34, 'x'},
    {"lin_api_", "a Linear API key", 40, 40, 0},
    {"AGE-SECRET-KEY-1", "an age key", 58, 58, 'U'},
    {"glptt-", "a GitLab token", 40, 0, 0},
    {"hvb.", "a Vault token", 24, 0, 0},
    {"ya29.", "a Google access token", 30, 0, '.'},
    {"ATATT3x", "an Atlassian token", 40, 0, 'p'},
    {"glsa_", "a Grafana token", 32, 0, 'p'},
    {"ntn_", "a Notion token", 40, 0, 'p'},
    {"sbp_", "a Supabase token", 40, 40, 'x'},
    {"NRAK-", "a New Relic key", 27, 27, 'U'},
    {"tskey-auth-", "a Tailscale key", 20, 0, 'p'},
    {"xai-", "an xAI API key", 40, 0, 'p'},
    {"r8_", "a Replicate token", 37, 37, 'p'},
    {"pscale_pw_", "a PlanetScale password", 32, 0, 'p'},
    {"SK", "a Twilio key", 32, 32, 'x'},
};

static int is_dotted(char c) { return is_token(c) || c == '.'; }

/* 1 when a token with a known prefix begins at i. */
static int shaped(eg_str s, size_t i, secret_hit *out) {
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const shape *f = &shapes[k];
        if (!starts(s, i, f->prefix)) continue;
        size_t body = i + strlen(f->prefix), n = span_of(s, body, f->kind == '.' ? is_dotted : is_token);
        eg_str rest = {s.ptr + body, n};
        if (n < f->least || (f->most && n > f->most)) continue;
        int bad = 0, digits = 0, large = 0, small = 0;
        for (size_t j = 0; j < n; j++) {
            char c = rest.ptr[j];
            bad |= (f->kind == 'U' || f->kind == 'u') && !is_upper(c) && !is_digit(c);
            bad |= f->kind == 'x' && !is_digit(c) && !(c >= 'a' && c <= 'f') && c != '-';
            digits += is_digit(c);
            large += is_upper(c);
            small += is_lower(c);
        }
        int plain = !digits && (!large || !small) && f->kind != 'U'; /* a name out of words */
        int named = (f->kind == 'p' || f->kind == '.') && digits < 2;
        if (bad || plain || named || entropy(rest) < 3.0 || is_placeholder(rest)) continue;
        *out = (secret_hit){f->what, i, body + n};
        return 1;
    }
    return 0;
}

/* The address of a webhook: whoever knows it may post. */
static int hook(eg_str s, size_t i, secret_hit *out) {
    static const char *const hooks[][2] = {{"hooks.slack.com/services/", "a Slack webhook"},
                                           {"discord.com/api/webhooks/", "a Discord webhook"},
                                           {"discordapp.com/api/webhooks/", "a Discord webhook"}};
    for (size_t k = 0; k < sizeof hooks / sizeof hooks[0]; k++) {
        if (!starts(s, i, hooks[k][0])) continue;
        size_t body = i + strlen(hooks[k][0]), n = 0;
        while (body + n < s.len && (is_token(s.ptr[body + n]) || s.ptr[body + n] == '/')) n++;
        eg_str rest = part(s, body, n);
        if (n < 40 || entropy(rest) < 3.5 || is_placeholder(rest)) return 0;
        *out = (secret_hit){hooks[k][1], body, body + n};
        return 1;
    }
    return 0;
}

/* sig=... of a shared access signature of Azure: the base64 of 32 bytes, as a URL writes it. */
static int signature(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "sig=")) return 0;
    size_t body = i + strlen("sig="), n = 0;
    while (body + n < s.len && (is_base64(s.ptr[body + n]) || s.ptr[body + n] == '%')) n++;
    eg_str value = part(s, body, n);
    if (n < 43 || n > 90 || is_hex(value) || !looks_random(value)) return 0;
    *out = (secret_hit){"a shared access signature", body, body + n};
    return 1;
}

/* 8 to 10 digits, a colon, AA and 33 characters; alone or behind the "bot" of a request. */
static int telegram_token(eg_str s, size_t i, secret_hit *out) {
    if (i && is_token(s.ptr[i - 1]) && !(i >= 4 && starts(s, i - 4, "/bot"))) return 0;
    size_t digits = span_of(s, i, is_digit), body = i + digits + 1;
    if (digits < 8 || digits > 10 || !starts(s, body - 1, ":AA")) return 0;
    eg_str rest = {s.ptr + body, span_of(s, body, is_token)};
    if (rest.len != 35 || entropy(rest) < 3.5) return 0;
    *out = (secret_hit){"a Telegram bot token", i, body + rest.len};
    return 1;
}

/* 40 characters of base64 that are not a hash, in a text that mentions AWS and a secret. */
static int aws_secret(eg_str s, size_t i, secret_hit *out) {
    if (i && is_base64(s.ptr[i - 1])) return 0;
    eg_str run = {s.ptr + i, span_of(s, i, is_base64)};
    if (run.len != 40 || entropy(run) < 4.2 || is_placeholder(run)) return 0;
    if (!is_mixed(run, 4) || !contains(s, "secret") || !contains(s, "aws")) return 0;
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
    eg_str header = part(s, i, s.len - i < 80 ? s.len - i : 80);
    size_t body = behind(header, "private key-----");
    if (!body) body = behind(header, "private key block-----");
    if (!body) return 0;
    /* the header alone is talk about a format: a line of key material must follow, perhaps behind
     * other lines */
    size_t end = s.len - i - body < 400 ? s.len : i + body + 400, n;
    for (size_t j = i + body; j < end; j += n + 1) {
        n = span_of(s, j, is_base64);
        if (n < 32 || is_hex(part(s, j, n)) || !is_tangled(part(s, j, n))) continue;
        *out = (secret_hit){"a private key", i, j + n};
        return 1;
    }
    return 0;
}

/* The base64 of a PEM file, as kubeconfig has it. Certificates are public. */
static int encoded_pem(eg_str s, size_t i, secret_hit *out) {
    char header[48];
    if (!starts(s, i, "LS0tLS1CRUdJTi") || !contains(decoded(s, i, header, sizeof header), "private key")) return 0;
    *out = (secret_hit){"a private key", i, i + span_of(s, i, is_base64)};
    return 1;
}

/* scheme://user:password@host */
static int url_password(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "://")) return 0;
    size_t user = i + 3, j = user;
    while (j < s.len && j - user < 256 && (is_token(s.ptr[j]) || strchr(".%@+", s.ptr[j]))) j++;
    if (j >= s.len || s.ptr[j] != ':') return 0;
    eg_str name = part(s, user, j - user);
    size_t password = ++j, digits = span_of(s, j, is_digit);
    if (digits && j + digits < s.len && strchr("/,?#", s.ptr[j + digits])) return 0; /* a port */
    while (j < s.len && j - password < 256 && s.ptr[j] > ' ' && !strchr("@\"'`", s.ptr[j])) j++;
    if (j >= s.len || s.ptr[j] != '@' || j - password < 3 || starts(s, j, "@sha256:")) return 0;
    eg_str value = part(s, password, j - password);
    /* git@host:group/project@v2 is a path */
    if (memchr(value.ptr, '/', value.len) && (memchr(name.ptr, '@', name.len) || !is_mixed(value, 1))) return 0;
    if (is_reference(value) || is_stock(name, value)) return 0;
    *out = (secret_hit){"a password in a URL", password, j};
    return 1;
}

/* A word begins at i: behind a sign, at the capital of dbPassword, behind the capitals of
 * PGPASSWORD and -Dpassword. */
static int word_begins(eg_str s, size_t i) {
    if (!i || !is_alnum(s.ptr[i - 1]) || (is_upper(s.ptr[i]) && !is_upper(s.ptr[i - 1]))) return 1;
    size_t first = i;
    while (first && i - first < 32 && is_upper(s.ptr[first - 1])) first--;
    return !first || !is_alnum(s.ptr[first - 1]);
}

/* The index behind a word like "password" at i; 0: there is none. */
static size_t sensitive_word(eg_str s, size_t i) {
    static const char *const words[] = {"password",   "passwd",        "passphrase",      "pass",           "pwd",
                                        "secret",     "api_key",       "apikey",          "api-key",        "access_key",
                                        "accesskey",  "auth",          "token",           "auth_token",     "access_token",
                                        "authtoken",  "secret_key",    "secretkey",       "clientsecret",   "private_key",
                                        "accountkey", "client_secret", "secretaccesskey", "sharedaccesskey"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (same_letters(s, i, words[k])) {
            size_t end = i + strlen(words[k]);
            if (end < s.len && is_alnum(s.ptr[end])) continue;
            return end;
        }
    return 0;
}

/* SECRET_NAME, TOKEN_URL: where the secret is or what it is for. */
static int names_no_secret(eg_str name) {
    static const char *const endings[] = {"name", "url", "file", "path", "model", "id"};
    size_t last = name.len;
    while (last && is_alnum(name.ptr[last - 1])) last--;
    for (size_t k = 0; last && k < sizeof endings / sizeof endings[0]; k++)
        if (name.len - last == strlen(endings[k]) && same_letters(name, last, endings[k])) return 1;
    return 0;
}

/* Past quotes, stars and blanks around a name or value; `blanks`: which count. */
static size_t past_marks(eg_str s, size_t i, const char *blanks) {
    for (size_t from = i; i < s.len && i - from < 100;) {
        if (s.ptr[i] && (strchr("\"'`*\\]", s.ptr[i]) || strchr(blanks, s.ptr[i]))) i++;
        else if (starts(s, i, "\xE2\x80") && i + 2 < s.len && (s.ptr[i + 2] & 0xF8) == 0x98) i += 3; /* curly quotes */
        else break;
    }
    return i;
}

/* Where the value of the name at [i, end) begins: = "...", : ..., => ..., | ... |, (...), >...<, is
 * ...; 0: it has none. */
static size_t value_of(eg_str s, size_t i, size_t end) {
    static const char *const signs[] = {"=>", ":=", "==", "=", ":", "|", "(", "is "};
    size_t first = i, j = past_marks(s, end, " \t");
    while (first && i - first < 40 && is_token(s.ptr[first - 1])) first--;
    for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++)
        if (same_letters(s, j, signs[k])) return past_marks(s, j + strlen(signs[k]), signs[k][0] == ':' ? " \t\r\n" : " \t");
    if (first && s.ptr[first - 1] == '<' && starts(s, j, ">")) return j + 1; /* <password>...< */
    return j > end && starts(s, first, "--") ? j : 0;                        /* --password ... */
}

static eg_str value_at(eg_str s, size_t i) {
    size_t n = span_of(s, i, is_secret);
    while (n && strchr(".:|*\\", s.ptr[i + n - 1])) n--;
    return part(s, i, n);
}

/* password = "...", SECRET_KEY: ... */
static int assigned(eg_str s, size_t i, secret_hit *out) {
    if (!word_begins(s, i)) return 0;
    size_t end = sensitive_word(s, i);
    if (!end) return 0;
    end += span_of(s, end, is_token); /* SECRET_KEY_BASE */
    size_t j = value_of(s, i, end);
    if (!j || names_no_secret(part(s, i, end - i))) return 0;
    eg_str value = value_at(s, j);
    if (!looks_random(value) && !is_login(value)) return 0;
    *out = (secret_hit){"a password or key", j, j + value.len};
    return 1;
}

/* The index behind the word at j and the blanks that follow it. */
static size_t next_word(eg_str s, size_t j) {
    while (j < s.len && s.ptr[j] > ' ') j++;
    while (j < s.len && s.ptr[j] && strchr(" \t\r\n", s.ptr[j])) j++;
    return j;
}

/* Bearer TOKEN and Basic LOGIN of a header, -u USER:PASSWORD of a command, login USER password
 * PASSWORD of .netrc. */
static int presented(eg_str s, size_t i, secret_hit *out) {
    size_t j = i;
    if (same_letters(s, i, "bearer ") || same_letters(s, i, "basic ")) {
        j = next_word(s, i);
    } else if (same_letters(s, i, "login ")) {
        j = next_word(s, next_word(s, i));
        if (!same_letters(s, j, "password")) return 0;
        j = next_word(s, j);
    } else if (starts(s, i, "-u ") || starts(s, i, "--user ")) {
        j = next_word(s, i);
        while (j < s.len && (is_token(s.ptr[j]) || s.ptr[j] == '.' || s.ptr[j] == '@')) j++;
        if (j >= s.len || s.ptr[j++] != ':') return 0;
    } else {
        return 0;
    }
    eg_str value = value_at(s, j);
    if (same_letters(s, i, "basic ") ? !is_login(value) : !looks_random(value)) return 0;
    *out = (secret_hit){"a password or token of a request", j, j + value.len};
    return 1;
}

int secret_find(eg_str text, size_t from, secret_hit *out) {
    for (size_t i = from; i < text.len; i++) {
        int begins = i == 0 || !is_token(text.ptr[i - 1]);
        if (begins && (shaped(text, i, out) || jwt(text, i, out) || encoded_pem(text, i, out))) return 1;
        if (begins && (hook(text, i, out) || signature(text, i, out) || presented(text, i, out) || aws_secret(text, i, out)))
            return 1;
        if (is_digit(text.ptr[i]) && telegram_token(text, i, out)) return 1;
        if (text.ptr[i] == '-' && pem(text, i, out)) return 1;
        if (text.ptr[i] == ':' && url_password(text, i, out)) return 1;
        if (assigned(text, i, out)) return 1;
    }
    return 0;
}
