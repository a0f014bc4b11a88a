/* ignore.c - see ignore.h. Matching goes back to the last '*' and the last '**' only, which is
 * enough for both, so the time is at most the product of the two lengths. No recursion. */
#include "tools/check/ignore.h"

#include <ctype.h>
#include <string.h>

/* Cuts the next segment off *path. */
static eg_str next_segment(eg_str *path) {
    const char *slash = memchr(path->ptr, '/', path->len);
    eg_str one = {path->ptr, slash ? (size_t)(slash - path->ptr) : path->len};
    size_t used = one.len + (slash != NULL);
    *path = (eg_str){path->ptr + used, path->len - used};
    return one;
}

static int in_class(eg_str name, unsigned char c) {
    static const struct {
        const char *name;
        int (*is)(int);
    } classes[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
                   {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
                   {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (eg_str_eq(name, eg_str_of(classes[i].name))) return classes[i].is(c) != 0;
    return 0;
}

/* Bytes of the name in a "[:name:]" that p begins with; 0: none. */
static size_t class_name(eg_str p) {
    if (p.len < 4 || p.ptr[0] != '[' || p.ptr[1] != ':') return 0;
    const char *end = memmem(p.ptr + 2, p.len - 2, ":]", 2);
    return end ? (size_t)(end - p.ptr) - 2 : 0;
}

/* A bracket expression at the beginning of p: its bytes, 0 where it is not closed; *match: whether
 * it names c. */
static size_t brackets(eg_str p, unsigned char c, int *match) {
    size_t i = 1;
    int negated = i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^'), found = 0;
    i += (size_t)negated;
    for (size_t first = i; i < p.len && (p.ptr[i] != ']' || i == first); i++) {
        size_t name = class_name((eg_str){p.ptr + i, p.len - i});
        if (name) {
            found |= in_class((eg_str){p.ptr + i + 2, name}, c);
            i += name + 3;
            continue;
        }
        if (p.ptr[i] == '\\' && i + 1 < p.len) i++;
        unsigned char low = (unsigned char)p.ptr[i], high = low;
        if (i + 2 < p.len && p.ptr[i + 1] == '-' && p.ptr[i + 2] != ']') {
            i += 2;
            if (p.ptr[i] == '\\' && i + 1 < p.len) i++;
            high = (unsigned char)p.ptr[i];
        }
        found |= low <= c && c <= high;
    }
    *match = found != negated;
    return i < p.len ? i + 1 : 0;
}

/* Cuts the next segment off *pattern; a '/' in brackets ends none. */
static eg_str next_pattern(eg_str *pattern) {
    size_t i = 0;
    for (size_t n; i < pattern->len && pattern->ptr[i] != '/'; i += n) {
        int match;
        n = pattern->ptr[i] == '[' ? brackets((eg_str){pattern->ptr + i, pattern->len - i}, 0, &match) : 0;
        if (!n) n = pattern->ptr[i] == '\\' && i + 1 < pattern->len ? 2 : 1;
    }
    eg_str one = {pattern->ptr, i};
    size_t used = i + (i < pattern->len);
    *pattern = (eg_str){pattern->ptr + used, pattern->len - used};
    return one;
}

/* Bytes of the one sign or bracket expression that p begins with when it names c; 0: it does
 * not. */
static size_t match_one(eg_str p, unsigned char c) {
    int match = 0;
    if (p.ptr[0] == '?') return 1;
    if (p.ptr[0] == '[') {
        size_t n = brackets(p, c, &match);
        return match ? n : 0;
    }
    if (p.ptr[0] == '\\' && p.len > 1) return (unsigned char)p.ptr[1] == c ? 2 : 0;
    return (unsigned char)p.ptr[0] == c;
}

/* A name without '/' against a pattern without '/'. */
static int match_name(eg_str pattern, eg_str name) {
    size_t p = 0, n = 0, star = SIZE_MAX, retry = 0;
    while (n < name.len) {
        eg_str rest = {pattern.ptr + p, pattern.len - p};
        size_t used = 0;
        if (rest.len && rest.ptr[0] == '*') {
            star = p++;
            retry = n;
            continue;
        }
        if (rest.len) used = match_one(rest, (unsigned char)name.ptr[n]);
        if (used) {
            p += used;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++retry;
        } else {
            return 0;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') p++;
    return p == pattern.len;
}

/* A path against a pattern whose "**" segments stand for any number of folders. */
static int match_path(eg_str pattern, eg_str path) {
    eg_str p = pattern, n = path, star = {0}, retry = {0};
    int starred = 0;
    while (n.len) {
        eg_str rest = p, segment = next_pattern(&rest), after = n, name = next_segment(&after);
        if (p.len && eg_str_eq(segment, EG_STR("**"))) {
            if (!rest.len) return 1; /* all that lies within */
            starred = 1;
            star = rest;
            retry = n;
            p = rest;
        } else if (p.len && match_name(segment, name)) {
            p = rest;
            n = after;
        } else if (starred) {
            next_segment(&retry);
            p = star;
            n = retry;
        } else {
            return 0;
        }
    }
    return p.len == 0;
}

static eg_str base_name(eg_str path) {
    const char *slash = memrchr(path.ptr, '/', path.len);
    return slash ? (eg_str){slash + 1, path.len - (size_t)(slash + 1 - path.ptr)} : path;
}

int ignore_match(const ignore_rules *rules, eg_str path, int is_folder) {
    for (size_t i = rules->count; i-- > 0;) {
        const ignore_rule *r = &rules->rules[i];
        if (r->only_folders && !is_folder) continue;
        if (r->anchored ? match_path(r->pattern, path) : match_name(r->pattern, base_name(path))) return r->negated ? -1 : 1;
    }
    return 0;
}

/* Without blanks at the end, unless a backslash stands before them. */
static eg_str trim_end(eg_str s) {
    if (s.len && s.ptr[s.len - 1] == '\r') s.len--;
    while (s.len && s.ptr[s.len - 1] == ' ' && (s.len == 1 || s.ptr[s.len - 2] != '\\')) s.len--;
    return s;
}

static void parse_line(eg_str s, ignore_rules *out) {
    ignore_rule r = {0};
    if (s.len && s.ptr[0] == '#') return;
    s = trim_end(s);
    if (s.len && s.ptr[0] == '!') r.negated = 1, s.ptr++, s.len--;
    if (s.len && s.ptr[s.len - 1] == '/') r.only_folders = 1, s.len--;
    if (s.len && s.ptr[0] == '/') r.anchored = 1, s.ptr++, s.len--;
    r.anchored |= memchr(s.ptr, '/', s.len) != NULL;
    r.pattern = s;
    if (s.len) out->rules[out->count++] = r;
}

int ignore_parse(eg_arena *arena, eg_str text, ignore_rules *out) {
    size_t lines = 1;
    for (size_t i = 0; i < text.len; i++) lines += text.ptr[i] == '\n';
    *out = (ignore_rules){.rules = eg_arena_array(arena, lines, sizeof *out->rules)};
    if (!out->rules) return 0;
    if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0) text = (eg_str){text.ptr + 3, text.len - 3};
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        eg_str line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};
        parse_line(line, out);
        size_t used = line.len + (end != NULL);
        text = (eg_str){text.ptr + used, text.len - used};
    }
    return 1;
}
