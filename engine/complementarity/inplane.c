// The iteration of newton.c, its primal-dual form: the law of every contact is a line
// r⁺ = q - G J v⁺, its impulse is eliminated, and
//
//   (M + Σ Jᵀ G J) v⁺ = p* + Σ Jᵀ q
//
// Of what slides along an edge G has one row only, f J_Nᵀ/R_N with f = J_N ± mu J_T: in a plane the
// direction of sliding cannot turn. What is summed there over groups of contacts is summed here
// over rows of all dofs: with few of both that is the shorter way.
#include "engine/complementarity/inplane.h"

#include "engine/base/check.h"
#include "engine/complementarity/newton_cone.h"

#include <string.h>

// ---- a planar problem multiplied out -----------------------------------------------------------

typedef enum inplane_piece { OPEN, STICK, SLIP } inplane_piece;

/// Both rows; [0] normal, [1] tangent.
typedef struct inplane_edge {
    double *J;                                ///< (2 * stride) rows over all dofs
    double b[2], R[2], k[2], soft[2], rho[2]; ///< as in newton_cone.h
    double friction;
    double u[2], r[2], u_next[2], r_next[2], y[2], p[2];
    double tilt; ///< slip: r_T / r_N
    inplane_piece piece;
    int index; ///< contact of the problem
} inplane_edge;

/// The two tangents, along x and y of the plane.
typedef struct inplane_spot {
    int dof;       ///< the first of the three of its body, about the mass centre
    double arm[2]; ///< from there [m]
    double b[2], R, k, soft, rho;
    double normal, radius; ///< impulse, and mu times it [N·s]
    double u[2], r[2], u_next[2], r_next[2], y[2], p[2], q[2];
    double g[3]; ///< G: 11, 12, 22
    bool is_sliding;
    int index;
} inplane_spot;

/// A problem in the making, all arrays in one piece of scratch. Vectors and rows over the dofs are
/// `stride` long, zero behind the last dof.
typedef struct inplane {
    const gmc_ncp *problem;
    int n, stride, edge_count, spot_count;
    double *M, *H;              ///< (n x stride)
    double *v, *v_next, *p, *g; ///< (stride) velocity, after a full step, momentum, scratch
    double *inverse_mass;       ///< (stride) 1 / M_ii
    double *inverse_d;          ///< (stride) of the factors
    double size;                ///< gmc_ncp_scales.momentum [√J]
    inplane_edge *edges;
    inplane_spot *spots;
    gmc_newton_clamp *clamps; ///< (row_count)
} inplane;

// ---- rows over the dofs ------------------------------------------------------------------------

/// a · x
static inline double row_dot(const double *restrict a, const double *restrict x, int stride)
{
    double even = 0, odd = 0;
    for (int i = 0; i < stride; i += 2) {
        even += a[i] * x[i];
        odd += a[i + 1] * x[i + 1];
    }
    return even + odd;
}

/// u := J v of both rows
static inline void edge_velocity(const inplane_edge *edge, const double *restrict v, int stride,
                                 double *u)
{
    u[0] = row_dot(edge->J, v, stride);
    u[1] = row_dot(edge->J + stride, v, stride);
}

/// x += Jᵀ r
static inline void edge_push(const inplane_edge *edge, double r_n, double r_t, int stride,
                             double *restrict x)
{
    const double *restrict n = edge->J, *restrict t = n + stride;
    for (int i = 0; i < stride; i += 2) {
        x[i] += r_n * n[i] + r_t * t[i];
        x[i + 1] += r_n * n[i + 1] + r_t * t[i + 1];
    }
}

static inline void spot_velocity(const inplane_spot *spot, const double *v, double *u)
{
    v += spot->dof;
    u[0] = v[0] - spot->arm[1] * v[2];
    u[1] = v[1] + spot->arm[0] * v[2];
}

static inline void spot_push(const inplane_spot *spot, const double r[2], double *x)
{
    x += spot->dof;
    x[0] += r[0];
    x[1] += r[1];
    x[2] += spot->arm[0] * r[1] - spot->arm[1] * r[0];
}

// ---- the law -----------------------------------------------------------------------------------

