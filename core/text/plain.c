/* plain.c - see plain.h. */
#include "core/text/plain.h"

#include "core/base/size.h"
#include "core/base/utf8.h"

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

eg_str eg_text_trim(eg_str s) {
    while (s.len && is_space(s.ptr[0])) s.ptr++, s.len--;
    while (s.len && is_space(s.ptr[s.len - 1])) s.len--;
    return s;
}

eg_str eg_text_begin(eg_str s, size_t most) {
    if (s.len <= most) return s;
    size_t n = eg_utf8_floor(s.ptr, s.len, most), k = n;
    while (k > n / 2 && !is_space(s.ptr[k])) k--;
    s.len = k > n / 2 ? k : n;
    return eg_text_trim(s);
}

/* Where the last c stands in s; 0: nowhere. */
static size_t last_of(eg_str s, char c) {
    size_t i = s.len;
    while (i && s.ptr[i - 1] != c) i--;
    return i ? i - 1 : 0;
}

static int needs_work(eg_str s) {
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '*' || c == '[' || c == '\n' || c == '\t' || c == '\r' || (c == ' ' && i && s.ptr[i - 1] == ' ')) return 1;
    }
    return 0;
}

/* Behind white space at i, and behind the quote signs that a new line begins with. */
static size_t skip_space(eg_str s, size_t i) {
    int line = 0;
    for (; i < s.len; i++) {
        if (s.ptr[i] == '\n') line = 1;
        else if (!is_space(s.ptr[i]) && !(line && s.ptr[i] == '>')) break;
    }
    return i;
}

int eg_text_plain(eg_arena *arena, eg_str s, eg_str *out) {
    s = eg_text_trim(s);
    *out = s;
    if (!needs_work(s)) return 1;
    char *p = eg_arena_alloc(arena, s.len);
    if (!p) return 0;
    size_t n = 0, open = 0, brackets = last_of(s, ']'), parentheses = last_of(s, ')');
    int code = 0;
    for (size_t i = 0; i < s.len;) {
        char c = s.ptr[i], next = i + 1 < s.len ? s.ptr[i + 1] : ' ';
        if (is_space(c)) {
            i = skip_space(s, i);
            if (n && i < s.len && p[n - 1] != ' ') p[n++] = ' ';
            continue;
        }
        i++;
        if (c == '`') code = !code;
        if (!code && c == '*' && (i == 1 || next != ' ' || s.ptr[i - 2] != ' ')) continue;
        if (!code && c == '[' && i - 1 < brackets) {
            open++;
            continue;
        }
        if (!code && c == ']' && open) {
            open--;
            if ((next == '(' && i < parentheses) || (next == '[' && i < brackets))
                i = (size_t)((const char *)memchr(s.ptr + i, next == '(' ? ')' : ']', s.len - i) - s.ptr) + 1;
            continue;
        }
        p[n++] = c;
    }
    *out = eg_text_trim((eg_str){p, n});
    return 1;
}

int eg_text_join(eg_arena *arena, const eg_str *parts, size_t n, eg_str *out) {
    size_t total = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        if (!eg_size_add(total, parts[i].len, &total)) return 0;
    char *p = eg_arena_alloc(arena, total);
    if (!p) return 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].len) memcpy(p + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    *out = (eg_str){p, total};
    return 1;
}
