// What contacts of the default stepper do beyond one coefficient of friction: static and kinetic,
// elliptic, impacts that bounce. None of it changes the solver's problem type, and contacts without
// it never come here.
//
// Static and kinetic. The choice lags by a step, so that the cone of a step is one cone: what stuck
// in the step before, or slides slower than the threshold as the step begins, has mu_s, all else
// mu_k. Choosing inside the solve would make the law multivalued.
//
// Ellipse. Tangential rows scaled by mu_i / mu make |(r_1 / mu_1, r_2 / mu_2)| <= r_N a circle of
// radius mu r_N and leave r · w what it is, so that slip is normal to the ellipse (maximal
// dissipation). Stiffness along t_i becomes k_T (mu_i / mu)², no more than k_T.
//
// Bounce: Newton's restitution, u_N = -e u0, within what energy allows. An impact takes two steps:
// in the first the contact arrives at the surface (as any other), the next one asks for the speed
// back. Velocities of this scheme are those of the middle of a step (x⁺ = x + h v⁺), hence, with u
// as the step begins and u* that of the motion without contacts at its end,
//
//   u0     = u + (u* - u) (s + 1/2),  s = -φ / (h u*): that motion at the instant of touching
//   target = e |u0| + (u* - u) / 2:  the middle of the step that starts with e |u0|
//
// Without the halves the height of a bounce errs by g h / (e v): 4 % at 4 ms from 0.5 m with e =
// 0.3. A target below zero is a bounce shorter than a step: none. Both steps are all but rigid, or
// the contact's own spring would add its part.
//
// Impulses r change the energy by Σ r · (u* + u⁺)/2, exactly. As it arrives a contact takes D of
// it. One that bounces alone gives back e² D less e² (φ/h)²/2 m. Where corners land within a step
// of each other, turn between the two steps, or rub, Newton's law may ask for more than was there
// [kane1984]; then all speeds of that step are lowered until the contacts give no more than Σ e² D:
// energy never grows, whatever the contacts do.
//
// Rejected: to bounce where the impact is found (it throws back from up to h v above the surface);
// Newton's law alone (a 6 cm box that landed on its corners at 4 ms gained up to twice its drop).

#include "engine/base/check.h"
#include "engine/contact/coulomb_internal.h"
#include "engine/contact/pad.h"
#include "engine/math/dense.h"

#include <string.h>

/// Compliance of an impact against the contact's inverse mass: the error of its speed.
static const double IMPACT_COMPLIANCE = 1e-5;

static gmc_twist relative_twist(const gmc_kinematics *kin, const gmc_contact *contact)
{
    return gmc_twist_add_scaled(kin->V[contact->body_b], -1, kin->V[contact->body_a]);
}

double gmc_coulomb_extra_friction_share(const gmc_kinematics *kin, const gmc_contact *contact)
{
    const gmc_surface_extra *law = contact->law.extra;
    if (law->kinetic_loss == 0 || contact->mode == GMC_CONTACT_STICK) return 1;
    gmc_twist V = relative_twist(kin, contact);
    gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
    double t1 = gmc_vec3_dot(u, contact->dir[1]), t2 = gmc_vec3_dot(u, contact->dir[2]);
    bool is_slow = t1 * t1 + t2 * t2 <= law->threshold * law->threshold;
    return is_slow ? 1 : 1 - law->kinetic_loss;
}

static void scale_tangents(const gmc_contact_extra *extra, double *r, gmc_ncp_contact *row)
{
    for (int i = 0; i < 2; i++) {
        row->bias[i + 1] *= extra->scale[i];
        r[i + 1] *= extra->inverse[i];
        for (int k = 0; k < 3; k++)
            row->frame[3 * (i + 1) + k] *= extra->scale[i];
        if (extra->scale[i] != 1) row->is_scaled = true;
    }
}

// ---- bounce -----------------------------------------------------------------------------------

