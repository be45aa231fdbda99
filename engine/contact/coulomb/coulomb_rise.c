// Overlap that a trial began with is given back by moving bodies, not by pushing them: what nothing
// brakes would keep the speed. A step is solved with springs slack where bodies began, which is all
// that velocities, impulses and friction memory know. Then it is solved once more for places alone,
// with rows that are all but rigid about that solution: what is closed stays closed under what it
// bears, but contacts that are sunk open by what they give back in this step. The difference of
// velocities carries the bodies over the step, and is forgotten.
//
// What cannot go apart is pressed: slack goes by time, whether bodies moved or not, and what is
// left is the springs'.
//
// Two bodies, or one on a plane, with no weight, 1 g to 10 kg, 0.2 to 1.9 mm deep, 0.25 to 4 ms, go
// 0.7 um beyond their way out in 0.6 s. Tried instead:
//
//   slack that ends by time in the one solve             18 mm: all of its speed is kept
//   the same, its speed taken out as the step ends       leaves at 0.10 m/s: springs and dampers
//                                                        take it for the motion of a blow
//   the same, braked as slack ends, by contacts that     0.4 mm; and they hold what is pulled apart
//   pull back then
//
#include "engine/contact/coulomb/coulomb_internal.h"

#include <string.h>

/// Compliance of rows against the contact's inverse mass: as much of what is given back becomes
/// speed, times the ratio of the masses where a light body is between heavy ones. With 1e-4 those
/// of 10 kg left 1 g at up to 47 mm/s, with 1e-6 at 1.3 mm/s; test impact does not end with 1e-8.
static const double COMPLIANCE = 1e-6;

/// Besides the share in contact.h, so that there is an end of it [m/s].
static const double LEAST_SPEED = 2e-5;

/// What is left after this step.
static double risen(const gmc_coulomb_step *step, double sunk)
{
    return gmc_max(gmc_contact_floated(sunk, step->motion.h) - LEAST_SPEED * step->motion.h, 0);
}

void gmc_coulomb_rise_open(gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    gmc_contact_set_sink(set, step->motion.is_start);
    step->is_rising = false;
    for (int c = 0; c < set->count; c++) {
        gmc_contact *contact = &set->contacts[c];
        if (gmc_coulomb_rises(step, contact->sunk)) step->is_rising = true;
        contact->sunk = gmc_coulomb_sunk(step, contact->sunk);
    }
}

/// A row about the solution.
/// @param V  motion of the contact's group
static void write_row(const gmc_coulomb_step *step, const double V[6], int c, gmc_ncp_contact *row)
{
    const gmc_contact *contact = &step->motion.world->contacts.contacts[c];
    const double *r = step->r + 3 * c;
    double R = COMPLIANCE * contact->inverse_mass, h = step->motion.h, u[3];
    if (!(R > 0)) return;
    gmc_ncp_contact_at(row, V, u);
    row->compliance_n = gmc_min(row->compliance_n, R);
    row->compliance_t = gmc_min(row->compliance_t, R);
    row->bias[0] = -u[0] - row->compliance_n * r[0];
    row->bias[1] = -u[1] - row->compliance_t * r[1];
    row->bias[2] = -u[2] - row->compliance_t * r[2];
    if (!(r[0] > 0)) // not beyond what is apart
        row->bias[0] += gmc_max(gmc_contact_gap(contact) + contact->drop.x +
                                    h * (u[0] - step->driven_approach[c]),
                                0) /
                        h;
    if (gmc_coulomb_rises(step, contact->sunk))
        row->bias[0] -= (contact->sunk - risen(step, contact->sunk)) / h;
}

static void write_rows(const gmc_coulomb_step *step, gmc_ncp_contact *rows)
{
    int count = step->motion.world->contacts.count;
    memcpy(rows, step->contacts, (size_t)step->contact_count * sizeof *rows);
    for (int g = 0; g < step->group_count; g++) {
        const gmc_ncp_group *group = &step->groups[g];
        double V[6];
        if (group->contact_first >= count) break; // rolling friction, supports
        gmc_ncp_group_velocity(group, step->motion.v, V);
        for (int c = group->contact_first; c < group->contact_first + group->contact_count; c++)
            write_row(step, V, c, &rows[c]);
    }
}

/// A copy in the scratch arena. @return NULL: no room
static double *copy_of(const gmc_coulomb_step *step, const double *x, size_t count)
{
    double *copy = GMC_ROOM(step->motion.scratch, count, double);
    if (copy) memcpy(copy, x, count * sizeof *copy);
    return copy;
}

gmc_status gmc_coulomb_rise(gmc_coulomb_step *step, double **rise)
{
    size_t free = (size_t)step->motion.world->model->free_count,
           count = (size_t)step->contact_count;
    *rise = NULL;
    if (!step->is_rising) return GMC_OK;
    gmc_ncp_contact *rows = GMC_ROOM(step->motion.scratch, count, gmc_ncp_contact);
    gmc_ncp_solution solution = {.v = copy_of(step, step->motion.v, free),
                                 .r = copy_of(step, step->r, 3 * count),
                                 .s =
                                     copy_of(step, step->motion.s, (size_t)step->motion.row_count)};
    if (!rows || !solution.v || !solution.r || !solution.s) return GMC_E_ARENA_FULL;
    write_rows(step, rows);
    gmc_ladder_report again;
    gmc_status status = gmc_coulomb_solve_rows(step, rows, &solution, &again);
    if (status == GMC_E_ARENA_FULL) return status;
    step->ladder.iterations += again.iterations;
    if (status != GMC_OK) return GMC_OK; // it is left to the springs
    for (size_t i = 0; i < free; i++)
        solution.v[i] -= step->motion.v[i];
    *rise = solution.v;
    return GMC_OK;
}

void gmc_coulomb_rise_keep(const gmc_coulomb_step *step)
{
    gmc_contact_set *set = &step->motion.world->contacts;
    for (int c = 0; c < set->count && step->is_rising; c++)
        if (gmc_coulomb_rises(step, set->contacts[c].sunk))
            set->contacts[c].sunk = risen(step, set->contacts[c].sunk);
}
