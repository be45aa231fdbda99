#include "engine/motion/reach.h"

#include "engine/math/dense.h"
#include "engine/motion/chance.h"

#include <string.h>

// ---- one attempt -------------------------------------------------------------------------------

/// The tool against its target.
typedef struct miss {
    double e[6]; ///< vector to the target, then rotation vector, world axes [m, rad]
    double off, turned;
    double square; ///< |off|² + l² |turned|² [m²]
} miss;

static miss miss_of(const gmc_pose *X_wt, const gmc_pose *target, double lever)
{
    gmc_mat3 R_wt_t = gmc_mat3_transpose(&X_wt->R);
    gmc_mat3 turn = gmc_mat3_multiply(&target->R, &R_wt_t);
    gmc_vec3 p = gmc_vec3_sub(target->p, X_wt->p), r = gmc_quat_log(gmc_quat_from_matrix(&turn));
    miss m = {
        .e = {p.x, p.y, p.z, r.x, r.y, r.z}, .off = gmc_vec3_norm(p), .turned = gmc_vec3_norm(r)};
    m.square = m.off * m.off + lever * lever * m.turned * m.turned;
    return m;
}

// Mean distance at which joints turn the tool point [m].
static double lever_of(const gmc_arm *arm)
{
    int n = 3 * arm->spec.count;
    double linear = gmc_dense_dot(arm->J, arm->J, n),
           angular = gmc_dense_dot(arm->J + n, arm->J + n, n);
    return linear > 0 && angular > 0 ? sqrt(linear / angular) : 1;
}

static double pull_on(const gmc_arm *arm, const miss *m, double lever, int joint)
{
    double pull = 0;
    for (int k = 0; k < 6; k++)
        pull += (k < 3 ? 1 : lever * lever) * arm->J[k * arm->spec.count + joint] * m->e[k];
    return pull;
}

// The damped step of the joints that are not held: arm->step.
static bool solve_step(gmc_arm *arm, const miss *m, double lever, double mu)
{
    int n = arm->spec.count;
    gmc_mat H = {arm->H, n, n, gmc_mat_stride(n)};
    for (int i = 0; i < n; i++) {
        arm->step[i] = arm->is_held[i] ? 0 : pull_on(arm, m, lever, i);
        for (int j = i; j < n; j++) {
            double sum = i == j ? mu : 0;
            for (int k = 0; k < 6; k++)
                sum += (k < 3 ? 1 : lever * lever) * arm->J[k * n + i] * arm->J[k * n + j];
            bool is_out = arm->is_held[i] || arm->is_held[j];
            H.x[i * H.stride + j] = is_out ? i == j : sum;
        }
    }
    if (!gmc_mat_ldlt_factor(H, arm->last, arm->inverse)) return false;
    gmc_mat_ldlt_solve(H, arm->last, arm->inverse, arm->step);
    return true;
}

// The step with what is at a limit left out if it would go beyond; arm->trial.
static bool find_step(gmc_arm *arm, const miss *m, double lever, double mu, const double *x)
{
    int n = arm->spec.count;
    bool is_beyond = true;
    for (int i = 0; i < n; i++)
        arm->is_held[i] = false;
    for (int round = 0; is_beyond && round <= n; round++) {
        if (!solve_step(arm, m, lever, mu)) return false;
        is_beyond = false;
        for (int i = 0; i < n; i++) {
            double lower = gmc_arm_lower(arm, i), upper = gmc_arm_upper(arm, i);
            bool is_out =
                (x[i] <= lower && arm->step[i] < 0) || (x[i] >= upper && arm->step[i] > 0);
            if (is_out) arm->is_held[i] = is_beyond = true;
            arm->trial[i] = fmin(fmax(x[i] + arm->step[i], lower), upper);
        }
    }
    return true;
}

// Damping beside the error itself, and how often it is raised fourfold before a search ends.
static const double RAISED_MIN = 1e-6, DAMPING_MIN = 1e-17;
enum { RAISED_MAX = 20 };

// From x as far as the error falls.
static miss descend(gmc_arm *arm, const gmc_pose *target, const gmc_reach_options *options,
                    double *x)
{
    size_t bytes = (size_t)arm->spec.count * sizeof *x;
    gmc_pose X = gmc_arm_place(arm, x);
    gmc_arm_jacobian(arm);
    double lever = lever_of(arm), raised = 1;
    miss best = miss_of(&X, target, lever);
    for (int k = 0, raises = 0; k < options->iteration_max && raises < RAISED_MAX; k++) {
        if (best.off <= options->tolerance && best.turned <= options->tolerance) break;
        double mu = raised * (best.square + DAMPING_MIN * lever * lever);
        if (!find_step(arm, &best, lever, mu, x)) break;
        X = gmc_arm_place(arm, arm->trial);
        miss next = miss_of(&X, target, lever);
        if (next.square < best.square) {
            best = next;
            memcpy(x, arm->trial, bytes);
            gmc_arm_jacobian(arm);
            raised = fmax(raised / 4, RAISED_MIN);
            raises = 0;
        } else {
            raised *= 4;
            raises++;
        }
    }
    return best;
}

