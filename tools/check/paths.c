/* paths.c - see paths.h. */
#include "tools/check/paths.h"

#include <stdlib.h>
#include <string.h>

/* The path of real as seen from folder, both real paths. */
static char *relative(const char *folder, const char *real) {
    size_t common = 0, up = 0, i = 0;
    for (; folder[i] && folder[i] == real[i]; i++)
        if (folder[i] == '/') common = i + 1;
    if (!folder[i] && real[i] == '/') common = i + 1;
    const char *rest = strlen(folder) < common ? "" : folder + common;
    for (const char *p = rest; *p; p++) up += *p == '/';
    up += *rest != '\0';
    char *out = malloc(3 * up + strlen(real + common) + 1), *at = out;
    if (!out) return NULL;
    for (size_t k = 0; k < up; k++) at = stpcpy(at, "../");
    strcpy(at, real + common);
    return out;
}

char *path_from(const char *folder, const char *file) {
    char *real = realpath(file, NULL);
    if (!real) return strdup(file);
    char *out = relative(folder, real);
    free(real);
    return out;
}

char *folder_of(const char *file) {
    const char *slash = strrchr(file, '/');
    if (!slash) return realpath(".", NULL);
    char *folder = strndup(file, slash == file ? 1 : (size_t)(slash - file)), *real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}
