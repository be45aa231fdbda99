/// A scenario after reading: every mistake reported, every default filled in, every number an entry
/// of one flat parameter table. The typed structs of its parts (bodies, program, chance, study)
/// hold *indices into that table* (gmc_param), never numbers:
/// a trial is the table with its studied and uncertain entries replaced, and build.h turns a table
/// of values into a model. So everything numeric has one path, used alike by `uncertain`, `study`,
/// `--set`, replay, and the stored samples.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_H

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/base/lookup.h"
#include "engine/base/source.h"
#include "engine/control/controller.h"
#include "engine/math/pose.h"
#include "engine/math/vec2.h"
#include "sampling/grasps/grasps.h"
#include "sampling/language/expression.h"
#include "sampling/language/schema.h"
#include "sampling/random/distribution.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- the one table of all numbers: what an entry is and what it measures -----------------------

/// Index into gmc_scenario.parameters; -1: not given and without default.
typedef int gmc_param;

typedef struct gmc_parameter {
    const char *path; ///< "object.pose.x", "friction.rubber/abs", "program.1.lift.by"
    gmc_dimension dimension;
    double nominal;      ///< SI
    double lower, upper; ///< what a value may be (closed); -inf, +inf: free. A drawn value outside
                         ///< it is an error of the scenario where it can be foreseen, else ends the
                         ///< trial as unsolved
    bool is_default;     ///< not written by the user
    bool is_option;      ///< its value alone is that of a --set
    bool is_stand_in;    ///< what was written was complained about: `nominal` judges nothing
    const gmc_formula *formula; ///< what it follows from in every trial; NULL: nothing
    const char *formula_text;   ///< as written
    gmc_source source;
} gmc_parameter;

// ---- what there is: objects, scene, clutter and hand, their shapes and surfaces ----------------

typedef struct gmc_pose_spec {
    gmc_param x, y, z, roll, pitch, yaw; ///< fixed-axis roll, pitch, yaw as in URDF
} gmc_pose_spec;

typedef enum gmc_shape_kind {
    GMC_KIND_NONE,
    GMC_KIND_BOX,
    GMC_KIND_SPHERE,
    GMC_KIND_CAPSULE,
    GMC_KIND_CYLINDER,
    GMC_KIND_PLANE,
    GMC_KIND_MESH,
    GMC_KIND_CIRCLE,
    GMC_KIND_SUPER_ELLIPSE,
    GMC_KIND_POLYGON ///< gears too
} gmc_shape_kind;

/// Where bodies move.
typedef enum gmc_world_kind {
    GMC_WORLD_SPATIAL,
    GMC_WORLD_PLANAR,        ///< in the plane z = 0, up is y
    GMC_WORLD_PLANAR_SUPPORT ///< in the plane z = 0, seen from above; gravity presses on a support
} gmc_world_kind;

/// What becomes of meshes that are not convex.
typedef struct gmc_convex_spec {
    bool is_hull;
    double tolerance; ///< 0: default [m]
    int piece_max;
} gmc_convex_spec;

/// What a body lies on: points, a disk or a polygon of pressure.
typedef struct gmc_item_support {
    gmc_source source;
    int point_count;            ///< of `points`; 0: spread pressure
    const gmc_param *points;    ///< (2 * point_count) x, y in the body frame
    gmc_param radius;           ///< of a disk; -1: none
    const gmc_vec2 *vertices;   ///< (vertex_count) of a polygon
    int vertex_count;           ///< 0: none
    const gmc_param *frictions; ///< (friction_count)
    int friction_count;         ///< 1, or point_count
    gmc_param viscous, stiffness, relaxation;
} gmc_item_support;

/// A number over time: `count` knots, each a time and a value.
typedef struct gmc_curve_spec {
    const gmc_param *knots; ///< (2 * count) time, value
    int count;              ///< 0: none
} gmc_curve_spec;

/// x, y, yaw of a path; of a push in the plane x, y, torque, in space x, y, z of force and torque.
typedef struct gmc_course_spec {
    gmc_source source;
    bool in_body_frame; ///< push in space
    gmc_curve_spec curves[6];
    bool has_servo;           ///< of a push in the plane: what `control` is asked for
    gmc_curve_spec wanted[3]; ///< x, y, yaw; without knots: where it starts
    gmc_param kp, kd, turn_kp, turn_kd;
} gmc_course_spec;

