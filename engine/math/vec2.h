/// Two-vectors by value, for what happens in a plane. Units are the caller's.
#ifndef GMC_ENGINE_MATH_VEC2_H
#define GMC_ENGINE_MATH_VEC2_H

#include <math.h>

typedef struct gmc_vec2 {
    double x, y;
} gmc_vec2;

static inline gmc_vec2 gmc_vec2_add(gmc_vec2 a, gmc_vec2 b)
{
    return (gmc_vec2){a.x + b.x, a.y + b.y};
}

static inline gmc_vec2 gmc_vec2_sub(gmc_vec2 a, gmc_vec2 b)
{
    return (gmc_vec2){a.x - b.x, a.y - b.y};
}

static inline gmc_vec2 gmc_vec2_scale(double s, gmc_vec2 a) { return (gmc_vec2){s * a.x, s * a.y}; }

/// a + s b
static inline gmc_vec2 gmc_vec2_add_scaled(gmc_vec2 a, double s, gmc_vec2 b)
{
    return (gmc_vec2){a.x + s * b.x, a.y + s * b.y};
}

static inline gmc_vec2 gmc_vec2_neg(gmc_vec2 a) { return (gmc_vec2){-a.x, -a.y}; }

static inline double gmc_vec2_dot(gmc_vec2 a, gmc_vec2 b) { return a.x * b.x + a.y * b.y; }

/// a x b along z: positive if b lies to the left of a.
static inline double gmc_vec2_cross(gmc_vec2 a, gmc_vec2 b) { return a.x * b.y - a.y * b.x; }

/// Turned by a quarter counter-clockwise.
static inline gmc_vec2 gmc_vec2_left(gmc_vec2 a) { return (gmc_vec2){-a.y, a.x}; }

static inline double gmc_vec2_norm(gmc_vec2 a) { return sqrt(gmc_vec2_dot(a, a)); }

/// a / |a|; the zero vector if |a| is 0.
static inline gmc_vec2 gmc_vec2_unit(gmc_vec2 a)
{
    double norm = gmc_vec2_norm(a);
    return norm > 0 ? gmc_vec2_scale(1 / norm, a) : (gmc_vec2){0, 0};
}

#endif
