/* help_man.c - manual pages, in the macros of man(7). See help_formats.h. */
#include <ctype.h>
#include <string.h>

#include "tools/help_formats.h"

/* Text as roff takes it: a backslash, a dash that must stay one, a quote, and a dot or quote that
 * begins a line. */
static void put_roff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else if (*text == '\'') fputs("\\(aq", out);
        else if (*text == '`') fputs("\\(ga", out);
        else if (*text == '~') fputs("\\(ti", out);
        else if (*text == '^') fputs("\\(ha", out);
        else fputc(*text, out);
    }
}

static void put_line(FILE *out, const char *text) {
    put_roff(out, text);
    fputc('\n', out);
}

/* "A phrase" as a sentence. */
static void put_sentence(FILE *out, const char *phrase) {
    fputc(toupper((unsigned char)phrase[0]), out);
    put_roff(out, phrase + 1);
    fputs(".\n", out);
}

/* A paragraph with a tag; `rest` stands behind the bold `name`. */
static void put_tag(FILE *out, const char *name, const char *rest) {
    fputs(".TP\n\\fB", out);
    put_roff(out, name);
    fputs("\\fR", out);
    if (*rest) fputs(" \\fI", out);
    put_roff(out, rest);
    fputs(*rest ? "\\fR\n" : "\n", out);
}

static void put_options(FILE *out, const option *list) {
    for (const option *o = list; o->name; o++) {
        fputs(".TP\n", out);
        if (o->short_name) fprintf(out, "\\fB\\-%c\\fR, ", o->short_name);
        fputs("\\fB\\-\\-", out);
        put_roff(out, o->name);
        fputs("\\fR", out);
        if (o->value) fprintf(out, " \\fI%s\\fR", o->value);
        fputc('\n', out);
        put_sentence(out, o->description);
        if (!o->choices) continue;
        fputs(".br\nChoices: ", out);
        put_line(out, o->choices);
    }
}

static void put_exits(FILE *out, const exit_status *list) {
    fputs(".SH \"EXIT STATUS\"\n", out);
    for (const exit_status *e = list; e->meaning; e++) {
        fprintf(out, ".TP\n.B %d\n", e->status);
        put_sentence(out, e->meaning);
    }
}

static void put_head(FILE *out, const char *title, const char *version) {
    fprintf(out, ".\\\" Printed by `engram help --format man`.\n.TH %s 1 \"\" \"Engram %s\" \"User Commands\"\n.SH NAME\n", title,
            version);
}

void print_program_man(FILE *out, const char *version) {
    put_head(out, "ENGRAM", version);
    fputs("engram \\- ", out);
    put_line(out, program_summary);
    fputs(".SH SYNOPSIS\n.B engram\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n", out);
    fputs(
        "Engram stores what coding agents and people find out about a project as facts, and reports facts that contradict each "
        "other. Agents use it over the Model Context Protocol, people with the commands below. Each command has a manual page of "
        "its own.\n",
        out);
    const char *group = "";
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        if (strcmp(c->group, group) != 0) fprintf(out, ".SS \"%s\"\n", c->group);
        group = c->group;
        fprintf(out, ".TP\n\\fBengram\\-%s\\fR(1)\n", c->name);
        put_sentence(out, c->summary);
    }
    fputs(".SH OPTIONS\nThese options are accepted by every command.\n", out);
    put_options(out, common_options);
    put_exits(out, common_exits);
    fputs(
        ".SH ENVIRONMENT\n.TP\n.B ENGRAM_HOME\nThe folder for settings, store and models.\n"
        ".TP\n.B ENGRAM_WORKSPACE\nThe workspace whose facts are used.\n"
        ".PP\nEvery setting has such a variable; \\fBengram doctor\\fR lists the settings with their values and where those come "
        "from.\n.SH FILES\n"
        ".TP\n.I ~/.config/engram/engram.conf\nThe settings of the user.\n"
        ".TP\n.I .engram.conf\nThe settings of a project, in the folder of its repository.\n"
        ".TP\n.I ~/.local/share/engram/engram.db\nThe store.\n.SH \"SEE ALSO\"\n",
        out);
    for (const command *c = next_command(NULL); c; c = next_command(c))
        fprintf(out, ".BR engram\\-%s (1)%s\n", c->name, next_command(c) ? "," : "");
}

void print_command_man(FILE *out, const command *c, const char *version) {
    char title[64];
    size_t n = 0;
    for (const char *p = c->name; *p && n + 1 < sizeof title; p++) title[n++] = (char)toupper((unsigned char)*p);
    title[n] = '\0';
    char full[80];
    snprintf(full, sizeof full, "ENGRAM\\-%s", title);
    put_head(out, full, version);
    fprintf(out, "engram\\-%s \\- ", c->name);
    put_line(out, c->summary);
    fprintf(out, ".SH SYNOPSIS\n.B engram %s\n[\\fIOPTION\\fR...] ", c->name);
    put_line(out, c->synopsis);
    fputs(".SH DESCRIPTION\n", out);
    if (!c->description) put_sentence(out, c->summary);
    for (const char *const *p = c->description; p && *p; p++) {
        if (p != c->description) fputs(".PP\n", out);
        put_line(out, *p);
    }
    if (c->arguments || c->actions) fputs(".SH ARGUMENTS\n", out);
    for (const argument *a = c->arguments; a && a->name; a++) {
        put_tag(out, a->name, "");
        put_sentence(out, a->description);
    }
    for (const action *a = c->actions; a && a->name; a++) {
        put_tag(out, a->name, a->arguments);
        put_sentence(out, a->description);
    }
    fputs(".SH OPTIONS\n", out);
    put_options(out, c->options);
    put_options(out, common_options);
    put_exits(out, c->exits ? c->exits : common_exits);
    if (c->examples) fputs(".SH EXAMPLES\n", out);
    for (const example *e = c->examples; e && e->line; e++) {
        put_tag(out, e->line, "");
        put_sentence(out, e->description);
    }
    fputs(".SH \"SEE ALSO\"\n.BR engram (1)\n", out);
}
