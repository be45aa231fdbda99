#include "engine/collision/planar.h"
#include "engine/math/elementary.h"
#include "engine/model/polygon.h"
#include "test/support/capability.h"
#include "test/support/mechanism.h"
#include "test/support/near.h"

enum { CORNERS_MAX = 12 };
/// A reach that leaves most pairs out [m].
static const double LITTLE = 1e-4;

static support_random the_random = {20260412};

typedef struct bench {
    gmc_arena arena;
    gmc_pair_cache cache;
    gmc_manifold m;
} bench;

static bench the;

static int open_bench(void **unused)
{
    (void)unused;
    return gmc_arena_create(&the.arena, 1 << 22) == GMC_OK ? 0 : -1;
}

static int close_bench(void **unused)
{
    (void)unused;
    gmc_arena_free(&the.arena);
    return 0;
}

static gmc_shape polygon(const gmc_vec2 *p, int n)
{
    gmc_polygon_pieces pieces;
    assert_int_equal(gmc_polygon_split(p, n, &the.arena, &pieces), GMC_OK);
    assert_int_equal(pieces.count, 1);
    return gmc_polygon_shape(&pieces.pieces[0], 0.02);
}

static gmc_shape rectangle(double x, double y)
{
    const gmc_vec2 p[] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    return polygon(p, 4);
}

static gmc_shape circle(double radius)
{
    return (gmc_shape){.type = GMC_SHAPE_CIRCLE, .radius = radius, .half_length = 0.01};
}

static gmc_shape super_ellipse(double a, double b, double p)
{
    return (gmc_shape){
        .type = GMC_SHAPE_SUPER_ELLIPSE, .half = {a, b, 0}, .exponent = p, .half_length = 0.01};
}

static gmc_pose at(double x, double y, double angle)
{
    return gmc_pose_make(gmc_quat_exp((gmc_vec3){0, 0, angle}), (gmc_vec3){x, y, 0});
}

/// One query of the pair in the bench's cache.
static void query(const gmc_shape *a, gmc_pose X_a, const gmc_shape *b, gmc_pose X_b, double reach,
                  gmc_vec2 drift, double spin)
{
    gmc_pair pair = {.a = {.shape = a, .X = X_a},
                     .b = {.shape = b, .X = X_b},
                     .move = {{0, 0, spin}, {drift.x, drift.y, 0}},
                     .reach = reach,
                     .margin = reach + gmc_vec2_norm(drift) + fabs(spin),
                     .size = fmin(gmc_shape_radius(a), gmc_shape_radius(b)),
                     .cache = &the.cache};
    gmc_planar_find(&pair, &the.m);
    the.cache.kept_count = the.m.count;
    for (int i = 0; i < the.m.count; i++)
        the.cache.kept[i] = the.m.points[i].feature;
    gmc_vec3 n = gmc_mat3_apply_transposed(&X_a.R, the.m.n);
    if (the.m.count > 0) the.cache.normal = n;
}

static void fresh(const gmc_shape *a, gmc_pose X_a, const gmc_shape *b, gmc_pose X_b, double reach)
{
    the.cache = (gmc_pair_cache){0};
    query(a, X_a, b, X_b, reach, (gmc_vec2){0, 0}, 0);
}

static double least_gap(void)
{
    double gap = HUGE_VAL;
    for (int i = 0; i < the.m.count; i++)
        gap = fmin(gap, the.m.points[i].gap);
    return gap;
}

/// A convex polygon with its corners on an ellipse.
static int random_corners(gmc_vec2 *p)
{
    int n = 3 + support_index(&the_random, CORNERS_MAX - 2);
    double a = support_uniform(&the_random, 0.01, 0.05),
           b = support_uniform(&the_random, 0.01, 0.05);
    for (int i = 0; i < n; i++) {
        double angle = 2 * GMC_PI * (i + support_uniform(&the_random, -0.3, 0.3)) / n;
        p[i] = (gmc_vec2){a * gmc_cos(angle), b * gmc_sin(angle)};
    }
    return n;
}

static gmc_pose random_pose(double reach)
{
    return at(support_uniform(&the_random, -reach, reach),
              support_uniform(&the_random, -reach, reach),
              support_uniform(&the_random, -GMC_PI, GMC_PI));
}

