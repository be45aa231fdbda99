#include "sampling/estimate/estimate.h"

#include "engine/base/check.h"
#include "sampling/estimate/anytime.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static gmc_interval interval_of(gmc_tally tally, double level, gmc_method method)
{
    int64_t n = gmc_tally_decided(tally);
    return method == GMC_METHOD_WILSON ? gmc_proportion_wilson(tally.successes, n, level)
                                       : gmc_proportion_clopper_pearson(tally.successes, n, level);
}

gmc_estimate gmc_estimate_of(gmc_tally tally, double level, gmc_method method)
{
    GMC_ASSERT(method == GMC_METHOD_WILSON || method == GMC_METHOD_CLOPPER_PEARSON ||
               method == GMC_METHOD_ANYTIME);
    int64_t decided = gmc_tally_decided(tally), u = tally.unsolved;
    gmc_interval unsolved = gmc_proportion_unsolved(tally.successes, decided, u);
    gmc_estimate e = {
        .p = decided > 0 ? (double)tally.successes / (double)decided : (double)NAN,
        .level = level,
        .method = method,
        .tally = tally,
        .unsolved_lower = unsolved.lower,
        .unsolved_upper = unsolved.upper,
    };
    if (method == GMC_METHOD_ANYTIME) { // counts the unsolved in by itself
        gmc_anytime anytime = {
            .case_count = 1, .level = level, .draws = gmc_tally_trials(tally), .tally = tally};
        gmc_interval found = gmc_anytime_interval(&anytime);
        e.lower = found.lower;
        e.upper = found.upper;
        return e;
    }
    if (gmc_proportion_is_few((double)tally.successes, (double)(decided - tally.successes)))
        e.method = GMC_METHOD_CLOPPER_PEARSON;
    gmc_tally bad = {.successes = tally.successes, .failures = tally.failures + u};
    gmc_tally good = {.successes = tally.successes + u, .failures = tally.failures};
    gmc_interval alone = interval_of(tally, level, e.method);
    e.lower = interval_of(bad, level, e.method).lower;
    e.upper = interval_of(good, level, e.method).upper;
    e.sampling_lower = alone.lower;
    e.sampling_upper = alone.upper;
    return e;
}

gmc_interval gmc_estimate_sampling(const gmc_estimate *e)
{
    bool is_apart = e->sampling_upper > 0;
    return (gmc_interval){.lower = is_apart ? e->sampling_lower : e->lower,
                          .upper = is_apart ? e->sampling_upper : e->upper};
}

const char *gmc_estimate_method_name(gmc_method method)
{
    switch (method) {
    case GMC_METHOD_WILSON:
        return "Wilson";
    case GMC_METHOD_CLOPPER_PEARSON:
        return "Clopper-Pearson";
    case GMC_METHOD_DRAWS:
        return "KG over draws";
    case GMC_METHOD_ANYTIME:
        return "confidence seq"; // 15 letters fit the files
    case GMC_METHOD_REPLICAS:
        return "KG of replicas";
    case GMC_METHOD_WEIGHTED:
        return "weighted";
    case GMC_METHOD_SUBSET:
        return "subset runs";
    case GMC_METHOD_AIMED:
        return "aimed draws";
    case GMC_METHOD_TWO_LEVEL:
        return "two levels";
    case GMC_METHOD_FIXED_WIDTH:
        return "fixed width";
    case GMC_METHOD_COUNT:
        break;
    }
    return "unknown";
}

// --- text ---

static bool is_subset(gmc_method method)
{
    return method == GMC_METHOD_SUBSET || method == GMC_METHOD_AIMED;
}

enum { DECIMALS_MIN = 3, DECIMALS_MAX = 12 };

static int decimals_for(const gmc_estimate *e)
{
    double half = 0.5 * (e->upper - e->lower), unit = 1e-3;
    int decimals = DECIMALS_MIN;
    while (decimals < DECIMALS_MAX && (half < unit || (e->p > 0.0 && e->p < 0.5 * unit) ||
                                       (e->p < 1.0 && e->p >= 1.0 - 0.5 * unit))) {
        unit /= 10.0;
        decimals++;
    }
    return decimals;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, GMC_ESTIMATE_TEXT_MAX - used, format, arguments);
    va_end(arguments);
}

// exact ends as 0 and 1, so that 1.000 can only be a rounded number
static void append_number(char *text, double value, int decimals)
{
    if (value == 0.0 || value == 1.0)
        append(text, "%.0f", value);
    else
        append(text, "%.*f", decimals, value);
}

// "95 % ", "98.33 % ": what is left to 100 % is right to a hundredth of it
static void append_level(char *text, double level)
{
    double percent = 100.0 * level, unit = 1.0;
    int decimals = 0;
    while (decimals < 10 && fabs(round(percent / unit) * unit - percent) > 0.01 * (100 - percent)) {
        unit /= 10.0;
        decimals++;
    }
    append(text, "%.*f %% ", decimals, percent);
}

