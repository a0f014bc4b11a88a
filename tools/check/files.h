/* files.h - which files `engram check` reads: those that are named, and of a folder the documents
 * in it and below, without what .gitignore, .engramignore and --exclude leave out. */
#ifndef EG_TOOLS_CHECK_FILES_H
#define EG_TOOLS_CHECK_FILES_H

#include <sys/stat.h>

#include "core/base/arena.h"

enum { MAX_FILES = 5000, MAX_FOLDERS = 200000, MAX_PATH = 4096 };

/* Paths as they are shown; for files also device and inode, so that one that is named twice is read
 * once. */
typedef struct file_list {
    size_t max;
    const char *what; /* for messages */
    char **paths;
    struct file_key {
        dev_t device;
        ino_t inode;
    } * keys;
    size_t count;
} file_list;

/* What is chosen, and how that went. */
typedef struct file_choice {
    const char *const *excluded; /* the values of --exclude */
    size_t excluded_count;
    int comments;    /* source code too, for its comments */
    int verbose;     /* tell what is left out */
    size_t skipped;  /* paths that could not be read: told, and the others are read all the same */
    size_t left_out; /* files and folders, by a pattern */
} file_choice;

/* Adds the files of a path: itself, "-", or all documents below a folder in the order of their
 * names. 0, or EXIT_ERROR after complaining. */
int find_files(const char *path, file_choice *choice, file_list *out);
void release_files(file_list *l);

#endif
