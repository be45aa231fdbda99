// Shapes of planar worlds. Solids are taken by their section with the plane z = 0, in which their
// bodies stay, and keep the mass properties of the solid: a ball in the plane still rolls as a
// ball. A rectangle is made anew in every trial, for chance may change its sizes. Polygons are cut
// once, and again in a trial that moves their vertices; how many pieces that gives is not known
// before, so there are as many geoms as it can be, triangles at worst.
#include "engine/model/inertia.h"
#include "engine/model/polygon.h"
#include "sampling/build/build_internal.h"

/// A piece with room for its corners.
typedef struct rectangle {
    gmc_polygon_piece piece;
    gmc_vec2 vertices[4], normals[4];
    bool is_inner[4];
    gmc_polygon_corner corners[4];
    gmc_polygon_cone cones[4];
} rectangle;

gmc_status gmc_build_rectangle(double half_x, double half_y, gmc_arena *arena, gmc_shape *shape)
{
    static const gmc_vec2 SIGNS[4] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const gmc_vec2 NORMALS[4] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    rectangle *made = GMC_NEW(arena, 1, rectangle);
    if (!made) return GMC_E_ARENA_FULL;
    for (int i = 0; i < 4; i++) {
        made->vertices[i] = (gmc_vec2){SIGNS[i].x * half_x, SIGNS[i].y * half_y};
        made->normals[i] = NORMALS[i];
        made->corners[i] = GMC_POLYGON_CONVEX;
        made->cones[i] = (gmc_polygon_cone){NORMALS[(i + 3) % 4], NORMALS[i]};
    }
    made->piece = (gmc_polygon_piece){.count = 4,
                                      .vertices = made->vertices,
                                      .normals = made->normals,
                                      .is_inner = made->is_inner,
                                      .corners = made->corners,
                                      .cones = made->cones,
                                      .radius = sqrt(half_x * half_x + half_y * half_y)};
    *shape = gmc_polygon_shape(&made->piece, GMC_BUILD_THICKNESS);
    return GMC_OK;
}

gmc_status gmc_build_section(const gmc_item_spec *spec, const double *values, gmc_arena *arena,
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

static gmc_status cut(gmc_build *build, const gmc_item_spec *spec, gmc_polygon_pieces *pieces)
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

// Is a number one that may differ from trial to trial, or from case to case?
static bool may_change(const gmc_scenario *scenario, gmc_param param)
{
    if (scenario->parameters[param].formula) return true;
    for (int i = 0; i < scenario->sampled_count; i++) {
        const gmc_sampled *column = &scenario->sampled[i];
        if (column->target == param) return true;
        for (int k = 0; column->by_object && k < scenario->object_count; k++)
            if (column->by_object[k] == param) return true;
    }
    return false;
}

static bool is_shaped(const gmc_scenario *scenario, const gmc_item_spec *spec)
{
    for (int i = 0; spec->vertex_params && i < 2 * spec->vertex_count; i++)
        if (may_change(scenario, spec->vertex_params[i])) return true;
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
    return gmc_build_section(spec, values, arena, shape);
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
            GMC_TRY(cut(build, one, &pieces[i]));
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
        if (one->kind != GMC_KIND_POLYGON)
            GMC_TRY(gmc_build_section(one, values, &build->arena, next));
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

bool gmc_build_is_spare(const gmc_build_item *item, int geom)
{
    int first = 0;
    for (int part = 0; item->is_shaped && part <= item->spec->part_count; part++) {
        int count = part == 0 ? item->own_count : item->part_geoms[part - 1];
        if (geom < first + count)
            return item->is_shaped[part] && geom - first >= item->pieces[part].count;
        first += count;
    }
    return false;
}

// ---- a trial ------------------------------------------------------------------------------------

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

gmc_status gmc_build_put_sections(const gmc_build_item *item, const double *values,
                                  gmc_arena *arena, gmc_model *model, gmc_inertia *unit)
{
    gmc_geom *geom = model->geoms + item->geom;
    for (int part = 0; part <= item->spec->part_count; part++) {
        const gmc_item_spec *spec = spec_of(item, part);
        int count = part == 0 ? item->own_count : item->part_geoms[part - 1];
        for (int k = 0; k < count; k++) {
            GMC_TRY(gmc_build_section(spec, values, arena, &geom[k].shape));
            if (part > 0) geom[k].X_bg = gmc_build_pose(values, &spec->pose);
        }
        if (item->is_shaped && item->is_shaped[part])
            GMC_TRY(reshape(spec, values, arena, geom, count, part == 0 ? unit : NULL));
        geom += count;
    }
    return GMC_OK;
}
