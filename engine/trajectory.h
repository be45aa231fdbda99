/// The sampled motion of one trial, and the one list of its arrays.
///
/// An array is a row of GMC_TRAJECTORY_ARRAYS, and is filled in rollout.c. All else follows from
/// the row: its memory, the copy that leaves the worker, its bytes in the journal, its dataset with
/// attributes, reading it back, its columns in exported tables, its line in
/// sampling/store/FORMAT.md.
#ifndef GMC_ENGINE_TRAJECTORY_H
#define GMC_ENGINE_TRAJECTORY_H

#include "engine/base/arena.h"
#include "engine/model/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// What the numbers of an array are.
typedef enum gmc_trajectory_kind {
    GMC_TRAJECTORY_REAL,   ///< double
    GMC_TRAJECTORY_OFFSET, ///< uint32_t: which contact is the first of a row
    GMC_TRAJECTORY_GEOM,   ///< int32_t: a geom of the model
} gmc_trajectory_kind;

/// What an array has an entry for: shape, without the columns. Absent bodies and joints read NaN.
typedef enum gmc_trajectory_per {
    GMC_TRAJECTORY_ROW,        ///< (T)
    GMC_TRAJECTORY_ROW_BODY,   ///< (T, bodies)
    GMC_TRAJECTORY_BODY,       ///< (bodies) once for the trial
    GMC_TRAJECTORY_ROW_JOINT,  ///< (T, joints)
    GMC_TRAJECTORY_ROW_ACTION, ///< (T, joints) where a controller is sampled; else there is none
    GMC_TRAJECTORY_ROW_PUSH,   ///< (T, bodies) where it pushes bodies; else there is none
    GMC_TRAJECTORY_ROW_START,  ///< (T + 1)
    GMC_TRAJECTORY_CONTACT,    ///< (C)
    GMC_TRAJECTORY_PER_COUNT
} gmc_trajectory_per;

/// X(member, C type, kind, per, name, width, columns, units, frame, about), in the order of the
/// journal.
///
///   name     of the dataset, and in exported tables
///   width    columns of an entry
///   columns  their names; NULL: one, which is not a dimension of its own
///   units    one for all columns or one for each; of ROW_JOINT: of a joint that slides, that turns
///   frame    that vectors are written in; NULL: there are none
///   about    for FORMAT.md
// clang-format off
#define GMC_TRAJECTORY_ARRAYS(X)                                                                  \
    X(inertia, double, REAL, BODY, "inertia", 10, "mass cx cy cz Ixx Iyy Izz Ixy Ixz Iyz",        \
      UNITS("kg", "m", "m", "m", "kg m2", "kg m2", "kg m2", "kg m2", "kg m2", "kg m2"), "body",   \
      "of this trial: mass, centre of mass in the body frame, moments about it in body axes")     \
    X(time, double, REAL, ROW, "time", 1, NULL, UNITS("s"), NULL, "since the start of the trial") \
    X(pose, double, REAL, ROW_BODY, "pose", 7, "x y z qw qx qy qz",                               \
      UNITS("m", "m", "m", "1", "1", "1", "1"), "world",                                          \
      "position of the body frame, quaternion wxyz; NaN: not in this trial's model")              \
    X(twist, double, REAL, ROW_BODY, "twist", 6, "vx vy vz wx wy wz",                             \
      UNITS("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"), "world",                             \
      "velocity of the centre of mass, angular velocity; with `coulomb` that in the middle of the "\
      "step that ends at this row")                                                               \
    X(q, double, REAL, ROW_JOINT, "q", 1, NULL, UNITS("m", "rad"), NULL, "joint positions")       \
    X(effort, double, REAL, ROW_JOINT, "effort", 1, NULL, UNITS("N", "N m"), NULL,                \
      "joint force, mean of the step that ended at this row: servo, share of drives of several "   \
      "joints, applied force and stops, net of dry friction (that of a servo which turns against " \
      "friction is larger by `friction`); viscous `damping` is not in it")                         \
    X(action, double, REAL, ROW_ACTION, "action", 1, NULL, UNITS("N", "N m"), NULL,               \
      "with `control` alone: the controller's answer to the call at this row, in joints that it "  \
      "moves, of a drive of several joints in the first of them; NaN in other rows and joints, and once it is done; infinite: it failed")            \
    X(push, double, REAL, ROW_PUSH, "action", 3, "x y yaw", UNITS("N", "N", "N m"), "world",       \
      "with `control` that pushes bodies alone: its answer to the call at this row, force on the "  \
      "centre of mass and moment about it; NaN in other rows and channels, and once it is done; "  \
      "infinite: it failed")                                                                       \
    X(contact_start, uint32_t, OFFSET, ROW_START, "start", 1, NULL, UNITS("1"), NULL,             \
      "contacts of row r are start[r] ... start[r+1]")                                            \
    X(contact_point, double, REAL, CONTACT, "point", 3, "x y z", UNITS("m"), "world",             \
      "where it was found, with the bodies where the step began that ended at this row")          \
    X(contact_normal, double, REAL, CONTACT, "normal", 3, "x y z", UNITS("1"), "world",           \
      "from geom a to geom b")                                                                    \
    X(contact_force, double, REAL, CONTACT, "force", 3, "x y z", UNITS("N"), "world",             \
      "on b, mean from the middle of the step before to that of the step that ended at this row; "\
      "the first from the start")                                                                 \
    X(contact_torque, double, REAL, CONTACT, "torque", 3, "x y z", UNITS("N m"), "world",         \
      "on b, besides the moment of the force at its point: torsional and rolling friction, the "  \
      "patch of a pad, and friction of a flat contact, which acts nearer to the middle of its "   \
      "pressure than the point; else 0. Mean over the same step")                                 \
    X(contact_geoms, int32_t, GEOM, CONTACT, "geoms", 2, "a b", UNITS("1"), NULL,                 \
      "a and b, rows of `geom_names`")
