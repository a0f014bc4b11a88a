/* align.c - see align.h. Global alignment (S. Needleman and C. Wunsch, 1970) of at most MAX_UNITS
 * units a side, then rules on the columns that are not equal. The rules were chosen by their
 * precision on labelled scenarios; the comment of each gives examples of the false positives that
 * it prevents. */
#include "align.h"

#include "general_rule.h"

enum { MAX_COLUMNS = 2 * MAX_UNITS };
enum { GAP = -2, SCORE_CONTENT = 6, SCORE_STOP = 3, SCORE_CONFLICT = 4, SCORE_SUBSTITUTE = -3 };

typedef struct column {
    const unit *a, *b; /* NULL: a gap */
    int equal;
    value_relation values; /* of two values */
} column;

typedef struct align_table {
    const sentence *a, *b;
    column columns[MAX_COLUMNS + 1]; /* the last one is empty */
    size_t n;
    int score[(MAX_UNITS + 1) * (MAX_UNITS + 1)];
} table;

static int pair_score(const unit *x, const unit *y) {
    if (x->kind == UNIT_VALUE && y->kind == UNIT_VALUE) {
        value_relation r = values_compare(x->claim, y->claim);
        if (r == VALUES_SAME) return SCORE_CONTENT;
        return r == VALUES_UNLIKE ? SCORE_SUBSTITUTE : SCORE_CONFLICT;
    }
    if (x->kind != UNIT_VALUE && y->kind != UNIT_VALUE && eg_str_eq(x->key, y->key))
        return x->content ? SCORE_CONTENT : SCORE_STOP;
    if (x->content != y->content) return SCORE_SUBSTITUTE - 2;
    return SCORE_SUBSTITUTE;
}

/* Fills t->columns from t->a and t->b. */
static void lay_out(table *t) {
    size_t n = t->a->n, m = t->b->n, width = m + 1;
    int *score = t->score;
    for (size_t i = 0; i <= n; i++) score[i * width] = (int)i * GAP;
    for (size_t j = 0; j <= m; j++) score[j] = (int)j * GAP;
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= m; j++) {
            int best = score[(i - 1) * width + j - 1] + pair_score(&t->a->units[i - 1], &t->b->units[j - 1]);
            int up = score[(i - 1) * width + j] + GAP, left = score[i * width + j - 1] + GAP;
            if (up > best) best = up;
            if (left > best) best = left;
            score[i * width + j] = best;
        }
    size_t i = n, j = m, k = MAX_COLUMNS;
    while (i || j) {
        column c = {0};
        int here = score[i * width + j];
        if (i && j && here == score[(i - 1) * width + j - 1] + pair_score(&t->a->units[i - 1], &t->b->units[j - 1])) {
            c.a = &t->a->units[--i];
            c.b = &t->b->units[--j];
            if (c.a->kind == UNIT_VALUE && c.b->kind == UNIT_VALUE) c.values = values_compare(c.a->claim, c.b->claim);
            c.equal =
                c.a->kind == UNIT_VALUE || c.b->kind == UNIT_VALUE ? c.values == VALUES_SAME : eg_str_eq(c.a->key, c.b->key);
        } else if (i && here == score[(i - 1) * width + j] + GAP) c.a = &t->a->units[--i];
        else c.b = &t->b->units[--j];
        t->columns[--k] = c;
    }
    t->n = MAX_COLUMNS - k;
    memmove(t->columns, t->columns + k, t->n * sizeof t->columns[0]);
    t->columns[t->n] = (column){0};
}

/* ---- the kinds of differences ---- */

