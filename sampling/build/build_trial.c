// One trial's model: a copy of the compiled one with the trial's numbers in their places. Order
// matters: sizes, then mass properties, then poses (an object placed resting stands on its own
// lowest point), then the hand, which goes to where the robot believes the object to be.
#include "engine/base/check.h"
#include "engine/contact/stepper.h"
#include "engine/math/elementary.h"
#include "engine/model/inertia.h"
#include "engine/model/polygon.h"
#include "engine/model/support.h"
#include "sampling/build/build_internal.h"
#include "sampling/language/node.h"
#include "sampling/random/rotation.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- where things lie ---------------------------------------------------------------------------
// Where things start. `placed: resting` shifts an item along z until it touches what is below it:
// the plane of the face through which the vertical line of its origin leaves a fixed body. A convex
// body lies on one side of that plane, so nothing placed like this overlaps the body it rests on;
// on a flat top or a slope it touches it exactly.
//
// Steeper faces than STEEP hold nothing: there the item goes above the whole body.
//
// Rejected: resting on the supports' bounding boxes, which leaves things hanging over slopes and
// over the corners of turned boxes.

/// Cosine of the slope beyond which a face is no place to rest: 60 degrees.
static const double STEEP = 0.5;

/// The plane n · x = offset, n up.
typedef struct upper_face {
    gmc_vec3 n; ///< unit, n.z > 0
    double offset;
} upper_face;

/// A line p + s d in a shape's frame, and where it leaves the shape so far.
typedef struct crossing {
    gmc_vec3 p, d;
    double enters, leaves; ///< values of s
    gmc_vec3 n;            ///< outer normal where it leaves
} crossing;

// Cut the line with the half space n · x <= offset.
static void cut_by_plane(crossing *line, gmc_vec3 n, double offset)
{
    double rate = gmc_vec3_dot(n, line->d), gap = offset - gmc_vec3_dot(n, line->p);
    if (rate > 0 && gap / rate < line->leaves) {
        line->leaves = gap / rate;
        line->n = n;
    } else if (rate < 0) {
        line->enters = fmax(line->enters, gap / rate);
    } else if (rate == 0 && gap < 0) {
        line->leaves = -INFINITY;
    }
}

// Cut the line with the points nearer than radius to the segment of +-half_length on z (0: a ball)
// or, if is_endless, to the whole z axis.
static void cut_by_round(crossing *line, double radius, double z, bool is_endless)
{
    gmc_vec3 p = line->p, d = line->d;
    p.z = is_endless ? 0 : p.z - z;
    d.z = is_endless ? 0 : d.z;
    double a = gmc_vec3_dot(d, d), b = gmc_vec3_dot(p, d);
    double c = gmc_vec3_dot(p, p) - radius * radius, root = b * b - a * c;
    if (a < 1e-24 ? c > 0 : root < 0) {
        line->leaves = -INFINITY;
        return;
    }
    if (a < 1e-24) return; // along the axis, inside
    double leaves = (-b + sqrt(root)) / a;
    line->enters = fmax(line->enters, (-b - sqrt(root)) / a);
    if (leaves >= line->leaves) return;
    line->leaves = leaves;
    line->n = gmc_vec3_unit(gmc_vec3_add_scaled(p, leaves, d));
}

static void cut_by_box(crossing *line, gmc_vec3 half)
{
    const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double sizes[3] = {half.x, half.y, half.z};
    for (int i = 0; i < 3; i++) {
        cut_by_plane(line, axes[i], sizes[i]);
        cut_by_plane(line, gmc_vec3_neg(axes[i]), sizes[i]);
    }
}

// A capsule is as high as the highest of its cylinder and its two balls.
static void cut_by_capsule(crossing *line, const gmc_shape *shape)
{
    const gmc_vec3 up = {0, 0, 1};
    crossing parts[3] = {*line, *line, *line}, best = *line;
    cut_by_round(&parts[0], shape->radius, 0, true);
    cut_by_plane(&parts[0], up, shape->half_length);
    cut_by_plane(&parts[0], gmc_vec3_neg(up), shape->half_length);
    cut_by_round(&parts[1], shape->radius, shape->half_length, false);
    cut_by_round(&parts[2], shape->radius, -shape->half_length, false);
    best.leaves = -INFINITY;
    for (int i = 0; i < 3; i++)
        if (parts[i].enters <= parts[i].leaves && parts[i].leaves > best.leaves) best = parts[i];
    *line = best;
}

static void cut_by_shape(crossing *line, const gmc_shape *shape)
{
    const gmc_vec3 up = {0, 0, 1};
    switch (shape->type) {
    case GMC_SHAPE_SPHERE:
        cut_by_round(line, shape->radius, 0, false);
        break;
    case GMC_SHAPE_CAPSULE:
        cut_by_capsule(line, shape);
        break;
    case GMC_SHAPE_BOX:
        cut_by_box(line, shape->half);
        break;
    case GMC_SHAPE_CYLINDER:
        cut_by_round(line, shape->radius, 0, true);
        cut_by_plane(line, up, shape->half_length);
        cut_by_plane(line, gmc_vec3_neg(up), shape->half_length);
        break;
    case GMC_SHAPE_POLYTOPE:
        for (int i = 0; i < shape->polytope->face_count; i++)
            cut_by_plane(line, shape->polytope->face_normals[i],
                         shape->scale * shape->polytope->face_offsets[i]);
        break;
    case GMC_SHAPE_PLANE:
        cut_by_plane(line, up, 0);
        break;
    case GMC_SHAPE_POLYGON:
    case GMC_SHAPE_CIRCLE:
    case GMC_SHAPE_SUPER_ELLIPSE:
    case GMC_SHAPE_COUNT:
        break;
    }
}

// The face of a geom through which the vertical line of a point leaves it; false if it misses.
static bool top_face(const gmc_model *model, const gmc_pose *X_wb, int geom, gmc_vec3 point,
                     upper_face *top)
{
    gmc_pose X = gmc_pose_multiply(X_wb, &model->geoms[geom].X_bg);
    crossing line = {.p = gmc_pose_apply_inverse(&X, point),
                     .d = gmc_mat3_apply_transposed(&X.R, (gmc_vec3){0, 0, 1}),
                     .enters = -INFINITY,
                     .leaves = INFINITY};
    cut_by_shape(&line, &model->geoms[geom].shape);
    if (!(line.enters <= line.leaves) || isinf(line.leaves)) return false;
    gmc_vec3 on_top = {point.x, point.y, point.z + line.leaves};
    top->n = gmc_mat3_apply(&X.R, line.n);
    top->offset = gmc_vec3_dot(top->n, on_top);
    if (top->n.z >= STEEP) return true;
    double reach = gmc_build_reach(&model->geoms[geom].shape, line.d);
    *top = (upper_face){.n = {0, 0, 1}, .offset = X.p.z + reach};
    return isfinite(reach);
}

// How far up the item must go until it lies above the support.
static double shift_onto(const gmc_model *model, const gmc_build_item *item, const gmc_pose *X_wb,
                         const upper_face *top)
{
    double lowest = INFINITY;
    for (int g = item->geom; g < item->geom + item->geom_count; g++) {
        gmc_pose X = gmc_pose_multiply(X_wb, &model->geoms[g].X_bg);
        gmc_vec3 down = gmc_mat3_apply_transposed(&X.R, gmc_vec3_neg(top->n));
        double reach = gmc_build_reach(&model->geoms[g].shape, down);
        lowest = fmin(lowest, gmc_vec3_dot(X.p, top->n) - reach);
    }
    return (top->offset - lowest) / top->n.z;
}

// Does the face count? Of what is set down from a height only what is not above that.
static bool is_below(const gmc_build_item *item, const gmc_pose *X_wb, const upper_face *top)
{
    static const double ROUNDING = 1e-9; // of heights that are meant to be equal [m]
    double above = top->offset - gmc_vec3_dot(top->n, X_wb->p);
    return !item->spec->has_height || above <= ROUNDING * top->n.z;
}

// Start pose of an item that moves; `placed: resting` looks at the sizes and fixed bodies in
// `model`.
static gmc_pose place_item(const gmc_build *build, const gmc_model *model,
                           const gmc_build_item *item, const double *values)
{
    gmc_pose X = gmc_build_pose(values, &item->spec->pose);
    if (!item->spec->placed_resting) return X;
    const upper_face floor = {.n = {0, 0, 1}, .offset = 0};
    upper_face top;
    double shift = -INFINITY;
    for (int i = 0; i < build->scenario->scene_count; i++) {
        const gmc_build_item *below = &build->scene[i];
        const gmc_pose *X_wb = &model->bodies[below->body].X_pj;
        for (int g = below->geom; !below->is_free && g < below->geom + below->geom_count; g++)
            if (top_face(model, X_wb, g, X.p, &top) && is_below(item, &X, &top))
                shift = fmax(shift, shift_onto(model, item, &X, &top));
    }
    X.p.z += isfinite(shift) ? shift : shift_onto(model, item, &X, &floor);
    return X;
}

// ---- laws of pairs of surfaces ------------------------------------------------------------------
// What a pair of surfaces does in one trial: from what each side is made of, and what the scenario
// says of the pair.

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

// A layer's compliance per area, normal and in shear (coulomb_pad.c), and its thickness; false: no
// pad.
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

// Laws of all pairs of surfaces for one trial; what they have beyond one coefficient lives in
// `arena`. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status build_laws(const gmc_build *build, const double *values, gmc_arena *arena,
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

// ---- planar worlds ------------------------------------------------------------------------------
// Shapes of planar worlds. Solids are taken by their section with the plane z = 0, in which their
// bodies stay, and keep the mass properties of the solid: a ball in the plane still rolls as a
// ball. A rectangle is made anew in every trial, for chance may change its sizes. Polygons are cut
// once, and again in a trial that moves their vertices; how many pieces that gives is not known
// before, so there are as many geoms as it can be, triangles at worst.

