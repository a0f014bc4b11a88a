/* update.c - see update.h. */
#include "update.h"

static eg_str key_at(const sentence *x, size_t i, size_t back) { return i >= back ? x->units[i - back].key : EG_STR(""); }

/* 1 when the words around the value at i say that it is the former one. */
static int is_former(const sentence *x, size_t i) {
    eg_str one = key_at(x, i, 1), two = key_at(x, i, 2), after = i + 1 < x->n ? x->units[i + 1].key : EG_STR("");
    if (word_in(one, "of") && word_in(two, "instead place")) return 1;
    if (word_in(one, "than") && word_in(two, "rather")) return 1;
    if (word_in(one, "was were formerly previously former previou old")) return 1;
    if (word_in(one, "from") && word_in(two, "up down shorten rais lower doubl halv grow grown reduc increas cut extend lengthen "
                                             "mov upgrad join switch migrat chang went halved doubled"))
        return 1;
    if (word_in(one, "from"))
        for (size_t k = 0; k < i; k++)
            if (word_in(x->units[k].key, "rais lower doubl halv grow grown reduc increas cut extend lengthen "
                                         "shorten upgrad join chang went "
                                         "mov switch migrat trebl tripl"))
                return 1;
    if (word_in(one, "of") && i >= 3) /* "the former limit of 110" */
        for (size_t k = 2; k <= 3 && k <= i; k++)
            if (word_in(key_at(x, i, k), "former previou old")) return 1;
    return word_in(after, "before previously earlier formerly until");
}

/* The former value may leave out its unit: "instead of 120", "up from two". */
static int same_value(const eg_claim *former, const eg_claim *held) {
    if (values_compare(former, held) == VALUES_SAME) return 1;
    if (!eg_str_eq(former->dimension, EG_STR("number"))) return 0;
    size_t n = former->text.len;
    return n && held->text.len > n && memcmp(held->text.ptr, former->text.ptr, n) == 0 &&
           (held->text.ptr[n] == ' ' || held->text.ptr[n] == '%');
}

/* The number of content words of b that are in a, too; *of: of all content words of b. */
static size_t shared_words(const sentence *a, const sentence *b, size_t *of) {
    size_t shared = 0, all = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (!b->units[i].content || b->units[i].kind == UNIT_VALUE) continue;
        all++;
        for (size_t k = 0; k < a->n; k++)
            if (eg_str_eq(a->units[k].key, b->units[i].key)) {
                shared++;
                break;
            }
    }
    *of = all;
    return shared;
}

int update_replaces(const sentence *newer, const sentence *older, const unit **new_value, const unit **old_value) {
    if (!(newer->words & older->words)) return 0;
    size_t all, shared = shared_words(newer, older, &all);
    if (shared < 2 || shared * 5 < all) return 0;
    for (size_t i = 0; i < newer->n; i++) {
        const unit *former = &newer->units[i], *current = NULL;
        if (former->kind != UNIT_VALUE || !is_former(newer, i)) continue;
        /* the nearest other value that could stand in its place */
        for (size_t k = 0; k < newer->n; k++) {
            const unit *v = &newer->units[k];
            if (v->kind != UNIT_VALUE || v == former) continue;
            value_relation r = values_compare(v->claim, former->claim);
            if (r != VALUES_CONFLICT && !(r == VALUES_UNLIKE && eg_str_eq(former->claim->dimension, EG_STR("number")))) continue;
            if (!current ||
                (k < i ? i - k : k - i) < (current < former ? (size_t)(former - current) : (size_t)(current - former)))
                current = v;
        }
        if (!current) continue;
        for (size_t k = 0; k < older->n; k++)
            if (older->units[k].kind == UNIT_VALUE && same_value(former->claim, older->units[k].claim)) {
                *new_value = current;
                *old_value = &older->units[k];
                return 1;
            }
    }
    return 0;
}
