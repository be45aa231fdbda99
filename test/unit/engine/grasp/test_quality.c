// What contacts can hold (wrench.h): closed forms in the plane and in space at several sizes and
// coefficients, a table of hulls in six dimensions, and the linear program against the hull on
// random grasps.
#include "engine/grasp/wrench.h"
#include "engine/math/elementary.h"
#include "test/support/capability.h"
#include "test/support/held.h"

#include <math.h>

static double least_friction(held *h)
{
    double friction = NAN;
    assert_int_equal(gmc_wrench_least_friction(&h->grasp, &h->arena, &friction), GMC_OK);
    return friction;
}

// On the rim of a body of revolution about z, normals to the axis, t1 along the rim.
static void touch_equator(held *h, double angle, double size, double friction)
{
    gmc_vec3 out = {gmc_cos(angle), gmc_sin(angle), 0};
    touch(h, gmc_vec3_scale(size, out), gmc_vec3_neg(out), (gmc_vec3){-out.y, out.x, 0}, friction);
}

static const double PI = 3.14159265358979323846;
static const double SIZES[] = {2e-3, 0.05, 3};

static double relative(double a, double b) { return fabs(a / b - 1); }

// Epsilons as published for these grasps with exact facets. Volumes by beneath-beyond in rational
// numbers of the wrenches rounded to 2^-40: exact to 1e-11, as are the epsilons' further digits.
static void sets_of_six_dimensions_have_the_epsilon_and_volume_of_exact_hulls(void **state)
{
    static const struct {
        int contacts;
        double rho, friction, epsilon, volume;
    } TABLE[] = {
        {3, 1, 0.3, 0.1622103638, 0.00798942702},
        {3, 1, 0.5, 0.2759251557, 0.0788798352},
        {3, 1, 1.0, 0.5546944623, 2.21130277},
        {4, 1.7320508075688772, 0.3, 0.1175366811, 0.00301650724},
        {4, 1.7320508075688772, 0.5, 0.1958944684, 0.0285979171},
        {4, 1.7320508075688772, 1.0, 0.3917889369, 0.823656144},
    };
    held *h = *state;
    double worst_epsilon = 0, worst_volume = 0;
    for (int i = 0; i < GMC_COUNT(TABLE); i++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++) {
            begin(h, false, SIZES[s] * TABLE[i].rho);
            for (int k = 0; k < TABLE[i].contacts; k++)
                touch_equator(h, 2 * PI * k / TABLE[i].contacts, SIZES[s], TABLE[i].friction);
            gmc_wrench_quality quality = quality_of(h, GMC_WRENCH_L1, NULL);
            worst_epsilon = fmax(worst_epsilon, fabs(quality.epsilon - TABLE[i].epsilon));
            worst_volume = fmax(worst_volume, relative(quality.volume, TABLE[i].volume));
            assert_true(closes(h));
        }
    capability_at_most(35, worst_epsilon, 1e-6);
    capability_at_most(35, worst_volume, 1e-3);
    assert_true(worst_epsilon <= 1e-8); // the joggle's 1e-9 and the table's last digit
    assert_true(worst_volume <= 1e-7);  // the joggle's, times six dimensions and a few facets
}

// Spirals of contacts over a sphere, from the same program; closure by another solver of programs
// there says that all of them close with any friction.
static void sets_of_many_contacts_have_the_epsilon_and_volume_of_exact_hulls(void **state)
{
    static const struct {
        int contacts;
        double friction, epsilon, volume;
    } TABLE[] = {{4, 0.4, 0.22458035, 0.103834579},
                 {7, 0.4, 0.3176751442, 0.310371566},
                 {12, 0.4, 0.3576541687, 0.49963746},
                 {12, 0.05, 0.04482307133, 0.00070192052}};
    held *h = *state;
    for (int i = 0; i < GMC_COUNT(TABLE); i++) {
        begin(h, false, 1);
        for (int k = 0; k < TABLE[i].contacts; k++) {
            double z = 1 - (2 * k + 1.0) / TABLE[i].contacts, a = 2.399963229728653 * k;
            double r = sqrt(1 - z * z), c = gmc_cos(a), s = gmc_sin(a);
            gmc_vec3 p = {r * c, r * s, z};
            touch(h, p, gmc_vec3_neg(p), (gmc_vec3){-s, c, 0}, TABLE[i].friction);
        }
        gmc_wrench_quality quality = quality_of(h, GMC_WRENCH_L1, NULL);
        assert_true(fabs(quality.epsilon - TABLE[i].epsilon) <= 1e-8);
        assert_true(relative(quality.volume, TABLE[i].volume) <= 1e-7);
        assert_true(closes(h));
    }
}

