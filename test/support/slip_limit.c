#include "test/support/slip_limit.h"

#include "engine/math/elementary.h"

#include <math.h>

static void add_corner(support_polygon *polygon, double x, double y)
{
    polygon->x[polygon->count] = x;
    polygon->y[polygon->count++] = y;
}

support_polygon support_polygon_clip(const support_polygon *a, const support_polygon *b)
{
    support_polygon left = *a;
    for (int k = 0; k < b->count; k++) {
        int next = (k + 1) % b->count;
        double nx = b->y[k] - b->y[next], ny = b->x[next] - b->x[k]; // inwards
        support_polygon part = {0};
        for (int i = 0; i < left.count; i++) {
            int j = (i + 1) % left.count;
            double in = nx * (left.x[i] - b->x[k]) + ny * (left.y[i] - b->y[k]);
            double after = nx * (left.x[j] - b->x[k]) + ny * (left.y[j] - b->y[k]);
            if (in >= 0) add_corner(&part, left.x[i], left.y[i]);
            if (in * after < 0) {
                double s = in / (in - after);
                add_corner(&part, left.x[i] + s * (left.x[j] - left.x[i]),
                           left.y[i] + s * (left.y[j] - left.y[i]));
            }
        }
        left = part;
    }
    return left;
}

double support_polygon_centroid(const support_polygon *polygon, double centroid[2])
{
    double area = 0;
    centroid[0] = centroid[1] = 0;
    for (int i = 0; i < polygon->count; i++) {
        int j = (i + 1) % polygon->count;
        double own = 0.5 * (polygon->x[i] * polygon->y[j] - polygon->x[j] * polygon->y[i]);
        area += own;
        centroid[0] += own * (polygon->x[i] + polygon->x[j]) / 3;
        centroid[1] += own * (polygon->y[i] + polygon->y[j]) / 3;
    }
    centroid[0] /= area;
    centroid[1] /= area;
    return area;
}

void support_area_fill(support_area *area, const support_polygon *polygon)
{
    double from[2] = {HUGE_VAL, HUGE_VAL}, to[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < polygon->count; i++) {
        from[0] = fmin(from[0], polygon->x[i]), to[0] = fmax(to[0], polygon->x[i]);
        from[1] = fmin(from[1], polygon->y[i]), to[1] = fmax(to[1], polygon->y[i]);
    }
    area->count = 0;
    for (int i = 0; i < SUPPORT_CELLS * SUPPORT_CELLS; i++) {
        double u = (i % SUPPORT_CELLS + 0.5) / SUPPORT_CELLS;
        double v = ((double)(i / SUPPORT_CELLS) + 0.5) / SUPPORT_CELLS;
        double x = from[0] + u * (to[0] - from[0]), y = from[1] + v * (to[1] - from[1]);
        int is_in = 1;
        for (int k = 0; k < polygon->count; k++) {
            int next = (k + 1) % polygon->count;
            double turn = (polygon->x[next] - polygon->x[k]) * (y - polygon->y[k]) -
                          (polygon->y[next] - polygon->y[k]) * (x - polygon->x[k]);
            if (turn < 0) is_in = 0;
        }
        if (!is_in) continue;
        area->x[area->count] = x;
        area->y[area->count++] = y;
    }
}

/// Mean of |v + w x r|.
static double power(const support_area *area, double vx, double vy, double w)
{
    double sum = 0;
    for (int i = 0; i < area->count; i++) {
        double px = vx - w * area->y[i], py = vy + w * area->x[i];
        sum += sqrt(px * px + py * py);
    }
    return sum / area->count;
}

double support_slip_limit(const support_area *area, double size, const double load[3])
{
    double least = HUGE_VAL, at[2] = {0, 0}, wide = GMC_PI / 2;
    for (int level = 0; level < 5; level++) {
        double from[2] = {at[0], at[1]};
        for (int i = -8; i <= 8; i++)
            for (int k = -8; k <= 8; k++) {
                double turn = from[0] + 2 * wide * i / 8, tilt = from[1] + wide * k / 8;
                double vx = gmc_cos(tilt) * gmc_cos(turn), vy = gmc_cos(tilt) * gmc_sin(turn);
                double w = gmc_sin(tilt) / size;
                double work = load[0] * vx + load[1] * vy + load[2] * w;
                if (!(work > 1e-9 * (fabs(load[0]) + fabs(load[1]) + fabs(load[2]) / size)))
                    continue;
                double own = power(area, vx, vy, w) / work;
                if (own < least) least = own, at[0] = turn, at[1] = tilt;
            }
        wide *= 0.2;
    }
    return least;
}
