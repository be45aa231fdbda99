// Links as free bodies and joints as rows between them, against the same law in the mechanism's own
// coordinates, and against what is known.

#include "engine/contact/rigid/anitescu_potra.h"
#include "engine/contact/rigid/maximal.h"
#include "engine/contact/rigid/stewart_trinkle.h"
#include "engine/contact/stepper.h"
#include "engine/math/elementary.h"
#include "engine/model/builder.h"
#include "engine/model/inertia.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"
#include "test/support/puma.h"

#include <string.h>

enum { DOFS_MAX = 24 };

static const gmc_stepper *const LAWS[] = {&gmc_anitescu_potra_stepper,
                                          &gmc_stewart_trinkle_stepper};

/// One mechanism under one stepper.
typedef struct world {
    gmc_arena models, trial, scratch;
    gmc_model model;
    gmc_world world;
    gmc_control control;
    gmc_step_options options;
    gmc_step_report report;
    double force[DOFS_MAX], kp[DOFS_MAX], kd[DOFS_MAX], q_ref[DOFS_MAX], v_ref[DOFS_MAX];
    double force_limit[DOFS_MAX], v_driven[DOFS_MAX], q_driven[DOFS_MAX];
    const gmc_stepper *stepper;
} world;

/// Makes a model in the arena.
typedef void (*maker)(gmc_arena *arena, gmc_model *model);

static void open(world *w, maker make, const gmc_stepper *stepper)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(gmc_arena_create(&w->models, 1 << 18), GMC_OK);
    assert_int_equal(gmc_arena_create(&w->trial, 1 << 21), GMC_OK);
    assert_int_equal(gmc_arena_create(&w->scratch, 1 << 22), GMC_OK);
    make(&w->models, &w->model);
    assert_true(w->model.dof_count <= DOFS_MAX && w->model.q_count <= DOFS_MAX);
    for (int i = 0; i < DOFS_MAX; i++)
        w->force_limit[i] = HUGE_VAL;
    w->control = (gmc_control){w->force,       w->kp,       w->kd,       w->q_ref, w->v_ref,
                               w->force_limit, w->v_driven, w->q_driven, NULL,     0};
    w->options = gmc_step_options_defaults();
    for (int i = 0; i < GMC_SETTING_MAX; i++)
        w->options.own[i] = NAN;
    w->options.is_start = true;
    w->stepper = stepper;
    assert_int_equal(stepper->create(&w->model, 8, &w->trial, &w->world), GMC_OK);
}

static void close(world *w)
{
    gmc_arena_free(&w->models);
    gmc_arena_free(&w->trial);
    gmc_arena_free(&w->scratch);
}

static void step(world *w, double h)
{
    gmc_arena_reset(&w->scratch, 0);
    assert_int_equal(
        w->stepper->step(&w->world, &w->control, &w->options, h, &w->scratch, &w->report), GMC_OK);
    w->options.is_start = false;
}

static void run(world *w, double h, double span)
{
    for (int i = 0; i < (int)(span / h + 0.5); i++)
        step(w, h);
}

// ---- mechanisms --------------------------------------------------------------------------------

/// The Puma 560, with inertias that a body can have: those published of link 3 are none.
static void puma(gmc_arena *arena, gmc_model *model)
{
    assert_int_equal(support_puma(gmc_pose_identity(), arena, model), GMC_OK);
    for (int i = 1; i < model->body_count; i++) {
        gmc_inertia *inertia = &model->bodies[i].inertia;
        if (inertia->mass > 0) assert_true(gmc_inertia_nearest(inertia, inertia));
    }
}

static gmc_inertia rod(double mass, double length)
{
    gmc_shape box = {.type = GMC_SHAPE_BOX, .half = {0.01, 0.015, length / 2}};
    gmc_pose down = {gmc_mat3_identity(), {0, 0, -length / 2}};
    gmc_inertia own = gmc_inertia_of_shape_mass(&box, mass);
    return gmc_inertia_move(&down, &own);
}

