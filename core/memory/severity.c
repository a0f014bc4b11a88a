/* severity.c - see severity.h. Words are compared whole, in lower case and without a plural s. */
#include "core/memory/severity.h"

#include <string.h>

#define SURE 0.85

enum { MAX_WORD = 24 };

/* What a statement is about, from grave to slight. */
typedef struct consequence {
    const char *about;
    int slight;        /* 1: nothing breaks */
    const char *words; /* separated by blanks */
} consequence;

static const consequence consequences[] = {
    {"security", 0,
     " password passwd passphrase secret credential token jwt oauth api-key authentication authenticate authorization "
     "authorize login permission privilege admin root sudo encrypt encrypted encryption tls ssl https certificate cert cipher "
     "signed signature vulnerability cve firewall csrf xss cors sandboxed mfa 2fa sso "},
    {"data", 0,
     " database backup back-up restore recovery retention retained retain delete deleted deletion drop dropped truncate purge "
     "purged erase erased overwrite overwritten lost loss irreversible migration rollback durable durability fsync replica "
     "replication replicated stored store storage persist persisted persistent transaction commit-log archive archived "},
    {"money", 0,
     " price pricing cost fee invoice billing billed charge charged payment payout refund tax vat currency discount budget salary "
     "eur euro usd gbp dollar cent "},
    {"limits", 0,
     " limit limited quota maximum max minimum min cap capped threshold timeout ttl expire expired expiry throttle throttled "
     "throttling concurrency concurrent capacity retry retried retries interval deadline pool rate backoff "},
    {"versions", 0, " version deprecated unsupported compatible compatibility incompatible "},
    {"addresses", 0, " port url uri host hostname endpoint domain dns ip address socket "},
    {"style and naming", 1,
     " style naming named name indent indented indentation tab formatting formatted formatter lint linter casing camelcase "
     "snake_case kebab-case prettier capitalised capitalized semicolon comment wording typo title label colour color icon font "
     "spelling spelled heading prefix suffix "},
};
enum { CONSEQUENCES = sizeof consequences / sizeof consequences[0], LIMITS = 3, VERSIONS = 4, ADDRESSES = 5 };

/* The gravest class that was seen so far, and the word that says so. */
typedef struct seen {
    size_t class; /* CONSEQUENCES: none */
    eg_str word;
} seen;

static void see(seen *s, size_t class, eg_str word) {
    if (class < s->class) *s = (seen){class, word};
}

