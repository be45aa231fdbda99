/// What the hand does over time: a list of phases, each ended by time or by an event, on smooth
/// (quintic) profiles; and the control of one step that follows from it.
///
/// The base is driven: the step that leads to time t ends at the base's reference of t exactly,
/// whatever the step is, and a phase ends at the pose it names exactly, also where a step crosses
/// its end (the reference then waits at the end for the rest of the step).
#ifndef GMC_ENGINE_CONTROL_PROGRAM_H
#define GMC_ENGINE_CONTROL_PROGRAM_H

#include "engine/contact/law.h"
#include "engine/motion/around.h"
#include "engine/motion/reach.h"

typedef enum gmc_phase_type {
    GMC_PROGRAM_GRIP,        ///< fingers: force, or servo to a position
    GMC_PROGRAM_MOVE,        ///< base: translation by a vector
    GMC_PROGRAM_TURN,        ///< base: rotation about an axis through the tool point
    GMC_PROGRAM_SHAKE,       ///< base: oscillation along or about an axis
    GMC_PROGRAM_JOINT_MOVE,  ///< one servo joint: its reference moves by an amount
    GMC_PROGRAM_JOINT_SHAKE, ///< one servo joint: its reference oscillates
    GMC_PROGRAM_MOVE_TO,     ///< servo joints: to positions, through a table, the tool to a pose
    GMC_PROGRAM_HOLD,        ///< nothing changes
    GMC_PROGRAM_SET,         ///< model values change
    GMC_PROGRAM_PULL         ///< a force on a free body grows
} gmc_phase_type;

/// What ends a phase. An event must last 20 ms before it counts; a slip counts at once.
typedef enum gmc_phase_end {
    GMC_END_TIME,    ///< after `duration`
    GMC_END_STALLED, ///< every finger slower than 1 mm/s (10 mrad/s) with the grip force fully up
    GMC_END_IN_CONTACT, ///< every finger touches the object with force; where one drive moves
                        ///< several branches of the hand (mimic joints), two of them do
    GMC_END_AT_REST,    ///< the object slower than 1 mm/s and 0.05 rad/s
    GMC_END_SLIPPED ///< the pulled body's centre of mass has moved by `slip` in the hand's frame
                    ///< (without a hand: in the world) since the phase began
} gmc_phase_end;

/// What a `set` phase may change while the trial runs.
typedef enum gmc_set_kind {
    GMC_SET_FRICTION,
    GMC_SET_GRAVITY,
    GMC_SET_SHAPE,
    GMC_SET_MASS ///< masses, and what supports do: nothing that is seen
} gmc_set_kind;

/// Gives shapes of fixed bodies other sizes, and what moves freely another mass: who made the model
/// knows what follows from a number.
typedef struct gmc_reshaper {
    void *context;
    double (*get)(const void *context, int number);
    void (*put)(void *context, int number, double value, gmc_model *model);
} gmc_reshaper;

typedef struct gmc_set {
    gmc_set_kind kind;
    int a, b; ///< friction: surfaces; gravity: a is the component; shape, mass: a is the
              ///< reshaper's number
    const gmc_reshaper *reshaper; ///< of a shape or mass
    double value;
} gmc_set;

/// Where a grip without force takes the fingers.
typedef enum gmc_grip_to {
    GMC_GRIP_POSITION, ///< all to one joint position
    GMC_GRIP_OPEN,     ///< each to its own, see gmc_finger
    GMC_GRIP_CLOSED
} gmc_grip_to;

/// Where a phase takes servo joints, all of them in one motion (way.h).
typedef struct gmc_move_to {
    const int *dofs; ///< (dof_count) what moves; of places that joints pass drives, too
    int dof_count;
    int knot_count;      ///< places that joints pass, the start not counted; 0: the tool to a pose
    const double *knots; ///< (knot_count * dof_count) joint positions [m, rad]
    const double *times; ///< (knot_count) of them, since the phase began, the last one is the
                         ///< phase's duration; NULL: one place, at its end [s]
    gmc_pose pose;       ///< of the tool point, in the frame of frame_body as the phase begins, of
                         ///< the object in that in which it is seen [m]
    int frame_body;      ///< 0: the world
    int tool_frame;      ///< frame of the model that is the tool point
    bool is_straight;    ///< the tool goes along a straight line
    bool is_planned;     ///< around what stands there, with stops on the way
} gmc_move_to;

