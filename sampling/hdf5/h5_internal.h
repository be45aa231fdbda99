/// What the process that reads a file (h5_serve.c) has in common with the one that writes it.
#ifndef GMC_SAMPLING_HDF5_H5_INTERNAL_H
#define GMC_SAMPLING_HDF5_H5_INTERNAL_H

#include "sampling/hdf5/h5.h"

/// Longest path of an object inside a file.
enum { GMC_H5_NAME_BYTES = 1024 };

/// How files are opened: our names are locked by the journal, so HDF5's own locks (missing on some
/// cluster file systems) are taken only where HDF5_USE_FILE_LOCKING asks for them, which the
/// library looks at first; closing the file closes what is open in it.
hid_t gmc_h5_access_list(void);

/// After a failed H5Fopen or H5Fcreate, before any other call: if it failed because the file cannot
/// be locked, say so, and how to do without.
/// @return GMC_E_IO if that was it, else GMC_OK and nothing is reported
gmc_status gmc_h5_explain_lock(const gmc_h5 *h5);

/// After a failed call, before any other: errno of the system call that it failed with, 0 if it was
/// something else.
int gmc_h5_errno(void);

/// Keep the library from printing.
void gmc_h5_silence(gmc_h5 *h5);

/// Rows in one chunk, from the shape alone.
uint64_t gmc_h5_stream_chunk_rows(size_t row_bytes, uint64_t rows);

/// Types to be closed by the caller; < 0 on failure.
hid_t gmc_h5_type_text(size_t bytes);
hid_t gmc_h5_type_field(const gmc_h5_field *field);

#endif
