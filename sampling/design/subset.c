// Points of the level that is being made are kept, those of levels before it are not: they follow
// again from the margins. A margin that is NaN in the table was not put; an unsolved trial is
// stored as +inf, which never goes on.
#include "sampling/design/subset.h"

#include "engine/base/check.h"
#include "engine/math/elementary.h"
#include "sampling/random/normal.h"
#include "sampling/random/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ACCEPTED = 0.44;  // [papaioannou2015]: best of a chain in one dimension
static const double STEP_FIRST = 0.6; // [papaioannou2015]: sqrt(1 − ρ²) at the start

/// A run in the making.
typedef struct run {
    int level, step; ///< that is open; level 0 has one step, others start with step 1
    bool has_ended;
    double threshold; ///< of the level
    double length;    ///< sqrt(1 − ρ²)
    double *points;   ///< (per_level, dimensions) of the level, chain by chain within a step
    double *margins;  ///< (per_level)
    double *starts;   ///< (chains, dimensions) of the next level
    gmc_subset_level *levels;
    gmc_subset_run result;
    int accepted;
} run;

struct gmc_subset {
    gmc_subset_plan plan;
    double *found; ///< (total) margin of each trial; NaN: none
    run *runs;
    uint64_t *trials; ///< (runs * per_level) of the open stage
    uint64_t count;
    double *candidates; ///< (count, dimensions)
    bool is_open;
    gmc_subset_aim *aim; ///< NULL: none
    bool is_aiming;      ///< all runs have ended
};

static int chains(const gmc_subset *s) { return s->plan.per_level / GMC_SUBSET_STEPS; }

uint64_t gmc_subset_total(const gmc_subset_plan *plan)
{
    double levels = (double)plan->runs * (double)plan->levels * (double)plan->per_level;
    if (levels + plan->aimed > GMC_SUBSET_TRIALS_MAX) return 0;
    return (uint64_t)levels + (uint64_t)plan->aimed;
}

/// Address of the first aimed draw.
static uint64_t behind_levels(const gmc_subset_plan *plan)
{
    return gmc_subset_total(plan) - (uint64_t)plan->aimed;
}

// ---- on a surrogate ---------------------------------------------------------------------------

static void keep_point(const gmc_subset *on, uint64_t trial, gmc_subset_aim_points *f)
{
    if (f->count == GMC_SUBSET_AIM_EXPLORED) return;
    double *z = f->points + (size_t)f->count * (size_t)on->plan.dimensions;
    f->count += gmc_subset_point(on, trial, z);
}

/// Keep those of a stage that fail, and of each level some that belong to it.
static void keep_some(const gmc_subset *on, const gmc_subset_stage *stage,
                      const gmc_subset_aim_search *search)
{
    enum { STEP_APART = 3 }; // of those on the way one of three is kept
    for (uint64_t i = 0; i < stage->count; i++) {
        uint64_t trial = stage->trials[i];
        int level = (int)(trial / (uint64_t)on->plan.per_level);
        if (search->values[i] < 0) keep_point(on, trial, search->failing);
        if (level > 0 && trial % STEP_APART == 0 &&
            search->values[i] <= gmc_subset_of_level(on, 0, level).threshold)
            keep_point(on, trial, search->steps);
    }
}

/// Look for failures with more points than there are trials.
static gmc_status explore(gmc_subset_aim_search *search)
{
    enum { LEVELS = 12 };
    gmc_subset *on;
    gmc_subset_stage stage;
    const gmc_subset_plan plan = {.runs = 1,
                                  .levels = LEVELS,
                                  .per_level = GMC_SUBSET_AIM_EXPLORED,
                                  .dimensions = search->dimensions,
                                  .seed = gmc_stream_bits(search->stream, 0)};
    GMC_TRY(gmc_subset_create(&plan, &on));
    gmc_status status = gmc_subset_next(on, &stage);
    while (status == GMC_OK && stage.count > 0) {
        for (uint64_t i = 0; i < stage.count; i++) {
            (void)gmc_subset_point(on, stage.trials[i], search->z);
            search->values[i] = gmc_subset_aim_margin(search->guess, search->z);
            gmc_subset_put(on, stage.trials[i], search->values[i]);
        }
        keep_some(on, &stage, search);
        status = gmc_subset_next(on, &stage);
    }
    gmc_subset_free(on);
    return status;
}

