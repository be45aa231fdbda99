#include "test/support/stage.h"

#include "engine/model/inertia.h"

#include <stdlib.h>
#include <string.h>

static const gmc_source NOWHERE = {0};

gmc_shape gmc_stage_box(double x, double y, double z)
{
    return (gmc_shape){.type = GMC_SHAPE_BOX, .half = {x, y, z}};
}

gmc_shape gmc_stage_plane(void) { return (gmc_shape){.type = GMC_SHAPE_PLANE}; }

gmc_shape gmc_stage_draw(gmc_chance *chance)
{
    double a = gmc_chance_uniform(chance, 0.01, 0.04), b = gmc_chance_uniform(chance, 0.01, 0.04);
    switch (gmc_chance_integer(chance, 0, 2)) {
    case 0:
        return gmc_stage_box(a, b, gmc_chance_uniform(chance, 0.01, 0.04));
    case 1:
        return (gmc_shape){.type = GMC_SHAPE_SPHERE, .radius = a};
    default:
        return (gmc_shape){.type = GMC_SHAPE_CAPSULE, .radius = a / 2, .half_length = b};
    }
}

static gmc_pose at(gmc_vec3 p) { return (gmc_pose){gmc_mat3_identity(), p}; }

static void stop(const gmc_stage *stage, const char *what)
{
    fprintf(stderr, "test scene: %s\n", what);
    gmc_diagnostics_print(&stage->report, stderr);
    abort();
}

void gmc_stage_open(gmc_stage *stage, double friction)
{
    memset(stage, 0, sizeof *stage);
    stage->builder = gmc_builder_create(&stage->report);
    if (!stage->builder) stop(stage, "no memory");
    gmc_surface_law law = {.is_given = true,
                           .friction = friction,
                           .stiffness = 1e6,
                           .relaxation = 2e-3,
                           .tangential_ratio = 0.8};
    gmc_builder_law(stage->builder, NOWHERE, "any", "any", law);
}

void gmc_stage_free(gmc_stage *stage, const char *name, gmc_shape shape, double mass, gmc_vec3 p)
{
    gmc_inertia inertia = gmc_inertia_of_shape_mass(&shape, mass);
    gmc_joint_spec joint = {
        .type = GMC_JOINT_FREE, .X_pj = at(p), .dof = gmc_builder_default_dof()};
    gmc_builder_link(stage->builder, NOWHERE, name, NULL, &joint, &inertia);
    gmc_builder_geom(stage->builder, &(gmc_geom_spec){.source = NOWHERE,
                                                      .link = name,
                                                      .X_lg = gmc_pose_identity(),
                                                      .shape = shape,
                                                      .surface = "any",
                                                      .category = 1,
                                                      .mask = 3});
}

void gmc_stage_compound(gmc_stage *stage, const char *name, const gmc_shape *shapes, int count,
                        double mass, gmc_pose X)
{
    gmc_inertia inertia = {0};
    for (int i = 0; i < count; i++) {
        gmc_inertia part = gmc_inertia_of_shape(&shapes[i], 1);
        inertia = gmc_inertia_combine(&inertia, &part);
    }
    inertia = gmc_inertia_with_mass(&inertia, mass);
    gmc_joint_spec joint = {.type = GMC_JOINT_FREE, .X_pj = X, .dof = gmc_builder_default_dof()};
    gmc_builder_link(stage->builder, NOWHERE, name, NULL, &joint, &inertia);
    for (int i = 0; i < count; i++) {
        char geom[64];
        snprintf(geom, sizeof geom, "%s#%d", name, i);
        gmc_builder_geom(stage->builder, &(gmc_geom_spec){.source = NOWHERE,
                                                          .link = name,
                                                          .name = geom,
                                                          .X_lg = gmc_pose_identity(),
                                                          .shape = shapes[i],
                                                          .surface = "any",
                                                          .category = 1,
                                                          .mask = 3});
    }
}

void gmc_stage_fixed(gmc_stage *stage, const char *name, gmc_shape shape, gmc_pose X_wg)
{
    gmc_builder_geom(stage->builder, &(gmc_geom_spec){.source = NOWHERE,
                                                      .name = name,
                                                      .X_lg = X_wg,
                                                      .shape = shape,
                                                      .surface = "any",
                                                      .category = 1,
                                                      .mask = 3});
}

