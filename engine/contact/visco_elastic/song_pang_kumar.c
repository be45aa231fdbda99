// A step of the rollout is a stretch of one integration. It starts anew, without a past, where the
// equations change: where a contact begins or ends, for a damper's force is there at once, and
// where the controls of another step of the rollout are others. The error control alone would let a
// small jump pass, every time; they add up to a lag of half a step behind a growing force.
//
// Where contacts begin is a root of the least gap of all that is apart. Near it internal steps are
// set by the gap's rate [esposito2001]: none covers more than nine tenths of the time to contact,
// so they shrink in proportion until the last one crosses the surface, by little. That is what
// keeps an adaptive integrator, for which free flight is easy, from stepping over a thin wall, and
// a root finder from seeing a sign change twice.
//
// Driven joints are where the controls say at the ends of the rollout's steps, with velocities that
// do not jump there, as those of the other steppers do: a jump of 10 mm/s is 10 N at a damper, and
// what is held would slip a little at every step. Velocities at an end are foreseen from the means
// of two steps, to second order.
//
// One root function a touching contact and one for all others: as few as there can be, and none has
// to be named before it matters. A contact begins at an overlap of half the tolerance of positions
// and ends at none: what skims a surface would else begin and end with the noise of the solution,
// at every internal step.
//
// Rejected: starting anew at every step of the rollout, whatever the controls. Orders and steps
// then never grow, where nothing changes any more and one internal step does.

#include "engine/contact/visco_elastic/song_pang_kumar.h"

#include "engine/base/check.h"
#include "engine/contact/visco_elastic/song_pang_kumar_internal.h"

#include <string.h>

/// Share of the time to contact that one internal step may cover.
static const double APPROACH = 0.9;
/// From this time to contact on, the surface may be crossed [s].
static const double CROSSING = 1e-5;
/// Time left that is rounding, and its share of the time itself [s].
static const double NO_TIME = 1e-14;
/// Share of the tolerance of velocities by which other controls may pull at one internal step.
static const double SAME = 1e-2;
/// Internal steps within one step of the rollout.
enum { STEPS_MAX = 200000 };
/// Larger systems are not for a dense solver: a Jacobian of 32 MB.
enum { SIZE_MAX_DENSE = 2000 };

static gmc_status create(const gmc_model *model, int contact_max, gmc_arena *arena,
                         gmc_world *world)
{
    gmc_song_pang_kumar *m = gmc_arena_take(arena, 1, sizeof *m);
    if (!m) return GMC_E_ARENA_FULL;
    gmc_world made;
    GMC_TRY(gmc_mechanism_create(model, contact_max, arena, &made));
    m->base = made.stepper_memory;
    GMC_TRY(gmc_song_pang_kumar_patch_create(contact_max, arena, m));
    GMC_TRY(gmc_song_pang_kumar_motion_create(model, arena, m));
    made.stepper_memory = m;
    *world = made;
    return GMC_OK;
}

gmc_song_pang_kumar_counts gmc_song_pang_kumar_counted(const gmc_world *world)
{
    const gmc_song_pang_kumar *m = world->stepper_memory;
    return m->counts;
}

// ---- how far ------------------------------------------------------------------------------------

/// First zero of gap + rate t + acceleration t²/2 with t > 0.
static double time_to_contact(double gap, double rate, double acceleration)
{
    double inside = rate * rate - 2 * acceleration * gap;
    if (!(inside >= 0)) return HUGE_VAL;
    if (rate < 0) return 2 * gap / (sqrt(inside) - rate);
    return acceleration < 0 ? (rate + sqrt(inside)) / -acceleration : HUGE_VAL;
}

/// Fastest point of a body, about: its mass centre's speed and what turning adds within a metre.
static double fastest(const gmc_world *world)
{
    double most = 0;
    for (int b = 1; b < world->model->body_count; b++) {
        const gmc_twist *V = &world->kin.V[b];
        most =
            fmax(most, gmc_vec3_norm(gmc_twist_at(V, world->kin.com_w[b])) + gmc_vec3_norm(V->w));
    }
    return most;
}

