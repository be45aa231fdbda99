// Functions of time: knots whose times and values are parameters "path.x.0.time", "path.x.0.value",
// so that a plan can be drawn, studied and ranked like anything else.
#include "sampling/scenario/reader_internal.h"

#include <stdio.h>

static gmc_curve_spec read_curve(gmc_reader *r, const gmc_node *list, const char *path)
{
    gmc_curve_spec curve = {0};
    if (!list || list->kind != GMC_NODE_LIST || list->is_bad) return curve;
    gmc_param *knots = gmc_reader_take(r, 2 * list->count, sizeof *knots);
    if (!knots) return curve;
    for (const gmc_node *n = list->first; n; n = n->next) {
        char index[16];
        if (n->kind != GMC_NODE_LIST || n->count != 2) return (gmc_curve_spec){0};
        snprintf(index, sizeof index, "%d", curve.count);
        const char *knot = gmc_reader_join(r, path, index);
        knots[2 * curve.count] = gmc_reader_enter(r, n->first, gmc_reader_join(r, knot, "time"));
        // knots of paths have no bounds, their times begin with the trial
        if (knots[2 * curve.count] >= 0) r->scenario->parameters[knots[2 * curve.count]].lower = 0;
        knots[2 * curve.count + 1] =
            gmc_reader_enter(r, n->last, gmc_reader_join(r, knot, "value"));
        curve.count++;
    }
    curve.knots = knots;
    return curve;
}

const gmc_course_spec *gmc_reader_course(gmc_reader *r, const gmc_node *map, const char *path,
                                         const char *key, const char *const names[3])
{
    const gmc_node *course = gmc_node_find(map, key);
    if (!course || course->kind != GMC_NODE_MAP) return NULL;
    gmc_course_spec *spec = gmc_reader_take(r, 1, sizeof *spec);
    if (!spec) return NULL;
    spec->source = course->key_source;
    const char *full = gmc_reader_join(r, path, key);
    for (int k = 0; k < 3; k++)
        spec->curves[k] =
            read_curve(r, gmc_node_find(course, names[k]), gmc_reader_join(r, full, names[k]));
    return spec;
}
