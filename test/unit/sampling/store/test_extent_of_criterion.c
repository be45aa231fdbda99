// Ranges of criteria hold every value that the criterion takes on numbers of its ranges, bit for
// bit; of numbers that are known they say no less than the criterion itself.
#include "engine/base/status.h"
#include "sampling/random/stream.h"
#include "sampling/store/extent.h"
#include "test/support/cmocka_all.h"

#include <math.h>

enum { MEASURES = 3, RANGES = 500, POINTS = 20 };

typedef struct dice {
    gmc_stream stream;
    uint64_t next;
} dice;

static dice dice_of(uint64_t draw) { return (dice){.stream = gmc_stream_open(1, draw, "bounds")}; }

static double roll(dice *d) { return gmc_stream_uniform(d->stream, d->next++); }

// Mostly small numbers, whole ones among them: those meet zero and each other.
static double number(dice *d)
{
    double kind = roll(d), u = 2 * roll(d) - 1;
    return kind < 0.4 ? floor(4 * u) : kind < 0.9 ? 10 * u : 1e300 * u;
}

static gmc_interval some_range(dice *d)
{
    double kind = roll(d), a = number(d), b = number(d);
    if (kind < 0.2) return (gmc_interval){a, a};
    if (kind < 0.3) return (gmc_interval){a, HUGE_VAL};
    if (kind < 0.4) return (gmc_interval){-HUGE_VAL, a};
    return (gmc_interval){fmin(a, b), fmax(a, b)};
}

static gmc_interval some_truth(dice *d)
{
    double a = roll(d) < 0.5, b = roll(d) < 0.5;
    return (gmc_interval){fmin(a, b), fmax(a, b)};
}

static double within(gmc_interval range, dice *d)
{
    double kind = roll(d), u = roll(d);
    if (kind < 0.2) return range.lower;
    if (kind < 0.4) return range.upper;
    double lower = fmax(range.lower, -1e300), upper = fmin(range.upper, 1e300);
    double middle = lower + u * (upper / 2 - lower / 2) * 2;
    return fmin(fmax(middle, range.lower), range.upper);
}

static bool is_any(gmc_interval range)
{
    return isinf(range.lower) && range.lower < 0 && isinf(range.upper) && range.upper > 0;
}

/// Every value on numbers of the ranges is in the range of the values.
static void check_holds(const gmc_compiled_criterion *criterion, const gmc_interval *ranges,
                        dice *d)
{
    gmc_interval found = gmc_extent_of_criterion(criterion, ranges);
    for (int p = 0; p < POINTS; p++) {
        double values[MEASURES];
        for (int m = 0; m < MEASURES; m++)
            values[m] = within(ranges[m], d);
        double value = gmc_criteria_value(criterion, values);
        bool is_in = isnan(value) ? is_any(found) : value >= found.lower && value <= found.upper;
        if (!is_in)
            fail_msg("%g of (%g, %g) is not in [%g, %g], op %d", value, values[0], values[1],
                     found.lower, found.upper, (int)criterion->nodes[criterion->node_count - 1].op);
    }
}

static bool is_of_truths(gmc_op op)
{
    return op == GMC_OP_AND || op == GMC_OP_OR || op == GMC_OP_NOT;
}

static int operation(gmc_op op, gmc_criterion_node *nodes)
{
    int count = 0;
    nodes[count++] = (gmc_criterion_node){.op = GMC_OP_MEASURE, .measure = 0};
    if (gmc_criteria_operands(op) == 2)
        nodes[count++] = (gmc_criterion_node){.op = GMC_OP_MEASURE, .measure = 1};
    nodes[count++] = (gmc_criterion_node){.op = op};
    return count;
}

static void every_operation_stays_in_its_range(void **state)
{
    (void)state;
    for (int op = GMC_OP_ADD; op <= GMC_OP_MAX; op++)
        for (uint64_t i = 0; i < RANGES; i++) {
            dice d = dice_of(i);
            gmc_criterion_node nodes[3];
            gmc_compiled_criterion c = {nodes, operation((gmc_op)op, nodes), 0};
            gmc_interval ranges[MEASURES];
            for (int m = 0; m < MEASURES; m++)
                ranges[m] = is_of_truths((gmc_op)op) ? some_truth(&d) : some_range(&d);
            check_holds(&c, ranges, &d);
        }
}

static void what_is_known_is_said(void **state)
{
    (void)state;
    for (int op = GMC_OP_ADD; op <= GMC_OP_MAX; op++)
        for (uint64_t i = 0; i < RANGES; i++) {
            dice d = dice_of(i);
            gmc_criterion_node nodes[3];
            gmc_compiled_criterion c = {nodes, operation((gmc_op)op, nodes), 0};
            double values[MEASURES];
            gmc_interval ranges[MEASURES];
            for (int m = 0; m < MEASURES; m++) {
                values[m] = is_of_truths((gmc_op)op) ? some_truth(&d).lower : number(&d);
                ranges[m] = (gmc_interval){values[m], values[m]};
            }
            double value = gmc_criteria_value(&c, values);
            gmc_interval found = gmc_extent_of_criterion(&c, ranges);
            if (isnan(value) || (op == GMC_OP_DIVIDE && !(fabs(values[1]) > 0)))
                assert_true(is_any(found));
            else {
                assert_true(!(found.lower < value));
                assert_true(!(found.lower > value));
                assert_true(!(found.upper < value));
                assert_true(!(found.upper > value));
            }
        }
}

// (m0 + m1) * m0 < m2 - 1 and not m1 > max(m0, m2): a quantity that stands in it twice.
static void an_expression_stays_in_its_range(void **state)
{
    (void)state;
    static const gmc_criterion_node NODES[] = {{.op = GMC_OP_MEASURE, .measure = 0},
                                               {.op = GMC_OP_MEASURE, .measure = 1},
                                               {.op = GMC_OP_ADD},
                                               {.op = GMC_OP_MEASURE, .measure = 0},
                                               {.op = GMC_OP_MULTIPLY},
                                               {.op = GMC_OP_MEASURE, .measure = 2},
                                               {.op = GMC_OP_NUMBER, .number = 1},
                                               {.op = GMC_OP_SUBTRACT},
                                               {.op = GMC_OP_LESS},
                                               {.op = GMC_OP_MEASURE, .measure = 1},
                                               {.op = GMC_OP_MEASURE, .measure = 0},
                                               {.op = GMC_OP_MEASURE, .measure = 2},
                                               {.op = GMC_OP_MAX},
                                               {.op = GMC_OP_GREATER},
                                               {.op = GMC_OP_NOT},
                                               {.op = GMC_OP_AND}};
    gmc_compiled_criterion c = {NODES, GMC_COUNT(NODES), 0};
    int sure = 0;
    for (uint64_t i = 0; i < 10 * RANGES; i++) {
        dice d = dice_of(i);
        gmc_interval ranges[MEASURES];
        for (int m = 0; m < MEASURES; m++)
            ranges[m] = some_range(&d);
        gmc_interval found = gmc_extent_of_criterion(&c, ranges);
        sure += !(found.lower < found.upper);
        check_holds(&c, ranges, &d);
    }
    assert_true(sure > RANGES); // more than a tenth is decided
}

int test_extent_of_criterion(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_stays_in_its_range),
        cmocka_unit_test(what_is_known_is_said),
        cmocka_unit_test(an_expression_stays_in_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
