/* claims.c - reads claims out of statements. See text.h. Method: every value that values.c finds
 * becomes a claim. Where the clause around it is simple enough, its content words become the
 * subject and the attribute: a clause with one value, or `key = value`. Where it is not, the claim
 * has an empty subject: detectors may still compare it with a value that stands in the same place
 * of the same sentence. Beyond that, three shapes without a typed value are read: a configuration
 * key with a word as its value, an owner, and whether a thing is deprecated or current. Nothing
 * here compares claims. */
#include "core/text/text.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/text/fold.h"
#include "core/text/lex.h"
#include "core/text/values.h"
#include "core/text/words.h"

enum { MOST_TOKENS = 512, MOST_VALUES = 48, MOST_WORDS = 48, LONGEST_KEY = 240 };

typedef struct reading {
    eg_arena *arena;
    eg_str s, scope;
    const eg_token *t;
    size_t n;
    const eg_text_value *v;
    size_t values;
    uint32_t statement, modality;
    eg_str qualifiers; /* of the whole statement: environment, platform */
    eg_claim *out;
    size_t count, most;
    int failed;
} reading;

static eg_str text(const reading *r, size_t i) {
    if (i >= r->n) return (eg_str){"", 0};
    return (eg_str){r->s.ptr + r->t[i].start, r->t[i].end - r->t[i].start};
}
static int in(const reading *r, size_t i, const char *list) { return i < r->n && eg_word_in(text(r, i), list); }
static int is_mark(const reading *r, size_t i) { return i < r->n && r->t[i].kind == EG_TOKEN_MARK; }
static int mark_in(const reading *r, size_t i, const char *marks) {
    return is_mark(r, i) && text(r, i).len == 1 && strchr(marks, text(r, i).ptr[0]) != NULL;
}
static int holds(const reading *r, const char *list) {
    for (size_t i = 0; i < r->n; i++)
        if (!r->t[i].code && in(r, i, list)) return 1;
    return 0;
}
static int holds_pair(const reading *r, const char *first, const char *second) {
    for (size_t i = 0; i + 1 < r->n; i++)
        if (in(r, i, first) && in(r, i + 1, second)) return 1;
    return 0;
}

/* ---- what holds for a whole statement ---- */

static uint32_t modality_of(const reading *r) {
    int past = holds(r, "was were had");
    if ((past || holds(r, "been")) &&
        holds(r, "considered discussed rejected refused declined discarded shelved abandoned debated dismissed "
                 "evaluated tried tested dropped weighed"))
        return EG_MODALITY_REJECTED;
    if (holds_pair(r, "ruled turned voted", "out down")) return EG_MODALITY_REJECTED;
    if (holds(r, "planned roadmap proposed proposal proposes upcoming considering plans intends") ||
        holds_pair(r, "going next", "to quarter year release month week sprint") || holds_pair(r, "not", "yet"))
        return EG_MODALITY_PLANNED;
    if (holds(r, "said claimed according wrote quoted believes thinks")) return EG_MODALITY_QUOTED;
    if (past || holds(r, "formerly previously originally historically") || holds_pair(r, "used", "to")) {
        /* "X is used to" is no past */
        if (past || !holds_pair(r, "is are be", "used")) return EG_MODALITY_PAST;
    }
    if (holds(r, "should must shall ought")) return EG_MODALITY_SHOULD;
    return EG_MODALITY_IS;
}

typedef struct named {
    const char *key, *value, *words;
} named;

