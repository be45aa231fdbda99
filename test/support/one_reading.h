/// The scenario that the tests of a file read: cmocka's set-up and tear-down of a group.
#ifndef GMC_TEST_SUPPORT_ONE_READING_H
#define GMC_TEST_SUPPORT_ONE_READING_H

#include "test/support/reading.h"

static gmc_reading reading;

static inline int open_reading(void **state)
{
    (void)state;
    gmc_reading_open(&reading);
    return 0;
}

static inline int close_reading(void **state)
{
    (void)state;
    gmc_reading_close(&reading);
    return 0;
}

#endif
