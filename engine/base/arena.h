/// Bump allocation in one block: what a trial or a step needs is taken in order and given back at
/// once by a reset. No call after creation asks the system for memory.
#ifndef GMC_ENGINE_BASE_ARENA_H
#define GMC_ENGINE_BASE_ARENA_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GMC_ARENA_ALIGNMENT = 64 };

typedef struct gmc_arena {
    unsigned char *memory;
    size_t capacity;   ///< bytes
    size_t used;       ///< bytes handed out since the last reset
    size_t high_water; ///< largest `used` ever reached or asked for, for the run's log
} gmc_arena;

/// Ask the system for `capacity` bytes (> 0).
/// @return GMC_OK, GMC_E_MEMORY (arena is then empty and may be freed)
GMC_MUST_CHECK gmc_status gmc_arena_create(gmc_arena *arena, size_t capacity);

/// Give the block back; the arena is empty afterwards. Accepts a zeroed arena.
void gmc_arena_free(gmc_arena *arena);

/// Hand out nothing any more of what was taken after `mark`; gmc_arena_reset(arena, 0) empties it.
void gmc_arena_reset(gmc_arena *arena, size_t mark);

/// Current position, for gmc_arena_reset.
size_t gmc_arena_mark(const gmc_arena *arena);

/// `count` elements of `size` bytes, zeroed, aligned to 64 bytes.
/// @return NULL if the arena is full (high_water then says how much would have been enough so far)
void *gmc_arena_take(gmc_arena *arena, size_t count, size_t size);

/// The same without the zeros, for what is written in full before it is read: clearing took 5 % of
/// a step. Here, so that the checks of a known size cost nothing.
static inline void *gmc_arena_room(gmc_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 2 - GMC_ARENA_ALIGNMENT) / size) return NULL;
    size_t bytes =
        (count * size + GMC_ARENA_ALIGNMENT - 1) / GMC_ARENA_ALIGNMENT * GMC_ARENA_ALIGNMENT;
    size_t wanted = arena->used + bytes;
    if (wanted > arena->high_water) arena->high_water = wanted;
    if (bytes > arena->capacity - arena->used) return NULL;
    void *block = arena->memory + arena->used;
    arena->used = wanted;
    return block;
}

/// `count` elements of a type, zeroed: double *x = GMC_NEW(arena, 3 * n, double). The count may be
/// an int. GMC_ROOM: without the zeros.
/// @return NULL if the arena is full, or if count < 0
#define GMC_NEW(arena, count, type) ((type *)gmc_arena_take((arena), (size_t)(count), sizeof(type)))
#define GMC_ROOM(arena, count, type)                                                               \
    ((type *)gmc_arena_room((arena), (size_t)(count), sizeof(type)))

/// Copy of a zero-terminated text; NULL if the arena is full.
char *gmc_arena_text(gmc_arena *arena, const char *text);

#endif
