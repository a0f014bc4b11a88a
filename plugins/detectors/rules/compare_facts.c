/* compare_facts.c - see compare_facts.h. */
#include "compare_facts.h"

#include "../common/fact_context.h"
#include "explain.h"
#include "general_rule.h"
#include "reword.h"
#include "update.h"

struct comparer {
    eg_request *rq;
    const eg_case_fact *fact;
    align_table *table;
    sentence *sentences;
    size_t n;
};

static eg_status read_all(eg_request *rq, const eg_case_fact *fact, sentence **out, size_t *n) {
    *n = fact->statement_count;
    *out = eg_request_array(rq, *n, sizeof **out);
    if (!*out) return EG_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        eg_status status = sentence_read(rq, fact, (uint32_t)i, &(*out)[i]);
        if (status != EG_OK) return status;
    }
    return EG_OK;
}

eg_status comparer_create(eg_request *rq, const eg_case_fact *subject, comparer **out) {
    comparer *c = eg_request_array(rq, 1, sizeof *c);
    if (!c) return EG_ENOMEM;
    c->rq = rq;
    c->fact = subject;
    if (!(c->table = align_table_create(rq))) return EG_ENOMEM;
    eg_status status = read_all(rq, subject, &c->sentences, &c->n);
    *out = c;
    return status;
}

static int rank(eg_outcome o) {
    switch (o) {
    case EG_OUTCOME_CONTRADICTION: return 4;
    case EG_OUTCOME_UPDATE: return 3;
    case EG_OUTCOME_BOTH_VALID: return 2;
    case EG_OUTCOME_CORROBORATION: return 1;
    default: return 0;
    }
}

static eg_status keep(comparer *c, const eg_case_fact *candidate, uint32_t statement, observation o, const separation *why,
                      observation *best, int *found) {
    static const separation unsaid = {0};
    if (*found && (rank(o.outcome) < rank(best->outcome) || (rank(o.outcome) == rank(best->outcome) && o.score <= best->score)))
        return EG_OK;
    o.explanation = explain_observation(c->rq, c->fact, statement, candidate, &o, why ? why : &unsaid);
    if (!o.explanation.ptr) return EG_ENOMEM;
    *best = o;
    *found = 1;
    return EG_OK;
}

/* The first name of x that the other sentence lacks; NULL: it has all of them. */
static const unit *missing_name(const sentence *x, const sentence *in) {
    for (size_t i = 0; i < x->n; i++) {
        if (!x->units[i].content || x->units[i].kind == UNIT_VALUE || (x->units[i].kind != UNIT_NAME && i > x->verb)) continue;
        size_t k = 0;
        while (k < in->n && !eg_str_eq(in->units[k].key, x->units[i].key)) k++;
        if (k == in->n) return &x->units[i];
    }
    return NULL;
}

/* 1 when the facts are about different things, as far as later statements (i or k above 0) go:
 * those continue the first one, "Trino on cluster gale ...; spilling is enabled", and each first
 * statement has names that the other lacks. */
static int heads_differ(const sentence *ours, uint32_t i, const sentence *theirs, uint32_t k) {
    return (i || k) && missing_name(&ours[0], &theirs[0]) && missing_name(&theirs[0], &ours[0]);
}

/* 1 when too few words identify the thing across scopes: two services may each have a "rate
 * limit". */
static int is_weak(size_t shared, int named) { return shared < 3 || (shared < 4 && !named); }

/* Words for things that every repository has: across scopes they do not identify anything. */
static int is_common(eg_str w) {
    return word_in(w,
                   "servic server app application api modul packag package project repo repository codebas component databas db "
                   "deployment pod container imag dockerfil dockerfile helm chart ci pipelin build readm readme.md package.json "
                   "tsconfig.json docker-compose.yml makefile main default branch endpoint health unit test coverag "
                   "it this its they these here default clas librari library table job");
}
static int has_common_subject(const sentence *x) {
    if (is_context_dependent(sentence_text(x))) return 1;
    for (size_t i = 0; i < x->n && i < x->verb; i++)
        if (x->units[i].content && !is_common(x->units[i].key)) return 0;
    return x->verb < x->n;
}

