// One solve of the rigid steppers and its advance. Presliding of joint friction and servos are those
// of the mechanism, with their compliance, whatever the law of contact; limits of joints are rigid
// (mechanism_joint.c).
//
// What sticks has J v = 0 where the step begins; bodies that turn move on arcs, and after the step
// the two points that touched are apart by h² w² d/2, outwards in every step. So a contact that
// sticks has an anchor, as in coulomb.h: what the bodies' true motion differs from h J v is
// its deflection δ, and the next step asks for J v + δ/h = 0 (below).
#include "engine/contact/rigid/rigid.h"

#include "engine/base/check.h"
#include "engine/complementarity/dual_ncp.h"
#include "engine/complementarity/facets.h"
#include "engine/complementarity/solver.h"
#include "engine/contact/rigid/rigid_internal.h"
#include "engine/dynamics/jacobian.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>

// ---- what sticks stays -------------------------------------------------------------------------
// Anchors of the rigid steppers: what sticks, sticks for good.
//
// J v = 0 holds where a step begins. Bodies that turn move on arcs, and after the step two points
// that touched are apart by h² w² d/2, outwards in every step: in a hand that swings everything
// would creep. So each contact carries what the bodies' true motion differed from h J v, its
// deflection δ, and the next step asks for J v + δ/h = 0. Bodies that move as one are back there
// after one step; over a step that was cut short (a part that ends with an arrival) it takes as
// long as the longer of both, for in 1e-6 of a step it would have to be as fast as a blow.
//
// What turns against the other body moves its contact on: a ball that rolls leaves the material
// that touched by h³ w³ r/6 along the surface, and is no farther from where it sticks for that. So
// paths are those of the contact: of b's mass centre as a sees it, and w x (arm of the contact),
// the mean of the arms before and after. Between a flat body and a round one that is h J v; for
// bodies that do not turn against each other it is the path of the material.
//
// What is open or slides has an anchor while its two bodies stick elsewhere, without what it means
// to move: a point that sticks again has to ask for what the others ask for, or some of them would
// have to slide.
//
// Along the normal gaps show what is missing, but to anitescu_potra, which stops approaches alone:
// there gaps would open by the same arcs, until the shell is left. What was closed has a gap that
// is due, and gives back what it is off.

struct gmc_rigid_anchor {
    gmc_mat3 R_ab;       ///< of b in body a's frame
    gmc_vec3 p_a, c_a;   ///< where the contact touched b (place_b), and b's mass centre in body a's
                         ///< frame [m]
    gmc_vec3 dir_a[2];   ///< t1, t2 in body a's frame
    gmc_vec3 expected_a; ///< h u in body a's frame [m]
    double approach;     ///< h u_n [m]
};

/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status make_anchors(gmc_rigid_step *step)
{
    int count = step->motion.world->contacts.count;
    step->anchors = GMC_ROOM(step->motion.scratch, count, struct gmc_rigid_anchor);
    return step->anchors ? GMC_OK : GMC_E_ARENA_FULL;
}

/// Once contacts are found: what of the last step's paths shows with their new places.
static void follow_anchors(gmc_rigid_step *step)
{
    gmc_world *world = step->motion.world;
    double h = step->motion.memory->h_last;
    for (int c = 0; c < world->contacts.count; c++)
        gmc_contact_follow(world->model, &world->kin, h, false,
                           &world->contacts.contacts[c]); // as path()
}

// ---- what sticks, before the advance -----------------------------------------------------------

static gmc_mat3 orientation(const gmc_kinematics *kin, const gmc_contact *contact)
{
    gmc_mat3 R_aw = gmc_mat3_transpose(&kin->X_wb[contact->body_a].R);
    return gmc_mat3_multiply(&R_aw, &kin->X_wb[contact->body_b].R);
}

/// b's mass centre in body a's frame; of the world, which has none, the contact.
static gmc_vec3 centre(const gmc_kinematics *kin, const gmc_contact *contact)
{
    if (contact->body_b == 0) return gmc_contact_place_a(kin, contact);
    return gmc_pose_apply_inverse(&kin->X_wb[contact->body_a], kin->com_w[contact->body_b]);
}

static void drop_held(const gmc_rigid_step *step, gmc_contact *contact,
                      struct gmc_rigid_anchor *anchor)
{
    const gmc_kinematics *kin = &step->motion.world->kin;
    const gmc_pose *X_wa = &kin->X_wb[contact->body_a];
    const double *v = step->motion.v;
    double h = step->motion.h;
    gmc_twist V = gmc_twist_add_scaled(gmc_kinematics_twist(kin, contact->body_b, v), -1,
                                       gmc_kinematics_twist(kin, contact->body_a, v));
    gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
    anchor->R_ab = orientation(kin, contact);
    anchor->p_a = gmc_contact_place_a(kin, contact);
    anchor->c_a = centre(kin, contact);
    for (int i = 0; i < 2; i++)
        anchor->dir_a[i] = gmc_mat3_apply_transposed(&X_wa->R, contact->dir[i + 1]);
    anchor->expected_a = gmc_mat3_apply_transposed(&X_wa->R, gmc_vec3_scale(h, u));
    anchor->approach = h * gmc_vec3_dot(contact->dir[0], u);
}

/// After the solution, before the advance: where contacts are in their bodies, and how far they are
/// expected to move.
static void drop_anchors(gmc_rigid_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int c = 0; c < set->count; c++)
        drop_held(step, &set->contacts[c], &step->anchors[c]);
}

// ---- what sticks, after the advance ------------------------------------------------------------

/// Path of the contact on b, seen from a, as far as it does not go on over b [m].
static gmc_vec3 path(const gmc_kinematics *kin, const gmc_contact *contact,
                     const struct gmc_rigid_anchor *anchor)
{
    gmc_mat3 R_ab = orientation(kin, contact), R_ba = gmc_mat3_transpose(&anchor->R_ab);
    gmc_mat3 turned = gmc_mat3_multiply(&R_ab, &R_ba);
    gmc_vec3 turn = gmc_quat_log(gmc_quat_from_matrix(&turned)), c_a = centre(kin, contact);
    gmc_vec3 before = gmc_vec3_sub(anchor->p_a, anchor->c_a);
    gmc_vec3 after = gmc_vec3_sub(gmc_contact_place_a(kin, contact), c_a);
    gmc_vec3 arm = gmc_vec3_scale(0.5, gmc_vec3_add(before, after));
    return gmc_vec3_add(gmc_vec3_sub(c_a, anchor->c_a), gmc_vec3_cross(turn, arm));
}

/// What is closed keeps the gap that is due, but for what it is driven apart below half the shell:
/// that the normals' compliance moves it by is given back, too, or it would add
/// up, out of the shell in the end.
static void keep_gap(const gmc_rigid_step *step, bool is_held,
                     const struct gmc_rigid_anchor *anchor, gmc_contact *contact)
{
    double given_back = step->motion.h * gmc_rigid_anchor_rate(step);
    double apart = anchor->approach + given_back * gmc_rigid_anchor_opened(contact);
    if (!is_held)
        contact->gap_due = HUGE_VAL;
    else if (contact->impulse[0] > 0 && contact->gap_due < HUGE_VAL)
        contact->gap_due +=
            contact->gap_due < gmc_rigid_setting(step, GMC_RIGID_SHELL) / 2 ? fmax(apart, 0) : 0;
    else
        contact->gap_due = contact->point.gap + anchor->approach;
}

/// @param is_held  the two bodies stick to each other, here or elsewhere
static void pull_back(const gmc_rigid_step *step, bool is_held,
                      const struct gmc_rigid_anchor *anchor, gmc_contact *contact)
{
    keep_gap(step, is_held, anchor, contact);
    bool sticks = contact->mode == GMC_CONTACT_STICK;
    contact->is_anchored = contact->is_anchored && sticks;
    if (contact->is_anchored) {
        gmc_vec3 place_a = gmc_contact_place_a(&step->motion.world->kin, contact);
        gmc_vec3 moved = gmc_vec3_sub(place_a, anchor->p_a);
        contact->deflection_a = gmc_vec3_add(contact->deflection_a, moved);
        return;
    }
    contact->deflection_a = (gmc_vec3){0, 0, 0};
    if (!is_held) return;
    gmc_vec3 went = path(&step->motion.world->kin, contact, anchor);
    // what sticks gets all of it; else that which it did not mean to move
    if (!sticks) went = gmc_vec3_sub(went, anchor->expected_a);
    for (int i = 0; i < 2; i++) {
        // without friction along it nothing is remembered
        if (contact->extra && contact->extra->scale[i] == 0) continue;
        double all = gmc_vec3_dot(anchor->dir_a[i], went);
        if (sticks) all += contact->deflection[i];
        contact->deflection_a = gmc_vec3_add_scaled(contact->deflection_a, all, anchor->dir_a[i]);
    }
}

