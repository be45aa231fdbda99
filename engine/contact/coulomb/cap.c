// Cut along x at the distance y from the centre, the cap is a parabola again: integrals along it in
// closed form over the intervals that are on a face, over y = a sin θ by Gauss's rule between the
// places where their ends go over from one edge to another or to the rim.

#include "engine/contact/coulomb/cap.h"

#include "engine/contact/coulomb/patch.h"
#include "engine/math/elementary.h"

#include <math.h>

/// Of one face, if it is nearer than what is known.
static void look_at(const gmc_cap_face *face, gmc_cap_near *near)
{
    bool is_over = true;
    gmc_cap_near least = *near;
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i], e2 = ex * ex + ey * ey;
        if (!(e2 > 0)) continue;
        if (ey * face->x[i] - ex * face->y[i] < 0) is_over = false;
        double along = -(ex * face->x[i] + ey * face->y[i]) / e2;
        along = fmin(fmax(along, 0), 1);
        double x = face->x[i] + along * ex, y = face->y[i] + along * ey;
        double away = sqrt(x * x + y * y);
        if (away < least.away) least = (gmc_cap_near){away, -x / away, -y / away};
    }
    *near = is_over ? (gmc_cap_near){0, 0, 0} : least;
}

gmc_cap_near gmc_cap_nearest(const gmc_cap_face *faces, int count)
{
    gmc_cap_near near = {.away = INFINITY};
    for (int i = 0; i < count; i++)
        look_at(&faces[i], &near);
    return near;
}

bool gmc_cap_is_whole(const gmc_cap_face *face, double radius)
{
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i];
        double inside = ey * face->x[i] - ex * face->y[i];
        if (!(inside >= radius * sqrt(ex * ex + ey * ey))) return false;
    }
    return true;
}

// ---- slices ------------------------------------------------------------------------------------

/// Integrals over the cap: 1, d, d²/2, d x, d y, d r².
typedef struct sums {
    double area, depth, stored, depth_x, depth_y, depth_rr;
} sums;

typedef struct interval {
    double from, to;
} interval;

