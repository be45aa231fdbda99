// Do the intervals of sensitivity indices hold the truth? On functions whose indices are known in
// closed form, and on a success whose indices are integrals.
#include "engine/base/status.h"
#include "sampling/design/exchange.h"
#include "sampling/design/morris.h"
#include "sampling/estimate/moments.h"
#include "sampling/explain/effects.h"
#include "sampling/explain/given.h"
#include "sampling/explain/indices.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "test/support/near.h"

#include <string.h>

#define PI 3.14159265358979323846

enum { INPUTS_MAX = 8, REPLICAS = 16, REPETITIONS = 200 };

/// A function of independent uniform inputs.
typedef struct model {
    const char *name;
    int inputs;
    double (*value)(const double *u);
    double first[INPUTS_MAX], total[INPUTS_MAX];
} model;

// sin x + 7 sin² y + 0.1 z⁴ sin x on [−π, π]³
static double ishigami(const double *u)
{
    double x = PI * (2 * u[0] - 1), y = PI * (2 * u[1] - 1), z = PI * (2 * u[2] - 1);
    return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

static model ishigami_model(void)
{
    double p4 = pow(PI, 4), p8 = p4 * p4;
    double both = 0.01 * p8 * (1.0 / 18 - 1.0 / 50), x = 0.5 * pow(1 + 0.02 * p4, 2), y = 49.0 / 8;
    double all = x + y + both;
    return (model){
        "Ishigami", 3, ishigami, {x / all, y / all, 0}, {(x + both) / all, y / all, both / all}};
}

// Π (|4 u − 2| + a) / (1 + a)
static const double G[INPUTS_MAX] = {0, 1, 4.5, 9, 99, 99, 99, 99};

static double sobol_g(const double *u)
{
    double product = 1;
    for (int i = 0; i < INPUTS_MAX; i++)
        product *= (fabs(4 * u[i] - 2) + G[i]) / (1 + G[i]);
    return product;
}

static model sobol_g_model(void)
{
    model m = {.name = "Sobol' G", .inputs = INPUTS_MAX, .value = sobol_g};
    double all = 1;
    for (int i = 0; i < INPUTS_MAX; i++)
        all *= 1 + 1 / (3 * pow(1 + G[i], 2));
    for (int i = 0; i < INPUTS_MAX; i++) {
        double own = 1 / (3 * pow(1 + G[i], 2));
        m.first[i] = own / (all - 1);
        m.total[i] = own * all / (1 + own) / (all - 1);
    }
    return m;
}

// A grasp that works where two errors together stay below a reach; the third input does nothing.
static double success(const double *u) { return u[0] + 0.5 * u[1] < 0.6; }

static model success_model(void)
{
    // P(success) = 0.35. E(· | u0) = clip((0.6 − u0)/0.5): 1 below 0.1, falls to 0 at 0.6;
    // E(· | u1) = 0.6 − u1/2. Their second moments: 0.1 + 0.5/3, and ∫ (0.6 − u/2)² du
    double p = 0.35, all = p * (1 - p);
    double a = (0.1 + 0.5 / 3 - p * p) / all, b = (0.36 - 0.3 + 0.25 / 3 - p * p) / all;
    return (model){"a success", 3, success, {a, b, 0}, {1 - b, 1 - a, 0}};
}

static const gmc_index UNTOLD = {.interval = {0, 1}};

/// What 200 repetitions showed.
typedef struct record {
    int held[2][INPUTS_MAX]; ///< first order, total order
    double width[2];         ///< largest mean half-width
    double widest;           ///< of one interval
} record;

static void note(record *r, int order, int input, gmc_index index, double truth, double widths[])
{
    double half = 0.5 * (index.interval.upper - index.interval.lower);
    r->held[order][input] += index.interval.lower <= truth && truth <= index.interval.upper;
    widths[input] += half / REPETITIONS;
    r->widest = fmax(r->widest, half);
    r->width[order] = fmax(r->width[order], widths[input]);
}

// Smallest share of one index, and the share of all together.
static void judge(const record *r, const model *m, int orders, const char *what, double least,
                  double pooled)
{
    double sum = 0, worst = 1;
    for (int o = 0; o < orders; o++)
        for (int i = 0; i < m->inputs; i++) {
            double share = r->held[o][i] / (double)REPETITIONS;
            worst = fmin(worst, share);
            sum += share / (orders * m->inputs);
        }
    printf("%s, %s: pooled coverage %.1f %%, worst index %.1f %%; mean half-width at most %.4f "
           "(first), %.4f (total), of one interval %.4f\n",
           m->name, what, 100 * sum, 100 * worst, r->width[0], r->width[1], r->widest);
    assert_true(sum >= pooled);
    assert_true(worst >= least);
}

// ---- designed ---------------------------------------------------------------------------------

static void run_block(const model *m, uint64_t seed, int replica, uint64_t point, double *outcomes)
{
    double both[2][INPUTS_MAX];
    for (int i = 0; i < m->inputs; i++) {
        uint64_t line = (uint64_t)i, r = (uint64_t)replica;
        gmc_stream a = gmc_stream_open_hashed(seed, r, line),
                   b = gmc_stream_open_hashed(seed, r, 1000 + line);
        for (int k = 0; k < 2; k++)
            both[k][i] = gmc_exchange_uniform(i, point, k == 1, a, b);
    }
    for (int row = 0; row < gmc_exchange_rows(m->inputs); row++) {
        double u[INPUTS_MAX];
        for (int i = 0; i < m->inputs; i++)
            u[i] = both[gmc_exchange_is_other(row, i)][i];
        outcomes[row] = m->value(u);
    }
}

/// @param told  out: studies whose measure has no tail; in the others shares have [0, 1]. NULL: all
static record repeat_designed(const model *m, uint64_t points, int *told)
{
    record r = {0};
    double widths[2][INPUTS_MAX] = {{0}};
    for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
        gmc_indices indices;
        gmc_tail tail = {0};
        assert_int_equal(gmc_indices_create(&indices, m->inputs, REPLICAS), GMC_OK);
        for (int replica = 0; replica < REPLICAS; replica++)
            for (uint64_t point = 0; point < points; point++) {
                double outcomes[2 * INPUTS_MAX + 2];
                run_block(m, seed, replica, point, outcomes);
                gmc_indices_add(&indices, replica, outcomes);
                gmc_tail_add(&tail, outcomes[0]);
                gmc_tail_add(&tail, outcomes[1]);
            }
        bool is_told = !told || !gmc_tail_is_heavy(&tail);
        if (told) *told += is_told;
        for (int i = 0; i < m->inputs; i++) {
            gmc_index first = gmc_indices_first(&indices, i, 0.95),
                      total = gmc_indices_total(&indices, i, 0.95);
            note(&r, 0, i, is_told ? first : UNTOLD, m->first[i], widths[0]);
            note(&r, 1, i, is_told ? total : UNTOLD, m->total[i], widths[1]);
        }
        gmc_indices_free(&indices);
    }
    printf("%d calls each: ", (int)points * REPLICAS * gmc_exchange_rows(m->inputs));
    return r;
}

