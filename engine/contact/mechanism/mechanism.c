// What of a mechanism never changes, and where its contacts are looked for.

#include "engine/contact/mechanism/mechanism.h"

#include "engine/complementarity/islands.h"
#include "engine/complementarity/newton.h"
#include "engine/dynamics/crba.h"
#include "engine/model/support.h"

/// Displacement at which joint friction breaks away: the presliding of small gears and guides,
/// below anything that matters to a grasp [rad, m].
static const double PRESLIDING_ANGLE = 1e-4, PRESLIDING_LENGTH = 1e-5;

/// What is this near to a rigid stop is at it: [miller2003] §4, step 3 [rad, m].
static const double STOP_ANGLE = 0.1 * GMC_PI / 180, STOP_LENGTH = 1e-4;

static bool is_scalar_joint(const gmc_body *body)
{
    return !body->is_driven && !body->is_mimic &&
           (body->joint == GMC_JOINT_REVOLUTE || body->joint == GMC_JOINT_PRISMATIC);
}

static gmc_status find_joints(const gmc_model *model, gmc_arena *arena,
                              gmc_mechanism_memory *memory)
{
    memory->joints = GMC_NEW(arena, model->free_count, gmc_mechanism_joint);
    memory->ganged = GMC_NEW(arena, model->free_count, double);
    if (!memory->joints || !memory->ganged) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        if (!is_scalar_joint(body)) continue;
        gmc_mechanism_joint *joint = &memory->joints[memory->joint_count++];
        joint->dof = body->v;
        joint->q = body->q;
        bool is_angle = body->joint == GMC_JOINT_REVOLUTE;
        joint->presliding = is_angle ? PRESLIDING_ANGLE : PRESLIDING_LENGTH;
        joint->stop_shell = is_angle ? STOP_ANGLE : STOP_LENGTH;
    }
    return GMC_OK;
}

/// M couples the dofs of one tree only: blocks end where no tree reaches across.
static gmc_status find_blocks(const gmc_model *model, gmc_arena *arena,
                              gmc_mechanism_memory *memory)
{
    int n = model->free_count, bodies = model->body_count;
    memory->block_start = GMC_NEW(arena, n + 1, int);
    int *reach = GMC_NEW(arena, n, int);      // furthest dof of the tree that starts here
    int *first = GMC_NEW(arena, bodies, int); // first free dof of the body's tree
    if (!memory->block_start || !reach || !first) return GMC_E_ARENA_FULL;
    for (int i = 0; i < model->free_count; i++)
        reach[i] = i;
    for (int i = 0; i < model->body_count; i++)
        first[i] = -1;
    for (int i = 1; i < model->body_count; i++) {
        const gmc_body *body = &model->bodies[i];
        int tree = i, count = gmc_joint_v_count(body->joint);
        while (model->bodies[tree].parent > 0)
            tree = model->bodies[tree].parent;
        if (count == 0 || body->v >= model->free_count) continue;
        if (first[tree] < 0) first[tree] = body->v;
        int from = first[tree] < body->v ? first[tree] : body->v;
        int to = body->v + count - 1;
        if (to < reach[first[tree]]) to = reach[first[tree]];
        first[tree] = from;
        if (reach[from] < to) reach[from] = to;
    }
    int end = -1;
    for (int i = 0; i < model->free_count; i++) {
        if (i > end) memory->block_start[memory->block_count++] = i;
        if (reach[i] > end) end = reach[i];
    }
    memory->block_start[memory->block_count] = model->free_count;
    return GMC_OK;
}

/// Isolated bodies, and which blocks are one: six dofs between which no other tree reaches across.
static gmc_status find_isolated(const gmc_model *model, gmc_arena *arena,
                                gmc_mechanism_memory *memory)
{
    memory->is_isolated = GMC_NEW(arena, memory->block_count, bool);
    memory->isolated = GMC_NEW(arena, model->body_count, int);
    if (!memory->is_isolated || !memory->isolated) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        if (!model->bodies[i].is_isolated) continue;
        memory->isolated[memory->isolated_count++] = i;
        for (int b = 0; b < memory->block_count; b++)
            if (memory->block_start[b] == model->bodies[i].v) memory->is_isolated[b] = true;
    }
    return GMC_OK;
}

