#include "cli/commands/manual.h"
#include "cli/options/args.h"
#include "test/support/cmocka.h"

#include <stdlib.h>
#include <string.h>

/// Parse words (NULL-ended) after the program's name; complaints into `said`.
static bool parse(const char *const *words, gmc_args *args, char *said, size_t bytes)
{
    char copies[16][128];
    char *argv[18] = {0};
    int argc = 1;
    snprintf(copies[15], sizeof copies[15], "graspmc");
    argv[0] = copies[15];
    for (; words[argc - 1]; argc++) {
        snprintf(copies[argc - 1], sizeof copies[0], "%s", words[argc - 1]);
        argv[argc] = copies[argc - 1];
    }
    FILE *stream = tmpfile();
    assert_non_null(stream);
    bool is_good = gmc_args_parse(argc, argv, args, stream);
    rewind(stream);
    said[fread(said, 1, bytes - 1, stream)] = 0;
    fclose(stream);
    // texts of `args` point into `copies`: tests look at numbers, or at what they passed in
    return is_good;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL}, &args, said, sizeof said)

static void reads_every_option_of_run(void **state)
{
    (void)state;
    gmc_args args;
    char said[2048];
    assert_true(PARSE("run", "-n", "500", "s.yaml", "-j7", "--seed=18446744073709551615",
                      "--trials", "10:20", "--trajectories", "every:3", "--rate", "100 Hz",
                      "--level", "0.99", "--time-limit=55m"));
    assert_string_equal(said, "");
    assert_ptr_equal(args.command, &gmc_args_commands[GMC_COMMAND_RUN]);
    assert_int_equal(args.draws.value, 500);
    assert_int_equal(args.workers.value, 7);
    assert_true(args.seed.is_given);
    assert_true(args.seed.value == UINT64_MAX);
    assert_true(args.has_trials);
    assert_true(args.trial_first == 10);
    assert_true(args.trial_end == 20);
    assert_non_null(args.trajectories);
    assert_true(args.rate == 100);
    assert_true(args.level == 0.99);
    assert_true(args.time_limit == 3300);

    assert_true(PARSE("run", "s.yaml", "-qn5", "--resume", "--set", "a.b=1", "--set", "c=2 mm",
                      "--on-unsolved", "abort", "--progress", "json", "--json"));
    assert_true(args.quiet);
    assert_true(args.resume);
    assert_true(args.json);
    assert_true(args.on_unsolved == GMC_ARGS_UNSOLVED_ABORT);
    assert_int_equal(args.draws.value, 5);
    assert_int_equal(args.sets.count, 2);
    assert_int_equal(args.progress, GMC_ARGS_PROGRESS_JSON);
}

static void is_silent_about_what_was_not_said(void **state)
{
    (void)state;
    gmc_args args;
    char said[256];
    assert_true(PARSE("run", "s.yaml"));
    assert_false(args.draws.is_given || args.seed.is_given);
    assert_int_equal(args.workers.value, 0);
    assert_false(args.has_trials || args.force || args.resume);
    assert_null(args.trajectories);
    assert_true(args.rate == -1);
    assert_true(args.level == 0.95);
    assert_true(args.time_limit == 0);
}

