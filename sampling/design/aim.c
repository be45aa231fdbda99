// Steps of the fit, draws of each and starts were chosen on test/statistics/test_subset_aimed.c:
// root mean squares are 3 to 9 % there, of which 3 to 6 % are the number of draws. Without the
// search on the surrogate, starts around trials that failed alone, the answer misses what the
// levels passed by.
#include "sampling/design/aim.h"

#include "engine/math/elementary.h"
#include "sampling/design/subset.h"
#include "sampling/random/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CENTRES = 24, COMPONENTS = 3 * CENTRES, DRAWS = 1000, STEPS = 8 };
enum { EXPLORED = 1000, EXPLORED_LEVELS = 12 }; // points a level, on the surrogate
enum { STEP_APART = 3 };                        // of those on the way one of three is kept
static const double START_SHARE = 0.15;         // of trials that failed, in the end
static const double ROUND_SHARE = 0.1;          // of a law all round, as far out
static const double AXES_SHARE = 0.1;           // of all laws along the axes
static const double WIDER = 1.1;                // standard deviations than fitted

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

/// Points that a subset simulation on the surrogate finds.
typedef struct found {
    int count;
    double *points; ///< (EXPLORED, dimensions)
} found;

static void keep(const gmc_subset *subset, uint64_t trial, int dimensions, found *f)
{
    if (f->count == EXPLORED) return;
    double *z = f->points + (size_t)f->count * (size_t)dimensions;
    f->count += gmc_subset_point(subset, trial, z);
}

/// Keep those of a stage that fail, and of each level some that belong to it.
static void keep_some(const gmc_subset *subset, const gmc_subset_stage *stage, const double *values,
                      found *failing, found *steps)
{
    const gmc_subset_plan *plan = gmc_subset_about(subset);
    for (uint64_t i = 0; i < stage->count; i++) {
        uint64_t trial = stage->trials[i];
        int level = (int)(trial / (uint64_t)plan->per_level);
        if (values[i] < 0) keep(subset, trial, plan->dimensions, failing);
        if (level > 0 && trial % STEP_APART == 0 &&
            values[i] <= gmc_subset_of_level(subset, 0, level).threshold)
            keep(subset, trial, plan->dimensions, steps);
    }
}

static gmc_status explore(const gmc_guess *guess, gmc_stream stream, double *z, double *values,
                          found *failing, found *steps)
{
    gmc_subset *subset;
    gmc_subset_stage stage;
    int dimensions = guess->spline.inputs;
    const gmc_subset_plan plan = {.runs = 1,
                                  .levels = EXPLORED_LEVELS,
                                  .per_level = EXPLORED,
                                  .dimensions = dimensions,
                                  .seed = gmc_stream_bits(stream, 0)};
    GMC_TRY(gmc_subset_create(&plan, &subset));
    gmc_status status = gmc_subset_next(subset, &stage);
    while (status == GMC_OK && stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            (void)gmc_subset_point(subset, stage.trials[i], z);
            values[i] = gmc_guess_margin(guess, z);
            gmc_subset_put(subset, stage.trials[i], values[i]);
        }
        keep_some(subset, &stage, values, failing, steps);
        status = gmc_subset_next(subset, &stage);
    }
    gmc_subset_free(subset);
    return status;
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
    double *z;                  ///< (DRAWS, d)
    double *weight;             ///< (DRAWS)
    double *parts;              ///< (DRAWS, components + d) as gmc_mixture_log_ratio leaves it
    double *mean;               ///< (d)
    double *covariance;         ///< (d, d), behind the mean
    double *left, *values;      ///< (trials or EXPLORED)
    found failed, found, steps; ///< trials that failed; what the surrogate says fails, and on the
                                ///< way there
} shop;

/// Draws of the mixture, weighed by how likely they fail.
static gmc_mixture_draws draw_all(const gmc_mixture *m, const gmc_guess *guess, gmc_stream stream,
                                  int step, shop *w)
{
    size_t row = (size_t)(m->count + w->d);
    for (int i = 0; i < DRAWS; i++) {
        double *z = w->z + (size_t)i * (size_t)w->d;
        gmc_stream own = stream;
        own.draw += (uint64_t)step * DRAWS + (uint64_t)i;
        gmc_mixture_draw(m, own, z);
        double ratio = gmc_mixture_log_ratio(m, z, w->parts + (size_t)i * row);
        double p = gmc_guess_failure(guess, z);
        w->weight[i] = p > 0 ? p * gmc_exp(-ratio) : 0;
    }
    return (gmc_mixture_draws){DRAWS, w->z, w->parts, w->weight};
}

