// Convex pieces: exact where planes part the mesh exactly, within the stated error of round ones,
// complete, the same with a cache, without one and with a broken one.
#include "engine/math/elementary.h"
#include "engine/model/pieces.h"
#include "engine/model/pieces_solid.h"
#include "test/support/chance.h"
#include "test/support/cmocka.h"
#include "test/support/hollows.h"
#include "test/support/near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- distance ----------------------------------------------------------------------------------

/// Signed distance from the ring's round cousin. Outside, its facets lie within by up to the
/// sagittas of 32 sectors (48 mm) and 12 sides (8 mm), 0.23 mm + 0.27 mm; in the hole, chords of
/// the 32 mm circle stand out by 0.16 mm.
static double from_torus(gmc_vec3 p)
{
    double r = sqrt(p.x * p.x + p.y * p.y) - 0.04;
    return sqrt(r * r + p.z * p.z) - 0.008;
}
static const double RING_SAGITTA = 0.5e-3, RING_CHORD = 0.16e-3;

/// Signed, and no farther from 0 than the distance from the channel: the largest of its planes'.
static double from_channel(gmc_vec3 p)
{
    double outer = fmax(fmax(fabs(p.x) - 0.03, fabs(p.y) - 0.04), fmax(-p.z, p.z - 0.04));
    double trough = fmax(fabs(p.x) - 0.02, 0.01 - p.z);
    return fmax(outer, -trough);
}

static void distance_of_points(void **state)
{
    (void)state;
    gmc_mesh meshes[2] = {gmc_hollow_mesh(GMC_HOLLOW_RING), gmc_hollow_mesh(GMC_HOLLOW_CHANNEL)};
    gmc_chance chance = {7};
    for (int m = 0; m < 2; m++) {
        gmc_pieces_solid solid;
        assert_int_equal(gmc_pieces_solid_create(&meshes[m], 0, &solid), GMC_OK);
        for (int i = 0; i < 3000; i++) {
            gmc_vec3 p = {gmc_chance_uniform(&chance, -0.06, 0.06),
                          gmc_chance_uniform(&chance, -0.06, 0.06),
                          gmc_chance_uniform(&chance, -0.02, 0.05)};
            int nearest;
            double d = gmc_pieces_solid_distance(&solid, p, &nearest);
            assert_true(gmc_pieces_solid_to_triangle(&solid, nearest, p) == fabs(d));
            if (m == 0) {
                double round = from_torus(p);
                assert_true(d >= round - RING_CHORD);
                assert_true(d <= round + RING_SAGITTA);
            } else if (fabs(from_channel(p)) > 1e-12) {
                assert_true((d < 0) == (from_channel(p) < 0));
                assert_true(fabs(d) >= fabs(from_channel(p)) - 1e-12); // rounding
            }
        }
        gmc_pieces_solid_free(&solid);
        gmc_mesh_free(&meshes[m]);
    }
}

// ---- pieces ------------------------------------------------------------------------------------

static gmc_hull_pieces cut(gmc_hollow which, const gmc_pieces_options *options,
                           gmc_diagnostics *report)
{
    gmc_mesh mesh = gmc_hollow_mesh(which);
    gmc_hull_pieces pieces;
    assert_int_equal(gmc_pieces_of_mesh(&mesh, options, (gmc_source){0}, report, &pieces), GMC_OK);
    gmc_mesh_free(&mesh);
    return pieces;
}

static void parts_polyhedra_exactly(void **state)
{
    (void)state;
    static const gmc_hollow WHICH[] = {GMC_HOLLOW_ELL, GMC_HOLLOW_CHANNEL};
    for (int k = 0; k < 2; k++) {
        gmc_hull_pieces pieces = gmc_hollow_pieces(WHICH[k]);
        assert_int_equal(pieces.count, 2 + k);
        // corners of cuts are placed to rounding: 1e-15 of 0.1 m, in 20 terms
        ASSERT_NEAR_RELATIVE(pieces.hull_volume, gmc_hollow_volume(WHICH[k]), 1e-12);
        ASSERT_NEAR_RELATIVE(pieces.mesh_volume, gmc_hollow_volume(WHICH[k]), 1e-12);
        gmc_hull_pieces_free(&pieces);
    }
}

