// A quadratic surface over a shrinking box was the other way [box1951]: eight numbers need 45
// coefficients before it says anything, and success is flat at its ends. A bandit over a fixed set
// of points [kalyanakrishnan2012] finds the best of them, but in eight dimensions the nearest of
// 65 536 points is a quarter of a range away from where success is highest.
#include "sampling/design/optimum.h"

#include "engine/math/elementary.h"
#include "sampling/estimate/rising.h"
#include "sampling/random/normal.h"
#include "sampling/random/sobol.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPREAD = 256, // points all over the box ...
    NEAR = 192,   // ... and around its highest ones
    TOPS = 3      // so many of them
};

// The key of designs; any number that is no one's habit as a seed.
static const uint64_t KEY = 0x9e6c63d0876a3f4bu;
static const double DEVIATIONS = 2; // standard deviations that "may be" means
static const double TIE = 0.01;     // of success: what the chosen design's own trials hardly tell
static const double STEP_FIRST = 0.2, STEP_LAST = 0.004;

typedef struct seen {
    int round;
    double wins, runs;
    gmc_tally tally;
} seen;

/// Designs between which the search decides nothing.
typedef struct gmc_optimum_ties {
    int count; ///< different ones; 0: there are fewer than two
    double lower[GMC_SURFACE_INPUTS_MAX], upper[GMC_SURFACE_INPUTS_MAX];
} gmc_optimum_ties;

struct gmc_optimum {
    gmc_optimum_plan plan;
    bool is_idle[GMC_SURFACE_INPUTS_MAX];
    int round;      ///< that is open; -1: none yet
    int first;      ///< its first design
    int count;      ///< designs of all rounds opened
    int room;       ///< designs
    int64_t draws;  ///< of a design in the search
    int64_t trials; ///< asked for
    bool is_over;
    bool does_tie;
    gmc_optimum_ties ties; ///< of the last round
    double *x;             ///< (room, numbers)
    seen *designs;         ///< (room)
    double *wins, *runs;   ///< (room) as the surface wants them
    int *rounds;           ///< (room)
};

// ---- how many ----------------------------------------------------------------------------------

static int first_designs(int numbers) { return 6 * numbers + 8; }
static int later_designs(int numbers) { return numbers + 8; }

static int search_designs(int numbers)
{
    return first_designs(numbers) + (GMC_OPTIMUM_ROUNDS - 1) * later_designs(numbers);
}

// The search has two thirds of the budget.
int64_t gmc_optimum_draws(int numbers, int64_t budget)
{
    return 2 * budget / (3 * (int64_t)search_designs(numbers));
}

int64_t gmc_optimum_budget(int numbers, int64_t draws)
{
    int64_t trials = draws * search_designs(numbers);
    return (3 * trials + 1) / 2;
}
// ---- life --------------------------------------------------------------------------------------

gmc_status gmc_optimum_create(const gmc_optimum_plan *plan, gmc_optimum **optimum)
{
    *optimum = NULL;
    gmc_optimum *o = calloc(1, sizeof *o);
    if (!o) return GMC_E_MEMORY;
    *o = (gmc_optimum){.plan = *plan,
                       .round = -1,
                       .does_tie = true,
                       .room = search_designs(plan->numbers) + 1,
                       .draws = gmc_optimum_draws(plan->numbers, plan->budget)};
    size_t room = (size_t)o->room;
    o->x = calloc(room * (size_t)plan->numbers, sizeof *o->x);
    o->designs = calloc(room, sizeof *o->designs);
    o->wins = calloc(room, sizeof *o->wins);
    o->runs = calloc(room, sizeof *o->runs);
    o->rounds = calloc(room, sizeof *o->rounds);
    if (!o->x || !o->designs || !o->wins || !o->runs || !o->rounds) {
        gmc_optimum_free(o);
        return GMC_E_MEMORY;
    }
    *optimum = o;
    return GMC_OK;
}

void gmc_optimum_free(gmc_optimum *optimum)
{
    if (!optimum) return;
    free(optimum->x);
    free(optimum->designs);
    free(optimum->wins);
    free(optimum->runs);
    free(optimum->rounds);
    free(optimum);
}

int gmc_optimum_count(const gmc_optimum *optimum) { return optimum->count; }

static void optimum_change(gmc_optimum *optimum, int design, gmc_tally tally);

