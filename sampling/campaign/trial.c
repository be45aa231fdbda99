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

/// Copy of `count` elements, NULL while counting or for no elements.
static void *cut(cutter *c, const void *from, size_t count, size_t size)
{
    size_t bytes = count * size;
    unsigned char *to = c->memory ? c->memory + c->used : NULL;
    c->used += (bytes + 7) & ~(size_t)7; // keeps doubles aligned behind int32 arrays
    if (to && bytes > 0) memcpy(to, from, bytes);
    return bytes > 0 ? to : NULL;
}

static void cut_trajectory(cutter *c, const gmc_trajectory *from, gmc_trajectory *to)
{
    size_t T = (size_t)from->row_count;
    size_t bodies = (size_t)from->body_count, joints = (size_t)from->joint_count;
    size_t contacts = T > 0 ? from->contact_start[T] : 0;

    *to = (gmc_trajectory){.row_count = from->row_count,
                           .row_capacity = from->row_count,
                           .body_count = from->body_count,
                           .joint_count = from->joint_count,
                           .contact_capacity = (int)contacts};
    to->time = cut(c, from->time, T, sizeof(double));
    to->pose = cut(c, from->pose, T * bodies * 7, sizeof(double));
    to->twist = cut(c, from->twist, T * bodies * 6, sizeof(double));
    to->q = cut(c, from->q, T * joints, sizeof(double));
    to->effort = cut(c, from->effort, T * joints, sizeof(double));
    to->contact_start = cut(c, from->contact_start, T > 0 ? T + 1 : 0, sizeof(uint32_t));
    to->contact_point = cut(c, from->contact_point, contacts * 3, sizeof(double));
    to->contact_normal = cut(c, from->contact_normal, contacts * 3, sizeof(double));
    to->contact_force = cut(c, from->contact_force, contacts * 3, sizeof(double));
    to->contact_geoms = cut(c, from->contact_geoms, contacts * 2, sizeof(int32_t));
}

static void cut_trial(cutter *c, const gmc_trial *from, int column_count, int sample_count,
                      gmc_trial_copy *to)
{
    to->trial = *from;
    to->trial.values = cut(c, from->values, (size_t)column_count, sizeof(double));
    to->trial.samples = cut(c, from->samples, (size_t)sample_count, sizeof(double));
    if (from->trajectory) {
        cut_trajectory(c, from->trajectory, &to->trajectory);
        to->trial.trajectory = &to->trajectory;
    }
}

gmc_status gmc_trial_copy_set(gmc_trial_copy *copy, const gmc_trial *trial, int column_count,
                              int sample_count)
{
    cutter size = {0};
    cut_trial(&size, trial, column_count, sample_count, copy);
    if (size.used > copy->capacity) {
        gmc_trial_copy_free(copy);
        size_t capacity = size.used + size.used / 4; // lengths of trials scatter: few regrowths
        copy->memory = malloc(capacity);
        if (!copy->memory) return GMC_E_MEMORY;
        copy->capacity = capacity;
    }

    cutter fill = {.memory = copy->memory};
    cut_trial(&fill, trial, column_count, sample_count, copy);
    return GMC_OK;
}

void gmc_trial_copy_free(gmc_trial_copy *copy)
{
    free(copy->memory);
    *copy = (gmc_trial_copy){0};
}
