/// How much memory this process has held at most.
#ifndef GMC_CLI_PROCESS_PEAK_H
#define GMC_CLI_PROCESS_PEAK_H

#include <stdint.h>

/// What was resident at the peak [KiB], of this program alone; 0: the system does not say. Linux
/// only: what getrusage tells includes the process that started this one.
uint64_t gmc_peak_memory_kib(void);

#endif
