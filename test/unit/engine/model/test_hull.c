// Hulls: exact for a cube, complete for random clouds, a plain error for flat ones.
#include "engine/model/hull.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <stdlib.h>
#include <string.h>

static gmc_polytope *make(const gmc_vec3 *points, int count)
{
    gmc_diagnostics report = {0};
    gmc_polytope *hull = NULL;
    gmc_status status = gmc_hull_create(points, count, "cloud", (gmc_source){0}, &report, &hull);
    if (status != GMC_OK) gmc_diagnostics_print(&report, stderr);
    assert_int_equal(status, GMC_OK);
    assert_int_equal(report.count, 0);
    return hull;
}

static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// Everything shape.h promises.
static void assert_is_polytope(const gmc_polytope *h, const gmc_vec3 *points, int count)
{
    assert_int_equal(h->vertex_count - h->edge_count + h->face_count, 2);
    assert_int_equal(h->face_start[h->face_count], 2 * h->edge_count);
    double extent = 2 * h->radius;
    for (int f = 0; f < h->face_count; f++) {
        const int *loop = h->face_vertices + h->face_start[f];
        int length = h->face_start[f + 1] - h->face_start[f];
        gmc_vec3 n = h->face_normals[f], area = {0, 0, 0};
        assert_true(length >= 3);
        ASSERT_NEAR(gmc_vec3_norm(n), 1, 4e-16); // three roundings
        double lowest = INFINITY;
        for (int i = 0; i < length; i++) {
            gmc_vec3 a = gmc_vec3_sub(h->vertices[loop[i]], h->centre);
            gmc_vec3 b = gmc_vec3_sub(h->vertices[loop[(i + 1) % length]], h->centre);
            area = gmc_vec3_add(area, gmc_vec3_cross(a, b));
            lowest = fmin(lowest, gmc_vec3_dot(n, h->vertices[loop[i]]));
            assert_true(loop[0] <= loop[i]);
        }
        assert_true(gmc_vec3_dot(area, n) > 0); // counter-clockwise seen from outside
        assert_true(gmc_vec3_dot(n, h->centre) < h->face_offsets[f]);
        assert_true(h->face_offsets[f] - lowest <= 2 * GMC_HULL_COPLANAR * extent);
        // its own vertices to rounding, points dropped as coplanar by no more than merging may
        for (int i = 0; i < h->vertex_count; i++)
            assert_true(gmc_vec3_dot(n, h->vertices[i]) <= h->face_offsets[f] + 1e-12 * extent);
        for (int i = 0; i < count; i++)
            assert_true(gmc_vec3_dot(n, points[i]) <=
                        h->face_offsets[f] + 2 * GMC_HULL_COPLANAR * extent);
    }
    for (int e = 0; e < h->edge_count; e++) {
        assert_true(h->edges[e][0] < h->edges[e][1]);
        for (int s = 0; s < 2; s++) { // left: runs from → to; right: to → from
            int f = h->edges[e][2 + s], from = h->edges[e][s], to = h->edges[e][1 - s];
            bool is_found = false;
            for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
                int next = i + 1 < h->face_start[f + 1] ? i + 1 : h->face_start[f];
                is_found =
                    is_found || (h->face_vertices[i] == from && h->face_vertices[next] == to);
            }
            assert_true(is_found);
        }
    }
    assert_int_equal(h->neighbour_start[h->vertex_count], 2 * h->edge_count);
    for (int v = 0; v < h->vertex_count; v++) {
        assert_true(h->neighbour_start[v + 1] - h->neighbour_start[v] >= 3);
        for (int i = h->neighbour_start[v] + 1; i < h->neighbour_start[v + 1]; i++)
            assert_true(h->neighbours[i - 1] < h->neighbours[i]);
        assert_true(gmc_vec3_norm(gmc_vec3_sub(h->vertices[v], h->centre)) <= h->radius);
    }
}

