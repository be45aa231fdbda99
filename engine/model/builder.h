/// The one place where a model is put together and checked. Add bodies and geoms in any order in
/// which a parent precedes its children, then finish. Set-up only: uses malloc and reports every
/// mistake.
///
/// Mistakes reported: mass <= 0 where a joint needs it, inertia not positive definite or against
/// the triangle inequality (naming the body, the numbers and the violated inequality), joint limits
/// crossed, axis of length 0, sizes <= 0, unknown parent, names used twice, a mimic of a mimic or
/// of nothing.
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
    double ratio, offset;
    gmc_dof dof;    ///< properties; gmc_builder_default_dof() where nothing is known
    double q_start; ///< revolute, prismatic: position at the start
} gmc_joint_spec;

gmc_dof gmc_builder_default_dof(void);

/// @param report  where mistakes go; outlives the builder
/// @return NULL if there is no memory
gmc_builder *gmc_builder_create(gmc_diagnostics *report);
void gmc_builder_free(gmc_builder *builder);

/// Add a link. `parent` is the name of a link added before, NULL for the world. Copies all names.
/// A fixed joint merges the link into its parent's body (mass properties combined, name kept as
/// frame).
void gmc_builder_link(gmc_builder *builder, gmc_source source, const char *name, const char *parent,
                      const gmc_joint_spec *joint, const gmc_inertia *inertia);

/// Add a shape to a link. `surface` is a surface name; category/mask as in gmc_geom.
void gmc_builder_geom(gmc_builder *builder, gmc_source source, const char *link, const char *name,
                      gmc_pose X_lg, gmc_shape shape, const char *surface, unsigned category,
                      unsigned mask);

/// A named frame fixed to a link.
void gmc_builder_frame(gmc_builder *builder, gmc_source source, const char *link, const char *name,
                       gmc_pose X_lf);

/// The law of a pair of surfaces (unordered); both names are made known.
void gmc_builder_law(gmc_builder *builder, gmc_source source, const char *a, const char *b,
                     gmc_surface_law law);

void gmc_builder_gravity(gmc_builder *builder, gmc_vec3 gravity);

/// Check everything, give out indices, and copy the model into `arena`.
/// @return GMC_OK, GMC_E_INPUT (see report), GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_builder_finish(gmc_builder *builder, gmc_arena *arena,
                                             gmc_model *model);

#endif
