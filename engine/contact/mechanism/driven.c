#include "engine/contact/mechanism/driven.h"

#include "engine/math/elementary.h"

/// From one unit quaternion, or a point in front of one, to another.
/// @param straight  coordinates in front of the quaternion
static void place_turned(const double *from, const double *to, double share, int straight,
                         int count, double *q)
{
    double sign = 0, norm2 = 0;
    for (int k = straight; k < count; k++)
        sign += from[k] * to[k];
    for (int k = 0; k < count; k++) {
        double end = k >= straight && sign < 0 ? -to[k] : to[k];
        q[k] = from[k] + share * (end - from[k]);
        if (k >= straight) norm2 += q[k] * q[k];
    }
    for (int k = straight; k < count; k++)
        q[k] /= sqrt(norm2);
}

void gmc_driven_place(const gmc_model *model, const double *from, const double *to, double share,
                      double *q)
{
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        if (!body->is_driven) continue;
        int count = gmc_joint_q_count(body->joint);
        int straight = body->joint == GMC_JOINT_FREE        ? 3
                       : body->joint == GMC_JOINT_SPHERICAL ? 0
                                                            : count;
        place_turned(from + body->q, to + body->q, share, straight, count, q + body->q);
    }
}

/// Way, velocity and acceleration of one dof.
typedef struct course {
    double way[6], v[6], a[6];
} course;

static course course_of(const gmc_driven_step *step, int first, int count, double s)
{
    course c = {0};
    for (int k = 0; k < count; k++) {
        double v0 = step->start[first + k], v1 = step->end[first + k], u = step->mean[first + k];
        c.way[k] =
            step->h * (v0 * s * (1 - s) * (1 - s) - v1 * s * s * (1 - s) + u * s * s * (3 - 2 * s));
        c.v[k] = v0 * (1 - s) * (1 - 3 * s) - v1 * s * (2 - 3 * s) + 6 * u * s * (1 - s);
        c.a[k] = (v0 * (6 * s - 4) + v1 * (6 * s - 2) + u * (6 - 12 * s)) / step->h;
    }
    return c;
}

/// Angular velocity of a turn r that grows by u: u + r x u / 2, to second order in r.
static gmc_vec3 spin_of(const double *r, const double *u)
{
    gmc_vec3 turn = {r[0], r[1], r[2]}, rate = {u[0], u[1], u[2]};
    return gmc_vec3_add_scaled(rate, 0.5, gmc_vec3_cross(turn, rate));
}

static void put(gmc_vec3 x, double *to)
{
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

/// The mass centre moves on by the way, in the world; the frame's origin follows.
static void place_free(const gmc_body *body, const gmc_mat3 *R_wj, const double *from, course *c,
                       double *q)
{
    gmc_quat before = {from[3], from[4], from[5], from[6]};
    gmc_vec3 turn = gmc_mat3_apply_transposed(R_wj, (gmc_vec3){c->way[3], c->way[4], c->way[5]});
    gmc_vec3 way = gmc_mat3_apply_transposed(R_wj, (gmc_vec3){c->way[0], c->way[1], c->way[2]});
    gmc_quat after = gmc_quat_normalise(gmc_quat_multiply(gmc_quat_exp(turn), before));
    gmc_vec3 com = body->inertia.com, p = {from[0], from[1], from[2]};
    p = gmc_vec3_add(p, way);
    p = gmc_vec3_add(p, gmc_vec3_sub(gmc_quat_rotate(before, com), gmc_quat_rotate(after, com)));
    put(p, q);
    q[3] = after.w, q[4] = after.x, q[5] = after.y, q[6] = after.z;
    put(spin_of(c->way + 3, c->v + 3), c->v + 3);
}

static void place_flat(const gmc_body *body, const gmc_mat3 *R_wj, const double *from,
                       const course *c, double *q)
{
    gmc_vec3 way = gmc_mat3_apply_transposed(R_wj, (gmc_vec3){c->way[0], c->way[1], 0});
    gmc_vec3 com = body->inertia.com;
    double s0, c0, s1, c1;
    gmc_sin_cos(from[2], &s0, &c0);
    gmc_sin_cos(from[2] + c->way[2], &s1, &c1);
    q[0] = from[0] + way.x + com.x * (c0 - c1) - com.y * (s0 - s1);
    q[1] = from[1] + way.y + com.x * (s0 - s1) + com.y * (c0 - c1);
    q[2] = from[2] + c->way[2];
}

static void place_spherical(const double *from, course *c, double *q)
{
    gmc_quat turn = gmc_quat_exp((gmc_vec3){c->way[0], c->way[1], c->way[2]});
    gmc_quat after =
        gmc_quat_normalise(gmc_quat_multiply(turn, (gmc_quat){from[0], from[1], from[2], from[3]}));
    q[0] = after.w, q[1] = after.x, q[2] = after.y, q[3] = after.z;
    put(spin_of(c->way, c->v), c->v);
}

void gmc_driven_course(const gmc_model *model, const gmc_kinematics *kin,
                       const gmc_driven_step *step, double share, const gmc_driven_state *at)
{
    double *q = at->q, *v = at->v, *a = at->a;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        if (!body->is_driven || body->is_mimic) continue;
        int count = gmc_joint_v_count(body->joint);
        course c = course_of(step, body->v, count, share);
        gmc_mat3 R_wj = gmc_mat3_multiply(&kin->X_wb[body->parent].R, &body->X_pj.R);
        const double *from = step->from + body->q;
        switch (body->joint) {
        case GMC_JOINT_REVOLUTE:
        case GMC_JOINT_PRISMATIC:
            q[body->q] = *from + c.way[0];
            break;
        case GMC_JOINT_SPHERICAL:
            place_spherical(from, &c, q + body->q);
            break;
        case GMC_JOINT_FREE:
            place_free(body, &R_wj, from, &c, q + body->q);
            break;
        case GMC_JOINT_PLANAR:
            place_flat(body, &R_wj, from, &c, q + body->q);
            break;
        case GMC_JOINT_FIXED:
        case GMC_JOINT_COUNT:
            break;
        }
        for (int k = 0; k < count; k++) {
            v[body->v + k] = c.v[k];
            a[body->v + k] = c.a[k];
        }
    }
}