static gmc_vec2 apply(const gmc_pose *X, gmc_vec2 p)
{
    gmc_vec3 q = gmc_pose_apply(X, (gmc_vec3){p.x, p.y, 0});
    return (gmc_vec2){q.x, q.y};
}

// Coordinates are of size 0.1 m: rounding of their sums is 1e-16 m.
static const double EXACT = 1e-12;

// A triangle whose tip stands over an edge, at a gap and a place that are given.
static void vertex_edge_gaps_and_normals_are_closed_forms(void **unused)
{
    (void)unused;
    double worst = 0;
    for (int k = 0; k < 4000; k++) {
        gmc_vec2 p[CORNERS_MAX];
        gmc_arena_reset(&the.arena, 0);
        int n = random_corners(p), edge = support_index(&the_random, n);
        gmc_shape a = polygon(p, n);
        gmc_vec2 from = p[edge], to = p[(edge + 1) % n], e = gmc_vec2_sub(to, from);
        gmc_vec2 out = gmc_vec2_neg(gmc_vec2_left(gmc_vec2_unit(e)));
        double t = support_uniform(&the_random, 0.05, 0.95), lean = GMC_PI / 3;
        double gap = support_uniform(&the_random, -1e-5, 0.02);
        gmc_vec2 tip = gmc_vec2_add_scaled(gmc_vec2_add_scaled(from, t, e), gap, out);
        // two corners away from the tip, counter-clockwise
        double one = support_uniform(&the_random, -lean, -0.1),
               two = support_uniform(&the_random, 0.1, lean);
        gmc_vec2 side = gmc_vec2_left(out), q[3] = {{0, 0}};
        for (int i = 1; i < 3; i++) {
            double angle = i == 1 ? one : two, far = support_uniform(&the_random, 0.02, 0.06);
            q[i] = gmc_vec2_add_scaled(gmc_vec2_scale(far * gmc_cos(angle), out),
                                       far * gmc_sin(angle), side);
        }
        gmc_shape b = polygon(q, 3);
        gmc_pose X = random_pose(0.1), X_t = at(tip.x, tip.y, 0), X_b = gmc_pose_multiply(&X, &X_t);
        fresh(&a, X, &b, X_b, 0.021);
        assert_true(the.m.count >= 1);
        int deepest = 0;
        for (int i = 1; i < the.m.count; i++)
            if (the.m.points[i].gap < the.m.points[deepest].gap) deepest = i;
        gmc_vec3 normal = gmc_mat3_apply(&X.R, (gmc_vec3){out.x, out.y, 0});
        worst = fmax(worst, fabs(the.m.points[deepest].gap - gap));
        worst = fmax(worst, gmc_vec3_norm(gmc_vec3_sub(the.m.n, normal)));
        gmc_vec2 middle = apply(&X, gmc_vec2_add_scaled(tip, -gap / 2, out));
        ASSERT_NEAR(the.m.points[deepest].p.x, middle.x, EXACT);
        ASSERT_NEAR(the.m.points[deepest].p.y, middle.y, EXACT);
        assert_int_equal(the.m.points[deepest].feature,
                         gmc_pair_feature(GMC_FEATURE_VERTEX_B, 0, 0));
        // the other way round
        double g = the.m.points[deepest].gap;
        fresh(&b, X_b, &a, X, 0.021);
        ASSERT_NEAR(least_gap(), g, EXACT);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_add(the.m.n, normal)), 0, EXACT);
    }
    capability_at_most(59, worst, EXACT);
}

static double segment_distance(gmc_vec2 a, gmc_vec2 b, gmc_vec2 p)
{
    gmc_vec2 e = gmc_vec2_sub(b, a), r = gmc_vec2_sub(p, a);
    double t = fmax(0, fmin(1, gmc_vec2_dot(r, e) / gmc_vec2_dot(e, e)));
    return gmc_vec2_norm(gmc_vec2_add_scaled(r, -t, e));
}

/// Distance by trying all corners of one against all edges of the other.
static double outline_distance(const gmc_vec2 *p, int n, const gmc_pose *X, const gmc_vec2 *q,
                               int m, const gmc_pose *Y)
{
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            gmc_vec2 a = apply(X, p[i]), b = apply(X, p[(i + 1) % n]), c = apply(Y, q[j]);
            least = fmin(least, segment_distance(a, b, c));
            gmc_vec2 d = apply(Y, q[(j + 1) % m]);
            least = fmin(least, segment_distance(c, d, a));
        }
    return least;
}

