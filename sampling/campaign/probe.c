#include "sampling/campaign/probe.h"

#include <math.h>
#include <stdlib.h>

/// Contacts that a row of a record has room for at first.
enum { CONTACTS_PER_ROW = 32 };

static gmc_status grow(gmc_arena *arena, size_t least)
{
    enum { MOST = 1 << 30 };
    size_t size = 2 * arena->capacity > least ? 2 * arena->capacity : least;
    if (size > MOST) return GMC_E_LIMIT;
    gmc_arena_free(arena);
    return gmc_arena_create(arena, size);
}

static gmc_status open_record(gmc_probe *probe, double duration, int factor)
{
    const gmc_rollout_options *options = &probe->input.options;
    // steps may be halved three times over
    double rows = ceil(fmin(duration, options->time_limit) / options->step) * factor + 64;
    if (rows > 1e7) return GMC_E_LIMIT;
    const gmc_trajectory_shape room = {.row_count = (int)rows,
                                       .contact_count = CONTACTS_PER_ROW * (int)rows,
                                       .has_actions = probe->input.control,
                                       .has_pushes =
                                           gmc_control_moves_bodies(probe->input.control)};
    gmc_arena_reset(&probe->record, 0);
    return gmc_trajectory_create(probe->input.model, &room, &probe->record, &probe->trajectory);
}

static gmc_status instantiate(gmc_probe *probe, const double *values)
{
    gmc_arena_reset(&probe->trial, 0);
    gmc_arena_reset(&probe->scratch, 0);
    probe->found = (gmc_rollout_result){.values = probe->measures};
    return gmc_build_instantiate(probe->build, probe->object,
                                 probe->believed ? probe->believed : values, values, &probe->trial,
                                 &probe->input);
}

static gmc_status prepare(gmc_probe *probe)
{
    size_t columns = (size_t)gmc_build_measures(probe->build)->column_count;
    if (!probe->measures) probe->measures = calloc(columns + 1, sizeof *probe->measures);
    if (!probe->measures) return GMC_E_MEMORY;
    size_t bytes = gmc_build_bytes(probe->build);
    if (probe->trial.capacity == 0) GMC_TRY(gmc_arena_create(&probe->trial, bytes));
    if (probe->scratch.capacity == 0) GMC_TRY(gmc_arena_create(&probe->scratch, bytes));
    return GMC_OK;
}

static gmc_status attempt(gmc_probe *probe, const double *values, double time_limit, int factor)
{
    GMC_TRY(instantiate(probe, values));
    gmc_rollout_options *options = &probe->input.options;
    options->time_limit = fmin(options->time_limit, time_limit);
    options->rate = 0;
    if (options->stepper->is_integrated && !probe->ode) GMC_TRY(gmc_ode_create(&probe->ode));
    probe->input.ode = probe->ode;
    probe->input.bends = GMC_NEW(&probe->trial, probe->input.model->dof_count, gmc_rollout_bend);
    if (!probe->input.bends) return GMC_E_ARENA_FULL;
    gmc_trajectory *record = NULL;
    if (factor > 0) {
        double duration = gmc_build_duration(probe->build, values);
        gmc_status status = open_record(probe, duration, factor);
        if (status == GMC_E_ARENA_FULL) {
            GMC_TRY(grow(&probe->record, 1 << 20));
            return GMC_E_ARENA_FULL;
        }
        GMC_TRY(status);
        record = &probe->trajectory;
    }
    return gmc_rollout_run(&probe->input, record, &probe->trial, &probe->scratch, &probe->found);
}

gmc_status gmc_probe_run(gmc_probe *probe, const double *values, double time_limit,
                         bool is_recorded)
{
    enum { FACTOR_MAX = 1 << 10 };
    int factor = is_recorded ? 1 : 0;
    GMC_TRY(prepare(probe));
    for (;;) {
        size_t record = probe->record.capacity;
        gmc_status status = attempt(probe, values, time_limit, factor);
        if (status != GMC_E_ARENA_FULL) return status;
        if (probe->record.capacity > record) continue; // it was the record's, which has grown
        if (probe->scratch.high_water > probe->scratch.capacity)
            GMC_TRY(grow(&probe->scratch, 0));
        else if (probe->trial.high_water > probe->trial.capacity)
            GMC_TRY(grow(&probe->trial, 0));
        else if ((factor *= 2) == 0 || factor > FACTOR_MAX)
            return GMC_E_LIMIT;
    }
}

gmc_status gmc_probe_start(gmc_probe *probe, const double *values)
{
    gmc_status status;
    GMC_TRY(prepare(probe));
    for (;;) {
        status = instantiate(probe, values);
        if (status == GMC_OK)
            status =
                gmc_rollout_start(&probe->input, &probe->trial, &probe->scratch, &probe->found);
        if (status != GMC_E_ARENA_FULL) return status;
        GMC_TRY(grow(&probe->scratch, 0));
        GMC_TRY(grow(&probe->trial, 0));
    }
}

// Does a body hang on the hand's base, or without a hand: is it the object?
static bool is_meant(const gmc_probe *probe, int body)
{
    const gmc_measure_plan *plan = probe->input.measures;
    return plan->is_hand ? plan->is_hand[body] : body == plan->object_body;
}

// The first row of the record in which what is meant touches something.
static void look(const gmc_probe *probe, gmc_probe_touch *touch)
{
    const gmc_trajectory *t = &probe->trajectory;
    const gmc_model *model = probe->input.model;
    for (int row = 0; row < t->row_count && !touch->is_found; row++)
        for (uint32_t c = t->contact_start[row]; c < t->contact_start[row + 1]; c++) {
            int a = t->contact_geoms[2 * c], b = t->contact_geoms[2 * c + 1];
            bool is_a = is_meant(probe, model->geoms[a].body);
            if (is_a == is_meant(probe, model->geoms[b].body)) continue;
            const double *p = t->contact_point + 3 * c;
            *touch = (gmc_probe_touch){.is_found = true,
                                       .time = t->time[row],
                                       .geom_a = is_a ? a : b,
                                       .geom_b = is_a ? b : a,
                                       .point = {p[0], p[1], p[2]}};
            return;
        }
}

gmc_status gmc_probe_first_touch(gmc_probe *probe, const double *values, gmc_probe_touch *touch)
{
    *touch = (gmc_probe_touch){0};
    // as far as is needed, in doubling parts: most hands touch early
    for (double limit = 0.128; !touch->is_found; limit *= 2) {
        GMC_TRY(gmc_probe_run(probe, values, limit, true));
        look(probe, touch);
        if (probe->found.reason != GMC_REASON_TIME_LIMIT || probe->input.options.time_limit < limit)
            break;
    }
    if (!touch->is_found) return GMC_OK;
    GMC_TRY(gmc_probe_run(probe, values, touch->time, false));
    touch->phase = probe->found.phase;
    return GMC_OK;
}

void gmc_probe_free(gmc_probe *probe)
{
    gmc_arena_free(&probe->trial);
    gmc_arena_free(&probe->scratch);
    gmc_arena_free(&probe->record);
    gmc_ode_free(probe->ode);
    free(probe->measures);
    probe->ode = NULL;
    probe->measures = NULL;
}
