/// Comparison of numbers in tests. Every tolerance is stated by the caller, with its origin beside
/// it; the environment variable GMC_TOL_SCALE multiplies all of them, so that GMC_TOL_SCALE=0
/// prints the actual residual of the first comparison of each test that is not exact.
///
/// Used inside cmocka tests.
#ifndef GMC_TEST_SUPPORT_NEAR_H
#define GMC_TEST_SUPPORT_NEAR_H

#include "test/support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline double near_scale(void)
{
    const char *text = getenv("GMC_TOL_SCALE");
    return text ? strtod(text, NULL) : 1.0;
}

static inline int near_holds(double actual, double expected, double tolerance, const char *what,
                             const char *file, int line)
{
    // written so that NaN fails; equal infinities pass
    if (actual == expected || fabs(actual - expected) <= tolerance * near_scale()) return 1;
    fprintf(stderr, "%s:%d: %s = %.17g, expected %.17g, off by %.3g, tolerance %.3g\n", file, line,
            what, actual, expected, fabs(actual - expected), tolerance);
    return 0;
}

static inline int near_is_below(double actual, double tolerance, const char *what, const char *file,
                                int line)
{
    // strict, so that no bound that was is loosened; what is exact passes at scale 0
    if (actual < tolerance * near_scale() || actual == 0) return 1;
    fprintf(stderr, "%s:%d: %s = %.17g, tolerance %.3g\n", file, line, what, actual, tolerance);
    return 0;
}

/// |actual − expected| <= tolerance
#define ASSERT_NEAR(actual, expected, tolerance)                                                   \
    assert_true(near_holds((actual), (expected), (tolerance), #actual, __FILE__, __LINE__))

/// |actual − expected| <= tolerance · |expected|
#define ASSERT_NEAR_RELATIVE(actual, expected, tolerance)                                          \
    assert_true(                                                                                   \
        near_holds((actual), (expected), (tolerance)*fabs(expected), #actual, __FILE__, __LINE__))

/// actual < tolerance, or 0, of what is a difference, a norm or a residual already
#define ASSERT_BELOW(actual, tolerance)                                                            \
    assert_true(near_is_below((actual), (tolerance), #actual, __FILE__, __LINE__))

#endif
