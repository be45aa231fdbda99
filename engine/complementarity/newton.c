// One iteration: the law of every contact is linearised (newton_cone.h), r⁺ = q - G J v⁺, its
// impulse eliminated, and
//
//   (M + Σ Jᵀ G J) v⁺ = p* + Σ Jᵀ q
//
// For v⁺ and not for its change: where a contact sticks q is -b/R, and neither M v nor the defect
// of momentum is needed. H is symmetric but for sliding contacts, so LDLᵀ does where nothing slides
// (nearly all steps of a grasp) and LU elsewhere; symmetrising H would keep LDLᵀ and lose the
// quadratic convergence that makes 1.04 iterations per step possible.
//
// A warm start is first taken at its word: where its impulse lies inside the cone the contact
// sticks, where there is none it is open. Then no line needs a velocity, and one system and a look
// at each contact are all of most steps. Else the trial impulses decide, as Newton has it.
//
// J v is carried along instead of being multiplied out again, and after a full step the defect of
// momentum is zero but for rounding, after a part t of it (1 - t) of what it was. The judge
// recomputes both from nothing.
#include "engine/complementarity/newton.h"

#include "engine/base/check.h"
#include "engine/complementarity/newton_internal.h"
#include "engine/math/sparse.h"

#include <string.h>

/// A merit that was not yet asked for.
#define UNKNOWN (-1.0)

// ---- what the contacts of a group add ----------------------------------------------------------

/// Sums over arms a.
typedef struct arm_sums {
    double x, y, z;                ///< Σ a
    double xx, yy, zz, yz, zx, xy; ///< Σ a aᵀ
} arm_sums;

/// Contacts that stick, follow each other and have normal and slopes in common.
typedef struct alike {
    const double *normal;
    double g_t, g_n;
    double count;
    bool has_spun; ///< else `tangents` is not filled
    arm_sums normals, tangents;
} alike;

/// Not open, and as find_run can take it.
static inline bool sticks(const gmc_ncp_contact *contact, const gmc_newton_cone *c)
{
    return !c->is_open && !c->is_sliding && contact->hints.is_rotation;
}

static inline bool is_alike(const alike *r, const gmc_ncp_contact *contact,
                            const gmc_newton_cone *c)
{
    const double *n = contact->frame;
    if (r->g_t != c->g_tt[0] || r->g_n != c->g_n) return false;
    return r->normal[0] == n[0] && r->normal[1] == n[1] && r->normal[2] == n[2];
}

static inline void add_arm(const double a[3], arm_sums *s)
{
    s->x += a[0];
    s->y += a[1];
    s->z += a[2];
    s->xx += a[0] * a[0];
    s->yy += a[1] * a[1];
    s->zz += a[2] * a[2];
    s->yz += a[1] * a[2];
    s->zx += a[2] * a[0];
    s->xy += a[0] * a[1];
}

static inline bool is_spun(const gmc_ncp_contact *contact)
{
    return contact->spun[0] != 0 || contact->spun[1] != 0;
}

/// Arms at which the tangents of contacts act.
static arm_sums sum_tangents(const gmc_ncp_contact *contacts, int first, int end)
{
    arm_sums sums = {0};
    for (int c = first; c < end; c++) {
        const double *t1 = contacts[c].frame + 3, *t2 = t1 + 3, *spun = contacts[c].spun;
        double a[3];
        for (int i = 0; i < 3; i++)
            a[i] = contacts[c].arm[i] + (spun[1] * t1[i] - spun[0] * t2[i]);
        add_arm(a, &sums);
    }
    return sums;
}

/// From contact c on, which sticks. @return the first contact that is not of the run
static int find_run(const gmc_ncp_contact *contacts, const gmc_newton_cone *cones, int c, int end,
                    alike *found)
{
    alike r = {.normal = contacts[c].frame, .g_t = cones[c].g_tt[0], .g_n = cones[c].g_n};
    const double *n = r.normal;
    GMC_ASSERT(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9); // a rotation: ncp.h
    arm_sums sums = {0};
    int first = c;
    do {
        add_arm(contacts[c].arm, &sums);
        r.has_spun = r.has_spun || is_spun(&contacts[c]);
        c++;
    } while (c < end && sticks(&contacts[c], &cones[c]) && is_alike(&r, &contacts[c], &cones[c]));
    r.count = c - first;
    r.normals = sums;
    if (r.has_spun) r.tangents = sum_tangents(contacts, first, c);
    *found = r;
    return c;
}

/// x x n
static inline void cross(const double x[3], const double n[3], double y[3])
{
    y[0] = x[1] * n[2] - x[2] * n[1];
    y[1] = x[2] * n[0] - x[0] * n[2];
    y[2] = x[0] * n[1] - x[1] * n[0];
}

/// Entry (i, j), on or above the diagonal.
static inline void put_entry(int i, int j, double value, bool is_first, double *K)
{
    K[6 * i + j] = is_first ? value : K[6 * i + j] + value;
}

/// Arms of contacts with one normal.
typedef struct arm_set {
    const arm_sums *sums;
    const double *normal;
    double count;
} arm_set;

/// more Σ j jᵀ with j = (n, a x n), on and above the diagonal: all with a place of n in it, and the
/// rest.
typedef struct spread {
    double nn, turn[3], W[3][3];
} spread;

static inline spread spread_of(const arm_set *set, double more)
{
    const arm_sums *s = set->sums;
    const double *n = set->normal, count = set->count;
    spread x = {.nn = more * count};
    const double sum[3] = {more * s->x, more * s->y, more * s->z};
    const double squares[3][3] = {{more * s->xx, more * s->xy, more * s->zx},
                                  {more * s->xy, more * s->yy, more * s->yz},
                                  {more * s->zx, more * s->yz, more * s->zz}};
    double B[3][3];
    cross(sum, n, x.turn);
    for (int k = 0; k < 3; k++)
        cross(squares[k], n, B[k]); // Σ a_k (a x n)
    for (int i = 0; i < 3; i++) {
        const double row[3] = {B[0][i], B[1][i], B[2][i]};
        cross(row, n, x.W[i]);
    }
    return x;
}

/// K = or += g Σ (1, -[a]; [a], -[a][a]) + more Σ j jᵀ, on and above the diagonal.
/// @param is_first  K is written, else added to
static inline void put_arms(const arm_set *set, double g, double more, bool is_first, double *K)
{
    const arm_sums *s = set->sums;
    const double *n = set->normal, count = set->count;
    spread x = spread_of(set, more);
    double gx = g * s->x, gy = g * s->y, gz = g * s->z;
    put_entry(0, 0, g * count + x.nn * n[0] * n[0], is_first, K);
    put_entry(0, 1, x.nn * n[0] * n[1], is_first, K);
    put_entry(0, 2, x.nn * n[0] * n[2], is_first, K);
    put_entry(1, 1, g * count + x.nn * n[1] * n[1], is_first, K);
    put_entry(1, 2, x.nn * n[1] * n[2], is_first, K);
    put_entry(2, 2, g * count + x.nn * n[2] * n[2], is_first, K);
    put_entry(0, 3, n[0] * x.turn[0], is_first, K);
    put_entry(0, 4, n[0] * x.turn[1] + gz, is_first, K);
    put_entry(0, 5, n[0] * x.turn[2] - gy, is_first, K);
    put_entry(1, 3, n[1] * x.turn[0] - gz, is_first, K);
    put_entry(1, 4, n[1] * x.turn[1], is_first, K);
    put_entry(1, 5, n[1] * x.turn[2] + gx, is_first, K);
    put_entry(2, 3, n[2] * x.turn[0] + gy, is_first, K);
    put_entry(2, 4, n[2] * x.turn[1] - gx, is_first, K);
    put_entry(2, 5, n[2] * x.turn[2], is_first, K);
    put_entry(3, 3, x.W[0][0] + g * (s->yy + s->zz), is_first, K);
    put_entry(3, 4, x.W[0][1] - g * s->xy, is_first, K);
    put_entry(3, 5, x.W[0][2] - g * s->zx, is_first, K);
    put_entry(4, 4, x.W[1][1] + g * (s->zz + s->xx), is_first, K);
    put_entry(4, 5, x.W[1][2] - g * s->yz, is_first, K);
    put_entry(5, 5, x.W[2][2] + g * (s->xx + s->yy), is_first, K);
}