/// Links below each other, `length` long, the first turned by `start`.
static void hang_links(int count, double length, double start, gmc_arena *arena, gmc_model *model)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    for (int i = 0; i < count; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        gmc_inertia inertia = rod(0.1, length);
        gmc_joint_spec joint = {.type = GMC_JOINT_REVOLUTE,
                                .X_pj = {gmc_mat3_identity(), {0, 0, i == 0 ? 0 : -length}},
                                .axis = {0, 1, 0},
                                .dof = gmc_builder_default_dof(),
                                .q_start = i == 0 ? start : 0};
        gmc_builder_link(builder, (gmc_source){0}, name, i == 0 ? NULL : parent, &joint, &inertia);
    }
    assert_int_equal(gmc_builder_finish(builder, arena, model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
}

/// Ten links of 0.1 m, let go stretched at 30 degrees.
static void ten_links(gmc_arena *arena, gmc_model *model)
{
    hang_links(10, 0.1, GMC_PI / 6, arena, model);
}

// ---- how far joints are apart ------------------------------------------------------------------

typedef struct gap {
    double place, angle; ///< [m], [deg]
} gap;

/// Of a revolute joint.
static void widen(const world *w, gap *most)
{
    for (int b = 1; b < w->model.body_count; b++) {
        const gmc_body *body = &w->model.bodies[b];
        if (body->joint != GMC_JOINT_REVOLUTE) continue;
        const gmc_pose *X_wb = &w->world.kin.X_wb[b];
        gmc_pose X_wj = gmc_pose_multiply(&w->world.kin.X_wb[body->parent], &body->X_pj);
        gmc_vec3 a = gmc_mat3_apply(&X_wj.R, body->axis), c = gmc_mat3_apply(&X_wb->R, body->axis);
        double angle = gmc_asin(fmin(gmc_vec3_norm(gmc_vec3_cross(a, c)), 1)) * 180 / GMC_PI;
        most->place = fmax(most->place, gmc_vec3_norm(gmc_vec3_sub(X_wb->p, X_wj.p)));
        most->angle = fmax(most->angle, angle);
    }
}

// ---- against the mechanism's own coordinates ---------------------------------------------------

static const double SPAN = 0.5;

/// Largest difference of a joint at the end.
/// @param other  what it is held against
/// @param most   how far joints were apart on the way
static double difference(maker make, const gmc_stepper *law, const gmc_stepper *other, double h,
                         gap *most)
{
    world a, b;
    double worst = 0;
    open(&a, make, other);
    open(&b, make, law->maximal);
    run(&a, h, SPAN);
    *most = (gap){0, 0};
    for (int i = 0; i < (int)(SPAN / h + 0.5); i++) {
        step(&b, h);
        widen(&b, most);
    }
    for (int i = 0; i < a.model.q_count; i++)
        worst = fmax(worst, fabs(a.world.state.q[i] - b.world.state.q[i]));
    close(&a);
    close(&b);
    return worst;
}

static double order_of(double coarse, double fine) { return gmc_log(coarse / fine) / gmc_log(2); }

static const maker FALLING[] = {puma, ten_links};

/// The Puma with links that gyroscopic moments do not turn.
static void round_puma(gmc_arena *arena, gmc_model *model)
{
    puma(arena, model);
    for (int i = 1; i < model->body_count; i++) {
        double *I = model->bodies[i].inertia.I.m, mean = (I[0] + I[4] + I[8]) / 3;
        model->bodies[i].inertia.I = gmc_mat3_diagonal(mean, mean, mean);
    }
}

// Both are two-step methods of positions, with u_n = (x_n - x_n-1)/h. In maximal coordinates it is
//
//   M (x_n+1 - 2 x_n + x_n-1) = h² f(x_n) + h G(x_n)ᵀ c,   Δ_n+1 = (1 - γ) Δ_n + h² g''(v, v)/2 + ...
//
// whose left side is symmetric in time, and whose Δ = h² g''(v, v)/(2 γ) varies smoothly: errors of
// order h² both. In generalised coordinates forces that depend on velocities are taken in the middle
// (mechanism_motion.c): the same order. What is of first order is the start: x_1 - x_0 = h v_0 +
// h² a_0 where h² a_0/2 is due, a lead in velocity of h a_0/2, and a_0 is that of the same motion,
// whatever its coordinates. So the first-order errors are equal, but for the gyroscopic moments of
// links, w x I w, which are those of the steps' starts: w half a step old. The difference is of
// order 2 where there are none (planar motion, round links), and else A h² + B h with B h 3 % of it
// at 2.5 ms: 2 down to 1.8. An order of 1 ± 0.1, which was asked for, it does not have: it falls
// faster. The law's own error has that order: motion_is_of_first_order.
static void difference_from_the_same_law_is_of_second_order_not_of_first(void **unused)
{
    (void)unused;
    const maker makers[] = {puma, round_puma, ten_links};
    for (int k = 0; k < GMC_COUNT(makers); k++)
        for (int l = 0; l < GMC_COUNT(LAWS); l++) {
            double before = 0, h = 2.5e-3;
            for (int i = 0; i <= 4; i++, h /= 2) {
                gap most;
                double off = difference(makers[k], LAWS[l], LAWS[l], h, &most);
                double order = i > 0 ? order_of(before, off) : 2;
                printf("step %g: off by %.3g, order %.2f\n", h, off, order);
                assert_true(off <= 2e-2);
                if (makers[k] == puma)
                    assert_true(order >= 1.7);
                else
                    ASSERT_NEAR(order, 2, 0.2);
                before = off;
            }
        }
}

// The default law is of second order: against it the order is that of the law itself.
static void motion_is_of_first_order(void **unused)
{
    (void)unused;
    for (int k = 0; k < GMC_COUNT(FALLING); k++) {
        double before = 0, h = 2.5e-3;
        for (int i = 0; i <= 4; i++, h /= 2) {
            gap most;
            double off = difference(FALLING[k], LAWS[0], gmc_steppers[0], h, &most);
            printf("step %g: off by %.3g\n", h, off);
            assert_true(off <= 2e-2);
            if (i > 0) ASSERT_NEAR(order_of(before, off), 1, 0.1);
            before = off;
        }
    }
}

static void joints_stay_together(void **unused)
{
    (void)unused;
    for (int k = 0; k < GMC_COUNT(FALLING); k++)
        for (int l = 0; l < GMC_COUNT(LAWS); l++) {
            gap coarse, fine;
            (void)difference(FALLING[k], LAWS[l], LAWS[l], 1e-3, &coarse);
            (void)difference(FALLING[k], LAWS[l], LAWS[l], 5e-4, &fine);
            capability_at_most(8, coarse.place, 1e-4);
            assert_true(coarse.angle <= 0.1);
            ASSERT_NEAR(order_of(coarse.place, fine.place), 2, 0.2);
            // what turns in a plane keeps its axes to rounding
            if (coarse.angle > 1e-9) ASSERT_NEAR(order_of(coarse.angle, fine.angle), 2, 0.2);
        }
}

// ---- correction --------------------------------------------------------------------------------

static void three_links(gmc_arena *arena, gmc_model *model)
{
    hang_links(3, 0.1, 0, arena, model);
    model->gravity = (gmc_vec3){0, 0, 0};
}

/// Put the middle joint of links at rest 1 mm, or 1 degree, beside its link.
static void tear(world *w, gmc_vec3 apart, double turned)
{
    gmc_pose *X = &w->model.bodies[2].X_pj;
    X->p = gmc_vec3_add(X->p, apart);
    gmc_mat3 R = gmc_quat_matrix(gmc_quat_exp((gmc_vec3){turned, 0, 0}));
    X->R = gmc_mat3_multiply(&X->R, &R);
}

// At rest a step moves links by h times the velocity that eq 16 asks for, whatever step and masses:
// a fifth of the gap by default.
static void what_is_torn_comes_back(void **unused)
{
    (void)unused;
    const double steps[] = {1e-4, 1e-3, 2.5e-3}, masses[] = {0.01, 1, 100};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(steps); i++)
            for (int k = 0; k < GMC_COUNT(masses); k++) {
                const gmc_vec3 away[] = {{1e-3, 0, 0}, {0, 1e-3, 0}, {0, 0, 1e-3}};
                for (int way = 0; way < GMC_COUNT(away); way++) {
                    world w;
                    gap before = {0, 0}, after = {0, 0};
                    open(&w, three_links, LAWS[l]->maximal);
                    w.model.bodies[3].inertia.mass *= masses[k];
                    step(&w, steps[i]); // at rest
                    tear(&w, away[way], 0);
                    widen(&w, &before);
                    step(&w, steps[i]);
                    widen(&w, &after);
                    capability_within(23, after.place / before.place, 0.784, 0.816);
                    close(&w);
                }
                world w;
                gap before = {0, 0}, after = {0, 0};
                open(&w, three_links, LAWS[l]->maximal);
                step(&w, steps[i]);
                tear(&w, (gmc_vec3){0, 0, 0}, GMC_PI / 180);
                widen(&w, &before);
                step(&w, steps[i]);
                widen(&w, &after);
                capability_within(23, after.angle / before.angle, 0.784, 0.816);
                close(&w);
            }
}

