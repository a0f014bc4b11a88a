/* fuzz_text.c - libFuzzer entries for what reads the words of people: core/text over one fact, its
 * blocks and statements, and the readers of core/docs over a document; one program each, chosen by
 * a definition. A finding is a crash, a sanitizer report, or a broken promise of core/text/text.h,
 * core/text/blocks.h or core/docs/documents.h. */
#include <stdlib.h>

#include "core/base/utf8.h"
#include "core/text/text.h"
#if defined(FUZZ_STATEMENTS)
#include "core/text/blocks.h"
#elif defined(FUZZ_MARKDOWN)
#include "core/docs/documents.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(x)         \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static int is_utf8(eg_str s) { return eg_utf8_valid_prefix(s.ptr, s.len) == s.len; }

#if !defined(FUZZ_MARKDOWN)
/* A code point of s begins at `at`, or s ends there. */
static int is_border(eg_str s, uint32_t at) { return at <= s.len && eg_utf8_floor(s.ptr, s.len, at) == at; }
#endif

#if defined(FUZZ_TEXT)
static void check_normal_form(eg_arena *a, eg_str text) {
    eg_str once, twice;
    eg_error err;
    PROMISE(eg_text_normalize(a, text, &once, &err) == EG_OK && is_utf8(once));
    PROMISE(!once.len || (once.ptr[0] != ' ' && once.ptr[once.len - 1] != ' '));
    PROMISE(eg_text_normalize(a, once, &twice, &err) == EG_OK && eg_str_eq(once, twice));
}

static size_t check_statements(eg_str text, size_t most, eg_span *spans) {
    size_t n = eg_text_statements(text, spans, most);
    PROMISE(n <= most);
    for (size_t i = 0; i < n; i++) {
        PROMISE(spans[i].start < spans[i].end && is_border(text, spans[i].start) && is_border(text, spans[i].end));
        PROMISE(i == 0 || spans[i].start >= spans[i - 1].end);
    }
    return n;
}

static void check_terms(const eg_term *terms, size_t n, size_t most) {
    PROMISE(n <= most);
    for (size_t i = 0; i < n; i++) {
        PROMISE(terms[i].text.len && terms[i].count && is_utf8(terms[i].text) &&
                !memchr(terms[i].text.ptr, 0, terms[i].text.len));
        for (size_t k = 0; k < i; k++) PROMISE(!eg_str_eq(terms[i].text, terms[k].text));
    }
}