// A trial's numbers into a shape of a planar world; a polygon keeps its piece. What the shape
// points to lives in `arena`. @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status build_section(const gmc_item_spec *spec, const double *values, gmc_arena *arena,
                                gmc_shape *shape)
{
    switch (spec->kind) {
    case GMC_KIND_BOX:
        return gmc_build_rectangle(gmc_build_value(values, spec->size[0], 0) / 2,
                                   gmc_build_value(values, spec->size[1], 0) / 2, arena, shape);
    case GMC_KIND_SPHERE:
    case GMC_KIND_CAPSULE:
    case GMC_KIND_CYLINDER:
        *shape = (gmc_shape){.type = GMC_SHAPE_CIRCLE,
                             .radius = gmc_build_value(values, spec->size[0], 0),
                             .half_length = GMC_BUILD_THICKNESS / 2,
                             .scale = 1};
        return GMC_OK;
    case GMC_KIND_CIRCLE:
    case GMC_KIND_SUPER_ELLIPSE:
        *shape = gmc_build_solid(spec, values);
        return GMC_OK;
    case GMC_KIND_POLYGON:
        gmc_build_sizes(spec, values, shape);
        return GMC_OK;
    case GMC_KIND_NONE: // these are refused
    case GMC_KIND_PLANE:
    case GMC_KIND_MESH:
        break;
    }
    return GMC_OK;
}

static gmc_status cut_polygon(gmc_build *build, const gmc_item_spec *spec,
                              gmc_polygon_pieces *pieces)
{
    gmc_status status =
        gmc_polygon_split(spec->vertices, spec->vertex_count, &build->arena, pieces);
    if (status == GMC_E_INPUT)
        gmc_diagnostics_add(build->report, GMC_E_INPUT, spec->source,
                            "leave out vertices that lie almost on others or on edges",
                            "%s: the polygon is so thin that rounding hides its inside",
                            spec->path);
    return status;
}

static gmc_inertia weigh(const gmc_polygon_pieces *pieces)
{
    gmc_inertia whole = {0};
    for (int i = 0; i < pieces->count; i++) {
        gmc_shape shape = gmc_polygon_shape(&pieces->pieces[i], 1);
        gmc_inertia piece = gmc_inertia_of_shape(&shape, 1);
        whole = gmc_inertia_combine(&whole, &piece);
    }
    return whole;
}

static bool is_shaped(const gmc_scenario *scenario, const gmc_item_spec *spec)
{
    for (int i = 0; spec->vertex_params && i < 2 * spec->vertex_count; i++)
        if (gmc_build_may_change(scenario, spec->vertex_params[i])) return true;
    return false;
}

static const gmc_item_spec *spec_of(const gmc_build_item *item, int part)
{
    return part == 0 ? item->spec : &item->spec->parts[part - 1];
}

static gmc_status piece_shape(const gmc_polygon_pieces *pieces, int index,
                              const gmc_item_spec *spec, const double *values, gmc_arena *arena,
                              gmc_shape *shape)
{
    *shape = gmc_polygon_shape(&pieces->pieces[index], 1);
    return build_section(spec, values, arena, shape);
}

gmc_status gmc_build_planar_shapes(gmc_build *build, gmc_build_item *item, const double *values,
                                   gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    int count = 1 + spec->part_count, total = 0;
    gmc_polygon_pieces *pieces = GMC_NEW(&build->arena, count, gmc_polygon_pieces);
    bool *shaped = GMC_NEW(&build->arena, count, bool);
    int *geoms = GMC_NEW(&build->arena, count, int);
    if (!pieces || !shaped || !geoms) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++) {
        const gmc_item_spec *one = spec_of(item, i);
        geoms[i] = 1;
        if (one->kind == GMC_KIND_POLYGON) {
            GMC_TRY(cut_polygon(build, one, &pieces[i]));
            shaped[i] = is_shaped(build->scenario, one);
            geoms[i] = shaped[i] ? one->vertex_count - 2 : pieces[i].count;
        }
        total += geoms[i];
    }
    *shapes = GMC_NEW(&build->arena, total, gmc_shape);
    if (!*shapes) return GMC_E_ARENA_FULL;
    gmc_shape *next = *shapes;
    for (int i = 0; i < count; next += geoms[i++]) {
        const gmc_item_spec *one = spec_of(item, i);
        if (one->kind != GMC_KIND_POLYGON) GMC_TRY(build_section(one, values, &build->arena, next));
        // geoms without a piece lie where the first one is and touch nothing
        for (int k = 0; one->kind == GMC_KIND_POLYGON && k < geoms[i]; k++)
            GMC_TRY(piece_shape(&pieces[i], k < pieces[i].count ? k : 0, one, values, &build->arena,
                                &next[k]));
    }
    if (spec->kind == GMC_KIND_POLYGON) item->unit = weigh(&pieces[0]);
    item->pieces = pieces;
    item->is_shaped = shaped;
    item->own_count = geoms[0];
    item->part_geoms = geoms + 1;
    item->geom_count = total;
    return GMC_OK;
}

// ---- sections of a trial ------------------------------------------------------------------------

// Vertices of a trial; NULL without mistake: they are those that were compiled.
static gmc_status take_vertices(const gmc_item_spec *spec, const double *values, gmc_arena *arena,
                                gmc_vec2 **vertices)
{
    bool is_same = true;
    *vertices = NULL;
    for (int i = 0; is_same && i < spec->vertex_count; i++)
        is_same = values[spec->vertex_params[2 * i]] == spec->vertices[i].x &&
                  values[spec->vertex_params[2 * i + 1]] == spec->vertices[i].y;
    if (is_same) return GMC_OK;
    *vertices = GMC_NEW(arena, spec->vertex_count, gmc_vec2);
    if (!*vertices) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->vertex_count; i++)
        (*vertices)[i] =
            (gmc_vec2){values[spec->vertex_params[2 * i]], values[spec->vertex_params[2 * i + 1]]};
    return GMC_OK;
}

// A polygon that is not the compiled one, in as many of its geoms as it has pieces now.
static gmc_status reshape(const gmc_item_spec *spec, const double *values, gmc_arena *arena,
                          gmc_geom *geoms, int count, gmc_inertia *unit)
{
    gmc_vec2 *vertices = NULL;
    gmc_polygon_pieces pieces;
    GMC_TRY(take_vertices(spec, values, arena, &vertices));
    if (!vertices) return GMC_OK;
    GMC_TRY(gmc_polygon_split(vertices, spec->vertex_count, arena, &pieces));
    const unsigned category = geoms[0].category, mask = geoms[0].mask; // the first is never spare
    for (int k = 0; k < count; k++) {
        bool is_spare = k >= pieces.count;
        GMC_TRY(piece_shape(&pieces, is_spare ? 0 : k, spec, values, arena, &geoms[k].shape));
        geoms[k].category = is_spare ? 0 : category;
        geoms[k].mask = is_spare ? 0 : mask;
    }
    if (unit) *unit = weigh(&pieces);
    return GMC_OK;
}

// A trial's shapes of an item of a planar world, with polygons cut anew where they are not as
// compiled.
// @param unit  out: mass properties of its own polygon at density and thickness 1
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY, GMC_E_INPUT: a polygon that is none
static gmc_status build_put_sections(const gmc_build_item *item, const double *values,
                                     gmc_arena *arena, gmc_model *model, gmc_inertia *unit)
{
    gmc_geom *geom = model->geoms + item->geom;
    for (int part = 0; part <= item->spec->part_count; part++) {
        const gmc_item_spec *spec = spec_of(item, part);
        int count = part == 0 ? item->own_count : item->part_geoms[part - 1];
        for (int k = 0; k < count; k++) {
            GMC_TRY(build_section(spec, values, arena, &geom[k].shape));
            if (part > 0) geom[k].X_bg = gmc_build_pose(values, &spec->pose);
        }
        if (item->is_shaped && item->is_shaped[part])
            GMC_TRY(reshape(spec, values, arena, geom, count, part == 0 ? unit : NULL));
        geom += count;
    }
    return GMC_OK;
}

// ---- where the robot believes the object to be --------------------------------------------------

// Where the robot sees the object: the true pose and a camera's error. With the true pose X_wo and
// the camera's axes R_wc,
//
//   place      p = p_wo + R_wc e          e  x, y, z of the error [m]
//   direction  R = exp([R_wc r]) R_wo T   r  roll, pitch, yaw: a rotation vector [rad]
//
// T turns about an axis of the object where the trial is an outlier. The turn is about the object's
// origin: errors of place and direction are those of the pose that a hand's target hangs on.
//
// Rejected: errors of roll, pitch and yaw as Euler angles in the camera. Their covariance is that
// of no rotation, and an estimator that reports one reports a rotation vector.

/// Nearer to the vertical than this a camera has no upright picture of its own [rad].
static const double VERTICAL = 1e-6;

/// Nearer than this a camera looks at nothing [m].
static const double NEAREST = 1e-9;

