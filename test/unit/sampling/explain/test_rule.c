// Rules that tell members from others: found where there is one, not where there is none, and not
// praised for what they were fitted to.
#include "sampling/estimate/proportion.h"
#include "sampling/explain/rule.h"
#include "sampling/random/stream.h"
#include "test/support/enumerate.h"
#include "test/support/near.h"

#include <stdlib.h>
#include <string.h>

enum { INPUTS = 5, MOST = 2000 };

typedef struct made {
    double x[MOST * INPUTS];
    uint64_t unit[MOST];
    unsigned char is_member[MOST], is_tested[MOST];
    gmc_rule_rows rows;
} made;

/// Uniform inputs; `is_member` is left to the caller.
static made *make(int count, uint64_t seed)
{
    made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (int i = 0; i < count; i++) {
        gmc_stream u = gmc_stream_open_hashed(91, seed, (uint64_t)i);
        for (int j = 0; j < INPUTS; j++)
            m->x[i * INPUTS + j] = gmc_stream_uniform(u, (uint64_t)j);
        m->unit[i] = (uint64_t)i;
        m->is_tested[i] = 1;
    }
    m->rows = (gmc_rule_rows){.count = count,
                              .inputs = INPUTS,
                              .x = m->x,
                              .unit = m->unit,
                              .is_member = m->is_member,
                              .is_tested = m->is_tested};
    return m;
}

static gmc_rule_found find(const made *m)
{
    gmc_rule_found found;
    assert_int_equal(gmc_rule_find(&m->rows, &found), GMC_OK);
    return found;
}

/// What is told of a rule is of that rule, in the third that it was not found in.
static void assert_counts(const made *m, const gmc_rule_found *f)
{
    int64_t hits = 0, chosen = 0, members = 0, count = 0;
    for (int64_t i = 0; i < m->rows.count; i++) {
        if (!gmc_rule_is_judge(m->unit[i]) || !m->is_tested[i]) continue;
        bool holds = gmc_rule_holds(&f->rule, m->x + i * INPUTS);
        count++;
        members += m->is_member[i];
        chosen += holds;
        hits += holds && m->is_member[i];
    }
    assert_int_equal(f->hits, hits);
    assert_int_equal(f->chosen, chosen);
    assert_int_equal(f->members, members);
    assert_int_equal(f->count, count);
    ASSERT_NEAR(f->precision, (double)hits / (double)chosen, 1e-15);
    ASSERT_NEAR(f->recall, (double)hits / (double)members, 1e-15);
}

static void one_threshold(void **state)
{
    (void)state;
    made *m = make(400, 1);
    for (int i = 0; i < 400; i++)
        m->is_member[i] = m->x[i * INPUTS + 2] < 0.2;
    gmc_rule_found f = find(m);
    assert_int_equal(f.rule.term_count, 1);
    const gmc_rule_term *t = &f.rule.terms[0];
    assert_int_equal(t->input, 2);
    assert_true(t->lower == -HUGE_VAL);
    assert_true(!t->is_outside);
    ASSERT_NEAR(t->upper, 0.2, 0.02); // a gap of 400 draws
    for (int i = 0; i < 400; i++)
        assert_int_equal(gmc_rule_holds(&f.rule, m->x + i * INPUTS), m->is_member[i]);
    assert_true(f.precision > 0.95);
    assert_true(f.recall > 0.95);
    ASSERT_BELOW(f.chance, 1e-9);
    free(m);
}

static void two_inputs_and_both_sides(void **state)
{
    (void)state;
    made *m = make(1000, 2);
    for (int i = 0; i < 1000; i++) {
        const double *x = m->x + i * INPUTS;
        m->is_member[i] = x[0] > 0.7 && (x[3] < 0.25 || x[3] > 0.8);
    }
    gmc_rule_found f = find(m);
    assert_int_equal(f.rule.term_count, 2);
    assert_int_equal(f.rule.terms[0].input, 0);
    assert_int_equal(f.rule.terms[1].input, 3);
    assert_true(f.rule.terms[1].is_outside);
    ASSERT_NEAR(f.rule.terms[0].lower, 0.7, 0.03);
    ASSERT_NEAR(f.rule.terms[1].lower, 0.25, 0.03);
    ASSERT_NEAR(f.rule.terms[1].upper, 0.8, 0.03);
    assert_true(f.precision > 0.9);
    assert_true(f.recall > 0.9);
    ASSERT_BELOW(f.chance, 1e-9);
    assert_counts(m, &f);
    free(m);
}

