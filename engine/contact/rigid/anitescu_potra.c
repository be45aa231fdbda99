// A step is taken in parts where something arrives within it. Each part is a solve and an advance
// of its own, with servos that aim at where their references are by then; a part that is cut short
// ends with what arrives within the shell, where the next part holds it. Every length that the
// bisection tries is solved anew, for velocities depend on it.
//
// A cut is asked for by points that overlap at the end and were not held at the start, and by
// points that the approach alone would carry through the other side, whether or not anything is
// left to be found there. What overlaps at the start is left to the drift correction: it cannot be
// avoided by shorter parts. So do joints that pass their stops [miller2003] §4, step 3: a part ends
// within 0.1 deg or 0.1 mm of the stop, and from there on eq 9 holds them. Their gaps are written as
// shares of the shell, so that one bisection looks for all.

//
// The correction is a velocity, and what it sets in motion goes on: at a share of what is missing
// each step, however short, the last 0.05 mm to half the shell threw a block up at 100 mm/s at
// 0.1 ms. So it goes by time below 2 ms, and is bounded. What a trial begins with within the shell
// rests where it is, and rises at the rate at which deep starts do (contact.h): at 1 mm/s.
//
// Rejected: to leave it where it is. At a gap of 0 rounding alone makes points that a manifold
// exchanges overlap, each a cut of the step.

#include "engine/contact/rigid/anitescu_potra.h"

#include "engine/contact/mechanism/driven.h"
#include "engine/contact/rigid/maximal.h"
#include "engine/contact/rigid/rigid_internal.h"

#include <string.h>

/// Parts of a step at most: what is left behind them is taken uncut. And halvings of one part: its
/// length is then known to 1e-6 of the step, 1e-8 m at 10 m/s and 1 ms.
enum { PARTS_MAX = 32, HALVINGS_MAX = 20 };
/// The correction takes its share in this time where steps are shorter [s], at this speed at most, that
/// at which the deepest start is given back [m/s].
static const double CORRECTION_TIME = 2e-3, CORRECTION_SPEED = 40e-3;

typedef struct part {
    gmc_rigid_step rigid;
    const gmc_control *control; ///< of the whole step
    gmc_control now;            ///< of this part
    double left;                ///< of the step, before this part [s]
    bool is_cut;                ///< where something arrives in it
    size_t mark;                ///< scratch of this part begins here
    double *q_ref, *q_driven;   ///< room for those of `now`
    double *q, *v, *still;      ///< room for a state, and zeros
    gmc_twist *look;            ///< (body_count) velocities that contacts are looked for with
} part;

static gmc_status make_part_room(part *p)
{
    const gmc_model *model = p->rigid.motion.world->model;
    gmc_arena *scratch = p->rigid.motion.scratch;
    int q = model->q_count, v = model->dof_count;
    p->q_ref = GMC_NEW(scratch, v, double);
    p->q_driven = GMC_NEW(scratch, q, double);
    p->q = GMC_NEW(scratch, q, double);
    p->v = GMC_NEW(scratch, v, double);
    p->still = GMC_NEW(scratch, v, double);
    p->look = GMC_ROOM(scratch, model->body_count, gmc_twist);
    p->mark = gmc_arena_mark(scratch);
    bool has_room = p->q_ref && p->q_driven && p->q && p->v && p->still && p->look;
    return has_room ? GMC_OK : GMC_E_ARENA_FULL;
}

// ---- one part ----------------------------------------------------------------------------------

/// What the controls are in a part of that length.
static void set_control(part *p, double length)
{
    const gmc_model *model = p->rigid.motion.world->model;
    p->now = *p->control;
    if (length == p->left) return;
    for (int i = 0; i < model->dof_count; i++)
        p->q_ref[i] = p->control->q_ref[i] - (p->left - length) * p->control->v_ref[i];
    p->now.q_ref = p->q_ref;
    if (!p->rigid.motion.memory->has_driven) return;
    gmc_driven_place(model, p->rigid.motion.world->state.q, p->control->q_driven, length / p->left,
                     p->q_driven);
    p->now.q_driven = p->q_driven;
}

