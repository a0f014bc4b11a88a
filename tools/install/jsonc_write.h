/* jsonc_write.h - adding members to JSON with comments, in the manner of the text, and taking them
 * away again, to the byte. The texts have passed jsonc_check(). Thread class: any. */
#ifndef EG_TOOLS_INSTALL_JSONC_WRITE_H
#define EG_TOOLS_INSTALL_JSONC_WRITE_H

#include "tools/install/jsonc_text.h"

typedef struct jsonc_writer jsonc_writer;
struct jsonc_writer {
    eg_str t;
    const config_entry *e;
    const char *newline;
    eg_str unit; /* one step of indentation */
    eg_buffer *out;
    /* Adds the value of the entry; its first line is indented by `base` with so many steps. */
    void (*add_value)(const jsonc_writer *w, eg_str base, size_t steps);
};

jsonc_writer jsonc_writer_of(eg_str t, const config_entry *e, const jsonc_place *p, eg_buffer *out);
/* A line end, and the indentation of `base` with so many steps. */
void jsonc_add_line(const jsonc_writer *w, eg_str base, size_t steps);
/* What is inserted: the value alone, as an element of an array, or with its name, or within the
 * table that holds it alone. */
typedef enum jsonc_part { JSONC_ELEMENT, JSONC_ENTRY, JSONC_TABLE } jsonc_part;
/* The text with the part in the object or array. Into an
 * empty object directly behind its bracket, without a blank: so a reader knows it from one that was
 * made with the entry. Else behind the last member, in its manner. */
void jsonc_insert(const jsonc_writer *w, const jsonc_object *o, jsonc_part part);
/* The object of a text that has none: behind what there is, or before it where that ends with a
 * comment without a line end. A new file ends with a line end, one that was there does not. */
void jsonc_insert_root(const jsonc_writer *w, size_t root_at);
/* Removes the match with the comma that is then too much. */
void jsonc_remove(eg_str t, const jsonc_object *o, eg_buffer *out);
/* The object holds the match and nothing else, not even a comment, on lines of its own: put() made
 * it. */
int jsonc_stands_alone(eg_str t, const jsonc_object *o);
/* The text without its object, which jsonc_insert_root() made. 1 when nothing is left and the file
 * was new. */
int jsonc_remove_root(eg_str t, const jsonc_place *p, eg_buffer *out);

#endif
