/// URDF files: the links, joints, masses and collision shapes of a hand or an object, checked in
/// one pass with every mistake at its line and column, then put into a model as often as one likes.
///
/// Read: link (inertial, collision with box, sphere, cylinder, capsule, mesh), joint (fixed,
/// revolute, continuous, prismatic, floating; origin, axis, limit, dynamics, mimic). Not read,
/// without a word: material; visual, but for a warning where a link has nothing else. Not read,
/// named in a warning once: transmission, gazebo, sensor, safety_controller, calibration and
/// whatever else a file may hold. Refused: joints of type planar, xacro that has not been expanded,
/// names close to a known one (`colision`), which would silently lose a part; more than
/// GMC_URDF_PARTS_MAX links or joints.
///
/// Taken where the file is silent or strange, each with a warning: axis (1 0 0); effort or velocity
/// 0 means no limit; a moving link with shapes but no inertial weighs what its shapes do at
/// `density`.
///
/// Mesh paths: relative to the URDF; file:// absolute; package://name/... and model://name/... in
/// the folders of `package_path` and in the folders above the URDF.
#ifndef GMC_ENGINE_MODEL_URDF_H
#define GMC_ENGINE_MODEL_URDF_H

#include "engine/base/file.h"
#include "engine/base/source.h"
#include "engine/model/builder.h"
#include "engine/model/pieces.h"

/// Links, and joints, of one robot: the largest hands and arms have a hundred.
enum { GMC_URDF_PARTS_MAX = 1024 };

typedef enum gmc_urdf_kind {
    GMC_URDF_FIXED,
    GMC_URDF_REVOLUTE,
    GMC_URDF_CONTINUOUS, ///< revolute without limits
    GMC_URDF_PRISMATIC,
    GMC_URDF_FLOATING,
    GMC_URDF_BALL ///< MJCF alone: turns every way about the joint frame's origin
} gmc_urdf_kind;

typedef struct gmc_urdf_joint {
    const char *name;
    gmc_source source;
    gmc_urdf_kind kind;
    int parent, child;    ///< links
    gmc_pose X_pj;        ///< child frame in the parent link's frame at q = 0
    gmc_vec3 axis;        ///< unit, in the joint frame; revolute, continuous, prismatic
    bool has_limits;      ///< lower and upper are of the file
    double lower, upper;  ///< -inf, +inf: none [m, rad]
    double effort;        ///< +inf: none given [N, N·m]
    double velocity;      ///< +inf: none given [m/s, rad/s]
    double damping;       ///< [N·s/m, N·m·s/rad]
    double friction;      ///< [N, N·m]
    double armature;      ///< [kg, kg·m²]
    double stiffness;     ///< of its position servo; NaN: none given [N/m, N·m/rad]
    double servo_damping; ///< likewise [N·s/m, N·m·s/rad]
    int leader;           ///< joint that this one follows (never a follower itself), -1: none
    double ratio, offset; ///< q = ratio q_leader + offset
    double reference;     ///< MJCF alone: q where the file draws it [m, rad]
} gmc_urdf_joint;

typedef struct gmc_urdf_shape {
    gmc_source source;
    gmc_pose X_lg; ///< in the link's frame
    gmc_shape shape;
    unsigned contype, conaffinity; ///< 1 of a URDF: which shapes of the same file it may touch
} gmc_urdf_shape;

/// Where a link's mass properties are from.
typedef enum gmc_urdf_weighed {
    GMC_URDF_BY_FILE,              ///< as given; mass 0: none given
    GMC_URDF_BY_FILE_MENDED,       ///< moments moved to the nearest that a body can have
    GMC_URDF_BY_SHAPES_AT_MASS,    ///< the given mass, spread over the link's shapes
    GMC_URDF_BY_SHAPES_AT_DENSITY, ///< nothing given: its shapes at `density`; MJCF: at their own
                                   ///< mass or density
    GMC_URDF_BY_BALL               ///< the given mass as a ball of `density`
} gmc_urdf_weighed;

typedef struct gmc_urdf_link {
    const char *name;
    gmc_source source;
    int joint;           ///< the joint it hangs on, -1: the root
    bool has_inertial;   ///< the file gives mass properties
    gmc_inertia inertia; ///< in the link's frame; mass 0: none
    gmc_urdf_weighed weighed;
    int visual_count;       ///< <visual> elements, whose shapes are not read
    gmc_urdf_shape *shapes; ///< (shape_count) a mesh of several convex parts is several shapes
    int shape_count;
} gmc_urdf_link;

/// One joint of a sum.
typedef struct gmc_urdf_term {
    int joint;
    double coefficient; ///< [-], [m/rad] ...
} gmc_urdf_term;

