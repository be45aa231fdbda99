/// The problem of a test file for solvers of dual problems: cmocka's set-up and tear-down of a
/// group.
#ifndef GMC_TEST_SUPPORT_ONE_SOLVING_H
#define GMC_TEST_SUPPORT_ONE_SOLVING_H

#include "test/support/solving.h"

static gmc_solving s;

static inline int open_solving(void **state)
{
    (void)state;
    gmc_solving_open(&s);
    return 0;
}

static inline int close_solving(void **state)
{
    (void)state;
    gmc_solving_close(&s);
    return 0;
}

#endif
