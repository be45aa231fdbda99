// Margins: what follows from criteria has the sign of the verdict, whatever is compared.
#include "sampling/build/margin.h"
#include "test/support/near.h"

#include <float.h>

enum { SLIP, LIFT, HELD };

static double value(const gmc_criterion_node *nodes, int count, double slip, double lift,
                    double held)
{
    const gmc_compiled_criterion code = {.nodes = nodes, .node_count = count};
    const double values[] = {slip, lift, held};
    return gmc_margin_value(&code, values, NULL, GMC_OUTCOME_SUCCESS);
}

// slip <= 10 mm, lift > 80 mm; held >= 2, which is counted
static const gmc_criterion_node SLIPS[] = {{.op = GMC_OP_MEASURE, .measure = SLIP},
                                           {.op = GMC_OP_NUMBER, .number = 0.01},
                                           {.op = GMC_OP_LESS_EQUAL, .number = 0.01}};
static const gmc_criterion_node LIFTS[] = {{.op = GMC_OP_MEASURE, .measure = LIFT},
                                           {.op = GMC_OP_NUMBER, .number = 0.08},
                                           {.op = GMC_OP_GREATER, .number = 0.08}};
static const gmc_criterion_node HOLDS[] = {{.op = GMC_OP_MEASURE, .measure = HELD},
                                           {.op = GMC_OP_NUMBER, .number = 2},
                                           {.op = GMC_OP_GREATER_EQUAL, .number = 0}};

static void slack_is_over_the_size_of_what_is_compared(void **state)
{
    (void)state;
    ASSERT_NEAR(value(SLIPS, 3, 0.004, 0, 0), 0.6, 1e-15);
    ASSERT_NEAR(value(SLIPS, 3, 0.015, 0, 0), -0.5, 1e-15);
    ASSERT_NEAR(value(LIFTS, 3, 0, 0.1, 0), 0.25, 1e-12);
    assert_true(value(HOLDS, 3, 0, 0, 2) == DBL_MAX);
    assert_true(value(HOLDS, 3, 0, 0, 1) == -DBL_MAX);
}

static void equal_sides_hold_or_not_as_they_are_compared(void **state)
{
    (void)state;
    assert_true(value(SLIPS, 3, 0.01, 0, 0) > 0); // <= holds
    assert_true(value(LIFTS, 3, 0, 0.08, 0) < 0); // > does not
    assert_true(value(SLIPS, 3, nextafter(0.01, 1), 0, 0) < 0);
    assert_true(value(LIFTS, 3, 0, nextafter(0.08, 1), 0) > 0);
    // what was not measured is above nothing, and below nothing
    assert_true(value(SLIPS, 3, (double)NAN, 0, 0) == -DBL_MAX);
    assert_true(value(LIFTS, 3, 0, (double)NAN, 0) == -DBL_MAX);
}

static void and_or_not(void **state)
{
    (void)state;
    gmc_criterion_node all[10];
    for (int i = 0; i < 3; i++) {
        all[i] = SLIPS[i];
        all[3 + i] = LIFTS[i];
        all[7 + i] = HOLDS[i];
    }
    all[6] = (gmc_criterion_node){.op = GMC_OP_AND};
    ASSERT_NEAR(value(all, 7, 0.004, 0.1, 0), 0.25, 1e-12);
    ASSERT_NEAR(value(all, 7, 0.012, 0.1, 0), -0.2, 1e-12);
    all[6].op = GMC_OP_OR;
    ASSERT_NEAR(value(all, 7, 0.012, 0.1, 0), 0.25, 1e-12);
    all[6].op = GMC_OP_NOT; // of the second
    assert_true(value(all + 3, 4, 0, 0.08, 0) > 0);
    ASSERT_NEAR(value(all + 3, 4, 0, 0.1, 0), -0.25, 1e-12);
    gmc_criterion_node held[] = {SLIPS[0], SLIPS[1], SLIPS[2],          HOLDS[0],
                                 HOLDS[1], HOLDS[2], {.op = GMC_OP_AND}};
    ASSERT_NEAR(value(held, 7, 0.004, 0, 2), 0.6, 1e-15); // what is counted leaves it to others
    assert_true(value(held, 7, 0.004, 0, 1) == -DBL_MAX);
}

static bool is_distance(double margin) { return fabs(margin) < DBL_MAX; }

static void what_is_counted_is_no_distance(void **state)
{
    (void)state;
    assert_true(is_distance(value(SLIPS, 3, 0.004, 0, 0)));
    assert_true(is_distance(value(SLIPS, 3, 0.01, 0, 0)));
    assert_false(is_distance(value(HOLDS, 3, 0, 0, 2)));
    assert_false(is_distance(value(HOLDS, 3, 0, 0, 1)));
    assert_false(is_distance(value(SLIPS, 3, (double)NAN, 0, 0)));
}

