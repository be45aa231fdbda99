/// The interface that every stepper (contact law plus its time stepping) implements, and the world
/// it steps: one mechanism with its state, contacts and caches.
///
/// What is a matter of one law alone stands in its own table: its settings, its solvers, what it
/// can. The scenario language, its defaults and checks, help and the way of a value into the step
/// follow from that; which laws there are is laws.h's. Nothing else names one.
#ifndef GMC_ENGINE_CONTACT_LAW_H
#define GMC_ENGINE_CONTACT_LAW_H

#include "engine/collision/collider.h"
#include "engine/collision/shape.h"
#include "engine/complementarity/solver.h"
#include "engine/contact/contact.h"
#include "engine/dynamics/state.h"
#include "engine/integrate/ode.h"

#include <string.h>

/// A servo on a sum of joint positions, x = Σ share_k q_k: a tendon's drive, or a gear between two
/// joints. Its force F, implicit as that of a joint's servo, acts on each joint as share_k F.
typedef struct gmc_gang {
    int joint_count;
    const int *dofs;           ///< (joint_count) free, of revolute and prismatic joints, rising
    const int *coordinates;    ///< (joint_count) their places in q
    const double *share;       ///< (joint_count) none is 0
    double stiffness, damping; ///< not both 0
    double x_ref, x_dot_ref;   ///< references at the end of the step
    double force_limit;        ///< largest force; +inf: none
    bool is_centred; ///< of second order in the step where steppers are, as far as it is not stiff;
                     ///< else implicit (mechanism_joint.c)
} gmc_gang;

/// What the hand does during one step. Arrays over all dofs unless stated; owned by the controller.
/// A drive, its servo and the force applied, is bounded by its dof, too: it never makes the joint
/// faster than max_speed, and takes up to max_force to keep it so.
typedef struct gmc_control {
    const double *force; ///< (dof_count) applied generalised force, constant over the step [N, N·m]
    const double *stiffness; ///< (dof_count) servo kp, implicit; 0: no servo [N/m, N·m/rad]
    const double *damping;   ///< (dof_count) servo kd, implicit [N·s/m, N·m·s/rad]
    const double *q_ref; ///< (dof_count) servo position reference at the end of the step [m, rad]
    const double *v_ref; ///< (dof_count) servo velocity reference at the end of the step
    const double *force_limit; ///< (dof_count) largest servo force; +inf: none [N, N·m]
    const double *v_driven;    ///< (dof_count) mean velocity over the step at driven dofs
    const double *q_driven;    ///< (q_count) coordinates at the end of the step at driven joints
    const gmc_gang *gangs;     ///< (gang_count)
    int gang_count;            ///< at most the model's free_count
} gmc_control;

/// Energy in one step, from the middle of the step before (at the start: from the start) to that of
/// this one: of bodies that have a free dof, without those that driven joints alone move. It is
/// balanced where  drives + gravity = loss + scheme + both changes.
typedef struct gmc_step_energy {
    bool is_known;         ///< else all are zero
    double drives;         ///< work of servos, applied forces and driven joints [J]
    double gravity;        ///< its work, by places [J]
    double loss;           ///< in slip, dampers and impacts, as their laws have it [J]
    double scheme;         ///< what rows took beyond that and what they store: the scheme's own [J]
    double kinetic_change; ///< [J]
    double elastic_change; ///< of what contacts and joints store [J]
    double kinetic;        ///< at the end [J]
} gmc_step_energy;

/// What one accepted step did; added up by the rollout.
typedef struct gmc_step_report {
    int rung;                ///< which rung solved it, from 1
    int iterations;          ///< solver iterations (work)
    double residual;         ///< scaled residual of the accepted solution [-]
    double max_penetration;  ///< deepest overlap over the contacts at the start of the step [m]
    double hard_penetration; ///< the same of contacts without a pad [m]
    double pad_press;        ///< deepest that a pad is pressed, over its thickness [-]
    double max_force;        ///< largest normal force of one contact [N]
    double max_effort;       ///< largest force of a joint's drive over its max_force [-]
    double span;             ///< impulses of the step are forces times this [s]
    double
        lag; ///< by which the places of its contacts are older than the state; 0: they are not [s]
    int contact_count;
    bool is_impact; ///< of a refusal: something strikes that a shorter step locates better
    gmc_step_energy energy;
} gmc_step_report;

/// What the contacts of a step have of it: span, count, penetrations, the largest force; added to
/// what is there.
void gmc_step_report_contacts(gmc_step_report *report, const gmc_contact_set *set, double span);

/// An object that is slower is at rest: so says the end of a phase, and the measure of when it
/// settled [m/s]. A choice, not measured: at 1 mm/s an object moves by 1 mm in a second of holding.
#define GMC_WORLD_REST_SPEED 1e-3