static const named context_words[] = {
    {"env", "production", "production prod live"},
    {"env", "staging", "staging stage preprod pre-production"},
    {"env", "development", "development dev local locally laptop laptops"},
    {"env", "test", "test tests testing qa ci"},
    {"env", "sandbox", "sandbox sandboxes demo preview previews canary simulator simulators simulation bench lab"},
    {"platform", "linux", "linux"},
    {"platform", "windows", "windows"},
    {"platform", "macos", "macos mac macs"},
    {"platform", "ios", "ios iphone iphones ipad ipados"},
    {"platform", "android", "android"},
    {"platform", "web", "web browser browsers"},
    {"platform", "desktop", "desktop"},
    {"platform", "mobile", "mobile"},
    {"platform", "arm64", "arm arm64 aarch64"},
    {"platform", "x86", "x86 x86_64 x86-64 amd64"},
    {"time", "weekday", "weekday weekdays"},
    {"time", "weekend", "weekend weekends"},
    {"time", "night", "night nights overnight"},
    {"time", "winter", "winter"},
    {"time", "summer", "summer"},
    {"time", "holiday", "christmas holidays"},
    {"plan", "free", "free"},
    {"plan", "enterprise", "enterprise"},
    {"plan", "pro", "pro premium plus paid"},
    {"plan", "trial", "trial trials"},
};

static int compare_pointers(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Sorted "key=value" of the context words of the statement, joined by ';'. */
static eg_str qualifiers_of(reading *r) {
    const char *found[sizeof context_words / sizeof context_words[0]];
    size_t n = 0;
    for (size_t k = 0; k < sizeof context_words / sizeof context_words[0]; k++) {
        if (!holds(r, context_words[k].words)) continue;
        found[n] = eg_arena_printf(r->arena, "%s=%s", context_words[k].key, context_words[k].value);
        if (!found[n++]) {
            r->failed = 1;
            return (eg_str){"", 0};
        }
    }
    qsort(found, n, sizeof found[0], compare_pointers);
    const char *all = "";
    for (size_t k = 0; k < n; k++) {
        char *joined = eg_arena_printf(r->arena, "%s%s%s", all, k ? ";" : "", found[k]);
        if (!joined) {
            r->failed = 1;
            return (eg_str){"", 0};
        }
        all = joined;
    }
    return eg_str_of(all);
}

/* ---- keys ---- */

/* A sorted bag of folded words, the form of a subject. */
typedef struct bag {
    const char *words[MOST_WORDS];
    size_t n;
} bag;

static int is_plain(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!eg_is_alpha(s.ptr[i])) return 0;
    return 1;
}

static void bag_add(reading *r, bag *b, eg_str word) {
    char p[EG_LONGEST_WORD + 4];
    if (b->n == MOST_WORDS) return;
    size_t n = eg_word_fold(word, p);
    if (n > 2 && p[n - 1] == 's' && p[n - 2] == '\'') n -= 2;
    if (is_plain((eg_str){p, n}) && !(word.len > 2 && eg_is_upper(word.ptr[word.len - 1])))
        n = eg_word_stem(p, n); /* HTTPS is not HTTP */
    for (size_t i = 0; i < b->n; i++)
        if (strlen(b->words[i]) == n && memcmp(b->words[i], p, n) == 0) return;
    b->words[b->n] = eg_arena_copy(r->arena, (eg_str){p, n});
    if (!b->words[b->n]) {
        r->failed = 1;
        return;
    }
    b->n++;
}

static eg_str bag_join(reading *r, bag *b) {
    qsort(b->words, b->n, sizeof b->words[0], compare_pointers);
    size_t size = 1;
    for (size_t i = 0; i < b->n; i++) size += strlen(b->words[i]) + 1;
    char *p = eg_arena_alloc(r->arena, size), *q = p;
    if (!p) {
        r->failed = 1;
        return (eg_str){"", 0};
    }
    for (size_t i = 0; i < b->n; i++) {
        if (i) *q++ = ' ';
        size_t k = strlen(b->words[i]);
        memcpy(q, b->words[i], k);
        q += k;
    }
    return (eg_str){p, (size_t)(q - p)};
}

static int is_attribute(const char *stem) {
    return eg_word_in(eg_str_of(stem), "timeout ttl limit port version retention interval size quota budget threshold period "
                                       "lifetime delay latency retry memory replica shard partition rate owner capacity depth "
                                       "length width price fee default minimum maximum timeouts backoff");
}

