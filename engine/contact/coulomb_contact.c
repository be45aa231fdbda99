// Contact rows of the default stepper, and what a solved step leaves in the contacts. The law and
// its derivation: top of coulomb.c.

#include "engine/base/check.h"
#include "engine/contact/cone.h"
#include "engine/contact/coulomb_internal.h"
#include "engine/dynamics/jacobian.h"

/// Relative velocity of the point that the driven joints alone cause, seen along the contact's
/// frame.
typedef struct driven_motion {
    const double *v; ///< (dof_count) zero at free dofs; NULL: nothing is driven
    int body_a, body_b;
    gmc_twist V; ///< of b against a
} driven_motion;

static gmc_status driven_velocities(const gmc_coulomb_step *step, driven_motion *driven)
{
    const gmc_model *model = step->world->model;
    *driven = (driven_motion){.body_a = -1};
    if (!step->memory->has_driven) return GMC_OK;
    double *v = gmc_arena_doubles(step->scratch, (size_t)model->dof_count);
    if (!v) return GMC_E_ARENA_FULL;
    for (int i = model->free_count; i < model->dof_count; i++)
        v[i] = step->control->v_driven[i];
    driven->v = v;
    return GMC_OK;
}

static void driven_velocity(const gmc_kinematics *kin, const gmc_contact *contact,
                            driven_motion *driven, double u[3])
{
    u[0] = u[1] = u[2] = 0;
    if (!driven->v) return;
    if (contact->body_a != driven->body_a || contact->body_b != driven->body_b) {
        gmc_twist V_a = gmc_kinematics_twist(kin, contact->body_a, driven->v);
        gmc_twist V_b = gmc_kinematics_twist(kin, contact->body_b, driven->v);
        driven->V = gmc_twist_add_scaled(V_b, -1, V_a);
        driven->body_a = contact->body_a;
        driven->body_b = contact->body_b;
    }
    gmc_vec3 velocity = gmc_twist_at(&driven->V, contact->point.p);
    for (int i = 0; i < 3; i++)
        u[i] = gmc_vec3_dot(contact->dir[i], velocity);
}

/// Smallest distance of a contact from the mass centre of a body that it touches [m].
static double arm_of(const gmc_kinematics *kin, const gmc_contact *contact)
{
    const int bodies[2] = {contact->body_a, contact->body_b};
    double arm = HUGE_VAL;
    for (int i = 0; i < 2; i++)
        if (bodies[i] > 0)
            arm = fmin(arm, gmc_vec3_norm(gmc_vec3_sub(contact->point.p, kin->com_w[bodies[i]])));
    return arm;
}

/// The contact moved on over both surfaces in the step before: the part of its path that the
/// material points of gmc_coulomb_contact_correct do not see (coulomb.c). What rolls comes as far
/// as a body turns times its radius; the nearest points of lines along each other jump, and have no
/// path.
static void follow_place(const gmc_kinematics *kin, double h, gmc_contact *contact)
{
    static const double JUMP = 4; // times that: a contact at the end of a body has a shorter arm
    if (!(contact->impulse[0] > 0)) return; // open: no deflection
    gmc_vec3 w = gmc_vec3_sub(kin->V[contact->body_b].w, kin->V[contact->body_a].w);
    gmc_vec3 place = gmc_pose_apply(&kin->X_wb[contact->body_b], contact->place_b);
    gmc_vec3 way = gmc_vec3_sub(contact->point.p, place);
    double turn = h * gmc_vec3_norm(w);
    if (!(gmc_vec3_norm(way) <= JUMP * turn * arm_of(kin, contact))) return;
    gmc_vec3 path = gmc_vec3_cross(w, way);
    for (int i = 0; i < 2; i++)
        contact->deflection[i] += 0.5 * h * gmc_vec3_dot(contact->dir[i + 1], path);
}

static void write_law(const gmc_contact *contact, const double u_driven[3], double h,
                      gmc_ncp_contact *row)
{
    const gmc_surface_law *law = &contact->law;
    GMC_ASSERT(law->is_given && law->stiffness > 0 && law->tangential_ratio > 0);
    double gap = contact->point.gap, spread = 1 / (h + law->relaxation);
    double R = spread / (h * law->stiffness);
    row->compliance_n = R;
    row->compliance_t = R / law->tangential_ratio;
    row->friction = law->friction;
    row->bias[0] = u_driven[0] + (gap > 0 ? gap / h : gap * spread);
    row->bias[1] = u_driven[1] + contact->deflection[0] * spread;
    row->bias[2] = u_driven[2] + contact->deflection[1] * spread;
}

