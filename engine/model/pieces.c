// The whole of a decomposition: cut the worst piece until none is bad, join what may be joined,
// keep the result. Where a piece cannot be cut (every plane leaves a sliver) it stays, and its
// error is stated with the others.
//
// Pieces leave as clouds of points and become hulls again from those, also when no cache is asked:
// so what comes from a cache cannot differ in a bit from what is computed.
#include "engine/model/pieces.h"

#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/list.h"
#include "engine/model/hull.h"
#include "engine/model/pieces_cell.h"

#include <stdlib.h>
#include <string.h>

/// Largest distance from the solid of a point on the hull's surface that is outside of it: at most
/// the result, which is too large by at most `slack` and PIECES_LOOSE of itself, or by more
/// where that would cost more than PIECES_ERROR_WORK, or than the work has left. The search
/// ends early where it is beyond `enough`.
#define PIECES_LOOSE 0.03

#define PIECES_ERROR_WORK 3e5 ///< distances; a finger-sized hull of a smooth mesh takes 1e4

/// Convex pieces as clouds of points: the vertices of their hulls.
typedef struct pieces_result {
    gmc_pieces_cloud *clouds; ///< (count)
    int count;
    double surface_error; ///< worst of all pieces [m]
    int is_cut_short;     ///< 1: it had cost GMC_PIECES_WORK before no piece was bad
} pieces_result;

/// One step of a cutting: the piece `index` is cut at the plane into itself (behind) and a new last
/// piece (in front), or found to have no such plane.
typedef struct pieces_step {
    int index, is_final;
    gmc_pieces_plane plane;
    double errors[2]; ///< of the halves' hulls [m]
} pieces_step;

/// How far a cutting has come.
typedef struct pieces_steps {
    pieces_step *list; ///< (count)
    int count, capacity;
    double spent; ///< work
} pieces_steps;

static void pieces_result_free(pieces_result *result);

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
    pieces_steps steps;
    double kept_at;                ///< work when the steps were last kept
    const gmc_pieces_cache *cache; ///< NULL: none
    gmc_digest key;
} work;

/// Steps are kept when so much was spent since: some seconds.
#define KEEP_EVERY 3e6

// ---- results on disk ----------------------------------------------------------------------------
//
// A finished decomposition as bytes: a line that names the format and what the pieces are of, the
// clouds as they stand in memory (little-endian doubles, as all machines we run on have them), and
// a SHA-256 of all that. Whatever is not exactly as it was written is as good as absent.

/// Raised whenever the pieces of any mesh change.
static const char FORMAT[8] = "gmcpcs2", STEPS[8] = "gmccut2";

enum { DIGEST_BYTES = 64, HEAD_BYTES = sizeof FORMAT + DIGEST_BYTES };

/// Of all that the pieces of a part depend on.
static gmc_digest pieces_cache_key(const gmc_mesh *mesh, int part, double tolerance, int piece_max)
{
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, FORMAT, sizeof FORMAT);
    gmc_sha256_add(&hash, &tolerance, sizeof tolerance);
    gmc_sha256_add(&hash, &piece_max, sizeof piece_max);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3 && mesh->parts[t] == part; k++)
            gmc_sha256_add(&hash, &mesh->vertices[mesh->triangles[t][k]], sizeof(gmc_vec3));
    return gmc_sha256_end(&hash);
}

static gmc_digest checksum(const unsigned char *bytes, size_t size)
{
    return gmc_sha256_of(bytes, size);
}

/// Next value of the file; false at its end.
static bool take(const gmc_file *file, size_t end, size_t *at, void *value, size_t bytes)
{
    if (end - *at < bytes) return false;
    memcpy(value, file->bytes + *at, bytes);
    *at += bytes;
    return true;
}

