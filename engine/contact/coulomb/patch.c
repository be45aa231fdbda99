// What of a solid stands under a face, cut into pieces whose integrals are known: facets clipped by
// the face's edges and by the line of no depth, then summed by triangles; cylinders' ends as parts
// of a circle; round sides in slices, along a slice in closed form, over slices by Gauss's rule.
#include "engine/contact/coulomb/patch.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

/// A triangle seen with less area than this against the squares of its sides carries no column.
static const double STEEP = 1e-9;
/// Corners of the end of a cylinder as a ground: of the polygon with its area, whose second moments
/// are those of the disc to 2e-6 and whose edges are within 1.5e-3 of its radius.
enum { RIM_CORNERS = 48 };

static double field_at(gmc_patch_field f, double x, double y)
{
    return f.at_0 + f.along_x * x + f.along_y * y;
}

int gmc_patch_face(const gmc_solid *solid, gmc_vec3 dir, double *cosine)
{
    gmc_shape_type type = solid->shape->type;
    if (type == GMC_SHAPE_PLANE || gmc_shape_is_rod(type)) {
        double along = gmc_vec3_dot(gmc_mat3_column(&solid->X.R, 2), dir);
        *cosine = type == GMC_SHAPE_PLANE ? along : fabs(along);
        if (type == GMC_SHAPE_CAPSULE) *cosine = -INFINITY;
        return type != GMC_SHAPE_PLANE && along < 0;
    }
    int best = 0, count = gmc_shape_face_count(solid);
    *cosine = -INFINITY;
    for (int f = 0; f < count; f++) {
        double along = gmc_vec3_dot(gmc_shape_face_normal(solid, f), dir);
        if (!(along > *cosine)) continue;
        *cosine = along;
        best = f;
    }
    return best;
}

gmc_vec3 gmc_patch_face_normal(const gmc_solid *solid, int face)
{
    gmc_shape_type type = solid->shape->type;
    if (type != GMC_SHAPE_PLANE && !gmc_shape_is_rod(type))
        return gmc_shape_face_normal(solid, face);
    gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2);
    return face == 0 ? axis : gmc_vec3_neg(axis);
}

double gmc_patch_face_area(const gmc_solid *solid, int face)
{
    if (solid->shape->type == GMC_SHAPE_PLANE) return INFINITY;
    if (gmc_shape_is_rod(solid->shape->type))
        return GMC_PI * solid->shape->radius * solid->shape->radius;
    int count;
    const int *loop = gmc_shape_face_loop(solid, face, &count);
    gmc_vec3 o = gmc_shape_vertex(solid, loop[0]), sum = {0, 0, 0};
    for (int i = 1; i + 1 < count; i++) {
        gmc_vec3 u = gmc_vec3_sub(gmc_shape_vertex(solid, loop[i]), o);
        gmc_vec3 v = gmc_vec3_sub(gmc_shape_vertex(solid, loop[i + 1]), o);
        sum = gmc_vec3_add(sum, gmc_vec3_cross(u, v));
    }
    return 0.5 * gmc_vec3_norm(sum);
}

static gmc_status open_corners(int count, gmc_arena *arena, gmc_patch_ground *ground)
{
    ground->count = count;
    ground->corner_x = GMC_ROOM(arena, 2 * count, double);
    if (!ground->corner_x) return GMC_E_ARENA_FULL;
    ground->corner_y = ground->corner_x + count;
    return GMC_OK;
}

/// The end of a cylinder; its corners are fixed to it.
static gmc_status lay_end(const gmc_solid *solid, gmc_arena *arena, gmc_patch_ground *ground)
{
    ground->x = gmc_mat3_column(&solid->X.R, 0);
    ground->y = gmc_vec3_cross(ground->n, ground->x);
    ground->origin = gmc_vec3_add_scaled(solid->X.p, solid->shape->half_length, ground->n);
    GMC_TRY(open_corners(RIM_CORNERS, arena, ground));
    double c, s, turn = 2 * GMC_PI / RIM_CORNERS;
    gmc_sin_cos(turn, &s, &c);
    double radius = solid->shape->radius * sqrt(turn / s), x = radius, y = 0;
    for (int i = 0; i < RIM_CORNERS; i++) {
        ground->corner_x[i] = x;
        ground->corner_y[i] = y;
        double next = c * x - s * y;
        y = s * x + c * y;
        x = next;
    }
    return GMC_OK;
}

gmc_status gmc_patch_lay_ground(const gmc_solid *solid, int face, gmc_vec3 near, gmc_arena *arena,
                                gmc_patch_ground *ground)
{
    *ground = (gmc_patch_ground){.n = gmc_patch_face_normal(solid, face)};
    if (solid->shape->type == GMC_SHAPE_PLANE) {
        double height = gmc_vec3_dot(ground->n, gmc_vec3_sub(near, solid->X.p));
        ground->origin = gmc_vec3_add_scaled(near, -height, ground->n);
        ground->x = gmc_mat3_column(&solid->X.R, 0);
        ground->y = gmc_mat3_column(&solid->X.R, 1);
        return GMC_OK;
    }
    if (gmc_shape_is_rod(solid->shape->type)) return lay_end(solid, arena, ground);
    int count;
    const int *loop = gmc_shape_face_loop(solid, face, &count);
    gmc_vec3 first = gmc_shape_vertex(solid, loop[0]);
    ground->x = gmc_vec3_unit(gmc_vec3_sub(gmc_shape_vertex(solid, loop[1]), first));
    ground->y = gmc_vec3_cross(ground->n, ground->x);
    ground->origin = first;
    GMC_TRY(open_corners(count, arena, ground));
    for (int i = 0; i < count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(gmc_shape_vertex(solid, loop[i]), first);
        ground->corner_x[i] = gmc_vec3_dot(ground->x, arm);
        ground->corner_y[i] = gmc_vec3_dot(ground->y, arm);
    }
    return GMC_OK;
}

static gmc_status open_loop(int corners, gmc_arena *arena, gmc_patch_loop *l)
{
    *l = (gmc_patch_loop){.x = GMC_ROOM(arena, 3 * corners, double)};
    if (!l->x) return GMC_E_ARENA_FULL;
    l->y = l->x + corners;
    l->value = l->y + corners;
    return GMC_OK;
}

