// Room for candidates, and what becomes of few of them and of many.
#include "engine/collision/manifold.h"

#include "engine/base/check.h"

static inline double manifold_distance2(const gmc_candidate *a, const gmc_candidate *b)
{
    double dx = a->x - b->x, dy = a->y - b->y;
    return dx * dx + dy * dy;
}

/// A direction in the contact plane that is fixed in solid a and askew to all its axes.
typedef struct manifold_askew {
    double x, y;
} manifold_askew;

static inline manifold_askew manifold_skew(const gmc_pair *pair, const gmc_pair_axes *axes)
{
    gmc_vec3 d = gmc_mat3_apply(&pair->a.X.R, (gmc_vec3){0.3015113, 0.4873271, 0.8195149});
    return (manifold_askew){gmc_vec3_dot(d, axes->t1), gmc_vec3_dot(d, axes->t2)};
}

/// Does candidate c precede d where both would do? One kept before does; of two places the one
/// farther askew; at one place the smaller feature. A name decides only between names of the same
/// place, so that the choice does not depend on how a mesh numbers its vertices.
static inline int manifold_precedes(const gmc_pair *pair, const gmc_candidate *c,
                                    const gmc_candidate *d, manifold_askew askew)
{
    int c_kept = gmc_pair_was_kept(pair->cache, c->feature),
        d_kept = gmc_pair_was_kept(pair->cache, d->feature);
    double merge = GMC_PAIR_MERGE * pair->size;
    if (c_kept != d_kept) return c_kept;
    if (manifold_distance2(c, d) > merge * merge)
        return (c->x - d->x) * askew.x + (c->y - d->y) * askew.y > 0;
    return c->feature < d->feature;
}

