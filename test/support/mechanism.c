#include "test/support/mechanism.h"

#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"
#include "engine/model/builder.h"
#include "engine/model/inertia.h"

#include <stdio.h>
#include <string.h>

enum { LINK_MAX = 64 };

static uint64_t next(support_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double support_uniform(support_random *random, double lower, double upper)
{
    return lower + (upper - lower) * ((double)(next(random) >> 11) * 0x1p-53);
}

int support_index(support_random *random, int count)
{
    return (int)(next(random) % (uint64_t)count);
}

gmc_vec3 support_direction(support_random *random)
{
    double z = support_uniform(random, -1, 1), turn = support_uniform(random, -GMC_PI, GMC_PI);
    double r = sqrt(1 - z * z);
    return (gmc_vec3){r * cos(turn), r * sin(turn), z};
}

gmc_quat support_rotation(support_random *random)
{
    return gmc_quat_exp(
        gmc_vec3_scale(support_uniform(random, 0, GMC_PI), support_direction(random)));
}

static gmc_vec3 point(support_random *random, double reach)
{
    return (gmc_vec3){support_uniform(random, -reach, reach),
                      support_uniform(random, -reach, reach),
                      support_uniform(random, -reach, reach)};
}

gmc_inertia support_inertia(support_random *random)
{
    gmc_shape box = {.type = GMC_SHAPE_BOX,
                     .half = {support_uniform(random, 0.05, 0.3),
                              support_uniform(random, 0.05, 0.3),
                              support_uniform(random, 0.05, 0.3)}};
    gmc_inertia own = gmc_inertia_of_shape_mass(&box, support_uniform(random, 0.1, 2));
    gmc_pose X = gmc_pose_make(support_rotation(random), point(random, 0.3));
    return gmc_inertia_move(&X, &own);
}

const support_tree_options SUPPORT_TREE_EVERYTHING = {.link_count = 12,
                                                      .has_free = true,
                                                      .has_spherical = true,
                                                      .has_fixed = true,
                                                      .has_mimic = true,
                                                      .has_driven = true,
                                                      .has_armature = true};

static gmc_joint_type joint_type(support_random *random, const support_tree_options *options,
                                 int parent)
{
    switch (support_index(random, 6)) {
    case 0:
        return options->has_spherical ? GMC_JOINT_SPHERICAL : GMC_JOINT_REVOLUTE;
    case 1:
        return options->has_fixed ? GMC_JOINT_FIXED : GMC_JOINT_REVOLUTE;
    case 2:
    case 3:
        return GMC_JOINT_PRISMATIC;
    default:
        break;
    }
    return options->has_free && parent < 0 ? GMC_JOINT_FREE : GMC_JOINT_REVOLUTE;
}

static bool has_one_dof(gmc_joint_type type)
{
    return type == GMC_JOINT_REVOLUTE || type == GMC_JOINT_PRISMATIC;
}

gmc_status support_tree(support_random *random, const support_tree_options *options,
                        gmc_arena *arena, gmc_model *model)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    if (!builder) return GMC_E_MEMORY;
    char names[LINK_MAX][16] = {{0}};
    bool may_lead[LINK_MAX] = {false};
    int count = options->link_count < LINK_MAX ? options->link_count : LINK_MAX;
    for (int i = 0; i < count; i++) {
        int parent = support_index(random, i + 1) - 1;
        gmc_joint_type type = joint_type(random, options, parent);
        gmc_joint_spec joint = {.type = type,
                                .X_pj = gmc_pose_make(support_rotation(random), point(random, 0.5)),
                                .axis = gmc_vec3_scale(3, support_direction(random)),
                                .dof = gmc_builder_default_dof()};
        joint.is_driven =
            options->has_driven && type != GMC_JOINT_FIXED && support_index(random, 5) == 0;
        if (options->has_armature && type != GMC_JOINT_FREE)
            joint.dof.armature = support_uniform(random, 0, 0.1);
        int leader = support_index(random, i + 1);
        if (options->has_mimic && has_one_dof(type) && may_lead[leader]) {
            joint.mimic_joint = names[leader];
            joint.ratio = support_uniform(random, -2, 2);
            joint.offset = support_uniform(random, -1, 1);
        }
        may_lead[i] = has_one_dof(type) && !joint.mimic_joint;
        gmc_inertia inertia = support_inertia(random);
        snprintf(names[i], sizeof names[i], "link%d", i);
        gmc_builder_link(builder, (gmc_source){0}, names[i], parent < 0 ? NULL : names[parent],
                         &joint, &inertia);
    }
    gmc_builder_gravity(builder, gmc_vec3_scale(9.81, support_direction(random)));
    gmc_status status = gmc_builder_finish(builder, arena, model);
    gmc_diagnostics_print(&report, stderr);
    gmc_diagnostics_free(&report);
    gmc_builder_free(builder);
    return status;
}