/// K += g Σ j jᵀ, on and above the diagonal.
static void add_normals(const arm_set *set, double g, double *K)
{
    const double *n = set->normal;
    spread x = spread_of(set, g);
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            K[6 * i + j] += x.nn * n[i] * n[j];
            K[6 * (3 + i) + 3 + j] += x.W[i][j];
        }
        for (int j = 0; j < 3; j++)
            K[6 * i + 3 + j] += n[i] * x.turn[j];
    }
}

static void put_first(const arm_set *set, double g, double more, double *K)
{
    put_arms(set, g, more, true, K);
}

static void put_further(const arm_set *set, double g, double more, double *K)
{
    put_arms(set, g, more, false, K);
}

/// K of a run: all directions with g_T at the tangents' arms, but for the normal's there, and g_N
/// along the normal at its own.
static void put_run(const alike *r, bool is_first, double *K)
{
    const arm_set normals = {&r->normals, r->normal, r->count};
    const arm_set all = {r->has_spun ? &r->tangents : &r->normals, r->normal, r->count};
    double more = r->has_spun ? -r->g_t : r->g_n - r->g_t;
    (is_first ? put_first : put_further)(&all, r->g_t, more, K);
    if (r->has_spun) add_normals(&normals, r->g_n, K);
}

static void mirror(double *K)
{
    for (int i = 1; i < 6; i++)
        for (int j = 0; j < i; j++)
            K[6 * i + j] = K[6 * j + i];
}

/// K += Jᵀ G J.
/// @param J  (3 x 6)
static void add_rows(const double J[18], const double G[9], double *K)
{
    double P[18]; // G J
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++)
            P[6 * i + j] = (G[3 * i] * J[j] + G[3 * i + 1] * J[6 + j]) + G[3 * i + 2] * J[12 + j];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            K[6 * i + j] += (J[i] * P[j] + J[6 + i] * P[6 + j]) + J[12 + i] * P[12 + j];
}

/// J of a contact whose tangents act at a place of their own.
static void write_spun(const gmc_ncp_contact *contact, double J[18])
{
    const double *D = contact->frame, *a = contact->arm;
    for (int k = 0; k < 3; k++) {
        const double *d = D + 3 * k;
        double spun = k > 0 ? contact->spun[k - 1] : 0;
        for (int i = 0; i < 3; i++)
            J[6 * k + i] = d[i];
        J[6 * k + 3] = (a[1] * d[2] - a[2] * d[1]) + spun * D[0];
        J[6 * k + 4] = (a[2] * d[0] - a[0] * d[2]) + spun * D[1];
        J[6 * k + 5] = (a[0] * d[1] - a[1] * d[0]) + spun * D[2];
    }
}