gmc_status gmc_patch_open(const gmc_solid *owner, int face, const gmc_solid *solid,
                          gmc_arena *arena, gmc_patch *patch)
{
    patch->solid = *solid;
    GMC_TRY(gmc_patch_lay_ground(owner, face, solid->X.p, arena, &patch->ground));
    int corners = 4; // round: the square about an end
    for (int f = 0; !gmc_shape_is_rod(solid->shape->type) && f < gmc_shape_face_count(solid); f++) {
        int count;
        (void)gmc_shape_face_loop(solid, f, &count);
        if (count > corners) corners = count;
    }
    corners += patch->ground.count + 1; // each line that clips adds one at most
    GMC_TRY(open_loop(corners, arena, &patch->loops[0]));
    return open_loop(corners, arena, &patch->loops[1]);
}

// ---- a facet -----------------------------------------------------------------------------------

/// What of a convex loop has a value > 0.
static void clip_loop(const gmc_patch_loop *from, gmc_patch_loop *to)
{
    to->count = 0;
    for (int i = 0; i < from->count; i++) {
        int j = i + 1 < from->count ? i + 1 : 0;
        double a = from->value[i], b = from->value[j];
        if (a > 0) {
            to->x[to->count] = from->x[i];
            to->y[to->count++] = from->y[i];
        }
        if ((a > 0) == (b > 0)) continue;
        double t = a / (a - b);
        to->x[to->count] = from->x[i] + t * (from->x[j] - from->x[i]);
        to->y[to->count++] = from->y[i] + t * (from->y[j] - from->y[i]);
    }
}

static void exchange(gmc_patch_loop *a, gmc_patch_loop *b)
{
    gmc_patch_loop c = *a;
    *a = *b;
    *b = c;
}

/// What of a loop is over the ground.
static void clip_by_ground(const gmc_patch_ground *ground, gmc_patch_loop *l, gmc_patch_loop *other)
{
    for (int i = 0; i < ground->count && l->count > 0; i++) {
        int j = i + 1 < ground->count ? i + 1 : 0;
        double ex = ground->corner_x[j] - ground->corner_x[i];
        double ey = ground->corner_y[j] - ground->corner_y[i];
        for (int k = 0; k < l->count; k++) // > 0 to the left
            l->value[k] =
                ex * (l->y[k] - ground->corner_y[i]) - ey * (l->x[k] - ground->corner_x[i]);
        clip_loop(l, other);
        exchange(l, other);
    }
}

/// Add the triangle of the origin, a and b, counter-clockwise: area to yy, about the origin.
static void add_triangle(double ax, double ay, double bx, double by, gmc_patch_moments *m)
{
    double twice = ax * by - ay * bx;
    m->area += twice / 2;
    m->x += twice * (ax + bx) / 6;
    m->y += twice * (ay + by) / 6;
    m->xx += twice * (ax * ax + ax * bx + bx * bx) / 12;
    m->yy += twice * (ay * ay + ay * by + by * by) / 12;
    m->xy += twice * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by) / 24;
}

/// Add area to yy of something turned, about a point of another place.
/// @param c, s    cosine and sine of its turn
/// @param x, y    where it is
static void add_turned(const gmc_patch_moments *one, double c, double s, double x, double y,
                       gmc_patch_moments *m)
{
    double mx = c * one->x - s * one->y, my = s * one->x + c * one->y;
    double xx = c * c * one->xx - 2 * c * s * one->xy + s * s * one->yy;
    double yy = s * s * one->xx + 2 * c * s * one->xy + c * c * one->yy;
    double xy = c * s * (one->xx - one->yy) + (c * c - s * s) * one->xy;
    m->area += one->area;
    m->x += mx + x * one->area;
    m->y += my + y * one->area;
    m->xx += xx + 2 * x * mx + x * x * one->area;
    m->yy += yy + 2 * y * my + y * y * one->area;
    m->xy += xy + x * my + y * mx + x * y * one->area;
}

/// Add an area on which the depth is linear.
/// @param local   area to yy, about (x0, y0); the rest is not read
static void add_area(const gmc_patch_moments *local, double x0, double y0, gmc_patch_field depth,
                     gmc_patch_moments *m)
{
    double area = local->area, x = local->x, y = local->y;
    double xx = local->xx, xy = local->xy, yy = local->yy;
    xx += 2 * x0 * x + x0 * x0 * area;
    yy += 2 * y0 * y + y0 * y0 * area;
    xy += x0 * y + y0 * x + x0 * y0 * area;
    x += x0 * area;
    y += y0 * area;
    m->area += area;
    m->x += x;
    m->y += y;
    m->xx += xx;
    m->xy += xy;
    m->yy += yy;
    m->depth += depth.at_0 * area + depth.along_x * x + depth.along_y * y;
    m->depth_x += depth.at_0 * x + depth.along_x * xx + depth.along_y * xy;
    m->depth_y += depth.at_0 * y + depth.along_x * xy + depth.along_y * yy;
}

// ---- a polygon and a circle --------------------------------------------------------------------

// What a convex polygon and a circle about the origin share: a polygon, whose edges are the parts
// of the polygon's edges within the circle and the chords between them, and segments of the circle
// on these chords. In closed form; thin segments by a rule that keeps their digits.

/// Chords shorter than this share of the radius are none.
static const double SHORTEST = 1e-12;
/// A segment whose chord is farther from the middle than this share of the radius is thin.
static const double THIN = 0.85;

/// Part of an edge of a polygon that is within the circle: from (ax, ay) to (bx, by).
typedef struct chord {
    double ax, ay, bx, by;
} chord;

/// @return whether there is one
static bool cut_chord(const gmc_patch_loop *l, int i, double radius, chord *c)
{
    int j = i + 1 < l->count ? i + 1 : 0;
    double dx = l->x[j] - l->x[i], dy = l->y[j] - l->y[i], length = sqrt(dx * dx + dy * dy);
    if (!(length > 0)) return false;
    dx /= length;
    dy /= length;
    double off = dx * l->y[i] - dy * l->x[i]; // of the line: foot at off (-dy, dx)
    double half2 = radius * radius - off * off;
    if (!(half2 > 0)) return false;
    double half = sqrt(half2), from = dx * l->x[i] + dy * l->y[i], to = from + length;
    *c = (chord){-off * dy - half * dx, off * dx - half * dy, -off * dy + half * dx,
                 off * dx + half * dy};
    if (from > -half) c->ax = l->x[i], c->ay = l->y[i];
    if (to < half) c->bx = l->x[j], c->by = l->y[j];
    return fmin(to, half) - fmax(from, -half) > SHORTEST * radius;
}

