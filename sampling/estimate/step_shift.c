// Tried on stored runs at several steps, resampled 1500 to 4000 times in studies of 1000 trials. Of
// a carton let go above a table at 4 ms (verdicts turn both ways, 36 and 16 of 4000) intervals
// without the step hold the success at 0.5 ms in 0.835, with it in 0.916, 1.27 times as wide as
// Wilson's. All of D, a tenth of the work: 1.57 times; all of 2 D with every trial near the limit
// repeated, 0.38 of the work: 1.63 times. D, doubled as far as it stands out from chance, does as
// well as 2 D here and on pinch_cube. Taking more in where D stands out by less (1 - V/D^2) makes
// it 1.42 times as wide.
#include "sampling/estimate/step_shift.h"

#include <math.h>

/// Change to the limit of small steps over that to half the step, at first order.
static const double ORDER = 2;
/// The interval is lengthened by at most this,
static const double LONGEST = 1.2;
/// but for a change whose square is more than LEAST_PLAIN variances, of which the part that is
/// certain is taken in, and all if it is more than PLAIN of them.
static const double LEAST_PLAIN = 2, PLAIN = 6;

void gmc_step_sums_add(gmc_step_sums *s, gmc_verdict verdict, double chance, bool is_cut,
                       gmc_step_look look)
{
    if (verdict != GMC_VERDICT_SUCCESS && verdict != GMC_VERDICT_FAILURE) return;
    if (!(chance > 0)) return;
    bool is_success = verdict == GMC_VERDICT_SUCCESS;
    s->trials++;
    s->successes += is_success;
    if (is_cut) s->rarest = fmax(s->rarest, 1 / chance);
    s->unseen += is_cut && look == GMC_STEP_NONE;
    if (look == GMC_STEP_NONE) return;
    double weight = 1 / chance;
    s->lightest = s->repeated > 0 ? fmin(s->lightest, weight) : weight;
    s->repeated++;
    if (look == GMC_STEP_NEARLY) s->nearly = fmax(s->nearly, weight);
    if (look == GMC_STEP_OPEN) {
        s->open++;
        *(is_success ? &s->open_lower : &s->open_upper) += weight;
    }
    if (look != GMC_STEP_OTHER) return;
    double d = is_success ? -weight : weight;
    ++*(is_success ? &s->lost : &s->gained);
    s->sum += d;
    s->heaviest = fmax(s->heaviest, weight);
    s->squares += d * d;
    if (is_success) s->mixed += d;
}

/// Everything that the two functions below need.
typedef struct parts {
    double n, change, variance, covariance, z;
    double unseen; ///< U
} parts;

/// Weight of a trial that may yet turn: v.
static double next_of(const gmc_step_sums *s)
{
    return s->heaviest > 0 ? 1 : fmax(s->lightest, s->nearly);
}

static parts parts_of(const gmc_step_sums *s, double level)
{
    parts p = {.n = (double)s->trials, .z = gmc_proportion_z(level)};
    double next = p.z * next_of(s);
    p.change = s->sum / p.n;
    p.variance = (s->squares + next * next) / (p.n * p.n);
    p.unseen = fmin(p.z * p.z * s->rarest, (double)s->unseen) / p.n;
    p.covariance = (s->mixed / p.n - s->successes / p.n * p.change) / p.n;
    return p;
}

/// E of the part t.
static double added(const parts *p, double t)
{
    double k = ORDER * t;
    return fmax(0, k * k * p->variance + 2 * k * p->covariance);
}

/// @param most  added(t) is at most that, unless the change stands out
static double part_of(const parts *p, double most)
{
    double a = ORDER * ORDER * p->variance, b = 2 * ORDER * p->covariance;
    double t = (-b + sqrt(b * b + 4 * a * most)) / (2 * a), signal = p->change * p->change;
    if (signal > PLAIN * p->variance) return 1;
    if (signal > 0) t = fmax(t, 1 - LEAST_PLAIN * p->variance / signal);
    return fmin(t, 1);
}

/// Of U, what is left of the length.
static double unseen_part_of(const parts *p, double t, double most)
{
    double left = fmax(0, most - added(p, t)), unseen = ORDER * p->unseen / p->z;
    return 0.5 * unseen * unseen > left ? sqrt(2 * left) / unseen : 1;
}

gmc_step_shift gmc_step_shift_of(const gmc_step_sums *s, const gmc_estimate *alone)
{
    gmc_step_shift shift = {0};
    if (s->repeated < GMC_STEP_LEAST || isnan(alone->p)) return shift;
    parts p = parts_of(s, alone->level);
    gmc_interval sampling = gmc_estimate_sampling(alone);
    double half = 0.5 * (sampling.upper - sampling.lower) / p.z;
    double unmet = p.z * fmax(fmax(s->heaviest, s->nearly), next_of(s));
    double deviation = p.z * sqrt(s->squares + unmet * unmet) / p.n;
    double above = sqrt(deviation * deviation + p.unseen * p.unseen) + s->open_upper / p.n;
    shift.is_told = true;
    shift.change = p.change;
    shift.interval.lower =
        fmin(p.change, fmax(p.change - deviation - s->open_lower / p.n, -sampling.upper));
    shift.interval.upper = fmax(p.change, fmin(p.change + above, 1 - sampling.lower));
    double most = (LONGEST * LONGEST - 1) * half * half;
    shift.part = part_of(&p, most);
    shift.unseen_part = unseen_part_of(&p, shift.part, most);
    shift.taken = ORDER * shift.part * p.change;
    return shift;
}

void gmc_step_shift_widen(const gmc_step_sums *s, gmc_estimate *e)
{
    gmc_step_shift shift = gmc_step_shift_of(s, e);
    if (!shift.is_told) return;
    parts p = parts_of(s, e->level);
    gmc_interval sampling = gmc_estimate_sampling(e);
    double more = p.z * p.z * added(&p, shift.part), k = ORDER * shift.part;
    double below = e->p - e->lower, above = e->upper - e->p, centre = e->p + shift.taken;
    double lower = centre - sqrt(below * below + more) - k * s->open_lower / p.n;
    double unseen = ORDER * shift.unseen_part * p.unseen;
    double upper = centre + sqrt(above * above + more + unseen * unseen) + k * s->open_upper / p.n;
    e->sampling_lower = sampling.lower;
    e->sampling_upper = sampling.upper;
    e->lower = fmax(0, fmin(lower, e->p));
    e->upper = fmin(1, fmax(upper, e->p));
    e->has_step = true;
    e->is_step_cut = shift.part < 1 || shift.unseen_part < 1;
}