typedef struct gmc_phase {
    const char *name;
    gmc_phase_type type;
    gmc_phase_end end;
    double duration; ///< of the motion; phases that end by time last this long [s]
    double at_most;  ///< phases that end by an event last at most this long [s]
    bool has_force;  ///< grip: by force; else to `position`
    double force;    ///< grip: of each finger, in its closing direction, as far as the max_force of
                     ///< its drive allows [N, N·m]
    gmc_grip_to to;  ///< grip without force: where the fingers go
    double position; ///< grip: joint target, if that is where they go [m, rad]
    double speed;    ///< grip by force: speed that the fingers do not exceed; to a position: of the
                     ///< reference. +inf: none [m/s, rad/s]
    double ramp;     ///< grip: the force grows over this; shake: the envelope [s]
    gmc_vec3 by;     ///< move [m]
    gmc_vec3 axis;   ///< turn, shake, pull: unit; of a pull in the world
    double amount;   ///< turn: angle; joint move: distance; shake: amplitude [m, rad]
    double frequency;   ///< shake [Hz]
    bool is_rotation;   ///< shake about the axis instead of along it
    bool in_hand_frame; ///< axis and by are seen in the tool frame as it is when the phase begins
    int dof;            ///< joint phases
    int body;           ///< pull: on a free or planar joint
    double grows;       ///< pull: force per time, from 0 on [N/s]
    double slip;        ///< pull that ends by a slip: of this size [m]
    bool is_closing;    ///< slip counts from the end of the last such phase, without one from the
                        ///< start
    const gmc_set *sets;
    int set_count;
    const gmc_move_to *move_to; ///< of a move to places; it lasts longer than `duration` where the
                                ///< joints' limits ask for it, at most at_most
} gmc_phase;

enum { GMC_PROGRAM_SWING_STEPS = 10 }; ///< that a swing takes at least

/// Do steps of this length [s] follow a shake of this frequency [Hz]? With ten a swing its extremes
/// are met within 5 % of the amplitude: cos(pi / 10).
bool gmc_program_follows(double frequency, double step);

typedef struct gmc_finger {
    int dof;
    double closing; ///< +1 or -1: sign of the joint motion that closes
    double drive;   ///< force of the drive per force of one finger: joints that mimic this one add
                    ///< theirs
    double open, closed; ///< its joint positions when it is open and closed, where phases go there
} gmc_finger;

/// A joint that follows another by a gear with a clutch: q = ratio q_leader + offset while it is
/// closed. The drive is the leader's; it turns the follower by the gear, the leading link through
/// the clutch.
///
/// Closed, with F the drive's force and S that of the gear on the follower, the clutch passes
/// F - alone S to the leading link. Beyond `breakaway` it opens: the leading link stays where it
/// is, pressed on with `breakaway` (the worm behind the clutch does not turn back), and the drive
/// turns the follower alone, `alone` times as far as itself and with F / alone. It closes as the
/// drive comes back to where it opened. A leading link at nine tenths of its drive's largest speed
/// is not blocked, whatever the drive would give.
///
/// A gear that the leading link carries has alone = ratio. In the Barrett hand [townsend2000] both
/// gears stand in the palm: the outer link turns against the palm by 4/3 of the drive, of which the
/// inner link, if it is not blocked, takes 1 with it, so ratio = 1/3 and alone = 4/3. How the lock
/// is pressed on, and the gear's stiffness, are our choice.
typedef struct gmc_gear {
    int leader, follower;      ///< free dofs of different joints
    double ratio, offset;      ///< not 0
    double alone;              ///< not 0
    double breakaway;          ///< > 0; +inf: it never opens [N, N·m]
    double stiffness, damping; ///< of gear and lock, at the follower
} gmc_gear;

/// A drive that acts on a sum of joint positions, x = Σ share_k q_k, in place of drives of their
/// own: a tendon over several joints. Phases and fingers name it as a dof behind those of the
/// model: drive i is dof_count + i, and its position is x.
typedef struct gmc_drive {
    int joint_count;
    const int *dofs;           ///< (joint_count) free, rising; in no other drive and no gear
    const double *share;       ///< (joint_count) none is 0
    double stiffness, damping; ///< of its servo; both 0: it gives only the force asked for
    double max_force;          ///< +inf: no limit [N, N·m]
    bool slides;               ///< its joints do; else they turn
} gmc_drive;