/// Does the joint's axis k turn what it moves?
static bool is_turn(gmc_joint_type joint, int k)
{
    switch (joint) {
    case GMC_JOINT_REVOLUTE:
    case GMC_JOINT_SPHERICAL:
        return true;
    case GMC_JOINT_FREE:
        return k >= 3;
    case GMC_JOINT_PLANAR:
        return k == 2;
    case GMC_JOINT_PRISMATIC:
    case GMC_JOINT_FIXED:
    case GMC_JOINT_COUNT:
        break;
    }
    return false;
}

/// What turns blocks in which forces depend on velocities, from the bodies above one of theirs.
static void find_turners(const gmc_model *model, int i, gmc_mechanism_memory *memory)
{
    for (; i > 0; i = model->bodies[i].parent) {
        const gmc_body *body = &model->bodies[i];
        for (int k = 0; k < gmc_joint_v_count(body->joint); k++) {
            bool is_known = false;
            if (!is_turn(body->joint, k)) continue;
            if (!body->is_driven) memory->is_turned = true;
            for (int n = 0; n < memory->turner_count; n++)
                is_known = is_known || memory->turners[n] == body->v + k;
            if (body->is_driven && !is_known) memory->turners[memory->turner_count++] = body->v + k;
        }
    }
}

/// Dofs of blocks in which forces depend on velocities: whole blocks, in their order.
static gmc_status find_coupled(const gmc_model *model, const gmc_kinematics *kin, gmc_arena *arena,
                               gmc_mechanism_memory *memory)
{
    bool *is_coupled = GMC_NEW(arena, memory->block_count, bool);
    memory->coupled = GMC_NEW(arena, model->free_count, int);
    memory->turners = GMC_NEW(arena, model->dof_count, int);
    if (!is_coupled || !memory->coupled || !memory->turners) return GMC_E_ARENA_FULL;
    for (int i = 1; i < model->body_count; i++) {
        if (!kin->steady[i].is_coupled) continue;
        find_turners(model, i, memory);
        for (int k = kin->chain_start[i]; k < kin->chain_start[i + 1]; k++) {
            int dof = kin->axis_dof[kin->chain[k]];
            if (dof < model->free_count) is_coupled[gmc_mechanism_block(memory, dof)] = true;
        }
    }
    for (int b = 0; b < memory->block_count; b++)
        for (int i = memory->block_start[b]; i < memory->block_start[b + 1] && is_coupled[b]; i++)
            memory->coupled[memory->coupled_count++] = i;
    memory->rate = GMC_NEW(arena, memory->coupled_count, double);
    memory->pushed = GMC_NEW(arena, memory->coupled_count, double);
    return memory->rate && memory->pushed ? GMC_OK : GMC_E_ARENA_FULL;
}

/// What the blocks mean for the matrices. Where the problem is split into islands, M is in blocks.
static gmc_status plan_blocks(const gmc_model *model, gmc_arena *arena,
                              gmc_mechanism_memory *memory)
{
    int n = model->free_count, widest = 0;
    for (int b = 0; b < memory->block_count; b++) {
        int width = memory->block_start[b + 1] - memory->block_start[b];
        if (width > widest) widest = width;
    }
    memory->column_max = 2 * widest < n ? 2 * widest : n;
    const gmc_ncp problem = {.dof_count = n, .block_count = memory->block_count};
    if (memory->block_count < GMC_ISLANDS_MIN && !gmc_newton_sparse_fits(&problem)) return GMC_OK;
    memory->mass_width = widest;
    memory->block_first = GMC_NEW(arena, n, int);
    if (!memory->block_first) return GMC_E_ARENA_FULL;
    for (int b = 0; b < memory->block_count; b++)
        for (int i = memory->block_start[b]; i < memory->block_start[b + 1]; i++)
            memory->block_first[i] = memory->block_start[b];
    return gmc_islands_memory_create(memory->block_count, arena, &memory->islands);
}

