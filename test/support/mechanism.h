/// Random mechanisms for property tests, and plain reference dynamics on top of the mass matrix.
#ifndef GMC_TEST_SUPPORT_MECHANISM_H
#define GMC_TEST_SUPPORT_MECHANISM_H

#include "engine/dynamics/state.h"

#include <stdint.h>

/// Numbers for generated tests: splitmix64, any seed.
typedef struct support_random {
    uint64_t state;
} support_random;

double support_uniform(support_random *random, double lower, double upper);
int support_index(support_random *random, int count); ///< 0 ... count - 1
gmc_vec3 support_direction(support_random *random);
gmc_quat support_rotation(support_random *random);
gmc_inertia support_inertia(support_random *random); ///< of a random turned box, 0.1 to 2 kg

/// What a random mechanism may contain besides revolute and prismatic joints.
typedef struct support_tree_options {
    int link_count;
    bool has_free, has_spherical, has_fixed, has_mimic, has_driven, has_armature;
} support_tree_options;

/// Twelve links with every kind of joint and property.
extern const support_tree_options SUPPORT_TREE_EVERYTHING;

/// A random forest; always buildable.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status support_tree(support_random *random, const support_tree_options *options,
                                       gmc_arena *arena, gmc_model *model);

/// Random coordinates (unit quaternions) and velocities.
void support_tree_state(support_random *random, const gmc_model *model, double *q, double *v);

/// to = from (+) h v, for all joints, driven ones too; `kin` at `from`.
void support_flow(const gmc_model *model, const gmc_kinematics *kin, const double *from,
                  const double *v, double h, gmc_arena *scratch, double *to);

/// a = M⁻¹ (tau - c + g) of a mechanism without driven joints, through CRBA, RNEA and Cholesky.
/// @return GMC_OK, GMC_E_ARENA_FULL, GMC_E_NO_SOLUTION (M not positive definite)
GMC_MUST_CHECK gmc_status support_acceleration(const gmc_model *model, gmc_kinematics *kin,
                                               const double *q, const double *v, const double *tau,
                                               gmc_arena *scratch, double *a);

/// One step of the classical Runge–Kutta method for revolute and prismatic joints; tau constant.
/// @return as support_acceleration
GMC_MUST_CHECK gmc_status support_rk4(const gmc_model *model, gmc_kinematics *kin,
                                      const double *tau, double h, gmc_arena *scratch, double *q,
                                      double *v);

#endif