static void assert_box(const gmc_polytope *h, gmc_vec3 half)
{
    static const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    assert_int_equal(h->vertex_count, 8);
    assert_int_equal(h->edge_count, 12);
    assert_int_equal(h->face_count, 6);
    int seen[3][2] = {{0, 0}, {0, 0}, {0, 0}};
    for (int f = 0; f < 6; f++) {
        assert_int_equal(h->face_start[f + 1] - h->face_start[f], 4);
        for (int k = 0; k < 3; k++) {
            double along = gmc_vec3_dot(axes[k], h->face_normals[f]);
            if (fabs(along) < 0.5) continue;
            seen[k][along > 0]++;
            // exact: differences of equal coordinates are 0, A / sqrt(A²) is 1
            assert_true(along == 1 || along == -1);
            assert_true(gmc_vec3_norm(h->face_normals[f]) == 1);
            assert_true(h->face_offsets[f] == gmc_vec3_get(half, k));
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_true(seen[k][0] == 1);
        assert_true(seen[k][1] == 1);
    }
    ASSERT_NEAR(gmc_vec3_norm(h->centre), 0, 1e-15 * h->radius); // sum of 12 rounded terms
    ASSERT_NEAR_RELATIVE(gmc_hull_volume(h), 8 * half.x * half.y * half.z, 4e-16);
}

static void box_corners(gmc_vec3 half, gmc_vec3 corners[8])
{
    for (int i = 0; i < 8; i++)
        corners[i] = gmc_vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                   i & 4 ? half.z : -half.z);
}

static void cube_is_a_cube(void **state)
{
    (void)state;
    static const gmc_vec3 halves[] = {{0.025, 0.025, 0.025},
                                      {0.03, 0.0451, 0.1},
                                      {0.1, 0.0001, 0.03},
                                      {1e3, 1e3, 1e3},
                                      {1e-6, 1e-6, 1e-6}};
    for (int k = 0; k < 5; k++) {
        gmc_vec3 corners[8];
        box_corners(halves[k], corners);
        gmc_polytope *h = make(corners, 8);
        assert_box(h, halves[k]);
        assert_is_polytope(h, corners, 8);
        gmc_hull_free(h);
    }
}

// Points on faces and edges, inside, and repeated; any order: the same polytope to the last bit.
static void order_does_not_matter(void **state)
{
    (void)state;
    gmc_vec3 half = {0.025, 0.03, 0.04}, corners[8], cloud[400];
    box_corners(half, corners);
    gmc_polytope *plain = make(corners, 8);
    uint64_t seed = 7;
    int count = 0;
    for (int i = 0; i < 16; i++)
        cloud[count++] = corners[i % 8];
    while (count < 400) {
        gmc_vec3 p = {half.x * (2 * random_number(&seed) - 1),
                      half.y * (2 * random_number(&seed) - 1),
                      half.z * (2 * random_number(&seed) - 1)};
        if (count % 4 == 0) p.x = half.x;
        if (count % 8 == 0) p.y = -half.y; // on an edge
        cloud[count++] = p;
    }
    for (int i = 399; i > 0; i--) {
        int k = (int)(random_number(&seed) * (i + 1));
        gmc_vec3 swapped = cloud[i];
        cloud[i] = cloud[k];
        cloud[k] = swapped;
    }
    gmc_polytope *h = make(cloud, 400);
    assert_box(h, half);
    assert_memory_equal(h->vertices, plain->vertices, 8 * sizeof *h->vertices);
    assert_memory_equal(h->face_vertices, plain->face_vertices, 24 * sizeof *h->face_vertices);
    assert_memory_equal(h->edges, plain->edges, 12 * sizeof *h->edges);
    assert_memory_equal(h->neighbours, plain->neighbours, 24 * sizeof *h->neighbours);
    for (int f = 0; f < 6; f++)
        assert_true(h->face_offsets[f] == plain->face_offsets[f]);
    gmc_hull_free(h);
    gmc_hull_free(plain);
}

// A turned cube written in metres with six decimals has faces that are flat to a micrometre only.
static void rounded_cube_keeps_its_faces(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int trial = 0; trial < 50; trial++) {
        gmc_vec3 corners[8], n = {random_number(&seed) - 0.5, random_number(&seed) - 0.5,
                                  random_number(&seed) - 0.5};
        box_corners(gmc_vec3_make(0.025, 0.025, 0.025), corners);
        n = gmc_vec3_unit(n);
        for (int i = 0; i < 8; i++) { // mirrored at a plane, then rounded
            gmc_vec3 p = gmc_vec3_add_scaled(corners[i], -2 * gmc_vec3_dot(n, corners[i]), n);
            corners[i] = gmc_vec3_make(floor(p.x * 1e6 + 0.5) / 1e6, floor(p.y * 1e6 + 0.5) / 1e6,
                                       floor(p.z * 1e6 + 0.5) / 1e6);
        }
        gmc_polytope *h = make(corners, 8);
        assert_int_equal(h->face_count, 6);
        assert_is_polytope(h, corners, 8);
        gmc_hull_free(h);
    }
}