// Two contacts at the ends of a disk's diameter, in the plane: the hull is a tetrahedron.
//   L1: epsilon mu / √(2 + mu²), volume 8 mu² / 3
//   L∞: the sum of two triangles, epsilon √2 mu / √(1 + 2 mu²), volume 8 mu²
static void a_disk_between_two_contacts_has_the_closed_form(void **state)
{
    static const double FRICTIONS[] = {0.05, 0.3, 0.5, 1, 2};
    held *h = *state;
    double worst = 0, worst_volume = 0;
    for (int i = 0; i < GMC_COUNT(FRICTIONS); i++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++) {
            double mu = FRICTIONS[i], mu2 = mu * mu;
            begin(h, true, SIZES[s]);
            touch_equator(h, 0.3, SIZES[s], mu);
            touch_equator(h, 0.3 + PI, SIZES[s], mu);
            gmc_wrench_quality one = quality_of(h, GMC_WRENCH_L1, NULL);
            gmc_wrench_quality each = quality_of(h, GMC_WRENCH_LINF, NULL);
            worst = fmax(worst, fabs(one.epsilon - mu / sqrt(2 + mu2)));
            worst = fmax(worst, fabs(each.epsilon - sqrt(2) * mu / sqrt(1 + 2 * mu2)));
            worst_volume = fmax(worst_volume, relative(one.volume, 8 * mu2 / 3));
            worst_volume = fmax(worst_volume, relative(each.volume, 8 * mu2));
            assert_true(closes(h));
            assert_int_equal(one.points, 4);
            assert_int_equal(each.points, 9);
            assert_true(least_friction(h) == 0);
        }
    capability_at_most(35, worst, 1e-6);
    capability_at_most(35, worst_volume, 1e-3);
    assert_true(worst <= 1e-8);
    assert_true(worst_volume <= 1e-6); // the thinnest is 0.05 thick in two of three directions
}

// Nothing resists a moment about the line between two hard points.
static void two_points_in_space_never_close(void **state)
{
    held *h = *state;
    for (int s = 0; s < GMC_COUNT(SIZES); s++) {
        begin(h, false, SIZES[s]);
        touch_equator(h, 0.7, SIZES[s], 3);
        touch_equator(h, 0.7 + PI, SIZES[s], 3);
        gmc_wrench_quality quality = quality_of(h, GMC_WRENCH_L1, NULL);
        assert_false(closes(h));
        assert_true(quality.epsilon == -1);
        assert_true(quality.volume == 0);
        assert_int_equal(quality.facets, 0);
        assert_true(isinf(least_friction(h)));
    }
}

// What closes by less than 1e-8 does not, by a few times that in friction.
static const double LEAST = 1e-7;

// The chord between two contacts of a disk stands at an angle to both normals: it closes in the
// plane where that is less than atan mu.
static void a_chord_needs_the_tangent_of_its_angle(void **state)
{
    held *h = *state;
    for (int i = 1; i < 8; i++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++) {
            double angle = 0.15 * i;
            begin(h, true, SIZES[s]);
            touch_equator(h, 0.2, SIZES[s], gmc_tan(angle) * 1.001);
            touch_equator(h, 0.2 + PI - 2 * angle, SIZES[s], gmc_tan(angle) * 1.001);
            assert_true(closes(h));
            assert_true(relative(least_friction(h), gmc_tan(angle)) <= LEAST);
            for (int k = 0; k < 2; k++)
                h->contacts[k].friction = gmc_tan(angle) * 0.999;
            assert_false(closes(h));
            assert_true(quality_of(h, GMC_WRENCH_L1, NULL).epsilon == -1);
        }
}

