/* sentence.c - see sentence.h. */
#include "sentence.h"

#include "../common/fact_context.h"

typedef struct cursor {
    eg_request *rq;
    eg_str s; /* the content */
    size_t at, end;
    sentence *out;
    const eg_claim *claims;
    size_t claim_count;
    uint8_t clause, code;
    int failed;
} cursor;

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static int is_alnum(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || (unsigned char)c >= 0x80; }

int word_in(eg_str s, const char *list) {
    if (!s.len) return 0;
    char first = lower(s.ptr[0]);
    for (const char *p = list; p; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (*p != first) continue;
        size_t i = 1;
        while (i < s.len && p[i] == lower(s.ptr[i])) i++;
        if (i == s.len && (p[i] == ' ' || !p[i])) return 1;
    }
    return 0;
}

/* Stop words. Sorted for binary search. */
static const char *const stop_words[] = {
    "after", "all",    "also",  "and",   "any",       "are",     "as",    "at",    "be",   "been",  "before", "being",
    "but",   "by",     "can",   "could", "currently", "default", "did",   "do",    "does", "each",  "every",  "for",
    "from",  "had",    "has",   "have",  "how",       "if",      "in",    "into",  "is",   "it",    "its",    "may",
    "must",  "no",     "not",   "now",   "of",        "on",      "once",  "only",  "or",   "our",   "over",   "per",
    "shall", "should", "so",    "such",  "than",      "that",    "their", "them",  "then", "there", "these",  "they",
    "this",  "those",  "to",    "today", "under",     "unless",  "until", "up",    "via",  "was",   "we",     "were",
    "what",  "when",   "where", "which", "who",       "will",    "with",  "would", "you",  "your"};
/* Stems of verbs, which end the subject. Sorted for binary search. */
static const char *const verbs[] = {
    "accept",  "act",     "align", "allow",    "are",     "be",      "belong",  "build", "can",     "clos",     "com",
    "come",    "contain", "copi",  "cost",     "cover",   "default", "delet",   "do",    "does",    "downlink", "draw",
    "drop",    "equal",   "expir", "fail",     "fall",    "get",     "gets",    "giv",   "go",      "goe",      "had",
    "has",     "have",    "hold",  "includ",   "include", "is",      "keep",    "kill",  "land",    "last",     "listen",
    "liv",     "live",    "lock",  "maintain", "mark",    "may",     "mean",    "mov",   "must",    "need",     "open",
    "own",     "pag",     "pay",   "point",    "poll",    "publish", "purg",    "read",  "rebuild", "rebuilt",  "requir",
    "retri",   "return",  "rotat", "ru",       "run",     "scan",    "sen",     "send",  "serv",    "shall",    "ship",
    "should",  "sit",     "speak", "start",    "stay",    "stor",    "support", "sweep", "tak",     "talk",     "travel",
    "trigger", "us",      "use",   "wait",     "wak",     "was",     "were",    "will",  "work",    "writ"};
/* Words that may indicate a change or another time. Sorted for binary search. */
static const char *const signals[] = {"formerly", "had",      "instead",    "lower",  "migrat",   "mov",    "no",
                                      "now",      "plann",    "previously", "propos", "proposed", "rais",   "rather",
                                      "replac",   "replaced", "roadmap",    "since",  "supersed", "switch", "upcom",
                                      "us",       "use",      "used",       "was",    "were"};

/* 1 when the lower-case s is one of the sorted words. */
static int is_among(eg_str s, const char *const *words, size_t n) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2, len = strlen(words[middle]), common = len < s.len ? len : s.len;
        int order = memcmp(s.ptr, words[middle], common);
        if (order == 0 && s.len == len) return 1;
        if (order < 0 || (order == 0 && s.len < len)) high = middle;
        else low = middle + 1;
    }
    return 0;
}
#define AMONG(s, words) is_among(s, words, sizeof words / sizeof words[0])

static int is_stop(eg_str s) { return AMONG(s, stop_words); }

static int ends(const char *p, size_t n, const char *suffix) {
    size_t k = strlen(suffix);
    return n > k && memcmp(p + n - k, suffix, k) == 0;
}

/* The length of a lower-case word without plural s, -ing, -ed and final e. Stems are only compared
 * with each other. */
