// Both lists stand in the collider's order (geom_a, geom_b, feature), so one merge finds all pairs.
//
// A deflection is kept as a vector in body a's frame: when both bodies turn together it turns with
// them and its force keeps its direction relative to the hand. The normal moves a little against
// body a (rolling, another reference face); then the deflection is laid into the new tangent plane
// with its length kept. Projecting alone would bleed a little force at every step: measured as
// creep. What is anchored keeps all of the vector, with its normal part, and nothing bleeds.
#include "engine/contact/contact.h"

#include "engine/base/check.h"
#include "engine/collision/shape.h"
#include "engine/math/elementary.h"

gmc_status gmc_contact_set_create(int capacity, gmc_arena *arena, gmc_contact_set *set)
{
    gmc_contact_set made = {.capacity = capacity};
    // written in full by the step that counts them
    made.contacts = GMC_ROOM(arena, capacity, gmc_contact);
    made.previous = GMC_ROOM(arena, capacity, gmc_contact);
    made.extras = GMC_ROOM(arena, capacity, gmc_contact_extra);
    made.previous_extras = GMC_ROOM(arena, capacity, gmc_contact_extra);
    if (!made.contacts || !made.previous || !made.extras || !made.previous_extras)
        return GMC_E_ARENA_FULL;
    *set = made;
    return GMC_OK;
}

static void exchange(gmc_contact_set *set)
{
    gmc_contact *contacts = set->contacts;
    gmc_contact_extra *extras = set->extras;
    int count = set->count;
    set->extras = set->previous_extras;
    set->previous_extras = extras;
    set->contacts = set->previous;
    set->count = set->previous_count;
    set->previous = contacts;
    set->previous_count = count;
}

static bool is_same(const gmc_contact_point *a, const gmc_contact_point *b)
{
    return a->feature == b->feature && a->geom_b == b->geom_b && a->geom_a == b->geom_a;
}

static void open_contact(gmc_contact *contact, const gmc_model *model,
                         const gmc_contact_point *point)
{
    const gmc_geom *a = &model->geoms[point->geom_a], *b = &model->geoms[point->geom_b];
    contact->point = *point;
    contact->body_a = a->body;
    contact->body_b = b->body;
    contact->dir[0] = point->n;
    if (gmc_shape_is_planar(a->shape.type)) {
        contact->dir[1] = (gmc_vec3){-point->n.y, point->n.x, 0};
        contact->dir[2] = (gmc_vec3){0, 0, 1};
    } else {
        gmc_vec3_tangents(point->n, &contact->dir[1], &contact->dir[2]);
    }
    contact->law = *gmc_model_law(model, a->surface, b->surface);
    contact->law.stiffness *= 1 + point->excess;
    contact->deflection[0] = contact->deflection[1] = 0;
    contact->deflection_a = (gmc_vec3){0, 0, 0};
    contact->impulse[0] = contact->impulse[1] = contact->impulse[2] = 0;
    contact->moment = 0;
    contact->arm = 0;
    contact->mode = GMC_CONTACT_OPEN;
    contact->place_b = (gmc_vec3){0, 0, 0};
    contact->is_anchored = false;
    contact->is_new = true;
    contact->sunk = 0;
    contact->drop = (gmc_vec3){0, 0, 0};
    contact->gap_due = HUGE_VAL;
    contact->inverse_mass = contact->mobility = 0;
    contact->approach = 0;
    contact->is_impact = false;
    contact->is_struck = false;
    contact->extra = NULL;
}

/// Direction of the grain in the world; of two geoms with the surface that has it, a's counts.
static gmc_vec3 grain_direction(const gmc_contact *contact, const gmc_model *model,
                                const gmc_pose *X_wb)
{
    const gmc_surface_extra *extra = contact->law.extra;
    const gmc_geom *geom = &model->geoms[contact->point.geom_a];
    if (geom->surface != extra->grain_surface) geom = &model->geoms[contact->point.geom_b];
    gmc_vec3 grain = extra->grain;
    if (geom->frame >= 0) grain = gmc_mat3_apply(&model->frames[geom->frame].X_bf.R, grain);
    return gmc_mat3_apply(&X_wb[geom->body].R, grain);
}

