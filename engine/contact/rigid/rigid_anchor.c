// Anchors of the rigid steppers: what sticks, sticks for good.
//
// J v = 0 holds where a step begins. Bodies that turn move on arcs, and after the step two points
// that touched are apart by h² w² d/2, outwards in every step: in a hand that swings everything
// would creep. So each contact carries what the bodies' true motion differed from h J v, its
// deflection δ, and the next step asks for J v + δ/h = 0. Bodies that move as one are back there
// after one step; over a step that was cut short (a part that ends with an arrival) it takes as
// long as the longer of both, for in 1e-6 of a step it would have to be as fast as a blow.
//
// What turns against the other body moves its contact on: a ball that rolls leaves the material
// that touched by h³ w³ r/6 along the surface, and is no farther from where it sticks for that. So
// paths are those of the contact: of b's mass centre as a sees it, and w x (arm of the contact),
// the mean of the arms before and after. Between a flat body and a round one that is h J v; for
// bodies that do not turn against each other it is the path of the material.
//
// What is open or slides has an anchor while its two bodies stick elsewhere, without what it means
// to move: a point that sticks again has to ask for what the others ask for, or some of them would
// have to slide.
//
// Along the normal gaps show what is missing, but to anitescu_potra, which stops approaches alone:
// there gaps would open by the same arcs, until the shell is left. What was closed has a gap that
// is due, and gives back what it is off.

#include "engine/contact/rigid/rigid_internal.h"

struct gmc_rigid_anchor {
    gmc_mat3 R_ab;       ///< of b in body a's frame
    gmc_vec3 p_a, c_a;   ///< where the contact touched b (place_b), and b's mass centre in body a's
                         ///< frame [m]
    gmc_vec3 dir_a[2];   ///< t1, t2 in body a's frame
    gmc_vec3 expected_a; ///< h u in body a's frame [m]
    double approach;     ///< h u_n [m]
};

gmc_status gmc_rigid_anchor_room(gmc_rigid_step *step)
{
    int count = step->motion.world->contacts.count;
    step->anchors = GMC_ROOM(step->motion.scratch, count, struct gmc_rigid_anchor);
    return step->anchors ? GMC_OK : GMC_E_ARENA_FULL;
}

void gmc_rigid_anchor_follow(gmc_rigid_step *step)
{
    gmc_world *world = step->motion.world;
    double h = step->motion.memory->h_last;
    for (int c = 0; c < world->contacts.count; c++)
        gmc_contact_follow(world->model, &world->kin, h, false,
                           &world->contacts.contacts[c]); // as path()
}

double gmc_rigid_anchor_rate(const gmc_rigid_step *step)
{
    return 1 / fmax(step->whole, step->motion.memory->h_last);
}

double gmc_rigid_anchor_opened(const gmc_contact *contact)
{
    return contact->gap_due < HUGE_VAL ? contact->point.gap - contact->gap_due : 0;
}

// ---- before the advance -----------------------------------------------------------------------

static gmc_mat3 orientation(const gmc_kinematics *kin, const gmc_contact *contact)
{
    gmc_mat3 R_aw = gmc_mat3_transpose(&kin->X_wb[contact->body_a].R);
    return gmc_mat3_multiply(&R_aw, &kin->X_wb[contact->body_b].R);
}

/// b's mass centre in body a's frame; of the world, which has none, the contact.
static gmc_vec3 centre(const gmc_kinematics *kin, const gmc_contact *contact)
{
    if (contact->body_b == 0) return gmc_contact_place_a(kin, contact);
    return gmc_pose_apply_inverse(&kin->X_wb[contact->body_a], kin->com_w[contact->body_b]);
}

static void drop(const gmc_rigid_step *step, gmc_contact *contact, struct gmc_rigid_anchor *anchor)
{
    const gmc_kinematics *kin = &step->motion.world->kin;
    const gmc_pose *X_wa = &kin->X_wb[contact->body_a];
    const double *v = step->motion.v;
    double h = step->motion.h;
    gmc_twist V = gmc_twist_add_scaled(gmc_kinematics_twist(kin, contact->body_b, v), -1,
                                       gmc_kinematics_twist(kin, contact->body_a, v));
    gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
    anchor->R_ab = orientation(kin, contact);
    anchor->p_a = gmc_contact_place_a(kin, contact);
    anchor->c_a = centre(kin, contact);
    for (int i = 0; i < 2; i++)
        anchor->dir_a[i] = gmc_mat3_apply_transposed(&X_wa->R, contact->dir[i + 1]);
    anchor->expected_a = gmc_mat3_apply_transposed(&X_wa->R, gmc_vec3_scale(h, u));
    anchor->approach = h * gmc_vec3_dot(contact->dir[0], u);
}

