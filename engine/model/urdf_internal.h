/// What the readers of robot files, URDF (urdf.c) and MJCF (mjcf.c), share: what a read file owns,
/// its meshes, and the checks of couplings and masses once the tree is known.
#ifndef GMC_ENGINE_MODEL_URDF_INTERNAL_H
#define GMC_ENGINE_MODEL_URDF_INTERNAL_H

#include "engine/model/hull.h"
#include "engine/model/urdf.h"
#include "engine/model/xml.h"

#include <math.h>

/// Convex pieces of one mesh file at one scale, made once.
typedef struct gmc_urdf_mesh {
    char *path;
    gmc_vec3 scale;
    gmc_hull_pieces pieces;
    gmc_inertia solid; ///< what the mesh itself encloses, at 1 kg/m³; mass 0: it is not closed
    gmc_status status;
} gmc_urdf_mesh;

/// What a gmc_urdf points into.
struct gmc_urdf_keep {
    gmc_xml **documents; ///< (document_count) the file, and what it includes
    int document_count, document_capacity;
    gmc_urdf_mesh *meshes;
    int mesh_count, mesh_capacity;
    char **texts; ///< (text_count) names that are not the file's
    int text_count, text_capacity;
    char *file;
};

/// Where mass properties of a link stand in the file.
typedef struct gmc_urdf_inertial {
    gmc_source source, moments; ///< of all, of the moments
    bool is_broken;             ///< reported; nothing more is to be said about it
} gmc_urdf_inertial;

/// One reading.
typedef struct gmc_urdf_reader {
    gmc_urdf *urdf;
    const gmc_urdf_options *options;
    gmc_diagnostics *report;
    gmc_urdf_inertial *inertials; ///< (link_count)
    const char *unread[64];       ///< names that were warned of
    int unread_count;
    bool is_out_of_memory;
} gmc_urdf_reader;

/// A fixed joint that nothing was said of: no limits, no actuator, no servo, no leader.
static inline gmc_urdf_joint gmc_urdf_joint_blank(gmc_source source)
{
    return (gmc_urdf_joint){.source = source,
                            .leader = -1,
                            .ratio = 1,
                            .lower = -INFINITY,
                            .upper = INFINITY,
                            .effort = INFINITY,
                            .velocity = INFINITY,
                            .stiffness = NAN,
                            .servo_damping = NAN};
}

/// An empty description of that file.
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_urdf_start(const char *file, gmc_urdf *urdf);

/// Closest of `names` (ended by NULL) within two letters, NULL if none is.
const char *gmc_urdf_nearest_word(const char *word, const char *const *names);

/// The pieces of a mesh file, which is read once for each scale.
/// @param name  its path, as in urdf.h
/// @param from  who names it
/// @return NULL: not to be had (reported)
const gmc_urdf_mesh *gmc_urdf_get_mesh(gmc_urdf_reader *reader, const char *name, gmc_source from,
                                       gmc_vec3 scale);

/// Followers of followers follow who moves on its own; mass properties: checked, compared with the
/// shapes, completed. Needs the tree.
void gmc_urdf_finish(gmc_urdf_reader *reader);

#endif
