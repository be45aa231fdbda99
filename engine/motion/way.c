// Local slopes (of the nearest knots) instead of a spline's: a knot that moves bends its own
// neighbourhood alone, and nothing has to be solved.

#include "engine/motion/way.h"

#include "engine/base/check.h"
#include "engine/dynamics/rnea.h"

#include <math.h>
#include <string.h>

// ---- knots -------------------------------------------------------------------------------------

enum { NEAREST_MAX = 5 };

// Weights of the values at `count` places u for the first and second derivative at `at`
// ([fornberg1988]).
static void derivative_weights(const double *u, int count, double at, double w[3][NEAREST_MAX])
{
    double before = 1, offset = u[0] - at;
    memset(w, 0, 3 * NEAREST_MAX * sizeof(double));
    w[0][0] = 1;
    for (int i = 1; i < count; i++) {
        double product = 1, last = offset;
        offset = u[i] - at;
        for (int j = 0; j < i; j++) {
            double apart = u[i] - u[j];
            product *= apart;
            if (j == i - 1) {
                for (int k = 2; k > 0; k--)
                    w[k][i] = before * (k * w[k - 1][i - 1] - last * w[k][i - 1]) / product;
                w[0][i] = -before * last * w[0][i - 1] / product;
            }
            for (int k = 2; k > 0; k--)
                w[k][j] = (offset * w[k][j] - k * w[k - 1][j]) / apart;
            w[0][j] = offset * w[0][j] / apart;
        }
        before = product;
    }
}

static void lay_knot(gmc_way *way, int knot, int nearest)
{
    int n = way->joint_count, first = knot - nearest / 2;
    double w[3][NEAREST_MAX];
    if (first > way->knot_count - nearest) first = way->knot_count - nearest;
    if (first < 0) first = 0;
    derivative_weights(way->u + first, nearest, way->u[knot], w);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nearest; k++) {
            double x = way->x[(first + k) * n + i];
            way->slope[knot * n + i] += w[1][k] * x;
            way->bend[knot * n + i] += w[2][k] * x;
        }
}

void gmc_way_lay(gmc_way *way)
{
    int last = way->knot_count - 1, nearest = way->kind == GMC_WAY_LINE ? 5 : 3;
    size_t numbers = (size_t)(way->knot_count * way->joint_count);
    GMC_ASSERT(last >= 1);
    if (nearest > last + 1) nearest = last + 1;
    memset(way->slope, 0, numbers * sizeof *way->slope);
    memset(way->bend, 0, numbers * sizeof *way->bend);
    if (way->kind == GMC_WAY_STOPS) return;
    bool is_still = way->kind == GMC_WAY_THROUGH;
    for (int knot = is_still; knot <= last - is_still; knot++)
        lay_knot(way, knot, nearest);
}

// ---- the motion --------------------------------------------------------------------------------

/// u and its derivatives by the share of the time.
typedef struct pace {
    double u, first, second;
} pace;

static pace pace_at(gmc_way_kind kind, double s)
{
    if (kind != GMC_WAY_LINE) return (pace){s, 1, 0};
    double rest = 1 - s;
    return (pace){s * s * s * (10 + s * (-15 + 6 * s)), 30 * s * s * rest * rest,
                  60 * s * rest * (1 - 2 * s)};
}

// The polynomial of fifth degree with these values, slopes and bends at 0 and 1.
static void quintic(const double p[2], const double v[2], const double a[2], double s,
                    double out[3])
{
    double rise = p[1] - p[0], c2 = a[0] / 2;
    double c3 = 10 * rise - 6 * v[0] - 4 * v[1] - 1.5 * a[0] + 0.5 * a[1];
    double c4 = -15 * rise + 8 * v[0] + 7 * v[1] + 1.5 * a[0] - a[1];
    double c5 = 6 * rise - 3 * v[0] - 3 * v[1] - 0.5 * a[0] + 0.5 * a[1];
    out[0] = p[0] + s * (v[0] + s * (c2 + s * (c3 + s * (c4 + s * c5))));
    out[1] = v[0] + s * (2 * c2 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)));
    out[2] = 2 * c2 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5));
}

// X and its derivatives by u, of a joint, within the piece that begins at the knot.
static void piece_at(const gmc_way *way, int knot, int joint, double u, double out[3])
{
    int n = way->joint_count, at = knot * n + joint;
    double wide = way->u[knot + 1] - way->u[knot];
    const double p[2] = {way->x[at], way->x[at + n]};
    const double v[2] = {wide * way->slope[at], wide * way->slope[at + n]};
    const double a[2] = {wide * wide * way->bend[at], wide * wide * way->bend[at + n]};
    quintic(p, v, a, (u - way->u[knot]) / wide, out);
    out[1] /= wide;
    out[2] /= wide * wide;
}

static int piece_of(const gmc_way *way, double u)
{
    int knot = 0;
    while (knot < way->knot_count - 2 && way->u[knot + 1] <= u)
        knot++;
    return knot;
}

void gmc_way_at(const gmc_way *way, double t, double *x, double *v, double *a)
{
    int n = way->joint_count, last = way->knot_count - 1;
    bool is_before = !(t > 0), is_over = t >= way->duration;
    pace at = pace_at(way->kind, t / way->duration);
    int knot = piece_of(way, at.u);
    for (int i = 0; i < n; i++) {
        double out[3] = {way->x[(is_over ? last : 0) * n + i], 0, 0};
        if (!is_before && !is_over) {
            piece_at(way, knot, i, at.u, out);
            out[2] = (out[2] * at.first * at.first + out[1] * at.second) /
                     (way->duration * way->duration);
            out[1] *= at.first / way->duration;
        }
        if (x) x[i] = out[0];
        if (v) v[i] = out[1];
        if (a) a[i] = out[2];
    }
}

