/* change.c - see change.h. */
#include "tools/install/change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "tools/cli.h"

enum { MAX_CONFIG = 64 << 20, MAX_SHOWN = 160 };

int change_read(edited_file *f, const char *name, eg_arena *a) {
    eg_error err = {0};
    *f = (edited_file){.name = name, .path = eg_arena_copy(a, eg_str_of(name))};
    if (!f->path) return complain("out of memory");
    if (!eg_file_exists(name)) return 0;
    char *real = realpath(name, NULL);
    if (!real) return complain("cannot follow '%s': %s", name, strerror(errno));
    f->path = eg_arena_copy(a, eg_str_of(real));
    free(real);
    if (!f->path) return complain("out of memory");
    if (stat(f->path, &f->before) != 0) return complain("cannot look at '%s': %s", name, strerror(errno));
    if (eg_file_read(f->path, MAX_CONFIG, a, &f->text, &err) != EG_OK) return complain("%s", err.text);
    if (!f->text.ptr) f->text.ptr = "";
    return 0;
}

/* 0 where the file is as it was read, else EXIT_ERROR after complaining. */
static int still_same(const edited_file *f) {
    struct stat now;
    int there = stat(f->path, &now) == 0;
    if (!there && !f->text.ptr) return 0;
    if (there && f->text.ptr && now.st_ino == f->before.st_ino && now.st_size == f->before.st_size &&
        now.st_mtim.tv_sec == f->before.st_mtim.tv_sec && now.st_mtim.tv_nsec == f->before.st_mtim.tv_nsec)
        return 0;
    return complain("'%s' was changed by another program in the meantime and is left as it is: try again", f->name);
}

int change_write(const edited_file *f, const eg_buffer *text, unsigned mode) {
    eg_error err = {0};
    if (text->failed) return complain("out of memory");
    char *folder = strdup(f->path), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!folder) return complain("out of memory");
    if (slash) slash[slash == folder] = '\0';
    eg_status s = f->text.ptr || !slash ? EG_OK : eg_folder_make(folder, 0700, &err);
    free(folder);
    if (s != EG_OK) return complain("%s", err.text);
    if (still_same(f)) return EXIT_ERROR;
    if (f->text.ptr) mode = f->before.st_mode & 07777;
    return eg_file_replace(f->path, text->len ? text->ptr : "", text->len, mode, &err) == EG_OK ? 0 : complain("%s", err.text);
}

int change_delete(const edited_file *f) {
    if (still_same(f)) return EXIT_ERROR;
    return unlink(f->path) == 0 ? 0 : complain("cannot delete '%s': %s", f->name, strerror(errno));
}

/* ---- showing ---- */

/* The lines of t from `from` to `to`, each behind the sign. A long line is cut around `at`. */
static void show_lines(eg_str t, size_t from, size_t to, size_t at, char sign) {
    while (from < to) {
        const char *end = memchr(t.ptr + from, '\n', to - from);
        size_t stop = end ? (size_t)(end - t.ptr) : to, begin = from, shown = stop;
        if (stop > begin && t.ptr[stop - 1] == '\r') shown--;
        if (shown - begin > MAX_SHOWN && at > begin + MAX_SHOWN / 4 && at < shown) begin = at - MAX_SHOWN / 4;
        int cut = shown - begin > MAX_SHOWN;
        if (cut) shown = begin + MAX_SHOWN;
        printf("%c%s", sign, begin > from ? "..." : "");
        print_shown((eg_str){t.ptr + begin, shown - begin});
        puts(cut ? "..." : "");
        from = stop + (end != NULL);
    }
}

static size_t line_start(eg_str t, size_t at) {
    while (at > 0 && t.ptr[at - 1] != '\n') at--;
    return at;
}

static int begins_line(eg_str t, size_t at) { return at == 0 || t.ptr[at - 1] == '\n'; }

static size_t line_end(eg_str t, size_t at) {
    const char *end = at < t.len ? memchr(t.ptr + at, '\n', t.len - at) : NULL;
    return end ? (size_t)(end - t.ptr) + 1 : t.len;
}

void change_show(const edited_file *f, eg_str text) {
    eg_str old = f->text;
    size_t same = 0, behind = 0, line = 1;
    if (!old.ptr) old = EG_STR("");
    while (same < old.len && same < text.len && old.ptr[same] == text.ptr[same]) same++;
    size_t start = line_start(old, same);
    while (behind < old.len - start && behind < text.len - start &&
           old.ptr[old.len - behind - 1] == text.ptr[text.len - behind - 1])
        behind++;
    if (start > same) start = same;
    size_t old_end = old.len - behind, end = text.len - behind;
    if (!begins_line(old, old_end) || !begins_line(text, end)) {
        old_end = line_end(old, old_end);
        end = text.len - (old.len - old_end);
    }
    for (size_t i = 0; i < start; i++) line += old.ptr[i] == '\n';
    printf("--- %s\n+++ %s\n@@ line %zu @@\n", f->name, f->name, line);
    show_lines(old, start, old_end, same, '-');
    show_lines(text, start, end, same, '+');
}
