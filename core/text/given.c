/* given.c - see given.h. A word tells the more the fewer statements of the fact have it; numbers
 * and identifiers tell twice as much as words. */
#include "core/text/given.h"

#include <stdlib.h>

#include "core/base/status.h"
#include "core/text/fold.h"
#include "core/text/plain.h"
#include "core/text/stock.h"
#include "core/text/text.h"
#include "core/text/words.h"

/* Of the weight of a given statement, how much must stand in the content. */
#define LEAST_SHARE 0.3
/* How much a word of a heading or lead-in counts, against one of the statement itself. */
#define ABOVE 0.3

/* The telling words of a text, once each. */
typedef struct bag {
    eg_term *terms;
    double *weights;
    size_t count;
    double whole; /* the sum of the weights */
} bag;

typedef struct matching {
    eg_arena *arena;
    bag *read; /* with what each statement stands under, in the form that stands alone */
    bag *own;  /* what stands in the place of each */
    size_t read_count;
    bag content; /* with the scope */
    eg_error *err;
} matching;

static int order_of(eg_str a, eg_str b) {
    int order = memcmp(a.ptr, b.ptr, a.len < b.len ? a.len : b.len);
    return order ? order : (a.len > b.len) - (a.len < b.len);
}
static int compare(const void *a, const void *b) { return order_of(((const eg_term *)a)->text, ((const eg_term *)b)->text); }

static size_t find(const bag *b, eg_str word) {
    const eg_term key = {.text = word};
    const eg_term *at = b->count ? bsearch(&key, b->terms, b->count, sizeof key, compare) : NULL;
    return at ? (size_t)(at - b->terms) : SIZE_MAX;
}

static eg_status read_bag(matching *m, eg_str text, eg_str scope, bag *out) {
    *out = (bag){.terms = eg_arena_array(m->arena, EG_MAX_FACT_TERMS, sizeof(eg_term))};
    if (!out->terms) return eg_fail_memory(m->err, EG_MAX_FACT_TERMS * sizeof(eg_term));
    size_t n, kept = 0;
    eg_status s = eg_text_terms(m->arena, text, scope, out->terms, EG_MAX_FACT_TERMS, &n, m->err);
    if (s != EG_OK) return s;
    for (size_t i = 0; i < n; i++)
        if (!eg_word_is_stop(out->terms[i].text)) out->terms[kept++] = out->terms[i];
    if (kept) qsort(out->terms, kept, sizeof *out->terms, compare);
    out->count = kept;
    out->weights = eg_arena_array(m->arena, kept, sizeof *out->weights);
    return out->weights ? EG_OK : eg_fail_memory(m->err, kept * sizeof *out->weights);
}

static int is_plain(eg_str word) {
    for (size_t i = 0; i < word.len; i++)
        if (!eg_is_alpha(word.ptr[i]) && (unsigned char)word.ptr[i] < 0x80) return 0;
    return 1;
}

static void weigh(const matching *m, bag *b) {
    for (size_t i = 0; i < b->count; i++) {
        size_t having = 0;
        for (size_t k = 0; k < m->read_count; k++) having += find(&m->read[k], b->terms[i].text) != SIZE_MAX;
        b->weights[i] = (is_plain(b->terms[i].text) ? 1.0 : 2.0) / (double)(having ? having : 1);
        b->whole += b->weights[i];
    }
}

/* The weight of what a given statement shares with another bag. */
static double shared(const bag *given, const bag *other) {
    double sum = 0;
    for (size_t i = 0; i < given->count; i++)
        if (find(other, given->terms[i].text) != SIZE_MAX) sum += given->weights[i];
    return sum;
}

static eg_status read_bags(matching *m, eg_str content, eg_str scope, const eg_statement *read) {
    m->read = eg_arena_array(m->arena, m->read_count, sizeof *m->read);
    m->own = eg_arena_array(m->arena, m->read_count, sizeof *m->own);
    if (!m->read || !m->own) return eg_fail_memory(m->err, m->read_count * sizeof *m->read);
    eg_status s = read_bag(m, content, scope, &m->content);
    for (size_t i = 0; s == EG_OK && i < m->read_count; i++) {
        eg_span span = read[i].span;
        eg_str text, parts[] = {{content.ptr + span.start, span.end - span.start}, EG_STR("\n"), read[i].alone};
        if (!eg_text_join(m->arena, parts, 3, &text)) return eg_fail_memory(m->err, text.len);
        s = read_bag(m, text, (eg_str){"", 0}, &m->read[i]);
        if (s == EG_OK) s = read_bag(m, parts[0], (eg_str){"", 0}, &m->own[i]);
    }
    for (size_t i = 0; s == EG_OK && i < m->read_count; i++) weigh(m, &m->own[i]);
    return s;
}