static int key_words(eg_str key, int *named) {
    int n = key.len > 0;
    for (size_t i = 0; i < key.len; i++) {
        n += key.ptr[i] == ' ';
        *named |= key.ptr[i] == '_' || key.ptr[i] == '.' || (key.ptr[i] >= '0' && key.ptr[i] <= '9');
    }
    return n;
}

/* is_weak for the subject, attribute and qualifiers of a claim. */
static int is_weak_claim(const eg_claim *c) {
    int named = 0, words = key_words(c->subject, &named) + key_words(c->attribute, &named) + key_words(c->qualifiers, &named);
    if (eg_str_eq(c->attribute, EG_STR("owner"))) return 0; /* its subject is a name */
    return is_weak((size_t)words, named);
}

static eg_status by_place(comparer *c, const eg_case_fact *candidate, const sentence *theirs, size_t n, observation *best,
                          int *found) {
    eg_status status = EG_OK;
    for (size_t i = 0; i < c->n && status == EG_OK; i++)
        for (size_t k = 0; k < n && status == EG_OK; k++) {
            alignment al;
            align_sentences(c->table, &c->sentences[i], &theirs[k], &al);
            if (al.verdict == ALIGN_NOTHING) continue;
            /* the other statements may contradict each other */
            if (al.verdict == ALIGN_SAME && (c->n > 1 || n > 1)) continue;
            if (al.verdict == ALIGN_CONFLICT && heads_differ(c->sentences, (uint32_t)i, theirs, (uint32_t)k)) {
                al.verdict = ALIGN_BOTH_VALID;
                al.reason = "the facts are about different things";
                al.apart_a = missing_name(&c->sentences[0], &theirs[0])->span;
                al.apart_b = missing_name(&theirs[0], &c->sentences[0])->span;
            }
            observation o = {.class = al.class, .score = al.score, .a = al.a, .b = al.b};
            o.weak = is_weak(al.shared, al.named) || has_common_subject(&c->sentences[i]);
            if (al.verdict == ALIGN_SAME) {
                o.outcome = EG_OUTCOME_CORROBORATION;
                o.score = 0.9;
            } else if (al.verdict == ALIGN_CONFLICT) o.outcome = EG_OUTCOME_CONTRADICTION;
            else if (al.verdict == ALIGN_UPDATE) o.outcome = EG_OUTCOME_UPDATE;
            else {
                o.outcome = EG_OUTCOME_BOTH_VALID;
                o.score = 0.8;
            }
            const separation why = {al.reason, explain_words(c->fact, al.apart_a), explain_words(candidate, al.apart_b)};
            status = keep(c, candidate, (uint32_t)i, o, &why, best, found);
        }
    return status;
}

/* Reads the next qualifier, except env=production, which is what a statement without an environment
 * means. */
static int next_qualifier(eg_str *rest, eg_str *out) {
    while (rest->len) {
        size_t n = 0;
        while (n < rest->len && rest->ptr[n] != ';') n++;
        *out = (eg_str){rest->ptr, n};
        size_t skip = n < rest->len ? n + 1 : n;
        rest->ptr += skip;
        rest->len -= skip;
        if (!eg_str_eq(*out, EG_STR("env=production")) && !eg_str_eq(*out, EG_STR("context=production"))) return 1;
    }
    return 0;
}
static int same_qualifiers(eg_str a, eg_str b) {
    eg_str x, y;
    for (;;) {
        int more = next_qualifier(&a, &x), also = next_qualifier(&b, &y);
        if (more != also) return 0;
        if (!more) return 1;
        if (!eg_str_eq(x, y)) return 0;
    }
}

/* 1 when both facts are a single clause, so that equal claims mean equal facts. */
static int is_all(const comparer *c, const sentence *theirs, size_t n) {
    if (c->n != 1 || n != 1 || !c->sentences[0].n || !theirs[0].n) return 0;
    return c->sentences[0].units[c->sentences[0].n - 1].clause == 0 && theirs[0].units[theirs[0].n - 1].clause == 0;
}

