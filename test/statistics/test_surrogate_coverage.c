// The surrogate on outcomes whose probability is known: unbiased whatever it is worth, and does its
// interval hold the truth? Inputs are uniform; a trial succeeds where x0 + x1/2 < edge, but for a
// share of trials whose outcome is turned.
#include "engine/base/status.h"
#include "sampling/campaign/prefix.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/explain/surrogate.h"
#include "sampling/random/stream.h"
#include "test/support/near.h"

#include <stdlib.h>

enum { STUDIES = 120, INPUTS = 4, EACH = 20, DRAWS_MAX = 400 };
static const double LEVEL = 0.95;

typedef struct study {
    double edge;   ///< in [0.5, 1.5]
    double turned; ///< share of trials
    int draws;
    double gain; ///< it has at least, on average
} study;

/// Area below the line: t − 1/4, and from t = 1 on 1 − (3/2 − t)².
static double truth_of(const study *s)
{
    double t = s->edge, below = t <= 1 ? t - 0.25 : 1 - (1.5 - t) * (1.5 - t);
    return below * (1 - s->turned) + (1 - below) * s->turned;
}

static void draw_inputs(uint64_t seed, uint64_t draw, double *x)
{
    gmc_stream u = gmc_stream_open_hashed(seed, draw, 2);
    for (uint64_t j = 0; j < INPUTS; j++)
        x[j] = gmc_stream_uniform(u, j);
}

static void draw_fresh(void *context, int64_t index, double *x)
{
    draw_inputs(*(const uint64_t *)context, ((uint64_t)1 << 40) + (uint64_t)index, x);
}

typedef struct answer {
    double p, plain_p, own_p; ///< own: the surrogate's, whether it is of use or not
    gmc_interval interval, plain;
    double gain;
    bool is_useful;
} answer;

static answer ask(const study *s, uint64_t seed)
{
    double x[DRAWS_MAX * INPUTS], y[DRAWS_MAX];
    int64_t works = 0;
    for (int i = 0; i < s->draws; i++) {
        double *row = x + (size_t)i * INPUTS;
        draw_inputs(seed, (uint64_t)i, row);
        gmc_stream u = gmc_stream_open_hashed(seed, (uint64_t)i, 3);
        bool is_turned = gmc_stream_uniform(u, 0) < s->turned;
        y[i] = (row[0] + row[1] / 2 < s->edge) != is_turned;
        works += (int64_t)y[i];
    }
    gmc_surrogate_rows rows = {.count = s->draws, .cases = 1, .inputs = INPUTS, .x = x, .y = y};
    gmc_surrogate_fresh fresh = {(int64_t)s->draws * EACH, draw_fresh, &seed};
    gmc_surrogate_estimate e;
    answer a = {.plain = gmc_proportion_clopper_pearson(works, s->draws, LEVEL),
                .plain_p = (double)works / s->draws};
    assert_int_equal(gmc_surrogate_of(&rows, &fresh, &a.plain, LEVEL, &e), GMC_OK);
    a.is_useful = e.is_useful;
    a.p = e.is_useful ? e.p : a.plain_p;
    a.own_p = e.is_there ? e.p : a.plain_p;
    a.interval = e.is_useful ? e.interval : a.plain;
    a.gain = e.is_useful ? e.gain : 1;
    return a;
}

/// Covered at least so often of STUDIES: 94 % less what chance alone takes at 99 %.
static int least_covered(void)
{
    for (int k = STUDIES; k > 0; k--)
        if (gmc_proportion_upper(k, STUDIES, 0.99) < 0.94) return k + 1;
    return 1;
}

