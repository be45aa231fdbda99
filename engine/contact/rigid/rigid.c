// One solve of the rigid steppers and its advance. Which rows there are: rigid_contact.c; inertia:
// mechanism_motion.c; the problem and its solution: rigid_dual.c; where corners of friction pyramids
// point: rigid_aim.c. Joint limits, presliding of joint friction and servos are those of the
// default stepper, with their compliance: they belong to the mechanism, not to the law of contact.
//
// What sticks has J v = 0 where the step begins; bodies that turn move on arcs, and after the step
// the two points that touched are apart by h² w² d/2, outwards in every step. So a contact that
// sticks has an anchor, as in coulomb_contact.c: what the bodies' true motion differs from h J v is
// its deflection δ, and the next step asks for J v + δ/h = 0 (rigid_anchor.c).

#include "engine/contact/rigid/rigid.h"

#include "engine/base/check.h"
#include "engine/contact/rigid/rigid_internal.h"

#include <string.h>

/// How near the rim of its pyramid an impulse stands on it: rounding of the solution.
static const double RIM = 1 - 1e-9;
/// No joint gains this speed within a step [m/s, rad/s].
static const double LIMIT_SPEED = 50;

const gmc_setting gmc_rigid_settings[] = {
    GMC_RIGID_SETTINGS(GMC_SETTING_NUMBER, GMC_SETTING_WHOLE, GMC_SETTING_WORD)};

double gmc_rigid_setting(const gmc_rigid_step *step, int index)
{
    return gmc_setting_of(step->options, gmc_rigid_settings, index);
}

gmc_rigid_step gmc_rigid_begin(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch)
{
    GMC_ASSERT(h > 0);
    return (gmc_rigid_step){.motion = {.world = world,
                                       .memory = world->stepper_memory,
                                       .control = control,
                                       .h = h,
                                       .is_start = options->is_start,
                                       .limit_speed = LIMIT_SPEED,
                                       .span = h,
                                       .scratch = scratch},
                            .options = options,
                            .whole = h};
}

/// One solve, from the velocities found before.
static gmc_status solve_from(gmc_rigid_step *step, const double *bias, const double *v_before)
{
    gmc_mechanism_step *motion = &step->motion;
    motion->row_count = 0;

    // where would the mechanism go if nothing touched it, and what may act on it?
    GMC_TRY(gmc_mechanism_motion(motion, step->options->motion, motion->round, v_before));
    GMC_TRY(gmc_mechanism_joint_rows(motion, 0));
    GMC_TRY(gmc_rigid_contact_rows(step, bias));

    // which impulses keep bodies apart and inside the friction pyramids?
    return gmc_rigid_aim_solve(step);
}

/// What normal impulses alone would do to bodies, as twice the energy.
static double pressed(const gmc_rigid_step *step)
{
    double sum = 0;
    for (int c = 0; c < step->contact_count; c++)
        sum += step->r[3 * c] * step->r[3 * c] * step->contacts[c].inverse_mass;
    return sum;
}

/// Solves until the velocities are those of the motion model.
static gmc_status settle(gmc_rigid_step *step, const double *bias, double *before)
{
    gmc_mechanism_step *motion = &step->motion;
    size_t n = (size_t)motion->world->model->free_count, mark = gmc_arena_mark(motion->scratch);
    motion->round = 0;
    memset(before, 0, n * sizeof *before);
    GMC_TRY(solve_from(step, bias, before));
    while (!gmc_mechanism_is_settled(motion, step->options->motion, before, pressed(step))) {
        if (++motion->round >= GMC_PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, motion->v, n * sizeof *before);
        gmc_arena_reset(motion->scratch, mark);
        GMC_TRY(solve_from(step, bias, before));
    }
    return GMC_OK;
}

gmc_status gmc_rigid_find_contacts(gmc_rigid_step *step, const gmc_twist *look)
{
    gmc_world *world = step->motion.world;
    int count;
    GMC_TRY(gmc_mechanism_find_points(&step->motion, step->options->reach, look, &count));
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb,
                          step->motion.memory->points, count);
    gmc_contact_set_sink(&world->contacts, step->motion.is_start);
    gmc_rigid_anchor_follow(step);
    return GMC_OK;
}