/* Words that link a subject to its value and say nothing of their own. */
static int is_link(const reading *r, size_t i) {
    return in(r, i,
              "set sets setting value equals exactly now currently today always default defaults amount "
              "amounts stands stand "
              "get gets give gives allow allows allowed");
}

/* A name of configuration: signs or humps inside, or code. */
static int is_key(const reading *r, size_t i) {
    if (i >= r->n || is_mark(r, i) || r->t[i].kind == EG_TOKEN_NUMBER) return 0;
    eg_str w = text(r, i);
    if (!eg_is_alpha(w.ptr[0]) || w.len < 3) return 0;
    int sign = 0, hump = 0;
    for (size_t k = 1; k < w.len; k++) {
        if (w.ptr[k] == '/' || w.ptr[k] == ':' || w.ptr[k] == '@') return 0;
        sign |= w.ptr[k] == '_' || w.ptr[k] == '.';
        hump |= eg_is_upper(w.ptr[k]) && eg_is_lower(w.ptr[k - 1]);
    }
    return sign || (hump && eg_is_lower(w.ptr[0])) || (r->t[i].code && r->t[i].kind != EG_TOKEN_NUMBER);
}

static int ends_clause(const reading *r, size_t i) {
    return mark_in(r, i, ",;:()[]") || (is_mark(r, i) && text(r, i).len > 1 && !r->t[i].code) ||
           (!r->t[i].code && in(r, i, "and but so which while whereas because since unless"));
}

static size_t clause_start(const reading *r, size_t at, size_t low) {
    size_t i = at;
    while (i > low && !ends_clause(r, i - 1)) i--;
    return i;
}
static size_t clause_end(const reading *r, size_t at) {
    size_t i = at;
    while (i < r->n && !ends_clause(r, i) && !(i + 1 == r->n && mark_in(r, i, ".!?"))) i++;
    return i;
}

/* ---- claims ---- */

static eg_claim *next_claim(reading *r) {
    if (r->count == r->most) return NULL;
    eg_claim *c = &r->out[r->count++];
    *c = (eg_claim){.statement = r->statement,
                    .modality = r->modality,
                    .qualifiers = r->qualifiers,
                    .polarity = 1,
                    .extractor = EG_EXTRACTOR_VERSION};
    return c;
}

static eg_str folded(reading *r, eg_str s) {
    char p[EG_LONGEST_WORD + 4];
    size_t n = eg_word_fold(s, p);
    char *copy = eg_arena_copy(r->arena, (eg_str){p, n});
    if (!copy) r->failed = 1;
    return (eg_str){copy ? copy : "", copy ? n : 0};
}

/* The value of v into c: kind, numbers, dimension, text, span. */
static void fill_value(reading *r, eg_claim *c, const eg_text_value *v) {
    c->span = (eg_span){r->t[v->first].start, r->t[v->last].end};
    c->value_kind = v->kind;
    c->quantifier = v->quantifier;
    c->low = v->low;
    c->high = v->high;
    c->text = v->word ? eg_str_of(v->word) : folded(r, (eg_str){r->s.ptr + c->span.start, c->span.end - c->span.start});
    c->dimension = eg_str_of(v->dimension ? v->dimension : "");
    if (v->noun == UINT32_MAX) return;
    bag b = {.n = 0};
    bag_add(r, &b, text(r, v->noun));
    const char *noun = b.n ? b.words[0] : "";
    char *d = eg_arena_printf(r->arena, "%s:%s", v->dimension, noun);
    if (!d) r->failed = 1;
    else c->dimension = eg_str_of(d);
}

/* Where the key of a `key = value` shape stands before token `value`; SIZE_MAX: there is none.
 * *attribute says what of the key the value is. */
