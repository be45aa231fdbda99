// Energy balance of the default stepper. Impulses of a step act at its start's places, over the
// span H from the middle of the step before to that of this one; velocities go from v⁻ to v⁺ there.
// With v̄ = (v⁻ + v⁺)/2 an impulse r changes the kinetic energy by r · J v̄, exactly. So energies
// are those of the middle of a step: of velocities v⁺, at places half way. The parts are found
// apart:
//
//   kinetic    masses and twists of the bodies in the state before and after the step
//   gravity    where the bodies' mass centres are
//   drives     forces times v̄. Driven joints: -r · u_driven at contacts, and their motion of what
//              hangs on them times its change of momentum. What they alone move is no part of it
//   received   by contacts and joints, -r · u, u their relative velocity at v̄
//   loss       what of that their laws lose, with d a deflection and ḋ = (d⁺ - d)/h:
//                damper   k τ ḋ² h, but no more than its force does at the rate that the bodies
//                         part at, k τ ḋ u h: along an arc they go on chords, and a damper pulls
//                         back in each step what the next one parts again; of what lets go while it
//                         is compressed: what its spring held
//                slip     mu r_N |u_T - ḋ h/H|
//                impact   all that it took. Without restitution the impacts of bodies that strike
//                         each other in one step together give nothing: a body that is struck while
//                         it lies or lands on another one hands the blow on, so what the one gives
//                         to it the other one took
//                viscous  H D v̄²
//   stored     in springs: k d⁺²/2
//
// Two bodies (all that never move are one), or a joint, have an account: what they hold is what
// they received less what they lost, never more than their springs store. What is left beyond that
// the scheme took: an implicit spring takes k (d⁺ - d)²/2 a step. An account is never overdrawn:
// what contacts give that they do not hold, and that the scheme did not take from others in the
// same step, comes from nowhere and is missing in the balance. So energy that springs find because
// bodies are nearer to each other than they came by pushing, because stiffness, normals or points
// jump, or because an overlap of the start is given back is missing as far as it becomes motion;
// what a damper eats of it in the same breath never was.
//
// Rejected: springs by their law alone, and losses too (a body that lands a corner 0.3 mm deep by
// turning on an arc has 0.04 J in its spring that nobody put in; its damper takes them, so both
// sums are larger than all else and say nothing); accounts of contact points (where points take
// turns one is left with what another gives).
//
// A rim that rolls round (coulomb.c) gives as it comes to roll faster and takes as it becomes
// slower, up to r κ h/4, κ = -2 drop/h²: of second order in the step, and it comes back. So much is
// lent to its account; what it does not give back as κ falls is missing.
//
// Isolated bodies turn with the mean velocity w̄ of the midpoint rule; what an impulse does to them
// it does at the place of the step's start, where their own spin is w⁻: v̄ = w⁻ + (v⁺ - w̄)/2.
//
// Where steps change their length, weight acts over the span H but bodies go (h⁻ v⁻ + h v⁺)/2: the
// difference (h - H)/2 m g · (v⁺ - v⁻) is the scheme's.

#include "engine/contact/cone.h"
#include "engine/contact/coulomb/coulomb_internal.h"

/// Energy of what gives way between two bodies or in a joint.
typedef struct gmc_coulomb_account {
    int a, b;        ///< bodies; a joint's b is -1 - dof
    double held;     ///< that it took and did not lose, at most what its springs store; less than
                     ///< zero: of what is lent [J]
    double lent;     ///< that it may give before it takes (above) [J]
    double received; ///< in this step [J]
    double loss;     ///< of that, by law [J]
    double struck;   ///< of that, by impacts without restitution [J]
    double stored;   ///< in springs, at the end of the step [J]
    bool is_reached; ///< by a blow (above)
} gmc_coulomb_account;

/// A row's spring and damper.
typedef struct spring_law {
    double stiffness, relaxation, h, span;
    double share; ///< of F²/k that is stored: 1/2, more on round pads [-]
} spring_law;

// ---- laws --------------------------------------------------------------------------------------

static double square(double x) { return x * x; }

/// What a spring that yields stores and loses in a step, along two directions.
/// @param before  deflection as the step begins
/// @param r       impulses against it
/// @param rate    relative velocity, mean over the span
/// @param limit   |r| at which it yields, if it does in this step; 0: it sticks
static void yield_spring(gmc_coulomb_account *account, const spring_law *spring,
                         const double before[2], const double r[2], const double rate[2],
                         double limit)
{
    double k = spring->stiffness, tau = spring->relaxation, h = spring->h, H = spring->span;
    double spread = 1 / (h + tau), give = h / (H * k), per_span = 1 / H, slip2 = 0;
    double after[2] = {(tau * before[0] - r[0] * give) * spread,
                       (tau * before[1] - r[1] * give) * spread};
    double grown[2] = {after[0] - before[0], after[1] - before[1]};
    account->stored += 0.5 * k * (square(after[0]) + square(after[1]));
    double met = H * (grown[0] * rate[0] + grown[1] * rate[1]);
    account->loss += k * tau / h * fmin(square(grown[0]) + square(grown[1]), fmax(met, 0));
    if (!(limit > 0)) return;
    for (int i = 0; i < 2; i++)
        slip2 += square(rate[i] - grown[i] * per_span);
    account->loss += limit * sqrt(slip2);
}