/// Φ_N²/ρ_N + Φ_T²/ρ_T of r with the trial impulse y; P(y) into p.
static inline double edge_trial_defect(inplane_edge *c, const double y[2], const double r[2])
{
    double p_n = 0, p_t = 0;
    if (y[0] > 0) {
        double radius = c->friction * y[0];
        p_n = y[0];
        p_t = gmc_ncp_clamp(y[1], -radius, radius);
    }
    double n = r[0] - p_n, t = r[1] - p_t;
    c->p[0] = p_n;
    c->p[1] = p_t;
    // a NaN in y_N projects to zero: let it show here
    return n * n * c->soft[0] + t * t * c->soft[1] + 0 * y[0];
}

/// y = r - ρ w
static inline void edge_trial(const inplane_edge *c, const double u[2], const double r[2],
                              double y[2])
{
    for (int i = 0; i < 2; i++)
        y[i] = r[i] - c->rho[i] * (u[i] + c->b[i] + c->R[i] * r[i]);
}

static inline double edge_defect(inplane_edge *c, const double u[2], const double r[2])
{
    double y[2];
    edge_trial(c, u, r, y);
    return edge_trial_defect(c, y, r);
}

static inline void spot_trial(const inplane_spot *c, const double u[2], const double r[2],
                              double y[2])
{
    for (int i = 0; i < 2; i++)
        y[i] = r[i] - c->rho * (u[i] + c->b[i] + c->R * r[i]);
}

static inline double spot_trial_defect(inplane_spot *c, const double y[2], const double r[2])
{
    double size2 = y[0] * y[0] + y[1] * y[1];
    double scale = size2 > c->radius * c->radius ? c->radius / sqrt(size2) : 1;
    double x, sum = 0;
    for (int i = 0; i < 2; i++) {
        c->p[i] = scale * y[i];
        x = r[i] - c->p[i];
        sum += x * x;
    }
    return sum * c->soft;
}

static inline double spot_defect(inplane_spot *c, const double u[2], const double r[2])
{
    double y[2];
    spot_trial(c, u, r, y);
    return spot_trial_defect(c, y, r);
}

// ---- from the problem to its rows --------------------------------------------------------------

// From the problem to its rows over the dofs, once for each solve: each contact's two rows cost
// less to multiply out than the sums over a group's motion, because so few columns meet so few
// contacts.

enum { VECTORS = 6 };

static size_t room_of(int dof_count, int contact_count, int row_count)
{
    size_t n = (size_t)dof_count, stride = (size_t)gmc_mat_stride(dof_count);
    size_t nc = (size_t)contact_count;
    size_t largest =
        sizeof(inplane_edge) > sizeof(inplane_spot) ? sizeof(inplane_edge) : sizeof(inplane_spot);
    return (2 * n + VECTORS + 2 * nc) * stride * sizeof(double) + nc * largest +
           (size_t)row_count * sizeof(gmc_newton_clamp) + 64; // the arena's alignment
}

static bool is_spot(const gmc_ncp_contact *contact) { return contact->frame[2] != 0; }

static gmc_status inplane_make_room(const gmc_ncp *problem, gmc_arena *scratch, inplane *w)
{
    int n = problem->dof_count, stride = gmc_mat_stride(n);
    char *at =
        gmc_arena_room(scratch, room_of(n, problem->contact_count, problem->row_count) - 64, 1);
    if (!at) return GMC_E_ARENA_FULL;
    double *x = (void *)at;
    *w = (inplane){.problem = problem, .n = n, .stride = stride, .M = x};
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

static void open_dofs(const gmc_ncp_solution *start, inplane *w)
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
    for (; k < group->hints.slide_count; k++, S += 6) {
        n[group->columns[k]] = D[0] * S[0] + D[1] * S[1];
        t[group->columns[k]] = D[3] * S[0] + D[4] * S[1];
    }
    for (; k < group->general_count; k++, S += 6) {
        n[group->columns[k]] = D[0] * S[0] + D[1] * S[1] + turn_n * S[5];
        t[group->columns[k]] = D[3] * S[0] + D[4] * S[1] + turn_t * S[5];
    }
}

