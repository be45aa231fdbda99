/// What a hand can do, from its geometry alone: its fingers' tips, and the grips in which tips
/// close against each other. Nothing is simulated; all is seen in the frame of the hand's base.
#ifndef GMC_CLI_NEW_NEW_HAND_H
#define GMC_CLI_NEW_NEW_HAND_H

#include "sampling/build/prepare.h"

enum { GMC_NEW_TIPS = 8, GMC_NEW_POINTS = 256, GMC_NEW_GRIPS = 16 };

/// A branch of the hand that ends in a tip.
typedef struct gmc_new_tip {
    int body;                        ///< its last link
    int root;                        ///< body of the first joint that closes it
    gmc_vec3 p;                      ///< middle of its far end, in the body's frame
    gmc_vec3 points[GMC_NEW_POINTS]; ///< (point_count) of the far end, from p, in the body's frame
    double radius[GMC_NEW_POINTS];   ///< by which each is grown [m]
    int point_count;
    gmc_vec3 at; ///< p in the base's frame, as the joints are
} gmc_new_tip;

typedef struct gmc_new_hand {
    const gmc_prepared *prepared;
    const gmc_model *model; ///< compiled
    int base;               ///< body
    int joint_count;        ///< settings of the scenario's hand
    double *closed, *open;  ///< (joint_count) ends of what closes; NaN: a joint that is held
    double *own;            ///< (joint_count) where joints start if nobody says otherwise
    double *lower, *upper;  ///< (joint_count) limits; may be infinite
    unsigned *moves;        ///< (joint_count) bits of the tips that a joint moves
    double *joints;         ///< (joint_count) positions
    gmc_pose *X;            ///< (body_count) of the bodies, as the joints are
    gmc_new_tip *tips;      ///< (tip_count)
    int tip_count;
} gmc_new_hand;

/// Two sides of the hand that close against each other, as they touch an object of some width.
typedef struct gmc_new_grip {
    double *joints;    ///< (joint_count) owned by the list
    unsigned sides[2]; ///< bits of tips
    double opening[2]; ///< of either side: 1 open, 0 closed
    double score;      ///< 1: tips move straight at each other, less what is against it
    double width;      ///< of the object that it was looked for [m]
    gmc_vec3 closing;  ///< unit, from side 0 to side 1
    gmc_vec3 middle;   ///< between the sides' surfaces
    gmc_vec3 approach; ///< unit, across closing: from the palm to the tips
} gmc_new_grip;

/// @param program  whose fingers say what closes, and which way
/// @param nominal  (parameter_count)
/// @return GMC_OK, GMC_E_MEMORY; gmc_new_hand_free also then
GMC_MUST_CHECK gmc_status gmc_new_hand_create(const gmc_prepared *prepared,
                                              const gmc_program *program, const double *nominal,
                                              gmc_new_hand *hand);
void gmc_new_hand_free(gmc_new_hand *hand);

/// Grips for an object that is `width` wide between the sides and `length` long across, the best
/// first and none twice. Joints that do not close (opposition, abduction, a spread) are where they
/// start by themselves, or where the tips face each other better.
/// @param grips  room for GMC_NEW_GRIPS; their joints are freed with the first one's
/// @param count  out
/// @return GMC_OK, GMC_E_MEMORY
GMC_MUST_CHECK gmc_status gmc_new_hand_grips(gmc_new_hand *hand, double width, double length,
                                             gmc_new_grip *grips, int *count);

/// Move the hand into a grip whose sides are opened by a further share of their range.
/// @return the clear way between the sides along `closing`: from surface to surface [m]
double gmc_new_hand_take(gmc_new_hand *hand, const gmc_new_grip *grip, double further);

/// The way that a grip's sides, as the hand is, leave on either side of its object, the lesser [m].
double gmc_new_hand_beside(const gmc_new_hand *hand, const gmc_new_grip *grip);

/// The hand by itself, wide open: no grip, but a place to start from. Its joints are hand->own.
void gmc_new_hand_spread(gmc_new_hand *hand, gmc_new_grip *grip);

/// Move the hand to hand->joints.
void gmc_new_hand_move(gmc_new_hand *hand);

/// How far the hand's shapes reach along a direction, from the base's frame [m].
double gmc_new_hand_reach(const gmc_new_hand *hand, gmc_vec3 direction);

#endif
