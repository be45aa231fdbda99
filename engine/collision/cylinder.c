#include "engine/collision/cylinder.h"

/// A cap is in question where the axis is within 45 degrees of the normal.
#define CAP_COSINE 0.70710678118654752
/// Tilt (sine) below which a cap becomes, and remains, flat. A pinched or loaded cap tilts by about
/// its elastic sinking over its radius, 1e-4.
#define FLAT_NEW  1e-4
#define FLAT_KEEP 2e-4

void gmc_cylinder_towards(const gmc_solid *cylinder, gmc_vec3 dir, int was_flat,
                          gmc_cylinder_points *points)
{
    double radius = cylinder->shape->radius, half = cylinder->shape->half_length;
    gmc_vec3 axis = gmc_mat3_column(&cylinder->X.R, 2);
    double along = gmc_vec3_dot(axis, dir);
    gmc_vec3 side = gmc_vec3_add_scaled(dir, -along, axis);
    double tilt = gmc_vec3_norm(side);
    points->is_flat = 0;

    if (fabs(along) < CAP_COSINE) {
        gmc_vec3 low = gmc_vec3_add_scaled(cylinder->X.p, radius / tilt, side);
        points->count = 2;
        for (int k = 0; k < 2; k++) {
            points->points[k] = gmc_vec3_add_scaled(low, k ? half : -half, axis);
            points->ids[k] = GMC_CYLINDER_SIDE + k;
        }
        return;
    }

    int cap = along > 0;
    points->count = 4;
    points->is_flat = tilt <= (was_flat ? FLAT_KEEP : FLAT_NEW);
    points->cap_normal = cap ? axis : gmc_vec3_neg(axis);
    points->cap_centre = gmc_vec3_add_scaled(cylinder->X.p, half, points->cap_normal);
    gmc_vec3 u =
        points->is_flat ? gmc_mat3_column(&cylinder->X.R, 0) : gmc_vec3_scale(1 / tilt, side);
    gmc_vec3 v = gmc_vec3_cross(points->cap_normal, u);
    double c[4] = {radius, 0, -radius, 0}, s[4] = {0, radius, 0, -radius};
    for (int k = 0; k < 4; k++) {
        points->points[k] =
            gmc_vec3_add_scaled(gmc_vec3_add_scaled(points->cap_centre, c[k], u), s[k], v);
        points->ids[k] = (points->is_flat ? GMC_CYLINDER_FLAT : GMC_CYLINDER_TILTED) + 4 * cap + k;
    }
}