static size_t key_before(const reading *r, size_t value, int typed, const char **attribute) {
    size_t i = value;
    *attribute = "value";
    while (i && (is_mark(r, i - 1) && strchr("`\"'", text(r, i - 1).ptr[0]))) i--;
    if (!i) return SIZE_MAX;
    if (mark_in(r, i - 1, "=")) i--;
    else if (mark_in(r, i - 1, ":") && (typed || r->t[i - 1].code)) i--;
    else if (in(r, i - 1, "is are be equals")) i--;
    else if (in(r, i - 1, "to") && i > 1 && in(r, i - 2, "defaults set fixed")) {
        if (in(r, i - 2, "defaults")) *attribute = "default";
        i -= 2;
        while (i && in(r, i - 1, "is are")) i--;
    } else return SIZE_MAX;
    while (i && is_mark(r, i - 1) && strchr("`\"'", text(r, i - 1).ptr[0])) i--;
    if (!i || !is_key(r, i - 1)) return SIZE_MAX;
    return i - 1;
}

/* The content words before a key in its statement and behind its value in the clause, as one
 * qualifier: a key may hold different values "in the nightly simulator" and "on the main
 * cluster". */
static void qualify_by_context(reading *r, eg_claim *c, size_t key, size_t value_end) {
    bag b = {.n = 0};
    for (size_t i = 0; i < key; i++)
        if (!is_mark(r, i) && !eg_word_is_stop(text(r, i)) && !is_link(r, i)) bag_add(r, &b, text(r, i));
    for (size_t i = value_end, end = clause_end(r, value_end); i < end; i++)
        if (!is_mark(r, i) && !eg_word_is_stop(text(r, i)) && !is_link(r, i)) bag_add(r, &b, text(r, i));
    if (!b.n) return;
    eg_str words = bag_join(r, &b);
    if (words.len > LONGEST_KEY) words.len = LONGEST_KEY;
    char *q = eg_arena_printf(r->arena, "context=%.*s%s%.*s", (int)words.len, words.ptr, c->qualifiers.len ? ";" : "",
                              (int)c->qualifiers.len, c->qualifiers.ptr);
    if (!q) r->failed = 1;
    else c->qualifiers = eg_str_of(q);
}

static void read_key_value(reading *r, eg_claim *c, size_t key, const char *attribute, size_t value_end) {
    c->subject = folded(r, text(r, key));
    c->attribute = eg_str_of(attribute);
    qualify_by_context(r, c, key, value_end);
}

static int is_denied(const reading *r, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (in(r, i, "not never no without cannot isn't doesn't don't aren't neither nor")) return 1;
    return 0;
}

/* Subject and attribute of a value from the content words of its clause. Left empty when the clause
 * has another value, a pronoun, a negation or nothing specific, or does not begin its statement. */
static void read_clause(reading *r, eg_claim *c, const eg_text_value *v) {
    size_t from = clause_start(r, v->from, 0), to = clause_end(r, v->to + 1);
    /* a later clause leans on what stands before it */
    if (from != 0 || v->kind == EG_VALUE_DATE) return;
    for (size_t k = 0; k < r->values; k++)
        if (&r->v[k] != v && r->v[k].first < to && r->v[k].last >= from) return;
    if (is_denied(r, from, v->from)) return;
    /* a condition, no statement */
    if (in(r, from, "if when whenever unless once while until")) return;
    for (size_t i = from; i < v->from && v->quantifier == EG_QUANTIFIER_EXACTLY; i++)
        if (in(r, i, "can could may might would")) return; /* a possibility */
    size_t next = (size_t)v->to + 1;
    if (v->kind == EG_VALUE_BOOLEAN && v->from > from && next < to && !is_mark(r, next) && !is_link(r, next) &&
        !eg_word_is_stop(text(r, next)) && !in(r, v->from - 1, "is are be to was were been has have now set"))
        return; /* "lists enabled flags": which ones, not what they are */
    bag words = {.n = 0}, attributes = {.n = 0};
    for (size_t i = from; i < to; i++) {
        if (i >= v->from && i <= v->to) continue;
        if (in(r, i, "it its they their this that these those he she")) return;
        if (is_mark(r, i) || eg_word_is_stop(text(r, i)) || is_link(r, i)) continue;
        bag one = {.n = 0};
        bag_add(r, &one, text(r, i));
        if (one.n && is_attribute(one.words[0])) bag_add(r, &attributes, text(r, i));
        else bag_add(r, &words, text(r, i));
    }
    if (words.n == 0 && attributes.n && r->scope.len) bag_add(r, &words, r->scope);
    if (words.n == 0 || words.n + attributes.n < 2 || words.n > 12) return;
    eg_str subject = bag_join(r, &words);
    if (subject.len > LONGEST_KEY) return;
    c->subject = subject;
    c->attribute = attributes.n ? bag_join(r, &attributes) : c->dimension.len ? c->dimension : EG_STR("value");
    if (!c->attribute.len) c->attribute = EG_STR("value");
}

