/* cpu.h - how many CPUs this process may use. Not here: threads (kernels/pool.h). Thread class:
 * any. */
#ifndef EG_BASE_CPU_H
#define EG_BASE_CPU_H

#include <stdint.h>

/* The CPUs of the affinity mask, limited by the CPU quota of the process's cgroups; at least 1. */
uint32_t eg_cpu_allowance(void);
/* The smallest quota, in CPUs rounded up, of the cgroups (version 1 or 2) that the file `groups`
 * names (/proc/self/cgroup) and of those above them. mount: where cgroups are mounted
 * (/sys/fs/cgroup). 0: no quota. */
uint32_t eg_cpu_quota(const char *groups, const char *mount);

#endif