/// After the advance: deflections, and gaps that are due.
static void pull_anchors(gmc_rigid_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int first = 0, end; first < set->count; first = end) {
        const gmc_contact *pair = &set->contacts[first];
        bool is_held = false;
        for (end = first; end < set->count; end++) {
            const gmc_contact *contact = &set->contacts[end];
            if (contact->body_a != pair->body_a || contact->body_b != pair->body_b) break;
            is_held = is_held || contact->mode == GMC_CONTACT_STICK;
        }
        for (int c = first; c < end; c++)
            pull_back(step, is_held, &step->anchors[c], &set->contacts[c]);
    }
    step->motion.memory->h_last = step->motion.h;
}

// ---- where corners of pyramids point -----------------------------------------------------------

// Where corners of friction pyramids point, in the rigid steppers. A pyramid that stands still has
// all of its friction towards its corners alone: what slides between two of them goes off its way
// with up to 1 - cos(π/m) too little of it (pyramid.h), and nothing resists a slow turn. A corner
// that points where its contact slides makes it Coulomb's, whatever m is.
//
// Where that is, only the solution tells. What slid in the step before goes on from there. Where
// then the solution slides and friction is not against it, the corner is turned and the problem
// solved again: if it stood still so far to where the contact would slide without friction, which
// is exact for what slides without turning and for what a load sets off, and finds what a cone
// holds and its pyramid did not; else by as much as friction answers. Every solution on the way is
// one of pyramids inscribed in the cones, so the last one is taken whatever is left. What sticks
// keeps the contact's own directions: held objects have the same problem in every step.
//
// Only what has inertia: without it friction alone decides how a body goes, whatever its corners
// point at it goes on with, and the proximal steps would have to settle the directions, too.
//
// Tried besides, on pinch_cube and slow pushes: turning to the slip alone (loads just below the
// limit creep), friction 0.1 off (they creep, too), four rounds (as much remains off, all of it
// slower than 1 mm/s: half as much work again), impulses turned with their rows as a start (a fifth
// more work than starting in the corner).

/// Compliance of normals and of tangents as shares of their contact's inverse mass (rows of
/// contacts, below) [-].
static const double EVENNESS = 1e-7, EASE = 1e-8;
/// How near the rim of its cone an impulse stands on it: rounding of a solution.
static const double CONE_RIM = 1 - 1e-9;
/// Friction that is farther off than this share of it turns its corner: it lacks 2e-4 of itself
/// then along the slip.
static const double OFF = 0.02;
/// How often corners are turned in one solve. What takes more is about to stop, where directions
/// mean little.
enum { CORNER_ROUNDS = 2 };

// ---- one corner --------------------------------------------------------------------------------

/// Turn the tangential rows: the first becomes that along d in the rows as they are, |d| = 1.
static void turn_corner(gmc_rigid_contact *row, gmc_vec2 d)
{
    gmc_vec2 given = {row->given[1], row->given[2]}, from = row->heading;
    for (int k = 0; k < row->column_count; k++) {
        gmc_vec2 J = {row->J[1][k], row->J[2][k]};
        row->J[1][k] = gmc_vec2_dot(d, J);
        row->J[2][k] = gmc_vec2_dot(gmc_vec2_left(d), J);
    }
    row->given[1] = gmc_vec2_dot(d, given);
    row->given[2] = gmc_vec2_dot(gmc_vec2_left(d), given);
    row->counted =
        (gmc_vec2){gmc_vec2_dot(d, row->counted), gmc_vec2_dot(gmc_vec2_left(d), row->counted)};
    row->heading = (gmc_vec2){from.x * d.x - from.y * d.y, from.y * d.x + from.x * d.y};
}

/// Impulses along rows of that heading from those along the contact's directions, and back. The two
/// may be the same.
static void impulse_into(gmc_vec2 heading, const double kept[3], double r[3])
{
    double t1 = kept[1], t2 = kept[2];
    r[0] = kept[0];
    r[1] = heading.x * t1 + heading.y * t2;
    r[2] = heading.x * t2 - heading.y * t1;
}

static void impulse_out(gmc_vec2 heading, const double r[3], double kept[3])
{
    double t1 = r[1], t2 = r[2];
    kept[0] = r[0];
    kept[1] = heading.x * t1 - heading.y * t2;
    kept[2] = heading.x * t2 + heading.y * t1;
}

/// Is there a corner to turn? In the plane there are two, which are exact.
static bool has_corners(const gmc_rigid_step *step, const gmc_rigid_contact *row)
{
    return step->options->motion == GMC_MOTION_DYNAMIC && row->facet_count > 2 && row->friction > 0;
}

/// Slip at the end of the step before, along the rows.
static gmc_vec2 last_slip(const gmc_rigid_step *step, const gmc_contact *contact,
                          const gmc_rigid_contact *row)
{
    const gmc_world *world = step->motion.world;
    gmc_twist V_a = gmc_kinematics_twist(&world->kin, contact->body_a, world->state.v);
    gmc_twist V_b = gmc_kinematics_twist(&world->kin, contact->body_b, world->state.v);
    gmc_twist V = gmc_twist_add_scaled(V_b, -1, V_a);
    gmc_vec3 u = gmc_twist_at(&V, contact->point.p);
    return (gmc_vec2){row->scale[0] * gmc_vec3_dot(contact->dir[1], u),
                      row->scale[1] * gmc_vec3_dot(contact->dir[2], u)};
}

/// From slip and friction, in which `answer` [1/kg] is what slips more without one unit of
/// friction: where the next slip is expected. Of what is fast the slip; what is slow goes by its
/// friction, for a corner at a slip that friction turns within a step overshoots it, in turns to
/// both sides.
static gmc_vec2 slip_ahead(gmc_vec2 slip, gmc_vec2 friction, double answer)
{
    return gmc_vec2_unit(gmc_vec2_add_scaled(slip, -answer, friction));
}

/// Impulses along the rows, scaled as they are, from those that a contact or support carries.
static void kept_impulse(const gmc_rigid_contact *row, const double kept[3], double r[3])
{
    double along[3] = {kept[0]};
    for (int i = 0; i < 2; i++)
        along[1 + i] = row->scale[i] > 0 ? kept[1 + i] / row->scale[i] : 0;
    impulse_into(row->heading, along, r);
}

/// Tangents give by a little from the impulses that the contact or support carries.
static void count_from_last(gmc_rigid_contact *row, const double *kept)
{
    double r[3];
    kept_impulse(row, kept, r);
    row->ease = EASE * row->inverse_mass;
    row->counted = (gmc_vec2){r[1], r[2]};
}

/// A corner to where the contact slid at the end of the step before; none where it stuck.
static void start_corner(const gmc_rigid_step *step, const gmc_contact *contact,
                         gmc_rigid_contact *row)
{
    double r[3], rim = CONE_RIM * row->friction * contact->impulse[0];
    if (!has_corners(step, row)) return;
    kept_impulse(row, contact->impulse, r);
    if (r[1] * r[1] + r[2] * r[2] < rim * rim) return; // it stuck
    gmc_vec2 slip = last_slip(step, contact, row);
    if (!(gmc_vec2_norm(slip) > GMC_RIGID_SLIP_SPEED)) return;
    gmc_vec2 d = slip_ahead(slip, (gmc_vec2){r[1], r[2]}, row->inverse_mass);
    if (d.x == 0 && d.y == 0) return;
    turn_corner(row, d);
    row->is_aimed = true;
}

// ---- rows of supports --------------------------------------------------------------------------

// Friction of bodies against the plane on which they stand, in the rigid steppers: a contact whose
// normal force is known [berard2007], eq 14. Its normal row moves nothing and is
// w_N = R (r_N - h N) = 0, so that r_N = h N whatever R > 0 is; the tangents have the
// friction directions of every other contact, evenly spread, which understates friction between
// them (pyramid.h).
//
// Of what slides a corner of the pyramid points where it slides. With corners that stand still
// friction is the same for all directions nearest to one: a body then slides off its way, and
// nothing resists a slow turn. Measured: a disc that slides 0.17 m while it turns by 0.45 rad
// ends 15 mm beside the place that the cone gives; gear_map's verdicts are the cone's in 409 of its
// 441 cells, in 440 with corners that follow.

/// How fast friction alone slows the point within the step, as the mass of its body resists [m/s].
static double slowing_of_support(const gmc_mechanism_step *motion, const gmc_rigid_contact *row)
{
    return row->friction * motion->span * motion->memory->support_forces[row->index] *
           row->inverse_mass;
}

/// A corner of the pyramid to where the point slides, if the step is too short to change that by
/// much: friction of a past direction then slows what is across it, and never beyond rest.
static void aim_support(const gmc_rigid_step *step, gmc_rigid_contact *row)
{
    const double *v = step->motion.world->state.v;
    double u[2] = {0, 0};
    if (step->options->motion != GMC_MOTION_DYNAMIC) return; // nothing goes on by itself
    for (int k = 0; k < row->column_count; k++) {
        u[0] += row->J[1][k] * v[row->columns[k]];
        u[1] += row->J[2][k] * v[row->columns[k]];
    }
    double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    if (!(speed > slowing_of_support(&step->motion, row))) return;
    turn_corner(row, (gmc_vec2){u[0] / speed, u[1] / speed});
}

