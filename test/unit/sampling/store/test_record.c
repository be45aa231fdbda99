// A trial becomes bytes and comes back; bytes that are no trial are refused, never believed.
#include "sampling/hdf5/bytes.h"
#include "sampling/store/record.h"
#include "test/support/cmocka.h"
#include "test/support/made_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *encode(const gmc_trial *trial, size_t *bytes)
{
    *bytes = gmc_record_bytes(trial, MADE_COLUMNS, MADE_PARAMETERS);
    unsigned char *record = malloc(*bytes);
    assert_non_null(record);
    gmc_record_encode(trial, MADE_COLUMNS, MADE_PARAMETERS, record);
    return record;
}

static void assert_same_doubles(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (isnan(a[i]))
            assert_true(isnan(b[i]));
        else
            assert_memory_equal(&a[i], &b[i], sizeof(double));
    }
}

static void trials_come_back_bit_for_bit(void **state)
{
    (void)state;
    static made_run run;
    made_run_start(&run, 0, 100);
    gmc_trial_copy made = {0}, back = {0};
    for (uint64_t n = 0; n < 100; n++) {
        made_run_trial(&run, n, &made);
        size_t bytes;
        unsigned char *record = encode(&made.trial, &bytes);
        assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                         GMC_OK);
        const gmc_trial *a = &made.trial, *b = &back.trial;
        assert_int_equal(a->trial, b->trial);
        assert_int_equal(a->draw, b->draw);
        assert_int_equal(a->case_index, b->case_index);
        assert_int_equal(a->outcome, b->outcome);
        assert_int_equal(a->reason, b->reason);
        assert_int_equal(a->phase, b->phase);
        assert_true(a->t_end == b->t_end);
        assert_same_doubles(a->values, b->values, MADE_COLUMNS);
        assert_same_doubles(a->samples, b->samples, MADE_PARAMETERS);
        assert_int_equal(!a->trajectory, !b->trajectory);
        if (a->trajectory) {
            // all arrays at once: what comes back encodes to the same bytes
            size_t again_bytes;
            unsigned char *again = encode(b, &again_bytes);
            assert_int_equal(bytes, again_bytes);
            assert_memory_equal(record, again, bytes);
            free(again);
            assert_int_equal(b->trajectory->row_count, a->trajectory->row_count);
        }
        free(record);
    }
    gmc_trial_copy_free(&made);
    gmc_trial_copy_free(&back);
}

static void bytes_do_not_depend_on_the_machine(void **state)
{
    (void)state;
    double values[1] = {-2.5}, samples[1] = {(double)-NAN};
    const gmc_trial trial = {.trial = 0x0102030405060708,
                             .case_index = 9,
                             .draw = 10,
                             .outcome = GMC_OUTCOME_LOST,
                             .reason = GMC_REASON_NONE,
                             .phase = -1,
                             .t_end = 1.0,
                             .values = values,
                             .samples = samples};
    static const unsigned char expected[] = {
        8,    7,    6, 5, 4, 3, 2, 1, 10,   0,    0,    0,    0,    0, 0, 0, 9,    0,   0,
        0,    3,    0, 0, 0, 0, 0, 0, 0,    0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,    0,   0,
        0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0x04, 0xc0, 0,    0,    0,    0, 0, 0, 0xf8, 0x7f};
    unsigned char bytes[sizeof expected];
    assert_int_equal(gmc_record_bytes(&trial, 1, 1), sizeof expected);
    gmc_record_encode(&trial, 1, 1, bytes);
    assert_memory_equal(bytes, expected, sizeof expected);
}

static void every_cut_and_every_wrong_count_is_refused(void **state)
{
    (void)state;
    static made_run run;
    made_run_start(&run, 0, 100);
    gmc_trial_copy made = {0}, back = {0};
    made_run_trial(&run, 9, &made); // with a trajectory
    assert_non_null(made.trial.trajectory);
    size_t bytes, core = gmc_record_core_bytes(MADE_COLUMNS, MADE_PARAMETERS);
    unsigned char *record = encode(&made.trial, &bytes);
    for (size_t cut = 0; cut < bytes; cut++) {
        if (cut == core) continue;             // that is the same trial without its trajectory
        unsigned char *part = malloc(cut + 1); // of its own, so that reading beyond is noticed
        memcpy(part, record, cut);
        assert_int_equal(gmc_record_decode(part, cut, MADE_COLUMNS, MADE_PARAMETERS, &back),
                         GMC_E_INPUT);
        free(part);
    }
    // counts that claim anything at all, in every byte of the shape
    for (size_t at = core; at < core + 16; at++) {
        for (int value = 0; value < 256; value++) {
            unsigned char before = record[at];
            if (value == before) continue;
            record[at] = (unsigned char)value;
            assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                             GMC_E_INPUT);
            record[at] = before;
        }
    }
    free(record);
    gmc_trial_copy_free(&made);
    gmc_trial_copy_free(&back);
}

static void impossible_values_are_refused(void **state)
{
    (void)state;
    static made_run run;
    made_run_start(&run, 0, 100);
    gmc_trial_copy made = {0}, back = {0};
    made_run_trial(&run, 9, &made);
    size_t bytes;
    unsigned char *record = encode(&made.trial, &bytes);
    gmc_bytes_put_u32(record + 20, GMC_OUTCOME_COUNT);
    assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                     GMC_E_INPUT);
    gmc_bytes_put_u32(record + 20, GMC_OUTCOME_MISSED);
    gmc_bytes_put_u32(record + 24, GMC_REASON_COUNT);
    assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                     GMC_E_INPUT);
    gmc_bytes_put_u32(record + 24, GMC_REASON_NONE);
    assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                     GMC_OK);

    // contact offsets that fall or end beyond the contacts
    gmc_trajectory *path = &made.trajectory;
    uint32_t before = path->contact_start[2];
    path->contact_start[2] = path->contact_start[path->row_count] + 1;
    gmc_record_encode(&made.trial, MADE_COLUMNS, MADE_PARAMETERS, record);
    assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                     GMC_E_INPUT);
    path->contact_start[2] = before;
    path->contact_start[0] = 1;
    gmc_record_encode(&made.trial, MADE_COLUMNS, MADE_PARAMETERS, record);
    assert_int_equal(gmc_record_decode(record, bytes, MADE_COLUMNS, MADE_PARAMETERS, &back),
                     GMC_E_INPUT);
    free(record);
    gmc_trial_copy_free(&made);
    gmc_trial_copy_free(&back);
}

int test_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_come_back_bit_for_bit),
        cmocka_unit_test(bytes_do_not_depend_on_the_machine),
        cmocka_unit_test(every_cut_and_every_wrong_count_is_refused),
        cmocka_unit_test(impossible_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