/// Until when may the next internal step go? (m is at its last evaluation.)
static gmc_status next_stop(gmc_song_pang_kumar *m, double *stop)
{
    gmc_world *world = m->world;
    double left = m->t_end - m->t, first = HUGE_VAL, reach = m->options->reach;
    double fall = 0.5 * left * left * gmc_vec3_norm(world->model->gravity);
    if (2 * left * fastest(world) + fall > reach / 2) {
        // farther than what the forces were evaluated with; those points are not kept
        m->is_placed = false;
        gmc_status status =
            gmc_collider_find(world->collider, world->model, world->kin.X_wb, world->kin.V, left,
                              reach + fall, m->base->points, m->patch_capacity, &m->point_count);
        if (status == GMC_E_LIMIT) { // too much is near: no farther than what is known
            *stop = fmin(m->t_end, m->t + reach / (4 * fastest(world)));
            return GMC_OK;
        }
        GMC_TRY(status);
    }
    for (int i = 0; i < m->point_count; i++) {
        const gmc_contact_point *point = &m->base->points[i];
        double acceleration, rate;
        if (!(point->gap > 0)) continue;
        rate = gmc_song_pang_kumar_gap_rate(m, point, &acceleration);
        first = fmin(first, time_to_contact(point->gap, rate, acceleration));
    }
    *stop = m->t_end;
    if (first < left) *stop = m->t + (first > CROSSING ? APPROACH * first : 2 * CROSSING);
    *stop = fmin(*stop, m->t_end);
    return GMC_OK;
}

// ---- one internal step -------------------------------------------------------------------------

/// The forces of the last evaluation are those of where an internal step begins.
static void mark_forces(gmc_song_pang_kumar *m)
{
    const gmc_model *model = m->world->model;
    memcpy(m->joint_before, m->joint_force, (size_t)model->free_count * sizeof(double));
    memcpy(m->support_before, m->support_force,
           2 * (size_t)model->support_point_count * sizeof(double));
    gmc_song_pang_kumar_patch_mark(m);
}

/// Impulses of an internal step that ends with the last evaluation: by the trapezium.
static void add_impulses(gmc_song_pang_kumar *m, double dt)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    gmc_song_pang_kumar_patch_add(m, dt);
    for (int i = 0; i < model->free_count; i++)
        world->servo_impulse[i] += dt / 2 * (m->joint_before[i] + m->joint_force[i]);
    for (int k = 0; k < model->support_point_count; k++) {
        double *impulse = world->support_impulse + 3 * k;
        impulse[0] += dt * m->base->support_forces[k];
        for (int i = 0; i < 2; i++)
            impulse[1 + i] += dt / 2 * (m->support_before[2 * k + i] + m->support_force[2 * k + i]);
    }
}

static gmc_status evaluate(gmc_song_pang_kumar *m)
{
    return gmc_song_pang_kumar_rate(m, m->t, m->y, m->rate);
}

/// Begin an integration at (m->t, q, v) with the patches as they are.
static gmc_status start(gmc_song_pang_kumar *m)
{
    int roots = 0;
    gmc_song_pang_kumar_lay(m);
    if (m->size > SIZE_MAX_DENSE) return GMC_E_LIMIT;
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed) m->directions[roots++] = 1;
    m->directions[roots++] = -1;
    const gmc_ode_problem problem = {.size = m->size,
                                     .root_count = roots,
                                     .directions = m->directions,
                                     .absolute = m->absolute,
                                     .relative = m->relative,
                                     .rate = gmc_song_pang_kumar_rate,
                                     .roots = gmc_song_pang_kumar_roots,
                                     .context = m};
    m->counts.starts++;
    m->is_placed = false; // y may be laid anew
    GMC_TRY(gmc_ode_start(m->world->ode, &problem, m->t, m->y));
    return evaluate(m);
}

/// Contacts that begin and end here. A start if there are any, and at a root that was none after
/// all (a point of a manifold that came and went), for the integrator's own time is behind it.
static gmc_status switch_contacts(gmc_song_pang_kumar *m, bool is_root, bool *changed)
{
    GMC_TRY(gmc_song_pang_kumar_patch_switch(m, is_root, changed));
    if (*changed || is_root) return start(m);
    return GMC_OK;
}

