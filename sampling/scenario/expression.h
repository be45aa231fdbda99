/// Criteria of success: "lift(object) >= 80 mm", "not contact(object, table) and slip(object, hand)
/// < 1 cm".
///
///   criterion := or-joined `and`s of `not`s of comparisons          < <= > >=
///   sums and products of measures and numbers                       + - * / ( ) unary -
///   measure(body, ...)  as in engine/grasp/measure.h; bodies: object, hand, names of the scene
///
/// Dimensions are checked: a length compared with an angle is a mistake. A number without a unit is
/// SI and takes the dimension it is compared with or added to; next to * and / it is a pure number.
/// A pure number that stands for true or false (`contact(...)`) is true when it is above 0.
#ifndef GMC_SAMPLING_SCENARIO_EXPRESSION_H
#define GMC_SAMPLING_SCENARIO_EXPRESSION_H

#include "engine/grasp/success.h"
#include "sampling/scenario/node.h"
#include "sampling/scenario/units.h"

typedef struct gmc_expression gmc_expression;

/// One node of the syntax tree. The operators are those of the engine's postfix form.
struct gmc_expression {
    gmc_op op;
    double number;               ///< GMC_OP_NUMBER [SI]
    gmc_measure_kind measure;    ///< GMC_OP_MEASURE
    const char *arguments[2];    ///< of the measure: names as written; [1] NULL with one argument
    const gmc_expression *left;  ///< first operand, the only one of NEGATE and NOT; NULL for leaves
    const gmc_expression *right; ///< second operand or NULL
    gmc_exponents exponents;     ///< dimension of its value
    bool is_free;                ///< made of numbers without units: takes the dimension it meets
    bool is_logical;             ///< true or false
    int stack;                   ///< places its postfix form needs, <= GMC_CRITERION_DEPTH
    gmc_source source;
};

/// Parse one criterion.
/// @param node      scalar
/// @param scenario  its objects and scene give the names; its arena holds the tree
/// @param root      out
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_expression_parse(const gmc_node *node, gmc_scenario *scenario,
                                               gmc_diagnostics *report,
                                               const gmc_expression **root);

#endif
