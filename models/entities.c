/* entities.c - see entities.h. Tokens are joined to words (or each is a word), each with one label.
 * Words are joined to entities: an entity continues if the next label is of the same kind and does
 * not begin with B-. */
#include "models/entities.h"

/* A word of one or more tokens, with its label. */
typedef struct word {
    eg_range span;
    uint32_t label;
    float score;
} word;

static uint32_t best_of(const float *row, uint32_t labels) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < labels; i++)
        if (row[i] > row[best]) best = i;
    return best;
}

/* The label of the tokens [first, end). */
static word label_word(const eg_labelled *in, uint32_t labels, eg_aggregation aggregation, size_t first, size_t end) {
    const float *row = in->rows + first * labels;
    word w = {.span = {in->sources[first].span.begin, in->sources[end - 1].span.end}, .label = best_of(row, labels)};
    w.score = row[w.label];
    for (size_t i = first + 1; aggregation == EG_AGGREGATE_MAX && i < end; i++) {
        uint32_t best = best_of(in->rows + i * labels, labels);
        if (in->rows[i * labels + best] <= w.score) continue;
        w.label = best;
        w.score = in->rows[i * labels + best];
    }
    for (uint32_t k = 0; aggregation == EG_AGGREGATE_AVERAGE && k < labels; k++) {
        float sum = 0;
        for (size_t i = first; i < end; i++) sum += in->rows[i * labels + k];
        float mean = sum / (float)(end - first);
        if (k && mean <= w.score) continue;
        w.label = k;
        w.score = mean;
    }
    return w;
}

/* "B-PER" begins a PER; "I-PER" and "PER" continue one. */
static eg_str kind_of(const char *label, int *begins) {
    eg_str s = eg_str_of(label);
    *begins = s.len >= 2 && memcmp(s.ptr, "B-", 2) == 0;
    return *begins || (s.len >= 2 && memcmp(s.ptr, "I-", 2) == 0) ? (eg_str){s.ptr + 2, s.len - 2} : s;
}

/* The reported label: what follows the first hyphen, whatever the letter before it (E-PER, S-PER).
 */
static eg_str name_of(const char *label) {
    const char *hyphen = strchr(label, '-');
    return eg_str_of(hyphen ? hyphen + 1 : label);
}

typedef struct collector {
    eg_entity *out;
    size_t most, count;
    eg_entity open;
    double sum;
    size_t words;     /* of the current entity; 0: there is none */
    const char *last; /* label of its last word */
} collector;

static void close_entity(collector *c) {
    if (c->words == 0 || eg_str_eq(c->open.label, EG_STR("O"))) return;
    c->open.score = (float)(c->sum / (double)c->words);
    if (c->count < c->most) c->out[c->count] = c->open;
    c->count++;
}

static void add_word(collector *c, const char *label, const word *w) {
    int begins, last_begins;
    eg_str kind = kind_of(label, &begins);
    if (c->words == 0 || begins || !eg_str_eq(kind, kind_of(c->last, &last_begins))) {
        close_entity(c);
        c->open = (eg_entity){.label = name_of(label), .span = {w->span.begin, w->span.begin}};
        c->words = 0;
        c->sum = 0;
    }
    if (w->span.end > c->open.span.begin) c->open.span.end = w->span.end;
    c->sum += (double)w->score;
    c->words++;
    c->last = label;
}

size_t eg_entities_find(const eg_tokenizer *tokenizer, const eg_config *config, const eg_labelled *in, eg_aggregation aggregation,
                        eg_entity *out, size_t most) {
    collector c = {.out = out, .most = most};
    for (size_t i = 0, end; i < in->tokens; i = end) {
        end = i + 1;
        if (in->sources[i].is_special) continue;
        while (aggregation != EG_AGGREGATE_SIMPLE && end < in->tokens && !in->sources[end].is_special &&
               eg_tokenizer_continues(tokenizer, in->text, in->ids[end], &in->sources[end]))
            end++;
        word w = label_word(in, config->labels, aggregation, i, end);
        add_word(&c, config->label_names[w.label], &w);
    }
    close_entity(&c);
    return c.count;
}
