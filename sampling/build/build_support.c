// What bodies of a planar world lie on: the scenario's points, or points that stand for spread
// pressure. How many there are is settled once; where they are and what friction they have is
// each trial's own.
#include "engine/model/support.h"
#include "sampling/build/build_internal.h"

/// Of a disk: its limit surface is met within 0.8 % (support.h), at 20 rows of friction a step.
enum { RINGS = 2, AROUND = 10 };
/// Of a polygon: each triangle in 16.
enum { CUTS = 4 };

static int count_of(const gmc_build_item *item)
{
    const gmc_footing_spec *f = item->spec->support;
    if (f->vertex_count > 0) return gmc_support_polygon(&item->footing, 0, CUTS, NULL, 0);
    return f->radius >= 0 ? RINGS * AROUND : f->point_count;
}

static void write_points(const gmc_build_item *item, const double *values,
                         gmc_support_point *points)
{
    const gmc_footing_spec *f = item->spec->support;
    double friction = values[f->frictions[0]];
    if (f->vertex_count > 0) {
        (void)gmc_support_polygon(&item->footing, friction, CUTS, points, count_of(item));
        return;
    }
    if (f->radius >= 0) {
        gmc_support_disc((gmc_vec2){0, 0}, values[f->radius], friction, RINGS, AROUND, points);
        return;
    }
    for (int i = 0; i < f->point_count; i++) {
        double own = f->friction_count > 1 ? values[f->frictions[i]] : friction;
        points[i] =
            (gmc_support_point){.p = {values[f->points[2 * i]], values[f->points[2 * i + 1]]},
                                .share = 1,
                                .friction = own};
    }
}

gmc_status gmc_build_support(gmc_build *build, gmc_build_item *item, const double *values,
                             gmc_builder *builder)
{
    const gmc_footing_spec *f = item->spec->support;
    if (!f || !item->is_free) return GMC_OK;
    if (f->vertex_count > 0)
        GMC_TRY(gmc_polygon_split(f->vertices, f->vertex_count, &build->arena, &item->footing));
    int count = count_of(item);
    if (count < 3) return GMC_OK; // told where they were read
    gmc_support_point *points = gmc_arena_take(&build->arena, (size_t)count, sizeof *points);
    if (!points) return GMC_E_ARENA_FULL;
    write_points(item, values, points);
    gmc_support_spec spec = gmc_builder_default_support();
    spec.points = points;
    spec.point_count = count;
    spec.damping = gmc_build_value(values, f->viscous, spec.damping);
    spec.stiffness = gmc_build_value(values, f->stiffness, spec.stiffness);
    spec.relaxation = gmc_build_value(values, f->relaxation, spec.relaxation);
    gmc_builder_support(builder, f->source, item->spec->name, &spec);
    return GMC_OK;
}

gmc_status gmc_build_put_support(const gmc_build_item *item, const double *values, gmc_model *model)
{
    const gmc_footing_spec *f = item->spec->support;
    if (!f || !item->is_free) return GMC_OK;
    for (int i = 0; i < model->support_count; i++) {
        gmc_support *support = &model->supports[i];
        if (support->body != item->body) continue;
        write_points(item, values, model->support_points + support->point_first);
        support->damping = gmc_build_value(values, f->viscous, support->damping);
        support->stiffness = gmc_build_value(values, f->stiffness, support->stiffness);
        support->relaxation = gmc_build_value(values, f->relaxation, support->relaxation);
        return gmc_support_forces(model, support, NULL);
    }
    return GMC_OK;
}
