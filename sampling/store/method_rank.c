// A study with `rank`: which trials its ranking asks for, and what became of the cases: decided
// again from the trials, in memory for `show` and `rank`, and as datasets of /rank and columns of
// /summary/by_case.
#include "sampling/campaign/rollouts.h"
#include "sampling/estimate/ranks.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/case_order.h"
#include "sampling/store/describe.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// --- which trials ---

static bool rank_is_asked(const gmc_scenario *s) { return s->rank.is_given; }

static bool rank_is_planned(const gmc_store_plan *plan) { return plan->ranking != NULL; }

static gmc_ranking_plan race_plan_of(const gmc_scenario *scenario)
{
    int64_t first =
        scenario->first_draws < scenario->draws ? scenario->first_draws : scenario->draws;
    return (gmc_ranking_plan){.case_count = scenario->case_count,
                              .group_count = 1,
                              .best = scenario->rank.best,
                              .within = scenario->rank.within,
                              .level = scenario->rank.level,
                              .budget = (uint64_t)scenario->rank.budget,
                              .first = (uint64_t)first,
                              .last = (uint64_t)scenario->draws};
}

static gmc_status rank_describe(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_plan *plan = d->plan;
    gmc_ranking_plan *ranking = GMC_NEW(d->arena, 1, gmc_ranking_plan);
    int *groups = GMC_NEW(d->arena, s->case_count, int);
    if (!ranking || !groups) return GMC_E_ARENA_FULL;
    *ranking = race_plan_of(s);
    if (s->rank.is_per_object) {
        ranking->group_count = gmc_rollouts_groups(s, groups);
        ranking->groups = groups;
    }
    plan->ranking = ranking;
    plan->round = d->round;
    return GMC_OK;
}

static gmc_status rank_put(void *context, const gmc_trial *trial)
{
    return gmc_ranking_put(context, trial->trial, gmc_rollouts_verdict(trial));
}

static gmc_status rank_next(void *context, const uint64_t **trials, uint64_t *count)
{
    gmc_ranking_round round;
    GMC_TRY(gmc_ranking_next(context, &round));
    *trials = round.trials;
    *count = round.count;
    return GMC_OK;
}

static void rank_end(void *context) { gmc_ranking_free(context); }

static gmc_status rank_rounds(const gmc_store_plan *plan, gmc_rounds_plan *rounds)
{
    gmc_ranking *ranking;
    GMC_TRY(gmc_ranking_create(plan->ranking, &ranking));
    *rounds =
        (gmc_rounds_plan){.context = ranking, .put = rank_put, .next = rank_next, .free = rank_end};
    return GMC_OK;
}

// --- what they come to ---

static gmc_status rank_create(gmc_summary *s)
{
    if (gmc_store_plan_is_part(s->plan)) return GMC_OK; // of a round: nothing is decided
    return gmc_ranking_create(s->plan->ranking, &s->ranking);
}

static void rank_clear(gmc_summary *s) { gmc_ranking_free(s->ranking); }

/// The total counts trials of the first round, which all cases have.
static gmc_store_share rank_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    (void)verdict; // that of the ranking rejects what cannot start
    if (s->ranking && trial->trial < s->plan->total && s->race_status == GMC_OK)
        s->race_status = gmc_ranking_put(s->ranking, trial->trial, gmc_rollouts_verdict(trial));
    return trial->draw < s->plan->ranking->first ? GMC_STORE_SHARE_ALL : GMC_STORE_SHARE_LEFT_OUT;
}

/// What became of the cases, in a ranking that is not finished so far.
static gmc_status rank_decide(gmc_summary *s)
{
    GMC_TRY(s->race_status);
    if (!s->ranking) return GMC_OK;
    if (!s->plan->round.is_open) return gmc_ranking_decide(s->ranking);
    gmc_ranking_round round;
    GMC_TRY(gmc_ranking_catch_up(s->ranking, &round));
    bool is_there = round.count > 0 && (uint64_t)round.round == s->plan->round.number;
    return is_there ? GMC_OK : GMC_E_MISSING;
}

/// Of the first round, whose draws are fixed.
static gmc_estimate rank_total(const gmc_summary *s)
{
    return gmc_pooled_estimate(&s->pooled, s->plan->level, GMC_METHOD_WILSON);
}

static gmc_stop_verdict rank_verdict(const gmc_summary *s)
{
    bool is_reached = s->ranking && gmc_ranking_ended(s->ranking) == GMC_RANKING_REACHED;
    return is_reached ? GMC_STOP_YES : GMC_STOP_UNDECIDED;
}

/// Sets of the cases of one group; `cases` and `found` are scratch.
static gmc_status rank_find_group(const gmc_summary *s, int group, int64_t *cases,
                                  gmc_ranks_set *found, gmc_ranks_set *sets)
{
    const gmc_ranking_plan *plan = s->plan->ranking;
    gmc_ranks_of of = {.cases = cases, .is_anytime = true};
    for (int64_t c = 0; c < plan->case_count; c++)
        if (!plan->groups || plan->groups[c] == group) cases[of.count++] = c;
    // certain together over the groups, as the ranking is
    of.level = 1 - (1 - s->plan->level) / plan->group_count;
    GMC_TRY(gmc_ranks_find(gmc_ranking_duels(s->ranking), &of, found));
    for (int64_t i = 0; i < of.count; i++)
        sets[cases[i]] = found[i];
    return GMC_OK;
}