gmc_status gmc_coulomb_contact_rows(gmc_coulomb_step *step)
{
    const gmc_world *world = step->world;
    size_t count = (size_t)world->contacts.count, n = (size_t)step->memory->column_max;
    size_t rolling = (size_t)gmc_coulomb_torque_count(&world->contacts).rolling;
    step->contact_count = (int)count;
    step->contacts = gmc_arena_take(step->scratch, count + rolling, sizeof *step->contacts);
    step->solution.r = gmc_arena_doubles(step->scratch, 3 * (count + rolling));
    step->anchors = gmc_arena_room(step->scratch, count, sizeof *step->anchors);
    int *columns = gmc_arena_room(step->scratch, count * n + 1, sizeof *columns);
    double *J = gmc_arena_room(step->scratch, 3 * count * n, sizeof *J);
    gmc_twist *motions = gmc_arena_room(step->scratch, n, sizeof *motions);
    gmc_jacobian jacobian = {0};
    driven_motion driven;
    if (!step->contacts || !step->solution.r || !step->anchors || !columns || !J || !motions)
        return GMC_E_ARENA_FULL;
    GMC_TRY(driven_velocities(step, &driven));

    const gmc_contact *before = NULL;
    for (size_t c = 0; c < count; c++) {
        gmc_contact *contact = &world->contacts.contacts[c];
        gmc_ncp_contact *row = &step->contacts[c];
        // contacts of the same two bodies have the same columns: the solver sums them as one
        if (!before || before->body_a != contact->body_a || before->body_b != contact->body_b) {
            columns += jacobian.count > 0 ? jacobian.count : 1; // no two pairs share the pointer
            jacobian = gmc_jacobian_of(world->model, &world->kin, contact->body_a, contact->body_b,
                                       columns, motions);
        }
        gmc_jacobian_at(&jacobian, contact->point.p, contact->dir, J);
        row->column_count = jacobian.count;
        row->J = J;
        row->columns = columns;
        double u[3];
        driven_velocity(&world->kin, contact, &driven, u);
        follow_place(&world->kin, step->h, contact);
        if (contact->extra) gmc_coulomb_extra_press(&world->kin, step->h, contact);
        write_law(contact, u, step->h, row);
        for (int i = 0; i < 3; i++)
            step->solution.r[3 * c + (size_t)i] = contact->impulse[i];
        if (contact->extra) GMC_TRY(gmc_coulomb_extra_row(step, c, u, J));
        J += 3 * row->column_count;
        before = contact;
    }
    return GMC_OK;
}

// ---- after the solution -----------------------------------------------------------------------

/// u_T = J v + u_driven, from w's definition: what is left of the bias without the deflection's
/// part.
static void tangential_velocity(const gmc_coulomb_step *step, size_t c, double u[2])
{
    const gmc_contact *contact = &step->world->contacts.contacts[c];
    double spread = 1 / (step->h + contact->law.relaxation), all[3];
    gmc_ncp_contact_velocity(&step->contacts[c], step->solution.v, all);
    for (int i = 0; i < 2; i++)
        u[i] = all[i + 1] + (step->contacts[c].bias[i + 1] - contact->deflection[i] * spread);
}

static void keep_contact(const gmc_coulomb_step *step, size_t c)
{
    gmc_contact *contact = &step->world->contacts.contacts[c];
    const gmc_pose *X_wa = &step->world->kin.X_wb[contact->body_a];
    const gmc_pose *X_wb = &step->world->kin.X_wb[contact->body_b];
    const double *r = step->solution.r + 3 * c;
    double h = step->h, tau = contact->law.relaxation;
    double compliance = 1 / (contact->law.tangential_ratio * contact->law.stiffness);
    for (int i = 0; i < 3; i++)
        contact->impulse[i] = r[i];
    contact->mode = gmc_cone_mode(r, contact->law.friction);
    if (contact->mode == GMC_CONTACT_OPEN) {
        contact->deflection[0] = contact->deflection[1] = 0;
        contact->deflection_a = (gmc_vec3){0, 0, 0};
        return;
    }
    gmc_coulomb_anchor *anchor = &step->anchors[c];
    if (contact->extra)
        for (int i = 0; i < 2; i++)
            contact->deflection[i] *= contact->extra->scale[i];
    double u[2];
    tangential_velocity(step, c, u);
    for (int i = 0; i < 2; i++) {
        anchor->expected[i] = h * u[i];
        anchor->dir_a[i] = gmc_mat3_apply_transposed(&X_wa->R, contact->dir[i + 1]);
        contact->deflection[i] = (tau * contact->deflection[i] - r[i + 1] * compliance) / (h + tau);
    }
    anchor->p_a = gmc_pose_apply_inverse(X_wa, contact->point.p);
    contact->place_b = gmc_pose_apply_inverse(X_wb, contact->point.p);
    if (contact->extra) gmc_coulomb_extra_keep(contact, anchor);
    contact->deflection_a = gmc_vec3_add(gmc_vec3_scale(contact->deflection[0], anchor->dir_a[0]),
                                         gmc_vec3_scale(contact->deflection[1], anchor->dir_a[1]));
}

void gmc_coulomb_contact_keep(const gmc_coulomb_step *step)
{
    for (size_t c = 0; c < (size_t)step->world->contacts.count; c++)
        keep_contact(step, c);
}

void gmc_coulomb_contact_correct(const gmc_coulomb_step *step)
{
    for (int c = 0; c < step->world->contacts.count; c++) {
        gmc_contact *contact = &step->world->contacts.contacts[c];
        if (contact->mode == GMC_CONTACT_OPEN) continue;
        const gmc_coulomb_anchor *anchor = &step->anchors[c];
        const gmc_pose *X_wa = &step->world->kin.X_wb[contact->body_a];
        const gmc_pose *X_wb = &step->world->kin.X_wb[contact->body_b];
        gmc_vec3 p_b = gmc_pose_apply_inverse(X_wa, gmc_pose_apply(X_wb, contact->place_b));
        gmc_vec3 moved = gmc_vec3_sub(p_b, anchor->p_a);
        for (int i = 0; i < 2; i++) {
            double missed = gmc_vec3_dot(anchor->dir_a[i], moved) - anchor->expected[i];
            contact->deflection_a =
                gmc_vec3_add_scaled(contact->deflection_a, missed, anchor->dir_a[i]);
        }
    }
}
