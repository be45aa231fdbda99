/// The default stepper: compliant contact with elastic memory in the tangent plane and Coulomb's
/// exact cone, implicit in time, solved to rounding at every step.
///
/// Held objects do not creep at any step size: a sticking contact is a spring that remembers where
/// it took hold, and slip is what truncates it, as plasticity does. The rigid contact is its limit
/// for large stiffness. Smooth motion, of bodies and of trees of joints, is of second order in the
/// step.
///
/// Where what stands: bounce, and all that strikes, coulomb_bounce.c; torsional and rolling
/// friction, coulomb_moments.c; static and kinetic friction and grain, coulomb.c; pads,
/// coulomb_pad.c; friction of faces, coulomb_flat.c; of supports, coulomb.c; the energy's balance,
/// coulomb_energy.c.
/// Units: v, u [m/s, rad/s]; r, s [N·s, N·m·s]; φ, δ [m]; h, H, τ [s]; k [N/m]; D, kd [N·s/m],
/// kp [N/m] and the same of angles. The problem that r and s solve, with the exact
/// cone, and its one residual: ncp.h. Valid for overlaps that are small against the bodies, at any
/// stiffness, mass and step that leave them so; bodies are rigid but for their contacts' springs.
///
/// One step of length h, from (q, v) with everything geometric taken at q:
///
///   Mh v⁺ = p* + Jᵀ r + Jᵀ s       Mh = M + H θ D + H kd + H h kp
///   p* = M v + H (f - c(q, v₀) + g - (1 - θ) D v) + H (kp (q_ref - q) + kd v_ref)
///
/// v⁺ carries q over the step, so it is the velocity in its middle, and forces act over the span H
/// from the middle of the step before to that of this one: (h_before + h)/2, at the start of a
/// trial h/2, else h. That is the leapfrog: smooth motion is right to second order however the
/// steps' lengths change: of trees, too, for v₀ are the velocities at q, in the middle of the span,
/// found from those half a step before (mechanism_motion.c). With H = h at every step, what falls
/// leads by h/2, falls out of step with what the hand does at every impact, and a grasp that closes
/// on an object that tips depends on h (three_finger_mesh: success 0.836 at 1 ms, 0.869 at 4 ms of
/// the same thousand draws).
///
/// Whatever held a body until something strikes is gone in the whole step of the strike: an error
/// of the order of that step's length. So a long step in which something strikes is refused, and
/// the rollout halves it (impact_step). Both together: 0.827 and 0.827.
///
/// Viscous damping D and servos are linear in v⁺, so they go into Mh: implicit, stable at any gain;
/// of damping the share θ = (1 + z)/(2 + z), z = H D/M, so that a coasting dof slows down by
/// 2/(2 + 2z + z²), the (0,2) Padé approximant of exp(-z): second order, never reversed.
/// Servos with a force limit, joint limits and joint friction are rows instead (mechanism_joint.c).
///
/// The forms below are written with one h; where it turns a force into an impulse it is H:
///   r_N / H, R_N = 1 / (H k (h + τ)), δ⁺ = (τ δ - (h/H) r_T / k_T) / (h + τ).
///
/// Isolated bodies: p* = L of their rotation times what the midpoint rule makes of it. Their v⁺ is
/// the mean velocity over the step, which carries the orientation; their momentum changes by
/// impulses alone (gmc_state_advance), so p*_angular = I w̄ with w̄ the free motion's mean angular
/// velocity.
///
/// Contact (k stiffness, τ relaxation, φ gap, u = J v⁺ + u_driven relative velocity of b at a's
/// point). Normal force of the overlap at the end, spring and damper, for φ <= 0:
///
///   r_N / h = -k (φ + h u_N) - k τ u_N   =>   r_N = -(u_N + b_N) / R_N
///   R_N = 1 / (h k (h + τ)),  b_N = φ / (h + τ)
///
/// For φ > 0 only what is left of the step after touching overlaps, by -(φ + h u_N), and it got
/// there at the mean rate of -(φ + h u_N)/h: r_N / h = -k (1 + τ/h) (φ + h u_N), hence the same R_N
/// with b_N = φ / h. Both agree at φ = 0. Taking the first form for φ > 0 as well would make
/// dampers pull before they touch.
///
/// τ is the surfaces' own, and at least what stops the mass that the contact moves without throwing
/// it back (gmc_mechanism_settling). What arrives fast is stopped by all but rigid rows
/// (coulomb_bounce.c).
///
/// Tangent, with the deflection δ kept from the step before and k_T = ratio k, the same with δ
/// for φ:
///
///   stick:  r_T / h = -k_T (δ + h u_T) - k_T τ u_T
///           =>   R_T = 1 / (h k_T (h + τ)),  b_T = δ / (h + τ)
///   slip:   |r_T| = mu r_N against the sliding
///
/// and the deflection that carries just this force at the end of the step:
///
///   r_T / h = -k_T δ⁺ - k_T τ (δ⁺ - δ) / h   =>   δ⁺ = (τ δ - r_T / k_T) / (h + τ)
///
/// which is δ + h u_T when sticking and what the cone leaves of it when sliding: the return mapping
/// of plasticity, so slip cannot wind the spring up. An open contact (r_N = 0) forgets δ.
///
/// δ integrates h u_T, but bodies move on arcs: turning with w, points at a distance d stray by
/// h² w² d / 2 from the chord, and a hand that turns at 1 rad/s would lose 0.1 mm a second to that.
/// So after the advance δ gets what the bodies' true motion differs from h u_T (coulomb.c).
///
/// That is the path of the material that touched. The contact's own path differs where it runs over
/// the bodies (rolling, a rod that turns between two fingers): by the velocity w x (distance from
/// the material point to the new place), w the relative spin, over half the step; for the
/// distance along the normal, which grows with the square of time, over a third of it and more (as
/// on an arc). It is known when the next step has its points, and joins δ there. Without it δ
/// drifts by h w |dp/dt| / 2, which under a preload of 200 N spun rods up to 9 rad/s.
///
/// On a rim that rolls round the contact goes round many times faster than the body turns: there
/// both of these are parts of the row from the start (coulomb.c).
///
/// Summed up so, δ depends on the way that bodies took: what rocks and shifts a little in turns
/// would creep by the area of such loops. So while a contact sticks and stays where it is, it is
/// anchored: its material is the same from step to step, and δ what that has moved
/// (gmc_contact_follow).
///
/// Choices rejected: damping as part of the gap's bias (a = h k/(h k + d) on φ/h for all φ)
/// pulls approaching bodies; projecting δ on the tangent plane without keeping its length creeps.
#ifndef GMC_ENGINE_CONTACT_COULOMB_COULOMB_H
#define GMC_ENGINE_CONTACT_COULOMB_COULOMB_H

#include "engine/contact/law.h"

extern const gmc_stepper gmc_coulomb_stepper;

#define GMC_COULOMB_ABOUT                                                                          \
    "compliant contact with elastic friction memory, exact Coulomb cone, implicit in time"

/// What becomes of what sticks in a hand that turns, for FORMAT.md.
#define GMC_COULOMB_STICKS "comes back to where it was, within 1e-9 m a minute where no pad is"

#define GMC_COULOMB_SOLVERS(separator) "newton" separator "nsgs" separator "prox" separator "admm"

#endif