static gmc_status write_support_point(gmc_rigid_step *step, const gmc_jacobian *jacobian, int point,
                                      gmc_vec3 x)
{
    static const gmc_vec3 ALONG[2] = {{1, 0, 0}, {0, 1, 0}};
    const gmc_mechanism_step *motion = &step->motion;
    gmc_rigid_contact *row = &step->contacts[step->contact_count++];
    size_t n = (size_t)jacobian->count;
    double *J = GMC_NEW(motion->scratch, 3 * n, double), inverse_mass = 0;
    if (!J) return GMC_E_ARENA_FULL;
    for (int t = 0; t < 2; t++)
        gmc_mechanism_point_row(jacobian, gmc_vec3_sub(x, jacobian->about), ALONG[t],
                                J + (size_t)(1 + t) * n);
    for (size_t k = 0; k < n; k++) {
        int i = jacobian->columns[k];
        inverse_mass += J[n + k] * J[n + k] / gmc_mechanism_mass_row(motion, i)[i];
    }
    *row = (gmc_rigid_contact){.index = point,
                               .column_count = jacobian->count,
                               .columns = jacobian->columns,
                               .J = {J, J + n, J + 2 * n},
                               .scale = {1, 1},
                               .heading = {1, 0},
                               .inverse_mass = inverse_mass,
                               .compliance = inverse_mass, // of the size of what is beside it
                               .spin = -1,
                               .friction = motion->world->model->support_points[point].friction,
                               .facet_count = (int)gmc_rigid_setting(step, GMC_RIGID_DIRECTIONS)};
    row->bias = -row->compliance * motion->span * motion->memory->support_forces[point];
    count_from_last(row, motion->world->support_impulse + 3 * point);
    aim_support(step, row);
    return GMC_OK;
}

/// Contacts of the supports, behind those of the world; there is room.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status write_supports(gmc_rigid_step *step)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    gmc_arena *scratch = step->motion.scratch;
    int n = model->free_count;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double *S = GMC_ROOM(scratch, 6 * n, double);
        int *columns = GMC_ROOM(scratch, n + 1, int);
        if (!S || !columns) return GMC_E_ARENA_FULL;
        gmc_jacobian jacobian = gmc_jacobian_of(model, &world->kin, 0, support->body, columns, S);
        for (int k = support->point_first; k < support->point_first + support->point_count; k++) {
            gmc_vec2 p = model->support_points[k].p;
            gmc_vec3 x = gmc_pose_apply(&world->kin.X_wb[support->body], (gmc_vec3){p.x, p.y, 0});
            GMC_TRY(write_support_point(step, &jacobian, k, x));
        }
    }
    return GMC_OK;
}

/// Their impulses into the world.
static void keep_supports(const gmc_rigid_step *step)
{
    double *all = step->motion.world->support_impulse;
    for (int c = step->touching_count; c < step->contact_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        double *kept = all + 3 * row->index;
        double impulse[3];
        impulse_out(row->heading, step->r + 3 * c, impulse);
        for (int i = 0; i < 3; i++)
            kept[i] = impulse[i] + (step->is_later ? kept[i] : 0);
    }
}

// ---- rows of contacts --------------------------------------------------------------------------

// Rows of the rigid steppers: what contacts and supports are to the complementarity problem.
//
// Over-constrained contact (two pads with four points each on a cube) has many solutions, and a
// pivoting method ends in a corner of their set: all force on one point of a pad, about which the
// cube then turns. A compliance of 1e-7 of the contact's inverse mass on normals decides for
// forces as even as can be. Its price is a gap of 1e-7 h² F/m: 1e-10 m under its own weight at 10
// ms; where it is more it is counted from what was found, and the solve repeated. Tangents have a
// tenth of it, counted from the impulses of the step before, for from zero what is held would creep:
// so it moves once, by what its friction changes from the first step to the last, 1e-14 m for its
// own weight. Without it tangents that hold the same twice make gaps of 1e-12 m decide: in three of
// ten steps of a held gear a contact then slides at 1e-9 m/s. As much as normals have lets a hammer
// that is swung move 1e-10 m a second (test_turning_hand), a hundredth costs a tenth more work.
// Measured on test/support's pinch_box at mu 0.3: without compliance the cube loses its hold in
// the shake, with it the motion is the default stepper's.

/// Overlap from which two bodies that nothing can move are jammed [m].
static const double JAM_DEPTH = 1e-3;

/// What friction is at this contact now: static or kinetic, along and across a grain.
static void write_friction(const gmc_rigid_step *step, const gmc_contact *contact,
                           gmc_rigid_contact *row)
{
    row->scale[0] = row->scale[1] = 1;
    row->friction = contact->law.friction;
    if (!contact->extra) return;
    row->friction *= gmc_contact_friction_share(&step->motion.world->kin, contact);
    row->scale[0] = contact->extra->scale[0];
    row->scale[1] = contact->extra->scale[1];
}

/// Three rows; two directions suffice where t2 is not moved along.
static void write_contact_rows(const gmc_rigid_step *step, const gmc_jacobian *jacobian,
                               const gmc_contact *contact, double *rows, gmc_rigid_contact *row)
{
    gmc_vec3 arm = gmc_vec3_sub(contact->point.p, jacobian->about);
    int n = row->column_count;
    bool is_planar = row->given[2] == 0;
    for (int i = 0; i < 3; i++) {
        double scale = i > 0 ? row->scale[i - 1] : 1;
        row->given[i] *= scale;
        row->J[i] = rows + i * n;
        gmc_mechanism_point_row(jacobian, arm, gmc_vec3_scale(scale, contact->dir[i]),
                                rows + i * n);
    }
    for (int k = 0; k < n; k++)
        is_planar = is_planar && row->J[2][k] == 0;
    row->facet_count = is_planar ? 2 : (int)gmc_rigid_setting(step, GMC_RIGID_DIRECTIONS);
    double rate = gmc_rigid_anchor_rate(step);
    for (int i = 0; i < 2; i++)
        row->given[i + 1] += row->scale[i] * contact->deflection[i] * rate;
}

/// J of the spin of b against a about the normal. @return can anything turn so?
static bool write_spin(const gmc_jacobian *jacobian, gmc_vec3 n, double *J)
{
    const double along[6] = {0, 0, 0, n.x, n.y, n.z};
    bool is_any = false;
    for (int k = 0; k < jacobian->count; k++) {
        const double *S = jacobian->S + 6 * k;
        int unit = k - jacobian->general_count;
        J[k] = unit < 0 ? n.x * S[3] + n.y * S[4] + n.z * S[5] : jacobian->sign * along[unit];
        is_any = is_any || J[k] != 0;
    }
    return is_any;
}

/// Row of the moment about the normal behind those of joints; there is room. It gives by a little
/// from the moment that the contact carries, as tangents do.
/// @param driven  spin about the normal by driven joints alone [rad/s]
static void add_spin(gmc_rigid_step *step, const gmc_contact *contact, double driven,
                     gmc_rigid_contact *row)
{
    gmc_mechanism_step *motion = &step->motion;
    double mobility = 0, moment = contact->extra->moment[0];
    for (int k = 0; k < row->column_count; k++) {
        int i = row->columns[k];
        mobility += row->J_spin[k] * row->J_spin[k] / gmc_mechanism_mass_row(motion, i)[i];
    }
    double limit = contact->extra->torsion * fmax(contact->impulse[0], 0), R = EASE * mobility;
    row->spin = motion->row_count++;
    motion->rows[row->spin] = (gmc_ncp_row){.column_count = row->column_count,
                                            .columns = row->columns,
                                            .J = row->J_spin,
                                            .bias = driven - R * moment,
                                            .compliance = R,
                                            .lower = -limit,
                                            .upper = limit};
    motion->s[row->spin] = gmc_ncp_clamp(moment, -limit, limit);
}

/// The same where the contact bears one and something can turn about it.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status open_spin(gmc_rigid_step *step, const gmc_contact *contact,
                            const gmc_jacobian *jacobian, const gmc_mechanism_lead *driven,
                            gmc_rigid_contact *row)
{
    if (!contact->extra || !(contact->extra->torsion > 0)) return GMC_OK;
    double *J = GMC_ROOM(step->motion.scratch, jacobian->count, double);
    if (!J) return GMC_E_ARENA_FULL;
    row->J_spin = J;
    if (!write_spin(jacobian, contact->dir[0], J)) return GMC_OK;
    add_spin(step, contact, driven->v ? gmc_vec3_dot(contact->dir[0], driven->V.w) : 0, row);
    return GMC_OK;
}