static size_t stem(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] < 'a' || p[i] > 'z') return n;
    if (n < 4) return n;
    if (p[n - 1] == 's' && !ends(p, n, "ss") && !ends(p, n, "us") && !ends(p, n, "is")) n--;
    if (ends(p, n, "ing") && n > 5) n -= 3;
    else if (ends(p, n, "ed") && n > 4) n -= 2;
    if (n > 3 && p[n - 1] == 'e') n--;
    return n;
}

/* The claim whose value begins at byte `at`, except enums, names and paths, which are compared as
 * words. */
static const eg_claim *value_at(const cursor *c, size_t at) {
    for (size_t i = 0; i < c->claim_count; i++) {
        const eg_claim *k = &c->claims[i];
        if (k->statement != c->out->statement || k->span.start != at || k->span.end <= at) continue;
        if (k->value_kind != EG_VALUE_ENUM && k->value_kind != EG_VALUE_NAME && k->value_kind != EG_VALUE_PATH &&
            k->value_kind != EG_VALUE_NONE)
            return k;
    }
    return NULL;
}

static unit *push(cursor *c, size_t start, size_t end) {
    if (c->out->n == MAX_UNITS) return NULL;
    unit *u = &c->out->units[c->out->n++];
    *u = (unit){.span = {(uint32_t)start, (uint32_t)end}, .clause = c->clause, .code = c->code};
    return u;
}

/* Drops bounding words, such as "at most", directly before a value: its quantifier has their
 * meaning. */
static void drop_bounds(cursor *c, const eg_claim *value) {
    if (value->quantifier == EG_QUANTIFIER_EXACTLY || value->quantifier == EG_QUANTIFIER_ONLY) return;
    size_t dropped = 0;
    while (c->out->n && dropped < 3) {
        eg_str key = c->out->units[c->out->n - 1].key;
        if (!word_in(key, "up to at most least no not more less fewer than under below within maximum max over above "
                          "minimum min about around roughly approximately nearly almost some circa longer larger "
                          "greater "
                          "shorter smaller higher lower mor long larg great short small high low"))
            break;
        c->out->n--;
        dropped++;
    }
}

static void push_value(cursor *c, const eg_claim *value) {
    drop_bounds(c, value);
    unit *u = push(c, value->span.start, value->span.end);
    if (!u) return;
    u->kind = UNIT_VALUE;
    u->content = 1;
    u->claim = value;
    u->key = value->text;
}

/* Adds a word in lower case; "cannot" and "isn't" become two units. */
static void push_word(cursor *c, size_t start, size_t end) {
    eg_str raw = {c->s.ptr + start, end - start};
    if (raw.len > 2 && raw.ptr[raw.len - 2] == '\'' && lower(raw.ptr[raw.len - 1]) == 's') raw.len -= 2;
    if (raw.len > 4 && memcmp(raw.ptr + raw.len - 4, "\xE2\x80\x99s", 4) == 0) raw.len -= 4;
    if (word_in(raw, "a an the")) return;
    int denied = raw.len > 4 && word_in(raw, "cannot can't isn't aren't doesn't don't won't mustn't");
    unit *u = push(c, start, start + raw.len);
    if (!u) return;
    char *p = eg_request_array(c->rq, raw.len + 1, 1);
    if (!p) {
        c->failed = 1;
        return;
    }
    int humps = 0, digits = 0, signs = 0;
    for (size_t i = 0; i < raw.len; i++) {
        p[i] = lower(raw.ptr[i]);
        humps |= i && is_upper(raw.ptr[i]);
        digits |= is_digit(raw.ptr[i]);
        signs |= raw.ptr[i] == '_' || raw.ptr[i] == '.' || raw.ptr[i] == '/' || raw.ptr[i] == ':' || raw.ptr[i] == '@';
    }
    int identifier = humps || digits || signs || c->code;
    u->code = (uint8_t)identifier;
    u->kind = identifier || (is_upper(raw.ptr[0]) && c->out->n > 1) || (unsigned char)raw.ptr[0] >= 0x80 ? UNIT_NAME : UNIT_WORD;
    int stop = is_stop((eg_str){p, raw.len});
    u->key = (eg_str){p, identifier || stop ? raw.len : stem(p, raw.len)};
    if (denied) {
        u->key = word_in(raw, "cannot can't") ? EG_STR("can")
                 : word_in(raw, "isn't")      ? EG_STR("is")
                 : word_in(raw, "aren't")     ? EG_STR("are")
                 : word_in(raw, "doesn't")    ? EG_STR("does")
                 : word_in(raw, "don't")      ? EG_STR("do")
                 : word_in(raw, "won't")      ? EG_STR("will")
                                              : EG_STR("must");
        unit *not = push(c, start, start + raw.len);
        if (not ) not ->key = EG_STR("not");
    }
    u->content = (uint8_t)!stop;
}