/// Tangents along and across the grain, and how friction along each compares with the larger.
static void lay_grain(gmc_contact *contact, gmc_vec3 grain)
{
    // a grain that stands on the surface has no direction in it: friction is as along it
    static const double STEEPEST = 1e-3;
    gmc_vec3 n = contact->dir[0];
    gmc_vec3 flat = gmc_vec3_add_scaled(grain, -gmc_vec3_dot(grain, n), n);
    double length = gmc_vec3_norm(flat), ratio = contact->law.extra->across_ratio;
    if (!(length > STEEPEST)) return;
    contact->dir[1] = gmc_vec3_scale(1 / length, flat);
    contact->dir[2] = gmc_vec3_cross(n, contact->dir[1]);
    double larger = fmax(1, ratio);
    contact->extra->scale[0] = 1 / larger;
    contact->extra->scale[1] = ratio / larger;
    contact->law.friction *= larger;
    for (int i = 0; i < 2; i++)
        contact->extra->inverse[i] =
            contact->extra->scale[i] > 0 ? 1 / contact->extra->scale[i] : 0;
}

static void open_extra(gmc_contact *contact, const gmc_model *model, const gmc_pose *X_wb,
                       gmc_contact_extra *extra)
{
    *extra = (gmc_contact_extra){
        .scale = {1, 1}, .inverse = {1, 1}, .beside = 1, .torsion = contact->law.extra->torsion};
    contact->extra = extra;
    if (contact->law.extra->has_grain) lay_grain(contact, grain_direction(contact, model, X_wb));
}

static void inherit_impulse(gmc_contact *contact, const gmc_contact *before)
{
    gmc_vec3 r = gmc_vec3_scale(before->impulse[1], before->dir[1]);
    r = gmc_vec3_add_scaled(r, before->impulse[2], before->dir[2]);
    contact->impulse[0] = before->impulse[0];
    contact->impulse[1] = gmc_vec3_dot(r, contact->dir[1]);
    contact->impulse[2] = gmc_vec3_dot(r, contact->dir[2]);
}

/// Moment and turn, carried as impulse and deflection are.
static void inherit_extra(gmc_contact *contact, const gmc_contact *before)
{
    const gmc_contact_extra *from = before->extra;
    if (!from) return;
    contact->extra->energy = from->energy;
    contact->extra->turn_a = from->turn_a;
    contact->extra->has_tilt = from->has_tilt;
    contact->extra->R_ab = from->R_ab;
    gmc_vec3 m = gmc_vec3_scale(from->moment[0], before->dir[0]);
    for (int i = 1; i < 3; i++)
        m = gmc_vec3_add_scaled(m, from->moment[i], before->dir[i]);
    for (int i = 0; i < 3; i++)
        contact->extra->moment[i] = gmc_vec3_dot(m, contact->dir[i]);
}

static void inherit_deflection(gmc_contact *contact, const gmc_contact *before,
                               const gmc_mat3 *R_wa)
{
    // what is lost with a normal that moved this little is below rounding: the usual case
    static const double UNMOVED = 1e-17;
    gmc_vec3 d = gmc_mat3_apply(R_wa, before->deflection_a);
    double t1 = gmc_vec3_dot(d, contact->dir[1]), t2 = gmc_vec3_dot(d, contact->dir[2]);
    double flat2 = t1 * t1 + t2 * t2, normal = gmc_vec3_dot(d, contact->dir[0]);
    contact->deflection_a = before->deflection_a;
    if (flat2 == 0) return; // none, or along the new normal: nothing tangential to keep
    if (!before->is_anchored && normal * normal > UNMOVED * flat2) {
        double scale = sqrt(1 + normal * normal / flat2);
        t1 *= scale;
        t2 *= scale;
    }
    contact->deflection[0] = t1;
    contact->deflection[1] = t2;
}

static void inherit(gmc_contact *contact, const gmc_contact *before, const gmc_mat3 *R_wa)
{
    contact->mode = before->mode;
    contact->place_b = before->place_b;
    contact->is_anchored = before->is_anchored;
    contact->is_new = false;
    contact->sunk = before->sunk;
    contact->drop = before->drop;
    contact->gap_due = before->gap_due;
    contact->arm = before->arm;
    contact->inverse_mass = before->inverse_mass;
    contact->mobility = before->mobility;
    contact->approach = before->approach;
    inherit_impulse(contact, before);
    inherit_deflection(contact, before, R_wa);
    if (contact->extra) inherit_extra(contact, before);
}

// ---- from geom to geom -------------------------------------------------------------------------
//
// What is held where two geoms of a body, or of bodies that never move, are flush is on one of
// them, and an instant later on the other. It is the same contact: it sticks where it stuck. Taken
// as new it forgot its deflection each time: a ball in a padded hand that shakes slipped by 5.6 mm
// in 3 s on two boxes, by 0.5 mm on one.

