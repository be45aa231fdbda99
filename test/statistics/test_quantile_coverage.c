// How often intervals of quantiles, and tolerance limits, hold the truth, which is known: 2000
// studies for each design with seeds fixed before the first look. Each design reaches its bar where
// its one-sided 99 % Clopper-Pearson bound does.
#include "engine/base/status.h"
#include "sampling/findings/quantiles.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <stdlib.h>

enum { STUDIES = 2000, QUANTILES = 3, CASES = 5 };
static const double P[QUANTILES] = {0.5, 0.9, 0.95};

typedef struct design {
    const char *name;
    int draws;
    void (*run)(const struct design *d, uint64_t study, gmc_quantiles *q);
    double (*truth)(double p);
    gmc_store_plan plan;
} design;

static void put(gmc_quantiles *q, uint64_t draw, int case_index, double low, double high,
                double weight)
{
    gmc_trial trial = {.draw = draw, .case_index = (uint32_t)case_index, .values = &weight};
    assert_int_equal(gmc_quantiles_add(q, &trial, (gmc_interval){low, high}), GMC_OK);
}

static double uniform(uint64_t study, uint64_t draw, uint64_t i)
{
    return gmc_stream_uniform(gmc_stream_open_hashed(77, study, draw), i);
}

// ---- independent trials, of which those above 0.97 are cut short ------------------------------

static void run_cut(const design *d, uint64_t study, gmc_quantiles *q)
{
    for (int i = 0; i < d->draws; i++) {
        double x = uniform(study, (uint64_t)i, 0);
        put(q, (uint64_t)i, 0, fmin(x, 0.97), x > 0.97 ? HUGE_VAL : x, 1);
    }
}

static double truth_uniform(double p) { return p; }

// ---- the same in steps: ties ------------------------------------------------------------------

static void run_ties(const design *d, uint64_t study, gmc_quantiles *q)
{
    for (int i = 0; i < d->draws; i++) {
        double x = ceil(8 * uniform(study, (uint64_t)i, 0));
        put(q, (uint64_t)i, 0, x, x, 1);
    }
}

static double truth_ties(double p) { return ceil(8 * p); }

// ---- five cases on common draws ---------------------------------------------------------------

static const double SHIFT = 0.4, COMMON = 0.8;

static void run_cases(const design *d, uint64_t study, gmc_quantiles *q)
{
    for (int i = 0; i < d->draws; i++) {
        double common = gmc_normal_quantile(uniform(study, (uint64_t)i, CASES));
        for (int c = 0; c < CASES; c++) {
            double own = gmc_normal_quantile(uniform(study, (uint64_t)i, (uint64_t)c));
            double x = c * SHIFT + COMMON * common + sqrt(1 - COMMON * COMMON) * own;
            put(q, (uint64_t)i, c, x, x, 1);
        }
    }
}