// Opposed contacts, two in the plane and three in space, close with any friction. From 1e-8 on it
// counts; below it rounding may take it for none, for closure and epsilon alike.
static void next_to_no_friction(void **state)
{
    static const double FRICTIONS[] = {0, 1e-12, 1e-9, 1e-8, 1e-7, 1e-5};
    held *h = *state;
    for (int planar = 0; planar < 2; planar++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++)
            for (int i = 0; i < GMC_COUNT(FRICTIONS); i++) {
                int count = planar ? 2 : 3;
                bool counts = FRICTIONS[i] >= 1e-8, is_none = FRICTIONS[i] <= 1e-12;
                begin(h, planar, SIZES[s]);
                for (int k = 0; k < count; k++)
                    touch_equator(h, 0.3 + 2 * PI * k / count, SIZES[s], FRICTIONS[i]);
                assert_true(least_friction(h) == 0);
                double epsilon = quality_of(h, GMC_WRENCH_L1, NULL).epsilon;
                assert_true(closes(h) == (epsilon > 0));
                assert_true(closes(h) || epsilon == -1);
                if (counts || is_none) assert_true(closes(h) == counts);
            }
}

// Three contacts on a sphere above its middle press it down, unless friction along the meridian
// bears it: tan of the elevation.
static void contacts_above_the_middle_need_the_tangent_of_their_elevation(void **state)
{
    held *h = *state;
    for (int i = 1; i < 6; i++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++) {
            double up = 0.2 * i;
            begin(h, false, SIZES[s]);
            for (int k = 0; k < 3; k++) {
                double a = 2 * PI * k / 3, c = gmc_cos(a), q = gmc_sin(a);
                gmc_vec3 out = {gmc_cos(up) * c, gmc_cos(up) * q, gmc_sin(up)};
                gmc_vec3 meridian = {-gmc_sin(up) * c, -gmc_sin(up) * q, gmc_cos(up)};
                touch(h, gmc_vec3_scale(SIZES[s], out), gmc_vec3_neg(out), meridian, 0.1);
            }
            assert_true(relative(least_friction(h), gmc_tan(up)) <= LEAST);
        }
}

// Four contacts without friction on a square: their moments cancel, or all turn it one way.
static void contacts_without_friction_close_where_moments_cancel(void **state)
{
    static const double ANGLES[] = {0, PI / 2, PI, 3 * PI / 2};
    held *h = *state;
    for (int turn = 0; turn < 2; turn++) {
        begin(h, true, 1.5);
        for (int k = 0; k < 4; k++) {
            gmc_vec3 out = {gmc_cos(ANGLES[k]), gmc_sin(ANGLES[k]), 0}, t = {-out.y, out.x, 0};
            double beside = turn == 0 && k % 2 ? -0.4 : 0.4;
            touch(h, gmc_vec3_add(out, gmc_vec3_scale(beside, t)), gmc_vec3_neg(out), t, 0);
        }
        assert_int_equal(quality_of(h, GMC_WRENCH_L1, NULL).points, 4);
        assert_int_equal(closes(h), turn == 0);
        assert_true((quality_of(h, GMC_WRENCH_L1, NULL).epsilon > 0) == (turn == 0));
        if (turn == 0) assert_true(least_friction(h) == 0);
    }
}

