/* jsonc_text.h - reading JSON with comments and trailing commas, as the settings of editors are.
 * jsonc_check() reads a text once, with a stack of one byte for each open bracket; all the rest
 * walks over a text that passed it. Thread class: any. */
#ifndef EG_TOOLS_INSTALL_JSONC_TEXT_H
#define EG_TOOLS_INSTALL_JSONC_TEXT_H

#include "tools/install/config_edit.h"

#define JSONC_NOWHERE ((size_t)-1)

/* A member of an object, or an element of an array: then key and key_end are those of its value. */
typedef struct jsonc_member {
    size_t key, key_end, value, value_end;
    size_t comma; /* behind it; JSONC_NOWHERE: none */
} jsonc_member;

/* What an object or an array holds. */
typedef struct jsonc_object {
    size_t open, close, count;
    size_t matches;                          /* members that were looked for */
    jsonc_member match, before, first, last; /* the last match; the member before it, where
                                              * has_before */
    int has_before;
} jsonc_object;

/* Both levels of an entry. */
typedef struct jsonc_place {
    size_t root_at; /* text.len: the text is blank */
    jsonc_object root, table;
    int has_table, nested; /* nested: the table is the member `inner` of the one of that name */
} jsonc_place;

/* CONFIG_REFUSED where the text is not well formed, else CONFIG_ABSENT. A blank text is. */
config_state jsonc_check(eg_str text, config_fault *fault);
/* Behind white space and comments; JSONC_NOWHERE where a comment has no end. *comment: where the
 * last comment begins that ends the text without a line end, else JSONC_NOWHERE; may be NULL. */
size_t jsonc_skip_blank(eg_str t, size_t at, size_t *comment);
/* Behind the value at `at`. */
size_t jsonc_skip_value(eg_str t, size_t at);
/* The member at or behind `at`, which is behind the bracket or a comma; 0 at the end of the object,
 * m->key is its bracket then. */
int jsonc_read_member(eg_str t, size_t at, jsonc_member *m);
/* What stands at `open`; match: the members of this name. */
jsonc_object jsonc_read_object(eg_str t, size_t open, const char *name);
/* The array at `open`. match: the elements for which is(t, element's position, self) is true. */
jsonc_object jsonc_read_array(eg_str t, size_t open, int (*is)(eg_str t, size_t at, const void *self), const void *self);
/* Where the entry is or would be; the text has passed jsonc_check(). */
jsonc_place jsonc_find_place(eg_str t, const config_entry *e);
/* Checks the text and finds the entry. CONFIG_OTHER: it is there, whatever it says. Refused where a
 * name stands twice or the table is no object. */
config_state jsonc_find_entry(eg_str text, const config_entry *e, jsonc_place *p, config_fault *fault);
/* The value says the same as this one, however it is written. */
int jsonc_same_value(eg_str t, const jsonc_member *m, const char *value);
/* The blanks at the beginning of the line of `at`. */
eg_str jsonc_indent(eg_str t, size_t at);
/* Nothing but blanks stands before it in its line. */
int jsonc_begins_line(eg_str t, size_t at);
/* Behind the comments that follow on the same line. *line: the last one reaches to its end. */
size_t jsonc_skip_remarks(eg_str t, size_t at, int *line);

#endif