// ---- the whole --------------------------------------------------------------------------------

static gmc_status create_aim(gmc_subset *s)
{
    const gmc_subset_aim_plan plan = {.draws = s->plan.aimed,
                                      .plain = s->plan.runs * s->plan.per_level,
                                      .dimensions = s->plan.dimensions,
                                      .seed = s->plan.seed,
                                      .first = behind_levels(&s->plan),
                                      .explore = explore};
    return plan.draws > 0 ? gmc_subset_aim_create(&plan, &s->aim) : GMC_OK;
}

static gmc_status create_runs(gmc_subset *s)
{
    size_t points = (size_t)s->plan.per_level, width = (size_t)s->plan.dimensions;
    for (int r = 0; r < s->plan.runs; r++) {
        run *one = &s->runs[r];
        *one = (run){.threshold = HUGE_VAL, .length = STEP_FIRST};
        one->points = calloc(points * width, sizeof(double));
        one->margins = calloc(points, sizeof(double));
        one->starts = calloc((size_t)chains(s) * (width + 1), sizeof(double));
        one->levels = calloc((size_t)s->plan.levels, sizeof *one->levels);
        if (!one->points || !one->margins || !one->starts || !one->levels) return GMC_E_MEMORY;
        one->levels[0].threshold = HUGE_VAL;
        one->levels[0].accepted = (double)NAN;
    }
    return GMC_OK;
}

gmc_status gmc_subset_create(const gmc_subset_plan *plan, gmc_subset **subset)
{
    GMC_ASSERT(plan->runs >= 1 && plan->levels >= 1 && plan->dimensions >= 1);
    GMC_ASSERT(plan->aimed == 0 || plan->aimed >= GMC_SUBSET_AIM_LEAST);
    GMC_ASSERT(plan->per_level >= GMC_SUBSET_STEPS && plan->per_level % GMC_SUBSET_STEPS == 0);
    *subset = NULL;
    uint64_t total = gmc_subset_total(plan);
    if (total == 0) return GMC_E_LIMIT;
    gmc_subset *s = calloc(1, sizeof *s);
    if (!s) return GMC_E_MEMORY;
    s->plan = *plan;
    size_t open = (size_t)plan->runs * (size_t)plan->per_level;
    if (open < (size_t)plan->aimed) open = (size_t)plan->aimed;
    s->found = malloc((size_t)total * sizeof *s->found);
    s->runs = calloc((size_t)plan->runs, sizeof *s->runs);
    s->trials = malloc(open * sizeof *s->trials);
    s->candidates = malloc(open * (size_t)plan->dimensions * sizeof *s->candidates);
    bool is_made = s->found && s->runs && s->trials && s->candidates;
    gmc_status status = is_made ? create_runs(s) : GMC_E_MEMORY;
    if (status == GMC_OK) status = create_aim(s);
    if (status != GMC_OK) {
        gmc_subset_free(s);
        return status;
    }
    for (uint64_t i = 0; i < total; i++)
        s->found[i] = (double)NAN;
    *subset = s;
    return GMC_OK;
}

void gmc_subset_free(gmc_subset *s)
{
    if (!s) return;
    for (int r = 0; s->runs && r < s->plan.runs; r++) {
        free(s->runs[r].points);
        free(s->runs[r].margins);
        free(s->runs[r].starts);
        free(s->runs[r].levels);
    }
    free(s->found);
    free(s->runs);
    free(s->trials);
    free(s->candidates);
    gmc_subset_aim_free(s->aim);
    free(s);
}

void gmc_subset_put(gmc_subset *s, uint64_t trial, double margin)
{
    GMC_ASSERT(trial < gmc_subset_total(&s->plan));
    s->found[trial] = isnan(margin) ? HUGE_VAL : margin;
}

