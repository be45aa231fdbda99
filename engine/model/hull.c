// A hull is made in a frame of its own: the cloud shifted to its lowest corner and scaled by a
// power of two to an extent in [1, 2), which loses nothing that matters and lets every tolerance be
// a plain number. Flatness is judged before qhull sees the points, because it is the one thing
// users do get wrong.
#include "engine/model/hull.h"

#include "engine/model/hull_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct cloud {
    gmc_vec3 *given;  // (count) sorted by x, y, z, each place once
    gmc_vec3 *scaled; // (count) the same in the frame of the hull
    int count;
    double extent; // largest of the three sizes, given units
    double scale;  // given = lowest corner + scale * scaled
    gmc_vec3 low;
} cloud;

static int compare_points(const void *a, const void *b)
{
    const gmc_vec3 *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return 0;
}

static void free_cloud(cloud *points)
{
    free(points->given);
    free(points->scaled);
    *points = (cloud){0};
}

static bool make_cloud(const gmc_vec3 *points, int count, cloud *out)
{
    *out = (cloud){.given = malloc(((size_t)count + 1) * sizeof *out->given),
                   .scaled = malloc(((size_t)count + 1) * sizeof *out->scaled)};
    if (!out->given || !out->scaled) {
        free_cloud(out);
        return false;
    }
    // + 0.0 turns -0 into 0, so that equal points have equal bits
    for (int i = 0; i < count; i++)
        out->given[i] = gmc_vec3_make(points[i].x + 0.0, points[i].y + 0.0, points[i].z + 0.0);
    qsort(out->given, (size_t)count, sizeof *out->given, compare_points);
    for (int i = 0; i < count; i++)
        if (i == 0 || compare_points(out->given + i, out->given + out->count - 1) != 0)
            out->given[out->count++] = out->given[i];

    gmc_vec3 low = out->given[0], high = low;
    for (int i = 1; i < out->count; i++) {
        gmc_vec3 p = out->given[i];
        low = gmc_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = gmc_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    gmc_vec3 size = gmc_vec3_sub(high, low);
    out->low = low;
    out->extent = fmax(size.x, fmax(size.y, size.z));
    int exponent = 0;
    (void)frexp(out->extent, &exponent);
    out->scale = ldexp(1, exponent - 1);
    for (int i = 0; i < out->count; i++)
        out->scaled[i] = gmc_vec3_scale(1 / out->scale, gmc_vec3_sub(out->given[i], low));
    return true;
}

// How many dimensions the cloud fills, 0 to 3: a farthest point, a point farthest from the line to
// it, a point farthest from their plane; each must be farther off than the thinnest body allowed.
static int dimension(const cloud *points)
{
    double thinnest = GMC_HULL_THINNEST * points->extent / points->scale;
    const gmc_vec3 *p = points->scaled;
    int a = 0, b = 0;
    double best = 0;
    for (int i = 1; i < points->count; i++) {
        double d = gmc_vec3_norm(gmc_vec3_sub(p[i], p[0]));
        if (d <= best) continue;
        best = d;
        a = i;
    }
    if (best == 0) return 0;
    gmc_vec3 along = gmc_vec3_unit(gmc_vec3_sub(p[a], p[0]));
    best = 0;
    for (int i = 1; i < points->count; i++) {
        double d = gmc_vec3_norm(gmc_vec3_cross(along, gmc_vec3_sub(p[i], p[0])));
        if (d <= best) continue;
        best = d;
        b = i;
    }
    if (best < thinnest) return 1;
    gmc_vec3 normal = gmc_vec3_unit(gmc_vec3_cross(along, gmc_vec3_sub(p[b], p[0])));
    best = 0;
    for (int i = 1; i < points->count; i++)
        best = fmax(best, fabs(gmc_vec3_dot(normal, gmc_vec3_sub(p[i], p[0]))));
    return best < thinnest ? 2 : 3;
}

// ---- one hull ----------------------------------------------------------------------------------

static gmc_status refuse(gmc_diagnostics *report, gmc_source source, gmc_status status,
                         const char *what, const char *why, const char *detail)
{
    gmc_diagnostics_add(report, GMC_ERROR, status, source, NULL, "%s: %s%s%s", what, why,
                        detail ? ": " : "", detail ? detail : "");
    return status;
}

static gmc_status make_hull(const cloud *points, gmc_polytope **hull, char reason[GMC_HULL_REASON])
{
    gmc_hull_faces facets, faces;
    double tolerance = GMC_HULL_COPLANAR * points->extent / points->scale;
    GMC_TRY(gmc_hull_qhull_facets(points->scaled, points->count, &facets, reason));
    GMC_TRY(gmc_hull_faces_merge(points->scaled, points->count, tolerance, &facets, &faces));
    gmc_status status = gmc_hull_pack(points->given, points->count, &faces,
                                      4 * GMC_HULL_COPLANAR * points->extent, hull);
    gmc_hull_faces_free(&faces);
    return status;
}

// A hull of a cloud; on failure `*why` says it without a report.
static gmc_status try_hull(const gmc_vec3 *points, int count, gmc_polytope **hull, const char **why,
                           char reason[GMC_HULL_REASON])
{
    static const char *const flat[] = {"all points are one and the same",
                                       "all points are on a line", "all points are in a plane"};
    *hull = NULL;
    *why = "";
    snprintf(reason, GMC_HULL_REASON, "its facets do not close to a convex body");
    if (count < 4) {
        *why = "a body needs four points or more";
        return GMC_E_INPUT;
    }
    for (int i = 0; i < count; i++) {
        // sums of squares must stay finite, too
        double largest = fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z)));
        bool is_number = !isnan(points[i].x) && !isnan(points[i].y) && !isnan(points[i].z);
        if (is_number && largest < 1e100) continue;
        *why = "a coordinate is not finite";
        return GMC_E_INPUT;
    }
    cloud sorted;
    if (!make_cloud(points, count, &sorted)) {
        *why = "no memory left";
        return GMC_E_MEMORY;
    }
    // extents whose volume would be denormal or zero are points for every purpose
    int filled = sorted.extent > 1e-90 ? dimension(&sorted) : 0;
    gmc_status status = GMC_E_INPUT;
    if (filled < 3)
        *why = flat[filled];
    else
        status = make_hull(&sorted, hull, reason);
    if (status == GMC_E_MEMORY) *why = "no memory left";
    if (status == GMC_E_LIBRARY) *why = "no hull found";
    free_cloud(&sorted);
    return status;
}

