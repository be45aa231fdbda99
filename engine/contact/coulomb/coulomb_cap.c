// Balls on pads where their cap stands on an edge (cap.h), by the one contact that they have: its
// normal leans with the force, its gap is the depth where that is most, and shares of the whole
// cap's formulas (pad.h) are the force, its slope and what it stores. Where the whole cap is on the
// face that it presses on nothing is changed.
//
// The face is that which looks at the ball most. It goes on over those of the same rigid set that
// are flush with it and have no contact of their own with the ball (flush.h drops them at a seam;
// where both have one each bears what stands on it), and over facets that lean from it by less than
// 20 degrees: those of something curved bear a ball as one face.

#include "engine/collision/flush.h"
#include "engine/contact/coulomb/cap.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/pad.h"
#include "engine/contact/coulomb/patch.h"

#include <math.h>

/// Of a face that the ball presses on, and of a facet that goes on from it (cosines).
static const double FACING = 0.5, ALONG = 0.94;

/// One ball on a face.
typedef struct stand {
    gmc_coulomb_step *step;
    int contact;                     ///< that it will be
    const gmc_contact_point *points; ///< of the step: others that the ball has
    int point_count;
    int ball, owner; ///< geoms
    gmc_vec3 centre; ///< of the ball
    double radius;
    double reach; ///< of what of a face may count, about the place under the centre [m]
    gmc_patch_ground ground;
    gmc_cap_face faces[GMC_CAP_FACES];
    int face_count;
    bool is_full; ///< there are more
} stand;

static bool has_flat(gmc_shape_type type)
{
    return gmc_shape_has_faces(type) && type != GMC_SHAPE_PLANE;
}

/// A ball, and what may have an edge?
static bool is_ball_on_flat(const gmc_world *world, const gmc_contact_point *point, bool *is_b)
{
    gmc_shape_type a = world->model->geoms[point->geom_a].shape.type;
    gmc_shape_type b = world->model->geoms[point->geom_b].shape.type;
    *is_b = b == GMC_SHAPE_SPHERE;
    gmc_shape_type owner = *is_b ? a : b;
    return (a == GMC_SHAPE_SPHERE) != *is_b && (has_flat(owner) || owner == GMC_SHAPE_CYLINDER);
}

/// A face's corners about the place under the centre, as the stand's ground sees them.
static gmc_status lay_face(stand *s, const gmc_patch_ground *face)
{
    gmc_arena *arena = s->step->motion.scratch;
    size_t n = (size_t)face->count, mark = gmc_arena_mark(arena);
    double *x = GMC_ROOM(arena, 2 * n, double);
    if (!x) return GMC_E_ARENA_FULL;
    for (int i = 0; i < face->count; i++) {
        gmc_vec3 p = gmc_vec3_add_scaled(face->origin, face->corner_x[i], face->x);
        p = gmc_vec3_add_scaled(p, face->corner_y[i], face->y);
        p = gmc_vec3_sub(p, s->centre);
        x[i] = gmc_vec3_dot(p, s->ground.x);
        x[n + (size_t)i] = gmc_vec3_dot(p, s->ground.y);
    }
    gmc_cap_face made = {face->count, x, x + n};
    if (s->face_count == GMC_CAP_FACES || gmc_cap_nearest(&made, 1).away > s->reach) {
        s->is_full = s->face_count == GMC_CAP_FACES;
        gmc_arena_reset(arena, mark);
        return GMC_OK;
    }
    s->faces[s->face_count++] = made;
    return GMC_OK;
}

/// Faces of a geom that go on from the ground.
/// @param except  not this one
static gmc_status lay_faces(stand *s, int geom, int except)
{
    gmc_solid solid = gmc_world_solid(s->step->motion.world, geom);
    bool is_mesh = solid.shape->type == GMC_SHAPE_POLYTOPE &&
                   s->step->motion.world->model->geoms[s->owner].shape.type == GMC_SHAPE_POLYTOPE;
    double flush = fmin(GMC_FLUSH_STEP, GMC_FLUSH_SHARE * s->radius);
    int count = has_flat(solid.shape->type) ? gmc_shape_face_count(&solid) : 2;
    for (int f = 0; f < count; f++) {
        gmc_vec3 n = gmc_patch_face_normal(&solid, f);
        double along = gmc_vec3_dot(n, s->ground.n), slack = flush;
        if (f == except || along < (is_mesh ? ALONG : 1 - GMC_FLUSH_SAME_NORMAL)) continue;
        if (is_mesh) slack += s->reach * sqrt(fmax(1 - along * along, 0));
        gmc_patch_ground face;
        size_t mark = gmc_arena_mark(s->step->motion.scratch);
        GMC_TRY(gmc_patch_lay_ground(&solid, f, s->centre, s->step->motion.scratch, &face));
        double height = gmc_vec3_dot(s->ground.n, gmc_vec3_sub(s->centre, s->ground.origin));
        double above = gmc_vec3_dot(n, gmc_vec3_sub(s->centre, face.origin)) / along;
        if (fabs(above - height) <= slack || (except >= 0 && is_mesh))
            GMC_TRY(lay_face(s, &face));
        else
            gmc_arena_reset(s->step->motion.scratch, mark);
    }
    return GMC_OK;
}

