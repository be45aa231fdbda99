/// A problem of many bodies, solved island by island: bodies that press on each other, directly or
/// through others, form one; what happens in one island does not matter to another.
///
/// Each island climbs the rungs (rungs.h) by itself, with its own residual and its own rung: a
/// ball that still rolls costs its own iterations, not those of everything that lies still. Most
/// islands are small enough for a dense system.
///
/// Contacts between two islands are left out if they are open at the start of the search: no
/// impulse in the warm start, and not closing at its velocity. That is a guess, and checked: one
/// that closes at the solution joins its islands, and they are solved again as one. Of those that
/// stay out, r = 0 and w_N >= 0: the law holds exactly. So the whole is a solution whose residual
/// is that of its islands, and since each is judged by its own scale, the largest of those bounds
/// the residual of the whole by its scale.
#ifndef GMC_ENGINE_COMPLEMENTARITY_ISLANDS_H
#define GMC_ENGINE_COMPLEMENTARITY_ISLANDS_H

#include "engine/complementarity/rungs.h"

/// From this many diagonal blocks of M on it pays to look for islands: below, a grasp makes one of
/// all but the table.
enum { GMC_ISLANDS_MIN = 4 };

/// Counted work since creation.
typedef struct gmc_islands_counts {
    long long islands;  ///< solved
    long long merged;   ///< rounds in which a guess was wrong and islands were joined
    long long contacts; ///< Σ contacts x iterations
    long long blocks;   ///< Σ diagonal blocks x iterations
    long long flops;    ///< multiplications in factorisations: of sparse systems as counted, of
                        ///< dense ones n³/6
    long long plans;    ///< orders of elimination made for sparse ones
} gmc_islands_counts;

/// What is kept between problems (newton.h); it moves no bits.
typedef struct gmc_islands_memory gmc_islands_memory;

/// Room in `arena` for problems with that many diagonal blocks of M.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_islands_memory_create(int block_count, gmc_arena *arena,
                                                    gmc_islands_memory **memory);

gmc_islands_counts gmc_islands_counted(const gmc_islands_memory *memory);

/// As gmc_rungs_solve. In the report: the highest rung, the iterations of the island that took
/// most (added over rounds), the largest residual.
/// @param memory    NULL: nothing is kept
/// @param solution  in: warm start; out: the solution, untouched unless GMC_OK
/// @param scratch   given back
/// @return GMC_OK, GMC_E_NO_SOLUTION (of one island at least), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_islands_solve(const gmc_ncp *problem, gmc_islands_memory *memory,
                                            const gmc_rungs_options *options,
                                            gmc_ncp_solution *solution, gmc_arena *scratch,
                                            gmc_rungs_report *report);

#endif