static void intervals_cover_and_estimates_are_unbiased(void **state)
{
    (void)state;
    static const study CASES[] = {
        {0.97, 0, 250, 3}, {0.97, 0.05, 250, 1.5}, {1.2764, 0, 250, 1.2},
        {1.35, 0, 400, 1}, {1.45, 0, 400, 1},      {0.75, 0.5, 100, 1},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const study *s = &CASES[i];
        double truth = truth_of(s), sum = 0, square = 0, gain = 0, chosen = 0, half = 0;
        int covered = 0, useful = 0;
        for (uint64_t k = 0; k < STUDIES; k++) {
            answer a = ask(s, 9000 + k);
            double width = a.interval.upper - a.interval.lower;
            assert_true(width <= a.plain.upper - a.plain.lower);
            sum += a.own_p - truth;
            square += (a.own_p - truth) * (a.own_p - truth);
            chosen += (a.p - truth) / STUDIES;
            half += width / 2 / STUDIES;
            gain += a.gain / STUDIES;
            useful += a.is_useful;
            covered += a.interval.lower <= truth && truth <= a.interval.upper;
        }
        double error = sqrt(square / STUDIES), bias = sum / STUDIES / (error / sqrt(STUDIES));
        double plain = sqrt(truth * (1 - truth) / s->draws);
        printf("p %.4f turned %.2f, %d draws: covers %d of %d, useful %d, gain %.2f told and %.2f "
               "found, bias %+.1f standard errors, of what is chosen %+.2f half widths\n",
               truth, s->turned, s->draws, covered, STUDIES, useful, gain,
               plain * plain / (error * error), bias, chosen / half);
        assert_true(covered >= least_covered());
        assert_true(fabs(bias) < 3.3);         // one in a thousand
        assert_true(fabs(chosen) <= half / 6); // surrogate.h says so
        assert_true(gain >= s->gain - 1e-9);   // a sum of ones
    }
}

// ---- failures that the surrogate cannot know ---------------------------------------------------

/// The first input has two values and decides; of the trials that it lets succeed a few fail
/// because of the second, of those that it lets fail some succeed. Where few trials have its other
/// value all of them may fail by chance.
typedef struct rare {
    double works, fails; ///< shares
    int draws;
    double saved;
} rare;

static void draw_rare(const rare *r, uint64_t seed, uint64_t draw, double x[2])
{
    gmc_stream u = gmc_stream_open_hashed(seed, draw, 4);
    x[0] = gmc_stream_uniform(u, 0) < r->works;
    x[1] = gmc_stream_uniform(u, 1);
}

typedef struct rare_seed {
    const rare *of;
    uint64_t seed;
} rare_seed;

static void draw_rare_fresh(void *context, int64_t index, double *x)
{
    const rare_seed *from = context;
    draw_rare(from->of, from->seed, ((uint64_t)1 << 40) + (uint64_t)index, x);
}

static bool holds_rare(const rare *r, uint64_t seed)
{
    double x[DRAWS_MAX * 2], y[DRAWS_MAX], truth = r->works * (1 - r->fails);
    truth += (1 - r->works) * r->saved;
    int64_t works = 0;
    for (int i = 0; i < r->draws; i++) {
        draw_rare(r, seed, (uint64_t)i, x + (size_t)i * 2);
        y[i] = x[2 * i] > 0 ? x[2 * i + 1] >= r->fails : x[2 * i + 1] < r->saved;
        works += (int64_t)y[i];
    }
    rare_seed from = {r, seed};
    gmc_surrogate_rows rows = {.count = r->draws, .cases = 1, .inputs = 2, .x = x, .y = y};
    gmc_surrogate_fresh fresh = {(int64_t)r->draws * EACH, draw_rare_fresh, &from};
    gmc_surrogate_estimate e;
    gmc_interval plain = gmc_proportion_either(works, r->draws, LEVEL);
    assert_int_equal(gmc_surrogate_of(&rows, &fresh, &plain, LEVEL, &e), GMC_OK);
    gmc_interval told = e.is_useful ? e.interval : plain;
    return told.lower <= truth && truth <= told.upper;
}

static void failures_that_few_trials_show_are_allowed_for(void **state)
{
    (void)state;
    static const rare CASES[] = {
        {0.9, 0.02, 100, 0}, {0.9, 0.01, 200, 0}, {0.9, 0.03, 60, 0},  {0.9, 0.05, 50, 0},
        {0.5, 0.04, 100, 0}, {0.95, 0, 100, 0.2}, {0.95, 0, 150, 0.2}, {0.95, 0, 250, 0.2},
    };
    enum { TIMES = 2 * STUDIES };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        int held = 0;
        for (uint64_t k = 0; k < TIMES; k++)
            held += holds_rare(&CASES[i], 700 + k);
        printf("works %.2f, fails %.2f, saved %.1f, %d draws: covers %d of %d\n", CASES[i].works,
               CASES[i].fails, CASES[i].saved, CASES[i].draws, held, TIMES);
        assert_true(gmc_proportion_upper(held, TIMES, 0.99) >= 0.94);
    }
}

// ---- maps: cases on common draws ---------------------------------------------------------------

enum { DOWN = 4, ACROSS = 3, CELLS = DOWN * ACROSS, MAP_DRAWS_MAX = 40 };

/// Of cell (i, j) the edge is somewhere else; a share of trials is turned, each by itself.
typedef struct map {
    double turned;
    int draws;
} map;

static int map_times = 20; ///< repetitions, of runs that stop, too

