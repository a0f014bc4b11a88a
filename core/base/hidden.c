/* hidden.c - see hidden.h. Source of the table: Unicode 15.1, General_Category Cc, and
 * Default_Ignorable_Code_Point of DerivedCoreProperties; where they are allowed: Unicode chapters 9
 * to 14 and 23.2 (joiners and marks), UTS 51 (emoji), UTS 37 (ideographs). */
#include "core/base/hidden.h"

#include "core/base/utf8.h"

enum { NEARBY = 32 }; /* code points that are looked at around a direction mark */

typedef enum kind {
    SEEN = 0,
    NEVER,     /* never allowed */
    BREAK,     /* U+200B */
    JOINER,    /* U+200C, U+200D */
    MARK,      /* direction marks */
    SELECTOR,  /* variation selectors */
    IDEOGRAPH, /* those of ideographs */
    MONGOLIAN, /* those of Mongolian */
    TAG
} kind;

typedef struct range {
    uint32_t first, last;
    kind kind;
} range;

static const range table[] = {
    {0x0000, 0x0008, NEVER},     {0x000B, 0x001F, NEVER},       {0x007F, 0x009F, NEVER},   {0x00AD, 0x00AD, NEVER},
    {0x034F, 0x034F, NEVER},     {0x061C, 0x061C, MARK},        {0x115F, 0x1160, NEVER},   {0x17B4, 0x17B5, NEVER},
    {0x180B, 0x180F, MONGOLIAN}, {0x200B, 0x200B, BREAK},       {0x200C, 0x200D, JOINER},  {0x200E, 0x200F, MARK},
    {0x202A, 0x202E, NEVER},     {0x2060, 0x206F, NEVER},       {0x3164, 0x3164, NEVER},   {0xFE00, 0xFE0F, SELECTOR},
    {0xFEFF, 0xFEFF, NEVER},     {0xFFA0, 0xFFA0, NEVER},       {0xFFF0, 0xFFFB, NEVER},   {0x1BCA0, 0x1BCA3, NEVER},
    {0x1D173, 0x1D17A, NEVER},   {0xE0000, 0xE007F, TAG},       {0xE0080, 0xE00FF, NEVER}, {0xE0100, 0xE01EF, IDEOGRAPH},
    {0xE01F0, 0xE0FFF, NEVER},   {0x110000, UINT32_MAX, NEVER},
};

static int is_in(uint32_t cp, const range *ranges, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cp >= ranges[i].first && cp <= ranges[i].last) return 1;
    return 0;
}
#define IN(cp, ranges) is_in(cp, ranges, sizeof(ranges) / sizeof *(ranges))

static kind kind_of(uint32_t cp) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (cp >= table[i].first && cp <= table[i].last) return table[i].kind;
    return SEEN;
}

/* The code point at i, its length in *n; 0 at the end. */
static uint32_t at(eg_str s, size_t i, size_t *n) {
    uint32_t cp = 0;
    *n = 0;
    if (i >= s.len) return 0;
    *n = eg_utf8_decode(s.ptr + i, s.len - i, &cp);
    return *n == 1 && (unsigned char)s.ptr[i] >= 0x80 ? (uint32_t)EG_NOT_UTF8 + (unsigned char)s.ptr[i] : cp;
}

/* Where the code point before i begins; i > 0. */
static size_t before(eg_str s, size_t i) {
    size_t from = i - 1;
    while (from > 0 && i - from < 4 && ((unsigned char)s.ptr[from] & 0xC0) == 0x80) from--;
    return from;
}

/* The code point that ends before i; 0: there is none. */
static uint32_t last(eg_str s, size_t i) {
    size_t n;
    return i ? at(s, before(s, i), &n) : 0;
}

static int is_right_to_left(uint32_t cp) {
    static const range letters[] = {{0x0590, 0x08FF, SEEN},
                                    {0xFB1D, 0xFDFF, SEEN},
                                    {0xFE70, 0xFEFC, SEEN},
                                    {0x10800, 0x10FFF, SEEN},
                                    {0x1E800, 0x1EFFF, SEEN}};
    return cp != 0x061C && IN(cp, letters);
}

static int near_right_to_left(eg_str s, size_t i, size_t n) {
    size_t step;
    size_t back = i, ahead = i + n;
    for (int k = 0; k < NEARBY && back > 0; k++) {
        back = before(s, back);
        if (is_right_to_left(at(s, back, &step))) return 1;
    }
    for (int k = 0; k < NEARBY && ahead < s.len; k++, ahead += step)
        if (is_right_to_left(at(s, ahead, &step))) return 1;
    return 0;
}

