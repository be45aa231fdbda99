/// The immutable mechanism: bodies in trees, joint properties, geoms, surfaces. Built and checked
/// in one place (builder.h), then const and shared by all workers. A trial that varies masses,
/// sizes or friction owns a copy of the arrays that differ (gmc_model_copy) and leaves the rest
/// shared.
///
/// Body 0 is the world. Parents come before their children. Links joined by fixed joints are one
/// body; their names stay available as frames. Free velocities come first, driven ones behind them:
///
///   v = [ v_free (free_count) | v_driven (dof_count - free_count) ]
///
/// A step solves for v_free only; v_driven is prescribed (gmc_control, law.h).
#ifndef GMC_ENGINE_MODEL_MODEL_H
#define GMC_ENGINE_MODEL_MODEL_H

#include "engine/base/arena.h"
#include "engine/math/spatial.h"
#include "engine/model/shape.h"

#include <stdbool.h>
#include <string.h>

typedef enum gmc_joint_type {
    GMC_JOINT_FIXED,     ///< only on bodies that hang on the world and never move (and on the
                         ///< world)
    GMC_JOINT_REVOLUTE,  ///< q: angle [rad]                         v: rad/s
    GMC_JOINT_PRISMATIC, ///< q: displacement [m]                    v: m/s
    GMC_JOINT_SPHERICAL, ///< q: quaternion of child in joint frame  v: relative angular velocity,
                         ///<                                        joint frame axes
    GMC_JOINT_FREE,      ///< q: position of the body frame in the joint frame, quaternion wxyz (7);
                         ///< v (6): velocity of the body's centre of mass, then angular velocity,
                         ///< world axes
    GMC_JOINT_PLANAR, ///< in the plane z = 0 of the world; q: x, y of the body frame in the joint
                      ///< frame, angle about z (3); v (3): velocity x, y of the body's centre of
                      ///< mass, angular velocity about z, world axes
    GMC_JOINT_COUNT
} gmc_joint_type;

typedef struct gmc_body {
    const char *name;
    int parent; ///< index < own; 0 is the world; -1 for the world itself
    gmc_joint_type joint;
    bool is_driven;   ///< the joint follows a prescribed motion
    bool is_mimic;    ///< shares q and v with the joint of another body
    bool is_isolated; ///< free joint on a body that never moves, not driven, no children: its own
                      ///< block of M
    int q;            ///< first of its coordinates in q
    int v;            ///< first of its velocities in v; a mimic joint shares those of its leader
    gmc_pose X_pj;    ///< joint frame in the parent body's frame; the body frame equals it at q = 0
    gmc_vec3 axis;    ///< unit, in the joint frame (revolute, prismatic)
    double ratio;     ///< joint position = ratio q[q] + offset; 1 and 0 unless it mimics another
    double offset;
    int mount;           ///< of its parent's mounts the one that it hangs on; 0: none
    int one;             ///< a body before it that it is one with, as far as touching goes; 0: none
    gmc_inertia inertia; ///< mass 0 allowed only if a composite below it is positive definite
} gmc_body;

/// One velocity coordinate and what resists or limits it. Not used on free, planar and spherical
/// joints but for damping and armature.
typedef struct gmc_dof {
    const char *name;       ///< of the joint
    double armature;        ///< reflected rotor inertia added to M [kg, kg·m²]
    double damping;         ///< viscous, implicit [N·s/m, N·m·s/rad]
    double friction;        ///< Coulomb, magnitude [N, N·m]
    double lower, upper;    ///< limits of the joint position; -inf, +inf: none [m, rad]
    double limit_stiffness; ///< of the stop [N/m, N·m/rad]
    double max_force;       ///< of its actuator; +inf: none given [N, N·m]
    double max_speed;       ///< of its actuator; +inf: none given [m/s, rad/s]
} gmc_dof;

/// Which geoms may touch: a and b do iff (a.category & b.mask) and (b.category & a.mask) are not
/// zero, their bodies differ, and not both are static.
typedef struct gmc_geom {
    const char *name;
    int body;
    int frame;     ///< the link (frame) it came with, -1 if none
    gmc_pose X_bg; ///< geom frame in its body's frame
    gmc_shape shape;
    int surface; ///< index into the model's surfaces
    unsigned category, mask;
} gmc_geom;

/// A named place on a body: links of a URDF (also those merged by fixed joints), tool points.
typedef struct gmc_frame {
    const char *name;
    int body;
    gmc_pose X_bf;
    int mount; ///< of the body's mounts the one that it belongs to; 0: none
} gmc_frame;