/// Is a point in a convex loop, counter-clockwise?
static bool contains(const gmc_patch_loop *l, double x, double y)
{
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double ex = l->x[j] - l->x[i], ey = l->y[j] - l->y[i];
        if (!(ex * (y - l->y[i]) - ey * (x - l->x[i]) >= 0)) return false;
    }
    return l->count >= 3;
}

/// Largest value of a field on that; -inf: there is nothing.
static double most_in_disc(const gmc_patch_loop *l, double radius, gmc_patch_field f)
{
    double most = -INFINITY, slope2 = f.along_x * f.along_x + f.along_y * f.along_y;
    double out = slope2 > 0 ? radius / sqrt(slope2) : 0;
    if (contains(l, out * f.along_x, out * f.along_y))
        return field_at(f, out * f.along_x, out * f.along_y);
    for (int i = 0; i < l->count; i++) {
        chord c;
        if (!cut_chord(l, i, radius, &c)) continue;
        most = fmax(most, field_at(f, c.ax, c.ay));
        most = fmax(most, field_at(f, c.bx, c.by));
    }
    return most;
}

/// A segment of the circle: between a chord of half its length `half`, `far` from the centre (< 0:
/// beyond it), and the arc. Moments about the middle of the chord, x outwards, y along it.
static gmc_patch_moments segment_of(double radius, double half, double far)
{
    static const double AT[3] = {0.23861918608319691, 0.66120938646626451, 0.93246951420315203};
    static const double SHARE[3] = {0.46791393457269104, 0.36076157304813861, 0.17132449237917036};
    gmc_patch_moments m = {.area = 0};
    double r2 = radius * radius;
    if (far > THIN * radius) { // flat: the closed form has no digits
        for (int i = 0; i < 3; i++) {
            double y = AT[i] * half, w = 2 * SHARE[i] * half;
            double h = (half * half - y * y) / (sqrt(r2 - y * y) + far);
            m.area += w * h;
            m.x += w * h * h / 2;
            m.xx += w * h * h * h / 3;
            m.yy += w * h * y * y;
        }
        return m;
    }
    double angle = gmc_atan2(half, far), both = half * far / r2, cube = half * half * half;
    m.area = r2 * (angle - both);
    double x = 2.0 / 3 * cube, xx = r2 * r2 / 4 * (angle - both) + cube * far / 2;
    m.yy = r2 * r2 / 4 * (angle - both) - cube * far / 6;
    m.x = x - far * m.area;
    m.xx = xx - 2 * far * x + far * far * m.area;
    return m;
}

/// Add the segment on the arc over a chord of the circle, counter-clockwise, moments about (x0,
/// y0).
static void add_arc(double radius, chord c, double x0, double y0, gmc_patch_moments *m)
{
    double dx = c.bx - c.ax, dy = c.by - c.ay, length = sqrt(dx * dx + dy * dy);
    if (!(length > SHORTEST * radius)) return;
    double out_x = dy / length, out_y = -dx / length; // to the right of the chord
    double mx = (c.ax + c.bx) / 2, my = (c.ay + c.by) / 2, far = mx * out_x + my * out_y;
    gmc_patch_moments one = segment_of(radius, length / 2, far);
    add_turned(&one, out_x, out_y, mx - x0, my - y0, m);
}

/// What of a loop is in the circle about the origin: area to yy about a point of it,
/// (*x0, *y0).
static gmc_patch_moments part_in_disc(const gmc_patch_loop *l, double radius, double *x0,
                                      double *y0)
{
    gmc_patch_moments m = {.area = 0};
    chord first = {0, 0, 0, 0}, last = first, c;
    int count = 0;
    *x0 = *y0 = 0;
    for (int i = 0; i < l->count; i++) {
        if (!cut_chord(l, i, radius, &c)) continue;
        if (count++ == 0) {
            first = last = c;
            *x0 = c.ax;
            *y0 = c.ay;
            continue;
        }
        add_triangle(last.bx - *x0, last.by - *y0, c.ax - *x0, c.ay - *y0, &m);
        add_triangle(c.ax - *x0, c.ay - *y0, c.bx - *x0, c.by - *y0, &m);
        add_arc(radius, (chord){last.bx, last.by, c.ax, c.ay}, *x0, *y0, &m);
        last = c;
    }
    if (count > 0) {
        add_arc(radius, (chord){last.bx, last.by, first.ax, first.ay}, *x0, *y0, &m);
        return m;
    }
    if (!contains(l, 0, 0)) return m;
    m.area = GMC_PI * radius * radius;
    m.xx = m.yy = m.area * radius * radius / 4;
    return m;
}

// ---- under a cylinder or a capsule -------------------------------------------------------------

// Columns under a cylinder or a capsule. What looks down of a cylinder is an end and half of its
// side, of a capsule half of the side and of the balls at its ends:
//
//   end    a disc: the depth is linear on it, and the region is the disc cut by straight lines, the
//          ground's edges and the line where the depth comes to nothing. In closed form: a polygon
//          and the segments of the circle on its chords. It does not depend on where the solid
//          turned about its axis, and a prism of so many facets in its place would roll over its
//          corners.
//   side   cut upright along the axis at the distance t from it, it is a straight line,
//          ρ = √(R² - t²) below the axis: integrals along it in closed form, over t by Gauss's
//          rule. Exact where the shape of the region does not change within the range of t, 1e-3
//          where it does.
//   ball   cut likewise it is a circle of that radius: Gauss's rule both ways.
//
// All in axes of the ground: s along the axis of the solid as the ground sees it, t to the left.

/// An end nearer to edge-on than this (sine), a side as near to upright, carry no column.
static const double EDGE_ON = 1e-9, UPRIGHT = 1e-6;

