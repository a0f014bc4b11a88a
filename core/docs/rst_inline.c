/* rst_inline.c - inline markup of reStructuredText, within one line. Source: the specification of
 * docutils, "Inline markup". */
#include "core/docs/rst_inline.h"

#include <ctype.h>
#include <string.h>

#include "core/docs/reader.h"

/* Bytes of a role or reference; after more without an end, its sign is text. */
enum { MAX_MARKUP = 2000 };

static eg_str after(eg_str s, size_t n) { return (eg_str){s.ptr + n, s.len - n}; }

/* Without the " <target>" of a reference. */
static eg_str without_target(eg_str s) {
    const char *open = memrchr(s.ptr, '<', s.len);
    if (!s.len || s.ptr[s.len - 1] != '>' || !open) return s;
    if (open == s.ptr) return (eg_str){s.ptr + 1, s.len - 2};
    return eg_trim_line((eg_str){s.ptr, (size_t)(open - s.ptr)});
}

static int is_code_role(eg_str role) {
    static const char *const code[] = {"func",    "class",   "meth",    "mod",    "data",    "option",  "envvar", "file",
                                       "program", "command", "code",    "samp",   "kbd",     "const",   "attr",   "exc",
                                       "literal", "macro",   "type",    "member", "confval", "setting", "obj",    "c",
                                       "cpp",     "py",      "keyword", "token",  "opcode",  "method"};
    for (size_t i = 0; i < sizeof code / sizeof *code; i++) {
        size_t n = strlen(code[i]);
        if (role.len == n && memcmp(role.ptr, code[i], n) == 0) return 1;
        if (role.len > n && role.ptr[role.len - n - 1] == ':' && memcmp(role.ptr + role.len - n, code[i], n) == 0) return 1;
    }
    return 0;
}

static void add_code(eg_buffer *b, eg_str s) {
    eg_buffer_text(b, "`");
    eg_buffer_add(b, s.ptr, s.len);
    eg_buffer_text(b, "`");
}

/* ":role:`text`" at the beginning of s: adds it and returns its bytes, 0: it is none. */
static size_t role(eg_buffer *b, eg_str s) {
    size_t i = 1;
    while (i < s.len && i < 40 && (isalnum((unsigned char)s.ptr[i]) || strchr(":_.+-", s.ptr[i]))) {
        if (s.ptr[i] == ':' && i + 1 < s.len && s.ptr[i + 1] == '`') break;
        i++;
    }
    if (i < 2 || i + 1 >= s.len || s.ptr[i] != ':' || s.ptr[i + 1] != '`') return 0;
    eg_str name = {s.ptr + 1, i - 1}, rest = after(s, i + 2);
    const char *end = memchr(rest.ptr, '`', rest.len);
    if (!end) return 0;
    eg_str text = {rest.ptr, (size_t)(end - rest.ptr)};
    size_t used = i + 2 + text.len + 1;
    text = without_target(text);
    if (text.len && (text.ptr[0] == '!' || text.ptr[0] == '~')) {
        const char *dot = text.ptr[0] == '~' ? memrchr(text.ptr, '.', text.len) : NULL;
        text = after(text, dot ? (size_t)(dot + 1 - text.ptr) : 1);
    }
    if (eg_str_eq(name, EG_STR("rfc"))) eg_buffer_text(b, "RFC ");
    if (eg_str_eq(name, EG_STR("pep"))) eg_buffer_text(b, "PEP ");
    if (is_code_role(name)) add_code(b, text);
    else eg_buffer_add(b, text.ptr, text.len);
    return used;
}

/* "``code``", "`reference`_" or "`text`" at the beginning of s. Bytes, 0: not closed on the line.
 * */
static size_t quoted(eg_buffer *b, eg_str s) {
    int twice = s.len > 1 && s.ptr[1] == '`';
    size_t open = twice ? 2 : 1;
    const char *end = s.len > open ? memmem(s.ptr + open, s.len - open, "``", open) : NULL;
    if (!end) return 0;
    eg_str text = {s.ptr + open, (size_t)(end - s.ptr) - open};
    size_t used = text.len + 2 * open;
    if (!twice && used < s.len && s.ptr[used] == '_') { /* a reference */
        text = without_target(text);
        eg_buffer_add(b, text.ptr, text.len);
        used += used + 1 < s.len && s.ptr[used + 1] == '_' ? 2 : 1;
    } else {
        add_code(b, text);
    }
    return used;
}

/* "|name|" or "[1]_" at the beginning of s: bytes, 0: neither. */
static size_t substitution(eg_buffer *b, eg_str s) {
    char close = s.ptr[0] == '|' ? '|' : ']';
    const char *end = s.len > 1 && s.ptr[1] != ' ' ? memchr(s.ptr + 1, close, s.len - 1) : NULL;
    if (!end || end == s.ptr + 1 || end[-1] == ' ') return 0;
    size_t n = (size_t)(end - s.ptr) + 1;
    if (close == ']') { /* a footnote's: the blank before it goes as well */
        if (n == s.len || s.ptr[n] != '_') return 0;
        b->len -= b->len && b->ptr[b->len - 1] == ' ';
        return n + 1;
    }
    eg_buffer_add(b, s.ptr + 1, n - 2);
    return n < s.len && s.ptr[n] == '_' ? n + 1 : n;
}

void eg_rst_inline(eg_buffer *b, eg_str s) {
    for (size_t i = 0, used; i < s.len; i += used) {
        eg_str rest = after(s, i);
        char c = rest.ptr[0];
        if (rest.len > MAX_MARKUP) rest.len = MAX_MARKUP;
        used = 0;
        if (c == '`') used = quoted(b, rest);
        if (c == ':' && (i == 0 || !isalnum((unsigned char)s.ptr[i - 1]))) used = role(b, rest);
        if (c == '|' || c == '[') used = substitution(b, rest);
        if (c == '\\' && rest.len > 1) {
            if (rest.ptr[1] != ' ') eg_buffer_add(b, rest.ptr + 1, 1);
            used = 2;
        }
        if (used) continue;
        used = 1;
        /* signs that Markdown would read as tags */
        if (c == '<') eg_buffer_text(b, "&lt;");
        else eg_buffer_add(b, &c, 1);
    }
}
