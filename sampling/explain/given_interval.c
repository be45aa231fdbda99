// Tried on a success that a distance decides, failures from 28 % down to 30 of 4096, 1000 to 4096
// draws: the normal interval of groups of √n draws held an index of 0.78 in one of 300 runs, in
// groups of four in 90 %, and none of the ones that are 0 in any where no two failures were
// neighbours. An edge in the middle of a group costs a quarter of the group over the rarer draws:
// of an input that decides everything (index 1) the interval without `edges` held it in a tenth,
// with the edge of one group in a third where there are two.
#include "sampling/explain/given_internal.h"
#include "sampling/random/beta.h"

#include <math.h>

int64_t gmc_given_rarer(const gmc_given_row *rows, int64_t count)
{
    int64_t same = 0;
    double other = NAN;
    for (int64_t i = 0; i < count; i++) {
        double outcome = rows[i].outcome;
        same += outcome == rows[0].outcome;
        if (outcome == rows[0].outcome || outcome == other) continue;
        if (!isnan(other)) return -1;
        other = outcome;
    }
    return same < count - same ? same : count - same;
}

bool gmc_given_is_enough(int64_t count, int64_t rarer)
{
    return count >= GMC_GIVEN_LEAST && (rarer < 0 || rarer >= GMC_GIVEN_RARE);
}

int64_t gmc_given_groups(int64_t count, int64_t rarer, int64_t smooth)
{
    if (rarer < 0) return smooth;
    double k = (double)rarer, size = fmax(k / 25, fmin(4, k / 10));
    size = floor(fmin(size, (double)count / (double)smooth));
    return (int64_t)((double)count / fmax(size, 2));
}

int gmc_given_values(const gmc_given_row *rows, int64_t count)
{
    double met[GMC_GIVEN_FEW];
    int values = 0;
    for (int64_t i = 0; i < count; i++) {
        int k = 0;
        while (k < values && rows[i].outcome != met[k])
            k++;
        if (k < values) continue;
        if (values == GMC_GIVEN_FEW) return 0;
        met[values++] = rows[i].outcome;
    }
    return values;
}

int gmc_given_edges(int values) { return 2 * (values - 1); }

void gmc_given_edge(double *most, int edges, const gmc_given_row *rows, int64_t from, int64_t end)
{
    if (rows[from].input == rows[end - 1].input) return;
    double mean = gmc_given_mean(rows + from, end - from), within = 0;
    for (int64_t i = from; i < end; i++)
        within += (rows[i].outcome - mean) * (rows[i].outcome - mean);
    for (int k = 0; k < edges; k++) { // each moves on what is less
        double less = fmin(within, most[k]);
        most[k] = fmax(most[k], within);
        within = less;
    }
}

double gmc_given_excess(const double *most, int edges, double within, int64_t groups)
{
    double all = 0;
    for (int k = 0; k < edges; k++)
        all += most[k];
    double others = groups > edges ? fmax(within - all, 0) / (double)(groups - edges) : 0;
    return fmax(all - edges * others, 0);
}

static double cut(double x) { return fmin(fmax(x, 0), 1); }

/// Jeffreys' interval of R, at the effective number of pairs.
static gmc_interval of_neighbours(const gmc_given_known *k, double share)
{
    double R = cut(k->index * (1 - share) + share), error = k->error * (1 - share);
    // what one pair more or less would be, so that 0 and 1 have an error as well
    double pairs = fmax(0.5 * k->rarer * (k->n / k->groups - 1), 1);
    double near = fmin(fmax(R, 1 / pairs), 1 - 1 / k->rarer);
    double z = gmc_proportion_z(k->level);
    double size = error > 0 ? fmin(near * (1 - near) / (error * error), pairs) : pairs;
    size *= z * z / (k->quantile * k->quantile);
    double x = R * size, y = (1 - R) * size, risk = 0.5 * (1 - k->level);
    return (gmc_interval){.lower = gmc_beta_quantile(x + 0.5, y + 0.5, risk, false).x,
                          .upper = gmc_beta_quantile(x + 0.5, y + 0.5, risk, true).x};
}

gmc_index gmc_given_index(const gmc_given_known *k)
{
    double value = cut(k->index), half = k->quantile * k->error;
    gmc_index found = {.value = value, .interval = {cut(value - half), cut(value + half)}};
    if (k->rarer < 0) {
        double most = half + 2 * k->slack;
        found.interval.upper = cut(value + fmax(most, sqrt(half * half + k->edges * k->edges)));
        return found;
    }
    double share = k->rarer / k->n;
    gmc_interval R = of_neighbours(k, share);
    found.interval.lower = fmin(cut((R.lower - share) / (1 - share)), value);
    double above = fmax((R.upper - share) / (1 - share) - value, half);
    // More than two edges, or two beside what other inputs do, are told by groups twice as large:
    // they lose twice as much, as far as chance lets it be seen; so twice that.
    double most = fmax(sqrt(above * above + k->edges * k->edges), above + 2 * k->slack);
    found.interval.upper = cut(value + most);
    return found;
}