/// What moves a contact, and how; out: `row`.
static gmc_status open_contact(gmc_rigid_step *step, const gmc_contact *contact,
                               gmc_mechanism_lead *driven, double *S, gmc_rigid_contact *row)
{
    const gmc_world *world = step->motion.world;
    gmc_arena *scratch = step->motion.scratch;
    int *columns = GMC_ROOM(scratch, world->model->free_count + 1, int);
    if (!columns) return GMC_E_ARENA_FULL;
    gmc_jacobian jacobian =
        gmc_jacobian_of(world->model, &world->kin, contact->body_a, contact->body_b, columns, S);
    double *rows = GMC_ROOM(scratch, 3 * jacobian.count, double);
    if (!rows) return GMC_E_ARENA_FULL;
    row->column_count = jacobian.count;
    row->columns = columns;
    gmc_mechanism_lead_at(&world->kin, contact, driven, row->given);
    write_friction(step, contact, row);
    write_contact_rows(step, &jacobian, contact, rows, row);
    return open_spin(step, contact, &jacobian, driven, row);
}

/// Can the bodies be moved along the normal?
static bool gives_way(const gmc_rigid_contact *row)
{
    for (int k = 0; k < row->column_count; k++)
        if (row->J[0][k] != 0) return true;
    return false;
}

/// About J_n M⁻¹ J_nᵀ: what the mass matrix' diagonal makes of it [1/kg].
static double inverse_mass(const gmc_mechanism_step *motion, const gmc_rigid_contact *contact)
{
    double sum = 0;
    for (int k = 0; k < contact->column_count; k++) {
        int column = contact->columns[k];
        double J = contact->J[0][k];
        sum += J * J / gmc_mechanism_mass_row(motion, column)[column];
    }
    return sum;
}

/// Contacts that take part and can be moved.
static gmc_status add_contacts(gmc_rigid_step *step, const double *bias, gmc_mechanism_lead *driven,
                               double *S)
{
    const gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        const gmc_contact *contact = &world->contacts.contacts[c];
        gmc_rigid_contact *row = &step->contacts[step->contact_count];
        if (!(bias[c] < HUGE_VAL)) continue;
        int row_count = step->motion.row_count;
        *row = (gmc_rigid_contact){.index = c, .bias = bias[c], .heading = {1, 0}, .spin = -1};
        GMC_TRY(open_contact(step, contact, driven, S, row));
        row->inverse_mass = inverse_mass(&step->motion, row);
        row->compliance = EVENNESS * row->inverse_mass;
        count_from_last(row, contact->impulse);
        if (gives_way(row)) {
            start_corner(step, contact, row);
            step->contact_count++;
            continue;
        }
        step->motion.row_count = row_count; // what nothing presses on bears no moment
        if (row->given[0] < 0 && contact->point.gap < -JAM_DEPTH) return GMC_E_MISMATCH;
    }
    step->touching_count = step->contact_count;
    return GMC_OK;
}

/// Rows of the contacts that take part and of supports; Mh is known.
/// @return GMC_OK, GMC_E_MISMATCH (bodies that nothing moves overlap), GMC_E_ARENA_FULL
static gmc_status write_contacts(gmc_rigid_step *step, const double *bias)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    gmc_arena *scratch = step->motion.scratch;
    int count = world->contacts.count + model->support_point_count;
    double *S = GMC_ROOM(scratch, 6 * model->free_count, double);
    gmc_mechanism_lead driven = {.body_a = -1};
    step->contacts = GMC_NEW(scratch, count + 1, gmc_rigid_contact);
    step->contact_count = 0;
    if (!step->contacts || !S) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven.v));
    GMC_TRY(add_contacts(step, bias, &driven, S));
    return write_supports(step);
}

// ---- the problem -------------------------------------------------------------------------------

// The problem is written down as rows of three per contact in front of the joints' rows. From the
// impulses of the step before facets.h nearly always solves it. What it does not becomes an LCP
// (polyhedral.h): what dual_ncp.h makes of the rows are units of three, the contacts' first, whose
// law is then changed from a box to a pyramid.

/// What the compliance of normals may do to a gap before the solve is repeated without it [m]; and
/// how often that is tried: each round takes seven digits off.
static const double GAP_ERROR = 1e-10;
enum { ROUNDS = 3 };
/// What it may still do after that [m]. More shows that there is no room between bodies, or that
/// friction holds them: then each round pushes twice as far as the one before, and what is left
/// after that many pushes, 2^20 times the first, no friction holds.
static const double JAM_GAP = 1e-7;
enum { PUSHES = 20 };

/// The problem with what of it stays as corners turn; made once for a solve.
typedef struct pyramids {
    gmc_ncp problem;
    gmc_ncp_row *rows;    ///< of the problem: three for each contact, then the joints'
    gmc_dual_unit *units; ///< (contact_count)
    gmc_facets facets;
} pyramids;

/// Biases without what compliance is counted from; J is that of the contacts.
static void write_biases(const gmc_rigid_step *step, pyramids *p)
{
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        for (int i = 0; i < 3; i++)
            p->rows[3 * c + i].bias = contact->given[i] + (i == 0 ? contact->bias : 0);
    }
}

/// @return GMC_OK, GMC_E_NO_SOLUTION (Mh is not positive definite), GMC_E_ARENA_FULL
static gmc_status make_pyramids(const gmc_rigid_step *step, pyramids *p)
{
    const gmc_mechanism_step *motion = &step->motion;
    size_t first = 3 * (size_t)step->contact_count, joints = (size_t)motion->row_count;
    p->rows = GMC_NEW(motion->scratch, first + joints, gmc_ncp_row);
    p->units = GMC_ROOM(motion->scratch, step->contact_count, gmc_dual_unit);
    if (!p->rows || !p->units) return GMC_E_ARENA_FULL;
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        for (int i = 0; i < 3; i++)
            p->rows[3 * c + i] =
                (gmc_ncp_row){.column_count = contact->column_count,
                              .columns = contact->columns,
                              .J = contact->J[i],
                              .compliance = i == 0 ? contact->compliance : contact->ease};
        p->units[c] =
            (gmc_dual_unit){.friction = contact->friction, .facet_count = contact->facet_count};
    }
    if (joints > 0) memcpy(p->rows + first, motion->rows, joints * sizeof *p->rows);
    write_biases(step, p);
    p->problem = step->system;
    p->problem.row_count = (int)(first + joints);
    p->problem.rows = p->rows;
    return gmc_facets_create(&p->problem, p->units, step->contact_count, motion->scratch,
                             &p->facets);
}

/// Units of contacts are pyramids, not boxes.
static gmc_status write_laws(const gmc_rigid_step *step, const pyramids *p, gmc_dual *dual)
{
    size_t count = (size_t)dual->unit_count;
    gmc_dual_unit *units = GMC_ROOM(step->motion.scratch, count, gmc_dual_unit);
    if (!units) return GMC_E_ARENA_FULL;
    memcpy(units, dual->units, count * sizeof *units);
    memcpy(units, p->units, (size_t)step->contact_count * sizeof *units);
    dual->units = units;
    return GMC_OK;
}

/// A dual problem whose contacts' compliance is counted from other impulses than zero: q of
/// shifted components is q_first - R r.
typedef struct proximal {
    gmc_dual dual;
    const gmc_ncp *problem;
    const double *q_first;
    double *q; ///< of dual
} proximal;

static gmc_status open_proximal(const gmc_dual *dual, const gmc_ncp *problem, gmc_arena *scratch,
                                proximal *p)
{
    size_t size = 3 * (size_t)dual->unit_count;
    *p = (proximal){.dual = *dual, .problem = problem, .q_first = dual->q};
    p->q = GMC_ROOM(scratch, size, double);
    if (!p->q) return GMC_E_ARENA_FULL;
    memcpy(p->q, dual->q, size * sizeof *p->q);
    p->dual.q = p->q;
    return GMC_OK;
}

/// By how much more the compliance shifts row i than it is counted from [m/s].
static double shift_off(const proximal *p, int i, const double *r)
{
    return p->problem->rows[i].compliance * r[i] - (p->q_first[i] - p->q[i]);
}

/// By how much the compliance moves gaps with these impulses [m].
static double gap_error(const gmc_rigid_step *step, const proximal *p, const double *r)
{
    double worst = 0;
    for (int i = 0; i < 3 * step->touching_count; i++)
        worst = fmax(worst, fabs(shift_off(p, i, r)));
    return step->motion.h * worst;
}

/// The compliance is counted from these impulses, that of normals from those `stretch` times as far
/// away.
static void count_from(const gmc_rigid_step *step, proximal *p, const double *r, double stretch)
{
    for (int i = 0; i < 3 * step->touching_count; i++)
        p->q[i] -= (i % 3 == 0 ? stretch : 1) * shift_off(p, i, r);
}

/// Do normals press harder than they are counted from?
static bool is_pressed(const gmc_rigid_step *step, const proximal *p, const double *r)
{
    double sum = 0;
    for (int i = 0; i < 3 * step->touching_count; i += 3)
        sum += shift_off(p, i, r);
    return sum > 0;
}

static const gmc_solver *solver_of(const gmc_rigid_step *step)
{
    return step->options->solver ? step->options->solver : gmc_solver_find("lemke");
}

