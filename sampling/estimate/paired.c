#include "sampling/estimate/paired.h"

#include "engine/base/check.h"
#include "sampling/random/student.h"

#include <math.h>

int64_t gmc_paired_count(gmc_paired_cells c)
{
    return c.both + c.only_first + c.only_second + c.neither;
}

static void put(gmc_paired_cells *cells, bool first, bool second)
{
    cells->both += first && second;
    cells->only_first += first && !second;
    cells->only_second += !first && second;
    cells->neither += !first && !second;
}

void gmc_paired_put(gmc_paired_draw *draw, gmc_verdict first, gmc_verdict second)
{
    const gmc_verdict success = GMC_VERDICT_SUCCESS, unsolved = GMC_VERDICT_UNSOLVED;
    if (first != unsolved && second != unsolved)
        put(&draw->decided, first == success, second == success);
    put(&draw->worst, first != GMC_VERDICT_FAILURE, second == success);
    put(&draw->best, first == success, second != GMC_VERDICT_FAILURE);
}

gmc_paired gmc_paired_start(int64_t case_count, bool is_independent, int replica_count,
                            bool is_stopped, double level)
{
    GMC_ASSERT(case_count >= 1 && replica_count <= GMC_REPLICAS_MOST);
    bool is_shared = case_count > 1 && !is_independent;
    gmc_paired_method method = is_stopped          ? GMC_PAIRED_ANYTIME
                               : replica_count > 0 ? GMC_PAIRED_REPLICAS
                               : is_shared         ? GMC_PAIRED_DRAWS
                                                   : GMC_PAIRED_SCORE;
    // a pair counts twice, as (second succeeds) + (first fails): their mean is (d + 1)/2
    return (gmc_paired){.method = method,
                        .level = level,
                        .anytime = gmc_anytime_start(2 * case_count, level),
                        .replica_count = replica_count,
                        .is_shared = is_shared};
}

static void add_cells(gmc_paired_cells *sum, gmc_paired_cells c)
{
    sum->both += c.both;
    sum->only_first += c.only_first;
    sum->only_second += c.only_second;
    sum->neither += c.neither;
}

static void add_draw(gmc_paired_sums *sums, gmc_paired_cells c)
{
    double n = (double)gmc_paired_count(c), x = (double)(c.only_second - c.only_first);
    add_cells(&sums->cells, c);
    sums->draws += n > 0;
    sums->went_up += x > 0;
    sums->went_down += x < 0;
    sums->ups += fmax(x, 0);
    sums->downs += fmax(-x, 0);
    sums->xx += x * x;
    sums->xn += x * n;
    sums->nn += n * n;
}

void gmc_paired_add(gmc_paired *p, uint64_t number, const gmc_paired_draw *draw)
{
    add_draw(&p->decided, draw->decided);
    add_draw(&p->worst, draw->worst);
    add_draw(&p->best, draw->best);
    if (p->method == GMC_PAIRED_REPLICAS) {
        gmc_paired_draw *replica = &p->replicas[number % (uint64_t)p->replica_count];
        add_cells(&replica->decided, draw->decided);
        add_cells(&replica->worst, draw->worst);
        add_cells(&replica->best, draw->best);
    }
    if (p->method == GMC_PAIRED_ANYTIME) {
        // sure successes and failures of the doubled pair: what worst and best agree on
        int64_t pairs = gmc_paired_count(draw->worst);
        int64_t least = pairs + draw->worst.only_second - draw->worst.only_first;
        int64_t most = pairs + draw->best.only_second - draw->best.only_first;
        gmc_anytime_add(&p->anytime, (gmc_tally){.successes = least,
                                                 .failures = 2 * pairs - most,
                                                 .unsolved = most - least});
    }
}

static double difference_of(gmc_paired_cells c)
{
    int64_t n = gmc_paired_count(c);
    return n > 0 ? (double)(c.only_second - c.only_first) / (double)n : (double)NAN;
}

static gmc_interval within(double middle, double half)
{
    return (gmc_interval){fmax(middle - half, -1), fmin(middle + half, 1)};
}

/// t over draws.
static gmc_interval over_draws(const gmc_paired_sums *s, double level, bool *is_widened)
{
    if (s->draws < 2) return (gmc_interval){-1, 1};
    double n = (double)gmc_paired_count(s->cells), d = difference_of(s->cells);
    double draws = (double)s->draws;
    double residual = fmax(s->xx - 2 * d * s->xn + d * d * s->nn, 0); // Σ (x − d n)²
    double error = sqrt(draws / (draws - 1) * residual) / n;
    gmc_interval i = within(d, gmc_student_quantile(draws - 1, 0.5 * (1 - level)) * error);
    if (s->went_down < GMC_PROPORTION_T_LEAST) {
        gmc_interval share = gmc_proportion_clopper_pearson(s->went_down, s->draws, level);
        i.lower = fmax(fmin(i.lower, d + s->downs / n - share.upper), -1);
        *is_widened = true;
    }
    if (s->went_up < GMC_PROPORTION_T_LEAST) {
        gmc_interval share = gmc_proportion_clopper_pearson(s->went_up, s->draws, level);
        i.upper = fmin(fmax(i.upper, d - s->ups / n + share.upper), 1);
        *is_widened = true;
    }
    return i;
}

