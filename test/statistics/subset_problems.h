/// Margins whose probability of a failure is known, on which subset simulation is measured.
#ifndef GMC_TEST_STATISTICS_SUBSET_PROBLEMS_H
#define GMC_TEST_STATISTICS_SUBSET_PROBLEMS_H

#include "sampling/design/subset.h"

enum { SUBSET_DIMENSIONS_MAX = 16 };

typedef struct subset_problem {
    const char *name;
    int dimensions;
    double (*margin)(const double *z, int dimensions, double cut); ///< NaN: unsolved
    double cut;                                                    ///< of the margin
    double probability;                                            ///< of a margin below 0
    double worst; ///< the same had all failed that is unsolved; 0: nothing is
} subset_problem;

/// Margins that several tests use: a plane across the diagonal, 1 − Φ(cut); the outside of a circle
/// or sphere; two sides far from each other, 2 (1 − Φ(cut)).
double subset_plane(const double *z, int dimensions, double cut);
double subset_circle(const double *z, int dimensions, double cut);
double subset_sides(const double *z, int dimensions, double cut);

/// Coordinate along the diagonal: standard normal.
double subset_along(const double *z, int dimensions);

/// What the runs of a plan answer.
/// @param plan  its dimensions do not matter
gmc_subset_answer subset_problem_run(const subset_problem *problem, gmc_subset_plan plan);

/// What many such answers come to, one a seed.
typedef struct subset_record {
    int count;
    int covered;       ///< by the interval
    int too_low;       ///< upper ends below the truth
    int refused;       ///< contradictions
    int worst_covered; ///< the interval reaches up to the worst
    double bias, rms;  ///< of the estimate, relative
    double unsolved;   ///< mean of the estimated probability of what is unsolved
    double width;      ///< half of the interval, relative
    double trials;     ///< most
} subset_record;

/// Runs with seeds first, first + 1, ..., and prints a line.
subset_record subset_problem_repeat(const subset_problem *problem, gmc_subset_plan plan,
                                    uint64_t first, int count);

#endif
