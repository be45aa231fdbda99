/// Numbers measured along a rollout. Which ones a scenario wants is a plan: a list of columns. The
/// fixed columns come first and are always measured and stored, so that success can be scored again
/// later.
#ifndef GMC_ENGINE_GRASP_MEASURE_H
#define GMC_ENGINE_GRASP_MEASURE_H

#include "engine/contact/law.h"

#include <stdbool.h>

/// What a measure looks at. Bodies are those of the model, or the hand as a whole.
typedef enum gmc_measure_kind {
    GMC_MEASURE_LIFT,       ///< height of a's centre of mass above its start [m]
    GMC_MEASURE_SLIP,       ///< distance that a's centre of mass moved in b's frame since slip
                            ///< counts [m]
    GMC_MEASURE_SLIP_ANGLE, ///< angle that a turned in b's frame since slip counts [rad]
    GMC_MEASURE_MOVED,      ///< distance of a's centre of mass from its start [m]
    GMC_MEASURE_TURNED,     ///< angle of a against its start [rad]
    GMC_MEASURE_TILTED,     ///< angle between a's z axis now and at the start [rad]
    GMC_MEASURE_SPEED,      ///< of a's centre of mass [m/s]
    GMC_MEASURE_SPIN,       ///< angular speed of a [rad/s]
    GMC_MEASURE_CONTACT,    ///< 1 if a and b touch with force, else 0
    GMC_MEASURE_HELD_BY,    ///< number of hand links that touch a with force
    GMC_MEASURE_RECESS,     ///< how far a reaches beyond the planes that touch it where the hand
                            ///< presses; inf: nowhere [m]
    GMC_MEASURE_OPPOSED,    ///< largest angle between two points at which the hand presses, seen
                            ///< from a's centre of mass; 0: there are no two [rad]
    GMC_MEASURE_FORCE,      ///< sum of normal forces between a and b over 8 ms [N]
    GMC_MEASURE_BORNE,      ///< pull at which a first slipped by 0.1 mm in the hand; until it
                            ///< does the largest so far [N]
    GMC_MEASURE_SINCE,      ///< distance of a's centre of mass from where it was as phase `since`
                            ///< - 1 ended; 0 before [m]
    GMC_MEASURE_LOST,       ///< since when no link of the hand touches a with force, after one did;
                            ///< NaN: one does, or none did [s]
    GMC_MEASURE_HEIGHT,     ///< of a's centre of mass over the world's origin [m]
    GMC_MEASURE_DISTANCE,   ///< between the frames of a and b [m]
    GMC_MEASURE_CLOSURE,    ///< 1 if the hand's contacts with a close (wrench.h), else 0
    GMC_MEASURE_EPSILON,    ///< of those contacts; -1: they do not close [-]
    GMC_MEASURE_VOLUME,     ///< of those contacts [-]
    GMC_MEASURE_CLOSING,    ///< least friction with which they would close; inf: none [-]
    GMC_MEASURE_EPSILON_EACH, ///< as EPSILON, where each presses with at most 1 N; NaN: of too many
    GMC_MEASURE_VOLUME_EACH,  ///< likewise as VOLUME [-]
    GMC_MEASURE_HOLDS,        ///< force along a direction that they hold per normal force [-]
    GMC_MEASURE_HOLDS_MOMENT, ///< likewise moment [m]
    GMC_MEASURE_LEANS,        ///< angle between a's up axis and the world's [rad]
    GMC_MEASURE_PLACE,        ///< distance of a's frame from a place in b's [m]
    GMC_MEASURE_ANGLE,        ///< between a direction of a's frame and one of b's [rad]
    GMC_MEASURE_KIND_COUNT
} gmc_measure_kind;

/// What stands in a measure's brackets: a letter each.
typedef enum gmc_measure_takes {
    GMC_TAKES_NO_MORE = 0,
    GMC_TAKES_BODY = 'b',
    GMC_TAKES_PLACE = 'p', ///< [x, y, z] in the frame; in planar worlds [x, y]
    GMC_TAKES_AXIS = 'x',  ///< x, -z, ...
    GMC_TAKES_FRAME = 'f', ///< body whose frame it is; may be left out: the world's
    GMC_TAKES_PHASE = 'n'  ///< name of a phase
} gmc_measure_takes;

enum { GMC_MEASURE_ARGUMENTS = 4, GMC_MEASURE_USAGE_MAX = 64 };

