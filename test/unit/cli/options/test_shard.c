#define _POSIX_C_SOURCE 200809L
#include "cli/options/shard.h"
#include "engine/base/status.h"
#include "test/support/near.h"

#include <stdlib.h>

static void parts_cover_the_run_once(void **state)
{
    (void)state;
    static const uint64_t RUNS[][3] = {// draws, cases, parts
                                       {1000, 1, 3}, {1000, 441, 64},
                                       {5, 3, 7},    {7, 5, 7},
                                       {1, 1, 1},    {UINT64_C(1) << 40, 10, 999983}};
    for (int i = 0; i < GMC_COUNT(RUNS); i++) {
        uint64_t draws = RUNS[i][0], cases = RUNS[i][1], next = 0, least = UINT64_MAX, most = 0;
        int parts = (int)RUNS[i][2];
        for (int k = 1; k <= parts; k++) {
            uint64_t first, count;
            gmc_shard_range((gmc_shard){k, parts}, draws, cases, &first, &count);
            assert_true(first == next);
            next += count;
            if (count < least) least = count;
            if (count > most) most = count;
            if (draws >= (uint64_t)parts) assert_true(first % cases == 0);
        }
        assert_true(next == draws * cases);
        assert_true(most - least <= (draws >= (uint64_t)parts ? cases : 1));
    }
}

static void texts_are_read(void **state)
{
    (void)state;
    gmc_shard shard = {0};
    assert_true(gmc_shard_parse("3/64", &shard));
    assert_int_equal(shard.index, 3);
    assert_int_equal(shard.count, 64);
    static const char *const BAD[] = {"0/4",  "5/4",  "1",    "1/",  "/2",
                                      "-1/2", "+1/2", "1/2x", "1/0", "a/b"};
    for (int i = 0; i < GMC_COUNT(BAD); i++)
        if (gmc_shard_parse(BAD[i], &shard)) fail_msg("%s is taken", BAD[i]);
    assert_int_equal(shard.index, 3); // nothing changed
}

static void forget_slurm(void)
{
    static const char *const NAMES[] = {"SLURM_ARRAY_TASK_ID",   "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_PROCID",          "SLURM_NTASKS"};
    for (int i = 0; i < GMC_COUNT(NAMES); i++)
        unsetenv(NAMES[i]);
}

static void a_task_of_slurm_knows_its_part(void **state)
{
    (void)state;
    gmc_shard shard = {0};
    forget_slurm();
    assert_false(gmc_shard_parse("slurm", &shard));
    setenv("SLURM_PROCID", "2", 1); // srun -n 8
    setenv("SLURM_NTASKS", "8", 1);
    assert_true(gmc_shard_parse("slurm", &shard));
    assert_int_equal(shard.index, 3);
    assert_int_equal(shard.count, 8);
    setenv("SLURM_ARRAY_TASK_ID", "30", 1); // sbatch --array=10-40:10; its tasks have a PROCID too
    setenv("SLURM_ARRAY_TASK_MIN", "10", 1);
    setenv("SLURM_ARRAY_TASK_STEP", "10", 1);
    setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
    assert_true(gmc_shard_parse("slurm", &shard));
    assert_int_equal(shard.index, 3);
    assert_int_equal(shard.count, 4);
    setenv("SLURM_ARRAY_TASK_ID", "5", 1);
    assert_false(gmc_shard_parse("slurm", &shard));
    forget_slurm();
}

int test_shard(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_the_run_once),
        cmocka_unit_test(texts_are_read),
        cmocka_unit_test(a_task_of_slurm_knows_its_part),
    };
    return cmocka_run_group_tests_name("shard", tests, NULL, NULL);
}