/// Has a geom a contact of its own with the ball?
static bool has_point(const stand *s, int geom)
{
    for (int i = 0; i < s->point_count; i++) {
        const gmc_contact_point *p = &s->points[i];
        if ((p->geom_a == s->ball && p->geom_b == geom) ||
            (p->geom_b == s->ball && p->geom_a == geom))
            return true;
    }
    return false;
}

static gmc_status lay_neighbours(stand *s)
{
    const gmc_world *world = s->step->motion.world;
    const gmc_model *model = world->model;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        bool is_round = geom->shape.type == GMC_SHAPE_CYLINDER;
        if (g == s->owner || g == s->ball || !(has_flat(geom->shape.type) || is_round) ||
            !gmc_model_is_one_body(model, geom->body, model->geoms[s->owner].body) ||
            !gmc_model_has_pad(model, g, s->ball))
            continue;
        gmc_vec3 middle = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
        middle = gmc_pose_apply(&world->kin.X_wb[geom->body], middle);
        double far = gmc_vec3_norm(gmc_vec3_sub(middle, s->centre));
        if (far > gmc_shape_radius(&geom->shape) + s->radius + s->reach || has_point(s, g))
            continue;
        GMC_TRY(lay_faces(s, g, -1));
    }
    return GMC_OK;
}

static double cap_ahead(const gmc_coulomb_step *step, const gmc_contact_point *point)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    gmc_twist V = gmc_twist_add_scaled(world->kin.V[geoms[point->geom_b].body], -1,
                                       world->kin.V[geoms[point->geom_a].body]);
    return step->motion.h * gmc_vec3_dot(point->n, gmc_twist_at(&V, point->p));
}

/// Shares of one bed, in a record behind the others.
/// @param depth  where the cap is deepest [m]
/// @param slope_at  where the spring has its slope [m]
static gmc_status record(const stand *s, gmc_cap_near near, double depth, double slope_at,
                         gmc_pad_part part, gmc_cap_share *now)
{
    gmc_coulomb_step *step = s->step;
    gmc_arena *arena = step->motion.scratch;
    const gmc_cap cap = {s->faces, s->face_count, s->radius, near};
    gmc_cap_share ahead;
    GMC_TRY(gmc_cap_integrate(&cap, slope_at, arena, &ahead));
    *now = ahead;
    if (depth > 0 && depth != slope_at) GMC_TRY(gmc_cap_integrate(&cap, depth, arena, now));
    bool is_borne = now->force > 0 && ahead.slope > 0;
    step->caps[step->cap_count++] = (gmc_coulomb_cap){
        .contact = s->contact,
        .part = part,
        .radius = s->radius,
        .force = now->force,
        .slope = ahead.slope,
        .deeper = 1,
        .stored = is_borne ? now->stored * now->slope / (now->force * now->force) : 1};
    return GMC_OK;
}

/// The ball, the face and what goes on from it. @return in s->face_count: 0 if the cap is whole
static gmc_status open_stand(stand *s, const gmc_contact_point *point, bool is_b, double deepest)
{
    const gmc_world *world = s->step->motion.world;
    gmc_solid ball = gmc_world_solid(world, s->ball), owner = gmc_world_solid(world, s->owner);
    double cosine;
    int face = gmc_patch_face(&owner, is_b ? point->n : gmc_vec3_neg(point->n), &cosine);
    if (!(cosine > FACING)) return GMC_OK;
    s->centre = ball.X.p;
    s->radius = ball.shape->radius;
    GMC_TRY(gmc_patch_lay_ground(&owner, face, s->centre, s->step->motion.scratch, &s->ground));
    s->reach = sqrt(2 * s->radius * deepest);
    double reach = s->reach;
    s->reach = INFINITY;
    GMC_TRY(lay_face(s, &s->ground));
    s->reach = reach;
    bool is_end = owner.shape->type == GMC_SHAPE_CYLINDER;
    if (gmc_cap_is_whole(&s->faces[0], reach)) {
        s->face_count = is_end; // its radius is the ball's
        return GMC_OK;
    }
    double away = gmc_cap_nearest(&s->faces[0], 1).away;
    s->reach = sqrt(reach * reach + away * away);
    GMC_TRY(lay_faces(s, s->owner, face));
    return lay_neighbours(s);
}