void gmc_rigid_anchor_drop(gmc_rigid_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int c = 0; c < set->count; c++)
        drop(step, &set->contacts[c], &step->anchors[c]);
}

// ---- after the advance ------------------------------------------------------------------------

/// Path of the contact on b, seen from a, as far as it does not go on over b [m].
static gmc_vec3 path(const gmc_kinematics *kin, const gmc_contact *contact,
                     const struct gmc_rigid_anchor *anchor)
{
    gmc_mat3 R_ab = orientation(kin, contact), R_ba = gmc_mat3_transpose(&anchor->R_ab);
    gmc_mat3 turned = gmc_mat3_multiply(&R_ab, &R_ba);
    gmc_vec3 turn = gmc_quat_log(gmc_quat_from_matrix(&turned)), c_a = centre(kin, contact);
    gmc_vec3 before = gmc_vec3_sub(anchor->p_a, anchor->c_a);
    gmc_vec3 after = gmc_vec3_sub(gmc_contact_place_a(kin, contact), c_a);
    gmc_vec3 arm = gmc_vec3_scale(0.5, gmc_vec3_add(before, after));
    return gmc_vec3_add(gmc_vec3_sub(c_a, anchor->c_a), gmc_vec3_cross(turn, arm));
}

/// What is closed keeps the gap that is due, but for what it is driven apart below half the shell:
/// that the normals' compliance moves it by is given back, too, or it would add
/// up, out of the shell in the end.
static void keep_gap(const gmc_rigid_step *step, bool is_held,
                     const struct gmc_rigid_anchor *anchor, gmc_contact *contact)
{
    double given_back = step->motion.h * gmc_rigid_anchor_rate(step);
    double apart = anchor->approach + given_back * gmc_rigid_anchor_opened(contact);
    if (!is_held)
        contact->gap_due = HUGE_VAL;
    else if (contact->impulse[0] > 0 && contact->gap_due < HUGE_VAL)
        contact->gap_due +=
            contact->gap_due < gmc_rigid_setting(step, GMC_RIGID_SHELL) / 2 ? fmax(apart, 0) : 0;
    else
        contact->gap_due = contact->point.gap + anchor->approach;
}

/// @param is_held  the two bodies stick to each other, here or elsewhere
static void pull(const gmc_rigid_step *step, bool is_held, const struct gmc_rigid_anchor *anchor,
                 gmc_contact *contact)
{
    keep_gap(step, is_held, anchor, contact);
    bool sticks = contact->mode == GMC_CONTACT_STICK;
    contact->is_anchored = contact->is_anchored && sticks;
    if (contact->is_anchored) {
        gmc_vec3 place_a = gmc_contact_place_a(&step->motion.world->kin, contact);
        gmc_vec3 moved = gmc_vec3_sub(place_a, anchor->p_a);
        contact->deflection_a = gmc_vec3_add(contact->deflection_a, moved);
        return;
    }
    contact->deflection_a = (gmc_vec3){0, 0, 0};
    if (!is_held) return;
    gmc_vec3 went = path(&step->motion.world->kin, contact, anchor);
    // what sticks gets all of it; else that which it did not mean to move
    if (!sticks) went = gmc_vec3_sub(went, anchor->expected_a);
    for (int i = 0; i < 2; i++) {
        // without friction along it nothing is remembered
        if (contact->extra && contact->extra->scale[i] == 0) continue;
        double all = gmc_vec3_dot(anchor->dir_a[i], went);
        if (sticks) all += contact->deflection[i];
        contact->deflection_a = gmc_vec3_add_scaled(contact->deflection_a, all, anchor->dir_a[i]);
    }
}

void gmc_rigid_anchor_pull(gmc_rigid_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int first = 0, end; first < set->count; first = end) {
        const gmc_contact *pair = &set->contacts[first];
        bool is_held = false;
        for (end = first; end < set->count; end++) {
            const gmc_contact *contact = &set->contacts[end];
            if (contact->body_a != pair->body_a || contact->body_b != pair->body_b) break;
            is_held = is_held || contact->mode == GMC_CONTACT_STICK;
        }
        for (int c = first; c < end; c++)
            pull(step, is_held, &step->anchors[c], &set->contacts[c]);
    }
    step->motion.memory->h_last = step->motion.h;
}
