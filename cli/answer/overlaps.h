/// Bodies that overlap where a trial starts, in words and as JSON: who, how deep, where.
#ifndef GMC_CLI_ANSWER_OVERLAPS_H
#define GMC_CLI_ANSWER_OVERLAPS_H

#include "cli/process/json.h"
#include "sampling/build/prepare.h"
#include "sampling/campaign/freeing.h"
#include "sampling/campaign/nominal.h"

enum { GMC_OVERLAPS_TEXT_MAX = 320, GMC_OVERLAPS_HOW_MAX = GMC_FREEING_TEXT_MAX + 96 };

/// "finger_3_dist_link is 7.3 mm in table at (12.0, -3.5, -3.6) mm".
const char *gmc_overlaps_text(const gmc_build_overlap *overlap, char text[GMC_OVERLAPS_TEXT_MAX]);

/// One line for each: "  overlap  finger_3_dist_link is 7.3 mm in table at ...".
void gmc_overlaps_print(const gmc_build_overlaps *overlaps, FILE *out);

/// An array `overlaps` of an open object.
void gmc_overlaps_json(const gmc_build_overlaps *overlaps, gmc_json *json);

/// Members of an open object: a, b, depth_m, point_m, normal.
void gmc_overlaps_put(gmc_json *json, const gmc_build_overlap *overlap);

/// Warn of cases whose bodies overlap at nominal values, with the move that parts them.
/// @param file             of the scenario, as given
/// @param is_shallow_told  also of cases that can start: bodies overlap by more than 0.1 mm, less
///                         than a trial refuses
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_overlaps_warn(const char *file, const gmc_prepared *prepared,
                                            const gmc_nominal_starts *starts, bool is_shallow_told,
                                            gmc_diagnostics *messages);

#endif
