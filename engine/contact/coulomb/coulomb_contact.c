// Contact rows of the default stepper, and what a solved step leaves in the contacts. The law and
// its derivation: coulomb.h.

#include "engine/base/check.h"
#include "engine/contact/cone.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/pad.h"
#include "engine/dynamics/jacobian.h"
#include "engine/math/dense.h"
#include "engine/math/elementary.h"

#include <string.h>

// ---- beyond one coefficient of friction -------------------------------------------------------

// What contacts of the default stepper do beyond one coefficient of friction: static and kinetic,
// elliptic, pads. None of it changes the solver's problem type, and contacts without it never come
// here.
//
// Static and kinetic. The choice lags by a step, so that the cone of a step is one cone: what stuck
// in the step before, or slides slower than the threshold as the step begins, has mu_s, all else
// mu_k. Choosing inside the solve would make the law multivalued.
//
// Ellipse. Tangential rows scaled by mu_i / mu make |(r_1 / mu_1, r_2 / mu_2)| <= r_N a circle of
// radius mu r_N and leave r · w what it is, so that slip is normal to the ellipse (maximal
// dissipation). Stiffness along t_i becomes k_T (mu_i / mu)², no more than k_T.

static gmc_twist relative_twist(const gmc_kinematics *kin, const gmc_contact *contact)
{
    return gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
}

static void scale_tangents(const gmc_contact_extra *extra, double *r, gmc_ncp_contact *row)
{
    for (int i = 0; i < 2; i++) {
        row->bias[i + 1] *= extra->scale[i];
        r[i + 1] *= extra->inverse[i];
        for (int k = 0; k < 3; k++)
            row->frame[3 * (i + 1) + k] *= extra->scale[i];
        if (extra->scale[i] != 1) row->hints.is_rotation = false;
    }
}

// ---- the row ----------------------------------------------------------------------------------

/// Stiffness of a contact on a pad at its present indentation; before its row is written.
static void press_on_pad(const gmc_kinematics *kin, double h, gmc_contact *contact)
{
    if (!(contact->law.extra->pad > 0)) return;
    gmc_twist V = relative_twist(kin, contact);
    gmc_pad_press(contact, h * gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p)));
}

/// What a law with extras makes of row c (written for one coefficient) and of its warm start.
/// @param u_driven  relative velocity by driven joints alone
static void write_extra(const gmc_coulomb_step *step, size_t c, const double u_driven[3])
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    contact->law.friction *= gmc_contact_friction_share(&step->motion.world->kin, contact);
    row->friction = contact->law.friction;
    scale_tangents(contact->extra, step->r + 3 * c, row);
    contact->extra->driven[0] = u_driven[0];
    for (int i = 1; i < 3; i++)
        contact->extra->driven[i] = u_driven[i] * contact->extra->scale[i - 1];
}

/// After the solution, of a contact that touches: from the solver's circle back to the ellipse.
static void keep_extra(gmc_contact *contact, gmc_coulomb_anchor *anchor)
{
    gmc_contact_extra *extra = contact->extra;
    extra->moment[0] = extra->moment[1] = extra->moment[2] = 0; // those with rows for them follow
    extra->turn_a = (gmc_vec3){0, 0, 0};
    for (int i = 0; i < 2; i++) {
        contact->impulse[i + 1] *= extra->scale[i];
        contact->deflection[i] *= extra->inverse[i];
        anchor->expected[i] *= extra->inverse[i];
        // without friction along it nothing is remembered
        if (extra->scale[i] == 0) anchor->dir_a[i] = (gmc_vec3){0, 0, 0};
    }
}

// ---- rows -------------------------------------------------------------------------------------

