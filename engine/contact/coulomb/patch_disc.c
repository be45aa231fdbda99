// What a convex polygon and a circle about the origin share: a polygon, whose edges are the parts
// of the polygon's edges within the circle and the chords between them, and segments of the circle
// on these chords. In closed form; thin segments by a rule that keeps their digits.

#include "engine/base/check.h"
#include "engine/contact/coulomb/patch_internal.h"
#include "engine/math/elementary.h"

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

double gmc_patch_disc_most(const gmc_patch_loop *l, double radius, gmc_patch_field f)
{
    double most = -INFINITY, slope2 = f.along_x * f.along_x + f.along_y * f.along_y;
    double out = slope2 > 0 ? radius / sqrt(slope2) : 0;
    if (contains(l, out * f.along_x, out * f.along_y))
        return gmc_patch_field_at(f, out * f.along_x, out * f.along_y);
    for (int i = 0; i < l->count; i++) {
        chord c;
        if (!cut_chord(l, i, radius, &c)) continue;
        most = fmax(most, gmc_patch_field_at(f, c.ax, c.ay));
        most = fmax(most, gmc_patch_field_at(f, c.bx, c.by));
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

/// Add the segment on the arc from one point of the circle to another, counter-clockwise, moments
/// about (x0, y0).
static void add_arc(double radius, double ax, double ay, double bx, double by, double x0, double y0,
                    gmc_patch_moments *m)
{
    double dx = bx - ax, dy = by - ay, length = sqrt(dx * dx + dy * dy);
    if (!(length > SHORTEST * radius)) return;
    double out_x = dy / length, out_y = -dx / length; // to the right of the chord
    double mx = (ax + bx) / 2, my = (ay + by) / 2, far = mx * out_x + my * out_y;
    gmc_patch_moments one = segment_of(radius, length / 2, far);
    gmc_patch_add_turned(&one, out_x, out_y, mx - x0, my - y0, m);
}

gmc_patch_moments gmc_patch_disc_part(const gmc_patch_loop *l, double radius, double *x0,
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
        gmc_patch_add_triangle(last.bx - *x0, last.by - *y0, c.ax - *x0, c.ay - *y0, &m);
        gmc_patch_add_triangle(c.ax - *x0, c.ay - *y0, c.bx - *x0, c.by - *y0, &m);
        add_arc(radius, last.bx, last.by, c.ax, c.ay, *x0, *y0, &m);
        last = c;
    }
    if (count > 0) {
        add_arc(radius, last.bx, last.by, first.ax, first.ay, *x0, *y0, &m);
        return m;
    }
    if (!contains(l, 0, 0)) return m;
    m.area = GMC_PI * radius * radius;
    m.xx = m.yy = m.area * radius * radius / 4;
    return m;
}