static void indices_of_ishigami(void **state)
{
    (void)state;
    model m = ishigami_model();
    record r = repeat_designed(&m, 512, NULL);
    judge(&r, &m, 2, "designed", 0.90, 0.93);
    assert_true(r.widest <= 0.02); // each of them, not in the mean alone
}

static void indices_of_sobol_g(void **state)
{
    (void)state;
    model m = sobol_g_model();
    record r = repeat_designed(&m, 128, NULL);
    judge(&r, &m, 2, "designed", 0.90, 0.93);
    assert_true(r.widest <= 0.02);
}

static void indices_of_a_success(void **state)
{
    (void)state;
    model m = success_model();
    record r = repeat_designed(&m, 64, NULL);
    judge(&r, &m, 2, "designed", 0.90, 0.93);
    assert_true(r.width[0] <= 0.03);
    assert_true(r.width[1] <= 0.03);
}

// ---- given data -------------------------------------------------------------------------------

static void draw_plain(const model *m, uint64_t seed, uint64_t draw, double *u)
{
    for (int i = 0; i < m->inputs; i++)
        u[i] = gmc_stream_uniform(gmc_stream_open_hashed(seed, draw, (uint64_t)i), 0);
}

static void indices_from_plain_draws(void **state)
{
    (void)state;
    enum { DRAWS = 1000 };
    const model models[] = {ishigami_model(), sobol_g_model(), success_model()};
    static gmc_given_row rows[INPUTS_MAX][DRAWS];
    for (int k = 0; k < GMC_COUNT(models); k++) {
        const model *m = &models[k];
        record r = {0};
        double widths[INPUTS_MAX] = {0};
        for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
            for (uint64_t d = 0; d < DRAWS; d++) {
                double u[INPUTS_MAX];
                draw_plain(m, seed, d, u);
                for (int i = 0; i < m->inputs; i++)
                    rows[i][d] = (gmc_given_row){u[i], m->value(u), (int64_t)d};
            }
            for (int i = 0; i < m->inputs; i++)
                note(&r, 0, i, gmc_given_first(rows[i], DRAWS, 0.95), m->first[i], widths);
        }
        judge(&r, m, 1, "1000 plain draws", 0.90, 0.93);
        // 0.055 before the upper end had room for inputs without ends: Ishigami has 0.070
        assert_true(r.width[0] <= 0.072);
    }
}

