// Every kind of interval on 10 000 synthetic studies each, or on all outcomes where these can be
// enumerated. The confidence sequence is in test_coverage.c, where its looks are enumerated.
#include "engine/base/status.h"
#include "sampling/design/hypercube.h"
#include "sampling/estimate/cluster.h"
#include "sampling/estimate/pooled.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"
#include "test/support/capability.h"
#include "test/support/enumerate.h"
#include "test/support/near.h"

enum { STUDIES = 10000 };

static const int SIZES[] = {50, 100, 1000};           // what is promised
static const int ODD_SIZES[] = {1, 2, 3, 7, 20, 137}; // where one outcome is much of it
static const double TRUTHS[] = {0.5, 0.9, 0.99};

static double standard_error(double share) { return sqrt(share * (1 - share) / STUDIES); }

static bool holds(gmc_interval found, double truth)
{
    return found.lower <= truth && truth <= found.upper;
}

static void expect_share(const char *name, int n, double p, int held, const enumerate_all *all)
{
    double exact = enumerate_coverage(all, p), share = held / (double)STUDIES;
    printf("%s, n %d, p %g: %.4f of %d studies, exactly %.4f: %+.2f standard errors\n", name, n, p,
           share, STUDIES, exact, (share - exact) / standard_error(exact));
    ASSERT_NEAR(share, exact, 3 * standard_error(exact));
    if (n == 1000 && p < 0.95)
        capability_at_most(124, fabs(share - exact) / standard_error(exact), 3);
}

static void studies_are_covered_as_the_enumeration_says(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(SIZES); i++) {
        enumerate_all wilson = enumerate_of(gmc_proportion_wilson, SIZES[i]);
        enumerate_all pearson = enumerate_of(gmc_proportion_clopper_pearson, SIZES[i]);
        for (int j = 0; j < GMC_COUNT(TRUTHS); j++) {
            int held[2] = {0};
            for (uint64_t study = 0; study < STUDIES; study++) {
                gmc_stream s = gmc_stream_open_hashed(21, study, (uint64_t)(10 * i + j));
                int successes = 0;
                for (int t = 0; t < SIZES[i]; t++)
                    successes += gmc_stream_uniform(s, (uint64_t)t) < TRUTHS[j];
                held[0] += holds(wilson.of[successes], TRUTHS[j]);
                held[1] += holds(pearson.of[successes], TRUTHS[j]);
            }
            expect_share("Wilson", SIZES[i], TRUTHS[j], held[0], &wilson);
            expect_share("Clopper-Pearson", SIZES[i], TRUTHS[j], held[1], &pearson);
        }
    }
}

static void expect_clopper_pearson(int n)
{
    enum { GRID = 2000 };
    enumerate_all exact = enumerate_of(gmc_proportion_clopper_pearson, n);
    double beside = enumerate_least(&exact), least = 1;
    for (int j = 1; j < GRID; j++)
        least = fmin(least, enumerate_coverage(&exact, j / (double)GRID));
    printf("Clopper-Pearson, n %d: least coverage %.6f on %d points, %.6f beside ends\n", n, least,
           GRID - 1, beside);
    capability_at_least(124, least, 0.95);
    // each tail is 0.025 at an end, to the ends' error
    assert_true(beside >= 0.95 - 1e-6);
}

static void clopper_pearson_covers_for_every_p(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(SIZES); i++)
        expect_clopper_pearson(SIZES[i]);
    for (int i = 0; i < GMC_COUNT(ODD_SIZES); i++)
        expect_clopper_pearson(ODD_SIZES[i]);
}

// ---- cases on common draws --------------------------------------------------------------------

enum { SIDE = 11, CELLS = SIDE * SIDE, DRAWS = 50 };

// A grasp holds in a cell when the cell's offset and the draw's error together stay within a reach.
static double offset(int cell)
{
    return -1.0 + 2.0 * (cell % SIDE) / (SIDE - 1) + 0.04 * (cell / SIDE);
}

static double map_truth(double sd)
{
    double sum = 0.0;
    for (int c = 0; c < CELLS; c++)
        sum += gmc_normal_cdf((1.0 - offset(c)) / sd) - gmc_normal_cdf((-1.0 - offset(c)) / sd);
    return sum / CELLS;
}

