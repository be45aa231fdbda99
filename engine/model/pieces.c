// The whole of a decomposition: cut the worst piece until none is bad, join what may be joined,
// keep the result. Where a piece cannot be cut (every plane leaves a sliver) it stays, and its
// error is stated with the others.
//
// Pieces leave as clouds of points and become hulls again from those, also when no cache is asked:
// so what comes from a cache cannot differ in a bit from what is computed.
#include "engine/model/pieces.h"

#include "engine/base/check.h"
#include "engine/base/list.h"
#include "engine/model/hull_internal.h"
#include "engine/model/pieces_internal.h"

#include <stdlib.h>
#include <string.h>

/// Share of the tolerance by which an error may be overstated, while searching and in the end: half
/// of it takes twice the time, for walls of cuts come near the surface all along their rims.
#define SLACK      0.05
#define SLACK_LAST 0.02

typedef struct piece {
    gmc_pieces_cell cell;
    gmc_polytope *hull;
    double error;  ///< of its hull, at most [m]
    bool is_final; ///< no plane cuts it
} piece;

typedef struct work {
    const gmc_pieces_solid *solid;
    double tolerance;
    int piece_max, count;
    piece *pieces; ///< (piece_max)
    gmc_pieces_steps steps;
    double kept_at;                ///< work when the steps were last kept
    const gmc_pieces_cache *cache; ///< NULL: none
    gmc_digest key;
} work;

/// Steps are kept when so much was spent since: some seconds.
#define KEEP_EVERY 3e6

static void free_piece(piece *p)
{
    gmc_pieces_cell_free(&p->cell);
    gmc_hull_free(p->hull);
    *p = (piece){0};
}

/// Hull of a cloud without a word about failure.
static gmc_status quiet_hull(const gmc_vec3 *points, int count, gmc_polytope **hull)
{
    gmc_diagnostics unheard = {0};
    gmc_status status = gmc_hull_create(points, count, "piece", (gmc_source){0}, &unheard, hull);
    gmc_diagnostics_free(&unheard);
    return status;
}

// ---- cutting -----------------------------------------------------------------------------------

/// Has whoever follows said that it is enough?
static gmc_status heard(const work *w)
{
    return w->solid->work->is_stopped ? GMC_E_INTERRUPTED : GMC_OK;
}

static gmc_status wrap(const work *w, piece *p)
{
    gmc_pieces_cloud cloud = {0};
    gmc_status status = GMC_E_MEMORY;
    if (gmc_pieces_cell_points(&p->cell, &cloud)) {
        gmc_pieces_work_add(w->solid->work, GMC_PIECES_WORK_HULL * cloud.count);
        status = quiet_hull(cloud.points, cloud.count, &p->hull);
    }
    free(cloud.points);
    return status;
}

/// Hull and error of a piece whose cell is given.
static gmc_status measure(const work *w, piece *p)
{
    gmc_status status = wrap(w, p);
    if (status == GMC_OK)
        p->error = gmc_pieces_error(w->solid, p->hull, SLACK * w->tolerance, HUGE_VAL);
    return status == GMC_OK ? heard(w) : status;
}

static int worst_piece(const work *w)
{
    int worst = -1;
    for (int i = 0; i < w->count; i++)
        if (w->pieces[i].error > w->tolerance && !w->pieces[i].is_final &&
            (worst < 0 || w->pieces[i].error > w->pieces[worst].error))
            worst = i;
    return worst;
}

static gmc_status note(work *w, const gmc_pieces_step *step)
{
    gmc_pieces_steps *steps = &w->steps;
    gmc_pieces_step *list =
        gmc_list_room(steps->list, steps->count, &steps->capacity, sizeof *list);
    if (!list) return GMC_E_MEMORY;
    steps->list = list;
    list[steps->count++] = *step;
    steps->spent = w->solid->work->spent;
    return GMC_OK;
}

/// Cut a piece in two; GMC_E_NO_SOLUTION and the like if the halves are no bodies.
static gmc_status cut_piece(work *w, int index, const gmc_pieces_plane *plane, piece halves[2])
{
    gmc_pieces_cell cells[2];
    GMC_TRY(gmc_pieces_cut(w->solid, &w->pieces[index].cell, plane, cells));
    for (int k = 0; k < 2; k++)
        halves[k] = (piece){.cell = cells[k]};
    return GMC_OK;
}