// Corners, edges and parallel edges: the distance of the outlines, and both points half the gap
// away from it.
static void distances_are_those_of_the_outlines(void **unused)
{
    (void)unused;
    int apart = 0;
    for (int k = 0; k < 20000; k++) {
        gmc_vec2 p[CORNERS_MAX], q[CORNERS_MAX];
        int n = random_corners(p), m = random_corners(q);
        gmc_shape a = polygon(p, n), b = polygon(q, m);
        gmc_pose X = random_pose(0.03), Y = random_pose(0.08);
        double distance = outline_distance(p, n, &X, q, m, &Y);
        fresh(&a, X, &b, Y, 1);
        assert_true(the.m.count > 0);
        double gap = least_gap();
        if (gap > 0) {
            apart++;
            ASSERT_NEAR(gap, distance, EXACT);
            ASSERT_NEAR(gmc_vec3_norm(the.m.n), 1, 1e-15);
        }
        fresh(&a, X, &b, Y, LITTLE);
        assert_true((the.m.count > 0) == (gap <= LITTLE));
        gmc_arena_reset(&the.arena, 0);
    }
    assert_true(apart > 5000);
}

// Overlap: moved apart by it along the normal they touch, and by less along no other direction.
static void overlaps_are_the_shallowest(void **unused)
{
    (void)unused;
    int deep = 0;
    for (int k = 0; k < 20000; k++) {
        gmc_vec2 p[CORNERS_MAX], q[CORNERS_MAX];
        int n = random_corners(p), m = random_corners(q);
        gmc_shape a = polygon(p, n), b = polygon(q, m);
        gmc_pose X = random_pose(0.03), Y = random_pose(0.06);
        fresh(&a, X, &b, Y, 1);
        double gap = least_gap(), shallowest = HUGE_VAL;
        gmc_arena_reset(&the.arena, 0);
        if (gap >= -1e-6 || gap < -2e-3) continue; // what contacts do, and deeper
        deep++;
        for (int i = 0; i < n + m; i++) {
            bool is_a = i < n;
            const gmc_vec2 *own = is_a ? p : q;
            int j = is_a ? i : i - n, count = is_a ? n : m;
            const gmc_pose *own_X = is_a ? &X : &Y;
            gmc_vec2 v = apply(own_X, own[j]), w = apply(own_X, own[(j + 1) % count]);
            gmc_vec2 normal = gmc_vec2_neg(gmc_vec2_left(gmc_vec2_unit(gmc_vec2_sub(w, v))));
            double far = HUGE_VAL;
            for (int c = 0; c < (is_a ? m : n); c++) {
                gmc_vec2 x = is_a ? apply(&Y, q[c]) : apply(&X, p[c]);
                far = fmin(far, gmc_vec2_dot(normal, gmc_vec2_sub(x, v)));
            }
            shallowest = fmin(shallowest, -far);
        }
        // two corners that overlap like scissors may have no vertex over the edge: the gap is then
        // that of an end of the edge below the other's side, and less deep
        assert_true(-gap <= shallowest + EXACT);
    }
    assert_true(deep > 200);
}

static void parallel_edges_touch_with_two_points(void **unused)
{
    (void)unused;
    gmc_shape a = rectangle(0.05, 0.02), b = rectangle(0.03, 0.01);
    the.cache = (gmc_pair_cache){0};
    // b on a, its right end over a's: a corner of b and a corner of a
    query(&a, at(0, 0, 0), &b, at(0.04, 0.0299, 0), 1e-3, (gmc_vec2){0, 0}, 0);
    assert_int_equal(the.m.count, 2);
    ASSERT_NEAR(the.m.n.y, 1, EXACT);
    ASSERT_NEAR(the.m.points[0].gap, -1e-4, EXACT);
    ASSERT_NEAR(the.m.points[1].gap, -1e-4, EXACT);
    double x[2] = {the.m.points[0].p.x, the.m.points[1].p.x};
    ASSERT_NEAR(fmin(x[0], x[1]), 0.01, EXACT);
    ASSERT_NEAR(fmax(x[0], x[1]), 0.05, EXACT);
    // the names survive a rock to and fro, in which the reference changes from a's edge to b's
    uint64_t names[2] = {the.m.points[0].feature, the.m.points[1].feature};
    const double rocks[] = {1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3, 3e-3, 0};
    for (int i = 0; i < GMC_COUNT(rocks); i++) {
        query(&a, at(0, 0, 0), &b, at(0.04, 0.0299, rocks[i]), 1e-3, (gmc_vec2){0, 0}, 0);
        assert_int_equal(the.m.count, 2);
        for (int j = 0; j < 2; j++)
            assert_int_equal(the.m.points[j].feature, names[j]);
    }
}