// clang-format on

enum { GMC_TRAJECTORY_WIDTH_MAX = 10 };

/// How much there is of what arrays have entries for.
typedef struct gmc_trajectory_shape {
    int row_count, contact_count;
    int body_count, joint_count; ///< all bodies but the world; joint coordinates
    bool has_actions;            ///< a controller is sampled
    bool has_pushes;             ///< and pushes bodies
} gmc_trajectory_shape;

/// Rows in time order, first at t = 0, last at the end of the trial.
typedef struct gmc_trajectory {
    int row_count, row_capacity;
    int body_count, joint_count;
    bool has_actions, has_pushes;
    int contact_capacity;
#define GMC_TRAJECTORY_MEMBER(member, type, ...) type *member;
    GMC_TRAJECTORY_ARRAYS(GMC_TRAJECTORY_MEMBER)
#undef GMC_TRAJECTORY_MEMBER
} gmc_trajectory;

/// A row of the list.
typedef struct gmc_trajectory_array {
    gmc_trajectory_kind kind;
    gmc_trajectory_per per;
    int width;
    const char *name, *columns, *frame, *about;
    const char *units[GMC_TRAJECTORY_WIDTH_MAX]; ///< to the first NULL
    size_t member;                               ///< offset of the pointer in gmc_trajectory
} gmc_trajectory_array;

#define GMC_TRAJECTORY_ONE(...) +1
enum { GMC_TRAJECTORY_ARRAY_COUNT = 0 GMC_TRAJECTORY_ARRAYS(GMC_TRAJECTORY_ONE) };
#undef GMC_TRAJECTORY_ONE

extern const gmc_trajectory_array gmc_trajectory_arrays[GMC_TRAJECTORY_ARRAY_COUNT];

/// Where the numbers of an array are.
void *gmc_trajectory_numbers(const gmc_trajectory *path, const gmc_trajectory_array *array);
static inline void gmc_trajectory_point(gmc_trajectory *path, const gmc_trajectory_array *array,
                                        void *numbers)
{
    memcpy((char *)path + array->member, &numbers, sizeof numbers);
}

/// How many numbers an array has. Without rows there are no offsets either.
size_t gmc_trajectory_count(const gmc_trajectory_array *array, const gmc_trajectory_shape *shape);

/// Bytes of a number in memory, and of all numbers.
size_t gmc_trajectory_number_bytes(gmc_trajectory_kind kind);
size_t gmc_trajectory_bytes(const gmc_trajectory_shape *shape);

/// Is there an entry for each joint?
bool gmc_trajectory_is_of_joints(const gmc_trajectory_array *array);

/// Has each body an array of its own in the result file?
bool gmc_trajectory_is_of_body(const gmc_trajectory_array *array);

/// Where a row has the answer of a sampled controller for a dof of a joint or of a planar body.
/// @return NULL: nowhere
double *gmc_trajectory_action(const gmc_model *model, const gmc_trajectory *path, int row, int dof);

/// What a trajectory holds.
gmc_trajectory_shape gmc_trajectory_shape_of(const gmc_trajectory *path);

/// Room for rows and contacts in `arena`; inertia, poses, ... of the model's moving and fixed
/// bodies.
/// @param room  row_count, contact_count, has_actions, has_pushes: what there is room for
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_trajectory_create(const gmc_model *model,
                                                const gmc_trajectory_shape *room, gmc_arena *arena,
                                                gmc_trajectory *record);

#endif
