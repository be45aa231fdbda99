// What became of the cases of a study with `rank`: decided again from the trials, in memory for
// `show` and `rank`, and as datasets of /rank and columns of /summary/by_case.
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/ranks.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/layout.h"
#include "sampling/store/ranking.h"
#include "sampling/store/summary_internal.h"

#include <stdlib.h>

gmc_status gmc_summary_race_create(gmc_summary *s)
{
    bool is_whole = s->plan->race && !gmc_store_plan_is_part(s->plan);
    return is_whole ? gmc_race_create(s->plan->race, &s->race) : GMC_OK;
}

bool gmc_summary_race_add(gmc_summary *s, const gmc_trial *trial)
{
    if (!s->plan->race) return true;
    if (s->race && trial->trial < s->plan->total && s->race_status == GMC_OK)
        s->race_status = gmc_race_put(s->race, trial->trial, gmc_rollouts_verdict(trial));
    return trial->draw < s->plan->race->first;
}

gmc_status gmc_summary_race_decide(gmc_summary *s)
{
    if (!s->plan->round.is_open) return gmc_race_decide(s->race);
    gmc_race_round round;
    GMC_TRY(gmc_race_catch_up(s->race, &round));
    bool is_there = round.count > 0 && (uint64_t)round.round == s->plan->round.number;
    return is_there ? GMC_OK : GMC_E_MISSING;
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

static gmc_status find_sets(const gmc_summary *s, gmc_ranks_set *sets)
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

gmc_status gmc_summary_race_ranks(const gmc_summary *s, gmc_summary_rank **ranks)
{
    *ranks = NULL;
    if (!s->race) return GMC_OK;
    const int *groups = s->plan->race->groups;
    int count = s->plan->case_count;
    gmc_summary_rank *found = malloc((size_t)count * sizeof *found);
    gmc_ranks_set *sets = malloc((size_t)count * sizeof *sets);
    gmc_ranking_row *rows = calloc((size_t)count, sizeof *rows);
    gmc_status status = found && sets && rows ? find_sets(s, sets) : GMC_E_MEMORY;
    if (status == GMC_OK) {
        for (int c = 0; c < count; c++)
            rows[c] = (gmc_ranking_row){.case_index = c,
                                        .group = groups ? groups[c] : 0,
                                        .is_chosen = gmc_race_of_case(s->race, c).is_best,
                                        .estimate = gmc_summary_case(s, c, GMC_METHOD_ANYTIME)};
        gmc_ranking_order(rows, count);
        for (int i = 0; i < count; i++)
            found[rows[i].case_index] =
                (gmc_summary_rank){.place = rows[i].place, .set = sets[rows[i].case_index]};
        *ranks = found;
    }
    if (status != GMC_OK) free(found);
    free(sets);
    free(rows);
    return status;
}

static gmc_status write_cases(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"case", GMC_H5_U32, 0},      {"group", GMC_H5_U32, 0},    {"best", GMC_H5_U8, 0},
        {"open", GMC_H5_U8, 0},       {"round", GMC_H5_I32, 0},    {"draws", GMC_H5_U64, 0},
        {"successes", GMC_H5_U64, 0}, {"failures", GMC_H5_U64, 0}, {"unsolved", GMC_H5_U64, 0}};
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
        gmc_layout_put_u64(row, (uint64_t)s->cases[c].successes); // as counted everywhere
        gmc_layout_put_u64(row, (uint64_t)s->cases[c].failures);
        gmc_layout_put_u64(row, (uint64_t)s->cases[c].unsolved);
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
    bool is_open = gmc_race_open(s->race).count > 0; // of which nothing is known
    GMC_TRY(gmc_h5_u64(h5, group, "rounds", (uint64_t)(gmc_race_rounds(s->race) - is_open)));
    GMC_TRY(gmc_h5_f64(h5, group, "confidence", s->plan->level));
    return write_cases(s, h5);
}
