// Is the interval of an audited estimate honest, and the estimate unbiased? Synthetic studies with
// a cheap level of known faults, sieved and audited as a run does it.
#include "engine/base/status.h"
#include "sampling/design/sieve.h"
#include "sampling/estimate/audit.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { DESIGNS = 60, FIRST = 4, LAST = 16, STUDIES = 1000 };

/// A kind of study: how designs differ, and how the cheap level errs.
typedef struct kind {
    const char *name;
    double worst, best; ///< shares of success of designs 0 ... DESIGNS - 1
    double false_alarm; ///< share of good trials that the cheap level fails
    double missed;      ///< share of bad trials that it lets pass
    double audit;
} kind;

static double uniform(uint64_t study, uint64_t draw, int64_t design, const char *name)
{
    return gmc_stream_uniform(
        gmc_stream_for_case(gmc_stream_open(study, draw, name), (uint64_t)design), 0);
}

static bool succeeds(const kind *k, uint64_t study, uint64_t draw, int64_t design)
{
    double share = k->worst + (k->best - k->worst) * (double)design / (DESIGNS - 1);
    return uniform(study, draw, design, "truth") < share;
}

static gmc_finding find(const kind *k, uint64_t study, uint64_t trial)
{
    uint64_t draw = trial / 2 / DESIGNS;
    int64_t design = (int64_t)(trial / 2 % DESIGNS);
    bool is_good = succeeds(k, study, draw, design);
    if (trial % 2 == 0) {
        double u = uniform(study, draw, design, "cheap");
        is_good = is_good ? u >= k->false_alarm : u < k->missed;
    }
    return is_good ? GMC_FINDING_WORKS : GMC_FINDING_FAILS;
}

/// One study: its estimate, and the share that would have succeeded had nothing been spared.
static gmc_audit_estimate run_study(const kind *k, uint64_t study, double *truth, double *all)
{
    const gmc_sieve_plan plan = {.case_count = DESIGNS,
                                 .level_count = 2,
                                 .first = FIRST,
                                 .last = LAST,
                                 .keep = 0.5,
                                 .audit = k->audit,
                                 .seed = study};
    gmc_sieve *sieve;
    gmc_sieve_stage stage;
    assert_int_equal(gmc_sieve_create(&plan, &sieve), GMC_OK);
    for (;;) {
        assert_int_equal(gmc_sieve_next(sieve, &stage), GMC_OK);
        if (stage.count == 0) break;
        for (uint64_t i = 0; i < stage.count; i++)
            gmc_sieve_put(sieve, stage.trials[i], find(k, study, stage.trials[i]));
    }
    gmc_audit_counts counts = {.share = k->audit};
    int64_t good = 0;
    for (int c = 0; c < DESIGNS; c++) {
        gmc_sieve_case found = gmc_sieve_of_case(sieve, c);
        counts.run += (int64_t)(found.works + found.fails);
        counts.run_works += (int64_t)found.works;
        counts.spared += (int64_t)(found.draws - found.decided_draws);
        counts.audited += (int64_t)found.audited;
        counts.works += (int64_t)found.audit_works;
        for (uint64_t d = 0; d < found.draws; d++)
            good += succeeds(k, study, d, c);
    }
    *all = (double)(counts.run + counts.spared);
    *truth = (double)good / *all;
    gmc_sieve_free(sieve);
    return gmc_audit_estimate_of(&counts, 0.95);
}

static void check_kind(const kind *k)
{
    int covered = 0;
    double bias = 0, square = 0, variance = 0;
    for (uint64_t study = 0; study < STUDIES; study++) {
        double truth, all;
        gmc_audit_estimate e = run_study(k, study, &truth, &all);
        covered += e.interval.lower <= truth && truth <= e.interval.upper;
        double error = e.successes / all - truth;
        bias += error / STUDIES;
        square += error * error / STUDIES;
        variance += e.deviation * e.deviation / STUDIES;
    }
    double coverage = (double)covered / STUDIES, spread = sqrt(square);
    // the interval is conservative: no less than its level but for chance, three times 0.7 %
    if (!(coverage >= 0.95 - 3 * 0.0069)) fail_msg("%s: covers %g", k->name, coverage);
    // four standard errors of a mean over the studies
    if (!(fabs(bias) <= 4 * spread / sqrt(STUDIES)))
        fail_msg("%s: bias %g, spread %g", k->name, bias, spread);
    // the estimated variance is the true one, on average; seen: within 8 %
    if (!(fabs(variance / square - 1) < 0.2))
        fail_msg("%s: variance %g, estimated %g", k->name, square, variance);
}

static void the_audit_covers_what_was_spared(void **state)
{
    (void)state;
    static const kind KINDS[] = {
        {"a cheap level that errs now and then", 0, 1, 0.1, 0.1, 0.1},
        {"a cheap level that rejects what works", 0.9, 1, 0.8, 0.5, 0.05},
        {"a small audit", 0.2, 0.8, 0.3, 0.1, 0.02},
        {"a large audit", 0, 1, 0.3, 0.3, 0.5},
        {"few that work", 0, 0.1, 0.3, 0.1, 0.1},
    };
    for (int i = 0; i < GMC_COUNT(KINDS); i++)
        check_kind(&KINDS[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_audit_covers_what_was_spared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
