/// Measured pushes of a block on three points (logs of [zhou2016] as one table), and the engine's
/// version of them.
#ifndef GMC_TEST_SUPPORT_PUSHES_H
#define GMC_TEST_SUPPORT_PUSHES_H

#include "test/support/flat.h"

#include <stdio.h>

enum { GMC_PUSH_COUNT = 300 }; ///< on tripods

typedef struct gmc_measured_push {
    gmc_vec3 before, after; ///< x, y, angle of the block's mass centre [m, rad]
    gmc_vec2 from, to;      ///< centre of the tip [m]
    double span;            ///< [s]
    gmc_support_point points[3];
} gmc_measured_push;

/// What is not measured.
typedef struct gmc_push_guess {
    double friction;   ///< of tip and block [-]
    double tip_radius; ///< [m]
    gmc_vec2 tip_off;  ///< added to its path [m]
    gmc_support_point points[3];
} gmc_push_guess;

/// At the first push; NULL: the file is not there.
FILE *gmc_pushes_open(void);

/// The next push on a tripod. @return is there one?
bool gmc_pushes_next(FILE *file, gmc_measured_push *push);

/// What the data say: a tip of 1 mm, points where they were measured. Friction of tip and block was
/// not measured: 0.5; 0.3 to 0.6 change the error of the place by up to 25 %, of the angle twofold.
gmc_push_guess gmc_push_nominal(const gmc_measured_push *push);

/// Where the block ends, x, y, angle; by the default stepper, in steps near h.
gmc_vec3 gmc_push_simulate(const gmc_measured_push *push, const gmc_push_guess *guess,
                           gmc_motion motion, double h);

/// a - b within half a turn.
double gmc_push_turn_between(double a, double b);

#endif
