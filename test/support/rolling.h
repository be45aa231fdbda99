/// Whole scenarios run in a test: a text is written to a scratch folder with some hands beside it,
/// prepared, and its trials are run one by one with every step recorded.
///
///   jaw.urdf      base (0.5 kg) with fingers `left` (+y) and `right` (-y), prismatic, 0: open,
///                 80 mm between the pads, 40 mm each; pads 20 x 10 x 30 mm; tool frame tcp between
///                 them. Damping 20 N·s/m, 100 N
///   coupled.urdf  the same, but `right` follows `left`
///   arm.urdf      the jaw on two prismatic joints `slide` (x) and `rise` (z), and on a revolute
///                 joint `swing` (about z), for hands that are mounted
///   finger.urdf   one revolute finger `hook` whose mass centre is on its axis, about y
///   stump.urdf    the jaw's base alone
#ifndef GMC_TEST_SUPPORT_ROLLING_H
#define GMC_TEST_SUPPORT_ROLLING_H

#include "sampling/build/prepare.h"
#include "sampling/campaign/rollouts.h"
#include "test/support/scratch.h"

typedef struct gmc_rolling {
    gmc_scratch scratch;
    char path[256];        ///< of scenario.yaml
    char said[16384];      ///< what was reported, as it is printed, with the folder's name cut off
    gmc_status status;     ///< of the last preparation
    bool is_decided_early; ///< obey simulation.early; else every trial runs to its end
    bool is_audited;       ///< note the early verdict, and run on
    gmc_diagnostics report;
    gmc_prepared prepared;
    gmc_arena trial, step, record; ///< of the last run
    double *believed, *parameters; ///< (parameter_count) of the last run
    gmc_ode *ode;                  ///< of steppers that are integrated
    gmc_rollout_input input;
    gmc_trajectory trajectory;
    gmc_rollout_result result;
} gmc_rolling;

void gmc_rolling_open(gmc_rolling *rolling);
void gmc_rolling_close(gmc_rolling *rolling);

/// Write `text` as scenario.yaml and prepare it with `sets` (NULL, or ended by NULL); the result is
/// in `status` and `said`. May be called again.
void gmc_rolling_try(gmc_rolling *rolling, const char *text, const char *const *sets);

/// The same, of a text that has a mistake: fails the test unless it is refused and `said` is told.
void gmc_rolling_refuse(gmc_rolling *rolling, const char *text, const char *said);

/// The same as gmc_rolling_try; prints the report and fails the test if anything is wrong.
void gmc_rolling_prepare(gmc_rolling *rolling, const char *text, const char *const *sets);

/// Run a trial, every step recorded.
void gmc_rolling_run(gmc_rolling *rolling, uint64_t trial);

/// Prepare and run trial 0.
void gmc_rolling_play(gmc_rolling *rolling, const char *text, const char *const *sets);

/// Column of the last run by name; fails the test if there is none.
double gmc_rolling_value(const gmc_rolling *rolling, const char *column);

/// Index of a body in the trajectory; "hand" is the base. Fails the test if there is none.
int gmc_rolling_body(const gmc_rolling *rolling, const char *name);

/// Pose, velocity of the centre of mass and angular velocity of a recorded body in a row.
gmc_pose gmc_rolling_pose(const gmc_rolling *rolling, int row, int body);
gmc_vec3 gmc_rolling_velocity(const gmc_rolling *rolling, int row, int body);
gmc_vec3 gmc_rolling_spin(const gmc_rolling *rolling, int row, int body);

/// Position of a joint in a row, by the name of its link.
double gmc_rolling_joint(const gmc_rolling *rolling, int row, const char *link);

/// Normal forces on a body in a row, summed over its contacts [N].
double gmc_rolling_force(const gmc_rolling *rolling, int row, int body);

/// Last row at or before t.
int gmc_rolling_row(const gmc_rolling *rolling, double t);

#endif
