#include "engine/contact/coulomb/coulomb.h"

#include "engine/base/check.h"
#include "engine/complementarity/islands.h"
#include "engine/complementarity/newton_sparse.h"
#include "engine/contact/coulomb/coulomb_internal.h"

#include <string.h>

/// Limits of joints that would take this speed on top of the joint's own have no row until a
/// solution passes one [m/s, rad/s].
static const double LIMIT_SPEED = 5;
/// Slower arrivals need not be located: gravity alone changes speeds by more in a step [m/s].
static const double IMPACT_SPEED = 1e-3;
/// Of the solver's tolerance, with supports. Residuals are weighed by the inertia that a
/// quasi-static step holds on with, a thousandth, and measured by weight: so much less do they show
/// of where friction points.
static const double QUASI_STATIC_AIM = 1e-3;

static gmc_status coulomb_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                 gmc_world *world)
{
    gmc_world made;
    gmc_coulomb_memory *memory = GMC_NEW(arena, 1, gmc_coulomb_memory);
    if (!memory) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_create(model, contact_max, arena, &made));
    memory->mechanism = made.stepper_memory;
    GMC_TRY(gmc_coulomb_energy_memory(model, &made.kin, contact_max, arena, memory));
    made.stepper_memory = memory;
    *world = made;
    return GMC_OK;
}

// ---- which impulses ---------------------------------------------------------------------------

/// Contact points of the world as it stands, matched with those of the step before.
/// @param look  (body_count) velocities to look with
/// @return GMC_OK, GMC_E_LIMIT, GMC_E_LIBRARY; the contact set is then as before
static gmc_status find_contacts(gmc_coulomb_step *step, const gmc_twist *look)
{
    gmc_world *world = step->motion.world;
    gmc_contact_point *points = step->motion.memory->points;
    int count;
    GMC_TRY(gmc_mechanism_find_points(&step->motion, step->options->reach, look, &count));
    GMC_TRY(gmc_coulomb_pad_find(step, points, &count));
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb, points, count);
    gmc_coulomb_pad_share(step);
    gmc_pad_lay(&world->contacts, world->model);
    gmc_coulomb_cap_share(step);
    return GMC_OK;
}

gmc_status gmc_coulomb_solve_rows(const gmc_coulomb_step *step, const gmc_ncp_contact *contacts,
                                  gmc_ncp_solution *solution, gmc_ladder_report *report)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_step_options *options = step->options;
    const gmc_ncp problem = {.dof_count = motion->world->model->free_count,
                             .mass = motion->mass,
                             .mass_width = motion->memory->mass_width,
                             .block_count = motion->memory->block_count,
                             .block_start = motion->memory->block_start,
                             .momentum = motion->momentum,
                             .contact_count = step->contact_count,
                             .contacts = contacts,
                             .group_count = step->group_count,
                             .groups = step->groups,
                             .row_count = motion->row_count,
                             .rows = motion->rows,
                             .hints = {.is_inplane = motion->memory->is_inplane}};
    gmc_ladder_options ladder = gmc_ladder_defaults();
    ladder.residual_max = options->residual_max;
    ladder.iteration_max = options->iteration_max;
    ladder.solver = options->solver;
    if (options->motion == GMC_MOTION_QUASI_STATIC && motion->world->model->support_count > 0)
        ladder.tolerance *= QUASI_STATIC_AIM;
    gmc_islands_memory *islands = motion->memory->islands;
    return islands
               ? gmc_islands_solve(&problem, islands, &ladder, solution, motion->scratch, report)
               : gmc_ladder_solve(&problem, &ladder, solution, motion->scratch, report);
}

/// Does the solution ask for other limits of bounces and moments, or press pads elsewhere? Never
/// without them.
static gmc_status move_limits(gmc_coulomb_step *step, int round, bool *is_moved)
{
    *is_moved = step->impact && gmc_coulomb_impact_limit(step, round);
    if (step->torque_count > 0 && gmc_coulomb_moments_limit(step, round)) *is_moved = true;
    if (step->flat_count > 0 && gmc_coulomb_flat_limit(step, round)) *is_moved = true;
    if (step->motion.is_centred && gmc_coulomb_rim_limit(step, round)) *is_moved = true;
    return gmc_coulomb_pad_limit(step, round, is_moved);
}

