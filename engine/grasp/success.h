/// When a grasp counts as a success: boolean expressions over measures, checked at the end of the
/// program (`at_end`) or after every step (`always`), of all or from the end of a phase on.
#ifndef GMC_ENGINE_GRASP_SUCCESS_H
#define GMC_ENGINE_GRASP_SUCCESS_H

#include "engine/grasp/measure.h"

typedef enum gmc_op {
    GMC_OP_NUMBER,  ///< number
    GMC_OP_MEASURE, ///< value of asked measure `measure` now
    GMC_OP_ADD,
    GMC_OP_SUBTRACT,
    GMC_OP_MULTIPLY,
    GMC_OP_DIVIDE,
    GMC_OP_NEGATE,
    GMC_OP_LESS,
    GMC_OP_LESS_EQUAL,
    GMC_OP_GREATER,
    GMC_OP_GREATER_EQUAL,
    GMC_OP_AND,
    GMC_OP_OR,
    GMC_OP_NOT,
    GMC_OP_SIN, ///< functions of one operand
    GMC_OP_COS,
    GMC_OP_TAN,
    GMC_OP_SQRT,
    GMC_OP_ABS,
    GMC_OP_MIN, ///< functions of two
    GMC_OP_MAX
} gmc_op;

/// Operands of an operator: 0, 1 or 2.
int gmc_criteria_operands(gmc_op op);

/// Does an operator compare its two operands, `<`, `<=`, `>` or `>=`?
bool gmc_criteria_is_comparison(gmc_op op);

/// What an operator makes of its operands; one of one operand takes `a`. Truth is 1 or 0.
/// @param op  not GMC_OP_NUMBER, GMC_OP_MEASURE
double gmc_criteria_apply(gmc_op op, double a, double b);

/// One node of an expression, in postfix order: operands stand before their operator.
typedef struct gmc_criterion_node {
    gmc_op op;
    double number; ///< GMC_OP_NUMBER [SI]
    int measure;   ///< GMC_OP_MEASURE: index into the plan's asked measures
    bool is_force; ///< a comparison: of forces or moments
} gmc_criterion_node;

/// Largest stack a criterion may need; the reader refuses deeper ones.
enum { GMC_CRITERION_DEPTH = 64 };

typedef struct gmc_compiled_criterion {
    const gmc_criterion_node *nodes; ///< (node_count) postfix
    int node_count;
    int from; ///< of `always`: it has to hold once so many phases are over
} gmc_compiled_criterion;

typedef struct gmc_criteria {
    const gmc_compiled_criterion *at_end, *always;
    int at_end_count, always_count;
} gmc_criteria;

/// Value of one criterion; true is any value but 0. Comparisons with NaN are false.
/// @param values  current values of the asked measures
double gmc_criteria_value(const gmc_compiled_criterion *criterion, const double *values);

/// True if every criterion of the list holds.
bool gmc_criteria_hold(const gmc_compiled_criterion *list, int count, const double *values);

#endif
