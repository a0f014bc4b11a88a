/* ignore.h - patterns of .gitignore, .engramignore and --exclude: which paths they name. The syntax
 * is that of gitignore(5). Pure text; finding and reading the files is in files.c. Thread class:
 * one thread at a time. */
#ifndef EG_TOOLS_CHECK_IGNORE_H
#define EG_TOOLS_CHECK_IGNORE_H

#include <stddef.h>

#include "core/base/arena.h"

typedef struct ignore_rule {
    eg_str pattern;   /* without '!', and without '/' at its ends */
    int negated;      /* what it names is read after all */
    int only_folders; /* "build/" */
    int anchored;     /* a '/' within: matched against the whole path, else against the last name */
} ignore_rule;

/* In the order of the file; later ones outweigh earlier ones. */
typedef struct ignore_rules {
    ignore_rule *rules;
    size_t count;
} ignore_rules;

/* Reads the lines of an ignore file; views of the text and the array live in the arena, or as long
 * as the text. 0 without memory. */
int ignore_parse(eg_arena *arena, eg_str text, ignore_rules *out);
/* path: relative to the folder of the file, without "./" in front. 1: left out, -1: read after all,
 * 0: no rule names it. */
int ignore_match(const ignore_rules *rules, eg_str path, int is_folder);

#endif
