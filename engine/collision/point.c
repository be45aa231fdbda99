// Outside, the nearest point of a convex solid is unique; inside, the nearest face is taken, with
// hysteresis. A point within NEAR of the surface is treated as inside: there the difference of two
// nearly equal points has no direction, but the face has.
#include "engine/collision/point.h"

#include "engine/base/check.h"

/// Relative to the solid's radius; rounding of coordinates is 1e-16.
#define NEAR 1e-11

static double clamp(double x, double limit) { return fmax(-limit, fmin(limit, x)); }

/// Of signed distances from faces (<= 0 inside) the greatest, preferring the one before.
static int nearest_face(const double *distances, int count, int before, double keep)
{
    int best = 0;
    for (int f = 1; f < count; f++)
        if (distances[f] > distances[best]) best = f;
    if (before >= 0 && before < count && distances[before] >= distances[best] - keep) return before;
    return best;
}

/// From a nearest surface point at `offset` from p, in the geom frame.
static gmc_point_distance outside(const gmc_solid *solid, gmc_vec3 offset, double distance)
{
    return (gmc_point_distance){
        distance, gmc_mat3_apply(&solid->X.R, gmc_vec3_scale(1 / distance, offset)), -1};
}

static gmc_point_distance from_box(const gmc_solid *solid, gmc_vec3 x, int before, double keep)
{
    gmc_vec3 h = solid->shape->half;
    gmc_vec3 d = {x.x - clamp(x.x, h.x), x.y - clamp(x.y, h.y), x.z - clamp(x.z, h.z)};
    double distance = gmc_vec3_norm(d);
    if (distance > NEAR * gmc_vec3_norm(h)) {
        gmc_point_distance out = outside(solid, d, distance);
        // straight above a face: remember it for the moment the point dips in
        int axes = (d.x != 0) + (d.y != 0) + (d.z != 0), axis = d.x != 0 ? 0 : d.y != 0 ? 1 : 2;
        if (axes == 1) {
            out.face = 2 * axis + (gmc_vec3_get(d, axis) < 0);
            out.n = gmc_shape_face_normal(solid, out.face);
        }
        return out;
    }
    double distances[6] = {x.x - h.x, -x.x - h.x, x.y - h.y, -x.y - h.y, x.z - h.z, -x.z - h.z};
    int face = nearest_face(distances, 6, before, keep);
    return (gmc_point_distance){distances[face], gmc_shape_face_normal(solid, face), face};
}

static gmc_point_distance from_cylinder(const gmc_solid *solid, gmc_vec3 x, int before, double keep)
{
    double r = solid->shape->radius, h = solid->shape->half_length;
    double rho = sqrt(x.x * x.x + x.y * x.y), in = rho > r ? r / rho : 1;
    gmc_vec3 d = {x.x - in * x.x, x.y - in * x.y, x.z - clamp(x.z, h)};
    double distance = gmc_vec3_norm(d);
    if (distance > NEAR * (r + h)) return outside(solid, d, distance);
    double distances[3] = {x.z - h, -x.z - h, rho - r};
    int face = nearest_face(distances, 3, before, keep);
    gmc_vec3 n = {0, 0, face == 0 ? 1 : -1};
    if (face == 2) n = rho > 0 ? (gmc_vec3){x.x / rho, x.y / rho, 0} : (gmc_vec3){1, 0, 0};
    return (gmc_point_distance){distances[face], gmc_mat3_apply(&solid->X.R, n), face};
}

static gmc_point_distance from_capsule(const gmc_solid *solid, gmc_vec3 x)
{
    gmc_vec3 d = {x.x, x.y, x.z - clamp(x.z, solid->shape->half_length)};
    double distance = gmc_vec3_norm(d), r = solid->shape->radius;
    // on the axis every direction is as good
    if (!(distance > 0)) d = (gmc_vec3){1, 0, 0};
    gmc_point_distance out = outside(solid, d, distance > 0 ? distance : 1);
    out.distance = distance - r;
    return out;
}

/// Nearest point of a face (unscaled polytope) to x: on the face itself if x is above it, else on
/// its rim.
static gmc_vec3 nearest_on_face(const gmc_polytope *p, int face, gmc_vec3 x, int *is_above)
{
    int first = p->face_start[face], count = p->face_start[face + 1] - first;
    gmc_vec3 n = p->face_normals[face], best = x;
    double best2 = INFINITY;
    *is_above = 1;
    for (int i = 0; i < count; i++) {
        gmc_vec3 a = p->vertices[p->face_vertices[first + i]];
        gmc_vec3 b = p->vertices[p->face_vertices[first + (i + 1 < count ? i + 1 : 0)]];
        gmc_vec3 e = gmc_vec3_sub(b, a), ax = gmc_vec3_sub(x, a);
        if (gmc_vec3_dot(gmc_vec3_cross(n, e), ax) >= 0) continue; // inside of this edge
        *is_above = 0;
        double t = fmax(0, fmin(1, gmc_vec3_dot(ax, e) / gmc_vec3_dot(e, e)));
        gmc_vec3 q = gmc_vec3_add_scaled(a, t, e), d = gmc_vec3_sub(x, q);
        double d2 = gmc_vec3_dot(d, d);
        if (d2 < best2) best2 = d2, best = q;
    }
    if (!*is_above) return best;
    return gmc_vec3_add_scaled(x, p->face_offsets[face] - gmc_vec3_dot(n, x), n);
}

