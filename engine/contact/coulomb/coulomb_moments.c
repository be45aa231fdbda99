// Torsional and rolling friction of the default stepper: |m_n| <= torsion r_N about the normal and
// |m_t| <= rolling r_N about the tangents, against the relative spin w, with elastic memory below
// the limit: creep is zero for spinning and rolling too.
//
//   torsion  one row:   R = 1/(h k (h + τ)),  b = φ/(h + τ),  φ⁺ = (τ φ - m/k)/(h + τ) (coulomb.h)
//   rolling  a contact block without a normal direction: its r_N is held at the parent's by
//            w_N = R_N (r_N - parent) = 0, so that the disc of its cone is |m_t| <= rolling r_N
//
// The limit is the parent's r_N of the same step: solve, move the limits to the r_N that came of
// it, solve again until both agree (Tresca's iteration). Where loads change little from step to
// step the first solution has them; an impact takes some rounds. What is left after the last of
// them is a limit that lags by a round. No solver has to know.
//
// Stiffness is that of a round patch of radius a and uniform pressure: k_T a²/2 about the normal,
// with torsion = (2/3) a mu; k a²/4 about a tangent, with rolling = a/4, where its edge lifts.
//
// h w is the turn about directions of the step's start; a hand that turns carries them along within
// the step. After the advance turns become those of the bodies, as deflections do (coulomb.h).

#include "engine/contact/cone.h"
#include "engine/contact/coulomb/coulomb_internal.h"

enum { ROUNDS_MAX = 20 };
/// Relative disagreement of a limit and its normal force that is let pass.
static const double AGREEMENT = 1e-9;
/// What turns farther within one step slides: its turn is what its limit leaves of it [rad].
static const double TURN_MAX = 1;

/// Has the contact moments of friction? A ball on a pad has them from its patch.
static bool has_torsion(const gmc_contact *contact)
{
    return contact->extra && (contact->extra->torsion > 0 ||
                              (contact->law.extra->pad > 0 && contact->extra->radius > 0 &&
                               contact->extra->patch == 0));
}

static bool has_rolling(const gmc_contact *contact)
{
    return contact->extra && contact->law.extra->rolling > 0;
}

gmc_coulomb_moments_counts gmc_coulomb_moments_count(const gmc_contact_set *set)
{
    gmc_coulomb_moments_counts counts = {0};
    for (int c = 0; c < set->count; c++) {
        bool spins = has_torsion(&set->contacts[c]), rolls = has_rolling(&set->contacts[c]);
        counts.contacts += spins || rolls;
        counts.torsion += spins;
        counts.rolling += rolls;
    }
    return counts;
}

// ---- rows --------------------------------------------------------------------------------------

/// Spin of b against a that driven joints alone cause, about n, t1, t2.
/// @param v  velocities of these joints; NULL: nothing is driven
static void driven_spin(const gmc_coulomb_step *step, const gmc_contact *contact, const double *v,
                        double w[3])
{
    w[0] = w[1] = w[2] = 0;
    if (!v) return;
    gmc_vec3 spin =
        gmc_vec3_sub(gmc_kinematics_twist(&step->motion.world->kin, contact->body_b, v).w,
                     gmc_kinematics_twist(&step->motion.world->kin, contact->body_a, v).w);
    for (int i = 0; i < 3; i++)
        w[i] = gmc_vec3_dot(spin, contact->dir[i]);
}

/// The turn that a contact brings along, about its n, t1, t2 of now. Where it is not all of the
/// turn its length is kept with a normal that tilts against body a, as that of a deflection
/// (contact.c).
static void lay_turn(const gmc_coulomb_step *step, const gmc_contact *contact, double turn[3])
{
    bool spins = contact->extra->torsion > 0, rolls = has_rolling(contact);
    gmc_vec3 turn_a = contact->extra->turn_a;
    gmc_vec3 all = gmc_mat3_apply(&step->motion.world->kin.X_wb[contact->body_a].R, turn_a);
    double laid2 = 0;
    for (int k = 0; k < 3; k++) {
        bool has_row = k == 0 ? spins : rolls;
        turn[k] = has_row ? gmc_vec3_dot(all, contact->dir[k]) : 0;
        laid2 += turn[k] * turn[k];
    }
    if (laid2 == 0 || (spins && rolls) || contact->extra->has_tilt) return; // nothing is lost
    double scale = sqrt(gmc_vec3_dot(all, all) / laid2);
    for (int k = 0; k < 3; k++)
        turn[k] *= scale;
}

