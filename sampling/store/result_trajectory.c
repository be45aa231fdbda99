// One trajectory out of the common datasets: a slice of each.
#include "sampling/hdf5/bytes.h"
#include "sampling/store/result_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_BYTES = 8 * GMC_LAYOUT_INDEX_FIELDS, NAME_BYTES = 1024 };

/// A table of two texts per row into two lists.
static gmc_status read_names(gmc_result *r, const char *name, const char *second, int *count,
                             const char *const **names, const char *const **texts)
{
    gmc_h5_field fields[] = {{"name", GMC_H5_TEXT, 0}, {second, GMC_H5_TEXT, 0}};
    gmc_h5_rows rows;
    unsigned char *bytes = NULL;
    gmc_status status = gmc_h5_rows_open_table(&r->file, name, fields, 2, &rows);
    if (status == GMC_OK && rows.rows > 1 << 20)
        status = gmc_h5_read_refuse(&r->file, name, "has too many rows");
    if (status == GMC_OK) status = gmc_h5_rows_read_all(&rows, &bytes);
    size_t n = (size_t)rows.rows;
    gmc_h5_rows_close(&rows);
    GMC_TRY(status);
    if (!gmc_result_info_own(r, bytes)) return GMC_E_MEMORY;
    const char **first = gmc_result_info_take(r, n, sizeof(char *));
    const char **other = gmc_result_info_take(r, n, sizeof(char *));
    if (!first || !other) return GMC_E_MEMORY;
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) {
        char *a = gmc_result_info_take(r, fields[0].text_bytes + 1, 1);
        char *b = gmc_result_info_take(r, fields[1].text_bytes + 1, 1);
        if (!a || !b) return GMC_E_MEMORY;
        memcpy(a, at, fields[0].text_bytes);
        memcpy(b, at + fields[0].text_bytes, fields[1].text_bytes);
        at += fields[0].text_bytes + fields[1].text_bytes;
        first[i] = a;
        other[i] = b;
    }
    *count = (int)n;
    *names = first;
    *texts = other;
    return GMC_OK;
}

static gmc_status read_index(gmc_result *r)
{
    gmc_h5_field fields[GMC_LAYOUT_INDEX_FIELDS];
    memcpy(fields, gmc_layout_index_fields, sizeof fields);
    gmc_h5_rows rows;
    gmc_status status = gmc_h5_rows_open_table(&r->file, "/trajectories/index", fields,
                                               GMC_LAYOUT_INDEX_FIELDS, &rows);
    if (status == GMC_OK) status = gmc_h5_rows_read_all(&rows, &r->index);
    r->info.trajectory_count = rows.rows;
    gmc_h5_rows_close(&rows);
    GMC_TRY(status);
    if (!gmc_result_info_own(r, r->index)) return GMC_E_MEMORY;
    for (uint64_t i = 1; i < r->info.trajectory_count; i++)
        if (gmc_bytes_u64(r->index + i * INDEX_BYTES) <=
            gmc_bytes_u64(r->index + (i - 1) * INDEX_BYTES))
            return gmc_h5_read_refuse(&r->file, "/trajectories/index", "does not rise");

    gmc_h5_rows time;
    status =
        gmc_h5_rows_open_array(&r->file, "/trajectories/time", GMC_H5_F64, GMC_H5_VECTOR, &time);
    r->info.row_count = time.rows;
    gmc_h5_rows_close(&time);
    GMC_TRY(status);
    gmc_h5_rows points;
    status =
        gmc_h5_rows_open_array(&r->file, "/trajectories/contacts/point", GMC_H5_F64, 3, &points);
    r->info.contact_count = points.rows;
    gmc_h5_rows_close(&points);
    return status;
}

