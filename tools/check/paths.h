/* paths.h - paths as they are from another folder. */
#ifndef EG_TOOLS_CHECK_PATHS_H
#define EG_TOOLS_CHECK_PATHS_H

/* The path of `file` as seen from `folder`, with "../" where needed; to be freed. folder: as
 * realpath() gives it. A file that does not exist, such as "stdin", stays as it is. NULL without
 * memory. */
char *path_from(const char *folder, const char *file);
/* The real path of the folder that a file lies in, or will; to be freed. NULL where there is no
 * such folder. */
char *folder_of(const char *file);

#endif
