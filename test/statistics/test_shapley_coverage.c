// Do the intervals of Shapley effects hold the truth where inputs are correlated? On a sum of
// normal inputs and on whether it stays below a limit; the effects of both are known in closed
// form.
#include "engine/base/status.h"
#include "sampling/explain/shapley.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "test/support/near.h"

#include <string.h>

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
            assert_true(0 <= at.lower);
            assert_true(at.lower <= effects[i].value);
            assert_true(effects[i].value <= at.upper);
            assert_true(at.upper <= 1);
            assert_true(at.lower < at.upper);
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

// ---- columns of one file ----

/// A row of two columns drawn at random, and a normal input of its own; the sum, or whether it
/// stays below 0.8.
typedef struct file_model {
    int rows;
    bool has_ties; ///< a value may stand in several rows
    bool is_binary;
    double columns[2][16];
} file_model;

static double outcome_of(const file_model *m, int row, double z)
{
    double sum = m->columns[0][row] + 0.3 * m->columns[1][row] + 0.7 * z;
    return m->is_binary ? sum < 0.8 : sum;
}

static void write_file(file_model *m)
{
    for (int r = 0; r < m->rows; r++) {
        gmc_stream stream = gmc_stream_open_hashed(99, (uint64_t)r, (uint64_t)m->rows);
        double u = gmc_normal_quantile(gmc_stream_uniform(stream, 0));
        double v = 0.8 * u + 0.6 * gmc_normal_quantile(gmc_stream_uniform(stream, 1));
        m->columns[0][r] = m->has_ties ? floor(2 * u) / 2 : u;
        m->columns[1][r] = m->has_ties ? floor(2 * v) / 2 : v;
    }
}

/// Var E(y | x_u), u of the columns and the normal input: exact over rows, midpoint rule over it.
static double variance_of(const file_model *m, unsigned set)
{
    enum { POINTS = 2000 };
    double mean = 0, square = 0;
    for (int r = 0; r < m->rows; r++) {
        double whole = 0, squares = 0;
        for (int q = 0; q < POINTS; q++) {
            double z = gmc_normal_quantile((q + 0.5) / POINTS), sum = 0;
            int same = 0;
            for (int t = 0; t < m->rows; t++) {
                bool is_same = true;
                for (int k = 0; k < 2; k++)
                    is_same = is_same && (!(set >> k & 1u) || m->columns[k][t] == m->columns[k][r]);
                sum += is_same ? outcome_of(m, t, z) : 0;
                same += is_same;
            }
            whole += sum / same / POINTS;
            squares += sum / same * (sum / same) / POINTS;
        }
        mean += whole / m->rows;
        square += (set & 4u ? squares : whole * whole) / m->rows;
    }
    return square - mean * mean;
}

static void file_truth(const file_model *m, double effects[3])
{
    double of[8];
    for (unsigned set = 0; set < 8; set++)
        of[set] = variance_of(m, set);
    for (int k = 0; k < 3; k++) {
        effects[k] = 0;
        for (unsigned set = 0; set < 8; set++) {
            int size = size_of(set);
            if (set >> k & 1u) continue;
            effects[k] += tgamma(size + 1) * tgamma(3 - size) / tgamma(4) *
                          (of[set | 1u << k] - of[set]) / of[7];
        }
    }
}

static void repeat_file(file_model m, int draws, int repetitions)
{
    static double rows[MOST * 5];
    double truth[3], width[3] = {0};
    int held[3] = {0};
    write_file(&m);
    file_truth(&m, truth);
    for (uint64_t seed = 1; seed <= (uint64_t)repetitions; seed++) {
        gmc_index effects[3];
        for (int d = 0; d < draws; d++) {
            gmc_stream stream = gmc_stream_open_hashed(seed, (uint64_t)d, 7);
            int row = (int)(gmc_stream_uniform(stream, 0) * m.rows);
            double z = gmc_normal_quantile(gmc_stream_uniform(stream, 1));
            const double of[5] = {d, outcome_of(&m, row, z), m.columns[0][row], m.columns[1][row],
                                  z};
            memcpy(rows + 5 * d, of, sizeof of);
        }
        const gmc_shapley_draws given = {rows, draws, 3, 0};
        assert_int_equal(gmc_shapley_effects(&given, 0.95, effects), GMC_OK);
        for (int i = 0; i < 3; i++) {
            gmc_interval at = effects[i].interval;
            held[i] += at.lower <= truth[i] && truth[i] <= at.upper;
            width[i] += (at.upper - at.lower) / repetitions;
        }
    }
    printf("%d rows%s, %s, %d draws:", m.rows, m.has_ties ? " with ties" : "",
           m.is_binary ? "below 0.8" : "the sum", draws);
    for (int i = 0; i < 3; i++)
        printf(" %.3f in %.1f %% (width %.3f)", truth[i], 100.0 * held[i] / repetitions, width[i]);
    printf("\n");
    for (int i = 0; i < 3; i++)
        assert_true(gmc_proportion_upper(held[i], repetitions, 0.99) >= 0.94);
}

static void columns_of_one_file(void **state)
{
    (void)state;
    static const int ROWS[] = {3, 5, 14};
    for (int k = 0; k < GMC_COUNT(ROWS); k++)
        for (int kind = 0; kind < 4; kind++)
            repeat_file(
                (file_model){.rows = ROWS[k], .has_ties = kind % 2 == 1, .is_binary = kind >= 2},
                600, 300);
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
        cmocka_unit_test(columns_of_one_file),
        cmocka_unit_test(points_of_a_design),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
