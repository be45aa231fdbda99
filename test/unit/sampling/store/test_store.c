// One output from start to end: same bytes whatever the order and the interruptions, refusals that
// change nothing, failures that leave either the old result or none.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/record.h"
#include "sampling/store/result.h"
#include "sampling/store/store.h"
#include "sampling/store/writer.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIALS = 90 };

static char folder[] = "/tmp/gmc_store_XXXXXX";
static char path[64], other[64], journal[80];
static made_run run;
static gmc_diagnostics messages;

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(other, sizeof other, "%s/other.h5", folder);
    snprintf(journal, sizeof journal, "%s.journal", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); // fails if a test left something behind
}

static int set_up(void **state)
{
    (void)state;
    made_run_start(&run, 0, TRIALS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_diagnostics_free(&messages);
    unlink(path);
    unlink(other);
    unlink(journal);
    return 0;
}

static gmc_status open_store(const char *name, gmc_journal_mode mode, gmc_store **store,
                             gmc_store_found *found)
{
    const gmc_store_options options = {.path = name, .mode = mode};
    gmc_diagnostics_free(&messages);
    return gmc_store_open(&run.plan, &options, &messages, store, found);
}

static void put(gmc_store *store, uint64_t number)
{
    static gmc_trial_copy trial;
    gmc_sink sink = gmc_store_sink(store);
    made_run_trial(&run, number, &trial);
    assert_int_equal(sink.put(sink.context, &trial.trial), GMC_OK);
    gmc_trial_copy_free(&trial);
}

/// Put trials [first, last) with a stride that is coprime to their number, so in another order.
static void put_all(gmc_store *store, uint64_t stride)
{
    gmc_sink sink = gmc_store_sink(store);
    for (uint64_t i = 0; i < run.plan.count; i++) {
        uint64_t n = run.plan.first + i * stride % run.plan.count;
        if (!sink.has(sink.context, n)) put(store, n);
    }
}

static void write_result(const char *name, uint64_t stride)
{
    gmc_store *store;
    assert_int_equal(open_store(name, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    put_all(store, stride);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
}

static size_t read_bytes(const char *name, unsigned char **bytes)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    *bytes = malloc(size);
    assert_int_equal(fread(*bytes, 1, size, f), size);
    fclose(f);
    return size;
}

static void assert_same_files(const char *a, const char *b)
{
    unsigned char *x, *y;
    size_t n = read_bytes(a, &x), m = read_bytes(b, &y);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static bool is_there(const char *name) { return access(name, F_OK) == 0; }

static void any_order_gives_the_same_bytes(void **state)
{
    (void)state;
    write_result(path, 1);
    assert_false(is_there(journal));
    write_result(other, 37); // coprime to 90
    assert_same_files(path, other);
}

static void another_seed_or_trial_gives_other_bytes(void **state)
{
    (void)state;
    write_result(path, 1);
    run.plan.seed++;
    write_result(other, 1);
    unsigned char *a, *b;
    size_t n = read_bytes(path, &a), m = read_bytes(other, &b);
    assert_true(n != m || memcmp(a, b, n) != 0);
    free(a);
    free(b);
}

static void interrupted_and_resumed_gives_the_same_bytes(void **state)
{
    (void)state;
    write_result(other, 1);
    gmc_store *store;
    gmc_store_found found;
    uint64_t done = 0;
    while (done < TRIALS) { // a few trials a session
        assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, &found), GMC_OK);
        assert_int_equal(found.kept, done);
        assert_int_equal(found.counts.successes + found.counts.failures + found.counts.unsolved,
                         done);
        for (int i = 0; i < 23 && done < TRIALS; i++)
            put(store, done++ * 7 % TRIALS);
        gmc_store_close(store);
        assert_false(is_there(path));
    }
    assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, &found), GMC_OK);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_same_files(path, other);
}

static void resuming_what_is_done_is_no_work(void **state)
{
    (void)state;
    write_result(path, 1);
    gmc_store *store;
    gmc_store_found found;
    assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, &found), GMC_OK);
    assert_true(found.is_complete);
    gmc_sink sink = gmc_store_sink(store);
    for (uint64_t n = 0; n < TRIALS; n++)
        assert_true(sink.has(sink.context, n));
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_false(is_there(journal));
}

static void killed_before_the_journal_was_removed(void **state)
{
    (void)state;
    write_result(path, 1);
    // the journal as it was just before the end
    gmc_store *store;
    gmc_store_found found;
    assert_int_equal(open_store(other, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    put_all(store, 1);
    gmc_store_close(store);
    char left[96];
    snprintf(left, sizeof left, "%s.journal", other);
    assert_int_equal(rename(left, journal), 0);

    assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, &found), GMC_OK);
    assert_true(found.is_complete);
    gmc_store_close(store);
    assert_false(is_there(journal));
    assert_true(is_there(path));
}

static void what_exists_is_not_touched(void **state)
{
    (void)state;
    write_result(path, 1);
    write_result(other, 1);
    gmc_store *store;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_EXISTS);
    assert_null(store);
    assert_string_equal(messages.items[0].source.file, path);

    run.plan.digest = gmc_sha256_of("another", 7);
    assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, NULL), GMC_E_MISMATCH);
    assert_non_null(strstr(messages.items[0].message, "scenario_digest"));
    assert_false(is_there(journal));
    assert_same_files(path, other);

    // with force, the old result stays until the new one is complete
    assert_int_equal(open_store(path, GMC_JOURNAL_FORCE, &store, NULL), GMC_OK);
    put(store, 3);
    gmc_store_close(store);
    assert_same_files(path, other);
    gmc_store_found found;
    assert_int_equal(open_store(path, GMC_JOURNAL_RESUME, &store, &found), GMC_OK);
    assert_int_equal(found.kept, 1);
    put_all(store, 1);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    unsigned char *a, *b;
    size_t n = read_bytes(path, &a), m = read_bytes(other, &b);
    assert_true(n != m || memcmp(a, b, n) != 0);
    free(a);
    free(b);
}