static void outcome_and_margin_are_held_against_each_other(void **state)
{
    (void)state;
    assert_false(gmc_margin_differs(0.5, GMC_OUTCOME_SUCCESS));
    assert_false(gmc_margin_differs(0, GMC_OUTCOME_SUCCESS));
    assert_true(gmc_margin_differs(-0.5, GMC_OUTCOME_SUCCESS));
    assert_false(gmc_margin_differs((double)NAN, GMC_OUTCOME_SUCCESS)); // not told
    assert_false(gmc_margin_differs(-0.5, GMC_OUTCOME_MISSED));
    assert_true(gmc_margin_differs(0, GMC_OUTCOME_MISSED));
    assert_true(gmc_margin_differs(0.5, GMC_OUTCOME_VIOLATED));
    assert_true(gmc_margin_differs((double)NAN, GMC_OUTCOME_VIOLATED));
    assert_false(gmc_margin_differs(0.5, GMC_OUTCOME_UNSOLVED));
    assert_false(gmc_margin_differs(-HUGE_VAL, GMC_OUTCOME_LOST));
    const gmc_compiled_criterion code = {.nodes = SLIPS, .node_count = 3};
    const double values[] = {0, 0, 0};
    assert_true(gmc_margin_value(&code, values, NULL, GMC_OUTCOME_LOST) == -HUGE_VAL);
    assert_true(isnan(gmc_margin_value(&code, values, NULL, GMC_OUTCOME_UNSOLVED)));
}

/// slip <= 10 mm and lift > 80 mm: of a success either may turn it, of a failure all that are
/// broken.
static void what_moves_may_turn(void **state)
{
    (void)state;
    const gmc_criterion_node nodes[] = {SLIPS[0], SLIPS[1], SLIPS[2],          LIFTS[0],
                                        LIFTS[1], LIFTS[2], {.op = GMC_OP_AND}};
    const gmc_compiled_criterion code = {.nodes = nodes, .node_count = 7};
    static const struct {
        double here[2], there[2]; // slip, lift [m]
        bool has_moved;
    } TRIALS[] = {
        {{0.009, 0.120}, {0.009, 0.120}, false},  // the same
        {{0.009, 0.120}, {0.0094, 0.120}, false}, // by 0.4 of what is left of the slip
        {{0.009, 0.120}, {0.0096, 0.120}, true},
        {{0.009, 0.120}, {0.009, 0.095}, true},   // by the farther one
        {{0.014, 0.120}, {0.0117, 0.120}, true},  // broken, and the other holds
        {{0.014, 0.120}, {0.014, 0.090}, false},  // the one that holds does not mend it
        {{0.014, 0.040}, {0.0117, 0.040}, false}, // one of two that are broken
        {{0.014, 0.040}, {0.0117, 0.070}, true},
    };
    for (size_t i = 0; i < sizeof TRIALS / sizeof TRIALS[0]; i++) {
        bool found = gmc_margin_has_moved(&code, TRIALS[i].here, TRIALS[i].there);
        assert_int_equal(found, TRIALS[i].has_moved);
    }
}

static void each_criterion_has_its_distance(void **state)
{
    (void)state;
    const gmc_criterion_node nodes[] = {SLIPS[0], SLIPS[1],           SLIPS[2],          LIFTS[0],
                                        LIFTS[1], LIFTS[2],           HOLDS[0],          HOLDS[1],
                                        HOLDS[2], {.op = GMC_OP_AND}, {.op = GMC_OP_AND}};
    const gmc_compiled_criterion code = {.nodes = nodes, .node_count = 11};
    const double values[] = {0.004, 0.06, 1}; // slip, lift, held by
    double each[3];
    assert_int_equal(gmc_margin_distances(&code, values, each, 3), 3);
    ASSERT_NEAR(each[0], 0.6, 1e-15);
    ASSERT_NEAR(each[1], -0.25, 1e-15);
    assert_true(each[2] == -DBL_MAX);
    assert_int_equal(gmc_margin_distances(&code, values, each, 1), 1);
    assert_true(each[0] == -DBL_MAX); // the least of all
}

static void forces_are_told_apart(void **state)
{
    (void)state;
    gmc_criterion_node nodes[] = {SLIPS[0], SLIPS[1], SLIPS[2],          LIFTS[0],
                                  LIFTS[1], LIFTS[2], {.op = GMC_OP_AND}};
    const gmc_compiled_criterion code = {.nodes = nodes, .node_count = 7};
    assert_int_equal(gmc_margin_forces(&code, 2), 0);
    nodes[5].is_force = true;
    assert_int_equal(gmc_margin_forces(&code, 2), 2);
    assert_int_equal(gmc_margin_forces(&code, 1), 1); // the least of all
}

static void what_was_drawn_stands_below_the_columns(void **state)
{
    (void)state;
    const gmc_criterion_node nodes[] = {{.op = GMC_OP_MEASURE, .measure = -2},
                                        {.op = GMC_OP_MEASURE, .measure = SLIP},
                                        {.op = GMC_OP_SUBTRACT}};
    const gmc_compiled_criterion code = {.nodes = nodes, .node_count = 3};
    const double values[] = {0.25, 9}, samples[] = {7, 0.75};
    ASSERT_NEAR(gmc_margin_value(&code, values, samples, GMC_OUTCOME_SUCCESS), 0.5, 0);
}

int test_margin(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moves_may_turn),
        cmocka_unit_test(each_criterion_has_its_distance),
        cmocka_unit_test(forces_are_told_apart),
        cmocka_unit_test(slack_is_over_the_size_of_what_is_compared),
        cmocka_unit_test(equal_sides_hold_or_not_as_they_are_compared),
        cmocka_unit_test(and_or_not),
        cmocka_unit_test(what_was_drawn_stands_below_the_columns),
        cmocka_unit_test(what_is_counted_is_no_distance),
        cmocka_unit_test(outcome_and_margin_are_held_against_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
