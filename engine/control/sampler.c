// Three beats of one period: encoders are read, the controller is called, its answer acts. Each has
// a number, k, and its time is computed from k, never summed: so that a trial of any step, and one
// of half of it, meets the same instants to the last bit.
#include "engine/control/sampler.h"

#include <math.h>
#include <string.h>

// Rounding of the summed time must not put a beat off by a step [s].
static const double TIME_ROUNDING = 1e-9;

static double sampler_time(const gmc_sampler *sampler, const gmc_sampler_beat *beat)
{
    return (double)beat->next / sampler->plan->rate + beat->offset;
}

static bool sampler_is_due(const gmc_sampler *sampler, const gmc_sampler_beat *beat, double t)
{
    return t >= sampler_time(sampler, beat) - TIME_ROUNDING;
}

static double *sampler_slot(const gmc_sampler *sampler, double *ring, uint64_t number)
{
    return ring + (size_t)(number % (uint64_t)sampler->ring) * (size_t)sampler->plan->count;
}

// ---- the start ---------------------------------------------------------------------------------

static gmc_status sampler_room(gmc_sampler *sampler, const gmc_model *model, gmc_arena *arena)
{
    int count = sampler->plan->count, links = sampler->plan->start.link_count;
    double **of_joints[] = {&sampler->now,
                            &sampler->before,
                            &sampler->position,
                            &sampler->velocity,
                            &sampler->wanted_position,
                            &sampler->stiffness,
                            &sampler->wanted_velocity,
                            &sampler->damping,
                            &sampler->servo_limit,
                            &sampler->force,
                            &sampler->lower,
                            &sampler->upper,
                            &sampler->max_force};
    for (int i = 0; i < GMC_COUNT(of_joints); i++)
        if (!(*of_joints[i] = GMC_NEW(arena, count, double))) return GMC_E_ARENA_FULL;
    sampler->readings = GMC_NEW(arena, sampler->ring * count, double);
    sampler->answers = GMC_NEW(arena, sampler->ring * count, double);
    sampler->touch = GMC_NEW(arena, links, double);
    sampler->forces = GMC_NEW(arena, 3 * links, double);
    sampler->q = GMC_NEW(arena, model->q_count, double);
    double **of_dofs[] = {&sampler->v, &sampler->a, &sampler->tau};
    for (int i = 0; i < GMC_COUNT(of_dofs); i++)
        if (!(*of_dofs[i] = GMC_NEW(arena, model->dof_count, double))) return GMC_E_ARENA_FULL;
    if (!sampler->readings || !sampler->answers || !sampler->touch || !sampler->forces ||
        !sampler->q)
        return GMC_E_ARENA_FULL;
    return gmc_kinematics_create(model, arena, &sampler->kin);
}

gmc_status gmc_sampler_create(const gmc_control_plan *plan, const gmc_program *program,
                              const gmc_world *world, gmc_arena *arena, gmc_sampler *sampler)
{
    double late = fmax(plan->delay, plan->encoder_delay) * plan->rate;
    *sampler = (gmc_sampler){.plan = plan,
                             .ring = (int)ceil(late) + 3,
                             .read.offset = -plan->encoder_delay,
                             .act.offset = plan->delay};
    GMC_TRY(sampler_room(sampler, world->model, arena));
    for (int i = 0; i < plan->count; i++) {
        gmc_dof dof = gmc_program_range(program, world->model, plan->dofs[i]);
        sampler->lower[i] = dof.lower;
        sampler->upper[i] = dof.upper;
        sampler->max_force[i] = dof.max_force;
    }
    if (plan->law != GMC_CONTROL_GIVEN) return GMC_OK;
    if (!plan->given.reset) return GMC_E_LIBRARY; // who looks at a nominal trial brings none
    graspmc_start start = plan->start;
    start.period = 1 / plan->rate;
    start.delay = plan->delay;
    start.joint_count = plan->count;
    start.lower = sampler->lower;
    start.upper = sampler->upper;
    start.max_force = sampler->max_force;
    return plan->given.reset(plan->given.context, &start);
}

// ---- what is seen ------------------------------------------------------------------------------

// Of encoders: what is true, a bias, noise, and steps of their resolution.
static void sampler_read(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                         const gmc_program_state *at)
{
    const gmc_control_plan *plan = sampler->plan;
    uint64_t number = sampler->read.next++;
    double *reading = sampler_slot(sampler, sampler->readings, number);
    for (int i = 0; i < plan->count; i++) {
        double q = gmc_program_drive(scene->program, scene->world, at, plan->dofs[i]);
        q += plan->bias[i];
        if (plan->noise[i] > 0 && plan->chance.at)
            q += plan->noise[i] * plan->chance.at(plan->chance.context, i, number);
        double step = plan->resolution[i];
        reading[i] = step > 0 ? step * floor(q / step + 0.5) : q;
    }
}

static void sampler_touch(gmc_sampler *sampler, const gmc_sampler_scene *scene)
{
    const gmc_control_plan *plan = sampler->plan;
    int links = plan->start.link_count;
    memset(sampler->touch, 0, (size_t)links * sizeof(double));
    memset(sampler->forces, 0, 3 * (size_t)links * sizeof(double));
    for (int k = 0; k < links && scene->span > 0; k++)
        for (int i = 0; i < scene->world->contacts.count; i++) {
            const gmc_contact *c = &scene->world->contacts.contacts[i];
            bool is_b = c->body_b == plan->links[k];
            if (!(c->impulse[0] > 0) || (!is_b && c->body_a != plan->links[k])) continue;
            double share = (is_b ? 1 : -1) / scene->span;
            sampler->touch[k] = 1;
            for (int d = 0; d < 3; d++) {
                sampler->forces[3 * k] += share * c->impulse[d] * c->dir[d].x;
                sampler->forces[3 * k + 1] += share * c->impulse[d] * c->dir[d].y;
                sampler->forces[3 * k + 2] += share * c->impulse[d] * c->dir[d].z;
            }
        }
}

