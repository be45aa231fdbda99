#include "engine/base/status.h"
#include "sampling/random/distribution.h"
#include "sampling/random/normal.h"
#include "test/support/near.h"

#include <string.h>

static const double VALUES[4] = {3.0, -1.0, 2.0, 10.0}, WEIGHTS[4] = {1.0, 2.0, 4.0, 1.0};

// one of each kind, with mean and sd in closed form (truncated laws: mpmath 1.2, 40 digits)
typedef struct sample {
    gmc_distribution d;
    double mean, sd;
} sample;

static const sample SAMPLES[] = {
    {{.type = GMC_DISTRIBUTION_CONSTANT, .p = {4.5}}, 4.5, 0.0},
    {{.type = GMC_DISTRIBUTION_UNIFORM, .p = {-1.0, 5.0}}, 2.0, 1.7320508075688772},
    {{.type = GMC_DISTRIBUTION_NORMAL, .p = {2.0, 0.5}}, 2.0, 0.5},
    {{.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {2.0, 0.5}}, 2.23606797749979, 1.118033988749895},
    {{.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {1.0, 2.0, 4.0}},
     2.3333333333333335,
     0.6236095644623236},
    {{.type = GMC_DISTRIBUTION_DISCRETE, .values = VALUES, .weights = WEIGHTS, .value_count = 4},
     2.375,
     3.1991209730174317},
    {{.type = GMC_DISTRIBUTION_DISCRETE, .values = VALUES, .value_count = 4},
     3.5,
     4.031128874149275},
    {{.type = GMC_DISTRIBUTION_EMPIRICAL, .values = VALUES, .value_count = 4},
     3.5,
     4.031128874149275},
    {{.type = GMC_DISTRIBUTION_NORMAL,
      .p = {2.0, 0.5},
      .is_truncated = true,
      .lower = 1.0,
      .upper = 2.5},
     1.88518141045433552,
     0.360472793429522894},
    {{.type = GMC_DISTRIBUTION_NORMAL,
      .p = {0.0, 1.0},
      .is_truncated = true,
      .lower = 40.0,
      .upper = 41.0},
     40.0249688472072637,
     0.0249533239988460508},
    {{.type = GMC_DISTRIBUTION_NORMAL,
      .p = {0.0, 1.0},
      .is_truncated = true,
      .lower = 8.0,
      .upper = HUGE_VAL},
     8.12136811223611268,
     0.119686605112439003},
    {{.type = GMC_DISTRIBUTION_NORMAL,
      .p = {0.0, 2.0},
      .is_truncated = true,
      .lower = -HUGE_VAL,
      .upper = 1.0},
     -1.01832086767406697,
     1.39452563360644913},
    {{.type = GMC_DISTRIBUTION_NORMAL,
      .p = {0.0, 1.0},
      .is_truncated = true,
      .lower = 0.25,
      .upper = 0.2500001},
     0.250000049999999793,
     2.88675134603113875e-8},
    {{.type = GMC_DISTRIBUTION_LOGNORMAL,
      .p = {2.0, 0.5},
      .is_truncated = true,
      .lower = 1.0,
      .upper = 3.0},
     1.90233402227284262,
     0.529633289435251848},
    {{.type = GMC_DISTRIBUTION_LOGNORMAL,
      .p = {1.0, 2.0},
      .is_truncated = true,
      .lower = 0.0,
      .upper = HUGE_VAL},
     2.2360679774997897,
     4.47213595499957939},
    {{.type = GMC_DISTRIBUTION_LOGNORMAL,
      .p = {1.0, 1.0},
      .is_truncated = true,
      .lower = 5.0,
      .upper = HUGE_VAL},
     7.20342594853807308,
     2.7180536805142693},
};