static void reads_which_quantiles_are_asked_for(void **state)
{
    (void)state;
    gmc_args args;
    char said[512];
    assert_true(PARSE("show", "a.h5", "--quantile", "slip:0.95,.5,1e-3"));
    assert_string_equal(args.quantile_of, "slip");
    assert_int_equal(args.quantile_count, 3); // in order
    assert_true(args.quantile_p[0] == 1e-3);
    assert_true(args.quantile_p[1] == 0.5);
    assert_true(args.quantile_p[2] == 0.95);
    assert_true(PARSE("show", "a.h5", "--quantile=max_force / 2"));
    assert_string_equal(args.quantile_of, "max_force / 2");
    assert_int_equal(args.quantile_count, 3);
    assert_true(args.quantile_p[0] == 0.05);
    assert_true(args.quantile_p[2] == 0.95);
    static const char *const BAD[] = {
        "",         ":0.5",      "slip:",     "slip:0",
        "slip:1",   "slip:0.5,", "slip:a",    "slip:0.5:0.9",
        "slip:-.5", "slip:0.5x", "slip:1e-9", "slip:.1,.2,.3,.4,.5,.6,.7,.8,.9"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (PARSE("show", "a.h5", "--quantile", BAD[i])) fail_msg("%s was taken", BAD[i]);
    assert_false(PARSE("show", "a.h5", "--quantile", "slip:0.5,lift:0.9"));
    assert_non_null(
        strstr(said, "; other columns take a command each; found \"slip:0.5,lift:0.9\""));
}

static void refuses_bad_values_and_says_what_it_expects(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value;
    } BAD[] = {
        {"-n", "0"},
        {"-n", "-3"},
        {"-n", " 3"},
        {"-n", "3x"},
        {"-n", "9223372036854775808"},
        {"-j", "4097"},
        {"--seed", "18446744073709551616"},
        {"--seed", "-1"},
        {"--set", "mass"},
        {"--set", "=1"},
        {"--set", "mass="},
        {"--trials", "5"},
        {"--trials", "5:5"},
        {"--trials", "9:5"},
        {"--trials", "a:b"},
        {"--trajectories", "some"},
        {"--trajectories", "first:0"},
        {"--rate", "nan"},
        {"--rate", "inf"},
        {"--rate", "-1"},
        {"--rate", "0x10"},
        {"--rate", "1e999"},
        {"--level", "1"},
        {"--level", "0.4"},
        {"--level", "95 %"},
        {"--time-limit", "0"},
        {"--time-limit", "5 weeks"},
        {"--on-unsolved", "ignore"},
        {"--progress", "loud"},
        {"-o", ""},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        gmc_args args;
        char said[512];
        if (PARSE("run", "s.yaml", BAD[i].option, BAD[i].value))
            fail_msg("%s %s was taken", BAD[i].option, BAD[i].value);
        assert_non_null(strstr(said, BAD[i].option));
        assert_non_null(strstr(said, "expects"));
    }
}

static void refuses_what_is_said_twice(void **state)
{
    (void)state;
    gmc_args args;
    char said[1024];
#define REFUSE(what, ...)                                                                          \
    if (PARSE(__VA_ARGS__) || !strstr(said, what)) fail_msg("expected `%s`, got:\n%s", what, said)
    REFUSE("--where was given twice; both at once: --where 'A and B'", "show", "a.h5", "--where",
           "x > 1", "--where=y > 1", "--where", "z > 1");
    assert_null(strchr(strchr(said, '\n') + 1, '\n')); // told once
    REFUSE("-n, --draws was given twice", "run", "s.yaml", "-n5", "--draws", "7");
    REFUSE("--rebin u.a was given twice", "show", "a.h5", "--rebin", "u.a=5", "--rebin", "u.a=7");
    REFUSE("--rebin was given twice", "show", "a.h5", "--rebin", "5", "--rebin", "7");
    REFUSE("--design and --set sampling.design say the same", "run", "s.yaml", "--design", "sobol",
           "--set", "sampling.design=random");
    REFUSE("-n, --draws and --set sampling.draws say the same", "run", "s.yaml", "-n", "5", "--set",
           "sampling.draws = 7");
    REFUSE("-n, --draws and --set study.draws.first say the same", "run", "s.yaml", "-n", "50",
           "--set", "study.draws.first=7");
    REFUSE("--seed and --set sampling.seed say the same", "optimise", "s.yaml", "--set",
           "sampling.seed=7", "--seed", "7");
    // a map that has the key
    REFUSE("--seed and --set sampling={seed} say the same: choose one", "run", "s.yaml", "--seed",
           "5", "--set", "sampling={seed: 9}");
    REFUSE("--seed and --set sampling={seed} say the same", "optimise", "s.yaml", "--seed", "5",
           "--set", " sampling = {design: sobol, 'seed': 9}");
    REFUSE("-n, --draws and --set study={draws} say the same", "run", "s.yaml", "-n", "50", "--set",
           "study={vary: [object], draws: {first: 3, last: 9}}");
#undef REFUSE
    // lists, flags, and what only begins alike
    assert_true(PARSE("run", "s.yaml", "--set", "a.b=1", "--set", "a.b=2", "-q", "-q", "--allow",
                      "a", "--allow", "b"));
    assert_true(PARSE("run", "s.yaml", "--step", "1 ms", "--set", "simulation.stepper=coulomb",
                      "--seed", "1", "--set", "sampling.seeds=1"));
    assert_true(PARSE("show", "a.h5", "--rebin", "u.a=5", "--rebin", "u.ab=7"));
    // a map without the key, and what is told when the scenario is read
    assert_true(PARSE("run", "s.yaml", "--seed", "5", "--set", "sampling={design: sobol}", "--set",
                      "sampling=~", "--set", "sam=1", "--set", "sampling={seed: 9"));
}

