/// What the hand does, phase by phase, and what counts as success. Part of scenario.h; numbers are
/// indices into its table of parameters.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_PROGRAM_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_PROGRAM_H

#include "engine/control/program.h"
#include "sampling/scenario/scenario_parameter.h"

#include <stdbool.h>

typedef enum gmc_phase_kind {
    GMC_PHASE_CLOSE, ///< fingers close by force or to a position
    GMC_PHASE_OPEN,  ///< fingers go to a position
    GMC_PHASE_LIFT,  ///< base moves along world z
    GMC_PHASE_MOVE,  ///< base or joint moves by a vector or an amount
    GMC_PHASE_TURN,  ///< base turns about an axis through the tool point
    GMC_PHASE_SHAKE, ///< base or joint oscillates along an axis (or about it: about: true)
    GMC_PHASE_HOLD,  ///< nothing changes
    GMC_PHASE_SET,   ///< parameters change
    GMC_PHASE_KIND_COUNT
} gmc_phase_kind;

/// One changed parameter of a `set` phase; `target` is resolved by gmc_resolve_scenario.
typedef struct gmc_set_spec {
    const char *target_path; ///< "friction.rubber/abs"
    gmc_param target;        ///< index of the parameter that changes
    gmc_param value; ///< its new value, itself a parameter "program.2.set.friction.rubber/abs"
    gmc_source source;
    struct gmc_node *node; ///< the value as written, until resolved
} gmc_set_spec;

/// Parameters are entered in the order of these fields.
typedef struct gmc_phase_spec {
    const char *name; ///< unique: "close", "lift", or the `name:` given; repeated kinds get "_2"
    gmc_source source;
    gmc_phase_kind kind;
    gmc_phase_end until;
    gmc_param by[3];     ///< lift: by[2]; move: vector in the world; joint moves: by[0]
    gmc_param axis[3];   ///< turn, shake: unit after normalising; x, y, z allowed in the text
    gmc_param angle;     ///< turn, shake about: amplitude [rad]
    gmc_param amplitude; ///< shake [m or rad]
    gmc_param frequency; ///< shake [Hz]
    gmc_param force;     ///< close: per finger [N or N·m]; -1: to a position
    gmc_param position;  ///< close, open: joint position [m or rad]; -1: none
    gmc_param speed;     ///< close to a position, or limit on a force close; -1: none
    gmc_param ramp;      ///< close: force grows smoothly over this [s]; shake: envelope
    gmc_param duration;  ///< for: / in: ; -1 with an `until`
    gmc_param at_most;   ///< longest duration of an `until` phase
    bool is_rotation;    ///< shake about the axis
    bool in_hand_frame;  ///< axis and by are seen in the tool frame, not in the world
    const char *joint;   ///< move, shake: a servo joint instead of the base; NULL: base
    gmc_set_spec *sets;
    int set_count;
} gmc_phase_spec;

/// A criterion, kept as checked text plus its syntax tree (expression.h).
typedef struct gmc_criterion {
    const char *text;
    gmc_source source;
    const struct gmc_expression *expression;
} gmc_criterion;

#endif
