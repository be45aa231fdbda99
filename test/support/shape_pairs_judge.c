// When has everything come to rest, what moved afterwards, and does what still moves roll?
#include "engine/base/check.h"
#include "engine/collision/shape.h"
#include "engine/dynamics/kinematics.h"
#include "engine/model/inertia.h"
#include "test/support/shape_pairs_internal.h"

#include <string.h>

/// Slower than this is at rest: of what swings to rest, less than 1e-9 m is then left [m/s].
static const double QUIET = 1e-8;
/// For so long without a pause, and then one second of settling [s].
static const double QUIET_SPAN = 0.2, SETTLE_SPAN = 1;
/// Waited for rest before it is asked whether it rolls, watched at rest, watched for rolling [s].
static const double WAIT_SPAN = 8, REST_SPAN = 10, ROLL_SPAN = 1;
/// What neither rests nor rolls is waited for again: swings whose contacts slide now and then,
/// coins and almost round hulls that wobble. So often in all.
enum { WAIT_TURNS = 6 };
/// Sliding at the contacts of what rolls, relative to the speed of the body, in the mean over a
/// second weighted with the forces: elastic deflections that follow changing forces, accelerations
/// within a step, and the moments at which a swing is held back by friction [-].
static const double ROLL_SLIDE = 0.05;

void gmc_shape_pairs_add(gmc_stage *stage, const char *name, const gmc_shape *shape, double density)
{
    // mass by the ratio of inertias: any shape's moments are proportional to its density
    gmc_inertia unit = gmc_inertia_of_shape(shape, density);
    gmc_stage_free(stage, name, *shape, unit.mass, (gmc_vec3){0, 0, 0});
}

void gmc_shape_pairs_place(gmc_stage *stage, const char *name, gmc_quat turn, gmc_vec3 p,
                           gmc_vec3 velocity, gmc_vec3 spin)
{
    const gmc_body *body = &stage->model.bodies[gmc_stage_body(stage, name)];
    const double q[7] = {p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z};
    const double v[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    memcpy(stage->world.state.q + body->q, q, sizeof q);
    memcpy(stage->world.state.v + body->v, v, sizeof v);
    gmc_kinematics_update(&stage->model, stage->world.state.q, stage->world.state.v,
                          &stage->world.kin);
}

static double kinetic(const gmc_stage *stage)
{
    return gmc_kinematics_energy(&stage->model, &stage->world.kin, stage->world.state.v, NULL);
}

void gmc_shape_pairs_begin(gmc_shape_pairs_run *run)
{
    run->given = run->turned_over = kinetic(&run->stage);
}

/// What gravity and the fingers' forces gave in the step just taken; springs of servos and contacts
/// only give back what they took.
static void count_work(gmc_shape_pairs_run *run)
{
    const gmc_stage *stage = &run->stage;
    const gmc_model *model = &stage->model;
    double work = 0, size = 0;
    for (int b = 1; b < model->body_count; b++) {
        gmc_vec3 v = gmc_twist_at(&stage->world.kin.V[b], stage->world.kin.com_w[b]);
        double w = run->h * model->bodies[b].inertia.mass * gmc_vec3_dot(model->gravity, v);
        work += w;
        size += fabs(w);
    }
    for (int i = 0; i < model->free_count; i++) {
        double w = run->h * stage->force[i] * stage->world.state.v[i];
        work += w;
        size += fabs(w);
    }
    run->given += work;
    run->turned_over += size;
    double gain = (kinetic(stage) - run->given) / (run->turned_over + 1e-12);
    if (!(gain <= run->outcome.gain)) run->outcome.gain = gain; // also if it is not a number
}

/// Radius of a body about its frame, from its first geom [m].
static double body_size(const gmc_stage *stage, int body)
{
    for (int g = 0; g < stage->model.geom_count; g++)
        if (stage->model.geoms[g].body == body)
            return gmc_shape_radius(&stage->model.geoms[g].shape) +
                   gmc_vec3_norm(gmc_shape_centre(&stage->model.geoms[g].shape));
    return 0;
}

/// Of the fastest point of any body [m/s].
static double fastest(const gmc_stage *stage)
{
    double speed = 0;
    for (int b = 1; b < stage->model.body_count; b++) {
        const gmc_twist *V = &stage->world.kin.V[b];
        double own = gmc_vec3_norm(gmc_twist_at(V, stage->world.kin.com_w[b])) +
                     body_size(stage, b) * gmc_vec3_norm(V->w);
        if (!(own <= speed)) speed = own;
    }
    return speed;
}

/// How far a contact has come since the step before; 0 if it was not there [m].
static double moved_on(const gmc_contact_set *set, const gmc_contact *contact)
{
    for (int i = 0; i < set->previous_count; i++) {
        const gmc_contact_point *p = &set->previous[i].point;
        if (p->geom_a == contact->point.geom_a && p->geom_b == contact->point.geom_b &&
            p->feature == contact->point.feature)
            return gmc_vec3_norm(gmc_vec3_sub(contact->point.p, p->p));
    }
    return 0;
}

/// Sliding at the contacts, weighted with their normal forces [N·m/s]; `force`: their sum [N].
/// Velocities are those of the end of the step, a contact is where it was at its start: what it
/// moves on by in a step shows as sliding of that much times the spin, and is taken off.
static double sliding(const gmc_shape_pairs_run *run, double *force)
{
    const gmc_world *world = &run->stage.world;
    double sum = 0;
    *force = 0;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        const gmc_twist *a = &world->kin.V[contact->body_a], *b = &world->kin.V[contact->body_b];
        gmc_vec3 u =
            gmc_vec3_sub(gmc_twist_at(b, contact->point.p), gmc_twist_at(a, contact->point.p));
        double t1 = gmc_vec3_dot(u, contact->dir[1]), t2 = gmc_vec3_dot(u, contact->dir[2]);
        double spin = gmc_vec3_norm(gmc_vec3_sub(b->w, a->w)), f = contact->impulse[0] / run->h;
        double own = sqrt(t1 * t1 + t2 * t2) - 1.5 * spin * moved_on(&world->contacts, contact);
        sum += f * fmax(own, 0);
        *force += f;
    }
    return sum;
}

