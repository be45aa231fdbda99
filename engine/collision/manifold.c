// Reduction by extremal distance. The first point is extreme along a direction fixed in solid a
// (askew to all its axes, so that the corners of a box differ), the second is farthest from it, the
// third farthest from their line, the fourth and those behind it farthest outside their hull. All
// measures are lengths, so one tolerance decides what counts as equal; among equals the points of
// the call before win, then the smaller feature id. Height above the deepest point is subtracted:
// of two candidates above each other the lower one is taken.
//
// First come the candidates that touch or will do so within the step. If there are more than six of
// them, the widest six are taken; if fewer, they are all taken, and the widest of the others fill
// up four, those first that will touch if the motion turns round. A polygon of many vertices that
// rocks on a plane stands on one or two of them: taking just the widest four leaves those out until
// they are the deepest, and each time one is let in late its overlap throws the body up again
// (measured: it rattles for ever).
//
// Rejected: the largest quadrilateral by exhaustion (70 areas for an octagon; no better held than
// this one), and reduction by depth alone (a resting face has four equal depths, and noise would
// choose).
#include "engine/collision/manifold.h"

#include "engine/base/check.h"

/// Points kept before stay if they span at least this share of what a fresh choice would.
#define SPAN_KEEP 0.5
/// Of candidates that touch, one that is nearer to a chosen one than this share of the distance
/// between the first two leaves its place to a wider one.
#define BESIDE 0.1

