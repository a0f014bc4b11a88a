/* reword.c - see reword.h. */
#include "reword.h"

enum { MAX_EXTRA_WORDS = 6 }; /* content words of the longer statement that the shorter one lacks */

static int holds_key(const sentence *x, eg_str key) {
    for (size_t i = 0; i < x->n; i++)
        if (x->units[i].kind != UNIT_VALUE && eg_str_eq(x->units[i].key, key)) return 1;
    return 0;
}

/* The only value in x of the same kind and dimension as `like`; NULL when there are several or
 * none. */
static const unit *only_value(const sentence *x, const eg_claim *like) {
    const unit *found = NULL;
    for (size_t i = 0; i < x->n; i++) {
        const unit *u = &x->units[i];
        if (u->kind != UNIT_VALUE || u->claim->value_kind != like->value_kind || !eg_str_eq(u->claim->dimension, like->dimension))
            continue;
        if (found) return NULL;
        found = u;
    }
    return found;
}

/* 1 when a word restricts or negates the statement. */
static int is_hedged(const sentence *x) {
    for (size_t i = 0; i < x->n; i++)
        if (word_in(x->units[i].key, "if when unless except during while until not no never without cannot "
                                     "only once after before than "
                                     "mean median averag usually often sometimes p50 p95 p99 peak about "
                                     "roughly typically stag staging "
                                     "test sandbox demo canary nightly weekend night local dev old legacy "
                                     "former new other another own"))
            return 1;
    return 0;
}

static int is_link(eg_str key) {
    return word_in(key, "set get giv hold keep run tak us use amount equal stand lie com exist there contain make mak be");
}

/* 1 when the subject of the longer sentence has words of the shorter one and others: "children's
 * texts" are only some of the "texts". */
static int narrows(const sentence *longer, const sentence *shorter) {
    size_t shared = 0, own = 0;
    for (size_t i = 0; i < longer->n; i++) {
        const unit *u = &longer->units[i];
        if (!u->content || u->kind == UNIT_VALUE || is_link(u->key)) continue;
        int here = holds_key(shorter, u->key);
        if (i < longer->verb) {
            shared += (size_t)here;
            own += (size_t)!here;
        }
    }
    return shared && own;
}

/* "one" is rarely meant as a number. */
static int is_one(const eg_claim *c) { return eg_str_eq(c->text, EG_STR("one")); }

/* 1 when the value is the size of each part: "six shelves of twelve tiles", "shards of about 256
 * MB". */
static int is_of_each(const sentence *x, const unit *v) { return v > x->units && word_in(v[-1].key, "of"); }

int reworded_conflict(const sentence *a, const sentence *b, const unit **value_a, const unit **value_b) {
    if (!(a->words & b->words)) return 0;
    if (points_elsewhere(a) || points_elsewhere(b)) return 0;
    for (size_t i = 0; i < a->n; i++) {
        const unit *v = &a->units[i];
        if (v->kind != UNIT_VALUE || v->claim->value_kind == EG_VALUE_DATE || v->claim->value_kind == EG_VALUE_BOOLEAN) continue;
        if (eg_str_eq(v->claim->dimension, EG_STR("number")) || only_value(a, v->claim) != v) continue;
        const unit *w = only_value(b, v->claim);
        if (!w || values_compare(v->claim, w->claim) != VALUES_CONFLICT) continue;
        if (is_hedged(a) || is_hedged(b)) return 0;
        size_t shared = 0, names = 0, missing_a = 0, missing_b = 0;
        for (size_t side = 0; side < 2; side++) {
            const sentence *x = side ? b : a, *y = side ? a : b;
            for (size_t k = 0; k < x->n; k++) {
                const unit *u = &x->units[k];
                if (u->kind == UNIT_VALUE || !u->content || is_link(u->key)) continue;
                if (!holds_key(y, u->key)) {
                    if (side) missing_b++;
                    else missing_a++;
                } else if (side) {
                    shared++;
                    names += u->code != 0;
                }
            }
        }
        if (missing_a && missing_b) continue;
        if (narrows(missing_a ? a : b, missing_a ? b : a)) continue;
        if (v > a->units && w > b->units && values_lead_apart(v[-1].key, w[-1].key)) continue;
        if (is_of_each(a, v) != is_of_each(b, w)) continue;
        if (is_one(v->claim) || is_one(w->claim)) continue;
        if (is_option(a, &v->span) || is_option(b, &w->span)) continue;
        if (shared < 3 && !(shared == 2 && names)) continue;
        if (missing_a + missing_b > MAX_EXTRA_WORDS) continue;
        *value_a = v;
        *value_b = w;
        return 1;
    }
    return 0;
}
