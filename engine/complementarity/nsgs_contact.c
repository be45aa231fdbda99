#include "engine/complementarity/nsgs.h"

// One contact: eliminating r_N from the tangential equations leaves (S + α) t = -b with
// S = W_TT - W_TN W_NT / W_NN; α = 0 is stick. Slip asks for the α >= 0 with |t(α)| = mu r_N(α). In
// the eigenbasis of the 2 x 2 S, t(α) is explicit, and the root is bracketed by α = 0 (outside the
// cone) and α = ∞ (t = 0, r_N > 0).

enum { ROOT_STEPS_MAX = 60 };               ///< bisection alone would end there
static const double ROOT_TOLERANCE = 1e-15; ///< relative width or defect at which the root is found

typedef struct slip_line {
    double s1, s2, b1, b2; ///< eigenvalues of S, -t's numerator in its basis
    double c1, c2;         ///< W_NT in that basis
    double q_n, inverse_nn, friction;
    double t1, t2, r_n; ///< at the last α asked for
} slip_line;

/// mu r_N - |t| at α, negative outside the cone; *slope its derivative.
static double slip_defect(slip_line *line, double alpha, double *slope)
{
    double d1 = 1 / (line->s1 + alpha), d2 = 1 / (line->s2 + alpha);
    line->t1 = -line->b1 * d1;
    line->t2 = -line->b2 * d2;
    line->r_n = -(line->q_n + line->c1 * line->t1 + line->c2 * line->t2) * line->inverse_nn;
    double size = sqrt(line->t1 * line->t1 + line->t2 * line->t2);
    double dt1 = -line->t1 * d1, dt2 = -line->t2 * d2;
    double dr_n = -(line->c1 * dt1 + line->c2 * dt2) * line->inverse_nn;
    double dsize = size > 0 ? (line->t1 * dt1 + line->t2 * dt2) / size : 0;
    *slope = line->friction * dr_n - dsize;
    return line->friction * line->r_n - size;
}

/// Newton, kept inside a bracket; halves it where Newton would leave.
static void find_slip(slip_line *line)
{
    double slope, low = 0, high = fmax(line->s1, line->s2);
    while (!(slip_defect(line, high, &slope) > 0) && high < HUGE_VAL) {
        low = high;
        high *= 8;
    }
    double alpha = high;
    for (int i = 0; i < ROOT_STEPS_MAX; i++) {
        double defect = slip_defect(line, alpha, &slope);
        if (fabs(defect) <= ROOT_TOLERANCE * line->friction * fabs(line->r_n)) return;
        if (defect > 0)
            high = alpha;
        else
            low = alpha;
        if (high - low <= ROOT_TOLERANCE * high) return;
        double next = alpha - defect / slope;
        alpha = next > low && next < high ? next : 0.5 * (low + high);
    }
}

void gmc_nsgs_contact(const double W[9], const double q[3], double friction, double r[3])
{
    r[0] = r[1] = r[2] = 0;
    if (!(q[0] < 0)) return;
    double inverse_nn = 1 / W[0];
    double s11 = W[4] - W[1] * W[1] * inverse_nn, s22 = W[8] - W[2] * W[2] * inverse_nn;
    double s12 = W[5] - W[1] * W[2] * inverse_nn;
    double b1 = q[1] - W[1] * q[0] * inverse_nn, b2 = q[2] - W[2] * q[0] * inverse_nn;

    // stick, if it stays inside the cone
    double inverse_det = 1 / (s11 * s22 - s12 * s12);
    double t1 = -(s22 * b1 - s12 * b2) * inverse_det, t2 = -(s11 * b2 - s12 * b1) * inverse_det;
    double r_n = -(q[0] + W[1] * t1 + W[2] * t2) * inverse_nn;
    if (r_n > 0 && t1 * t1 + t2 * t2 <= friction * friction * r_n * r_n) {
        r[0] = r_n;
        r[1] = t1;
        r[2] = t2;
        return;
    }
    if (!(friction > 0)) {
        r[0] = -q[0] * inverse_nn;
        return;
    }

    // slip, in the eigenbasis (x, y), (-y, x) of S
    double mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22),
           spread = sqrt(half * half + s12 * s12);
    double x = 1, y = 0;
    if (spread > 0) {
        x = half >= 0 ? spread + half : s12;
        y = half >= 0 ? s12 : spread - half;
        double size = sqrt(x * x + y * y);
        x = size > 0 ? x / size : 1;
        y = size > 0 ? y / size : 0;
    }
    slip_line line = {.s1 = mean + spread,
                      .s2 = mean - spread,
                      .b1 = x * b1 + y * b2,
                      .b2 = x * b2 - y * b1,
                      .c1 = x * W[1] + y * W[2],
                      .c2 = x * W[2] - y * W[1],
                      .q_n = q[0],
                      .inverse_nn = inverse_nn,
                      .friction = friction};
    find_slip(&line);
    r[0] = line.r_n;
    r[1] = x * line.t1 - y * line.t2;
    r[2] = y * line.t1 + x * line.t2;
    double y_trial[3] = {r[0], r[1], r[2]};
    gmc_ncp_project(y_trial, friction, r);
}
