// Friction of flat contacts (flat.h): where it acts, and what it remembers.
//
// The points of one flat contact press with r_Ni at the corners p_i; their friction acts at
//
//   p_i' = p_i + inset (c - p_i),   c = Σ w_i p_i,   w_i = r_Ni / Σ r_N        (i)
//
// so Σ r_Ni p_i' = Σ r_Ni p_i: what slides without turning has its friction in the middle of its
// pressure, whatever that is, and the moment about the normal is that of the area. One point that
// presses alone has its friction where it is.
//
// The middle moves with the load. What a contact remembers stays at its material: the deflection at
// p_i is how far the material there has moved, and, since bodies are rigid, at p_i' it is
//
//   δ_i' = δ_i + inset (Σ w_i δ_i - δ_i)                                        (ii)
//
// whatever w is: what sticks does not creep as loads change. What slides comes back from the cone
// with δ' and has (ii) solved for δ.
//
// The weights are those of the step before, as impulses are its warm start; where the solution
// differs from them by more than AGREEMENT the rows are laid anew and solved again.

#include "engine/contact/coulomb_internal.h"

/// How far the middle of the pressure may be from that of the rows, of the farthest point's
/// distance: the moment about the normal errs by as much. Quasi-static motion depends on nothing
/// but forces (measured: 3e-7 rad by the mass of what is pushed, with the former).
static const double AGREEMENT = 1e-5;
static const double AGREEMENT_QUASI_STATIC = 1e-9;
enum { ROUNDS_MAX = 4, ROUNDS_MAX_QUASI_STATIC = 40 };

/// One contact of a flat contact.
typedef struct gmc_coulomb_flat_point {
    int contact, next;       ///< its index; the next one of the same, -1: none
    double weight;           ///< w
    double material[2];      ///< δ at the contact's material, along t1 and t2 [m]
    double laid[2], spun[2]; ///< as they are in its row: δ' less δ; the tangents' place [m]
} point;

struct gmc_coulomb_flat {
    int first; ///< of its points, -1: none
    double inset;
    double spin_driven; ///< of b against a about n by driven joints alone [rad/s]
    gmc_vec3 middle;    ///< c of the rows, world [m]
    double size;        ///< distance of the farthest point from it [m]
    point *points;
};

static bool is_drawn(const gmc_contact *contact)
{
    bool has_pad = contact->extra && contact->law.extra->pad > 0; // pad.c's, coulomb_pad.c's
    return contact->point.inset > 0 && !has_pad;
}

// ---- rows --------------------------------------------------------------------------------------

/// Weights from normal impulses; equal ones where nothing presses yet.
/// @param is_solved  those of the solution, else those that contacts carry
static void weigh(const gmc_coulomb_step *step, struct gmc_coulomb_flat *flat, bool is_solved)
{
    const gmc_contact *contacts = step->world->contacts.contacts;
    double sum = 0;
    int count = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next, count++) {
        point *p = &flat->points[i];
        double r = is_solved ? step->solution.r[3 * p->contact] : contacts[p->contact].impulse[0];
        p->weight = r > 0 ? r : 0;
        sum += p->weight;
    }
    for (int i = flat->first; i >= 0; i = flat->points[i].next)
        flat->points[i].weight = sum > 0 ? flat->points[i].weight / sum : 1.0 / count;
}

static gmc_vec3 middle_of(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat)
{
    const gmc_contact *contacts = step->world->contacts.contacts;
    gmc_vec3 about = contacts[flat->points[flat->first].contact].point.p, sum = {0, 0, 0};
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        gmc_vec3 arm = gmc_vec3_sub(contacts[flat->points[i].contact].point.p, about);
        sum = gmc_vec3_add_scaled(sum, flat->points[i].weight, arm);
    }
    return gmc_vec3_add(about, sum);
}

/// A vector of the contact plane from its parts along a contact's tangents.
static gmc_vec3 in_plane(const gmc_contact *contact, const double x[2])
{
    return gmc_vec3_add_scaled(gmc_vec3_scale(x[0], contact->dir[1]), x[1], contact->dir[2]);
}

/// Σ w δ
static gmc_vec3 mean_deflection(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat)
{
    gmc_vec3 sum = {0, 0, 0};
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        const point *p = &flat->points[i];
        const gmc_contact *contact = &step->world->contacts.contacts[p->contact];
        sum = gmc_vec3_add_scaled(sum, p->weight, in_plane(contact, p->material));
    }
    return sum;
}

