// Members are listed by what they touch: of a list only those of one set can be flush. Lists are as
// short as the number of geoms that one geom touches, so all pairs of a list are looked at. A
// manifold that was measured anew stands for its face from then on.
//
// Rejected: to drop such a contact. What rocks on narrow boards stands on one of them and is about
// to touch the next; its points there have to be known before they touch, or it falls through the
// level position and is thrown back. Rejected: to choose the face within the query of the pair,
// which cannot know what continues it.
#include "engine/collision/flush.h"

#include "engine/collision/convex.h"
#include "engine/collision/manifold.h"
#include "engine/collision/overlay.h"
#include "engine/collision/point.h"

#include <stdbool.h>

/// The contact of the neighbour may lean by this much (cosine; 8 degrees) where the other solid's
/// face gives the normal and rocks.
#define FLUSH_LEVEL 0.99

/// A member seen from what it touches: `own` is of the set, `other` touches several of it.
typedef struct flush_role {
    gmc_seam_member *contact;
    const gmc_solid *own, *other;
    bool is_b;      ///< own is the pair's b
    bool has_patch; ///< it presses by a pad: of the manifold the normal alone counts
    gmc_vec3 out;   ///< the manifold's normal, out of own
} flush_role;

/// A face of a solid, in the frame of its query.
typedef struct flush_plane {
    int face; ///< -1: none
    gmc_vec3 n;
    double offset; ///< n·x = offset [m]
} flush_plane;

/// A normal that is a face's own is so to rounding (sine).
#define EXACT 1e-9

// ---- along a face ------------------------------------------------------------------------------
//
// One contact along a face that others of its set have chosen.

/// The other solid dips at most this many times as deep beside the neighbour as on it: what it
/// presses with turns it a little about its points there.
#define DIP 2

/// Has a shape of this type flat faces?
static bool flush_is_flat(gmc_shape_type type)
{
    return type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE || type == GMC_SHAPE_CYLINDER;
}

/// Out of line by as much as is flush in this pair [m].
static double flush_step_of(const gmc_pair *pair)
{
    return gmc_pair_min(GMC_FLUSH_STEP, GMC_FLUSH_SHARE * pair->size);
}

/// The face towards `out` of those at the farthest point along it.
static flush_plane flush_face_along(const gmc_solid *solid, gmc_vec3 out)
{
    int hint = 0;
    flush_plane f = {.face = gmc_feature_face_towards(solid, out, &hint)};
    if (f.face >= 0) f.n = gmc_feature_face(solid, f.face, &f.offset);
    return f;
}

/// Is the other solid in front of this face of w, by as much as its contact beside w lets it dip?
static bool flush_is_in_front(const flush_role *w, const flush_role *neighbour,
                              const flush_plane *f)
{
    const gmc_manifold *of_n = &neighbour->contact->manifold;
    double least = 0;
    for (int i = 0; i < of_n->count; i++)
        least = gmc_pair_min(least, of_n->points[i].gap);
    gmc_vec3 low = gmc_shape_support(w->other, gmc_vec3_neg(f->n), NULL);
    return gmc_vec3_dot(f->n, low) - f->offset >= DIP * least - flush_step_of(&w->contact->pair);
}

/// Where a contact point lies on the surface of own, in its query's frame.
static gmc_vec3 flush_place_on(const flush_role *r, int point)
{
    const gmc_manifold_point *at = &r->contact->manifold.points[point];
    return gmc_vec3_add_scaled(at->p, -0.5 * at->gap, r->out);
}

/// w is not met.
static void flush_drop(const flush_role *w)
{
    w->contact->manifold.count = 0;
    gmc_manifold_remember(&w->contact->pair, &w->contact->manifold);
}

