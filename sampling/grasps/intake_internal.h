/// What the readers of grasp files share. Private to the room: intake.c has the small steps,
/// intake_<format>.c one format each.
#ifndef GMC_SAMPLING_GRASPS_INTAKE_INTERNAL_H
#define GMC_SAMPLING_GRASPS_INTAKE_INTERNAL_H

#include "sampling/grasps/grasps.h"
#include "sampling/language/yaml.h"

/// A text format while it is read.
typedef struct gmc_intake {
    const char *file;
    gmc_yaml_scan *scan;
    gmc_grasps *grasps;
    gmc_diagnostics *report;
    int errors_before;
} gmc_intake;

/// Open the text. @return as gmc_yaml_scan_open
GMC_MUST_CHECK gmc_status gmc_intake_open(const char *file, const unsigned char *bytes, size_t size,
                                          gmc_diagnostics *report, gmc_grasps *grasps,
                                          gmc_intake *r);

/// Close it; what reading came to, once all mistakes are known.
gmc_status gmc_intake_close(gmc_intake *r, gmc_status status);

/// Have enough mistakes been reported? Says so once and then reading ends.
bool gmc_intake_is_full(const gmc_intake *r);

/// Report a mistake at an item. @return GMC_OK: reading goes on
gmc_status gmc_intake_complain(const gmc_intake *r, gmc_source source, const char *hint,
                               const char *what);

/// What a limit of grasps.h was hit by, reported; other statuses as they are.
gmc_status gmc_intake_limit(const gmc_intake *r, gmc_source source, gmc_status status);

/// A finite number in what `item` begins; lists and maps are passed over.
/// @param what     for messages: "position", "transforms"
/// @param is_good  in, out: made false by a mistake (reported)
GMC_MUST_CHECK gmc_status gmc_intake_number(const gmc_intake *r, const gmc_yaml_scan_item *item,
                                            const char *what, double *value, bool *is_good);

/// How much an object is scaled: a finite number > 0.
GMC_MUST_CHECK gmc_status gmc_intake_scale(const gmc_intake *r, const gmc_yaml_scan_item *item,
                                           const char *what, double *scale);

/// How to mend one that is not.
extern const char gmc_intake_scale_hint[];

/// A list as it has to be.
typedef struct gmc_intake_list {
    const char *what; ///< for messages: "position", "transforms[3]"
    int count;        ///< numbers in it
    bool is_nested;   ///< lists in it count as their elements; else they are a mistake
} gmc_intake_list;

/// A list of finite numbers.
/// @param values   out: (list->count) in the file's unit; what it holds counts only while `is_good`
/// @param is_good  in, out: made false by a mistake (reported)
GMC_MUST_CHECK gmc_status gmc_intake_numbers(const gmc_intake *r, const gmc_yaml_scan_item *item,
                                             const gmc_intake_list *list, double *values,
                                             bool *is_good);

/// Expect a list or a map to begin here; reports something else and passes over it.
/// @param is_good  out
GMC_MUST_CHECK gmc_status gmc_intake_expect(const gmc_intake *r, const gmc_yaml_scan_item *item,
                                            gmc_yaml_scan_kind kind, const char *what,
                                            bool *is_good);

/// Does a file's name end so? For what an ending tells of a format.
bool gmc_intake_ends_with(const char *file, const char *ending);

#endif
