// Numbers that may be meant, and hardly ever are: a unit that was forgotten makes metres of
// millimetres, radians of degrees and kilograms of grams. Refused are only pads thicker than the
// fingers that they are the outer part of.
#include "engine/model/mesh.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/expression.h"
#include "sampling/scenario/resolve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Osmium, the densest of what is handled, has 22 600 kg/m³; aerogels and foams have more than 1.
static const double DENSITY_MIN = 1, DENSITY_MAX = 25e3;
/// What a hand may hold, as meshes [m].
static const double LENGTH_MIN = GMC_MESH_SIZE_MIN, LENGTH_MAX = GMC_MESH_SIZE_MAX;
/// Angles that differ by more are the same ones again; with room for the digits of 2 pi [rad].
static const double TURN = 2 * GMC_PI * (1 + 1e-3);
/// A shake that is wider, and a length that is uncertain by more to each side [m].
static const double AMPLITUDE_MAX = 1, SPREAD_MAX = 1;

/// Of pads: gels have 1 kPa, diamond 1 TPa [Pa].
static const double MODULUS_MIN = 1e3, MODULUS_MAX = 2e12;
/// Coefficients of friction, torsional and rolling lengths [m], speeds without bounce [m/s] that
/// are larger.
static const double FRICTION_MAX = 10, TORSION_MAX = 1, ROLLING_MAX = 0.1, BOUNCE_MAX = 1;

static const gmc_diagnostic_kind density_kind = {"implausible density of", "bodies"},
                                 size_kind = {"implausible size of", "bodies"},
                                 way_kind = {"implausible way of", "numbers of the program"},
                                 spread_kind = {"lengths over more than 2 m in", "lines"},
                                 gravity_kind = {"upward", "gravities"},
                                 angle_kind = {"angles over more than a turn in", "lines"},
                                 turn_kind = {"many turns in", "angles"},
                                 pad_kind = {"a pad thicker than what carries it:", "bodies"},
                                 law_kind = {"implausible number of", "contacts"},
                                 reach_kind = {"out of reach:", "numbers of criteria"};

static void check_density(const gmc_build *build, const gmc_build_item *item, const double *values)
{
    const gmc_item_spec *spec = item->spec;
    gmc_param said = spec->mass >= 0 ? spec->mass : spec->density;
    if (!item->is_free || item->is_planar || said < 0 || spec->part_count > 0) return;
    double volume = gmc_build_unit_inertia(item, NULL, values).mass;
    double per_density = spec->mass >= 0 ? volume : 1;
    gmc_stray stray;
    if (!gmc_resolve_stray(build->scenario, said, per_density * DENSITY_MIN,
                           per_density * DENSITY_MAX, &stray))
        return;
    double density = stray.value / per_density;
    gmc_diagnostics_warn(
        build->report, stray.source, (gmc_diagnostic_subject){&density_kind, spec->path},
        "a number without a unit is in SI: kg, kg/m3", "%s: %.4g kg in %.4g cm3 is %.3g g/cm3, %s",
        spec->path, density * volume, 1e6 * volume, 1e-3 * density,
        density > DENSITY_MAX ? "denser than any metal" : "lighter than air");
}

/// One of its sizes that is too large, else too small; a thin plate has one that is as wide.
static bool find_size(const gmc_build *build, const gmc_item_spec *spec, gmc_stray *stray)
{
    gmc_stray one;
    for (int i = 0; i < 3 && spec->size[i] >= 0; i++)
        if (gmc_resolve_stray(build->scenario, spec->size[i], 0, LENGTH_MAX, stray)) return true;
    *stray = (gmc_stray){0};
    for (int i = 0; i < 3 && spec->size[i] >= 0; i++) {
        if (!gmc_resolve_stray(build->scenario, spec->size[i], LENGTH_MIN, LENGTH_MAX, &one))
            return false;
        if (one.value > stray->value) *stray = one;
    }
    return spec->size[0] >= 0;
}

// Meshes are looked at where they are read.
static void check_size(const gmc_build *build, const gmc_build_item *item)
{
    const gmc_item_spec *spec = item->spec;
    gmc_stray stray;
    if (!item->is_free || spec->kind == GMC_KIND_MESH || spec->kind == GMC_KIND_POLYGON ||
        spec->kind == GMC_KIND_SUPER_ELLIPSE || spec->part_count > 0 ||
        !find_size(build, spec, &stray))
        return;
    gmc_diagnostics_warn(build->report, stray.source,
                         (gmc_diagnostic_subject){&size_kind, spec->path},
                         "a number without a unit is in metres", "%s: %.4g m is %s for an object",
                         spec->path, stray.value, stray.value > LENGTH_MAX ? "large" : "small");
}

