#include "engine/base/check.h"
#include "engine/contact/coulomb/patch_internal.h"
#include "engine/math/elementary.h"

/// A triangle seen with less area than this against the squares of its sides carries no column.
static const double STEEP = 1e-9;
/// Corners of the end of a cylinder as a ground: of the polygon with its area, whose second moments
/// are those of the disc to 2e-6 and whose edges are within 1.5e-3 of its radius.
enum { RIM_CORNERS = 48 };

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
    ground->corner_x = gmc_arena_room(arena, 2 * (size_t)count, sizeof(double));
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
    *l = (gmc_patch_loop){.x = gmc_arena_room(arena, 3 * (size_t)corners, sizeof(double))};
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

void gmc_patch_clip(const gmc_patch_loop *from, gmc_patch_loop *to)
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
        gmc_patch_clip(l, other);
        exchange(l, other);
    }
}

void gmc_patch_add_triangle(double ax, double ay, double bx, double by, gmc_patch_moments *m)
{
    double twice = ax * by - ay * bx;
    m->area += twice / 2;
    m->x += twice * (ax + bx) / 6;
    m->y += twice * (ay + by) / 6;
    m->xx += twice * (ax * ax + ax * bx + bx * bx) / 12;
    m->yy += twice * (ay * ay + ay * by + by * by) / 12;
    m->xy += twice * (2 * ax * ay + ax * by + bx * ay + 2 * bx * by) / 24;
}

void gmc_patch_add_turned(const gmc_patch_moments *one, double c, double s, double x, double y,
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

void gmc_patch_add_area(const gmc_patch_moments *local, double x0, double y0, gmc_patch_field depth,
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

/// Add the integrals over a loop, counter-clockwise; the depth is linear on it.
static void add_loop(const gmc_patch_loop *l, gmc_patch_field depth, gmc_patch_moments *m)
{
    gmc_patch_moments local = {.area = 0};
    double x0 = l->x[0], y0 = l->y[0];
    for (int i = 1; i + 1 < l->count; i++)
        gmc_patch_add_triangle(l->x[i] - x0, l->y[i] - y0, l->x[i + 1] - x0, l->y[i + 1] - y0,
                               &local);
    gmc_patch_add_area(&local, x0, y0, depth, m);
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
        double here = gmc_patch_field_at(depth, l->x[i], l->y[i]);
        l->value[i] = here - gmc_patch_field_at(level, l->x[i], l->y[i]);
        m->above = fmax(m->above, l->value[i]);
        m->deepest = fmax(m->deepest, here);
    }
    gmc_patch_clip(l, other);
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
        most = fmax(most, at - gmc_patch_field_at(level, l->x[0], l->y[0]));
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
        gmc_patch_round_add(patch, level, &moments);
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
