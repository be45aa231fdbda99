// A trial is copied out of its worker's memory so that the worker can go on while the writer waits
// for the disk. One block a copy: two passes with the same walk, the first only adds sizes up.
#include "sampling/campaign/trial.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(member_, type_, kind_, place_, name_, unit_, about_)                                 \
    {.kind = GMC_TRIAL_##kind_,                                                                    \
     .name = (name_),                                                                              \
     .unit = (unit_),                                                                              \
     .about = (about_),                                                                            \
     .place = (place_),                                                                            \
     .member = offsetof(gmc_trial, member_)},
#define DERIVED(kind_, name_, unit_, about_)                                                       \
    {.kind = GMC_TRIAL_##kind_, .name = (name_), .unit = (unit_), .about = (about_), .place = -1},
const gmc_trial_field gmc_trial_fields[] = {GMC_TRIAL_FIELDS(FIELD, DERIVED)};
#undef FIELD
#undef DERIVED

uint64_t gmc_trial_whole(const gmc_trial *trial, const gmc_trial_field *field)
{
    const void *at = (const char *)trial + field->member;
    switch (field->kind) {
    case GMC_TRIAL_U64:
        return *(const uint64_t *)at;
    case GMC_TRIAL_U32:
        return *(const uint32_t *)at;
    case GMC_TRIAL_I32:
        return (uint64_t)(int64_t) * (const int *)at;
    case GMC_TRIAL_OUTCOME:
        return *(const gmc_outcome *)at;
    case GMC_TRIAL_REASON:
        return *(const gmc_reason *)at;
    case GMC_TRIAL_SUCCESS:
        return trial->outcome == GMC_OUTCOME_SUCCESS;
    case GMC_TRIAL_VALID:
        return trial->outcome != GMC_OUTCOME_UNSOLVED;
    case GMC_TRIAL_F64:
        break;
    }
    return 0;
}

double gmc_trial_real(const gmc_trial *trial, const gmc_trial_field *field)
{
    const void *at = (const char *)trial + field->member;
    return *(const double *)at;
}

/// Hands out parts of a block; with memory == NULL it only counts.
typedef struct cutter {
    unsigned char *memory;
    size_t used;
} cutter;

static void *cut(cutter *c, size_t count, size_t size)
{
    size_t bytes = count * size;
    unsigned char *part = c->memory ? c->memory + c->used : NULL;
    c->used += (bytes + 7) & ~(size_t)7; // keeps doubles aligned behind int32 arrays
    return bytes > 0 ? part : NULL;
}

static void cut_trajectory(cutter *c, const gmc_trajectory_shape *shape, gmc_trajectory *path)
{
    *path = (gmc_trajectory){.row_count = shape->row_count,
                             .row_capacity = shape->row_count,
                             .body_count = shape->body_count,
                             .joint_count = shape->joint_count,
                             .has_actions = shape->has_actions,
                             .has_pushes = shape->has_pushes,
                             .contact_capacity = shape->contact_count};
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        gmc_trajectory_point(
            path, array,
            cut(c, gmc_trajectory_count(array, shape), gmc_trajectory_number_bytes(array->kind)));
    }
}

static void cut_all(cutter *c, const gmc_trial_size *size, gmc_trial_copy *copy)
{
    copy->trial = (gmc_trial){0};
    copy->trial.values = cut(c, (size_t)size->column_count, sizeof(double));
    copy->trial.samples = cut(c, (size_t)size->sample_count, sizeof(double));
    if (!size->has_trajectory) return;
    cut_trajectory(c, &size->shape, &copy->trajectory);
    copy->trial.trajectory = &copy->trajectory;
}

gmc_status gmc_trial_copy_reserve(gmc_trial_copy *copy, const gmc_trial_size *size)
{
    cutter need = {0};
    cut_all(&need, size, copy);
    if (need.used > copy->capacity) {
        gmc_trial_copy_free(copy);
        size_t capacity = need.used + need.used / 4; // lengths of trials scatter: few regrowths
        copy->memory = malloc(capacity);
        if (!copy->memory) return GMC_E_MEMORY;
        copy->capacity = capacity;
    }
    cutter give = {.memory = copy->memory};
    cut_all(&give, size, copy);
    return GMC_OK;
}

gmc_trial_size gmc_trial_size_of(const gmc_trial *trial, int column_count, int sample_count)
{
    gmc_trial_size size = {.column_count = column_count, .sample_count = sample_count};
    const gmc_trajectory *path = trial->trajectory;
    if (!path) return size;
    size.has_trajectory = true;
    size.shape = gmc_trajectory_shape_of(path);
    return size;
}

static void copy_numbers(void *to, const void *from, size_t bytes)
{
    if (to && from) memcpy(to, from, bytes);
}

gmc_status gmc_trial_copy_set(gmc_trial_copy *copy, const gmc_trial *from, int column_count,
                              int sample_count)
{
    gmc_trial_size size = gmc_trial_size_of(from, column_count, sample_count);
    GMC_TRY(gmc_trial_copy_reserve(copy, &size));

    gmc_trial arrays = copy->trial;
    copy->trial = *from;
    copy->trial.values = arrays.values;
    copy->trial.samples = arrays.samples;
    copy->trial.trajectory = arrays.trajectory;
    copy_numbers(arrays.values, from->values, (size_t)column_count * sizeof(double));
    copy_numbers(arrays.samples, from->samples, (size_t)sample_count * sizeof(double));
    if (!size.has_trajectory) return GMC_OK;

    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        copy_numbers(gmc_trajectory_numbers(&copy->trajectory, array),
                     gmc_trajectory_numbers(from->trajectory, array),
                     gmc_trajectory_count(array, &size.shape) *
                         gmc_trajectory_number_bytes(array->kind));
    }
    return GMC_OK;
}

void gmc_trial_copy_free(gmc_trial_copy *copy)
{
    free(copy->memory);
    *copy = (gmc_trial_copy){0};
}

gmc_verdict gmc_trial_verdict(gmc_outcome outcome)
{
    switch (outcome) {
    case GMC_OUTCOME_SUCCESS:
        return GMC_VERDICT_SUCCESS;
    case GMC_OUTCOME_MISSED:
    case GMC_OUTCOME_VIOLATED:
    case GMC_OUTCOME_LOST:
    case GMC_OUTCOME_UNREACHABLE:
        return GMC_VERDICT_FAILURE;
    case GMC_OUTCOME_UNSOLVED:
    case GMC_OUTCOME_COUNT:
        break;
    }
    return GMC_VERDICT_UNSOLVED;
}

int gmc_trial_by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}
