// One contact along a face that others of its set have chosen.
#include "engine/collision/facing.h"
#include "engine/collision/feature.h"
#include "engine/collision/flush_internal.h"
#include "engine/collision/manifold.h"
#include "engine/collision/point.h"

/// The other solid dips at most this many times as deep beside the neighbour as on it: what it
/// presses with turns it a little about its points there.
#define DIP 2

bool gmc_flush_is_flat(gmc_shape_type type)
{
    return type == GMC_SHAPE_BOX || type == GMC_SHAPE_POLYTOPE || type == GMC_SHAPE_CYLINDER;
}

double gmc_flush_step_of(const gmc_pair *pair)
{
    return gmc_pair_min(GMC_FLUSH_STEP, GMC_FLUSH_SHARE * pair->size);
}

gmc_flush_plane gmc_flush_face_along(const gmc_solid *solid, gmc_vec3 out)
{
    int hint = 0;
    gmc_flush_plane f = {.face = gmc_feature_face_towards(solid, out, &hint)};
    if (f.face >= 0) f.n = gmc_feature_face(solid, f.face, &f.offset);
    return f;
}

bool gmc_flush_is_in_front(const gmc_flush_role *w, const gmc_flush_role *neighbour,
                           const gmc_flush_plane *f)
{
    const gmc_manifold *of_n = &neighbour->contact->manifold;
    double least = 0;
    for (int i = 0; i < of_n->count; i++)
        least = gmc_pair_min(least, of_n->points[i].gap);
    gmc_vec3 low = gmc_shape_support(w->other, gmc_vec3_neg(f->n), NULL);
    return gmc_vec3_dot(f->n, low) - f->offset >=
           DIP * least - gmc_flush_step_of(&w->contact->pair);
}

gmc_vec3 gmc_flush_place_on(const gmc_flush_role *r, int point)
{
    const gmc_manifold_point *at = &r->contact->manifold.points[point];
    return gmc_vec3_add_scaled(at->p, -0.5 * at->gap, r->out);
}

void gmc_flush_drop(const gmc_flush_role *w)
{
    w->contact->manifold.count = 0;
    gmc_manifold_remember(&w->contact->pair, &w->contact->manifold);
}

gmc_vec3 gmc_flush_way_along(const gmc_flush_role *w, const gmc_flush_role *neighbour,
                             const gmc_flush_plane *f)
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
static void meet_ball(const gmc_flush_role *w, const gmc_flush_plane *f, gmc_vec3 way)
{
    const gmc_solid *ball = w->other;
    gmc_pair *pair = &w->contact->pair;
    double height = gmc_vec3_dot(f->n, ball->X.p) - f->offset, radius = ball->shape->radius,
           gap = height - radius;
    gmc_vec3 below = gmc_vec3_add_scaled(gmc_vec3_add(ball->X.p, way), -height, f->n);
    if (!(gap <= pair->margin) ||
        !(gmc_point_solid(w->own, below, -1, 0).distance <= gmc_flush_step_of(pair)))
        return;
    gmc_vec3 p = gmc_vec3_add_scaled(ball->X.p, -(radius + 0.5 * gap), f->n);
    gmc_manifold_single(w->is_b ? gmc_vec3_neg(f->n) : f->n, p, gap, 0, &w->contact->manifold);
}

/// The same points and gaps with the face's normal n, on the face.
static void lay_on(const gmc_flush_role *w, const gmc_flush_plane *f, gmc_vec3 n)
{
    gmc_manifold *manifold = &w->contact->manifold;
    for (int i = 0; i < manifold->count; i++) {
        gmc_manifold_point *point = &manifold->points[i];
        gmc_vec3 p = gmc_flush_place_on(w, i);
        double off = f->offset - gmc_vec3_dot(f->n, p);
        point->p = gmc_vec3_add_scaled(p, off + 0.5 * point->gap, f->n);
    }
    manifold->n = n;
}

void gmc_flush_measure_along(const gmc_flush_role *w, const gmc_flush_plane *f, gmc_vec3 way)
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
    } else if (has_way) {
        gmc_facing_ahead(pair, n, face_a, face_b, w->is_b ? gmc_vec3_neg(way) : way, manifold);
    } else {
        gmc_facing_along(pair, n, face_a, face_b, manifold);
    }
    gmc_manifold_remember(pair, manifold);
}
