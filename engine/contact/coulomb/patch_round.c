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

#include "engine/base/check.h"
#include "engine/contact/coulomb/patch_internal.h"
#include "engine/math/elementary.h"

/// An end nearer to edge-on than this (sine), a side as near to upright, carry no column.
static const double STEEP = 1e-9, UPRIGHT = 1e-6;

/// The solid as the ground sees it.
typedef struct view {
    double radius, half; ///< [m]
    double x, y, z;      ///< its centre [m]
    double s_x, s_y;     ///< unit, along its axis; t is (-s_y, s_x)
    double level, rise;  ///< of the axis, >= 0, cosine and sine of its slope
    const gmc_patch *patch;
    gmc_patch_field above; ///< level of depth: at the centre, along s, along t
} view;

static view look(const gmc_patch *patch, gmc_patch_field level)
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
    v.above = (gmc_patch_field){gmc_patch_field_at(level, v.x, v.y),
                                level.along_x * v.s_x + level.along_y * v.s_y,
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
    if (!(v->rise > STEEP)) return;
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
    double most = gmc_patch_disc_most(l, v->radius, above);
    if (!(most > -HUGE_VAL)) return;
    m->above = fmax(m->above, most);
    m->deepest = fmax(m->deepest, gmc_patch_disc_most(l, v->radius, depth));
    if (!(most > 0)) return;
    for (int i = 0; i < l->count; i++)
        l->value[i] = gmc_patch_field_at(above, l->x[i], l->y[i]);
    gmc_patch_clip(l, other);
    double u0, t0;
    gmc_patch_moments disc = gmc_patch_disc_part(other, v->radius, &u0, &t0);
    if (!(disc.area > 0)) return;
    // as the ground sees it: u shortened, then turned
    gmc_patch_moments seen = {.area = 0}, shortened = {.area = v->rise * disc.area,
                                                       .x = v->rise * v->rise * disc.x,
                                                       .y = v->rise * disc.y,
                                                       .xx = v->rise * v->rise * v->rise * disc.xx,
                                                       .xy = v->rise * v->rise * disc.xy,
                                                       .yy = v->rise * disc.yy};
    gmc_patch_add_turned(&shortened, v->s_x, v->s_y, 0, 0, &seen);
    double s0 = middle + v->rise * u0, slope = v->level / v->rise;
    gmc_patch_field field = {.along_x = slope * v->s_x, .along_y = slope * v->s_y};
    double x0 = v->x + s0 * v->s_x - t0 * v->s_y, y0 = v->y + s0 * v->s_y + t0 * v->s_x;
    field.at_0 = depth.at_0 + v->level * u0 - field.along_x * x0 - field.along_y * y0;
    gmc_patch_add_area(&seen, x0, y0, field, m);
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

/// Where amount + across √(R² - t²) - along t > 0, all over the ground if it is nowhere.
/// @param peak  out: where that is most
/// @return whether it is somewhere
static bool find_range(const slices *of, double radius, double amount, double across, double along,
                       double *low, double *high, double *peak)
{
    double size = sqrt(across * across + along * along), q = -amount / (radius * size);
    double c = across / size, s = -along / size; // of the angle at which it is most
    *low = fmax(-radius, of->low);
    *high = fmin(radius, of->high);
    *peak = fmin(fmax(radius * s, *low), *high);
    if (!(q < 1)) return false;
    if (!(q > -1)) return true;
    double root = sqrt(1 - q * q);
    if (c * q + s * root > 0) *low = fmax(*low, radius * (s * q - c * root));
    if (c * q - s * root > 0) *high = fmin(*high, radius * (s * q + c * root));
    return true;
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

/// A slice of a ball at t, of width w.
/// @param s_ball, z  its middle
/// @param is_upper   it is the upper end: columns from where the side ends, else up to there
static void add_ball_slice(const view *v, double s_ball, double z, bool is_upper, double t,
                           double w, slices *to)
{
    double rho2 = fmax(v->radius * v->radius - t * t, 0), rho = sqrt(rho2), seam = rho * v->rise;
    double from = s_ball + (is_upper ? seam : -rho), end = s_ball + (is_upper ? rho : seam);
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
        if (!(fabs(dt) > STEEP * fabs(ds))) continue;
        double q = v->level * (slope * ds / dt - along), t = v->radius * q / sqrt(1 + q * q);
        t = fmin(fmax(t, fmin(l->y[i], l->y[j])), fmax(l->y[i], l->y[j]));
        if (fabs(t) < v->radius) add_side_slice(v, t, 0, to);
    }
}

static void add_side(const view *v, slices *to)
{
    if (!(v->level > UPRIGHT)) return;
    // most of it at the end that is deeper
    double lift = fabs(v->rise / v->level + v->above.along_x) * v->half * v->level, low, high, peak;
    bool is_pressed =
        find_range(to, v->radius, lift - v->z - v->above.at_0,
                   v->level - v->above.along_x * v->rise, v->above.along_y, &low, &high, &peak);
    if (!(low < high)) return;
    add_side_slice(v, peak, 0, to);
    look_along_edges(v, -v->rise / v->level, 0, to);
    look_along_edges(v, -v->rise / v->level - v->above.along_x, v->above.along_y, to);
    double breaks[BREAKS] = {low, high}, lowest = v->radius * v->rise;
    int count = 2;
    find_breaks(to, lowest - v->half * v->level, lowest + v->half * v->level, breaks, &count);
    for (int k = 0; k + 1 < count; k++) {
        double half = (breaks[k + 1] - breaks[k]) / 2, middle = (breaks[k] + breaks[k + 1]) / 2;
        for (int i = 0; i < SLICES; i++)
            add_side_slice(v, middle + half * SLICE_AT[i], is_pressed ? half * SLICE_SHARE[i] : 0,
                           to);
    }
}

/// The same of a ball about (s, 0): at the foot of its middle on an edge.
static void look_at_feet(const view *v, double s, double z, bool is_upper, slices *to)
{
    const gmc_patch_loop *l = to->ground;
    for (int i = 0; i < l->count; i++) {
        int j = i + 1 < l->count ? i + 1 : 0;
        double dt = l->y[j] - l->y[i], ds = l->x[j] - l->x[i], size2 = ds * ds + dt * dt;
        if (!(size2 > 0)) continue;
        double along = ((s - l->x[i]) * ds - l->y[i] * dt) / size2;
        double t = l->y[i] + fmin(fmax(along, 0), 1) * dt;
        if (fabs(t) < v->radius) add_ball_slice(v, s, z, is_upper, t, 0, to);
    }
}

static void add_ball(const view *v, bool is_upper, slices *to)
{
    double sign = is_upper ? 1 : -1, s = sign * v->half * v->level;
    double z = v->z + sign * v->half * v->rise, low, high, peak;
    double a = v->above.along_x, amount = -z - v->above.at_0 - a * s;
    bool is_pressed =
        find_range(to, v->radius, amount, sqrt(1 + a * a), v->above.along_y, &low, &high, &peak);
    if (!(low < high)) return;
    add_ball_slice(v, s, z, is_upper, peak, 0, to);
    look_at_feet(v, s, z, is_upper, to);
    double breaks[BREAKS] = {low, high}, seam = s + v->radius * v->rise;
    int count = 2;
    find_rim_breaks(to, s, breaks, &count);
    find_breaks(to, is_upper ? seam : s - v->radius, is_upper ? s + v->radius : seam, breaks,
                &count);
    for (int k = 0; k + 1 < count; k++) {
        double half = (breaks[k + 1] - breaks[k]) / 2, middle = (breaks[k] + breaks[k + 1]) / 2;
        for (int i = 0; i < SLICES; i++) {
            // denser towards the ends, where lengths of slices come to nothing as a root
            double at = SLICE_AT[i], dense = 1.5 * (1 - at * at);
            add_ball_slice(v, s, z, is_upper, middle + half * at * (1.5 - 0.5 * at * at),
                           is_pressed ? half * SLICE_SHARE[i] * dense : 0, to);
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
    gmc_patch_add_turned(sum, v->s_x, v->s_y, v->x, v->y, m);
    m->depth += sum->depth;
    m->depth_x += depth_x + v->x * sum->depth;
    m->depth_y += depth_y + v->y * sum->depth;
    if (v->patch->solid.shape->type == GMC_SHAPE_CYLINDER) return; // an end's depth is linear
    m->depth_rr += sum->depth_rr + 2 * (v->x * depth_x + v->y * depth_y) +
                   (v->x * v->x + v->y * v->y) * sum->depth;
}

void gmc_patch_round_add(gmc_patch *patch, gmc_patch_field level, gmc_patch_moments *m)
{
    view v = look(patch, level);
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