/// @param report  work and the largest force are added
static gmc_status advance(gmc_song_pang_kumar *m, gmc_step_report *report)
{
    gmc_ode *ode = m->world->ode;
    long before = gmc_ode_counted(ode).iterations, touches = m->counts.touches;
    double stop, t = m->t;
    bool is_root, changed;
    GMC_TRY(next_stop(m, &stop));
    GMC_TRY(gmc_ode_refresh(ode, gmc_song_pang_kumar_is_at_limit(m)));
    mark_forces(m);
    GMC_TRY(gmc_ode_step(ode, stop, &m->t, m->y, &is_root));
    GMC_TRY(evaluate(m));
    add_impulses(m, m->t - t);
    report->iterations += (int)(gmc_ode_counted(ode).iterations - before);
    report->max_effort = fmax(report->max_effort, gmc_song_pang_kumar_effort(m));
    for (int k = 0; k < m->patch_count; k++)
        if (m->patches[k].is_closed)
            report->max_force = fmax(report->max_force, m->patches[k].normal);
    m->counts.steps++;
    m->counts.longest_step = fmax(m->counts.longest_step, m->t - t);
    gmc_song_pang_kumar_keep(m);
    GMC_TRY(switch_contacts(m, is_root, &changed));
    if (m->counts.touches > touches) m->counts.touch_step = fmax(m->counts.touch_step, m->t - t);
    if (!changed) gmc_song_pang_kumar_patch_follow(m);
    return GMC_OK;
}

// ---- the step ----------------------------------------------------------------------------------

/// Does the integration stand where the world does?
static bool goes_on(const gmc_song_pang_kumar *m)
{
    const gmc_world *world = m->world;
    size_t q = (size_t)world->model->q_count, v = (size_t)world->model->free_count;
    return m->is_running && fabs(m->t - world->state.t) <= NO_TIME * (1 + fabs(m->t)) &&
           memcmp(m->q_last, world->state.q, q * sizeof(double)) == 0 &&
           memcmp(m->v_last, world->state.v, v * sizeof(double)) == 0;
}

/// Are forces with the controls and laws of this step what they were with those of the one before?
static bool has_same_forces(const gmc_song_pang_kumar *m)
{
    for (int i = 0; i < m->mass.rows; i++) {
        int k = m->velocity_first + i;
        double tolerance = m->absolute[k] + m->relative[k] * fabs(m->v[i]);
        if (fabs(m->a[i] - m->a_last[i]) * (m->t_end - m->t_start) > SAME * tolerance) return false;
    }
    return true;
}

/// The world's contacts as they are at the start, before the first internal step.
static gmc_status open_step(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    bool changed;
    m->is_placed = false;
    gmc_song_pang_kumar_patch_renew(m);
    if (goes_on(m)) {
        memcpy(m->a_last, m->a, (size_t)m->mass.rows * sizeof(double));
        GMC_TRY(evaluate(m)); // with the controls of this step
        return has_same_forces(m) ? GMC_OK : start(m);
    }
    m->is_running = false;
    m->t = world->state.t;
    memcpy(m->q, world->state.q, (size_t)model->q_count * sizeof(double));
    memcpy(m->v, world->state.v, (size_t)model->dof_count * sizeof(double));
    gmc_song_pang_kumar_lay(m);
    GMC_TRY(evaluate(m));
    GMC_TRY(switch_contacts(m, false, &changed));
    return changed ? GMC_OK : start(m);
}

static gmc_status integrate(gmc_song_pang_kumar *m, gmc_step_report *report)
{
    const gmc_model *model = m->world->model;
    if (model->support_count > 0 && m->base->support_gravity != model->gravity.z)
        GMC_TRY(gmc_mechanism_weigh(model, m->base));
    GMC_TRY(open_step(m));
    for (int k = 0; k < m->patch_count; k++)
        if (-m->patches[k].point.gap > report->max_penetration)
            report->max_penetration = -m->patches[k].point.gap;
    report->hard_penetration = report->max_penetration;
    for (int steps = 0; m->t_end - m->t > NO_TIME * (1 + fabs(m->t)); steps++) {
        if (steps == STEPS_MAX) return GMC_E_INTEGRATOR;
        GMC_TRY(advance(m, report));
    }
    return GMC_OK;
}