static void between_two_thresholds_and_inputs_without_a_value(void **state)
{
    (void)state;
    made *m = make(600, 3);
    for (int i = 0; i < 600; i++) {
        double *x = m->x + i * INPUTS;
        m->is_member[i] = x[4] > 0.4 && x[4] < 0.6;
        if (i % 10 == 0) x[4] = (double)NAN;
        x[1] = i % 2; // of two values
    }
    gmc_rule_found f = find(m);
    assert_int_equal(f.rule.term_count, 1);
    assert_int_equal(f.rule.terms[0].input, 4);
    ASSERT_NEAR(f.rule.terms[0].lower, 0.4, 0.03);
    ASSERT_NEAR(f.rule.terms[0].upper, 0.6, 0.03);
    assert_counts(m, &f);
    assert_true(f.recall > 0.75);
    assert_true(f.recall < 1); // those without a value are missed
    free(m);
}

static void two_sided_at_any_share(void **state)
{
    (void)state;
    // members lie outside of the middle, or of what is not the middle, `below` of them on the left;
    // of the others a few are members, too
    static const struct {
        double share, noise;
        int count;
        double below;
    } CASES[] = {{0.3, 0, 400, 0.5},     {0.66, 0, 400, 0.5},   {0.9, 0, 400, 0.5},
                 {0.66, 0, 2000, 0.5},   {0.3, 0.05, 400, 0.5}, {0.66, 0.05, 400, 0.5},
                 {0.9, 0.05, 400, 0.5},  {0.1, 0, 1000, 0.5},   {0.3, 0, 400, 0.2},
                 {0.66, 0, 400, 0.2},    {0.9, 0, 400, 0.2},    {0.3, 0.05, 400, 0.3},
                 {0.66, 0.05, 400, 0.2}, {0.9, 0.05, 400, 0.2}, {0.1, 0, 2000, 0.2}};
    for (int c = 0; c < GMC_COUNT(CASES); c++) {
        double lower = CASES[c].share * CASES[c].below, upper = 1 - CASES[c].share + lower;
        int found = 0, within = 0;
        for (uint64_t k = 0; k < 20; k++) {
            made *m = make(CASES[c].count, 5000 + 100 * (uint64_t)c + k);
            int hits = 0, chosen = 0;
            for (int i = 0; i < CASES[c].count; i++) {
                double x = m->x[i * INPUTS + 3];
                bool is_noise = gmc_stream_uniform(gmc_stream_open_hashed(96, k, (uint64_t)i), 0) <
                                CASES[c].noise;
                m->is_member[i] = (x < lower || x > upper) != is_noise;
            }
            gmc_rule_found f = find(m);
            const gmc_rule_term *t = &f.rule.terms[0];
            assert_counts(m, &f);
            for (int i = 0; i < CASES[c].count; i++) {
                bool holds = gmc_rule_holds(&f.rule, m->x + i * INPUTS);
                chosen += holds;
                hits += holds && m->is_member[i];
            }
            // gaps are 1.5 / count; behind a trial by noise lie twenty others, the next threshold
            double off = (CASES[c].noise > 0 ? 40.0 : 12.0) / CASES[c].count;
            found += f.chance < 0.05 && f.rule.term_count == 1 && t->input == 3 && t->is_outside &&
                     fabs(t->lower - lower) < off && fabs(t->upper - upper) < off;
            gmc_interval interval = gmc_proportion_clopper_pearson(f.hits, f.chosen, 0.95);
            double precision = (double)hits / chosen;
            within += precision >= interval.lower && precision <= interval.upper;
            free(m);
        }
        printf("share %.2f, %.1f of it below, noise %.2f, %d trials: %d of 20 found, %d recounts "
               "within\n",
               CASES[c].share, CASES[c].below, CASES[c].noise, CASES[c].count, found, within);
        assert_true(found >= (CASES[c].noise > 0 ? 19 : 20));
        assert_true(within >= 19);
    }
}

static void chance_is_told_from_rules(void **state)
{
    (void)state;
    enum { STUDIES = 200 };
    static const double SHARES[] = {0.1, 0.66};
    for (int c = 0; c < GMC_COUNT(SHARES); c++) {
        int claimed = 0;
        double praise = 0, share = 0;
        for (uint64_t k = 0; k < STUDIES; k++) {
            made *m = make(200, 100 + k);
            int members = 0;
            for (int i = 0; i < 200; i++) {
                gmc_stream u = gmc_stream_open_hashed(92, k, (uint64_t)i);
                members += m->is_member[i] = gmc_stream_uniform(u, 0) < SHARES[c];
            }
            gmc_rule_found f = find(m);
            claimed += f.chance < 0.05;
            praise += (isnan(f.precision) ? SHARES[c] : f.precision) / STUDIES;
            share += members / 200.0 / STUDIES;
            free(m);
        }
        printf("of %d studies without a rule %d claim one; precision %.3f, share %.3f\n", STUDIES,
               claimed, praise, share);
        assert_true(claimed <= 0.05 * STUDIES + 2.33 * sqrt(0.05 * 0.95 * STUDIES));
        ASSERT_NEAR(praise, share, 0.04); // four standard errors of some 20 chosen in each
    }
}

