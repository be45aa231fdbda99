#include "engine/complementarity/ncp.h"

/// Σ_k |S_v + S_w x a|² / M_kk as a polynomial in the arm a: constant + slope · a + aᵀ Q a, with
/// Q = Σ (|S_w|² 1 - S_w S_wᵀ)/M.
typedef struct group_scale {
    double constant, slope[3], xx, yy, zz, yz, zx, xy; ///< of Q the sums of both sides
} group_scale;

static void add_column(const double *S, double inverse_mass, group_scale *scale)
{
    const double *v = S, *w = S + 3;
    double x = inverse_mass * w[0], y = inverse_mass * w[1], z = inverse_mass * w[2];
    double xx = x * w[0], yy = y * w[1], zz = z * w[2];
    scale->constant += inverse_mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    scale->slope[0] += 2 * (v[1] * z - v[2] * y);
    scale->slope[1] += 2 * (v[2] * x - v[0] * z);
    scale->slope[2] += 2 * (v[0] * y - v[1] * x);
    scale->xx += yy + zz;
    scale->yy += zz + xx;
    scale->zz += xx + yy;
    scale->yz -= 2 * y * w[2];
    scale->zx -= 2 * z * w[0];
    scale->xy -= 2 * x * w[1];
}

/// One that turns nothing.
static void add_slide(const double *v, double inverse_mass, group_scale *scale)
{
    scale->constant += inverse_mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static group_scale group_scale_of(const gmc_ncp_group *group, const double *inverse_mass)
{
    group_scale scale = {0};
    if (group->column_count > group->general_count) {
        const double *unit = inverse_mass + group->columns[group->general_count];
        scale.constant = unit[0] + unit[1] + unit[2];
        scale.xx = unit[4] + unit[5];
        scale.yy = unit[5] + unit[3];
        scale.zz = unit[3] + unit[4];
    }
    for (int k = 0; k < group->hints.slide_count; k++)
        add_slide(group->S + 6 * k, inverse_mass[group->columns[k]], &scale);
    for (int k = group->hints.slide_count; k < group->general_count; k++)
        add_column(group->S + 6 * k, inverse_mass[group->columns[k]], &scale);
    return scale;
}

static double contact_scale(const group_scale *scale, const double arm[3])
{
    double x = arm[0], y = arm[1], z = arm[2];
    const double *slope = scale->slope;
    double sum = scale->constant + x * (slope[0] + scale->xx * x + scale->xy * y) +
                 y * (slope[1] + scale->yy * y + scale->yz * z) +
                 z * (slope[2] + scale->zz * z + scale->zx * x);
    return sum > 0 ? sum * (1.0 / 3) : 0 * sum; // rounding of what cancels; NaN stays
}

static double row_scale(const gmc_ncp_row *row, const double *inverse_mass)
{
    double sum = 0;
    for (int k = 0; k < row->column_count; k++)
        sum += row->J[k] * row->J[k] * inverse_mass[row->columns[k]];
    return sum;
}

/// Root energy of what is given: the free motion, the approach that contacts must answer (a distant
/// contact asks for nothing), the biases of rows as far as their box lets them act.
/// @param approach  energy of that approach
static double problem_size(const gmc_ncp *problem, const gmc_ncp_scales *scales, double approach)
{
    double sum = approach;
    for (int i = 0; i < problem->dof_count; i++)
        sum += problem->momentum[i] * problem->momentum[i] * scales->inverse_mass[i];
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        double sum_w = scales->row[i] + row->compliance;
        double wanted = gmc_ncp_clamp(-row->bias / sum_w, row->lower, row->upper);
        sum += wanted * wanted * sum_w;
    }
    return fmax(sqrt(sum), GMC_NCP_SMALLEST);
}

gmc_status gmc_ncp_scale(const gmc_ncp *problem, gmc_arena *arena, gmc_ncp_scales *scales)
{
    int n = problem->dof_count;
    int nc = problem->contact_count, nr = problem->row_count;
    double *x = GMC_ROOM(arena, 2 * n + nc + nr, double);
    if (!x) return GMC_E_ARENA_FULL;
    scales->inverse_mass = x;
    scales->defect = x + n;
    scales->contact = x + 2 * n;
    scales->row = scales->contact + nc;
    double approach = 0;

    for (int block = 0; block < problem->block_count; block++) {
        size_t stride, from = (size_t)problem->block_start[block];
        size_t width = (size_t)problem->block_start[block + 1] - from;
        const double *M = gmc_ncp_mass_block(problem, block, &stride);
        for (size_t i = 0; i < width; i++)
            scales->inverse_mass[from + i] = 1 / M[i * stride + i];
    }
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        group_scale scale = group_scale_of(group, scales->inverse_mass);
        const gmc_ncp_contact *contact = problem->contacts + group->contact_first;
        double *to = scales->contact + group->contact_first;
        for (int left = group->contact_count; left > 0; left--, contact++, to++) {
            double closing = contact->bias[0];
            *to = contact_scale(&scale, contact->arm);
            if (closing < 0) approach += closing * closing / (*to + contact->compliance_n);
        }
    }
    for (int i = 0; i < problem->row_count; i++)
        scales->row[i] = row_scale(&problem->rows[i], scales->inverse_mass);
    scales->momentum = problem_size(problem, scales, approach);
    return GMC_OK;
}

