#include "cli/answer/surrogate_until.h"

#include "sampling/estimate/fixed_width.h"

#include <math.h>
#include <string.h>

enum { WAYS = GMC_SURROGATE_TABLE_WAYS };

const char *gmc_surrogate_until_refused(const gmc_store_plan *plan)
{
    if (plan->case_count > 1) return "`by surrogate` stops only runs of one case";
    if (strcmp(plan->design, "random") != 0)
        return "a surrogate needs draws of the design random, which do not depend on each other";
    if (plan->parameter_count == 0)
        return "no parameter is uncertain, so a surrogate has no inputs";
    const gmc_stop_rule width = {GMC_STOP_HALF_WIDTH, plan->stop.threshold};
    if (!gmc_fixed_width_is_used(width, 1, plan->stop_level))
        return "`by surrogate` needs a level from 90 to 99 % and a half width up to 0.3";
    return NULL;
}

gmc_status gmc_surrogate_until_open(const gmc_scenario *scenario, const gmc_store_plan *plan,
                                    gmc_surrogate_until *u)
{
    *u =
        (gmc_surrogate_until){.told = {.upper = 1, .p_lower = (double)NAN, .p_upper = (double)NAN}};
    return gmc_surrogate_table_open(scenario, plan, 1, &u->table);
}

void gmc_surrogate_until_free(gmc_surrogate_until *u) { gmc_surrogate_table_free(&u->table); }

gmc_status gmc_surrogate_until_take(gmc_surrogate_until *u, const gmc_trial *trial)
{
    double y[WAYS];
    y[GMC_SURROGATE_TABLE_FAILED] = trial->outcome == GMC_OUTCOME_SUCCESS;
    y[GMC_SURROGATE_TABLE_WORKED] =
        trial->outcome == GMC_OUTCOME_UNSOLVED ? 1 : y[GMC_SURROGATE_TABLE_FAILED];
    return gmc_surrogate_table_put(&u->table, trial, y);
}

/// What the trials alone tell: ends with the unknown ones on either side.
static gmc_surrogate_told alone(const gmc_surrogate_until *u, int64_t draws, double level)
{
    const gmc_surrogate_table_group *of = &u->table.groups[0];
    int64_t works[WAYS] = {0};
    for (int w = 0; w < WAYS; w++)
        for (int64_t i = 0; i < draws; i++)
            works[w] += of->y[w][i] > 0;
    int64_t failed = works[GMC_SURROGATE_TABLE_FAILED], worked = works[GMC_SURROGATE_TABLE_WORKED];
    return (gmc_surrogate_told){.draws = draws,
                                .unknown = (uint64_t)(worked - failed),
                                .p_lower = (double)failed / (double)draws,
                                .p_upper = (double)worked / (double)draws,
                                .lower = gmc_proportion_clopper_pearson(failed, draws, level).lower,
                                .upper =
                                    gmc_proportion_clopper_pearson(worked, draws, level).upper};
}

static gmc_status look(gmc_surrogate_until *u, int64_t draws)
{
    const gmc_store_plan *plan = u->table.plan;
    double level = gmc_fixed_width_level(plan->stop.threshold, plan->stop_level);
    gmc_surrogate_told told = alone(u, draws, level);
    gmc_interval plain = {.lower = told.lower, .upper = told.upper};
    gmc_surrogate_estimate found[WAYS];
    u->table.groups[0].count = draws;
    for (int w = 0; w < WAYS; w++) {
        if (w == 0 || told.unknown > 0)
            GMC_TRY(gmc_surrogate_table_ask(&u->table, 0, w, &plain, level, &found[w]));
        else
            found[w] = found[0];
    }
    const gmc_surrogate_estimate *low = &found[GMC_SURROGATE_TABLE_FAILED];
    const gmc_surrogate_estimate *high = &found[GMC_SURROGATE_TABLE_WORKED];
    double lower = fmin(low->interval.lower, high->interval.lower);
    double upper = fmax(low->interval.upper, high->interval.upper);
    told.is_useful = low->is_there && high->is_there && upper - lower < told.upper - told.lower;
    if (told.is_useful) {
        told.p_lower = fmin(low->p, high->p);
        told.p_upper = fmax(low->p, high->p);
        told.lower = lower;
        told.upper = upper;
    }
    u->told = told;
    return GMC_OK;
}

gmc_stop_verdict gmc_surrogate_until_ask(void *until, int64_t draws)
{
    gmc_surrogate_until *u = until;
    if (draws < 1) return GMC_STOP_UNDECIDED;
    u->status = look(u, draws);
    gmc_interval now = {.lower = u->told.lower, .upper = u->told.upper};
    u->verdict =
        u->status == GMC_OK ? gmc_stop_judge(u->table.plan->stop, now) : GMC_STOP_UNDECIDED;
    return u->verdict;
}