/// Rows that a solve adds behind those of contacts: of joints, moments and supports; their warm start.
static gmc_status add_rows(gmc_coulomb_step *step)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_world *world = motion->world;
    if (motion->round == 0)
        memcpy(motion->v, world->state.v, (size_t)world->model->free_count * sizeof(double));
    GMC_TRY(gmc_mechanism_joint_rows(motion, gmc_coulomb_moments_count(&world->contacts).torsion));
    GMC_TRY(gmc_coulomb_moments_rows(step));
    return world->model->support_count > 0 ? gmc_coulomb_support_rows(step) : GMC_OK;
}

static void forget_rows(gmc_coulomb_step *step)
{
    step->group_count = step->pair_count;
    step->contact_count = step->motion.world->contacts.count;
    step->motion.row_count = step->torque_count = 0;
}

/// Which impulses come of the motion without contacts, of contacts and joints? With all joint limits
/// and brakes where the solution passes one that had no row.
static gmc_status solve_contacts(gmc_coulomb_step *step)
{
    gmc_mechanism_step *motion = &step->motion;
    for (int iterations = 0;;) {
        GMC_TRY(add_rows(step));
        gmc_ncp_solution solution = {.v = motion->v, .r = step->r, .s = motion->s};
        bool is_moved = true;
        for (int round = 1; is_moved; round++) {
            GMC_TRY(gmc_coulomb_solve_rows(step, step->contacts, &solution, &step->ladder));
            iterations += step->ladder.iterations;
            GMC_TRY(move_limits(step, round, &is_moved));
        }
        step->ladder.iterations = iterations;
        if (!gmc_mechanism_joint_passes(motion) && !gmc_mechanism_joint_hastens(motion))
            return GMC_OK;
        motion->limit_speed = INFINITY; // all of them have rows then: no more is passed
        motion->brakes_all = true;
        forget_rows(step);
    }
}

/// What contacts' impulses alone would do to bodies, as twice the energy; pair by pair, for those
/// of a squeeze cancel.
/// @param push  (free_count) room
static double work_of_contacts(const gmc_coulomb_step *step, double *push)
{
    size_t n = (size_t)step->motion.world->model->free_count;
    double sum = 0;
    for (int g = 0; g < step->group_count; g++) {
        const gmc_ncp_group *group = &step->groups[g];
        memset(push, 0, n * sizeof *push);
        gmc_ncp_push(1, group, step->contacts, step->r, push);
        for (int k = 0; k < group->column_count; k++) {
            int i = group->columns[k];
            sum += push[i] * push[i] / gmc_mechanism_mass_row(&step->motion, i)[i];
        }
    }
    return sum;
}

/// Quasi-static: from the velocities found to those that inertia has no part in.
/// @param before  (free_count) in: zeros, from which they were found
static gmc_status iterate_quasi_static(gmc_coulomb_step *step, double *before)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_motion kind = step->options->motion;
    gmc_ladder_report *last = &step->ladder, all = *last;
    size_t n = (size_t)motion->world->model->free_count, mark = gmc_arena_mark(motion->scratch);
    double *push = GMC_ROOM(motion->scratch, n, double);
    if (!push) return GMC_E_ARENA_FULL;
    while (!gmc_mechanism_is_settled(motion, kind, before, work_of_contacts(step, push))) {
        if (++motion->round >= GMC_PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, motion->v, n * sizeof *before);
        gmc_arena_reset(motion->scratch, mark);
        push = GMC_ROOM(motion->scratch, n, double);
        forget_rows(step);
        GMC_TRY(gmc_mechanism_motion(motion, kind, motion->round, before));
        GMC_TRY(solve_contacts(step));
        if (last->rung > all.rung) all.rung = last->rung;
        all.iterations += last->iterations;
        all.residual = fmax(all.residual, last->residual);
    }
    *last = all;
    return GMC_OK;
}