/// g += x_0 row_0 + x_1 row_1, in pairs: vector code
static inline void add_rows(const double *restrict row, size_t stride, const double x[2], int width,
                            double *restrict g)
{
    const double *next = row + stride;
    int i = 0;
    for (; i + 1 < width; i += 2) {
        g[i] += x[0] * row[i] + x[1] * next[i];
        g[i + 1] += x[0] * row[i + 1] + x[1] * next[i + 1];
    }
    if (i < width) g[i] += x[0] * row[i] + x[1] * next[i];
}

/// g := M v - p*. Rows of M serve as its columns: it is symmetric.
static void momentum_change(const gmc_ncp *problem, const double *v, double *g)
{
    for (int i = 0; i < problem->dof_count; i++)
        g[i] = -problem->momentum[i];
    for (int block = 0; block < problem->block_count; block++) {
        int from = problem->block_start[block], width = problem->block_start[block + 1] - from;
        size_t stride;
        const double *row = gmc_ncp_mass_block(problem, block, &stride);
        int j = 0;
        for (; j + 1 < width; j += 2, row += 2 * stride)
            add_rows(row, stride, v + from + j, width, g + from);
        for (int i = 0; i < width && j < width; i++)
            g[from + i] += v[from + j] * row[i];
    }
}

/// p -= Jᵀ r of all contacts.
static void push_contacts(int group_count, const gmc_ncp_group *groups,
                          const gmc_ncp_contact *contacts, const double *r, double *p)
{
    for (int i = 0; i < group_count; i++) {
        double F[6];
        gmc_ncp_group_wrench(&groups[i], contacts, r, F);
        gmc_ncp_group_push(&groups[i], F, p);
    }
}

/// g -= Jᵀ s
static void push_rows(const gmc_ncp *problem, const double *s, double *g)
{
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        for (int k = 0; k < row->column_count; k++)
            g[row->columns[k]] -= row->J[k] * s[i];
    }
}

void gmc_ncp_defect(const gmc_ncp *problem, const double *v, const double *r, const double *s,
                    double *g)
{
    momentum_change(problem, v, g);
    push_contacts(problem->group_count, problem->groups, problem->contacts, r, g);
    push_rows(problem, s, g);
}

/// w := J v + b + R r from w = J v
static inline void contact_answer(const gmc_ncp_contact *contact, const double *r, double w[3])
{
    w[0] += contact->bias[0] + contact->compliance_n * r[0];
    w[1] += contact->bias[1] + contact->compliance_t * r[1];
    w[2] += contact->bias[2] + contact->compliance_t * r[2];
}

static double row_answer(const gmc_ncp_row *row, const double *v, double s)
{
    return gmc_ncp_row_velocity(row, v) + row->bias + row->compliance * s;
}

/// Φ_N²/ρ_N + |Φ_T|²/ρ_T
/// @param w  in: J v; out: w
static inline double contact_defect(const gmc_ncp_contact *contact, double scale, const double *r,
                                    double w[3])
{
    contact_answer(contact, r, w);
    double soft_n = scale + contact->compliance_n, soft_t = scale + contact->compliance_t;
    double y[3] = {r[0] - w[0] / soft_n, r[1] - w[1] / soft_t, r[2] - w[2] / soft_t}, p[3];
    gmc_ncp_project(y, contact->friction, p);
    double n = r[0] - p[0], t1 = r[1] - p[1], t2 = r[2] - p[2];
    // a NaN in y_N projects to zero: let it show here
    return n * n * soft_n + (t1 * t1 + t2 * t2) * soft_t + 0 * y[0];
}

static double row_defect(const gmc_ncp_row *row, double scale, double s, double w)
{
    double soft = scale + row->compliance;
    double defect = s - gmc_ncp_clamp(s - w / soft, row->lower, row->upper);
    return defect * defect * soft + 0 * w;
}

