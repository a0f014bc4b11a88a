/* config_edit.c - one setting written into a person's engram.conf, all else left as it is. Lines
 * are understood as libinih does: a comment begins with ; or #, " ;" begins a comment behind a
 * value; as config.c does, blanks at the start of a line mean nothing. What comes out is read back
 * by the reader of all settings before it replaces the file. See config.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/host/config.h"

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static eg_str strip(eg_str s) {
    while (s.len && is_blank(s.ptr[0])) s.ptr++, s.len--;
    while (s.len && is_blank(s.ptr[s.len - 1])) s.len--;
    return s;
}

/* Where a comment behind a value begins; the end when there is none. */
static size_t comment_at(eg_str line) {
    for (size_t i = 1; i < line.len; i++)
        if (line.ptr[i] == ';' && is_blank(line.ptr[i - 1])) return i;
    return line.len;
}

/* Where the setting stands, or would stand: offsets into the text. */
typedef struct place {
    size_t value, value_end; /* of the last line that sets it; 0, 0: none */
    size_t section_end;      /* behind the last line with something in it of the setting's section;
                              * 0: no such section */
} place;

/* 1 when `name` in `section` is the setting `key`. */
static int names(eg_str section, eg_str name, const char *key) {
    size_t n = strlen(key);
    if (!section.len) return name.len == n && memcmp(name.ptr, key, n) == 0;
    return n == section.len + 1 + name.len && memcmp(key, section.ptr, section.len) == 0 && key[section.len] == '.' &&
           memcmp(key + section.len + 1, name.ptr, name.len) == 0;
}

static place find_place(eg_str text, const char *key) {
    place p = {0};
    eg_str section = {"", 0}, wanted = {key, strcspn(key, ".")};
    size_t at = text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < text.len) {
        const char *line = text.ptr + at, *end = memchr(line, '\n', text.len - at);
        eg_str whole = {line, (size_t)((end ? end : text.ptr + text.len) - line)}, bare = strip(whole);
        size_t next = at + whole.len + (end != NULL);
        if (bare.len && bare.ptr[0] != ';' && bare.ptr[0] != '#') {
            const char *equals = NULL;
            for (size_t i = 0; !equals && i < bare.len; i++)
                if (bare.ptr[i] == '=' || bare.ptr[i] == ':') equals = bare.ptr + i;
            eg_str value = {0};
            if (bare.ptr[0] == '[') {
                section = (eg_str){bare.ptr + 1, strcspn(bare.ptr + 1, "]\n")};
            } else if (equals && names(section, strip((eg_str){bare.ptr, (size_t)(equals - bare.ptr)}), key)) {
                value = (eg_str){equals + 1, (size_t)(bare.ptr + bare.len - equals - 1)};
            }
            if (value.ptr) {
                eg_str kept = {value.ptr, comment_at(value)};
                while (kept.len && is_blank(kept.ptr[0])) kept.ptr++, kept.len--;
                while (kept.len && is_blank(kept.ptr[kept.len - 1])) kept.len--;
                p.value = (size_t)(kept.ptr - text.ptr);
                p.value_end = p.value + kept.len;
            }
            if (eg_str_eq(section, wanted)) p.section_end = next;
        }
        at = next;
    }
    return p;
}

static void compose(eg_str text, const char *key, const char *value, eg_buffer *b) {
    place p = find_place(text, key);
    const char *name = strchr(key, '.');
    const char *line_end = memmem(text.ptr, text.len, "\r\n", 2) ? "\r\n" : "\n";
    if (p.value_end || p.value) {
        eg_buffer_add(b, text.ptr, p.value);
        if (p.value && text.ptr[p.value - 1] == '=') eg_buffer_text(b, " ");
        eg_buffer_text(b, value);
        if (p.value_end == p.value && p.value < text.len && text.ptr[p.value] == ';') eg_buffer_text(b, " ");
        eg_buffer_add(b, text.ptr + p.value_end, text.len - p.value_end);
        return;
    }
    size_t at = p.section_end ? p.section_end : text.len;
    eg_buffer_add(b, text.ptr, at);
    if (at && text.ptr[at - 1] != '\n') eg_buffer_text(b, line_end);
    if (!p.section_end) eg_buffer_format(b, "%s[%.*s]%s", text.len ? line_end : "", (int)(name - key), key, line_end);
    eg_buffer_format(b, "%s = %s%s", name + 1, value, line_end);
    eg_buffer_add(b, text.ptr + at, text.len - at);
}

/* What comes out must be what was meant. */
static eg_status check(eg_arena *arena, const eg_buffer *b, const char *path, const char *key, const char *value, eg_error *err) {
    eg_conf *c;
    eg_error problem = {0};
    eg_status s = eg_conf_create(arena, &c, &problem);
    if (s == EG_OK && b->len > EG_CONF_MAX_FILE)
        s = eg_fail(&problem, EG_ELIMIT, "the file would be longer than %d bytes", EG_CONF_MAX_FILE);
    if (s == EG_OK) s = eg_conf_read_text(c, (eg_str){b->ptr, b->len}, path, EG_CONF_USER, &problem);
    if (s == EG_ELIMIT)
        return eg_fail(err, s, "'%.60s' cannot be written as %s into '%.200s': %s", value, key, path, problem.text);
    if (s != EG_OK) return eg_fail(err, s, "%s", problem.text);
    const char *got = eg_conf_get(c, key);
    if (got && strcmp(got, value) == 0) return EG_OK;
    return eg_fail(err, EG_EINVAL,
                   "'%.200s' cannot be written as %s into '%s': rename it to something short without ' ;' and blanks at its ends",
                   value, key, path);
}

static eg_status write_locked(const char *path, const char *key, const char *value, eg_error *err) {
    eg_arena arena;
    eg_buffer b = {0};
    eg_str text = {"", 0};
    struct stat st;
    eg_arena_init(&arena, 0);
    int there = stat(path, &st) == 0;
    eg_status s = there ? eg_file_read(path, EG_CONF_MAX_FILE, &arena, &text, err) : EG_OK;
    if (s == EG_OK) {
        compose(text, key, value, &b);
        if (b.failed) s = eg_fail_memory(err, text.len);
    }
    if (s == EG_OK) s = check(&arena, &b, path, key, value, err);
    if (s == EG_OK && !(b.len == text.len && memcmp(b.ptr, text.ptr, b.len) == 0))
        s = eg_file_replace(path, b.ptr, b.len, there ? st.st_mode & 0777 : 0600, err);
    eg_buffer_release(&b);
    eg_arena_release(&arena);
    return s;
}

eg_status eg_conf_write(const char *path, const char *key, const char *value, eg_error *err) {
    char *real = realpath(path, NULL);
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    eg_status s = slash ? EG_OK : eg_fail(err, EG_EINVAL, "'%s' is no absolute path", path);
    if (s == EG_OK) {
        *slash = '\0';
        s = eg_folder_make(folder, 0700, err);
    }
    /* two writers at once: one after the other */
    int lock = s == EG_OK ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (s == EG_OK && (lock < 0 || flock(lock, LOCK_EX) != 0))
        s = eg_fail(err, EG_EIO, "cannot lock the folder '%s': %s", folder, strerror(errno));
    if (s == EG_OK) s = write_locked(real ? real : path, key, value, err);
    if (lock >= 0) close(lock);
    free(folder);
    free(real);
    return s;
}
