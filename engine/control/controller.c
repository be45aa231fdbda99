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

// Inverse dynamics of the joints that are controlled, with all else where it is and at rest.
static gmc_status controller_dynamics(const gmc_control_moment *m, gmc_arena *scratch)
{
    gmc_kinematics_update(m->world->model, m->q, NULL, m->kin);
    return gmc_rnea(m->world->model, m->kin, m->v, m->a, m->tau, scratch);
}

static double *position_of(const gmc_control_moment *m, int i)
{
    return m->q + m->world->model->bodies[m->at->body_of[m->plan->dofs[i]]].q;
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
        *position_of(m, i) = view->position[i];
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
        *position_of(m, i) = now.is_pressing ? view->position[i] : now.q;
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
