/// Synthetic contact problems that look like one step of a grasp: a hand with a wrist and fingers
/// that press on a free object, which may stand on a table. Numbers only, no mechanism needed.
#ifndef GMC_TEST_SUPPORT_PROBLEM_H
#define GMC_TEST_SUPPORT_PROBLEM_H

#include "engine/complementarity/ncp.h"
#include "test/support/chance.h"

#include <stdbool.h>

enum { GMC_PROBLEM_DOFS = 40, GMC_PROBLEM_CONTACTS = 24, GMC_PROBLEM_ROWS = 16 };

/// A problem with its memory.
typedef struct gmc_problem {
    gmc_ncp ncp;
    double mass[GMC_PROBLEM_DOFS * GMC_PROBLEM_DOFS], v_free[GMC_PROBLEM_DOFS],
        momentum[GMC_PROBLEM_DOFS];
    int block_start[4];
    int columns[GMC_PROBLEM_CONTACTS][GMC_PROBLEM_DOFS];
    double S[GMC_PROBLEM_CONTACTS][6 * GMC_PROBLEM_DOFS]; ///< of each contact; of its group alike
    int row_columns[GMC_PROBLEM_ROWS];
    double row_J[GMC_PROBLEM_ROWS];
    int column_count[GMC_PROBLEM_CONTACTS], general_count[GMC_PROBLEM_CONTACTS];
    gmc_ncp_contact contacts[GMC_PROBLEM_CONTACTS];
    gmc_ncp_group groups[GMC_PROBLEM_CONTACTS];
    gmc_ncp_row rows[GMC_PROBLEM_ROWS];
    double v[GMC_PROBLEM_DOFS], r[3 * GMC_PROBLEM_CONTACTS], s[GMC_PROBLEM_ROWS]; ///< a solution
} gmc_problem;

/// The range a random grasp is drawn from.
typedef struct gmc_problem_kind {
    double step_min, step_max;           ///< h [s]
    double stiffness_min, stiffness_max; ///< k [N/m]
    double friction_max;                 ///< [-]
    int finger_max;                      ///< 2..4
    bool has_rigid_fingers; ///< contacts of a finger move alike: one group; else each its own way
} gmc_problem_kind;

/// h 0.5..4 ms, k 1e5..1e7 N/m, mu up to 1.2, up to 4 fingers that are not rigid.
gmc_problem_kind gmc_problem_default_kind(void);

/// Draw a grasp; v, r, s are zeroed (a cold start).
void gmc_problem_grasp(gmc_chance *chance, const gmc_problem_kind *kind, gmc_problem *problem);

gmc_ncp_solution gmc_problem_solution(gmc_problem *problem);

/// The same problem with its contacts in another order (order[i]: which comes i-th).
void gmc_problem_permuted(const gmc_problem *from, const int *order, gmc_problem *to);

/// After a change of v_free, or a copy: momentum = mass v_free, pointers to the struct's own
/// memory. Neighbours that move alike become one group.
void gmc_problem_rebind(gmc_problem *problem);

/// The group of contact c.
const gmc_ncp_group *gmc_problem_group(const gmc_ncp *problem, int c);

#endif