/// A number over time: straight between its knots, still before the first and after the last.
typedef struct gmc_curve {
    int count;                  ///< 0: no curve
    const double *time, *value; ///< (count) times increase [s]
} gmc_curve;

enum { GMC_COURSE_CURVES = 6 };

/// Curves for a body. On a planar joint three: of a driven one x, y [m] and angle [rad] of its body
/// frame in its joint's; of a free one the forces on its centre of mass along the world's x and y
/// [N] and the moment about z [N·m]. On a free joint six: x, y, z of the force [N] and of the moment
/// about the centre of mass [N·m], in the world or in the body frame as it turns.
typedef struct gmc_course {
    int body;
    bool in_body_frame; ///< on a free joint
    gmc_curve curves[GMC_COURSE_CURVES];
    // of a push in the plane what a sampled controller is asked for: a servo of x, y and angle of
    // the body frame
    gmc_curve wanted[3];             ///< without knots: where it starts [m, rad]
    double stiffness[3], damping[3]; ///< [N/m, N·m/rad], [N·s/m, N·m·s/rad]
} gmc_course;

/// How the robot sees a body: where it is, and an error that stays as it is while the body moves.
typedef struct gmc_sighting {
    gmc_vec3 shift; ///< of its origin, in the world [m]
    gmc_mat3 turn;  ///< about its origin, in the world's axes
    gmc_mat3 own;   ///< ahead of `turn`, in the body's axes
} gmc_sighting;

/// Where a body is seen that is at X_wb.
static inline gmc_pose gmc_sighting_pose(const gmc_sighting *sight, const gmc_pose *X_wb)
{
    gmc_mat3 turned = gmc_mat3_multiply(&sight->turn, &X_wb->R);
    return (gmc_pose){.R = gmc_mat3_multiply(&turned, &sight->own),
                      .p = gmc_vec3_add(X_wb->p, sight->shift)};
}

typedef struct gmc_program {
    const gmc_phase *phases;
    int phase_count;
    int base_body; ///< driven free or planar body that carries the hand; -1: the hand is mounted on
                   ///< the world
    int tool_frame; ///< frame of the model that is the tool point; -1: the base itself
    const gmc_finger *fingers;
    int finger_count;
    int object_body; ///< what events about the object look at; -1: none
    const gmc_sighting
        *sight; ///< of the object, by motions to it and around it; NULL: it is seen as it is
    const double *servo_stiffness; ///< (dof_count) kp of joints held by servos [N/m, N·m/rad]
    const double *servo_damping;   ///< (dof_count) kd [N·s/m, N·m·s/rad]
    const gmc_gear *gears;         ///< (gear_count) no dof is in two
    int gear_count;
    const gmc_drive *drives; ///< (drive_count) no dof is in two
    int drive_count;
    const bool *holds;        ///< (dof_count) joints whose drives carry what hangs on them, as far
                              ///< as their force goes, besides what they do; NULL: none does
    const gmc_course *paths;  ///< (path_count) of driven bodies other than the base
    const gmc_course *pushes; ///< (push_count) of free bodies
    int path_count, push_count;
} gmc_program;

/// A pull has made its body slip when that has moved by this much in the hand's frame [m].
#define GMC_PROGRAM_SLIP 1e-4

/// A reference of the base, seen in the world.
typedef struct gmc_program_place {
    gmc_quat rotation; ///< unit
    gmc_vec3 p;        ///< of the body frame's origin [m]
} gmc_program_place;

/// Of a motion that is planned: joint positions that it may end at, places where it may stop, nodes
/// of its search.
enum { GMC_PROGRAM_GOALS = 8, GMC_PROGRAM_STOPS = 128, GMC_PROGRAM_NODES = 5000 };

/// Why a phase cannot begin.
typedef enum gmc_refusal {
    GMC_REFUSAL_NONE,
    GMC_REFUSAL_LIMIT, ///< a joint would go beyond its limits
    GMC_REFUSAL_POSE,  ///< no joint positions within the limits put the tool there
    GMC_REFUSAL_LINE,  ///< the straight line leaves what the joints reach, or takes a jump
    GMC_REFUSAL_PATH,  ///< no way was found around what stands there
    GMC_REFUSAL_FORCE, ///< a joint has not the force, however slow it goes
    GMC_REFUSAL_TIME   ///< it takes longer than at_most, for a joint's limits
} gmc_refusal;

