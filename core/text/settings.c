/* settings.c - see settings.h. */
#include "core/text/settings.h"

#include "core/text/fold.h"
#include "core/text/plain.h"
#include "core/text/words.h"

enum { MAX_KEY = 80, MAX_NAMED = 40 };

static int begins(eg_str s, const char *z) { return s.len >= strlen(z) && memcmp(s.ptr, z, strlen(z)) == 0; }
static eg_str from(eg_str s, size_t n) { return (eg_str){s.ptr + n, s.len - n}; }
static eg_str cut(eg_str s, size_t n) { return (eg_str){s.ptr, n}; }

static int is_shell(eg_str info) {
    return eg_word_in(info, "sh bash shell zsh console shell-session fish powershell ps1 bat cmd");
}

/* Where a comment behind code begins; s.len: there is none. */
static size_t comment_at(eg_str s) {
    char quote = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (quote) {
            if (c == quote) quote = 0;
            continue;
        }
        if (c == '"' || c == '\'') {
            if (memchr(s.ptr + i + 1, c, s.len - i - 1)) quote = c;
            continue;
        }
        int behind = i && (s.ptr[i - 1] == ' ' || s.ptr[i - 1] == '\t');
        eg_str rest = from(s, i);
        if (behind && (c == '#' || begins(rest, "; ") || begins(rest, "// ") || begins(rest, "/* ") || begins(rest, "-- ")))
            return i;
    }
    return s.len;
}

static eg_str unquoted(eg_str s) {
    s = eg_text_trim(s);
    if (s.len >= 2 && (s.ptr[0] == '"' || s.ptr[0] == '\'') && s.ptr[s.len - 1] == s.ptr[0])
        return (eg_str){s.ptr + 1, s.len - 2};
    return s;
}

/* The text of a comment, without its signs. */
static eg_str comment_text(eg_str s) {
    while (s.len && strchr("#;/*-", s.ptr[0])) s = from(s, 1);
    s = eg_text_trim(s);
    if (s.len >= 2 && memcmp(s.ptr + s.len - 2, "*/", 2) == 0) s.len -= 2;
    return eg_text_trim(s);
}

static eg_str code_of(eg_str line, eg_setting *out) {
    size_t end = comment_at(line);
    out->comment = comment_text(from(line, end));
    eg_str s = eg_text_trim(cut(line, end));
    while (s.len && (s.ptr[s.len - 1] == ',' || s.ptr[s.len - 1] == ';')) s.len--;
    return eg_text_trim(s);
}

/* A key: a word, an identifier, a dotted or quoted name; at most three words, as in `const int
 * limit`. */
static int is_key(eg_str s) {
    size_t words = 1;
    if (s.len == 0 || s.len > MAX_KEY || eg_is_digit(s.ptr[0])) return 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == ' ') words++;
        else if (!eg_is_alpha(c) && !eg_is_digit(c) && !strchr("_.-/@$[]", c)) return 0;
    }
    return words <= 3;
}

/* The name out of a key: without words of a declaration before it. */
static eg_str name_of(eg_str key) {
    static const char declared[] = "export set const let var static final public private env setenv pragma define local alter "
                                   "int char size_t unsigned long val readonly declare arg";
    for (;;) {
        const char *space = key.len ? memchr(key.ptr, ' ', key.len) : NULL;
        if (!space || !eg_word_in(cut(key, (size_t)(space - key.ptr)), declared)) break;
        key = eg_text_trim(from(key, (size_t)(space - key.ptr)));
    }
    if (key.len > 1 && (key.ptr[0] == '.' || key.ptr[0] == '$')) key = from(key, 1);
    return key;
}

/* Splits "key = value", "key: value", KEY=value. spaced: the sign is a colon that needs a blank
 * behind it. */
static int split(eg_str s, eg_str *key, eg_str *value) {
    for (size_t i = 0; i < s.len && i <= MAX_KEY + 2; i++) {
        char c = s.ptr[i], next = i + 1 < s.len ? s.ptr[i + 1] : ' ';
        if (c == '=' && (next == '=' || next == '>' || next == '~')) return 0;
        size_t sign = c == '=' ? 1 : (c == ':' || c == '?' || c == '+') && next == '=' ? 2 : 0;
        if (c == ':' && !sign && (next == ' ' || next == '\t')) sign = 1;
        if (!sign) continue;
        *key = name_of(unquoted(cut(s, i)));
        *value = unquoted(from(s, i + sign));
        return is_key(*key);
    }
    return 0;
}

static int is_bracket(eg_str s) {
    for (size_t i = 0; i < s.len; i++)
        if (!strchr("{}[]()<>,; ", s.ptr[i])) return 0;
    return 1;
}

static void close_to(eg_setting_path *path, uint32_t column) {
    while (path->depth && path->columns[path->depth - 1] >= column) path->depth--;
}

