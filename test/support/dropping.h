/// Objects of convex pieces dropped on a table, and grasped: do they come to rest, and are the
/// forces of what rests steady?
#ifndef GMC_TEST_SUPPORT_DROPPING_H
#define GMC_TEST_SUPPORT_DROPPING_H

#include "test/support/chance.h"
#include "test/support/stage.h"

typedef struct gmc_dropping {
    gmc_status status; ///< of the step that failed
    double speed;      ///< at the end: of the mass centre, and of a point 50 mm from it [m/s]
    double jump;       ///< largest ratio of the summed normal forces of two steps at rest
    double force;      ///< the sum in the last step [N]
    double height;     ///< of the mass centre at the end [m]
    long steps, contacts;
} gmc_dropping;

/// What rests moves slower than this [m/s], and has done so for 0.2 s: then forces are compared.
#define GMC_DROPPING_REST 1e-3

/// Let go with its frame at X over a table, 0.2 kg; watched for `span` [s] in steps of 2 ms.
gmc_dropping gmc_dropping_fall(const gmc_shape *shapes, int count, gmc_pose X, double friction,
                               double span);

/// Standing on a table between the fingers of gmc_stage_pinch, closed on with 10 N, lifted by 100
/// mm and held. Its lowest point is put on the table, its middle between the fingers. `height`: of
/// the mass centre over where it was.
gmc_dropping gmc_dropping_grasp(const gmc_shape *shapes, int count, const gmc_mat3 *R,
                                double friction);

/// Any orientation.
gmc_quat gmc_dropping_turn(gmc_chance *chance);

/// Box around shapes (polytopes) turned by R, in its axes.
void gmc_dropping_box(const gmc_shape *shapes, int count, const gmc_mat3 *R, gmc_vec3 *lo,
                      gmc_vec3 *hi);

#endif