static bool read_clouds(const gmc_file *file, size_t end, pieces_result *result)
{
    size_t at = HEAD_BYTES;
    int count = 0;
    if (!take(file, end, &at, &result->surface_error, sizeof result->surface_error) ||
        !take(file, end, &at, &result->is_cut_short, sizeof result->is_cut_short) ||
        !take(file, end, &at, &count, sizeof count) || count < 1 || count > GMC_HULL_PIECES_MAX)
        return false;
    result->clouds = calloc((size_t)count, sizeof *result->clouds);
    if (!result->clouds) return false;
    for (; result->count < count; result->count++) {
        gmc_pieces_cloud *cloud = &result->clouds[result->count];
        int points = 0;
        if (!take(file, end, &at, &points, sizeof points) || points < 4) return false;
        if ((end - at) / sizeof(gmc_vec3) < (size_t)points) return false;
        cloud->points = malloc((size_t)points * sizeof(gmc_vec3));
        if (!cloud->points) return false;
        cloud->count = points;
        memcpy(cloud->points, file->bytes + at, (size_t)points * sizeof(gmc_vec3));
        at += (size_t)points * sizeof(gmc_vec3);
    }
    return at == end;
}

/// The file of a name if it is whole and of this format.
/// @param end  out: where its values end
static bool open_file(const gmc_pieces_cache *cache, const gmc_digest *key, const char *format,
                      gmc_file *file, size_t *end)
{
    *file = (gmc_file){0};
    if (!cache->load || !cache->load(cache->context, key->hex, file)) return false;
    if (file->size <= HEAD_BYTES + DIGEST_BYTES) return false;
    *end = file->size - DIGEST_BYTES;
    gmc_digest found = checksum(file->bytes, *end);
    return memcmp(file->bytes, format, sizeof FORMAT) == 0 &&
           memcmp(file->bytes + sizeof FORMAT, key->hex, DIGEST_BYTES) == 0 &&
           memcmp(file->bytes + *end, found.hex, DIGEST_BYTES) == 0;
}

/// @return true if the cache has this result, whole and undamaged
static bool pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                              pieces_result *result)
{
    gmc_file file;
    size_t end;
    *result = (pieces_result){0};
    bool is_whole = open_file(cache, key, FORMAT, &file, &end) && read_clouds(&file, end, result);
    gmc_file_free(&file);
    if (!is_whole) pieces_result_free(result);
    return is_whole;
}

/// The cutting of this part as far as it is kept; false: nothing is.
static bool pieces_cache_resume(const gmc_pieces_cache *cache, const gmc_digest *key,
                                pieces_steps *steps)
{
    gmc_file file;
    size_t end, at = HEAD_BYTES;
    int count = 0;
    *steps = (pieces_steps){0};
    bool is_whole = open_file(cache, key, STEPS, &file, &end) &&
                    take(&file, end, &at, &steps->spent, sizeof steps->spent) &&
                    take(&file, end, &at, &count, sizeof count) && count > 0 &&
                    (end - at) / sizeof *steps->list == (size_t)count &&
                    (end - at) % sizeof *steps->list == 0;
    if (is_whole) steps->list = malloc((size_t)count * sizeof *steps->list);
    if (steps->list) {
        memcpy(steps->list, file.bytes + at, (size_t)count * sizeof *steps->list);
        steps->count = steps->capacity = count;
    }
    gmc_file_free(&file);
    return steps->count > 0;
}

static void put(unsigned char *bytes, size_t *at, const void *value, size_t size)
{
    memcpy(bytes + *at, value, size);
    *at += size;
}

/// Room for `size` bytes of values behind the head, and for the sum; NULL without memory.
static unsigned char *begin(const char *format, const gmc_digest *key, size_t size, size_t *at)
{
    unsigned char *bytes = malloc(HEAD_BYTES + size + DIGEST_BYTES);
    *at = 0;
    if (!bytes) return NULL; // nothing is kept: nothing is lost
    put(bytes, at, format, sizeof FORMAT);
    put(bytes, at, key->hex, DIGEST_BYTES);
    return bytes;
}

