#include "test/support/shape_pairs.h"

#include "engine/math/elementary.h"
#include "engine/model/hull.h"
#include "test/support/shape_pairs_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, gmc_diagnostics *report)
{
    fprintf(stderr, "shapes of the pairs study: %s\n", what);
    gmc_diagnostics_print(report, stderr);
    abort();
}

static gmc_polytope *hull_of_points(const gmc_vec3 *points, int count)
{
    gmc_diagnostics report = {0};
    gmc_polytope *hull = NULL;
    if (gmc_hull_create(points, count, "random points", (gmc_source){0}, &report, &hull) != GMC_OK)
        stop("random points", &report);
    gmc_diagnostics_free(&report);
    return hull;
}

/// The vertices of a mesh about their middle, times a factor that makes the largest distance 1
/// unless it is `as_is`; then its hull.
static gmc_polytope *hull_of_mesh(const gmc_mesh *mesh, bool as_is)
{
    gmc_vec3 *points = malloc((size_t)mesh->vertex_count * sizeof *points);
    double far = 0;
    if (!points) abort();
    for (int i = 0; i < mesh->vertex_count; i++)
        far = fmax(far, gmc_vec3_norm(mesh->vertices[i]));
    for (int i = 0; i < mesh->vertex_count; i++)
        points[i] = gmc_vec3_scale(as_is ? 1 : 1 / far, mesh->vertices[i]);
    gmc_polytope *hull = hull_of_points(points, mesh->vertex_count);
    free(points);
    return hull;
}

gmc_polytope *gmc_shape_pairs_hull_of_obj(const char *text)
{
    gmc_diagnostics report = {0};
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_mesh mesh;
    if (gmc_mesh_parse("text.obj", (const unsigned char *)text, strlen(text), &options, &report,
                       &mesh) != GMC_OK)
        stop("text of an OBJ file", &report);
    gmc_polytope *hull = hull_of_mesh(&mesh, true);
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);
    return hull;
}

static gmc_polytope *hull_of_file(const char *file)
{
    gmc_diagnostics report = {0};
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_mesh mesh;
    if (gmc_mesh_read(file, NULL, (gmc_source){0}, &options, &report, &mesh) != GMC_OK)
        stop(file, &report);
    gmc_polytope *hull = hull_of_mesh(&mesh, false);
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);
    return hull;
}

void gmc_shape_pairs_hulls_create(gmc_shape_pairs_hulls *hulls)
{
    static const char *const FILES[] = {"scenarios/models/doorstop.obj",
                                        "scenarios/models/pebble.obj",
                                        "scenarios/models/tumbler.obj"};
    static const struct {
        int points;
        gmc_vec3 size;
    } CLOUDS[] = {{4, {1, 1, 1}},      {5, {1, 1, 1}},      {6, {1, 0.6, 1}},
                  {8, {1, 1, 1}},      {12, {1, 0.8, 1}},   {20, {1, 1, 1}},
                  {50, {1, 1, 0.7}},   {120, {1, 1, 1}},    {8, {1, 0.25, 0.25}},
                  {30, {1, 0.2, 0.2}}, {10, {1, 0.8, 0.2}}, {40, {1, 1, 0.2}}};
    gmc_vec3 points[128];
    hulls->count = 0;
    for (int i = 0; i < 8; i++)
        points[i] = gmc_vec3_make(i & 1 ? 0.6 : -0.6, i & 2 ? 0.6 : -0.6, i & 4 ? 0.6 : -0.6);
    hulls->hulls[hulls->count++] = hull_of_points(points, 8);
    for (int i = 0; i < 2 * 24; i++) { // a can with 24 sides: almost round
        double angle = 2 * GMC_PI * (i / 2) / 24;
        points[i] = gmc_vec3_make(0.7 * gmc_cos(angle), 0.7 * gmc_sin(angle), i & 1 ? 0.7 : -0.7);
    }
    hulls->hulls[hulls->count++] = hull_of_points(points, 2 * 24);
    for (int i = 0; i < GMC_COUNT(FILES); i++)
        hulls->hulls[hulls->count++] = hull_of_file(FILES[i]);
    gmc_chance chance = {2026};
    for (int k = 0; k < GMC_COUNT(CLOUDS); k++) {
        for (int i = 0; i < CLOUDS[k].points; i++) {
            gmc_vec3 d = gmc_chance_direction(&chance), s = CLOUDS[k].size;
            points[i] = gmc_vec3_make(d.x * s.x, d.y * s.y, d.z * s.z);
        }
        hulls->hulls[hulls->count++] = hull_of_points(points, CLOUDS[k].points);
    }
}

