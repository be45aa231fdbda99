// Steps of the fit, draws of each and starts were chosen on test/statistics/test_subset_aimed.c:
// root mean squares are 3 to 9 % there, of which 3 to 6 % are the number of draws. Without the
// search on the surrogate, starts around trials that failed alone, the answer misses what the
// levels passed by.
//
// The surrogate. Measured on the problems of test/statistics/test_subset_aimed.c: scaling by g/(|g| + median) in
// place of the cut bends planes, and what lies beyond all trials is then not seen to fail; 60 plain
// draws in place of 150 lose one of two ways to fail in 2 of 10 answers. Ridges beyond these two
// are never better. Places cost what their cube is: 400 of them 30 ms.
#include "sampling/design/subset_aim.h"

#include "engine/base/check.h"
#include "engine/base/list.h"
#include "engine/math/elementary.h"
#include "sampling/explain/spline.h"
#include "sampling/random/mixture.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the surrogate ----------------------------------------------------------------------------

/// Trials that were run.
typedef struct trials_seen {
    int count;
    int plain; ///< of them, the first, that are plain draws
    int dimensions;
    const double *points;  ///< (count, dimensions) standard normal
    const double *margins; ///< (count) NaN: unsolved
    gmc_status (*explore)(gmc_subset_aim_search *search);
} trials_seen;

struct gmc_subset_aim_guess {
    gmc_spline spline;
    double missed; ///< τ; NaN: no spline
};

enum { NEAREST = 200, PLAIN = 150, OTHERS = 50, KEPT_BACK = 5 }; // every fifth of the nearest
static const double RIDGES[] = {1e-5, 1e-2};                     // over the mean cube of distances
static const double UNLIKELY = 0.01;
static const double FAR = 3; // where margins over their median size are cut off

typedef struct scored {
    double y;
    int index; ///< of the trial
} scored;

/// Points of the fit and those kept back.
typedef struct rows {
    int dimensions, count, kept;
    double *x, *y;           ///< (most, dimensions), (most); NEAREST + PLAIN + OTHERS
    double *kept_x, *kept_y; ///< the same of what is kept back
} rows;

