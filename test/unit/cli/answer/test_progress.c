#include "cli/answer/progress.h"
#include "test/support/cmocka.h"

#include <string.h>

static const gmc_campaign_progress HALF = {
    .done = 5000, .fresh = 4000, .total = 10000, .counts = {4490, 500, 10}, .elapsed_s = 8};

/// The trials of HALF, as one case or as 499 draws of ten cases each.
static gmc_running running_of(int64_t cases)
{
    gmc_running running;
    assert_int_equal(gmc_running_create(&running, cases, false, 0.95), GMC_OK);
    for (uint64_t i = 0; i < 5000; i++)
        gmc_running_add(&running, i / (uint64_t)cases,
                        i % 500 == 7    ? GMC_VERDICT_UNSOLVED
                        : i % 500 < 450 ? GMC_VERDICT_SUCCESS
                                        : GMC_VERDICT_FAILURE);
    return running;
}

static char *shown(gmc_progress *p, const gmc_campaign_progress *now, char *text, size_t bytes)
{
    rewind(p->out);
    gmc_progress_show(p, now);
    long length = ftell(p->out);
    rewind(p->out);
    assert_true(length >= 0);
    assert_true((size_t)length < bytes);
    text[fread(text, 1, (size_t)length, p->out)] = 0;
    return text;
}

static void auto_is_plain_away_from_a_terminal(void **state)
{
    (void)state;
    gmc_running running = running_of(1);
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_AUTO, tmpfile(), &running);
    assert_int_equal(p.how, GMC_ARGS_PROGRESS_PLAIN);
    assert_false(p.is_colored);
    fclose(p.out);
}

static void writing_is_told_after_two_seconds_on_a_terminal(void **state)
{
    (void)state;
    char text[256] = "";
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_BAR, tmpfile(), NULL);
    gmc_progress_writing(&p, 1, 90000);
    assert_int_equal(ftell(p.out), 0);
    assert_false(p.has_bar);
    assert_true(p.next_s >= p.writing_s + 2);
    p.next_s = p.writing_s; // two seconds are over
    gmc_progress_writing(&p, 4711, 90000);
    assert_true(p.has_bar);
    assert_true(p.next_s > p.writing_s);
    gmc_progress_clear(&p);
    rewind(p.out);
    text[fread(text, 1, sizeof text - 1, p.out)] = 0;
    assert_string_equal(text, "\rwriting the result: 4711 of 90000 trials\033[K\r\033[K");
    fclose(p.out);
    // elsewhere nobody waits for it
    p = gmc_progress_create(GMC_ARGS_PROGRESS_PLAIN, tmpfile(), NULL);
    gmc_progress_writing(&p, 1, 2);
    p.next_s = 0;
    gmc_progress_writing(&p, 2, 2);
    assert_int_equal(ftell(p.out), 0);
    fclose(p.out);
}

static void plain_lines_come_now_and_then(void **state)
{
    (void)state;
    char text[512];
    gmc_running running = running_of(1);
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_PLAIN, tmpfile(), &running);
    gmc_campaign_progress now = HALF;
    now.elapsed_s = 4.9;
    assert_string_equal(shown(&p, &now, text, sizeof text), "");
    now.elapsed_s = 8;
    // 4000 fresh in 8 s: 500/s, 5000 left: 10 s. Wilson of 4490 of 4990: p = 0.89980,
    // [0.89116, 0.90783]; all unsolved failed 0.898 [0.88930, ...], succeeded 0.9 [..., 0.90801]
    assert_string_equal(shown(&p, &now, text, sizeof text),
                        "5000 of 10000 trials, 500/s, 10 s left, success 0.900 [0.889, 0.908] "
                        "95 % Wilson, 4490 of 4990; 10 unsolved: 0.898 ... 0.900, sampling "
                        "alone [0.891, 0.908]\n");
    now.elapsed_s = 12.9;
    assert_string_equal(shown(&p, &now, text, sizeof text), "");
    fclose(p.out);
}