void gmc_optimum_put(gmc_optimum *optimum, int design, gmc_tally tally)
{
    optimum_change(optimum, optimum->first + design, tally);
}

/// What counts as a success has changed: the tally of a design of any round so far, anew.
/// @param design  of all rounds, in their order
static void optimum_change(gmc_optimum *optimum, int design, gmc_tally tally)
{
    seen *s = &optimum->designs[design];
    s->tally = tally;
    s->wins = (double)tally.successes;
    s->runs = (double)gmc_tally_trials(tally);
}

/// Do designs tie that never failed? They do unless told otherwise.
static void optimum_let_tie(gmc_optimum *optimum, bool do_tie) { optimum->does_tie = do_tie; }

void gmc_optimum_hold(gmc_optimum *optimum, int number) { optimum->is_idle[number] = true; }

static double *design_of(const gmc_optimum *o, int design)
{
    return o->x + (size_t)design * (size_t)o->plan.numbers;
}

static double *add(gmc_optimum *o)
{
    o->designs[o->count].round = o->round;
    return design_of(o, o->count++);
}

// ---- points ------------------------------------------------------------------------------------

/// Points that are looked at, and what the surface says of them.
typedef struct view {
    gmc_surface *surface;
    double *x; ///< (count, numbers)
    int count, room;
    gmc_surface_cloud *cloud;
} view;

static void close_view(view *v)
{
    gmc_surface_cloud_free(v->cloud);
    gmc_surface_free(v->surface);
    free(v->x);
    *v = (view){0};
}

static double *point_of(const gmc_optimum *o, const view *v, int i)
{
    return v->x + (size_t)i * (size_t)o->plan.numbers;
}

/// A point that fills the box with those of other numbers.
static void place_even(const gmc_optimum *o, int round, uint64_t number, double *x)
{
    for (int j = 0; j < o->plan.numbers; j++) {
        gmc_stream coins = gmc_stream_open_hashed(KEY, (uint64_t)round, (uint64_t)j);
        x[j] = o->is_idle[j] ? 0.5 : gmc_sobol_uniform(j, number, coins);
    }
}

static double value_of(const gmc_surface_cloud *cloud, int point, double deviations)
{
    return gmc_surface_cloud_mean(cloud, point) +
           deviations * sqrt(gmc_surface_cloud_variance(cloud, point));
}

static int highest(const view *v, double deviations)
{
    int best = 0;
    for (int i = 1; i < v->count; i++)
        if (value_of(v->cloud, i, deviations) > value_of(v->cloud, best, deviations)) best = i;
    return best;
}

/// Of the points that may be the highest, and are not taken, the one of which least is known; of
/// all if none of these is left.
static int most_telling(const view *v, const bool *is_taken, double least)
{
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++)
        for (int i = 0; i < v->count; i++) {
            bool may_be = pass > 0 || value_of(v->cloud, i, DEVIATIONS) >= least;
            if (is_taken[i] || !may_be) continue;
            if (best < 0 || gmc_surface_cloud_variance(v->cloud, i) >
                                gmc_surface_cloud_variance(v->cloud, best))
                best = i;
        }
    return best;
}

static bool is_same(const gmc_optimum *o, const double *a, const double *b)
{
    for (int j = 0; j < o->plan.numbers; j++)
        if (a[j] != b[j]) return false;
    return true;
}

/// This point is a design of the round, and so are all that are the same: at a corner of the box
/// many are, and designs of a round meet the same draws.
static void take(const gmc_optimum *o, const view *v, int point, bool *is_taken)
{
    for (int i = 0; i < v->count; i++)
        if (is_same(o, point_of(o, v, i), point_of(o, v, point))) is_taken[i] = true;
}

static gmc_status look(view *v)
{
    gmc_surface_cloud_free(v->cloud);
    return gmc_surface_look(v->surface, v->x, v->count, &v->cloud);
}

/// One point alone. @return as gmc_surface_look
static gmc_status value_at(const gmc_surface *surface, const double *x, double deviations,
                           double *value)
{
    *value = gmc_surface_mean(surface, x);
    if (deviations == 0) return GMC_OK;
    gmc_surface_cloud *cloud;
    GMC_TRY(gmc_surface_look(surface, x, 1, &cloud));
    *value = value_of(cloud, 0, deviations);
    gmc_surface_cloud_free(cloud);
    return GMC_OK;
}

