// Shapes of planar worlds. Solids are taken by their section with the plane z = 0, in which their
// bodies stay, and keep the mass properties of the solid: a ball in the plane still rolls as a
// ball. Polygons are cut once; a rectangle is made anew in every trial, for chance may change its
// sizes.
#include "engine/model/inertia.h"
#include "engine/model/polygon.h"
#include "sampling/scenario/build_internal.h"

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
    rectangle *made = gmc_arena_take(arena, 1, sizeof *made);
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
        gmc_diagnostics_add(build->report, GMC_ERROR, GMC_E_INPUT, spec->source,
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

gmc_status gmc_build_planar_shapes(gmc_build *build, gmc_build_item *item, const double *values,
                                   gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    size_t count = 1 + (size_t)spec->part_count, total = 0;
    gmc_polygon_pieces *pieces = gmc_arena_take(&build->arena, count, sizeof *pieces);
    int *geoms = gmc_arena_take(&build->arena, count, sizeof *geoms);
    if (!pieces || !geoms) return GMC_E_ARENA_FULL;
    for (size_t i = 0; i < count; i++) {
        const gmc_item_spec *one = i == 0 ? spec : &spec->parts[i - 1];
        geoms[i] = 1;
        if (one->kind == GMC_KIND_POLYGON) {
            GMC_TRY(cut(build, one, &pieces[i]));
            geoms[i] = pieces[i].count;
        }
        total += (size_t)geoms[i];
    }
    *shapes = gmc_arena_take(&build->arena, total, sizeof **shapes);
    if (!*shapes) return GMC_E_ARENA_FULL;
    gmc_shape *next = *shapes;
    for (size_t i = 0; i < count; i++) {
        const gmc_item_spec *one = i == 0 ? spec : &spec->parts[i - 1];
        for (int k = 0; k < geoms[i]; k++, next++) {
            if (one->kind == GMC_KIND_POLYGON) *next = gmc_polygon_shape(&pieces[i].pieces[k], 1);
            GMC_TRY(gmc_build_section(one, values, &build->arena, next));
        }
    }
    if (spec->kind == GMC_KIND_POLYGON) item->unit = weigh(&pieces[0]);
    item->own_count = geoms[0];
    item->part_geoms = geoms + 1;
    item->geom_count = (int)total;
    return GMC_OK;
}