/// Name in the scenario language, unit, arguments, one line of help: one row per kind. Kinds of one
/// name differ in an argument, a body here and a place there.
typedef struct gmc_measure_info {
    const char *name;  ///< "lift"
    const char *unit;  ///< "m"
    const char *takes; ///< "bb": letters of gmc_measure_takes
    const char *about;
    bool is_count;  ///< it counts, or is 1 or 0
    bool is_costly; ///< it takes too long for every step: at the ends of phases and trials alone
} gmc_measure_info;

extern const gmc_measure_info gmc_measure_infos[GMC_MEASURE_KIND_COUNT];

/// How a measure of bodies a and b is written: "slip(a, b)", "distance(a, [x, y, z], b)".
const char *gmc_measure_usage(const gmc_measure_info *info, const char *a, const char *b,
                              char text[GMC_MEASURE_USAGE_MAX]);

/// How a column sums its measure up: as it is at the end, or over all steps (the start is none).
typedef enum gmc_statistic { GMC_STAT_END, GMC_STAT_MAX, GMC_STAT_MIN } gmc_statistic;

/// As a measure's body: the hand as a whole (its tool frame, all its links); the world; in contact
/// and force robot i as a whole is GMC_BODY_ROBOT - i.
enum { GMC_BODY_ROBOT = -3, GMC_BODY_HAND = -2, GMC_BODY_WORLD = 0 };

/// One measure with its arguments bound to a model.
typedef struct gmc_measure {
    gmc_measure_kind kind;
    int a, b;      ///< bodies, GMC_BODY_HAND, or of robots
    gmc_vec3 of_a; ///< GMC_MEASURE_ANGLE: direction in a's frame, of any length above 0;
                   ///< GMC_MEASURE_HOLDS, _HOLDS_MOMENT: in b's, unit
    gmc_vec3 in_b; ///< GMC_MEASURE_ANGLE: likewise in b's; GMC_MEASURE_PLACE: the place [m]
    int since;     ///< GMC_MEASURE_SINCE: it counts once so many phases are over
    int from;      ///< its extreme is that of the steps that begin with so many phases over
    int at;        ///< its end is the instant at which so many phases are over; 0: that of all
} gmc_measure;

/// The columns that every trial has. Append only.
typedef enum gmc_fixed_column {
    GMC_COLUMN_LIFT,             ///< of the object at the end [m]
    GMC_COLUMN_SLIP,             ///< largest of the object against the hand since slip counts [m]
    GMC_COLUMN_SLIP_END,         ///< at the end [m]
    GMC_COLUMN_SLIP_ANGLE,       ///< largest turn of the object in the hand since slip counts [rad]
    GMC_COLUMN_MOVED,            ///< of the object at the end [m]
    GMC_COLUMN_TURNED,           ///< of the object at the end [rad]
    GMC_COLUMN_MAX_PENETRATION,  ///< deepest overlap of any contact [m]
    GMC_COLUMN_MAX_FORCE,        ///< largest normal force between two bodies over 8 ms [N]
    GMC_COLUMN_MAX_SPEED,        ///< fastest the object ever was [m/s]
    GMC_COLUMN_MAX_JOINT_SPEED,  ///< largest speed of a joint of the hand over its max_speed [-]
    GMC_COLUMN_MAX_JOINT_EFFORT, ///< largest force of a joint's drive over its max_force [-]
    GMC_COLUMN_HELD_BY,          ///< hand links that touch the object at the end
    GMC_COLUMN_T_SETTLED,        ///< when the object last moved faster than 1 mm/s in the hand [s]
    GMC_COLUMN_T_VIOLATED,       ///< when an `always` criterion was first broken; NaN: never [s]
    GMC_COLUMN_MAX_RESIDUAL,     ///< worst accepted residual of a step [-]
    GMC_COLUMN_STEPS,            ///< steps taken
    GMC_COLUMN_RETRIES,          ///< steps repeated at half length
    GMC_COLUMN_ITERATIONS,       ///< solver iterations
    GMC_COLUMN_HARD_STEPS,       ///< steps that the first rung did not solve
    GMC_COLUMN_MAX_CONTACTS,     ///< most contact points in one step
    GMC_COLUMN_T_CLOSED,         ///< when the last closing ended; NaN: never [s]
    GMC_COLUMN_DECIDED_BY, ///< gmc_decision (outcome.h), as early.h found it; filled in by the
                           ///< rollout, as the next two
    GMC_COLUMN_T_DECIDED,  ///< when the verdict was certain; NaN: not before the end [s]
    GMC_COLUMN_AUDIT,      ///< gmc_audit
    GMC_COLUMN_HALF_STEP,  ///< gmc_audit of the repetition at half the step; filled in by the
                           ///< campaign
    GMC_COLUMN_START_PENETRATION, ///< deepest overlap of any contact at the start [m]
    GMC_COLUMN_ENERGY_BALANCE,    ///< energy that is missing, relative (measure.h) [-]
    GMC_COLUMN_ENERGY_SCHEME,     ///< energy that the scheme took, relative [-]
    GMC_COLUMN_ENERGY_SIZE,       ///< what both are relative to [J]
    GMC_COLUMN_IS_WHOLE, ///< are its measures those of the whole trial? Filled in by the campaign
    GMC_COLUMN_HARD_PENETRATION, ///< deepest overlap of any contact without a pad [m]
    GMC_COLUMN_ENERGY_OBJECT,    ///< what the object exchanged: the largest of the change of its
                                 ///< potential energy and its peak kinetic energy [J]
    GMC_COLUMN_PAD_PRESS,        ///< deepest that a pad was pressed, over its thickness [-]
    GMC_COLUMN_HALF_STEP_CHANCE, ///< with which it was chosen for a repetition at half the step; 0:
                                 ///< it could not be. Filled in by the campaign
    GMC_COLUMN_FIXED_COUNT
} gmc_fixed_column;

