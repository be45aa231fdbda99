// Time of one collision query, pair by pair, with caches warm: the pose moves by 1e-9 m from call
// to call, as that of a held object does.
//
//   bench_collide [NAME]     table (of scenes whose name begins so): scene, contact points, ns per
//                            gmc_collider_find (the quickest of 600 runs of 500 calls)

#define _POSIX_C_SOURCE 200809L

#include "test/support/places.h"
#include "test/support/solids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POSES = 64, CALLS = 500, RUNS = 600 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/// Only scenes whose name begins with this are timed; NULL: all.
static const char *only;

/// Time the scene in which `moving` (a geom) jitters, all others stay.
static void time_scene(const char *name, support_geoms *g, int moving, gmc_arena *arena)
{
    if (only && strncmp(name, only, strlen(only)) != 0) return;
    gmc_collider *collider;
    gmc_contact_point points[64];
    support_random random = {3};
    gmc_pose poses[POSES], *X = &g->X_wb[g->geoms[moving].body], start = *X;
    for (int k = 0; k < POSES; k++) {
        gmc_quat turn = gmc_quat_exp(gmc_vec3_scale(1e-8, support_direction(&random)));
        gmc_mat3 R = gmc_quat_matrix(turn);
        poses[k].R = gmc_mat3_multiply(&R, &start.R);
        poses[k].p = gmc_vec3_add_scaled(start.p, 1e-9, support_direction(&random));
    }
    gmc_arena_reset(arena, 0);
    if (gmc_collider_create(&g->model, arena, &collider) != GMC_OK) abort();
    double best = 1e300;
    int count = 0;
    for (int run = 0; run < RUNS; run++) {
        double start_ns = now_ns();
        for (int k = 0; k < CALLS; k++) {
            *X = poses[k % POSES];
            if (gmc_collider_find(
                    collider,
                    &(gmc_collider_scene){
                        .model = &g->model, .X_wb = g->X_wb, .V = g->V, .h = 2e-3, .reach = 1e-3},
                    points, GMC_COUNT(points), &count) != GMC_OK)
                abort();
        }
        double ns = (now_ns() - start_ns) / CALLS;
        if (ns < best) best = ns;
    }
    gmc_collider_counts counts = gmc_collider_counted(collider);
    printf("%-46s %2d points  %7.0f ns  %5.1f supports\n", name, count, best,
           (double)counts.support_calls / (double)(RUNS * CALLS));
}

static support_geoms *scene;
static gmc_arena arena;

static void pair(const char *name, gmc_shape a, gmc_pose X_a, gmc_shape b, gmc_pose X_b)
{
    support_geoms_clear(scene);
    support_geoms_add(scene, a, X_a);
    support_geoms_add(scene, b, X_b);
    time_scene(name, scene, 1, &arena);
}

/// The same with b above a, one micrometre deep.
static void touch(const char *name, gmc_shape a, gmc_shape b)
{
    gmc_pose X_a = turned(0, 0, 0, (gmc_vec3){0.3, 0.2, 0.1}),
             X_b = turned(0, 0, 0.1, (gmc_vec3){0.5, 1.1, 0.2});
    gmc_vec3 n = {0, 0, 1};
    // along the normal that the last try had
    for (int k = 0; k < 30; k++) {
        gmc_collider *collider;
        gmc_contact_point points[8];
        int count = 0;
        gmc_arena_reset(&arena, 0);
        support_geoms_clear(scene);
        support_geoms_add(scene, a, X_a);
        support_geoms_add(scene, b, X_b);
        if (gmc_collider_create(&scene->model, &arena, &collider) != GMC_OK) abort();
        if (gmc_collider_find(
                collider,
                &(gmc_collider_scene){.model = &scene->model, .X_wb = scene->X_wb, .reach = 1},
                points, GMC_COUNT(points), &count) != GMC_OK)
            abort();
        double gap = 1;
        for (int i = 0; i < count; i++) {
            if (points[i].gap >= gap) continue;
            gap = points[i].gap;
            n = points[i].n;
        }
        X_b.p = gmc_vec3_add_scaled(X_b.p, -gap - 1e-6, n);
    }
    pair(name, a, X_a, b, X_b);
}

