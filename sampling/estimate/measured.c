// The laws are a function of the measurements, not of the trials: they are made first, and the
// trials pass by once. A draw costs a multiplication a law for a file's row, an exponential for a
// fit's value.
//
// Tried for rows: the plain bootstrap, which knows of no row but those that are there: 0.88 for 95
// % at 14 rows of which 0.855 succeed. Korn and Graubard's interval with the rows as clusters: the
// same as this one where rows always or never succeed, but where all rows succeed 98 times of 100
// it is a hair's breadth, and the 15th may be one that fails.
#include "sampling/estimate/measured.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/estimate/rising.h"
#include "sampling/random/beta.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAWS = GMC_MEASURED_LAWS };
enum { ROWS_KEPT = 4096 }; ///< weights of more rows are made anew for each draw: 32 MB

/// Whose chance it is, beside the input's name; no scenario has a seed in it.
static const uint64_t LAWS_SEED = UINT64_C(0x6d65617375726564); // "measured"

/// What the laws take from their chance, in this order: index of a stream.
enum { AT_UNSEEN, AT_MEAN, AT_NOISE, AT_SQUARES, AT_ROWS = 16 };

/// One of the laws that a fit leaves open, of z = x or log x.
typedef struct fit_law {
    double mean, factor; ///< f = level · exp(−factor (z − mean)²)
    double level;
} fit_law;

typedef struct input {
    gmc_measured_input given;
    fit_law *laws; ///< (LAWS) of a fit, owned
    double *rows;  ///< (count, LAWS) of a file with no more than ROWS_KEPT, owned; 0: not made yet
    double constant, log_scale; ///< of a fit: the part of log q that is the same everywhere
} input;

struct gmc_measured {
    int count;
    input *inputs;
    bool has_rows, has_fit;
    double weights[LAWS], row[LAWS];
};

int gmc_measured_count(const gmc_distribution *law)
{
    return law->type == GMC_DISTRIBUTION_EMPIRICAL ? law->value_count : (int)law->p[2] + 1;
}

static gmc_stream stream_of(const gmc_measured_input *of, int law)
{
    return gmc_stream_open_hashed(LAWS_SEED, (uint64_t)law, of->name_hash);
}

/// Inside (0, 1), never 0.
static double open_uniform(gmc_stream stream, uint64_t index)
{
    return fmax(gmc_stream_uniform(stream, index), 0x1p-54);
}

// ---- fits -------------------------------------------------------------------------------------

static bool is_log(const gmc_distribution *d) { return d->type == GMC_DISTRIBUTION_LOG_STUDENT; }

static double coordinate(const gmc_distribution *d, double x)
{
    if (!is_log(d)) return x;
    return x > 0 ? gmc_log(x) : -HUGE_VAL;
}

/// A number in (0, 1) of a law: those of all laws fill the cube of what they take (scrambled Sobol'
/// points [owen1995]), for an end is a quantile over no more than LAWS of them. By chance alone
/// it was off by up to 0.014 where success is 0.8 and 14 were measured.
/// @param dimension  of its own for each number
static double even(const gmc_measured_input *of, int law, int dimension, uint64_t index)
{
    if (dimension >= GMC_SOBOL_DIMENSIONS) return open_uniform(stream_of(of, law), index);
    gmc_stream coins = gmc_stream_open_hashed(LAWS_SEED, LAWS + index, of->name_hash);
    return fmax(gmc_sobol_uniform(dimension, (uint64_t)law, coins), 0x1p-54);
}

