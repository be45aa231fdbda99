// What was written is read back; files that somebody else made, cut or changed are refused.
#define _POSIX_C_SOURCE 200809L
#include "sampling/store/result.h"
#include "sampling/store/store.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"

#include <hdf5.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 40, TRIALS = 90 };

static char folder[] = "/tmp/gmc_result_XXXXXX";
static char path[64], broken[64];
static made_run run;
static gmc_diagnostics messages;

/// One result for all tests; they look at it or at changed copies.
static int write_result(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/out.h5", folder);
    snprintf(broken, sizeof broken, "%s/broken.h5", folder);
    made_run_start(&run, FIRST, TRIALS);
    const gmc_store_options options = {.path = path, .mode = GMC_JOURNAL_NEW};
    gmc_store *store;
    if (gmc_store_open(&run.plan, &options, &messages, &store, NULL) != GMC_OK) return 1;
    gmc_sink sink = gmc_store_sink(store);
    gmc_trial_copy trial = {0};
    for (uint64_t n = FIRST; n < FIRST + TRIALS; n++) {
        made_run_trial(&run, n, &trial);
        if (sink.put(sink.context, &trial.trial) != GMC_OK) return 1;
    }
    gmc_trial_copy_free(&trial);
    if (gmc_store_finish(store, NULL) != GMC_OK) return 1;
    gmc_store_close(store);
    return 0;
}

static int remove_result(void **state)
{
    (void)state;
    unlink(path);
    unlink(broken);
    gmc_diagnostics_free(&messages);
    return rmdir(folder);
}

static gmc_status open_file(const char *name, gmc_result **result)
{
    gmc_diagnostics_free(&messages);
    return gmc_result_open(name, &messages, result);
}

static void the_file_says_what_the_plan_said(void **state)
{
    (void)state;
    gmc_result *result;
    assert_int_equal(open_file(path, &result), GMC_OK);
    const gmc_result_info *info = gmc_result_about(result);
    const gmc_store_plan *plan = &run.plan;
    assert_int_equal(info->first, FIRST);
    assert_int_equal(info->count, TRIALS);
    assert_int_equal(info->total, FIRST + TRIALS);
    assert_int_equal(info->seed, plan->seed);
    assert_string_equal(info->shard, "");
    assert_string_equal(info->scenario_digest, plan->digest.hex);
    assert_string_equal(info->text, plan->text);
    assert_string_equal(info->expanded, plan->expanded);
    assert_string_equal(info->trajectories, "every:3");
    assert_true(info->rate_hz == 100.0);
    assert_int_equal(info->asset_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(info->assets[i].name, plan->assets[i].name);
        assert_int_equal(info->assets[i].size, plan->assets[i].size);
        assert_memory_equal(info->assets[i].bytes, plan->assets[i].bytes, plan->assets[i].size);
    }
    assert_int_equal(info->parameter_count, MADE_PARAMETERS);
    for (int i = 0; i < MADE_PARAMETERS; i++) {
        assert_string_equal(info->parameters[i].name, plan->parameters[i].name);
        assert_string_equal(info->parameters[i].distribution, plan->parameters[i].distribution);
        assert_string_equal(info->parameters[i].unit, plan->parameters[i].unit);
        assert_true(info->parameters[i].lower == plan->parameters[i].lower);
        assert_true(info->parameters[i].upper == plan->parameters[i].upper);
        assert_int_equal(info->parameters[i].is_studied, plan->parameters[i].is_studied);
    }
    assert_int_equal(info->column_count, MADE_COLUMNS);
    for (int i = 0; i < MADE_COLUMNS; i++) {
        assert_string_equal(info->columns[i].name, plan->columns[i].name);
        assert_string_equal(info->columns[i].unit, plan->columns[i].unit);
        assert_string_equal(info->columns[i].about, plan->columns[i].about);
        assert_int_equal(info->columns[i].kind, plan->columns[i].kind);
    }
    assert_int_equal(info->case_count, MADE_CASES);
    for (int i = 0; i < MADE_CASES; i++) {
        assert_string_equal(info->cases[i].object, plan->cases[i].object);
        assert_true(info->cases[i].values[0] == plan->cases[i].values[0]);
        assert_true(isnan(info->cases[i].values[1]));
        assert_string_equal(info->cases[i].grasp, plan->cases[i].grasp);
        assert_string_equal(info->cases[i].grasp_file, plan->cases[i].grasp_file);
        assert_int_equal(info->cases[i].grasp_row, plan->cases[i].grasp_row);
        assert_memory_equal(&info->cases[i].grasp_confidence, &plan->cases[i].grasp_confidence,
                            sizeof(double));
    }
    assert_int_equal(info->phase_count, 3);
    assert_string_equal(info->phases[2], "hold");
    assert_int_equal(info->trajectory_count, TRIALS / 3);
    assert_int_equal(info->names.body_count, 4); // palm, left/finger, object, "."
    assert_string_equal(info->names.bodies[1], "left/finger");
    assert_string_equal(info->names.joint_units[1], "rad");
    assert_int_equal(gmc_result_verify(result), GMC_OK);
    gmc_result_close(result);
}