/// A motion of a phase to places, made when it begins; in the trial arena.
typedef struct gmc_program_motion {
    gmc_arm arm;        ///< of the joints that move, in the order of the phase's dofs
    gmc_way way;        ///< theirs
    gmc_way sums;       ///< of drives of several joints, in the same time and order
    int joint_end;      ///< dofs from here on are drives
    gmc_around around;  ///< of what is planned
    double *goals;      ///< (GMC_PROGRAM_GOALS * dof_count) the same
    double *x, *before; ///< (dof_count) references at the end of a step and at its start
    double *parts;      ///< (dof_count) scratch: joints, and drives behind them
} gmc_program_motion;

/// Where a program stands in one rollout.
typedef struct gmc_program_state {
    int phase;              ///< index; phase_count: all done
    double phase_start;     ///< [s]
    double event_since;     ///< since when the event of the phase has held; < 0: it does not [s]
    bool has_closed;        ///< the last closing phase is over
    gmc_pose X_wj;          ///< joint frame of the base, which never moves
    gmc_quat rotation_wj;   ///< its rotation
    gmc_program_place base; ///< reference of the base at the start of the phase
    gmc_pose X_tool;        ///< tool frame at the start of the phase
    int *body_of;  ///< (dof_count) body whose own joint moves by this dof alone; -1: there is none
    int *place_of; ///< (dof_count) place in q of these, and of the coordinates of planar joints
    // arrays of (dof_count + drive_count): dofs, and drives of several joints behind them
    double *q_hold;            ///< servo references at the start of the phase
    double *q_goal;            ///< where a grip to positions takes a finger
    double *v_goal;            ///< and how fast its reference goes: never beyond its max_speed
    double grip_from, grip_to; ///< force of the fingers, if is_force_grip: it grows from one to the
                               ///< other, in later phases too if its own is over before [N, N·m]
    double grip_ramp, grip_start; ///< over so long from then on [s]
    double grip_speed;            ///< that they do not exceed then; +inf: none [m/s, rad/s]
    bool is_force_grip;
    bool *
        is_moved; ///< (dof_count + drive_count) fingers that press and that phases have moved since
    double duration;             ///< of the current phase [s]
    gmc_program_motion *motions; ///< (phase_count) of phases that move to places
    gmc_arena room;              ///< scratch of their making, a part of the trial arena
    gmc_refusal refusal;         ///< why the current phase cannot begin: nothing moves any more
    int refused_dof;             ///< of the joint that it is for; -1: none
    double refused_off;          ///< of a pose: how far from it the joints can put the tool [m]
    double *set_start;           ///< values at the start of a `set` phase
    bool has_acted;              ///< there was a step
    bool has_weighed;            ///< masses in the model may be others: gmc_kinematics_weigh is due
    bool *is_open;               ///< (gear_count) the clutch
    double *opened_at;           ///< (gear_count) where the leader was then
    double *opened_by;           ///< (gear_count) and where the follower was
    double *side;                ///< (gear_count) sign of what the clutch passed on
    gmc_gang *gangs;             ///< (gear_count + drive_count)
    int *gang_index;             ///< (4 * gear_count) their dofs and coordinates
    double *gang_share;          ///< (2 * gear_count)
    int *coordinates;            ///< (dof_count) place in q of each joint of drives, in their order
    double *borne;     ///< (body_count) the pull at which a body first slipped; until it does the
                       ///< largest so far, 0 of what was not pulled [N]
    bool *has_slipped; ///< (body_count)
    gmc_vec3 pulled_from; ///< mass centre of the pulled body in the hand's frame as the phase
                          ///< began [m]
    double pulled_way;    ///< how far it was from there after the step before [m]
    bool is_centred; ///< forces of a step act as of a centred stepper (law.h); the owner's to say
    double t_before, t_now; ///< start and end of the step before; both the start at first [s]
    double *load;           ///< (dof_count) what drives that hold carry in the step
    bool *
        is_sampled; ///< (dof_count + drive_count) what a sampled controller moves (sampler.h): in place of the
                    ///< servo, and of the drive that holds; of a body in place of its push
    double *sampled; ///< (dof_count + drive_count) with this force in the step [N, N·m]
    // the control arrays, see gmc_control, with those of drives behind them; what does not change
    // within a phase is written once
    double *force, *stiffness, *damping, *q_ref, *v_ref, *force_limit, *v_driven, *q_driven;
    // copies in which loads and clutches have their say, for the step alone
    double *force_now, *stiffness_now, *damping_now, *q_ref_now, *v_ref_now, *force_limit_now;
} gmc_program_state;