/// Links of a body that could be one of their own: what is mounted on others, with all that is
/// fixed to it but for what is mounted on it in turn. Inertias are as built, in the body's frame.
typedef struct gmc_mount {
    const char *name; ///< of the link that is mounted
    int body;
    int base;                 ///< the mount that it is fixed to; 0: the body's own links
    gmc_vec3 p;               ///< where it is fixed, in the body's frame [m]
    gmc_inertia inertia, own; ///< of its links; of the body's own links
} gmc_mount;

/// Depth of the bottom of a pad, against its thickness (coulomb_pad.c).
static const double GMC_PAD_CORE = 0.8;

/// What friction of a pair of surfaces may be beyond one coefficient; all zero: nothing.
typedef struct gmc_surface_extra {
    double kinetic_loss; ///< share of friction lost when sliding: mu_k = (1 - loss) mu_s, 0..1 [-]
    double threshold;    ///< what slides slower than this has mu_s again [m/s]
    bool has_grain;      ///< friction differs along and across a direction fixed to one surface
    int grain_surface;   ///< the one that carries it; of two with the same surface geom_a's
    gmc_vec3 grain;      ///< that direction in the frame of its link (without one: of its body)
    double across_ratio; ///< mu across the grain / mu along it [-]
    double torsion;      ///< largest moment about the normal / normal force [m]
    double rolling;      ///< largest moment about a tangent / normal force [m]
    double pad;         ///< stiffness of an elastic layer per area (coulomb_pad.c); 0: none [N/m³]
    int pad_surface;    ///< the one that carries it, of two the softer one; -1: they are the same
    double pad_shear;   ///< its tangential over its normal stiffness [-]
    double pad_edge;    ///< radius of what is sharper than the layer can tell: its thickness [m]
    double pad_soft;    ///< two pads: overlap that would be all of the thickness of that which is
                        ///< pressed most; 0: one pad, pad_edge is [m]
    double pad_firm;    ///< two pads: stiffness that they have more once that one is at its bottom
                        ///< [N/m³]
    double pad_firm_at; ///< and the overlap at which it is, without pad_firm any [m]
    double restitution; ///< speed of separation / speed of approach of an impact, 0..1 [-]
    double bounce_speed;    ///< impacts slower than this do not bounce [m/s]
    bool has_damping_ratio; ///< song_pang_kumar: damping follows from the ratio in place of tau
    double damping_ratio;   ///< zeta: damping over 2 sqrt(k m), m what the contact moves [-]
} gmc_surface_extra;

/// What happens where two surfaces meet (symmetric in the pair). Kelvin–Voigt: normal force
/// k (-gap) + k tau (-gap)', tangential the same with k_T = tangential_ratio k.
typedef struct gmc_surface_law {
    bool is_given;           ///< the scenario names this pair; touching without it is an error
    double friction;         ///< Coulomb coefficient; with extras: static, along the grain [-]
    double stiffness;        ///< k of one contact point, normal [N/m]
    double relaxation;       ///< tau, damping over stiffness [s]
    double tangential_ratio; ///< k_T / k = 2 (1 - nu) / (2 - nu) (Mindlin) [-]
    const gmc_surface_extra *extra; ///< NULL: none; shared by copies of the model
} gmc_surface_law;

/// A point on which a body stands in the plane z = 0.
typedef struct gmc_support_point {
    gmc_vec2 p;      ///< body frame [m]
    double share;    ///< of the body's weight where that is not settled by statics: with three
                     ///< points it is, whatever their shares > 0 (support.h) [-]
    double friction; ///< Coulomb, against the plane [-]
} gmc_support_point;

/// What holds a body against the plane under its weight, m times gravity's -z.
typedef struct gmc_support {
    int body; ///< on a planar joint
    int point_first, point_count;
    double damping;    ///< viscous friction of the whole body against the plane, shared by the
                       ///< points as its weight [N·s/m]
    double stiffness;  ///< of one sticking point, tangential [N/m]
    double relaxation; ///< damping over stiffness [s]
} gmc_support;

/// How geoms that are near each other are looked for (broadphase.h). All find the same pairs.
typedef enum gmc_broad_phase {
    GMC_BROAD_PHASE_AUTOMATIC, ///< pair by pair where few pairs may touch, else sweep and prune
    GMC_BROAD_PHASE_PAIRS,     ///< pair by pair
    GMC_BROAD_PHASE_SWEEP      ///< sweep and prune
} gmc_broad_phase;