/// The same of one that pushes only.
/// @param overlap  as the step begins, >= 0
/// @param left     of one that lets go, r = 0: as the step ends
static void press_spring(gmc_coulomb_account *account, const spring_law *spring, double overlap,
                         double r, double left)
{
    double k = spring->stiffness, tau = spring->relaxation, h = spring->h;
    if (r > 0) {
        double after = (tau * overlap + r * h / (spring->span * k)) / (h + tau);
        account->stored += spring->share * k * square(after);
        account->loss += k * tau / h * square(after - overlap);
    } else if (overlap > 0) { // lets go: its damper would pull
        double after = left > 0 ? gmc_min(left, overlap) : 0;
        account->stored += spring->share * k * square(after);
        account->loss += spring->share * k * (square(overlap) - square(after));
    }
}

/// Of two bodies, or of a joint (b = -1 - dof): the step's; valid until the next is asked for.
static gmc_coulomb_account *account_of(gmc_coulomb_energy *energy, int a, int b)
{
    for (int i = energy->account_count - 1; i >= 0; i--)
        if (energy->accounts[i].a == a && energy->accounts[i].b == b) return &energy->accounts[i];
    gmc_coulomb_account *account = &energy->accounts[energy->account_count++];
    *account = (gmc_coulomb_account){.a = a, .b = b};
    return account;
}

/// The same of a contact; all that never moves is body 0.
static gmc_coulomb_account *contact_account(const gmc_coulomb_step *step,
                                            const gmc_contact *contact, gmc_coulomb_energy *energy)
{
    const gmc_model *model = step->motion.world->model;
    int a = gmc_model_is_static(model, contact->body_a) ? 0 : contact->body_a;
    int b = gmc_model_is_static(model, contact->body_b) ? 0 : contact->body_b;
    return account_of(energy, a < b ? a : b, a < b ? b : a);
}

// ---- contacts ----------------------------------------------------------------------------------

/// How deep a contact is at the end of the step if it goes on as solved.
static double left_after(const gmc_coulomb_step *step, const gmc_contact *contact)
{
    const gmc_kinematics *kin = &step->motion.world->kin;
    gmc_twist V =
        gmc_twist_add_scaled(gmc_kinematics_twist(kin, contact->body_b, step->motion.v), -1,
                             gmc_kinematics_twist(kin, contact->body_a, step->motion.v));
    double u = gmc_vec3_dot(contact->dir[0], gmc_twist_at(&V, contact->point.p));
    return gmc_max(-(gmc_coulomb_contact_gap(contact) + step->motion.h * u + contact->drop.x), 0);
}

/// Share of F d that a layer stores: 1/2 where forces are linear in the depth d, 2/3 and 3/5 of
/// round ones, as shares of F²/k, k the slope (coulomb_pad.c).
static double stored_share(const gmc_contact *contact)
{
    const gmc_contact_extra *extra = contact->extra;
    if (!extra || !(contact->law.extra->pad > 0) || !(extra->radius > 0) ||
        extra->part == GMC_PAD_CORE_PART)
        return 0.5;
    return extra->cap_stored * (extra->patch > 0 ? 3.0 / 5 : 2.0 / 3);
}

/// What an impact takes, less what its spring stores of it.
/// @param rate  mean relative velocity over the span, as the row's
static void add_impact(const gmc_coulomb_step *step, int c, const double rate[3],
                       const spring_law *spring, gmc_coulomb_account *account)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_surface_extra *extra = contact->law.extra;
    const double *r = step->r + 3 * c;
    double gap = gmc_coulomb_contact_gap(contact), overlap = gap < 0 ? -gap : 0;
    double k = spring->share * spring->stiffness, left = left_after(step, contact);
    double grown = k * (square(left) - square(overlap));
    // an all but rigid row gives nothing of what its spring holds
    double taken = -r[0] * rate[0] - (contact->is_impact ? gmc_max(grown, 0) : grown);
    if (contact->is_impact) taken -= r[1] * rate[1] + r[2] * rate[2];
    account->stored += k * square(left);
    *(extra && extra->restitution > 0 ? &account->loss : &account->struck) += taken;
}

/// What bounces does so at the speeds as the step begins, which are off v̄ where it is longer or
/// shorter than the one before: the weight's part of that (weight_missed) is none of the scheme's.
static void add_instant(const gmc_coulomb_step *step, int c, gmc_coulomb_energy *energy,
                        gmc_coulomb_account *account)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    if (!contact->is_impact || !contact->extra || !(contact->law.extra->restitution > 0)) return;
    double share = 0.5 * (step->motion.h / step->motion.span - 1);
    double part = share * contact->extra->gain * step->r[3 * c];
    account->received += part;
    account->loss += part;
    energy->scheme -= part;
}

