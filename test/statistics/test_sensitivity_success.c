// Do intervals of the first order hold the truth where nearly all trials succeed? On a success that
// a distance decides, whose indices are integrals over a plane, and on one that an edge decides.
#include "engine/base/status.h"
#include "sampling/design/exchange.h"
#include "sampling/design/hypercube.h"
#include "sampling/explain/given.h"
#include "sampling/explain/indices.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "test/support/near.h"

enum { INPUTS = 4, REPLICAS = 16, MOST = 4096 };

typedef enum design { RANDOM, SOBOL, HYPERCUBE, DESIGNS } design;
static const char *const NAMES[DESIGNS] = {"random", "Sobol'", "hypercube"};

static void draw(design by, uint64_t seed, uint64_t d, uint64_t draws, double *u)
{
    for (uint64_t i = 0; i < INPUTS; i++) {
        uint64_t of = by == RANDOM ? d : d % REPLICAS;
        gmc_stream stream = gmc_stream_open_hashed(seed, of, i);
        u[i] = by == RANDOM  ? gmc_stream_uniform(stream, 0)
               : by == SOBOL ? gmc_sobol_uniform((int)i, d / REPLICAS, stream)
                             : gmc_hypercube_uniform(d / REPLICAS, draws / REPLICAS, stream);
    }
}

static gmc_index index_of(design by, gmc_given_row *rows, int64_t draws)
{
    return by == RANDOM ? gmc_given_first(rows, draws, 0.95)
                        : gmc_given_replicas_first(rows, draws, REPLICAS, 0.95);
}

// What holds of every index, right or not.
static void is_sound(gmc_index index, int64_t rarer)
{
    gmc_interval i = index.interval;
    assert_int_equal(isnan(index.value), rarer < GMC_GIVEN_RARE);
    assert_true(0 <= i.lower);
    assert_true(i.lower < i.upper);
    assert_true(i.upper <= 1);
    if (isnan(index.value)) {
        assert_true(i.lower == 0);
        assert_true(i.upper == 1);
    } else {
        assert_true(i.lower <= index.value);
        assert_true(index.value <= i.upper);
    }
}

// ---- within a distance ------------------------------------------------------------------------

// A ball at (x, y, z), x normal(0, 1), y normal(0, 0.5), z uniform(-1.5, 1.5), is within r of
// (1, 0.5, 0). The fourth input does nothing.
static double is_near(const double *u, double r)
{
    double x = gmc_normal_quantile(u[0]) - 1, y = 0.5 * gmc_normal_quantile(u[1]) - 0.5,
           z = 3 * u[2] - 1.5;
    return x * x + y * y + z * z <= r * r;
}

static double below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

// Mean success where two of the inputs are known, the third is integrated out.
static double given_two(int unknown, double a, double b, double r)
{
    double left = r * r - a * a - b * b, w = sqrt(fmax(left, 0));
    if (left <= 0) return 0;
    if (unknown == 0) return below(1 + w) - below(1 - w);
    if (unknown == 1) return below((0.5 + w) / 0.5) - below((0.5 - w) / 0.5);
    return fmin(w / 1.5, 1);
}

static double from_mark(int input, double u)
{
    if (input == 2) return 3 * u - 1.5;
    return input == 0 ? gmc_normal_quantile(u) - 1 : 0.5 * gmc_normal_quantile(u) - 0.5;
}

// First and total order of each input, and the probability of success.
static double truth_of(double r, double *first, double *total)
{
    enum { POINTS = 1000 }; // of a midpoint rule each way: indices to 1e-3 at r = 4, 1e-4 at 2
    double p = 0;
    for (int input = 0; input < 3; input++) {
        int other = (input + 1) % 3, unknown = (input + 2) % 3;
        double sum = 0, squares = 0, of_two = 0;
        for (int i = 0; i < POINTS; i++) {
            double mean = 0, a = from_mark(input, (i + 0.5) / POINTS);
            for (int k = 0; k < POINTS; k++) {
                double q = given_two(unknown, a, from_mark(other, (k + 0.5) / POINTS), r);
                mean += q / POINTS;
                of_two += q * q / POINTS / POINTS;
            }
            sum += mean / POINTS;
            squares += mean * mean / POINTS;
        }
        p = sum;
        total[unknown] = (sum - of_two) / (sum * (1 - sum));
        first[input] = (squares - sum * sum) / (sum * (1 - sum));
    }
    first[3] = total[3] = 0;
    return p;
}

static void judge(const char *what, int held, int told)
{
    printf(" %s %.1f %%", what, 100.0 * held / told);
    assert_true(gmc_proportion_upper(held, told, 0.99) >= 0.93);
}

