// Two passes over the manifolds of a group: first what is hidden under a neighbour goes, then what
// is left is sorted into flat contacts (equal normals) and each is reduced.
//
// A manifold goes only as a whole, and only for a neighbour that stays: a box in the corner of an L
// has points on the corner line, which the wall hides from the floor and the floor from the wall,
// and must keep them; its manifolds reach beyond the corner and stay. Hiding single points was
// tried: the box tilts into the corner.
#include "engine/collision/seam.h"

#include "engine/collision/flat.h"
#include "engine/collision/manifold.h"

/// A point nearer to a neighbour than this share of its radius lies on it: pieces leave the planes
/// of their cuts by GMC_HULL_COPLANAR of the mesh's extent, and are as small as a tenth of that.
#define ON_NEIGHBOUR 3e-4
/// Points that differ in depth by less than this share of what makes two of them one lie in a
/// plane.
#define FLAT 1e-4

/// The piece of one side, and where its contact points out of it.
typedef struct side {
    const gmc_solid *solid;
    double sign; ///< n * sign leaves the piece
} side;

static side side_of(const gmc_seam_member *member, bool is_b)
{
    return is_b ? (side){&member->pair.b, -1} : (side){&member->pair.a, 1};
}

/// Is p on the piece (or in it), and does the piece reach farther along `out`?
static bool hides(const gmc_solid *piece, gmc_vec3 p, gmc_vec3 out)
{
    double tolerance = ON_NEIGHBOUR * gmc_shape_radius(piece->shape);
    for (int f = 0; f < gmc_shape_face_count(piece); f++) {
        gmc_vec3 n = gmc_shape_face_normal(piece, f);
        if (gmc_vec3_dot(n, p) > gmc_shape_face_offset(piece, f, n) + tolerance) return false;
    }
    gmc_vec3 far = gmc_shape_support(piece, out, NULL);
    return gmc_vec3_dot(out, gmc_vec3_sub(far, p)) > tolerance;
}

/// Do pieces of the other members, all that stay, hide every point of this one?
static bool is_hidden(const gmc_seam_group *group, int index, bool is_b)
{
    const gmc_seam_member *own = group->members[index];
    side s = side_of(own, is_b);
    gmc_vec3 out = gmc_vec3_scale(s.sign, own->manifold.n);
    for (int i = 0; i < own->manifold.count; i++) {
        const gmc_manifold_point *point = &own->manifold.points[i];
        gmc_vec3 p = gmc_vec3_add_scaled(point->p, -0.5 * point->gap, out);
        bool is_point_hidden = false;
        for (int k = 0; k < group->count && !is_point_hidden; k++) {
            const gmc_seam_member *other = group->members[k];
            const gmc_solid *piece = side_of(other, is_b).solid;
            is_point_hidden =
                other->is_chosen != 0 && piece->shape != s.solid->shape && hides(piece, p, out);
        }
        if (!is_point_hidden) return false;
    }
    return true;
}

// ---- flat contacts -----------------------------------------------------------------------------

/// Was this feature among the contacts of the call before?
static bool was_chosen(const gmc_seam_kept *before, uint64_t feature)
{
    for (int k = 0; k < before->count; k++)
        if (before->features[k] == feature && (before->chosen >> k & 1)) return true;
    return false;
}

/// Is a place of a member's within that distance of a chosen point?
static bool is_beside_chosen(gmc_seam_member *const *members, int count, const gmc_seam_member *own,
                             gmc_vec3 p, double distance)
{
    for (int k = 0; k < count; k++) {
        gmc_vec3 shift = gmc_vec3_sub(members[k]->origin, own->origin);
        for (int i = 0; i < members[k]->manifold.count; i++) {
            gmc_vec3 way = gmc_vec3_sub(gmc_vec3_add(members[k]->manifold.points[i].p, shift), p);
            if (members[k]->is_chosen >> i & 1 && gmc_vec3_dot(way, way) <= distance * distance)
                return true;
        }
    }
    return false;
}

/// The smallest gap of a chosen point that overlaps, or 0.
static double least_gap(gmc_seam_member *const *members, int count)
{
    double least = 0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < members[k]->manifold.count; i++)
            if (members[k]->is_chosen >> i & 1 && members[k]->manifold.points[i].gap < least)
                least = members[k]->manifold.points[i].gap;
    return least;
}