static void read_value(reading *r, const eg_text_value *v) {
    eg_claim *c = next_claim(r);
    if (!c) return;
    fill_value(r, c, v);
    const char *attribute;
    size_t key = key_before(r, v->from, 1, &attribute);
    if (key != SIZE_MAX) read_key_value(r, c, key, attribute, v->to + 1);
    else read_clause(r, c, v);
}

/* `key = word`, "key is word": values that are no number. */
static void read_word_values(reading *r) {
    for (size_t i = 1; i < r->n; i++) {
        if (is_mark(r, i) || r->t[i].kind == EG_TOKEN_NUMBER) continue;
        int taken = 0;
        for (size_t k = 0; k < r->values; k++) taken |= r->v[k].first <= i && i <= r->v[k].last;
        if (taken || eg_word_is_stop(text(r, i)) || is_link(r, i) || in(r, i, "not no")) continue;
        const char *attribute;
        size_t key = key_before(r, i, 0, &attribute);
        if (key == SIZE_MAX) continue;
        int equals = mark_in(r, i - 1, "=\"'`") || r->t[i].kind == EG_TOKEN_IDENT;
        size_t j = i + 1;
        while (j < r->n && mark_in(r, j, "`\"'")) j++;
        /* "key is word ..." needs an end behind the word: else the word is an adjective or
         * participle */
        if (!equals && j < r->n && !is_mark(r, j) && !in(r, j, "in on for by unless and")) continue;
        /* "user_id is unique" and "user_id is indexed" */
        if (!equals && !in(r, i - 1, "to")) continue;
        eg_claim *c = next_claim(r);
        if (!c) return;
        c->span = (eg_span){r->t[i].start, r->t[i].end};
        c->value_kind = memchr(text(r, i).ptr, '/', text(r, i).len) ? EG_VALUE_PATH : EG_VALUE_ENUM;
        c->text = folded(r, text(r, i));
        read_key_value(r, c, key, attribute, j);
    }
}

/* ---- owners ---- */

/* The bag of tokens [from, to) as a subject; empty when there is a pronoun or nothing. */
static eg_str subject_of(reading *r, size_t from, size_t to) {
    bag b = {.n = 0};
    for (size_t i = from; i < to; i++) {
        if (in(r, i, "it its they their this that these those he she everything")) return (eg_str){"", 0};
        if (!is_mark(r, i) && !eg_word_is_stop(text(r, i))) bag_add(r, &b, text(r, i));
    }
    if (!b.n || b.n > 8) return (eg_str){"", 0};
    return bag_join(r, &b);
}

/* The name at token i ("team Pricing", "the Data squad", "Rui"): its last token + 1, or i. */
static size_t owner_name(const reading *r, size_t i, size_t *first) {
    while (in(r, i, "the team squad group crew")) i++;
    *first = i;
    size_t j = i;
    while (j < r->n && !is_mark(r, j) && (r->t[j].kind == EG_TOKEN_IDENT || eg_is_upper(text(r, j).ptr[0])) && j - i < 3) j++;
    return j;
}

static void add_owner(reading *r, eg_str subject, size_t first, size_t end) {
    if (!subject.len || first == end) return;
    eg_claim *c = next_claim(r);
    if (!c) return;
    c->subject = subject;
    c->attribute = EG_STR("owner");
    c->value_kind = EG_VALUE_NAME;
    c->span = (eg_span){r->t[first].start, r->t[end - 1].end};
    eg_str name = {r->s.ptr + c->span.start, c->span.end - c->span.start};
    if (name.len > 2 && name.ptr[name.len - 1] == 's' && name.ptr[name.len - 2] == '\'') name.len -= 2;
    c->text = folded(r, name);
}

