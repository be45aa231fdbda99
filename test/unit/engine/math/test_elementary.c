// How far each function is from the C library's 80-bit one, in units in the last place (ulp) of a
// double; the values of annex F; what should rise rises; and bits that do not change.
//
// The bounds are those of elementary.h. glibc's 80-bit functions err by a few of their own ulp,
// each 2^-11 of ours.
#include "engine/base/hash.h"
#include "engine/base/status.h"
#include "engine/math/elementary.h"
#include "test/support/chance.h"
#include "test/support/cmocka_all.h"
#include "test/support/near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DRAWS = 30000 }; // per row of a table

typedef struct function_row {
    const char *name;
    double (*f)(double);
    long double (*exact)(long double);
    double lower, upper; // arguments drawn evenly, and evenly in all their bits
    double bound;        // largest error [ulp]
} function_row;

static const function_row FUNCTIONS[] = {
    {"sin", gmc_sin, sinl, -10, 10, 0.9},
    {"sin", gmc_sin, sinl, -1e5, 1e5, 0.9},
    {"sin", gmc_sin, sinl, -0x1p62, 0x1p62, 0.9},
    {"cos", gmc_cos, cosl, -10, 10, 0.9},
    {"cos", gmc_cos, cosl, -1e5, 1e5, 0.9},
    {"cos", gmc_cos, cosl, -0x1p62, 0x1p62, 0.9},
    {"tan", gmc_tan, tanl, -2, 2, 1.2},
    {"tan", gmc_tan, tanl, -0x1p62, 0x1p62, 1.2},
    {"asin", gmc_asin, asinl, -1, 1, 0.9},
    {"asin", gmc_asin, asinl, 0.999, 1, 0.9},
    {"acos", gmc_acos, acosl, -1, 1, 0.9},
    {"acos", gmc_acos, acosl, 0.999, 1, 0.9},
    {"exp", gmc_exp, expl, -1, 1, 0.51},
    {"exp", gmc_exp, expl, -708.3, 710, 0.51},
    {"exp", gmc_exp, expl, -750, -708.3, 0.76},
    {"expm1", gmc_expm1, expm1l, -0.5, 0.5, 0.7},
    {"expm1", gmc_expm1, expm1l, -40, 710, 0.7},
    {"log", gmc_log, logl, 0, 0x1.fffffffffffffp1023, 0.51},
    {"log", gmc_log, logl, 0, 3, 0.51},
    {"log", gmc_log, logl, 0.98, 1.02, 0.51},
    {"log1p", gmc_log1p, log1pl, -1, 3, 0.51},
    {"log1p", gmc_log1p, log1pl, -0.02, 0.02, 0.51},
    {"log1p", gmc_log1p, log1pl, -1, 0x1.fffffffffffffp1023, 0.51},
    {"erf", gmc_erf, erfl, -1, 1, 1},
    {"erf", gmc_erf, erfl, -7, 7, 1},
    {"erfc", gmc_erfc, erfcl, -1, 1, 1.2},
    {"erfc", gmc_erfc, erfcl, -7, 7, 1.2},
    {"erfc", gmc_erfc, erfcl, 5, 28, 1.2},
    {"lgamma", gmc_lgamma, lgammal, 0, 3, 2},
    {"lgamma", gmc_lgamma, lgammal, 2, 12, 2},
    {"lgamma", gmc_lgamma, lgammal, 8, 1e305, 2},
};

// |value − exact| in units in the last place of a double of exact's size
static double ulps(double value, long double exact)
{
    if (isnan(value) || isnan(exact)) return isnan(value) && isnan(exact) ? 0 : HUGE_VAL;
    if (isinf(value)) return value == (double)exact ? 0 : HUGE_VAL;
    int e;
    frexpl(exact, &e);
    return (double)ldexpl(fabsl(value - exact), e < -1021 ? 1074 : 53 - e);
}

