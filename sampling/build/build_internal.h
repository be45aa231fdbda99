/// What the files of the build share. Private to sampling/build/build*.c.
#ifndef GMC_SAMPLING_BUILD_BUILD_INTERNAL_H
#define GMC_SAMPLING_BUILD_BUILD_INTERNAL_H

#include "engine/base/check.h"
#include "engine/control/closing.h"
#include "engine/model/polygon.h"
#include "engine/model/urdf.h"
#include "sampling/build/build.h"

#include <math.h>

/// An object or scene body as compiled: where its numbers go in each trial.
typedef struct gmc_build_item {
    const gmc_item_spec *spec;
    int body;
    bool is_free;          ///< it moves; else its joint is fixed and its pose is that of the joint
    int geom, geom_count;  ///< its own shapes, then those of its parts
    int own_count;         ///< 1, or the convex pieces of its mesh or polygon
    const bool *is_shaped; ///< (1 + part_count) planar worlds: a polygon that chance, a study or a
                           ///< formula may change, with room for its pieces however it is cut
    const int *part_geoms; ///< (part_count) shapes of each part; NULL: one each
    const gmc_polygon_pieces *pieces; ///< (1 + part_count) of polygons as compiled; planar worlds
    gmc_polygon_pieces underside;     ///< of a polygon that it lies on
    bool is_planar;                   ///< it moves in the plane of a planar world
    gmc_inertia
        unit; ///< mesh, polygon: mass properties at density 1 kg/m³ and scale or thickness 1
} gmc_build_item;

/// An articulated model as read and compiled: the hand, or one of `robots`.
typedef struct gmc_build_robot {
    gmc_robot_spec *spec;
    gmc_urdf urdf;   ///< its polytopes are the models'
    int base_body;   ///< that of its root link, driven or mounted; -1: it is not there
    bool *has;       ///< (body_count) bodies; NULL: it is not there
    int *joint_dof;  ///< (spec->joint_count) dof of each joint setting, -1 for mimic joints
    int *joint_body; ///< (spec->joint_count)
    const gmc_joint_setting *follows; ///< (follow_count) those of the scenario that follow others
    int follow_count;
    int first_drive; ///< of spec->drives among those of all robots, in the order of
                     ///< gmc_build_robot_at
} gmc_build_robot;

enum { GMC_BUILD_JOINT = -1, GMC_BUILD_DRIVE = -2 };

/// What `control` moves and sees, the same in all trials.
typedef struct gmc_build_control {
    int count;
    const gmc_joint_setting **settings; ///< (count) NULL: of a body or drive
    int *dofs;                ///< (count) of bodies 0: x, 1: y, 2: yaw; of drives among all
    int *items;               ///< (count) of bodies: of the scene, or scene_count: the object; else
                              ///< GMC_BUILD_JOINT, GMC_BUILD_DRIVE
    const char *const *names; ///< (count)
    int link_count;           ///< 0: contacts are not seen
    int *links;               ///< (link_count) bodies
    const char *const *link_names;
    gmc_control_table table; ///< of torques
} gmc_build_control;

struct gmc_build {
    gmc_scenario *scenario;
    gmc_diagnostics *report;              ///< during set-up only
    const gmc_pieces_cache *pieces_cache; ///< NULL: none
    gmc_file_source files;                ///< the scenario's assets, for the engine's readers
    bool is_sketch;    ///< the scenario has mistakes: meshes are not cut, nothing will run
    gmc_arena arena;   ///< owns the models and everything below
    gmc_model *models; ///< (object_count) compiled at nominal values; same body indices in all
    gmc_build_item *objects; ///< (object_count), each in its own model
    gmc_build_item *scene;   ///< (scene_count), the same in all models
    gmc_build_item *clutter; ///< (clutter.bodies), the same in all models, behind the object
    int object_body;
    gmc_build_robot hand;
    gmc_build_robot *robots; ///< (scenario.robot_count)
    int tool_frame;          ///< of the hand; -1: its base itself
    int (*friction_pair)[2]; ///< (friction_count) surfaces, the same numbers in all models; -1: a
                             ///< pair of which nothing has one
    int *surface_setting;    ///< (model.surface_count) index into scenario->surfaces, -1: defaults
    gmc_closing *closings;   ///< (dof_count) as the hand's geometry has it
    gmc_finger *fingers;
    int finger_count;
    gmc_build_control control;
    gmc_phase *phases; ///< (phase_count) with everything but numbers filled in
    gmc_criteria criteria;
    gmc_measure_plan plan;
    const gmc_compiled_criterion *slack; ///< gmc_build_slack
    int route_body;                      ///< of study.plan
    const gmc_stepper *stepper;
    const gmc_solver *solver; ///< NULL: the stepper's default
};

