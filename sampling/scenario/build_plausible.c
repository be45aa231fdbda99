// Numbers that may be meant, and hardly ever are: a unit that was forgotten makes metres of
// millimetres, radians of degrees and kilograms of grams. Nothing is refused.
#include "sampling/scenario/build_internal.h"
#include "sampling/scenario/expression.h"

#include <math.h>
#include <stdio.h>

/// Osmium, the densest of what is handled, has 22 600 kg/m³; aerogels and foams have more than 1.
static const double DENSITY_MIN = 1, DENSITY_MAX = 25e3;
/// What a hand may hold [m]; meshes have the same bounds (mesh.c).
static const double LENGTH_MIN = 1e-3, LENGTH_MAX = 10;
/// Angles that differ by more are the same ones again; with room for the digits of 2 pi [rad].
static const double TURN = 2 * GMC_PI * (1 + 1e-3);
/// A shake that is wider, and a length that is uncertain by more to each side [m].
static const double AMPLITUDE_MAX = 1, SPREAD_MAX = 1;

static const gmc_diagnostic_kind density_kind = {"implausible density of", "bodies"},
                                 size_kind = {"implausible size of", "bodies"},
                                 way_kind = {"implausible way of", "numbers of the program"},
                                 spread_kind = {"lengths over more than 2 m in", "lines"},
                                 angle_kind = {"angles over more than a turn in", "lines"},
                                 reach_kind = {"out of reach:", "numbers of criteria"};

static void check_density(const gmc_build *build, const gmc_build_item *item, const double *values)
{
    const gmc_item_spec *spec = item->spec;
    gmc_param said = spec->mass >= 0 ? spec->mass : spec->density;
    if (!item->is_free || item->is_planar || said < 0 || spec->part_count > 0) return;
    double volume = gmc_build_unit_inertia(item, NULL, values).mass;
    double density = spec->mass >= 0 ? values[spec->mass] / volume : values[spec->density];
    if (density >= DENSITY_MIN && density <= DENSITY_MAX) return;
    gmc_diagnostics_warn(build->report, build->scenario->parameters[said].source, &density_kind,
                         spec->path, "a number without a unit is in SI: kg, kg/m3",
                         "%s: %.4g kg in %.4g cm3 is %.3g g/cm3, %s", spec->path, density * volume,
                         1e6 * volume, 1e-3 * density,
                         density > DENSITY_MAX ? "denser than any metal" : "lighter than air");
}

// Meshes are looked at where they are read.
static void check_size(const gmc_build *build, const gmc_build_item *item, const double *values)
{
    const gmc_item_spec *spec = item->spec;
    double largest = 0;
    if (!item->is_free || spec->kind == GMC_KIND_MESH || spec->kind == GMC_KIND_POLYGON ||
        spec->kind == GMC_KIND_SUPER_ELLIPSE || spec->part_count > 0)
        return;
    for (int i = 0; i < 3 && spec->size[i] >= 0; i++)
        largest = fmax(largest, values[spec->size[i]]);
    if (largest >= LENGTH_MIN && largest <= LENGTH_MAX) return;
    gmc_diagnostics_warn(build->report, build->scenario->parameters[spec->size[0]].source,
                         &size_kind, spec->path, "a number without a unit is in metres",
                         "%s: %.4g m is %s for an object", spec->path, largest,
                         largest > LENGTH_MAX ? "large" : "small");
}