static study cell_of(const map *m, int cell)
{
    int i = cell / ACROSS, j = cell % ACROSS;
    return (study){.edge = 0.5 + 0.25 * i + 0.06 * j, .turned = m->turned};
}

typedef struct map_counts {
    int covered[CELLS + 1], useful; ///< behind the cells: the mean of all
    double gain, error[CELLS + 1];  ///< sums
} map_counts;

static void count_map(const map *m, uint64_t seed, map_counts *to)
{
    static double x[MAP_DRAWS_MAX * INPUTS], y[MAP_DRAWS_MAX * CELLS], a[CELLS * 2];
    double works[CELLS] = {0}, mean = 0;
    for (int c = 0; c < CELLS; c++) {
        a[2 * c] = c / ACROSS;
        a[2 * c + 1] = c % ACROSS;
        for (int i = 0; i < m->draws; i++) {
            double *row = x + (size_t)i * INPUTS, *at = &y[i * CELLS + c];
            draw_inputs(seed, (uint64_t)i, row);
            gmc_stream u = gmc_stream_open_hashed(seed, (uint64_t)i, 5);
            bool is_turned = gmc_stream_uniform(u, (uint64_t)c) < m->turned;
            *at = (row[0] + row[1] / 2 < cell_of(m, c).edge) != is_turned;
            works[c] += *at;
        }
    }
    gmc_surrogate_rows rows = {.count = m->draws,
                               .cases = CELLS,
                               .inputs = INPUTS,
                               .decisions = 2,
                               .x = x,
                               .a = a,
                               .y = y};
    gmc_surrogate_fresh fresh = {(int64_t)m->draws * EACH, draw_fresh, &seed};
    gmc_surrogate_estimate found[CELLS + 1];
    gmc_interval plain[CELLS + 1];
    for (int c = 0; c < CELLS; c++)
        plain[c] = gmc_proportion_either((int64_t)works[c], m->draws, LEVEL);
    plain[CELLS] = (gmc_interval){0, 1};
    assert_int_equal(gmc_surrogate_of(&rows, &fresh, plain, LEVEL, found), GMC_OK);
    for (int c = 0; c <= CELLS; c++) {
        study cell = cell_of(m, c);
        double truth = c < CELLS ? truth_of(&cell) : mean;
        double p = found[c].is_useful || c == CELLS ? found[c].p : works[c] / m->draws;
        gmc_interval told = found[c].is_useful ? found[c].interval : plain[c];
        assert_true(told.upper - told.lower <= plain[c].upper - plain[c].lower);
        to->covered[c] += told.lower <= truth && truth <= told.upper;
        to->error[c] += p - truth;
        mean += truth / CELLS;
        if (c == CELLS) break;
        to->useful += found[c].is_useful;
        to->gain += found[c].gain;
    }
}

static void maps_cover_in_every_cell(void **state)
{
    (void)state;
    static const map MAPS[] = {{0, 40}, {0.1, 40}, {0, 20}};
    for (int k = 0; k < GMC_COUNT(MAPS); k++) {
        map_counts found = {0};
        int least = map_times, all = 0;
        double worst = 0;
        for (int i = 0; i < map_times; i++)
            count_map(&MAPS[k], 300000 + (uint64_t)i, &found);
        for (int c = 0; c < CELLS; c++) {
            least = found.covered[c] < least ? found.covered[c] : least;
            all += found.covered[c];
            worst = fmax(worst, fabs(found.error[c] / map_times));
        }
        printf(
            "%d draws, turned %.1f: covers %.4f, in the least cell %d of %d, the mean of all %d; "
            "useful %.2f, gain %.2f, worst bias %.4f, of the mean of all %.4f\n",
            MAPS[k].draws, MAPS[k].turned, all / (double)(map_times * CELLS), least, map_times,
            found.covered[CELLS], found.useful / (double)(map_times * CELLS),
            found.gain / (map_times * CELLS), worst, found.error[CELLS] / map_times);
        for (int c = 0; c <= CELLS; c++)
            assert_true(gmc_proportion_upper(found.covered[c], map_times, 0.99) >= 0.94);
    }
}

// ---- runs that stop by its width ----------------------------------------------------------------

enum { STOP_DRAWS_MAX = 2000 };

typedef struct stopping {
    study law;
    double half_width;
    double most; ///< mean draws, of those that a share of all trials alone takes
} stopping;

