// One iteration, with P = T⁻¹ of the scaling, D = diag(1/mu, 1, 1), r = D x,
// E = 1 + e_N slideᵀ and the defect F = z - D w - |z_T| e_N:
//
//   P² dx + dz = g,   dz = E D W dr - E F    =>   P² D⁻¹ dr + E D (W dr) = g + E F
//   g = P (scaled \ (σμ 1 - scaled ∘ scaled - correction))
//
// which is the system of dual_system.h with A = P² D⁻¹ and B = E D, solved twice with one
// factorisation: predictor (σ = 0), then corrector with Mehrotra's σ. Both step lengths are one.
#include "engine/complementarity/interior.h"

#include "engine/complementarity/dual_system.h"

#include <string.h>

// One unit as the method sees it:
//
//   cone   x = (mu r_N, r_T), z = (w_N/mu + |w_T|, w_T), both inside |x_T| < x_N
//   line   frictionless contact: x = r_N, z = w_N, both > 0; r_T = 0
//   box    per component: r between its bounds, one multiplier per finite bound
//
// Jordan algebra of the Lorentz cone: a ∘ b = (a·b, a_0 b_T + b_0 a_T), det a = a_0² - |a_T|²,
// 1 = (1, 0, 0), J = diag(1, -1, -1). Source: [vandenberghe2010] §2 and §4.

typedef enum unit_kind { CONE, LINE, BOX } unit_kind;

typedef struct interior_unit {
    unit_kind kind;
    double mu;
    double lower[3], upper[3];
    double x[3], z[3]; ///< cone and line; box: x = r, z = multipliers of the lower bounds
    double z_upper[3]; ///< box: multipliers of the upper bounds
    double defect[3];  ///< of the definition of z by x
    double dx[3], dz[3], dz_upper[3];
    double w_nt[3], eta; ///< scaling point: T = eta Q(w_nt), T z = T⁻¹ x = scaled
    double scaled[3];
    double slide[2]; ///< w_T / |w_T|, 0 where nothing slides
} interior_unit;

static inline double cone_det(const double a[3])
{
    double t = sqrt(a[1] * a[1] + a[2] * a[2]);
    return (a[0] - t) * (a[0] + t);
}

/// y = Q(w) x with Q(w) = [w_0, w_Tᵀ; w_T, 1 + w_T w_Tᵀ/(1 + w_0)], det w = 1; inverse: Q(J w).
static inline void cone_turn(const double w[3], double sign, const double x[3], double y[3])
{
    double w1 = sign * w[1], w2 = sign * w[2], along = w1 * x[1] + w2 * x[2];
    double head = w[0] * x[0] + along, tail = x[0] + along / (1 + w[0]);
    y[1] = x[1] + tail * w1;
    y[2] = x[2] + tail * w2;
    y[0] = head;
}

/// The scaling point of x and z.
static inline void scale_cone(interior_unit *u)
{
    double size_x = sqrt(cone_det(u->x)), size_z = sqrt(cone_det(u->z));
    double x[3], z[3], dot = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = u->x[i] / size_x;
        z[i] = u->z[i] / size_z;
        dot += x[i] * z[i];
    }
    double half = 0.5 / sqrt(0.5 * (1 + dot));
    u->w_nt[0] = (x[0] + z[0]) * half;
    u->w_nt[1] = (x[1] - z[1]) * half;
    u->w_nt[2] = (x[2] - z[2]) * half;
    u->eta = sqrt(size_x / size_z);
    cone_turn(u->w_nt, 1, u->z, u->scaled);
    for (int i = 0; i < 3; i++)
        u->scaled[i] *= u->eta;
}

/// The solution s of  a ∘ s = b.
static inline void cone_divide(const double a[3], const double b[3], double s[3])
{
    double head = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / cone_det(a);
    s[1] = (b[1] - a[1] * head) / a[0];
    s[2] = (b[2] - a[2] * head) / a[0];
    s[0] = head;
}