static void append_method(const gmc_estimate *e, char *text)
{
    append(text, " ");
    append_level(text, e->level);
    if (e->method == GMC_METHOD_DRAWS)
        append(text, "Korn-Graubard over %" PRId64 " draws", e->draws);
    else if (e->method == GMC_METHOD_REPLICAS)
        append(text, "Korn-Graubard over %" PRId64 " randomisation%s", e->draws,
               e->draws == 1 ? "" : "s");
    else if (e->method == GMC_METHOD_ANYTIME)
        append(text, "confidence sequence");
    else if (e->method == GMC_METHOD_FIXED_WIDTH)
        append(text, "fixed-width sequential");
    else if (e->method == GMC_METHOD_SUBSET)
        append(text, "subset simulation, %" PRId64 " run%s", e->draws, e->draws == 1 ? "" : "s");
    else if (e->method == GMC_METHOD_AIMED)
        append(text, "%" PRId64 " aimed draws", e->draws);
    else
        append(text, "%s", gmc_estimate_method_name(e->method));
    bool has_none = e->method == GMC_METHOD_SUBSET && e->p == 1;
    if (has_none) append(text, ", of which none found a failure");
    if (e->is_widened && !has_none) append(text, " (widened)");
    if (e->has_step || e->has_early)
        append(text, " with %s%s%s",
               e->has_step ? (e->is_step_cut ? "part of the step" : "step") : "",
               e->has_step && e->has_early ? " and " : "", e->has_early ? "early verdicts" : "");
}

static void append_numbers(const gmc_estimate *e, int decimals, char *text)
{
    append_number(text, e->p, decimals);
    append(text, " [");
    append_number(text, e->lower, decimals);
    append(text, ", ");
    append_number(text, e->upper, decimals);
    append(text, "]");
}

static void append_proportion(const gmc_estimate *e, int decimals, char *text)
{
    append_numbers(e, decimals, text);
    append_method(e, text);
    if (is_subset(e->method)) return; // how its trials ended is no share of anything
    append(text, ", %" PRId64 " of %" PRId64, e->tally.successes, gmc_tally_decided(e->tally));
    if (e->method == GMC_METHOD_TWO_LEVEL)
        append(text, " pairs, %" PRId64 " cheap draws", e->draws);
}

// What weights leave of the draws; where that is too little, the interval above says nothing.
static void append_effective(const gmc_estimate *e, char *text)
{
    append(text, "; effective %.0f of %" PRId64 " draws", floor(e->effective), e->draws);
    if (e->lower == 0 && e->upper == 1 && !e->is_widened)
        append(text, ": too few for an interval, take more draws, or proposals nearer the true "
                     "distributions");
}

char *gmc_estimate_numbers(const gmc_estimate *e, char *text)
{
    text[0] = 0;
    append_numbers(e, decimals_for(e), text);
    return text;
}

static void append_unsolved(const gmc_estimate *e, int decimals, char *text)
{
    gmc_interval alone = gmc_estimate_sampling(e);
    append(text, "; %" PRId64 " unsolved: ", e->tally.unsolved);
    append_number(text, e->unsolved_lower, decimals);
    append(text, " ... ");
    append_number(text, e->unsolved_upper, decimals);
    if (isnan(e->p) || (alone.lower == e->lower && alone.upper == e->upper)) return;
    append(text, ", sampling alone [");
    append_number(text, alone.lower, decimals);
    append(text, ", ");
    append_number(text, alone.upper, decimals);
    append(text, "]");
}

char *gmc_estimate_text(const gmc_estimate *e, char *text)
{
    int decimals = decimals_for(e);
    text[0] = 0;
    if (isnan(e->p))
        append(text, is_subset(e->method) ? "not told, see below" : "no trial decided");
    else
        append_proportion(e, decimals, text);
    if (e->method == GMC_METHOD_WEIGHTED && e->draws > 0) append_effective(e, text);
    if (e->tally.unsolved > 0) append_unsolved(e, decimals, text);
    if (e->left_out > 0)
        append(text, "; %" PRId64 " trials of incomplete draws left out", e->left_out);
    return text;
}

char *gmc_estimate_range_text(const gmc_estimate_range *range, char *text)
{
    const gmc_estimate *low = &range->lowest, *high = &range->highest;
    gmc_estimate both = *low;
    both.upper = high->upper;
    both.is_widened = low->is_widened || high->is_widened;
    int decimals = decimals_for(&both);
    strcpy(text, "between ");
    append_number(text, low->p, decimals);
    append(text, " and ");
    append_number(text, high->p, decimals);
    append(text, " [");
    append_number(text, both.lower, decimals);
    append(text, ", ");
    append_number(text, both.upper, decimals);
    append(text, "]");
    append_method(&both, text);
    if (high->method != low->method)
        append(text, " and %s", gmc_estimate_method_name(high->method));
    int64_t n = gmc_tally_decided(low->tally), m = gmc_tally_decided(high->tally);
    append(text, ", %" PRId64, low->tally.successes);
    if (n != m) append(text, " of %" PRId64, n);
    append(text, " to %" PRId64 " of %" PRId64, high->tally.successes, m);
    if (range->open > 0) append(text, ": %" PRId64 " open", range->open);
    if (low->tally.unsolved > 0) {
        append(text, "; %" PRId64 " unsolved: ", low->tally.unsolved);
        append_number(text, low->unsolved_lower, decimals);
        append(text, " ... ");
        append_number(text, high->unsolved_upper, decimals);
    }
    if (low->left_out > 0)
        append(text, "; %" PRId64 " trials of incomplete draws left out", low->left_out);
    return text;
}