/// Mean inverse mass of a contact's point over three directions, as gmc_ncp_scales.
static double edge_scale(const inplane *w, const double *J)
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
static double open_edge(const inplane *w, const gmc_ncp_group *group, int index, const double *r,
                        inplane_edge *edge)
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
static double open_spot(const inplane *w, const gmc_ncp_group *group, int index, const double *r,
                        inplane_spot *spot)
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
static double inplane_size(const inplane *w, double approach)
{
    double sum = approach;
    for (int i = 0; i < w->n; i++)
        sum += w->p[i] * w->p[i] * w->inverse_mass[i];
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_newton_clamp *c = &w->clamps[i];
        double wanted = gmc_ncp_clamp(-c->b * c->rho, c->lower, c->upper);
        sum += wanted * wanted * c->soft;
    }
    return fmax(sqrt(sum), GMC_NCP_SMALLEST);
}

static double row_scale(const inplane *w, const gmc_ncp_row *row)
{
    double sum = 0;
    for (int k = 0; k < row->column_count; k++)
        sum += row->J[k] * row->J[k] * w->inverse_mass[row->columns[k]];
    return sum;
}

static gmc_status open_problem(const gmc_ncp *problem, const gmc_ncp_solution *start,
                               gmc_arena *scratch, inplane *w)
{
    double approach = 0;
    GMC_TRY(inplane_make_room(problem, scratch, w));
    open_dofs(start, w);
    inplane_edge *edge = w->edges;
    inplane_spot *spot = w->spots;
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
    w->size = inplane_size(w, approach);
    return GMC_OK;
}

static double momentum_defect(const inplane *w, const double *v)
{
    const gmc_ncp *problem = w->problem;
    int n = w->n, stride = w->stride;
    double *g = w->g, sum = 0; // Jᵀ r + p* - M v
    for (int i = 0; i < n; i++)
        g[i] = w->p[i] - row_dot(w->M + i * stride, v, stride);
    for (int i = 0; i < w->edge_count; i++)
        edge_push(&w->edges[i], w->edges[i].r[0], w->edges[i].r[1], stride, g);
    for (int i = 0; i < w->spot_count; i++)
        spot_push(&w->spots[i], w->spots[i].r, g);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        for (int k = 0; k < row->column_count; k++)
            g[row->columns[k]] += row->J[k] * w->clamps[i].s;
    }
    for (int i = 0; i < n; i++)
        sum += g[i] * g[i] * w->inverse_mass[i];
    return sum;
}

