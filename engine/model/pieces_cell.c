// A solid within a convex cell, kept as what the cell leaves of its surface (convex polygons) and
// the walls of the cell (a convex polyhedron). The cut surfaces inside the solid are never made
// into triangles: all that is wanted of them is their hull, and the corners of a solid in a cell
// are those of the clipped surface and those corners of the walls that are inside the solid.
//
// A polygon that lies in the plane of a cut belongs to the side that its solid is on, told by its
// normal: else the floor beside a wall would be drawn into the wall's hull.
#include "engine/base/list.h"
#include "engine/model/pieces_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Nearer to a plane than this share of the solid's extent is on it: well above the rounding of
/// clipped corners (1e-15), well below what a hull resolves (GMC_HULL_COPLANAR).
#define ON_PLANE 1e-9

static void free_polygons(gmc_pieces_polygons *set)
{
    free(set->start);
    free(set->normals);
    free(set->corners);
    *set = (gmc_pieces_polygons){0};
}

void gmc_pieces_cell_free(gmc_pieces_cell *cell)
{
    free_polygons(&cell->surface);
    free_polygons(&cell->walls);
    free(cell->inside.points);
    cell->inside = (gmc_pieces_cloud){0};
}

static bool reserve(gmc_pieces_polygons *set, int corners)
{
    if (set->failed) return false;
    if (set->count + 1 >= set->capacity) {
        int capacity = set->capacity ? 2 * set->capacity : 16;
        int *start = realloc(set->start, ((size_t)capacity + 1) * sizeof *start);
        if (start) set->start = start;
        gmc_vec3 *normals = realloc(set->normals, (size_t)capacity * sizeof *normals);
        if (normals) set->normals = normals;
        set->failed = !start || !normals;
        if (set->failed) return false;
        if (set->capacity == 0) set->start[0] = 0;
        set->capacity = capacity;
    }
    int wanted = set->start[set->count] + corners;
    if (wanted > set->corner_capacity) {
        int capacity = wanted > 2 * set->corner_capacity ? wanted : 2 * set->corner_capacity;
        gmc_vec3 *grown = realloc(set->corners, (size_t)capacity * sizeof *grown);
        set->failed = !grown;
        if (!grown) return false;
        set->corners = grown;
        set->corner_capacity = capacity;
    }
    return true;
}

/// Add a polygon; the corners may not be in the set itself.
static void add_polygon(gmc_pieces_polygons *set, const gmc_vec3 *corners, int count, gmc_vec3 n)
{
    if (count < 3 || !reserve(set, count)) return;
    int at = set->start[set->count];
    memcpy(set->corners + at, corners, (size_t)count * sizeof *corners);
    set->normals[set->count] = n;
    set->start[++set->count] = at + count;
}

static void add_box(gmc_pieces_polygons *set, gmc_vec3 lo, gmc_vec3 hi)
{
    static const int FACES[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const gmc_vec3 NORMALS[6] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                        {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    for (int f = 0; f < 6; f++) {
        gmc_vec3 corners[4];
        for (int k = 0; k < 4; k++) {
            int c = FACES[f][k];
            corners[k] = (gmc_vec3){c & 1 ? hi.x : lo.x, c & 2 ? hi.y : lo.y, c & 4 ? hi.z : lo.z};
        }
        add_polygon(set, corners, 4, NORMALS[f]);
    }
}

bool gmc_pieces_cell_of(const gmc_pieces_solid *solid, gmc_pieces_cell *cell)
{
    *cell = (gmc_pieces_cell){0};
    // large ones in the order of the tree, so that thinning leaves some everywhere
    bool is_sorted = solid->triangle_count > GMC_PIECES_FACES;
    for (int i = 0; i < solid->triangle_count; i++) {
        int t = is_sorted ? solid->order[i] : i;
        add_polygon(&cell->surface, solid->corners[t], 3, solid->normals[t]);
    }
    double r = 0.1 * solid->extent; // any distance: no corner of the box may touch the solid
    gmc_vec3 around = {r, r, r};
    add_box(&cell->walls, gmc_vec3_sub(solid->lo, around), gmc_vec3_add(solid->hi, around));
    return !cell->surface.failed && !cell->walls.failed;
}

static double height(const gmc_pieces_plane *plane, gmc_vec3 p)
{
    return gmc_vec3_dot(plane->n, p) - plane->offset;
}

// Where the edge from p to q crosses the plane, the same point whichever way it is run through.
static gmc_vec3 crossing(gmc_vec3 p, double at_p, gmc_vec3 q, double at_q)
{
    if (at_p > at_q) {
        gmc_vec3 swapped = p;
        double at = at_p;
        p = q, at_p = at_q, q = swapped, at_q = at;
    }
    return gmc_vec3_add_scaled(p, at_p / (at_p - at_q), gmc_vec3_sub(q, p));
}

/// What of a convex polygon lies in front (`sign` 1) or behind (-1) the plane. `rim` (2) gets the
/// points where its outline meets the plane, `rim_count` how many.
/// @return corners written to `out`, which has room for two more than the polygon has
static int clip(const gmc_vec3 *corners, int count, const gmc_pieces_plane *plane, double sign,
                double tolerance, gmc_vec3 *out, gmc_vec3 rim[2], int *rim_count)
{
    int made = 0;
    *rim_count = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 p = corners[i], q = corners[i + 1 < count ? i + 1 : 0];
        double at_p = sign * height(plane, p), at_q = sign * height(plane, q);
        bool is_on = fabs(at_p) <= tolerance;
        if (is_on || at_p > 0) out[made++] = p;
        if (is_on && *rim_count < 2) rim[(*rim_count)++] = p;
        if (is_on || fabs(at_q) <= tolerance || (at_p > 0) == (at_q > 0)) continue;
        out[made++] = crossing(p, at_p, q, at_q);
        if (*rim_count < 2) rim[(*rim_count)++] = out[made - 1];
    }
    return made;
}

static void range(const gmc_vec3 *corners, int count, const gmc_pieces_plane *plane, double *least,
                  double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < count; i++) {
        double at = height(plane, corners[i]);
        *least = fmin(*least, at);
        *most = fmax(*most, at);
    }
}