/// Lower speeds are tried so often; mostly one is enough.
enum { ROUNDS_MAX = 8 };

/// What impacts need, once a step.
struct gmc_coulomb_impact {
    double *v_free; ///< (free) v* = Mh⁻¹ p*
};

/// x := Mh⁻¹ x in one diagonal block. A block without factors is the solver's to report: unchanged.
static gmc_status solve_block(const gmc_coulomb_step *step, int block, double *x)
{
    int from = step->memory->block_start[block], n = step->memory->block_start[block + 1] - from;
    int stride = gmc_mat_stride(n);
    size_t mark = gmc_arena_mark(step->scratch);
    double *a = gmc_arena_doubles(step->scratch, (size_t)n * ((size_t)stride + 1));
    int *last = gmc_arena_take(step->scratch, (size_t)n, sizeof *last);
    if (!a || !last) return GMC_E_ARENA_FULL;
    double *inverse_d = a + n * stride;
    for (int i = 0; i < n; i++)
        memcpy(a + i * stride, gmc_coulomb_mass_row(step, from + i) + from, (size_t)n * sizeof *a);
    gmc_mat A = {a, n, n, stride};
    if (gmc_mat_ldlt_factor(A, last, inverse_d)) gmc_mat_ldlt_solve(A, last, inverse_d, x + from);
    gmc_arena_reset(step->scratch, mark);
    return GMC_OK;
}

static gmc_status open_impact(gmc_coulomb_step *step)
{
    if (step->impact) return GMC_OK;
    size_t n = (size_t)step->world->model->free_count;
    struct gmc_coulomb_impact *impact = gmc_arena_take(step->scratch, 1, sizeof *impact);
    double *v = gmc_arena_doubles(step->scratch, n);
    if (!impact || !v) return GMC_E_ARENA_FULL;
    memcpy(v, step->momentum, n * sizeof *v);
    for (int block = 0; block < step->memory->block_count; block++)
        GMC_TRY(solve_block(step, block, v));
    impact->v_free = v;
    step->impact = impact;
    return GMC_OK;
}

/// 1/m as the contact's normal feels it, from the diagonal of M.
static double inverse_mass(const gmc_coulomb_step *step, const gmc_ncp_group *group,
                           const gmc_ncp_contact *row)
{
    double sum = 0, J[3];
    for (int k = 0; k < group->column_count; k++) {
        int i = group->columns[k];
        gmc_ncp_contact_column(group, row, k, J);
        sum += J[0] * J[0] / gmc_coulomb_mass_row(step, i)[i];
    }
    return sum;
}

static gmc_status bounce(gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c,
                         double driven)
{
    gmc_contact *contact = &step->world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    const gmc_surface_extra *law = contact->law.extra;
    gmc_contact_extra *extra = contact->extra;
    double pending = extra->approach, gap = contact->point.gap, h = step->h;
    gmc_twist V = relative_twist(&step->world->kin, contact);
    double before = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p));
    bool is_fast = before < -law->bounce_speed && contact->mode == GMC_CONTACT_OPEN;
    extra->approach = 0;
    if (pending == 0 && !is_fast) return GMC_OK;

    double all[3];
    GMC_TRY(open_impact(step));
    gmc_ncp_contact_velocity(group, row, step->impact->v_free, all);
    double after = all[0] + driven, gain = after - before;
    if (pending == 0 && gap > 0 && gap + h * after >= 0) return GMC_OK; // not in this step
    row->compliance_n = fmin(row->compliance_n, IMPACT_COMPLIANCE * inverse_mass(step, group, row));
    if (pending == 0) {
        double share = gap > 0 ? -gap / (h * after) : 0;
        extra->approach = -(before + gain * (share + 0.5));
        if (gap < 0) row->bias[0] = driven; // first seen as it overlaps: it stops where it is
        return GMC_OK;
    }
    extra->target = fmax(law->restitution * pending + 0.5 * gain, 0);
    if (extra->target > 0) row->bias[0] = driven - extra->target;
    return GMC_OK;
}

