/// The only file that calls HDF5 for results. What it writes: files whose bytes depend on nothing
/// but what is put into them, and errors that end the file instead of hiding in it.
///
/// After a first failure the library is not asked for more: a full disk makes H5Dwrite fail, but
/// H5Fclose then returns success on a broken file, or the library crashes when it is closed.
/// What fails therefore points the file's descriptor at /dev/null before anything is closed. For
/// the rare case that even this does not let it close, the library is told not to tidy up when the
/// process ends: it would crash there. (A process that keeps other HDF5 files open must close them
/// itself, as it should anyway.)
#ifndef GMC_SAMPLING_HDF5_H5_H
#define GMC_SAMPLING_HDF5_H5_H

#include "engine/base/arena.h"
#include "engine/base/source.h"
#include "engine/base/status.h"
#include "sampling/hdf5/apart.h"

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gmc_h5 {
    hid_t id; ///< of the file
    int file; ///< descriptor underneath
    const char *path;
    gmc_diagnostics *messages;
    bool is_broken;
    struct gmc_h5_check *checks; ///< what was written, for gmc_h5_verify
    int check_count, check_capacity;
    H5E_auto2_t handler; ///< error printer of the process, put back on closing
    void *handler_data;
} gmc_h5;

/// What a dataset must read back as.
typedef struct gmc_h5_check {
    char *name;
    uint64_t rows;
    size_t row_bytes;
    uint32_t crc; ///< of all rows
} gmc_h5_check;

/// Create a file that is not there yet. Strings are not copied.
/// @return GMC_OK, GMC_E_CREATE, GMC_E_IO (it is there, but could not be written); h5 needs
///         gmc_h5_close only after GMC_OK
GMC_MUST_CHECK gmc_status gmc_h5_create(const char *path, gmc_diagnostics *messages, gmc_h5 *h5);

/// Close. @return GMC_OK, GMC_E_IO (also if anything failed before)
GMC_MUST_CHECK gmc_status gmc_h5_close(gmc_h5 *h5);

/// Open the closed file again, read everything back and compare it with what was put; then forget
/// it. Call it in every case.
/// @param status      what came before: unless GMC_OK nothing is compared, and it is returned
/// @param is_stopped  polled between chunks; may be NULL
/// @return GMC_OK, GMC_E_IO, GMC_E_MEMORY, GMC_E_INTERRUPTED
GMC_MUST_CHECK gmc_status gmc_h5_verify(gmc_h5 *h5, gmc_status status,
                                        bool (*is_stopped)(const void *context),
                                        const void *context);

/// Bytes that the rows of datasets take in a closed file of ours, packed; what is not there: none.
/// @param names  (count) paths of the datasets
/// @return       -1: the file cannot be opened
double gmc_h5_stored_bytes(const char *path, const char *const *names, int count);

/// Give the file up for a reason of our own, already reported: nothing is written any more, closing
/// is safe.
void gmc_h5_abandon(gmc_h5 *h5);

// ---- types ----

/// What one field of a row is.
typedef enum gmc_h5_kind {
    GMC_H5_U8,
    GMC_H5_I32,
    GMC_H5_U32,
    GMC_H5_I64,
    GMC_H5_U64,
    GMC_H5_F64,
    GMC_H5_TEXT,    ///< fixed size, UTF-8, padded with zeros
    GMC_H5_OUTCOME, ///< enumeration over one byte
    GMC_H5_REASON,  ///< enumeration over one byte
} gmc_h5_kind;

/// One field of a compound row; rows are packed, little-endian.
typedef struct gmc_h5_field {
    const char *name;
    gmc_h5_kind kind;
    size_t text_bytes; ///< GMC_H5_TEXT: > 0
} gmc_h5_field;

/// Bytes of a field in a row.
size_t gmc_h5_type_bytes(const gmc_h5_field *field);

// ---- groups and attributes ----

/// Create the group at an absolute path, with those above it.
GMC_MUST_CHECK gmc_status gmc_h5_group(gmc_h5 *h5, const char *name);

/// Attributes of the object at an absolute path.
GMC_MUST_CHECK gmc_status gmc_h5_text(gmc_h5 *h5, const char *object, const char *name,
                                      const char *text);