static int joins(uint32_t cp) {
    static const range letters[] = {
        {0x0620, 0x07FF, SEEN}, {0x0840, 0x0DFF, SEEN}, {0x0F40, 0x0FBC, SEEN}, {0x1000, 0x109F, SEEN},
        {0x1780, 0x17B3, SEEN}, {0x17B6, 0x17DD, SEEN}, {0x1820, 0x18AA, SEEN}, {0x1A20, 0x1AAD, SEEN},
        {0x1B00, 0x1BFF, SEEN}, {0xA840, 0xA871, SEEN}, {0xA8E0, 0xA8FF, SEEN}, {0xA980, 0xAAFF, SEEN},
        {0xABC0, 0xABFF, SEEN}, {0xFB50, 0xFDFF, SEEN}, {0xFE70, 0xFEFC, SEEN}, {0x11000, 0x11FFF, SEEN}};
    return IN(cp, letters);
}

static int is_without_blanks(uint32_t cp) {
    static const range letters[] = {{0x0E01, 0x0EFF, SEEN}, {0x1000, 0x109F, SEEN}, {0x1780, 0x17B3, SEEN},
                                    {0x17B6, 0x17E9, SEEN}, {0x1950, 0x19FF, SEEN}, {0x1A20, 0x1AAD, SEEN},
                                    {0xAA60, 0xAADF, SEEN}};
    return IN(cp, letters);
}

static int is_emoji(uint32_t cp) {
    static const range signs[] = {{0x00A9, 0x00A9, SEEN},  {0x00AE, 0x00AE, SEEN}, {0x203C, 0x203C, SEEN}, {0x2049, 0x2049, SEEN},
                                  {0x2122, 0x2122, SEEN},  {0x2139, 0x2139, SEEN}, {0x2190, 0x21FF, SEEN}, {0x2300, 0x23FF, SEEN},
                                  {0x24C2, 0x24C2, SEEN},  {0x25A0, 0x27BF, SEEN}, {0x2900, 0x297F, SEEN}, {0x2B00, 0x2BFF, SEEN},
                                  {0x3030, 0x3030, SEEN},  {0x303D, 0x303D, SEEN}, {0x3297, 0x3297, SEEN}, {0x3299, 0x3299, SEEN},
                                  {0x1F000, 0x1FAFF, SEEN}};
    return IN(cp, signs);
}

static int is_ideograph(uint32_t cp) {
    static const range signs[] = {{0x3400, 0x9FFF, SEEN}, {0xF900, 0xFAFF, SEEN}, {0x20000, 0x3FFFF, SEEN}};
    return IN(cp, signs);
}

static int can_be_selected(uint32_t base, uint32_t selector) {
    static const range signs[] = {{0x2200, 0x22FF, SEEN}, {0x2A00, 0x2AFF, SEEN}, {0x3001, 0x303F, SEEN},
                                  {0xFF01, 0xFF1F, SEEN}, {0x1000, 0x109F, SEEN}, {0xA840, 0xA877, SEEN}};
    int keycap = (base >= '0' && base <= '9') || base == '#' || base == '*';
    if (selector >= 0xFE0E) return keycap || is_emoji(base);
    return is_ideograph(base) || IN(base, signs);
}

/* 1 when the tag at i is one of the six that make a flag of Unicode's list. */
static int is_of_flag(eg_str s, size_t i) {
    static const char *const flags[] = {"gbeng", "gbsct", "gbwls"};
    enum { BYTES = 4, TAGS = 6, BLACK_FLAG = 0x1F3F4, TAG_BASE = 0xE0000, END = 0xE007F };
    size_t first = i, n;
    while (first >= BYTES && kind_of(last(s, first)) == TAG && i - first < BYTES * TAGS) first -= BYTES;
    if (last(s, first) != BLACK_FLAG || i - first >= BYTES * TAGS) return 0;
    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        size_t k = 0;
        while (k < TAGS - 1 && at(s, first + BYTES * k, &n) == TAG_BASE + (uint32_t)flags[f][k]) k++;
        if (k == TAGS - 1 && at(s, first + BYTES * k, &n) == END) return 1;
    }
    return 0;
}

/* 1 when the hidden character at i (n bytes) belongs to what is written around it. */
static int belongs(eg_str s, size_t i, size_t n, uint32_t cp, kind of) {
    size_t unused;
    uint32_t prev = last(s, i), next = at(s, i + n, &unused);
    switch (of) {
    case BREAK: return is_without_blanks(prev) && is_without_blanks(next);
    case JOINER:
        if (joins(prev)) return 1;
        return cp == 0x200D && is_emoji(next) && (is_emoji(prev) || (prev == 0xFE0F && is_emoji(last(s, before(s, i)))));
    case MARK: /* alone, also at an end of the text or line */
        return (!prev || kind_of(prev) == SEEN) && (!next || next == '\r' || kind_of(next) == SEEN) &&
               near_right_to_left(s, i, n);
    case SELECTOR: return can_be_selected(prev, cp);
    case IDEOGRAPH: return is_ideograph(prev);
    case MONGOLIAN: return prev >= 0x1820 && prev <= 0x18AA;
    case TAG: return is_of_flag(s, i);
    case NEVER: return cp == '\r' && next == '\n';
    case SEEN: break;
    }
    return 1;
}

