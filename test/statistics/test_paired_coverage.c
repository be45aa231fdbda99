// Is the interval of a difference honest? Studies in which the truth is known: what two runs on the
// same chance do in one trial is drawn, not simulated.
#include "engine/base/status.h"
#include "sampling/estimate/paired.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { STUDIES = 10000 };

static bool holds(gmc_interval i, double truth) { return i.lower <= truth && truth <= i.upper; }

/// One of several with these probabilities; the rest is -1.
static int chosen(double u, const double *p, int count)
{
    for (int i = 0; i < count; i++) {
        if (u < p[i]) return i;
        u -= p[i];
    }
    return -1;
}

/// How often the interval of `pairs` independent pairs holds the truth.
static double covered_by_tango(uint64_t seed, int64_t pairs, double only_first, double only_second)
{
    int held = 0;
    const double p[2] = {only_first, only_second};
    for (uint64_t study = 0; study < STUDIES; study++) {
        gmc_stream stream = gmc_stream_open_hashed(seed, study, 1);
        int64_t counts[3] = {0};
        for (int64_t i = 0; i < pairs; i++)
            counts[1 + chosen(gmc_stream_uniform(stream, (uint64_t)i), p, 2)]++;
        held += holds(gmc_difference_tango(counts[1], counts[2], pairs, 0.95),
                      only_second - only_first);
    }
    return held / (double)STUDIES;
}

static void tango_covers_what_independent_pairs_differ_by(void **state)
{
    (void)state;
    static const struct {
        int64_t pairs;
        double only_first, only_second;
    } STUDY[] = {{50, 0.1, 0.1},   {50, 0.02, 0.02},  {50, 0.3, 0.1},      {100, 0.05, 0.1},
                 {100, 0.01, 0.0}, {500, 0.02, 0.03}, {500, 0.002, 0.002}, {200, 0.0, 0.4}};
    for (int i = 0; i < GMC_COUNT(STUDY); i++) {
        double held = covered_by_tango(21 + (uint64_t)i, STUDY[i].pairs, STUDY[i].only_first,
                                       STUDY[i].only_second);
        if (!(held >= 0.94))
            fail_msg("%lld pairs, %g, %g: %g", (long long)STUDY[i].pairs, STUDY[i].only_first,
                     STUDY[i].only_second, held);
    }
}

/// Cases that share draws: a case succeeds where the draw's error stays within its reach, and the
/// second run reaches `further`.
static double covered_over_draws(uint64_t seed, int cases, int draws, double sd, double further)
{
    double truth = 0;
    for (int c = 0; c < cases; c++) {
        double reach = 1 + c / (double)cases;
        truth += 2 * (gmc_normal_cdf((reach + further) / sd) - gmc_normal_cdf(reach / sd));
    }
    truth /= cases;
    int held = 0;
    for (uint64_t study = 0; study < STUDIES; study++) {
        gmc_paired paired = gmc_paired_start(cases, false, 0, false, 0.95);
        gmc_stream stream = gmc_stream_open_hashed(seed, study, 2);
        for (int d = 0; d < draws; d++) {
            double error = fabs(gmc_normal_quantile(gmc_stream_uniform(stream, (uint64_t)d)) * sd);
            gmc_paired_draw draw = {0};
            for (int c = 0; c < cases; c++) {
                double reach = 1 + c / (double)cases;
                gmc_paired_put(&draw, error <= reach ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE,
                               error <= reach + further ? GMC_VERDICT_SUCCESS
                                                        : GMC_VERDICT_FAILURE);
            }
            gmc_paired_add(&paired, (uint64_t)d, &draw);
        }
        held += holds(gmc_paired_estimate_of(&paired).interval, truth);
    }
    return held / (double)STUDIES;
}