static void write_law(const gmc_contact *contact, const double u_driven[3], double h, double span,
                      gmc_ncp_contact *row)
{
    const gmc_surface_law *law = &contact->law;
    GMC_ASSERT(law->is_given && law->stiffness > 0 && law->tangential_ratio > 0);
    double gap = gmc_coulomb_contact_gap(contact), spread = 1 / (h + law->relaxation);
    double R = spread / (span * law->stiffness);
    row->compliance_n = R;
    row->compliance_t = R / law->tangential_ratio;
    row->friction = law->friction;
    row->bias[0] = u_driven[0] + (gap > 0 ? gap / h : gap * spread) + contact->drop.x / h;
    row->bias[1] = u_driven[1] + contact->deflection[0] * spread + contact->drop.y / h;
    row->bias[2] = u_driven[2] + contact->deflection[1] * spread + contact->drop.z / h;
}

static void write_frame(const gmc_contact *contact, gmc_vec3 about, gmc_ncp_contact *row)
{
    for (int i = 0; i < 3; i++) {
        row->frame[3 * i] = contact->dir[i].x;
        row->frame[3 * i + 1] = contact->dir[i].y;
        row->frame[3 * i + 2] = contact->dir[i].z;
    }
    gmc_vec3 arm = gmc_vec3_sub(contact->point.p, about);
    row->hints.is_rotation = true; // write_extra may change it
    row->hints.face_count = 0;
    row->arm[0] = arm.x;
    row->arm[1] = arm.y;
    row->arm[2] = arm.z;
    row->spun[0] = row->spun[1] = 0;
}

/// Is the frame of a contact that of the one before it? Without extras both follow from the normal,
/// and from the sign of its z, be that 0 (vec3.h).
static bool has_frame_of(const gmc_contact *contact, const gmc_contact *other)
{
    const gmc_vec3 *n = &contact->dir[0], *m = &other->dir[0];
    bool is_same = n->x == m->x && n->y == m->y && n->z == m->z && !signbit(n->z) == !signbit(m->z);
    return !contact->extra && !other->extra && is_same;
}

/// The contact joins the face of the one before it, or opens another.
/// @param first  the face's first row, NULL: none in this group
static void join_face(const gmc_contact *contact, gmc_ncp_contact *row, gmc_ncp_contact **first)
{
    const double *D = row->frame, *a = row->arm;
    row->hints.face_count = 0;
    if (contact->extra) {
        *first = NULL;
        return;
    }
    for (int i = 0; i < 3; i++)
        row->hints.turned_arm[i] = D[3 * i] * a[0] + D[3 * i + 1] * a[1] + D[3 * i + 2] * a[2];
    row->hints.turned_arm[3] = row->hints.turned_arm[1];
    row->hints.turned_arm[4] = row->hints.turned_arm[2];
    if (!*first || !has_frame_of(contact, contact - 1)) *first = row;
    (*first)->hints.face_count++;
}

static bool is_new_pair(const gmc_contact_set *set, size_t c)
{
    const gmc_contact *contact = &set->contacts[c];
    return c == 0 || contact->body_a != contact[-1].body_a || contact->body_b != contact[-1].body_b;
}

static gmc_status make_contact_room(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    size_t count = (size_t)set->count, pairs = 0;
    size_t rolling = (size_t)gmc_coulomb_moments_count(set).rolling;
    // behind those of contacts: rolling friction, then supports
    const gmc_model *model = step->motion.world->model;
    size_t behind = rolling + (size_t)model->support_point_count;
    for (size_t c = 0; c < count; c++)
        pairs += is_new_pair(set, c);
    step->contact_count = (int)count;
    step->contacts = GMC_ROOM(step->motion.scratch, count + behind, gmc_ncp_contact);
    step->groups = GMC_ROOM(step->motion.scratch, pairs + rolling + (size_t)model->support_count,
                            gmc_ncp_group);
    step->r = GMC_ROOM(step->motion.scratch, 3 * (count + behind), double);
    step->anchors = GMC_ROOM(step->motion.scratch, count, gmc_coulomb_anchor);
    step->driven_approach = GMC_ROOM(step->motion.scratch, count, double);
    bool is_full =
        !step->driven_approach || !step->contacts || !step->groups || !step->r || !step->anchors;
    return is_full ? GMC_E_ARENA_FULL : GMC_OK;
}

