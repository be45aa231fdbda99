// A study with a ladder: which trials its ladder asks for, and what became of the designs: decided
// again from the trials, in memory for `show` and as datasets of /ladder.
#include "sampling/campaign/rollouts.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/describe.h"
#include "sampling/store/layout.h"
#include "sampling/store/method.h"
#include "sampling/store/summary.h"

#include <math.h>
#include <stdlib.h>

enum { FATE_BYTES = 16 };

// --- which trials ---

static bool ladder_is_asked(const gmc_scenario *s) { return s->level_count > 0 && s->pilot == 0; }

static bool ladder_is_planned(const gmc_store_plan *plan) { return plan->ladder != NULL; }

static gmc_ladder_plan plan_of_ladder(const gmc_scenario *scenario)
{
    int64_t first =
        scenario->first_draws < scenario->draws ? scenario->first_draws : scenario->draws;
    return (gmc_ladder_plan){.case_count = scenario->case_count,
                             .level_count = scenario->level_count,
                             .first = (uint64_t)first,
                             .last = (uint64_t)scenario->draws,
                             .keep = scenario->keep,
                             .tolerate = scenario->tolerate,
                             .goal = scenario->is_best ? GMC_GOAL_BEST : GMC_GOAL_WORKS,
                             .audit = scenario->parameters[scenario->ladder_audit].nominal,
                             .seed = scenario->seed};
}

static gmc_status ladder_describe(const gmc_describing *d)
{
    const gmc_scenario *s = d->scenario;
    gmc_store_plan *plan = d->plan;
    gmc_store_ladder *ladder = GMC_NEW(d->arena, 1, gmc_store_ladder);
    gmc_store_level *levels = GMC_NEW(d->arena, s->level_count, gmc_store_level);
    if (!ladder || !levels) return GMC_E_ARENA_FULL;
    *ladder = (gmc_store_ladder){.plan = plan_of_ladder(s), .levels = levels};
    plan->ladder = ladder;
    return gmc_describe_levels(d, levels, &ladder->names);
}

static gmc_status ladder_put(void *context, const gmc_trial *trial)
{
    gmc_ladder_put(context, trial->trial, gmc_rollouts_finding(trial));
    return GMC_OK;
}

static gmc_status ladder_next(void *context, const uint64_t **trials, uint64_t *count)
{
    gmc_ladder_stage stage;
    GMC_TRY(gmc_ladder_next(context, &stage));
    *trials = stage.trials;
    *count = stage.count;
    return GMC_OK;
}

static void ladder_end(void *context) { gmc_ladder_free(context); }

static gmc_status ladder_rounds(const gmc_store_plan *plan, gmc_rounds_plan *rounds)
{
    gmc_ladder *ladder;
    GMC_TRY(gmc_ladder_create(&plan->ladder->plan, &ladder));
    *rounds = (gmc_rounds_plan){
        .context = ladder, .put = ladder_put, .next = ladder_next, .free = ladder_end};
    return GMC_OK;
}

// --- what they come to ---

static gmc_status ladder_create(gmc_summary *s)
{
    const gmc_store_ladder *ladder = s->plan->ladder;
    s->steps = calloc((size_t)ladder->plan.level_count, sizeof *s->steps);
    s->ended = calloc((size_t)ladder->plan.level_count, sizeof *s->ended);
    if (!s->steps || !s->ended) return GMC_E_MEMORY;
    return gmc_ladder_create(&ladder->plan, &s->ladder);
}

static void ladder_clear(gmc_summary *s)
{
    gmc_ladder_free(s->ladder);
    free(s->steps);
    free(s->ended);
}

static gmc_store_share ladder_take(gmc_summary *s, const gmc_trial *trial, gmc_verdict verdict)
{
    (void)verdict; // it has findings
    uint64_t levels = (uint64_t)s->plan->ladder->plan.level_count;
    int level = (int)(trial->trial % levels);
    if (trial->trial < s->plan->total)
        gmc_ladder_put(s->ladder, trial->trial, gmc_rollouts_finding(trial));
    s->ended[level][trial->outcome]++;
    if (s->step_column >= 0) s->steps[level] += trial->values[s->step_column];
    return level == (int)levels - 1 ? GMC_STORE_SHARE_CASE : GMC_STORE_SHARE_NONE;
}

