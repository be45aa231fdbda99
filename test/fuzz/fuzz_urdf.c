// A hand: read, built into a model, its names and limits looked at. The one mesh that it may name
// is there.
#include "test/fuzz/fuzz.h"
#include "test/support/reader_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gmc_file file = {fuzz_copy(data, size), size};
    gmc_diagnostics report = {0};
    gmc_urdf urdf = {0};
    static gmc_arena arena; // one for all: to make a large one takes longer than to read the file
    if (!arena.memory) FUZZ_REQUIRE(gmc_arena_create(&arena, (size_t)16 << 20) == GMC_OK);
    gmc_arena_reset(&arena, 0);
    gmc_status status = sample_read_urdf(&file, &report, &arena, &urdf);
    if (status == GMC_OK) {
        FUZZ_REQUIRE(urdf.link_count > 0 && urdf.joint_count < urdf.link_count);
        for (int i = 0; i < urdf.joint_count; i++)
            FUZZ_REQUIRE(gmc_urdf_find_joint(&urdf, urdf.joints[i].name) == i); // no name twice
    }
    gmc_urdf_close(&urdf);
    // qhull may give up on the mesh, and says so
    if (status == GMC_E_LIBRARY) status = GMC_E_INPUT;
    fuzz_judge_report(status, &report);
    free(file.bytes);
    return 0;
}
