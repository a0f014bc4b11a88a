/* help_shells.c - completion for bash, zsh and fish. See help_formats.h. Where an argument is a
 * text, such as a fact, nothing is offered. */
#include <string.h>

#include "tools/help_formats.h"

/* Text in the single quotes of a POSIX shell. */
static void put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", out);
        else fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_names(FILE *out) {
    const command *first = next_command(NULL);
    for (const command *c = first; c; c = next_command(c)) fprintf(out, "%s%s", c == first ? "" : " ", c->name);
}

static void put_actions(FILE *out, const command *c) {
    for (const action *a = c->actions; a->name; a++) fprintf(out, "%s%s", a == c->actions ? "" : " ", a->name);
}

/* What a shell offers for the arguments of a command that has no actions. */
static completion argument_completion(const command *c) { return c->arguments ? c->arguments->complete : COMPLETE_NOTHING; }

/* ---- bash ---- */

/* One branch an option with a value; `prefix`: what stands before the option in the pattern. */
static void put_bash_values(FILE *out, const char *prefix, const option *list) {
    for (const option *o = list; o->name; o++) {
        if (!o->value) continue;
        fprintf(out, "    %s --%s'", prefix, o->name);
        if (o->short_name) fprintf(out, " | %s -%c'", prefix, o->short_name);
        fputc(')', out);
        if (o->choices) fprintf(out, " words='%s'", o->choices);
        else if (o->complete == COMPLETE_FOLDERS) fputs(" kind=directory", out);
        else if (o->complete == COMPLETE_FILES) fputs(" kind=file", out);
        fputs(" ;;\n", out);
    }
}

static void put_bash_options(FILE *out, const option *list) {
    for (const option *o = list; o->name; o++) {
        if (o->short_name) fprintf(out, " -%c", o->short_name);
        fprintf(out, " --%s", o->name);
    }
}

static void put_bash_arguments(FILE *out, const command *c) {
    if (!c->actions && argument_completion(c) == COMPLETE_NOTHING) return;
    fprintf(out, "            %s)", c->name);
    if (c->actions) {
        fputs(" if ((COMP_CWORD == 2)); then words='", out);
        put_actions(out, c);
        fputs("'; else kind=file; fi", out);
    } else if (argument_completion(c) == COMPLETE_COMMANDS) {
        fputs(" words='", out);
        put_names(out);
        fputs("'", out);
    } else {
        fputs(" kind=file", out);
    }
    fputs(" ;;\n", out);
}

void print_bash_completion(FILE *out) {
    fputs("# Completion of engram for bash. Printed by `engram help --format bash`.\n"
          "_engram() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words= kind=\n"
          "    COMPREPLY=()\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    put_names(out);
    fputs(" --help --version' -- \"$current\"))\n"
          "        return\n"
          "    fi\n"
          "    # bash sees --name=value as three words\n"
          "    if [[ $current == = ]]; then current=\n"
          "    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]} $previous\" in\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "'%s", c->name);
        put_bash_values(out, prefix, c->options);
    }
    put_bash_values(out, "*'", common_options);
    fputs("    *)\n"
          "        if [[ $current == -* ]]; then\n"
          "            case ${COMP_WORDS[1]} in\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        fprintf(out, "            %s) words='", c->name);
        put_bash_options(out, c->options);
        put_bash_options(out, common_options);
        fputs("' ;;\n", out);
    }
    fputs("            esac\n"
          "        else\n"
          "            case ${COMP_WORDS[1]} in\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) put_bash_arguments(out, c);
    fputs("            esac\n"
          "        fi\n"
          "        ;;\n"
          "    esac\n"
          "    if [[ -n $kind ]]; then\n"
          "        compopt -o filenames 2>/dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -A \"$kind\" -- \"$current\")\n"
          "    elif [[ -n $words ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _engram engram\n",
          out);
}

/* ---- zsh ---- */

/* A description within [ ] of an option of _arguments, in single quotes. */
static void put_zsh_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (strchr("[]:\\", *text)) fputc('\\', out);
        if (*text == '\'') fputs("'\\''", out);
        else fputc(*text, out);
    }
}