static void finish(const gmc_pieces_cache *cache, const gmc_digest *key, unsigned char *bytes,
                   size_t at)
{
    gmc_digest sum = checksum(bytes, at);
    put(bytes, &at, sum.hex, DIGEST_BYTES);
    cache->save(cache->context, key->hex, bytes, at);
    free(bytes);
}

static void pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                              const pieces_result *result)
{
    size_t size = sizeof(double) + 2 * sizeof(int), at;
    for (int i = 0; i < result->count; i++)
        size += sizeof(int) + (size_t)result->clouds[i].count * sizeof(gmc_vec3);
    unsigned char *bytes = cache->save ? begin(FORMAT, key, size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &result->surface_error, sizeof result->surface_error);
    put(bytes, &at, &result->is_cut_short, sizeof result->is_cut_short);
    put(bytes, &at, &result->count, sizeof result->count);
    for (int i = 0; i < result->count; i++) {
        const gmc_pieces_cloud *cloud = &result->clouds[i];
        put(bytes, &at, &cloud->count, sizeof cloud->count);
        put(bytes, &at, cloud->points, (size_t)cloud->count * sizeof(gmc_vec3));
    }
    finish(cache, key, bytes, at);
}

static void pieces_cache_pause(const gmc_pieces_cache *cache, const gmc_digest *key,
                               const pieces_steps *steps)
{
    size_t size = (size_t)steps->count * sizeof *steps->list, at;
    unsigned char *bytes =
        cache->save ? begin(STEPS, key, sizeof(double) + sizeof(int) + size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &steps->spent, sizeof steps->spent);
    put(bytes, &at, &steps->count, sizeof steps->count);
    put(bytes, &at, steps->list, size);
    finish(cache, key, bytes, at);
}

// ---- how good a hull is -------------------------------------------------------------------------
//
// How far a hull strays from its solid: the largest signed distance over its surface, by branch and
// bound. The faces are triangles; each is bounded from above twice:
//
//   the signed distance is 1-Lipschitz             s(x) <= s(centre) + radius
//   the distance to one convex triangle is convex  s(x) <= the largest of the three corners'
//
// the first settles what is inside the solid (walls of cuts), the second what lies along its
// surface or parallel to it, where the first alone would need triangles as small as the slack. What
// may still be worse than the worst point found so far, by more than the slack, is halved across
// its longest side.

/// Halvings deep enough for a triangle of the solid's size to become smaller than any slack asked
/// for (2^-32), with room.
enum { DEPTH_MAX = 96 };

typedef struct search {
    const gmc_pieces_solid *solid;
    double slack, enough;
    double worst; ///< largest signed distance found [m]
    double most;  ///< no point is beyond it [m]
    double left;  ///< work that may be spent
} search;

static double longest_side(const gmc_vec3 *c, int *side)
{
    double longest = -1;
    for (int k = 0; k < 3; k++) {
        double length = gmc_vec3_norm(gmc_vec3_sub(c[(k + 1) % 3], c[k]));
        if (length <= longest) continue;
        longest = length;
        *side = k;
    }
    return longest;
}

/// Upper bound over the triangle; looks at its centre.
static double bound(search *s, const gmc_vec3 *c)
{
    gmc_vec3 centre = gmc_vec3_scale(1.0 / 3, gmc_vec3_add(c[0], gmc_vec3_add(c[1], c[2])));
    int nearest;
    double at_centre = gmc_pieces_solid_distance(s->solid, centre, &nearest);
    gmc_pieces_work_add(s->solid->work, 1);
    s->left -= 1;
    double radius = 0, convex = 0;
    for (int k = 0; k < 3; k++) {
        radius = fmax(radius, gmc_vec3_norm(gmc_vec3_sub(c[k], centre)));
        convex = fmax(convex, gmc_pieces_solid_to_triangle(s->solid, nearest, c[k]));
    }
    s->worst = fmax(s->worst, at_centre);
    return fmin(at_centre + radius, convex);
}

