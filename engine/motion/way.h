/// A motion of joints in time: knots joined by polynomials of fifth degree, so that position,
/// velocity and acceleration are continuous, all three, and exact at both ends; and how long it
/// must take for speeds and forces to stay within the joints' limits.
///
///   x(t) = X(u), u = t / T or u = t of a quintic step in T
///   tau = A / T² + B / T + C     inertia and Coriolis, viscous friction, weight and dry friction
///
/// The forces of a motion in a time T follow from those in the time 1: what a limit allows is the
/// root of a quadratic at each place ([hollerbach1984]; he stretches after the fact, too).
#ifndef GMC_ENGINE_MOTION_WAY_H
#define GMC_ENGINE_MOTION_WAY_H

#include "engine/motion/arm.h"

#include <stdbool.h>

typedef enum gmc_way_kind {
    GMC_WAY_STOPS,   ///< still at every knot: straight from each to the next, in the joints' space
    GMC_WAY_THROUGH, ///< smooth through all knots at their times, still at both ends
    GMC_WAY_LINE     ///< smooth through all knots; how fast, a quintic step of time says
} gmc_way_kind;

typedef struct gmc_way {
    gmc_way_kind kind;
    int joint_count;
    int knot_count;       ///< >= 2
    double *u;            ///< (knot_count) from 0 to 1, increasing
    double *x;            ///< (knot_count * joint_count) joint positions at the knots [m, rad]
    double *slope, *bend; ///< (knot_count * joint_count) first and second derivative by u
    double duration;      ///< T > 0 [s]
} gmc_way;

/// Room for so many knots. `u` and `x` are the caller's to fill, with knot_count and kind.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK static inline gmc_status gmc_way_create(int joint_count, int knot_max,
                                                       gmc_arena *arena, gmc_way *way)
{
    *way = (gmc_way){.joint_count = joint_count};
    way->u = GMC_NEW(arena, knot_max, double);
    way->x = GMC_NEW(arena, knot_max * joint_count, double);
    way->slope = GMC_NEW(arena, knot_max * joint_count, double);
    way->bend = GMC_NEW(arena, knot_max * joint_count, double);
    return way->u && way->x && way->slope && way->bend ? GMC_OK : GMC_E_ARENA_FULL;
}

/// Slopes and bends at the knots: of the polynomial through the three nearest knots (THROUGH) or
/// the five nearest (LINE).
void gmc_way_lay(gmc_way *way);

/// The motion t after its start; before it and after its end it is still.
/// @param x, v, a  (joint_count) out: positions, velocities, accelerations; NULL: not wanted
void gmc_way_at(const gmc_way *way, double t, double *x, double *v, double *a);

/// What sets a motion's time.
typedef struct gmc_way_limit {
    int joint;     ///< of the arm; -1: nothing, it takes as long as was asked for
    bool is_force; ///< its largest force; else its largest speed
    double needed; ///< force that it takes at no speed where the arm cannot do the motion, however
                   ///< slow [N, N·m]
} gmc_way_limit;

/// What gmc_way_stretch takes of its scratch at most.
static inline size_t gmc_way_stretch_bytes(const gmc_model *model)
{
    // of joints 3 numbers, of dofs 4; of bodies what inverse dynamics keeps of each
    return 16 * GMC_ARENA_ALIGNMENT + (size_t)model->dof_count * 7 * sizeof(double) +
           (size_t)model->body_count * (2 * sizeof(gmc_twist) + sizeof(gmc_wrench));
}

/// Make the motion last longer, if it must, until no speed is above its joint's max_speed and no
/// force above its max_force. What the arm carries counts as far as it is in its tree.
/// @param way      in-out: duration, > 0
/// @param scratch  given back; gmc_way_stretch_bytes are enough
/// @param limit    out
/// @return GMC_OK, GMC_E_LIMIT (no time is long enough: limit says which joint), GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_way_stretch(gmc_way *way, gmc_arm *arm, gmc_arena *scratch,
                                          gmc_way_limit *limit);

#endif
