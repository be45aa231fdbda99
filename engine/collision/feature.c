// A disc is overlaid as what it is, a circle in its own plane: corners of the other feature are
// inside if they are within its radius after moving along the normal into that plane, and edges
// cross it at the roots of a quadratic. Rejected: a polygon of many sides in place of the circle,
// which has 0.2 % less radius at 48 sides and corners that pretend to be features.
#include "engine/collision/feature.h"

#include "engine/base/check.h"
#include "engine/collision/cylinder.h"
#include "engine/collision/overlay.h"

/// A capsule more upright than this (cosine) stands on its end.
#define UPRIGHT 0.98
/// Two circles are taken as circles in the contact plane, not ellipses, up to this tilt (sine):
/// 2e-4 of their radius.
#define TILTED 0.02

int gmc_feature_face_count(const gmc_solid *solid)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_CYLINDER) return 2;
    if (type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE) return gmc_shape_face_count(solid);
    return 0;
}

gmc_vec3 gmc_feature_face(const gmc_solid *solid, int face, double *offset)
{
    if (solid->shape->type == GMC_SHAPE_CYLINDER) {
        gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2), n = face ? axis : gmc_vec3_neg(axis);
        *offset = gmc_vec3_dot(n, solid->X.p) + solid->shape->half_length;
        return n;
    }
    gmc_vec3 n = gmc_shape_face_normal(solid, face);
    *offset = gmc_shape_face_offset(solid, face, n);
    return n;
}

int gmc_feature_face_towards(const gmc_solid *solid, gmc_vec3 dir, int *hint)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_CYLINDER) return gmc_vec3_dot(gmc_mat3_column(&solid->X.R, 2), dir) > 0;
    if (type != GMC_SHAPE_BOX && type != GMC_SHAPE_POLYTOPE) return -1;
    *hint = gmc_shape_support_vertex(solid, dir, *hint);
    return gmc_shape_face_towards(solid, *hint, dir);
}

static void place_point(gmc_polygon *polygon, const gmc_pair_axes *axes, gmc_vec3 p, int id)
{
    int i = polygon->count++;
    polygon->x[i] = gmc_vec3_dot(p, axes->t1);
    polygon->y[i] = gmc_vec3_dot(p, axes->t2);
    polygon->z[i] = gmc_vec3_dot(p, axes->n);
    polygon->id[i] = id;
}

static gmc_feature of_capsule(const gmc_solid *solid, gmc_vec3 dir, const gmc_pair_axes *axes,
                              gmc_polygon *polygon)
{
    double half = solid->shape->half_length;
    gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2);
    double along = gmc_vec3_dot(axis, dir);
    gmc_vec3 low = gmc_vec3_add_scaled(solid->X.p, solid->shape->radius, dir);
    for (int k = 0; k < 2; k++) {
        if (fabs(along) > UPRIGHT && (along > 0) != k) continue;
        place_point(polygon, axes, gmc_vec3_add_scaled(low, k ? half : -half, axis), k);
    }
    return (gmc_feature){.kind = polygon->count == 2 ? GMC_FEATURE_SEGMENT : GMC_FEATURE_POINT,
                         .polygon = polygon};
}

static gmc_feature of_cylinder(const gmc_solid *solid, gmc_vec3 dir, int was_flat,
                               const gmc_pair_axes *axes, gmc_polygon *polygon)
{
    gmc_cylinder_points points;
    gmc_cylinder_towards(solid, dir, was_flat, &points);
    for (int k = 0; k < points.count; k++)
        place_point(polygon, axes, points.points[k], points.ids[k]);
    if (points.count == 2) return (gmc_feature){.kind = GMC_FEATURE_SEGMENT, .polygon = polygon};

    double along = gmc_vec3_dot(points.cap_normal, axes->n);
    gmc_feature disc = {GMC_FEATURE_DISC,
                        polygon,
                        gmc_vec3_dot(points.cap_centre, axes->t1),
                        gmc_vec3_dot(points.cap_centre, axes->t2),
                        gmc_vec3_dot(points.cap_centre, axes->n),
                        solid->shape->radius,
                        GMC_CYLINDER_RIM + (points.ids[0] & 4 ? 1 : 0),
                        points.is_flat};
    polygon->is_steep = 0; // a cap faces dir within 45 degrees
    polygon->zx = -gmc_vec3_dot(points.cap_normal, axes->t1) / along;
    polygon->zy = -gmc_vec3_dot(points.cap_normal, axes->t2) / along;
    polygon->z0 = disc.z - polygon->zx * disc.x - polygon->zy * disc.y;
    return disc;
}

