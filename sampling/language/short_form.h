/// What may be written short where a map could stand: `surface: rubber` is `surface: {rest:
/// rubber}`, `vary: [object]` is `vary: {object: all}`, `draws: 200` is `draws: {last: 200}`,
/// `grasps: mug.yaml` is `grasps: {file: mug.yaml}`, `by: pd` is `by: {law: pd}`, `rubber/abs: 0.2` is `{static: 0.2}`.
#ifndef GMC_SAMPLING_LANGUAGE_SHORT_FORM_H
#define GMC_SAMPLING_LANGUAGE_SHORT_FORM_H

#include "sampling/language/node.h"
#include "sampling/language/schema.h"

/// Make the map of a short form, so that keys can be put beside it.
/// @param row   of the key
/// @param node  its value; untouched if it is no short form, or one with a mistake in it
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_short_form_open(const gmc_schema_row *row, gmc_node *node,
                                              gmc_arena *arena);

/// What `gmc_short_form_open` does for what stands at a pair of surfaces under `friction`.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_short_form_open_pair(gmc_node *pair, gmc_arena *arena);

#endif
