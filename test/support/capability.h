/// The figure of a capability (test/CAPABILITIES.md) in a test: told in a line that
/// scripts/check_capabilities reads, and held to its bar.
///
///   capability 59: 3.1e-17 <= 1e-12
///
/// Used inside cmocka tests. NaN fails. A row may have several figures; each gets its line, and the
/// page has the worst of those that are held to one bar. What is known to be over its bar is told
/// with `misses` and fails nothing; the page calls it missed, until it is not.
#ifndef GMC_TEST_SUPPORT_CAPABILITY_H
#define GMC_TEST_SUPPORT_CAPABILITY_H

#include "test/support/cmocka_all.h"

#include <stdio.h>

/// figure <= bar
static inline void capability_at_most(int row, double figure, double bar)
{
    printf("capability %d: %.3g <= %g\n", row, figure, bar);
    fflush(stdout);
    assert_true(figure <= bar);
}

/// figure >= bar
static inline void capability_at_least(int row, double figure, double bar)
{
    printf("capability %d: %.3g >= %g\n", row, figure, bar);
    fflush(stdout);
    assert_true(figure >= bar);
}

/// lower <= figure <= upper
static inline void capability_within(int row, double figure, double lower, double upper)
{
    printf("capability %d: %.3g in [%g, %g]\n", row, figure, lower, upper);
    fflush(stdout);
    assert_true(figure >= lower && figure <= upper);
}

/// figure <= bar is claimed, and it is known not to hold
static inline void capability_missed_at_most(int row, double figure, double bar)
{
    printf("capability %d: %.3g misses <= %g\n", row, figure, bar);
    fflush(stdout);
}

/// figure >= bar is claimed, and it is known not to hold
static inline void capability_missed_at_least(int row, double figure, double bar)
{
    printf("capability %d: %.3g misses >= %g\n", row, figure, bar);
    fflush(stdout);
}

#endif
