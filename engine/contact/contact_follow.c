// Where a contact took hold of its bodies' material, and what of its path its deflection gets.

#include "engine/contact/contact.h"
#include "engine/math/elementary.h"

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