/// The solid as the ground sees it.
typedef struct view {
    double radius, half; ///< [m]
    double x, y, z;      ///< its centre [m]
    double s_x, s_y;     ///< unit, along its axis; t is (-s_y, s_x)
    double level, rise;  ///< of the axis, >= 0, cosine and sine of its slope
    const gmc_patch *patch;
    gmc_patch_field above; ///< level of depth: at the centre, along s, along t
} view;

static view patch_look(const gmc_patch *patch, gmc_patch_field level)
{
    const gmc_patch_ground *g = &patch->ground;
    gmc_vec3 p = gmc_vec3_sub(patch->solid.X.p, g->origin);
    gmc_vec3 axis = gmc_mat3_column(&patch->solid.X.R, 2);
    double ax = gmc_vec3_dot(axis, g->x), ay = gmc_vec3_dot(axis, g->y);
    double az = gmc_vec3_dot(axis, g->n), sign = az < 0 ? -1 : 1, flat = sqrt(ax * ax + ay * ay);
    view v = {.radius = patch->solid.shape->radius,
              .half = patch->solid.shape->half_length,
              .x = gmc_vec3_dot(p, g->x),
              .y = gmc_vec3_dot(p, g->y),
              .z = gmc_vec3_dot(p, g->n),
              .s_x = flat > 0 ? sign * ax / flat : 1,
              .s_y = flat > 0 ? sign * ay / flat : 0,
              .level = flat,
              .rise = fabs(az),
              .patch = patch};
    v.above =
        (gmc_patch_field){field_at(level, v.x, v.y), level.along_x * v.s_x + level.along_y * v.s_y,
                          level.along_y * v.s_x - level.along_x * v.s_y};
    return v;
}

static double place_s(const view *v, double x, double y)
{
    return (x - v->x) * v->s_x + (y - v->y) * v->s_y;
}

static double place_t(const view *v, double x, double y)
{
    return (y - v->y) * v->s_x - (x - v->x) * v->s_y;
}

// ---- an end ------------------------------------------------------------------------------------

/// The end that looks down. In its own plane it is a circle: u along s, stretched by the slope, and
/// t.
static void add_end(gmc_patch *patch, const view *v, gmc_patch_moments *m)
{
    if (!(v->rise > EDGE_ON)) return;
    const gmc_patch_ground *g = &patch->ground;
    gmc_patch_loop *l = &patch->loops[0], *other = &patch->loops[1];
    double middle = -v->half * v->level; // along s
    if (g->count == 0) {
        const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
        l->count = 4;
        for (int i = 0; i < 4; i++) {
            l->x[i] = 2 * v->radius * x[i];
            l->y[i] = 2 * v->radius * y[i];
        }
    } else {
        l->count = g->count;
        for (int i = 0; i < g->count; i++) {
            l->x[i] = (place_s(v, g->corner_x[i], g->corner_y[i]) - middle) / v->rise;
            l->y[i] = place_t(v, g->corner_x[i], g->corner_y[i]);
        }
    }
    // depth over (u, t), and how far it is above the level
    gmc_patch_field depth = {v->half * v->rise - v->z, v->level, 0};
    gmc_patch_field above = {depth.at_0 - v->above.at_0 - v->above.along_x * middle,
                             depth.along_x - v->above.along_x * v->rise, -v->above.along_y};
    double most = most_in_disc(l, v->radius, above);
    if (!(most > -HUGE_VAL)) return;
    m->above = fmax(m->above, most);
    m->deepest = fmax(m->deepest, most_in_disc(l, v->radius, depth));
    if (!(most > 0)) return;
    for (int i = 0; i < l->count; i++)
        l->value[i] = field_at(above, l->x[i], l->y[i]);
    clip_loop(l, other);
    double u0, t0;
    gmc_patch_moments disc = part_in_disc(other, v->radius, &u0, &t0);
    if (!(disc.area > 0)) return;
    // as the ground sees it: u shortened, then turned
    gmc_patch_moments seen = {.area = 0}, shortened = {.area = v->rise * disc.area,
                                                       .x = v->rise * v->rise * disc.x,
                                                       .y = v->rise * disc.y,
                                                       .xx = v->rise * v->rise * v->rise * disc.xx,
                                                       .xy = v->rise * v->rise * disc.xy,
                                                       .yy = v->rise * disc.yy};
    add_turned(&shortened, v->s_x, v->s_y, 0, 0, &seen);
    double s0 = middle + v->rise * u0, slope = v->level / v->rise;
    gmc_patch_field field = {.along_x = slope * v->s_x, .along_y = slope * v->s_y};
    double x0 = v->x + s0 * v->s_x - t0 * v->s_y, y0 = v->y + s0 * v->s_y + t0 * v->s_x;
    field.at_0 = depth.at_0 + v->level * u0 - field.along_x * x0 - field.along_y * y0;
    add_area(&seen, x0, y0, field, m);
}

// ---- slices ------------------------------------------------------------------------------------

/// What is integrated: over s and t about the solid's centre.
typedef struct slices {
    gmc_patch_moments sum;
    double low, high;       ///< of the ground, along t
    gmc_patch_loop *ground; ///< its corners in (s, t); count 0: everywhere
} slices;

enum { SLICES = 8, PLACES = 4, BREAKS = 10 };
static const double SLICE_AT[SLICES] = {
    -0.96028985649753623, -0.79666647741362674, -0.52553240991632899, -0.18343464249564980,
    0.18343464249564980,  0.52553240991632899,  0.79666647741362674,  0.96028985649753623};
static const double SLICE_SHARE[SLICES] = {
    0.10122853629037626, 0.22238103445337447, 0.31370664587788729, 0.36268378337836198,
    0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};
static const double PLACE_AT[PLACES] = {-0.86113631159405258, -0.33998104358485626,
                                        0.33998104358485626, 0.86113631159405258};
static const double PLACE_SHARE[PLACES] = {0.34785484513745386, 0.65214515486254614,
                                           0.65214515486254614, 0.34785484513745386};

