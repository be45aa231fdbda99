#include "engine/base/status.h"
#include "sampling/estimate/audit.h"
#include "test/support/near.h"

static void without_spared_trials_it_is_the_count(void **state)
{
    (void)state;
    gmc_audit_counts counts = {.run = 80, .run_works = 20, .share = 0.02};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.p == 0.25 && e.interval.lower == 0.25 && e.interval.upper == 0.25);
    assert_true(e.deviation == 0);
    counts = (gmc_audit_counts){.share = 0.02};
    e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(isnan(e.p) && e.interval.lower == 0 && e.interval.upper == 1);
}

static void the_estimate_and_its_variance_are_those_of_the_formulae(void **state)
{
    (void)state;
    gmc_audit_counts counts = {
        .run = 1000, .run_works = 400, .spared = 5000, .audited = 110, .works = 12, .share = 0.02};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    ASSERT_NEAR(e.p, (400 + 12 / 0.02) / 6000, 1e-15);
    ASSERT_NEAR(e.successes, 1000, 1e-12);
    ASSERT_NEAR(e.deviation, sqrt(12 * 0.98) / 0.02 / 6000, 1e-15);
    // ends by exact sums (Python): least K with P(X >= 12) >= 0.025, largest with P(X <= 12) >=
    // 0.025
    ASSERT_NEAR(e.interval.lower, (400 + 313) / 6000.0, 1e-15);
    ASSERT_NEAR(e.interval.upper, (400 + 1043) / 6000.0, 1e-15);
}

static void none_found_is_not_none_there(void **state)
{
    (void)state;
    gmc_audit_counts counts = {.run = 10, .spared = 5000, .audited = 100, .share = 0.02};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.p == 0 && e.interval.lower == 0 && e.deviation == 0);
    // largest K with 0.98^K >= 0.025: 182
    ASSERT_NEAR(e.interval.upper, 182 / 5010.0, 1e-15);
}

static void what_was_looked_at_bounds_what_can_be(void **state)
{
    (void)state;
    gmc_audit_counts counts = {.spared = 10, .audited = 4, .works = 1, .share = 0.5};
    gmc_audit_estimate e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.interval.lower >= 0.1 && e.interval.upper <= 0.7);
    counts.share = 1;
    counts.audited = 10;
    counts.works = 3;
    e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.p == 0.3 && e.interval.lower == 0.3 && e.interval.upper == 0.3);
    counts = (gmc_audit_counts){.run = 10, .run_works = 5, .spared = 10, .share = 0};
    e = gmc_audit_estimate_of(&counts, 0.95);
    assert_true(e.interval.lower == 0.25 && e.interval.upper == 0.75);
}

static void audited_trials_without_a_verdict_widen_it(void **state)
{
    (void)state;
    gmc_audit_counts sure = {.spared = 400, .audited = 40, .works = 10, .share = 0.1}, open = sure;
    open.open = 5;
    gmc_audit_estimate a = gmc_audit_estimate_of(&sure, 0.95),
                       b = gmc_audit_estimate_of(&open, 0.95);
    assert_true(b.p == a.p && b.interval.lower == a.interval.lower);
    assert_true(b.interval.upper > a.interval.upper + 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_spared_trials_it_is_the_count),
        cmocka_unit_test(the_estimate_and_its_variance_are_those_of_the_formulae),
        cmocka_unit_test(none_found_is_not_none_there),
        cmocka_unit_test(what_was_looked_at_bounds_what_can_be),
        cmocka_unit_test(audited_trials_without_a_verdict_widen_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