typedef enum gmc_column_kind {
    GMC_COLUMN_REAL,
    GMC_COLUMN_INTEGER,
    GMC_COLUMN_FLAG
} gmc_column_kind;

/// What a second look at a trial found. The values are stored in files: append only.
typedef enum gmc_audit {
    GMC_AUDIT_NONE = 0,  ///< there was none
    GMC_AUDIT_RIGHT = 1, ///< the same verdict: success, failure (of whatever kind), unsolved
    GMC_AUDIT_WRONG = 2, ///< another one
    GMC_AUDIT_OPEN = 3,  ///< of a repetition at half the step: it is unsolved, the trial is not
    GMC_AUDIT_NEARLY = 4 ///< of such a repetition: the same verdict, but its distance from the
                         ///< limit of success differs by more than half of the trial's
} gmc_audit;

/// A column of the results.
typedef struct gmc_column {
    const char *name; ///< "max_force", "lift(object)", "friction_needed(rubber/abs)"
    const char *unit; ///< "m", "1" for pure numbers
    const char *about;
    gmc_column_kind kind; ///< values are doubles in memory; stored as float64, int64, uint8
} gmc_column;

/// What is measured in every trial of a scenario, and the columns it fills:
///   [ fixed | one per asked measure and statistic | friction needed, slipped per surface pair ]
typedef struct gmc_measure_plan {
    int column_count;
    const gmc_column *columns; ///< (column_count)
    int asked_count;
    const gmc_measure *asked;        ///< (asked_count) measures of the criteria
    const gmc_statistic *statistics; ///< (asked_count)
    int pair_count;
    const int (*pairs)[2];       ///< (pair_count) surfaces
    int object_body;             ///< the object of this case's model; -1: none
    int hand_body;               ///< base body of the hand, -1: none, or mounted on the world
    const bool *is_hand;         ///< (body_count) bodies of the hand; NULL: no hand
    const bool *const *is_robot; ///< of each robot: (body_count) its bodies
    int tool_frame;              ///< -1: the base itself
    bool is_planar;              ///< up is y, in place of z
    bool is_flat;                ///< bodies move in the plane z = 0, and their y axis stands for up
} gmc_measure_plan;

/// Names, units and meanings of the fixed columns, in the order of gmc_fixed_column.
extern const gmc_column gmc_fixed_columns[GMC_COLUMN_FIXED_COUNT];

/// Place of the column of this name; -1: there is none.
int gmc_column_find(const gmc_column *columns, int count, const char *name);

/// Over which an impulse counts as a force [s]. In the texts of measure.c, too.
static const double GMC_MEASURE_WINDOW = 8e-3;

/// Steps that are kept: neighbours that are both shorter than a 32nd of the window are put
/// together, so two of those that are kept are longer than it.
enum { GMC_MEASURE_WINDOW_STEPS = 66 };