/// An object or a body of the scene.
typedef struct gmc_item_spec {
    const char *name; ///< "object" for the single object; else its key
    const char *path; ///< "object", "objects.mug", "scene.table"
    gmc_source source;
    gmc_shape_kind kind;
    gmc_param size[3]; ///< box x y z; sphere, circle radius; capsule, cylinder radius length; plane
                       ///< height; super-ellipse half axes x y, exponent
    gmc_param thickness;      ///< of planar shapes; -1: does not matter
    const gmc_vec2 *vertices; ///< (vertex_count) polygon, counter-clockwise [m]
    int vertex_count;
    const gmc_param *vertex_params; ///< (2 * vertex_count) x, y of each; NULL: none
    const char *mesh;               ///< file as named, relative to the scenario that names it
    const char *mesh_file;          ///< resolved
    gmc_convex_spec convex;         ///< of a mesh that is not convex
    gmc_param scale;                ///< of the mesh: unit and user factor together [-]
    gmc_param mass, density;        ///< exactly one given for a body that moves
    gmc_param com[3];               ///< optional, in the body frame; -1: from geometry
    gmc_param inertia[6]; ///< optional xx yy zz xy xz yz about the centre of mass; -1: likewise
    const struct gmc_item_spec *parts; ///< further shapes: kind, size and pose in this one's frame
    int part_count;
    const gmc_item_support *support;      ///< NULL: none
    const gmc_course_spec *course, *push; ///< of `path` and `push`; NULL: none
    gmc_vec2 centre; ///< of mass in a planar world, unless `com` says otherwise [m]
    const char *surface;
    struct gmc_grasp_set *grasps; ///< candidates; NULL: none
    gmc_pose_spec pose;           ///< start pose of the body frame
    bool placed_resting; ///< pose.z is shifted so that the lowest point touches what is below
    bool has_height;     ///< then: pose.z is said, by the file, --set, chance or a study, and what
                         ///< is above it does not count
    bool is_fixed;       ///< scene bodies are fixed unless `free: true`
} gmc_item_spec;

/// Loose bodies by the dozen.
typedef struct gmc_clutter_spec {
    gmc_source source;
    gmc_item_spec *kinds;
    int kind_count;
    int bodies;      ///< made; 0: no clutter
    gmc_param count; ///< of them in a trial
    gmc_param from[3], to[3], gap, arrangement;
} gmc_clutter_spec;

/// A joint that follows another of its model.
typedef struct gmc_follows {
    const char *leader; ///< NULL: it follows none
    gmc_source source;
    gmc_param ratio, offset, breakaway, alone; ///< -1: 1, 0, no clutch, as ratio
} gmc_follows;

typedef struct gmc_joint_setting {
    const char *joint; ///< name in the URDF
    gmc_source source;
    /// -1 where the scenario is silent: build.c adds the parameter with the URDF's value
    gmc_param start, lower, upper, damping, friction, armature, max_force, max_speed,
        stiffness /* servo kp */, servo_damping /* servo kd */, share /* of a grip force [-] */;
    int closes;             ///< towards its upper limit +1, its lower -1; 0: not said
    gmc_source closes_at;   ///< where that stands
    gmc_param open, closed; ///< positions; -1 where the scenario is silent
    gmc_follows follows;
    int holds;            ///< its drive carries what hangs on it: 1, not: 0; -1: not said
    gmc_param encoder[3]; ///< resolution, noise, bias; -1 where the scenario is silent
} gmc_joint_setting;

/// A drive that acts on a sum of joints.
typedef struct gmc_drive_spec {
    const char *name;
    gmc_source source;
    const char **joints;      ///< (joint_count)
    gmc_source *joint_source; ///< (joint_count)
    gmc_param *shares;        ///< (joint_count)
    int joint_count;
    gmc_param stiffness, servo_damping, max_force; ///< -1: 0, 0, no limit
    int closes;                                    ///< as of gmc_joint_setting
    gmc_param open, closed, share;                 ///< -1 where the scenario is silent
} gmc_drive_spec;

typedef struct gmc_surface_setting {
    const char *link; ///< link name, or "rest"
    const char *surface;
    gmc_source source;
} gmc_surface_setting;

