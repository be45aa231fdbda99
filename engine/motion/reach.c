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

// So much the tool turns off the line where it passes a singularity [rad].
static const double PASS_TURNED = 0.05;

// How far a joint would go over the whole line at the rate of a piece of it [m, rad]: on lines that
// pass a singularity; and on others, unless they cannot be passed.
static const double STEEP = 10, STEEPER = 50;

// Knots that the slope of a knot comes from, on either side.
enum { SMOOTHED = 3 };

// One line in the making.
typedef struct line {
    gmc_arm *arm;
    gmc_pose from, to;
    gmc_way *way;
    int first, behind; ///< knots between which it passes a singularity; first == behind: none
} line;

// The joints of one knot, from those of another.
static gmc_status find_knot(const line *l, int knot, int near)
{
    int n = l->arm->spec.count;
    double *x = l->way->x + knot * n;
    gmc_reach_options options = gmc_reach_defaults();
    gmc_reach_found found;
    options.attempt_max = 1;
    gmc_pose target = gmc_reach_between(&l->from, &l->to, l->way->u[knot]);
    memmove(x, l->way->x + near * n, (size_t)n * sizeof *x);
    return gmc_reach_pose(l->arm, &target, &options, x, &found);
}

// Knots behind one that is found, each from the one before.
// @param reached  out: the last that was found
static gmc_status follow(const line *l, int knot, int *reached)
{
    for (*reached = knot; *reached + 1 < l->way->knot_count; ++*reached)
        GMC_TRY(find_knot(l, *reached + 1, *reached));
    return GMC_OK;
}

// Is what lies through the knots on the line half way between them, too?
static bool is_straight(const line *l)
{
    gmc_arm *arm = l->arm;
    const gmc_way *way = l->way;
    gmc_way evenly = *way; // at even shares of the line instead of times
    evenly.kind = GMC_WAY_THROUGH;
    evenly.duration = 1;
    for (int k = 0; k + 1 < way->knot_count; k++) {
        double share = (way->u[k] + way->u[k + 1]) / 2;
        gmc_pose on = gmc_reach_between(&l->from, &l->to, share);
        gmc_way_at(&evenly, share, arm->trial, NULL, NULL);
        gmc_pose X = gmc_arm_place(arm, arm->trial);
        miss m = miss_of(&X, &on, 1);
        bool is_passing =
            l->first < l->behind && k + SMOOTHED >= l->first && k < l->behind + SMOOTHED;
        if (m.off > LINE_OFF || m.turned > (is_passing ? PASS_TURNED : LINE_TURNED)) return false;
    }
    return true;
}

// ---- a line past a singularity -------------------------------------------------------------------
// Beside a singularity a line asks for joints that turn half round on no way at all: a wrist that
// is nearly straight passes its axis on one side. There the tool point stays on the line while the
// tool turns off by what the wrist would have to get out of the way: joints go straight from where
// the line is easy before to where it is easy again behind, and the point is put back on the line
// by the smallest step. [nakamura1986] damps the speeds instead, and point and tool both leave the
// line, by what the damping and the pace make of it.

// The largest step of a joint from knot to knot, over the share of the line [m, rad].
static double steepest(const line *l)
{
    int n = l->arm->spec.count, last = l->way->knot_count - 1;
    double most = 0;
    for (int i = n; i <= last * n + n - 1; i++)
        most = fmax(most, fabs(l->way->x[i] - l->way->x[i - n]));
    return most * last;
}

// Where the step from knot to knot is largest, or the first knot that could not be found.
static int hardest_knot(const line *l, int reached)
{
    int n = l->arm->spec.count, hardest = reached + 1;
    double most = reached + 1 == l->way->knot_count ? 0 : STEEP / (l->way->knot_count - 1);
    for (int i = n; i < (reached + 1) * n; i++) {
        double step = fabs(l->way->x[i] - l->way->x[i - n]);
        if (step > most) hardest = i / n;
        most = fmax(most, step);
    }
    return hardest;
}

