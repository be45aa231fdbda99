/// Are two trials the same, bit for bit? What replay and extract promise, number by number.
#ifndef GMC_CLI_COMMANDS_SAME_H
#define GMC_CLI_COMMANDS_SAME_H

#include "sampling/campaign/trial.h"
#include "sampling/store/plan.h"

#include <stdbool.h>

/// One number that is not the same.
typedef struct gmc_same_difference {
    const char *name;
    double stored, found;
} gmc_same_difference;

enum { GMC_SAME_DIFFERENCES_MAX = 64 };

typedef struct gmc_same_report {
    gmc_same_difference items[GMC_SAME_DIFFERENCES_MAX];
    int count; ///< all of them, also those beyond the list
    int compared;
} gmc_same_report;

/// Hold two numbers together: equal bits; every NaN is one NaN, for files keep no others.
/// @param name  must outlive the report
void gmc_same_compare(gmc_same_report *report, const char *name, double stored, double found);

/// How the trials ended, and their measures.
void gmc_same_ends(gmc_same_report *report, const gmc_column *columns, int column_count,
                   const gmc_trial *stored, const gmc_trial *found);

#endif