static int is_antonym(eg_str a, eg_str b) {
    static const char *const pairs[][2] = {{"on", "off"},
                                           {"enabl", "disabl"},
                                           {"true", "false"},
                                           {"requir", "optional"},
                                           {"allow", "forbidden"},
                                           {"allow", "forbidd"},
                                           {"mandatory", "optional"},
                                           {"sync", "async"},
                                           {"synchronous", "asynchronous"},
                                           {"synchronously", "asynchronously"},
                                           {"first", "last"},
                                           {"before", "after"},
                                           {"above", "below"},
                                           {"ascend", "descend"},
                                           {"ascending", "descending"},
                                           {"accept", "reject"},
                                           {"accept", "refus"},
                                           {"always", "never"},
                                           {"public", "private"},
                                           {"internal", "external"},
                                           {"mutabl", "immutabl"},
                                           {"read-only", "read-write"},
                                           {"blocking", "non-blocking"},
                                           {"left", "right"},
                                           {"oldest", "newest"},
                                           {"included", "excluded"},
                                           {"includ", "exclud"},
                                           {"manual", "automatic"},
                                           {"manually", "automatically"},
                                           {"client", "server"},
                                           {"encrypt", "unencrypted"},
                                           {"sign", "unsigned"},
                                           {"shar", "separat"},
                                           {"little-endian", "big-endian"},
                                           {"lowest", "highest"},
                                           {"smallest", "largest"},
                                           {"horizontally", "vertically"},
                                           {"open", "closed"},
                                           {"increas", "decreas"},
                                           {"with", "without"},
                                           {"upper", "lower"},
                                           {"inclusiv", "exclusiv"},
                                           {"compress", "uncompressed"},
                                           {"free", "paid"},
                                           {"kept", "delet"},
                                           {"keep", "delet"},
                                           {"older", "newer"},
                                           {"older", "younger"},
                                           {"elder", "younger"},
                                           {"push", "pull"},
                                           {"minimum", "maximum"},
                                           {"earliest", "latest"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if ((word_in(a, pairs[i][0]) && word_in(b, pairs[i][1])) || (word_in(a, pairs[i][1]) && word_in(b, pairs[i][0])))
            return 1;
    return 0;
}

/* Words that may be missing on one side without a change of meaning. */
static int is_filler(const unit *u) {
    if (u->kind == UNIT_VALUE) return 0;
    return word_in(u->key, "and also too now today currently exactly just so that as is are then itself "
                           "there of by in on at to for "
                           "which it its has have been be with from set alway simply per will our up");
}

/* Words that restrict a claim to a place, a time or a group of users. */
static int is_context(const unit *u) {
    return word_in(u->key,
                   "if when unless except during while only until whenever otherwise production prod stag development "
                   "dev test sandbox demo canary simulator local nightly weekend weekday night winter summer free enterpris "
                   "premium trial beta linux window macos mac ios android desktop mobil web browser old legacy new "
                   "previou staging previous first second third largest smallest mean median p50 p95 p99 averag peak apart "
                   "without");
}

static int is_negation(const unit *u) { return u && word_in(u->key, "not no never"); }

/* Consecutive columns that are not equal. */
typedef struct stretch {
    size_t from, to; /* columns */
    size_t as, bs;   /* content words of either side */
    int values;      /* 1: contains a value */
    int context;     /* 1: contains a restricting word (is_context) */
    int filler;      /* 1: only words that add nothing (is_filler) */
    int negation;    /* 1: a single "not" and nothing else */
    int names;       /* 1: every content word is a name or code */
} stretch;

static stretch stretch_at(const table *t, size_t from) {
    stretch s = {.from = from, .filler = 1, .names = 1};
    size_t i = from, units = 0;
    for (;
         i < t->n && !t->columns[i].equal && t->columns[i].values != VALUES_CONFLICT && t->columns[i].values != VALUES_COMPATIBLE;
         i++)
        for (int side = 0; side < 2; side++) {
            const unit *u = side ? t->columns[i].b : t->columns[i].a;
            /* "does not retry" is "not" beside "retries" */
            if (!u || word_in(u->key, "do does did")) continue;
            units++;
            if (is_filler(u)) continue;
            s.filler = 0;
            s.values |= u->kind == UNIT_VALUE;
            s.context |= is_context(u);
            if (u->kind != UNIT_NAME) s.names = 0;
            if (side) s.bs++;
            else s.as++;
            s.negation = is_negation(u);
        }
    if (units != 1) s.negation = 0;
    s.to = i;
    return s;
}

typedef struct summary {
    size_t equal_content, equal_all, conflicts, compatible;
    size_t first_conflict, last_conflict; /* columns */
    stretch stretches[16];
    size_t stretch_count;
} summary;

/* Returns 0 if too little agrees, or too much differs, for any verdict. Most pairs end here, before
 * words are looked up. */
static int summarise(const table *t, summary *s) {
    *s = (summary){0};
    for (size_t i = 0; i < t->n; i++) {
        const column *c = &t->columns[i];
        if (c->values == VALUES_CONFLICT) {
            if (!s->conflicts++) s->first_conflict = i;
            s->last_conflict = i;
        } else if (c->values == VALUES_COMPATIBLE) s->compatible++;
        else if (c->equal) {
            s->equal_all++;
            s->equal_content += c->a->content;
        }
    }
    if (s->equal_all * 2 + s->conflicts < (t->a->n < t->b->n ? t->a->n : t->b->n)) return 0;
    for (size_t i = 0; i < t->n;) {
        const column *c = &t->columns[i];
        if (c->equal || c->values == VALUES_CONFLICT || c->values == VALUES_COMPATIBLE) {
            i++;
            continue;
        }
        stretch x = stretch_at(t, i);
        i = x.to;
        if (x.filler) continue;
        if (s->stretch_count == sizeof s->stretches / sizeof s->stretches[0]) return 0;
        s->stretches[s->stretch_count++] = x;
    }
    return 1;
}

/* The index of a column's unit in its sentence. */
static size_t index_a(const table *t, const column *c) { return (size_t)(c->a - t->a->units); }
static size_t index_b(const table *t, const column *c) { return (size_t)(c->b - t->b->units); }

/* 1 when the number identifies one of several things: "region 3", "shard 12". */
static int is_label(const unit *first, const unit *value) {
    return value > first &&
           word_in(value[-1].key,
                   "region zon shard node rack cluster partition replica step phas stag sprint slot lan "
                   "bay cell gat floor level tier pag tabl column chapter section tenant "
                   "port cod error status http issu ticket pr mr rfc adr line figur migration severity priority typ stat "
                   "plan version releas build run attempt epoch number no nr item job worker thread instanc host server "
                   "machin disk drive gpu bucket round week");
}

/* 1 when the value is part of the subject, "Version 5 needs ...", "On Tuesday ...", and so says
 * which thing is meant, not what is said about it. Counts are not: "46 boxes are in service". */
static int selects(const table *t, const column *c) {
    if (index_a(t, c) > t->a->verb || index_b(t, c) > t->b->verb) return 0;
    /* "Java version: 17" */
    if (index_a(t, c) >= t->a->colon || index_b(t, c) >= t->b->colon) return 0;
    const eg_claim *k = c->a->claim;
    if (k->value_kind == EG_VALUE_DATE) return index_a(t, c) <= 2 || index_b(t, c) <= 2;
    if (k->value_kind == EG_VALUE_QUANTITY)
        return eg_str_eq(k->dimension, EG_STR("number")) || (is_label(t->a->units, c->a) && is_label(t->b->units, c->b));
    return 1;
}

/* 1 when the difference is in a later clause than the conflict: there it cannot explain the
 * conflict, unless it is a condition. */
static int is_tail(const table *t, const stretch *x, size_t conflict) {
    if (x->from <= conflict || x->context) return 0;
    const column *at = &t->columns[conflict];
    for (size_t i = x->from; i < x->to; i++) {
        const column *c = &t->columns[i];
        if (c->a && c->a->clause == at->a->clause) return 0;
        if (c->b && c->b->clause == at->b->clause) return 0;
    }
    return 1;
}

static void classify(const eg_claim *a, alignment *out) {
    out->class = value_is_temporal(a) ? CLASS_TEMPORAL : value_is_numeric(a) ? CLASS_NUMERIC : CLASS_ENTITY;
}

/* The words that a sentence has in columns from..to; empty: none. */
static eg_span words_at(const column *columns, size_t from, size_t to, int side) {
    eg_span s = {0, 0};
    for (size_t i = from; i < to; i++) {
        const unit *u = side ? columns[i].b : columns[i].a;
        if (!u) continue;
        if (s.start == s.end) s.start = u->span.start;
        s.end = u->span.end;
    }
    return s;
}

/* Says what lets both sentences be true, and shows the words in the columns from..to. */
static void set_apart(const table *t, const char *reason, size_t from, size_t to, alignment *out) {
    out->reason = reason;
    out->apart_a = words_at(t->columns, from, to, 0);
    out->apart_b = words_at(t->columns, from, to, 1);
}

/* 1 for a product before its version, as the object of the verb: "Debian 12" against "Ubuntu
 * 24.04". */
static int is_product(const table *t, const stretch *x) {
    if (x->as != 1 || x->bs != 1 || !x->names || x->to >= t->n) return 0;
    const column *version = &t->columns[x->to], *name = &t->columns[x->from];
    if (version->values != VALUES_CONFLICT || version->a->claim->value_kind != EG_VALUE_VERSION || !name->a || !name->b) return 0;
    return index_a(t, name) > t->a->verb && index_b(t, name) > t->b->verb;
}

/* 1 when the differing words say which thing is meant, not what is said about it: names, or words
 * before the verb. */
static int names_thing(const table *t, const stretch *x) {
    const column *c = &t->columns[x->from];
    if (x->names) return 1;
    return c->a && c->b && index_a(t, c) < t->a->verb && index_b(t, c) < t->b->verb;
}

/* 1 when the common words only announce a version: "New in version 1.5" and "New in version 1.6"
 * are about the things of two headings. */
static int only_announces(const table *t) {
    for (size_t i = 0; i < t->n; i++)
        if (t->columns[i].equal && t->columns[i].a->content &&
            !word_in(t->columns[i].a->key,
                     "new version release add added introduc introduced remov removed deprecat deprecated chang "
                     "changed since avail availabl available"))
            return 0;
    return 1;
}

/* 1 when the value is a condition under which the rest holds: "30 ms at 100 users", "12 minutes on
 * 4 cores", "30 s if caching is enabled". */
static int sets_case(const sentence *x, const unit *value, int alone) {
    if (value > x->units && !alone &&
        word_in(value[-1].key, "at in on for with above below over under since as during version ="))
        return 1;
    for (const unit *u = value; u-- > x->units && u->clause == value->clause;)
        if (word_in(u->key, "if when whenever unless while once")) return 1;
    return 0;
}

/* Conflicting values in the same place. */
static void judge_values(const table *t, const summary *s, alignment *out) {
    const column *c = &t->columns[s->first_conflict];
    out->a = c->a->span;
    out->b = c->b->span;
    classify(c->a->claim, out);
    size_t ia = index_a(t, c), ib = index_b(t, c);
    if (ia && ib && values_lead_apart(c->a[-1].key, c->b[-1].key)) return;
    if (c->a->claim->value_kind == EG_VALUE_VERSION && only_announces(t)) return;
    if (c->a->claim->value_kind == EG_VALUE_BOOLEAN && c[1].a && c[1].a->content && c[1].a->clause == c->a->clause && ia &&
        !word_in(c->a[-1].key, "is are be to"))
        return; /* "lists enabled flags" */
    size_t serious = 0, matched = s->equal_content, different = 0;
    for (size_t i = 0; i < s->stretch_count; i++) {
        const stretch *x = &s->stretches[i];
        if (is_tail(t, x, s->first_conflict) || is_product(t, x)) continue;
        serious++;
        different += x->as > x->bs ? x->as : x->bs;
        if (x->context) set_apart(t, "the context differs", x->from, x->to, out);
        else if (x->as && x->bs && names_thing(t, x)) set_apart(t, "they are about different things", x->from, x->to, out);
    }
    if (matched < 2 || matched < 2 * different) return;
    for (size_t i = s->first_conflict; i <= s->last_conflict; i++)
        if (t->columns[i].values == VALUES_CONFLICT && selects(t, &t->columns[i])) {
            out->verdict = ALIGN_BOTH_VALID;
            set_apart(t, "the values say which thing is meant", i, i + 1, out);
            return;
        }
    for (size_t i = s->first_conflict, seen = 0; i <= s->last_conflict; i++) {
        const column *k = &t->columns[i];
        if (k->values != VALUES_CONFLICT) continue;
        int alone = !seen++ && !(s->conflicts > 1 && index_a(t, k) <= 1);
        if (sets_case(t->a, k->a, alone) || sets_case(t->b, k->b, alone)) {
            out->verdict = ALIGN_BOTH_VALID;
            set_apart(t, "they hold in different cases", i, i + 1, out);
            return;
        }
    }
    if (serious) {
        if (serious <= 2 && out->reason && matched >= 3) out->verdict = ALIGN_BOTH_VALID;
        return;
    }
    out->verdict = ALIGN_CONFLICT;
    out->score = matched >= 5 ? 0.97 : matched >= 3 ? 0.94 : 0.9;
}

static int holds_unit(const sentence *x, const unit *u) {
    for (size_t i = 0; u && i < x->n; i++)
        if (eg_str_eq(x->units[i].key, u->key)) return 1;
    return 0;
}

/* 1 for two words of a group of which only one can apply to a thing. */
static int same_family(eg_str a, eg_str b) {
    static const char *const families[] = {"first second third fourth fifth sixth seventh eighth ninth tenth",
                                           "second millisecond microsecond minut hour day week month year", "acr hectar",
                                           "byt bit kilobyt megabyt", "hourly daily nightly weekly monthly yearly"};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (word_in(a, families[i]) && word_in(b, families[i])) return 1;
    return 0;
}

static int ends_ly(eg_str s) { return s.len > 3 && s.ptr[s.len - 2] == 'l' && s.ptr[s.len - 1] == 'y'; }

/* Different names in the same place: "stored in ClickHouse" and "stored in PostGIS". */
static void judge_names(const table *t, const summary *s, alignment *out) {
    const stretch *x = NULL;
    for (size_t i = 0; i < s->stretch_count; i++) {
        if (x && is_tail(t, &s->stretches[i], x->from)) continue;
        if (x) return;
        x = &s->stretches[i];
        const column *first = &t->columns[x->from];
        if (!first->a || !first->b) return; /* is_tail needs both sides of the column */
    }
    if (!x || !x->as || !x->bs || x->as > 3 || x->bs > 3) return;
    const column *before = x->from ? &t->columns[x->from - 1] : NULL;
    int said = before && before->a && word_in(before->a->key, "is are to default as");
    const column *first = &t->columns[x->from], *last = &t->columns[x->to - 1];
    size_t need = !said ? 3 : products_exclude(first->a->key, first->b->key) ? 1 : 2;
    if (s->equal_content < need || x->values) return;
    out->class = CLASS_ENTITY;
    out->a = first->a->span;
    out->b = first->b->span;
    if (last->a) out->a.end = last->a->span.end;
    if (last->b) out->b.end = last->b->span.end;
    /* a list in another order */
    if (holds_unit(t->b, first->a) || holds_unit(t->a, first->b)) return;
    int antonyms =
        x->as == 1 && x->bs == 1 && (is_antonym(first->a->key, first->b->key) || same_family(first->a->key, first->b->key));
    int subject = index_a(t, first) < t->a->verb || index_b(t, first) < t->b->verb;
    if (x->context && !antonyms) return;
    const unit *next = x->to < t->n && t->columns[x->to].equal ? t->columns[x->to].a : NULL;
    int describes = next && next->content && next->clause == first->a->clause && !said && !ends_ly(first->a->key) &&
                    !word_in(first->a->key, "alway always never");
    /* "internal users", "the first name": these say which ones are meant */
    if (antonyms && (subject || describes)) return;
    if (antonyms) {
        out->verdict = ALIGN_CONFLICT;
        out->score = 0.92;
        return;
    }
    if (subject) {
        /* of subjects, only owners exclude each other */
        if (index_a(t, first) != 0 || !t->columns[x->to].a) return;
        if (!word_in(t->columns[x->to].a->key, "own maintain") &&
            !(t->columns[x->to].a && x->to + 1 < t->n && t->columns[x->to + 1].a &&
              word_in(t->columns[x->to + 1].a->key, "responsibl responsible")))
            return;
        out->verdict = ALIGN_CONFLICT;
        out->score = 0.9;
        return;
    }
    int set = said && x->as == 1 && x->bs == 1 && x->from > 1 &&
              (word_in(before->a->key, "to") && t->columns[x->from - 2].a &&
               word_in(t->columns[x->from - 2].a->key, "default set defaults"));
    if (!x->names && !set) return;
    if (x->to < t->n && t->columns[x->to].a && word_in(t->columns[x->to].a->key, "is are has have was were"))
        return; /* a subject */
    out->verdict = ALIGN_CONFLICT;
    out->score = s->equal_content >= 5 ? 0.92 : 0.88;
}

/* The same sentence with and without "not". */
static void judge_negation(const table *t, const summary *s, alignment *out) {
    const stretch *x = &s->stretches[0];
    if (s->stretch_count != 1 || !x->negation || s->equal_content < 2) return;
    const column *c = &t->columns[x->from];
    const unit *not = c->a ? c->a : c->b;
    const column *near = x->from ? &t->columns[x->from - 1] : &t->columns[x->to];
    if (!near->a || !near->b) return;
    /* "clients that are not signed in", "some jobs", "may": not all of them */
    for (size_t i = 0; i < x->from; i++)
        if (t->columns[i].a &&
            (word_in(t->columns[i].a->key, "that which who whose where som most may might could") ||
             (word_in(t->columns[i].a->key, "if when whenever while unless") && t->columns[i].a->clause == not ->clause)))
            return;
    out->class = CLASS_ENTITY;
    out->a = c->a ? not ->span : near->a->span;
    out->b = c->a ? near->b->span : not ->span;
    out->verdict = ALIGN_CONFLICT;
    out->score = 0.93;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* 1 for identifiers that differ in their digits only, such as web-0 and web-1, or E1042 and
 * E1043. */
static int is_sibling(eg_str a, eg_str b) {
    size_t i = 0, k = 0, letters = 0, digits_a = 0, digits_b = 0;
    for (;;) {
        for (; i < a.len && is_digit(a.ptr[i]); i++) digits_a++;
        for (; k < b.len && is_digit(b.ptr[k]); k++) digits_b++;
        if (i == a.len || k == b.len) break;
        if (a.ptr[i++] != b.ptr[k++]) return 0;
        letters++;
    }
    return i == a.len && k == b.len && letters && digits_a && digits_b;
}

/* 1 when the subjects are two things of one kind (is_sibling) and the statements about them differ
 * as well; *at: the column of their names. Where only the subjects differ ("db-1 is the primary"),
 * or no verb was found, the NLI model decides. */
static int tells_of_siblings(const table *t, size_t *at) {
    int siblings = 0, said = 0;
    for (size_t i = 0; i < t->n; i++) {
        const column *c = &t->columns[i];
        if (c->equal) continue;
        int subject_a = c->a && index_a(t, c) < t->a->verb, subject_b = c->b && index_b(t, c) < t->b->verb;
        if (subject_a && subject_b && c->a->kind != UNIT_VALUE && c->b->kind != UNIT_VALUE && is_sibling(c->a->key, c->b->key)) {
            siblings = 1;
            *at = i;
        }
        said |= (c->a && !subject_a && !is_filler(c->a)) || (c->b && !subject_b && !is_filler(c->b));
    }
    return siblings && said && t->a->verb < t->a->n && t->b->verb < t->b->n;
}

static int is_present(const sentence *x) { return x->modality == EG_MODALITY_IS || x->modality == EG_MODALITY_SHOULD; }

align_table *align_table_create(eg_request *rq) { return eg_request_array(rq, 1, sizeof(table)); }

void align_sentences(align_table *t, const sentence *a, const sentence *b, alignment *out) {
    *out = (alignment){.verdict = ALIGN_NOTHING};
    if (a->n < 3 || b->n < 3 || !(a->words & b->words)) return;
    if (points_elsewhere(a) || points_elsewhere(b)) return;
    t->a = a;
    t->b = b;
    lay_out(t);
    summary s;
    if (!summarise(t, &s)) return;
    out->shared = s.equal_content;
    for (size_t i = 0; i < t->n; i++)
        if (t->columns[i].equal && t->columns[i].a->kind == UNIT_NAME) out->named = 1;
    if (s.conflicts) judge_values(t, &s, out);
    else if (!s.stretch_count && !s.compatible && s.equal_content >= 2) out->verdict = ALIGN_SAME;
    else if (!s.compatible) {
        judge_negation(t, &s, out);
        if (out->verdict == ALIGN_NOTHING) judge_names(t, &s, out);
    }
    if (out->verdict == ALIGN_CONFLICT && out->class == CLASS_ENTITY && !(s.stretch_count && s.stretches[0].negation) &&
        takes_several(a, &out->a) && takes_several(b, &out->b))
        out->verdict = ALIGN_NOTHING;
    if (out->verdict == ALIGN_CONFLICT && s.conflicts && (is_option(a, &out->a) || is_option(b, &out->b)))
        out->verdict = ALIGN_NOTHING;
    size_t siblings = 0;
    if ((out->verdict == ALIGN_NOTHING || out->verdict == ALIGN_CONFLICT) && tells_of_siblings(t, &siblings)) {
        out->verdict = ALIGN_BOTH_VALID;
        set_apart(t, "they are about two things of one kind", siblings, siblings + 1, out);
        out->a = a->units[0].span;
        out->b = b->units[0].span;
    }
    if (out->verdict != ALIGN_CONFLICT) return;
    if (a->updates || b->updates || (a->now && !b->now)) out->verdict = ALIGN_UPDATE;
    /* two statements about the past may still contradict each other */
    else if (a->modality != b->modality && (!is_present(a) || !is_present(b))) {
        out->verdict = ALIGN_BOTH_VALID;
        out->reason = "one of the two is not about the present";
    }
}