/// Largest t <= limit with x + t dx in the Lorentz cone.
static inline double reach_cone(const double x[3], const double dx[3], double limit)
{
    double a = cone_det(dx), c = cone_det(x);
    double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2]; // a t² + 2 b t + c
    double disc = b * b - a * c;
    if (disc >= 0) {
        double q = -(b + (b >= 0 ? sqrt(disc) : -sqrt(disc)));
        if (a != 0 && q / a > 0) limit = fmin(limit, q / a);
        if (q != 0 && c / q > 0) limit = fmin(limit, c / q);
    }
    if (dx[0] < 0) limit = fmin(limit, -x[0] / dx[0]);
    return limit;
}

static inline double reach_line(double x, double dx, double limit)
{
    return dx < 0 ? fmin(limit, -x / dx) : limit;
}

static const double STEP_SHARE = 0.99;   ///< of the way to the boundary
static const double CENTRING_MIN = 1e-6; ///< σ: below it rounding eats what centring gives
static const double STEP_MIN = 1e-8;     ///< a shorter step is the end
enum { PATIENCE = 8 };                   ///< iterations without a better residual before giving up
static const double FREE_SOFTNESS = 1e-10; ///< A of a component without bounds: keeps A regular

typedef struct interior {
    const gmc_dual *normal;
    gmc_dual_system *system;
    interior_unit *units;
    gmc_dual_slope *slopes;
    double *r, *w, *f, *dr, *Wdr;
    double *affine; ///< (9 per unit) predictor: dx, dz, dz_upper
    int pair_count; ///< complementary pairs
} interior;

// ---- room and start ----------------------------------------------------------------------------

static gmc_status interior_make_room(interior *p, gmc_arena *scratch)
{
    int n = p->normal->unit_count;
    p->units = GMC_NEW(scratch, n, interior_unit);
    p->slopes = GMC_NEW(scratch, n, gmc_dual_slope);
    double *x = GMC_NEW(scratch, 24 * n, double);
    if (!p->units || !p->slopes || !x) return GMC_E_ARENA_FULL;
    p->r = x;
    p->w = x + 3 * n;
    p->f = x + 6 * n;
    p->dr = x + 9 * n;
    p->Wdr = x + 12 * n;
    p->affine = x + 15 * n;
    return GMC_OK;
}

static bool has_lower(const interior_unit *u, int i) { return u->lower[i] > -HUGE_VAL; }
static bool has_upper(const interior_unit *u, int i) { return u->upper[i] < HUGE_VAL; }
static bool is_pinned(const interior_unit *u, int i) { return !(u->lower[i] < u->upper[i]); }

static int start_box(interior_unit *u)
{
    int pairs = 0;
    for (int i = 0; i < 3; i++) {
        u->x[i] = has_lower(u, i)   ? u->lower[i] + (has_upper(u, i) ? 0 : 1)
                  : has_upper(u, i) ? u->upper[i] - 1
                                    : 0;
        if (is_pinned(u, i)) continue;
        if (has_lower(u, i) && has_upper(u, i)) u->x[i] = 0.5 * (u->lower[i] + u->upper[i]);
        u->z[i] = has_lower(u, i) ? 1 : 0;
        u->z_upper[i] = has_upper(u, i) ? 1 : 0;
        pairs += has_lower(u, i) + has_upper(u, i);
    }
    return pairs;
}

static void interior_start(interior *p)
{
    for (int c = 0; c < p->normal->unit_count; c++) {
        const gmc_dual_unit *from = &p->normal->units[c];
        interior_unit *u = &p->units[c];
        *u = (interior_unit){.mu = from->friction};
        memcpy(u->lower, from->lower, sizeof u->lower);
        memcpy(u->upper, from->upper, sizeof u->upper);
        if (from->is_box) {
            u->kind = BOX;
            p->pair_count += start_box(u);
            continue;
        }
        u->kind = from->friction > 0 ? CONE : LINE;
        u->x[0] = u->z[0] = 1;
        p->pair_count++;
    }
}

// ---- where the iterate stands ------------------------------------------------------------------

static double duality(const interior_unit *u, double t)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double x = u->x[i] + t * u->dx[i], z = u->z[i] + t * u->dz[i];
        if (u->kind != BOX) {
            sum += x * z;
            continue;
        }
        if (has_lower(u, i)) sum += (x - u->lower[i]) * z;
        if (has_upper(u, i)) sum += (u->upper[i] - x) * (u->z_upper[i] + t * u->dz_upper[i]);
    }
    return sum;
}