static void round_bodies_stay_round(void **state)
{
    (void)state;
    gmc_vec3 points[500];
    uint64_t seed = 3;
    for (int i = 0; i < 500; i++) {
        gmc_vec3 p;
        do {
            p = gmc_vec3_make(2 * random_number(&seed) - 1, 2 * random_number(&seed) - 1,
                              2 * random_number(&seed) - 1);
        } while (gmc_vec3_norm(p) > 1 || gmc_vec3_norm(p) < 0.1);
        points[i] = gmc_vec3_add(gmc_vec3_make(4, 5, 6), gmc_vec3_scale(0.02, gmc_vec3_unit(p)));
    }
    gmc_polytope *h = make(points, 500);
    assert_is_polytope(h, points, 500);
    assert_int_equal(h->vertex_count, 500);
    assert_true(h->face_count > 900);
    gmc_hull_free(h);
}

static void survives_random_clouds(void **state)
{
    (void)state;
    uint64_t seed = 5;
    gmc_vec3 points[64];
    for (int trial = 0; trial < 2000; trial++) {
        int count = 4 + (int)(random_number(&seed) * 60);
        double grid = trial % 3 == 0 ? 2 + floor(random_number(&seed) * 4) : 0;
        double noise = trial % 3 == 1 ? 1e-4 * random_number(&seed) : 0;
        gmc_vec3 stretch = {1, 0.05 + random_number(&seed), trial % 5 == 0 ? 0.01 : 1};
        for (int i = 0; i < count; i++) {
            double x[3];
            for (int k = 0; k < 3; k++) {
                x[k] = random_number(&seed);
                if (grid > 0) x[k] = floor(x[k] * grid) / grid; // many coplanar, collinear, equal
                if (noise > 0) x[k] = floor(x[k] * 3) / 3 + noise * random_number(&seed);
            }
            points[i] = gmc_vec3_make(x[0] * stretch.x, x[1] * stretch.y, x[2] * stretch.z);
        }
        gmc_diagnostics report = {0};
        gmc_polytope *h = NULL;
        gmc_status status = gmc_hull_create(points, count, "cloud", (gmc_source){0}, &report, &h);
        if (status == GMC_OK)
            assert_is_polytope(h, points, count);
        else if (status != GMC_E_INPUT)
            gmc_diagnostics_print(&report, stderr);
        assert_true(status == GMC_OK || status == GMC_E_INPUT);
        gmc_hull_free(h);
        gmc_diagnostics_free(&report);
    }
}

static void expect_refusal(const gmc_vec3 *points, int count, const char *part)
{
    gmc_diagnostics report = {0};
    gmc_polytope *hull = NULL;
    gmc_source source = {.file = "a.obj", .line = 4};
    assert_int_equal(gmc_hull_create(points, count, "cloud", source, &report, &hull), GMC_E_INPUT);
    assert_null(hull);
    assert_int_equal(report.error_count, 1);
    assert_int_equal(report.items[0].source.line, 4);
    assert_non_null(strstr(report.items[0].message, part));
    gmc_diagnostics_free(&report);
}

static void refuses_flat_clouds(void **state)
{
    (void)state;
    gmc_vec3 p[100];
    for (int i = 0; i < 100; i++)
        p[i] = gmc_vec3_make(1, 2, 3);
    expect_refusal(p, 0, "four points");
    expect_refusal(p, 3, "four points");
    expect_refusal(p, 100, "one and the same");
    for (int i = 0; i < 100; i++)
        p[i] = gmc_vec3_make(0.1 * i, 0.3 * i, -0.7 * i);
    expect_refusal(p, 100, "on a line");
    for (int i = 0; i < 100; i++)
        p[i] = gmc_vec3_make(i % 10, (double)(i / 10), 0.1 * i);
    expect_refusal(p, 100, "in a plane");
    p[7].z += 1e-4; // thinner than a sheet of foil
    expect_refusal(p, 100, "in a plane");
    p[7].z = NAN;
    expect_refusal(p, 100, "not finite");
    p[7].z = INFINITY;
    expect_refusal(p, 100, "not finite");
    p[7].z = 1e300;
    expect_refusal(p, 100, "not finite");
    for (int i = 0; i < 100; i++)
        p[i] = gmc_vec3_make(0, i % 2 ? 1e-310 : 0, i % 3 ? 1e-310 : 0);
    expect_refusal(p, 100, "one and the same");
}