// A grasp that works between three edges: steps, which groups of neighbouring draws blur most.
static double between_edges(const double *u) { return u[0] > 0.3 && u[1] < 0.8 && u[2] > 0.1; }

static model edges_model(void)
{
    // with a the probability of one edge and p that of all, E(· | u) is p/a beyond it and 0 before:
    // variance p² (1 − a)/a
    double p = 0.7 * 0.8 * 0.9, all = p * (1 - p);
    return (model){
        .name = "three edges",
        .inputs = 4,
        .value = between_edges,
        .first = {p * p * 0.3 / 0.7 / all, p * p * 0.2 / 0.8 / all, p * p * 0.1 / 0.9 / all, 0}};
}

// Taken for random draws, Sobol' points gave intervals that held an index of 0.11 in 27 % of runs.
static void indices_from_sobol_points(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    const model models[] = {ishigami_model(), success_model(), edges_model()};
    static gmc_given_row rows[INPUTS_MAX][MOST];
    for (int k = 0; k < GMC_COUNT(models); k++)
        for (uint64_t draws = 256; draws <= MOST; draws *= 4) {
            const model *m = &models[k];
            record r = {0};
            double widths[INPUTS_MAX] = {0};
            for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
                for (uint64_t d = 0; d < draws; d++) {
                    double u[INPUTS_MAX];
                    for (int i = 0; i < m->inputs; i++)
                        u[i] = gmc_sobol_uniform(
                            i, d / REPLICAS,
                            gmc_stream_open_hashed(seed, d % REPLICAS, (uint64_t)i));
                    for (int i = 0; i < m->inputs; i++)
                        rows[i][d] = (gmc_given_row){u[i], m->value(u), (int64_t)d};
                }
                for (int i = 0; i < m->inputs; i++)
                    note(&r, 0, i,
                         gmc_given_replicas_first(rows[i], (int64_t)draws, REPLICAS, 0.95),
                         m->first[i], widths);
            }
            printf("%d Sobol' points: ", (int)draws);
            judge(&r, m, 1, "given", 0.90, 0.93);
        }
}

// ---- measures without ends
// -----------------------------------------------------------------------

static double cube(const double *u)
{
    double x = gmc_normal_quantile(u[0]);
    return x * x * x + 3 * gmc_normal_quantile(u[1]);
}

static double exponential(const double *u)
{
    return exp(gmc_normal_quantile(u[0])) + gmc_normal_quantile(u[1]);
}

static const double SPREADS[] = {0.8326, 0.4724, 0.2936}; // of 100, 50 and 30 %

static double product(const double *u)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += SPREADS[i] * gmc_normal_quantile(u[i]);
    return exp(sum);
}

static model product_model(void)
{
    model m = {.name = "product of lognormals", .inputs = 3, .value = product};
    double all = 0;
    for (int i = 0; i < 3; i++)
        all += SPREADS[i] * SPREADS[i];
    for (int i = 0; i < 3; i++) {
        double own = SPREADS[i] * SPREADS[i];
        m.first[i] = expm1(own) / expm1(all);
        m.total[i] = 1 - expm1(all - own) / expm1(all);
    }
    return m;
}