/// Of a contact that lets go.
static void add_release(const gmc_coulomb_step *step, const gmc_contact *contact,
                        const spring_law *spring, gmc_coulomb_account *account)
{
    double gap = gmc_coulomb_contact_gap(contact), k = spring->stiffness, d2 = 0;
    if (gap < 0 && contact->is_struck) // its rigid row does without the spring, which stays
        account->stored += spring->share * k * square(left_after(step, contact));
    else if (gap < 0)
        press_spring(account, spring, -gap, 0, left_after(step, contact));
    for (int i = 0; i < 2; i++)
        d2 += square(contact->deflection[i] * (contact->extra ? contact->extra->scale[i] : 1));
    account->loss += 0.5 * contact->law.tangential_ratio * k * d2; // is forgotten
}

/// The laws of coulomb.h, by the rows' own numbers: s = R H k = 1/(h + τ), and
/// d⁺ = d + h (R r - s d) against the impulse r.
/// @param V  mean motion of b against a over the span, for the rows
static void add_contact(const gmc_coulomb_step *step, int c, const double V[6],
                        gmc_coulomb_energy *energy, gmc_coulomb_account *account)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const gmc_ncp_contact *row = &step->contacts[c];
    const gmc_surface_law *law = &contact->law;
    const double *r = step->r + 3 * c;
    double h = step->motion.h, k = law->stiffness, k_t = law->tangential_ratio * k, rate[3];
    double s = row->compliance_t * step->motion.span * k_t, damper = law->relaxation / h;
    bool slips = gmc_cone_mode(r, law->friction) == GMC_CONTACT_SLIP;
    gmc_ncp_contact_at(row, V, rate);
    if (contact->is_struck) {
        const spring_law spring = {k, law->relaxation, h, step->motion.span, stored_share(contact)};
        add_impact(step, c, rate, &spring, account);
        add_instant(step, c, energy, account);
        if (contact->is_impact) return;
    } else {
        double gap = gmc_coulomb_contact_gap(contact), d = gap < 0 ? -gap : 0;
        double grown = h * (row->compliance_n * r[0] - s * d);
        account->stored += stored_share(contact) * k * square(d + grown);
        account->loss +=
            damper * k * fmin(square(grown), fmax(-grown * step->motion.span * rate[0], 0));
    }
    double slip2 = 0, grown2 = 0, met = 0, after2 = 0;
    for (int i = 0; i < 2; i++) {
        double d = contact->deflection[i] * (contact->extra ? contact->extra->scale[i] : 1);
        double grown = -h * (row->compliance_t * r[i + 1] + s * d);
        grown2 += square(grown);
        met += grown * step->motion.span * rate[i + 1];
        after2 += square(d + grown);
        if (slips) slip2 += square(rate[i + 1] - grown / step->motion.span);
    }
    account->stored += 0.5 * k_t * after2;
    account->loss += damper * k_t * fmin(grown2, fmax(met, 0));
    if (slips) account->loss += law->friction * r[0] * sqrt(slip2);
}

/// What a rim that rolls round is lent, or stores, beside its spring: impulses act at the step's
/// start, where what its lowest point falls by is seen as a speed of the material, up after it and
/// down before it. Both are alike but where it comes to roll faster or slower.
static void add_rim(const gmc_coulomb_step *step, int c, gmc_coulomb_account *account)
{
    const double *r = step->r + 3 * c;
    gmc_vec3 drop = step->motion.world->contacts.contacts[c].drop;
    double part = (drop.x * r[0] - fabs(drop.y * r[1] + drop.z * r[2])) / (2 * step->motion.h);
    if (part > 0)
        account->stored += part;
    else
        account->lent -= part;
}

/// Mean motion of the second body of a group's contacts against the first over the span, by all
/// dofs and by driven ones, at the point that their arms start from.
static void motions_of(const gmc_coulomb_step *step, const gmc_coulomb_energy *energy,
                       const gmc_ncp_group *group, double V[6], double lead[6])
{
    gmc_ncp_group_velocity(group, energy->v, V);
    if (!energy->lead) return;
    const gmc_contact *first = &step->motion.world->contacts.contacts[group->contact_first];
    const double *arm = step->contacts[group->contact_first].arm;
    gmc_vec3 about = gmc_vec3_sub(first->point.p, (gmc_vec3){arm[0], arm[1], arm[2]});
    gmc_twist L =
        gmc_twist_add_scaled(energy->lead[first->body_b], -1, energy->lead[first->body_a]);
    gmc_vec3 v = gmc_twist_at(&L, about);
    const double all[6] = {v.x, v.y, v.z, L.w.x, L.w.y, L.w.z};
    for (int i = 0; i < 6; i++) {
        lead[i] = all[i];
        V[i] += all[i];
    }
}

static void add_group(const gmc_coulomb_step *step, int g, gmc_coulomb_energy *energy)
{
    const gmc_ncp_group *group = &step->groups[g];
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    const double *F = step->wrenches + 6 * g;
    int from = group->contact_first, end = from + group->contact_count;
    double V[6], lead[6] = {0};
    motions_of(step, energy, group, V, lead);
    gmc_coulomb_account *account = contact_account(step, &contacts[from], energy);
    for (int i = 0; i < 6; i++) {
        account->received -= F[i] * V[i];
        energy->drives -= F[i] * lead[i];
    }
    for (int c = from; c < end; c++) {
        const gmc_contact *contact = &contacts[c];
        if (step->r[3 * c] > 0) {
            add_contact(step, c, V, energy, account);
            add_rim(step, c, account);
        } else if (contact->impulse[0] > 0 || gmc_contact_gap(contact) < 0) {
            const gmc_surface_law *law = &contact->law;
            const spring_law spring = {law->stiffness, law->relaxation, step->motion.h,
                                       step->motion.span, stored_share(contact)};
            add_release(step, contact, &spring, account);
        }
    }
}

