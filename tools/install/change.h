/* change.h - a file of a person that a command changes: read as it is, shown as a difference,
 * replaced in one step. A link is followed, the mode stays, and a file that somebody else wrote in
 * the meantime is left alone. */
#ifndef EG_TOOLS_INSTALL_CHANGE_H
#define EG_TOOLS_INSTALL_CHANGE_H

#include <sys/stat.h>

#include "core/base/arena.h"
#include "core/base/json.h"

typedef struct edited_file {
    const char *name; /* as the person knows it */
    char *path;       /* behind all links; in the arena */
    eg_str text;      /* ptr NULL: there is no file */
    struct stat before;
} edited_file;

/* Reads the file. 0, or EXIT_ERROR after complaining. */
int change_read(edited_file *f, const char *name, eg_arena *a);
/* Writes the text; a new file gets this mode, its folders are made. 0, or EXIT_ERROR after
 * complaining. */
int change_write(const edited_file *f, const eg_buffer *text, unsigned mode);
/* Deletes it. The same. */
int change_delete(const edited_file *f);
/* Prints the lines in which the two texts differ, as diff -u does. */
void change_show(const edited_file *f, eg_str text);

#endif