/* The read statement that a given one speaks of: it shares the most, in proportion to the weight of
 * both. Words of what it stands under tell less than its own. */
static size_t nearest(const matching *m, const bag *given) {
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < m->read_count; i++) {
        double own = shared(given, &m->own[i]), common = own + ABOVE * (shared(given, &m->read[i]) - own);
        double score = common * common / (m->own[i].whole + given->whole + 1e-9);
        if (score > most) most = score, best = i;
    }
    return best;
}

eg_status eg_text_match_given(eg_arena *arena, eg_str content, eg_str scope, const eg_statement *read, size_t read_count,
                              const eg_str *texts, size_t count, eg_statement *out, eg_given_refusal *refusal, eg_error *err) {
    matching m = {.arena = arena, .read_count = read_count, .err = err};
    eg_stock stock;
    *refusal = (eg_given_refusal){0};
    eg_status s = eg_stock_read(arena, content, scope, &stock, err);
    if (s == EG_OK) s = read_bags(&m, content, scope, read);
    for (size_t i = 0; s == EG_OK && i < count; i++) {
        bag given;
        refusal->index = i;
        if ((s = eg_stock_lacks(arena, &stock, texts[i], &refusal->word, err)) != EG_OK) return s;
        if (refusal->word.len) return refusal->fault = EG_GIVEN_ADDS, EG_OK;
        if ((s = read_bag(&m, texts[i], (eg_str){"", 0}, &given)) != EG_OK) return s;
        weigh(&m, &given);
        double common = shared(&given, &m.content);
        if (common <= 0 || common < LEAST_SHARE * given.whole) return refusal->fault = EG_GIVEN_FAR, EG_OK;
        size_t at = nearest(&m, &given);
        out[i] = (eg_statement){.span = read[at].span, .kind = read[at].kind, .flags = EG_STATEMENT_GIVEN, .alone = texts[i]};
    }
    return s;
}

/* ---- two lists as one ---- */

/* 1 when the given statement stands in this place: that of the read one, or most of it where the
 * content was read by other rules when it was given. */
static int stands_in(eg_span given, eg_span place) {
    uint32_t start = given.start > place.start ? given.start : place.start;
    uint32_t end = given.end < place.end ? given.end : place.end;
    return start < end && 2 * (end - start) > place.end - place.start;
}

/* 1 when the given statements say most of what the read one does. */
static eg_status covers(matching *m, eg_str content, eg_span place, const eg_statement *given, const bag *bags, size_t count,
                        int *covered) {
    bag own;
    double said = 0;
    *covered = 0;
    eg_status s = read_bag(m, (eg_str){content.ptr + place.start, place.end - place.start}, (eg_str){"", 0}, &own);
    if (s != EG_OK) return s;
    weigh(m, &own);
    for (size_t i = 0; i < own.count; i++)
        for (size_t k = 0; k < count; k++)
            if (stands_in(given[k].span, place) && find(&bags[k], own.terms[i].text) != SIZE_MAX) {
                said += own.weights[i];
                break;
            }
    for (size_t k = 0; k < count; k++) *covered |= stands_in(given[k].span, place);
    *covered &= 2 * said >= own.whole;
    return EG_OK;
}

/* In the order of the text; of one place in the order that they were given in. */
static void sort_by_place(eg_statement *rows, size_t n) {
    for (size_t i = 1; i < n; i++) {
        eg_statement s = rows[i];
        size_t at = i;
        for (; at > 0 && rows[at - 1].span.start > s.span.start; at--) rows[at] = rows[at - 1];
        rows[at] = s;
    }
}

eg_status eg_text_merge_given(eg_arena *arena, eg_str content, const eg_statement *read, size_t read_count,
                              const eg_statement *given, size_t count, eg_statement *out, size_t most, size_t *n, eg_error *err) {
    matching m = {.arena = arena, .err = err};
    bag *bags = eg_arena_array(arena, count, sizeof *bags);
    *n = 0;
    if (!bags) return eg_fail_memory(err, count * sizeof *bags);
    eg_status s = EG_OK;
    for (size_t i = 0; s == EG_OK && i < count && *n < most; i++) {
        s = read_bag(&m, given[i].alone, (eg_str){"", 0}, &bags[i]);
        out[(*n)++] = given[i];
    }
    for (size_t i = 0; s == EG_OK && i < read_count && *n < most; i++) {
        int covered;
        s = covers(&m, content, read[i].span, given, bags, *n < count ? *n : count, &covered);
        if (s == EG_OK && !covered) out[(*n)++] = read[i];
    }
    sort_by_place(out, *n);
    return s;
}