/// Write the row of one point for its present place.
static void lay_point(gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                      gmc_vec3 deflection, point *p)
{
    gmc_contact *contact = &step->world->contacts.contacts[p->contact];
    gmc_ncp_contact *row = &step->contacts[p->contact];
    const gmc_vec3 *dir = contact->dir;
    gmc_vec3 way = gmc_vec3_scale(flat->inset, gmc_vec3_sub(flat->middle, contact->point.p));
    double e[2] = {gmc_vec3_dot(way, dir[1]), gmc_vec3_dot(way, dir[2])};
    const double spun[2] = {-e[1], e[0]};
    double spread = 1 / (step->h + contact->law.relaxation);
    for (int i = 0; i < 2; i++) {
        double scale = contact->extra ? contact->extra->scale[i] : 1;
        double all = gmc_vec3_dot(deflection, dir[i + 1]);
        // impacts have no deflection
        double laid = contact->is_impact ? 0 : flat->inset * (all - p->material[i]);
        double driven = scale * flat->spin_driven * (spun[i] - p->spun[i]);
        row->spun[i] = scale * spun[i];
        row->bias[i + 1] += driven + scale * spread * (laid - p->laid[i]);
        if (contact->extra) contact->extra->driven[i + 1] += driven;
        row->turned_arm[3 + i] = row->turned_arm[1 + i] + e[i];
        p->laid[i] = laid;
        p->spun[i] = spun[i];
        if (!contact->is_impact) contact->deflection[i] = p->material[i] + laid;
    }
}

static void lay(gmc_coulomb_step *step, struct gmc_coulomb_flat *flat)
{
    const gmc_contact *contacts = step->world->contacts.contacts;
    gmc_vec3 deflection = mean_deflection(step, flat);
    flat->middle = middle_of(step, flat);
    flat->size = 0;
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        lay_point(step, flat, deflection, &flat->points[i]);
        gmc_vec3 arm = gmc_vec3_sub(contacts[flat->points[i].contact].point.p, flat->middle);
        flat->size = fmax(flat->size, gmc_vec3_norm(arm));
    }
}

/// Points of flat contacts, each in the list of its own.
static void list_points(const gmc_coulomb_step *step, point *points)
{
    const gmc_contact_set *set = &step->world->contacts;
    for (int c = set->count - 1, made = 0; c >= 0; c--) { // lists are in the contacts' order
        const gmc_contact *contact = &set->contacts[c];
        if (!is_drawn(contact)) continue;
        struct gmc_coulomb_flat *flat = &step->flats[contact->point.flat];
        points[made] = (point){.contact = c,
                               .next = flat->first,
                               .material = {contact->deflection[0], contact->deflection[1]}};
        flat->first = made++;
        flat->inset = contact->point.inset;
        flat->points = points;
    }
}

/// Of b against a at velocities v of all dofs; NULL: zero [rad/s].
static double spin_about_normal(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                                const double *v)
{
    const gmc_kinematics *kin = &step->world->kin;
    const gmc_contact *contact = &step->world->contacts.contacts[flat->points[flat->first].contact];
    if (!v) return 0;
    gmc_vec3 w = gmc_vec3_sub(gmc_kinematics_twist(kin, contact->body_b, v).w,
                              gmc_kinematics_twist(kin, contact->body_a, v).w);
    return gmc_vec3_dot(w, contact->dir[0]);
}

/// Lists of the points of flat contacts, weighed by what contacts carry.
static gmc_status open_flats(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->world->contacts;
    int count = 0, flats = 0;
    step->flat_count = 0;
    for (int c = 0; c < set->count; c++) {
        if (!is_drawn(&set->contacts[c])) continue;
        count++;
        if (set->contacts[c].point.flat >= flats) flats = set->contacts[c].point.flat + 1;
    }
    if (count == 0) return GMC_OK;
    step->flats = gmc_arena_room(step->scratch, (size_t)flats, sizeof *step->flats);
    point *points = gmc_arena_room(step->scratch, (size_t)count, sizeof *points);
    if (!step->flats || !points) return GMC_E_ARENA_FULL;
    step->flat_count = flats;
    for (int i = 0; i < flats; i++)
        step->flats[i].first = -1;
    list_points(step, points);
    for (int i = 0; i < flats; i++)
        if (step->flats[i].first >= 0) weigh(step, &step->flats[i], false);
    return GMC_OK;
}