/// Any slope, any D: all of K.
static void add_any(const gmc_ncp_contact *contact, const gmc_newton_cone *c, double *K)
{
    const double *D = contact->frame, *a = contact->arm;
    const double G[9] = {c->g_n,     0,          0,          c->g_tn[0], c->g_tt[0],
                         c->g_tt[1], c->g_tn[1], c->g_tt[1], c->g_tt[2]};
    double P[9], k[9], rows[18];
    if (is_spun(contact)) {
        write_spun(contact, rows);
        add_rows(rows, G, K);
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            P[3 * i + j] = G[3 * i] * D[j] + G[3 * i + 1] * D[3 + j] + G[3 * i + 2] * D[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k[3 * i + j] = D[i] * P[j] + D[3 + i] * P[3 + j] + D[6 + i] * P[6 + j];
    for (int j = 0; j < 3; j++) {
        rows[j] = a[1] * k[6 + j] - a[2] * k[3 + j];
        rows[3 + j] = a[2] * k[j] - a[0] * k[6 + j];
        rows[6 + j] = a[0] * k[3 + j] - a[1] * k[j];
    }
    // each row x of (k; [a]k) goes on as (x, -x[a]) = (x, a x xᵀ)
    for (int i = 0; i < 6; i++) {
        const double *x = i < 3 ? k + 3 * i : rows + 3 * (i - 3);
        double *to = K + 6 * i;
        to[0] += x[0];
        to[1] += x[1];
        to[2] += x[2];
        to[3] += a[1] * x[2] - a[2] * x[1];
        to[4] += a[2] * x[0] - a[0] * x[2];
        to[5] += a[0] * x[1] - a[1] * x[0];
    }
}

// Not within its caller, where its sums lose their registers: a step of a pinched box takes 2.5 %
// more then.
__attribute__((noinline)) void gmc_newton_group_sum(const gmc_ncp_group *group,
                                                    const gmc_ncp_contact *contacts,
                                                    const gmc_newton_cone *cones,
                                                    gmc_newton_stiffness *stiffness)
{
    double *K = stiffness->K;
    bool is_first = true, has_other = false;
    int first = group->contact_first, end = first + group->contact_count;
    for (int c = first; c < end;) {
        if (!sticks(&contacts[c], &cones[c])) {
            has_other = has_other || !cones[c].is_open;
            c++;
            continue;
        }
        alike r;
        c = find_run(contacts, cones, c, end, &r);
        put_run(&r, is_first, K);
        is_first = false;
    }
    if (!is_first) mirror(K);
    stiffness->is_pressed = has_other || !is_first;
    if (!has_other) return;
    for (int i = 0; i < 36 && is_first; i++)
        K[i] = 0;
    for (int c = first; c < end; c++)
        if (!cones[c].is_open && !sticks(&contacts[c], &cones[c]))
            add_any(&contacts[c], &cones[c], K);
}

/// Of a column that turns nothing.
static inline void multiply_slide(const double *restrict K, const double *restrict S,
                                  bool is_transposed, double *restrict T)
{
    if (is_transposed)
        for (int j = 0; j < 6; j++)
            T[j] = (S[0] * K[j] + S[1] * K[6 + j]) + S[2] * K[12 + j];
    else
        for (int i = 0; i < 6; i++)
            T[i] = (K[6 * i] * S[0] + K[6 * i + 1] * S[1]) + K[6 * i + 2] * S[2];
}

void gmc_newton_group_multiply(const gmc_ncp_group *group, const double K[36], bool is_transposed,
                               double *T)
{
    const double *S = group->S;
    int k = 0;
    for (; k < group->hints.slide_count; k++, S += 6, T += 6)
        multiply_slide(K, S, is_transposed, T);
    for (; k < group->general_count; k++, S += 6, T += 6) {
        if (!is_transposed) {
            for (int i = 0; i < 6; i++)
                T[i] = gmc_newton_group_dot(K + 6 * i, S);
            continue;
        }
        for (int j = 0; j < 6; j++)
            T[j] = S[0] * K[j];
        for (int i = 1; i < 6; i++)
            gmc_newton_group_add_six(K + 6 * i, S[i], T);
    }
}

// ---- the system where dofs are few -------------------------------------------------------------

/// Entries of a system that are kept beside it: of one that gmc_mat_eliminate may spoil.
static size_t kept_count(int dof_count)
{
    return dof_count <= GMC_MAT_SMALL ? (size_t)dof_count * (size_t)gmc_mat_stride(dof_count) : 0;
}

gmc_status gmc_newton_dense_create(const gmc_ncp *problem, gmc_arena *scratch,
                                   gmc_newton_dense *system)
{
    size_t n = (size_t)problem->dof_count, stride = (size_t)gmc_mat_stride((int)n);
    size_t kept = kept_count(problem->dof_count);
    double *x = GMC_ROOM(scratch, n * stride + 16 * n + kept, double);
    if (!x) return GMC_E_ARENA_FULL;
    int *last = (void *)(x + n * stride + 15 * n); // two ints where a double would stand
    *system = (gmc_newton_dense){.problem = problem,
                                 .H = {x, (int)n, (int)n, (int)stride},
                                 .H_kept = x + n * stride + 16 * n,
                                 .KS = x + n * stride,
                                 .last = last,
                                 .pivot = last + n};
    system->KtS = system->KS + 6 * n;
    system->inverse_d = system->KtS + 6 * n;
    system->weight = system->inverse_d + n;
    system->kept = system->weight + n;
    return GMC_OK;
}

/// Short: a call would cost more.
static inline void copy_values(const double *restrict from, size_t count, double *restrict to)
{
    size_t i = 0;
    for (; i + 1 < count; i += 2) {
        to[i] = from[i];
        to[i + 1] = from[i + 1];
    }
    if (i < count) to[i] = from[i];
}

static void dense_mass(gmc_newton_dense *w)
{
    const gmc_ncp *problem = w->problem;
    size_t n = (size_t)problem->dof_count, stride = (size_t)w->H.stride, stride_m;
    if (problem->mass_width == 0 && stride == n) { // zero outside of its blocks
        memcpy(w->H.x, problem->mass, n * n * sizeof(double));
        return;
    }
    memset(w->H.x, 0, n * stride * sizeof(double));
    for (int block = 0; block < problem->block_count; block++) {
        size_t from = (size_t)problem->block_start[block];
        size_t width = (size_t)problem->block_start[block + 1] - from;
        const double *row = gmc_ncp_mass_block(problem, block, &stride_m);
        double *to = w->H.x + from * stride + from;
        for (size_t i = 0; i < width; i++, row += stride_m, to += stride)
            copy_values(row, width, to);
    }
}

/// Column k of S with T.
static inline double column_product(const gmc_ncp_group *group, int k, const double *T)
{
    const double *S = group->S + 6 * k;
    if (k < group->hints.slide_count) return (S[0] * T[0] + S[1] * T[1]) + S[2] * T[2];
    return gmc_newton_group_dot(S, T);
}

/// T := K S of one column, K symmetric.
static inline void multiply_column(const double *restrict K, const double *restrict S,
                                   bool is_slide, double *restrict T)
{
    for (int j = 0; j < 6; j++)
        T[j] = (S[0] * K[j] + S[1] * K[6 + j]) + S[2] * K[12 + j];
    for (int j = 0; j < 6 && !is_slide; j++)
        T[j] += (S[3] * K[18 + j] + S[4] * K[24 + j]) + S[5] * K[30 + j];
}

/// Entries of row k that belong to the dofs which are the group's motion itself, T = (K S)_k; above
/// the diagonal, wherever that is.
static inline void add_coupling(double *H, int stride, int k, int unit, double sign,
                                const double *T)
{
    if (k < unit) {
        gmc_newton_group_add_six(T, sign, H + k * stride + unit);
        return;
    }
    for (int i = 0; i < 6; i++)
        H[(unit + i) * stride + k] += sign * T[i];
}

/// The six dofs that are the group's motion itself: the upper triangle, row by row from the even
/// column.
static void add_dense_unit(const double *restrict K, int stride, double *restrict H)
{
    for (int i = 0; i < 6; i += 2, K += 12, H += 2 * stride)
        for (int j = i; j < 6; j += 2) {
            double a = K[j], b = K[j + 1], c = K[6 + j], d = K[7 + j];
            H[j] += a;
            H[j + 1] += b;
            H[stride + j] += c;
            H[stride + j + 1] += d;
        }
}

/// H += Sᵀ K S on and above the diagonal.
static void assemble_symmetric(gmc_newton_dense *w, const gmc_ncp_group *group, const double K[36])
{
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    int unit = group->column_count > count ? columns[count] : -1;
    double *H = w->H.x;
    for (int k = 0; k < count; k++) {
        double T[6];
        multiply_column(K, group->S + 6 * k, k < group->hints.slide_count, T);
        for (int l = 0; l <= k; l++) {
            bool is_above = columns[l] <= columns[k];
            int i = is_above ? columns[l] : columns[k], j = is_above ? columns[k] : columns[l];
            H[i * stride + j] += column_product(group, l, T);
        }
        if (unit >= 0) add_coupling(H, stride, columns[k], unit, group->sign, T);
    }
    if (unit >= 0) add_dense_unit(K, stride, H + unit * stride + unit);
}

/// H += Sᵀ K S
static void assemble_any(gmc_newton_dense *w, const gmc_ncp_group *group, const double K[36])
{
    const int *columns = group->columns;
    int count = group->general_count, stride = w->H.stride;
    double *H = w->H.x;
    gmc_newton_group_multiply(group, K, false, w->KS);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            H[columns[k] * stride + columns[l]] += column_product(group, k, w->KS + 6 * l);
    if (group->column_count == count) return;

    int unit = columns[count];
    gmc_newton_group_multiply(group, K, true, w->KtS);
    for (int i = 0; i < 6; i++)
        gmc_newton_group_add_six(K + 6 * i, 1, H + (unit + i) * stride + unit);
    for (int k = 0; k < count; k++) {
        gmc_newton_group_add_six(w->KtS + 6 * k, group->sign, H + columns[k] * stride + unit);
        for (int i = 0; i < 6; i++)
            H[(unit + i) * stride + columns[k]] += group->sign * w->KS[6 * k + i];
    }
}

static void assemble_dense(gmc_newton_dense *w, const gmc_newton_lines *lines)
{
    const gmc_newton_stiffness *stiffnesses = lines->stiffnesses;
    const gmc_newton_clamp *clamps = lines->clamps;
    const gmc_ncp *problem = w->problem;
    dense_mass(w);
    for (int i = 0; i < problem->group_count; i++)
        if (stiffnesses[i].is_pressed && lines->is_symmetric)
            assemble_symmetric(w, &problem->groups[i], stiffnesses[i].K);
        else if (stiffnesses[i].is_pressed)
            assemble_any(w, &problem->groups[i], stiffnesses[i].K);
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        if (clamps[i].g == 0) continue;
        for (int k = 0; k < row->column_count; k++) {
            double *H_row = w->H.x + row->columns[k] * w->H.stride;
            for (int j = 0; j < row->column_count; j++)
                H_row[row->columns[j]] += clamps[i].g * row->J[k] * row->J[j];
        }
    }
}

gmc_status gmc_newton_dense_solve(gmc_newton_dense *system, const gmc_newton_lines *lines,
                                  double *v)
{
    gmc_newton_dense *w = system;
    size_t size = (size_t)w->H.rows * sizeof(double);
    bool is_small = w->H.rows <= GMC_MAT_SMALL;
    assemble_dense(w, lines);
    if (lines->is_symmetric) {
        if (!gmc_mat_ldlt_factor(w->H, w->last, w->inverse_d)) return GMC_E_NO_SOLUTION;
        gmc_mat_ldlt_solve(w->H, w->last, w->inverse_d, v);
        return GMC_OK;
    }
    if (is_small) {
        size_t all = (size_t)w->H.stride * size;
        memcpy(w->kept, v, size);
        memcpy(w->H_kept, w->H.x, all);
        if (gmc_mat_eliminate(w->H, v)) return GMC_OK;
        memcpy(v, w->kept, size);
        memcpy(w->H.x, w->H_kept, all);
    }
    memcpy(w->weight, lines->weight, size);
    if (!gmc_mat_lu_factor(w->H, w->weight, w->pivot, w->last, w->inverse_d))
        return GMC_E_NO_SOLUTION;
    gmc_mat_lu_solve(w->H, w->pivot, w->last, w->inverse_d, v);
    return GMC_OK;
}

// ---- the system where bodies are many ----------------------------------------------------------
// M + Σ Jᵀ G J has a block per tree of M and one per pair of trees that touch, all else is zero:
// from GMC_NEWTON_SPARSE_MIN dofs on.
//
// Which factorisation: the pattern is symmetric always; the values are where no contact slides,
// and then LDLᵀ (positive definite, no pivoting). A sliding contact's slope couples tangent to
// normal but not back, hence LU, whose rows are exchanged inside a body's own block so that the
// plan of the contact graph stays valid. Every LU solution is held against the system itself
// (contact by contact, no matrix) and refined; KLU's free pivoting takes what neither can.
//
// The plan (order of elimination, pattern of the factors) is kept in a gmc_newton_sparse_memory as
// long as the graph of trees and contacts is the same. It is a pure function of that graph: with
// and without memory, fresh or used, the bits are the same.

// Contacts of the same two bodies share their columns and are summed in one small dense block, as
// above; its parts go to the rows of whichever node is eliminated first.

/// Plans are kept up to this many coupled pairs per tree. In a heap a body touches a handful of
/// others, and the factors have a few times as many pairs.
enum { KEPT_PER_BLOCK = 24 };

/// An LU solution is good enough to Newton's own tolerance if the system's defect is below REFINED
/// of the right side, refined REFINEMENTS times at most, and not used above USABLE.
static const double REFINED = 1e-12, USABLE = 1e-9;
enum { REFINEMENTS = 3 };

struct gmc_newton_sparse_memory {
    int block_max, pair_max;
    int node_count, edge_count; ///< of the graph the plan belongs to
    int *start;                 ///< (block_max + 1) of the graph the plan belongs to
    int (*edges)[2];            ///< (pair_max)
    bool has_plan;
    gmc_arena room; ///< a part of the creator's arena, for the plan alone
    gmc_sparse_plan plan;
    gmc_newton_sparse_counts counts;
};

/// Columns of one contact that belong to the same tree: columns first .. end - 1.
typedef struct segment {
    int turn, first, end;
} segment;

typedef struct sparse_system {
    const gmc_ncp *problem;
    gmc_newton_sparse_counts *counts, own_counts;
    gmc_arena *scratch;
    int *node_of; ///< (dof_count) block of M
    const gmc_sparse_plan *plan;
    gmc_sparse_plan own_plan;
    gmc_sparse matrix;
    int column_max;
    segment *segments;      ///< (column_max)
    double *block;          ///< (column_max x column_max)
    double *KS, *KtS;       ///< (6 x column_max) of one group: K S, Kᵀ S
    double *right, *defect; ///< (dof_count)
} sparse_system;

gmc_status gmc_newton_sparse_memory_create(int block_count, gmc_arena *arena,
                                           gmc_newton_sparse_memory **memory)
{
    size_t all = (size_t)block_count * (size_t)(block_count - 1) / 2;
    size_t some = KEPT_PER_BLOCK * (size_t)block_count, pairs = all < some ? all : some;
    gmc_newton_sparse_memory *made = GMC_NEW(arena, 1, gmc_newton_sparse_memory);
    if (!made) return GMC_E_ARENA_FULL;
    made->block_max = block_count;
    made->pair_max = (int)pairs;
    made->start = GMC_NEW(arena, block_count + 1, int);
    made->edges = gmc_arena_take(arena, pairs, sizeof *made->edges);
    size_t bytes = gmc_sparse_plan_bytes(block_count, (int)pairs);
    made->room = (gmc_arena){.memory = gmc_arena_take(arena, bytes, 1), .capacity = bytes};
    if (!made->start || !made->edges || !made->room.memory) return GMC_E_ARENA_FULL;
    *memory = made;
    return GMC_OK;
}

gmc_newton_sparse_counts gmc_newton_sparse_counted(const gmc_newton_sparse_memory *memory)
{
    return memory->counts;
}

// ---- graph and plan ----------------------------------------------------------------------------

/// Segments of a list of columns; trees are met again where columns do not come in their order.
static int find_segments(const sparse_system *w, const int *columns, int count, segment *found)
{
    int n = 0;
    for (int k = 0; k < count; k++) {
        int node = w->node_of[columns[k]];
        if (n > 0 && found[n - 1].turn == node)
            found[n - 1].end = k + 1;
        else
            found[n++] = (segment){node, k, k + 1};
    }
    return n;
}

/// Pairs of trees that one list of columns couples.
static int list_pairs(const sparse_system *w, const int *columns, int count, int (*edges)[2])
{
    int n = find_segments(w, columns, count, w->segments), found = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int a = w->segments[i].turn, b = w->segments[j].turn;
            if (a == b) continue;
            if (edges) {
                edges[found][0] = a < b ? a : b;
                edges[found][1] = a < b ? b : a;
            }
            found++;
        }
    return found;
}

