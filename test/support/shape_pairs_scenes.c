// The three kinds of trials: drops, pinches, and the cube that is lifted.
#include "engine/base/check.h"
#include "engine/collision/shape.h"
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "test/support/shape_pairs_internal.h"

#include <string.h>

static const double G = 9.81;
static const gmc_vec3 STILL = {0, 0, 0};

static gmc_vec3 random_vector(gmc_chance *chance, double size)
{
    return (gmc_vec3){gmc_chance_uniform(chance, -size, size),
                      gmc_chance_uniform(chance, -size, size),
                      gmc_chance_uniform(chance, -size, size)};
}

static gmc_quat turned_about(double x, double y, double z, double angle)
{
    return gmc_quat_exp((gmc_vec3){x * angle, y * angle, z * angle});
}

/// Any rotation, or one of the natural ones of a body on a table: lying, standing, any heading.
static gmc_quat resting_turn(gmc_chance *chance, double share_of_any)
{
    if (gmc_chance_uniform(chance, 0, 1) < share_of_any) return gmc_shape_pairs_rotation(chance);
    gmc_quat heading = turned_about(0, 0, 1, gmc_chance_uniform(chance, -GMC_PI, GMC_PI));
    int side = gmc_chance_integer(chance, 0, 2);
    gmc_quat down = side == 0   ? gmc_quat_identity()
                    : side == 1 ? turned_about(1, 0, 0, GMC_PI / 2)
                                : turned_about(0, 1, 0, GMC_PI / 2);
    return gmc_quat_multiply(heading, down);
}

static double half_height(const gmc_shape *shape, gmc_quat turn)
{
    gmc_solid solid = {.shape = shape, .X = gmc_pose_make(turn, STILL)};
    if (shape->type != GMC_SHAPE_POLYTOPE)
        return gmc_shape_support(&solid, (gmc_vec3){0, 0, 1}, NULL).z;
    double high = 0; // of either side
    for (int v = 0; v < shape->polytope->vertex_count; v++)
        high = fmax(high, fabs(gmc_shape_vertex(&solid, v).z));
    return high;
}

/// What the drop falls on besides the plane; returns the height of its highest point.
static double add_support(gmc_stage *stage, int support, const gmc_shape *shape, gmc_quat turn,
                          gmc_chance *chance)
{
    if (support == GMC_SHAPE_PLANE) return 0;
    double half = half_height(shape, turn);
    if (support == GMC_PAIRS_FREE_BOX) {
        gmc_shape_pairs_add(stage, "support", shape, gmc_chance_log_uniform(chance, 300, 3000));
        return 2 * half;
    }
    double z = half * gmc_chance_uniform(chance, 0, 1); // it may stick in the plane
    gmc_stage_fixed(stage, "support", *shape, gmc_pose_make(turn, (gmc_vec3){0, 0, z}));
    return z + half;
}

gmc_shape_pairs_outcome gmc_shape_pairs_drop(gmc_shape_type object, int support, int index,
                                             const gmc_shape_pairs_hulls *hulls,
                                             gmc_shape_pairs_trace *trace)
{
    gmc_chance chance = gmc_shape_pairs_chance('d', (int)object, support, index);
    gmc_shape_pairs_run run = {.trace = trace, .gone_below = -0.01, .gone_beyond = HUGE_VAL};
    gmc_stage *stage = &run.stage;
    run.h = gmc_shape_pairs_step_length(&chance);
    gmc_shape solid =
        gmc_shape_pairs_shape(&chance, object, gmc_chance_log_uniform(&chance, 0.015, 0.04), hulls);
    gmc_shape below = {.type = GMC_SHAPE_PLANE};
    bool is_free = support == GMC_PAIRS_FREE_BOX;
    if (support != GMC_SHAPE_PLANE)
        below = gmc_shape_pairs_shape(&chance, is_free ? GMC_SHAPE_BOX : (gmc_shape_type)support,
                                      gmc_chance_log_uniform(&chance, 0.02, 0.05), hulls);
    gmc_quat below_turn = resting_turn(&chance, is_free ? 0 : 0.4);
    gmc_quat turn = resting_turn(&chance, 0.7);

    gmc_stage_open(stage, gmc_chance_uniform(&chance, 0.1, 1));
    gmc_stage_fixed(stage, "plane", gmc_stage_plane(), gmc_pose_identity());
    double top = add_support(stage, support, &below, below_turn, &chance);
    gmc_shape_pairs_add(stage, "object", &solid, gmc_chance_log_uniform(&chance, 300, 3000));
    gmc_stage_ready(stage, 64);
    if (is_free)
        gmc_shape_pairs_place(stage, "support", below_turn,
                              (gmc_vec3){0, 0, half_height(&below, below_turn)}, STILL, STILL);
    double aside = support == GMC_SHAPE_PLANE ? 0 : 0.4 * gmc_shape_radius(&below);
    gmc_vec3 p = random_vector(&chance, aside);
    p.z = top + half_height(&solid, turn) + gmc_chance_uniform(&chance, 1e-4, 0.01);
    gmc_vec3 velocity = random_vector(&chance, 0.2);
    gmc_shape_pairs_place(stage, "object", turn, p, velocity, random_vector(&chance, 3));
    gmc_shape_pairs_begin(&run);
    gmc_shape_pairs_judge(&run);
    gmc_shape_pairs_close(&run);
    return run.outcome;
}