static double any_double(gmc_chance *chance)
{
    uint64_t bits = gmc_chance_bits(chance);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check(const char *name, double x, double y, double error, double bound)
{
    if (error <= bound) return;
    print_error("%s of %a, %a: %.4f ulp, promised %.4f\n", name, x, y, error, bound);
    fail();
}

static void errors_are_within_the_promise(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(FUNCTIONS); i++) {
        const function_row *row = &FUNCTIONS[i];
        gmc_chance chance = {(uint64_t)i};
        double worst = 0;
        for (int k = 0; k < DRAWS; k++) {
            double x = gmc_chance_uniform(&chance, row->lower, row->upper);
            if (k % 4 == 0) x = any_double(&chance);
            if (!(x >= row->lower && x <= row->upper)) continue;
            double error = ulps(row->f(x), row->exact(x));
            check(row->name, x, 0, error, row->bound);
            worst = fmax(worst, error);
        }
        if (near_scale() == 0)
            print_message("%-7s %9.4g ... %9.4g  %.4f ulp\n", row->name, row->lower, row->upper,
                          worst);
        assert_true(worst > 0.4); // an exact function would round by 0.5: the test sees errors
    }
}

// the doubles next to k π/2, where most of the argument cancels
static void angles_near_zeros_keep_their_digits(void **state)
{
    (void)state;
    const long double half_pi = 1.57079632679489661923132169163975144L;
    gmc_chance chance = {7};
    for (int k = 1; k < 40000; k++) {
        double x = (double)(k * half_pi);
        if (k > 20000)
            x = (double)(floorl(ldexpl(1, k % 62) * (1 + (k & 1023) / 1024.0L)) * half_pi);
        for (int side = 0; side < 3; side++) {
            check("sin", x, 0, ulps(gmc_sin(x), sinl(x)), 0.9);
            check("cos", x, 0, ulps(gmc_cos(x), cosl(x)), 0.9);
            check("tan", x, 0, ulps(gmc_tan(x), tanl(x)), 1.2);
            x = nextafter(x, side ? 0 : HUGE_VAL);
        }
    }
    // the double that comes closest to a multiple of π/2 (all exponents searched by continued
    // fractions), and the largest; values from 400-digit arithmetic
    double closest = 6381956970095103.0 * 0x1p797, largest = 0x1.fffffffffffffp1023;
    ASSERT_NEAR_RELATIVE(gmc_cos(closest), -4.687165924254627611122582e-19, 2.3e-16);
    ASSERT_NEAR_RELATIVE(gmc_sin(largest), 4.9619547891840617905e-3, 2.3e-16);
    assert_true(gmc_sin(closest) == 1);
    for (int k = 0; k < DRAWS; k++) {
        double x = any_double(&chance);
        if (!(fabs(x) < HUGE_VAL)) continue;
        check("sin", x, 0, ulps(gmc_sin(x), sinl(x)), 0.9);
        check("cos", x, 0, ulps(gmc_cos(x), cosl(x)), 0.9);
    }
}

static void both_at_once_are_the_same_bits(void **state)
{
    (void)state;
    gmc_chance chance = {11};
    for (int k = 0; k < DRAWS; k++) {
        double x = k & 1 ? any_double(&chance) : gmc_chance_uniform(&chance, -9, 9), sine, cosine;
        gmc_sin_cos(x, &sine, &cosine);
        double expected[2] = {gmc_sin(x), gmc_cos(x)}, found[2] = {sine, cosine};
        if (isnan(x) || isinf(x)) {
            assert_true(isnan(sine));
            assert_true(isnan(cosine));
        } else
            assert_memory_equal(found, expected, sizeof found);
    }
    double sine, cosine;
    gmc_sin_cos(-0.0, &sine, &cosine);
    assert_true(sine == 0);
    assert_true(signbit(sine));
    assert_true(cosine == 1);
}

static void two_arguments_are_within_the_promise(void **state)
{
    (void)state;
    gmc_chance chance = {13};
    for (int k = 0; k < 4 * DRAWS; k++) {
        double y = any_double(&chance), x = any_double(&chance);
        if (k & 1) y = gmc_chance_uniform(&chance, -1, 1), x = gmc_chance_uniform(&chance, -1, 1);
        if (k & 2) x *= 40;
        check("atan2", y, x, ulps(gmc_atan2(y, x), atan2l(y, x)), 0.8);

        double base = k & 1 ? gmc_chance_uniform(&chance, 0, 3) : fabs(any_double(&chance));
        double size = k & 2 ? 1000 : 4, power = gmc_chance_uniform(&chance, -size, size);
        if (k % 5 == 0) base = -base, power = floor(power);
        long double exact = powl(base, power);
        if (fabsl(exact) > 0x1.fffffffffffff7ffp1023L) exact = copysignl(HUGE_VALL, exact);
        bool is_normal = fabsl(exact) >= 0x1p-1022L;
        check("pow", base, power, ulps(gmc_pow(base, power), exact), is_normal ? 0.52 : 0.77);
    }
    // near 1, and powers that magnify what the logarithm was rounded by
    for (int k = 0; k < DRAWS; k++) {
        double base = 1 + gmc_chance_uniform(&chance, -1e-3, 1e-3), power = 600e3;
        check("pow", base, power, ulps(gmc_pow(base, power), powl(base, power)), 0.52);
    }
    for (int k = -20; k <= 20; k++) // whole powers that a double holds are exact
        assert_true(gmc_pow(3, k < 0 ? -k : k) == (double)powl(3, k < 0 ? -k : k) &&
                    gmc_pow(2, 50 * k) == ldexp(1, 50 * k));
}