// And the share that is set, by both laws.
static void the_share_that_comes_back_is_set(void **unused)
{
    (void)unused;
    const double shares[] = {0, 0.5, 1};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(shares); i++) {
            world w;
            gap before = {0, 0}, after = {0, 0};
            int index = gmc_stepper_setting(LAWS[l]->maximal, "drift_correction");
            open(&w, three_links, LAWS[l]->maximal);
            w.options.own[index] = shares[i];
            step(&w, 1e-3);
            tear(&w, (gmc_vec3){1e-3, 0, 0}, 0);
            widen(&w, &before);
            step(&w, 1e-3);
            widen(&w, &after);
            // what is of second order in the gap over the links' length
            ASSERT_NEAR(after.place / before.place, 1 - shares[i], 0.02);
            close(&w);
        }
}

// ---- every kind of joint, and what acts on it --------------------------------------------------

/// A random forest, and what is to act on its joints.
typedef struct forest {
    support_tree_options tree;
    uint64_t seed;
    bool has_servos, has_limits; ///< of force
    bool has_friction, has_damping, has_stops;
} forest;

static forest drawn; // of the test at work: makers have no argument of their own

static void make_forest(gmc_arena *arena, gmc_model *model)
{
    support_random random = {drawn.seed};
    assert_int_equal(support_tree(&random, &drawn.tree, arena, model), GMC_OK);
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        bool is_scalar = body->joint == GMC_JOINT_REVOLUTE || body->joint == GMC_JOINT_PRISMATIC;
        if (!is_scalar || body->is_mimic || body->is_driven) continue;
        gmc_dof *dof = &model->dofs[body->v];
        double q = model->q_start[body->q];
        dof->friction = drawn.has_friction ? support_uniform(&random, 0.1, 1) : 0;
        dof->damping = drawn.has_damping ? support_uniform(&random, 0.1, 1) : 0;
        dof->lower = drawn.has_stops ? q - support_uniform(&random, 0.01, 0.1) : -HUGE_VAL;
        dof->upper = drawn.has_stops ? q + support_uniform(&random, 0.01, 0.1) : HUGE_VAL;
        dof->limit_stiffness = 1e4;
    }
}

static void control_forest(world *w, double t)
{
    support_random random = {drawn.seed + 1};
    for (int i = 0; i < w->model.dof_count; i++) {
        double kp = support_uniform(&random, 5, 50), rate = support_uniform(&random, -1, 1);
        double limit = support_uniform(&random, 0.2, 2);
        if (i >= w->model.free_count) w->v_driven[i] = rate;
        if (i >= w->model.free_count || !drawn.has_servos) continue;
        w->kp[i] = kp;
        w->kd[i] = kp / 20;
        w->v_ref[i] = rate;
        w->q_ref[i] = rate * t;
        if (drawn.has_limits) w->force_limit[i] = limit;
    }
}

/// Driven joints go on at v_driven; those drawn are scalar.
static void drive_forest(world *w, double h)
{
    for (int b = 1; b < w->model.body_count; b++) {
        const gmc_body *body = &w->model.bodies[b];
        if (!body->is_driven || body->is_mimic) continue;
        assert_int_equal(gmc_joint_v_count(body->joint), 1);
        w->q_driven[body->q] = w->world.state.q[body->q] + h * w->v_driven[body->v];
    }
}

static void run_forest(world *w, double h, double span)
{
    for (int i = 0; i < (int)(span / h + 0.5); i++) {
        control_forest(w, (i + 1) * h);
        drive_forest(w, h);
        step(w, h);
    }
}

/// Between coordinates of both; quaternions to their sign.
static double forest_difference(const gmc_stepper *law, double h, double span)
{
    world a, b;
    double worst = 0;
    open(&a, make_forest, law);
    open(&b, make_forest, law->maximal);
    run_forest(&a, h, span);
    run_forest(&b, h, span);
    for (int i = 0; i < a.model.q_count; i++) {
        double x = a.world.state.q[i], y = b.world.state.q[i];
        worst = fmax(worst, fmin(fabs(x - y), fabs(x + y) + 1e3 * (fabs(x) > 1)));
    }
    close(&a);
    close(&b);
    return worst;
}