static bool is_still_there(const gmc_contact_set *set, const gmc_contact_point *point)
{
    int low = 0, high = set->count;
    while (low < high) {
        int middle = (low + high) / 2,
            order = gmc_contact_compare(&set->contacts[middle].point, point);
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/// Would two contacts be one, if the geoms were?
static bool is_alike(const gmc_model *model, const gmc_contact *a, const gmc_contact *b)
{
    static const double LEAN = 0.1; // what rolls turns its normal [rad²/2]
    const gmc_geom *geoms = model->geoms;
    const gmc_contact_point *p = &a->point, *q = &b->point;
    return gmc_model_is_one_body(model, a->body_a, b->body_a) &&
           gmc_model_is_one_body(model, a->body_b, b->body_b) &&
           (p->geom_a != q->geom_a || p->geom_b != q->geom_b) &&
           geoms[p->geom_a].surface == geoms[q->geom_a].surface &&
           geoms[p->geom_b].surface == geoms[q->geom_b].surface &&
           gmc_pad_part_of(p->feature) == gmc_pad_part_of(q->feature) &&
           gmc_vec3_dot(a->dir[0], b->dir[0]) >= 1 - LEAN;
}

/// The nearest new contact that would be this one, which is no more; NULL: none.
static gmc_contact *successor(const gmc_contact_set *set, const gmc_model *model,
                              const gmc_pose *X_wb, const gmc_contact *before)
{
    static const double NEAR = 0.3; // of the radius of the smaller of the geoms, in a step
    gmc_vec3 place = gmc_pose_apply(&X_wb[before->body_b], before->place_b);
    double nearest = INFINITY;
    gmc_contact *found = NULL;
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        if (!contact->is_new || !is_alike(model, contact, before)) continue;
        const gmc_geom *a = &model->geoms[contact->point.geom_a],
                       *b = &model->geoms[contact->point.geom_b];
        double away = gmc_vec3_norm(gmc_vec3_sub(contact->point.p, place));
        double size = gmc_min(gmc_shape_radius(&a->shape), gmc_shape_radius(&b->shape));
        if (!(away < nearest && away <= NEAR * size)) continue;
        nearest = away;
        found = contact;
    }
    return found;
}

/// What a contact knows in the frames of its bodies, in those of the contact that takes over.
/// @param extra  room for its extras
static gmc_contact told_in(const gmc_contact *before, const gmc_contact *contact,
                           const gmc_pose *X_wb, gmc_contact_extra *extra)
{
    gmc_contact told = *before;
    gmc_pose a = gmc_pose_relative(&X_wb[contact->body_a], &X_wb[before->body_a]);
    gmc_pose b = gmc_pose_relative(&X_wb[contact->body_b], &X_wb[before->body_b]);
    told.place_b = gmc_pose_apply(&b, before->place_b);
    told.deflection_a = gmc_mat3_apply(&a.R, before->deflection_a);
    if (!before->extra) return told;
    told.extra = extra;
    *extra = *before->extra;
    gmc_mat3 b_back = gmc_mat3_transpose(&b.R);
    extra->turn_a = gmc_mat3_apply(&a.R, extra->turn_a);
    extra->R_ab = gmc_mat3_multiply(&a.R, &extra->R_ab);
    extra->R_ab = gmc_mat3_multiply(&extra->R_ab, &b_back);
    return told;
}

static void hand_over(gmc_contact_set *set, const gmc_model *model, const gmc_pose *X_wb)
{
    for (int i = 0; i < set->previous_count; i++) {
        const gmc_contact *before = &set->previous[i];
        bool is_of_patch = before->extra && before->extra->ground != 0; // it moves over seams
        if (!(before->impulse[0] > 0) || is_of_patch || is_still_there(set, &before->point))
            continue;
        gmc_contact *contact = successor(set, model, X_wb, before);
        if (!contact) continue;
        bool is_same_frame = contact->body_a == before->body_a && contact->body_b == before->body_b;
        gmc_contact_extra extra;
        gmc_contact told = is_same_frame ? *before : told_in(before, contact, X_wb, &extra);
        inherit(contact, &told, &X_wb[contact->body_a].R);
    }
}

// ---- from step to step -------------------------------------------------------------------------

void gmc_contact_set_match(gmc_contact_set *set, const gmc_model *model, const gmc_pose *X_wb,
                           const gmc_contact_point *points, int count)
{
    GMC_ASSERT(count <= set->capacity);
    exchange(set);
    set->count = count;
    const gmc_contact *before = set->previous, *end = set->previous + set->previous_count;
    bool has_new = false;
    for (int i = 0; i < count; i++) {
        GMC_ASSERT(i == 0 || gmc_contact_compare(&points[i - 1], &points[i]) < 0);
        gmc_contact *contact = &set->contacts[i];
        open_contact(contact, model, &points[i]);
        if (contact->law.extra) open_extra(contact, model, X_wb, &set->extras[i]);
        bool is_known = before < end && is_same(&before->point, &points[i]); // mostly
        while (!is_known && before < end && gmc_contact_compare(&before->point, &points[i]) <= 0) {
            is_known = is_same(&before->point, &points[i]);
            if (!is_known) before++;
        }
        if (!is_known) {
            has_new = true;
            continue;
        }
        inherit(contact, before, &X_wb[contact->body_a].R);
        before++; // mostly the next one is the next one
    }
    if (has_new) hand_over(set, model, X_wb);
}

/// A contact point that is found later may be so many times as deep as those that are known: bodies
/// that start askew are deepest at one end. With 1 such starts on several plates or pieces left at
/// 0.2 to 1 m/s, with 10 at 0.01 to 0.06 m/s (three of them).
static const double DEEPER = 10;

/// Does any contact of the step before have overlap to give back? Mostly none has.
static bool has_sunk(const gmc_contact_set *set)
{
    for (int i = 0; i < set->previous_count; i++)
        if (set->previous[i].sunk > 0) return true;
    return false;
}

/// Most that any contact between the same two bodies was sunk in the step before. What stands on
/// several pieces or plates goes from the points of one to those of another.
static double sunk_before(const gmc_contact_set *set, const gmc_contact *contact)
{
    double most = 0;
    for (int i = 0; i < set->previous_count; i++) {
        const gmc_contact *before = &set->previous[i];
        if (before->body_a == contact->body_a && before->body_b == contact->body_b)
            most = fmax(most, before->sunk);
    }
    return most;
}

void gmc_contact_set_sink(gmc_contact_set *set, bool is_start)
{
    if (!is_start && !has_sunk(set)) return;
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        double overlap = contact->point.gap < 0 ? -contact->point.gap : 0;
        if (contact->extra && contact->extra->ground != 0) continue; // coulomb_pad.c's
        if (is_start)
            contact->sunk = overlap;
        else if (contact->is_new && overlap > 0)
            contact->sunk = fmin(overlap, DEEPER * sunk_before(set, contact));
    }
}