static int is_part(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

static int is_listed(const char *words, const char *word, size_t n) {
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ') return 1;
    return 0;
}

static void see_word(seen *s, eg_str word) {
    char lower[MAX_WORD + 1];
    if (word.len < 2 || word.len > MAX_WORD) return;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' ? (char)(word.ptr[i] + 32) : word.ptr[i];
    lower[word.len] = '\0';
    size_t n = word.len;
    for (size_t i = 0; i < s->class && i < CONSEQUENCES; i++)
        if (is_listed(consequences[i].words, lower, n)) see(s, i, word);
    if (n < 4 || lower[n - 1] != 's') return;
    lower[--n] = '\0';
    for (size_t i = 0; i < s->class && i < CONSEQUENCES; i++)
        if (is_listed(consequences[i].words, lower, n)) see(s, i, word);
}

/* 1 for a character that joins words to a path, an address or an identifier: what is in there names
 * something, and says little about what breaks. */
static int joins(eg_str text, size_t i) {
    if (i >= text.len) return 0;
    if (text.ptr[i] == '.') return i + 1 < text.len && is_part(text.ptr[i + 1]);
    return text.ptr[i] == '/' || text.ptr[i] == '=' || text.ptr[i] == '<' || text.ptr[i] == '@';
}

static void see_words(seen *s, eg_str text) {
    for (size_t i = 0; i < text.len;) {
        size_t from = i;
        while (i < text.len && is_part(text.ptr[i])) i++;
        int inside = joins(text, i) || (from && joins(text, from - 1));
        if (i > from && !inside) see_word(s, (eg_str){text.ptr + from, i - from});
        if (i == from) i++;
    }
}

/* Values within the part of a fact by their kind: a version, a port, an amount in some unit. */
static void see_values(seen *s, const eg_case_fact *f, eg_span part) {
    for (size_t i = 0; i < f->claim_count; i++) {
        const eg_claim *c = &f->claims[i];
        if (c->span.start < part.start || c->span.end > part.end) continue;
        eg_str words = {f->fact->content.ptr + c->span.start, c->span.end - c->span.start};
        int bare =
            eg_str_eq(c->dimension, EG_STR("number")) || (c->dimension.len >= 5 && memcmp(c->dimension.ptr, "count", 5) == 0);
        if (c->value_kind == EG_VALUE_VERSION) see(s, VERSIONS, words);
        if (c->value_kind == EG_VALUE_PORT) see(s, ADDRESSES, words);
        if (c->value_kind == EG_VALUE_QUANTITY && c->dimension.len && !bare) see(s, LIMITS, words);
    }
}

/* The statement in which the words stand that disagree; the whole content where no statement holds
 * them. */
static eg_span statement_with(const eg_case_fact *f, eg_span words) {
    for (size_t i = 0; words.start < words.end && i < f->statement_count; i++)
        if (f->statements[i].start <= words.start && words.end <= f->statements[i].end) return f->statements[i];
    return (eg_span){0, (uint32_t)f->fact->content.len};
}

static void see_statement(seen *s, const eg_case_fact *f, eg_span words) {
    eg_span at = statement_with(f, words);
    see_words(s, (eg_str){f->fact->content.ptr + at.start, at.end - at.start});
    see_values(s, f, at);
}

static int is_of_the_tree(eg_str tier) { return tier.len > 4 && memcmp(tier.ptr, "tier", 4) == 0; }

eg_status eg_severity_decide(eg_request *rq, const eg_case *c, eg_finding *f) {
    const eg_case_fact *other = c->candidates[f->candidate];
    if (f->outcome != EG_OUTCOME_CONTRADICTION || !is_of_the_tree(f->tier)) return EG_OK;
    static const char *const names[] = {"low", "medium", "high"};
    seen s = {.class = CONSEQUENCES};
    eg_span at = f->span_subject, around = statement_with(c->subject, at);
    /* Where two values disagree, they say best what it is about: the words around them may belong
     * to the name of a component. */
    if (at.end - at.start < around.end - around.start) see_values(&s, c->subject, at);
    if (s.class == CONSEQUENCES) {
        see_statement(&s, c->subject, f->span_subject);
        see_statement(&s, other, f->span_candidate);
    }
    int sure = f->score >= SURE, known = s.class < CONSEQUENCES;
    uint32_t most = !known ? EG_SEVERITY_MEDIUM : consequences[s.class].slight ? EG_SEVERITY_LOW : EG_SEVERITY_HIGH;
    f->severity = sure || most == EG_SEVERITY_LOW ? most : most - 1;
    int own = other->same_agent && f->severity > EG_SEVERITY_MEDIUM;
    if (own) f->severity = EG_SEVERITY_MEDIUM;
    const char *but = own ? ", but one agent said both" : sure ? "" : ", but not sure";
    eg_str why = known ? eg_request_printf(rq, "about %s (\"%.*s\")", consequences[s.class].about, (int)s.word.len, s.word.ptr)
                       : EG_STR("about behaviour in general");
    if (!why.ptr) return EG_ENOMEM;
    f->explanation = eg_request_printf(rq, "%.*s Severity %s: %.*s%s.", (int)f->explanation.len, f->explanation.ptr,
                                       names[f->severity], (int)why.len, why.ptr, but);
    return f->explanation.ptr ? EG_OK : EG_ENOMEM;
}
