/* no_libraries.c - the dynamic loader of the statically linked program: it loads nothing and says
 * why. In a static program glibc's own works only beside the very same version of glibc and may
 * crash beside another. Linked with ENGRAM_STATIC only; called where a plugin, libcurl or OpenBLAS
 * is to be loaded. Thread class: any. */
#include <dlfcn.h>
#include <stddef.h>

void *dlopen(const char *path, int mode) {
    (void)path, (void)mode;
    return NULL;
}

void *dlsym(void *restrict library, const char *restrict name) {
    (void)library, (void)name;
    return NULL;
}

int dlclose(void *library) {
    (void)library;
    return -1;
}

char *dlerror(void) {
    static char why[] = "this program is linked statically and loads no libraries: "
                        "use the Debian package or a build from source";
    return why;
}