// A weight between two fingers that press with 1/2 each: friction bears mu of it, though the grasp
// does not close; with the pyramid's edges beside the weight, less by the cosine of half a corner.
static void fingers_bear_mu_of_what_they_press(void **state)
{
    const double down[] = {0, 0, -9.81, 0, 0, 0}, twist[] = {0, 0, 0, 1, 0, 0};
    const double turns[] = {0, PI / 8};
    held *h = *state;
    for (int i = 0; i < 2; i++)
        for (int s = 0; s < GMC_COUNT(SIZES); s++) {
            double share = NAN, mu = 0.2 + 0.3 * s;
            gmc_vec3 along = {0, gmc_sin(turns[i]), gmc_cos(turns[i])};
            begin(h, false, SIZES[s]);
            touch(h, (gmc_vec3){SIZES[s], 0, 0}, (gmc_vec3){-1, 0, 0}, along, mu);
            touch(h, (gmc_vec3){-SIZES[s], 0, 0}, (gmc_vec3){1, 0, 0}, along, mu);
            assert_int_equal(gmc_wrench_holds(&h->grasp, down, &h->arena, &share), GMC_OK);
            assert_true(relative(share * 9.81, mu * gmc_cos(turns[i])) <= 1e-12); // some pivots
            assert_int_equal(gmc_wrench_holds(&h->grasp, twist, &h->arena, &share), GMC_OK);
            assert_true(relative(share, 1e-6) <= 1e-9); // what places that are off let pass
        }
}

// A ball of loads is what epsilon is of; one twice as large fits half. A load along one axis is
// held as far as its ray stays inside, and never less than the ball.
static void tasks_fit_as_far_as_facets_let_them(void **state)
{
    const double ball[] = {1, 1, 1, 1, 1, 1}, twice[] = {2, 2, 2, 2, 2, 2};
    const double needle[] = {1e-9, 1e-9, 1, 1e-9, 1e-9, 1e-9};
    const double up[] = {0, 0, 1, 0, 0, 0}, down[] = {0, 0, -1, 0, 0, 0};
    held *h = *state;
    begin(h, false, 1);
    for (int k = 0; k < 3; k++)
        touch_equator(h, 2 * PI * k / 3, 1, 0.6);
    gmc_wrench_quality one = quality_of(h, GMC_WRENCH_L1, ball);
    assert_true(one.epsilon > 0);
    assert_true(relative(one.task, one.epsilon) <= 1e-14);
    assert_true(relative(quality_of(h, GMC_WRENCH_L1, twice).task, one.epsilon / 2) <= 1e-14);
    double of_up, of_down;
    assert_int_equal(gmc_wrench_holds(&h->grasp, up, &h->arena, &of_up), GMC_OK);
    assert_int_equal(gmc_wrench_holds(&h->grasp, down, &h->arena, &of_down), GMC_OK);
    // the needle's other axes and the joggle: 1e-9 each
    assert_true(relative(quality_of(h, GMC_WRENCH_L1, needle).task, fmin(of_up, of_down)) <= 1e-7);
    assert_true(fmin(of_up, of_down) >= one.epsilon);
}

// A sample of what quality_chance goes through.
static void the_program_and_the_hull_agree_on_random_grasps(void **state)
{
    held *h = *state;
    const int few[2] = {3, 4}, many[2] = {12, 12};
    int closed = 0;
    assert_int_equal(count_contradictions(h, 400, few, &closed), 0);
    assert_true(closed > 40 && closed < 360); // both answers come up
    closed = 0;
    assert_int_equal(count_contradictions(h, 10, many, &closed), 0);
    assert_true(closed > 1);
}

static void the_same_grasp_has_the_same_bits(void **state)
{
    held *h = *state;
    gmc_chance chance = {12};
    touch_anywhere(h, 5, &chance);
    gmc_wrench_quality first = quality_of(h, GMC_WRENCH_L1, NULL);
    for (int i = 0; i < 3; i++) {
        gmc_wrench_quality again = quality_of(h, GMC_WRENCH_L1, NULL);
        assert_true(again.volume == first.volume && again.epsilon == first.epsilon &&
                    again.nearest == first.nearest && again.facets == first.facets);
    }
}

