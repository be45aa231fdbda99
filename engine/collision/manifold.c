// Room for candidates, and what becomes of few of them; manifold_choose.c reduces many.
#include "engine/collision/manifold.h"

#include "engine/base/check.h"
#include "engine/collision/manifold_internal.h"

gmc_status gmc_manifold_work(int polygon_max, int vertex_max, gmc_arena *arena, gmc_pair_work *work)
{
    size_t n = polygon_max < 4 ? 4 : (size_t)polygon_max;
    work->polygon_max = (int)n;
    // overlay.c: every vertex of both, at most two crossings per edge of one, twice where faces are
    // overlaid as they will be, too (facing.h); a plane: every vertex
    int of_faces = 2 * (4 * work->polygon_max + 8);
    work->candidate_max = of_faces > vertex_max ? of_faces : vertex_max;
    gmc_polygon *polygons[2] = {&work->polygon_a, &work->polygon_b};
    for (int k = 0; k < 2; k++) {
        polygons[k]->x = gmc_arena_doubles(arena, 3 * n);
        polygons[k]->id = gmc_arena_take(arena, n, sizeof(int));
        if (!polygons[k]->x || !polygons[k]->id) return GMC_E_ARENA_FULL;
        polygons[k]->y = polygons[k]->x + n;
        polygons[k]->z = polygons[k]->y + n;
    }
    work->lines = gmc_arena_doubles(arena, 6 * n);
    work->candidates = gmc_arena_take(arena, (size_t)work->candidate_max, sizeof(gmc_candidate));
    if (!work->lines || !work->candidates) return GMC_E_ARENA_FULL;
    work->row = work->lines + 3 * n;
    work->row_next = work->row + n;
    work->row_first = work->row_next + n;
    return GMC_OK;
}

void gmc_manifold_add(gmc_manifold *manifold, gmc_vec3 p, double gap, uint64_t feature)
{
    GMC_ASSERT(manifold->count < GMC_PAIR_POINT_MAX);
    int k = manifold->count++;
    for (; k > 0 && manifold->points[k - 1].feature > feature; k--)
        manifold->points[k] = manifold->points[k - 1];
    manifold->points[k] = (gmc_manifold_point){p, gap, feature};
}

void gmc_manifold_remember(gmc_pair *pair, const gmc_manifold *manifold)
{
    gmc_pair_cache *cache = pair->cache;
    cache->kept_count = manifold->count;
    for (int i = 0; i < manifold->count; i++)
        cache->kept[i] = manifold->points[i].feature;
    if (manifold->count > 0) cache->normal = gmc_mat3_apply_transposed(&pair->a.X.R, manifold->n);
}

void gmc_manifold_find_soon(const gmc_pair *pair, const gmc_pair_axes *axes)
{
    gmc_pair_work *work = pair->work;
    // n·(v + w x p) is linear in the coordinates of p in the contact plane and along n
    gmc_vec3 slope = gmc_vec3_cross(axes->n, pair->move.w);
    double along_x = gmc_vec3_dot(slope, axes->t1), along_y = gmc_vec3_dot(slope, axes->t2);
    double at_origin = gmc_vec3_dot(axes->n, pair->move.v), nearest = INFINITY;
    for (int c = 0; c < work->candidate_count; c++) {
        const gmc_candidate *p = &work->candidates[c];
        nearest = gmc_pair_min(nearest, p->gap + at_origin + along_x * p->x + along_y * p->y);
    }
    for (int c = 0; c < work->candidate_count; c++) {
        gmc_candidate *p = &work->candidates[c];
        double gap = p->gap + at_origin + along_x * p->x + along_y * p->y;
        double reach =
            (gmc_pair_was_kept(pair->cache, p->feature) ? GMC_PAIR_SOON_KEEP : GMC_PAIR_SOON) *
            pair->size;
        double level = gmc_pair_max(nearest, 0) + reach, rise = gap - p->gap;
        // slower than that it does not rock but settles, and the widest four hold it best
        bool is_rocking = rise > GMC_PAIR_SOON_KEEP * pair->size;
        p->nearness = gmc_pair_min(gap, p->gap) <= level     ? GMC_CANDIDATE_SOON
                      : is_rocking && p->gap - rise <= level ? GMC_CANDIDATE_TURN
                                                             : GMC_CANDIDATE_FAR;
    }
}

