#include "engine/trajectory.h"

#include <stddef.h>
#include <string.h>

#define UNITS(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ROW(member_, type_, kind_, per_, name_, width_, columns_, units_, frame_, about_)          \
    {.kind = GMC_TRAJECTORY_##kind_,                                                               \
     .per = GMC_TRAJECTORY_##per_,                                                                 \
     .width = (width_),                                                                            \
     .name = (name_),                                                                              \
     .columns = (columns_),                                                                        \
     .units = units_,                                                                              \
     .frame = (frame_),                                                                            \
     .about = (about_),                                                                            \
     .member = offsetof(gmc_trajectory, member_)},
const gmc_trajectory_array gmc_trajectory_arrays[] = {GMC_TRAJECTORY_ARRAYS(ROW)};
#undef ROW
#undef UNITS

// A pointer to double is none to void in the eyes of the compiler: it is copied, not looked at as
// the other.
void *gmc_trajectory_numbers(const gmc_trajectory *path, const gmc_trajectory_array *array)
{
    void *numbers;
    memcpy(&numbers, (const char *)path + array->member, sizeof numbers);
    return numbers;
}

size_t gmc_trajectory_count(const gmc_trajectory_array *array, const gmc_trajectory_shape *shape)
{
    size_t rows = (size_t)shape->row_count, width = (size_t)array->width;
    switch (array->per) {
    case GMC_TRAJECTORY_ROW:
        return rows * width;
    case GMC_TRAJECTORY_ROW_BODY:
        return rows * (size_t)shape->body_count * width;
    case GMC_TRAJECTORY_BODY:
        return (size_t)shape->body_count * width;
    case GMC_TRAJECTORY_ROW_JOINT:
        return rows * (size_t)shape->joint_count * width;
    case GMC_TRAJECTORY_ROW_ACTION:
        return shape->has_actions ? rows * (size_t)shape->joint_count * width : 0;
    case GMC_TRAJECTORY_ROW_PUSH:
        return shape->has_pushes ? rows * (size_t)shape->body_count * width : 0;
    case GMC_TRAJECTORY_ROW_START:
        return rows > 0 ? rows + 1 : 0;
    case GMC_TRAJECTORY_CONTACT:
        return (size_t)shape->contact_count * width;
    case GMC_TRAJECTORY_PER_COUNT:
        break;
    }
    return 0;
}

size_t gmc_trajectory_number_bytes(gmc_trajectory_kind kind)
{
    return kind == GMC_TRAJECTORY_REAL ? sizeof(double) : sizeof(uint32_t);
}

size_t gmc_trajectory_bytes(const gmc_trajectory_shape *shape)
{
    size_t bytes = 0;
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++)
        bytes += gmc_trajectory_count(&gmc_trajectory_arrays[i], shape) *
                 gmc_trajectory_number_bytes(gmc_trajectory_arrays[i].kind);
    return bytes;
}

bool gmc_trajectory_is_of_joints(const gmc_trajectory_array *array)
{
    return array->per == GMC_TRAJECTORY_ROW_JOINT || array->per == GMC_TRAJECTORY_ROW_ACTION;
}

bool gmc_trajectory_is_of_body(const gmc_trajectory_array *array)
{
    return array->per == GMC_TRAJECTORY_BODY || array->per == GMC_TRAJECTORY_ROW_BODY ||
           array->per == GMC_TRAJECTORY_ROW_PUSH;
}

// Joints of a trajectory are bodies with one velocity, bodies all but the world, in their order.
double *gmc_trajectory_action(const gmc_model *model, const gmc_trajectory *path, int row, int dof)
{
    int joint = 0;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_body *body = &model->bodies[b];
        int count = gmc_joint_v_count(body->joint), k = dof - body->v;
        bool is_it = k >= 0 && k < count && !body->is_mimic;
        if (is_it && count == 1 && path->has_actions)
            return path->action + (ptrdiff_t)row * path->joint_count + joint;
        if (is_it && body->joint == GMC_JOINT_PLANAR && path->has_pushes)
            return path->push + 3 * ((ptrdiff_t)row * path->body_count + b - 1) + k;
        joint += count == 1;
    }
    return NULL;
}

gmc_trajectory_shape gmc_trajectory_shape_of(const gmc_trajectory *path)
{
    int rows = path->row_count;
    return (gmc_trajectory_shape){.row_count = rows,
                                  .contact_count = rows > 0 ? (int)path->contact_start[rows] : 0,
                                  .body_count = path->body_count,
                                  .joint_count = path->joint_count,
                                  .has_actions = path->has_actions,
                                  .has_pushes = path->has_pushes};
}

gmc_status gmc_trajectory_create(const gmc_model *model, const gmc_trajectory_shape *room,
                                 gmc_arena *arena, gmc_trajectory *record)
{
    gmc_trajectory_shape shape = *room;
    shape.body_count = model->body_count - 1 + model->absent_count;
    shape.joint_count = 0;
    for (int b = 1; b < model->body_count; b++)
        if (gmc_joint_v_count(model->bodies[b].joint) == 1) shape.joint_count++;
    *record = (gmc_trajectory){.row_capacity = room->row_count,
                               .contact_capacity = room->contact_count,
                               .body_count = shape.body_count,
                               .joint_count = shape.joint_count,
                               .has_actions = room->has_actions,
                               .has_pushes = room->has_pushes};
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        void *numbers = gmc_arena_take(arena, gmc_trajectory_count(array, &shape),
                                       gmc_trajectory_number_bytes(array->kind));
        if (!numbers) return GMC_E_ARENA_FULL;
        gmc_trajectory_point(record, array, numbers);
    }
    return GMC_OK;
}
