/* blocks.c - see blocks.h. One pass over the lines; only the line after the current one is looked
 * at ahead, for the rule that makes a table or a heading. */
#include "core/text/blocks.h"

#include "core/base/status.h"
#include "core/text/fold.h"

enum {
    LEVELS = 6,
    DEPTH = 12, /* of lists in lists; deeper ones count as this deep */
    BOXES = 4,  /* of boxes in boxes; the titles of deeper ones are read as words */
    TAB = 4,
    CODE_INDENT = 4
};

typedef struct list_level {
    uint32_t column, block; /* where its marker stands, and its latest item */
} list_level;

/* What stands around a box, and goes on behind it. */
typedef struct box {
    uint32_t column; /* where its text stands */
    uint32_t headings[LEVELS];
    list_level lists[DEPTH];
    size_t depth;
} box;

typedef struct reader {
    eg_str text;
    eg_block *out;
    size_t n;
    uint32_t line;             /* number of the current line */
    uint32_t open;             /* paragraph or item that the next line may go on with */
    uint32_t lead;             /* paragraph that a list, table or code right behind it stands
                                * under */
    int blank;                 /* the line before was blank */
    uint32_t headings[LEVELS]; /* the latest of each level */
    list_level lists[DEPTH];
    size_t depth; /* of lists */
    box boxes[BOXES];
    size_t inside; /* so many of them */
    uint32_t head; /* of the table that is being read */
    uint32_t group;
    int table;
    eg_fence fence;
    eg_span info;
} reader;

typedef struct line {
    eg_str s;         /* without quote signs, indentation and blanks at its end */
    uint32_t at, end; /* where s stands in the text */
    uint32_t column;  /* indentation */
} line;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }

size_t eg_list_marker(eg_str s, int *numbered) {
    size_t n = 0;
    *numbered = 0;
    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '*' || s.ptr[0] == '+')) n = 1;
    else if (begins(s, "\xE2\x80\xA2")) n = 3; /* U+2022 */
    else {
        while (n < s.len && n < 3 && eg_is_digit(s.ptr[n])) n++;
        if (n == 0 || n >= s.len || (s.ptr[n] != '.' && s.ptr[n] != ')')) return 0;
        *numbered = 1;
        n++;
    }
    if (n >= s.len || !is_blank(s.ptr[n])) return 0;
    while (n < s.len && is_blank(s.ptr[n])) n++;
    eg_str rest = {s.ptr + n, s.len - n};
    if (begins(rest, "[ ] ") || begins(rest, "[x] ") || begins(rest, "[X] ")) n += 4;
    return n;
}

/* The line that begins at `at`; *next: where the one after it begins. */
static line line_at(eg_str text, size_t at, size_t *next) {
    const char *p = memchr(text.ptr + at, '\n', text.len - at);
    size_t end = p ? (size_t)(p - text.ptr) : text.len;
    *next = p ? end + 1 : text.len;
    line l = {.column = 0};
    size_t i = at, quote = at;
    while (quote < end && is_blank(text.ptr[quote])) quote++;
    while (quote < end && text.ptr[quote] == '>') { /* quote signs are no indentation */
        quote++;
        i = quote + (quote < end && text.ptr[quote] == ' ');
        while (quote < end && is_blank(text.ptr[quote])) quote++;
    }
    for (; i < end && is_blank(text.ptr[i]); i++) l.column = text.ptr[i] == '\t' ? (l.column / TAB + 1) * TAB : l.column + 1;
    while (end > i && is_blank(text.ptr[end - 1])) end--;
    l.at = (uint32_t)i;
    l.end = (uint32_t)end;
    l.s = (eg_str){text.ptr + i, end - i};
    return l;
}

static eg_block *add(reader *r, eg_block_kind kind, size_t start, size_t end, uint32_t above) {
    eg_block *b = &r->out[r->n];
    *b = (eg_block){
        .span = {(uint32_t)start, (uint32_t)end}, .kind = kind, .above = above, .group = (uint32_t)r->n, .line = r->line};
    r->n++;
    return b;
}

/* The deepest heading so far. */
static uint32_t heading_of(const reader *r) {
    for (size_t i = LEVELS; i-- > 0;)
        if (r->headings[i] != EG_BLOCK_NONE) return r->headings[i];
    return EG_BLOCK_NONE;
}

static void end_blocks(reader *r) {
    r->open = r->lead = EG_BLOCK_NONE;
    r->depth = 0;
    r->table = 0;
}

/* What a list, a table or a code block that begins here stands under. */
static uint32_t leads_here(const reader *r, uint32_t column) {
    for (size_t i = r->depth; i-- > 0;)
        if (column > r->lists[i].column) return r->lists[i].block;
    return r->lead != EG_BLOCK_NONE ? r->lead : heading_of(r);
}