/// J of the spin about the normal, of a group.
static void write_torsion(const gmc_ncp_group *group, gmc_vec3 normal, double *J)
{
    double S[6];
    for (int k = 0; k < group->column_count; k++) {
        gmc_ncp_group_column(group, k, S);
        J[k] = normal.x * S[3] + normal.y * S[4] + normal.z * S[5];
    }
}

static void add_torsion(gmc_coulomb_step *step, const gmc_contact *contact,
                        struct gmc_coulomb_torque *torque, double driven,
                        const gmc_ncp_group *group, double *J)
{
    write_torsion(group, contact->dir[0], J);
    double limit = contact->extra->torsion * fmax(contact->impulse[0], 0);
    torque->torsion = step->motion.row_count++;
    step->motion.rows[torque->torsion] =
        (gmc_ncp_row){.column_count = group->column_count,
                      .columns = group->columns,
                      .J = J,
                      .bias = driven + torque->turn[0] * torque->spread,
                      .compliance = torque->spread / (step->motion.span * torque->stiffness_n),
                      .lower = -limit,
                      .upper = limit};
    step->motion.s[torque->torsion] = gmc_ncp_clamp(contact->extra->moment[0], -limit, limit);
}

/// A group of its own: V is the spin, in the place of the velocity.
static void add_spin_group(gmc_coulomb_step *step, const gmc_ncp_group *group, double *S)
{
    step->groups[step->group_count++] = (gmc_ncp_group){.contact_first = step->contact_count,
                                                        .contact_count = 1,
                                                        .column_count = group->column_count,
                                                        .general_count = group->column_count,
                                                        .columns = group->columns,
                                                        .S = S,
                                                        .sign = 1};
    for (int k = 0; k < group->column_count; k++, S += 6) {
        gmc_ncp_group_column(group, k, S);
        for (int i = 0; i < 3; i++) {
            S[i] = S[3 + i];
            S[3 + i] = 0;
        }
    }
}

static void add_rolling(gmc_coulomb_step *step, const gmc_contact *contact,
                        struct gmc_coulomb_torque *torque, const double driven[3],
                        const gmc_ncp_group *group, double *S)
{
    const gmc_ncp_contact *parent = &step->contacts[torque->contact];
    const gmc_vec3 *dir = contact->dir;
    add_spin_group(step, group, S);
    torque->rolling = step->contact_count++;
    gmc_ncp_contact *block = &step->contacts[torque->rolling];
    double held = fmax(contact->impulse[0], 0), *r = step->r + 3 * torque->rolling;
    *block = (gmc_ncp_contact){
        // its frame has no normal: no rotation
        .frame = {0, 0, 0, dir[1].x, dir[1].y, dir[1].z, dir[2].x, dir[2].y, dir[2].z},
        .compliance_n = parent->compliance_n,
        .compliance_t = torque->spread / (step->motion.span * torque->stiffness_t),
        .friction = contact->law.extra->rolling};
    block->bias[0] = -block->compliance_n * held;
    r[0] = held;
    for (int i = 1; i < 3; i++) {
        block->bias[i] = driven[i] + torque->turn[i] * torque->spread;
        r[i] = contact->extra->moment[i];
    }
}

static gmc_status add_rows(gmc_coulomb_step *step, const gmc_ncp_group *group,
                           const double *v_driven, struct gmc_coulomb_torque *torque)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[torque->contact];
    const gmc_surface_law *law = &contact->law;
    const gmc_surface_extra *extra = law->extra;
    int width = group->column_count;
    double *J = GMC_ROOM(step->motion.scratch, 7 * width, double), driven[3];
    if (!J) return GMC_E_ARENA_FULL;
    driven_spin(step, contact, v_driven, driven);
    double radius = 1.5 * contact->extra->torsion / (law->friction > 0 ? law->friction : 1);
    torque->spread = 1 / (step->motion.h + law->relaxation);
    torque->stiffness_n = law->tangential_ratio * law->stiffness * radius * radius / 2;
    torque->stiffness_t = 4 * law->stiffness * extra->rolling * extra->rolling;
    torque->brought_a = contact->extra->turn_a;
    lay_turn(step, contact, torque->turn);
    torque->torsion = torque->rolling = -1;
    if (contact->extra->torsion > 0) add_torsion(step, contact, torque, driven[0], group, J);
    if (extra->rolling > 0) add_rolling(step, contact, torque, driven, group, J + width);
    return GMC_OK;
}