static double truth_cases(double p)
{
    double low = -10, high = 10;
    for (int i = 0; i < 80; i++) {
        double middle = 0.5 * (low + high), share = 0;
        for (int c = 0; c < CASES; c++)
            share += gmc_normal_cdf(middle - c * SHIFT) / CASES;
        if (share < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// ---- weights: density 1/2 + x in place of 1 ---------------------------------------------------

static void run_weights(const design *d, uint64_t study, gmc_quantiles *q)
{
    for (int i = 0; i < d->draws; i++) {
        double u = uniform(study, (uint64_t)i, 0), x = (sqrt(1 + 8 * u) - 1) / 2;
        put(q, (uint64_t)i, 0, x, x, 1 / (0.5 + x));
    }
}

// ---- Sobol' points: a sum of two --------------------------------------------------------------

enum { REPLICAS = 16 };

static void run_sobol(const design *d, uint64_t study, gmc_quantiles *q)
{
    for (int i = 0; i < d->draws; i++) {
        uint64_t r = (uint64_t)i % REPLICAS, point = (uint64_t)i / REPLICAS;
        double x = 0;
        for (int j = 0; j < 2; j++)
            x += gmc_sobol_uniform(j, point,
                                   gmc_stream_open_hashed(78, study * 16 + r, (uint64_t)j));
        put(q, (uint64_t)i, 0, x, x, 1);
    }
}

static double truth_sum(double p) { return p < 0.5 ? sqrt(2 * p) : 2 - sqrt(2 * (1 - p)); }

// ---- a run that stops with the tenth trial above 0.9, or after all draws -----------------------

static void run_stop(const design *d, uint64_t study, gmc_quantiles *q)
{
    int seen = 0;
    for (int i = 0; i < d->draws && seen < 10; i++) {
        double x = uniform(study, (uint64_t)i, 0);
        seen += x > 0.9;
        put(q, (uint64_t)i, 0, x, x, 1);
    }
}

// ---- all of them ------------------------------------------------------------------------------

static bool reaches(int held, int of, double bar)
{
    return gmc_proportion_upper(held, of, 0.99) >= bar;
}

/// @return how many of STUDIES x QUANTILES intervals and limits hold the truth
static int judge(const design *d)
{
    int held[QUANTILES] = {0}, most[QUANTILES] = {0}, least[QUANTILES] = {0}, all = 0;
    for (uint64_t study = 0; study < STUDIES; study++) {
        gmc_quantiles *q;
        gmc_quantiles_group group;
        gmc_quantile found[QUANTILES];
        assert_int_equal(gmc_quantiles_create(&d->plan, &q), GMC_OK);
        d->run(d, study, q);
        assert_int_equal(gmc_quantiles_of(q, -1, P, QUANTILES, &group, found), GMC_OK);
        for (int k = 0; k < QUANTILES; k++) {
            double truth = d->truth(P[k]);
            held[k] += found[k].interval.lower <= truth && truth <= found[k].interval.upper;
            most[k] += truth <= found[k].at_most;
            least[k] += found[k].at_least <= truth;
        }
        gmc_quantiles_free(q);
    }
    for (int k = 0; k < QUANTILES; k++) {
        printf("%s, %d draws, p %g: interval holds in %d of %d, at most %d, at least %d\n", d->name,
               d->draws, P[k], held[k], STUDIES, most[k], least[k]);
        assert_true(reaches(held[k], STUDIES, 0.94));
        assert_true(reaches(most[k], STUDIES, 0.94));
        assert_true(reaches(least[k], STUDIES, 0.94));
        all += held[k] + most[k] + least[k];
    }
    return all;
}

static void quantiles_are_covered_in_every_design(void **state)
{
    (void)state;
    static const gmc_column WEIGHT[] = {{.name = "weight", .unit = "1"}};
    const gmc_store_plan one = {.level = 0.95, .design = "random", .case_count = 1};
    gmc_store_plan cases = one, weights = one, sobol = one, stop = one;
    cases.case_count = CASES;
    weights.weight_bound = 2;
    weights.columns = WEIGHT;
    weights.column_count = 1;
    sobol.replicas = REPLICAS;
    stop.stop = (gmc_stop_rule){.kind = GMC_STOP_HALF_WIDTH, .threshold = 0.05};
    const design DESIGNS[] = {
        {"cut short", 60, run_cut, truth_uniform, one},
        {"cut short", 300, run_cut, truth_uniform, one},
        {"ties", 100, run_ties, truth_ties, one},
        {"cases", 60, run_cases, truth_cases, cases},
        {"cases", 200, run_cases, truth_cases, cases},
        {"weights", 200, run_weights, truth_uniform, weights},
        {"weights", 500, run_weights, truth_uniform, weights},
        {"Sobol'", 256, run_sobol, truth_sum, sobol},
        {"Sobol'", 1024, run_sobol, truth_sum, sobol},
        {"stops", 300, run_stop, truth_uniform, stop},
    };
    int all = 0, of = GMC_COUNT(DESIGNS) * QUANTILES * 3 * STUDIES;
    for (int i = 0; i < GMC_COUNT(DESIGNS); i++)
        all += judge(&DESIGNS[i]);
    printf("all together: %.4f\n", (double)all / of);
    assert_true(reaches(all, of, 0.94));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_are_covered_in_every_design)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
