#include "sampling/estimate/needed.h"

#include "engine/base/check.h"
#include "sampling/estimate/anytime.h"
#include "sampling/estimate/proportion.h"
#include "sampling/estimate/student.h"

#include <math.h>

typedef double (*half_of)(int64_t draws, double p, double level);

/// Wilson's half width at p n successes, whole or not.
static double wilson_half(int64_t draws, double p, double level)
{
    double n = (double)draws, z = gmc_proportion_z(level), z2 = z * z;
    return z / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
}

static double student_half(int64_t draws, double p, double level)
{
    if (draws < 2) return 1;
    double n = (double)draws;
    return gmc_student_quantile(n - 1, 0.5 * (1 - level)) * sqrt(p * (1 - p) / (n - 1));
}

static double sequence_half(int64_t draws, double p, double level)
{
    int64_t successes = (int64_t)round(p * (double)draws);
    gmc_anytime a = {.case_count = 1,
                     .level = level,
                     .draws = draws,
                     .tally = {.successes = successes, .failures = draws - successes}};
    gmc_interval i = gmc_anytime_interval(&a);
    return 0.5 * (i.upper - i.lower);
}

/// Least number of draws with a shorter half width, which falls as they grow.
static int64_t least(half_of half, double p, double wanted, double level)
{
    int64_t many = 1;
    while (many < GMC_NEEDED_MOST && !(half(many, p, level) < wanted))
        many = 2 * many;
    int64_t few = many / 2;
    if (many > GMC_NEEDED_MOST) many = GMC_NEEDED_MOST;
    while (many - few > 1) {
        int64_t middle = few + (many - few) / 2;
        if (half(middle, p, level) < wanted)
            many = middle;
        else
            few = middle;
    }
    return many;
}

int64_t gmc_needed_fixed(double p, bool is_shared, double half_width, double level)
{
    GMC_ASSERT(p >= 0 && p <= 1 && half_width > 0);
    return least(is_shared ? student_half : wilson_half, p, half_width, level);
}

/// The sequence of several cases learns as it goes: it is followed, looked at as `run` looks.
static int64_t followed(double p, double wanted, double level)
{
    enum { FOLLOWED = 10000000, LOOKS_EACH = 100 };
    gmc_anytime a = gmc_anytime_start(2, level); // two cases that do the same
    double half = 0.5;
    for (int64_t i = 0, look = 1; i < FOLLOWED; i++) {
        bool is_success = floor(p * (double)(i + 1)) > floor(p * (double)i);
        gmc_anytime_add(
            &a, (gmc_tally){.successes = is_success ? 2 : 0, .failures = is_success ? 0 : 2});
        if (i + 1 < look) continue;
        look = i + 2 + (i + 1) / LOOKS_EACH;
        gmc_interval found = gmc_anytime_interval(&a);
        half = 0.5 * (found.upper - found.lower);
        if (half < wanted) return i + 1;
    }
    double more = FOLLOWED * (half / wanted) * (half / wanted);
    return more < (double)GMC_NEEDED_MOST ? (int64_t)more : GMC_NEEDED_MOST;
}

int64_t gmc_needed_anytime(double p, bool is_shared, double half_width, double level)
{
    GMC_ASSERT(p >= 0 && p <= 1 && half_width > 0);
    return is_shared ? followed(p, half_width, level) : least(sequence_half, p, half_width, level);
}