/// @param edges  NULL: count only
static int list_edges(const sparse_system *w, int (*edges)[2])
{
    const gmc_ncp *problem = w->problem;
    int found = 0;
    for (int i = 0; i < problem->group_count; i++)
        found += list_pairs(w, problem->groups[i].columns, problem->groups[i].column_count,
                            edges ? edges + found : NULL);
    for (int i = 0; i < problem->row_count; i++)
        found += list_pairs(w, problem->rows[i].columns, problem->rows[i].column_count,
                            edges ? edges + found : NULL);
    return found;
}

/// Stable counting sort by one side.
static void sort_by(int side, int node_count, int count, int *start, const int (*from)[2],
                    int (*to)[2])
{
    memset(start, 0, ((size_t)node_count + 1) * sizeof(int));
    for (int e = 0; e < count; e++)
        start[from[e][side] + 1]++;
    for (int i = 0; i < node_count; i++)
        start[i + 1] += start[i];
    for (int e = 0; e < count; e++)
        memcpy(to[start[from[e][side]]++], from[e], sizeof to[0]);
}

static gmc_status find_graph(const sparse_system *w, gmc_arena *scratch, gmc_sparse_graph *graph)
{
    int nodes = w->problem->block_count, count = list_edges(w, NULL), distinct = 0;
    int(*edges)[2] = gmc_arena_take(scratch, (size_t)count, sizeof *edges);
    int(*sorted)[2] = gmc_arena_take(scratch, (size_t)count, sizeof *sorted);
    int *start = GMC_NEW(scratch, nodes + 1, int);
    if (!edges || !sorted || !start) return GMC_E_ARENA_FULL;
    (void)list_edges(w, edges);
    sort_by(1, nodes, count, start, (const int(*)[2])edges, sorted);
    sort_by(0, nodes, count, start, (const int(*)[2])sorted, edges);
    for (int e = 0; e < count; e++)
        if (distinct == 0 || edges[e][0] != edges[distinct - 1][0] ||
            edges[e][1] != edges[distinct - 1][1])
            memcpy(edges[distinct++], edges[e], sizeof edges[0]);
    *graph = (gmc_sparse_graph){nodes, w->problem->block_start, distinct, (const int(*)[2])edges};
    return GMC_OK;
}