// Axes of an upright picture of `at`, seen from `from`.
static gmc_status axes_of_view(gmc_vec3 from, gmc_vec3 at, gmc_mat3 *R_wc)
{
    gmc_vec3 way = gmc_vec3_sub(at, from);
    if (!(gmc_vec3_norm(way) > NEAREST)) return GMC_E_INPUT;
    gmc_vec3 z = gmc_vec3_unit(way), x = gmc_vec3_cross(z, (gmc_vec3){0, 0, 1});
    if (gmc_vec3_norm(x) < VERTICAL) x = gmc_vec3_cross(z, (gmc_vec3){0, 1, 0});
    x = gmc_vec3_unit(x);
    gmc_vec3 y = gmc_vec3_cross(z, x);
    *R_wc = (gmc_mat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
    return GMC_OK;
}

static gmc_vec3 vector_of(const double *values, const gmc_param xyz[3])
{
    return (gmc_vec3){gmc_build_value(values, xyz[0], 0), gmc_build_value(values, xyz[1], 0),
                      gmc_build_value(values, xyz[2], 0)};
}

/// What is needed to say where the robot sees the object in a trial.
typedef struct believed_in {
    const double *values;           ///< the trial's
    gmc_pose truth;                 ///< of the object, placed
    const double *nominal_values;   ///< of the case, without chance
    const gmc_model *nominal_model; ///< with the scene where it nominally is
    gmc_pose nominal;               ///< of the object: what cameras look at
} believed_in;

// The camera's axes. Where it was pointed is nominal, where it stands is true.
static gmc_status axes_of(const gmc_build *build, const believed_in *in,
                          const gmc_camera_spec *camera, gmc_mat3 *R_wc)
{
    gmc_vec3 from = vector_of(in->values, camera->xyz), at = in->nominal.p;
    switch (camera->aim) {
    case GMC_AIM_NONE: {
        gmc_pose_spec turned = {-1, -1, -1, camera->roll, camera->pitch, camera->yaw};
        *R_wc = gmc_build_pose(in->values, &turned).R;
        return GMC_OK;
    }
    case GMC_AIM_OBJECT:
        break;
    case GMC_AIM_SCENE:
        at = place_item(build, in->nominal_model, &build->scene[camera->scene], in->nominal_values)
                 .p;
        break;
    case GMC_AIM_POINT:
        at = vector_of(in->values, camera->point);
        break;
    }
    return axes_of_view(from, at, R_wc);
}

// How `believed` has the object seen; only if the scenario gives a sight.
// @return GMC_OK, GMC_E_INPUT: a camera stands in what it looks at
static gmc_status find_sight(const gmc_build *build, const believed_in *in, gmc_sighting *seen)
{
    const gmc_sight_spec *sight = &build->scenario->sight;
    gmc_mat3 R_wc = gmc_mat3_identity();
    double growth = 1;
    if (sight->camera >= 0) {
        const gmc_camera_spec *camera = &build->scenario->cameras[sight->camera];
        GMC_TRY(axes_of(build, in, camera, &R_wc));
        gmc_vec3 way = gmc_vec3_sub(in->truth.p, vector_of(in->values, camera->xyz));
        if (sight->distance >= 0)
            growth = gmc_pow(gmc_vec3_norm(way) / in->values[sight->distance],
                             gmc_build_value(in->values, sight->power, 1));
    }
    gmc_vec3 place = gmc_vec3_scale(growth, vector_of(in->values, sight->error));
    gmc_vec3 turn = gmc_vec3_scale(growth, vector_of(in->values, sight->error + 3));
    seen->shift = gmc_mat3_apply(&R_wc, place);
    seen->turn = gmc_quat_matrix(gmc_quat_exp(gmc_mat3_apply(&R_wc, turn)));
    seen->own = gmc_mat3_identity();
    if (gmc_build_value(in->values, sight->outlier, 0) > 0.5) {
        double by = gmc_build_value(in->values, sight->turn, 0);
        gmc_vec3 about = {sight->about == 0 ? by : 0, sight->about == 1 ? by : 0,
                          sight->about == 2 ? by : 0};
        seen->own = gmc_quat_matrix(gmc_quat_exp(about));
    }
    return GMC_OK;
}

// ---- course -----------------------------------------------------------------------------------

// Functions of time in a trial: paths of driven bodies, forces on free ones.

static gmc_status make_curve(const gmc_curve_spec *spec, const double *values, gmc_arena *arena,
                             gmc_curve *curve)
{
    *curve = (gmc_curve){.count = spec->count};
    if (spec->count == 0) return GMC_OK;
    double *time = GMC_NEW(arena, spec->count, double);
    double *value = GMC_NEW(arena, spec->count, double);
    if (!time || !value) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->count; i++) {
        time[i] = values[spec->knots[2 * i]];
        value[i] = values[spec->knots[2 * i + 1]];
        if (i > 0 && !(time[i] > time[i - 1])) return GMC_E_INPUT;
    }
    curve->time = time;
    curve->value = value;
    return GMC_OK;
}

static gmc_status make_course(const gmc_course_spec *spec, int body, const double *values,
                              gmc_arena *arena, gmc_course *course)
{
    course->body = body;
    course->in_body_frame = spec->in_body_frame;
    for (int k = 0; k < GMC_COURSE_CURVES; k++)
        GMC_TRY(make_curve(&spec->curves[k], values, arena, &course->curves[k]));
    if (!spec->has_servo) return GMC_OK;
    for (int k = 0; k < 3; k++) {
        GMC_TRY(make_curve(&spec->wanted[k], values, arena, &course->wanted[k]));
        course->stiffness[k] = gmc_build_value(values, k < 2 ? spec->kp : spec->turn_kp, 0);
        course->damping[k] = gmc_build_value(values, k < 2 ? spec->kd : spec->turn_kd, 0);
    }
    return GMC_OK;
}

// It starts where its path does; where it has none, as its pose says.
static void put_driven_start(const gmc_build_item *item, const double *values,
                             const gmc_course *path, gmc_model *model)
{
    const gmc_pose_spec *pose = &item->spec->pose;
    const double own[3] = {gmc_build_value(values, pose->x, 0), gmc_build_value(values, pose->y, 0),
                           gmc_build_value(values, pose->yaw, 0)};
    double *q = model->q_start + model->bodies[item->body].q;
    for (int k = 0; k < 3; k++)
        q[k] = path->curves[k].count > 0 ? gmc_program_curve(&path->curves[k], 0) : own[k];
}

// Paths and pushes of a trial into its program, starts of driven bodies into its model
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT: times that do not increase
static gmc_status put_courses(const gmc_build *build, const gmc_build_item *object,
                              const double *values, gmc_arena *arena, gmc_model *model,
                              gmc_program *program)
{
    int scene = build->scenario->scene_count;
    gmc_course *paths = GMC_NEW(arena, scene + 1, gmc_course);
    gmc_course *pushes = GMC_NEW(arena, scene + 1, gmc_course);
    if (!paths || !pushes) return GMC_E_ARENA_FULL;
    for (int i = 0; i <= scene; i++) {
        const gmc_build_item *item = i < scene ? &build->scene[i] : object;
        if (gmc_build_is_driven(item)) {
            gmc_course *path = &paths[program->path_count++];
            GMC_TRY(make_course(item->spec->course, item->body, values, arena, path));
            put_driven_start(item, values, path, model);
        }
        if (item->spec->push && item->is_free)
            GMC_TRY(make_course(item->spec->push, item->body, values, arena,
                                &pushes[program->push_count++]));
    }
    program->paths = paths;
    program->pushes = pushes;
    return GMC_OK;
}

// Does anything move or push by itself, whatever the phases of the program do?
static bool has_courses(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    if (s->control.moves_bodies) return true;
    for (int i = 0; i < s->scene_count; i++)
        if (s->scene[i].course || s->scene[i].push) return true;
    for (int i = 0; i < s->object_count; i++)
        if (s->objects[i].push) return true;
    return false;
}

// ---- support ----------------------------------------------------------------------------------

// What bodies of a planar world lie on: the scenario's points, or points that stand for spread
// pressure. How many there are is settled once; where they are and what friction they have is
// each trial's own.

/// Of a disk: its limit surface is met within 0.8 % (support.h), at 20 rows of friction a step.
enum { RINGS = 2, AROUND = 10 };
/// Of a polygon: each triangle in 16.
enum { CUTS = 4 };

static int count_of(const gmc_build_item *item)
{
    const gmc_item_support *f = item->spec->support;
    if (f->vertex_count > 0) return gmc_support_polygon(&item->underside, 0, CUTS, NULL, 0);
    return f->radius >= 0 ? RINGS * AROUND : f->point_count;
}

