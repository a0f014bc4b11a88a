/* config_edit.h - enters a server into the configuration file of a client and takes it away again.
 * A file is a text of which only the bytes of the entry change: comments, indentation, line ends
 * and all other members stay as they are. What put() adds, take() removes to the byte.
 *
 * The formats are JSON with comments and trailing commas (jsonc.c, and jsonc_hook.c for hooks), and
 * TOML (toml.c). None is a parser of values: they check that the text is well formed, and find
 * positions. Nesting is bounded, and nothing recurses. Thread class: any. */
#ifndef EG_TOOLS_INSTALL_CONFIG_EDIT_H
#define EG_TOOLS_INSTALL_CONFIG_EDIT_H

#include "core/base/json.h"
#include "core/include/engram/status.h"

enum { CONFIG_MAX_DEPTH = 512 };

/* A member of the entry. */
typedef struct config_field {
    const char *key;
    const char *value; /* as JSON: a string, an array of strings or true; these are TOML as well */
} config_field;

/* The entry: table.name, such as mcpServers.engram. */
typedef struct config_entry {
    const char *table, *name;
    /* JSON: where the table has an object of this name, the entry stands there, as in the newer of
     * two forms of a file. NULL: there is one form. */
    const char *inner;
    const config_field *fields;
    size_t field_count;
    /* Members of a server of another kind, such as its URL, that a client would not accept beside
     * the fields: a replacement takes them away. All others are the user's own and stay. NULL ends
     * the list; NULL: there are none. */
    const char *const *foreign;
} config_entry;

/* Why a text was refused; from 1 on, the column in characters. */
typedef struct config_fault {
    size_t line, column;
    const char *what; /* a phrase; NULL: nothing is wrong */
} config_fault;

typedef enum config_state {
    CONFIG_ABSENT = 0, /* there is no entry of that name */
    CONFIG_SAME,       /* it has all fields with these values; it may have others besides */
    CONFIG_OTHER,      /* it has not */
    CONFIG_REFUSED     /* see the fault */
} config_state;

typedef struct config_format {
    config_state (*find)(eg_str text, const config_entry *e, config_fault *fault);
    /* Appends the text with the entry to *out. An entry of that name gets the fields, loses the
     * foreign members and keeps all others. text.ptr NULL: there is no file. Only for texts that
     * find() did not refuse. */
    void (*put)(eg_str text, const config_entry *e, eg_buffer *out);
    /* Appends the text without the entry. 1 when nothing is left and put() had made the file; the
     * file should be deleted then. Only for texts in which find() found the entry. */
    int (*take)(eg_str text, const config_entry *e, eg_buffer *out);
} config_format;

/* A server in JSON and in TOML; a command that runs on an event (jsonc_hook.c). */
extern const config_format config_jsonc, config_toml, config_hook;
/* In the command of the hook that is ours. */
#define CONFIG_HOOK_MARK " recall --hook"

/* ---- for the two formats ---- */

/* The length of a byte order mark at the beginning. */
size_t config_bom(eg_str text);
/* The line end of the text: of its first line, or "\n"; "\r\n" where all of it is one line that
 * ends with CR. */
const char *config_newline(eg_str text);
/* Sets the fault to the position `at` and returns CONFIG_REFUSED. */
config_state config_refuse(config_fault *fault, eg_str text, size_t at, const char *what);
/* A quoted string, "..." with escapes or '...' without, is this word. */
int config_string_is(eg_str quoted, const char *word);
/* Appends a quoted string as JSON, so that equal strings become equal bytes. */
void config_add_string(eg_buffer *out, eg_str quoted);
/* Before the line end that ends at `at`; `at` where there is none. */
size_t config_before_newline(eg_str text, size_t at);
/* Appends the text and a blank line, for lines that are added at its end. A text whose last line
 * has no end keeps that: two line ends are appended, and what follows should have none at its end;
 * 0 is returned, else 1. text.ptr NULL, no file: 1. */
int config_open_end(eg_str text, eg_buffer *out);
/* Where to cut so that lines [start, end) go with what config_open_end() set before them. */
size_t config_open_start(eg_str text, size_t start, size_t end);
/* Appends text[from .. to). */
static inline void config_copy(eg_buffer *out, eg_str text, size_t from, size_t to) {
    if (to > from) eg_buffer_add(out, text.ptr + from, to - from);
}
static inline int config_blank(char c) { return c == ' ' || c == '\t'; }

#endif
