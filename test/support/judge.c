#include "test/support/judge.h"

static void judge_contact(const gmc_dual_unit *unit, const double *r, const double *w,
                          gmc_judgement *found)
{
    double slip = sqrt(w[1] * w[1] + w[2] * w[2]), pull = sqrt(r[1] * r[1] + r[2] * r[2]);
    double bound = unit->friction * fmax(r[0], 0);
    if (unit->facet_count > 0) {
        const double against[2] = {-w[1], -w[2]};
        slip = gmc_pyramid_reach(against, unit->facet_count);
        pull = gmc_pyramid_radius(r + 1, unit->facet_count);
    }
    double lost = fabs(r[0] * w[0]) + fabs(r[1] * w[1] + r[2] * w[2] + bound * slip);
    found->penetration = fmax(found->penetration, -w[0]);
    found->cone = fmax(found->cone, fmax(pull - bound, -r[0]));
    found->dissipation = fmax(found->dissipation, lost);
}

gmc_judgement gmc_judge_ncp(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                            const gmc_ncp_solution *x)
{
    gmc_judgement found = {.scaled = gmc_ncp_judge_scaled(problem, scales, x->v, x->r, x->s)};
    for (int i = 0; i < problem->dof_count; i++)
        found.momentum = fmax(found.momentum, fabs(scales->defect[i]));
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
            const gmc_ncp_contact *contact = &problem->contacts[c];
            const double *r = x->r + 3 * c;
            double w[3];
            gmc_ncp_contact_velocity(group, contact, x->v, w);
            for (int k = 0; k < 3; k++)
                w[k] += contact->bias[k] +
                        (k == 0 ? contact->compliance_n : contact->compliance_t) * r[k];
            judge_contact(&(gmc_dual_unit){.friction = contact->friction}, r, w, &found);
        }
    }
    for (int i = 0; i < problem->row_count; i++)
        found.cone = fmax(found.cone,
                          fmax(problem->rows[i].lower - x->s[i], x->s[i] - problem->rows[i].upper));
    return found;
}

gmc_judgement gmc_judge_dual(const gmc_dual *problem, const gmc_dual_scales *scales,
                             const double *r, double *w)
{
    gmc_judgement found = {.scaled = gmc_dual_judge_scaled(problem, scales, r, w)};
    for (int c = 0; c < problem->unit_count; c++) {
        const gmc_dual_unit *unit = &problem->units[c];
        if (!unit->is_box) judge_contact(unit, r + 3 * c, w + 3 * c, &found);
        for (int i = 0; i < 3 && unit->is_box; i++) {
            double s = r[3 * c + i];
            found.cone = fmax(found.cone, fmax(unit->lower[i] - s, s - unit->upper[i]));
        }
    }
    return found;
}