// ---- accounts ----------------------------------------------------------------------------------

/// What it held in the step before.
/// @param at  in, out: where to look first; accounts keep their order, mostly
static double held_before(const gmc_coulomb_balance *balance, const gmc_coulomb_account *account,
                          int *at)
{
    for (int i = 0; i < balance->account_count; i++) {
        int k = (*at + i) % balance->account_count;
        const gmc_coulomb_account *before = &balance->accounts[k];
        if (before->a != account->a || before->b != account->b) continue;
        *at = k + 1;
        return before->held;
    }
    return 0;
}

/// What is left of what it held and took.
/// @param overdrawn, taken  in, out: what it gave beyond, what it took beyond
static void settle_account(gmc_coulomb_account *account, gmc_coulomb_energy *energy,
                           double *overdrawn, double *taken)
{
    double had = account->held + account->received;
    double loss = account->loss + gmc_max(account->struck, 0), all = had + account->lent;
    if (loss > all) loss = gmc_min(loss, gmc_max(all, 0)); // what is not held cannot be lost
    double left = had - loss;
    energy->loss += loss;
    *overdrawn += gmc_max(-left - account->lent, 0);
    *taken += gmc_max(left - account->stored, 0);
    account->held = gmc_min(gmc_max(left, -account->lent), account->stored);
}

/// Do two accounts have a body that moves in common?
static bool are_joined(const gmc_coulomb_balance *balance, const gmc_coulomb_account *i,
                       const gmc_coulomb_account *k)
{
    const int bodies[2] = {i->a, i->b};
    for (int n = 0; n < 2; n++)
        if (bodies[n] > 0 && balance->moves[bodies[n]] && (bodies[n] == k->a || bodies[n] == k->b))
            return true;
    return false;
}

/// Marks the struck accounts that a blow at `from` reaches.
static void reach_accounts(const gmc_coulomb_balance *balance, gmc_coulomb_energy *energy, int from)
{
    for (int i = 0; i < energy->account_count; i++)
        energy->accounts[i].is_reached = i == from;
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int i = 0; i < energy->account_count; i++) {
            gmc_coulomb_account *next = &energy->accounts[i];
            if (next->is_reached || next->struck == 0) continue;
            for (int k = 0; k < energy->account_count && !next->is_reached; k++)
                next->is_reached = energy->accounts[k].is_reached &&
                                   are_joined(balance, next, &energy->accounts[k]);
            is_more = is_more || next->is_reached;
        }
    }
}

/// What an impact gives to a body that another one strikes in the same step, that one took.
static void hand_on(const gmc_coulomb_balance *balance, gmc_coulomb_energy *energy)
{
    for (int i = 0; i < energy->account_count; i++) {
        gmc_coulomb_account *giver = &energy->accounts[i];
        if (!(giver->struck < 0)) continue;
        reach_accounts(balance, energy, i);
        for (int k = 0; k < energy->account_count && giver->struck < 0; k++) {
            gmc_coulomb_account *taker = &energy->accounts[k];
            if (!taker->is_reached || !(taker->struck > 0)) continue;
            double share = gmc_min(taker->struck, -giver->struck);
            giver->struck += share, giver->received += share;
            taker->struck -= share, taker->received -= share;
        }
    }
}

/// Accounts of the step into the balance. What those held that are gone is lost.
static void settle_all(gmc_coulomb_balance *balance, gmc_coulomb_energy *energy)
{
    double before = 0, taken_over = 0, after = 0, overdrawn = 0, taken = 0;
    int at = 0, count = 0;
    for (int i = 0; i < balance->account_count; i++)
        before += balance->accounts[i].held;
    hand_on(balance, energy);
    for (int i = 0; i < energy->account_count; i++) {
        gmc_coulomb_account *account = &energy->accounts[i];
        account->held = held_before(balance, account, &at);
        taken_over += account->held;
        settle_account(account, energy, &overdrawn, &taken);
        after += account->held;
    }
    energy->loss += gmc_max(before - taken_over, 0); // what is still lent then is missing
    energy->scheme += gmc_max(taken - overdrawn, 0);
    energy->elastic_change = after - before;
    for (int i = 0; i < energy->account_count; i++)
        if (energy->accounts[i].held != 0) balance->accounts[count++] = energy->accounts[i];
    balance->account_count = count;
}

// ---- joints ------------------------------------------------------------------------------------