gmc_status gmc_hull_create(const gmc_vec3 *points, int count, const char *what, gmc_source source,
                           gmc_diagnostics *report, gmc_polytope **hull)
{
    const char *why;
    char reason[GMC_HULL_REASON];
    gmc_status status = try_hull(points, count, hull, &why, reason);
    if (status == GMC_OK) return GMC_OK;
    return refuse(report, source, status, what, why, status == GMC_E_LIBRARY ? reason : NULL);
}

double gmc_hull_volume(const gmc_polytope *hull) { return gmc_hull_pack_volume(hull); }

void gmc_hull_free(gmc_polytope *hull) { free(hull); }

// ---- meshes ------------------------------------------------------------------------------------

// The points of one part (or of all: part < 0) once each, into `points`.
static int gather(const gmc_mesh *mesh, int part, int *stamp, gmc_vec3 *points)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (part >= 0 && mesh->parts[t] != part) continue;
        for (int k = 0; k < 3; k++) {
            int v = mesh->triangles[t][k];
            if (stamp[v] == part) continue;
            stamp[v] = part;
            points[count++] = mesh->vertices[v];
        }
    }
    return count;
}

static void free_pieces(gmc_hull_pieces *pieces)
{
    for (int i = 0; pieces->pieces && i < pieces->count; i++)
        free(pieces->pieces[i]);
    free(pieces->pieces);
    *pieces = (gmc_hull_pieces){0};
}

void gmc_hull_pieces_free(gmc_hull_pieces *pieces) { free_pieces(pieces); }