static slices open_slices(gmc_patch *patch, const view *v)
{
    const gmc_patch_ground *g = &patch->ground;
    slices made = {.low = -INFINITY, .high = INFINITY, .ground = &patch->loops[0]};
    made.sum = (gmc_patch_moments){.above = -INFINITY, .deepest = -INFINITY};
    made.ground->count = g->count;
    for (int i = 0; i < g->count; i++) {
        double t = place_t(v, g->corner_x[i], g->corner_y[i]);
        made.ground->x[i] = place_s(v, g->corner_x[i], g->corner_y[i]);
        made.ground->y[i] = t;
        made.low = i > 0 ? fmin(made.low, t) : t;
        made.high = i > 0 ? fmax(made.high, t) : t;
    }
    return made;
}

/// What of a slice is over the ground; from > to: nothing.
static void bound_slice(const gmc_patch_loop *l, double t, double *from, double *to)
{
    if (l->count > 0) gmc_patch_cut_line(l->x, l->y, l->count, t, from, to);
}

/// Where a function of t is > 0.
typedef struct range {
    double low, high, peak; ///< from, to, where it is most
    bool is_somewhere;
} range;

/// Where amount + across √(R² - t²) - along t > 0, all over the ground if it is nowhere.
static range find_range(const slices *of, double radius, double amount, double across, double along)
{
    double size = sqrt(across * across + along * along), q = -amount / (radius * size);
    double c = across / size, s = -along / size; // of the angle at which it is most
    range r = {fmax(-radius, of->low), fmin(radius, of->high), 0, q < 1};
    r.peak = fmin(fmax(radius * s, r.low), r.high);
    if (!(q < 1) || !(q > -1)) return r;
    double root = sqrt(1 - q * q);
    if (c * q + s * root > 0) r.low = fmax(r.low, radius * (s * q - c * root));
    if (c * q - s * root > 0) r.high = fmin(r.high, radius * (s * q + c * root));
    return r;
}

/// Add a column, of so much area, to integrals.
static void add_column(double area, double s, double t, double depth, gmc_patch_moments *m)
{
    m->area += area;
    m->x += area * s;
    m->y += area * t;
    m->xx += area * s * s;
    m->xy += area * s * t;
    m->yy += area * t * t;
    m->depth += area * depth;
    m->depth_x += area * depth * s;
    m->depth_y += area * depth * t;
    m->depth_rr += area * depth * (s * s + t * t);
}

/// A slice of the side at t, of width w; w = 0: only how deep it is.
static void add_side_slice(const view *v, double t, double w, slices *to)
{
    double rho = sqrt(fmax(v->radius * v->radius - t * t, 0)), slope = -v->rise / v->level;
    double from = rho * v->rise - v->half * v->level, end = rho * v->rise + v->half * v->level;
    bound_slice(to->ground, t, &from, &end);
    if (!(from < end)) return;
    // depth and what is above the level, linear in s
    double depth = rho / v->level - v->z, lift = slope - v->above.along_x;
    double above = depth - v->above.at_0 - v->above.along_y * t;
    double most = above + lift * (lift > 0 ? end : from);
    to->sum.above = fmax(to->sum.above, most);
    to->sum.deepest = fmax(to->sum.deepest, depth + slope * from);
    if (!(most > 0) || w == 0) return;
    if (above + lift * from < 0) from = fmax(from, -above / lift);
    if (above + lift * end < 0) end = fmin(end, -above / lift);
    // two points have integrals of s² and of depth s
    double half = (end - from) / 2, middle = (from + end) / 2, out = half * 0.57735026918962576;
    for (int i = -1; i <= 1; i += 2) {
        double s = middle + i * out;
        add_column(w * half, s, t, depth + slope * s, &to->sum);
    }
}

/// A ball at an end of the solid.
typedef struct ball {
    double s, z;   ///< its middle
    bool is_upper; ///< the upper end: columns from where the side ends, else up to there
} ball;

/// A slice of a ball at t, of width w.
static void add_ball_slice(const view *v, const ball *b, double t, double w, slices *to)
{
    double s_ball = b->s, z = b->z;
    double rho2 = fmax(v->radius * v->radius - t * t, 0), rho = sqrt(rho2), seam = rho * v->rise;
    double from = s_ball + (b->is_upper ? seam : -rho), end = s_ball + (b->is_upper ? rho : seam);
    bound_slice(to->ground, t, &from, &end);
    if (!(from < end)) return;
    // x from the middle: √(ρ² - x²) > base + a x
    double a = v->above.along_x;
    double base = z + v->above.at_0 + a * s_ball + v->above.along_y * t, size2 = 1 + a * a;
    double lowest = fmin(fmax(0, from - s_ball), end - s_ball);
    double most_at = fmin(fmax(-a * rho / sqrt(size2), from - s_ball), end - s_ball);
    double most = sqrt(fmax(rho2 - most_at * most_at, 0)) - base - a * most_at;
    to->sum.above = fmax(to->sum.above, most);
    to->sum.deepest = fmax(to->sum.deepest, sqrt(fmax(rho2 - lowest * lowest, 0)) - z);
    double det = rho2 * size2 - base * base;
    if (!(most > 0) || w == 0) return;
    if (det > 0) {
        double root = sqrt(det), left = (-base * a - root) / size2, right = left + 2 * root / size2;
        if (base + a * left > 0) from = fmax(from, s_ball + left);
        if (base + a * right > 0) end = fmin(end, s_ball + right);
    }
    if (!(from < end)) return;
    double half = (end - from) / 2, middle = (from + end) / 2;
    for (int i = 0; i < PLACES; i++) {
        double s = middle + half * PLACE_AT[i], x = s - s_ball;
        double depth = sqrt(fmax(rho2 - x * x, 0)) - z;
        add_column(w * half * PLACE_SHARE[i], s, t, depth, &to->sum);
    }
}

/// Add t to an ordered list of places between its ends, if there is room.
static void add_break(double t, double *list, int *count)
{
    if (!(t > list[0] && t < list[*count - 1]) || *count >= BREAKS) return;
    int at = (*count)++;
    for (; list[at - 1] > t; at--)
        list[at] = list[at - 1];
    list[at] = t;
}

