/* report_text.c - the findings for people. Text of files and of the store is made safe for a
 * terminal. */
#include <stdlib.h>
#include <string.h>

#include "tools/check/report.h"
#include "tools/cli.h"

static void print_between(const char *before, eg_str s, const char *after) {
    fputs(before, stdout);
    print_shown(s);
    fputs(after, stdout);
}

static void print_place(const report_side *s) {
    print_between(s->file.len ? "  - " : "  stored: ", s->file.len ? s->file : s->scope, "");
    if (s->line) printf(":%u", s->line);
    print_between("\n      ", s->content, "\n");
}

static void print_left_out(FILE *to, size_t n, const char *why) {
    if (n) fprintf(to, ", %zu %s", n, why);
}

static void print_summary(const report *r, FILE *to) {
    fprintf(to, "%zu statement%s in %zu file%s: %zu contradiction%s", r->statements->count, r->statements->count == 1 ? "" : "s",
            r->files, r->files == 1 ? "" : "s", r->count, r->count == 1 ? "" : "s");
    print_left_out(to, r->accepted, "in the baseline");
    print_left_out(to, r->suppressed, "suppressed");
    print_left_out(to, r->minor, "below the limits");
    putc('\n', to);
}

void print_report_text(const report *r, int loud) {
    static const char *const severities[] = EG_SEVERITY_WORDS;
    for (size_t i = 0; i < r->count; i++) {
        const eg_check_finding *f = r->findings[i];
        report_side earlier = side_of(r, f, 0), later = side_of(r, f, 1);
        printf("contradiction %zu  %s  %.*s %.2f\n", i + 1, severities[f->severity], (int)f->tier.len, f->tier.ptr, f->score);
        print_place(&earlier);
        print_place(&later);
        print_between("  why: ", f->explanation, "\n\n");
    }
    /* without findings nothing is printed, except on a terminal */
    if (r->count) print_summary(r, stdout);
    else if (loud) print_summary(r, stderr);
}