// ---- meshes ------------------------------------------------------------------------------------

static const char cube_text[] =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 3 2\nf 1 4 3\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static gmc_status pieces_of(const char *text, gmc_hull_pieces *pieces, gmc_diagnostics *report)
{
    gmc_mesh mesh;
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics reading = {0};
    assert_int_equal(gmc_mesh_parse("m.obj", (const unsigned char *)text, strlen(text), &options,
                                    &reading, &mesh),
                     GMC_OK);
    gmc_status status = gmc_hull_of_mesh(&mesh, (gmc_source){0}, report, pieces);
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&reading);
    return status;
}

static void pieces_of_convex_parts(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "o a\n%so b\nv 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 1\n"
             "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n",
             cube_text);
    gmc_hull_pieces pieces;
    gmc_diagnostics report = {0};
    assert_int_equal(pieces_of(text, &pieces, &report), GMC_OK);
    assert_int_equal(report.count, 0);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(pieces.pieces[0]->face_count, 6);
    assert_int_equal(pieces.pieces[1]->face_count, 4);
    ASSERT_NEAR(pieces.hull_volume, 1 + 1.0 / 6, 1e-15);
    ASSERT_NEAR(pieces.mesh_volume, 1 + 1.0 / 6, 1e-15);
    gmc_hull_pieces_free(&pieces);
}

static void hull_of_a_notched_mesh(void **state)
{
    (void)state;
    // L-shaped prism of area 3; its hull has area 3.5: 16.7 % more
    const char *ell = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                      "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                      "f 3 2 1 6 5 4\nf 9 10 11 12 7 8\n"
                      "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    gmc_hull_pieces pieces;
    gmc_diagnostics report = {0};
    assert_int_equal(pieces_of(ell, &pieces, &report), GMC_OK);
    assert_int_equal(pieces.count, 1);
    assert_int_equal(pieces.pieces[0]->face_count, 7);
    assert_int_equal(report.warning_count, 1);
    assert_non_null(strstr(report.items[0].message, "is not convex: its hull adds 16.7 %"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);
}

static void open_and_flat_meshes(void **state)
{
    (void)state;
    char text[1024];
    gmc_hull_pieces pieces;
    gmc_diagnostics report = {0};
    strcpy(text, cube_text);
    *strstr(text, "f 4 1 5 8") = 0;
    assert_int_equal(pieces_of(text, &pieces, &report), GMC_OK);
    assert_int_equal(pieces.pieces[0]->face_count, 6);
    assert_non_null(strstr(report.items[0].message, "is not closed: the hull of all its points"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);

    const char *sheet = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    assert_int_equal(pieces_of(sheet, &pieces, &report), GMC_E_INPUT);
    assert_int_equal(pieces.count, 0);
    assert_non_null(strstr(report.items[0].message, "in a plane"));
    gmc_diagnostics_free(&report);

    // a double-sided sheet is closed, but has no thickness; beside a cube it is left out
    snprintf(text, sizeof text, "%sv 3 0 0\nv 4 0 0\nv 3 1 0\nf -3 -2 -1\nf -1 -2 -3\n", cube_text);
    assert_int_equal(pieces_of(text, &pieces, &report), GMC_OK);
    assert_int_equal(pieces.count, 1);
    assert_non_null(strstr(report.items[0].message, "1 of 2 parts have no thickness"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);
}

int test_hull(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_is_a_cube),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(rounded_cube_keeps_its_faces),
        cmocka_unit_test(round_bodies_stay_round),
        cmocka_unit_test(survives_random_clouds),
        cmocka_unit_test(refuses_flat_clouds),
        cmocka_unit_test(pieces_of_convex_parts),
        cmocka_unit_test(hull_of_a_notched_mesh),
        cmocka_unit_test(open_and_flat_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