/// Where the shape of a region changes: at corners of the ground, and where its edges cross the
/// lines s = from and s = end.
/// @param list  in: the range; out: with what is within it
static void find_breaks(const slices *of, double from, double end, double *list, int *count)
{
    const gmc_patch_loop *l = of->ground;
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double a = l->x[i], b = l->x[j];
        if (a > from && a < end) add_break(l->y[i], list, count);
        if ((a > from) != (b > from))
            add_break(l->y[i] + (from - a) / (b - a) * (l->y[j] - l->y[i]), list, count);
        if ((a > end) != (b > end))
            add_break(l->y[i] + (end - a) / (b - a) * (l->y[j] - l->y[i]), list, count);
    }
}

/// Where edges of the ground cross the rim of what is pressed by a ball: all but a circle about (s,
/// middle of the range).
static void find_rim_breaks(const slices *of, double s, double *list, int *count)
{
    const gmc_patch_loop *l = of->ground;
    double radius = (list[1] - list[0]) / 2, t = (list[0] + list[1]) / 2;
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double ds = l->x[j] - l->x[i], dt = l->y[j] - l->y[i], length = sqrt(ds * ds + dt * dt);
        if (!(length > 0)) continue;
        double along = ((s - l->x[i]) * ds + (t - l->y[i]) * dt) / length;
        double off = ((s - l->x[i]) * dt - (t - l->y[i]) * ds) / length;
        double half2 = radius * radius - off * off;
        if (!(half2 > 0)) continue;
        for (int k = -1; k <= 1; k += 2) {
            double at = along + k * sqrt(half2);
            if (at > 0 && at < length) add_break(l->y[i] + at / length * dt, list, count);
        }
    }
}

/// How deep the side is where edges of the ground cut it off from its deepest: along one,
/// s = a + b t, the depth √(R² - t²)/level + (slope b - along) t is most at one t.
static void look_along_edges(const view *v, double slope, double along, slices *to)
{
    const gmc_patch_loop *l = to->ground;
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double dt = l->y[j] - l->y[i], ds = l->x[j] - l->x[i];
        if (!(fabs(dt) > EDGE_ON * fabs(ds))) continue;
        double q = v->level * (slope * ds / dt - along), t = v->radius * q / sqrt(1 + q * q);
        t = fmin(fmax(t, fmin(l->y[i], l->y[j])), fmax(l->y[i], l->y[j]));
        if (fabs(t) < v->radius) add_side_slice(v, t, 0, to);
    }
}

static void add_side(const view *v, slices *to)
{
    if (!(v->level > UPRIGHT)) return;
    // most of it at the end that is deeper
    double lift = fabs(v->rise / v->level + v->above.along_x) * v->half * v->level;
    const range r = find_range(to, v->radius, lift - v->z - v->above.at_0,
                               v->level - v->above.along_x * v->rise, v->above.along_y);
    if (!(r.low < r.high)) return;
    add_side_slice(v, r.peak, 0, to);
    look_along_edges(v, -v->rise / v->level, 0, to);
    look_along_edges(v, -v->rise / v->level - v->above.along_x, v->above.along_y, to);
    double breaks[BREAKS] = {r.low, r.high}, lowest = v->radius * v->rise;
    int count = 2;
    find_breaks(to, lowest - v->half * v->level, lowest + v->half * v->level, breaks, &count);
    for (int k = 0; k + 1 < count; k++) {
        double half = (breaks[k + 1] - breaks[k]) / 2, middle = (breaks[k] + breaks[k + 1]) / 2;
        for (int i = 0; i < SLICES; i++)
            add_side_slice(v, middle + half * SLICE_AT[i],
                           r.is_somewhere ? half * SLICE_SHARE[i] : 0, to);
    }
}

/// The same of a ball about (s, 0): at the foot of its middle on an edge.
static void look_at_feet(const view *v, const ball *b, slices *to)
{
    const gmc_patch_loop *l = to->ground;
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double dt = l->y[j] - l->y[i], ds = l->x[j] - l->x[i], size2 = ds * ds + dt * dt;
        if (!(size2 > 0)) continue;
        double along = ((b->s - l->x[i]) * ds - l->y[i] * dt) / size2;
        double t = l->y[i] + fmin(fmax(along, 0), 1) * dt;
        if (fabs(t) < v->radius) add_ball_slice(v, b, t, 0, to);
    }
}

static void add_ball(const view *v, bool is_upper, slices *to)
{
    double sign = is_upper ? 1 : -1, s = sign * v->half * v->level;
    double z = v->z + sign * v->half * v->rise;
    const ball b = {s, z, is_upper};
    double a = v->above.along_x, amount = -z - v->above.at_0 - a * s;
    const range r = find_range(to, v->radius, amount, sqrt(1 + a * a), v->above.along_y);
    if (!(r.low < r.high)) return;
    add_ball_slice(v, &b, r.peak, 0, to);
    look_at_feet(v, &b, to);
    double breaks[BREAKS] = {r.low, r.high}, seam = s + v->radius * v->rise;
    int count = 2;
    find_rim_breaks(to, s, breaks, &count);
    find_breaks(to, is_upper ? seam : s - v->radius, is_upper ? s + v->radius : seam, breaks,
                &count);
    for (int k = 0; k + 1 < count; k++) {
        double half = (breaks[k + 1] - breaks[k]) / 2, middle = (breaks[k] + breaks[k + 1]) / 2;
        for (int i = 0; i < SLICES; i++) {
            // denser towards the ends, where lengths of slices come to nothing as a root
            double at = SLICE_AT[i], dense = 1.5 * (1 - at * at);
            add_ball_slice(v, &b, middle + half * at * (1.5 - 0.5 * at * at),
                           r.is_somewhere ? half * SLICE_SHARE[i] * dense : 0, to);
        }
    }
}

/// Add integrals over s and t to those over x and y.
static void add_slices(const view *v, const slices *from, gmc_patch_moments *m)
{
    const gmc_patch_moments *sum = &from->sum;
    double depth_x = v->s_x * sum->depth_x - v->s_y * sum->depth_y;
    double depth_y = v->s_y * sum->depth_x + v->s_x * sum->depth_y;
    m->above = fmax(m->above, sum->above);
    m->deepest = fmax(m->deepest, sum->deepest);
    add_turned(sum, v->s_x, v->s_y, v->x, v->y, m);
    m->depth += sum->depth;
    m->depth_x += depth_x + v->x * sum->depth;
    m->depth_y += depth_y + v->y * sum->depth;
    if (v->patch->solid.shape->type == GMC_SHAPE_CYLINDER) return; // an end's depth is linear
    m->depth_rr += sum->depth_rr + 2 * (v->x * depth_x + v->y * depth_y) +
                   (v->x * v->x + v->y * v->y) * sum->depth;
}

