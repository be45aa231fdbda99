// Newton's method on a convex function of two variables, with halved steps where it does not fall.
//
// Of a rectangle the mean distance from q is a sum over its corners, at (X, Y) from q, of
//
//   I(X, Y) = X Y r / 3 + X^3 asinh(Y / |X|) / 6 + Y^3 asinh(X / |Y|) / 6,     r^2 = X^2 + Y^2
//
// the integral of r from the origin to that corner, odd in X and in Y. A thin one is taken to be
// THIN wide, which adds 1e-4 to its mean distance.
//
// Among points q may be at one of them, where the mean distance has a kink: that is so if the pull
// of the others is within the weight of that one.
#include "engine/contact/coulomb/slip_moment.h"

#include "engine/math/elementary.h"

#include <math.h>
#include <stdbool.h>

/// Half sides of a rectangle differ by at most this factor.
static const double THIN = 0.01;
/// The slope of what is least, which has no unit, where the search ends: the moment errs by its
/// square.
static const double SLOPE = 3e-5;
enum { ITERATIONS = 40, HALVINGS = 30 };

/// A function of q with its slope and curvature.
typedef struct jet {
    double f, x, y, xx, xy, yy;
} jet;

/// What q is looked for: mean distance less work of the force.
typedef struct load {
    const gmc_slip_point *points; ///< NULL: a rectangle of these half sides
    int count;
    double half[2], pull[2]; ///< pull: f x q = -pull . q
} load;

static double asinh_of(double y, double x) // x >= 0
{
    double ay = fabs(y), r = sqrt(x * x + y * y);
    double value = x > 0 ? gmc_log((ay + r) / x) : 0; // times x or x^2 where it is used
    return y < 0 ? -value : value;
}

static void add_corner(jet *sum, double sign, double x, double y)
{
    double r = sqrt(x * x + y * y);
    double along = asinh_of(y, fabs(x)), across = asinh_of(x, fabs(y));
    sum->f += sign * (2 * x * y * r + x * x * x * along + y * y * y * across) / 6;
    sum->x -= sign * (y * r + x * x * along) / 2;
    sum->y -= sign * (x * r + y * y * across) / 2;
    sum->xx += sign * x * along;
    sum->yy += sign * y * across;
    sum->xy += sign * r;
}

static jet of_rectangle(const double half[2], const double q[2])
{
    jet sum = {0};
    double scale = 1 / (4 * half[0] * half[1]);
    for (int i = 0; i < 4; i++) {
        double x = (i & 1 ? half[0] : -half[0]) - q[0], y = (i & 2 ? half[1] : -half[1]) - q[1];
        add_corner(&sum, i == 0 || i == 3 ? scale : -scale, x, y);
    }
    return sum;
}

static jet of_points(const gmc_slip_point *points, int count, const double q[2])
{
    jet sum = {0};
    for (int i = 0; i < count; i++) {
        double x = q[0] - points[i].x, y = q[1] - points[i].y, w = points[i].weight;
        double r = sqrt(x * x + y * y);
        if (!(r > 0)) continue;
        double ux = x / r, uy = y / r, bend = w / r;
        sum.f += w * r;
        sum.x += w * ux;
        sum.y += w * uy;
        sum.xx += bend * uy * uy;
        sum.xy -= bend * ux * uy;
        sum.yy += bend * ux * ux;
    }
    return sum;
}

static jet look(const load *l, const double q[2])
{
    jet j = l->points ? of_points(l->points, l->count, q) : of_rectangle(l->half, q);
    j.f += l->pull[0] * q[0] + l->pull[1] * q[1];
    j.x += l->pull[0];
    j.y += l->pull[1];
    return j;
}

/// Newton's step, with a curvature added that fades with the slope: on a line through all points
/// there is none.
static void aim(const jet *at, double size, double step[2])
{
    double more = sqrt(at->x * at->x + at->y * at->y) / size;
    double xx = at->xx + more, yy = at->yy + more, det = xx * yy - at->xy * at->xy;
    step[0] = -(yy * at->x - at->xy * at->y) / det;
    step[1] = -(xx * at->y - at->xy * at->x) / det;
}

static double least_of(const load *l, double size, double q[2])
{
    jet at = look(l, q);
    for (int i = 0; i < ITERATIONS && at.x * at.x + at.y * at.y > SLOPE * SLOPE; i++) {
        double step[2];
        aim(&at, size, step);
        double slope = step[0] * at.x + step[1] * at.y;
        bool is_lower = false;
        for (int k = 0; k < HALVINGS && !is_lower; k++) {
            double next[2] = {q[0] + step[0], q[1] + step[1]};
            jet there = look(l, next);
            is_lower = there.f <= at.f + 1e-4 * slope;
            if (is_lower) {
                q[0] = next[0], q[1] = next[1];
                at = there;
            }
            step[0] *= 0.5, step[1] *= 0.5, slope *= 0.5;
        }
        if (!is_lower) break; // rounding
    }
    return at.f;
}

/// A force that leaves something, as a pull on q.
static void pull_of(const double force[2], double pull[2])
{
    double size = sqrt(force[0] * force[0] + force[1] * force[1]);
    double scale = size > GMC_SLIP_FORCE_MAX ? GMC_SLIP_FORCE_MAX / size : 1;
    pull[0] = scale * force[1];
    pull[1] = -scale * force[0];
}

double gmc_slip_moment_of_rectangle(const double half[2], const double force[2], double centre[2])
{
    double longest = gmc_max(half[0], half[1]);
    load l = {.half = {gmc_max(half[0], THIN * longest), gmc_max(half[1], THIN * longest)}};
    pull_of(force, l.pull);
    // of what is round and small against q: q = gyration / sqrt(1 - f^2) in the direction of -pull
    double left = 1 - l.pull[0] * l.pull[0] - l.pull[1] * l.pull[1];
    centre[0] = -l.pull[0] * longest / sqrt(3 * left);
    centre[1] = -l.pull[1] * longest / sqrt(3 * left);
    return least_of(&l, longest, centre);
}

/// Is q at point i?
static bool is_pivot(const load *l, int i)
{
    const double q[2] = {l->points[i].x, l->points[i].y};
    jet others = look(l, q); // without point i, and what is in the same place
    double own = 0;
    for (int k = 0; k < l->count; k++)
        if (l->points[k].x == q[0] && l->points[k].y == q[1]) own += l->points[k].weight;
    return others.x * others.x + others.y * others.y <= own * own;
}

double gmc_slip_moment_of_points(const gmc_slip_point *points, int count, const double force[2],
                                 const double centre[2])
{
    load l = {.points = points, .count = count};
    double size = 0, q[2] = {centre[0], centre[1]};
    pull_of(force, l.pull);
    for (int i = 0; i < count; i++) {
        if (is_pivot(&l, i)) return look(&l, (double[2]){points[i].x, points[i].y}).f;
        size = gmc_max(size, sqrt(points[i].x * points[i].x + points[i].y * points[i].y));
    }
    return least_of(&l, size, q);
}