/// Walk uphill from x, one number at a time, in steps that shrink.
static gmc_status climb(const gmc_optimum *o, const gmc_surface *surface, double deviations,
                        double *x, double *value)
{
    GMC_TRY(value_at(surface, x, deviations, value));
    for (double step = STEP_FIRST; step > STEP_LAST; step /= 2) {
        bool has_moved = true;
        for (int sweep = 0; sweep < 8 && has_moved; sweep++) {
            has_moved = false;
            for (int j = 0; j < 2 * o->plan.numbers; j++) {
                if (o->is_idle[j / 2]) continue;
                double before = x[j / 2], now;
                x[j / 2] = gmc_min(1, gmc_max(0, before + (j % 2 ? step : -step)));
                GMC_TRY(value_at(surface, x, deviations, &now));
                if (now > *value + 1e-12) {
                    *value = now;
                    has_moved = true;
                } else {
                    x[j / 2] = before;
                }
            }
        }
    }
    return GMC_OK;
}

/// A point near another: normal steps, a tenth to a third of each number's length.
static void place_near(const gmc_optimum *o, const view *v, const double *top, uint64_t number,
                       double *x)
{
    gmc_stream u = gmc_stream_open_hashed(KEY, (uint64_t)o->round, 1000 + number);
    double scale = number % 2 ? 0.1 : 0.3;
    for (int j = 0; j < o->plan.numbers; j++) {
        double z = gmc_normal_quantile(gmc_stream_uniform(u, (uint64_t)j) + 0x1p-54);
        double length = gmc_min(gmc_surface_length(v->surface, j), 1);
        x[j] = o->is_idle[j] ? 0.5 : gmc_min(1, gmc_max(0, top[j] + scale * length * z));
    }
}

/// The surface of all designs so far, looked at all over the box, at the designs, and around its
/// highest points; point 0 is the highest in `deviations` that a walk finds.
static gmc_status open_view(const gmc_optimum *o, double deviations, view *v)
{
    int numbers = o->plan.numbers, count = 0;
    *v = (view){.room = 1 + SPREAD + NEAR + o->count};
    v->x = calloc((size_t)v->room * (size_t)numbers, sizeof *v->x);
    if (!v->x) return GMC_E_MEMORY;
    for (int i = 0; i < o->count; i++) {
        o->wins[i] = o->designs[i].wins;
        o->runs[i] = o->designs[i].runs;
        o->rounds[i] = o->designs[i].round;
        count += o->designs[i].runs > 0;
    }
    gmc_surface_rows rows = {.count = count,
                             .inputs = numbers,
                             .x = o->x,
                             .round = o->rounds,
                             .wins = o->wins,
                             .runs = o->runs,
                             .is_idle = o->is_idle};
    GMC_TRY(gmc_surface_create(&rows, &v->surface));

    // all over the box, and the designs
    v->count = 1;
    for (int i = 0; i < SPREAD; i++)
        place_even(o, o->round, (uint64_t)i, point_of(o, v, v->count++));
    memcpy(point_of(o, v, v->count), o->x, (size_t)(o->count * numbers) * sizeof *o->x);
    for (int j = 0; j < numbers; j++)
        for (int i = 0; i < o->count && o->is_idle[j]; i++)
            point_of(o, v, v->count + i)[j] = 0.5;
    v->count += o->count;
    memcpy(point_of(o, v, 0), point_of(o, v, 1), (size_t)numbers * sizeof *v->x);
    GMC_TRY(look(v));

    // uphill from the highest of them, and around where that leads
    double tops[TOPS * GMC_SURFACE_INPUTS_MAX], best = -HUGE_VAL;
    for (int t = 0; t < TOPS; t++) {
        double *top = tops + (size_t)t * (size_t)numbers, value;
        int start = highest(v, deviations);
        memcpy(top, point_of(o, v, start), (size_t)numbers * sizeof *top);
        GMC_TRY(climb(o, v->surface, deviations, top, &value));
        if (value > best) memcpy(point_of(o, v, 0), top, (size_t)numbers * sizeof *top);
        best = gmc_max(best, value);
        GMC_TRY(gmc_surface_cloud_measure(v->cloud, start, 1e-4)); // the next starts elsewhere
        for (int i = 0; i < NEAR / TOPS; i++)
            place_near(o, v, top, (uint64_t)(t * NEAR + i),
                       point_of(o, v, v->room - NEAR + t * (NEAR / TOPS) + i));
    }
    v->count = v->room;
    return look(v);
}