static bool is_in(const gmc_polytope *hull, gmc_vec3 p, double margin)
{
    for (int f = 0; f < hull->face_count; f++)
        if (gmc_vec3_dot(hull->face_normals[f], p) > hull->face_offsets[f] + margin) return false;
    return true;
}

static void holds_all_of_the_mesh(void **state)
{
    (void)state;
    gmc_chance chance = {11};
    for (gmc_hollow which = 0; which < GMC_HOLLOW_COUNT; which++) {
        if (which == GMC_HOLLOW_CUP) continue; // part of the mug
        gmc_hull_pieces pieces = gmc_hollow_pieces(which);
        gmc_mesh mesh = gmc_hollow_mesh(which);
        ASSERT_NEAR_RELATIVE(pieces.mesh_volume, gmc_hollow_volume(which), 1e-12); // rounding
        for (int part = 0; part < mesh.part_count; part++) {
            gmc_pieces_solid solid;
            assert_int_equal(gmc_pieces_solid_create(&mesh, part, &solid), GMC_OK);
            for (int i = 0; i < 5000; i++) {
                gmc_vec3 p = {gmc_chance_uniform(&chance, solid.lo.x, solid.hi.x),
                              gmc_chance_uniform(&chance, solid.lo.y, solid.hi.y),
                              gmc_chance_uniform(&chance, solid.lo.z, solid.hi.z)};
                int nearest;
                bool is_held = gmc_pieces_solid_distance(&solid, p, &nearest) >= 0;
                // merged faces leave their planes by GMC_HULL_COPLANAR of the extent
                for (int k = 0; k < pieces.count && !is_held; k++)
                    is_held = is_in(pieces.pieces[k], p, 2 * GMC_HULL_COPLANAR * solid.extent);
                assert_true(is_held);
            }
            gmc_pieces_solid_free(&solid);
        }
        gmc_mesh_free(&mesh);
        gmc_hull_pieces_free(&pieces);
    }
}

/// A random point on a hull's surface: on a random triangle of a random face.
static gmc_vec3 point_on(const gmc_polytope *hull, gmc_chance *chance)
{
    int f = (int)gmc_chance_uniform(chance, 0, hull->face_count);
    const int *loop = hull->face_vertices + hull->face_start[f];
    int count = hull->face_start[f + 1] - hull->face_start[f];
    int i = 1 + (int)gmc_chance_uniform(chance, 0, count - 2);
    double a = gmc_chance_uniform(chance, 0, 1), b = gmc_chance_uniform(chance, 0, 1);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    gmc_vec3 o = hull->vertices[loop[0]];
    gmc_vec3 p = gmc_vec3_add_scaled(o, a, gmc_vec3_sub(hull->vertices[loop[i]], o));
    return gmc_vec3_add_scaled(p, b, gmc_vec3_sub(hull->vertices[loop[i + 1]], o));
}

static void strays_no_farther_than_stated(void **state)
{
    (void)state;
    gmc_chance chance = {3};
    const double tolerances[] = {1e-3, 4e-3};
    int last_count = 1000;
    for (int k = 0; k < 2; k++) {
        gmc_pieces_options options = gmc_pieces_defaults();
        options.tolerance = tolerances[k];
        gmc_diagnostics report = {0};
        gmc_hull_pieces pieces = cut(GMC_HOLLOW_RING, &options, &report);
        assert_int_equal(report.warning_count, 0);
        double worst = 0;
        for (int p = 0; p < pieces.count; p++)
            for (int i = 0; i < 2000; i++)
                worst = fmax(worst, from_torus(point_on(pieces.pieces[p], &chance)));
        assert_true(worst <= tolerances[k] + RING_CHORD);
        // no more pieces than the tolerance asks for: chords of the inner 32 mm circle, round up to
        // a power of two, for cutting in halves goes past the number that would do
        double sector = 2 * gmc_acos(1 - tolerances[k] / 0.032);
        assert_true(pieces.count <= 2 * (2 * GMC_PI / sector) + 4);
        assert_true(pieces.count <= last_count);
        last_count = pieces.count;
        gmc_hull_pieces_free(&pieces);
        gmc_diagnostics_free(&report);
    }
}

