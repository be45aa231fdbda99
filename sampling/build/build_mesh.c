// Mesh objects: read, cut into convex pieces, weighed. Polytopes are copied into the build's arena,
// where they live as long as the models that point to them.
#include "engine/model/hull.h"
#include "engine/model/inertia.h"
#include "engine/model/pieces.h"
#include "sampling/build/build_internal.h"

#include <string.h>

static void *copy_block(gmc_arena *arena, const void *from, size_t count, size_t size)
{
    void *block = gmc_arena_take(arena, count, size);
    if (block && count > 0) memcpy(block, from, count * size);
    return block;
}

static gmc_status copy_polytope(const gmc_polytope *from, gmc_arena *arena,
                                const gmc_polytope **copy)
{
    size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    size_t edges = (size_t)from->edge_count;
    gmc_polytope *to = copy_block(arena, from, 1, sizeof *to);
    if (!to) return GMC_E_ARENA_FULL;
    to->vertices = copy_block(arena, from->vertices, vertices, sizeof *to->vertices);
    to->face_start = copy_block(arena, from->face_start, faces + 1, sizeof *to->face_start);
    to->face_vertices = copy_block(arena, from->face_vertices, (size_t)from->face_start[faces],
                                   sizeof *to->face_vertices);
    to->face_normals = copy_block(arena, from->face_normals, faces, sizeof *to->face_normals);
    to->face_offsets = copy_block(arena, from->face_offsets, faces, sizeof *to->face_offsets);
    to->edges = copy_block(arena, from->edges, edges, sizeof *to->edges);
    to->neighbour_start =
        copy_block(arena, from->neighbour_start, vertices + 1, sizeof *to->neighbour_start);
    to->neighbours = copy_block(arena, from->neighbours, (size_t)from->neighbour_start[vertices],
                                sizeof *to->neighbours);
    *copy = to;
    return to->vertices && to->face_start && to->face_vertices && to->face_normals &&
                   to->face_offsets && to->edges && to->neighbour_start && to->neighbours
               ? GMC_OK
               : GMC_E_ARENA_FULL;
}

// Mass properties at density 1: of the mesh if it is closed, else of its pieces together.
static gmc_inertia weigh(const gmc_mesh *mesh, const gmc_hull_pieces *pieces)
{
    gmc_inertia inertia = {0};
    gmc_inertia_mesh about = {0};
    gmc_status status =
        gmc_inertia_of_mesh(&(gmc_inertia_surface){mesh->vertices, mesh->vertex_count,
                                                   mesh->triangles[0], mesh->triangle_count},
                            1, &inertia, &about);
    if (status == GMC_OK && about.is_oriented && mesh->part_count == 1) return inertia;
    inertia = (gmc_inertia){0};
    for (int i = 0; i < pieces->count; i++) {
        gmc_shape shape = {.type = GMC_SHAPE_POLYTOPE, .polytope = pieces->pieces[i], .scale = 1};
        gmc_inertia piece = gmc_inertia_of_shape(&shape, 1);
        inertia = gmc_inertia_combine(&inertia, &piece);
    }
    return inertia;
}

gmc_pieces_options gmc_build_convex(const gmc_build *build, const gmc_convex_spec *spec,
                                    double scale)
{
    gmc_pieces_options options = gmc_pieces_defaults();
    options.is_hull = spec->is_hull || build->is_sketch;
    options.tolerance = spec->tolerance / scale;
    options.piece_max = spec->piece_max;
    options.cache = build->pieces_cache;
    options.scale = scale;
    return options;
}

gmc_status gmc_build_mesh(gmc_build *build, gmc_build_item *item, const double *values,
                          gmc_shape **shapes)
{
    const gmc_item_spec *spec = item->spec;
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    gmc_mesh_options options = gmc_mesh_defaults();
    options.plausible_scale = gmc_build_value(values, spec->scale, 1);
    if (spec->scale >= 0 && !build->scenario->parameters[spec->scale].is_default)
        options.scale_said = "`unit` or `scale`";
    GMC_TRY(gmc_mesh_read(spec->mesh_file, &build->files, spec->source, &options, build->report,
                          &mesh));
    gmc_pieces_options convex = gmc_build_convex(build, &spec->convex, options.plausible_scale);
    gmc_status status = gmc_pieces_of_mesh(&mesh, &convex, spec->source, build->report, &pieces);
    if (status == GMC_OK) {
        item->unit = weigh(&mesh, &pieces);
        item->own_count = pieces.count;
        *shapes = GMC_NEW(&build->arena, pieces.count + spec->part_count, gmc_shape);
        if (!*shapes) status = GMC_E_ARENA_FULL;
        for (int i = 0; i < pieces.count && status == GMC_OK; i++) {
            (*shapes)[i] =
                (gmc_shape){.type = GMC_SHAPE_POLYTOPE, .scale = options.plausible_scale};
            status = copy_polytope(pieces.pieces[i], &build->arena, &(*shapes)[i].polytope);
        }
        gmc_hull_pieces_free(&pieces);
    }
    gmc_mesh_free(&mesh);
    return status;
}
