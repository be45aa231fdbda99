// A result file whose values somebody changed, through the HDF5 library: the file keeps its own
// format, and everything that graspmc reads out of it may be something else. What the library does
// with bytes that break HDF5's format is its own matter, and not looked at.
//
// The first byte chooses the result: one of a real run, or one that was made up with odd names and
// two models. Then come changes, three bytes each and what they take:
//
//   0 object offset, then 8 bytes   these bytes over the values of a dataset, at 16 * offset
//   1 object kind                   the dataset again, with other rows or another type
//   2 object attribute, 8 bytes     these bytes over the start of an attribute
//   3 object attribute              the attribute goes
//   4 object                        the object goes
#define _POSIX_C_SOURCE 200809L
#include "cli/answer/answer.h"
#include "cli/answer/stored.h"
#include "sampling/campaign/rollouts.h"
#include "sampling/shards/shards.h"
#include "sampling/shards/survey.h"
#include "test/fuzz/output.h"
#include "test/fuzz/scene.h"
#include "test/support/made_run.h"

#include <hdf5.h>

enum { OBJECTS_MAX = 128, NAME_BYTES = 160, MADE_TRIALS = 8 };

typedef struct base {
    unsigned char *bytes;
    size_t size;
    char names[OBJECTS_MAX][NAME_BYTES]; ///< of groups and datasets
    int name_count;
} base;

static base bases[2];
static output_folder folder;
static FILE *nowhere;

// ---- the results that are changed ----

static gmc_status run_into(const gmc_store_plan *plan, const gmc_job *job)
{
    gmc_diagnostics report = {0};
    gmc_store *store;
    const gmc_store_options options = {.path = folder.result, .mode = GMC_JOURNAL_FORCE};
    GMC_TRY(gmc_store_open(plan, &options, &report, &store, NULL));
    gmc_sink sink = gmc_store_sink(store);
    gmc_campaign_options campaign = gmc_campaign_defaults();
    campaign.count = plan->count;
    atomic_bool stop = false;
    GMC_TRY(gmc_campaign_run(job, &sink, &campaign, &stop, NULL));
    GMC_TRY(gmc_store_finish(store, NULL));
    gmc_store_close(store);
    return GMC_OK;
}

static gmc_status run_scene(void)
{
    gmc_diagnostics report = {0};
    gmc_prepared prepared = {0};
    GMC_TRY(gmc_arena_create(&prepared.arena, GMC_SCENARIO_ARENA_BYTES));
    GMC_TRY(scene_prepare(scene_text, sizeof scene_text - 1, &report, &prepared));
    gmc_describe_options options = {.count = gmc_rollouts_total(&prepared.scenario), .level = 0.95};
    gmc_description description;
    GMC_TRY(gmc_describe_run(&prepared.scenario, prepared.build, &options, &report, &description));
    gmc_rollouts rollouts = {.scenario = &prepared.scenario,
                             .build = prepared.build,
                             .recording = gmc_rollouts_recording(&prepared.scenario)};
    gmc_job job = gmc_rollouts_job(&rollouts);
    GMC_TRY(run_into(&description.plan, &job));
    gmc_description_free(&description);
    gmc_prepared_free(&prepared);
    gmc_diagnostics_free(&report);
    return GMC_OK;
}

static gmc_status run_made(void)
{
    static made_run run;
    made_run_start(&run, 0, MADE_TRIALS);
    gmc_job job = made_run_job(&run);
    return run_into(&run.plan, &job);
}

static herr_t take_name(hid_t id, const char *name, const H5O_info_t *info, void *context)
{
    (void)id, (void)info;
    base *b = context;
    FUZZ_REQUIRE(b->name_count < OBJECTS_MAX && strlen(name) < NAME_BYTES);
    strcpy(b->names[b->name_count++], name);
    return 0;
}

static void keep(base *b)
{
    FILE *file = fopen(folder.result, "rb");
    struct stat info;
    FUZZ_REQUIRE(file && fstat(fileno(file), &info) == 0);
    b->size = (size_t)info.st_size;
    b->bytes = malloc(b->size);
    FUZZ_REQUIRE(b->bytes && fread(b->bytes, 1, b->size, file) == b->size && fclose(file) == 0);
    hid_t id = H5Fopen(folder.result, H5F_ACC_RDONLY, H5P_DEFAULT);
    FUZZ_REQUIRE(id >= 0);
    FUZZ_REQUIRE(H5Ovisit2(id, H5_INDEX_NAME, H5_ITER_INC, take_name, b, H5O_INFO_BASIC) >= 0);
    H5Fclose(id);
}