static void a_weak_rule_is_told(void **state)
{
    (void)state;
    enum { STUDIES = 60 };
    int told = 0;
    for (uint64_t k = 0; k < STUDIES; k++) {
        made *m = make(500, 3000 + k);
        for (int i = 0; i < 500; i++) {
            const double *x = m->x + i * INPUTS;
            gmc_stream u = gmc_stream_open_hashed(95, k, (uint64_t)i);
            double p = x[0] < 0.5 && x[1] < 0.5 ? 0.4 : 0.1;
            m->is_member[i] = gmc_stream_uniform(u, 0) < p;
        }
        told += find(m).chance < 0.05;
        free(m);
    }
    printf("of %d studies with a weak rule %d tell it\n", STUDIES, told);
    assert_true(told >= 0.75 * STUDIES); // 0.86 of 600
}

static void precision_is_that_of_fresh_trials(void **state)
{
    (void)state;
    enum { STUDIES = 60, FRESH = 1200 };
    double told = 0, true_one = 0, told_recall = 0, true_recall = 0;
    made *fresh = make(FRESH, 7);
    for (uint64_t k = 0; k < STUDIES; k++) {
        made *m = make(250, 1000 + k);
        // a member with probability 0.8 within a corner, 0.05 elsewhere
        for (int which = 0; which < 2; which++) {
            made *of = which ? fresh : m;
            for (int i = 0; i < of->rows.count; i++) {
                const double *x = of->x + i * INPUTS;
                gmc_stream u = gmc_stream_open_hashed(93 + (uint64_t)which, k, (uint64_t)i);
                double p = x[0] < 0.5 && x[1] < 0.5 ? 0.8 : 0.05;
                of->is_member[i] = gmc_stream_uniform(u, 0) < p;
            }
        }
        gmc_rule_found f = find(m);
        int hits = 0, chosen = 0, members = 0;
        for (int i = 0; i < FRESH; i++) {
            bool holds = gmc_rule_holds(&f.rule, fresh->x + i * INPUTS);
            chosen += holds;
            hits += holds && fresh->is_member[i];
            members += fresh->is_member[i];
        }
        told += f.precision / STUDIES;
        true_one += (double)hits / chosen / STUDIES;
        told_recall += f.recall / STUDIES;
        true_recall += (double)hits / members / STUDIES;
        free(m);
    }
    free(fresh);
    printf("precision told %.3f, of fresh trials %.3f; recall %.3f, %.3f\n", told, true_one,
           told_recall, true_recall);
    ASSERT_NEAR(told, true_one, 0.04); // it has not seen them either
    ASSERT_NEAR(told_recall, true_recall, 0.04);
}

static void the_test_is_fishers(void **state)
{
    (void)state;
    double f[31] = {0};
    for (int i = 1; i <= 30; i++)
        f[i] = f[i - 1] + log(i);
    for (int hits = 0; hits <= 8; hits++) {
        double sum = 0; // choose 10 of 30, of which 8 are members
        for (int k = hits; k <= 8; k++)
            sum += exp(lgamma(9) - lgamma(k + 1) - lgamma(9 - k) + lgamma(23) - lgamma(11 - k) -
                       lgamma(13 + k) - lgamma(31) + lgamma(11) + lgamma(21));
        ASSERT_NEAR(gmc_rule_tail(hits, 10, 8, 30, f), fmin(sum, 1), 1e-12);
    }
    assert_true(gmc_rule_tail(0, 0, 8, 30, f) == 1);        // none is chosen: nothing is told
    ASSERT_NEAR(gmc_rule_tail(9, 25, 14, 30, f), 1, 1e-12); // it cannot be fewer
}

static void too_few_have_no_rule(void **state)
{
    (void)state;
    made *m = make(100, 5);
    for (int i = 0; i < GMC_RULE_LEAST - 1; i++)
        m->is_member[i] = 1;
    gmc_rule_found f = find(m);
    assert_int_equal(f.rule.term_count, 0);
    assert_true(f.chance == 1);
    assert_true(isnan(f.precision));
    assert_false(gmc_rule_holds(&f.rule, m->x));
    memset(m->is_member, 1, 100);
    assert_int_equal(find(m).rule.term_count, 0);
    free(m);
}

int test_rule(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_threshold),
        cmocka_unit_test(two_inputs_and_both_sides),
        cmocka_unit_test(between_two_thresholds_and_inputs_without_a_value),
        cmocka_unit_test(two_sided_at_any_share),
        cmocka_unit_test(chance_is_told_from_rules),
        cmocka_unit_test(a_weak_rule_is_told),
        cmocka_unit_test(precision_is_that_of_fresh_trials),
        cmocka_unit_test(the_test_is_fishers),
        cmocka_unit_test(too_few_have_no_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
