// What a few trials say of a run is held against the files of runs.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/check.h"
#include "sampling/findings/footprint.h"
#include "sampling/store/store.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"
#include "test/support/near.h"
#include "test/support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 96 };

static gmc_scratch scratch;
static gmc_diagnostics messages;
static made_run run;
static gmc_trial_copy trials[MOST];

static int set_up(void **state)
{
    (void)state;
    scratch = gmc_scratch_open();
    made_run_start(&run, 0, MOST);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; i++)
        gmc_trial_copy_free(&trials[i]);
    gmc_diagnostics_free(&messages);
    gmc_scratch_close(&scratch);
    return 0;
}

/// Trials whose numbers are a multiple of `every`; those of every fourth are of case 0.
static void make_trials(int count, uint64_t every)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(made_run_trial(&run, every * (uint64_t)i, &trials[i]), GMC_OK);
}

static int entries(void)
{
    DIR *d = opendir(scratch.folder);
    int count = -2;
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static gmc_footprint measured(int count)
{
    gmc_footprint found;
    assert_int_equal(
        gmc_footprint_measure(&run.plan, trials, count, scratch.folder, &messages, &found), GMC_OK);
    assert_int_equal(messages.count, 0);
    assert_int_equal(entries(), 0);
    return found;
}

typedef struct files {
    double result, journal;
} files;

/// Bytes of a run of the first `count` of the trials, as one case.
static files written(int count, bool has_motion)
{
    char path[128], journal[140];
    snprintf(path, sizeof path, "%s/out.h5", scratch.folder);
    snprintf(journal, sizeof journal, "%s.journal", path);
    made_run one = run;
    one.plan.case_count = 1;
    one.plan.count = one.plan.total = (uint64_t)count;
    gmc_store *store;
    const gmc_store_options options = {.path = path, .mode = GMC_JOURNAL_NEW};
    assert_int_equal(gmc_store_open(&one.plan, &options, &messages, &store, NULL), GMC_OK);
    gmc_sink sink = gmc_store_sink(store);
    for (int i = 0; i < count; i++) {
        gmc_trial trial = trials[i].trial;
        trial.trial = trial.draw = (uint64_t)i;
        trial.case_index = 0;
        if (!has_motion) trial.trajectory = NULL;
        assert_int_equal(sink.put(sink.context, &trial), GMC_OK);
    }
    struct stat found;
    files bytes;
    assert_int_equal(stat(journal, &found), 0);
    bytes.journal = (double)found.st_size;
    assert_int_equal(gmc_store_finish(store, NULL), GMC_OK);
    gmc_store_close(store);
    assert_int_equal(stat(path, &found), 0);
    bytes.result = (double)found.st_size;
    unlink(path);
    return bytes;
}

static void a_run_is_as_large_as_was_said(void **state)
{
    (void)state;
    make_trials(MOST, 4); // of one case; every third has a motion
    files plain = written(MOST, false), moving = written(MOST, true);
    double motions = MOST / 3;
    for (int parts = 1; parts <= 2; parts++) { // told by all of them, and by half of them
        gmc_footprint f = measured(MOST / parts);
        double journal = f.journal_bytes + MOST * f.journal_trial;
        double result = f.result_bytes + MOST * f.result_trial;
        // records without motion are of one length: exact but for rounding of sums of whole numbers
        ASSERT_NEAR(journal, plain.journal, 1e-6);
        // rows are noise, and half of them tell the others within a few percent
        ASSERT_NEAR_RELATIVE(result, plain.result, parts == 1 ? 1e-9 : 0.05);
        // of 0 to 40 rows, so 16 motions tell the mean of 32 within 10 %: three of these errors
        double near = parts == 1 ? 1e-9 : 0.3;
        ASSERT_NEAR_RELATIVE(journal + motions * f.journal_motion, moving.journal, near);
        ASSERT_NEAR_RELATIVE(result + f.motion_bytes + motions * f.result_motion, moving.result,
                             near);
    }
}

static void without_motions_there_is_no_word_of_them(void **state)
{
    (void)state;
    make_trials(16, 4);
    for (int i = 0; i < 16; i++)
        trials[i].trial.trajectory = NULL;
    gmc_footprint f = measured(16);
    assert_true(f.journal_trial > 0);
    assert_true(f.result_bytes > 0);
    assert_true(f.motion_bytes == 0);
    assert_true(f.result_motion == 0);
    assert_true(f.journal_motion == 0);
}

static void motions_among_the_first_alone_are_no_measure(void **state)
{
    (void)state;
    make_trials(16, 4);
    for (int i = 4; i < 16; i++) // nothing to subtract
        trials[i].trial.trajectory = NULL;
    gmc_footprint f = measured(16);
    assert_true(f.result_bytes > 0);
    assert_true(f.journal_motion == 0);
}

static void too_few_of_one_model_say_nothing(void **state)
{
    (void)state;
    static const gmc_footprint NOTHING = {0};
    make_trials(GMC_FOOTPRINT_LEAST, 4);
    gmc_footprint f = measured(GMC_FOOTPRINT_LEAST - 1);
    assert_memory_equal(&f, &NOTHING, sizeof f);
    f = measured(GMC_FOOTPRINT_LEAST);
    assert_true(f.journal_trial > 0);
    f = measured(1);
    assert_memory_equal(&f, &NOTHING, sizeof f);

    // trials 0, 1, 2, ... are of cases 0, 1, 2, 3: half of them of each model
    make_trials(2 * GMC_FOOTPRINT_LEAST, 1);
    f = measured(2 * GMC_FOOTPRINT_LEAST);
    assert_true(f.journal_trial > 0);
    f = measured(2 * GMC_FOOTPRINT_LEAST - 3); // the last of them
    assert_memory_equal(&f, &NOTHING, sizeof f);
}

static void a_folder_that_is_none_is_named(void **state)
{
    (void)state;
    make_trials(16, 4);
    gmc_footprint f;
    char longer[400], nowhere[100];
    for (size_t i = 0; i < sizeof longer; i++)
        longer[i] = "/x"[i % 2];
    longer[sizeof longer - 1] = 0;
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", scratch.folder);
    const char *folders[] = {nowhere, longer, "/dev/null"};
    for (int i = 0; i < GMC_COUNT(folders); i++) {
        gmc_diagnostics_free(&messages);
        assert_int_equal(gmc_footprint_measure(&run.plan, trials, 16, folders[i], &messages, &f),
                         GMC_E_CREATE);
        assert_int_equal(messages.error_count, 1);
        assert_string_equal(messages.items[0].source.file, folders[i]);
        assert_true(f.journal_trial == 0);
    }
    assert_int_equal(entries(), 0);
}

int test_footprint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_as_large_as_was_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_motions_there_is_no_word_of_them, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(motions_among_the_first_alone_are_no_measure, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(too_few_of_one_model_say_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_is_none_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("footprint", tests, NULL, NULL);
}