static void heading(reader *r, size_t level, size_t start, size_t end) {
    end_blocks(r);
    for (size_t i = level - 1; i < LEVELS; i++) r->headings[i] = EG_BLOCK_NONE;
    eg_block *b = add(r, EG_BLOCK_HEADING, start, end, heading_of(r));
    b->level = (uint32_t)level;
    r->headings[level - 1] = (uint32_t)(b - r->out);
}

/* Level of a heading "## ..."; 0: none. */
static size_t hash_level(eg_str s) {
    size_t n = 0;
    while (n < s.len && s.ptr[n] == '#') n++;
    return n && n <= LEVELS && n < s.len && is_blank(s.ptr[n]) ? n : 0;
}

static int is_run_of(eg_str s, const char *signs) {
    for (size_t i = 0; i < s.len; i++)
        if (!strchr(signs, s.ptr[i]) || !s.ptr[i]) return 0;
    return 1;
}

/* A line of dashes or equals signs that makes the paragraph of one line above it a heading: 1 or
 * 2. */
static size_t underlines(const reader *r, eg_str s) {
    if (r->open == EG_BLOCK_NONE || r->out[r->open].kind != EG_BLOCK_PARAGRAPH || r->out[r->open].line + 1 != r->line) return 0;
    if (s.len < 2) return 0;
    return is_run_of(s, "=") ? 1 : is_run_of(s, "-") ? 2 : 0;
}

/* "---", "* * *", "____" */
static int is_rule(eg_str s) {
    size_t signs = 0;
    for (size_t i = 0; i < s.len; i++) signs += s.ptr[i] != ' ';
    return signs >= 3 && (is_run_of(s, "- ") || is_run_of(s, "* ") || is_run_of(s, "_ ") || is_run_of(s, "= "));
}

/* The line below a table's head: "|---|:--:|". */
static int is_table_rule(eg_str s) {
    return s.len >= 3 && memchr(s.ptr, '|', s.len) && memchr(s.ptr, '-', s.len) && is_run_of(s, "|-: +");
}

static void row(reader *r, const line *l, eg_block_kind kind) {
    size_t start = l->at, end = l->end;
    if (start < end && r->text.ptr[start] == '|') start++;
    if (end > start && r->text.ptr[end - 1] == '|' && (end < start + 2 || r->text.ptr[end - 2] != '\\')) end--;
    while (start < end && is_blank(r->text.ptr[start])) start++;
    while (end > start && is_blank(r->text.ptr[end - 1])) end--;
    if (kind == EG_BLOCK_HEAD) {
        uint32_t above = leads_here(r, l->column);
        r->open = EG_BLOCK_NONE;
        r->head = (uint32_t)r->n;
        r->group = EG_BLOCK_NONE;
        add(r, kind, start, end, above);
        return;
    }
    if (start == end) return;
    uint32_t above = r->head != EG_BLOCK_NONE ? r->head : leads_here(r, l->column);
    eg_block *b = add(r, kind, start, end, above);
    if (r->group == EG_BLOCK_NONE) r->group = b->group;
    b->group = r->group;
}

/* A row, its table's head or rule: 1 when the line was one. below: the next line. */
static int table_line(reader *r, const line *l, eg_str below) {
    if (!memchr(l->s.ptr, '|', l->s.len)) return 0;
    if (r->table) {
        if (!is_table_rule(l->s)) row(r, l, EG_BLOCK_ROW);
        return 1;
    }
    int headed = is_table_rule(below);
    if (!headed && l->s.ptr[0] != '|') return 0;
    if (!headed && is_table_rule(l->s)) return 1;
    r->table = 1;
    r->head = r->group = EG_BLOCK_NONE;
    r->open = EG_BLOCK_NONE;
    row(r, l, headed ? EG_BLOCK_HEAD : EG_BLOCK_ROW);
    return 1;
}

static void code_line(reader *r, const line *l) {
    eg_block *b = add(r, EG_BLOCK_CODE, l->at, l->end, r->head);
    if (r->group == EG_BLOCK_NONE) r->group = b->group;
    b->group = r->group;
    b->level = l->column;
    b->info = r->info;
}

static void begin_code(reader *r, uint32_t column, eg_span info) {
    r->head = leads_here(r, column); /* what all its lines stand under */
    r->lead = EG_BLOCK_NONE;
    r->group = EG_BLOCK_NONE;
    r->info = info;
    r->open = EG_BLOCK_NONE;
    r->table = 0;
}

int eg_fence_read(eg_fence *f, eg_str s) {
    char sign = s.len ? s.ptr[0] : ' ';
    size_t n = 0;
    while (n < s.len && s.ptr[n] == sign) n++;
    if (n < 3 || (sign != '`' && sign != '~')) return 0;
    if (f->sign) {
        if (sign != f->sign || n < f->signs || n < s.len) return 0;
        f->sign = 0;
        return 1;
    }
    if (sign == '`' && memchr(s.ptr + n, '`', s.len - n)) return 0; /* code within a line */
    *f = (eg_fence){sign, n};
    return 1;
}