static int inner_sign(char ch) {
    return ch == '.' || ch == '-' || ch == '/' || ch == '_' || ch == ':' || ch == '@' || ch == '\'' || ch == '+' || ch == '#' ||
           ch == '*' || ch == '<' || ch == '>' || ch == '{' || ch == '}';
}

/* The end of the word at c->at: letters, digits and signs within. A value that begins within ends
 * the word. */
static size_t word_end(const cursor *c) {
    size_t i = c->at;
    while (i < c->end) {
        char ch = c->s.ptr[i];
        if (i > c->at && !is_alnum(c->s.ptr[i - 1]) && value_at(c, i)) break;
        if (is_alnum(ch) || ch == '_') i++;
        else if (inner_sign(ch) && i + 1 < c->end && (is_alnum(c->s.ptr[i + 1]) || c->s.ptr[i + 1] == '_') && i > c->at) i++;
        else if ((ch == '+' || ch == '#') && i > c->at && is_alnum(c->s.ptr[i - 1])) i++;
        else break;
    }
    return i;
}

static int is_general_punctuation(const cursor *c) { return c->end - c->at >= 3 && memcmp(c->s.ptr + c->at, "\xE2\x80", 2) == 0; }

static void step(cursor *c) {
    const eg_claim *value = value_at(c, c->at);
    if (value) {
        push_value(c, value);
        c->at = value->span.end;
        return;
    }
    char ch = c->s.ptr[c->at];
    if (is_general_punctuation(c)) { /* dashes, typographic quotes */
        if ((unsigned char)c->s.ptr[c->at + 2] <= 0x95 && (unsigned char)c->s.ptr[c->at + 2] >= 0x93) c->clause++;
        c->at += 3;
        return;
    }
    int leads = (ch == '/' || ch == '.' || ch == '@' || ch == '-') && c->at + 1 < c->end && is_alnum(c->s.ptr[c->at + 1]);
    if (is_alnum(ch) || ch == '_' || leads) {
        size_t start = c->at;
        if (leads) c->at++;
        size_t end = word_end(c);
        if (end == c->at) end++;
        eg_str w = {c->s.ptr + start, end - start};
        if ((lower(w.ptr[0]) == 'b' || lower(w.ptr[0]) == 's' || lower(w.ptr[0]) == 'w' || lower(w.ptr[0]) == 'u' ||
             lower(w.ptr[0]) == 't' || lower(w.ptr[0]) == 'a') &&
            word_in(w, "but so which while whereas because since unless though although") && !c->code)
            c->clause++;
        push_word(c, start, end);
        c->at = end;
        return;
    }
    if (ch == '`') c->code = !c->code;
    if (ch == ':' && c->out->n && c->out->colon == SIZE_MAX) c->out->colon = c->out->n;
    if (ch == ',' || ch == ';' || ch == ':' || ch == '(' || ch == ')') c->clause++;
    c->at++;
}

/* The index of the first unit that looks like a verb; n: none. */
static size_t find_verb(const sentence *x) {
    for (size_t i = 1; i < x->n; i++) {
        eg_str k = x->units[i].key;
        if (i >= x->colon) return i;
        if (x->units[i].kind != UNIT_WORD) continue;
        if (AMONG(k, verbs)) return i;
    }
    return x->n;
}

static uint64_t words_of(const sentence *x) {
    uint64_t bits = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (!x->units[i].content || x->units[i].kind == UNIT_VALUE) continue;
        uint32_t h = 2166136261u; /* FNV-1a */
        for (size_t k = 0; k < x->units[i].key.len; k++) h = (h ^ (unsigned char)x->units[i].key.ptr[k]) * 16777619u;
        bits |= UINT64_C(1) << ((h ^ (h >> 15)) & 63);
    }
    return bits;
}

