#include "engine/complementarity/newton_merit.h"

#include <string.h>

/// Of v with the impulses in r_flat, s_flat.
static double momentum_merit(gmc_newton_run *w, const double *v)
{
    double sum = 0;
    gmc_ncp_defect(w->problem, v, w->r_flat, w->s_flat, w->g);
    for (int i = 0; i < w->problem->dof_count; i++)
        sum += w->g[i] * w->g[i] * w->scales->inverse_mass[i];
    return sum;
}

static void flatten(gmc_newton_run *w)
{
    for (int i = 0; i < w->problem->contact_count; i++)
        memcpy(w->r_flat + 3 * i, w->cones[i].r, 3 * sizeof(double));
    for (int i = 0; i < w->problem->row_count; i++)
        w->s_flat[i] = w->clamps[i].s;
}

double gmc_newton_merit_full(gmc_newton_run *w)
{
    const gmc_ncp *problem = w->problem;
    double sum = 0, none = 0;
    for (int i = 0; i < problem->dof_count; i++)
        none += 0 * w->v_next[i];
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        int end = group->contact_first + group->contact_count;
        double V[6];
        gmc_ncp_group_velocity(group, w->v_next, V);
        for (int c = group->contact_first; c < end;) {
            const gmc_ncp_contact *first = &problem->contacts[c], *contact = first;
            gmc_newton_cone *cone = &w->cones[c];
            if (first->face_count == 0) {
                gmc_ncp_contact_at(first, V, cone->u_next);
                sum += gmc_newton_line_defect(cone);
                c++;
                continue;
            }
            gmc_ncp_face face;
            gmc_ncp_face_open(first->frame, V, &face);
            for (int stop = c + first->face_count; c < stop; c++, contact++, cone++) {
                gmc_ncp_face_at(&face, contact->turned_arm, cone->u_next);
                sum += gmc_newton_line_defect(cone);
            }
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u_next = gmc_ncp_row_velocity(&problem->rows[i], w->v_next);
        c->s_next = c->q - c->g * c->u_next;
        sum += gmc_newton_clamp_defect(c, c->u_next, c->s_next);
    }
    return sum + none;
}

double gmc_newton_merit_part(gmc_newton_run *w, double t)
{
    if (w->momentum_merit == GMC_NEWTON_UNKNOWN) {
        flatten(w);
        w->momentum_merit = momentum_merit(w, w->v);
    }
    double sum = (1 - t) * (1 - t) * w->momentum_merit;
    for (int i = 0; i < w->problem->contact_count; i++) {
        double u[3], r[3];
        gmc_newton_cone_at(&w->cones[i], t, u, r);
        sum += gmc_newton_cone_defect(&w->cones[i], u, r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        sum += gmc_newton_clamp_defect(c, gmc_newton_part(c->u, c->u_next, t),
                                       gmc_newton_part(c->s, c->s_next, t));
    }
    return sum;
}

double gmc_newton_merit_primal(gmc_newton_run *w, double t)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        double u[3], r[3];
        gmc_newton_cone_at(c, t, u, r);
        double y[3] = {-(u[0] + c->b[0]) * c->k_n, -(u[1] + c->b[1]) * c->k_t,
                       -(u[2] + c->b[2]) * c->k_t};
        gmc_ncp_project(y, c->friction, w->r_flat + 3 * i);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        double y = -(gmc_newton_part(c->u, c->u_next, t) + c->b) * c->k;
        w->s_flat[i] = gmc_ncp_clamp(y, c->lower, c->upper);
    }
    for (int i = 0; i < problem->dof_count; i++)
        w->moved[i] = gmc_newton_part(w->v[i], w->v_next[i], t);
    return momentum_merit(w, w->moved);
}