/// The way of o along a face of w within the step, as the bodies move now where they meet; of
/// length 0 if it does not go away from the neighbour. What is round turns on the spot: its axis
/// goes where its lowest points go.
static gmc_vec3 flush_way_along(const flush_role *w, const flush_role *neighbour,
                                const flush_plane *f)
{
    gmc_vec3 p = w->contact->manifold.points[0].p, axis = gmc_mat3_column(&w->other->X.R, 2),
             centre = w->other->X.p;
    gmc_shape_type type = w->other->shape->type;
    if (type == GMC_SHAPE_SPHERE)
        p = centre;
    else if (type == GMC_SHAPE_CAPSULE || type == GMC_SHAPE_CYLINDER)
        p = gmc_vec3_add_scaled(centre, gmc_vec3_dot(axis, gmc_vec3_sub(p, centre)), axis);
    gmc_vec3 way = gmc_twist_at(&w->contact->pair.move, p);
    if (w->is_b) way = gmc_vec3_neg(way);
    way = gmc_vec3_add_scaled(way, -gmc_vec3_dot(f->n, way), f->n);
    bool is_onwards =
        gmc_vec3_dot(way, neighbour->out) > GMC_PAIR_TOUCH_NEW * w->contact->pair.size;
    return is_onwards ? way : (gmc_vec3){0, 0, 0};
}

/// The only point of a ball that comes over a face of w within the step.
static void meet_ball(const flush_role *w, const flush_plane *f, gmc_vec3 way)
{
    const gmc_solid *ball = w->other;
    gmc_pair *pair = &w->contact->pair;
    double height = gmc_vec3_dot(f->n, ball->X.p) - f->offset, radius = ball->shape->radius,
           gap = height - radius;
    gmc_vec3 below = gmc_vec3_add_scaled(gmc_vec3_add(ball->X.p, way), -height, f->n);
    if (!(gap <= pair->margin) ||
        !(gmc_point_solid(w->own, below, -1, 0).distance <= flush_step_of(pair)))
        return;
    gmc_vec3 p = gmc_vec3_add_scaled(ball->X.p, -(radius + 0.5 * gap), f->n);
    gmc_manifold_single(w->is_b ? gmc_vec3_neg(f->n) : f->n, p, gap, 0, &w->contact->manifold);
}

/// The same points and gaps with the face's normal n, on the face.
static void lay_on(const flush_role *w, const flush_plane *f, gmc_vec3 n)
{
    gmc_manifold *manifold = &w->contact->manifold;
    for (int i = 0; i < manifold->count; i++) {
        gmc_manifold_point *point = &manifold->points[i];
        gmc_vec3 p = flush_place_on(w, i);
        double off = f->offset - gmc_vec3_dot(f->n, p);
        point->p = gmc_vec3_add_scaled(p, off + 0.5 * point->gap, f->n);
    }
    manifold->n = n;
}

/// The contact points of a pair along a face of one of its solids.
/// @param way  of the other solid within the step, along the face: what it brings over the face is
///             met, too; of length 0: what is over it now
static void flush_measure_along(const flush_role *w, const flush_plane *f, gmc_vec3 way)
{
    gmc_seam_member *contact = w->contact;
    gmc_pair *pair = &contact->pair;
    gmc_manifold *manifold = &contact->manifold;
    gmc_vec3 n = w->is_b ? gmc_vec3_neg(f->n) : f->n; // from a to b
    int face_a = w->is_b ? -1 : f->face, face_b = w->is_b ? f->face : -1;
    bool has_way = gmc_vec3_norm(way) > 0;
    if (w->has_patch) { // what of it is over the face need not hold a point
        lay_on(w, f, n);
        return;
    }
    manifold->count = 0;
    pair->cache->kept_count = contact->before.count;
    for (int i = 0; i < contact->before.count; i++)
        pair->cache->kept[i] = contact->before.features[i];
    if (w->other->shape->type == GMC_SHAPE_SPHERE) {
        // over the face now, the pair's own answer would be the face's
        if (has_way) meet_ball(w, f, way);
    } else {
        const gmc_vec3 of_b = w->is_b ? gmc_vec3_neg(way) : way;
        gmc_convex_along(pair, n, (const int[]){face_a, face_b}, has_way ? &of_b : NULL, manifold);
    }
    gmc_manifold_remember(pair, manifold);
}

