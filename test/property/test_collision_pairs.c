// What must hold for every pair of shapes. The gap is judged by a certificate instead of a second
// algorithm: the two points p -+ gap/2 n lie in the two solids, so the distance is at most the gap;
// and the solids are separated by the gap along n, so it is at least the gap. Membership and
// support functions are the test's own.

#include "test/support/colliding.h"

#include <float.h>

enum { PAIRS = 10000, DIRECTIONS = 64 };

/// Coordinates below 0.7 m carry rounding of 1e-16; a few dozen operations.
static const double EXACT = 1e-13;
/// A vertex stands for a corner of two faces up to 1e-5 outside (GMC_PAIR_TOUCH_NEW); two capsules
/// that are parallel within 1e-5 of size share one normal over lines up to ten times as long.
static const double CORNER = 1e-4;
/// Of two rims both places are searched for; each is found to 1e-13 of a turn times its condition.
static const double RIM = 1e-9;
/// Contact of two faces counts as flat until it tilts by about 1e-4 (GMC_PAIR_EDGE_MARGIN), and the
/// nearest candidate may miss the nearest points by 2e-4 of the smaller radius (GMC_PAIR_REALISED).
static const double FLAT = 2.001e-4;

static int open_seeded(void **state)
{
    the.random.state = 20;
    return open_colliding(state);
}

static double radius_of(const gmc_shape *shape)
{
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        return shape->radius;
    case GMC_SHAPE_CAPSULE:
        return shape->radius + shape->half_length;
    case GMC_SHAPE_BOX:
        return gmc_vec3_norm(shape->half);
    case GMC_SHAPE_CYLINDER:
        return sqrt(shape->radius * shape->radius + shape->half_length * shape->half_length);
    case GMC_SHAPE_PLANE:
        return 1e300;
    case GMC_SHAPE_POLYTOPE:
        return shape->scale * shape->polytope->radius;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
    return 0;
}

typedef struct query {
    gmc_shape a, b;
    gmc_pose X_a, X_b;
    double size, reach;
    gmc_contact_point points[8];
    int count;
} query;

static void ask(query *q)
{
    create_pair(q->a, q->X_a, q->b, q->X_b);
    assert_int_equal(gmc_collider_find(the.collider,
                                       &(gmc_collider_scene){.model = &the.geoms->model,
                                                             .X_wb = the.geoms->X_wb,
                                                             .reach = q->reach},
                                       q->points, GMC_COUNT(q->points), &q->count),
                     GMC_OK);
}

/// Two shapes whose separation along some direction is a little more or less than nothing.
static query random_query(gmc_shape_type a, gmc_shape_type b, double depth, double gap)
{
    support_random *r = &the.random;
    query q = {.a = support_shape(r, a, &the.hulls), .b = support_shape(r, b, &the.hulls)};
    gmc_vec3 at = {0.3, -0.2, 0.5}, dir = support_direction(r);
    q.X_a = gmc_pose_make(support_rotation(r), at);
    q.X_b = gmc_pose_make(support_rotation(r), at);
    if (a == GMC_SHAPE_PLANE) dir = gmc_mat3_column(&q.X_a.R, 2);
    if (b == GMC_SHAPE_PLANE) dir = gmc_vec3_neg(gmc_mat3_column(&q.X_b.R, 2));
    q.size = fmin(radius_of(&q.a), radius_of(&q.b));
    double wanted = q.size * support_uniform(r, -depth, gap);
    double s = support_separation(&q.a, &q.X_a, &q.b, &q.X_b, dir);
    q.X_b.p = gmc_vec3_add_scaled(q.X_b.p, wanted - s, dir);
    q.reach = q.size * gap;
    return q;
}

static double separation(const query *q, gmc_vec3 n)
{
    return support_separation(&q->a, &q->X_a, &q->b, &q->X_b, n);
}

/// A lower bound of the largest separation: climb from several directions until one proves what is
/// `wanted`.
static double searched_separation(const query *q, double wanted)
{
    double most = -1e300;
    for (int start = 0; start < 20 && !(most > wanted); start++) {
        gmc_vec3 best = support_direction(&the.random);
        double s = separation(q, best);
        for (double step = 1; step > 1e-7; step *= 0.9)
            for (int k = 0; k < 20; k++) {
                gmc_vec3 turn = support_direction(&the.random);
                gmc_vec3 d = gmc_vec3_unit(gmc_vec3_add_scaled(best, step, turn));
                double next = separation(q, d);
                if (next > s) s = next, best = d;
            }
        most = fmax(most, s);
    }
    return most;
}

typedef struct worst {
    double member, corner, axis, unit, depth;
    int empty, deep;
} worst;

static void check_pair(gmc_shape_type a, gmc_shape_type b, worst *w)
{
    query q = random_query(a, b, 0.05, 0.1);
    ask(&q);
    if (q.count == 0) {
        // then some direction separates by more than the reach; the search is slow, a part will do
        if (support_index(&the.random, 8) > 0) return;
        double wanted = q.reach - 1e-6 * q.size;
        if (!(searched_separation(&q, wanted) > wanted)) w->empty++;
        return;
    }
    gmc_vec3 n = q.points[0].n;
    double gap = 1e300, s = separation(&q, n);
    w->unit = fmax(w->unit, fabs(gmc_vec3_norm(n) - 1));
    for (int i = 0; i < q.count; i++) {
        const gmc_contact_point *p = &q.points[i];
        gap = fmin(gap, p->gap);
        gmc_vec3 on_a = gmc_vec3_add_scaled(p->p, -0.5 * p->gap, n),
                 on_b = gmc_vec3_add_scaled(p->p, 0.5 * p->gap, n);
        double member =
            fmax(support_outside(&q.a, &q.X_a, on_a), support_outside(&q.b, &q.X_b, on_b));
        double *most = q.count > 1 ? &w->corner : &w->member;
        *most = fmax(*most, member / q.size);
        if (i > 0) assert_true(q.points[i].feature > q.points[i - 1].feature);
        for (int j = 0; j < i; j++)
            assert_true(gmc_vec3_norm(gmc_vec3_sub(p->p, q.points[j].p)) > 1e-4 * q.size);
    }
    assert_true(gap <= q.reach);
    w->axis = fmax(w->axis, fabs(gap - s) / q.size);
    if (gap < 0) {
        double better = -1e300;
        for (int k = 0; k < DIRECTIONS; k++)
            better = fmax(better, separation(&q, support_direction(&the.random)));
        w->depth = fmax(w->depth, (better - s) / q.size);
        if (better > s + FLAT * q.size) w->deep++;
    }
}

