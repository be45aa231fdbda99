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

#include "engine/contact/rigid/rigid_internal.h"
#include "engine/dynamics/jacobian.h"

#include <math.h>

/// How fast friction alone slows the point within the step, as the mass of its body resists [m/s].
static double slowing(const gmc_mechanism_step *motion, const gmc_rigid_contact *row)
{
    return row->friction * motion->span * motion->memory->support_forces[row->index] *
           row->inverse_mass;
}

/// A corner of the pyramid to where the point slides, if the step is too short to change that by
/// much: friction of a past direction then slows what is across it, and never beyond rest.
static void aim(const gmc_rigid_step *step, gmc_rigid_contact *row)
{
    const double *v = step->motion.world->state.v;
    double u[2] = {0, 0};
    if (step->options->motion != GMC_MOTION_DYNAMIC) return; // nothing goes on by itself
    for (int k = 0; k < row->column_count; k++) {
        u[0] += row->J[1][k] * v[row->columns[k]];
        u[1] += row->J[2][k] * v[row->columns[k]];
    }
    double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    if (!(speed > slowing(&step->motion, row))) return;
    gmc_rigid_aim_turn(row, (gmc_vec2){u[0] / speed, u[1] / speed});
}

static gmc_status write_point(gmc_rigid_step *step, const gmc_jacobian *jacobian, int point,
                              gmc_vec3 x)
{
    static const gmc_vec3 ALONG[2] = {{1, 0, 0}, {0, 1, 0}};
    const gmc_mechanism_step *motion = &step->motion;
    gmc_rigid_contact *row = &step->contacts[step->contact_count++];
    size_t n = (size_t)jacobian->count;
    double *J = gmc_arena_doubles(motion->scratch, 3 * n), inverse_mass = 0;
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
                               .friction = motion->world->model->support_points[point].friction,
                               .facet_count = (int)gmc_rigid_setting(step, GMC_RIGID_DIRECTIONS)};
    row->bias = -row->compliance * motion->span * motion->memory->support_forces[point];
    aim(step, row);
    return GMC_OK;
}

gmc_status gmc_rigid_support_rows(gmc_rigid_step *step)
{
    const gmc_world *world = step->motion.world;
    const gmc_model *model = world->model;
    gmc_arena *scratch = step->motion.scratch;
    size_t n = (size_t)model->free_count;
    for (int i = 0; i < model->support_count; i++) {
        const gmc_support *support = &model->supports[i];
        double *S = gmc_arena_room(scratch, 6 * n, sizeof *S);
        int *columns = gmc_arena_room(scratch, n + 1, sizeof *columns);
        if (!S || !columns) return GMC_E_ARENA_FULL;
        gmc_jacobian jacobian = gmc_jacobian_of(model, &world->kin, 0, support->body, columns, S);
        for (int k = support->point_first; k < support->point_first + support->point_count; k++) {
            gmc_vec2 p = model->support_points[k].p;
            gmc_vec3 x = gmc_pose_apply(&world->kin.X_wb[support->body], (gmc_vec3){p.x, p.y, 0});
            GMC_TRY(write_point(step, &jacobian, k, x));
        }
    }
    return GMC_OK;
}

void gmc_rigid_support_keep(const gmc_rigid_step *step)
{
    double *all = step->motion.world->support_impulse;
    for (int c = step->touching_count; c < step->contact_count; c++) {
        const gmc_rigid_contact *row = &step->contacts[c];
        double *kept = all + 3 * row->index;
        double impulse[3];
        gmc_rigid_aim_out(row->heading, step->r + 3 * c, impulse);
        for (int i = 0; i < 3; i++)
            kept[i] = impulse[i] + (step->is_later ? kept[i] : 0);
    }
}
