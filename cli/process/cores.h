/// How many cores this process may use.
#ifndef GMC_CLI_PROCESS_CORES_H
#define GMC_CLI_PROCESS_CORES_H

/// At least 1. Counts the cores that affinity allows (taskset, Slurm's cpusets), not all that the
/// machine has: 64 workers on 4 cores would only wait for each other.
int gmc_cores_usable(void);

#endif
