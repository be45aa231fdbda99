/// Grasp candidates of one file, whatever its format: for each a pose of the gripper's frame in the
/// object's, or numbers by parameter path; joint positions of the hand; how sure its maker was.
/// Made by the readers of its format; what of it a scenario takes is in scenario.h.
#ifndef GMC_SAMPLING_GRASPS_GRASPS_H
#define GMC_SAMPLING_GRASPS_GRASPS_H

#include "engine/base/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    GMC_GRASPS_MAX = 1000000,    ///< grasps of one file
    GMC_GRASPS_NAMES_MAX = 1000, ///< joints and columns of one file
    GMC_GRASPS_TEXT_MAX = 1000   ///< bytes of a name
};

/// What a number of a grasp is, besides its pose.
typedef enum gmc_grasp_entry_kind {
    GMC_GRASP_CLOSED, ///< position of a joint in the grasp (cspace_position)
    GMC_GRASP_OPEN,   ///< position of a joint before it (pregrasp_cspace_position)
    GMC_GRASP_PATH    ///< value of a parameter of the scenario
} gmc_grasp_entry_kind;

typedef struct gmc_grasp_entry {
    int name; ///< index into gmc_grasps.names
    gmc_grasp_entry_kind kind;
    int line, column; ///< where the number stands; 0: the format has no lines
    double value;     ///< joints: m or rad; paths: as written, in the unit of the column
} gmc_grasp_entry;

/// Name of a joint or a column, and where it stands first.
typedef struct gmc_grasp_name {
    const char *text;
    int line, column;
} gmc_grasp_name;

typedef struct gmc_grasp {
    const char *name;       ///< unique in the file; "grasp_12" where the file gives none
    int line, column;       ///< 0: the format has no lines
    double position[3];     ///< of the gripper's frame in the object's [m]; without poses zeros
    double rotation[4];     ///< w, x, y, z, unit length
    double confidence;      ///< NaN: the file does not say
    int entry, entry_count; ///< its part of gmc_grasps.entries
} gmc_grasp;

/// Zero-initialised means empty. Owns its memory.
typedef struct gmc_grasps {
    const char *format;       ///< name of a row of gmc_grasps_formats
    const char *object_frame; ///< what the file calls the two; NULL: nothing
    const char *gripper_frame;
    const char *object_key;  ///< the key under which it does, of the file's dialect, such as
    const char *gripper_key; ///< "gripper_frame_link"; NULL: nothing. Static
    double object_scale;     ///< of the mesh, as the file says; NaN: nothing
    bool has_poses;          ///< false: entries of kind GMC_GRASP_PATH
    gmc_grasp *list;
    int count, capacity;
    gmc_grasp_entry *entries;
    int entry_count, entry_capacity;
    gmc_grasp_name *names;
    int name_count, name_capacity;
    struct gmc_grasps_block *texts; ///< memory of all texts
} gmc_grasps;

void gmc_grasps_free(gmc_grasps *grasps);

/// Copy of a text, which lives as long as `grasps`; NULL without memory.
const char *gmc_grasps_text(gmc_grasps *grasps, const char *text);

/// Begin a grasp at the end of the list: no pose yet (identity), no confidence, no entries.
/// @param name   copied; NULL: "grasp_<its number from 0>"
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT: more than GMC_GRASPS_MAX
GMC_MUST_CHECK gmc_status gmc_grasps_begin(gmc_grasps *grasps, const char *name, int line,
                                           int column);

/// Add a number to the grasp begun last.
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT: more than GMC_GRASPS_NAMES_MAX names
GMC_MUST_CHECK gmc_status gmc_grasps_enter(gmc_grasps *grasps, gmc_grasp_entry_kind kind,
                                           const char *name, double value, int line, int column);

/// Rotation of the grasp begun last from four numbers of length 1 within 1e-3, which files that
/// were written with few digits need: they are made exactly so. Reports what is farther off.
/// @param q  w, x, y, z, finite
/// @return false: not taken
bool gmc_grasps_rotation(gmc_grasps *grasps, const double q[4], gmc_source source,
                         gmc_diagnostics *report);

/// Pose of the grasp begun last from a homogeneous 4 x 4 matrix, row by row. It must be rigid
/// within 1e-3: R^T R = 1 in each element, det R > 0, the last row 0 0 0 1. The nearest rotation is
/// taken. Reports what is not.
/// @param m  finite
bool gmc_grasps_matrix(gmc_grasps *grasps, const double m[16], gmc_source source,
                       gmc_diagnostics *report);

// ---- formats -----------------------------------------------------------------------------------

/// Formats of grasp files: one row each, from which reading, help and tests are derived. A reader
/// sees bytes, never a file, so that results can embed what they used.
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

extern const gmc_grasps_format gmc_intake_acronym, gmc_intake_isaac, gmc_intake_graspgen,
    gmc_intake_csv; ///< intake_<format>.c
extern const gmc_grasps_format *const gmc_grasps_formats[];
extern const int gmc_grasps_format_count;

/// Is it HDF5? Its signature stands at the start, or at 512, 1024, 2048, ... bytes behind
/// somebody's own (a user block).
bool gmc_grasps_format_is_hdf5(const unsigned char *bytes, size_t size);

/// Row of a name; NULL: none has it.
static inline const gmc_grasps_format *gmc_grasps_format_find(const char *name)
{
    for (int i = 0; i < gmc_grasps_format_count; i++)
        if (strcmp(gmc_grasps_formats[i]->name, name) == 0) return gmc_grasps_formats[i];
    return NULL;
}

/// Read a file of grasps in the format given, or in the one that it looks like.
/// @param format  NULL: as it looks
/// @param grasps  out: to be freed also after a failure
/// @return GMC_OK, GMC_E_INPUT (reported: also names that stand twice, and no grasps at all),
///         GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_grasps_format_read(const gmc_grasps_format *format, const char *file,
                                                 const unsigned char *bytes, size_t size,
                                                 gmc_diagnostics *report, gmc_grasps *grasps);

#endif