/// Room for the corners of one polygon and two more.
static gmc_vec3 *polygon_room(const gmc_pieces_polygons *set)
{
    int most = 0;
    for (int i = 0; i < set->count; i++)
        if (set->start[i + 1] - set->start[i] > most) most = set->start[i + 1] - set->start[i];
    return malloc(((size_t)most + 2) * sizeof(gmc_vec3));
}

static bool cut_surface(const gmc_pieces_polygons *from, const gmc_pieces_plane *plane, double sign,
                        double tolerance, gmc_pieces_polygons *to)
{
    gmc_vec3 *corners = polygon_room(from), rim[2];
    int rim_count;
    for (int i = 0; corners && i < from->count; i++) {
        const gmc_vec3 *polygon = from->corners + from->start[i];
        int count = from->start[i + 1] - from->start[i];
        double least, most;
        range(polygon, count, plane, &least, &most);
        if (most <= tolerance && least >= -tolerance) {
            if (sign * gmc_vec3_dot(plane->n, from->normals[i]) < 0)
                add_polygon(to, polygon, count, from->normals[i]);
        } else if ((sign > 0 ? most : -least) > tolerance) {
            int left = clip(polygon, count, plane, sign, tolerance, corners, rim, &rim_count);
            add_polygon(to, corners, left, from->normals[i]);
        }
    }
    bool fits = corners && !to->failed;
    free(corners);
    return fits;
}

/// The points of the new wall in order round it: by the side of the line from the first of them.
static void order_rim(gmc_vec3 *rim, int count, gmc_vec3 n)
{
    gmc_vec3 middle = {0, 0, 0};
    for (int i = 0; i < count; i++)
        middle = gmc_vec3_add_scaled(middle, 1.0 / count, rim[i]);
    gmc_vec3 u, v;
    gmc_vec3_tangents(n, &u, &v);
    // insertion by angle, told by half plane and cross product: there are few of them
    for (int i = 1; i < count; i++) {
        gmc_vec3 p = rim[i], d = gmc_vec3_sub(p, middle);
        double x = gmc_vec3_dot(d, u), y = gmc_vec3_dot(d, v);
        int k = i;
        for (; k > 0; k--) {
            gmc_vec3 e = gmc_vec3_sub(rim[k - 1], middle);
            double ex = gmc_vec3_dot(e, u), ey = gmc_vec3_dot(e, v);
            bool is_low = y < 0 || (y == 0 && x < 0), e_is_low = ey < 0 || (ey == 0 && ex < 0);
            bool is_before = is_low != e_is_low ? e_is_low : ex * y - ey * x < 0;
            if (!is_before) break;
            rim[k] = rim[k - 1];
        }
        rim[k] = p;
    }
}

static bool cut_walls(const gmc_pieces_polygons *from, const gmc_pieces_plane *plane, double sign,
                      double tolerance, gmc_pieces_polygons *to)
{
    gmc_vec3 *corners = polygon_room(from);
    gmc_vec3 *rim = malloc((2 * (size_t)from->count + 2) * sizeof *rim);
    int rim_count = 0;
    for (int i = 0; corners && rim && i < from->count; i++) {
        const gmc_vec3 *polygon = from->corners + from->start[i];
        int count = from->start[i + 1] - from->start[i], met;
        double least, most;
        range(polygon, count, plane, &least, &most);
        if ((sign > 0 ? most : -least) <= tolerance) continue;
        int left = clip(polygon, count, plane, sign, tolerance, corners, rim + rim_count, &met);
        rim_count += met;
        add_polygon(to, corners, left, from->normals[i]);
    }
    bool fits = corners && rim && !to->failed;
    if (fits) {
        gmc_vec3 out = gmc_vec3_scale(-sign, plane->n);
        int kept = 0; // each corner was met by two walls
        for (int i = 0; i < rim_count; i++) {
            int k = 0;
            while (k < kept && gmc_vec3_norm(gmc_vec3_sub(rim[k], rim[i])) > tolerance)
                k++;
            if (k == kept) rim[kept++] = rim[i];
        }
        order_rim(rim, kept, out);
        add_polygon(to, rim, kept, out);
    }
    free(corners);
    free(rim);
    return fits && !to->failed;
}

