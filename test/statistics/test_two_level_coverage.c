// Two levels on synthetic pairs: unbiased, and do the intervals hold the truth?
#include "engine/base/status.h"
#include "sampling/design/pairs.h"
#include "sampling/estimate/two_level.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 2000, CHAIN_STUDIES = 500 };

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

// ---- with its pilot ----

/// What a run with a pilot finds, and its work: `cost` of a full trial, 1 of a cheap one.
static gmc_two_level_counts run_pilot(const study *s, double cost, uint64_t seed, double *work)
{
    gmc_pairs *p;
    const uint64_t *trials;
    uint64_t count;
    const gmc_pairs_plan plan = {
        .draws = (uint64_t)s->draws, .pilot = (uint64_t)s->pairs, .levels = 2};
    *work = 0;
    assert_int_equal(gmc_pairs_create(&plan, &p), GMC_OK);
    assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    while (count > 0) {
        for (uint64_t i = 0; i < count; i++) {
            gmc_stream u = gmc_stream_open_hashed(seed, trials[i] / 2, 2);
            bool c = gmc_stream_uniform(u, 0) < s->cheap, is_full = trials[i] % 2 == 1;
            bool differs = is_full && gmc_stream_uniform(u, 1) < (c ? s->lost : s->gained);
            double took = is_full ? cost : 1;
            *work += took;
            gmc_pairs_put(p, trials[i], c != differs ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE,
                          took);
        }
        assert_int_equal(gmc_pairs_next(p, &trials, &count), GMC_OK);
    }
    gmc_two_level_counts k = gmc_pairs_counts(p);
    gmc_pairs_free(p);
    return k;
}

static void a_pilot_counts_without_bias(void **state)
{
    (void)state;
    static const struct {
        study study; ///< pairs: of the pilot
        double cost;
    } CASES[] = {
        {{0.73, 0.005, 0.001, 5000, 100}, 4}, {{0.73, 0.02, 0.02, 5000, 100}, 4},
        {{0.9, 0.02, 0.1, 2000, 100}, 4},     {{0.95, 0.005, 0.05, 5000, 100}, 10},
        {{0.5, 0.1, 0.1, 1000, 100}, 4},      {{0.9, 0, 0, 2000, 100}, 4},
        {{0.99, 0.002, 0.1, 4000, 100}, 4},   {{0.8, 0.2, 0.2, 1000, 100}, 10},
        {{0.73, 0.02, 0.02, 2000, 200}, 4},   {{0.9, 0.05, 0.2, 1000, 30}, 4},
    };
    const double z = 1.959964;
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const study *s = &CASES[i].study;
        double truth = s->cheap * (1 - s->lost) + (1 - s->cheap) * s->gained;
        double sum = 0, square = 0, paid = 0;
        int covered = 0;
        for (uint64_t k = 0; k < STUDIES; k++) {
            double work;
            gmc_two_level_counts counts = run_pilot(s, CASES[i].cost, 7000 + k, &work);
            gmc_two_level_estimate e = gmc_two_level_estimate_of(&counts, 0.95);
            double half = 0.5 * (e.interval.upper - e.interval.lower);
            sum += e.p - truth;
            square += (e.p - truth) * (e.p - truth);
            paid += half * half * work / STUDIES;
            covered += e.interval.lower <= truth && truth <= e.interval.upper;
        }
        double bias = sum / STUDIES, rms = sqrt(square / STUDIES);
        double gain = z * z * truth * (1 - truth) * CASES[i].cost / paid;
        printf("c %.3f lost %.3f gained %.3f, %d draws, pilot %d, a full trial costs %g: covers "
               "%.1f %%, bias %+.1f standard errors, %.2f times fewer\n",
               s->cheap, s->lost, s->gained, s->draws, s->pairs, CASES[i].cost,
               100.0 * covered / STUDIES, bias / (rms / sqrt(STUDIES)), gain);
        ASSERT_NEAR(bias, 0, 4 * rms / sqrt(STUDIES)); // 4 standard errors
        assert_true(gmc_proportion_upper(covered, STUDIES, 0.99) >= 0.94);
    }
}

// ---- more levels ----

/// Of each level above the cheapest: of those that work below the share `lost` fails there, of
/// those that fail the share `gained` works. Costs rise, and the last level is the full one.
typedef struct chain {
    double cheap, lost[3], gained[3], costs[4];
    int levels, draws, pilot;
} chain;

static bool works_at(const chain *c, uint64_t seed, uint64_t draw, int level)
{
    gmc_stream u = gmc_stream_open_hashed(seed, draw, 2);
    bool works = gmc_stream_uniform(u, 0) < c->cheap;
    for (int i = 0; i < level; i++)
        works ^= gmc_stream_uniform(u, (uint32_t)i + 1) < (works ? c->lost[i] : c->gained[i]);
    return works;
}

static double truth_of(const chain *c)
{
    double p = c->cheap;
    for (int i = 0; i + 1 < c->levels; i++)
        p = p * (1 - c->lost[i]) + (1 - p) * c->gained[i];
    return p;
}