// ---- at an edge --------------------------------------------------------------------------------
//
// Geoms that meet at an angle in a line. Which face of w goes on from there is told by where its
// contact points lie, not by where its faces look: the hidden end of a steep ramp looks up more
// than its surface does.

/// How many contact points of w lie on the neighbour, which reaches farther along their normal?
/// They are of an edge of w that the neighbour covers.
/// @param first, count  which of them are looked at
static int covered_of(const flush_role *w, const flush_role *neighbour, int first, int count)
{
    const gmc_solid *cover = neighbour->own;
    double step = flush_step_of(&w->contact->pair), far = INFINITY;
    gmc_vec3 shift = gmc_vec3_sub(w->contact->origin, neighbour->contact->origin);
    int covered = 0;
    // along its normal alone a plane ends
    if (gmc_vec3_dot(w->out, neighbour->out) >= 1 - GMC_SEAM_SAME_NORMAL) return 0;
    if (cover->shape->type != GMC_SHAPE_PLANE)
        far = gmc_vec3_dot(w->out, gmc_shape_support(cover, w->out, NULL));
    for (int i = first; i < first + count; i++) {
        gmc_vec3 p = gmc_vec3_add(flush_place_on(w, i), shift);
        covered += far - gmc_vec3_dot(w->out, p) > step &&
                   gmc_point_solid(cover, p, -1, 0).distance <= step;
    }
    return covered;
}

static int covered_count(const flush_role *w, const flush_role *neighbour)
{
    return covered_of(w, neighbour, 0, w->contact->manifold.count);
}

/// How far a face reaches along a direction [m].
static double face_reach(const gmc_solid *solid, const flush_plane *f, gmc_vec3 dir)
{
    if (solid->shape->type == GMC_SHAPE_CYLINDER) {
        double along = gmc_vec3_dot(f->n, dir), across2 = 1 - along * along;
        double off = gmc_vec3_dot(f->n, solid->X.p);
        return gmc_vec3_dot(dir, solid->X.p) + along * (f->offset - off) +
               solid->shape->radius * sqrt(gmc_pair_max(across2, 0));
    }
    int count;
    const int *loop = gmc_shape_face_loop(solid, f->face, &count);
    double far = -INFINITY;
    for (int i = 0; i < count; i++)
        far = gmc_pair_max(far, gmc_vec3_dot(dir, gmc_shape_vertex(solid, loop[i])));
    return far;
}

/// How high the neighbour's surface is where o touches it, along its normal, in w's frame [m].
static double level_of(const flush_role *w, const flush_role *neighbour)
{
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    double level = -INFINITY;
    for (int i = 0; i < neighbour->contact->manifold.count; i++) {
        gmc_vec3 p = gmc_vec3_add(flush_place_on(neighbour, i), shift);
        level = gmc_pair_max(level, gmc_vec3_dot(neighbour->out, p));
    }
    return level;
}

static bool has_all_points(const flush_role *w, const flush_plane *f)
{
    double step = flush_step_of(&w->contact->pair);
    for (int i = 0; i < w->contact->manifold.count; i++)
        if (!(fabs(gmc_vec3_dot(f->n, flush_place_on(w, i)) - f->offset) <= step)) return false;
    return true;
}

/// The face of w on which o goes on: it has all contact points, rises above the neighbour's
/// surface, and o is in front of it. Of several the one along which w is met as it is, or nearly
/// so.
static flush_plane face_onwards(const flush_role *w, const flush_role *neighbour)
{
    double level = level_of(w, neighbour) + flush_step_of(&w->contact->pair);
    flush_plane best = {.face = -1};
    for (int k = 0; k < gmc_feature_face_count(w->own); k++) {
        flush_plane f = {.face = k};
        f.n = gmc_feature_face(w->own, k, &f.offset);
        if (best.face >= 0 && gmc_vec3_dot(gmc_vec3_sub(f.n, best.n), w->out) <= 0) continue;
        if (has_all_points(w, &f) && face_reach(w->own, &f, neighbour->out) > level &&
            flush_is_in_front(w, neighbour, &f))
            best = f;
    }
    return best;
}