void gmc_contact_set_float(gmc_contact_set *set, double h)
{
    for (int c = 0; c < set->count; c++)
        set->contacts[c].sunk = gmc_contact_floated(set->contacts[c].sunk, h);
}

void gmc_contact_set_restore(gmc_contact_set *set)
{
    exchange(set);
    set->previous_count = 0;
}

// ---- what a deflection gets of a contact's path ------------------------------------------------
// Where a contact took hold of its bodies' material, and what of its path its deflection gets.

/// Square of the smallest distance of a contact from the mass centre of a body that it touches and
/// that may move [m²].
static double arm2_of(const gmc_model *model, const gmc_kinematics *kin, const gmc_contact *contact)
{
    const int bodies[2] = {contact->body_a, contact->body_b};
    double arm2 = HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        if (gmc_model_is_static(model, bodies[i])) continue;
        gmc_vec3 arm = gmc_vec3_sub(contact->point.p, kin->com_w[bodies[i]]);
        double size2 = gmc_vec3_dot(arm, arm);
        if (size2 < arm2) arm2 = size2;
    }
    return arm2;
}

/// Is there a direction without any friction?
static bool slides_freely(const gmc_contact *contact)
{
    return contact->extra && (contact->extra->scale[0] == 0 || contact->extra->scale[1] == 0);
}

// What sticks is anchored to the material that it touched, while its point stays within STAY of
// there: its deflection is then a function of how the bodies stand, and comes back with them. Point
// by point, or laid into tangent planes that tilt, it would be that of a ball that rolls, and what
// rocks and shifts a little in turns would wind it up by the area of such loops (measured: 2e-7 m a
// minute at 8 ms).
//
// Of a patch on a pad points move with its region: of a wedge that rocks in a grip by 0.1 mm and
// more. What sticks moves as one, so the deflection where a point goes is known from how far the
// bodies have turned since they stuck. Taken along from where it was, wedges crept by 4e-7 m a
// minute at 4 ms. A can rocks by 10 mrad on soft pads: taken to roll from 5 mrad on, it crept by
// 3e-6 m and 2e-4 rad in 10 s.

