/// What the hand does over time: a list of phases, each ended by time or by an event, with smooth
/// (quintic) profiles; and the control of one step that follows from it.
#ifndef GMC_ENGINE_CONTROL_PROGRAM_H
#define GMC_ENGINE_CONTROL_PROGRAM_H

#include "engine/contact/law.h"

typedef enum gmc_phase_type {
    GMC_PROGRAM_GRIP,        ///< fingers: force ramp, or servo to a position
    GMC_PROGRAM_MOVE,        ///< base: translation by a vector, quintic
    GMC_PROGRAM_TURN,        ///< base: rotation about an axis through the tool point, quintic
    GMC_PROGRAM_SHAKE,       ///< base: oscillation along or about an axis, quintic envelope
    GMC_PROGRAM_JOINT_MOVE,  ///< one servo joint: reference moves by an amount, quintic
    GMC_PROGRAM_JOINT_SHAKE, ///< one servo joint: reference oscillates
    GMC_PROGRAM_HOLD,
    GMC_PROGRAM_SET ///< model values change smoothly
} gmc_phase_type;

typedef enum gmc_phase_end {
    GMC_END_TIME,
    GMC_END_STALLED,
    GMC_END_IN_CONTACT,
    GMC_END_AT_REST
} gmc_phase_end;

/// What a `set` phase may change while the trial runs.
typedef enum gmc_set_kind { GMC_SET_FRICTION, GMC_SET_GRAVITY, GMC_SET_GRIP_FORCE } gmc_set_kind;

typedef struct gmc_set {
    gmc_set_kind kind;
    int a, b; ///< friction: surfaces; gravity: a = component
    double value;
} gmc_set;

typedef struct gmc_phase {
    const char *name;
    gmc_phase_type type;
    gmc_phase_end end;
    double duration; ///< of the motion; END_TIME phases last this long [s]
    double at_most;  ///< event phases last at most this long [s]
    double force;    ///< grip [N, N·m]
    bool has_force, has_position;
    double position;  ///< grip: joint target [m, rad]
    double speed;     ///< grip: speed of the reference; 0: by duration [m/s, rad/s]
    double ramp;      ///< grip: of the force; shake: of the envelope [s]
    gmc_vec3 by;      ///< move [m]
    gmc_vec3 axis;    ///< turn, shake: unit
    double amount;    ///< turn angle, joint move, shake amplitude
    double frequency; ///< [Hz]
    bool is_rotation;
    bool in_hand_frame;
    int dof;         ///< joint phases
    bool is_closing; ///< the end of the last such phase is where `slip` starts to count
    const gmc_set *sets;
    int set_count;
} gmc_phase;

typedef struct gmc_program {
    const gmc_phase *phases;
    int phase_count;
    int base_body;         ///< driven free body that carries the hand; -1: none
    int tool_frame;        ///< frame of the model that is the tool point; -1: the base itself
    const int *fingers;    ///< dofs that grip phases move
    const double *closing; ///< (finger_count) +1 or -1: sign of closing motion and force
    int finger_count;
    int object_body;               ///< what events about "the object" look at; -1 none
    const double *servo_stiffness; ///< (dof_count) kp of joints held by servos, 0: passive
    const double *servo_damping;   ///< (dof_count)
} gmc_program;

#endif
