// A solid within a convex cell, kept as what the cell leaves of its surface (convex polygons) and
// the walls of the cell (a convex polyhedron). The cut surfaces inside the solid are never made
// into triangles: all that is wanted of them is their hull, and the corners of a solid in a cell
// are those of the clipped surface and those corners of the walls that are inside the solid.
//
// A polygon that lies in the plane of a cut belongs to the side that its solid is on, told by its
// normal: else the floor beside a wall would be drawn into the wall's hull.
#include "engine/model/pieces_cell.h"

#include "engine/base/list.h"
#include "engine/model/hull.h"

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

/// One side of a plane.
typedef struct plane_side {
    const gmc_pieces_plane *plane;
    double sign;      ///< 1: in front, -1: behind
    double tolerance; ///< what is so near lies in the plane [m]
} plane_side;

/// What of a convex polygon lies on this side. `rim` (2) gets the points where its outline meets
/// the plane, `rim_count` how many.
/// @return corners written to `out`, which has room for two more than the polygon has
static int clip(const gmc_vec3 *corners, int count, const plane_side *side, gmc_vec3 *out,
                gmc_vec3 rim[2], int *rim_count)
{
    int made = 0;
    *rim_count = 0;
    for (int i = 0; i < count; i++) {
        gmc_vec3 p = corners[i], q = corners[i + 1 < count ? i + 1 : 0];
        double at_p = side->sign * height(side->plane, p);
        double at_q = side->sign * height(side->plane, q), tolerance = side->tolerance;
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
    plane_side side = {plane, sign, tolerance};
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
            int left = clip(polygon, count, &side, corners, rim, &rim_count);
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
    plane_side side = {plane, sign, tolerance};
    gmc_vec3 *corners = polygon_room(from);
    gmc_vec3 *rim = malloc((2 * (size_t)from->count + 2) * sizeof *rim);
    int rim_count = 0;
    for (int i = 0; corners && rim && i < from->count; i++) {
        const gmc_vec3 *polygon = from->corners + from->start[i];
        int count = from->start[i + 1] - from->start[i], met;
        double least, most;
        range(polygon, count, plane, &least, &most);
        if ((sign > 0 ? most : -least) <= tolerance) continue;
        int left = clip(polygon, count, &side, corners, rim + rim_count, &met);
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

/// What lies in front of a plane, or behind it. `half` is used again: its arrays grow as needed.
/// @return false without memory
static bool pieces_cell_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                            const gmc_pieces_plane *plane, bool is_front, gmc_pieces_cell *half)
{
    double sign = is_front ? 1 : -1, tolerance = ON_PLANE * solid->extent;
    half->surface.count = half->walls.count = 0;
    gmc_pieces_work_add(solid->work, GMC_PIECES_WORK_CLIP * cell->surface.count);
    return cut_surface(&cell->surface, plane, sign, tolerance, &half->surface) &&
           cut_walls(&cell->walls, plane, sign, tolerance, &half->walls) &&
           find_inside(solid, cell, plane, sign, tolerance, half);
}

/// The same cell with about `most` of its surface's polygons, those of evenly spaced places in
/// their list: neighbours in space stand near each other there.
/// @param  thin  zeroed before; to be freed in both cases
/// @return false without memory
static bool pieces_cell_thin(const gmc_pieces_cell *cell, int most, gmc_pieces_cell *thin)
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

// ---- where to cut -------------------------------------------------------------------------------
//
// Where to cut. A plane is as good as the hulls of its two halves are small together: what is left
// of the solid is the same for all planes, so that this compares the added volume without knowing
// the solid's [mamou2016]. Of planes that are equally good the one with the more equal halves is
// taken.
//
// Planes tried: across nine directions of the mesh's frame (axes and diagonals), evenly spaced; and
// at hollow edges the planes of both faces, which part polyhedra exactly, and the plane half way
// between them, which parts round walls radially.
//
// Ring walls (cups, tubes) defeat a greedy choice: halving one gains nothing, quartering does.
// Where the best plane gains little, the planes are judged by what one more cut of each half gains;
// [wei2022] searches such trees by chance, to greater depth; two levels, each plane of the upper
// one tried, did as well on cups, mugs and tori, and chance has no place in a set-up.

enum {
    DIRECTIONS = 9,
    POSITIONS = 9,   ///< planes per direction
    HOLLOW_MAX = 24, ///< hollow edges looked at, three planes each
    PLANES_MAX = DIRECTIONS * POSITIONS + 3 * HOLLOW_MAX,
    AHEAD_MAX = 40 ///< planes judged by the cut behind them
};

/// A cut that saves less than this share of the hull's volume is looked at twice.
#define LITTLE_GAIN 0.02
/// How much of the volumes' difference counts: enough to decide between equals, too little to make
/// a cut miss the floor of a corner.
#define BALANCE 1e-3
/// An edge is hollow if its faces turn by more than this (sine): rounded coordinates bend flat
/// faces by less.
#define HOLLOW 0.02

static const gmc_vec3 DIRECTION[DIRECTIONS] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                               {1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                               {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

typedef struct choice {
    gmc_pieces_plane plane;
    double score;   ///< small is good; infinite: leaves no two bodies
    bool is_coarse; ///< stands for its neighbours when looking ahead
} choice;

typedef struct cutter {
    const gmc_pieces_solid *solid;
    gmc_pieces_cell halves[2];
    gmc_pieces_cloud cloud;
    bool failed; ///< no memory, or stopped
} cutter;

// ---- volumes -----------------------------------------------------------------------------------

/// Volume of the hull of a cloud; 0 if it is flat.
static double hull_volume(cutter *cut, const gmc_pieces_cloud *cloud)
{
    char reason[GMC_HULL_REASON];
    gmc_hull_faces facets;
    if (cloud->count < 4) return 0;
    gmc_pieces_work_add(cut->solid->work, GMC_PIECES_WORK_HULL * cloud->count);
    gmc_status status = gmc_hull_qhull_facets(cloud->points, cloud->count, &facets, reason);
    cut->failed = cut->failed || status == GMC_E_MEMORY;
    if (status != GMC_OK) return 0;
    double volume = 0;
    gmc_vec3 o = cloud->points[0];
    for (int f = 0; f < facets.count; f++) {
        const int *loop = facets.loop + facets.start[f];
        gmc_vec3 a = gmc_vec3_sub(cloud->points[loop[0]], o);
        for (int i = 1; i + 1 < facets.start[f + 1] - facets.start[f]; i++)
            volume += gmc_vec3_dot(a, gmc_vec3_cross(gmc_vec3_sub(cloud->points[loop[i]], o),
                                                     gmc_vec3_sub(cloud->points[loop[i + 1]], o)));
    }
    gmc_hull_faces_free(&facets);
    return volume / 6;
}

/// Volume of the hull of one half; 0 if it is no body. A half thinner than what a hull may be is
/// none.
static double half_volume(cutter *cut, const gmc_pieces_cell *cell, const gmc_pieces_plane *plane,
                          bool is_front)
{
    gmc_pieces_cell *half = &cut->halves[is_front];
    if (!pieces_cell_cut(cut->solid, cell, plane, is_front, half) ||
        !gmc_pieces_cell_points(half, &cut->cloud)) {
        cut->failed = true;
        return 0;
    }
    double thickness = 0;
    for (int i = 0; i < cut->cloud.count; i++)
        thickness =
            fmax(thickness, fabs(gmc_vec3_dot(plane->n, cut->cloud.points[i]) - plane->offset));
    if (thickness < 2 * GMC_HULL_THINNEST * cut->solid->extent) return 0;
    return hull_volume(cut, &cut->cloud);
}

static double score_of(cutter *cut, const gmc_pieces_cell *cell, const gmc_pieces_plane *plane)
{
    cut->failed = cut->failed || (cut->solid->work && cut->solid->work->is_stopped);
    if (cut->failed) return HUGE_VAL;
    double behind = half_volume(cut, cell, plane, false);
    if (!(behind > 0) || cut->failed) return HUGE_VAL;
    double front = half_volume(cut, cell, plane, true);
    if (!(front > 0) || cut->failed) return HUGE_VAL;
    return behind + front + BALANCE * fabs(behind - front);
}

// ---- planes to try -----------------------------------------------------------------------------

static int add_plane(choice *list, int count, gmc_vec3 n, gmc_vec3 p, bool is_coarse)
{
    double length = gmc_vec3_norm(n);
    if (count >= PLANES_MAX || !(length > 0)) return count;
    gmc_vec3 unit = gmc_vec3_scale(1 / length, n);
    list[count] = (choice){.plane = {unit, gmc_vec3_dot(unit, p)}, .is_coarse = is_coarse};
    return count + 1;
}

static int add_grid(const gmc_pieces_cloud *cloud, choice *list, int count)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        gmc_vec3 n = gmc_vec3_unit(DIRECTION[d]);
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = 0; i < cloud->count; i++) {
            double at = gmc_vec3_dot(n, cloud->points[i]);
            least = fmin(least, at);
            most = fmax(most, at);
        }
        for (int i = 1; i <= POSITIONS; i++) {
            double at = least + (most - least) * i / (POSITIONS + 1);
            // the middle in all directions, and the quarters along the axes
            bool is_coarse = 2 * i == POSITIONS + 1 || (d < 3 && (i == 2 || i == POSITIONS - 1));
            count = add_plane(list, count, n, gmc_vec3_scale(at, n), is_coarse);
        }
    }
    return count;
}

/// Does the middle of this edge lie within the cell, away from its walls?
static bool is_within(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell, gmc_vec3 p)
{
    for (int w = 0; w < cell->walls.count; w++) {
        gmc_vec3 on_wall = cell->walls.corners[cell->walls.start[w]];
        double inside = gmc_vec3_dot(cell->walls.normals[w], gmc_vec3_sub(on_wall, p));
        if (inside < 1e-6 * solid->extent) return false;
    }
    return true;
}

/// Hollow edges in the cell, spread evenly over all of them.
static int add_hollow_edges(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                            choice *list, int count)
{
    int total = 0, seen = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < solid->triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const gmc_vec3 *c = solid->corners[t];
                gmc_vec3 from = c[k], to = c[(k + 1) % 3];
                gmc_vec3 along = gmc_vec3_sub(to, from);
                // each edge once: from the triangle that runs along it upwards
                bool is_up = along.x != 0 ? along.x > 0 : along.y != 0 ? along.y > 0 : along.z > 0;
                gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(from, to));
                if (!is_up || solid->edge_bends[t][k] < HOLLOW || !is_within(solid, cell, middle))
                    continue;
                if (pass == 0) {
                    total++;
                    continue;
                }
                int step = (total + HOLLOW_MAX - 1) / HOLLOW_MAX;
                if (seen++ % step != 0) continue;
                // this face, its mirror image in the plane between the two, and that plane
                gmc_vec3 own = solid->normals[t], between = solid->edge_normals[t][k];
                gmc_vec3 other = gmc_vec3_sub(between, own);
                count = add_plane(list, count, gmc_vec3_cross(between, along), middle, true);
                count = add_plane(list, count, own, middle, false);
                count = add_plane(list, count, other, middle, false);
            }
    return count;
}