static bool has_plan(const gmc_newton_sparse_memory *memory, const gmc_sparse_graph *graph)
{
    return memory->has_plan && memory->node_count == graph->node_count &&
           memory->edge_count == graph->edge_count &&
           memcmp(memory->start, graph->start, ((size_t)graph->node_count + 1) * sizeof(int)) ==
               0 &&
           (graph->edge_count == 0 ||
            memcmp(memory->edges, graph->edges,
                   (size_t)graph->edge_count * sizeof graph->edges[0]) == 0);
}

/// Make a plan in the memory; false if it has no room for it.
static gmc_status renew_plan(gmc_newton_sparse_memory *memory, const gmc_sparse_graph *graph,
                             gmc_arena *scratch, bool *is_made)
{
    *is_made = memory->has_plan = false;
    if (graph->node_count > memory->block_max || graph->edge_count > memory->pair_max)
        return GMC_OK;
    gmc_arena_reset(&memory->room, 0);
    gmc_status status = gmc_sparse_plan_make(graph, &memory->room, scratch, &memory->plan);
    // an arena that is full is made larger by the caller, a memory that is full is not used
    if (status == GMC_E_ARENA_FULL && memory->room.high_water > memory->room.capacity) {
        memory->room.high_water = 0;
        return GMC_OK;
    }
    if (status != GMC_OK) return status;
    memory->node_count = graph->node_count;
    memory->edge_count = graph->edge_count;
    memcpy(memory->start, graph->start, ((size_t)graph->node_count + 1) * sizeof(int));
    if (graph->edge_count > 0)
        memcpy(memory->edges, graph->edges, (size_t)graph->edge_count * sizeof graph->edges[0]);
    *is_made = memory->has_plan = true;
    return GMC_OK;
}

static gmc_status find_plan(sparse_system *w, gmc_arena *scratch)
{
    gmc_newton_sparse_memory *memory = w->problem->hints.memory;
    gmc_sparse_graph graph;
    bool is_made = false;
    GMC_TRY(find_graph(w, scratch, &graph));
    if (memory && has_plan(memory, &graph)) {
        w->plan = &memory->plan;
        return GMC_OK;
    }
    w->counts->plans++;
    if (memory) GMC_TRY(renew_plan(memory, &graph, scratch, &is_made));
    w->plan = is_made ? &memory->plan : &w->own_plan;
    return is_made ? GMC_OK : gmc_sparse_plan_make(&graph, scratch, scratch, &w->own_plan);
}

static int widest(const gmc_ncp *problem)
{
    int most = 1;
    for (int i = 0; i < problem->group_count; i++)
        if (problem->groups[i].column_count > most) most = problem->groups[i].column_count;
    for (int i = 0; i < problem->row_count; i++)
        if (problem->rows[i].column_count > most) most = problem->rows[i].column_count;
    return most;
}

/// Plan for the problem's graph (all its contacts, also those that do not press) and room for its
/// matrix, in `scratch`.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_LIBRARY
static gmc_status create_sparse(const gmc_ncp *problem, gmc_arena *scratch, sparse_system **system)
{
    int n = problem->dof_count;
    sparse_system *w = GMC_NEW(scratch, 1, sparse_system);
    if (!w) return GMC_E_ARENA_FULL;
    w->problem = problem;
    w->scratch = scratch;
    w->column_max = widest(problem);
    size_t most = (size_t)w->column_max;
    w->node_of = GMC_NEW(scratch, n, int);
    w->segments = GMC_NEW(scratch, most, segment);
    w->block = GMC_NEW(scratch, most * most + 12 * most, double);
    w->right = GMC_NEW(scratch, 2 * n, double);
    if (!w->node_of || !w->segments || !w->block || !w->right) return GMC_E_ARENA_FULL;
    w->KS = w->block + most * most;
    w->KtS = w->KS + 6 * most;
    w->defect = w->right + n;
    w->counts = problem->hints.memory ? &problem->hints.memory->counts : &w->own_counts;
    for (int b = 0; b < problem->block_count; b++)
        for (int i = problem->block_start[b]; i < problem->block_start[b + 1]; i++)
            w->node_of[i] = b;
    GMC_TRY(find_plan(w, scratch));
    GMC_TRY(gmc_sparse_create(w->plan, scratch, &w->matrix));
    w->matrix.flops = &w->counts->flops;
    *system = w;
    return GMC_OK;
}

// ---- the matrix --------------------------------------------------------------------------------

static void sparse_mass(sparse_system *w)
{
    const gmc_ncp *problem = w->problem;
    gmc_sparse_clear(&w->matrix);
    for (int b = 0; b < problem->block_count; b++) {
        size_t stride;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        int turn = w->plan->turn[b], span = w->plan->span[turn];
        double *rows = w->matrix.upper + w->plan->panel[turn];
        for (int i = 0; i < w->plan->width[turn]; i++)
            memcpy(rows + i * span, M + (size_t)i * stride,
                   (size_t)w->plan->width[turn] * sizeof(double));
    }
}

/// Add the part (rows of `a`, columns of `b`) of w->block to the matrix.
static void scatter_pair(sparse_system *w, const int *columns, const segment *a, const segment *b)
{
    const gmc_sparse_plan *plan = w->plan;
    bool is_upper = a->turn <= b->turn;
    int early = is_upper ? a->turn : b->turn, late = is_upper ? b->turn : a->turn;
    int span = plan->span[early], offset = gmc_sparse_plan_offset(plan, early, late);
    double *panel = (is_upper ? w->matrix.upper : w->matrix.lower) + plan->panel[early];
    GMC_ASSERT(offset >= 0);
    for (int i = a->first; i < a->end; i++) {
        int row = columns[i] - plan->first[a->turn];
        const double *from = w->block + i * w->column_max;
        for (int j = b->first; j < b->end; j++) {
            int column = columns[j] - plan->first[b->turn];
            int at = is_upper ? row * span + offset + column : column * span + offset + row;
            panel[at] += from[j];
        }
    }
}

static void scatter_block(sparse_system *w, const int *columns, int count, bool is_symmetric)
{
    int n = find_segments(w, columns, count, w->segments);
    for (int i = 0; i < n; i++)
        w->segments[i].turn = w->plan->turn[w->segments[i].turn];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!is_symmetric || w->segments[i].turn <= w->segments[j].turn)
                scatter_pair(w, columns, &w->segments[i], &w->segments[j]);
}

/// block := Sᵀ K S
static void write_block(sparse_system *w, const gmc_ncp_group *group, const double K[36])
{
    int count = group->general_count, width = w->column_max;
    gmc_newton_group_multiply(group, K, false, w->KS);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            w->block[k * width + l] = gmc_newton_group_dot(group->S + 6 * k, w->KS + 6 * l);
    if (group->column_count == count) return;
    gmc_newton_group_multiply(group, K, true, w->KtS);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 6; i++) {
            w->block[k * width + count + i] = group->sign * w->KtS[6 * k + i];
            w->block[(count + i) * width + k] = group->sign * w->KS[6 * k + i];
        }
    for (int i = 0; i < 6; i++)
        memcpy(w->block + (count + i) * width + count, K + 6 * i, 6 * sizeof *K);
}