gmc_status gmc_result_trajectory_open(gmc_result *r)
{
    gmc_store_model *m = &r->info.names;
    const char *const *paths; // of the bodies; always what gmc_h5_link makes of the name
    GMC_TRY(read_names(r, "/trajectories/body_names", "path", &m->body_count, &m->bodies, &paths));
    GMC_TRY(read_names(r, "/trajectories/joints/names", "unit", &m->joint_count, &m->joints,
                       &m->joint_units));
    GMC_TRY(read_names(r, "/trajectories/contacts/geom_names", "body", &m->geom_count, &m->geoms,
                       &m->geom_bodies));
    return read_index(r);
}

bool gmc_result_trajectory_find(const gmc_result *r, uint64_t trial, uint64_t *row)
{
    uint64_t low = 0, high = r->info.trajectory_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t there = gmc_bytes_u64(r->index + middle * INDEX_BYTES);
        if (there == trial) {
            *row = middle;
            return true;
        }
        if (there < trial)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/// Where a trajectory lies.
typedef struct slice {
    uint64_t offset, length, contact_offset, contact_length;
} slice;

static slice slice_of(const gmc_result *r, uint64_t row)
{
    const unsigned char *at = r->index + row * INDEX_BYTES;
    return (slice){gmc_bytes_u64(at + 8), gmc_bytes_u64(at + 16), gmc_bytes_u64(at + 24),
                   gmc_bytes_u64(at + 32)};
}

gmc_status gmc_result_trajectory_size(gmc_result *r, uint64_t row, gmc_trial_size *size)
{
    slice s = slice_of(r, row);
    const gmc_store_model *m = &r->info.names;
    uint64_t row_bytes = 8 * (1 + 13 * (uint64_t)m->body_count + 2 * (uint64_t)m->joint_count);
    if (s.offset > r->info.row_count || s.length > r->info.row_count - s.offset ||
        s.length > GMC_H5_READ_MAX / row_bytes || s.length >= INT32_MAX ||
        s.contact_offset > r->info.contact_count ||
        s.contact_length > r->info.contact_count - s.contact_offset ||
        s.contact_length > GMC_H5_READ_MAX / 104 || s.contact_length > INT32_MAX)
        return gmc_h5_read_refuse(&r->file, "/trajectories/index", "points beyond the data");
    size->has_trajectory = true;
    size->row_count = (int)s.length;
    size->body_count = m->body_count;
    size->joint_count = m->joint_count;
    size->contact_count = (int)s.contact_length;
    return GMC_OK;
}

/// Rows of an array of numbers into doubles that lie `stride` apart row by row.
static gmc_status read_doubles(gmc_result *r, const char *name, uint64_t columns, uint64_t first,
                               uint64_t count, double *to, uint64_t stride)
{
    if (count == 0) return GMC_OK;
    gmc_h5_rows rows;
    uint64_t width = columns == GMC_H5_VECTOR ? 1 : columns;
    unsigned char *bytes = malloc((size_t)(count * width * 8) + 1);
    gmc_status status = gmc_h5_rows_open_array(&r->file, name, GMC_H5_F64, columns, &rows);
    if (!bytes) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&rows, first, count, bytes);
    gmc_h5_rows_close(&rows);
    for (uint64_t i = 0; i < count && status == GMC_OK; i++)
        for (uint64_t k = 0; k < width; k++)
            to[i * stride + k] = gmc_bytes_f64(bytes + 8 * (i * width + k));
    free(bytes);
    return status;
}

static gmc_status read_bodies(gmc_result *r, uint64_t row, const slice *s, gmc_trajectory *path)
{
    uint64_t bodies = (uint64_t)path->body_count;
    for (uint64_t i = 0; i < bodies; i++) {
        char folder[NAME_BYTES], name[NAME_BYTES + 16];
        const char *body = r->info.names.bodies[i];
        if (!gmc_h5_link("/trajectories/bodies", body, folder, sizeof folder))
            return gmc_h5_read_refuse(&r->file, "/trajectories/body_names", "has too long a name");
        if (s->length > 0) { // else there is no memory to point into
            snprintf(name, sizeof name, "%s/pose", folder);
            GMC_TRY(read_doubles(r, name, 7, s->offset, s->length, path->pose + 7 * i, 7 * bodies));
            snprintf(name, sizeof name, "%s/twist", folder);
            GMC_TRY(
                read_doubles(r, name, 6, s->offset, s->length, path->twist + 6 * i, 6 * bodies));
        }
        snprintf(name, sizeof name, "%s/inertia", folder);
        GMC_TRY(read_doubles(r, name, 10, row, 1, path->inertia + 10 * i, 10 * bodies));
    }
    return GMC_OK;
}