/// Room for the velocities that are to be found; those of driven joints are known.
/// @param before  out: (free_count) zeros; NULL with inertia
static gmc_status make_velocities(gmc_coulomb_step *step, double **before)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    *before = NULL;
    motion->v = GMC_ROOM(motion->scratch, model->dof_count, double);
    if (!motion->v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        motion->v[i] = motion->control->v_driven[i];
    if (step->options->motion == GMC_MOTION_DYNAMIC) return GMC_OK;
    *before = GMC_NEW(motion->scratch, model->free_count, double);
    return *before ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- is it to be believed ---------------------------------------------------------------------

/// Did any contact of the two geoms of contact c press in the step before?
static bool has_pressed(const gmc_contact_set *set, int c)
{
    const gmc_contact_point *point = &set->contacts[c].point;
    int first = c;
    for (; first > 0; first--) {
        const gmc_contact_point *other = &set->contacts[first - 1].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
    }
    for (int i = first; i < set->count; i++) {
        const gmc_contact_point *other = &set->contacts[i].point;
        if (other->geom_a != point->geom_a || other->geom_b != point->geom_b) break;
        if (set->contacts[i].impulse[0] > 0) return true;
    }
    return false;
}

/// Does something arrive in this step that was apart, faster than IMPACT_SPEED, or a pad's region
/// move on by far?
static bool strikes(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    const gmc_kinematics *kin = &step->motion.world->kin;
    // so many that one strikes in every step
    if (step->motion.world->model->free_count > GMC_NEWTON_SPARSE_MIN) return false;
    for (int c = 0; c < set->count; c++) {
        const gmc_contact *contact = &set->contacts[c];
        if (contact->impulse[0] > 0 || !(step->r[3 * c] > 0)) continue;
        if (contact->extra && contact->extra->ground != 0 && has_pressed(set, c)) continue;
        gmc_twist V = gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
        gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
        if (gmc_vec3_dot(contact->dir[0], u) < -IMPACT_SPEED) return true;
    }
    return gmc_coulomb_pad_leaps(step);
}

/// May the step be taken as it is solved?
/// @param look  velocities that contacts were looked for with; NULL: farther is not to be looked
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_DIVERGED, GMC_E_ARENA_FULL
static gmc_status judge_solution(gmc_coulomb_step *step, gmc_twist *look, gmc_step_report *report)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_step_options *options = step->options;
    bool is_long = step->motion.is_centred && motion->h > options->impact_step;
    if (gmc_mechanism_diverges(motion)) return GMC_E_DIVERGED;
    if (step->has_impact) GMC_TRY(gmc_coulomb_squeeze_find(step, &step->is_squeezed));
    if (step->is_squeezed) return GMC_E_NO_SOLUTION;
    if (gmc_mechanism_turns_too_far(motion, options->turn_max)) return GMC_E_NO_SOLUTION;
    if (is_long && (strikes(step) || gmc_coulomb_rim_whirls(step))) {
        report->is_impact = true;
        return GMC_E_NO_SOLUTION;
    }
    motion->is_outrun = look && gmc_mechanism_outruns(motion, options->reach, look);
    return motion->is_outrun ? GMC_E_NO_SOLUTION : GMC_OK;
}

// ---- the world --------------------------------------------------------------------------------

/// gmc_state_advance takes gravity as it is now to act over the step; here its mean acts over the
/// span.
static void add_weight(const gmc_coulomb_step *step, double *impulse)
{
    const gmc_model *model = step->motion.world->model;
    double more = step->motion.span - step->motion.h;
    gmc_vec3 g = model->gravity, changed = gmc_vec3_sub(step->motion.gravity, g);
    if (more == 0 && changed.x == 0 && changed.y == 0 && changed.z == 0) return;
    for (int k = 0; k < step->motion.memory->isolated_count; k++) {
        const gmc_body *body = &model->bodies[step->motion.memory->isolated[k]];
        double m = body->inertia.mass;
        for (int i = 0; i < 3; i++)
            impulse[body->v + i] +=
                more * m * gmc_vec3_get(g, i) + step->motion.span * m * gmc_vec3_get(changed, i);
    }
}

