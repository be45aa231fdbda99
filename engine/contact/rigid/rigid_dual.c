// The problem is written down as rows of three per contact in front of the joints' rows: what
// dual_ncp.h makes of them are units of three, the contacts' first, whose law is then changed from
// a box to a pyramid. So there is one place that eliminates velocities and one that builds LCPs
// (polyhedral.h).

#include "engine/complementarity/dual_ncp.h"
#include "engine/complementarity/solver.h"
#include "engine/contact/rigid/rigid_internal.h"

#include <string.h>

/// What the compliance of normals may do to a gap before the solve is repeated without it [m]; and
/// how often that is tried: each round takes seven digits off.
static const double GAP_ERROR = 1e-10;
enum { ROUNDS = 3 };
/// What it may still do after that [m]. More shows that there is no room between bodies, or that
/// friction holds them: then each round pushes twice as far as the one before, and what is left
/// after that many pushes, 2^20 times the first, no friction holds.
static const double JAM_GAP = 1e-7;
enum { PUSHES = 20 };

static gmc_status write_problem(const gmc_rigid_step *step, gmc_ncp *problem)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_model *model = motion->world->model;
    size_t first = 3 * (size_t)step->contact_count, joints = (size_t)motion->row_count;
    gmc_ncp_row *rows = gmc_arena_take(motion->scratch, first + joints, sizeof *rows);
    if (!rows) return GMC_E_ARENA_FULL;
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *contact = &step->contacts[c];
        for (int i = 0; i < 3; i++)
            rows[3 * c + i] =
                (gmc_ncp_row){.column_count = contact->column_count,
                              .columns = contact->columns,
                              .J = contact->J[i],
                              .compliance = i == 0 ? contact->compliance : 0,
                              .bias = contact->given[i] + (i == 0 ? contact->bias : 0)};
    }
    if (joints > 0) memcpy(rows + first, motion->rows, joints * sizeof *rows);
    *problem = (gmc_ncp){.dof_count = model->free_count,
                         .mass = motion->mass,
                         .mass_width = motion->memory->mass_width,
                         .block_count = motion->memory->block_count,
                         .block_start = motion->memory->block_start,
                         .momentum = motion->momentum,
                         .row_count = (int)(first + joints),
                         .rows = rows};
    return GMC_OK;
}

/// Units of contacts are pyramids, not boxes.
static gmc_status write_laws(const gmc_rigid_step *step, gmc_dual *dual)
{
    size_t count = (size_t)dual->unit_count;
    gmc_dual_unit *units = gmc_arena_room(step->motion.scratch, count, sizeof *units);
    if (!units) return GMC_E_ARENA_FULL;
    memcpy(units, dual->units, count * sizeof *units);
    for (int c = 0; c < step->contact_count; c++)
        units[c] = (gmc_dual_unit){.friction = step->contacts[c].friction,
                                   .facet_count = step->contacts[c].facet_count};
    dual->units = units;
    return GMC_OK;
}

/// A dual problem whose normals' compliance is counted from other impulses than zero: q of
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
    p->q = gmc_arena_room(scratch, size, sizeof *p->q);
    if (!p->q) return GMC_E_ARENA_FULL;
    memcpy(p->q, dual->q, size * sizeof *p->q);
    p->dual.q = p->q;
    return GMC_OK;
}

/// By how much more the compliance shifts normal i than it is counted from [m/s].
static double shift_off(const proximal *p, int i, const double *r)
{
    return p->problem->rows[i].compliance * r[i] - (p->q_first[i] - p->q[i]);
}

/// By how much the compliance moves gaps with these impulses [m].
static double gap_error(const gmc_rigid_step *step, const proximal *p, const double *r)
{
    double worst = 0;
    for (int i = 0; i < 3 * step->touching_count; i += 3)
        worst = fmax(worst, fabs(shift_off(p, i, r)));
    return step->motion.h * worst;
}

/// The compliance is counted from these impulses, or from those `stretch` times as far away.
static void count_from(const gmc_rigid_step *step, proximal *p, const double *r, double stretch)
{
    for (int i = 0; i < 3 * step->touching_count; i += 3)
        p->q[i] -= stretch * shift_off(p, i, r);
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
    gmc_dual_unit *units = gmc_arena_room(scratch, count, sizeof *units);
    double *r = gmc_arena_doubles(scratch, 3 * count);
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

size_t gmc_rigid_dual_size(const gmc_rigid_step *step)
{
    return 3 * (size_t)gmc_dual_ncp_units(0, 3 * step->contact_count + step->motion.row_count);
}

gmc_status gmc_rigid_dual_room(gmc_rigid_step *step)
{
    gmc_arena *scratch = step->motion.scratch;
    size_t size = gmc_rigid_dual_size(step);
    step->r = gmc_arena_doubles(scratch, size);
    step->w = gmc_arena_doubles(scratch, size);
    step->s = gmc_arena_doubles(scratch, size);
    return step->r && step->w && step->s ? GMC_OK : GMC_E_ARENA_FULL;
}

void gmc_rigid_dual_start(gmc_rigid_step *step)
{
    const gmc_mechanism_step *motion = &step->motion;
    const gmc_world *world = motion->world;
    memset(step->r, 0, gmc_rigid_dual_size(step) * sizeof *step->r);
    for (int c = 0; c < step->contact_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        double *r = step->r + 3 * c;
        const double *kept = c < step->touching_count ? world->contacts.contacts[row->index].impulse
                                                      : world->support_impulse + 3 * row->index;
        gmc_rigid_aim_kept(row, kept, r);
        if (!row->is_aimed) continue;
        r[1] = -row->friction * r[0]; // to the corner: beside it the guess has two of them
        r[2] = 0;
    }
    for (int i = 0; i < motion->row_count; i++)
        step->r[3 * step->contact_count + i] = motion->s[i];
}

/// Solve, and again with the normals' compliance counted from the impulses found (a proximal step)
/// while it moves a gap: blows, mostly.
static gmc_status solve_dual(gmc_rigid_step *step, const gmc_ncp *problem, const gmc_dual *dual)
{
    proximal p;
    double error = 0;
    GMC_TRY(open_proximal(dual, problem, step->motion.scratch, &p));
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

gmc_status gmc_rigid_dual_solve(gmc_rigid_step *step, gmc_dual *dual)
{
    gmc_mechanism_step *motion = &step->motion;
    gmc_ncp problem;
    gmc_dual_ncp pair;
    GMC_TRY(write_problem(step, &problem));
    GMC_TRY(gmc_dual_ncp_create(&problem, motion->scratch, &pair));
    GMC_TRY(write_laws(step, &pair.dual));
    GMC_TRY(solve_dual(step, &problem, &pair.dual));

    gmc_ncp_solution found = {.v = motion->v, .s = step->s};
    gmc_dual_ncp_spread(&pair, step->r, &found);
    motion->s = step->s + 3 * step->contact_count;
    *dual = pair.dual;
    return GMC_OK;
}
