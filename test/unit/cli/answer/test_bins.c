// What --by and --rebin ask for, and what they refuse, on quantities of a result that is not read.
#include "cli/answer/bins.h"
#include "engine/base/check.h"
#include "test/support/cmocka_all.h"

#include <math.h>
#include <string.h>

static const gmc_store_parameter PARAMETERS[] = {
    {.name = "object.mass", .unit = "kg"},
    {.name = "friction.rubber/abs", .unit = "1"},
    {.name = "object.pose.x", .unit = "m"},
};
static const gmc_column COLUMNS[] = {
    {.name = "max(slip(object, hand))", .unit = "m"},
    {.name = "max_force", .unit = "N"},
};
static const gmc_result_info INFO = {
    .parameters = PARAMETERS,
    .parameter_count = 3,
    .columns = COLUMNS,
    .column_count = 2,
};

static gmc_stored stored;
static gmc_histogram_spec before;

static int set_up(void **state)
{
    (void)state;
    stored = (gmc_stored){.info = &INFO};
    stored.prepared.scenario.histograms = &before;
    stored.prepared.scenario.histogram_count = 1;
    return gmc_arena_create(&stored.prepared.arena, 1 << 16) == GMC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_arena_free(&stored.prepared.arena);
    gmc_diagnostics_free(&stored.messages);
    return 0;
}

/// @param first, second  of --rebin; NULL: not given
static gmc_status ask(const char *by, const char *first, const char *second)
{
    gmc_args args = {.by = by, .json = true}; // for programs: as many bins as the file has
    if (first) args.rebins.items[args.rebins.count++] = first;
    if (second) args.rebins.items[args.rebins.count++] = second;
    gmc_diagnostics_free(&stored.messages);
    stored.prepared.scenario.histograms = &before;
    return gmc_bins_ask(&args, &stored);
}

/// The one histogram that is then shown.
static const gmc_histogram_spec *take(const char *by, const char *first, const char *second)
{
    if (ask(by, first, second) != GMC_OK)
        fail_msg("%s %s: %s", by ? by : "-", first ? first : "-",
                 stored.messages.count > 0 ? stored.messages.items[0].message : "no memory");
    assert_int_equal(stored.messages.count, 0);
    assert_int_equal(stored.prepared.scenario.histogram_count, 1);
    const gmc_histogram_spec *spec = stored.prepared.scenario.histograms;
    assert_ptr_not_equal(spec, &before);
    assert_true(isnan(spec->lower[0]));
    assert_true(isnan(spec->upper[1])); // as the distribution has it
    return spec;
}

static void refuse(const char *by, const char *first, const char *second, const char *words)
{
    assert_int_equal(ask(by, first, second), GMC_E_INPUT);
    assert_int_equal(stored.messages.error_count, 1);
    assert_string_equal(stored.messages.items[0].source.file, "--rebin");
    if (!strstr(stored.messages.items[0].message, words))
        fail_msg("%s: %s", first, stored.messages.items[0].message);
    assert_ptr_equal(stored.prepared.scenario.histograms, &before);
}

static void nothing_asked_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(ask(NULL, NULL, NULL), GMC_OK);
    assert_ptr_equal(stored.prepared.scenario.histograms, &before);
}

static void axes_are_names(void **state)
{
    (void)state;
    const gmc_histogram_spec *spec = take("object.mass", NULL, NULL);
    assert_string_equal(spec->name[0], "object.mass");
    assert_null(spec->name[1]);
    assert_int_equal(spec->bins[0], 20);
    assert_false(spec->has_bins[0]); // a bin per studied value would do
    assert_null(spec->edges[0]);

    spec = take("object.pose.x,friction.rubber/abs", NULL, NULL);
    assert_string_equal(spec->name[0], "object.pose.x");
    assert_string_equal(spec->name[1], "friction.rubber/abs");
    assert_true(spec->bins[0] == 12);
    assert_true(spec->bins[1] == 12);

    spec = take("max(slip(object, hand))", NULL, NULL); // its commas are in brackets
    assert_string_equal(spec->name[0], "max(slip(object, hand))");
    assert_null(spec->name[1]);
    spec = take("max(slip(object, hand)),object.mass", NULL, NULL);
    assert_string_equal(spec->name[1], "object.mass");
}

static void numbers_of_bins(void **state)
{
    (void)state;
    const gmc_histogram_spec *spec = take("object.mass", "40", NULL);
    assert_true(spec->bins[0] == 40);
    assert_true(spec->has_bins[0]);
    assert_true(!spec->edges[0]);
    spec = take("object.pose.x,object.mass", "7", NULL); // both
    assert_true(spec->bins[0] == 7);
    assert_true(spec->bins[1] == 7);
    spec = take("object.pose.x,object.mass", "object.mass=9", NULL);
    assert_true(spec->bins[0] == 12);
    assert_true(!spec->has_bins[0]);
    assert_true(spec->bins[1] == 9);
    spec = take("object.pose.x,object.mass", "5", "object.mass=1"); // the later one counts
    assert_true(spec->bins[0] == 5);
    assert_true(spec->bins[1] == 1);
    spec = take(NULL, "object.mass=100000", NULL); // the name is the axis
    assert_string_equal(spec->name[0], "object.mass");
    assert_int_equal(spec->bins[0], 100000);
    spec = take(NULL, "object.mass=3", "object.pose.x=4");
    assert_string_equal(spec->name[1], "object.pose.x");
    assert_true(spec->bins[0] == 3);
    assert_true(spec->bins[1] == 4);
}