static void check_claims(eg_arena *a, eg_str text, const eg_span *spans, size_t statements) {
    eg_claim claims[EG_MAX_CLAIMS];
    eg_error err;
    size_t n;
    PROMISE(eg_text_claims(a, text, EG_STR("payments/api"), spans, statements, claims, EG_MAX_CLAIMS, &n, &err) == EG_OK);
    PROMISE(n <= EG_MAX_CLAIMS);
    for (size_t i = 0; i < n; i++) {
        const eg_claim *c = &claims[i];
        PROMISE(c->statement < statements && c->value_kind <= EG_VALUE_LIST && c->modality <= EG_MODALITY_PAST &&
                c->quantifier <= EG_QUANTIFIER_ABOUT);
        PROMISE(c->span.start < c->span.end && c->span.start >= spans[c->statement].start &&
                c->span.end <= spans[c->statement].end);
        PROMISE(is_border(text, c->span.start) && is_border(text, c->span.end));
        PROMISE(is_utf8(c->subject) && is_utf8(c->attribute) && is_utf8(c->qualifiers) && is_utf8(c->text) &&
                is_utf8(c->dimension));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    eg_str text = {(const char *)data, size}, scope;
    eg_arena a;
    eg_error err;
    eg_span spans[EG_MAX_STATEMENTS], few[3];
    eg_term terms[EG_MAX_FACT_TERMS];
    size_t n;
    eg_arena_init(&a, (size_t)64 << 20);
    /* any bytes; what comes out is taken again as it is */
    if (eg_text_scope(&a, text, &scope, &err) == EG_OK) {
        eg_str again;
        PROMISE(eg_text_scope(&a, scope, &again, &err) == EG_OK && eg_str_eq(scope, again) && eg_text_scope_within(scope, again));
    }
    text.len = eg_utf8_valid_prefix(text.ptr, text.len);
    check_normal_form(&a, text);
    check_statements(text, 3, few);
    check_claims(&a, text, spans, check_statements(text, EG_MAX_STATEMENTS, spans));
    PROMISE(eg_text_terms(&a, text, EG_STR("payments/api"), terms, EG_MAX_FACT_TERMS, &n, &err) == EG_OK);
    check_terms(terms, n, EG_MAX_FACT_TERMS);
    PROMISE(eg_text_query_terms(&a, text, terms, EG_MAX_TERMS, &n, &err) == EG_OK);
    check_terms(terms, n, EG_MAX_TERMS);
    eg_arena_release(&a);
    return 0;
}

#elif defined(FUZZ_STATEMENTS)
static void check_blocks(eg_arena *a, eg_str text) {
    eg_blocks blocks;
    eg_error err;
    uint32_t end = 0, line = 1;
    PROMISE(eg_text_blocks(a, text, &blocks, &err) == EG_OK);
    for (size_t i = 0; i < blocks.count; i++) {
        const eg_block *b = &blocks.items[i];
        PROMISE(b->span.start >= end && b->span.start < b->span.end && is_border(text, b->span.start) &&
                is_border(text, b->span.end));
        PROMISE(b->kind <= EG_BLOCK_FIELD && (b->above == EG_BLOCK_NONE || b->above < i) && b->group <= i);
        for (; end < b->span.start; end++) line += text.ptr[end] == '\n';
        PROMISE(b->line == line && b->info.start <= b->info.end && b->info.end <= b->span.start);
    }
}

static void check_read(eg_arena *a, eg_str text, size_t most) {
    eg_statement out[EG_MAX_STATEMENTS];
    eg_error err;
    size_t n, blank = 1;
    PROMISE(eg_text_read_statements(a, text, out, most, &n, &err) == EG_OK && n <= most);
    for (size_t i = 0; i < text.len; i++) blank &= strchr(" \t\r\n", text.ptr[i]) != NULL && text.ptr[i];
    PROMISE(n || blank);
    for (size_t i = 0; i < n; i++) {
        PROMISE(out[i].span.start < out[i].span.end && is_border(text, out[i].span.start) && is_border(text, out[i].span.end));
        PROMISE(i == 0 || out[i].span.start >= out[i - 1].span.end);
        PROMISE(out[i].kind <= EG_STATEMENT_HEADER_FIELD && out[i].flags == 0 && is_utf8(out[i].alone));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    eg_str text = {(const char *)data, eg_utf8_valid_prefix((const char *)data, size)};
    eg_arena a;
    eg_arena_init(&a, (size_t)64 << 20);
    check_blocks(&a, text);
    check_read(&a, text, EG_MAX_STATEMENTS);
    check_read(&a, text, 2);
    eg_arena_release(&a);
    return 0;
}

#else
/* The first byte chooses the kind of file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    eg_str text = {(const char *)data + 1, size - 1};
    eg_arena a;
    eg_error err = {0};
    eg_arena_init(&a, (size_t)64 << 20);
    eg_statements s = {.arena = &a};
    static const char kinds[] = {
        [EG_DOCUMENT_MARKDOWN] = 'm', [EG_DOCUMENT_TEXT] = 't', [EG_DOCUMENT_JSONL] = 'j',   [EG_DOCUMENT_MDX] = 'x',
        [EG_DOCUMENT_NOTEBOOK] = 'n', [EG_DOCUMENT_RST] = 'r',  [EG_DOCUMENT_ASCIIDOC] = 'a'};
    const char *chosen = memchr(kinds, data[0], sizeof kinds);
    eg_document_kind kind = chosen ? (eg_document_kind)(chosen - kinds) : EG_DOCUMENT_MARKDOWN;
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++) lines += text.ptr[i] == '\n';
    eg_status status = eg_document_read(&s, "docs/Api Guide.md", kind, text, &err);
    PROMISE(status == EG_OK || (s.count == 0 && err.code == status && strstr(err.text, "docs/Api Guide.md")));
    for (size_t i = 0; i < s.count; i++) {
        eg_str scope;
        PROMISE(s.places[i].last_line >= s.items[i].line && s.places[i].last_line <= lines && s.places[i].mark <= s.mark_count);
        PROMISE(s.items[i].content.len && is_utf8(s.items[i].content) && s.items[i].line >= 1 && s.items[i].line <= lines);
        PROMISE(kind == EG_DOCUMENT_JSONL ||
                (s.items[i].content.len <= EG_MAX_CONTENT && eg_text_scope(&a, s.items[i].scope, &scope, &err) == EG_OK));
    }
    eg_arena_release(&a);
    return 0;
}
#endif