/// Does w reach above its contact points, seen along the neighbour's normal?
static bool rises(const flush_role *w, const flush_role *neighbour)
{
    const gmc_manifold_point *point = &w->contact->manifold.points[0];
    gmc_vec3 far = gmc_shape_support(w->own, neighbour->out, NULL);
    return gmc_vec3_dot(neighbour->out, gmc_vec3_sub(far, point->p)) >
           flush_step_of(&w->contact->pair) + fabs(point->gap);
}

// ---- an edge of the other solid over the seam --------------------------------------------------

/// Is w deepest where the neighbour covers it?
static bool is_deepest_covered(const flush_role *w, const flush_role *neighbour)
{
    const gmc_manifold *of_w = &w->contact->manifold;
    int deepest = 0;
    for (int i = 1; i < of_w->count; i++)
        if (of_w->points[i].gap < of_w->points[deepest].gap) deepest = i;
    return covered_of(w, neighbour, deepest, 1) > 0;
}

/// Measure w and the neighbour along their faces that are flush, where an edge of the other solid
/// presses into both at their seam: each is met from beside there, as deep as its hidden edge lies
/// in the other solid. Of what presses by a pad, which is deep.
/// @return whether they were measured anew
static bool flush_settle_wedge(const flush_role *w, const flush_role *neighbour)
{
    if (!w->has_patch || !flush_is_flat(w->own->shape->type) ||
        gmc_vec3_dot(w->out, neighbour->out) >= FLUSH_LEVEL)
        return false;
    gmc_vec3 mean = gmc_vec3_add(w->out, neighbour->out);
    double length = gmc_vec3_norm(mean);
    if (!(length > 0)) return false;
    flush_plane f = flush_face_along(w->own, gmc_vec3_scale(1 / length, mean)),
                of_n = flush_face_along(neighbour->own, gmc_vec3_scale(1 / length, mean));
    if (f.face < 0 || of_n.face < 0 || gmc_vec3_dot(f.n, of_n.n) < 1 - GMC_SEAM_SAME_NORMAL)
        return false;
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    double out_of_line = of_n.offset + gmc_vec3_dot(of_n.n, shift) - f.offset;
    // both are met from beside the face
    if (!(fabs(out_of_line) <= flush_step_of(&w->contact->pair)) ||
        gmc_vec3_dot(f.n, w->out) >= FLUSH_LEVEL ||
        gmc_vec3_dot(f.n, neighbour->out) >= FLUSH_LEVEL || !is_deepest_covered(w, neighbour) ||
        !is_deepest_covered(neighbour, w))
        return false;
    flush_measure_along(w, &f, (gmc_vec3){0, 0, 0});
    flush_measure_along(neighbour, &of_n, (gmc_vec3){0, 0, 0});
    return true;
}

/// Measure w along the face on which o goes on, where w and its neighbour meet at an angle in a
/// line: a ramp and the floor at its foot, either of them. What comes over the face within the step
/// is met already: found when it is there, it would have dipped in. Where w falls away, as a ramp
/// behind a crest, it is not met.
/// @return whether it was measured anew
static bool flush_settle_at_edge(const flush_role *w, const flush_role *neighbour)
{
    if (!flush_is_flat(w->own->shape->type) || w->other->shape->type == GMC_SHAPE_PLANE)
        return false;
    int covered = covered_count(w, neighbour);
    if (covered == 0) return false;
    flush_plane f = face_onwards(w, neighbour);
    if (f.face >= 0) {
        gmc_vec3 way = flush_way_along(w, neighbour, &f);
        // along it already, it may lack what is to come: of a ball nothing
        if (gmc_vec3_dot(f.n, w->out) >= 1 - GMC_SEAM_SAME_NORMAL &&
            (w->other->shape->type == GMC_SHAPE_SPHERE || gmc_vec3_norm(way) == 0))
            return false;
        flush_measure_along(w, &f, way);
        return true;
    }
    if (covered < w->contact->manifold.count || w->has_patch ||
        gmc_vec3_dot(w->out, neighbour->out) >= FLUSH_LEVEL || rises(w, neighbour))
        return false;
    flush_drop(w);
    return true;
}