/// Depth first; halves wait on a stack.
static void look_at(search *s, const gmc_vec3 *triangle)
{
    gmc_vec3 stack[DEPTH_MAX][3];
    int depth[DEPTH_MAX], top = 0;
    for (int k = 0; k < 3; k++)
        stack[0][k] = triangle[k];
    depth[top++] = 0;
    while (top > 0 && s->worst <= s->enough) {
        gmc_vec3 c[3] = {stack[top - 1][0], stack[top - 1][1], stack[top - 1][2]};
        int level = depth[--top], side = 0;
        double at_most = bound(s, c);
        double good_enough = (1 + PIECES_LOOSE) * fmax(s->worst, 0) + s->slack;
        if (at_most <= good_enough || level + 1 >= DEPTH_MAX || s->left <= 0) {
            s->most = fmax(s->most, at_most);
            continue;
        }
        (void)longest_side(c, &side);
        gmc_vec3 a = c[side], b = c[(side + 1) % 3], d = c[(side + 2) % 3];
        gmc_vec3 middle = gmc_vec3_scale(0.5, gmc_vec3_add(a, b));
        gmc_vec3 halves[2][3] = {{a, middle, d}, {middle, b, d}};
        for (int h = 0; h < 2; h++) {
            for (int k = 0; k < 3; k++)
                stack[top][k] = halves[h][k];
            depth[top++] = level + 1;
        }
    }
}

static double pieces_error(const gmc_pieces_solid *solid, const gmc_polytope *hull, double slack,
                           double enough)
{
    search s = {.solid = solid, .slack = slack, .enough = enough, .left = PIECES_ERROR_WORK};
    if (gmc_pieces_work_is_over(solid->work)) s.left = PIECES_ERROR_WORK / 100;
    for (int pass = 0; pass < 2;
         pass++) // corners of faces and their middles first: a bound to beat
        for (int f = 0; f < hull->face_count && s.worst <= enough; f++) {
            const int *loop = hull->face_vertices + hull->face_start[f];
            int count = hull->face_start[f + 1] - hull->face_start[f];
            for (int i = 1; i + 1 < count; i++) {
                gmc_vec3 c[3] = {hull->vertices[loop[0]], hull->vertices[loop[i]],
                                 hull->vertices[loop[i + 1]]};
                if (pass == 0)
                    (void)bound(&s, c);
                else
                    look_at(&s, c);
            }
        }
    if (s.worst > enough) return s.worst;
    return fmax(s.most, 0);
}

// ---- pieces -------------------------------------------------------------------------------------

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
        p->error = pieces_error(w->solid, p->hull, SLACK * w->tolerance, HUGE_VAL);
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