/// Contacts of the same two bodies move alike: one group.
/// @param columns, S  room for one group
static gmc_jacobian open_group(gmc_coulomb_step *step, size_t c, int *columns, double *S)
{
    const gmc_world *world = step->motion.world;
    const gmc_contact *contact = &world->contacts.contacts[c];
    gmc_jacobian j =
        gmc_jacobian_of(world->model, &world->kin, contact->body_a, contact->body_b, columns, S);
    int slides = 0;
    for (const double *w = j.S + 3; slides < j.general_count; slides++, w += 6)
        if (w[0] != 0 || w[1] != 0 || w[2] != 0) break;
    step->groups[step->group_count++] = (gmc_ncp_group){.contact_first = (int)c,
                                                        .column_count = j.count,
                                                        .general_count = j.general_count,
                                                        .hints = {.slide_count = slides},
                                                        .columns = j.columns,
                                                        .S = j.S,
                                                        .sign = j.sign};
    return j;
}

/// J Mh⁻¹ Jᵀ of a contact's normal: what does not depend on how the world is turned.
/// @param is_bare  J M⁻¹ Jᵀ
static gmc_status find_inverse_mass(const gmc_coulomb_step *step, const gmc_ncp_group *group,
                                    const gmc_ncp_contact *row, bool is_bare, double *sum)
{
    size_t mark = gmc_arena_mark(step->motion.scratch);
    double *x = GMC_NEW(step->motion.scratch, step->motion.world->model->free_count, double), J[3];
    if (!x) return GMC_E_ARENA_FULL;
    for (int k = 0; k < group->column_count; k++) {
        gmc_ncp_contact_column(group, row, k, J);
        x[group->columns[k]] = J[0];
    }
    for (int k = 0, last = -1; k < group->column_count; k++) {
        int block = gmc_mechanism_block(step->motion.memory, group->columns[k]);
        if (block != last && is_bare) GMC_TRY(gmc_mechanism_bare_solve(&step->motion, block, x));
        if (block != last && !is_bare) gmc_mechanism_mass_solve(&step->motion, block, x);
        last = block; // columns go by blocks
    }
    *sum = 0;
    for (int k = 0; k < group->column_count; k++) {
        gmc_ncp_contact_column(group, row, k, J);
        *sum += J[0] * x[group->columns[k]];
    }
    gmc_arena_reset(step->motion.scratch, mark);
    return GMC_OK;
}

static bool is_on_pad(const gmc_contact *contact)
{
    return contact->extra && contact->law.extra->pad > 0;
}

/// Heavy bodies take longer to recover: nothing bounces that has no restitution. What is elastic at
/// the end of a step recovers h/2 later than that: of pads, which take ten steps and more, it is
/// taken off, which makes them second order. What slides is pulled along by δ + (h + τ) u, with u
/// half a step ahead of its force: as much again is taken off, or the direction of friction leads,
/// and what turns as it slides is braked more the longer the step (soft_pebble at 4 ms: 6 of 200
/// verdicts differ from those at 1 ms, 2 with it).
/// @param own  of the surfaces
static void relax_contact(const gmc_coulomb_step *step, gmc_contact *contact, double own)
{
    double stiffness = contact->law.stiffness * (is_on_pad(contact) ? contact->extra->beside : 1);
    double all = gmc_max(own, gmc_mechanism_settling(stiffness, contact->mobility));
    bool is_shorter = is_on_pad(contact) && step->motion.is_centred;
    double ahead = (contact->mode == GMC_CONTACT_SLIP ? 1 : 0.5) * step->motion.h;
    contact->law.relaxation = is_shorter ? gmc_max(all - ahead, 0) : all;
}