// ---- places -----------------------------------------------------------------------------------

static uint64_t address(const gmc_subset *s, int r, int level, int place)
{
    return ((uint64_t)r * (uint64_t)s->plan.levels + (uint64_t)level) *
               (uint64_t)s->plan.per_level +
           (uint64_t)place;
}

static double *point_of(const gmc_subset *s, double *points, int place)
{
    return points + (size_t)place * (size_t)s->plan.dimensions;
}

/// Places of the open step of a run: [first, first + count).
static void open_places(const gmc_subset *s, const run *one, int *first, int *count)
{
    *first = one->level > 0 ? one->step * chains(s) : 0;
    *count = one->level > 0 ? chains(s) : s->plan.per_level;
}

/// Is a coordinate of few values drawn anew in a step of a chain? Else it stays.
static bool is_redrawn(const gmc_subset *s, gmc_stream stream, int i)
{
    static const double REDRAWN = 0.5;
    bool is_discrete = s->plan.is_discrete && s->plan.is_discrete[i];
    uint64_t coin = (uint64_t)(s->plan.dimensions + i); // behind those of the point
    return is_discrete && gmc_stream_uniform(stream, coin) < REDRAWN;
}

static bool is_any_redrawn(const gmc_subset *s, uint64_t trial)
{
    gmc_stream stream = gmc_stream_open(s->plan.seed, trial, "sampling.subset");
    for (int i = 0; i < s->plan.dimensions; i++)
        if (is_redrawn(s, stream, i)) return true;
    return false;
}

/// Candidate of a trial: a fresh point, or one near that before it in its chain.
static void propose(const gmc_subset *s, const run *one, uint64_t trial, int place, double *point)
{
    gmc_stream stream = gmc_stream_open(s->plan.seed, trial, "sampling.subset");
    const double *before = one->level > 0 ? point_of(s, one->points, place - chains(s)) : NULL;
    double keep = sqrt(fmax(1 - one->length * one->length, 0));
    for (int i = 0; i < s->plan.dimensions; i++) {
        double u = fmax(gmc_stream_uniform(stream, (uint64_t)i), 0x1p-54);
        double fresh = gmc_normal_quantile(u);
        if (!before || is_redrawn(s, stream, i))
            point[i] = fresh;
        else if (s->plan.is_discrete && s->plan.is_discrete[i])
            point[i] = before[i];
        else
            point[i] = keep * before[i] + one->length * fresh;
    }
}

// ---- decisions --------------------------------------------------------------------------------

/// Take the margins of the open step in.
static gmc_status take_step(gmc_subset *s, int r, const double *candidates)
{
    run *one = &s->runs[r];
    gmc_subset_level *level = &one->levels[one->level];
    int first, count, taken = 0, near = 0, near_taken = 0;
    size_t bytes = (size_t)s->plan.dimensions * sizeof(double);
    open_places(s, one, &first, &count);
    for (int i = 0; i < count; i++) {
        int place = first + i, before = place - chains(s);
        uint64_t trial = address(s, r, one->level, place);
        double margin = s->found[trial];
        level->trials++;
        level->unsolved += margin == HUGE_VAL;
        bool is_taken = one->level == 0 || margin <= one->threshold;
        taken += is_taken;
        bool is_near = !is_any_redrawn(s, trial);
        near += is_near;
        near_taken += is_near && is_taken;
        const double *candidate = candidates + (size_t)i * (size_t)s->plan.dimensions;
        const double *from = is_taken ? candidate : point_of(s, one->points, before);
        if (s->aim) GMC_TRY(gmc_subset_aim_see(s->aim, candidate, margin));
        memcpy(point_of(s, one->points, place), from, bytes);
        one->margins[place] = is_taken ? margin : one->margins[before];
    }
    if (one->level == 0) return GMC_OK;
    one->accepted += taken;
    if (near == 0) return GMC_OK;
    double share = (double)near_taken / (double)near; // of those whose distance is the length's
    one->length = fmin(one->length * gmc_exp((share - ACCEPTED) / sqrt(one->step)), 1);
    return GMC_OK;
}