// Two boxes of one size on each other: each end has two names, the first given stays.
static void flush_corners_keep_their_names(void **unused)
{
    (void)unused;
    gmc_shape a = rectangle(0.05, 0.02);
    the.cache = (gmc_pair_cache){0};
    query(&a, at(0, 0, 0), &a, at(0, 0.04, 0), 1e-3, (gmc_vec2){0, 0}, 0);
    assert_int_equal(the.m.count, 2);
    uint64_t names[2] = {the.m.points[0].feature, the.m.points[1].feature};
    for (int k = 0; k < 200; k++) {
        double stray = support_uniform(&the_random, -4e-6, 4e-6), turn = stray * 10;
        query(&a, at(0, 0, 0), &a, at(stray, 0.04 - 1e-6, turn), 1e-3, (gmc_vec2){0, 0}, 0);
        assert_int_equal(the.m.count, 2);
        for (int j = 0; j < 2; j++)
            assert_int_equal(the.m.points[j].feature, names[j]);
    }
}

// A corner that slides past a corner, and a plate's edge behind a plate of the same height, stop
// nothing; the same corner on its way into the other one does.
static void what_slides_past_is_not_stopped(void **unused)
{
    (void)unused;
    gmc_shape a = rectangle(0.05, 0.02), b = rectangle(0.03, 0.01);
    the.cache = (gmc_pair_cache){0};
    // 1 mm before the corner and 0.1 mm above it, 4 mm a step to the right
    query(&a, at(0, 0, 0), &b, at(-0.081, 0.0301, 0), 1e-3, (gmc_vec2){0.004, 0}, 0);
    for (int i = 0; i < the.m.count; i++)
        ASSERT_NEAR(the.m.n.y, 1, 0); // held up, not back
    // pressed 1 um into the plate before, which is flush with this one
    query(&a, at(0, 0, 0), &b, at(-0.081, 0.03 - 1e-6, 0), 1e-3, (gmc_vec2){0.004, 0}, 0);
    for (int i = 0; i < the.m.count; i++)
        ASSERT_NEAR(the.m.n.y, 1, 0);
    // against its side
    the.cache = (gmc_pair_cache){0};
    query(&a, at(0, 0, 0), &b, at(-0.081, 0.01, 0), 1e-3, (gmc_vec2){0.004, 0}, 0);
    assert_true(the.m.count > 0);
    ASSERT_NEAR(the.m.n.x, -1, 0);
    ASSERT_NEAR(least_gap(), 0.001, EXACT);
    // at rest: the nearest corners
    the.cache = (gmc_pair_cache){0};
    query(&a, at(0, 0, 0), &b, at(-0.0804, 0.0303, 0), 1e-3, (gmc_vec2){0, 0}, 0);
    assert_int_equal(the.m.count, 1);
    ASSERT_NEAR(least_gap(), 5e-4, EXACT);
    ASSERT_NEAR(the.m.n.x, -0.8, EXACT);
    ASSERT_NEAR(the.m.n.y, 0.6, EXACT);
}

static void what_is_far_is_left_out(void **unused)
{
    (void)unused;
    gmc_shape a = rectangle(0.05, 0.02), b = rectangle(0.03, 0.01), c = circle(0.01);
    gmc_shape e = super_ellipse(0.03, 0.01, 4);
    gmc_vec2 none = {0, 0}, away = {0, 0.01}, nearer = {0, -0.01};
    const gmc_shape *over[] = {&b, &c, &e};
    for (int k = 0; k < GMC_COUNT(over); k++) {
        the.cache = (gmc_pair_cache){0};
        query(&a, at(0, 0, 0), over[k], at(0, 0.0315, 0), 1e-3, none, 0);
        assert_int_equal(the.m.count, 0);
        query(&a, at(0, 0, 0), over[k], at(0, 0.0315, 0), 1e-3, away, 0);
        assert_int_equal(the.m.count, 0);
        the.cache.is_apart = false;
        query(&a, at(0, 0, 0), over[k], at(0, 0.0315, 0), 1e-3, nearer, 0);
        assert_true(the.m.count > 0);
        ASSERT_NEAR(least_gap(), 1.5e-3, EXACT);
    }
}