/// Does the compliance still move a gap when it has been counted from what it found?
static bool gives_much(const gmc_rigid_step *step, proximal *p, double *r)
{
    gmc_solver_report report;
    for (int round = 0; round < ROUNDS; round++) {
        if (gmc_solver_solve(solver_of(step), &p->dual, step->options->residual_max, r,
                             step->motion.scratch, &report) != GMC_OK)
            return false;
        if (gap_error(step, p, r) <= JAM_GAP) return false;
        count_from(step, p, r, 1);
    }
    return true;
}

/// Is there no motion at all that keeps bodies apart? Without friction the problem always has a
/// solution, for normals give by their compliance: by too much if driven bodies press on what
/// cannot give way.
static bool is_jammed(const gmc_rigid_step *step, const proximal *p)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t mark = gmc_arena_mark(scratch), count = (size_t)p->dual.unit_count;
    gmc_dual_unit *units = GMC_ROOM(scratch, count, gmc_dual_unit);
    double *r = GMC_NEW(scratch, 3 * count, double);
    bool is_so = false;
    if (units && r) {
        gmc_dual dual = p->dual;
        proximal smooth;
        memcpy(units, dual.units, count * sizeof *units);
        for (size_t c = 0; c < count; c++)
            units[c].friction = 0;
        dual.units = units;
        dual.q = p->q_first;
        is_so = open_proximal(&dual, p->problem, scratch, &smooth) == GMC_OK &&
                gives_much(step, &smooth, r);
    }
    gmc_arena_reset(scratch, mark);
    return is_so;
}

/// From the impulses in r; from none where those mislead.
static gmc_status solve_from_either(gmc_rigid_step *step, const proximal *p,
                                    gmc_solver_report *solved)
{
    const double residual_max = step->options->residual_max;
    gmc_arena *scratch = step->motion.scratch;
    gmc_status status =
        gmc_solver_solve(solver_of(step), &p->dual, residual_max, step->r, scratch, solved);
    if (status != GMC_E_NO_SOLUTION) return status;
    memset(step->r, 0, 3 * (size_t)p->dual.unit_count * sizeof *step->r);
    return gmc_solver_solve(solver_of(step), &p->dual, residual_max, step->r, scratch, solved);
}

static gmc_status solve_once(gmc_rigid_step *step, const proximal *p)
{
    gmc_solver_report solved = {.rung = 1};
    gmc_status status = GMC_OK;
    if (p->dual.unit_count > 0) status = solve_from_either(step, p, &solved);
    if (status == GMC_E_NO_SOLUTION && is_jammed(step, p)) return GMC_E_MISMATCH;
    if (status != GMC_OK) return status;
    gmc_dual_answer(&p->dual, step->r, step->w);
    if (solved.rung > step->report.rung) step->report.rung = solved.rung;
    step->report.iterations += solved.iterations;
    step->report.residual = fmax(step->report.residual, solved.residual);
    return GMC_OK;
}

/// Components of r and w: 3 per unit.
static size_t dual_size(const gmc_rigid_step *step)
{
    return 3 * (size_t)gmc_dual_ncp_units(0, 3 * step->contact_count + step->motion.row_count);
}

/// Room for r, w and s of the step.
/// @return GMC_OK, GMC_E_ARENA_FULL
static gmc_status make_dual(gmc_rigid_step *step)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t size = dual_size(step);
    step->r = GMC_NEW(scratch, size, double);
    step->w = GMC_NEW(scratch, size, double);
    step->s = GMC_NEW(scratch, size, double);
    return step->r && step->w && step->s ? GMC_OK : GMC_E_ARENA_FULL;
}

/// r: the impulses of the step before, of contacts that were there.
static void start_dual(gmc_rigid_step *step)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_world *world = motion->world;
    memset(step->r, 0, dual_size(step) * sizeof *step->r);
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        double *r = step->r + 3 * c;
        const double *kept = c < step->touching_count ? world->contacts.contacts[row->index].impulse
                                                      : world->support_impulse + 3 * row->index;
        kept_impulse(row, kept, r);
        if (!row->is_aimed) continue;
        r[1] = -row->friction * r[0]; // to the corner: beside it the guess has two of them
        r[2] = 0;
    }
    for (int i = 0; i < motion->row_count; i++)
        step->r[3 * step->contact_count + i] = motion->s[i];
}

/// Solve, and again with the compliance counted from the impulses found (a proximal step) while it
/// moves a gap: blows, mostly.
static gmc_status solve_dual(gmc_rigid_step *step, const gmc_ncp *problem, const gmc_dual *dual)
{
    proximal p;
    double error = 0;
    GMC_TRY(open_proximal(dual, problem, step->motion.scratch, &p));
    for (int c = 0; c < step->contact_count; c++) {
        p.q[3 * c + 1] -= step->contacts[c].ease * step->contacts[c].counted.x;
        p.q[3 * c + 2] -= step->contacts[c].ease * step->contacts[c].counted.y;
    }
    // what a driven body presses on by a hair's breadth answers with the compliance alone until its
    // friction gives: equal pushes would take long to get there
    for (int round = 1, stretch = 1; round <= ROUNDS + PUSHES; round++) {
        double before = error;
        GMC_TRY(solve_once(step, &p));
        error = gap_error(step, &p, step->r);
        if (error <= (round < ROUNDS ? GAP_ERROR : JAM_GAP)) break;
        bool is_held = round > 1 && error > fmax(JAM_GAP, before / 2);
        stretch = is_held && is_pressed(step, &p, step->r) ? 2 * stretch : 1;
        count_from(step, &p, step->r, stretch);
    }
    // each round takes it down, unless there is no room
    return error <= JAM_GAP ? GMC_OK : GMC_E_MISMATCH;
}

/// By the LCP, written down as a whole: what the facets do not solve, and whether there is room
/// between bodies.
static gmc_status solve_lcp(gmc_rigid_step *step, const pyramids *p)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_dual_ncp pair;
    GMC_TRY(gmc_dual_ncp_create(&p->problem, motion->scratch, &pair));
    GMC_TRY(write_laws(step, p, &pair.dual));
    GMC_TRY(solve_dual(step, &p->problem, &pair.dual));

    gmc_ncp_solution found = {.v = motion->v, .s = step->s};
    gmc_dual_ncp_spread(&pair, step->r, &found);
    return GMC_OK;
}

/// Biases with what the compliance is counted from: the last impulses of tangents; of normals none.
/// @param counted  (row_count) zeros; out: it
static void count_from_start(const gmc_rigid_step *step, pyramids *p, double *counted)
{
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        counted[3 * c + 1] = contact->counted.x;
        counted[3 * c + 2] = contact->counted.y;
        for (int i = 1; i < 3; i++)
            p->rows[3 * c + i].bias -= contact->ease * counted[3 * c + i];
    }
}

/// By how much the compliance moves gaps with these impulses [m]; it is counted from them then.
/// Without inertia that of supports' tangents, too, which are all that holds a body then.
static double count_from_found(const gmc_rigid_step *step, pyramids *p, const double *r,
                               double *counted)
{
    bool is_dynamic = step->options->motion == GMC_MOTION_DYNAMIC;
    int count = is_dynamic ? step->touching_count : step->contact_count;
    double worst = 0;
    for (int i = 0; i < 3 * count; i++) {
        if (i % 3 == 0 && i >= 3 * step->touching_count) continue; // it makes the normal force
        double off = p->rows[i].compliance * (r[i] - counted[i]);
        worst = fmax(worst, fabs(off));
        p->rows[i].bias -= off;
        counted[i] = r[i];
    }
    return step->motion.h * worst;
}

/// By the facets. @return GMC_OK; r of the step is untouched else: GMC_E_NO_SOLUTION,
/// GMC_E_ARENA_FULL
static gmc_status solve_by_facets(gmc_rigid_step *step, pyramids *p)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t count = (size_t)p->problem.row_count;
    double *r = GMC_ROOM(scratch, count, double), *counted = GMC_NEW(scratch, count, double);
    if (!r || !counted) return GMC_E_ARENA_FULL;
    memcpy(r, step->r, count * sizeof *r);
    const gmc_facets_solution x = {r, step->motion.v, step->w};
    count_from_start(step, p, counted);
    for (int round = 1; round <= ROUNDS; round++) {
        gmc_facets_result found;
        GMC_TRY(gmc_facets_solve(&p->facets, step->options->residual_max, &x, scratch, &found));
        step->report.iterations += found.systems;
        if (count_from_found(step, p, r, counted) > GAP_ERROR) continue;
        memcpy(step->r, r, count * sizeof *r);
        memcpy(step->s, r, count * sizeof *r);
        if (step->report.rung < 1) step->report.rung = 1;
        step->report.residual = fmax(step->report.residual, found.residual);
        return GMC_OK;
    }
    return GMC_E_NO_SOLUTION;
}

/// Solve the problem as it stands from r: v, r and w of the step, s of its rows. A solver that is
/// given is asked alone.
/// @return GMC_OK; s is untouched else: GMC_E_NO_SOLUTION, GMC_E_MISMATCH (there is no room between
///         bodies), GMC_E_ARENA_FULL
static gmc_status solve_pyramids(gmc_rigid_step *step, pyramids *p)
{
    write_biases(step, p);
    gmc_status status = step->options->solver ? GMC_E_NO_SOLUTION : solve_by_facets(step, p);
    if (status != GMC_E_NO_SOLUTION) return status;
    write_biases(step, p);
    return solve_lcp(step, p);
}