/// Energy that a contact's impulse adds, as seen from the driven bodies: r · (u* + u⁺)/2.
static double energy_added(const gmc_coulomb_step *step, const gmc_ncp_group *group, int c)
{
    const double *driven = step->world->contacts.contacts[c].extra->driven;
    const gmc_ncp_contact *row = &step->contacts[c];
    const double *r = step->solution.r + 3 * c;
    double from[3], to[3], sum = 0;
    gmc_ncp_contact_velocity(group, row, step->impact->v_free, from);
    gmc_ncp_contact_velocity(group, row, step->solution.v, to);
    for (int i = 0; i < 3; i++)
        sum += r[i] * (0.5 * (from[i] + to[i]) + driven[i]);
    return sum;
}

bool gmc_coulomb_extra_limit(const gmc_coulomb_step *step, int round)
{
    const gmc_contact_set *set = &step->world->contacts;
    double added = 0, allowed = 0;
    bool has_bounce = false;
    const gmc_ncp_group *group = step->groups;
    for (int c = 0; c < set->count; c++) {
        if (c == group->contact_first + group->contact_count) group++;
        gmc_contact_extra *extra = set->contacts[c].extra;
        if (!extra || set->contacts[c].law.extra->restitution == 0) continue;
        double energy = energy_added(step, group, c);
        added += energy;
        if (extra->approach > 0) extra->energy = fmax(-energy, 0);
        if (!(step->solution.r[3 * c] > 0)) extra->approach = 0; // others took its approach away
        if (!(extra->target > 0)) continue;
        double e = set->contacts[c].law.extra->restitution;
        has_bounce = true;
        allowed += e * e * extra->energy;
    }
    if (!has_bounce || added <= allowed || round > ROUNDS_MAX) return false;
    // energies go with the square of speeds; the last round asks for none
    double share = round < ROUNDS_MAX ? 0.99 * sqrt(fmax(allowed, 0) / added) : 0;
    for (int c = 0; c < set->count; c++) {
        gmc_contact_extra *extra = set->contacts[c].extra;
        if (!extra || !(extra->target > 0)) continue;
        step->contacts[c].bias[0] += (1 - share) * extra->target;
        extra->target *= share;
    }
    return true;
}

// ---- the row ----------------------------------------------------------------------------------

void gmc_coulomb_extra_press(const gmc_kinematics *kin, double h, gmc_contact *contact)
{
    if (!(contact->law.extra->pad > 0)) return;
    gmc_twist V = relative_twist(kin, contact);
    gmc_pad_press(contact, h * gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p)));
}

gmc_status gmc_coulomb_extra_row(gmc_coulomb_step *step, const gmc_ncp_group *group, size_t c,
                                 const double u_driven[3])
{
    gmc_contact *contact = &step->world->contacts.contacts[c];
    gmc_ncp_contact *row = &step->contacts[c];
    if (contact->law.extra->pad > 0 && contact->point.gap <= 0)
        row->bias[0] = u_driven[0] + contact->extra->pad_gap / (step->h + contact->law.relaxation);
    if (contact->law.extra->restitution > 0 && step->is_centred)
        GMC_TRY(bounce(step, group, c, u_driven[0]));
    contact->law.friction *= gmc_coulomb_extra_friction_share(&step->world->kin, contact);
    row->friction = contact->law.friction;
    scale_tangents(contact->extra, step->solution.r + 3 * c, row);
    contact->extra->driven[0] = u_driven[0];
    for (int i = 1; i < 3; i++)
        contact->extra->driven[i] = u_driven[i] * contact->extra->scale[i - 1];
    return GMC_OK;
}

void gmc_coulomb_extra_keep(gmc_contact *contact, gmc_coulomb_anchor *anchor)
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
