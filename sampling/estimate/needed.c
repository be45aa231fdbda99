#include "sampling/estimate/needed.h"

#include "engine/base/check.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/fixed_width.h"
#include "sampling/estimate/proportion.h"
#include "sampling/random/student.h"

#include <math.h>

/// Variance of the mean of a draw's cases.
static double variance_of(const gmc_needed *g)
{
    double alone = g->p * (1 - g->p), cases = (double)g->case_count;
    double agreement = g->is_independent ? 0 : g->agreement;
    return alone * (agreement + (1 - agreement) / cases);
}

typedef double (*half_of)(double draws, const gmc_needed *guess, double wanted, double level);

/// Wilson's half width of all trials, successes whole or not.
static double wilson_half(double draws, const gmc_needed *g, double wanted, double level)
{
    (void)wanted;
    double n = draws * (double)g->case_count, z = gmc_proportion_z(level), z2 = z * z;
    return z / (1 + z2 / n) * sqrt(g->p * (1 - g->p) / n + z2 / (4 * n * n));
}

static double student_half(double draws, const gmc_needed *g, double wanted, double level)
{
    (void)wanted;
    if (draws < 2) return 1;
    return gmc_student_quantile(draws - 1, 0.5 * (1 - level)) * sqrt(variance_of(g) / (draws - 1));
}

static double fixed_width_half(double draws, const gmc_needed *g, double wanted, double level)
{
    return gmc_fixed_width_half(g->p * draws, draws, wanted, level);
}

/// Least number of draws with a shorter half width, which falls as they grow.
static int64_t least(half_of half, const gmc_needed *g, double wanted, double level)
{
    int64_t many = 1;
    while (many < GMC_NEEDED_MOST && !(half((double)many, g, wanted, level) < wanted))
        many = 2 * many;
    int64_t few = many / 2;
    if (many > GMC_NEEDED_MOST) many = GMC_NEEDED_MOST;
    while (many - few > 1) {
        int64_t middle = few + (many - few) / 2;
        if (half((double)middle, g, wanted, level) < wanted)
            many = middle;
        else
            few = middle;
    }
    return many;
}

int64_t gmc_needed_fixed(const gmc_needed *g, double half_width, double level)
{
    GMC_ASSERT(g->p >= 0 && g->p <= 1 && half_width > 0 && g->case_count >= 1);
    bool is_plain = g->case_count == 1 || g->is_independent;
    return least(is_plain ? wilson_half : student_half, g, half_width, level);
}

/// The sequence of several cases learns as it goes: it is followed, looked at as `run` looks. Means
/// of draws take two values evenly, with the guess's mean and variance.
static int64_t followed(const gmc_needed *g, double wanted, double level)
{
    enum { FOLLOWED = 10000000, LOOKS_EACH = 100, PARTS = 1000000 };
    double alone = g->p * (1 - g->p), p = g->p;
    double shrunk = alone > 0 ? sqrt(variance_of(g) / alone) : 1;
    int64_t high = (int64_t)round(PARTS * (p + (1 - p) * shrunk));
    int64_t low = (int64_t)round(PARTS * (p - p * shrunk));
    gmc_anytime a = gmc_anytime_start(PARTS, level);
    double half = 0.5;
    for (int64_t i = 0, look = 1; i < FOLLOWED; i++) {
        bool is_high = floor(p * (double)(i + 1)) > floor(p * (double)i);
        int64_t successes = is_high ? high : low;
        gmc_anytime_add(&a, (gmc_tally){.successes = successes, .failures = PARTS - successes});
        if (i + 1 < look) continue;
        look = i + 2 + (i + 1) / LOOKS_EACH;
        gmc_interval found = gmc_anytime_interval(&a);
        half = 0.5 * (found.upper - found.lower);
        if (half < wanted) return i + 1;
    }
    double more = FOLLOWED * (half / wanted) * (half / wanted);
    return more < (double)GMC_NEEDED_MOST ? (int64_t)more : GMC_NEEDED_MOST;
}

int64_t gmc_needed_until(const gmc_needed *g, double half_width, double level)
{
    GMC_ASSERT(g->p >= 0 && g->p <= 1 && half_width > 0 && g->case_count >= 1);
    const gmc_stop_rule rule = {GMC_STOP_HALF_WIDTH, half_width};
    return gmc_fixed_width_is_used(rule, g->case_count, level)
               ? least(fixed_width_half, g, half_width, level)
               : followed(g, half_width, level);
}