/// Work of one row, which joint is the owner of.
static void add_row_energy(const gmc_coulomb_step *step, int i, const gmc_mechanism_joint *joint,
                           gmc_coulomb_energy *energy)
{
    const gmc_dof *dof = &step->motion.world->model->dofs[joint->dof];
    const double *kept = step->motion.row_memory[i];
    double s = step->motion.s[i], rate = step->motion.rows[i].J[0] * energy->v[joint->dof];
    double position = step->motion.world->state.q[joint->q],
           way = step->motion.h * step->motion.v[joint->dof];
    if (kept == &joint->servo || kept == &joint->slower || kept == &joint->faster) {
        energy->drives += s * rate;
        return;
    }
    gmc_coulomb_account *account = account_of(energy, 0, -1 - joint->dof);
    account->received -= s * rate;
    spring_law spring = {.h = step->motion.h, .span = step->motion.span, .share = 0.5};
    if (kept == &joint->friction) {
        const double before[2] = {joint->deflection, 0}, r[2] = {s, 0}, u[2] = {rate, 0};
        double limit = step->motion.span * dof->friction;
        bool slips = fabs(s) >= limit * (1 - 1e-12);
        spring.stiffness = dof->friction / joint->presliding;
        spring.relaxation = GMC_PRESLIDING_RELAXATION;
        yield_spring(account, &spring, before, r, u, slips ? limit : 0);
        return;
    }
    double mass = gmc_mechanism_mass_row(&step->motion, joint->dof)[joint->dof];
    double past = kept == &joint->lower ? dof->lower - position : position - dof->upper;
    double left = past + (kept == &joint->lower ? -way : way);
    spring.stiffness = dof->limit_stiffness;
    spring.relaxation = gmc_mechanism_settling(dof->limit_stiffness, 1 / mass);
    press_spring(account, &spring, gmc_max(past, 0), s, left);
}

/// Work of drives, limits and friction of joints. As all of these: before impulses are kept.
static void add_joints(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_mechanism_memory *memory = step->motion.memory;
    int k = 0; // rows go by joints
    for (int i = 0; i < step->motion.single_row_count; i++) {
        while (memory->joints[k].dof != step->motion.rows[i].columns[0])
            k++;
        add_row_energy(step, i, &memory->joints[k], energy);
    }
    for (int i = step->motion.single_row_count; i < step->motion.joint_row_count; i++)
        energy->drives +=
            step->motion.s[i] * gmc_ncp_row_velocity(&step->motion.rows[i], energy->v);
    for (k = 0; k < memory->joint_count; k++) {
        const gmc_mechanism_joint *joint = &memory->joints[k];
        energy->drives += gmc_mechanism_servo_impulse(&step->motion, joint) * energy->v[joint->dof];
    }
}

// ---- moments of friction -----------------------------------------------------------------------

/// Mean spin of b against a over the span, about n, t1, t2.
static void spin_between(const gmc_twist *V, const gmc_contact *contact, double w[3])
{
    gmc_vec3 spin = gmc_vec3_sub(V[contact->body_b].w, V[contact->body_a].w);
    for (int k = 0; k < 3; k++)
        w[k] = gmc_vec3_dot(contact->dir[k], spin);
}

/// Work of torsional and rolling friction.
static void add_moments(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    for (int i = 0; i < step->torque_count; i++) {
        const struct gmc_coulomb_torque *torque = &step->torques[i];
        const gmc_contact *contact = &step->motion.world->contacts.contacts[torque->contact];
        spring_law spring = {torque->stiffness_n, contact->law.relaxation, step->motion.h,
                             step->motion.span, 0.5};
        double w[3], lead[3] = {0, 0, 0}, m[3] = {0, 0, 0};
        gmc_coulomb_account *account = contact_account(step, contact, energy);
        spin_between(energy->mean, contact, w);
        if (energy->lead) spin_between(energy->lead, contact, lead);
        if (torque->torsion >= 0) {
            const double before[2] = {torque->turn[0], 0}, u[2] = {w[0], 0};
            double limit = step->motion.rows[torque->torsion].upper;
            m[0] = step->motion.s[torque->torsion];
            const double r[2] = {m[0], 0};
            bool slips = fabs(m[0]) >= limit * (1 - 1e-12);
            if (limit > 0)
                yield_spring(account, &spring, before, r, u, slips ? limit : 0);
            else // nothing presses
                account->loss += 0.5 * spring.stiffness * before[0] * before[0];
        }
        if (torque->rolling >= 0) {
            const double *r = step->r + 3 * torque->rolling;
            double rolling = contact->law.extra->rolling;
            bool slips = gmc_cone_mode(r, rolling) == GMC_CONTACT_SLIP;
            spring.stiffness = torque->stiffness_t;
            m[1] = r[1], m[2] = r[2];
            if (r[0] > 0)
                yield_spring(account, &spring, torque->turn + 1, r + 1, w + 1,
                             slips ? rolling * r[0] : 0);
        }
        for (int k = 0; k < 3; k++) {
            account->received -= m[k] * w[k];
            energy->drives -= m[k] * lead[k];
        }
    }
}

// ---- supports ----------------------------------------------------------------------------------

