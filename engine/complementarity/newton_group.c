#include "engine/complementarity/newton_group.h"

#include "engine/base/check.h"

/// Sums over arms a.
typedef struct arm_sums {
    double x, y, z;                ///< Σ a
    double xx, yy, zz, yz, zx, xy; ///< Σ a aᵀ
} arm_sums;

/// Contacts that stick, follow each other and have normal and slopes in common.
typedef struct run {
    const double *normal;
    double g_t, g_n;
    double count;
    bool has_spun; ///< else `tangents` is not filled
    arm_sums normals, tangents;
} run;

/// Not open, and as find_run can take it.
static inline bool sticks(const gmc_ncp_contact *contact, const gmc_newton_cone *c)
{
    return !c->is_open && !c->is_sliding && contact->hints.is_rotation;
}

static inline bool fits(const run *r, const gmc_ncp_contact *contact, const gmc_newton_cone *c)
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
                    run *found)
{
    run r = {.normal = contacts[c].frame, .g_t = cones[c].g_tt[0], .g_n = cones[c].g_n};
    const double *n = r.normal;
    GMC_ASSERT(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-9); // a rotation: ncp.h
    arm_sums sums = {0};
    int first = c;
    do {
        add_arm(contacts[c].arm, &sums);
        r.has_spun = r.has_spun || is_spun(&contacts[c]);
        c++;
    } while (c < end && sticks(&contacts[c], &cones[c]) && fits(&r, &contacts[c], &cones[c]));
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
static inline void put(int i, int j, double value, bool is_first, double *K)
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
    put(0, 0, g * count + x.nn * n[0] * n[0], is_first, K);
    put(0, 1, x.nn * n[0] * n[1], is_first, K);
    put(0, 2, x.nn * n[0] * n[2], is_first, K);
    put(1, 1, g * count + x.nn * n[1] * n[1], is_first, K);
    put(1, 2, x.nn * n[1] * n[2], is_first, K);
    put(2, 2, g * count + x.nn * n[2] * n[2], is_first, K);
    put(0, 3, n[0] * x.turn[0], is_first, K);
    put(0, 4, n[0] * x.turn[1] + gz, is_first, K);
    put(0, 5, n[0] * x.turn[2] - gy, is_first, K);
    put(1, 3, n[1] * x.turn[0] - gz, is_first, K);
    put(1, 4, n[1] * x.turn[1], is_first, K);
    put(1, 5, n[1] * x.turn[2] + gx, is_first, K);
    put(2, 3, n[2] * x.turn[0] + gy, is_first, K);
    put(2, 4, n[2] * x.turn[1] - gx, is_first, K);
    put(2, 5, n[2] * x.turn[2], is_first, K);
    put(3, 3, x.W[0][0] + g * (s->yy + s->zz), is_first, K);
    put(3, 4, x.W[0][1] - g * s->xy, is_first, K);
    put(3, 5, x.W[0][2] - g * s->zx, is_first, K);
    put(4, 4, x.W[1][1] + g * (s->zz + s->xx), is_first, K);
    put(4, 5, x.W[1][2] - g * s->yz, is_first, K);
    put(5, 5, x.W[2][2] + g * (s->xx + s->yy), is_first, K);
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
static void put_run(const run *r, bool is_first, double *K)
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

void gmc_newton_group_sum(const gmc_ncp_group *group, const gmc_ncp_contact *contacts,
                          const gmc_newton_cone *cones, gmc_newton_stiffness *stiffness)
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
        run r;
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