/// χ² below which a share p of its law lies. With many degrees of freedom by Wilson and Hilferty's
/// cube [wilson1931], to 1e-4; with few as what is left of Fisher's F where the other one has very
/// many: its spread is too large by freedom/(4 VERY_MANY) of itself.
static double chi_square(double p, int freedom)
{
    enum { MANY = 60, VERY_MANY = 10000 };
    if (freedom > MANY) {
        double part = 2.0 / (9.0 * freedom);
        double root = 1 - part + gmc_normal_quantile(p) * sqrt(part);
        return freedom * root * root * root;
    }
    gmc_beta_point at = gmc_beta_quantile(0.5 * freedom, VERY_MANY, p, false);
    return 2 * (VERY_MANY - 1) * at.x / at.y;
}

/// Probability that limits leave of a normal law.
static double mass(const gmc_distribution *d, double mean, double sd)
{
    if (!d->is_truncated) return 1;
    double a = (coordinate(d, d->lower) - mean) / sd, b = (coordinate(d, d->upper) - mean) / sd;
    return a > 0 ? gmc_normal_cdf(-a) - gmc_normal_cdf(-b) : gmc_normal_cdf(b) - gmc_normal_cdf(a);
}

/// The laws of a fit: f/q is exp of log f − log q, whose constants are those of both laws.
static gmc_status make_fit(input *in, int number)
{
    const gmc_distribution *d = in->given.law;
    double freedom = d->p[2], m = freedom + 1, s = d->p[1] / sqrt(1 + 1 / m);
    double middle = is_log(d) ? gmc_log(d->p[0]) : d->p[0];
    in->laws = calloc(LAWS, sizeof *in->laws);
    if (!in->laws) return GMC_E_MEMORY;
    for (int k = 0; k < LAWS; k++) {
        double scatter = even(&in->given, k, 2 * number, AT_SQUARES);
        double sd = s * sqrt(freedom / chi_square(scatter, (int)freedom));
        double z = gmc_normal_quantile(even(&in->given, k, 2 * number + 1, AT_MEAN));
        double mean = middle + z * sd / sqrt(m);
        double kept = mass(d, mean, sd); // 0: a law that the limits leave nothing of
        in->laws[k] = (fit_law){mean, 0.5 / (sd * sd), kept > 0 ? s / (sd * kept) : 0};
    }
    in->constant = 0.5 * (freedom + 1);
    in->log_scale = 1 / (freedom * d->p[1] * d->p[1]);
    return GMC_OK;
}

/// Weights up to a factor that all laws share and that is near 1: a mean over draws takes it away.
static void weigh_fit(const input *in, double x, double *weights)
{
    double z = coordinate(in->given.law, x);
    double middle = is_log(in->given.law) ? gmc_log(in->given.law->p[0]) : in->given.law->p[0];
    double t = (z - middle) * (z - middle) * in->log_scale;
    double log_q = -in->constant * gmc_log1p(t);
    for (int k = 0; k < LAWS; k++) {
        const fit_law *f = &in->laws[k];
        double d = z - f->mean;
        weights[k] *= f->level * gmc_exp(-f->factor * d * d - log_q);
    }
}

// ---- rows -------------------------------------------------------------------------------------

static void make_row(const input *in, int64_t row, double *weights)
{
    for (int k = 0; k < LAWS; k++)
        weights[k] = -gmc_log(open_uniform(stream_of(&in->given, k), AT_ROWS + (uint64_t)row));
}

static void weigh_row(const input *in, int64_t row, double *scratch, double *weights)
{
    double *own = in->rows ? in->rows + row * LAWS : scratch;
    if (!in->rows || own[0] == 0) make_row(in, row, own); // none is 0: they are inside (0, 40)
    for (int k = 0; k < LAWS; k++)
        weights[k] *= own[k];
}

/// Rows that so many draws have shown, as expected: those that no draw took tell nothing.
static double rows_seen(double rows, double draws)
{
    return rows > 1 ? -rows * gmc_expm1(draws * gmc_log1p(-1 / rows)) : 1;
}