/// Points that were contacts and overlap by more than all that are chosen stay, the deepest first,
/// while there is room: of a body that stands on more than lie in one plane the choice by extent
/// takes now these, now those, and each time one is let in late its overlap throws the body up
/// again.
static void keep_pressed(gmc_seam_member *const *members, int count, int room, double merge)
{
    double level = least_gap(members, count) - merge * FLAT;
    for (; room > 0; room--) {
        gmc_seam_member *deepest = NULL;
        int at = 0;
        for (int k = 0; k < count; k++) {
            gmc_seam_member *member = members[k];
            for (int i = 0; i < member->manifold.count; i++) {
                const gmc_manifold_point *point = &member->manifold.points[i];
                if (member->is_chosen >> i & 1 || !(point->gap < level) ||
                    (deepest && point->gap >= deepest->manifold.points[at].gap) ||
                    !was_chosen(&member->before, point->feature) ||
                    is_beside_chosen(members, count, member, point->p, merge))
                    continue;
                deepest = member;
                at = i;
            }
        }
        if (!deepest) return;
        deepest->is_chosen |= 1u << at;
    }
}

/// How stiff the points of the members are that were chosen.
static void stiffen(gmc_seam_member *const *members, int count, const gmc_pair_axes *axes,
                    const gmc_flat *flat)
{
    double x[GMC_PAIR_POINT_MAX], y[GMC_PAIR_POINT_MAX], own[GMC_PAIR_POINT_MAX];
    double *excess[GMC_PAIR_POINT_MAX];
    int taken = 0;
    for (int k = 0; k < count; k++) {
        gmc_vec3 shift = gmc_vec3_sub(members[k]->origin, members[0]->origin);
        for (int i = 0; i < members[k]->manifold.count; i++) {
            if (!(members[k]->is_chosen >> i & 1)) continue;
            gmc_vec3 p = gmc_vec3_add(members[k]->manifold.points[i].p, shift);
            x[taken] = gmc_vec3_dot(axes->t1, p);
            y[taken] = gmc_vec3_dot(axes->t2, p);
            excess[taken++] = &members[k]->excess[i];
        }
    }
    gmc_flat_stiffen(flat, x, y, taken, own);
    for (int i = 0; i < taken; i++)
        *excess[i] = own[i];
}

/// The members are one flat contact, for which the points stand that were chosen.
static void join(gmc_seam_member *const *members, int count, const gmc_pair_axes *axes,
                 const gmc_manifold *chosen)
{
    gmc_flat flat = {0};
    double x[GMC_PAIR_POINT_MAX], y[GMC_PAIR_POINT_MAX];
    for (int k = 0; k < count; k++) {
        gmc_seam_member *member = members[k];
        member->flat = members[0];
        gmc_flat_add(&flat, &member->pair, &member->manifold, axes,
                     gmc_vec3_sub(member->origin, members[0]->origin));
    }
    for (int i = 0; i < chosen->count; i++) {
        x[i] = gmc_vec3_dot(axes->t1, chosen->points[i].p);
        y[i] = gmc_vec3_dot(axes->t2, chosen->points[i].p);
    }
    members[0]->is_joined = true;
    members[0]->area = gmc_flat_area_of(&flat, axes, members[0]->origin, x, y, chosen->count);
    stiffen(members, count, axes, &flat);
}

// ---- lines -------------------------------------------------------------------------------------

/// Lines that cover less than this share of the way from end to end have gaps: feet.
#define COVERED 0.9

static double distance_of(const gmc_candidate *a, const gmc_candidate *b)
{
    double x = b->x - a->x, y = b->y - a->y;
    return sqrt(x * x + y * y);
}

/// The candidate farthest from one; of those as far to rounding the one of the call before.
static int farthest(const gmc_pair *pair, const gmc_candidate *from, double tolerance)
{
    const gmc_pair_work *work = pair->work;
    double most = 0;
    int best = 0;
    for (int c = 0; c < work->candidate_count; c++)
        most = gmc_pair_max(most, distance_of(from, &work->candidates[c]));
    for (int c = work->candidate_count - 1; c >= 0; c--) {
        if (distance_of(from, &work->candidates[c]) < most - tolerance) continue;
        best = c;
        if (gmc_pair_was_kept(pair->cache, work->candidates[c].feature)) return c;
    }
    return best;
}

