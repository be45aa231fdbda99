/// A finished result gone on with: the same run with more draws takes its trials over; and so does
/// a ranking with a larger budget. Its rounds do not depend on the budget, but for the last one, in
/// which each case has a share of what it would have: so what was run is asked for again.
#ifndef GMC_SAMPLING_STORE_GROW_H
#define GMC_SAMPLING_STORE_GROW_H

#include "sampling/store/result.h"

/// Is the file at `path` the finished result of this plan with fewer draws, or of this ranking with
/// a smaller budget or not all of its rounds (relay.h)? A run that may stop by itself, a shard and
/// a part of the trials do not grow.
/// @param damage  takes what is wrong with a file that would fit
/// @return GMC_OK; GMC_E_INPUT: it fits, but its trials are not those it was written with
///         (reported); GMC_E_IO: the disk cannot be read (reported); GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_grow_fits(const char *path, const gmc_store_plan *plan,
                                        gmc_diagnostics *damage, bool *fits);

/// Hand out all trials of such a file as the plan's models have them; of a ranking those that this
/// one asks for.
/// @param visit  the trial is valid during the call; anything but GMC_OK ends the walk with that
///               status
/// @return as gmc_result_open and gmc_result_trial, or what `visit` returned
GMC_MUST_CHECK gmc_status gmc_grow_trials(const char *path, const gmc_store_plan *plan,
                                          gmc_status (*visit)(void *context,
                                                              const gmc_trial *trial),
                                          void *context, gmc_diagnostics *messages);

#endif
