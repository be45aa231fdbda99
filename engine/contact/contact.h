/// Contacts of one step with their friction memory: points from the collider, matched by identity
/// with those of the step before, so that impulses warm-start the solver and the elastic tangential
/// deflection of a sticking contact survives (a lost identity is a lost memory is creep).
#ifndef GMC_ENGINE_CONTACT_CONTACT_H
#define GMC_ENGINE_CONTACT_CONTACT_H

#include "engine/collision/collider.h"
#include "engine/dynamics/kinematics.h"

#include <stdbool.h>

/// What of a pad a contact presses on, of pairs that press by formulas.
typedef enum gmc_pad_part {
    GMC_PAD_LAYER,
    GMC_PAD_CORE_PART,
    GMC_PAD_FIRM,
    GMC_PAD_PARTS
} gmc_pad_part;

/// Names of contacts with other parts than the layer: behind those of all points that the collider
/// names (pair.h), part by part in the same order.
static inline uint64_t gmc_pad_name(uint64_t feature, gmc_pad_part part)
{
    const uint64_t below = ((uint64_t)1 << 58) - 1, is_firm = part == GMC_PAD_FIRM;
    return (uint64_t)7 << 61 | is_firm << 60 | feature >> 62 << 58 | (feature & below);
}

static inline gmc_pad_part gmc_pad_part_of(uint64_t feature)
{
    if (feature >> 61 != 7) return GMC_PAD_LAYER;
    return feature >> 60 & 1 ? GMC_PAD_FIRM : GMC_PAD_CORE_PART;
}

typedef enum gmc_contact_mode {
    GMC_CONTACT_OPEN,
    GMC_CONTACT_STICK,
    GMC_CONTACT_SLIP
} gmc_contact_mode;

/// What a contact whose law has extras carries besides.
typedef struct gmc_contact_extra {
    double scale[2];   ///< mu_i / law.friction along t1 and t2: 1, 1 but for a grain [-]
    double inverse[2]; ///< 1 / scale, 0 where that is 0 [-]
    double moment[3];  ///< impulse about n, t1, t2 on b, as `impulse` of the contact [N·m·s]
    gmc_vec3 turn_a; ///< elastic rotation of b against a that goes with it, in body a's frame [rad]
    bool has_tilt;   ///< turn_a is all of b's turn since the contact was anchored, tilt as well
    double torsion;  ///< as of the law, and what the patch on a pad adds [m]
    int ground;      ///< on a pad, of a patch: its face, 1 and up of geom a, -1 and down of geom b;
                     ///< 0: no patch (coulomb_pad.c)
    double patch;    ///< on a pad: area of a face or a share of one, of the second bed of two pads
                     ///< so many times as large as it is harder; length of a line; 0 of a point,
                     ///< and of a patch's core [m², m]
    double radius;   ///< of what presses into a pad; 0: a face, or no pad [m]
    int part;        ///< of what presses so: gmc_pad_part
    double cap_deeper; ///< of a line that is not as deep all along: the largest depth over the
                       ///< contact's [-]
    double cap_force, cap_slope, cap_stored; ///< of a ball on a pad: force, its slope and the share
                                             ///< of F²/k that is stored, over those of a cap that
                                             ///< is all on a face (coulomb_pad.c) [-]
    double beside;    ///< of a region on a pad: stiffness of all pads that bear the geom
                      ///< beside each other over that of this one [-]
    double pad_gap;   ///< on a pad: that of a linear spring with the same force and slope [m]
    double energy;    ///< that it took as it arrived [J]
    double target;    ///< speed that this step asks for; 0: none [m/s]
    double gain;      ///< of the normal velocity over the span, but for contacts [m/s]
    double driven[3]; ///< velocity by driven joints alone, scaled as the rows are [m/s]
    gmc_mat3 R_ab;    ///< of a patch: b's orientation in a's frame where it stuck
} gmc_contact_extra;

typedef struct gmc_contact {
    gmc_contact_point point; ///< at the start of the step
    int body_a, body_b;
    gmc_vec3 dir[3];       ///< n (from a to b), t1, t2, world; of planar shapes t1 is n turned by a
                           ///< quarter counter-clockwise, t2 the z axis, along which nothing moves
    gmc_surface_law law;   ///< of the pair, at this step: friction is the largest that applies
    double deflection[2];  ///< elastic tangential deflection of b against a along t1, t2 [m]
    gmc_vec3 deflection_a; ///< the same vector in body a's frame, carried to the next step; where
                           ///< it is anchored with what it came nearer since [m]
    double impulse[3];     ///< on b along dir, in: warm start, out: solution [N·s]
    double moment; ///< on b about n, besides that of the impulse at the point: friction of a
                   ///< flat contact acts nearer to its middle; out: solution [N·m·s]
    double arm;    ///< of a flat contact: share of the way from its middle to the point at which
                   ///< friction acts; in: of the step before, 0: none; out: solution
    gmc_contact_mode mode; ///< after the solve; before it the last one
    gmc_vec3 place_b; ///< where it touches body b's material, in b's frame; of touching contacts
                      ///< only [m]
    bool is_new;      ///< the step before did not have it
    bool is_anchored; ///< it sticks, and place_b is where it stuck when it was last new
    double sunk;      ///< overlap that it began with and has not given back: its spring is slack
                      ///< there [m]
    gmc_vec3 drop;    ///< along dir: by how much it moves more in this step than the material at
                      ///< its point: of a rim that rolls round (coulomb.c) [m]
    double gap_due;   ///< rigid steppers: gap of what was closed in the step before; +inf: none [m]
    double inverse_mass; ///< of what the normal moves within a step, with its damping and servos,
                         ///< as it was when the contact was first seen; 0: not found yet [1/kg]
    double mobility;     ///< the same; on a pad of inertia alone, which knows no step [1/kg]
    double approach;     ///< speed of the impact whose second step is the next one; 0: none [m/s]
    bool is_impact;      ///< this step is the first or the second of an impact
    bool is_struck;      ///< its normal row is an impact's: of its own, or one that it hands on
    gmc_contact_extra *extra; ///< of a law with extras, else NULL
} gmc_contact;

