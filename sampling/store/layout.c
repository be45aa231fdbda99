#include "sampling/store/layout.h"

#include "engine/base/check.h"
#include "sampling/hdf5/bytes.h"

#include <stdlib.h>
#include <string.h>

const gmc_h5_field gmc_layout_trial_fields[GMC_LAYOUT_TRIAL_FIXED] = {
    [GMC_LAYOUT_TRIAL] = {"trial", GMC_H5_U64, 0},
    [GMC_LAYOUT_CASE] = {"case", GMC_H5_U32, 0},
    [GMC_LAYOUT_DRAW] = {"draw", GMC_H5_U64, 0},
    [GMC_LAYOUT_OUTCOME] = {"outcome", GMC_H5_OUTCOME, 0},
    [GMC_LAYOUT_SUCCESS] = {"success", GMC_H5_U8, 0},
    [GMC_LAYOUT_VALID] = {"valid", GMC_H5_U8, 0},
    [GMC_LAYOUT_REASON] = {"reason", GMC_H5_REASON, 0},
    [GMC_LAYOUT_PHASE] = {"phase", GMC_H5_I32, 0},
    [GMC_LAYOUT_T_END] = {"t_end", GMC_H5_F64, 0},
};

const char *const gmc_layout_trial_units[GMC_LAYOUT_TRIAL_FIXED] = {
    [GMC_LAYOUT_TRIAL] = "1",  [GMC_LAYOUT_CASE] = "1",    [GMC_LAYOUT_DRAW] = "1",
    [GMC_LAYOUT_OUTCOME] = "", [GMC_LAYOUT_SUCCESS] = "1", [GMC_LAYOUT_VALID] = "1",
    [GMC_LAYOUT_REASON] = "",  [GMC_LAYOUT_PHASE] = "1",   [GMC_LAYOUT_T_END] = "s",
};

const gmc_h5_field gmc_layout_index_fields[GMC_LAYOUT_INDEX_FIELDS] = {
    {"trial", GMC_H5_U64, 0},          {"offset", GMC_H5_U64, 0},         {"length", GMC_H5_U64, 0},
    {"contact_offset", GMC_H5_U64, 0}, {"contact_length", GMC_H5_U64, 0},
};

gmc_h5_kind gmc_layout_column_kind(gmc_column_kind kind)
{
    switch (kind) {
    case GMC_COLUMN_REAL:
        return GMC_H5_F64;
    case GMC_COLUMN_INTEGER:
        return GMC_H5_I64;
    case GMC_COLUMN_FLAG:
        return GMC_H5_U8;
    }
    return GMC_H5_F64;
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

void gmc_layout_put_value(gmc_layout_row *row, gmc_column_kind kind, double value)
{
    switch (kind) {
    case GMC_COLUMN_REAL:
        gmc_layout_put_f64(row, value);
        return;
    case GMC_COLUMN_INTEGER: {
        // 2^63 is the first double that does not fit
        bool fits = value >= -9223372036854775808.0 && value < 9223372036854775808.0;
        gmc_layout_put_u64(row, (uint64_t)(fits ? (int64_t)value : INT64_MIN));
        return;
    }
    case GMC_COLUMN_FLAG:
        gmc_layout_put_u8(row, value < 0.0 || value > 0.0 ? 1u : 0u);
        return;
    }
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

size_t gmc_layout_text_bytes(const char *const *texts, int count)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++)
        if (strlen(texts[i]) > bytes) bytes = strlen(texts[i]);
    return bytes;
}
