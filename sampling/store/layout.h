/// The shape of the result file: its version and the fields of its tables, for writer, reader and
/// merge alike. FORMAT.md says what each thing means; a test compares it with a file just written.
#ifndef GMC_SAMPLING_STORE_LAYOUT_H
#define GMC_SAMPLING_STORE_LAYOUT_H

#include "sampling/hdf5/h5.h"
#include "sampling/store/plan.h"

#define GMC_LAYOUT_SCHEMA "graspmc"

/// Rises when a reader of the version before would misread a file; new objects and attributes do
/// not raise it.
enum { GMC_LAYOUT_VERSION = 1 };

/// Fields of /trials before the measures.
enum {
    GMC_LAYOUT_TRIAL,
    GMC_LAYOUT_CASE,
    GMC_LAYOUT_DRAW,
    GMC_LAYOUT_OUTCOME,
    GMC_LAYOUT_SUCCESS,
    GMC_LAYOUT_VALID,
    GMC_LAYOUT_REASON,
    GMC_LAYOUT_PHASE,
    GMC_LAYOUT_T_END,
    GMC_LAYOUT_TRIAL_FIXED
};

extern const gmc_h5_field gmc_layout_trial_fields[GMC_LAYOUT_TRIAL_FIXED];
extern const char *const gmc_layout_trial_units[GMC_LAYOUT_TRIAL_FIXED];

/// Row of /trajectories/index: trial, offset, length, contact_offset, contact_length.
enum { GMC_LAYOUT_INDEX_FIELDS = 5 };
extern const gmc_h5_field gmc_layout_index_fields[GMC_LAYOUT_INDEX_FIELDS];

/// How a measure column is stored.
gmc_h5_kind gmc_layout_column_kind(gmc_column_kind kind);

/// A row under construction: fields are put one after the other.
typedef struct gmc_layout_row {
    unsigned char *bytes; ///< caller's, as long as the row
    size_t used;
} gmc_layout_row;

void gmc_layout_put_u8(gmc_layout_row *row, unsigned value);
void gmc_layout_put_u32(gmc_layout_row *row, uint32_t value);
void gmc_layout_put_u64(gmc_layout_row *row, uint64_t value);
void gmc_layout_put_f64(gmc_layout_row *row, double value);

/// Cut or padded with zeros to `bytes`.
void gmc_layout_put_text(gmc_layout_row *row, const char *text, size_t bytes);

/// A measure in the kind of its column: integers are truncated (INT64_MIN for what is no number),
/// flags are 0 or 1.
void gmc_layout_put_value(gmc_layout_row *row, gmc_column_kind kind, double value);

/// A small table, put together in memory field by field and then written whole.
typedef struct gmc_layout_table {
    gmc_layout_row rows; ///< where the next field is put
    const gmc_h5_field *fields;
    int field_count;
    size_t row_bytes, room; ///< of one row, of all
} gmc_layout_table;

/// @param fields  (field_count) kept by the caller until the table is written
/// @param most    rows there is room for
/// @return GMC_OK, GMC_E_MEMORY (then there is nothing to free)
GMC_MUST_CHECK gmc_status gmc_layout_table_start(const gmc_h5_field *fields, int field_count,
                                                 uint64_t most, gmc_layout_table *table);

/// Write the rows that were put and give the memory back, in every case.
/// @return as gmc_h5_stream_table
GMC_MUST_CHECK gmc_status gmc_layout_table_write(gmc_layout_table *table, gmc_h5 *h5,
                                                 const char *name);

/// Give the memory back, also of a table that was written.
void gmc_layout_table_free(gmc_layout_table *table);

/// Longest of `count` texts, at least 1: the size of a text field.
size_t gmc_layout_text_bytes(const char *const *texts, int count);

#endif
