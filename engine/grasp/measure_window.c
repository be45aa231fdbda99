// Of the oldest step as much counts as the window reaches into it, so that a force that is steady
// is its mean to rounding.

#include "engine/grasp/measure_window.h"

bool gmc_measure_window_open(double span, gmc_measure_window *window)
{
    double least = 2 * GMC_MEASURE_WINDOW / (GMC_MEASURE_WINDOW_STEPS - 2);
    if (window->kept > 0 && window->length[window->at] < least && span < least) {
        window->length[window->at] += span;
        return false;
    }
    window->at = (window->at + 1) % GMC_MEASURE_WINDOW_STEPS;
    if (window->kept < GMC_MEASURE_WINDOW_STEPS) window->kept++;
    window->length[window->at] = span;
    return true;
}

/// The kept step before step k.
static inline int step_before(int k) { return k > 0 ? k - 1 : GMC_MEASURE_WINDOW_STEPS - 1; }

/// @param count  of impulses and sums, known to the compiler
static inline void add_up(const gmc_measure_window *window, const double *const *impulses,
                          int count, double ago, double *sums, double *time)
{
    for (int n = 0; n < count; n++)
        sums[n] = 0;
    *time = 0;
    if (window->kept == 0) return;
    double latest = window->length[window->at], part = (latest - ago) / latest;
    double passed = latest - ago;
    for (int n = 0; n < count; n++)
        sums[n] = impulses[n][window->at] * part;
    for (int i = 1, k = window->at; i < window->kept && passed < GMC_MEASURE_WINDOW; i++) {
        k = step_before(k);
        double length = window->length[k], left = GMC_MEASURE_WINDOW - passed;
        bool is_last = length >= left;
        for (int n = 0; n < count; n++)
            sums[n] += is_last ? impulses[n][k] * left / length : impulses[n][k];
        passed = is_last ? GMC_MEASURE_WINDOW : passed + length;
        if (is_last) break;
    }
    *time = passed;
}

void gmc_measure_window_sums(const gmc_measure_window *window, const double *const impulses[3],
                             double ago, double sums[3], double *time)
{
    add_up(window, impulses, 3, ago, sums, time);
}

double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time)
{
    double sum;
    add_up(window, &impulses, 1, ago, &sum, time);
    return sum;
}