static bool is_gone(const gmc_shape_pairs_run *run)
{
    const gmc_stage *stage = &run->stage;
    for (int b = 1; b < stage->model.body_count; b++) {
        gmc_vec3 p = stage->world.kin.X_wb[b].p;
        if (!(p.z >= run->gone_below) ||
            !(p.x * p.x + p.y * p.y <= run->gone_beyond * run->gone_beyond))
            return true;
    }
    return false;
}

/// One step; false if the trial has ended.
static bool step(gmc_shape_pairs_run *run)
{
    run->outcome.status = gmc_stage_step(&run->stage, run->h);
    if (run->trace) run->trace(&run->stage, run->h);
    if (run->outcome.status != GMC_OK) {
        run->outcome.end = GMC_PAIRS_UNSOLVED;
        return false;
    }
    count_work(run);
    if (is_gone(run)) {
        run->outcome.end = GMC_PAIRS_GONE;
        return false;
    }
    return true;
}

bool gmc_shape_pairs_advance(gmc_shape_pairs_run *run, double span)
{
    for (double t = 0; t < span - 0.5 * run->h; t += run->h)
        if (!step(run)) return false;
    return true;
}

/// False if the trial has ended; `is_quiet`: everything came to rest.
static bool wait_for_rest(gmc_shape_pairs_run *run, bool *is_quiet)
{
    double quiet = 0;
    *is_quiet = false;
    for (double t = 0; t < WAIT_SPAN && !*is_quiet; t += run->h) {
        if (!gmc_shape_pairs_advance(run, run->h)) return false;
        quiet = fastest(&run->stage) < QUIET ? quiet + run->h : 0;
        *is_quiet = quiet >= QUIET_SPAN;
    }
    return !*is_quiet || gmc_shape_pairs_advance(run, SETTLE_SPAN);
}

static bool is_round(const gmc_stage *stage, int geom)
{
    gmc_shape_type type = stage->model.geoms[geom].shape.type;
    return type == GMC_SHAPE_SPHERE || type == GMC_SHAPE_CAPSULE || type == GMC_SHAPE_CYLINDER;
}