/// Offsets of the contacts of each row, from those of the whole file.
static gmc_status read_starts(gmc_result *r, const slice *s, gmc_trajectory *path)
{
    static const char name[] = "/trajectories/contacts/start";
    if (s->length == 0) return GMC_OK;
    gmc_h5_rows rows;
    unsigned char *bytes = malloc((size_t)(s->length + 1) * 8);
    gmc_status status = gmc_h5_rows_open_array(&r->file, name, GMC_H5_U64, GMC_H5_VECTOR, &rows);
    if (!bytes) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&rows, s->offset, s->length + 1, bytes);
    gmc_h5_rows_close(&rows);
    uint64_t before = s->contact_offset;
    for (uint64_t i = 0; i <= s->length && status == GMC_OK; i++) {
        uint64_t start = gmc_bytes_u64(bytes + 8 * i);
        bool is_good = start >= before && start - s->contact_offset <= s->contact_length &&
                       (i > 0 || start == s->contact_offset);
        if (!is_good) status = gmc_h5_read_refuse(&r->file, name, "is damaged");
        path->contact_start[i] = (uint32_t)(start - s->contact_offset);
        before = start;
    }
    free(bytes);
    if (status == GMC_OK && before - s->contact_offset != s->contact_length)
        return gmc_h5_read_refuse(&r->file, name, "is damaged");
    return status;
}

static gmc_status read_geoms(gmc_result *r, const slice *s, gmc_trajectory *path)
{
    gmc_h5_rows rows;
    unsigned char *bytes = malloc((size_t)s->contact_length * 8 + 1);
    gmc_status status =
        gmc_h5_rows_open_array(&r->file, "/trajectories/contacts/geoms", GMC_H5_I32, 2, &rows);
    if (!bytes) status = GMC_E_MEMORY;
    if (status == GMC_OK)
        status = gmc_h5_rows_read(&rows, s->contact_offset, s->contact_length, bytes);
    gmc_h5_rows_close(&rows);
    for (uint64_t i = 0; i < 2 * s->contact_length && status == GMC_OK; i++)
        path->contact_geoms[i] = (int32_t)gmc_bytes_u32(bytes + 4 * i);
    free(bytes);
    return status;
}

gmc_status gmc_result_trajectory_read(gmc_result *r, uint64_t row, gmc_trajectory *path)
{
    slice s = slice_of(r, row);
    uint64_t joints = (uint64_t)path->joint_count;
    GMC_TRY(
        read_doubles(r, "/trajectories/time", GMC_H5_VECTOR, s.offset, s.length, path->time, 1));
    GMC_TRY(read_bodies(r, row, &s, path));
    GMC_TRY(read_doubles(r, "/trajectories/joints/q", joints, s.offset, s.length, path->q, joints));
    GMC_TRY(read_doubles(r, "/trajectories/joints/effort", joints, s.offset, s.length, path->effort,
                         joints));
    GMC_TRY(read_starts(r, &s, path));
    uint64_t first = s.contact_offset, count = s.contact_length;
    GMC_TRY(
        read_doubles(r, "/trajectories/contacts/point", 3, first, count, path->contact_point, 3));
    GMC_TRY(
        read_doubles(r, "/trajectories/contacts/normal", 3, first, count, path->contact_normal, 3));
    GMC_TRY(
        read_doubles(r, "/trajectories/contacts/force", 3, first, count, path->contact_force, 3));
    GMC_TRY(
        read_doubles(r, "/trajectories/contacts/torque", 3, first, count, path->contact_torque, 3));
    return read_geoms(r, &s, path);
}
