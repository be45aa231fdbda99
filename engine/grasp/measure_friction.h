/// Friction that two bodies use of each other, by pairs of surfaces: ratios of impulses over 8 ms,
/// and over blows. The ratio of one contact in one step is none of the bodies': corners of a face
/// share their load as the stepper likes, and where a load comes or goes a contact slides with next
/// to nothing on it, in steps of one length and not in others.
///
///   needed = max T / max(N, L/4)      slipped: S > max(N, L/4) / 2 at any time
///
/// with N the normal impulse of all contacts of the two bodies, T the sum of the magnitudes of
/// their tangential impulses, S the normal impulse of what slid, all over
///
/// - any 8 ms between where the bodies came to touch and where they let go; a touch that is shorter
///   is one of them;
/// - or a blow: impacts, of contacts that the stepper stops as such, within 8 ms from the first of
///   them. Those have no part in the former: between what strikes, a bearing load says nothing.
///
/// L is what the bodies pressed with so far, over 8 ms of the time in which they did, a blow being
/// as long, and 8 ms at least: what has faded below a quarter of that weighs the less the smaller
/// it is.
#ifndef GMC_ENGINE_GRASP_MEASURE_FRICTION_H
#define GMC_ENGINE_GRASP_MEASURE_FRICTION_H

#include "engine/contact/law.h"
#include "engine/grasp/measure_window.h"

/// Two bodies that pressed on each other with surfaces of one pair.
typedef struct gmc_measure_touch {
    int a, b, pair;                            ///< bodies, a < b; index of the pair
    double age, quiet;                         ///< time since they came to touch, after none for a
                                               ///< window; since there was an impulse [s]
    bool is_touching, is_borne;                ///< there is one in this step; not of an impact
    double pressed, total;                     ///< time with an impulse [s], its normal sum [N·s]
    double normal[GMC_MEASURE_WINDOW_STEPS];   ///< N of each kept step, without impacts [N·s]
    double friction[GMC_MEASURE_WINDOW_STEPS]; ///< T
    double slid[GMC_MEASURE_WINDOW_STEPS];     ///< S
    double blow_normal;                        ///< N of the blow that goes on; 0: none does [N·s]
    double blow_friction, blow_slid, blow_age; ///< T, S; time since it began [s]
} gmc_measure_touch;

/// What is remembered of friction along a rollout; in the trial arena.
typedef struct gmc_measure_friction {
    int surface_count;
    const int *pair_of; ///< (surface_count²) index of a pair of surfaces, -1: none is asked for
    double *needed;     ///< (pairs) so far [-]
    bool *slipped;      ///< (pairs) so far
    int count, capacity;
    gmc_measure_touch *touches;
} gmc_measure_friction;

/// @param pair_of     (model->surface_count²), < pair_count; kept
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_measure_friction_create(const gmc_model *model, const int *pair_of,
                                                      int pair_count, gmc_arena *arena,
                                                      gmc_measure_friction *friction);

/// After an accepted step that the window knows, whose impulses acted over `span` [s].
/// @param is_new  gmc_measure_window_open of this step
void gmc_measure_friction_step(const gmc_world *world, const gmc_measure_window *window,
                               double span, bool is_new, gmc_measure_friction *friction);

/// At the end: what has touched for less than a window counts as it is.
void gmc_measure_friction_finish(const gmc_measure_window *window, gmc_measure_friction *friction);

#endif