static int says_update(const sentence *x) {
    for (size_t i = 0; i < x->n; i++) {
        eg_str k = x->units[i].key, next = i + 1 < x->n ? x->units[i + 1].key : EG_STR("");
        if (!AMONG(k, signals)) continue;
        if (word_in(k, "replac replaced supersed formerly previously switch migrat rais lower mov") &&
            word_in(next, "by from to with"))
            return 1;
        if (word_in(k, "no") && word_in(next, "longer long")) return 1;
        if (word_in(k, "instead rather") && word_in(next, "of than")) return 1;
        if (word_in(k, "used us") && word_in(next, "to") && i + 2 < x->n && word_in(x->units[i + 2].key, "be")) return 1;
        if (word_in(k, "was were"))
            for (size_t j = i + 1; j < x->n; j++)
                if (word_in(x->units[j].key, "now today since")) return 1;
        if (word_in(k, "now") && i)
            for (size_t j = 0; j < x->n; j++)
                if (word_in(x->units[j].key, "was were from earlier before old former")) return 1;
    }
    return 0;
}

/* "now", "since 3.2": implies that something else was true before. */
static int says_now(const sentence *x) {
    for (size_t i = 0; i < x->n; i++) {
        if (!AMONG(x->units[i].key, signals)) continue;
        if (word_in(x->units[i].key, "now")) return 1;
        if (word_in(x->units[i].key, "since") && i + 1 < x->n && x->units[i + 1].kind != UNIT_WORD) return 1;
    }
    return 0;
}

static uint32_t words_modality(const sentence *x) {
    int past = 0;
    for (size_t i = 0; i < x->n; i++) {
        eg_str k = x->units[i].key;
        if (!AMONG(k, signals)) continue;
        past |= word_in(k, "was were had");
        if (word_in(k, "plann propos proposed roadmap upcom")) return EG_MODALITY_PLANNED;
    }
    return past ? EG_MODALITY_PAST : EG_MODALITY_IS;
}

eg_status sentence_read(eg_request *rq, const eg_case_fact *fact, uint32_t i, sentence *out) {
    *out = (sentence){.fact = fact, .statement = i, .colon = SIZE_MAX};
    out->units = eg_request_array(rq, MAX_UNITS, sizeof *out->units);
    if (!out->units) return EG_ENOMEM;
    eg_span span = fact->statements[i];
    cursor c = {.rq = rq,
                .s = fact->fact->content,
                .at = span.start,
                .end = span.end,
                .out = out,
                .claims = fact->claims,
                .claim_count = fact->claim_count};
    while (c.at < c.end && !c.failed) step(&c);
    if (c.failed) return EG_ENOMEM;
    out->verb = find_verb(out);
    out->words = words_of(out);
    out->updates = says_update(out);
    out->now = says_now(out);
    out->modality = words_modality(out);
    for (size_t k = 0; k < fact->claim_count; k++)
        if (fact->claims[k].statement == i && fact->claims[k].modality != EG_MODALITY_IS &&
            fact->claims[k].modality != EG_MODALITY_SHOULD)
            out->modality = fact->claims[k].modality;
    return EG_OK;
}

eg_str sentence_text(const sentence *x) {
    eg_span s = x->fact->statements[x->statement];
    return (eg_str){x->fact->fact->content.ptr + s.start, s.end - s.start};
}

int points_elsewhere(const sentence *x) { return x->n && !x->statement && begins_with_pronoun(sentence_text(x)); }

int takes_several(const sentence *x, const eg_span *at) {
    if (!x->n) return 0;
    if (word_in(x->units[0].key, "som one part")) return 1;
    size_t i = 0;
    for (; i < x->n && x->units[i].span.start < at->start; i++)
        if (word_in(x->units[i].key, "can may might could")) return 1;
    if (i < x->n && x->units[i].kind == UNIT_VALUE && x->units[i].claim->quantifier != EG_QUANTIFIER_EXACTLY)
        return 0; /* "3.8 and newer" */
    while (i && (!x->units[i - 1].content || x->units[i - 1].kind != UNIT_WORD ||
                 word_in(x->units[i - 1].key, "version port traffic connection tests test app")))
        i--;
    return i && word_in(x->units[i - 1].key,
                        "support accept allow expos work works test tested compatibl affect occur happen seen mention contain "
                        "read writ import talk copi replicat review trigger report forward block "
                        "field column index access acces open inbound");
}

int is_option(const sentence *x, const eg_span *at) {
    int possible = 0, set = 0;
    for (size_t i = 0; i < x->n; i++) {
        const unit *u = &x->units[i];
        if (u->span.start >= at->start)
            return set && word_in(x->units[i - 1].key, "to") &&
                   (u->kind != UNIT_VALUE || u->claim->quantifier == EG_QUANTIFIER_EXACTLY);
        set |= possible && word_in(u->key, "set configur adjust chang tun overrid");
        possible |= word_in(u->key, "can could may might");
    }
    return 0;
}
