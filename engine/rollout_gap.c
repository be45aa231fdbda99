// How far two groups of geoms are apart at the start of a trial. Contacts know gaps up to a small
// reach only, and of shapes that are far apart no more than a bound; here the distance of convex
// cores is asked for pair by pair, which costs microseconds and is done for reports alone.
#include "engine/collision/gjk.h"
#include "engine/rollout.h"

#include <math.h>

static bool has_core(const gmc_geom *geom)
{
    return (int)geom->shape.type < (int)GMC_SHAPE_SOLID_COUNT &&
           geom->shape.type != GMC_SHAPE_PLANE;
}

// Distance of two solids; false if their cores overlap.
static bool distance_of(const gmc_solid *a, const gmc_solid *b, double *distance)
{
    gmc_gjk_core core_a = gmc_gjk_core_of(a), core_b = gmc_gjk_core_of(b);
    gmc_vec3 guess = gmc_vec3_sub(b->X.p, a->X.p);
    if (!(gmc_vec3_dot(guess, guess) > 0)) guess = (gmc_vec3){0, 0, 1};
    double size = fmin(gmc_shape_radius(a->shape), gmc_shape_radius(b->shape));
    gmc_gjk_result found = gmc_gjk_distance(&core_a, &core_b, guess, size);
    *distance = found.distance - gmc_gjk_radius(&core_a) - gmc_gjk_radius(&core_b);
    return !found.is_overlap;
}

// Distance of a solid from a plane: that of its lowest point over it.
static double height_over(const gmc_solid *solid, const gmc_solid *plane)
{
    gmc_vec3 n = gmc_mat3_apply(&plane->X.R, (gmc_vec3){0, 0, 1});
    gmc_vec3 p = gmc_shape_support(solid, gmc_vec3_neg(n), NULL);
    return gmc_vec3_dot(n, gmc_vec3_sub(p, plane->X.p));
}

// Deepest overlap of the two groups, as contacts tell it.
static gmc_status deepest(const gmc_rollout_input *input, gmc_world *world, unsigned a, unsigned b,
                          gmc_arena *scratch, double *gap)
{
    int capacity = world->contacts.capacity, count = 0;
    gmc_contact_point *points = GMC_NEW(scratch, capacity, gmc_contact_point);
    if (!points) return GMC_E_ARENA_FULL;
    gmc_collider_scene scene = {
        .model = world->model, .X_wb = world->kin.X_wb, .h = input->options.step};
    gmc_status status = gmc_collider_find(world->collider, &scene, points, capacity, &count);
    if (status == GMC_E_ARENA_FULL) return status;
    for (int i = 0; i < count; i++) {
        unsigned of_a = world->model->geoms[points[i].geom_a].category;
        unsigned of_b = world->model->geoms[points[i].geom_b].category;
        if (((of_a & a) && (of_b & b)) || ((of_a & b) && (of_b & a)))
            *gap = fmin(*gap, points[i].gap);
    }
    return GMC_OK;
}

// One geom against all of a group: the smallest distance, of what has a core if cores do not
// overlap.
static void nearest(const gmc_world *world, const gmc_solid *one, unsigned group, double *distance,
                    bool *is_overlap)
{
    for (int k = 0; k < world->model->geom_count; k++) {
        const gmc_geom *geom = &world->model->geoms[k];
        bool is_plane = geom->shape.type == GMC_SHAPE_PLANE;
        if (!(geom->category & group) || (!is_plane && !has_core(geom))) continue;
        gmc_solid other = gmc_world_solid(world, k);
        double apart = 0;
        if (is_plane) {
            *distance = fmin(*distance, height_over(one, &other));
            continue;
        }
        if (distance_of(one, &other, &apart))
            *distance = fmin(*distance, apart);
        else
            *is_overlap = true;
    }
}

// How far a geom reaches along an axis of a frame; its rounding included.
static double reach_of(const gmc_world *world, int geom, const gmc_pose *X, gmc_vec3 axis)
{
    gmc_solid solid = gmc_world_solid(world, geom);
    gmc_vec3 dir = gmc_mat3_apply(&X->R, axis);
    gmc_vec3 p = gmc_shape_support(&solid, dir, NULL);
    return gmc_vec3_dot(gmc_pose_apply_inverse(X, p), axis);
}

// The box around a group in the axes of its first body; false: the group is empty.
static bool box_around(const gmc_world *world, unsigned group, gmc_shape *box, gmc_pose *X_wx)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    const gmc_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const gmc_pose *X = NULL;
    for (int i = 0; i < world->model->geom_count; i++) {
        const gmc_geom *geom = &world->model->geoms[i];
        if (!(geom->category & group) || !has_core(geom)) continue;
        if (!X) X = &world->kin.X_wb[geom->body];
        for (int k = 0; k < 3; k++) {
            hi[k] = fmax(hi[k], reach_of(world, i, X, axes[k]));
            lo[k] = fmin(lo[k], -reach_of(world, i, X, gmc_vec3_neg(axes[k])));
        }
    }
    if (!X) return false;
    *box = (gmc_shape){.type = GMC_SHAPE_BOX, .scale = 1};
    box->half = (gmc_vec3){(hi[0] - lo[0]) / 2, (hi[1] - lo[1]) / 2, (hi[2] - lo[2]) / 2};
    gmc_vec3 middle = {(hi[0] + lo[0]) / 2, (hi[1] + lo[1]) / 2, (hi[2] + lo[2]) / 2};
    *X_wx = (gmc_pose){X->R, gmc_pose_apply(X, middle)};
    return true;
}

gmc_status gmc_rollout_gap(const gmc_rollout_input *input, unsigned a, unsigned b, gmc_arena *trial,
                           gmc_arena *scratch, gmc_rollout_gap_found *found)
{
    gmc_world world;
    gmc_shape box;
    gmc_solid around = {.shape = &box};
    bool is_overlap = false, is_inside = false;
    gmc_arena_reset(scratch, 0);
    GMC_TRY(
        input->options.stepper->create(input->model, input->options.contact_max, trial, &world));
    *found = (gmc_rollout_gap_found){INFINITY, INFINITY};
    for (int i = 0; i < input->model->geom_count; i++) {
        if (!(input->model->geoms[i].category & a) || !has_core(&input->model->geoms[i])) continue;
        gmc_solid one = gmc_world_solid(&world, i);
        nearest(&world, &one, b, &found->gap, &is_overlap);
    }
    if (box_around(&world, a, &box, &around.X))
        nearest(&world, &around, b, &found->outside, &is_inside);
    if (is_inside || found->outside < 0) found->outside = 0;
    if (!is_overlap) return GMC_OK;
    found->gap = fmin(found->gap, 0);
    return deepest(input, &world, a, b, scratch, &found->gap);
}