static void assemble_sparse(sparse_system *w, const gmc_newton_lines *lines)
{
    const gmc_newton_stiffness *stiffnesses = lines->stiffnesses;
    const gmc_newton_clamp *clamps = lines->clamps;
    const gmc_ncp *problem = w->problem;
    sparse_mass(w);
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        if (!stiffnesses[i].is_pressed) continue;
        write_block(w, group, stiffnesses[i].K);
        scatter_block(w, group->columns, group->column_count, lines->is_symmetric);
    }
    for (int r = 0; r < problem->row_count; r++) {
        const gmc_ncp_row *row = &problem->rows[r];
        for (int i = 0; i < row->column_count; i++)
            for (int j = 0; j < row->column_count; j++)
                w->block[i * w->column_max + j] = clamps[r].g * row->J[i] * row->J[j];
        if (clamps[r].g != 0)
            scatter_block(w, row->columns, row->column_count, lines->is_symmetric);
    }
}

// ---- solution and its check --------------------------------------------------------------------

/// defect = right - (M + Σ Jᵀ G J) x
static void find_defect(sparse_system *w, const gmc_newton_lines *lines, const double *x)
{
    const gmc_ncp *problem = w->problem;
    double *d = w->defect;
    memcpy(d, w->right, (size_t)problem->dof_count * sizeof(double));
    for (int b = 0; b < problem->block_count; b++) {
        size_t stride;
        const double *M = gmc_ncp_mass_block(problem, b, &stride);
        int from = problem->block_start[b], width = problem->block_start[b + 1] - from;
        for (int i = 0; i < width; i++)
            for (int j = 0; j < width; j++)
                d[from + i] -= M[(size_t)i * stride + (size_t)j] * x[from + j];
    }
    for (int k = 0; k < problem->group_count; k++) {
        const gmc_ncp_group *group = &problem->groups[k];
        double V[6], F[6] = {0};
        gmc_ncp_group_velocity(group, x, V);
        for (int i = group->contact_first; i < group->contact_first + group->contact_count; i++) {
            const gmc_newton_cone *c = &lines->cones[i];
            double u[3];
            if (c->is_open) continue;
            gmc_ncp_contact_at(&problem->contacts[i], V, u);
            double f[3] = {c->g_n * u[0], c->g_tn[0] * u[0] + c->g_tt[0] * u[1] + c->g_tt[1] * u[2],
                           c->g_tn[1] * u[0] + c->g_tt[1] * u[1] + c->g_tt[2] * u[2]};
            gmc_ncp_contact_wrench(&problem->contacts[i], f, F);
        }
        gmc_ncp_group_push(group, F, d);
    }
    for (int r = 0; r < problem->row_count; r++) {
        const gmc_ncp_row *row = &problem->rows[r];
        double f = lines->clamps[r].g * gmc_ncp_row_velocity(row, x);
        for (int i = 0; i < row->column_count; i++)
            d[row->columns[i]] -= row->J[i] * f;
    }
}

/// Root of Σ x_i²/M_ii: of the unit of velocity times root mass, whatever the dof.
static double newton_size(const double *x, const double *weight, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i] * weight[i];
    return sqrt(sum);
}

/// Improve x until the system holds. @return whether it does
static bool newton_refine(sparse_system *w, const gmc_newton_lines *lines, double *x)
{
    const double *weight = lines->weight;
    int n = w->problem->dof_count;
    double size = newton_size(w->right, weight, n);
    for (int i = 0;; i++) {
        find_defect(w, lines, x);
        double error = newton_size(w->defect, weight, n);
        if (error <= REFINED * size) return true;
        if (i == REFINEMENTS) return error <= USABLE * size;
        if (i == 0) w->counts->refined++;
        gmc_sparse_solve(&w->matrix, w->defect);
        for (int k = 0; k < n; k++)
            x[k] += w->defect[k];
    }
}

/// v := (M + Σ Jᵀ G J)⁻¹ v
/// @return GMC_OK, GMC_E_NO_SOLUTION (singular), GMC_E_ARENA_FULL, GMC_E_MEMORY
static gmc_status solve_sparse(sparse_system *system, const gmc_newton_lines *lines, double *v)
{
    sparse_system *w = system;
    size_t bytes = (size_t)w->problem->dof_count * sizeof(double);
    w->counts->systems++;
    assemble_sparse(w, lines);
    if (lines->is_symmetric) {
        if (!gmc_sparse_factor(&w->matrix, NULL)) return GMC_E_NO_SOLUTION;
        gmc_sparse_solve(&w->matrix, v);
        return GMC_OK;
    }
    memcpy(w->right, v, bytes);
    if (gmc_sparse_factor(&w->matrix, lines->weight)) {
        gmc_sparse_solve(&w->matrix, v);
        if (newton_refine(w, lines, v)) return GMC_OK;
    }
    w->counts->pivoted++;
    memcpy(v, w->right, bytes);
    assemble_sparse(w, lines);
    return gmc_sparse_klu_solve(&w->matrix, v, w->scratch);
}

// ---- a run -------------------------------------------------------------------------------------

typedef struct newton_run {
    const gmc_ncp *problem;
    const gmc_ncp_scales *scales;
    gmc_newton_form form;
    gmc_newton_cone *cones;
    gmc_newton_clamp *clamps;
    gmc_newton_stiffness *stiffnesses; ///< (group_count)
    const double *v;                   ///< (dof_count) now: the start's until it moves
    double *v_out, *v_next;            ///< (dof_count) the iterate's, after a full step
    double *g, *moved;       ///< (dof_count) scratch: defect of momentum, a part of the way
    double *r_flat, *s_flat; ///< impulses in the problem's layout
    double momentum_merit;   ///< of (v, r, s), or UNKNOWN
    bool is_projected;       ///< the p of cones and clamps belong to the last iterate
    gmc_status status;       ///< of the last linear system
    gmc_newton_dense dense;
    sparse_system *sparse; ///< NULL: dense
} newton_run;

/// u and r at the part t of the step.
static inline void cone_at(const gmc_newton_cone *c, double t, double u[3], double r[3])
{
    for (int k = 0; k < 3; k++) {
        u[k] = gmc_newton_part(c->u[k], c->u_next[k], t);
        r[k] = gmc_newton_part(c->r[k], c->r_next[k], t);
    }
}

// ---- how far a run is from a solution ----------------------------------------------------------
//
// The square of the scaled residual times the problem's size, as ncp.h has it.

/// Of v with the impulses in r_flat, s_flat.
static double momentum_merit(newton_run *w, const double *v)
{
    double sum = 0;
    gmc_ncp_defect(w->problem, v, w->r_flat, w->s_flat, w->g);
    for (int i = 0; i < w->problem->dof_count; i++)
        sum += w->g[i] * w->g[i] * w->scales->inverse_mass[i];
    return sum;
}

static void flatten(newton_run *w)
{
    for (int i = 0; i < w->problem->contact_count; i++)
        memcpy(w->r_flat + 3 * i, w->cones[i].r, 3 * sizeof(double));
    for (int i = 0; i < w->problem->row_count; i++)
        w->s_flat[i] = w->clamps[i].s;
}

