// Rounding needs no care: the bounds are computed by the same operations as the values within, and
// those are monotone, rounding included. Where an operation may give NaN, nothing is known of its
// result, and so neither of a comparison with it.
#include "sampling/store/rescore_bounds.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <math.h>

gmc_interval gmc_rescore_bounds_any(void) { return (gmc_interval){-HUGE_VAL, HUGE_VAL}; }

static gmc_interval range(double lower, double upper)
{
    bool is_known = !isnan(lower) && !isnan(upper);
    return is_known ? (gmc_interval){lower, upper} : gmc_rescore_bounds_any();
}

static gmc_interval truth(bool lower, bool upper) { return (gmc_interval){lower, upper}; }

// The range of four numbers.
static gmc_interval around(double a, double b, double c, double d)
{
    if (isnan(a) || isnan(b) || isnan(c) || isnan(d)) return gmc_rescore_bounds_any();
    return (gmc_interval){fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d))};
}

static gmc_interval divide(gmc_interval a, gmc_interval b)
{
    if (b.lower <= 0 && b.upper >= 0) return gmc_rescore_bounds_any();
    return around(a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper);
}

// A function that is not monotone: of a number that is known.
static gmc_interval of_point(gmc_interval a, double (*function)(double))
{
    if (a.lower < a.upper) return gmc_rescore_bounds_any();
    return range(function(a.lower), function(a.lower));
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
        return range(a.lower + b.lower, a.upper + b.upper);
    case GMC_OP_SUBTRACT:
        return range(a.lower - b.upper, a.upper - b.lower);
    case GMC_OP_MULTIPLY:
        return around(a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper);
    case GMC_OP_DIVIDE:
        return divide(a, b);
    case GMC_OP_LESS:
        return truth(a.upper < b.lower, a.lower < b.upper);
    case GMC_OP_LESS_EQUAL:
        return truth(a.upper <= b.lower, a.lower <= b.upper);
    case GMC_OP_GREATER:
        return truth(a.lower > b.upper, a.upper > b.lower);
    case GMC_OP_GREATER_EQUAL:
        return truth(a.lower >= b.upper, a.upper >= b.lower);
    case GMC_OP_AND:
        return truth(a.lower > 0 && b.lower > 0, a.upper > 0 && b.upper > 0);
    case GMC_OP_OR:
        return truth(a.lower > 0 || b.lower > 0, a.upper > 0 || b.upper > 0);
    case GMC_OP_NEGATE:
        return range(-a.upper, -a.lower);
    case GMC_OP_NOT:
        return truth(!(a.upper > 0), !(a.lower > 0));
    case GMC_OP_SIN:
        return of_point(a, gmc_sin);
    case GMC_OP_COS:
        return of_point(a, gmc_cos);
    case GMC_OP_TAN:
        return of_point(a, gmc_tan);
    case GMC_OP_SQRT:
        return a.lower >= 0 ? range(sqrt(a.lower), sqrt(a.upper)) : gmc_rescore_bounds_any();
    case GMC_OP_ABS:
        return absolute(a);
    case GMC_OP_MIN:
        return range(fmin(a.lower, b.lower), fmin(a.upper, b.upper));
    case GMC_OP_MAX:
        return range(fmax(a.lower, b.lower), fmax(a.upper, b.upper));
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