/// Can the scenario's stepper, or that of a level, do it (build.c)?
bool gmc_build_can(const gmc_build *build, gmc_can can);

/// Name of the link or body that a geom belongs to.
const char *gmc_build_name(const gmc_model *model, const gmc_geom *geom);

/// How far a shape reaches along a unit direction from its frame's origin [m]; planes, and shapes
/// of planar worlds: infinity.
double gmc_build_reach(const gmc_shape *shape, gmc_vec3 direction);

/// Warn of numbers whose unit was likely forgotten (build_plausible.c).
void gmc_build_check_plausible(const gmc_build *build, const double *values);

/// "joints: left, right": those of a robot that move on their own, as many as there is room for.
void gmc_build_joint_names(const gmc_build_robot *robot, char *text, size_t size);

/// The robots, and the hand behind them, whether there is one or not.
/// @param i  0 <= i <= scenario.robot_count
static inline gmc_build_robot *gmc_build_robot_at(gmc_build *build, int i)
{
    return i < build->scenario->robot_count ? &build->robots[i] : &build->hand;
}

/// The robot whose joint `name` is, ROBOT/JOINT or JOINT of the hand; NULL: there is no such robot.
/// @param index  out: of its joint settings; -1: it has no such joint
const gmc_build_robot *gmc_build_find_joint(const gmc_build *build, const char *name, int *index);

/// Index of the joint that another follows by a gear with a clutch (gmc_gear), of the robot's
/// settings; -1: it has a drive of its own.
int gmc_build_geared_to(const gmc_build_robot *robot, int joint);

/// Which of the robot's drives of several joints moves a joint of its settings; -1: none, it has a
/// drive of its own.
int gmc_build_driven_by(const gmc_build_robot *robot, int joint);

/// Give numbers of `close` and `open` the dimension of the joints that are fingers, where they are
/// of one kind by the URDF alone.
void gmc_build_settle_phases(const gmc_build *build);

/// Where a finger is open or closed in a trial; not finite: nowhere.
/// @param joint  of the hand's joint settings
/// @param model  of the trial, with its limits
double gmc_build_end(const gmc_build *build, const double *values, int joint, bool is_closed,
                     const gmc_model *model);

/// Phases, criteria and columns from the scenario, for the compiled models
/// (build_program.c).
GMC_MUST_CHECK gmc_status gmc_build_program(gmc_build *build);
GMC_MUST_CHECK gmc_status gmc_build_criteria(gmc_build *build);

/// `control` for the compiled models, and of one trial (build_control.c).
/// @param believed  where the robot believes the object to be; NULL: the controller is not told
/// @param made  out: NULL without it; of a library or a command without them, which the caller puts
///              in. In `arena`, writable
GMC_MUST_CHECK gmc_status gmc_build_control_compile(gmc_build *build);
GMC_MUST_CHECK gmc_status gmc_build_control_make(const gmc_build *build, const double *values,
                                                 const gmc_pose *believed, gmc_arena *arena,
                                                 gmc_control_plan **made);
/// The dofs of bodies and drives that it moves in a trial of this object.
/// @param model  of the trial
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_control_dofs(const gmc_build *build,
                                                 const gmc_build_item *object,
                                                 const gmc_model *model, gmc_arena *arena,
                                                 gmc_control_plan *plan);

/// Value of a number with a default, by its path: of a row that is only entered (schema_rows.c).
static inline double gmc_build_number(const gmc_build *build, const double *values,
                                      const char *path)
{
    gmc_param param = gmc_scenario_find(build->scenario, path);
    GMC_ASSERT(param >= 0);
    return values[param];
}

