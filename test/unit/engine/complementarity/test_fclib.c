// The reader of contact problems in test/support: what the bench measures must be what the files
// say.
#include "engine/complementarity/solver.h"
#include "test/support/fclib.h"
#include "test/support/near.h"
#include "test/support/scratch.h"

#include <hdf5.h>

#include <string.h>

static gmc_scratch scratch;

static int set_up(void **state)
{
    (void)state;
    scratch = gmc_scratch_open();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_scratch_close(&scratch);
    return 0;
}

// ---- writing ----------------------------------------------------------------------------------

static void write_set(hid_t group, const char *name, hid_t type, const void *data, int count)
{
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void write_int(hid_t group, const char *name, int value)
{
    write_set(group, name, H5T_NATIVE_INT, &value, 1);
}

/// A dense row-major matrix in one of the three layouts: nz >= 0, -1, -2.
static void write_matrix(hid_t parent, const char *name, int rows, int columns, const double *A,
                         int layout)
{
    int p[64] = {0}, i[64], count = 0;
    double x[64];
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int lines = layout == -1 ? columns : rows;
    for (int line = 0; line < lines; line++) {
        for (int k = 0; k < (layout == -1 ? rows : columns); k++) {
            int row = layout == -1 ? k : line, column = layout == -1 ? line : k;
            if (A[row * columns + column] == 0) continue;
            x[count] = A[row * columns + column];
            i[count] = layout == -1 ? row : layout == -2 ? column : row;
            if (layout >= 0) p[count] = column;
            count++;
        }
        if (layout < 0) p[line + 1] = count;
    }
    write_int(group, "m", rows);
    write_int(group, "n", columns);
    write_int(group, "nzmax", count);
    write_int(group, "nz", layout >= 0 ? count : layout);
    write_set(group, "p", H5T_NATIVE_INT, p, layout >= 0 ? count : lines + 1);
    write_set(group, "i", H5T_NATIVE_INT, i, count);
    write_set(group, "x", H5T_NATIVE_DOUBLE, x, count);
    H5Gclose(group);
}

static hid_t open_problem(const char *kind, char path[256], hid_t *group, hid_t *vectors)
{
    gmc_scratch_write(&scratch, "problem.hdf5", "", 0, path);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    *group = H5Gcreate2(file, kind, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    *vectors = H5Gcreate2(*group, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    write_int(*group, "spacedim", 3);
    return file;
}

static void close_problem(hid_t file, hid_t group, hid_t vectors)
{
    H5Gclose(vectors);
    H5Gclose(group);
    H5Fclose(file);
}

// ---- tests ------------------------------------------------------------------------------------

static const double W[36] = {2, 0, 0.5, 0, 0, 0, 0, 3, 0,    0, 0, 0, 0.5, 0, 4, 0, 0.25, 0,
                             0, 0, 0,   1, 0, 0, 0, 0, 0.25, 0, 2, 0, 0,   0, 0, 0, 0,    5};
static const double Q[6] = {-1, 2, 0.5, -2, 0.1, 0}, MU[2] = {0.3, 0.7},
                    GUESS[6] = {1, 2, 3, 4, 5, 6};

static void every_layout_is_the_same_problem(void **state)
{
    (void)state;
    for (int layout = -2; layout <= 0; layout++) {
        char path[256];
        hid_t group, vectors, file = open_problem("fclib_local", path, &group, &vectors);
        gmc_fclib read;
        double w[6];
        write_matrix(group, "W", 6, 6, W, layout);
        write_set(vectors, "q", H5T_NATIVE_DOUBLE, Q, 6);
        write_set(vectors, "mu", H5T_NATIVE_DOUBLE, MU, 2);
        hid_t guesses = H5Gcreate2(file, "guesses", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t first = H5Gcreate2(guesses, "1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        write_set(first, "r", H5T_NATIVE_DOUBLE, GUESS, 6);
        H5Gclose(first);
        H5Gclose(guesses);
        close_problem(file, group, vectors);
        assert_int_equal(gmc_fclib_read(path, &read), GMC_OK);
        assert_int_equal(read.dual.unit_count, 2);
        assert_int_equal(read.contact_count, 2);
        assert_memory_equal(read.guess, GUESS, sizeof GUESS);
        gmc_dual_answer(&read.dual, GUESS, w);
        for (int i = 0; i < 6; i++) {
            double expected = Q[i];
            for (int j = 0; j < 6; j++)
                expected += W[6 * i + j] * GUESS[j];
            ASSERT_NEAR(w[i], expected, 1e-14); // rounding
        }
        assert_true(read.dual.units[0].friction == 0.3);
        assert_true(read.dual.units[1].friction == 0.7);
        gmc_fclib_free(&read);
    }
}

/// A block of 2 kg falls on a contact and is held sideways by a bilateral row, as a global problem:
/// u = Hᵀ v + w, G v + b = 0. r_N = 2 (9 - 1), the row takes what would move it along y.
static void global_problems_are_condensed(void **state)
{
    (void)state;
    const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, f[3] = {0, 6, -18},
                 H[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    const double G[3] = {0, 1, 0}, w[3] = {1, 0, 0}, b = 0, mu = 0.5;
    char path[256];
    hid_t group, vectors, file = open_problem("fclib_global", path, &group, &vectors);
    write_matrix(group, "M", 3, 3, M, 0);
    write_matrix(group, "H", 3, 3, H, 0);
    write_matrix(group, "G", 3, 1, G, 0);
    write_set(vectors, "f", H5T_NATIVE_DOUBLE, f, 3);
    write_set(vectors, "w", H5T_NATIVE_DOUBLE, w, 3);
    write_set(vectors, "b", H5T_NATIVE_DOUBLE, &b, 1);
    write_set(vectors, "mu", H5T_NATIVE_DOUBLE, &mu, 1);
    close_problem(file, group, vectors);
    gmc_fclib read;
    gmc_arena arena;
    gmc_solver_report report;
    double r[6] = {0};
    assert_int_equal(gmc_fclib_read(path, &read), GMC_OK);
    assert_int_equal(read.contact_count, 1);
    assert_int_equal(read.dual.unit_count, 2);
    assert_true(read.dual.units[1].is_box);
    assert_true(read.units == read.dual.units);
    assert_true(read.q == read.dual.q);
    assert_int_equal(gmc_arena_create(&arena, (size_t)1 << 20), GMC_OK);
    assert_int_equal(gmc_solver_solve(gmc_solvers[0], &read.dual, 1e-12, r, &arena, &report),
                     GMC_OK);
    ASSERT_NEAR(r[0], 16, 1e-10);
    // friction and the row share the 6 N·s along y as they like: together they hold the block
    ASSERT_NEAR(r[2] + r[3], -6, 1e-10);
    ASSERT_NEAR(gmc_fclib_residual(&read.dual, r), 0, 1e-11);
    gmc_arena_free(&arena);
    gmc_fclib_free(&read);
}

/// The residual of Siconos by hand, for one contact: r = (1, 0, 0), W = 1, q = (-2, 1, 0),
/// mu = 0.5: u = (-1, 1, 0), y = r - u - mu |u_T| e = (1.5, -1, 0), on the cone (1.6, -0.8, 0),
/// |r - p| = 1 of max(√5, 1, √2).
static void residual_is_that_of_siconos(void **state)
{
    (void)state;
    const gmc_dual_unit unit = {.friction = 0.5};
    const int start[2] = {0, 1}, other[1] = {0};
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-2, 1, 0}, r[3] = {1, 0, 0};
    const gmc_dual dual = {1, &unit, start, other, one, q};
    ASSERT_NEAR(gmc_fclib_residual(&dual, r), 1 / sqrt(5), 1e-15);
    const double right[3] = {2, -1, 0}, nan_r[3] = {NAN, 0, 0};
    ASSERT_NEAR(gmc_fclib_residual(&dual, right), 0, 1e-15);
    assert_true(isnan(gmc_fclib_residual(&dual, nan_r)));
}

static void other_files_are_refused(void **state)
{
    (void)state;
    char path[256];
    gmc_fclib read;
    assert_int_equal(gmc_fclib_read("nowhere.hdf5", &read), GMC_E_MISSING);
    gmc_scratch_write(&scratch, "text.hdf5", "no HDF5", 7, path);
    assert_int_equal(gmc_fclib_read(path, &read), GMC_E_MISSING);
    hid_t group, vectors, file = open_problem("fclib_local", path, &group, &vectors);
    close_problem(file, group, vectors);
    assert_int_equal(gmc_fclib_read(path, &read), GMC_E_INPUT); // no W
    file = open_problem("fclib_local", path, &group, &vectors);
    write_matrix(group, "W", 6, 6, W, -2);
    write_set(vectors, "q", H5T_NATIVE_DOUBLE, Q, 5); // too short
    write_set(vectors, "mu", H5T_NATIVE_DOUBLE, MU, 2);
    close_problem(file, group, vectors);
    assert_int_equal(gmc_fclib_read(path, &read), GMC_E_INPUT);
}

int test_fclib(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_the_same_problem),
        cmocka_unit_test(global_problems_are_condensed),
        cmocka_unit_test(residual_is_that_of_siconos),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
