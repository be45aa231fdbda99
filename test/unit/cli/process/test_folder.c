// A folder is there whole or not at all, and no name leads out of it.
#define _POSIX_C_SOURCE 200809L
#include "cli/process/folder.h"
#include "engine/base/check.h"
#include "test/support/cmocka_all.h"
#include "test/support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gmc_scratch scratch;
static gmc_diagnostics messages;
static char path[128];

static int set_up(void **state)
{
    (void)state;
    scratch = gmc_scratch_open();
    snprintf(path, sizeof path, "%s/out", scratch.folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_diagnostics_free(&messages);
    gmc_scratch_close(&scratch);
    return 0;
}

/// How many names a folder holds; -1: there is none.
static int entries(const char *folder)
{
    DIR *d = opendir(folder);
    if (!d) return -1;
    int count = -2; // "." and ".."
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static void expect_file(const char *name, const void *bytes, size_t size)
{
    char file[256], found[64];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *f = fopen(file, "rb");
    if (!f) fail_msg("no %s", file);
    assert_int_equal(fread(found, 1, sizeof found, f), size);
    fclose(f);
    assert_memory_equal(found, bytes, size);
}

/// Refused with this status and one message; nothing is left beside what was there.
static void refuse(const char *where, const gmc_folder_file *files, int count, gmc_status wanted)
{
    int before = entries(scratch.folder);
    gmc_diagnostics_free(&messages);
    assert_int_equal(gmc_folder_write(where, files, count, &messages), wanted);
    assert_int_equal(messages.error_count, 1);
    assert_int_equal(entries(scratch.folder), before);
}

static void names_that_stay_inside(void **state)
{
    (void)state;
    static const char *const GOOD[] = {"a",   "a/b",   "a.b",     ".a",    "..a",
                                       "...", "a/..b", "a/b/c.d", "a b\n", "-"};
    static const char *const BAD[] = {"",       "/",   "/a",   "a/",     "a//b", ".",
                                      "..",     "./a", "../a", "a/..",   "a/.",  "a/./b",
                                      "a/../b", "//",  "a/b/", "a/..//b"};
    for (int i = 0; i < GMC_COUNT(GOOD); i++)
        if (!gmc_folder_is_inside(GOOD[i])) fail_msg("refused: %s", GOOD[i]);
    for (int i = 0; i < GMC_COUNT(BAD); i++)
        if (gmc_folder_is_inside(BAD[i])) fail_msg("taken: %s", BAD[i]);
}

static void files_are_written_with_their_folders(void **state)
{
    (void)state;
    static const unsigned char BYTES[] = {0, 255, 10, 0};
    const gmc_folder_file files[] = {{"scenario.yaml", "graspmc: 1\n", 11},
                                     {"models/deep/er/a.obj", BYTES, sizeof BYTES},
                                     {"models/b.obj", "b", 1},
                                     {"empty", "", 0}};
    assert_int_equal(gmc_folder_write(path, files, GMC_COUNT(files), &messages), GMC_OK);
    assert_int_equal(messages.count, 0);
    for (int i = 0; i < GMC_COUNT(files); i++)
        expect_file(files[i].name, files[i].bytes, files[i].size);
    assert_int_equal(entries(path), 3);
    assert_int_equal(entries(scratch.folder), 1);
}

static void slashes_behind_and_nothing_inside(void **state)
{
    (void)state;
    const gmc_folder_file file = {"a", "a", 1};
    char slashed[140];
    snprintf(slashed, sizeof slashed, "%s///", path);
    assert_int_equal(gmc_folder_write(slashed, &file, 1, &messages), GMC_OK);
    expect_file("a", "a", 1);
    assert_int_equal(entries(scratch.folder), 1);
    strcat(path, "2");
    assert_int_equal(gmc_folder_write(path, NULL, 0, &messages), GMC_OK);
    assert_int_equal(entries(path), 0);
}

static void what_is_there_stays(void **state)
{
    (void)state;
    const gmc_folder_file file = {"a", "a", 1};
    gmc_scratch_text(&scratch, "out", "mine");
    refuse(path, &file, 1, GMC_E_EXISTS);
    FILE *f = fopen(path, "rb");
    char found[8] = "";
    assert_int_equal(fread(found, 1, sizeof found, f), 4);
    fclose(f);
    assert_string_equal(found, "mine");
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkdir(path, 0777), 0); // empty, and yet somebody's
    refuse(path, &file, 1, GMC_E_EXISTS);
    assert_int_equal(entries(path), 0);
    assert_int_equal(rmdir(path), 0);

    assert_int_equal(symlink("nowhere", path), 0);
    refuse(path, &file, 1, GMC_E_EXISTS);
    assert_int_equal(unlink(path), 0);
}

static void what_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    const gmc_folder_file twice[] = {{"deep/a", "1", 1}, {"deep/a", "2", 1}};
    refuse(path, twice, 2, GMC_E_CREATE);
    const gmc_folder_file both[] = {{"a", "1", 1}, {"a/b", "2", 1}}; // a file and a folder
    refuse(path, both, 2, GMC_E_CREATE);
    const gmc_folder_file swapped[] = {{"a/b", "2", 1}, {"a", "1", 1}};
    refuse(path, swapped, 2, GMC_E_CREATE);
    char name[300];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    const gmc_folder_file longer[] = {{"sub/a", "1", 1}, {name, "2", 1}}; // than a name may be
    refuse(path, longer, 2, GMC_E_CREATE);
    const gmc_folder_file out[] = {{"a", "1", 1}, {"../b", "2", 1}};
    refuse(path, out, 2, GMC_E_INPUT);
    assert_non_null(strstr(messages.items[0].message, "../b"));

    const gmc_folder_file file = {"a", "a", 1};
    char nowhere[160];
    snprintf(nowhere, sizeof nowhere, "%s/no/where", scratch.folder);
    refuse(nowhere, &file, 1, GMC_E_CREATE);
    refuse("", &file, 1, GMC_E_CREATE);
    assert_int_equal(gmc_folder_write(path, &file, 1, &messages),
                     GMC_OK); // and nothing is in the way
}

int test_folder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_stay_inside),
        cmocka_unit_test_setup_teardown(files_are_written_with_their_folders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slashes_behind_and_nothing_inside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_there_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_made_leaves_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("folder", tests, NULL, NULL);
}
