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

#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/contact/coulomb/pad.h"

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
        if (extra->scale[i] != 1) row->is_scaled = true;
    }
}

// ---- the row ----------------------------------------------------------------------------------

void gmc_coulomb_extra_press(const gmc_kinematics *kin, double h, gmc_contact *contact)
{
    if (!(contact->law.extra->pad > 0)) return;
    gmc_twist V = relative_twist(kin, contact);
    gmc_pad_press(contact, h * gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p)));
}

void gmc_coulomb_extra_row(const gmc_coulomb_step *step, size_t c, const double u_driven[3])
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
