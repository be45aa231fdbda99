#include "sampling/grasps/format.h"

#include "sampling/grasps/intake_internal.h"

#include <math.h>
#include <string.h>

static bool ends_with(const char *file, const char *ending)
{
    size_t length = strlen(file), tail = strlen(ending);
    return length >= tail && strcmp(file + length - tail, ending) == 0;
}

// Is a word within the first few lines?
static bool begins_with_word(const unsigned char *bytes, size_t size, const char *word)
{
    enum { LOOKED_AT = 4096 };
    size_t length = strlen(word), end = size < LOOKED_AT ? size : LOOKED_AT;
    for (size_t i = 0; i + length <= end; i++)
        if (memcmp(bytes + i, word, length) == 0) return true;
    return false;
}

bool gmc_grasps_format_is_hdf5(const unsigned char *bytes, size_t size)
{
    static const char SIGNATURE[] = "\x89HDF\r\n\x1a\n";
    const size_t length = sizeof SIGNATURE - 1;
    for (size_t at = 0; at <= size && size - at >= length; at = at > 0 ? 2 * at : 512)
        if (memcmp(bytes + at, SIGNATURE, length) == 0) return true;
    return false;
}

static bool fits_hdf5(const char *file, const unsigned char *bytes, size_t size)
{
    (void)file;
    return gmc_grasps_format_is_hdf5(bytes, size);
}

static bool fits_isaac(const char *file, const unsigned char *bytes, size_t size)
{
    return begins_with_word(bytes, size, "isaac_grasp") || ends_with(file, ".yaml") ||
           ends_with(file, ".yml");
}

static bool fits_json(const char *file, const unsigned char *bytes, size_t size)
{
    size_t first = 0;
    while (first < size && strchr(" \t\r\n", bytes[first]) && bytes[first] != 0)
        first++;
    return ends_with(file, ".json") || (first < size && bytes[first] == '{');
}

static bool fits_text(const char *file, const unsigned char *bytes, size_t size)
{
    (void)file, (void)bytes, (void)size;
    return true;
}

const gmc_grasps_format gmc_grasps_formats[] = {
    {"acronym",
     "HDF5 as ACRONYM has it: grasps/transforms (N, 4, 4), of the gripper in the frame of the "
     "scaled mesh; grasps/qualities/flex/object_in_gripper (N) as confidence; object/scale",
     fits_hdf5, gmc_intake_acronym},
    {"isaac_grasp",
     "YAML of Isaac Sim and Isaac ROS, version 1.0: a pose for each name, of gripper_frame in "
     "object_frame (or gripper_frame_link, object_frame_link), confidence, joint positions",
     fits_isaac, gmc_intake_isaac},
    {"graspgen",
     "JSON of GraspGen: grasps.transforms, 4 x 4 each; grasps.object_in_gripper as confidence; "
     "object.scale",
     fits_json, gmc_intake_graspgen},
    {"csv",
     "one grasp a row; columns are paths of parameters, `hand.target.x` or `hand.target.x [mm]`, "
     "`confidence` and `name`, a text",
     fits_text, gmc_intake_csv},
};

const int gmc_grasps_format_count = GMC_COUNT(gmc_grasps_formats);

const gmc_grasps_format *gmc_grasps_format_find(const char *name)
{
    for (int i = 0; i < gmc_grasps_format_count; i++)
        if (strcmp(gmc_grasps_formats[i].name, name) == 0) return &gmc_grasps_formats[i];
    return NULL;
}

gmc_status gmc_grasps_format_read(const gmc_grasps_format *format, const char *file,
                                  const unsigned char *bytes, size_t size, gmc_diagnostics *report,
                                  gmc_grasps *grasps)
{
    *grasps = (gmc_grasps){0};
    for (int i = 0; !format; i++)
        if (gmc_grasps_formats[i].fits(file, bytes, size)) format = &gmc_grasps_formats[i];
    grasps->format = format->name;
    grasps->object_scale = NAN;
    GMC_TRY(format->read(file, bytes, size, report, grasps));
    return gmc_grasps_check(grasps, file, report);
}
