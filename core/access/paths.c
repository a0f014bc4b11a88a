/* paths.c - the folders of data, configuration and cache. See paths.h. */
#include "core/access/paths.h"

#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/status.h"

static eg_status below_home(eg_arena *arena, const char *home, eg_paths *out, eg_error *err) {
    out->data = eg_arena_printf(arena, "%s/data", home);
    out->config = eg_arena_printf(arena, "%s/config", home);
    out->cache = eg_arena_printf(arena, "%s/cache", home);
    return out->data && out->config && out->cache ? EG_OK : eg_fail_memory(err, strlen(home));
}

/* An XDG folder: the variable if it is absolute (the specification ignores others), else
 * ~/otherwise. */
static const char *xdg(eg_arena *arena, const char *variable, const char *user, const char *otherwise) {
    const char *v = secure_getenv(variable);
    if (v && v[0] == '/') return eg_arena_printf(arena, "%s/engram", v);
    return eg_arena_printf(arena, "%s/%s/engram", user, otherwise);
}

static int is_file_below(eg_arena *arena, const char *folder, const char *name) {
    struct stat st;
    const char *path = eg_arena_printf(arena, "%s/%s", folder, name);
    return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* NULL: the folder is ours. Else why not. */
static const char *why_foreign(eg_arena *arena, const char *folder) {
    struct stat st;
    char shown[64], foreign[256] = "";
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return eg_arena_printf(arena, "'%s' is not used: it is no folder", folder);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return eg_arena_printf(arena, "'%s' is not used: it belongs to user %u", folder, (unsigned)st.st_uid);
    if (is_file_below(arena, folder, "data/engram.db") || is_file_below(arena, folder, "config/engram.conf")) return NULL;
    DIR *d = opendir(folder);
    if (!d) return eg_arena_printf(arena, "'%s' is not used: it cannot be read", folder);
    for (struct dirent *entry; !*foreign && (entry = readdir(d)) != NULL;) {
        static const char *const ours[] = {".", "..", "data", "config", "cache"};
        size_t i = 0;
        while (i < sizeof ours / sizeof *ours && strcmp(entry->d_name, ours[i]) != 0) i++;
        if (i == sizeof ours / sizeof *ours) snprintf(foreign, sizeof foreign, "%.255s", entry->d_name);
    }
    closedir(d);
    if (!*foreign) return NULL;
    return eg_arena_printf(arena, "'%s' is not used: it holds '%s', so it is another program's", folder,
                           eg_quote(eg_str_of(foreign), 60, shown, sizeof shown));
}

eg_status eg_paths_resolve(eg_arena *arena, const char *home, eg_paths *out, eg_error *err) {
    const char *origin = "--home";
    *out = (eg_paths){0};
    if (!home || !*home) {
        home = secure_getenv("ENGRAM_HOME");
        origin = "ENGRAM_HOME";
    }
    if (home && *home) {
        if (home[0] != '/') { return eg_fail(err, EG_EINVAL, "%s is '%s': give an absolute path", origin, home); }
        return below_home(arena, home, out, err);
    }
    const char *user = secure_getenv("HOME");
    if (!user || user[0] != '/') {
        struct passwd record, *found = NULL;
        char *buffer = eg_arena_alloc(arena, 16384);
        if (!buffer) return eg_fail_memory(err, 16384);
        if (getpwuid_r(getuid(), &record, buffer, 16384, &found) != 0 || !found || record.pw_dir[0] != '/') {
            return eg_fail(err, EG_EINVAL, "neither ENGRAM_HOME nor HOME names a folder: set ENGRAM_HOME");
        }
        user = record.pw_dir;
    }
    const char *old = eg_arena_printf(arena, "%s/.engram", user);
    if (!old) return eg_fail_memory(err, strlen(user));
    if (eg_file_exists(old) && !(out->passed = why_foreign(arena, old))) return below_home(arena, old, out, err);
    out->data = xdg(arena, "XDG_DATA_HOME", user, ".local/share");
    out->config = xdg(arena, "XDG_CONFIG_HOME", user, ".config");
    out->cache = xdg(arena, "XDG_CACHE_HOME", user, ".cache");
    return out->data && out->config && out->cache ? EG_OK : eg_fail_memory(err, strlen(user));
}