/// Value of a parameter, or `otherwise` where none was given.
static inline double gmc_build_value(const double *values, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : values[param];
}

/// How long a phase that ends by time is to last; of a move through places the time of the last.
static inline double gmc_build_phase_time(const double *values, const gmc_phase_spec *spec)
{
    const gmc_curve_spec *through = spec->goal_count > 0 ? &spec->goals[0].through : NULL;
    if (!through || through->count == 0) return gmc_build_value(values, spec->duration, 0);
    return values[through->knots[2 * (through->count - 1)]];
}

/// Largest speed of a joint's drive; +inf: no limit.
static inline double gmc_build_max_speed(const double *values, const gmc_joint_setting *setting)
{
    double speed = gmc_build_value(values, setting->max_speed, 0);
    return speed > 0 ? speed : (double)INFINITY;
}

/// Sizes of an item's shape.
void gmc_build_sizes(const gmc_item_spec *spec, const double *values, gmc_shape *shape);

/// An item's shape with its sizes, before any section; a mesh or a polygon without its pieces.
gmc_shape gmc_build_solid(const gmc_item_spec *spec, const double *values);

/// Mass properties at density 1 kg/m³ of an item's shape with its sizes.
/// @param of_trial  of a mesh or polygon in this trial; NULL: as compiled
gmc_inertia gmc_build_unit_inertia(const gmc_build_item *item, const gmc_inertia *of_trial,
                                   const double *values);

/// Mass properties of a body that moves, from its shape and the scenario's words.
gmc_inertia gmc_build_inertia(const gmc_build_item *item, const gmc_inertia *unit,
                              const double *values);

/// Thickness of planar shapes where the scenario is silent: it then matters for nothing [m].
#define GMC_BUILD_THICKNESS 0.01

/// Shapes of an item of a planar world: sections of solids, convex pieces of polygons
/// (build_trial.c). @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_build_planar_shapes(gmc_build *build, gmc_build_item *item,
                                                  const double *values, gmc_shape **shapes);

/// A rectangle about the origin with its length along x.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_rectangle(double half_x, double half_y, gmc_arena *arena,
                                              gmc_shape *shape);

/// Is the item driven along a path?
static inline bool gmc_build_is_driven(const gmc_build_item *item)
{
    return item->spec->course && !item->is_free;
}

/// Is a number one that chance or a study changes?
static inline bool gmc_build_is_drawn(const gmc_scenario *scenario, gmc_param param)
{
    for (int i = 0; i < scenario->sampled_count; i++) {
        const gmc_sampled *column = &scenario->sampled[i];
        if (column->target == param) return true;
        for (int k = 0; column->by_object && k < scenario->object_count; k++)
            if (column->by_object[k] == param) return true;
    }
    return false;
}

/// Is a number one that may differ from trial to trial, or from case to case?
static inline bool gmc_build_may_change(const gmc_scenario *scenario, gmc_param param)
{
    if (scenario->parameters[param].formula) return true;
    return gmc_build_is_drawn(scenario, param);
}

/// Can a phase change this number, because only sizes of fixed bodies follow from it, or only
/// masses and support friction of what moves freely (build_trial.c)?
/// @param weighs  out: whether it is the latter
bool gmc_build_can_reshape(const gmc_build *build, gmc_param target, bool *weighs);

/// What an item lies on into the builder, if anything (build_trial.c).
/// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_build_support(gmc_build *build, gmc_build_item *item,
                                            const double *values, gmc_builder *builder);

/// One item per body of the clutter, its own name and its kind's words (build_trial.c).
/// @return GMC_OK, GMC_E_INPUT (the region is too small, reported), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_build_clutter(gmc_build *build, const double *values);

/// Pose from its six numbers; those not given are 0.
gmc_pose gmc_build_pose(const double *values, const gmc_pose_spec *spec);

/// Does the camera of `believed` stand where it looks, with the first object at these values?
/// @param is_blind  out
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT: other values make no trial
GMC_MUST_CHECK gmc_status gmc_build_is_blind(const gmc_build *build, const double *values,
                                             gmc_arena *arena, bool *is_blind);

#endif
