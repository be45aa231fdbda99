/// A way around what stands there: two trees of configurations, one from the start and one from the
/// goals, grow towards samples and towards each other until they meet.
///
/// Source: [kuffner2000] (RRT-Connect). Departs from it: a piece of a way is not sampled but proved:
/// half way along it everything must be farther from what moves than any point of it goes on either
/// side, or both halves are asked in turn. So no wall is too thin to be seen, and what is found is a
/// way. That nothing is found proves nothing: a passage may be too narrow for the number of nodes.
///
/// Numbers are looked up (chance.h): the same question has the same answer to the bit.
#ifndef GMC_ENGINE_MOTION_PLAN_H
#define GMC_ENGINE_MOTION_PLAN_H

#include "engine/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/// Where something can be. Configurations are `size` numbers.
typedef struct gmc_plan_space {
    void *context;
    int size;
    /// At least how far any point of what moves goes from a to b on the way of `between`; shares of
    /// a way go shares of it [m]
    double (*apart)(const void *context, const double *a, const double *b);
    /// The configuration a share of the way from a to b.
    void (*between)(const void *context, const double *a, const double *b, double share, double *x);
    /// Any configuration, of `size` numbers in [0, 1).
    void (*draw)(const void *context, const double *u, double *x);
    /// Is everything farther than `margin` from what moves? < 0: so much overlap is allowed [m]
    /// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIBRARY
    gmc_status (*clear)(void *context, const double *x, double margin, bool *is_clear);
} gmc_plan_space;

typedef struct gmc_plan_options {
    int node_max;      ///< of both trees together
    double stride;     ///< the farthest between two nodes [m]
    double clearance;  ///< that is kept everywhere; < 0: overlap that is accepted [m]
    double resolution; ///< > 0: what cannot be told from the clearance by as much is blocked [m]
    uint64_t seed;
} gmc_plan_options;

/// 20000 nodes, 50 mm, no clearance, 0.5 mm, seed 0.
static inline gmc_plan_options gmc_plan_defaults(void)
{
    return (gmc_plan_options){.node_max = 20000, .stride = 0.05, .resolution = 5e-4};
}

/// What was asked for, and what was found.
typedef struct gmc_plan {
    const double *start; ///< (size)
    const double *goals; ///< (goal_count * size) any of them
    int goal_count;
    int knot_max;   ///< room; a way that has more is none
    double *knots;  ///< (knot_max * size) out: from the start to a goal, straight (`between`) from
                    ///< each to the next
    int knot_count; ///< out; 0: nothing was found
    bool has_way;   ///< out: there is one, with room for its knots or without
    int node_count; ///< out: of both trees
} gmc_plan;

/// What gmc_plan_find takes of its scratch at most.
static inline size_t gmc_plan_bytes(int size, int node_max)
{
    size_t nodes = (size_t)node_max + 2;
    return nodes * (3 * (size_t)size * sizeof(double) + 2 * sizeof(int)) +
           30 * (size_t)size * sizeof(double) + 16 * GMC_ARENA_ALIGNMENT;
}

/// @param scratch  given back; node_max configurations and more
/// @return GMC_OK (also if nothing was found), GMC_E_ARENA_FULL, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_plan_find(const gmc_plan_space *space,
                                        const gmc_plan_options *options, gmc_arena *scratch,
                                        gmc_plan *plan);

#endif
