/// What a builder collects until it is finished; shared by builder.c (collects, numbers, copies)
/// and builder_check.c, builder_mass.c (judge). Nobody else includes this.
#ifndef GMC_ENGINE_MODEL_BUILDER_INTERNAL_H
#define GMC_ENGINE_MODEL_BUILDER_INTERNAL_H

#include "engine/model/builder.h"

typedef struct gmc_builder_link_entry {
    gmc_source source;
    const char *name, *parent_name; ///< parent NULL: the world
    gmc_joint_spec joint;           ///< its name is never NULL
    gmc_inertia inertia;
    int parent;    ///< index of the parent link, -1: the world
    int leader;    ///< link whose joint is mimicked, -1: none
    int body;      ///< body it belongs to, given out by finish
    gmc_pose X_bl; ///< in that body
} gmc_builder_link_entry;

typedef struct gmc_builder_geom_entry {
    gmc_source source;
    const char *link_name, *name;
    int link; ///< -1: the world
    gmc_pose X_lg;
    gmc_shape shape;
    int surface;
    unsigned category, mask;
} gmc_builder_geom_entry;

typedef struct gmc_builder_frame_entry {
    gmc_source source;
    const char *link_name, *name;
    int link; ///< -1: the world
    gmc_pose X_lf;
} gmc_builder_frame_entry;

typedef struct gmc_builder_law_entry {
    gmc_source source;
    int a, b; ///< surfaces
    gmc_surface_law law;
} gmc_builder_law_entry;

typedef struct gmc_builder_support_entry {
    gmc_source source;
    const char *link_name;
    int link;
    gmc_support_spec spec; ///< points: NULL
    int point_first;       ///< in support_points
} gmc_builder_support_entry;

/// One growing array; `items` is typed at its use.
typedef struct gmc_builder_list {
    void *items;
    int count, capacity;
} gmc_builder_list;

struct gmc_builder {
    gmc_diagnostics *report;
    int mistake_count;     ///< of the last finish
    bool is_out_of_memory; ///< something could not be kept
    gmc_vec3 gravity;
    gmc_builder_list links, geoms, frames, laws, surfaces, supports, support_points, texts;
};

static inline gmc_builder_link_entry *gmc_builder_links(const gmc_builder *builder)
{
    return builder->links.items;
}

/// Report a mistake and count it. `format` as in printf.
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void gmc_builder_check_report(gmc_builder *builder, gmc_source source, const char *hint,
                              const char *format, ...);

/// Resolve names and judge everything that can be judged link by link.
void gmc_builder_check_parts(gmc_builder *builder);

/// Judge whether planar shapes stay in their plane.
/// @param X_wb  (body_count) poses at the start
void gmc_builder_plane_check(gmc_builder *builder, const gmc_model *model, const gmc_pose *X_wb);

/// Judge what bodies stand on; after gmc_builder_check_parts.
void gmc_builder_support_check(gmc_builder *builder, const gmc_model *model);

/// Put the supports into the model, whose bodies are numbered.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_builder_support_fill(const gmc_builder *builder, gmc_arena *arena,
                                                   gmc_model *model);

/// One more item of a list, zeroed; NULL if there is no memory (noted in the builder).
void *gmc_builder_add(gmc_builder *builder, gmc_builder_list *list, size_t size);

/// The builder's own copy of a text; NULL for NULL and if there is no memory.
const char *gmc_builder_keep(gmc_builder *builder, const char *text);

/// Among the first `count` links; -1 if there is none.
int gmc_builder_find_link(const gmc_builder *builder, const char *name, int count);

/// Judge what needs the whole tree: every joint that is free to move has inertia to move.
/// @param model      its names still the builder's
/// @param X_wb       (body_count) room
/// @param composite  (body_count) room
void gmc_builder_mass_check(gmc_builder *builder, const gmc_model *model, gmc_pose *X_wb,
                            gmc_inertia *composite);

#endif
