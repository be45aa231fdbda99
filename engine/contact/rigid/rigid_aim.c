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

#include "engine/contact/rigid/rigid_internal.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>

/// How near the rim of its cone an impulse stands on it: rounding of a solution.
static const double RIM = 1 - 1e-9;
/// Friction that is farther off than this share of it turns its corner: it lacks 2e-4 of itself
/// then along the slip.
static const double OFF = 0.02;
/// How often corners are turned in one solve. What takes more is about to stop, where directions
/// mean little.
enum { ROUNDS = 2 };

// ---- one corner -------------------------------------------------------------------------------

void gmc_rigid_aim_turn(gmc_rigid_contact *row, gmc_vec2 d)
{
    gmc_vec2 given = {row->given[1], row->given[2]}, from = row->heading;
    for (int k = 0; k < row->column_count; k++) {
        gmc_vec2 J = {row->J[1][k], row->J[2][k]};
        row->J[1][k] = gmc_vec2_dot(d, J);
        row->J[2][k] = gmc_vec2_dot(gmc_vec2_left(d), J);
    }
    row->given[1] = gmc_vec2_dot(d, given);
    row->given[2] = gmc_vec2_dot(gmc_vec2_left(d), given);
    row->heading = (gmc_vec2){from.x * d.x - from.y * d.y, from.y * d.x + from.x * d.y};
}

void gmc_rigid_aim_into(gmc_vec2 heading, const double kept[3], double r[3])
{
    double t1 = kept[1], t2 = kept[2];
    r[0] = kept[0];
    r[1] = heading.x * t1 + heading.y * t2;
    r[2] = heading.x * t2 - heading.y * t1;
}

void gmc_rigid_aim_out(gmc_vec2 heading, const double r[3], double kept[3])
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
static gmc_vec2 ahead(gmc_vec2 slip, gmc_vec2 friction, double answer)
{
    return gmc_vec2_unit(gmc_vec2_add_scaled(slip, -answer, friction));
}

void gmc_rigid_aim_start(const gmc_rigid_step *step, const gmc_contact *contact,
                         gmc_rigid_contact *row)
{
    double r[3], rim = RIM * row->friction * contact->impulse[0];
    if (!has_corners(step, row)) return;
    gmc_rigid_aim_kept(row, contact->impulse, r);
    if (r[1] * r[1] + r[2] * r[2] < rim * rim) return; // it stuck
    gmc_vec2 slip = last_slip(step, contact, row);
    if (!(gmc_vec2_norm(slip) > GMC_RIGID_SLIP_SPEED)) return;
    gmc_vec2 d = ahead(slip, (gmc_vec2){r[1], r[2]}, row->inverse_mass);
    if (d.x == 0 && d.y == 0) return;
    gmc_rigid_aim_turn(row, d);
    row->is_aimed = true;
}

void gmc_rigid_aim_kept(const gmc_rigid_contact *row, const double kept[3], double r[3])
{
    double along[3] = {kept[0]};
    for (int i = 0; i < 2; i++)
        along[1 + i] = row->scale[i] > 0 ? kept[1 + i] / row->scale[i] : 0;
    gmc_rigid_aim_into(row->heading, along, r);
}

// ---- all of a solution ------------------------------------------------------------------------

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
static gmc_status slip_alone(const gmc_rigid_step *step, const gmc_dual *dual, double **alone)
{
    size_t size = 3 * (size_t)dual->unit_count;
    double *r = gmc_arena_room(step->motion.scratch, size, sizeof *r);
    *alone = gmc_arena_room(step->motion.scratch, size, sizeof **alone);
    if (!r || !*alone) return GMC_E_ARENA_FULL;
    memcpy(r, step->r, size * sizeof *r);
    for (int c = 0; c < step->touching_count; c++)
        r[3 * c + 1] = r[3 * c + 2] = 0;
    gmc_dual_answer(dual, r, *alone);
    return GMC_OK;
}

/// Where the corner of a contact that is off ought to point, in its rows; {0, 0}: nowhere else.
static gmc_vec2 wanted(const gmc_rigid_contact *row, const double r[3], const double w[3],
                       const double alone[3])
{
    gmc_vec2 slip = {w[1], w[2]}, friction = {r[1], r[2]}, free = {alone[1], alone[2]};
    double size = gmc_vec2_norm(friction);
    // a pyramid that stands still errs by a side at most; more shows that others decide the slip
    double side = gmc_cos(2 * GMC_PI / row->facet_count) * size * gmc_vec2_norm(free);
    bool is_own = -gmc_vec2_dot(free, friction) > side;
    if (!(size > 0) || (!row->is_aimed && is_own)) return gmc_vec2_unit(free);
    return ahead(slip, friction, gmc_vec2_norm(gmc_vec2_sub(free, slip)) / size);
}