gmc_status gmc_coulomb_moments_rows(gmc_coulomb_step *step)
{
    const gmc_contact_set *set = &step->motion.world->contacts;
    int count = gmc_coulomb_moments_count(set).contacts;
    if (count == 0) return GMC_OK;
    step->torques = GMC_NEW(step->motion.scratch, count, struct gmc_coulomb_torque);
    if (!step->torques) return GMC_E_ARENA_FULL;
    double *v_driven;
    GMC_TRY(gmc_mechanism_driven(&step->motion, &v_driven));
    const gmc_ncp_group *group = step->groups;
    for (int c = 0; c < set->count; c++) {
        if (c == group->contact_first + group->contact_count) group++;
        if (!has_torsion(&set->contacts[c]) && !has_rolling(&set->contacts[c])) continue;
        struct gmc_coulomb_torque *torque = &step->torques[step->torque_count++];
        torque->contact = c;
        GMC_TRY(add_rows(step, group, v_driven, torque));
    }
    return GMC_OK;
}

// ---- limits ------------------------------------------------------------------------------------

/// Is a moment right for `wanted` when it was found under `limit`? Inside both it does not matter.
static bool agrees(double moment, double limit, double wanted)
{
    bool is_free = moment < limit * (1 - 1e-12);
    return is_free ? moment <= wanted * (1 + AGREEMENT)
                   : fabs(limit - wanted) <= AGREEMENT * fmax(limit, wanted);
}

bool gmc_coulomb_moments_limit(const gmc_coulomb_step *step, int round)
{
    bool is_wrong = false;
    if (round > ROUNDS_MAX) return false;
    for (int i = 0; i < step->torque_count; i++) {
        const struct gmc_coulomb_torque *torque = &step->torques[i];
        const gmc_contact *contact = &step->motion.world->contacts.contacts[torque->contact];
        double rolling = contact->law.extra->rolling;
        double normal = step->r[3 * torque->contact];
        if (torque->torsion >= 0) {
            gmc_ncp_row *row = &step->motion.rows[torque->torsion];
            double limit = contact->extra->torsion * normal;
            if (!agrees(fabs(step->motion.s[torque->torsion]), row->upper, limit)) is_wrong = true;
            row->upper = limit;
            row->lower = -limit;
        }
        if (torque->rolling >= 0) {
            gmc_ncp_contact *block = &step->contacts[torque->rolling];
            const double *r = step->r + 3 * torque->rolling;
            double moment = sqrt(r[1] * r[1] + r[2] * r[2]);
            if (!agrees(moment, rolling * r[0], rolling * normal)) is_wrong = true;
            block->bias[0] = -block->compliance_n * normal;
        }
    }
    return is_wrong;
}

// ---- after the solution ------------------------------------------------------------------------

/// How b stands in a, and how far the rows expect it to turn.
static void hold_place(const gmc_coulomb_step *step, const gmc_contact *contact,
                       struct gmc_coulomb_torque *torque)
{
    const gmc_kinematics *kin = &step->motion.world->kin;
    const gmc_mat3 *R_wa = &kin->X_wb[contact->body_a].R, *R_wb = &kin->X_wb[contact->body_b].R;
    gmc_mat3 R_aw = gmc_mat3_transpose(R_wa);
    torque->R_ab = gmc_mat3_multiply(&R_aw, R_wb);
    for (int k = 0; k < 3; k++)
        torque->dir_a[k] = gmc_mat3_apply_transposed(R_wa, contact->dir[k]);
    gmc_vec3 w = gmc_vec3_sub(gmc_kinematics_twist(kin, contact->body_b, step->motion.v).w,
                              gmc_kinematics_twist(kin, contact->body_a, step->motion.v).w);
    torque->expected_a = gmc_mat3_apply_transposed(R_wa, gmc_vec3_scale(step->motion.h, w));
}