/// r, w = W r + q and the defects; the mean complementarity μ is returned.
static double interior_look(interior *p)
{
    double sum = 0;
    for (int c = 0; c < p->normal->unit_count; c++) {
        interior_unit *u = &p->units[c];
        memcpy(p->r + 3 * c, u->x, sizeof u->x);
        if (u->kind == CONE) p->r[3 * c] = u->x[0] / u->mu;
        sum += duality(u, 0);
    }
    gmc_dual_answer(p->normal, p->r, p->w);
    for (int c = 0; c < p->normal->unit_count; c++) {
        interior_unit *u = &p->units[c];
        const double *w = p->w + 3 * c;
        for (int i = 0; i < 3; i++)
            u->defect[i] = u->z[i] - w[i] - (u->kind == BOX ? u->z_upper[i] : 0);
        if (u->kind != CONE) continue;
        double slip = sqrt(u->z[1] * u->z[1] + u->z[2] * u->z[2]);
        u->slide[0] = slip > 0 ? u->z[1] / slip : 0;
        u->slide[1] = slip > 0 ? u->z[2] / slip : 0;
        u->defect[0] = u->z[0] - w[0] / u->mu - slip;
    }
    return p->pair_count > 0 ? sum / p->pair_count : 0;
}

// ---- the linear system -------------------------------------------------------------------------

/// A = P² D⁻¹, A⁻¹ = D T², B = E D with P² = (2 (J w)(J w)ᵀ - J)/eta², T² = eta² (2 w wᵀ - J)
static void slope_of_cone(const interior_unit *u, gmc_dual_slope *slope)
{
    const double J[3] = {1, -1, -1}, D[3] = {1 / u->mu, 1, 1};
    double stiff = 1 / (u->eta * u->eta), soft = u->eta * u->eta;
    *slope = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_GENERAL,
                              .B = {D[0], u->slide[0], u->slide[1], 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double product = 2 * u->w_nt[i] * u->w_nt[j], own = i == j ? J[i] : 0;
            slope->A[3 * i + j] = stiff * (J[i] * J[j] * product - own) / D[j];
            slope->inverse[3 * i + j] = D[i] * soft * (product - own);
        }
}

static void slope_of_box(const interior_unit *u, gmc_dual_slope *slope)
{
    *slope = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_SYMMETRIC};
    for (int i = 0; i < 3; i++) {
        double A = FREE_SOFTNESS;
        if (has_lower(u, i)) A += u->z[i] / (u->x[i] - u->lower[i]);
        if (has_upper(u, i)) A += u->z_upper[i] / (u->upper[i] - u->x[i]);
        slope->A[4 * i] = is_pinned(u, i) ? 1 : A;
        slope->B[4 * i] = is_pinned(u, i) ? 0 : 1;
        slope->inverse[4 * i] = 1 / slope->A[4 * i];
    }
}

static void interior_linearise(interior *p)
{
    for (int c = 0; c < p->normal->unit_count; c++) {
        interior_unit *u = &p->units[c];
        gmc_dual_slope *slope = &p->slopes[c];
        if (u->kind == CONE) {
            scale_cone(u);
            slope_of_cone(u, slope);
        } else if (u->kind == BOX) {
            slope_of_box(u, slope);
        } else {
            double A = u->z[0] / u->x[0];
            *slope = (gmc_dual_slope){.kind = GMC_DUAL_SLOPE_SYMMETRIC,
                                      .A = {A, 0, 0, 0, 1, 0, 0, 0, 1},
                                      .B = {1},
                                      .inverse = {1 / A, 0, 0, 0, 1, 0, 0, 0, 1}};
        }
    }
}

/// g of a cone. `affine`: the predictor's dx and dz, NULL in the predictor itself.
static void aim_cone(const interior_unit *u, double target, const double *affine, double g[3])
{
    const double *l = u->scaled;
    double wanted[3] = {target - (l[0] * l[0] + l[1] * l[1] + l[2] * l[2]), -2 * l[0] * l[1],
                        -2 * l[0] * l[2]};
    double s[3];
    if (affine) {
        double a[3], b[3];
        cone_turn(u->w_nt, -1, affine, a);    // eta P dx
        cone_turn(u->w_nt, 1, affine + 3, b); // T dz / eta: the product is what counts
        wanted[0] -= a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        wanted[1] -= a[0] * b[1] + b[0] * a[1];
        wanted[2] -= a[0] * b[2] + b[0] * a[2];
    }
    cone_divide(l, wanted, s);
    cone_turn(u->w_nt, -1, s, g);
    for (int i = 0; i < 3; i++)
        g[i] /= u->eta;
}