typedef struct walker {
    uint64_t next;
    gmc_trial_copy made;
} walker;

static void assert_same_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        assert_true(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
}

static gmc_status check_trial(void *context, const gmc_trial *t)
{
    walker *w = context;
    made_run_trial(&run, w->next, &w->made);
    const gmc_trial *m = &w->made.trial;
    assert_int_equal(t->trial, w->next);
    assert_int_equal(t->draw, m->draw);
    assert_int_equal(t->case_index, m->case_index);
    assert_int_equal(t->outcome, m->outcome);
    assert_int_equal(t->reason, m->reason);
    assert_int_equal(t->phase, m->phase);
    assert_true(t->t_end == m->t_end);
    assert_same_numbers(t->values, m->values, MADE_COLUMNS);
    assert_same_numbers(t->samples, m->samples, MADE_PARAMETERS);
    w->next++;
    return w->next == FIRST + 70 ? GMC_E_LIMIT : GMC_OK;
}

static void trials_are_those_that_were_put(void **state)
{
    (void)state;
    gmc_result *result;
    assert_int_equal(open_file(path, &result), GMC_OK);
    walker w = {.next = FIRST};
    // a visitor that ends the walk
    assert_int_equal(gmc_result_trials(result, check_trial, &w), GMC_E_LIMIT);
    assert_int_equal(w.next, FIRST + 70);
    gmc_trial_copy one = {0};
    for (uint64_t n = FIRST + 70; n < FIRST + TRIALS; n++) {
        assert_int_equal(gmc_result_trial(result, n, &one), GMC_OK);
        assert_int_equal(check_trial(&w, &one.trial), GMC_OK);
    }
    assert_int_equal(gmc_result_trial(result, FIRST - 1, &one), GMC_E_MISSING);
    assert_int_equal(gmc_result_trial(result, FIRST + TRIALS, &one), GMC_E_MISSING);
    gmc_trial_copy_free(&one);
    gmc_trial_copy_free(&w.made);
    gmc_result_close(result);
}

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static void assert_same_path(const gmc_store_model *file, const gmc_store_model *model,
                             const gmc_trajectory *a, const gmc_trajectory *b)
{
    int T = b->row_count;
    assert_int_equal(a->row_count, T);
    assert_same_numbers(a->time, b->time, T);
    for (int i = 0; i < file->body_count; i++) {
        int k = find(model->bodies, model->body_count, file->bodies[i]);
        for (int r = 0; r < T; r++) {
            const double *pose = a->pose + (r * file->body_count + i) * 7;
            if (k < 0) {
                for (int c = 0; c < 7; c++)
                    assert_true(isnan(pose[c]));
                continue;
            }
            assert_same_numbers(pose, b->pose + (r * model->body_count + k) * 7, 7);
            assert_same_numbers(a->twist + (r * file->body_count + i) * 6,
                                b->twist + (r * model->body_count + k) * 6, 6);
        }
        if (k >= 0) assert_same_numbers(a->inertia + i * 10, b->inertia + k * 10, 10);
    }
    for (int i = 0; i < file->joint_count; i++) {
        int k = find(model->joints, model->joint_count, file->joints[i]);
        for (int r = 0; r < T; r++) {
            double q = a->q[r * file->joint_count + i];
            if (k < 0)
                assert_true(isnan(q));
            else
                assert_true(q == b->q[r * model->joint_count + k]);
        }
    }
    if (T == 0) return;
    for (int r = 0; r <= T; r++)
        assert_int_equal(a->contact_start[r], b->contact_start[r]);
    int contacts = (int)b->contact_start[T];
    assert_same_numbers(a->contact_point, b->contact_point, 3 * contacts);
    assert_same_numbers(a->contact_normal, b->contact_normal, 3 * contacts);
    assert_same_numbers(a->contact_force, b->contact_force, 3 * contacts);
    assert_same_numbers(a->contact_torque, b->contact_torque, 3 * contacts);
    for (int i = 0; i < 2 * contacts; i++)
        assert_string_equal(file->geoms[a->contact_geoms[i]], model->geoms[b->contact_geoms[i]]);
}

