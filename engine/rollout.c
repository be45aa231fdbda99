// The loop of one trial: control, step (halved where a solve misses its residual), measure, record,
// next phase. Whatever cannot be solved ends the trial as unsolved with its reason; it is never a
// success or a failure. In order: the start, which is also asked for alone; a row of the
// trajectory; a step and what follows it; the verdict; the loop; and, for reports alone, how far
// groups of geoms are apart at the start.
#include "engine/rollout.h"

#include "engine/base/check.h"
#include "engine/collision/gjk.h"
#include "engine/collision/shape.h"
#include "engine/contact/stepper.h"
#include "engine/math/elementary.h"
#include "engine/motion/around.h"

#include <math.h>
#include <string.h>

// ---- options -----------------------------------------------------------------------------------

gmc_rollout_options gmc_rollout_options_defaults(void)
{
    return (gmc_rollout_options){
        .stepper = gmc_steppers[0],
        .step_options = gmc_step_options_defaults(),
        .step = 2e-3,           // a grip, lifted and shaken, errs by 0.15 mm at 1.6 ms, 0.3 at 3.2
        .time_limit = 60,       // of papers the longest hold is 10 s, in [zechmair2021]
        .step_limit = 200000,   // 60 s at 0.5 ms, with room for halved steps
        .work_limit = 20000000, // a hundred iterations in each of these steps
        .workspace = 1,
        .deep_start = 2e-3, // more than any settled contact at 1e4 N/m under 20 N
        .speed_max = 100,   // a fall of half a kilometre; hands move at 3 m/s
        .force_max = 1e4,   // a metric ton; at 1e6 N/m bodies are 10 mm within each other
        .force_time = 0.02, // a blow of 5 kg at 3 m/s lasts one step
        .contact_max = 256,
        .rate = 100,
        .early = {0}, // every trial to its end; scenarios say otherwise
    };
}

// ---- the start ---------------------------------------------------------------------------------
// The start of a trial without its motion: the check that the first step of gmc_rollout_run makes,
// on the same contacts, and nothing else.

static gmc_status start_points(const gmc_rollout_input *input, gmc_world *world, gmc_arena *scratch,
                               gmc_rollout_start_points *found)
{
    int capacity = world->contacts.capacity;
    gmc_contact_point *points = GMC_NEW(scratch, capacity, gmc_contact_point);
    if (!points) return GMC_E_ARENA_FULL;
    *found = (gmc_rollout_start_points){.points = points, .X_wb = world->kin.X_wb};
    gmc_collider_scene scene = {.model = world->model,
                                .X_wb = world->kin.X_wb,
                                .V = world->kin.V,
                                .h = input->options.step,
                                .reach = input->options.step_options.reach};
    return gmc_collider_find(world->collider, &scene, points, capacity, &found->count);
}

gmc_status gmc_rollout_start_find(const gmc_rollout_input *input, gmc_arena *trial,
                                  gmc_arena *scratch, gmc_rollout_start_points *found)
{
    gmc_world world;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    return start_points(input, &world, scratch, found);
}

static double start_pad(const gmc_model *model, int surface_a, int surface_b)
{
    const gmc_surface_extra *extra = gmc_model_law(model, surface_a, surface_b)->extra;
    return extra && extra->pad > 0 ? extra->pad_edge : HUGE_VAL;
}

double gmc_rollout_accepted(const gmc_rollout_input *input, const gmc_contact_point *point)
{
    const gmc_geom *geoms = input->model->geoms;
    double pad =
        start_pad(input->model, geoms[point->geom_a].surface, geoms[point->geom_b].surface);
    return pad < input->options.deep_start ? pad : input->options.deep_start;
}

static bool start_has_thin_pad(const gmc_rollout_input *input)
{
    const gmc_model *model = input->model;
    for (int a = 0; a < model->surface_count; a++)
        for (int b = a; b < model->surface_count; b++)
            if (start_pad(model, a, b) < input->options.deep_start) return true;
    return false;
}

// The deepest of all points, or of those that are deeper than a trial accepts.
static double start_deepest(const gmc_rollout_input *input, const gmc_rollout_start_points *found,
                            bool is_refused)
{
    double deepest = 0; // no fmax: which zero it gives of 0 and -0 is the compiler's to choose
    for (int i = 0; i < found->count; i++) {
        double depth = -found->points[i].gap;
        if (is_refused && !(depth > gmc_rollout_accepted(input, &found->points[i]))) continue;
        if (depth > deepest) deepest = depth;
    }
    return deepest;
}

// Deepest overlap of bodies at the start that is deeper than their pads, where these are thinner
// than deep_start.
// @param scratch  given back
// @param depth    out: 0: there is none [m]
// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status start_pads_depth(const gmc_rollout_input *input, gmc_world *world,
                                   gmc_arena *scratch, double *depth)
{
    gmc_rollout_start_points found;
    *depth = 0;
    if (!start_has_thin_pad(input)) return GMC_OK;
    gmc_arena_reset(scratch, 0);
    gmc_status status = start_points(input, world, scratch, &found);
    if (status == GMC_E_ARENA_FULL) return status;
    if (status == GMC_OK) *depth = start_deepest(input, &found, true); // else the first step tells
    gmc_arena_reset(scratch, 0);
    return GMC_OK;
}