/// All candidates but duplicates, for at most GMC_PAIR_WIDE.
static int without_duplicates(const gmc_pair *pair, const gmc_pair_axes *axes, int *chosen)
{
    const gmc_candidate *all = pair->work->candidates;
    double tolerance2 = GMC_PAIR_MERGE * pair->size * GMC_PAIR_MERGE * pair->size;
    int count = 0;
    for (int c = 0; c < pair->work->candidate_count; c++) {
        int is_new = 1;
        for (int i = 0; i < count && is_new; i++) {
            if (gmc_manifold_distance2(&all[c], &all[chosen[i]]) > tolerance2) continue;
            // one above the other: the lower one; else as everywhere
            double lower = all[chosen[i]].gap - all[c].gap, same = GMC_PAIR_DEEPEST * pair->size;
            is_new = 0;
            if (lower > same ||
                (lower >= -same && gmc_manifold_precedes(pair, &all[c], &all[chosen[i]],
                                                         gmc_manifold_skew(pair, axes))))
                chosen[i] = c;
        }
        if (is_new) chosen[count++] = c;
    }
    return count;
}

static gmc_vec3 place_of(const gmc_candidate *c, const gmc_pair_axes *axes)
{
    gmc_vec3 p = gmc_vec3_scale(c->z, axes->n);
    return gmc_vec3_add_scaled(gmc_vec3_add_scaled(p, c->x, axes->t1), c->y, axes->t2);
}

/// The farthest of what touches in directions all round: of a polygon of 48 corners they have the
/// mean distance from its middle to 0.5 %.
static void outline(const gmc_pair_work *work, const gmc_pair_axes *axes, gmc_manifold *manifold)
{
    // a quarter of a turn; they begin at 5 degrees, where no edge of a regular face looks
    static const double QUARTER[6][2] = {
        {0.9961946980917455, 0.08715574274765817}, {0.9396926207859084, 0.3420201433256687},
        {0.8191520442889918, 0.573576436351046},   {0.6427876096865394, 0.766044443118978},
        {0.4226182617406994, 0.9063077870366499},  {0.1736481776669304, 0.984807753012208}};
    const gmc_candidate *all = work->candidates;
    int before = -1, first = -1;
    manifold->is_part = false;
    for (int c = 0; c < work->candidate_count && !manifold->is_part; c++)
        manifold->is_part = all[c].nearness != GMC_CANDIDATE_SOON;
    for (int k = 0; k < GMC_PAIR_OUTLINE_MAX; k++) {
        const double *d = QUARTER[k % 6];
        const double turned[4][2] = {{d[0], d[1]}, {-d[1], d[0]}, {-d[0], -d[1]}, {d[1], -d[0]}};
        const double *dir = turned[k / 6];
        double most = -HUGE_VAL;
        int at = -1;
        for (int c = 0; c < work->candidate_count; c++) {
            double out = dir[0] * all[c].x + dir[1] * all[c].y;
            if (all[c].nearness == GMC_CANDIDATE_SOON && out > most) most = out, at = c;
        }
        if (at < 0 || at == before || at == first) continue;
        if (first < 0) first = at;
        before = at;
        manifold->outline[manifold->outline_count++] = place_of(&all[at], axes);
    }
}

void gmc_manifold_reduce(const gmc_pair *pair, const gmc_pair_axes *axes, gmc_manifold *manifold)
{
    const gmc_pair_work *work = pair->work;
    int chosen[GMC_PAIR_POINT_MAX];
    GMC_ASSERT(work->candidate_count <= work->candidate_max);
    int count = work->candidate_count <= GMC_PAIR_WIDE ? without_duplicates(pair, axes, chosen)
                                                       : gmc_manifold_choose(pair, axes, chosen);

    manifold->n = axes->n;
    manifold->count = manifold->outline_count = 0;
    for (int i = 0; i < count; i++) {
        const gmc_candidate *c = &work->candidates[chosen[i]];
        gmc_manifold_add(manifold, place_of(c, axes), c->gap, c->feature);
    }
    if (work->candidate_count > GMC_PAIR_POINT_MAX) outline(work, axes, manifold);
}
