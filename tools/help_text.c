/* help_text.c - the overview and the help of commands for a terminal. See help_formats.h. */
#include <ctype.h>
#include <string.h>

#include "tools/help_formats.h"

enum { COLUMNS = 80, MAX_LEFT = 24 };

/* Prints text in lines of at most COLUMNS, all but the first indented; column: where the first one
 * begins. */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent) {
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > indent && column + 1 + n > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)n, text);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* "  left    right", right in lines of its own column. */
static void print_row(FILE *out, const char *left, const char *right, size_t width) {
    size_t n = strlen(left), indent = width + 4;
    fprintf(out, "  %-*s", (int)width, left);
    if (n > width) fprintf(out, "\n%*s", (int)width + 2, "");
    fputs("  ", out);
    print_wrapped(out, right, indent, indent);
}

static void print_options(FILE *out, const option *list) {
    for (const option *o = list; o->name; o++) {
        char left[64], shorter[8] = "";
        if (o->short_name) snprintf(shorter, sizeof shorter, "-%c, ", o->short_name);
        snprintf(left, sizeof left, "%s--%s%s%s", shorter, o->name, o->value ? " " : "", o->value ? o->value : "");
        print_row(out, left, o->description, MAX_LEFT);
        if (!o->choices) continue;
        fprintf(out, "%*s", MAX_LEFT + 4, "");
        print_wrapped(out, o->choices, MAX_LEFT + 4, MAX_LEFT + 4);
    }
}

static void print_actions(FILE *out, const action *list) {
    for (const action *a = list; a->name; a++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", a->name, *a->arguments ? " " : "", a->arguments);
        print_row(out, left, a->description, MAX_LEFT);
    }
}

void print_command_help(FILE *out, const command *c) {
    fprintf(out, "usage: engram %s [OPTION...]%s%s\n\n%c%s.\n", c->name, *c->synopsis ? " " : "", c->synopsis,
            toupper((unsigned char)c->summary[0]), c->summary + 1);
    for (const char *const *p = c->description; p && *p; p++) {
        fputc('\n', out);
        print_wrapped(out, *p, 0, 0);
    }
    if (c->arguments) fputs("\nArguments:\n", out);
    for (const argument *a = c->arguments; a && a->name; a++) print_row(out, a->name, a->description, MAX_LEFT);
    if (c->actions) fputs("\nArguments:\n", out);
    if (c->actions) print_actions(out, c->actions);
    fputs("\nOptions:\n", out);
    print_options(out, c->options);
    print_options(out, common_options);
    fputs("\nExit status:\n", out);
    for (const exit_status *e = c->exits ? c->exits : common_exits; e->meaning; e++) {
        char left[8];
        snprintf(left, sizeof left, "%d", e->status);
        print_row(out, left, e->meaning, 4);
    }
    if (c->examples) fputs("\nExamples:\n", out);
    for (const example *e = c->examples; e && e->line; e++) fprintf(out, "  %s\n      %s\n", e->line, e->description);
}

void print_overview(FILE *out) {
    fprintf(out, "usage: engram COMMAND [OPTION...] [ARGUMENT...]\n\nEngram is %s.\n", program_summary);
    const char *group = "";
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        if (strcmp(c->group, group) != 0) fprintf(out, "\n%s:\n", c->group);
        group = c->group;
        print_row(out, c->name, c->summary, 10);
    }
    fputs("\n`engram help COMMAND` explains a command and its options.\n", out);
}

void print_command_names(FILE *out) {
    for (const command *c = next_command(NULL); c; c = next_command(c)) fprintf(out, "%s\n", c->name);
}
