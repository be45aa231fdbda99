// Open addressing with linear probing, at most half full, so that a search meets two slots or so.
#include "engine/base/lookup.h"

#include <limits.h>
#include <stdlib.h>

struct gmc_lookup_slot {
    uint32_t hash;
    int item; // 1 more than it is; 0: empty
};

enum { FIRST = 64 };

static const uint32_t FNV_OFFSET = 2166136261u, FNV_PRIME = 16777619u;

uint32_t gmc_lookup_hash(uint32_t start, const char *text)
{
    uint32_t hash = start ^ FNV_OFFSET;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        hash = (hash ^ *p) * FNV_PRIME;
    return hash;
}

uint32_t gmc_lookup_hash_whole(uint32_t start, uint64_t number)
{
    uint32_t hash = start ^ FNV_OFFSET;
    for (int i = 0; i < 64; i += 8)
        hash = (hash ^ (uint32_t)(number >> i & 0xff)) * FNV_PRIME;
    return hash;
}

// The low bits of neighbouring names differ little: the high ones are folded in.
static uint32_t first_slot(const gmc_lookup *lookup, uint32_t hash)
{
    return (hash ^ hash >> 15) & (uint32_t)(lookup->capacity - 1);
}

static void put(gmc_lookup *lookup, struct gmc_lookup_slot slot)
{
    uint32_t at = first_slot(lookup, slot.hash);
    while (lookup->slots[at].item != 0)
        at = (at + 1) & (uint32_t)(lookup->capacity - 1);
    lookup->slots[at] = slot;
}

static gmc_status grow(gmc_lookup *lookup)
{
    if (lookup->capacity > INT_MAX / 2) return GMC_E_MEMORY;
    gmc_lookup grown = {.count = lookup->count,
                        .capacity = lookup->capacity > 0 ? 2 * lookup->capacity : FIRST};
    grown.slots = calloc((size_t)grown.capacity, sizeof *grown.slots);
    if (!grown.slots) return GMC_E_MEMORY;
    for (int i = 0; i < lookup->capacity; i++)
        if (lookup->slots[i].item != 0) put(&grown, lookup->slots[i]);
    free(lookup->slots);
    *lookup = grown;
    return GMC_OK;
}

gmc_status gmc_lookup_add(gmc_lookup *lookup, uint32_t hash, int item)
{
    if (2 * lookup->count >= lookup->capacity) GMC_TRY(grow(lookup));
    put(lookup, (struct gmc_lookup_slot){hash, item + 1});
    lookup->count++;
    return GMC_OK;
}

int gmc_lookup_next(const gmc_lookup *lookup, uint32_t hash, int *at)
{
    for (; *at < lookup->capacity; ++*at) {
        uint32_t slot =
            (first_slot(lookup, hash) + (uint32_t)*at) & (uint32_t)(lookup->capacity - 1);
        if (lookup->slots[slot].item == 0) return -1;
        if (lookup->slots[slot].hash != hash) continue;
        ++*at;
        return lookup->slots[slot].item - 1;
    }
    return -1;
}

void gmc_lookup_free(gmc_lookup *lookup)
{
    free(lookup->slots);
    *lookup = (gmc_lookup){0};
}