/// The solution into the world.
static gmc_status finish(gmc_song_pang_kumar *m)
{
    gmc_world *world = m->world;
    const gmc_model *model = world->model;
    if (!m->is_placed) GMC_TRY(evaluate(m)); // the points of the forces, not of a look ahead
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        if (body->is_driven)
            memcpy(m->q + body->q, m->control->q_driven + body->q,
                   (size_t)gmc_joint_q_count(body->joint) * sizeof(double));
    }
    memcpy(world->state.q, m->q, (size_t)model->q_count * sizeof(double));
    memcpy(world->state.v, m->v, (size_t)model->dof_count * sizeof(double));
    memcpy(m->q_last, world->state.q, (size_t)model->q_count * sizeof(double));
    memcpy(m->v_last, world->state.v, (size_t)model->dof_count * sizeof(double));
    world->state.t = m->t_end;
    memcpy(m->driven_mean, m->control->v_driven, (size_t)model->dof_count * sizeof(double));
    m->is_running = true;
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    gmc_song_pang_kumar_patch_report(m);
    return GMC_OK;
}

static void foresee_driven(gmc_song_pang_kumar *m, double h)
{
    const gmc_world *world = m->world;
    const double *mean = m->control->v_driven;
    for (int i = world->model->free_count; i < world->model->dof_count; i++)
        m->driven_end[i] = 1.5 * mean[i] - 0.5 * m->driven_mean[i];
    m->driven = (gmc_driven_step){.from = world->state.q,
                                  .start = world->state.v,
                                  .mean = mean,
                                  .end = m->driven_end,
                                  .h = h};
}

static gmc_status step(gmc_world *world, const gmc_control *control,
                       const gmc_step_options *options, double h, gmc_arena *scratch,
                       gmc_step_report *report)
{
    gmc_song_pang_kumar *m = world->stepper_memory;
    const gmc_model *model = world->model;
    GMC_ASSERT(h > 0 && world->ode);
    m->world = world;
    m->control = control;
    m->options = options;
    int points = (int)gmc_song_pang_kumar_setting(m, GMC_SONG_PANG_KUMAR_PATCH_POINTS);
    GMC_ASSERT(points >= 1 && points <= GMC_SONG_PANG_KUMAR_POINTS);
    m->scratch = scratch;
    m->t_start = world->state.t;
    m->t_end = world->state.t + h;
    foresee_driven(m, h);
    *report = (gmc_step_report){.rung = 1, .span = h};
    memset(world->servo_impulse, 0, (size_t)model->free_count * sizeof(double));
    memset(world->support_impulse, 0, 3 * (size_t)model->support_point_count * sizeof(double));
    gmc_status status = integrate(m, report);
    if (status == GMC_OK) status = finish(m);
    if (status != GMC_OK) {
        m->is_running = false;
        m->patch_count = 0;
        gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
        return status;
    }
    report->contact_count = world->contacts.count;
    return GMC_OK;
}

static const char *const SOLVERS[] = {GMC_SONG_PANG_KUMAR_SOLVERS(GMC_COMMA), NULL};
static const gmc_setting SETTINGS[] = {
    GMC_SONG_PANG_KUMAR_SETTINGS(GMC_SETTING_NUMBER, GMC_SETTING_WHOLE, GMC_SETTING_WORD)};

double gmc_song_pang_kumar_setting(const gmc_song_pang_kumar *m, int index)
{
    return gmc_setting_of(m->options, SETTINGS, index);
}

const gmc_stepper gmc_song_pang_kumar_stepper = {
    .name = "song_pang_kumar",
    .about = GMC_SONG_PANG_KUMAR_ABOUT,
    .solvers = SOLVERS,
    .settings = SETTINGS,
    .setting_count = GMC_COUNT(SETTINGS),
    .can = GMC_CAN_DAMPING_RATIO,
    .knows = {[GMC_MOTION_DYNAMIC] = true},
    .is_integrated = true,
    .create = create,
    .step = step,
};