/// As a run by `half_width<w by surrogate` does (cli/answer/surrogate_until.c). @return draws
static int64_t stop(const stopping *s, uint64_t seed, bool *holds)
{
    static double x[STOP_DRAWS_MAX * INPUTS], y[STOP_DRAWS_MAX];
    double level = gmc_fixed_width_level(s->half_width, LEVEL), truth = truth_of(&s->law);
    int64_t draws = 0, works = 0, look = GMC_PREFIX_SURROGATE_FIRST;
    gmc_interval told;
    do {
        for (; draws < look && draws < STOP_DRAWS_MAX; draws++) {
            double *row = x + draws * INPUTS;
            draw_inputs(seed, (uint64_t)draws, row);
            gmc_stream u = gmc_stream_open_hashed(seed, (uint64_t)draws, 3);
            bool is_turned = gmc_stream_uniform(u, 0) < s->law.turned;
            y[draws] = (row[0] + row[1] / 2 < s->law.edge) != is_turned;
            works += (int64_t)y[draws];
        }
        gmc_surrogate_rows rows = {.count = draws, .cases = 1, .inputs = INPUTS, .x = x, .y = y};
        gmc_surrogate_fresh fresh = {draws * EACH, draw_fresh, &seed};
        gmc_interval plain = gmc_proportion_clopper_pearson(works, draws, level);
        gmc_surrogate_estimate e;
        assert_int_equal(gmc_surrogate_of(&rows, &fresh, &plain, level, &e), GMC_OK);
        told = e.is_useful ? e.interval : plain;
        look = gmc_prefix_next_surrogate(draws);
    } while (told.upper - told.lower >= 2 * s->half_width && draws < STOP_DRAWS_MAX);
    *holds = told.lower <= truth && truth <= told.upper;
    return draws;
}

static void runs_that_stop_by_its_width_hold(void **state)
{
    (void)state;
    static const stopping CASES[] = {{{0.97, 0, 0, 0}, 0.03, 0.35},
                                     {{1.2764, 0.02, 0, 0}, 0.03, 1.1},
                                     {{0.97, 0.5, 0, 0}, 0.07, 1.5}};
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        const stopping *s = &CASES[i];
        double truth = truth_of(&s->law), z = gmc_proportion_z(LEVEL) / s->half_width, mean = 0;
        double alone = truth * (1 - truth) * z * z;
        int held = 0;
        for (int k = 0; k < map_times; k++) {
            bool holds;
            mean += (double)stop(s, 600000 + (uint64_t)k, &holds) / map_times;
            held += holds;
        }
        printf(
            "half width %.2f, p %.3f, turned %.2f: covers %d of %d, %.0f draws on average, trials "
            "alone %.0f\n",
            s->half_width, truth, s->law.turned, held, map_times, mean, alone);
        assert_true(gmc_proportion_upper(held, map_times, 0.99) >= 0.94);
        assert_true(mean <= s->most * alone);
    }
}

static void outcomes_without_a_surrogate(void **state)
{
    (void)state;
    double x[2 * GMC_SURROGATE_LEAST], y[GMC_SURROGATE_LEAST] = {0};
    for (int i = 0; i < 2 * GMC_SURROGATE_LEAST; i++)
        x[i] = i;
    uint64_t seed = 1;
    gmc_surrogate_fresh fresh = {100, draw_fresh, &seed};
    gmc_surrogate_rows rows = {
        .count = GMC_SURROGATE_LEAST, .cases = 1, .inputs = 2, .x = x, .y = y};
    gmc_surrogate_estimate e;
    gmc_interval plain = {0, 1};
    assert_int_equal(gmc_surrogate_of(&rows, &fresh, &plain, LEVEL, &e), GMC_OK);
    assert_false(e.is_useful); // all the same
    y[3] = 1;
    rows.count--;
    assert_int_equal(gmc_surrogate_of(&rows, &fresh, &plain, LEVEL, &e), GMC_OK);
    assert_false(e.is_useful); // too few
}

/// With a number maps and runs that stop alone, repeated so often.
int main(int argc, char **argv)
{
    const struct CMUnitTest often[] = {cmocka_unit_test(maps_cover_in_every_cell),
                                       cmocka_unit_test(runs_that_stop_by_its_width_hold)};
    if (argc > 1) {
        map_times = atoi(argv[1]);
        return cmocka_run_group_tests(often, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_stop_by_its_width_hold),
        cmocka_unit_test(maps_cover_in_every_cell),
        cmocka_unit_test(intervals_cover_and_estimates_are_unbiased),
        cmocka_unit_test(failures_that_few_trials_show_are_allowed_for),
        cmocka_unit_test(outcomes_without_a_surrogate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