static void trajectories_are_those_that_were_put(void **state)
{
    (void)state;
    gmc_result *result;
    assert_int_equal(open_file(path, &result), GMC_OK);
    const gmc_store_model *names = &gmc_result_about(result)->names;
    gmc_trial_copy read = {0}, made = {0};
    int count = 0;
    for (uint64_t n = FIRST; n < FIRST + TRIALS; n++) {
        made_run_trial(&run, n, &made);
        assert_int_equal(gmc_result_trial(result, n, &read), GMC_OK);
        assert_int_equal(!read.trial.trajectory, !made.trial.trajectory);
        if (!made.trial.trajectory) continue;
        int model = run.cases[made.trial.case_index].model;
        assert_same_path(names, &run.plan.models[model], read.trial.trajectory,
                         made.trial.trajectory);
        count++;
    }
    assert_int_equal(count, TRIALS / 3);
    gmc_trial_copy_free(&read);
    gmc_trial_copy_free(&made);
    gmc_result_close(result);
}

static void a_result_knows_its_plan(void **state)
{
    (void)state;
    char why[300];
    assert_int_equal(gmc_result_matches(path, &run.plan, why, sizeof why), GMC_OK);
    gmc_store_plan plan = run.plan;
    plan.seed = 8;
    assert_int_equal(gmc_result_matches(path, &plan, why, sizeof why), GMC_E_MISMATCH);
    assert_string_equal(why, "seed is 7 there, 8 here");
    plan = run.plan;
    plan.count++;
    assert_int_equal(gmc_result_matches(path, &plan, why, sizeof why), GMC_E_MISMATCH);
    plan = run.plan;
    plan.trajectories = "all";
    assert_int_equal(gmc_result_matches(path, &plan, why, sizeof why), GMC_E_MISMATCH);
    assert_string_equal(why, "trajectories is every:3 there, all here");
    assert_int_equal(gmc_result_matches("/nowhere", &plan, why, sizeof why), GMC_E_MISMATCH);
}

// ---- files that are not as they should be ----

static size_t copy_file(size_t limit)
{
    static unsigned char bytes[1 << 22];
    FILE *f = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (limit < size) size = limit;
    f = fopen(broken, "wb");
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
    return size;
}

static void assert_refused(const char *part_of_message)
{
    gmc_result *result;
    gmc_status status = open_file(broken, &result);
    assert_int_equal(status, GMC_E_INPUT);
    assert_null(result);
    assert_true(messages.error_count > 0);
    if (!strstr(messages.items[0].message, part_of_message))
        fail_msg("'%s' does not say '%s'", messages.items[0].message, part_of_message);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    gmc_result *result;
    assert_int_equal(open_file("/nowhere/out.h5", &result), GMC_E_MISSING);
    for (size_t size = 0; size < 100000; size = 3 * size + 1) {
        copy_file(size);
        assert_refused("not a whole HDF5 file");
    }
    FILE *f = fopen(broken, "wb");
    fputs("graspmc: 1\n", f);
    fclose(f);
    assert_refused("this is a scenario, not a result");
}