gmc_status gmc_manifold_work(int polygon_max, int vertex_max, gmc_arena *arena, gmc_pair_work *work)
{
    size_t n = polygon_max < 4 ? 4 : (size_t)polygon_max;
    work->polygon_max = (int)n;
    // overlay.c: every vertex of both, at most two crossings per edge of one, twice where faces are
    // overlaid as they will be, too (convex.h); a plane: every vertex
    int of_faces = 2 * (4 * work->polygon_max + 8);
    work->candidate_max = of_faces > vertex_max ? of_faces : vertex_max;
    gmc_polygon *polygons[2] = {&work->polygon_a, &work->polygon_b};
    for (int k = 0; k < 2; k++) {
        polygons[k]->x = GMC_NEW(arena, 3 * n, double);
        polygons[k]->id = GMC_NEW(arena, n, int);
        if (!polygons[k]->x || !polygons[k]->id) return GMC_E_ARENA_FULL;
        polygons[k]->y = polygons[k]->x + n;
        polygons[k]->z = polygons[k]->y + n;
    }
    work->lines = GMC_NEW(arena, 6 * n, double);
    work->candidates = GMC_NEW(arena, work->candidate_max, gmc_candidate);
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

// ---- choosing among many -----------------------------------------------------------------------
//
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

/// Points kept before stay if they span at least this share of what a fresh choice would.
#define SPAN_KEEP 0.5
/// Of candidates that touch, one that is nearer to a chosen one than this share of the distance
/// between the first two leaves its place to a wider one.
#define BESIDE 0.1
/// Candidates this near to each other, in GMC_PAIR_MERGE, are one wherever they are looked at.
#define TWIN 0.1

/// Twice the area of the triangle a, b, c; positive if they go round counter-clockwise.
static double turn_of(const gmc_candidate *a, const gmc_candidate *b, const gmc_candidate *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/// Points as a counter-clockwise ring, without those inside it.
typedef struct ring {
    int size;
    int at[GMC_PAIR_POINT_MAX]; ///< candidates
} ring;

/// Take candidate c in. @return its place; -1 if it is inside
static int ring_insert(ring *r, const gmc_candidate *all, int c)
{
    if (r->size < 2) {
        r->at[r->size] = c;
        return r->size++;
    }
    int after = -1;
    if (r->size == 2) {
        after = turn_of(&all[r->at[0]], &all[r->at[1]], &all[c]) > 0 ? 1 : 0;
    } else {
        double most = 0;
        for (int i = 0; i < r->size; i++) {
            double out =
                -turn_of(&all[r->at[i]], &all[r->at[i + 1 < r->size ? i + 1 : 0]], &all[c]);
            if (out > most) most = out, after = i;
        }
        if (after < 0) return -1;
    }
    for (int i = r->size++; i > after + 1; i--)
        r->at[i] = r->at[i - 1];
    r->at[after + 1] = c;
    return after + 1;
}

/// Twice the area of three or more points, or the length of two: compared only among choices of the
/// same count.
static double span_of(const ring *r, const gmc_candidate *all)
{
    if (r->size < 2) return 0;
    if (r->size == 2) return sqrt(manifold_distance2(&all[r->at[0]], &all[r->at[1]]));
    double area = 0;
    for (int i = 2; i < r->size; i++)
        area += turn_of(&all[r->at[0]], &all[r->at[i - 1]], &all[r->at[i]]);
    return area;
}

/// Points chosen so far, and what measures how much farther a candidate reaches than they do.
typedef struct selection {
    const gmc_pair *pair;
    manifold_askew askew;
    double gap_min; ///< of all candidates [m]
    int count;
    int chosen[GMC_PAIR_POINT_MAX];
    ring around;
    /// Line k goes through corner k of the ring and the next one, its normal outwards.
    double nx[GMC_PAIR_POINT_MAX], ny[GMC_PAIR_POINT_MAX], off[GMC_PAIR_POINT_MAX];
} selection;

/// n·p - off is how far p lies to the right of line k [m].
static void reach_line(selection *s, const gmc_candidate *all, int k)
{
    const ring *r = &s->around;
    const gmc_candidate *a = &all[r->at[k]], *b = &all[r->at[k + 1 < r->size ? k + 1 : 0]];
    double ex = b->x - a->x, ey = b->y - a->y, scale = 1 / sqrt(ex * ex + ey * ey);
    s->nx[k] = scale * ey;
    s->ny[k] = -scale * ex;
    s->off[k] = s->nx[k] * a->x + s->ny[k] * a->y;
}

static void manifold_take(selection *s, int c)
{
    const gmc_candidate *all = s->pair->work->candidates;
    s->chosen[s->count++] = c;
    int at = ring_insert(&s->around, all, c), size = s->around.size;
    if (at < 0 || size < 2) return;
    if (size <= 3) {
        for (int k = 0; k < (size == 2 ? 1 : 3); k++)
            reach_line(s, all, k);
        return;
    }
    for (int k = size - 1; k > at; k--)
        s->nx[k] = s->nx[k - 1], s->ny[k] = s->ny[k - 1], s->off[k] = s->off[k - 1];
    reach_line(s, all, at - 1); // the place is behind another corner's, never the first
    reach_line(s, all, at);
}

/// Lateral extent that candidate p would add [m].
static double extent(const selection *s, const gmc_candidate *p)
{
    if (s->count == 0) return s->askew.x * p->x + s->askew.y * p->y;
    if (s->count == 1) return sqrt(manifold_distance2(p, &s->pair->work->candidates[s->chosen[0]]));
    double e = s->nx[0] * p->x + s->ny[0] * p->y - s->off[0];
    if (s->count == 2) return fabs(e);
    for (int k = 1; k < s->around.size; k++)
        e = gmc_pair_max(e, s->nx[k] * p->x + s->ny[k] * p->y - s->off[k]);
    return e;
}

/// Is candidate c nearer to a chosen one than the root of `beside2`, or is it one?
static bool is_beside(const selection *s, int c, double beside2)
{
    const gmc_candidate *all = s->pair->work->candidates;
    for (int i = 0; i < s->count; i++)
        if (s->chosen[i] == c || manifold_distance2(&all[c], &all[s->chosen[i]]) < beside2)
            return true;
    return false;
}

/// Choose up to `limit` in all, widest first, of candidates of at least that nearness.
static void choose(selection *s, int nearness, int limit)
{
    gmc_candidate *all = s->pair->work->candidates;
    int candidate_count = s->pair->work->candidate_count;
    double tolerance = GMC_PAIR_MERGE * s->pair->size;

    while (s->count < limit) {
        double best_score = -HUGE_VAL, beside2 = 0;
        if (nearness == GMC_CANDIDATE_SOON && s->count >= 2)
            beside2 = BESIDE * BESIDE * manifold_distance2(&all[s->chosen[0]], &all[s->chosen[1]]);
        for (int c = 0; c < candidate_count; c++) {
            all[c].score = -HUGE_VAL;
            if (all[c].nearness < nearness || is_beside(s, c, beside2)) continue;
            double e = extent(s, &all[c]);
            if (s->count > 0 && e <= tolerance) continue;
            all[c].score = e - (all[c].gap - s->gap_min);
            best_score = gmc_pair_max(best_score, all[c].score);
        }
        int best = -1;
        for (int c = 0; c < candidate_count; c++) {
            if (!(all[c].score > -HUGE_VAL) || all[c].score < best_score - tolerance) continue;
            if (best < 0 || manifold_precedes(s->pair, &all[c], &all[best], s->askew)) best = c;
        }
        if (best < 0) break;
        manifold_take(s, best);
    }
}

/// The candidates that were kept before take the place of the chosen ones if they still make as
/// good a manifold; `soon` of those touch.
static void keep_before(selection *s, int soon)
{
    const gmc_candidate *all = s->pair->work->candidates;
    const gmc_pair_cache *cache = s->pair->cache;
    double size = s->pair->size, merge2 = GMC_PAIR_MERGE * size * GMC_PAIR_MERGE * size;
    int kept[GMC_PAIR_POINT_MAX] = {0}, found = 0, is_deepest_in = 0;
    ring around = {.size = 0};
    if (cache->kept_count != s->count) return;
    for (int c = 0; c < s->pair->work->candidate_count; c++) {
        if (!gmc_pair_was_kept(cache, all[c].feature)) continue;
        if (found == s->count) return;
        kept[found++] = c;
        soon -= all[c].nearness == GMC_CANDIDATE_SOON;
        if (all[c].gap <= s->gap_min + GMC_PAIR_DEEPEST_KEEP * size) is_deepest_in = 1;
    }
    if (found != s->count || !is_deepest_in || soon > 0) return;
    for (int i = 0; i < found; i++) {
        for (int j = 0; j < i; j++)
            if (manifold_distance2(&all[kept[i]], &all[kept[j]]) <= merge2) return;
        (void)ring_insert(&around, all, kept[i]);
    }
    if (span_of(&around, all) < SPAN_KEEP * span_of(&s->around, all)) return;
    for (int i = 0; i < found; i++)
        s->chosen[i] = kept[i];
}

/// Four points of a manifold in good shape: corners of a quadrilateral, none nearly on the line
/// through two others, and none beside another as choose() sees it, not even if each is replaced by
/// one within TWIN of it.
static bool is_well_spread(const gmc_candidate *all, const int *four, double merge)
{
    static const int TRIPLES[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    double least2 = HUGE_VAL, most2 = 0;
    bool is_convex = true; // an even number of the four turns is to the right
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double d2 = manifold_distance2(&all[four[i]], &all[four[j]]);
            least2 = gmc_pair_min(least2, d2);
            most2 = gmc_pair_max(most2, d2);
        }
    if (!(least2 > 1.2 * BESIDE * BESIDE * most2 && most2 > 1e4 * merge * merge)) return false;
    for (int t = 0; t < 4; t++) {
        double turn = turn_of(&all[four[TRIPLES[t][0]]], &all[four[TRIPLES[t][1]]],
                              &all[four[TRIPLES[t][2]]]);
        if (!(turn * turn > 100 * merge * merge * most2)) return false;
        is_convex = is_convex == (turn > 0);
    }
    return is_convex;
}

/// What choose() and keep_before() would come to where all candidates touch and are either the four
/// points of before, well spread, or twins of one of those: a choice takes one of each set of
/// twins, since its reach is above the tolerance and that of its twins is not, so it has four, and
/// the four of before are as good. Faces that are flush with each other have such corners in each
/// step.
static bool take_before(selection *s)
{
    const gmc_pair_work *work = s->pair->work;
    const gmc_candidate *all = work->candidates;
    double merge = GMC_PAIR_MERGE * s->pair->size, twin2 = TWIN * merge * TWIN * merge;
    int found = 0, is_deepest_in = 0;
    if (s->pair->cache->kept_count != 4) return false;
    for (int c = 0; c < work->candidate_count; c++) {
        if (all[c].nearness != GMC_CANDIDATE_SOON) return false;
        if (!gmc_pair_was_kept(s->pair->cache, all[c].feature)) continue;
        if (found == 4) return false;
        s->chosen[found++] = c;
        if (all[c].gap <= s->gap_min + GMC_PAIR_DEEPEST_KEEP * s->pair->size) is_deepest_in = 1;
    }
    if (found != 4 || !is_deepest_in || !is_well_spread(all, s->chosen, merge)) return false;
    for (int c = 0; c < work->candidate_count; c++) {
        bool has_twin = false;
        for (int i = 0; i < 4 && !has_twin; i++)
            has_twin = manifold_distance2(&all[c], &all[s->chosen[i]]) <= twin2;
        if (!has_twin) return false;
    }
    s->count = 4;
    return true;
}

static void choose_all(selection *s, const gmc_pair_axes *axes)
{
    const gmc_pair_work *work = s->pair->work;
    const gmc_candidate *all = work->candidates;
    int deepest = 0, is_deepest_in = 0;
    gmc_manifold_find_soon(s->pair, axes);
    for (int c = 1; c < work->candidate_count; c++)
        if (all[c].gap < all[deepest].gap) deepest = c;
    s->gap_min = all[deepest].gap;
    if (take_before(s)) return;
    choose(s, GMC_CANDIDATE_SOON, GMC_PAIR_POINT_MAX);
    for (int i = 0; i < s->count; i++)
        if (all[s->chosen[i]].gap <= s->gap_min + GMC_PAIR_DEEPEST * s->pair->size)
            is_deepest_in = 1;
    if (!is_deepest_in) {
        s->count = s->around.size = 0;
        manifold_take(s, deepest);
        choose(s, GMC_CANDIDATE_SOON, GMC_PAIR_POINT_MAX);
    }
    int soon = s->count;
    choose(s, GMC_CANDIDATE_TURN, GMC_PAIR_WIDE);
    choose(s, GMC_CANDIDATE_FAR, GMC_PAIR_WIDE);
    keep_before(s, soon);
}

/// Choose among more than GMC_PAIR_WIDE candidates.
/// @param chosen  out: indices of those chosen
/// @return how many
static int manifold_choose(const gmc_pair *pair, const gmc_pair_axes *axes,
                           int chosen[GMC_PAIR_POINT_MAX])
{
    selection s;
    s.pair = pair;
    s.askew = manifold_skew(pair, axes);
    s.count = s.around.size = 0;
    choose_all(&s, axes);
    for (int i = 0; i < s.count; i++)
        chosen[i] = s.chosen[i];
    return s.count;
}

// ---- a manifold of them ------------------------------------------------------------------------

/// All candidates but duplicates, for at most GMC_PAIR_WIDE.
static int without_duplicates(const gmc_pair *pair, const gmc_pair_axes *axes, int *chosen)
{
    const gmc_candidate *all = pair->work->candidates;
    double tolerance2 = GMC_PAIR_MERGE * pair->size * GMC_PAIR_MERGE * pair->size;
    int count = 0;
    for (int c = 0; c < pair->work->candidate_count; c++) {
        int is_new = 1;
        for (int i = 0; i < count && is_new; i++) {
            if (manifold_distance2(&all[c], &all[chosen[i]]) > tolerance2) continue;
            // one above the other: the lower one; else as everywhere
            double lower = all[chosen[i]].gap - all[c].gap, same = GMC_PAIR_DEEPEST * pair->size;
            is_new = 0;
            if (lower > same || (lower >= -same && manifold_precedes(pair, &all[c], &all[chosen[i]],
                                                                     manifold_skew(pair, axes))))
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
                                                       : manifold_choose(pair, axes, chosen);

    manifold->n = axes->n;
    manifold->count = manifold->outline_count = 0;
    for (int i = 0; i < count; i++) {
        const gmc_candidate *c = &work->candidates[chosen[i]];
        gmc_manifold_add(manifold, place_of(c, axes), c->gap, c->feature);
    }
    if (work->candidate_count > GMC_PAIR_POINT_MAX) outline(work, axes, manifold);
}