typedef struct ranked {
    double margin;
    int place;
} ranked;

static int compare(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->margin != y->margin) return x->margin < y->margin ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/// The places of a level by their margins.
static gmc_status rank(const gmc_subset *s, const run *one, ranked **made)
{
    ranked *all = malloc((size_t)s->plan.per_level * sizeof *all);
    *made = all;
    if (!all) return GMC_E_MEMORY;
    for (int i = 0; i < s->plan.per_level; i++)
        all[i] = (ranked){one->margins[i], i};
    qsort(all, (size_t)s->plan.per_level, sizeof *all, compare);
    return GMC_OK;
}

/// Probability of a level's set.
static double reached(const run *one, int level)
{
    double product = 1;
    for (int l = 0; l < level; l++)
        product *= one->levels[l].share;
    return product;
}

/// Probability of what is unsolved, as a level met it: subset.h.
static double unsolved_of(const run *one, int l)
{
    const gmc_subset_level *level = &one->levels[l];
    double taken = l == 0 ? 1 : fmax(level->accepted, 1 / (double)level->trials);
    return reached(one, l) * (double)level->unsolved / (double)level->trials / taken;
}

/// The same of all levels of a run.
static double unsolved_of_run(const run *one)
{
    enum { MET_ENOUGH = 10 }; // one alone, at an early level, weighs more than all of a late one
    double most = 0, few = 0;
    for (int l = 1; l <= one->level; l++) {
        double *of = one->levels[l].unsolved >= MET_ENOUGH ? &most : &few;
        *of = fmax(*of, unsolved_of(one, l));
    }
    return fmin(unsolved_of(one, 0) + (most > 0 ? most : few), 1);
}

static void end_run(run *one, bool is_short, bool is_stuck)
{
    const gmc_subset_level *level = &one->levels[one->level];
    double before = reached(one, one->level);
    one->has_ended = true;
    one->result = (gmc_subset_run){.levels = one->level + 1,
                                   .probability = before * level->share,
                                   .reached = before,
                                   .unsolved = unsolved_of_run(one),
                                   .is_short = is_short,
                                   .is_stuck = is_stuck};
}

/// The starts of the next level: a tenth of all points, at random from the `going` ones up to the
/// threshold (selection sampling: each as likely, in the order of their margins).
static void open_level(const gmc_subset *s, int r, const ranked *all, int going)
{
    run *one = &s->runs[r];
    int count = chains(s), taken = 0;
    size_t width = (size_t)s->plan.dimensions;
    double *margins = one->starts + (size_t)count * width;
    gmc_stream stream =
        gmc_stream_open(s->plan.seed, address(s, r, one->level, 0), "sampling.subset.starts");
    for (int i = 0; i < going && taken < count; i++) {
        double u = gmc_stream_uniform(stream, (uint64_t)i);
        if ((going - i) * u >= count - taken) continue;
        memcpy(point_of(s, one->starts, taken), point_of(s, one->points, all[i].place),
               width * sizeof(double));
        margins[taken++] = all[i].margin;
    }
    memcpy(one->points, one->starts, (size_t)count * width * sizeof(double));
    memcpy(one->margins, margins, (size_t)count * sizeof(double));
    one->threshold = all[going - 1].margin;
    one->level++;
    one->step = 1;
    one->accepted = 0;
    one->levels[one->level] = (gmc_subset_level){.threshold = one->threshold};
}

