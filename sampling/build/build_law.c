// What a pair of surfaces does in one trial: from what each side is made of, and what the scenario
// says of the pair.
#include "sampling/build/build_internal.h"

#include <math.h>

// Contact stiffness of one side where the scenario is silent: two in series give 1e6 N/m, 20 um
// under 20 N. Rubber pads have 1e4 to 1e5 N/m, a point of metal on plastic 1e6 to 1e7.
static const double SIDE_STIFFNESS = 2e6;
// Relaxation time of a contact: with 1e6 N/m and a body of 0.2 kg damping is critical
// (2 sqrt(k m) / k = 0.9 ms).
static const double RELAXATION = 1e-3;
static const double POISSON = 0.3;

typedef struct side_law {
    double stiffness, relaxation, poisson;
} side_law;

static side_law side_of(const gmc_build *build, const double *values, int surface)
{
    side_law side = {SIDE_STIFFNESS, RELAXATION, POISSON};
    int setting = build->surface_setting[surface];
    if (setting < 0) return side;
    const gmc_surface_spec *spec = &build->scenario->surfaces[setting];
    side.stiffness = gmc_build_value(values, spec->stiffness, side.stiffness);
    side.relaxation = gmc_build_value(values, spec->relaxation, side.relaxation);
    side.poisson = gmc_build_value(values, spec->poisson, side.poisson);
    return side;
}

// A layer's compliance per area, normal and in shear (coulomb_pad.c), and its thickness; false: no pad.
static bool layer_of(const gmc_build *build, const double *values, int surface, double *normal,
                     double *shear, double *thickness)
{
    int setting = build->surface_setting[surface];
    if (setting < 0) return false;
    const gmc_surface_spec *spec = &build->scenario->surfaces[setting];
    if (spec->pad_thickness < 0 || spec->pad_modulus < 0) return false;
    double t = values[spec->pad_thickness], E = values[spec->pad_modulus];
    double nu = gmc_build_value(values, spec->pad_poisson, 0);
    *normal += (1 + nu) * (1 - 2 * nu) * t / (E * (1 - nu));
    *shear += 2 * (1 + nu) * t / E;
    *thickness += t;
    return true;
}

// Two layers in series bear one pressure: the one that is at its bottom under less of it comes
// there first, and what is added then goes into the other alone.
static void stack_pads(const double compliance[2], const double thickness[2],
                       gmc_surface_extra *extra)
{
    double at[2]; // pressures
    for (int i = 0; i < 2; i++)
        at[i] = GMC_PAD_CORE * thickness[i] / compliance[i];
    int soft = at[1] < at[0];
    extra->pad_soft = thickness[soft] / (compliance[soft] * extra->pad);
    if (at[0] == at[1]) return;
    extra->pad_firm = 1 / compliance[!soft] - extra->pad;
    extra->pad_firm_at = at[soft] / extra->pad;
}

// One or two layers in series, in place of the stiffness of points; relaxation is that of the
// layer.
static void lay_pads(const gmc_build *build, const double *values, const int pair[2],
                     gmc_surface_law *law, gmc_surface_extra *extra)
{
    double normal = 0, shear = 0, relaxation = 0, compliance[2] = {0, 0}, thickness[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        double before = normal, edge = extra->pad_edge;
        if (layer_of(build, values, pair[i], &normal, &shear, &extra->pad_edge))
            relaxation += (normal - before) * side_of(build, values, pair[i]).relaxation;
        compliance[i] = normal - before;
        thickness[i] = extra->pad_edge - edge;
    }
    if (!(normal > 0)) return;
    extra->pad = 1 / normal;
    extra->pad_shear = normal / shear;
    bool is_equal = compliance[0] == compliance[1];
    extra->pad_surface = is_equal ? -1 : pair[compliance[1] > compliance[0]];
    if (compliance[0] > 0 && compliance[1] > 0) stack_pads(compliance, thickness, extra);
    law->relaxation = relaxation / normal;
}

static bool has_pad(const gmc_build *build, const int pair[2])
{
    for (int i = 0; i < 2; i++) {
        int setting = build->surface_setting[pair[i]];
        if (setting >= 0 && build->scenario->surfaces[setting].pad_modulus >= 0) return true;
    }
    return false;
}