// ---- the choice --------------------------------------------------------------------------------

static int find_best(const choice *list, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (list[i].score < HUGE_VAL && (best < 0 || list[i].score < list[best].score)) best = i;
    return best;
}

/// The smallest score of the coarse planes of a cell: what one more cut makes of it.
static double best_coarse(cutter *cut, const gmc_pieces_cell *cell)
{
    gmc_pieces_cloud cloud = {0};
    choice list[DIRECTIONS * POSITIONS];
    double best = HUGE_VAL;
    if (!gmc_pieces_cell_points(cell, &cloud)) cut->failed = true;
    int count = add_grid(&cloud, list, 0);
    for (int i = 0; i < count && !cut->failed; i++)
        if (list[i].is_coarse) best = fmin(best, score_of(cut, cell, &list[i].plane));
    // one that no plane parts stays whole
    if (best == HUGE_VAL && !cut->failed) best = hull_volume(cut, &cloud);
    free(cloud.points);
    return best;
}

/// Judge the coarse planes again by the cut behind them; all others are out.
static void look_ahead(cutter *cut, const gmc_pieces_cell *cell, choice *list, int count)
{
    int looked = 0;
    for (int i = 0; i < count && !cut->failed; i++) {
        bool is_taken = list[i].is_coarse && list[i].score < HUGE_VAL && looked < AHEAD_MAX;
        double own = list[i].score;
        list[i].score = HUGE_VAL;
        if (!is_taken) continue;
        looked++;
        gmc_pieces_cell halves[2] = {0};
        double sum = 0;
        for (int k = 0; k < 2 && !cut->failed; k++) {
            if (pieces_cell_cut(cut->solid, cell, &list[i].plane, k == 1, &halves[k]))
                sum += best_coarse(cut, &halves[k]);
            else
                cut->failed = true;
        }
        for (int k = 0; k < 2; k++)
            gmc_pieces_cell_free(&halves[k]);
        list[i].score = sum + BALANCE * own; // of equals the better one by itself
    }
}

