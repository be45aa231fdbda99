/// Three-vectors by value. Units are the caller's.
#ifndef GMC_ENGINE_MATH_VEC3_H
#define GMC_ENGINE_MATH_VEC3_H

#include <math.h>

typedef struct gmc_vec3 {
    double x, y, z;
} gmc_vec3;

static inline gmc_vec3 gmc_vec3_make(double x, double y, double z) { return (gmc_vec3){x, y, z}; }

static inline gmc_vec3 gmc_vec3_add(gmc_vec3 a, gmc_vec3 b)
{
    return (gmc_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline gmc_vec3 gmc_vec3_sub(gmc_vec3 a, gmc_vec3 b)
{
    return (gmc_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline gmc_vec3 gmc_vec3_scale(double s, gmc_vec3 a)
{
    return (gmc_vec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline gmc_vec3 gmc_vec3_add_scaled(gmc_vec3 a, double s, gmc_vec3 b)
{
    return (gmc_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline gmc_vec3 gmc_vec3_neg(gmc_vec3 a) { return (gmc_vec3){-a.x, -a.y, -a.z}; }

static inline double gmc_vec3_dot(gmc_vec3 a, gmc_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline gmc_vec3 gmc_vec3_cross(gmc_vec3 a, gmc_vec3 b)
{
    return (gmc_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double gmc_vec3_norm(gmc_vec3 a) { return sqrt(gmc_vec3_dot(a, a)); }

/// a / |a|; the zero vector if |a| is 0.
static inline gmc_vec3 gmc_vec3_unit(gmc_vec3 a)
{
    double norm = gmc_vec3_norm(a);
    return norm > 0 ? gmc_vec3_scale(1 / norm, a) : (gmc_vec3){0, 0, 0};
}

/// Component 0, 1 or 2.
static inline double gmc_vec3_get(gmc_vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

/// Two unit vectors that complete the unit vector n to a right-handed frame (n, t1, t2). They turn
/// smoothly with n but for the half plane n.z = 0 crossed downwards. Source: [duff2017], listing 3.
static inline void gmc_vec3_tangents(gmc_vec3 n, gmc_vec3 *t1, gmc_vec3 *t2)
{
    double sign = copysign(1.0, n.z);
    double a = -1 / (sign + n.z), b = n.x * n.y * a;
    *t1 = (gmc_vec3){1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    *t2 = (gmc_vec3){b, sign + n.y * n.y * a, -n.y};
}

#endif