typedef struct gmc_contact_set {
    int count, capacity;
    gmc_contact *contacts;
    gmc_contact *previous;                       ///< the step before, for matching
    gmc_contact_extra *extras, *previous_extras; ///< (capacity) one per contact, where asked for
    int previous_count;
} gmc_contact_set;

GMC_MUST_CHECK gmc_status gmc_contact_set_create(int capacity, gmc_arena *arena,
                                                 gmc_contact_set *set);

/// < 0, 0, > 0 as a stands before, at or behind b in the collider's order.
static inline int gmc_contact_compare(const gmc_contact_point *a, const gmc_contact_point *b)
{
    if (a->geom_a != b->geom_a) return a->geom_a < b->geom_a ? -1 : 1;
    if (a->geom_b != b->geom_b) return a->geom_b < b->geom_b ? -1 : 1;
    if (a->feature != b->feature) return a->feature < b->feature ? -1 : 1;
    return 0;
}

/// Take the points of a new step: what was `contacts` becomes `previous`; matched contacts inherit
/// impulse, mode, place and deflection (carried with body a, its normal part removed; its length
/// kept where the contact is not anchored). What carried and is no more is taken over by the
/// nearest new contact of the same bodies (all that never move are one), surfaces and about the
/// same normal on another geom, if one is within three tenths of the smaller geom's radius.
/// @param X_wb  (body_count) poses at the new step
void gmc_contact_set_match(gmc_contact_set *set, const gmc_model *model, const gmc_pose *X_wb,
                           const gmc_contact_point *points, int count);

/// Overlap that a trial begins with is the contact's rest position and is given back slowly: 2 mm,
/// the most that a start may have, at 40 mm/s; the default stepper takes no velocity for it
/// (coulomb.c). As springs such starts threw a cube up by 62 mm, as gaps to be met at once by
/// 2.5 m. One more point between two bodies that are in each other is slack as well, up to ten
/// times as deep as those that are known.
/// @param is_start  this is the first step of the trial: what overlaps now is how it begins
void gmc_contact_set_sink(gmc_contact_set *set, bool is_start);

/// What is given back within h [s].
void gmc_contact_set_float(gmc_contact_set *set, double h);

/// Share of `sunk` that is given back in a second [1/s].
static const double GMC_CONTACT_FLOAT_RATE = 20;

/// What is left of `sunk` after h [s], of the steppers whose steps are solved at their end.
static inline double gmc_contact_floated(double sunk, double h)
{
    return sunk / (1 + GMC_CONTACT_FLOAT_RATE * h);
}

/// Of its spring: without the overlap that the contact began with [m].
static inline double gmc_contact_gap(const gmc_contact *contact)
{
    return contact->point.gap + contact->sunk;
}

/// |r_T|² of a contact whose law has extras, as far as friction goes: the square of the impulse
/// along the grain that would need as much friction [N²·s²].
static inline double gmc_contact_along_grain2(const gmc_contact *contact)
{
    const gmc_contact_extra *extra = contact->extra;
    double t1 = contact->impulse[1] * extra->inverse[0] * extra->scale[0];
    double t2 = contact->impulse[2] * extra->inverse[1] * extra->scale[0];
    return t1 * t1 + t2 * t2;
}

/// Where the material of body b is that touched at place_b, in body a's frame [m].
static inline gmc_vec3 gmc_contact_place_a(const gmc_kinematics *kin, const gmc_contact *contact)
{
    gmc_vec3 place = gmc_pose_apply(&kin->X_wb[contact->body_b], contact->place_b);
    return gmc_pose_apply_inverse(&kin->X_wb[contact->body_a], place);
}

/// Before the row of a contact is written: where it touches body b's material, place_b. Of a
/// contact that moved on over the bodies (rolling, sliding) its deflection gets the part of the
/// path of the step before, of length h, that the law does not see as it keeps it:
/// what rolls comes as far as a body turns times its radius; the nearest points of lines along each
/// other jump, and have no path.
/// @param by_arc  material leaves the contact along the normal as on an arc, else evenly
void gmc_contact_follow(const gmc_model *model, const gmc_kinematics *kin, double h, bool by_arc,
                        gmc_contact *contact);

/// Share of static friction at a contact with extras now: 1 of what stuck or is slow. Static and
/// kinetic: the choice lags by a step, so that the cone of a step is one cone: what stuck
/// in the step before, or slides slower than the threshold as the step begins, has mu_s, all else
/// mu_k. Choosing inside the solve would make the law multivalued.
double gmc_contact_friction_share(const gmc_kinematics *kin, const gmc_contact *contact);

/// Undo the last gmc_contact_set_match: contacts, impulses and memory of the step before are back.
/// Once.
void gmc_contact_set_restore(gmc_contact_set *set);

#endif