/// A number of a contact or of a pose that is hardly ever meant.
static void check_number(const gmc_build *build, gmc_param param, double low, double high,
                         const char *said, const char *hint)
{
    gmc_stray stray;
    if (param < 0 || !gmc_resolve_stray(build->scenario, param, low, high, &stray)) return;
    const char *path = build->scenario->parameters[param].path;
    char number[GMC_UNITS_TEXT];
    gmc_units_print(stray.value, number);
    gmc_diagnostics_warn(build->report, stray.source, (gmc_diagnostic_subject){&law_kind, path},
                         hint, "%s: %s %s", path, number, said);
}

static void check_contact(const gmc_build *build)
{
    static const char IN_METRES[] = "a number without a unit is in metres: 5 mm, not 5";
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->surface_count; i++)
        check_number(build, s->surfaces[i].pad_modulus, MODULUS_MIN, MODULUS_MAX,
                     "Pa is the modulus of no pad", "a number without a unit is in Pa: 1 MPa");
    for (int i = 0; i < s->friction_count; i++) {
        const gmc_friction_spec *f = &s->frictions[i];
        check_number(build, f->friction, 0, FRICTION_MAX, "is much for friction", "40 % is 0.4");
        check_number(build, f->torsion, 0, TORSION_MAX, "m is far for a patch", IN_METRES);
        check_number(build, f->rolling, 0, ROLLING_MAX, "m is far for what hinders rolling",
                     IN_METRES);
        check_number(build, f->bounce_speed, 0, BOUNCE_MAX, "m/s: nothing slower than that bounces",
                     "for example 10 mm/s");
    }
}

// A law that a parameter scales, as a deviation of `believed` does, is one of pure numbers.
static double scale_of(const gmc_uncertain *line, const double *values)
{
    return line->relation == GMC_RELATION_SCALED ? fabs(values[line->by]) : 1;
}

static void check_spreads(const gmc_build *build, const double *values)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->uncertain_count; i++) {
        const gmc_uncertain *line = &s->uncertain[i];
        if (line->change == GMC_CHANGE_MULTIPLY || line->tripod > 0 || line->target_count == 0 ||
            line->distribution.type == GMC_DISTRIBUTION_DISCRETE)
            continue;
        double scale = scale_of(line, values);
        gmc_dimension dimension = s->parameters[line->targets[0]].dimension;
        double lower, upper;
        gmc_distribution_range(&line->distribution, &lower, &upper);
        double span = scale * (upper - lower);
        if (dimension == GMC_DIM_ANGLE && span > TURN)
            gmc_diagnostics_warn(build->report, line->source,
                                 (gmc_diagnostic_subject){&angle_kind, line->path},
                                 "a number without a unit is in radians: 15 deg, not 15",
                                 "uncertain.%s spans %.4g deg", line->path, span * 180 / GMC_PI);
        if (dimension == GMC_DIM_LENGTH && span > 2 * SPREAD_MAX)
            gmc_diagnostics_warn(build->report, line->source,
                                 (gmc_diagnostic_subject){&spread_kind, line->path},
                                 "a number without a unit is in metres: 4 mm, not 4",
                                 "uncertain.%s spans %.4g m", line->path, span);
    }
}

// Positions of cases that lie far apart; sizes and ways of the program are looked at by themselves.
static void check_axes(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->axis_count; i++) {
        const gmc_axis_spec *axis = &s->axes[i];
        if (axis->target_count == 0 || !axis->values) continue;
        const gmc_parameter *p = &s->parameters[axis->targets[0]];
        if (p->dimension != GMC_DIM_LENGTH || p->lower >= 0 || strncmp(p->path, "program.", 8) == 0)
            continue;
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (int k = 0; k < axis->count; k++) {
            lower = fmin(lower, axis->values[k]);
            upper = fmax(upper, axis->values[k]);
        }
        if (upper - lower > 2 * SPREAD_MAX)
            gmc_diagnostics_warn(build->report, axis->source,
                                 (gmc_diagnostic_subject){&spread_kind, axis->path},
                                 "a number without a unit is in metres: 4 mm, not 4",
                                 "study.vary.%s spans %.4g m", axis->path, upper - lower);
    }
}

static void check_way(const gmc_build *build, gmc_param param, double most)
{
    gmc_stray stray;
    if (param < 0 || build->scenario->parameters[param].dimension != GMC_DIM_LENGTH) return;
    if (!gmc_resolve_stray(build->scenario, param, 0, most, &stray)) return;
    const char *path = build->scenario->parameters[param].path;
    gmc_diagnostics_warn(build->report, stray.source, (gmc_diagnostic_subject){&way_kind, path},
                         "a number without a unit is in metres: 100 mm, not 100",
                         "%s: %.4g m is far for a hand", path, stray.value);
}

