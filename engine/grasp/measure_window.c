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

double gmc_measure_window_sum(const gmc_measure_window *window, const double *impulses, double ago,
                              double *time)
{
    if (window->kept == 0) return *time = 0;
    double latest = window->length[window->at];
    double sum = impulses[window->at] * ((latest - ago) / latest);
    *time = latest - ago;
    for (int i = 1; i < window->kept && *time < GMC_MEASURE_WINDOW; i++) {
        int k = (window->at - i + GMC_MEASURE_WINDOW_STEPS) % GMC_MEASURE_WINDOW_STEPS;
        double left = GMC_MEASURE_WINDOW - *time;
        if (window->length[k] >= left) {
            *time = GMC_MEASURE_WINDOW;
            return sum + impulses[k] * left / window->length[k];
        }
        sum += impulses[k];
        *time += window->length[k];
    }
    return sum;
}