size_t eg_hidden_next(eg_str s, size_t from, uint32_t *found) {
    size_t i = from, n;
    for (; i < s.len; i += n) {
        unsigned char c = (unsigned char)s.ptr[i];
        n = 1;
        if ((c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t') continue;
        uint32_t cp = at(s, i, &n);
        kind of = kind_of(cp);
        if (of == SEEN || belongs(s, i, n, cp, of)) continue;
        if (found) *found = cp;
        return i;
    }
    return s.len;
}

/* ---- showing ---- */

static void put(eg_buffer *out, uint32_t cp, eg_hidden_form form) {
    if (form == EG_HIDDEN_ESCAPED && cp >= 0x10000 && cp < EG_NOT_UTF8)
        eg_buffer_format(out, "\\u%04x\\u%04x", 0xD800 + ((cp - 0x10000) >> 10), 0xDC00 + (cp & 0x3FF));
    else if (form == EG_HIDDEN_ESCAPED) eg_buffer_format(out, "\\u%04x", cp < EG_NOT_UTF8 ? cp : 0xFFFDu);
    else if (cp >= EG_NOT_UTF8) eg_buffer_format(out, "<0x%02X>", cp - EG_NOT_UTF8);
    else eg_buffer_format(out, "<U+%04X>", cp);
}

/* The four hexadecimal digits at i; UINT32_MAX: there are none. */
static uint32_t hex(eg_str s, size_t i) {
    uint32_t value = 0;
    if (s.len - i < 4) return UINT32_MAX;
    for (size_t k = 0; k < 4; k++) {
        char c = s.ptr[i + k];
        uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0') : ((uint32_t)(c | 0x20) - 'a') + 10;
        if (digit > 15) return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

/* The code point of the escape that begins with the backslash at i, and its length. An escape has
 * no neighbours: joiners, marks and selectors that are written as one are all hidden. */
static uint32_t escaped(eg_str s, size_t i, size_t *n) {
    char c = i + 1 < s.len ? s.ptr[i + 1] : 0;
    *n = 2;
    if (c == 'b') return '\b';
    if (c == 'f') return '\f';
    if (c == 'r') return '\r';
    if (c != 'u' || hex(s, i + 2) == UINT32_MAX) return ' ';
    uint32_t high = hex(s, i + 2);
    *n = 6;
    if (high < 0xD800 || high > 0xDBFF || s.len - i < 12 || s.ptr[i + 6] != '\\' || s.ptr[i + 7] != 'u') return high;
    uint32_t low = hex(s, i + 8);
    if (low < 0xDC00 || low > 0xDFFF) return high;
    *n = 12;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/* 1 when the escape at the backslash i stands for a hidden character. */
static int hides(eg_str s, size_t i, size_t *n, uint32_t *cp) {
    *cp = escaped(s, i, n);
    if (*cp == '\r') return s.len - i < 4 || memcmp(s.ptr + i + 2, "\\n", 2) != 0;
    return *cp != '\n' && *cp != '\t' && kind_of(*cp) != SEEN;
}

void eg_hidden_show(eg_buffer *out, eg_str s, eg_hidden_form form) {
    size_t from = 0, n = 1, raw = 0;
    uint32_t raw_cp = 0, cp = 0;
    for (size_t i = 0; i < s.len; i += n) {
        if (i >= raw) raw = eg_hidden_next(s, i, &raw_cp); /* looked for again only behind it */
        char stop = form == EG_HIDDEN_JSON ? '\\' : '\n';
        const char *mark = form == EG_HIDDEN_JSON || form == EG_HIDDEN_LINE ? memchr(s.ptr + i, stop, raw - i) : NULL;
        i = mark ? (size_t)(mark - s.ptr) : raw;
        if (i >= s.len) break;
        if (mark && form == EG_HIDDEN_JSON) {
            if (!hides(s, i, &n, &cp)) continue;
        } else {
            cp = mark ? '\n' : raw_cp;
            (void)at(s, i, &n);
        }
        eg_buffer_add(out, s.ptr + from, i - from);
        put(out, cp, form);
        from = i + n;
    }
    if (from < s.len) eg_buffer_add(out, s.ptr + from, s.len - from);
}
