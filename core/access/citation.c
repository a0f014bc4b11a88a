/* citation.c - see citation.h. Blanks at both ends of a line do not count: an indented line says
 * what it said. */
#include "core/access/citation.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES "lines-sha256:"
#define WHOLE "sha256:"

enum {
    HASH = crypto_hash_sha256_BYTES,
    HEX = 2 * HASH,
    MOST_HASHED = 8 << 20, /* bytes */
    MOST_MOVED = 5000      /* lines */
};

/* ---- the evidence ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int ends_word(char c) { return strchr(" \t\r\n,;()[]{}<>\"'`|", c) != NULL; }

/* Digits at *i; 0: there are none, or too many. */
static uint32_t read_line_number(eg_str word, size_t *i) {
    uint32_t n = 0;
    size_t from = *i;
    while (*i < word.len && is_digit(word.ptr[*i]) && *i - from < 7) n = n * 10 + (uint32_t)(word.ptr[(*i)++] - '0');
    return *i < word.len && is_digit(word.ptr[*i]) ? 0 : n;
}

/* A relative path with a '.' or '/' in it, and a letter: no address such as 10.0.0.1, no host. */
static int is_path(eg_str p) {
    int mark = 0, letter = 0, dots = 0;
    if (!p.len || p.len > 1000) return 0;
    for (size_t i = 0; i < p.len; i++) {
        unsigned char c = (unsigned char)p.ptr[i];
        mark |= c == '.' || c == '/';
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        if (c < 0x20 || c == ':' || c == '\\') return 0;
        if (c == '/' && (i + 1 == p.len || p.ptr[i + 1] == '/')) return 0;
    }
    for (size_t i = 0; i < p.len; i++) { /* no segment ".." */
        int begins = i == 0 || p.ptr[i - 1] == '/';
        dots |= begins && p.len - i >= 2 && p.ptr[i] == '.' && p.ptr[i + 1] == '.' && (p.len - i == 2 || p.ptr[i + 2] == '/');
    }
    return mark && letter && !dots;
}

static int parse_word(eg_str word, eg_citation *out) {
    size_t at = 0;
    while (at < word.len && word.ptr[at] != ':' && word.ptr[at] != '#') at++;
    eg_str path = {word.ptr, at};
    if (at + 1 >= word.len || !is_path(path)) return 0;
    if (word.ptr[at++] == '#' && word.ptr[at++] != 'L') return 0;
    uint32_t first = read_line_number(word, &at), last = first;
    if (!first) return 0;
    if (at + 1 < word.len && word.ptr[at] == '-') {
        at += 1 + (size_t)(word.ptr[at + 1] == 'L');
        last = read_line_number(word, &at);
    }
    if (last < first || last - first >= EG_CITED_LINES) return 0;
    /* behind it a column or a full stop */
    if (at < word.len && word.ptr[at] != ':' && word.ptr[at] != '.') return 0;
    *out = (eg_citation){.state = EG_CITED_UNKNOWN, .path = path, .first = first, .last = last};
    return 1;
}

int eg_citation_parse(eg_str evidence, eg_citation *out) {
    *out = (eg_citation){.state = EG_CITED_NOTHING};
    for (size_t i = 0; i < evidence.len;) {
        size_t end = i;
        while (end < evidence.len && !ends_word(evidence.ptr[end])) end++;
        if (parse_word((eg_str){evidence.ptr + i, end - i}, out)) return 1;
        i = end + 1;
    }
    return 0;
}

/* ---- the file ---- */

/* Opens a path below root, segment by segment, through no link. -1 with errno. */
static int open_below(const char *root, eg_str path) {
    int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; folder >= 0;) {
        char name[256];
        size_t end = i;
        while (end < path.len && path.ptr[end] != '/') end++;
        if (end == i || end - i >= sizeof name) {
            close(folder);
            return errno = EINVAL, -1;
        }
        memcpy(name, path.ptr + i, end - i);
        name[end - i] = '\0';
        int last = end == path.len;
        int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
        int next = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC), why = errno;
        close(folder);
        if (next < 0) errno = why;
        if (next < 0 || last) return next;
        folder = next;
        i = end + 1;
    }
    return -1;
}

static char *read_file(int fd, size_t *budget, size_t *size) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > EG_CITED_FILE || (size_t)st.st_size > *budget) return NULL;
    size_t n = 0, all = (size_t)st.st_size;
    char *bytes = malloc(all + 1);
    while (bytes && n < all) {
        ssize_t more = read(fd, bytes + n, all - n);
        if (more <= 0) break;
        n += (size_t)more;
    }
    *budget -= n;
    *size = n;
    return bytes;
}

static eg_str trimmed(eg_str s) {
    while (s.len && strchr(" \t\r", s.ptr[0])) s.ptr++, s.len--;
    while (s.len && strchr(" \t\r", s.ptr[s.len - 1])) s.len--;
    return s;
}

