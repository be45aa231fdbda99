// Mean distance of an area's points from its centroid: of a rectangle and of an ellipse it is
// kappa times the radius of gyration, with kappa by their elongation 0.937, 0.943 (square, disc)
// ... 0.866, 0.849 (line, thin ellipse). One formula has those of rectangles to 0.3 %, of ellipses
// to 2 %, of triangles to 6 %.
//
// What stands on feet has all of its area about as far out as its points are: kappa goes to 1
// there.
//
// Four points on that arm bear a moment alone exactly, and one together with a force up to 9 % too
// weakly (limit analysis, square); FAIR spreads that: +2 ... -8 %.
#include "engine/collision/flat.h"

#include "engine/math/elementary.h"

static const double FAIR = 1.02;
/// Radius of gyration over the points' distance up to which an area is taken as filled [-].
static const double FILLED = 0.72;
/// A cap leans against the contact plane by less than this sine, more than it may and be flat
/// (cylinder.c); and a point this near to its rim, in radii, is on it.
static const double LEAN = 1e-3;

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

static void add_polygon(gmc_flat *flat, double *x, double *y, int count)
{
    sort_around(x, y, count);
    for (int i = 2; i < count; i++) { // triangles 0, i - 1, i
        const double px[3] = {x[0], x[i - 1], x[i]}, py[3] = {y[0], y[i - 1], y[i]};
        double area = 0.5 * ((px[1] - px[0]) * (py[2] - py[0]) - (px[2] - px[0]) * (py[1] - py[0]));
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

void gmc_flat_add(gmc_flat *flat, const gmc_pair *pair, const gmc_manifold *manifold,
                  const gmc_pair_axes *axes, gmc_vec3 shift)
{
    const gmc_solid *solids[2] = {&pair->a, &pair->b}, *cap = NULL;
    double x[GMC_PAIR_POINT_MAX], y[GMC_PAIR_POINT_MAX];
    gmc_vec3 centre;
    for (int k = 0; k < 2; k++)
        if ((!cap || solids[k]->shape->radius < cap->shape->radius) &&
            is_cap(solids[k], manifold, &centre))
            cap = solids[k];
    if (cap) {
        centre = gmc_vec3_add(centre, shift);
        add_disc(flat, gmc_vec3_dot(axes->t1, centre), gmc_vec3_dot(axes->t2, centre),
                 cap->shape->radius);
        return;
    }
    for (int i = 0; i < manifold->count; i++) {
        gmc_vec3 p = gmc_vec3_add(manifold->points[i].p, shift);
        x[i] = gmc_vec3_dot(axes->t1, p);
        y[i] = gmc_vec3_dot(axes->t2, p);
    }
    add_polygon(flat, x, y, manifold->count);
}

double gmc_flat_inset(const gmc_flat *flat, const double *x, const double *y, int count)
{
    if (count < 2) return 0;
    double mean_x = 0, mean_y = 0, arm = 0, longest = 0;
    for (int i = 0; i < count; i++) {
        mean_x += x[i] / count;
        mean_y += y[i] / count;
    }
    for (int i = 0; i < count; i++) {
        double a = x[i] - mean_x, b = y[i] - mean_y, own = sqrt(a * a + b * b);
        arm += own / count;
        longest = gmc_pair_max(longest, own);
    }
    if (!(longest > 0)) return 0;
    // of a line: gyration and elongation of one without width
    double gyration2 = longest * longest / 3, round = 0;
    if (flat->area > 1e-6 * longest * longest) {
        double cx = flat->x / flat->area, cy = flat->y / flat->area;
        double xx = flat->xx / flat->area - cx * cx, yy = flat->yy / flat->area - cy * cy;
        double xy = flat->xy / flat->area - cx * cy;
        gyration2 = xx + yy;
        round = gmc_pair_max(0, 4 * (xx * yy - xy * xy) / (gyration2 * gyration2));
    }
    double out = sqrt(gyration2) / arm; // 0.58 of what is filled, 0.71 of a disc, 1 of feet
    double root = sqrt(round), mean = FAIR * (0.866 + 0.0712 * root * sqrt(root));
    double feet = gmc_pair_min(gmc_pair_max((out - FILLED) / (1 - FILLED), 0), 1);
    return gmc_pair_max(0, 1 - (mean + feet * (1 - mean)) * out);
}
