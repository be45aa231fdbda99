// HDF5 as the ACRONYM data set has it, and others after it. The bytes are opened where they lie in
// memory (core driver with an image); shapes, types and sizes are checked before anything is read.
// The only file outside of store that calls HDF5: store writes and reads results, which this is
// not, and stands above everything that reads scenarios.
#include "sampling/grasps/intake_internal.h"

#include <hdf5.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct gmc_acronym {
    hid_t file;
    const char *name;
    gmc_grasps *grasps;
    gmc_diagnostics *report;
    H5E_auto2_t handler; // error printer of the process, put back on closing
    void *handler_data;
} gmc_acronym;

static gmc_status refuse(const gmc_acronym *f, const char *object, const char *hint,
                         const char *what)
{
    gmc_diagnostics_add(f->report, GMC_ERROR, GMC_E_INPUT, (gmc_source){.file = f->name}, hint,
                        "%s%s%s", object, object[0] ? ": " : "", what);
    return GMC_E_INPUT;
}

// Is there an object at the end of a path? Each group on the way is asked, as HDF5 wants it.
static bool is_there(hid_t file, const char *path)
{
    char part[128];
    for (size_t length = 0; path[length];) {
        length += strcspn(path + length + (length > 0), "/") + (length > 0);
        if (length >= sizeof part) return false;
        memcpy(part, path, length);
        part[length] = 0;
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
    }
    return H5Oexists_by_name(file, path, H5P_DEFAULT) > 0;
}

// Numbers of a dataset as doubles. Truth values of h5py are an enum over bytes, and read as such.
static bool read_as_doubles(hid_t dataset, hid_t type, size_t count, double *values)
{
    H5T_class_t class = H5Tget_class(type);
    if (class != H5T_ENUM)
        return H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    signed char *bytes = malloc(count + 1);
    bool is_read = bytes && H5Tget_size(type) == 1 &&
                   H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
    for (size_t i = 0; is_read && i < count; i++)
        values[i] = bytes[i];
    free(bytes);
    return is_read;
}

static bool holds_numbers(hid_t type, size_t *bytes)
{
    H5T_class_t class = H5Tget_class(type);
    *bytes = H5Tget_size(type);
    return class == H5T_FLOAT || class == H5T_INTEGER || class == H5T_ENUM;
}