static void repeat_given_tail(const model *m, uint64_t draws)
{
    enum { MOST = 1000 };
    static gmc_given_row rows[INPUTS_MAX][MOST];
    record r = {0};
    double widths[INPUTS_MAX] = {0};
    int told = 0;
    for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
        gmc_tail tail = {0};
        for (uint64_t d = 0; d < draws; d++) {
            double u[INPUTS_MAX];
            draw_plain(m, seed, d, u);
            double outcome = m->value(u);
            gmc_tail_add(&tail, outcome);
            for (int i = 0; i < m->inputs; i++)
                rows[i][d] = (gmc_given_row){u[i], outcome, (int64_t)d};
        }
        bool is_told = !gmc_tail_is_heavy(&tail);
        told += is_told;
        for (int i = 0; i < m->inputs; i++) {
            gmc_index first = gmc_given_first(rows[i], (int64_t)draws, 0.95);
            note(&r, 0, i, is_told ? first : UNTOLD, m->first[i], widths);
        }
    }
    printf("%d draws, told in %d of %d: ", (int)draws, told, REPETITIONS);
    judge(&r, m, 1, "given", 0.90, 0.93);
}

static void repeat_designed_tail(const model *m, uint64_t points)
{
    int told = 0;
    record r = repeat_designed(m, points, &told);
    printf("told in %d of %d: ", told, REPETITIONS);
    judge(&r, m, 2, "designed", 0.90, 0.93);
}

// A variance that hangs on few draws: an x³ of 1000 draws was held in 0.58 of studies by itself,
// blocks with three lognormal numbers in 0.84.
static void measures_with_tails(void **state)
{
    (void)state;
    double bent = exp(1) * expm1(1);
    const model models[] = {
        {"x³ + 3 y", 2, cube, {15.0 / 24, 9.0 / 24}, {15.0 / 24, 9.0 / 24}},
        {"exp(x) + y",
         2,
         exponential,
         {bent / (bent + 1), 1 / (bent + 1)},
         {bent / (bent + 1), 1 / (bent + 1)}},
        product_model(),
    };
    for (int k = 0; k < GMC_COUNT(models); k++) {
        repeat_given_tail(&models[k], 300);
        repeat_given_tail(&models[k], 1000);
        repeat_designed_tail(&models[k], 8);
        repeat_designed_tail(&models[k], 32);
    }
}

// ---- elementary effects -----------------------------------------------------------------------

static void effects_at(const model *m, uint64_t seed, uint64_t trajectory, double *effects)
{
    double u[INPUTS_MAX], before = 0;
    bool is_up[INPUTS_MAX];
    gmc_stream order = gmc_stream_open_hashed(seed, trajectory, 99);
    for (int i = 0; i < m->inputs; i++) {
        u[i] = gmc_stream_uniform(gmc_stream_open_hashed(seed, trajectory, (uint64_t)i), 0);
        is_up[i] = gmc_morris_is_up(u[i]);
    }
    for (int row = 0; row < gmc_morris_rows(m->inputs); row++) {
        int moved = -1;
        for (int i = 0; i < m->inputs; i++)
            if (gmc_morris_moved_in(i, m->inputs, order) == row) moved = i;
        if (moved >= 0) u[moved] = gmc_morris_uniform(u[moved], true);
        double now = m->value(u);
        if (moved >= 0) effects[moved] = (now - before) * (is_up[moved] ? 2 : -2);
        before = now;
    }
}

// 3 for u0; 2 u1 + 1/2 + u2 for u1, as it moves from u1; u1 for u2
static double polynomial(const double *u) { return 3 * u[0] + u[1] * u[1] + u[1] * u[2]; }

/// Of 64 trajectories one in three has none at all.
static double rare_success(const double *u) { return u[0] < 0.01; }

typedef struct effects_case {
    model m;
    bool is_binary;
    double truth[3][3]; ///< mu*, mu, sigma of each input
} effects_case;