/// MJCF alone: a sum of joint positions, which a drive may act on.
typedef struct gmc_urdf_tendon {
    const char *name;
    gmc_source source;
    gmc_urdf_term *terms; ///< (term_count)
    int term_count;
    bool is_driven;       ///< by an actuator, with
    double stiffness;     ///< NaN: none given
    double servo_damping; ///< NaN: none given
    double effort;        ///< +inf: none given
} gmc_urdf_tendon;

/// A checked file. Links stand parents first, the root at 0; joints in the order of the file.
typedef struct gmc_urdf {
    const char *name; ///< of the robot
    const char *file;
    gmc_urdf_link *links;
    gmc_urdf_joint *joints;
    int link_count, joint_count;
    gmc_urdf_tendon *tendons; ///< (tendon_count)
    int tendon_count;
    int (*excludes)[2]; ///< (exclude_count) links whose shapes never touch each other
    int exclude_count;
    struct gmc_urdf_keep *keep; ///< what the above points into
} gmc_urdf;

/// What to do with mass properties that no body can have (inertia not positive definite, or against
/// the triangle inequality). The hands on offer are full of them.
typedef enum gmc_urdf_inertials {
    GMC_URDF_AS_GIVEN, ///< an error, with what mending would take as a hint
    GMC_URDF_MENDED,   ///< mended, with a warning: moments become the nearest that a body can have;
                       ///< where these contradict the link's shapes, or there are none, mass and
                       ///< shapes say them, and without shapes a ball of that mass
    GMC_URDF_REPLACED  ///< all by mass and shapes where a link has shapes; else as mended
} gmc_urdf_inertials;

typedef struct gmc_urdf_options {
    const gmc_file_source *files;    ///< NULL: disk
    const char *const *package_path; ///< folders, ended by NULL; NULL: none
    gmc_urdf_inertials inertials;
    double density;            ///< of shapes without a mass [kg/m³]
    gmc_pieces_options convex; ///< what becomes of meshes that are not convex
    gmc_source from;           ///< who names the file, for a file that is missing
    void *context;             ///< handed to the function below
    /// Is the largest effort of this joint given elsewhere, so that a 0 in the file is not worth a
    /// word? NULL: never.
    bool (*has_effort)(void *context, const char *joint);
} gmc_urdf_options;

/// From the disk, no package path, as given, 1000 kg/m³ (links of aluminium, plastic, motors and the
/// air between: the Barrett and the Allegro hand come to 700 ... 1400 over their collision shapes);
/// meshes become their hulls: links are nearly convex, and each piece costs every step.
static inline gmc_urdf_options gmc_urdf_defaults(void)
{
    gmc_pieces_options convex = gmc_pieces_defaults();
    convex.is_hull = true;
    return (gmc_urdf_options){.inertials = GMC_URDF_AS_GIVEN, .density = 1000.0, .convex = convex};
}

/// Read and check a file with all its meshes.
/// @param     report  every mistake and warning
/// @param     urdf    to be freed with gmc_urdf_close, after the models built from it (they share
///                    its polytopes); empty unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MISSING (the file, or nothing but its meshes), GMC_E_LIBRARY,
///         GMC_E_LIMIT, GMC_E_IO, GMC_E_MEMORY; all reported
GMC_MUST_CHECK gmc_status gmc_urdf_open(const char *file, const gmc_urdf_options *options,
                                        gmc_diagnostics *report, gmc_urdf *urdf);

void gmc_urdf_close(gmc_urdf *urdf);

/// -1 if there is none.
int gmc_urdf_find_link(const gmc_urdf *urdf, const char *name);

int gmc_urdf_find_joint(const gmc_urdf *urdf, const char *name);

/// How a file is put into a model.
typedef struct gmc_urdf_placing {
    const char *prefix;      ///< of all names ("hand." makes link `palm` "hand.palm"); NULL: none
    const char *parent;      ///< link of the model that the root hangs on; NULL: the world
    gmc_joint_spec base;     ///< the joint it hangs by: fixed, driven, free, ...
    unsigned category, mask; ///< of all shapes, as in gmc_geom
    void *context;           ///< handed to the functions below
    /// Surface of a link's shapes, never NULL.
    const char *(*surface)(void *context, const gmc_urdf_link *link);
    /// May change anything in `spec` but its names before the joint is added; NULL: nothing to
    /// change.
    void (*joint)(void *context, const gmc_urdf_joint *joint, gmc_joint_spec *spec);
    /// May change a link's mass properties before it is added; NULL: nothing to change.
    void (*link)(void *context, const gmc_urdf_link *link, gmc_inertia *inertia);
} gmc_urdf_placing;

/// Add all links, joints and shapes to a builder. Every link's name (with the prefix) becomes a
/// frame. What is wrong only in the model (a joint that moves no mass) the builder reports when it
/// finishes.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_urdf_build(const gmc_urdf *urdf, const gmc_urdf_placing *placing,
                                         gmc_builder *builder);

/// The joint as it is added without any change: for parameters and their defaults.
gmc_joint_spec gmc_urdf_joint_spec(const gmc_urdf *urdf, int joint);

#endif
