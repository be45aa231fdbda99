// Impacts of the default stepper. What arrives faster than IMPACT_SPEED is stopped within two steps
// that are all but rigid, normally and along the tangents: in the first the contact arrives at the
// surface (as any other), the next one takes what speed is left, or asks for e times of it back.
// Friction of both is an impulse, too, that Coulomb's cone alone limits. So nothing of an impact
// depends on the contact's stiffness, on the mass or on the step. A pad without restitution is left
// to its own compliance, which is what it is for.
//
// What a driven body presses against what cannot give way is not to be stopped so: there contacts
// keep their own law (below), as all of them do where a step has no solution
// (gmc_coulomb_step.is_soft).
//
// Stiffness and damping alone were tried: with three times the critical damping (coulomb.c)
// nothing bounces either, but while a heavy body sinks in by a millimetre its arms are shorter, and
// its spin is 3 % wrong.
//
// A blow is handed on at once along closed contacts without restitution: in both steps they are as
// rigid normally, where they are, and keep their tangents. On its own spring a light block would
// throw back what falls on it.
//
// Bounce: Newton's restitution, u_N = -e u0, within what energy allows. Velocities of this scheme
// are those of the middle of a step (x⁺ = x + h v⁺), a span H apart (coulomb.h), hence, with u as
// the step begins and u* that of the motion without contacts at its end,
//
//   u0     = u + (u* - u) (H - h/2 + s h)/H,  s = -φ / (h u*): that motion as it touches
//   target = e |u0| + (u* - u) h/(2 H):  the middle of the step that starts with e |u0|
//
// Without what follows u and e |u0| the height of a bounce errs by g h / (e v): 4 % at 4 ms from
// 0.5 m with e = 0.3; with halves for it, by 2 % where a long step follows a short one. A target
// below zero is a bounce shorter than a step: none. With a contact's own spring in these steps its
// part would be added.
//
// Impulses r change the energy by Σ r · (u* + u⁺)/2, exactly. As it arrives a contact takes D of
// it. One that bounces alone gives back e² D less e² (φ/h)²/2 m. Where corners land within a step
// of each other, turn between the two steps, or rub, Newton's law may ask for more than was there
// [kane1984]; then all speeds of that step are lowered until the contacts give no more than Σ e² D:
// energy never grows, whatever the contacts do.
//
// Rejected: to bounce where the impact is found (it throws back from up to h v above the surface);
// Newton's law alone (a 6 cm box that landed on its corners at 4 ms gained up to twice its drop).

#include "engine/contact/coulomb/coulomb_internal.h"

#include <string.h>

/// Compliance of an impact against the contact's inverse mass: the error of its speed. With that of
/// what stops, a prism of 7 sides and more, of whose corners six bounce, left a flat drop at 1e-3
/// rad/s, and its later bounces made 1.5 of it. With 1e-8 the solver takes hundreds of iterations.
static const double IMPACT_COMPLIANCE = 1e-4, BOUNCE_COMPLIANCE = 1e-6;

/// Slower arrivals are left to the contact's own law: they rise by v²/(2 g), 50 nm [m/s].
static const double IMPACT_SPEED = 1e-3;

/// Contacts that overlap by less are as they arrived [m].
static const double ARRIVED = 1e-6;
/// Ways that count as this step's: of what is faster than it was by as much again [-].
static const double AHEAD = 2;

/// Ways left that count as none, of what a step would have gone [-].
static const double TOGETHER = 0.1;

/// How a contact comes to its impact.
typedef struct arrival {
    const double *driven; ///< relative velocity by driven joints alone (n, t1, t2) [m/s]
    double before;        ///< normal velocity as the step begins [m/s]
    bool is_arriving;     ///< fast, and as it seems in this step
    double pending;       ///< speed at which it arrived in the step before; 0: it did not [m/s]
} arrival;

/// Lower speeds are tried so often; mostly one is enough.
enum { ROUNDS_MAX = 8 };

/// What impacts need, once a step.
struct gmc_coulomb_impact {
    double *v_free; ///< (free) v* = Mh⁻¹ p*
};

