/* report_github.c - the findings as workflow commands of GitHub Actions, which shows them at the
 * lines of a pull request. Source of the syntax and of what is escaped: actions/toolkit,
 * packages/core/src/command.ts. */
#include <stdlib.h>
#include <string.h>

#include "core/base/hidden.h"
#include "tools/check/paths.h"
#include "tools/check/report.h"

/* Hidden characters are shown; what would end a command or, in a property, the property is written
 * as %XX. */
static void print_escaped(eg_str s, const char *escaped) {
    eg_buffer b = {0};
    eg_hidden_show(&b, s, EG_HIDDEN_TEXT);
    for (size_t i = 0; i < b.len; i++) {
        unsigned char c = (unsigned char)b.ptr[i];
        if (c && strchr(escaped, c)) printf("%%%02X", c);
        else putchar(c);
    }
    eg_buffer_release(&b);
}

static void print_data(eg_str s) { print_escaped(s, "%\r\n"); }
static void print_property(eg_str s) { print_escaped(s, "%\r\n:,"); }

/* The path from the top of the workspace, where the job says what that is. */
static char *shown_path(eg_str file) {
    const char *top = getenv("GITHUB_WORKSPACE");
    char *real = top && top[0] ? realpath(top, NULL) : NULL, *path = strndup(file.ptr, file.len);
    if (real && path) {
        char *from = path_from(real, path);
        free(path);
        path = from;
    }
    free(real);
    return path;
}

static void print_path(eg_str file, void (*print)(eg_str)) {
    char *path = shown_path(file);
    if (path) print(eg_str_of(path));
    free(path);
}

static void print_finding(const report *r, const eg_check_finding *f) {
    static const char *const commands[] = {"notice", "warning", "error"}; /* low, medium, high */
    int later = is_at_later(r, f);
    report_side other = side_of(r, f, !later), here = side_of(r, f, later);
    printf("::%s file=", commands[f->severity]);
    print_path(here.file, print_property);
    printf(",line=%u,endLine=%u,title=Contradiction (%.*s %.2f)::", here.line, here.last_line, (int)f->tier.len, f->tier.ptr,
           f->score);
    print_data(f->explanation);
    fputs("%0AAgainst ", stdout);
    if (other.file.len) {
        print_path(other.file, print_data);
        printf(":%u: ", other.line);
    } else {
        fputs("a stored fact of ", stdout);
        print_data(other.scope);
        fputs(": ", stdout);
    }
    print_data(other.content);
    putchar('\n');
}

void print_report_github(const report *r) {
    for (size_t i = 0; i < r->count; i++) print_finding(r, r->findings[i]);
}