/// Probability, under a law, of what the rows show, of all files at once.
static double seen_share(const gmc_measured *m, int law, int64_t draws)
{
    double share = 1;
    for (int i = 0; i < m->count; i++) {
        const gmc_distribution *d = m->inputs[i].given.law;
        if (d->type != GMC_DISTRIBUTION_EMPIRICAL) continue;
        double u = open_uniform(stream_of(&m->inputs[i].given, law), AT_UNSEEN);
        share *= gmc_pow(u, 1 / rows_seen(d->value_count, (double)draws));
    }
    return share;
}

// ---- draws ------------------------------------------------------------------------------------

gmc_status gmc_measured_create(const gmc_measured_input *inputs, int count, gmc_measured **measured)
{
    GMC_ASSERT(count >= 1);
    gmc_measured *m = *measured = calloc(1, sizeof *m);
    if (!m) return GMC_E_MEMORY;
    m->inputs = calloc((size_t)count, sizeof *m->inputs);
    if (!m->inputs) return GMC_E_MEMORY;
    m->count = count;
    for (int i = 0; i < count; i++) {
        input *in = &m->inputs[i];
        in->given = inputs[i];
        if (in->given.law->type != GMC_DISTRIBUTION_EMPIRICAL) {
            m->has_fit = true;
            GMC_TRY(make_fit(in, i));
            continue;
        }
        m->has_rows = true;
        if (in->given.law->value_count > ROWS_KEPT) continue;
        in->rows = calloc((size_t)in->given.law->value_count * LAWS, sizeof *in->rows);
        if (!in->rows) return GMC_E_MEMORY;
    }
    return GMC_OK;
}

void gmc_measured_free(gmc_measured *m)
{
    for (int i = 0; m && m->inputs && i < m->count; i++) {
        free(m->inputs[i].laws);
        free(m->inputs[i].rows);
    }
    if (m) free(m->inputs);
    free(m);
}

const double *gmc_measured_weigh(gmc_measured *m, const double *at)
{
    for (int k = 0; k < LAWS; k++)
        m->weights[k] = 1;
    for (int i = 0; i < m->count; i++) {
        const input *in = &m->inputs[i];
        if (in->laws)
            weigh_fit(in, at[i], m->weights);
        else
            weigh_row(in, (int64_t)at[i], m->row, m->weights);
    }
    return m->weights;
}

// ---- sums -------------------------------------------------------------------------------------

/// Parts of a sums' memory: Σ w, Σ w², and with failures as they are for the upper and for the
/// lower end Σ w f, Σ w² f, Σ w² f².
enum { ALL, SQUARES, FEWEST, MOST = FEWEST + 3, PARTS = MOST + 3 };

static double *part(const gmc_measured_sums *s, int which)
{
    return s->memory + (size_t)which * LAWS;
}

gmc_status gmc_measured_sums_create(gmc_measured_sums *s)
{
    *s = (gmc_measured_sums){.memory = calloc((size_t)PARTS * LAWS, sizeof(double))};
    return s->memory ? GMC_OK : GMC_E_MEMORY;
}

void gmc_measured_sums_free(gmc_measured_sums *s)
{
    free(s->memory);
    *s = (gmc_measured_sums){0};
}

static void add_failing(const gmc_measured_sums *s, int first, const double *weights, double share,
                        double count)
{
    double *plain = part(s, first), *squares = part(s, first + 1), *both = part(s, first + 2);
    if (share == 0) return;
    for (int k = 0; k < LAWS; k++) {
        double wf = weights[k] * share;
        plain[k] += count * wf;
        squares[k] += count * weights[k] * wf;
        both[k] += count * wf * wf;
    }
}

void gmc_measured_add(gmc_measured_sums *s, const double *weights, gmc_measured_trials trials,
                      int64_t count)
{
    double *all = part(s, ALL), *squares = part(s, SQUARES), n = (double)count;
    for (int k = 0; k < LAWS; k++) {
        all[k] += n * weights[k];
        squares[k] += n * weights[k] * weights[k];
    }
    if (trials.unknown > 0 && !s->has_unknown) // until here the two were the same
        memcpy(part(s, MOST), part(s, FEWEST), 3 * LAWS * sizeof(double));
    s->has_unknown = s->has_unknown || trials.unknown > 0;
    add_failing(s, FEWEST, weights, trials.failing, n);
    if (s->has_unknown) add_failing(s, MOST, weights, trials.failing + trials.unknown, n);
    s->draws += count;
}

