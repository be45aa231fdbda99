/// Hulls of a test file: cmocka's set-up and tear-down of a group.
#ifndef GMC_TEST_SUPPORT_ONE_HULLS_H
#define GMC_TEST_SUPPORT_ONE_HULLS_H

#include "test/support/solids.h"

static support_hulls hulls;

static inline int open_hulls(void **unused)
{
    (void)unused;
    return support_hulls_create(&hulls) ? 0 : -1;
}

static inline int close_hulls(void **unused)
{
    (void)unused;
    support_hulls_free(&hulls);
    return 0;
}

#endif
