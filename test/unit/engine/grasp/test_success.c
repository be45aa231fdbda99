// Criteria in postfix order, evaluated as their header says.
#include "engine/grasp/success.h"
#include "test/support/near.h"

static gmc_criterion_node number(double x)
{
    return (gmc_criterion_node){.op = GMC_OP_NUMBER, .number = x};
}

static gmc_criterion_node measure(int i)
{
    return (gmc_criterion_node){.op = GMC_OP_MEASURE, .measure = i};
}

static gmc_criterion_node op(gmc_op o) { return (gmc_criterion_node){.op = o}; }

static double binary(gmc_op o, double a, double b)
{
    const gmc_criterion_node nodes[] = {number(a), number(b), op(o)};
    const gmc_compiled_criterion criterion = {nodes, GMC_COUNT(nodes), 0};
    return gmc_criteria_value(&criterion, NULL);
}

static double unary(gmc_op o, double a)
{
    const gmc_criterion_node nodes[] = {number(a), op(o)};
    const gmc_compiled_criterion criterion = {nodes, GMC_COUNT(nodes), 0};
    return gmc_criteria_value(&criterion, NULL);
}

static void every_operator_does_what_it_is_called(void **state)
{
    (void)state;
    ASSERT_NEAR(binary(GMC_OP_ADD, 3, 4), 7, 0);
    ASSERT_NEAR(binary(GMC_OP_SUBTRACT, 3, 4), -1, 0);
    ASSERT_NEAR(binary(GMC_OP_MULTIPLY, 3, 4), 12, 0);
    ASSERT_NEAR(binary(GMC_OP_DIVIDE, 3, 4), 0.75, 0);
    ASSERT_NEAR(unary(GMC_OP_NEGATE, 3), -3, 0);
    ASSERT_NEAR(unary(GMC_OP_NOT, 3), 0, 0);
    ASSERT_NEAR(unary(GMC_OP_NOT, 0), 1, 0);
    const struct {
        gmc_op op;
        double less, equal, greater; // for 1 against 2, 2 against 2, 3 against 2
    } comparisons[] = {{GMC_OP_LESS, 1, 0, 0},
                       {GMC_OP_LESS_EQUAL, 1, 1, 0},
                       {GMC_OP_GREATER, 0, 0, 1},
                       {GMC_OP_GREATER_EQUAL, 0, 1, 1}};
    for (int i = 0; i < GMC_COUNT(comparisons); i++) {
        ASSERT_NEAR(binary(comparisons[i].op, 1, 2), comparisons[i].less, 0);
        ASSERT_NEAR(binary(comparisons[i].op, 2, 2), comparisons[i].equal, 0);
        ASSERT_NEAR(binary(comparisons[i].op, 3, 2), comparisons[i].greater, 0);
    }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            ASSERT_NEAR(binary(GMC_OP_AND, 5 * a, -2 * b), a && b, 0);
            ASSERT_NEAR(binary(GMC_OP_OR, 5 * a, -2 * b), a || b, 0);
        }
}

static void functions_do_what_they_are_called(void **state)
{
    (void)state;
    // sin, cos and tan are those of elementary.h, right to a unit or two in the last place
    ASSERT_NEAR(unary(GMC_OP_SIN, GMC_PI / 6), 0.5, 2e-16);
    ASSERT_NEAR(unary(GMC_OP_COS, GMC_PI / 3), 0.5, 2e-16);
    ASSERT_NEAR(unary(GMC_OP_TAN, GMC_PI / 4), 1, 3e-16);
    ASSERT_NEAR(unary(GMC_OP_SQRT, 9), 3, 0);
    assert_true(isnan(unary(GMC_OP_SQRT, -1)));
    ASSERT_NEAR(unary(GMC_OP_ABS, -3), 3, 0);
    ASSERT_NEAR(binary(GMC_OP_MIN, -3, 2), -3, 0);
    ASSERT_NEAR(binary(GMC_OP_MAX, -3, 2), 2, 0);
    for (int op = GMC_OP_NUMBER; op <= GMC_OP_MAX; op++) {
        int operands = gmc_criteria_operands((gmc_op)op);
        bool is_leaf = op == GMC_OP_NUMBER || op == GMC_OP_MEASURE;
        assert_int_equal(operands == 0, is_leaf);
        assert_in_range(operands, 0, 2);
    }
}

static void comparisons_with_nan_are_false(void **state)
{
    (void)state;
    const gmc_op ops[] = {GMC_OP_LESS, GMC_OP_LESS_EQUAL, GMC_OP_GREATER, GMC_OP_GREATER_EQUAL};
    for (int i = 0; i < GMC_COUNT(ops); i++) {
        ASSERT_NEAR(binary(ops[i], NAN, 1), 0, 0);
        ASSERT_NEAR(binary(ops[i], 1, NAN), 0, 0);
    }
}

/// (m0 + 2 m1) >= 1 and not (m0 > 5)
static void measures_come_from_the_values(void **state)
{
    (void)state;
    const gmc_criterion_node nodes[] = {measure(0),
                                        number(2),
                                        measure(1),
                                        op(GMC_OP_MULTIPLY),
                                        op(GMC_OP_ADD),
                                        number(1),
                                        op(GMC_OP_GREATER_EQUAL),
                                        measure(0),
                                        number(5),
                                        op(GMC_OP_GREATER),
                                        op(GMC_OP_NOT),
                                        op(GMC_OP_AND)};
    const gmc_compiled_criterion criterion = {nodes, GMC_COUNT(nodes), 0};
    ASSERT_NEAR(gmc_criteria_value(&criterion, (double[]){0, 0.5}), 1, 0);
    ASSERT_NEAR(gmc_criteria_value(&criterion, (double[]){0, 0.49}), 0, 0);
    ASSERT_NEAR(gmc_criteria_value(&criterion, (double[]){6, 0.5}), 0, 0);
}

static void the_deepest_stack_allowed_works(void **state)
{
    (void)state;
    gmc_criterion_node nodes[2 * GMC_CRITERION_DEPTH - 1];
    for (int i = 0; i < GMC_CRITERION_DEPTH; i++)
        nodes[i] = number(1);
    for (int i = GMC_CRITERION_DEPTH; i < GMC_COUNT(nodes); i++)
        nodes[i] = op(GMC_OP_ADD);
    const gmc_compiled_criterion criterion = {nodes, GMC_COUNT(nodes), 0};
    ASSERT_NEAR(gmc_criteria_value(&criterion, NULL), GMC_CRITERION_DEPTH, 0);
}

static void a_list_holds_if_all_of_it_holds(void **state)
{
    (void)state;
    const gmc_criterion_node yes[] = {number(0.5)}, no[] = {number(0)};
    const gmc_compiled_criterion list[] = {{yes, 1, 0}, {yes, 1, 0}, {no, 1, 0}};
    assert_true(gmc_criteria_hold(list, 0, NULL));
    assert_true(gmc_criteria_hold(list, 2, NULL));
    assert_false(gmc_criteria_hold(list, 3, NULL));
}

int test_success(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_does_what_it_is_called),
        cmocka_unit_test(functions_do_what_they_are_called),
        cmocka_unit_test(comparisons_with_nan_are_false),
        cmocka_unit_test(measures_come_from_the_values),
        cmocka_unit_test(the_deepest_stack_allowed_works),
        cmocka_unit_test(a_list_holds_if_all_of_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