// Contacts at one place, as of two meshes' common corner: the points of the hull repeat.
static void contacts_in_one_place_change_nothing(void **state)
{
    held *h = *state;
    double epsilon[2], volume[2];
    for (int times = 1; times <= 2; times++) {
        begin(h, false, 1);
        for (int k = 0; k < 3 * times; k++)
            touch_equator(h, 2 * PI * (k % 3) / 3, 1, 0.5);
        gmc_wrench_quality quality = quality_of(h, GMC_WRENCH_L1, NULL);
        epsilon[times - 1] = quality.epsilon;
        volume[times - 1] = quality.volume;
        assert_true(closes(h));
    }
    assert_true(fabs(epsilon[1] - epsilon[0]) <= 1e-8);
    assert_true(relative(volume[1], volume[0]) <= 1e-7);
}

static void five_contacts_are_too_many_for_a_sum(void **state)
{
    held *h = *state;
    gmc_wrench_quality quality;
    gmc_chance chance = {5};
    touch_anywhere(h, 5, &chance);
    assert_int_equal(gmc_wrench_measure(&h->grasp, GMC_WRENCH_LINF, NULL, &h->arena, &quality),
                     GMC_E_LIMIT);
    assert_int_equal(quality.points, 59049);
    h->grasp.count = 3;
    assert_int_equal(gmc_wrench_measure(&h->grasp, GMC_WRENCH_LINF, NULL, &h->arena, &quality),
                     GMC_OK);
    assert_int_equal(quality.points, 729);
}

static void what_has_no_room_says_so(void **state)
{
    held *h = *state;
    gmc_arena small;
    gmc_wrench_quality quality;
    bool is_closed = true;
    double number = 7;
    const double load[] = {0, 0, -1, 0, 0, 0};
    gmc_chance chance = {5};
    touch_anywhere(h, 4, &chance);
    assert_int_equal(gmc_arena_create(&small, 128), GMC_OK);
    assert_int_equal(gmc_wrench_closes(&h->grasp, &small, &is_closed), GMC_E_ARENA_FULL);
    assert_int_equal(gmc_wrench_holds(&h->grasp, load, &small, &number), GMC_E_ARENA_FULL);
    assert_int_equal(gmc_wrench_least_friction(&h->grasp, &small, &number), GMC_E_ARENA_FULL);
    assert_int_equal(gmc_wrench_measure(&h->grasp, GMC_WRENCH_L1, NULL, &small, &quality),
                     GMC_E_ARENA_FULL);
    assert_int_equal(gmc_wrench_measure(&h->grasp, GMC_WRENCH_LINF, NULL, &small, &quality),
                     GMC_E_ARENA_FULL);
    assert_true(is_closed && number == 7);
    assert_int_equal(gmc_arena_mark(&small), 0);
    gmc_arena_free(&small);
}

static void nothing_that_touches_does_not_close(void **state)
{
    held *h = *state;
    begin(h, false, 1);
    assert_false(closes(h));
    assert_true(quality_of(h, GMC_WRENCH_L1, NULL).epsilon == -1);
    assert_true(isinf(least_friction(h)));
}

int test_quality(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_six_dimensions_have_the_epsilon_and_volume_of_exact_hulls),
        cmocka_unit_test(sets_of_many_contacts_have_the_epsilon_and_volume_of_exact_hulls),
        cmocka_unit_test(a_disk_between_two_contacts_has_the_closed_form),
        cmocka_unit_test(two_points_in_space_never_close),
        cmocka_unit_test(a_chord_needs_the_tangent_of_its_angle),
        cmocka_unit_test(next_to_no_friction),
        cmocka_unit_test(contacts_above_the_middle_need_the_tangent_of_their_elevation),
        cmocka_unit_test(contacts_without_friction_close_where_moments_cancel),
        cmocka_unit_test(fingers_bear_mu_of_what_they_press),
        cmocka_unit_test(tasks_fit_as_far_as_facets_let_them),
        cmocka_unit_test(the_program_and_the_hull_agree_on_random_grasps),
        cmocka_unit_test(the_same_grasp_has_the_same_bits),
        cmocka_unit_test(contacts_in_one_place_change_nothing),
        cmocka_unit_test(five_contacts_are_too_many_for_a_sum),
        cmocka_unit_test(what_has_no_room_says_so),
        cmocka_unit_test(nothing_that_touches_does_not_close),
    };
    return cmocka_run_group_tests(tests, open_held, close_held);
}
