/// An MJCF from bytes, read and built into a model; whatever mesh it names is a small one, and the
/// files that it may include are two.
#ifndef GMC_TEST_FUZZ_MJCF_ONCE_H
#define GMC_TEST_FUZZ_MJCF_ONCE_H

#include "engine/model/mjcf.h"
#include "test/fuzz/fuzz.h"
#include "test/support/reader_samples.h"

static inline gmc_status mjcf_once_load(void *context, const char *path, gmc_file *file)
{
    static const char joint[] =
        "<mujocoinclude><joint name='included' axis='1 0 0'/></mujocoinclude>";
    static const char tail[] = "<mujoco><default><joint damping='1'/></default></mujoco>";
    const gmc_file *given = context;
    const char *end = strrchr(path, '.');
    const void *bytes = sample_obj;
    size_t size = sizeof sample_obj - 1;
    if (strcmp(path, "r.xml") == 0) {
        bytes = given->bytes;
        size = given->size;
    } else if (strcmp(path, "joint.xml") == 0) {
        bytes = joint;
        size = sizeof joint - 1;
    } else if (strcmp(path, "tail.xml") == 0) {
        bytes = tail;
        size = sizeof tail - 1;
    } else if (!end || strcmp(end, ".obj") != 0) {
        return GMC_E_MISSING;
    }
    return sample_give(bytes, size, file);
}

static inline gmc_status mjcf_once_build(const gmc_urdf *urdf, gmc_diagnostics *report,
                                         gmc_arena *arena)
{
    gmc_urdf_placing placing = {.base = {.name = "base",
                                         .type = GMC_JOINT_FREE,
                                         .is_driven = true,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .surface = sample_surface};
    gmc_builder *builder = gmc_builder_create(report);
    gmc_model model;
    if (!builder) return GMC_E_MEMORY;
    gmc_status status = gmc_urdf_build(urdf, &placing, builder);
    if (status == GMC_OK) status = gmc_builder_finish(builder, arena, &model);
    gmc_builder_free(builder);
    return status;
}

/// Aborts where something is not as promised.
static inline void mjcf_once(const uint8_t *data, size_t size)
{
    gmc_file file = {fuzz_copy(data, size), size};
    gmc_file_source files = {&file, mjcf_once_load};
    gmc_diagnostics report = {0};
    gmc_urdf urdf = {0};
    gmc_urdf_options options = gmc_urdf_defaults();
    static gmc_arena arena; // one for all: to make a large one takes longer than to read the file
    if (!arena.memory) FUZZ_REQUIRE(gmc_arena_create(&arena, (size_t)16 << 20) == GMC_OK);
    gmc_arena_reset(&arena, 0);
    options.files = &files;
    gmc_status status = gmc_mjcf_open("r.xml", &options, &report, &urdf);
    if (status == GMC_OK) {
        FUZZ_REQUIRE(urdf.link_count > 1 && urdf.joint_count == urdf.link_count - 1);
        for (int i = 0; i < urdf.joint_count; i++) {
            FUZZ_REQUIRE(gmc_urdf_find_joint(&urdf, urdf.joints[i].name) == i); // no name twice
            FUZZ_REQUIRE(urdf.joints[i].parent < urdf.joints[i].child);
        }
        for (int i = 0; i < urdf.link_count; i++)
            FUZZ_REQUIRE(gmc_urdf_find_link(&urdf, urdf.links[i].name) == i);
        status = mjcf_once_build(&urdf, &report, &arena);
    }
    gmc_urdf_close(&urdf);
    // qhull may give up on the mesh, and says so
    if (status == GMC_E_LIBRARY) status = GMC_E_INPUT;
    fuzz_judge_report(status, &report);
    free(file.bytes);
}

#endif