static void put_halves(work *w, int index, const piece halves[2])
{
    free_piece(&w->pieces[index]);
    w->pieces[index] = halves[0];
    w->pieces[w->count++] = halves[1];
    w->solid->work->count = w->count;
}

/// Cut the worst piece in two.
/// @param is_done  out: there is none to cut, or it has cost enough
static gmc_status cut_worst(work *w, bool *is_done)
{
    int worst = worst_piece(w);
    *is_done = worst < 0 || w->count >= w->piece_max || gmc_pieces_work_is_over(w->solid->work);
    GMC_TRY(heard(w));
    if (*is_done) return GMC_OK;
    piece halves[2] = {0}, *old = &w->pieces[worst];
    gmc_pieces_step step = {.index = worst};
    gmc_status status =
        gmc_pieces_choose(w->solid, &old->cell, gmc_hull_volume(old->hull), &step.plane);
    if (status == GMC_OK) status = cut_piece(w, worst, &step.plane, halves);
    for (int k = 0; k < 2 && status == GMC_OK; k++) {
        status = measure(w, &halves[k]);
        step.errors[k] = halves[k].error;
    }
    if (status == GMC_OK) {
        put_halves(w, worst, halves);
        return note(w, &step);
    }
    for (int k = 0; k < 2; k++)
        free_piece(&halves[k]);
    if (status == GMC_E_MEMORY || status == GMC_E_INTERRUPTED) return status;
    old->is_final = true;
    step.is_final = true;
    return note(w, &step);
}

/// The kept steps once more, without looking for planes and errors.
static gmc_status repeat(work *w, const gmc_pieces_steps *steps)
{
    for (int i = 0; i < steps->count; i++) {
        const gmc_pieces_step *step = &steps->list[i];
        if (step->index < 0 || step->index >= w->count || w->count >= w->piece_max)
            return GMC_E_INPUT;
        GMC_TRY(heard(w));
        piece halves[2] = {0};
        if (step->is_final) {
            w->pieces[step->index].is_final = true;
        } else {
            gmc_status status = cut_piece(w, step->index, &step->plane, halves);
            for (int k = 0; k < 2 && status == GMC_OK; k++) {
                status = wrap(w, &halves[k]);
                halves[k].error = step->errors[k];
            }
            for (int k = 0; k < 2 && status != GMC_OK; k++)
                free_piece(&halves[k]);
            GMC_TRY(status);
            put_halves(w, step->index, halves);
        }
        GMC_TRY(note(w, step));
    }
    w->solid->work->spent = w->steps.spent = w->kept_at = steps->spent; // as it was then
    return GMC_OK;
}

static void keep_steps(work *w, bool is_last)
{
    bool is_due = w->steps.spent - w->kept_at >= KEEP_EVERY;
    if (!w->cache || !(is_due || (is_last && w->steps.spent > w->kept_at))) return;
    gmc_pieces_cache_pause(w->cache, &w->key, &w->steps);
    w->kept_at = w->steps.spent;
}

// ---- joining -----------------------------------------------------------------------------------

static bool boxes_touch(const gmc_polytope *a, const gmc_polytope *b, double within)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        const gmc_polytope *both[2] = {a, b};
        for (int s = 0; s < 2; s++)
            for (int v = 0; v < both[s]->vertex_count; v++) {
                lo[s] = fmin(lo[s], gmc_vec3_get(both[s]->vertices[v], k));
                hi[s] = fmax(hi[s], gmc_vec3_get(both[s]->vertices[v], k));
            }
        if (lo[0] > hi[1] + within || lo[1] > hi[0] + within) return false;
    }
    return true;
}

/// Common hull of two pieces; GMC_E_NO_SOLUTION if it strays too far.
static gmc_status join(const work *w, const piece *a, const piece *b, piece *joined, double *added)
{
    const gmc_polytope *both[2] = {a->hull, b->hull};
    if (!boxes_touch(a->hull, b->hull, w->tolerance)) return GMC_E_NO_SOLUTION;
    size_t count = (size_t)a->hull->vertex_count + (size_t)b->hull->vertex_count;
    gmc_vec3 *points = malloc(count * sizeof *points);
    if (!points) return GMC_E_MEMORY;
    int at = 0;
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < both[s]->vertex_count; v++)
            points[at++] = both[s]->vertices[v];
    *joined = (piece){.is_final = true};
    gmc_pieces_work_add(w->solid->work, GMC_PIECES_WORK_HULL * at);
    gmc_status status = quiet_hull(points, at, &joined->hull);
    free(points);
    if (status != GMC_OK) return status == GMC_E_MEMORY ? status : GMC_E_NO_SOLUTION;
    joined->error = gmc_pieces_error(w->solid, joined->hull, SLACK * w->tolerance, w->tolerance);
    *added = gmc_hull_volume(joined->hull) - gmc_hull_volume(a->hull) - gmc_hull_volume(b->hull);
    if (joined->error <= w->tolerance) return GMC_OK;
    gmc_hull_free(joined->hull);
    joined->hull = NULL;
    return GMC_E_NO_SOLUTION;
}

