/* tokens.c - see tokens.h. Sources of the shapes: the services' own documentation of their token
 * formats (AWS IAM identifiers, GitHub token formats, Slack token types, Stripe keys, Google API
 * keys, GitLab token prefixes), Azure storage connection strings and shared access signatures,
 * Telegram bot API, RFC 7519 (JWT), RFC 7468 (PEM). Documented example keys (AKIAIOSFODNN7EXAMPLE)
 * pass. */
#include "tokens.h"

#include "chars.h"
#include "encoded.h"
#include "looks.h"

typedef struct shape {
    const char *prefix, *what;
    size_t least, most; /* characters behind the prefix; most 0: any number */
    /* 'U': capitals and digits only; 'u': the same, and a digit; 'x': lower hex only; 'p': a prefix
     * that plain names may have too, so digits must follow; '.': the same, with dots between */
    char kind;
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
    {"key-", "a Mailgun key", 32, 32, 'x'},
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
        if (bad || plain || named || secret_entropy(rest) < 3.0 || secret_is_placeholder(rest)) continue;
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
        if (n < 40 || secret_entropy(rest) < 3.5 || secret_is_placeholder(rest)) return 0;
        *out = (secret_hit){hooks[k][1], body, body + n};
        return 1;
    }
    return 0;
}

/* sig=... of a shared access signature of Azure: the base64 of 32 bytes, as a URL writes it. */
static int signature(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "sig=")) return 0;
    size_t body = i + strlen("sig="), n = 0;
    while (body + n < s.len && (encoded_is_base64(s.ptr[body + n]) || s.ptr[body + n] == '%')) n++;
    eg_str value = part(s, body, n);
    if (n < 43 || n > 90 || is_hex(value) || !secret_looks_random(value)) return 0;
    *out = (secret_hit){"a shared access signature", body, body + n};
    return 1;
}

/* 8 to 10 digits, a colon, AA and 33 characters; alone or behind the "bot" of a request. */
static int telegram_token(eg_str s, size_t i, secret_hit *out) {
    if (i && is_token(s.ptr[i - 1]) && !(i >= 4 && starts(s, i - 4, "/bot"))) return 0;
    size_t digits = span_of(s, i, is_digit), body = i + digits + 1;
    if (digits < 8 || digits > 10 || !starts(s, body - 1, ":AA")) return 0;
    eg_str rest = {s.ptr + body, span_of(s, body, is_token)};
    if (rest.len != 35 || secret_entropy(rest) < 3.5) return 0;
    *out = (secret_hit){"a Telegram bot token", i, body + rest.len};
    return 1;
}

/* The base64 of the digits of a user, a dot, a time, a dot and a signature. */
static int discord_token(eg_str s, size_t i, secret_hit *out) {
    char digits[24];
    size_t a = span_of(s, i, encoded_is_base64);
    if (a < 23 || a > 28 || i + a >= s.len || s.ptr[i + a] != '.') return 0;
    eg_str user = encoded_bytes(s, i, digits, sizeof digits);
    if (user.len < 17 || span_of(user, 0, is_digit) != user.len) return 0;
    size_t second = i + a + 1, b = span_of(s, second, is_token), third = second + b + 1;
    if (b != 6 || third > s.len || s.ptr[third - 1] != '.') return 0;
    size_t c = span_of(s, third, is_token);
    if (c < 27 || c > 40) return 0;
    *out = (secret_hit){"a Discord token", i, third + c};
    return 1;
}

/* The private part of a key file of PuTTY. */
static int putty_key(eg_str s, size_t i, secret_hit *out) {
    if (!starts(s, i, "Private-Lines:")) return 0;
    size_t j = i + strlen("Private-Lines:");
    while (j < s.len && (s.ptr[j] == ' ' || is_digit(s.ptr[j]) || s.ptr[j] == '\r' || s.ptr[j] == '\n')) j++;
    size_t n = span_of(s, j, encoded_is_base64);
    if (n < 32 || is_hex(part(s, j, n))) return 0;
    *out = (secret_hit){"a private key", i, j + n};
    return 1;
}