static double aim_pair(double x, double z, double target, double correction)
{
    return (target - correction) / x - z;
}

/// What the multipliers of one component of a box aim at.
static double aim_bound(const interior_unit *u, int i, double target, const double *affine)
{
    double g = 0;
    if (has_lower(u, i))
        g += aim_pair(u->x[i] - u->lower[i], u->z[i], target,
                      affine ? affine[i] * affine[3 + i] : 0);
    if (has_upper(u, i))
        g -= aim_pair(u->upper[i] - u->x[i], u->z_upper[i], target,
                      affine ? -affine[i] * affine[6 + i] : 0);
    return g;
}

/// f = -(g + E F)
static void interior_aim(interior *p, double target, const double *affine)
{
    for (int c = 0; c < p->normal->unit_count; c++) {
        const interior_unit *u = &p->units[c];
        const double *before = affine ? affine + 9 * c : NULL;
        double *f = p->f + 3 * c, g[3] = {0, 0, 0};
        if (u->kind == BOX) {
            for (int i = 0; i < 3; i++)
                f[i] = is_pinned(u, i) ? 0 : -aim_bound(u, i, target, before) - u->defect[i];
            continue;
        }
        if (u->kind == LINE) {
            g[0] = aim_pair(u->x[0], u->z[0], target, before ? before[0] * before[3] : 0);
            f[0] = -g[0] - u->defect[0];
            f[1] = f[2] = 0;
            continue;
        }
        aim_cone(u, target, before, g);
        f[0] = -g[0] - u->defect[0] - u->slide[0] * u->defect[1] - u->slide[1] * u->defect[2];
        f[1] = -g[1] - u->defect[1];
        f[2] = -g[2] - u->defect[2];
    }
}

static void find_box_changes(interior_unit *u, const double *dr, double target,
                             const double *affine)
{
    for (int i = 0; i < 3; i++) {
        u->dx[i] = is_pinned(u, i) ? 0 : dr[i];
        u->dz[i] = u->dz_upper[i] = 0;
        if (is_pinned(u, i)) continue;
        if (has_lower(u, i)) {
            double gap = u->x[i] - u->lower[i];
            u->dz[i] = aim_pair(gap, u->z[i], target, affine ? affine[i] * affine[3 + i] : 0) -
                       u->z[i] / gap * dr[i];
        }
        if (has_upper(u, i)) {
            double gap = u->upper[i] - u->x[i];
            u->dz_upper[i] =
                aim_pair(gap, u->z_upper[i], target, affine ? -affine[i] * affine[6 + i] : 0) +
                u->z_upper[i] / gap * dr[i];
        }
    }
}

/// Solve with the factors at hand; dx and dz of every unit.
static void find_changes(interior *p, double target, const double *affine)
{
    interior_aim(p, target, affine);
    gmc_dual_system_solve(p->system, p->slopes, p->f, p->dr, p->Wdr);
    for (int c = 0; c < p->normal->unit_count; c++) {
        interior_unit *u = &p->units[c];
        const double *dr = p->dr + 3 * c, *dw = p->Wdr + 3 * c;
        if (u->kind == BOX) {
            find_box_changes(u, dr, target, affine ? affine + 9 * c : NULL);
            continue;
        }
        memcpy(u->dx, dr, sizeof u->dx);
        u->dz[0] = dw[0] - u->defect[0];
        if (u->kind == LINE) continue;
        u->dx[0] *= u->mu;
        u->dz[1] = dw[1] - u->defect[1];
        u->dz[2] = dw[2] - u->defect[2];
        u->dz[0] = dw[0] / u->mu + u->slide[0] * u->dz[1] + u->slide[1] * u->dz[2] - u->defect[0];
    }
}