static gmc_status ladder_decide(gmc_summary *s) { return gmc_ladder_decide(s->ladder); }
static gmc_estimate ladder_case(const gmc_summary *s, int c)
{
    // rounds are looked at one after the other: an interval at each, all of which hold together
    const gmc_ladder_plan *plan = &s->plan->ladder->plan;
    double level = 1 - (1 - s->plan->level) / gmc_ladder_rounds(plan);
    gmc_ladder_case found = gmc_ladder_of_case(s->ladder, c);
    gmc_tally tally = {.successes = (int64_t)found.works,
                       .failures = (int64_t)found.fails,
                       .unsolved = (int64_t)found.open};
    return gmc_estimate_of(tally, level, GMC_METHOD_CLOPPER_PEARSON);
}

// --- what is stored ---

static gmc_status ladder_write_root(gmc_h5 *h5, const gmc_store_plan *plan)
{
    return gmc_h5_text(h5, "/", "ladder", plan->ladder->names);
}

static gmc_status ladder_write_levels(const gmc_summary *s, gmc_h5 *h5)
{
    const gmc_store_ladder *ladder = s->plan->ladder;
    int count = ladder->plan.level_count;
    const gmc_h5_field fields[] = {{"level", GMC_H5_U8, 0},
                                   {"name", GMC_H5_TEXT, GMC_STORE_LEVEL_BYTES},
                                   {"stepper", GMC_H5_TEXT, GMC_STORE_LEVEL_BYTES},
                                   {"motion", GMC_H5_TEXT, GMC_STORE_LEVEL_BYTES},
                                   {"step_s", GMC_H5_F64, 0},
                                   {"trials", GMC_H5_U64, 0},
                                   {"steps", GMC_H5_F64, 0},
                                   {"rejected", GMC_H5_U64, 0},
                                   {"spared", GMC_H5_U64, 0},
                                   {"audited", GMC_H5_U64, 0},
                                   {"audit_works", GMC_H5_U64, 0},
                                   {"audit_open", GMC_H5_U64, 0},
                                   {"p", GMC_H5_F64, 0},
                                   {"lo", GMC_H5_F64, 0},
                                   {"hi", GMC_H5_F64, 0},
                                   {"success", GMC_H5_U64, 0},
                                   {"missed", GMC_H5_U64, 0},
                                   {"violated", GMC_H5_U64, 0},
                                   {"lost", GMC_H5_U64, 0},
                                   {"unsolved", GMC_H5_U64, 0},
                                   {"unreachable", GMC_H5_U64, 0}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)count, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < count; i++) {
        const gmc_store_level *level = &ladder->levels[i];
        gmc_ladder_level found = gmc_ladder_of_level(s->ladder, i);
        gmc_audit_estimate spared = gmc_summary_spared(s, i);
        gmc_layout_put_u8(row, (unsigned)i);
        gmc_layout_put_text(row, level->name, GMC_STORE_LEVEL_BYTES);
        gmc_layout_put_text(row, level->stepper, GMC_STORE_LEVEL_BYTES);
        gmc_layout_put_text(row, level->motion, GMC_STORE_LEVEL_BYTES);
        gmc_layout_put_f64(row, level->step_s);
        gmc_layout_put_u64(row, found.trials);
        gmc_layout_put_f64(row, s->steps[i]);
        gmc_layout_put_u64(row, found.rejected);
        gmc_layout_put_u64(row, found.spared);
        gmc_layout_put_u64(row, found.audited);
        gmc_layout_put_u64(row, found.audit_works);
        gmc_layout_put_u64(row, found.audit_open);
        gmc_layout_put_f64(row, spared.p);
        gmc_layout_put_f64(row, spared.interval.lower);
        gmc_layout_put_f64(row, spared.interval.upper);
        for (int k = 0; k < GMC_OUTCOME_COUNT; k++)
            gmc_layout_put_u64(row, s->ended[i][k]);
    }
    return gmc_layout_table_write(&table, h5, "/ladder/levels");
}

