/// Formats of grasp files: one row each, from which reading, help and tests are derived. A reader
/// sees bytes, never a file, so that results can embed what they used.
#ifndef GMC_SAMPLING_GRASPS_FORMAT_H
#define GMC_SAMPLING_GRASPS_FORMAT_H

#include "sampling/grasps/grasps.h"

typedef struct gmc_grasps_format {
    const char *name;  ///< as `grasps: {format: ...}` says it
    const char *about; ///< one line, for FORMAT.md
    /// Does it look like this format? Asked in the order of the table; the first that says yes
    /// reads.
    /// @param file  for what its ending tells
    bool (*fits)(const char *file, const unsigned char *bytes, size_t size);
    /// Read all of it; mistakes of the format are reported with their place, up to 50.
    /// @param file    name for messages
    /// @param grasps  in: empty; out: to be freed also after a failure
    /// @return GMC_OK, GMC_E_INPUT (reported), GMC_E_MEMORY
    gmc_status (*read)(const char *file, const unsigned char *bytes, size_t size,
                       gmc_diagnostics *report, gmc_grasps *grasps);
} gmc_grasps_format;

extern const gmc_grasps_format gmc_grasps_formats[];
extern const int gmc_grasps_format_count;

/// Is it HDF5? Its signature stands at the start, or at 512, 1024, 2048, ... bytes behind
/// somebody's own (a user block).
bool gmc_grasps_format_is_hdf5(const unsigned char *bytes, size_t size);

/// Row of a name; NULL: none has it.
const gmc_grasps_format *gmc_grasps_format_find(const char *name);

/// Read a file of grasps in the format given, or in the one that it looks like.
/// @param format  NULL: as it looks
/// @param grasps  out: to be freed also after a failure
/// @return GMC_OK, GMC_E_INPUT (reported: also names that stand twice, and no grasps at all),
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_grasps_format_read(const gmc_grasps_format *format, const char *file,
                                                 const unsigned char *bytes, size_t size,
                                                 gmc_diagnostics *report, gmc_grasps *grasps);

#endif
