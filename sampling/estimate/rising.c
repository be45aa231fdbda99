#include "sampling/estimate/rising.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void gmc_rising_sort(double *values, int64_t count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
}

static int64_t count_of(const double *values, int64_t count, double x, bool is_with_equals)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool is_in = is_with_equals ? values[middle] <= x : values[middle] < x;
        if (is_in)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t gmc_rising_below(const double *values, int64_t count, double x)
{
    return count_of(values, count, x, false);
}

int64_t gmc_rising_to(const double *values, int64_t count, double x)
{
    return count_of(values, count, x, true);
}