static void places_that_cannot_hold_a_file(void **state)
{
    (void)state;
    gmc_store *store;
    assert_int_equal(open_store(folder, GMC_JOURNAL_FORCE, &store, NULL), GMC_E_CREATE);
    assert_int_equal(open_store("/nowhere/out.h5", GMC_JOURNAL_NEW, &store, NULL), GMC_E_CREATE);
    assert_string_equal(messages.items[0].source.file, "/nowhere/out.h5.journal");
}

static void unfinished_runs_give_no_result(void **state)
{
    (void)state;
    gmc_store *store;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    for (uint64_t n = 0; n + 1 < TRIALS; n++)
        put(store, n);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_E_MISSING);
    assert_non_null(strstr(messages.items[0].message, "trial 89"));
    assert_false(is_there(path));

    // nor does a stop while the result is written, and nothing is lost by it
    put(store, TRIALS - 1);
    atomic_bool stop = true;
    assert_int_equal(gmc_store_finish(store, &stop), GMC_E_INTERRUPTED);
    assert_false(is_there(path));
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_true(is_there(path));
}

static void leftovers_of_killed_writers_are_removed(void **state)
{
    (void)state;
    char stale[96], foreign[96];
    snprintf(stale, sizeof stale, "%s.tmp.4711", path);
    snprintf(foreign, sizeof foreign, "%s.tmp.old", path);
    close(open(stale, O_CREAT | O_WRONLY, 0600));
    close(open(foreign, O_CREAT | O_WRONLY, 0600));
    gmc_store *store;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_false(is_there(stale));
    assert_true(is_there(foreign));
    unlink(foreign);
}

static void plans_that_cannot_be_stored_are_refused(void **state)
{
    (void)state;
    gmc_store *store;
    gmc_column columns[MADE_COLUMNS];
    memcpy(columns, run.plan.columns, sizeof columns);
    run.plan.columns = columns;
    columns[4].name = "outcome"; // a fixed field
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_INPUT);
    columns[4].name = columns[3].name;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_INPUT);
    columns[4].name = "fine";
    run.edges[1][4] = run.edges[1][3];
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_INPUT);
    run.edges[1][4] = 0.5 * (run.edges[1][3] + run.edges[1][5]);
    run.histograms[0].index[0] = MADE_PARAMETERS;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_INPUT);
    run.histograms[0].index[0] = 2;
    run.cases[1].model = 2;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_E_INPUT);
    assert_false(is_there(journal));
}

/// A plan without anything optional: no parameters, assets, joints, contacts, histograms,
/// trajectories.
static void the_smallest_run(void **state)
{
    (void)state;
    static const gmc_store_model nothing = {0};
    static const gmc_store_case only = {.object = "object"};
    run.plan.parameter_count = run.plan.column_count = run.plan.asset_count = 0;
    run.plan.histogram_count = run.plan.phase_count = 0;
    run.plan.models = &nothing;
    run.plan.model_count = 1;
    run.plan.cases = &only;
    run.plan.case_count = 1;
    run.plan.first = 5;
    run.plan.count = 1;
    run.plan.text = run.plan.expanded = "";
    gmc_store *store;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    const gmc_trial trial = {.trial = 5, .draw = 5, .outcome = GMC_OUTCOME_SUCCESS};
    gmc_sink sink = gmc_store_sink(store);
    assert_int_equal(sink.put(sink.context, &trial), GMC_OK);
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);

    gmc_result *result;
    assert_int_equal(gmc_result_open(path, &messages, &result), GMC_OK);
    gmc_trial_copy back = {0};
    assert_int_equal(gmc_result_trial(result, 5, &back), GMC_OK);
    assert_int_equal(back.trial.outcome, GMC_OUTCOME_SUCCESS);
    assert_null(back.trial.trajectory);
    assert_int_equal(gmc_result_verify(result), GMC_OK);
    assert_string_equal(gmc_result_about(result)->text, "");
    gmc_trial_copy_free(&back);
    gmc_result_close(result);
}

static void records_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    gmc_store *store;
    assert_int_equal(open_store(path, GMC_JOURNAL_NEW, &store, NULL), GMC_OK);
    put_all(store, 1);
    // the same journal under a plan that lacks a model's body
    gmc_store_model short_model = run.plan.models[0];
    gmc_store_model models[2] = {short_model, run.plan.models[1]};
    models[0].body_count--;
    run.plan.models = models;
    assert_int_equal(gmc_store_finish(store, NULL), GMC_E_INPUT);
    gmc_store_close(store);
    assert_false(is_there(path));
}

int test_store(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        T(any_order_gives_the_same_bytes),
        T(another_seed_or_trial_gives_other_bytes),
        T(interrupted_and_resumed_gives_the_same_bytes),
        T(resuming_what_is_done_is_no_work),
        T(killed_before_the_journal_was_removed),
        T(what_exists_is_not_touched),
        T(places_that_cannot_hold_a_file),
        T(unfinished_runs_give_no_result),
        T(leftovers_of_killed_writers_are_removed),
        T(plans_that_cannot_be_stored_are_refused),
        T(the_smallest_run),
        T(records_that_do_not_fit_are_refused),
#undef T
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