// Student's laws, of which some have neither mean nor sd
static const gmc_distribution STUDENTS[] = {
    {.type = GMC_DISTRIBUTION_STUDENT, .p = {0.42, 0.031, 13.0}},
    {.type = GMC_DISTRIBUTION_LOG_STUDENT, .p = {0.4, 0.1, 2.0}},
    {.type = GMC_DISTRIBUTION_STUDENT,
     .p = {0.42, 0.031, 13.0},
     .is_truncated = true,
     .lower = 0.35,
     .upper = 0.5},
    {.type = GMC_DISTRIBUTION_STUDENT,
     .p = {0.42, 0.031, 13.0},
     .is_truncated = true,
     .lower = 0.8,
     .upper = HUGE_VAL},
    {.type = GMC_DISTRIBUTION_STUDENT,
     .p = {0.42, 0.031, 13.0},
     .is_truncated = true,
     .lower = -HUGE_VAL,
     .upper = 0.04},
    {.type = GMC_DISTRIBUTION_LOG_STUDENT,
     .p = {0.4, 0.1, 2.0},
     .is_truncated = true,
     .lower = 0.0,
     .upper = 1.0},
};

static void student_quantiles_agree_with_the_reference(void **state)
{
    (void)state;
    // law, u, value: scipy 1.10, stats.t; from law 3 on mpmath 1.3, 40 digits (scipy errs by 1e-11)
    static const double CASES[][3] = {
        {0, 0.001, 0.30058854587378},        {0, 0.025, 0.3530285716497086},
        {0, 0.3, 0.4033373732243579},        {0, 0.5, 0.42},
        {0, 0.9, 0.4618553099521816},        {0, 0.999, 0.5394114541262199},
        {2, 0.1, 0.3814234535944796},        {2, 0.5, 0.42037531466850575},
        {2, 0.9, 0.46028239066957605},       {3, 0.1, 0.80333965557336572},
        {3, 0.5, 0.82243688008181465},       {3, 0.9, 0.87904313192479133},
        {4, 0.9, 0.84 - 0.80333965557336572}};
    for (int i = 0; i < GMC_COUNT(CASES); i++)
        ASSERT_NEAR_RELATIVE(gmc_distribution_quantile(&STUDENTS[(int)CASES[i][0]], CASES[i][1]),
                             CASES[i][2],
                             1e-11); // of gmc_student_quantile
    ASSERT_NEAR_RELATIVE(gmc_distribution_sd(&STUDENTS[0]), 0.03370055300328576, 1e-15);
    assert_true(gmc_distribution_mean(&STUDENTS[0]) == 0.42);
    assert_true(gmc_distribution_mean(&STUDENTS[1]) == HUGE_VAL); // e^t has no mean
    assert_true(isnan(gmc_distribution_mean(&STUDENTS[2])));
}

static void student_laws_are_finite_and_inverted_by_their_cdf(void **state)
{
    (void)state;
    static const double ENDS[] = {-1.0, 0.0, 1.0 - 0x1p-53, 1.0, 2.0};
    for (int i = 0; i < GMC_COUNT(STUDENTS); i++) {
        const gmc_distribution *d = &STUDENTS[i];
        double last = -HUGE_VAL, lower, upper;
        assert_null(gmc_distribution_check(d, NULL));
        for (int k = 1; k < 200; k++) {
            double x = gmc_distribution_quantile(d, k / 200.0);
            assert_true(x > last);
            last = x;
            // quantiles are right to 1e-11, and a density times its x is at most a few
            ASSERT_NEAR(gmc_distribution_cdf(d, x), k / 200.0, 1e-9);
        }
        for (int k = 0; k < GMC_COUNT(ENDS); k++) {
            double x = gmc_distribution_quantile(d, ENDS[k]);
            assert_true(isfinite(x));
            assert_true((x > 0 || d->type == GMC_DISTRIBUTION_STUDENT));
            if (d->is_truncated) assert_true(x >= d->lower && x <= d->upper);
        }
        gmc_distribution_range(d, &lower, &upper);
        assert_true(isfinite(lower));
        assert_true(isfinite(upper));
        assert_true(lower < upper);
    }
}

static void scores_give_the_same_values_as_their_probabilities(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(SAMPLES); i++)
        for (double z = -3; z <= 3; z += 0.37) {
            const gmc_distribution *d = &SAMPLES[i].d;
            double x = gmc_distribution_quantile(d, gmc_normal_cdf(z));
            // Φ⁻¹(Φ(3)) loses a digit and a half; a step of a list cannot lie at one of these z
            ASSERT_NEAR(gmc_distribution_at_score(d, z), x, 1e-13 * (1 + fabs(x)));
        }
    gmc_distribution normal = {.type = GMC_DISTRIBUTION_NORMAL, .p = {0.0, 1.0}};
    assert_true(gmc_distribution_at_score(&normal, 7.25) == 7.25); // where 1 − Φ has 3 digits left
    assert_true(gmc_distribution_at_score(&normal, 99) == -gmc_distribution_quantile(&normal, 0));
}