typedef struct gmc_measure_window {
    double length[GMC_MEASURE_WINDOW_STEPS]; ///< that impulses of each kept step acted over [s]
    int at, kept;                            ///< the latest of them, and how many there are
} gmc_measure_window;

/// Two bodies that pressed on each other within the window.
typedef struct gmc_measure_force_pair {
    int a, b;                                 ///< bodies, a < b
    int idle;                                 ///< kept steps since there was an impulse
    double impulse[GMC_MEASURE_WINDOW_STEPS]; ///< normal, of each kept step [N·s]
    double force;                             ///< over the window [N]
} gmc_measure_force_pair;

/// What is remembered of the forces of a rollout; in the trial arena.
typedef struct gmc_measure_force {
    int count, capacity;
    double most; ///< largest force between two bodies now [N]
    gmc_measure_force_pair *pairs;
} gmc_measure_force;

/// Two bodies that pressed on each other with surfaces of one pair.
typedef struct gmc_measure_touch {
    int a, b, pair;                            ///< bodies, a < b; index of the pair
    double age, quiet;                         ///< time since they came to touch, after none for a
                                               ///< window; since there was an impulse [s]
    bool is_touching, is_borne;                ///< there is one in this step; not of an impact
    double pressed, total;                     ///< time with an impulse [s], its normal sum [N·s]
    double normal[GMC_MEASURE_WINDOW_STEPS];   ///< N of each kept step, without impacts [N·s]
    double friction[GMC_MEASURE_WINDOW_STEPS]; ///< T
    double slid[GMC_MEASURE_WINDOW_STEPS];     ///< S
    double blow_normal;                        ///< N of the blow that goes on; 0: none does [N·s]
    double blow_friction, blow_slid, blow_age; ///< T, S; time since it began [s]
} gmc_measure_touch;

/// What is remembered of friction along a rollout; in the trial arena.
typedef struct gmc_measure_friction {
    int surface_count;
    const int *pair_of; ///< (surface_count²) index of a pair of surfaces, -1: none is asked for
    double *needed;     ///< (pairs) so far [-]
    bool *slipped;      ///< (pairs) so far
    int count, capacity;
    gmc_measure_touch *touches;
} gmc_measure_friction;

typedef struct gmc_measure_energy {
    bool is_unknown; ///< some step did not say
    int steps;
    double drives;  ///< work in absolute value, summed step by step [J]
    double gravity; ///< its work [J]
    double peak;    ///< largest kinetic energy [J]
    double missing; ///< drives + gravity - loss - scheme - changes of energy [J]
    double scheme;  ///< taken by the scheme [J]
} gmc_measure_energy;

/// What measures remember along one rollout. Arrays in the trial arena.
typedef struct gmc_measure_state {
    gmc_pose *X_start;     ///< (body_count) poses at the start
    gmc_vec3 *com_start;   ///< (body_count) [m]
    gmc_pose X_hand;       ///< of the hand's tool frame after the last step
    gmc_pose X_hand_start; ///< at the start
    bool counts_slip;      ///< the last closing phase has ended, or the program has none
    gmc_pose *X_slip;      ///< (body_count) poses from which slip counts
    gmc_pose X_hand_slip;
    const double *borne; ///< (body_count) pulls, see gmc_program_state; the rollout's; NULL: none
    int phases_over;     ///< how many phases had ended as the step began
    bool is_settled;     ///< what is measured now is what would be for the rest of the program
    gmc_vec3 *place;     ///< (asked_count) GMC_MEASURE_SINCE: of a's centre of mass as it began to
                         ///< count; others: 0 [m]
    double *touched; ///< (asked_count) GMC_MEASURE_LOST: when the hand last touched a; NaN: it has
                     ///< not [s]
    double *current; ///< (asked_count) values after the last step; GMC_STAT_END: only once finished
    double *summary; ///< (asked_count) end, max or min so far; NaN: no step counted yet
    int *pair_of;    ///< (surface_count²) index of a pair of surfaces in the plan, -1: not there
    double fixed[GMC_COLUMN_FIXED_COUNT]; ///< complete once finished
    double slip2;                         ///< largest square of the slip [m²]
    double turn2;    ///< largest squared distance of the rotation in the hand, (2√2 sin(θ/2))²
    double speed2;   ///< largest square of the object's speed [m²/s²]
    gmc_mat3 R_slip; ///< rotation of the object in the hand then
    gmc_vec3 com_slip;         ///< its centre of mass in the hand's frame then [m]
    gmc_vec3 p_last;           ///< origin of the object in the hand's frame, one step ago [m]
    gmc_measure_window window; ///< the last 8 ms
    gmc_measure_force forces;
    gmc_measure_friction friction;
    gmc_measure_energy energy;
    gmc_arena *work; ///< of measures of what contacts can hold; NULL: none is asked for
    double lag;      ///< by which contacts are older than the state, see gmc_step_report [s]
} gmc_measure_state;

