// HDF5 as the ACRONYM data set has it, and others after it. The bytes are opened where they lie in
// memory (core driver with an image), in a process of its own, because HDF5 breaks on files that
// break its format: numbers come back, or what is wrong. Shapes, types and storage are checked
// before anything is read. The only file outside of store and hdf5 that calls HDF5: store writes
// and reads results, which this is not, and stands above everything that reads scenarios.
#include "sampling/grasps/intake_internal.h"
#include "sampling/hdf5/apart.h"
#include "sampling/hdf5/raw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the process answers first; transforms (count, 4, 4) and marks (count) follow.
typedef struct acronym_answer {
    gmc_status status;
    char object[64], what[120], hint[200]; ///< of GMC_E_INPUT; hint "": none
    size_t count;
    bool has_marks, has_scale;
    double scale;
} acronym_answer;

// ---- in the process of its own ----

typedef struct acronym {
    const char *name;
    const unsigned char *bytes;
    size_t size;
    hid_t file;
    acronym_answer answer;
    double *transforms, *marks;
} acronym;

static gmc_status refuse(acronym *f, const char *object, const char *what)
{
    char room[sizeof f->answer.hint];
    const char *hint = gmc_raw_hint(what, f->name, room, sizeof room);
    snprintf(f->answer.hint, sizeof f->answer.hint, "%s", hint ? hint : "");
    snprintf(f->answer.object, sizeof f->answer.object, "%s", object);
    snprintf(f->answer.what, sizeof f->answer.what, "%s", what);
    return GMC_E_INPUT;
}

/// Elements of the chunk at `start` to their places in the whole.
static void place_chunk(const gmc_raw *r, const hsize_t *start, const unsigned char *chunk,
                        unsigned char *to)
{
    hsize_t size[GMC_RAW_RANK_MAX], at[GMC_RAW_RANK_MAX] = {0};
    int last = r->rank - 1;
    for (int i = 0; i < r->rank; i++) {
        hsize_t left = r->shape[i] - start[i];
        size[i] = left < r->chunk[i] ? left : r->chunk[i];
    }
    for (int i = 0; i >= 0;) { // line by line along the last dimension
        size_t from = 0, there = 0;
        for (int k = 0; k < r->rank; k++) {
            from = from * (size_t)r->chunk[k] + (size_t)at[k];
            there = there * (size_t)r->shape[k] + (size_t)(start[k] + at[k]);
        }
        memcpy(to + there * r->type_bytes, chunk + from * r->type_bytes,
               (size_t)size[last] * r->type_bytes);
        for (i = last - 1; i >= 0 && ++at[i] == size[i]; i--)
            at[i] = 0;
    }
}

static const char *read_chunks(gmc_raw *r, unsigned char *to)
{
    unsigned char *chunk = malloc(r->chunk_bytes);
    const char *why = chunk ? NULL : gmc_raw_no_memory;
    hsize_t start[GMC_RAW_RANK_MAX] = {0};
    for (int i = 0; i >= 0 && !why;) {
        why = gmc_raw_chunk(r, start, chunk);
        if (!why) place_chunk(r, start, chunk, to);
        for (i = r->rank - 1; i >= 0 && (start[i] += r->chunk[i]) >= r->shape[i]; i--)
            start[i] = 0;
    }
    free(chunk);
    return why;
}

/// Truth values of h5py are an enum over bytes.
static bool is_truth(hid_t type)
{
    return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1;
}

/// @param room  for `count` elements of the file and as many doubles; out: the doubles
static const char *read_as_doubles(const acronym *f, gmc_raw *r, size_t count, void *room)
{
    const char *why = NULL;
    if (r->is_chunked)
        why = read_chunks(r, room);
    else
        memcpy(room, f->bytes + r->offset, (size_t)r->bytes);
    if (why) return why;
    if (!is_truth(r->type)) {
        bool is_done = H5Tconvert(r->type, H5T_NATIVE_DOUBLE, count, room, NULL, H5P_DEFAULT) >= 0;
        return is_done ? NULL : "cannot be read";
    }
    const signed char *marks = room;
    double *values = room;
    for (size_t i = count; i-- > 0;) // in place: from the end
        values[i] = marks[i];
    return NULL;
}