static void says_what_it_did(void **state)
{
    (void)state;
    gmc_diagnostics report = {0};
    gmc_pieces_options options = gmc_pieces_defaults();
    gmc_hull_pieces pieces = cut(GMC_HOLLOW_CHANNEL, &options, &report);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.items[0].severity, GMC_NOTE);
    char number[40];
    snprintf(number, sizeof number, "not convex: %d convex pieces hold it", pieces.count);
    assert_non_null(strstr(report.items[0].message, number));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);

    options.piece_max = 2;
    pieces = cut(GMC_HOLLOW_CUP, &options, &report);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(report.warning_count, 1);
    assert_non_null(
        strstr(report.items[1].message, "2 convex pieces do not come within 0.8 mm of"));
    assert_null(strstr(report.items[1].message, "convex_tolerance"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);

    options.tolerance = 1e-3;
    pieces = cut(GMC_HOLLOW_CUP, &options, &report);
    assert_int_equal(report.warning_count, 1);
    assert_non_null(
        strstr(report.items[1].message, "within 1 mm of it (`convex_tolerance`), but "));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);

    options = gmc_pieces_defaults();
    options.is_hull = true;
    pieces = cut(GMC_HOLLOW_ELL, &options, &report);
    assert_int_equal(pieces.count, 1);
    assert_non_null(strstr(report.items[0].message, "its hull adds"));
    assert_non_null(strstr(report.items[0].hint, "convex: pieces"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);
}

static void open_meshes_get_one_hull(void **state)
{
    (void)state;
    gmc_mesh mesh = gmc_hollow_mesh(GMC_HOLLOW_ELL);
    gmc_diagnostics report = {0};
    gmc_hull_pieces pieces;
    gmc_pieces_options options = gmc_pieces_defaults();
    mesh.part[0].is_closed = false; // as mesh.c marks a part with a hole
    assert_int_equal(gmc_pieces_of_mesh(&mesh, &options, (gmc_source){0}, &report, &pieces),
                     GMC_OK);
    assert_int_equal(pieces.count, 1);
    assert_non_null(strstr(report.items[0].message, "is not closed: the hull of all its points"));
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);
    gmc_mesh_free(&mesh);
}

// ---- cache -------------------------------------------------------------------------------------

/// A cache of one entry in memory, which can be spoiled.
typedef struct shelf {
    unsigned char bytes[1 << 16];
    char name[65];
    size_t size;
    int loads, saves;
} shelf;

static bool shelf_load(void *context, const char *name, gmc_file *file)
{
    shelf *s = context;
    if (s->size == 0 || strcmp(name, s->name) != 0) return false;
    s->loads++;
    file->bytes = malloc(s->size + 1);
    assert_non_null(file->bytes);
    memcpy(file->bytes, s->bytes, s->size);
    file->size = s->size;
    return true;
}

static void shelf_save(void *context, const char *name, const void *bytes, size_t size)
{
    shelf *s = context;
    assert_true(size <= sizeof s->bytes);
    memcpy(s->bytes, bytes, size);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->size = size;
    s->saves++;
}

static void assert_same(const gmc_hull_pieces *a, const gmc_hull_pieces *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const gmc_polytope *p = a->pieces[i], *q = b->pieces[i];
        assert_int_equal(p->vertex_count, q->vertex_count);
        assert_int_equal(p->face_count, q->face_count);
        assert_memory_equal(p->vertices, q->vertices,
                            (size_t)p->vertex_count * sizeof *p->vertices);
        assert_memory_equal(p->face_normals, q->face_normals,
                            (size_t)p->face_count * sizeof *p->face_normals);
        assert_memory_equal(p->face_offsets, q->face_offsets,
                            (size_t)p->face_count * sizeof *p->face_offsets);
    }
}