static gmc_interval of_random_draws(const gmc_paired *p, const gmc_paired_sums *s, bool *is_widened)
{
    if (p->is_shared) return over_draws(s, p->level, is_widened);
    return gmc_difference_tango(s->cells.only_first, s->cells.only_second,
                                gmc_paired_count(s->cells), p->level);
}

typedef enum gmc_filling { FILLING_DECIDED, FILLING_WORST, FILLING_BEST } gmc_filling;

static const gmc_paired_sums *sums_of(const gmc_paired *p, gmc_filling filling)
{
    return filling == FILLING_DECIDED ? &p->decided
           : filling == FILLING_WORST ? &p->worst
                                      : &p->best;
}

static gmc_paired_cells cells_of(const gmc_paired_draw *draw, gmc_filling filling)
{
    return filling == FILLING_DECIDED ? draw->decided
           : filling == FILLING_WORST ? draw->worst
                                      : draw->best;
}

/// t over the randomisations.
static gmc_interval over_replicas(const gmc_paired *p, gmc_filling filling, bool *is_widened)
{
    gmc_paired_sums units = {0};
    bool is_thin = false, ignored = false;
    for (int r = 0; r < p->replica_count; r++) {
        gmc_paired_cells c = cells_of(&p->replicas[r], filling);
        add_draw(&units, c);
        is_thin = is_thin || c.only_first < GMC_PROPORTION_T_LEAST ||
                  c.only_second < GMC_PROPORTION_T_LEAST;
    }
    gmc_interval plain = of_random_draws(p, sums_of(p, filling), &ignored);
    if (units.draws < 2) return plain;
    double n = (double)gmc_paired_count(units.cells), d = difference_of(units.cells);
    double count = (double)units.draws;
    double residual = fmax(units.xx - 2 * d * units.xn + d * d * units.nn, 0);
    double error = sqrt(count / (count - 1) * residual) / n;
    gmc_interval i = within(d, gmc_student_quantile(count - 1, 0.5 * (1 - p->level)) * error);
    if (!is_thin) return i;
    *is_widened = true;
    return (gmc_interval){fmin(i.lower, plain.lower), fmax(i.upper, plain.upper)};
}

static gmc_interval interval_of(const gmc_paired *p, gmc_filling filling, bool *is_widened)
{
    const gmc_paired_sums *sums = sums_of(p, filling);
    switch (p->method) {
    case GMC_PAIRED_SCORE:
    case GMC_PAIRED_DRAWS:
        return of_random_draws(p, sums, is_widened);
    case GMC_PAIRED_REPLICAS:
        return over_replicas(p, filling, is_widened);
    case GMC_PAIRED_ANYTIME:
        break;
    }
    gmc_interval half = gmc_anytime_interval(&p->anytime);
    return (gmc_interval){2 * half.lower - 1, 2 * half.upper - 1};
}

gmc_paired_estimate gmc_paired_estimate_of(const gmc_paired *p)
{
    bool ignored = false;
    const gmc_paired_sums *s = &p->decided;
    gmc_paired_estimate e = {
        .difference = difference_of(s->cells),
        .cells = s->cells,
        .open = gmc_paired_count(p->worst.cells) - gmc_paired_count(s->cells),
        .units = p->method == GMC_PAIRED_REPLICAS ? p->replica_count
                 : p->is_shared                   ? s->draws
                                                  : gmc_paired_count(s->cells),
        .went_up = p->is_shared ? s->went_up : s->cells.only_second,
        .went_down = p->is_shared ? s->went_down : s->cells.only_first,
    };
    e.p_value = gmc_difference_mid_p(e.went_down, e.went_up);
    e.interval = interval_of(p, FILLING_DECIDED, &e.is_widened);
    e.unsolved = (gmc_interval){difference_of(p->worst.cells), difference_of(p->best.cells)};
    e.firm = e.interval;
    if (e.open > 0) {
        e.firm.lower = interval_of(p, FILLING_WORST, &ignored).lower;
        e.firm.upper = interval_of(p, FILLING_BEST, &ignored).upper;
    }
    if (gmc_paired_count(s->cells) == 0) e.interval = (gmc_interval){-1, 1};
    return e;
}
