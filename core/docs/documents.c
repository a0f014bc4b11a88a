/* documents.c - see documents.h. Here: plain text and JSONL, and which reader a document gets. */
#include "core/docs/documents.h"

#include <stdio.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/utf8.h"
#include "core/docs/adoc.h"
#include "core/docs/comments.h"
#include "core/docs/markdown.h"
#include "core/docs/mdx.h"
#include "core/docs/notebook.h"
#include "core/docs/rst.h"

static eg_status read_text(eg_document *d, eg_str text) {
    eg_status s = EG_OK;
    for (uint32_t number = 1; s == EG_OK && text.len; number++) {
        eg_str line = eg_trim_line(eg_next_line(&text));
        if (line.len > EG_MAX_CONTENT)
            s = eg_fail(d->err, EG_ELIMIT, "%.250s:%u: a line of %zu bytes: a statement has at most %d; split the line", d->name,
                        number, line.len, EG_MAX_CONTENT);
        else if (line.len) s = eg_statement_add(d, line, d->stem[0] ? d->stem : "general", number, number);
    }
    return s;
}

static eg_status read_object(eg_document *d, uint32_t number, eg_str line) {
    eg_json j;
    eg_str content = {0}, scope = {0}, key = {0};
    char name[300];
    snprintf(name, sizeof name, "%.250s, line %u", d->name, number);
    eg_json_init(&j, name, line, d->out->arena, d->err);
    for (eg_json_kind k = eg_json_next(&j); k != EG_JSON_END; k = eg_json_next(&j)) {
        if (k == EG_JSON_ERROR) return EG_EFORMAT;
        if (k == EG_JSON_KEY) key = j.text;
        if (k != EG_JSON_STRING || j.depth != 1) continue;
        if (eg_str_eq(key, EG_STR("content"))) content = j.text;
        if (eg_str_eq(key, EG_STR("scope"))) scope = j.text;
    }
    if (!content.len)
        return eg_fail(d->err, EG_EFORMAT, "%s: no \"content\" with text; a line must be {\"content\": \"...\"}", name);
    char *z = eg_arena_copy(d->out->arena, scope.len ? scope : EG_STR("general"));
    return z ? eg_statement_add(d, content, z, number, number) : eg_fail_memory(d->err, scope.len);
}

static eg_status read_jsonl(eg_document *d, eg_str text) {
    eg_status s = EG_OK;
    for (uint32_t number = 1; s == EG_OK && text.len; number++) {
        eg_str line = eg_trim_line(eg_next_line(&text));
        if (line.len) s = read_object(d, number, line);
    }
    return s;
}

/* Whole names, then endings. */
int eg_document_kind_of_name(const char *name, eg_document_kind *kind) {
    static const char *const programs_read[] = {"CMakeLists.txt", "requirements.txt", "constraints.txt", "robots.txt", "ads.txt"};
    static const struct {
        const char *name;
        eg_document_kind kind;
    } names[] = {{".windsurfrules", EG_DOCUMENT_MARKDOWN}, {".cursorrules", EG_DOCUMENT_MARKDOWN},
                 {".clinerules", EG_DOCUMENT_MARKDOWN},    {".roorules", EG_DOCUMENT_MARKDOWN},
                 {".goosehints", EG_DOCUMENT_MARKDOWN},    {"llms.txt", EG_DOCUMENT_MARKDOWN},
                 {"llms-full.txt", EG_DOCUMENT_MARKDOWN}},
      endings[] = {{".md", EG_DOCUMENT_MARKDOWN},   {".markdown", EG_DOCUMENT_MARKDOWN}, {".mdc", EG_DOCUMENT_MARKDOWN},
                   {".mdx", EG_DOCUMENT_MDX},       {".ipynb", EG_DOCUMENT_NOTEBOOK},    {".rst", EG_DOCUMENT_RST},
                   {".adoc", EG_DOCUMENT_ASCIIDOC}, {".asciidoc", EG_DOCUMENT_ASCIIDOC}, {".rst.txt", EG_DOCUMENT_RST},
                   {".txt", EG_DOCUMENT_TEXT},      {".jsonl", EG_DOCUMENT_JSONL}};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof programs_read / sizeof *programs_read; i++)
        if (strcmp(name, programs_read[i]) == 0) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) return *kind = names[i].kind, 1;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i].name);
        if (n >= m && strcmp(name + n - m, endings[i].name) == 0) return *kind = endings[i].kind, 1;
    }
    return 0;
}

static int is_listed(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if (at[-1] == ' ' && at[n] == ' ') return 1;
    return 0;
}