// ---- circles ------------------------------------------------------------------------------------

static void circles(void **unused)
{
    (void)unused;
    gmc_shape a = circle(0.02), b = circle(0.01);
    fresh(&a, at(0, 0, 0.4), &b, at(0.03, 0.04, 2), 1);
    assert_int_equal(the.m.count, 1);
    ASSERT_NEAR(the.m.points[0].gap, 0.02, EXACT);
    ASSERT_NEAR(the.m.n.x, 0.6, EXACT);
    ASSERT_NEAR(the.m.points[0].p.x, 0.6 * 0.03, EXACT);
    ASSERT_NEAR(the.m.points[0].p.y, 0.8 * 0.03, EXACT);
    fresh(&a, at(0, 0, 0), &b, at(0, 0, 0), 1); // one inside the other: some unit normal
    ASSERT_NEAR(the.m.points[0].gap, -0.03, EXACT);
    ASSERT_NEAR(gmc_vec3_norm(the.m.n), 1, 0);
}

/// Beside a corner a round body may lie within the heights of both edges and yet be far.
static void check_little_reach(const gmc_shape *a, gmc_pose X, const gmc_shape *b, gmc_pose Y,
                               double gap)
{
    fresh(a, X, b, Y, LITTLE);
    assert_int_equal(the.m.count, gap <= LITTLE);
    if (the.m.count > 0) ASSERT_NEAR(the.m.points[0].gap, gap, EXACT);
}

// Against the distance of its centre from the outline.
static void circles_and_polygons(void **unused)
{
    (void)unused;
    int inside = 0;
    for (int k = 0; k < 20000; k++) {
        gmc_vec2 p[CORNERS_MAX];
        int n = random_corners(p);
        gmc_shape a = polygon(p, n), c = circle(support_uniform(&the_random, 0.002, 0.03));
        gmc_pose X = random_pose(0.03), Y = random_pose(0.07);
        double distance = HUGE_VAL;
        bool is_in = true;
        gmc_vec2 centre = {Y.p.x, Y.p.y};
        for (int i = 0; i < n; i++) {
            gmc_vec2 v = apply(&X, p[i]), w = apply(&X, p[(i + 1) % n]);
            distance = fmin(distance, segment_distance(v, w, centre));
            is_in = is_in && gmc_vec2_cross(gmc_vec2_sub(w, v), gmc_vec2_sub(centre, v)) > 0;
        }
        double gap = (is_in ? -distance : distance) - c.radius;
        inside += is_in;
        fresh(&a, X, &c, Y, 1);
        assert_int_equal(the.m.count, 1);
        ASSERT_NEAR(the.m.points[0].gap, gap, EXACT);
        gmc_vec3 n_ab = the.m.n, p_ab = the.m.points[0].p;
        gmc_vec2 on = {p_ab.x - n_ab.x * gap / 2, p_ab.y - n_ab.y * gap / 2}; // on the outline
        double off = HUGE_VAL;
        for (int i = 0; i < n; i++)
            off = fmin(off, segment_distance(apply(&X, p[i]), apply(&X, p[(i + 1) % n]), on));
        ASSERT_NEAR(off, 0, EXACT);
        fresh(&c, Y, &a, X, 1);
        ASSERT_NEAR(the.m.points[0].gap, gap, EXACT);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_add(the.m.n, n_ab)), 0, EXACT);
        check_little_reach(&a, X, &c, Y, gap);
        gmc_arena_reset(&the.arena, 0);
    }
    assert_true(inside > 500);
}

// ---- super-ellipses -----------------------------------------------------------------------------

static gmc_vec2 outline(const gmc_shape *s, const gmc_pose *X, double angle)
{
    double c = gmc_cos(angle), d = gmc_sin(angle), p = s->exponent;
    double power = gmc_pow(fabs(c) / s->half.x, p) + gmc_pow(fabs(d) / s->half.y, p);
    double r = gmc_pow(power, -1 / p);
    return apply(X, (gmc_vec2){r * c, r * d});
}