static void add_supports(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_model *model = step->motion.world->model;
    int row = step->support_first, group = step->group_count - model->support_count;
    for (int i = 0; i < model->support_count; i++, group++) {
        const gmc_support *support = &model->supports[i];
        const spring_law spring = {support->stiffness, support->relaxation, step->motion.h,
                                   step->motion.span, 0.5};
        double V[6], u[3];
        gmc_ncp_group_velocity(&step->groups[group], energy->v, V);
        bool is_driven = step->groups[group].column_count == 0; // what it rubs is not our energy
        gmc_coulomb_account *account = NULL;
        if (!is_driven) account = account_of(energy, support->body, support->body);
        for (int k = 0; k < support->point_count && account; k++) {
            const double *r = step->r + 3 * (row + k);
            const double *before = step->motion.memory->support_deflection;
            double friction = step->contacts[row + k].friction;
            bool slips = gmc_cone_mode(r, friction) == GMC_CONTACT_SLIP;
            gmc_ncp_contact_at(&step->contacts[row + k], V, u);
            account->received -= r[1] * u[1] + r[2] * u[2];
            yield_spring(account, &spring, before + 2 * (support->point_first + k), r + 1, u + 1,
                         slips ? friction * r[0] : 0);
        }
        row += support->point_count;
    }
}

// ---- motion ------------------------------------------------------------------------------------

static void add_tree_body(const gmc_model *model, const gmc_kinematics *kin, int b,
                          gmc_coulomb_balance *balance)
{
    gmc_joint_type joint = model->bodies[b].joint;
    int first = kin->axis_first[b], count = kin->axis_first[b + 1] - first;
    balance->tree[balance->tree_count++] = b;
    if (joint == GMC_JOINT_PRISMATIC) return;
    // the last ones turn
    int turns = joint == GMC_JOINT_PLANAR ? 1 : count < 3 ? count : 3;
    for (int k = count - turns; k < count; k++)
        balance->turners[balance->turner_count++] = kin->axis_dof[first + k];
}

gmc_status gmc_coulomb_energy_memory(const gmc_model *model, const gmc_kinematics *kin,
                                     int contact_max, gmc_arena *arena, gmc_coulomb_memory *memory)
{
    gmc_coulomb_balance *balance = &memory->balance;
    int bodies = model->body_count;
    // of two bodies that touch, of joints, of supports
    int accounts = contact_max + memory->mechanism->joint_count + model->support_count;
    *balance = (gmc_coulomb_balance){.account_max = accounts};
    balance->moves = GMC_NEW(arena, bodies, gmc_coulomb_moves);
    balance->momentum = GMC_NEW(arena, bodies, gmc_wrench);
    balance->tree = GMC_NEW(arena, bodies, int);
    balance->turners = GMC_NEW(arena, kin->axis_count, int);
    balance->accounts = GMC_ROOM(arena, accounts, gmc_coulomb_account);
    if (!balance->moves || !balance->momentum || !balance->tree || !balance->turners ||
        !balance->accounts)
        return GMC_E_ARENA_FULL;
    for (int b = 1; b < model->body_count; b++) {
        const gmc_steady *steady = &kin->steady[b];
        bool is_free = false;
        for (int k = kin->chain_start[b]; k < kin->chain_start[b + 1]; k++)
            is_free = is_free || kin->axis_dof[kin->chain[k]] < model->free_count;
        bool is_tree = !steady->is_isolated && !steady->is_flat;
        if (is_tree && steady->mobility != GMC_MOBILITY_STANDS)
            add_tree_body(model, kin, b, balance);
        if (!is_free) continue;
        balance->moves[b] = is_tree ? GMC_COULOMB_IN_TREE : GMC_COULOMB_ALONE;
    }
    for (int i = 0; i < model->free_count; i++)
        if (model->dofs[i].armature > 0) balance->has_armature = true;
    return GMC_OK;
}

/// Momentum of a body, about the world's origin.
/// @param V        its motion
/// @param kinetic  in, out: this share of its energy is added
static gmc_wrench momentum_of(const gmc_world *world, int body, const gmc_twist *V, double share,
                              double *kinetic)
{
    gmc_vec3 com = world->kin.com_w[body], v = gmc_twist_at(V, com);
    gmc_vec3 p = gmc_vec3_scale(share * world->model->bodies[body].inertia.mass, v);
    gmc_vec3 L = {0, 0, 0};
    if (world->kin.steady[body].mobility == GMC_MOBILITY_TURNS)
        L = gmc_vec3_scale(share, gmc_mat3_apply(&world->kin.I_w[body], V->w));
    *kinetic += 0.5 * (gmc_vec3_dot(v, p) + gmc_vec3_dot(V->w, L));
    return (gmc_wrench){gmc_vec3_add(L, gmc_vec3_cross(com, p)), p};
}

/// Σ m c of what counts [kg·m].
static gmc_vec3 moment_of(const gmc_world *world, const gmc_coulomb_balance *balance)
{
    gmc_vec3 sum = {0, 0, 0};
    for (int b = 1; b < world->model->body_count; b++)
        if (balance->moves[b])
            sum =
                gmc_vec3_add_scaled(sum, world->model->bodies[b].inertia.mass, world->kin.com_w[b]);
    return sum;
}

static double armatures(const gmc_model *model, const double *v)
{
    double sum = 0;
    for (int i = 0; i < model->free_count; i++)
        sum += 0.5 * model->dofs[i].armature * v[i] * v[i];
    return sum;
}