/// Has it a closing phase?
static inline bool gmc_program_closes(const gmc_program *program)
{
    for (int i = 0; i < program->phase_count; i++)
        if (program->phases[i].is_closing) return true;
    return false;
}

/// Room for the state of a program on a model.
/// @param program  kept by the caller as long as the state lives
/// @param arena    owns the arrays of `state`
/// @return GMC_OK, GMC_E_ARENA_FULL (state is then of no use)
GMC_MUST_CHECK gmc_status gmc_program_create(const gmc_program *program, const gmc_model *model,
                                             gmc_arena *arena, gmc_program_state *state);

/// Begin at phase 0; gmc_program_advance passes over what takes no time. Kinematics of the world
/// are at its start.
void gmc_program_start(const gmc_program *program, const gmc_world *world,
                       gmc_program_state *state);

/// Control of the step from the world's time to h later.
/// @param model    in-out: the rollout's own copy, the one that the world points to; `set` phases
///                 write into it
/// @param h        [s] > 0
/// @param control  out: points to the arrays of `state`, valid until the next call
void gmc_program_control(const gmc_program *program, const gmc_world *world, gmc_model *model,
                         double h, gmc_program_state *state, gmc_control *control);

/// What the program asks of a joint that a sampled controller moves (controller.h): a servo towards
/// a reference that gives at most `limit`, and a force on top.
typedef struct gmc_program_want {
    double q, v;               ///< reference [m, rad], and its speed over the last period
    double stiffness, damping; ///< of the servo
    double limit;              ///< of what the servo gives; +inf: none [N, N·m]
    double force;              ///< [N, N·m]
    bool is_pressing;          ///< by force: the reference, if there is one, runs ahead
} gmc_program_want;

/// Position of what turns a joint, where its encoder sits: its drive's, which goes on while the
/// clutch of its gear is open. Of a body in the plane that of its frame.
double gmc_program_drive(const gmc_program *program, const gmc_world *world,
                         const gmc_program_state *state, int dof);

/// Limits of a dof, or of a drive of several joints: of its position and its force.
/// @return what else a gmc_dof says only of a dof
gmc_dof gmc_program_range(const gmc_program *program, const gmc_model *model, int dof);

/// The dof in whose place a record has what a controller answers for a dof or a drive: of a drive
/// its first joint's, which no controller moves alone.
static inline int gmc_program_recorded(const gmc_program *program, const gmc_model *model, int dof)
{
    return dof < model->dof_count ? dof : program->drives[dof - model->dof_count].dofs[0];
}

/// What it asks of a dof with a joint of its own, of a planar body or of a drive, at time t, of the phase that runs now; past its
/// end: of the end. A grip by force whose speed is limited is a reference that runs ahead at this
/// speed, and a servo that gives at most the force: what a damper of thousand-fold gain does in the
/// implicit servos cannot be sampled.
/// @param t  [s] >= that of the world
/// @param want  out; v is zero
void gmc_program_wants(const gmc_program *program, const gmc_world *world,
                       const gmc_program_state *state, double t, int dof, gmc_program_want *want);

/// After the start and after every accepted step: go on to the next phase if this one is over.
/// Several phases may end at once; each leaves its full effect (poses, references, set values).
/// @param model  in-out: the world's model, for `set` phases that end here
/// @return true if the last closing phase ended with this step
bool gmc_program_advance(const gmc_program *program, const gmc_world *world, gmc_model *model,
                         gmc_program_state *state);

/// Does the force of the last grip still grow at this time?
static inline bool gmc_program_force_grows(const gmc_program_state *state, double t)
{
    return state->is_force_grip && t < state->grip_start + state->grip_ramp;
}

/// Value of a curve at a time; 0 without knots.
double gmc_program_curve(const gmc_curve *curve, double time);

/// How far a shake is from its middle `time` after its phase began: amplitude, envelope, sine.
/// @return [m, rad]; 0 from the phase's end on
double gmc_program_shake_offset(const gmc_phase *phase, double time);

/// Smooth step from 0 at s <= 0 to 1 at s >= 1 with zero first and second derivatives at the ends.
double gmc_program_quintic(double s);

#endif
