// scripts/bench early: what early verdicts save, and whether they are right. One line per scene:
//   scene,trials,to_end_per_s,early_per_s,ratio,with_half_steps,steps_ratio,decided,audited,wrong,
//   changed
// Trials per second with every trial run to its end and with early verdicts and the scenario's
// share of audits, in ROUNDS turns one after the other; their ratio is the middle one of the
// rounds, so that a disturbance of some of them does not decide. No trial is repeated at half the
// step in either of the two, for that is another question; the ratio with the scenario's share of
// such repetitions on the early side alone stands beside it. `changed` counts trials whose success
// the rules changed, `wrong` those of a pass in which every early verdict is audited. Usage:
// bench_early SCENARIO TRIALS | bench_early head
#include "test/bench/way.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15 };

/// What the early verdicts of one way did.
typedef struct tally {
    uint64_t decided, audited, wrong;
} tally;

static gmc_outcome run(bench_way *way, uint64_t trial, tally *sum)
{
    const gmc_trial *found = bench_way_run(way, trial);
    sum->decided += found->values[GMC_COLUMN_DECIDED_BY] > 0;
    sum->audited += found->values[GMC_COLUMN_AUDIT] > 0;
    sum->wrong += found->values[GMC_COLUMN_AUDIT] == GMC_AUDIT_WRONG;
    return found->outcome;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    if (count == 2 && strcmp(words[1], "head") == 0) {
        puts("scene,trials,to_end_per_s,early_per_s,ratio,with_half_steps,steps_ratio,decided,"
             "audited,wrong,changed");
        return 0;
    }
    if (count != 3) {
        fprintf(stderr, "usage: bench_early SCENARIO TRIALS | bench_early head\n");
        return 64;
    }
    static const char *const ONCE[] = {"simulation.half_step=0", NULL};
    static const char *const ALWAYS[] = {"simulation.early.audit=1", "simulation.half_step=0",
                                         NULL};
    uint64_t trials = strtoull(words[2], NULL, 10), changed = 0;
    if (trials < ROUNDS) bench_way_die("fewer trials than rounds");
    bench_way to_end, early, repeated, audit;
    tally none = {0}, decided = {0}, audited = {0};
    bench_way_open(&to_end, words[1], bench_way_to_end);
    bench_way_open(&early, words[1], ONCE);
    bench_way_open(&repeated, words[1], NULL);
    bench_way_open(&audit, words[1], ALWAYS);
    gmc_outcome *outcomes = calloc((size_t)trials + 1, sizeof *outcomes);
    if (!outcomes) bench_way_die("no memory");
    double ratios[ROUNDS], repeated_ratios[ROUNDS];
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t first = trials * round / ROUNDS, end = trials * (round + 1) / ROUNDS;
        double full = to_end.seconds, cut = early.seconds, more = repeated.seconds;
        for (uint64_t i = first; i < end; i++)
            outcomes[i] = run(&to_end, i, &none);
        for (uint64_t i = first; i < end; i++)
            changed += (run(&early, i, &decided) == GMC_OUTCOME_SUCCESS) !=
                       (outcomes[i] == GMC_OUTCOME_SUCCESS);
        for (uint64_t i = first; i < end; i++)
            run(&repeated, i, &none);
        for (uint64_t i = first; i < end; i++)
            run(&audit, i, &audited);
        ratios[round] = (to_end.seconds - full) / (early.seconds - cut);
        repeated_ratios[round] = (to_end.seconds - full) / (repeated.seconds - more);
    }
    qsort(ratios, ROUNDS, sizeof *ratios, by_size);
    qsort(repeated_ratios, ROUNDS, sizeof *repeated_ratios, by_size);
    const char *slash = strrchr(words[1], '/');
    printf("%s,%llu,%.1f,%.1f,%.3f,%.3f,%.3f,%llu,%llu,%llu,%llu\n", slash ? slash + 1 : words[1],
           (unsigned long long)trials, (double)trials / to_end.seconds,
           (double)trials / early.seconds, ratios[ROUNDS / 2], repeated_ratios[ROUNDS / 2],
           to_end.steps / early.steps, (unsigned long long)decided.decided,
           (unsigned long long)audited.audited, (unsigned long long)audited.wrong,
           (unsigned long long)changed);
    free(outcomes);
    bench_way_close(&to_end);
    bench_way_close(&early);
    bench_way_close(&repeated);
    bench_way_close(&audit);
    return 0;
}
