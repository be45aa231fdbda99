/// The one place where a model is put together and checked. Add bodies and geoms in any order in
/// which a parent precedes its children, then finish. Set-up only: uses malloc and reports every
/// mistake.
///
/// Mistakes reported (GMC_E_INPUT): inertia that no body can have (naming the link, the numbers and
/// the violated inequality), a joint that moves no mass, joint limits crossed, negative or
/// non-finite properties, an axis of length 0, a pose that is no rigid motion, sizes <= 0, a plane
/// on a body that moves freely, a free or planar joint on a moving body, a planar joint or shape
/// askew, a joint that takes a planar shape out of its plane, an unknown link or parent, names of
/// links, joints or frames used twice, a law given twice, support of what is not planar, support
/// points in a line or not around the mass centre, a mimic of a mimic, of itself, of nothing, of a
/// joint of more than one dof, with ratio 0. Warnings: a start outside the joint's limits (it is
/// moved to the nearer one), the limits of a mimic that exclude all of its leader's (they are not
/// used).
#ifndef GMC_ENGINE_MODEL_BUILDER_H
#define GMC_ENGINE_MODEL_BUILDER_H

#include "engine/base/source.h"
#include "engine/model/model.h"

typedef struct gmc_builder gmc_builder;

/// What a joint is, before indices are given out.
typedef struct gmc_joint_spec {
    const char *name; ///< NULL: the body's name
    gmc_joint_type type;
    bool is_driven;
    gmc_pose X_pj;           ///< in the frame of the parent *link* named when adding
    gmc_vec3 axis;           ///< need not be unit
    const char *mimic_joint; ///< NULL, or the leader's joint name: q = ratio q_leader + offset
    double ratio, offset;    ///< read only with mimic_joint
    gmc_dof dof;             ///< properties; gmc_builder_default_dof() where nothing is known
    double q_start;          ///< revolute, prismatic: position at the start
    bool is_mount;           ///< of a fixed joint: the body keeps the link apart (gmc_mount)
} gmc_joint_spec;

/// No friction, damping, armature, limits; 1e6 N/m or N·m/rad for a stop if limits are set.
gmc_dof gmc_builder_default_dof(void);

/// @param report  where mistakes go; outlives the builder
/// @return NULL if there is no memory
gmc_builder *gmc_builder_create(gmc_diagnostics *report);

void gmc_builder_free(gmc_builder *builder);

/// Add a link. `parent` is the name of a link added before, NULL for the world. Copies all names.
/// A fixed joint merges the link into its parent's body (mass properties combined, name kept as
/// frame: so is a frame named that is no link's); a link fixed to the world is a body of its own
/// that never moves. A mimic shares its leader's dof: its armature, damping and friction are added
/// there, as they act through the ratio, its limits narrow the leader's, and it is driven if the
/// leader is.
/// @param joint    NULL: fixed, at the parent's frame
/// @param inertia  in the link's frame; NULL: none (enough for what is driven or never moves)
void gmc_builder_link(gmc_builder *builder, gmc_source source, const char *name, const char *parent,
                      const gmc_joint_spec *joint, const gmc_inertia *inertia);

/// What a geom is, before indices are given out.
typedef struct gmc_geom_spec {
    gmc_source source;       ///< where it is written, for messages; {0}: nowhere
    const char *link;        ///< that it is fixed to; NULL: the world
    const char *name;        ///< NULL: the link's
    gmc_pose X_lg;           ///< in the link's frame [m]
    gmc_shape shape;         ///< its polytope must outlive the model
    const char *surface;     ///< name of its surface, made known here
    unsigned category, mask; ///< as in gmc_geom
} gmc_geom_spec;

/// Add a shape to a link. Copies all names.
void gmc_builder_geom(gmc_builder *builder, const gmc_geom_spec *spec);

/// Make a surface known: the first one is number 0 of the model, and so on, so that models whose
/// shapes come in other orders can number them alike.
void gmc_builder_surface(gmc_builder *builder, const char *name);

/// The law of a pair of surfaces (unordered); both names are made known.
void gmc_builder_law(gmc_builder *builder, gmc_source source, const char *a, const char *b,
                     gmc_surface_law law);

/// What a body stands on in the plane, before indices are given out.
typedef struct gmc_support_spec {
    const gmc_support_point *points; ///< (point_count) in the link's frame
    int point_count;
    double damping, stiffness, relaxation; ///< as in gmc_support
} gmc_support_spec;

/// No damping, 1e7 N/m and 1 ms; no points. Ten times as stiff as contacts where the scenario is
/// silent (1e6 N/m): points carry the weight alone, and the lag of a sliding point's direction
/// behind its motion goes with mu N / k. The same relaxation.
static inline gmc_support_spec gmc_builder_default_support(void)
{
    return (gmc_support_spec){.stiffness = 1e7, .relaxation = 1e-3};
}

/// The plane holds a link, added before and on a planar joint. Once for each. Copies the points.
void gmc_builder_support(gmc_builder *builder, gmc_source source, const char *link,
                         const gmc_support_spec *spec);

/// [m/s²]; (0, 0, -9.81) if this is never called. In a planar world its x and y pull along the
/// plane, and -z presses on it (support.h).
void gmc_builder_gravity(gmc_builder *builder, gmc_vec3 gravity);

/// Check everything, give out indices, and copy the model into `arena`: frames first one per link
/// in their order, then the named ones. May be called again, e.g. with a larger arena.
/// @param model  out, untouched unless GMC_OK
/// @return GMC_OK, GMC_E_INPUT (see report), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_builder_finish(gmc_builder *builder, gmc_arena *arena,
                                             gmc_model *model);

#endif
