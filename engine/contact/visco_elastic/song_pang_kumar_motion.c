// The equations of motion as an integrator sees them, and how mechanism and state vector
// correspond. Rotations are unit quaternions in y whose length drifts within the tolerance; whoever
// reads them takes their direction.
//
// Contact points and the factors of M depend on positions alone, so they are kept while those are
// the same: for two thirds of the columns of a Jacobian by differences.

#include "engine/contact/visco_elastic/song_pang_kumar_internal.h"
#include "engine/dynamics/crba.h"
#include "engine/dynamics/rnea.h"

#include <string.h>

/// A trial value of Newton's method beyond it is not looked at [m, m/s, ...].
static const double BELIEVED = 1e6;
/// Tolerance of angles over that of lengths: a body is taken to be 0.1 m large [1/m].
static const double PER_LENGTH = 10;
/// Tolerance of velocities over that of positions: contacts last milliseconds [1/s].
static const double PER_TIME = 1e3;
/// Tolerance of deflections over that of positions: friction forces are known that much better.
static const double PER_DEFLECTION = 0.1;

// ---- layout ------------------------------------------------------------------------------------

static int quaternion_of(const gmc_body *body)
{
    if (body->joint == GMC_JOINT_FREE) return body->q + 3;
    return body->joint == GMC_JOINT_SPHERICAL ? body->q : -1;
}

static bool has_own_coordinates(const gmc_body *body)
{
    return !body->is_driven && !body->is_mimic && gmc_joint_q_count(body->joint) > 0;
}

static gmc_status find_coordinates(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    m->coordinates = gmc_arena_take(arena, (size_t)model->q_count, sizeof *m->coordinates);
    if (!m->coordinates) return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        for (int k = 0; k < gmc_joint_q_count(body->joint); k++)
            m->coordinates[m->coordinate_count++] = body->q + k;
    }
    return GMC_OK;
}

static gmc_status find_frictions(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    size_t count = (size_t)m->base->joint_count;
    m->friction_joints = gmc_arena_take(arena, count, sizeof *m->friction_joints);
    if (!m->friction_joints) return GMC_E_ARENA_FULL;
    for (int k = 0; k < m->base->joint_count; k++)
        if (model->dofs[m->base->joints[k].dof].friction > 0)
            m->friction_joints[m->friction_count++] = k;
    return GMC_OK;
}

static gmc_status make_room(const gmc_model *model, gmc_arena *arena, gmc_song_pang_kumar *m)
{
    size_t q = (size_t)model->q_count, v = (size_t)model->dof_count, n = (size_t)model->free_count;
    size_t y = (size_t)m->capacity;
    size_t points = 2 * (size_t)model->support_point_count;
    const struct {
        double **array;
        size_t size;
    } arrays[] = {{&m->y, y},
                  {&m->rate, y},
                  {&m->absolute, y},
                  {&m->relative, y},
                  {&m->q, q},
                  {&m->placed, q},
                  {&m->q_last, q},
                  {&m->v, v},
                  {&m->a, v},
                  {&m->v_last, v},
                  {&m->driven_mean, v},
                  {&m->driven_end, v},
                  {&m->force, n},
                  {&m->joint_force, n},
                  {&m->joint_before, n},
                  {&m->mass_inverse, n},
                  {&m->a_last, n},
                  {&m->support_force, points},
                  {&m->support_before, points}};
    for (int i = 0; i < GMC_COUNT(arrays); i++) {
        *arrays[i].array = gmc_arena_doubles(arena, arrays[i].size + 1);
        if (!*arrays[i].array) return GMC_E_ARENA_FULL;
    }
    int stride = gmc_mat_stride(model->free_count);
    m->mass = (gmc_mat){.x = gmc_arena_doubles(arena, n * (size_t)stride + 1),
                        .rows = model->free_count,
                        .columns = model->free_count,
                        .stride = stride};
    m->mass_last = gmc_arena_take(arena, n + 1, sizeof *m->mass_last);
    return m->mass.x && m->mass_last ? GMC_OK : GMC_E_ARENA_FULL;
}

gmc_status gmc_song_pang_kumar_motion_create(const gmc_model *model, gmc_arena *arena,
                                             gmc_song_pang_kumar *m)
{
    GMC_TRY(find_coordinates(model, arena, m));
    GMC_TRY(find_frictions(model, arena, m));
    m->velocity_first = m->coordinate_count;
    m->friction_first = m->velocity_first + model->free_count;
    m->support_first = m->friction_first + m->friction_count;
    m->patch_first = m->support_first + 2 * model->support_point_count;
    m->capacity = m->patch_first + 2 * GMC_SONG_PANG_KUMAR_POINTS * m->patch_capacity;
    return make_room(model, arena, m);
}