gmc_status gmc_rollout_start(const gmc_rollout_input *input, gmc_arena *trial, gmc_arena *scratch,
                             gmc_rollout_result *result)
{
    gmc_world world;
    gmc_measure_state measures;
    gmc_rollout_start_points found;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    GMC_TRY(gmc_measure_create(input->measures, &world, trial, &measures));
    gmc_measure_start(input->measures, &world, &measures);
    gmc_status status = start_points(input, &world, scratch, &found);
    if (status == GMC_E_ARENA_FULL) return status;
    double depth = status == GMC_OK ? start_deepest(input, &found, false) : 0;
    bool is_deep = status == GMC_OK && start_deepest(input, &found, true) > 0;

    measures.fixed[GMC_COLUMN_START_PENETRATION] = depth;
    measures.fixed[GMC_COLUMN_MAX_PENETRATION] = depth;
    gmc_measure_finish(input->measures, &world, &measures, result->values);
    result->reason = status == GMC_E_LIMIT ? GMC_REASON_CONTACTS
                     : status != GMC_OK    ? GMC_REASON_LIBRARY
                     : is_deep             ? GMC_REASON_DEEP_START
                                           : GMC_REASON_NONE;
    result->outcome =
        result->reason == GMC_REASON_NONE ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_UNSOLVED;
    result->phase = 0;
    result->t_end = 0;
    return GMC_OK;
}

// ---- ways, as geometry tells them ----

// Coordinates of a body whose frame is at a pose in the world.
static void route_goal(const gmc_rollout_route *route, const gmc_around *around, double *q)
{
    const gmc_body *body = &around->model->bodies[route->body];
    gmc_pose X_wj = gmc_pose_multiply(&around->kin->X_wb[body->parent], &body->X_pj);
    gmc_pose X = gmc_pose_relative(&X_wj, &route->goal);
    gmc_quat r = gmc_quat_from_matrix(&X.R);
    q[0] = X.p.x, q[1] = X.p.y;
    if (body->joint == GMC_JOINT_PLANAR) {
        q[2] = 2 * gmc_atan2(r.z, r.w);
        return;
    }
    q[2] = X.p.z, q[3] = r.w, q[4] = r.x, q[5] = r.y, q[6] = r.z;
}

// Of the size of what moves: overlap that counts as contact; never more than this [m].
static const double ROUTE_CONTACT = 0.02, ROUTE_CONTACT_MAX = 5e-4;

gmc_status gmc_rollout_find_way(const gmc_rollout_input *input, const gmc_rollout_route *route,
                                gmc_arena *trial, gmc_arena *scratch, gmc_rollout_result *result)
{
    double goal[7], knots[7];
    gmc_around around;
    GMC_TRY(gmc_rollout_start(input, trial, scratch, result));
    if (result->outcome != GMC_OUTCOME_SUCCESS) return GMC_OK;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(gmc_around_create(input->model, NULL, route->body, trial, &around));
    route_goal(route, &around, goal);
    gmc_around_stand(&around, input->model->q_start);
    gmc_plan_space space = gmc_around_space(&around);
    gmc_plan_options options = gmc_plan_defaults();
    double size = around.lever[0];
    options.node_max = route->node_max;
    options.clearance = -fmin(ROUTE_CONTACT * size, ROUTE_CONTACT_MAX);
    options.resolution = -options.clearance / 2;
    options.stride = fmin(options.stride, size);
    gmc_plan plan = {.start = input->model->q_start + input->model->bodies[route->body].q,
                     .goals = goal,
                     .goal_count = 1,
                     .knot_max = 1,
                     .knots = knots};
    gmc_status status = gmc_plan_find(&space, &options, scratch, &plan);
    if (status == GMC_E_ARENA_FULL) return status;
    if (plan.has_way) return GMC_OK;
    result->outcome = route->rejects ? GMC_OUTCOME_UNREACHABLE : GMC_OUTCOME_UNSOLVED;
    result->reason = status != GMC_OK ? GMC_REASON_LIBRARY : GMC_REASON_NO_WAY;
    if (status != GMC_OK) result->outcome = GMC_OUTCOME_UNSOLVED;
    return GMC_OK;
}

// ---- a trial under way -------------------------------------------------------------------------

typedef struct gmc_rollout {
    const gmc_rollout_input *input;
    gmc_model model; ///< own copy, so that `set` phases may change it
    gmc_world world;
    gmc_program_state program;
    gmc_sampler sampler; ///< of a sampled controller
    gmc_measure_state measures;
    gmc_early_state early;
    gmc_control control; ///< of the step last tried
    gmc_trajectory *record;
    double t_record; ///< next time of a trajectory row [s]
    double span;     ///< over which the contacts' impulses of the last step act; 0: they do not
                     ///< belong to where the bodies are [s]
    bool is_started; ///< the first step has been taken
    double jammed;   ///< for how long forces have been beyond belief [s]
} gmc_rollout;

// ---- a row of the trajectory -------------------------------------------------------------------

