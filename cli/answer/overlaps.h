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

/// Who overlaps at the start of a trial; empty for subset simulation, whose trials follow from
/// those before them.
/// @return as gmc_rollouts_overlaps
GMC_MUST_CHECK gmc_status gmc_overlaps_of_trial(const gmc_prepared *prepared, uint64_t trial,
                                                gmc_build_overlaps *found);

/// The starts of a run's first trials.
typedef struct gmc_overlaps_ahead {
    uint64_t looked_at, of; ///< trials; of all that would run
    bool is_undecided; ///< all of these are deep starts, and so are all cases at nominal values
    uint64_t worst;    ///< the trial whose bodies overlap most, and
    gmc_build_overlaps them; ///< who does
} gmc_overlaps_ahead;

/// Would nothing be decided, as far as the starts tell? Trials are looked at only if no case can
/// start at its nominal values, and never of studies that are to reject such designs.
/// @return as gmc_rollouts_overlaps
GMC_MUST_CHECK gmc_status gmc_overlaps_look_ahead(const gmc_prepared *prepared,
                                                  const gmc_nominal_starts *starts,
                                                  gmc_overlaps_ahead *ahead);

/// One line for each: "  overlap  finger_3_dist_link is 7.3 mm in table at ...".
void gmc_overlaps_print(const gmc_build_overlaps *overlaps, FILE *out);

/// An array `overlaps` of an open object.
void gmc_overlaps_json(const gmc_build_overlaps *overlaps, gmc_json *json);

/// Members of an open object: a, b, depth_m, point_m, normal.
void gmc_overlaps_put(gmc_json *json, const gmc_build_overlap *overlap);

/// `move` of an open object: path and by_m (by_rad) of every number that changes; null: none is
/// known.
void gmc_overlaps_put_move(gmc_json *json, const gmc_freeing *move, const gmc_scenario *scenario);

/// Warn of cases whose bodies overlap at nominal values, with the move that parts them.
/// @param file  of the scenario, as given
/// @return GMC_OK, GMC_E_MEMORY, GMC_E_LIMIT
GMC_MUST_CHECK gmc_status gmc_overlaps_warn(const char *file, const gmc_scenario *scenario,
                                            const gmc_build *build,
                                            const gmc_nominal_starts *starts,
                                            gmc_diagnostics *messages);

/// The same of cases that can start: bodies overlap by more than 0.1 mm, less than a trial refuses.
GMC_MUST_CHECK gmc_status gmc_overlaps_warn_shallow(const char *file, const gmc_scenario *scenario,
                                                    const gmc_build *build,
                                                    const gmc_nominal_starts *starts,
                                                    gmc_diagnostics *messages);

#endif