static void write_points(const gmc_build_item *item, const double *values,
                         gmc_support_point *points)
{
    const gmc_item_support *f = item->spec->support;
    double friction = values[f->frictions[0]];
    if (f->vertex_count > 0) {
        (void)gmc_support_polygon(&item->underside, friction, CUTS, points, count_of(item));
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
    const gmc_item_support *f = item->spec->support;
    if (!f || !item->is_free) return GMC_OK;
    if (f->vertex_count > 0)
        GMC_TRY(gmc_polygon_split(f->vertices, f->vertex_count, &build->arena, &item->underside));
    int count = count_of(item);
    if (count < 3) return GMC_OK; // told where they were read
    gmc_support_point *points = GMC_NEW(&build->arena, count, gmc_support_point);
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

// A trial's points and coefficients into its model, whose masses are in place.
// @return GMC_OK, GMC_E_INPUT: they cannot carry the body
static gmc_status put_support(const gmc_build_item *item, const double *values, gmc_model *model)
{
    const gmc_item_support *f = item->spec->support;
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

// ---- trial ------------------------------------------------------------------------------------

// Start of a free body.
static void build_put_pose(double *q, const gmc_pose *X)
{
    gmc_quat rotation = gmc_quat_from_matrix(&X->R);
    q[0] = X->p.x, q[1] = X->p.y, q[2] = X->p.z;
    q[3] = rotation.w, q[4] = rotation.x, q[5] = rotation.y, q[6] = rotation.z;
}

static void put_geometry(const gmc_build_item *item, const double *values, gmc_model *model)
{
    gmc_geom *geoms = model->geoms + item->geom;
    for (int i = 0; i < item->own_count; i++)
        gmc_build_sizes(item->spec, values, &geoms[i].shape);
    for (int i = 0; i < item->spec->part_count; i++) {
        const gmc_item_spec *part = &item->spec->parts[i];
        gmc_build_sizes(part, values, &geoms[item->own_count + i].shape);
        geoms[item->own_count + i].X_bg = gmc_build_pose(values, &part->pose);
    }
    if (item->spec->kind == GMC_KIND_PLANE)
        model->geoms[item->geom].X_bg.p.z = gmc_build_value(values, item->spec->size[0], 0);
}

// Sizes and mass properties of an item into a trial's model; `arena` is that of the trial.
// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY, GMC_E_INPUT: shapes that are none
static gmc_status build_put_item(const gmc_build_item *item, const double *values, gmc_arena *arena,
                                 gmc_model *model)
{
    gmc_inertia unit = item->unit;
    if (item->is_planar)
        GMC_TRY(build_put_sections(item, values, arena, model, &unit));
    else
        put_geometry(item, values, model);
    if (item->is_free) model->bodies[item->body].inertia = gmc_build_inertia(item, &unit, values);
    return GMC_OK;
}

// ---- clutter ------------------------------------------------------------------------------------
// Clutter: bodies in cells. The region is divided into equal cells, each as large as the ball about
// the largest body and the gap; a body anywhere in its cell, turned anyhow, overlaps no other.
// Which cell of its layer, where in it and how turned comes from chance addressed by (bits of
// clutter.arrangement, number of the body), so that every start is a pure function of seed and draw
// and the first bodies start alike whatever their count is. Drawing places until none overlap was
// rejected: its work and its end depend on luck, and a body's start on all before it.
//
// Bodies that have no part in a trial are taken out of its model, not parked: they stand last of
// the free bodies, so their dofs, coordinates and geoms are cut out in one piece each.

typedef struct cells {
    gmc_vec3 from, size; ///< lower corner; edges of one cell [m]
    int count[3];
    double gap;
} cells;

// Ball about the body frame's origin that holds a shape [m].
static double reach_of(const gmc_item_spec *spec, const double *values)
{
    gmc_shape shape = {0};
    gmc_build_sizes(spec, values, &shape);
    double r = shape.radius, l = shape.half_length;
    switch (spec->kind) {
    case GMC_KIND_BOX:
        return gmc_vec3_norm(shape.half);
    case GMC_KIND_SPHERE:
        return r;
    case GMC_KIND_CAPSULE:
        return r + l;
    case GMC_KIND_CYLINDER:
        return sqrt(r * r + l * l);
    case GMC_KIND_NONE:
    case GMC_KIND_PLANE:
    case GMC_KIND_MESH:
    case GMC_KIND_CIRCLE:
    case GMC_KIND_SUPER_ELLIPSE:
    case GMC_KIND_POLYGON:
        break;
    }
    return 0; // the schema knows no such kinds
}

static double extent(const gmc_clutter_spec *clutter, const double *values, int axis)
{
    return values[clutter->to[axis]] - values[clutter->from[axis]];
}

static double cell_edge(const gmc_clutter_spec *clutter, const double *values)
{
    double reach = 0;
    for (int i = 0; i < clutter->kind_count; i++)
        reach = fmax(reach, reach_of(&clutter->kinds[i], values));
    return 2 * reach + values[clutter->gap];
}

static cells divide(const gmc_clutter_spec *clutter, const double *values)
{
    static const double MOST = 1e6; // cells along an axis: more than there are bodies
    double edge = cell_edge(clutter, values);
    cells c = {.gap = values[clutter->gap]};
    double size[3];
    for (int i = 0; i < 3; i++) {
        double whole = extent(clutter, values, i);
        c.count[i] = whole >= edge ? (int)fmin(whole / edge, MOST) : 0;
        size[i] = c.count[i] > 0 ? whole / c.count[i] : whole;
    }
    // layers lie as close as they can: bodies start low, whatever the region's height
    size[2] = edge;
    c.size = (gmc_vec3){size[0], size[1], size[2]};
    c.from =
        (gmc_vec3){values[clutter->from[0]], values[clutter->from[1]], values[clutter->from[2]]};
    return c;
}

// ---- set-up -------------------------------------------------------------------------------------

static gmc_status check_region(const gmc_build *build, const double *values)
{
    const gmc_clutter_spec *clutter = &build->scenario->clutter;
    cells c = divide(clutter, values);
    double places = (double)c.count[0] * c.count[1] * c.count[2];
    if (places >= clutter->bodies) return GMC_OK;
    char hint[160];
    snprintf(hint, sizeof hint, "each needs a cell of %.3g m; the region has %d x %d x %d of them",
             cell_edge(clutter, values), c.count[0], c.count[1], c.count[2]);
    gmc_diagnostics_add(build->report, GMC_E_INPUT, clutter->source, hint,
                        "clutter: no room for %d bodies between `from` and `to`", clutter->bodies);
    return GMC_E_INPUT;
}

gmc_status gmc_build_clutter(gmc_build *build, const double *values)
{
    const gmc_clutter_spec *clutter = &build->scenario->clutter;
    if (clutter->bodies == 0) return GMC_OK;
    int count = clutter->bodies;
    build->clutter = GMC_NEW(&build->arena, count, gmc_build_item);
    gmc_item_spec *specs = GMC_NEW(&build->arena, count, gmc_item_spec);
    if (!build->clutter || !specs) return GMC_E_ARENA_FULL;
    for (int i = 0; i < clutter->bodies; i++) {
        char name[32];
        snprintf(name, sizeof name, "clutter/%d", i + 1); // no name of the user has a slash
        specs[i] = clutter->kinds[i % clutter->kind_count];
        specs[i].name = gmc_arena_text(&build->arena, name);
        if (!specs[i].name) return GMC_E_ARENA_FULL;
        build->clutter[i].spec = &specs[i];
    }
    return check_region(build, values);
}

// ---- which bodies of the clutter are there ------------------------------------------------------

static int present_count(const gmc_build *build, const double *values)
{
    const gmc_clutter_spec *clutter = &build->scenario->clutter;
    return clutter->bodies == 0 ? 0 : (int)floor(values[clutter->count] + 0.5);
}

static void cut(void *array, size_t size, int from, int removed, int count)
{
    char *bytes = array;
    memmove(bytes + (size_t)from * size, bytes + (size_t)(from + removed) * size,
            (size_t)(count - from - removed) * size);
}

// Take those bodies out of a fresh copy that have no part in this trial.
static void build_clutter_drop(const gmc_build *build, const double *values, gmc_model *model)
{
    int made = build->scenario->clutter.bodies, kept = present_count(build, values);
    int absent = made - kept;
    if (absent == 0) return;
    const gmc_build_item *first = &build->clutter[kept];
    int v = model->bodies[first->body].v, q = model->bodies[first->body].q;
    int v_cut = absent * gmc_joint_v_count(GMC_JOINT_FREE);
    int q_cut = absent * gmc_joint_q_count(GMC_JOINT_FREE);
    GMC_ASSERT(first->body + absent == model->body_count && v + v_cut == model->free_count);
    cut(model->dofs, sizeof *model->dofs, v, v_cut, model->dof_count);
    cut(model->q_start, sizeof *model->q_start, q, q_cut, model->q_count);
    for (int b = 1; b < first->body; b++) { // what is driven stands behind what is free
        if (model->bodies[b].v > v) model->bodies[b].v -= v_cut;
        if (model->bodies[b].q > q) model->bodies[b].q -= q_cut;
    }
    model->free_count -= v_cut;
    model->dof_count -= v_cut;
    model->q_count -= q_cut;
    model->body_count -= absent;
    model->absent_count = absent;
    model->geom_count = first->geom;
}

// Cells of one layer in the order in which the bodies of this layer take them.
static void shuffle(gmc_stream chance, int layer, int count, int *order)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        uint64_t index = (uint64_t)layer * (uint64_t)count + (uint64_t)i;
        int other = (int)(gmc_stream_uniform(chance, index) * (i + 1));
        int cell = order[i];
        order[i] = order[other];
        order[other] = cell;
    }
}

static gmc_pose place(const cells *c, int cell, int layer, double reach, gmc_stream chance)
{
    enum { TURN = 0, SHIFT = 3 }; // indices of this body's own numbers
    double u[6], q[4];
    for (int i = 0; i < 6; i++)
        u[i] = gmc_stream_uniform(chance, (uint64_t)i);
    gmc_rotation_uniform(u[TURN], u[TURN + 1], u[TURN + 2], q);
    double size[3] = {c->size.x, c->size.y, c->size.z}, from[3] = {c->from.x, c->from.y, c->from.z};
    int at[3] = {cell % c->count[0], cell / c->count[0], layer};
    double p[3];
    for (int i = 0; i < 3; i++) {
        double slack = fmax(size[i] - c->gap - 2 * reach, 0);
        p[i] = from[i] + (at[i] + 0.5) * size[i] + (u[SHIFT + i] - 0.5) * slack;
    }
    return gmc_pose_make((gmc_quat){q[0], q[1], q[2], q[3]}, (gmc_vec3){p[0], p[1], p[2]});
}

// Sizes, masses and starts of those that have.
static gmc_status build_clutter_put(const gmc_build *build, const double *values,
                                    gmc_arena *scratch, gmc_model *model)
{
    const gmc_clutter_spec *clutter = &build->scenario->clutter;
    int count = present_count(build, values);
    if (count == 0) return GMC_OK;
    uint64_t bits, name = gmc_stream_hash("clutter");
    memcpy(&bits, &values[clutter->arrangement], sizeof bits);
    cells c = divide(clutter, values);
    // sizes drawn so large that a layer has no cell: bodies overlap, and the trial says deep_start
    for (int i = 0; i < 2; i++)
        if (c.count[i] == 0) c.count[i] = 1;
    int per_layer = c.count[0] * c.count[1];
    size_t mark = gmc_arena_mark(scratch);
    int *order = GMC_NEW(scratch, per_layer, int);
    if (!order) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++) {
        const gmc_build_item *item = &build->clutter[i];
        int layer = i / per_layer;
        if (i % per_layer == 0)
            shuffle(gmc_stream_open_hashed(bits, 0, name), layer, per_layer, order);
        gmc_stream own = gmc_stream_open_hashed(bits, (uint64_t)i + 1, name);
        gmc_pose X = place(&c, order[i % per_layer], layer, reach_of(item->spec, values), own);
        GMC_TRY(build_put_item(item, values, scratch, model));
        build_put_pose(model->q_start + model->bodies[item->body].q, &X);
    }
    gmc_arena_reset(scratch, mark);
    return GMC_OK;
}

// ---- all of a trial ---------------------------------------------------------------------------

static void put_start(int body, const gmc_pose *X, gmc_model *model)
{
    double *q = model->q_start + model->bodies[body].q;
    if (model->bodies[body].joint != GMC_JOINT_PLANAR) {
        build_put_pose(q, X);
        return;
    }
    q[0] = X->p.x, q[1] = X->p.y;
    q[2] = gmc_atan2(X->R.m[3], X->R.m[0]);
}

static gmc_status put_items(const gmc_build *build, const gmc_build_item *object,
                            const double *values, gmc_arena *arena, gmc_model *model)
{
    int scene = build->scenario->scene_count;
    for (int i = 0; i < scene; i++) {
        GMC_TRY(build_put_item(&build->scene[i], values, arena, model));
        if (!build->scene[i].is_free && !gmc_build_is_driven(&build->scene[i]))
            model->bodies[build->scene[i].body].X_pj =
                gmc_build_pose(values, &build->scene[i].spec->pose);
    }
    GMC_TRY(build_put_item(object, values, arena, model));
    for (int i = 0; i <= scene; i++) {
        const gmc_build_item *item = i < scene ? &build->scene[i] : object;
        if (!item->is_free) continue;
        gmc_pose X = place_item(build, model, item, values);
        put_start(item->body, &X, model);
    }
    return GMC_OK;
}

static gmc_status put_supports(const gmc_build *build, const gmc_build_item *object,
                               const double *values, gmc_model *model)
{
    for (int i = 0; i < build->scenario->scene_count; i++)
        GMC_TRY(put_support(&build->scene[i], values, model));
    return put_support(object, values, model);
}