static void mean_and_sd_agree_with_the_reference(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(SAMPLES); i++) {
        const gmc_distribution *d = &SAMPLES[i].d;
        ASSERT_NEAR_RELATIVE(gmc_distribution_mean(d), SAMPLES[i].mean, 1e-11); // header's promise
        ASSERT_NEAR_RELATIVE(gmc_distribution_sd(d), SAMPLES[i].sd, 1e-11);
    }
}

static void quantile_and_cdf_belong_together(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(SAMPLES); i++) {
        const gmc_distribution *d = &SAMPLES[i].d;
        assert_null(gmc_distribution_check(d, NULL));
        bool is_list = d->value_count > 0 || d->type == GMC_DISTRIBUTION_CONSTANT;
        for (int k = 1; k < 200 && !is_list; k++) {
            double x = gmc_distribution_quantile(d, k / 200.0);
            // rounding x moves the probability by 2^-53 x / width: 1e-9 in the narrowest interval
            ASSERT_NEAR(gmc_distribution_cdf(d, x), k / 200.0, d->is_truncated ? 4e-9 : 1e-13);
        }
    }
}

static void ends_of_u_give_finite_values_of_the_support(void **state)
{
    (void)state;
    static const double ENDS[] = {-1.0, 0.0, 1.0 - 0x1p-53, 1.0, 2.0};
    for (int i = 0; i < GMC_COUNT(SAMPLES); i++) {
        const gmc_distribution *d = &SAMPLES[i].d;
        double lower, upper;
        gmc_distribution_range(d, &lower, &upper);
        assert_true(isfinite(lower));
        assert_true(isfinite(upper));
        assert_true(lower <= upper);
        bool is_open = d->type == GMC_DISTRIBUTION_NORMAL || d->type == GMC_DISTRIBUTION_LOGNORMAL;
        for (int k = 0; k < GMC_COUNT(ENDS); k++) {
            double x = gmc_distribution_quantile(d, ENDS[k]);
            assert_true(isfinite(x));
            if (!is_open) assert_true(x >= lower && x <= upper);
            if (d->is_truncated) assert_true(x >= d->lower && x <= d->upper);
        }
    }
    gmc_distribution normal = {.type = GMC_DISTRIBUTION_NORMAL, .p = {0.0, 1.0}};
    // mpmath: Φ⁻¹(2^-54)
    ASSERT_NEAR_RELATIVE(gmc_distribution_quantile(&normal, 0.0), -8.2923610758135955, 1e-15);
}

static void lists_follow_their_weights(void **state)
{
    (void)state;
    const gmc_distribution *d = &SAMPLES[5].d;
    assert_true(gmc_distribution_quantile(d, 0.0) == 3.0);
    assert_true(gmc_distribution_quantile(d, 0.1249) == 3.0);
    assert_true(gmc_distribution_quantile(d, 0.125) == -1.0);
    assert_true(gmc_distribution_quantile(d, 0.3749) == -1.0);
    assert_true(gmc_distribution_quantile(d, 0.375) == 2.0);
    assert_true(gmc_distribution_quantile(d, 0.8749) == 2.0);
    assert_true(gmc_distribution_quantile(d, 0.875) == 10.0);
    assert_true(gmc_distribution_quantile(d, 1.0) == 10.0);
    ASSERT_NEAR(gmc_distribution_cdf(d, 2.0), 0.75, 0.0);
    const gmc_distribution *equal = &SAMPLES[7].d;
    assert_true(gmc_distribution_quantile(equal, 0.25) == -1.0);
    assert_true(gmc_distribution_quantile(equal, 0.2499) == 3.0);
}

