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
#include "engine/model/hull_internal.h"
#include "engine/model/pieces_internal.h"

#include <stdlib.h>
#include <string.h>

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
    if (!gmc_pieces_cell_cut(cut->solid, cell, plane, is_front, half) ||
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
            if (gmc_pieces_cell_cut(cut->solid, cell, &list[i].plane, k == 1, &halves[k]))
                sum += best_coarse(cut, &halves[k]);
            else
                cut->failed = true;
        }
        for (int k = 0; k < 2; k++)
            gmc_pieces_cell_free(&halves[k]);
        list[i].score = sum + BALANCE * own; // of equals the better one by itself
    }
}

gmc_status gmc_pieces_cut(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                          const gmc_pieces_plane *plane, gmc_pieces_cell halves[2])
{
    gmc_pieces_cell made[2] = {0};
    bool fits = true;
    for (int k = 0; k < 2 && fits; k++)
        fits = gmc_pieces_cell_cut(solid, cell, plane, k == 1, &made[k]);
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

gmc_status gmc_pieces_choose(const gmc_pieces_solid *solid, const gmc_pieces_cell *cell,
                             double volume, gmc_pieces_plane *plane)
{
    cutter cut = {.solid = solid};
    choice *list = calloc(PLANES_MAX, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    gmc_pieces_cell thin = {0};
    bool is_thinned = cell->surface.count > GMC_PIECES_FACES;
    cut.failed = is_thinned && !gmc_pieces_cell_thin(cell, GMC_PIECES_FACES / 3, &thin);
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
