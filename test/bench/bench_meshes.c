// scripts/bench meshes: random hulls, and meshes that are not convex, dropped and grasped.
//
//   bench_meshes hulls N              N random hulls
//   bench_meshes FILE.obj...          each file cut into convex pieces
//
// Everything is scaled to 60 mm. One line each: set-up, falls from four orientations, grasps at
// four; exit 1 if a trial is unsolved, or a force jumps more than threefold between steps at rest.
#include "engine/model/hull.h"
#include "engine/model/pieces.h"
#include "test/support/dropping.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 4, SHAPES_MAX = GMC_HULL_PIECES_MAX };
static const double SIZE = 0.06, JUMP_MAX = 3, FRICTION = 0.5, SPAN = 3;

static double seconds(clock_t since) { return (double)(clock() - since) / CLOCKS_PER_SEC; }

/// Scale the shapes to SIZE.
static void resize(gmc_shape *shapes, int count)
{
    gmc_mat3 R = gmc_mat3_identity();
    gmc_vec3 lo, hi;
    gmc_dropping_box(shapes, count, &R, &lo, &hi);
    gmc_vec3 d = gmc_vec3_sub(hi, lo);
    for (int i = 0; i < count; i++)
        shapes[i].scale = SIZE / fmax(d.x, fmax(d.y, d.z));
}

/// @return how many trials miss the bar
static int try_object(const char *name, gmc_shape *shapes, int count, double setup_s,
                      gmc_chance *chance)
{
    int unsolved = 0, restless = 0, jumps = 0, lifted = 0;
    long steps = 0, contacts = 0;
    double worst = 1;
    clock_t start = clock();
    resize(shapes, count);
    for (int k = 0; k < 2 * TURNS; k++) {
        gmc_pose X = gmc_pose_make(gmc_dropping_turn(chance), (gmc_vec3){0, 0, 0.1});
        gmc_dropping found = k < TURNS ? gmc_dropping_fall(shapes, count, X, FRICTION, SPAN)
                                       : gmc_dropping_grasp(shapes, count, &X.R, FRICTION);
        unsolved += found.status != GMC_OK;
        restless += k < TURNS && found.speed > GMC_DROPPING_REST;
        jumps += found.jump > JUMP_MAX;
        lifted += k >= TURNS && found.height > 0.08;
        worst = fmax(worst, found.jump);
        steps += found.steps;
        contacts += found.contacts;
    }
    printf("%s,%d,%.2f,%d,%d,%d,%d,%.3g,%.2f,%.2f,%s\n", name, count, setup_s, 2 * TURNS, unsolved,
           restless, lifted, worst, 1e6 * seconds(start) / (double)steps,
           (double)contacts / (double)steps, unsolved + jumps == 0 ? "ok" : "FAIL");
    fflush(stdout);
    return unsolved + jumps;
}

static int try_hulls(int number)
{
    int wrong = 0;
    for (int n = 0; n < number; n++) {
        gmc_chance chance = {(uint64_t)n + 1};
        gmc_vec3 points[60],
            half = {gmc_chance_uniform(&chance, 0.3, 1), gmc_chance_uniform(&chance, 0.3, 1), 1};
        int count = gmc_chance_integer(&chance, 5, 60);
        for (int i = 0; i < count; i++) {
            gmc_vec3 d = gmc_chance_direction(&chance);
            points[i] = (gmc_vec3){half.x * d.x, half.y * d.y, half.z * d.z};
        }
        gmc_diagnostics report = {0};
        gmc_polytope *hull = NULL;
        char name[32];
        snprintf(name, sizeof name, "hull %d", n);
        clock_t start = clock();
        if (gmc_hull_create(points, count, name, (gmc_source){0}, &report, &hull) != GMC_OK) {
            gmc_diagnostics_print(&report, stderr);
            return 1;
        }
        gmc_shape shape = {.type = GMC_SHAPE_POLYTOPE, .polytope = hull, .scale = 1};
        wrong += try_object(name, &shape, 1, seconds(start), &chance);
        gmc_hull_free(hull);
    }
    return wrong;
}

static int try_file(const char *file)
{
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    gmc_mesh_options reading = gmc_mesh_defaults();
    gmc_pieces_options cutting = gmc_pieces_defaults();
    clock_t start = clock();
    gmc_status status = gmc_mesh_read(file, NULL, (gmc_source){0}, &reading, &report, &mesh);
    if (status == GMC_OK) {
        status = gmc_pieces_of_mesh(&mesh, &cutting, (gmc_source){0}, &report, &pieces);
        gmc_mesh_free(&mesh);
    }
    gmc_diagnostics_print(&report, stderr);
    gmc_diagnostics_free(&report);
    if (status != GMC_OK) return 1;
    gmc_shape shapes[SHAPES_MAX];
    for (int i = 0; i < pieces.count; i++)
        shapes[i] =
            (gmc_shape){.type = GMC_SHAPE_POLYTOPE, .polytope = pieces.pieces[i], .scale = 1};
    gmc_chance chance = {7};
    int wrong = try_object(file, shapes, pieces.count, seconds(start), &chance);
    gmc_hull_pieces_free(&pieces);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_meshes head | hulls N | FILE.obj...\n");
        return 64;
    }
    if (strcmp(argv[1], "head") == 0) {
        puts(
            "object,pieces,setup_s,trials,unsolved,restless,lifted,worst_jump,us_per_step,contacts,"
            "verdict");
        return 0;
    }
    int wrong = 0;
    if (argc == 3 && strcmp(argv[1], "hulls") == 0)
        wrong = try_hulls((int)strtol(argv[2], NULL, 10));
    else
        for (int i = 1; i < argc; i++)
            wrong += try_file(argv[i]);
    return wrong == 0 ? 0 : 1;
}
