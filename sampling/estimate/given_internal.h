// Shared by given.c and given_replicas.c: groups of draws with neighbouring values of an input.
#ifndef GMC_SAMPLING_ESTIMATE_GIVEN_INTERNAL_H
#define GMC_SAMPLING_ESTIMATE_GIVEN_INTERNAL_H

#include "sampling/estimate/given.h"

// Rows in order of the input, equal ones of the draw.
void gmc_given_sort(gmc_given_row *rows, int64_t count);

// End of the group that starts at `from`: the next boundary of `groups` equal shares that splits no
// value and leaves two rows at least on either side.
int64_t gmc_given_group_end(const gmc_given_row *rows, int64_t count, int64_t groups, int64_t from);

// Mean outcome, summed from the first one, so that equal outcomes have no spread, not even of
// rounding.
double gmc_given_mean(const gmc_given_row *rows, int64_t count);

#endif