static gmc_status open_impact(gmc_coulomb_step *step)
{
    if (step->impact) return GMC_OK;
    size_t n = (size_t)step->motion.world->model->free_count;
    struct gmc_coulomb_impact *impact = GMC_NEW(step->motion.scratch, 1, struct gmc_coulomb_impact);
    double *v = GMC_NEW(step->motion.scratch, n, double);
    if (!impact || !v) return GMC_E_ARENA_FULL;
    memcpy(v, step->motion.momentum, n * sizeof *v);
    for (int block = 0; block < step->motion.memory->block_count; block++)
        gmc_mechanism_mass_solve(&step->motion, block, v);
    impact->v_free = v;
    step->impact = impact;
    return GMC_OK;
}

/// All but rigid. What was elastic along the tangents is gone.
/// @param compliance  against the contact's inverse mass
static void stiffen(gmc_coulomb_step *step, size_t c, const double u_driven[3], double compliance)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    double R = compliance * contact->inverse_mass;
    row->compliance_n = gmc_min(row->compliance_n, R);
    row->compliance_t = gmc_min(row->compliance_t, R);
    for (int i = 0; i < 2; i++) {
        contact->deflection[i] = 0;
        row->bias[i + 1] = u_driven[i + 1] + gmc_vec3_get(contact->drop, i + 1) / step->motion.h;
    }
    contact->is_impact = contact->is_struck = step->has_impact = true;
}

/// What makes a contact that overlaps go on bearing what its spring bears: the bias with which its
/// all but rigid row is at rest under just that [m/s].
static double load_of(const gmc_coulomb_step *step, const gmc_contact *contact,
                      const gmc_ncp_contact *row)
{
    return row->compliance_n * contact->law.stiffness * step->motion.span *
           gmc_contact_gap(contact);
}

/// The speed of the bounce that the next step asks for, or that this one does.
static gmc_status bounce(gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c,
                         const arrival *in, double e)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    double gap = gmc_contact_gap(contact), h = step->motion.h, all[3];
    GMC_TRY(open_impact(step));
    gmc_ncp_contact_velocity(group, row, step->impact->v_free, all);
    double after = all[0] + in->driven[0], gain = after - in->before, part = h / step->motion.span;
    if (in->pending == 0 && gap > 0 && gap + h * after >= 0) return GMC_OK; // not in this step
    stiffen(step, c, in->driven, BOUNCE_COMPLIANCE);
    contact->extra->gain = gain;
    if (in->pending == 0) {
        double share = gap > 0 ? -gap / (h * after) : 0;
        contact->approach = -(in->before + gain * (1 + (share - 0.5) * part));
        if (gap < 0)
            row->bias[0] =
                in->driven[0] + contact->drop.x / h; // first seen as it overlaps: it stops there
        return GMC_OK;
    }
    contact->extra->target = gmc_max(e * in->pending + 0.5 * part * gain, 0);
    if (contact->extra->target > 0)
        row->bias[0] = in->driven[0] + contact->drop.x / h - contact->extra->target;
    return GMC_OK;
}

/// Without restitution: it stops in this step, or in one of the next. That does not ask whether the
/// contact had an impulse: of corners that land together some have next to none, and which ones is
/// rounding's to say.
static void stop(gmc_coulomb_step *step, size_t c, const arrival *in)
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    double gap = gmc_contact_gap(contact);
    if (!in->is_arriving && in->pending == 0) return;
    stiffen(step, c, in->driven, IMPACT_COMPLIANCE);
    if (gap < 0)
        row->bias[0] =
            in->driven[0] + load_of(step, contact, row) + contact->drop.x / step->motion.h;
    if (in->is_arriving) contact->approach = -in->before;
}

gmc_status gmc_coulomb_impact_row(gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c,
                                  const double u_driven[3])
{
    gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_surface_extra *law = contact->law.extra;
    double e = law ? law->restitution : 0, gap = gmc_contact_gap(contact);
    arrival in = {.driven = u_driven, .pending = contact->approach};
    contact->approach = 0;
    bool may_bounce = e > 0 && !(contact->impulse[0] > 0), may_stop = gap > -ARRIVED;
    if (in.pending == 0 && !may_bounce && !may_stop) return GMC_OK;
    if (e == 0 && law && law->pad > 0) return GMC_OK;
    const gmc_kinematics *kin = &step->motion.world->kin;
    gmc_twist V = gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
    in.before = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p));
    // what rolls round on a rim that bears comes down on the next point of it, and is not apart
    if (contact->impulse[0] > 0) in.before -= contact->drop.x / step->motion.h;
    if (e > 0 && (in.pending > 0 || (may_bounce && in.before < -law->bounce_speed)))
        return bounce(step, group, c, &in, e);
    in.is_arriving =
        may_stop && in.before < -IMPACT_SPEED && gap + AHEAD * step->motion.h * in.before <= 0;
    stop(step, c, &in);
    return GMC_OK;
}

