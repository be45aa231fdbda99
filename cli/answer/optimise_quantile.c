#include "cli/answer/optimise_quantile.h"

#include <math.h>
#include <string.h>

gmc_status gmc_optimise_quantile_read(const gmc_optimise_spec *spec, const gmc_column *columns,
                                      int column_count, gmc_diagnostics *messages,
                                      gmc_rescore **measure)
{
    const gmc_rescore_names names = {.columns = columns,
                                     .column_count = column_count,
                                     .option = "study.optimise.goal",
                                     .is_number = true};
    return gmc_rescore_open_where(spec->quantile_of, &names, messages, measure);
}

double gmc_optimise_quantile_of(const gmc_optimise_spec *spec, gmc_rescore *measure,
                                const gmc_trial *trial)
{
    gmc_interval range = gmc_rescore_range(measure, trial);
    double worst = spec->is_largest ? -range.lower : range.upper;
    return isnan(worst) ? HUGE_VAL : worst;
}

typedef struct collecting {
    gmc_rescore *measure;
    gmc_quantiles *quantiles;
} collecting;

static gmc_status take_in(void *context, const gmc_trial *trial)
{
    collecting *c = context;
    return gmc_quantiles_add(c->quantiles, trial, gmc_rescore_range(c->measure, trial));
}

gmc_status gmc_optimise_quantile_find(const gmc_optimise_spec *spec, gmc_stored *stored,
                                      const gmc_store_plan *plan, gmc_optimise_quantile *quantile)
{
    collecting c = {0};
    *quantile = (gmc_optimise_quantile){.unit = ""};
    for (int i = 0; i < plan->column_count; i++)
        if (strcmp(plan->columns[i].name, spec->quantile_of) == 0 &&
            strcmp(plan->columns[i].unit, "1") != 0)
            quantile->unit = plan->columns[i].unit;
    gmc_status status = gmc_optimise_quantile_read(spec, plan->columns, plan->column_count,
                                                   &stored->messages, &c.measure);
    if (status == GMC_OK) status = gmc_quantiles_create(plan, &c.quantiles);
    if (status == GMC_OK) status = gmc_result_trials(stored->result, take_in, &c);
    if (status == GMC_OK)
        status = gmc_quantiles_of(c.quantiles, -1, &spec->quantile_p, 1, &quantile->about,
                                  &quantile->found);
    gmc_quantiles_free(c.quantiles);
    gmc_rescore_close(c.measure);
    return status;
}
