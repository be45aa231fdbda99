/// What the rules of early verdicts share (private to engine/early*.c).
#ifndef GMC_ENGINE_EARLY_INTERNAL_H
#define GMC_ENGINE_EARLY_INTERNAL_H

#include "engine/early.h"

/// All asked measures as they are now.
/// @param values  out: (asked_count)
void gmc_early_measure(const gmc_early_view *view, double *values);

/// Do all criteria hold with these measures?
bool gmc_early_succeeds(const gmc_early_view *view, const double *values);

/// Is the verdict `is_success` of the measures `now` the same with each of them, alone and together
/// with the others, at either end of its range `lower` to `upper`?
bool gmc_early_is_sure(const gmc_early_view *view, gmc_early_state *state);

/// The object stays about where it is; is that inside the workspace?
bool gmc_early_is_well_inside(const gmc_early_view *view);

/// Room for the rule `borne`, if the program has a shake that it is about.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_early_borne_create(const gmc_measure_plan *plan,
                                                 const gmc_program *program, const gmc_world *world,
                                                 gmc_arena *arena, gmc_early_state *state);

#endif