// ---- what else is struck -----------------------------------------------------------------------

/// A contact that hands a blow on: without restitution, and no pad.
static bool is_hard(const gmc_contact *contact)
{
    const gmc_surface_extra *law = contact->law.extra;
    return !law || (law->restitution == 0 && law->pad == 0);
}

/// Mark what an impact reaches along closed contacts. @param is_struck  (block_count)
static void bounce_reach(const gmc_coulomb_step *step, bool *is_struck)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int c = 0; c < set->count; c++) {
            const gmc_contact *contact = &set->contacts[c];
            if (!is_hard(contact) || !(contact->is_impact || contact->impulse[0] > 0)) continue;
            int a = gmc_mechanism_block_of(&step->motion, contact->body_a),
                b = gmc_mechanism_block_of(&step->motion, contact->body_b);
            bool has_a = a >= 0 && is_struck[a], has_b = b >= 0 && is_struck[b];
            if (!has_a && !has_b && !contact->is_impact) continue;
            if (a >= 0 && !has_a) is_more = is_struck[a] = true;
            if (b >= 0 && !has_b) is_more = is_struck[b] = true;
        }
    }
}

gmc_status gmc_coulomb_impact_spread(const gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    bool *is_struck = GMC_NEW(step->motion.scratch, step->motion.memory->block_count, bool);
    if (!is_struck) return GMC_E_ARENA_FULL;
    bounce_reach(step, is_struck);
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        if (contact->is_impact || !is_hard(contact) || !(contact->impulse[0] > 0)) continue;
        int a = gmc_mechanism_block_of(&step->motion, contact->body_a),
            b = gmc_mechanism_block_of(&step->motion, contact->body_b);
        if (!(a >= 0 && is_struck[a]) && !(b >= 0 && is_struck[b])) continue;
        gmc_ncp_contact *row = &step->contacts[c];
        double gap = gmc_contact_gap(contact);
        contact->is_struck = true;
        row->compliance_n = gmc_min(row->compliance_n, IMPACT_COMPLIANCE * contact->inverse_mass);
        if (gap < 0)
            row->bias[0] +=
                load_of(step, contact, row) - gap / (step->motion.h + contact->law.relaxation);
    }
    return GMC_OK;
}

/// Energy that a contact's impulse adds, as seen from the driven bodies: r · (u* + u⁺)/2.
static double energy_added(const gmc_coulomb_step *step, const gmc_ncp_group *group, int c)
{
    const double *driven = step->motion.world->contacts.contacts[c].extra->driven;
    const gmc_ncp_contact *row = &step->contacts[c];
    const double *r = step->r + 3 * c;
    double from[3], to[3], sum = 0;
    gmc_ncp_contact_velocity(group, row, step->impact->v_free, from);
    gmc_ncp_contact_velocity(group, row, step->motion.v, to);
    for (int i = 0; i < 3; i++)
        sum += r[i] * (0.5 * (from[i] + to[i]) + driven[i]);
    return sum;
}

/// Does another contact of the same two geoms arrive in this step?
static bool has_arriving(const gmc_coulomb_step *step, int c)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    const gmc_contact_point *point = &set->contacts[c].point;
    for (int way = -1; way <= 1; way += 2)
        for (int i = c + way; i >= 0 && i < set->count; i += way) {
            const gmc_contact *other = &set->contacts[i];
            if (other->point.geom_a != point->geom_a || other->point.geom_b != point->geom_b) break;
            if (other->approach > 0 && step->r[3 * i] > 0) return true;
        }
    return false;
}