// ---- intervals --------------------------------------------------------------------------------

static double effective(const gmc_measured_sums *s, int law)
{
    double all = part(s, ALL)[law], squares = part(s, SQUARES)[law];
    return squares > 0 ? all * all / squares : 0;
}

/// Where an end of an interval for the failures lies that `below` of its chance leaves it above.
static double moved(double r, double n, double below, bool is_upper)
{
    double failures = r * n, successes = (1 - r) * n;
    if (!gmc_proportion_is_few(successes, failures)) {
        double z = gmc_normal_quantile(below), part = z * z / n;
        return (r + part / 2 + z * sqrt(r * (1 - r) / n + part / (4 * n))) / (1 + part);
    }
    double a = failures + (is_upper ? 1 : 0), b = successes + (is_upper ? 0 : 1);
    if (!(a > 0)) return 0;
    if (!(b > 0)) return 1;
    return gmc_beta_quantile(a, b, below, false).x;
}

/// Failures under a law, with what the chance of the trials leaves open of them.
static double failing_with_noise(const gmc_measured *m, const gmc_measured_sums *s, int first,
                                 int law, bool is_upper)
{
    double all = part(s, ALL)[law], n = effective(s, law);
    double r = fmin(part(s, first)[law] / all, 1);
    double scatter =
        part(s, first + 2)[law] - 2 * r * part(s, first + 1)[law] + r * r * part(s, SQUARES)[law];
    if (scatter > 0 && r > 0 && r < 1) n = fmin(n, r * (1 - r) * all * all / scatter);
    double u = even(&m->inputs[0].given, law, 2 * m->count, AT_NOISE);
    return moved(r, n, u, is_upper);
}

static double failing(const gmc_measured *m, const gmc_measured_sums *s, int first, int law,
                      bool is_upper)
{
    if (!(part(s, ALL)[law] > 0)) return is_upper ? 1 : 0; // a law that draws nothing here
    if (!m->has_rows) return failing_with_noise(m, s, first, law, is_upper);
    double seen = seen_share(m, law, s->draws);
    double r = fmin(part(s, first)[law] / part(s, ALL)[law], 1);
    return is_upper ? 1 - seen * (1 - r) : seen * r;
}

/// The value at `index` of (LAWS) that rise; reorders them.
static double nth(double *values, int index)
{
    gmc_rising_sort(values, LAWS);
    return values[index];
}

gmc_measured_answer gmc_measured_interval(const gmc_measured *m, const gmc_measured_sums *s,
                                          double level)
{
    gmc_measured_answer a = {.interval = {0, 1}, .effective = (double)s->draws};
    double values[LAWS];
    int left_out = (int)floor((LAWS + 1) * (1 - level) / 2);
    if (s->draws == 0) return a;
    for (int k = 0; k < LAWS; k++)
        values[k] = effective(s, k);
    if (m->has_fit) a.effective = nth(values, LAWS / 20);
    if (left_out < 1 || (m->has_fit && a.effective < GMC_MEASURED_LEAST)) return a;
    int most = s->has_unknown ? MOST : FEWEST;
    for (int k = 0; k < LAWS; k++)
        values[k] = 1 - failing(m, s, most, k, true);
    a.interval.lower = fmax(nth(values, left_out - 1), 0);
    for (int k = 0; k < LAWS; k++)
        values[k] = 1 - failing(m, s, FEWEST, k, false);
    a.interval.upper = fmin(nth(values, LAWS - left_out), 1);
    return a;
}