/// Length of the lines of all members' own points [m].
static double covered(gmc_seam_member *const *members, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++) {
        const gmc_manifold *own = &members[k]->manifold;
        double longest = 0;
        for (int i = 1; i < own->count; i++)
            for (int j = 0; j < i; j++)
                longest = gmc_pair_max(
                    longest, gmc_vec3_norm(gmc_vec3_sub(own->points[i].p, own->points[j].p)));
        sum += longest;
    }
    return sum;
}

/// Of a line over several members its two ends stand for all of it, as on one: points on a seam
/// would take a part of the load, so friction would act at other distances, and ends that stayed on
/// a seam because they were chosen before would let it overhang.
/// @return whether the candidates are such a line
static bool choose_ends(gmc_seam_member *const *members, int count, const gmc_pair *pair,
                        const gmc_pair_axes *axes, gmc_manifold *chosen)
{
    const gmc_pair_work *work = pair->work;
    const gmc_candidate *all = work->candidates;
    double tolerance = GMC_PAIR_MERGE * pair->size;
    int ends[2];
    if (work->candidate_count < 3) return false;
    ends[0] = farthest(pair, &all[0], tolerance);
    ends[1] = farthest(pair, &all[ends[0]], tolerance);
    double length = distance_of(&all[ends[0]], &all[ends[1]]);
    if (!(length > 2 * tolerance) || covered(members, count) < COVERED * length) return false;
    double x = (all[ends[1]].x - all[ends[0]].x) / length;
    double y = (all[ends[1]].y - all[ends[0]].y) / length;
    for (int c = 0; c < work->candidate_count; c++) {
        double beside = x * (all[c].y - all[ends[0]].y) - y * (all[c].x - all[ends[0]].x);
        if (!(fabs(beside) <= tolerance)) return false;
    }
    *chosen = (gmc_manifold){.n = axes->n};
    for (int i = 0; i < 2; i++) {
        const gmc_candidate *c = &all[ends[i]];
        gmc_vec3 p = gmc_vec3_scale(c->z, axes->n);
        p = gmc_vec3_add_scaled(gmc_vec3_add_scaled(p, c->x, axes->t1), c->y, axes->t2);
        gmc_manifold_add(chosen, p, c->gap, c->feature);
    }
    return true;
}

// ---- points on seams ---------------------------------------------------------------------------

/// Is c on the way from a to b, off both, and in a plane with them?
static bool is_between(const gmc_candidate *c, const gmc_candidate *a, const gmc_candidate *b,
                       double merge)
{
    double from = distance_of(a, c), to = distance_of(c, b), length = distance_of(a, b);
    if (!(from > merge && to > merge && length > from && length > to)) return false;
    double beside = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
    double gap = a->gap + (b->gap - a->gap) * from / length;
    return fabs(beside) <= merge * length && fabs(c->gap - gap) <= merge * FLAT;
}

/// Candidates [first, end) are a member's, those of `other` another's.
typedef struct range {
    int first, end;
} range;

/// Is candidate c a point where its member meets another, with points of both on either side?
static bool is_on_seam(const gmc_candidate *all, int c, range own, range other, double merge)
{
    bool is_shared = false;
    for (int b = other.first; b < other.end && !is_shared; b++) {
        double x = all[b].x - all[c].x, y = all[b].y - all[c].y;
        is_shared = x * x + y * y <= merge * merge;
    }
    for (int a = own.first; a < own.end && is_shared; a++)
        for (int b = other.first; b < other.end; b++)
            if (is_between(&all[c], &all[a], &all[b], merge)) return true;
    return false;
}

/// Leave out what one solid in place of all members would not have: points where an edge or a face
/// goes on over a seam. An edge that strikes with one end while the other leaves was stopped at the
/// seam, too, for there it arrives as well.
static void drop_seams(gmc_seam_member *const *members, int count, double merge,
                       gmc_pair_work *work)
{
    gmc_candidate *all = work->candidates;
    range own = {0, 0};
    for (int k = 0; k < count; k++, own.first = own.end) {
        range other = {0, 0};
        own.end = own.first + members[k]->manifold.count;
        for (int m = 0; m < count; m++, other.first = other.end) {
            other.end = other.first + members[m]->manifold.count;
            for (int c = own.first; c < own.end && m != k; c++)
                if (is_on_seam(all, c, own, other, merge)) all[c].score = HUGE_VAL;
        }
    }
    int left = 0;
    for (int c = 0; c < work->candidate_count; c++)
        if (all[c].score == 0) all[left++] = all[c];
    work->candidate_count = left;
}