/// Volume that joining i and j adds, beside all pairs tried before; +inf: may not be.
static gmc_status price(const work *w, int i, int j, double *added)
{
    piece joined;
    double volume = INFINITY;
    gmc_status status = join(w, &w->pieces[i], &w->pieces[j], &joined, &volume);
    if (status == GMC_OK) free_piece(&joined);
    *added = status == GMC_OK ? volume : HUGE_VAL;
    return status == GMC_E_MEMORY ? status : GMC_OK;
}

/// The pair whose joining adds least; false if none may be joined.
static bool cheapest(const work *w, const double *prices, int *a, int *b)
{
    double least = HUGE_VAL;
    for (int i = 0; i < w->count; i++)
        for (int j = i + 1; j < w->count; j++)
            if (prices[i * w->piece_max + j] < least) {
                least = prices[i * w->piece_max + j];
                *a = i;
                *b = j;
            }
    return least < HUGE_VAL;
}

/// Join a and b into a; the last piece takes the place of b. Where much has been spent an error is
/// overstated by more than when the pair was priced: such a pair stays two.
static gmc_status join_pair(work *w, int a, int b, double *prices)
{
    piece joined;
    double added;
    gmc_status status = join(w, &w->pieces[a], &w->pieces[b], &joined, &added);
    if (status == GMC_E_NO_SOLUTION) {
        prices[a * w->piece_max + b] = HUGE_VAL;
        return GMC_OK;
    }
    if (status != GMC_OK) return status;
    int last = --w->count, n = w->piece_max;
    free_piece(&w->pieces[a]);
    free_piece(&w->pieces[b]);
    w->pieces[a] = joined;
    if (b != last) {
        w->pieces[b] = w->pieces[last];
        w->pieces[last] = (piece){0};
        for (int i = 0; i < last; i++)
            if (i != b) prices[(i < b ? i * n + b : b * n + i)] = prices[i * n + last];
    }
    for (int i = 0; i < w->count && status == GMC_OK; i++)
        if (i < a)
            status = price(w, i, a, &prices[i * n + a]);
        else if (i > a)
            status = price(w, a, i, &prices[a * n + i]);
    return status;
}

static gmc_status join_all(work *w)
{
    size_t n = (size_t)w->piece_max;
    double *prices = malloc(n * n * sizeof *prices);
    gmc_status status = prices ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < w->count; i++)
        for (int j = i + 1; j < w->count && status == GMC_OK; j++) {
            status = price(w, i, j, &prices[i * w->piece_max + j]);
            if (status == GMC_OK) status = heard(w);
        }
    int a = 0, b = 0;
    if (status == GMC_OK) status = heard(w);
    while (status == GMC_OK && cheapest(w, prices, &a, &b))
        status = join_pair(w, a, b, prices);
    free(prices);
    return status;
}

// ---- one part ----------------------------------------------------------------------------------

static gmc_status keep_clouds(const work *w, gmc_pieces_result *result)
{
    GMC_ASSERT(w->count > 0);
    result->clouds = calloc((size_t)w->count, sizeof *result->clouds);
    if (!result->clouds) return GMC_E_MEMORY;
    for (int i = 0; i < w->count; i++) {
        const gmc_polytope *hull = w->pieces[i].hull;
        size_t bytes = (size_t)hull->vertex_count * sizeof(gmc_vec3);
        gmc_pieces_cloud *cloud = &result->clouds[result->count++];
        *cloud = (gmc_pieces_cloud){.points = malloc(bytes), .count = hull->vertex_count};
        if (!cloud->points) return GMC_E_MEMORY;
        memcpy(cloud->points, hull->vertices, bytes);
        double slack = SLACK_LAST * w->tolerance;
        double error = gmc_pieces_error(w->solid, hull, slack, HUGE_VAL);
        result->surface_error = fmax(result->surface_error, fmin(error, w->pieces[i].error));
    }
    return GMC_OK;
}

