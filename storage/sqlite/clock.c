/* clock.c - see clock.h. */
#include "clock.h"

#include <stdio.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)
#define DAY (24 * 3600 * SECOND)
#define SENSIBLE (1767225600 * SECOND) /* 2026: a hardware clock before that has lost its battery */

int clock_is_ahead(const clock_evidence *e) { return e->clock - e->last > DAY; }

const char *clock_doubt(const clock_evidence *e) {
    if (!clock_is_ahead(e)) return NULL;
    if (e->kernel && e->clock - e->kernel > DAY)
        return "the clock of this process is more than a day ahead of the machine's: start it without what changes its clock "
               "(such as faketime)";
    if (e->synchronised) return NULL;
    if (e->expected && e->clock - e->expected > DAY)
        return "the clock of this machine was set more than a day ahead while this process ran: look at `date`, and where it is "
               "right, start this process again";
    if (e->hardware >= SENSIBLE && e->hardware >= e->last && e->clock - e->hardware > DAY)
        return "the clock of this machine is more than a day ahead of its hardware clock: look at `date` and `hwclock`, and set "
               "the one that is wrong";
    return NULL;
}

static int64_t in_microseconds(const struct timespec *t) { return t->tv_sec * SECOND + t->tv_nsec / 1000; }

static int64_t clock_of_kernel(void) {
    struct timespec t;
    return syscall(SYS_clock_gettime, CLOCK_REALTIME, &t) == 0 ? in_microseconds(&t) : 0;
}

int64_t clock_since_boot(void) {
    struct timespec t;
    return syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &t) == 0 ? in_microseconds(&t) : 0;
}

static int64_t clock_of_hardware(void) {
    long long seconds = 0;
    FILE *f = fopen("/sys/class/rtc/rtc0/since_epoch", "re");
    int read = f && fscanf(f, "%lld", &seconds) == 1;
    if (f) fclose(f);
    return read && seconds > 0 && seconds < INT64_MAX / SECOND ? seconds * SECOND : 0;
}

void clock_gather(clock_evidence *e) {
    struct timex t = {0};
    e->kernel = clock_of_kernel();
    e->hardware = clock_of_hardware();
    e->synchronised = adjtimex(&t) != TIME_ERROR && !(t.status & STA_UNSYNC);
}