static void ranges_are_support_or_quantiles(void **state)
{
    (void)state;
    double lower, upper;
    gmc_distribution d = {.type = GMC_DISTRIBUTION_NORMAL, .p = {1.0, 2.0}};
    gmc_distribution_range(&d, &lower, &upper);
    ASSERT_NEAR_RELATIVE(lower, 1.0 - 2.0 * 3.0902323061678132, 1e-15);
    ASSERT_NEAR_RELATIVE(upper, 1.0 + 2.0 * 3.0902323061678132, 1e-15);

    d.is_truncated = true;
    d.lower = 0.0;
    d.upper = HUGE_VAL;
    gmc_distribution_range(&d, &lower, &upper);
    assert_true(lower == 0.0);
    ASSERT_NEAR(gmc_distribution_cdf(&d, upper), 0.999, 1e-14);

    gmc_distribution_range(&SAMPLES[5].d, &lower, &upper);
    assert_true(lower == -1.0);
    assert_true(upper == 10.0);
    gmc_distribution_range(&SAMPLES[0].d, &lower, &upper);
    assert_true(lower == 4.5);
    assert_true(upper == 4.5);

    gmc_distribution positive = {.type = GMC_DISTRIBUTION_LOGNORMAL,
                                 .p = {1.0, 0.5},
                                 .is_truncated = true,
                                 .lower = -3.0,
                                 .upper = 2.0};
    gmc_distribution_range(&positive, &lower, &upper);
    assert_true(lower > 0.0);
    assert_true(upper == 2.0);
}

static void a_draw_is_the_quantile_of_its_address(void **state)
{
    (void)state;
    gmc_stream s = gmc_stream_open(3, 4, "object.mass");
    const gmc_distribution *d = &SAMPLES[2].d;
    for (uint64_t i = 0; i < 5; i++)
        assert_true(gmc_distribution_draw(d, s, i) ==
                    gmc_distribution_quantile(d, gmc_stream_uniform(s, i)));
}

typedef struct mistake {
    gmc_distribution d;
    gmc_distribution_argument argument;
    const char *part; // of the message
} mistake;

