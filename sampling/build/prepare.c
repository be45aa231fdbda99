#include "sampling/build/prepare.h"

#include "sampling/build/margin.h"
#include "sampling/scenario/resolve.h"

static bool is_mistake(gmc_status status)
{
    return status == GMC_E_INPUT || status == GMC_E_MISSING;
}

// Of reading and of naming parameters: a table beside the arena that could not be had is no large
// scenario.
static gmc_status read_as(gmc_status status, const gmc_arena *arena)
{
    bool is_full = arena->high_water > arena->capacity;
    return status == GMC_E_ARENA_FULL && !is_full ? GMC_E_MEMORY : status;
}

// Joints become parameters before paths are resolved, and only what resolves is compiled: so a
// mistake is reported where it is, not where it shows. After a mistake the steps that are left look
// for more of them, so that all are told at once.
// @param status  of reading
static gmc_status finish(gmc_status status, const gmc_pieces_cache *cache, gmc_diagnostics *report,
                         gmc_prepared *prepared)
{
    gmc_scenario *scenario = &prepared->scenario;
    if (status != GMC_OK && !(is_mistake(status) && scenario->tree)) return status;
    status = gmc_build_declare(scenario, cache, report, &prepared->build);
    if (status == GMC_OK || is_mistake(status)) status = gmc_resolve_scenario(scenario, report);
    status = read_as(status, &prepared->arena);
    if (status != GMC_OK && !is_mistake(status)) return status;
    status = gmc_build_compile(prepared->build);
    if (report->error_count > 0) { // what is only doubtful may follow from what is wrong
        gmc_diagnostics_hush(report);
        return gmc_diagnostics_status(report);
    }
    if (status != GMC_OK) return status;
    return gmc_margin_read(&prepared->scenario, gmc_build_measures(prepared->build), report);
}

/// What is larger than what is set aside for a scenario is its mistake, and named.
static gmc_status told(gmc_status status, const char *file, gmc_diagnostics *report)
{
    if (status != GMC_E_ARENA_FULL || report->error_count > 0) return status;
    gmc_diagnostics_add(
        report, GMC_E_INPUT, (gmc_source){.file = file},
        "shorter formulas, fewer parts; numbers of many trials belong in a CSV file",
        "the scenario needs more than %d MB when it is read", GMC_SCENARIO_ARENA_BYTES >> 20);
    return GMC_E_INPUT;
}

gmc_status gmc_prepare(const char *file, const char *const *sets, const char *const *allow,
                       const gmc_pieces_cache *cache, gmc_diagnostics *report,
                       gmc_prepared *prepared)
{
    *prepared = (gmc_prepared){0};
    GMC_TRY(gmc_arena_create(&prepared->arena, GMC_SCENARIO_ARENA_BYTES));
    gmc_status status =
        gmc_scenario_read(file, sets, allow, report, &prepared->arena, &prepared->scenario);
    status = read_as(status, &prepared->arena);
    return told(finish(status, cache, report, prepared), file, report);
}

gmc_status gmc_prepare_text(const char *file, const char *text, const gmc_pieces_cache *cache,
                            gmc_diagnostics *report, gmc_prepared *prepared)
{
    *prepared = (gmc_prepared){0};
    GMC_TRY(gmc_arena_create(&prepared->arena, GMC_SCENARIO_ARENA_BYTES));
    gmc_status status =
        gmc_scenario_read_text(file, text, report, &prepared->arena, &prepared->scenario);
    return finish(status, cache, report, prepared);
}

gmc_status gmc_prepare_embedded(const gmc_embedded *from, const gmc_pieces_cache *cache,
                                gmc_diagnostics *report, gmc_prepared *prepared)
{
    *prepared = (gmc_prepared){0};
    GMC_TRY(gmc_arena_create(&prepared->arena, GMC_SCENARIO_ARENA_BYTES));
    gmc_status status =
        gmc_scenario_read_embedded(from, report, &prepared->arena, &prepared->scenario);
    status = read_as(status, &prepared->arena);
    return told(finish(status, cache, report, prepared), from->file, report);
}

void gmc_prepared_free(gmc_prepared *prepared)
{
    gmc_build_free(prepared->build);
    gmc_scenario_free(&prepared->scenario);
    gmc_arena_free(&prepared->arena);
}