static void put_zsh_options(FILE *out, const option *list) {
    for (const option *o = list; o->name; o++) {
        const char *equals = o->value ? "=" : "";
        fputs("      ", out);
        if (o->short_name) fprintf(out, "'(-%c --%s)'{-%c,--%s%s}'[", o->short_name, o->name, o->short_name, o->name, equals);
        else fprintf(out, "'--%s%s[", o->name, equals);
        put_zsh_text(out, o->description);
        fputc(']', out);
        if (o->value) fprintf(out, ":%s:", o->value);
        if (o->choices) fprintf(out, "(%s)", o->choices);
        else if (o->complete == COMPLETE_FOLDERS) fputs("_files -/", out);
        else if (o->complete == COMPLETE_FILES) fputs("_files", out);
        else if (o->value) fputc(' ', out);
        fputs("' \\\n", out);
    }
}

void print_zsh_completion(FILE *out) {
    fputs("#compdef engram\n"
          "# Completion of engram for zsh. Printed by `engram help --format zsh`.\n"
          "_engram() {\n"
          "  local -a commands\n"
          "  commands=(\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        char row[200];
        snprintf(row, sizeof row, "%s:%s", c->name, c->summary);
        fputs("    ", out);
        put_quoted(out, row);
        fputc('\n', out);
    }
    fputs("  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe -t commands command commands\n"
          "    return\n"
          "  fi\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $words[1] in\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        fprintf(out, "  %s)\n    _arguments \\\n", c->name);
        put_zsh_options(out, c->options);
        put_zsh_options(out, common_options);
        if (c->actions) {
            fputs("      '1:action:(", out);
            put_actions(out, c);
            fputs(")' '*:argument:_files'\n", out);
        } else if (argument_completion(c) == COMPLETE_FILES) {
            fputs("      '*:file:_files'\n", out);
        } else if (argument_completion(c) == COMPLETE_COMMANDS) {
            fputs("      '1:command:(", out);
            put_names(out);
            fputs(")'\n", out);
        } else {
            fputs("      '*: :'\n", out);
        }
        fputs("    ;;\n", out);
    }
    fputs("  esac\n"
          "}\n"
          "_engram \"$@\"\n",
          out);
}

/* ---- fish ---- */

/* Text in the single quotes of fish. */
static void put_fish_text(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static void put_fish_options(FILE *out, const char *command_name, const option *list) {
    for (const option *o = list; o->name; o++) {
        fputs("complete -c engram", out);
        if (command_name) fprintf(out, " -n '__fish_seen_subcommand_from %s'", command_name);
        if (o->short_name) fprintf(out, " -s %c", o->short_name);
        fprintf(out, " -l %s -d ", o->name);
        put_fish_text(out, o->description);
        if (o->choices) fprintf(out, " -x -a '%s'", o->choices);
        else if (o->complete == COMPLETE_FOLDERS) fputs(" -x -a '(__fish_complete_directories)'", out);
        else if (o->complete == COMPLETE_FILES) fputs(" -r -F", out);
        else if (o->value) fputs(" -x", out);
        fputc('\n', out);
    }
}

void print_fish_completion(FILE *out) {
    fputs("# Completion of engram for fish. Printed by `engram help --format fish`.\n"
          "complete -c engram -f\n",
          out);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        fprintf(out, "complete -c engram -n __fish_use_subcommand -a %s -d ", c->name);
        put_fish_text(out, c->summary);
        fputc('\n', out);
    }
    put_fish_options(out, NULL, common_options);
    for (const command *c = next_command(NULL); c; c = next_command(c)) {
        put_fish_options(out, c->name, c->options);
        for (const action *a = c->actions; a && a->name; a++) {
            fprintf(out, "complete -c engram -n '__fish_seen_subcommand_from %s' -a %s -d ", c->name, a->name);
            put_fish_text(out, a->description);
            fputc('\n', out);
        }
        if (argument_completion(c) == COMPLETE_FILES || c->actions)
            fprintf(out, "complete -c engram -n '__fish_seen_subcommand_from %s' -F\n", c->name);
        if (argument_completion(c) != COMPLETE_COMMANDS) continue;
        fprintf(out, "complete -c engram -n '__fish_seen_subcommand_from %s' -a '", c->name);
        put_names(out);
        fputs("'\n", out);
    }
}