/// Share of what is missing that is made up for, by time [1/s].
static double correction_rate(const part *p)
{
    double share = gmc_rigid_setting(&p->rigid, GMC_RIGID_CORRECTION);
    return share / fmax(p->rigid.whole, CORRECTION_TIME);
}

/// At the start of a trial: what is missing of half the shell is given back as overlap is.
static void rest_in_shell(part *p)
{
    gmc_contact_set *set = &p->rigid.motion.world->contacts;
    double half = gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL) / 2;
    for (int c = 0; c < set->count; c++)
        set->contacts[c].sunk = fmax(set->contacts[c].sunk, half - set->contacts[c].point.gap);
}

/// What touches, with the speed at which it has to part: [miller2003] eq 19, a share of what is
/// missing of half the shell, and what arcs opened or closed (rigid.c); what a start
/// overlapped by is not missing before it is given back. @return is there any?
static bool set_bias(const part *p, bool is_corrected, double *bias)
{
    const gmc_contact_set *set = &p->rigid.motion.world->contacts;
    double shell = gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL),
           rate = gmc_rigid_anchor_rate(&p->rigid);
    double correction = correction_rate(p);
    bool is_any = false;
    for (int c = 0; c < set->count; c++) {
        const gmc_contact *contact = &set->contacts[c];
        double gap = contact->point.gap + gmc_contact_floated(contact->sunk, p->rigid.motion.h);
        bias[c] = gap <= shell ? 0 : HUGE_VAL;
        if (!(gap <= shell) || !is_corrected) continue;
        double opened = gmc_rigid_anchor_opened(contact);
        double speed = correction * fmax(shell / 2 - (gap - opened), 0);
        bias[c] = rate * opened - fmin(speed, CORRECTION_SPEED);
        is_any = is_any || bias[c] < 0;
    }
    return is_any;
}

static gmc_status solve_part(part *p, double length)
{
    gmc_mechanism_step *motion = &p->rigid.motion;
    gmc_arena_reset(motion->scratch, p->mark);
    set_control(p, length);
    motion->control = &p->now;
    motion->h = motion->span = length;
    // what is not cut at its stop must not pass it either
    motion->stop = p->is_cut ? GMC_STOP_BY_VELOCITY : GMC_STOP_BY_POSITION;
    motion->stop_return = correction_rate(p);
    double *bias = GMC_NEW(motion->scratch, motion->world->contacts.count, double);
    if (!bias) return GMC_E_ARENA_FULL;
    bool is_corrected = set_bias(p, true, bias);
    gmc_status status = gmc_rigid_solve(&p->rigid, bias);
    if (status != GMC_E_MISMATCH || !is_corrected) return status;
    // wedged: there is no room to correct into, but bodies need not come closer either
    (void)set_bias(p, false, bias);
    return gmc_rigid_solve(&p->rigid, bias);
}

// ---- where to cut ------------------------------------------------------------------------------

/// Does the contact that was there at the start of the part take care of the point?
static bool is_known(const gmc_contact_set *set, const gmc_contact_point *point, double shell)
{
    for (int c = 0; c < set->count; c++) {
        const gmc_contact_point *start = &set->contacts[c].point;
        if (start->geom_a != point->geom_a || start->geom_b != point->geom_b) continue;
        if (start->gap < 0 || (start->feature == point->feature && start->gap <= shell))
            return true;
    }
    return false;
}