/* What a qualifier says: "staging" of "env=staging". */
static eg_str meaning_of(eg_str qualifier) {
    size_t i = 0;
    while (i < qualifier.len && qualifier.ptr[i] != '=') i++;
    i += i < qualifier.len;
    return (eg_str){qualifier.ptr + i, qualifier.len - i};
}

/* 1 when both name an environment, platform, plan or time, and these differ; *why says which. */
static int named_contexts_differ(eg_str a, eg_str b, separation *why) {
    eg_str x, y;
    int more, also;
    while ((more = next_qualifier(&a, &x)) && x.len > 8 && memcmp(x.ptr, "context=", 8) == 0) {}
    while ((also = next_qualifier(&b, &y)) && y.len > 8 && memcmp(y.ptr, "context=", 8) == 0) {}
    if (!more || !also || eg_str_eq(x, y)) return 0;
    *why = (separation){"the context differs", meaning_of(x), meaning_of(y)};
    return 1;
}

static align_class class_of(const eg_claim *c) {
    return value_is_temporal(c) ? CLASS_TEMPORAL : value_is_numeric(c) ? CLASS_NUMERIC : CLASS_ENTITY;
}

static int is_current(const eg_claim *c) { return c->modality == EG_MODALITY_IS || c->modality == EG_MODALITY_SHOULD; }

/* 1 when the value is part of the subject and says which thing is meant: "Port 22 is closed", "exit
 * code 2 means", "issue 123 tracks". */
static int names_which(const sentence *x, const eg_claim *c) {
    size_t i = 0;
    while (i < x->n && x->units[i].claim != c) i++;
    if (i >= x->n || i >= x->colon || (x->verb < x->n ? i > x->verb : i > 2)) return 0;
    if (i && x->units[i - 1].code) return 0; /* MAX_RETRIES = 3 */
    if (c->value_kind == EG_VALUE_PORT || c->value_kind == EG_VALUE_VERSION) return 1;
    if (c->value_kind != EG_VALUE_QUANTITY || !i) return 0;
    int bare = eg_str_eq(c->dimension, EG_STR("number")) || (c->dimension.len > 5 && memcmp(c->dimension.ptr, "count", 5) == 0);
    return bare && x->units[i - 1].kind != UNIT_VALUE && x->units[i - 1].content && c->quantifier == EG_QUANTIFIER_EXACTLY;
}

static eg_status by_claims(comparer *c, const eg_case_fact *candidate, const sentence *theirs, size_t n, observation *best,
                           int *found) {
    eg_status status = EG_OK;
    for (size_t i = 0; i < c->fact->claim_count; i++)
        for (size_t k = 0; k < candidate->claim_count && status == EG_OK; k++) {
            const eg_claim *x = &c->fact->claims[i], *y = &candidate->claims[k];
            if (!x->subject.len || !eg_str_eq(x->subject, y->subject) || !eg_str_eq(x->attribute, y->attribute)) continue;
            if (x->polarity != y->polarity || !is_current(x) || !is_current(y)) continue;
            if ((x->value_kind == EG_VALUE_VERSION || x->value_kind == EG_VALUE_PORT) &&
                takes_several(&c->sentences[x->statement], &x->span) && takes_several(&theirs[y->statement], &y->span))
                continue;
            if (names_which(&c->sentences[x->statement], x) || names_which(&theirs[y->statement], y)) continue;
            value_relation r = values_compare(x, y);
            if (r != VALUES_CONFLICT && (r != VALUES_SAME || !is_all(c, theirs, n))) continue;
            observation o = {.outcome = r == VALUES_SAME ? EG_OUTCOME_CORROBORATION : EG_OUTCOME_CONTRADICTION,
                             .score = 0.9,
                             .a = x->span,
                             .b = y->span};
            separation why = {0};
            o.class = class_of(x);
            o.weak = is_weak_claim(x) || has_common_subject(&c->sentences[x->statement]);
            if (r == VALUES_CONFLICT && heads_differ(c->sentences, x->statement, theirs, y->statement)) continue;
            if (!same_qualifiers(x->qualifiers, y->qualifiers)) {
                if (r == VALUES_SAME || !named_contexts_differ(x->qualifiers, y->qualifiers, &why)) continue;
                o.outcome = EG_OUTCOME_BOTH_VALID;
                o.score = 0.7;
            } else if (r == VALUES_CONFLICT &&
                       (c->sentences[x->statement].updates || (c->sentences[x->statement].now && !theirs[y->statement].now)))
                o.outcome = EG_OUTCOME_UPDATE;
            status = keep(c, candidate, x->statement, o, &why, best, found);
        }
    return status;
}