// ---- steps -------------------------------------------------------------------------------------

static double interior_reach_of(const interior_unit *u, double t)
{
    if (u->kind == CONE) return reach_cone(u->z, u->dz, reach_cone(u->x, u->dx, t));
    if (u->kind == LINE) return reach_line(u->z[0], u->dz[0], reach_line(u->x[0], u->dx[0], t));
    for (int i = 0; i < 3; i++) {
        if (is_pinned(u, i)) continue;
        if (has_lower(u, i)) {
            t = reach_line(u->x[i] - u->lower[i], u->dx[i], t);
            t = reach_line(u->z[i], u->dz[i], t);
        }
        if (has_upper(u, i)) {
            t = reach_line(u->upper[i] - u->x[i], -u->dx[i], t);
            t = reach_line(u->z_upper[i], u->dz_upper[i], t);
        }
    }
    return t;
}

static double interior_reach(const interior *p)
{
    double t = 1;
    for (int c = 0; c < p->normal->unit_count; c++)
        t = interior_reach_of(&p->units[c], t);
    return t;
}

/// σ = (μ after the predictor / μ)³; the predictor is kept for the correction.
static double centring(interior *p, double mean)
{
    double t = interior_reach(p), sum = 0;
    for (int c = 0; c < p->normal->unit_count; c++) {
        const interior_unit *u = &p->units[c];
        sum += duality(u, t);
        memcpy(p->affine + 9 * c, u->dx, sizeof u->dx);
        memcpy(p->affine + 9 * c + 3, u->dz, sizeof u->dz);
        memcpy(p->affine + 9 * c + 6, u->dz_upper, sizeof u->dz_upper);
    }
    double share = p->pair_count > 0 ? fmax(sum, 0) / (p->pair_count * mean) : 0;
    return fmin(fmax(share * share * share, CENTRING_MIN), 1);
}

static void interior_step(interior *p, double t)
{
    for (int c = 0; c < p->normal->unit_count; c++) {
        interior_unit *u = &p->units[c];
        for (int i = 0; i < 3; i++) {
            u->x[i] += t * u->dx[i];
            u->z[i] += t * u->dz[i];
            u->z_upper[i] += t * u->dz_upper[i];
        }
    }
}

/// One predictor and corrector.
/// @return the step length; 0 if the system is singular or its solution not finite
static double interior_iterate_once(interior *p, double mean)
{
    interior_linearise(p);
    if (!gmc_dual_system_factor(p->system, p->slopes)) return 0;
    find_changes(p, 0, NULL);
    double target = centring(p, mean) * mean;
    find_changes(p, target, p->affine);
    double t = interior_reach(p);
    t = t < 1 ? STEP_SHARE * t : 1;
    double sum = 0;
    for (int i = 0; i < 3 * p->normal->unit_count; i++)
        sum += fabs(p->dr[i]) + fabs(p->Wdr[i]);
    if (!(sum < HUGE_VAL)) return 0;
    interior_step(p, t);
    return t;
}

gmc_status gmc_interior_solve(gmc_dual_system *system, const gmc_interior_options *options,
                              double *r, gmc_arena *scratch, gmc_interior_result *result)
{
    interior p = {.normal = system->normal, .system = system};
    size_t mark = gmc_arena_mark(scratch);
    *result = (gmc_interior_result){.residual = HUGE_VAL};
    if (interior_make_room(&p, scratch) != GMC_OK) {
        gmc_arena_reset(scratch, mark);
        return GMC_E_ARENA_FULL;
    }
    interior_start(&p);
    for (int waited = 0; waited < PATIENCE; waited++) {
        double mean = interior_look(&p), residual = gmc_dual_defect(p.normal, p.r, p.w);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(r, p.r, 3 * (size_t)p.normal->unit_count * sizeof(double));
            waited = 0;
        }
        if (result->residual <= options->tolerance || !(residual < HUGE_VAL) ||
            result->iterations == options->iteration_max)
            break;
        result->iterations++;
        if (interior_iterate_once(&p, mean) < STEP_MIN) break;
    }
    gmc_arena_reset(scratch, mark);
    return result->residual <= options->tolerance ? GMC_OK : GMC_E_NO_SOLUTION;
}
