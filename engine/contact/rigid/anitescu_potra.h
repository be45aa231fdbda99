/// Rigid contact, Coulomb friction, no bounce: one implicit step whose contacts are met at velocity
/// level, as an LCP.
///
///   Mh (v⁺ - v*) = J_nᵀ c + J_dᵀ β                 momentum           v⁺          [m/s, rad/s]
///   0 <= c ⊥ J_n v⁺ + u_n - ε >= 0                 no approach        c           [N·s]
///   0 <= β ⊥ J_d v⁺ + u_d + E λ >= 0               max. dissipation   β           [N·s]
///   0 <= λ ⊥ mu c - Eᵀ β >= 0                      friction pyramid   λ           [m/s]
///   ε = min(γ max(0, shell/2 - φ) / max(h, 2 ms), 40 mm/s)            γ, shell: step_options
///
/// Contacts take part when they touch: a gap φ below the shell. What is not held yet may overlap at
/// the end of the step, by h times its speed; time_of_contact decides what comes of it:
///
///   none    it does, and ε drives it apart from the next step on; thin things may be passed
///   bisect  the step is cut where what would overlap is within the shell, 0 < φ < shell, found by
///           bisection; contacts take part from there on, for the rest of the step
///
/// Limits of joints are contacts of a joint with its stop, within 0.1 deg or 0.1 mm of it:
///
///   0 <= s ⊥ J_l v⁺ - γ max(0, -φ) / max(h, 2 ms) >= 0   no further    s           [N·s, N·m·s]
///
/// with φ what is left of the way: a step that would go past is cut there, likewise. With none, and
/// behind the last cut of a step, it is J_l v⁺ + φ/h: that step ends at the stop.
///
/// Sources: [miller2003] §3.2, §4 and eqs 9, 13, 16, 18, 19; [anitescu1997]. Departs from them:
/// velocities come before positions in a step (the same sequence, begun half a step later), so
/// that contacts know how driven joints move in it; a cut step is gone on with to its full length;
/// h in ε is that of the full step, for in a cut one it would throw bodies off; what is past its
/// stop, by what rows give (mechanism_joint.c), is brought back; joints in generalised coordinates.
///
/// First order in the step: what falls from rest leads by half a step.
///
/// What is wedged, so that no motion could part all contacts by ε, is solved with ε = 0.
///
/// ε is a velocity that bodies keep: a corrected contact gives them up to ½ m ε²; by [miller2003] alone it
/// would grow as 1/h. What is missing of half the shell as a trial begins is given back as deep
/// starts are, 5 % of it in 2.5 ms (contact.h), so that what rests hardly moves. Valid for
/// inelastic contact. Bounce, rolling friction and pads are not part of the law; static and kinetic
/// friction (by speed, and by having stuck), grain and moments about the normal are. Directions of
/// friction as in stewart_trinkle.h.
#ifndef GMC_ENGINE_CONTACT_RIGID_ANITESCU_POTRA_H
#define GMC_ENGINE_CONTACT_RIGID_ANITESCU_POTRA_H

#include "engine/contact/rigid/rigid.h"

extern const gmc_stepper gmc_anitescu_potra_stepper;

#define GMC_ANITESCU_POTRA_ABOUT                                                                   \
    "rigid contact, approach stopped at velocity level, friction pyramids; an LCP a step"
#define GMC_ANITESCU_POTRA_STICKS  "comes back as with stewart_trinkle"
#define GMC_ANITESCU_POTRA_SOLVERS GMC_RIGID_SOLVERS

#endif