/// Merit after the full step, whose velocities and impulses are worked out here. That of momentum
/// is zero; zero times what is not finite is not.
static double merit_full(newton_run *w)
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
            if (first->hints.face_count == 0) {
                gmc_ncp_contact_at(first, V, cone->u_next);
                sum += gmc_newton_line_defect(cone);
                c++;
                continue;
            }
            gmc_ncp_face face;
            gmc_ncp_face_open(first->frame, V, &face);
            for (int stop = c + first->hints.face_count; c < stop; c++, contact++, cone++) {
                gmc_ncp_face_at(&face, contact->hints.turned_arm, cone->u_next);
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

/// Merit at the part t of the step, t < 1.
static double merit_part(newton_run *w, double t)
{
    if (w->momentum_merit == UNKNOWN) {
        flatten(w);
        w->momentum_merit = momentum_merit(w, w->v);
    }
    double sum = (1 - t) * (1 - t) * w->momentum_merit;
    for (int i = 0; i < w->problem->contact_count; i++) {
        double u[3], r[3];
        cone_at(&w->cones[i], t, u, r);
        sum += gmc_newton_cone_defect(&w->cones[i], u, r);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        sum += gmc_newton_clamp_defect(c, gmc_newton_part(c->u, c->u_next, t),
                                       gmc_newton_part(c->s, c->s_next, t));
    }
    return sum;
}

/// That of the primal form, 0 <= t <= 1: impulses of the law at the velocities u + t (u_next - u)
/// alone, and their defect of momentum.
static double merit_primal(newton_run *w, double t)
{
    const gmc_ncp *problem = w->problem;
    for (int i = 0; i < problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        double u[3], r[3];
        cone_at(c, t, u, r);
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

enum { HALVINGS_MAX = 8 };           ///< down to 1/256 of a step
static const double DECREASE = 1e-4; ///< fraction of the linear decrease asked of a step

// ---- room --------------------------------------------------------------------------------------

static size_t room_bytes(size_t n, size_t contacts, size_t rows, size_t groups)
{
    return contacts * sizeof(gmc_newton_cone) + rows * sizeof(gmc_newton_clamp) +
           groups * sizeof(gmc_newton_stiffness) + (3 * n + 3 * contacts + rows) * sizeof(double);
}

static gmc_status newton_make_room(newton_run *w, gmc_arena *scratch)
{
    const gmc_ncp *problem = w->problem;
    size_t n = (size_t)problem->dof_count, nc = (size_t)problem->contact_count;
    size_t nr = (size_t)problem->row_count;
    w->sparse = NULL;
    if (gmc_newton_sparse_fits(problem))
        GMC_TRY(create_sparse(problem, scratch, &w->sparse));
    else
        GMC_TRY(gmc_newton_dense_create(problem, scratch, &w->dense));
    size_t groups = (size_t)problem->group_count;
    char *at =
        gmc_arena_room(scratch, room_bytes(n, nc, nr, groups), 1); // all of doubles' alignment
    if (!at) return GMC_E_ARENA_FULL;
    w->cones = (void *)at;
    w->clamps = (void *)(at += nc * sizeof *w->cones);
    w->stiffnesses = (void *)(at += nr * sizeof *w->clamps);
    double *x = (void *)(at + groups * sizeof *w->stiffnesses);
    w->v_next = x;
    w->g = x + n;
    w->moved = x + 2 * n;
    w->r_flat = x + 3 * n;
    w->s_flat = w->r_flat + 3 * nc;
    return GMC_OK;
}

// ---- start -------------------------------------------------------------------------------------

/// The primal form is the primal-dual one with ρ = 1/R, where y no longer depends on r.
static double share_of(const newton_run *w) { return w->form == GMC_NEWTON_PRIMAL ? 0 : 1; }

static void start_rows(newton_run *w, const gmc_ncp_solution *from)
{
    for (int i = 0; i < w->problem->row_count; i++)
        gmc_newton_open_clamp(&w->problem->rows[i], share_of(w) * w->scales->row[i], w->v,
                              from->s[i], &w->clamps[i]);
}

/// @param from  where to start; r and s of the iterate are written from now on
static void newton_start(newton_run *w, const gmc_ncp_solution *from,
                         const gmc_ncp_solution *iterate)
{
    const gmc_ncp *problem = w->problem;
    const double *scale = w->scales->contact;
    double share = share_of(w);
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        int end = group->contact_first + group->contact_count;
        double V[6];
        gmc_ncp_group_velocity(group, w->v, V);
        for (int c = group->contact_first; c < end;) {
            const gmc_ncp_contact *contact = &problem->contacts[c];
            const double *D = contact->frame;
            int left = contact->hints.face_count;
            if (left == 0) {
                gmc_newton_open_cone(contact, share * scale[c], from->r + 3 * c, iterate->r + 3 * c,
                                     &w->cones[c]);
                gmc_ncp_contact_at(contact, V, w->cones[c].u);
                gmc_newton_cone_trial(&w->cones[c++]);
                continue;
            }
            gmc_ncp_face face;
            gmc_ncp_face_open(D, V, &face);
            for (; left > 0; left--, c++, contact++) {
                gmc_newton_cone *cone = &w->cones[c];
                gmc_newton_open_cone(contact, share * scale[c], from->r + 3 * c, iterate->r + 3 * c,
                                     cone);
                gmc_ncp_face_at(&face, contact->hints.turned_arm, cone->u);
                gmc_newton_cone_trial(cone);
            }
        }
    }
}

// ---- the linear system -------------------------------------------------------------------------

/// Every contact on the line that its warm impulse says, if all say one.
static bool keep_lines(newton_run *w, const gmc_ncp_solution *from, const gmc_ncp_solution *iterate)
{
    const gmc_ncp *problem = w->problem;
    const gmc_ncp_contact *contact = problem->contacts;
    const double *r = from->r;
    double *p = iterate->r;
    gmc_newton_cone *cone = w->cones;
    for (int left = problem->contact_count; left > 0; left--, contact++, cone++, r += 3, p += 3)
        if (!gmc_newton_keep_cone(contact, r, p, cone)) return false;
    return true;
}

/// F := less the wrench of all q of a group.
static void push_lines(const newton_run *w, const gmc_ncp_group *group, double F[6])
{
    const gmc_ncp_contact *contact = w->problem->contacts + group->contact_first;
    const gmc_ncp_contact *end = contact + group->contact_count;
    const gmc_newton_cone *cone = w->cones + group->contact_first;
    for (int i = 0; i < 6; i++)
        F[i] = 0;
    while (contact < end) {
        const gmc_ncp_contact *first = contact;
        if (first->hints.face_count == 0) {
            const double push[3] = {-cone->q[0], -cone->q[1], -cone->q[2]};
            gmc_ncp_contact_wrench(first, push, F);
            contact++;
            cone++;
            continue;
        }
        gmc_ncp_face sum = {{0}, {0}}; // of -q
        for (const gmc_ncp_contact *stop = first + first->hints.face_count; contact < stop;
             contact++, cone++)
            if (!cone->is_open) gmc_ncp_face_subtract(contact->hints.turned_arm, cone->q, &sum);
        gmc_ncp_face_wrench(first->frame, &sum, F);
    }
}

/// The line of every contact. @return whether none slides: H is symmetric
static bool newton_linearise(newton_run *w)
{
    bool slides = false;
    for (int c = 0; c < w->problem->contact_count; c++) {
        gmc_newton_linearise_cone(&w->cones[c]);
        slides = slides || w->cones[c].is_sliding;
    }
    return !slides;
}

/// All lines together; v_next := p* + Jᵀ q.
static void add_lines(newton_run *w)
{
    const gmc_ncp *problem = w->problem;
    memcpy(w->v_next, problem->momentum, (size_t)problem->dof_count * sizeof(double));
    for (int i = 0; i < problem->group_count; i++) {
        const gmc_ncp_group *group = &problem->groups[i];
        double F[6];
        gmc_newton_group_sum(group, problem->contacts, w->cones, &w->stiffnesses[i]);
        if (!w->stiffnesses[i].is_pressed) continue;
        push_lines(w, group, F);
        gmc_ncp_group_push(group, F, w->v_next);
    }
    for (int i = 0; i < problem->row_count; i++) {
        const gmc_ncp_row *row = &problem->rows[i];
        gmc_newton_linearise_clamp(&w->clamps[i]);
        for (int k = 0; k < row->column_count; k++)
            w->v_next[row->columns[k]] += row->J[k] * w->clamps[i].q;
    }
}

/// v_next := H⁻¹ (p* + Jᵀ q)
static gmc_status newton_solve_linear(newton_run *w, bool is_symmetric)
{
    const gmc_newton_lines lines = {w->stiffnesses, w->cones, w->clamps, w->scales->inverse_mass,
                                    is_symmetric};
    add_lines(w);
    if (w->sparse) return solve_sparse(w->sparse, &lines, w->v_next);
    return gmc_newton_dense_solve(&w->dense, &lines, w->v_next);
}

// ---- steps -------------------------------------------------------------------------------------

static void move_velocity(newton_run *w, double t)
{
    for (int i = 0; i < w->problem->dof_count; i++)
        w->v_out[i] = t == 1 ? w->v_next[i] : gmc_newton_part(w->v[i], w->v_next[i], t);
    w->v = w->v_out;
}

static void newton_take_step(newton_run *w, double t)
{
    move_velocity(w, t);
    w->momentum_merit = t == 1 ? 0 : (1 - t) * (1 - t) * w->momentum_merit;
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        cone_at(c, t, c->u, c->r);
        gmc_newton_cone_trial(c);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->u = gmc_newton_part(c->u, c->u_next, t);
        c->s = gmc_newton_part(c->s, c->s_next, t);
    }
}

/// r(v) becomes the iterate's r.
static void adopt_primal(newton_run *w)
{
    for (int i = 0; i < w->problem->contact_count; i++) {
        gmc_newton_cone *c = &w->cones[i];
        gmc_ncp_project(c->y, c->friction, c->r);
        gmc_newton_cone_trial(c);
    }
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        c->s = gmc_ncp_clamp(gmc_newton_clamp_trial(c, c->u, c->s), c->lower, c->upper);
    }
}