// ---- sets of geoms, and what is measured along which face --------------------------------------

/// The first geom of each body's set, -1: none yet; all that never moves is body 0's.
static int set_of(const gmc_model *model, int *first, int g)
{
    int body = model->geoms[g].body;
    if (gmc_model_is_static(model, body)) body = 0;
    if (first[body] < 0) first[body] = g;
    return first[body];
}

gmc_status gmc_flush_sets_create(const gmc_model *model, const int *entries, gmc_arena *arena,
                                 gmc_flush_sets *sets)
{
    size_t n = model->geom_count > 0 ? (size_t)model->geom_count : 1;
    int *first = GMC_NEW(arena, model->body_count, int);
    bool *has_flat = GMC_NEW(arena, n, bool);
    *sets = (gmc_flush_sets){.set = GMC_NEW(arena, n, int),
                             .is_many = GMC_NEW(arena, n, bool),
                             .head = GMC_NEW(arena, n, int)};
    if (!first || !has_flat || !sets->set || !sets->is_many || !sets->head) return GMC_E_ARENA_FULL;
    for (int b = 0; b < model->body_count; b++)
        first[b] = -1;
    for (int g = 0; g < model->geom_count; g++) {
        int set = sets->set[g] = set_of(model, first, g);
        has_flat[set] |= flush_is_flat(model->geoms[g].shape.type);
        sets->is_many[set] |= entries[g] != entries[set];
        sets->head[g] = -1;
    }
    for (int g = 0; g < model->geom_count; g++) {
        int set = sets->set[g];
        sets->is_many[g] = sets->is_many[set] && has_flat[set];
        sets->has_any |= sets->is_many[g];
    }
    sets->still = first[0];
    return GMC_OK;
}

static flush_role role_of(const gmc_flush_member *member, bool is_b)
{
    gmc_seam_member *contact = member->contact;
    const gmc_pair *pair = &contact->pair;
    gmc_vec3 n = contact->manifold.n;
    return is_b ? (flush_role){contact, &pair->b, &pair->a, true, false, gmc_vec3_neg(n)}
                : (flush_role){contact, &pair->a, &pair->b, false, false, n};
}

/// Do the neighbour's contact points lie in this plane (of w's frame), and is the other solid in
/// front of it?
static bool is_continued(const flush_role *w, const flush_role *neighbour, const flush_plane *f)
{
    double step = flush_step_of(&w->contact->pair);
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    for (int i = 0; i < neighbour->contact->manifold.count; i++) {
        gmc_vec3 p = gmc_vec3_add(flush_place_on(neighbour, i), shift);
        double away = gmc_vec3_dot(f->n, p) - f->offset;
        if (!(fabs(away) <= step)) return false;
    }
    return flush_is_in_front(w, neighbour, f);
}

/// Has the neighbour all contact points of w, with the same normal?
static bool is_repeated(const flush_role *w, const flush_role *neighbour)
{
    const gmc_manifold *of_w = &w->contact->manifold, *of_n = &neighbour->contact->manifold;
    double near = flush_step_of(&w->contact->pair);
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    for (int i = 0; i < of_w->count; i++) {
        bool is_found = false;
        for (int k = 0; k < of_n->count && !is_found; k++)
            is_found = gmc_vec3_norm(gmc_vec3_sub(gmc_vec3_add(of_n->points[k].p, shift),
                                                  of_w->points[i].p)) <= near;
        if (!is_found) return false;
    }
    return true;
}

/// How far the normal leans from that of the face that it belongs to (sine); 0: there is no face.
static double lean_of(const flush_role *r)
{
    flush_plane f = flush_face_along(r->own, r->out);
    return f.face < 0 ? 0 : gmc_vec3_norm(gmc_vec3_cross(f.n, r->out));
}

