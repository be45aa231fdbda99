#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/polygon.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

#include <string.h>

static support_random the_random = {20260411};

static gmc_polygon_verdict check(const gmc_vec2 *p, int n) { return gmc_polygon_check(p, n); }

static void flaws_are_found_and_located(void **unused)
{
    (void)unused;
    const struct {
        gmc_vec2 p[6];
        int n;
        gmc_polygon_verdict verdict;
        const char *says;
    } cases[] = {
        {{{0, 0}, {1, 0}, {0, 1}}, 3, {GMC_POLYGON_GOOD, -1, -1}, ""},
        {{{0, 0}, {1, 0}}, 2, {GMC_POLYGON_FEW, -1, -1}, "three vertices"},
        {{{0, 0}, {1, 0}, {NAN, 1}}, 3, {GMC_POLYGON_NOT_FINITE, 2, -1}, "vertex 3"},
        {{{0, 0}, {1, 0}, {0, INFINITY}}, 3, {GMC_POLYGON_NOT_FINITE, 2, -1}, "vertex 3"},
        {{{0, 0}, {1, 0}, {1, 1}, {0, 0}}, 4, {GMC_POLYGON_REPEATED, 0, 3}, "vertices 1 and 4"},
        {{{0, 0}, {2, 0}, {1, 0}, {1, 1}}, 4, {GMC_POLYGON_FOLDED, 1, -1}, "at vertex 2"},
        // a bow tie
        {{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 4, {GMC_POLYGON_CROSSED, 0, 2}, "vertex 1"},
        // a vertex on an edge that is not its own
        {{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, 5, {GMC_POLYGON_CROSSED, 0, 2}, "vertex 3"},
        {{{0, 0}, {1, 1}, {2, 2}}, 3, {GMC_POLYGON_FOLDED, 0, -1}, "turns back"},
        {{{0, 0}, {0, 1}, {1, 0}}, 3, {GMC_POLYGON_CLOCKWISE, -1, -1}, "clockwise"},
        {{{0, 0}, {1, 0}, {1, 1e-15}, {0, 1e-15}}, 4, {GMC_POLYGON_FLAT, -1, -1}, "no area"},
    };
    for (int i = 0; i < GMC_COUNT(cases); i++) {
        gmc_polygon_verdict v = check(cases[i].p, cases[i].n);
        char text[200];
        (void)gmc_polygon_explain(&v, cases[i].p, text, sizeof text);
        if (v.flaw != cases[i].verdict.flaw) print_message("case %d: %d %s\n", i, v.flaw, text);
        assert_int_equal(v.flaw, cases[i].verdict.flaw);
        assert_int_equal(v.first, cases[i].verdict.first);
        assert_int_equal(v.second, cases[i].verdict.second);
        assert_non_null(strstr(text, cases[i].says));
    }
    static gmc_vec2 many[GMC_POLYGON_VERTEX_MAX + 1];
    gmc_polygon_verdict v = check(many, GMC_POLYGON_VERTEX_MAX + 1);
    char text[200];
    assert_int_equal(v.flaw, GMC_POLYGON_MANY);
    assert_non_null(gmc_polygon_explain(&v, many, text, sizeof text));
}

// Rounding of sums of a few terms of size 1.
static const double ROUNDING = 1e-12;

static void moments_are_those_of_closed_forms(void **unused)
{
    (void)unused;
    // rectangle 2 x 3 about (5, -4)
    const gmc_vec2 box[] = {{4, -5.5}, {6, -5.5}, {6, -2.5}, {4, -2.5}};
    gmc_polygon_moments m = gmc_polygon_measure(box, 4);
    ASSERT_NEAR(m.area, 6, ROUNDING);
    ASSERT_NEAR(m.centroid.x, 5, ROUNDING);
    ASSERT_NEAR(m.centroid.y, -4, ROUNDING);
    ASSERT_NEAR(m.xx, 3 * 8.0 / 12, ROUNDING);
    ASSERT_NEAR(m.yy, 2 * 27.0 / 12, ROUNDING);
    ASSERT_NEAR(m.xy, 0, ROUNDING);
    // right triangle with legs 3 and 2: b h³/36, and b² h²/72 against it
    const gmc_vec2 triangle[] = {{0, 0}, {3, 0}, {0, 2}};
    m = gmc_polygon_measure(triangle, 3);
    ASSERT_NEAR(m.area, 3, ROUNDING);
    ASSERT_NEAR(m.centroid.x, 1, ROUNDING);
    ASSERT_NEAR(m.centroid.y, 2.0 / 3, ROUNDING);
    ASSERT_NEAR(m.xx, 2 * 27.0 / 36, ROUNDING);
    ASSERT_NEAR(m.yy, 3 * 8.0 / 36, ROUNDING);
    ASSERT_NEAR(m.xy, -9 * 4.0 / 72, ROUNDING);
    // an L: two rectangles 1 x 3 and 2 x 1
    const gmc_vec2 ell[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    m = gmc_polygon_measure(ell, 6);
    double cx = (3 * 0.5 + 2 * 2) / 5;
    ASSERT_NEAR(m.area, 5, ROUNDING);
    ASSERT_NEAR(m.centroid.x, cx, ROUNDING);
    double xx = 3 * 1.0 / 12 + 3 * (cx - 0.5) * (cx - 0.5) + 8.0 / 12 + 2 * (2 - cx) * (2 - cx);
    ASSERT_NEAR(m.xx, xx, ROUNDING);
    ASSERT_NEAR(m.yy, xx, ROUNDING); // its own mirror image
}

static void round_shapes_have_closed_forms(void **unused)
{
    (void)unused;
    gmc_shape circle = {.type = GMC_SHAPE_CIRCLE, .radius = 2, .half_length = 0.5};
    gmc_polygon_moments m = gmc_polygon_measure_shape(&circle);
    ASSERT_NEAR_RELATIVE(m.area, 4 * GMC_PI, ROUNDING);
    ASSERT_NEAR_RELATIVE(m.xx, 4 * GMC_PI, ROUNDING);
    gmc_shape ellipse = {
        .type = GMC_SHAPE_SUPER_ELLIPSE, .half = {3, 2, 0}, .exponent = 2, .half_length = 0.5};
    m = gmc_polygon_measure_shape(&ellipse);
    ASSERT_NEAR_RELATIVE(m.area, 6 * GMC_PI, ROUNDING);
    ASSERT_NEAR_RELATIVE(m.xx, GMC_PI * 27 * 2 / 4, ROUNDING);
    ASSERT_NEAR_RELATIVE(m.yy, GMC_PI * 8 * 3 / 4, ROUNDING);
    // p = 1 is the rhombus with these half diagonals: 2 a b, a³ b / 3
    ellipse.exponent = 1;
    m = gmc_polygon_measure_shape(&ellipse);
    ASSERT_NEAR_RELATIVE(m.area, 12.0, ROUNDING);
    ASSERT_NEAR_RELATIVE(m.xx, 27 * 2 / 3.0, ROUNDING);
    // p = 4: Gamma(1/4)² / (2 sqrt(pi)) a b, by the duplication of Gamma
    ellipse.exponent = 4;
    double gamma = gmc_exp(gmc_lgamma(0.25));
    m = gmc_polygon_measure_shape(&ellipse);
    ASSERT_NEAR_RELATIVE(m.area, 6 * gamma * gamma / (2 * sqrt(GMC_PI)), ROUNDING);
    // towards the box
    ellipse.exponent = 1e9;
    m = gmc_polygon_measure_shape(&ellipse);
    ASSERT_NEAR_RELATIVE(m.area, 24.0, 1e-8); // 4 a b (1 - O(1/p))
}

static void extruded_shapes_have_an_inertia(void **unused)
{
    (void)unused;
    // a box 2 x 3 x 0.5 of density 10
    const gmc_vec2 box[] = {{-1, -1.5}, {1, -1.5}, {1, 1.5}, {-1, 1.5}};
    gmc_arena arena;
    gmc_polygon_pieces pieces;
    assert_int_equal(gmc_arena_create(&arena, gmc_polygon_split_bytes(4)), GMC_OK);
    assert_int_equal(gmc_polygon_split(box, 4, &arena, &pieces), GMC_OK);
    assert_int_equal(pieces.count, 1);
    gmc_shape shape = gmc_polygon_shape(&pieces.pieces[0], 0.5);
    gmc_shape solid = {.type = GMC_SHAPE_BOX, .half = {1, 1.5, 0.25}};
    gmc_inertia a = gmc_inertia_of_shape(&shape, 10), b = gmc_inertia_of_shape(&solid, 10);
    ASSERT_NEAR(a.mass, b.mass, ROUNDING);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR(a.I.m[i], b.I.m[i], 10 * ROUNDING); // of moments of size 30
    // twice as large: 4 times the area, 16 times its moments
    shape.scale = 2;
    solid.half = (gmc_vec3){2, 3, 0.25};
    a = gmc_inertia_of_shape(&shape, 10), b = gmc_inertia_of_shape(&solid, 10);
    for (int i = 0; i < 9; i++)
        ASSERT_NEAR_RELATIVE(a.I.m[i], b.I.m[i], ROUNDING);
    gmc_arena_free(&arena);
    shape = (gmc_shape){.type = GMC_SHAPE_CIRCLE, .radius = 2, .half_length = 0.25};
    solid = (gmc_shape){.type = GMC_SHAPE_CYLINDER, .radius = 2, .half_length = 0.25};
    a = gmc_inertia_of_shape(&shape, 10), b = gmc_inertia_of_shape(&solid, 10);
    ASSERT_NEAR_RELATIVE(a.I.m[0], b.I.m[0], ROUNDING);
    ASSERT_NEAR_RELATIVE(a.I.m[8], b.I.m[8], ROUNDING);
    // askew: moved and turned like any other
    const gmc_vec2 ell[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    assert_int_equal(gmc_arena_create(&arena, gmc_polygon_split_bytes(6)), GMC_OK);
    assert_int_equal(gmc_polygon_split(ell, 6, &arena, &pieces), GMC_OK);
    gmc_inertia sum = {0};
    for (int i = 0; i < pieces.count; i++) {
        gmc_shape piece = gmc_polygon_shape(&pieces.pieces[i], 0.5);
        gmc_inertia part = gmc_inertia_of_shape(&piece, 10);
        sum = gmc_inertia_combine(&sum, &part);
    }
    gmc_polygon_moments m = gmc_polygon_measure(ell, 6);
    ASSERT_NEAR(sum.mass, 25, ROUNDING);
    ASSERT_NEAR(sum.com.x, m.centroid.x, ROUNDING);
    ASSERT_NEAR(sum.I.m[8], 5 * (m.xx + m.yy), 10 * ROUNDING);
    ASSERT_NEAR(sum.I.m[1], -5 * m.xy, 10 * ROUNDING);
    gmc_arena_free(&arena);
}

// ---- pieces -----------------------------------------------------------------------------------

static double turn(gmc_vec2 a, gmc_vec2 b, gmc_vec2 c)
{
    return gmc_vec2_cross(gmc_vec2_sub(b, a), gmc_vec2_sub(c, b));
}

/// Pieces are convex, fill the polygon, and have its edges once each; what is inner lies between
/// two of them.
static void check_pieces(const gmc_vec2 *p, int n, const gmc_polygon_pieces *pieces)
{
    gmc_polygon_moments whole = gmc_polygon_measure(p, n), sum = {0};
    int outer = 0, inner = 0, convex = 0, reflex = 0, is_reflex = 0;
    for (int i = 0; i < n; i++)
        is_reflex += turn(p[(i + n - 1) % n], p[i], p[(i + 1) % n]) < 0;
    for (int k = 0; k < pieces->count; k++) {
        const gmc_polygon_piece *q = &pieces->pieces[k];
        gmc_polygon_moments part = gmc_polygon_measure(q->vertices, q->count);
        sum.area += part.area;
        sum.centroid = gmc_vec2_add_scaled(sum.centroid, part.area, part.centroid);
        for (int i = 0; i < q->count; i++) {
            gmc_vec2 a = q->vertices[i], b = q->vertices[(i + 1) % q->count];
            assert_true(turn(a, b, q->vertices[(i + 2) % q->count]) >= 0);
            gmc_vec2 e = gmc_vec2_sub(b, a);
            ASSERT_NEAR(gmc_vec2_dot(q->normals[i], e), 0, 1e-15);
            ASSERT_NEAR(gmc_vec2_norm(q->normals[i]), 1, 1e-15);
            assert_true(gmc_vec2_cross(q->normals[i], e) > 0);
            assert_true(gmc_vec2_norm(gmc_vec2_sub(a, q->centre)) <= q->radius);
            inner += q->is_inner[i];
            outer += !q->is_inner[i];
            convex += q->corners[i] == GMC_POLYGON_CONVEX;
            reflex += q->corners[i] == GMC_POLYGON_REFLEX;
            if (!q->is_inner[i])
                ASSERT_NEAR(gmc_vec2_dot(q->cones[i].behind, q->normals[i]), 1, 1e-15);
        }
        assert_int_equal(q->has_inner, pieces->count > 1);
    }
    assert_int_equal(outer, n);
    assert_int_equal(inner, 2 * (pieces->count - 1));
    assert_int_equal(convex, n - is_reflex);
    assert_true(reflex >= 2 * is_reflex);
    ASSERT_NEAR_RELATIVE(sum.area, whole.area, ROUNDING);
    ASSERT_NEAR(sum.centroid.x, whole.area * whole.centroid.x, ROUNDING);
    // no more than four times as many as the fewest: at least one for every two reflex vertices
    assert_true(pieces->count <= 4 * (1 + (is_reflex + 1) / 2));
    assert_true(pieces->count <= 1 + 2 * is_reflex);
}

static void split_and_check(const gmc_vec2 *p, int n, int count)
{
    gmc_arena arena;
    gmc_polygon_pieces pieces, again;
    assert_int_equal(gmc_arena_create(&arena, 2 * gmc_polygon_split_bytes(n)), GMC_OK);
    assert_int_equal(gmc_polygon_split(p, n, &arena, &pieces), GMC_OK);
    assert_true(arena.used <= gmc_polygon_split_bytes(n));
    assert_int_equal(gmc_polygon_split(p, n, &arena, &again), GMC_OK);
    for (int k = 0; k < pieces.count; k++)
        assert_memory_equal(pieces.pieces[k].vertices, again.pieces[k].vertices,
                            (size_t)pieces.pieces[k].count * sizeof(gmc_vec2));
    if (count > 0) assert_int_equal(pieces.count, count);
    check_pieces(p, n, &pieces);
    gmc_arena_free(&arena);
}

/// The gear of the grasp maps: trapezoid teeth of `tip` width on a root circle.
static int gear(int teeth, gmc_vec2 *p)
{
    for (int i = 0; i < teeth; i++) {
        const double at[4] = {-0.12, -0.085, 0.085, 0.12}, radius[4] = {17.5, 20.5, 20.5, 17.5};
        for (int k = 0; k < 4; k++) {
            double angle = 2 * GMC_PI * i / teeth + at[k];
            p[4 * i + k] = (gmc_vec2){radius[k] * gmc_cos(angle), radius[k] * gmc_sin(angle)};
        }
    }
    return 4 * teeth;
}

static void polygons_are_cut_into_few_convex_pieces(void **unused)
{
    (void)unused;
    const gmc_vec2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    split_and_check(square, 4, 1);
    const gmc_vec2 ell[] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    split_and_check(ell, 6, 2);
    const gmc_vec2 u[] = {{0, 0}, {5, 0}, {5, 4}, {4, 4}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    split_and_check(u, 8, 3);
    gmc_vec2 teeth[48];
    split_and_check(teeth, gear(12, teeth), 13); // the teeth and the middle
}

static void straight_vertices_are_left_out(void **unused)
{
    (void)unused;
    const gmc_vec2 square[] = {{0, 0}, {0.5, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0.25}};
    gmc_arena arena;
    gmc_polygon_pieces pieces;
    assert_int_equal(gmc_arena_create(&arena, gmc_polygon_split_bytes(6)), GMC_OK);
    assert_int_equal(gmc_polygon_split(square, 6, &arena, &pieces), GMC_OK);
    assert_int_equal(pieces.count, 1);
    assert_int_equal(pieces.pieces[0].count, 4);
    gmc_arena_free(&arena);
}

// Stars with random radii: as jagged as simple polygons come.
static void random_stars(void **unused)
{
    (void)unused;
    for (int k = 0; k < 300; k++) {
        gmc_vec2 p[60];
        int n = 3 + support_index(&the_random, 58);
        for (int i = 0; i < n; i++) {
            double angle = 2 * GMC_PI * (i + support_uniform(&the_random, -0.3, 0.3)) / n;
            double r = support_uniform(&the_random, 0.2, 1);
            p[i] = (gmc_vec2){r * gmc_cos(angle), r * gmc_sin(angle)};
        }
        if (gmc_polygon_check(p, n).flaw == GMC_POLYGON_GOOD) split_and_check(p, n, 0);
    }
}

static void what_cannot_be_cut_is_refused(void **unused)
{
    (void)unused;
    const gmc_vec2 tie[] = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
    const gmc_vec2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    gmc_arena arena;
    gmc_polygon_pieces pieces = {0};
    assert_int_equal(gmc_arena_create(&arena, 64), GMC_OK);
    assert_int_equal(gmc_polygon_split(tie, 4, &arena, &pieces), GMC_E_INPUT);
    assert_int_equal(gmc_polygon_split(square, 4, &arena, &pieces), GMC_E_ARENA_FULL);
    assert_int_equal(arena.used, 0);
    assert_int_equal(pieces.count, 0);
    gmc_arena_free(&arena);
}

int test_polygon(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flaws_are_found_and_located),
        cmocka_unit_test(moments_are_those_of_closed_forms),
        cmocka_unit_test(round_shapes_have_closed_forms),
        cmocka_unit_test(extruded_shapes_have_an_inertia),
        cmocka_unit_test(polygons_are_cut_into_few_convex_pieces),
        cmocka_unit_test(straight_vertices_are_left_out),
        cmocka_unit_test(random_stars),
        cmocka_unit_test(what_cannot_be_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
