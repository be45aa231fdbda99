#include "sampling/design/subset_aim.h"

#include "engine/base/list.h"
#include "sampling/design/aim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gmc_subset_aim {
    gmc_subset_aim_plan plan;
    int round; ///< that is open, or comes next
    gmc_aim aim;
    double *weights; ///< (draws) of the open round
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
    if (!a->weights) {
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

/// Is a draw one that only teaches?
static bool is_lesson(const gmc_subset_aim *a, int i)
{
    return a->round < GMC_SUBSET_AIM_ROUNDS - 1 && i % 2 == 1 && a->aim.step_count > 0;
}

/// Points of the open round and their weights; a lesson has none.
static void draw_points(gmc_subset_aim *a, const uint64_t *trials, int draws, double *room,
                        double *points)
{
    size_t d = (size_t)a->plan.dimensions;
    for (int i = 0; i < draws; i++) {
        double *z = points + (size_t)i * d;
        a->weights[i] = 0;
        if (is_lesson(a, i)) {
            int step = (int)((int64_t)i * a->aim.step_count / draws);
            memcpy(z, a->aim.steps + (size_t)step * d, d * sizeof *z);
            continue;
        }
        gmc_mixture_draw(&a->aim.mixture,
                         gmc_stream_open(a->plan.seed, trials[i], "sampling.subset"), z);
        a->weights[i] = gmc_aim_weight(&a->aim, z, room);
    }
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
        gmc_aimed_add(&round->failing, a->weights[i], margin < 0);
        gmc_aimed_add(&round->worst, a->weights[i], margin < 0 || margin == HUGE_VAL);
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
