// The mean distance of an area from its centroid is that of the rectangle with its second
// moments times
//
//   1 + SHAPE (s - 3 / pi),   s = A^2 / (4 pi sqrt(I1 I2))
//
// with I1, I2 its principal moments: s is 1 for ellipses, 3 / pi for rectangles, 0.827 for
// triangles and tends to 0 for what is made of thin boards. The factor is 1.0066 for a disc, 0.980
// for a regular triangle, to 1 % (thin ellipses 2 %); a rectangle larger by it stands for all.
//
// What stands on feet has all of its area about as far out as its points are, and bears what they
// bear; between the two (frames) to 3 %.
//
// Points that are equally stiff, pressed in evenly, have the middle of their pressure at their
// mean, which is not the area's centroid (of an irregular hexagon off by a quarter of its half
// length). Of all stiffnesses k_i whose middle is there, those nearest to equal ones are linear
// over the plane,
//
//   k_i / k = 1 + (c - m) . C^-1 (p_i - m)
//
// with m the mean of the points p_i and C their covariance: they follow the pose continuously, and
// their sum is that of equal ones. Where one of them would be less than SOFTEST all go as far that
// way as it allows.
#include "engine/collision/flat.h"

#include "engine/math/elementary.h"

static const double SHAPE = 0.15;
/// Radius of gyration over the points' distance up to which an area is taken as filled, and from
/// which on it is feet [-].
static const double FILLED = 0.72, FEET = 0.85;
/// A cap leans against the contact plane by less than this sine, more than it may and be flat
/// (cylinder.c); and a point this near to its rim, in radii, is on it.
static const double LEAN = 1e-3;
/// Middles of points and area that differ by less than this share of the points' spread are one.
static const double EVEN = 1e-6;

/// Is this manifold the whole cap of a cylinder?
static bool is_cap(const gmc_solid *solid, const gmc_manifold *manifold, gmc_vec3 *centre)
{
    if (solid->shape->type != GMC_SHAPE_CYLINDER || manifold->count < 4) return false;
    gmc_vec3 axis = gmc_mat3_column(&solid->X.R, 2);
    if (gmc_vec3_norm(gmc_vec3_cross(axis, manifold->n)) > LEAN) return false;
    double radius = solid->shape->radius, along = 0;
    for (int i = 0; i < manifold->count; i++) {
        gmc_vec3 arm = gmc_vec3_sub(manifold->points[i].p, solid->X.p);
        along = gmc_vec3_dot(axis, arm);
        double away = gmc_vec3_norm(gmc_vec3_add_scaled(arm, -along, axis));
        if (!(fabs(away - radius) <= LEAN * radius)) return false;
    }
    *centre = gmc_vec3_add_scaled(solid->X.p, along, axis);
    return true;
}

static void add_disc(gmc_flat *flat, double x, double y, double radius)
{
    double area = GMC_PI * radius * radius, own = area * radius * radius / 4;
    flat->area += area;
    flat->x += area * x;
    flat->y += area * y;
    flat->xx += area * x * x + own;
    flat->xy += area * x * y;
    flat->yy += area * y * y + own;
}

