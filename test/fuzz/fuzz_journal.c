// A journal that a run finds beside its output. The first byte says how the rest is taken:
//
//   'r'  as the file itself: what is no journal is refused, what is torn is cut off, and a record
//        appended after that is there when the file is opened again
//   else as records behind a header that fits the run, each with a right checksum, as only this
//        program writes them: type, bytes of payload (two), trial, payload. The run either refuses
//        them or is finished with them, and its result can be read
#define _POSIX_C_SOURCE 200809L
#include "sampling/hdf5/bytes.h"
#include "sampling/store/journal.h"
#include "sampling/store/plan.h"
#include "sampling/store/result.h"
#include "test/fuzz/output.h"
#include "test/support/made_run.h"

#include <zlib.h>

enum { TRIALS = 6 };

static const char IDENTITY[] = "scenario_digest: 0123456789abcdef\nseed: 7\n";
static output_folder folder;
static made_run run;

static void remove_folder(void) { output_close(&folder); }

static void start(void)
{
    if (folder.path[0]) return;
    output_open(&folder);
    atexit(remove_folder);
    made_run_start(&run, 0, TRIALS);
}

static gmc_status visit(void *context, uint64_t trial, const void *payload, size_t bytes)
{
    uint64_t *sum = context;
    FUZZ_REQUIRE(trial < TRIALS);
    *sum += (uint64_t)crc32_z(0, payload, bytes);
    return GMC_OK;
}

static gmc_status open_raw(gmc_journal **journal, uint64_t *sum)
{
    gmc_diagnostics report = {0};
    *sum = 0;
    const gmc_journal_options options = {.path = folder.journal,
                                         .identity = IDENTITY,
                                         .count = TRIALS,
                                         .mode = GMC_JOURNAL_RESUME,
                                         .visit = visit,
                                         .visit_context = sum};
    gmc_status status = gmc_journal_open(&options, &report, journal);
    if (status == GMC_E_MISMATCH) FUZZ_REQUIRE(report.error_count == 1);
    fuzz_judge_report(status == GMC_E_MISMATCH ? GMC_E_INPUT : status, &report);
    return status;
}

static void try_raw(const uint8_t *data, size_t size)
{
    output_write(folder.journal, data, size);
    gmc_diagnostics report = {0};
    gmc_journal_look look;
    fuzz_judge_report(gmc_journal_look_at(folder.journal, &report, &look), &report);

    uint64_t sum, again;
    gmc_journal *journal;
    if (open_raw(&journal, &sum) != GMC_OK) return;
    uint64_t count = gmc_journal_about(journal).count;
    bool is_added = !gmc_journal_has(journal, 3);
    if (is_added) FUZZ_REQUIRE(gmc_journal_append(journal, 3, "three", 5, &report) == GMC_OK);
    gmc_journal_close(journal);
    FUZZ_REQUIRE(open_raw(&journal, &again) == GMC_OK);
    FUZZ_REQUIRE(gmc_journal_about(journal).torn == 0);
    FUZZ_REQUIRE(gmc_journal_about(journal).count == count + is_added);
    FUZZ_REQUIRE(again == sum + (is_added ? (uint64_t)crc32_z(0, (const void *)"three", 5) : 0));
    gmc_journal_close(journal);
    FUZZ_REQUIRE(gmc_journal_look_at(folder.journal, &report, &look) == GMC_OK);
    FUZZ_REQUIRE(look.torn == 0 && look.count == TRIALS);
    gmc_diagnostics_free(&report);
}

/// A journal of the run with the records that the input names.
static void forge(const uint8_t *data, size_t size)
{
    char *identity = gmc_store_plan_identity(&run.plan);
    FUZZ_REQUIRE(identity);
    size_t used = strlen(identity), room = used + 64 + 16 * size;
    unsigned char *file = calloc(room, 1);
    FUZZ_REQUIRE(file);
    memcpy(file, gmc_journal_magic, sizeof gmc_journal_magic);
    gmc_bytes_put_u32(file + 8, GMC_JOURNAL_VERSION);
    gmc_bytes_put_u32(file + 12, (uint32_t)used);
    gmc_bytes_put_u64(file + 24, TRIALS);
    memcpy(file + GMC_JOURNAL_FIXED_BYTES, identity, used);
    free(identity);
    used += GMC_JOURNAL_FIXED_BYTES;
    uint32_t seed = (uint32_t)crc32_z(0, file, used);
    gmc_bytes_put_u32(file + used, seed);
    used += GMC_JOURNAL_CRC_BYTES;
    for (size_t at = 0; at + 4 <= size;) {
        size_t payload = (size_t)(data[at + 1] | data[at + 2] << 8);
        if (payload > size - at - 4) payload = size - at - 4;
        unsigned char *record = file + used;
        gmc_bytes_put_u32(record, (uint32_t)payload);
        gmc_bytes_put_u32(record + 4, data[at]);
        gmc_bytes_put_u64(record + 8, data[at + 3]);
        memcpy(record + GMC_JOURNAL_HEAD_BYTES, data + at + 4, payload);
        size_t bytes = GMC_JOURNAL_HEAD_BYTES + payload;
        gmc_bytes_put_u32(record + bytes, gmc_journal_record_crc(seed, used, record, bytes));
        used += bytes + GMC_JOURNAL_CRC_BYTES;
        at += 4 + payload;
    }
    output_write(folder.journal, file, used);
    free(file);
}

/// Run what is missing; read what was written.
static gmc_status finish(gmc_store *store)
{
    gmc_sink sink = gmc_store_sink(store);
    gmc_trial_copy trial = {0};
    for (uint64_t n = 0; n < TRIALS; n++) {
        if (sink.has(sink.context, n)) continue;
        FUZZ_REQUIRE(made_run_trial(&run, n, &trial) == GMC_OK);
        FUZZ_REQUIRE(sink.put(sink.context, &trial.trial) == GMC_OK);
    }
    gmc_trial_copy_free(&trial);
    return gmc_store_finish(store, NULL);
}

static void read_result(void)
{
    gmc_diagnostics report = {0};
    gmc_result *result;
    gmc_trial_copy trial = {0};
    FUZZ_REQUIRE(gmc_result_open(folder.result, &report, &result) == GMC_OK);
    FUZZ_REQUIRE(gmc_result_verify(result) == GMC_OK);
    for (uint64_t n = 0; n < TRIALS; n++)
        FUZZ_REQUIRE(gmc_result_trial(result, n, &trial) == GMC_OK);
    gmc_trial_copy_free(&trial);
    gmc_result_close(result);
}

static void try_forged(const uint8_t *data, size_t size)
{
    forge(data, size);
    gmc_diagnostics report = {0};
    gmc_store *store;
    const gmc_store_options options = {.path = folder.result, .mode = GMC_JOURNAL_RESUME};
    gmc_status status = gmc_store_open(&run.plan, &options, &report, &store, NULL);
    if (status == GMC_OK) {
        status = finish(store);
        gmc_store_close(store);
        if (status == GMC_OK) read_result();
    }
    // trials of another range would be lost
    fuzz_judge_report(status == GMC_E_MISMATCH ? GMC_E_INPUT : status, &report);
    (void)unlink(folder.result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    if (size > 0 && data[0] == 'r')
        try_raw(data + 1, size - 1);
    else if (size > 0)
        try_forged(data + 1, size - 1);
    (void)unlink(folder.journal);
    return 0;
}