static gmc_status rank_find_sets(const gmc_summary *s, gmc_ranks_set *sets)
{
    size_t count = (size_t)s->plan->case_count;
    int64_t *cases = malloc(count * sizeof *cases);
    gmc_ranks_set *found = malloc(count * sizeof *found);
    gmc_status status = cases && found ? GMC_OK : GMC_E_MEMORY;
    for (int g = 0; g < s->plan->ranking->group_count && status == GMC_OK; g++)
        status = rank_find_group(s, g, cases, found, sets);
    free(cases);
    free(found);
    return status;
}

static gmc_status rank_ranks(const gmc_summary *s, gmc_summary_rank **ranks)
{
    *ranks = NULL;
    if (!s->ranking) return GMC_OK;
    const int *groups = s->plan->ranking->groups;
    int count = s->plan->case_count;
    gmc_summary_rank *found = malloc((size_t)count * sizeof *found);
    gmc_ranks_set *sets = malloc((size_t)count * sizeof *sets);
    gmc_case_order_row *rows = calloc((size_t)count, sizeof *rows);
    gmc_status status = found && sets && rows ? rank_find_sets(s, sets) : GMC_E_MEMORY;
    if (status == GMC_OK) {
        for (int c = 0; c < count; c++)
            rows[c] = (gmc_case_order_row){.case_index = c,
                                           .group = groups ? groups[c] : 0,
                                           .is_chosen = gmc_ranking_of_case(s->ranking, c).is_best,
                                           .estimate = gmc_summary_case(s, c, GMC_METHOD_ANYTIME)};
        gmc_case_order_order(rows, count);
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

// --- what is stored ---

/// What tells readers that a ranking is not finished.
static gmc_status rank_write_round(gmc_h5 *h5, const gmc_store_round *round)
{
    GMC_TRY(gmc_h5_u64(h5, "/", "round", round->number));
    bool is_later = round->after && *round->after;
    return is_later ? gmc_h5_text(h5, "/", "after", round->after) : GMC_OK;
}

/// What tells readers that not all trials are there.
static gmc_status rank_write_root(gmc_h5 *h5, const gmc_store_plan *plan)
{
    const gmc_ranking_plan *ranking = plan->ranking;
    char text[64];
    snprintf(text, sizeof text, "best %" PRId64 " within %.15g", ranking->best, ranking->within);
    GMC_TRY(gmc_h5_text(h5, "/", "rank", text));
    return plan->round.is_open ? rank_write_round(h5, &plan->round) : GMC_OK;
}

static gmc_status rank_write_cases(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"case", GMC_H5_U32, 0},      {"group", GMC_H5_U32, 0},    {"best", GMC_H5_U8, 0},
        {"open", GMC_H5_U8, 0},       {"round", GMC_H5_I32, 0},    {"draws", GMC_H5_U64, 0},
        {"successes", GMC_H5_U64, 0}, {"failures", GMC_H5_U64, 0}, {"unsolved", GMC_H5_U64, 0}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)s->plan->case_count, &table));
    gmc_layout_row *row = &table.rows;
    const int *groups = s->plan->ranking->groups;
    for (int64_t c = 0; c < s->plan->case_count; c++) {
        gmc_ranking_case found = gmc_ranking_of_case(s->ranking, c);
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

static gmc_status rank_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/rank";
    if (!s->ranking) return GMC_OK;
    const gmc_ranking_plan *plan = s->plan->ranking;
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_u64(h5, group, "best", (uint64_t)plan->best));
    GMC_TRY(gmc_h5_f64(h5, group, "within", plan->within));
    GMC_TRY(gmc_h5_f64(h5, group, "level", plan->level));
    GMC_TRY(gmc_h5_u64(h5, group, "budget", plan->budget));
    GMC_TRY(gmc_h5_u64(h5, group, "first", plan->first));
    GMC_TRY(gmc_h5_u64(h5, group, "last", plan->last));
    GMC_TRY(gmc_h5_u64(h5, group, "groups", (uint64_t)plan->group_count));
    GMC_TRY(gmc_h5_text(h5, group, "end", gmc_ranking_end_name(gmc_ranking_ended(s->ranking))));
    bool is_open = gmc_ranking_open(s->ranking).count > 0; // of which nothing is known
    GMC_TRY(gmc_h5_u64(h5, group, "rounds", (uint64_t)(gmc_ranking_rounds(s->ranking) - is_open)));
    GMC_TRY(gmc_h5_f64(h5, group, "confidence", s->plan->level));
    return rank_write_cases(s, h5);
}

const gmc_store_method gmc_store_method_rank = {.word = "rank",
                                                .chooser = "ranking",
                                                .picker = "ranking",
                                                .key = "study.rank",
                                                .attribute = "rank",
                                                .asker = "ranking",
                                                .is_of_cases = true,
                                                .is_asked = rank_is_asked,
                                                .is_planned = rank_is_planned,
                                                .describe = rank_describe,
                                                .rounds = rank_rounds,
                                                .create = rank_create,
                                                .clear = rank_clear,
                                                .take = rank_take,
                                                .decide = rank_decide,
                                                .total = rank_total,
                                                .interval = GMC_METHOD_ANYTIME,
                                                .verdict = rank_verdict,
                                                .ranks = rank_ranks,
                                                .write_root = rank_write_root,
                                                .write = rank_write};