gmc_status gmc_manifold_work(int polygon_max, int vertex_max, gmc_arena *arena, gmc_pair_work *work)
{
    size_t n = polygon_max < 4 ? 4 : (size_t)polygon_max;
    work->polygon_max = (int)n;
    // overlay.c: every vertex of both, at most two crossings per edge of one; a plane: every vertex
    int of_faces = 4 * work->polygon_max + 8;
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

void gmc_manifold_add(gmc_manifold *manifold, gmc_vec3 p, double gap, uint32_t feature)
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

static double distance2(const gmc_candidate *a, const gmc_candidate *b)
{
    double dx = a->x - b->x, dy = a->y - b->y;
    return dx * dx + dy * dy;
}

/// A direction in the contact plane that is fixed in solid a and askew to all its axes.
typedef struct skew {
    double x, y;
} skew;

static skew skew_of(const gmc_pair *pair, const gmc_pair_axes *axes)
{
    gmc_vec3 d = gmc_mat3_apply(&pair->a.X.R, (gmc_vec3){0.3015113, 0.4873271, 0.8195149});
    return (skew){gmc_vec3_dot(d, axes->t1), gmc_vec3_dot(d, axes->t2)};
}

/// Does candidate c precede d where both would do? One kept before does; of two places the one
/// farther askew; at one place the smaller feature. A name decides only between names of the same
/// place, so that the choice does not depend on how a mesh numbers its vertices.
static int precedes(const gmc_pair *pair, const gmc_candidate *c, const gmc_candidate *d,
                    skew askew)
{
    int c_kept = gmc_pair_was_kept(pair->cache, c->feature),
        d_kept = gmc_pair_was_kept(pair->cache, d->feature);
    double merge = GMC_PAIR_MERGE * pair->size;
    if (c_kept != d_kept) return c_kept;
    if (distance2(c, d) > merge * merge)
        return (c->x - d->x) * askew.x + (c->y - d->y) * askew.y > 0;
    return c->feature < d->feature;
}

/// What measures how much farther a candidate reaches than the points chosen so far.
typedef struct outreach {
    int count;   ///< points chosen
    double x, y; ///< the first of them
    /// Lines: the askew direction; through two points; round three or more, outwards.
    int line_count;
    double nx[GMC_PAIR_POINT_MAX], ny[GMC_PAIR_POINT_MAX], off[GMC_PAIR_POINT_MAX];
} outreach;

/// n·p - off is how far p lies to the right of the line from a to b [m].
static void reach_line(outreach *r, const gmc_candidate *a, const gmc_candidate *b)
{
    int k = r->line_count++;
    double ex = b->x - a->x, ey = b->y - a->y, s = 1 / sqrt(ex * ex + ey * ey);
    r->nx[k] = s * ey;
    r->ny[k] = -s * ex;
    r->off[k] = r->nx[k] * a->x + r->ny[k] * a->y;
}

/// Twice the area of the triangle a, b, c; positive if they go round counter-clockwise.
static double turn_of(const gmc_candidate *a, const gmc_candidate *b, const gmc_candidate *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/// Three or more points as a counter-clockwise ring, without those inside it. @return their count
static int ring_of(const gmc_candidate *all, const int *chosen, int count,
                   int ring[GMC_PAIR_POINT_MAX])
{
    bool is_left = turn_of(&all[chosen[0]], &all[chosen[1]], &all[chosen[2]]) > 0;
    int size = 3;
    ring[0] = chosen[0];
    ring[1] = chosen[is_left ? 1 : 2];
    ring[2] = chosen[is_left ? 2 : 1];
    for (int k = 3; k < count; k++) {
        int after = -1;
        double most = 0;
        for (int i = 0; i < size; i++) {
            double out =
                -turn_of(&all[ring[i]], &all[ring[i + 1 < size ? i + 1 : 0]], &all[chosen[k]]);
            if (out > most) most = out, after = i;
        }
        if (after < 0) continue;
        for (int i = size++; i > after + 1; i--)
            ring[i] = ring[i - 1];
        ring[after + 1] = chosen[k];
    }
    return size;
}

static outreach reach_of(const gmc_candidate *all, const int *chosen, int count, skew askew)
{
    outreach r = {.count = count};
    if (count == 0) {
        r.nx[0] = askew.x;
        r.ny[0] = askew.y;
        r.line_count = 1;
        return r;
    }
    r.x = all[chosen[0]].x;
    r.y = all[chosen[0]].y;
    if (count == 2) reach_line(&r, &all[chosen[0]], &all[chosen[1]]);
    if (count < 3) return r;
    int ring[GMC_PAIR_POINT_MAX], size = ring_of(all, chosen, count, ring);
    for (int i = 0; i < size; i++)
        reach_line(&r, &all[ring[i]], &all[ring[i + 1 < size ? i + 1 : 0]]);
    return r;
}

/// Lateral extent that candidate p would add [m].
static double extent(const outreach *r, const gmc_candidate *p)
{
    if (r->count == 1) {
        double dx = p->x - r->x, dy = p->y - r->y;
        return sqrt(dx * dx + dy * dy);
    }
    double e = r->nx[0] * p->x + r->ny[0] * p->y - r->off[0];
    if (r->count == 2) return fabs(e);
    for (int k = 1; k < r->line_count; k++)
        e = gmc_pair_max(e, r->nx[k] * p->x + r->ny[k] * p->y - r->off[k]);
    return e;
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

/// Is candidate c nearer to a chosen one than the root of `beside2`?
static bool is_beside(const gmc_candidate *all, const int *chosen, int count, int c, double beside2)
{
    for (int i = 0; i < count && beside2 > 0; i++)
        if (distance2(&all[c], &all[chosen[i]]) < beside2) return true;
    return false;
}

/// Up to `limit` candidates, widest first, behind the `count` that are chosen already; of at
/// least that nearness.
static int choose(const gmc_pair *pair, const gmc_pair_axes *axes, double gap_min, int nearness,
                  int limit, int count, int *chosen)
{
    gmc_candidate *all = pair->work->candidates;
    double tolerance = GMC_PAIR_MERGE * pair->size;
    skew askew = skew_of(pair, axes);

    while (count < limit) {
        outreach r = reach_of(all, chosen, count, askew);
        double best_score = -HUGE_VAL, beside2 = 0;
        if (nearness == GMC_CANDIDATE_SOON && count >= 2)
            beside2 = BESIDE * BESIDE * distance2(&all[chosen[0]], &all[chosen[1]]);
        for (int c = 0; c < pair->work->candidate_count; c++) {
            double e = extent(&r, &all[c]);
            bool is_out = all[c].nearness < nearness || (count > 0 && e <= tolerance) ||
                          is_beside(all, chosen, count, c, beside2);
            all[c].score = is_out ? -HUGE_VAL : e - (all[c].gap - gap_min);
            best_score = gmc_pair_max(best_score, all[c].score);
        }
        int best = -1;
        for (int c = 0; c < pair->work->candidate_count; c++) {
            if (!(all[c].score > -HUGE_VAL) || all[c].score < best_score - tolerance) continue;
            if (best < 0 || precedes(pair, &all[c], &all[best], askew)) best = c;
        }
        if (best < 0) break;
        chosen[count++] = best;
    }
    return count;
}

/// Twice the area of the hull of three or more points, or the length of a line: compared only among
/// choices of the same count.
static double span(const gmc_candidate *all, const int *chosen, int count)
{
    if (count < 2) return 0;
    if (count == 2) return sqrt(distance2(&all[chosen[0]], &all[chosen[1]]));
    int ring[GMC_PAIR_POINT_MAX], size = ring_of(all, chosen, count, ring);
    double area = 0;
    for (int i = 2; i < size; i++)
        area += turn_of(&all[ring[0]], &all[ring[i - 1]], &all[ring[i]]);
    return area;
}

/// The candidates that were kept before, if they still make as good a manifold as `chosen`, whose
/// first `soon` touch.
static int keep_before(const gmc_pair *pair, double gap_min, int soon, int *chosen, int count)
{
    const gmc_candidate *all = pair->work->candidates;
    const gmc_pair_cache *cache = pair->cache;
    int kept[GMC_PAIR_POINT_MAX] = {0}, found = 0, is_deepest_in = 0;
    if (cache->kept_count != count) return 0;
    for (int c = 0; c < pair->work->candidate_count; c++) {
        if (!gmc_pair_was_kept(cache, all[c].feature)) continue;
        if (found == count) return 0;
        kept[found++] = c;
        soon -= all[c].nearness == GMC_CANDIDATE_SOON;
        if (all[c].gap <= gap_min + GMC_PAIR_DEEPEST_KEEP * pair->size) is_deepest_in = 1;
    }
    if (found != count || !is_deepest_in || soon > 0) return 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (distance2(&all[kept[i]], &all[kept[j]]) <=
                GMC_PAIR_MERGE * pair->size * GMC_PAIR_MERGE * pair->size)
                return 0;
    if (span(all, kept, count) < SPAN_KEEP * span(all, chosen, count)) return 0;
    for (int i = 0; i < count; i++)
        chosen[i] = kept[i];
    return 1;
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
            if (distance2(&all[c], &all[chosen[i]]) > tolerance2) continue;
            // one above the other: the lower one; else as everywhere
            double lower = all[chosen[i]].gap - all[c].gap, same = GMC_PAIR_DEEPEST * pair->size;
            is_new = 0;
            if (lower > same ||
                (lower >= -same && precedes(pair, &all[c], &all[chosen[i]], skew_of(pair, axes))))
                chosen[i] = c;
        }
        if (is_new) chosen[count++] = c;
    }
    return count;
}

void gmc_manifold_reduce(const gmc_pair *pair, const gmc_pair_axes *axes, gmc_manifold *manifold)
{
    const gmc_pair_work *work = pair->work;
    const gmc_candidate *all = work->candidates;
    int chosen[GMC_PAIR_POINT_MAX], count;
    GMC_ASSERT(work->candidate_count <= work->candidate_max);
    if (work->candidate_count <= GMC_PAIR_WIDE) {
        count = without_duplicates(pair, axes, chosen);
    } else {
        int deepest = 0, is_deepest_in = 0;
        gmc_manifold_find_soon(pair, axes);
        for (int c = 1; c < work->candidate_count; c++)
            if (all[c].gap < all[deepest].gap) deepest = c;
        double gap_min = all[deepest].gap;
        int soon = choose(pair, axes, gap_min, GMC_CANDIDATE_SOON, GMC_PAIR_POINT_MAX, 0, chosen);
        count = soon;
        for (int i = 0; i < count; i++)
            if (all[chosen[i]].gap <= gap_min + GMC_PAIR_DEEPEST * pair->size) is_deepest_in = 1;
        if (!is_deepest_in) {
            chosen[0] = deepest;
            soon = count =
                choose(pair, axes, gap_min, GMC_CANDIDATE_SOON, GMC_PAIR_POINT_MAX, 1, chosen);
        }
        count = choose(pair, axes, gap_min, GMC_CANDIDATE_TURN, GMC_PAIR_WIDE, count, chosen);
        count = choose(pair, axes, gap_min, GMC_CANDIDATE_FAR, GMC_PAIR_WIDE, count, chosen);
        (void)keep_before(pair, gap_min, soon, chosen, count);
    }

    manifold->n = axes->n;
    manifold->count = 0;
    for (int i = 0; i < count; i++) {
        const gmc_candidate *c = &all[chosen[i]];
        gmc_vec3 p = gmc_vec3_scale(c->z, axes->n);
        p = gmc_vec3_add_scaled(gmc_vec3_add_scaled(p, c->x, axes->t1), c->y, axes->t2);
        gmc_manifold_add(manifold, p, c->gap, c->feature);
    }
}