static int fence_line(reader *r, const line *l) {
    if (!eg_fence_read(&r->fence, l->s)) return 0;
    size_t n = r->fence.signs;
    while (n < l->s.len && is_blank(l->s.ptr[n])) n++;
    if (r->fence.sign) begin_code(r, l->column, (eg_span){l->at + (uint32_t)n, l->end});
    return 1;
}

static void item(reader *r, const line *l, size_t marker, int numbered) {
    while (r->depth && r->lists[r->depth - 1].column >= l->column + 1) r->depth--;
    /* a blank more or less does not nest */
    int sibling = r->depth && r->lists[r->depth - 1].column + 1 >= l->column;
    uint32_t above = sibling ? r->out[r->lists[r->depth - 1].block].above : leads_here(r, l->column);
    eg_block *b = add(r, numbered ? EG_BLOCK_STEP : EG_BLOCK_ITEM, l->at + marker, l->end, above);
    r->open = (uint32_t)(b - r->out);
    if (!sibling && r->depth < DEPTH) r->lists[r->depth++].column = l->column;
    r->lists[r->depth - 1].block = r->open;
    b->level = (uint32_t)r->depth - 1;
}

/* A line of words: goes on with the open block or begins a paragraph. */
static void words(reader *r, const line *l) {
    if (r->open != EG_BLOCK_NONE) {
        r->out[r->open].span.end = l->end;
        return;
    }
    while (r->depth && l->column <= r->lists[r->depth - 1].column) r->depth--;
    uint32_t above = r->depth ? r->lists[r->depth - 1].block : heading_of(r);
    r->open = r->lead = (uint32_t)r->n;
    add(r, EG_BLOCK_PARAGRAPH, l->at, l->end, above);
}

/* A blank line ends what is open. What leads to a list may have one behind it, where it ends with a
 * colon or is emphasised as a whole. */
static void blank_line(reader *r) {
    r->table = 0;
    r->open = EG_BLOCK_NONE;
    if (r->lead == EG_BLOCK_NONE || r->n == 0) return;
    eg_block lead = r->out[r->lead];
    char last = lead.span.end ? r->text.ptr[lead.span.end - 1] : ' ';
    if (r->lead + 1 != r->n || (last != ':' && last != '*')) r->lead = EG_BLOCK_NONE;
}

/* The line that begins a box of MkDocs, whose text is indented below it: "!!! note",
 * "??? warning "Title"", and "=== "Tab"" for one of several alternatives. Its title; of an example
 * without one, that word. */
static eg_str box_title(eg_str s, int *is_box) {
    int tab = begins(s, "=== \"") || begins(s, "===+ \"") || begins(s, "===! \"");
    size_t at = 3;
    *is_box = 0;
    if (!tab && !begins(s, "!!!") && !begins(s, "???")) return (eg_str){"", 0};
    if (at < s.len && strchr("+!", s.ptr[at]) && s.ptr[at] != s.ptr[0]) at++;
    if (at >= s.len || s.ptr[at] != ' ') return (eg_str){"", 0};
    while (at < s.len && s.ptr[at] == ' ') at++;
    size_t type = at;
    while (at < s.len && (eg_is_lower(s.ptr[at]) || (at > type && strchr("-_ ", s.ptr[at])))) at++;
    if (!tab && at == type) return (eg_str){"", 0};
    if (at == s.len) {
        eg_str words = {s.ptr + type, at - type};
        const char *blank = memchr(words.ptr, ' ', words.len);
        eg_str place = blank ? (eg_str){blank, words.len - (size_t)(blank - words.ptr)} : (eg_str){"", 0};
        *is_box = !place.len || eg_str_eq(place, EG_STR(" inline")) || eg_str_eq(place, EG_STR(" inline end"));
        return begins(words, "example") ? words : (eg_str){"", 0};
    }
    if (s.ptr[at] != '"' || s.len < at + 2 || s.ptr[s.len - 1] != '"') return (eg_str){"", 0};
    *is_box = 1;
    return (eg_str){s.ptr + at + 1, s.len - at - 2};
}

static int box_line(reader *r, const line *l) {
    int is_box;
    eg_str title = box_title(l->s, &is_box);
    if (!is_box || r->inside == BOXES) return 0;
    box *b = &r->boxes[r->inside++];
    b->column = l->column + CODE_INDENT;
    memcpy(b->headings, r->headings, sizeof b->headings);
    memcpy(b->lists, r->lists, sizeof b->lists);
    b->depth = r->depth;
    r->open = r->lead = EG_BLOCK_NONE;
    r->table = 0;
    if (!title.len) return 1;
    uint32_t above = leads_here(r, l->column);
    size_t level = 1, start = (size_t)(title.ptr - r->text.ptr);
    for (size_t i = 0; i < LEVELS; i++)
        if (r->headings[i] != EG_BLOCK_NONE) level = i + 2 < LEVELS ? i + 2 : LEVELS;
    heading(r, level, start, start + title.len);
    r->out[r->n - 1].above = above;
    return 1;
}