/// Add what the patch's solid, a cylinder or a capsule, has below the ground.
static void add_round(gmc_patch *patch, gmc_patch_field level, gmc_patch_moments *m)
{
    view v = patch_look(patch, level);
    bool has_balls = patch->solid.shape->type == GMC_SHAPE_CAPSULE;
    GMC_ASSERT(has_balls || patch->solid.shape->type == GMC_SHAPE_CYLINDER);
    if (!has_balls) add_end(patch, &v, m);
    slices of = open_slices(patch, &v);
    add_side(&v, &of);
    if (has_balls) {
        add_ball(&v, false, &of);
        add_ball(&v, true, &of);
    }
    add_slices(&v, &of, m);
}

// ---- the whole ---------------------------------------------------------------------------------

/// Add the integrals over a loop, counter-clockwise; the depth is linear on it.
static void add_loop(const gmc_patch_loop *l, gmc_patch_field depth, gmc_patch_moments *m)
{
    gmc_patch_moments local = {.area = 0};
    double x0 = l->x[0], y0 = l->y[0];
    for (int i = 1; i + 1 < l->count; i++)
        add_triangle(l->x[i] - x0, l->y[i] - y0, l->x[i + 1] - x0, l->y[i + 1] - y0, &local);
    add_area(&local, x0, y0, depth, m);
}

/// Depth of a triangle, the first three corners of a loop, as a field of the place.
/// @param d  (3) at its corners
/// @return whether it looks down, and not all but edge-on
static bool fit_depth(const gmc_patch_loop *l, const double d[3], gmc_patch_field *depth)
{
    double ax = l->x[1] - l->x[0], ay = l->y[1] - l->y[0];
    double bx = l->x[2] - l->x[0], by = l->y[2] - l->y[0], twice = ax * by - ay * bx;
    if (!(twice > STEEP * (ax * ax + ay * ay + bx * bx + by * by))) return false;
    double da = d[1] - d[0], db = d[2] - d[0];
    depth->along_x = (da * by - db * ay) / twice;
    depth->along_y = (db * ax - da * bx) / twice;
    depth->at_0 = d[0] - depth->along_x * l->x[0] - depth->along_y * l->y[0];
    return true;
}

/// Add what a plane polygon has below the ground: the first of the loops, whose first three corners
/// are at depths d.
static void add_polygon(gmc_patch *patch, const double d[3], gmc_patch_field level,
                        gmc_patch_moments *m)
{
    gmc_patch_loop *l = &patch->loops[0], *other = &patch->loops[1];
    gmc_patch_field depth;
    if (!fit_depth(l, d, &depth)) return;
    clip_by_ground(&patch->ground, l, other);
    for (int i = 0; i < l->count; i++) {
        double here = field_at(depth, l->x[i], l->y[i]);
        l->value[i] = here - field_at(level, l->x[i], l->y[i]);
        m->above = fmax(m->above, l->value[i]);
        m->deepest = fmax(m->deepest, here);
    }
    clip_loop(l, other);
    if (other->count >= 3) add_loop(other, depth, m);
}

/// Vertex of the solid as corner i of the first loop. @return its depth
static double put_corner(gmc_patch *patch, int vertex, int i)
{
    const gmc_patch_ground *ground = &patch->ground;
    gmc_vec3 arm = gmc_vec3_sub(gmc_shape_vertex(&patch->solid, vertex), ground->origin);
    patch->loops[0].x[i] = gmc_vec3_dot(ground->x, arm);
    patch->loops[0].y[i] = gmc_vec3_dot(ground->y, arm);
    return -gmc_vec3_dot(ground->n, arm);
}

/// Add what one facet has below the ground. Corners of a polytope's facets are on its plane but for
/// the tolerance with which triangles were merged, and a steep one would carry that far up or down:
/// it goes triangle by triangle, a box's face as it is.
static void add_facet(gmc_patch *patch, int face, gmc_patch_field level, gmc_patch_moments *m)
{
    gmc_vec3 normal = gmc_shape_face_normal(&patch->solid, face);
    if (!(gmc_vec3_dot(normal, patch->ground.n) < 0)) return;
    int count, last;
    const int *ring = gmc_shape_face_loop(&patch->solid, face, &count);
    gmc_patch_loop *l = &patch->loops[0];
    bool is_whole = patch->solid.shape->type == GMC_SHAPE_BOX;
    double d[3], most = -INFINITY;
    for (int i = 0; i < count; i++) {
        double at = put_corner(patch, ring[i], 0);
        most = fmax(most, at - field_at(level, l->x[0], l->y[0]));
    }
    if (!(most > 0) && most <= m->above) return; // neither in it nor nearest to it
    for (int i = 1; i + 1 < count;
         i = last) { // it looks down: turned round it is counter-clockwise
        last = is_whole ? count - 1 : i + 1;
        d[0] = put_corner(patch, ring[0], 0);
        d[1] = put_corner(patch, ring[last], 1);
        d[2] = put_corner(patch, ring[last - 1], 2);
        for (int k = last - 2; k >= i; k--)
            (void)put_corner(patch, ring[k], last + 1 - k);
        l->count = last - i + 2;
        add_polygon(patch, d, level, m);
    }
}

gmc_patch_moments gmc_patch_integrate(gmc_patch *patch, gmc_patch_field level)
{
    gmc_patch_moments moments = {.above = -INFINITY, .deepest = -INFINITY};
    if (gmc_shape_is_rod(patch->solid.shape->type)) {
        add_round(patch, level, &moments);
        return moments;
    }
    for (int f = 0; f < gmc_shape_face_count(&patch->solid); f++)
        add_facet(patch, f, level, &moments);
    return moments;
}

// ---- points ------------------------------------------------------------------------------------