/// Is every law's difference small, and of first order or better?
/// @param most  at a step of 1 ms, 0.1 s; the joints go tenths of rad or of m
static void compare_forests(forest kind, int count, double most)
{
    int compared = 0;
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < count; i++) {
            int body;
            world w;
            drawn = kind;
            drawn.seed = (uint64_t)i + 1;
            open(&w, make_forest, LAWS[l]);
            bool is_refused = LAWS[l]->maximal->refuses(&w.model, &body) != NULL;
            for (int b = 1; b < w.model.body_count; b++) // drive_forest knows no others
                is_refused = is_refused || (w.model.bodies[b].is_driven &&
                                            gmc_joint_v_count(w.model.bodies[b].joint) > 1);
            close(&w);
            if (is_refused) continue;
            compared++;
            double coarse = forest_difference(LAWS[l], 1e-3, 0.1);
            double fine = forest_difference(LAWS[l], 2.5e-4, 0.1);
            printf("forest %d: off by %.3g, %.3g\n", i + 1, coarse, fine);
            assert_true(coarse <= most);
            assert_true(fine <= coarse / 2 || fine < 1e-6); // of first order, or small as it is
        }
    assert_true(compared >= count / 2);
}

static void joints_of_every_kind_move_alike(void **unused)
{
    (void)unused;
    compare_forests((forest){.tree = {.link_count = 5,
                                      .has_free = true,
                                      .has_spherical = true,
                                      .has_mimic = true,
                                      .has_driven = true,
                                      .has_armature = true}},
                    12, 1e-5);
}

static void drives_act_alike(void **unused)
{
    (void)unused;
    forest kind = {.tree = {.link_count = 4, .has_mimic = true, .has_armature = true}};
    kind.has_damping = kind.has_servos = true;
    compare_forests(kind, 8, 1e-5);
    kind.has_limits = true;
    compare_forests(kind, 8, 1e-5);
    kind.has_friction = kind.has_stops = true;
    compare_forests(kind, 8, 1e-5);
}

// ---- what nothing holds ------------------------------------------------------------------------