// By how much a value differs from what the model was compiled with. Added to a leader's dof, which
// also carries what the joints that mimic it contribute.
static double change(const gmc_build *build, const double *values, gmc_param param)
{
    return param < 0 ? 0 : values[param] - build->scenario->parameters[param].nominal;
}

static gmc_status put_joints(const gmc_build *build, const gmc_build_robot *robot,
                             const double *values, double *kp, double *kd, gmc_model *model)
{
    for (int i = 0; i < robot->spec->joint_count; i++) {
        const gmc_joint_setting *joint = &robot->spec->joints[i];
        int k = robot->joint_dof[i];
        if (k < 0) continue;
        gmc_dof *dof = &model->dofs[k];
        dof->lower += change(build, values, joint->lower);
        dof->upper += change(build, values, joint->upper);
        if (dof->lower > dof->upper) return GMC_E_INPUT; // no place is between them
        dof->damping += change(build, values, joint->damping);
        dof->friction += change(build, values, joint->friction);
        dof->armature += change(build, values, joint->armature);
        dof->max_force += change(build, values, joint->max_force);
        dof->max_speed = gmc_build_max_speed(values, joint);
        bool has_servo = gmc_build_geared_to(robot, i) < 0;
        kp[k] = has_servo ? gmc_build_value(values, joint->stiffness, 0) : 0;
        kd[k] = has_servo ? gmc_build_value(values, joint->servo_damping, 0) : 0;
        // a start that chance puts outside the limits is moved to the nearer one, as in the builder
        double *q = &model->q_start[model->bodies[robot->joint_body[i]].q];
        *q = fmin(fmax(gmc_build_value(values, joint->start, *q), dof->lower), dof->upper);
    }
    return GMC_OK;
}

/// Of gears with a clutch, stiff enough that what a finger bears bends them by less than a
/// hundredth of a degree (75 N*m), and damped so that they do not swing [N*m/rad, N/m; s].
static const double GEAR_TURN = 1e5, GEAR_SLIDE = 1e8, GEAR_RELAXATION = 1e-3;

// A joint with a clutch: it starts where its leader has it, is as strong as its gear makes it, and
// has no servo of its own.
static gmc_gear put_gear(const gmc_build_robot *robot, int joint, const double *values,
                         gmc_model *model)
{
    const gmc_follows *follows = &robot->spec->joints[joint].follows;
    int leader = gmc_build_geared_to(robot, joint);
    const gmc_body *l = &model->bodies[robot->joint_body[leader]];
    const gmc_body *f = &model->bodies[robot->joint_body[joint]];
    double stiffness = f->joint == GMC_JOINT_PRISMATIC ? GEAR_SLIDE : GEAR_TURN;
    gmc_gear gear = {.leader = robot->joint_dof[leader],
                     .follower = robot->joint_dof[joint],
                     .ratio = gmc_build_value(values, follows->ratio, 1),
                     .offset = gmc_build_value(values, follows->offset, 0),
                     .alone = gmc_build_value(values, follows->alone,
                                              gmc_build_value(values, follows->ratio, 1)),
                     .breakaway = gmc_build_value(values, follows->breakaway, INFINITY),
                     .stiffness = stiffness,
                     .damping = GEAR_RELAXATION * stiffness};
    model->q_start[f->q] = gear.ratio * model->q_start[l->q] + gear.offset;
    double fastest = fmax(fabs(gear.ratio), fabs(gear.alone));
    model->dofs[gear.follower].max_force = model->dofs[gear.leader].max_force / fabs(gear.alone);
    model->dofs[gear.follower].max_speed = model->dofs[gear.leader].max_speed * fastest;
    return gear;
}

static void put_gears(const gmc_build_robot *robot, const double *values, gmc_model *model,
                      gmc_gear *gears, gmc_program *program)
{
    for (int i = 0; i < robot->spec->joint_count; i++)
        if (robot->joint_dof[i] >= 0 && gmc_build_geared_to(robot, i) >= 0)
            gears[program->gear_count++] = put_gear(robot, i, values, model);
}

// A drive of several joints, dofs rising. Its joints have no drive of their own, nor its limits.
static gmc_status put_drive(const gmc_build_robot *robot, const gmc_drive_spec *spec,
                            const double *values, gmc_arena *arena, gmc_model *model,
                            gmc_drive *drive)
{
    int *dofs = GMC_NEW(arena, spec->joint_count, int), count = 0;
    double *share = GMC_NEW(arena, spec->joint_count, double);
    if (!dofs || !share) return GMC_E_ARENA_FULL;
    *drive = (gmc_drive){.joint_count = spec->joint_count,
                         .dofs = dofs,
                         .share = share,
                         .stiffness = gmc_build_value(values, spec->stiffness, 0),
                         .damping = gmc_build_value(values, spec->servo_damping, 0),
                         .max_force = gmc_build_value(values, spec->max_force, INFINITY)};
    for (int k = 0; k < spec->joint_count; k++) {
        int i = 0, at = count++;
        while (strcmp(robot->spec->joints[i].joint, spec->joints[k]) != 0)
            i++;
        int dof = robot->joint_dof[i];
        double of = values[spec->shares[k]];
        if (of == 0) return GMC_E_INPUT; // by chance: the joint would be nobody's
        for (; at > 0 && dofs[at - 1] > dof; at--) {
            dofs[at] = dofs[at - 1];
            share[at] = share[at - 1];
        }
        dofs[at] = dof;
        share[at] = of;
        drive->slides = model->bodies[robot->joint_body[i]].joint == GMC_JOINT_PRISMATIC;
        model->dofs[dof].max_force = model->dofs[dof].max_speed = INFINITY;
    }
    return GMC_OK;
}

static gmc_status put_drives(const gmc_build *build, const double *values, gmc_arena *arena,
                             gmc_model *model, gmc_program *program)
{
    int robots = build->scenario->robot_count;
    const gmc_build_robot *hand = &build->hand;
    int count = hand->first_drive + hand->spec->drive_count;
    gmc_drive *drives = GMC_NEW(arena, count, gmc_drive);
    if (!drives) return GMC_E_ARENA_FULL;
    for (int i = 0; i <= robots; i++) {
        const gmc_build_robot *robot = i < robots ? &build->robots[i] : hand;
        for (int k = 0; k < robot->spec->drive_count; k++)
            GMC_TRY(put_drive(robot, &robot->spec->drives[k], values, arena, model,
                              &drives[robot->first_drive + k]));
    }
    program->drives = drives;
    program->drive_count = count;
    return GMC_OK;
}

// Does a joint's drive carry what hangs on it? A drive of several joints cannot, for each of them
// asks for another force.
static bool does_hold(const gmc_build *build, const gmc_build_robot *robot, int joint)
{
    const gmc_joint_setting *setting = &robot->spec->joints[joint];
    gmc_build_joint_facts facts;
    int leader = gmc_build_geared_to(robot, joint);
    if (leader >= 0) return does_hold(build, robot, leader);
    if (setting->holds >= 0) return setting->holds;
    if (gmc_build_driven_by(robot, joint) >= 0) return false;
    if (robot != &build->hand) return true;
    return robot->spec->mounted_on && gmc_build_joint(build, joint, &facts) && !facts.is_finger;
}

// Properties of joints and their servos.
static gmc_status put_robots(const gmc_build *build, const double *values, gmc_arena *arena,
                             gmc_model *model, gmc_program *program)
{
    double *kp = GMC_NEW(arena, model->dof_count, double);
    double *kd = GMC_NEW(arena, model->dof_count, double);
    bool *holds = GMC_NEW(arena, model->dof_count, bool), is_held = false;
    gmc_gear *gears = GMC_NEW(arena, model->dof_count, gmc_gear);
    if (!kp || !kd || !holds || !gears) return GMC_E_ARENA_FULL;
    program->gears = gears;
    for (int i = 0; i <= build->scenario->robot_count; i++) {
        const gmc_build_robot *robot =
            i < build->scenario->robot_count ? &build->robots[i] : &build->hand;
        bool stands = robot != &build->hand && robot->spec->carrier < 0;
        if (!robot->spec->urdf) continue;
        GMC_TRY(put_joints(build, robot, values, kp, kd, model));
        put_gears(robot, values, model, gears, program);
        for (int k = 0; k < robot->spec->joint_count; k++) {
            if (robot->joint_dof[k] < 0 || !does_hold(build, robot, k)) continue;
            holds[robot->joint_dof[k]] = is_held = true;
        }
        if (stands)
            model->bodies[robot->base_body].X_pj = gmc_build_pose(values, &robot->spec->pose);
    }
    GMC_TRY(put_drives(build, values, arena, model, program));
    program->servo_stiffness = kp;
    program->servo_damping = kd;
    program->holds = is_held ? holds : NULL;
    return GMC_OK;
}

// A finger that hangs on a drive of several joints: its ends are those of the sum.
static void put_drive_finger(const gmc_drive_spec *spec, const gmc_drive *drive,
                             const double *values, const gmc_model *model, gmc_finger *finger)
{
    double ends[2] = {0, 0}; // those that it closes away from, and towards
    for (int k = 0; k < drive->joint_count; k++) {
        const gmc_dof *dof = &model->dofs[drive->dofs[k]];
        bool is_with = drive->share[k] * finger->closing > 0;
        ends[0] += drive->share[k] * (is_with ? dof->lower : dof->upper);
        ends[1] += drive->share[k] * (is_with ? dof->upper : dof->lower);
    }
    finger->drive *= gmc_build_value(values, spec->share, 1);
    finger->open = gmc_build_value(values, spec->open, ends[0]);
    finger->closed = gmc_build_value(values, spec->closed, ends[1]);
}

// A finger gives its share of the force asked for.
static gmc_status put_fingers(const gmc_build *build, const double *values, gmc_arena *arena,
                              const gmc_model *model, gmc_program *program)
{
    gmc_finger *fingers = GMC_NEW(arena, build->finger_count, gmc_finger);
    if (!fingers) return GMC_E_ARENA_FULL;
    for (int i = 0; i < build->finger_count; i++) {
        fingers[i] = build->fingers[i];
        int k = 0, drive = fingers[i].dof - model->dof_count;
        if (drive >= 0) {
            k = drive - build->hand.first_drive;
            put_drive_finger(&build->hand.spec->drives[k], &program->drives[drive], values, model,
                             &fingers[i]);
            continue;
        }
        while (build->hand.joint_dof[k] != fingers[i].dof)
            k++;
        fingers[i].drive *= gmc_build_value(values, build->scenario->hand.joints[k].share, 1);
        fingers[i].open = gmc_build_end(build, values, k, false, model);
        fingers[i].closed = gmc_build_end(build, values, k, true, model);
    }
    program->fingers = fingers;
    program->finger_count = build->finger_count;
    return GMC_OK;
}

