/* cpu.c - see cpu.h. Version 2 of cgroups has cpu.max ("quota period" in microseconds), version 1
 * cpu.cfs_quota_us and cpu.cfs_period_us. */
#include "core/base/cpu.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first number of a cgroup file, -1 if there is none ("max", no file). second: the second
 * number of the line, or -1. */
static int64_t cgroup_number(const char *path, int64_t *second) {
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    long long a = -1, b = -1;
    int n = fscanf(f, "%lld %lld", &a, &b);
    fclose(f);
    if (second) *second = n == 2 ? b : -1;
    return n >= 1 ? a : -1;
}

/* The quota of one cgroup (version 2 or 1) by its folder, in CPUs, rounded up; 0: none. */
static uint32_t quota_of(const char *folder) {
    char path[PATH_MAX + 32];
    int64_t period = -1;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    int64_t quota = cgroup_number(path, &period);
    if (quota <= 0) {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
        quota = cgroup_number(path, NULL);
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
        period = cgroup_number(path, NULL);
    }
    int64_t cpus = quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
    return cpus < UINT32_MAX ? (uint32_t)cpus : 0;
}

/* The smallest quota of a cgroup and those above it, up to the mount. In a container often only the
 * mount exists. */
static uint32_t quota_above(const char *mount, const char *group) {
    char folder[PATH_MAX];
    size_t top = strlen(mount);
    uint32_t smallest = 0;
    if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder) return 0;
    for (;;) {
        uint32_t cpus = quota_of(folder);
        if (cpus && (!smallest || cpus < smallest)) smallest = cpus;
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top) return smallest;
        *slash = 0;
    }
}

uint32_t eg_cpu_quota(const char *groups, const char *mount) {
    char line[PATH_MAX], version1[PATH_MAX], list[PATH_MAX + 2];
    uint32_t smallest, more;
    snprintf(version1, sizeof version1, "%s/cpu", mount);
    smallest = quota_above(mount, "");
    more = quota_above(version1, "");
    if (more && (!smallest || more < smallest)) smallest = more;
    FILE *f = fopen(groups, "re");
    /* number:controllers:path; version 2: no controllers */
    while (f && fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        snprintf(list, sizeof list, ",%s,", controllers + 1);
        if (controllers[1] && !strstr(list, ",cpu,")) continue;
        more = quota_above(controllers[1] ? version1 : mount, path);
        if (more && (!smallest || more < smallest)) smallest = more;
    }
    if (f) fclose(f);
    return smallest;
}

uint32_t eg_cpu_allowance(void) {
    cpu_set_t set;
    long cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t allowed = cpus > 0 ? (uint32_t)cpus : 1, quota = eg_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota && quota < allowed ? quota : allowed;
}
