/// Where everything is and how it moves: poses, twists and motion axes of a mechanism at (q, v).
/// All quantities are seen in the world; twists are taken at the world's origin. Source of the
/// spatial algebra: [featherstone2008] ch. 2 and 4.
#ifndef GMC_ENGINE_DYNAMICS_KINEMATICS_H
#define GMC_ENGINE_DYNAMICS_KINEMATICS_H

#include "engine/model/model.h"

/// How the joints above a body, its own included, let it move.
typedef enum gmc_mobility {
    GMC_MOBILITY_STANDS, ///< not at all: the world and what is fixed to it
    GMC_MOBILITY_SLIDES, ///< prismatic joints alone: its orientation is that of the start
    GMC_MOBILITY_TURNS   ///< anything
} gmc_mobility;

/// What one does not have to multiply out to turn a body's tensor.
typedef enum gmc_roundness {
    GMC_ROUNDNESS_NONE,      ///< nothing
    GMC_ROUNDNESS_PRINCIPAL, ///< what is off the diagonal: zero in body axes
    GMC_ROUNDNESS_FULL       ///< anything: the same moment about every axis (cube, sphere)
} gmc_roundness;

/// What of a body's motion never changes, all seen in the world. Told by the structure of the
/// model, never by the state.
typedef struct gmc_steady {
    gmc_mobility mobility;
    gmc_roundness roundness;
    bool is_isolated; ///< as the body
    bool is_flat; ///< planar joint, not driven, nothing hangs on it: M's block is diag(m, m, I_zz)
    bool is_coupled;  ///< part of a tree, turns, and what it does to free joints depends on
                      ///< velocities: not where one joint alone turns it and all else that moves it
                      ///< is driven and slides
    bool is_level;    ///< the parent does not turn: R_wj and arm hold
    bool is_straight; ///< R_pj is 1: the joint frame is parallel to the parent
    bool is_upright;  ///< R_wj is 1 for ever
    bool is_centred;  ///< the centre of mass is the body's origin
    int about;        ///< revolute about an axis of the joint frame: 0, 1, 2; else -1
    gmc_mat3 R_wj;    ///< orientation of the joint frame
    gmc_vec3 arm;     ///< from the parent's origin to the joint's [m]
    gmc_vec3 along;   ///< of what slides: its unit axis
    gmc_vec3 lever;   ///< of what slides: from its origin to its centre of mass [m]
    double behind;    ///< mass of the body and of all that hangs on it [kg]
} gmc_steady;

typedef struct gmc_kinematics {
    gmc_steady *steady; ///< (body_count)
    bool has_turning;   ///< something turns besides isolated and flat bodies
    bool has_flat;      ///< there are flat bodies
    int weighings;      ///< of gmc_kinematics_weigh: who keeps what follows from masses looks at it
    gmc_pose *X_wb;     ///< (body_count)
    gmc_vec3 *com_w;    ///< (body_count) centres of mass [m]
    gmc_mat3 *I_w;      ///< (body_count) inertia about the centre of mass, world axes; on planar
                        ///< joints the moment about z, zero else [kg·m²]
    gmc_twist *V;       ///< (body_count) body twists
    int *axis_first;    ///< (body_count + 1) first axis of the body's joint in `axes`
    gmc_twist *axes; ///< joint axes: twist of the body against its parent per unit velocity of dof
                     ///< `axis_dof[k]`, the mimic ratio included
    int *axis_dof;
    int axis_count;
    int *chain_start; ///< (body_count + 1) offsets into chain
    int *chain;       ///< axes that move the body, root first
} gmc_kinematics;

/// Make room and fill what does not depend on the state (axis_first, axis_dof, chains, what is
/// steady). Where joints are, what they are and the bodies' inertia are taken from the model here:
/// a model that differs in them needs a kinematics of its own.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_kinematics_create(const gmc_model *model, gmc_arena *arena,
                                                gmc_kinematics *kin);

/// Fill everything else for (q, v). v may be NULL (twists and rates zero).
void gmc_kinematics_update(const gmc_model *model, const double *q, const double *v,
                           gmc_kinematics *kin);

/// Inertia about the centre of mass of a body that turns, in world axes.
static inline gmc_mat3 gmc_kinematics_tensor(const gmc_steady *steady, const gmc_mat3 *R_wb,
                                             const gmc_mat3 *I)
{
    switch (steady->roundness) {
    case GMC_ROUNDNESS_PRINCIPAL:
        return gmc_mat3_rotate_diagonal(R_wb, I->m[0], I->m[4], I->m[8]);
    case GMC_ROUNDNESS_FULL:
        return *I;
    case GMC_ROUNDNESS_NONE:
        break;
    }
    return gmc_mat3_rotate(R_wb, I);
}

/// The model's free bodies on which nothing hangs (isolated and flat ones) may have other masses than
/// at the last call, and tensors that are multiples of those: what follows from them here, where the
/// bodies are. Velocities stay, so momentum does not.
static inline void gmc_kinematics_weigh(const gmc_model *model, gmc_kinematics *kin)
{
    for (int i = 1; i < model->body_count; i++) {
        const gmc_inertia *inertia = &model->bodies[i].inertia;
        gmc_steady *own = kin->steady + i;
        if (own->is_flat) kin->I_w[i].m[8] = inertia->I.m[8];
        if (own->is_isolated)
            kin->I_w[i] = gmc_kinematics_tensor(own, &kin->X_wb[i].R, &inertia->I);
        if (own->is_flat || own->is_isolated) own->behind = inertia->mass;
    }
    kin->weighings++;
}

/// Twist of a body from any velocities (dof_count), e.g. the driven part alone.
gmc_twist gmc_kinematics_twist(const gmc_kinematics *kin, int body, const double *v);

/// Twist of a body at velocities v (dof_count) where its parent's is known; poses as they are. Of
/// what slides the angular part stays zero.
gmc_twist gmc_kinematics_child_twist(const gmc_model *model, const gmc_kinematics *kin, int body,
                                     gmc_twist parent, const double *v);

/// Kinetic energy and, if `potential` is not NULL, potential energy against gravity (zero height:
/// world origin) of all bodies that can move, armature included [J].
double gmc_kinematics_energy(const gmc_model *model, const gmc_kinematics *kin, const double *v,
                             double *potential);

#endif