static gmc_status find_mass(const gmc_model *model, const gmc_kinematics *kin, gmc_arena *arena,
                            gmc_mechanism_memory *memory)
{
    int n = model->free_count, width = memory->mass_width > 0 ? memory->mass_width : n;
    double *mass = GMC_ROOM(arena, (size_t)n * (size_t)width, double);
    if (!mass) return GMC_E_ARENA_FULL;
    gmc_crba_steady(model, kin, memory->block_first, width, mass);
    memory->mass_steady = mass;
    return GMC_OK;
}

/// Planar shapes stay in their plane (builder.h). Laws with extras (moments, grain) and the support
/// of driven bodies, whose points move with no dof, are left to three dimensions.
static bool is_inplane(const gmc_model *model)
{
    for (int i = 0; i < model->geom_count; i++)
        if (!gmc_shape_is_planar(model->geoms[i].shape.type)) return false;
    for (int i = 0; i < model->surface_count * model->surface_count; i++)
        if (model->laws[i].extra) return false;
    for (int i = 0; i < model->support_count; i++)
        if (model->bodies[model->supports[i].body].is_driven) return false;
    return model->geom_count > 0;
}

static bool has_damping(const gmc_model *model)
{
    for (int i = 0; i < model->free_count; i++)
        if (model->dofs[i].damping > 0) return true;
    return model->support_count > 0;
}

/// Joints' dofs, the diagonal blocks of M and what of it never changes.
static gmc_status find_structure(const gmc_model *model, const gmc_kinematics *kin, int contact_max,
                                 gmc_arena *arena, gmc_mechanism_memory *memory)
{
    *memory = (gmc_mechanism_memory){.has_driven = model->dof_count > model->free_count,
                                     .has_damping = has_damping(model),
                                     .is_inplane = is_inplane(model)};
    // written by the collider as far as it counts them
    memory->points = GMC_ROOM(arena, contact_max, gmc_contact_point);
    if (!memory->points) return GMC_E_ARENA_FULL;
    GMC_TRY(find_joints(model, arena, memory));
    GMC_TRY(find_blocks(model, arena, memory));
    GMC_TRY(find_isolated(model, arena, memory));
    GMC_TRY(find_coupled(model, kin, arena, memory));
    GMC_TRY(plan_blocks(model, arena, memory));
    return find_mass(model, kin, arena, memory);
}

static gmc_status find_support_forces(const gmc_model *model, gmc_mechanism_memory *memory)
{
    for (int i = 0; i < model->support_count; i++)
        GMC_TRY(gmc_support_forces(model, &model->supports[i],
                                   memory->support_forces + model->supports[i].point_first));
    memory->support_gravity = model->gravity.z;
    return GMC_OK;
}

gmc_status gmc_mechanism_weigh(const gmc_world *world, gmc_mechanism_memory *memory)
{
    const gmc_model *model = world->model;
    bool is_heavier = memory->weighings != world->kin.weighings;
    if (is_heavier) {
        int width = memory->mass_width > 0 ? memory->mass_width : model->free_count;
        gmc_crba_steady(model, &world->kin, memory->block_first, width, memory->mass_steady);
        memory->weighings = world->kin.weighings;
    }
    if (model->support_count == 0) return GMC_OK;
    if (!is_heavier && memory->support_gravity == model->gravity.z) return GMC_OK;
    return find_support_forces(model, memory);
}

/// What supports keep, and their normal forces.
static gmc_status find_supports(const gmc_model *model, gmc_arena *arena,
                                gmc_mechanism_memory *memory)
{
    int points = model->support_point_count;
    memory->support_forces = GMC_NEW(arena, points, double);
    memory->support_deflection = GMC_NEW(arena, 2 * points, double);
    if (!memory->support_forces || !memory->support_deflection) return GMC_E_ARENA_FULL;
    return find_support_forces(model, memory);
}