// Is it the spread of a line that makes the value? check_spreads looks at that.
static bool is_spread(const gmc_stray *stray)
{
    double lower, upper;
    if (!stray->line || stray->line->change == GMC_CHANGE_MULTIPLY) return false;
    if (stray->line->change == GMC_CHANGE_ADD) return true;
    gmc_distribution_range(&stray->line->distribution, &lower, &upper);
    return upper - lower > TURN;
}

// Of positions, turns and swings: joints that go round and round have other numbers.
static void check_turns(const gmc_build *build)
{
    static const double TURNS = 2;
    for (int i = 0; i < build->scenario->parameter_count; i++) {
        const gmc_parameter *p = &build->scenario->parameters[i];
        gmc_stray stray;
        if (p->dimension != GMC_DIM_ANGLE ||
            !gmc_resolve_stray(build->scenario, i, 0, TURNS * TURN, &stray) || is_spread(&stray))
            continue;
        gmc_diagnostics_warn(
            build->report, stray.source, (gmc_diagnostic_subject){&turn_kind, p->path},
            "a number without a unit is in radians: 90 deg, not 90", "%s: %.4g deg are %.3g turns",
            p->path, stray.value * 180 / GMC_PI, fabs(stray.value) / (2 * GMC_PI));
    }
}

// A sign that was forgotten: whatever rests flies off.
static void check_gravity(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    gmc_param up = s->gravity[s->world == GMC_WORLD_PLANAR ? 1 : 2];
    bool has_floor = s->scene_count > 0;
    double lowest, highest;
    for (int i = 0; i < s->object_count; i++)
        has_floor = has_floor || s->objects[i].placed_resting;
    if (up < 0 || !has_floor || s->parameters[up].is_stand_in) return;
    gmc_resolve_nominal_range(s, up, &lowest, &highest);
    if (!(lowest > 0)) return;
    gmc_diagnostics_warn(build->report, s->parameters[up].source,
                         (gmc_diagnostic_subject){&gravity_kind, s->parameters[up].path},
                         "downwards is negative: -9.81 m/s2",
                         "%s: %.4g m/s2 points up, away from what things rest on",
                         s->parameters[up].path, lowest);
}

static void check_ways(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->phase_count; i++) {
        for (int k = 0; k < 3; k++)
            check_way(build, s->program[i].by[k], LENGTH_MAX);
        check_way(build, s->program[i].amplitude, AMPLITUDE_MAX);
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
    gmc_diagnostics_warn(
        build->report, number->source,
        (gmc_diagnostic_subject){&reach_kind, gmc_measure_infos[measure->measure].name},
        "a number without a unit is in metres",
        "%s is compared with %.4g m; what the program moves stays within %.3g m",
        gmc_measure_infos[measure->measure].name, number->number, reach);
}

// Middle of a shape's box in its own axes; of what no hand has: its origin.
static gmc_vec3 middle_of(const gmc_shape *shape)
{
    static const gmc_vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double ahead = gmc_build_reach(shape, AXES[k]);
        double behind = gmc_build_reach(shape, gmc_vec3_neg(AXES[k]));
        if (!isfinite(ahead)) return (gmc_vec3){0, 0, 0};
        middle = gmc_vec3_add_scaled(middle, 0.5 * (ahead - behind), AXES[k]);
    }
    return middle;
}

static bool is_same_link(const gmc_geom *a, const gmc_geom *b)
{
    return a->body == b->body && a->frame == b->frame && a->surface == b->surface;
}

/// How far what a link has of one surface reaches along a direction of its body.
static double size_along(const gmc_model *model, const gmc_geom *first, gmc_vec3 dir)
{
    double low = INFINITY, high = -INFINITY;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        if (!is_same_link(geom, first)) continue;
        gmc_vec3 along = gmc_mat3_apply_transposed(&geom->X_bg.R, dir);
        double at = gmc_vec3_dot(dir, geom->X_bg.p);
        low = fmin(low, at - gmc_build_reach(&geom->shape, gmc_vec3_neg(along)));
        high = fmax(high, at + gmc_build_reach(&geom->shape, along));
    }
    return high - low;
}

/// Where a link goes when its joint moves, in its body's frame; zero: it has none of its own.
static gmc_vec3 way_of(const gmc_model *model, const gmc_geom *geom)
{
    const gmc_body *body = &model->bodies[geom->body];
    gmc_vec3 middle = middle_of(&geom->shape);
    if (body->joint == GMC_JOINT_PRISMATIC) return body->axis;
    if (body->joint != GMC_JOINT_REVOLUTE) return (gmc_vec3){0, 0, 0};
    return gmc_vec3_unit(gmc_vec3_cross(body->axis, gmc_pose_apply(&geom->X_bg, middle)));
}