// below 0 the terms cancel near Γ = ±1: an absolute error of the terms' size
static void lgamma_of_negative_numbers(void **state)
{
    (void)state;
    gmc_chance chance = {17};
    for (int k = 0; k < DRAWS; k++) {
        double x = gmc_chance_uniform(&chance, k & 1 ? -3 : -170, 0);
        long double exact = lgammal(x);
        double scale = fmax(1, fmax((double)fabsl(exact), gmc_lgamma(-x)));
        assert_true(fabsl(gmc_lgamma(x) - exact) <= 4 * 0x1p-52 * scale);
    }
}

// --- annex F ---

typedef struct special_row {
    double (*f)(double);
    double x, expected;
} special_row;

static void assert_same(double found, double expected, int row)
{
    bool is_same =
        isnan(expected) ? isnan(found) : found == expected && !signbit(found) == !signbit(expected);
    if (!is_same) print_error("row %d: %a instead of %a\n", row, found, expected);
    assert_true(is_same);
}

static void special_values_are_those_of_annex_f(void **state)
{
    (void)state;
    const double inf = HUGE_VAL, pi = GMC_PI, tiny = 0x1p-1074, huge = 0x1.fffffffffffffp1023;
    const special_row rows[] = {
        {gmc_sin, 0.0, 0.0},     {gmc_sin, -0.0, -0.0},     {gmc_sin, inf, NAN},
        {gmc_sin, -inf, NAN},    {gmc_sin, tiny, tiny},     {gmc_cos, 0.0, 1},
        {gmc_cos, -0.0, 1},      {gmc_cos, inf, NAN},       {gmc_cos, tiny, 1},
        {gmc_tan, 0.0, 0.0},     {gmc_tan, -0.0, -0.0},     {gmc_tan, -inf, NAN},
        {gmc_asin, -0.0, -0.0},  {gmc_asin, 1, pi / 2},     {gmc_asin, -1, -pi / 2},
        {gmc_asin, 1.1, NAN},    {gmc_asin, -inf, NAN},     {gmc_asin, -tiny, -tiny},
        {gmc_acos, 1, 0.0},      {gmc_acos, -1, pi},        {gmc_acos, 0.0, pi / 2},
        {gmc_acos, -1.1, NAN},   {gmc_acos, tiny, pi / 2},  {gmc_exp, 0.0, 1},
        {gmc_exp, -0.0, 1},      {gmc_exp, -inf, 0.0},      {gmc_exp, inf, inf},
        {gmc_exp, 709.79, inf},  {gmc_exp, -745.14, 0.0},   {gmc_exp, -745.13, tiny},
        {gmc_exp, huge, inf},    {gmc_exp, -huge, 0.0},     {gmc_exp, tiny, 1},
        {gmc_expm1, 0.0, 0.0},   {gmc_expm1, -0.0, -0.0},   {gmc_expm1, -inf, -1},
        {gmc_expm1, inf, inf},   {gmc_expm1, -tiny, -tiny}, {gmc_expm1, 709.79, inf},
        {gmc_log, 0.0, -inf},    {gmc_log, -0.0, -inf},     {gmc_log, 1, 0.0},
        {gmc_log, -1, NAN},      {gmc_log, inf, inf},       {gmc_log, -inf, NAN},
        {gmc_log1p, -0.0, -0.0}, {gmc_log1p, 0.0, 0.0},     {gmc_log1p, -1, -inf},
        {gmc_log1p, -1.1, NAN},  {gmc_log1p, inf, inf},     {gmc_log1p, -tiny, -tiny},
        {gmc_erf, 0.0, 0.0},     {gmc_erf, -0.0, -0.0},     {gmc_erf, inf, 1},
        {gmc_erf, -inf, -1},     {gmc_erf, huge, 1},        {gmc_erf, tiny, tiny},
        {gmc_erfc, 0.0, 1},      {gmc_erfc, -inf, 2},       {gmc_erfc, inf, 0.0},
        {gmc_erfc, 27.3, 0.0},   {gmc_erfc, -huge, 2},      {gmc_lgamma, 1, 0.0},
        {gmc_lgamma, 2, 0.0},    {gmc_lgamma, 0.0, inf},    {gmc_lgamma, -0.0, inf},
        {gmc_lgamma, -3, inf},   {gmc_lgamma, inf, inf},    {gmc_lgamma, -inf, inf},
        {gmc_lgamma, huge, inf}, {gmc_lgamma, -huge, inf},
    };
    for (int i = 0; i < GMC_COUNT(rows); i++)
        assert_same(rows[i].f(rows[i].x), rows[i].expected, i);
    for (int i = 0; i < GMC_COUNT(FUNCTIONS); i++)
        assert_true(isnan(FUNCTIONS[i].f(NAN)));
}

