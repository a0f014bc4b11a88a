/* prose.c - see prose.h. */
#include "core/text/prose.h"

#include "core/text/fold.h"
#include "core/text/plain.h"
#include "core/text/text.h"
#include "core/text/topics.h"
#include "core/text/words.h"

enum {
    /* a shorter line of a paragraph was ended by its writer, not by the width of the page */
    SHORT_LINE = 60,
    MAX_PIECE_WORDS = 7,
    SENTENCES = 64 /* read at once */
};

/* The paragraph or item that is being read. */
typedef struct prose {
    const eg_block *block;
    eg_outline above;
    eg_str topic; /* what its first sentence is about */
    eg_str label; /* that it begins with; empty: none, or one that tells only of the writing */
    eg_lead lead; /* of the label that it begins with */
    int later;    /* a sentence was read already */
} prose;

/* A sentence in its parts. */
typedef struct sentence {
    eg_span span;
    eg_str words; /* plain, without a label that says nothing about the system */
    eg_str label; /* plain; empty: none, or dropped */
    size_t cut;   /* bytes of the label */
    eg_lead lead; /* of the label */
} sentence;

static int take_apart(eg_reader *r, const prose *p, eg_span span, sentence *s) {
    eg_str raw = eg_reader_words(r, span), label = {0};
    *s = (sentence){.span = span, .cut = eg_label_at(raw, &label)};
    if (!eg_text_plain(r->arena, raw, &s->words)) return 0;
    if (!s->cut) return 1;
    if (!eg_text_plain(r->arena, label, &label)) return 0;
    s->lead = eg_lead_of(label);
    if (!eg_gist_of(r->arena, label, &s->label)) return 0;
    int item = p->block->kind != EG_BLOCK_PARAGRAPH;
    if (s->lead == EG_LEAD_NEUTRAL || (s->label.len == 0 && !item)) s->label = (eg_str){"", 0};
    /* it stays in the words */
    else if (item || s->lead) return s->label = s->lead ? (eg_str){"", 0} : s->label, 1;
    while (s->cut < raw.len && strchr(" \n", raw.ptr[s->cut])) s->cut++;
    eg_str body = {raw.ptr + s->cut, raw.len - s->cut};
    if (!eg_text_plain(r->arena, body, &s->words)) return 0;
    return !s->label.len || eg_reader_join(r, s->label, s->words, &s->words);
}

static uint32_t kind_of(const prose *p, const sentence *s) {
    eg_lead lead = s->lead > EG_LEAD_NEUTRAL ? s->lead : p->lead > EG_LEAD_NEUTRAL ? p->lead : (eg_lead)p->above.lead;
    return eg_kind_of(s->words, p->block->kind == EG_BLOCK_STEP, lead);
}

/* What goes in front of a sentence. */
static int context_of(eg_reader *r, const prose *p, eg_str *out) {
    if (p->later) return eg_reader_join(r, p->above.context, p->topic, out);
    *out = p->above.context.len ? p->above.context : r->topic;
    return 1;
}

/* ---- values of a list behind a label: "worker.env, production: pool size 12, timeout 30 s"
 * ---- */

/* The end of the piece that begins at i, where it is not too long to be one. */
static size_t piece_end(eg_str s, size_t i) {
    size_t end = i, most = s.len - i < EG_MAX_CONTEXT ? s.len : i + EG_MAX_CONTEXT;
    for (int code = 0, depth = 0; end < most; end++) {
        char c = s.ptr[end];
        if (c == '`') code = !code;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (c == ',' && !code && depth <= 0) break;
    }
    return end;
}

static int is_piece(eg_str s) { return s.len < EG_MAX_CONTEXT && eg_count_words(s) <= MAX_PIECE_WORDS && !eg_has_verb(s); }

/* Whether a new value begins behind the comma. */
static int begins_piece(eg_str s, size_t from, size_t comma) {
    size_t at = comma + 1, n = 0;
    while (at < s.len && s.ptr[at] == ' ') at++;
    if (at >= s.len || !eg_is_alpha(s.ptr[at])) return 0;
    eg_str before = eg_text_trim((eg_str){s.ptr + from, comma - from}), piece = {s.ptr + at, piece_end(s, at) - at};
    while (n < piece.len && piece.ptr[n] != ' ') n++;
    if (n == piece.len) return 0; /* one word */
    if (eg_word_in((eg_str){piece.ptr, n}, "and or but which so then not no as if when while because since by for in on at to of "
                                           "with from too also that nor per plus it we you they never"))
        return 0;
    return is_piece(before) && is_piece(piece);
}

/* EG_ENOENT: the sentence holds no such list. */
static eg_status pieces(eg_reader *r, const prose *p, const sentence *s, uint32_t kind) {
    eg_str raw = eg_reader_words(r, s->span), context, words, alone;
    size_t n = 0, from = s->label.len ? s->cut : 0;
    if (!s->label.len && !p->label.len) return EG_ENOENT;
    if (!eg_reader_join(r, p->above.context, s->label.len ? s->label : p->label, &context)) return eg_reader_no_memory(r);
    for (size_t i = from, code = 0, depth = 0; i <= raw.len; i++) {
        char c = i < raw.len ? raw.ptr[i] : 0;
        if (c == '`') code = !code;
        if (c == '(' || c == '[' || c == '{') depth++;
        if ((c == ')' || c == ']' || c == '}') && depth) depth--;
        int cuts = c == ',' && !code && !depth && begins_piece(raw, from, i);
        if (!cuts && !(i == raw.len && n)) continue;
        eg_str piece = eg_text_trim((eg_str){raw.ptr + from, i - from});
        /* the label belongs to the span of the first: its own words are all that rules read */
        uint32_t start = n ? (uint32_t)(piece.ptr - r->text.ptr) : s->span.start,
                 end = (uint32_t)(piece.ptr - r->text.ptr + (ptrdiff_t)piece.len);
        if (!eg_text_plain(r->arena, piece, &words) || !eg_reader_join(r, context, words, &alone)) return eg_reader_no_memory(r);
        eg_status status = eg_reader_give(r, p->block, (eg_span){start, end}, kind, alone);
        if (status != EG_OK) return status;
        n++;
        from = i + 1;
    }
    return n ? EG_OK : EG_ENOENT;
}

