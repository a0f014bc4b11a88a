/* settings.h - keys and values in lines of code: `key = value`, KEY=value, `key: value` of YAML
 * with the keys it is nested in, sections of TOML and INI, members of JSON, exports of a shell. And
 * which lines are commands. Knows no language's grammar: a line that is not clearly one of these is
 * neither. Called by read.c. Thread class: any. */
#ifndef EG_CORE_TEXT_SETTINGS_H
#define EG_CORE_TEXT_SETTINGS_H

#include "core/base/arena.h"

enum { EG_SETTING_DEPTH = 8 /* of nested keys; what lies deeper is named by the outer ones */ };

/* The keys that are open in a block of code. Begin with {0}. */
typedef struct eg_setting_path {
    eg_str keys[EG_SETTING_DEPTH];
    uint32_t columns[EG_SETTING_DEPTH];
    size_t depth;
    eg_str section;     /* of TOML or INI */
    eg_str name, named; /* the latest setting that names what the ones behind it are of ("consumer:
                         * ingest"); empty: none */
    uint32_t name_column;
    int prompted; /* commands have a prompt: what has none is what they print */
} eg_setting_path;

typedef enum eg_code_line {
    EG_CODE_OTHER = 0, /* comment, bracket */
    EG_CODE_SOURCE,    /* anything else: source, log */
    EG_CODE_OPENS,     /* a section, or a key under which others follow: kept in the path */
    EG_CODE_SETTING,
    EG_CODE_COMMAND
} eg_code_line;

typedef struct eg_setting {
    eg_str key, value; /* views of the line; of a command only `words` */
    eg_str words;      /* the line without the comment behind it, a prompt, and a comma or semicolon
                        * at its end */
    eg_str comment;    /* text of the comment behind it; empty: none */
} eg_setting;

/* What a line at this column says. info: what stands behind the opening fence. */
eg_code_line eg_setting_read(eg_setting_path *path, eg_str line, uint32_t column, eg_str info, eg_setting *out);

/* The key with the open ones before it, and the name before them: "consumer ingest: retry.max". 0:
 * out of memory. */
int eg_setting_name(eg_arena *arena, const eg_setting_path *path, eg_str key, eg_str *out);

#endif