static void t_covers_what_shared_draws_differ_by(void **state)
{
    (void)state;
    static const struct {
        int cases, draws;
        double sd, further;
    } STUDY[] = {{10, 50, 1.5, 0.3},
                 {10, 30, 1.0, -0.2},
                 {4, 100, 0.6, 0.1},
                 {20, 20, 1.2, 0.5},
                 {10, 40, 0.5, 0.05}};
    for (int i = 0; i < GMC_COUNT(STUDY); i++) {
        double held = covered_over_draws(41 + (uint64_t)i, STUDY[i].cases, STUDY[i].draws,
                                         STUDY[i].sd, STUDY[i].further);
        if (!(held >= 0.94)) fail_msg("study %d: %g", i, held);
    }
}

static void newcombe_covers_what_independent_runs_differ_by(void **state)
{
    (void)state;
    static const struct {
        int n[2];
        double p[2];
    } STUDY[] = {{{50, 50}, {0.5, 0.6}}, {{100, 40}, {0.9, 0.95}}, {{200, 200}, {0.98, 0.98}}};
    for (int i = 0; i < GMC_COUNT(STUDY); i++) {
        int held = 0;
        for (uint64_t study = 0; study < STUDIES; study++) {
            gmc_estimate e[2];
            for (int k = 0; k < 2; k++) {
                gmc_stream stream = gmc_stream_open_hashed(61 + (uint64_t)i, study, (uint64_t)k);
                gmc_tally tally = {0};
                for (int t = 0; t < STUDY[i].n[k]; t++)
                    gmc_tally_add(&tally, gmc_stream_uniform(stream, (uint64_t)t) < STUDY[i].p[k]
                                              ? GMC_VERDICT_SUCCESS
                                              : GMC_VERDICT_FAILURE);
                e[k] = gmc_estimate_of(tally, 0.95, GMC_METHOD_WILSON);
            }
            held += holds(gmc_difference_apart(&e[0], &e[1]), STUDY[i].p[1] - STUDY[i].p[0]);
        }
        if (!(held >= 0.94 * STUDIES)) fail_msg("study %d: %d", i, held);
    }
}

/// A rule that stops when the interval excludes what is true: the sequence lets it win in at most
/// one study of twenty, a score interval looked at as often in many more.
static void the_sequence_holds_at_all_looks_together(void **state)
{
    (void)state;
    enum { FEW = 2000, PAIRS = 300, EVERY = 3 };
    static const double P[2] = {0.1, 0.15};
    int sequence = 0, score = 0;
    for (uint64_t study = 0; study < FEW; study++) {
        gmc_paired paired = gmc_paired_start(1, false, 0, true, 0.95);
        gmc_stream stream = gmc_stream_open_hashed(71, study, 3);
        bool is_held = true, is_scored = true;
        for (int i = 0; i < PAIRS; i++) {
            int kind = chosen(gmc_stream_uniform(stream, (uint64_t)i), P, 2);
            gmc_paired_draw draw = {0};
            gmc_paired_put(&draw, kind == 1 ? GMC_VERDICT_FAILURE : GMC_VERDICT_SUCCESS,
                           kind == 0 ? GMC_VERDICT_FAILURE : GMC_VERDICT_SUCCESS);
            gmc_paired_add(&paired, (uint64_t)i, &draw);
            if (i % EVERY != EVERY - 1) continue;
            gmc_paired_estimate e = gmc_paired_estimate_of(&paired);
            is_held = is_held && holds(e.interval, P[1] - P[0]);
            is_scored = is_scored && holds(gmc_difference_tango(e.cells.only_first,
                                                                e.cells.only_second, i + 1, 0.95),
                                           P[1] - P[0]);
        }
        sequence += is_held;
        score += is_scored;
    }
    assert_true(sequence >= 0.95 * FEW);
    assert_true(score < 0.8 * FEW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tango_covers_what_independent_pairs_differ_by),
        cmocka_unit_test(t_covers_what_shared_draws_differ_by),
        cmocka_unit_test(newcombe_covers_what_independent_runs_differ_by),
        cmocka_unit_test(the_sequence_holds_at_all_looks_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
