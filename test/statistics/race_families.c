#include "test/statistics/race_families.h"

#include "engine/math/elementary.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/beta.h"
#include "sampling/random/normal.h"
#include "test/support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- chance: a hash is enough, and these are hundreds of millions of trials ---

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15); // splitmix64
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static double uniform(uint64_t study, uint64_t draw, uint64_t c)
{
    return ((double)(mix(mix(mix(study) + draw) + c) >> 11) + 0.5) * 0x1p-53;
}

typedef struct study {
    const race_family *family;
    uint64_t number;
    int64_t case_count;
    double *p, *normal; ///< (case_count) probabilities, and their normal quantiles
    double least;       ///< what the best may be worth at least
    uint64_t draw;      ///< of which `shared` is known
    double shared;      ///< what all cases meet
} study;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double probability(const race_family *f, const gmc_ranking_plan *plan, int64_t c, double u)
{
    switch (f->kind) {
    case RACE_BETA:
        return gmc_beta_quantile(f->a, f->b, u, false).x;
    case RACE_NEAR_TIES:
        return c < plan->best ? 0.85 : c < plan->best + 50 ? 0.825 : 0.825 - 0.4 * u;
    case RACE_THRESHOLD:
        return c < plan->best ? 0.9 : 0.9 - 1.001 * plan->within;
    case RACE_EQUAL:
        break;
    }
    return 0.8;
}