void gmc_shape_pairs_hulls_free(gmc_shape_pairs_hulls *hulls)
{
    for (int i = 0; i < hulls->count; i++)
        gmc_hull_free(hulls->hulls[i]);
    hulls->count = 0;
}

gmc_quat gmc_shape_pairs_rotation(gmc_chance *chance)
{
    for (;;) {
        gmc_quat q = {gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1),
                      gmc_chance_uniform(chance, -1, 1), gmc_chance_uniform(chance, -1, 1)};
        double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (n2 > 0.01 && n2 <= 1) return gmc_quat_normalise(q);
    }
}

gmc_shape gmc_shape_pairs_shape(gmc_chance *chance, gmc_shape_type type, double size,
                                const gmc_shape_pairs_hulls *hulls)
{
    gmc_shape shape = {.type = type, .scale = 1};
    double a = size * gmc_chance_log_uniform(chance, 0.5, 1.5);
    double b = a * gmc_chance_log_uniform(chance, 0.2, 1);
    double c = a * gmc_chance_log_uniform(chance, 0.2, 1);
    switch (type) {
    case GMC_SHAPE_SPHERE:
        shape.radius = a;
        break;
    case GMC_SHAPE_CAPSULE:
    case GMC_SHAPE_CYLINDER: // from coin to rod
        shape.radius = b;
        shape.half_length = type == GMC_SHAPE_CAPSULE ? a : c * a / b;
        break;
    case GMC_SHAPE_BOX:
        shape.half = gmc_vec3_make(a, b, c);
        break;
    case GMC_SHAPE_POLYTOPE:
        shape.polytope = hulls->hulls[gmc_chance_integer(chance, 0, hulls->count - 1)];
        shape.scale = a;
        break;
    case GMC_SHAPE_PLANE:
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        abort();
    }
    return shape;
}

gmc_chance gmc_shape_pairs_chance(unsigned kind, int first, int second, int index)
{
    gmc_chance chance = {((uint64_t)kind << 56) ^ ((uint64_t)first << 48) ^
                         ((uint64_t)second << 40) ^ (uint64_t)index};
    (void)gmc_chance_bits(&chance);
    chance.state = gmc_chance_bits(&chance);
    return chance;
}

double gmc_shape_pairs_step_length(gmc_chance *chance)
{
    int k = gmc_chance_integer(chance, 0, 9);
    return k == 0 ? 1e-3 : k == 1 ? 4e-3 : 2e-3;
}

const char *gmc_shape_pairs_shape_name(int support)
{
    static const char *const NAMES[GMC_PAIRS_SUPPORT_COUNT] = {
        [GMC_SHAPE_SPHERE] = "sphere",    [GMC_SHAPE_CAPSULE] = "capsule",
        [GMC_SHAPE_BOX] = "box",          [GMC_SHAPE_CYLINDER] = "cylinder",
        [GMC_SHAPE_PLANE] = "plane",      [GMC_SHAPE_POLYTOPE] = "polytope",
        [GMC_PAIRS_FREE_BOX] = "free_box"};
    return NAMES[support];
}

const char *gmc_shape_pairs_end_name(gmc_shape_pairs_end end)
{
    static const char *const NAMES[GMC_PAIRS_END_COUNT] = {[GMC_PAIRS_REST] = "rest",
                                                           [GMC_PAIRS_ROLLING] = "rolling",
                                                           [GMC_PAIRS_GONE] = "gone",
                                                           [GMC_PAIRS_RESTLESS] = "restless",
                                                           [GMC_PAIRS_UNSOLVED] = "unsolved"};
    return NAMES[end];
}