typedef struct gmc_world {
    const gmc_model *model;
    gmc_state state;
    gmc_kinematics kin; ///< at state's (q, v); kept up to date by the stepper
    gmc_collider *collider;
    gmc_contact_set contacts; ///< of the last step taken, with their impulses and memory
    double *servo_impulse;    ///< (free_count) impulse of servos, limits and joint friction in the
                              ///< last step
    double *support_impulse;  ///< (3 * support_point_count) of the last step: normal, then friction
                              ///< on the body along the world's x and y [N·s]
    void *stepper_memory;     ///< what the stepper keeps from step to step
    gmc_ode *ode; ///< of steppers that are integrated: whoever created the world gives and owns it
} gmc_world;

/// A geom where it is now.
static inline gmc_solid gmc_world_solid(const gmc_world *world, int geom)
{
    const gmc_geom *g = &world->model->geoms[geom];
    return (gmc_solid){.shape = &g->shape,
                       .X = gmc_pose_multiply(&world->kin.X_wb[g->body], &g->X_bg)};
}

/// What inertia does ([berard2007] §II-A).
typedef enum gmc_motion {
    GMC_MOTION_DYNAMIC,      ///< M dv/dt = forces
    GMC_MOTION_QUASI_STATIC, ///< 0 = forces: what moves is held by friction and damping at every
                             ///< instant
    GMC_MOTION_FIRST_ORDER,  ///< M v · 1/s = forces: a world of dampers
    GMC_MOTION_COUNT
} gmc_motion;

/// Their words, in the order of gmc_motion.
#define GMC_MOTION_WORDS(separator) "dynamic" separator "quasi_static" separator "first_order"

// ---- settings ----------------------------------------------------------------------------------

/// A number, word or count that one law knows, or several that share a table. It is written once,
/// as an entry of a list of the law's header, which is read three ways: as constants that the law
/// reads it by, as gmc_setting, and by the scenario language as a key of `simulation`. Entries are
///
///   NUMBER(constant, key, dimension, lower, upper, number, unit, scale, owner, before, after)
///   WHOLE(constant, key, lower, upper, number, even, owner, before, after)
///   WORD(constant, key, words, word, owner, before, after)
///
///   dimension     what it measures: LENGTH, NONE ... (one of the language's)
///   number, unit  the default as one would write it, 0.1 and " mm" ("" where it has none)
///   scale         of the unit in SI; everything else is SI
///   even          why a count has to be even; NULL: it need not
///   owner         whose it is, for messages
///   before        what it means; the default follows in brackets, and `after` that
typedef struct gmc_setting {
    const char *key;
    const char *text; ///< default as one would write it
    double value;     ///< the same [SI]; of words see gmc_setting_default
    double lower, upper;
    const char *words; ///< "bisect|none": it is one of these; NULL: a number
    bool is_whole;
    const char *even, *owner;
    const char *about;
} gmc_setting;

#define GMC_SETTING_ABOUT(before, text, after) before " (default " text ")" after