/// Corners in the order of their direction from their mean: what they span is convex.
static void sort_around(double *x, double *y, int count)
{
    double mean_x = 0, mean_y = 0, turn[GMC_PAIR_POINT_MAX];
    for (int i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    for (int i = 0; i < count; i++) {
        double a = x[i] - mean_x, b = y[i] - mean_y, size = fabs(a) + fabs(b);
        double s = size > 0 ? b / size : 0, own_x = x[i], own_y = y[i];
        double own = a >= 0 ? s : 2 - s; // rises with the angle, from -1 to 3
        int k = i;
        for (; k > 0 && turn[k - 1] > own; k--) {
            turn[k] = turn[k - 1];
            x[k] = x[k - 1];
            y[k] = y[k - 1];
        }
        turn[k] = own;
        x[k] = own_x;
        y[k] = own_y;
    }
}

/// Convex, corners in their order, whichever way round.
static void add_polygon(gmc_flat *flat, const double *x, const double *y, int count)
{
    for (int i = 2; i < count; i++) { // triangles 0, i - 1, i
        const double px[3] = {x[0], x[i - 1], x[i]}, py[3] = {y[0], y[i - 1], y[i]};
        double turn = (px[1] - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (py[1] - py[0]);
        double area = 0.5 * fabs(turn);
        double sx = px[0] + px[1] + px[2], sy = py[0] + py[1] + py[2];
        double xx = px[0] * px[0] + px[1] * px[1] + px[2] * px[2];
        double yy = py[0] * py[0] + py[1] * py[1] + py[2] * py[2];
        double xy = px[0] * py[0] + px[1] * py[1] + px[2] * py[2];
        flat->area += area;
        flat->x += area * sx / 3;
        flat->y += area * sy / 3;
        flat->xx += area * (sx * sx + xx) / 12;
        flat->xy += area * (sx * sy + xy) / 12;
        flat->yy += area * (sy * sy + yy) / 12;
    }
}

/// The polygon of the corners of an outline, or of the points.
static void add_corners(gmc_flat *flat, const gmc_manifold *manifold, bool is_outline,
                        const gmc_pair_axes *axes, gmc_vec3 shift)
{
    double x[GMC_PAIR_OUTLINE_MAX], y[GMC_PAIR_OUTLINE_MAX];
    int count = is_outline ? manifold->outline_count : manifold->count;
    for (int i = 0; i < count; i++) {
        gmc_vec3 p = is_outline ? manifold->outline[i] : manifold->points[i].p;
        x[i] = gmc_vec3_dot(axes->t1, gmc_vec3_add(p, shift));
        y[i] = gmc_vec3_dot(axes->t2, gmc_vec3_add(p, shift));
    }
    if (!is_outline) sort_around(x, y, count);
    add_polygon(flat, x, y, count);
}

/// The smaller one's cap, if one of them touches with it.
static bool find_cap(const gmc_pair *pair, const gmc_manifold *manifold, gmc_vec3 *centre,
                     double *radius)
{
    const gmc_solid *solids[2] = {&pair->a, &pair->b}, *cap = NULL;
    for (int k = 0; k < 2; k++)
        if ((!cap || solids[k]->shape->radius < cap->shape->radius) &&
            is_cap(solids[k], manifold, centre))
            cap = solids[k];
    if (cap) *radius = cap->shape->radius;
    return cap;
}

void gmc_flat_add(gmc_flat *flat, const gmc_pair *pair, const gmc_manifold *manifold,
                  const gmc_pair_axes *axes, gmc_vec3 shift)
{
    gmc_flat before = *flat, whole = {0};
    gmc_vec3 centre;
    double radius;
    if (find_cap(pair, manifold, &centre, &radius)) {
        centre = gmc_vec3_add(centre, shift);
        add_disc(flat, gmc_vec3_dot(axes->t1, centre), gmc_vec3_dot(axes->t2, centre), radius);
    } else {
        bool has_outline = manifold->outline_count > 0;
        add_corners(flat, manifold, has_outline, axes, shift);
        if (has_outline && manifold->is_part) {
            add_corners(&whole, manifold, false, axes, shift);
            flat->whole += whole.area;
            flat->whole_x += whole.x;
            flat->whole_y += whole.y;
            return;
        }
    }
    flat->whole += flat->area - before.area;
    flat->whole_x += flat->x - before.x;
    flat->whole_y += flat->y - before.y;
}

/// Mean distance of the points from their mean; of two points, half their distance along each axis.
static double arm_of(const double *x, const double *y, int count, double half[2])
{
    double mean_x = 0, mean_y = 0, arm = 0;
    for (int i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    half[0] = half[1] = 0;
    for (int i = 0; i < count; i++) {
        double a = x[i] - mean_x, b = y[i] - mean_y, own = sqrt(a * a + b * b);
        arm += own / count;
        if (own * own > half[0] * half[0] + half[1] * half[1]) half[0] = a, half[1] = b;
    }
    return arm;
}

/// Principal axis and variances of an area.
/// @param least  out: the smaller variance [m2]
/// @return the larger one [m2]
static double spread_of(const gmc_flat *flat, double along[2], double *least)
{
    double cx = flat->x / flat->area, cy = flat->y / flat->area;
    double xx = flat->xx / flat->area - cx * cx, yy = flat->yy / flat->area - cy * cy;
    double xy = flat->xy / flat->area - cx * cy;
    double mean = 0.5 * (xx + yy), lean = 0.5 * (xx - yy), off = sqrt(lean * lean + xy * xy);
    *least = gmc_pair_max(mean - off, 0);
    // of two ways to the axis the one that loses no digits; a square has none
    double ax = lean > 0 ? off + lean : fabs(xy), ay = lean > 0 ? xy : off - lean;
    if (!(lean > 0) && xy < 0) ay = -ay;
    double size = sqrt(ax * ax + ay * ay);
    bool has_axis = size > 1e-9 * mean;
    along[0] = has_axis ? ax / size : 1;
    along[1] = has_axis ? ay / size : 0;
    return mean + off;
}

/// What the mean distance is larger than a rectangle's by, as a share of it; 0: of a line.
static double shape_of(double area, double most, double least)
{
    double round = sqrt(most * least); // variances are moments over the area
    return round > 1e-6 * most ? SHAPE * (area / (4 * GMC_PI * round) - 3 / GMC_PI) : 0;
}

gmc_flat_area gmc_flat_area_of(const gmc_flat *flat, const gmc_pair_axes *axes, gmc_vec3 origin,
                               const double *x, const double *y, int count)
{
    gmc_flat_area area = {.p = origin, .along = axes->t1};
    double line[2], along[2], centre[2] = {0, 0}, least = 0;
    if (count < 2) return area;
    double arm = arm_of(x, y, count, line), most = (line[0] * line[0] + line[1] * line[1]) / 3;
    if (!(arm > 0)) return area;
    if (flat->area > 1e-6 * most) {
        most = spread_of(flat, along, &least);
        centre[0] = flat->x / flat->area;
        centre[1] = flat->y / flat->area;
    } else {
        for (int i = 0; i < count; i++) {
            centre[0] += x[i] / count;
            centre[1] += y[i] / count;
        }
        for (int i = 0; i < 2; i++)
            along[i] = line[i] / sqrt(3 * most);
    }
    gmc_vec3 middle = gmc_vec3_add_scaled(gmc_vec3_scale(centre[0], axes->t1), centre[1], axes->t2);
    area.p = gmc_vec3_add(origin, middle);
    area.along = gmc_vec3_add_scaled(gmc_vec3_scale(along[0], axes->t1), along[1], axes->t2);
    area.feet_arm = sqrt(most + least) / arm; // 0.58 of what is filled, 0.71 of a disc, 1 of feet
    area.feet = gmc_pair_min(gmc_pair_max((area.feet_arm - FILLED) / (FEET - FILLED), 0), 1);
    double size = 1 + (1 - area.feet) * shape_of(flat->area, most, least);
    area.half[0] = size * sqrt(3 * most);
    area.half[1] = size * sqrt(3 * least);
    return area;
}

// ---- stiffness ---------------------------------------------------------------------------------

/// Principal moments of points below this share of the larger one are taken to be that.
static const double NARROW = 1e-9;

void gmc_flat_stiffen(const gmc_flat *flat, const double *x, const double *y, int count,
                      double *excess)
{
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        excess[i] = 0;
        mx += x[i] / count;
        my += y[i] / count;
    }
    for (int i = 0; i < count; i++) {
        double a = x[i] - mx, b = y[i] - my;
        xx += a * a / count, xy += a * b / count, yy += b * b / count;
    }
    double size2 = xx + yy;
    if (count < 3 || !(flat->whole > 1e-6 * size2)) return;
    double off_x = flat->whole_x / flat->whole - mx, off_y = flat->whole_y / flat->whole - my;
    double off2 = off_x * off_x + off_y * off_y;
    if (!(off2 > EVEN * EVEN * size2)) return;
    double scale = 1 - EVEN * sqrt(size2 / off2);
    xx += NARROW * size2, yy += NARROW * size2;
    double det = xx * yy - xy * xy, least = 0;
    double along_x = scale * (yy * off_x - xy * off_y) / det;
    double along_y = scale * (xx * off_y - xy * off_x) / det;
    for (int i = 0; i < count; i++) {
        excess[i] = along_x * (x[i] - mx) + along_y * (y[i] - my);
        least = gmc_pair_min(least, excess[i]);
    }
    if (least >= GMC_FLAT_SOFTEST - 1) return;
    for (int i = 0; i < count; i++)
        excess[i] *= (GMC_FLAT_SOFTEST - 1) / least;
}