/* What a rule says about sentence i of ours and k of theirs; 0: nothing. */
typedef int (*pair_rule)(const sentence *ours, uint32_t i, const sentence *theirs, uint32_t k, observation *o);

/* Keeps what the rule says about each pair of sentences. */
static eg_status by_pairs(comparer *c, const eg_case_fact *candidate, const sentence *theirs, size_t n, pair_rule rule,
                          observation *best, int *found) {
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < n; k++) {
            observation o;
            if (!rule(c->sentences, i, theirs, k, &o)) continue;
            eg_status status = keep(c, candidate, i, o, NULL, best, found);
            if (status != EG_OK) return status;
        }
    return EG_OK;
}

static int quantifiers_conflict(const sentence *ours, uint32_t i, const sentence *theirs, uint32_t k, observation *o) {
    *o = (observation){.outcome = EG_OUTCOME_CONTRADICTION, .class = CLASS_ENTITY, .general = 1, .score = 0.88};
    return rule_is_broken(&ours[i], &theirs[k], &o->a, &o->b) || rule_is_broken(&theirs[k], &ours[i], &o->b, &o->a);
}

static int words_conflict(const sentence *ours, uint32_t i, const sentence *theirs, uint32_t k, observation *o) {
    const unit *here, *there;
    const sentence *x = &ours[i], *y = &theirs[k];
    if (x->modality != y->modality || !reworded_conflict(x, y, &here, &there)) return 0;
    if (heads_differ(ours, i, theirs, k)) return 0;
    if ((here->claim->value_kind == EG_VALUE_VERSION || here->claim->value_kind == EG_VALUE_PORT) &&
        takes_several(x, &here->span) && takes_several(y, &there->span))
        return 0;
    *o = (observation){.outcome = x->updates || (x->now && !y->now) ? EG_OUTCOME_UPDATE : EG_OUTCOME_CONTRADICTION,
                       .class = class_of(here->claim),
                       .score = 0.86,
                       .a = here->span,
                       .b = there->span};
    return 1;
}

/* The new fact says that it replaces the candidate's value. */
static eg_status by_update(comparer *c, const eg_case_fact *candidate, const sentence *theirs, size_t n, observation *best,
                           int *found) {
    for (size_t i = 0; i < c->n; i++)
        for (size_t k = 0; k < n; k++) {
            const unit *now, *before;
            if (!update_replaces(&c->sentences[i], &theirs[k], &now, &before)) continue;
            observation o = {
                .outcome = EG_OUTCOME_UPDATE, .class = class_of(before->claim), .score = 0.9, .a = now->span, .b = before->span};
            return keep(c, candidate, (uint32_t)i, o, NULL, best, found);
        }
    return EG_OK;
}

eg_status compare_facts(comparer *c, const eg_case_fact *candidate, observation *out, int *found) {
    *found = 0;
    sentence *theirs;
    size_t n;
    eg_status status = read_all(c->rq, candidate, &theirs, &n);
    if (status == EG_OK) status = by_update(c, candidate, theirs, n, out, found);
    if (status != EG_OK || *found) return status; /* an update is not a contradiction */
    status = by_place(c, candidate, theirs, n, out, found);
    if (status == EG_OK) status = by_claims(c, candidate, theirs, n, out, found);
    if (status == EG_OK && !*found) status = by_pairs(c, candidate, theirs, n, words_conflict, out, found);
    if (status == EG_OK) status = by_pairs(c, candidate, theirs, n, quantifiers_conflict, out, found);
    return status;
}
