/// Pads: a surface that is an elastic layer of thickness t and modulus E on something rigid. Each
/// patch of it is a bed of springs (Winkler's foundation) with the stiffness per area
///
///   k = E (1 - nu) / ((1 + nu)(1 - 2 nu) t)     normal: the layer cannot swell sideways; nu = 0:
///   E/t k_T = E / (2 (1 + nu) t)                    tangential: simple shear
///
/// Between flat-faced solids (planes, boxes, meshes) the springs stand under a face, and the patch
/// is what of them is compressed (coulomb_pad.c): corners, edges and faces are one law, corners
/// lift off, and sliding and spinning share one limit. Round solids press by formulas, contact
/// points of one pair of geoms sharing its patch:
///
///   face   3 or 4 points, the end of a cylinder: the area of their polygon in equal shares, each
///          at the point of Gauss's rule for it, so that force, moments about both tangents and
///          torsion of small motions are those of the whole patch
///          (no edge lifts off before a point does)
///   line   2 points, half-width a = √(2 R δ): force (4/3) k L a δ
///   point  a ball's cap, a = √(2 R δ): force π k R δ², torsional limit mu (8/15) a
///
/// with R the radius of what presses (two round ones: 1/R = 1/R1 + 1/R2); an edge or a vertex on a
/// round solid has the layer's thickness for R, as a layer cannot tell what is sharper.
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

#endif