/// The trial begins here, at rest or not.
static void begin_balance(const gmc_coulomb_step *step, gmc_coulomb_balance *balance)
{
    const gmc_world *world = step->motion.world;
    balance->moment = balance->moment_before = moment_of(world, balance);
    balance->kinetic = balance->has_armature ? armatures(world->model, world->state.v) : 0;
    for (int b = 1; b < world->model->body_count; b++) {
        if (!balance->moves[b]) continue;
        balance->momentum[b] = momentum_of(world, b, &world->kin.V[b], 1, &balance->kinetic);
    }
    balance->account_count = 0;
    balance->weighings = world->kin.weighings;
    balance->is_begun = true;
}

/// A program has given what moves alone another mass. It keeps its velocity, and what that takes is
/// not the step's: kept energy and moments become those of the masses that there are now.
static void weigh_balance(const gmc_coulomb_step *step, gmc_coulomb_balance *balance)
{
    const gmc_world *world = step->motion.world;
    gmc_vec3 moment = moment_of(world, balance), more = gmc_vec3_sub(moment, balance->moment);
    for (int b = 1; b < world->model->body_count; b++) {
        if (balance->moves[b] != GMC_COULOMB_ALONE) continue;
        gmc_wrench *kept = &balance->momentum[b], before = *kept;
        balance->kinetic -= 0.5 * gmc_twist_power(world->kin.V[b], before);
        *kept = momentum_of(world, b, &world->kin.V[b], 1, &balance->kinetic);
        // Σ m c a step ago: as long as the step was
        more = gmc_vec3_add_scaled(more, -step->motion.memory->h_last,
                                   gmc_vec3_sub(kept->f, before.f));
    }
    balance->moment = moment;
    balance->moment_before = gmc_vec3_add(balance->moment_before, more);
    balance->weighings = world->kin.weighings;
}

/// v̄ of all dofs.
static void mean_velocities(const gmc_coulomb_step *step, double *mean)
{
    const gmc_world *world = step->motion.world;
    const double *before = world->state.v, *after = step->motion.v;
    for (int i = 0; i < world->model->dof_count; i++)
        mean[i] = 0.5 * (before[i] + after[i]);
    for (int k = 0; k < step->motion.memory->isolated_count; k++) {
        int first = world->model->bodies[step->motion.memory->isolated[k]].v + 3;
        for (int i = first; i < first + 3; i++)
            mean[i] -= 0.5 * step->motion.spun[i];
    }
}

/// Motion of trees, or of all bodies, at velocities v. @return NULL: no room
static gmc_twist *sweep_bodies(const gmc_coulomb_step *step, const double *v, bool is_all)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    const gmc_coulomb_balance *balance = step->balance;
    int bodies = model->body_count;
    gmc_twist *V = GMC_NEW(step->motion.scratch, bodies, gmc_twist);
    int count = is_all ? model->body_count - 1 : balance->tree_count;
    if (!V) return NULL;
    for (int i = 0; i < count; i++) {
        int b = is_all ? i + 1 : balance->tree[i];
        V[b] = gmc_kinematics_child_twist(model, &world->kin, b, V[model->bodies[b].parent], v);
    }
    return V;
}

/// By driven joints alone. @return NULL: no room
static gmc_twist *lead_of_driven(const gmc_coulomb_step *step, const double *v)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    const gmc_coulomb_balance *balance = step->balance;
    gmc_twist *V = GMC_NEW(step->motion.scratch, model->body_count, gmc_twist);
    for (int i = 0; i < balance->tree_count && V; i++) {
        int b = balance->tree[i];
        const gmc_body *body = &model->bodies[b];
        V[b] = V[body->parent];
        if (body->is_driven) V[b] = gmc_kinematics_child_twist(model, &world->kin, b, V[b], v);
    }
    return V;
}

static gmc_status find_motions(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_coulomb_balance *balance = step->balance;
    const gmc_model *model = step->motion.world->model;
    int dofs = model->dof_count, accounts = balance->account_max;
    *energy = (gmc_coulomb_energy){0};
    energy->accounts = GMC_ROOM(step->motion.scratch, accounts, gmc_coulomb_account);
    energy->v = GMC_ROOM(step->motion.scratch, dofs, double);
    if (!energy->accounts || !energy->v) return GMC_E_ARENA_FULL;
    mean_velocities(step, energy->v);
    bool has_changed = step->motion.h != step->motion.span, is_driven = false,
         has_moments = step->torque_count > 0;
    bool has_after = has_changed;
    for (int k = 0; k < balance->turner_count && !has_after; k++)
        has_after = step->motion.v[balance->turners[k]] != 0;
    if (has_after) energy->after = sweep_bodies(step, step->motion.v, has_changed);
    if (has_moments) energy->mean = sweep_bodies(step, energy->v, true);
    for (int i = model->free_count; i < model->dof_count && !is_driven; i++)
        is_driven = energy->v[i] != 0;
    if (is_driven) energy->lead = lead_of_driven(step, energy->v);
    bool is_full = (has_after && !energy->after) || (has_moments && !energy->mean) ||
                   (is_driven && !energy->lead);
    return is_full ? GMC_E_ARENA_FULL : GMC_OK;
}