static void repeat_near(design by, double r, uint64_t draws, int repetitions)
{
    static gmc_given_row rows[INPUTS][MOST];
    double first[INPUTS], total[INPUTS], p = truth_of(r, first, total);
    int told = 0, held[INPUTS] = {0};
    for (uint64_t seed = 1; seed <= (uint64_t)repetitions; seed++) {
        for (uint64_t d = 0; d < draws; d++) {
            double u[INPUTS], outcome;
            draw(by, seed, d, draws, u);
            outcome = is_near(u, r);
            for (int i = 0; i < INPUTS; i++)
                rows[i][d] = (gmc_given_row){u[i], outcome, (int64_t)d};
        }
        int64_t rarer = gmc_given_rarer(rows[0], (int64_t)draws);
        told += rarer >= GMC_GIVEN_RARE;
        for (int i = 0; i < INPUTS; i++) {
            gmc_index index = index_of(by, rows[i], (int64_t)draws);
            is_sound(index, rarer);
            held[i] += rarer >= GMC_GIVEN_RARE && index.interval.lower <= first[i] &&
                       first[i] <= index.interval.upper;
        }
    }
    printf("%s %d, success %.3f, told in %d of %d:", NAMES[by], (int)draws, p, told, repetitions);
    for (int i = 0; i < INPUTS && told > 0; i++) {
        char what[32];
        snprintf(what, sizeof what, "%.4f in", first[i]);
        judge(what, held[i], told);
    }
    printf("\n");
}

static void near_all_designs(double r, uint64_t draws, int repetitions)
{
    for (int by = 0; by < DESIGNS; by++)
        repeat_near((design)by, r, draws, repetitions);
}

static void success_of_many_draws(void **state)
{
    (void)state;
    // success 0.720, 0.960, 0.975, 0.986, 0.992, 0.998
    const double radii[] = {2, 3, 3.2, 3.4, 3.6, 4};
    for (int k = 0; k < GMC_COUNT(radii); k++)
        near_all_designs(radii[k], 4096, k < 5 ? 300 : 20);
}

static void success_of_a_thousand_draws(void **state)
{
    (void)state;
    near_all_designs(2, 1024, 1000);
    near_all_designs(3, 1024, 1000);
    near_all_designs(3.2, 2048, 500);
}

// ---- blocks ------------------------------------------------------------------------------------

/// A success and its indices.
typedef struct deciding {
    double (*works)(const double *u, const double *at);
    double at[2]; ///< a radius; or two edges
    double p, first[INPUTS], total[INPUTS];
} deciding;

static double near(const double *u, const double *at) { return is_near(u, at[0]); }

static deciding within(double r)
{
    deciding d = {.works = near, .at = {r}};
    d.p = truth_of(r, d.first, d.total);
    return d;
}

static double beyond(const double *u, const double *at) { return u[0] > at[0] && u[1] > at[1]; }

// Of a product of two: S_0 V = p_1² p_0 (1 - p_0), T_0 V = p_1 p_0 (1 - p_0)
static deciding beyond_both(double one, double other)
{
    double p0 = 1 - one, p1 = 1 - other, p = p0 * p1, all = p * (1 - p);
    return (deciding){beyond,
                      {one, other},
                      p,
                      {p1 * p1 * p0 * one / all, p0 * p0 * p1 * other / all},
                      {p1 * p0 * one / all, p0 * p1 * other / all}};
}

static void run_block(const deciding *d, uint64_t seed, uint64_t replica, uint64_t point,
                      double *outcomes)
{
    double both[2][INPUTS];
    for (int i = 0; i < INPUTS; i++)
        for (int k = 0; k < 2; k++)
            both[k][i] = gmc_exchange_uniform(
                i, point, k == 1, gmc_stream_open_hashed(seed, replica, (uint64_t)i),
                gmc_stream_open_hashed(seed, replica, 1000 + (uint64_t)i));
    for (int row = 0; row < gmc_exchange_rows(INPUTS); row++) {
        double u[INPUTS];
        for (int i = 0; i < INPUTS; i++)
            u[i] = both[gmc_exchange_is_other(row, i)][i];
        outcomes[row] = d->works(u, d->at);
    }
}

static void repeat_blocks(deciding d, uint64_t points, int repetitions)
{
    int held[2][INPUTS] = {{0}};
    for (uint64_t seed = 1; seed <= (uint64_t)repetitions; seed++) {
        gmc_indices indices;
        assert_int_equal(gmc_indices_create(&indices, INPUTS, REPLICAS), GMC_OK);
        for (uint64_t replica = 0; replica < REPLICAS; replica++)
            for (uint64_t point = 0; point < points; point++) {
                double outcomes[2 * INPUTS + 2];
                run_block(&d, seed, replica, point, outcomes);
                gmc_indices_add(&indices, (int)replica, outcomes);
            }
        for (int i = 0; i < INPUTS; i++)
            for (int order = 0; order < 2; order++) {
                gmc_index index = order == 0 ? gmc_indices_first(&indices, i, 0.95)
                                             : gmc_indices_total(&indices, i, 0.95);
                double truth = order == 0 ? d.first[i] : d.total[i];
                assert_true(index.interval.lower < index.interval.upper);
                assert_true(isnan(index.value) || (index.interval.lower <= index.value &&
                                                   index.value <= index.interval.upper));
                held[order][i] += index.interval.lower <= truth && truth <= index.interval.upper;
            }
        gmc_indices_free(&indices);
    }
    printf("%d rows, success %.3f:", (int)points * REPLICAS * gmc_exchange_rows(INPUTS), d.p);
    for (int order = 0; order < 2; order++)
        for (int i = 0; i < INPUTS; i++) {
            char what[48];
            snprintf(what, sizeof what, "%s %.4f in", order == 0 ? "first" : "total",
                     order == 0 ? d.first[i] : d.total[i]);
            judge(what, held[order][i], repetitions);
        }
    printf("\n");
}

