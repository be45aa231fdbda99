#include "engine/base/arena.h"

#include <stdlib.h>
#include <string.h>

gmc_status gmc_arena_create(gmc_arena *arena, size_t capacity)
{
    size_t rounded =
        (capacity + GMC_ARENA_ALIGNMENT - 1) / GMC_ARENA_ALIGNMENT * GMC_ARENA_ALIGNMENT;
    *arena = (gmc_arena){0};
    if (rounded < capacity) return GMC_E_MEMORY;
    arena->memory = aligned_alloc(GMC_ARENA_ALIGNMENT, rounded);
    if (!arena->memory) return GMC_E_MEMORY;
    arena->capacity = rounded;
    return GMC_OK;
}

void gmc_arena_free(gmc_arena *arena)
{
    free(arena->memory);
    *arena = (gmc_arena){0};
}

void gmc_arena_reset(gmc_arena *arena, size_t mark) { arena->used = mark; }

size_t gmc_arena_mark(const gmc_arena *arena) { return arena->used; }

void *gmc_arena_take(gmc_arena *arena, size_t count, size_t size)
{
    void *block = gmc_arena_room(arena, count, size);
    if (block && count * size > 0) memset(block, 0, count * size);
    return block;
}

char *gmc_arena_text(gmc_arena *arena, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = gmc_arena_take(arena, bytes, 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}
