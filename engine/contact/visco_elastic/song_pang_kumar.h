/// Bodies that are rigid but for a visco-elastic layer near their contacts: smooth motion between
/// the instants at which contacts begin and end, integrated to a tolerance.
///
///   M dv/dt = f(t, q, v) + Σ J_nᵀ N + J_tᵀ T,   dq/dt = G(q) v        every body, any joint
///   N = [-k φ - c φ']_+                                               while φ < 0, φ the gap
///   T_i = -k_t δ_i - c_t δ_i',   |T_i| <= mu w_i N                    springs i = 1..m of a patch
///   δ_i' = u_i where that holds, else slip u_i - δ_i' is against T_i  maximal dissipation
///
/// A contact's tangential stiffness k_t is shared evenly by m springs of the patch around its point
/// (step_options.patch_points), out to patch_radius; spring i carries the share w_i of the normal
/// force, as under a ball pressed on a plane: w ~ sqrt(1 - r²/R²). So under a growing force the
/// outer ones slip first (micro-slip), and a patch resists spin. With one spring T = -k_t δ up to
/// mu N.
///
/// Damping is c = k τ with the relaxation τ of the law: the normal law of the default stepper.
/// Where the law has a damping ratio ζ instead, c = 2 ζ sqrt(k m_n), with the mass
/// 1 / (J_n M⁻¹ J_nᵀ) that the contact moves as it closes, and the contact ends when its overlap
/// does, not when its force does: one that closes alone then lasts π sqrt(m_n/k) / sqrt(1 - ζ²) and
/// gives back exp(-π ζ / sqrt(1 - ζ²)) of its speed, and its damper pulls in its last moments, by
/// exp(-2) of the blow at ζ = 1. The rigid inelastic impact is the limit of stiff springs that are
/// overdamped.
///
/// A joint past a limit is pushed back likewise, by k d + c d' while that is > 0, with the overlap d,
/// the dof's limit_stiffness k and c = 2 ζ sqrt(k m), ζ = 1.6, m = 1 / (M⁻¹)_ii: it gives way by its
/// load over k and gives back exp(-2 ζ acosh(ζ) / sqrt(ζ² - 1)) = 7 % of the speed of what it stops.
///
/// Sources: [berard2007] §IV-a, [song2004]; steps set by the gap's rate: [esposito2001]. Departs
/// from them: in place of complementarity problems at fixed instants the equations are integrated
/// by the backward differentiation formulas of ode.h, with elastic deflections as part of its
/// state; contacts begin and end at roots of their gaps. Why, and what the gap's rate has to do
/// with it: top of song_pang_kumar.c.
///
/// All bodies are one dense system of two unknowns a dof and one or two a spring: for a hand and
/// some bodies. More than 2000 unknowns are refused (GMC_E_LIMIT).
///
/// Dynamic alone ([berard2007], table I). Static and kinetic friction, grain, moments of friction,
/// restitution by a coefficient and pads are not part of the law.
#ifndef GMC_ENGINE_CONTACT_VISCO_ELASTIC_SONG_PANG_KUMAR_H
#define GMC_ENGINE_CONTACT_VISCO_ELASTIC_SONG_PANG_KUMAR_H

#include "engine/contact/law.h"

/// Most springs of a patch.
enum { GMC_SONG_PANG_KUMAR_POINTS = 16 };

extern const gmc_stepper gmc_song_pang_kumar_stepper;

#define GMC_SONG_PANG_KUMAR_ABOUT                                                                  \
    "visco-elastic patches on rigid bodies, integrated between the instants of contact"

/// What becomes of what sticks in a hand that turns, for FORMAT.md.
#define GMC_SONG_PANG_KUMAR_STICKS                                                                 \
    "moves by up to 0.25 um and turns by up to 5 urad a second at the default tolerances and "     \
    "steps up to 4 ms, by what each internal step lets pass"

#define GMC_SONG_PANG_KUMAR_SOLVERS(separator) "cvode"

/// Words of `study.ladder` that mean it.
#define GMC_SONG_PANG_KUMAR_LEVELS(LEVEL) LEVEL("compliant", "song_pang_kumar", "dynamic")

/// Settings (law.h). One spring is the contact's own point; the relative tolerance is a thousandth
/// of what contact laws are known to, and less, the absolute one a thousandth of what 1 N does to
/// 1e6 N/m.
#define GMC_SONG_PANG_KUMAR_SETTINGS(NUMBER, WHOLE, WORD)                                          \
    WHOLE(GMC_SONG_PANG_KUMAR_PATCH_POINTS, "patch_points", 1, GMC_SONG_PANG_KUMAR_POINTS, 1,      \
          NULL, "the stepper song_pang_kumar",                                                     \
          "with song_pang_kumar, the springs along the surface that a contact point's patch has",  \
          "; with more, the outer ones slip first and the patch resists spin")                     \
    NUMBER(GMC_SONG_PANG_KUMAR_PATCH_RADIUS, "patch_radius", LENGTH, 0, 0.1, 1, " mm", 1e-3,       \
           "the stepper song_pang_kumar",                                                          \
           "with song_pang_kumar, how far from its contact point a patch reaches", "")             \
    NUMBER(GMC_SONG_PANG_KUMAR_RELATIVE, "relative_tolerance", NONE, 1e-10, 1e-2, 1e-6, "", 1,     \
           "the stepper song_pang_kumar",                                                          \
           "with song_pang_kumar, the local error of speeds over their size", "")                  \
    NUMBER(GMC_SONG_PANG_KUMAR_ABSOLUTE, "absolute_tolerance", LENGTH, 1e-12, 1e-5, 1e-9, " m", 1, \
           "the stepper song_pang_kumar", "with song_pang_kumar, the local error of positions",    \
           "; contacts begin at an overlap of half of it")

enum { GMC_SONG_PANG_KUMAR_SETTINGS(GMC_SETTING_INDEX, GMC_SETTING_INDEX, GMC_SETTING_INDEX) };

/// What the integration did since the world was created.
typedef struct gmc_song_pang_kumar_counts {
    long steps;         ///< internal steps
    long rates;         ///< evaluations of the equations of motion
    long starts;        ///< starts without a past: the first, and wherever contacts begin or end
    long touches;       ///< contacts that began with a root of their gap
    double gap;         ///< largest |gap| at which one did [m]
    double penetration; ///< deepest overlap at the end of an internal step [m]
    double longest_step, touch_step; ///< longest internal step of all, and of those that ended as a
                                     ///< contact began [s]
} gmc_song_pang_kumar_counts;

gmc_song_pang_kumar_counts gmc_song_pang_kumar_counted(const gmc_world *world);

#endif
