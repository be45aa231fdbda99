/// Twists, wrenches and rigid-body inertia.
#ifndef GMC_ENGINE_MATH_SPATIAL_H
#define GMC_ENGINE_MATH_SPATIAL_H

#include "engine/math/pose.h"

/// Motion of a body seen in the world, at the world's origin.
typedef struct gmc_twist {
    gmc_vec3 w; ///< angular velocity [rad/s]
    gmc_vec3 v; ///< velocity of the body point that is at the world's origin [m/s]
} gmc_twist;

/// Force on a body seen in the world, about the world's origin.
typedef struct gmc_wrench {
    gmc_vec3 n; ///< moment about the world's origin [N·m]
    gmc_vec3 f; ///< force [N]
} gmc_wrench;

/// Mass properties in the body's own frame.
typedef struct gmc_inertia {
    double mass;  ///< [kg]
    gmc_vec3 com; ///< centre of mass in the body frame [m]
    gmc_mat3 I;   ///< about the centre of mass, axes of the body frame [kg·m²]
} gmc_inertia;

static inline gmc_vec3 gmc_twist_at(const gmc_twist *V, gmc_vec3 p_w)
{
    return gmc_vec3_add(V->v, gmc_vec3_cross(V->w, p_w));
}

static inline gmc_twist gmc_twist_add_scaled(gmc_twist a, double s, gmc_twist b)
{
    return (gmc_twist){gmc_vec3_add_scaled(a.w, s, b.w), gmc_vec3_add_scaled(a.v, s, b.v)};
}

/// V ×ₘ U: rate of change of a motion U that is carried along with V. Source: [featherstone2008]
/// §2.9.
static inline gmc_twist gmc_twist_cross(gmc_twist V, gmc_twist U)
{
    return (gmc_twist){gmc_vec3_cross(V.w, U.w),
                       gmc_vec3_add(gmc_vec3_cross(V.w, U.v), gmc_vec3_cross(V.v, U.w))};
}

/// V ×ᶠ F: rate of change of a force or momentum carried along with V. Source: [featherstone2008]
/// §2.9.
static inline gmc_wrench gmc_twist_cross_wrench(gmc_twist V, gmc_wrench F)
{
    return (gmc_wrench){gmc_vec3_add(gmc_vec3_cross(V.w, F.n), gmc_vec3_cross(V.v, F.f)),
                        gmc_vec3_cross(V.w, F.f)};
}

static inline double gmc_twist_power(gmc_twist V, gmc_wrench F)
{
    return gmc_vec3_dot(V.w, F.n) + gmc_vec3_dot(V.v, F.f);
}

static inline gmc_wrench gmc_wrench_add(gmc_wrench a, gmc_wrench b)
{
    return (gmc_wrench){gmc_vec3_add(a.n, b.n), gmc_vec3_add(a.f, b.f)};
}

#endif
