/* read.c - see read.h. What a block says about those under it is kept beside it, so each block is
 * looked at once. */
#include "core/text/read.h"

#include "core/text/plain.h"
#include "core/text/prose.h"
#include "core/text/reader.h"
#include "core/text/text.h"
#include "core/text/topics.h"

enum { FEW_LINES = 2, COLUMNS = 32 /* of a table: the rest of a row is left out */ };

/* ---- tables ---- */

/* The next cell of a row from *at on; 0: none is left. */
static int next_cell(eg_str row, size_t *at, eg_str *cell) {
    if (*at > row.len) return 0;
    size_t i = *at;
    int code = 0;
    for (; i < row.len; i++) {
        if (row.ptr[i] == '`') code = code || memchr(row.ptr + i + 1, '`', row.len - i - 1) ? !code : 0;
        if (row.ptr[i] == '|' && !code && (i == 0 || row.ptr[i - 1] != '\\')) break;
    }
    *cell = eg_text_trim((eg_str){row.ptr + *at, i - *at});
    *at = i + 1;
    return 1;
}

static int is_empty_cell(eg_str c) {
    return c.len == 0 || (c.len == 1 && c.ptr[0] == '-') || eg_str_eq(c, EG_STR("\xE2\x80\x94"));
}

/* "Limits: Solo: requests a minute 60, burst 20" */
static eg_status read_row(eg_reader *r, const eg_block *b) {
    const eg_block *head =
        b->above != EG_BLOCK_NONE && r->blocks->items[b->above].kind == EG_BLOCK_HEAD ? &r->blocks->items[b->above] : NULL;
    eg_str row = eg_reader_words(r, b->span), names = head ? eg_reader_words(r, head->span) : (eg_str){"", 0}, cell, name = {0};
    eg_str parts[4 * COLUMNS];
    size_t n = 0, at = 0, name_at = 0, column = 0;
    eg_outline above = eg_reader_above(r, b);
    eg_lead lead = EG_LEAD_NONE;
    for (; column < COLUMNS && next_cell(row, &at, &cell); column++) {
        if (!head || !next_cell(names, &name_at, &name)) name = (eg_str){"", 0};
        if (is_empty_cell(cell)) continue;
        if (!eg_text_plain(r->arena, cell, &cell) || !eg_text_plain(r->arena, name, &name)) return eg_reader_no_memory(r);
        if (column == 0) {
            lead = eg_is_header_field(cell) ? EG_LEAD_ASKS : EG_LEAD_NONE;
        } else {
            if (n == 1) parts[n++] = EG_STR(": ");
            else if (n) parts[n++] = EG_STR(", ");
            if (name.len) parts[n++] = name, parts[n++] = EG_STR(" ");
        }
        parts[n++] = cell;
    }
    eg_str words, alone;
    if (n == 0) return EG_OK;
    if (!eg_text_join(r->arena, parts, n, &words)) return eg_reader_no_memory(r);
    eg_str context = above.context.len ? above.context : r->topic;
    if (!eg_reader_join(r, context, words, &alone)) return eg_reader_no_memory(r);
    uint32_t kind = lead == EG_LEAD_ASKS && column == 2 ? EG_STATEMENT_HEADER_FIELD
                    : above.lead > EG_LEAD_NEUTRAL      ? eg_kind_of(words, 0, (eg_lead)above.lead)
                                                        : EG_STATEMENT_OPTION;
    return eg_reader_give(r, b, b->span, kind, alone);
}

/* ---- code ---- */

/* A line or two of source were picked out because of what they say; a longer listing only shows
 * something. */
static int stands_in_few(const eg_reader *r, const eg_block *b) {
    size_t next = (size_t)b->group + FEW_LINES;
    return next >= r->blocks->count || r->blocks->items[next].kind != EG_BLOCK_CODE || r->blocks->items[next].group != b->group;
}

/* 1 for a setting that stands in its listing for the second time: one of several ways to set it. */
static int is_set_again(eg_reader *r, eg_str name) {
    for (size_t i = 0; i < r->setting_count; i++)
        if (eg_str_eq(r->settings[i], name)) return 1;
    if (r->setting_count < EG_MAX_SETTINGS) r->settings[r->setting_count++] = name;
    return 0;
}

static eg_status read_code(eg_reader *r, const eg_block *b) {
    eg_setting setting;
    if (r->path_group != b->group) {
        r->path = (eg_setting_path){0};
        r->setting_count = 0;
    }
    r->path_group = b->group;
    eg_outline above = eg_reader_above(r, b);
    eg_str context = above.context.len ? above.context : r->topic, line = eg_reader_words(r, b->span), words, alone;
    eg_code_line what = eg_setting_read(&r->path, line, b->level, eg_reader_words(r, b->info), &setting);
    if (what == EG_CODE_OTHER || what == EG_CODE_OPENS) return EG_OK;
    if (what == EG_CODE_SOURCE && !stands_in_few(r, b)) return EG_OK;
    eg_str name = {0}, parts[] = {{0}, EG_STR(" = "), setting.value};
    if (what == EG_CODE_SETTING) {
        if (!eg_setting_name(r->arena, &r->path, setting.key, &name)) return eg_reader_no_memory(r);
        parts[0] = name;
        if (!eg_text_join(r->arena, parts, 3, &words)) return eg_reader_no_memory(r);
    } else words = setting.words;
    if (!eg_reader_join(r, context, words, &alone)) return eg_reader_no_memory(r);
    uint32_t start = (uint32_t)(setting.words.ptr - r->text.ptr);
    eg_span span = {start, start + (uint32_t)setting.words.len};
    uint32_t kind = what == EG_CODE_COMMAND   ? EG_STATEMENT_INSTRUCTION
                    : what != EG_CODE_SETTING ? EG_STATEMENT_ASSERTION
                    : is_set_again(r, name)   ? EG_STATEMENT_ALTERNATIVE
                                              : EG_STATEMENT_OPTION;
    return eg_reader_give(r, b, span, kind, alone);
}

