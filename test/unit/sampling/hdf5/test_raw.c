// What HDF5 packs is what is unpacked here, whatever the sizes; what lies is refused.
#include "sampling/hdf5/raw.h"
#include "test/support/cmocka.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

/// A file in memory.
static hid_t make_file(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    assert_true(H5Pset_fapl_core(list, BLOCK, 0) >= 0);
    hid_t file = H5Fcreate("raw.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list);
    assert_true(file >= 0);
    H5Pclose(list);
    return file;
}

typedef enum packing { PLAIN = 0, SHUFFLE = 1, DEFLATE = 2, SUM = 4, ALL = 7 } packing;

static hid_t make_list(packing how, int rank, const hsize_t *chunk)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(list, rank, chunk) >= 0);
    if (how & SHUFFLE) assert_true(H5Pset_shuffle(list) >= 0);
    if (how & DEFLATE) assert_true(H5Pset_deflate(list, 1) >= 0);
    if (how & SUM) assert_true(H5Pset_fletcher32(list) >= 0);
    return list;
}

/// `count` values in chunks of `chunk`, and back. @param is_noise  deflate leaves it out of chunks
static void go_and_return(hid_t type, hsize_t count, hsize_t chunk, packing how, bool is_noise)
{
    hid_t file = make_file(), list = make_list(how, 1, &chunk);
    hid_t space = H5Screate_simple(1, &count, NULL);
    size_t bytes = H5Tget_size(type), size = (size_t)count * bytes;
    unsigned char *values = malloc(size), *back = malloc((size_t)chunk * bytes);
    uint32_t seed = 1;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (unsigned char)(is_noise ? seed >> 24 : i / bytes % 7);
    }
    hid_t set = H5Dcreate2(file, "a", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);

    gmc_raw raw;
    assert_null(gmc_raw_open(file, "/a", UINT64_MAX, &raw));
    assert_int_equal(raw.bytes, size);
    for (hsize_t at = 0; at < count; at += chunk) {
        assert_null(gmc_raw_chunk(&raw, &at, back));
        hsize_t n = count - at < chunk ? count - at : chunk;
        assert_memory_equal(back, values + (size_t)at * bytes, (size_t)n * bytes);
    }
    gmc_raw_close(&raw);
    free(values);
    free(back);
    H5Sclose(space);
    H5Pclose(list);
    H5Fclose(file);
}

static void chunks_come_back_as_they_were_written(void **state)
{
    (void)state;
    for (int how = PLAIN; how <= ALL; how++)
        for (hsize_t count = 1; count < 3000; count = 3 * count + 1)
            for (int is_noise = 0; is_noise < 2; is_noise++) {
                hsize_t few = count < 33 ? count : 33, more = count < 100 ? count : 100;
                go_and_return(H5T_STD_U8LE, count, few, (packing)how, is_noise);
                go_and_return(H5T_IEEE_F64LE, count, more, (packing)how, is_noise);
            }
}

static void expect(hid_t file, const char *path, const char *says)
{
    gmc_raw raw;
    const char *why = gmc_raw_open(file, path, 1 << 20, &raw);
    gmc_raw_close(&raw);
    assert_non_null(why);
    if (!strstr(why, says)) fail_msg("'%s' does not say '%s'", why, says);
}

static void what_is_not_in_the_file_is_refused(void **state)
{
    (void)state;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = make_file();
    const hsize_t count = 1000, chunk = 10;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t chunked = make_list(ALL, 1, &chunk), other = make_list(PLAIN, 1, &chunk);
    hid_t external = H5Pcreate(H5P_DATASET_CREATE), compact = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_external(external, "/etc/passwd", 0, 1000) >= 0);
    assert_true(H5Pset_layout(compact, H5D_COMPACT) >= 0);
    assert_true(H5Pset_scaleoffset(other, H5Z_SO_INT, 0) >= 0);
    const struct {
        const char *name;
        hid_t list;
        const char *says;
    } SETS[] = {{"chunked", chunked, "more elements than the file holds"},
                {"contiguous", H5P_DEFAULT, "more elements than the file holds"},
                {"external", external, "in another file"},
                {"compact", compact, "in a way that graspmc does not read"},
                {"filter", other, "filter that graspmc does not read"}};
    for (size_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        hid_t set = H5Dcreate2(file, SETS[i].name, H5T_STD_U8LE, space, H5P_DEFAULT, SETS[i].list,
                               H5P_DEFAULT);
        assert_true(set >= 0);
        H5Dclose(set);
        expect(file, SETS[i].name, SETS[i].says);
    }
    assert_true(H5Lcreate_soft("/chunked", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("/tmp/a.h5", "/b", file, "far", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    expect(file, "/soft", "link");
    expect(file, "/far", "link");
    expect(file, "/far/further", "link");
    expect(file, "/nothing", "no such");
    expect(file, "/", "no such dataset");
    H5Pclose(chunked);
    H5Pclose(other);
    H5Pclose(external);
    H5Pclose(compact);
    H5Sclose(space);
    H5Fclose(file);
}

static void numbers_of_odd_forms_are_refused(void **state)
{
    (void)state;
    hid_t odd = H5Tcopy(H5T_STD_I32LE);
    assert_true(H5Tset_precision(odd, 20) >= 0);
    assert_true(H5Tset_offset(odd, 8) >= 0);
    assert_true(gmc_raw_is_number(odd)); // within its bytes
    assert_true(gmc_raw_is_number(H5T_IEEE_F32BE));
    assert_true(gmc_raw_is_number(H5T_STD_U64BE));
    assert_false(gmc_raw_is_number(H5T_NATIVE_LDOUBLE));
    assert_false(gmc_raw_is_number(H5T_C_S1));
    H5Tclose(odd);
}

int test_raw(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_come_back_as_they_were_written),
        cmocka_unit_test(what_is_not_in_the_file_is_refused),
        cmocka_unit_test(numbers_of_odd_forms_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
