#include "sampling/store/layout.h"

#include "engine/base/check.h"
#include "sampling/hdf5/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member_, type_, kind_, place_, name_, ...) {name_, GMC_H5_##kind_, 0},
#define DERIVED(kind_, name_, ...)                       {name_, GMC_H5_U8, 0},
const gmc_h5_field gmc_layout_trial_fields[] = {GMC_TRIAL_FIELDS(FIELD, DERIVED)};
#undef FIELD
#undef DERIVED

const gmc_h5_field gmc_layout_index_fields[GMC_LAYOUT_INDEX_FIELDS] = {
    {"trial", GMC_H5_U64, 0},          {"offset", GMC_H5_U64, 0},         {"length", GMC_H5_U64, 0},
    {"contact_offset", GMC_H5_U64, 0}, {"contact_length", GMC_H5_U64, 0},
};

gmc_h5_kind gmc_layout_array_kind(gmc_trajectory_kind kind)
{
    switch (kind) {
    case GMC_TRAJECTORY_REAL:
        return GMC_H5_F64;
    case GMC_TRAJECTORY_OFFSET:
        return GMC_H5_U64; // into the contacts of all trials
    case GMC_TRAJECTORY_GEOM:
        return GMC_H5_I32; // into the geoms of all models
    }
    return GMC_H5_F64;
}

uint64_t gmc_layout_array_columns(const gmc_trajectory_array *array, uint64_t joint_count)
{
    if (gmc_trajectory_is_of_joints(array)) return joint_count;
    return array->columns ? (uint64_t)array->width : GMC_H5_VECTOR;
}

bool gmc_layout_array_name(const gmc_trajectory_array *array, const char *body,
                           char name[GMC_LAYOUT_NAME_BYTES])
{
    static const char *const FOLDERS[GMC_TRAJECTORY_PER_COUNT] = {
        [GMC_TRAJECTORY_ROW] = "/trajectories",
        [GMC_TRAJECTORY_ROW_BODY] = "/trajectories/bodies",
        [GMC_TRAJECTORY_BODY] = "/trajectories/bodies",
        [GMC_TRAJECTORY_ROW_JOINT] = "/trajectories/joints",
        [GMC_TRAJECTORY_ROW_ACTION] = "/trajectories/joints",
        [GMC_TRAJECTORY_ROW_PUSH] = "/trajectories/bodies",
        [GMC_TRAJECTORY_ROW_START] = "/trajectories/contacts",
        [GMC_TRAJECTORY_CONTACT] = "/trajectories/contacts",
    };
    const char *folder = FOLDERS[array->per];
    char of_body[GMC_LAYOUT_NAME_BYTES];
    if (body && !gmc_h5_link(folder, body, of_body, sizeof of_body)) return false;
    int bytes =
        snprintf(name, GMC_LAYOUT_NAME_BYTES, "%s/%s", body ? of_body : folder, array->name);
    return bytes > 0 && bytes < GMC_LAYOUT_NAME_BYTES;
}

void gmc_layout_put_u8(gmc_layout_row *row, unsigned value)
{
    row->bytes[row->used++] = (unsigned char)value;
}

void gmc_layout_put_u32(gmc_layout_row *row, uint32_t value)
{
    gmc_bytes_put_u32(row->bytes + row->used, value);
    row->used += 4;
}

void gmc_layout_put_u64(gmc_layout_row *row, uint64_t value)
{
    gmc_bytes_put_u64(row->bytes + row->used, value);
    row->used += 8;
}

void gmc_layout_put_f64(gmc_layout_row *row, double value)
{
    gmc_bytes_put_f64(row->bytes + row->used, value);
    row->used += 8;
}

void gmc_layout_put_text(gmc_layout_row *row, const char *text, size_t bytes)
{
    size_t length = strlen(text) < bytes ? strlen(text) : bytes;
    memcpy(row->bytes + row->used, text, length);
    memset(row->bytes + row->used + length, 0, bytes - length);
    row->used += bytes;
}

gmc_status gmc_layout_table_start(const gmc_h5_field *fields, int field_count, uint64_t most,
                                  gmc_layout_table *table)
{
    *table = (gmc_layout_table){.fields = fields, .field_count = field_count};
    for (int i = 0; i < field_count; i++)
        table->row_bytes += gmc_h5_type_bytes(&fields[i]);
    table->room = (size_t)most * table->row_bytes;
    table->rows.bytes = malloc(table->room > 0 ? table->room : 1);
    return table->rows.bytes ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_layout_table_write(gmc_layout_table *table, gmc_h5 *h5, const char *name)
{
    GMC_ASSERT(table->rows.used <= table->room && table->rows.used % table->row_bytes == 0);
    gmc_status status =
        gmc_h5_stream_table(h5, name, table->fields, table->field_count,
                            (uint64_t)(table->rows.used / table->row_bytes), table->rows.bytes);
    gmc_layout_table_free(table);
    return status;
}

void gmc_layout_table_free(gmc_layout_table *table)
{
    free(table->rows.bytes);
    table->rows = (gmc_layout_row){0};
}