static gmc_status note(work *w, const pieces_step *step)
{
    pieces_steps *steps = &w->steps;
    pieces_step *list = gmc_list_room(steps->list, steps->count, &steps->capacity, sizeof *list);
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
    GMC_TRY(gmc_pieces_cell_halve(w->solid, &w->pieces[index].cell, plane, cells));
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
    pieces_step step = {.index = worst};
    gmc_status status =
        gmc_pieces_plane_choose(w->solid, &old->cell, gmc_hull_volume(old->hull), &step.plane);
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
static gmc_status repeat(work *w, const pieces_steps *steps)
{
    for (int i = 0; i < steps->count; i++) {
        const pieces_step *step = &steps->list[i];
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
    pieces_cache_pause(w->cache, &w->key, &w->steps);
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
    joined->error = pieces_error(w->solid, joined->hull, SLACK * w->tolerance, w->tolerance);
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

static gmc_status keep_clouds(const work *w, pieces_result *result)
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
        double error = pieces_error(w->solid, hull, slack, HUGE_VAL);
        result->surface_error = fmax(result->surface_error, fmin(error, w->pieces[i].error));
    }
    return GMC_OK;
}

static void pieces_result_free(pieces_result *result)
{
    for (int i = 0; i < result->count; i++)
        free(result->clouds[i].points);
    free(result->clouds);
    *result = (pieces_result){0};
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
    pieces_steps kept = {0};
    gmc_status status = start(w);
    if (status == GMC_OK && w->cache && pieces_cache_resume(w->cache, &w->key, &kept)) {
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
                            const gmc_pieces_cache *cache, pieces_result *result)
{
    gmc_pieces_solid solid;
    gmc_pieces_work spent = {
        .most = GMC_PIECES_WORK, .count = 1, .mesh = mesh->file, .cache = cache};
    *result = (pieces_result){0};
    gmc_status status = gmc_pieces_solid_create(mesh, part, &solid);
    solid.work = &spent;
    work w = {.solid = &solid, .tolerance = tolerance, .piece_max = piece_max, .cache = cache};
    w.key = pieces_cache_key(mesh, part, tolerance, piece_max);
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
    if (status != GMC_OK) pieces_result_free(result);
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
                             const gmc_pieces_cache *cache, pieces_result *result)
{
    if (!cache) return decompose(mesh, part, tolerance, piece_max, NULL, result);
    gmc_digest key = pieces_cache_key(mesh, part, tolerance, piece_max);
    if (pieces_cache_load(cache, &key, result)) return GMC_OK;
    GMC_TRY(decompose(mesh, part, tolerance, piece_max, cache, result));
    pieces_cache_save(cache, &key, result);
    return GMC_OK;
}

static gmc_status make_hulls(const pieces_result *result, gmc_hull_cut *pieces)
{
    gmc_polytope **made = calloc((size_t)result->count, sizeof(gmc_polytope *));
    gmc_status status = made ? GMC_OK : GMC_E_MEMORY;
    for (int i = 0; i < result->count && status == GMC_OK; i++)
        status = quiet_hull(result->clouds[i].points, result->clouds[i].count, &made[i]);
    if (status == GMC_OK) {
        *pieces = (gmc_hull_cut){.pieces = made, .count = result->count};
        return GMC_OK;
    }
    for (int i = 0; made && i < result->count; i++)
        gmc_hull_free(made[i]);
    free(made);
    return status == GMC_E_MEMORY ? status : GMC_E_LIBRARY;
}

static gmc_status cut_part(void *context, const gmc_mesh *mesh, int part, const gmc_polytope *hull,
                           int room, gmc_hull_cut *pieces)
{
    cutting *all = context;
    const gmc_pieces_options *options = all->options;
    double tolerance =
        options->tolerance > 0 ? options->tolerance : GMC_PIECES_TOLERANCE * extent_of(hull);
    int piece_max = options->piece_max < room ? options->piece_max : room;
    pieces_result result;
    GMC_TRY(get_result(mesh, part, tolerance, piece_max, options->cache, &result));
    gmc_status status = make_hulls(&result, pieces);
    all->part_count++;
    all->piece_count += result.count;
    all->surface_error = fmax(all->surface_error, result.surface_error);
    all->is_cut_short = all->is_cut_short || result.is_cut_short;
    if (result.surface_error > tolerance) {
        all->is_missed = true;
        all->tolerance = fmax(all->tolerance, tolerance);
    }
    pieces_result_free(&result);
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
        gmc_diagnostics_add(report, GMC_OK, source, "mend it where it was made",
                            "mesh %s encloses %.3g cm3 in sum, of %.3g cm3 that %d convex pieces "
                            "hold: its faces cross, or some of them look inwards",
                            mesh->file, 1e6 * scale * scale * scale * pieces->mesh_volume,
                            1e6 * scale * scale * scale * pieces->hull_volume, pieces->count);
        return;
    }
    gmc_diagnostics_note(report, source, NULL,
                         "mesh %s is not convex: %d convex pieces hold it and %.3g %% more; their "
                         "surface is within %.3g mm of it",
                         mesh->file, pieces->count, fmax(added, 0),
                         1e3 * scale * all->surface_error);
    if (all->is_missed)
        gmc_diagnostics_add(
            report, GMC_OK, source,
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