/// Smallest distance of two outlines by sampling them, ever more finely around the best pair.
static double sampled_distance(const gmc_shape *a, const gmc_pose *X, const gmc_shape *b,
                               const gmc_pose *Y)
{
    enum { FIRST = 240, GRID = 12, LEVELS = 40 };
    static gmc_vec2 p[FIRST], q[FIRST];
    double best_a = 0, best_b = 0, least = HUGE_VAL, width = 2 * 2 * GMC_PI / FIRST;
    for (int i = 0; i < FIRST; i++) {
        p[i] = outline(a, X, 2 * GMC_PI * i / FIRST);
        q[i] = outline(b, Y, 2 * GMC_PI * i / FIRST);
    }
    for (int i = 0; i < FIRST; i++)
        for (int j = 0; j < FIRST; j++) {
            double d = gmc_vec2_norm(gmc_vec2_sub(p[i], q[j]));
            if (d < least)
                least = d, best_a = 2 * GMC_PI * i / FIRST, best_b = 2 * GMC_PI * j / FIRST;
        }
    for (int level = 0; level < LEVELS; level++, width *= 0.6) {
        double from_a = best_a, from_b = best_b;
        for (int i = -GRID; i <= GRID; i++)
            for (int j = -GRID; j <= GRID; j++) {
                double u = from_a + width * i / GRID, v = from_b + width * j / GRID;
                double d = gmc_vec2_norm(gmc_vec2_sub(outline(a, X, u), outline(b, Y, v)));
                if (d < least) least = d, best_a = u, best_b = v;
            }
    }
    return least;
}

/// |x/a|^p + |y/b|^p - 1 at a point.
static double outside(const gmc_shape *s, const gmc_pose *X, gmc_vec3 p)
{
    gmc_vec3 x = gmc_pose_apply_inverse(X, p);
    return gmc_pow(fabs(x.x) / s->half.x, s->exponent) +
           gmc_pow(fabs(x.y) / s->half.y, s->exponent) - 1;
}

static gmc_shape random_ellipse(void)
{
    const double exponents[] = {1.3, 2, 2.5, 4, 10};
    return super_ellipse(support_uniform(&the_random, 0.01, 0.05),
                         support_uniform(&the_random, 0.01, 0.05),
                         exponents[support_index(&the_random, GMC_COUNT(exponents))]);
}

// Within 1e-8 m, which a spring of 1e6 N/m gives under 10 mN.
static void super_ellipse_distances_agree_with_dense_sampling(void **unused)
{
    (void)unused;
    int apart = 0;
    double worst = 0;
    for (int k = 0; k < 120; k++) {
        gmc_shape a = random_ellipse(), b = random_ellipse();
        gmc_pose X = random_pose(0.03), Y = random_pose(0.12);
        fresh(&a, X, &b, Y, 1);
        assert_int_equal(the.m.count, 1);
        double gap = the.m.points[0].gap;
        gmc_vec3 half = gmc_vec3_scale(gap / 2, the.m.n);
        // its ends are on the outlines; the power p magnifies rounding
        ASSERT_NEAR(outside(&a, &X, gmc_vec3_sub(the.m.points[0].p, half)), 0, 1e-12);
        ASSERT_NEAR(outside(&b, &Y, gmc_vec3_add(the.m.points[0].p, half)), 0, 1e-12);
        if (gap <= 0) continue;
        apart++;
        double sampled = sampled_distance(&a, &X, &b, &Y);
        worst = fmax(worst, fabs(gap - sampled));
        assert_true(gap <= sampled + 1e-15);
    }
    capability_at_most(60, worst, 1e-8);
    assert_true(apart > 50);
}

