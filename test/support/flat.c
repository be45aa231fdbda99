#include "test/support/flat.h"

#include "engine/math/elementary.h"
#include "engine/model/inertia.h"

#include <stdio.h>
#include <stdlib.h>

static const gmc_source NOWHERE = {0};
static const double THICKNESS = 0.02;

const gmc_vec2 GMC_PUSHED_BLOCK[3] = {{-0.05, -0.05}, {0.1, -0.05}, {-0.05, 0.1}};

static gmc_pose pose_of(gmc_vec3 place)
{
    return gmc_pose_make(gmc_quat_exp((gmc_vec3){0, 0, place.z}), (gmc_vec3){place.x, place.y, 0});
}

void gmc_flat_open(gmc_flat *flat, double friction, gmc_vec3 gravity)
{
    if (gmc_arena_create(&flat->shapes, 1 << 20) != GMC_OK) abort();
    gmc_stage_open(&flat->stage, friction);
    gmc_builder_gravity(flat->stage.builder, gravity);
}

void gmc_flat_close(gmc_flat *flat)
{
    gmc_stage_close(&flat->stage);
    gmc_arena_free(&flat->shapes);
}

gmc_polygon_pieces gmc_flat_polygon(gmc_flat *flat, const gmc_vec2 *vertices, int count)
{
    gmc_polygon_pieces pieces;
    if (gmc_polygon_split(vertices, count, &flat->shapes, &pieces) != GMC_OK) abort();
    return pieces;
}

gmc_polygon_pieces gmc_flat_rectangle(gmc_flat *flat, double half_x, double half_y)
{
    const gmc_vec2 p[] = {
        {-half_x, -half_y}, {half_x, -half_y}, {half_x, half_y}, {-half_x, half_y}};
    return gmc_flat_polygon(flat, p, 4);
}

gmc_shape gmc_flat_circle(double radius)
{
    return (gmc_shape){.type = GMC_SHAPE_CIRCLE, .radius = radius, .half_length = THICKNESS / 2};
}

static void add_body(gmc_flat *flat, const char *name, const gmc_inertia *inertia, gmc_vec3 start)
{
    gmc_joint_spec joint = {
        .type = GMC_JOINT_PLANAR, .X_pj = pose_of(start), .dof = gmc_builder_default_dof()};
    gmc_builder_link(flat->stage.builder, NOWHERE, name, NULL, &joint, inertia);
}

void gmc_flat_body(gmc_flat *flat, const char *name, const gmc_polygon_pieces *pieces, double mass,
                   gmc_vec3 start)
{
    gmc_inertia inertia = {0};
    for (int i = 0; i < pieces->count; i++) {
        gmc_shape shape = gmc_polygon_shape(&pieces->pieces[i], THICKNESS);
        gmc_inertia part = gmc_inertia_of_shape(&shape, 1000);
        inertia = gmc_inertia_combine(&inertia, &part);
    }
    inertia = gmc_inertia_with_mass(&inertia, mass);
    add_body(flat, name, &inertia, start);
    for (int i = 0; i < pieces->count; i++)
        gmc_builder_geom(flat->stage.builder,
                         &(gmc_geom_spec){.source = NOWHERE,
                                          .link = name,
                                          .X_lg = gmc_pose_identity(),
                                          .shape = gmc_polygon_shape(&pieces->pieces[i], THICKNESS),
                                          .surface = "any",
                                          .category = 1,
                                          .mask = 3});
}

void gmc_flat_round(gmc_flat *flat, const char *name, gmc_shape shape, double mass, gmc_vec3 start)
{
    gmc_inertia inertia = gmc_inertia_of_shape_mass(&shape, mass);
    add_body(flat, name, &inertia, start);
    gmc_builder_geom(flat->stage.builder, &(gmc_geom_spec){.source = NOWHERE,
                                                           .link = name,
                                                           .X_lg = gmc_pose_identity(),
                                                           .shape = shape,
                                                           .surface = "any",
                                                           .category = 1,
                                                           .mask = 3});
}

