// Clutter: bodies in cells. The region is divided into equal cells, each as large as the ball about
// the largest body and the gap; a body anywhere in its cell, turned anyhow, overlaps no other.
// Which cell of its layer, where in it and how turned comes from chance addressed by (bits of
// clutter.arrangement, number of the body), so that every start is a pure function of seed and draw
// and the first bodies start alike whatever their count is. Drawing places until none overlap was
// rejected: its work and its end depend on luck, and a body's start on all before it.
//
// Bodies that have no part in a trial are taken out of its model, not parked: they stand last of
// the free bodies, so their dofs, coordinates and geoms are cut out in one piece each.
#include "engine/base/check.h"
#include "sampling/build/build_internal.h"
#include "sampling/random/rotation.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

// ---- a trial ------------------------------------------------------------------------------------

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

void gmc_build_clutter_drop(const gmc_build *build, const double *values, gmc_model *model)
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

gmc_status gmc_build_clutter_put(const gmc_build *build, const double *values, gmc_arena *scratch,
                                 gmc_model *model)
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
        GMC_TRY(gmc_build_put_item(item, values, scratch, model));
        gmc_build_put_pose(model->q_start + model->bodies[item->body].q, &X);
    }
    gmc_arena_reset(scratch, mark);
    return GMC_OK;
}