/// A run of some of the levels, rising, the full one last.
static gmc_two_level_counts run_chain(const chain *c, const int *levels, int count, uint64_t seed,
                                      double *work)
{
    gmc_pairs *p;
    const uint64_t *trials;
    uint64_t missing;
    const gmc_pairs_plan plan = {
        .draws = (uint64_t)c->draws, .pilot = (uint64_t)c->pilot, .levels = count};
    *work = 0;
    assert_int_equal(gmc_pairs_create(&plan, &p), GMC_OK);
    assert_int_equal(gmc_pairs_next(p, &trials, &missing), GMC_OK);
    while (missing > 0) {
        for (uint64_t i = 0; i < missing; i++) {
            int level = levels[trials[i] % (uint64_t)count];
            bool works = works_at(c, seed, trials[i] / (uint64_t)count, level);
            *work += c->costs[level];
            gmc_pairs_put(p, trials[i], works ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE,
                          c->costs[level]);
        }
        assert_int_equal(gmc_pairs_next(p, &trials, &missing), GMC_OK);
    }
    gmc_two_level_counts k = gmc_pairs_counts(p);
    gmc_pairs_free(p);
    return k;
}

/// Many runs: do they hold the truth without a bias, and is the deviation claimed that seen?
/// @return how many times less work than full trials alone, at equal width
static double judge_chain(const chain *c, const int *levels, int count)
{
    const double z = 1.959964;
    double truth = truth_of(c), sum = 0, square = 0, paid = 0, claimed = 0;
    int covered = 0;
    for (uint64_t k = 0; k < CHAIN_STUDIES; k++) {
        double work;
        gmc_two_level_counts counts = run_chain(c, levels, count, 9000 + k, &work);
        gmc_two_level_estimate e = gmc_two_level_estimate_of(&counts, 0.95);
        double half = 0.5 * (e.interval.upper - e.interval.lower);
        sum += e.p - truth;
        square += (e.p - truth) * (e.p - truth);
        claimed += e.deviation * e.deviation / CHAIN_STUDIES;
        paid += half * half * work / CHAIN_STUDIES;
        covered += e.interval.lower <= truth && truth <= e.interval.upper;
    }
    double bias = sum / CHAIN_STUDIES, rms = sqrt(square / CHAIN_STUDIES);
    double gain = z * z * truth * (1 - truth) * c->costs[c->levels - 1] / paid;
    printf("  %d levels: covers %.1f %%, bias %+.1f standard errors, error %.4f claimed %.4f, %.2f "
           "times fewer\n",
           count, 100.0 * covered / CHAIN_STUDIES, bias / (rms / sqrt(CHAIN_STUDIES)), rms,
           sqrt(claimed), gain);
    ASSERT_NEAR(bias, 0, 4 * rms / sqrt(CHAIN_STUDIES)); // 4 standard errors
    assert_true(gmc_proportion_upper(covered, CHAIN_STUDIES, 0.99) >= 0.94);
    return gain;
}

static void more_levels_cover_without_bias(void **state)
{
    (void)state;
    static const chain CASES[] = {
        // steps of 8, 4, 2 and 16, 8, 2 and 16, 4, 1 ms, what differs in proportion to the step
        {0.73, {.004, .002}, {.004, .002}, {1, 2, 4}, 3, 5000, 100},
        {0.75, {.035, .01}, {.003, .002}, {1, 2, 8}, 3, 3000, 100},
        {0.8, {.03, .0075}, {.03, .0075}, {1, 4, 16}, 3, 3000, 100},
        {0.8, {.04, .02, .01}, {.04, .02, .01}, {1, 2, 4, 8}, 4, 3000, 100},
        // in proportion to its square
        {0.8, {.06, .004}, {.06, .004}, {1, 4, 16}, 3, 3000, 100},
        // nearly free and mostly right, as a motion without inertia may be
        {0.8, {.05, .005}, {.05, .005}, {1, 50, 200}, 3, 10000, 100},
        {0.9, {.02, .0}, {.1, .0}, {1, 50, 200}, 3, 10000, 100},
        {0.95, {.2, .01}, {.0, .01}, {1, 20, 100}, 3, 4000, 100},
        {0.99, {.002, .001}, {.1, .05}, {1, 2, 4}, 3, 4000, 100},
        {0.5, {.1, .1}, {.1, .1}, {1, 3, 9}, 3, 1000, 60},
        {0.9, {0, 0, 0}, {0, 0, 0}, {1, 2, 4, 8}, 4, 2000, 100},
        // where a level between pays: each ten times rarer to differ, and far dearer
        {0.8, {.02, .002}, {.02, .002}, {1, 100, 1000}, 3, 20000, 100},
    };
    static const int ALL[] = {0, 1, 2, 3};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const chain *c = &CASES[i];
        printf("c %.2f lost %g, %g gained %g, %g, costs %g, %g, %g\n", c->cheap, c->lost[0],
               c->lost[1], c->gained[0], c->gained[1], c->costs[0], c->costs[1], c->costs[2]);
        double gain = judge_chain(c, ALL, c->levels), two = 0;
        for (int low = 0; low + 1 < c->levels; low++)
            two = fmax(two, judge_chain(c, (const int[]){low, c->levels - 1}, 2));
        printf("  %.2f of the better two levels\n", gain / two);
        // by the formula, (sum of sqrt(V C))^2, 2.5 with many differing pairs; here they are few
        if (i == GMC_COUNT(CASES) - 1) assert_true(gain > two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_and_estimates_are_unbiased),
        cmocka_unit_test(a_pilot_counts_without_bias),
        cmocka_unit_test(more_levels_cover_without_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