gmc_feature gmc_feature_towards(const gmc_solid *solid, const gmc_feature_view *view, int *hint,
                                gmc_polygon *polygon)
{
    const gmc_pair_axes *axes = view->axes;
    int face = view->face;
    polygon->count = 0;
    polygon->is_steep = 1;
    switch (solid->shape->type) {
    case GMC_SHAPE_CAPSULE:
        return of_capsule(solid, view->dir, axes, polygon);
    case GMC_SHAPE_CYLINDER:
        return of_cylinder(solid, view->dir, view->was_flat, axes, polygon);
    case GMC_SHAPE_BOX:
    case GMC_SHAPE_POLYTOPE:
        if (face < 0) face = gmc_feature_face_towards(solid, view->dir, hint);
        gmc_overlay_face(solid, face, axes, polygon);
        return (gmc_feature){.kind = GMC_FEATURE_POLYGON, .polygon = polygon};
    case GMC_SHAPE_SPHERE:
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    GMC_ASSERT(solid->shape->type == GMC_SHAPE_CAPSULE); // spheres and planes have other ways
    return (gmc_feature){.kind = GMC_FEATURE_POINT, .polygon = polygon};
}

static double plane_height(const gmc_polygon *polygon, double x, double y)
{
    return polygon->z0 + polygon->zx * x + polygon->zy * y;
}

/// How far the point above (x, y) in the disc's plane is outside its rim [m].
static double outside_disc(const gmc_feature *disc, double x, double y)
{
    double dx = x - disc->x, dy = y - disc->y, dz = plane_height(disc->polygon, x, y) - disc->z;
    return sqrt(dx * dx + dy * dy + dz * dz) - disc->radius;
}

/// Corner k of p.
/// @param z_other  height of the other solid there [m]
/// @param outside  how far the corner is outside the other's part [m]
static void emit_corner(const gmc_pair *pair, bool is_of_a, const gmc_polygon *p, int k,
                        double z_other, double outside)
{
    int id = p->id[k];
    double z = p->z[k];
    uint64_t feature = is_of_a ? gmc_pair_feature(GMC_FEATURE_VERTEX_A, id, 0)
                               : gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, id);
    if (outside > GMC_PAIR_TOUCH_KEEP * pair->size) return;
    if (outside > GMC_PAIR_TOUCH_NEW * pair->size && !gmc_pair_was_kept(pair->cache, feature))
        return;
    gmc_overlay_candidate(pair, p->x[k], p->y[k], is_of_a ? z : z_other, is_of_a ? z_other : z,
                          feature);
}

/// Corners of `other` that lie over the disc.
static void corners_on_disc(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                            bool disc_is_a)
{
    const gmc_polygon *p = other->polygon;
    for (int i = 0; i < p->count; i++)
        emit_corner(pair, !disc_is_a, p, i, plane_height(disc->polygon, p->x[i], p->y[i]),
                    outside_disc(disc, p->x[i], p->y[i]));
}