/// Turn the corners that are off; impulses there start at them.
static gmc_status turn_off_ones(gmc_rigid_step *step, const gmc_dual *dual)
{
    double *alone;
    GMC_TRY(slip_alone(step, dual, &alone));
    for (int c = 0; c < step->touching_count; c++) {
        gmc_rigid_contact *row = &step->contacts[c];
        double *r = step->r + 3 * c;
        if (!is_off(step, c)) continue;
        gmc_vec2 d = wanted(row, r, step->w + 3 * c, alone + 3 * c);
        if (d.x == 0 && d.y == 0) continue;
        gmc_rigid_aim_turn(row, d);
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
        gmc_rigid_aim_turn(row, (gmc_vec2){row->heading.x, -row->heading.y});
        row->is_aimed = false;
        is_any = true;
    }
    return is_any;
}

// ---- the solve --------------------------------------------------------------------------------

/// A solution to go back to. Velocities and the joints' impulses are written by success alone.
typedef struct solution {
    size_t size;
    double *r, *w;
    gmc_vec2 *heading; ///< (touching_count) of the rows that they are along
} solution;

static gmc_status make_room(const gmc_rigid_step *step, solution *kept)
{
    gmc_arena *scratch = step->motion.scratch;
    kept->size = gmc_rigid_dual_size(step);
    kept->r = gmc_arena_room(scratch, kept->size, sizeof *kept->r);
    kept->w = gmc_arena_room(scratch, kept->size, sizeof *kept->w);
    kept->heading = gmc_arena_room(scratch, (size_t)step->touching_count, sizeof *kept->heading);
    return kept->r && kept->w && kept->heading ? GMC_OK : GMC_E_ARENA_FULL;
}

static void keep(const gmc_rigid_step *step, solution *kept)
{
    memcpy(kept->r, step->r, kept->size * sizeof *kept->r);
    memcpy(kept->w, step->w, kept->size * sizeof *kept->w);
    for (int c = 0; c < step->touching_count; c++)
        kept->heading[c] = step->contacts[c].heading;
}

static void take_back(gmc_rigid_step *step, const solution *kept)
{
    memcpy(step->r, kept->r, kept->size * sizeof *kept->r);
    memcpy(step->w, kept->w, kept->size * sizeof *kept->w);
    for (int c = 0; c < step->touching_count; c++) {
        gmc_vec2 now = step->contacts[c].heading, then = kept->heading[c];
        gmc_rigid_aim_turn(&step->contacts[c],
                           (gmc_vec2){gmc_vec2_dot(now, then), gmc_vec2_cross(now, then)});
    }
}

static bool is_unsolved(gmc_status status)
{
    return status == GMC_E_NO_SOLUTION || status == GMC_E_MISMATCH;
}

gmc_status gmc_rigid_aim_solve(gmc_rigid_step *step)
{
    gmc_arena *scratch = step->motion.scratch;
    gmc_dual dual;
    solution kept;
    GMC_TRY(gmc_rigid_dual_room(step));
    GMC_TRY(make_room(step, &kept));
    size_t mark = gmc_arena_mark(scratch);

    // corners where contacts slid before; as they stood if that has no solution
    gmc_rigid_dual_start(step);
    gmc_status status = gmc_rigid_dual_solve(step, &dual);
    if (is_unsolved(status) && turn_back(step)) {
        gmc_arena_reset(scratch, mark);
        gmc_rigid_dual_start(step);
        status = gmc_rigid_dual_solve(step, &dual);
    }
    if (status != GMC_OK) return status;

    // and where the solution slides
    for (int round = 0; round < ROUNDS && is_any_off(step); round++) {
        keep(step, &kept);
        GMC_TRY(turn_off_ones(step, &dual));
        gmc_arena_reset(scratch, mark);
        status = gmc_rigid_dual_solve(step, &dual);
        if (!is_unsolved(status) && status != GMC_OK) return status;
        if (status == GMC_OK) continue;
        take_back(step, &kept);
        break;
    }
    return GMC_OK;
}
