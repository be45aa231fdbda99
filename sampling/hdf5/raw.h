/// Stored numbers of an HDF5 file that somebody else may have written, as bytes: the library is
/// asked where they lie and in which form, and unpacking is ours, so that no size in the file is
/// believed. Only hard links are followed; what lies in other files, what is virtual, and filters
/// other than those below are refused.
///
/// All of this runs in a process of its own (apart.h): the library itself may break on the file.
#ifndef GMC_SAMPLING_HDF5_RAW_H
#define GMC_SAMPLING_HDF5_RAW_H

#include "engine/base/status.h"

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GMC_RAW_RANK_MAX = 3,
    GMC_RAW_FILTERS_MAX = 3,     ///< shuffle, deflate, fletcher32, in this order, each or not
    GMC_RAW_CHUNK_MAX = 1 << 28, ///< most bytes of a chunk [B]
};

/// A dataset that is open.
typedef struct gmc_raw {
    hid_t id, type;    ///< type: as the file has it
    size_t type_bytes; ///< > 0
    int rank;          ///< 0 ... GMC_RAW_RANK_MAX
    hsize_t shape[GMC_RAW_RANK_MAX];
    uint64_t bytes; ///< of all elements
    bool is_chunked;
    uint64_t offset; ///< of the first byte in the file; not of chunked ones
    hsize_t chunk[GMC_RAW_RANK_MAX];
    size_t chunk_bytes;
    H5Z_filter_t filters[GMC_RAW_FILTERS_MAX];
    int filter_count;
    unsigned char *packed, *work; ///< a chunk as it is stored; on the way
    size_t packed_capacity;
} gmc_raw;

/// What the calls below answer where there is no memory; compare the pointer.
extern const char gmc_raw_no_memory[];

/// For callers that want the very layout of graspmc's own files: gmc_raw_hint has its mend.
extern const char gmc_raw_other_way[];

/// Open what is at a path, along hard links alone.
/// @param why  out: what is wrong, where the answer is < 0
hid_t gmc_raw_object(hid_t file, const char *path, const char **why);

/// Is something at a path, be it a link that would not be followed? No link is.
bool gmc_raw_has(hid_t file, const char *path);

/// The command that mends what is wrong.
/// @param why   as the calls here answer it
/// @param file  name of the file, for the command
/// @param hint  (room) where it is made
/// @return a text, in `hint` or constant; NULL: nothing is known to help
const char *gmc_raw_hint(const char *why, const char *file, char *hint, size_t room);

/// Open a dataset and look at how it is stored. All of its bytes are there, in this file, or it is
/// refused.
/// @param file_bytes  size of the file
/// @return NULL, or what is wrong; gmc_raw_close in every case
const char *gmc_raw_open(hid_t file, const char *path, uint64_t file_bytes, gmc_raw *raw);
void gmc_raw_close(gmc_raw *raw);

/// One chunk, unpacked.
/// @param start  (rank) first element
/// @param to     (chunk_bytes)
/// @return NULL, or what is wrong
const char *gmc_raw_chunk(gmc_raw *raw, const hsize_t *start, unsigned char *to);

/// Is it a whole number or a floating-point number in a form that can be converted?
bool gmc_raw_is_number(hid_t type);

#endif
