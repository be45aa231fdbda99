// A file of grasps, in every format of the table and in the one that it looks like. HDF5 images are
// not taken as they come (what the library does with bytes that break its format is not ours):
// where the first byte is 'h' the input is made into an image that is whole, with anything in it:
//
//   shape byte, type byte, value bytes   of grasps/transforms, of the marks, of object/scale
#include "sampling/grasps/grasps.h"
#include "test/fuzz/fuzz.h"

#include <hdf5.h>

#include <math.h>

enum { IMAGE_BLOCK = 4096, VALUES_MAX = 1024 };

static void judge(const gmc_grasps *g)
{
    FUZZ_REQUIRE(g->count > 0 && g->count <= GMC_GRASPS_MAX);
    for (int i = 0; i < g->count; i++) {
        const gmc_grasp *grasp = &g->list[i];
        const double *q = grasp->rotation;
        double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        FUZZ_REQUIRE(grasp->name && grasp->name[0]);
        FUZZ_REQUIRE(fabs(norm2 - 1) <= 1e-12); // unit length, as the header has it
        for (int k = 0; k < 3; k++)
            FUZZ_REQUIRE(isfinite(grasp->position[k]));
        FUZZ_REQUIRE(grasp->entry >= 0 && grasp->entry + grasp->entry_count <= g->entry_count);
        for (int k = 0; k < grasp->entry_count; k++) {
            const gmc_grasp_entry *entry = &g->entries[grasp->entry + k];
            FUZZ_REQUIRE(isfinite(entry->value));
            FUZZ_REQUIRE(entry->name >= 0 && entry->name < g->name_count);
        }
    }
}

static void try_as(const gmc_grasps_format *format, const unsigned char *bytes, size_t size)
{
    gmc_diagnostics report = {0};
    gmc_grasps grasps = {0};
    gmc_status status = gmc_grasps_format_read(format, "fuzz", bytes, size, &report, &grasps);
    if (status == GMC_OK) judge(&grasps);
    gmc_grasps_free(&grasps);
    fuzz_judge_report(status, &report);
}

/// One dataset: the low bits of `shape` are rows and rank; true if the input went on that far.
static bool put_dataset(hid_t file, const char *name, const uint8_t **data, size_t *size)
{
    if (*size < 2) return false;
    unsigned shape = (*data)[0], kind = (*data)[1];
    *data += 2;
    *size -= 2;
    hid_t text = H5Tcopy(H5T_C_S1);
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE,
                           H5T_STD_U8LE,   H5T_IEEE_F64BE, text};
    hid_t type = types[kind % 6];
    hsize_t sizes[3] = {shape % 8, kind & 64 ? 3 : 4, 4};
    int rank = shape / 8 % 4;
    if (shape & 128) sizes[0] = (hsize_t)1 << 33; // nobody wrote so many
    hid_t space = rank > 0 ? H5Screate_simple(rank, sizes, NULL) : H5Screate(H5S_SCALAR);
    hid_t id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    static unsigned char values[VALUES_MAX * 8];
    size_t bytes = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    if (id >= 0 && bytes <= sizeof values) {
        size_t given = bytes < *size ? bytes : *size;
        memset(values, 0, sizeof values);
        memcpy(values, *data, given);
        *data += given;
        *size -= given;
        (void)H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    if (id >= 0) H5Dclose(id);
    H5Sclose(space);
    H5Tclose(text);
    return true;
}

static void try_image(const uint8_t *data, size_t size)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    FUZZ_REQUIRE(H5Pset_fapl_core(access, IMAGE_BLOCK, 0) >= 0);
    hid_t file = H5Fcreate("/dev/null/fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    FUZZ_REQUIRE(file >= 0);
    for (const char *const *group = (const char *const[]){"grasps", "grasps/qualities",
                                                          "grasps/qualities/flex", "object", NULL};
         *group; group++)
        H5Gclose(H5Gcreate2(file, *group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    bool goes_on = put_dataset(file, "grasps/transforms", &data, &size);
    if (goes_on)
        goes_on = put_dataset(file, "grasps/qualities/flex/object_in_gripper", &data, &size);
    if (goes_on) (void)put_dataset(file, "object/scale", &data, &size);
    FUZZ_REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    ssize_t bytes = H5Fget_file_image(file, NULL, 0);
    FUZZ_REQUIRE(bytes > 0);
    unsigned char *image = malloc((size_t)bytes + 1);
    FUZZ_REQUIRE(image && H5Fget_file_image(file, image, (size_t)bytes) == bytes);
    image[bytes] = 0;
    H5Fclose(file);
    H5Pclose(access);
    try_as(NULL, image, (size_t)bytes);
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (size > 0 && data[0] == 'h') {
        try_image(data + 1, size - 1);
        return 0;
    }
    const gmc_grasps_format *hdf5 = gmc_grasps_format_find("acronym");
    FUZZ_REQUIRE(hdf5);
    unsigned char *bytes = fuzz_copy(data, size);
    for (int i = 0; i < gmc_grasps_format_count; i++)
        if (gmc_grasps_formats[i] != hdf5) try_as(gmc_grasps_formats[i], bytes, size);
    if (!hdf5->fits("fuzz", bytes, size)) try_as(NULL, bytes, size);
    free(bytes);
    return 0;
}
