// Geoms that meet at an angle in a line. Which face of w goes on from there is told by where its
// contact points lie, not by where its faces look: the hidden end of a steep ramp looks up more
// than its surface does.
#include "engine/collision/feature.h"
#include "engine/collision/flush_internal.h"
#include "engine/collision/point.h"

/// How many contact points of w lie on the neighbour, which reaches farther along their normal?
/// They are of an edge of w that the neighbour covers.
/// @param first, count  which of them are looked at
static int covered_of(const gmc_flush_role *w, const gmc_flush_role *neighbour, int first,
                      int count)
{
    const gmc_solid *cover = neighbour->own;
    double step = gmc_flush_step_of(&w->contact->pair), far = INFINITY;
    gmc_vec3 shift = gmc_vec3_sub(w->contact->origin, neighbour->contact->origin);
    int covered = 0;
    // along its normal alone a plane ends
    if (gmc_vec3_dot(w->out, neighbour->out) >= 1 - GMC_FLUSH_SAME_NORMAL) return 0;
    if (cover->shape->type != GMC_SHAPE_PLANE)
        far = gmc_vec3_dot(w->out, gmc_shape_support(cover, w->out, NULL));
    for (int i = first; i < first + count; i++) {
        gmc_vec3 p = gmc_vec3_add(gmc_flush_place_on(w, i), shift);
        covered += far - gmc_vec3_dot(w->out, p) > step &&
                   gmc_point_solid(cover, p, -1, 0).distance <= step;
    }
    return covered;
}

static int covered_count(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    return covered_of(w, neighbour, 0, w->contact->manifold.count);
}

/// How far a face reaches along a direction [m].
static double face_reach(const gmc_solid *solid, const gmc_flush_plane *f, gmc_vec3 dir)
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
static double level_of(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    double level = -INFINITY;
    for (int i = 0; i < neighbour->contact->manifold.count; i++) {
        gmc_vec3 p = gmc_vec3_add(gmc_flush_place_on(neighbour, i), shift);
        level = gmc_pair_max(level, gmc_vec3_dot(neighbour->out, p));
    }
    return level;
}

static bool has_all_points(const gmc_flush_role *w, const gmc_flush_plane *f)
{
    double step = gmc_flush_step_of(&w->contact->pair);
    for (int i = 0; i < w->contact->manifold.count; i++)
        if (!(fabs(gmc_vec3_dot(f->n, gmc_flush_place_on(w, i)) - f->offset) <= step)) return false;
    return true;
}

/// The face of w on which o goes on: it has all contact points, rises above the neighbour's
/// surface, and o is in front of it. Of several the one along which w is met as it is, or nearly
/// so.
static gmc_flush_plane face_onwards(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    double level = level_of(w, neighbour) + gmc_flush_step_of(&w->contact->pair);
    gmc_flush_plane best = {.face = -1};
    for (int k = 0; k < gmc_feature_face_count(w->own); k++) {
        gmc_flush_plane f = {.face = k};
        f.n = gmc_feature_face(w->own, k, &f.offset);
        if (best.face >= 0 && gmc_vec3_dot(gmc_vec3_sub(f.n, best.n), w->out) <= 0) continue;
        if (has_all_points(w, &f) && face_reach(w->own, &f, neighbour->out) > level &&
            gmc_flush_is_in_front(w, neighbour, &f))
            best = f;
    }
    return best;
}

/// Does w reach above its contact points, seen along the neighbour's normal?
static bool rises(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    const gmc_manifold_point *point = &w->contact->manifold.points[0];
    gmc_vec3 far = gmc_shape_support(w->own, neighbour->out, NULL);
    return gmc_vec3_dot(neighbour->out, gmc_vec3_sub(far, point->p)) >
           gmc_flush_step_of(&w->contact->pair) + fabs(point->gap);
}

// ---- an edge of the other solid over the seam ---------------------------------------------------

/// Is w deepest where the neighbour covers it?
static bool is_deepest_covered(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    const gmc_manifold *of_w = &w->contact->manifold;
    int deepest = 0;
    for (int i = 1; i < of_w->count; i++)
        if (of_w->points[i].gap < of_w->points[deepest].gap) deepest = i;
    return covered_of(w, neighbour, deepest, 1) > 0;
}

bool gmc_flush_settle_wedge(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    if (!w->has_patch || !gmc_flush_is_flat(w->own->shape->type) ||
        gmc_vec3_dot(w->out, neighbour->out) >= GMC_FLUSH_LEVEL)
        return false;
    gmc_vec3 mean = gmc_vec3_add(w->out, neighbour->out);
    double length = gmc_vec3_norm(mean);
    if (!(length > 0)) return false;
    gmc_flush_plane f = gmc_flush_face_along(w->own, gmc_vec3_scale(1 / length, mean)),
                    of_n = gmc_flush_face_along(neighbour->own, gmc_vec3_scale(1 / length, mean));
    if (f.face < 0 || of_n.face < 0 || gmc_vec3_dot(f.n, of_n.n) < 1 - GMC_FLUSH_SAME_NORMAL)
        return false;
    gmc_vec3 shift = gmc_vec3_sub(neighbour->contact->origin, w->contact->origin);
    double out_of_line = of_n.offset + gmc_vec3_dot(of_n.n, shift) - f.offset;
    // both are met from beside the face
    if (!(fabs(out_of_line) <= gmc_flush_step_of(&w->contact->pair)) ||
        gmc_vec3_dot(f.n, w->out) >= GMC_FLUSH_LEVEL ||
        gmc_vec3_dot(f.n, neighbour->out) >= GMC_FLUSH_LEVEL || !is_deepest_covered(w, neighbour) ||
        !is_deepest_covered(neighbour, w))
        return false;
    gmc_flush_measure_along(w, &f, (gmc_vec3){0, 0, 0});
    gmc_flush_measure_along(neighbour, &of_n, (gmc_vec3){0, 0, 0});
    return true;
}

bool gmc_flush_settle_at_edge(const gmc_flush_role *w, const gmc_flush_role *neighbour)
{
    if (!gmc_flush_is_flat(w->own->shape->type) || w->other->shape->type == GMC_SHAPE_PLANE)
        return false;
    int covered = covered_count(w, neighbour);
    if (covered == 0) return false;
    gmc_flush_plane f = face_onwards(w, neighbour);
    if (f.face >= 0) {
        gmc_vec3 way = gmc_flush_way_along(w, neighbour, &f);
        // along it already, it may lack what is to come: of a ball nothing
        if (gmc_vec3_dot(f.n, w->out) >= 1 - GMC_FLUSH_SAME_NORMAL &&
            (w->other->shape->type == GMC_SHAPE_SPHERE || gmc_vec3_norm(way) == 0))
            return false;
        gmc_flush_measure_along(w, &f, way);
        return true;
    }
    if (covered < w->contact->manifold.count || w->has_patch ||
        gmc_vec3_dot(w->out, neighbour->out) >= GMC_FLUSH_LEVEL || rises(w, neighbour))
        return false;
    gmc_flush_drop(w);
    return true;
}