static void check_spreads(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->change == GMC_CHANGE_MULTIPLY || line->tripod > 0 || line->target_count == 0 ||
            line->distribution.type == GMC_DISTRIBUTION_DISCRETE)
            continue;
        gmc_dimension dimension = s->parameters[line->targets[0]].dimension;
        double lower, upper;
        gmc_distribution_range(&line->distribution, &lower, &upper);
        if (dimension == GMC_DIM_ANGLE && upper - lower > TURN)
            gmc_diagnostics_warn(build->report, line->source, &angle_kind, line->path,
                                 "a number without a unit is in radians: 15 deg, not 15",
                                 "uncertain.%s spans %.4g deg", line->path,
                                 (upper - lower) * 180 / GMC_PI);
        if (dimension == GMC_DIM_LENGTH && upper - lower > 2 * SPREAD_MAX)
            gmc_diagnostics_warn(build->report, line->source, &spread_kind, line->path,
                                 "a number without a unit is in metres: 4 mm, not 4",
                                 "uncertain.%s spans %.4g m", line->path, upper - lower);
    }
}

static void check_way(const gmc_build *build, gmc_param param, const double *values, double most)
{
    if (param < 0 || build->scenario->parameters[param].dimension != GMC_DIM_LENGTH) return;
    if (!(fabs(values[param]) > most)) return;
    const gmc_parameter *p = &build->scenario->parameters[param];
    gmc_diagnostics_warn(build->report, p->source, &way_kind, p->path,
                         "a number without a unit is in metres: 100 mm, not 100",
                         "%s: %.4g m is far for a hand", p->path, values[param]);
}

static void check_ways(const gmc_build *build, const double *values)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->phase_count; i++) {
        for (int k = 0; k < 3; k++)
            check_way(build, s->program[i].by[k], values, LENGTH_MAX);
        check_way(build, s->program[i].amplitude, values, AMPLITUDE_MAX);
    }
}

double gmc_build_travel(const gmc_scenario *s, const double *values)
{
    double reach = 0;
    for (int i = 0; i < s->phase_count; i++) {
        const gmc_phase_spec *phase = &s->program[i];
        double by2 = 0;
        for (int k = 0; k < 3; k++) {
            double by = gmc_build_value(values, phase->by[k], 0);
            by2 += by * by;
        }
        bool is_shake = phase->kind == GMC_PHASE_SHAKE && !phase->is_rotation;
        reach += sqrt(by2) + (is_shake ? gmc_build_value(values, phase->amplitude, 0) : 0);
    }
    return reach;
}

// Comparisons of one length that is measured with a number beyond reach.
static void check_claim(const gmc_build *build, const gmc_expression *e, double reach)
{
    if (!e) return;
    check_claim(build, e->left, reach);
    check_claim(build, e->right, reach);
    if (e->op < GMC_OP_LESS || e->op > GMC_OP_GREATER_EQUAL) return;
    bool is_left = e->left->op == GMC_OP_MEASURE;
    const gmc_expression *measure = is_left ? e->left : e->right;
    const gmc_expression *number = is_left ? e->right : e->left;
    if (measure->op != GMC_OP_MEASURE || number->op != GMC_OP_NUMBER ||
        !gmc_units_equal(measure->exponents, gmc_units_exponents(GMC_DIM_LENGTH)) ||
        !(fabs(number->number) > reach))
        return;
    gmc_diagnostics_warn(build->report, number->source, &reach_kind,
                         gmc_measure_infos[measure->measure].name,
                         "a number without a unit is in metres",
                         "%s is compared with %.4g m; what the program moves stays within %.3g m",
                         gmc_measure_infos[measure->measure].name, number->number, reach);
}

void gmc_build_check_plausible(const gmc_build *build, const double *values)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->object_count; i++) {
        check_density(build, &build->objects[i], values);
        check_size(build, &build->objects[i], values);
    }
    for (int i = 0; i < s->scene_count; i++) {
        check_density(build, &build->scene[i], values);
        check_size(build, &build->scene[i], values);
    }
    check_spreads(build);
    check_ways(build, values);
    double reach = values[s->workspace] + gmc_build_travel(s, values);
    for (int i = 0; i < s->at_end_count; i++)
        check_claim(build, s->at_end[i].expression, reach);
    for (int i = 0; i < s->always_count; i++)
        check_claim(build, s->always[i].expression, reach);
}