static int by_size(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    double p = fabs(x->y), q = fabs(y->y);
    if (p != q) return p < q ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/// Median size of the margins of plain draws.
static double find_scale(const trials_seen *seen, scored *room)
{
    int count = 0;
    for (int i = 0; i < seen->plain && i < seen->count; i++)
        if (!isnan(seen->margins[i])) room[count++] = (scored){seen->margins[i], i};
    qsort(room, (size_t)count, sizeof *room, by_size);
    return count > 0 ? fmin(fmax(fabs(room[count / 2].y), 1e-300), 1e300) : 1;
}

/// Trials with a margin by its size, scaled; their number.
static int score(const trials_seen *seen, scored *all)
{
    int count = 0;
    double scale = find_scale(seen, all);
    for (int i = 0; i < seen->count; i++)
        if (!isnan(seen->margins[i])) all[count++] = (scored){seen->margins[i], i};
    qsort(all, (size_t)count, sizeof *all, by_size);
    for (int i = 0; i < count; i++)
        all[i].y = fmax(fmin(all[i].y / scale, FAR), -FAR);
    return count;
}

static void add_row(const trials_seen *seen, const scored *one, double *x, double *y, int *count)
{
    size_t d = (size_t)seen->dimensions;
    memcpy(x + (size_t)*count * d, seen->points + (size_t)one->index * d, d * sizeof *x);
    y[(*count)++] = one->y;
}

/// Some of the plain draws, or of the other trials: evenly by their size.
static void add_some(const trials_seen *seen, const scored *all, int count, bool is_plain,
                     int wanted, rows *r)
{
    int have = 0, place = 0;
    for (int i = 0; i < count; i++)
        have += (all[i].index < seen->plain) == is_plain;
    if (wanted > have) wanted = have;
    for (int i = 0; i < count; i++) {
        if ((all[i].index < seen->plain) != is_plain) continue;
        if ((int64_t)(place + 1) * wanted / have > (int64_t)place * wanted / have)
            add_row(seen, &all[i], r->x, r->y, &r->count);
        place++;
    }
}

static gmc_status choose_rows(const trials_seen *seen, rows *r)
{
    enum { NEAR = NEAREST * KEPT_BACK / (KEPT_BACK - 1) };
    size_t most = NEAREST + PLAIN + OTHERS, d = (size_t)seen->dimensions;
    scored *all = malloc((size_t)seen->count * sizeof *all);
    *r = (rows){.dimensions = seen->dimensions};
    r->x = malloc(2 * most * (d + 1) * sizeof *r->x);
    if (!all || !r->x) {
        free(all);
        free(r->x);
        return GMC_E_MEMORY;
    }
    r->y = r->x + most * d;
    r->kept_x = r->y + most;
    r->kept_y = r->kept_x + most * d;
    int count = score(seen, all), near = count < NEAR ? count : NEAR;
    for (int i = 0; i < near; i++) {
        if (i % KEPT_BACK == KEPT_BACK / 2)
            add_row(seen, &all[i], r->kept_x, r->kept_y, &r->kept);
        else
            add_row(seen, &all[i], r->x, r->y, &r->count);
    }
    add_some(seen, all + near, count - near, true, PLAIN, r);
    add_some(seen, all + near, count - near, false, OTHERS, r);
    free(all);
    return GMC_OK;
}

/// Root mean square of what is missed of the values kept back.
static double missed_by(const gmc_spline *s, const rows *r)
{
    double sum = 0;
    for (int i = 0; i < r->kept; i++) {
        double miss =
            gmc_spline_at(s, r->kept_x + (size_t)i * (size_t)r->dimensions) - r->kept_y[i];
        sum += miss * miss;
    }
    return sqrt(sum / r->kept);
}

static double mean_cube(const rows *r)
{
    double sum = 0;
    for (int i = 0; i + 1 < r->count; i++) {
        double square = 0;
        for (int j = 0; j < r->dimensions; j++) {
            double apart = r->x[(i + 1) * r->dimensions + j] - r->x[i * r->dimensions + j];
            square += apart * apart;
        }
        sum += square * sqrt(square);
    }
    return sum / r->count;
}

static void guess_free(gmc_subset_aim_guess *guess)
{
    gmc_spline_free(&guess->spline);
    *guess = (gmc_subset_aim_guess){0};
}

/// A guess without a spline where trials are too few for one.
static gmc_status guess_make(const trials_seen *seen, gmc_subset_aim_guess *guess)
{
    rows r;
    *guess = (gmc_subset_aim_guess){.missed = (double)NAN};
    GMC_TRY(choose_rows(seen, &r));
    const gmc_spline_rows given = {r.count, r.dimensions, r.x, r.y};
    gmc_status status = GMC_OK;
    for (int i = 0; i < GMC_COUNT(RIDGES) && r.kept > 0 && status != GMC_E_MEMORY; i++) {
        gmc_spline one;
        status = gmc_spline_fit(&given, RIDGES[i] * mean_cube(&r), &one);
        if (status != GMC_OK) continue;
        double missed = missed_by(&one, &r);
        if (guess->spline.numbers && !(missed < guess->missed)) {
            gmc_spline_free(&one);
            continue;
        }
        gmc_spline_free(&guess->spline);
        *guess = (gmc_subset_aim_guess){one, missed};
    }
    free(r.x);
    if (status == GMC_E_MEMORY) guess_free(guess);
    return status == GMC_E_MEMORY ? status : GMC_OK;
}

/// Is there a spline? Only then may the following be asked.
static bool guess_is_made(const gmc_subset_aim_guess *guess)
{
    return guess->spline.numbers != NULL;
}

double gmc_subset_aim_margin(const gmc_subset_aim_guess *guess, const double *z)
{
    return gmc_spline_at(&guess->spline, z);
}

/// Probability of a failure at z; 0 below one in a hundred.
static double guess_failure(const gmc_subset_aim_guess *guess, const double *z)
{
    double p = 1 / (1 + gmc_exp(gmc_subset_aim_margin(guess, z) / fmax(0.6 * guess->missed, 1e-4)));
    return p < UNLIKELY ? 0 : p;
}

// ---- the law -----------------------------------------------------------------------------------

typedef struct aim_law {
    gmc_mixture mixture; ///< no component: nothing that was seen fails
    int known;           ///< components of it that lie where failures were found or suspected
    double reach;        ///< distance of the likeliest failure from the middle
    bool is_fitted;      ///< a surrogate was; else draws are around what failed
    double missed;       ///< by the surrogate, of scaled margins; NaN: none
    int step_count;
    double *steps; ///< (step_count, dimensions) points of 2 on the way to failures, level by level
} aim_law;

enum { CENTRES = 24, COMPONENTS = 3 * CENTRES, DRAWS = 1000, STEPS = 8 };
static const double START_SHARE = 0.15; // of trials that failed, in the end
static const double ROUND_SHARE = 0.1;  // of a law all round, as far out
static const double AXES_SHARE = 0.1;   // of all laws along the axes
static const double WIDER = 1.1;        // standard deviations than fitted

static void aim_free(aim_law *aim)
{
    gmc_mixture_free(&aim->mixture);
    free(aim->steps);
    *aim = (aim_law){0};
}

/// A point beyond the middle of an axis: 0, 1, ... go through both sides of all of them.
/// @param z  in: standard normal
static void aim_along(const aim_law *aim, int axis, double *z)
{
    int d = aim->mixture.dimensions, place = axis % (2 * d);
    z[place / 2] += place % 2 == 0 ? aim->reach : -aim->reach;
}

/// Room for components.
static int components_of(int dimensions) { return COMPONENTS + 1 + 2 * dimensions; }

// ---- where to start ---------------------------------------------------------------------------

/// Square of the distance of a from b, or from 0.
static double apart(const double *a, const double *b, int d)
{
    double sum = 0;
    for (int j = 0; j < d; j++)
        sum += (a[j] - (b ? b[j] : 0)) * (a[j] - (b ? b[j] : 0));
    return sum;
}

/// Points, each as far as any from those before; first the likeliest. Their number.
/// @param left  scratch (count)
static int choose_centres(const double *points, int count, int d, double *left, int *centres)
{
    int chosen = 0, next = -1;
    for (int i = 0; i < count; i++) {
        left[i] = apart(points + (size_t)i * (size_t)d, NULL, d);
        if (next < 0 || left[i] < left[next]) next = i;
    }
    for (int i = 0; i < count; i++)
        left[i] = HUGE_VAL;
    while (next >= 0 && chosen < CENTRES) {
        const double *z = points + (size_t)next * (size_t)d;
        centres[chosen++] = next;
        next = -1;
        for (int i = 0; i < count; i++) {
            left[i] = fmin(left[i], apart(z, points + (size_t)i * (size_t)d, d));
            if (left[i] > 0 && (next < 0 || left[i] > left[next])) next = i;
        }
    }
    return chosen;
}

/// The covariance of a law that is s² as wide as the standard normal one.
static void widen(double *covariance, int d, double s2)
{
    memset(covariance, 0, (size_t)d * (size_t)d * sizeof *covariance);
    for (int j = 0; j < d; j++)
        covariance[j * d + j] = s2;
}

/// Standard normal laws around points far from each other.
/// @param left  scratch (count)
static void add_starts(const double *points, int count, double share, double *left,
                       gmc_mixture *mixture, double *covariance)
{
    int d = mixture->dimensions, centres[CENTRES];
    int chosen = choose_centres(points, count, d, left, centres);
    widen(covariance, d, 1);
    for (int c = 0; c < chosen; c++)
        (void)gmc_mixture_add(mixture, share / chosen, points + (size_t)centres[c] * (size_t)d,
                              covariance);
}

// ---- the fit ----------------------------------------------------------------------------------

/// What one aim needs.
typedef struct shop {
    int d;
    double *z;             ///< (DRAWS, d)
    double *weight;        ///< (DRAWS)
    double *parts;         ///< (DRAWS, components + d) as gmc_mixture_log_ratio leaves it
    double *mean;          ///< (d)
    double *covariance;    ///< (d, d), behind the mean
    double *left, *values; ///< (trials or GMC_SUBSET_AIM_EXPLORED)
    gmc_subset_aim_points failed, found,
        steps; ///< trials that failed; what the surrogate says fails, and on the
               ///< way there
} shop;

/// Draws of the mixture, weighed by how likely they fail.
static gmc_mixture_draws draw_all(const gmc_mixture *m, const gmc_subset_aim_guess *guess,
                                  gmc_stream stream, int step, shop *w)
{
    size_t row = (size_t)(m->count + w->d);
    for (int i = 0; i < DRAWS; i++) {
        double *z = w->z + (size_t)i * (size_t)w->d;
        gmc_stream own = stream;
        own.draw += (uint64_t)step * DRAWS + (uint64_t)i;
        gmc_mixture_draw(m, own, z);
        double ratio = gmc_mixture_log_ratio(m, z, w->parts + (size_t)i * row);
        double p = guess_failure(guess, z);
        w->weight[i] = p > 0 ? p * gmc_exp(-ratio) : 0;
    }
    return (gmc_mixture_draws){DRAWS, w->z, w->parts, w->weight};
}

/// The mixture fitted from `aim->mixture` on.
static gmc_status fit_mixture(const gmc_subset_aim_guess *guess, gmc_stream stream, shop *w,
                              aim_law *aim)
{
    for (int step = 0; step < STEPS; step++) {
        gmc_mixture next;
        gmc_mixture_draws draws = draw_all(&aim->mixture, guess, stream, step, w);
        GMC_TRY(gmc_mixture_create(w->d, components_of(w->d), &next));
        gmc_mixture_fit(&aim->mixture, &draws, w->mean, &next);
        if (next.count == 0) {
            gmc_mixture_free(&next);
            return GMC_OK;
        }
        gmc_mixture_free(&aim->mixture);
        aim->mixture = next;
        aim->is_fitted = true;
    }
    return GMC_OK;
}

static gmc_status open_shop(const trials_seen *seen, shop *w)
{
    size_t draws = DRAWS, side = (size_t)seen->dimensions,
           parts = (size_t)components_of(seen->dimensions) + side;
    size_t most =
        seen->count > GMC_SUBSET_AIM_EXPLORED ? (size_t)seen->count : GMC_SUBSET_AIM_EXPLORED;
    *w = (shop){.d = seen->dimensions};
    w->z = malloc((draws * (side + 1 + parts) + side + side * side + 3 * most * (side + 1)) *
                  sizeof *w->z);
    if (!w->z) return GMC_E_MEMORY;
    w->weight = w->z + draws * side;
    w->parts = w->weight + draws;
    w->mean = w->parts + draws * parts;
    w->covariance = w->mean + side;
    w->left = w->covariance + side * side;
    w->values = w->left + most;
    w->failed.points = w->values + most;
    w->found.points = w->failed.points + most * side;
    w->steps.points = w->found.points + most * side;
    return GMC_OK;
}

static void keep_failed(const trials_seen *seen, gmc_subset_aim_points *f)
{
    size_t d = (size_t)seen->dimensions;
    for (int i = 0; i < seen->count; i++)
        if (seen->margins[i] < 0)
            memcpy(f->points + (size_t)f->count++ * d, seen->points + (size_t)i * d,
                   d * sizeof(double));
}

static gmc_status hand_over(const gmc_subset_aim_points *steps, int dimensions, aim_law *aim)
{
    size_t bytes = (size_t)steps->count * (size_t)dimensions * sizeof(double);
    if (steps->count == 0) return GMC_OK;
    aim->steps = malloc(bytes);
    if (!aim->steps) return GMC_E_MEMORY;
    memcpy(aim->steps, steps->points, bytes);
    aim->step_count = steps->count;
    return GMC_OK;
}

/// The mixture to start from: around trials that failed, and around what should.
static gmc_status start_mixture(shop *w, gmc_mixture *mixture)
{
    bool is_both = w->failed.count > 0 && w->found.count > 0;
    double share = is_both ? 0.5 : 1;
    GMC_TRY(gmc_mixture_create(w->d, components_of(w->d), mixture));
    add_starts(w->failed.points, w->failed.count, share, w->left, mixture, w->covariance);
    add_starts(w->found.points, w->found.count, share, w->left, mixture, w->covariance);
    return GMC_OK;
}

/// Laws where nothing was found: all round, and along each axis.
static void add_blind(const gmc_subset_aim_points *failing, shop *w, aim_law *aim)
{
    int d = w->d;
    double sum = 0, least = HUGE_VAL;
    aim->known = aim->mixture.count;
    for (int i = 0; i < failing->count; i++) {
        double square = apart(failing->points + (size_t)i * (size_t)d, NULL, d);
        sum += square;
        least = fmin(least, square);
    }
    aim->reach = sqrt(least);
    memset(w->mean, 0, (size_t)d * sizeof *w->mean);
    widen(w->covariance, d, fmax(sum / failing->count / d, 1));
    (void)gmc_mixture_add(&aim->mixture, ROUND_SHARE, w->mean, w->covariance);
    widen(w->covariance, d, 1);
    for (int axis = 0; axis < 2 * d; axis++) {
        memset(w->mean, 0, (size_t)d * sizeof *w->mean);
        aim_along(aim, axis, w->mean);
        (void)gmc_mixture_add(&aim->mixture, AXES_SHARE / (2 * d), w->mean, w->covariance);
    }
}

/// The mixture, once it is fitted or not, with what is not left to the fit.
static void complete_mixture(shop *w, aim_law *aim)
{
    bool has_failed = w->failed.count > 0;
    double fitted = 1 - ROUND_SHARE - AXES_SHARE;
    if (aim->is_fitted) {
        gmc_mixture_scale(&aim->mixture, fitted - (has_failed ? START_SHARE : 0), WIDER);
        add_starts(w->failed.points, w->failed.count, START_SHARE, w->left, &aim->mixture,
                   w->covariance);
    } else
        gmc_mixture_scale(&aim->mixture, fitted, 1);
    add_blind(has_failed ? &w->failed : &w->found, w, aim);
}

static gmc_status aim_at(const trials_seen *seen, const gmc_subset_aim_guess *guess,
                         gmc_stream stream, shop *w, aim_law *aim)
{
    bool is_made = guess_is_made(guess);
    keep_failed(seen, &w->failed);
    gmc_subset_aim_search search = {.guess = guess,
                                    .stream = stream,
                                    .dimensions = seen->dimensions,
                                    .z = w->z,
                                    .values = w->values,
                                    .failing = &w->found,
                                    .steps = &w->steps};
    if (is_made) GMC_TRY(seen->explore(&search));
    GMC_TRY(start_mixture(w, &aim->mixture));
    if (is_made && aim->mixture.count > 0) GMC_TRY(fit_mixture(guess, stream, w, aim));
    GMC_TRY(hand_over(&w->steps, seen->dimensions, aim));
    if (aim->mixture.count > 0) complete_mixture(w, aim);
    return GMC_OK;
}

/// @param stream  chance of the fit
/// @param aim     out: aim_free; {0} unless GMC_OK
static gmc_status aim_take(const trials_seen *seen, gmc_stream stream, aim_law *aim)
{
    shop w;
    gmc_subset_aim_guess guess;
    *aim = (aim_law){0};
    GMC_TRY(open_shop(seen, &w));
    gmc_status status = guess_make(seen, &guess);
    if (status == GMC_OK) {
        aim->missed = guess.missed;
        status = aim_at(seen, &guess, stream, &w, aim);
        guess_free(&guess);
    }
    free(w.z);
    if (status != GMC_OK) aim_free(aim);
    return status;
}

/// φ/q.
/// @param room  out: (mixture.count + dimensions) first the share of each component in q(z)
static double aim_weight(const aim_law *aim, const double *z, double *room)
{
    return gmc_exp(-gmc_mixture_log_ratio(&aim->mixture, z, room));
}

// ---- rounds -------------------------------------------------------------------------------------

struct gmc_subset_aim {
    gmc_subset_aim_plan plan;
    int round; ///< that is open, or comes next
    aim_law aim;
    double *weights; ///< (draws) of the open round
    bool *is_blind;  ///< (draws) drawn where no failure is known
    double *points, *margins;
    int count, point_capacity, margin_capacity; ///< of what was seen
    gmc_subset_aim_round rounds[GMC_SUBSET_AIM_ROUNDS];
};

gmc_status gmc_subset_aim_create(const gmc_subset_aim_plan *plan, gmc_subset_aim **aim)
{
    gmc_subset_aim *a = calloc(1, sizeof *a);
    *aim = NULL;
    if (!a) return GMC_E_MEMORY;
    a->plan = *plan;
    a->weights = malloc((size_t)plan->draws * sizeof *a->weights);
    a->is_blind = calloc((size_t)plan->draws, sizeof *a->is_blind);
    if (!a->weights || !a->is_blind) {
        gmc_subset_aim_free(a);
        return GMC_E_MEMORY;
    }
    *aim = a;
    return GMC_OK;
}

void gmc_subset_aim_free(gmc_subset_aim *a)
{
    if (!a) return;
    aim_free(&a->aim);
    free(a->weights);
    free(a->is_blind);
    free(a->points);
    free(a->margins);
    free(a);
}

gmc_status gmc_subset_aim_see(gmc_subset_aim *a, const double *point, double margin)
{
    size_t bytes = (size_t)a->plan.dimensions * sizeof *point;
    double *points = gmc_list_room(a->points, a->count, &a->point_capacity, bytes);
    if (!points) return GMC_E_MEMORY;
    a->points = points;
    double *margins = gmc_list_room(a->margins, a->count, &a->margin_capacity, sizeof *margins);
    if (!margins) return GMC_E_MEMORY;
    a->margins = margins;
    memcpy(points + (size_t)a->count * (size_t)a->plan.dimensions, point, bytes);
    margins[a->count++] = margin == HUGE_VAL ? (double)NAN : margin;
    return GMC_OK;
}

/// Draws of a round: [first, first + count).
static void part(const gmc_subset_aim *a, int *first, int *count)
{
    int early = a->plan.draws / 8;
    *first = a->round * early;
    *count = a->round < GMC_SUBSET_AIM_ROUNDS - 1 ? early : a->plan.draws - *first;
}

/// What a draw is for.
typedef enum purpose {
    ESTIMATE,
    LESSON_ON_THE_WAY, ///< only teaches: on the surrogate's way to failures,
    LESSON_ALONG,      ///< or along an axis
} purpose;

static purpose purpose_of(const gmc_subset_aim *a, int i)
{
    if (a->round == GMC_SUBSET_AIM_ROUNDS - 1 || i % 2 == 0) return ESTIMATE;
    return i % 4 == 1 && a->aim.step_count > 0 ? LESSON_ON_THE_WAY : LESSON_ALONG;
}

/// Is nine tenths of a point's density from components that lie where no failure is known?
static bool is_blind(const aim_law *aim, const double *shares)
{
    double known = 0;
    for (int k = 0; k < aim->known; k++)
        known += shares[k];
    return known < 0.1;
}

static void draw_point(gmc_subset_aim *a, int i, int of, gmc_stream stream, double *room, double *z)
{
    size_t d = (size_t)a->plan.dimensions;
    a->weights[i] = 0;
    a->is_blind[i] = false;
    switch (purpose_of(a, i)) {
    case ESTIMATE:
        gmc_mixture_draw(&a->aim.mixture, stream, z);
        a->weights[i] = aim_weight(&a->aim, z, room);
        a->is_blind[i] = is_blind(&a->aim, room);
        break;
    case LESSON_ON_THE_WAY: {
        int step = (int)((int64_t)i * a->aim.step_count / of);
        memcpy(z, a->aim.steps + (size_t)step * d, d * sizeof *z);
        break;
    }
    case LESSON_ALONG:
        for (size_t j = 0; j < d; j++)
            z[j] = gmc_normal_quantile(fmax(gmc_stream_uniform(stream, (uint64_t)j), 0x1p-54));
        aim_along(&a->aim, (a->round * of + i) / 4, z);
        break;
    }
}

/// Points of the open round and their weights; a lesson has none.
static void draw_points(gmc_subset_aim *a, const uint64_t *trials, int draws, double *room,
                        double *points)
{
    for (int i = 0; i < draws; i++)
        draw_point(a, i, draws, gmc_stream_open(a->plan.seed, trials[i], "sampling.subset"), room,
                   points + (size_t)i * (size_t)a->plan.dimensions);
}

gmc_status gmc_subset_aim_open(gmc_subset_aim *a, uint64_t *trials, double *points, uint64_t *count)
{
    enum { ROUND_APART = 1 << 20 }; // of the numbers that aims draw
    int first, draws, d = a->plan.dimensions;
    *count = 0;
    if (a->round == GMC_SUBSET_AIM_ROUNDS) return GMC_OK;
    const trials_seen seen = {a->count, a->plan.plain, d, a->points, a->margins, a->plan.explore};
    aim_free(&a->aim);
    GMC_TRY(aim_take(
        &seen,
        gmc_stream_open(a->plan.seed, (uint64_t)a->round * ROUND_APART, "sampling.subset.aim"),
        &a->aim));
    if (a->aim.mixture.count == 0) return GMC_OK;
    a->rounds[a->round] = (gmc_subset_aim_round){
        .components = a->aim.mixture.count, .is_fitted = a->aim.is_fitted, .missed = a->aim.missed};
    double *room = malloc((size_t)(a->aim.mixture.count + d) * sizeof *room);
    if (!room) return GMC_E_MEMORY;
    part(a, &first, &draws);
    for (int i = 0; i < draws; i++)
        trials[i] = a->plan.first + (uint64_t)(first + i);
    draw_points(a, trials, draws, room, points);
    free(room);
    *count = (uint64_t)draws;
    return GMC_OK;
}

gmc_status gmc_subset_aim_close(gmc_subset_aim *a, const double *found, const double *points)
{
    int first, draws;
    gmc_subset_aim_round *round = &a->rounds[a->round];
    part(a, &first, &draws);
    for (int i = 0; i < draws; i++) {
        double margin = found[first + i];
        gmc_aimed_add(&round->failing, a->weights[i], a->is_blind[i], margin < 0);
        gmc_aimed_add(&round->worst, a->weights[i], a->is_blind[i],
                      margin < 0 || margin == HUGE_VAL);
        GMC_TRY(gmc_subset_aim_see(a, points + (size_t)i * (size_t)a->plan.dimensions, margin));
    }
    a->round++;
    return GMC_OK;
}

int gmc_subset_aim_rounds(const gmc_subset_aim *a) { return a->round; }

gmc_subset_aim_round gmc_subset_aim_of_round(const gmc_subset_aim *a, int round)
{
    return a->rounds[round];
}
