// Two levels on synthetic pairs: unbiased, and do the intervals hold the truth?
#include "engine/base/status.h"
#include "sampling/estimate/two_level.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 2000 };

/// A pair: c with probability `cheap`; of those with c = 1 the share `lost` has f = 0, of those
/// with c = 0 the share `gained` has f = 1.
typedef struct study {
    double cheap, lost, gained;
    int draws, pairs;
} study;

static gmc_two_level_counts run(const study *s, uint64_t seed)
{
    gmc_two_level_counts k = {.cheap = s->draws, .pairs = s->pairs};
    for (int i = 0; i < s->draws; i++) {
        gmc_stream u = gmc_stream_open_hashed(seed, (uint64_t)i, 2);
        bool c = gmc_stream_uniform(u, 0) < s->cheap;
        bool differs = gmc_stream_uniform(u, 1) < (c ? s->lost : s->gained);
        k.cheap_works += c;
        if (i >= s->pairs) continue;
        k.lost += c && differs;
        k.gained += !c && differs;
        k.both += c && !differs;
    }
    return k;
}

static void intervals_cover_and_estimates_are_unbiased(void **state)
{
    (void)state;
    static const study CASES[] = {
        {0.9, 0, 0, 2000, 100},        {0.9, 0.01, 0.05, 2000, 200}, {0.9, 0.05, 0.2, 1000, 200},
        {0.99, 0.002, 0.1, 4000, 400}, {0.5, 0.02, 0.02, 2000, 200}, {0.5, 0.2, 0.2, 500, 250},
        {0.2, 0.5, 0.1, 1000, 300},    {0.05, 0.9, 0.3, 1000, 500},  {0.95, 0.3, 0, 1000, 100},
        {0.999, 0, 0.5, 3000, 150},    {0.8, 0.01, 0.01, 400, 400},  {0.7, 0.1, 0.1, 300, 60},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const study *s = &CASES[i];
        double truth = s->cheap * (1 - s->lost) + (1 - s->cheap) * s->gained;
        double sum = 0, square = 0, width = 0, claimed = 0;
        int covered = 0;
        for (uint64_t k = 0; k < STUDIES; k++) {
            gmc_two_level_counts counts = run(s, 7000 + k);
            gmc_two_level_estimate e = gmc_two_level_estimate_of(&counts, 0.95);
            double raw = (double)counts.cheap_works / (double)counts.cheap +
                         (double)(counts.gained - counts.lost) / (double)counts.pairs;
            sum += raw; // e.p is kept inside [0, 1]
            square += (raw - truth) * (raw - truth);
            width += 0.5 * (e.interval.upper - e.interval.lower) / STUDIES;
            claimed += e.deviation * e.deviation / STUDIES;
            covered += e.interval.lower <= truth && truth <= e.interval.upper;
        }
        double bias = sum / STUDIES - truth, rms = sqrt(square / STUDIES);
        printf("c %.3f lost %.3f gained %.3f, %d draws %d pairs: covers %.1f %%, half width %.4f, "
               "error %.4f claimed %.4f, bias %+.1f standard errors\n",
               s->cheap, s->lost, s->gained, s->draws, s->pairs, 100.0 * covered / STUDIES, width,
               rms, sqrt(claimed), bias / (rms / sqrt(STUDIES)));
        ASSERT_NEAR(bias, 0, 4 * rms / sqrt(STUDIES)); // 4 standard errors
        assert_true(covered >= 0.93 * STUDIES);
        // the deviation claimed is that seen, within what 2000 studies can tell and rare pairs skew
        ASSERT_NEAR(sqrt(claimed) / rms, 1, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_and_estimates_are_unbiased),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
