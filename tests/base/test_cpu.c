/* test_cpu.c - the number of CPUs that a process may use: cgroups of both versions, in folders made
 * here. */
#include <ftw.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/cpu.h"

static void write_file(const char *root, const char *path, const char *text) {
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *p = full + strlen(root) + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(full, 0700);
            *p = '/';
        }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

/* Quotas as a container sees them (at the mount), as a service sees them (in its group, or above
 * it), and those of version 1. */
static void quotas_of_cgroups(void **state) {
    (void)state;
    static const struct {
        const char *groups, *file, *text;
        uint32_t cpus;
    } table[] = {
        {"0::/\n", "m/none", "", 0},
        {"0::/\n", "m/cpu.max", "max 100000\n", 0},
        {"0::/\n", "m/cpu.max", "150000 100000\n", 2},
        {"0::/\n", "m/cpu.max", "200000 100000\n", 2},
        {"0::/\n", "m/cpu.max", "1000 100000\n", 1},
        {"0::/gone/with/the/container\n", "m/cpu.max", "300000 100000\n", 3},
        {"0::/system.slice/a.service\n", "m/system.slice/a.service/cpu.max", "400000 100000\n", 4},
        {"0::/system.slice/a.service\n", "m/system.slice/cpu.max", "500000 100000\n", 5},
        {"0::/system.slice/a.service\n", "m/system.slice/b.service/cpu.max", "500000 100000\n", 0},
        {"12:cpuset:/x\n3:cpu,cpuacct:/x/y\n", "m/cpu/x/cpu.cfs_quota_us", "600000\n", 6},
        {"12:cpuset:/x\n3:cpuacct,cpu:/x/y\n", "m/cpu/cpu.cfs_quota_us", "100000\n", 1},
        {"12:cpuset:/x\n3:cpuacct:/x\n", "m/cpu/x/cpu.cfs_quota_us", "600000\n", 0},
        {"no colon\n:\n", "m/cpu.max", "0 0\n", 0},
        {"0::/\n", "m/cpu.max", "9223372036854775807 1\n", 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char root[] = "/tmp/engram-test-XXXXXX", groups[64], mount[64];
        assert_non_null(mkdtemp(root));
        snprintf(groups, sizeof groups, "%s/cgroup", root);
        snprintf(mount, sizeof mount, "%s/m", root);
        write_file(root, "cgroup", table[i].groups);
        write_file(root, table[i].file, table[i].text);
        if (strstr(table[i].file, "cfs_quota")) {
            char period[64];
            snprintf(period, sizeof period, "%.*s/cpu.cfs_period_us", (int)(strrchr(table[i].file, '/') - table[i].file),
                     table[i].file);
            write_file(root, period, "100000\n");
        }
        uint32_t cpus = eg_cpu_quota(groups, mount);
        if (cpus != table[i].cpus) fail_msg("%zu: %u CPUs", i, cpus);
        assert_int_equal(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    }
    assert_int_equal(eg_cpu_quota("/nowhere/cgroup", "/nowhere"), 0);
}

/* One CPU in the affinity mask is an allowance of one. */
static void the_affinity_limits(void **state) {
    (void)state;
    cpu_set_t before, one;
    size_t first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    while (!CPU_ISSET(first, &before)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_true(eg_cpu_allowance() >= 1 && eg_cpu_allowance() <= (uint32_t)CPU_COUNT(&before));
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(eg_cpu_allowance(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotas_of_cgroups), cmocka_unit_test(the_affinity_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