/// Smallest gap at the end of the solved part, of what the solve does not hold, where it is below
/// the shell.
static gmc_status found_gap(part *p, double *gap)
{
    gmc_mechanism_step *motion = &p->rigid.motion;
    gmc_world *world = motion->world;
    const gmc_model *model = world->model;
    double t = world->state.t, shell = gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL);
    int count = 0;
    memcpy(p->q, world->state.q, (size_t)model->q_count * sizeof(double));
    memcpy(p->v, world->state.v, (size_t)model->dof_count * sizeof(double));
    gmc_state_motion way = {
        .v_mean = motion->v, .impulse = p->still, .q_driven = p->now.q_driven, .h = motion->h};
    gmc_state_advance(model, &world->kin, &way, &world->state);
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    gmc_collider_scene scene = {.model = model, .X_wb = world->kin.X_wb, .reach = shell};
    gmc_status status = gmc_collider_find(world->collider, &scene, motion->memory->points,
                                          world->contacts.capacity, &count);
    memcpy(world->state.q, p->q, (size_t)model->q_count * sizeof(double));
    memcpy(world->state.v, p->v, (size_t)model->dof_count * sizeof(double));
    world->state.t = t;
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
    if (status != GMC_OK) return status;
    for (int i = 0; i < count; i++) {
        const gmc_contact_point *point = &motion->memory->points[i];
        if (point->gap < *gap && !is_known(&world->contacts, point, shell)) *gap = point->gap;
    }
    return GMC_OK;
}

/// The same of the points known at the start, along their approach.
static void expected_gap(const part *p, double *gap)
{
    const gmc_mechanism_step *motion = &p->rigid.motion;
    const gmc_world *world = motion->world;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        if (contact->point.gap <= gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL)) continue;
        gmc_twist V_a = gmc_kinematics_twist(&world->kin, contact->body_a, motion->v);
        gmc_twist V_b = gmc_kinematics_twist(&world->kin, contact->body_b, motion->v);
        gmc_twist V = gmc_twist_add_scaled(V_b, -1, V_a);
        double u = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p));
        *gap = fmin(*gap, contact->point.gap + motion->h * u);
    }
}

/// The same of joints and their stops, as if what is at its stop were as far from it as the shell.
static void stop_gap(const part *p, double *gap)
{
    const gmc_mechanism_step *motion = gmc_rigid_joints(&p->rigid);
    const gmc_world *world = motion->world;
    double shell = gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL);
    for (int k = 0; k < motion->memory->joint_count; k++) {
        const gmc_mechanism_joint *joint = &motion->memory->joints[k];
        const gmc_dof *dof = &world->model->dofs[joint->dof];
        double q = world->state.q[joint->q], way = motion->h * motion->v[joint->dof];
        double below = q - dof->lower, above = dof->upper - q, at = joint->stop_shell;
        if (below > at) *gap = fmin(*gap, (below + way) * (shell / at));
        if (above > at) *gap = fmin(*gap, (above - way) * (shell / at));
    }
}

static gmc_status solve_and_look(part *p, double length, double *gap)
{
    *gap = HUGE_VAL;
    GMC_TRY(solve_part(p, length));
    expected_gap(p, gap);
    stop_gap(p, gap);
    return found_gap(p, gap);
}

/// Solve the part, as long as what is left or until something arrives; out: its length.
static gmc_status solve_until_contact(part *p, double *length)
{
    double gap, before = 0, behind = p->left;
    *length = p->left;
    GMC_TRY(solve_and_look(p, p->left, &gap));
    if (gap >= 0) return GMC_OK;
    for (int i = 0; i < HALVINGS_MAX; i++) {
        *length = (before + behind) / 2;
        GMC_TRY(solve_and_look(p, *length, &gap));
        if (gap > 0 && gap < gmc_rigid_setting(&p->rigid, GMC_RIGID_SHELL)) return GMC_OK;
        if (gap > 0)
            before = *length;
        else
            behind = *length;
    }
    // a point that comes out of nowhere, such as a corner of a face that was not seen: on behind it
    *length = behind;
    return solve_part(p, behind);
}

// ---- the step ----------------------------------------------------------------------------------

/// The world as it was, should a later part fail.
typedef struct backup {
    bool is_pushed;
    double t, h_last, *q, *v, *rate, *pushed, *servo, *support;
    gmc_mechanism_joint *joints;
    gmc_contact *contacts, *previous;
    gmc_contact_extra *extras, *previous_extras;
    gmc_contact_set set;
} backup;