/// A dataset of doubles.
/// @param rank    dimensions that it must have
/// @param sizes   (rank) in: sizes wanted, 0: any; out: as found
/// @param values  out: malloc'd, NULL unless GMC_OK
static gmc_status read_array(acronym *f, const char *path, int rank, hsize_t *sizes,
                             double **values)
{
    static const char OTHER[] = "has another shape or type than ACRONYM's, or is too long";
    gmc_raw r;
    size_t count = 1;
    const char *why = gmc_raw_open(f->file, path, f->size, &r);
    if (!why && (r.rank != rank || !(is_truth(r.type) || gmc_raw_is_number(r.type)))) why = OTHER;
    for (int i = 0; i < rank && !why; i++) {
        if ((sizes[i] != 0 && sizes[i] != r.shape[i]) || r.shape[i] > GMC_GRASPS_MAX) why = OTHER;
        sizes[i] = r.shape[i];
        count *= why ? 1 : (size_t)r.shape[i];
    }
    *values = why ? NULL : malloc((count + 1) * sizeof **values); // no type is longer
    if (!why && !*values) why = gmc_raw_no_memory;
    if (!why && count > 0) why = read_as_doubles(f, &r, count, *values);
    gmc_raw_close(&r);
    if (!why) return GMC_OK;
    free(*values);
    *values = NULL;
    return why == gmc_raw_no_memory ? GMC_E_MEMORY : refuse(f, path, why);
}

static gmc_status read_file(acronym *f)
{
    static const char TRANSFORMS[] = "grasps/transforms";
    static const char MARKS[] = "grasps/qualities/flex/object_in_gripper";
    acronym_answer *a = &f->answer;
    hsize_t sizes[3] = {0, 4, 4};
    if (!gmc_raw_has(f->file, TRANSFORMS)) return refuse(f, TRANSFORMS, "is not there");
    GMC_TRY(read_array(f, TRANSFORMS, 3, sizes, &f->transforms));
    a->count = (size_t)sizes[0];
    a->has_marks = gmc_raw_has(f->file, MARKS);
    if (a->has_marks && a->count > 0) GMC_TRY(read_array(f, MARKS, 1, sizes, &f->marks));
    a->has_scale = gmc_raw_has(f->file, "object/scale");
    double *scale = NULL;
    if (a->has_scale) GMC_TRY(read_array(f, "object/scale", 0, NULL, &scale));
    if (scale) a->scale = *scale;
    free(scale);
    return GMC_OK;
}

static gmc_status open_and_read(acronym *f)
{
    enum { BLOCK = 1 << 16 };
    // the library copies the image, takes it through a pointer that is not const, and wants a name
    // that no file can have
    void *image = malloc(f->size + 1);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    if (!image) return GMC_E_MEMORY;
    memcpy(image, f->bytes, f->size);
    if (list >= 0 && H5Pset_fapl_core(list, BLOCK, 0) >= 0 &&
        H5Pset_file_image(list, image, f->size) >= 0)
        f->file = H5Fopen("/dev/null/grasps", H5F_ACC_RDONLY, list);
    free(image);
    return f->file < 0 ? refuse(f, "", "this is not a whole HDF5 file") : read_file(f);
}

static void serve(void *context, int socket)
{
    acronym *f = context;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f->answer.status = open_and_read(f);
    const acronym_answer *a = &f->answer;
    bool is_good = a->status == GMC_OK;
    bool is_put = gmc_apart_put_both(socket, a, sizeof *a, f->transforms,
                                     is_good ? a->count * 16 * sizeof(double) : 0) &&
                  (!f->marks || !is_good ||
                   gmc_apart_put_both(socket, f->marks, a->count * sizeof(double), NULL, 0));
    (void)is_put; // who asked has gone: nothing is left to do
}

// ---- around it ----

typedef struct gmc_acronym {
    const char *name;
    gmc_grasps *grasps;
    gmc_diagnostics *report;
} gmc_acronym;

static gmc_status complain(const gmc_acronym *f, const char *object, const char *hint,
                           const char *what)
{
    gmc_diagnostics_add(f->report, GMC_E_INPUT, (gmc_source){.file = f->name}, hint, "%s%s%s",
                        object, object[0] ? ": " : "", what);
    return GMC_E_INPUT;
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
            (void)complain(f, name, "leave the grasp out", "must be finite");
        else
            (void)gmc_grasps_matrix(f->grasps, m + 16 * i, (gmc_source){.file = f->name},
                                    f->report);
        if (f->report->error_count - errors_before < MISTAKES) continue;
        return complain(f, "", NULL, "more mistakes follow; the first 50 are shown");
    }
    return f->report->error_count > errors_before ? GMC_E_INPUT : GMC_OK;
}