/// The mixture fitted from `aim->mixture` on.
static gmc_status fit_mixture(const gmc_guess *guess, gmc_stream stream, shop *w, gmc_aim *aim)
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

static gmc_status open_shop(const gmc_guess_seen *seen, shop *w)
{
    size_t draws = DRAWS, side = (size_t)seen->dimensions,
           parts = (size_t)components_of(seen->dimensions) + side;
    size_t most = seen->count > EXPLORED ? (size_t)seen->count : EXPLORED;
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

static void keep_failed(const gmc_guess_seen *seen, found *f)
{
    size_t d = (size_t)seen->dimensions;
    for (int i = 0; i < seen->count; i++)
        if (seen->margins[i] < 0)
            memcpy(f->points + (size_t)f->count++ * d, seen->points + (size_t)i * d,
                   d * sizeof(double));
}

static gmc_status hand_over(const found *steps, int dimensions, gmc_aim *aim)
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
static gmc_status start(shop *w, gmc_mixture *mixture)
{
    bool is_both = w->failed.count > 0 && w->found.count > 0;
    double share = is_both ? 0.5 : 1;
    GMC_TRY(gmc_mixture_create(w->d, components_of(w->d), mixture));
    add_starts(w->failed.points, w->failed.count, share, w->left, mixture, w->covariance);
    add_starts(w->found.points, w->found.count, share, w->left, mixture, w->covariance);
    return GMC_OK;
}

/// Laws where nothing was found: all round, and along each axis.
static void add_blind(const found *failing, shop *w, gmc_aim *aim)
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
        gmc_aim_along(aim, axis, w->mean);
        (void)gmc_mixture_add(&aim->mixture, AXES_SHARE / (2 * d), w->mean, w->covariance);
    }
}

/// The mixture, once it is fitted or not, with what is not left to the fit.
static void complete(shop *w, gmc_aim *aim)
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

static gmc_status aim_at(const gmc_guess_seen *seen, const gmc_guess *guess, gmc_stream stream,
                         shop *w, gmc_aim *aim)
{
    bool is_made = gmc_guess_is_made(guess);
    keep_failed(seen, &w->failed);
    if (is_made) GMC_TRY(explore(guess, stream, w->z, w->values, &w->found, &w->steps));
    GMC_TRY(start(w, &aim->mixture));
    if (is_made && aim->mixture.count > 0) GMC_TRY(fit_mixture(guess, stream, w, aim));
    GMC_TRY(hand_over(&w->steps, seen->dimensions, aim));
    if (aim->mixture.count > 0) complete(w, aim);
    return GMC_OK;
}

gmc_status gmc_aim_take(const gmc_guess_seen *seen, gmc_stream stream, gmc_aim *aim)
{
    shop w;
    gmc_guess guess;
    *aim = (gmc_aim){0};
    GMC_TRY(open_shop(seen, &w));
    gmc_status status = gmc_guess_make(seen, &guess);
    if (status == GMC_OK) {
        aim->missed = guess.missed;
        status = aim_at(seen, &guess, stream, &w, aim);
        gmc_guess_free(&guess);
    }
    free(w.z);
    if (status != GMC_OK) gmc_aim_free(aim);
    return status;
}

void gmc_aim_free(gmc_aim *aim)
{
    gmc_mixture_free(&aim->mixture);
    free(aim->steps);
    *aim = (gmc_aim){0};
}

void gmc_aim_along(const gmc_aim *aim, int axis, double *z)
{
    int d = aim->mixture.dimensions, place = axis % (2 * d);
    z[place / 2] += place % 2 == 0 ? aim->reach : -aim->reach;
}

double gmc_aim_weight(const gmc_aim *aim, const double *z, double *room)
{
    return gmc_exp(-gmc_mixture_log_ratio(&aim->mixture, z, room));
}
