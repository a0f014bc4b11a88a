/* lex.c - see lex.h. One pass; each step looks at most one code point ahead. */
#include "core/text/lex.h"

#include "core/base/utf8.h"
#include "core/text/fold.h"

/* The code point at i, 0 at the end. */
static uint32_t at(eg_str s, size_t i, size_t end, size_t *bytes) {
    uint32_t cp = 0;
    *bytes = 1;
    if (i < end) *bytes = eg_utf8_decode(s.ptr + i, end - i, &cp);
    return cp;
}

static int is_word_char(uint32_t cp) {
    if (cp == '_') return 1;
    eg_char_class class = eg_char_classify(cp);
    return class == EG_CHAR_LETTER || class == EG_CHAR_DIGIT;
}

static int is_digit_char(uint32_t cp) { return cp >= '0' && cp <= '9'; }

/* Whether the sign cp joins what stands before and after it to one token. */
static int joins(uint32_t before, uint32_t cp, uint32_t after) {
    if (!is_word_char(after)) return 0;
    switch (cp) {
    case '.':
    case '-':
    case '/':
    case '@':
    case '+':
    case '#':
    case '&':
    case '\\': return 1;
    case ':': return is_digit_char(after) || !is_digit_char(before); /* 12:30, host:80, vb:filter */
    case ',': return is_digit_char(before) && is_digit_char(after);
    case '\'':
    case 0x2019: return eg_char_classify(before) == EG_CHAR_LETTER;
    case 0x2011: return 1; /* non-breaking hyphen */
    default: return 0;
    }
}

/* A sign that may begin a token before a character: /etc, .env, --flag, @scope.
 */
static int leads(uint32_t cp, uint32_t after) {
    switch (cp) {
    case '/':
    case '@':
    case '~': return is_word_char(after) || after == '/' || after == '.';
    case '.': return is_word_char(after);
    case '-': return is_word_char(after) || after == '-';
    case '$': return after == '{' || (is_word_char(after) && !is_digit_char(after));
    default: return 0;
    }
}

static uint8_t kind_of(eg_str s, size_t start, size_t end) {
    int digits = 0, letters = 0, other = 0;
    for (size_t i = start; i < end;) {
        size_t k;
        uint32_t cp = at(s, i, end, &k);
        if (is_digit_char(cp)) digits++;
        else if (eg_char_classify(cp) == EG_CHAR_LETTER) letters++;
        else if (cp == '.' || cp == ',') other |= 1;
        else if (cp == '-' || cp == '\'' || cp == 0x2019 || cp == 0x2011) other |= i == start ? 4 : 2;
        else other |= 4;
        i += k;
    }
    if (!letters && !digits) return EG_TOKEN_MARK;
    if (letters && !digits && !(other & ~2)) return EG_TOKEN_WORD;
    if (digits && !letters && !(other & ~1)) return EG_TOKEN_NUMBER;
    return EG_TOKEN_IDENT;
}

/* The end of the token that begins at i with a word character. */
static size_t run(eg_str s, size_t i, size_t end) {
    uint32_t before = 0;
    while (i < end) {
        size_t k, next;
        uint32_t cp = at(s, i, end, &k);
        if (!is_word_char(cp)) {
            uint32_t after = at(s, i + k, end, &next);
            /* the slashes of a URL's "://" and C++'s scope stand two or three together */
            if (cp == ':' && after == '/' && i + 3 < end && s.ptr[i + 2] == '/') {
                i += 3;
                before = '/';
                continue;
            }
            if (cp == ':' && after == ':' && i + 2 < end && is_word_char((unsigned char)s.ptr[i + 2])) {
                i += 2;
                before = ':';
                continue;
            }
            if (!joins(before, cp, after)) break;
        }
        before = cp;
        i += k;
    }
    /* C++, C#: the signs belong to the name */
    if (i + 1 < end && s.ptr[i] == '+' && s.ptr[i + 1] == '+') i += 2;
    else if (i < end && s.ptr[i] == '#' && before >= 'A' && before <= 'Z') i++;
    return i;
}

size_t eg_text_lex(eg_str content, eg_span span, eg_token *out, size_t most) {
    size_t n = 0, i = span.start, end = span.end < content.len ? span.end : content.len;
    uint32_t previous = ' ';
    uint8_t code = 0, quoted = 0;
    int space = 1;
    while (i < end && n < most) {
        size_t k, next;
        uint32_t cp = at(content, i, end, &k), after = at(content, i + k, end, &next);
        if (eg_char_classify(cp) == EG_CHAR_SPACE) {
            space = 1;
            previous = cp;
            i += k;
            continue;
        }
        size_t start = i;
        if (is_word_char(cp)) i = run(content, i, end);
        else if (leads(cp, after) && !is_word_char(previous)) {
            while (i < end && !is_word_char((unsigned char)content.ptr[i]) && content.ptr[i] != ' ' && i - start < 4 &&
                   (content.ptr[i] == '/' || content.ptr[i] == '.' || content.ptr[i] == '-' || content.ptr[i] == '@' ||
                    content.ptr[i] == '~' || content.ptr[i] == '$' || content.ptr[i] == '{'))
                i++;
            i = run(content, i, end);
            if (i < end && content.ptr[i] == '}' && content.ptr[start] == '$') i++;
        } else i += k;
        if (cp == '`') code = !code;
        if (cp == '"' || cp == 0x201C || cp == 0x201D) quoted = !quoted;
        int mark = start + k == i && !is_word_char(cp);
        out[n++] = (eg_token){.start = (uint32_t)start,
                              .end = (uint32_t)i,
                              .kind = mark ? EG_TOKEN_MARK : kind_of(content, start, i),
                              .space = (uint8_t)space,
                              .code = code,
                              .quoted = quoted};
        previous = cp;
        if (i > start + k) previous = 'x';
        space = 0;
    }
    return n;
}