// Of one trial.
typedef struct trial_case {
    const gmc_build_item *object;
    const double *believed; ///< values as the robot believes them
    const double *values;   ///< as they are
} trial_case;

/// What the robot believes at the start of a trial.
typedef struct belief {
    gmc_model model;    ///< its arrays in the arena of the call
    gmc_pose X_wo;      ///< where the object is
    gmc_sighting sight; ///< how it is seen, if the scenario says so
} belief;

static gmc_status believe(const gmc_build *build, const trial_case *trial, const gmc_model *model,
                          gmc_arena *arena, belief *seen)
{
    GMC_TRY(gmc_model_copy(model, arena, &seen->model));
    GMC_TRY(put_items(build, trial->object, trial->believed, arena, &seen->model));
    seen->X_wo = place_item(build, &seen->model, trial->object, trial->believed);
    if (!build->scenario->sight.is_given) return GMC_OK;
    gmc_pose truth = place_item(build, model, trial->object, trial->values);
    believed_in in = {.values = trial->values,
                      .truth = truth,
                      .nominal_values = trial->believed,
                      .nominal_model = &seen->model,
                      .nominal = seen->X_wo};
    GMC_TRY(find_sight(build, &in, &seen->sight));
    seen->X_wo = gmc_sighting_pose(&seen->sight, &truth);
    return GMC_OK;
}

gmc_status gmc_build_is_blind(const gmc_build *build, const double *values, gmc_arena *arena,
                              bool *is_blind)
{
    int camera = build->scenario->sight.camera;
    gmc_model model;
    gmc_mat3 R_wc;
    *is_blind = false;
    if (!build->scenario->sight.is_given || camera < 0) return GMC_OK;
    GMC_TRY(gmc_model_copy(&build->models[0], arena, &model));
    GMC_TRY(put_items(build, &build->objects[0], values, arena, &model));
    gmc_pose X_wo = place_item(build, &model, &build->objects[0], values);
    believed_in in = {.values = values,
                      .truth = X_wo,
                      .nominal_values = values,
                      .nominal_model = &model,
                      .nominal = X_wo};
    *is_blind = axes_of(build, &in, &build->scenario->cameras[camera], &R_wc) != GMC_OK;
    return GMC_OK;
}

static bool moves_by_sight(const gmc_scenario *scenario)
{
    for (int i = 0; i < scenario->phase_count; i++)
        if (scenario->program[i].in_object_frame || scenario->program[i].is_planned) return true;
    return false;
}

// What motions to the object, or around it, see of it.
static gmc_status put_sight(const gmc_build *build, const trial_case *trial, const gmc_model *model,
                            gmc_arena *arena, gmc_program *program)
{
    const gmc_scenario *scenario = build->scenario;
    if (!scenario->sight.is_given || !moves_by_sight(scenario)) return GMC_OK;
    belief seen;
    gmc_sighting *sight = GMC_NEW(arena, 1, gmc_sighting);
    if (!sight) return GMC_E_ARENA_FULL;
    size_t mark = gmc_arena_mark(arena);
    GMC_TRY(believe(build, trial, model, arena, &seen));
    gmc_arena_reset(arena, mark);
    *sight = seen.sight;
    program->sight = sight;
    return GMC_OK;
}

static gmc_status put_control(const gmc_build *build, const trial_case *trial,
                              const gmc_model *model, gmc_arena *arena, gmc_control_plan **plan)
{
    belief seen;
    bool is_told = build->scenario->control.sees_object;
    if (is_told) {
        size_t mark = gmc_arena_mark(arena);
        GMC_TRY(believe(build, trial, model, arena, &seen));
        gmc_arena_reset(arena, mark);
    }
    GMC_TRY(gmc_build_control_make(build, trial->values, is_told ? &seen.X_wo : NULL, arena, plan));
    return *plan ? gmc_build_control_dofs(build, trial->object, model, arena, *plan) : GMC_OK;
}

// The hand's base so that its tool frame stands at `target` in the believed object's frame. The
// tool may hang on joints, so its place against the base comes from the kinematics at the start.
static gmc_status put_hand(const gmc_build *build, const trial_case *trial, gmc_arena *arena,
                           gmc_model *model)
{
    if (build->hand.base_body < 0 || build->hand.spec->mounted_on) return GMC_OK;
    size_t mark = gmc_arena_mark(arena);
    belief seen;
    GMC_TRY(believe(build, trial, model, arena, &seen));
    gmc_pose X_ot = gmc_build_pose(trial->values, &build->scenario->hand.target);
    gmc_pose X_wt = gmc_pose_multiply(&seen.X_wo, &X_ot);

    gmc_kinematics kin;
    GMC_TRY(gmc_kinematics_create(&seen.model, arena, &kin));
    gmc_kinematics_update(&seen.model, seen.model.q_start, NULL, &kin);
    gmc_pose X_bt = gmc_pose_identity();
    if (build->tool_frame >= 0) {
        const gmc_frame *frame = &seen.model.frames[build->tool_frame];
        gmc_pose X_wf = gmc_pose_multiply(&kin.X_wb[frame->body], &frame->X_bf);
        X_bt = gmc_pose_relative(&kin.X_wb[build->hand.base_body], &X_wf);
    }
    gmc_pose X_tb = gmc_pose_inverse(&X_bt);
    gmc_pose X_wb = gmc_pose_multiply(&X_wt, &X_tb);
    if (build->scenario->hand.is_mounted)
        model->bodies[build->hand.base_body].X_pj = X_wb;
    else
        put_start(build->hand.base_body, &X_wb, model);
    gmc_arena_reset(arena, mark);
    return GMC_OK;
}

/// What `simulation` says of the stepper's own settings.
static void put_settings(const gmc_build *build, const double *values, gmc_step_options *options)
{
    for (int i = 0; i < build->scenario->setting_count; i++) {
        const gmc_law_setting *setting = &build->scenario->settings[i];
        int index = gmc_stepper_setting(build->stepper, setting->key);
        if (index >= 0)
            options->own[index] = gmc_build_value(values, setting->param, setting->value);
    }
}

// Bodies that may lie among others: loose ones, and links that have shapes, but for as many as the
// least room is enough for.
static int count_movers(const gmc_build *build, const double *values)
{
    const gmc_scenario *scenario = build->scenario;
    enum { HAND_LINKS = 8 }; // three fingers and a palm
    int loose = 0, links = 0, own = 0;
    if (scenario->clutter.bodies > 0)
        loose = (int)gmc_build_value(values, scenario->clutter.count, 0);
    for (int i = 0; i < scenario->scene_count; i++)
        loose += !scenario->scene[i].is_fixed;
    for (int k = 0; k < build->hand.urdf.link_count; k++)
        own += build->hand.urdf.links[k].shape_count > 0;
    for (int i = 0; i < scenario->robot_count; i++)
        for (int k = 0; k < build->robots[i].urdf.link_count; k++)
            links += build->robots[i].urdf.links[k].shape_count > 0;
    return loose + links + (own > HAND_LINKS ? own - HAND_LINKS : 0);
}

static gmc_rollout_options options_of(const gmc_build *build, const double *values)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_rollout_options options = gmc_rollout_options_defaults();
    options.stepper = build->stepper;
    options.step_options.solver = build->solver;
    options.step_options.motion = gmc_motion_find(scenario->motion);
    put_settings(build, values, &options.step_options);
    options.stepper = gmc_stepper_formulated(build->stepper, &options.step_options);
    options.step = gmc_build_value(values, scenario->step, options.step);
    options.time_limit = gmc_build_value(values, scenario->time_limit, options.time_limit);
    options.step_limit = (long long)gmc_build_number(build, values, "simulation.step_limit");
    options.work_limit = (long long)gmc_build_number(build, values, "simulation.work_limit");
    options.workspace = gmc_build_value(values, scenario->workspace, options.workspace);
    options.rate = gmc_build_value(values, scenario->rate, options.rate);
    // a body that lies among others has a dozen neighbours, mostly with one point each or a few
    enum { CONTACTS_PER_BODY = 24 };
    options.contact_max += CONTACTS_PER_BODY * count_movers(build, values);
    // what moves or pushes by itself may yet change everything; seen from above nothing falls
    bool is_quiet = !has_courses(build);
    // an arm may catch, carry or drop what the hand is no part of
    bool may_fall =
        is_quiet && scenario->robot_count == 0 && scenario->world != GMC_WORLD_PLANAR_SUPPORT;
    options.early = (gmc_early_options){.broken = scenario->ends_broken,
                                        .falling = scenario->ends_falling && may_fall,
                                        .rest = scenario->ends_at_rest && is_quiet,
                                        .borne = scenario->ends_borne && may_fall};
    return options;
}

// ---- sizes and masses that phases change --------------------------------------------------------
// Phases that change sizes while a trial runs: the trial's table of values is kept, a change goes
// into it with all that follows from it by formulas, and the fixed bodies of the scene are made
// anew from it. Bodies that move keep their shape, because its place of mass would change under the
// contact law; polygons keep their vertices, because a cut that fails half way has no verdict.
//
// Bodies that move freely may have another mass: all of their inertia grows with it, unless the
// scenario says what it is, and their velocities stay. What they lie on may rub them more or less.

/// Of one trial.
typedef struct reshaping {
    const gmc_build *build;
    const gmc_build_item *object;
    double *values;        ///< (parameter_count)
    bool *is_changed;      ///< (parameter_count) scratch
    gmc_inertia *inertias; ///< (scene_count + 1) as the trial began, that of the object last
    double *at_start;      ///< (parameter_count) values then
    gmc_arena scratch;     ///< of shapes, in a block of the trial's arena
} reshaping;

static bool is_standing(const gmc_build *build, int item)
{
    const gmc_item_spec *spec = &build->scenario->scene[item];
    return spec->is_fixed && !spec->course;
}