void gmc_stage_slider(gmc_stage *stage, const char *name, const char *parent, gmc_vec3 axis,
                      gmc_vec3 p, gmc_shape shape, double mass, gmc_dof dof, bool is_driven)
{
    bool has_geom = shape.half.x > 0 || shape.radius > 0;
    gmc_inertia inertia = {.mass = mass, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    if (has_geom) inertia = gmc_inertia_of_shape_mass(&shape, mass);
    gmc_joint_spec joint = {.type = GMC_JOINT_PRISMATIC,
                            .is_driven = is_driven,
                            .X_pj = at(p),
                            .axis = axis,
                            .dof = dof};
    gmc_builder_link(stage->builder, NOWHERE, name, parent, &joint, &inertia);
    // parts of a hand (category 2) touch objects and surroundings, not each other
    if (has_geom)
        gmc_builder_geom(stage->builder, &(gmc_geom_spec){.source = NOWHERE,
                                                          .link = name,
                                                          .X_lg = gmc_pose_identity(),
                                                          .shape = shape,
                                                          .surface = "any",
                                                          .category = 2,
                                                          .mask = 1});
}

void gmc_stage_hinge(gmc_stage *stage, const char *name, const char *parent, gmc_vec3 axis,
                     gmc_vec3 p, bool is_driven)
{
    gmc_inertia inertia = {.mass = 1, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    gmc_joint_spec joint = {.type = GMC_JOINT_REVOLUTE,
                            .is_driven = is_driven,
                            .X_pj = at(p),
                            .axis = axis,
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(stage->builder, NOWHERE, name, parent, &joint, &inertia);
}

static double *numbers(gmc_stage *stage, int count)
{
    double *x = GMC_NEW(&stage->models, count, double);
    if (!x) stop(stage, "model arena too small");
    return x;
}

static void give_integrator(gmc_stage *stage)
{
    if (stage->stepper->is_integrated && !stage->ode && gmc_ode_create(&stage->ode) != GMC_OK)
        stop(stage, "no integrator");
    stage->world.ode = stage->ode;
}

void gmc_stage_ready(gmc_stage *stage, int contact_max)
{
    const size_t megabyte = 1 << 20;
    if (gmc_arena_create(&stage->models, megabyte) != GMC_OK ||
        gmc_arena_create(&stage->trial, 16 * megabyte) != GMC_OK ||
        gmc_arena_create(&stage->scratch, 8 * megabyte) != GMC_OK)
        stop(stage, "no memory");
    if (gmc_builder_finish(stage->builder, &stage->models, &stage->model) != GMC_OK)
        stop(stage, "model refused");
    gmc_builder_free(stage->builder);
    stage->builder = NULL;
    const gmc_model *model = &stage->model;
    double **arrays[] = {&stage->force, &stage->stiffness,   &stage->damping, &stage->q_ref,
                         &stage->v_ref, &stage->force_limit, &stage->v_driven};
    for (int i = 0; i < GMC_COUNT(arrays); i++)
        *arrays[i] = numbers(stage, model->dof_count);
    stage->q_driven = numbers(stage, model->q_count);
    for (int i = 0; i < model->dof_count; i++)
        stage->force_limit[i] = HUGE_VAL;
    stage->control = (gmc_control){.force = stage->force,
                                   .stiffness = stage->stiffness,
                                   .damping = stage->damping,
                                   .q_ref = stage->q_ref,
                                   .v_ref = stage->v_ref,
                                   .force_limit = stage->force_limit,
                                   .v_driven = stage->v_driven,
                                   .q_driven = stage->q_driven};
    stage->options = gmc_step_options_defaults();
    if (!stage->stepper) stage->stepper = gmc_steppers[0];
    gmc_status status = stage->stepper->create(model, contact_max, &stage->trial, &stage->world);
    if (status != GMC_OK) stop(stage, "world not created");
    give_integrator(stage);
    memcpy(stage->q_driven, stage->world.state.q, (size_t)model->q_count * sizeof(double));
}

void gmc_stage_restart(gmc_stage *stage)
{
    int contact_max = stage->world.contacts.capacity;
    gmc_arena_reset(&stage->trial, 0);
    if (stage->stepper->create(&stage->model, contact_max, &stage->trial, &stage->world) != GMC_OK)
        stop(stage, "world not created");
    give_integrator(stage);
    size_t bytes = (size_t)stage->model.q_count * sizeof(double);
    memcpy(stage->q_driven, stage->world.state.q, bytes);
}

gmc_status gmc_stage_step(gmc_stage *stage, double h)
{
    gmc_arena_reset(&stage->scratch, 0);
    gmc_status status = stage->stepper->step(&stage->world, &stage->control, &stage->options, h,
                                             &stage->scratch, &stage->last);
    stage->steps++;
    if (status != GMC_OK) {
        stage->unsolved++;
        return status;
    }
    const gmc_step_report *last = &stage->last;
    stage->iterations += last->iterations;
    stage->rungs[last->rung < GMC_STAGE_RUNGS ? last->rung : GMC_STAGE_RUNGS]++;
    stage->contacts += last->contact_count;
    if (last->residual > stage->max_residual) stage->max_residual = last->residual;
    if (last->max_penetration > stage->max_penetration)
        stage->max_penetration = last->max_penetration;
    return GMC_OK;
}

gmc_status gmc_stage_run(gmc_stage *stage, double h, double span)
{
    long count = (long)floor(span / h + 0.5);
    for (long i = 0; i < count; i++)
        GMC_TRY(gmc_stage_step(stage, h));
    return GMC_OK;
}

void gmc_stage_friction(gmc_stage *stage, double friction)
{
    for (int i = 0; i < stage->model.surface_count * stage->model.surface_count; i++)
        stage->model.laws[i].friction = friction;
}

void gmc_stage_extra(gmc_stage *stage, const gmc_surface_extra *extra)
{
    for (int i = 0; i < stage->model.surface_count * stage->model.surface_count; i++)
        stage->model.laws[i].extra = extra;
}

int gmc_stage_body(const gmc_stage *stage, const char *name)
{
    int body = gmc_model_find_body(&stage->model, name);
    if (body < 0) stop(stage, name);
    return body;
}

int gmc_stage_dof(const gmc_stage *stage, const char *name)
{
    return stage->model.bodies[gmc_stage_body(stage, name)].v;
}

gmc_vec3 gmc_stage_place(const gmc_stage *stage, const char *name)
{
    return stage->world.kin.X_wb[gmc_stage_body(stage, name)].p;
}

double gmc_stage_energy(const gmc_stage *s)
{
    double weight;
    double motion = gmc_kinematics_energy(&s->model, &s->world.kin, s->world.state.v, &weight);
    return motion + weight;
}

gmc_vec3 gmc_stage_velocity(const gmc_stage *stage, const char *name)
{
    int body = gmc_stage_body(stage, name);
    return gmc_twist_at(&stage->world.kin.V[body], stage->world.kin.com_w[body]);
}

void gmc_stage_close(gmc_stage *stage)
{
    gmc_builder_free(stage->builder);
    gmc_ode_free(stage->ode);
    gmc_arena_free(&stage->models);
    gmc_arena_free(&stage->trial);
    gmc_arena_free(&stage->scratch);
    gmc_diagnostics_free(&stage->report);
}

// ---- scenes -----------------------------------------------------------------------------------

void gmc_stage_pinch(gmc_stage *stage, double friction, bool is_sphere)
{
    gmc_shape cube = gmc_stage_box(0.025, 0.025, 0.025);
    gmc_shape ball = {.type = GMC_SHAPE_SPHERE, .radius = 0.025};
    gmc_stage_pinch_of(stage, friction, is_sphere ? ball : cube, 0.2);
}

static void pinch_hand(gmc_stage *stage, double friction)
{
    gmc_dof free = gmc_builder_default_dof(), finger = free;
    gmc_shape pad = gmc_stage_box(0.005, 0.010, 0.015), none = {.type = GMC_SHAPE_BOX};
    finger.damping = 20;
    gmc_stage_open(stage, friction);
    gmc_stage_fixed(stage, "table", gmc_stage_plane(), gmc_pose_identity());
    gmc_vec3 y = {0, 1, 0}, z = {0, 0, 1}, x = {1, 0, 0}, back = {-1, 0, 0}, origin = {0, 0, 0};
    gmc_vec3 wrist = {0, 0, 0.025}, left = {-0.040, 0, 0}, right = {0.040, 0, 0};
    gmc_stage_slider(stage, "wy", NULL, y, wrist, none, 1e-3, free, false);
    gmc_stage_slider(stage, "wz", "wy", z, origin, none, 1, free, false);
    gmc_stage_slider(stage, "fl", "wz", x, left, pad, 0.05, finger, false);
    gmc_stage_slider(stage, "fr", "wz", back, right, pad, 0.05, finger, false);
}

static void pinch_ready(gmc_stage *stage, int contact_max)
{
    gmc_stage_ready(stage, contact_max);
    const char *servos[] = {"wy", "wz"};
    for (int i = 0; i < 2; i++) {
        stage->stiffness[gmc_stage_dof(stage, servos[i])] = 20000;
        stage->damping[gmc_stage_dof(stage, servos[i])] = 320;
    }
}

void gmc_stage_pinch_of(gmc_stage *stage, double friction, gmc_shape object, double mass)
{
    pinch_hand(stage, friction);
    gmc_stage_free(stage, "obj", object, mass, (gmc_vec3){0, 0, 0.025});
    pinch_ready(stage, 64);
}

void gmc_stage_pinch_compound(gmc_stage *stage, double friction, const gmc_shape *shapes, int count,
                              double mass, gmc_pose X)
{
    pinch_hand(stage, friction);
    gmc_stage_compound(stage, "obj", shapes, count, mass, X);
    pinch_ready(stage, 256);
}

static double smooth(double s)
{
    return s <= 0 ? 0 : s >= 1 ? 1 : s * s * s * (10 + s * (-15 + 6 * s));
}

static double smooth_rate(double s)
{
    return s <= 0 || s >= 1 ? 0 : 30 * s * s * (1 - s) * (1 - s);
}

void gmc_stage_pinch_control(gmc_stage *stage, double t, double grip, bool shake)
{
    const double close = 0.3, lift = 1.0, end = 2.0, ramp = 0.15, rate = 2 * GMC_PI * 3;
    int wy = gmc_stage_dof(stage, "wy"), wz = gmc_stage_dof(stage, "wz");
    double s = (t - close) / (lift - close), u = t - lift;
    stage->q_ref[wz] = 0.1 * smooth(s);
    stage->v_ref[wz] = 0.1 * smooth_rate(s) / (lift - close);
    stage->q_ref[wy] = stage->v_ref[wy] = 0;
    if (shake && t > lift && t < end) {
        double up = smooth(u / ramp), down = smooth((end - t) / ramp);
        double slope =
            smooth_rate(u / ramp) / ramp * down - up * smooth_rate((end - t) / ramp) / ramp;
        stage->q_ref[wy] = 0.02 * up * down * gmc_sin(rate * u);
        stage->v_ref[wy] =
            0.02 * (slope * gmc_sin(rate * u) + up * down * rate * gmc_cos(rate * u));
    }
    double force = grip * smooth(t / 0.25);
    stage->force[gmc_stage_dof(stage, "fl")] = force;
    stage->force[gmc_stage_dof(stage, "fr")] = force;
}

double gmc_stage_pinch_held(gmc_stage *stage, const gmc_stepper *stepper, double span)
{
    static const double STEP = 2e-3, MOVES = 2.2, LIFTED = 0.124;
    gmc_stage_pinch(stage, 0.3, false);
    stage->stepper = stepper;
    gmc_stage_restart(stage);
    for (double t = 0; t < MOVES; t += STEP) {
        gmc_stage_pinch_control(stage, t + STEP, 10, true);
        if (gmc_stage_step(stage, STEP) != GMC_OK) return NAN;
    }
    gmc_vec3 start = gmc_stage_place(stage, "obj");
    if (!(start.z > LIFTED) || gmc_stage_run(stage, STEP, span) != GMC_OK) return NAN;
    return gmc_vec3_norm(gmc_vec3_sub(gmc_stage_place(stage, "obj"), start));
}