// ---- how long it takes -------------------------------------------------------------------------
//
// With y = 1 / T a force is A y² + B y + C. At y = 0 it is within its limit, or no time is long
// enough; it stays within up to the first y at which it meets it, whatever comes behind.

// Places that are looked at, at least, and on each piece; between them a speed and the motion's
// share of a force rise by less than RESERVE: (pi / 16)² / 8 of a wave as long as a piece.
enum { PLACES_MIN = 256, PLACES_OF_PIECE = 16 };
static const double RESERVE = 0.01;

/// Room of the search.
typedef struct stretching {
    double *x, *v, *a;      ///< (joint_count)
    double *v_all, *a_all;  ///< (dof_count)
    double *moving, *still; ///< (dof_count) forces in the time 1, and at no speed
    double most;            ///< largest y so far [1/s]
    gmc_way_limit *limit;
} stretching;

// The smallest y > 0 with A y² + B y = room, room >= 0; +inf: none.
static double first_meeting(double A, double B, double room)
{
    double inside = B * B + 4 * A * room;
    if (!(inside >= 0)) return INFINITY;
    double below = B + sqrt(inside);
    return below > 0 ? 2 * room / below : (double)INFINITY;
}

static void lower_most(stretching *s, double y, int joint, bool is_force)
{
    if (!(y < s->most)) return;
    s->most = y;
    s->limit->joint = joint;
    s->limit->is_force = is_force;
}

static gmc_status weigh_joint(const gmc_arm *arm, int joint, stretching *s)
{
    int number = arm->spec.dofs[joint];
    const gmc_dof *dof = &arm->spec.model->dofs[number];
    double v = s->v[joint], A = s->moving[number] - s->still[number], B = dof->damping * v;
    double C = s->still[number] + (v > 0 ? dof->friction : v < 0 ? -dof->friction : 0);
    if (fabs(v) > 0) lower_most(s, (1 - RESERVE) * dof->max_speed / fabs(v), joint, false);
    if (isinf(dof->max_force)) return GMC_OK;
    if (fabs(C) > dof->max_force) {
        *s->limit = (gmc_way_limit){.joint = joint, .is_force = true, .needed = C};
        return GMC_E_LIMIT;
    }
    double y = fmin(first_meeting(A, B, (1 - RESERVE) * (dof->max_force - C)),
                    first_meeting(-A, -B, (1 - RESERVE) * (dof->max_force + C)));
    lower_most(s, y, joint, true);
    return GMC_OK;
}

// Forces at one place of the motion, in the time 1.
static gmc_status weigh(const gmc_way *way, gmc_arm *arm, double share, gmc_arena *scratch,
                        stretching *s)
{
    const gmc_model *model = arm->spec.model;
    gmc_way in_one = *way;
    in_one.duration = 1;
    gmc_way_at(&in_one, share, s->x, s->v, s->a);
    gmc_arm_place(arm, s->x);
    memset(s->v_all, 0, (size_t)model->dof_count * sizeof *s->v_all);
    size_t mark = gmc_arena_mark(scratch);
    GMC_TRY(gmc_rnea_trees(model, &arm->kin, s->v_all, NULL, s->still, scratch));
    gmc_arena_reset(scratch, mark);
    for (int i = 0; i < way->joint_count; i++) {
        s->v_all[arm->spec.dofs[i]] = s->v[i];
        s->a_all[arm->spec.dofs[i]] = s->a[i];
    }
    GMC_TRY(gmc_rnea_trees(model, &arm->kin, s->v_all, s->a_all, s->moving, scratch));
    gmc_arena_reset(scratch, mark);
    for (int i = 0; i < way->joint_count; i++)
        GMC_TRY(weigh_joint(arm, i, s));
    return GMC_OK;
}

static gmc_status stretch(gmc_way *way, gmc_arm *arm, gmc_arena *scratch, stretching *s)
{
    int pieces = (way->kind == GMC_WAY_LINE ? 2 : 1) * (way->knot_count - 1); // its pace is 1.875
    int places = PLACES_OF_PIECE * pieces > PLACES_MIN ? PLACES_OF_PIECE * pieces : PLACES_MIN;
    for (int i = 0; i <= places; i++)
        GMC_TRY(weigh(way, arm, (double)i / places, scratch, s));
    if (s->limit->joint >= 0) way->duration = 1 / s->most;
    return GMC_OK;
}

gmc_status gmc_way_stretch(gmc_way *way, gmc_arm *arm, gmc_arena *scratch, gmc_way_limit *limit)
{
    int n = way->joint_count, dofs = arm->spec.model->dof_count;
    size_t mark = gmc_arena_mark(scratch);
    *limit = (gmc_way_limit){.joint = -1};
    double *own = GMC_NEW(scratch, 3 * n, double), *all = GMC_NEW(scratch, 4 * dofs, double);
    if (!own || !all) return GMC_E_ARENA_FULL;
    stretching s = {.x = own,
                    .v = own + n,
                    .a = own + 2 * n,
                    .v_all = all,
                    .a_all = all + dofs,
                    .moving = all + 2 * dofs,
                    .still = all + 3 * dofs,
                    .most = 1 / way->duration,
                    .limit = limit};
    gmc_status status = stretch(way, arm, scratch, &s);
    gmc_arena_reset(scratch, mark);
    return status;
}