static hid_t open_copy(void)
{
    copy_file(SIZE_MAX);
    hid_t file = H5Fopen(broken, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void delete_and_expect(const char *link, const char *message)
{
    hid_t file = open_copy();
    assert_true(H5Ldelete(file, link, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_refused(message);
}

static void missing_parts_are_named(void **state)
{
    (void)state;
    static const char *const PARTS[] = {"/trials",
                                        "/samples",
                                        "/parameters",
                                        "/columns",
                                        "/cases",
                                        "/provenance",
                                        "/scenario/text",
                                        "/scenario/expanded",
                                        "/scenario/assets/index",
                                        "/scenario/assets/bytes",
                                        "/trajectories/index",
                                        "/trajectories/time",
                                        "/trajectories/body_names",
                                        "/trajectories/joints/names"};
    for (int i = 0; i < (int)(sizeof PARTS / sizeof PARTS[0]); i++)
        delete_and_expect(PARTS[i], PARTS[i]);
}

static void change_u64(const char *name, uint64_t value)
{
    hid_t file = open_copy();
    hid_t root = H5Oopen(file, "/", H5P_DEFAULT), attribute = H5Aopen(root, name, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_UINT64, &value) >= 0);
    H5Aclose(attribute);
    H5Oclose(root);
    H5Fclose(file);
}

static void attributes_are_checked(void **state)
{
    (void)state;
    change_u64("complete", 0);
    assert_refused("not complete");
    change_u64("schema_version", 1000);
    assert_refused("newer");
    change_u64("trial_count", 91);
    assert_refused("number of rows");
    change_u64("trial_count", UINT64_MAX);
    assert_refused("number of rows");
    hid_t file = open_copy();
    H5Adelete_by_name(file, "/", "schema", H5P_DEFAULT);
    H5Fclose(file);
    assert_refused("not a result of graspmc");
}

/// Put a dataset of another shape or type in the place of one that is there.
static void replace(const char *name, hid_t type, int rank, const hsize_t *shape)
{
    hid_t file = open_copy();
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(rank, shape, NULL);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {1, 1};
    if (shape[0] > 1 << 20)
        H5Pset_chunk(list, rank, chunk); // so that a huge shape takes no space
    else
        H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(file);
}

static void foreign_shapes_and_types_are_refused(void **state)
{
    (void)state;
    const hsize_t flat[] = {TRIALS}, narrow[] = {TRIALS, 2}, huge[] = {(hsize_t)1 << 50};
    replace("/samples", H5T_IEEE_F64LE, 1, flat);
    assert_refused("/samples");
    replace("/samples", H5T_IEEE_F64LE, 2, narrow);
    assert_refused("/samples");
    const hsize_t right[] = {TRIALS, MADE_PARAMETERS};
    replace("/samples", H5T_IEEE_F32LE, 2, right);
    assert_refused("another type");
    replace("/trials", H5T_IEEE_F64LE, 1, flat);
    assert_refused("/trials");
    replace("/scenario/assets/bytes", H5T_STD_U8LE, 1, huge);
    assert_refused("more elements than the file holds");
    const hsize_t ten[] = {10};
    replace("/scenario/assets/bytes", H5T_STD_U8LE, 1, ten);
    assert_refused("cut short");
    replace("/scenario/text", H5T_STD_U8LE, 1, ten);
    assert_refused("/scenario/text");
}

/// Flip bytes all over a copy: whatever happens, no crash, and no wrong trial is handed out as
/// right.
static void flipped_bytes_are_noticed_or_harmless(void **state)
{
    (void)state;
    size_t size = copy_file(SIZE_MAX);
    for (size_t at = 0; at < size; at += size / 97) {
        copy_file(SIZE_MAX);
        FILE *f = fopen(broken, "r+b");
        fseek(f, (long)at, SEEK_SET);
        int byte = fgetc(f);
        fseek(f, (long)at, SEEK_SET);
        fputc(byte ^ 0x41, f);
        fclose(f);
        gmc_result *result;
        if (open_file(broken, &result) != GMC_OK) continue;
        gmc_trial_copy read = {0};
        gmc_status status = gmc_result_trial(result, FIRST + 2, &read);
        assert_true(status == GMC_OK || status == GMC_E_INPUT);
        if (gmc_result_verify(result) == GMC_OK) {
            walker w = {.next = FIRST};
            // one without a trajectory: the digest is over the trials, not over those
            assert_int_equal(gmc_result_trial(result, FIRST + 3, &read), GMC_OK);
            w.next = FIRST + 3;
            assert_int_equal(check_trial(&w, &read.trial), GMC_OK);
            gmc_trial_copy_free(&w.made);
        }
        gmc_trial_copy_free(&read);
        gmc_result_close(result);
    }
}

int test_result(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_says_what_the_plan_said),
        cmocka_unit_test(trials_are_those_that_were_put),
        cmocka_unit_test(trajectories_are_those_that_were_put),
        cmocka_unit_test(a_result_knows_its_plan),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(missing_parts_are_named),
        cmocka_unit_test(attributes_are_checked),
        cmocka_unit_test(foreign_shapes_and_types_are_refused),
        cmocka_unit_test(flipped_bytes_are_noticed_or_harmless),
    };
    return cmocka_run_group_tests(tests, write_result, remove_result);
}