// ---- the iteration -----------------------------------------------------------------------------

static double newton_merit_at(newton_run *w, double t)
{
    return w->form == GMC_NEWTON_PRIMAL ? merit_primal(w, t) : merit_part(w, t);
}

/// One linear system and one search along its solution. When the search ends without a decrease its
/// last step is taken all the same: a cycle is left more often than the merit is spoilt.
/// @param merit  before, or UNKNOWN
/// @return the merit afterwards, NaN if the system is singular
static double newton_iterate_once(newton_run *w, double merit, double enough)
{
    w->status = newton_solve_linear(w, newton_linearise(w));
    if (w->status != GMC_OK) return NAN;
    double t = 1, next = merit_full(w);
    if (w->form == GMC_NEWTON_PRIMAL) next = merit_primal(w, 1);
    if (next <= enough && w->form == GMC_NEWTON_PRIMAL_DUAL) {
        move_velocity(w, 1);
        w->is_projected = true;
        return next;
    }
    if (merit == UNKNOWN) merit = newton_merit_at(w, 0);
    for (int i = 0; i < HALVINGS_MAX; i++) {
        if (next <= enough || next < (1 - DECREASE * t) * merit) break;
        t *= 0.5;
        next = newton_merit_at(w, t);
    }
    newton_take_step(w, t);
    if (w->form == GMC_NEWTON_PRIMAL) adopt_primal(w);
    return next;
}

/// Does everything stick and stay open that did so at the start? One linear system tells, and is
/// then the solution.
static bool is_kept(newton_run *w, const gmc_ncp_solution *from, const gmc_ncp_solution *iterate,
                    double enough, gmc_newton_result *result)
{
    if (!from || w->form == GMC_NEWTON_PRIMAL || w->sparse) return false;
    if (!keep_lines(w, from, iterate)) return false;
    result->iterations++;
    if (newton_solve_linear(w, true) != GMC_OK) return false;
    double merit = merit_full(w); // not a number if something leaves its piece
    if (!(merit <= enough)) return false;
    move_velocity(w, 1);
    w->is_projected = true;
    result->residual = sqrt(merit) / w->scales->momentum;
    return true;
}

/// r := P(r - ρ w): the same to within the residual, and inside the cone to rounding.
static void newton_finish(newton_run *w, gmc_ncp_solution *iterate)
{
    if (w->v != w->v_out) memcpy(w->v_out, w->v, (size_t)w->problem->dof_count * sizeof(double));
    for (int i = 0; i < w->problem->contact_count && !w->is_projected; i++)
        gmc_ncp_project(w->cones[i].y, w->cones[i].friction, w->cones[i].p);
    for (int i = 0; i < w->problem->row_count; i++) {
        gmc_newton_clamp *c = &w->clamps[i];
        if (!w->is_projected) (void)gmc_newton_clamp_defect(c, c->u, c->s);
        iterate->s[i] = c->p;
    }
}

/// From the start on. @return whether the merit is enough
static bool iterate_all(newton_run *w, int iteration_max, double enough, gmc_newton_result *result)
{
    double merit = UNKNOWN;
    for (int left = iteration_max; left > 0; left--) {
        result->iterations++;
        merit = newton_iterate_once(w, merit, enough);
        if (merit <= enough || !(merit < HUGE_VAL)) break; // solved; singular, or not finite
    }
    result->residual = sqrt(merit) / w->scales->momentum;
    return merit <= enough;
}

gmc_status gmc_newton_solve(const gmc_ncp *problem, const gmc_ncp_scales *scales,
                            const gmc_newton_options *options, gmc_ncp_solution *iterate,
                            gmc_arena *scratch, gmc_newton_result *result)
{
    GMC_ASSERT(options->iteration_max > 0);
    size_t mark = gmc_arena_mark(scratch);
    newton_run w; // filled by newton_make_room and newton_start: it is large
    *result = (gmc_newton_result){.residual = NAN};
    w.problem = problem;
    w.scales = scales;
    w.form = options->form;
    gmc_status status = newton_make_room(&w, scratch);
    if (status != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return status;
    }
    const gmc_ncp_solution *from = options->start ? options->start : iterate;
    w.v = from->v;
    w.v_out = iterate->v;
    w.momentum_merit = UNKNOWN;
    w.is_projected = false;
    w.status = GMC_OK;
    start_rows(&w, from);

    double enough = options->tolerance * scales->momentum;
    enough *= enough;
    bool is_solved = is_kept(&w, options->start, iterate, enough, result);
    if (!is_solved) {
        newton_start(&w, from, iterate);
        is_solved = iterate_all(&w, options->iteration_max, enough, result);
    }
    newton_finish(&w, iterate);
    gmc_arena_reset(scratch, mark);
    if (w.status != GMC_OK) return w.status;
    return is_solved ? GMC_OK : GMC_E_NO_SOLUTION;
}