/// The contact where the force acts.
static void lean(const stand *s, const gmc_cap_share *share, bool is_b, double depth,
                 gmc_contact_point *point)
{
    gmc_vec3 out = gmc_vec3_add_scaled(s->ground.n, share->lean_x, s->ground.x);
    out = gmc_vec3_unit(gmc_vec3_add_scaled(out, share->lean_y, s->ground.y));
    point->n = is_b ? out : gmc_vec3_neg(out);
    point->p = gmc_vec3_add_scaled(s->centre, 0.5 * depth - s->radius, out);
    point->gap = -depth;
}

static gmc_status cut(stand *s, gmc_contact_point *point, bool is_b, const gmc_surface_extra *pad)
{
    double shallow = GMC_PAD_SHALLOW * pad->pad_edge, ahead = cap_ahead(s->step, point);
    gmc_cap_near near = gmc_cap_nearest(s->faces, s->face_count);
    if (s->is_full || !(near.away < s->radius)) return GMC_OK;
    double height = gmc_vec3_dot(s->ground.n, gmc_vec3_sub(s->centre, s->ground.origin));
    double depth = sqrt(s->radius * s->radius - near.away * near.away) - height;
    bool is_touching = point->gap < 0 && depth > 0;
    double gap = is_touching ? -depth : fmax(point->gap, 0);
    gmc_cap_share share;
    double slope_at = fmax(fmax(-gap, -gap - ahead), shallow);
    GMC_TRY(record(s, near, -gap, slope_at, GMC_PAD_LAYER, &share));
    if (is_touching && share.force > 0) lean(s, &share, is_b, depth, point);
    if (!(pad->pad_firm > 0)) return GMC_OK;
    gap += pad->pad_firm_at;
    slope_at = fmax(fmax(-gap, -gap - ahead), shallow);
    return record(s, near, -gap, slope_at, GMC_PAD_FIRM, &share);
}

gmc_status gmc_coulomb_cap_find(gmc_coulomb_step *step, gmc_contact_point *points, int count,
                                int at, int contact)
{
    const gmc_world *world = step->motion.world;
    const gmc_geom *geoms = world->model->geoms;
    gmc_contact_point *point = &points[at];
    bool is_b;
    if (!is_ball_on_flat(world, point, &is_b) ||
        !gmc_model_has_pad(world->model, point->geom_a, point->geom_b))
        return GMC_OK;
    stand s = {.step = step,
               .contact = contact,
               .points = points,
               .point_count = count,
               .ball = is_b ? point->geom_b : point->geom_a,
               .owner = is_b ? point->geom_a : point->geom_b};
    const gmc_surface_law *law =
        gmc_model_law(world->model, geoms[point->geom_a].surface, geoms[point->geom_b].surface);
    double depth = fmax(-point->gap, 0), ahead = cap_ahead(step, point);
    double deepest = fmax(fmax(depth, -point->gap - ahead), GMC_PAD_SHALLOW * law->extra->pad_edge);
    size_t mark = gmc_arena_mark(step->motion.scratch);
    GMC_TRY(open_stand(&s, point, is_b, deepest));
    if (s.face_count > 0) GMC_TRY(cut(&s, point, is_b, law->extra));
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

static void share(const gmc_coulomb_cap *cap, gmc_contact *contact)
{
    gmc_contact_extra *extra = contact->extra;
    extra->radius = cap->radius;
    if (gmc_pad_part_of(contact->point.feature) != cap->part) return;
    extra->cap_force = cap->force;
    extra->cap_slope = cap->slope;
    extra->cap_stored = cap->stored;
    extra->cap_deeper = cap->deeper;
    if (!(cap->patch > 0)) return;
    extra->patch = cap->patch;
    extra->torsion = contact->law.extra->torsion + contact->law.friction * cap->spin;
    contact->point.gap = cap->gap;
}

void gmc_coulomb_cap_share(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (int i = 0; i < step->cap_count; i++) {
        const gmc_coulomb_cap *cap = &step->caps[i];
        const gmc_contact_point *first = &set->contacts[cap->contact].point;
        for (int c = cap->contact; c < set->count; c++) {
            gmc_contact *contact = &set->contacts[c];
            if (contact->point.geom_a != first->geom_a || contact->point.geom_b != first->geom_b)
                break;
            share(cap, contact);
        }
    }
}
