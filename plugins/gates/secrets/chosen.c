/* chosen.c - see chosen.h. Sources: the manuals of the clients (mysql, mongosh, redis-cli, sqlcmd,
 * ldapsearch) for their options, ADO.NET and libpq for connection strings. */
#include "chosen.h"

#include "chars.h"
#include "looks.h"
#include "names.h"

enum { FARTHEST = 100 /* characters before a name that are looked at */ };

typedef struct found {
    eg_str value;
    size_t start;
    int quoted, lone; /* lone: the clause, line or bracket ends behind it */
    secret_weakness kind;
} found;

static int is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static int is_blank(char c) { return c == ' ' || c == '\t'; }
static int is_end(eg_str s, size_t i) { return i >= s.len || s.ptr[i] == '\n' || s.ptr[i] == '\r'; }

/* The clause ends at i: at a sign with a blank behind it, or a bracket that closes. */
static int clause_ends(eg_str s, size_t i) {
    while (i < s.len && is_blank(s.ptr[i])) i++;
    if (is_end(s, i) || strchr("})]", s.ptr[i])) return 1;
    return strchr(".,;!?", s.ptr[i]) && (is_end(s, i + 1) || is_blank(s.ptr[i + 1]));
}

static found value_from(eg_str s, size_t i) {
    found f = {.start = i};
    while (f.start < s.len && (is_quote(s.ptr[f.start]) || s.ptr[f.start] == '*')) f.start++;
    f.value = value_at(s, f.start);
    size_t end = f.start + f.value.len;
    f.quoted = f.start > i && end < s.len && is_quote(s.ptr[end]);
    while (end < s.len && (is_quote(s.ptr[end]) || s.ptr[end] == '*')) end++;
    f.lone = clause_ends(s, end);
    f.kind = secret_is_weak(f.value);
    return f;
}

/* The value at i of a sentence or an entry with a colon. Behind "=" & and ? may begin the next
 * parameter of a URL; here, within a word that has a digit, they are signs of a password. */
static found value_in_words(eg_str s, size_t i) {
    char plain[64];
    found f = value_from(s, i);
    size_t n = f.value.len, others = 0, digits = 0;
    if (f.kind != SECRET_NOT_WEAK || n > sizeof plain) return f;
    for (size_t k = 0; k < n; k++) {
        /* $NAME and %NAME% are references */
        int other = k && f.value.ptr[k] && strchr("&?$%", f.value.ptr[k]) != NULL;
        plain[k] = f.value.ptr[k];
        if (other) plain[k] = '!';
        others += (size_t)other;
        digits += (size_t)is_digit(f.value.ptr[k]);
    }
    if (others && digits && !secret_is_reference(f.value)) f.kind = secret_is_weak((eg_str){plain, n});
    return f;
}

/* Where the name that has s[i] in it begins: spring.datasource.password, db-password. */
static size_t name_start(eg_str s, size_t i) {
    size_t from = i;
    while (i && from - i < FARTHEST && (is_token(s.ptr[i - 1]) || s.ptr[i - 1] == '.')) i--;
    return i;
}

/* The name at i begins a line, a bracket, a member of a list or what is quoted. */
static int begins_entry(eg_str s, size_t i) {
    while (i && (is_blank(s.ptr[i - 1]) || strchr("-*>", s.ptr[i - 1]))) i--;
    return !i || is_end(s, i - 1) || is_quote(s.ptr[i - 1]) || strchr("{(,|", s.ptr[i - 1]);
}

/* Behind ';' or '&' of a connection string, or between other settings of one. */
static int in_connection_string(eg_str s, size_t first) {
    size_t i = first;
    if (i && strchr(";?&", s.ptr[i - 1])) return 1;
    while (i && is_blank(s.ptr[i - 1])) i--;
    if (i && s.ptr[i - 1] == ';') return 1;
    size_t end = i;
    while (i && end - i < FARTHEST && s.ptr[i - 1] > ' ') i--;
    return i < first && i < end && is_lower(s.ptr[i]) && memchr(s.ptr + i, '=', end - i) != NULL;
}

static int is_option(eg_str s, size_t first) { return starts(s, first, "--"); }

static int is_environment(eg_str s, size_t first, size_t end) {
    for (size_t i = first; i < end; i++)
        if (!is_upper(s.ptr[i]) && !is_digit(s.ptr[i]) && s.ptr[i] != '_') return 0;
    return 1;
}

/* name: value */
static int set_by_colon(eg_str s, size_t first, size_t sign, found *f) {
    size_t i = sign + 1;
    while (i < s.len && is_blank(s.ptr[i])) i++;
    *f = value_in_words(s, i);
    if (!f->lone && !f->quoted) return 0;
    return f->kind == SECRET_WEAK_MIXED || (f->kind == SECRET_WEAK_WORD && (f->quoted || begins_entry(s, first)));
}

/* name=value, name = "value" */
static int set_by_equals(eg_str s, size_t first, size_t end, size_t sign, found *f) {
    size_t i = sign + 1;
    if (i < s.len && strchr("=>~", s.ptr[i])) return 0; /* a comparison, or the => of a map */
    int tight = sign == end && !(i < s.len && is_blank(s.ptr[i]));
    while (i < s.len && is_blank(s.ptr[i])) i++;
    *f = value_from(s, i);
    if (f->kind == SECRET_NOT_WEAK) return 0;
    if (f->quoted) return 1;
    size_t next = f->start + f->value.len;
    if (in_connection_string(s, first) && tight && (clause_ends(s, next) || strchr("; &\"'`", s.ptr[next]))) return 1;
    if (tight && (is_environment(s, first, end) || is_option(s, first)))
        return clause_ends(s, next) || is_blank(s.ptr[next]) || is_quote(s.ptr[next]);
    return f->kind == SECRET_WEAK_MIXED && f->lone;
}