/// Tolerances of one body's coordinates and, where they are its own, velocities.
static void tolerate_body(gmc_song_pang_kumar *m, const gmc_body *body, int first)
{
    double length = gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_ABSOLUTE),
           angle = PER_LENGTH * length;
    int straight = 0, turning = gmc_joint_v_count(body->joint); // of the velocities
    if (body->joint == GMC_JOINT_PRISMATIC) straight = 1;
    if (body->joint == GMC_JOINT_FREE) straight = 3;
    if (body->joint == GMC_JOINT_PLANAR) straight = 2;
    int count = gmc_joint_q_count(body->joint);
    bool is_quaternion = quaternion_of(body) >= 0;
    for (int k = 0; k < count; k++) {
        // half an angle in a quaternion
        m->absolute[first + k] = k < straight ? length : is_quaternion ? angle / 2 : angle;
        m->relative[first + k] = 0;
    }
    for (int k = 0; k < turning; k++) {
        int i = m->velocity_first + body->v + k;
        m->absolute[i] = PER_TIME * (k < straight ? length : angle);
        m->relative[i] = gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_RELATIVE);
    }
}

static void tolerate(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    int first = 0;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        tolerate_body(m, body, first);
        first += gmc_joint_q_count(body->joint);
    }
    for (int i = m->friction_first; i < m->size; i++) {
        m->absolute[i] =
            PER_DEFLECTION * gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_ABSOLUTE);
        m->relative[i] = gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_RELATIVE);
    }
}

void gmc_song_pang_kumar_lay(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    for (int i = 0; i < m->coordinate_count; i++)
        m->y[i] = m->q[m->coordinates[i]];
    memcpy(m->y + m->velocity_first, m->v, (size_t)model->free_count * sizeof(double));
    for (int k = 0; k < m->friction_count; k++)
        m->y[m->friction_first + k] = m->base->joints[m->friction_joints[k]].deflection;
    memcpy(m->y + m->support_first, m->base->support_deflection,
           2 * (size_t)model->support_point_count * sizeof(double));
    m->size = m->patch_first;
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        if (!patch->is_closed) continue;
        int width = gmc_song_pang_kumar_patch_width(m, patch);
        patch->first = m->size;
        memcpy(m->y + m->size, patch->deflection, (size_t)width * sizeof(double));
        m->size += width;
    }
    tolerate(m);
}

void gmc_song_pang_kumar_keep(gmc_song_pang_kumar *m)
{
    for (int k = 0; k < m->friction_count; k++)
        m->base->joints[m->friction_joints[k]].deflection = m->y[m->friction_first + k];
    memcpy(m->base->support_deflection, m->y + m->support_first,
           2 * (size_t)m->world->model->support_point_count * sizeof(double));
    for (int k = 0; k < m->patch_count; k++) {
        gmc_patch *patch = &m->patches[k];
        size_t width = (size_t)gmc_song_pang_kumar_patch_width(m, patch);
        if (patch->is_closed)
            memcpy(patch->deflection, m->y + patch->first, width * sizeof(double));
    }
}

// ---- where everything is -----------------------------------------------------------------------

/// @return false: numbers that no solution has
static bool read_state(gmc_song_pang_kumar *m, double t, const double *y)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    for (int i = 0; i < m->size; i++)
        if (!(fabs(y[i]) < BELIEVED)) return false;
    for (int i = 0; i < m->coordinate_count; i++)
        m->q[m->coordinates[i]] = y[i];
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        int at = quaternion_of(body);
        if (!has_own_coordinates(body) || at < 0) continue;
        double *q = m->q + at, norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(norm2 > 0.25 && norm2 < 4)) return false; // no rotation near the last one
        for (int k = 0; k < 4; k++)
            q[k] /= sqrt(norm2);
    }
    if (m->base->has_driven) {
        double share = (t - m->t_start) / (m->t_end - m->t_start);
        gmc_driven_course(model, &world->kin, &m->driven, fmin(fmax(share, 0), 1), m->q, m->v,
                          m->a);
    }
    memcpy(m->v, y + m->velocity_first, (size_t)model->free_count * sizeof(double));
    return true;
}

static gmc_status factor_mass(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    size_t n = (size_t)model->free_count, mark = gmc_arena_mark(m->scratch);
    double *M = gmc_arena_room(m->scratch, n * n + 1, sizeof *M);
    if (!M) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_crba(model, &m->world->kin, M, m->scratch));
    for (size_t i = 0; i < n; i++)
        memcpy(m->mass.x + i * (size_t)m->mass.stride, M + i * n, n * sizeof *M);
    gmc_arena_reset(m->scratch, mark);
    bool is_good = n == 0 || gmc_mat_ldlt_factor(m->mass, m->mass_last, m->mass_inverse);
    return is_good ? GMC_OK : GMC_E_DIVERGED;
}

/// Poses and speeds of (t, y), contact points and factors.
static gmc_status place(gmc_song_pang_kumar *m, double t, const double *y)
{
    gmc_world *world = m->world;
    size_t bytes = (size_t)m->coordinate_count * sizeof(double);
    if (!read_state(m, t, y)) return GMC_E_DIVERGED;
    gmc_kinematics_update(world->model, m->q, m->v, &world->kin);
    bool is_same = m->is_placed && memcmp(m->placed, y, bytes) == 0 &&
                   (!m->base->has_driven || m->placed_time == t);
    if (is_same) return GMC_OK;
    m->is_placed = false;
    GMC_TRY(gmc_song_pang_kumar_patch_find(m));
    GMC_TRY(factor_mass(m));
    memcpy(m->placed, y, bytes);
    m->placed_time = t;
    m->is_placed = true;
    return GMC_OK;
}