/// A brick without weight, alone or with a flap hinged to it.
static void throw_bricks(bool has_flap, gmc_arena *arena, gmc_model *model)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    gmc_inertia brick = {2, {0, 0, 0}, gmc_mat3_diagonal(0.01, 0.02, 0.025)};
    gmc_joint_spec loose = {
        .type = GMC_JOINT_FREE, .X_pj = gmc_pose_identity(), .dof = gmc_builder_default_dof()};
    gmc_builder_link(builder, (gmc_source){0}, "brick", NULL, &loose, &brick);
    gmc_inertia flap = {0.5, {0.05, 0, 0}, gmc_mat3_diagonal(1e-3, 2e-3, 2.5e-3)};
    gmc_joint_spec hinge = {.type = GMC_JOINT_REVOLUTE,
                            .X_pj = {gmc_mat3_identity(), {0.1, 0, 0}},
                            .axis = {0, 1, 0.3},
                            .dof = gmc_builder_default_dof()};
    if (has_flap) gmc_builder_link(builder, (gmc_source){0}, "flap", "brick", &hinge, &flap);
    gmc_builder_gravity(builder, (gmc_vec3){0, 0, 0});
    assert_int_equal(gmc_builder_finish(builder, arena, model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
}

static void throw_brick(gmc_arena *arena, gmc_model *model) { throw_bricks(false, arena, model); }
static void throw_flap(gmc_arena *arena, gmc_model *model) { throw_bricks(true, arena, model); }

/// Momentum, angular momentum about the world's origin and energy of all links, where they are.
typedef struct motion {
    gmc_vec3 p, L;
    double energy;
    gmc_quat R; ///< of the brick
} motion;

static motion motion_of(const world *w)
{
    motion all = {.energy = 0};
    for (int b = 1; b < w->model.body_count; b++) {
        const gmc_kinematics *kin = &w->world.kin;
        const gmc_inertia *inertia = &w->model.bodies[b].inertia;
        gmc_vec3 u = gmc_twist_at(&kin->V[b], kin->com_w[b]), spin = kin->V[b].w;
        gmc_mat3 I = gmc_mat3_rotate(&kin->X_wb[b].R, &inertia->I);
        gmc_vec3 own = gmc_mat3_apply(&I, spin), p = gmc_vec3_scale(inertia->mass, u);
        all.p = gmc_vec3_add(all.p, p);
        all.L = gmc_vec3_add(all.L, gmc_vec3_add(own, gmc_vec3_cross(kin->com_w[b], p)));
        all.energy += 0.5 * (gmc_vec3_dot(p, u) + gmc_vec3_dot(own, spin));
    }
    all.R = gmc_quat_from_matrix(&w->world.kin.X_wb[1].R);
    return all;
}

/// Thrown at 1 m/s, tumbling at 5 rad/s about no axis of its own, for 1 s.
static motion thrown(maker make, const gmc_stepper *law, double h, motion *start)
{
    static const double FIRST[] = {1, 0.5, -0.2, 3, 4, 0.5};
    world w;
    open(&w, make, law->maximal);
    memcpy(w.world.state.v, FIRST, sizeof FIRST);
    gmc_kinematics_update(&w.model, w.world.state.q, w.world.state.v, &w.world.kin);
    *start = motion_of(&w);
    run(&w, h, 1);
    motion end = motion_of(&w);
    close(&w);
    return end;
}

static double off(gmc_vec3 a, gmc_vec3 b)
{
    return gmc_vec3_norm(gmc_vec3_sub(a, b)) / gmc_vec3_norm(b);
}

static double turned_apart(gmc_quat a, gmc_quat b)
{
    return gmc_vec3_norm(gmc_quat_log(gmc_quat_multiply(gmc_quat_conjugate(a), b)));
}

static void a_tumbling_body_keeps_its_momentum_and_energy(void **unused)
{
    (void)unused;
    for (int l = 0; l < GMC_COUNT(LAWS); l++) {
        motion start, fine = thrown(throw_brick, LAWS[l], 1e-4, &start);
        motion a = thrown(throw_brick, LAWS[l], 2.5e-3, &start);
        motion b = thrown(throw_brick, LAWS[l], 1.25e-3, &start);
        capability_at_most(1, fmax(off(a.p, start.p), off(a.L, start.L)), 1e-3);
        capability_at_most(1, fabs(a.energy / start.energy - 1), 1e-3);
        double order = order_of(turned_apart(a.R, fine.R), turned_apart(b.R, fine.R));
        capability_at_least(1, order, 0.9);
    }
}

// Forces of joints are equal and opposite at one point: momentum is kept to rounding, and angular
// momentum but for gyroscopic moments, which are those of the steps' starts.
static void linked_bodies_keep_their_momentum(void **unused)
{
    (void)unused;
    for (int l = 0; l < GMC_COUNT(LAWS); l++) {
        motion start;
        motion a = thrown(throw_flap, LAWS[l], 2.5e-3, &start);
        motion b = thrown(throw_flap, LAWS[l], 6.25e-4, &start);
        printf("off by %.3g %.3g %.3g, %.3g %.3g\n", off(a.p, start.p), off(a.L, start.L),
               a.energy / start.energy - 1, off(b.L, start.L), b.energy / start.energy - 1);
        assert_true(off(a.p, start.p) <= 1e-12);
        assert_true(off(a.L, start.L) <= 1e-2);
        assert_true(order_of(off(a.L, start.L), off(b.L, start.L)) / 2 >= 0.9);
        assert_true(fabs(a.energy / start.energy - 1) <= 1e-2);
    }
}

// ---- what is mounted on a link -----------------------------------------------------------------

/// Of the test at work: sizes and masses are these times as large.
static struct {
    double size, mass;
} carried = {1, 1};

static gmc_inertia block(double mass, gmc_vec3 com)
{
    double m = mass * carried.mass, a = carried.size;
    return (gmc_inertia){m, gmc_vec3_scale(a, com),
                         gmc_mat3_diagonal(m * a * a * 2e-3, m * a * a * 3e-3, m * a * a * 4e-3)};
}

static gmc_pose placed(double x, double y, double z, gmc_vec3 turn)
{
    return (gmc_pose){gmc_quat_matrix(gmc_quat_exp(turn)),
                      gmc_vec3_scale(carried.size, (gmc_vec3){x, y, z})};
}

static void add_hinge(gmc_builder *builder, const char *name, const char *parent, gmc_pose X_pj,
                      gmc_vec3 axis)
{
    gmc_inertia inertia = block(0.8, (gmc_vec3){0.01, 0.02, -0.1});
    gmc_joint_spec joint = {
        .type = GMC_JOINT_REVOLUTE, .X_pj = X_pj, .axis = axis, .dof = gmc_builder_default_dof()};
    gmc_builder_link(builder, (gmc_source){0}, name, parent, &joint, &inertia);
}

static void add_mount(gmc_builder *builder, const char *name, const char *parent, gmc_pose X_pj,
                      const gmc_inertia *inertia)
{
    gmc_joint_spec joint = {
        .type = GMC_JOINT_FIXED, .X_pj = X_pj, .dof = gmc_builder_default_dof(), .is_mount = true};
    gmc_builder_link(builder, (gmc_source){0}, name, parent, &joint, inertia);
}

/// An arm of two links carries a palm, which a flange without mass is between; a finger hangs on
/// the palm, and a camera is mounted on the palm, too.
static void carrying_arm(gmc_arena *arena, gmc_model *model)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    gmc_inertia palm = block(0.5, (gmc_vec3){0.02, -0.01, -0.05});
    gmc_inertia camera = block(0.1, (gmc_vec3){0, 0.03, 0});
    add_hinge(builder, "upper", NULL, placed(0, 0, 0, (gmc_vec3){0.3, 0.2, 0}),
              (gmc_vec3){0, 1, 0});
    add_hinge(builder, "lower", "upper", placed(0, 0, -0.2, (gmc_vec3){0.5, 0, 0.1}),
              (gmc_vec3){1, 0.2, 0});
    add_mount(builder, "flange", "lower", placed(0, 0.01, -0.2, (gmc_vec3){0, 0.4, 0}), NULL);
    add_mount(builder, "palm", "flange", placed(0.01, 0, -0.02, (gmc_vec3){0.1, 0, 1}), &palm);
    add_mount(builder, "camera", "palm", placed(0.05, 0, 0, (gmc_vec3){0, 0, 0.2}), &camera);
    add_hinge(builder, "finger", "palm", placed(0.03, 0.02, -0.1, (gmc_vec3){0, 0.3, 0}),
              (gmc_vec3){0, 1, 0.5});
    assert_int_equal(gmc_builder_finish(builder, arena, model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
}

enum { FLANGE = 1, PALM, CAMERA, MOUNTS = CAMERA, LOWER = 2, FINGER };

// Three mounts, of which the one without mass stays with the link; sums of masses are those of the
// bodies, and nothing of it shows outside.
static void mounts_are_told(void **unused)
{
    (void)unused;
    world w;
    double wrench[6] = {0};
    open(&w, carrying_arm, LAWS[0]->maximal);
    const gmc_mount *mounts = w.model.mounts;
    assert_int_equal(w.model.mount_count, MOUNTS);
    assert_int_equal(w.model.body_count, FINGER + 1);
    assert_string_equal(mounts[PALM].name, "palm");
    for (int i = 1; i <= MOUNTS; i++) {
        assert_int_equal(mounts[i].body, LOWER);
        assert_int_equal(mounts[i].base, i - 1);
        ASSERT_NEAR(mounts[i].own.mass, 0.8, 1e-15);
        int frame = gmc_model_find_frame(&w.model, mounts[i].name);
        assert_int_equal(w.model.frames[frame].mount, i);
        assert_true(gmc_vec3_norm(gmc_vec3_sub(w.model.frames[frame].X_bf.p, mounts[i].p)) == 0);
        assert_int_equal(gmc_maximal_held(&w.world, i, wrench), i != FLANGE);
    }
    assert_int_equal(w.model.bodies[FINGER].mount, PALM);
    assert_int_equal(w.model.bodies[LOWER].mount, 0);
    ASSERT_NEAR(mounts[PALM].inertia.mass, 0.5, 1e-15);
    ASSERT_NEAR(mounts[CAMERA].inertia.mass, 0.1, 1e-15);
    close(&w);
}

// Mounts are rows of their own, and what they carry moves as it does where they are one body. The
// finger's joint shows both its own gap and its mount's: its parent is where the arm's link is.
static void what_is_mounted_moves_alike(void **unused)
{
    (void)unused;
    const double sizes[] = {0.5, 1, 2}, masses[] = {0.01, 1, 100};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(sizes); i++) {
            double before = 0, h = 2.5e-3;
            gap wide = {0, 0};
            carried.size = sizes[i];
            carried.mass = masses[i];
            for (int k = 0; k <= 2; k++, h /= 2) {
                gap most;
                double off = difference(carrying_arm, LAWS[l], LAWS[l], h, &most);
                printf("step %g: off by %.3g, apart %.3g m, %.3g deg\n", h, off, most.place,
                       most.angle);
                assert_true(off <= 2e-2);
                if (k > 0) assert_true(order_of(before, off) >= 0.9);
                if (k > 0) ASSERT_NEAR(order_of(wide.place, most.place), 2, 0.2);
                if (k > 0) ASSERT_NEAR(order_of(wide.angle, most.angle), 2, 0.2);
                before = off;
                wide = most;
            }
        }
    carried.size = carried.mass = 1;
}

/// Momentum of what is mounted and all that it carries, and its moment about `at`.
static void momentum_of(const world *w, gmc_vec3 at, double *sum)
{
    const gmc_kinematics *kin = &w->world.kin;
    memset(sum, 0, 6 * sizeof *sum);
    for (int i = PALM; i <= FINGER + 1; i++) { // palm, camera and, behind the mounts, the finger
        bool is_mount = i <= CAMERA;
        int body = is_mount ? LOWER : FINGER;
        const gmc_inertia *own =
            is_mount ? &w->model.mounts[i].inertia : &w->model.bodies[FINGER].inertia;
        if (i > CAMERA && i != FINGER + 1) continue;
        const gmc_pose *X = &kin->X_wb[body];
        gmc_vec3 com = gmc_pose_apply(X, own->com);
        gmc_vec3 p = gmc_vec3_scale(own->mass, gmc_twist_at(&kin->V[body], com));
        gmc_mat3 I = gmc_mat3_rotate(&X->R, &own->I);
        gmc_vec3 L = gmc_vec3_add(gmc_mat3_apply(&I, kin->V[body].w),
                                  gmc_vec3_cross(gmc_vec3_sub(com, at), p));
        for (int k = 0; k < 3; k++) {
            sum[k] += gmc_vec3_get(p, k);
            sum[3 + k] += gmc_vec3_get(L, k);
        }
    }
}

static gmc_vec3 place_of(const world *w, int mount)
{
    return gmc_pose_apply(&w->world.kin.X_wb[LOWER], w->model.mounts[mount].p);
}

/// Impulse of a step that the flange has to give in generalised coordinates, by momentum, and what
/// the palm's rows give. @return their difference, against the largest force and moment
static double held_apart(const gmc_stepper *law, double h)
{
    world a, b;
    double before[6], after[6], held[6], scale[2] = {0, 0}, worst = 0;
    open(&a, carrying_arm, law);
    open(&b, carrying_arm, law->maximal);
    run(&a, h, 0.1 - h);
    run(&b, h, 0.1);
    gmc_vec3 at = place_of(&a, PALM);
    momentum_of(&a, at, before);
    double weight = 0;
    gmc_vec3 moment = {0, 0, 0};
    const gmc_inertia *parts[] = {&a.model.mounts[PALM].inertia, &a.model.mounts[CAMERA].inertia,
                                  &a.model.bodies[FINGER].inertia};
    for (int i = 0; i < GMC_COUNT(parts); i++) {
        const gmc_pose *X = &a.world.kin.X_wb[i < 2 ? LOWER : FINGER];
        gmc_vec3 arm = gmc_vec3_sub(gmc_pose_apply(X, parts[i]->com), at);
        weight += parts[i]->mass;
        moment = gmc_vec3_add(moment,
                              gmc_vec3_cross(arm, gmc_vec3_scale(parts[i]->mass, a.model.gravity)));
    }
    step(&a, h);
    momentum_of(&a, at, after);
    assert_true(gmc_maximal_held(&b.world, PALM, held));
    for (int k = 0; k < 6; k++) {
        double pull =
            k < 3 ? weight * gmc_vec3_get(a.model.gravity, k) : gmc_vec3_get(moment, k - 3);
        before[k] = after[k] - before[k] - h * pull;
        scale[k / 3] = fmax(scale[k / 3], fabs(before[k]));
    }
    for (int k = 0; k < 6; k++)
        worst = fmax(worst, fabs(held[k] - before[k]) / scale[k / 3]);
    close(&a);
    close(&b);
    return worst;
}

// In motion both are of first order in the step. At 1 ms what moves in 0.1 s by 0.5 rad has turned
// by 1 % of that.
static void rows_hold_what_the_flange_carries(void **unused)
{
    (void)unused;
    const double masses[] = {0.01, 1, 100};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(masses); i++) {
            carried.mass = masses[i];
            double coarse = held_apart(LAWS[l], 1e-3), fine = held_apart(LAWS[l], 2.5e-4);
            printf("held: off by %.3g, %.3g\n", coarse, fine);
            assert_true(coarse <= 2e-2);
            assert_true(order_of(coarse, fine) / 2 >= 0.9);
        }
    carried.mass = 1;
}