// What happened on the way, for one warning each.
typedef struct tally {
    int concave_count, flat_count, cavity_count, first_flat;
    double concave_mesh, concave_hull, cavity;
} tally;

// One more piece, which is theirs from here on.
static gmc_status add_piece(gmc_hull_pieces *pieces, gmc_polytope *hull)
{
    gmc_polytope **grown =
        realloc(pieces->pieces, ((size_t)pieces->count + 1) * sizeof(gmc_polytope *));
    if (!grown) {
        free(hull);
        return GMC_E_MEMORY;
    }
    pieces->pieces = grown;
    pieces->pieces[pieces->count++] = hull;
    pieces->hull_volume += gmc_hull_volume(hull);
    return GMC_OK;
}

// The pieces of a part that is not convex, in place of its hull, which is freed.
static gmc_status cut_part(const gmc_mesh *mesh, int part, const gmc_hull_cutter *cutter,
                           gmc_polytope *hull, gmc_hull_pieces *pieces)
{
    gmc_polytope **cut = NULL;
    int count = 0, left = mesh->part_count - part - 1;
    int room = GMC_HULL_PIECES_MAX - pieces->count - left;
    gmc_status status =
        cutter->cut(cutter->context, mesh, part, hull, room > 1 ? room : 1, &cut, &count);
    free(hull);
    for (int i = 0; i < count; i++) {
        if (status == GMC_OK)
            status = add_piece(pieces, cut[i]);
        else
            free(cut[i]);
    }
    free(cut);
    return status;
}

static gmc_status hull_of_part(const gmc_mesh *mesh, int part, int *stamp, gmc_vec3 *points,
                               const gmc_hull_cutter *cutter, gmc_hull_pieces *pieces, tally *sum,
                               gmc_source source, gmc_diagnostics *report)
{
    const gmc_mesh_part *facts = mesh->part + part;
    if (facts->is_cavity) {
        sum->cavity_count++;
        sum->cavity -= facts->volume;
        return GMC_OK;
    }
    char reason[GMC_HULL_REASON];
    const char *why;
    gmc_polytope *hull = NULL;
    int count = gather(mesh, part, stamp, points);
    gmc_status status = try_hull(points, count, &hull, &why, reason);
    if (status == GMC_E_INPUT) {
        if (sum->flat_count++ == 0) sum->first_flat = facts->line;
        return GMC_OK;
    }
    if (status != GMC_OK) return refuse(report, source, status, mesh->file, why, reason);
    double volume = gmc_hull_volume(hull);
    bool is_convex = volume - facts->volume <= GMC_HULL_CONVEX * volume;
    if (!is_convex && cutter) {
        status = cut_part(mesh, part, cutter, hull, pieces);
    } else {
        if (!is_convex) {
            sum->concave_count++;
            sum->concave_mesh += facts->volume;
            sum->concave_hull += volume;
        }
        status = add_piece(pieces, hull);
    }
    if (status != GMC_OK)
        return refuse(report, source, status, mesh->file, gmc_status_name(status), NULL);
    return GMC_OK;
}

static void warn_of_added_volume(const gmc_mesh *mesh, const tally *sum, gmc_source source,
                                 gmc_diagnostics *report)
{
    double added = 100 * (sum->concave_hull / sum->concave_mesh - 1);
    if (sum->concave_count == 0) return;
    if (mesh->part_count == 1)
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK, source,
                            "ask for `convex: pieces`, or make each convex piece an `o` group of "
                            "the OBJ",
                            "mesh %s is not convex: its hull adds %.3g %% (%.4g cm3 to %.4g cm3)",
                            mesh->file, added, 1e6 * (sum->concave_hull - sum->concave_mesh),
                            1e6 * sum->concave_mesh);
    else
        gmc_diagnostics_add(
            report, GMC_WARNING, GMC_OK, source,
            "ask for `convex: pieces`, or make each convex piece an `o` group of the OBJ",
            "mesh %s: %d of %d parts are not convex: their hulls add %.3g %% (%.4g cm3 "
            "to %.4g cm3)",
            mesh->file, sum->concave_count, mesh->part_count, added,
            1e6 * (sum->concave_hull - sum->concave_mesh), 1e6 * sum->concave_mesh);
}

