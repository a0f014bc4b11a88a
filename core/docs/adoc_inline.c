/* adoc_inline.c - inline markup of AsciiDoc, within one line. Source: docs.asciidoctor.org,
 * "AsciiDoc Language". */
#include "core/docs/adoc_inline.h"

#include <ctype.h>
#include <string.h>

#include "core/docs/reader.h"

/* Bytes of a macro or reference; after more without an end, its sign is text. */
enum { MAX_MARKUP = 2000 };

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str after(eg_str s, size_t n) { return (eg_str){s.ptr + n, s.len - n}; }

/* Where c stands in s, or its end. */
static size_t find(eg_str s, char c) {
    const char *p = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return p ? (size_t)(p - s.ptr) : s.len;
}

/* The text of a macro's brackets, without what follows a comma with "=" and without quotation
 * marks. */
static eg_str label(eg_str s) {
    const char *attribute = memmem(s.ptr, s.len, ",role=", 6);
    if (attribute) s.len = (size_t)(attribute - s.ptr);
    if (s.len && s.ptr[s.len - 1] == '^') s.len--;
    if (s.len > 1 && s.ptr[0] == '"' && s.ptr[s.len - 1] == '"') s = (eg_str){s.ptr + 1, s.len - 2};
    return s;
}

/* "name:target[text]" or "https://target[text]" at the beginning of s: adds what it shows. Bytes,
 * 0: it is none. */
static size_t macro(eg_buffer *b, eg_str s) {
    static const char *const hidden[] = {"image:", "icon:", "anchor:", "indexterm:", "footnote:", "footnoteref:"};
    size_t name = 0;
    while (name < s.len && name < 20 && (isalnum((unsigned char)s.ptr[name]) || s.ptr[name] == '-')) name++;
    if (!name || name == s.len || s.ptr[name] != ':' || (name + 1 < s.len && strchr(": ", s.ptr[name + 1]))) return 0;
    size_t open = name + 1;
    while (open < s.len && !strchr("[ \t", s.ptr[open])) open++;
    if (open == s.len || s.ptr[open] != '[') return 0;
    size_t close = open + find(after(s, open), ']');
    if (close == s.len) return 0;
    eg_str target = {s.ptr + name + 1, open - name - 1}, text = label((eg_str){s.ptr + open + 1, close - open - 1});
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (begins(s, hidden[i])) return close + 1;
    if (begins(s, "linkgit:")) { /* of the manual of git: linkgit:git-add[1] */
        eg_buffer_format(b, "%.*s(%.*s)", (int)target.len, target.ptr, (int)text.len, text.ptr);
        return close + 1;
    }
    if (!text.len && begins(target, "//")) text = (eg_str){s.ptr, open};
    if (!text.len) text = target;
    eg_buffer_add(b, text.ptr, text.len);
    return close + 1;
}

/* "<<id>>" or "<<id,text>>" at the beginning of s. */
static size_t reference(eg_buffer *b, eg_str s) {
    const char *end = begins(s, "<<") ? memmem(s.ptr, s.len, ">>", 2) : NULL;
    if (!end) return 0;
    eg_str id = {s.ptr + 2, (size_t)(end - s.ptr) - 2};
    size_t comma = find(id, ',');
    eg_str text = comma < id.len ? eg_trim_line(after(id, comma + 1)) : id;
    eg_buffer_add(b, text.ptr, text.len);
    return (size_t)(end - s.ptr) + 2;
}

/* `code`, `+code+` or +code+ at the beginning of s, as Markdown writes it. */
static size_t code(eg_buffer *b, eg_str s) {
    char sign = s.ptr[0];
    size_t open = s.len > 1 && s.ptr[1] == sign ? 2 : 1;
    int plus = sign == '`' && open < s.len && s.ptr[open] == '+';
    if (sign == '+' && (open == s.len || strchr(" +", s.ptr[open]))) return 0;
    const char *end = s.len > open ? memmem(s.ptr + open, s.len - open, sign == '`' ? "``" : "++", open) : NULL;
    if (!end || end == s.ptr + open) return 0;
    eg_str text = {s.ptr + open, (size_t)(end - s.ptr) - open};
    size_t used = text.len + 2 * open;
    if (plus && text.len > 2 && text.ptr[text.len - 1] == '+') text = (eg_str){text.ptr + 1, text.len - 2};
    eg_buffer_text(b, "`");
    eg_buffer_add(b, text.ptr, text.len);
    eg_buffer_text(b, "`");
    return used;
}

/* "{caret}" and the like, which stand for a sign. Bytes, 0: another attribute. */
static size_t character(eg_buffer *b, eg_str s) {
    static const char *const signs[][2] = {
        {"{caret}", "^"}, {"{tilde}", "~"}, {"{plus}", "+"}, {"{asterisk}", "*"}, {"{startsb}", "["},    {"{endsb}", "]"},
        {"{vbar}", "|"},  {"{lt}", "&lt;"}, {"{gt}", ">"},   {"{amp}", "&"},      {"{backslash}", "\\"}, {"{apos}", "'"},
        {"{quot}", "\""}, {"{nbsp}", " "},  {"{empty}", ""}, {"{litdd}", "--"},   {"{sp}", " "}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (begins(s, signs[i][0])) return eg_buffer_text(b, signs[i][1]), strlen(signs[i][0]);
    return 0;
}

static int is_inside_word(eg_str s, size_t i) {
    return i > 0 && i + 1 < s.len && isalnum((unsigned char)s.ptr[i - 1]) && isalnum((unsigned char)s.ptr[i + 1]);
}

void eg_adoc_inline(eg_buffer *b, eg_str s) {
    /* a line break */
    if (s.len > 2 && s.ptr[s.len - 1] == '+' && s.ptr[s.len - 2] == ' ') s.len -= 2;
    for (size_t i = 0, used; i < s.len; i += used) {
        eg_str rest = after(s, i);
        char c = rest.ptr[0];
        if (rest.len > MAX_MARKUP) rest.len = MAX_MARKUP;
        used = 0;
        if (c == '`' || (c == '+' && !is_inside_word(s, i))) used = code(b, rest);
        if (c == '<') used = reference(b, rest);
        if (c == '{') used = character(b, rest);
        if (isalpha((unsigned char)c) && (i == 0 || !isalnum((unsigned char)s.ptr[i - 1]))) used = macro(b, rest);
        if (c == '_' && !is_inside_word(s, i)) used = 1; /* emphasis */
        if (used) continue;
        used = 1;
        if (c == '<') eg_buffer_text(b, "&lt;");
        else eg_buffer_add(b, &c, 1);
    }
}
