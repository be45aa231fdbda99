/// Random drops and pinches of every pair of shapes, and what becomes of them: the study behind
/// `scripts/bench shapes` and property/test_shape_pairs.c.
///
/// A drop: one solid with random size, density, pose and velocity falls on a support that stands on
/// a plane. A pinch: two fingers of one shape close by force along y on a solid that floats, then
/// gravity sets in. Both are watched until nothing moves, and ten seconds longer.
///
/// Nothing resists rolling on a level plane or turning about a single point, so not everything
/// comes to rest. What still moves is `rolling` only if it does so without sliding at its contacts
/// (swinging and pivoting about points that stick included) or while losing energy from one look to
/// the next (a coin that wobbles on its rim); else it is `restless`, and that is a mistake of the
/// engine. In no trial may bodies be faster than the work done on them allows.
#ifndef GMC_TEST_SUPPORT_SHAPE_PAIRS_H
#define GMC_TEST_SUPPORT_SHAPE_PAIRS_H

#include "test/support/chance.h"
#include "test/support/stage.h"

enum { GMC_PAIRS_HULL_MAX = 24 };

/// Polytopes of radius about 1: the convex meshes of scenarios/models, a cube, and random hulls of
/// 4 to 120 points, some of them needles and plates.
typedef struct gmc_shape_pairs_hulls {
    int count;
    gmc_polytope *hulls[GMC_PAIRS_HULL_MAX];
} gmc_shape_pairs_hulls;

/// Run from the project's folder. Aborts with a message if a hull cannot be made.
void gmc_shape_pairs_hulls_create(gmc_shape_pairs_hulls *hulls);
void gmc_shape_pairs_hulls_free(gmc_shape_pairs_hulls *hulls);

/// The polytope of a mesh given as the text of an OBJ file; gmc_hull_free. Aborts as above.
gmc_polytope *gmc_shape_pairs_hull_of_obj(const char *text);

/// Corners at +-1, twelve triangles.
#define GMC_PAIRS_CUBE_OBJ                                                                         \
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"         \
    "f 3 2 1\nf 4 3 1\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\n"                                       \
    "f 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n"

/// A shape of the type (no plane), `size` large give or take a half; long and flat ones among them.
gmc_shape gmc_shape_pairs_shape(gmc_chance *chance, gmc_shape_type type, double size,
                                const gmc_shape_pairs_hulls *hulls);

gmc_quat gmc_shape_pairs_rotation(gmc_chance *chance); ///< uniform

typedef enum gmc_shape_pairs_end {
    GMC_PAIRS_REST,     ///< nothing moved faster than 1e-8 m/s; see drift
    GMC_PAIRS_ROLLING,  ///< moves without sliding
    GMC_PAIRS_GONE,     ///< a pinch that lost its object
    GMC_PAIRS_RESTLESS, ///< moves, but does not roll
    GMC_PAIRS_UNSOLVED, ///< a step failed
    GMC_PAIRS_END_COUNT
} gmc_shape_pairs_end;

typedef struct gmc_shape_pairs_outcome {
    gmc_shape_pairs_end end;
    gmc_status status; ///< of the step that failed
    double h;          ///< step length [s]
    double t;          ///< when it was at rest, or ended [s]
    double drift;      ///< farthest that a point of a body came in 10 s of rest [m]
    double gain;  ///< largest kinetic energy beyond what was given, relative to the work done [-]
    double speed; ///< of the fastest point, at the end [m/s]
    double slide; ///< mean sliding at the contacts while it was watched at the end [m/s]
    long steps, contacts, iterations, hard; ///< hard: steps not solved by the first rung
} gmc_shape_pairs_outcome;

/// What a drop falls on: the shape types (fixed, on a plane), a free box on the plane, the plane
/// itself.
enum { GMC_PAIRS_FREE_BOX = GMC_SHAPE_SOLID_COUNT, GMC_PAIRS_SUPPORT_COUNT };

/// Called after every step if not NULL.
typedef void gmc_shape_pairs_trace(const gmc_stage *stage, double h);

/// Trial `index` of the drops of `object` on `support`.
gmc_shape_pairs_outcome gmc_shape_pairs_drop(gmc_shape_type object, int support, int index,
                                             const gmc_shape_pairs_hulls *hulls,
                                             gmc_shape_pairs_trace *trace);

/// Trial `index` of the pinches of `object` between two fingers.
gmc_shape_pairs_outcome gmc_shape_pairs_pinch(gmc_shape_type object, gmc_shape_type finger,
                                              int index, const gmc_shape_pairs_hulls *hulls,
                                              gmc_shape_pairs_trace *trace);

/// A cube pinched, lifted and shaken, given as a box or as `cube` (corners at +-1), the rest drawn
/// by `index`: pose, mass, friction, grip.
typedef struct gmc_shape_pairs_lift {
    bool is_success;   ///< lifted by 80 mm and slipped by at most 10 mm
    gmc_status status; ///< of the first step that failed
    double lift, slip; ///< of the cube; of the cube against the hand from the end of closing [m]
} gmc_shape_pairs_lift;

gmc_shape_pairs_lift gmc_shape_pairs_cube(int index, const gmc_polytope *cube);

const char *gmc_shape_pairs_shape_name(int support);
const char *gmc_shape_pairs_end_name(gmc_shape_pairs_end end);

#endif