/// A dataset of doubles.
/// @param rank    dimensions that it must have
/// @param sizes   (rank) in: sizes wanted, 0: any; out: as found
/// @param values  out: malloc'd, NULL unless GMC_OK
static gmc_status read_array(const gmc_acronym *f, const char *path, int rank, hsize_t *sizes,
                             double **values)
{
    *values = NULL;
    hsize_t found[3] = {1, 1, 1};
    hid_t dataset = H5Dopen2(f->file, path, H5P_DEFAULT);
    if (dataset < 0) return refuse(f, path, NULL, "cannot be opened as a dataset");
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    size_t bytes = 0, count = 1;
    bool is_good = type >= 0 && space >= 0 && holds_numbers(type, &bytes) &&
                   H5Sget_simple_extent_type(space) != H5S_NULL &&
                   H5Sget_simple_extent_ndims(space) == rank &&
                   H5Sget_simple_extent_dims(space, found, NULL) >= 0;
    for (int i = 0; is_good && i < rank; i++) {
        is_good = (sizes[i] == 0 || sizes[i] == found[i]) && found[i] <= GMC_GRASPS_MAX;
        sizes[i] = found[i];
        count *= is_good ? (size_t)found[i] : 1;
    }
    gmc_status status = GMC_OK;
    if (!is_good) {
        status = refuse(f, path, NULL, "has another shape or type than ACRONYM's, or is too long");
    } else {
        *values = malloc((count + 1) * sizeof **values);
        if (!*values)
            status = GMC_E_MEMORY;
        else if (!read_as_doubles(dataset, type, count, *values))
            status = refuse(f, path, NULL, "cannot be read");
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    H5Dclose(dataset);
    if (status == GMC_OK) return GMC_OK;
    free(*values);
    *values = NULL;
    return status;
}

static gmc_status take_grasps(const gmc_acronym *f, const double *m, size_t count)
{
    enum { MISTAKES = 50 };
    int errors_before = f->report->error_count;
    for (size_t i = 0; i < count; i++) {
        bool is_finite = true;
        char name[64];
        GMC_TRY(gmc_grasps_begin(f->grasps, NULL, 0, 0));
        for (int k = 0; k < 16; k++)
            is_finite = is_finite && isfinite(m[16 * i + (size_t)k]);
        snprintf(name, sizeof name, "grasps/transforms[%zu]", i);
        if (!is_finite)
            (void)refuse(f, name, "leave the grasp out", "must be finite");
        else
            (void)gmc_grasps_matrix(f->grasps, m + 16 * i, (gmc_source){.file = f->name},
                                    f->report);
        if (f->report->error_count - errors_before < MISTAKES) continue;
        return refuse(f, "", NULL, "more mistakes follow; the first 50 are shown");
    }
    return f->report->error_count > errors_before ? GMC_E_INPUT : GMC_OK;
}

static gmc_status read_marks(const gmc_acronym *f)
{
    const char *path = "grasps/qualities/flex/object_in_gripper";
    if (!is_there(f->file, path)) return GMC_OK;
    hsize_t sizes[1] = {(hsize_t)f->grasps->count};
    double *marks = NULL;
    GMC_TRY(read_array(f, path, 1, sizes, &marks));
    gmc_status status = GMC_OK;
    for (int i = 0; i < f->grasps->count && status == GMC_OK; i++) {
        f->grasps->list[i].confidence = marks[i];
        if (!isfinite(marks[i])) status = refuse(f, path, NULL, "must be finite");
    }
    free(marks);
    return status;
}

static gmc_status read_scale(const gmc_acronym *f)
{
    if (!is_there(f->file, "object/scale")) return GMC_OK;
    double *scale = NULL;
    GMC_TRY(read_array(f, "object/scale", 0, NULL, &scale));
    f->grasps->object_scale = *scale;
    free(scale);
    return GMC_OK;
}

static gmc_status read_file(const gmc_acronym *f)
{
    const char *path = "grasps/transforms";
    if (!is_there(f->file, path))
        return refuse(f, path, "ACRONYM has grasps/transforms (N, 4, 4)", "is not there");
    hsize_t sizes[3] = {0, 4, 4};
    double *m = NULL;
    GMC_TRY(read_array(f, path, 3, sizes, &m));
    gmc_status status = take_grasps(f, m, (size_t)sizes[0]);
    free(m);
    if (status != GMC_OK) return status;
    GMC_TRY(read_marks(f));
    return read_scale(f);
}

gmc_status gmc_intake_acronym(const char *file, const unsigned char *bytes, size_t size,
                              gmc_diagnostics *report, gmc_grasps *grasps)
{
    enum { BLOCK = 1 << 16 };
    gmc_acronym f = {.file = H5I_INVALID_HID, .name = file, .grasps = grasps, .report = report};
    grasps->has_poses = true;
    H5Eget_auto2(H5E_DEFAULT, &f.handler, &f.handler_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    // the library copies the image, takes it through a pointer that is not const, and wants a name
    // that no file can have
    void *image = malloc(size + 1);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (image && list >= 0) {
        memcpy(image, bytes, size);
        if (H5Pset_fapl_core(list, BLOCK, 0) >= 0 && H5Pset_file_image(list, image, size) >= 0)
            f.file = H5Fopen("/dev/null/grasps", H5F_ACC_RDONLY, list);
    }
    gmc_status status = !image       ? GMC_E_MEMORY
                        : f.file < 0 ? refuse(&f, "", NULL, "this is not a whole HDF5 file")
                                     : read_file(&f);
    if (f.file >= 0) H5Fclose(f.file);
    if (list >= 0) H5Pclose(list);
    free(image);
    H5Eset_auto2(H5E_DEFAULT, f.handler, f.handler_data);
    return status;
}