/// The same arm, and dry friction that nothing overcomes: a row of each joint takes part.
static void stiff_arm(gmc_arena *arena, gmc_model *model)
{
    carrying_arm(arena, model);
    for (int i = 0; i < model->dof_count; i++)
        model->dofs[i].friction = 1e4 * carried.mass;
}

// Once what friction holds has come to rest, which takes a hundred steps, it is the weight and its
// moment: to 1e-6, what is left of those steps is below it.
static void rows_hold_the_weight(void **unused)
{
    (void)unused;
    const double masses[] = {0.01, 1, 100}, steps[] = {5e-4, 2e-3};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(masses); i++)
            for (int k = 0; k < GMC_COUNT(steps); k++) {
                world w;
                double held[6], h = steps[k];
                carried.mass = masses[i];
                open(&w, stiff_arm, LAWS[l]->maximal);
                run(&w, h, 100 * h);
                assert_true(gmc_maximal_held(&w.world, CAMERA, held));
                const gmc_inertia *own = &w.model.mounts[CAMERA].inertia;
                gmc_vec3 com = gmc_pose_apply(&w.world.kin.X_wb[LOWER], own->com);
                gmc_vec3 f = gmc_vec3_scale(-h * own->mass, w.model.gravity);
                gmc_vec3 t = gmc_vec3_cross(gmc_vec3_sub(com, place_of(&w, CAMERA)), f);
                for (int j = 0; j < 3; j++) {
                    ASSERT_NEAR(held[j], gmc_vec3_get(f, j), 1e-6 * gmc_vec3_norm(f));
                    ASSERT_NEAR(held[3 + j], gmc_vec3_get(t, j), 1e-6 * gmc_vec3_norm(t));
                }
                close(&w);
            }
    carried.mass = 1;
}