static const char *const NAMES[] = {"sphere", "capsule", "box", "cylinder", "plane", "polytope"};

// The points lie on both solids, the solids are as far apart along the normal as the nearest
// points, nothing within reach is missed, and no other direction leads out of an overlap on a
// shorter way.
static void gaps_are_certified(void **unused)
{
    (void)unused;
    for (gmc_shape_type a = 0; a < GMC_SHAPE_SOLID_COUNT; a++)
        for (gmc_shape_type b = 0; b < GMC_SHAPE_SOLID_COUNT; b++) {
            if (a == GMC_SHAPE_PLANE && b == GMC_SHAPE_PLANE) continue;
            worst w = {0};
            for (int k = 0; k < PAIRS / 2; k++)
                check_pair(a, b, &w);
            print_message(
                "%-8s %-8s off the solids %.2g, %.2g, gap %.2g, |n| - 1 %.2g, shallower %.2g, "
                "missed %d\n",
                NAMES[a], NAMES[b], w.member, w.corner, w.axis, w.unit, w.depth, w.empty);
            bool is_rim = a == GMC_SHAPE_CYLINDER && b == GMC_SHAPE_CYLINDER;
            assert_true(w.member <= (is_rim ? RIM : EXACT) * near_scale());
            assert_true(w.corner <= CORNER * near_scale());
            assert_true(w.axis <= FLAT * near_scale());
            assert_true(w.unit <= 4e-15 * near_scale());
            assert_int_equal(w.empty, 0);
            assert_true(w.deep <= PAIRS / 2000);
        }
}

static double nearest_gap(const query *q)
{
    double gap = 1e300;
    for (int i = 0; i < q->count; i++)
        gap = fmin(gap, q->points[i].gap);
    return gap;
}

/// Do two queries about the same scene, one seen through X_wo, agree point by point? `sign`: of the
/// normal.
static bool are_same(const query *q, const query *r, const gmc_pose *X_wo, double sign)
{
    if (q->count != r->count) return false;
    for (int i = 0; i < q->count; i++) {
        gmc_vec3 p = gmc_pose_apply(X_wo, q->points[i].p),
                 n = gmc_mat3_apply(&X_wo->R, q->points[i].n);
        bool is_found = false;
        for (int j = 0; j < r->count; j++) {
            const gmc_contact_point *k = &r->points[j];
            // a degree of freedom that a tilt of 1e-3 leaves undecided loses three digits
            is_found |= gmc_vec3_norm(gmc_vec3_sub(k->p, p)) < 1e-10 &&
                        fabs(k->gap - q->points[i].gap) < EXACT &&
                        gmc_vec3_norm(gmc_vec3_sub(gmc_vec3_scale(sign, k->n), n)) < 1e-9;
        }
        if (!is_found) return false;
    }
    return true;
}

// Which solid is called a, and how the world is turned, changes nothing but last digits; where two
// faces are equally good the other one may be the reference, so that gaps agree within what counts
// as flat.
static void roles_and_the_worlds_axes_do_not_matter(void **unused)
{
    (void)unused;
    int queries = 0, exchanged = 0, moved = 0;
    for (gmc_shape_type a = 0; a < GMC_SHAPE_SOLID_COUNT; a++)
        for (gmc_shape_type b = a; b < GMC_SHAPE_SOLID_COUNT; b++)
            for (int k = 0; k < PAIRS / 20 && !(a == GMC_SHAPE_PLANE && b == GMC_SHAPE_PLANE);
                 k++) {
                query q = random_query(a, b, 0.05, 0.1), other = q, turned = q;
                gmc_pose I = gmc_pose_identity(),
                         X_wo = gmc_pose_make(support_rotation(&the.random),
                                              support_direction(&the.random));
                ask(&q);
                other.a = q.b, other.X_a = q.X_b, other.b = q.a, other.X_b = q.X_a;
                ask(&other);
                turned.X_a = gmc_pose_multiply(&X_wo, &q.X_a);
                turned.X_b = gmc_pose_multiply(&X_wo, &q.X_b);
                ask(&turned);
                if (q.count == 0) continue;
                queries++;
                assert_true(other.count > 0);
                assert_true(turned.count > 0);
                ASSERT_NEAR(nearest_gap(&other), nearest_gap(&q), 2 * FLAT * q.size);
                ASSERT_NEAR(nearest_gap(&turned), nearest_gap(&q), 2 * FLAT * q.size);
                exchanged += are_same(&q, &other, &I, -1);
                moved += are_same(&q, &turned, &X_wo, 1);
            }
    print_message("of %d queries %d the same with roles exchanged, %d in a turned world\n", queries,
                  exchanged, moved);
    assert_true(exchanged >= queries * 99 / 100);
    assert_true(moved >= queries * 999 / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_certified),
                                       cmocka_unit_test(roles_and_the_worlds_axes_do_not_matter)};
    return cmocka_run_group_tests(tests, open_seeded, close_colliding);
}