/// How long pads take is inertia's to say: with the damping of joints in Mh it grew with the step,
/// by 36 % from 1 to 4 ms of a finger of 50 g and 20 N s/m.
static gmc_status damp_contact(const gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_ncp_contact *row = &step->contacts[c];
    if (contact->inverse_mass == 0) {
        GMC_TRY(find_inverse_mass(step, group, row, false, &contact->inverse_mass));
        contact->mobility = contact->inverse_mass;
        if (is_on_pad(contact) && step->motion.is_centred)
            GMC_TRY(find_inverse_mass(step, group, row, true, &contact->mobility));
    }
    relax_contact(step, contact, contact->law.relaxation);
    return GMC_OK;
}

/// Has a contact its own law whatever strikes?
static bool is_soft(const gmc_coulomb_step *step, const gmc_contact *contact)
{
    if (!step->is_soft) return false;
    int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
    int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
    return (a >= 0 && step->is_soft[a]) || (b >= 0 && step->is_soft[b]);
}

static gmc_status write_row(gmc_coulomb_step *step, size_t c, gmc_mechanism_lead *driven)
{
    gmc_world *world = step->motion.world;
    gmc_contact *contact = &world->contacts.contacts[c];
    const gmc_ncp_group *group = &step->groups[step->group_count - 1];
    double u[3];
    gmc_mechanism_lead_at(&world->kin, contact, driven, u);
    gmc_contact_follow(world->model, &world->kin, step->motion.memory->h_last, true, contact);
    if (contact->extra) press_on_pad(&world->kin, step->motion.h, contact);
    GMC_TRY(damp_contact(step, group, c));
    gmc_coulomb_rim_drop(step, contact);
    write_law(contact, u, step->motion.h, step->motion.span, &step->contacts[c]);
    step->driven_approach[c] = -u[0];
    if (is_soft(step, contact))
        contact->approach = 0;
    else if (step->motion.is_centred)
        GMC_TRY(gmc_coulomb_impact_row(step, group, c, u));
    for (int i = 0; i < 3; i++)
        step->r[3 * c + (size_t)i] = contact->impulse[i];
    if (contact->extra) write_extra(step, c, u);
    return GMC_OK;
}

void gmc_coulomb_contact_move(gmc_coulomb_step *step, size_t c, const gmc_contact_point *point,
                              const gmc_twist *driven)
{
    const gmc_model *model = step->motion.world->model;
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_contact_extra *extra = contact->extra;
    gmc_ncp_contact *row = &step->contacts[c];
    gmc_vec3 arm = {row->arm[0], row->arm[1], row->arm[2]};
    gmc_vec3 about = gmc_vec3_sub(contact->point.p, arm), u_driven = gmc_twist_at(driven, point->p);
    double u[3];
    contact->point.p = point->p;
    contact->point.gap = point->gap;
    for (int i = 0; i < 3; i++) {
        u[i] = gmc_vec3_dot(contact->dir[i], u_driven);
        row->arm[i] = gmc_vec3_get(gmc_vec3_sub(point->p, about), i);
    }
    press_on_pad(&step->motion.world->kin, step->motion.h, contact);
    int a = model->geoms[point->geom_a].surface, b = model->geoms[point->geom_b].surface;
    relax_contact(step, contact, gmc_model_law(model, a, b)->relaxation);
    write_law(contact, u, step->motion.h, step->motion.span, row);
    extra->driven[0] = u[0];
    for (int i = 1; i < 3; i++) {
        row->bias[i] *= extra->scale[i - 1];
        extra->driven[i] = u[i] * extra->scale[i - 1];
    }
}

static bool is_same_pair(const gmc_contact *a, const gmc_contact *b)
{
    return a->point.geom_a == b->point.geom_a && a->point.geom_b == b->point.geom_b;
}

