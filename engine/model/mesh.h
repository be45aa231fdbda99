/// Triangle meshes from OBJ, STL and PLY files (the last two in text or binary), checked while they
/// are read: every flaw of a file is reported with its line, and what can be mended is mended with
/// a warning.
///
///   flaw                                        what happens
///   not a number, infinite, index out of range  error
///   truncated, no faces                         error
///   two vertices at the same place              merged (STL and most exporters repeat them)
///   face without extent, face given twice       warning; dropped where that leaves no hole
///   faces of one part wound differently         warning; turned round to agree
///   closed part wound inside out                warning; turned round, unless it is a cavity
///   open, or an edge with three faces or more   warning; `is_closed` of that part is false
///   larger than 10 m, smaller than 0.1 mm       warning that names the unit
///
/// Polygons are cut into triangles. Texture, normals, materials, lines and free-form surfaces of an
/// OBJ are not read; the normals of an STL neither (the order of the vertices counts), nor what a
/// PLY has beside places and faces.
#ifndef GMC_ENGINE_MODEL_MESH_H
#define GMC_ENGINE_MODEL_MESH_H

#include "engine/base/file.h"
#include "engine/base/source.h"
#include "engine/math/vec3.h"

#include <stdbool.h>

enum { GMC_MESH_HINT_MAX = 320 };

// Objects a robot hand may meet: from a sand grain to a car. Beyond it the unit is wrong [m].
#define GMC_MESH_SIZE_MAX 10.0
#define GMC_MESH_SIZE_MIN 1e-3

/// Triangles of one group that hang together by their edges: one surface.
typedef struct gmc_mesh_part {
    int group; ///< index into group_names
    int triangle_count;
    int line;               ///< of its first triangle in the file; 0: unknown
    int open_edge_count;    ///< edges with one triangle
    int crowded_edge_count; ///< edges with three triangles or more
    bool is_oriented;       ///< neighbours are wound alike
    bool is_closed;         ///< every edge has two triangles, and they are wound alike
    bool is_cavity;         ///< closed, wound inside out, and within the largest part of its group
    double volume;          ///< enclosed, < 0 for a cavity; 0 unless closed [m³]
} gmc_mesh_part;

typedef struct gmc_mesh {
    int vertex_count, triangle_count, group_count, part_count;
    gmc_vec3 *vertices;  ///< (vertex_count) no two at the same place [m]
    int (*triangles)[3]; ///< (triangle_count) vertex indices, counter-clockwise seen from outside
    int *groups; ///< (triangle_count) group of each: `o` and `g` of an OBJ, `solid` of an STL, one
                 ///< of a PLY
    int *parts;  ///< (triangle_count) part of each
    int *lines;  ///< (triangle_count) line in the file; 0 in a binary one
    char **group_names;  ///< (group_count)
    gmc_mesh_part *part; ///< (part_count)
    char *file;          ///< its name, for messages
} gmc_mesh;

typedef struct gmc_mesh_options {
    gmc_vec3 scale;         ///< factors on x, y, z; a mirror image is wound round again [-]
    double plausible_scale; ///< further factor applied later, for the warnings about size only [-]
    const char *scale_hint; ///< how the user sets the unit, printed with those warnings
    const char *scale_said; ///< what did set it ("`unit` or `scale`"), for them; NULL: nothing did
} gmc_mesh_options;

/// Scale 1, hint for the scenario's `unit:` key.
gmc_mesh_options gmc_mesh_defaults(void);

/// Read a mesh file; OBJ, STL or PLY by the end of its name, by its content if that says none of
/// them.
/// @param     files    where from; NULL: disk
/// @param     from     who asks (the place that names the file), for a file that is missing
/// @param     report   takes every flaw
/// @param     mesh     to be freed with gmc_mesh_free; empty unless GMC_OK
/// @return GMC_OK (perhaps with warnings), GMC_E_INPUT, GMC_E_MISSING, GMC_E_LIMIT, GMC_E_IO,
///         GMC_E_MEMORY; all of them reported
GMC_MUST_CHECK gmc_status gmc_mesh_read(const char *file, const gmc_file_source *files,
                                        gmc_source from, const gmc_mesh_options *options,
                                        gmc_diagnostics *report, gmc_mesh *mesh);

/// The same from bytes in memory, `bytes[size]` being 0; `name` stands for the file in messages.
/// @return GMC_OK, GMC_E_INPUT, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_mesh_parse(const char *name, const unsigned char *bytes, size_t size,
                                         const gmc_mesh_options *options, gmc_diagnostics *report,
                                         gmc_mesh *mesh);

void gmc_mesh_free(gmc_mesh *mesh);

/// Enclosed volume of all parts together [m³]; 0 if one of them is not closed.
static inline double gmc_mesh_volume(const gmc_mesh *mesh)
{
    double volume = 0;
    for (int i = 0; i < mesh->part_count; i++) {
        if (!mesh->part[i].is_closed) return 0;
        volume += mesh->part[i].volume;
    }
    return volume;
}

/// True if a file name ends like a mesh that can be read (.obj, .stl, .ply, in any case).
bool gmc_mesh_is_known(const char *file);

/// How a mesh of another format becomes one that can be read: a command for the formats that one in
/// Debian reads (`assimp export cup.dae cup.obj`), else the formats.
/// @return true if the end of the name is that of a known format which is not read
bool gmc_mesh_how_to_convert(const char *file, char text[GMC_MESH_HINT_MAX]);

#endif
