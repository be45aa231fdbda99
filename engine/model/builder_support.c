// What bodies stand on: collected, judged once the bodies have their masses, and copied.

#include "engine/model/builder_internal.h"
#include "engine/model/support.h"

#include <stdlib.h>

// Ten times as stiff as contacts where the scenario is silent (1e6 N/m): points carry the weight
// alone, and the lag of a sliding point's direction behind its motion goes with mu N / k.
// The same relaxation.
static const double STIFFNESS = 1e7, RELAXATION = 1e-3;

gmc_support_spec gmc_builder_default_support(void)
{
    return (gmc_support_spec){.stiffness = STIFFNESS, .relaxation = RELAXATION};
}

void gmc_builder_support(gmc_builder *builder, gmc_source source, const char *link,
                         const gmc_support_spec *spec)
{
    gmc_builder_support_entry *entry = gmc_builder_add(builder, &builder->supports, sizeof *entry);
    if (!entry) return;
    entry->source = source;
    entry->source.file = gmc_builder_keep(builder, source.file);
    entry->link_name = gmc_builder_keep(builder, link);
    entry->link = gmc_builder_find_link(builder, link, builder->links.count);
    entry->spec = *spec;
    entry->spec.points = NULL;
    entry->point_first = builder->support_points.count;
    for (int i = 0; i < spec->point_count; i++) {
        gmc_support_point *point =
            gmc_builder_add(builder, &builder->support_points, sizeof *point);
        if (!point) return;
        *point = spec->points[i];
    }
}

static const gmc_support_point *points_of(const gmc_builder *builder,
                                          const gmc_builder_support_entry *entry)
{
    const gmc_support_point *all = builder->support_points.items;
    return all + entry->point_first;
}

static void report(gmc_builder *builder, const gmc_builder_support_entry *entry, const char *hint,
                   const char *flaw)
{
    gmc_builder_check_report(builder, entry->source, hint, "the support of link '%s' %s",
                             entry->link_name ? entry->link_name : "", flaw);
}

static const char *judge_numbers(const gmc_builder *builder, const gmc_builder_support_entry *entry)
{
    const gmc_support_spec *spec = &entry->spec;
    const gmc_support_point *points = points_of(builder, entry);
    if (spec->point_count < 3) return "needs three points or more";
    if (!(spec->damping >= 0 && isfinite(spec->damping))) return "needs a damping >= 0";
    if (!(spec->stiffness > 0 && isfinite(spec->stiffness))) return "needs a stiffness > 0";
    if (!(spec->relaxation >= 0 && isfinite(spec->relaxation))) return "needs a relaxation >= 0";
    for (int i = 0; i < spec->point_count; i++) {
        if (!isfinite(points[i].p.x + points[i].p.y)) return "has a point that is not finite";
        if (!(points[i].share > 0 && isfinite(points[i].share))) return "needs shares > 0";
        if (!(points[i].friction >= 0 && isfinite(points[i].friction)))
            return "needs friction >= 0";
    }
    return NULL;
}

void gmc_builder_support_check(gmc_builder *builder, const gmc_model *model)
{
    const gmc_builder_support_entry *entries = builder->supports.items;
    for (int i = 0; i < builder->supports.count; i++) {
        const gmc_builder_support_entry *entry = &entries[i];
        const char *flaw = judge_numbers(builder, entry);
        int body = entry->link < 0 ? -1 : gmc_builder_links(builder)[entry->link].body;
        bool is_planar = body >= 0 && model->bodies[body].joint == GMC_JOINT_PLANAR &&
                         !model->bodies[body].is_driven;
        bool is_again = false;
        for (int k = 0; k < i; k++)
            is_again |=
                entries[k].link >= 0 && gmc_builder_links(builder)[entries[k].link].body == body;
        if (flaw)
            report(builder, entry, NULL, flaw);
        else if (body < 0)
            report(builder, entry, NULL, "names a link that does not exist");
        else if (!is_planar)
            report(builder, entry, NULL, "needs a link on a planar joint that is not driven");
        else if (is_again)
            report(builder, entry, "give all points at once", "is given twice");
        else if (gmc_support_forces(model, &model->supports[i], NULL) != GMC_OK)
            report(builder, entry,
                   "move the points until the mass centre lies well within their hull",
                   "cannot carry it: its points stand in a line, or not around the mass centre");
    }
}

gmc_status gmc_builder_support_fill(const gmc_builder *builder, gmc_arena *arena, gmc_model *model)
{
    const gmc_builder_support_entry *entries = builder->supports.items;
    size_t count = (size_t)builder->supports.count;
    size_t point_count = (size_t)builder->support_points.count;
    model->support_count = (int)count;
    model->support_point_count = (int)point_count;
    model->supports = gmc_arena_take(arena, count, sizeof *model->supports);
    model->support_points = gmc_arena_take(arena, point_count, sizeof *model->support_points);
    if (!model->supports || !model->support_points) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++) {
        const gmc_builder_support_entry *entry = &entries[i];
        const gmc_builder_link_entry *link =
            entry->link < 0 ? NULL : gmc_builder_links(builder) + entry->link;
        gmc_pose X_bl = link ? link->X_bl : gmc_pose_identity();
        model->supports[i] = (gmc_support){.body = link ? link->body : 0,
                                           .point_first = entry->point_first,
                                           .point_count = entry->spec.point_count,
                                           .damping = entry->spec.damping,
                                           .stiffness = entry->spec.stiffness,
                                           .relaxation = entry->spec.relaxation};
        for (int k = 0; k < entry->spec.point_count; k++) {
            gmc_support_point *point = &model->support_points[entry->point_first + k];
            *point = points_of(builder, entry)[k];
            gmc_vec3 p = gmc_pose_apply(&X_bl, (gmc_vec3){point->p.x, point->p.y, 0});
            point->p = (gmc_vec2){p.x, p.y};
        }
    }
    return GMC_OK;
}