static void a_study_shows_an_interval_over_draws(void **state)
{
    (void)state;
    char text[512];
    gmc_running running = running_of(10);
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_PLAIN, tmpfile(), &running);
    assert_non_null(
        strstr(shown(&p, &HALF, text, sizeof text), "95 % Korn-Graubard over 500 draws, 4490 of"));
    fclose(p.out);
    gmc_running_free(&running);
}

static void a_bar_fits_the_terminal(void **state)
{
    (void)state;
    for (int width = 20; width <= 200; width++) {
        char text[512];
        gmc_running running = running_of(1);
        gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_BAR, tmpfile(), &running);
        p.width = width;
        shown(&p, &HALF, text, sizeof text);
        assert_true(text[0] == '\r');
        char *end = strstr(text, "\033[K");
        assert_non_null(end);
        int columns = (int)(end - text) - 1;
        // below 60 columns the figures alone fill the line
        if (width >= 60 && columns >= width) fail_msg("%d columns of %d: %s", columns, width, text);
        assert_non_null(strstr(text, "0.900 [0.889, 0.908]"));
        if (width >= 80) assert_non_null(strstr(text, "[####"));
        fclose(p.out);
    }
}

static void clearing_is_for_bars_alone(void **state)
{
    (void)state;
    char text[512];
    gmc_running running = running_of(1);
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_BAR, tmpfile(), &running);
    gmc_progress_clear(&p);
    assert_int_equal(ftell(p.out), 0);
    shown(&p, &HALF, text, sizeof text);
    long before = ftell(p.out);
    gmc_progress_clear(&p);
    assert_int_equal(ftell(p.out), before + 4);
    fclose(p.out);
}

static void json_lines_say_when_it_is_over(void **state)
{
    (void)state;
    char text[1024];
    gmc_running running = running_of(1);
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_JSON, tmpfile(), &running);
    shown(&p, &HALF, text, sizeof text);
    assert_non_null(strstr(text, "\"done\": 5000"));
    assert_non_null(strstr(text, "\"seconds_left\": 10"));
    gmc_campaign_progress now = HALF;
    now.elapsed_s += 0.1;
    assert_string_equal(shown(&p, &now, text, sizeof text), "");
    now.is_last = true;
    assert_non_null(strstr(shown(&p, &now, text, sizeof text), "\"last\": true}\n"));
    fclose(p.out);
}

static void nothing_known_is_no_number(void **state)
{
    (void)state;
    char text[1024];
    gmc_running running;
    assert_int_equal(gmc_running_create(&running, 1, false, 0.95), GMC_OK);
    gmc_campaign_progress now = {.total = 10};
    gmc_progress p = gmc_progress_create(GMC_ARGS_PROGRESS_JSON, tmpfile(), &running);
    shown(&p, &now, text, sizeof text);
    assert_non_null(strstr(text, "\"p\": null"));
    assert_non_null(strstr(text, "\"trials_per_s\": null"));
    fclose(p.out);
}

static void durations_read_well(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } CASES[] = {
        {0.04, "0.0 s"},      {9.94, "9.9 s"},     {9.96, "10 s"},         {59.4, "59 s"},
        {59.6, "1 min 00 s"}, {125, "2 min 05 s"}, {3599.7, "1 h 00 min"}, {86399.9, "1 d 0 h"},
        {8000, "2 h 13 min"}, {1e10, "?"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[32];
        gmc_progress_duration(CASES[i].seconds, text, sizeof text);
        assert_string_equal(text, CASES[i].text);
    }
}

int test_progress(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_plain_away_from_a_terminal),
        cmocka_unit_test(plain_lines_come_now_and_then),
        cmocka_unit_test(writing_is_told_after_two_seconds_on_a_terminal),
        cmocka_unit_test(a_study_shows_an_interval_over_draws),
        cmocka_unit_test(a_bar_fits_the_terminal),
        cmocka_unit_test(clearing_is_for_bars_alone),
        cmocka_unit_test(json_lines_say_when_it_is_over),
        cmocka_unit_test(nothing_known_is_no_number),
        cmocka_unit_test(durations_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