/// The highest success that the surface of all designs gives any design in the box.
/// @param o  every design of which has a tally
/// @return GMC_OK, GMC_E_MEMORY
static gmc_status optimum_top(const gmc_optimum *o, double *success)
{
    view v;
    gmc_status status = open_view(o, 0, &v);
    if (status == GMC_OK) *success = gmc_surface_share(gmc_surface_cloud_mean(v.cloud, 0));
    close_view(&v);
    return status;
}

// ---- rounds ------------------------------------------------------------------------------------

static void open_first(gmc_optimum *o)
{
    for (int i = 0; i < first_designs(o->plan.numbers); i++) {
        double *x = add(o);
        for (int j = 0; j < o->plan.numbers; j++)
            x[j] = 0.5;
        if (i > 2 * o->plan.numbers)
            place_even(o, 0, (uint64_t)i, x);
        else if (i > 0)
            x[(i - 1) / 2] = (i - 1) % 2;
    }
}

static gmc_status open_later(gmc_optimum *o)
{
    view v;
    gmc_status status = open_view(o, 0, &v);
    bool *is_taken = status == GMC_OK ? calloc((size_t)v.count, sizeof *is_taken) : NULL;
    if (status == GMC_OK && !is_taken) status = GMC_E_MEMORY;
    double least = status == GMC_OK ? value_of(v.cloud, highest(&v, -DEVIATIONS), -DEVIATIONS) : 0;
    for (int i = 0; i < later_designs(o->plan.numbers) && status == GMC_OK; i++) {
        int next = i == 0 ? 0 : most_telling(&v, is_taken, least);
        take(o, &v, next, is_taken);
        memcpy(add(o), point_of(o, &v, next), (size_t)o->plan.numbers * sizeof *v.x);
        status = gmc_surface_cloud_measure(v.cloud, next, 1 / (double)o->draws);
    }
    free(is_taken);
    close_view(&v);
    return status;
}

// ---- designs that tie --------------------------------------------------------------------------

/// Largest difference of a number.
static double distance(const gmc_optimum *o, const double *a, const double *b)
{
    double most = 0;
    for (int j = 0; j < o->plan.numbers; j++)
        if (!o->is_idle[j]) most = gmc_max(most, fabs(a[j] - b[j]));
    return most;
}

/// How far a design is from the ends of the ranges and from every design that ever failed; 0 if it
/// did itself.
static double clearance(const gmc_optimum *o, int design)
{
    const double *x = design_of(o, design);
    double least = HUGE_VAL;
    for (int j = 0; j < o->plan.numbers; j++)
        if (!o->is_idle[j]) least = gmc_min(least, gmc_min(x[j], 1 - x[j]));
    for (int i = 0; i < o->count; i++)
        if (o->designs[i].wins < o->designs[i].runs)
            least = gmc_min(least, distance(o, x, design_of(o, i)));
    return least;
}

/// Did it never fail, in any round?
static bool is_perfect(const gmc_optimum *o, int design)
{
    for (int i = 0; i < o->count; i++)
        if (o->designs[i].wins < o->designs[i].runs &&
            distance(o, design_of(o, i), design_of(o, design)) == 0)
            return false;
    return true;
}

/// Is it one of those before it?
static bool is_known(const gmc_optimum *o, int design)
{
    for (int i = 0; i < design; i++)
        if (distance(o, design_of(o, i), design_of(o, design)) == 0) return true;
    return false;
}

/// Find the designs that tie.
/// @return that of them which is farthest from what is worse; -1: fewer than two tie
static int find_ties(gmc_optimum *o, const view *v, double deviations)
{
    gmc_optimum_ties *ties = &o->ties;
    double top = gmc_surface_share(value_of(v->cloud, 0, deviations)), most = -1;
    int chosen = -1;
    *ties = (gmc_optimum_ties){0};
    for (int i = 0; i < o->count && o->does_tie; i++) {
        double share = gmc_surface_share(value_of(v->cloud, 1 + SPREAD + i, deviations));
        if (!(share >= top - TIE) || !is_perfect(o, i) || is_known(o, i)) continue;
        const double *x = design_of(o, i);
        for (int j = 0; j < o->plan.numbers; j++) {
            ties->lower[j] = ties->count > 0 ? gmc_min(ties->lower[j], x[j]) : x[j];
            ties->upper[j] = ties->count > 0 ? gmc_max(ties->upper[j], x[j]) : x[j];
        }
        ties->count++;
        double clear = clearance(o, i);
        if (clear > most) chosen = i;
        most = gmc_max(most, clear);
    }
    if (ties->count < 2) *ties = (gmc_optimum_ties){0};
    return ties->count > 0 ? chosen : -1;
}