/* Leaves the boxes that end before this line. */
static void leave_boxes(reader *r, const line *l) {
    while (r->inside && l->s.len && l->column < r->boxes[r->inside - 1].column) {
        const box *b = &r->boxes[--r->inside];
        end_blocks(r);
        memcpy(r->headings, b->headings, sizeof r->headings);
        memcpy(r->lists, b->lists, sizeof r->lists);
        r->depth = b->depth;
    }
}

static void read_line(reader *r, const line *l, eg_str below) {
    if (!r->fence.sign) leave_boxes(r, l);
    if (fence_line(r, l)) return;
    if (r->fence.sign) {
        if (l->s.len) code_line(r, l);
        return;
    }
    if (l->s.len == 0) {
        blank_line(r);
        r->blank = 1;
        return;
    }
    int blank = r->blank, numbered;
    uint32_t margin = r->inside ? r->boxes[r->inside - 1].column : 0;
    r->blank = 0;
    size_t level = hash_level(l->s), marker = eg_list_marker(l->s, &numbered);
    /* a quote in it */
    while (marker && marker < l->s.len && (l->s.ptr[marker] == '>' || is_blank(l->s.ptr[marker]))) marker++;
    if (level) {
        size_t at = l->at + level, end = l->end;
        while (at < end && is_blank(r->text.ptr[at])) at++;
        while (end > at && (r->text.ptr[end - 1] == '#' || is_blank(r->text.ptr[end - 1]))) end--;
        if (at < end) heading(r, level, at, end);
    } else if ((level = underlines(r, l->s))) {
        eg_block title = r->out[--r->n];
        heading(r, level, title.span.start, title.span.end);
        r->out[r->n - 1].line = title.line;
    } else if (is_rule(l->s)) end_blocks(r);
    else if (box_line(r, l)) return;
    else if (begins(l->s, ":::") || (begins(l->s, "[!") && l->s.ptr[l->s.len - 1] == ']')) r->open = EG_BLOCK_NONE;
    else if (table_line(r, l, below)) return;
    else if (marker && marker < l->s.len) item(r, l, marker, numbered);
    else if (l->column >= margin + CODE_INDENT && r->depth == 0 && r->open == EG_BLOCK_NONE) {
        int goes_on = r->n && r->out[r->n - 1].kind == EG_BLOCK_CODE && r->out[r->n - 1].info.end == 0;
        if (!goes_on || (blank && r->group == EG_BLOCK_NONE)) begin_code(r, l->column, (eg_span){0, 0});
        code_line(r, l);
    } else {
        r->table = 0;
        words(r, l);
    }
}

/* Reads the front matter that the text begins with; returns where the text behind it begins, 0 when
 * there is none. */
static size_t front_matter(reader *r) {
    eg_str t = r->text;
    if (!begins(t, "---\n") && !begins(t, "---\r\n")) return 0;
    const char *end = memmem(t.ptr + 3, t.len - 3, "\n---", 4);
    if (!end) return 0;
    size_t at = 0, next;
    for (;; at = next) {
        line l = line_at(t, at, &next);
        r->line++;
        if (at && (size_t)(end - t.ptr) < at && begins(l.s, "---")) return next;
        if (at && l.s.len && next <= t.len) {
            eg_block *b = add(r, EG_BLOCK_FIELD, l.at, l.end, EG_BLOCK_NONE);
            b->level = l.column;
        }
        if (next >= t.len) return next;
    }
}

eg_status eg_text_blocks(eg_arena *arena, eg_str text, eg_blocks *out, eg_error *err) {
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++) lines += text.ptr[i] == '\n';
    reader r = {.text = text, .open = EG_BLOCK_NONE, .lead = EG_BLOCK_NONE, .head = EG_BLOCK_NONE};
    for (size_t i = 0; i < LEVELS; i++) r.headings[i] = EG_BLOCK_NONE;
    *out = (eg_blocks){0};
    r.out = eg_arena_array(arena, lines, sizeof *r.out);
    if (!r.out) return eg_fail_memory(err, lines * sizeof *r.out);
    for (size_t at = front_matter(&r), next; at < text.len; at = next) {
        line l = line_at(text, at, &next);
        size_t after;
        line below = next < text.len ? line_at(text, next, &after) : (line){.s = {text.ptr, 0}};
        r.line++;
        read_line(&r, &l, below.s);
    }
    *out = (eg_blocks){r.out, r.n};
    return EG_OK;
}
