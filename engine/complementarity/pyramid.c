#include "engine/complementarity/pyramid.h"

#include "engine/math/elementary.h"

#include <math.h>

void gmc_pyramid_corner(int k, int facets, double d[2])
{
    if (facets == 2) {
        d[0] = k == 0 ? 1 : -1;
        d[1] = 0;
        return;
    }
    gmc_sin_cos(2 * GMC_PI * k / facets, &d[1], &d[0]);
}

/// Outward normal of the edge between corners k and k + 1.
static void edge_normal(int k, int facets, double n[2])
{
    gmc_sin_cos((2 * k + 1) * GMC_PI / facets, &n[1], &n[0]);
}

/// The edge that t points at: by symmetry the one with the point nearest to an outside t.
static double farthest_edge(const double t[2], int facets, double n[2])
{
    double most = -HUGE_VAL;
    for (int k = 0; k < facets; k++) {
        double m[2];
        edge_normal(k, facets, m);
        double distance = m[0] * t[0] + m[1] * t[1];
        if (!(distance > most)) continue;
        most = distance;
        n[0] = m[0];
        n[1] = m[1];
    }
    return most;
}

void gmc_pyramid_project(const double t[2], double radius, int facets, double p[2])
{
    if (facets == 2) {
        p[0] = t[0] < -radius ? -radius : t[0] > radius ? radius : t[0];
        p[1] = 0;
        return;
    }
    double n[2] = {0, 0}, apothem = radius * gmc_cos(GMC_PI / facets);
    if (farthest_edge(t, facets, n) <= apothem) {
        p[0] = t[0];
        p[1] = t[1];
        return;
    }
    double half = radius * gmc_sin(GMC_PI / facets), along = n[0] * t[1] - n[1] * t[0];
    along = along < -half ? -half : along > half ? half : along;
    p[0] = apothem * n[0] - along * n[1];
    p[1] = apothem * n[1] + along * n[0];
}

double gmc_pyramid_reach(const double w[2], int facets)
{
    double most = 0;
    for (int k = 0; k < facets; k++) {
        double d[2];
        gmc_pyramid_corner(k, facets, d);
        most = fmax(most, d[0] * w[0] + d[1] * w[1]);
    }
    return most;
}

double gmc_pyramid_radius(const double t[2], int facets)
{
    double n[2];
    if (facets == 2) return t[1] == 0 ? fabs(t[0]) : HUGE_VAL;
    return fmax(farthest_edge(t, facets, n), 0) / gmc_cos(GMC_PI / facets);
}
