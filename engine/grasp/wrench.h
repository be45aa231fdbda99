/// What the contacts of a grasp can hold: the set of wrenches that they can put on the object, and
/// the numbers that are made of it.
///
/// Wrenches w = (f, r × f / ρ) about the centre of mass, r from it to the contact, ρ the largest
/// distance of the object's surface from it, so that moments have the unit of forces and the size
/// of the object plays no part. A contact of unit normal force gives those of its friction pyramid:
///
///   f_k = n + mu (cos φ_k t1 + sin φ_k t2),   φ_k = 2π k / m,   n into the object, t2 = n × t1
///
/// Six numbers each; in the plane three, (f_x, f_y, moment / ρ), of the two edges n ± mu t1. The
/// normals' forces of all contacts together are 1: the set is the convex hull of all f_k, L1 in
/// [ferrari1992]; or each is at most 1: the Minkowski sum of the hulls of 0 and each contact's
/// f_k, L∞. Definitions as in [miller1999].
///
/// A grasp closes (force closure) where 0 is strictly inside: any load is held if the fingers press
/// hard enough. Two hard points in space never close: nothing resists a moment about the line
/// between them.
#ifndef GMC_ENGINE_GRASP_WRENCH_H
#define GMC_ENGINE_GRASP_WRENCH_H

#include "engine/base/arena.h"
#include "engine/math/vec3.h"

#include <stdbool.h>

/// Edges of the pyramid that stands for a cone, where nobody says another number.
enum { GMC_WRENCH_EDGES = 8, GMC_WRENCH_DIMENSION = 6 };

/// Rows of the largest linear program: those of a wrench, and one for what each moment may miss.
enum { GMC_WRENCH_ROWS = GMC_WRENCH_DIMENSION + 3 };

/// Most points that the L∞ set is made of: (m + 1)⁴ of four contacts with eight edges. Its hull
/// takes seconds; of five contacts it would be 59049 points.
enum { GMC_WRENCH_SUM_MAX = 6561 };

/// The largest coefficient of friction that gmc_wrench_least_friction thinks of [-].
#define GMC_WRENCH_FRICTION_MAX 1e3

typedef struct gmc_wrench_contact {
    gmc_vec3 arm;    ///< from the centre of mass to the contact [m]
    gmc_vec3 normal; ///< unit, into the object
    gmc_vec3 along;  ///< t1, unit, across the normal
    double friction; ///< mu >= 0 [-]
} gmc_wrench_contact;

/// The contacts of a grasp.
typedef struct gmc_wrench_grasp {
    const gmc_wrench_contact *contacts; ///< (count)
    int count;
    int edges;      ///< m >= 3, of a pyramid in space
    double radius;  ///< ρ > 0 [m]
    bool is_planar; ///< contacts lie in a plane z = const, along which their normals and t1 are
} gmc_wrench_grasp;

/// Does the grasp close? By a linear program, some microseconds. Three contacts often have 0 on the
/// set's rim, where all moments of one about the line through the others have one sign: what closes
/// by rounding, by less than about 1e-8, does not: friction below that may count as none, also of a
/// grasp that closes with any friction (of which gmc_wrench_least_friction says 0).
/// @param scratch  given back
/// @param closes   out: untouched unless GMC_OK
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_NO_SOLUTION (the program does not end)
GMC_MUST_CHECK gmc_status gmc_wrench_closes(const gmc_wrench_grasp *grasp, gmc_arena *scratch,
                                            bool *closes);

/// The largest share of a wrench that the L1 set holds against: the largest s with -s w in it and
/// normal forces of no more than 1 together. No closure is needed for that.
/// Places of contacts are known to some nm: each may lie 1e-6 ρ off in every direction, so that two
/// points on a ball hold what they do if its mass centre lies on the line between them. Where it lies
/// d beside, mu falls to 1e-6 ρ / d; of a moment that exact places do not hold at all it is 1e-6.
/// @param wrench   (dimension) that acts on the object, moments over ρ; not 0 [any unit]
/// @param share    out: >= 0; 0: it cannot be held at all [1 / unit]; untouched unless GMC_OK
/// @return as gmc_wrench_closes
GMC_MUST_CHECK gmc_status gmc_wrench_holds(const gmc_wrench_grasp *grasp, const double *wrench,
                                           gmc_arena *scratch, double *share);

/// The smallest coefficient of friction, the same at every contact, with which the grasp would
/// close, by bisection to 1e-9 of itself.
/// @param friction  out: 0: it closes with none, or with next to none (1e-8); +inf: not even with
///                  GMC_WRENCH_FRICTION_MAX [-]
/// @return as gmc_wrench_closes
GMC_MUST_CHECK gmc_status gmc_wrench_least_friction(const gmc_wrench_grasp *grasp,
                                                    gmc_arena *scratch, double *friction);

/// Which set.
typedef enum gmc_wrench_norm {
    GMC_WRENCH_L1,  ///< all normal forces together are at most 1
    GMC_WRENCH_LINF ///< each is at most 1
} gmc_wrench_norm;

/// Numbers of a set's hull.
typedef struct gmc_wrench_quality {
    double epsilon; ///< radius of the largest ball of wrenches about 0 in the set; -1: the grasp
                    ///< does not close [-]
    double nearest; ///< smallest offset of a facet from 0, < 0: 0 is outside; 0: it is flat [-]
    double volume;  ///< of the set; 0: it is flat [-]
    double task;    ///< the largest s for which s times the task's ellipsoid is in the set; 0: the
                    ///< grasp does not close [1 / unit of the task]
    int points;     ///< that the hull is of
    int facets;     ///< that it has; 0: it is flat
} gmc_wrench_quality;

/// By the facets of the hull (qhull, which asks the system for memory).
/// @param task     (dimension) half axes > 0 of an ellipsoid of loads along forces and moments, the
///                 latter over ρ; NULL: none, and `task` is 0
/// @param scratch  given back
/// @param quality  out: of GMC_E_LIMIT `points` alone, how many there would be
/// @return GMC_OK, GMC_E_LIMIT (L∞: more than GMC_WRENCH_SUM_MAX points), GMC_E_ARENA_FULL,
///         GMC_E_NO_SOLUTION, GMC_E_MEMORY, GMC_E_LIBRARY
GMC_MUST_CHECK gmc_status gmc_wrench_measure(const gmc_wrench_grasp *grasp, gmc_wrench_norm norm,
                                             const double *task, gmc_arena *scratch,
                                             gmc_wrench_quality *quality);

#endif