/// Do both bear the same body, with whichever of its geoms, on pads of one body (all that never
/// moves is one) that lie beside each other? Others know nothing of each other: blocks that stand
/// on one tray, fingers that press on one box.
static bool is_beside(const gmc_model *model, const gmc_contact *a, const gmc_contact *b)
{
    static const double PARALLEL = 1e-9;
    bool is_of_a = a->extra->ground > 0;
    int borne[2] = {is_of_a ? a->body_b : a->body_a, is_of_a ? b->body_b : b->body_a};
    int pad[2] = {is_of_a ? a->body_a : a->body_b, is_of_a ? b->body_a : b->body_b};
    bool is_same_pad = pad[0] == pad[1] ||
                       (gmc_model_is_static(model, pad[0]) && gmc_model_is_static(model, pad[1]));
    return borne[0] == borne[1] && is_same_pad && is_of_a == (b->extra->ground > 0) &&
           a->law.extra->pad == b->law.extra->pad &&
           gmc_vec3_dot(a->dir[0], b->dir[0]) > 1 - PARALLEL;
}

/// A point of a region, but for its core.
static bool is_of_region(const gmc_contact *contact)
{
    return is_on_pad(contact) && contact->extra->ground != 0 && contact->extra->patch > 0;
}

/// Stiffness of all that is beside a contact over that of its own region.
static double beside(const gmc_model *model, const gmc_contact_set *set, const gmc_contact *c)
{
    double all = 0, own = 0;
    for (int k = 0; k < set->count; k++) {
        const gmc_contact *other = &set->contacts[k];
        if (!is_of_region(other) || !is_beside(model, c, other)) continue;
        all += other->law.stiffness;
        own += is_same_pair(c, other) ? other->law.stiffness : 0;
    }
    return own > 0 ? all / own : 1;
}

/// What lies or rolls on pads that are flush settles as it does on one: a rod on plates of 10 mm,
/// each with a spring of its own that took as long as a spring eight times softer takes, rolled 75
/// mm where it rolls 33 mm on one. So does what presses with several geoms: a box of 10 boxes that
/// fell on a pad was stopped by it three times as hard as one box.
static void settle_together(const gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int i = 0; i < set->count; i++)
        if (is_of_region(&set->contacts[i]))
            press_on_pad(&step->motion.world->kin, step->motion.h, &set->contacts[i]);
    for (int i = 0; i < set->count; i++) {
        gmc_contact *c = &set->contacts[i];
        bool is_next = i > 0 && is_of_region(c) && is_of_region(c - 1) && is_same_pair(c, c - 1) &&
                       c->extra->ground == c[-1].extra->ground;
        if (is_of_region(c))
            c->extra->beside =
                is_next ? c[-1].extra->beside : beside(step->motion.world->model, set, c);
    }
}

gmc_status gmc_coulomb_contact_rows(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    int n = step->motion.memory->column_max;
    gmc_jacobian jacobian = {0};
    gmc_ncp_contact *first = NULL;
    gmc_mechanism_lead driven = {.body_a = -1};
    GMC_TRY(make_contact_room(step));
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven.v));
    gmc_coulomb_rise_open(step);
    settle_together(step);
    for (size_t c = 0; c < (size_t)set->count; c++) {
        if (is_new_pair(set, c)) {
            first = NULL;
            double *S = GMC_ROOM(step->motion.scratch, 6 * n, double);
            int *columns = GMC_ROOM(step->motion.scratch, n, int);
            if (!S || !columns) return GMC_E_ARENA_FULL;
            jacobian = open_group(step, c, columns, S);
        }
        step->groups[step->group_count - 1].contact_count++;
        write_frame(&set->contacts[c], jacobian.about, &step->contacts[c]);
        GMC_TRY(write_row(step, c, &driven));
        if (!step->motion.memory->is_inplane)
            join_face(&set->contacts[c], &step->contacts[c], &first);
    }
    step->pair_count = step->group_count;
    GMC_TRY(gmc_coulomb_flat_rows(step, driven.v));
    return step->has_impact ? gmc_coulomb_impact_spread(step) : GMC_OK;
}

// ---- after the solution -----------------------------------------------------------------------

