// One trajectory out of the common datasets: a slice of each.
#include "sampling/hdf5/bytes.h"
#include "sampling/store/result_internal.h"

#include <stdlib.h>
#include <string.h>

enum { INDEX_BYTES = 8 * GMC_LAYOUT_INDEX_FIELDS };

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
    gmc_trajectory_shape shape = {.body_count = m->body_count, .joint_count = m->joint_count};
    gmc_trajectory_shape row_more = shape;
    row_more.row_count = 1;
    uint64_t row_bytes = gmc_trajectory_bytes(&row_more) - gmc_trajectory_bytes(&shape);
    uint64_t contact_bytes = gmc_trajectory_bytes(&(gmc_trajectory_shape){.contact_count = 1});
    if (s.offset > r->info.row_count || s.length > r->info.row_count - s.offset ||
        s.length > GMC_H5_READ_MAX / row_bytes || s.length >= INT32_MAX ||
        s.contact_offset > r->info.contact_count ||
        s.contact_length > r->info.contact_count - s.contact_offset ||
        s.contact_length > GMC_H5_READ_MAX / contact_bytes || s.contact_length > INT32_MAX)
        return gmc_h5_read_refuse(&r->file, "/trajectories/index", "points beyond the data");
    size->has_trajectory = true;
    size->shape = shape;
    size->shape.row_count = (int)s.length;
    size->shape.contact_count = (int)s.contact_length;
    return GMC_OK;
}

/// A part of an array: where it lies in the file, and where in memory, `stride` numbers from row to
/// row.
typedef struct part {
    const gmc_trajectory_array *array;
    const char *name;
    uint64_t columns; ///< as for gmc_h5_rows_open_array
    uint64_t first, count;
    size_t from, stride;
} part;

/// Offsets of the contacts of each row, from those of the whole file.
static gmc_status take_starts(gmc_result *r, const slice *s, const part *of,
                              const unsigned char *bytes, uint32_t *to)
{
    uint64_t before = s->contact_offset;
    for (uint64_t i = 0; i < of->count; i++) {
        uint64_t start = gmc_bytes_u64(bytes + 8 * i);
        bool is_good = start >= before && start - s->contact_offset <= s->contact_length &&
                       (i > 0 || start == s->contact_offset);
        if (!is_good) return gmc_h5_read_refuse(&r->file, of->name, "is damaged");
        to[i] = (uint32_t)(start - s->contact_offset);
        before = start;
    }
    if (before - s->contact_offset != s->contact_length)
        return gmc_h5_read_refuse(&r->file, of->name, "is damaged");
    return GMC_OK;
}

static gmc_status take_numbers(gmc_result *r, const slice *s, const part *of,
                               const unsigned char *bytes, gmc_trajectory *path)
{
    uint64_t width = of->columns == GMC_H5_VECTOR ? 1 : of->columns;
    void *numbers = gmc_trajectory_numbers(path, of->array);
    if (of->array->kind == GMC_TRAJECTORY_OFFSET) return take_starts(r, s, of, bytes, numbers);
    for (uint64_t i = 0; i < of->count; i++)
        for (uint64_t k = 0; k < width; k++) {
            const size_t from = i * width + k, to = of->from + i * of->stride + k;
            if (of->array->kind == GMC_TRAJECTORY_REAL)
                ((double *)numbers)[to] = gmc_bytes_f64(bytes + 8 * from);
            else
                ((int32_t *)numbers)[to] = (int32_t)gmc_bytes_u32(bytes + 4 * from);
        }
    return GMC_OK;
}

static gmc_status read_part(gmc_result *r, const slice *s, const part *of, gmc_trajectory *path)
{
    if (of->count == 0) return GMC_OK; // there is no memory to point into
    gmc_h5_rows rows;
    gmc_status status = gmc_h5_rows_open_array(
        &r->file, of->name, gmc_layout_array_kind(of->array->kind), of->columns, &rows);
    unsigned char *bytes = status == GMC_OK ? malloc((size_t)of->count * rows.row_bytes + 1) : NULL;
    if (status == GMC_OK && !bytes) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&rows, of->first, of->count, bytes);
    gmc_h5_rows_close(&rows);
    if (status == GMC_OK) status = take_numbers(r, s, of, bytes, path);
    free(bytes);
    return status;
}

/// An array, or what it has of one body.
static gmc_status read_array(gmc_result *r, uint64_t row, const gmc_trajectory_array *array,
                             int body, gmc_trajectory *path)
{
    slice s = slice_of(r, row);
    size_t width = (size_t)array->width, bodies = (size_t)path->body_count;
    char name[GMC_LAYOUT_NAME_BYTES];
    bool is_of_body = gmc_trajectory_is_of_body(array);
    if (!gmc_layout_array_name(array, is_of_body ? r->info.names.bodies[body] : NULL, name))
        return gmc_h5_read_refuse(&r->file, "/trajectories/body_names", "has too long a name");
    part of = {.array = array,
               .name = name,
               .columns = gmc_layout_array_columns(array, (uint64_t)path->joint_count),
               .first = s.offset,
               .count = s.length,
               .stride = width};
    switch (array->per) {
    case GMC_TRAJECTORY_ROW:
        break;
    case GMC_TRAJECTORY_BODY:
        of.first = row;
        of.count = 1;
        of.from = (size_t)body * width;
        break;
    case GMC_TRAJECTORY_ROW_BODY:
        of.from = (size_t)body * width;
        of.stride = bodies * width;
        break;
    case GMC_TRAJECTORY_ROW_JOINT:
        of.stride = (size_t)path->joint_count;
        break;
    case GMC_TRAJECTORY_ROW_START:
        of.count += of.count > 0;
        break;
    case GMC_TRAJECTORY_CONTACT:
    case GMC_TRAJECTORY_PER_COUNT:
        of.first = s.contact_offset;
        of.count = s.contact_length;
        break;
    }
    return read_part(r, &s, &of, path);
}

gmc_status gmc_result_trajectory_read(gmc_result *r, uint64_t row, gmc_trajectory *path)
{
    for (gmc_trajectory_per per = 0; per < GMC_TRAJECTORY_PER_COUNT; per++)
        for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
            const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
            if (array->per != per) continue;
            int count = gmc_trajectory_is_of_body(array) ? path->body_count : 1;
            for (int body = 0; body < count; body++)
                GMC_TRY(read_array(r, row, array, body, path));
        }
    return GMC_OK;
}