/// The nearest point of a convex polytope lies on a face that x is above of, or on the rim of a
/// face in whose half-space x is not: only such faces are looked at.
static gmc_point_distance from_polytope(const gmc_solid *solid, gmc_vec3 x, int before, double keep)
{
    const gmc_polytope *p = solid->shape->polytope;
    double scale = solid->shape->scale, best2 = INFINITY, highest = -INFINITY;
    gmc_vec3 u = gmc_vec3_scale(1 / scale, x), best = {0, 0, 0};
    int nearest = 0, best_face = -1, is_above;
    if (before >= 0 && before < p->face_count) {
        // above the face before: no other point is as near as the one straight below
        double height = gmc_vec3_dot(p->face_normals[before], u) - p->face_offsets[before];
        if (height > NEAR * p->radius) {
            (void)nearest_on_face(p, before, u, &is_above);
            if (is_above)
                return (gmc_point_distance){scale * height, gmc_shape_face_normal(solid, before),
                                            before};
        }
    }
    for (int f = 0; f < p->face_count; f++) {
        double height = gmc_vec3_dot(p->face_normals[f], u) - p->face_offsets[f];
        if (height > highest) highest = height, nearest = f;
        if (!(height > NEAR * p->radius) || height * height >= best2) continue;
        gmc_vec3 q = nearest_on_face(p, f, u, &is_above), d = gmc_vec3_sub(u, q);
        double d2 = gmc_vec3_dot(d, d);
        if (d2 < best2) best2 = d2, best = q, best_face = is_above ? f : -1;
    }
    if (highest > NEAR * p->radius) {
        if (best_face >= 0)
            return (gmc_point_distance){scale * highest, gmc_shape_face_normal(solid, best_face),
                                        best_face};
        double distance = sqrt(best2);
        gmc_point_distance out = outside(solid, gmc_vec3_sub(u, best), distance);
        out.distance = scale * distance;
        return out;
    }
    if (before >= 0 && before < p->face_count) {
        double height = gmc_vec3_dot(p->face_normals[before], u) - p->face_offsets[before];
        if (height >= highest - keep / scale) highest = height, nearest = before;
    }
    return (gmc_point_distance){scale * highest, gmc_shape_face_normal(solid, nearest), nearest};
}

gmc_point_distance gmc_point_solid(const gmc_solid *solid, gmc_vec3 p, int before, double keep)
{
    gmc_vec3 x = gmc_pose_apply_inverse(&solid->X, p);
    switch (solid->shape->type) {
    case GMC_SHAPE_SPHERE: {
        double distance = gmc_vec3_norm(x);
        if (!(distance > 0)) return (gmc_point_distance){-solid->shape->radius, {0, 0, 1}, -1};
        gmc_point_distance out = outside(solid, x, distance);
        out.distance = distance - solid->shape->radius;
        return out;
    }
    case GMC_SHAPE_CAPSULE:
        return from_capsule(solid, x);
    case GMC_SHAPE_BOX:
        return from_box(solid, x, before, keep);
    case GMC_SHAPE_CYLINDER:
        return from_cylinder(solid, x, before, keep);
    case GMC_SHAPE_PLANE:
        return (gmc_point_distance){x.z, gmc_mat3_column(&solid->X.R, 2), 0};
    case GMC_SHAPE_POLYTOPE:
        return from_polytope(solid, x, before, keep);
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(solid->shape->type < GMC_SHAPE_SOLID_COUNT);
    return (gmc_point_distance){INFINITY, {0, 0, 1}, -1};
}

void gmc_point_segments(const gmc_point_segment *one, const gmc_point_segment *two, double *x1,
                        double *x2)
{
    gmc_vec3 r = gmc_vec3_sub(two->centre, one->centre);
    gmc_vec3 d1 = one->direction, d2 = two->direction;
    double h1 = one->half_length, h2 = two->half_length;
    double b = gmc_vec3_dot(d1, d2), e1 = gmc_vec3_dot(r, d1), e2 = gmc_vec3_dot(r, d2);
    gmc_vec3 cross = gmc_vec3_cross(d1, d2);
    double s2 = gmc_vec3_dot(cross, cross); // sine squared; 1 - b² would cancel
    // free minimum on line 1, or its middle where the lines are parallel to rounding
    double x = s2 > 1e-24 ? clamp((e1 - b * e2) / s2, h1) : clamp(e1, h1);
    // alternate clamping is exact after two turns: each one minimises over one segment
    double y = clamp(b * x - e2, h2);
    x = clamp(e1 + b * y, h1);
    y = clamp(b * x - e2, h2);
    *x1 = x;
    *x2 = y;
}
