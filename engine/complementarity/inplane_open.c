// From the problem to its rows over the dofs, once for each solve: each contact's two rows cost
// less to multiply out than the sums over a group's motion, because so few columns meet so few
// contacts.

#include "engine/base/check.h"
#include "engine/complementarity/inplane_internal.h"

#include <string.h>

/// As in ncp.c [√J].
static const double SMALLEST_SIZE = 1e-30;

enum { VECTORS = 6 };

size_t gmc_inplane_bytes(int dof_count, int contact_count, int row_count)
{
    size_t n = (size_t)dof_count, stride = (size_t)gmc_mat_stride(dof_count);
    size_t nc = (size_t)contact_count;
    size_t largest = sizeof(gmc_inplane_edge) > sizeof(gmc_inplane_spot) ? sizeof(gmc_inplane_edge)
                                                                         : sizeof(gmc_inplane_spot);
    return (2 * n + VECTORS + 2 * nc) * stride * sizeof(double) + nc * largest +
           (size_t)row_count * sizeof(gmc_newton_clamp) + 64; // the arena's alignment
}

static bool is_spot(const gmc_ncp_contact *contact) { return contact->frame[2] != 0; }

static gmc_status make_room(const gmc_ncp *problem, gmc_arena *scratch, gmc_inplane *w)
{
    int n = problem->dof_count, stride = gmc_mat_stride(n);
    char *at = gmc_arena_room(
        scratch, gmc_inplane_bytes(n, problem->contact_count, problem->row_count) - 64, 1);
    if (!at) return GMC_E_ARENA_FULL;
    double *x = (void *)at;
    *w = (gmc_inplane){.problem = problem, .n = n, .stride = stride, .M = x};
    w->H = x + n * stride;
    w->v = w->H + n * stride;
    w->v_next = w->v + stride;
    w->p = w->v_next + stride;
    w->g = w->p + stride;
    w->inverse_mass = w->g + stride;
    w->inverse_d = w->inverse_mass + stride;
    x = w->inverse_d + stride; // rows of contacts from here on
    double *end = x + 2 * problem->contact_count * stride;
    for (int i = 0; i < problem->contact_count; i++)
        w->spot_count += is_spot(&problem->contacts[i]);
    w->edge_count = problem->contact_count - w->spot_count;
    w->edges = (void *)end;
    w->spots = (void *)(w->edges + w->edge_count);
    w->clamps = (void *)(w->spots + w->spot_count);
    for (int i = 0; i < w->edge_count; i++)
        w->edges[i].J = x + 2 * i * stride;
    return GMC_OK;
}

static void open_dofs(const gmc_ncp_solution *start, gmc_inplane *w)
{
    const gmc_ncp *problem = w->problem;
    int n = w->n, stride = w->stride;
    memset(w->M, 0, (size_t)(n * stride) * sizeof *w->M);
    if (n < stride) w->v[n] = w->v_next[n] = w->p[n] = w->g[n] = w->inverse_mass[n] = 0;
    for (int block = 0; block < problem->block_count; block++) {
        size_t stride_m;
        int from = problem->block_start[block], end = problem->block_start[block + 1];
        const double *row = gmc_ncp_mass_block(problem, block, &stride_m);
        for (int i = from; i < end; i++, row += stride_m)
            for (int j = from; j < end; j++)
                w->M[i * stride + j] = row[j - from];
    }
    for (int i = 0; i < n; i++) {
        w->v[i] = start->v[i];
        w->p[i] = problem->momentum[i];
        w->inverse_mass[i] = 1 / w->M[i * stride + i];
    }
}

/// Rows of a contact: D (1, -[a]) S.
static void multiply_out(const gmc_ncp_group *group, const gmc_ncp_contact *contact, int stride,
                         double *J)
{
    const double *D = contact->frame, *a = contact->arm, *S = group->S;
    double turn_n = a[0] * D[1] - a[1] * D[0], turn_t = a[0] * D[4] - a[1] * D[3];
    double *n = J, *t = J + stride;
    GMC_ASSERT(D[2] == 0 && D[5] == 0 && group->general_count == group->column_count);
    for (int i = 0; i < 2 * stride; i += 2)
        J[i] = J[i + 1] = 0;
    int k = 0;
    for (; k < group->slide_count; k++, S += 6) {
        n[group->columns[k]] = D[0] * S[0] + D[1] * S[1];
        t[group->columns[k]] = D[3] * S[0] + D[4] * S[1];
    }
    for (; k < group->general_count; k++, S += 6) {
        n[group->columns[k]] = D[0] * S[0] + D[1] * S[1] + turn_n * S[5];
        t[group->columns[k]] = D[3] * S[0] + D[4] * S[1] + turn_t * S[5];
    }
}

/// Mean inverse mass of a contact's point over three directions, as gmc_ncp_scales.
static double edge_scale(const gmc_inplane *w, const double *J)
{
    const double *n = J, *t = J + w->stride, *weight = w->inverse_mass;
    double even = 0, odd = 0;
    for (int i = 0; i < w->stride; i += 2) {
        even += (n[i] * n[i] + t[i] * t[i]) * weight[i];
        odd += (n[i + 1] * n[i + 1] + t[i + 1] * t[i + 1]) * weight[i + 1];
    }
    return (even + odd) * (1.0 / 3);
}