#define GMC_SETTING_NUMBER(c, k, dimension, low, high, number, unit, scale, whose, before, more)   \
    {.key = (k),                                                                                   \
     .text = #number unit,                                                                         \
     .value = (number) * (scale),                                                                  \
     .lower = (low),                                                                               \
     .upper = (high),                                                                              \
     .owner = (whose),                                                                             \
     .about = GMC_SETTING_ABOUT(before, #number unit, more)},

#define GMC_SETTING_WHOLE(c, k, low, high, number, is_even, whose, before, more)                   \
    {.key = (k),                                                                                   \
     .text = #number,                                                                              \
     .value = (number),                                                                            \
     .lower = (low),                                                                               \
     .upper = (high),                                                                              \
     .is_whole = true,                                                                             \
     .even = (is_even),                                                                            \
     .owner = (whose),                                                                             \
     .about = GMC_SETTING_ABOUT(before, #number, more)},

#define GMC_SETTING_WORD(c, k, list, word, whose, before, more)                                    \
    {.key = (k),                                                                                   \
     .text = #word,                                                                                \
     .words = (list),                                                                              \
     .owner = (whose),                                                                             \
     .about = GMC_SETTING_ABOUT(before, #word, more)},

/// The constants of a list, in its order.
#define GMC_SETTING_INDEX(constant, ...) constant,

/// A list of names as an initialiser: GMC_RIGID_SOLVERS(GMC_COMMA).
#define GMC_COMMA ,

/// Most settings of a law.
enum { GMC_SETTING_MAX = 8 };

typedef struct gmc_step_options {
    gmc_motion motion;   ///< one that the stepper knows
    double residual_max; ///< largest accepted scaled residual [-]
    int iteration_max;   ///< solver iterations allowed in one rung
    double reach;        ///< contacts are looked for within this and the approach distance [m]
    double turn_max;     ///< a body that spins off its principal axes turns at most this far in one
                         ///< step; +inf: no limit [rad]
    bool is_start;       ///< the velocities are those of this instant, not means of a step before
    double impact_step;  ///< steps longer than this are refused where something strikes that was
                         ///< apart; +inf: none is [s]
    const gmc_solver *solver;    ///< from gmc_stepper_solver; NULL: the stepper's default
    double own[GMC_SETTING_MAX]; ///< by index in the stepper's settings; NaN: the default. Of words
                                 ///< the index of the word
} gmc_step_options;

/// What a law can beyond contact and one coefficient of friction.
typedef enum gmc_can {
    GMC_CAN_BOUNCE = 1,        ///< restitution by a coefficient
    GMC_CAN_TORSION = 2,       ///< moment of friction about the normal
    GMC_CAN_ROLLING = 4,       ///< moment against rolling
    GMC_CAN_KINETIC = 8,       ///< less friction once it slides
    GMC_CAN_GRAIN = 16,        ///< friction that depends on the direction
    GMC_CAN_PADS = 32,         ///< soft layers
    GMC_CAN_DAMPING_RATIO = 64 ///< damping of a contact over the critical one
} gmc_can;

typedef struct gmc_stepper {
    const char *name;
    const char *about;           ///< one line, for help and FORMAT.md
    const char *const *solvers;  ///< names of those that fit the law, the default first, NULL last;
                                 ///< if it is integrated the integrator's alone
    const gmc_setting *settings; ///< (setting_count) NULL: none
    int setting_count;
    unsigned can;                 ///< gmc_can
    bool knows[GMC_MOTION_COUNT]; ///< motion models
    bool is_integrated;           ///< its steps are an integrator's: world.ode is needed
    bool is_centred; ///< with inertia, forces of a step act from the middle of the step before (at
                     ///< the start: from the start) to its own; else over the step
    const struct gmc_stepper *maximal; ///< the same law where links are free bodies and joints rows
                                       ///< between them; NULL: it has none
    int maximal_setting_count;         ///< the last settings, which mean something to it alone
    /// Of such a law: why it cannot take the model, and which body that is; NULL: it can.
    const char *(*refuses)(const gmc_model *model, int *body);
    /// Room for the world of `model` with at most contact_max contacts, in the trial arena; state
    /// at start.
    gmc_status (*create)(const gmc_model *model, int contact_max, gmc_arena *arena,
                         gmc_world *world);
    /// Advance the world by h. On failure the world is as before the call.
    /// @return GMC_OK, GMC_E_RESIDUAL, GMC_E_NO_SOLUTION (also: a body turns too far for one step,
    ///         something strikes), GMC_E_MISMATCH (driven bodies press on what cannot give way),
    ///         GMC_E_DIVERGED, GMC_E_LIMIT (contacts), GMC_E_LIBRARY, GMC_E_ARENA_FULL,
    ///         GMC_E_INTEGRATOR, GMC_E_MEMORY (integrated steppers)
    gmc_status (*step)(gmc_world *world, const gmc_control *control,
                       const gmc_step_options *options, double h, gmc_arena *scratch,
                       gmc_step_report *report);
} gmc_stepper;

/// Does this solver fit the stepper's law?
static inline bool gmc_stepper_fits(const gmc_stepper *stepper, const char *solver)
{
    for (const char *const *name = stepper->solvers; *name; name++)
        if (strcmp(*name, solver) == 0) return true;
    return false;
}

/// What step_options.solver has to be for a solver that fits: NULL for the default.
static inline const gmc_solver *gmc_stepper_solver(const gmc_stepper *stepper, const char *solver)
{
    return strcmp(stepper->solvers[0], solver) == 0 ? NULL : gmc_solver_find(solver);
}

/// Index of a setting of the stepper's; -1: it has none of that key.
int gmc_stepper_setting(const gmc_stepper *stepper, const char *key);

/// Index of a word in "a|b|c"; -1: it is none of these.
static inline int gmc_setting_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; *words; index++) {
        size_t own = strcspn(words, "|");
        if (own == length && strncmp(words, word, own) == 0) return index;
        words += own + (words[own] == '|');
    }
    return -1;
}

/// In SI; of words the index of the word.
double gmc_setting_default(const gmc_setting *setting);

/// What a law reads: options->own[index], or the default.
double gmc_setting_of(const gmc_step_options *options, const gmc_setting *settings, int index);

/// One of GMC_MOTION_WORDS.
const char *gmc_motion_name(gmc_motion motion);

/// By name; NULL means dynamic. GMC_MOTION_COUNT if there is none.
gmc_motion gmc_motion_find(const char *name);

gmc_step_options gmc_step_options_defaults(void);

#endif