static gmc_index part_of(const gmc_effects *e, int part)
{
    return part == 0 ? e->size : part == 1 ? e->mean : e->spread;
}

static void repeat_effects(const effects_case *c, int held[3][3])
{
    enum { TRAJECTORIES = 64 };
    double effects[3][TRAJECTORIES];
    for (uint64_t seed = 1; seed <= REPETITIONS; seed++) {
        for (uint64_t t = 0; t < TRAJECTORIES; t++) {
            double one[INPUTS_MAX];
            effects_at(&c->m, seed, t, one);
            for (int i = 0; i < 3; i++)
                effects[i][t] = one[i];
        }
        for (int i = 0; i < 3; i++) {
            gmc_effects e = gmc_effects_of(effects[i], TRAJECTORIES, c->is_binary ? 0 : 5,
                                           c->is_binary, GMC_MORRIS_STEP, 0.95);
            for (int j = 0; j < 3; j++) { // an effect that is always 3 errs by rounding
                gmc_interval found = part_of(&e, j).interval;
                held[j][i] +=
                    found.lower <= c->truth[j][i] + 1e-12 && c->truth[j][i] - 1e-12 <= found.upper;
            }
        }
    }
}

static void effects_are_what_they_are_said_to_be(void **state)
{
    (void)state;
    // u1 moves from below 1/2 to u1 + 1/2: 2 u1 + 1/2 + u2 has mean 3/2 and variance 4/48 + 1/12.
    // A success changes with u0 where the reach c = 0.6 - u1/2, uniform on [0.1, 0.6], is between
    // u0 and u0 + 1/2: P = 2 (∫ 2 c over [0.1, 0.5] + ∫ 2 (1 - c) over [0.5, 0.6]) = 0.66; with u1
    // where u0 is in an interval of length 1/4. Both only fail by moving up
    const effects_case cases[] = {
        {{.name = "a polynomial", .inputs = 3, .value = polynomial},
         false,
         {{3, 1.5, 0.5}, {3, 1.5, 0.5}, {0, sqrt(1.0 / 6), sqrt(1.0 / 12)}}},
        {{.name = "a success", .inputs = 3, .value = success},
         true,
         {{1.32, 0.5, 0}, {-1.32, -0.5, 0}, {2 * sqrt(0.66 * 0.34), 2 * sqrt(0.25 * 0.75), 0}}},
        {{.name = "a rare success", .inputs = 3, .value = rare_success},
         true,
         {{0.04, 0, 0}, {-0.04, 0, 0}, {2 * sqrt(0.02 * 0.98), 0, 0}}}};
    for (int k = 0; k < GMC_COUNT(cases); k++) {
        int held[3][3] = {{0}};
        repeat_effects(&cases[k], held);
        printf("%s: of %d intervals", cases[k].m.name, REPETITIONS);
        for (int j = 0; j < 3; j++)
            printf(" %s %d %d %d",
                   j == 0   ? "mu*"
                   : j == 1 ? "mu"
                            : "sigma",
                   held[j][0], held[j][1], held[j][2]);
        printf(" hold the truth\n");
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++)
                assert_true(held[j][i] >= 0.90 * REPETITIONS);
    }
}

// ---- an outcome of few values ----

/// A count that one input decides, by steps; with noise, and by nothing but noise.
static double count_of(int kind, double x, double noise)
{
    switch (kind) {
    case 0:
        return x < 0.3 ? 0 : x < 0.8 ? 1 : 2;
    case 1:
        return floor(5 * x);
    case 2:
        return x < 0.4 ? 1 : x < 0.6 ? 0 : x < 0.9 ? 2 : 1;
    case 3:
        return (x >= 0.5) + (noise < 0.5);
    default:
        return floor(3 * noise);
    }
}