static study open_study(const race_family *family, const gmc_ranking_plan *plan, uint64_t number)
{
    size_t count = (size_t)plan->case_count;
    study s = {
        .family = family, .number = number, .case_count = plan->case_count, .draw = UINT64_MAX};
    s.p = malloc(count * sizeof *s.p);
    s.normal = malloc(count * sizeof *s.normal);
    double *sorted = malloc(count * sizeof *sorted);
    assert_true(s.p);
    assert_true(s.normal);
    assert_true(sorted);
    for (int64_t c = 0; c < plan->case_count; c++) {
        s.p[c] = probability(family, plan, c, uniform(number, UINT64_MAX, (uint64_t)c));
        s.normal[c] = family->common > 0 ? gmc_normal_quantile(s.p[c]) : 0;
    }
    memcpy(sorted, s.p, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    s.least = sorted[plan->best - 1] - plan->within;
    free(sorted);
    return s;
}

static void close_study(study *s)
{
    free(s->p);
    free(s->normal);
}

static bool succeeds(study *s, uint64_t draw, int64_t c)
{
    double own = uniform(2 * s->number, draw, (uint64_t)c), common = s->family->common;
    if (common <= 0) return own < s->p[c];
    if (s->draw != draw)
        s->shared = sqrt(common) * gmc_normal_quantile(uniform(2 * s->number + 1, draw, 0));
    s->draw = draw;
    double left = (s->normal[c] - s->shared) / sqrt(2 * (1 - common));
    return own < 0.5 * gmc_erfc(-left);
}

// --- rankings ---

static bool is_wrong(const gmc_ranking *ranking, const study *s)
{
    for (int64_t c = 0; c < s->case_count; c++)
        if (gmc_ranking_of_case(ranking, c).is_best && s->p[c] < s->least) return true;
    return false;
}

race_outcome race_families_run(const race_family *family, const gmc_ranking_plan *plan,
                               uint64_t number)
{
    study s = open_study(family, plan, number);
    race_outcome outcome = {0};
    gmc_ranking *ranking;
    assert_int_equal(gmc_ranking_create(plan, &ranking), GMC_OK);
    for (;;) {
        gmc_ranking_round round;
        uint64_t before = gmc_ranking_trials(ranking);
        assert_int_equal(gmc_ranking_next(ranking, &round), GMC_OK);
        if (before > 0) { // decided on `before` trials
            outcome.is_wrong = is_wrong(ranking, &s);
            if (outcome.is_wrong) outcome.right_from = UINT64_MAX;
            if (!outcome.is_wrong && outcome.right_from == UINT64_MAX) outcome.right_from = before;
            if (outcome.right_from == 0) outcome.right_from = before;
        }
        if (round.count == 0) break;
        for (uint64_t i = 0; i < round.count; i++) {
            uint64_t cases = (uint64_t)s.case_count, trial = round.trials[i];
            bool is_good = succeeds(&s, trial / cases, (int64_t)(trial % cases));
            assert_int_equal(gmc_ranking_put(ranking, trial,
                                             is_good ? GMC_VERDICT_SUCCESS : GMC_VERDICT_FAILURE),
                             GMC_OK);
        }
    }
    outcome.is_reached = gmc_ranking_ended(ranking) == GMC_RANKING_REACHED;
    outcome.rounds = gmc_ranking_rounds(ranking);
    outcome.trials = gmc_ranking_trials(ranking);
    gmc_ranking_free(ranking);
    close_study(&s);
    return outcome;
}

// --- equal shares ---

enum { LOOKS_MAX = 96 };

/// The best by successes, ties at random, first in `order`.
static void order_cases(const study *s, const int *successes, int64_t *order)
{
    double *keys = malloc((size_t)s->case_count * sizeof *keys);
    assert_non_null(keys);
    for (int64_t c = 0; c < s->case_count; c++)
        keys[c] = successes[c] + 0.9 * uniform(s->number, UINT64_MAX - 1, (uint64_t)c);
    for (int64_t c = 0; c < s->case_count; c++)
        order[c] = c;
    for (int64_t gap = s->case_count / 2; gap > 0; gap /= 2) // Shell's
        for (int64_t i = gap; i < s->case_count; i++)
            for (int64_t k = i; k >= gap && keys[order[k]] > keys[order[k - gap]]; k -= gap) {
                int64_t kept = order[k];
                order[k] = order[k - gap];
                order[k - gap] = kept;
            }
    free(keys);
}

/// Could one claim that the best are the best, after n draws of everyone?
static bool is_certain(const study *s, const gmc_ranking_plan *plan, const int64_t *order,
                       const int *successes, int n)
{
    double error = (1 - plan->level) / 2, best = (double)plan->best;
    double others = (double)plan->case_count - best;
    double k = successes[order[plan->best - 1]], m = successes[order[plan->best]];
    double lower = gmc_beta_quantile(k, n - k + 1, error / others, false).x;
    double upper = m < n ? gmc_beta_quantile(m + 1, n - m, error / best, true).x : 1;
    (void)s;
    return upper <= lower + plan->within;
}

/// Errors and certainties of one study at growing numbers of draws.
static void look_at_study(const race_family *family, const gmc_ranking_plan *plan, uint64_t number,
                          const int *looks, int count, bool until_certain, int *wrong, int *certain)
{
    study s = open_study(family, plan, number);
    int *successes = calloc((size_t)s.case_count, sizeof *successes);
    int64_t *order = malloc((size_t)s.case_count * sizeof *order);
    assert_true(successes);
    assert_true(order);
    int draw = 0;
    bool is_sure = false;
    for (int i = 0; i < count && !is_sure; i++) {
        for (; draw < looks[i]; draw++)
            for (int64_t c = 0; c < s.case_count; c++)
                successes[c] += succeeds(&s, (uint64_t)draw, c);
        order_cases(&s, successes, order);
        for (int64_t k = 0; k < plan->best; k++)
            if (s.p[order[k]] < s.least) {
                wrong[i]++;
                break;
            }
        if (!until_certain) continue;
        is_sure = is_certain(&s, plan, order, successes, looks[i]);
        for (int k = i; k < count && is_sure; k++)
            certain[k]++;
    }
    free(successes);
    free(order);
    close_study(&s);
}

race_equal race_families_equal(const race_family *family, const gmc_ranking_plan *plan, int studies,
                               double error, int most)
{
    int looks[LOOKS_MAX], count = 0, wrong[LOOKS_MAX] = {0}, certain[LOOKS_MAX] = {0};
    int unused[LOOKS_MAX] = {0};
    for (double n = 16; n < most && count < LOOKS_MAX; n *= 1.1)
        looks[count++] = (int)n;
    race_equal found = {.right = INFINITY, .certain = INFINITY};
    int some = (studies + 9) / 10, last = 0;
    for (int i = 0; i < some; i++)
        look_at_study(family, plan, (uint64_t)i, looks, count, true, unused, certain);
    for (int i = count; i-- > 0;)
        if (certain[i] >= (1 - error) * some) found.certain = looks[i];
    // errors are looked for as far as that
    while (last < count && looks[last] < found.certain)
        last++;
    for (int i = 0; i < studies; i++)
        look_at_study(family, plan, (uint64_t)i, looks, last, false, wrong, unused);
    for (int i = last; i-- > 0 && wrong[i] <= error * studies;)
        found.right = looks[i];
    return found;
}
