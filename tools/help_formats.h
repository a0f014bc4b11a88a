/* help_formats.h - what is printed from the table of commands (command_table.h): the overview, the
 * help of a command, manual pages, completion for shells. Writes to a stream and knows nothing else
 * of the program. */
#ifndef EG_TOOLS_HELP_FORMATS_H
#define EG_TOOLS_HELP_FORMATS_H

#include <stdio.h>

#include "tools/command_table.h"

/* `engram --help`: all commands by group. */
void print_overview(FILE *out);
/* `engram COMMAND --help`, lines of at most 80 columns. */
void print_command_help(FILE *out, const command *c);
/* One command name a line. */
void print_command_names(FILE *out);

/* A page for man(1) in its macros: engram(1), or engram-COMMAND(1). */
void print_program_man(FILE *out, const char *version);
void print_command_man(FILE *out, const command *c, const char *version);

/* Completion scripts, to be installed as engram, _engram and engram.fish in the folders of the
 * shells. */
void print_bash_completion(FILE *out);
void print_zsh_completion(FILE *out);
void print_fish_completion(FILE *out);

#endif