static gmc_status open_last(gmc_optimum *o)
{
    double deviations = o->plan.is_cautious ? -DEVIATIONS : 0;
    view v;
    gmc_status status = open_view(o, deviations, &v);
    if (status == GMC_OK) {
        int tied = find_ties(o, &v, deviations);
        const double *x = point_of(o, &v, tied < 0 ? 0 : 1 + SPREAD + tied);
        memcpy(add(o), x, (size_t)o->plan.numbers * sizeof *v.x);
    }
    close_view(&v);
    return status;
}

static bool has_all(const gmc_optimum *o)
{
    for (int i = o->first; i < o->count; i++)
        if (o->designs[i].runs <= 0) return false;
    return true;
}

gmc_status gmc_optimum_next(gmc_optimum *o, gmc_optimum_round *round)
{
    *round = (gmc_optimum_round){0};
    if (o->round >= 0 && !has_all(o)) return GMC_E_MISSING;
    if (o->is_over || o->round == GMC_OPTIMUM_ROUNDS) {
        o->is_over = true;
        return GMC_OK;
    }
    bool is_idle = true; // nothing to choose
    for (int j = 0; j < o->plan.numbers; j++)
        is_idle = is_idle && o->is_idle[j];
    o->first = o->count;
    o->round = is_idle ? GMC_OPTIMUM_ROUNDS : o->round + 1;
    gmc_status status = GMC_OK;
    if (o->round == 0)
        open_first(o);
    else if (o->round < GMC_OPTIMUM_ROUNDS)
        status = open_later(o);
    else
        status = open_last(o);
    bool is_last = o->round == GMC_OPTIMUM_ROUNDS;
    int count = o->count - o->first;
    int64_t draws =
        is_last ? o->plan.budget - (int64_t)search_designs(o->plan.numbers) * o->draws : o->draws;
    *round = (gmc_optimum_round){.number = o->round,
                                 .is_last = is_last,
                                 .count = count,
                                 .draws = draws,
                                 .x = design_of(o, o->first)};
    o->trials += draws * count;
    return status;
}

// ---- the end -----------------------------------------------------------------------------------

/// Different ones of the search.
static int count_designs(const gmc_optimum *o)
{
    int found = 0;
    for (int i = 0; i < o->count - 1; i++) {
        bool is_new = true;
        for (int k = 0; k < i && is_new; k++)
            is_new = !is_same(o, design_of(o, i), design_of(o, k));
        found += is_new;
    }
    return found;
}

gmc_status gmc_optimum_conclude(const gmc_optimum *o, gmc_optimum_answer *answer)
{
    int last = o->count - 1;
    *answer = (gmc_optimum_answer){.tally = o->designs[last].tally,
                                   .trials = o->trials,
                                   .designs = count_designs(o),
                                   .is_level = true};
    for (int i = 0; i < last; i++)
        answer->is_level = answer->is_level && !(o->designs[i].wins > 0);
    memcpy(answer->x, design_of(o, last), (size_t)o->plan.numbers * sizeof *answer->x);
    memcpy(answer->is_idle, o->is_idle, sizeof answer->is_idle);
    answer->ties = o->ties.count;
    memcpy(answer->tied_lower, o->ties.lower, sizeof answer->tied_lower);
    memcpy(answer->tied_upper, o->ties.upper, sizeof answer->tied_upper);
    view v;
    gmc_status status = open_view(o, 0, &v);
    if (status == GMC_OK)
        answer->most = gmc_surface_share(value_of(v.cloud, highest(&v, DEVIATIONS), DEVIATIONS));
    close_view(&v);
    return status;
}

// ---- quantiles ---------------------------------------------------------------------------------