// ---- moments about normals ---------------------------------------------------------------------

// |m| <= t r_N: the columns of D that turn about the normal [miller2003] §2.1, with a λ of their
// own. The limit is that of the same solve: solve, move the limits to the normals that came of it,
// solve again until both agree, as coulomb_moments.c does. Where loads change little from step to
// step the first solution has them. Rejected: units of two facets whose normal is held at the
// contact's; they make the problem half as wide again for all that only a blow needs.

/// Solves with limits moved at most; what is left then is a limit that lags by a round.
enum { SPIN_ROUNDS = 20 };
/// Relative disagreement of a limit and its normal impulse that is let pass.
static const double SPIN_AGREEMENT = 1e-9;

/// Is a moment right for `wanted` when it was found under `limit`? Inside both it does not matter.
static bool is_within(double moment, double limit, double wanted)
{
    bool is_free = moment < limit * (1 - 1e-12);
    return is_free ? moment <= wanted * (1 + SPIN_AGREEMENT)
                   : fabs(limit - wanted) <= SPIN_AGREEMENT * fmax(limit, wanted);
}

/// Limits to the normals of the solution. @return was one of them not what its moment asks for?
static bool move_limits(const gmc_rigid_step *step, pyramids *p)
{
    const gmc_contact *contacts = step->motion.world->contacts.contacts;
    bool is_any = false;
    for (int c = 0; c < step->touching_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        if (contact->spin < 0) continue;
        int i = 3 * step->contact_count + contact->spin;
        double limit = contacts[contact->index].extra->torsion * fmax(step->r[3 * c], 0);
        if (!is_within(fabs(step->s[i]), p->rows[i].upper, limit)) is_any = true;
        p->rows[i].lower = -limit;
        p->rows[i].upper = limit;
    }
    return is_any;
}

// ---- all of a solution -------------------------------------------------------------------------

/// Does the contact slide where its friction is not against it?
static bool is_off(const gmc_rigid_step *step, int c)
{
    const gmc_rigid_contact *row = &step->contacts[c];
    const double *r = step->r + 3 * c, *w = step->w + 3 * c;
    gmc_vec2 slip = {w[1], w[2]}, friction = {r[1], r[2]};
    double speed = gmc_vec2_norm(slip), most = row->friction * r[0];
    if (!has_corners(step, row) || !(r[0] > 0) || !(speed > GMC_RIGID_SLIP_SPEED)) return false;
    return gmc_vec2_norm(gmc_vec2_add_scaled(friction, most / speed, slip)) > OFF * most;
}

static bool is_any_off(const gmc_rigid_step *step)
{
    bool is_any = false;
    for (int c = 0; c < step->touching_count && !is_any; c++)
        is_any = is_off(step, c);
    return is_any;
}

/// Slip without any friction, with the normals that the solution has.
static gmc_status slip_alone(const gmc_rigid_step *step, const pyramids *p, double **alone)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t size = (size_t)p->problem.row_count;
    double *r = GMC_ROOM(scratch, size, double);
    double *v = GMC_ROOM(scratch, p->problem.dof_count, double);
    *alone = GMC_ROOM(scratch, size, double);
    if (!r || !v || !*alone) return GMC_E_ARENA_FULL;
    memcpy(r, step->r, size * sizeof *r);
    for (int c = 0; c < step->touching_count; c++)
        r[3 * c + 1] = r[3 * c + 2] = 0;
    gmc_facets_answer(&p->facets, r, v, *alone);
    return GMC_OK;
}

/// Where the corner of a contact that is off ought to point, in its rows; {0, 0}: nowhere else.
static gmc_vec2 wanted_corner(const gmc_rigid_contact *row, const double r[3], const double w[3],
                              const double alone[3])
{
    gmc_vec2 slip = {w[1], w[2]}, friction = {r[1], r[2]}, free = {alone[1], alone[2]};
    double size = gmc_vec2_norm(friction);
    // a pyramid that stands still errs by a side at most; more shows that others decide the slip
    double side = gmc_cos(2 * GMC_PI / row->facet_count) * size * gmc_vec2_norm(free);
    bool is_own = -gmc_vec2_dot(free, friction) > side;
    if (!(size > 0) || (!row->is_aimed && is_own)) return gmc_vec2_unit(free);
    return slip_ahead(slip, friction, gmc_vec2_norm(gmc_vec2_sub(free, slip)) / size);
}

/// Turn the corners that are off; impulses there start at them.
static gmc_status turn_off_ones(gmc_rigid_step *step, const pyramids *p)
{
    double *alone;
    GMC_TRY(slip_alone(step, p, &alone));
    for (int c = 0; c < step->touching_count; c++) {
        gmc_rigid_contact *row = &step->contacts[c];
        double *r = step->r + 3 * c;
        if (!is_off(step, c)) continue;
        gmc_vec2 d = wanted_corner(row, r, step->w + 3 * c, alone + 3 * c);
        if (d.x == 0 && d.y == 0) continue;
        turn_corner(row, d);
        row->is_aimed = true;
        r[1] = -row->friction * r[0];
        r[2] = 0;
    }
    return GMC_OK;
}

/// Corners back to the directions of their contacts. @return was there any that was not?
static bool turn_back(gmc_rigid_step *step)
{
    bool is_any = false;
    for (int c = 0; c < step->touching_count; c++) {
        gmc_rigid_contact *row = &step->contacts[c];
        if (!row->is_aimed) continue;
        turn_corner(row, (gmc_vec2){row->heading.x, -row->heading.y});
        row->is_aimed = false;
        is_any = true;
    }
    return is_any;
}

// ---- the solve ---------------------------------------------------------------------------------

/// A solution to go back to. Velocities and the joints' impulses are written by success alone.
typedef struct solution {
    size_t size;
    double *r, *w;
    gmc_vec2 *heading; ///< (touching_count) of the rows that they are along
} solution;

static gmc_status make_solution(const gmc_rigid_step *step, solution *kept)
{
    gmc_arena *scratch = step->motion.scratch;
    kept->size = dual_size(step);
    kept->r = GMC_ROOM(scratch, kept->size, double);
    kept->w = GMC_ROOM(scratch, kept->size, double);
    kept->heading = GMC_ROOM(scratch, step->touching_count, gmc_vec2);
    return kept->r && kept->w && kept->heading ? GMC_OK : GMC_E_ARENA_FULL;
}

static void keep_solution(const gmc_rigid_step *step, solution *kept)
{
    memcpy(kept->r, step->r, kept->size * sizeof *kept->r);
    memcpy(kept->w, step->w, kept->size * sizeof *kept->w);
    for (int c = 0; c < step->touching_count; c++)
        kept->heading[c] = step->contacts[c].heading;
}

static void take_back_solution(gmc_rigid_step *step, const solution *kept)
{
    memcpy(step->r, kept->r, kept->size * sizeof *kept->r);
    memcpy(step->w, kept->w, kept->size * sizeof *kept->w);
    for (int c = 0; c < step->touching_count; c++) {
        gmc_vec2 now = step->contacts[c].heading, then = kept->heading[c];
        turn_corner(&step->contacts[c],
                    (gmc_vec2){gmc_vec2_dot(now, then), gmc_vec2_cross(now, then)});
    }
}

static bool is_unsolved(gmc_status status)
{
    return status == GMC_E_NO_SOLUTION || status == GMC_E_MISMATCH;
}

/// From a solution on, as long as it slides where no corner is.
static gmc_status follow_slides(gmc_rigid_step *step, pyramids *p, solution *kept)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t mark = gmc_arena_mark(scratch);
    for (int round = 0; round < CORNER_ROUNDS && is_any_off(step); round++) {
        keep_solution(step, kept);
        GMC_TRY(turn_off_ones(step, p));
        gmc_arena_reset(scratch, mark);
        gmc_status status = solve_pyramids(step, p);
        if (!is_unsolved(status) && status != GMC_OK) return status;
        if (status == GMC_OK) continue;
        take_back_solution(step, kept);
        break;
    }
    return GMC_OK;
}

/// Solve, and again with corners of contacts turned to where the solution slides and limits of
/// moments moved to its normals: v, r and w of the step, s of its rows.
/// @return GMC_OK, GMC_E_NO_SOLUTION, GMC_E_MISMATCH (there is no room between bodies),
///         GMC_E_ARENA_FULL
static gmc_status solve_with_corners(gmc_rigid_step *step)
{
    gmc_arena *scratch = step->motion.scratch;
    pyramids p;
    solution kept;
    GMC_TRY(make_solution(step, &kept));
    GMC_TRY(make_pyramids(step, &p));
    size_t mark = gmc_arena_mark(scratch);

    // corners where contacts slid before; as they stood if that has no solution
    start_dual(step);
    gmc_status status = solve_pyramids(step, &p);
    if (is_unsolved(status) && turn_back(step)) {
        gmc_arena_reset(scratch, mark);
        start_dual(step);
        status = solve_pyramids(step, &p);
    }
    if (status != GMC_OK) return status;
    gmc_arena_reset(scratch, mark);

    // and where the solution slides, with moments that its normals bear
    GMC_TRY(follow_slides(step, &p, &kept));
    for (int round = 0; round < SPIN_ROUNDS && move_limits(step, &p); round++) {
        gmc_arena_reset(scratch, mark);
        GMC_TRY(solve_pyramids(step, &p));
        GMC_TRY(follow_slides(step, &p, &kept));
    }
    return GMC_OK;
}