GMC_MUST_CHECK gmc_status gmc_h5_texts(gmc_h5 *h5, const char *object, const char *name,
                                       const char *const *texts, int count);
GMC_MUST_CHECK gmc_status gmc_h5_u64(gmc_h5 *h5, const char *object, const char *name,
                                     uint64_t value);
GMC_MUST_CHECK gmc_status gmc_h5_f64(gmc_h5 *h5, const char *object, const char *name,
                                     double value);

/// `name` as one or more links of a path: slashes nest, components that HDF5 would not take
/// ("", ".", "..") are written with % in front.
/// @return false if it does not fit
bool gmc_h5_link(const char *folder, const char *name, char *path, size_t bytes);

// ---- datasets, row by row ----

/// In place of a number of columns: one dimension.
#define GMC_H5_VECTOR UINT64_MAX

/// A dataset that is filled from its first row to its last. Holds one chunk in memory.
typedef struct gmc_h5_stream {
    gmc_h5 *h5;
    char *name;
    hid_t dataset, type;
    uint64_t rows, next; ///< in all; written or buffered so far
    int rank;            ///< 0, 1 or 2 dimensions
    uint64_t columns;    ///< of two
    size_t row_bytes;
    unsigned char *buffer;
    uint64_t buffered, chunk_rows;
    uint32_t crc;
} gmc_h5_stream;

/// What a dataset is like.
typedef struct gmc_h5_shape {
    const gmc_h5_field *fields; ///< of a row
    int field_count;            ///< 0: the one field is the element itself
    uint64_t rows;
    uint64_t columns; ///< GMC_H5_VECTOR: shape (rows); else (rows, columns), columns >= 0
} gmc_h5_shape;

/// Create a dataset, with those groups above it that are missing. Compressed if it is larger than a
/// few KiB.
/// @return GMC_OK, GMC_E_IO, GMC_E_MEMORY; the stream needs gmc_h5_stream_close in every case
GMC_MUST_CHECK gmc_status gmc_h5_stream_open(gmc_h5 *h5, const char *name,
                                             const gmc_h5_shape *shape, gmc_h5_stream *stream);

/// Append rows, as the bytes of the file.
GMC_MUST_CHECK gmc_status gmc_h5_stream_put(gmc_h5_stream *stream, const void *rows,
                                            uint64_t count);

/// Append `row_count` rows of doubles.
GMC_MUST_CHECK gmc_status gmc_h5_stream_doubles(gmc_h5_stream *stream, const double *values,
                                                uint64_t row_count);

/// Write what is buffered and close. Accepts a zeroed stream.
/// @return GMC_OK, GMC_E_IO (also if rows are missing), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_h5_stream_close(gmc_h5_stream *stream);

/// A whole table at once.
GMC_MUST_CHECK gmc_status gmc_h5_stream_table(gmc_h5 *h5, const char *name,
                                              const gmc_h5_field *fields, int field_count,
                                              uint64_t rows, const void *bytes);

/// A scalar text.
GMC_MUST_CHECK gmc_status gmc_h5_stream_scalar_text(gmc_h5 *h5, const char *name, const char *text);

// ---- reading ----

// Files that somebody else may have written: every shape, type and size is checked before memory is
// asked for, and what does not fit is a message, not a crash. The file is open in a process of its
// own, because HDF5 breaks on files that break its own format: then that is a message, too. Only
// hard links are followed, and what is read lies in the file itself, in the types, layouts and
// filters that are written here.

/// Most bytes that one text, table or array may take in memory.
#define GMC_H5_READ_MAX ((uint64_t)1 << 32)

enum { GMC_H5_READ_KEPT = 64 };

/// An array that stays open until the file is closed, one of the first that were asked for: trials
/// are read one by one, and each asks for the same arrays.
typedef struct gmc_h5_kept {
    char *name;
    gmc_h5_kind kind;
    uint64_t asked; ///< columns, or GMC_H5_VECTOR
    uint64_t handle, rows, columns;
    size_t row_bytes;
} gmc_h5_kept;

/// A file that is open for reading.
typedef struct gmc_h5_read {
    const char *path; ///< kept by the caller
    gmc_diagnostics *messages;
    gmc_apart apart; ///< has the file open
    uint64_t bytes;  ///< of the file
    bool is_open;
    gmc_h5_kept kept[GMC_H5_READ_KEPT];
    int kept_count;
} gmc_h5_read;

