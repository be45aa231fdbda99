/// One way to run a scene: a scenario with settings of its own, trial by trial in this thread.
/// Shared by the benches; a mistake ends the program.
#ifndef GMC_TEST_BENCH_WAY_H
#define GMC_TEST_BENCH_WAY_H

#include "sampling/build/prepare.h"
#include "sampling/campaign/rollouts.h"

typedef struct bench_way {
    gmc_prepared prepared;
    gmc_rollouts rollouts;
    gmc_job job;
    void *worker;
    double seconds, steps; ///< of all trials so far: processor time of this thread
} bench_way;

/// Nothing ends before its time, nothing is repeated; NULL at the end.
extern const char *const bench_way_to_end[];

/// @param sets  `path=value`, ended by NULL; NULL: as the scenario has it
void bench_way_open(bench_way *way, const char *scenario, const char *const *sets);
void bench_way_close(bench_way *way);

/// Run one trial. @return valid until the next call
const gmc_trial *bench_way_run(bench_way *way, uint64_t trial);

/// A message on stderr and the end.
_Noreturn void bench_way_die(const char *what);

#endif
