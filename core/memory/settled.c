/* settled.c - see settled.h. A high cosine alone is not enough: "30 days" and "60 days", "enabled"
 * and "not enabled" have one of 0.97, while another subject ("the billing service") is far away. So
 * words that change what is said must be equal. */
#include "core/memory/settled.h"

#include "core/memory/reads.h"
#include "core/text/text.h"
#include "core/text/words.h"

enum { MAX_PAIRS = 1000, MAX_KEYS = 64, KEY = 24 };
#define LEAST_COSINE 0.92

/* ---- words that must be equal ---- */

static const char deciding[] =
    "not no never none nor neither without cannot only all any some always sometimes usually often at least most maximum minimum "
    "max min over under above below before until since than more less fewer exactly about default staging production prod "
    "test dev development local preview on off enabled disabled enable disable true false yes allow allows deny denies allowed "
    "denied must should may might can could will would was were required optional monday tuesday wednesday thursday friday "
    "saturday sunday january february march april june july august september october november december first second third last "
    "next previous old new one two three four five six seven eight nine ten eleven twelve daily weekly monthly yearly hourly";

typedef struct key_list {
    char keys[MAX_KEYS][KEY];
    size_t count;
} key_list;

static int is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }

static int has_digit(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] >= '0' && s.ptr[i] <= '9') return 1;
    return 0;
}

/* Cuts the next word off *text: letters, digits, and the signs between them. */
static eg_str next_word(eg_str *text) {
    while (text->len && !is_word(*text->ptr)) text->ptr++, text->len--;
    size_t n = 0;
    while (n < text->len &&
           (is_word(text->ptr[n]) || (n + 1 < text->len && strchr(".,:/_-'%", text->ptr[n]) && is_word(text->ptr[n + 1]))))
        n++;
    eg_str word = {text->ptr, n};
    *text = (eg_str){text->ptr + n, text->len - n};
    return word;
}

/* Keeps the list in order. */
static void add_key(key_list *l, eg_str word) {
    char folded[EG_LONGEST_WORD + 4];
    size_t n = eg_word_fold(word, folded);
    if (l->count == MAX_KEYS) return;
    if (n >= KEY) n = KEY - 1;
    folded[n] = '\0';
    size_t at = l->count++;
    for (; at > 0 && strcmp(l->keys[at - 1], folded) > 0; at--) memcpy(l->keys[at], l->keys[at - 1], KEY);
    memcpy(l->keys[at], folded, n + 1);
}

/* Numbers and the words behind them (units), names within a sentence, negations, and words of the
 * list; not the "after" of "after 30 seconds", which is said in other ways too. */
static void deciding_words(eg_str text, key_list *out) {
    int after_number = 0;
    eg_str held = {0}; /* an "after" */
    out->count = 0;
    for (int first = 1; text.len; first = 0) {
        eg_str word = next_word(&text);
        if (!word.len) break;
        int number = has_digit(word), name = !first && word.ptr[0] >= 'A' && word.ptr[0] <= 'Z';
        int negates = word.len > 3 && memcmp(word.ptr + word.len - 3, "n't", 3) == 0;
        if (held.len && !number) add_key(out, held);
        held = eg_word_in(word, "after") ? word : (eg_str){0};
        if (held.len) continue;
        if (number || after_number || name || negates || eg_word_in(word, deciding)) add_key(out, word);
        after_number = number;
    }
}

int eg_settled_same_words(eg_str a, eg_str b) {
    key_list x, y;
    deciding_words(a, &x);
    deciding_words(b, &y);
    if (x.count != y.count || x.count == MAX_KEYS) return 0;
    for (size_t i = 0; i < x.count; i++)
        if (strcmp(x.keys[i], y.keys[i]) != 0) return 0;
    return 1;
}

/* ---- pairs ---- */

/* The normal form, in the request's memory. */
static eg_status normal_form(eg_request *rq, eg_str text, eg_str *out) {
    eg_arena arena;
    eg_str normal;
    eg_arena_init(&arena, 0);
    eg_status s = eg_text_normalize(&arena, text, &normal, rq->err);
    if (s == EG_OK) *out = eg_request_copy(rq, normal);
    eg_arena_release(&arena);
    return s != EG_OK || out->ptr ? s : EG_ENOMEM;
}