/// @return GMC_OK, GMC_E_MISSING (no such file), GMC_E_INPUT (not HDF5), GMC_E_IO, GMC_E_LIBRARY
///         (no process to be had), reported
GMC_MUST_CHECK gmc_status gmc_h5_read_open(const char *path, gmc_diagnostics *messages,
                                           gmc_h5_read *file);
void gmc_h5_read_close(gmc_h5_read *file);

/// Report that the file is not what it should be. @return GMC_E_INPUT. Where a call below reports
/// that, it may be GMC_E_IO instead: the disk is to blame.
gmc_status gmc_h5_read_refuse(gmc_h5_read *file, const char *object, const char *what);

/// Attributes. Missing ones are reported, but for those with `fallback`.
/// @param text  out: malloc'ed, zero-terminated
GMC_MUST_CHECK gmc_status gmc_h5_read_text(gmc_h5_read *file, const char *object, const char *name,
                                           const char *fallback, char **text);
GMC_MUST_CHECK gmc_status gmc_h5_read_u64(gmc_h5_read *file, const char *object, const char *name,
                                          uint64_t *value);
GMC_MUST_CHECK gmc_status gmc_h5_read_f64(gmc_h5_read *file, const char *object, const char *name,
                                          double *value);

/// Is there such an attribute?
GMC_MUST_CHECK gmc_status gmc_h5_read_has(gmc_h5_read *file, const char *object, const char *name,
                                          bool *is_there);

/// A list of texts, as `count` pieces of `piece` bytes, not zero-terminated if full.
GMC_MUST_CHECK gmc_status gmc_h5_read_texts(gmc_h5_read *file, const char *object, const char *name,
                                            char **block, size_t *piece, int *count);

/// Scalar text dataset. @param text  out: malloc'ed, zero-terminated
GMC_MUST_CHECK gmc_status gmc_h5_read_scalar_text(gmc_h5_read *file, const char *object,
                                                  char **text);

/// Rows of a dataset, opened once and read in parts as the bytes the writer put.
typedef struct gmc_h5_rows {
    gmc_h5_read *file; ///< NULL: not open
    char name[1024];
    uint64_t handle;
    uint64_t rows, columns; ///< columns: 1 for one dimension
    size_t row_bytes;
    bool is_kept; ///< closing it is for later
} gmc_h5_rows;

/// Open a table. The fields must be there with just these kinds; more may be there. Rows in memory
/// hold the fields packed in this order.
/// @param fields  text_bytes of texts are set to what the file has
/// @return GMC_OK, GMC_E_INPUT (reported); gmc_h5_rows_close in every case
GMC_MUST_CHECK gmc_status gmc_h5_rows_open_table(gmc_h5_read *file, const char *name,
                                                 gmc_h5_field *fields, int field_count,
                                                 gmc_h5_rows *rows);

/// Open an array of numbers.
/// @param columns  GMC_H5_VECTOR: one dimension; else two with so many columns
GMC_MUST_CHECK gmc_status gmc_h5_rows_open_array(gmc_h5_read *file, const char *name,
                                                 gmc_h5_kind kind, uint64_t columns,
                                                 gmc_h5_rows *rows);

/// Read rows [first, first + count) into `bytes` (count * row_bytes).
/// @return GMC_OK, GMC_E_INPUT (fewer rows than that; unreadable), reported
GMC_MUST_CHECK gmc_status gmc_h5_rows_read(gmc_h5_rows *rows, uint64_t first, uint64_t count,
                                           void *bytes);

void gmc_h5_rows_close(gmc_h5_rows *rows);

/// Names and kinds of the fields of a table from field `from` on.
/// @param fields  out: malloc'ed; names are malloc'ed each
/// @return GMC_OK, GMC_E_INPUT (a kind we never write), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_h5_read_fields(gmc_h5_read *file, const char *name, int from,
                                             gmc_h5_field **fields, int *count);

/// Does a table have a field?
/// @return GMC_OK, GMC_E_INPUT (no such table, reported)
GMC_MUST_CHECK gmc_status gmc_h5_read_has_field(gmc_h5_read *file, const char *name,
                                                const char *field, bool *is_there);

#endif
