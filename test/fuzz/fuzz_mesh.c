// A mesh, as OBJ, as STL, as PLY and as a file whose name says neither; then what is made of it:
// convex pieces, as they are and cut.
#include "engine/model/pieces.h"
#include "test/fuzz/fuzz.h"

#include <math.h>

static void judge_mesh(const gmc_mesh *mesh)
{
    FUZZ_REQUIRE(mesh->vertex_count > 0 && mesh->triangle_count > 0 && mesh->part_count > 0);
    for (int i = 0; i < mesh->vertex_count; i++) {
        gmc_vec3 p = mesh->vertices[i];
        FUZZ_REQUIRE(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        FUZZ_REQUIRE(v[0] != v[1] && v[1] != v[2] && v[2] != v[0]);
        for (int k = 0; k < 3; k++)
            FUZZ_REQUIRE(v[k] >= 0 && v[k] < mesh->vertex_count);
        FUZZ_REQUIRE(mesh->groups[t] >= 0 && mesh->groups[t] < mesh->group_count);
        FUZZ_REQUIRE(mesh->parts[t] >= 0 && mesh->parts[t] < mesh->part_count);
    }
}

static double extent(const gmc_mesh *mesh)
{
    double largest = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        largest = fmax(largest, gmc_vec3_norm(gmc_vec3_sub(mesh->vertices[i], mesh->vertices[0])));
    return largest;
}

static void judge_pieces(const gmc_hull_pieces *pieces)
{
    FUZZ_REQUIRE(pieces->count > 0);
    for (int i = 0; i < pieces->count; i++) {
        const gmc_polytope *h = pieces->pieces[i];
        FUZZ_REQUIRE(h->vertex_count - h->edge_count + h->face_count == 2);
        FUZZ_REQUIRE(gmc_hull_volume(h) > 0 && isfinite(h->radius));
    }
}

static void try_as(const char *name, const unsigned char *bytes, size_t size)
{
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_status status = gmc_mesh_parse(name, bytes, size, &options, &report, &mesh);
    bool is_read = status == GMC_OK;
    if (is_read) judge_mesh(&mesh);
    fuzz_judge_report(status, &report);

    for (int is_hull = 0; is_read && is_hull < 2; is_hull++) {
        gmc_pieces_options cut = gmc_pieces_defaults();
        cut.is_hull = is_hull;
        cut.piece_max = 3; // more of them, and finer, take longer and take no other way
        cut.tolerance = 0.2 * extent(&mesh);
        gmc_hull_pieces pieces;
        status = gmc_pieces_of_mesh(&mesh, &cut, (gmc_source){.file = name}, &report, &pieces);
        if (status == GMC_OK) judge_pieces(&pieces);
        gmc_hull_pieces_free(&pieces);
        // qhull may give up, and says so
        if (status == GMC_E_LIBRARY) status = GMC_E_INPUT;
        fuzz_judge_report(status, &report);
    }
    gmc_mesh_free(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = fuzz_copy(data, size);
    try_as("fuzz.obj", bytes, size);
    try_as("fuzz.stl", bytes, size);
    try_as("fuzz.ply", bytes, size);
    try_as("fuzz", bytes, size);
    free(bytes);
    return 0;
}
