#include "engine/grasp/success.h"

#include "engine/base/check.h"

static double apply(gmc_op op, double a, double b)
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
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
    case GMC_OP_NEGATE:
    case GMC_OP_NOT:
        break;
    }
    GMC_ASSERT(!"not a binary operator");
    return 0;
}

double gmc_criteria_value(const gmc_compiled_criterion *criterion, const double *values)
{
    double stack[GMC_CRITERION_DEPTH] = {0};
    int top = 0;
    for (int i = 0; i < criterion->node_count; i++) {
        const gmc_criterion_node *node = &criterion->nodes[i];
        if (node->op == GMC_OP_NUMBER || node->op == GMC_OP_MEASURE) {
            GMC_ASSERT(top < GMC_CRITERION_DEPTH);
            stack[top++] = node->op == GMC_OP_NUMBER ? node->number : values[node->measure];
        } else if (node->op == GMC_OP_NEGATE) {
            GMC_ASSERT(top >= 1);
            stack[top - 1] = -stack[top - 1];
        } else if (node->op == GMC_OP_NOT) {
            GMC_ASSERT(top >= 1);
            stack[top - 1] = stack[top - 1] == 0;
        } else {
            GMC_ASSERT(top >= 2);
            top--;
            stack[top - 1] = apply(node->op, stack[top - 1], stack[top]);
        }
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
