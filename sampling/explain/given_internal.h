// Shared by given.c and given_replicas.c: groups of draws with neighbouring values of an input, and
// the interval of an index.
#ifndef GMC_SAMPLING_EXPLAIN_GIVEN_INTERNAL_H
#define GMC_SAMPLING_EXPLAIN_GIVEN_INTERNAL_H

#include "sampling/explain/given.h"

// Rows in order of the input, equal ones of the draw.
void gmc_given_sort(gmc_given_row *rows, int64_t count);

// End of the group that starts at `from`: the next boundary of `groups` equal shares that splits no
// value and leaves two rows at least on either side.
int64_t gmc_given_group_end(const gmc_given_row *rows, int64_t count, int64_t groups, int64_t from);

// Mean outcome, summed from the first one, so that equal outcomes have no spread, not even of
// rounding.
double gmc_given_mean(const gmc_given_row *rows, int64_t count);

// Can an index be told, of sorted rows, with `rarer` of gmc_given_rarer?
bool gmc_given_is_enough(int64_t count, int64_t rarer);

// How many groups: `smooth` of an outcome of many values.
int64_t gmc_given_groups(int64_t count, int64_t rarer, int64_t smooth);

// An outcome of at most so many values has edges: two for each value but one.
enum { GMC_GIVEN_FEW = 6, GMC_GIVEN_EDGES = 2 * (GMC_GIVEN_FEW - 1) };

// Values of the outcome; 0: more than GMC_GIVEN_FEW.
int gmc_given_values(const gmc_given_row *rows, int64_t count);

// Groups that may have an edge in them.
int gmc_given_edges(int values);

// Σ (y − ȳ_group)² of the groups that vary most, of those whose inputs are not all the same.
// @param most  (edges) falling; starts at 0
void gmc_given_edge(double *most, int edges, const gmc_given_row *rows, int64_t from, int64_t end);

// By how much these are above as many of the other groups, of all with `within` together.
double gmc_given_excess(const double *most, int edges, double within, int64_t groups);

// What an interval is made of.
typedef struct gmc_given_known {
    double index, error;    // S as estimated and its standard error
    double quantile, level; // of Student's or the normal law at this level
    double n, groups;
    double rarer; // draws with the rarer outcome; < 0: the outcome has many values
    double edges; // share of the variance by which the groups that vary most do so more than others
    double slack; // that by which groups twice as large vary more
} gmc_given_known;

gmc_index gmc_given_index(const gmc_given_known *known);

#endif