static void put_rotation(support_random *random, double *q)
{
    gmc_quat r = support_rotation(random);
    q[0] = r.w;
    q[1] = r.x;
    q[2] = r.y;
    q[3] = r.z;
}

void support_tree_state(support_random *random, const gmc_model *model, double *q, double *v)
{
    for (int i = 0; i < model->q_count; i++)
        q[i] = support_uniform(random, -1, 1);
    for (int d = 0; d < model->dof_count; d++)
        v[d] = support_uniform(random, -2, 2);
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = model->bodies + i;
        if (body->joint == GMC_JOINT_SPHERICAL) put_rotation(random, q + body->q);
        if (body->joint == GMC_JOINT_FREE) put_rotation(random, q + body->q + 3);
    }
}

void support_flow(const gmc_model *model, const gmc_kinematics *kin, const double *from,
                  const double *v, double h, gmc_arena *scratch, double *to)
{
    // a twin whose joints all move by themselves
    size_t mark = gmc_arena_mark(scratch);
    gmc_model twin = *model;
    gmc_state state = {0, to, GMC_NEW(scratch, model->dof_count, double)};
    double *impulse = GMC_NEW(scratch, model->dof_count, double);
    twin.bodies = GMC_NEW(scratch, model->body_count, gmc_body);
    memcpy(twin.bodies, model->bodies, (size_t)model->body_count * sizeof *twin.bodies);
    for (int i = 0; i < twin.body_count; i++)
        twin.bodies[i].is_driven = false;
    memcpy(to, from, (size_t)model->q_count * sizeof *to);
    gmc_state_advance(&twin, kin, &(gmc_state_motion){.v_mean = v, .impulse = impulse, .h = h},
                      &state);
    gmc_arena_reset(scratch, mark);
}

// Solve M x = b in place by M = L LT.
static gmc_status cholesky_solve(int n, double *M, double *b)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            M[j * n + j] -= M[j * n + k] * M[j * n + k];
        if (!(M[j * n + j] > 0)) return GMC_E_NO_SOLUTION;
        M[j * n + j] = sqrt(M[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                M[i * n + j] -= M[i * n + k] * M[j * n + k];
            M[i * n + j] /= M[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= M[i * n + k] * b[k];
        b[i] /= M[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= M[k * n + i] * b[k];
        b[i] /= M[i * n + i];
    }
    return GMC_OK;
}

gmc_status support_acceleration(const gmc_model *model, gmc_kinematics *kin, const double *q,
                                const double *v, const double *tau, gmc_arena *scratch, double *a)
{
    size_t mark = gmc_arena_mark(scratch), n = (size_t)model->free_count;
    double *M = GMC_NEW(scratch, n * n, double), *bias = GMC_NEW(scratch, n, double);
    if (!M || !bias) return GMC_E_ARENA_FULL;
    gmc_kinematics_update(model, q, v, kin);
    GMC_TRY(gmc_crba(model, kin, M, scratch));
    GMC_TRY(gmc_rnea(model, kin, v, NULL, bias, scratch));
    for (size_t d = 0; d < n; d++)
        a[d] = (tau ? tau[d] : 0) - bias[d];
    gmc_status status = cholesky_solve((int)n, M, a);
    gmc_arena_reset(scratch, mark);
    return status;
}

gmc_status support_rk4(const gmc_model *model, gmc_kinematics *kin, const double *tau, double h,
                       gmc_arena *scratch, double *q, double *v)
{
    static const double AT[4] = {0, 0.5, 0.5, 1}, WEIGHT[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    size_t mark = gmc_arena_mark(scratch), n = (size_t)model->dof_count;
    double *q0 = GMC_NEW(scratch, n, double), *v0 = GMC_NEW(scratch, n, double);
    double *qi = GMC_NEW(scratch, n, double), *vi = GMC_NEW(scratch, n, double);
    double *a = GMC_NEW(scratch, n, double), *rate = GMC_NEW(scratch, n, double);
    if (!q0 || !v0 || !qi || !vi || !a || !rate) return GMC_E_ARENA_FULL;
    memcpy(q0, q, n * sizeof *q);
    memcpy(v0, v, n * sizeof *v);
    for (int stage = 0; stage < 4; stage++) {
        // the slope (rate, a) of the stage before leads to this stage's place
        for (size_t d = 0; d < n; d++) {
            qi[d] = q0[d] + AT[stage] * h * rate[d];
            vi[d] = v0[d] + AT[stage] * h * a[d];
        }
        GMC_TRY(support_acceleration(model, kin, qi, vi, tau, scratch, a));
        for (size_t d = 0; d < n; d++) {
            rate[d] = vi[d];
            q[d] += WEIGHT[stage] * h * rate[d];
            v[d] += WEIGHT[stage] * h * a[d];
        }
    }
    gmc_arena_reset(scratch, mark);
    return GMC_OK;
}