static graspmc_view sampler_view(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                                 const gmc_program_state *at)
{
    const gmc_control_plan *plan = sampler->plan;
    double t = sampler_time(sampler, &sampler->call), period = 1 / plan->rate;
    const double *reading = sampler_slot(sampler, sampler->readings, sampler->call.next);
    const double *last = reading;
    if (sampler->call.next > 0)
        last = sampler_slot(sampler, sampler->readings, sampler->call.next - 1);
    for (int i = 0; i < plan->count; i++) {
        gmc_program_want want, earlier;
        gmc_program_wants(scene->program, scene->world, at, t, plan->dofs[i], &want);
        gmc_program_wants(scene->program, scene->world, at, t - period, plan->dofs[i], &earlier);
        sampler->position[i] = reading[i];
        sampler->velocity[i] = (reading[i] - last[i]) / period;
        sampler->wanted_position[i] = want.q;
        sampler->wanted_velocity[i] = (want.q - earlier.q) / period;
        sampler->stiffness[i] = want.stiffness;
        sampler->damping[i] = want.damping;
        sampler->servo_limit[i] = want.limit;
        sampler->force[i] = want.force;
    }
    if (plan->sees_touch || plan->sees_forces) sampler_touch(sampler, scene);
    return (graspmc_view){.time = t,
                          .position = sampler->position,
                          .velocity = sampler->velocity,
                          .wanted_position = sampler->wanted_position,
                          .wanted_velocity = sampler->wanted_velocity,
                          .stiffness = sampler->stiffness,
                          .damping = sampler->damping,
                          .servo_limit = sampler->servo_limit,
                          .force = sampler->force,
                          .touch = plan->sees_touch ? sampler->touch : NULL,
                          .forces = plan->sees_forces ? sampler->forces : NULL,
                          .object = plan->object};
}

// ---- calls -------------------------------------------------------------------------------------

static void sampler_fill(double *answer, double value, int count)
{
    for (int i = 0; i < count; i++)
        answer[i] = value;
}

static gmc_status sampler_ask(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                              const gmc_program_state *at, gmc_arena *scratch, double *answer)
{
    const gmc_control_plan *plan = sampler->plan;
    graspmc_view view = sampler_view(sampler, scene, at);
    sampler_fill(answer, NAN, plan->count);
    if (plan->law == GMC_CONTROL_GIVEN)
        return plan->given.step(plan->given.context, &view, answer, &sampler->says_done);
    const gmc_control_moment moment = {.plan = plan,
                                       .program = scene->program,
                                       .at = at,
                                       .world = scene->world,
                                       .kin = &sampler->kin,
                                       .q = sampler->q,
                                       .v = sampler->v,
                                       .a = sampler->a,
                                       .tau = sampler->tau};
    return gmc_controller_answer(&moment, &view, answer, scratch);
}

static gmc_status sampler_call(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                               const gmc_program_state *at, gmc_arena *scratch,
                               gmc_sampler_call *call)
{
    int count = sampler->plan->count;
    double *answer = sampler_slot(sampler, sampler->answers, sampler->call.next);
    call->is_due = true;
    call->answers = answer;
    if (sampler->is_done || sampler->says_done) {
        sampler->is_done = true;
        sampler_fill(answer, NAN, count);
        return GMC_OK;
    }
    gmc_status status = sampler_ask(sampler, scene, at, scratch, answer);
    for (int i = 0; i < count && status == GMC_OK; i++)
        if (!isfinite(answer[i])) status = GMC_E_LIBRARY;
    if (status == GMC_E_LIBRARY) {
        sampler->has_failed = true;
        sampler_fill(answer, INFINITY, count);
    }
    return status;
}

static void sampler_act(gmc_sampler *sampler)
{
    const double *answer = sampler_slot(sampler, sampler->answers, sampler->act.next);
    for (int i = 0; i < sampler->plan->count; i++) {
        double most = sampler->max_force[i];
        if (isnan(answer[i])) return; // done: the last one stays
        sampler->now[i] = fmax(-most, fmin(answer[i], most));
    }
}

gmc_status gmc_sampler_run(gmc_sampler *sampler, const gmc_sampler_scene *scene,
                           const gmc_program_state *at, gmc_arena *scratch, gmc_sampler_call *call)
{
    double t = scene->world->state.t;
    *call = (gmc_sampler_call){0};
    while (sampler_is_due(sampler, &sampler->read, t))
        sampler_read(sampler, scene, at);
    if (sampler_is_due(sampler, &sampler->call, t)) {
        GMC_TRY(sampler_call(sampler, scene, at, scratch, call));
        if (sampler->call.next++ == 0) {
            sampler_act(sampler);
            memcpy(sampler->before, sampler->now, (size_t)sampler->plan->count * sizeof(double));
        }
    }
    while (sampler_is_due(sampler, &sampler->act, t)) {
        sampler_act(sampler);
        sampler->act.next++;
    }
    return GMC_OK;
}

double gmc_sampler_step(const gmc_sampler *sampler, double t, double h)
{
    double next =
        fmin(sampler_time(sampler, &sampler->read),
             fmin(sampler_time(sampler, &sampler->call), sampler_time(sampler, &sampler->act)));
    double left = next - t, steps = ceil((left - TIME_ROUNDING) / h);
    return left / fmax(steps, 1);
}