/// Where the edge from corner i to corner j of `other` crosses the rim.
static void edge_on_rim(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                        int i, int j, bool disc_is_a)
{
    const gmc_polygon *p = other->polygon, *plane = disc->polygon;
    double dx = p->x[i] - disc->x, dy = p->y[i] - disc->y,
           dz = plane_height(plane, p->x[i], p->y[i]) - disc->z;
    double ex = p->x[j] - p->x[i], ey = p->y[j] - p->y[i], ez = plane->zx * ex + plane->zy * ey;
    double a = ex * ex + ey * ey + ez * ez, b = dx * ex + dy * ey + dz * ez,
           c = dx * dx + dy * dy + dz * dz - disc->radius * disc->radius, root2 = b * b - a * c;
    if (!(root2 > 0) || !(a > 0)) return;
    const gmc_solid *solid = disc_is_a ? &pair->b : &pair->a;
    int edge = other->kind == GMC_FEATURE_POLYGON ? gmc_shape_edge_id(solid, p->id[i], p->id[j])
                                                  : p->id[0];
    for (int k = 0; k < 2; k++) {
        double t = (-b + (k ? sqrt(root2) : -sqrt(root2))) / a;
        if (!(t > 0 && t < 1)) continue;
        double x = p->x[i] + t * ex, y = p->y[i] + t * ey, z = p->z[i] + t * (p->z[j] - p->z[i]);
        double z_disc = plane_height(plane, x, y);
        int rim = disc->rim + 2 * k;
        gmc_overlay_candidate(
            pair, x, y, disc_is_a ? z_disc : z, disc_is_a ? z : z_disc,
            gmc_pair_feature(GMC_FEATURE_CROSSING, disc_is_a ? rim : edge, disc_is_a ? edge : rim));
    }
}

static void disc_on_polygon(const gmc_pair *pair, const gmc_feature *disc, const gmc_feature *other,
                            bool disc_is_a)
{
    const gmc_polygon *rim = disc->polygon, *p = other->polygon;
    corners_on_disc(pair, disc, other, disc_is_a);
    for (int i = 0; i + 1 < p->count; i++)
        edge_on_rim(pair, disc, other, i, i + 1, disc_is_a);
    if (other->kind != GMC_FEATURE_POLYGON) return;
    edge_on_rim(pair, disc, other, p->count - 1, 0, disc_is_a);
    if (p->is_steep) return;
    for (int k = 0; k < rim->count; k++)
        emit_corner(pair, disc_is_a, rim, k, plane_height(p, rim->x[k], rim->y[k]),
                    gmc_overlay_outside(p, rim->x[k], rim->y[k]));
}

static double tilt2(const gmc_feature *disc)
{
    return disc->polygon->zx * disc->polygon->zx + disc->polygon->zy * disc->polygon->zy;
}

static void disc_on_disc(const gmc_pair *pair, const gmc_feature *a, const gmc_feature *b)
{
    corners_on_disc(pair, a, b, true);
    corners_on_disc(pair, b, a, false);
    if (tilt2(a) > TILTED * TILTED || tilt2(b) > TILTED * TILTED) return;
    // two circles cross on the perpendicular of their line of centres
    double dx = b->x - a->x, dy = b->y - a->y, d2 = dx * dx + dy * dy, d = sqrt(d2);
    if (d < GMC_PAIR_MERGE * pair->size) return;
    double along = (d2 + a->radius * a->radius - b->radius * b->radius) / (2 * d);
    double across2 = a->radius * a->radius - along * along;
    if (!(across2 > 0)) return;
    for (int k = 0; k < 2; k++) {
        double across = k ? sqrt(across2) : -sqrt(across2);
        double x = a->x + (along * dx - across * dy) / d, y = a->y + (along * dy + across * dx) / d;
        gmc_overlay_candidate(pair, x, y, plane_height(a->polygon, x, y),
                              plane_height(b->polygon, x, y),
                              gmc_pair_feature(GMC_FEATURE_CROSSING, a->rim + 2 * k, b->rim));
    }
}

void gmc_feature_overlay(const gmc_pair *pair, const gmc_feature *a, const gmc_feature *b)
{
    if (a->kind == GMC_FEATURE_DISC && b->kind == GMC_FEATURE_DISC)
        disc_on_disc(pair, a, b);
    else if (a->kind == GMC_FEATURE_DISC)
        disc_on_polygon(pair, a, b, true);
    else if (b->kind == GMC_FEATURE_DISC)
        disc_on_polygon(pair, b, a, false);
    else if (a->kind == GMC_FEATURE_POLYGON || b->kind == GMC_FEATURE_POLYGON)
        gmc_overlay_polygons(pair, a->polygon, b->polygon);
}