// ---- rates -------------------------------------------------------------------------------------

/// q' of one joint; w and v in the joint's frame.
static void coordinate_rate(const gmc_world *world, const gmc_body *body, const double *q,
                            const double *v, double *rate)
{
    gmc_mat3 R_wj = gmc_mat3_multiply(&world->kin.X_wb[body->parent].R, &body->X_pj.R);
    gmc_vec3 w = {0, 0, 0}, c = body->inertia.com, p;
    double *turning = rate;
    const double *at = q;
    switch (body->joint) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_PRISMATIC:
        rate[0] = v[0];
        return;
    case GMC_JOINT_PLANAR: {
        double sine, cosine;
        gmc_sin_cos(q[2], &sine, &cosine);
        gmc_vec3 arm = {cosine * c.x - sine * c.y, sine * c.x + cosine * c.y, 0};
        p = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[0], v[1], 0});
        rate[0] = p.x + v[2] * arm.y;
        rate[1] = p.y - v[2] * arm.x;
        rate[2] = v[2];
        return;
    }
    case GMC_JOINT_FREE: {
        w = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[3], v[4], v[5]});
        p = gmc_mat3_apply_transposed(&R_wj, (gmc_vec3){v[0], v[1], v[2]});
        gmc_vec3 arm = gmc_quat_rotate((gmc_quat){q[3], q[4], q[5], q[6]}, c);
        p = gmc_vec3_sub(p, gmc_vec3_cross(w, arm));
        rate[0] = p.x;
        rate[1] = p.y;
        rate[2] = p.z;
        turning = rate + 3;
        at = q + 3;
        break;
    }
    case GMC_JOINT_SPHERICAL:
        w = (gmc_vec3){v[0], v[1], v[2]};
        break;
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        return;
    }
    gmc_quat turn = gmc_quat_multiply((gmc_quat){0, w.x / 2, w.y / 2, w.z / 2},
                                      (gmc_quat){at[0], at[1], at[2], at[3]});
    turning[0] = turn.w;
    turning[1] = turn.x;
    turning[2] = turn.y;
    turning[3] = turn.z;
}

static void coordinate_rates(const gmc_song_pang_kumar *m, double *rate)
{
    const gmc_model *model = m->world->model;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (!has_own_coordinates(body)) continue;
        coordinate_rate(m->world, body, m->q + body->q, m->v + body->v, rate);
        rate += gmc_joint_q_count(body->joint);
    }
}

void gmc_song_pang_kumar_divide(const gmc_song_pang_kumar *m, double *x)
{
    if (m->mass.rows > 0) gmc_mat_ldlt_solve(m->mass, m->mass_last, m->mass_inverse, x);
}

/// M a = f - c + g, with the accelerations that driven joints have.
static gmc_status accelerate(gmc_song_pang_kumar *m)
{
    const gmc_world *world = m->world;
    const gmc_model *model = world->model;
    size_t mark = gmc_arena_mark(m->scratch);
    double *tau = gmc_arena_room(m->scratch, (size_t)model->dof_count + 1, sizeof *tau);
    if (!tau) return GMC_E_ARENA_FULL;
    memset(m->a, 0, (size_t)model->free_count * sizeof(double));
    GMC_TRY(gmc_rnea(model, &world->kin, m->v, m->a, tau, m->scratch));
    for (int i = 0; i < model->free_count; i++)
        m->a[i] = m->force[i] - tau[i];
    gmc_song_pang_kumar_divide(m, m->a);
    gmc_arena_reset(m->scratch, mark);
    return GMC_OK;
}

gmc_status gmc_song_pang_kumar_rate(void *context, double t, const double *y, double *rate)
{
    gmc_song_pang_kumar *m = context;
    m->counts.rates++;
    GMC_TRY(place(m, t, y));
    gmc_song_pang_kumar_joint_forces(m, t, y, rate);
    GMC_TRY(gmc_song_pang_kumar_support_forces(m, y, rate));
    GMC_TRY(gmc_song_pang_kumar_patch_forces(m, t, y, rate));
    GMC_TRY(accelerate(m));
    coordinate_rates(m, rate);
    memcpy(rate + m->velocity_first, m->a, (size_t)m->mass.rows * sizeof(double));
    return GMC_OK;
}

gmc_status gmc_song_pang_kumar_roots(void *context, double t, const double *y, double *gaps)
{
    gmc_song_pang_kumar *m = context;
    int count = 0;
    GMC_TRY(place(m, t, y));
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed) gaps[count++] = m->patches[k].point.gap;
    gaps[count] = m->options->reach;
    for (int i = 0; i < m->point_count; i++)
        if (!m->is_known[i]) gaps[count] = fmin(gaps[count], m->base->points[i].gap);
    gaps[count] += gmc_song_pang_kumar_patch_touch(m);
    return GMC_OK;
}
