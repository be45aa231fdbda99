// What an operator does is said in one place, gmc_criteria_apply; here is only where it has its
// extremes: at corners of the ranges, for most are monotone in each operand. Rounding needs no
// care: the corners are computed by the same operations as the values within, and those are
// monotone, rounding included. Where an operation may give NaN, nothing is known of its result, and
// so neither of a comparison with it.
#include "sampling/store/rescore_bounds.h"

#include "engine/base/check.h"

#include <math.h>

gmc_interval gmc_rescore_bounds_any(void) { return (gmc_interval){-HUGE_VAL, HUGE_VAL}; }

static gmc_interval range(double lower, double upper)
{
    bool is_known = !isnan(lower) && !isnan(upper);
    return is_known ? (gmc_interval){lower, upper} : gmc_rescore_bounds_any();
}

static gmc_interval truth(bool lower, bool upper) { return (gmc_interval){lower, upper}; }

static gmc_interval rising(gmc_op op, gmc_interval a, gmc_interval b)
{
    return range(gmc_criteria_apply(op, a.lower, b.lower),
                 gmc_criteria_apply(op, a.upper, b.upper));
}

static gmc_interval reversed(gmc_interval a) { return (gmc_interval){a.upper, a.lower}; }

// Monotone in each operand, but who knows which way.
static gmc_interval around(gmc_op op, gmc_interval a, gmc_interval b)
{
    double corners[] = {
        gmc_criteria_apply(op, a.lower, b.lower), gmc_criteria_apply(op, a.lower, b.upper),
        gmc_criteria_apply(op, a.upper, b.lower), gmc_criteria_apply(op, a.upper, b.upper)};
    double lower = corners[0], upper = corners[0];
    for (int i = 0; i < GMC_COUNT(corners); i++) {
        if (isnan(corners[i])) return gmc_rescore_bounds_any();
        lower = fmin(lower, corners[i]);
        upper = fmax(upper, corners[i]);
    }
    return (gmc_interval){lower, upper};
}

static gmc_interval absolute(gmc_interval a)
{
    if (a.lower >= 0) return a;
    return a.upper <= 0 ? (gmc_interval){-a.upper, -a.lower} : gmc_rescore_bounds_any();
}

static gmc_interval apply(gmc_op op, gmc_interval a, gmc_interval b)
{
    switch (op) {
    case GMC_OP_ADD:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        return rising(op, a, b);
    case GMC_OP_SUBTRACT:
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
        return rising(op, a, reversed(b));
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
    case GMC_OP_NEGATE:
        return rising(op, reversed(a), b);
    case GMC_OP_MULTIPLY:
        return around(op, a, b);
    case GMC_OP_DIVIDE:
        return b.lower <= 0 && b.upper >= 0 ? gmc_rescore_bounds_any() : around(op, a, b);
    case GMC_OP_AND:
        return truth(a.lower > 0 && b.lower > 0, a.upper > 0 && b.upper > 0);
    case GMC_OP_OR:
        return truth(a.lower > 0 || b.lower > 0, a.upper > 0 || b.upper > 0);
    case GMC_OP_NOT:
        return truth(!(a.upper > 0), !(a.lower > 0));
    case GMC_OP_SIN: // not monotone: of a number that is known
    case GMC_OP_COS:
    case GMC_OP_TAN:
        return a.lower < a.upper ? gmc_rescore_bounds_any() : rising(op, a, a);
    case GMC_OP_SQRT:
        return a.lower >= 0 ? rising(op, a, a) : gmc_rescore_bounds_any();
    case GMC_OP_ABS:
        return absolute(a);
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
        break;
    }
    GMC_ASSERT(!"no operator");
    return gmc_rescore_bounds_any();
}

gmc_interval gmc_rescore_bounds_value(const gmc_compiled_criterion *criterion,
                                      const gmc_interval *values)
{
    gmc_interval stack[GMC_CRITERION_DEPTH] = {{0, 0}};
    int top = 0;
    for (int i = 0; i < criterion->node_count; i++) {
        const gmc_criterion_node *node = &criterion->nodes[i];
        int operands = gmc_criteria_operands(node->op);
        GMC_ASSERT(top >= operands && top - operands < GMC_CRITERION_DEPTH);
        if (operands == 0) {
            stack[top++] = node->op == GMC_OP_NUMBER ? range(node->number, node->number)
                                                     : values[node->measure];
            continue;
        }
        top -= operands - 1;
        gmc_interval *at = &stack[top - 1];
        *at = apply(node->op, at[0], operands == 2 ? at[1] : at[0]);
    }
    GMC_ASSERT(top == 1);
    return stack[0];
}