static gmc_status ladder_write_verdicts(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"case", GMC_H5_U32, 0},        {"verdict", GMC_H5_TEXT, FATE_BYTES},
        {"level", GMC_H5_I32, 0},       {"trial", GMC_H5_I64, 0},
        {"round", GMC_H5_I32, 0},       {"draws", GMC_H5_U64, 0},
        {"successes", GMC_H5_U64, 0},   {"failures", GMC_H5_U64, 0},
        {"unsolved", GMC_H5_U64, 0},    {"audited", GMC_H5_U64, 0},
        {"audit_works", GMC_H5_U64, 0}, {"audit_open", GMC_H5_U64, 0}};
    gmc_layout_table table;
    GMC_TRY(
        gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)s->plan->case_count, &table));
    gmc_layout_row *row = &table.rows;
    for (int c = 0; c < s->plan->case_count; c++) {
        gmc_ladder_case found = gmc_ladder_of_case(s->ladder, c);
        gmc_layout_put_u32(row, (uint32_t)c);
        gmc_layout_put_text(row, gmc_ladder_fate_name(found.fate), FATE_BYTES);
        gmc_layout_put_u32(row, (uint32_t)found.level);
        gmc_layout_put_u64(row, found.trial); // none: all bits, which are -1
        gmc_layout_put_u32(row, (uint32_t)found.round);
        gmc_layout_put_u64(row, found.draws);
        gmc_layout_put_u64(row, found.works);
        gmc_layout_put_u64(row, found.fails);
        gmc_layout_put_u64(row, found.open);
        gmc_layout_put_u64(row, found.audited);
        gmc_layout_put_u64(row, found.audit_works);
        gmc_layout_put_u64(row, found.audit_open);
    }
    return gmc_layout_table_write(&table, h5, "/ladder/verdicts");
}

/// Level of every row of /trials, and whether the audit asked for it.
static gmc_status ladder_write_trials(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"trial", GMC_H5_U64, 0}, {"level", GMC_H5_U8, 0}, {"audit", GMC_H5_U8, 0}};
    enum { ROW_BYTES = 10 };
    uint64_t levels = (uint64_t)s->plan->ladder->plan.level_count, count = 0;
    for (uint64_t trial = 0; trial < s->plan->total; trial++)
        count += gmc_ladder_has(s->ladder, trial);
    gmc_h5_stream stream;
    const gmc_h5_shape shape = {fields, GMC_COUNT(fields), count, GMC_H5_VECTOR};
    gmc_status status = gmc_h5_stream_open(h5, "/ladder/trials", &shape, &stream);
    for (uint64_t trial = 0; trial < s->plan->total && status == GMC_OK; trial++) {
        unsigned char bytes[ROW_BYTES];
        gmc_layout_row row = {.bytes = bytes};
        if (!gmc_ladder_has(s->ladder, trial)) continue;
        gmc_layout_put_u64(&row, trial);
        gmc_layout_put_u8(&row, (unsigned)(trial % levels));
        gmc_layout_put_u8(&row, gmc_ladder_is_audit(s->ladder, trial));
        status = gmc_h5_stream_put(&stream, bytes, 1);
    }
    if (status != GMC_OK) gmc_h5_abandon(h5);
    gmc_status closed = gmc_h5_stream_close(&stream);
    return status != GMC_OK ? status : closed;
}

static gmc_status ladder_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/ladder";
    const gmc_ladder_plan *plan = &s->plan->ladder->plan;
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_text(h5, group, "goal", plan->goal == GMC_GOAL_BEST ? "best" : "works"));
    GMC_TRY(gmc_h5_u64(h5, group, "first", plan->first));
    GMC_TRY(gmc_h5_u64(h5, group, "last", plan->last));
    GMC_TRY(gmc_h5_f64(h5, group, "keep", plan->keep));
    GMC_TRY(gmc_h5_u64(h5, group, "rounds", (uint64_t)gmc_ladder_rounds(plan)));
    GMC_TRY(gmc_h5_f64(h5, group, "audit", plan->audit));
    GMC_TRY(gmc_h5_f64(h5, group, "confidence", s->plan->level));
    GMC_TRY(ladder_write_levels(s, h5));
    GMC_TRY(ladder_write_verdicts(s, h5));
    return ladder_write_trials(s, h5);
}

const gmc_store_method gmc_store_method_ladder = {.word = "ladder",
                                                  .chooser = "ladder",
                                                  .picker = "ladder",
                                                  .key = "study.ladder.0",
                                                  .attribute = "ladder",
                                                  .asker = "ladder",
                                                  .undivided = "this study of a ladder",
                                                  .is_of_cases = true,
                                                  .has_no_total = true,
                                                  .is_asked = ladder_is_asked,
                                                  .is_planned = ladder_is_planned,
                                                  .describe = ladder_describe,
                                                  .rounds = ladder_rounds,
                                                  .create = ladder_create,
                                                  .clear = ladder_clear,
                                                  .take = ladder_take,
                                                  .decide = ladder_decide,
                                                  .of_case = ladder_case,
                                                  .write_root = ladder_write_root,
                                                  .write = ladder_write};