/// An articulated model: the hand, or one of `robots`.
typedef struct gmc_robot_spec {
    const char *name;      ///< "hand", or its key
    const char *path;      ///< "hand", "robots.arm"
    const char *title;     ///< "the hand", "robot arm": for messages
    struct gmc_node *node; ///< as written; NULL: it is not there
    gmc_source source;
    const char *urdf;                ///< as written, a URDF or an MJCF; NULL: no hand
    const char *urdf_file;           ///< resolved
    bool is_mjcf;                    ///< it is an MJCF
    const char *const *package_path; ///< folders to look in for package://, NULL-ended
    const char *frame; ///< link that is the hand's reference (tool point); NULL: the root link
    gmc_source frame_source;
    const char *surface; ///< default for all links
    gmc_surface_setting *surfaces;
    int surface_count;
    gmc_joint_setting *joints;
    int joint_count;
    gmc_drive_spec *drives;
    int drive_count;
    bool is_declared;           ///< joints are those of the URDF, all of them
    const char *const *fingers; ///< joints that `close` moves
    int finger_count;           ///< 0: joints that bend fingers, and those that say how they close
    gmc_pose_spec target;       ///< pose of `frame` in the believed object's frame at the start
    bool self_collision;
    const char *inertials;  ///< "given", "mended", "computed"
    gmc_convex_spec convex; ///< of links' meshes
    bool
        is_mounted; ///< mount: fixed — the base link never moves, moves are made by joints; also of
                    ///< what is mounted on a robot
    const char *mounted_on; ///< as written, ROBOT/LINK; NULL: on nothing
    gmc_source mounted_at;  ///< where that stands
    int carrier; ///< robot that it is mounted on, an index into scenario.robots; -1: none
    const char *carrier_link; ///< of that robot
    gmc_pose_spec pose; ///< of the root link in the world, or in the link that carries it; not of a
                        ///< hand that stands on its own
} gmc_robot_spec;

typedef struct gmc_surface_spec {
    const char *name;
    gmc_param stiffness, relaxation, poisson;          ///< of one side; pairs in series
    gmc_param pad_thickness, pad_modulus, pad_poisson; ///< of an elastic layer; -1: none
    gmc_param grain[3]; ///< direction in the body's or link's frame; -1: none
} gmc_surface_spec;

/// Friction of a pair: its path is that of the static coefficient along the grain, which scales the
/// others with it; "friction.rubber/abs.kinetic" changes that one alone.
typedef struct gmc_friction_spec {
    const char *a, *b;
    gmc_param friction;
    gmc_param kinetic, threshold; ///< sliding coefficient, and the speed below which it is static
    gmc_param across;             ///< coefficient across the grain
    gmc_param torsion, rolling;   ///< lengths
    gmc_param restitution, bounce_speed;
    gmc_param damping_ratio; ///< song_pang_kumar: in place of the surfaces' relaxation
    gmc_source source;
} gmc_friction_spec;

// ---- grasps -------------------------------------------------------------------------------------

/// Which joint positions of the file the hand starts with.
typedef enum gmc_grasp_joints {
    GMC_GRASP_JOINTS_OPEN,   ///< those before the grasp; those in it where the file has no others
    GMC_GRASP_JOINTS_CLOSED, ///< those in the grasp
    GMC_GRASP_JOINTS_NONE    ///< the scenario's
} gmc_grasp_joints;

/// What an object takes from its file of grasps: which ones, and which parameters each of them
/// sets. A case of a study that varies `grasp` is one of these.
typedef struct gmc_grasp_set {
    const char *path; ///< "objects.mug.grasps"
    gmc_source source;
    const char *file;       ///< asset, relative to the scenario
    const char *asset_file; ///< where it was found, for messages
    const char *frame;      ///< link of the hand whose pose the file gives; NULL: hand.frame
    gmc_source frame_source;
    double gripper[6]; ///< x, y, z [m], roll, pitch, yaw [rad] of the file's gripper frame in it
    double object[6];  ///< of the file's object frame in the object's
    gmc_grasp_joints joints;
    gmc_grasps grasps; ///< all of the file; empty after a mistake in it
    int *rows;         ///< (count) those that are taken, in order of the file; malloc'd
    int count;
    int *name_joint;    ///< (grasps.name_count) index into hand.joints, -1: it sets none; NULL: no
                        ///< hand yet
    gmc_pose X_gt;      ///< hand.frame in the file's gripper frame, known when the hand is
    gmc_param *targets; ///< (target_count) parameters that a grasp sets
    const char **paths; ///< (target_count) how the scenario calls them: "object.mass" where
                        ///< `objects` makes it objects.mug.mass
    int target_count;
    double *values; ///< (count, target_count) SI; malloc'd
} gmc_grasp_set;

/// What a grasp of a set makes of a parameter.
/// @param index  which of set->rows
/// @return false: nothing; value is untouched
bool gmc_grasp_set_value(const gmc_grasp_set *set, int index, gmc_param target, double *value);

// ---- what nobody knows: distributions of parameters, and how the robot sees the object ---------

