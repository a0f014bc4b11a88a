/* mdx.c - see mdx.h. One pass over the lines; a tag or comment may go on over several of them. Not
 * a parser of JavaScript: an import or export ends at a blank line, as in MDX itself. */
#include "core/docs/mdx.h"

#include <ctype.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/status.h"
#include "core/docs/reader.h"

/* MAX_MARKUP: bytes of a tag or comment; where more follow without an end, its sign is text */
enum { MAX_MARKUP = 2000 };

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }

/* Bytes of the comment that s begins with, braces included; 0: none. */
static size_t comment(eg_str s) {
    if (!begins(s, "{/*")) return 0;
    size_t most = s.len < MAX_MARKUP ? s.len : MAX_MARKUP;
    const char *end = memmem(s.ptr + 3, most - 3, "*/}", 3);
    return end ? (size_t)(end + 3 - s.ptr) : 0;
}

/* Bytes of the tag that s begins with; 0: none. A '>' in braces or quotation marks does not end it.
 * Elements of HTML that Markdown could read as well are left to it: 0. */
static size_t tag(eg_str s) {
    size_t i = 1, depth = 0;
    if (s.len < 2 || s.ptr[0] != '<') return 0;
    if (s.ptr[i] == '/') i++;
    if (i < s.len && !isalpha((unsigned char)s.ptr[i]) && s.ptr[i] != '>') return 0;
    int element = islower((unsigned char)s.ptr[i]);
    for (char quote = 0; i < s.len && i < MAX_MARKUP; i++) {
        char c = s.ptr[i];
        if (quote) {
            if (c == quote) quote = 0;
        } else if (c == '"' || (depth == 0 && c == '\'')) {
            quote = c;
        } else if (c == '<' && depth == 0) {
            return 0;
        } else if (c == '{') {
            depth++;
        } else if (c == '}') {
            depth -= depth > 0;
        } else if (c == '>' && depth == 0) {
            return element ? 0 : i + 1;
        }
        element = element && !strchr("{\n", c);
    }
    return 0;
}

/* Bytes of the code between back-quotes that s begins with, 1 where it is not closed on its
 * line. */
static size_t code(eg_str s) {
    size_t signs = 0, run = 0;
    while (signs < s.len && s.ptr[signs] == '`') signs++;
    for (size_t i = signs; i < s.len && i < MAX_MARKUP && s.ptr[i] != '\n'; i++) {
        run = s.ptr[i] == '`' ? run + 1 : 0;
        if (run == signs && (i + 1 == s.len || s.ptr[i + 1] != '`')) return i + 1;
    }
    return signs;
}

/* As many line feeds as s has. */
static void add_lines(eg_buffer *b, eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '\n') eg_buffer_add(b, "\n", 1);
}

/* 1 when nothing but blanks stands before `at` on its line, and behind `end` on its own. */
static int is_alone(eg_str text, size_t at, size_t end) {
    while (at && strchr(" \t", text.ptr[at - 1])) at--;
    while (end < text.len && strchr(" \t\r", text.ptr[end])) end++;
    return (at == 0 || text.ptr[at - 1] == '\n') && (end == text.len || text.ptr[end] == '\n');
}

/* What a line of Markdown shows, from *at on, which is moved behind the line or behind what goes on
 * over several. */
static void convert_line(eg_str text, size_t *at, eg_buffer *out) {
    size_t i = *at;
    while (i < text.len && text.ptr[i] != '\n') {
        eg_str rest = {text.ptr + i, text.len - i};
        size_t n = 1, hidden;
        if (rest.ptr[0] == '`') {
            eg_buffer_add(out, rest.ptr, n = code(rest));
        } else if ((hidden = comment(rest)) != 0) {
            eg_buffer_text(out, "<!--");
            eg_buffer_add(out, rest.ptr + 3, hidden - 6);
            eg_buffer_text(out, "-->");
            n = hidden;
        } else if ((hidden = tag(rest)) != 0) {
            /* a tag that Markdown knows ends a block */
            if (is_alone(text, i, i + hidden)) eg_buffer_text(out, "<div>");
            add_lines(out, (eg_str){rest.ptr, hidden});
            n = hidden;
        } else {
            eg_buffer_add(out, rest.ptr, 1);
        }
        i += n;
    }
    if (i < text.len) eg_buffer_add(out, "\n", 1);
    *at = i + 1;
}

/* The signs of the fence of code that a line begins with, 0: none. */
static size_t fence(eg_str line, char *sign) {
    line = eg_trim_line(line);
    size_t n = 0;
    while (n < line.len && line.ptr[n] == line.ptr[0]) n++;
    if (n < 3 || (line.ptr[0] != '`' && line.ptr[0] != '~')) return 0;
    *sign = line.ptr[0];
    return n;
}

static void convert(eg_str text, eg_buffer *out) {
    size_t open = 0; /* signs of the fence that is open */
    char open_sign = 0, sign = 0;
    int after_blank = 1, module = 0;
    for (size_t at = 0; at < text.len;) {
        eg_str rest = {text.ptr + at, text.len - at}, line = eg_next_line(&rest);
        int blank = eg_trim_line(line).len == 0;
        size_t signs = fence(line, &sign);
        module = !blank && !open && (module || (after_blank && (begins(line, "import ") || begins(line, "export "))));
        after_blank = blank;
        if (!module && !open && !signs) {
            convert_line(text, &at, out);
            continue;
        }
        if (!module && !open) open = signs, open_sign = sign;
        else if (!module && signs >= open && sign == open_sign) open = 0;
        if (!module) eg_buffer_add(out, line.ptr, line.len);
        eg_buffer_add(out, "\n", 1);
        at += line.len + 1;
    }
}

eg_status eg_mdx_plain(eg_arena *arena, eg_str text, eg_str *out, eg_error *err) {
    eg_buffer b = {0};
    convert(text, &b);
    char *copy = b.failed ? NULL : eg_arena_copy(arena, (eg_str){b.ptr ? b.ptr : "", b.len});
    *out = (eg_str){copy, b.len};
    eg_buffer_release(&b);
    return copy ? EG_OK : eg_fail_memory(err, text.len);
}
