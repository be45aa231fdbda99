// What `borne` leaves of a column was measured: 925 trials that it decided, in the shipped
// scenarios that shake, with ramps of 0.1 and 0.3 s and on a pad too, against the same trials run
// to their end. Largest forces and speeds, of joints too, are the same bit for bit in all. What the
// object does in the hand is within 1 um and 26 urad (heights and ends within 5 um) where it had
// turned there by less than 0.5 rad; 31 that hung between two points (pick_meshes), turned by 0.8
// rad and more, swung on, by 1.2 mm and 2.3 rad.
#include "sampling/store/extent.h"

#include "engine/base/check.h"
#include "engine/grasp/measure.h"
#include "engine/grasp/success.h"
#include "sampling/estimate/proportion.h"

#include <math.h>
#include <string.h>

// ==== of measures ====

/// An object that turned farther in the hand may hang there and swing [rad].
static const double SWING = 0.1;

static const struct {
    gmc_growth growth;
    gmc_fading fading;
} FIXED[GMC_COLUMN_FIXED_COUNT] = {
    [GMC_COLUMN_LIFT] = {GMC_GROWTH_AT_END, GMC_FADING_SWAYS},
    [GMC_COLUMN_SLIP] = {GMC_GROWTH_LARGEST, GMC_FADING_SWAYS},
    [GMC_COLUMN_SLIP_END] = {GMC_GROWTH_AT_END, GMC_FADING_SWAYS},
    [GMC_COLUMN_SLIP_ANGLE] = {GMC_GROWTH_LARGEST, GMC_FADING_SWAYS},
    [GMC_COLUMN_MOVED] = {GMC_GROWTH_AT_END, GMC_FADING_MOVES},
    [GMC_COLUMN_TURNED] = {GMC_GROWTH_AT_END, GMC_FADING_MOVES},
    [GMC_COLUMN_MAX_PENETRATION] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_MAX_FORCE] = {GMC_GROWTH_LARGEST, GMC_FADING_TOPS},
    [GMC_COLUMN_MAX_SPEED] = {GMC_GROWTH_LARGEST, GMC_FADING_TOPS},
    [GMC_COLUMN_MAX_JOINT_SPEED] = {GMC_GROWTH_LARGEST, GMC_FADING_TOPS},
    [GMC_COLUMN_MAX_JOINT_EFFORT] = {GMC_GROWTH_LARGEST, GMC_FADING_TOPS},
    [GMC_COLUMN_HELD_BY] = {GMC_GROWTH_AT_END, GMC_FADING_SWAYS},
    [GMC_COLUMN_T_SETTLED] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_T_VIOLATED] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_MAX_RESIDUAL] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_STEPS] = {GMC_GROWTH_SPENT, GMC_FADING_MOVES},
    [GMC_COLUMN_RETRIES] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_ITERATIONS] = {GMC_GROWTH_SPENT, GMC_FADING_MOVES},
    [GMC_COLUMN_HARD_STEPS] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_MAX_CONTACTS] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_T_CLOSED] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_DECIDED_BY] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_T_DECIDED] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_AUDIT] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_HALF_STEP] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_START_PENETRATION] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_ENERGY_BALANCE] = {GMC_GROWTH_AT_END, GMC_FADING_MOVES},
    [GMC_COLUMN_ENERGY_SCHEME] = {GMC_GROWTH_AT_END, GMC_FADING_MOVES},
    [GMC_COLUMN_ENERGY_SIZE] = {GMC_GROWTH_AT_END, GMC_FADING_MOVES},
    [GMC_COLUMN_IS_WHOLE] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
    [GMC_COLUMN_HARD_PENETRATION] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_ENERGY_OBJECT] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_PAD_PRESS] = {GMC_GROWTH_LARGEST, GMC_FADING_MOVES},
    [GMC_COLUMN_HALF_STEP_CHANCE] = {GMC_GROWTH_WHOLE, GMC_FADING_MOVES},
};