/// Intervals in their order, those that overlap joined. @return how many
static int join(interval *list, int count)
{
    int joined = 0;
    for (int i = 1; i < count; i++) {
        interval one = list[i];
        int at = i;
        for (; at > 0 && list[at - 1].from > one.from; at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
    for (int i = 1; i < count; i++) {
        if (list[i].from <= list[joined].to)
            list[joined].to = fmax(list[joined].to, list[i].to);
        else
            list[++joined] = list[i];
    }
    return count > 0 ? joined + 1 : 0;
}

/// The parabola of a cap: D - (x² + y²)/(2 ρ).
typedef struct parabola {
    double rho, top; ///< ρ, D [m]
} parabola;

/// One slice of width w.
static void add_slice(const gmc_cap *cap, const parabola *p, double y, double w, sums *to)
{
    interval on[GMC_CAP_FACES];
    double rho = p->rho, c = p->top - y * y / (2 * rho), half = sqrt(fmax(2 * rho * c, 0));
    int found = 0;
    for (int i = 0; i < cap->face_count; i++) {
        const gmc_cap_face *face = &cap->faces[i];
        on[found] = (interval){-half, half};
        gmc_patch_cut_line(face->x, face->y, face->count, y, &on[found].from, &on[found].to);
        if (on[found].from < on[found].to) found++;
    }
    found = join(on, found);
    for (int i = 0; i < found; i++)
        for (int end = 0; end < 2; end++) {
            double x = end ? on[i].to : on[i].from, sign = end ? w : -w, x2 = x * x;
            double depth = x * (c - x2 / (6 * rho));
            to->area += sign * x;
            to->depth += sign * depth;
            to->stored += sign * 0.5 * x * (c * c - x2 * (c / (3 * rho) - x2 / (20 * rho * rho)));
            to->depth_x += sign * x2 * (c / 2 - x2 / (8 * rho));
            to->depth_y += sign * depth * y;
            to->depth_rr += sign * (x2 * x * (c / 3 - x2 / (10 * rho)) + depth * y * y);
        }
}

/// Add a place to an ordered list between its ends.
static void add_break(double y, double *list, int *count)
{
    if (!(y > list[0] && y < list[*count - 1])) return;
    int at = (*count)++;
    for (; list[at - 1] > y; at--)
        list[at] = list[at - 1];
    list[at] = y;
}

/// Corners, and where edges cross the rim.
static void find_breaks(const gmc_cap_face *face, double radius, double *list, int *count)
{
    for (int i = 0; i < face->count; i++) {
        int j = i + 1 < face->count ? i + 1 : 0;
        double ex = face->x[j] - face->x[i], ey = face->y[j] - face->y[i];
        double length = sqrt(ex * ex + ey * ey);
        add_break(face->y[i], list, count);
        if (!(length > 0)) continue;
        double along = -(face->x[i] * ex + face->y[i] * ey) / length;
        double off = (face->x[i] * ey - face->y[i] * ex) / length;
        double half2 = radius * radius - off * off;
        if (!(half2 > 0)) continue;
        for (int k = -1; k <= 1; k += 2) {
            double at = along + k * sqrt(half2);
            if (at > 0 && at < length) add_break(face->y[i] + at / length * ey, list, count);
        }
    }
}

/// Gauss's rule with six points between two places, on parts of it that are no wider than WIDEST
/// [rad].
static void add_slices(const gmc_cap *cap, const parabola *p, interval angles, sums *to)
{
    static const double AT[3] = {0.23861918608319691, 0.66120938646626451, 0.93246951420315203};
    static const double SHARE[3] = {0.46791393457269104, 0.36076157304813861, 0.17132449237917036};
    static const double WIDEST = 0.6;
    double radius = sqrt(2 * p->rho * p->top), width = angles.to - angles.from;
    int parts = 1 + (int)(width / WIDEST);
    double half = width / (2 * parts);
    for (int part = 0; part < parts; part++)
        for (int i = 0; i < 6; i++) {
            int k = i < 3 ? i : i - 3;
            double middle = angles.from + (2 * part + 1) * half, s, c;
            gmc_sin_cos(middle + half * (i < 3 ? -AT[k] : AT[k]), &s, &c);
            add_slice(cap, p, radius * s, SHARE[k] * half * radius * c, to);
        }
}

gmc_status gmc_cap_integrate(const gmc_cap *cap, double depth, gmc_arena *arena,
                             gmc_cap_share *share)
{
    size_t mark = gmc_arena_mark(arena), room = 2;
    double R = cap->radius, e = cap->near.away, rho = sqrt(R * R - e * e);
    const parabola p = {rho, depth + e * e / (2 * rho)};
    double radius = sqrt(2 * rho * p.top);
    for (int i = 0; i < cap->face_count; i++)
        room += 3 * (size_t)cap->faces[i].count;
    double *breaks = GMC_ROOM(arena, room, double);
    if (!breaks) return GMC_E_ARENA_FULL;
    int places = 2;
    breaks[0] = -radius;
    breaks[1] = radius;
    for (int i = 0; i < cap->face_count; i++)
        find_breaks(&cap->faces[i], radius, breaks, &places);
    sums of = {0};
    interval angles = {0, -GMC_PI / 2};
    for (int i = 1; i < places; i++) {
        double y = breaks[i];
        angles.from = angles.to;
        angles.to = gmc_atan2(y, sqrt(fmax(radius * radius - y * y, 0)));
        if (angles.from < angles.to) add_slices(cap, &p, angles, &of);
    }
    gmc_arena_reset(arena, mark);
    *share = (gmc_cap_share){0};
    if (!(of.depth > 0)) return GMC_OK;
    double more = e * (of.depth_rr / of.depth - e * e) / (2 * rho * rho * rho);
    double x = -of.depth_x / (rho * of.depth) + more * cap->near.x;
    double y = -of.depth_y / (rho * of.depth) + more * cap->near.y;
    double stretch2 = 1 + x * x + y * y, area = 2 * GMC_PI * R * depth;
    *share = (gmc_cap_share){.force = sqrt(stretch2) * of.depth / (0.5 * area * depth),
                             .slope = stretch2 * of.area / area,
                             .stored = of.stored / (area * depth * depth / 6),
                             .lean_x = x,
                             .lean_y = y};
    return GMC_OK;
}
