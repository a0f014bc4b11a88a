/* plain.c - see plain.h. Source: Unicode 15.1, DerivedCoreProperties (Default_Ignorable_Code_Point)
 * and the compatibility mappings of the blocks "Halfwidth and Fullwidth Forms" and "Mathematical
 * Alphanumeric Symbols". */
#include "plain.h"

typedef struct range {
    uint32_t first, last;
} range;

static const range ignorable[] = {{0x00AD, 0x00AD},   {0x034F, 0x034F},  {0x061C, 0x061C}, {0x115F, 0x1160}, {0x17B4, 0x17B5},
                                  {0x180B, 0x180F},   {0x200B, 0x200F},  {0x202A, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164},
                                  {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFF8}, {0x1BCA0, 0x1BCA3},
                                  {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

/* The code point at i and its length; a byte that begins none stands for itself. */
static uint32_t code_point(eg_str s, size_t i, size_t *n) {
    unsigned char c = (unsigned char)s.ptr[i];
    size_t length = c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    *n = 1;
    if (length == 1 || s.len - i < length) return c < 0x80 ? c : 0xFFFD;
    uint32_t cp = c & (0x7Fu >> length);
    for (size_t k = 1; k < length; k++) {
        unsigned char next = (unsigned char)s.ptr[i + k];
        if ((next & 0xC0) != 0x80) return 0xFFFD;
        cp = cp << 6 | (next & 0x3F);
    }
    *n = length;
    return cp;
}

/* The ASCII character that cp looks like; 0: none. */
static char ascii_of(uint32_t cp) {
    if (cp >= 0xFF01 && cp <= 0xFF5E) return (char)(cp - 0xFF01 + '!');
    if (cp == 0x3000) return ' ';
    if (cp >= 0x1D400 && cp <= 0x1D6A3) { /* 13 alphabets of capital and small letters */
        uint32_t letter = (cp - 0x1D400) % 52;
        return (char)(letter < 26 ? 'A' + letter : 'a' + letter - 26);
    }
    if (cp >= 0x1D7CE && cp <= 0x1D7FF) return (char)('0' + (cp - 0x1D7CE) % 10);
    return 0;
}

int plain_differs(eg_str text) {
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80) return 1;
    return 0;
}

void plain_write(eg_str text, plain_text *out) {
    out->len = 0;
    for (size_t i = 0, n; i < text.len; i += n) {
        uint32_t cp = code_point(text, i, &n);
        int shown = 1;
        for (size_t k = 0; k < sizeof ignorable / sizeof *ignorable; k++)
            shown = shown && (cp < ignorable[k].first || cp > ignorable[k].last);
        char c = shown ? ascii_of(cp) : 0;
        for (size_t k = 0; shown && k < (c ? 1 : n); k++) {
            out->bytes[out->len] = c ? c : text.ptr[i + k];
            out->at[out->len++] = (uint32_t)(i + k);
        }
    }
}