void gmc_pieces_result_free(gmc_pieces_result *result)
{
    for (int i = 0; i < result->count; i++)
        free(result->clouds[i].points);
    free(result->clouds);
    *result = (gmc_pieces_result){0};
}

static gmc_status start(work *w)
{
    w->count = 1;
    bool fits = gmc_pieces_cell_of(w->solid, &w->pieces[0].cell);
    return fits ? measure(w, &w->pieces[0]) : GMC_E_MEMORY;
}

static void drop_pieces(work *w)
{
    for (int i = 0; w->pieces && i < w->count; i++)
        free_piece(&w->pieces[i]);
    w->count = 0;
    w->steps.count = 0;
}

static gmc_status cut_all(work *w)
{
    gmc_pieces_steps kept = {0};
    gmc_status status = start(w);
    if (status == GMC_OK && w->cache && gmc_pieces_cache_resume(w->cache, &w->key, &kept)) {
        status = repeat(w, &kept);
        if (status == GMC_E_INPUT) { // of no use: from the beginning
            drop_pieces(w);
            w->solid->work->spent = 0;
            status = start(w);
        }
    }
    free(kept.list);
    bool is_done = false;
    while (status == GMC_OK && !is_done) {
        status = cut_worst(w, &is_done);
        keep_steps(w, false);
    }
    return status;
}

static gmc_status decompose(const gmc_mesh *mesh, int part, double tolerance, int piece_max,
                            const gmc_pieces_cache *cache, gmc_pieces_result *result)
{
    gmc_pieces_solid solid;
    gmc_pieces_work spent = {
        .most = GMC_PIECES_WORK, .count = 1, .mesh = mesh->file, .cache = cache};
    *result = (gmc_pieces_result){0};
    gmc_status status = gmc_pieces_solid_create(mesh, part, &solid);
    solid.work = &spent;
    work w = {.solid = &solid, .tolerance = tolerance, .piece_max = piece_max, .cache = cache};
    w.key = gmc_pieces_cache_key(mesh, part, tolerance, piece_max);
    w.pieces = calloc((size_t)piece_max, sizeof *w.pieces);
    if (!w.pieces) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = cut_all(&w);
    result->is_cut_short = gmc_pieces_work_is_over(&spent);
    if (status == GMC_OK) status = join_all(&w);
    if (status == GMC_OK) status = keep_clouds(&w, result);
    if (status == GMC_OK) status = heard(&w);
    keep_steps(&w, status == GMC_E_INTERRUPTED);
    drop_pieces(&w);
    free(w.pieces);
    free(w.steps.list);
    gmc_pieces_solid_free(&solid);
    if (status != GMC_OK) gmc_pieces_result_free(result);
    return status;
}

// ---- the mesh ----------------------------------------------------------------------------------

typedef struct cutting {
    const gmc_pieces_options *options;
    int part_count, piece_count;     ///< parts cut, pieces made of them
    double surface_error, tolerance; ///< worst of all parts; of the part that misses it by most
    bool is_missed, is_cut_short;
} cutting;

static double extent_of(const gmc_polytope *hull)
{
    gmc_vec3 lo = hull->vertices[0], hi = lo;
    for (int v = 1; v < hull->vertex_count; v++) {
        gmc_vec3 p = hull->vertices[v];
        lo = (gmc_vec3){fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z)};
        hi = (gmc_vec3){fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z)};
    }
    return fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
}

static gmc_status get_result(const gmc_mesh *mesh, int part, double tolerance, int piece_max,
                             const gmc_pieces_cache *cache, gmc_pieces_result *result)
{
    if (!cache) return decompose(mesh, part, tolerance, piece_max, NULL, result);
    gmc_digest key = gmc_pieces_cache_key(mesh, part, tolerance, piece_max);
    if (gmc_pieces_cache_load(cache, &key, result)) return GMC_OK;
    GMC_TRY(decompose(mesh, part, tolerance, piece_max, cache, result));
    gmc_pieces_cache_save(cache, &key, result);
    return GMC_OK;
}

