#include "sampling/design/subset_aim.h"

#include "engine/base/list.h"
#include "sampling/design/aim.h"
#include "sampling/random/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gmc_subset_aim {
    gmc_subset_aim_plan plan;
    int round; ///< that is open, or comes next
    gmc_aim aim;
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
    gmc_aim_free(&a->aim);
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
static bool is_blind(const gmc_aim *aim, const double *shares)
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
        a->weights[i] = gmc_aim_weight(&a->aim, z, room);
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
        gmc_aim_along(&a->aim, (a->round * of + i) / 4, z);
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
    const gmc_guess_seen seen = {a->count, a->plan.plain, d, a->points, a->margins};
    gmc_aim_free(&a->aim);
    GMC_TRY(gmc_aim_take(
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