static void time_boxes(void)
{
    gmc_shape pad = support_box(0.01, 0.005, 0.015), cube = support_box(0.025, 0.025, 0.025);
    pair("pad on cube, face to face", pad, at(0, -0.029998, 0), cube, at(0, 0, 0));
    pair("pad on cube, turned 0.3 rad about the normal", support_box(0.03, 0.005, 0.03),
         at(0, -0.029998, 0), cube, turned(0, 0, 0, (gmc_vec3){0, 0.3, 0}));
    pair("cube on cube, edge on edge", cube, turned(0, 0, 0, (gmc_vec3){0.7854, 0, 0}), cube,
         turned(0, 0, 0.0707, (gmc_vec3){0, 0.7854, 0}));
    pair("cube near pad, apart", pad, at(0, -0.0325, 0), cube, at(0, 0, 0));
    pair("cube on plane", support_plane(), at(0, 0, 0), cube, at(0, 0, 0.024998));
}

static void time_round(void)
{
    gmc_shape pad = support_box(0.03, 0.005, 0.03), can = support_cylinder(0.02, 0.03);
    gmc_vec3 side = {GMC_PI / 2, 0, 0};
    pair("pad on sphere", pad, at(0, -0.03, 0), support_sphere(0.025), at(0, -1e-6, 0));
    pair("pad on cylinder side", pad, at(0, -0.025, 0), can, at(0, -1e-6, 0));
    pair("pad on cylinder cap", pad, at(0, -0.035, 0), can, turned(0, -1e-6, 0, side));
    pair("pad on capsule side", pad, at(0, -0.025, 0), support_capsule(0.02, 0.03),
         at(0, -1e-6, 0));
    pair("cylinder standing on plane", support_plane(), at(0, 0, 0), can, at(0, 0, 0.029999));
    pair("cylinder across cylinder", can, at(0, -0.04, 0), can,
         turned(0, -1e-6, 0, (gmc_vec3){0, 1, 0}));
    pair("pad edge on cylinder rim", pad, turned(0, -0.05, 0, (gmc_vec3){0.5, 0.3, 0.2}), can,
         turned(0, -0.0115, 0.0, (gmc_vec3){0.7, 0.1, 0.3}));
}

static void time_hulls(const support_hulls *hulls)
{
    gmc_shape pad = support_box(0.03, 0.005, 0.03), hull = support_polytope(hulls->cloud, 0.025);
    gmc_shape cube = support_polytope(hulls->cube, 0.025),
              can = support_polytope(hulls->can, 0.025);
    pair("pad on cube hull", pad, at(0, -0.029998, 0), cube, at(0, 0, 0));
    pair("cube hull on cube hull", cube, at(0, -0.05, 0), cube, at(0, -1e-6, 0));
    pair("pad on 48-gon cap", pad, at(0, -0.03, 0), can,
         turned(0, -1e-6, 0, (gmc_vec3){GMC_PI / 2, 0, 0}));
    touch("pad on hull of 100", pad, hull);
    touch("hull of 100 on hull of 100", hull, hull);
    pair("hull of 100 on plane", support_plane(), at(0, 0, 0), hull, at(0, 0, 0.0245));
    pair("sphere on hull of 100", support_sphere(0.01), at(0, -0.034, 0), hull, at(0, 0, 0));
}

static void time_gripper(const char *name, gmc_shape object, double half)
{
    support_geoms_clear(scene);
    support_geoms_add(scene, support_plane(), at(0, 0, 0));
    support_geoms_add(scene, support_box(0.01, 0.005, 0.015), at(0, -half - 0.005 + 1e-6, 0.025));
    support_geoms_add(scene, support_box(0.01, 0.005, 0.015), at(0, half + 0.005 - 1e-6, 0.025));
    support_geoms_add(scene, object, at(0, 0, 0.025));
    time_scene(name, scene, 3, &arena);
}

int main(int argc, char **argv)
{
    support_hulls hulls;
    only = argc > 1 ? argv[1] : NULL;
    scene = malloc(sizeof *scene);
    if (!scene || !support_hulls_create(&hulls) || gmc_arena_create(&arena, 1 << 22) != GMC_OK)
        return 70;
    time_boxes();
    time_round();
    time_hulls(&hulls);
    time_gripper("gripper, cube, table: whole query", support_box(0.025, 0.025, 0.025), 0.025);
    time_gripper("gripper, sphere, table: whole query", support_sphere(0.025), 0.025);
    time_gripper("gripper, cylinder, table: whole query", support_cylinder(0.025, 0.025), 0.025);
    support_hulls_free(&hulls);
    gmc_arena_free(&arena);
    free(scene);
    return 0;
}