static gmc_status make_hulls(const gmc_pieces_result *result, gmc_polytope ***pieces, int *count)
{
    gmc_polytope **made = calloc((size_t)result->count, sizeof(gmc_polytope *));
    gmc_status status = made ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < result->count && status == GMC_OK; i++)
        status = quiet_hull(result->clouds[i].points, result->clouds[i].count, &made[i]);
    if (status == GMC_OK) {
        *pieces = made;
        *count = result->count;
        return GMC_OK;
    }
    for (int i = 0; made && i < result->count; i++)
        gmc_hull_free(made[i]);
    free(made);
    return status == GMC_E_MEMORY ? status : GMC_E_LIBRARY;
}

static gmc_status cut_part(void *context, const gmc_mesh *mesh, int part, const gmc_polytope *hull,
                           int room, gmc_polytope ***pieces, int *count)
{
    cutting *all = context;
    const gmc_pieces_options *options = all->options;
    double tolerance =
        options->tolerance > 0 ? options->tolerance : GMC_PIECES_TOLERANCE * extent_of(hull);
    int piece_max = options->piece_max < room ? options->piece_max : room;
    gmc_pieces_result result;
    GMC_TRY(get_result(mesh, part, tolerance, piece_max, options->cache, &result));
    gmc_status status = make_hulls(&result, pieces, count);
    all->part_count++;
    all->piece_count += result.count;
    all->surface_error = fmax(all->surface_error, result.surface_error);
    all->is_cut_short = all->is_cut_short || result.is_cut_short;
    if (result.surface_error > tolerance) {
        all->is_missed = true;
        all->tolerance = fmax(all->tolerance, tolerance);
    }
    gmc_pieces_result_free(&result);
    return status;
}

/// Of what pieces hold: meshes with less have parts that count against each other.
static const double CROSSED = 1e-3;

static void tell(const gmc_mesh *mesh, const cutting *all, const gmc_hull_pieces *pieces,
                 gmc_source source, gmc_diagnostics *report)
{
    double scale = all->options->scale;
    double added = 100 * (pieces->hull_volume / pieces->mesh_volume - 1);
    if (all->part_count == 0) return;
    if (!(pieces->mesh_volume > CROSSED * pieces->hull_volume)) {
        gmc_diagnostics_add(report, GMC_WARNING, GMC_OK, source, "mend it where it was made",
                            "mesh %s encloses %.3g cm3 in sum, of %.3g cm3 that %d convex pieces "
                            "hold: its faces cross, or some of them look inwards",
                            mesh->file, 1e6 * scale * scale * scale * pieces->mesh_volume,
                            1e6 * scale * scale * scale * pieces->hull_volume, pieces->count);
        return;
    }
    gmc_diagnostics_add(report, GMC_NOTE, GMC_OK, source, NULL,
                        "mesh %s is not convex: %d convex pieces hold it and %.3g %% more; their "
                        "surface is within %.3g mm of it",
                        mesh->file, pieces->count, fmax(added, 0),
                        1e3 * scale * all->surface_error);
    if (all->is_missed)
        gmc_diagnostics_add(
            report, GMC_WARNING, GMC_OK, source,
            all->is_cut_short ? "more would take too long: give a mesh of fewer triangles or less "
                                "noise, or a larger `convex_tolerance`"
                              : "allow more with `convex_pieces`, or a larger `convex_tolerance`",
            "mesh %s: %d convex pieces do not come within %.3g mm of it%s, but %.3g mm", mesh->file,
            all->piece_count, 1e3 * scale * all->tolerance,
            all->options->tolerance > 0 ? " (`convex_tolerance`)" : "",
            1e3 * scale * all->surface_error);
}

gmc_pieces_options gmc_pieces_defaults(void)
{
    return (gmc_pieces_options){.piece_max = 64, .scale = 1};
}

gmc_status gmc_pieces_of_mesh(const gmc_mesh *mesh, const gmc_pieces_options *options,
                              gmc_source source, gmc_diagnostics *report, gmc_hull_pieces *pieces)
{
    if (options->is_hull) return gmc_hull_of_mesh(mesh, source, report, pieces);
    cutting all = {.options = options};
    gmc_hull_cutter cutter = {.context = &all, .cut = cut_part};
    GMC_TRY(gmc_hull_of_mesh_cut(mesh, source, &cutter, report, pieces));
    tell(mesh, &all, pieces, source, report);
    return GMC_OK;
}