static void cases_on_common_draws_are_covered(void **state)
{
    (void)state;
    const double truth = map_truth(0.8);
    int held = 0, wilson = 0;
    for (uint64_t study = 0; study < STUDIES; study++) {
        gmc_pooled pooled = gmc_pooled_start(CELLS, false);
        gmc_stream s = gmc_stream_open_hashed(22, study, 0);
        for (uint64_t d = 0; d < DRAWS; d++) {
            double error = 0.8 * gmc_normal_quantile(gmc_stream_uniform(s, d));
            for (int c = 0; c < CELLS; c++)
                gmc_pooled_add(&pooled, d,
                               fabs(offset(c) + error) <= 1.0 ? GMC_VERDICT_SUCCESS
                                                              : GMC_VERDICT_FAILURE);
        }
        gmc_estimate e = gmc_pooled_estimate(&pooled, 0.95, GMC_METHOD_WILSON);
        gmc_estimate w = gmc_estimate_of(e.tally, 0.95, GMC_METHOD_WILSON);
        held += e.lower <= truth && truth <= e.upper;
        wilson += w.lower <= truth && truth <= w.upper;
    }
    printf(
        "pooled over %d cases on %d common draws: %.4f of %d studies; Wilson on all trials %.4f\n",
        CELLS, DRAWS, held / (double)STUDIES, STUDIES, wilson / (double)STUDIES);
    assert_true(held >= 0.94 * STUDIES);
    assert_true(wilson < 0.5 * STUDIES); // what the unit of a draw is for
}

// ---- randomised designs -----------------------------------------------------------------------

enum { REPLICAS = 16, POINTS = 32 };

/// Two errors together stay within a reach: a quarter of a disk.
static bool is_held(double x, double y, double squared_reach)
{
    return x * x + (1.0 - y) * (1.0 - y) < squared_reach;
}

/// @param plain  out: the interval that random draws would have
static gmc_estimate study_of(bool is_sobol, uint64_t study, double squared_reach,
                             gmc_estimate *plain)
{
    gmc_tally replicas[REPLICAS] = {{0}}, all = {0};
    for (uint64_t r = 0; r < REPLICAS; r++) {
        gmc_stream x = gmc_stream_open_hashed(study, r, 1), y = gmc_stream_open_hashed(study, r, 2);
        for (uint64_t i = 0; i < POINTS; i++) {
            double u = is_sobol ? gmc_sobol_uniform(0, i, x) : gmc_hypercube_uniform(i, POINTS, x);
            double v = is_sobol ? gmc_sobol_uniform(1, i, y) : gmc_hypercube_uniform(i, POINTS, y);
            gmc_tally_add(&replicas[r],
                          is_held(u, v, squared_reach) ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE);
        }
        gmc_tally_merge(&all, replicas[r]);
    }
    *plain = gmc_cluster_of_replicas_plain(all, 1, 0.95);
    return gmc_cluster_of_replicas(replicas, REPLICAS, gmc_tally_trials(all), plain);
}

static void randomisations_cover_and_are_shorter_than_random_trials(void **state)
{
    (void)state;
    static const struct {
        bool is_sobol;
        double squared_reach;
        double width_most; ///< mean, in widths of the interval of as many random draws
    } KINDS[] = {{true, 0.77, 0.6}, {false, 0.6, 0.7}, {false, 0.3, 0.85}};
    for (int k = 0; k < GMC_COUNT(KINDS); k++) {
        const double truth = 0.25 * 3.14159265358979323846 * KINDS[k].squared_reach;
        int held = 0;
        double width = 0;
        for (uint64_t study = 0; study < STUDIES; study++) {
            gmc_estimate plain;
            gmc_estimate e = study_of(KINDS[k].is_sobol, study, KINDS[k].squared_reach, &plain);
            width += (e.upper - e.lower) / (plain.upper - plain.lower) / STUDIES;
            held += e.lower <= truth && truth <= e.upper;
        }
        printf("%s, p %.3f: 16 randomisations of 32 points hold in %d of %d studies; %.2f of the "
               "width of random ones\n",
               KINDS[k].is_sobol ? "Sobol'" : "hypercubes", truth, held, STUDIES, width);
        assert_true(held >= 0.94 * STUDIES);
        assert_true(held <= 0.985 * STUDIES);
        assert_true(width < KINDS[k].width_most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(studies_are_covered_as_the_enumeration_says),
        cmocka_unit_test(clopper_pearson_covers_for_every_p),
        cmocka_unit_test(cases_on_common_draws_are_covered),
        cmocka_unit_test(randomisations_cover_and_are_shorter_than_random_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