/* ---- */

static eg_status heading(eg_reader *r, const eg_block *b) {
    eg_outline *o = eg_reader_outline(r, b);
    eg_str title;
    if (!eg_text_plain(r->arena, eg_reader_words(r, b->span), &title)) return eg_reader_no_memory(r);
    o->lead = (uint8_t)eg_lead_of(title);
    title = eg_text_begin(eg_without_colon(title), EG_MAX_CONTEXT);
    eg_str gist;
    if (!eg_gist_of(r->arena, title, &gist)) return eg_reader_no_memory(r);
    if (gist.len) title = gist;
    r->topic = (eg_str){"", 0};
    eg_outline above = eg_reader_above(r, b);
    if (o->lead <= EG_LEAD_NEUTRAL) o->lead = above.lead;
    /* the title of a page is not put in front of those of its sections */
    int page = b->above != EG_BLOCK_NONE && r->blocks->items[b->above].level == 1;
    return eg_reader_join(r, page ? (eg_str){"", 0} : above.context, title, &o->context) ? EG_OK : eg_reader_no_memory(r);
}

static eg_status read_block(eg_reader *r, const eg_block *b) {
    switch ((eg_block_kind)b->kind) {
    case EG_BLOCK_HEADING: return heading(r, b);
    case EG_BLOCK_PARAGRAPH:
    case EG_BLOCK_ITEM:
    case EG_BLOCK_STEP: return eg_read_prose(r, b);
    case EG_BLOCK_HEAD: *eg_reader_outline(r, b) = eg_reader_above(r, b); return EG_OK;
    case EG_BLOCK_ROW: return read_row(r, b);
    case EG_BLOCK_CODE: return read_code(r, b);
    case EG_BLOCK_FIELD: return eg_reader_give(r, b, b->span, EG_STATEMENT_HEADER_FIELD, (eg_str){"", 0});
    }
    return EG_OK;
}

eg_status eg_text_read_blocks(eg_arena *arena, eg_str text, const eg_blocks *blocks, eg_statement_sink take, void *sink,
                              eg_error *err) {
    eg_reader r = {
        .arena = arena, .text = text, .blocks = blocks, .path_group = EG_BLOCK_NONE, .take = take, .sink = sink, .err = err};
    eg_status s = EG_OK;
    r.outlines = eg_arena_array(arena, blocks->count, sizeof *r.outlines);
    if (!r.outlines) return eg_fail_memory(err, blocks->count * sizeof *r.outlines);
    for (size_t i = 0; i < blocks->count; i++) {
        r.outlines[i].context = (eg_str){"", 0};
        if (blocks->items[i].above != EG_BLOCK_NONE) r.outlines[blocks->items[i].above].leads = 1;
    }
    for (size_t i = 0; s == EG_OK && i < blocks->count; i++) s = read_block(&r, &blocks->items[i]);
    return s;
}

/* ---- of a fact ---- */

typedef struct list {
    eg_statement *out;
    size_t n, most;
} list;

static eg_status take_one(void *sink, const eg_statement *s, const eg_block *block) {
    list *l = sink;
    (void)block;
    if (l->n < l->most) l->out[l->n++] = *s;
    else if (l->most) { /* no room: it belongs to the last one, which then stands for several */
        eg_statement *last = &l->out[l->most - 1];
        if (s->span.end > last->span.end) last->span.end = s->span.end;
        last->alone = (eg_str){"", 0};
    }
    return EG_OK;
}

eg_status eg_text_read_statements(eg_arena *arena, eg_str content, eg_statement *out, size_t most, size_t *n, eg_error *err) {
    eg_blocks blocks;
    list l = {.out = out, .most = most};
    *n = 0;
    eg_status s = eg_text_blocks(arena, content, &blocks, err);
    if (s == EG_OK) s = eg_text_read_blocks(arena, content, &blocks, take_one, &l, err);
    if (s != EG_OK) return s;
    eg_str all = eg_text_trim(content);
    /* only headings, or code that says nothing by lines: the whole is one */
    if (l.n == 0 && most && all.len) {
        uint32_t start = (uint32_t)(all.ptr - content.ptr);
        out[l.n++] = (eg_statement){.span = {start, start + (uint32_t)all.len}};
    }
    *n = l.n;
    return EG_OK;
}