/// May what touches now roll for ever? Not flat sides on flat sides: each vertex that lands takes
/// energy. (Two points hold a swing, whatever they belong to: pinches are not asked.)
static bool may_roll(const gmc_stage *stage)
{
    for (int c = 0; c < stage->world.contacts.count; c++) {
        const gmc_contact_point *p = &stage->world.contacts.contacts[c].point;
        if (is_round(stage, p->geom_a) || is_round(stage, p->geom_b)) return true;
    }
    return false;
}

/// Moves without sliding?
static bool watch_rolling(gmc_shape_pairs_run *run, bool *is_rolling)
{
    double slide = 0, speed = 0, all = 0, force;
    for (double t = 0; t < ROLL_SPAN; t += run->h) {
        if (!step(run)) return false;
        slide += sliding(run, &force);
        speed += force * fastest(&run->stage);
        all += force;
    }
    run->outcome.slide = all > 0 ? slide / all : 0;
    *is_rolling = slide <= ROLL_SLIDE * speed && (run->is_pinch || may_roll(&run->stage));
    return true;
}

/// Farthest that a point of any body came from where it was when the pose was `start` [m].
static double strayed(const gmc_stage *stage, const gmc_pose *start)
{
    double far = 0;
    for (int b = 1; b < stage->model.body_count; b++) {
        const gmc_pose *now = &stage->world.kin.X_wb[b];
        double turn2 = 0;
        for (int i = 0; i < 9; i++) {
            double d = now->R.m[i] - start[b].R.m[i];
            turn2 += d * d;
        }
        // |R - R0| = sqrt 2 times the angle, for small ones
        double moved = gmc_vec3_norm(gmc_vec3_sub(now->p, start[b].p)) +
                       body_size(stage, b) * sqrt(0.5 * turn2);
        if (!(moved <= far)) far = moved;
    }
    return far;
}

static bool watch_rest(gmc_shape_pairs_run *run)
{
    enum { BODY_MAX = 8, LOOK_EVERY = 50 };
    gmc_pose start[BODY_MAX];
    GMC_ASSERT(run->stage.model.body_count <= BODY_MAX);
    memcpy(start, run->stage.world.kin.X_wb, (size_t)run->stage.model.body_count * sizeof start[0]);
    long count = (long)(REST_SPAN / run->h + 0.5);
    for (long i = 1; i <= count; i++) {
        if (!step(run)) return false;
        if (i % LOOK_EVERY != 0) continue;
        double moved = strayed(&run->stage, start);
        if (!(moved <= run->outcome.drift)) run->outcome.drift = moved;
    }
    return true;
}

void gmc_shape_pairs_judge(gmc_shape_pairs_run *run)
{
    gmc_shape_pairs_outcome *outcome = &run->outcome;
    bool is_quiet = false, is_rolling = false, is_falling = true, goes_on = true;
    double energy = HUGE_VAL;
    for (int turn = 0; goes_on && turn < WAIT_TURNS && !is_quiet && !is_rolling; turn++) {
        goes_on = wait_for_rest(run, &is_quiet);
        if (goes_on && !is_quiet) goes_on = watch_rolling(run, &is_rolling);
        double now = kinetic(&run->stage) - run->given;
        is_falling = is_falling && now < energy;
        energy = now;
    }
    // a coin on its rim slides a little, but it loses energy from turn to turn
    is_rolling = is_rolling || (!is_quiet && is_falling && may_roll(&run->stage));
    outcome->t = run->stage.world.state.t;
    if (goes_on && is_quiet) goes_on = watch_rest(run);
    // what rolls very slowly counts as at rest until it is seen how far it comes
    if (goes_on && is_quiet && !(outcome->drift <= 1e-9)) goes_on = watch_rolling(run, &is_rolling);
    if (goes_on)
        outcome->end = is_rolling ? GMC_PAIRS_ROLLING
                       : is_quiet ? GMC_PAIRS_REST
                                  : GMC_PAIRS_RESTLESS;
    outcome->speed = goes_on ? fastest(&run->stage) : 0;
}

void gmc_shape_pairs_close(gmc_shape_pairs_run *run)
{
    run->outcome.h = run->h;
    run->outcome.steps = run->stage.steps;
    run->outcome.contacts = run->stage.contacts;
    run->outcome.iterations = run->stage.iterations;
    run->outcome.hard = run->stage.steps - run->stage.rungs[1];
    gmc_stage_close(&run->stage);
}
