/// Unit quaternions (w, x, y, z), rotations of the right-handed kind: v_w = q v_b q*.
#ifndef GMC_ENGINE_MATH_QUAT_H
#define GMC_ENGINE_MATH_QUAT_H

#include "engine/math/elementary.h"
#include "engine/math/mat3.h"

typedef struct gmc_quat {
    double w, x, y, z;
} gmc_quat;

static inline gmc_quat gmc_quat_identity(void) { return (gmc_quat){1, 0, 0, 0}; }

static inline gmc_quat gmc_quat_multiply(gmc_quat a, gmc_quat b)
{
    return (gmc_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline gmc_quat gmc_quat_conjugate(gmc_quat q) { return (gmc_quat){q.w, -q.x, -q.y, -q.z}; }

static inline gmc_quat gmc_quat_normalise(gmc_quat q)
{
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (gmc_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Rotation by the vector r (axis times angle, rad): the exponential map. Up to 0.2 rad, which
/// covers the turns of one step, by series whose next terms are below rounding: quicker.
static inline gmc_quat gmc_quat_exp(gmc_vec3 r)
{
    double angle2 = gmc_vec3_dot(r, r);
    if (angle2 <= 0.04) {
        double x = angle2 / 4; // (angle/2)²: sin(angle/2)/angle, then cos(angle/2)
        double s = 0.5 * (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))));
        double c = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90))));
        return (gmc_quat){c, s * r.x, s * r.y, s * r.z};
    }
    double angle = sqrt(angle2), s, c;
    gmc_sin_cos(angle / 2, &s, &c);
    s /= angle;
    return (gmc_quat){c, s * r.x, s * r.y, s * r.z};
}

/// The vector r with |r| <= pi whose exponential is q or -q.
static inline gmc_vec3 gmc_quat_log(gmc_quat q)
{
    gmc_vec3 v = {q.x, q.y, q.z};
    double n = gmc_vec3_norm(v);
    if (n < 1e-12) return gmc_vec3_scale(q.w < 0 ? -2 : 2, v);
    double half = q.w < 0 ? gmc_atan2(-n, -q.w) : gmc_atan2(n, q.w);
    return gmc_vec3_scale(2 * half / n, v);
}

/// Fixed-axis roll, pitch, yaw (URDF): R = Rz(yaw) Ry(pitch) Rx(roll).
static inline gmc_quat gmc_quat_from_rpy(double roll, double pitch, double yaw)
{
    gmc_quat r = {0}, p = {0}, y = {0};
    gmc_sin_cos(roll / 2, &r.x, &r.w);
    gmc_sin_cos(pitch / 2, &p.y, &p.w);
    gmc_sin_cos(yaw / 2, &y.z, &y.w);
    return gmc_quat_multiply(y, gmc_quat_multiply(p, r));
}

static inline gmc_mat3 gmc_quat_matrix(gmc_quat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (gmc_mat3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                       2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                       2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
}

static inline gmc_vec3 gmc_quat_rotate(gmc_quat q, gmc_vec3 v)
{
    gmc_vec3 u = {q.x, q.y, q.z};
    gmc_vec3 t = gmc_vec3_scale(2, gmc_vec3_cross(u, v));
    return gmc_vec3_add(gmc_vec3_add_scaled(v, q.w, t), gmc_vec3_cross(u, t));
}

/// The rotation matrix as a quaternion with w >= 0 (largest of the four components first, so that
/// nothing is divided by a small number).
static inline gmc_quat gmc_quat_from_matrix(const gmc_mat3 *R)
{
    const double *m = R->m;
    double t[4] = {m[0] + m[4] + m[8], m[0] - m[4] - m[8], m[4] - m[0] - m[8], m[8] - m[0] - m[4]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[k]) k = i;
    double s = 0.5 / sqrt(1 + t[k]), d = 0.25 / s;
    gmc_quat q;
    if (k == 0)
        q = (gmc_quat){d, (m[7] - m[5]) * s, (m[2] - m[6]) * s, (m[3] - m[1]) * s};
    else if (k == 1)
        q = (gmc_quat){(m[7] - m[5]) * s, d, (m[1] + m[3]) * s, (m[2] + m[6]) * s};
    else if (k == 2)
        q = (gmc_quat){(m[2] - m[6]) * s, (m[1] + m[3]) * s, d, (m[5] + m[7]) * s};
    else
        q = (gmc_quat){(m[3] - m[1]) * s, (m[2] + m[6]) * s, (m[5] + m[7]) * s, d};
    return q.w < 0 ? (gmc_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

#endif