static void total_order_near_one(void **state)
{
    (void)state;
    repeat_blocks(within(3), 8, 500);
    repeat_blocks(within(3), 32, 500);
    repeat_blocks(within(3.6), 32, 500);
}

/// All randomisations share points out the same way there: their spread shows nothing.
static void edges_next_to_binary_fractions(void **state)
{
    (void)state;
    static const double EDGES[][2] = {{0.501, 0.49999}, {0.502, 0.49999}, {0.377, 0.49999},
                                      {0.501, 0.501},   {0.252, 0.5001},  {0.51, 0.51},
                                      {0.5, 0.5},       {0.377, 0.377}};
    for (int i = 0; i < GMC_COUNT(EDGES); i++)
        for (uint64_t points = 16; points <= 64; points *= 2)
            repeat_blocks(beyond_both(EDGES[i][0], EDGES[i][1]), points, 300);
}

// ---- beyond an edge ---------------------------------------------------------------------------

static void an_edge_is_the_whole_of_it(void **state)
{
    (void)state;
    // failures below, and where the input must lie between two edges
    const double edges[][2] = {{0.518, 1}, {0.2, 1}, {0.044, 1}, {0.012, 1}, {0.1, 0.75}};
    enum { REPETITIONS = 300 };
    static gmc_given_row rows[MOST];
    for (int k = 0; k < GMC_COUNT(edges); k++)
        for (int by = 0; by < DESIGNS; by++)
            for (uint64_t draws = 1024; draws <= (by == RANDOM ? MOST : 1024); draws *= 4) {
                int held = 0;
                for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
                    for (uint64_t d = 0; d < draws; d++) {
                        double u[INPUTS];
                        draw((design)by, seed, d, draws, u);
                        rows[d] = (gmc_given_row){u[0], u[0] > edges[k][0] && u[0] < edges[k][1],
                                                  (int64_t)d};
                    }
                    int64_t rarer = gmc_given_rarer(rows, (int64_t)draws);
                    gmc_index index = index_of((design)by, rows, (int64_t)draws);
                    is_sound(index, rarer);
                    held += index.interval.upper == 1;
                }
                printf("%s %d between %g and %g:", NAMES[by], (int)draws, edges[k][0], edges[k][1]);
                judge("1 in", held, REPETITIONS);
                printf("\n");
            }
}

/// One input has to be in windows, share `within` of it in all, another below `other`.
typedef struct windows {
    int count;
    double within, other;
    int draws;
} windows;

/// Windows that no two edges describe, or that another input blurs: groups that an edge runs
/// through take from the index, the more the larger they are.
static void windows_beside_another_input(void **state)
{
    (void)state;
    enum { TIMES = 300, ROWS = 4000 };
    static const windows CASES[] = {
        {1, 0.5, 0.6, 1000},  {1, 0.5, 0.95, 1000}, {1, 0.5, 0.95, 4000}, {1, 0.9, 0.6, 4000},
        {1, 0.9, 0.95, 1000}, {1, 0.9, 0.95, 4000}, {4, 0.5, 0.95, 1000}, {4, 0.5, 0.95, 4000}};
    static gmc_given_row rows[ROWS];
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const windows *w = &CASES[i];
        double p = w->within * w->other;
        double index = w->other * w->other * w->within * (1 - w->within) / (p * (1 - p));
        int held = 0;
        for (uint64_t k = 0; k < TIMES; k++) {
            for (int n = 0; n < w->draws; n++) {
                gmc_stream u = gmc_stream_open_hashed(800 + k, (uint64_t)n, 6);
                double x = gmc_stream_uniform(u, 0), place = fmod(w->count * x + 0.37, 1);
                bool works = place < w->within && gmc_stream_uniform(u, 1) < w->other;
                rows[n] = (gmc_given_row){.input = x, .outcome = works, .draw = n};
            }
            gmc_index found = gmc_given_first(rows, w->draws, 0.95);
            held += found.interval.lower <= index && index <= found.interval.upper;
        }
        print_message("%d windows of %g, other %g, %d draws: %.3f held in %.1f %%\n", w->count,
                      w->within, w->other, w->draws, index, 100.0 * held / TIMES);
        assert_true(gmc_proportion_upper(held, TIMES, 0.99) >= 0.93);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_beside_another_input),
        cmocka_unit_test(success_of_many_draws),
        cmocka_unit_test(success_of_a_thousand_draws),
        cmocka_unit_test(total_order_near_one),
        cmocka_unit_test(edges_next_to_binary_fractions),
        cmocka_unit_test(an_edge_is_the_whole_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