/* Puts the lines, trimmed, behind each other; *count: how many. NULL: no memory. */
static eg_str *lines_of(const char *bytes, size_t size, size_t *count) {
    size_t n = 1, at = 0;
    for (size_t i = 0; i < size; i++) n += bytes[i] == '\n';
    eg_str *lines = calloc(n, sizeof *lines);
    for (size_t from = 0; lines && from < size; at++) {
        const char *end = memchr(bytes + from, '\n', size - from);
        size_t stop = end ? (size_t)(end - bytes) : size;
        lines[at] = trimmed((eg_str){bytes + from, stop - from});
        from = stop + 1;
    }
    *count = at;
    return lines;
}

static void hash_lines(const eg_str *lines, size_t n, char out[EG_CITED_HASH]) {
    uint8_t hash[HASH];
    char hex[HEX + 1];
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < n; i++) {
        crypto_hash_sha256_update(&state, (const unsigned char *)(lines[i].len ? lines[i].ptr : ""), lines[i].len);
        crypto_hash_sha256_update(&state, (const unsigned char *)"\n", 1);
    }
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(hex, sizeof hex, hash, HASH);
    snprintf(out, EG_CITED_HASH, LINES "%s", hex);
}

static int begins_with(eg_str s, const char *with) { return s.len >= strlen(with) && memcmp(s.ptr, with, strlen(with)) == 0; }

/* Where the lines stand that had this hash, near the line `first`; 0: nowhere. */
static uint32_t find_lines(const eg_str *lines, size_t count, size_t first, size_t n, size_t size, eg_str known) {
    char hash[EG_CITED_HASH];
    if (n > count || size * n > MOST_HASHED) return 0;
    for (size_t i = first > MOST_MOVED ? first - MOST_MOVED : 0; i + n <= count && i < first + MOST_MOVED; i++) {
        hash_lines(lines + i, n, hash);
        if (eg_str_eq(known, eg_str_of(hash))) return (uint32_t)i + 1;
    }
    return 0;
}

/* 1: known is a hash of the whole file; *same: of this one. */
static int is_whole_hash(eg_str known, const char *bytes, size_t size, int *same) {
    uint8_t hash[HASH];
    char hex[HEX + 1];
    if (begins_with(known, WHOLE)) known.ptr += sizeof WHOLE - 1, known.len -= sizeof WHOLE - 1;
    if (known.len != HEX) return 0;
    for (size_t i = 0; i < HEX; i++)
        if (!isxdigit((unsigned char)known.ptr[i])) return 0;
    crypto_hash_sha256(hash, (const unsigned char *)bytes, size);
    sodium_bin2hex(hex, sizeof hex, hash, HASH);
    *same = strncasecmp(known.ptr, hex, HEX) == 0;
    return 1;
}

static void compare(eg_citation *c, const char *bytes, size_t size, eg_str known) {
    size_t count, n = c->last - c->first + 1;
    int same = 0, own = begins_with(known, LINES);
    eg_str *lines = lines_of(bytes, size, &count);
    if (!lines) return;
    if (c->last <= count) hash_lines(lines + c->first - 1, n, c->hash);
    if (own && c->hash[0] && eg_str_eq(known, eg_str_of(c->hash))) {
        c->state = EG_CITED_FITS;
    } else if (own) {
        c->found = find_lines(lines, count, c->first, n, size, known);
        c->state = c->found ? EG_CITED_MOVED : EG_CITED_CHANGED;
    } else if (is_whole_hash(known, bytes, size, &same)) {
        c->state = same ? EG_CITED_FITS : EG_CITED_CHANGED;
    } else if (c->last > count) {
        c->state = EG_CITED_CHANGED;
    }
    free(lines);
}

/* 1: the first segment of the path is a folder here, so the path is of this repository. */
static int has_first_folder(const char *root, eg_str path) {
    const char *slash = memchr(path.ptr, '/', path.len);
    if (!slash) return 0;
    int folder = open_below(root, (eg_str){path.ptr, (size_t)(slash - path.ptr)});
    struct stat st;
    int there = folder >= 0 && fstat(folder, &st) == 0 && S_ISDIR(st.st_mode);
    if (folder >= 0) close(folder);
    return there;
}

void eg_citation_look(const char *root, int sure, eg_str known, size_t *budget, eg_citation *c) {
    size_t n = strlen(root), size = 0;
    if (c->path.len > n + 1 && memcmp(c->path.ptr, root, n) == 0 && c->path.ptr[n] == '/') {
        c->path.ptr += n + 1;
        c->path.len -= n + 1;
    }
    if (c->path.len > 2 && memcmp(c->path.ptr, "./", 2) == 0) c->path.ptr += 2, c->path.len -= 2;
    if (c->path.ptr[0] == '/') return;
    int fd = open_below(root, c->path);
    if (fd < 0) {
        int missing = errno == ENOENT || errno == ENOTDIR;
        if (missing && sure && (begins_with(known, LINES) || has_first_folder(root, c->path))) c->state = EG_CITED_GONE;
        return;
    }
    char *bytes = read_file(fd, budget, &size);
    close(fd);
    if (bytes) compare(c, bytes, size, known);
    free(bytes);
}