// ---- a pose ------------------------------------------------------------------------------------

// A search that ends in a singular pose, a hair beside the target, goes on from beside it.
static const double BESIDE = 0.05; // [m, rad]

// Where an attempt begins: the first where the arm is, others beside the best so far or anywhere.
static void begin(const gmc_arm *arm, const gmc_reach_options *options, int attempt,
                  const double *best, double *x)
{
    int n = arm->spec.count;
    for (int i = 0; i < n; i++) {
        double u = gmc_chance_uniform(options->seed, (uint64_t)(attempt * n + i));
        if (attempt == 0)
            x[i] = best[i];
        else if (attempt % 2 == 0)
            x[i] = gmc_arm_anywhere(arm, i, u);
        else
            x[i] = fmin(fmax(best[i] + BESIDE * (2 * u - 1), gmc_arm_lower(arm, i)),
                        gmc_arm_upper(arm, i));
    }
}

gmc_status gmc_reach_pose(gmc_arm *arm, const gmc_pose *target, const gmc_reach_options *options,
                          double *x, gmc_reach_found *found)
{
    double nearest = INFINITY;
    *found = (gmc_reach_found){.off = INFINITY, .turned = INFINITY};
    for (int attempt = 0; attempt < options->attempt_max; attempt++) {
        begin(arm, options, attempt, x, arm->nearest);
        miss m = descend(arm, target, options, arm->nearest);
        found->attempts = attempt + 1;
        if (!(m.square < nearest)) continue;
        nearest = m.square;
        found->off = m.off;
        found->turned = m.turned;
        memcpy(x, arm->nearest, (size_t)arm->spec.count * sizeof *x);
        if (m.off <= options->tolerance && m.turned <= options->tolerance) return GMC_OK;
    }
    return GMC_E_NO_SOLUTION;
}

// ---- a line ------------------------------------------------------------------------------------

gmc_pose gmc_reach_between(const gmc_pose *from, const gmc_pose *to, double share)
{
    gmc_mat3 R_from_t = gmc_mat3_transpose(&from->R);
    gmc_mat3 turn = gmc_mat3_multiply(&to->R, &R_from_t);
    gmc_vec3 r = gmc_quat_log(gmc_quat_from_matrix(&turn));
    gmc_mat3 part = gmc_quat_matrix(gmc_quat_exp(gmc_vec3_scale(share, r)));
    return (gmc_pose){gmc_mat3_multiply(&part, &from->R),
                      gmc_vec3_add_scaled(from->p, share, gmc_vec3_sub(to->p, from->p))};
}

// Half way between knots the tool is so near the line [m, rad].
static const double LINE_OFF = 1e-5, LINE_TURNED = 1e-4;

static gmc_status follow(gmc_arm *arm, const gmc_pose *from, const gmc_pose *to, gmc_way *way)
{
    int n = arm->spec.count, last = way->knot_count - 1;
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    options.attempt_max = 1;
    for (int k = 1; k <= last; k++) {
        double share = (double)k / last, *x = way->x + k * n;
        gmc_pose target = gmc_reach_between(from, to, share);
        memcpy(x, x - n, (size_t)n * sizeof *x);
        GMC_TRY(gmc_reach_pose(arm, &target, &options, x, &found));
    }
    return GMC_OK;
}

// Is what lies through the knots on the line half way between them, too?
static bool is_straight(gmc_arm *arm, const gmc_pose *from, const gmc_pose *to, const gmc_way *way)
{
    gmc_way evenly = *way; // at even shares of the line instead of times
    evenly.kind = GMC_WAY_THROUGH;
    evenly.duration = 1;
    for (int k = 0; k + 1 < way->knot_count; k++) {
        double share = (way->u[k] + way->u[k + 1]) / 2;
        gmc_pose on = gmc_reach_between(from, to, share);
        gmc_way_at(&evenly, share, arm->trial, NULL, NULL);
        gmc_pose X = gmc_arm_place(arm, arm->trial);
        miss m = miss_of(&X, &on, 1);
        if (m.off > LINE_OFF || m.turned > LINE_TURNED) return false;
    }
    return true;
}

gmc_status gmc_reach_line(gmc_arm *arm, const gmc_pose *target, const double *start, gmc_way *way)
{
    int n = arm->spec.count;
    memcpy(way->x, start, (size_t)n * sizeof *start);
    gmc_pose from = gmc_arm_place(arm, start);
    way->kind = GMC_WAY_LINE;
    for (int knots = GMC_REACH_LINE_MIN; knots <= GMC_REACH_LINE_MAX; knots = 2 * knots - 1) {
        way->knot_count = knots;
        for (int k = 0; k < knots; k++)
            way->u[k] = (double)k / (knots - 1);
        GMC_TRY(follow(arm, &from, target, way));
        gmc_way_lay(way);
        if (is_straight(arm, &from, target, way)) return GMC_OK;
    }
    return GMC_E_NO_SOLUTION;
}
