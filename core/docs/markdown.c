/* markdown.c - the reader of Markdown of documents.h: what is shown of the page (shown.c), its
 * blocks and statements (core/text), and of these the ones that can contradict another, with
 * their scopes and lines. */
#include "core/docs/markdown.h"

#include <stdio.h>
#include <string.h>

#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/docs/shown.h"
#include "core/text/plain.h"
#include "core/text/read.h"
#include "core/text/topics.h"
#include "core/text/words.h"

enum { SCOPE_LEVELS = 3, MIN_WORDS = 3 };

typedef struct page {
    eg_document *document;
    const eg_shown *shown;
    const eg_blocks *blocks;
    eg_arena scratch;
    uint32_t *below;          /* a block: index of the heading that it stands below, or
                               * EG_BLOCK_NONE */
    char scope[EG_MAX_SCOPE]; /* of the blocks below scope_below; empty at first */
    uint32_t scope_below;
    size_t at, line; /* up to this byte lines were counted; index of the line that it is on */
} page;

static eg_str words_of(const page *p, eg_span s) { return (eg_str){p->shown->text.ptr + s.start, s.end - s.start}; }

/* Notes for each block the heading that it stands below; blocks stand behind what is above them. */
static eg_status note_headings(page *p) {
    const eg_block *items = p->blocks->items;
    p->below = eg_arena_array(&p->scratch, p->blocks->count, sizeof *p->below);
    if (!p->below) return eg_fail_memory(p->document->err, p->blocks->count * sizeof *p->below);
    for (size_t i = 0; i < p->blocks->count; i++) {
        uint32_t above = items[i].above;
        p->below[i] = above == EG_BLOCK_NONE || items[above].kind == EG_BLOCK_HEADING ? above : p->below[above];
    }
    return EG_OK;
}

/* The scope of a block: the file and the headings of three levels above it; the title of the page
 * is its name again. EG_MAX_SCOPE is never reached. */
static const char *scope_of(page *p, const eg_block *b) {
    uint32_t below = p->below[b - p->blocks->items];
    if (p->scope[0] && below == p->scope_below) return p->scope;
    const eg_block *headings[SCOPE_LEVELS] = {0};
    for (uint32_t i = below; i != EG_BLOCK_NONE; i = p->below[i]) {
        const eg_block *h = &p->blocks->items[i];
        if (h->level > 1 && h->level < 2 + SCOPE_LEVELS) headings[h->level - 2] = h;
    }
    int n = snprintf(p->scope, EG_MAX_SCOPE, "%s", p->document->stem[0] ? p->document->stem : "general");
    for (int i = 0; i < SCOPE_LEVELS; i++) {
        char slug[EG_SLUG + 1] = "";
        if (headings[i]) eg_slug(words_of(p, headings[i]->span), slug);
        if (slug[0]) n += snprintf(p->scope + n, (size_t)(EG_MAX_SCOPE - n), "/%s", slug);
    }
    p->scope_below = below;
    return p->scope;
}

/* The line of the document that a byte of the shown text comes from; at never goes back. */
static uint32_t line_at(page *p, size_t at) {
    for (; p->at < at; p->at++) p->line += p->shown->text.ptr[p->at] == '\n';
    return p->shown->lines[p->line];
}

/* Whether a listing is read: configuration, when the page says so. Others are source, commands and
 * data that only show something: of 285 reports on docs of public repositories 43 held one example
 * of a command against another. Options stand behind the language. */
static int is_read(const page *p, const eg_block *b) {
    eg_str language = eg_trim_line(words_of(p, b->info));
    for (size_t i = 0; i < language.len; i++)
        if (strchr(" \t,{:", language.ptr[i])) language.len = i;
    return eg_word_in(language, "yaml yml toml ini conf cfg config properties env dotenv hcl terraform nginx dockerfile");
}

/* Whether it could contradict something: short ones (labels, "Yes."), those that lead to
 * something, source code that only shows something, and kinds that say nothing of what holds now
 * could not. */
static int claims_something(const page *p, const eg_statement *s, const eg_block *b, eg_str words) {
    if (b->kind == EG_BLOCK_CODE && !is_read(p, b)) return 0;
    switch ((eg_statement_kind)s->kind) {
    case EG_STATEMENT_OPTION: return 1;
    case EG_STATEMENT_ASSERTION:
    case EG_STATEMENT_INSTRUCTION:
    case EG_STATEMENT_PROHIBITION:
    case EG_STATEMENT_STEP: break;
    case EG_STATEMENT_EXAMPLE:
    case EG_STATEMENT_HISTORY:
    case EG_STATEMENT_PROPOSAL:
    case EG_STATEMENT_QUESTION:
    case EG_STATEMENT_ASIDE:
    case EG_STATEMENT_ALTERNATIVE:
    case EG_STATEMENT_PLACEHOLDER:
    case EG_STATEMENT_HEADER_FIELD: return 0;
    }
    if (b->kind == EG_BLOCK_CODE && s->kind == EG_STATEMENT_ASSERTION) return 0;
    return eg_count_words(words) >= MIN_WORDS && words.ptr[words.len - 1] != ':';
}

static eg_status take(void *sink, const eg_statement *s, const eg_block *b) {
    page *p = sink;
    eg_document *d = p->document;
    eg_str words;
    if (!eg_text_plain(&p->scratch, words_of(p, s->span), &words)) return eg_fail_memory(d->err, s->span.end - s->span.start);
    if (words.len == 0 || !claims_something(p, s, b, words)) return EG_OK;
    if (words.len > EG_MAX_CONTENT) words.len = eg_utf8_floor(words.ptr, words.len, EG_MAX_CONTENT);
    uint32_t first = line_at(p, s->span.start), last = line_at(p, s->span.end - 1);
    eg_status status = eg_statement_add(d, words, scope_of(p, b), first, last);
    if (status != EG_OK) return status;
    eg_check_item *item = &d->out->items[d->out->count - 1];
    item->kind = s->kind;
    if (s->alone.len == 0 || s->alone.len > EG_MAX_CONTENT || eg_str_eq(s->alone, words)) return EG_OK;
    char *alone = eg_arena_copy(d->out->arena, s->alone);
    if (!alone) return eg_fail_memory(d->err, s->alone.len);
    item->alone = (eg_str){alone, s->alone.len};
    return EG_OK;
}

static eg_status read_page(page *p) {
    eg_blocks blocks;
    eg_str text = {p->shown->text.ptr, p->shown->text.len};
    eg_status s = eg_text_blocks(&p->scratch, text, &blocks, p->document->err);
    p->blocks = &blocks;
    if (s == EG_OK) s = note_headings(p);
    return s == EG_OK ? eg_text_read_blocks(&p->scratch, text, &blocks, take, p, p->document->err) : s;
}

eg_status eg_markdown_read(eg_document *d, eg_str text) {
    eg_shown shown = {0};
    page p = {.document = d, .shown = &shown};
    eg_arena_init(&p.scratch, 0);
    eg_status s = eg_shown_read(d, text, &shown);
    if (s == EG_OK && shown.text.len) s = read_page(&p);
    eg_arena_release(&p.scratch);
    eg_shown_release(&shown);
    return s;
}