// ---- reduction ---------------------------------------------------------------------------------

/// Let gmc_manifold_reduce choose among the points of the members, as if they were of one pair.
void gmc_seam_reduce(gmc_seam_member *const *members, int count, double size, gmc_pair_work *work)
{
    const gmc_seam_member *first = members[0];
    gmc_pair_cache before = {0};
    gmc_pair pair = first->pair;
    gmc_pair_axes axes = gmc_pair_axes_of(first->manifold.n);
    pair.cache = &before;
    pair.size = size;
    work->candidate_count = 0;
    for (int k = 0; k < count; k++) {
        const gmc_seam_member *member = members[k];
        gmc_vec3 shift = gmc_vec3_sub(member->origin, first->origin);
        for (int i = 0; i < member->manifold.count; i++) {
            const gmc_manifold_point *point = &member->manifold.points[i];
            gmc_vec3 p = gmc_vec3_add(point->p, shift);
            uint64_t name = (uint64_t)work->candidate_count;
            if (work->candidate_count >= work->candidate_max) return; // all of them are contacts
            if (before.kept_count < GMC_PAIR_POINT_MAX &&
                was_chosen(&member->before, point->feature))
                before.kept[before.kept_count++] = name;
            work->candidates[work->candidate_count++] =
                (gmc_candidate){.x = gmc_vec3_dot(axes.t1, p),
                                .y = gmc_vec3_dot(axes.t2, p),
                                .z = gmc_vec3_dot(axes.n, p),
                                .gap = point->gap,
                                .feature = name};
        }
    }
    gmc_manifold chosen;
    if (!choose_ends(members, count, &pair, &axes, &chosen)) {
        drop_seams(members, count, GMC_PAIR_MERGE * size, work);
        gmc_manifold_reduce(&pair, &axes, &chosen);
    }
    uint64_t name = 0;
    for (int k = 0; k < count; k++) {
        gmc_seam_member *member = members[k];
        member->is_chosen = 0;
        for (int i = 0; i < member->manifold.count; i++, name++)
            for (int c = 0; c < chosen.count; c++)
                if (chosen.points[c].feature == name) member->is_chosen |= 1u << i;
    }
    keep_pressed(members, count, GMC_PAIR_POINT_MAX - chosen.count, GMC_PAIR_MERGE * size);
    join(members, count, &axes, &chosen);
}

static bool is_same_normal(const gmc_seam_member *a, const gmc_seam_member *b)
{
    return gmc_vec3_dot(a->manifold.n, b->manifold.n) >= 1 - GMC_SEAM_SAME_NORMAL;
}

void gmc_seam_choose(const gmc_seam_group *group, gmc_pair_work *work)
{
    enum { FLAT_MAX = 256 };
    gmc_seam_member *flat[FLAT_MAX];
    for (int k = 0; k < group->count; k++)
        group->members[k]->is_chosen = (1u << group->members[k]->manifold.count) - 1;
    if (group->count < 2) return;
    for (int k = 0; k < group->count; k++) {
        gmc_seam_member *member = group->members[k];
        if ((group->a_is_compound && is_hidden(group, k, false)) ||
            (group->b_is_compound && is_hidden(group, k, true)))
            member->is_chosen = 0;
    }
    // members that were taken into a flat contact are marked by the first of them
    unsigned char is_done[FLAT_MAX] = {0};
    for (int k = 0; k < group->count && k < FLAT_MAX; k++) {
        int count = 0;
        for (int m = k; m < group->count && m < FLAT_MAX && !is_done[k]; m++) {
            gmc_seam_member *other = group->members[m];
            if (other->is_chosen == 0 || is_done[m] || group->members[k]->is_chosen == 0 ||
                !is_same_normal(group->members[k], other))
                continue;
            flat[count++] = other;
            is_done[m] = m > k;
        }
        if (count > 1) gmc_seam_reduce(flat, count, group->size, work);
    }
}