static gmc_status find_wrenches(gmc_coulomb_step *step)
{
    int count = 6 * step->group_count;
    step->wrenches = GMC_ROOM(step->motion.scratch, count, double);
    if (!step->wrenches) return GMC_E_ARENA_FULL;
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_wrench(&step->groups[g], step->contacts, step->r, step->wrenches + 6 * g);
    return GMC_OK;
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum; NULL where there are none.
static gmc_status received_impulse(const gmc_coulomb_step *step, double **impulse)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    double span = step->motion.span, *sum;
    *impulse = NULL;
    if (step->motion.memory->isolated_count == 0) return GMC_OK;
    sum = GMC_ROOM(step->motion.scratch, model->free_count, double);
    if (!sum) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->free_count; i++)
        sum[i] =
            span * (model->dofs[i].damping * step->motion.v[i] - step->motion.control->force[i]);
    for (int g = 0; g < step->group_count; g++)
        gmc_ncp_group_push(&step->groups[g], step->wrenches + 6 * g, sum);
    for (int i = 0; i < model->free_count; i++)
        sum[i] = -sum[i];
    for (int i = step->motion.joint_row_count; i < step->motion.row_count; i++)
        for (int k = 0; k < step->motion.rows[i].column_count; k++)
            sum[step->motion.rows[i].columns[k]] += step->motion.rows[i].J[k] * step->motion.s[i];
    add_weight(step, sum);
    *impulse = sum;
    return GMC_OK;
}

static void fill_report(const gmc_coulomb_step *step, gmc_step_report *report)
{
    const gmc_world *world = step->motion.world;
    *report = (gmc_step_report){.rung = step->ladder.rung,
                                .iterations = step->ladder.iterations,
                                .residual = step->ladder.residual,
                                .max_effort = gmc_mechanism_joint_effort(&step->motion)};
    gmc_step_report_contacts(report, &world->contacts, step->motion.span);
    for (int c = 0; c < world->contacts.count; c++)
        report->pad_press =
            gmc_max(gmc_pad_pressed(&world->contacts.contacts[c], world->model), report->pad_press);
    report->pad_press = gmc_max(gmc_coulomb_pad_pressed(step), report->pad_press);
    report->max_penetration = gmc_max(gmc_coulomb_pad_depth(step), report->max_penetration);
}

/// The solution into the world.
static gmc_status advance_world(gmc_coulomb_step *step, gmc_step_report *report)
{
    const gmc_mechanism_step *motion = &step->motion;
    gmc_coulomb_energy energy;
    double *impulse, *rise;
    GMC_TRY(gmc_coulomb_rise(step, &rise));
    GMC_TRY(find_wrenches(step));
    GMC_TRY(received_impulse(step, &impulse));
    bool has_energy = motion->is_centred && (motion->is_start || step->balance->is_begun);
    if (has_energy) GMC_TRY(gmc_coulomb_energy_open(step, &energy));

    // solved and judged: only now touch the world
    gmc_coulomb_contact_keep(step);
    gmc_coulomb_flat_keep(step);
    if (step->torque_count > 0) gmc_coulomb_moments_keep(step);
    gmc_mechanism_advance(motion, step->options->motion, impulse, motion->control->q_driven, rise);
    gmc_coulomb_contact_correct(step);
    gmc_coulomb_rise_keep(step);
    gmc_coulomb_moments_correct(step);
    if (motion->world->model->support_count > 0) gmc_coulomb_support_keep(step);
    fill_report(step, report);
    if (has_energy) gmc_coulomb_energy_close(step, &energy, &report->energy);
    return GMC_OK;
}

// ---- the step ---------------------------------------------------------------------------------

