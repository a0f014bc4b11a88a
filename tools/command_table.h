/* command_table.h - the commands of `engram`: their names, arguments, options, exit statuses and
 * examples. One table serves the parser (engram.c) and everything that is printed from it
 * (help_formats.h): --help, manual pages, shell completion. An option that stands here is accepted
 * and documented; one that does not is neither. Each family of commands has its own table
 * (tools/commands/). */
#ifndef EG_TOOLS_COMMAND_TABLE_H
#define EG_TOOLS_COMMAND_TABLE_H

#include <stddef.h>

enum { MAX_OPTIONS = 24 }; /* of a command, without the common ones */

typedef enum completion { COMPLETE_NOTHING = 0, COMPLETE_FILES, COMPLETE_FOLDERS, COMPLETE_COMMANDS } completion;

/* How a memory command hands an option to its tool. */
typedef enum json_kind { JSON_TEXT = 0, JSON_NUMBER, JSON_FLAG } json_kind;

typedef struct option {
    const char *name;        /* without the dashes; NULL ends a list */
    const char *value;       /* the word for its value in the help, such as "DIR"; NULL: a flag */
    const char *choices;     /* the values that are accepted, separated by spaces; NULL: any */
    const char *description; /* one phrase, no full stop */
    completion complete;     /* what a shell offers as the value, where there are no choices */
    char short_name;         /* '\0': none */
    json_kind kind;          /* of the argument */
    const char *argument;    /* memory commands: the argument of the tool that it sets; or NULL */
    int repeats;             /* it may be given several times: all values count (call_options), not
                              * the last one */
} option;

/* A positional argument. */
typedef struct argument {
    const char *name; /* as in the synopsis; NULL ends a list */
    const char *description;
    completion complete;
} argument;

/* A first argument that chooses what a command does, such as "pull" of `engram models`. */
typedef struct action {
    const char *name;      /* NULL ends a list */
    const char *arguments; /* what may follow it; "" for nothing */
    const char *description;
} action;

typedef struct exit_status {
    int status;
    const char *meaning; /* NULL ends a list */
} exit_status;

typedef struct example {
    const char *line; /* a command line; NULL ends a list */
    const char *description;
} example;

struct call;
typedef struct command {
    const char *name;               /* NULL ends a table */
    const char *group;              /* the heading under which the overview shows it */
    const char *synopsis;           /* its arguments; "" for none */
    const char *summary;            /* a phrase: a lower-case verb first, no full stop */
    const char *const *description; /* paragraphs, NULL at the end; NULL: none */
    const argument *arguments;      /* NULL: none, as in all lists below */
    const action *actions;
    const option *options;
    const exit_status *exits; /* where they differ from those of all commands */
    const example *examples;
    int (*run)(const struct call *c);
    const char *tool;       /* the tool that a memory command calls; NULL for other commands */
    const char *positional; /* the argument of that tool that the positional words make up; NULL:
                             * none */
} command;

/* The commands in the order of the overview: the first for NULL, the one behind `after`; NULL at
 * the end. */
const command *next_command(const command *after);
extern const option common_options[];    /* of every command */
extern const exit_status common_exits[]; /* of commands without exits of their own */
extern const char program_summary[];

/* The names of the common options, as indexes of common_options. */
enum { COMMON_JSON = 0, COMMON_WORKSPACE, COMMON_HOME, COMMON_VERBOSE, COMMON_HELP, COMMON_OPTIONS };

#endif
