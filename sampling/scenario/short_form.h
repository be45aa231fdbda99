/// What may be written short where a map could stand: `surface: rubber` is `surface: {rest:
/// rubber}`, `vary: [object]` is `vary: {object: all}`, `draws: 200` is `draws: {last: 200}`,
/// `grasps: mug.yaml` is `grasps: {file: mug.yaml}`.
#ifndef GMC_SAMPLING_SCENARIO_SHORT_FORM_H
#define GMC_SAMPLING_SCENARIO_SHORT_FORM_H

#include "sampling/scenario/node.h"
#include "sampling/scenario/schema.h"

/// Make the map of a short form, so that keys can be put beside it.
/// @param row   of the key
/// @param node  its value; untouched if it is no short form, or one with a mistake in it
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_short_form_open(const gmc_schema_row *row, gmc_node *node,
                                              gmc_arena *arena);

#endif