/// An anchored point of a patch to where it is now. @return false: it rolls
static bool carry_anchor(const gmc_kinematics *kin, const gmc_mat3 *R_ab, gmc_contact *contact)
{
    static const double TURN = 2e-2; // what rolls so far slips by 7e-5 of it [rad]
    gmc_mat3 more;
    for (int i = 0; i < 9; i++) {
        more.m[i] = R_ab->m[i] - contact->extra->R_ab.m[i];
        if (!(fabs(more.m[i]) <= TURN)) return false;
    }
    gmc_vec3 place = gmc_pose_apply_inverse(&kin->X_wb[contact->body_b], contact->point.p);
    gmc_vec3 by = gmc_mat3_apply(&more, gmc_vec3_sub(place, contact->place_b));
    gmc_vec3 by_w = gmc_mat3_apply(&kin->X_wb[contact->body_a].R, by);
    contact->place_b = place;
    contact->deflection_a = gmc_vec3_add(contact->deflection_a, by);
    for (int i = 0; i < 2; i++)
        contact->deflection[i] += gmc_vec3_dot(contact->dir[i + 1], by_w);
    return true;
}

/// Mean over a step of the distance along the normal that material leaves what rolls by, as a share
/// of that at its end: on an arc of an angle x it is (x - sin x) / (x (1 - cos x)), a third of
/// small ones. With half of it a ball that rolls slips by h² w²/12 of its way.
static double rise_by(double angle)
{
    static const double ANGLE_MAX = 2; // a turn comes back to where it was [rad]
    double x2 = angle * angle;
    if (x2 < 0.01) return (1 + x2 / 30) / 3; // to 1e-7
    if (angle > ANGLE_MAX) angle = ANGLE_MAX;
    return (angle - gmc_sin(angle)) / (angle * (1 - gmc_cos(angle)));
}

void gmc_contact_follow(const gmc_model *model, const gmc_kinematics *kin, double h, bool by_arc,
                        gmc_contact *contact)
{
    static const double JUMP = 4;    // times that: a contact at the end of a body has a shorter arm
    static const double STAY = 5e-3; // of the arm: what rolls so far slips by 4e-6 of it
    const gmc_pose *X_wa = &kin->X_wb[contact->body_a], *X_wb = &kin->X_wb[contact->body_b];
    gmc_vec3 place = gmc_pose_apply(X_wb, contact->place_b);
    gmc_vec3 way = gmc_vec3_sub(contact->point.p, place);
    double way2 = gmc_vec3_dot(way, way), arm2 = arm2_of(model, kin, contact);
    bool is_closed = contact->impulse[0] > 0; // else: no deflection
    bool is_patch = contact->extra && contact->extra->ground != 0;
    bool sticks = is_closed && contact->mode == GMC_CONTACT_STICK && !slides_freely(contact);
    gmc_mat3 R_ab = {{0}};
    if (is_patch) R_ab = gmc_pose_relative(X_wa, X_wb).R;
    if (is_patch && contact->is_anchored)
        contact->is_anchored = sticks && carry_anchor(kin, &R_ab, contact);
    else
        contact->is_anchored = sticks && way2 <= STAY * STAY * arm2;
    if (contact->is_anchored) return;
    if (is_patch) contact->extra->R_ab = R_ab;
    contact->place_b = gmc_pose_apply_inverse(X_wb, contact->point.p);
    gmc_vec3 w = gmc_vec3_sub(kin->V[contact->body_b].w, kin->V[contact->body_a].w);
    double turn2 = h * h * gmc_vec3_dot(w, w);
    bool goes_round = contact->drop.x != 0; // a rim's, of which the path is known
    if (!is_closed || !(goes_round || way2 <= JUMP * JUMP * turn2 * arm2)) return;
    double along = gmc_vec3_dot(contact->dir[0], way);
    double spin = h * gmc_vec3_dot(contact->dir[0], w);
    double rise = by_arc ? rise_by(sqrt(gmc_max(turn2 - spin * spin, 0))) : 0.5;
    gmc_vec3 mean = gmc_vec3_scale(0.5, way);
    mean = gmc_vec3_add_scaled(mean, (rise - 0.5) * along, contact->dir[0]);
    gmc_vec3 path = gmc_vec3_cross(w, mean);
    for (int i = 0; i < 2; i++)
        contact->deflection[i] += h * gmc_vec3_dot(contact->dir[i + 1], path);
}

double gmc_contact_friction_share(const gmc_kinematics *kin, const gmc_contact *contact)
{
    const gmc_surface_extra *law = contact->law.extra;
    if (law->kinetic_loss == 0 || contact->mode == GMC_CONTACT_STICK) return 1;
    gmc_twist V = gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
    gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
    double t1 = gmc_vec3_dot(u, contact->dir[1]), t2 = gmc_vec3_dot(u, contact->dir[2]);
    bool is_slow = t1 * t1 + t2 * t2 <= law->threshold * law->threshold;
    return is_slow ? 1 : 1 - law->kinetic_loss;
}
