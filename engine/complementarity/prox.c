#include "engine/complementarity/prox.h"

#include "engine/complementarity/newton.h"

#include <string.h>

// Inner problems need not be solved well while the outer sequence still moves: their residual only
// has to be small against the distance that is left (INNER). Once 1 + α has come down to nearly 1
// the inner problem is the true one, and Newton's quadratic end finishes it.
static const double INNER = 1e-2;     ///< inner tolerance per outer residual
static const double RELAX = 0.25;     ///< α shrinks so after a good stage
static const double STIFFEN = 8;      ///< and grows so after a bad one
static const double ALPHA_MIN = 1e-3; ///< below it the inner problem is the true one, to a permille
static const double ALPHA_MAX = 1e6;

typedef struct prox {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    gmc_ncp softer;
    gmc_ncp_contact *contacts;
    gmc_ncp_row *rows;
    gmc_ncp_solution trial;
} prox;

static gmc_status prox_make_room(prox *p, gmc_arena *scratch)
{
    int n = p->problem->dof_count, nc = p->problem->contact_count;
    int nr = p->problem->row_count;
    p->contacts = GMC_NEW(scratch, nc, gmc_ncp_contact);
    p->rows = GMC_NEW(scratch, nr, gmc_ncp_row);
    double *x = GMC_NEW(scratch, n + 3 * nc + nr, double);
    if (!p->contacts || !p->rows || !x) return GMC_E_ARENA_FULL;
    p->trial = (gmc_ncp_solution){x, x + n, x + n + 3 * nc};
    p->softer = *p->problem;
    p->softer.contacts = p->contacts;
    p->softer.rows = p->rows;
    return GMC_OK;
}

static void copy_iterate(const prox *p, const gmc_ncp_solution *from, const gmc_ncp_solution *to)
{
    memcpy(to->v, from->v, (size_t)p->problem->dof_count * sizeof(double));
    memcpy(to->r, from->r, 3 * (size_t)p->problem->contact_count * sizeof(double));
    memcpy(to->s, from->s, (size_t)p->problem->row_count * sizeof(double));
}

static void soften(prox *p, double alpha, const gmc_ncp_solution *centre)
{
    for (int c = 0; c < p->problem->contact_count; c++) {
        gmc_ncp_contact *contact = &p->contacts[c];
        const double *r = centre->r + 3 * c;
        *contact = p->problem->contacts[c];
        contact->bias[0] -= alpha * contact->compliance_n * r[0];
        contact->bias[1] -= alpha * contact->compliance_t * r[1];
        contact->bias[2] -= alpha * contact->compliance_t * r[2];
        contact->compliance_n *= 1 + alpha;
        contact->compliance_t *= 1 + alpha;
    }
    for (int i = 0; i < p->problem->row_count; i++) {
        gmc_ncp_row *row = &p->rows[i];
        *row = p->problem->rows[i];
        row->bias -= alpha * row->compliance * centre->s[i];
        row->compliance *= 1 + alpha;
    }
}

static double prox_judge(const prox *p, const gmc_ncp_solution *x)
{
    return gmc_ncp_judge_scaled(p->problem, p->scales, x->v, x->r, x->s);
}

gmc_status gmc_prox_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                          const gmc_prox_options *options, gmc_ncp_solution *iterate,
                          gmc_arena *scratch, gmc_prox_result *result)
{
    prox p = {.problem = problem, .scales = scales};
    size_t mark = gmc_arena_mark(scratch);
    *result = (gmc_prox_result){.residual = NAN};
    if (prox_make_room(&p, scratch) != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }

    double alpha = options->softening - 1;
    result->residual = prox_judge(&p, iterate);
    while (result->stages < options->stage_max && !(result->residual <= options->tolerance)) {
        result->stages++;
        soften(&p, alpha, iterate);
        copy_iterate(&p, iterate, &p.trial);
        double goal = fmax(options->tolerance, INNER * fmin(result->residual, 1));
        gmc_newton_options inner = {GMC_NEWTON_PRIMAL_DUAL, options->iteration_max,
                                    alpha > ALPHA_MIN ? goal : options->tolerance, NULL};
        gmc_newton_result newton;
        gmc_status status = gmc_newton_solve(&p.softer, scales, &inner, &p.trial, scratch, &newton);
        result->iterations += newton.iterations;
        if (status == GMC_E_ARENA_FULL) {
            gmc_arena_reset(scratch, mark);
            return status;
        }
        if (status == GMC_OK) {
            copy_iterate(&p, &p.trial, iterate);
            result->residual = prox_judge(&p, iterate);
            alpha = alpha > ALPHA_MIN ? alpha * RELAX : 0;
        } else {
            alpha = fmin(fmax(alpha, ALPHA_MIN) * STIFFEN, ALPHA_MAX);
        }
    }
    gmc_arena_reset(scratch, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