gmc_status gmc_mechanism_create(const gmc_model *model, int contact_max, gmc_arena *arena,
                                gmc_world *world)
{
    gmc_world made = {.model = model};
    gmc_mechanism_memory *memory = GMC_NEW(arena, 1, gmc_mechanism_memory);
    made.servo_impulse = GMC_NEW(arena, model->free_count, double);
    made.support_impulse = GMC_NEW(arena, 3 * model->support_point_count, double);
    if (!memory || !made.servo_impulse || !made.support_impulse) return GMC_E_ARENA_FULL;
    GMC_TRY(gmc_state_create(model, arena, &made.state));
    GMC_TRY(gmc_kinematics_create(model, arena, &made.kin));
    GMC_TRY(gmc_collider_create(model, arena, &made.collider));
    GMC_TRY(gmc_contact_set_create(contact_max, arena, &made.contacts));
    GMC_TRY(find_structure(model, &made.kin, contact_max, arena, memory));
    GMC_TRY(find_supports(model, arena, memory));
    made.stepper_memory = memory;
    gmc_kinematics_update(model, made.state.q, made.state.v, &made.kin);
    *world = made;
    return GMC_OK;
}

int gmc_mechanism_block(const gmc_mechanism_memory *memory, int dof)
{
    int low = 0, high = memory->block_count; // start[low] <= dof < start[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (memory->block_start[middle] <= dof)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int gmc_mechanism_block_of(const gmc_mechanism_step *step, int body)
{
    const gmc_model *model = step->world->model;
    int dof = model->bodies[body].v;
    bool moves = body > 0 && dof < model->free_count;
    return moves ? gmc_mechanism_block(step->memory, dof) : -1;
}

// ---- where contacts are looked for -------------------------------------------------------------

gmc_status gmc_mechanism_find_points(const gmc_mechanism_step *step, double reach,
                                     const gmc_twist *look, int *count)
{
    const gmc_world *world = step->world;
    const gmc_model *model = world->model;
    *count = 0;
    GMC_TRY(gmc_mechanism_weigh(world, step->memory));
    gmc_collider_scene scene = {
        .model = model, .X_wb = world->kin.X_wb, .V = look, .h = step->h, .reach = reach};
    return gmc_collider_find(world->collider, &scene, step->memory->points,
                             world->contacts.capacity, count);
}

/// How far a geom goes in a step at that velocity of its body, at most.
static double way_of(const gmc_mechanism_step *step, const gmc_geom *geom, const gmc_twist *V)
{
    gmc_vec3 centre = gmc_pose_apply(&geom->X_bg, gmc_shape_centre(&geom->shape));
    centre = gmc_pose_apply(&step->world->kin.X_wb[geom->body], centre);
    return step->h * (gmc_vec3_norm(gmc_twist_at(V, centre)) +
                      gmc_shape_radius(&geom->shape) * gmc_vec3_norm(V->w));
}

/// Does a coordinate change by so much more or less than it would have?
static bool is_hastened(const gmc_mechanism_step *step, double least)
{
    const gmc_world *world = step->world;
    for (int i = 0; i < world->model->dof_count; i++)
        if (step->h * fabs(step->v[i] - world->state.v[i]) > least) return true;
    return false;
}

bool gmc_mechanism_outruns(const gmc_mechanism_step *step, double reach, gmc_twist *look)
{
    // of the reach; of coordinates several may add up, with long arms [-, 1/m]
    static const double SHARE = 0.5, SHARE_EACH = 0.1;
    const gmc_world *world = step->world;
    const gmc_model *model = world->model;
    bool is_again = false;
    if (!is_hastened(step, SHARE_EACH * reach)) return false;
    for (int g = 0; g < model->geom_count; g++) {
        const gmc_geom *geom = &model->geoms[g];
        if (geom->body == 0 || geom->shape.type == GMC_SHAPE_PLANE) continue;
        gmc_twist V = gmc_kinematics_twist(&world->kin, geom->body, step->v);
        gmc_twist more = gmc_twist_add_scaled(V, -1, look[geom->body]);
        // what was looked for farther than it goes stays as it is
        if (way_of(step, geom, &more) <= SHARE * reach ||
            way_of(step, geom, &V) <= way_of(step, geom, &look[geom->body]))
            continue;
        look[geom->body] = V;
        is_again = true;
    }
    return is_again;
}
