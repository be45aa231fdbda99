// Parameters that follow from others by a formula. What a study or a CSV design sets is set: there
// the formula has no say.
#include "sampling/scenario/resolve_internal.h"

static bool is_among(const gmc_param *targets, int count, gmc_param wanted)
{
    for (int i = 0; targets && i < count; i++)
        if (targets[i] == wanted) return true;
    return false;
}

static bool is_set(const gmc_scenario *s, gmc_param param)
{
    for (int i = 0; i < s->axis_count; i++)
        if (s->axes[i].values && is_among(s->axes[i].targets, s->axes[i].target_count, param))
            return true;
    for (int i = 0; i < s->csv_columns; i++) {
        const gmc_sampled *column = &s->sampled[s->csv_sampled[i]];
        if (column->target == param || is_among(column->by_object, s->object_count, param))
            return true;
    }
    return false;
}

gmc_status gmc_resolve_derived(gmc_scenario *s)
{
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++)
        count += s->parameters[i].formula != NULL;
    s->derived = gmc_arena_take(s->arena, (size_t)count, sizeof *s->derived);
    if (!s->derived) return GMC_E_ARENA_FULL;
    s->derived_count = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        if (is_set(s, i)) s->parameters[i].formula = NULL;
        if (!s->parameters[i].formula) continue;
        // by rank; those of the user's own come first in the table, and all others refer to them
        int at = s->derived_count++;
        int rank = s->parameters[i].formula->rank;
        for (; at > 0 && s->parameters[s->derived[at - 1]].formula->rank > rank; at--)
            s->derived[at] = s->derived[at - 1];
        s->derived[at] = i;
    }
    return GMC_OK;
}
