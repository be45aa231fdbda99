// Two results held against each other: every count against one made here from the verdicts, and
// what cannot be compared.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/check.h"
#include "sampling/findings/pairing.h"
#include "sampling/store/store.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"
#include "test/support/near.h"
#include "test/support/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIFT, SLIP, MAX_FORCE }; ///< the measures

static gmc_scratch scratch;
static gmc_diagnostics messages;
static char paths[2][96];
static made_run runs[2];
static gmc_result *results[2];

static int set_up(void **state)
{
    (void)state;
    scratch = gmc_scratch_open();
    for (int k = 0; k < 2; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%d.h5", scratch.folder, k);
        made_run_start(&runs[k], 0, 40);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        gmc_result_close(results[k]);
    results[0] = results[1] = NULL;
    gmc_diagnostics_free(&messages);
    gmc_scratch_close(&scratch);
    return 0;
}

/// How a trial ends; the two sides differ in about a third of them.
static gmc_outcome outcome_of(int side, uint64_t n)
{
    uint64_t x = (n + 17) * UINT64_C(0x9e3779b97f4a7c15) >> 60; // 0 to 15
    if (x == 3) return side == 0 ? GMC_OUTCOME_UNSOLVED : GMC_OUTCOME_SUCCESS;
    if (x == 4) return side == 1 ? GMC_OUTCOME_UNSOLVED : GMC_OUTCOME_MISSED;
    if (x == 5) return GMC_OUTCOME_UNSOLVED;
    if (x < 3) return side == 0 ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_LOST;
    if (x < 8) return side == 0 ? GMC_OUTCOME_MISSED : GMC_OUTCOME_SUCCESS;
    return x < 13 ? GMC_OUTCOME_SUCCESS : GMC_OUTCOME_MISSED;
}

static double lift_of(int side, uint64_t n) { return 0.01 * (double)n + (side == 1 ? 0.004 : 0); }

/// Write the file of a side by its plan, and open it.
static void make(int side)
{
    const gmc_store_plan *plan = &runs[side].plan;
    const gmc_store_options options = {.path = paths[side], .mode = GMC_JOURNAL_NEW};
    gmc_store *store;
    gmc_trial_copy copy = {0};
    assert_int_equal(gmc_store_open(plan, &options, &messages, &store, NULL), GMC_OK);
    gmc_sink sink = gmc_store_sink(store);
    for (uint64_t n = plan->first; n < plan->first + plan->count; n++) {
        assert_int_equal(made_run_trial(&runs[side], n, &copy), GMC_OK);
        gmc_trial *t = &copy.trial;
        t->outcome = outcome_of(side, n);
        t->reason = t->outcome == GMC_OUTCOME_UNSOLVED ? GMC_REASON_NO_SOLUTION : GMC_REASON_NONE;
        t->case_index = (uint32_t)(n % (uint64_t)plan->case_count);
        t->draw = n / (uint64_t)plan->case_count;
        t->values[0] = lift_of(side, n);
        t->trajectory = NULL;
        assert_int_equal(sink.put(sink.context, t), GMC_OK);
    }
    gmc_trial_copy_free(&copy);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_int_equal(gmc_result_open(paths[side], &messages, &results[side]), GMC_OK);
}

static gmc_pairing_side side_of(int k)
{
    return (gmc_pairing_side){.result = results[k],
                              .path = paths[k],
                              .is_independent = runs[k].plan.is_independent,
                              .replicas = runs[k].plan.replicas};
}

static gmc_pairing read_both(void)
{
    make(0);
    make(1);
    const gmc_pairing_side sides[2] = {side_of(0), side_of(1)};
    gmc_pairing pairing;
    assert_int_equal(gmc_pairing_read(sides, 0.95, &messages, &pairing), GMC_OK);
    assert_int_equal(messages.count, 0);
    return pairing;
}

/// Counts of trials [first, last), which both files have.
static void expect_counts(const gmc_pairing *p, uint64_t first, uint64_t last)
{
    gmc_paired_cells cells[MADE_CASES] = {{0}};
    int64_t open[MADE_CASES] = {0}, lifted = 0;
    for (uint64_t n = first; n < last; n++) {
        gmc_outcome a = outcome_of(0, n), b = outcome_of(1, n);
        gmc_paired_cells *c = &cells[n % MADE_CASES];
        bool is_open = a == GMC_OUTCOME_UNSOLVED || b == GMC_OUTCOME_UNSOLVED;
        bool is_first = a == GMC_OUTCOME_SUCCESS, is_second = b == GMC_OUTCOME_SUCCESS;
        open[n % MADE_CASES] += is_open;
        if (is_open) continue;
        c->both += is_first && is_second;
        c->only_first += is_first && !is_second;
        c->only_second += !is_first && is_second;
        c->neither += !is_first && !is_second;
        lifted += is_first && is_second;
    }
    assert_int_equal(p->case_count, MADE_CASES);
    for (int c = 0; c < MADE_CASES; c++) {
        assert_memory_equal(&p->cases[c].cells, &cells[c], sizeof cells[c]);
        assert_int_equal(p->cases[c].open, open[c]);
    }
    assert_int_equal(p->measures[LIFT].pairs, lifted);
}

static void pairs_are_trials_of_one_number(void **state)
{
    (void)state;
    gmc_pairing p = read_both();
    assert_true(p.is_paired);
    assert_true(!p.why_not);
    assert_true(!p.is_stopped);
    expect_counts(&p, 0, 40);
    assert_true(p.alone[0] == 0);
    assert_true(p.alone[1] == 0);
    assert_true(p.left_out == 0);
    int64_t successes[2] = {0}, decided[2] = {0}, pairs = 0;
    for (int k = 0; k < 2; k++) {
        for (uint64_t n = 0; n < 40; n++) {
            successes[k] += outcome_of(k, n) == GMC_OUTCOME_SUCCESS;
            decided[k] += outcome_of(k, n) != GMC_OUTCOME_UNSOLVED;
        }
        assert_int_equal(p.totals[k].tally.successes, successes[k]);
        assert_int_equal(p.totals[k].tally.successes + p.totals[k].tally.failures, decided[k]);
    }
    ASSERT_NEAR(p.difference,
                (double)successes[1] / (double)decided[1] -
                    (double)successes[0] / (double)decided[0],
                1e-15); // one rounding each
    gmc_paired_estimate e = gmc_paired_estimate_of(&p.paired);
    for (int c = 0; c < MADE_CASES; c++)
        pairs += gmc_paired_count(p.cases[c].cells);
    assert_int_equal(gmc_paired_count(e.cells), pairs);
    assert_true(e.interval.lower <= e.difference);
    assert_true(e.difference <= e.interval.upper);
    gmc_pairing_free(&p);
    assert_null(p.cases);
}

static void measures_are_of_pairs_that_both_succeed(void **state)
{
    (void)state;
    gmc_pairing p = read_both();
    assert_string_equal(p.measures[LIFT].name, "lift");
    // each pair moved by 4 mm, so each draw did; lifts of 0.4 m have errors of 1e-16
    ASSERT_NEAR(p.measures[LIFT].units.mean, 0.004, 1e-15);
    assert_int_equal(p.measures[SLIP].pairs, 0); // neither file has it
    assert_int_equal(p.measures[MAX_FORCE].pairs, 0);
    gmc_pairing_free(&p);
}

static void a_file_beside_itself_differs_in_nothing(void **state)
{
    (void)state;
    make(0);
    const gmc_pairing_side sides[2] = {side_of(0), side_of(0)};
    gmc_pairing p;
    assert_int_equal(gmc_pairing_read(sides, 0.95, &messages, &p), GMC_OK);
    assert_true(p.is_paired);
    assert_true(p.difference == 0);
    for (int c = 0; c < MADE_CASES; c++) {
        assert_true(p.cases[c].cells.only_first == 0);
        assert_true(p.cases[c].cells.only_second == 0);
    }
    assert_true(p.measures[LIFT].units.mean == 0);
    gmc_pairing_free(&p);
}

static void parts_that_overlap_are_paired_where_they_do(void **state)
{
    (void)state;
    made_run_start(&runs[0], 0, 26);
    made_run_start(&runs[1], 10, 40);
    gmc_pairing p = read_both();
    assert_true(p.is_paired);
    expect_counts(&p, 10, 26);
    assert_int_equal(p.alone[0], 10);
    assert_int_equal(p.alone[1], 24);
    assert_int_equal(p.left_out, 4); // of draws 2 and 6 two cases each
    gmc_pairing_free(&p);
}

static void one_trial_in_common_is_a_pair(void **state)
{
    (void)state;
    made_run_start(&runs[0], 0, 9);
    made_run_start(&runs[1], 8, 8);
    gmc_pairing p = read_both();
    assert_true(p.is_paired);
    expect_counts(&p, 8, 9);
    assert_true(p.alone[0] == 8);
    assert_true(p.alone[1] == 7);
    assert_true(p.left_out == 1);
    gmc_pairing_free(&p);
}

static void expect_apart(const char *why)
{
    gmc_pairing p = read_both();
    assert_false(p.is_paired);
    assert_string_equal(p.why_not, why);
    for (int c = 0; c < MADE_CASES; c++) {
        assert_true(gmc_paired_count(p.cases[c].cells) == 0);
        assert_true(p.cases[c].open == 0);
    }
    assert_int_equal(p.alone[0], runs[0].plan.count);
    assert_true(p.apart.lower <= p.difference);
    assert_true(p.difference <= p.apart.upper);
    assert_true(isfinite(p.difference));
    gmc_pairing_free(&p);
}

static void other_seeds_are_no_pairs(void **state)
{
    (void)state;
    runs[1].plan.seed++;
    expect_apart("their seeds differ");
}

static void other_designs_are_no_pairs(void **state)
{
    (void)state;
    runs[1].plan.design = "csv";
    expect_apart("their designs differ");
}

static void draws_of_their_own_are_no_pairs(void **state)
{
    (void)state;
    runs[1].plan.is_independent = true;
    expect_apart("only one of them has draws of its own for every case");
}

static void ranges_that_only_touch_are_no_pairs(void **state)
{
    (void)state;
    made_run_start(&runs[0], 0, 8);
    made_run_start(&runs[1], 8, 8);
    expect_apart("they have no draw in common");
}

static void refuse(const gmc_pairing_side sides[2], gmc_status wanted, const char *words)
{
    gmc_pairing p;
    gmc_diagnostics_free(&messages);
    assert_int_equal(gmc_pairing_read(sides, 0.95, &messages, &p), wanted);
    assert_int_equal(messages.error_count, 1);
    if (!strstr(messages.items[0].message, words)) fail_msg("%s", messages.items[0].message);
    gmc_pairing_free(&p); // in every case
}

static void what_makes_no_pairs_is_refused(void **state)
{
    (void)state;
    runs[1].plan.case_count = 2;
    make(0);
    make(1);
    gmc_pairing_side sides[2] = {side_of(0), side_of(1)};
    refuse(sides, GMC_E_MISMATCH, "cases: 2 here, 4 in the first file");
    for (int k = 0; k < 2; k++) {
        gmc_pairing_side weighted[2] = {side_of(0), side_of(0)};
        weighted[k].is_weighted = true;
        refuse(weighted, GMC_E_INPUT, "importance sampling");
    }
    // even designs of one seed, but of another number of randomisations
    gmc_pairing_side even[2] = {side_of(0), side_of(0)};
    even[0].replicas = 16;
    even[1].replicas = 32;
    refuse(even, GMC_E_MISMATCH, "chance is shared, yet not draw by draw");
}

static void hypercubes_of_another_length_are_refused(void **state)
{
    (void)state;
    made_run_start(&runs[1], 0, 80);
    for (int k = 0; k < 2; k++)
        runs[k].plan.design = "latin_hypercube";
    make(0);
    make(1);
    gmc_pairing_side sides[2] = {side_of(0), side_of(1)};
    sides[0].replicas = sides[1].replicas = 10;
    refuse(sides, GMC_E_MISMATCH, "another number of draws");
}

static void draws_that_depend_on_each_other_are_refused(void **state)
{
    (void)state;
    runs[1].plan.design = "morris";
    make(0);
    make(1);
    gmc_pairing_side sides[2] = {side_of(0), side_of(1)};
    refuse(sides, GMC_E_INPUT, "depend on each other");
}

#define OF(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int test_pairing(void)
{
    const struct CMUnitTest tests[] = {
        OF(pairs_are_trials_of_one_number),
        OF(measures_are_of_pairs_that_both_succeed),
        OF(a_file_beside_itself_differs_in_nothing),
        OF(parts_that_overlap_are_paired_where_they_do),
        OF(one_trial_in_common_is_a_pair),
        OF(other_seeds_are_no_pairs),
        OF(other_designs_are_no_pairs),
        OF(draws_of_their_own_are_no_pairs),
        OF(ranges_that_only_touch_are_no_pairs),
        OF(what_makes_no_pairs_is_refused),
        OF(hypercubes_of_another_length_are_refused),
        OF(draws_that_depend_on_each_other_are_refused),
    };
    return cmocka_run_group_tests_name("pairing", tests, NULL, NULL);
}