/// Speed at which a contact without an impulse arrives together with others of its geoms: it has
/// next to no way left at the end of the step; 0: it does not. Ends of an edge that met a wall
/// within 4 um of each other, for a box of 8 kg sags by that, bounced one after the other: it lost
/// half of its restitution, and was tumbled.
static double arrives_together(const gmc_coulomb_step *step, const gmc_ncp_group *group, int c)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    double u[3], free[3], gap = gmc_contact_gap(contact), driven = contact->extra->driven[0];
    if (contact->extra->target > 0 || !has_arriving(step, c)) return 0;
    gmc_ncp_contact_velocity(group, &step->contacts[c], step->motion.v, u);
    gmc_ncp_contact_velocity(group, &step->contacts[c], step->impact->v_free, free);
    double speed = contact->approach > 0 ? contact->approach : -(free[0] + driven);
    if (!(speed > contact->law.extra->bounce_speed) || !(u[0] + driven < 0)) return 0;
    return gap + step->motion.h * (u[0] + driven) < TOGETHER * step->motion.h * speed ? speed : 0;
}

bool gmc_coulomb_impact_limit(const gmc_coulomb_step *step, int round)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    double added = 0, allowed = 0;
    bool has_bounce = false;
    const gmc_ncp_group *group = step->groups;
    for (int c = 0; c < set->count; c++) {
        if (c == group->contact_first + group->contact_count) group++;
        gmc_contact_extra *extra = set->contacts[c].extra;
        if (!extra || set->contacts[c].law.extra->restitution == 0) continue;
        double energy = energy_added(step, group, c);
        added += energy;
        if (set->contacts[c].approach > 0) extra->energy = gmc_max(-energy, 0);
        if (!(step->r[3 * c] > 0)) // others took its approach away, or come first
            set->contacts[c].approach = arrives_together(step, group, c);
        if (!(extra->target > 0)) continue;
        double e = set->contacts[c].law.extra->restitution;
        has_bounce = true;
        allowed += e * e * extra->energy;
    }
    if (!has_bounce || added <= allowed || round > ROUNDS_MAX) return false;
    // energies go with the square of speeds; the last round asks for none
    double share = round < ROUNDS_MAX ? 0.99 * sqrt(gmc_max(allowed, 0) / added) : 0;
    for (int c = 0; c < set->count; c++) {
        gmc_contact_extra *extra = set->contacts[c].extra;
        if (!extra || !(extra->target > 0)) continue;
        step->contacts[c].bias[0] += (1 - share) * extra->target;
        extra->target *= share;
    }
    return true;
}

// ---- what is squeezed --------------------------------------------------------------------------

// What all but rigid rows cannot stop: a driven body that comes down on a block
// that stands on a table, or on a stack of them. No motion of what is free keeps such surfaces
// apart, so they overlap by what the driven body goes on, whatever bears it: rows that are all but
// rigid bear it with 1e4 times the momentum of what is between (280 kN on a block of 0.4 kg at
// 20 mm/s, where springs come to 0.5 kN). There contacts keep their own law.
//
// Found by work. Let v* be the motion without contacts, v⁺ that found, u driven bodies' share of
// the approach, and
//
//   A = -Σ r (J v* + u)   that impulses do against the approach as it would be
//   U = -Σ r (J v⁺ + u)   and against what is left of it, which is overlap
//   W = -Σ r u            that driven bodies do
//
// over the struck contacts of free bodies that hand blows on to each other. A - U = |v⁺ - v*|² in
// the norm of M: what is stopped has U/A as its rows' compliance over its own, 1e-4 of a body that
// lands; what is squeezed has 1, for hardly anything is stopped. Between them is only what lands
// through a body of less than some 5000th of its mass, which rows hardly stop either, and which its
// own law does not throw back. And U is what driven bodies do, W: where nothing is driven (fingers
// that a force closes) nothing is squeezed, whatever friction adds to either. So halves are no
// choice that matters.
//
// Also tried: all contacts of the step with their own law (a ball of 2 kg that lands elsewhere in
// the same step sinks in by 1.3 mm, 0.17 so, on 1e5 N/m); without the relaxation that stops the
// mass between, in that step (no difference: those after it have it).

/// Of the work against the approach, left to overlap; and of that, done by driven bodies [-].
static const double SQUEEZED = 0.5;

