// What if the n-th allocation fails, for every n, in the life of an output? It ends with
// GMC_E_MEMORY, leaks nothing, leaves the result complete or absent, and a later session makes up
// for it. Allocations of our own code pass through the counters (linker option --wrap), those of
// the process that has a result open, too; those inside of HDF5 do not. GRASPMC_STRIDE=3 lets every
// third fail.
#define _DEFAULT_SOURCE
#include "sampling/store/result.h"
#include "sampling/store/store.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRIALS = 5 };

static atomic_long none, *calls = &none; // of this process and those that read for it
static atomic_long fail_at;              // 0: never

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
char *__wrap_strdup(const char *text);
int __wrap_fsync(int file);

static bool fails(void) { return atomic_fetch_add(calls, 1) + 1 == atomic_load(&fail_at); }

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return fails() ? NULL : __real_realloc(block, bytes);
}

char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }

int __wrap_fsync(int file)
{
    (void)file;
    return 0; // no power cut is tested here, and a thousand outputs are written
}

static char folder[] = "/tmp/gmc_memory_XXXXXX";
static char path[64], journal[80];
static made_run run;

static int make_folder(void **state)
{
    (void)state;
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (calls == MAP_FAILED || !mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(journal, sizeof journal, "%s.journal", path);
    made_run_start(&run, 0, TRIALS);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/// Open or resume, run what is missing, finish.
static gmc_status make_result(gmc_diagnostics *messages)
{
    gmc_store *store;
    gmc_store_found found;
    const gmc_store_options options = {.path = path, .mode = GMC_JOURNAL_RESUME};
    GMC_TRY(gmc_store_open(&run.plan, &options, messages, &store, &found));
    gmc_job job = made_run_job(&run);
    gmc_sink sink = gmc_store_sink(store);
    gmc_campaign_options campaign = gmc_campaign_defaults();
    campaign.count = TRIALS;
    atomic_bool stop = false;
    gmc_status status = gmc_campaign_run(&job, &sink, &campaign, &stop, NULL);
    if (status == GMC_OK) status = gmc_store_finish(store, NULL);
    gmc_store_close(store);
    return status;
}

static gmc_status read_result(gmc_diagnostics *messages)
{
    gmc_result *result;
    gmc_trial_copy trial = {0};
    GMC_TRY(gmc_result_open(path, messages, &result));
    gmc_status status = gmc_result_trial(result, 3, &trial);
    if (status == GMC_OK) assert_non_null(trial.trial.trajectory);
    if (status == GMC_OK) status = gmc_result_verify(result);
    gmc_trial_copy_free(&trial);
    gmc_result_close(result);
    return status;
}

/// Let every allocation of `work` fail in turn; `again` puts things right after each.
static void fail_each(gmc_status (*work)(gmc_diagnostics *), void (*again)(void))
{
    gmc_diagnostics messages = {0};
    const char *given = getenv("GRASPMC_STRIDE");
    long n = 1, stride = given ? strtol(given, NULL, 10) : 1;
    assert_true(stride > 0);
    for (bool is_done = false; !is_done; n += stride) {
        atomic_store(calls, 0);
        atomic_store(&fail_at, n);
        gmc_status status = work(&messages);
        is_done = atomic_exchange(&fail_at, 0) > atomic_load(calls);
        if (is_done || status == GMC_OK)
            assert_int_equal(status, GMC_OK); // the last round, or memory that was not needed
        else
            assert_int_equal(status, GMC_E_MEMORY);
        gmc_diagnostics_free(&messages);
        again();
    }
    assert_true(n > 50);
}

static void resume_and_start_over(void)
{
    gmc_diagnostics messages = {0};
    assert_int_equal(make_result(&messages), GMC_OK);
    assert_int_equal(read_result(&messages), GMC_OK); // its digest is right
    assert_int_not_equal(access(journal, F_OK), 0);
    gmc_diagnostics_free(&messages);
    unlink(path);
}

static void writing(void **state)
{
    (void)state;
    fail_each(make_result, resume_and_start_over);
}

static void nothing(void) {}

static void reading(void **state)
{
    (void)state;
    gmc_diagnostics messages = {0};
    assert_int_equal(make_result(&messages), GMC_OK);
    fail_each(read_result, nothing);
    gmc_diagnostics_free(&messages);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writing), cmocka_unit_test(reading)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