// Designs chosen for a quantile: of a number that every trial has, as small as can be.
//
// The smallest p-quantile over all designs is the least c that some design stays below with
// probability p:
//
//   min_x q_p(x) = min { c : max_x P(Y_x <= c) >= p }
//
// So a trial counts as a success if it is at most c (optimum.h), and after every round c is moved
// to where the surface of all designs just reaches p: what is looked for is then the top of a
// surface of shares, as where success itself is the goal, and every trial takes part in it, not
// the few beyond the quantile alone. Designs tie (optimum.h)
// where c is the smallest number of all: those whose every trial has it.
// c is looked for among the numbers that trials had: between two of them no tally changes. What a
// surface expects at its top rises with c but for the scatter of its fit, so that a bisection ends
// beside a crossing. (A surface of the designs' own quantiles was the other way: of 16 trials the
// 0.95 quantile is the largest, whose scatter is as large as what designs differ by.)

typedef struct row {
    int design;
    double y;
} row;

struct gmc_optimum_quantile {
    double p;
    row *rows;
    int64_t count, room;
};

gmc_status gmc_optimum_quantile_create(double p, gmc_optimum_quantile **quantile)
{
    *quantile = calloc(1, sizeof **quantile);
    if (!*quantile) return GMC_E_MEMORY;
    (*quantile)->p = p;
    return GMC_OK;
}

void gmc_optimum_quantile_free(gmc_optimum_quantile *q)
{
    if (q) free(q->rows);
    free(q);
}

gmc_status gmc_optimum_quantile_add(gmc_optimum_quantile *q, int design, double y)
{
    if (q->count == q->room) {
        int64_t room = q->room > 0 ? 2 * q->room : 1024;
        row *grown = realloc(q->rows, (size_t)room * sizeof *grown);
        if (!grown) return GMC_E_MEMORY;
        q->rows = grown;
        q->room = room;
    }
    q->rows[q->count++] = (row){design, isnan(y) ? HUGE_VAL : y};
    return GMC_OK;
}

/// The tallies of all designs, where what is at most c succeeds.
static gmc_status judge(const gmc_optimum_quantile *q, double c, gmc_optimum *optimum)
{
    int designs = gmc_optimum_count(optimum);
    gmc_tally *tallies = calloc((size_t)designs, sizeof *tallies);
    if (!tallies) return GMC_E_MEMORY;
    for (int64_t i = 0; i < q->count; i++) {
        gmc_tally *t = &tallies[q->rows[i].design];
        if (q->rows[i].y <= c && q->rows[i].y < HUGE_VAL)
            t->successes++;
        else
            t->failures++;
    }
    for (int d = 0; d < designs; d++)
        optimum_change(optimum, d, tallies[d]);
    free(tallies);
    return GMC_OK;
}

static gmc_status reaches(const gmc_optimum_quantile *q, double c, gmc_optimum *optimum,
                          bool *is_so)
{
    double top = 0;
    GMC_TRY(judge(q, c, optimum));
    GMC_TRY(optimum_top(optimum, &top));
    *is_so = top >= q->p;
    return GMC_OK;
}

/// The known numbers, rising; free() it.
static double *known_of(const gmc_optimum_quantile *q, int64_t *count)
{
    double *known = malloc(((size_t)q->count + 1) * sizeof *known);
    *count = 0;
    for (int64_t i = 0; known && i < q->count; i++)
        if (q->rows[i].y < HUGE_VAL) known[(*count)++] = q->rows[i].y;
    if (known) gmc_rising_sort(known, *count);
    return known;
}

gmc_status gmc_optimum_quantile_aim(gmc_optimum_quantile *q, gmc_optimum *optimum, double *c)
{
    int64_t count;
    double *known = known_of(q, &count);
    if (!known) return GMC_E_MEMORY;
    int64_t low = 0, high = count - 1; // the last, if none reaches p
    gmc_status status = GMC_OK;
    while (low < high && status == GMC_OK) {
        int64_t middle = low + (high - low) / 2;
        bool is_so = false;
        status = reaches(q, known[middle], optimum, &is_so);
        if (is_so)
            high = middle;
        else
            low = middle + 1;
    }
    *c = count > 0 ? known[low] : HUGE_VAL;
    optimum_let_tie(optimum, count > 0 && *c == known[0]);
    free(known);
    return status == GMC_OK ? judge(q, *c, optimum) : status;
}
