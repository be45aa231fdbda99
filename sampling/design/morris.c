#include "sampling/design/morris.h"

#include "sampling/design/hypercube.h"

int gmc_morris_rows(int inputs) { return inputs + 1; }

int gmc_morris_moved_in(int input, int inputs, gmc_stream order)
{
    return 1 + (int)gmc_hypercube_permuted((uint64_t)input, (uint64_t)inputs, order);
}

bool gmc_morris_is_up(double start) { return start < GMC_MORRIS_STEP; }

double gmc_morris_uniform(double start, bool has_moved)
{
    if (!has_moved) return start;
    return gmc_morris_is_up(start) ? start + GMC_MORRIS_STEP : start - GMC_MORRIS_STEP;
}