/// Room for what the measures of one rollout remember.
/// @param world  its model and the room for its contacts are looked at
/// @return GMC_OK, GMC_E_ARENA_FULL (state is then of no use)
GMC_MUST_CHECK gmc_status gmc_measure_create(const gmc_measure_plan *plan, const gmc_world *world,
                                             gmc_arena *arena, gmc_measure_state *state);

/// At the start of the rollout, before the first step.
void gmc_measure_start(const gmc_measure_plan *plan, const gmc_world *world,
                       gmc_measure_state *state);

/// Slip counts from here: at the start, where the program has no closing phase.
void gmc_measure_count_slip(const gmc_measure_plan *plan, const gmc_world *world,
                            gmc_measure_state *state);

/// After the step just measured so many phases are over, and with it the last closing one has ended
/// or not: then slip counts from here. What is asked at the ends of these phases is evaluated.
void gmc_measure_phases(const gmc_measure_plan *plan, const gmc_world *world, int over,
                        bool has_closed, gmc_measure_state *state);

/// After an accepted step of length h [s]. Of the asked measures only those are evaluated that are
/// summed up over all steps.
void gmc_measure_step(const gmc_measure_plan *plan, const gmc_world *world,
                      const gmc_step_report *report, double h, gmc_measure_state *state);

/// Value of one measure now: after the start, a step, or the end of closing.
/// @return [unit of the measure's kind]; forces and contacts are those of the last step, 0 at the
///         start; slips are 0 until they count
double gmc_measure_value(const gmc_measure *measure, const gmc_measure_plan *plan,
                         const gmc_world *world, const gmc_measure_state *state);

/// An asked measure, as criteria read it now: what was asked at the end of a phase that is over is
/// what it was then.
static inline double gmc_measure_asked(const gmc_measure_plan *plan, int asked,
                                       const gmc_world *world, const gmc_measure_state *state)
{
    const gmc_measure *m = &plan->asked[asked];
    bool is_past = m->at > 0 && m->at <= state->phases_over;
    return is_past ? state->summary[asked] : gmc_measure_value(m, plan, world, state);
}

/// At the end: the remaining asked measures into `state->current`, and all columns of the plan.
/// @param values  out: (plan->column_count)
void gmc_measure_finish(const gmc_measure_plan *plan, const gmc_world *world,
                        gmc_measure_state *state, double *values);

/// Columns of a trial that never started: not a number where a column is real, else 0.
/// @param values  out: (plan->column_count)
static inline void gmc_measure_nothing(const gmc_measure_plan *plan, double *values)
{
    for (int i = 0; i < plan->column_count; i++)
        values[i] = plan->columns[i].kind == GMC_COLUMN_REAL ? NAN : 0;
}

/// The next step, of length span > 0 [s]. @return false: it goes on with the one before
bool gmc_measure_window_open(double span, gmc_measure_window *window);

/// Sum over a window: of steps from where it ends back, the first and the last of them in part.
/// Zeros will do for what came before the first step.
/// @param impulses  (GMC_MEASURE_WINDOW_STEPS)
/// @param ago       that it ended before now, >= 0, less than the latest kept step [s]
/// @param time      out: that the sum is over: 8 ms, less before so much has passed, more of a step
///                  that is longer [s]
double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time);

/// Three of them at once, the same bits for little more than the price of one.
void gmc_measure_window_sums(const gmc_measure_window *window, const double *const impulses[3],
                             double ago, double sums[3], double *time);

/// After an accepted step.
void gmc_measure_energy_step(const gmc_step_energy *step, gmc_measure_energy *sum);

/// @param balance  out: what is missing, < 0: what there is too much, relative; NaN: not known [-]
/// @param scheme   out: what the scheme took, < 0: what it gave, relative; NaN: not known [-]
/// @param size     out: what they are relative to; NaN: not known [J]
void gmc_measure_energy_finish(const gmc_measure_energy *sum, double *balance, double *scheme,
                               double *size);

#endif
