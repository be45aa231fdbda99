// Is the interval of an audited estimate honest, and the estimate unbiased? Synthetic studies with
// a cheap level of known faults, sieved and audited as a run does it: 20 000 in all, whose seeds
// were fixed before the first look.
#include "engine/base/status.h"
#include "sampling/design/ladder.h"
#include "sampling/estimate/audit.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

enum { DESIGNS = 60, FIRST = 4, LAST = 16, STUDIES = 4000 };

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

/// One study: its estimate, and the share of the spared trials that would have succeeded.
static gmc_audit_estimate run_study(const kind *k, uint64_t study, gmc_audit_counts *counts,
                                    double *truth)
{
    const gmc_ladder_plan plan = {.case_count = DESIGNS,
                                  .level_count = 2,
                                  .first = FIRST,
                                  .last = LAST,
                                  .keep = 0.5,
                                  .audit = k->audit,
                                  .seed = study};
    gmc_ladder *ladder;
    gmc_ladder_stage stage;
    assert_int_equal(gmc_ladder_create(&plan, &ladder), GMC_OK);
    for (;;) {
        assert_int_equal(gmc_ladder_next(ladder, &stage), GMC_OK);
        if (stage.count == 0) break;
        for (uint64_t i = 0; i < stage.count; i++)
            gmc_ladder_put(ladder, stage.trials[i], find(k, study, stage.trials[i]));
    }
    *counts = (gmc_audit_counts){0};
    int64_t good = 0;
    for (int c = 0; c < DESIGNS; c++) {
        gmc_ladder_case found = gmc_ladder_of_case(ladder, c);
        counts->spared += (int64_t)(found.draws - found.decided_draws);
        counts->audited += (int64_t)found.audited;
        counts->works += (int64_t)found.audit_works;
        for (uint64_t d = found.decided_draws; d < found.draws; d++)
            good += succeeds(k, study, d, c);
    }
    *truth = counts->spared > 0 ? (double)good / (double)counts->spared : 0;
    gmc_ladder_free(ladder);
    return gmc_audit_estimate_of(counts, 0.95);
}

typedef struct score {
    int64_t studies, covered, audited;
    double bias, square; ///< errors and their squares, summed over those with an estimate
} score;

static void score_study(gmc_audit_estimate e, double truth, score *s)
{
    s->studies++;
    s->covered += e.interval.lower <= truth && truth <= e.interval.upper;
    if (isnan(e.p)) return;
    s->audited++;
    s->bias += e.p - truth;
    s->square += (e.p - truth) * (e.p - truth);
}

/// Coverage at least 94 %, as far as chance at one-sided 99 % allows; bias at most `most`, or,
/// where that is 0, within four standard errors of none.
static void check_score(const char *name, const score *s, double most)
{
    double bias = s->bias / (double)s->audited;
    double error = sqrt(s->square) / (double)s->audited;
    print_message("%s: bias %.5f, covers %.4f of %lld, none audited in %lld\n", name, bias,
                  (double)s->covered / (double)s->studies, (long long)s->studies,
                  (long long)(s->studies - s->audited));
    if (!(gmc_proportion_upper(s->covered, s->studies, 0.99) >= 0.94))
        fail_msg("%s: covers %g", name, (double)s->covered / (double)s->studies);
    if (!(fabs(bias) <= (most > 0 ? most : 4 * error))) fail_msg("%s: bias %g", name, bias);
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
    score all = {0};
    for (int i = 0; i < GMC_COUNT(KINDS); i++) {
        score one = {0};
        for (uint64_t study = 0; study < STUDIES; study++) {
            double truth;
            gmc_audit_counts counts;
            gmc_audit_estimate e = run_study(&KINDS[i], study, &counts, &truth);
            if (counts.spared == 0) continue;
            score_study(e, truth, &one);
            score_study(e, truth, &all);
        }
        check_score(KINDS[i].name, &one, 0);
    }
    check_score("all of them", &all, 0.005);
}

// 160 trials spared, of which 139 succeed, 2 % audited: three at a time. The inverse of the
// probability in place of the ratio is 0.72 on average.
static void few_audited_trials_leave_no_bias(void **state)
{
    (void)state;
    enum { SPARED = 160, WORKS = 139, AUDITS = 20000 };
    score s = {0};
    for (uint64_t audit = 0; audit < AUDITS; audit++) {
        gmc_audit_counts counts = {.spared = SPARED};
        for (uint64_t i = 0; i < SPARED; i++) {
            gmc_stream stream = gmc_stream_for_case(gmc_stream_open(1, audit, "chosen"), i);
            if (!(gmc_stream_uniform(stream, 0) < 0.02)) continue;
            counts.audited++;
            counts.works += i < WORKS;
        }
        score_study(gmc_audit_estimate_of(&counts, 0.95), (double)WORKS / SPARED, &s);
    }
    check_score("160 spared", &s, 0.005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_audit_covers_what_was_spared),
                                       cmocka_unit_test(few_audited_trials_leave_no_bias)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
