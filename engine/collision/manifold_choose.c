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
#include "engine/collision/manifold_internal.h"

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
    if (r->size == 2) return sqrt(gmc_manifold_distance2(&all[r->at[0]], &all[r->at[1]]));
    double area = 0;
    for (int i = 2; i < r->size; i++)
        area += turn_of(&all[r->at[0]], &all[r->at[i - 1]], &all[r->at[i]]);
    return area;
}

/// Points chosen so far, and what measures how much farther a candidate reaches than they do.
typedef struct selection {
    const gmc_pair *pair;
    gmc_manifold_askew askew;
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

static void take(selection *s, int c)
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
    if (s->count == 1)
        return sqrt(gmc_manifold_distance2(p, &s->pair->work->candidates[s->chosen[0]]));
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
        if (s->chosen[i] == c || gmc_manifold_distance2(&all[c], &all[s->chosen[i]]) < beside2)
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
            beside2 =
                BESIDE * BESIDE * gmc_manifold_distance2(&all[s->chosen[0]], &all[s->chosen[1]]);
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
            if (best < 0 || gmc_manifold_precedes(s->pair, &all[c], &all[best], s->askew)) best = c;
        }
        if (best < 0) break;
        take(s, best);
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
            if (gmc_manifold_distance2(&all[kept[i]], &all[kept[j]]) <= merge2) return;
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
            double d2 = gmc_manifold_distance2(&all[four[i]], &all[four[j]]);
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
            has_twin = gmc_manifold_distance2(&all[c], &all[s->chosen[i]]) <= twin2;
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
        take(s, deepest);
        choose(s, GMC_CANDIDATE_SOON, GMC_PAIR_POINT_MAX);
    }
    int soon = s->count;
    choose(s, GMC_CANDIDATE_TURN, GMC_PAIR_WIDE);
    choose(s, GMC_CANDIDATE_FAR, GMC_PAIR_WIDE);
    keep_before(s, soon);
}

int gmc_manifold_choose(const gmc_pair *pair, const gmc_pair_axes *axes,
                        int chosen[GMC_PAIR_POINT_MAX])
{
    selection s;
    s.pair = pair;
    s.askew = gmc_manifold_skew(pair, axes);
    s.count = s.around.size = 0;
    choose_all(&s, axes);
    for (int i = 0; i < s.count; i++)
        chosen[i] = s.chosen[i];
    return s.count;
}
