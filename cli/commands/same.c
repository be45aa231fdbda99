#include "cli/commands/same.h"

#include <stdint.h>
#include <string.h>

static bool is_same(double a, double b)
{
    if (a != a || b != b) return a != a && b != b;
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1];
}

void gmc_same_compare(gmc_same_report *report, const char *name, double stored, double found)
{
    report->compared++;
    if (is_same(stored, found)) return;
    if (report->count < GMC_SAME_DIFFERENCES_MAX)
        report->items[report->count] = (gmc_same_difference){name, stored, found};
    report->count++;
}

void gmc_same_ends(gmc_same_report *report, const gmc_column *columns, int column_count,
                   const gmc_trial *stored, const gmc_trial *found)
{
    gmc_same_compare(report, "outcome", stored->outcome, found->outcome);
    gmc_same_compare(report, "reason", stored->reason, found->reason);
    gmc_same_compare(report, "phase", stored->phase, found->phase);
    gmc_same_compare(report, "t_end", stored->t_end, found->t_end);
    for (int i = 0; i < column_count; i++)
        gmc_same_compare(report, columns[i].name, stored->values[i], found->values[i]);
}