/// Of the outer points: how far out, against where six alone would have the second moments; their
/// share follows. Chosen for the least error of the limit surface (patch.h).
static const double OUT = 1.09;

/// Thinner than this share of their length regions count as that wide: nothing hangs on it, but
/// that a line has a pressure along it alone. And than what rounding leaves of the second moments,
/// against the square of the distance from the ground's origin: a sliver 200 mm away had a slope
/// of its depth made of rounding, 3 m at its points.
static const double THINNEST = 1e-12, ROUNDING = 1e-15;

/// The same where the depth spreads so far that a point would be lifted out of the region: over a
/// triangle that is deepest at a corner it is D/3 in the mean and spreads by D/√18, and a ring at
/// 1.09 √2 of that has a point at -0.03 D, which bears nothing (2.2 % of the force, 2.6 % of the
/// tilt). With 1 none is out of what is convex, for the length across falls to its corner as a
/// straight line at most; but then the middle has no share.
/// @param depth, spread  of what is above the level; not above: of what has none yet
static double outer_place(double depth, double spread)
{
    static const double LEAST = 1.0005; // a point at -2e-4 D
    if (!(depth > 0) || !(sqrt(2.0) * OUT * spread > depth)) return OUT;
    return fmax(depth / (sqrt(2.0) * spread), LEAST);
}

/// Standard deviation over a region of what has such slopes.
static double spread_of(double xx, double xy, double yy, double slope_x, double slope_y)
{
    return sqrt(slope_x * (xx * slope_x + xy * slope_y) + slope_y * (xy * slope_x + yy * slope_y));
}

/// Share of its mean that the depth of the outer points keeps where the pressure is not linear: the
/// mean radius goes as the root of the mean square, so that a ball's 8/15 comes out within 1 %. No
/// point is lifted out of the region for it.
/// @param square  mean square of the distance from the middle (x, y), of the area [m²]
/// @param least   depth of the outer points at the least, as if linear, over the mean
static double outer_share(const gmc_patch_moments *m, double x, double y, double square,
                          double least)
{
    if (m->depth_rr == 0 || !(m->depth > 0)) return 1;
    double moment = m->depth_rr - 2 * (x * m->depth_x + y * m->depth_y);
    double pressed = moment / m->depth + x * x + y * y;
    double share = sqrt(fmax(pressed / square, 0));
    return fmin(1, fmax(share, 1 - 0.5 * fmax(least, 0)));
}

/// Turn of the ring of points: none of a region as wide as long; of a long one a point is at its
/// end, for in between the ring would bear up to 13 % less turning. Sixth of a turn for sixth of a
/// turn the ring is itself, so the places are continuous.
/// @param c, s  out: cosine and sine of the turn
/// @return how long the region is: 0 as wide as long, 1 a line
static double turn_ring(double xx, double xy, double yy, double *c, double *s)
{
    double x = xx - yy, y = 2 * xy, size2 = x * x + y * y, sum = xx + yy;
    *c = 1;
    *s = 0;
    if (!(size2 > 1e-200)) return 0; // smaller than anything
    // share of the turn, by ((λ1 - λ2)/(λ1 + λ2))², and six times the direction of the longer axis
    double long_by = fmin(size2 / (sum * sum), 1), share = long_by * (2 - long_by);
    double by = share / (size2 * sqrt(size2));
    double along = by * (x * x - 3 * y * y) * x, across = by * (3 * x * x - y * y) * y;
    gmc_sin_cos(gmc_atan2(across, 1 - share + along) / 6, s, c);
    return share;
}

void gmc_patch_place(const gmc_patch_moments *m, gmc_patch_field level, gmc_patch_points *points)
{
    static const double RING[6][2] = {
        {1, 0},  {0.5, 0.86602540378443865},   {-0.5, 0.86602540378443865},
        {-1, 0}, {-0.5, -0.86602540378443865}, {0.5, -0.86602540378443865}};
    GMC_ASSERT(m->area > 0);
    double x = m->x / m->area, y = m->y / m->area, depth = m->depth / m->area;
    double xx = fmax(m->xx / m->area - x * x, 0), yy = fmax(m->yy / m->area - y * y, 0);
    double xy = m->xy / m->area - x * y;
    double least = fmax(THINNEST * (xx + yy), ROUNDING * (x * x + y * y)) + 1e-300;
    xx += least;
    yy += least;
    // slope of the depth: (xx xy; xy yy) s = (∫ (x - x̄) d, ∫ (y - ȳ) d) / A
    double dx = m->depth_x / m->area - x * depth, dy = m->depth_y / m->area - y * depth;
    double det = fmax(xx * yy - xy * xy, least * (xx + yy));
    double slope_x = (yy * dx - xy * dy) / det, slope_y = (xx * dy - xy * dx) / det;
    // the root of that matrix: (C + √det) / √(tr + 2 √det)
    double reach = spread_of(xx, xy, yy, slope_x, slope_y);
    double above = depth - (level.at_0 + level.along_x * x + level.along_y * y);
    double out =
        outer_place(above, spread_of(xx, xy, yy, slope_x - level.along_x, slope_y - level.along_y));
    double share = 1 / (out * out);
    double root = sqrt(det), scale = sqrt(2.0) * out / sqrt(xx + yy + 2 * root);
    double c, s, length = turn_ring(xx, xy, yy, &c, &s);
    double kept = outer_share(m, x, y, xx + yy, 1 - sqrt(2.0) * out * reach / depth);
    kept += length * (1 - kept); // along a line pressure is even
    double outer = depth * kept, inner = depth + depth * (1 - kept) * share / (1 - share);
    for (int i = 0; i < GMC_PATCH_POINTS; i++) {
        double u = i < 6 ? scale * (c * RING[i][0] - s * RING[i][1]) : 0;
        double v = i < 6 ? scale * (s * RING[i][0] + c * RING[i][1]) : 0;
        double out_x = (xx + root) * u + xy * v, out_y = xy * u + (yy + root) * v;
        points->x[i] = x + out_x;
        points->y[i] = y + out_y;
        points->share[i] = m->area * (i < 6 ? share / 6 : 1 - share);
        points->depth[i] = (i < 6 ? outer : inner) + slope_x * out_x + slope_y * out_y;
    }
}
