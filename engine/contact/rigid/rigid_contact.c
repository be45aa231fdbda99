// Rows of the rigid steppers: what contacts and supports are to the complementarity problem.
//
// Over-constrained contact (two pads with four points each on a cube) has many solutions, and a
// pivoting method ends in a corner of their set: all force on one point of a pad, about which the
// cube then turns. A compliance of 1e-7 of the contact's inverse mass on normals alone decides for
// forces as even as can be. Its price is a gap of 1e-7 h² F/m: 1e-10 m under its own weight at 10
// ms; where it is more rigid_dual.c takes it out again. Tangents have none, or what is held would
// creep. Measured on test/support's pinch_box at mu 0.3: without it the cube loses its hold in the
// shake, with it the motion is the default stepper's.

#include "engine/contact/rigid/rigid_internal.h"
#include "engine/dynamics/jacobian.h"

/// Compliance of a normal as a share of its contact's inverse mass (above) [-].
static const double EVENNESS = 1e-7;
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
static void write_rows(const gmc_rigid_step *step, const gmc_jacobian *jacobian,
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

/// What moves a contact, and how; out: `row`.
static gmc_status open_row(const gmc_rigid_step *step, const gmc_contact *contact,
                           gmc_mechanism_lead *driven, double *S, gmc_rigid_contact *row)
{
    const gmc_world *world = step->motion.world;
    gmc_arena *scratch = step->motion.scratch;
    int *columns = gmc_arena_room(scratch, (size_t)world->model->free_count + 1, sizeof *columns);
    if (!columns) return GMC_E_ARENA_FULL;
    gmc_jacobian jacobian =
        gmc_jacobian_of(world->model, &world->kin, contact->body_a, contact->body_b, columns, S);
    double *rows = gmc_arena_room(scratch, 3 * (size_t)jacobian.count, sizeof *rows);
    if (!rows) return GMC_E_ARENA_FULL;
    row->column_count = jacobian.count;
    row->columns = columns;
    gmc_mechanism_lead_at(&world->kin, contact, driven, row->given);
    write_friction(step, contact, row);
    write_rows(step, &jacobian, contact, rows, row);
    return GMC_OK;
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
        *row = (gmc_rigid_contact){.index = c, .bias = bias[c], .heading = {1, 0}};
        GMC_TRY(open_row(step, contact, driven, S, row));
        row->inverse_mass = inverse_mass(&step->motion, row);
        row->compliance = EVENNESS * row->inverse_mass;
        if (gives_way(row)) {
            gmc_rigid_aim_start(step, contact, row);
            step->contact_count++;
        } else if (row->given[0] < 0 && contact->point.gap < -JAM_DEPTH)
            return GMC_E_MISMATCH;
    }
    step->touching_count = step->contact_count;
    return GMC_OK;
}

gmc_status gmc_rigid_contact_rows(gmc_rigid_step *step, const double *bias)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    gmc_arena *scratch = step->motion.scratch;
    size_t count = (size_t)world->contacts.count + (size_t)model->support_point_count;
    double *S = gmc_arena_room(scratch, 6 * (size_t)model->free_count, sizeof *S);
    gmc_mechanism_lead driven = {.body_a = -1};
    step->contacts = gmc_arena_take(scratch, count + 1, sizeof *step->contacts);
    step->contact_count = 0;
    if (!step->contacts || !S) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_mechanism_driven(&step->motion, &driven.v));
    GMC_TRY(add_contacts(step, bias, &driven, S));
    return gmc_rigid_support_rows(step);
}