static gmc_status take_marks(const gmc_acronym *f, const double *marks)
{
    gmc_status status = GMC_OK;
    for (int i = 0; i < f->grasps->count && status == GMC_OK; i++) {
        f->grasps->list[i].confidence = marks[i];
        if (!isfinite(marks[i]))
            status = complain(f, "grasps/qualities/flex/object_in_gripper", NULL, "must be finite");
    }
    return status;
}

static gmc_status take_scale(const gmc_acronym *f, double scale)
{
    char what[80];
    f->grasps->object_scale = scale;
    if (isfinite(scale) && scale > 0) return GMC_OK;
    snprintf(what, sizeof what, "must be a finite number > 0, found %g", scale);
    return complain(f, "object/scale", gmc_intake_scale_hint, what);
}

/// The process ended in the middle of it.
static gmc_status complain_broken(const gmc_acronym *f, const gmc_apart *apart)
{
    char what[200];
    snprintf(what, sizeof what, "cannot be read: the HDF5 library breaks on it (%s)", apart->how);
    return complain(f, "", "the file is damaged, or was made to do harm", what);
}

static gmc_status take_numbers(const gmc_acronym *f, gmc_apart *apart, const acronym_answer *a)
{
    size_t per_grasp = a->has_marks ? 17 : 16;
    double *numbers = malloc((a->count * per_grasp + 1) * sizeof *numbers);
    if (!numbers) return GMC_E_MEMORY;
    gmc_status status = GMC_OK;
    if (!gmc_apart_receive(apart, numbers, a->count * per_grasp * sizeof *numbers))
        status = complain_broken(f, apart);
    if (status == GMC_OK) status = take_grasps(f, numbers, a->count);
    if (status == GMC_OK && a->has_marks) status = take_marks(f, numbers + 16 * a->count);
    if (a->has_scale && status != GMC_E_MEMORY && take_scale(f, a->scale) != GMC_OK)
        status = GMC_E_INPUT;
    free(numbers);
    return status;
}

static gmc_status take_answer(const gmc_acronym *f, gmc_apart *apart)
{
    acronym_answer a;
    if (!gmc_apart_receive(apart, &a, sizeof a)) return complain_broken(f, apart);
    a.object[sizeof a.object - 1] = a.what[sizeof a.what - 1] = a.hint[sizeof a.hint - 1] = 0;
    if (a.status == GMC_OK && a.count <= GMC_GRASPS_MAX) return take_numbers(f, apart, &a);
    if (a.status != GMC_E_INPUT) return GMC_E_MEMORY; // it has no other
    bool is_missing = strcmp(a.what, "is not there") == 0;
    return complain(f, a.object,
                    is_missing  ? "ACRONYM has grasps/transforms (N, 4, 4)"
                    : a.hint[0] ? a.hint
                                : NULL,
                    a.what);
}

static bool fits_hdf5(const char *file, const unsigned char *bytes, size_t size)
{
    (void)file;
    return gmc_grasps_format_is_hdf5(bytes, size);
}

static gmc_status read_acronym(const char *file, const unsigned char *bytes, size_t size,
                               gmc_diagnostics *report, gmc_grasps *grasps)
{
    const gmc_acronym f = {.name = file, .grasps = grasps, .report = report};
    acronym inside = {.name = file, .bytes = bytes, .size = size, .file = H5I_INVALID_HID};
    grasps->has_poses = true;
    gmc_apart apart;
    int error = 0;
    if (gmc_apart_start(serve, &inside, &apart, &error) != GMC_OK) {
        char what[200];
        snprintf(what, sizeof what, "there is no process to be had for it: %s", strerror(error));
        (void)complain(&f, "", NULL, what);
        return GMC_E_LIBRARY;
    }
    gmc_status status = take_answer(&f, &apart);
    gmc_apart_stop(&apart);
    return status;
}

const gmc_grasps_format gmc_intake_acronym = {
    .name = "acronym",
    .about =
        "HDF5 as ACRONYM has it: grasps/transforms (N, 4, 4), of the gripper in the frame of the "
        "scaled mesh; grasps/qualities/flex/object_in_gripper (N) as confidence; object/scale",
    .fits = fits_hdf5,
    .read = read_acronym,
};
