#include "sampling/estimate/audit.h"

#include <math.h>

/// A sample of `size` out of `all`, of which so many are marked.
typedef struct urn {
    int64_t all, marked, size;
} urn;

typedef struct tails {
    double lower, upper; ///< P(X <= k), P(X >= k)
} tails;

/// Weight of x + 1 marked in the sample over that of x.
static double ratio(const urn *u, int64_t x)
{
    double rest = (double)(u->all - u->marked - u->size);
    return (double)(u->marked - x) * (double)(u->size - x) /
           ((double)(x + 1) * (rest + (double)(x + 1)));
}

/// Weights from the mode outwards, relative to it, until they add nothing.
static tails tails_at(const urn *u, int64_t k)
{
    const double negligible = 1e-18;
    int64_t most = u->marked < u->size ? u->marked : u->size;
    int64_t least = u->size - (u->all - u->marked) > 0 ? u->size - (u->all - u->marked) : 0;
    int64_t mode =
        (int64_t)((double)(u->size + 1) * (double)(u->marked + 1) / (double)(u->all + 2));
    mode = mode > most ? most : mode < least ? least : mode;
    double sum = 0, low = 0, high = 0, w = 1;
    for (int64_t x = mode; x <= most && w > negligible; w *= ratio(u, x), x++) {
        sum += w;
        if (x <= k) low += w;
        if (x >= k) high += w;
    }
    w = 1;
    for (int64_t x = mode - 1; x >= least; x--) {
        w /= ratio(u, x);
        if (!(w > negligible)) break;
        sum += w;
        if (x <= k) low += w;
        if (x >= k) high += w;
    }
    return (tails){.lower = low / sum, .upper = high / sum};
}

/// Least number of successes among all of which `k` or more audited ones are no wonder.
static int64_t least_of(const gmc_audit_counts *c, int64_t k, double risk)
{
    int64_t low = k, high = c->spared - (c->audited - k);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const urn u = {c->spared, middle, c->audited};
        if (tails_at(&u, k).upper < risk)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Largest number of successes of which `k` or fewer are none.
static int64_t largest_of(const gmc_audit_counts *c, int64_t k, double risk)
{
    int64_t low = k, high = c->spared - (c->audited - k);
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        const urn u = {c->spared, middle, c->audited};
        if (tails_at(&u, k).lower < risk)
            high = middle - 1;
        else
            low = middle;
    }
    return low;
}

gmc_audit_estimate gmc_audit_estimate_of(const gmc_audit_counts *c, double level)
{
    gmc_audit_estimate none = {.p = (double)NAN, .interval = {0, 1}};
    if (c->audited == 0) return none;
    double m = (double)c->spared, risk = (1 - level) / 2;
    int64_t decided = c->audited - c->open;
    return (gmc_audit_estimate){.p = decided > 0 ? (double)c->works / (double)decided : (double)NAN,
                                .interval = {(double)least_of(c, c->works, risk) / m,
                                             (double)largest_of(c, c->works + c->open, risk) / m}};
}