static void cache_changes_nothing(void **state)
{
    (void)state;
    shelf *kept = calloc(1, sizeof *kept);
    assert_non_null(kept);
    gmc_pieces_cache cache = {.context = kept, .load = shelf_load, .save = shelf_save};
    gmc_pieces_options options = gmc_pieces_defaults(), with = options;
    with.cache = &cache;
    gmc_diagnostics plain_report = {0}, report = {0};
    gmc_hull_pieces plain = cut(GMC_HOLLOW_ELL, &options, &plain_report);
    for (int i = 0; i < 2; i++) {
        gmc_hull_pieces pieces = cut(GMC_HOLLOW_ELL, &with, &report);
        assert_same(&plain, &pieces);
        assert_string_equal(report.items[0].message, plain_report.items[0].message);
        assert_int_equal(kept->saves, 1);
        assert_int_equal(kept->loads, i);
        gmc_hull_pieces_free(&pieces);
    }
    // any damaged byte, a missing end, a longer file: computed again, and kept again
    size_t whole = kept->size;
    for (size_t at = 0; at <= whole + 1; at += at < whole - 3 ? 131 : 1) {
        int saves = kept->saves;
        if (at < whole)
            kept->bytes[at] ^= 0x10;
        else
            kept->size = at == whole ? whole - 1 : whole + 1;
        gmc_hull_pieces pieces = cut(GMC_HOLLOW_ELL, &with, &report);
        assert_same(&plain, &pieces);
        assert_int_equal(kept->saves, saves + 1);
        assert_int_equal(kept->size, whole);
        gmc_hull_pieces_free(&pieces);
    }
    // another tolerance is another result
    with.tolerance = 5e-3;
    int loads = kept->loads;
    gmc_hull_pieces pieces = cut(GMC_HOLLOW_ELL, &with, &report);
    assert_int_equal(kept->loads, loads);
    gmc_hull_pieces_free(&pieces);
    gmc_hull_pieces_free(&plain);
    gmc_diagnostics_free(&report);
    gmc_diagnostics_free(&plain_report);
    free(kept);
}

// ---- bounds ------------------------------------------------------------------------------------

/// A ball of 30 mm by rings and as many sectors, each vertex moved in or out by up to `noise`.
static gmc_mesh noisy_ball(int rings, double noise)
{
    gmc_chance chance = {5};
    size_t room = (size_t)(rings * rings + 2) * 160;
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i <= rings; i++)
        for (int k = 0; k < (i == 0 || i == rings ? 1 : rings); k++) {
            double r = 0.03 * (1 + gmc_chance_uniform(&chance, -noise, noise));
            double t = GMC_PI * i / rings, p = 2 * GMC_PI * k / rings;
            used += (size_t)snprintf(text + used, room - used, "v %.17g %.17g %.17g\n",
                                     r * gmc_sin(t) * gmc_cos(p), r * gmc_sin(t) * gmc_sin(p),
                                     r * gmc_cos(t));
        }
    int last = (rings - 1) * rings + 2;
    for (int k = 0; k < rings; k++) {
        int next = (k + 1) % rings, low = last - rings;
        used += (size_t)snprintf(text + used, room - used, "f 1 %d %d\nf %d %d %d\n", 2 + k,
                                 2 + next, last, low + next, low + k);
        for (int i = 1; i + 1 < rings; i++) {
            int a = 2 + (i - 1) * rings, b = a + rings;
            used += (size_t)snprintf(text + used, room - used, "f %d %d %d\nf %d %d %d\n", a + k,
                                     b + k, b + next, a + k, b + next, a + next);
        }
    }
    gmc_mesh mesh;
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics report = {0};
    assert_int_equal(
        gmc_mesh_parse("ball.obj", (const unsigned char *)text, used, &options, &report, &mesh),
        GMC_OK);
    assert_int_equal(report.count, 0);
    gmc_diagnostics_free(&report);
    free(text);
    return mesh;
}

typedef struct follower {
    shelf shelf;        ///< first: the context of the cache
    int calls, stop_at; ///< the call that says stop; 0: none
    double share;
} follower;

static bool follow(void *context, const char *mesh, int pieces, double share)
{
    follower *f = context;
    assert_string_equal(mesh, "ball.obj");
    assert_true(pieces >= 1);
    assert_true(share >= 0);
    assert_true(share <= 1);
    f->share = share;
    return ++f->calls == f->stop_at;
}