int eg_document_code_of_name(const char *name, eg_document_kind *kind) {
    static const struct {
        eg_document_kind kind;
        const char *endings; /* between blanks */
    } languages[] = {{EG_DOCUMENT_CODE_C,
                      " .c .h .cc .hh .cpp .hpp .cxx .java .kt .kts .swift .go .rs .js .jsx .mjs .cjs .ts .tsx .cs .scala "
                      ".dart .proto .gradle .groovy "},
                     {EG_DOCUMENT_CODE_HASH, " .sh .bash .zsh .rb .pl .yaml .yml .toml .tf .cmake .mk Makefile Dockerfile "},
                     {EG_DOCUMENT_CODE_SQL, " .sql "},
                     {EG_DOCUMENT_CODE_PYTHON, " .py .pyi "}};
    const char *dot = strrchr(name, '.'), *ending = dot ? dot : name;
    if (!ending[0] || strchr(ending, ' ')) return 0;
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (is_listed(languages[i].endings, ending)) return *kind = languages[i].kind, 1;
    return 0;
}

static eg_str without_mark(eg_str text) {
    if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0) return (eg_str){text.ptr + 3, text.len - 3};
    return text;
}

eg_document_kind eg_document_kind_of_text(eg_str text) {
    size_t i = 0;
    text = without_mark(text);
    while (i < text.len && strchr(" \t\r\n", text.ptr[i]) && text.ptr[i]) i++;
    return i < text.len && text.ptr[i] == '{' ? EG_DOCUMENT_JSONL : EG_DOCUMENT_MARKDOWN;
}

static eg_status check_utf8(const eg_document *d, eg_str text) {
    size_t valid = eg_utf8_valid_prefix(text.ptr, text.len), line = 1;
    if (valid == text.len) return EG_OK;
    for (size_t i = 0; i < valid; i++) line += text.ptr[i] == '\n';
    return eg_fail(d->err, EG_EINVAL, "%.250s:%zu: invalid UTF-8 at byte %zu: save the file as UTF-8", d->name, line, valid);
}

/* Gives each statement the mark that is about one of its lines. Statements and marks follow each
 * other in the file. */
static void apply_marks(eg_statements *s, size_t from, size_t from_mark) {
    size_t n = s->mark_count;
    for (size_t i = from; i < s->count; i++) {
        /* the first mark about the statement's first line or a later one */
        size_t low = from_mark, high = n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (s->marks[middle].target < s->items[i].line) low = middle + 1;
            else high = middle;
        }
        if (low < n && s->marks[low].target <= s->places[i].last_line) s->places[i].mark = (uint32_t)low + 1;
    }
}

static eg_status read_document(eg_document *d, eg_document_kind kind, eg_str text) {
    eg_status s = EG_OK;
    switch (kind) {
    case EG_DOCUMENT_JSONL: return read_jsonl(d, text);
    case EG_DOCUMENT_TEXT: return read_text(d, text);
    case EG_DOCUMENT_NOTEBOOK: return eg_notebook_read(d, text);
    case EG_DOCUMENT_RST: return eg_rst_read(d, text);
    case EG_DOCUMENT_ASCIIDOC: return eg_adoc_read(d, text);
    case EG_DOCUMENT_CODE_C: return eg_comments_read(d, EG_COMMENTS_C, text);
    case EG_DOCUMENT_CODE_HASH: return eg_comments_read(d, EG_COMMENTS_HASH, text);
    case EG_DOCUMENT_CODE_SQL: return eg_comments_read(d, EG_COMMENTS_SQL, text);
    case EG_DOCUMENT_CODE_PYTHON: return eg_comments_read(d, EG_COMMENTS_PYTHON, text);
    case EG_DOCUMENT_MDX: s = eg_mdx_plain(d->out->arena, text, &text, d->err); break;
    case EG_DOCUMENT_MARKDOWN: break;
    }
    return s == EG_OK ? eg_markdown_read(d, text) : s;
}

eg_status eg_document_read(eg_statements *out, const char *name, eg_document_kind kind, eg_str text, eg_error *err) {
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    eg_document d = {.out = out, .name = eg_arena_copy(out->arena, eg_str_of(name)), .err = err};
    size_t before = out->count, marks = out->mark_count;
    if (!d.name) return eg_fail_memory(err, strlen(name));
    eg_slug((eg_str){base, dot && dot > base ? (size_t)(dot - base) : strlen(base)}, d.stem);
    if (kind == EG_DOCUMENT_RST && strstr(base, ".rst")) eg_slug((eg_str){base, (size_t)(strstr(base, ".rst") - base)}, d.stem);
    text = without_mark(text);
    eg_status s = check_utf8(&d, text);
    if (s == EG_OK) s = read_document(&d, kind, text);
    if (s != EG_OK || d.ignored) out->count = before;
    if (s != EG_OK) out->mark_count = marks;
    apply_marks(out, before, marks);
    return s;
}