// ---- islands -----------------------------------------------------------------------------------

// Bodies that contacts link, and joints of one mechanism, are an island ([miller2003] §4, steps 9
// and 10); what stands still links nothing. Each is a problem of its own, with dofs, contacts and
// rows in the order in which they have stood, and is judged by its own residual: what is alone in
// the world and what stands beside others have the same bits, and a blow does not cost those that
// lie still anything. An island that nothing touches is eq 15 of the paper, v = Mh⁻¹ p*.

/// Blocks of Mh as islands, each named after its first block.
typedef struct islands {
    int *parent;     ///< (block_count) towards the first block of the island
    int *block_of;   ///< (free_count)
    int *local;      ///< (free_count) the dof's number in its island
    int *of_contact; ///< (contact_count) contacts of the island at work
    int *of_row;     ///< (row_count) its rows of joints
} islands;

static int island_of(const islands *all, int dof)
{
    int block = all->block_of[dof];
    while (all->parent[block] != block)
        block = all->parent[block];
    return block;
}

static void link(const islands *all, const gmc_rigid_contact *contact)
{
    for (int k = 1; k < contact->column_count; k++) {
        int a = island_of(all, contact->columns[0]), b = island_of(all, contact->columns[k]);
        if (a < b)
            all->parent[b] = a;
        else
            all->parent[a] = b;
    }
}

static gmc_status find_islands(const gmc_rigid_step *step, islands *all)
{
    gmc_arena *scratch = step->motion.scratch;
    const gmc_ncp *system = &step->system;
    size_t n = (size_t)system->dof_count, blocks = (size_t)system->block_count;
    size_t contacts = (size_t)step->contact_count, rows = (size_t)step->motion.row_count;
    int *x = GMC_ROOM(scratch, 2 * n + blocks + contacts + rows, int);
    if (!x) return GMC_E_ARENA_FULL;
    *all = (islands){.block_of = x,
                     .local = x + n,
                     .parent = x + 2 * n,
                     .of_contact = x + 2 * n + blocks,
                     .of_row = x + 2 * n + blocks + contacts};
    for (int b = 0; b < system->block_count; b++) {
        all->parent[b] = b;
        for (int i = system->block_start[b]; i < system->block_start[b + 1]; i++)
            all->block_of[i] = b;
    }
    for (int c = 0; c < step->contact_count; c++)
        link(all, &step->contacts[c]);
    return GMC_OK;
}

/// Mh, p* and numbers of the dofs of one island.
static gmc_status gather_system(const gmc_rigid_step *step, const islands *all, int island,
                                gmc_ncp *system)
{
    const gmc_ncp *from = &step->system;
    gmc_arena *scratch = step->motion.scratch;
    size_t n = (size_t)from->dof_count, width_max = 0, stride;
    for (int b = 0; b < from->block_count; b++) {
        size_t width = (size_t)(from->block_start[b + 1] - from->block_start[b]);
        if (width > width_max) width_max = width;
    }
    double *mass = GMC_ROOM(scratch, n * width_max, double);
    double *momentum = GMC_ROOM(scratch, n, double);
    int *start = GMC_ROOM(scratch, from->block_count + 1, int);
    if (!mass || !momentum || !start) return GMC_E_ARENA_FULL;
    *system = (gmc_ncp){
        .mass = mass, .mass_width = (int)width_max, .block_start = start, .momentum = momentum};
    for (int b = 0; b < from->block_count; b++) {
        const double *M = gmc_ncp_mass_block(from, b, &stride);
        int first = from->block_start[b], width = from->block_start[b + 1] - first;
        if (width == 0 || island_of(all, first) != island) continue;
        start[system->block_count++] = system->dof_count;
        for (int i = 0; i < width; i++) {
            int at = system->dof_count++;
            memcpy(mass + (size_t)at * width_max, M + (size_t)i * stride,
                   (size_t)width * sizeof *mass);
            momentum[at] = from->momentum[first + i];
            all->local[first + i] = at;
        }
    }
    start[system->block_count] = system->dof_count;
    return GMC_OK;
}

/// The columns by the island's numbers. @return NULL: the arena is full
static const int *number_columns(const gmc_rigid_step *step, const islands *all, const int *columns,
                                 int count)
{
    int *made = GMC_ROOM(step->motion.scratch, count, int);
    for (int k = 0; made && k < count; k++)
        made[k] = all->local[columns[k]];
    return made;
}

static gmc_status gather_contacts(const gmc_rigid_step *step, const islands *all, int island,
                                  gmc_rigid_step *part)
{
    part->contacts = GMC_ROOM(step->motion.scratch, step->contact_count, gmc_rigid_contact);
    part->contact_count = part->touching_count = 0;
    if (!part->contacts) return GMC_E_ARENA_FULL;
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *from = &step->contacts[c];
        if (island_of(all, from->columns[0]) != island) continue;
        gmc_rigid_contact *to = &part->contacts[part->contact_count];
        all->of_contact[part->contact_count++] = c;
        if (c < step->touching_count) part->touching_count++;
        *to = *from;
        to->columns = number_columns(step, all, from->columns, from->column_count);
        if (!to->columns) return GMC_E_ARENA_FULL;
    }
    return GMC_OK;
}

static gmc_status gather_rows(const gmc_rigid_step *step, const islands *all, int island,
                              gmc_rigid_step *part)
{
    const gmc_mechanism_step *from = &step->motion;
    gmc_mechanism_step *to = &part->motion;
    to->rows = GMC_ROOM(from->scratch, from->row_count, gmc_ncp_row);
    to->s = GMC_ROOM(from->scratch, from->row_count, double);
    to->row_count = 0;
    int spins = 0; // contacts whose rows may be behind
    if (!to->rows || !to->s) return GMC_E_ARENA_FULL;
    for (int i = 0; i < from->row_count; i++) {
        const gmc_ncp_row *row = &from->rows[i];
        if (island_of(all, row->columns[0]) != island) continue;
        all->of_row[to->row_count] = i;
        while (spins < part->contact_count && part->contacts[spins].spin < i)
            spins++; // those of contacts are in their order, before or behind the joints'
        if (spins < part->contact_count && part->contacts[spins].spin == i)
            part->contacts[spins++].spin = to->row_count;
        to->s[to->row_count] = from->s[i];
        to->rows[to->row_count] = *row;
        to->rows[to->row_count].columns =
            number_columns(step, all, row->columns, row->column_count);
        if (!to->rows[to->row_count++].columns) return GMC_E_ARENA_FULL;
    }
    return GMC_OK;
}

/// What was found of an island, into the whole.
static void scatter_island(const gmc_rigid_step *part, const islands *all, int island,
                           gmc_rigid_step *step)
{
    size_t first = 3 * (size_t)step->contact_count;
    for (int c = 0; c < part->contact_count; c++) {
        gmc_rigid_contact *to = &step->contacts[all->of_contact[c]];
        const int *columns = to->columns;
        int spin = to->spin;
        size_t at = 3 * (size_t)all->of_contact[c];
        *to = part->contacts[c];
        to->columns = columns;
        to->spin = spin;
        memcpy(step->r + at, part->r + 3 * c, 3 * sizeof *step->r);
        memcpy(step->w + at, part->w + 3 * c, 3 * sizeof *step->w);
    }
    for (int i = 0; i < part->motion.row_count; i++)
        step->s[first + (size_t)all->of_row[i]] = part->s[3 * part->contact_count + i];
    for (int i = 0; i < step->system.dof_count; i++)
        if (island_of(all, i) == island) step->motion.v[i] = part->motion.v[all->local[i]];
    gmc_step_report *report = &step->report;
    if (part->report.rung > report->rung) report->rung = part->report.rung;
    report->iterations += part->report.iterations;
    report->residual = fmax(report->residual, part->report.residual);
}

static gmc_status solve_island(gmc_rigid_step *step, const islands *all, int island)
{
    gmc_rigid_step part = *step;
    part.report = (gmc_step_report){0};
    GMC_TRY(gather_system(step, all, island, &part.system));
    GMC_TRY(gather_contacts(step, all, island, &part));
    GMC_TRY(gather_rows(step, all, island, &part));
    part.motion.v = GMC_ROOM(step->motion.scratch, part.system.dof_count, double);
    if (!part.motion.v) return GMC_E_ARENA_FULL;
    GMC_TRY(make_dual(&part));
    gmc_status status = solve_with_corners(&part);
    if (status == GMC_OK) scatter_island(&part, all, island, step);
    return status;
}