/// Defects of a group's contacts; g -= what their impulses are to the dofs.
static double group_defect(const gmc_ncp *problem, const double *scale, const gmc_ncp_group *group,
                           const double *v, const double *r, double *g)
{
    int c = group->contact_first, end = c + group->contact_count;
    double V[6], F[6] = {0}, sum = 0;
    gmc_ncp_group_velocity(group, v, V);
    while (c < end) {
        const gmc_ncp_contact *contact = &problem->contacts[c], *first = contact;
        double w[3];
        if (first->hints.face_count == 0) {
            gmc_ncp_contact_wrench(contact, r + 3 * c, F);
            gmc_ncp_contact_at(contact, V, w);
            sum += contact_defect(contact, scale[c], r + 3 * c, w);
            c++;
            continue;
        }
        gmc_ncp_face face, impulses = {{0}, {0}};
        gmc_ncp_face_open(first->frame, V, &face);
        for (int stop = c + first->hints.face_count; c < stop; c++, contact++) {
            gmc_ncp_face_add(contact->hints.turned_arm, r + 3 * c, &impulses);
            gmc_ncp_face_at(&face, contact->hints.turned_arm, w);
            sum += contact_defect(contact, scale[c], r + 3 * c, w);
        }
        gmc_ncp_face_wrench(first->frame, &impulses, F);
    }
    gmc_ncp_group_push(group, F, g);
    return sum;
}

double gmc_ncp_judge_scaled(const gmc_ncp *problem, const gmc_ncp_scales *scales, const double *v,
                            const double *r, const double *s)
{
    double sum = 0, *g = scales->defect;
    momentum_change(problem, v, g);
    for (int i = 0; i < problem->group_count; i++)
        sum += group_defect(problem, scales->contact, &problem->groups[i], v, r, g);
    push_rows(problem, s, g);
    for (int i = 0; i < problem->dof_count; i++)
        sum += g[i] * g[i] * scales->inverse_mass[i];
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        sum += row_defect(row, scales->row[i], s[i], row_answer(row, v, s[i]));
    }
    return sqrt(sum) / scales->momentum;
}

/// Of the first contact that presses; of none, if none does.
static bool may_contact_rest(const gmc_ncp *problem, const gmc_ncp_scales *scales, const double *v,
                             const double *r, double enough)
{
    const gmc_ncp_group *group = problem->groups;
    int c = 0;
    while (c < problem->contact_count && !(r[3 * c] > 0))
        c++;
    if (c == problem->contact_count) return false;
    while (c >= group->contact_first + group->contact_count)
        group++;
    double w[3];
    gmc_ncp_contact_velocity(group, &problem->contacts[c], v, w);
    return contact_defect(&problem->contacts[c], scales->contact[c], r + 3 * c, w) <= enough;
}

/// May the scaled residual be within `limit`?
static bool may_rest(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                     const gmc_ncp_solution *x, double limit)
{
    double enough = limit * scales->momentum;
    enough *= enough;
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        double w = row_answer(row, x->v, x->s[i]);
        if (!(row_defect(row, scales->row[i], x->s[i], w) <= enough)) return false;
    }
    return may_contact_rest(problem, scales, x->v, x->r, enough);
}

static void settle(const gmc_ncp *problem, const gmc_ncp_scales *scales, const gmc_ncp_solution *x)
{
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double V[6];
        gmc_ncp_group_velocity(group, x->v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++) {
            const gmc_ncp_contact *contact = &problem->contacts[c];
            double w[3], *r = x->r + 3 * c;
            gmc_ncp_contact_at(contact, V, w);
            contact_answer(contact, r, w);
            double rho_n = 1 / (scales->contact[c] + contact->compliance_n);
            double rho_t = 1 / (scales->contact[c] + contact->compliance_t);
            const double y[3] = {r[0] - w[0] * rho_n, r[1] - w[1] * rho_t, r[2] - w[2] * rho_t};
            gmc_ncp_project(y, contact->friction, r);
        }
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        double w = row_answer(row, x->v, x->s[i]);
        x->s[i] =
            gmc_ncp_clamp(x->s[i] - w / (scales->row[i] + row->compliance), row->lower, row->upper);
    }
}

bool gmc_ncp_settle(const gmc_ncp *problem, const gmc_ncp_scales *scales, const gmc_ncp_solution *x,
                    double limit, double *residual)
{
    if (!may_rest(problem, scales, x, limit)) return false;
    double found = gmc_ncp_judge_scaled(problem, scales, x->v, x->r, x->s);
    if (!(found <= limit)) return false;
    *residual = found;
    settle(problem, scales, x);
    return true;
}