static void warn_of_parts(const gmc_mesh *mesh, const tally *sum, gmc_source source,
                          gmc_diagnostics *report)
{
    warn_of_added_volume(mesh, sum, source, report);
    if (sum->cavity_count > 0)
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK, source, NULL,
                            "mesh %s: %d %s of %.4g cm3 filled", mesh->file, sum->cavity_count,
                            sum->cavity_count == 1 ? "cavity" : "cavities", 1e6 * sum->cavity);
    if (sum->flat_count > 0)
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK,
                            (gmc_source){.file = mesh->file, .line = sum->first_flat}, NULL,
                            "%d of %d parts have no thickness and are left out", sum->flat_count,
                            mesh->part_count);
}

static gmc_status hull_of_all(const gmc_mesh *mesh, int *stamp, gmc_vec3 *points, gmc_source source,
                              gmc_diagnostics *report, gmc_hull_pieces *pieces)
{
    gmc_polytope *hull = NULL;
    int count = gather(mesh, -1, stamp, points);
    GMC_TRY(gmc_hull_create(points, count, mesh->file, source, report, &hull));
    if (add_piece(pieces, hull) != GMC_OK)
        return refuse(report, source, GMC_E_MEMORY, mesh->file, "no memory left", NULL);
    if (pieces->mesh_volume > 0) {
        tally sum = {.concave_count = mesh->part_count,
                     .concave_mesh = pieces->mesh_volume,
                     .concave_hull = pieces->hull_volume};
        warn_of_added_volume(mesh, &sum, source, report);
    } else {
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK, source, NULL,
                            "mesh %s is not closed: the hull of all its points is used (%.4g cm3)",
                            mesh->file, 1e6 * pieces->hull_volume);
    }
    return GMC_OK;
}

static gmc_status hull_of_parts(const gmc_mesh *mesh, int *stamp, gmc_vec3 *points,
                                const gmc_hull_cutter *cutter, gmc_source source,
                                gmc_diagnostics *report, gmc_hull_pieces *pieces)
{
    tally sum = {0};
    for (int p = 0; p < mesh->part_count; p++)
        GMC_TRY(hull_of_part(mesh, p, stamp, points, cutter, pieces, &sum, source, report));
    warn_of_parts(mesh, &sum, source, report);
    if (pieces->count > 0) return GMC_OK;
    return refuse(report, source, GMC_E_INPUT, mesh->file, "no part has a thickness", NULL);
}

gmc_status gmc_hull_of_mesh(const gmc_mesh *mesh, gmc_source source, gmc_diagnostics *report,
                            gmc_hull_pieces *pieces)
{
    return gmc_hull_of_mesh_cut(mesh, source, NULL, report, pieces);
}

gmc_status gmc_hull_of_mesh_cut(const gmc_mesh *mesh, gmc_source source,
                                const gmc_hull_cutter *cutter, gmc_diagnostics *report,
                                gmc_hull_pieces *pieces)
{
    bool is_split = mesh->part_count <= GMC_HULL_PIECES_MAX;
    for (int p = 0; p < mesh->part_count; p++)
        is_split = is_split && mesh->part[p].is_closed;
    *pieces = (gmc_hull_pieces){.mesh_volume = gmc_mesh_volume(mesh)};
    gmc_vec3 *points = malloc((size_t)mesh->vertex_count * sizeof *points);
    int *stamp = malloc((size_t)mesh->vertex_count * sizeof *stamp);
    gmc_status status = GMC_E_MEMORY;
    if (points && stamp) {
        for (int v = 0; v < mesh->vertex_count; v++)
            stamp[v] = -2; // of no part
        status = is_split ? hull_of_parts(mesh, stamp, points, cutter, source, report, pieces)
                          : hull_of_all(mesh, stamp, points, source, report, pieces);
    } else {
        status = refuse(report, source, GMC_E_MEMORY, mesh->file, "no memory left", NULL);
    }
    free(points);
    free(stamp);
    if (status != GMC_OK) free_pieces(pieces);
    return status;
}
