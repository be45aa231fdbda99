// sched_getaffinity is Linux's own; elsewhere POSIX only knows how many cores are there.
#if defined(__linux__)
#define _GNU_SOURCE
#include <sched.h>
#endif

#include "cli/process/cores.h"

#include <unistd.h>

int gmc_cores_usable(void)
{
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}