static void special_pairs_are_those_of_annex_f(void **state)
{
    (void)state;
    const double inf = HUGE_VAL, pi = GMC_PI;
    const double angles[][3] = {
        // y, x, atan2
        {0.0, -0.0, pi},
        {-0.0, -0.0, -pi},
        {0.0, 0.0, 0.0},
        {-0.0, 0.0, -0.0},
        {0.0, -1, pi},
        {-0.0, -1, -pi},
        {0.0, 1, 0.0},
        {-0.0, 1, -0.0},
        {-1, 0.0, -pi / 2},
        {1, -0.0, pi / 2},
        {1, -inf, pi},
        {-1, -inf, -pi},
        {1, inf, 0.0},
        {-1, inf, -0.0},
        {inf, 1, pi / 2},
        {-inf, -1, -pi / 2},
        {inf, inf, pi / 4},
        {-inf, inf, -pi / 4},
        {inf, -inf, 3 * pi / 4},
        {0x1p-1074, 2, 0.0},
        {NAN, 1, NAN},
        {1, NAN, NAN},
        {0x1p-1074, -0x1p1023, pi},
        {-inf, -inf, -3 * pi / 4},
    };
    for (int i = 0; i < GMC_COUNT(angles); i++)
        assert_same(gmc_atan2(angles[i][0], angles[i][1]), angles[i][2], i);
    const double powers[][3] = {
        // x, y, pow
        {0.0, -3, inf},
        {-0.0, -3, -inf},
        {-0.0, -2, inf},
        {-0.0, -inf, inf},
        {0.0, 3, 0.0},
        {-0.0, 3, -0.0},
        {-0.0, 2, 0.0},
        {-1, inf, 1},
        {-1, -inf, 1},
        {1, NAN, 1},
        {NAN, 0.0, 1},
        {NAN, -0.0, 1},
        {inf, -0.0, 1},
        {-2, 0.5, NAN},
        {NAN, 1, NAN},
        {2, NAN, NAN},
        {0.5, -inf, inf},
        {2, -inf, 0.0},
        {-0.5, inf, 0.0},
        {-2, inf, inf},
        {-inf, -3, -0.0},
        {-inf, -2, 0.0},
        {-inf, 3, -inf},
        {-inf, 2, inf},
        {inf, -1, 0.0},
        {inf, 1e-300, inf},
        {-2, 3, -8},
        {-2, -1, -0.5},
        {-1, 0x1p53, 1},
        {-1, 1e300, 1},
        {-1, 0x1p52 + 1, -1},
        {1e300, 2, inf},
        {-1e300, 3, -inf},
        {1e-300, 2, 0.0},
        {-1e-300, 3, -0.0},
        {2, -1074, 0x1p-1074},
        {0x1p-1074, -1, inf},
        {0x1p-1074, 1, 0x1p-1074},
        {2, 1e-300, 1},
        {0x1.fffffffffffffp1023, 1, 0x1.fffffffffffffp1023},
        {3, 0x1.fffffffffffffp1023, inf},
        {3, -0x1.fffffffffffffp1023, 0.0},
    };
    for (int i = 0; i < GMC_COUNT(powers); i++)
        assert_same(gmc_pow(powers[i][0], powers[i][1]), powers[i][2], i);
}