/// Their words, in this order.
#define GMC_BROAD_PHASE_WORDS "automatic|pairs|sweep"

typedef struct gmc_model {
    int body_count, free_count, dof_count, q_count, geom_count, frame_count, surface_count;
    gmc_body *bodies;
    gmc_dof *dofs; ///< (dof_count)
    gmc_geom *geoms;
    gmc_frame *frames;
    int mount_count;
    const gmc_mount *mounts;     ///< (mount_count + 1) number 0 is none
    const char *const *surfaces; ///< names
    gmc_surface_law *laws;       ///< (surface_count * surface_count), symmetric
    double *q_start;             ///< (q_count) start coordinates
    int support_count, support_point_count;
    gmc_support *supports; ///< (support_count) by body, at most one each
    gmc_support_point *support_points;
    gmc_vec3 gravity;            ///< [m/s²]
    gmc_broad_phase broad_phase; ///< of colliders that are made for it from now on
    int absent_count; ///< bodies that a variant lacks, of those at the end of the compiled model;
                      ///< trajectories give them NaN
} gmc_model;

/// A copy with own bodies, dofs, geoms, laws, supports and q_start in `arena`; names, frames and
/// polytopes shared.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_model_copy(const gmc_model *model, gmc_arena *arena, gmc_model *copy);

/// Bytes that gmc_model_copy takes at most.
size_t gmc_model_copy_bytes(const gmc_model *model);

/// Number of position / velocity coordinates of a joint type.
int gmc_joint_q_count(gmc_joint_type type);
int gmc_joint_v_count(gmc_joint_type type);

/// Index by name, -1 if there is none.
static inline int gmc_model_find_body(const gmc_model *model, const char *name)
{
    for (int i = 0; i < model->body_count; i++)
        if (strcmp(model->bodies[i].name, name) == 0) return i;
    return -1;
}

static inline int gmc_model_find_frame(const gmc_model *model, const char *name)
{
    for (int i = 0; i < model->frame_count; i++)
        if (strcmp(model->frames[i].name, name) == 0) return i;
    return -1;
}

static inline int gmc_model_find_dof(const gmc_model *model, const char *joint_name)
{
    for (int i = 0; i < model->dof_count; i++)
        if (strcmp(model->dofs[i].name, joint_name) == 0) return i;
    return -1;
}

/// Pose of a body in its joint frame.
/// @param q  (q_count) coordinates of the model; quaternions are unit
gmc_pose gmc_model_joint_pose(const gmc_body *body, const double *q);

/// Whether a body never moves: the world and what is fixed to it.
static inline bool gmc_model_is_static(const gmc_model *model, int body)
{
    return model->bodies[body].joint == GMC_JOINT_FIXED;
}

/// Are two bodies one, as far as what lies on them goes? All that never move are.
static inline bool gmc_model_is_one_body(const gmc_model *model, int a, int b)
{
    const gmc_body *bodies = model->bodies;
    if (bodies[a].one > 0) a = bodies[a].one;
    if (bodies[b].one > 0) b = bodies[b].one;
    return a == b || (gmc_model_is_static(model, a) && gmc_model_is_static(model, b));
}

/// Law of the contact of two surfaces.
static inline const gmc_surface_law *gmc_model_law(const gmc_model *model, int a, int b)
{
    return &model->laws[a * model->surface_count + b];
}

/// Is one of two geoms' surfaces a pad to the other?
static inline bool gmc_model_has_pad(const gmc_model *model, int geom_a, int geom_b)
{
    if (model->surface_count == 0) return false;
    const gmc_geom *a = &model->geoms[geom_a], *b = &model->geoms[geom_b];
    const gmc_surface_extra *extra = gmc_model_law(model, a->surface, b->surface)->extra;
    return extra && extra->pad > 0;
}

/// Do two geoms always press on each other by the area of a pad (coulomb_pad.c), whatever points
/// they touch at? What has faces and what is a rod does on what has faces.
static inline bool gmc_model_has_patch(const gmc_model *model, int geom_a, int geom_b)
{
    gmc_shape_type a = model->geoms[geom_a].shape.type, b = model->geoms[geom_b].shape.type;
    bool a_has_faces = gmc_shape_has_faces(a), b_has_faces = gmc_shape_has_faces(b);
    return (a_has_faces || b_has_faces) && (a_has_faces || gmc_shape_is_rod(a)) &&
           (b_has_faces || gmc_shape_is_rod(b)) && gmc_model_has_pad(model, geom_a, geom_b);
}

#endif