/// A slider of 2 kg with a foot of 1 kg mounted below it, 10 mm above the ground; the foot is a
/// ball of 20 mm, which a ball of the slider overlaps.
static void foot(gmc_arena *arena, gmc_model *model)
{
    gmc_diagnostics report = {0};
    gmc_builder *builder = gmc_builder_create(&report);
    assert_non_null(builder);
    gmc_source nowhere = {0};
    gmc_inertia slider = block(2, (gmc_vec3){0, 0, 0}), own = block(1, (gmc_vec3){0, 0, 0});
    gmc_joint_spec joint = {.type = GMC_JOINT_PRISMATIC,
                            .X_pj = {gmc_mat3_identity(), {0, 0, 0.13}},
                            .axis = {0, 0, 1},
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(builder, nowhere, "slider", NULL, &joint, &slider);
    add_mount(builder, "foot", "slider", (gmc_pose){gmc_mat3_identity(), {0, 0, -0.1}}, &own);
    gmc_geom_spec ball = {.link = "foot",
                          .X_lg = gmc_pose_identity(),
                          .shape = {.type = GMC_SHAPE_SPHERE, .radius = 0.02},
                          .surface = "any",
                          .category = 1,
                          .mask = ~0u};
    gmc_builder_geom(builder, &ball);
    ball.link = "slider";
    ball.X_lg.p.z = -0.09;
    gmc_builder_geom(builder, &ball);
    ball.link = NULL;
    ball.X_lg = gmc_pose_identity();
    ball.shape = (gmc_shape){.type = GMC_SHAPE_PLANE};
    ball.name = "ground";
    gmc_builder_geom(builder, &ball);
    gmc_surface_law law = {
        .is_given = true, .friction = 0.5, .stiffness = 1e5, .tangential_ratio = 0.8};
    gmc_builder_law(builder, nowhere, "any", "any", law);
    assert_int_equal(gmc_builder_finish(builder, arena, model), GMC_OK);
    gmc_builder_free(builder);
    gmc_diagnostics_free(&report);
}

// It falls on the ground and stays there; shapes of one body do not touch for being taken apart. A
// contact is told of the body that it is of, and what the foot gets from the slider is its weight.
static void contacts_of_a_mount_are_its_bodys(void **unused)
{
    (void)unused;
    const double masses[] = {0.01, 1, 100};
    for (int l = 0; l < GMC_COUNT(LAWS); l++)
        for (int i = 0; i < GMC_COUNT(masses); i++) {
            world w;
            double held[6], h = 1e-3;
            carried.mass = masses[i];
            open(&w, foot, LAWS[l]->maximal);
            run(&w, h, 0.2);
            double weight = h * 9.81 * carried.mass;
            const gmc_contact *contact = w.world.contacts.contacts;
            assert_int_equal(w.world.contacts.count, 1);
            assert_true(contact->body_a + contact->body_b == 1); // ground and slider
            ASSERT_NEAR(contact->impulse[0], 3 * weight, 1e-6 * weight);
            assert_true(gmc_maximal_held(&w.world, 1, held));
            ASSERT_NEAR(held[2], -2 * weight, 1e-6 * weight);
            ASSERT_NEAR(w.world.state.q[0], -0.01, 2e-4); // the shell of anitescu_potra
            close(&w);
        }
    carried.mass = 1;
}

// ---- what it cannot do -------------------------------------------------------------------------

// A prescribed joint below a free one, and a link that is touched and weighs nothing: told, with
// the body, and no world is made.
static void what_it_cannot_do_is_told(void **unused)
{
    (void)unused;
    for (int l = 0; l < GMC_COUNT(LAWS); l++) {
        const gmc_stepper *law = LAWS[l]->maximal;
        gmc_geom geom = {.name = "tip", .body = 2};
        world w;
        gmc_world none;
        int body = -1;
        open(&w, three_links, law);
        assert_null(law->refuses(&w.model, &body));
        // massless: allowed where nothing touches it
        w.model.bodies[2].inertia = (gmc_inertia){0};
        assert_null(law->refuses(&w.model, &body));
        w.model.geoms = &geom;
        w.model.geom_count = 1;
        assert_non_null(strstr(law->refuses(&w.model, &body), "no mass"));
        assert_int_equal(body, 2);
        gmc_arena_reset(&w.trial, 0);
        assert_int_equal(law->create(&w.model, 4, &w.trial, &none), GMC_E_INPUT);
        // the last link's dof is prescribed
        w.model.geom_count = 0;
        w.model.free_count = 2;
        w.model.bodies[3].is_driven = true;
        assert_non_null(strstr(law->refuses(&w.model, &body), "prescribed"));
        assert_int_equal(body, 3);
        assert_int_equal(law->create(&w.model, 4, &w.trial, &none), GMC_E_INPUT);
        // prescribed from the ground on, that is none of its links' affair
        w.model.free_count = 0;
        assert_null(law->refuses(&w.model, &body));
        close(&w);
    }
}

// What others write into the state between steps is taken over, and a step that fails leaves it.
static void the_state_is_the_callers(void **unused)
{
    (void)unused;
    for (int l = 0; l < GMC_COUNT(LAWS); l++) {
        world a, b;
        open(&a, ten_links, LAWS[l]->maximal);
        open(&b, ten_links, LAWS[l]->maximal);
        run(&a, 1e-3, 0.05);
        memcpy(b.world.state.q, a.world.state.q, 10 * sizeof(double));
        memcpy(b.world.state.v, a.world.state.v, 10 * sizeof(double));
        gmc_kinematics_update(&b.model, b.world.state.q, b.world.state.v, &b.world.kin);
        b.options.is_start = false;
        run(&a, 1e-3, 0.05);
        run(&b, 1e-3, 0.05);
        for (int i = 0; i < 10; i++) // joints of b begin closed: 1e-5 m of links of 0.1 m
            ASSERT_NEAR(a.world.state.q[i], b.world.state.q[i], 1e-3);
        assert_true(fabs(b.world.state.q[0] - GMC_PI / 6) > 1e-3);

        double q[10], v[10], t = b.world.state.t;
        memcpy(q, b.world.state.q, sizeof q);
        memcpy(v, b.world.state.v, sizeof v);
        gmc_pose tip = b.world.kin.X_wb[10];
        gmc_status status = GMC_E_ARENA_FULL;
        for (size_t size = 1 << 10; status == GMC_E_ARENA_FULL; size += 1 << 12) {
            gmc_arena small;
            assert_int_equal(gmc_arena_create(&small, size), GMC_OK);
            status = b.stepper->step(&b.world, &b.control, &b.options, 1e-3, &small, &b.report);
            gmc_arena_free(&small);
            if (status == GMC_OK) continue;
            assert_int_equal(status, GMC_E_ARENA_FULL);
            assert_memory_equal(q, b.world.state.q, sizeof q);
            assert_memory_equal(v, b.world.state.v, sizeof v);
            assert_memory_equal(&tip, &b.world.kin.X_wb[10], sizeof tip);
            assert_true(b.world.state.t == t);
        }
        assert_true(b.world.state.t > t);
        close(&a);
        close(&b);
    }
}

// What falls under its weight falls alike at whatever mass, and when that changes on the way.
static void masses_that_change_do_not_move_what_falls(void **unused)
{
    (void)unused;
    static const maker FALL[] = {throw_brick, throw_flap, ten_links};
    static const double FACTOR[] = {0.01, 3, 100}, STEP[] = {1e-3, 4e-3};
    for (int k = 0; k < GMC_COUNT(FALL) * GMC_COUNT(LAWS) * GMC_COUNT(FACTOR); k++) {
        const gmc_stepper *law = LAWS[k / GMC_COUNT(FALL) % GMC_COUNT(LAWS)]->maximal;
        double factor = FACTOR[k / (GMC_COUNT(FALL) * GMC_COUNT(LAWS))];
        for (int j = 0; j < GMC_COUNT(STEP); j++) {
            world as_it_is, changed;
            open(&as_it_is, FALL[k % GMC_COUNT(FALL)], law);
            open(&changed, FALL[k % GMC_COUNT(FALL)], law);
            as_it_is.model.gravity = changed.model.gravity = (gmc_vec3){0, 0, -9.81};
            run(&as_it_is, STEP[j], 0.2);
            run(&changed, STEP[j], 0.1);
            for (int b = 1; b < changed.model.body_count; b++) {
                gmc_inertia *of = &changed.model.bodies[b].inertia;
                of->mass *= factor;
                for (int i = 0; i < 9; i++)
                    of->I.m[i] *= factor;
            }
            gmc_kinematics_weigh(&changed.model, &changed.world.kin);
            run(&changed, STEP[j], 0.1);
            for (int i = 0; i < changed.model.q_count; i++) // rounding, and solves to 1e-10
                ASSERT_NEAR(changed.world.state.q[i], as_it_is.world.state.q[i], 1e-9);
            close(&as_it_is);
            close(&changed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(difference_from_the_same_law_is_of_second_order_not_of_first),
        cmocka_unit_test(motion_is_of_first_order),
        cmocka_unit_test(joints_stay_together),
        cmocka_unit_test(what_is_torn_comes_back),
        cmocka_unit_test(the_share_that_comes_back_is_set),
        cmocka_unit_test(joints_of_every_kind_move_alike),
        cmocka_unit_test(drives_act_alike),
        cmocka_unit_test(a_tumbling_body_keeps_its_momentum_and_energy),
        cmocka_unit_test(linked_bodies_keep_their_momentum),
        cmocka_unit_test(mounts_are_told),
        cmocka_unit_test(what_is_mounted_moves_alike),
        cmocka_unit_test(rows_hold_what_the_flange_carries),
        cmocka_unit_test(rows_hold_the_weight),
        cmocka_unit_test(contacts_of_a_mount_are_its_bodys),
        cmocka_unit_test(what_it_cannot_do_is_told),
        cmocka_unit_test(the_state_is_the_callers),
        cmocka_unit_test(masses_that_change_do_not_move_what_falls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