// ---- pinches ----------------------------------------------------------------------------------

/// A turn that lays a flat side of the shape towards +y or -y, if it has one.
static gmc_quat flat_turn(gmc_chance *chance, const gmc_shape *shape)
{
    gmc_vec3 normal = {0, 1, 0};
    if (shape->type == GMC_SHAPE_POLYTOPE) {
        int face = gmc_chance_integer(chance, 0, shape->polytope->face_count - 1);
        normal = shape->polytope->face_normals[face];
    } else {
        int axis = gmc_chance_integer(chance, 0, 2);
        normal = (gmc_vec3){axis == 0, axis == 1, axis == 2};
    }
    gmc_vec3 y = {0, 1, 0}, axis = gmc_vec3_cross(normal, y);
    double s = gmc_vec3_norm(axis), angle = gmc_atan2(s, normal.y);
    gmc_quat lay = s > 0 ? gmc_quat_exp(gmc_vec3_scale(angle / s, axis))
                         : turned_about(1, 0, 0, normal.y > 0 ? 0 : GMC_PI);
    return gmc_quat_multiply(turned_about(0, 1, 0, gmc_chance_uniform(chance, -GMC_PI, GMC_PI)),
                             lay);
}

static void add_finger(gmc_stage *stage, const char *name, double side, const gmc_shape *shape,
                       gmc_quat turn, double distance)
{
    gmc_inertia inertia = gmc_inertia_of_shape_mass(shape, 0.05);
    gmc_pose X = gmc_pose_make(turn, (gmc_vec3){0, -side * distance, 0});
    gmc_joint_spec joint = {.type = GMC_JOINT_PRISMATIC,
                            .X_pj = X,
                            .axis = gmc_mat3_apply_transposed(&X.R, (gmc_vec3){0, side, 0}),
                            .dof = gmc_builder_default_dof()};
    joint.dof.damping = 20;
    gmc_builder_link(stage->builder, (gmc_source){0}, name, NULL, &joint, &inertia);
    gmc_builder_geom(stage->builder, &(gmc_geom_spec){.link = name,
                                                      .X_lg = gmc_pose_identity(),
                                                      .shape = *shape,
                                                      .surface = "any",
                                                      .category = 2,
                                                      .mask = 1});
}

/// Close in 0.3 s, hold, and let gravity set in.
static void close_fingers(gmc_shape_pairs_run *run, double force, double hold_stiffness)
{
    gmc_stage *stage = &run->stage;
    int left = gmc_stage_dof(stage, "left"), right = gmc_stage_dof(stage, "right");
    const double ramp = 0.1, closing = 0.3, weight_from = 0.7, weight_to = 0.9;
    for (double t = 0; t < weight_to; t += run->h) {
        stage->force[left] = stage->force[right] = force * fmin(1, t / ramp);
        // one finger may stay where it is, the other keeps its force
        if (hold_stiffness > 0 && t >= closing && !(stage->stiffness[left] > 0)) {
            const gmc_body *body = &stage->model.bodies[gmc_stage_body(stage, "left")];
            stage->stiffness[left] = hold_stiffness;
            stage->damping[left] = 300;
            stage->q_ref[left] = stage->world.state.q[body->q];
        }
        double share = (t - weight_from) / (weight_to - weight_from);
        stage->model.gravity.z = -G * fmin(1, fmax(0, share));
        if (!gmc_shape_pairs_advance(run, run->h)) return;
    }
    stage->model.gravity.z = -G;
}

