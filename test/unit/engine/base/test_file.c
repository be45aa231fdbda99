// Whole files from the disk, and from somewhere else.
#include "engine/base/file.h"
#include "test/support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reads_from_the_disk(void **state)
{
    (void)state;
    enum { SIZE = 200000 }; // more than one step of growth
    static const char name[] = "build/test_file.tmp";
    FILE *out = fopen(name, "wb");
    assert_non_null(out);
    for (int i = 0; i < SIZE; i++)
        putc(i % 251, out);
    assert_int_equal(fclose(out), 0);
    gmc_file file;
    assert_int_equal(gmc_file_load(NULL, name, &file), GMC_OK);
    assert_int_equal(file.size, SIZE);
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(file.bytes[i], i % 251);
    assert_int_equal(file.bytes[SIZE], 0);
    gmc_file_free(&file);
    assert_null(file.bytes);
    remove(name);
}

static void misses_what_is_not_there(void **state)
{
    (void)state;
    gmc_file file;
    assert_int_equal(gmc_file_read("no/such/file", &file), GMC_E_MISSING);
    assert_null(file.bytes);
    assert_int_equal(gmc_file_read("test", &file), GMC_E_MISSING); // a folder
    assert_null(file.bytes);
}

static void reads_an_empty_file(void **state)
{
    (void)state;
    gmc_file file;
    assert_int_equal(gmc_file_read("/dev/null", &file), GMC_OK);
    assert_int_equal(file.size, 0);
    assert_int_equal(file.bytes[0], 0);
    gmc_file_free(&file);
}

static gmc_status from_memory(void *context, const char *path, gmc_file *file)
{
    file->bytes = malloc(strlen(path) + 1);
    if (!file->bytes) return GMC_E_MEMORY;
    file->size = strlen(path);
    memcpy(file->bytes, path, file->size + 1);
    ++*(int *)context;
    return GMC_OK;
}

static void asks_the_source(void **state)
{
    (void)state;
    int calls = 0;
    gmc_file_source source = {&calls, from_memory};
    gmc_file file;
    assert_int_equal(gmc_file_load(&source, "abc", &file), GMC_OK);
    assert_int_equal(calls, 1);
    assert_string_equal((const char *)file.bytes, "abc");
    gmc_file_free(&file);
}

int test_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_from_the_disk),
        cmocka_unit_test(misses_what_is_not_there),
        cmocka_unit_test(reads_an_empty_file),
        cmocka_unit_test(asks_the_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
