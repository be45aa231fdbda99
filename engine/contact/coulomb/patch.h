/// How far one solid reaches below a face of another: integrals over the columns that stand on the
/// face, in closed form. What a bed of springs under that face makes of them is coulomb_pad.c's.
///
/// The face ("ground") is a convex polygon with an outward normal n, or a whole plane; the other
/// solid is a box, a polytope, a cylinder or a capsule. Over a point (x, y) of the face its surface
/// stands at a height z(x, y); d = -z is the depth there. Each facet that looks at the face is
/// clipped by the face's edges and by the line where the depth comes to nothing, so corners lift
/// off, and a vertex, an edge and a face are one law; round solids likewise, a
/// cylinder's end in closed form, its side and capsules by Gauss's rule. For one face all of it is
/// continuous in the pose.
#ifndef GMC_ENGINE_CONTACT_COULOMB_PATCH_H
#define GMC_ENGINE_CONTACT_COULOMB_PATCH_H

#include "engine/collision/shape.h"

/// A face with axes of its own, fixed to the solid that it belongs to.
typedef struct gmc_patch_ground {
    gmc_vec3 origin;             ///< on it, world [m]
    gmc_vec3 n, x, y;            ///< unit, world; n out of the solid
    int count;                   ///< corners; 0: a plane without an edge
    double *corner_x, *corner_y; ///< (count) counter-clockwise about n [m]
} gmc_patch_ground;

/// Polygon with room for what clipping adds.
typedef struct gmc_patch_loop {
    int count;
    double *x, *y, *value; ///< corners, and what they are clipped by: > 0 stays
} gmc_patch_loop;

/// What of a line across a convex polygon, at y along x, is on it: the range is cut to that;
/// *from >= *to: nothing.
static inline void gmc_patch_cut_line(const double *x, const double *y, int count, double at,
                                      double *from, double *to)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        int j = i + 1 < count ? i + 1 : 0;
        double a = y[i] - at, b = y[j] - at;
        if ((a > 0) == (b > 0)) continue;
        double s = x[i] + a / (a - b) * (x[j] - x[i]);
        low = fmin(low, s);
        high = fmax(high, s);
    }
    *from = fmax(*from, low);
    *to = fmin(*to, high);
}

/// A face, the solid over it, and the room to integrate.
typedef struct gmc_patch {
    gmc_patch_ground ground;
    gmc_solid solid;
    gmc_patch_loop loops[2];
} gmc_patch;

/// A function of the place on the ground: its value at 0 and its slopes.
typedef struct gmc_patch_field {
    double at_0, along_x, along_y;
} gmc_patch_field;

/// Integrals over the columns that are deeper than a level.
typedef struct gmc_patch_moments {
    double area, x, y, xx, xy, yy;  ///< ∫ 1, x, y, x², x y, y² dA [m² ... m⁴]
    double depth, depth_x, depth_y; ///< ∫ d, d x, d y dA [m³, m⁴]
    double depth_rr; ///< ∫ d (x² + y²) dA of a rod's rounds; 0: the depth is linear [m⁵]
    double above;    ///< largest of d less the level over all columns; -inf: there are none [m]
    double deepest;  ///< largest of d likewise [m]
} gmc_patch_moments;

/// The face of a plane, box or polytope that looks along `dir` most, and how well: the cosine. Of a
/// cylinder its ends, at +z and -z; a capsule has none, cosine -inf.
int gmc_patch_face(const gmc_solid *solid, gmc_vec3 dir, double *cosine);

/// Area of a face; +inf of a plane [m²].
double gmc_patch_face_area(const gmc_solid *solid, int face);

/// Outward normal of a face.
gmc_vec3 gmc_patch_face_normal(const gmc_solid *solid, int face);

/// A face alone, as gmc_patch_open has it.
/// @param near  where a plane's origin shall be, above it or below it
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_patch_lay_ground(const gmc_solid *owner, int face, gmc_vec3 near,
                                               gmc_arena *arena, gmc_patch_ground *ground);

/// @param owner  plane, box, polytope or cylinder whose face is the ground, in the world
/// @param solid  box, polytope, cylinder or capsule, in the world
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_patch_open(const gmc_solid *owner, int face, const gmc_solid *solid,
                                         gmc_arena *arena, gmc_patch *patch);

/// Integrals over the columns that are deeper than `level`.
gmc_patch_moments gmc_patch_integrate(gmc_patch *patch, gmc_patch_field level);

/// Points of the quadrature that stands for a patch.
enum { GMC_PATCH_POINTS = 7 };

/// Places and shares of area that have the area, the first and the second moments of the region,
/// hence force, both moments and their stiffness of any linear pressure on it exactly; and that
/// bear sliding and spinning together within 3 % of what uniform pressure bears on a disc or on a
/// rectangle up to 5 times as long as wide, 4 % on longer ones (spinning alone, 0.5 % on a line):
/// six on the ellipse of inertia, one in its middle; nearer by up to 8 % where one would not be
/// above the level of the region.
typedef struct gmc_patch_points {
    double x[GMC_PATCH_POINTS], y[GMC_PATCH_POINTS]; ///< [m]
    double share[GMC_PATCH_POINTS];                  ///< [m²]
    double depth[GMC_PATCH_POINTS]; ///< with the integrals of the depth; linear in the place, but
                                    ///< under a ball deeper in the middle, so that its pressure
                                    ///< turns as hard as it does: a mean radius of 8/15 [m]
} gmc_patch_points;

/// @param level  above which the region is
void gmc_patch_place(const gmc_patch_moments *moments, gmc_patch_field level,
                     gmc_patch_points *points);

#endif