static void end(void)
{
    output_close(&folder);
    for (int i = 0; i < 2; i++)
        free(bases[i].bytes);
    fclose(nowhere);
}

static void start(void)
{
    if (folder.path[0]) return;
    output_open(&folder);
    FUZZ_REQUIRE(run_scene() == GMC_OK);
    keep(&bases[0]);
    FUZZ_REQUIRE(run_made() == GMC_OK);
    keep(&bases[1]);
    nowhere = fopen("/dev/null", "w");
    FUZZ_REQUIRE(nowhere);
    atexit(end);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// ---- changes ----

static void change_values(hid_t object, const uint8_t *change)
{
    hid_t type = H5Dget_type(object), space = H5Dget_space(object);
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool is_small = count > 0 && count < 1 << 20; // as all are that were written
    size_t bytes = (is_small ? (size_t)count : 0) * H5Tget_size(type);
    unsigned char *values = malloc(bytes + 1);
    FUZZ_REQUIRE(values);
    if (bytes >= 8 && H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
        size_t at = (size_t)change[2] * 16 % (bytes - 7);
        memcpy(values + at, change + 3, 8);
        FUZZ_REQUIRE(H5Dwrite(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    free(values);
    H5Sclose(space);
    H5Tclose(type);
}

/// As many rows as `kind` says, of the dataset's own type or of another one, all zero.
static void make_again(hid_t file, const char *name, unsigned kind)
{
    hid_t old = H5Dopen2(file, name, H5P_DEFAULT);
    if (old < 0) return;
    hid_t type = H5Dget_type(old), text = H5Tcopy(H5T_C_S1), space = H5Dget_space(old);
    H5Tset_size(text, 1 + kind % 7);
    const hid_t types[] = {type, type, H5T_STD_U8LE, H5T_STD_U64LE, H5T_IEEE_F64LE, text};
    hsize_t shape[3] = {kind % 5 == 4 ? (hsize_t)1 << 40 : kind % 5, 2, 1};
    int rank = (int)(kind / 32 % 3);
    if (kind / 128 == 0 && H5Sget_simple_extent_ndims(space) <= 3) // the rank that it has
        rank = H5Sget_simple_extent_dims(space, shape, NULL);
    if (kind / 128 == 0 && rank > 0) shape[0] = kind % 5;
    hid_t other = rank > 0 ? H5Screate_simple(rank, shape, NULL) : H5Screate(H5S_SCALAR);
    H5Dclose(old);
    FUZZ_REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t fresh =
        H5Dcreate2(file, name, types[kind / 5 % 6], other, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (fresh >= 0) H5Dclose(fresh);
    H5Sclose(other);
    H5Sclose(space);
    H5Tclose(text);
    H5Tclose(type);
}

static void change_attribute(hid_t object, unsigned index, const uint8_t *bytes)
{
    hid_t id =
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, index, H5P_DEFAULT, H5P_DEFAULT);
    if (id < 0) return;
    char name[NAME_BYTES];
    H5Aget_name(id, sizeof name, name);
    hid_t type = H5Aget_type(id);
    hsize_t size = H5Aget_storage_size(id);
    unsigned char *values = malloc(size + 8);
    FUZZ_REQUIRE(values);
    if (bytes && H5Aread(id, type, values) >= 0) {
        memcpy(values, bytes, size < 8 ? size : 8);
        FUZZ_REQUIRE(H5Awrite(id, type, values) >= 0);
    }
    free(values);
    H5Tclose(type);
    H5Aclose(id);
    if (!bytes) FUZZ_REQUIRE(H5Adelete(object, name) >= 0);
}

/// @return bytes that the change took
static size_t change(hid_t file, const base *b, const uint8_t *data, size_t size)
{
    const char *name = b->names[data[1] % b->name_count];
    unsigned kind = data[0] % 5;
    size_t taken = kind == 0 || kind == 2 ? 11 : 3;
    if (taken > size) return size;
    bool is_root = strcmp(name, ".") == 0;
    if (kind == 4 && !is_root) (void)H5Ldelete(file, name, H5P_DEFAULT);
    if (kind == 1 && !is_root) make_again(file, name, data[2]);
    hid_t object = kind != 4 && kind != 1 ? H5Oopen(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (object < 0) return taken; // it went already
    if (kind == 0 && H5Iget_type(object) == H5I_DATASET) change_values(object, data);
    if (kind == 2) change_attribute(object, data[2], data + 3);
    if (kind == 3) change_attribute(object, data[2], NULL);
    H5Oclose(object);
    return taken;
}

static void change_all(const base *b, const uint8_t *data, size_t size)
{
    output_write(folder.result, b->bytes, b->size);
    hid_t file = H5Fopen(folder.result, H5F_ACC_RDWR, H5P_DEFAULT);
    FUZZ_REQUIRE(file >= 0);
    while (size >= 3) {
        size_t taken = change(file, b, data, size);
        data += taken;
        size -= taken;
    }
    FUZZ_REQUIRE(H5Fclose(file) >= 0);
}

// ---- reading ----

static gmc_status visit(void *context, const gmc_trial *trial)
{
    const gmc_result_info *info = context;
    FUZZ_REQUIRE(trial->case_index < (uint32_t)info->case_count);
    FUZZ_REQUIRE((unsigned)trial->outcome < GMC_OUTCOME_COUNT);
    return GMC_OK;
}

static void judge_statuses(gmc_status status)
{
    FUZZ_REQUIRE(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_MISSING);
}

static void read_trials(void)
{
    gmc_diagnostics report = {0};
    gmc_result *result;
    gmc_trial_copy trial = {0};
    gmc_status status = gmc_result_open(folder.result, &report, &result);
    FUZZ_REQUIRE((status == GMC_OK) == (report.error_count == 0));
    judge_statuses(status);
    if (status == GMC_OK) {
        const gmc_result_info *info = gmc_result_about(result);
        judge_statuses(gmc_result_trials(result, visit, (void *)(size_t)info));
        for (uint64_t n = 0; n < 10; n++)
            judge_statuses(gmc_result_trial(result, n, &trial));
        judge_statuses(gmc_result_verify(result));
    }
    gmc_trial_copy_free(&trial);
    gmc_result_close(result);
    gmc_diagnostics_free(&report);
}

/// What `show` does.
static void show(void)
{
    gmc_stored stored;
    gmc_description description = {0};
    gmc_answer answer = {0};
    const gmc_answer_how how = {0}; // everything, by the stored verdicts
    gmc_status status = gmc_stored_open(folder.result, &stored);
    if (status == GMC_OK) {
        const gmc_result_info *info = stored.info;
        gmc_describe_options options = {
            .first = info->first, .count = info->count, .level = 0.95, .stop = info->stop};
        status = gmc_describe_run(&stored.prepared.scenario, stored.prepared.build, &options,
                                  &stored.messages, &description);
        if (status == GMC_OK)
            status =
                gmc_answer_collect(stored.result, &description.plan, &how, folder.result, &answer);
        if (status == GMC_OK) {
            gmc_answer_print_json(&answer, true, nowhere);
            gmc_answer_print(&answer, 0, nowhere);
        }
    }
    FUZZ_REQUIRE(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_MISSING ||
                 status == GMC_E_MISMATCH || status == GMC_E_LIBRARY);
    gmc_answer_free(&answer);
    gmc_description_free(&description);
    gmc_diagnostics_print(&stored.messages, nowhere);
    gmc_diagnostics_free(&stored.messages); // said already: nothing is left for the terminal
    gmc_prepared_free(&stored.prepared);
    gmc_result_close(stored.result);
}

/// What `status` and `merge` look at.
static void look(void)
{
    const char *paths[] = {folder.result};
    gmc_diagnostics report = {0};
    gmc_survey survey;
    judge_statuses(gmc_survey_take(paths, 1, &report, &survey));
    gmc_survey_free(&survey);
    gmc_shards *shards;
    gmc_status status = gmc_shards_open(paths, 1, &report, &shards);
    if (status != GMC_E_MISMATCH) judge_statuses(status);
    gmc_shards_close(shards);
    gmc_diagnostics_free(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    if (size == 0) return 0;
    change_all(&bases[data[0] % 2], data + 1, size - 1);
    read_trials();
    show();
    look();
    return 0;
}
