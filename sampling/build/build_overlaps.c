// Overlaps at the start of a trial by the names of who overlaps. Contacts speak of geoms; of a
// compound body or a link with several shapes the deepest point speaks for all of them.
#include "sampling/build/build_internal.h"

#include <math.h>
#include <stdlib.h>

/// Who is named first: what a hand does wrong is told of the hand.
static int rank_of(const gmc_geom *geom)
{
    return geom->category & GMC_CATEGORY_HAND ? 0 : geom->category & GMC_CATEGORY_OBJECT ? 1 : 2;
}

const char *gmc_build_name(const gmc_model *model, const gmc_geom *geom)
{
    return geom->frame >= 0 ? model->frames[geom->frame].name : model->bodies[geom->body].name;
}

static gmc_build_overlap overlap_of(const gmc_model *model, const gmc_contact_point *point,
                                    double accepted)
{
    const gmc_geom *a = &model->geoms[point->geom_a], *b = &model->geoms[point->geom_b];
    bool is_swapped = rank_of(b) < rank_of(a);
    return (gmc_build_overlap){.a = gmc_build_name(model, is_swapped ? b : a),
                               .b = gmc_build_name(model, is_swapped ? a : b),
                               .depth = -point->gap,
                               .accepted = accepted,
                               .place = point->p,
                               .normal = is_swapped ? point->n : gmc_vec3_neg(point->n)};
}

// Names are those of the model: the same text is the same pointer.
static void take_in(const gmc_build_overlap *next, gmc_build_overlap *list, int *count)
{
    for (int i = 0; i < *count; i++) {
        if (list[i].a != next->a || list[i].b != next->b) continue;
        bool is_deep = next->depth > next->accepted, was_deep = list[i].depth > list[i].accepted;
        if (is_deep == was_deep ? next->depth > list[i].depth : is_deep) list[i] = *next;
        return;
    }
    list[(*count)++] = *next;
}

static int by_depth(const void *a, const void *b)
{
    double x = ((const gmc_build_overlap *)a)->depth, y = ((const gmc_build_overlap *)b)->depth;
    return x > y ? -1 : x < y;
}

gmc_status gmc_build_overlaps_find(const gmc_rollout_input *input, gmc_arena *trial,
                                   gmc_arena *scratch, gmc_build_overlaps *found)
{
    gmc_rollout_start_points at;
    *found = (gmc_build_overlaps){.accepted = input->options.deep_start};
    gmc_status status = gmc_rollout_start_find(input, trial, scratch, &at);
    if (status == GMC_E_LIMIT || status == GMC_E_LIBRARY) return GMC_OK; // another matter
    GMC_TRY(status);
    gmc_build_overlap *list = GMC_NEW(scratch, at.count, gmc_build_overlap);
    if (!list && at.count > 0) return GMC_E_ARENA_FULL;
    int count = 0;
    for (int i = 0; i < at.count; i++) {
        double accepted = gmc_rollout_accepted(input, &at.points[i]);
        if (-at.points[i].gap <= fmin(accepted, GMC_BUILD_OVERLAP_TOLD)) continue;
        gmc_build_overlap next = overlap_of(input->model, &at.points[i], accepted);
        take_in(&next, list, &count);
    }
    if (count > 0) qsort(list, (size_t)count, sizeof *list, by_depth);
    for (int i = 0; i < count; i++) {
        if (list[i].depth > list[i].accepted) {
            if (found->pair_count++ < GMC_BUILD_OVERLAPS_MAX) found->list[found->count++] = list[i];
        } else if (found->shallow_count++ == 0) {
            found->shallow = list[i];
        }
    }
    return GMC_OK;
}

static bool are_hand_and_object(const gmc_geom *a, const gmc_geom *b)
{
    return ((a->category & GMC_CATEGORY_HAND) && (b->category & GMC_CATEGORY_OBJECT)) ||
           ((b->category & GMC_CATEGORY_HAND) && (a->category & GMC_CATEGORY_OBJECT));
}

gmc_status gmc_build_overlaps_pushes(const gmc_rollout_input *input, gmc_build_mover mover,
                                     double accepted, gmc_arena *trial, gmc_arena *scratch,
                                     gmc_build_pushes *found)
{
    // a body that rests is pressed in by its weight, and rounding is not what keeps bodies together
    static const double SETTLED = 1e-5;
    const unsigned category =
        mover == GMC_BUILD_MOVER_HAND ? GMC_CATEGORY_HAND : GMC_CATEGORY_OBJECT;
    const gmc_model *model = input->model;
    gmc_rollout_start_points at;
    *found = (gmc_build_pushes){.is_grip = true};
    GMC_TRY(gmc_rollout_start_find(input, trial, scratch, &at));
    found->list = GMC_NEW(scratch, at.count, gmc_build_push);
    if (!found->list && at.count > 0) return GMC_E_ARENA_FULL;
    for (int i = 0; i < at.count; i++) {
        const gmc_contact_point *point = &at.points[i];
        bool is_a = (model->geoms[point->geom_a].category & category) != 0;
        bool is_b = (model->geoms[point->geom_b].category & category) != 0;
        double depth = -point->gap;
        if (depth > found->deepest) found->deepest = depth;
        bool is_deep = depth > fmin(gmc_rollout_accepted(input, point), accepted);
        if (is_a == is_b && is_deep) found->has_others = true;
        if (is_deep &&
            !are_hand_and_object(&model->geoms[point->geom_a], &model->geoms[point->geom_b]))
            found->is_grip = false;
        if (is_a == is_b || depth <= SETTLED) continue;
        found->list[found->count++] =
            (gmc_build_push){.dir = is_b ? point->n : gmc_vec3_neg(point->n), .depth = depth};
    }
    for (int g = 0; g < model->geom_count; g++) {
        if (!(model->geoms[g].category & category)) continue;
        found->has_mover = true;
        found->place = at.X_wb[model->geoms[g].body].p;
        break;
    }
    return GMC_OK;
}
