/// The arena of a test file: cmocka's set-up and tear-down of a group.
#ifndef GMC_TEST_SUPPORT_ONE_ARENA_H
#define GMC_TEST_SUPPORT_ONE_ARENA_H

#include "engine/base/arena.h"

static gmc_arena arena; ///< 2 MiB

static inline int open_arena(void **state)
{
    (void)state;
    return gmc_arena_create(&arena, 1 << 21) == GMC_OK ? 0 : -1;
}

static inline int close_arena(void **state)
{
    (void)state;
    gmc_arena_free(&arena);
    return 0;
}

#endif