/// Who moves joints in place of their servos.
typedef struct gmc_control_spec {
    bool is_given;
    gmc_source source;
    gmc_param rate, delay, encoder_delay;
    double answer_within;      ///< of a command [s]
    int64_t as_case, as_draw;  ///< whose chance encoders have; -1: the trial's own
    const char *const *joints; ///< NULL: all of the hand
    int joint_count;
    gmc_source joints_at;
    bool moves_bodies; ///< planar ones are among them, as the build found
    bool sees_touch, sees_forces, sees_object;
    int law;                    ///< gmc_control_law
    gmc_source by;              ///< where the controller is named
    bool is_allowed;            ///< the user said that the library or the command may run
    const char *torques;        ///< a table of the scenario's assets; NULL: none
    const char *library;        ///< as named, relative to the scenario; NULL: none
    const char *const *command; ///< (command_count) ended by NULL
    int command_count;
    const char *const *argument_names; ///< (argument_count)
    const gmc_param *arguments;        ///< (argument_count)
    int argument_count;
} gmc_control_spec;

/// What a camera looks at.
typedef enum gmc_aim { GMC_AIM_NONE, GMC_AIM_OBJECT, GMC_AIM_SCENE, GMC_AIM_POINT } gmc_aim;

/// A camera's frame: x to the right of its picture, y down, z into the depth.
typedef struct gmc_camera_spec {
    const char *name;
    gmc_source source;
    gmc_param xyz[3];
    gmc_param roll, pitch, yaw; ///< without an aim; -1: 0
    gmc_aim aim;
    int scene;          ///< GMC_AIM_SCENE: index of the body
    gmc_param point[3]; ///< GMC_AIM_POINT
} gmc_camera_spec;

enum { GMC_SIGHT_COMPONENTS = 6 }; ///< x, y, z, roll, pitch, yaw

/// How the robot sees the object: the believed pose is the true one and an error.
typedef struct gmc_sight_spec {
    bool is_given; ///< false: the object is believed to be where it nominally is
    gmc_source source;
    const char *seen_by;
    int camera; ///< in whose axes errors are; -1: in the world's
    /// Place, then rotation vector about the object's origin. Drawn ones are those at `distance`.
    gmc_param error[GMC_SIGHT_COMPONENTS];
    gmc_param distance, power; ///< -1: errors do not grow
    gmc_param outlier;         ///< 1: the object is taken for one turned; -1: never
    gmc_param turn;
    int about; ///< axis of the object: 0 x, 1 y, 2 z
} gmc_sight_spec;

typedef enum gmc_change { GMC_CHANGE_ABSOLUTE, GMC_CHANGE_ADD, GMC_CHANGE_MULTIPLY } gmc_change;

/// A part of a correlated line's normal score: this much of that of a line.
typedef struct gmc_mix {
    int line; ///< index into gmc_scenario.uncertain
    double weight;
} gmc_mix;

/// Two lines of `uncertain` whose normal scores are correlated.
typedef struct gmc_correlation {
    int lines[2];
    double coefficient; ///< -1 ... 1
    gmc_source source;
} gmc_correlation;

/// What becomes of a drawn number before its line's change, by another parameter of the trial.
typedef enum gmc_relation {
    GMC_RELATION_NONE,
    GMC_RELATION_SCALED, ///< it is multiplied by the parameter
    GMC_RELATION_BELOW   ///< 1 if it is below the parameter, else 0
} gmc_relation;

/// One line of `uncertain`, or one that `believed` makes:
///   parameter := value | nominal + value | nominal * value
typedef struct gmc_uncertain {
    const char *path;   ///< as written; a pattern "friction.*" is one draw for all its targets
    uint64_t name_hash; ///< gmc_stream_hash(path), of `rows` if there are: its chance's address
    int input;          ///< sensitivity: which input it is, or a part of
    bool is_pattern;    ///< applied after all others
    double tripod; ///< radius of the disk for `tripod(disk r)`; the targets are six coordinates; 0:
                   ///< none [m]
    const gmc_item_spec *tripod_item; ///< that stands on it
    int tripod_axis; ///< first of five axes of a design that it takes besides the line's own
    gmc_source source;
    gmc_change change;
    gmc_distribution distribution;
    gmc_distribution proposal; ///< of `sampling.importance`, what draws come from instead
    bool has_proposal;
    bool is_interval; ///< known only to lie in [p[0], p[1]] of its distribution, which takes places
                      ///< of it in turn: no law (resolve_uncertain.c)
    gmc_relation relation;
    gmc_param by;       ///< of the relation
    const char *rows;   ///< file whose rows are drawn (`samples`): lines of one file share their
                        ///< number, which is addressed by the file's name; NULL: none
    int chance;         ///< the line whose number it takes: itself, or the first of the file's
    const gmc_mix *mix; ///< (mix_count) of a correlated line: its score is the sum of these
    int mix_count;      ///< 0: correlated with none
    gmc_param *targets; ///< parameters it changes, in order of the table
    int target_count;
    struct gmc_node *node; ///< the line as written, until resolved
} gmc_uncertain;