/// Blocks that hand on blows to each other have one label, that of the first.
static void join_squeezed(const gmc_coulomb_step *step, int *label)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int c = 0; c < set->count; c++) {
            const gmc_contact *contact = &set->contacts[c];
            if (!contact->is_struck || !(step->r[3 * c] > 0)) continue;
            int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
            int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
            if (a < 0 || b < 0 || label[a] == label[b]) continue;
            label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
            is_more = true;
        }
    }
}

/// A, U and W of what one label has.
typedef struct squeeze {
    double approach, left, driven; ///< [J]
} squeeze;

static bool is_squeezed(const squeeze *sum)
{
    return sum->left > 0 && sum->left > SQUEEZED * sum->approach &&
           sum->driven > SQUEEZED * sum->left;
}

/// @param v  (free) v*
static void add_squeeze(const gmc_coulomb_step *step, const double *v, const int *label,
                        squeeze *sums)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    const gmc_ncp_group *group = step->groups;
    for (int c = 0; c < set->count; c++) {
        if (c == group->contact_first + group->contact_count) group++;
        const gmc_contact *contact = &set->contacts[c];
        double r = step->r[3 * c], gap = gmc_contact_gap(contact), before[3], after[3];
        if (!contact->is_struck || !(r > 0)) continue;
        int block = gmc_mechanism_block_of(&step->motion, contact->body_a);
        if (block < 0) block = gmc_mechanism_block_of(&step->motion, contact->body_b);
        if (block < 0) continue;
        gmc_ncp_contact_velocity(group, &step->contacts[c], v, before);
        gmc_ncp_contact_velocity(group, &step->contacts[c], step->motion.v, after);
        double by =
            step->driven_approach[c] - fmax(gap, 0) / step->motion.h; // on the way it is not left
        sums[label[block]].approach += r * (by - before[0]);
        sums[label[block]].left += r * (by - after[0]);
        sums[label[block]].driven += r * by;
    }
}

/// Labels in which nothing was to strike but points of rims, and none did: those of a rim that
/// rolls round come down in every step and are others in the next. What bears there would not push
/// out its overlap while it is held as an impact's.
static void mark_idle(const gmc_coulomb_step *step, const int *label, bool *is_idle)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    for (int pass = 0; pass < 2; pass++)
        for (int c = 0; c < set->count; c++) {
            const gmc_contact *contact = &set->contacts[c];
            if (!contact->is_impact) continue;
            bool passes = !(step->r[3 * c] > 0) && gmc_coulomb_rim_has(step->motion.world, contact);
            if (passes != (pass == 0)) continue;
            int a = gmc_mechanism_block_of(&step->motion, contact->body_a);
            int b = gmc_mechanism_block_of(&step->motion, contact->body_b);
            if (a >= 0) is_idle[label[a]] = passes;
            if (b >= 0) is_idle[label[b]] = passes;
        }
}

gmc_status gmc_coulomb_squeeze_find(gmc_coulomb_step *step, bool *is_found)
{
    int count = step->motion.memory->block_count;
    size_t n = (size_t)step->motion.world->model->free_count;
    *is_found = false;
    int *label = GMC_ROOM(step->motion.scratch, count, int);
    squeeze *sums = GMC_NEW(step->motion.scratch, count, squeeze);
    double *v = GMC_ROOM(step->motion.scratch, n, double);
    bool *is_idle = GMC_NEW(step->motion.scratch, count, bool);
    if (!label || !sums || !v || !is_idle) return GMC_E_ARENA_FULL;
    memcpy(v, step->motion.momentum, n * sizeof *v);
    for (int b = 0; b < step->motion.memory->block_count; b++) {
        gmc_mechanism_mass_solve(&step->motion, b, v);
        label[b] = b;
    }
    join_squeezed(step, label);
    add_squeeze(step, v, label, sums);
    mark_idle(step, label, is_idle);
    for (int b = 0; b < step->motion.memory->block_count; b++) {
        if (step->is_soft[b] || !(is_squeezed(&sums[label[b]]) || is_idle[label[b]])) continue;
        step->is_soft[b] = *is_found = true;
    }
    return GMC_OK;
}