// Farthest points and the largest separation over many directions: no direction separates more.
static void super_ellipse_gaps_are_largest_separations(void **unused)
{
    (void)unused;
    enum { DIRECTIONS = 1000 };
    for (int k = 0; k < 600; k++) {
        gmc_shape a = random_ellipse(), b = random_ellipse();
        gmc_pose X = random_pose(0.02), Y = random_pose(0.06);
        if (k % 3 == 0) b = circle(support_uniform(&the_random, 0.005, 0.03));
        fresh(&a, X, &b, Y, 1);
        double gap = the.m.points[0].gap, most = -HUGE_VAL;
        for (int i = 0; i < DIRECTIONS; i++) {
            double angle = 2 * GMC_PI * i / DIRECTIONS, s = -HUGE_VAL, u = gmc_cos(angle),
                   v = gmc_sin(angle);
            double half = 0, base = u * (Y.p.x - X.p.x) + v * (Y.p.y - X.p.y);
            const gmc_shape *both[2] = {&a, &b};
            const gmc_pose *poses[2] = {&X, &Y};
            for (int j = 0; j < 2; j++) {
                gmc_vec3 d = gmc_mat3_apply_transposed(&poses[j]->R, (gmc_vec3){u, v, 0});
                double p = both[j]->exponent, q = p / (p - 1);
                half += both[j]->type == GMC_SHAPE_CIRCLE
                            ? both[j]->radius
                            : gmc_pow(gmc_pow(both[j]->half.x * fabs(d.x), q) +
                                          gmc_pow(both[j]->half.y * fabs(d.y), q),
                                      1 / q);
            }
            s = base - half;
            most = fmax(most, s);
        }
        if (gap < -5e-3) continue; // nearly concentric: nothing that touches
        assert_true(gap >= most - 1e-12);
        // the directions tried miss the best one by pi / DIRECTIONS at most, where s is flat: but
        // for corners, which p = 10 nearly has, by size times that
        assert_true(gap <= most + 0.1 * GMC_PI / DIRECTIONS);
        // from where it was before it comes to the same
        the.cache.kept_count = 1;
        double before = gap;
        query(&a, X, &b, Y, 1, (gmc_vec2){0, 0}, 0);
        if (before > -1e-3) ASSERT_NEAR(the.m.points[0].gap, before, EXACT);
    }
}

static void super_ellipses_and_polygons(void **unused)
{
    (void)unused;
    int apart = 0;
    for (int k = 0; k < 200; k++) {
        gmc_arena_reset(&the.arena, 0);
        gmc_vec2 p[CORNERS_MAX];
        int n = random_corners(p);
        gmc_shape a = polygon(p, n), b = random_ellipse();
        gmc_pose X = random_pose(0.02), Y = random_pose(0.1);
        fresh(&a, X, &b, Y, 1);
        assert_int_equal(the.m.count, 1);
        double gap = the.m.points[0].gap, least = HUGE_VAL;
        gmc_vec3 n_ab = the.m.n;
        if (gap <= 0) continue;
        apart++;
        for (int edge = 0; edge < n; edge++) {
            gmc_vec2 v = apply(&X, p[edge]), w = apply(&X, p[(edge + 1) % n]);
            double best = 0, width = GMC_PI, of_edge = HUGE_VAL;
            for (int level = 0; level < 60; level++, width *= 0.6)
                for (int i = -100; i <= 100; i++) {
                    if (level > 3 && i % 10) continue;
                    double u = best + width * i / 100;
                    double d = segment_distance(v, w, outline(&b, &Y, u));
                    if (d < of_edge) of_edge = d, best = u;
                }
            least = fmin(least, of_edge);
        }
        ASSERT_NEAR(gap, least, 1e-8); // as above
        fresh(&b, Y, &a, X, 1);
        ASSERT_NEAR(the.m.points[0].gap, gap, EXACT);
        ASSERT_NEAR(gmc_vec3_norm(gmc_vec3_add(n_ab, the.m.n)), 0, EXACT);
        check_little_reach(&a, X, &b, Y, gap);
    }
    assert_true(apart > 80);
}

int test_planar(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_edge_gaps_and_normals_are_closed_forms),
        cmocka_unit_test(distances_are_those_of_the_outlines),
        cmocka_unit_test(overlaps_are_the_shallowest),
        cmocka_unit_test(parallel_edges_touch_with_two_points),
        cmocka_unit_test(flush_corners_keep_their_names),
        cmocka_unit_test(what_slides_past_is_not_stopped),
        cmocka_unit_test(what_is_far_is_left_out),
        cmocka_unit_test(circles),
        cmocka_unit_test(circles_and_polygons),
        cmocka_unit_test(super_ellipse_distances_agree_with_dense_sampling),
        cmocka_unit_test(super_ellipse_gaps_are_largest_separations),
        cmocka_unit_test(super_ellipses_and_polygons),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
