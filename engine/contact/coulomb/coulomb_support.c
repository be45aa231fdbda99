// Friction of bodies against the plane on which they stand, in the default stepper. A point of a
// support is a contact whose normal force is known, from statics (support.h):
//
//   no normal direction: w_N = R_N (r_N - H N) = 0, hence r_N = H N exactly
//   tangents x and y of the world, at the point: the law of coulomb.h, with its elastic memory
//
// so the cone's disc is |r_T| <= mu H N, exactly round, and a body that sticks does not creep. All
// points of a body move with it: one group. Viscous friction is linear and goes into Mh: the points
// share it as they share the weight, so that it acts at the mass centre, as diag(c, c, c ρ²).
//
// A point sits on the body: there is nothing for a contact's place to run over. What its true path
// differs from the chord h u_T joins the deflection after the advance, as for contacts.

#include "engine/contact/cone.h"
#include "engine/contact/coulomb/coulomb_internal.h"
#include "engine/model/support.h"

static gmc_vec2 place_of(const gmc_world *world, int body, gmc_vec2 p)
{
    gmc_vec3 x = gmc_pose_apply(&world->kin.X_wb[body], (gmc_vec3){p.x, p.y, 0});
    return (gmc_vec2){x.x, x.y};
}

static void write_point(gmc_coulomb_step *step, const gmc_support *support, int point,
                        gmc_vec3 about)
{
    const gmc_world *world = step->motion.world;
    int row = step->contact_count++;
    double spread = 1 / (step->motion.h + support->relaxation);
    double normal = step->motion.span * step->motion.memory->support_forces[point];
    const double *deflection = step->motion.memory->support_deflection + 2 * point;
    gmc_vec2 x = place_of(world, support->body, world->model->support_points[point].p);
    // any R_N does for r_N; this one makes the bias what the weight would do in a step, to what Mh
    // leaves of the body: without inertia that is far less than its mass, and residuals are weighed
    // by it. With less the scale of the residual sinks below the rounding of forces: with 1/m by
    // the share of the inertia that a quasi-static step holds on with, a thousandth and less
    int first = world->model->bodies[support->body].v;
    bool is_free = first < world->model->free_count;
    double compliance = 1 / (is_free ? gmc_mechanism_mass_row(&step->motion, first)[first]
                                     : world->model->bodies[support->body].inertia.mass);
    // every member has its value: one left out would have all of them cleared first, which took
    // longer than the rest
    step->contacts[row] = (gmc_ncp_contact){
        .frame = {0, 0, 1, 1, 0, 0, 0, 1, 0}, // z: nothing moves along it
        .arm = {x.x - about.x, x.y - about.y, 0},
        .bias = {-compliance * normal, deflection[0] * spread, deflection[1] * spread},
        .compliance_n = compliance,
        .compliance_t = spread / (step->motion.span * support->stiffness),
        .friction = world->model->support_points[point].friction,
        .hints = {.is_rotation = true}};
    step->support_places[point] = x;
    double *r = step->r + 3 * row;
    r[0] = normal;
    r[1] = world->support_impulse[3 * point + 1];
    r[2] = world->support_impulse[3 * point + 2];
}

/// A body on a planar joint moves as its three dofs say, about its mass centre; a driven one has
/// none.
static gmc_status open_group(gmc_coulomb_step *step, const gmc_support *support)
{
    static const double ONE[18] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    const gmc_model *model = step->motion.world->model;
    int first = model->bodies[support->body].v, count = first < model->free_count ? 3 : 0;
    int *columns = GMC_ROOM(step->motion.scratch, 3, int);
    if (!columns) return GMC_E_ARENA_FULL;
    for (int k = 0; k < 3; k++)
        columns[k] = first + k;
    step->groups[step->group_count++] = (gmc_ncp_group){.contact_first = step->contact_count,
                                                        .contact_count = support->point_count,
                                                        .column_count = count,
                                                        .general_count = count,
                                                        .columns = columns,
                                                        .S = ONE,
                                                        .sign = 1};
    return GMC_OK;
}

gmc_status gmc_coulomb_support_rows(gmc_coulomb_step *step)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    step->support_first = step->contact_count;
    step->support_places = GMC_ROOM(step->motion.scratch, model->support_point_count, gmc_vec2);
    if (!step->support_places) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        GMC_TRY(open_group(step, support));
        for (int k = 0; k < support->point_count; k++)
            write_point(step, support, support->point_first + k, world->kin.com_w[support->body]);
    }
    return GMC_OK;
}

/// @param V  motion of the body at the step's solution
static void keep_point(const gmc_coulomb_step *step, const gmc_support *support, int point, int row,
                       const double V[6])
{
    gmc_world *world = step->motion.world;
    const double *r = step->r + 3 * row;
    double *kept = world->support_impulse + 3 * point, u[3];
    double *deflection = step->motion.memory->support_deflection + 2 * point;
    double h = step->motion.h, tau = support->relaxation,
           give = h / (step->motion.span * support->stiffness);
    gmc_vec2 from = step->support_places[point];
    gmc_vec2 to = place_of(world, support->body, world->model->support_points[point].p);
    const double way[2] = {to.x - from.x, to.y - from.y};
    gmc_ncp_contact_at(&step->contacts[row], V, u);
    // what slides has its deflection from its force alone: its path does not stretch anything
    bool sticks = gmc_cone_mode(r, step->contacts[row].friction) == GMC_CONTACT_STICK;
    kept[0] = r[0];
    for (int i = 0; i < 2; i++) {
        kept[1 + i] = r[1 + i];
        deflection[i] = (tau * deflection[i] - r[1 + i] * give) / (h + tau);
        if (sticks) deflection[i] += way[i] - h * u[1 + i];
    }
}

void gmc_coulomb_support_keep(const gmc_coulomb_step *step)
{
    const gmc_model *model = step->motion.world->model;
    int row = step->support_first, group = step->group_count - model->support_count;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double V[6];
        gmc_ncp_group_velocity(&step->groups[group + i], step->motion.v, V);
        for (int k = 0; k < support->point_count; k++)
            keep_point(step, support, support->point_first + k, row++, V);
    }
}