/* The index behind one of these words at i, blanks included; i: none is there. */
static size_t past_words(eg_str s, size_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (same_letters(s, i, words[k])) return i + strlen(words[k]);
    return i;
}
#define PAST(s, i, words) past_words(s, i, words, sizeof(words) / sizeof *(words))

/* password [for the staging box] is [now] value */
static int said(eg_str s, size_t end, found *f) {
    static const char *const about[] = {" for ", " of ", " on ", " in ", " to ", " at "};
    static const char *const is[] = {" is ", " was ", " ist ", " lautet ", " est ", " es "};
    static const char *const more[] = {"now ", "still ", "set to ", "changed to ", "just ", "simply "};
    enum { LONGEST = 60 };
    size_t i = PAST(s, end, about), most = end + LONGEST < s.len ? end + LONGEST : s.len, behind = 0;
    if (i > end) i--;
    for (; i < most && !behind && !strchr(".,;:!?\n", s.ptr[i]); i++) {
        size_t next = PAST(s, i, is);
        if (next > i) behind = next;
        else if (i == end) return 0;
    }
    if (!behind) return 0;
    for (size_t next; (next = PAST(s, behind, more)) > behind;) behind = next;
    *f = value_in_words(s, behind);
    return f->lone && (f->kind == SECRET_WEAK_MIXED || (f->kind == SECRET_WEAK_WORD && f->quoted));
}

/* with [the] password value, --password value */
static int handed_over(eg_str s, size_t first, size_t end, found *f) {
    static const char *const before[] = {"with ", "with the ", "and ", "and the ", "using ", "using the "};
    if (end >= s.len || s.ptr[end] != ' ') return 0;
    if (is_option(s, first)) {
        *f = value_from(s, end + 1);
        return f->kind == SECRET_WEAK_MIXED;
    }
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
        size_t n = strlen(before[k]);
        if (first < n || !same_letters(s, first - n, before[k])) continue;
        *f = value_from(s, end + 1);
        return f->lone && (f->kind == SECRET_WEAK_MIXED || (f->kind == SECRET_WEAK_WORD && f->quoted));
    }
    return 0;
}

int secret_chosen(eg_str s, size_t i, secret_hit *out) {
    size_t end = name_begins(s, i) ? name_is_chosen(s, i) : 0;
    size_t first = name_start(s, i), sign = value_past_marks(s, end, " \t");
    /* a longer name says what the value is: password_length, pw-reset */
    if (!end || (end < s.len && is_token(s.ptr[end]))) return 0;
    /* pw and PWD alone are many things, MYSQL_PWD is not */
    if (end - i < 4 && (first == i || !is_environment(s, first, end))) return 0;
    found f;
    int is = 0;
    if (sign < s.len && s.ptr[sign] == ':' && !starts(s, sign, "::")) is = set_by_colon(s, first, sign, &f);
    else if (sign < s.len && s.ptr[sign] == '=') is = set_by_equals(s, first, end, sign, &f);
    else is = said(s, end, &f) || handed_over(s, first, end, &f);
    if (!is) return 0;
    *out = (secret_hit){"a password", f.start, f.start + f.value.len};
    return 1;
}

int secret_of_command(eg_str s, size_t i, secret_hit *out) {
    static const struct {
        const char *command, *option;
    } clients[] = {{"mysql", "-p"},    {"mysqldump", "-p"},    {"mysqladmin", "-p"},    {"mysqlimport", "-p"},
                   {"mariadb", "-p"},  {"mariadb-dump", "-p"}, {"mycli", "-p"},         {"mongo", "-p "},
                   {"mongosh", "-p "}, {"mongodump", "-p "},   {"mongorestore", "-p "}, {"redis-cli", "-a "},
                   {"sqlcmd", "-P "},  {"ldapsearch", "-w "},  {"ldapadd", "-w "},      {"ldapmodify", "-w "}};
    enum { LONGEST = 400 };
    size_t word = span_of(s, i, is_token), most = s.len - i < LONGEST ? s.len : i + LONGEST;
    for (size_t k = 0; k < sizeof clients / sizeof *clients; k++) {
        if (word != strlen(clients[k].command) || !starts(s, i, clients[k].command)) continue;
        for (size_t j = i + word; j < most && !strchr("|;\n`", s.ptr[j]); j++) {
            if (!is_blank(s.ptr[j]) || !starts(s, j + 1, clients[k].option)) continue;
            size_t at = j + 1 + strlen(clients[k].option);
            found f = value_from(s, at);
            size_t next = f.start + f.value.len;
            if (f.kind == SECRET_NOT_WEAK && !secret_is_human_password(f.value) && !secret_looks_random(f.value)) continue;
            if (next < s.len && s.ptr[next] > ' ' && !is_quote(s.ptr[next]) && !clause_ends(s, next)) continue;
            *out = (secret_hit){"a password of a command", f.start, next};
            return 1;
        }
    }
    return 0;
}
