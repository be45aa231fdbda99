/// Criteria of success: "lift(object) >= 80 mm",
/// "not contact(object, table) and slip(object, hand) < 1 cm".
///
///   criterion := or-joined `and`s of `not`s of comparisons          < <= > >=
///   sums and products of measures and numbers                       + - * / ( ) unary -
///   measure(body, ...)  as in engine/grasp/measure.h; bodies: object, hand, names of the scene;
///                       places: [300 mm, 0 mm, 25 mm]; axes: x, y, z, -x, -y, -z; phases
///
/// Dimensions are checked: a length compared with an angle is a mistake. A number without a unit is
/// SI and takes the dimension it is compared with or added to; next to * and / it is a pure number.
/// A pure number that stands for true or false (`contact(...)`) is true when it is above 0. What is
/// counted (`held_by(object) == 2`) may be compared with = or ==, and != as well.
#ifndef GMC_SAMPLING_LANGUAGE_EXPRESSION_H
#define GMC_SAMPLING_LANGUAGE_EXPRESSION_H

#include "engine/grasp/success.h"
#include "sampling/language/node.h"
#include "sampling/language/units.h"

typedef struct gmc_expression gmc_expression;

/// Of gmc_expression_names whose names are parameters.
#define GMC_EXPRESSION_OF_PARAMETERS                                                               \
    .noun = "parameter", .example = "for example gap.width >= 12 mm",                              \
    .where = "formulas name what stands under `parameters`"

/// One node of the syntax tree. The operators are those of the engine's postfix form.
struct gmc_expression {
    gmc_op op;
    double number;            ///< GMC_OP_NUMBER [SI]
    gmc_measure_kind measure; ///< GMC_OP_MEASURE of a criterion
    int parameter;            ///< GMC_OP_MEASURE of a formula: index of the parameter
    const char *arguments[GMC_MEASURE_ARGUMENTS]; ///< of the measure, as written; NULL: no more
    const char *bodies[2];       ///< of these its bodies; [1] NULL: the world, or there is none
    gmc_vec3 of_a, in_b;         ///< of these its direction, and its place or other direction [SI]
    int since;                   ///< of these its phase: index + 1; 0: it has none
    const gmc_expression *left;  ///< first operand, the only one of NEGATE and NOT; NULL for leaves
    const gmc_expression *right; ///< second operand or NULL
    gmc_exponents exponents;     ///< dimension of its value
    bool is_free;                ///< made of numbers without units: takes the dimension it meets
    bool is_logical;             ///< true or false
    bool is_count;               ///< a whole number or a flag: it may be equal to something
    bool is_word;                ///< stands for one of several words
    int stack;                   ///< places its postfix form needs, <= GMC_CRITERION_DEPTH
    gmc_source source;
};

/// A number that follows from named parameters: what stands under `parameters`.
typedef struct gmc_formula {
    gmc_compiled_criterion code; ///< its measures are indices into the table
    int rank;                    ///< what a formula names was read before it
} gmc_formula;

/// The bodies that a criterion may name.
typedef struct gmc_expression_bodies {
    const char *const *scene; ///< (scene_count)
    int scene_count;
    const char *const *objects; ///< (object_count)
    int object_count;
    const char *const *phases; ///< (phase_count)
    int phase_count;
    bool lacks_hand, is_planar;
} gmc_expression_bodies;

/// Parse one criterion.
/// @param node    scalar
/// @param bodies  their names outlive the tree
/// @param arena   holds the tree
/// @param root    out
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_expression_parse(const gmc_node *node,
                                               const gmc_expression_bodies *bodies,
                                               gmc_arena *arena, gmc_diagnostics *report,
                                               const gmc_expression **root);

/// What a name in a formula is.
typedef enum gmc_expression_found {
    GMC_EXPRESSION_FOUND,
    GMC_EXPRESSION_UNKNOWN,
    GMC_EXPRESSION_CIRCLE, ///< it depends on what is being read
    GMC_EXPRESSION_BAD     ///< it has a mistake of its own, which was reported
} gmc_expression_found;

/// What kind of number a name stands for.
typedef enum gmc_expression_sort {
    GMC_EXPRESSION_MEASURED,
    GMC_EXPRESSION_COUNTED, ///< a whole number or a flag
    GMC_EXPRESSION_WORDS    ///< words, each with a number of its own
} gmc_expression_sort;

/// The parameters that formulas may name, or whatever else the names of a claim stand for.
typedef struct gmc_expression_names {
    void *context;
    /// @param index      out: what stands for it in gmc_expression.parameter
    /// @param exponents  out: its dimension
    gmc_expression_found (*find)(void *context, const char *name, int *index,
                                 gmc_exponents *exponents);
    const char *(*nearest)(void *context, const char *name); ///< NULL: none is near

    /// Names that may have brackets and blanks, "max(slip(object, hand))", in place of `find`; a
    /// name goes before a function. NULL: there are no such names.
    /// @return bytes of the name that stands at the start of `text`; 0: none does
    size_t (*match)(void *context, const char *text, int *index, gmc_exponents *exponents);

    /// Of what `match` found: may it be equal to something, or is it one of several words? NULL:
    /// all are measured numbers.
    gmc_expression_sort (*sort)(void *context, int index);

    /// The number that a word stands for, of a name of words. @return false: it has no such word
    bool (*code)(void *context, int index, const char *word, double *code);

    /// The i-th word of a name of words; NULL: there are no more.
    const char *(*word)(void *context, int index, int i);

    const char *noun;    ///< what they are called in messages: "parameter"
    const char *example; ///< of a claim: "for example gap.width >= 12 mm"
    const char *where;   ///< hint if none is near
} gmc_expression_names;

/// Parse a formula: sums and products of parameters, numbers, and
///   sin cos tan (of an angle)   sqrt abs   min max (of two)
/// GMC_OP_MEASURE stands for a parameter; the dimension of the whole is that of the root.
/// @param names  find or match, nearest, and the three texts
/// @return GMC_OK, GMC_E_INPUT (reported, but not where a name is BAD), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_expression_parse_formula(const gmc_node *node,
                                                       const gmc_expression_names *names,
                                                       gmc_arena *arena, gmc_diagnostics *report,
                                                       const gmc_expression **root);

/// The same for a claim about parameters: `gap.width >= 2 * peg.radius + 4 mm`.
GMC_MUST_CHECK gmc_status gmc_expression_parse_claim(const gmc_node *node,
                                                     const gmc_expression_names *names,
                                                     gmc_arena *arena, gmc_diagnostics *report,
                                                     const gmc_expression **root);

/// Its nodes, all that are below it and itself: as many as it has as postfix. 0 of NULL.
static inline int gmc_expression_size(const gmc_expression *e)
{
    return e ? 1 + gmc_expression_size(e->left) + gmc_expression_size(e->right) : 0;
}

/// A formula or claim as postfix over the table of parameters: gmc_criteria_value gives its value.
/// @param root  out of the two above
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_expression_compile(const gmc_expression *root, gmc_arena *arena,
                                                 gmc_compiled_criterion *compiled);

#endif