static void every_mistake_is_named_with_its_argument(void **state)
{
    (void)state;
    static const double BAD_VALUES[2] = {1.0, NAN}, BAD_WEIGHTS[2] = {1.0, 0.0},
                        HUGE_WEIGHTS[2] = {1e308, 1e308}, TWO[2] = {1.0, 2.0};
    const mistake mistakes[] = {
        {{.type = GMC_DISTRIBUTION_CONSTANT, .p = {NAN}}, GMC_ARGUMENT_0, "finite"},
        {{.type = GMC_DISTRIBUTION_UNIFORM, .p = {1.0, 1.0}}, GMC_ARGUMENT_1, "upper end"},
        {{.type = GMC_DISTRIBUTION_UNIFORM, .p = {0.0, HUGE_VAL}}, GMC_ARGUMENT_1, "finite"},
        {{.type = GMC_DISTRIBUTION_UNIFORM, .p = {-1e308, 1e308}}, GMC_ARGUMENT_1, "too wide"},
        {{.type = GMC_DISTRIBUTION_NORMAL, .p = {0.0, -0.1}},
         GMC_ARGUMENT_1,
         "deviation must be > 0"},
        {{.type = GMC_DISTRIBUTION_NORMAL, .p = {0.0, 0.0}},
         GMC_ARGUMENT_1,
         "deviation must be > 0"},
        {{.type = GMC_DISTRIBUTION_NORMAL,
          .p = {0.0, 1.0},
          .is_truncated = true,
          .lower = 2.0,
          .upper = 1.0},
         GMC_ARGUMENT_UPPER,
         "upper limit must be > the lower"},
        {{.type = GMC_DISTRIBUTION_NORMAL,
          .p = {0.0, 1.0},
          .is_truncated = true,
          .lower = NAN,
          .upper = 1.0},
         GMC_ARGUMENT_LOWER,
         "number"},
        {{.type = GMC_DISTRIBUTION_NORMAL,
          .p = {0.0, 1e-9},
          .is_truncated = true,
          .lower = 1.0,
          .upper = 2.0},
         GMC_ARGUMENT_LOWER,
         "above the middle"},
        {{.type = GMC_DISTRIBUTION_NORMAL,
          .p = {0.0, 1e-9},
          .is_truncated = true,
          .lower = -2.0,
          .upper = -1.0},
         GMC_ARGUMENT_UPPER,
         "below the middle"},
        {{.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {0.0, 0.5}}, GMC_ARGUMENT_0, "median"},
        {{.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {1.0, 0.0}}, GMC_ARGUMENT_1, "variation"},
        {{.type = GMC_DISTRIBUTION_LOGNORMAL, .p = {1.0, 1e9}}, GMC_ARGUMENT_1, "<= 1e6"},
        {{.type = GMC_DISTRIBUTION_LOGNORMAL,
          .p = {1.0, 0.5},
          .is_truncated = true,
          .lower = -2.0,
          .upper = -1.0},
         GMC_ARGUMENT_UPPER,
         "> 0"},
        {{.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {1.0, 1.0, 1.0}}, GMC_ARGUMENT_2, "upper end"},
        {{.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {1.0, 5.0, 4.0}}, GMC_ARGUMENT_1, "mode"},
        {{.type = GMC_DISTRIBUTION_TRIANGULAR, .p = {-1e308, 0.0, 1e308}},
         GMC_ARGUMENT_2,
         "too wide"},
        {{.type = GMC_DISTRIBUTION_DISCRETE}, GMC_ARGUMENT_VALUES, "at least one"},
        {{.type = GMC_DISTRIBUTION_EMPIRICAL, .values = BAD_VALUES, .value_count = 2},
         GMC_ARGUMENT_VALUES,
         "finite"},
        {{.type = GMC_DISTRIBUTION_DISCRETE,
          .values = TWO,
          .weights = BAD_WEIGHTS,
          .value_count = 2},
         GMC_ARGUMENT_WEIGHTS,
         "> 0"},
        {{.type = GMC_DISTRIBUTION_DISCRETE,
          .values = TWO,
          .weights = HUGE_WEIGHTS,
          .value_count = 2},
         GMC_ARGUMENT_WEIGHTS,
         "finite"},
        {{.type = GMC_DISTRIBUTION_STUDENT, .p = {0.0, 0.0, 3.0}}, GMC_ARGUMENT_1, "scale"},
        {{.type = GMC_DISTRIBUTION_STUDENT, .p = {0.0, 1.0, 0.5}}, GMC_ARGUMENT_2, "freedom"},
        {{.type = GMC_DISTRIBUTION_LOG_STUDENT, .p = {0.0, 1.0, 3.0}}, GMC_ARGUMENT_0, "median"},
        {{.type = GMC_DISTRIBUTION_STUDENT,
          .p = {0.0, 1.0, 30.0},
          .is_truncated = true,
          .lower = 1e3,
          .upper = 2e3},
         GMC_ARGUMENT_LOWER,
         "leave nothing"},
        {{.type = GMC_DISTRIBUTION_LOG_STUDENT,
          .p = {1.0, 1.0, 3.0},
          .is_truncated = true,
          .lower = -2.0,
          .upper = -1.0},
         GMC_ARGUMENT_UPPER,
         "> 0"},
        {{.type = GMC_DISTRIBUTION_TYPE_COUNT}, GMC_ARGUMENT_NONE, "not known"},
    };
    for (int i = 0; i < GMC_COUNT(mistakes); i++) {
        gmc_distribution_argument argument;
        const char *message = gmc_distribution_check(&mistakes[i].d, &argument);
        assert_non_null(message);
        assert_non_null(strstr(message, mistakes[i].part));
        assert_int_equal(argument, mistakes[i].argument);
    }
}

static void every_type_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_DISTRIBUTION_TYPE_COUNT; i++)
        assert_string_not_equal(gmc_distribution_name((gmc_distribution_type)i), "unknown");
    assert_string_equal(gmc_distribution_name(GMC_DISTRIBUTION_TYPE_COUNT), "unknown");
}

int test_distribution(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_sd_agree_with_the_reference),
        cmocka_unit_test(student_quantiles_agree_with_the_reference),
        cmocka_unit_test(student_laws_are_finite_and_inverted_by_their_cdf),
        cmocka_unit_test(scores_give_the_same_values_as_their_probabilities),
        cmocka_unit_test(quantile_and_cdf_belong_together),
        cmocka_unit_test(ends_of_u_give_finite_values_of_the_support),
        cmocka_unit_test(lists_follow_their_weights),
        cmocka_unit_test(ranges_are_support_or_quantiles),
        cmocka_unit_test(a_draw_is_the_quantile_of_its_address),
        cmocka_unit_test(every_mistake_is_named_with_its_argument),
        cmocka_unit_test(every_type_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