gmc_shape_pairs_outcome gmc_shape_pairs_pinch(gmc_shape_type object, gmc_shape_type finger,
                                              int index, const gmc_shape_pairs_hulls *hulls,
                                              gmc_shape_pairs_trace *trace)
{
    gmc_chance chance = gmc_shape_pairs_chance('p', (int)object, (int)finger, index);
    gmc_shape_pairs_run run = {
        .trace = trace, .is_pinch = true, .gone_below = -0.3, .gone_beyond = 0.5};
    gmc_stage *stage = &run.stage;
    run.h = gmc_shape_pairs_step_length(&chance);
    double size = gmc_chance_log_uniform(&chance, 0.015, 0.03);
    gmc_shape solid = gmc_shape_pairs_shape(&chance, object, size, hulls);
    gmc_shape pad =
        gmc_shape_pairs_shape(&chance, finger, gmc_chance_log_uniform(&chance, 0.008, 0.02), hulls);
    gmc_quat turn = gmc_chance_integer(&chance, 0, 3) > 0 ? flat_turn(&chance, &solid)
                                                          : gmc_shape_pairs_rotation(&chance);
    gmc_quat pad_turn = gmc_chance_integer(&chance, 0, 3) > 0 ? flat_turn(&chance, &pad)
                                                              : gmc_shape_pairs_rotation(&chance);
    // the other finger is the mirror image by half a turn about z
    gmc_quat pad_other = gmc_quat_multiply(turned_about(0, 0, 1, GMC_PI), pad_turn);

    gmc_stage_open(stage, gmc_chance_uniform(&chance, 0.1, 1));
    double apart = gmc_shape_radius(&solid) + gmc_vec3_norm(gmc_shape_centre(&solid)) +
                   gmc_shape_radius(&pad) + gmc_vec3_norm(gmc_shape_centre(&pad)) + 0.1 * size +
                   1e-4;
    add_finger(stage, "left", 1, &pad, pad_turn, apart);
    add_finger(stage, "right", -1, &pad, pad_other, apart);
    gmc_shape_pairs_add(stage, "object", &solid, gmc_chance_log_uniform(&chance, 300, 3000));
    gmc_stage_ready(stage, 64);
    gmc_vec3 centre = gmc_quat_rotate(turn, gmc_shape_centre(&solid));
    gmc_vec3 p = gmc_vec3_sub(random_vector(&chance, 0.1 * size), centre);
    gmc_shape_pairs_place(stage, "object", turn, p, STILL, STILL);
    stage->model.gravity = STILL;
    gmc_shape_pairs_begin(&run);
    // from what hardly holds to what a hand does to a light thing; beyond it, what is lost shoots
    // away faster than a step can follow
    double mass = stage->model.bodies[gmc_stage_body(stage, "object")].inertia.mass;
    double force = mass * G * gmc_chance_log_uniform(&chance, 2, 100);
    double hold = gmc_chance_integer(&chance, 0, 1) ? 1e5 : 0;
    close_fingers(&run, force, hold);
    if (run.outcome.end == GMC_PAIRS_REST) gmc_shape_pairs_judge(&run); // else it has ended
    gmc_shape_pairs_close(&run);
    return run.outcome;
}

// ---- the cube, as a box and as a mesh ---------------------------------------------------------

gmc_shape_pairs_lift gmc_shape_pairs_cube(int index, const gmc_polytope *cube)
{
    const double half = 0.025, h = 2e-3;
    gmc_chance chance = gmc_shape_pairs_chance('c', 0, 0, index);
    gmc_stage stage;
    gmc_shape shape = gmc_stage_box(half, half, half);
    if (cube) shape = (gmc_shape){.type = GMC_SHAPE_POLYTOPE, .polytope = cube, .scale = half};
    double friction = gmc_chance_uniform(&chance, 0.08, 0.3);
    double mass = gmc_chance_uniform(&chance, 0.1, 0.3);
    double grip = gmc_chance_uniform(&chance, 7, 13);
    double yaw = gmc_chance_uniform(&chance, -0.26, 0.26);
    gmc_vec3 p = {gmc_chance_uniform(&chance, -2e-3, 2e-3),
                  gmc_chance_uniform(&chance, -8e-3, 8e-3), half};
    gmc_stage_pinch_of(&stage, friction, shape, mass);
    gmc_shape_pairs_place(&stage, "obj", turned_about(0, 0, 1, yaw), p, STILL, STILL);

    gmc_shape_pairs_lift result = {0};
    gmc_pose start = gmc_pose_identity();
    int hand = gmc_stage_body(&stage, "wz"), object = gmc_stage_body(&stage, "obj");
    for (double t = 0; t < 3 && result.status == GMC_OK; t += h) {
        gmc_stage_pinch_control(&stage, t + h, grip, true);
        result.status = gmc_stage_step(&stage, h);
        const gmc_pose *X = stage.world.kin.X_wb;
        gmc_pose in_hand = gmc_pose_relative(&X[hand], &X[object]);
        if (t < 0.3) start = in_hand;
        result.slip = fmax(result.slip, gmc_vec3_norm(gmc_vec3_sub(in_hand.p, start.p)));
    }
    result.lift = gmc_stage_place(&stage, "obj").z - half;
    result.is_success = result.lift >= 0.08 && result.slip <= 0.01;
    gmc_stage_close(&stage);
    return result;
}
