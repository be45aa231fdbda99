// Are estimates from weighted draws unbiased, and their intervals honest? Synthetic studies whose
// truth is known, from easy proposals to ones that miss what matters.
#include "engine/base/status.h"
#include "sampling/estimate/weighted.h"
#include "sampling/random/distribution.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 1000, DIMENSIONS = 5 };

/// Failure where the sum of `count` coordinates over the root of their number is above `limit`.
typedef struct study {
    const char *name;
    gmc_distribution truth, proposal; ///< of every coordinate
    int count;
    double limit, share;
    bool is_below;  ///< failure below the limit in place of above
    double failure; ///< its probability
    bool is_covered;
    int draws;
    double but; ///< of what would fail this share succeeds all the same
} study;

static gmc_distribution normal(double mean, double sd)
{
    return (gmc_distribution){.type = GMC_DISTRIBUTION_NORMAL, .p = {mean, sd}};
}

static gmc_distribution uniform(double a, double b)
{
    return (gmc_distribution){.type = GMC_DISTRIBUTION_UNIFORM, .p = {a, b}};
}

static gmc_weighted run(const study *s, uint64_t seed)
{
    gmc_weighted w = gmc_weighted_start(
        s->share > 0 ? 1 / s->share : gmc_distribution_density_bound(&s->truth, &s->proposal),
        s->is_covered);
    for (uint64_t d = 0; d < (uint64_t)s->draws; d++) {
        gmc_stream u = gmc_stream_open_hashed(seed, d, 1);
        bool is_true = gmc_stream_uniform(u, 0) < s->share;
        double ratio = 1, sum = 0;
        for (int i = 0; i < s->count; i++) {
            double x =
                gmc_distribution_draw(is_true ? &s->truth : &s->proposal, u, (uint64_t)i + 1);
            double f = gmc_distribution_density(&s->truth, x);
            ratio = f > 0 ? ratio * (gmc_distribution_density(&s->proposal, x) / f) : HUGE_VAL;
            sum += x;
        }
        bool fails = (sum / sqrt(s->count) > s->limit) != s->is_below;
        fails = fails && gmc_stream_uniform(u, (uint64_t)s->count + 1) >= s->but;
        double weight = 1 / (s->share + (1 - s->share) * ratio);
        gmc_weighted_add(&w, d, weight, (gmc_tally){.successes = !fails, .failures = fails});
    }
    return w;
}

static void check(const study *s)
{
    int covered = 0, low = 0, adequate = 0, widened = 0;
    double sum = 0, square = 0, effective = 0, width = 0;
    for (uint64_t k = 0; k < STUDIES; k++) {
        gmc_weighted w = run(s, 1000 + k);
        gmc_estimate e = gmc_weighted_estimate(&w, 0.95);
        double p = 1 - s->failure;
        sum += e.p;
        square += (e.p - p) * (e.p - p);
        effective += e.effective / STUDIES;
        if (e.effective < GMC_WEIGHTED_LEAST) continue;
        adequate++;
        widened += e.is_widened;
        covered += e.lower <= p && p <= e.upper;
        low += e.upper < p;
        width += 0.5 * (e.upper - e.lower);
    }
    double mean = sum / STUDIES, rms = sqrt(square / STUDIES);
    printf("%-40s %5d draws: covers %.1f %% of %d (too low %d), widened %d, effective %.0f, half "
           "width %.2g, bias %+.1f standard errors\n",
           s->name, s->draws, 100.0 * covered / fmax(adequate, 1), adequate, low, widened,
           effective, width / fmax(adequate, 1), (mean - 1 + s->failure) / (rms / sqrt(STUDIES)));
    // 4 standard errors: one of sixteen thousand such means is farther off by chance
    ASSERT_NEAR(mean, 1 - s->failure, 4 * rms / sqrt(STUDIES));
    if (adequate > STUDIES / 2 && !(covered >= 0.93 * adequate)) fail_msg("%s", s->name);
}

static void weighted_intervals_cover_and_estimates_are_unbiased(void **state)
{
    (void)state;
    static const int DRAWS[] = {200, 300, 1000};
    double rare = gmc_normal_cdf(-4), some = gmc_normal_cdf(-3), half = gmc_normal_cdf(-1);
    study studies[] = {
        {"friction below 0.10", uniform(0.08, 0.3), uniform(0.08, 0.15), 1, 0.10, 0.1, true,
         0.02 / 0.22, true, 0, 0},
        {"the same, failures beyond the proposal", uniform(0.08, 0.3), uniform(0.08, 0.15), 1, 0.2,
         0.1, true, 0.12 / 0.22, false, 0, 0},
        {"friction below 0.0805", uniform(0.08, 0.3), uniform(0.08, 0.1), 1, 0.0805, 0.1, true,
         0.0005 / 0.22, true, 0, 0},
        {"friction below 0.17, a little beyond", uniform(0.08, 0.3), uniform(0.08, 0.15), 1, 0.17,
         0.1, true, 0.09 / 0.22, false, 0, 0},
        {"friction below 0.153, hardly beyond", uniform(0.08, 0.3), uniform(0.08, 0.15), 1, 0.153,
         0.1, true, 0.073 / 0.22, false, 0, 0},
        {"normal, 3 sd, moved there", normal(0, 1), normal(3, 1), 1, 3, 0.1, false, some, true, 0,
         0},
        {"five normals, 3 sd, moved there", normal(0, 1), normal(3 / sqrt(5), 1), 5, 3, 0.1, false,
         some, true, 0, 0},
        {"normal, 4 sd, moved there", normal(0, 1), normal(4, 1), 1, 4, 0.1, false, rare, true, 0,
         0},
        {"normal, 4 sd, wider by 3", normal(0, 1), normal(0, 3), 1, 4, 0, false, rare, true, 0, 0},
        {"normal, 3 sd, wider, no share", normal(0, 1), normal(2, 2), 1, 3, 0, false, some, true, 0,
         0},
        {"two normals, 1 sd, moved too far", normal(0, 1), normal(3, 1), 2, 1, 0.1, false, half,
         false, 0, 0},
        {"normal, moved the wrong way", normal(0, 1), normal(-3, 1), 1, 1, 0.2, false, half, false,
         0, 0},
        {"the truth itself", normal(0, 1), normal(0, 1), 1, 1, 0.1, false, half, false, 0, 0},
        {"all that is proposed fails but 1 in 200", uniform(0, 1), uniform(0, 0.2), 1, 0.2, 0.1,
         true, 0.2 * 0.995, true, 0, 0.005},
        {"all that is proposed fails but 1 in 40", uniform(0, 1), uniform(0, 0.2), 1, 0.2, 0.1,
         true, 0.2 * 0.975, false, 0, 0.025},
    };
    for (int i = 0; i < GMC_COUNT(studies); i++)
        for (int k = 0; k < GMC_COUNT(DRAWS); k++) {
            studies[i].draws = DRAWS[k];
            check(&studies[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighted_intervals_cover_and_estimates_are_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