static void edges_are_numbers_with_units(void **state)
{
    (void)state;
    const gmc_histogram_spec *spec = take(NULL, "object.mass=100 g, 0.2 kg,1", NULL);
    assert_int_equal(spec->bins[0], 2);
    assert_true(spec->edges[0][0] == 0.1);
    assert_true(spec->edges[0][1] == 0.2);
    assert_true(spec->edges[0][2] == 1);
    spec = take("object.pose.x", "-10 mm, 0, 5 mm", NULL);
    assert_true(spec->edges[0][0] == -0.01);
    assert_true(spec->edges[0][1] == 0);
    assert_true(spec->edges[0][2] == 0.005);
    spec = take(NULL, "max(slip(object, hand))=0 mm,1 mm", NULL);
    assert_int_equal(spec->bins[0], 1);
    spec = take("object.pose.x,friction.rubber/abs", "friction.rubber/abs=0,10 %,1", "3");
    assert_true(spec->bins[0] == 3);
    assert_true(spec->bins[1] == 3); // the later one, of both
    spec = take("object.pose.x,friction.rubber/abs", "3", "friction.rubber/abs=0,10 %,1");
    assert_true(spec->bins[0] == 3);
    assert_true(spec->bins[1] == 2);
    assert_true(spec->edges[1][1] == 0.1);
    // what no file knows is looked for later, among all names
    spec = take(NULL, "unknown=0 kg,1 N", NULL);
    assert_string_equal(spec->name[0], "unknown");
}

static void mistakes(void **state)
{
    (void)state;
    static const char *const NO_NUMBER[] = {"0", "100001", "99999999999999999999", "000"};
    for (int i = 0; i < GMC_COUNT(NO_NUMBER); i++)
        refuse("object.mass", NO_NUMBER[i], NULL, "not a number of bins");
    static const char *const NO_EDGES[] = {"object.mass=1 kg",      // one edge is no bin
                                           "object.mass=1 kg,1 kg", // nothing between
                                           "object.mass=2 kg,1 kg",
                                           "object.mass=1 kg,2 kg,",
                                           "object.mass=,1 kg",
                                           "object.mass=1 kg,,2 kg",
                                           "object.mass=",
                                           "object.mass=a few",
                                           "object.mass=1 kg;2 kg",
                                           "object.mass=nan,1",
                                           "object.mass=0,inf",
                                           "object.mass=1 kg,2 kg 3 kg",
                                           "object.mass=-5",
                                           "object.mass=12x",
                                           "object.mass=1 parsec,2 parsec"};
    for (int i = 0; i < GMC_COUNT(NO_EDGES); i++)
        refuse(NULL, NO_EDGES[i], NULL, "not edges of bins");
    refuse(NULL, "object.mass=0 kg,1 mm", NULL, "another unit than the quantity's");
    refuse("object.mass", "0 m,1 m", NULL, "another unit than the quantity's");
    refuse("max_force", "max_force=0 N,1 mm", NULL, "another unit than the quantity's");
    refuse(NULL, "40", NULL, "bins without a parameter");
    refuse(NULL, "object.mass=3", "40", "bins without a parameter");
    refuse("object.mass", "object.pose.x=40", NULL, "not a parameter that is shown");
    refuse("object.mass", "object.mas=40", NULL, "not a parameter that is shown");
    refuse("object.mass", "object.mass.z=40", NULL, "not a parameter that is shown");
    refuse("object.mass,object.pose.x", "0,1,2", NULL,
           "edges for two parameters, without the name of one");
}

static void no_room(void **state)
{
    (void)state;
    gmc_arena *arena = &stored.prepared.arena;
    gmc_arena_free(arena);
    int failed = 0;
    for (size_t bytes = 1;; bytes += 16) {
        assert_int_equal(gmc_arena_create(arena, bytes), GMC_OK);
        gmc_status status = ask(NULL, "object.mass=0 kg,1 kg,2 kg", NULL);
        if (status == GMC_OK) break;
        assert_int_equal(status, GMC_E_MEMORY);
        assert_ptr_equal(stored.prepared.scenario.histograms, &before);
        gmc_arena_free(arena);
        failed++;
    }
    assert_true(failed > 5);
}

int test_bins(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_asked_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(axes_are_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_of_bins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(edges_are_numbers_with_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_room, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("bins", tests, NULL, NULL);
}