// Rounding of the summed time must not delay a row of the trajectory [s].
static const double TIME_ROUNDING = 1e-9;

static void put_vec3(double *to, gmc_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void put_nan(double *to, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = NAN;
}

static void record_inertia(const gmc_rollout *run)
{
    for (int b = 1; b < run->model.body_count; b++) {
        const gmc_inertia *inertia = &run->model.bodies[b].inertia;
        const double *m = inertia->I.m;
        const double row[10] = {
            inertia->mass, inertia->com.x, inertia->com.y, inertia->com.z, m[0],
            m[4],          m[8],           m[1],           m[2],           m[5]};
        memcpy(run->record->inertia + 10 * (b - 1), row, sizeof row);
    }
    int present = run->model.body_count - 1;
    put_nan(run->record->inertia + 10 * present, 10 * run->model.absent_count);
}

static void record_bodies(const gmc_rollout *run, int row)
{
    gmc_trajectory *record = run->record;
    for (int b = 1; b < run->model.body_count; b++) {
        const gmc_pose *X = &run->world.kin.X_wb[b];
        const gmc_twist *V = &run->world.kin.V[b];
        size_t at = (size_t)row * (size_t)record->body_count + (size_t)(b - 1);
        gmc_quat q = gmc_quat_from_matrix(&X->R);
        put_vec3(record->pose + 7 * at, X->p);
        record->pose[7 * at + 3] = q.w;
        put_vec3(record->pose + 7 * at + 4, (gmc_vec3){q.x, q.y, q.z});
        put_vec3(record->twist + 6 * at, gmc_twist_at(V, run->world.kin.com_w[b]));
        put_vec3(record->twist + 6 * at + 3, V->w);
    }
    size_t absent = (size_t)row * (size_t)record->body_count + (size_t)(run->model.body_count - 1);
    put_nan(record->pose + 7 * absent, 7 * run->model.absent_count);
    put_nan(record->twist + 6 * absent, 6 * run->model.absent_count);
}

static void record_joints(const gmc_rollout *run, int row)
{
    gmc_trajectory *record = run->record;
    size_t at = (size_t)row * (size_t)record->joint_count;
    for (int b = 1; b < run->model.body_count; b++) {
        const gmc_body *body = &run->model.bodies[b];
        if (gmc_joint_v_count(body->joint) != 1) continue;
        record->q[at] = body->ratio * run->world.state.q[body->q] + body->offset;
        if (run->span > 0 && body->v < run->model.free_count)
            record->effort[at] =
                run->control.force[body->v] + run->world.servo_impulse[body->v] / run->span;
        at++;
    }
    double *actions = record->action + (size_t)row * (size_t)record->joint_count;
    if (record->has_actions) put_nan(actions, record->joint_count);
    double *forces = record->push + 3 * (size_t)row * (size_t)record->body_count;
    if (record->has_pushes) put_nan(forces, 3 * record->body_count);
}

static gmc_vec3 along(const double r[3], const gmc_vec3 dir[3])
{
    gmc_vec3 sum = gmc_vec3_scale(r[0], dir[0]);
    sum = gmc_vec3_add_scaled(sum, r[1], dir[1]);
    return gmc_vec3_add_scaled(sum, r[2], dir[2]);
}

static gmc_status record_contacts(const gmc_rollout *run, int row)
{
    gmc_trajectory *record = run->record;
    uint32_t at = record->contact_start[row];
    for (int i = 0; run->span > 0 && i < run->world.contacts.count; i++) {
        const gmc_contact *c = &run->world.contacts.contacts[i];
        if (!(c->impulse[0] > 0)) continue;
        if (at >= (uint32_t)record->contact_capacity) return GMC_E_ARENA_FULL;
        gmc_vec3 impulse = along(c->impulse, c->dir);
        gmc_vec3 moment = c->extra ? along(c->extra->moment, c->dir) : (gmc_vec3){0, 0, 0};
        moment = gmc_vec3_add_scaled(moment, c->moment, c->point.n);
        put_vec3(record->contact_point + 3 * at, c->point.p);
        put_vec3(record->contact_normal + 3 * at, c->point.n);
        put_vec3(record->contact_force + 3 * at, gmc_vec3_scale(1 / run->span, impulse));
        put_vec3(record->contact_torque + 3 * at, gmc_vec3_scale(1 / run->span, moment));
        record->contact_geoms[2 * at] = c->point.geom_a;
        record->contact_geoms[2 * at + 1] = c->point.geom_b;
        at++;
    }
    record->contact_start[row + 1] = at;
    return GMC_OK;
}

// A row on the first step at or after each multiple of 1/rate.
static gmc_status record_row(gmc_rollout *run)
{
    gmc_trajectory *record = run->record;
    double rate = run->input->options.rate, t = run->world.state.t;
    if (!record || (rate > 0 && t < run->t_record - TIME_ROUNDING)) return GMC_OK;
    if (record->row_count >= record->row_capacity) return GMC_E_ARENA_FULL;
    int row = record->row_count;
    record->time[row] = t;
    record_bodies(run, row);
    record_joints(run, row);
    GMC_TRY(record_contacts(run, row));
    record->row_count++;
    if (rate > 0) run->t_record = (floor((t + TIME_ROUNDING) * rate) + 1) / rate;
    return GMC_OK;
}

// A row for where the trial is now, whatever the rate: where the verdict was given, where a
// controller is called.
static gmc_status record_now(gmc_rollout *run)
{
    const gmc_trajectory *record = run->record;
    if (!record || record->time[record->row_count - 1] >= run->world.state.t) return GMC_OK;
    double t_record = run->t_record;
    run->t_record = run->world.state.t;
    gmc_status status = record_row(run);
    if (t_record > run->world.state.t + TIME_ROUNDING) run->t_record = t_record;
    return status;
}

// What a controller answered to the call of now.
static gmc_status record_actions(gmc_rollout *run, const gmc_sampler_call *call)
{
    gmc_trajectory *record = run->record;
    if (!record || !call->is_due) return GMC_OK;
    GMC_TRY(record_now(run));
    const gmc_control_plan *plan = run->input->control;
    int row = record->row_count - 1;
    for (int i = 0; i < plan->count; i++) {
        int dof = gmc_program_recorded(run->input->program, &run->model, plan->dofs[i]);
        double *to = gmc_trajectory_action(&run->model, record, row, dof);
        if (to) *to = call->answers[i];
    }
    return GMC_OK;
}

// ---- a step and what follows it ----------------------------------------------------------------

// A step that finds no solution is repeated as two of half the length, those again, this often.
enum { HALVINGS = 3 };
// Turning farther in one step, a body leaves the path that its contacts were solved for by more
// than half its size [rad].
static const double TURN_MAX = 1;
// Something that strikes is located to within this: what carried it until then is gone in the whole
// step of its arrival, which errs by the step [s].
static const double IMPACT_STEP = 1e-4;

// `always` is looked at after every accepted step, halves included. The trial goes on, so that its
// measures can be held against other thresholds later.
static void rollout_check_always(gmc_rollout *run)
{
    const gmc_criteria *criteria = run->input->criteria;
    double *t_violated = &run->measures.fixed[GMC_COLUMN_T_VIOLATED];
    for (int i = 0; i < criteria->always_count && isnan(*t_violated); i++) {
        const gmc_compiled_criterion *criterion = &criteria->always[i];
        bool is_asked = criterion->from <= run->measures.phases_over;
        if (is_asked && gmc_criteria_value(criterion, run->measures.current) == 0)
            *t_violated = run->world.state.t;
    }
}

// Masses that the program has changed in the model.
static void rollout_weigh(gmc_rollout *run)
{
    if (run->program.has_weighed) gmc_kinematics_weigh(&run->model, &run->world.kin);
    run->program.has_weighed = false;
}

// Joints that have servos, while a phase moves some of them: all of them feel it.
static void note_bends(gmc_rollout *run)
{
    const gmc_program *program = run->input->program;
    gmc_rollout_bend *bends = run->input->bends;
    int phase = run->program.phase;
    if (!bends || phase >= program->phase_count) return;
    gmc_phase_type type = program->phases[phase].type;
    if (type != GMC_PROGRAM_MOVE_TO && type != GMC_PROGRAM_JOINT_MOVE) return;
    for (int dof = 0; dof < run->model.free_count; dof++) {
        int body = run->program.body_of[dof];
        if (body < 0 || !(run->control.stiffness[dof] > 0)) continue;
        double q = run->world.state.q[run->model.bodies[body].q];
        double bend = fabs(run->control.q_ref[dof] - q);
        if (bend > bends[dof].most) bends[dof] = (gmc_rollout_bend){bend, phase};
    }
}

static void rollout_advance(gmc_rollout *run)
{
    const gmc_rollout_input *input = run->input;
    bool has_closed = gmc_program_advance(input->program, &run->world, &run->model, &run->program);
    rollout_weigh(run);
    gmc_measure_phases(input->measures, &run->world, run->program.phase, has_closed,
                       &run->measures);
}

// What a solved step may still show: a body thrown off by an error, or driven motion against what
// does not give way. Neither may count as a lost object or a failed grasp. Faces share a load among
// a dozen points, so that is asked of two bodies, not of one point.
static gmc_status rollout_check_belief(gmc_rollout *run, double h)
{
    const gmc_rollout_options *options = &run->input->options;
    for (int b = 1; b < run->model.body_count; b++) {
        const gmc_body *body = &run->model.bodies[b];
        bool is_planar = body->joint == GMC_JOINT_PLANAR && !body->is_driven;
        if (!body->is_isolated && !is_planar) continue;
        const double *v = run->world.state.v + body->v;
        double speed2 = v[0] * v[0] + v[1] * v[1] + (is_planar ? 0 : v[2] * v[2]);
        if (!(speed2 <= options->speed_max * options->speed_max)) return GMC_E_DIVERGED;
    }
    run->jammed = run->measures.forces.most > options->force_max ? run->jammed + h : 0;
    return run->jammed >= options->force_time ? GMC_E_MISMATCH : GMC_OK;
}

// One step of length h, or, where no solution is found, two of half its length. What an accepted
// step is followed by (measures, trajectory, phases) happens after each of them.
static gmc_status rollout_step(gmc_rollout *run, double h, int halvings, gmc_arena *scratch)
{
    const gmc_rollout_input *input = run->input;
    gmc_step_report report = {0};
    gmc_arena_reset(scratch, 0);
    if (input->control) gmc_sampler_control(&run->sampler, h, &run->program);
    gmc_program_control(input->program, &run->world, &run->model, h, &run->program, &run->control);
    rollout_weigh(run);
    // the shortest steps are taken as they are
    gmc_step_options options = input->options.step_options;
    options.impact_step = IMPACT_STEP;
    options.is_start = !run->is_started;
    options.turn_max = halvings > 0 ? TURN_MAX : HUGE_VAL;
    run->span = 0;
    gmc_status status =
        input->options.stepper->step(&run->world, &run->control, &options, h, scratch, &report);

    if (status == GMC_E_RESIDUAL || status == GMC_E_NO_SOLUTION) {
        if (halvings == 0 && !report.is_impact) return status;
        run->measures.fixed[GMC_COLUMN_RETRIES] += 1;
        int left = report.is_impact ? halvings : halvings - 1;
        GMC_TRY(rollout_step(run, h / 2, left, scratch));
        return rollout_step(run, h / 2, left, scratch);
    }
    if (status != GMC_OK) return status;

    if (!run->is_started)
        run->measures.fixed[GMC_COLUMN_START_PENETRATION] = report.max_penetration;
    if (!run->is_started && report.max_penetration > input->options.deep_start) {
        run->measures.fixed[GMC_COLUMN_MAX_PENETRATION] = report.max_penetration;
        return GMC_E_INPUT;
    }
    run->is_started = true;
    gmc_measure_step(input->measures, &run->world, &report, h, &run->measures);
    rollout_check_always(run);
    run->span = report.span;
    GMC_TRY(record_row(run));
    if (input->control) gmc_sampler_stepped(&run->sampler, h, report.span);
    note_bends(run);
    rollout_advance(run);
    return rollout_check_belief(run, h);
}

// A step at most as long as the options say: none goes past an instant of a controller.
static gmc_status rollout_controlled_step(gmc_rollout *run, gmc_arena *scratch)
{
    double h = run->input->options.step;
    if (run->input->control) {
        const gmc_sampler_scene scene = {
            .program = run->input->program, .world = &run->world, .span = run->span};
        gmc_sampler_call call = {0};
        gmc_arena_reset(scratch, 0);
        gmc_status status =
            run->sampler.has_failed
                ? GMC_E_LIBRARY
                : gmc_sampler_run(&run->sampler, &scene, &run->program, scratch, &call);
        GMC_TRY(record_actions(run, &call));
        GMC_TRY(status);
        h = gmc_sampler_step(&run->sampler, run->world.state.t, h);
    }
    return rollout_step(run, h, HALVINGS, scratch);
}

// ---- the verdict -------------------------------------------------------------------------------

static gmc_reason rollout_reason(gmc_status status)
{
    if (status == GMC_E_MISMATCH) return GMC_REASON_JAM;
    if (status == GMC_E_DIVERGED) return GMC_REASON_DIVERGED;
    if (status == GMC_E_LIMIT) return GMC_REASON_CONTACTS;
    if (status == GMC_E_LIBRARY) return GMC_REASON_LIBRARY;
    if (status == GMC_E_INPUT) return GMC_REASON_DEEP_START;
    if (status == GMC_E_INTEGRATOR) return GMC_REASON_INTEGRATOR;
    return GMC_REASON_NO_SOLUTION;
}

// How far the object is from where it started, or from the hand that may have carried it there,
// against where it is lost: above 1 it is.
static double rollout_reach(const gmc_rollout *run)
{
    const gmc_measure_plan *plan = run->input->measures;
    if (plan->object_body < 0) return 0;
    double limit = run->input->options.workspace;
    gmc_vec3 place = run->world.kin.com_w[plan->object_body];
    gmc_vec3 way = gmc_vec3_sub(place, run->measures.com_start[plan->object_body]);
    double way2 = gmc_vec3_dot(way, way);
    if (plan->hand_body >= 0) {
        gmc_vec3 from_hand = gmc_vec3_sub(place, run->measures.X_hand.p);
        way2 = fmin(way2, gmc_vec3_dot(from_hand, from_hand));
    }
    return sqrt(way2) / limit;
}

// A limit of work or simulated time that is reached, or GMC_REASON_NONE.
static gmc_reason rollout_limit(const gmc_rollout *run)
{
    const gmc_rollout_options *options = &run->input->options;
    const double *fixed = run->measures.fixed;
    if (fixed[GMC_COLUMN_STEPS] >= (double)options->step_limit) return GMC_REASON_STEP_LIMIT;
    if (fixed[GMC_COLUMN_ITERATIONS] >= (double)options->work_limit) return GMC_REASON_WORK_LIMIT;
    if (run->world.state.t >= options->time_limit) return GMC_REASON_TIME_LIMIT;
    return GMC_REASON_NONE;
}

// What is left of the program fits into the limits of time and steps.
static bool rollout_can_finish(const gmc_rollout *run)
{
    const gmc_rollout_options *options = &run->input->options;
    double t = run->world.state.t;
    double left = gmc_early_time_left(run->input->program, &run->program, t);
    double steps = run->measures.fixed[GMC_COLUMN_STEPS] + left / options->step + 1;
    return t + left < options->time_limit && steps < (double)options->step_limit;
}

// Has a rule decided the trial, in this step for the first time?
static bool rollout_decides(gmc_rollout *run)
{
    const gmc_early_options *rules = &run->input->options.early;
    bool is_broken = !isnan(run->measures.fixed[GMC_COLUMN_T_VIOLATED]);
    if (!(rules->broken || rules->falling || rules->rest || rules->borne) ||
        run->early.decision != GMC_DECISION_END ||
        !gmc_early_is_due(&run->program, is_broken, &run->early) ||
        run->program.phase >= run->input->program->phase_count || !rollout_can_finish(run))
        return false;
    // what comes is known as long as nobody may change their mind
    bool is_open = run->input->control && !run->sampler.is_done;
    if (is_open && !(rules->broken && is_broken)) return false;
    const gmc_early_view view = {.rules = rules,
                                 .program = run->input->program,
                                 .at = &run->program,
                                 .world = &run->world,
                                 .plan = run->input->measures,
                                 .measures = &run->measures,
                                 .criteria = run->input->criteria,
                                 .workspace = run->input->options.workspace};
    return gmc_early_look(&view, is_broken, &run->early);
}

// Columns about the verdict, once the outcome is known.
static void rollout_note_decision(const gmc_rollout *run, gmc_rollout_result *result)
{
    const gmc_early_state *early = &run->early;
    result->values[GMC_COLUMN_DECIDED_BY] = early->decision;
    result->values[GMC_COLUMN_T_DECIDED] = early->time;
    if (early->decision == GMC_DECISION_END || !run->input->options.early.is_audited) return;
    // an audited trial that could not be finished speaks against its verdict too
    bool is_right = result->outcome != GMC_OUTCOME_UNSOLVED &&
                    (result->outcome == GMC_OUTCOME_SUCCESS) == early->is_success;
    result->values[GMC_COLUMN_AUDIT] = is_right ? GMC_AUDIT_RIGHT : GMC_AUDIT_WRONG;
}

static gmc_outcome rollout_judge(const gmc_rollout *run)
{
    const gmc_criteria *criteria = run->input->criteria;
    if (!isnan(run->measures.fixed[GMC_COLUMN_T_VIOLATED])) return GMC_OUTCOME_VIOLATED;
    if (!gmc_criteria_hold(criteria->at_end, criteria->at_end_count, run->measures.current))
        return GMC_OUTCOME_MISSED;
    return GMC_OUTCOME_SUCCESS;
}

// ---- the loop ----------------------------------------------------------------------------------

// The stop flag is looked at this often: well under a millisecond of work. Steps that are
// integrated may take that long each.
enum { STOP_PERIOD = 64 };

// A pad that is all overlap at the start.
static gmc_status rollout_check_pads(gmc_rollout *run, gmc_arena *scratch, gmc_reason *reason)
{
    double depth;
    GMC_TRY(start_pads_depth(run->input, &run->world, scratch, &depth));
    if (!(depth > 0)) return GMC_OK;
    run->measures.fixed[GMC_COLUMN_START_PENETRATION] = depth;
    run->measures.fixed[GMC_COLUMN_MAX_PENETRATION] = depth;
    *reason = GMC_REASON_DEEP_START;
    return GMC_OK;
}

static gmc_status rollout_open(const gmc_rollout_input *input, gmc_trajectory *record,
                               gmc_arena *trial, gmc_rollout *run)
{
    *run = (gmc_rollout){.input = input, .record = record};
    GMC_TRY(gmc_model_copy(input->model, trial, &run->model));
    GMC_TRY(input->options.stepper->create(&run->model, input->options.contact_max, trial,
                                           &run->world));
    GMC_ASSERT(input->ode || !input->options.stepper->is_integrated);
    run->world.ode = input->ode;
    GMC_TRY(gmc_program_create(input->program, &run->model, trial, &run->program));
    run->program.is_centred = input->options.stepper->is_centred &&
                              input->options.step_options.motion == GMC_MOTION_DYNAMIC;
    GMC_TRY(gmc_measure_create(input->measures, &run->world, trial, &run->measures));
    run->measures.borne = run->program.borne;
    GMC_TRY(gmc_early_create(&input->options.early, input->measures, input->program, &run->world,
                             trial, &run->early));
    gmc_measure_start(input->measures, &run->world, &run->measures);
    if (!gmc_program_closes(input->program))
        gmc_measure_count_slip(input->measures, &run->world, &run->measures);
    gmc_program_start(input->program, &run->world, &run->program);
    if (record) record_inertia(run);
    GMC_TRY(record_row(run));
    rollout_advance(run); // over phases that take no time
    if (!input->control) return GMC_OK;
    gmc_status status =
        gmc_sampler_create(input->control, input->program, &run->world, trial, &run->sampler);
    if (status != GMC_E_LIBRARY) return status;
    run->sampler.has_failed = true; // its first call says so
    return GMC_OK;
}

static gmc_reason rollout_refusal(gmc_refusal refusal)
{
    switch (refusal) {
    case GMC_REFUSAL_LIMIT:
        return GMC_REASON_JOINT_LIMIT;
    case GMC_REFUSAL_POSE:
        return GMC_REASON_OUT_OF_REACH;
    case GMC_REFUSAL_LINE:
        return GMC_REASON_OFF_LINE;
    case GMC_REFUSAL_PATH:
        return GMC_REASON_BLOCKED;
    case GMC_REFUSAL_FORCE:
        return GMC_REASON_TOO_WEAK;
    case GMC_REFUSAL_TIME:
        return GMC_REASON_TOO_SLOW;
    case GMC_REFUSAL_NONE:
        break;
    }
    return GMC_REASON_NONE;
}

gmc_status gmc_rollout_run(const gmc_rollout_input *input, gmc_trajectory *record, gmc_arena *trial,
                           gmc_arena *scratch, gmc_rollout_result *result)
{
    gmc_rollout run;
    gmc_status status = GMC_OK;
    gmc_reason reason = GMC_REASON_NONE;
    double reach = 0;
    bool is_gone = false, is_decided = false;
    GMC_TRY(rollout_open(input, record, trial, &run));
    GMC_TRY(rollout_check_pads(&run, scratch, &reason));

    for (long long step = 0;
         reason == GMC_REASON_NONE && run.program.phase < input->program->phase_count && !is_gone &&
         !is_decided && run.program.refusal == GMC_REFUSAL_NONE;
         step++) {
        if (input->stop && (step % STOP_PERIOD == 0 || input->options.stepper->is_integrated) &&
            atomic_load_explicit(input->stop, memory_order_relaxed))
            return GMC_E_INTERRUPTED;
        if ((reason = rollout_limit(&run)) != GMC_REASON_NONE) break;
        status = rollout_controlled_step(&run, scratch);
        if (status == GMC_E_ARENA_FULL || status == GMC_E_MEMORY || status == GMC_E_TIMEOUT)
            return status;
        if (status != GMC_OK) {
            reason = run.sampler.has_failed ? GMC_REASON_CONTROLLER : rollout_reason(status);
            break;
        }
        reach = fmax(reach, rollout_reach(&run));
        is_gone = reach > 1;
        is_decided = !is_gone && rollout_decides(&run) && !input->options.early.is_audited;
    }
    bool is_falling = is_decided && run.early.decision == GMC_DECISION_FALLING;
    run.measures.is_settled = is_decided && (run.early.decision == GMC_DECISION_REST ||
                                             run.early.decision == GMC_DECISION_BORNE);
    if (reason != GMC_REASON_DEEP_START) GMC_TRY(record_now(&run));

    gmc_measure_finish(input->measures, &run.world, &run.measures, result->values);
    result->outcome = reason != GMC_REASON_NONE                 ? GMC_OUTCOME_UNSOLVED
                      : is_gone || is_falling                   ? GMC_OUTCOME_LOST
                      : run.program.refusal != GMC_REFUSAL_NONE ? GMC_OUTCOME_UNREACHABLE
                                                                : rollout_judge(&run);
    bool is_refused = result->outcome == GMC_OUTCOME_UNREACHABLE;
    result->reason = is_refused ? rollout_refusal(run.program.refusal) : reason;
    result->dof = is_refused ? run.program.refused_dof : -1;
    result->off = is_refused ? run.program.refused_off : 0;
    rollout_note_decision(&run, result);
    result->phase = run.program.phase;
    result->reach = reach;
    result->t_end = reason == GMC_REASON_DEEP_START ? 0 : run.world.state.t;
    return GMC_OK;
}

// ---- how far groups are apart ------------------------------------------------------------------
// How far two groups of geoms are apart at the start of a trial. Contacts know gaps up to a small
// reach only, and of shapes that are far apart no more than a bound; here the distance of convex
// cores is asked for pair by pair, which costs microseconds and is done for reports alone.

static bool gap_has_core(const gmc_geom *geom)
{
    return (int)geom->shape.type < (int)GMC_SHAPE_SOLID_COUNT &&
           geom->shape.type != GMC_SHAPE_PLANE;
}

// Distance of two solids; false if their cores overlap.
static bool gap_distance(const gmc_solid *a, const gmc_solid *b, double *distance)
{
    gmc_gjk_core core_a = gmc_gjk_core_of(a), core_b = gmc_gjk_core_of(b);
    gmc_vec3 guess = gmc_vec3_sub(b->X.p, a->X.p);
    if (!(gmc_vec3_dot(guess, guess) > 0)) guess = (gmc_vec3){0, 0, 1};
    double size = fmin(gmc_shape_radius(a->shape), gmc_shape_radius(b->shape));
    gmc_gjk_result found = gmc_gjk_distance(&core_a, &core_b, guess, size);
    *distance = found.distance - gmc_gjk_radius(&core_a) - gmc_gjk_radius(&core_b);
    return !found.is_overlap;
}

// Distance of a solid from a plane: that of its lowest point over it.
static double gap_height(const gmc_solid *solid, const gmc_solid *plane)
{
    gmc_vec3 n = gmc_mat3_apply(&plane->X.R, (gmc_vec3){0, 0, 1});
    gmc_vec3 p = gmc_shape_support(solid, gmc_vec3_neg(n), NULL);
    return gmc_vec3_dot(n, gmc_vec3_sub(p, plane->X.p));
}

// Deepest overlap of the two groups, as contacts tell it.
static gmc_status gap_deepest(const gmc_rollout_input *input, gmc_world *world, unsigned a,
                              unsigned b, gmc_arena *scratch, double *gap)
{
    int capacity = world->contacts.capacity, count = 0;
    gmc_contact_point *points = GMC_NEW(scratch, capacity, gmc_contact_point);
    if (!points) return GMC_E_ARENA_FULL;
    gmc_collider_scene scene = {
        .model = world->model, .X_wb = world->kin.X_wb, .h = input->options.step};
    gmc_status status = gmc_collider_find(world->collider, &scene, points, capacity, &count);
    if (status == GMC_E_ARENA_FULL) return status;
    for (int i = 0; i < count; i++) {
        unsigned of_a = world->model->geoms[points[i].geom_a].category;
        unsigned of_b = world->model->geoms[points[i].geom_b].category;
        if (((of_a & a) && (of_b & b)) || ((of_a & b) && (of_b & a)))
            *gap = fmin(*gap, points[i].gap);
    }
    return GMC_OK;
}

// One geom against all of a group: the smallest distance, of what has a core if cores do not
// overlap.
static void gap_nearest(const gmc_world *world, const gmc_solid *one, unsigned group,
                        double *distance, bool *is_overlap)
{
    for (int k = 0; k < world->model->geom_count; k++) {
        const gmc_geom *geom = &world->model->geoms[k];
        bool is_plane = geom->shape.type == GMC_SHAPE_PLANE;
        if (!(geom->category & group) || (!is_plane && !gap_has_core(geom))) continue;
        gmc_solid other = gmc_world_solid(world, k);
        double apart = 0;
        if (is_plane) {
            *distance = fmin(*distance, gap_height(one, &other));
            continue;
        }
        if (gap_distance(one, &other, &apart))
            *distance = fmin(*distance, apart);
        else
            *is_overlap = true;
    }
}

// How far a geom reaches along an axis of a frame; its rounding included.
static double gap_reach(const gmc_world *world, int geom, const gmc_pose *X, gmc_vec3 axis)
{
    gmc_solid solid = gmc_world_solid(world, geom);
    gmc_vec3 dir = gmc_mat3_apply(&X->R, axis);
    gmc_vec3 p = gmc_shape_support(&solid, dir, NULL);
    return gmc_vec3_dot(gmc_pose_apply_inverse(X, p), axis);
}

// The box around a group in the axes of its first body; false: the group is empty.
static bool gap_box(const gmc_world *world, unsigned group, gmc_shape *box, gmc_pose *X_wx)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const gmc_pose *X = NULL;
    for (int i = 0; i < world->model->geom_count; i++) {
        const gmc_geom *geom = &world->model->geoms[i];
        if (!(geom->category & group) || !gap_has_core(geom)) continue;
        if (!X) X = &world->kin.X_wb[geom->body];
        for (int k = 0; k < 3; k++) {
            hi[k] = fmax(hi[k], gap_reach(world, i, X, axes[k]));
            lo[k] = fmin(lo[k], -gap_reach(world, i, X, gmc_vec3_neg(axes[k])));
        }
    }
    if (!X) return false;
    *box = (gmc_shape){.type = GMC_SHAPE_BOX, .scale = 1};
    box->half = (gmc_vec3){(hi[0] - lo[0]) / 2, (hi[1] - lo[1]) / 2, (hi[2] - lo[2]) / 2};
    gmc_vec3 middle = {(hi[0] + lo[0]) / 2, (hi[1] + lo[1]) / 2, (hi[2] + lo[2]) / 2};
    *X_wx = (gmc_pose){X->R, gmc_pose_apply(X, middle)};
    return true;
}

gmc_status gmc_rollout_gap(const gmc_rollout_input *input, unsigned a, unsigned b, gmc_arena *trial,
                           gmc_arena *scratch, gmc_rollout_gap_found *found)
{
    gmc_world world;
    gmc_shape box;
    gmc_solid around = {.shape = &box};
    bool is_overlap = false, is_inside = false;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    *found = (gmc_rollout_gap_found){INFINITY, INFINITY};
    for (int i = 0; i < input->model->geom_count; i++) {
        if (!(input->model->geoms[i].category & a) || !gap_has_core(&input->model->geoms[i]))
            continue;
        gmc_solid one = gmc_world_solid(&world, i);
        gap_nearest(&world, &one, b, &found->gap, &is_overlap);
    }
    if (gap_box(&world, a, &box, &around.X))
        gap_nearest(&world, &around, b, &found->outside, &is_inside);
    if (is_inside || found->outside < 0) found->outside = 0;
    if (!is_overlap) return GMC_OK;
    found->gap = fmin(found->gap, 0);
    return gap_deepest(input, &world, a, b, scratch, &found->gap);
}
