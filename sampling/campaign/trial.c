// A trial is copied out of its worker's memory so that the worker can go on while the writer waits
// for the disk. One block a copy: two passes with the same walk, the first only adds sizes up.
#include "sampling/campaign/trial.h"

#include <stdlib.h>
#include <string.h>

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

static void cut_trajectory(cutter *c, const gmc_trial_size *size, gmc_trajectory *path)
{
    size_t T = (size_t)size->row_count, contacts = (size_t)size->contact_count;
    size_t bodies = (size_t)size->body_count, joints = (size_t)size->joint_count;
    *path = (gmc_trajectory){.row_count = size->row_count,
                             .row_capacity = size->row_count,
                             .body_count = size->body_count,
                             .joint_count = size->joint_count,
                             .contact_capacity = size->contact_count};
    path->inertia = cut(c, bodies * 10, sizeof(double));
    path->time = cut(c, T, sizeof(double));
    path->pose = cut(c, T * bodies * 7, sizeof(double));
    path->twist = cut(c, T * bodies * 6, sizeof(double));
    path->q = cut(c, T * joints, sizeof(double));
    path->effort = cut(c, T * joints, sizeof(double));
    path->contact_start = cut(c, T > 0 ? T + 1 : 0, sizeof(uint32_t));
    path->contact_point = cut(c, contacts * 3, sizeof(double));
    path->contact_normal = cut(c, contacts * 3, sizeof(double));
    path->contact_force = cut(c, contacts * 3, sizeof(double));
    path->contact_torque = cut(c, contacts * 3, sizeof(double));
    path->contact_geoms = cut(c, contacts * 2, sizeof(int32_t));
}

static void cut_all(cutter *c, const gmc_trial_size *size, gmc_trial_copy *copy)
{
    copy->trial = (gmc_trial){0};
    copy->trial.values = cut(c, (size_t)size->column_count, sizeof(double));
    copy->trial.samples = cut(c, (size_t)size->sample_count, sizeof(double));
    if (!size->has_trajectory) return;
    cut_trajectory(c, size, &copy->trajectory);
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
    size.row_count = path->row_count;
    size.body_count = path->body_count;
    size.joint_count = path->joint_count;
    size.contact_count = path->row_count > 0 ? (int)path->contact_start[path->row_count] : 0;
    return size;
}

static void copy_doubles(double *to, const double *from, size_t count)
{
    if (to && from) memcpy(to, from, count * sizeof *to);
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
    copy_doubles(arrays.values, from->values, (size_t)column_count);
    copy_doubles(arrays.samples, from->samples, (size_t)sample_count);
    if (!size.has_trajectory) return GMC_OK;

    const gmc_trajectory *path = from->trajectory;
    gmc_trajectory *to = &copy->trajectory;
    size_t T = (size_t)size.row_count, contacts = (size_t)size.contact_count;
    size_t bodies = (size_t)size.body_count, joints = (size_t)size.joint_count;
    copy_doubles(to->inertia, path->inertia, bodies * 10);
    copy_doubles(to->time, path->time, T);
    copy_doubles(to->pose, path->pose, T * bodies * 7);
    copy_doubles(to->twist, path->twist, T * bodies * 6);
    copy_doubles(to->q, path->q, T * joints);
    copy_doubles(to->effort, path->effort, T * joints);
    if (T > 0) memcpy(to->contact_start, path->contact_start, (T + 1) * sizeof *to->contact_start);
    copy_doubles(to->contact_point, path->contact_point, contacts * 3);
    copy_doubles(to->contact_normal, path->contact_normal, contacts * 3);
    copy_doubles(to->contact_force, path->contact_force, contacts * 3);
    copy_doubles(to->contact_torque, path->contact_torque, contacts * 3);
    if (contacts > 0)
        memcpy(to->contact_geoms, path->contact_geoms, contacts * 2 * sizeof *to->contact_geoms);
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
        return GMC_VERDICT_FAILURE;
    case GMC_OUTCOME_UNSOLVED:
    case GMC_OUTCOME_COUNT:
        break;
    }
    return GMC_VERDICT_UNSOLVED;
}