void gmc_flat_fixed(gmc_flat *flat, const char *name, const gmc_polygon_pieces *pieces,
                    gmc_vec3 place)
{
    for (int i = 0; i < pieces->count; i++)
        gmc_builder_geom(flat->stage.builder,
                         &(gmc_geom_spec){.source = NOWHERE,
                                          .name = name,
                                          .X_lg = pose_of(place),
                                          .shape = gmc_polygon_shape(&pieces->pieces[i], THICKNESS),
                                          .surface = "any",
                                          .category = 1,
                                          .mask = 3});
}

void gmc_flat_slider(gmc_flat *flat, const char *name, const char *parent, gmc_vec2 along,
                     gmc_vec3 start, const gmc_shape *shape, bool is_driven)
{
    gmc_inertia inertia = {.mass = 1, .I = gmc_mat3_diagonal(1e-3, 1e-3, 1e-3)};
    gmc_joint_spec joint = {.type = GMC_JOINT_PRISMATIC,
                            .is_driven = is_driven,
                            .X_pj = pose_of(start),
                            .axis = {along.x, along.y, 0},
                            .dof = gmc_builder_default_dof()};
    gmc_builder_link(flat->stage.builder, NOWHERE, name, parent, &joint, &inertia);
    if (shape)
        gmc_builder_geom(flat->stage.builder, &(gmc_geom_spec){.source = NOWHERE,
                                                               .link = name,
                                                               .X_lg = gmc_pose_identity(),
                                                               .shape = *shape,
                                                               .surface = "any",
                                                               .category = 2,
                                                               .mask = 1});
}

void gmc_flat_support(gmc_flat *flat, const char *name, const gmc_support_point *points, int count)
{
    gmc_support_spec spec = gmc_builder_default_support();
    spec.points = points;
    spec.point_count = count;
    gmc_builder_support(flat->stage.builder, NOWHERE, name, &spec);
}

gmc_vec3 gmc_flat_place(const gmc_flat *flat, const char *name)
{
    const gmc_pose *X = &flat->stage.world.kin.X_wb[gmc_stage_body(&flat->stage, name)];
    return (gmc_vec3){X->p.x, X->p.y, gmc_atan2(X->R.m[3], X->R.m[0])};
}

void gmc_flat_pusher(gmc_flat *flat, gmc_vec2 from, double radius)
{
    gmc_shape tip = gmc_flat_circle(radius);
    gmc_flat_slider(flat, "push_x", NULL, (gmc_vec2){1, 0}, (gmc_vec3){from.x, from.y, 0}, NULL,
                    true);
    gmc_flat_slider(flat, "pusher", "push_x", (gmc_vec2){0, 1}, (gmc_vec3){0, 0, 0}, &tip, true);
}

/// One step, halved where no solution is found.
static gmc_status step_pusher(gmc_stage *stage, const int bodies[2], gmc_vec2 way, double h,
                              int halvings)
{
    const gmc_body *all = stage->model.bodies;
    const double along[2] = {way.x, way.y};
    for (int i = 0; i < 2; i++) {
        const gmc_body *body = &all[bodies[i]];
        stage->v_driven[body->v] = along[i] / h;
        stage->q_driven[body->q] = stage->world.state.q[body->q] + along[i];
    }
    gmc_status status = gmc_stage_step(stage, h);
    if (status != GMC_E_NO_SOLUTION || halvings == 0) return status;
    stage->unsolved--;
    for (int i = 0; i < 2 && (i == 0 || status == GMC_OK); i++)
        status = step_pusher(stage, bodies, gmc_vec2_scale(0.5, way), h / 2, halvings - 1);
    return status;
}

gmc_status gmc_flat_push(gmc_flat *flat, gmc_vec2 way, double span, double h)
{
    const int bodies[2] = {gmc_stage_body(&flat->stage, "push_x"),
                           gmc_stage_body(&flat->stage, "pusher")};
    long count = (long)(span / h + 0.5);
    gmc_status status = GMC_OK;
    for (long i = 0; i < count && status == GMC_OK; i++)
        status = step_pusher(&flat->stage, bodies, gmc_vec2_scale(1.0 / (double)count, way),
                             span / (double)count, 3);
    return status;
}