gmc_status gmc_pieces_cell_halve(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                                 const gmc_pieces_plane *plane, gmc_pieces_cell halves[2])
{
    gmc_pieces_cell made[2] = {0};
    bool fits = true;
    for (int k = 0; k < 2 && fits; k++)
        fits = pieces_cell_cut(solid, cell, plane, k == 1, &made[k]);
    if (fits) {
        memcpy(halves, made, sizeof made);
        return GMC_OK;
    }
    for (int k = 0; k < 2; k++)
        gmc_pieces_cell_free(&made[k]);
    return GMC_E_MEMORY;
}

/// The best of all planes of a cell; -1: none leaves two bodies. `list` has room for PLANES_MAX.
static int best_plane(cutter *cut, const gmc_pieces_cell *cell, double volume, choice *list)
{
    gmc_pieces_cloud cloud = {0};
    int count = 0, best = -1;
    cut->failed = !gmc_pieces_cell_points(cell, &cloud);
    if (!cut->failed) {
        count = add_hollow_edges(cut->solid, cell, list, 0);
        count = add_grid(&cloud, list, count);
        if (volume <= 0) volume = hull_volume(cut, &cloud);
        for (int i = 0; i < count && !cut->failed; i++)
            list[i].score = score_of(cut, cell, &list[i].plane);
        best = find_best(list, count);
        if (best >= 0 && list[best].score > (1 - LITTLE_GAIN) * volume) {
            gmc_pieces_plane greedy = list[best].plane;
            look_ahead(cut, cell, list, count);
            best = find_best(list, count);
            if (best < 0) {
                best = 0;
                list[0].plane = greedy;
            }
        }
    }
    free(cloud.points);
    return best;
}

gmc_status gmc_pieces_plane_choose(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                                   double volume, gmc_pieces_plane *plane)
{
    cutter cut = {.solid = solid};
    choice *list = calloc(PLANES_MAX, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    gmc_pieces_cell thin = {0};
    bool is_thinned = cell->surface.count > GMC_PIECES_FACES;
    cut.failed = is_thinned && !pieces_cell_thin(cell, GMC_PIECES_FACES / 3, &thin);
    int best = -1;
    if (!cut.failed)
        best = best_plane(&cut, is_thinned ? &thin : cell, is_thinned ? 0 : volume, list);
    gmc_status status = cut.failed ? GMC_E_MEMORY : best < 0 ? GMC_E_NO_SOLUTION : GMC_OK;
    if (solid->work && solid->work->is_stopped) status = GMC_E_INTERRUPTED;
    if (status == GMC_OK) *plane = list[best].plane;
    gmc_pieces_cell_free(&thin);
    free(list);
    free(cut.cloud.points);
    for (int k = 0; k < 2; k++)
        gmc_pieces_cell_free(&cut.halves[k]);
    return status;
}
