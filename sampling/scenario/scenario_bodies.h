/// What there is: objects, scene, clutter and hand, their shapes and surfaces. Part of scenario.h;
/// numbers are indices into its table of parameters.
#ifndef GMC_SAMPLING_SCENARIO_SCENARIO_BODIES_H
#define GMC_SAMPLING_SCENARIO_SCENARIO_BODIES_H

#include "engine/math/vec2.h"
#include "sampling/scenario/scenario_parameter.h"

#include <stdbool.h>

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
typedef struct gmc_footing_spec {
    gmc_source source;
    int point_count;            ///< of `points`; 0: spread pressure
    const gmc_param *points;    ///< (2 * point_count) x, y in the body frame
    gmc_param radius;           ///< of a disk; -1: none
    const gmc_vec2 *vertices;   ///< (vertex_count) of a polygon
    int vertex_count;           ///< 0: none
    const gmc_param *frictions; ///< (friction_count)
    int friction_count;         ///< 1, or point_count
    gmc_param viscous, stiffness, relaxation;
} gmc_footing_spec;

/// A number over time: `count` knots, each a time and a value.
typedef struct gmc_curve_spec {
    const gmc_param *knots; ///< (2 * count) time, value
    int count;              ///< 0: none
} gmc_curve_spec;

/// x, y, yaw of a path; x, y, torque of a push.
typedef struct gmc_course_spec {
    gmc_source source;
    gmc_curve_spec curves[3];
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
    const gmc_footing_spec *support;      ///< NULL: none
    const gmc_course_spec *course, *push; ///< of `path` and `push`; NULL: none
    gmc_vec2 centre; ///< of mass in a planar world, unless `com` says otherwise [m]
    const char *surface;
    struct gmc_grasp_set *grasps; ///< candidates: sampling/scenario/grasp_set.h; NULL: none
    gmc_pose_spec pose;           ///< start pose of the body frame
    bool placed_resting; ///< pose.z is shifted so that the lowest point touches what is below
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

typedef struct gmc_joint_setting {
    const char *joint; ///< name in the URDF
    gmc_source source;
    /// -1 where the scenario is silent: build.c adds the parameter with the URDF's value
    gmc_param start, lower, upper, damping, friction, armature, max_force, max_speed,
        stiffness /* servo kp */, servo_damping /* servo kd */, share /* of a grip force [-] */;
    int closes;             ///< towards its upper limit +1, its lower -1; 0: not said
    gmc_source closes_at;   ///< where that stands
    gmc_param open, closed; ///< positions; -1 where the scenario is silent
} gmc_joint_setting;

typedef struct gmc_surface_setting {
    const char *link; ///< link name, or "rest"
    const char *surface;
    gmc_source source;
} gmc_surface_setting;

typedef struct gmc_hand_spec {
    gmc_source source;
    const char *urdf;                ///< as written; NULL: no hand
    const char *urdf_file;           ///< resolved
    const char *const *package_path; ///< folders to look in for package://, NULL-ended
    const char *frame; ///< link that is the hand's reference (tool point); NULL: the root link
    gmc_source frame_source;
    const char *surface; ///< default for all links
    gmc_surface_setting *surfaces;
    int surface_count;
    gmc_joint_setting *joints;
    int joint_count;
    bool is_declared;           ///< joints are those of the URDF, all of them
    const char *const *fingers; ///< joints that `close` moves
    int finger_count;           ///< 0: joints that bend fingers, and those that say how they close
    gmc_pose_spec target;       ///< pose of `frame` in the believed object's frame at the start
    bool self_collision;
    const char *inertials;  ///< "given", "mended", "computed"
    gmc_convex_spec convex; ///< of links' meshes
    bool is_mounted; ///< mount: fixed — the base link never moves, moves are made by joints
} gmc_hand_spec;

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

#endif