static void *copy_kept(gmc_arena *arena, const void *from, int count, size_t size)
{
    void *to = gmc_arena_room(arena, (size_t)count + 1, size);
    if (to && count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

static gmc_status back_up(const gmc_world *world, gmc_arena *arena, backup *b)
{
    const gmc_model *model = world->model;
    const gmc_mechanism_memory *memory = world->stepper_memory;
    const gmc_contact_set *set = &world->contacts;
    b->t = world->state.t;
    b->set = *set;
    b->q = copy_kept(arena, world->state.q, model->q_count, sizeof(double));
    b->v = copy_kept(arena, world->state.v, model->dof_count, sizeof(double));
    b->h_last = memory->h_last;
    b->is_pushed = memory->is_pushed;
    b->rate = copy_kept(arena, memory->rate, memory->coupled_count, sizeof(double));
    b->pushed = copy_kept(arena, memory->pushed, memory->coupled_count, sizeof(double));
    b->servo = copy_kept(arena, world->servo_impulse, model->free_count, sizeof(double));
    b->support =
        copy_kept(arena, world->support_impulse, 3 * model->support_point_count, sizeof(double));
    b->joints = copy_kept(arena, memory->joints, memory->joint_count, sizeof *b->joints);
    b->contacts = copy_kept(arena, set->contacts, set->count, sizeof *b->contacts);
    b->previous = copy_kept(arena, set->previous, set->previous_count, sizeof *b->previous);
    b->extras = copy_kept(arena, set->extras, set->count, sizeof *b->extras);
    b->previous_extras =
        copy_kept(arena, set->previous_extras, set->previous_count, sizeof *b->previous_extras);
    return b->q && b->v && b->rate && b->pushed && b->servo && b->support && b->joints &&
                   b->contacts && b->previous && b->extras && b->previous_extras
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

static void put_back(const backup *b, gmc_world *world)
{
    const gmc_model *model = world->model;
    gmc_mechanism_memory *memory = world->stepper_memory;
    gmc_contact_set *set = &world->contacts;
    size_t count = (size_t)b->set.count, previous = (size_t)b->set.previous_count;
    *set = b->set;
    memcpy(set->contacts, b->contacts, count * sizeof *b->contacts);
    memcpy(set->previous, b->previous, previous * sizeof *b->previous);
    memcpy(set->extras, b->extras, count * sizeof *b->extras);
    memcpy(set->previous_extras, b->previous_extras, previous * sizeof *b->previous_extras);
    memcpy(memory->joints, b->joints, (size_t)memory->joint_count * sizeof *b->joints);
    memory->h_last = b->h_last;
    memory->is_pushed = b->is_pushed;
    memcpy(memory->rate, b->rate, (size_t)memory->coupled_count * sizeof(double));
    memcpy(memory->pushed, b->pushed, (size_t)memory->coupled_count * sizeof(double));
    memcpy(world->servo_impulse, b->servo, (size_t)model->free_count * sizeof(double));
    memcpy(world->support_impulse, b->support,
           3 * (size_t)model->support_point_count * sizeof(double));
    memcpy(world->state.q, b->q, (size_t)model->q_count * sizeof(double));
    memcpy(world->state.v, b->v, (size_t)model->dof_count * sizeof(double));
    world->state.t = b->t;
    gmc_kinematics_update(model, world->state.q, world->state.v, &world->kin);
}

/// The contacts of this part and its solution; out: its length.
static gmc_status solve_new_contacts(part *p, int index, double *length)
{
    gmc_mechanism_step *motion = &p->rigid.motion;
    gmc_world *world = motion->world;
    const gmc_step_options *options = p->rigid.options;
    bool is_bisected = gmc_rigid_setting(&p->rigid, GMC_RIGID_TIME_OF_CONTACT) == 0;
    p->is_cut = is_bisected && index < PARTS_MAX;
    memcpy(p->look, world->kin.V, (size_t)world->model->body_count * sizeof *p->look);
    for (int looks = 1;; looks++) {
        motion->h = motion->span = *length = p->left;
        GMC_TRY(gmc_rigid_find_contacts(&p->rigid, p->look));
        if (motion->is_start) rest_in_shell(p);
        gmc_status status = p->is_cut ? solve_until_contact(p, length) : solve_part(p, p->left);
        bool is_again = status == GMC_OK && looks < GMC_MECHANISM_LOOKS &&
                        gmc_mechanism_outruns(motion, options->reach, p->look);
        if (status != GMC_OK && index > 0) return status;
        if (status != GMC_OK || is_again) gmc_contact_set_restore(&world->contacts);
        if (!is_again) return status;
    }
}

/// The contacts of this part, then the part itself; out: its length.
static gmc_status take_part(part *p, int index, backup *b, double *length)
{
    gmc_mechanism_step *motion = &p->rigid.motion;
    const gmc_step_options *options = p->rigid.options;
    motion->is_start = options->is_start && index == 0;
    p->rigid.is_later = index > 0;
    gmc_status status = solve_new_contacts(p, index, length);
    if (status != GMC_OK) return status;
    // where more parts follow, the world is kept as it is here
    if (status == GMC_OK && index == 0 && *length < p->left) {
        status = back_up(motion->world, motion->scratch, b);
        p->mark = gmc_arena_mark(motion->scratch);
    }
    if (status == GMC_OK) gmc_contact_set_float(&motion->world->contacts, *length);
    if (status == GMC_OK) status = gmc_rigid_advance(&p->rigid, p->now.q_driven);
    if (status != GMC_OK && index == 0) gmc_contact_set_restore(&motion->world->contacts);
    return status;
}

static gmc_status anitescu_potra_step(gmc_world *world, const gmc_control *control,
                                      const gmc_step_options *options, double h, gmc_arena *scratch,
                                      gmc_step_report *report)
{
    part p = {.rigid = gmc_rigid_begin(world, control, options, h, scratch),
              .control = control,
              .left = h};
    backup b = {0};
    double *servo = GMC_NEW(scratch, world->model->free_count, double);
    if (!servo) return GMC_E_ARENA_FULL;
    GMC_TRY(make_part_room(&p));
    for (int index = 0; p.left > 0; index++) {
        double length;
        gmc_status status = take_part(&p, index, &b, &length);
        if (status != GMC_OK && index > 0 && b.contacts) {
            put_back(&b, world);
            gmc_contact_set_restore(&world->contacts);
        }
        if (status != GMC_OK) return status;
        for (int i = 0; i < world->model->free_count; i++)
            servo[i] += world->servo_impulse[i];
        p.left = length < p.left ? p.left - length : 0;
    }
    memcpy(world->servo_impulse, servo, (size_t)world->model->free_count * sizeof *servo);
    *report = p.rigid.report;
    return GMC_OK;
}

static const char *const SOLVERS[] = {GMC_RIGID_SOLVERS(GMC_COMMA), NULL};

static gmc_status anitescu_potra_maximal_step(gmc_world *world, const gmc_control *control,
                                              const gmc_step_options *options, double h,
                                              gmc_arena *scratch, gmc_step_report *report)
{
    return gmc_maximal_step(
        &(gmc_maximal_call){anitescu_potra_step, world, control, options, h, scratch}, report);
}

static const gmc_stepper MAXIMAL = {
    .name = "anitescu_potra",
    .about = GMC_ANITESCU_POTRA_ABOUT,
    .solvers = SOLVERS,
    .settings = gmc_rigid_settings,
    .setting_count = GMC_RIGID_SETTING_COUNT,
    .can = GMC_RIGID_CAN,
    .knows = {[GMC_MOTION_DYNAMIC] = true},
    .refuses = gmc_maximal_refuses,
    .create = gmc_maximal_create,
    .step = anitescu_potra_maximal_step,
};

const gmc_stepper gmc_anitescu_potra_stepper = {
    .name = "anitescu_potra",
    .about = GMC_ANITESCU_POTRA_ABOUT,
    .solvers = SOLVERS,
    .settings = gmc_rigid_settings,
    .setting_count = GMC_RIGID_SETTING_COUNT,
    .can = GMC_RIGID_CAN,
    .knows = {true, true, true},
    .maximal = &MAXIMAL,
    .create = gmc_mechanism_create,
    .step = anitescu_potra_step,
};
