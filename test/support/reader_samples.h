/// Small files of every kind that the readers take, for tests that damage them: a mesh of two
/// groups as OBJ (polygons, relative indices, comments), a tetrahedron as STL in text and in
/// binary, and a hand as URDF whose mesh is that OBJ.
#ifndef GMC_TEST_SUPPORT_READER_SAMPLES_H
#define GMC_TEST_SUPPORT_READER_SAMPLES_H

#include "engine/model/hull.h"
#include "engine/model/urdf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char sample_obj[] =
    "# two pieces\no cube\nv 0 0 0\nv .1 0 0\nv .1 1e-1 0\nv 0 .1 0\nv 0 0 .1\nv .1 0 .1\nv .1 .1 "
    ".1\n"
    "v 0 .1 .1\nvn 0 0 1\nf 1//1 4//1 3//1 2//1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 \\\n 6\nf 3 4 8 "
    "7\r\n"
    "f 4 1 5 8\ng ell\nv 1 0 0\nv 1.2 0 0\nv 1.2 .1 0\nv 1.1 .1 0\nv 1.1 .2 0\nv 1 .2 0\nv 1 0 .1\n"
    "v 1.2 0 .1\nv 1.2 .1 .1\nv 1.1 .1 .1\nv 1.1 .2 .1\nv 1 .2 .1\nf 11 10 9 14 13 12\n"
    "f -4 -3 -2 -1 -6 -5\nf 9 10 16 15\nf 10 11 17 16\nf 11 12 18 17\nf 12 13 19 18\nf 13 14 20 "
    "19\n"
    "f 14 9 15 20\n";

static const char sample_stl[] = "solid t\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 "
                                 ".1 0\nvertex .1 0 0\nendloop\n"
                                 "endfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex "
                                 ".1 0 0\nvertex 0 0 .1\nendloop\n"
                                 "endfacet\nfacet normal 1 1 1\nouter loop\nvertex .1 0 0\nvertex "
                                 "0 .1 0\nvertex 0 0 .1\nendloop\n"
                                 "endfacet\nfacet normal -1 0 0\nouter loop\nvertex 0 .1 0\nvertex "
                                 "0 0 0\nvertex 0 0 .1\nendloop\n"
                                 "endfacet\nendsolid t\n";

static const char sample_urdf[] =
    "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<link name=\"a\"><collision><origin xyz=\"0 0 "
    ".1\" "
    "rpy=\"0 .5 0\"/><geometry><mesh filename=\"m.obj\" scale=\"1 1 "
    "-2\"/></geometry></collision></link>\n"
    "<link name=\"b\"><inertial><origin xyz=\"0 0 0\"/><mass value=\"1\"/><inertia ixx=\"1e-3\" "
    "ixy=\"0\" "
    "ixz=\"0\" iyy=\"1e-3\" iyz=\"0\" izz=\"1e-3\"/></inertial><collision><geometry><box size=\".1 "
    ".1 "
    ".1\"/></geometry></collision></link>\n<link name=\"c\"><collision><geometry><capsule "
    "radius=\".1\" "
    "length=\".2\"/></geometry></collision></link>\n<joint name=\"j\" type=\"revolute\"><parent "
    "link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" "
    "effort=\"5\" "
    "velocity=\"0\"/><dynamics damping=\"1\"/></joint>\n<joint name=\"k\" "
    "type=\"prismatic\"><parent "
    "link=\"b\"/><child link=\"c\"/><axis xyz=\"0 1 0\"/><limit upper=\"1\"/><mimic joint=\"j\" "
    "multiplier=\"2\"/></joint>\n</robot>\n";

enum { SAMPLE_BINARY_STL_SIZE = 84 + 4 * 50 };

static inline void sample_binary_stl(unsigned char bytes[SAMPLE_BINARY_STL_SIZE])
{
    static const float p[4][3] = {{0, 0, 0}, {0.1F, 0, 0}, {0, 0.1F, 0}, {0, 0, 0.1F}};
    static const int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    memset(bytes, 0, SAMPLE_BINARY_STL_SIZE);
    memcpy(bytes, "solid t", 7);
    bytes[80] = 4;
    for (int t = 0; t < 4; t++)
        for (int k = 0; k < 3; k++)
            memcpy(bytes + 84 + 50 * t + 12 + 12 * k, p[sides[t][k]], 12);
}

/// A file of these bytes.
static inline gmc_status sample_give(const void *bytes, size_t size, gmc_file *file)
{
    unsigned char *copy = malloc(size + 1);
    if (!copy) return GMC_E_MEMORY;
    if (size > 0) memcpy(copy, bytes, size);
    copy[size] = 0;
    *file = (gmc_file){copy, size};
    return GMC_OK;
}

/// A gmc_file_source whose only file besides sample_obj is the URDF in `context` (a gmc_file).
static inline gmc_status sample_load(void *context, const char *path, gmc_file *file)
{
    const gmc_file *urdf = context;
    const void *bytes = sample_obj;
    size_t size = sizeof sample_obj - 1;
    if (strcmp(path, "r.urdf") == 0) {
        bytes = urdf->bytes;
        size = urdf->size;
    } else if (strcmp(path, "m.obj") != 0) {
        return GMC_E_MISSING;
    }
    return sample_give(bytes, size, file);
}

static inline const char *sample_surface(void *context, const gmc_urdf_link *link)
{
    (void)context, (void)link;
    return "any";
}

/// Read mesh bytes and make its pieces.
static inline gmc_status sample_read_mesh(const char *name, const unsigned char *bytes, size_t size,
                                          gmc_diagnostics *report, gmc_mesh *mesh,
                                          gmc_hull_pieces *pieces)
{
    gmc_mesh_options options = gmc_mesh_defaults();
    *pieces = (gmc_hull_pieces){0};
    GMC_TRY(gmc_mesh_parse(name, bytes, size, &options, report, mesh));
    return gmc_hull_of_mesh(mesh, (gmc_source){.file = name}, report, pieces);
}

/// Read a URDF and build a model from it.
static inline gmc_status sample_read_urdf(gmc_file *bytes, gmc_diagnostics *report,
                                          gmc_arena *arena, gmc_urdf *urdf)
{
    gmc_file_source files = {bytes, sample_load};
    gmc_urdf_options options = gmc_urdf_defaults();
    gmc_urdf_placing placing = {.base = {.name = "base",
                                         .type = GMC_JOINT_FREE,
                                         .is_driven = true,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .surface = sample_surface};
    options.files = &files;
    GMC_TRY(gmc_urdf_open("r.urdf", &options, report, urdf));
    gmc_builder *builder = gmc_builder_create(report);
    if (!builder) return GMC_E_MEMORY;
    gmc_model model;
    gmc_status status = gmc_urdf_build(urdf, &placing, builder);
    if (status == GMC_OK) status = gmc_builder_finish(builder, arena, &model);
    gmc_builder_free(builder);
    return status;
}

#endif
