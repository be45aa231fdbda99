// The model is a handful of flat arrays. A copy duplicates those a trial may vary and shares the
// rest; looking things up by name is for set-up only, so it is a plain search.

#include "engine/model/model.h"

#include <string.h>

int gmc_joint_q_count(gmc_joint_type type)
{
    switch (type) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC:
        return 1;
    case GMC_JOINT_SPHERICAL:
        return 4;
    case GMC_JOINT_FREE:
        return 7;
    case GMC_JOINT_PLANAR:
        return 3;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return 0;
}

int gmc_joint_v_count(gmc_joint_type type)
{
    switch (type) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC:
        return 1;
    case GMC_JOINT_SPHERICAL:
    case GMC_JOINT_PLANAR:
        return 3;
    case GMC_JOINT_FREE:
        return 6;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return 0;
}

// Rodrigues' formula: c 1 + s [a]x + (1 - c) a aT.
static gmc_mat3 axis_rotation(gmc_vec3 a, double angle)
{
    double s, c;
    gmc_sin_cos(angle, &s, &c);
    double k = 1 - c;
    double kxy = k * a.x * a.y, kxz = k * a.x * a.z, kyz = k * a.y * a.z;
    return (gmc_mat3){{c + k * a.x * a.x, kxy - s * a.z, kxz + s * a.y, kxy + s * a.z,
                       c + k * a.y * a.y, kyz - s * a.x, kxz - s * a.y, kyz + s * a.x,
                       c + k * a.z * a.z}};
}

gmc_pose gmc_model_joint_pose(const gmc_body *body, const double *q)
{
    const double *own = q + body->q;
    switch (body->joint) {
    case GMC_JOINT_REVOLUTE:
        return (gmc_pose){axis_rotation(body->axis, body->ratio * own[0] + body->offset),
                          {0, 0, 0}};
    case GMC_JOINT_PRISMATIC:
        return (gmc_pose){gmc_mat3_identity(),
                          gmc_vec3_scale(body->ratio * own[0] + body->offset, body->axis)};
    case GMC_JOINT_SPHERICAL:
        return gmc_pose_make((gmc_quat){own[0], own[1], own[2], own[3]}, (gmc_vec3){0, 0, 0});
    case GMC_JOINT_FREE:
        return gmc_pose_make((gmc_quat){own[3], own[4], own[5], own[6]},
                             (gmc_vec3){own[0], own[1], own[2]});
    case GMC_JOINT_PLANAR:
        return (gmc_pose){axis_rotation((gmc_vec3){0, 0, 1}, own[2]), {own[0], own[1], 0}};
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return gmc_pose_identity();
}

static size_t law_count(const gmc_model *model)
{
    return (size_t)model->surface_count * (size_t)model->surface_count;
}

static void *copy_array(gmc_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = gmc_arena_take(arena, count, size);
    if (to && count > 0) memcpy(to, from, count * size);
    return to;
}

gmc_status gmc_model_copy(const gmc_model *model, gmc_arena *arena, gmc_model *copy)
{
    gmc_model m = *model;
    m.bodies = copy_array(arena, model->bodies, (size_t)model->body_count, sizeof *m.bodies);
    m.dofs = copy_array(arena, model->dofs, (size_t)model->dof_count, sizeof *m.dofs);
    m.geoms = copy_array(arena, model->geoms, (size_t)model->geom_count, sizeof *m.geoms);
    m.laws = copy_array(arena, model->laws, law_count(model), sizeof *m.laws);
    m.q_start = copy_array(arena, model->q_start, (size_t)model->q_count, sizeof *m.q_start);
    m.supports =
        copy_array(arena, model->supports, (size_t)model->support_count, sizeof *m.supports);
    m.support_points = copy_array(arena, model->support_points, (size_t)model->support_point_count,
                                  sizeof *m.support_points);
    if (!m.bodies || !m.dofs || !m.geoms || !m.laws || !m.q_start || !m.supports ||
        !m.support_points)
        return GMC_E_ARENA_FULL;
    *copy = m;
    return GMC_OK;
}

size_t gmc_model_copy_bytes(const gmc_model *model)
{
    enum { ARRAYS = 7, ALIGNMENT = 64 };
    return (size_t)model->body_count * sizeof(gmc_body) +
           (size_t)model->dof_count * sizeof(gmc_dof) +
           (size_t)model->geom_count * sizeof(gmc_geom) +
           law_count(model) * sizeof(gmc_surface_law) + (size_t)model->q_count * sizeof(double) +
           (size_t)model->support_count * sizeof(gmc_support) +
           (size_t)model->support_point_count * sizeof(gmc_support_point) +
           (size_t)(ARRAYS * ALIGNMENT);
}
