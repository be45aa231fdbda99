#include "engine/base/status.h"
#include "sampling/estimate/audit.h"
#include "test/support/near.h"

static void none_audited_says_nothing(void **state)
{
    (void)state;
    gmc_audit_counts counts = {.spared = 160};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
    counts = (gmc_audit_counts){0};
    e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(isnan(e.p));
    assert_true(e.interval.lower == 0);
    assert_true(e.interval.upper == 1);
}

static void all_audited_is_the_count(void **state)
{
    (void)state;
    gmc_audit_counts counts = {.spared = 10, .audited = 10, .works = 3};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.p == 0.3);
    assert_true(e.interval.lower == 0.3);
    assert_true(e.interval.upper == 0.3);
}

static void it_is_the_share_of_the_audited(void **state)
{
    (void)state;
    // ends by exact sums of hypergeometric probabilities (Python)
    static const struct {
        int64_t spared, audited, works, least, largest;
    } CASES[] = {
        {160, 8, 5, 41, 145}, {160, 8, 8, 103, 160}, {160, 8, 0, 0, 57}, {5000, 110, 12, 291, 910}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        gmc_audit_counts counts = {
            .spared = CASES[i].spared, .audited = CASES[i].audited, .works = CASES[i].works};
        gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
        double m = (double)counts.spared;
        ASSERT_NEAR(e.p, (double)counts.works / (double)counts.audited, 0);
        ASSERT_NEAR(e.interval.lower, (double)CASES[i].least / m, 1e-15);
        ASSERT_NEAR(e.interval.upper, (double)CASES[i].largest / m, 1e-15);
    }
}

static void audited_trials_without_a_verdict_widen_it(void **state)
{
    (void)state;
    gmc_audit_counts sure = {.spared = 400, .audited = 40, .works = 10}, open = sure;
    open.open = 5;
    gmc_audit_estimate a = gmc_audit_estimate_of(&sure, 0.95),
                       b = gmc_audit_estimate_of(&open, 0.95);
    ASSERT_NEAR(b.p, 10.0 / 35, 1e-15);
    assert_true(b.interval.lower == a.interval.lower);
    assert_true(b.interval.upper > a.interval.upper + 0.05);
    open.open = 30;
    open.works = 10;
    b = gmc_audit_estimate_of(&open, 0.95);
    assert_true(b.p == 1);
    assert_true(b.interval.upper == 1);
}

int test_audit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_audited_says_nothing),
        cmocka_unit_test(all_audited_is_the_count),
        cmocka_unit_test(it_is_the_share_of_the_audited),
        cmocka_unit_test(audited_trials_without_a_verdict_widen_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
