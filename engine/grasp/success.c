#include "engine/grasp/success.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"

#include <math.h>

int gmc_criteria_operands(gmc_op op)
{
    switch (op) {
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
        return 0;
    case GMC_OP_NEGATE:
    case GMC_OP_NOT:
    case GMC_OP_SIN:
    case GMC_OP_COS:
    case GMC_OP_TAN:
    case GMC_OP_SQRT:
    case GMC_OP_ABS:
        return 1;
    case GMC_OP_ADD:
    case GMC_OP_SUBTRACT:
    case GMC_OP_MULTIPLY:
    case GMC_OP_DIVIDE:
    case GMC_OP_LESS:
    case GMC_OP_LESS_EQUAL:
    case GMC_OP_GREATER:
    case GMC_OP_GREATER_EQUAL:
    case GMC_OP_AND:
    case GMC_OP_OR:
    case GMC_OP_MIN:
    case GMC_OP_MAX:
        return 2;
    }
    return 0;
}

bool gmc_criteria_is_comparison(gmc_op op)
{
    return op == GMC_OP_LESS || op == GMC_OP_LESS_EQUAL || op == GMC_OP_GREATER ||
           op == GMC_OP_GREATER_EQUAL;
}

double gmc_criteria_apply(gmc_op op, double a, double b)
{
    switch (op) {
    case GMC_OP_ADD:
        return a + b;
    case GMC_OP_SUBTRACT:
        return a - b;
    case GMC_OP_MULTIPLY:
        return a * b;
    case GMC_OP_DIVIDE:
        return a / b;
    case GMC_OP_LESS:
        return a < b;
    case GMC_OP_LESS_EQUAL:
        return a <= b;
    case GMC_OP_GREATER:
        return a > b;
    case GMC_OP_GREATER_EQUAL:
        return a >= b;
    case GMC_OP_AND:
        return a != 0 && b != 0;
    case GMC_OP_OR:
        return a != 0 || b != 0;
    case GMC_OP_NEGATE:
        return -a;
    case GMC_OP_NOT:
        return a == 0;
    case GMC_OP_SIN:
        return gmc_sin(a);
    case GMC_OP_COS:
        return gmc_cos(a);
    case GMC_OP_TAN:
        return gmc_tan(a);
    case GMC_OP_SQRT:
        return sqrt(a);
    case GMC_OP_ABS:
        return fabs(a);
    case GMC_OP_MIN:
        return fmin(a, b);
    case GMC_OP_MAX:
        return fmax(a, b);
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
        break;
    }
    GMC_ASSERT(!"no operator");
    return 0;
}

double gmc_criteria_value(const gmc_compiled_criterion *criterion, const double *values)
{
    double stack[GMC_CRITERION_DEPTH] = {0};
    int top = 0;
    for (int i = 0; i < criterion->node_count; i++) {
        const gmc_criterion_node *node = &criterion->nodes[i];
        int operands = gmc_criteria_operands(node->op);
        GMC_ASSERT(top >= operands && top - operands < GMC_CRITERION_DEPTH);
        if (operands == 0) {
            stack[top++] = node->op == GMC_OP_NUMBER ? node->number : values[node->measure];
            continue;
        }
        top -= operands - 1;
        double *at = &stack[top - 1];
        *at = gmc_criteria_apply(node->op, at[0], operands == 2 ? at[1] : 0);
    }
    GMC_ASSERT(top == 1);
    return stack[0];
}

bool gmc_criteria_hold(const gmc_compiled_criterion *list, int count, const double *values)
{
    for (int i = 0; i < count; i++)
        if (gmc_criteria_value(&list[i], values) == 0) return false;
    return true;
}