static int is_settled(const eg_conflict *c) {
    return c->status == EG_CONFLICT_DISMISSED || c->resolution_type == EG_RESOLUTION_BOTH_VALID;
}

static eg_status load_pairs(eg_memory *m, eg_request *rq, eg_settled *out) {
    const eg_conflict_filter filter = {
        .size = sizeof filter, .statuses = 1u << EG_CONFLICT_DISMISSED | 1u << EG_CONFLICT_RESOLVED, .limit = MAX_PAIRS};
    eg_conflict *rows = NULL;
    size_t n = 0, kept = 0;
    eg_status s = STORE(m, conflicts, rq, &filter, &rows, &n);
    if (s != EG_OK || n == 0) return s;
    eg_id *ids = eg_request_array(rq, 2 * n, sizeof *ids);
    eg_fact *facts = eg_request_array(rq, 2 * n, sizeof *facts);
    out->pairs = eg_request_array(rq, n, sizeof *out->pairs);
    if (!ids || !facts || !out->pairs) return EG_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (!is_settled(&rows[i])) continue;
        ids[kept++] = rows[i].fact_a;
        ids[kept++] = rows[i].fact_b;
    }
    if (kept) s = eg_read_facts(m, rq, ids, kept, facts, NULL);
    for (size_t i = 0; s == EG_OK && i < kept; i += 2) {
        eg_settled_pair *p = &out->pairs[out->count];
        for (size_t k = 0; k < 2 && s == EG_OK; k++) {
            p->text[k] = facts[i + k].content;
            s = normal_form(rq, p->text[k], &p->normal[k]);
        }
        if (facts[i].seq && facts[i + 1].seq) out->count++;
    }
    return s;
}

eg_status eg_settled_load(eg_memory *m, eg_request *rq, eg_settled *s) {
    if (s->is_loaded) return EG_OK;
    s->is_loaded = 1;
    return load_pairs(m, rq, s);
}

/* *same: 1 when two texts are near by their vectors. Without a model they are not. */
static eg_status are_near(eg_memory *m, eg_request *rq, eg_str a, eg_str b, int *same) {
    eg_str model;
    uint32_t dimensions;
    eg_error none = {0};
    *same = 0;
    if (!m->env.embed_model || m->env.embed_model(m->env.host, &model, &dimensions, &none) != EG_OK) return EG_OK;
    float *v = eg_request_array(rq, 2 * (size_t)dimensions, sizeof *v);
    if (!v) return EG_ENOMEM;
    const eg_str texts[2] = {a, b};
    eg_status s = SERVICES(m)->embed(m->env.host, rq, texts, 2, v, dimensions);
    if (s == EG_OK) *same = (double)SERVICES(m)->dot(m->env.host, v, v + dimensions, dimensions) >= LEAST_COSINE;
    return s;
}

/* Whether a text says the same as side k of a pair. */
static eg_status says_the_same(eg_memory *m, eg_request *rq, const eg_settled_pair *p, size_t k, eg_str text, eg_str normal,
                               int *same) {
    *same = eg_str_eq(normal, p->normal[k]);
    return *same ? EG_OK : are_near(m, rq, text, p->text[k], same);
}

eg_status eg_settled_has(eg_memory *m, eg_request *rq, const eg_settled *s, eg_str one, eg_str other, int *found) {
    const eg_str texts[2] = {one, other};
    eg_str normal[2];
    *found = 0;
    if (!s->count) return EG_OK;
    eg_status status = normal_form(rq, one, &normal[0]);
    if (status == EG_OK) status = normal_form(rq, other, &normal[1]);
    for (size_t i = 0; status == EG_OK && i < s->count && !*found; i++)
        for (size_t swap = 0; status == EG_OK && swap < 2 && !*found; swap++) {
            const eg_settled_pair *p = &s->pairs[i];
            if (!eg_settled_same_words(one, p->text[swap]) || !eg_settled_same_words(other, p->text[!swap])) continue;
            status = says_the_same(m, rq, p, swap, texts[0], normal[0], found);
            if (status == EG_OK && *found) status = says_the_same(m, rq, p, !swap, texts[1], normal[1], found);
        }
    return status;
}