/// Measure w along the face that the neighbour continues, if it was not. What leans by a little has
/// the normal of the other solid's face, which sinks in deeper beside w than on it; that is as
/// good, unless the neighbour has its own face's: on one plate all would have that.
static bool settle_along(const flush_role *w, const flush_role *neighbour)
{
    if (!flush_is_flat(w->own->shape->type) || w->other->shape->type == GMC_SHAPE_PLANE)
        return false;
    flush_plane f = flush_face_along(w->own, neighbour->out);
    if (f.face < 0 || gmc_vec3_dot(f.n, neighbour->out) < FLUSH_LEVEL) return false;
    bool is_along = gmc_vec3_dot(f.n, w->out) >= 1 - GMC_SEAM_SAME_NORMAL;
    if (is_along &&
        (gmc_vec3_norm(gmc_vec3_cross(f.n, w->out)) <= EXACT || lean_of(neighbour) > EXACT))
        return false;
    if (!is_continued(w, neighbour, &f)) return false;
    bool is_level = gmc_vec3_dot(f.n, neighbour->out) >= 1 - GMC_SEAM_SAME_NORMAL;
    flush_measure_along(w, &f, is_level ? (gmc_vec3){0, 0, 0} : flush_way_along(w, neighbour, &f));
    return true;
}

/// Judge w beside one neighbour. @return whether it was measured anew
static bool settle(const flush_role *w, const flush_role *neighbour)
{
    if (settle_along(w, neighbour) || flush_settle_wedge(w, neighbour) ||
        flush_settle_at_edge(w, neighbour))
        return true;
    // of a face and an edge that is flush with it the face stays
    if (w->has_patch || gmc_vec3_dot(w->out, neighbour->out) < 1 - GMC_SEAM_SAME_NORMAL ||
        !is_repeated(w, neighbour) || lean_of(w) < lean_of(neighbour))
        return false;
    flush_drop(w);
    return true;
}

/// Are both members of what the same geom touches, and of different entries on the other side?
/// @param side  out: that of w and of n on which the set is
static bool share_other(const gmc_flush_member *w, const gmc_flush_member *n, bool side[2])
{
    for (int k = 0; k < 4; k++) {
        side[0] = k & 1;
        side[1] = k >> 1;
        if (w->geom[!side[0]] == n->geom[!side[1]] && w->entry[side[0]] != n->entry[side[1]])
            return true;
    }
    return false;
}

static bool is_of_same_sets(const gmc_flush_sets *sets, const gmc_flush_member *a,
                            const gmc_flush_member *b)
{
    int a0 = sets->set[a->geom[0]], a1 = sets->set[a->geom[1]], b0 = sets->set[b->geom[0]],
        b1 = sets->set[b->geom[1]];
    return (a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0);
}

/// Measure anew what has to be, one member after the other.
static void settle_list(const gmc_flush_sets *sets, const gmc_model *model,
                        const gmc_flush_member *members, int first)
{
    bool side[2];
    for (int i = first; i >= 0; i = members[i].next)
        for (int j = first; j >= 0 && members[i].contact->manifold.count > 0; j = members[j].next) {
            const gmc_flush_member *w = &members[i], *n = &members[j];
            if (i == j || n->contact->manifold.count == 0 || !is_of_same_sets(sets, w, n) ||
                !share_other(w, n, side))
                continue;
            flush_role of_w = role_of(w, side[0]), of_n = role_of(n, side[1]);
            of_w.has_patch = gmc_model_has_patch(model, w->geom[0], w->geom[1]);
            of_n.has_patch = gmc_model_has_patch(model, n->geom[0], n->geom[1]);
            if (settle(&of_w, &of_n)) break;
        }
}

// ---- flat contacts -----------------------------------------------------------------------------

/// Does a solid touch with a flat face, seen from its pair?
static bool touches_flat(const flush_role *r)
{
    flush_plane f = flush_face_along(r->own, r->out);
    if (f.face < 0 || gmc_vec3_dot(f.n, r->out) < 1 - GMC_SEAM_SAME_NORMAL) return false;
    return fabs(gmc_vec3_dot(f.n, flush_place_on(r, 0)) - f.offset) <=
           flush_step_of(&r->contact->pair);
}