/// The least size of what a link has of one surface, along the axes of its body or where it goes.
static double least_size(const gmc_model *model, const gmc_geom *first, bool is_along_way)
{
    static const gmc_vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    gmc_vec3 way = way_of(model, first);
    double least = INFINITY;
    if (is_along_way && gmc_vec3_dot(way, way) > 0) return size_along(model, first, way);
    if (is_along_way) return INFINITY;
    for (int k = 0; k < 3; k++)
        least = fmin(least, size_along(model, first, AXES[k]));
    return least;
}

/// What has least of the surface, and how much; NULL: nothing has any.
/// @param is_along_way  of links of the hand that close, along their way
static const gmc_geom *thinnest_of(const gmc_build *build, const gmc_model *model, int setting,
                                   bool is_along_way, double *least)
{
    const gmc_geom *thinnest = NULL;
    *least = INFINITY;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        bool is_meant = !is_along_way || geom->category == GMC_CATEGORY_HAND;
        if (!is_meant || build->surface_setting[geom->surface] != setting) continue;
        double size = least_size(model, geom, is_along_way);
        if (!(size < *least)) continue;
        *least = size;
        thinnest = geom;
    }
    return thinnest;
}

static const char pad_hint[] = "the layer is the outer part of the shape: make it thinner, or the "
                               "shape thicker; without unit it is in m";

/// Along the way of a finger there has to be as much of it: jaws would meet within the object.
/// @return false: there is not, at its nominal value or of some case; said
static bool check_pad_along(const gmc_build *build, const gmc_surface_spec *spec, int setting)
{
    const gmc_model *model = &build->models[0];
    gmc_parameter *thickness = &build->scenario->parameters[spec->pad_thickness];
    double least, lowest, highest;
    const gmc_geom *thinnest = thinnest_of(build, model, setting, true, &least);
    if (!thinnest) return true;
    gmc_resolve_nominal_range(build->scenario, spec->pad_thickness, &lowest, &highest);
    if (highest > least) {
        gmc_diagnostics_add(build->report, GMC_E_INPUT, thickness->source, pad_hint,
                            "surfaces.%s.pad: %.4g mm are more than link `%s` has where it "
                            "closes, %.4g mm",
                            spec->name, 1e3 * highest, gmc_build_name(model, thinnest),
                            1e3 * least);
        return false;
    }
    if (!(least < thickness->upper)) return true;
    thickness->upper = least; // what is drawn beyond it ends as unsolved
    gmc_resolve_foresee(build->scenario, spec->pad_thickness, build->report);
    return true;
}

// Along other axes it may be meant: a blade presses by its edge.
static void check_pad(const gmc_build *build, int setting, const double *values)
{
    const gmc_surface_spec *spec = &build->scenario->surfaces[setting];
    const gmc_source source = build->scenario->parameters[spec->pad_thickness].source;
    double thickness = values[spec->pad_thickness], least;
    if (build->hand.has && !check_pad_along(build, spec, setting)) return;
    for (int i = 0; i < build->scenario->object_count; i++) {
        const gmc_model *model = &build->models[i];
        const gmc_geom *thinnest = thinnest_of(build, model, setting, false, &least);
        if (!thinnest || !(thickness > least)) continue;
        const char *name = gmc_build_name(model, thinnest);
        gmc_diagnostics_warn(build->report, source, (gmc_diagnostic_subject){&pad_kind, name},
                             pad_hint, "surfaces.%s.pad: %.4g mm are more than %s`%s` has, %.4g mm",
                             spec->name, 1e3 * thickness,
                             thinnest->category == GMC_CATEGORY_HAND ? "link " : "", name,
                             1e3 * least);
        return;
    }
}

static void check_pads(const gmc_build *build, const double *values)
{
    for (int i = 0; i < build->scenario->surface_count; i++)
        if (build->scenario->surfaces[i].pad_thickness >= 0) check_pad(build, i, values);
}

void gmc_build_check_plausible(const gmc_build *build, const double *values)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->object_count; i++) {
        check_density(build, &build->objects[i], values);
        check_size(build, &build->objects[i]);
    }
    for (int i = 0; i < s->scene_count; i++) {
        check_density(build, &build->scene[i], values);
        check_size(build, &build->scene[i]);
    }
    check_pads(build, values);
    check_contact(build);
    check_spreads(build, values);
    check_axes(build);
    check_ways(build);
    check_turns(build);
    check_gravity(build);
    double reach = values[s->workspace] + gmc_build_travel(s, values);
    for (int i = 0; i < s->at_end_count; i++)
        check_claim(build, s->at_end[i].expression, reach);
    for (int i = 0; i < s->always_count; i++)
        check_claim(build, s->always[i].expression, reach);
}