static bool is_size_of(const gmc_item_spec *spec, gmc_param param)
{
    const gmc_pose_spec *X = &spec->pose;
    for (int i = 0; i < 3; i++)
        if (spec->kind != GMC_KIND_POLYGON && spec->kind != GMC_KIND_MESH && spec->size[i] == param)
            return true;
    for (int i = 0; i < spec->part_count; i++)
        if (is_size_of(&spec->parts[i], param)) return true;
    // of parts: where they are on the body is a matter of shape
    bool is_part = strstr(spec->path, ".parts.") != NULL;
    return is_part && (X->x == param || X->y == param || X->z == param || X->roll == param ||
                       X->pitch == param || X->yaw == param);
}

static bool is_size(const gmc_build *build, gmc_param param)
{
    for (int i = 0; i < build->scenario->scene_count; i++)
        if (is_standing(build, i) && is_size_of(&build->scenario->scene[i], param)) return true;
    return false;
}

static bool is_weight_of(const gmc_item_spec *spec, gmc_param param)
{
    const gmc_item_support *support = spec->support;
    if (spec->is_fixed) return false;
    bool is = param == spec->mass || param == spec->density;
    is = is || (support && param == support->viscous);
    for (int i = 0; support && i < support->friction_count; i++)
        is = is || support->frictions[i] == param;
    return is;
}

// Mass or density of what moves freely, or what its support does.
static bool is_weight(const gmc_build *build, gmc_param param)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->object_count; i++)
        if (is_weight_of(&s->objects[i], param)) return true;
    for (int i = 0; i < s->scene_count; i++)
        if (is_weight_of(&s->scene[i], param)) return true;
    return false;
}

static bool is_own(const gmc_scenario *scenario, gmc_param param)
{
    const gmc_node *own = gmc_node_find(scenario->tree, "parameters");
    return own && gmc_node_find(own, scenario->parameters[param].path);
}

static bool is_uncertain(const gmc_scenario *scenario, gmc_param param)
{
    for (int i = 0; i < scenario->uncertain_count; i++)
        for (int k = 0; k < scenario->uncertain[i].target_count; k++)
            if (scenario->uncertain[i].targets[k] == param) return true;
    return false;
}

static bool names_changed(const gmc_compiled_criterion *code, const bool *is_changed)
{
    for (int i = 0; i < code->node_count; i++)
        if (code->nodes[i].op == GMC_OP_MEASURE && is_changed[code->nodes[i].measure]) return true;
    return false;
}

// Mark a parameter and all that follows from it; formulas stand behind what they name.
static void mark(const gmc_scenario *s, gmc_param target, bool *is_changed)
{
    memset(is_changed, 0, (size_t)s->parameter_count * sizeof *is_changed);
    is_changed[target] = true;
    for (int i = 0; i < s->derived_count; i++)
        if (names_changed(&s->parameters[s->derived[i]].formula->code, is_changed))
            is_changed[s->derived[i]] = true;
}

bool gmc_build_can_reshape(const gmc_build *build, gmc_param target, bool *weighs)
{
    const gmc_scenario *s = build->scenario;
    size_t before = gmc_arena_mark(s->arena);
    bool *is_changed = GMC_NEW(s->arena, s->parameter_count, bool);
    if (!is_changed) return false;
    mark(s, target, is_changed);
    bool is_good = true, is_any = false, is_sized = false;
    *weighs = false;
    for (int i = 0; i < s->parameter_count; i++) {
        if (!is_changed[i]) continue;
        bool is_heavy = is_weight(build, i), is_one = is_size(build, i) || is_heavy;
        *weighs = *weighs || is_heavy;
        is_sized = is_sized || (is_one && !is_heavy);
        // chance upon a formula would be lost when it is worked out again
        bool is_lost = i != target && is_uncertain(s, i);
        is_good = is_good && (is_one || is_own(s, i)) && !is_lost;
        is_any = is_any || is_one;
    }
    gmc_arena_reset(s->arena, before);
    // sizes are those at a step's end, masses what forces act on
    return is_good && is_any && !(is_sized && *weighs);
}

static double bounded(const gmc_parameter *p, double value)
{
    return fmin(fmax(value, p->lower), p->upper);
}

// The change with what follows from it; false if a value is not allowed, which is then bounded.
static bool work_out(reshaping *r, gmc_param target, double value)
{
    const gmc_scenario *s = r->build->scenario;
    bool is_allowed = true;
    mark(s, target, r->is_changed);
    for (int i = -1; i < s->derived_count; i++) {
        gmc_param param = i < 0 ? target : s->derived[i];
        if (!r->is_changed[param]) continue;
        const gmc_parameter *p = &s->parameters[param];
        double fresh = i < 0 ? value : gmc_criteria_value(&p->formula->code, r->values);
        is_allowed = is_allowed && fresh >= p->lower && fresh <= p->upper; // false for NaN
        r->values[param] = bounded(p, fresh);
    }
    return is_allowed;
}

static double size_now(const void *context, int number)
{
    const reshaping *r = context;
    return r->values[number];
}

// What moves freely is as many times as heavy as its mass, or density, is what it was.
static void put_weight(const reshaping *r, const gmc_build_item *item, const gmc_inertia *first,
                       gmc_model *model)
{
    const gmc_item_spec *spec = item->spec;
    gmc_param mass = spec->mass >= 0 ? spec->mass : spec->density;
    if (!item->is_free) return;
    double more = r->values[mass] / r->at_start[mass];
    gmc_inertia *inertia = &model->bodies[item->body].inertia;
    inertia->mass = first->mass * more;
    for (int i = 0; i < 9 && spec->inertia[0] < 0; i++)
        inertia->I.m[i] = first->I.m[i] * more;
    gmc_status status = put_support(item, r->values, model);
    GMC_ASSERT(status == GMC_OK); // where the points are, and so which loads they bear, stays
}

static void put_mass(void *context, int number, double value, gmc_model *model)
{
    reshaping *r = context;
    int count = r->build->scenario->scene_count;
    (void)work_out(r, number, value);
    for (int i = 0; i < count; i++)
        put_weight(r, &r->build->scene[i], &r->inertias[i], model);
    put_weight(r, r->object, &r->inertias[count], model);
}

static void put_size(void *context, int number, double value, gmc_model *model)
{
    reshaping *r = context;
    (void)work_out(r, number, value);
    gmc_arena_reset(&r->scratch, 0);
    for (int i = 0; i < r->build->scenario->scene_count; i++) {
        if (!is_standing(r->build, i)) continue;
        // there is room, and polygons are those of the trial
        gmc_status status = build_put_item(&r->build->scene[i], r->values, &r->scratch, model);
        GMC_ASSERT(status == GMC_OK);
    }
}

static size_t room_for(const gmc_item_spec *spec)
{
    enum { RECTANGLE = 1024 };
    size_t bytes = RECTANGLE;
    if (spec->kind == GMC_KIND_POLYGON)
        bytes += gmc_polygon_split_bytes(spec->vertex_count) +
                 (size_t)spec->vertex_count * sizeof(gmc_vec2) + GMC_ARENA_ALIGNMENT;
    for (int i = 0; i < spec->part_count; i++)
        bytes += room_for(&spec->parts[i]);
    return bytes;
}

static bool does_reshape(const gmc_set *set)
{
    return set->kind == GMC_SET_SHAPE || set->kind == GMC_SET_MASS;
}

// Do the sets lead to values that can be? Tried on the table, which is then as it was.
static gmc_status check_ends(reshaping *r, const gmc_set *sets, int count)
{
    bool are_allowed = true;
    for (int i = 0; i < count; i++)
        if (does_reshape(&sets[i]))
            are_allowed = work_out(r, sets[i].a, sets[i].value) && are_allowed;
    memcpy(r->values, r->at_start, (size_t)r->build->scenario->parameter_count * sizeof *r->values);
    return are_allowed ? GMC_OK : GMC_E_INPUT;
}

static int count_sets(const gmc_build *build)
{
    int count = 0;
    for (int i = 0; i < build->scenario->phase_count; i++)
        count += build->phases[i].set_count;
    return count;
}

// Inertias of what moves freely, from the trial's model.
static gmc_status keep_inertias(reshaping *r, const gmc_model *model, gmc_arena *arena)
{
    int count = r->build->scenario->scene_count;
    r->inertias = GMC_NEW(arena, count + 1, gmc_inertia);
    if (!r->inertias) return GMC_E_ARENA_FULL;
    for (int i = 0; i < count; i++)
        r->inertias[i] = model->bodies[r->build->scene[i].body].inertia;
    r->inertias[count] = model->bodies[r->object->body].inertia;
    return GMC_OK;
}

// What carries out such changes in a trial, whose model is made, for those of its `sets` that are
// of shapes and masses. @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_INPUT: a value that a phase ends
// with is none
static gmc_status build_reshaper(const gmc_build *build, const trial_case *trial,
                                 const gmc_model *model, gmc_arena *arena, gmc_set *sets)
{
    const gmc_scenario *s = build->scenario;
    bool is_needed = false;
    int set_count = count_sets(build);
    for (int i = 0; i < set_count; i++)
        is_needed = is_needed || does_reshape(&sets[i]);
    if (!is_needed) return GMC_OK;
    size_t bytes = 0;
    for (int i = 0; i < s->scene_count; i++)
        bytes += room_for(&s->scene[i]);
    reshaping *r = GMC_NEW(arena, 1, reshaping);
    gmc_reshaper *reshapers = GMC_NEW(arena, 2, gmc_reshaper);
    unsigned char *block = gmc_arena_take(arena, bytes, 1);
    if (!r || !reshapers || !block) return GMC_E_ARENA_FULL;
    *r = (reshaping){
        .build = build, .object = trial->object, .scratch = {.memory = block, .capacity = bytes}};
    r->values = GMC_NEW(arena, s->parameter_count, double);
    r->at_start = GMC_NEW(arena, s->parameter_count, double);
    r->is_changed = GMC_NEW(arena, s->parameter_count, bool);
    if (!r->values || !r->at_start || !r->is_changed) return GMC_E_ARENA_FULL;
    memcpy(r->values, trial->values, (size_t)s->parameter_count * sizeof *r->values);
    memcpy(r->at_start, trial->values, (size_t)s->parameter_count * sizeof *r->values);
    GMC_TRY(keep_inertias(r, model, arena));
    reshapers[0] = (gmc_reshaper){.context = r, .get = size_now, .put = put_size};
    reshapers[1] = (gmc_reshaper){.context = r, .get = size_now, .put = put_mass};
    for (int i = 0; i < set_count; i++)
        if (does_reshape(&sets[i])) sets[i].reshaper = &reshapers[sets[i].kind == GMC_SET_MASS];
    return check_ends(r, sets, set_count);
}