/* Keys whose value names what the settings beside them belong to. */
static int is_name(eg_str key) {
    return eg_word_in(key, "name id host service queue stream consumer environment env profile cluster job app project server "
                           "listener topic table user group role stage namespace");
}

static eg_code_line open_key(eg_setting_path *path, eg_str key, uint32_t column) {
    close_to(path, column);
    if (column <= path->name_column) path->name = (eg_str){"", 0};
    if (path->depth < EG_SETTING_DEPTH) {
        path->keys[path->depth] = key;
        path->columns[path->depth++] = column;
    }
    return EG_CODE_OPENS;
}

/* Behind a prompt: "$ ", "> ", "% ", "# " in a shell; 0: there is none. */
static size_t prompt(eg_str s, int shell) {
    if (s.len > 2 && s.ptr[1] == ' ' && (s.ptr[0] == '$' || (shell && strchr("%>#", s.ptr[0])))) return 2;
    return 0;
}

/* A line of a shell is a command: it begins with a plain word or path and is no sentence. */
static int is_command(eg_str s) {
    size_t n = 0;
    while (n < s.len && s.ptr[n] != ' ') n++;
    if (n == 0 || n == s.len) return 0;
    for (size_t i = 0; i < n; i++)
        if (!eg_is_alpha(s.ptr[i]) && !eg_is_digit(s.ptr[i]) && !strchr("_.-/~", s.ptr[i])) return 0;
    return !eg_is_upper(s.ptr[0]) && !eg_is_digit(s.ptr[0]);
}

eg_code_line eg_setting_read(eg_setting_path *path, eg_str line, uint32_t column, eg_str info, eg_setting *out) {
    *out = (eg_setting){0};
    eg_str s = eg_text_trim(line);
    int shell = is_shell(info);
    size_t skip = prompt(s, shell && begins(s, "$ "));
    path->prompted |= skip > 0 || eg_word_in(info, "console shell-session");
    if (path->prompted && shell && !skip) return EG_CODE_OTHER;
    if (skip || (shell && is_command(s) && !begins(s, "export ") && !begins(s, "set "))) {
        out->words = eg_text_trim(from(s, skip));
        out->words = eg_text_trim(cut(out->words, comment_at(out->words)));
        return out->words.len ? EG_CODE_COMMAND : EG_CODE_OTHER;
    }
    if (s.len == 0 || is_bracket(s) || strchr("#;", s.ptr[0]) || begins(s, "//") || begins(s, "/*") || begins(s, "--") ||
        begins(s, "* "))
        return EG_CODE_OTHER;
    /* [section], [[section]] */
    if (s.ptr[0] == '[' && s.ptr[s.len - 1] == ']' && !memchr(s.ptr, '"', s.len)) {
        while (s.len > 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']') s = (eg_str){s.ptr + 1, s.len - 2};
        path->section = s;
        path->depth = 0;
        path->name = (eg_str){"", 0};
        return EG_CODE_OPENS;
    }
    if (begins(s, "- ")) { /* an item of a sequence of YAML */
        s = eg_text_trim(from(s, 2));
        column += 2;
    }
    s = code_of(s, out);
    out->words = s;
    size_t end = s.len;
    while (end && strchr("{[(|>&", s.ptr[end - 1])) end--;
    eg_str opening = eg_text_trim(cut(s, end));
    /* "key:", "key: {", "key = [" */
    if (end < s.len || (opening.len && opening.ptr[opening.len - 1] == ':')) {
        while (opening.len && strchr(":= ", opening.ptr[opening.len - 1])) opening.len--;
        eg_str key = name_of(unquoted(opening));
        if (is_key(key)) return open_key(path, key, column);
    }
    if (!split(s, &out->key, &out->value) || out->value.len == 0) return EG_CODE_SOURCE;
    close_to(path, column);
    if (column < path->name_column) path->name = (eg_str){"", 0};
    if (is_name(out->key) && out->value.len <= MAX_NAMED) {
        path->name = out->key;
        path->named = out->value;
        path->name_column = column;
    }
    return EG_CODE_SETTING;
}

int eg_setting_name(eg_arena *arena, const eg_setting_path *path, eg_str key, eg_str *out) {
    eg_str parts[2 * EG_SETTING_DEPTH + 8];
    size_t n = 0;
    if (path->name.len && path->name.ptr != key.ptr)
        parts[n++] = path->name, parts[n++] = EG_STR(" "), parts[n++] = path->named, parts[n++] = EG_STR(": ");
    if (path->section.len) parts[n++] = path->section, parts[n++] = EG_STR(".");
    for (size_t i = 0; i < path->depth; i++) parts[n++] = path->keys[i], parts[n++] = EG_STR(".");
    parts[n++] = key;
    return eg_text_join(arena, parts, n, out);
}