static gmc_status solve_islands(gmc_rigid_step *step)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_mechanism_memory *memory = motion->memory;
    islands all;
    step->system = (gmc_ncp){.dof_count = motion->world->model->free_count,
                             .mass = motion->mass,
                             .mass_width = memory->mass_width,
                             .block_count = memory->block_count,
                             .block_start = memory->block_start,
                             .momentum = motion->momentum};
    if (memory->ties) step->system = memory->ties->system;
    GMC_TRY(make_dual(step));
    GMC_TRY(find_islands(step, &all));
    size_t mark = gmc_arena_mark(motion->scratch);
    for (int b = 0; b < step->system.block_count; b++) {
        if (all.parent[b] != b) continue;
        GMC_TRY(solve_island(step, &all, b));
        gmc_arena_reset(motion->scratch, mark);
    }
    motion->s = step->s + 3 * step->contact_count;
    return GMC_OK;
}

// ---- one solve ---------------------------------------------------------------------------------

/// How near the rim of its pyramid an impulse stands on it: rounding of the solution.
static const double PYRAMID_RIM = 1 - 1e-9;
/// No joint gains this speed within a step [m/s, rad/s].
static const double LIMIT_SPEED = 50;

const gmc_setting gmc_rigid_settings[] = {
    GMC_RIGID_SETTINGS(GMC_SETTING_NUMBER, GMC_SETTING_WHOLE, GMC_SETTING_WORD)};

gmc_rigid_step gmc_rigid_begin(gmc_world *world, const gmc_control *control,
                               const gmc_step_options *options, double h, gmc_arena *scratch)
{
    GMC_ASSERT(h > 0);
    return (gmc_rigid_step){.motion = {.world = world,
                                       .memory = world->stepper_memory,
                                       .control = control,
                                       .h = h,
                                       .is_start = options->is_start,
                                       .stop = GMC_STOP_BY_POSITION,
                                       .limit_speed = LIMIT_SPEED,
                                       .span = h,
                                       .scratch = scratch},
                            .options = options,
                            .whole = h};
}

/// One solve, from the velocities found before.
static gmc_status solve_from(gmc_rigid_step *step, const double *bias, const double *v_before)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_rigid_ties *ties = motion->memory->ties;
    motion->row_count = 0;

    // where would the mechanism go if nothing touched it, and what may act on it?
    GMC_TRY(gmc_mechanism_motion(motion, step->options->motion, motion->round, v_before));
    GMC_TRY(gmc_mechanism_joint_rows(motion, motion->world->contacts.count));
    GMC_TRY(write_contacts(step, bias));
    if (ties) GMC_TRY(ties->open(step));

    // which impulses keep bodies apart and inside the friction pyramids?
    GMC_TRY(solve_islands(step));
    return ties ? ties->close(step) : GMC_OK;
}

/// What normal impulses alone would do to bodies, as twice the energy.
static double work_of_normals(const gmc_rigid_step *step)
{
    double sum = 0;
    for (int c = 0; c < step->contact_count; c++)
        sum += step->r[3 * c] * step->r[3 * c] * step->contacts[c].inverse_mass;
    return sum;
}

/// Solves until the velocities are those of the motion model.
static gmc_status iterate_motion(gmc_rigid_step *step, const double *bias, double *before)
{
    gmc_mechanism_step *motion = &step->motion;
    size_t n = (size_t)motion->world->model->free_count, mark = gmc_arena_mark(motion->scratch);
    motion->round = 0;
    memset(before, 0, n * sizeof *before);
    GMC_TRY(solve_from(step, bias, before));
    while (
        !gmc_mechanism_is_settled(motion, step->options->motion, before, work_of_normals(step))) {
        if (++motion->round >= GMC_PROXIMAL_STEPS) return GMC_E_NO_SOLUTION;
        memcpy(before, motion->v, n * sizeof *before);
        gmc_arena_reset(motion->scratch, mark);
        GMC_TRY(solve_from(step, bias, before));
    }
    return GMC_OK;
}

gmc_status gmc_rigid_find_contacts(gmc_rigid_step *step, const gmc_twist *look)
{
    gmc_world *world = step->motion.world;
    int count;
    GMC_TRY(gmc_mechanism_find_points(&step->motion, step->options->reach, look, &count));
    gmc_contact_set_match(&world->contacts, world->model, world->kin.X_wb,
                          step->motion.memory->points, count);
    gmc_contact_set_sink(&world->contacts, step->motion.is_start);
    follow_anchors(step);
    return GMC_OK;
}

gmc_status gmc_rigid_solve(gmc_rigid_step *step, const double *bias)
{
    gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    size_t n = (size_t)model->free_count;
    double *v = GMC_NEW(motion->scratch, model->dof_count, double), *before = NULL;
    before = GMC_NEW(motion->scratch, n, double);
    if (!v || !before) return GMC_E_ARENA_FULL;
    motion->v = v;
    size_t mark = gmc_arena_mark(motion->scratch);
    GMC_TRY(iterate_motion(step, bias, before));
    if (gmc_mechanism_joint_hastens(gmc_rigid_joints(step))) { // drives brake
        motion->brakes_all = true;
        memset(v, 0, n * sizeof *v);
        gmc_arena_reset(motion->scratch, mark);
        GMC_TRY(iterate_motion(step, bias, before));
    }
    if (gmc_mechanism_diverges(motion)) return GMC_E_DIVERGED;
    for (int i = model->free_count; i < model->dof_count; i++)
        v[i] = motion->control->v_driven[i];
    if (gmc_mechanism_turns_too_far(motion, step->options->turn_max)) return GMC_E_NO_SOLUTION;
    return GMC_OK;
}

// ---- after the solution ------------------------------------------------------------------------

static gmc_contact_mode mode_of(const gmc_rigid_contact *contact, const double r[3],
                                const double w[3])
{
    if (!(r[0] > 0)) return GMC_CONTACT_OPEN;
    bool is_on_rim =
        gmc_pyramid_radius(r + 1, contact->facet_count) >= PYRAMID_RIM * contact->friction * r[0];
    bool is_moving = gmc_pyramid_reach(w + 1, contact->facet_count) > GMC_RIGID_SLIP_SPEED;
    return is_on_rim && is_moving ? GMC_CONTACT_SLIP : GMC_CONTACT_STICK;
}

static void keep_contacts(const gmc_rigid_step *step)
{
    gmc_world *world = step->motion.world;
    for (int c = 0; c < world->contacts.count; c++) {
        gmc_contact *contact = &world->contacts.contacts[c];
        for (int i = 0; i < 3 && !step->is_later; i++) {
            contact->impulse[i] = 0;
            if (contact->extra) contact->extra->moment[i] = 0;
        }
        contact->mode = GMC_CONTACT_OPEN;
    }
    for (int c = 0; c < step->touching_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        gmc_contact *contact = &world->contacts.contacts[row->index];
        double r[3];
        contact->mode = mode_of(row, step->r + 3 * c, step->w + 3 * c);
        impulse_out(row->heading, step->r + 3 * c, r);
        contact->law.friction = row->friction;
        contact->impulse[0] += r[0];
        contact->impulse[1] += r[1] * row->scale[0];
        contact->impulse[2] += r[2] * row->scale[1];
        if (row->spin >= 0) contact->extra->moment[0] += step->motion.s[row->spin];
    }
}

/// Generalised impulse of everything but gravity and bias, for the bodies that carry their
/// momentum.
static void find_impulse(const gmc_rigid_step *step, double *sum)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    for (int i = 0; i < model->free_count; i++)
        sum[i] = motion->h * (motion->control->force[i] - model->dofs[i].damping * motion->v[i]);
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        const double *r = step->r + 3 * c;
        for (int k = 0; k < contact->column_count; k++)
            sum[contact->columns[k]] +=
                contact->J[0][k] * r[0] + contact->J[1][k] * r[1] + contact->J[2][k] * r[2];
        if (contact->spin < 0) continue;
        for (int k = 0; k < contact->column_count; k++)
            sum[contact->columns[k]] += contact->J_spin[k] * step->motion.s[contact->spin];
    }
}

gmc_status gmc_rigid_advance(gmc_rigid_step *step, const double *q_driven)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_world *world = motion->world;
    const gmc_model *model = world->model;
    double *impulse = GMC_NEW(motion->scratch, model->free_count, double);
    if (!impulse) return GMC_E_ARENA_FULL;
    GMC_TRY(make_anchors(step));
    find_impulse(step, impulse);
    keep_contacts(step);
    drop_anchors(step);
    keep_supports(step);
    if (motion->memory->ties) motion->memory->ties->keep(step);
    gmc_mechanism_advance(motion, step->options->motion, impulse, q_driven, NULL);
    pull_anchors(step);
    gmc_step_report *report = &step->report;
    report->lag = motion->h;
    gmc_step_report_contacts(report, &world->contacts, step->whole);
    report->max_effort =
        fmax(report->max_effort, gmc_mechanism_joint_effort(gmc_rigid_joints(step)));
    return GMC_OK;
}
