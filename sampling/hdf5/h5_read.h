/// Reading files that somebody else may have written: every shape, type and size is checked before
/// memory is asked for, and what does not fit is a message, not a crash. The file is open in a
/// process of its own (h5_serve.c), because HDF5 breaks on files that break its own format: then
/// that is a message, too. Only hard links are followed, and what is read lies in the file itself,
/// in the types, layouts and filters that h5.c writes.
#ifndef GMC_SAMPLING_HDF5_H5_READ_H
#define GMC_SAMPLING_HDF5_H5_READ_H

#include "engine/base/arena.h"
#include "sampling/hdf5/apart.h"
#include "sampling/hdf5/h5.h"

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

/// Read all of them into memory of their own (at least one byte).
/// @return GMC_OK, GMC_E_INPUT, GMC_E_LIMIT (too many), GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_h5_rows_read_all(gmc_h5_rows *rows, unsigned char **bytes);

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
