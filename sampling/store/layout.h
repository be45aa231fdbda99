/// The shape of the result file: its version and the fields of its tables, for writer, reader and
/// merge alike. FORMAT.md says what each thing means; a test compares it with a file just written.
#ifndef GMC_SAMPLING_STORE_LAYOUT_H
#define GMC_SAMPLING_STORE_LAYOUT_H

#include "sampling/campaign/trial.h"
#include "sampling/hdf5/h5.h"

#define GMC_LAYOUT_SCHEMA "graspmc"

/// Rises when a reader of the version before would misread a file; new objects and attributes do
/// not raise it.
enum { GMC_LAYOUT_VERSION = 1 };

/// Fields of /trials before the measures, which are those of a trial.
extern const gmc_h5_field gmc_layout_trial_fields[GMC_TRIAL_FIELD_COUNT];

/// Row of /trajectories/index: trial, offset, length, contact_offset, contact_length.
enum { GMC_LAYOUT_INDEX_FIELDS = 5 };
extern const gmc_h5_field gmc_layout_index_fields[GMC_LAYOUT_INDEX_FIELDS];

/// Longest path of a dataset.
enum { GMC_LAYOUT_NAME_BYTES = 1024 };

/// How the numbers of an array of trajectories are stored.
gmc_h5_kind gmc_layout_array_kind(gmc_trajectory_kind kind);

/// Columns of its dataset; GMC_H5_VECTOR: one dimension.
uint64_t gmc_layout_array_columns(const gmc_trajectory_array *array, uint64_t joint_count);

/// Path of an array of trajectories.
/// @param body  whose it is, if there is one for each body
/// @return false: it does not fit
bool gmc_layout_array_name(const gmc_trajectory_array *array, const char *body,
                           char name[GMC_LAYOUT_NAME_BYTES]);

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

#endif
