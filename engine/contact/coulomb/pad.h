/// Pads: a surface that is an elastic layer of thickness t and modulus E on something rigid. Each
/// patch of it is a bed of springs (Winkler's foundation) with the stiffness per area
///
///   k = E (1 - nu) / ((1 + nu)(1 - 2 nu) t)   normal: the layer cannot swell sideways; nu = 0: E/t
///   k_T = E / (2 (1 + nu) t)                  tangential: simple shear
///
/// Under a face (of a plane, a box, a mesh, the end of a cylinder) boxes, meshes, cylinders and
/// capsules press on the springs that stand there, and the patch is what of them is compressed
/// (coulomb_pad.c): corners, edges, faces, rims and sides are one law, corners and rims lift off,
/// and sliding and spinning share one limit. The rest presses by formulas, contact points of one
/// pair of geoms sharing its patch: balls, and rods side to side.
///
///   line   2 points, each with half of its force and slope, so that it resists a tilt as the line
///          does, and a twist 1.15 times as much; half-width a = √(2 R δ): force (4/3) k L a δ.
///          Rods at an angle, up to where they cross upright: coulomb_rods.c
///   point  a ball's cap, a = √(2 R δ): force π k R δ², torsional limit mu (8/15) a; where it is
///          not all on a face what stands there (cap.h)
///
/// with R the radius of what presses, 1/R² the determinant of the curvatures of both surfaces added
/// up (of a line 1/R = 1/R1 + 1/R2). [johnson1985] §4.3
///
/// Every layer has a bottom, at GMC_PAD_CORE of its thickness: what is deeper presses besides on
/// what carries the layer, by contacts of their own. GMC_PAD_CORE_POINTS points of the surfaces as
/// they are without a pad share it; what counts is how deep it is in the mean: half of the deepest
/// under a ball, two thirds along a line. That of a ball turns as its part of the cap does,
/// a = √(2 R (δ - 0.8 t)).
///
/// Two pads on each other are one layer of both thicknesses until the softer one is at its bottom.
/// From there on (law.pad_firm_at) only the other one gives, until it is at its own: a second bed,
/// or cap, of what the stiffness is more then (law.pad_firm), which begins at that depth.
#ifndef GMC_ENGINE_CONTACT_COULOMB_PAD_H
#define GMC_ENGINE_CONTACT_COULOMB_PAD_H

#include "engine/contact/contact.h"

/// Points of the surfaces that it is as hard as.
enum { GMC_PAD_CORE_POINTS = 7 };

/// Indentation below which round contacts keep their slope, against the layer's thickness.
static const double GMC_PAD_SHALLOW = 1e-3;

/// Patches of all contacts whose law has a pad and that are of no patch yet: shares, points, gaps.
void gmc_pad_lay(gmc_contact_set *set, const gmc_model *model);

/// Stiffness of one contact on a pad for the step: law.stiffness, and the gap of the linear spring
/// that has the force and the slope of the layer's at the present indentation. Newton's step on a
/// convex force: exact where things rest.
/// @param ahead  normal velocity as the step begins, times its length [m]
void gmc_pad_press(gmc_contact *contact, double ahead);

/// How deep a contact presses on a pad, over its thickness; 0 without a pad, and of a region's
/// contacts, whose depths are coulomb_pad.c's.
double gmc_pad_pressed(const gmc_contact *contact, const gmc_model *model);

/// The same of an overlap, of that of two pads which is pressed most: at its bottom by what that
/// gives under the pressure.
/// @param law   the model's, with the stiffness of points
/// @param area  over which the points of the bottom stand [m²]
double gmc_pad_share(const gmc_surface_law *law, double depth, double area);

#endif
