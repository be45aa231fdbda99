// What became of the designs of a study with a ladder: decided again from the trials, in memory for
// `show` and as datasets of /ladder.
#include "sampling/campaign/rollouts.h"
#include "sampling/hdf5/h5.h"
#include "sampling/store/layout.h"
#include "sampling/store/summary_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FATE_BYTES = 16 };

gmc_status gmc_summary_ladder_create(gmc_summary *s)
{
    const gmc_store_ladder *ladder = s->plan->ladder;
    if (!ladder) return GMC_OK;
    s->steps = calloc((size_t)ladder->sieve.level_count, sizeof *s->steps);
    s->ended = calloc((size_t)ladder->sieve.level_count, sizeof *s->ended);
    if (!s->steps || !s->ended) return GMC_E_MEMORY;
    return gmc_sieve_create(&ladder->sieve, &s->sieve);
}

bool gmc_summary_ladder_add(gmc_summary *s, const gmc_trial *trial)
{
    if (!s->sieve) return true;
    uint64_t levels = (uint64_t)s->plan->ladder->sieve.level_count;
    int level = (int)(trial->trial % levels);
    if (trial->trial < s->plan->total)
        gmc_sieve_put(s->sieve, trial->trial, gmc_rollouts_finding(trial));
    s->ended[level][trial->outcome]++;
    if (s->step_column >= 0) s->steps[level] += trial->values[s->step_column];
    return level == (int)levels - 1;
}

gmc_audit_estimate gmc_summary_spared(const gmc_summary *s, int level)
{
    gmc_sieve_level found = gmc_sieve_of_level(s->sieve, level);
    const gmc_audit_counts counts = {.spared = (int64_t)found.spared,
                                     .audited = (int64_t)found.audited,
                                     .works = (int64_t)found.audit_works,
                                     .open = (int64_t)found.audit_open};
    return gmc_audit_estimate_of(&counts, s->plan->level);
}

gmc_estimate gmc_summary_ladder_case(const gmc_summary *s, int c)
{
    // rounds are looked at one after the other: an interval at each, all of which hold together
    const gmc_sieve_plan *plan = &s->plan->ladder->sieve;
    double level = 1 - (1 - s->plan->level) / gmc_sieve_rounds(plan);
    gmc_sieve_case found = gmc_sieve_of_case(s->sieve, c);
    gmc_tally tally = {.successes = (int64_t)found.works,
                       .failures = (int64_t)found.fails,
                       .unsolved = (int64_t)found.open};
    return gmc_estimate_of(tally, level, GMC_METHOD_CLOPPER_PEARSON);
}

// --- datasets ---

static gmc_status write_levels(const gmc_summary *s, gmc_h5 *h5)
{
    const gmc_store_ladder *ladder = s->plan->ladder;
    int count = ladder->sieve.level_count;
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
                                   {"unsolved", GMC_H5_U64, 0}};
    gmc_layout_table table;
    GMC_TRY(gmc_layout_table_start(fields, GMC_COUNT(fields), (uint64_t)count, &table));
    gmc_layout_row *row = &table.rows;
    for (int i = 0; i < count; i++) {
        const gmc_store_level *level = &ladder->levels[i];
        gmc_sieve_level found = gmc_sieve_of_level(s->sieve, i);
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

static gmc_status write_verdicts(const gmc_summary *s, gmc_h5 *h5)
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
        gmc_sieve_case found = gmc_sieve_of_case(s->sieve, c);
        gmc_layout_put_u32(row, (uint32_t)c);
        gmc_layout_put_text(row, gmc_sieve_fate_name(found.fate), FATE_BYTES);
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
static gmc_status write_trials(const gmc_summary *s, gmc_h5 *h5)
{
    static const gmc_h5_field fields[] = {
        {"trial", GMC_H5_U64, 0}, {"level", GMC_H5_U8, 0}, {"audit", GMC_H5_U8, 0}};
    enum { ROW_BYTES = 10 };
    uint64_t levels = (uint64_t)s->plan->ladder->sieve.level_count, count = 0;
    for (uint64_t trial = 0; trial < s->plan->total; trial++)
        count += gmc_sieve_has(s->sieve, trial);
    gmc_h5_stream stream;
    gmc_status status = gmc_h5_stream_open(h5, "/ladder/trials", fields, GMC_COUNT(fields), count,
                                           GMC_H5_VECTOR, &stream);
    for (uint64_t trial = 0; trial < s->plan->total && status == GMC_OK; trial++) {
        unsigned char bytes[ROW_BYTES];
        gmc_layout_row row = {.bytes = bytes};
        if (!gmc_sieve_has(s->sieve, trial)) continue;
        gmc_layout_put_u64(&row, trial);
        gmc_layout_put_u8(&row, (unsigned)(trial % levels));
        gmc_layout_put_u8(&row, gmc_sieve_is_audit(s->sieve, trial));
        status = gmc_h5_stream_put(&stream, bytes, 1);
    }
    if (status != GMC_OK) gmc_h5_abandon(h5);
    gmc_status closed = gmc_h5_stream_close(&stream);
    return status != GMC_OK ? status : closed;
}

gmc_status gmc_summary_ladder_write(const gmc_summary *s, gmc_h5 *h5)
{
    static const char group[] = "/ladder";
    if (!s->sieve) return GMC_OK;
    const gmc_sieve_plan *plan = &s->plan->ladder->sieve;
    GMC_TRY(gmc_h5_group(h5, group));
    GMC_TRY(gmc_h5_text(h5, group, "goal", plan->goal == GMC_GOAL_BEST ? "best" : "works"));
    GMC_TRY(gmc_h5_u64(h5, group, "first", plan->first));
    GMC_TRY(gmc_h5_u64(h5, group, "last", plan->last));
    GMC_TRY(gmc_h5_f64(h5, group, "keep", plan->keep));
    GMC_TRY(gmc_h5_u64(h5, group, "rounds", (uint64_t)gmc_sieve_rounds(plan)));
    GMC_TRY(gmc_h5_f64(h5, group, "audit", plan->audit));
    GMC_TRY(gmc_h5_f64(h5, group, "confidence", s->plan->level));
    GMC_TRY(write_levels(s, h5));
    GMC_TRY(write_verdicts(s, h5));
    return write_trials(s, h5);
}
