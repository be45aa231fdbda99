// Friction of bodies against the plane on which they stand, in the rigid steppers: a contact whose
// normal force is known [berard2007], eq 14. Its normal row moves nothing and is
// w_N = R (r_N - h N) = 0, so that r_N = h N whatever R > 0 is; the tangents x and y have the
// friction directions of every other contact, evenly spread, which understates friction between
// them (pyramid.h).

#include "engine/contact/rigid_internal.h"
#include "engine/dynamics/jacobian.h"

static gmc_status write_point(gmc_rigid_step *step, const gmc_jacobian *jacobian, int point,
                              gmc_vec3 x)
{
    static const gmc_vec3 ALONG[2] = {{1, 0, 0}, {0, 1, 0}};
    const gmc_coulomb_step *motion = &step->motion;
    gmc_rigid_contact *row = &step->contacts[step->contact_count++];
    size_t n = (size_t)jacobian->count;
    double *J = gmc_arena_doubles(motion->scratch, 3 * n), inverse_mass = 0;
    if (!J) return GMC_E_ARENA_FULL;
    *row = (gmc_rigid_contact){.index = point,
                               .column_count = jacobian->count,
                               .columns = jacobian->columns,
                               .J = {J, J + n, J + 2 * n},
                               .scale = {1, 1},
                               .friction = motion->world->model->support_points[point].friction,
                               .facet_count = step->options->direction_count};
    for (int t = 0; t < 2; t++)
        gmc_rigid_contact_row(jacobian, gmc_vec3_sub(x, jacobian->about), ALONG[t],
                              J + (size_t)(1 + t) * n);
    for (size_t k = 0; k < n; k++) {
        int i = jacobian->columns[k];
        inverse_mass += J[n + k] * J[n + k] / gmc_coulomb_mass_row(motion, i)[i];
    }
    row->inverse_mass = inverse_mass;
    row->compliance = inverse_mass; // of the size of what stands beside it in its unit
    row->bias = -row->compliance * motion->span * motion->memory->support_forces[point];
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
    double *kept = step->motion.world->support_impulse;
    for (int c = step->touching_count; c < step->contact_count; c++)
        for (int i = 0; i < 3; i++) {
            double *sum = &kept[3 * step->contacts[c].index + i];
            *sum = step->r[3 * c + i] + (step->is_later ? *sum : 0);
        }
}