static void read_owner(reading *r) {
    for (size_t i = 1; i + 1 < r->n; i++) {
        size_t first, end, from = clause_start(r, i, 0);
        if (is_denied(r, from, i)) continue;
        if (in(r, i, "owned maintained") && in(r, i + 1, "by")) { /* X is owned by Y */
            size_t stop = i;
            while (stop > from && in(r, stop - 1, "is are and")) stop--;
            end = owner_name(r, i + 2, &first);
            add_owner(r, subject_of(r, from, stop), first, end);
        } else if (in(r, i, "belongs belong") && in(r, i + 1, "to")) {
            end = owner_name(r, i + 2, &first);
            add_owner(r, subject_of(r, from, i), first, end);
        } else if (in(r, i, "owns maintains") || (in(r, i, "responsible") && in(r, i + 1, "for") && in(r, i - 1, "is are"))) {
            size_t verb = in(r, i, "responsible") ? i - 1 : i, object = in(r, i, "responsible") ? i + 2 : i + 1;
            size_t after = owner_name(r, from, &first);
            if (after == first || after > verb) continue;
            if (after < verb && !in(r, after, "team squad group crew")) continue;
            add_owner(r, subject_of(r, object, clause_end(r, object)), first, after);
        }
    }
}

/* "X is deprecated since 2.3", "X is the current API": what holds from when on, as one claim of the
 * attribute status. */
static void read_status(reading *r) {
    for (size_t i = 1; i + 1 < r->n; i++) {
        if (!in(r, i, "is are") || clause_start(r, i, 0) != 0) continue;
        size_t j = i + 1;
        int denied = 0;
        for (; in(r, j, "the a an now still officially our not no longer"); j++) denied |= in(r, j, "not no");
        int old = in(r, j, "deprecated obsolete retired end-of-life"), current = in(r, j, "current recommended preferred");
        if ((!old && !current) || in(r, j + 1, "by for in on when if unless as")) return;
        eg_str subject = subject_of(r, 0, i);
        eg_claim *c = subject.len ? next_claim(r) : NULL;
        if (!c) return;
        c->subject = subject;
        c->attribute = EG_STR("status");
        c->value_kind = EG_VALUE_ENUM;
        c->span = (eg_span){r->t[j].start, r->t[j].end};
        c->text = old != denied ? EG_STR("deprecated") : EG_STR("current");
        return;
    }
}

eg_status eg_text_claims(eg_arena *arena, eg_str content, eg_str scope, const eg_span *statements, size_t statement_count,
                         eg_claim *out, size_t most, size_t *n, eg_error *err) {
    reading r = {.arena = arena, .s = content, .scope = scope, .out = out, .most = most};
    *n = 0;
    eg_token *tokens = eg_arena_array(arena, MOST_TOKENS, sizeof *tokens);
    eg_text_value *values = eg_arena_array(arena, MOST_VALUES, sizeof *values);
    if (!tokens || !values) return eg_fail_memory(err, MOST_TOKENS * sizeof *tokens + MOST_VALUES * sizeof *values);
    for (size_t i = 0; i < statement_count && !r.failed; i++) {
        r.statement = (uint32_t)i;
        r.t = tokens;
        r.n = eg_text_lex(content, statements[i], tokens, MOST_TOKENS);
        r.v = values;
        r.values = eg_text_values(content, tokens, r.n, values, MOST_VALUES);
        r.modality = modality_of(&r);
        r.qualifiers = qualifiers_of(&r);
        for (size_t k = 0; k < r.values; k++) read_value(&r, &values[k]);
        read_word_values(&r);
        read_owner(&r);
        read_status(&r);
    }
    if (r.failed) return eg_fail_memory(err, LONGEST_KEY);
    *n = r.count;
    return EG_OK;
}