// Two sides in series: compliances add, and with them what each relaxes by.
static gmc_surface_law make_law(const gmc_build *build, const double *values, int a, int b,
                                double friction)
{
    side_law s = side_of(build, values, a), t = side_of(build, values, b);
    double ca = 1 / s.stiffness, cb = 1 / t.stiffness;
    double poisson = (s.poisson + t.poisson) / 2;
    return (gmc_surface_law){.is_given = true,
                             .friction = friction,
                             .stiffness = 1 / (ca + cb),
                             .relaxation = (ca * s.relaxation + cb * t.relaxation) / (ca + cb),
                             .tangential_ratio = 2 * (1 - poisson) / (2 - poisson)};
}

// The surface of a pair that carries the grain, the first named one first; -1: none.
static int grain_of(const gmc_build *build, const double *values, const int pair[2],
                    gmc_vec3 *grain)
{
    for (int i = 0; i < 2; i++) {
        int setting = build->surface_setting[pair[i]];
        if (setting < 0) continue;
        const gmc_param *g = build->scenario->surfaces[setting].grain;
        if (g[0] < 0) continue;
        *grain = (gmc_vec3){values[g[0]], values[g[1]], values[g[2]]};
        if (gmc_vec3_norm(*grain) > 0) return pair[i];
    }
    return -1;
}

// Coefficients below a pair are shares of its first one as written, so that whatever changes that
// (chance, a study, a `set` phase) scales them all.
static gmc_status make_extra(const gmc_build *build, const double *values,
                             const gmc_friction_spec *spec, const int pair[2], gmc_arena *arena,
                             gmc_surface_law *law)
{
    // no other stepper is to see it: contacts without extras take a shorter way
    bool has_ratio = spec->damping_ratio >= 0 && gmc_build_can(build, GMC_CAN_DAMPING_RATIO);
    if (!has_ratio && spec->kinetic < 0 && spec->across < 0 && spec->torsion < 0 &&
        spec->rolling < 0 && spec->restitution < 0 && !has_pad(build, pair))
        return GMC_OK;
    gmc_surface_extra *made = GMC_NEW(arena, 1, gmc_surface_extra);
    if (!made) return GMC_E_ARENA_FULL;
    double rest = build->scenario->parameters[spec->friction].nominal;
    if (spec->kinetic >= 0 && rest > 0)
        made->kinetic_loss = fmax(1 - values[spec->kinetic] / rest, 0);
    made->threshold = gmc_build_value(values, spec->threshold, 0);
    if (spec->across >= 0 && rest > 0) {
        made->grain_surface = grain_of(build, values, pair, &made->grain);
        made->has_grain = made->grain_surface >= 0;
        made->across_ratio = values[spec->across] / rest;
        if (made->has_grain)
            made->grain = gmc_vec3_scale(1 / gmc_vec3_norm(made->grain), made->grain);
    }
    made->torsion = gmc_build_value(values, spec->torsion, 0);
    made->rolling = gmc_build_value(values, spec->rolling, 0);
    made->restitution = gmc_build_value(values, spec->restitution, 0);
    made->bounce_speed = gmc_build_value(values, spec->bounce_speed, 0);
    made->has_damping_ratio = has_ratio;
    made->damping_ratio = gmc_build_value(values, spec->damping_ratio, 0);
    lay_pads(build, values, pair, law, made);
    law->extra = made;
    return GMC_OK;
}

gmc_status gmc_build_laws(const gmc_build *build, const double *values, gmc_arena *arena,
                          gmc_model *model)
{
    for (int i = 0; i < build->scenario->friction_count; i++) {
        const gmc_friction_spec *spec = &build->scenario->frictions[i];
        const int *pair = build->friction_pair[i];
        if (pair[0] < 0) continue;
        gmc_surface_law law = make_law(build, values, pair[0], pair[1], values[spec->friction]);
        GMC_TRY(make_extra(build, values, spec, pair, arena, &law));
        model->laws[pair[0] * model->surface_count + pair[1]] = law;
        model->laws[pair[1] * model->surface_count + pair[0]] = law;
    }
    return GMC_OK;
}