/// Are the faces with which two members touch one plane, and is what happens there the same?
static bool is_one_flat(const gmc_flush_sets *sets, const gmc_model *model,
                        const gmc_flush_member *a, const gmc_flush_member *b)
{
    if (!b->is_single || b->is_reduced || b->contact->manifold.count == 0 ||
        !is_of_same_sets(sets, a, b))
        return false;
    bool is_turned = sets->set[a->geom[0]] != sets->set[b->geom[0]];
    for (int k = 0; k < 2; k++) {
        int geom_a = a->geom[k], geom_b = b->geom[is_turned ? 1 - k : k];
        flush_role of_a = role_of(a, k), of_b = role_of(b, is_turned ? !k : k);
        if (gmc_vec3_dot(of_a.out, of_b.out) < 1 - GMC_SEAM_SAME_NORMAL ||
            model->geoms[geom_a].surface != model->geoms[geom_b].surface ||
            (geom_a != geom_b && !(touches_flat(&of_a) && touches_flat(&of_b))))
            return false;
    }
    const gmc_manifold_point *on_a = a->contact->manifold.points,
                             *on_b = b->contact->manifold.points;
    gmc_vec3 shift = gmc_vec3_sub(b->contact->origin, a->contact->origin);
    gmc_vec3 between = gmc_vec3_sub(gmc_vec3_add(on_b->p, shift), on_a->p);
    double slack = 0.5 * (fabs(on_a->gap) + fabs(on_b->gap));
    return fabs(gmc_vec3_dot(a->contact->manifold.n, between)) <=
           flush_step_of(&a->contact->pair) + slack;
}

static void reduce_list(const gmc_flush_sets *sets, const gmc_model *model,
                        gmc_flush_member *members, int first)
{
    enum { FLAT_MAX = 256 };
    gmc_seam_member *flat[FLAT_MAX];
    for (int i = first; i >= 0; i = members[i].next) {
        const gmc_flush_member *m = &members[i];
        if (!m->is_single || m->is_reduced || m->contact->manifold.count == 0) continue;
        int count = 0;
        double size = m->contact->pair.size;
        flat[count++] = m->contact;
        for (int j = m->next; j >= 0 && count < FLAT_MAX; j = members[j].next) {
            if (!is_one_flat(sets, model, m, &members[j])) continue;
            members[j].is_reduced = true;
            size = gmc_pair_max(size, members[j].contact->pair.size);
            flat[count++] = members[j].contact;
        }
        // pads share an area each (coulomb_pad.c): their points stay
        if (count > 1 && !gmc_model_has_pad(model, m->geom[0], m->geom[1]))
            gmc_seam_reduce(flat, count, size, m->contact->pair.work);
    }
}

/// Members of the same sets are in one list, with others: that of a set that moves, as few touch
/// the same, and rather of one of many geoms.
static int list_of(const gmc_flush_sets *sets, const gmc_flush_member *m)
{
    int a = sets->set[m->geom[0]], b = sets->set[m->geom[1]];
    if (a == sets->still || b == sets->still) return a == sets->still ? b : a;
    if (sets->is_many[a] != sets->is_many[b]) return sets->is_many[a] ? a : b;
    return a > b ? a : b;
}

void gmc_flush_settle(const gmc_flush_sets *sets, const gmc_model *model, gmc_flush_member *members,
                      int count)
{
    // from the last to the first, so that the lists are in the members' order
    for (int k = count - 1; k >= 0; k--) {
        int *head = &sets->head[list_of(sets, &members[k])];
        members[k].is_reduced = false;
        members[k].next = *head;
        *head = k;
    }
    for (int k = 0; k < count; k++) {
        int *head = &sets->head[list_of(sets, &members[k])], first = *head;
        *head = -1;
        if (first < 0 || members[first].next < 0) continue;
        settle_list(sets, model, members, first);
        reduce_list(sets, model, members, first);
    }
}
