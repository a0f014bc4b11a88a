/* fold.c - see fold.h. Ranges: Unicode 15.1, UnicodeData.txt (figures only). */
#include "core/text/fold.h"

static int is_space(uint32_t cp) {
    return cp == ' ' || (cp >= 9 && cp <= 13) || cp == 0x85 || cp == 0xA0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200B) ||
           cp == 0x2028 || cp == 0x2029 || cp == 0x202F || cp == 0x205F || cp == 0x3000 || cp == 0xFEFF;
}

/* Beyond ASCII: the blocks that hold punctuation and symbols; everything else counts as letters. */
static int is_symbol(uint32_t cp) {
    return cp < 0xAA || (cp >= 0xAB && cp <= 0xB4) || (cp >= 0xB6 && cp <= 0xB9) || (cp >= 0xBB && cp <= 0xBF) || cp == 0xD7 ||
           cp == 0xF7 || (cp >= 0x2010 && cp <= 0x2BFF) || (cp >= 0x3001 && cp <= 0x3003) || (cp >= 0x3008 && cp <= 0x3020) ||
           (cp >= 0xFE10 && cp <= 0xFE6F) || (cp >= 0xFF01 && cp <= 0xFF0F) || (cp >= 0xFF1A && cp <= 0xFF20) ||
           (cp >= 0xE000 && cp <= 0xF8FF) || cp == 0xFFFD || (cp >= 0x1F000 && cp <= 0x1FAFF);
}

eg_char_class eg_char_classify(uint32_t cp) {
    if (cp < 0x80) {
        char c = (char)cp;
        if (eg_is_alpha(c)) return EG_CHAR_LETTER;
        if (eg_is_digit(c)) return EG_CHAR_DIGIT;
        return is_space(cp) ? EG_CHAR_SPACE : EG_CHAR_OTHER;
    }
    if (is_space(cp)) return EG_CHAR_SPACE;
    return is_symbol(cp) ? EG_CHAR_OTHER : EG_CHAR_LETTER;
}

uint32_t eg_char_lower(uint32_t cp) {
    if (cp < 0x80) return (uint32_t)eg_lower((char)cp);
    if (cp >= 0xC0 && cp <= 0xDE && cp != 0xD7) return cp + 0x20;
    if ((cp >= 0x100 && cp <= 0x12F) || (cp >= 0x132 && cp <= 0x137) || (cp >= 0x14A && cp <= 0x177)) return cp | 1;
    if ((cp >= 0x139 && cp <= 0x148) || (cp >= 0x179 && cp <= 0x17E)) return cp + (cp & 1);
    if (cp == 0x178) return 0xFF;
    if (cp == 0x386) return 0x3AC;
    if (cp >= 0x388 && cp <= 0x38A) return cp + 37;
    if (cp >= 0x391 && cp <= 0x3AB && cp != 0x3A2) return cp + 0x20;
    if (cp >= 0x400 && cp <= 0x40F) return cp + 0x50;
    if (cp >= 0x410 && cp <= 0x42F) return cp + 0x20;
    if ((cp >= 0x460 && cp <= 0x481) || (cp >= 0x48A && cp <= 0x4BF) || (cp >= 0x1E00 && cp <= 0x1E95) ||
        (cp >= 0x1EA0 && cp <= 0x1EFF))
        return cp | 1;
    return cp;
}

char eg_char_plain(uint32_t cp) {
    switch (cp) {
    case 0x2018:
    case 0x2019:
    case 0x201A:
    case 0x201B:
    case 0x2032:
    case 0x2039:
    case 0x203A: return '\'';
    case 0x201C:
    case 0x201D:
    case 0x201E:
    case 0x201F:
    case 0x2033:
    case 0xAB:
    case 0xBB: return '"';
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212: return '-';
    default: return 0;
    }
}

int eg_str_same_word(eg_str a, eg_str b) {
    if (a.len != b.len) return 0;
    for (size_t i = 0; i < a.len; i++)
        if (eg_lower(a.ptr[i]) != eg_lower(b.ptr[i])) return 0;
    return 1;
}
