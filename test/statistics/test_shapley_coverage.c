// Do the intervals of Shapley effects hold the truth where inputs are correlated? On a sum of
// normal inputs and on whether it stays below a limit; the effects of both are known in closed
// form.
#include "engine/base/status.h"
#include "sampling/design/sobol.h"
#include "sampling/estimate/shapley.h"
#include "sampling/random/normal.h"
#include "test/support/near.h"

enum { INPUTS = 4, REPLICAS = 16, MOST = 1024 };

/// Σ b x, x normal, the first two correlated and the last two; `limit` standard deviations.
typedef struct model {
    const char *name;
    int inputs;
    double b[INPUTS], correlation[2];
    double limit; ///< NaN: the sum itself
} model;

static const model MODELS[] = {
    {"a sum of three", 3, {1, 0, 0.7, 0}, {0.8, 0}, NAN},
    {"a sum of four", 4, {1, 0, 0.5, 0.3}, {0.9, -0.5}, NAN},
    {"a sum of three below 0.84", 3, {1, 0, 0.7, 0}, {0.8, 0}, 0.84},
    {"a sum of four below 1.28", 4, {1, 0, 0.5, 0.3}, {0.9, -0.5}, 1.28},
};

// What a set of a pair explains of the sum: both, one of them, none.
static double explained(const model *m, int pair, unsigned set)
{
    double b = m->b[2 * pair], c = m->b[2 * pair + 1], r = m->correlation[pair];
    unsigned of = set >> (2 * pair) & 3u;
    if (of == 3) return b * b + c * c + 2 * r * b * c;
    if (of == 1) return (b + r * c) * (b + r * c);
    return of == 2 ? (c + r * b) * (c + r * b) : 0;
}

static double below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

// Share of the variance that a set explains.
static double share_of(const model *m, unsigned set)
{
    double all = explained(m, 0, 15) + explained(m, 1, 15);
    double r = (explained(m, 0, set) + explained(m, 1, set)) / all;
    if (isnan(m->limit)) return r;
    if (r > 1 - 1e-12) return 1;
    // of two sums with the correlation r: ∫ P(below | common part)², midpoint rule
    enum { POINTS = 20000 };
    double p = below(m->limit), both = 0;
    for (int i = 0; i < POINTS; i++) {
        double t = gmc_normal_quantile((i + 0.5) / POINTS);
        double q = below((m->limit - sqrt(r) * t) / sqrt(1 - r));
        both += q * q / POINTS;
    }
    return (both - p * p) / (p * (1 - p));
}

static int size_of(unsigned set)
{
    int size = 0;
    for (; set; set &= set - 1)
        size++;
    return size;
}

static void truth_of(const model *m, double *effects)
{
    double shares[1 << INPUTS];
    unsigned all = (1u << m->inputs) - 1;
    for (unsigned set = 0; set <= all; set++)
        shares[set] = share_of(m, set);
    for (int k = 0; k < m->inputs; k++) {
        effects[k] = 0;
        for (unsigned set = 0; set <= all; set++) {
            if (set >> k & 1u) continue;
            int size = size_of(set);
            effects[k] += tgamma(size + 1) * tgamma(m->inputs - size) / tgamma(m->inputs + 1) *
                          (shares[set | 1u << k] - shares[set]);
        }
    }
}

static void fill(const model *m, bool is_sobol, uint64_t seed, uint64_t draws, double *rows)
{
    double all = explained(m, 0, 15) + explained(m, 1, 15);
    for (uint64_t d = 0; d < draws; d++) {
        double *row = rows + d * (uint64_t)(m->inputs + 2), sum = 0, z[INPUTS];
        for (int i = 0; i < m->inputs; i++) {
            gmc_stream stream =
                gmc_stream_open_hashed(seed, is_sobol ? d % REPLICAS : d, (uint64_t)i);
            z[i] = gmc_normal_quantile(is_sobol ? gmc_sobol_uniform(i, d / REPLICAS, stream)
                                                : gmc_stream_uniform(stream, 0));
            double r = m->correlation[i / 2];
            if (i % 2 == 1) z[i] = r * z[i - 1] + sqrt(1 - r * r) * z[i];
            sum += m->b[i] * z[i];
            row[2 + i] = z[i];
        }
        row[0] = (double)d;
        row[1] = isnan(m->limit) ? sum : sum < m->limit * sqrt(all);
    }
}

static void repeat(const model *m, bool is_sobol, uint64_t draws, int repetitions)
{
    static double rows[MOST * (INPUTS + 2)];
    double truth[INPUTS], width[INPUTS] = {0};
    int held[INPUTS] = {0};
    truth_of(m, truth);
    for (int seed = 1; seed <= repetitions; seed++) {
        fill(m, is_sobol, (uint64_t)seed, draws, rows);
        gmc_index effects[INPUTS];
        const gmc_shapley_draws given = {rows, (int64_t)draws, m->inputs, is_sobol ? REPLICAS : 0};
        assert_int_equal(gmc_shapley_effects(&given, 0.95, effects), GMC_OK);
        double sum = 0;
        for (int i = 0; i < m->inputs; i++) {
            gmc_interval at = effects[i].interval;
            sum += effects[i].value;
            assert_true(0 <= at.lower && at.lower <= effects[i].value);
            assert_true(effects[i].value <= at.upper && at.upper <= 1 && at.lower < at.upper);
            held[i] += at.lower <= truth[i] && truth[i] <= at.upper;
            width[i] += (at.upper - at.lower) / repetitions;
        }
        ASSERT_NEAR(sum, 1, 1e-12); // rounding
    }
    printf("%s, %d %s:", m->name, (int)draws, is_sobol ? "Sobol' points" : "draws");
    for (int i = 0; i < m->inputs; i++)
        printf(" %.3f in %.1f %% (width %.3f)", truth[i], 100.0 * held[i] / repetitions, width[i]);
    printf("\n");
    for (int i = 0; i < m->inputs; i++)
        assert_true(gmc_proportion_upper(held[i], repetitions, 0.99) >= 0.93);
}

static void plain_draws(void **state)
{
    (void)state;
    for (int k = 0; k < GMC_COUNT(MODELS); k++)
        repeat(&MODELS[k], false, 1000, 300);
}

static void points_of_a_design(void **state)
{
    (void)state;
    for (int k = 0; k < GMC_COUNT(MODELS); k += 2)
        repeat(&MODELS[k], true, 512, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_draws),
        cmocka_unit_test(points_of_a_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