// --- shape ---

static double minus(double (*f)(double), double x) { return -f(-x); }

static void odd_functions_are_odd_in_every_bit(void **state)
{
    (void)state;
    double (*const odd[])(double) = {gmc_sin, gmc_tan, gmc_asin, gmc_erf};
    gmc_chance chance = {19};
    for (int k = 0; k < DRAWS; k++) {
        double x = gmc_chance_uniform(&chance, -1, 1), far = any_double(&chance);
        for (int i = 0; i < GMC_COUNT(odd); i++)
            assert_true(odd[i](x) == minus(odd[i], x));
        if (fabs(far) < HUGE_VAL) {
            assert_true(gmc_sin(far) == minus(gmc_sin, far));
            assert_true(gmc_cos(far) == gmc_cos(-far));
        }
    }
}

// Inverting a distribution function must keep the order of the numbers it starts from. Neighbours
// are walked at random places and across every border between pieces.
static void neighbours_keep_their_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*f)(double);
        double lower, upper, sign;
        double borders; // a border every 1/borders
    } ROWS[] = {
        {"exp", gmc_exp, -20, 20, 1, 128 / 0.69314718055994531 * 2},
        {"expm1", gmc_expm1, -20, 20, 1, 8},
        {"log", gmc_log, 0.1, 10, 1, 512},
        {"log1p", gmc_log1p, -0.9, 9, 1, 512},
        {"asin", gmc_asin, -0.98, 0.98, 1, 64},
        {"acos", gmc_acos, -0.98, 0.98, -1, 64},
        {"erf", gmc_erf, -3, 3, 1, 8},
        {"erfc", gmc_erfc, -3, 20, -1, 8},
    };
    for (int i = 0; i < GMC_COUNT(ROWS); i++) {
        gmc_chance chance = {(uint64_t)(23 + i)};
        for (int k = 0; k < 4000; k++) {
            double x = gmc_chance_uniform(&chance, ROWS[i].lower, ROWS[i].upper);
            if (k & 1) x = floor(x * ROWS[i].borders) / ROWS[i].borders;
            for (int side = 0; side < 8; side++)
                x = nextafter(x, -HUGE_VAL);
            double before = ROWS[i].f(x);
            for (int step = 0; step < 16; step++) {
                x = nextafter(x, HUGE_VAL);
                double now = ROWS[i].f(x);
                bool is_in_order = ROWS[i].sign * (now - before) >= 0;
                if (!is_in_order) print_error("%s turns back at %a\n", ROWS[i].name, x);
                assert_true(is_in_order);
                before = now;
            }
        }
    }
}

// Fails on a compiler or a machine that contracts, reorders or keeps more bits than a double has.
static void bits_are_those_of_every_other_machine(void **state)
{
    (void)state;
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_chance chance = {29};
    for (int k = 0; k < 2000; k++)
        for (int i = 0; i < GMC_COUNT(FUNCTIONS); i++) {
            double x = gmc_chance_uniform(&chance, FUNCTIONS[i].lower, FUNCTIONS[i].upper);
            double y = gmc_chance_uniform(&chance, -3, 3);
            double found[3] = {FUNCTIONS[i].f(x), gmc_atan2(y, x), gmc_pow(fabs(x), y)};
            gmc_sha256_add(&hash, found, sizeof found);
        }
    assert_string_equal(gmc_sha256_end(&hash).hex,
                        "3b652345eef6df877a9d734f866bb0a0a0ba2d61f40c00d2feb52508ca706fcb");
}

int test_elementary(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_the_promise),
        cmocka_unit_test(angles_near_zeros_keep_their_digits),
        cmocka_unit_test(both_at_once_are_the_same_bits),
        cmocka_unit_test(two_arguments_are_within_the_promise),
        cmocka_unit_test(lgamma_of_negative_numbers),
        cmocka_unit_test(special_values_are_those_of_annex_f),
        cmocka_unit_test(special_pairs_are_those_of_annex_f),
        cmocka_unit_test(odd_functions_are_odd_in_every_bit),
        cmocka_unit_test(neighbours_keep_their_order),
        cmocka_unit_test(bits_are_those_of_every_other_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
