// The built-in laws. They are told no more than a library is, but for the model that inverse
// dynamics needs: so that the same PD as a library gives the same bits.
#include "engine/control/controller.h"

#include "engine/dynamics/rnea.h"

#include <math.h>
#include <string.h>

// Over so long accelerations of references are taken, by their second difference: their rounding
// grows as 1/d², the error of a quintic over a second as 30 d² [s].
static const double DIFFERENCE = 1.0 / 8192;

static double clamped(double value, double limit) { return fmax(-limit, fmin(value, limit)); }

static void controller_pd(const gmc_control_plan *plan, const graspmc_view *view, double *torque)
{
    for (int i = 0; i < plan->count; i++) {
        double servo = view->stiffness[i] * (view->wanted_position[i] - view->position[i]) +
                       view->damping[i] * (view->wanted_velocity[i] - view->velocity[i]);
        torque[i] = view->force[i] + clamped(servo, view->servo_limit[i]);
    }
}

static double *position_of(const gmc_control_moment *m, int dof)
{
    return m->q + m->at->place_of[dof];
}

static bool controller_moves(const gmc_control_plan *plan, int dof)
{
    for (int i = 0; i < plan->count; i++)
        if (plan->dofs[i] == dof) return true;
    return false;
}

// What follows a joint that is controlled goes with its drive, with an open clutch alone.
static void controller_follow(const gmc_control_moment *m, const gmc_gear *gear, int index)
{
    int l = gear->leader, f = gear->follower;
    double *lead = position_of(m, l), *follow = position_of(m, f);
    bool is_open = m->at->is_open[index];
    double share = is_open ? gear->alone : gear->ratio;
    m->v[f] = share * m->v[l];
    m->a[f] = share * m->a[l];
    *follow = gear->ratio * *lead + gear->offset;
    if (!is_open) return;
    *follow = m->at->opened_by[index] + share * (*lead - m->at->opened_at[index]);
    *lead = m->at->opened_at[index];
    m->v[l] = m->a[l] = 0;
}

// Inverse dynamics of the joints that are controlled, with all else where it is and at rest. A
// drive has what its follower takes to bear, too.
static gmc_status controller_dynamics(const gmc_control_moment *m, gmc_arena *scratch)
{
    const gmc_program *program = m->program;
    for (int i = 0; i < program->gear_count; i++)
        if (controller_moves(m->plan, program->gears[i].leader))
            controller_follow(m, &program->gears[i], i);
    gmc_kinematics_update(m->world->model, m->q, NULL, m->kin);
    GMC_TRY(gmc_rnea(m->world->model, m->kin, m->v, m->a, m->tau, scratch));
    for (int i = 0; i < program->gear_count; i++) {
        const gmc_gear *gear = &program->gears[i];
        double *tau = &m->tau[gear->leader], of_follower = m->tau[gear->follower];
        *tau = m->at->is_open[i] ? gear->alone * of_follower : *tau + gear->ratio * of_follower;
    }
    return GMC_OK;
}

static void controller_clear(const gmc_control_moment *m)
{
    const gmc_model *model = m->world->model;
    memcpy(m->q, m->world->state.q, (size_t)model->q_count * sizeof *m->q);
    memset(m->v, 0, (size_t)model->dof_count * sizeof *m->v);
    memset(m->a, 0, (size_t)model->dof_count * sizeof *m->a);
}

static gmc_status controller_gravity(const gmc_control_moment *m, const graspmc_view *view,
                                     double *torque, gmc_arena *scratch)
{
    controller_clear(m);
    for (int i = 0; i < m->plan->count; i++)
        *position_of(m, m->plan->dofs[i]) = view->position[i];
    GMC_TRY(controller_dynamics(m, scratch));
    for (int i = 0; i < m->plan->count; i++)
        torque[i] = m->tau[m->plan->dofs[i]];
    return GMC_OK;
}

// M(q) a + c(q, v) - g(q) of the references in the middle of the time that the torque acts for; of
// joints that press of where they are.
static gmc_status controller_feed(const gmc_control_moment *m, const graspmc_view *view,
                                  double *torque, gmc_arena *scratch)
{
    double t = view->time + m->plan->delay + 0.5 / m->plan->rate, d = DIFFERENCE;
    controller_clear(m);
    for (int i = 0; i < m->plan->count; i++) {
        int dof = m->plan->dofs[i];
        gmc_program_want before, now, after;
        gmc_program_wants(m->program, m->world, m->at, t - d, dof, &before);
        gmc_program_wants(m->program, m->world, m->at, t, dof, &now);
        gmc_program_wants(m->program, m->world, m->at, t + d, dof, &after);
        *position_of(m, dof) = now.is_pressing ? view->position[i] : now.q;
        if (now.is_pressing) continue;
        m->v[dof] = (after.q - before.q) / (2 * d);
        m->a[dof] = (after.q - 2 * now.q + before.q) / (d * d);
    }
    GMC_TRY(controller_dynamics(m, scratch));
    for (int i = 0; i < m->plan->count; i++)
        torque[i] += m->tau[m->plan->dofs[i]];
    return GMC_OK;
}

static void controller_look_up(const gmc_control_table *table, int width, double time,
                               double *torque)
{
    const double ROUNDING = 1e-9; // of times in decimals [s]
    int low = 0, high = table->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table->time[middle] <= time + ROUNDING)
            low = middle + 1;
        else
            high = middle;
    }
    ptrdiff_t row = low > 0 ? low - 1 : 0;
    memcpy(torque, table->torque + row * width, (size_t)width * sizeof *torque);
}

gmc_status gmc_controller_answer(const gmc_control_moment *moment, const graspmc_view *view,
                                 double *torque, gmc_arena *scratch)
{
    const gmc_control_plan *plan = moment->plan;
    switch (plan->law) {
    case GMC_CONTROL_PD:
        controller_pd(plan, view, torque);
        return GMC_OK;
    case GMC_CONTROL_COMPUTED_TORQUE:
        controller_pd(plan, view, torque);
        return controller_feed(moment, view, torque, scratch);
    case GMC_CONTROL_GRAVITY:
        return controller_gravity(moment, view, torque, scratch);
    case GMC_CONTROL_TABLE:
        controller_look_up(&plan->table, plan->count, view->time, torque);
        return GMC_OK;
    case GMC_CONTROL_GIVEN:
        break;
    }
    return GMC_OK;
}