/* ---- sentences ---- */

static eg_status read_sentence(eg_reader *r, prose *p, eg_span span) {
    sentence s;
    eg_str context, alone;
    if (!take_apart(r, p, span, &s) || !context_of(r, p, &context)) return eg_reader_no_memory(r);
    if (s.words.len == 0) return EG_OK;
    if (!eg_reader_join(r, context, s.words, &alone)) return eg_reader_no_memory(r);
    uint32_t kind = kind_of(p, &s);
    if (!p->later) {
        if (s.lead > EG_LEAD_NEUTRAL && s.lead != EG_LEAD_ASKS) p->lead = s.lead;
        p->label = s.label;
        if (!eg_gist_of(r->arena, s.label.len ? s.label : eg_subject_of(s.words), &p->topic)) return eg_reader_no_memory(r);
        p->topic = eg_text_begin(p->topic, EG_MAX_CONTEXT);
    }
    p->later = 1;
    eg_status status = pieces(r, p, &s, kind);
    if (status != EG_ENOENT) return status;
    return eg_reader_give(r, p->block, s.span, kind, alone);
}

/* Whether the line that ends at i in s was ended by its writer, and another statement begins behind
 * it. */
static int ends_statement(eg_str s, size_t start, size_t i) {
    if (i - start >= SHORT_LINE || i == start || s.ptr[i - 1] == ',') return 0;
    size_t k = i + 1;
    while (k < s.len && strchr(" \t>", s.ptr[k])) k++;
    return k < s.len && (eg_is_upper(s.ptr[k]) || s.ptr[k] == '`' || s.ptr[k] == '*');
}

/* A sentence, or the several that its lines make. */
static eg_status read_lines(eg_reader *r, prose *p, eg_span span) {
    eg_str s = eg_reader_words(r, span);
    size_t from = 0, line = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\n') continue;
        if (ends_statement(s, line, i)) {
            eg_span one = {span.start + (uint32_t)from, span.start + (uint32_t)i};
            eg_status status = read_sentence(r, p, one);
            if (status != EG_OK) return status;
            for (from = i + 1; from < s.len && strchr(" \t>", s.ptr[from]);) from++;
        }
        line = i + 1;
    }
    return read_sentence(r, p, (eg_span){span.start + (uint32_t)from, span.end});
}

/* Whether the last sentence only leads to what stands under its block. */
static int only_leads(const eg_reader *r, const eg_block *b, eg_span last, int single) {
    char c = r->text.ptr[last.end - 1];
    if (c == ':' || c == '*') return 1;
    return single && c != '.' && c != '!' && c != '?' && b->kind == EG_BLOCK_PARAGRAPH;
}

/* What stands under a block gets its last sentence in front, and what it is about where that says
 * little. */
static int lead_in(eg_reader *r, const prose *p, eg_span last) {
    eg_outline *o = eg_reader_outline(r, p->block);
    eg_str words;
    if (!eg_text_plain(r->arena, eg_reader_words(r, last), &words)) return 0;
    words = eg_without_colon(words);
    o->lead = (uint8_t)eg_lead_of(words);
    if (o->lead == EG_LEAD_NEUTRAL) words = (eg_str){"", 0};
    if (o->lead <= EG_LEAD_NEUTRAL) o->lead = p->above.lead;
    if (!eg_gist_of(r->arena, words, &words)) return 0;
    if (p->later && eg_count_words(words) < 4 && !eg_reader_join(r, p->topic, words, &words)) return 0;
    return eg_reader_join(r, p->above.context, eg_text_begin(words, EG_MAX_CONTEXT), &o->context);
}

/* The last sentence of a block that others stand under. *only: it is no statement of its own. */
static int read_lead(eg_reader *r, const prose *p, eg_span s, int single, int *only) {
    if (!eg_reader_outline(r, p->block)->leads) return 1;
    *only = only_leads(r, p->block, s, single);
    return lead_in(r, p, s);
}

eg_status eg_read_prose(eg_reader *r, const eg_block *b) {
    prose p = {.block = b, .above = eg_reader_above(r, b), .topic = {"", 0}, .label = {"", 0}};
    eg_span spans[SENTENCES];
    for (uint32_t at = b->span.start;;) {
        size_t n = eg_text_statements(eg_reader_words(r, (eg_span){at, b->span.end}), spans, SENTENCES);
        size_t taken = n == SENTENCES ? n - 1 : n;
        for (size_t i = 0; i < taken; i++) {
            eg_span s = {at + spans[i].start, at + spans[i].end};
            int only = 0;
            if (i + 1 == n && !read_lead(r, &p, s, n == 1, &only)) return eg_reader_no_memory(r);
            eg_status status = only ? EG_OK : read_lines(r, &p, s);
            if (status != EG_OK) return status;
        }
        if (n < SENTENCES) break;
        at += spans[taken].start;
    }
    if (!r->topic.len && b->kind == EG_BLOCK_PARAGRAPH && b->above == EG_BLOCK_NONE) {
        eg_str context = eg_reader_outline(r, b)->context;
        r->topic = context.len ? context : p.topic;
    }
    return EG_OK;
}