/// Do all of the contact's moments stay inside their limits, at a contact that does not move on?
static bool sticks(const gmc_coulomb_step *step, const struct gmc_coulomb_torque *torque,
                   const gmc_contact *contact)
{
    static const double INSIDE = 1 - 1e-12; // as of cones
    if (!contact->is_anchored) return false;
    if (torque->torsion >= 0 && !(fabs(step->motion.s[torque->torsion]) <
                                  INSIDE * step->motion.rows[torque->torsion].upper))
        return false;
    if (torque->rolling < 0) return true;
    return gmc_cone_mode(step->r + 3 * torque->rolling, contact->law.extra->rolling) ==
           GMC_CONTACT_STICK;
}

/// What the moments leave of the turn.
static gmc_vec3 left_of(const gmc_coulomb_step *step, const struct gmc_coulomb_torque *torque,
                        const gmc_contact *contact)
{
    double tau = contact->law.relaxation;
    gmc_vec3 turn_a = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double stiffness = k == 0 ? torque->stiffness_n : torque->stiffness_t;
        if (!(stiffness > 0)) continue;
        double given = contact->extra->moment[k] * step->motion.h / (step->motion.span * stiffness);
        double left = (tau * torque->turn[k] - given) * torque->spread;
        turn_a = gmc_vec3_add_scaled(turn_a, left, torque->dir_a[k]);
    }
    return turn_a;
}

void gmc_coulomb_moments_keep(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->torque_count; i++) {
        struct gmc_coulomb_torque *torque = &step->torques[i];
        gmc_contact *contact = &step->motion.world->contacts.contacts[torque->contact];
        gmc_contact_extra *extra = contact->extra;
        extra->moment[0] = torque->torsion >= 0 ? step->motion.s[torque->torsion] : 0;
        for (int k = 1; k < 3; k++)
            extra->moment[k] = torque->rolling >= 0 ? step->r[3 * torque->rolling + k] : 0;
        extra->has_tilt = sticks(step, torque, contact);
        if (contact->mode == GMC_CONTACT_OPEN) continue;
        hold_place(step, contact, torque);
        extra->turn_a = extra->has_tilt ? torque->brought_a : left_of(step, torque, contact);
    }
}

/// Rotation of b in body a's frame since the step's start [rad].
static gmc_vec3 turned(const gmc_kinematics *kin, const gmc_contact *contact,
                       const struct gmc_coulomb_torque *torque)
{
    gmc_mat3 R_aw = gmc_mat3_transpose(&kin->X_wb[contact->body_a].R);
    gmc_mat3 R_ab = gmc_mat3_multiply(&R_aw, &kin->X_wb[contact->body_b].R);
    gmc_mat3 R_ba = gmc_mat3_transpose(&torque->R_ab), R = gmc_mat3_multiply(&R_ab, &R_ba);
    return gmc_quat_log(gmc_quat_from_matrix(&R));
}

// What sticks turns as its bodies do: one rotation behind the other, so that its turn is a function
// of how they stand. Adding up turns about normals would wind up by the area of what rocks.
void gmc_coulomb_moments_correct(const gmc_coulomb_step *step)
{
    for (int i = 0; i < step->torque_count; i++) {
        const struct gmc_coulomb_torque *torque = &step->torques[i];
        gmc_contact *contact = &step->motion.world->contacts.contacts[torque->contact];
        gmc_contact_extra *extra = contact->extra;
        if (contact->mode == GMC_CONTACT_OPEN) continue;
        gmc_vec3 expected = torque->expected_a,
                 grown = turned(&step->motion.world->kin, contact, torque);
        if (extra->has_tilt) {
            gmc_quat both = gmc_quat_multiply(gmc_quat_exp(grown), gmc_quat_exp(extra->turn_a));
            extra->turn_a = gmc_quat_log(both);
            continue;
        }
        if (!(gmc_vec3_dot(expected, expected) <= TURN_MAX * TURN_MAX)) continue;
        for (int k = 0; k < 3; k++) {
            if ((k == 0 ? torque->torsion : torque->rolling) < 0) continue;
            double missed = gmc_vec3_dot(torque->dir_a[k], gmc_vec3_sub(grown, expected));
            extra->turn_a = gmc_vec3_add_scaled(extra->turn_a, missed, torque->dir_a[k]);
        }
    }
}
