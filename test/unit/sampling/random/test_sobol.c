#include "engine/base/status.h"
#include "sampling/design/hypercube.h"
#include "sampling/random/sobol.h"
#include "test/support/near.h"

#include <stdbool.h>

static void digits_agree_with_the_reference(void **state)
{
    (void)state;
    // scipy 1.10, stats.qmc.Sobol(128, scramble=False, bits=32), its Gray-code order undone
    static const uint64_t POINTS[] = {1, 2, 3, 100, 1000, 4095};
    static const struct {
        int dimension;
        uint32_t digits[6];
    } KNOWN[] = {{0, {2147483648, 1073741824, 3221225472, 637534208, 398458880, 4293918720}},
                 {1, {2147483648, 3221225472, 1073741824, 3321888768, 692060160, 286261248}},
                 {2, {2147483648, 3221225472, 1073741824, 2986344448, 1933574144, 11534336}},
                 {5, {2147483648, 1073741824, 3221225472, 301989888, 700448768, 4254072832}},
                 {17, {2147483648, 3221225472, 1073741824, 1912602624, 1858076672, 802160640}},
                 {64, {2147483648, 1073741824, 3221225472, 234881024, 3972005888, 3341811712}},
                 {127, {2147483648, 3221225472, 1073741824, 973078528, 650117120, 1771044864}}};
    for (int i = 0; i < GMC_COUNT(KNOWN); i++)
        for (int k = 0; k < GMC_COUNT(POINTS); k++)
            assert_int_equal(gmc_sobol_digits(KNOWN[i].dimension, POINTS[k]), KNOWN[i].digits[k]);
}

static void every_slice_has_one_point_before_and_after_scrambling(void **state)
{
    (void)state;
    enum { POINTS = 256 };
    for (int dimension = 0; dimension < GMC_SOBOL_DIMENSIONS; dimension++) {
        gmc_stream coins = gmc_stream_open_hashed(3, 7, (uint64_t)dimension);
        bool plain[POINTS] = {0}, scrambled[POINTS] = {0};
        for (uint64_t i = 0; i < POINTS; i++) {
            plain[gmc_sobol_digits(dimension, i) >> 24] = true;
            scrambled[(int)(gmc_sobol_uniform(dimension, i, coins) * POINTS)] = true;
        }
        for (int i = 0; i < POINTS; i++) {
            assert_true(plain[i]);
            assert_true(scrambled[i]);
        }
    }
}

/// Of 2^8 points each of the 2^8 boxes of shape 2^-a x 2^-b, a + b = 8, has one: a net of quality
/// 0, as the first two dimensions have it.
static void scrambling_keeps_the_net(void **state)
{
    (void)state;
    gmc_stream x = gmc_stream_open_hashed(1, 4, 10), y = gmc_stream_open_hashed(1, 4, 11);
    for (int a = 0; a <= 8; a++) {
        int count[256] = {0};
        for (uint64_t i = 0; i < 256; i++) {
            int column = (int)(gmc_sobol_uniform(0, i, x) * (1 << a));
            int row = (int)(gmc_sobol_uniform(1, i, y) * (1 << (8 - a)));
            count[column << (8 - a) | row]++;
        }
        for (int i = 0; i < 256; i++)
            assert_int_equal(count[i], 1);
    }
}

static void one_point_is_uniform_over_scramblings(void **state)
{
    (void)state;
    enum { SCRAMBLINGS = 20000, BINS = 20 };
    int count[BINS] = {0};
    for (uint64_t s = 0; s < SCRAMBLINGS; s++)
        count[(int)(BINS * gmc_sobol_uniform(3, 5, gmc_stream_open_hashed(s, 0, 1)))]++;
    double chi2 = 0, expected = (double)SCRAMBLINGS / BINS;
    for (int i = 0; i < BINS; i++)
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    assert_true(chi2 < 43.8); // 99.9 % of chi-square with 19 degrees of freedom
    assert_true(chi2 > 5.4);  // 0.1 %: no bin is filled by design
}

static void a_permutation_takes_every_place_once(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    static const uint64_t COUNTS[] = {1, 2, 3, 4, 5, 17, 64, 65, 999, MOST};
    for (int k = 0; k < GMC_COUNT(COUNTS); k++) {
        uint64_t n = COUNTS[k], fixed = 0;
        gmc_stream coins = gmc_stream_open_hashed(1, 2, n);
        bool taken[MOST] = {0}, slices[MOST] = {0};
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = gmc_hypercube_permuted(i, n, coins);
            assert_true(at < n);
            assert_true(!taken[at]);
            taken[at] = true;
            fixed += at == i;
            double u = gmc_hypercube_uniform(i, n, coins);
            assert_true(u >= 0);
            assert_true(u < 1);
            assert_true((uint64_t)(u * (double)n) == at);
            slices[at] = true;
        }
        for (uint64_t i = 0; i < n; i++)
            assert_true(slices[i]);
        if (n > 60) assert_true(fixed < 10); // of a random permutation: one on average
    }
}

/// Where the first of five goes, over many permutations, and where the second goes given that.
static void permutations_are_random(void **state)
{
    (void)state;
    enum { MANY = 20000, N = 5 };
    int pairs[N][N] = {{0}};
    for (uint64_t s = 0; s < MANY; s++) {
        gmc_stream coins = gmc_stream_open_hashed(s, 3, 9);
        pairs[gmc_hypercube_permuted(0, N, coins)][gmc_hypercube_permuted(1, N, coins)]++;
    }
    double chi2 = 0, expected = (double)MANY / (N * (N - 1));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            if (i != j) chi2 += (pairs[i][j] - expected) * (pairs[i][j] - expected) / expected;
    assert_true(chi2 < 43.8); // 99.9 % of chi-square with 19 degrees of freedom
}

int test_sobol(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_agree_with_the_reference),
        cmocka_unit_test(every_slice_has_one_point_before_and_after_scrambling),
        cmocka_unit_test(scrambling_keeps_the_net),
        cmocka_unit_test(one_point_is_uniform_over_scramblings),
        cmocka_unit_test(a_permutation_takes_every_place_once),
        cmocka_unit_test(permutations_are_random),
    };
    return cmocka_run_group_tests_name("sobol, hypercube", tests, NULL, NULL);
}
