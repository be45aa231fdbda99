// The second half of reading, when the table of parameters is complete: paths become indices, texts
// become distributions and values, and what can be foreseen to fail in a trial is said now.
#include "sampling/scenario/resolve.h"

#include "sampling/language/validate.h"
#include "sampling/scenario/resolve_internal.h"

#include <float.h>

bool gmc_resolve_is_fatal(gmc_status status)
{
    return status != GMC_OK && status != GMC_E_INPUT && status != GMC_E_MISSING;
}

static gmc_status resolve_sets(const gmc_resolver *r)
{
    gmc_scenario *s = r->scenario;
    for (int i = 0; i < s->phase_count; i++) {
        for (int j = 0; j < s->program[i].set_count; j++) {
            gmc_set_spec *set = &s->program[i].sets[j];
            gmc_param *targets = NULL;
            int count = 0;
            GMC_TRY(gmc_resolve_path(r, set->target_path, set->source, &targets, &count));
            if (count > 1) {
                gmc_diagnostics_add(r->report, GMC_E_INPUT, set->source, NULL,
                                    "set: %.120s means several parameters", set->target_path);
                continue;
            }
            if (count == 0) continue;
            set->target = targets[0];
            gmc_parameter *value = &s->parameters[set->value];
            const gmc_parameter *target = &s->parameters[set->target];
            gmc_schema_row range = {.lower = target->lower == DBL_MIN ? 0 : target->lower,
                                    .upper = target->upper,
                                    .is_above = target->lower == DBL_MIN,
                                    .is_set = true};
            gmc_validate_number(set->node, value->path, &range, target->dimension, NULL, r->report);
            value->nominal = set->node->number;
            value->dimension = (gmc_dimension)set->node->dimension;
            value->lower = target->lower;
            value->upper = target->upper;
        }
    }
    return GMC_OK;
}

// `vary: [object]`, `object: all`, or `object: [mug, drill]`.
gmc_status gmc_resolve_scenario(gmc_scenario *scenario, gmc_diagnostics *report)
{
    gmc_resolver r = {.scenario = scenario, .report = report, .is_whole = report->error_count == 0};
    int errors_before = report->error_count;
    GMC_TRY(resolve_sets(&r));
    // phases that cannot be told: no model can be made
    if (report->error_count > errors_before) scenario->tree->is_bad = true;
    GMC_TRY(gmc_resolve_study(&r));
    GMC_TRY(gmc_resolve_chance(&r));
    GMC_TRY(gmc_resolve_subset(&r));
    GMC_TRY(gmc_resolve_columns(&r));
    GMC_TRY(gmc_resolve_idle(&r));
    GMC_TRY(gmc_resolve_limits(&r));
    GMC_TRY(gmc_resolve_histograms(&r));
    // which grasps there are was not told for fear of joints that are missing
    for (int i = 0; i < scenario->object_count && !r.is_whole && !scenario->hand.is_declared; i++)
        scenario->tree->is_bad = scenario->tree->is_bad || scenario->objects[i].grasps;
    scenario->is_resolved = report->error_count == errors_before;
    return scenario->is_resolved ? GMC_OK : gmc_diagnostics_status(report);
}