// F6: more faces than count one by one. The error that is stated holds, and so do the pieces.
static void large_meshes_are_judged_by_a_part(void **state)
{
    (void)state;
    gmc_mesh mesh = noisy_ball(36, 0.3);
    assert_true(mesh.triangle_count > GMC_PIECES_FACES);
    gmc_pieces_options options = gmc_pieces_defaults();
    options.piece_max = 4;
    gmc_diagnostics report = {0};
    gmc_hull_pieces pieces;
    assert_int_equal(gmc_pieces_of_mesh(&mesh, &options, (gmc_source){0}, &report, &pieces),
                     GMC_OK);
    assert_int_equal(pieces.count, 4);
    assert_int_equal(report.warning_count, 1);
    const char *said = strstr(report.items[report.count - 1].message, "but ");
    assert_non_null(said);
    double stated = strtod(said + 4, NULL) * 1e-3;
    gmc_pieces_solid solid;
    assert_int_equal(gmc_pieces_solid_create(&mesh, 0, &solid), GMC_OK);
    gmc_chance chance = {3};
    double worst = 0;
    for (int i = 0; i < 20000; i++) {
        int nearest, k = (int)gmc_chance_uniform(&chance, 0, pieces.count);
        gmc_vec3 p = point_on(pieces.pieces[k], &chance);
        worst = fmax(worst, gmc_pieces_solid_distance(&solid, p, &nearest));
    }
    assert_true(worst <= stated * (1 + 0.005)); // printed with three digits
    assert_true(worst >= 0.5 * stated);         // a bound that says something
    for (int v = 0; v < mesh.vertex_count; v++) {
        bool is_held = false;
        for (int k = 0; k < pieces.count && !is_held; k++)
            is_held =
                is_in(pieces.pieces[k], mesh.vertices[v], 2 * GMC_HULL_COPLANAR * solid.extent);
        assert_true(is_held);
    }
    gmc_pieces_solid_free(&solid);
    gmc_hull_pieces_free(&pieces);
    gmc_diagnostics_free(&report);
    gmc_mesh_free(&mesh);
}

// Stopped at several places and gone on with: what was cut is not cut again, and nothing differs.
static void a_stopped_cutting_goes_on(void **state)
{
    (void)state;
    gmc_mesh mesh = noisy_ball(12, 0.3);
    follower *f = calloc(1, sizeof *f);
    assert_non_null(f);
    gmc_pieces_cache cache = {
        .context = f, .load = shelf_load, .save = shelf_save, .follow = follow};
    gmc_pieces_options options = gmc_pieces_defaults(), with = options;
    options.piece_max = with.piece_max = 6;
    with.cache = &cache;
    gmc_diagnostics report = {0};
    gmc_hull_pieces plain, pieces;
    assert_int_equal(gmc_pieces_of_mesh(&mesh, &options, (gmc_source){0}, &report, &plain), GMC_OK);
    assert_int_equal(gmc_pieces_of_mesh(&mesh, &with, (gmc_source){0}, &report, &pieces), GMC_OK);
    assert_same(&plain, &pieces);
    gmc_hull_pieces_free(&pieces);
    int whole = f->calls;
    assert_true(whole >= 8);
    for (int eighth = 1; eighth < 8; eighth += 2) {
        *f = (follower){.stop_at = whole * eighth / 8};
        assert_int_equal(gmc_pieces_of_mesh(&mesh, &with, (gmc_source){0}, &report, &pieces),
                         GMC_E_INTERRUPTED);
        assert_int_equal(f->calls, f->stop_at); // nothing went on
        bool has_steps = f->shelf.size > 0;
        assert_true(has_steps || eighth == 1);
        *f = (follower){.shelf = f->shelf};
        assert_int_equal(gmc_pieces_of_mesh(&mesh, &with, (gmc_source){0}, &report, &pieces),
                         GMC_OK);
        assert_same(&plain, &pieces);
        assert_true(!has_steps || f->calls < whole);
        gmc_hull_pieces_free(&pieces);
    }
    gmc_hull_pieces_free(&plain);
    gmc_diagnostics_free(&report);
    gmc_mesh_free(&mesh);
    free(f);
}

int test_pieces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_of_points),
        cmocka_unit_test(parts_polyhedra_exactly),
        cmocka_unit_test(holds_all_of_the_mesh),
        cmocka_unit_test(strays_no_farther_than_stated),
        cmocka_unit_test(says_what_it_did),
        cmocka_unit_test(open_meshes_get_one_hull),
        cmocka_unit_test(cache_changes_nothing),
        cmocka_unit_test(large_meshes_are_judged_by_a_part),
        cmocka_unit_test(a_stopped_cutting_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