static bool add_point(gmc_pieces_cloud *cloud, gmc_vec3 p)
{
    gmc_vec3 *points = gmc_list_room(cloud->points, cloud->count, &cloud->capacity, sizeof *points);
    if (!points) return false;
    cloud->points = points;
    cloud->points[cloud->count++] = p;
    return true;
}

/// The corners that are inside the solid: the old ones on this side, and those of the new wall,
/// which is the last.
static bool find_inside(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                        const gmc_pieces_plane *plane, double sign, double tolerance,
                        gmc_pieces_cell *half)
{
    const gmc_pieces_polygons *walls = &half->walls;
    bool fits = true;
    half->inside.count = 0;
    for (int i = 0; i < cell->inside.count && fits; i++)
        if (sign * height(plane, cell->inside.points[i]) >= -tolerance)
            fits = add_point(&half->inside, cell->inside.points[i]);
    for (int i = walls->count > 0 ? walls->start[walls->count - 1] : 0;
         walls->count > 0 && i < walls->start[walls->count] && fits; i++) {
        gmc_vec3 p = walls->corners[i];
        int nearest;
        bool is_in_box = p.x > solid->lo.x && p.x < solid->hi.x && p.y > solid->lo.y &&
                         p.y < solid->hi.y && p.z > solid->lo.z && p.z < solid->hi.z;
        if (is_in_box && gmc_pieces_solid_distance(solid, p, &nearest) < 0)
            fits = add_point(&half->inside, p);
    }
    return fits;
}

bool gmc_pieces_cell_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                         const gmc_pieces_plane *plane, bool is_front, gmc_pieces_cell *half)
{
    double sign = is_front ? 1 : -1, tolerance = ON_PLANE * solid->extent;
    half->surface.count = half->walls.count = 0;
    gmc_pieces_work_add(solid->work, GMC_PIECES_WORK_CLIP * cell->surface.count);
    return cut_surface(&cell->surface, plane, sign, tolerance, &half->surface) &&
           cut_walls(&cell->walls, plane, sign, tolerance, &half->walls) &&
           find_inside(solid, cell, plane, sign, tolerance, half);
}

bool gmc_pieces_cell_thin(const gmc_pieces_cell *cell, int most, gmc_pieces_cell *thin)
{
    const gmc_pieces_polygons *sets[2] = {&cell->surface, &cell->walls};
    gmc_pieces_polygons *thinned[2] = {&thin->surface, &thin->walls};
    int steps[2] = {(cell->surface.count + most - 1) / most, 1};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sets[s]->count; i += steps[s])
            add_polygon(thinned[s], sets[s]->corners + sets[s]->start[i],
                        sets[s]->start[i + 1] - sets[s]->start[i], sets[s]->normals[i]);
    bool fits = !thin->surface.failed && !thin->walls.failed;
    for (int i = 0; i < cell->inside.count && fits; i++)
        fits = add_point(&thin->inside, cell->inside.points[i]);
    return fits;
}

static uint64_t mix(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static bool is_same(const gmc_vec3 *a, const gmc_vec3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

/// Keep each point once, the first of them. Neighbouring polygons share their corners bit by bit.
static bool drop_repeated(gmc_pieces_cloud *cloud)
{
    size_t size = 64;
    while (size < 2 * (size_t)cloud->count)
        size *= 2;
    int *table = malloc(size * sizeof *table), kept = 0;
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table); // -1: free
    for (int i = 0; i < cloud->count; i++) {
        gmc_vec3 p = cloud->points[i];
        size_t at = mix(mix(mix(0, p.x), p.y), p.z) & (size - 1);
        while (table[at] >= 0 && !is_same(&cloud->points[table[at]], &p))
            at = (at + 1) & (size - 1);
        if (table[at] >= 0) continue;
        table[at] = kept;
        cloud->points[kept++] = p;
    }
    cloud->count = kept;
    free(table);
    return true;
}

bool gmc_pieces_cell_points(const gmc_pieces_cell *cell, gmc_pieces_cloud *cloud)
{
    int corners = cell->surface.count > 0 ? cell->surface.start[cell->surface.count] : 0;
    bool fits = true;
    cloud->count = 0;
    for (int i = 0; i < corners && fits; i++)
        fits = add_point(cloud, cell->surface.corners[i]);
    for (int i = 0; i < cell->inside.count && fits; i++)
        fits = add_point(cloud, cell->inside.points[i]);
    return fits && drop_repeated(cloud);
}