// ---- what the hand does, phase by phase, and what counts as success ----------------------------

typedef enum gmc_phase_kind {
    GMC_PHASE_CLOSE,   ///< fingers close by force or to a position
    GMC_PHASE_OPEN,    ///< fingers go to a position
    GMC_PHASE_LIFT,    ///< base moves along world z
    GMC_PHASE_MOVE,    ///< base or joint moves by a vector or an amount
    GMC_PHASE_TURN,    ///< base turns about an axis through the tool point
    GMC_PHASE_SHAKE,   ///< base or joint oscillates along an axis (or about it: about: true)
    GMC_PHASE_MOVE_TO, ///< joints to positions, or the tool point to a pose
    GMC_PHASE_HOLD,    ///< nothing changes
    GMC_PHASE_SET,     ///< parameters change
    GMC_PHASE_PULL,    ///< a force on a free body grows
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
/// Where a phase takes a joint.
typedef struct gmc_goal_spec {
    const char *joint;
    gmc_source source;
    gmc_param to; ///< -1: it goes through `through` [m or rad]
    gmc_curve_spec through;
} gmc_goal_spec;

typedef struct gmc_phase_spec {
    const char *name; ///< unique: "close", "lift", or the `name:` given; repeated kinds get "_2"
    gmc_source source;
    gmc_phase_kind kind;
    gmc_phase_end until;
    gmc_param by[3];     ///< lift: by[2]; move: vector in the world; joint moves: by[0]
    gmc_param axis[3];   ///< turn, shake, pull: unit after normalising; x, y, z allowed in the text
    gmc_param angle;     ///< turn, shake about: amplitude [rad]
    gmc_param amplitude; ///< shake [m or rad]
    gmc_param frequency; ///< shake [Hz]
    gmc_param force;     ///< close: per finger [N or N·m]; -1: to a position
    gmc_param position;  ///< close, open: joint position [m or rad]; -1: none
    gmc_param speed;     ///< close to a position, or limit on a force close; -1: none
    gmc_param ramp;      ///< close: force grows smoothly over this [s]; shake: envelope
    gmc_param grows;     ///< pull: force per time [N/s]
    gmc_param slip;      ///< pull: that ends it [m]
    gmc_param duration;  ///< for: / in: ; -1 with an `until`
    gmc_param at_most;   ///< longest duration of an `until` phase
    bool is_rotation;    ///< shake about the axis
    bool in_hand_frame;  ///< axis and by are seen in the tool frame, not in the world
    const char *joint;   ///< move, shake: a servo joint instead of the base; NULL: base
    const char *body;    ///< pull: "object", or a body of the scene
    gmc_set_spec *sets;
    int set_count;
    const gmc_goal_spec *goals; ///< (goal_count) move_to joints
    int goal_count;
    gmc_pose_spec pose; ///< move_to a pose, of the tool point; has_pose
    const char *robot;  ///< whose joints move for a pose; NULL: the one that carries the hand
    bool has_pose, is_straight;
    bool is_planned;      ///< around what stands there
    bool in_object_frame; ///< the pose is seen in the object's frame
} gmc_phase_spec;

/// A criterion, kept as checked text plus its syntax tree (expression.h).
typedef struct gmc_criterion {
    const char *text;
    gmc_source source;
    const struct gmc_expression *expression;
    int from; ///< it has to hold once so many phases are over; 0: from the first step on
    int at;   ///< it has to hold as so many phases are over; 0: at the end
} gmc_criterion;

// ---- what is run and what is kept of it: cases, designs of draws, levels, rankings, histograms -

/// One `vary` axis of a study: parameter values, a list of object names, or grasps.
typedef struct gmc_axis_spec {
    const char *path; ///< "hand.target.x", "object" or "grasp"
    gmc_source source;
    gmc_param target; ///< -1 for "object" and "grasp"
    double *values;   ///< (count) SI; NULL for "object" and "grasp"
    int *objects;     ///< (count) "object", "grasp": indices into objects; NULL else
    int *grasps;    ///< (count) "grasp": indices into what the object takes of its file; NULL else
    bool is_joined; ///< "object" beside "grasp": the two are one axis of all grasps of all objects
    int count;
    gmc_param *targets; ///< (target_count) target, or with several objects `object.mass` of each
    int target_count;
    bool is_together;      ///< taken in step with all others: study.together
    bool is_between;       ///< one number of each design: all such axes are one axis of designs
    double range[2];       ///< of `between`
    struct gmc_node *node; ///< the values as written, until resolved
} gmc_axis_spec;

/// How trials are recorded.
typedef enum gmc_record {
    GMC_RECORD_NONE,
    GMC_RECORD_FAILURES,
    GMC_RECORD_FIRST,
    GMC_RECORD_EVERY,
    GMC_RECORD_ALL
} gmc_record;

/// A histogram asked for: one or two parameter paths, or a measure's column name.
typedef struct gmc_histogram_spec {
    const char *name[2]; ///< [1] NULL for one dimension
    int bins[2];
    double lower[2], upper[2]; ///< NaN: from the distribution, or the default of the measure
    bool is_map;               ///< two studied parameters: one bin per pair of their values
    const double *edges[2];    ///< (bins + 1) rising, where each bin is given; NULL: equal bins
    bool has_bins[2]; ///< `bins` are asked for, also where a bin per studied value would do
    gmc_source source;
    struct gmc_node *node; ///< as written, until resolved; NULL: a default
} gmc_histogram_spec;

/// A parameter whose value differs from trial to trial: a column of /samples.
typedef struct gmc_sampled {
    const char *path; ///< "object.pose.x"; with several objects one column for the case's object
    gmc_dimension dimension;
    gmc_param target;     ///< -1 with several objects
    gmc_param *by_object; ///< (object_count) the parameter of each object; NULL: a single target
    int axis_index;       ///< the study axis that sets it, -1: none
    int uncertain_index;  ///< the first line of `uncertain` that changes it, -1: none
    int csv_column;       ///< column of the CSV design that sets it, -1: none
} gmc_sampled;

/// `study.plan`: where a body has to get, as far as geometry tells.
typedef struct gmc_route_spec {
    bool is_given;
    gmc_source source;
    const char *body;
    gmc_pose_spec goal;
    int node_max;
    bool rejects; ///< that no way is found counts as a failure
} gmc_route_spec;

/// A level of a study's ladder: how a trial is run at it.
typedef struct gmc_level_spec {
    const char *name;
    gmc_source source;
    bool is_geometric;            ///< nothing moves: the start alone
    const char *stepper, *motion; ///< NULL: the scenario's own
    double tolerate;              ///< share of failures that it overlooks
    double step;                  ///< 0: the scenario's [s]
} gmc_level_spec;

/// study.rank: which cases are the best.
typedef struct gmc_rank_spec {
    bool is_given;
    gmc_source source, best_source, budget_source;
    int64_t best;       ///< how many
    double within;      ///< difference that does not matter [-]
    double level;       ///< certainty [-]
    int64_t budget;     ///< trials
    bool is_per_object; ///< so many of each object
} gmc_rank_spec;

/// study.optimise: which numbers between two others make success most likely, or a quantile best.
typedef struct gmc_optimise_spec {
    bool is_given;
    gmc_source source, budget_source, goal_source;
    int64_t budget;          ///< trials
    const char *goal;        ///< as written
    bool is_cautious;        ///< goal lower
    const char *quantile_of; ///< of this column, or formula of columns; NULL: success is the goal
    double quantile_p;       ///< 0 < p < 1
    bool is_largest;         ///< it is to be large, else small
} gmc_optimise_spec;

/// sampling.subset, as design/subset.h wants it.
typedef struct gmc_subset_spec {
    bool is_given;
    gmc_source source;
    const bool *is_discrete;            ///< (uncertain_count) as in design/subset.h, by chance
    const struct gmc_node *margin;      ///< as written; NULL: it follows from the criteria
    const gmc_compiled_criterion *code; ///< over the columns (margin.h); NULL before both are read
    int runs, per_level, levels;
    int aimed; ///< draws behind the levels; 0: none
} gmc_subset_spec;

// ---- the scenario -------------------------------------------------------------------------------
/// A setting of a stepper (engine/contact/law.h) that `simulation` gives, also by default.
typedef struct gmc_law_setting {
    const char *key;
    gmc_param param; ///< of numbers; -1: none
    double value;    ///< of counts, and of words the index of the word
} gmc_law_setting;

/// A file the scenario used, embedded in the result.
typedef struct gmc_asset {
    const char *name; ///< as the scenario names it, unique
    const char *file; ///< where it was found
    void *bytes;      ///< owned by the scenario (gmc_scenario_free)
    size_t size;
    gmc_digest digest;
    bool is_scenario; ///< named by `use:`: what is left of it is in the merged tree, so it is
                      ///< neither in the digest nor stored
} gmc_asset;

typedef struct gmc_scenario {
    const char *file;         ///< as given on the command line
    const char *text;         ///< as given, byte for byte
    const char *const *allow; ///< folders from which `use:` may read, besides its own; or NULL
    const char *about;
    int version;
    gmc_world_kind world;

    gmc_parameter *parameters; ///< those of the user's own first
    int parameter_count, parameter_capacity;
    gmc_lookup parameter_lookup; ///< of them, by path
    gmc_param *derived; ///< (derived_count) parameters with a formula that nothing overrides, each
                        ///< behind those that it names
    int derived_count;

    gmc_robot_spec hand;
    gmc_robot_spec *robots; ///< each behind the one that carries it
    int robot_count;
    gmc_item_spec *objects; ///< at least one; several: the study chooses by `object`
    int object_count;
    gmc_item_spec *scene;
    int scene_count;
    gmc_clutter_spec clutter;
    gmc_surface_spec *surfaces;
    int surface_count;
    gmc_friction_spec *frictions;
    int friction_count;
    gmc_param gravity[3];

    gmc_phase_spec *program;
    int phase_count;
    gmc_control_spec control;
    /// Behind the former those of success.at_phase_end, behind the latter those of success.from.
    gmc_criterion *at_end, *always;
    int at_end_count, always_count;

    gmc_camera_spec *cameras;
    int camera_count;
    gmc_sight_spec sight;

    gmc_uncertain *uncertain; ///< those of `uncertain`, behind them those of `believed`
    int uncertain_count;
    gmc_correlation *correlations; ///< of `correlated`
    int correlation_count;
    gmc_axis_spec *axes;
    int axis_count;
    int design_count;    ///< study.designs; 0: none
    bool is_independent; ///< study: independent draws in every case
    int64_t case_count;  ///< product of the axes, those `between` as one; 1 without a study

    gmc_route_spec route;       ///< that level `geometric` looks for a way to
    gmc_level_spec *levels;     ///< of the study's ladder, the cheapest first
    int level_count;            ///< 0: no ladder
    double *tolerate;           ///< (level_count) of the levels, as the ladder wants it
    int64_t first_draws;        ///< of the first round; `draws` are those of all rounds
    double keep;                ///< growth of rounds: design/ladder.h
    bool is_best;               ///< goal
    bool is_together;           ///< study.together: axes are one, row by row
    gmc_optimise_spec optimise; ///< excludes a ladder and rank; the one case is then the middle
    gmc_rank_spec rank;         ///< excludes a ladder; `draws` are then the most of one case
    gmc_param ladder_audit;     ///< share of spared trials that are run; -1: no ladder

    int pilot; ///< sampling.two_level: its levels stand in `levels`; 0: not asked for
    gmc_source two_level_source;
    gmc_subset_spec subset;
    const double *point; ///< (uncertain_count) what every line takes in place of its chance, for a
                         ///< copy of the scenario that speaks of one trial; NULL: chance
    bool is_weighted;    ///< sampling.importance: some lines are drawn from proposals
    double true_share;   ///< share of draws that come from the true distributions all the same
    bool is_covered;     ///< failures are known to lie where proposals draw
    double weight_bound; ///< no draw weighs more
    int interval_places; ///< combinations of places of lines that are intervals; 0: none is

    gmc_design design;
    int replicas;           ///< R, independent randomisations of the design; 0: it has none
    int block;              ///< draws that belong together: rows of a block; 1: each stands alone
    int input_count;        ///< what an index is about: gmc_uncertain.input
    const char *csv_file;   ///< asset name of the CSV design; NULL: none
    char **csv_names;       ///< (csv_columns) paths from the header line
    gmc_source *csv_places; ///< (csv_columns) where they stand
    double *csv_values;     ///< (csv_rows, csv_columns) SI, row by row
    int *csv_sampled;       ///< (csv_columns) indices into sampled; what the file says is final
    int csv_columns;
    int64_t csv_rows;
    int64_t draws; ///< per case
    uint64_t seed;

    const char *stepper, *solver;
    const char *motion;        ///< simulation.motion; NULL: dynamic
    int broad_phase;           ///< simulation.broad_phase: gmc_broad_phase
    gmc_law_setting *settings; ///< (setting_count) of steppers, in `simulation`
    int setting_count;
    gmc_param step;       ///< simulation.step [s]
    gmc_param time_limit; ///< simulated [s]
    gmc_param workspace;  ///< an object farther than this from where it started is lost [m]
    bool ends_broken, ends_falling, ends_at_rest, ends_borne; ///< simulation.early
    gmc_param audit, half_step; ///< shares of trials: run to the end, repeated at half the step

    gmc_record record;
    int64_t record_count; ///< K of first:K, every:K
    gmc_param rate;       ///< [Hz]; 0: every step
    gmc_histogram_spec *histograms;
    int histogram_count;

    gmc_asset *assets;
    int asset_count, asset_capacity;

    gmc_sampled *sampled; ///< study axes first, then uncertain targets, then CSV columns
    int sampled_count;

    struct gmc_node *tree; ///< the merged, checked tree with every default filled in; is_bad: too
                           ///< little was understood to build models of; NULL: nothing was read
    const gmc_asset *embedded; ///< read from these instead of from disk; NULL: disk
    int embedded_count;
    bool is_resolved; ///< gmc_resolve_scenario found no mistake

    gmc_arena *arena; ///< owns all of the above but the assets' bytes
} gmc_scenario;

/// Enough for the largest scenario that the limits of yaml.h allow.
enum { GMC_SCENARIO_ARENA_BYTES = 64 << 20 };

/// Give the assets' bytes back. The rest is the arena's.
void gmc_scenario_free(gmc_scenario *scenario);

/// Enter a number into the table (joints: "hand.<joint>.max_force"). A path that is there already
/// is left as it is.
/// @param given  path (copied), dimension, nominal value, limits, source, is_default
/// @return its index, -1 if the arena is full
gmc_param gmc_scenario_add_parameter(gmc_scenario *scenario, const gmc_parameter *given);

/// Index of a path, -1 if there is none. `hand.joints.<joint>.x` is `hand.<joint>.x`, that of a robot
/// likewise, and a friction pair is found in either order.
gmc_param gmc_scenario_find(const gmc_scenario *scenario, const char *path);

/// Known path nearest to a misspelt one; NULL if none is near.
const char *gmc_scenario_nearest(const gmc_scenario *scenario, const char *path);

/// The same, but a path of the same first and last word goes before one that is near by its letters
/// alone: "object.yaw" is "object.pose.yaw" rather than "object.mass".
const char *gmc_scenario_likeliest(const gmc_scenario *scenario, const char *path);

/// Say what a joint parameter is, once the joint is known (JOINT_FORCE -> FORCE or TORQUE). A unit
/// that was written for the other kind of joint is reported.
void gmc_scenario_settle(gmc_scenario *scenario, gmc_param parameter, gmc_dimension dimension,
                         gmc_diagnostics *report);

/// Is there no hand? False also while a misspelt key at the top may be the hand: one mistake, one
/// message.
bool gmc_scenario_lacks_hand(const gmc_scenario *scenario);

/// What its criteria may name.
/// @param bodies  out: in the scenario's arena
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_scenario_bodies(const gmc_scenario *scenario,
                                              gmc_expression_bodies *bodies);

/// Take a file in, once: from disk, or from the embedded files.
/// @param name    relative to the scenario; becomes the asset's name
/// @param source  who asks, for the message
/// @return the asset, or NULL (reported: GMC_E_MISSING, GMC_E_IO, GMC_E_MEMORY); valid until the
///         next call
const gmc_asset *gmc_scenario_load_asset(gmc_scenario *scenario, const char *name,
                                         gmc_source source, gmc_diagnostics *report);

/// Is there such a file? Reports nothing; true without the memory to find out. For search paths
/// (package://).
bool gmc_scenario_has_asset(const gmc_scenario *scenario, const char *name);

/// `name` as seen from `folder`, both relative to the scenario; "a/../b" is shortened to "b".
/// @return text in the scenario's arena; NULL if it is full
const char *gmc_scenario_join(gmc_scenario *scenario, const char *folder, const char *name);

/// Where a file lies: beside the scenario. "dir/s.yaml" and "mesh.obj" give "dir/mesh.obj".
/// @return allocated; NULL without memory
char *gmc_scenario_place(const gmc_scenario *scenario, const char *name);

/// Say that a file cannot be had, and why.
void gmc_scenario_report_file(gmc_diagnostics *report, gmc_status status, gmc_source source,
                              const char *file);

#endif