static double inplane_judge(inplane *w)
{
    double sum = momentum_defect(w, w->v), u[2];
    for (int i = 0; i < w->edge_count; i++) {
        edge_velocity(&w->edges[i], w->v, w->stride, u);
        sum += edge_defect(&w->edges[i], u, w->edges[i].r);
    }
    for (int i = 0; i < w->spot_count; i++) {
        spot_velocity(&w->spots[i], w->v, u);
        sum += spot_defect(&w->spots[i], u, w->spots[i].r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        double u_row = gmc_ncp_row_velocity(&w->problem->rows[i], w->v);
        sum += gmc_newton_clamp_defect(&w->clamps[i], u_row, w->clamps[i].s);
    }
    return sqrt(sum) / w->size;
}

enum { HALVINGS_MAX = 8 };           ///< down to 1/256 of a step
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step
static const double UNKNOWN = -1;    ///< a merit that was not yet asked for

// ---- the lines of the laws ---------------------------------------------------------------------

/// @return whether it slides with friction: then H is not symmetric
static bool linearise_edge(inplane_edge *c)
{
    double radius = c->friction * c->y[0];
    c->tilt = 0;
    if (!(c->y[0] > 0)) {
        c->piece = OPEN;
        return false;
    }
    bool is_held = radius > 0 && fabs(c->y[1]) <= radius;
    c->piece = is_held ? STICK : SLIP;
    if (is_held || !(radius > 0)) return false;
    c->tilt = copysign(c->friction, c->y[1]);
    return true;
}

/// As newton_cone.h's slip, where the normal force stays.
static void linearise_spot(inplane_spot *c)
{
    double size2 = c->y[0] * c->y[0] + c->y[1] * c->y[1];
    c->is_sliding = !(c->radius > 0) || size2 > c->radius * c->radius;
    if (!(c->radius > 0)) { // nothing presses, or nothing rubs
        c->g[0] = c->g[1] = c->g[2] = c->q[0] = c->q[1] = 0;
        return;
    }
    if (!c->is_sliding) {
        c->g[0] = c->g[2] = c->k;
        c->g[1] = 0;
        c->q[0] = -c->k * c->b[0];
        c->q[1] = -c->k * c->b[1];
        return;
    }
    double inverse_size = 1 / sqrt(size2), f = c->radius * inverse_size;
    double e1 = c->y[0] * inverse_size, e2 = c->y[1] * inverse_size;
    double spread = 1 / (1 - f * (1 - c->rho * c->R)), g = c->rho * f * spread;
    double z1 = c->r[0] - c->radius * e1, z2 = c->r[1] - c->radius * e2;
    double along = e1 * z1 + e2 * z2;
    c->g[0] = g * (1 - e1 * e1);
    c->g[1] = -g * e1 * e2;
    c->g[2] = g * (1 - e2 * e2);
    double h1 = along * e1 + spread * (z1 - along * e1);
    double h2 = along * e2 + spread * (z2 - along * e2);
    c->q[0] = c->r[0] - h1 + c->g[0] * c->u[0] + c->g[1] * c->u[1];
    c->q[1] = c->r[1] - h2 + c->g[1] * c->u[0] + c->g[2] * c->u[1];
}

/// Every law's line; v_next := p* + Jᵀ q.
/// @return whether H is symmetric
static bool inplane_linearise(inplane *w)
{
    bool is_symmetric = true;
    double *x = w->v_next;
    memcpy(x, w->p, (size_t)w->stride * sizeof *x);
    for (int i = 0; i < w->edge_count; i++) {
        inplane_edge *c = &w->edges[i];
        if (linearise_edge(c)) is_symmetric = false;
        if (c->piece == OPEN) continue;
        double q = -c->k[0] * c->b[0];
        double q_t = c->piece == STICK ? -c->k[1] * c->b[1] : c->tilt * q;
        edge_push(c, q, q_t, w->stride, x);
    }
    for (int i = 0; i < w->spot_count; i++) {
        linearise_spot(&w->spots[i]);
        spot_push(&w->spots[i], w->spots[i].q, x);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        gmc_newton_linearise_clamp(&w->clamps[i]);
        for (int k = 0; k < row->column_count; k++)
            x[row->columns[k]] += row->J[k] * w->clamps[i].q;
    }
    return is_symmetric;
}

// ---- the linear system -------------------------------------------------------------------------

/// y += a x + b z of an even number.
static inline void add_rows(double *restrict y, const double *restrict x, double a,
                            const double *restrict z, double b, int count)
{
    for (int j = 0; j < count; j += 2) {
        y[j] += a * x[j] + b * z[j];
        y[j + 1] += a * x[j + 1] + b * z[j + 1];
    }
}

/// H += k_N J_N J_Nᵀ + k_T J_T J_Tᵀ, or f k_N J_Nᵀ; of what is symmetric the upper triangle.
static void add_edge(inplane *w, const inplane_edge *c, bool is_symmetric)
{
    int stride = w->stride;
    const double *n = c->J, *t = n + stride;
    double k_n = c->k[0], k_t = c->piece == STICK ? c->k[1] : 0;
    double *row = w->H;
    for (int i = 0; i < w->n; i++, row += stride) {
        if (n[i] == 0 && t[i] == 0) continue;
        int from = is_symmetric ? i & ~1 : 0;
        add_rows(row + from, n + from, k_n * (n[i] + c->tilt * t[i]), t + from, k_t * t[i],
                 stride - from);
    }
}

static void add_spot(inplane *w, const inplane_spot *c, bool is_symmetric)
{
    int stride = w->stride;
    double *x = w->H + c->dof * (stride + 1), *y = x + stride, *z = y + stride;
    double turn_x = c->arm[0] * c->g[1] - c->arm[1] * c->g[0];
    double turn_y = c->arm[0] * c->g[2] - c->arm[1] * c->g[1];
    x[0] += c->g[0];
    x[1] += c->g[1];
    x[2] += turn_x;
    y[1] += c->g[2];
    y[2] += turn_y;
    z[2] += c->arm[0] * turn_y - c->arm[1] * turn_x;
    if (is_symmetric) return;
    y[0] += c->g[1];
    z[0] += turn_x;
    z[1] += turn_y;
}

static void assemble(inplane *w, bool is_symmetric)
{
    memcpy(w->H, w->M, (size_t)(w->n * w->stride) * sizeof *w->H);
    for (int i = 0; i < w->edge_count; i++)
        if (w->edges[i].piece != OPEN) add_edge(w, &w->edges[i], is_symmetric);
    for (int i = 0; i < w->spot_count; i++)
        add_spot(w, &w->spots[i], is_symmetric);
    for (int i = 0; i < w->problem->row_count; i++) {
        const gmc_ncp_row *row = &w->problem->rows[i];
        double g = w->clamps[i].g;
        if (g == 0) continue;
        for (int k = 0; k < row->column_count; k++)
            for (int j = 0; j < row->column_count; j++)
                w->H[row->columns[k] * w->stride + row->columns[j]] += g * row->J[k] * row->J[j];
    }
}

/// With row exchanges: where the elimination without them met a bad pivot.
static bool solve_with_pivots(inplane *w, gmc_mat H)
{
    double weight[GMC_MAT_SMALL];
    int pivot[GMC_MAT_SMALL], last[GMC_MAT_SMALL];
    memcpy(weight, w->inverse_mass, (size_t)w->n * sizeof *weight);
    if (!gmc_mat_lu_factor(H, weight, pivot, last, w->inverse_d)) return false;
    gmc_mat_lu_solve(H, pivot, last, w->inverse_d, w->v_next);
    return true;
}

/// v_next := H⁻¹ (p* + Jᵀ q). @return false: singular
static bool inplane_solve_linear(inplane *w)
{
    gmc_mat H = {w->H, w->n, w->n, w->stride};
    bool is_symmetric = inplane_linearise(w);
    size_t size = (size_t)w->stride * sizeof *w->g;
    assemble(w, is_symmetric);
    if (is_symmetric) {
        if (!gmc_mat_ldlt_factor(H, NULL, w->inverse_d)) return false;
        gmc_mat_ldlt_solve(H, NULL, w->inverse_d, w->v_next);
        return true;
    }
    memcpy(w->g, w->v_next, size);
    if (gmc_mat_eliminate(H, w->v_next)) return true;
    memcpy(w->v_next, w->g, size);
    assemble(w, is_symmetric);
    return solve_with_pivots(w, H);
}

// ---- merit and step length ---------------------------------------------------------------------

/// r_next on the line at u_next, and the defect there: none where it stays on its piece of the law.
static double edge_line_defect(inplane_edge *c)
{
    double *r = c->r_next;
    bool stays = false;
    r[0] = r[1] = 0;
    if (c->piece == OPEN) {
        stays = c->u_next[0] + c->b[0] >= 0;
    } else {
        r[0] = -c->k[0] * (c->b[0] + c->u_next[0]);
        if (c->piece == STICK) {
            r[1] = -c->k[1] * (c->b[1] + c->u_next[1]);
            stays = r[0] > 0 && fabs(r[1]) <= c->friction * r[0];
        } else {
            r[1] = c->tilt * r[0];
        }
    }
    if (!stays) return edge_defect(c, c->u_next, r);
    c->p[0] = r[0];
    c->p[1] = r[1];
    return 0;
}

static double spot_line_defect(inplane_spot *c)
{
    const double *u = c->u_next;
    double *r = c->r_next;
    r[0] = c->q[0] - (c->g[0] * u[0] + c->g[1] * u[1]);
    r[1] = c->q[1] - (c->g[1] * u[0] + c->g[2] * u[1]);
    if (c->is_sliding || r[0] * r[0] + r[1] * r[1] > c->radius * c->radius)
        return spot_defect(c, u, r);
    c->p[0] = r[0];
    c->p[1] = r[1];
    return 0;
}

/// Merit after the full step, whose velocities and impulses are worked out here; that of momentum
/// is zero. Zero times what is not finite is not.
static double full_merit(inplane *w)
{
    double sum = 0;
    for (int i = 0; i < w->n; i++)
        sum += 0 * w->v_next[i];
    for (int i = 0; i < w->edge_count; i++) {
        edge_velocity(&w->edges[i], w->v_next, w->stride, w->edges[i].u_next);
        sum += edge_line_defect(&w->edges[i]);
    }
    for (int i = 0; i < w->spot_count; i++) {
        spot_velocity(&w->spots[i], w->v_next, w->spots[i].u_next);
        sum += spot_line_defect(&w->spots[i]);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u_next = gmc_ncp_row_velocity(&w->problem->rows[i], w->v_next);
        c->s_next = c->q - c->g * c->u_next;
        sum += gmc_newton_clamp_defect(c, c->u_next, c->s_next);
    }
    return sum;
}

static void part_of(const double from[2], const double to[2], double t, double at[2])
{
    for (int k = 0; k < 2; k++)
        at[k] = gmc_newton_part(from[k], to[k], t);
}

/// Merit at the part t of the step, t < 1.
/// @param momentum  that of momentum at t = 0
static double part_merit(inplane *w, double momentum, double t)
{
    double sum = (1 - t) * (1 - t) * momentum, u[2], r[2];
    for (int i = 0; i < w->edge_count; i++) {
        inplane_edge *c = &w->edges[i];
        part_of(c->u, c->u_next, t, u);
        part_of(c->r, c->r_next, t, r);
        sum += edge_defect(c, u, r);
    }
    for (int i = 0; i < w->spot_count; i++) {
        inplane_spot *c = &w->spots[i];
        part_of(c->u, c->u_next, t, u);
        part_of(c->r, c->r_next, t, r);
        sum += spot_defect(c, u, r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        sum += gmc_newton_clamp_defect(c, gmc_newton_part(c->u, c->u_next, t),
                                       gmc_newton_part(c->s, c->s_next, t));
    }
    return sum;
}

static void inplane_take_step(inplane *w, double t)
{
    for (int i = 0; i < w->n; i++)
        w->v[i] = gmc_newton_part(w->v[i], w->v_next[i], t);
    for (int i = 0; i < w->edge_count; i++) {
        inplane_edge *c = &w->edges[i];
        part_of(c->u, c->u_next, t, c->u);
        part_of(c->r, c->r_next, t, c->r);
        edge_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->spot_count; i++) {
        inplane_spot *c = &w->spots[i];
        part_of(c->u, c->u_next, t, c->u);
        part_of(c->r, c->r_next, t, c->r);
        spot_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u = gmc_newton_part(c->u, c->u_next, t);
        c->s = gmc_newton_part(c->s, c->s_next, t);
    }
}

// ---- the iteration -----------------------------------------------------------------------------

/// u and y of the start.
static void inplane_start(inplane *w)
{
    for (int i = 0; i < w->edge_count; i++) {
        inplane_edge *c = &w->edges[i];
        edge_velocity(c, w->v, w->stride, c->u);
        edge_trial(c, c->u, c->r, c->y);
    }
    for (int i = 0; i < w->spot_count; i++) {
        inplane_spot *c = &w->spots[i];
        spot_velocity(c, w->v, c->u);
        spot_trial(c, c->u, c->r, c->y);
    }
}

/// Does the start have a merit of `enough`? Asked contact by contact, and of momentum last.
static bool inplane_is_at_rest(inplane *w, double enough)
{
    double sum = 0;
    for (int i = 0; i < w->edge_count; i++) {
        sum += edge_trial_defect(&w->edges[i], w->edges[i].y, w->edges[i].r);
        if (!(sum <= enough)) return false;
    }
    for (int i = 0; i < w->spot_count; i++) {
        sum += spot_trial_defect(&w->spots[i], w->spots[i].y, w->spots[i].r);
        if (!(sum <= enough)) return false;
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        sum += gmc_newton_clamp_defect(&w->clamps[i], w->clamps[i].u, w->clamps[i].s);
        if (!(sum <= enough)) return false;
    }
    return sum + momentum_defect(w, w->v) <= enough;
}

/// The step goes as far as the merit falls. A search that ends without a decrease takes its last
/// step all the same: a cycle is left more often than the merit is spoilt.
/// @param merit  before, or UNKNOWN
/// @param next   that of the full step
/// @return the merit afterwards
static double search(inplane *w, double merit, double next, double enough)
{
    double t = 1, momentum = UNKNOWN;
    if (merit == UNKNOWN) {
        momentum = momentum_defect(w, w->v);
        merit = part_merit(w, momentum, 0);
    }
    for (int i = 0; i < HALVINGS_MAX && !(next <= enough); i++) {
        if (next < (1 - DECREASE * t) * merit) break;
        if (momentum == UNKNOWN) momentum = momentum_defect(w, w->v);
        t *= 0.5;
        next = part_merit(w, momentum, t);
    }
    inplane_take_step(w, t);
    return next;
}

/// Linear systems and steps along their solutions until the merit is `enough`. P(y) of the last
/// iterate is in every p.
static void inplane_iterate(inplane *w, double enough, int iteration_max,
                            gmc_inplane_result *result)
{
    double merit = UNKNOWN;
    while (result->iterations < iteration_max) {
        result->iterations++;
        if (!inplane_solve_linear(w)) return;
        double next = full_merit(w);
        if (next <= enough) {
            memcpy(w->v, w->v_next, (size_t)w->stride * sizeof *w->v);
            return;
        }
        merit = search(w, merit, next, enough);
        if (!(merit < HUGE_VAL) || merit <= enough) return;
    }
}

/// r := P(r - ρ w): the same to within the residual, and inside the cone to rounding.
static void adopt(inplane *w)
{
    for (int i = 0; i < w->edge_count; i++)
        memcpy(w->edges[i].r, w->edges[i].p, sizeof w->edges[i].r);
    for (int i = 0; i < w->spot_count; i++)
        memcpy(w->spots[i].r, w->spots[i].p, sizeof w->spots[i].r);
    for (int i = 0; i < w->problem->row_count; i++)
        w->clamps[i].s = w->clamps[i].p;
}

static void hand_back(const inplane *w, gmc_ncp_solution *solution)
{
    memcpy(solution->v, w->v, (size_t)w->n * sizeof *w->v);
    for (int i = 0; i < w->edge_count; i++) {
        double *r = solution->r + 3 * w->edges[i].index;
        r[0] = w->edges[i].r[0];
        r[1] = w->edges[i].r[1];
        r[2] = 0;
    }
    for (int i = 0; i < w->spot_count; i++) {
        double *r = solution->r + 3 * w->spots[i].index;
        r[0] = w->spots[i].normal;
        r[1] = w->spots[i].r[0];
        r[2] = w->spots[i].r[1];
    }
    for (int i = 0; i < w->problem->row_count; i++)
        solution->s[i] = w->clamps[i].s;
}

gmc_status gmc_inplane_solve(const gmc_ncp *problem, const gmc_inplane_options *options,
                             gmc_ncp_solution *solution, gmc_arena *scratch,
                             gmc_inplane_result *result)
{
    GMC_ASSERT(gmc_inplane_fits(problem) && options->iteration_max > 0);
    size_t mark = gmc_arena_mark(scratch);
    inplane w; // open_problem fills it
    *result = (gmc_inplane_result){.residual = NAN};
    gmc_status status = open_problem(problem, solution, scratch, &w);
    if (status == GMC_OK) {
        double enough = options->tolerance * w.size;
        enough *= enough;
        inplane_start(&w);
        if (!inplane_is_at_rest(&w, GMC_NCP_AT_REST * GMC_NCP_AT_REST * enough))
            inplane_iterate(&w, enough, options->iteration_max, result);
        adopt(&w);
        result->residual = inplane_judge(&w);
        status = result->residual <= options->residual_max ? GMC_OK : GMC_E_NO_SOLUTION;
    }
    if (status == GMC_OK) hand_back(&w, solution);
    gmc_arena_reset(scratch, mark);
    return status;
}
