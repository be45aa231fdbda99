/// Mass properties: of shapes and meshes by exact integrals, put together, moved, checked,
/// compared. Set-up and the building of trial variants; nothing here allocates but
/// gmc_inertia_of_mesh.
///
/// Source of the integrals over signed tetrahedra: [tonon2005] (the covariance form used here is
/// derived at the top of the .c file).
#ifndef GMC_ENGINE_MODEL_INERTIA_H
#define GMC_ENGINE_MODEL_INERTIA_H

#include "engine/base/status.h"
#include "engine/math/spatial.h"
#include "engine/model/shape.h"

#include <stdbool.h>
#include <stddef.h>

/// Uniform solid in the frame of its geom.
/// @param density  [kg/m³]
/// @return mass 0 for a plane
gmc_inertia gmc_inertia_of_shape(const gmc_shape *shape, double density);

/// The same from the mass [kg] in place of the density. Mass 0 for a plane.
gmc_inertia gmc_inertia_of_shape_mass(const gmc_shape *shape, double mass);

/// What the triangles of a mesh enclose, and whether they enclose anything at all.
typedef struct gmc_inertia_mesh {
    bool is_closed;       ///< every edge belongs to exactly two triangles
    bool is_oriented;     ///< closed, and the two run along every edge in opposite directions
    bool is_inward;       ///< the normals point inwards (volume counted as if they did not)
    int loose_edge_count; ///< edges that belong to one triangle, or to more than two
    double volume;        ///< enclosed, >= 0; exact if oriented, else a guess [m³]
    gmc_vec3 centroid;    ///< of that volume [m]
} gmc_inertia_mesh;

/// Triangles that bound a solid. Vertices are told apart by index: weld equal ones before.
typedef struct gmc_inertia_surface {
    const gmc_vec3 *vertices; ///< (vertex_count) [m]
    int vertex_count;
    const int *triangles; ///< (triangle_count, 3) vertex indices, counter-clockwise from outside
    int triangle_count;
} gmc_inertia_surface;

/// Uniform solid bounded by triangles.
/// @param density    [kg/m³]
/// @param inertia    out, untouched unless GMC_OK; mass properties of the enclosed volume
/// @param mesh       out: see above; may be NULL
/// @return GMC_OK (also for an open mesh: look at `mesh`), GMC_E_INPUT (an index out of range, or
///         no volume: flat, empty or not finite), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_inertia_of_mesh(const gmc_inertia_surface *surface, double density,
                                              gmc_inertia *inertia, gmc_inertia_mesh *mesh);

/// The same distribution of mass with another total [kg]; `inertia` has mass > 0.
static inline gmc_inertia gmc_inertia_with_mass(const gmc_inertia *inertia, double mass)
{
    gmc_mat3 zero = {{0}};
    return (gmc_inertia){mass, inertia->com,
                         gmc_mat3_add_scaled(&zero, mass / inertia->mass, &inertia->I)};
}

/// Two rigidly joined bodies, both seen in the same frame. Mass 0 is nothing.
gmc_inertia gmc_inertia_combine(const gmc_inertia *a, const gmc_inertia *b);

/// Mass properties known in frame b, seen in frame a.
gmc_inertia gmc_inertia_move(const gmc_pose *X_ab, const gmc_inertia *inertia_b);

/// Principal moments in ascending order [kg·m²].
void gmc_inertia_principal(const gmc_mat3 *I, double moments[3]);

/// Whether a body can have these mass properties: mass > 0, all finite, symmetric, principal
/// moments > 0, and none larger than the sum of the other two (by more than the rounding of written
/// files).
/// @param message  what is violated, with the numbers; untouched if GMC_OK; at least 1 byte
/// @return GMC_OK, GMC_E_INPUT
GMC_MUST_CHECK gmc_status gmc_inertia_check(const gmc_inertia *inertia, char *message,
                                            size_t bytes);

/// The nearest mass properties that a body can have: second moments of mass along the principal
/// axes that are negative, or less than 1e-4 of the positive ones' sum, are raised to that. Mass
/// and centre stay, and so does what a body can have, but for needles.
/// @param inertia  finite and symmetric, mass > 0
/// @param nearest  out, untouched if there are none: no second moment is positive
/// @return whether there are any
bool gmc_inertia_nearest(const gmc_inertia *inertia, gmc_inertia *nearest);

/// Whether given mass properties contradict those of a uniform solid of the body's geometry: centre
/// of mass outside the middle of the geometry, or principal moments per mass off by more than a
/// factor of two.
/// @param geometry  of the shapes, same frame, any density; mass > 0
/// @param message   both numbers; untouched if there is no contradiction; at least 1 byte
/// @return true if they do
bool gmc_inertia_contradicts(const gmc_inertia *given, const gmc_inertia *geometry, char *message,
                             size_t bytes);

/// The same of a body of several shapes whose shares of the mass are not known: centre of mass
/// outside the box about their centres, by more than the largest radius of gyration of one; or
/// principal moments off by more than a factor of two from what any shares make with this centre.
/// @param shapes   (count >= 1) uniform solids, same frame, any density; mass > 0
/// @param message  numbers and bounds; untouched if there is no contradiction; at least 1 byte
/// @return true if they do
bool gmc_inertia_contradicts_all(const gmc_inertia *given, const gmc_inertia *shapes, int count,
                                 char *message, size_t bytes);

#endif
