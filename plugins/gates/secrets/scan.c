/* scan.c - see scan.h. Sources: RFC 7617 (Basic), RFC 3986 (user information in URLs). */
#include "scan.h"

#include "chars.h"
#include "chosen.h"
#include "encoded.h"
#include "looks.h"
#include "names.h"
#include "tokens.h"

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
    if (memchr(value.ptr, '/', value.len) && (memchr(name.ptr, '@', name.len) || !secret_is_mixed(value, 1))) return 0;
    if (secret_is_reference(value) || secret_is_stock(name, value)) return 0;
    *out = (secret_hit){"a password in a URL", password, j};
    return 1;
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

/* 1 when people choose such secrets, and the name is set here: with = or :, or as --name. In a
 * sentence ("the password is ...") only what has all that policies ask for counts. */
static int is_chosen(eg_str s, size_t i, size_t end, size_t value, eg_str said) {
    eg_str between = part(s, end, value - end);
    int assigns = memchr(between.ptr, '=', between.len) != NULL, colon = memchr(between.ptr, ':', between.len) != NULL;
    int set = assigns || colon || (contains(between, "is ") && secret_is_mixed(said, 1) && secret_has_sign(said));
    /* pass: alone is a word of logs and tests */
    if (same_letters(s, i, "pass") && end - i == 4) return assigns || (colon && i && s.ptr[i - 1] == '_');
    return name_is_chosen(s, i) && set;
}

/* 1 when an identifier is the secret itself: API keys of many services are UUIDs. */
static int is_key(eg_str name) { return contains(name, "key") || contains(name, "client"); }

/* password = "...", SECRET_KEY: ... */
static int assigned(eg_str s, size_t i, secret_hit *out) {
    if (!name_begins(s, i)) return 0;
    size_t end = name_is_sensitive(s, i);
    if (!end) return 0;
    end += span_of(s, end, is_token); /* SECRET_KEY_BASE */
    size_t j = value_of_name(s, i, end);
    if (!j || names_no_secret(part(s, i, end - i))) return 0;
    eg_str value = value_at(s, j);
    size_t query = 0; /* of a URL: what follows is another parameter */
    while (query < value.len && !strchr("&?", value.ptr[query])) query++;
    int chosen = is_chosen(s, i, end, j, part(s, j, query)) && secret_is_human_password(part(s, j, query));
    int uuid = is_key(part(s, i, end - i)) && secret_is_uuid(value);
    if (!chosen && !uuid && !secret_looks_random(value) && !secret_is_login(value)) return 0;
    *out = (secret_hit){"a password or key", j, j + value.len};
    return 1;
}

/* The index behind the word at j and the blanks that follow it. */
static size_t next_word(eg_str s, size_t j) {
    while (j < s.len && s.ptr[j] > ' ') j++;
    while (j < s.len && s.ptr[j] && strchr(" \t\r\n", s.ptr[j])) j++;
    return j;
}

/* Bearer TOKEN and Basic LOGIN of a header, -u USER:PASSWORD and sshpass -p PASSWORD of commands,
 * login USER password PASSWORD of .netrc. */
static int presented(eg_str s, size_t i, secret_hit *out) {
    size_t j = i;
    if (same_letters(s, i, "bearer ") || same_letters(s, i, "basic ")) {
        j = next_word(s, i);
    } else if (same_letters(s, i, "login ")) {
        j = next_word(s, next_word(s, i));
        if (!same_letters(s, j, "password")) return 0;
        j = next_word(s, j);
    } else if (starts(s, i, "sshpass -p")) {
        j = value_past_marks(s, i + strlen("sshpass -p"), " ");
    } else if (starts(s, i, "-u ") || starts(s, i, "--user ")) {
        j = next_word(s, i);
        while (j < s.len && (is_token(s.ptr[j]) || s.ptr[j] == '.' || s.ptr[j] == '@')) j++;
        if (j >= s.len || s.ptr[j++] != ':') return 0;
    } else {
        return 0;
    }
    eg_str value = value_at(s, j);
    int weak = same_letters(s, i, "login ") || starts(s, i, "sshpass ");
    int of_person = !same_letters(s, i, "bearer ") &&
                    (secret_is_human_password(value) || (weak && secret_is_weak(value) == SECRET_WEAK_MIXED));
    if (same_letters(s, i, "basic ") ? !secret_is_login(value) : !secret_looks_random(value) && !of_person) return 0;
    *out = (secret_hit){"a password or token of a request", j, j + value.len};
    return 1;
}

static int begins_at(eg_str s, size_t i, secret_hit *out) {
    if (secret_token(s, i, out)) return 1;
    if ((i == 0 || !is_token(s.ptr[i - 1])) && (presented(s, i, out) || secret_of_command(s, i, out))) return 1;
    return (s.ptr[i] == ':' && url_password(s, i, out)) || assigned(s, i, out) || secret_chosen(s, i, out);
}

/* The base64 of a text that holds a secret. One layer, and the beginning of a long one. */
static int encoded(eg_str s, size_t i, secret_hit *out) {
    char room[1024];
    size_t n = span_of(s, i, encoded_is_base64);
    if (n < 24 || (i && encoded_is_base64(s.ptr[i - 1]))) return 0;
    eg_str text = encoded_bytes(s, i, room, sizeof room);
    if (!encoded_is_text(text)) return 0;
    for (size_t k = 0; k < text.len; k++)
        if (begins_at(text, k, out)) {
            *out = (secret_hit){out->what, i, i + n};
            return 1;
        }
    return 0;
}

int secret_find(eg_str text, size_t from, secret_hit *out) {
    for (size_t i = from; i < text.len; i++)
        if (begins_at(text, i, out) || encoded(text, i, out)) return 1;
    return 0;
}