gmc_status gmc_coulomb_flat_rows(gmc_coulomb_step *step, const double *v_driven)
{
    GMC_TRY(open_flats(step));
    for (int i = 0; i < step->flat_count; i++) {
        struct gmc_coulomb_flat *flat = &step->flats[i];
        if (flat->first < 0) continue;
        flat->spin_driven = spin_about_normal(step, flat, v_driven);
        lay(step, flat);
    }
    return GMC_OK;
}

bool gmc_coulomb_flat_limit(gmc_coulomb_step *step, int round)
{
    bool is_wrong = false;
    if (round > (step->is_centred ? ROUNDS_MAX : ROUNDS_MAX_QUASI_STATIC)) return false;
    for (int i = 0; i < step->flat_count; i++) {
        struct gmc_coulomb_flat *flat = &step->flats[i];
        if (flat->first < 0) continue;
        weigh(step, flat, true);
        gmc_vec3 off = gmc_vec3_sub(middle_of(step, flat), flat->middle);
        double most = (step->is_centred ? AGREEMENT : AGREEMENT_QUASI_STATIC) * flat->size;
        if (gmc_vec3_dot(off, off) <= most * most) continue;
        lay(step, flat);
        is_wrong = true;
    }
    return is_wrong;
}

// ---- after the solution ------------------------------------------------------------------------

/// Σ w δ at the end of the step, over what is closed: known of what sticks, of what slides by (ii).
static gmc_vec3 mean_left(const gmc_coulomb_step *step, struct gmc_coulomb_flat *flat)
{
    double sliding = 0, inset = flat->inset;
    gmc_vec3 sum = {0, 0, 0};
    weigh(step, flat, true);
    for (int i = flat->first; i >= 0; i = flat->points[i].next) {
        const point *p = &flat->points[i];
        const gmc_contact *contact = &step->world->contacts.contacts[p->contact];
        bool is_sliding = contact->mode == GMC_CONTACT_SLIP;
        const double *known = is_sliding ? contact->deflection : p->material;
        double share = is_sliding ? p->weight / (1 - inset) : p->weight;
        if (is_sliding) sliding += p->weight;
        sum = gmc_vec3_add_scaled(sum, share, in_plane(contact, known));
    }
    return gmc_vec3_scale(1 / (1 + sliding * inset / (1 - inset)), sum);
}

/// Back to the contact's material. What sticks is there what it was and moves with it (contact.c).
static void keep_point(const gmc_coulomb_step *step, const struct gmc_coulomb_flat *flat,
                       gmc_vec3 mean, double spin, const point *p)
{
    gmc_contact *contact = &step->world->contacts.contacts[p->contact];
    gmc_coulomb_anchor *anchor = &step->anchors[p->contact];
    contact->moment = p->spun[0] * contact->impulse[1] + p->spun[1] * contact->impulse[2];
    if (contact->mode == GMC_CONTACT_OPEN || contact->is_impact) return;
    for (int i = 0; i < 2; i++) {
        double at_mean = gmc_vec3_dot(mean, contact->dir[i + 1]);
        if (contact->mode == GMC_CONTACT_SLIP) {
            contact->deflection[i] =
                (contact->deflection[i] - flat->inset * at_mean) / (1 - flat->inset);
            anchor->expected[i] -= step->h * spin * p->spun[i];
        } else {
            contact->deflection[i] = p->material[i];
            anchor->expected[i] = 0;
        }
    }
    if (contact->is_anchored) return;
    contact->deflection_a = gmc_vec3_add(gmc_vec3_scale(contact->deflection[0], anchor->dir_a[0]),
                                         gmc_vec3_scale(contact->deflection[1], anchor->dir_a[1]));
}

void gmc_coulomb_flat_keep(const gmc_coulomb_step *step)
{
    for (int k = 0; k < step->flat_count; k++) {
        struct gmc_coulomb_flat *flat = &step->flats[k];
        if (flat->first < 0) continue;
        gmc_vec3 mean = mean_left(step, flat);
        double spin = spin_about_normal(step, flat, step->solution.v);
        for (int i = flat->first; i >= 0; i = flat->points[i].next)
            keep_point(step, flat, mean, spin, &flat->points[i]);
    }
}
