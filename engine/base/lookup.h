/// Finding among many by a name or by several things together: a hash table of whole numbers, which
/// the caller takes as places in a list of its own. Set-up only, never in a trial.
///
///   gmc_lookup_add(&lookup, gmc_lookup_hash(0, name), i);
///   for (int at = 0, i; (i = gmc_lookup_next(&lookup, gmc_lookup_hash(0, name), &at)) >= 0;)
///       if (strcmp(list[i].name, name) == 0) return i;
#ifndef GMC_ENGINE_BASE_LOOKUP_H
#define GMC_ENGINE_BASE_LOOKUP_H

#include "engine/base/status.h"

#include <stdint.h>

/// Zero-initialised means empty.
typedef struct gmc_lookup {
    struct gmc_lookup_slot *slots; ///< (capacity), malloc'd
    int count, capacity;           ///< capacity: 0 or a power of two
} gmc_lookup;

/// Hash of a zero-terminated text (FNV-1a); `start` is 0 or what came before.
uint32_t gmc_lookup_hash(uint32_t start, const char *text);

/// Hash of a whole number behind what came before.
uint32_t gmc_lookup_hash_whole(uint32_t start, uint64_t number);

/// Add `item` >= 0. Nothing is compared: equal ones are kept side by side.
/// @return GMC_OK, GMC_E_MEMORY (it is as it was)
GMC_MUST_CHECK gmc_status gmc_lookup_add(gmc_lookup *lookup, uint32_t hash, int item);

/// The items of this hash one after the other, in no order that means anything.
/// @param at  0 for the first; in and out
/// @return the item; -1: no more
int gmc_lookup_next(const gmc_lookup *lookup, uint32_t hash, int *at);

void gmc_lookup_free(gmc_lookup *lookup);

#endif