/// u_T = J v + u_driven, from w's definition: what is left of the bias without the deflection's
/// part.
static void tangential_velocity(const gmc_coulomb_step *step, const double V[6], size_t c,
                                double u[2])
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    double spread = 1 / (step->motion.h + contact->law.relaxation), all[3];
    gmc_ncp_contact_at(&step->contacts[c], V, all);
    for (int i = 0; i < 2; i++)
        u[i] = all[i + 1] + (step->contacts[c].bias[i + 1] - contact->deflection[i] * spread);
}

/// @param V  motion of the contact's group
static void keep_contact(const gmc_coulomb_step *step, const double V[6], size_t c)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_pose *X_wa = &step->motion.world->kin.X_wb[contact->body_a];
    const double *r = step->r + 3 * c;
    double h = step->motion.h, tau = contact->law.relaxation;
    double compliance =
        h / (step->motion.span * contact->law.tangential_ratio * contact->law.stiffness);
    for (int i = 0; i < 3; i++)
        contact->impulse[i] = r[i];
    contact->mode = gmc_cone_mode(r, contact->law.friction);
    if (contact->mode == GMC_CONTACT_OPEN) {
        contact->deflection[0] = contact->deflection[1] = 0;
        contact->deflection_a = (gmc_vec3){0, 0, 0};
        return;
    }
    gmc_coulomb_anchor *anchor = &step->anchors[c];
    if (contact->extra)
        for (int i = 0; i < 2; i++)
            contact->deflection[i] *= contact->extra->scale[i];
    double u[2];
    tangential_velocity(step, V, c, u);
    bool sticks = contact->mode == GMC_CONTACT_STICK && !contact->is_impact;
    for (int i = 0; i < 2; i++) {
        double left = (tau * contact->deflection[i] - r[i + 1] * compliance) / (h + tau);
        // of what sticks the deflection differs by the solver's residual, which would add up
        anchor->expected[i] = sticks ? left - contact->deflection[i] : h * u[i];
        anchor->dir_a[i] = gmc_mat3_apply_transposed(&X_wa->R, contact->dir[i + 1]);
        contact->deflection[i] = left;
    }
    if (contact->is_impact) contact->deflection[0] = contact->deflection[1] = 0;
    anchor->p_a = gmc_contact_place_a(&step->motion.world->kin, contact);
    if (contact->extra) keep_extra(contact, anchor);
    contact->is_anchored = contact->is_anchored && sticks;
    if (contact->is_anchored) return;
    contact->deflection_a = gmc_vec3_add(gmc_vec3_scale(contact->deflection[0], anchor->dir_a[0]),
                                         gmc_vec3_scale(contact->deflection[1], anchor->dir_a[1]));
}

void gmc_coulomb_contact_keep(const gmc_coulomb_step *step)
{
    int count = step->motion.world->contacts.count;
    for (int i = 0; i < step->group_count; i++) {
        const gmc_ncp_group *group = &step->groups[i];
        double V[6];
        if (group->contact_first >= count) break; // rolling friction
        gmc_ncp_group_velocity(group, step->motion.v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            keep_contact(step, V, (size_t)c);
    }
}

void gmc_coulomb_contact_correct(const gmc_coulomb_step *step)
{
    for (int c = 0; c < step->motion.world->contacts.count; c++) {
        gmc_contact *contact = &step->motion.world->contacts.contacts[c];
        if (contact->mode == GMC_CONTACT_OPEN) continue;
        const gmc_coulomb_anchor *anchor = &step->anchors[c];
        gmc_vec3 place_a = gmc_contact_place_a(&step->motion.world->kin, contact);
        gmc_vec3 moved = gmc_vec3_sub(place_a, anchor->p_a);
        if (contact->is_anchored) {
            contact->deflection_a = gmc_vec3_add(contact->deflection_a, moved);
            continue;
        }
        for (int i = 0; i < 2; i++) {
            double missed = gmc_vec3_dot(anchor->dir_a[i], moved) - anchor->expected[i];
            contact->deflection_a =
                gmc_vec3_add_scaled(contact->deflection_a, missed, anchor->dir_a[i]);
        }
    }
}