// The smallest step of the joints that puts the tool point on the line, again and again:
// dx = Jᵀ (J Jᵀ)⁻¹ e, of its three rows.
static bool put_on_line(gmc_arm *arm, gmc_vec3 p, double *x)
{
    enum { ROUNDS = 20 };
    int n = arm->spec.count;
    for (int round = 0; round < ROUNDS; round++) {
        gmc_vec3 e = gmc_vec3_sub(p, gmc_arm_place(arm, x).p);
        if (gmc_vec3_norm(e) <= gmc_reach_defaults().tolerance) return true;
        gmc_arm_jacobian(arm);
        gmc_mat3 A;
        for (int i = 0; i < 9; i++)
            A.m[i] = gmc_dense_dot(arm->J + i / 3 * n, arm->J + i % 3 * n, n);
        gmc_vec3 y = gmc_mat3_solve(&A, e);
        for (int i = 0; i < n; i++) {
            x[i] += arm->J[i] * y.x + arm->J[n + i] * y.y + arm->J[2 * n + i] * y.z;
            bool is_within = x[i] >= gmc_arm_lower(arm, i) && x[i] <= gmc_arm_upper(arm, i);
            if (!is_within) return false;
        }
    }
    return false;
}

// Knots between `first` and `behind`.
static gmc_status pass_between(const line *l)
{
    int n = l->arm->spec.count;
    const double *a = l->way->x + l->first * n, *b = l->way->x + l->behind * n;
    GMC_TRY(find_knot(l, l->behind, l->first));
    for (int k = l->first + 1; k < l->behind; k++) {
        double share = (double)(k - l->first) / (l->behind - l->first), *x = l->way->x + k * n;
        for (int i = 0; i < n; i++)
            x[i] = a[i] + share * (b[i] - a[i]);
        gmc_vec3 p = gmc_reach_between(&l->from, &l->to, l->way->u[k]).p;
        if (!put_on_line(l->arm, p, x)) return GMC_E_NO_SOLUTION;
    }
    return GMC_OK;
}

static void lay_evenly(gmc_way *way, int knots)
{
    way->knot_count = knots;
    for (int k = 0; k < knots; k++)
        way->u[k] = (double)k / (knots - 1);
}

// The narrowest pass that will do.
static gmc_status pass(line *l)
{
    int last = GMC_REACH_LINE_MAX - 1, reached;
    lay_evenly(l->way, GMC_REACH_LINE_MAX);
    if (follow(l, 0, &reached) == GMC_OK && steepest(l) <= STEEP) return GMC_E_NO_SOLUTION;
    int middle = hardest_knot(l, reached);
    for (int half = 2; half <= last / 4; half *= 2) {
        l->first = middle > half ? middle - half : 0;
        l->behind = middle + half < last ? middle + half : last;
        // knots up to `first` are those of before
        if (pass_between(l) != GMC_OK) continue;
        if (follow(l, l->behind, &reached) != GMC_OK || steepest(l) > STEEP) continue;
        gmc_way_lay(l->way);
        if (is_straight(l)) return GMC_OK;
    }
    return GMC_E_NO_SOLUTION;
}

// With as few knots as will do. @return GMC_OK, GMC_E_NO_SOLUTION
static gmc_status lay_line(line *l, double steep)
{
    l->first = l->behind = 0;
    for (int knots = GMC_REACH_LINE_MIN; knots <= GMC_REACH_LINE_MAX; knots = 2 * knots - 1) {
        int reached;
        lay_evenly(l->way, knots);
        GMC_TRY(follow(l, 0, &reached));
        gmc_way_lay(l->way);
        if (steepest(l) <= steep && is_straight(l)) return GMC_OK;
    }
    return GMC_E_NO_SOLUTION;
}

gmc_status gmc_reach_line(gmc_arm *arm, const gmc_pose *target, const double *start, gmc_way *way)
{
    memcpy(way->x, start, (size_t)arm->spec.count * sizeof *start);
    line l = {.arm = arm, .from = gmc_arm_place(arm, start), .to = *target, .way = way};
    way->kind = GMC_WAY_LINE;
    if (lay_line(&l, STEEPER) == GMC_OK || pass(&l) == GMC_OK) return GMC_OK;
    return lay_line(&l, INFINITY);
}