static void reports_all_mistakes_at_once(void **state)
{
    (void)state;
    gmc_args args;
    char said[2048];
    assert_false(PARSE("run", "--drawz", "--force=1", "-x", "--resume", "--force", "-n", "x"));
    int lines = 0;
    for (const char *s = said; *s; s++)
        lines += *s == '\n';
    assert_int_equal(lines, 6); // the five above that are wrong alone or together, and no SCENARIO
    assert_non_null(strstr(said, "did you mean --draws?"));
    assert_non_null(strstr(said, "SCENARIO is missing"));
}

static void knows_which_command_takes_what(void **state)
{
    (void)state;
    gmc_args args;
    char said[512];
    assert_false(PARSE("show", "a.h5", "--draws", "5"));
    assert_non_null(strstr(said, "--draws: no such option; run and check have --draws\n"));
    assert_false(PARSE("show", "a.h5", "--no-warning"));
    assert_non_null(strstr(said, "; run, check, optimise and new have --no-warnings\n"));
    assert_false(PARSE("run", "a.yaml", "--rebin=4"));
    assert_non_null(strstr(said, "--rebin: no such option; show has --rebin\n"));
    assert_false(PARSE("show", "a.h5", "--zzzzzzzz"));
    assert_non_null(strstr(said, "--zzzzzzzz: no such option\n"));
    assert_false(PARSE("replay", "a.h5"));
    assert_non_null(strstr(said, "--trial"));
    assert_true(PARSE("replay", "a.h5", "--trial", "17"));
    assert_true(args.trial.is_given);
    assert_true(args.trial.value == 17);
    assert_false(PARSE("rnu", "a.yaml"));
    assert_false(PARSE("run", "a.yaml", "b.yaml"));
    assert_true(PARSE("run", "--", "--odd-name.yaml"));
    assert_true(PARSE("run", "--help"));
    assert_true(args.wants_help);
}

/// Usage, what it is about, an option a line but for the help itself, one line for all overrides.
static int lines_of(int command)
{
    int lines = 2, overrides = 0;
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *o = &gmc_args_options[i];
        if (!(o->commands & 1U << command) || o->letter == 'h') continue;
        if (o->commands & GMC_OPTION_GENERAL) continue; // the program's own help has it
        if (o->commands & GMC_OPTION_BESIDE) continue;  // another line has it
        if (o->commands & GMC_OPTION_OVERRIDE)
            overrides = 1;
        else
            lines++;
    }
    return lines + overrides;
}

static void help_fits_one_screen(void **state)
{
    (void)state;
    for (int c = -1; c < GMC_COMMAND_COUNT; c++) {
        FILE *stream = tmpfile();
        assert_non_null(stream);
        gmc_manual_help(c < 0 ? NULL : &gmc_args_commands[c], stream);
        rewind(stream);
        char line[256];
        int lines = 0;
        for (; fgets(line, sizeof line, stream); lines++)
            if (strlen(line) > 81) fail_msg("wider than 80 columns: %s", line);
        fclose(stream);
        assert_in_range(lines, 3, 24);
        if (c >= 0) assert_int_equal(lines, lines_of(c));
    }
}

static void names_are_unique_within_a_command(void **state)
{
    (void)state;
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *a = &gmc_args_options[i];
        unsigned commands = a->commands & ~(GMC_OPTION_OVERRIDE | GMC_OPTION_GENERAL |
                                            GMC_OPTION_BESIDE | GMC_OPTION_AGAIN);
        assert_true(commands != 0);
        assert_true(commands < 1U << GMC_COMMAND_COUNT);
        assert_true((a->value != NULL) == (a->expects != NULL || a->values != NULL));
        for (int j = 0; j < i; j++) {
            const gmc_option *b = &gmc_args_options[j];
            if (!(commands & b->commands)) continue;
            assert_string_not_equal(a->name, b->name);
            assert_false(a->letter && a->letter == b->letter);
        }
    }
}

int test_args(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_option_of_run),
        cmocka_unit_test(is_silent_about_what_was_not_said),
        cmocka_unit_test(reads_which_quantiles_are_asked_for),
        cmocka_unit_test(refuses_bad_values_and_says_what_it_expects),
        cmocka_unit_test(refuses_what_is_said_twice),
        cmocka_unit_test(reports_all_mistakes_at_once),
        cmocka_unit_test(knows_which_command_takes_what),
        cmocka_unit_test(help_fits_one_screen),
        cmocka_unit_test(names_are_unique_within_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