/// @param look  velocities that contacts were looked for with; NULL: farther is not to be looked
static gmc_status take_step(gmc_coulomb_step *step, gmc_twist *look, gmc_step_report *report)
{
    gmc_motion kind = step->options->motion;
    double *before;

    // where would the mechanism go if nothing touched it, and what may touch?
    GMC_TRY(make_velocities(step, &before));
    GMC_TRY(gmc_mechanism_motion(&step->motion, kind, 0, before));
    GMC_TRY(gmc_coulomb_contact_rows(step));

    // which impulses keep bodies apart and inside the friction cones?
    GMC_TRY(solve_contacts(step));
    if (kind == GMC_MOTION_QUASI_STATIC) GMC_TRY(iterate_quasi_static(step, before));

    GMC_TRY(judge_solution(step, look, report));
    return advance_world(step, report);
}

static double span_of(const gmc_mechanism_step *motion)
{
    if (!motion->is_centred) return motion->h;
    double before = motion->memory->h_last > 0 ? motion->memory->h_last : motion->h;
    return 0.5 * (motion->h + (motion->is_start ? 0 : before));
}

static gmc_coulomb_step begin_step(gmc_world *world, const gmc_control *control,
                                   const gmc_step_options *options, double h, gmc_arena *scratch)
{
    gmc_coulomb_memory *memory = world->stepper_memory;
    gmc_coulomb_step step = {.motion = {.world = world,
                                        .memory = memory->mechanism,
                                        .control = control,
                                        .h = h,
                                        .is_centred = options->motion == GMC_MOTION_DYNAMIC,
                                        .is_start = options->is_start,
                                        .limit_speed = LIMIT_SPEED,
                                        .scratch = scratch},
                             .options = options,
                             .balance = &memory->balance};
    GMC_ASSERT(h > 0);
    step.motion.span = span_of(&step.motion);
    return step;
}

/// Is a step without a solution to be solved once more, with all contacts soft?
static bool is_unsolved(const gmc_coulomb_step *step, gmc_status status,
                        const gmc_step_report *report)
{
    bool is_so = status == GMC_E_NO_SOLUTION || status == GMC_E_RESIDUAL;
    return is_so && step->has_impact && !report->is_impact;
}

/// Takes the step, again with contacts looked for where it went, and with what is squeezed soft.
static gmc_status coulomb_step(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch,
                               gmc_step_report *report)
{
    gmc_coulomb_step fresh = begin_step(world, control, options, h, scratch);
    size_t blocks = (size_t)fresh.motion.memory->block_count;
    size_t bodies = (size_t)world->model->body_count;
    bool *is_soft = fresh.is_soft = GMC_NEW(scratch, blocks, bool);
    gmc_twist *look = GMC_ROOM(scratch, bodies, gmc_twist);
    if (!is_soft || !look) return GMC_E_ARENA_FULL;
    memcpy(look, world->kin.V, bodies * sizeof *look);
    size_t mark = gmc_arena_mark(scratch);
    for (int looks = 1, tries = 1;;) {
        gmc_coulomb_step step = fresh;
        gmc_arena_reset(scratch, mark);
        GMC_TRY(find_contacts(&step, look));
        gmc_status status = take_step(&step, looks < GMC_MECHANISM_LOOKS ? look : NULL, report);
        if (status != GMC_OK) gmc_contact_set_restore(&world->contacts);
        looks += step.motion.is_outrun;
        if (step.motion.is_outrun || step.is_squeezed) continue; // each time more is soft
        if (tries++ > 1 || !is_unsolved(&step, status, report)) return status;
        for (size_t b = 0; b < blocks; b++)
            is_soft[b] = true;
        memcpy(look, world->kin.V, bodies * sizeof *look);
        looks = 1;
    }
}

/// Those for the exact cone. lemke is not: it would hold with less friction than the scenario says.
static const char *const SOLVERS[] = {GMC_COULOMB_SOLVERS(GMC_COMMA), NULL};

const gmc_stepper gmc_coulomb_stepper = {
    .name = "coulomb",
    .about = GMC_COULOMB_ABOUT,
    .solvers = SOLVERS,
    .can = GMC_CAN_BOUNCE | GMC_CAN_TORSION | GMC_CAN_ROLLING | GMC_CAN_KINETIC | GMC_CAN_GRAIN |
           GMC_CAN_PADS,
    .knows = {true, true, true},
    .create = coulomb_create,
    .step = coulomb_step,
};