/// @return energy of the approach that it must answer
static double open_edge(const gmc_inplane *w, const gmc_ncp_group *group, int index,
                        const double *r, gmc_inplane_edge *edge)
{
    const gmc_ncp_contact *contact = &w->problem->contacts[index];
    const double R[2] = {contact->compliance_n, contact->compliance_t};
    multiply_out(group, contact, w->stride, edge->J);
    double scale = edge_scale(w, edge->J), closing = contact->bias[0];
    edge->index = index;
    edge->friction = contact->friction;
    for (int i = 0; i < 2; i++) {
        edge->b[i] = contact->bias[i];
        edge->r[i] = r[i];
        edge->R[i] = R[i];
        edge->soft[i] = scale + R[i];
        edge->k[i] = 1 / R[i];
        edge->rho[i] = 1 / edge->soft[i];
    }
    return closing < 0 ? closing * closing * edge->rho[0] : 0;
}

/// Its group moves as the three dofs of its body do.
static double open_spot(const gmc_inplane *w, const gmc_ncp_group *group, int index,
                        const double *r, gmc_inplane_spot *spot)
{
    const gmc_ncp_contact *contact = &w->problem->contacts[index];
    const double *a = contact->arm, *weight = w->inverse_mass + group->columns[0];
    GMC_ASSERT(group->column_count == 3 && group->general_count == 3 && group->S[0] == 1 &&
               group->S[7] == 1 && group->S[17] == 1 && group->columns[2] == group->columns[0] + 2);
    double scale = (weight[0] + weight[1] + (a[0] * a[0] + a[1] * a[1]) * weight[2]) * (1.0 / 3);
    spot->index = index;
    spot->dof = group->columns[0];
    spot->R = contact->compliance_t;
    spot->soft = scale + spot->R;
    spot->k = 1 / spot->R;
    spot->rho = 1 / spot->soft;
    spot->normal = fmax(0, -contact->bias[0] / contact->compliance_n);
    spot->radius = contact->friction * spot->normal;
    for (int i = 0; i < 2; i++) {
        spot->arm[i] = a[i];
        spot->b[i] = contact->bias[i + 1];
        spot->r[i] = r[i + 1];
    }
    double closing = contact->bias[0];
    return closing < 0 ? closing * closing / (scale + contact->compliance_n) : 0;
}

/// Root energy of what is given, as in ncp.c.
static double size_of(const gmc_inplane *w, double approach)
{
    double sum = approach;
    for (int i = 0; i < w->n; i++)
        sum += w->p[i] * w->p[i] * w->inverse_mass[i];
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        double wanted = gmc_ncp_clamp(-c->b * c->rho, c->lower, c->upper);
        sum += wanted * wanted * c->soft;
    }
    return fmax(sqrt(sum), SMALLEST_SIZE);
}

static double row_scale(const gmc_inplane *w, const gmc_ncp_row *row)
{
    double sum = 0;
    for (int k = 0; k < row->column_count; k++)
        sum += row->J[k] * row->J[k] * w->inverse_mass[row->columns[k]];
    return sum;
}

gmc_status gmc_inplane_open(const gmc_ncp *problem, const gmc_ncp_solution *start,
                            gmc_arena *scratch, gmc_inplane *w)
{
    double approach = 0;
    GMC_TRY(make_room(problem, scratch, w));
    open_dofs(start, w);
    gmc_inplane_edge *edge = w->edges;
    gmc_inplane_spot *spot = w->spots;
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
            const double *r = start->r + 3 * c;
            approach += is_spot(&problem->contacts[c]) ? open_spot(w, group, c, r, spot++)
                                                       : open_edge(w, group, c, r, edge++);
        }
    }
    for (int i = 0; i < problem->row_count; i++)
        gmc_newton_open_clamp(&problem->rows[i], row_scale(w, &problem->rows[i]), start->v,
                              start->s[i], &w->clamps[i]);
    w->size = size_of(w, approach);
    return GMC_OK;
}

double gmc_inplane_momentum(const gmc_inplane *w, const double *v)
{
    const gmc_ncp *problem = w->problem;
    int n = w->n, stride = w->stride;
    double *g = w->g, sum = 0; // Jᵀ r + p* - M v
    for (int i = 0; i < n; i++)
        g[i] = w->p[i] - gmc_inplane_dot(w->M + i * stride, v, stride);
    for (int i = 0; i < w->edge_count; i++)
        gmc_inplane_edge_push(&w->edges[i], w->edges[i].r[0], w->edges[i].r[1], stride, g);
    for (int i = 0; i < w->spot_count; i++)
        gmc_inplane_spot_push(&w->spots[i], w->spots[i].r, g);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        for (int k = 0; k < row->column_count; k++)
            g[row->columns[k]] += row->J[k] * w->clamps[i].s;
    }
    for (int i = 0; i < n; i++)
        sum += g[i] * g[i] * w->inverse_mass[i];
    return sum;
}

double gmc_inplane_judge(gmc_inplane *w)
{
    double sum = gmc_inplane_momentum(w, w->v), u[2];
    for (int i = 0; i < w->edge_count; i++) {
        gmc_inplane_edge_velocity(&w->edges[i], w->v, w->stride, u);
        sum += gmc_inplane_edge_defect(&w->edges[i], u, w->edges[i].r);
    }
    for (int i = 0; i < w->spot_count; i++) {
        gmc_inplane_spot_velocity(&w->spots[i], w->v, u);
        sum += gmc_inplane_spot_defect(&w->spots[i], u, w->spots[i].r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        double u_row = gmc_ncp_row_velocity(&w->problem->rows[i], w->v);
        sum += gmc_newton_clamp_defect(&w->clamps[i], u_row, w->clamps[i].s);
    }
    return sqrt(sum) / w->size;
}