gmc_status gmc_rigid_solve(gmc_rigid_step *step, const double *bias)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    size_t n = (size_t)model->free_count;
    double *v = gmc_arena_doubles(motion->scratch, (size_t)model->dof_count), *before = NULL;
    before = gmc_arena_doubles(motion->scratch, n);
    if (!v || !before) return GMC_E_ARENA_FULL;
    motion->v = v;
    size_t mark = gmc_arena_mark(motion->scratch);
    GMC_TRY(settle(step, bias, before));
    if (gmc_mechanism_joint_hastens(motion)) { // drives brake
        motion->brakes_all = true;
        memset(v, 0, n * sizeof *v);
        gmc_arena_reset(motion->scratch, mark);
        GMC_TRY(settle(step, bias, before));
    }
    if (gmc_mechanism_diverges(motion)) return GMC_E_DIVERGED;
    for (int i = model->free_count; i < model->dof_count; i++)
        v[i] = motion->control->v_driven[i];
    if (gmc_mechanism_turns_too_far(motion, step->options->turn_max)) return GMC_E_NO_SOLUTION;
    return GMC_OK;
}

// ---- after the solution -----------------------------------------------------------------------

static gmc_contact_mode mode_of(const gmc_rigid_contact *contact, const double r[3],
                                const double w[3])
{
    if (!(r[0] > 0)) return GMC_CONTACT_OPEN;
    bool is_on_rim =
        gmc_pyramid_radius(r + 1, contact->facet_count) >= RIM * contact->friction * r[0];
    bool is_moving = gmc_pyramid_reach(w + 1, contact->facet_count) > GMC_RIGID_SLIP_SPEED;
    return is_on_rim && is_moving ? GMC_CONTACT_SLIP : GMC_CONTACT_STICK;
}

static void keep_contacts(const gmc_rigid_step *step)
{
    gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        gmc_contact *contact = &world->contacts.contacts[c];
        for (int i = 0; i < 3 && !step->is_later; i++)
            contact->impulse[i] = 0;
        contact->mode = GMC_CONTACT_OPEN;
    }
    for (int c = 0; c < step->touching_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        gmc_contact *contact = &world->contacts.contacts[row->index];
        double r[3];
        contact->mode = mode_of(row, step->r + 3 * c, step->w + 3 * c);
        gmc_rigid_aim_out(row->heading, step->r + 3 * c, r);
        contact->law.friction = row->friction;
        contact->impulse[0] += r[0];
        contact->impulse[1] += r[1] * row->scale[0];
        contact->impulse[2] += r[2] * row->scale[1];
    }
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum.
static void received_impulse(const gmc_rigid_step *step, double *sum)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    for (int i = 0; i < model->free_count; i++)
        sum[i] = motion->h * (motion->control->force[i] - model->dofs[i].damping * motion->v[i]);
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        const double *r = step->r + 3 * c;
        for (int k = 0; k < contact->column_count; k++)
            sum[contact->columns[k]] +=
                contact->J[0][k] * r[0] + contact->J[1][k] * r[1] + contact->J[2][k] * r[2];
    }
}

gmc_status gmc_rigid_advance(gmc_rigid_step *step, const double *q_driven)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_world *world = motion->world;
    const gmc_model *model = world->model;
    double *impulse = gmc_arena_doubles(motion->scratch, (size_t)model->free_count);
    if (!impulse) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_rigid_anchor_room(step));
    received_impulse(step, impulse);
    keep_contacts(step);
    gmc_rigid_anchor_drop(step);
    gmc_rigid_support_keep(step);
    gmc_mechanism_advance(motion, step->options->motion, impulse, q_driven, NULL);
    gmc_rigid_anchor_pull(step);
    gmc_step_report *report = &step->report;
    gmc_step_report_contacts(report, &world->contacts, step->whole);
    report->max_effort = fmax(report->max_effort, gmc_mechanism_joint_effort(motion));
    return GMC_OK;
}