static bool starts(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

// Is `body` one of the arguments of "slip(object, hand)"?
static bool is_about(const char *name, const char *body)
{
    size_t length = strlen(body);
    for (const char *at = strstr(name, body); at; at = strstr(at + 1, body))
        if (at > name && strchr("( ", at[-1]) && at[length] && strchr(",)", at[length]))
            return true;
    return false;
}

// Is a measure, "lift(object)", of the object in the hand, or a height? A force is neither: it
// carries what is left of a shake.
static bool is_held(const char *name)
{
    static const char *const HEIGHTS[] = {"lift(", "height("};
    static const char *const IN_HAND[] = {"slip(", "slip_angle(", "contact(", "distance("};
    for (int i = 0; i < GMC_COUNT(HEIGHTS); i++)
        if (starts(name, HEIGHTS[i])) return true;
    for (int i = 0; i < GMC_COUNT(IN_HAND); i++)
        if (starts(name, IN_HAND[i])) return is_about(name, "object") && is_about(name, "hand");
    return starts(name, "held_by(") && is_about(name, "object");
}

static bool is_counted(const char *name)
{
    for (int i = 0; i < GMC_MEASURE_KIND_COUNT; i++) {
        size_t length = strlen(gmc_measure_infos[i].name);
        if (gmc_measure_infos[i].is_count && starts(name, gmc_measure_infos[i].name) &&
            name[length] == '(')
            return true;
    }
    return false;
}

static bool is_of_run(gmc_fixed_column column)
{
    static const gmc_fixed_column OF_RUN[] = {GMC_COLUMN_DECIDED_BY, GMC_COLUMN_T_DECIDED,
                                              GMC_COLUMN_AUDIT, GMC_COLUMN_HALF_STEP,
                                              GMC_COLUMN_IS_WHOLE};
    for (int i = 0; i < GMC_COUNT(OF_RUN); i++)
        if (OF_RUN[i] == column) return true;
    return false;
}

gmc_extent gmc_extent_of(const char *name)
{
    for (int i = 0; i < GMC_COLUMN_FIXED_COUNT; i++)
        if (strcmp(gmc_fixed_columns[i].name, name) == 0)
            return (gmc_extent){FIXED[i].growth, FIXED[i].fading, is_of_run((gmc_fixed_column)i),
                                is_counted(name)};
    gmc_extent course = {.growth = GMC_GROWTH_AT_END, .is_counted = is_counted(name)};
    if (starts(name, "max(") || starts(name, "friction_needed(") || starts(name, "slipped("))
        course.growth = GMC_GROWTH_LARGEST;
    if (starts(name, "min(")) course.growth = GMC_GROWTH_SMALLEST;
    // from a phase on that may not have been over: NaN then
    if (strstr(name, ") from ")) course.growth = GMC_GROWTH_AT_END;
    if (strstr(name, ") at ")) course.growth = GMC_GROWTH_WHOLE;
    if (strcmp(name, "weight") == 0) course.growth = GMC_GROWTH_WHOLE;
    bool is_extreme = starts(name, "max(") || starts(name, "min(");
    if (is_held(is_extreme ? name + strlen("max(") : name)) course.fading = GMC_FADING_SWAYS;
    return course;
}

/// The rule that ended a trial before its program did.
static gmc_decision rule_of(const double *values, int decided_by, int audit)
{
    if (decided_by < 0 || (audit >= 0 && values[audit] > 0)) return GMC_DECISION_END;
    int rule = (int)values[decided_by];
    return rule > GMC_DECISION_END && rule < GMC_DECISION_COUNT ? (gmc_decision)rule
                                                                : GMC_DECISION_END;
}

gmc_ending gmc_extent_ending(const double *values, gmc_ending_columns columns)
{
    gmc_ending ending = {.rule = rule_of(values, columns.decided_by, columns.audit)};
    ending.is_swinging = columns.slip_angle < 0 || values[columns.slip_angle] > SWING;
    return ending;
}

bool gmc_extent_is_final(gmc_extent course, gmc_ending ending)
{
    if (ending.rule == GMC_DECISION_END || course.growth == GMC_GROWTH_WHOLE) return true;
    if (course.growth == GMC_GROWTH_SPENT) return false;
    if (ending.rule == GMC_DECISION_REST) return true;
    return ending.rule == GMC_DECISION_BORNE &&
           (course.fading == GMC_FADING_TOPS ||
            (course.fading == GMC_FADING_SWAYS && !ending.is_swinging));
}

gmc_interval gmc_extent_range(gmc_extent course, gmc_ending ending, double value)
{
    gmc_interval any = gmc_extent_any();
    if (isnan(value)) return any;
    if (gmc_extent_is_final(course, ending)) return (gmc_interval){value, value};
    switch (course.growth) {
    case GMC_GROWTH_WHOLE:
    case GMC_GROWTH_AT_END:
        return any;
    case GMC_GROWTH_LARGEST:
    case GMC_GROWTH_SPENT:
        return (gmc_interval){value, any.upper};
    case GMC_GROWTH_SMALLEST:
        return (gmc_interval){any.lower, value};
    }
    return any;
}

// ==== of criteria ====

// Criteria over numbers of which only a range is known: three-valued logic by interval arithmetic.
// True or false is said only where it is so for every number of the ranges.
// What an operator does is said in one place, gmc_criteria_apply; here is only where it has its
// extremes: at corners of the ranges, for most are monotone in each operand. Rounding needs no
// care: the corners are computed by the same operations as the values within, and those are
// monotone, rounding included. Where an operation may give NaN, nothing is known of its result, and
// so neither of a comparison with it.

static gmc_interval range(double lower, double upper)
{
    bool is_known = !isnan(lower) && !isnan(upper);
    return is_known ? (gmc_interval){lower, upper} : gmc_extent_any();
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
        if (isnan(corners[i])) return gmc_extent_any();
        lower = fmin(lower, corners[i]);
        upper = fmax(upper, corners[i]);
    }
    return (gmc_interval){lower, upper};
}

static gmc_interval absolute(gmc_interval a)
{
    if (a.lower >= 0) return a;
    return a.upper <= 0 ? (gmc_interval){-a.upper, -a.lower} : gmc_extent_any();
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
        return b.lower <= 0 && b.upper >= 0 ? gmc_extent_any() : around(op, a, b);
    case GMC_OP_AND:
        return truth(a.lower > 0 && b.lower > 0, a.upper > 0 && b.upper > 0);
    case GMC_OP_OR:
        return truth(a.lower > 0 || b.lower > 0, a.upper > 0 || b.upper > 0);
    case GMC_OP_NOT:
        return truth(!(a.upper > 0), !(a.lower > 0));
    case GMC_OP_SIN: // not monotone: of a number that is known
    case GMC_OP_COS:
    case GMC_OP_TAN:
        return a.lower < a.upper ? gmc_extent_any() : rising(op, a, a);
    case GMC_OP_SQRT:
        return a.lower >= 0 ? rising(op, a, a) : gmc_extent_any();
    case GMC_OP_ABS:
        return absolute(a);
    case GMC_OP_NUMBER:
    case GMC_OP_MEASURE:
        break;
    }
    GMC_ASSERT(!"no operator");
    return gmc_extent_any();
}

gmc_interval gmc_extent_of_criterion(const gmc_compiled_criterion *criterion,
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