/* 40 characters of base64 that are not a hash, in a text that mentions AWS and a secret; elsewhere
 * they must stand alone and change as often as random characters do: names and encoded text do
 * not. */
static int aws_secret(eg_str s, size_t i, secret_hit *out) {
    enum { LENGTH = 40, TURNS = 12 };
    char bytes[LENGTH];
    if (i && encoded_is_base64(s.ptr[i - 1])) return 0;
    eg_str run = {s.ptr + i, span_of(s, i, encoded_is_base64)};
    if (run.len != LENGTH || secret_entropy(run) < 4.2 || secret_is_placeholder(run) || !secret_is_mixed(run, 4)) return 0;
    int alone = (!i || !strchr(".-_=~:@#%&?", s.ptr[i - 1])) && (i + LENGTH == s.len || !strchr("=-_~%", s.ptr[i + LENGTH]));
    int named = contains(s, "secret") && contains(s, "aws");
    if (!named && (!alone || secret_turns(run) < TURNS || encoded_is_text(encoded_bytes(run, 0, bytes, sizeof bytes)))) return 0;
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
        n = span_of(s, j, encoded_is_base64);
        if (n < 32 || is_hex(part(s, j, n)) || !secret_is_tangled(part(s, j, n))) continue;
        *out = (secret_hit){"a private key", i, j + n};
        return 1;
    }
    return 0;
}

/* The base64 of a PEM file, as kubeconfig has it. Certificates are public. */
static int encoded_pem(eg_str s, size_t i, secret_hit *out) {
    char header[48];
    if (!starts(s, i, "LS0tLS1CRUdJTi") || !contains(encoded_bytes(s, i, header, sizeof header), "private key")) return 0;
    *out = (secret_hit){"a private key", i, i + span_of(s, i, encoded_is_base64)};
    return 1;
}

/* The body of a private key without its header. */
static int bare_key(eg_str s, size_t i, secret_hit *out) {
    size_t n = span_of(s, i, encoded_is_base64);
    if (n < 40 || (i && encoded_is_base64(s.ptr[i - 1])) || !encoded_is_private_key(s, i)) return 0;
    *out = (secret_hit){"a private key", i, i + n};
    return 1;
}

/* A token that a mail program or a terminal broke into lines: what stands at the beginning of the
 * next lines belongs to it, where the first line alone is no token. */
static int wrapped(eg_str s, size_t i, secret_hit *out) {
    enum { LEAST = 8, LINES = 16 };
    char joined[1024];
    size_t first = span_of(s, i, is_dotted), n = first, j = i + first;
    if (first < LEAST || first > sizeof joined) return 0;
    memcpy(joined, s.ptr + i, first);
    for (int line = 0; line < LINES; line++) {
        size_t next = j + (j < s.len && s.ptr[j] == '\r');
        if (next >= s.len || s.ptr[next] != '\n') return 0;
        for (next++; next < s.len && (s.ptr[next] == ' ' || s.ptr[next] == '\t'); next++) {}
        size_t more = span_of(s, next, is_dotted);
        secret_hit hit;
        if (!more || more > sizeof joined - n) return 0;
        memcpy(joined + n, s.ptr + next, more);
        n += more;
        j = next + more;
        eg_str whole = {joined, n};
        if (!(shaped(whole, 0, &hit) || jwt(whole, 0, &hit)) || hit.end <= first) continue;
        *out = (secret_hit){hit.what, i, j - (n - hit.end)};
        return 1;
    }
    return 0;
}

int secret_token(eg_str s, size_t i, secret_hit *out) {
    int begins = i == 0 || !is_token(s.ptr[i - 1]);
    if (begins && (shaped(s, i, out) || jwt(s, i, out) || encoded_pem(s, i, out) || bare_key(s, i, out))) return 1;
    if (begins && (discord_token(s, i, out) || putty_key(s, i, out))) return 1;
    if (begins && (hook(s, i, out) || signature(s, i, out) || aws_secret(s, i, out) || wrapped(s, i, out))) return 1;
    if (is_digit(s.ptr[i]) && telegram_token(s, i, out)) return 1;
    return s.ptr[i] == '-' && pem(s, i, out);
}