// ---- its model, program and options -------------------------------------------------------------

// A grip's force grows over this unless the scenario says otherwise: short against a closing phase,
// long against the step [s].
static const double DEFAULT_RAMP = 0.1;

// Places that a phase moves to, in one trial.
static gmc_status place_values(const double *values, const gmc_phase_spec *spec, gmc_arena *arena,
                               gmc_phase *phase)
{
    if (!phase->move_to) return GMC_OK;
    gmc_move_to *to = GMC_NEW(arena, 1, gmc_move_to);
    if (!to) return GMC_E_ARENA_FULL;
    *to = *phase->move_to;
    phase->move_to = to;
    if (spec->has_pose) to->pose = gmc_build_pose(values, &spec->pose);
    if (to->knot_count == 0) return GMC_OK;
    int n = to->dof_count;
    double *knots = GMC_NEW(arena, to->knot_count * n, double);
    double *times = GMC_NEW(arena, to->knot_count, double);
    if (!knots || !times) return GMC_E_ARENA_FULL;
    to->knots = knots;
    for (int i = 0; i < n; i++) {
        const gmc_goal_spec *goal = &spec->goals[i];
        if (goal->through.count == 0) knots[i] = values[goal->to];
        for (int k = 0; k < goal->through.count; k++) {
            times[k] = values[goal->through.knots[2 * k]];
            knots[k * n + i] = values[goal->through.knots[2 * k + 1]];
            to->times = times;
            phase->duration = times[k];
        }
    }
    return GMC_OK;
}

// Numbers of the phases for one trial.
static void phase_values(const gmc_build *build, const double *values, gmc_phase *phases,
                         gmc_set *sets)
{
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &build->scenario->program[i];
        gmc_phase *phase = &phases[i];
        *phase = build->phases[i];
        phase->duration = gmc_build_value(values, spec->duration, 0);
        phase->at_most = gmc_build_value(values, spec->at_most, 0);
        phase->force = gmc_build_value(values, spec->force, 0);
        phase->position = gmc_build_value(values, spec->position, 0);
        phase->speed = gmc_build_value(values, spec->speed, INFINITY);
        phase->ramp = gmc_build_value(values, spec->ramp, DEFAULT_RAMP);
        phase->by = vector_of(values, spec->by);
        phase->axis = gmc_vec3_unit(vector_of(values, spec->axis));
        phase->frequency = gmc_build_value(values, spec->frequency, 0);
        phase->grows = gmc_build_value(values, spec->grows, 0);
        phase->slip = gmc_build_value(values, spec->slip, 0);
        phase->amount =
            spec->kind == GMC_PHASE_TURN ? gmc_build_value(values, spec->angle, 0)
            : spec->kind == GMC_PHASE_SHAKE
                ? gmc_build_value(values, spec->is_rotation ? spec->angle : spec->amplitude, 0)
            : spec->kind == GMC_PHASE_LIFT ? phase->by.z
                                           : phase->by.x;
        bool is_flat = build->scenario->world == GMC_WORLD_PLANAR;
        if (is_flat && spec->kind == GMC_PHASE_LIFT) phase->by = (gmc_vec3){0, phase->by.z, 0};
        phase->sets = sets;
        for (int k = 0; k < spec->set_count; k++) {
            *sets = build->phases[i].sets[k];
            (sets++)->value = values[spec->sets[k].value];
        }
    }
}

// @param sets  out: those of its phases (count_sets)
static gmc_status make_program(const gmc_build *build, const double *values, gmc_arena *arena,
                               gmc_program *program, gmc_set **sets)
{
    const gmc_scenario *scenario = build->scenario;
    int count = scenario->phase_count;
    gmc_phase *phases = GMC_NEW(arena, count, gmc_phase);
    *sets = GMC_NEW(arena, count_sets(build), gmc_set);
    if (!phases || !*sets) return GMC_E_ARENA_FULL;
    phase_values(build, values, phases, *sets);
    for (int i = 0; i < count; i++)
        GMC_TRY(place_values(values, &scenario->program[i], arena, &phases[i]));
    *program = (gmc_program){.phases = phases,
                             .phase_count = count,
                             .base_body = scenario->hand.is_mounted ? -1 : build->hand.base_body,
                             .tool_frame = build->tool_frame,
                             .object_body = build->object_body};
    return GMC_OK;
}

gmc_status gmc_build_instantiate(const gmc_build *build, int object, const double *believed,
                                 const double *values, gmc_arena *arena, gmc_rollout_input *input)
{
    const gmc_scenario *scenario = build->scenario;
    gmc_model *model = GMC_NEW(arena, 1, gmc_model);
    gmc_program *program = GMC_NEW(arena, 1, gmc_program);
    gmc_set *sets;
    if (!model || !program) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_model_copy(&build->models[object], arena, model));
    build_clutter_drop(build, values, model);
    model->gravity = (gmc_vec3){gmc_build_value(values, scenario->gravity[0], 0),
                                gmc_build_value(values, scenario->gravity[1], 0),
                                gmc_build_value(values, scenario->gravity[2], 0)};
    GMC_TRY(build_laws(build, values, arena, model));
    GMC_TRY(make_program(build, values, arena, program, &sets));
    GMC_TRY(put_robots(build, values, arena, model, program));
    GMC_TRY(put_fingers(build, values, arena, model, program));
    GMC_TRY(put_items(build, &build->objects[object], values, arena, model));
    GMC_TRY(put_supports(build, &build->objects[object], values, model));
    GMC_TRY(put_courses(build, &build->objects[object], values, arena, model, program));
    GMC_TRY(build_clutter_put(build, values, arena, model));
    const trial_case trial = {
        .object = &build->objects[object], .believed = believed, .values = values};
    GMC_TRY(build_reshaper(build, &trial, model, arena, sets));
    GMC_TRY(put_hand(build, &trial, arena, model));
    GMC_TRY(put_sight(build, &trial, model, arena, program));
    gmc_control_plan *control;
    GMC_TRY(put_control(build, &trial, model, arena, &control));
    *input = (gmc_rollout_input){.model = model,
                                 .program = program,
                                 .control = control,
                                 .criteria = &build->criteria,
                                 .measures = &build->plan,
                                 .options = options_of(build, values)};
    return GMC_OK;
}

double gmc_build_duration(const gmc_build *build, const double *values)
{
    double sum = 0;
    for (int i = 0; i < build->scenario->phase_count; i++) {
        const gmc_phase_spec *spec = &build->scenario->program[i];
        bool is_move = spec->kind == GMC_PHASE_MOVE_TO;
        double as_long = gmc_build_phase_time(values, spec);
        double at_most = gmc_build_value(values, spec->at_most, 0);
        sum += spec->until != GMC_END_TIME ? at_most : is_move ? fmax(as_long, at_most) : as_long;
    }
    return fmin(sum, gmc_build_value(values, build->scenario->time_limit, INFINITY));
}

// ---- who overlaps at its start ------------------------------------------------------------------
// Overlaps at the start of a trial by the names of who overlaps. Contacts speak of geoms; of a
// compound body or a link with several shapes the deepest point speaks for all of them.

/// Who is named first: what a hand does wrong is told of the hand.
static int rank_of(const gmc_geom *geom)
{
    return geom->category & GMC_CATEGORY_HAND ? 0 : geom->category & GMC_CATEGORY_OBJECT ? 1 : 2;
}

static gmc_build_overlap overlap_of(const gmc_model *model, const gmc_contact_point *point,
                                    double accepted)
{
    const gmc_geom *a = &model->geoms[point->geom_a], *b = &model->geoms[point->geom_b];
    bool is_swapped = rank_of(b) < rank_of(a);
    return (gmc_build_overlap){.a = gmc_build_name(model, is_swapped ? b : a),
                               .b = gmc_build_name(model, is_swapped ? a : b),
                               .depth = -point->gap,
                               .accepted = accepted,
                               .place = point->p,
                               .normal = is_swapped ? point->n : gmc_vec3_neg(point->n)};
}

// Names are those of the model: the same text is the same pointer.
static void take_in(const gmc_build_overlap *next, gmc_build_overlap *list, int *count)
{
    for (int i = 0; i < *count; i++) {
        if (list[i].a != next->a || list[i].b != next->b) continue;
        bool is_deep = next->depth > next->accepted, was_deep = list[i].depth > list[i].accepted;
        if (is_deep == was_deep ? next->depth > list[i].depth : is_deep) list[i] = *next;
        return;
    }
    list[(*count)++] = *next;
}

static int by_depth(const void *a, const void *b)
{
    double x = ((const gmc_build_overlap *)a)->depth, y = ((const gmc_build_overlap *)b)->depth;
    return x > y ? -1 : x < y;
}

gmc_status gmc_build_overlaps_find(const gmc_rollout_input *input, gmc_arena *trial,
                                   gmc_arena *scratch, gmc_build_overlaps *found)
{
    gmc_rollout_start_points at;
    *found = (gmc_build_overlaps){.accepted = input->options.deep_start};
    gmc_status status = gmc_rollout_start_find(input, trial, scratch, &at);
    if (status == GMC_E_LIMIT || status == GMC_E_LIBRARY) return GMC_OK; // another matter
    GMC_TRY(status);
    gmc_build_overlap *list = GMC_NEW(scratch, at.count, gmc_build_overlap);
    if (!list && at.count > 0) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < at.count; i++) {
        double accepted = gmc_rollout_accepted(input, &at.points[i]);
        if (-at.points[i].gap <= fmin(accepted, GMC_BUILD_OVERLAP_TOLD)) continue;
        gmc_build_overlap next = overlap_of(input->model, &at.points[i], accepted);
        take_in(&next, list, &count);
    }
    if (count > 0) qsort(list, (size_t)count, sizeof *list, by_depth);
    for (int i = 0; i < count; i++) {
        if (list[i].depth > list[i].accepted) {
            if (found->pair_count++ < GMC_BUILD_OVERLAPS_MAX) found->list[found->count++] = list[i];
        } else if (found->shallow_count++ == 0) {
            found->shallow = list[i];
        }
    }
    return GMC_OK;
}
