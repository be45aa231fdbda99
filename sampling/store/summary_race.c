// What became of the cases of a study with `rank`: decided again from the trials, in memory for
// `show` and `rank`, and as datasets of /rank.
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/ranks.h"
#include "sampling/store/h5.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

#include <stdlib.h>

gmc_status gmc_summary_race_create(gmc_summary *s)
{
    return s->plan->race ? gmc_race_create(s->plan->race, &s->race) : GMC_OK;
}

bool gmc_summary_race_add(gmc_summary *s, const gmc_trial *trial)
{
    if (!s->race) return true;
    if (trial->trial < s->plan->total && s->race_status == GMC_OK)
        s->race_status = gmc_race_put(s->race, trial->trial, gmc_rollouts_verdict(trial));
    return trial->draw < s->plan->race->first;
}

/// Sets of the cases of one group; `cases` and `found` are scratch.
static gmc_status find_group(const gmc_summary *s, int group, int64_t *cases, gmc_ranks_set *found,
                             gmc_ranks_set *sets)
{
    const gmc_race_plan *plan = s->plan->race;
    gmc_ranks_of of = {.cases = cases, .is_anytime = true};
    for (int64_t c = 0; c < plan->case_count; c++)
        if (!plan->groups || plan->groups[c] == group) cases[of.count++] = c;
    // certain together over the groups, as the race is
    of.level = 1 - (1 - s->plan->level) / plan->group_count;
    GMC_TRY(gmc_ranks_find(gmc_race_duels(s->race), &of, found));
    for (int64_t i = 0; i < of.count; i++)
        sets[cases[i]] = found[i];
    return GMC_OK;
}

static gmc_status find_ranks(const gmc_summary *s, gmc_ranks_set *sets)
{
    size_t count = (size_t)s->plan->case_count;
    int64_t *cases = malloc(count * sizeof *cases);
    gmc_ranks_set *found = malloc(count * sizeof *found);
    gmc_status status = cases && found ? GMC_OK : GMC_E_MEMORY;
    for (int g = 0; g < s->plan->race->group_count && status == GMC_OK; g++)
        status = find_group(s, g, cases, found, sets);
    free(cases);
    free(found);
    return status;
}

static gmc_status write_cases(const gmc_summary *s, const gmc_ranks_set *sets, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"case", GMC_H5_U32, 0},      {"group", GMC_H5_U32, 0},    {"best", GMC_H5_U8, 0},
        {"open", GMC_H5_U8, 0},       {"round", GMC_H5_I32, 0},    {"draws", GMC_H5_U64, 0},
        {"successes", GMC_H5_U64, 0}, {"failures", GMC_H5_U64, 0}, {"unsolved", GMC_H5_U64, 0},
        {"rank_lo", GMC_H5_U64, 0},   {"rank_hi", GMC_H5_U64, 0}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)s->plan->case_count, &table));
    gmc_layout_row *row = &table.rows;
    const int *groups = s->plan->race->groups;
    for (int64_t c = 0; c < s->plan->case_count; c++) {
        gmc_race_case found = gmc_race_of_case(s->race, c);
        gmc_layout_put_u32(row, (uint32_t)c);
        gmc_layout_put_u32(row, groups ? (uint32_t)groups[c] : 0);
        gmc_layout_put_u8(row, found.is_best);
        gmc_layout_put_u8(row, found.is_open);
        gmc_layout_put_u32(row, (uint32_t)found.round);
        gmc_layout_put_u64(row, found.draws);
        gmc_layout_put_u64(row, (uint64_t)found.tally.successes);
        gmc_layout_put_u64(row, (uint64_t)found.tally.failures);
        gmc_layout_put_u64(row, (uint64_t)found.tally.unsolved);
        gmc_layout_put_u64(row, (uint64_t)sets[c].lower);
        gmc_layout_put_u64(row, (uint64_t)sets[c].upper);
    }
    return gmc_layout_table_write(&table, h5, "/rank/cases");
}

gmc_status gmc_summary_race_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/rank";
    if (!s->race) return GMC_OK;
    const gmc_race_plan *plan = s->plan->race;
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_u64(h5, group, "best", (uint64_t)plan->best));
    GMC_TRY(gmc_h5_f64(h5, group, "within", plan->within));
    GMC_TRY(gmc_h5_f64(h5, group, "level", plan->level));
    GMC_TRY(gmc_h5_u64(h5, group, "budget", plan->budget));
    GMC_TRY(gmc_h5_u64(h5, group, "first", plan->first));
    GMC_TRY(gmc_h5_u64(h5, group, "last", plan->last));
    GMC_TRY(gmc_h5_u64(h5, group, "groups", (uint64_t)plan->group_count));
    GMC_TRY(gmc_h5_text(h5, group, "end", gmc_race_end_name(gmc_race_ended(s->race))));
    GMC_TRY(gmc_h5_u64(h5, group, "rounds", (uint64_t)gmc_race_rounds(s->race)));
    GMC_TRY(gmc_h5_f64(h5, group, "confidence", s->plan->level));
    gmc_ranks_set *sets = calloc((size_t)s->plan->case_count, sizeof *sets);
    if (!sets) return GMC_E_MEMORY;
    gmc_status status = find_ranks(s, sets);
    if (status == GMC_OK) status = write_cases(s, sets, h5);
    free(sets);
    return status;
}
