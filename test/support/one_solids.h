/// Hulls and the arena of a test file on pairs of solids: cmocka's set-up and tear-down of a group.
#ifndef GMC_TEST_SUPPORT_ONE_SOLIDS_H
#define GMC_TEST_SUPPORT_ONE_SOLIDS_H

#include "test/support/one_arena.h"
#include "test/support/one_hulls.h"

static inline int open_solids(void **state)
{
    return open_hulls(state) == 0 ? open_arena(state) : -1;
}

static inline int close_solids(void **state)
{
    (void)close_hulls(state);
    return close_arena(state);
}

#endif
