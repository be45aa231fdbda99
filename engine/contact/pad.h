/// Pads: a surface that is an elastic layer of thickness t and modulus E on something rigid. Each
/// patch of it is a bed of springs (Winkler's foundation) with the stiffness per area
///
///   k = E (1 - nu) / ((1 + nu)(1 - 2 nu) t)     normal: the layer cannot swell sideways; nu = 0:
///   E/t k_T = E / (2 (1 + nu) t)                    tangential: simple shear
///
/// Under a face (of a plane, a box, a mesh, the end of a cylinder) boxes, meshes, cylinders and
/// capsules press on the springs that stand there, and the patch is what of them is compressed
/// (coulomb_pad.c): corners, edges, faces, rims and sides are one law, corners and rims lift off,
/// and sliding and spinning share one limit. The rest presses by formulas, contact points of one
/// pair of geoms sharing its patch: balls, and rods side to side.
///
///   line   2 points of Gauss's rule, so that it resists a tilt as the line does, and a twist 1.15
///          times as much; half-width a = √(2 R δ): force (4/3) k L a δ
///   point  a ball's cap, a = √(2 R δ): force π k R δ², torsional limit mu (8/15) a
///
/// with R the radius of what presses (two round ones: 1/R = 1/R1 + 1/R2).
/// [johnson1985] §4.3
#ifndef GMC_ENGINE_CONTACT_PAD_H
#define GMC_ENGINE_CONTACT_PAD_H

#include "engine/contact/contact.h"

/// Patches of all contacts whose law has a pad and that are of no patch yet: shares, points, gaps.
void gmc_pad_lay(gmc_contact_set *set, const gmc_model *model);

/// Stiffness of one contact on a pad for the step: law.stiffness, and the gap of the linear spring
/// that has the force and the slope of the layer's at the present indentation. Newton's step on a
/// convex force: exact where things rest.
/// @param ahead  normal velocity as the step begins, times its length [m]
void gmc_pad_press(gmc_contact *contact, double ahead);

/// How deep a contact presses on a pad, over its thickness; 0 without a pad, and of a region's
/// contacts, whose depths are coulomb_pad.c's.
double gmc_pad_pressed(const gmc_contact *contact);

#endif