static gmc_status close_level(const gmc_subset *s, int r)
{
    run *one = &s->runs[r];
    gmc_subset_level *level = &one->levels[one->level];
    int count = s->plan.per_level, going = 0;
    ranked *all;
    GMC_TRY(rank(s, one, &all));
    double next = all[chains(s) - 1].margin;
    for (int i = 0; i < count; i++) {
        level->failing += all[i].margin < 0;
        going += all[i].margin <= next;
    }
    if (one->level > 0) level->accepted = (double)one->accepted / (double)level->trials;
    bool is_last = next < 0, is_stuck = !is_last && 2 * going > count;
    bool is_short = !is_last && !is_stuck && one->level + 1 >= s->plan.levels;
    bool has_ended = is_last || is_stuck || is_short;
    level->share = (double)(has_ended ? level->failing : going) / (double)count;
    if (has_ended)
        end_run(one, is_short, is_stuck);
    else
        open_level(s, r, all, going);
    free(all);
    return GMC_OK;
}

/// A step of a run is complete: the next step, or the next level.
static gmc_status advance(gmc_subset *s, int r, const double *candidates)
{
    run *one = &s->runs[r];
    GMC_TRY(take_step(s, r, candidates));
    if (one->level > 0 && ++one->step < GMC_SUBSET_STEPS) return GMC_OK;
    return close_level(s, r);
}

static bool is_complete(const gmc_subset *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        if (isnan(s->found[s->trials[i]])) return false;
    return true;
}

/// What the open step of all runs has shown.
static gmc_status close_steps(gmc_subset *s)
{
    size_t done = 0;
    for (int r = 0; r < s->plan.runs; r++) {
        int first, count;
        if (s->runs[r].has_ended) continue;
        open_places(s, &s->runs[r], &first, &count);
        GMC_TRY(advance(s, r, s->candidates + done * (size_t)s->plan.dimensions));
        done += (size_t)count;
    }
    return GMC_OK;
}

static void open_steps(gmc_subset *s)
{
    s->count = 0;
    for (int r = 0; r < s->plan.runs; r++) {
        const run *one = &s->runs[r];
        int first, count;
        if (one->has_ended) continue;
        open_places(s, one, &first, &count);
        for (int i = 0; i < count; i++) {
            uint64_t trial = address(s, r, one->level, first + i);
            propose(s, one, trial, first + i,
                    s->candidates + (size_t)s->count * (size_t)s->plan.dimensions);
            s->trials[s->count++] = trial;
        }
    }
}

gmc_status gmc_subset_next(gmc_subset *s, gmc_subset_stage *stage)
{
    if (s->is_open && !is_complete(s)) return GMC_E_MISSING;
    if (s->is_aiming && s->count > 0)
        GMC_TRY(gmc_subset_aim_close(s->aim, s->found + behind_levels(&s->plan), s->candidates));
    else if (s->is_open)
        GMC_TRY(close_steps(s));
    s->is_open = true;
    open_steps(s);
    s->is_aiming = s->aim && s->count == 0;
    if (s->is_aiming) GMC_TRY(gmc_subset_aim_open(s->aim, s->trials, s->candidates, &s->count));
    *stage = (gmc_subset_stage){.trials = s->trials, .count = s->count};
    return GMC_OK;
}

gmc_status gmc_subset_decide(gmc_subset *s)
{
    gmc_subset_stage stage;
    gmc_status status = gmc_subset_next(s, &stage);
    while (status == GMC_OK && stage.count > 0)
        status = gmc_subset_next(s, &stage);
    return status;
}

bool gmc_subset_point(const gmc_subset *s, uint64_t trial, double *point)
{
    uint64_t low = 0, high = s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (s->trials[middle] < trial)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= s->count || s->trials[low] != trial) return false;
    size_t width = (size_t)s->plan.dimensions;
    memcpy(point, s->candidates + (size_t)low * width, width * sizeof *point);
    return true;
}

bool gmc_subset_has(const gmc_subset *s, uint64_t trial) { return !isnan(s->found[trial]); }

const gmc_subset_plan *gmc_subset_about(const gmc_subset *s) { return &s->plan; }

gmc_subset_run gmc_subset_of_run(const gmc_subset *s, int r) { return s->runs[r].result; }

gmc_subset_level gmc_subset_of_level(const gmc_subset *s, int r, int level)
{
    return s->runs[r].levels[level];
}

const gmc_subset_aim *gmc_subset_aimed(const gmc_subset *s) { return s->aim; }