/// Forces that are applied, and viscous damping.
static void add_forces(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const double *before = step->motion.world->state.v, *after = step->motion.v;
    const double *force = step->motion.control->force;
    int count = step->motion.world->model->free_count;
    for (int i = 0; i < count; i++)
        energy->drives += step->motion.span * force[i] * energy->v[i];
    for (int i = 0; i < count && step->motion.damped; i++) {
        double mean = energy->v[i];
        double late = step->motion.damped[2 * i], early = step->motion.damped[2 * i + 1];
        double loss = (late + early) * mean * mean;
        energy->loss += loss;
        energy->scheme += (late * after[i] + early * before[i]) * mean - loss;
    }
}

/// What weight does over the span less than along the way.
static double weight_missed(const gmc_coulomb_step *step, const gmc_coulomb_energy *energy)
{
    const gmc_world *world = step->motion.world;
    gmc_vec3 gain = {0, 0, 0}; // of momentum
    if (step->motion.h == step->motion.span) return 0;
    for (int b = 1; b < world->model->body_count; b++) {
        if (!step->balance->moves[b]) continue;
        gmc_twist grown = gmc_twist_add_scaled(energy->after[b], -1, world->kin.V[b]);
        gain = gmc_vec3_add_scaled(gain, world->model->bodies[b].inertia.mass,
                                   gmc_twist_at(&grown, world->kin.com_w[b]));
    }
    return 0.5 * (step->motion.h - step->motion.span) * gmc_vec3_dot(step->motion.gravity, gain);
}

/// Half of the momentum of what turns in trees, with the velocities found where the step starts;
/// the other half is that of its end. What driven joints do to a body that they carry is the change
/// of its momentum from middle to middle, less what its weight does, times their own motion of it.
static void open_trees(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_world *world = step->motion.world;
    gmc_coulomb_balance *balance = step->balance;
    for (int i = 0; i < balance->tree_count; i++) {
        int b = balance->tree[i];
        gmc_wrench *kept = &balance->momentum[b];
        if (!balance->moves[b]) continue;
        if (energy->lead) {
            const gmc_twist *lead = &energy->lead[b];
            double H = step->motion.span * world->model->bodies[b].inertia.mass;
            gmc_vec3 way = gmc_twist_at(lead, world->kin.com_w[b]);
            energy->drives -= gmc_twist_power(*lead, *kept);
            energy->drives -= H * gmc_vec3_dot(step->motion.gravity, way);
        }
        *kept = (gmc_wrench){{0, 0, 0}, {0, 0, 0}};
        if (!energy->after) continue; // the same as at its end
        *kept = momentum_of(world, b, &energy->after[b], 0.5, &energy->kinetic);
        if (energy->lead) energy->drives += gmc_twist_power(energy->lead[b], *kept);
    }
}

/// The same at the step's end, and all of what does not turn in trees.
static void close_bodies(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    const gmc_world *world = step->motion.world;
    gmc_coulomb_balance *balance = step->balance;
    for (int b = 1; b < world->model->body_count; b++) {
        if (!balance->moves[b]) continue;
        bool is_in_tree = balance->moves[b] == GMC_COULOMB_IN_TREE;
        double share = is_in_tree && energy->after ? 0.5 : 1;
        gmc_wrench more = momentum_of(world, b, &world->kin.V[b], share, &energy->kinetic);
        if (!is_in_tree) {
            balance->momentum[b] = more;
            continue;
        }
        balance->momentum[b] = gmc_wrench_add(balance->momentum[b], more);
        if (energy->lead) energy->drives += gmc_twist_power(energy->lead[b], more);
    }
    if (balance->has_armature) energy->kinetic += armatures(world->model, step->motion.v);
}

gmc_status gmc_coulomb_energy_open(const gmc_coulomb_step *step, gmc_coulomb_energy *energy)
{
    GMC_TRY(find_motions(step, energy));
    if (step->motion.is_start)
        begin_balance(step, step->balance);
    else if (step->balance->weighings != step->motion.world->kin.weighings)
        weigh_balance(step, step->balance);
    add_forces(step, energy);
    energy->scheme += weight_missed(step, energy);
    open_trees(step, energy);
    for (int g = 0; g < step->group_count; g++) {
        if (step->groups[g].contact_first >= step->motion.world->contacts.count)
            break; // rolling friction
        add_group(step, g, energy);
    }
    add_joints(step, energy);
    add_moments(step, energy);
    if (step->motion.world->model->support_count > 0) add_supports(step, energy);
    return GMC_OK;
}

void gmc_coulomb_energy_close(const gmc_coulomb_step *step, gmc_coulomb_energy *energy,
                              gmc_step_energy *report)
{
    gmc_coulomb_balance *balance = step->balance;
    gmc_vec3 moment = moment_of(step->motion.world, balance);
    gmc_vec3 way = gmc_vec3_scale(0.5, gmc_vec3_sub(moment, balance->moment_before));
    close_bodies(step, energy);
    settle_all(balance, energy);
    *report = (gmc_step_energy){.is_known = true,
                                .drives = energy->drives,
                                .gravity = gmc_vec3_dot(step->motion.gravity, way),
                                .loss = energy->loss,
                                .scheme = energy->scheme,
                                .kinetic_change = energy->kinetic - balance->kinetic,
                                .elastic_change = energy->elastic_change,
                                .kinetic = energy->kinetic};
    balance->moment_before = balance->moment;
    balance->moment = moment;
    balance->kinetic = energy->kinetic;
}