static void a_measure_of_few_values_is_covered(void **state)
{
    (void)state;
    enum { STUDIES = 2000, MOST_ROWS = 900 };
    static const double TRUTH[] = {1, 1, 1, 0.5, 0};
    static gmc_given_row rows[MOST_ROWS];
    for (int kind = 0; kind < GMC_COUNT(TRUTH); kind++)
        for (int n = 300; n <= MOST_ROWS; n *= 3) {
            int held = 0;
            double width = 0;
            for (uint64_t seed = 0; seed < STUDIES; seed++) {
                for (int i = 0; i < n; i++) {
                    gmc_stream s = gmc_stream_open_hashed(seed, (uint64_t)i, 3);
                    double x = gmc_stream_uniform(s, 0), noise = gmc_stream_uniform(s, 1);
                    rows[i] = (gmc_given_row){x, count_of(kind, x, noise), i};
                }
                gmc_index e = gmc_given_first(rows, n, 0.95);
                held += e.interval.lower <= TRUTH[kind] && TRUTH[kind] <= e.interval.upper;
                width += (e.interval.upper - e.interval.lower) / STUDIES;
            }
            printf("a count, kind %d, %d draws: %g in %.1f %% (width %.3f)\n", kind, n, TRUTH[kind],
                   100.0 * held / STUDIES, width);
            assert_true(gmc_proportion_upper(held, STUDIES, 0.99) >= 0.94);
        }
}

// ---- inputs without ends ----

enum { TAILED_REPLICAS = 16, TAILED_ROWS = 1024 };

/// Of a square or a cube of a normal number, the tail of which lies in the last groups.
static double tailed(int kind, double a, double b)
{
    switch (kind) {
    case 0:
        return a * a + b;
    case 1:
        return a * a * a;
    case 2:
        return exp(a);
    default:
        return a + 0.5 * b;
    }
}

static gmc_index of_tailed(int kind, uint64_t seed, bool is_designed)
{
    static gmc_given_row rows[TAILED_ROWS];
    gmc_stream coins[2] = {0};
    for (int i = 0; i < TAILED_ROWS; i++) {
        double u[2];
        gmc_stream s = gmc_stream_open_hashed(seed, (uint64_t)i, 5);
        int replica = i % TAILED_REPLICAS;
        for (int j = 0; j < 2; j++) {
            coins[j] = gmc_stream_open_hashed(seed, (uint64_t)replica, (uint64_t)(6 + j));
            u[j] = is_designed ? gmc_sobol_uniform(j, (uint64_t)(i / TAILED_REPLICAS), coins[j])
                               : gmc_stream_uniform(s, (uint64_t)j);
        }
        double a = gmc_normal_quantile(fmax(u[0], 0x1p-54));
        double b = gmc_normal_quantile(fmax(u[1], 0x1p-54));
        rows[i] = (gmc_given_row){u[0], tailed(kind, a, b), i};
    }
    return is_designed ? gmc_given_replicas_first(rows, TAILED_ROWS, TAILED_REPLICAS, 0.95)
                       : gmc_given_first(rows, TAILED_ROWS, 0.95);
}

static void an_input_without_ends_is_covered(void **state)
{
    (void)state;
    enum { STUDIES = 400 };
    static const double TRUTH[] = {2.0 / 3, 1, 1, 0.8};
    for (int kind = 0; kind < GMC_COUNT(TRUTH); kind++)
        for (int is_designed = 0; is_designed < 2; is_designed++) {
            int held = 0;
            double width = 0;
            for (uint64_t seed = 0; seed < STUDIES; seed++) {
                gmc_index e = of_tailed(kind, seed, is_designed);
                held += e.interval.lower <= TRUTH[kind] && TRUTH[kind] <= e.interval.upper;
                width += (e.interval.upper - e.interval.lower) / STUDIES;
            }
            printf("without ends, kind %d, %s: %g in %.1f %% (width %.3f)\n", kind,
                   is_designed ? "sobol" : "random", TRUTH[kind], 100.0 * held / STUDIES, width);
            assert_true(gmc_proportion_upper(held, STUDIES, 0.99) >= 0.94);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_ishigami),
        cmocka_unit_test(indices_of_sobol_g),
        cmocka_unit_test(indices_of_a_success),
        cmocka_unit_test(indices_from_plain_draws),
        cmocka_unit_test(indices_from_sobol_points),
        cmocka_unit_test(measures_with_tails),
        cmocka_unit_test(effects_are_what_they_are_said_to_be),
        cmocka_unit_test(a_measure_of_few_values_is_covered),
        cmocka_unit_test(an_input_without_ends_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
